//! Floor 1: what can be counted about a run.
//!
//! Invariant: counting never changes what happens; two runs that count differently act alike.

mod histogram;

pub use histogram::Histogram;
