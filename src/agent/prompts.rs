//! The texts that the model reads, from `prompts/`; embedded, with strict undefined values.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value};

const TEMPLATES: &[(&str, &str)] = &[
    ("worker.md", include_str!("../../prompts/worker.md")),
    ("first.md", include_str!("../../prompts/first.md")),
    (
        "contradiction.md",
        include_str!("../../prompts/contradiction.md"),
    ),
    ("limits.md", include_str!("../../prompts/limits.md")),
    ("text.md", include_str!("../../prompts/text.md")),
    ("reviewer.md", include_str!("../../prompts/reviewer.md")),
    ("review.md", include_str!("../../prompts/review.md")),
    ("points.md", include_str!("../../prompts/points.md")),
];

/// The templates of `prompts/`.
pub struct Prompts(Environment<'static>);

/// A template that does not parse or asks for a value that nobody gave.
#[derive(Debug, thiserror::Error)]
#[error("prompt `{name}` cannot be rendered: {source}")]
pub struct PromptError {
    name: String,
    source: minijinja::Error,
}

impl Prompts {
    /// The prompts that this binary was built with.
    pub fn embedded() -> Result<Self, PromptError> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax = SyntaxConfig::builder().trim_blocks(true).build();
        environment.set_syntax(syntax.map_err(|source| PromptError {
            name: "syntax".into(),
            source,
        })?);
        for (name, text) in TEMPLATES {
            environment
                .add_template(name, text)
                .map_err(|source| PromptError {
                    name: (*name).to_string(),
                    source,
                })?;
        }
        Ok(Prompts(environment))
    }

    pub(super) fn render(&self, name: &str, values: Value) -> Result<String, PromptError> {
        self.0
            .get_template(name)
            .and_then(|t| t.render(values))
            .map(|text| text.trim().to_string())
            .map_err(|source| PromptError {
                name: name.to_string(),
                source,
            })
    }
}
