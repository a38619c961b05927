//! The App's key pair, the check of its JWTs, and the secrets that this GitHub hands out.

use super::answer::Refusal;
use super::state::App;
use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rand;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::KeyPair as _;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use serde_json::Value;

/// The longest that a JWT may be valid, in seconds.
const JWT_LIFE: i64 = 600;

pub(super) struct Keys {
    /// PKCS#8, as PEM.
    pub private_pem: String,
    /// PKCS#1 `RSAPublicKey`, as DER.
    pub public_der: Vec<u8>,
}

/// A fresh RSA key of 2,048 bits; `None` when the library's generator fails.
pub(super) fn generate() -> Option<Keys> {
    let pair = KeyPair::generate(KeySize::Rsa2048).ok()?;
    let der: Pkcs8V1Der<'_> = pair.as_der().ok()?;
    let encoded = STANDARD.encode(der.as_ref());
    let mut pem = String::from("-----BEGIN PRIVATE KEY-----\n");
    for line in encoded.as_bytes().chunks(64) {
        pem.push_str(&String::from_utf8_lossy(line));
        pem.push('\n');
    }
    pem.push_str("-----END PRIVATE KEY-----\n");
    Some(Keys {
        private_pem: pem,
        public_der: pair.public_key().as_ref().to_vec(),
    })
}

#[derive(Deserialize)]
struct Claims {
    iss: Value,
    iat: Value,
    exp: Value,
}

/// Whether `jwt` is one that the App may use at `now`. The messages are GitHub's.
pub(super) fn check_jwt(jwt: &str, public_der: &[u8], app: &App, now: i64) -> Result<(), Refusal> {
    let mut rules = Validation::new(Algorithm::RS256);
    // Times are judged below, by this GitHub's own clock.
    rules.validate_exp = false;
    rules.validate_nbf = false;
    rules.validate_aud = false;
    rules.required_spec_claims.clear();
    let key = DecodingKey::from_rsa_der(public_der);
    let claims = jsonwebtoken::decode::<Claims>(jwt, &key, &rules)
        .map_err(|_| Refusal::unauthorized("A JSON web token could not be decoded"))?
        .claims;
    let issuer = match &claims.iss {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if issuer != app.id.to_string() && issuer != app.client_id {
        return Err(Refusal::new(404, "Integration not found"));
    }
    match claims.exp.as_i64() {
        Some(exp) if exp > now + JWT_LIFE => Err(Refusal::unauthorized(
            "'Expiration time' claim ('exp') is too far in the future",
        )),
        Some(exp) if exp > now => Ok(()),
        _ => Err(Refusal::unauthorized(
            "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
        )),
    }?;
    match claims.iat.as_i64() {
        Some(iat) if iat <= now => Ok(()),
        _ => Err(Refusal::unauthorized(
            "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
        )),
    }
}

/// An installation token in the long form that GitHub gives out since 2026: opaque to clients,
/// with dots and underscores, about 520 characters.
pub(super) fn installation_token(app: u64, installation: u64, expires_at: i64) -> String {
    let header = URL_SAFE_NO_PAD.encode(br#"{"alg":"RS256","typ":"JWT"}"#);
    let payload = URL_SAFE_NO_PAD.encode(format!(
        r#"{{"aud":"github","iss":"github","sub":"installation/{installation}","exp":{expires_at},"jti":"{}"}}"#,
        uuid::Uuid::new_v4()
    ));
    let signature = URL_SAFE_NO_PAD.encode(random::<256>());
    format!("ghs_{app}_{header}.{payload}.{signature}")
}

/// A personal token in GitHub's classic form.
pub(super) fn personal_token() -> String {
    format!("ghp_{}", hex::encode(random::<18>()))
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if rand::fill(&mut bytes).is_err() {
        // The system's generator is gone; a UUID still makes this value differ from any other.
        for (into, from) in bytes.iter_mut().zip(uuid::Uuid::new_v4().as_bytes()) {
            *into = *from;
        }
    }
    bytes
}
