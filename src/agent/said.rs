//! What of a reply is said to people: without what the model thought aloud, without a diff that
//! stands bare in it, without what it only announces.

use regex::Regex;
use std::sync::LazyLock;

static THOUGHT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?is)<(think|thinking)>.*?(</(think|thinking)>|\z)").ok());

/// Sentences that announce what the reply does next; they say nothing about the code.
static ANNOUNCES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^\W*((now|next|first|then|so|ok|okay|alright)\W+)*(i['’]ll|i will|i am going to|i['’]m going to|i need to|let me|let['’]s)\b",
        r"|^\W*(here (is|are|comes?)|here['’]s) (the|my) (edits?|fix|changes?|patch|diff|blocks?|corrected|updated)\b",
        r"|^\W*this (should|will) (make|fix|let) .{0,40}\b(tests?|check)\b",
    ))
    .ok()
});

/// A text without the blocks in which a model thinks aloud. A closing mark whose opening stood in
/// the prompt ends a thought too.
pub(super) fn without_thoughts(text: &str) -> String {
    let text = match THOUGHT.as_ref() {
        Some(re) => re.replace_all(text, ""),
        None => text.into(),
    };
    let end = ["</think>", "</thinking>"]
        .iter()
        .filter_map(|mark| text.rfind(mark).map(|at| at + mark.len()))
        .max();
    text[end.unwrap_or(0)..].trim().to_string()
}

/// A reply in which the thoughts that open it are left out; marks further on may belong to an edit.
pub(super) fn reply(text: &str) -> String {
    let opens = text.trim_start().to_ascii_lowercase();
    let thought = opens.starts_with("<think>") || opens.starts_with("<thinking>");
    match thought {
        true => {
            let end = ["</think>", "</thinking>"]
                .iter()
                .filter_map(|mark| text.find(mark).map(|at| at + mark.len()))
                .min();
            end.map_or(String::new(), |at| text[at..].to_string())
        }
        false => text.to_string(),
    }
}

/// Lines without those of a unified diff that stands bare among them.
pub(super) fn without_diffs<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    const HEADERS: &[&str] = &[
        "diff --git ",
        "index ",
        "--- ",
        "+++ ",
        "new file mode",
        "deleted file mode",
        "old mode",
        "new mode",
        "similarity index",
        "rename ",
    ];
    let mut kept = Vec::new();
    let mut inside = false;
    let mut hunk = false;
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        let header = line.starts_with("diff --git ")
            || line.starts_with("--- ") && next.starts_with("+++ ")
            || line.starts_with("@@ ");
        if header {
            (inside, hunk) = (true, line.starts_with("@@ "));
            continue;
        }
        if inside {
            hunk |= line.starts_with("@@");
            let of_hunk = hunk && (line.is_empty() || line.starts_with(['+', '-', ' ', '\\', '@']));
            if of_hunk || HEADERS.iter().any(|h| line.starts_with(h)) {
                continue;
            }
            inside = false;
        }
        kept.push(*line);
    }
    kept
}

/// A text without what it only announces at its end.
pub(super) fn without_announcements(text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    while let Some(line) = lines.pop() {
        let kept = shortened(&line);
        if kept.is_empty() {
            continue;
        }
        lines.push(kept);
        break;
    }
    lines.join("\n").trim().to_string()
}

/// A line without the announcing sentences at its end.
fn shortened(line: &str) -> String {
    let mut rest = line.trim_end();
    loop {
        let start = last_sentence(rest);
        let announces = ANNOUNCES
            .as_ref()
            .is_some_and(|re| re.is_match(&rest[start..]));
        if rest.is_empty() || !announces {
            return rest.to_string();
        }
        rest = rest[..start].trim_end();
    }
}

/// Where the last sentence of a line begins.
fn last_sentence(line: &str) -> usize {
    let ends = line.trim_end_matches(['.', '!', '?', ':']);
    [". ", "! ", "? ", ": "]
        .iter()
        .filter_map(|end| ends.rfind(end).map(|at| at + end.len()))
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_left_out() {
        for (text, says) in [
            (
                "<think>The test is wrong.</think>\nIt adds now.",
                "It adds now.",
            ),
            ("<thinking>\nhm\n</thinking>It adds now.", "It adds now."),
            ("so I add\n</think>\n\nIt adds now.", "It adds now."),
            ("It adds now.\n<think>no end", "It adds now."),
            ("It adds now.", "It adds now."),
        ] {
            assert_eq!(without_thoughts(text), says, "{text}");
        }
        assert_eq!(reply("<think>a.py</think>READ b.py"), "READ b.py");
        let marks = "a.py\n<<<<<<< SEARCH\n<think>\n=======\n</think>\n>>>>>>> REPLACE";
        assert_eq!(reply(marks), marks);
    }

    #[test]
    fn a_bare_diff_is_not_said() {
        let text = "It adds now.\ndiff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n\nBoth ends count.";
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(without_diffs(&lines), ["It adds now.", "Both ends count."]);
        let list = ["- one", "- two", "--- ", "+ three"];
        assert_eq!(without_diffs(&list), list);
    }

    #[test]
    fn announcements_at_the_end_are_cut() {
        for (text, says) in [
            ("Now I will fix it by adding one. Let me do this:", ""),
            (
                "`add` subtracted.\n\nNow I will fix it:",
                "`add` subtracted.",
            ),
            ("`add` subtracted. Let me fix it.", "`add` subtracted."),
            (
                "It adds now.\n\nThis should make the test pass.",
                "It adds now.",
            ),
            ("I'll start by reading calc.py.", ""),
            ("Here is the fix:", ""),
            ("It adds now, as I said.", "It adds now, as I said."),
        ] {
            assert_eq!(without_announcements(text), says, "{text}");
        }
    }
}
