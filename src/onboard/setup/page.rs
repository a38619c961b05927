//! The pages of the set-up: plain forms, nothing from outside, no script.

use super::choice::{POLL_S, Provider};
use super::register::Registration;
use crate::onboard::report::{Report, State};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");
const STEPS: [&str; 4] = ["App", "Installation", "Model", "Report"];

/// Everything that a page says beside its form.
pub(super) struct Frame<'a> {
    /// Of [`STEPS`], from 0.
    pub step: usize,
    pub error: Option<&'a str>,
    pub csrf: &'a str,
}

fn page(frame: &Frame<'_>, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Set up mend: " (STEPS[frame.step.min(3)]) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    strong { "mend" }
                    ol {
                        @for (n, step) in STEPS.iter().enumerate() {
                            li aria-current=[(n == frame.step).then_some("step")] { (step) }
                        }
                    }
                }
                main {
                    @if let Some(error) = frame.error {
                        p.error role="alert" { (error) }
                    }
                    (content)
                }
            }
        }
    }
}

/// A page with words alone.
pub(super) fn words(title: &str, text: &str) -> Markup {
    let frame = Frame {
        step: 3,
        error: None,
        csrf: "",
    };
    page(&frame, &html! { h1 { (title) } p { (text) } })
}

/// What the first form is filled with.
pub(super) struct AppForm<'a> {
    pub name: &'a str,
    pub org: &'a str,
    pub github_url: &'a str,
    pub public_url: &'a str,
    pub listen: &'a str,
    pub file: &'a str,
    /// Whether settings stand in the way.
    pub taken: bool,
}

pub(super) fn app(frame: &Frame<'_>, form: &AppForm<'_>) -> Markup {
    let field = |name: &str, label: &str, value: &str, hint: Markup| {
        html! {
            label for=(name) { (label) }
            input id=(name) name=(name) value=(value) autocomplete="off" spellcheck="false";
            small { (hint) }
        }
    };
    let content = html! {
        h1 { "Make the GitHub App" }
        p {
            "mend works as a GitHub App of your own. GitHub shows what it asks for before anything is \
             made, and hands its key to this page, which writes it to this machine."
        }
        form method="post" action="/app" {
            input type="hidden" name="csrf" value=(frame.csrf);
            (field("name", "Name", form.name, html! { "Shown beside its comments; free on GitHub, at most 34 characters." }))
            (field("org", "Organisation", form.org, html! { "Who owns it; empty for your own account." }))
            (field("github_url", "GitHub", form.github_url, html! { "Another address for a GitHub Enterprise Server." }))
            fieldset {
                legend { "How GitHub's webhooks get here" }
                label.choice {
                    input type="radio" name="deliveries" value="public" checked[!form.public_url.is_empty()];
                    "Through a public address, of a proxy or a tunnel"
                }
                input name="public_url" value=(form.public_url) placeholder="https://mend.example.com"
                    aria-label="Public address" autocomplete="off";
                small {
                    "It must be passed on to " code { (form.listen) } ". Without one, a tunnel gives it: for example "
                    code { "cloudflared tunnel --url http://" (form.listen) } "."
                }
                label.choice {
                    input type="radio" name="deliveries" value="poll" checked[form.public_url.is_empty()];
                    "Not at all: mend asks GitHub every " (POLL_S) " seconds"
                }
            }
            @if form.taken {
                label.choice {
                    input type="checkbox" name="replace" value="yes";
                    "Replace " code { (form.file) } "; the old file is kept beside it"
                }
            }
            button { "Go on" }
        }
    };
    page(frame, &content)
}

/// The form for GitHub; what it asks for stands above it.
pub(super) fn hand_over(frame: &Frame<'_>, registration: &Registration) -> Markup {
    let content = html! {
        h1 { "Now on GitHub" }
        p {
            "The next page is GitHub's. Look at what is asked for, change the name if it is taken, and \
             create the App; GitHub then leads back here."
        }
        (registration.form())
        p { a href="/" { "Back" } }
    };
    page(frame, &content)
}

pub(super) fn install(frame: &Frame<'_>, page_of_app: &str, installed: &[String]) -> Markup {
    let content = html! {
        h1 { "Install it on repositories" }
        @if installed.is_empty() {
            p { "The App is made, and its key is kept. It can do nothing until it is installed." }
        } @else {
            p { "It is installed on " (installed.join(", ")) "." }
        }
        @if page_of_app.is_empty() {
            p { "Open the App's page on GitHub, then Install App." }
        } @else {
            p { a.button href=(format!("{page_of_app}/installations/new")) target="_blank" rel="noreferrer" { "Install on GitHub" } }
        }
        p { a href="/install" { "Look again" } }
        p { a.button href="/model" { "Go on" } }
    };
    page(frame, &content)
}

/// What the model's form is filled with.
pub(super) struct ModelForm<'a> {
    pub provider: Provider,
    pub model: &'a str,
    pub base_url: &'a str,
}

pub(super) fn model(frame: &Frame<'_>, form: &ModelForm<'_>) -> Markup {
    let content = html! {
        h1 { "Choose the model" }
        form method="post" action="/model" {
            input type="hidden" name="csrf" value=(frame.csrf);
            fieldset {
                legend { "Who serves it" }
                @for provider in Provider::ALL {
                    label.choice {
                        input type="radio" name="provider" value=(provider.word()) checked[provider == form.provider];
                        (provider.label())
                    }
                }
            }
            label for="model" { "Model" }
            input id="model" name="model" value=(form.model) autocomplete="off" spellcheck="false";
            small { "Its name as the endpoint knows it." }
            label for="base_url" { "Address" }
            input id="base_url" name="base_url" value=(form.base_url) autocomplete="off"
                placeholder="http://127.0.0.1:11434";
            small { "Only for another endpoint or a local server." }
            label for="key" { "Key" }
            input id="key" name="key" type="password" autocomplete="off";
            small { "Written to the settings on this machine, mode 0600. It is tried by one small request." }
            button { "Try it" }
        }
    };
    page(frame, &content)
}

pub(super) fn report(frame: &Frame<'_>, report: &Report, command: &str) -> Markup {
    let class = |state: State| match state {
        State::Ok => "ok",
        State::Warning => "warning",
        State::Failed => "failed",
    };
    let content = html! {
        h1 { (report.sum()) }
        table {
            @for f in &report.findings {
                tr {
                    td class=(class(f.state)) { (f.state.word()) }
                    th scope="row" { (f.name) }
                    td {
                        (f.what)
                        @if !f.remedy.is_empty() { br; em { "→ " (f.remedy) } }
                    }
                }
            }
        }
        form.row method="post" action="/report" {
            input type="hidden" name="csrf" value=(frame.csrf);
            button { "Look again" }
        }
        p { "Then start it:" }
        pre { (command) }
        form method="post" action="/finish" {
            input type="hidden" name="csrf" value=(frame.csrf);
            button { "Finish" }
        }
    };
    page(frame, &content)
}
