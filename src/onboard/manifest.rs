//! `app-manifest.yml`: what mend asks GitHub for, and the form in which GitHub takes it.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The manifest of this version.
pub const SHIPPED: &str = include_str!("../../app-manifest.yml");

/// A GitHub App as GitHub makes it from a manifest.
/// <https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest>
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppManifest {
    pub name: String,
    pub url: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub public: bool,
    pub hook_attributes: Hook,
    /// Where GitHub sends the browser with the code, when the App is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_url: Option<String>,
    /// Where GitHub sends people back to who log in with the App.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callback_urls: Vec<String>,
    pub default_permissions: BTreeMap<String, String>,
    pub default_events: BTreeSet<String>,
}

/// The App's webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    pub url: String,
    pub active: bool,
}

/// What the operator chooses of the App.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// 1 to 34 characters; it must be free on that GitHub.
    pub name: String,
    /// Where GitHub's webhooks go; `None` for a mend that polls.
    pub public_url: Option<String>,
    /// Where the code goes.
    pub redirect_url: String,
}

/// An address that leads nowhere (RFC 6761): GitHub keeps every delivery in its list, and no
/// stranger receives one.
const NOWHERE: &str = "https://mend.invalid";

impl AppManifest {
    /// The shipped one.
    ///
    /// # Errors
    /// Never for the shipped file; a test reads it.
    pub fn shipped() -> Result<AppManifest, String> {
        serde_saphyr::from_str(SHIPPED).map_err(|e| e.to_string())
    }

    /// The shipped one with what the operator chose.
    ///
    /// # Errors
    /// As [`AppManifest::shipped`].
    pub fn of(asked: &Asked) -> Result<AppManifest, String> {
        let mut manifest = AppManifest::shipped()?;
        let base = asked.public_url.as_deref().unwrap_or(NOWHERE);
        let base = base.trim_end_matches('/');
        manifest.name.clone_from(&asked.name);
        manifest.url = base.to_string();
        // Active also where mend polls: only an active webhook's deliveries are kept.
        manifest.hook_attributes = Hook {
            url: format!("{base}/webhook"),
            active: true,
        };
        manifest.redirect_url = Some(asked.redirect_url.clone());
        if asked.public_url.is_some() {
            // Of the pages that people log in to.
            manifest.callback_urls = vec![format!("{base}/login/callback")];
        }
        Ok(manifest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_manifest_grants_what_tokens_need() {
        let manifest = AppManifest::shipped().unwrap();
        for (name, level) in crate::github::needed_permissions() {
            let given = manifest.default_permissions.get(&name);
            let enough = given.is_some_and(|g| *g == level || g == "write");
            assert!(enough, "{name}: {level}, given {given:?}");
        }
        assert!(manifest.default_events.contains("issues"));
    }

    #[test]
    fn a_poller_has_an_address_that_leads_nowhere() {
        let asked = Asked {
            name: "m".into(),
            public_url: None,
            redirect_url: "http://127.0.0.1:1/created".into(),
        };
        let manifest = AppManifest::of(&asked).unwrap();
        assert_eq!(manifest.hook_attributes.url, "https://mend.invalid/webhook");
        assert!(manifest.hook_attributes.active && !manifest.public);
    }
}
