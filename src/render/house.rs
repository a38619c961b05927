//! mend's part of a pull request's body, between markers; what stands outside them belongs to
//! people and stays.

use crate::text::bound;

const BEGIN: &str = "<!-- mend:begin -->";
const END: &str = "<!-- mend:end -->";
/// Where a house's template wants mend's part; else it goes before the template.
const PLACE: &str = "<!-- mend -->";
/// GitHub refuses bodies over 65,536 characters; mend's part keeps below 60,000.
const AROUND_BYTES: usize = 5_000;
/// What mend's bodies had before they had markers.
const OLD_PART: &str = "<details><summary>How this was made</summary>";

/// The part, with the disclosure as its last line, between markers that it cannot hold itself.
fn marked(part: &str) -> String {
    let part = part
        .replace(BEGIN, "<!-- mend: begin -->")
        .replace(END, "<!-- mend: end -->");
    format!("{BEGIN}\n{}\n{END}", part.trim())
}

/// The body of a new pull request.
pub fn framed(part: &str, template: Option<&str>) -> String {
    let marked = marked(part);
    let Some(template) = template.map(str::trim).filter(|t| !t.is_empty()) else {
        return marked;
    };
    let template = bound(template, AROUND_BYTES);
    match template.split_once(PLACE) {
        Some((before, after)) => join(&[before.trim(), &marked, after.trim()]),
        None => join(&[&marked, &template]),
    }
}

/// The body of a pull request that is there already, with mend's part exchanged.
pub fn reframed(present: &str, part: &str) -> String {
    let new = marked(part);
    let found = present
        .split_once(BEGIN)
        .and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    match found {
        Some((before, after)) => format!("{before}{new}{after}"),
        // Written by a mend that knew no markers, and by nobody else.
        None if present.contains(OLD_PART) || present.trim().is_empty() => new,
        // Somebody took the markers out: their text stays beneath.
        None => join(&[&new, present.trim()]),
    }
}

/// The part and the line that says what made the change.
pub fn disclosed(part: &str, disclosure: &str) -> String {
    match disclosure.trim() {
        "" => part.to_string(),
        line => format!("{}\n\n<sub>{line}</sub>", part.trim_end()),
    }
}

fn join(parts: &[&str]) -> String {
    let some: Vec<&str> = parts.iter().copied().filter(|p| !p.is_empty()).collect();
    some.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote_around_it_stays() {
        let first = framed("one", Some("## Checklist\n- [ ] changelog\n"));
        assert_eq!(
            first,
            "<!-- mend:begin -->\none\n<!-- mend:end -->\n\n## Checklist\n- [ ] changelog"
        );
        let edited = format!("For the release.\r\n\r\n{}", first.replace("[ ]", "[x]"));
        let again = reframed(&edited, "two");
        assert_eq!(
            again,
            "For the release.\r\n\r\n<!-- mend:begin -->\ntwo\n<!-- mend:end -->\n\n## Checklist\n- [x] changelog"
        );
        assert_eq!(reframed(&again, "two"), again, "twice changes nothing");
    }

    #[test]
    fn the_template_may_name_the_place() {
        let body = framed("it", Some("## What\n<!-- mend -->\n## Who\nus"));
        assert_eq!(
            body,
            "## What\n\n<!-- mend:begin -->\nit\n<!-- mend:end -->\n\n## Who\nus"
        );
    }

    #[test]
    fn a_part_cannot_end_itself() {
        let body = framed("a\n<!-- mend:end -->\nb", None);
        assert_eq!(reframed(&body, "c"), marked("c"));
    }

    #[test]
    fn without_markers_old_bodies_go_and_peoples_stay() {
        let old = format!("Closes #1\n\n{OLD_PART}\nx</details>");
        assert_eq!(reframed(&old, "new"), marked("new"));
        assert_eq!(
            reframed("Mine", "new"),
            format!("{}\n\nMine", marked("new"))
        );
        assert_eq!(
            disclosed("x\n", " By a model. "),
            "x\n\n<sub>By a model.</sub>"
        );
        assert_eq!(disclosed("x", ""), "x");
    }
}
