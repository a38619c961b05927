//! What the model reads: descriptions of the tools, and answers.

use mend::edit::{
    AllSeen, FileContent, Protected, View, apply_blocks, apply_tool, apply_udiff, parse_call,
    tool_texts,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const INVOICE: &str = "class Invoice:\n    def __init__(self, rows):\n        self.rows = rows\n\n    def total(self):\n        \
                       cents = 0\n        for row in self.rows:\n            cents += round(row.price * 100) * row.count\n        \
                       return cents / 100\n\n    def count(self):\n        return len(self.rows)\n";

fn told(result: Result<mend::edit::Applied, mend::edit::EditError>) -> String {
    match result {
        Ok(applied) => format!("{}\n{}", applied.notes.join("\n"), applied.diff),
        Err(error) => format!("[{}] {}\n", error.kind.name(), error.message),
    }
}

fn view<T>(body: impl FnOnce(&View<'_>) -> T) -> T {
    let file = FileContent {
        bytes: INVOICE.as_bytes().to_vec(),
        mode: 0o644,
    };
    let files = BTreeMap::from([("shop/invoice.py".to_string(), file)]);
    let guard = Protected::new()
        .protect(
            &["tests/**"],
            false,
            "the report is fixed in the code, not in its tests",
        )
        .unwrap();
    body(&View {
        files: &files,
        seen: &AllSeen,
        guard: &guard,
    })
}

fn tool(name: &str, arguments: Value) -> String {
    told(parse_call(name, &arguments).and_then(|call| view(|view| apply_tool(view, &call))))
}

fn edit(old: &str, new: &str) -> String {
    tool(
        "edit_file",
        json!({"path": "shop/invoice.py", "edits": [{"old": old, "new": new}]}),
    )
}

#[test]
fn descriptions() {
    let texts = tool_texts().map(|tool| {
        let schema = serde_json::to_string_pretty(&tool.schema).unwrap();
        format!("{}\n\n{}\n\n{schema}\n", tool.name, tool.description)
    });
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn answers_to_calls() {
    let answers = [
        ("exact", edit("cents / 100", "Decimal(cents) / 100")),
        (
            "white space",
            edit(
                "    for row in self.rows:\n      cents += round(row.price * 100) * row.count",
                "    for row in self.rows:\n      cents += round(row.price * row.count * 100)",
            ),
        ),
        ("several windows", edit("self.rows", "self._rows")),
        (
            "a word differs",
            edit(
                "    def total(self):\n        cents = 0\n        for line in self.rows:",
                "x",
            ),
        ),
        (
            "numbers copied",
            edit(
                "6\t        cents = 0\n7\t        for row in self.rows:",
                "x",
            ),
        ),
        (
            "made before",
            edit(
                "        return len(self.row)",
                "        return len(self.rows)",
            ),
        ),
        (
            "left out",
            edit(
                "    def total(self):\n        ...\n        return cents / 100",
                "x",
            ),
        ),
        (
            "no such file",
            tool(
                "edit_file",
                json!({"path": "invoice.py", "old": "a", "new": "b"}),
            ),
        ),
        (
            "protected",
            tool(
                "write_file",
                json!({"path": "tests/test_x.py", "content": ""}),
            ),
        ),
        (
            "another shape",
            tool(
                "edit_file",
                json!({"path": "a", "old_string": "a", "new_string": "b"}),
            ),
        ),
    ];
    insta::assert_snapshot!(listed(&answers));
}

fn listed(answers: &[(&str, String)]) -> String {
    let all: Vec<String> = answers
        .iter()
        .map(|(what, text)| format!("## {what}\n\n{text}"))
        .collect();
    all.join("\n")
}

#[test]
fn answers_to_texts() {
    let answers = [
        (
            "block indented otherwise",
            told(view(|view| {
                apply_blocks(
                    view,
                    "shop/invoice.py\n<<<<<<< SEARCH\ndef count(self):\n    return len(self.rows)\n=======\nx\n>>>>>>> REPLACE\n",
                )
            })),
        ),
        (
            "block that creates",
            told(view(|view| {
                apply_blocks(
                    view,
                    "shop/money.py\n<<<<<<< SEARCH\n=======\nCENT = 100\n>>>>>>> REPLACE\n",
                )
            })),
        ),
        (
            "diff that misses",
            told(view(|view| {
                apply_udiff(
                    view,
                    "--- a/shop/invoice.py\n+++ b/shop/invoice.py\n@@ -5,3 +5,3 @@\n     def total(self):\n-        cents = 1\n+        cents = 2\n",
                )
            })),
        ),
    ];
    insta::assert_snapshot!(listed(&answers));
}
