//! The search for bytes that pass their checksum.

use super::raidz_read::read_raidz;
use super::tree::{TopVdev, Vdev, VdevKind};
use crate::base::PoolErrorKind;
use crate::rt::{DevError, Rt};
use core::fmt;
use std_alloc::boxed::Box;
use std_alloc::string::String;
use std_alloc::vec;
use std_alloc::vec::Vec;

/// A question about bytes: do they pass their checksum?
pub type Verify<'a> = dyn Fn(&[u8]) -> bool + 'a;

/// Why one try failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The device is not here.
    Missing,
    /// The device could not be read.
    Io(DevError),
    /// The bytes do not pass their checksum.
    Checksum,
    /// The vdev or checksum is of a kind that is not read here.
    Unsupported(String),
    /// The pointer that led here makes no sense.
    Pointer(String),
}

/// One replica that did not serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedTry {
    /// Device, or the group of devices.
    pub device: String,
    /// First byte, counted from the start of the allocatable space.
    pub offset: u64,
    /// Bytes wanted.
    pub size: u64,
    /// What went wrong.
    pub why: Why,
}

impl fmt::Display for FailedTry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, offset {:#x}, {} bytes: ", self.device, self.offset, self.size)?;
        match &self.why {
            Why::Missing => f.write_str("the device is missing"),
            Why::Io(e) => write!(f, "{e}"),
            Why::Checksum => f.write_str("checksum mismatch"),
            Why::Unsupported(what) | Why::Pointer(what) => f.write_str(what),
        }
    }
}

/// Why no replica served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadFailure {
    /// Each try, in the order made.
    pub tries: Vec<FailedTry>,
}

impl ReadFailure {
    /// One failed try.
    pub fn one(failed: FailedTry) -> Self {
        Self { tries: vec![failed] }
    }

    /// What it amounts to: damage if any bytes were wrong, else the worst of the other reasons.
    pub fn kind(&self) -> PoolErrorKind {
        let rank = |t: &FailedTry| match t.why {
            Why::Checksum | Why::Pointer(_) => (3, PoolErrorKind::Damaged),
            Why::Io(_) => (2, PoolErrorKind::Io),
            Why::Missing => (1, PoolErrorKind::Missing),
            Why::Unsupported(_) => (0, PoolErrorKind::Unsupported),
        };
        let worst = self.tries.iter().map(rank).max_by_key(|r| r.0);
        worst.map_or(PoolErrorKind::Damaged, |r| r.1)
    }
}

impl fmt::Display for ReadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, failed) in self.tries.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { "; " })?;
            write!(f, "{failed}")?;
        }
        Ok(())
    }
}

/// Where a block is on a vdev: `size` bytes of whole sectors, of which `psize` count.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    pub offset: u64,
    pub size: u64,
    pub psize: u64,
}

impl Vdev {
    /// Bytes at `at` that pass `verify`, from whichever replica has them.
    pub(super) async fn read(
        &self,
        rt: &Rt,
        ashift: u32,
        at: Extent,
        verify: &Verify<'_>,
    ) -> Result<Vec<u8>, ReadFailure> {
        match &self.kind {
            VdevKind::Leaf(leaf) => {
                let read = leaf.read(at.offset, at.size).await;
                let mut bytes = read.map_err(ReadFailure::one)?;
                bytes.truncate(at.psize as usize);
                if verify(&bytes) {
                    return Ok(bytes);
                }
                leaf.blame();
                Err(self.failure(at, Why::Checksum))
            }
            VdevKind::Mirror(sides) => {
                let mut tries = Vec::new();
                for side in sides {
                    match Box::pin(side.read(rt, ashift, at, verify)).await {
                        Ok(bytes) => return Ok(bytes),
                        Err(failure) => tries.extend(failure.tries),
                    }
                }
                Err(ReadFailure { tries })
            }
            VdevKind::Raidz { nparity, children } => {
                read_raidz(rt, ashift, *nparity, children, at, verify).await
            }
            VdevKind::Empty(_) => {
                Err(self.failure(at, Why::Unsupported("such a vdev holds no data".into())))
            }
            VdevKind::Unsupported(why) => Err(self.failure(at, Why::Unsupported(why.clone()))),
        }
    }

    pub(super) fn failure(&self, at: Extent, why: Why) -> ReadFailure {
        ReadFailure::one(FailedTry { device: self.label(), offset: at.offset, size: at.psize, why })
    }

    /// Bytes at `offset` without a checksum, for raidz columns: any side of a mirror serves.
    pub(super) async fn read_plain(&self, offset: u64, size: u64) -> Result<Vec<u8>, FailedTry> {
        let fail = |why| FailedTry { device: self.label(), offset, size, why };
        match &self.kind {
            VdevKind::Leaf(leaf) => leaf.read(offset, size).await,
            VdevKind::Mirror(sides) => {
                let mut last = fail(Why::Missing);
                for side in sides {
                    match Box::pin(side.read_plain(offset, size)).await {
                        Ok(bytes) => return Ok(bytes),
                        Err(failed) => last = failed,
                    }
                }
                Err(last)
            }
            VdevKind::Raidz { .. } => Err(fail(Why::Unsupported("a raidz in a raidz".into()))),
            VdevKind::Empty(_) => Err(fail(Why::Unsupported("such a vdev holds no data".into()))),
            VdevKind::Unsupported(why) => Err(fail(Why::Unsupported(why.clone()))),
        }
    }
}

impl TopVdev {
    pub(super) fn extent(&self, offset: u64, psize: u64) -> Extent {
        Extent { offset, size: psize.next_multiple_of(self.sector()), psize }
    }

    /// `psize` bytes at DVA offset `offset` that pass `verify`, from any replica. `psize` is at
    /// most the largest block size.
    ///
    /// # Errors
    /// Every replica that was tried and why it did not serve.
    pub async fn read(
        &self,
        rt: &Rt,
        offset: u64,
        psize: u64,
        verify: &Verify<'_>,
    ) -> Result<Vec<u8>, ReadFailure> {
        let at = self.extent(offset, psize);
        self.vdev.read(rt, self.ashift, at, verify).await
    }
}
