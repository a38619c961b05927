//! The texts that the model reads, from `prompts/`; embedded, with strict undefined values. An
//! operator may replace each.

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
pub enum PromptError {
    #[error("prompt `{name}`{} cannot be rendered: {source}", at(.source))]
    Template {
        name: String,
        source: minijinja::Error,
    },
    /// A file of the operator's that stands for no prompt.
    #[error("there is no prompt `{name}`; the prompts are {known}")]
    Unknown { name: String, known: String },
    /// A value that no rendering of this prompt has.
    #[error("prompt `{name}` asks for `{value}`, which it is never given; it is given {known}")]
    Undefined {
        name: String,
        value: String,
        known: String,
    },
}

fn at(error: &minijinja::Error) -> String {
    error
        .line()
        .map_or(String::new(), |n| format!(", line {n},"))
}

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    match quoted.is_empty() {
        true => "nothing".to_string(),
        false => quoted.join(", "),
    }
}

impl Prompts {
    /// The prompts that this binary was built with.
    ///
    /// # Errors
    /// When one of them does not parse.
    pub fn embedded() -> Result<Self, PromptError> {
        Prompts::replaced(&[])
    }

    /// The same, with some replaced: file name and text of each.
    ///
    /// # Errors
    /// When a text does not parse, stands for no prompt or asks for a value that the prompt of its
    /// name is not given; file and line are named.
    pub fn replaced(own: &[(String, String)]) -> Result<Self, PromptError> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let template = |name: &str, source| PromptError::Template {
            name: name.to_string(),
            source,
        };
        let syntax = SyntaxConfig::builder().trim_blocks(true).build();
        environment.set_syntax(syntax.map_err(|e| template("syntax", e))?);
        for (name, text) in TEMPLATES {
            environment
                .add_template(name, text)
                .map_err(|e| template(name, e))?;
        }
        for (name, text) in own {
            let Ok(given) = environment.get_template(name) else {
                return Err(PromptError::Unknown {
                    name: name.clone(),
                    known: names(TEMPLATES.iter().map(|(name, _)| *name)),
                });
            };
            let mut given: Vec<String> = given.undeclared_variables(false).into_iter().collect();
            given.sort();
            environment
                .add_template_owned(name.clone(), text.clone())
                .map_err(|e| template(name, e))?;
            let wanted = environment
                .get_template(name)
                .map_err(|e| template(name, e))?
                .undeclared_variables(false);
            if let Some(value) = wanted.into_iter().find(|v| !given.contains(v)) {
                return Err(PromptError::Undefined {
                    name: name.clone(),
                    value,
                    known: names(given.iter().map(String::as_str)),
                });
            }
        }
        Ok(Prompts(environment))
    }

    /// All of them, one after the other in the order of their names.
    pub fn texts(&self) -> String {
        let mut all: Vec<_> = self.0.templates().collect();
        all.sort_by_key(|(name, _)| *name);
        let text = |(name, template): &(&str, minijinja::Template<'_, '_>)| {
            format!("{name}\n{}\n", template.source())
        };
        all.iter().map(text).collect()
    }

    pub(super) fn render(&self, name: &str, values: Value) -> Result<String, PromptError> {
        self.0
            .get_template(name)
            .and_then(|t| t.render(values))
            .map(|text| text.trim().to_string())
            .map_err(|source| PromptError::Template {
                name: name.to_string(),
                source,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(name: &str, text: &str) -> String {
        match Prompts::replaced(&[(name.to_string(), text.to_string())]) {
            Ok(_) => panic!("{name} was taken"),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn an_operators_prompt_replaces_one_and_its_mistakes_name_file_and_line() {
        let own = [("limits.md".to_string(), "Mind the limits.".to_string())];
        let prompts = Prompts::replaced(&own).unwrap();
        assert_eq!(
            prompts.render("limits.md", Value::UNDEFINED).unwrap(),
            "Mind the limits."
        );
        let told = wrong("limits.md", "one\n{% if tests_protected %}\nthree");
        assert!(told.contains("`limits.md`, line 3"), "{told}");
        let told = wrong("limit.md", "x");
        assert!(
            told.contains("no prompt `limit.md`") && told.contains("`worker.md`"),
            "{told}"
        );
        let told = wrong("limits.md", "{{ secrets }}");
        assert!(
            told.contains("`secrets`") && told.contains("it is given `tests_protected`"),
            "{told}"
        );
    }
}
