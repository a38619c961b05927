//! The set-up in a browser: served on loopback to whoever has the one-time token, until it is done.

use super::choice::{Deliveries, ModelChoice, POLL_S, Provider};
use super::guard::guard;
use super::keep::{KnownApp, Settled, Stands};
use super::page::{self, AppForm, Frame, ModelForm};
use super::register::{Registration, is_code};
use super::{SetupError, exchange, prove};
use crate::domain::Cancel;
use crate::onboard::report::{Report, State};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Form, Query, State as Of};
use axum::http::StatusCode;
use axum::middleware;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use futures::future::BoxFuture;
use maud::Markup;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpListener;

/// Examines the settings that were written.
pub type Examine = Arc<dyn Fn(PathBuf) -> BoxFuture<'static, Report> + Send + Sync>;
/// Tells on which accounts an App is installed, by the settings that were written.
pub type Installed = Arc<dyn Fn(PathBuf) -> BoxFuture<'static, Vec<String>> + Send + Sync>;

/// What the set-up begins with, and what it asks others to do.
pub struct Wizard {
    pub settled: Settled,
    pub name: String,
    pub org: String,
    /// Filled into the form.
    pub public_url: String,
    pub examine: Examine,
    pub installed: Installed,
    /// How the server is started afterwards.
    pub command: String,
}

/// A set-up that is served.
pub struct Wizarded {
    /// With the token in it: for the operator alone.
    pub url: String,
    shared: Arc<Shared>,
    done: Cancel,
    task: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Wizarded {
    /// Waits until it is finished; the last report, when there was one.
    pub async fn finished(self, stop: &Cancel) -> Option<Report> {
        tokio::select! {
            () = stop.cancelled() => self.done.cancel(),
            () = self.done.cancelled() => {}
        }
        let _ = self.task.await;
        self.shared.now().report.clone()
    }
}

pub(super) struct Shared {
    wizard: Wizard,
    pub(super) host: String,
    pub(super) cookie: String,
    csrf: String,
    now: Mutex<Now>,
    done: Cancel,
}

/// Where the set-up is.
#[derive(Default)]
pub(super) struct Now {
    /// Taken by the first who shows it.
    pub(super) token: Option<String>,
    settled: Option<Settled>,
    begun: Option<Registration>,
    app: Option<KnownApp>,
    report: Option<Report>,
    /// Shown once, on the next page.
    error: Option<String>,
}

impl Shared {
    pub(super) fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn settled(&self) -> Settled {
        let now = self.now();
        now.settled.clone().unwrap_or(self.wizard.settled.clone())
    }

    fn tell(&self, error: impl ToString) {
        self.now().error = Some(error.to_string());
    }

    fn show(&self, step: usize, make: impl FnOnce(&Frame<'_>) -> Markup) -> Response {
        let error = self.now().error.take();
        let frame = Frame {
            step,
            error: error.as_deref(),
            csrf: &self.csrf,
        };
        Html(make(&frame).into_string()).into_response()
    }

    fn has_app(&self) -> bool {
        self.now().app.is_some()
    }
}

impl Wizard {
    /// Serves on this port of loopback; 0 takes a free one.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn serve(self, port: u16) -> Result<Wizarded, SetupError> {
        let listener = TcpListener::bind(("127.0.0.1", port))
            .await
            .map_err(SetupError::Listen)?;
        let at = listener.local_addr().map_err(SetupError::Listen)?;
        let secret = || uuid::Uuid::new_v4().simple().to_string();
        let (token, done) = (secret(), Cancel::new());
        let app = match self.settled.stands() {
            Stands::App(known) => Some(known),
            Stands::Nothing | Stands::Whole => None,
        };
        let shared = Arc::new(Shared {
            wizard: self,
            host: at.to_string(),
            cookie: secret(),
            csrf: secret(),
            now: Mutex::new(Now {
                token: Some(token.clone()),
                app,
                ..Now::default()
            }),
            done: done.clone(),
        });
        let router = routes(&shared);
        let ended = done.clone();
        let task = tokio::spawn(async move {
            let stop = async move { ended.cancelled().await };
            axum::serve(listener, router)
                .with_graceful_shutdown(stop)
                .await
        });
        Ok(Wizarded {
            url: format!("http://{at}/?token={token}"),
            shared,
            done,
            task,
        })
    }
}

fn routes(shared: &Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(first))
        .route("/app", post(ask))
        .route("/created", get(created))
        .route("/install", get(install))
        .route("/model", get(model).post(choose))
        .route("/report", get(report).post(again))
        .route("/finish", post(finish))
        .layer(DefaultBodyLimit::max(64 * 1024))
        .layer(middleware::from_fn_with_state(shared.clone(), guard))
        .with_state(shared.clone())
}

async fn first(Of(shared): Of<Arc<Shared>>) -> Response {
    if shared.has_app() {
        return Redirect::to("/install").into_response();
    }
    let (wizard, settled) = (&shared.wizard, shared.settled());
    let (listen, file) = (
        settled.listen.to_string(),
        settled.file.display().to_string(),
    );
    shared.show(0, |frame| {
        page::app(
            frame,
            &AppForm {
                name: &wizard.name,
                org: &wizard.org,
                github_url: &settled.github_url,
                public_url: &wizard.public_url,
                listen: &listen,
                file: &file,
                taken: settled.stands() == Stands::Whole && !settled.replace,
            },
        )
    })
}

#[derive(Deserialize)]
struct Asked {
    csrf: String,
    name: String,
    #[serde(default)]
    org: String,
    github_url: String,
    deliveries: String,
    #[serde(default)]
    public_url: String,
    replace: Option<String>,
}

