//! Readers on made-up snippets, the decision table, and hostile texts.

mod hostile;
mod kinds;
mod numbers;
mod rules;

use super::explain;
use crate::view::ExplainView;
use std_alloc::format;
use std_alloc::string::String;

/// Everything a reading says in words.
fn words(view: &ExplainView) -> String {
    let mut text = format!("{}\n{}\n{}\n", view.kind, view.version_hint, view.verdict);
    for finding in &view.findings {
        text.push_str(&format!("{}: {}\n", finding.level, finding.text));
    }
    for line in &view.not_understood {
        text.push_str(&format!("dropped {}: {}\n", line.line, line.why));
    }
    text
}

/// The reading of `text` is of `kind` and tells all of `expect`.
fn check(text: &str, kind: &str, expect: &[&str]) {
    let view = explain(text);
    let words = words(&view);
    assert_eq!(view.kind, kind, "\n{words}");
    for part in expect {
        assert!(words.contains(part), "{part} is missing in\n{words}");
    }
}

/// The first number called `name`.
fn number(text: &str, name: &str) -> Option<f64> {
    let view = explain(text);
    let found = view.numbers.iter().find(|(n, _)| n == name);
    found.map(|(_, value)| *value)
}
