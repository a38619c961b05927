//! Requirements as poetry writes them, in the form that pip takes (PEP 508).

use toml::Value;

/// The requirements of a table such as `[tool.poetry.group.test.dependencies]`. What pip has no form
/// for (a path, a branch) is left out.
pub(super) fn requirements(table: &Value) -> Vec<String> {
    let entries = table.as_table().into_iter().flatten();
    entries
        .filter(|(name, _)| *name != "python")
        .filter_map(|(name, value)| {
            // Several constraints, each for some versions of Python: the last is for the newest.
            let value = match value {
                Value::Array(list) => list.last()?,
                value => value,
            };
            match value {
                Value::String(version) => Some(format!("{name}{}", constraint(version))),
                Value::Table(t) => {
                    let version = t.get("version")?.as_str()?;
                    let extras = t
                        .get("extras")
                        .map(super::meta::strings)
                        .unwrap_or_default();
                    let extras = match extras.is_empty() {
                        true => String::new(),
                        false => format!("[{}]", extras.join(",")),
                    };
                    Some(format!("{name}{extras}{}", constraint(version)))
                }
                _ => None,
            }
        })
        .collect()
}

/// `^1.2` as `>=1.2,<2`; what is not understood constrains nothing.
fn constraint(text: &str) -> String {
    if text.contains("||") {
        return String::new();
    }
    let parts: Vec<String> = text.split(',').map(|p| one(p.trim())).collect();
    let parts: Vec<String> = parts.into_iter().filter(|p| !p.is_empty()).collect();
    parts.join(",")
}

fn one(text: &str) -> String {
    if text == "*" || text.is_empty() {
        return String::new();
    }
    let numbers = |v: &str| -> Option<Vec<u64>> { v.split('.').map(|n| n.parse().ok()).collect() };
    if let Some(version) = text.strip_prefix('^') {
        let Some(numbers) = numbers(version) else {
            return format!(">={version}");
        };
        let at = numbers
            .iter()
            .position(|n| *n > 0)
            .unwrap_or(numbers.len() - 1);
        return format!(">={version},<{}", next(&numbers, at));
    }
    if let Some(version) = text.strip_prefix('~').filter(|v| !v.starts_with('=')) {
        let Some(numbers) = numbers(version) else {
            return format!(">={version}");
        };
        return format!(
            ">={version},<{}",
            next(&numbers, usize::from(numbers.len() > 1))
        );
    }
    match text.starts_with(['<', '>', '=', '!', '~']) {
        true => text.to_string(),
        false => format!("=={text}"),
    }
}

/// The version after all that share the numbers up to `at`.
fn next(numbers: &[u64], at: usize) -> String {
    let mut kept: Vec<u64> = numbers[..=at.min(numbers.len() - 1)].to_vec();
    if let Some(last) = kept.last_mut() {
        *last = last.saturating_add(1);
    }
    let kept: Vec<String> = kept.iter().map(ToString::to_string).collect();
    kept.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_keep_their_meaning() {
        for (poetry, pip) in [
            ("^1.2.3", ">=1.2.3,<2"),
            ("^0.2.3", ">=0.2.3,<0.3"),
            ("^0.0.3", ">=0.0.3,<0.0.4"),
            ("^8", ">=8,<9"),
            ("~1.2", ">=1.2,<1.3"),
            ("~1", ">=1,<2"),
            ("*", ""),
            (">=1, <3", ">=1,<3"),
            ("1.2.*", "==1.2.*"),
            ("~=2.1", "~=2.1"),
            ("^1.0 || ^2.0", ""),
        ] {
            assert_eq!(constraint(poetry), pip, "{poetry}");
        }
        let table: toml::Table =
            "python = '^3.9'\npytest = '^7'\nx = { version = '*', extras = ['a'] }\np = { path = '../p' }"
                .parse()
                .unwrap();
        assert_eq!(requirements(&Value::Table(table)), ["pytest>=7,<8", "x[a]"]);
    }
}
