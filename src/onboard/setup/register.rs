//! The App: a form that the operator's browser hands to GitHub, and the code that comes back.

use super::choice::{app_name, base_of};
use super::{Deliveries, SetupError};
use crate::onboard::manifest::{AppManifest, Asked};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, html};

/// A registration that has begun.
#[derive(Debug, Clone)]
pub struct Registration {
    /// Where the form goes.
    pub action: String,
    /// The manifest, as JSON.
    pub manifest: String,
    /// What GitHub gives back with the code; it holds once.
    pub state: String,
    pub deliveries: Deliveries,
}

impl Registration {
    /// `org`: the organisation that owns the App; empty for the account of whoever opens the form.
    /// `redirect_url`: where GitHub sends the browser with the code.
    ///
    /// # Errors
    /// [`SetupError::Choice`] for a name or an organisation that GitHub would not take.
    pub fn begin(
        github_url: &str,
        org: &str,
        name: &str,
        deliveries: Deliveries,
        redirect_url: &str,
    ) -> Result<Registration, SetupError> {
        let github = base_of(github_url, "GitHub's address")?;
        let org = org.trim();
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
        if !org.bytes().all(plain) {
            let why = "the organisation is named as in its address: letters, digits and hyphens";
            return Err(SetupError::Choice(why.into()));
        }
        let asked = Asked {
            name: app_name(name)?,
            public_url: match &deliveries {
                Deliveries::Public(url) => Some(url.clone()),
                Deliveries::Poll(_) => None,
            },
            redirect_url: redirect_url.to_string(),
        };
        let manifest = AppManifest::of(&asked).map_err(SetupError::Choice)?;
        let manifest = serde_json::to_string(&manifest)
            .map_err(|e| SetupError::Choice(format!("the manifest cannot be written: {e}")))?;
        let state = uuid::Uuid::new_v4().simple().to_string();
        let place = match org.is_empty() {
            true => String::new(),
            false => format!("/organizations/{org}"),
        };
        Ok(Registration {
            action: format!("{github}{place}/settings/apps/new?state={state}"),
            manifest,
            state,
            deliveries,
        })
    }

    /// The form, with one button.
    pub(super) fn form(&self) -> Markup {
        html! {
            form method="post" action=(self.action) {
                input type="hidden" name="manifest" value=(self.manifest);
                button { "Create the App on GitHub" }
            }
        }
    }

    /// The form as an address that a browser anywhere can open.
    pub fn address(&self) -> String {
        let page = html! {
            (DOCTYPE)
            meta charset="utf-8";
            title { "mend" }
            p { "GitHub shows what is asked for before anything is made." }
            (self.form())
        };
        let page = STANDARD.encode(page.into_string());
        format!("data:text/html;base64,{page}")
    }

    /// The code in what somebody pasted: the code alone, or the address that holds it.
    ///
    /// # Errors
    /// When there is none, or when the address is of another registration.
    pub fn code_in(&self, pasted: &str) -> Result<String, SetupError> {
        let pasted = pasted.trim();
        let wrong = |text: &str| Err(SetupError::Choice(text.into()));
        let Some((_, query)) = pasted.split_once('?') else {
            return match is_code(pasted) {
                true => Ok(pasted.to_string()),
                false => wrong("that is no code: paste the whole address that GitHub led to"),
            };
        };
        let value = |name: &str| {
            let pairs = query.split('#').next().unwrap_or_default().split('&');
            let mut pairs = pairs.filter_map(|p| p.split_once('='));
            pairs.find(|(k, _)| *k == name).map(|(_, v)| v)
        };
        match (value("code"), value("state")) {
            (Some(code), Some(state)) if state == self.state && is_code(code) => Ok(code.into()),
            (Some(_), _) => wrong(
                "that address is of another set-up: open the form of this one, and paste where it leads",
            ),
            _ => wrong("that address holds no code: paste the one that GitHub led to"),
        }
    }
}

pub(super) fn is_code(text: &str) -> bool {
    (8..=128).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_taken_from_its_own_registration_only() {
        let begin = |org: &str, name: &str| {
            let how = Deliveries::Poll(30);
            Registration::begin(
                "https://github.com",
                org,
                name,
                how,
                "http://127.0.0.1:1/created",
            )
        };
        let ours = begin("acme", "mend").unwrap();
        assert!(
            ours.action
                .starts_with("https://github.com/organizations/acme/settings/apps/new?state=")
        );
        let address =
            |state: &str| format!("http://127.0.0.1:1/created?code=abcdef123456&state={state}");
        assert_eq!(ours.code_in(&address(&ours.state)).unwrap(), "abcdef123456");
        assert_eq!(ours.code_in(" abcdef123456\n").unwrap(), "abcdef123456");
        for bad in [
            address("other"),
            "http://x/?a=b".into(),
            "a b".into(),
            String::new(),
        ] {
            assert!(ours.code_in(&bad).is_err(), "{bad}");
        }
        assert!(begin("a/b", "mend").is_err());
        assert!(begin("", &"x".repeat(35)).is_err());
        assert!(
            begin("", "mend")
                .unwrap()
                .action
                .starts_with("https://github.com/settings/apps/new?")
        );
        assert!(ours.address().starts_with("data:text/html;base64,"));
    }
}
