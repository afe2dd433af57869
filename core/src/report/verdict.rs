//! The decision table: readings, pasted or live, into one verdict.
//!
//! A rule is data: tests over named numbers, a sentence with the numbers that carry it, and what to
//! look at next. Rules stand in order of weight; the first whose tests all hold gives the verdict,
//! the others that hold are told as findings. A test over a number that nobody gave does not hold.
//!
//! Placeholders in sentences: `{name:t}` a time, `{name:b}` bytes, `{name:n}` a count, `{name:x}`
//! two decimals, `{name:p}` a share as percent, `{name:s}` a word.

use super::reading::Readings;
use super::text::{bytes_text, count_text, time_text};
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// One test over the readings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test {
    /// The number is at least this.
    AtLeast(&'static str, f64),
    /// The number is at most this.
    AtMost(&'static str, f64),
    /// The first number is at least this many times the second, which is above zero.
    Times(&'static str, f64, &'static str),
}

impl Test {
    /// Whether it holds.
    pub fn holds(&self, readings: &Readings) -> bool {
        match self {
            Self::AtLeast(name, least) => readings.number(name).is_some_and(|n| n >= *least),
            Self::AtMost(name, most) => readings.number(name).is_some_and(|n| n <= *most),
            Self::Times(over, times, under) => {
                match (readings.number(over), readings.number(under)) {
                    (Some(over), Some(under)) => under > 0.0 && over >= under * times,
                    _ => false,
                }
            }
        }
    }
}

/// One row of the decision table.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Short name.
    pub id: &'static str,
    /// What it is about: of the rules about one thing only the first that holds is told.
    pub topic: &'static str,
    /// All must hold.
    pub tests: &'static [Test],
    /// The verdict with placeholders.
    pub verdict: &'static str,
    /// What to look at next.
    pub next: &'static str,
}

/// A rule that applies, its sentence filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Name of the rule.
    pub id: &'static str,
    /// The sentence.
    pub text: String,
    /// What to look at next.
    pub next: &'static str,
}

/// All rules that apply, the weightiest first.
pub fn decide(readings: &Readings) -> impl Iterator<Item = Verdict> + '_ {
    let mut topics: Vec<&'static str> = Vec::new();
    super::rules::RULES
        .iter()
        .filter(|rule| rule.tests.iter().all(|t| t.holds(readings)))
        .filter(move |rule| {
            let fresh = !topics.contains(&rule.topic);
            topics.push(rule.topic);
            fresh
        })
        .map(|rule| Verdict { id: rule.id, text: fill(rule.verdict, readings), next: rule.next })
}

/// Puts the numbers into a sentence; what nobody gave reads as `?`.
pub fn fill(template: &str, readings: &Readings) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((head, tail)) = rest.split_once('{') {
        out.push_str(head);
        let Some((inside, after)) = tail.split_once('}') else {
            out.push('{');
            rest = tail;
            break;
        };
        let (name, form) = inside.split_once(':').unwrap_or((inside, "n"));
        out.push_str(&show(name, form, readings));
        rest = after;
    }
    out.push_str(rest);
    out
}

fn show(name: &str, form: &str, readings: &Readings) -> String {
    if form == "s" {
        return String::from(readings.word(name).unwrap_or("?"));
    }
    let Some(number) = readings.number(name) else {
        return String::from("?");
    };
    match form {
        "t" => time_text(number),
        "b" => bytes_text(number),
        "x" => format!("{number:.2}"),
        "p" if number >= 0.9995 || number <= 0.0 => format!("{:.0}%", number * 100.0),
        "p" => format!("{:.1}%", number * 100.0),
        "f" => format!("{number:.1}"),
        _ => count_text(number),
    }
}
