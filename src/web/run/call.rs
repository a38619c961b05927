//! Tool calls as people read them: what was asked, what came back.

use super::diff;
use crate::store::{SpanLine, SpanText};
use crate::text::{clip_words, one_line, visible};
use crate::web::words::{prose, size};
use maud::{Markup, html};
use serde_json::Value;

/// Characters of a result that stand on the page itself.
pub(super) const PREVIEW: usize = 1500;

/// The arguments; `None` where they are cut or are no object.
fn arguments(text: &SpanText) -> Option<Value> {
    serde_json::from_str::<Value>(&text.input)
        .ok()
        .filter(Value::is_object)
}

/// What a call is about, in a line.
pub(super) fn about(line: &SpanLine, text: &SpanText) -> String {
    let Some(arguments) = arguments(text) else {
        return String::new();
    };
    let part = |name: &str| {
        arguments
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let about = match line.name.as_str() {
        "search" => part("pattern").to_string(),
        "run_command" => part("command").to_string(),
        "finish" | "ask" | "answer" => String::new(),
        _ => {
            let path = part("path");
            let first = arguments.get("start").or(arguments.get("first_line"));
            match first.and_then(Value::as_u64) {
                Some(n) => format!("{path} from line {n}"),
                None => path.to_string(),
            }
        }
    };
    clip_words(&one_line(&visible(&about)), 160)
}

/// What was asked, as far as it is worth more than a line.
pub(super) fn asked(line: &SpanLine, text: &SpanText) -> Markup {
    let Some(arguments) = arguments(text) else {
        return html! { (raw("Arguments", &text.input, text.input_length)) };
    };
    let edits = arguments.get("edits").and_then(Value::as_array);
    html! {
        @if let (Some(edits), true) = (edits, line.name.starts_with("edit")) {
            @for one in edits {
                @let part = |name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default();
                (diff::edit(part("old"), part("new")))
            }
        } @else if let (Some(content), true) = (arguments.get("content").and_then(Value::as_str), line.name == "write_file") {
            (diff::edit("", content))
        } @else if let Some(Value::Object(all)) = Some(&arguments).filter(|a| a.as_object().is_some_and(|o| o.len() > 1)) {
            dl.arguments {
                @for (name, value) in all {
                    dt { (visible(name)) }
                    dd { @match value { Value::String(text) => (visible(text)), other => (visible(&other.to_string())) } }
                }
            }
        }
        @if let Some(summary) = arguments.get("summary").and_then(Value::as_str) {
            div.said { (prose(summary)) }
        }
    }
}

fn raw(title: &str, text: &str, length: u64) -> Markup {
    html! {
        @if !text.is_empty() {
            p.under { (title) @if length > text.chars().count() as u64 { " (" (size(length)) ")" } }
            pre.out tabindex="0" { (visible(text)) }
        }
    }
}

/// What a model answered: its text, also of an answer that is cut.
pub(super) fn model_text(output: &str) -> String {
    if let Ok(value) = serde_json::from_str::<Value>(output) {
        return value["text"].as_str().unwrap_or_default().to_string();
    }
    let Some(at) = output.find("\"text\": \"") else {
        return String::new();
    };
    let rest = &output[at + "\"text\": \"".len()..];
    let mut end = rest.len();
    let mut escaped = false;
    for (n, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => {
                end = n;
                break;
            }
            _ => {}
        }
    }
    // An escape that is cut in its middle takes a few characters with it.
    (0..8)
        .filter_map(|n| rest.get(..end.saturating_sub(n)))
        .find_map(|part| serde_json::from_str(&format!("\"{part}\"")).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_cut_answer_is_read() {
        assert_eq!(
            model_text(r#"{"text": "a \"b\" c", "calls": []}"#),
            "a \"b\" c"
        );
        assert_eq!(model_text("{\n  \"text\": \"one\\ntwo\\u00"), "one\ntwo");
        assert_eq!(model_text("{\n  \"te"), "");
    }
}
