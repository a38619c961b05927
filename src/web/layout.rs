//! The frame around every page.

use super::access::Viewer;
use super::assets::{DRAWING_PATH, SCRIPT_PATH, STYLE_PATH};
use super::icon::icon;
use maud::{DOCTYPE, Markup, html};

/// What a page is.
pub(super) struct Page<'a> {
    pub title: &'a str,
    /// What the search field holds.
    pub search: &'a str,
    /// Where its news come from, while there may be some.
    pub events: Option<String>,
    /// The server's time, in milliseconds since the Unix epoch.
    pub now: i64,
}

fn head(title: &str, live: bool) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="robots" content="noindex";
            title { (title) " · mend" }
            link rel="icon" type="image/svg+xml" href=(*DRAWING_PATH);
            link rel="stylesheet" href=(*STYLE_PATH);
            @if live { script src=(*SCRIPT_PATH) defer {} }
        }
    }
}

/// A page for somebody who is logged in.
pub(super) fn page(viewer: &Viewer, about: &Page<'_>, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(about.title, true))
            body data-events=[about.events.as_deref()] data-now=(about.now) {
                a.skip href="#main" { "Skip to the content" }
                header.bar {
                    div.wide {
                        a.mark href="/" { img src=(*DRAWING_PATH) alt="" width="22" height="22"; "mend" }
                        nav aria-label="Pages" {
                            a href="/" { "Runs" }
                            a href="/repos" { "Repositories" }
                        }
                        form.search role="search" action="/search" method="get" {
                            label.hidden for="q" { "Search runs by repository, issue or title" }
                            (icon("search"))
                            input #q type="search" name="q" value=(about.search) maxlength="200"
                                placeholder="owner/name, #12 or words" autocomplete="off";
                        }
                        (person(viewer))
                    }
                }
                main #main.wide tabindex="-1" { (content) }
                footer.wide {
                    p { "mend " (env!("CARGO_PKG_VERSION")) " · checks were run by mend; what a model said is marked as its words" }
                    p { a href="/api/openapi.json" { "API" } }
                }
                div #told.hidden role="status" aria-live="polite" {}
            }
        }
    }
}

fn person(viewer: &Viewer) -> Markup {
    html! {
        form.person action="/leave" method="post" {
            input type="hidden" name="csrf" value=(viewer.csrf());
            span.who { (icon("person")) (viewer.login().unwrap_or("operator")) }
            button.quiet type="submit" { "Log out" }
        }
    }
}

/// A page for anybody: no navigation, no script.
pub(super) fn plain(title: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, false))
            body {
                header.bar { div.wide {
                    span.mark { img src=(*DRAWING_PATH) alt="" width="22" height="22"; "mend" }
                } }
                main #main.wide.alone { (content) }
            }
        }
    }
}
