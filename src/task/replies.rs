//! A review's comments on lines are asked about one by one, and the model's answer to each is taken
//! out of what it says of the whole.

use crate::domain::Trigger;

/// How the model is asked for them; `None` where there is no comment.
pub(super) fn asked(comments: usize) -> Option<String> {
    let these = match comments {
        0 => return None,
        1 => "the comment above".to_string(),
        n => format!("each of the {n} comments above"),
    };
    Some(format!(
        "At the end answer {these}: in `finish`, after what `summary` says of the whole (in `answer` where \
         no code is to be changed), a sentence or two that begin with `Comment 1:`, or its number. One that only asks something gets \
         its answer there and no change of code; for one that you do not follow, give the reason."
    ))
}

/// Takes the answers to the comments that started the task out of a summary.
pub(super) fn take(summary: &mut String, trigger: &Trigger) -> Vec<Option<String>> {
    let (left, answers) = split(summary, trigger.what.threads().len());
    *summary = left;
    answers
}

/// Splits off the answers: what is left of the summary, and the answer to each comment. A summary
/// that holds nothing else stays whole.
fn split(summary: &str, comments: usize) -> (String, Vec<Option<String>>) {
    let mut answers = vec![None; comments];
    let mut marks: Vec<(usize, usize, usize)> = (0..comments)
        .flat_map(|n| {
            let mark = format!("Comment {}:", n + 1);
            let begins = |at: &usize| {
                let before = summary[..*at].chars().next_back();
                before.is_none_or(|c| c.is_whitespace() || matches!(c, '*' | '`' | '('))
            };
            let found = summary.match_indices(&mark).map(|(at, _)| at);
            let found: Vec<usize> = found.filter(begins).collect();
            let end = mark.len();
            found.into_iter().map(move |at| (at, at + end, n))
        })
        .collect();
    marks.sort_unstable();
    let Some((first, ..)) = marks.first() else {
        return (summary.to_string(), answers);
    };
    let left = bare(&summary[..*first]);
    for (i, (_, from, n)) in marks.iter().enumerate() {
        let to = marks.get(i + 1).map_or(summary.len(), |(at, ..)| *at);
        let text = bare(&summary[*from..to]);
        if !text.is_empty() {
            answers[*n] = Some(text.to_string());
        }
    }
    match left.is_empty() {
        true => (summary.to_string(), answers),
        false => (left.to_string(), answers),
    }
}

/// Without the marks of a list or of bold type around it.
fn bare(text: &str) -> &str {
    let text = text.trim().trim_start_matches("**");
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*'));
    text.trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_goes_to_its_comment() {
        let said =
            "Rounds once.\n\n- **Comment 2:** No: see Comment 1.\n- Comment 1: Yes, since 2.1.";
        let (left, answers) = split(said, 3);
        assert_eq!(left, "Rounds once.");
        let of = |n: usize| answers[n].as_deref();
        assert_eq!(of(0), Some("Yes, since 2.1."));
        assert_eq!(of(1), Some("No: see Comment 1."));
        assert_eq!(of(2), None);
    }

    #[test]
    fn what_names_no_comment_stays_as_it_is() {
        for said in ["Rounds once.", "", "Comment 3: of nobody", "äComment 1: x"] {
            assert_eq!(split(said, 2), (said.to_string(), vec![None, None]));
        }
        let only = "Comment 1: Yes.";
        assert_eq!(split(only, 1), (only.into(), vec![Some("Yes.".into())]));
        assert_eq!(split("Comment 1: Yes.", 0), (only.into(), vec![]));
    }
}
