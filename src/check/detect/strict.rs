//! What in a CI's variables turns warnings into errors.
//!
//! A CI denies warnings for the toolchain that it pins. With another one, or for a variable that a
//! fix leaves unused, the same flags would keep tests from starting that have nothing against it.

/// The value without such flags; `None` when nothing is left of it.
pub(super) fn lenient(name: &str, value: &str) -> Option<String> {
    let left = match name {
        "RUSTFLAGS" | "RUSTDOCFLAGS" => without_denied(value),
        "CFLAGS" | "CXXFLAGS" | "CPPFLAGS" | "LDFLAGS" => {
            let strict =
                |flag: &&str| *flag == "-Werror" || flag.starts_with("-Werror=") || *flag == "/WX";
            kept(value.split_whitespace().filter(|flag| !strict(flag)))
        }
        "PYTHONWARNINGS" => {
            let action = |filter: &&str| filter.trim().split(':').next() != Some("error");
            let left: Vec<&str> = value.split(',').filter(action).collect();
            (!left.is_empty()).then(|| left.join(","))
        }
        _ => return Some(value.to_string()),
    };
    left.filter(|left| !left.is_empty())
}

/// rustc's flags without `-D LINT`, `-F LINT` and their other spellings.
fn without_denied(value: &str) -> Option<String> {
    let mut flags = value.split_whitespace();
    let mut left = Vec::new();
    while let Some(flag) = flags.next() {
        match flag {
            "-D" | "-F" | "--deny" | "--forbid" => drop(flags.next()),
            _ if ["-D", "-F", "--deny=", "--forbid="]
                .iter()
                .any(|f| flag.starts_with(f)) => {}
            _ => left.push(flag),
        }
    }
    kept(left.into_iter())
}

fn kept<'a>(flags: impl Iterator<Item = &'a str>) -> Option<String> {
    let left: Vec<&str> = flags.collect();
    (!left.is_empty()).then(|| left.join(" "))
}

#[cfg(test)]
mod tests {
    use super::lenient;

    #[test]
    fn warnings_stay_warnings() {
        for (name, value, left) in [
            ("RUSTFLAGS", "-Dwarnings", None),
            ("RUSTFLAGS", "-D warnings", None),
            (
                "RUSTFLAGS",
                "--cfg a --deny=warnings -F unsafe_code -Cdebuginfo=0",
                Some("--cfg a -Cdebuginfo=0"),
            ),
            ("RUSTDOCFLAGS", "-D", None),
            (
                "CFLAGS",
                "-O1 -Werror -Wall -Werror=format",
                Some("-O1 -Wall"),
            ),
            ("PYTHONWARNINGS", "error", None),
            (
                "PYTHONWARNINGS",
                "error::DeprecationWarning,ignore",
                Some("ignore"),
            ),
            ("MODE", "-Dwarnings", Some("-Dwarnings")),
        ] {
            assert_eq!(lenient(name, value).as_deref(), left, "{name}={value}");
        }
    }
}
