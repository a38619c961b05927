//! Small drawings that stand beside a word, never in its place.

use maud::{Markup, html};

/// A drawing of 16 by 16, in the colour of its text.
pub(super) fn icon(name: &str) -> Markup {
    let path = match name {
        "check" => "M3 8.5l3.2 3.2L13 4.8",
        "cross" => "M4 4l8 8M12 4l-8 8",
        "pencil" => "M3 13l.8-3L11 2.8l2.2 2.2L6 12.2z",
        "running" => "M8 2a6 6 0 1 1-6 6",
        "clock" => "M8 2a6 6 0 1 0 .01 0zM8 4.8V8l2.3 1.5",
        "question" => "M5.6 6.1a2.4 2.4 0 1 1 3.5 2.1c-.8.5-1.1.9-1.1 1.7M8 12.3v.2",
        "minus" => "M3.5 8h9",
        "stop" => "M4.5 4.5h7v7h-7z",
        "limit" => "M2.6 11.5a6 6 0 1 1 10.8 0M8 9.5l2.8-3.6",
        "warning" => "M8 2.6l6 10.4H2zM8 6.6v2.9M8 11.2v.2",
        "bolt" => "M9 1.8L4 9h3.6L7 14.2 12 7H8.4z",
        "lock" => "M4 7.5h8v6H4zM5.6 7.5V5.4a2.4 2.4 0 0 1 4.8 0v2.1",
        "merged" => {
            "M4.5 5.5v5M4.5 3.6a1 1 0 1 0 .01 0zM4.5 12.4a1 1 0 1 0 .01 0zM11.5 9.4a1 1 0 1 0 .01 0zM4.8 5.6c.6 2.6 2.6 4.2 5.5 4.5"
        }
        "pull" => {
            "M4.5 5.5v5M4.5 3.6a1 1 0 1 0 .01 0zM4.5 12.4a1 1 0 1 0 .01 0zM11.5 12.4a1 1 0 1 0 .01 0zM11.5 10.5V6.6c0-1-.6-1.6-1.6-1.6H7.5"
        }
        "issue" => "M8 2a6 6 0 1 0 .01 0zM8 7.4a.6.6 0 1 0 .01 0z",
        "tool" => "M9.5 6.5L4 12l-1.5-.5L2 10l5.5-5.5M9 2.6a3.2 3.2 0 0 0 4.4 4.4L11 6.8 9.2 5z",
        "model" => "M3 3.5h10v7H8l-3 2.6v-2.6H3z",
        "flask" => "M6 2.5h4M6.7 2.5v4L3.4 13h9.2L9.3 6.5v-4M5 10h6",
        "step" => "M3 8h9M8.5 4.5L12 8l-3.5 3.5",
        "shield" => "M8 2l5 1.8v4c0 3-2 5-5 6.2-3-1.2-5-3.2-5-6.2v-4z",
        "retry" => "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.7h-2.7",
        "search" => "M7 2.5a4.5 4.5 0 1 0 .01 0zM10.3 10.3l3.2 3.2",
        "out" => "M6 3.5H3.5v9h9V10M9 3h4v4M13 3L7.5 8.5",
        "person" => "M8 3a2.4 2.4 0 1 0 .01 0zM3.4 13.2c.6-2.6 2.3-3.9 4.6-3.9s4 1.3 4.6 3.9",
        "repo" => {
            "M4 2.5h8.5v11H4.8A1.3 1.3 0 0 1 3.5 12.2V3.2A.7.7 0 0 1 4 2.5zM3.5 11.4c0-.8.6-1.2 1.3-1.2h7.7"
        }
        _ => "M8 5a3 3 0 1 0 .01 0z",
    };
    html! {
        svg.icon viewBox="0 0 16 16" aria-hidden="true" focusable="false" { path d=(path) {} }
    }
}
