//! Who claims which space: the blocks' side of the leak check.
//!
//! Every block claims the ranges of its copies. Two claims on one range are damage, but for blocks
//! that are meant to be shared: deduplicated ones, and clones of block cloning, which carry a
//! physical birth of their own. At the end the claims are held against the space maps.

use crate::format::{Blkptr, Dva, GANG_HEADER_SIZE};
use crate::range::RangeTree;
use crate::spa::LoadedMetaslab;
use crate::vdev::TopVdev;
use crate::view::SpaceRange;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// Ranges listed of each kind; more are counted in the last one's owner text.
const LISTED_MAX: usize = 1000;

/// Claims on the space of all top-level vdevs.
pub(super) struct Claims {
    vdevs: Vec<VdevClaims>,
    /// Space that two blocks claim.
    pub(super) doubles: Vec<SpaceRange>,
    /// Bytes claimed, shared blocks once.
    pub(super) bytes: u64,
}

struct VdevClaims {
    single: RangeTree,
    shared: RangeTree,
    /// Bytes that a gang header takes.
    gang_header: u64,
}

impl Claims {
    pub(super) fn new(tops: &[TopVdev]) -> Self {
        let claims = |top: &TopVdev| VdevClaims {
            single: RangeTree::new(0, top.asize, top.ashift.min(63)),
            shared: RangeTree::new(0, top.asize, top.ashift.min(63)),
            gang_header: top.asize_of(GANG_HEADER_SIZE as u64),
        };
        Self {
            vdevs: tops.iter().map(claims).collect(),
            doubles: Vec::new(),
            bytes: 0,
        }
    }

    /// Claims all copies of `bp`; `owner` is asked for a name only when something is wrong. Answers
    /// whether the block is counted for the first time.
    pub(super) fn claim(&mut self, bp: &Blkptr, owner: &dyn Fn() -> String) -> bool {
        let shared = bp.is_dedup() || bp.physical_birth() != bp.birth();
        let mut first = false;
        for dva in bp.dvas() {
            first |= self.claim_range(dva, shared, owner);
        }
        first || !shared
    }

    /// Claims one range; gang headers and members come here by themselves.
    pub(super) fn claim_range(
        &mut self,
        dva: Dva,
        shared: bool,
        owner: &dyn Fn() -> String,
    ) -> bool {
        let vdev = u64::from(dva.vdev);
        let Some(claims) = self.vdevs.get_mut(dva.vdev as usize) else {
            return false;
        };
        let tree = if shared {
            &mut claims.shared
        } else {
            &mut claims.single
        };
        let asize = if dva.gang {
            claims.gang_header
        } else {
            dva.asize
        };
        let Ok(overlaps) = tree.add_tolerant(dva.offset, asize) else {
            return false;
        };
        let again: u64 = overlaps.iter().map(|s| s.end - s.start).sum();
        self.bytes += asize - again.min(asize);
        if !shared {
            for s in overlaps {
                let size = s.end - s.start;
                push(
                    &mut self.doubles,
                    SpaceRange {
                        vdev,
                        offset: s.start,
                        size,
                        owner: owner(),
                    },
                );
            }
        }
        again < asize
    }

    /// Holds the claims against one loaded metaslab: what is allocated and not claimed, and what is
    /// claimed and not allocated.
    pub(super) fn compare(
        &self,
        metaslab: &LoadedMetaslab,
        leaks: &mut Vec<SpaceRange>,
        unallocated: &mut Vec<SpaceRange>,
    ) {
        let Some(claims) = usize::try_from(metaslab.vdev)
            .ok()
            .and_then(|v| self.vdevs.get(v))
        else {
            return;
        };
        let (start, end) = (metaslab.start, metaslab.start + metaslab.size);
        // What is neither free nor claimed leaks.
        let mut rest = RangeTree::full(start, metaslab.size, 9);
        let remove = |rest: &mut RangeTree, from: u64, to: u64| {
            let (from, to) = (from.max(start), to.min(end));
            if from < to {
                let _ = rest.clear_range(from, to - from);
            }
        };
        for s in metaslab.free.iter() {
            remove(&mut rest, s.start, s.end);
        }
        for tree in [&claims.single, &claims.shared] {
            for s in tree.iter_from(start).take_while(|s| s.start < end) {
                remove(&mut rest, s.start, s.end);
                for free in metaslab
                    .free
                    .iter_from(s.start)
                    .take_while(|f| f.start < s.end)
                {
                    let (from, to) = (free.start.max(s.start), free.end.min(s.end));
                    push(unallocated, range(metaslab.vdev, from, to));
                }
            }
        }
        for s in rest.iter() {
            push(leaks, range(metaslab.vdev, s.start, s.end));
        }
    }
}

fn range(vdev: u64, from: u64, to: u64) -> SpaceRange {
    SpaceRange {
        vdev,
        offset: from,
        size: to.saturating_sub(from),
        owner: String::new(),
    }
}

fn push(list: &mut Vec<SpaceRange>, range: SpaceRange) {
    if list.len() < LISTED_MAX {
        list.push(range);
    } else if let Some(last) = list.last_mut() {
        last.size += range.size;
        last.owner = "and more behind it".to_string();
    }
}