async fn ask(Of(shared): Of<Arc<Shared>>, Form(asked): Form<Asked>) -> Response {
    if asked.csrf != shared.csrf {
        return StatusCode::FORBIDDEN.into_response();
    }
    match begin(&shared, &asked) {
        Ok(begun) => {
            shared.now().begun = Some(begun.clone());
            shared.show(0, |frame| page::hand_over(frame, &begun))
        }
        Err(error) => {
            shared.tell(error);
            Redirect::to("/").into_response()
        }
    }
}

fn begin(shared: &Shared, asked: &Asked) -> Result<Registration, SetupError> {
    let mut settled = shared.settled();
    settled.github_url = super::choice::base_of(&asked.github_url, "GitHub's address")?;
    settled.replace |= asked.replace.is_some();
    if settled.stands() == Stands::Whole && !settled.replace {
        return Err(SetupError::Choice(format!(
            "{} is there already: tick the box to replace it",
            settled.file.display()
        )));
    }
    let deliveries = match asked.deliveries.as_str() {
        "public" => Deliveries::public(&asked.public_url)?,
        _ => Deliveries::Poll(POLL_S),
    };
    let back = format!("http://{}/created", shared.host);
    let begun = Registration::begin(
        &settled.github_url,
        &asked.org,
        &asked.name,
        deliveries,
        &back,
    )?;
    shared.now().settled = Some(settled);
    Ok(begun)
}

#[derive(Deserialize)]
struct Back {
    #[serde(default)]
    code: String,
    #[serde(default)]
    state: String,
}

/// GitHub leads here with the code.
async fn created(Of(shared): Of<Arc<Shared>>, Query(back): Query<Back>) -> Response {
    // Whatever comes of it, a state holds once.
    let begun = shared.now().begun.take();
    let done = match begun {
        Some(begun) if begun.state == back.state && is_code(&back.code) => {
            finish_app(&shared, &begun, &back.code).await
        }
        _ => Err(SetupError::Choice(
            "GitHub's answer belongs to no form of this page: begin again here".into(),
        )),
    };
    match done {
        Ok(()) => Redirect::to("/install").into_response(),
        Err(error) => {
            shared.tell(error);
            Redirect::to("/").into_response()
        }
    }
}

async fn finish_app(shared: &Shared, begun: &Registration, code: &str) -> Result<(), SetupError> {
    let settled = shared.settled();
    let app = exchange(&settled, code).await?;
    let known = settled.keep_app(&app, &begun.deliveries)?;
    shared.now().app = Some(known);
    Ok(())
}

async fn install(Of(shared): Of<Arc<Shared>>) -> Response {
    let Some(app) = shared.now().app.clone() else {
        return Redirect::to("/").into_response();
    };
    let installed = (shared.wizard.installed)(shared.settled().file).await;
    shared.show(1, |frame| page::install(frame, &app.page, &installed))
}

async fn model(Of(shared): Of<Arc<Shared>>) -> Response {
    if !shared.has_app() {
        return Redirect::to("/").into_response();
    }
    let form = ModelForm {
        provider: Provider::Anthropic,
        model: "",
        base_url: "",
    };
    shared.show(2, |frame| page::model(frame, &form))
}

#[derive(Deserialize)]
struct Chosen {
    csrf: String,
    provider: String,
    model: String,
    #[serde(default)]
    base_url: String,
    #[serde(default)]
    key: String,
}

async fn choose(Of(shared): Of<Arc<Shared>>, Form(chosen): Form<Chosen>) -> Response {
    if chosen.csrf != shared.csrf || !shared.has_app() {
        return StatusCode::FORBIDDEN.into_response();
    }
    let Ok(provider) = chosen.provider.parse::<Provider>() else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let choice = ModelChoice::new(provider, &chosen.model, &chosen.base_url, &chosen.key);
    let kept = match choice {
        Err(error) => Err(error.to_string()),
        Ok(choice) => match prove(&choice).await {
            Err(finding) => Err(format!("{}; {}", finding.what, finding.remedy)),
            Ok(_) => shared
                .settled()
                .keep_model(&choice)
                .map_err(|e| e.to_string()),
        },
    };
    match kept {
        Ok(()) => {
            look(&shared).await;
            Redirect::to("/report").into_response()
        }
        Err(why) => {
            shared.tell(why);
            let form = ModelForm {
                provider,
                model: &chosen.model,
                base_url: &chosen.base_url,
            };
            shared.show(2, |frame| page::model(frame, &form))
        }
    }
}

async fn look(shared: &Shared) {
    let report = (shared.wizard.examine)(shared.settled().file).await;
    shared.now().report = Some(report);
}

async fn report(Of(shared): Of<Arc<Shared>>) -> Response {
    let Some(report) = shared.now().report.clone() else {
        return Redirect::to("/").into_response();
    };
    shared.show(3, |frame| {
        page::report(frame, &report, &shared.wizard.command)
    })
}

#[derive(Deserialize)]
struct Signed {
    csrf: String,
}

async fn again(Of(shared): Of<Arc<Shared>>, Form(signed): Form<Signed>) -> Response {
    if signed.csrf != shared.csrf {
        return StatusCode::FORBIDDEN.into_response();
    }
    look(&shared).await;
    Redirect::to("/report").into_response()
}

async fn finish(Of(shared): Of<Arc<Shared>>, Form(signed): Form<Signed>) -> Response {
    if signed.csrf != shared.csrf {
        return StatusCode::FORBIDDEN.into_response();
    }
    let failed = shared
        .now()
        .report
        .as_ref()
        .is_some_and(|r| r.state() == State::Failed);
    shared.done.cancel();
    let words = match failed {
        true => {
            "The settings are written; what failed is still to be mended. `mend doctor` tells the same again."
        }
        false => "The settings are written. This page is closed now.",
    };
    Html(page::words("Finished", words).into_string()).into_response()
}
