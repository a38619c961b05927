//! The hidden line by which mend finds its own comments again: with the App's id, so that two mends
//! in one repository never take each other's for their own.

/// Puts the App's id into the marker on the first line.
pub(super) fn with_app(text: &str, app: u64) -> String {
    match text.split_once(" -->") {
        Some((marker, rest)) if marker.starts_with("<!-- mend:") && !marker.contains('\n') => {
            format!("{marker} app:{app} -->{rest}")
        }
        _ => text.to_string(),
    }
}

/// What is looked for, with the App's id and, as mend wrote before, without.
pub(super) fn both(marker: &str, app: u64) -> [String; 2] {
    [with_app(marker, app), marker.to_string()]
}

/// The hidden line of a pull request's body.
pub(super) fn of_pull(app: u64) -> String {
    format!("<!-- mend app:{app} -->")
}

/// The App whose mend wrote this body, where that is another one.
pub(super) fn other_app(body: &str, app: u64) -> Option<u64> {
    let (_, rest) = body.split_once("<!-- mend app:")?;
    let other = rest.split_once(" -->")?.0.parse().ok()?;
    (other != app).then_some(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_app_stands_in_the_marker() {
        let marked = with_app("<!-- mend:task:7 -->\n**x** -->", 3);
        assert_eq!(marked, "<!-- mend:task:7 app:3 -->\n**x** -->");
        assert_eq!(with_app("plain -->", 3), "plain -->");
        let [new, old] = both("<!-- mend:task:7 -->", 3);
        assert!(marked.contains(&new) && !marked.contains(&old));
        let body = format!("x\n{}\n", of_pull(3));
        assert_eq!((other_app(&body, 3), other_app(&body, 4)), (None, Some(3)));
    }
}
