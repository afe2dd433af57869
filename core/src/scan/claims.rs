//! Who claims which space: the blocks' side of the leak check.
//!
//! Every block claims the ranges of its copies. Two claims on one range are damage, but for blocks
//! that are meant to be shared: deduplicated ones, and clones, of which the first pointer looks
//! like any other. At the end the claims are held against the space maps.

use crate::range::{RangeTree, Segment};
use crate::spa::LoadedMetaslab;
use crate::vdev::TopVdev;
use crate::view::SpaceRange;
use crate::zio::Allocation;
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// Ranges listed of each kind; the rest is added up in the last one.
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
    /// Claims of blocks that nothing else should claim.
    single: RangeTree,
    /// Claims of blocks that may be shared.
    shared: RangeTree,
}

impl Claims {
    pub(super) fn new(tops: &[TopVdev]) -> Self {
        let tree = |top: &TopVdev| RangeTree::new(0, top.asize, top.ashift);
        let claims = |top: &TopVdev| VdevClaims { single: tree(top), shared: tree(top) };
        Self { vdevs: tops.iter().map(claims).collect(), doubles: Vec::new(), bytes: 0 }
    }

    /// Claims one range; `owner` is asked for a name only when something is wrong. Answers whether
    /// any of it was not claimed before. A range outside of its vdev claims nothing: its block
    /// cannot be read, which is told elsewhere.
    pub(super) fn claim(
        &mut self,
        space: Allocation,
        shared: bool,
        owner: &dyn Fn() -> String,
    ) -> bool {
        let Some(claims) = self.vdevs.get_mut(space.vdev as usize) else {
            return true;
        };
        let (own, other) = match shared {
            true => (&mut claims.shared, &claims.single),
            false => (&mut claims.single, &claims.shared),
        };
        let elsewhere = other.contains(space.offset, space.size);
        let Ok(overlaps) = own.add_tolerant(space.offset, space.size) else {
            return true;
        };
        let again: u64 = overlaps.iter().map(|s| s.size()).sum();
        let again = if elsewhere { space.size } else { again };
        self.bytes += space.size.saturating_sub(again);
        if !shared {
            for s in overlaps {
                let range =
                    SpaceRange { owner: owner(), ..range(space.vdev.into(), s.start, s.end) };
                push(&mut self.doubles, range);
            }
        }
        again < space.size
    }

    /// Holds the claims against one loaded metaslab: what is allocated and not claimed, and what is
    /// claimed and not allocated.
    pub(super) fn compare(
        &self,
        metaslab: &LoadedMetaslab,
        leaks: &mut Vec<SpaceRange>,
        unallocated: &mut Vec<SpaceRange>,
    ) {
        let index = usize::try_from(metaslab.vdev).unwrap_or(usize::MAX);
        let Some(claims) = self.vdevs.get(index) else {
            return;
        };
        let (start, end) = (metaslab.start, metaslab.start + metaslab.size);
        let inside = |tree: &RangeTree| -> Vec<Segment> {
            let segments = tree.iter_from(start).take_while(|s| s.start < end);
            let cut = segments.map(|s| Segment { start: s.start.max(start), end: s.end.min(end) });
            cut.collect()
        };
        let mut claimed = inside(&claims.single);
        claimed.extend(inside(&claims.shared));
        claimed.sort_unstable_by_key(|s| s.start);
        let free: Vec<Segment> = metaslab.free.iter().collect();
        let vdev = metaslab.vdev;
        let mut at = start;
        for_each_joined(&claimed, &free, |segment| {
            if segment.start > at {
                push(leaks, range(vdev, at, segment.start));
            }
            at = at.max(segment.end);
        });
        if at < end {
            push(leaks, range(vdev, at, end));
        }
        overlaps(&claimed, &free, |segment| {
            push(unallocated, range(vdev, segment.start, segment.end));
        });
    }
}

/// Both sorted lists as one, by start.
fn for_each_joined(a: &[Segment], b: &[Segment], mut visit: impl FnMut(Segment)) {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let from_a = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) => x.start <= y.start,
            (x, None) if x.is_none() => return,
            (x, _) => x.is_some(),
        };
        let next = if from_a { a.next() } else { b.next() };
        visit(*next.expect("invariant: a peeked item is there"));
    }
}

/// What is in both sorted lists; `b` has no overlaps in itself.
fn overlaps(a: &[Segment], b: &[Segment], mut visit: impl FnMut(Segment)) {
    let mut from = 0;
    for x in a {
        // Lists of claims may overlap, but start in order.
        while b.get(from).is_some_and(|y| y.end <= x.start) {
            from += 1;
        }
        let rest = b.get(from..).unwrap_or(&[]);
        for y in rest.iter().take_while(|y| y.start < x.end) {
            let (start, end) = (x.start.max(y.start), x.end.min(y.end));
            if start < end {
                visit(Segment { start, end });
            }
        }
    }
}

fn range(vdev: u64, from: u64, to: u64) -> SpaceRange {
    SpaceRange { vdev, offset: from, size: to.saturating_sub(from), owner: String::new() }
}

fn push(list: &mut Vec<SpaceRange>, range: SpaceRange) {
    if list.len() < LISTED_MAX {
        list.push(range);
    } else if let Some(last) = list.last_mut() {
        last.size = last.size.saturating_add(range.size);
        last.owner = format!("and all further ones, {} bytes in all", last.size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std_alloc::vec;

    fn seg(start: u64, end: u64) -> Segment {
        Segment { start, end }
    }

    #[test]
    fn overlaps_and_gaps_are_found_whatever_overlaps_in_itself() {
        let check = |a: &[Segment], b: &[Segment], expect: &[Segment]| {
            let mut found = Vec::new();
            overlaps(a, b, |s| found.push(s));
            assert_eq!(found, expect);
        };
        let free = [seg(10, 20), seg(30, 40), seg(50, 60)];
        check(&[seg(0, 10), seg(20, 30), seg(60, 70)], &free, &[]);
        check(&[seg(5, 35), seg(8, 12)], &free, &[seg(10, 20), seg(30, 35), seg(10, 12)]);
        let mut order = Vec::new();
        for_each_joined(&[seg(1, 2), seg(9, 10)], &free, |s| order.push(s.start));
        assert_eq!(order, vec![1, 9, 10, 30, 50]);
    }
}
