//! The reading of a pasted text for a terminal: the verdict first, what was dropped last.

use super::text::shorten;
use crate::view::{ExplainView, print_picture};
use std_alloc::format;
use std_alloc::string::String;

/// Dropped lines printed.
const DROPPED: usize = 20;

/// Prints `view` for a terminal of `width` columns.
pub fn print(view: &ExplainView, width: usize) -> String {
    let width = width.clamp(40, 400);
    let mut out = String::new();
    let hint = match view.version_hint.as_str() {
        "" => String::new(),
        hint => format!("  (OpenZFS {hint})"),
    };
    wrap(&mut out, "", &format!("{}{hint}", view.kind), width);
    out.push('\n');
    wrap(&mut out, "  ", &view.verdict, width);
    if !view.next_step.is_empty() {
        wrap(&mut out, "  ", &format!("Next: {}", view.next_step), width);
    }
    out.push('\n');
    for finding in &view.findings {
        let mark = match finding.level.as_str() {
            "check" => "  = ",
            "mismatch" => "  # ",
            "warning" => "  ! ",
            _ => "  - ",
        };
        wrap(&mut out, mark, &finding.text, width);
    }
    for picture in &view.pictures {
        out.push('\n');
        out.push_str(&print_picture(picture, width as u32));
    }
    dropped(&mut out, view, width);
    out
}

fn dropped(out: &mut String, view: &ExplainView, width: usize) {
    if view.not_understood.is_empty() {
        return;
    }
    out.push_str("\nNot used:\n");
    for line in view.not_understood.iter().take(DROPPED) {
        let text = shorten(&line.text, 60);
        wrap(out, "  ", &format!("line {}: {text}  ({})", line.line, line.why), width);
    }
    let more = view.not_understood.len().saturating_sub(DROPPED);
    if more > 0 {
        out.push_str(&format!("  and {more} more lines\n"));
    }
}

/// Breaks `text` at blanks; `head` stands in front of the first line, blanks in front of the rest.
fn wrap(out: &mut String, head: &str, text: &str, width: usize) {
    out.push_str(head);
    let mut at = head.len();
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if at > head.len() && at + 1 + length > width {
            out.push('\n');
            (0..head.len()).for_each(|_| out.push(' '));
            at = head.len();
        } else if at > head.len() {
            out.push(' ');
            at += 1;
        }
        out.push_str(word);
        at += length;
    }
    out.push('\n');
}
