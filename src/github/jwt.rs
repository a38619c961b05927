//! The App's own credential: a signed statement of who it is, good for some minutes.
//! <https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app>

use super::GithubError;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;

/// GitHub refuses a statement from its future; clocks differ.
const BACKDATED_S: i64 = 60;
/// GitHub takes ten minutes at most; one stays in hand.
const LIFE_S: i64 = 9 * 60;

/// The App's id and private key.
pub(super) struct AppKey {
    app_id: u64,
    key: EncodingKey,
}

#[derive(Serialize)]
struct Claims {
    iat: i64,
    exp: i64,
    iss: u64,
}

impl AppKey {
    /// Reads a PEM of PKCS#1 (as GitHub hands it out) or PKCS#8.
    pub fn parse(app_id: u64, pem: &SecretString) -> Result<AppKey, GithubError> {
        let pem = pem.expose_secret().trim();
        let key = EncodingKey::from_rsa_pem(pem.as_bytes()).map_err(|_| {
            GithubError::Setting(
                "the app's private key cannot be read; give the `.pem` file that GitHub made, \
                 with its `-----BEGIN` and `-----END` lines"
                    .into(),
            )
        })?;
        let key = AppKey { app_id, key };
        // A key that reads but does not sign should be found at start, not at the first task.
        key.sign(0)?;
        Ok(key)
    }

    /// A statement for the moment `now` (seconds since the Unix epoch, GitHub's clock).
    pub fn sign(&self, now: i64) -> Result<SecretString, GithubError> {
        let claims = Claims {
            iat: now - BACKDATED_S,
            exp: now + LIFE_S - BACKDATED_S,
            iss: self.app_id,
        };
        encode(&Header::new(Algorithm::RS256), &claims, &self.key)
            .map(SecretString::from)
            .map_err(|_| GithubError::Setting("the app's private key does not sign".into()))
    }
}
