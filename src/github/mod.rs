//! GitHub's REST API for a GitHub App: octocrab for requests, wire structs of our own for answers.
//!
//! * [`Github`] is the App: its key, its identity, its installations, its deliveries.
//! * [`Session`] is one repository: it mints tokens narrowed to that repository and to a purpose,
//!   picks the least one for every call, and revokes what it minted.
//! * [`signature`] and [`Event`] are the receiving side.
//!
//! Reads are tried again; what writes is sent once, and the caller looks before it sends again.
//! octocrab runs without its own retries, redirects and pagination: the first repeat a POST, the
//! second would carry requests to other hosts, the third loses the token on GitHub Enterprise.

mod app;
mod book;
mod checks;
mod client;
mod deliveries;
mod error;
mod event;
mod figures;
mod http;
mod installs;
mod issues;
mod judge;
mod jwt;
mod oauth;
mod objects;
mod pauses;
mod pulls;
mod register;
mod repos;
mod reviews;
mod service;
mod session;
pub mod signature;
mod time;
mod wire;

pub use app::{BotIdentity, Github, GithubSettings};
pub use book::{BookError, SealedToken, TokenBook};
pub use checks::{
    Annotation, AnnotationLevel, CheckOutput, Conclusion, MOST_ANNOTATIONS, NewCheckRun,
};
pub use deliveries::HookConfig;
pub use error::{Detail, GithubError};
pub use event::{
    CheckRunEvent, Comment, CommentEvent, Event, EventError, Issue, IssueEvent, Origin,
    PullRequestEvent, ReviewCommentEvent, ReviewEvent, Withdrawn,
};
pub use figures::GithubFigures;
pub use installs::Installation;
pub use issues::{LabelMoves, Reaction, Thread};
pub use oauth::{OAuth, UserToken};
pub use objects::{Entry, GitCommitInfo, Stands};
pub use pauses::{Pause, Pauses};
pub use pulls::{NewPull, PullState, PullUpdate};
pub use register::{RegisteredApp, register_app};
pub use repos::Role;
pub use session::{Purpose, Session, Token, needed_permissions};
pub use wire::{
    AppInfo, CheckRunInfo, CommentInfo, Delivery, IssueInfo, LabelInfo, LabeledEvent, PullInfo,
    PullSide, RepoInfo, ReviewCommentInfo, ReviewInfo, UserInfo,
};
