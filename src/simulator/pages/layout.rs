//! The frame of every page, and the pieces that several pages have.

use super::super::state::{AccountKind, Issue, Label, Reaction, Repo, World};
use super::super::time::rfc3339;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Which tab of a repository is current.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Issues,
    Pulls,
}

pub(super) fn page(title: &str, repo: Option<(&Repo, Tab)>, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                a.skip href="#content" { "Skip to content" }
                header.site {
                    span.note { "a simulated GitHub on this machine" }
                    div.path {
                        a href="/" { "Repositories" }
                        @if let Some((repo, _)) = repo {
                            " / " a href=(format!("/{}", repo.owner)) { (repo.owner) }
                            " / " a href=(url(repo)) { strong { (repo.name) } }
                        }
                    }
                    @if let Some((repo, tab)) = repo { (tabs(repo, tab)) }
                }
                main id="content" { (content) }
            }
        }
    }
}

fn tabs(repo: &Repo, tab: Tab) -> Markup {
    let open = |pulls: bool| {
        let issues = repo.issues.values();
        issues
            .filter(|i| i.open && i.pull.is_some() == pulls)
            .count()
    };
    html! {
        nav.tabs aria-label="Repository" {
            a href={ (url(repo)) "/issues" } aria-current=[(tab == Tab::Issues).then_some("page")] {
                "Issues " span.dim { (open(false)) }
            }
            a href={ (url(repo)) "/pulls" } aria-current=[(tab == Tab::Pulls).then_some("page")] {
                "Pull requests " span.dim { (open(true)) }
            }
        }
    }
}

/// The repository's pages begin here.
pub(super) fn url(repo: &Repo) -> String {
    format!("/{}", repo.full_name())
}

pub(super) fn when(unix: i64) -> Markup {
    let exact = rfc3339(unix);
    let shown = exact.replace('T', " ").replace('Z', " UTC");
    html! { time datetime=(exact) { (shown) } }
}

pub(super) fn who(world: &World, login: &str) -> Markup {
    let bot = world.is_bot(login);
    html! {
        b { (login.trim_end_matches("[bot]")) }
        @if bot { span.badge { "bot" } }
    }
}

pub(super) fn label(of: &Label) -> Markup {
    let color = of.color.chars().all(|c| c.is_ascii_hexdigit());
    let style = color.then(|| format!("background:#{}", of.color));
    html! {
        span.label { @if let Some(style) = style { i style=(style) aria-hidden="true" {} } (of.name) }
    }
}

pub(super) fn labels(repo: &Repo, issue: &Issue) -> Markup {
    html! {
        @for name in &issue.labels {
            @if let Some(found) = repo.labels.iter().find(|l| l.name == *name) { (label(found)) " " }
        }
    }
}

/// State of an issue or pull request: class and word.
pub(super) fn state(issue: &Issue) -> (&'static str, &'static str) {
    match &issue.pull {
        Some(pull) if pull.merged.is_some() => ("merged", "Merged"),
        _ if !issue.open => ("closed", "Closed"),
        Some(pull) if pull.draft => ("draft", "Draft"),
        _ => ("open", "Open"),
    }
}

pub(super) fn reactions(all: &[Reaction]) -> Markup {
    let signs = [
        ("+1", "👍"),
        ("-1", "👎"),
        ("laugh", "😄"),
        ("hooray", "🎉"),
        ("confused", "😕"),
        ("heart", "❤️"),
        ("rocket", "🚀"),
        ("eyes", "👀"),
    ];
    html! {
        @if !all.is_empty() {
            div.reactions {
                @for (content, sign) in signs {
                    @let by: Vec<&str> = all.iter().filter(|r| r.content == content)
                        .map(|r| r.author.as_str()).collect();
                    @if !by.is_empty() {
                        span title=(by.join(", ")) aria-label={ (content) " by " (by.join(", ")) } {
                            (sign) " " (by.len())
                        }
                    }
                }
            }
        }
    }
}

/// The people as whom a form may be sent; first those who may do most.
pub(super) fn people(world: &World, id: &str) -> Markup {
    let all = world.accounts.values();
    let mut people: Vec<_> = all.filter(|a| a.kind == AccountKind::User).collect();
    people.sort_by_key(|a| std::cmp::Reverse(a.permission));
    html! {
        label for=(id) { "as" }
        select name="as" id=(id) {
            @for person in people { option value=(person.login) { (person.login) } }
        }
    }
}
