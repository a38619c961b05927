//! Logging in at this GitHub through the App: a page on which one chooses who one is, a code that
//! works once, a token for it.

use super::answer::Answer;
use super::keys;
use super::pages::person_links;
use super::server::{Host, text};
use super::start::Simulator;
use super::state::{Token, World};
use axum::Router;
use axum::body::Body;
use axum::extract::{Form, Query, State};
use axum::http::{Response, StatusCode};
use axum::response::{IntoResponse, Redirect};
use axum::routing::{get, post};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Arc;

/// Seconds that a code lives.
const CODE_S: i64 = 600;

/// What this GitHub knows of logins.
#[derive(Debug, Default)]
pub(super) struct Logins {
    pub client_secret: String,
    /// Where people may be sent back to, and beneath.
    pub callback: Option<String>,
    codes: HashMap<String, Code>,
}

#[derive(Debug)]
struct Code {
    login: String,
    back: String,
    challenge: String,
    made_at: i64,
}

#[derive(Deserialize, Clone)]
struct Asked {
    #[serde(default)]
    client_id: String,
    #[serde(default)]
    redirect_uri: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    code_challenge: String,
    #[serde(default)]
    code_challenge_method: String,
    /// Of the approval: who it is.
    #[serde(default)]
    login: String,
}

#[derive(Deserialize)]
struct Exchange {
    client_id: String,
    client_secret: String,
    code: String,
    #[serde(default)]
    redirect_uri: String,
    #[serde(default)]
    code_verifier: String,
}

impl Logins {
    pub fn new() -> Logins {
        Logins {
            client_secret: uuid::Uuid::new_v4().simple().to_string(),
            ..Logins::default()
        }
    }
}

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/login/oauth/authorize", get(authorize))
        .route("/login/oauth/approve", get(approve))
        .route("/login/oauth/access_token", post(exchange))
}

/// Why a request to log in is not one.
fn wrong(world: &World, asked: &Asked) -> Option<&'static str> {
    let callback = world.logins.callback.as_deref();
    if asked.client_id != world.app.client_id {
        return Some("there is no App of this client id");
    }
    if callback.is_none_or(|c| !asked.redirect_uri.starts_with(c)) {
        return Some("the redirect_uri is not associated with this application");
    }
    if !asked.code_challenge.is_empty() && asked.code_challenge_method != "S256" {
        return Some("the code_challenge_method is S256");
    }
    None
}

async fn authorize(State(host): State<Arc<Host>>, Query(asked): Query<Asked>) -> Response<Body> {
    let world = host.world();
    if let Some(why) = wrong(&world, &asked) {
        return text(StatusCode::BAD_REQUEST, why);
    }
    let pairs = [
        ("client_id", &asked.client_id),
        ("redirect_uri", &asked.redirect_uri),
        ("state", &asked.state),
        ("code_challenge", &asked.code_challenge),
        ("code_challenge_method", &asked.code_challenge_method),
    ];
    let query: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{name}={}", escaped(value)))
        .collect();
    person_links(&world, &format!("/login/oauth/approve?{}", query.join("&")))
}

async fn approve(State(host): State<Arc<Host>>, Query(asked): Query<Asked>) -> Response<Body> {
    let mut world = host.world();
    if let Some(why) = wrong(&world, &asked) {
        return text(StatusCode::BAD_REQUEST, why);
    }
    if world.account(&asked.login).is_none() {
        return text(StatusCode::BAD_REQUEST, "there is nobody of this name");
    }
    let code = uuid::Uuid::new_v4().simple().to_string();
    let kept = Code {
        login: asked.login,
        back: asked.redirect_uri.clone(),
        challenge: asked.code_challenge,
        made_at: world.now(),
    };
    world.logins.codes.insert(code.clone(), kept);
    let state = escaped(&asked.state);
    Redirect::to(&format!("{}?code={code}&state={state}", asked.redirect_uri)).into_response()
}

/// As GitHub does, an error is a 200 that says so.
async fn exchange(State(host): State<Arc<Host>>, Form(asked): Form<Exchange>) -> Response<Body> {
    let mut world = host.world();
    let now = world.now();
    let refused = |error: &str| super::answer::respond(Ok(Answer::ok(json!({ "error": error }))));
    if asked.client_id != world.app.client_id || asked.client_secret != world.logins.client_secret {
        return refused("incorrect_client_credentials");
    }
    // Used up by every try.
    let Some(code) = world.logins.codes.remove(&asked.code) else {
        return refused("bad_verification_code");
    };
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(asked.code_verifier.as_bytes()));
    let proven = code.challenge.is_empty() || code.challenge == challenge;
    if !proven || now - code.made_at > CODE_S {
        return refused("bad_verification_code");
    }
    if asked.redirect_uri != code.back {
        return refused("redirect_uri_mismatch");
    }
    let token = keys::personal_token().replacen("ghp_", "ghu_", 1);
    let person = Token::Person(code.login);
    world.tokens.insert(token.clone(), person);
    let answer =
        json!({ "access_token": token, "token_type": "bearer", "scope": "", "expires_in": 28800 });
    super::answer::respond(Ok(Answer::ok(answer)))
}

fn escaped(text: &str) -> String {
    use std::fmt::Write;
    text.bytes().fold(String::new(), |mut out, b| {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(b as char),
            b => drop(write!(out, "%{b:02X}")),
        }
        out
    })
}

impl Simulator {
    /// The App's client id and secret.
    pub fn client(&self) -> (String, String) {
        let world = self.host.world();
        (
            world.app.client_id.clone(),
            world.logins.client_secret.clone(),
        )
    }

    /// Where the App may send people back to after a login.
    pub fn set_callback_url(&self, url: &str) {
        self.host.world().logins.callback = Some(url.to_string());
    }

    /// The tokens that people have, as a revocation by them would leave none.
    pub fn revoke_people(&self) {
        let tokens = &mut self.host.world().tokens;
        tokens.retain(|_, token| !matches!(token, Token::Person(_)));
    }
}
