//! Pages about runs: server-rendered, live by server-sent events, served whole from this binary.
//!
//! * [`Site`] is what pages share; [`router`] is all of them for one way in: the operator's, on
//!   loopback, or people's, who log in at GitHub.
//! * Everything that is shown passes maud's escaping; no other markup is ever made from text. The
//!   policy in [`headers`] allows neither inline scripts nor inline styles.
//! * Whoever may not read a repository gets the same answer as for a run that does not exist.
//! * Pages work without scripts; `assets/live.js` adds what is new and fetches long texts.

mod access;
mod act;
mod ansi;
mod api;
mod assets;
mod chart;
mod cookie;
mod error;
mod headers;
mod icon;
mod layout;
mod login;
mod operator;
mod overview;
mod repository;
mod routes;
mod run;
mod search;
mod site;
mod table;
mod words;

pub use operator::invite;
pub use routes::router;
pub use site::{Entrance, Login, Site, SiteSettings};
