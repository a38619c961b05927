//! The tokens that live now, written down so that a crash leaves none alive: GitHub revokes a token
//! only for who shows it. What is written down is encrypted under a key that comes from the App's
//! private key, which whoever could read it would need anyway to mint tokens of their own.

use super::app::Github;
use super::error::GithubError;
use super::session::Token;
use async_trait::async_trait;
use aws_lc_rs::aead::{AES_256_GCM, Aad, Nonce, RandomizedNonceKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use secrecy::{ExposeSecret, SecretString};
use zeroize::Zeroize;

/// A token that nobody can read without the App's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedToken {
    pub id: String,
    pub sealed: String,
    /// Seconds since the Unix epoch.
    pub expires: i64,
}

/// Why the book could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BookError(pub String);

/// Where live tokens are written down.
#[async_trait]
pub trait TokenBook: Send + Sync {
    /// The token lives and is used by this process.
    async fn keep(&self, token: &SealedToken) -> Result<(), BookError>;
    /// This process uses it no more, and could not revoke it.
    async fn let_go(&self, id: &str) -> Result<(), BookError>;
    /// It is dead.
    async fn gone(&self, id: &str) -> Result<(), BookError>;
    /// Tokens of processes that are gone, and those that were let go.
    async fn left(&self) -> Result<Vec<SealedToken>, BookError>;
}

/// Seals tokens; made from the App's private key.
pub(super) struct Sealer(RandomizedNonceKey);

const NONCE: usize = 12;

impl Sealer {
    /// `None` where the library refuses.
    pub fn new(pem: &SecretString) -> Option<Sealer> {
        let salt = Salt::new(HKDF_SHA256, b"mend: tokens that live");
        let secret = salt.extract(pem.expose_secret().trim().as_bytes());
        let mut key = [0; 32];
        let okm = secret.expand(&[b"seal"], &AES_256_GCM).ok()?;
        okm.fill(&mut key).ok()?;
        let sealer = RandomizedNonceKey::new(&AES_256_GCM, &key).ok().map(Sealer);
        key.zeroize();
        sealer
    }

    pub fn seal(&self, id: &str, token: &SecretString) -> Option<String> {
        let mut text = token.expose_secret().as_bytes().to_vec();
        let aad = Aad::from(id.as_bytes());
        let Ok(nonce) = self.0.seal_in_place_append_tag(aad, &mut text) else {
            text.zeroize();
            return None;
        };
        let mut whole = nonce.as_ref().to_vec();
        whole.extend_from_slice(&text);
        Some(STANDARD_NO_PAD.encode(whole))
    }

    pub fn open(&self, id: &str, sealed: &str) -> Option<SecretString> {
        let mut whole = STANDARD_NO_PAD.decode(sealed).ok()?;
        if whole.len() < NONCE {
            return None;
        }
        let nonce = Nonce::try_assume_unique_for_key(&whole[..NONCE]).ok()?;
        let aad = Aad::from(id.as_bytes());
        let plain = self.0.open_in_place(nonce, aad, &mut whole[NONCE..]).ok()?;
        let token = String::from_utf8(plain.to_vec())
            .ok()
            .map(SecretString::from);
        whole.zeroize();
        token
    }
}

impl Github {
    /// Writes a new token down; a book that cannot be written is no reason not to work, since the
    /// token dies within the hour.
    pub(super) async fn note(&self, token: &Token) {
        let Some((book, sealer)) = self.book() else {
            return;
        };
        let Some(sealed) = sealer.seal(token.id(), token.secret()) else {
            return;
        };
        let sealed = SealedToken {
            id: token.id().to_string(),
            sealed,
            expires: token.expires,
        };
        if let Err(error) = book.keep(&sealed).await {
            tracing::warn!(%error, "a token was not written down; it is not revoked after a crash");
        }
    }

    /// Revokes one token; one that is dead already counts as revoked. One that cannot be revoked
    /// now is left to the reaper.
    ///
    /// # Errors
    /// Every class of [`GithubError`] but `Unauthorized`.
    pub async fn revoke(&self, token: &Token) -> Result<(), GithubError> {
        let done = self.revoke_secret(token.secret()).await;
        if let Some((book, _)) = self.book() {
            let noted = match &done {
                Ok(()) => book.gone(token.id()).await,
                Err(_) => book.let_go(token.id()).await,
            };
            if let Err(error) = noted {
                tracing::warn!(%error, "the end of a token was not written down");
            }
        }
        done
    }

    /// Revokes what crashed processes left alive, and what could not be revoked at its time.
    /// Returns how many tokens are dead now.
    ///
    /// # Errors
    /// Those of the book; a token that GitHub does not revoke stays for the next look.
    pub async fn reap_tokens(&self) -> Result<usize, BookError> {
        let Some((book, sealer)) = self.book() else {
            return Ok(0);
        };
        let mut dead = 0;
        for left in book.left().await? {
            // Sealed under a key that the App no longer has: it expires by itself.
            let Some(secret) = sealer.open(&left.id, &left.sealed) else {
                continue;
            };
            self.hide(&secret, left.expires);
            match self.revoke_secret(&secret).await {
                Ok(()) => {
                    book.gone(&left.id).await?;
                    dead += 1;
                }
                Err(error) => {
                    tracing::warn!(%error, "a token that was left could not be revoked yet")
                }
            }
        }
        Ok(dead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_only_under_its_key_and_name() {
        let sealer = Sealer::new(&"a private key".into()).unwrap();
        let token = SecretString::from("ghs_1_canary");
        let sealed = sealer.seal("a", &token).unwrap();
        assert_ne!(
            sealed,
            sealer.seal("a", &token).unwrap(),
            "a fresh nonce each time"
        );
        assert_eq!(
            sealer.open("a", &sealed).unwrap().expose_secret(),
            "ghs_1_canary"
        );
        assert!(sealer.open("b", &sealed).is_none());
        let other = Sealer::new(&"another private key".into()).unwrap();
        assert!(other.open("a", &sealed).is_none());
        for broken in ["", "AA", &sealed[1..], "not base64!"] {
            assert!(sealer.open("a", broken).is_none());
        }
    }
}
