//! Points in real or virtual time. There is no `now()`: time comes in as an argument.

/// Nanoseconds since an arbitrary start: real natively, virtual in the simulator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(pub u64);

impl Instant {
    /// The end of time: nothing is scheduled later.
    pub const NEVER: Self = Self(u64::MAX);

    /// Nanoseconds from `earlier` to `self`, zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// This point plus `ns` nanoseconds, stopping at the end of time.
    pub const fn after(self, ns: u64) -> Self {
        Self(self.0.saturating_add(ns))
    }
}
