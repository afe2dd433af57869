//! Gang blocks: blocks in pieces, because no free segment was long enough.
//!
//! ```text
//!  DVA with the gang bit -> header: up to three pointers -> members, or gangs again
//!  block = members joined in order; the checksum of the first pointer covers the joined bytes
//! ```
//!
//! Members must add up to the size of their gang, and the depth is bounded, so a hostile header can
//! neither run in a circle nor grow.

use super::read::Zio;
use crate::base::{PoolErrorKind, Result};
use crate::format::{Blkptr, Dva, GANG_HEADER_SIZE, parse_gang_header};
use crate::vdev::{FailedTry, ReadFailure, Verify, Why};
use std_alloc::boxed::Box;
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::string::ToString;
use std_alloc::vec;
use std_alloc::vec::Vec;

/// Headers in headers deeper than this are damage: a 16 MiB block of 512-byte pieces needs 10.
const MAX_DEPTH: u32 = 16;

/// Space that a block pointer holds on one vdev.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Allocation {
    /// Top-level vdev.
    pub vdev: u32,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

/// Everything a block holds: all copies, and for gangs headers and members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GangTree {
    /// All space.
    pub allocations: Vec<Allocation>,
    /// Pointers of the members that are not gangs themselves.
    pub members: Vec<Blkptr>,
}

impl Zio {
    /// The members of gang copy `dva` of `bp`, in order.
    ///
    /// # Errors
    /// `Damaged`, `Io` or `Missing` when the header cannot be read.
    pub async fn gang_members(&self, bp: &Blkptr, dva: Dva) -> Result<Vec<Blkptr>> {
        let read = self.read_header(bp, dva).await;
        read.map_err(|f| crate::base::PoolError::new(f.kind(), &f).at(format!("gang {dva}")))
    }

    /// The joined bytes of gang copy `dva` of `bp`, when they pass `verify`.
    pub(super) async fn read_gang(
        &self,
        bp: &Blkptr,
        dva: Dva,
        verify: &Verify<'_>,
    ) -> core::result::Result<Vec<u8>, ReadFailure> {
        self.join_members(bp, dva, verify, 0).await
    }

    async fn join_members(
        &self,
        bp: &Blkptr,
        dva: Dva,
        verify: &Verify<'_>,
        depth: u32,
    ) -> core::result::Result<Vec<u8>, ReadFailure> {
        let mut joined = Vec::new();
        for member in self.read_header(bp, dva).await? {
            joined.extend(Box::pin(self.read_member(&member, depth + 1)).await?);
        }
        match verify(&joined) {
            true => Ok(joined),
            false => Err(gang_failure(dva, bp.psize(), Why::Checksum)),
        }
    }

    /// A member of a gang, which may be a gang again, from any of its copies.
    async fn read_member(
        &self,
        bp: &Blkptr,
        depth: u32,
    ) -> core::result::Result<Vec<u8>, ReadFailure> {
        let verifier = self.verifier(bp).map_err(|e| {
            let why = match e.kind() {
                PoolErrorKind::Unsupported => Why::Unsupported(e.message().to_string()),
                _ => Why::Pointer(e.message().to_string()),
            };
            gang_failure(bp.dva(0), bp.psize(), why)
        })?;
        let verify = |bytes: &[u8]| verifier.passes(bytes);
        let mut failure = ReadFailure::default();
        for dva in bp.dvas() {
            let read = match dva.gang {
                false => self.read_copy(bp, dva, &verify).await,
                true if depth < MAX_DEPTH => self.join_members(bp, dva, &verify, depth).await,
                true => Err(too_deep(bp)),
            };
            match read {
                Ok(bytes) => return Ok(bytes),
                Err(more) => failure.tries.extend(more.tries),
            }
        }
        Err(failure)
    }

    /// Reads the header at gang copy `dva` of `bp` and holds its members against the block.
    pub(super) async fn read_header(
        &self,
        bp: &Blkptr,
        dva: Dva,
    ) -> core::result::Result<Vec<Blkptr>, ReadFailure> {
        let parse = |bytes: &[u8]| parse_gang_header(bytes, bp);
        let size = GANG_HEADER_SIZE as u64;
        let damaged = |why: String| gang_failure(dva, size, Why::Pointer(why));
        if !dva.gang {
            return Err(damaged("a copy without a gang header beside one with".into()));
        }
        let top = self.top(dva, size)?;
        let is_header = |bytes: &[u8]| parse(bytes).is_ok();
        let bytes = top.read(self.rt(), dva.offset, size, &is_header).await?;
        let members = parse(&bytes).map_err(|e| damaged(e.to_string()))?;
        let mut total = 0u64;
        for member in &members {
            member.validate().map_err(|e| damaged(e.to_string()))?;
            if member.is_embedded() {
                return Err(damaged("an embedded member".to_string()));
            }
            total += member.psize();
        }
        match total == bp.psize() {
            true => Ok(members),
            false => Err(damaged(format!(
                "the members have {total} bytes, the block has {}",
                bp.psize()
            ))),
        }
    }

    /// All space that `bp` holds: every copy, and for gangs every header and member.
    ///
    /// # Errors
    /// When no copy of a gang header can be read: then the members are not known.
    pub async fn allocations(&self, bp: &Blkptr) -> core::result::Result<GangTree, ReadFailure> {
        let mut tree = GangTree::default();
        let mut queue = vec![(*bp, 0)];
        while let Some((bp, depth)) = queue.pop() {
            let space = bp.dvas().map(|dva| self.own_space(dva));
            tree.allocations.extend(space);
            if !bp.is_gang() {
                if depth > 0 {
                    tree.members.push(bp);
                }
                continue;
            }
            if depth == MAX_DEPTH {
                return Err(too_deep(&bp));
            }
            let members = self.any_header(&bp).await?;
            queue.extend(members.into_iter().rev().map(|m| (m, depth + 1)));
        }
        Ok(tree)
    }

    async fn any_header(&self, bp: &Blkptr) -> core::result::Result<Vec<Blkptr>, ReadFailure> {
        let mut failure = ReadFailure::default();
        for dva in bp.dvas().filter(|d| d.gang) {
            match self.read_header(bp, dva).await {
                Ok(members) => return Ok(members),
                Err(more) => failure.tries.extend(more.tries),
            }
        }
        Err(failure)
    }

    /// The space a copy holds by itself: of a gang, its header.
    pub fn own_space(&self, dva: Dva) -> Allocation {
        let header = || {
            let top = self.tops().get(dva.vdev as usize);
            let size = GANG_HEADER_SIZE as u64;
            top.map_or(size, |top| top.asize_of(size))
        };
        Allocation {
            vdev: dva.vdev,
            offset: dva.offset,
            size: if dva.gang { header() } else { dva.asize },
        }
    }
}

fn gang_failure(dva: Dva, size: u64, why: Why) -> ReadFailure {
    ReadFailure::one(FailedTry { device: format!("gang {dva}"), offset: dva.offset, size, why })
}

fn too_deep(bp: &Blkptr) -> ReadFailure {
    let why = Why::Pointer("headers inside headers without end".to_string());
    gang_failure(bp.dva(0), bp.psize(), why)
}
