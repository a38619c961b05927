//! Who asks, and what they may.

use super::answer::{Call, Refusal};
use super::keys;
use super::state::{AccountKind, Grant, Permission, Repo, Token, World};
use axum::http::{HeaderMap, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Who sent a request.
#[derive(Debug, Clone)]
pub(super) enum Caller {
    Nobody,
    /// The App itself, by JWT.
    App,
    /// The App in its installation, by token.
    Installation(Grant),
    /// A person, by personal token.
    Person(String),
}

/// The kind of credential of a request, for the request log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    None,
    Jwt,
    InstallationToken,
    PersonalToken,
    /// One that is wrong, revoked or expired.
    Refused,
}

impl Caller {
    pub fn credential(&self) -> Credential {
        match self {
            Caller::Nobody => Credential::None,
            Caller::App => Credential::Jwt,
            Caller::Installation(_) => Credential::InstallationToken,
            Caller::Person(_) => Credential::PersonalToken,
        }
    }
}

/// The secret of an Authorization header, in any of the schemes that GitHub takes.
pub(super) fn secret(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, rest) = value.split_once(' ')?;
    match scheme.to_ascii_lowercase().as_str() {
        "bearer" | "token" => Some(rest.trim().to_string()),
        "basic" => {
            let plain = STANDARD.decode(rest.trim()).ok()?;
            let plain = String::from_utf8(plain).ok()?;
            plain
                .split_once(':')
                .map(|(_, password)| password.to_string())
        }
        _ => Some(String::new()),
    }
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Read,
    Write,
}

impl World {
    /// Who holds this secret now.
    pub fn identify(&self, secret: Option<&str>) -> Result<Caller, Refusal> {
        let Some(secret) = secret else {
            return Ok(Caller::Nobody);
        };
        match self.tokens.get(secret) {
            Some(Token::Person(login)) => return Ok(Caller::Person(login.clone())),
            Some(Token::Installation(grant)) if grant.expires_at > self.now() => {
                return match self.app.suspended_at {
                    None => Ok(Caller::Installation(grant.clone())),
                    Some(_) => Err(Refusal::new(403, "This installation has been suspended")),
                };
            }
            Some(Token::Installation(_)) => return Err(Refusal::bad_credentials()),
            None => {}
        }
        if secret.starts_with("ey") && secret.split('.').count() == 3 {
            keys::check_jwt(secret, &self.public_key, &self.app, self.now())?;
            return Ok(Caller::App);
        }
        Err(Refusal::bad_credentials())
    }

    /// The login as which this caller acts.
    pub fn acting(&self, caller: &Caller) -> Result<String, Refusal> {
        match caller {
            Caller::Installation(_) => Ok(self.app.bot()),
            Caller::Person(login) => Ok(login.clone()),
            Caller::Nobody => Err(Refusal::unauthorized("Requires authentication")),
            Caller::App => Err(Refusal::unauthorized(
                "A JSON web token could not be decoded",
            )),
        }
    }

    /// The id of the repository that the call names, if the caller may use it for any of `needs`.
    ///
    /// A repository that the caller may not see does not exist for them (404); one that they see
    /// but may not use so is refused (403).
    pub fn entitled(&self, call: &Call, needs: &[(&str, Level)]) -> Result<u64, Refusal> {
        let repo = match call.path.get("repo_id") {
            Some(id) => id.parse().ok().and_then(|id| self.repos.get(&id)),
            None => self.find_repo(call.part("owner"), call.part("repo")),
        };
        self.acting(&call.caller)?;
        let repo = repo.ok_or_else(Refusal::not_found)?;
        self.may(&call.caller, repo, needs)?;
        Ok(repo.id)
    }

    /// Whether `caller` may use `repo` for any of `needs`.
    pub fn may(
        &self,
        caller: &Caller,
        repo: &Repo,
        needs: &[(&str, Level)],
    ) -> Result<(), Refusal> {
        self.granted(caller, repo, needs)?;
        let writes = needs.iter().any(|(_, level)| *level == Level::Write);
        match writes && repo.archived {
            true => Err(Refusal::new(
                403,
                "Repository was archived so is read-only.",
            )),
            false => Ok(()),
        }
    }

    fn granted(
        &self,
        caller: &Caller,
        repo: &Repo,
        needs: &[(&str, Level)],
    ) -> Result<(), Refusal> {
        match caller {
            Caller::Installation(grant) => {
                let listed = grant.repositories.as_ref();
                if listed.is_some_and(|ids| !ids.contains(&repo.id)) {
                    return Err(Refusal::not_found());
                }
                let granted = |(scope, level): &(&str, Level)| match grant
                    .permissions
                    .get(*scope)
                    .map(String::as_str)
                {
                    Some("write" | "admin") => true,
                    Some("read") => *level == Level::Read,
                    _ => false,
                };
                if needs.iter().any(granted) {
                    Ok(())
                } else {
                    Err(Refusal::not_granted())
                }
            }
            Caller::Person(login) => {
                let has = self.permission(repo, login);
                if has < Permission::Read {
                    return Err(Refusal::not_found());
                }
                let granted = |(scope, level): &(&str, Level)| match (*level, *scope) {
                    (Level::Read, _) => true,
                    // Whoever can read can open issues and pull requests and comment on them.
                    (Level::Write, "issues" | "pull_requests") => true,
                    (Level::Write, _) => has >= Permission::Write,
                };
                if needs.iter().any(granted) {
                    Ok(())
                } else {
                    Err(Refusal::new(403, "Must have push access to repository"))
                }
            }
            Caller::Nobody | Caller::App => self.acting(caller).map(|_| ()),
        }
    }

    /// What the caller may do to things of other people: an App with write does, a person needs
    /// at least `least`.
    pub fn moderates(&self, caller: &Caller, repo: u64, least: Permission) -> bool {
        match (caller, self.repos.get(&repo)) {
            (Caller::Installation(_), _) => true,
            (Caller::Person(login), Some(repo)) => self.permission(repo, login) >= least,
            _ => false,
        }
    }

    pub fn needs_app(&self, call: &Call) -> Result<(), Refusal> {
        match call.caller {
            Caller::App => Ok(()),
            _ => Err(Refusal::unauthorized(
                "A JSON web token could not be decoded",
            )),
        }
    }

    /// GitHub's `author_association` of a login to a repository.
    pub fn association(&self, repo: &Repo, login: &str) -> &'static str {
        let kind = self.account(login).map(|a| a.kind);
        if repo.owner.eq_ignore_ascii_case(login) {
            "OWNER"
        } else if kind == Some(AccountKind::User)
            && self.permission(repo, login) >= Permission::Triage
        {
            "COLLABORATOR"
        } else {
            "NONE"
        }
    }
}
