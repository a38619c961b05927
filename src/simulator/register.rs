//! The App before it works: registered from a manifest, installed, pinged.

use super::answer::Refusal;
use super::keys;
use super::manifest::Posted;
use super::start::{Simulator, slug};
use super::state::{AccountKind, App, Permission, Registration, World};

/// Seconds that a code is good for, as on GitHub.
const CODE_LIFE_S: i64 = 3600;
/// The longest name of an App.
const NAME_CHARS: usize = 34;

impl Simulator {
    /// Sends the webhook by which GitHub tries an address that is new to it.
    pub fn ping(&self) {
        self.host.world().emit_ping();
    }

    /// Makes every registration that is not ended so many seconds older.
    pub fn age_registrations(&self, seconds: i64) {
        for registration in self.host.world().registrations.values_mut() {
            registration.made_at -= seconds;
        }
    }

    /// Tells a size of a repository, in KiB.
    pub fn set_size(&self, repo: &str, kib: u64) {
        let mut world = self.host.world();
        let all = world.repos.values_mut();
        for repo in all.filter(|r| r.full_name() == repo) {
            repo.size = kib;
        }
    }

    /// Takes the App from its organisation, or gives it back.
    pub fn set_installed(&self, installed: bool) {
        self.host.world().app.installed = installed;
    }
}

impl World {
    /// Keeps what a form asked for; the code by which it is had.
    pub fn register(
        &mut self,
        posted: Posted,
        name: &str,
        account: &str,
    ) -> Result<String, Refusal> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > NAME_CHARS {
            let message = format!("The name must have 1 to {NAME_CHARS} characters.");
            return Err(Refusal::new(422, &message));
        }
        let code = uuid::Uuid::new_v4().simple().to_string();
        let mut manifest = posted.manifest;
        manifest.name = name.to_string();
        let registration = Registration {
            manifest,
            hook_url: posted.hook_url,
            account: account.to_string(),
            made_at: self.now(),
        };
        self.registrations.insert(code.clone(), registration);
        Ok(code)
    }

    /// Makes the App of this GitHub the one that was asked for, with new credentials; its key.
    pub fn convert(&mut self, code: &str) -> Result<String, Refusal> {
        let found = self.registrations.remove(code);
        let found = found.filter(|r| self.now() - r.made_at < CODE_LIFE_S);
        let registration = found.ok_or_else(Refusal::not_found)?;
        let keys = keys::generate().ok_or_else(|| Refusal::new(500, "no key"))?;
        let (id, installation) = (self.fresh(), self.fresh());
        self.public_key = keys.public_der;
        self.app = App {
            id,
            slug: slug(&registration.manifest.name),
            client_id: format!("Iv23li{id:x}"),
            manifest: registration.manifest,
            installation,
            account: registration.account.clone(),
            created_at: self.now(),
            suspended_at: None,
            installed: false,
        };
        self.hooks.secret = hex::encode(uuid::Uuid::new_v4().as_bytes());
        self.hooks.url = Some(registration.hook_url);
        let bot = self.app.bot();
        self.add_account(&bot, AccountKind::Bot, Permission::None);
        self.emit_ping();
        Ok(keys.private_pem)
    }

    /// The organisation installs the App on all of its repositories.
    pub fn install(&mut self) {
        self.app.installed = true;
        let by = self.app.account.clone();
        self.emit_installation("created", &by);
    }
}
