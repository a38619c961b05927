//! Comment text → what is asked. Pure.
//!
//! A command stands at the beginning of a line: `/mend VERB …` or `@app-slug VERB …`. Quoted text,
//! code in every form, HTML comments and raw HTML blocks hold none, and characters that nobody
//! sees are dropped first.

mod live;
mod parse;

pub use parse::{Misunderstood, parse, same, setting};
