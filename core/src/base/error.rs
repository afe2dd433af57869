//! Errors say what was read, where, what was expected and what was found, and what to do next.
//!
//! A [`FormatError`] knows the structure and the byte inside it. The floor that knew the device,
//! object or file wraps it into a [`PoolError`], which names the place and the next step.

use core::fmt;
use std_alloc::boxed::Box;
use std_alloc::format;
use std_alloc::string::{String, ToString};

/// Result of everything that touches a pool.
pub type Result<T> = core::result::Result<T, PoolError>;

/// A structure whose bytes do not obey the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError(Box<FormatErrorInner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct FormatErrorInner {
    what: &'static str,
    at: u64,
    expected: String,
    found: String,
}

impl FormatError {
    /// `what` is wrong at its byte `at`: `expected` against `found`.
    pub fn new(what: &'static str, at: usize, expected: &str, found: impl fmt::Display) -> Self {
        let (expected, found) = (expected.to_string(), found.to_string());
        Self(Box::new(FormatErrorInner { what, at: at as u64, expected, found }))
    }

    /// `what` ends at byte `at` although `wanted` more bytes were needed and `left` are there.
    pub fn short(what: &'static str, at: usize, wanted: usize, left: usize) -> Self {
        Self::new(what, at, &format!("{wanted} more bytes"), format!("{left}"))
    }

    /// The name of the structure.
    pub fn what(&self) -> &'static str {
        self.0.what
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FormatErrorInner { what, at, expected, found } = &*self.0;
        write!(f, "{what}, byte {at}: expected {expected}, found {found}")
    }
}

impl core::error::Error for FormatError {}

/// What kind of failure it is; decides the exit code and the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolErrorKind {
    /// Nothing in the input is a pool.
    NotAPool,
    /// A version, feature, vdev type, checksum or mode we do not read.
    Unsupported,
    /// Devices are missing beyond what redundancy covers.
    Missing,
    /// Bytes do not match their checksum or do not obey the format.
    Damaged,
    /// The device reported an error.
    Io,
    /// The data are encrypted and no key is loaded.
    Encrypted,
    /// No data set, object, file or metaslab of that name.
    NotFound,
    /// The request itself makes no sense.
    Usage,
}

/// A failure with its place and a next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolError(Box<PoolErrorInner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct PoolErrorInner {
    kind: PoolErrorKind,
    /// The place, outermost first: "pool tank: data set tank/a: object 7".
    place: String,
    /// What is wrong, in one sentence without a full stop.
    message: String,
    /// What the user can do, in one sentence; may be empty.
    next_step: String,
}

impl PoolError {
    /// A failure of `kind`: `message` says what is wrong.
    pub fn new(kind: PoolErrorKind, message: impl fmt::Display) -> Self {
        Self(Box::new(PoolErrorInner {
            kind,
            place: String::new(),
            message: message.to_string(),
            next_step: String::new(),
        }))
    }

    /// Damage found at `place`.
    pub fn damaged(place: impl fmt::Display, message: impl fmt::Display) -> Self {
        Self::new(PoolErrorKind::Damaged, message).at(place)
    }

    /// The same error, seen from the place around it: `place` is put in front.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.0.place = match self.0.place.is_empty() {
            true => place.to_string(),
            false => format!("{place}: {}", self.0.place),
        };
        self
    }

    /// The same error with advice.
    #[must_use]
    pub fn next_step(mut self, advice: impl fmt::Display) -> Self {
        self.0.next_step = advice.to_string();
        self
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> PoolErrorKind {
        self.0.kind
    }

    /// Where it happened; may be empty.
    pub fn place(&self) -> &str {
        &self.0.place
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What the user can do; may be empty.
    pub fn advice(&self) -> &str {
        &self.0.next_step
    }

    /// Exit code of the command line: 1 damage or failure, 2 usage, 3 not a pool or refused.
    pub fn exit_code(&self) -> u8 {
        use PoolErrorKind as K;
        match self.0.kind {
            K::Usage => 2,
            K::NotAPool | K::Unsupported => 3,
            K::Missing | K::Damaged | K::Io | K::Encrypted | K::NotFound => 1,
        }
    }
}

impl From<FormatError> for PoolError {
    fn from(e: FormatError) -> Self {
        Self::new(PoolErrorKind::Damaged, e)
    }
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PoolErrorInner { place, message, next_step, .. } = &*self.0;
        if !place.is_empty() {
            write!(f, "{place}: ")?;
        }
        f.write_str(message)?;
        if !next_step.is_empty() {
            write!(f, " ({next_step})")?;
        }
        Ok(())
    }
}

impl core::error::Error for PoolError {}
