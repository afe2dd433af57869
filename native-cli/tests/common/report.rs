//! What a test compared, what differed, and what it could not do.

use std::collections::BTreeMap;
use std::io::Write;

/// Collects comparisons over many pools; [`Report::finish`] prints them and fails on differences.
pub struct Report {
    title: &'static str,
    /// Subject to pools and things compared.
    compared: BTreeMap<String, (u64, u64)>,
    differences: Vec<String>,
    skipped: Vec<String>,
}

impl Report {
    /// An empty report of the test called `title`.
    pub fn new(title: &'static str) -> Self {
        Self { title, compared: BTreeMap::new(), differences: Vec::new(), skipped: Vec::new() }
    }

    /// `things` of one pool were compared with the oracle called `subject`, with these outcomes.
    pub fn compared(&mut self, subject: &str, pool: &str, outcome: Outcome) {
        let entry = self.compared.entry(subject.to_owned()).or_default();
        entry.0 += 1;
        entry.1 += outcome.things;
        let named = outcome.differences.iter().map(|d| format!("{pool}: {subject}: {d}"));
        self.differences.extend(named);
    }

    /// One statement about `pool` that must hold.
    pub fn require(&mut self, pool: &str, holds: bool, statement: impl FnOnce() -> String) {
        let mut outcome = Outcome::default();
        outcome.require(holds, statement);
        self.compared("statements", pool, outcome);
    }

    /// Something was not compared, and why.
    pub fn skipped(&mut self, what: impl std::fmt::Display) {
        self.skipped.push(what.to_string());
    }

    /// Prints the report past the test harness, and fails when anything differed.
    pub fn finish(self) {
        let mut text = format!("\n{}\n", self.title);
        for (subject, (pools, things)) in &self.compared {
            text += &format!("  compared {things} ({pools} times a pool): {subject}\n");
        }
        for line in &self.skipped {
            text += &format!("  skipped: {line}\n");
        }
        let _ = std::io::stderr().write_all(text.as_bytes());
        let shown: Vec<_> = self.differences.iter().take(40).map(String::as_str).collect();
        assert!(
            self.differences.is_empty(),
            "{} differences:\n{}",
            self.differences.len(),
            shown.join("\n")
        );
    }
}

/// Comparisons of one kind on one pool.
#[derive(Default)]
pub struct Outcome {
    pub things: u64,
    pub differences: Vec<String>,
}

impl Outcome {
    /// Counts one comparison; `statement` says what was wrong when it does not hold.
    pub fn require(&mut self, holds: bool, statement: impl FnOnce() -> String) {
        self.things += 1;
        if !holds {
            self.differences.push(statement());
        }
    }

    /// Counts one comparison of two values that must be equal.
    pub fn equal<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, ours: T, theirs: T) {
        self.require(ours == theirs, || format!("{what}: we say {ours:?}, zdb says {theirs:?}"));
    }
}
