//! What the engine may ask of the world, and what comes back.

use crate::base::Instant;
use core::fmt;
use std_alloc::vec::Vec;

/// Names one command in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag(pub u32);

/// Names one device of a driver, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DevId(pub u32);

/// One operation on a device. Offsets and lengths are bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DevOp {
    /// Answers with exactly `len` bytes.
    Read {
        /// First byte on the device.
        off: u64,
        /// Bytes to read.
        len: u32,
    },
}

/// One command to the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cmd {
    /// A device operation.
    Dev(DevId, DevOp),
    /// Completes, with no bytes, not before the given time.
    WakeAt(Instant),
}

/// Why a device operation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DevError {
    /// The device reported an error.
    Io,
    /// The device is gone.
    Offline,
    /// The operation passes the end of the device.
    OutOfRange,
}

impl fmt::Display for DevError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Io => "the device reported an I/O error",
            Self::Offline => "the device is gone",
            Self::OutOfRange => "the range lies past the end of the device",
        })
    }
}

/// Answer to one command: the bytes read, or nothing for commands without data.
pub type Done = Result<Vec<u8>, DevError>;

/// The whole outside world.
pub trait Driver {
    /// Real or virtual time.
    fn now(&self) -> Instant;

    /// Starts `cmd`. Its answer comes from [`Driver::next`] under the same tag.
    fn submit(&mut self, tag: Tag, cmd: Cmd);

    /// The next answer not later than `until`. A native driver waits for it, a simulated one moves
    /// its clock to it; `None` when nothing is in flight or nothing ends in time.
    fn next(&mut self, until: Instant) -> Option<(Tag, Done)>;
}
