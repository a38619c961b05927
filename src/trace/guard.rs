//! Guards: regular expressions over spans that flag a known weakness (rule L5).

use super::Span;
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

/// The guards that come with mend.
const SHIPPED: &str = include_str!("guards.toml");
/// Bound on a compiled expression, in bytes.
const COMPILED: usize = 1 << 20;

/// Which text of a span an expression reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum On {
    Input,
    #[default]
    Output,
}

/// A guard as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    /// The name of the spans that it reads.
    span: String,
    #[serde(default)]
    on: On,
    pattern: String,
    flags: String,
    why: String,
}

/// A guard, ready to read spans.
#[derive(Debug, Clone)]
pub struct Guard {
    written: Written,
    pattern: Regex,
}

/// A guard that fired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fired {
    pub guard: String,
    pub span: u32,
}

/// Guards that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    #[error("the guards cannot be read: {0}")]
    Syntax(#[from] toml::de::Error),
    #[error("the expression of guard {name:?} cannot be used: {source}")]
    Pattern { name: String, source: regex::Error },
    #[error("two guards are named {0:?}")]
    Twice(String),
}

impl Guard {
    /// Reads guards, `[[guard]]` tables with `name`, `span`, `on`, `pattern`, `flags` and `why`.
    ///
    /// # Errors
    /// [`GuardError`] names what is wrong.
    pub fn read(text: &str) -> Result<Vec<Guard>, GuardError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(default)]
            guard: Vec<Written>,
        }
        let mut guards: Vec<Guard> = Vec::new();
        for written in toml::from_str::<File>(text)?.guard {
            if guards.iter().any(|g| g.written.name == written.name) {
                return Err(GuardError::Twice(written.name));
            }
            guards.push(Guard::compile(written)?);
        }
        Ok(guards)
    }

    fn compile(written: Written) -> Result<Guard, GuardError> {
        match RegexBuilder::new(&written.pattern)
            .size_limit(COMPILED)
            .build()
        {
            Ok(pattern) => Ok(Guard { written, pattern }),
            Err(source) => Err(GuardError::Pattern {
                name: written.name,
                source,
            }),
        }
    }

    pub fn name(&self) -> &str {
        &self.written.name
    }

    /// The name of the spans that it reads.
    pub fn span(&self) -> &str {
        &self.written.span
    }

    pub fn on(&self) -> On {
        self.written.on
    }

    pub fn pattern(&self) -> &str {
        &self.written.pattern
    }

    /// What it flags, in words.
    pub fn flags(&self) -> &str {
        &self.written.flags
    }

    pub fn why(&self) -> &str {
        &self.written.why
    }

    /// The spans of a trace on which it fires.
    pub fn check(&self, trace: &[Span]) -> Vec<Fired> {
        trace
            .iter()
            .filter(|span| span.name == self.written.span)
            .filter(|span| {
                self.pattern.is_match(match self.written.on {
                    On::Input => &span.input,
                    On::Output => &span.output,
                })
            })
            .map(|span| Fired {
                guard: self.written.name.clone(),
                span: span.id,
            })
            .collect()
    }
}

/// The guards that come with mend: those of the seed documents, in the words of mend's own spans.
///
/// # Errors
/// Never in a build whose tests passed.
pub fn shipped() -> Result<Vec<Guard>, GuardError> {
    Guard::read(SHIPPED)
}
