//! Which lines of a comment are the person's own words: not quoted, not code, not hidden.
//! The rules are CommonMark's (<https://spec.commonmark.org/0.31.2/>) as far as they matter here.

/// A line without its end, and whether a command may begin on it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub text: &'a str,
    pub live: bool,
}

/// What goes on from the line before.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Text,
    /// A fenced block that was opened by this character, this many times.
    Fence(char, usize),
    /// `<pre>` and its like, up to their closing tag.
    Raw(&'static str),
    Comment,
    /// A code span; its closing run of back-ticks is known to come.
    Span(usize),
}

pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut inside = Inside::Text;
    let mut at = 0;
    let mut out = Vec::new();
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches(['\n', '\r']);
        let rest = &text[at..];
        at += whole.len();
        let live;
        (live, inside) = step(inside, line, rest);
        out.push(Line { text: line, live });
    }
    out
}

/// Whether the line is live, and what goes on after it. `rest` is the text from this line on.
fn step(inside: Inside, line: &str, rest: &str) -> (bool, Inside) {
    let head = line.trim_start();
    match inside {
        Inside::Fence(mark, run) => {
            let closes = run_of(head, mark) >= run && head.trim_end().chars().all(|c| c == mark);
            (false, if closes { Inside::Text } else { inside })
        }
        Inside::Raw(tag) => {
            let closes = line.to_ascii_lowercase().contains(tag);
            (false, if closes { Inside::Text } else { inside })
        }
        Inside::Comment => match line.find("-->") {
            Some(end) => (false, inline(&line[end + 3..], &rest[end + 3..])),
            None => (false, inside),
        },
        Inside::Span(run) => match closing(line, run) {
            Some(end) => (false, inline(&line[end..], &rest[end..])),
            None => (false, inside),
        },
        Inside::Text => {
            let indent = line.len() - head.len();
            let code = indent >= 4 || line[..indent].contains('\t');
            if code || head.starts_with('>') {
                return (false, Inside::Text);
            }
            for mark in ['`', '~'] {
                let run = run_of(head, mark);
                if run >= 3 && !(mark == '`' && head[run..].contains('`')) {
                    return (false, Inside::Fence(mark, run));
                }
            }
            if let Some(tag) = raw(head) {
                let closed = line.to_ascii_lowercase().contains(tag);
                return (
                    false,
                    if closed {
                        Inside::Text
                    } else {
                        Inside::Raw(tag)
                    },
                );
            }
            (!head.starts_with("<!--"), inline(line, rest))
        }
    }
}

fn run_of(text: &str, mark: char) -> usize {
    text.chars().take_while(|c| *c == mark).count()
}

/// The closing tag of a raw HTML block that this line opens.
fn raw(head: &str) -> Option<&'static str> {
    let head = head.to_ascii_lowercase();
    [
        ("<pre", "</pre>"),
        ("<script", "</script>"),
        ("<style", "</style>"),
        ("<textarea", "</textarea>"),
    ]
    .into_iter()
    .find(|(open, _)| {
        head.strip_prefix(open)
            .is_some_and(|r| r.is_empty() || r.starts_with(['>', ' ', '\t']))
    })
    .map(|(_, close)| close)
}

/// What is still open at the end of a line of prose. `rest` begins where `line` begins.
fn inline(line: &str, rest: &str) -> Inside {
    let mut at = 0;
    loop {
        let next = line[at..].find(['`', '<']).map(|i| at + i);
        let Some(found) = next else {
            return Inside::Text;
        };
        if line[found..].starts_with("<!--") {
            match line[found + 4..].find("-->") {
                Some(end) => at = found + 4 + end + 3,
                None => return Inside::Comment,
            }
        } else if line[found..].starts_with('`') {
            let run = run_of(&line[found..], '`');
            let after = found + run;
            if let Some(end) = closing(&line[after..], run) {
                at = after + end;
            } else if closing(paragraph(&rest[after..]), run).is_some() {
                return Inside::Span(run);
            } else {
                at = after;
            }
        } else {
            at = found + 1;
        }
    }
}

/// The text up to the next blank line, where every code span ends.
fn paragraph(text: &str) -> &str {
    let mut at = 0;
    for whole in text.split_inclusive('\n') {
        if at > 0 && whole.trim().is_empty() {
            break;
        }
        at += whole.len();
    }
    &text[..at]
}

/// The end of a run of exactly `run` back-ticks.
fn closing(text: &str, run: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let length = run_of(&text[start..], '`');
        if length == run {
            return Some(start + length);
        }
        at = start + length;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_persons_own_lines_are_live() {
        let table: &[(&str, &str)] = &[
            ("a\r\nb", "LL"),
            ("> a\nb", "xL"),
            ("```\na\n```\nb", "xxxL"),
            ("~~~ sh\na\n```\n~~~\nb", "xxxxL"),
            ("````\n```\na\n````\nb", "xxxxL"),
            ("```\nnever closed", "xx"),
            ("``` not a fence `` ```\nb", "LL"),
            ("    a\n\tb\n   c", "xxL"),
            ("<!-- a\nb -->\nc", "xxL"),
            ("say <!-- a\nb --> `x\ny` z\nc", "LxxL"),
            ("<!-- one line --> b\nc", "xL"),
            ("<!-- never closed\n\nb", "xxx"),
            ("`<!--` is code\nb", "LL"),
            ("a `b\nc` d\ne", "LxL"),
            ("a ` b\n\nc ` d", "LLL"),
            ("``a ` b\nc`` d\ne", "LxL"),
            ("<pre>\na\n</pre>\nb", "xxxL"),
            ("<PRE class=x>a</PRE>\nb", "xL"),
            ("<prelude\nb", "LL"),
            ("x ```\ny\nz", "LLL"),
        ];
        for (text, expected) in table {
            let got: String = lines(text)
                .iter()
                .map(|l| if l.live { 'L' } else { 'x' })
                .collect();
            assert_eq!(&got, expected, "{text:?}");
        }
    }
}
