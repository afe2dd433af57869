//! Views as text, for terminals and for the page's copy button.
//!
//! Shares are drawn with the eighths of a block; every table also works without them.

mod map;
mod metaslab;
mod picture;

#[cfg(test)]
mod tests;

pub use map::print_map;
pub use metaslab::{print_histogram, print_metaslab, print_segments, print_strip, print_tree_node};
pub use picture::print_picture;

use std_alloc::string::String;

/// Nothing, then one to eight eighths of a block from the bottom.
const LEVELS: [char; 9] = [
    '\u{b7}', '\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}',
    '\u{2588}',
];

/// One to seven eighths of a block from the left.
const LEFT: [char; 7] =
    ['\u{258f}', '\u{258e}', '\u{258d}', '\u{258c}', '\u{258b}', '\u{258a}', '\u{2589}'];

const BLOCK: char = '\u{2588}';

/// The level of `part` in `whole`: empty and full only when it is so.
fn level(part: u64, whole: u64) -> char {
    let index = match part {
        0 => 0,
        _ if part >= whole => 8,
        _ => 1 + u128::from(part) * 7 / u128::from(whole),
    };
    LEVELS.get(index as usize).copied().unwrap_or(BLOCK)
}

/// A bar of `share` of `width` characters, without blanks behind it.
fn bar(share: f64, width: usize) -> String {
    let eighths = (share * (width * 8) as f64 + 0.5) as usize;
    let mut text: String = (0..eighths / 8).map(|_| BLOCK).collect();
    match eighths % 8 {
        0 if eighths == 0 && share > 0.0 => text.push(LEFT[0]),
        0 => {}
        rest => text.extend(LEFT.get(rest - 1)),
    }
    text
}

/// `text` with blanks in front up to `width` characters.
fn right(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    let mut padded: String = (0..missing).map(|_| ' ').collect();
    padded.push_str(text);
    padded
}

/// `text` with blanks behind it up to `width` characters.
fn left(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    let blanks = (0..missing).map(|_| ' ');
    text.chars().chain(blanks).collect()
}

/// `text` on one line of at most `width` characters, control characters as `?`.
fn cut(text: &str, width: usize) -> String {
    let clean = |c: char| if c.is_control() { '?' } else { c };
    match text.chars().count() > width {
        true => {
            let kept = text.chars().take(width.saturating_sub(3)).map(clean);
            kept.chain("...".chars()).collect()
        }
        false => text.chars().map(clean).collect(),
    }
}
