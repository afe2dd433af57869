//! Segments as the tree stores them, and the edits of a tree of them.

use super::btree::{Btree, Element, Pos};
use super::{Histogram, RangeError, Segment};

/// A segment in units of the tree, counted from its start.
pub(super) trait Seg: Element {
    fn new(start: u64, end: u64) -> Self;
    fn start(&self) -> u64;
    fn end(&self) -> u64;
    fn set_start(&mut self, start: u64);
    fn set_end(&mut self, end: u64);
}

macro_rules! seg {
    ($(#[$doc:meta])* $name:ident, $word:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(super) struct $name {
            start: $word,
            end: $word,
        }

        impl Element for $name {
            fn before(&self, key: &Self) -> bool {
                self.end <= key.start
            }
        }

        #[allow(clippy::cast_lossless, clippy::unnecessary_cast)]
        impl Seg for $name {
            fn new(start: u64, end: u64) -> Self {
                let (start, end) = (start as $word, end as $word);
                Self { start, end }
            }

            fn start(&self) -> u64 {
                self.start as u64
            }

            fn end(&self) -> u64 {
                self.end as u64
            }

            fn set_start(&mut self, start: u64) {
                self.start = start as $word;
            }

            fn set_end(&mut self, end: u64) {
                self.end = end as $word;
            }
        }
    };
}

seg! {
    /// 8 bytes, for trees of less than 2^32 units.
    #[doc(alias = "range_seg32_t")]
    Seg32, u32
}
seg! {
    /// 16 bytes.
    #[doc(alias = "range_seg64_t")]
    Seg64, u64
}

/// How segments are counted: the sums of a tree, and the way from units to bytes.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    pub(super) base: u64,
    pub(super) shift: u32,
    pub(super) space: u64,
    pub(super) histogram: Histogram,
}

impl Sums {
    pub(super) fn units<S: Seg>(&self, asked: Segment) -> S {
        let unit = |offset: u64| (offset - self.base) >> self.shift;
        S::new(unit(asked.start), unit(asked.end))
    }

    pub(super) fn bytes<S: Seg>(&self, seg: &S) -> Segment {
        let byte = |unit: u64| (unit << self.shift) + self.base;
        Segment { start: byte(seg.start()), end: byte(seg.end()) }
    }

    fn count<S: Seg>(&mut self, seg: &S) {
        self.histogram.add((seg.end() - seg.start()) << self.shift);
    }

    fn discount<S: Seg>(&mut self, seg: &S) {
        self.histogram.remove((seg.end() - seg.start()) << self.shift);
    }
}

/// Adds `asked`; merges with the neighbours it touches.
///
/// A merge with both removes the left one and lets the right one begin where the left one began;
/// a merge with one changes that one in place.
pub(super) fn add<S: Seg>(
    tree: &mut Btree<S>,
    sums: &mut Sums,
    asked: Segment,
) -> Result<(), RangeError> {
    let mut new: S = sums.units(asked);
    let at = tree.find(&new);
    if !at.is_gap() {
        let found = sums.bytes(&tree.get(&at));
        return Err(RangeError::Overlap { asked, found });
    }
    sums.space += asked.size();
    let touching = |pos: Option<Pos>, touches: &dyn Fn(&S) -> bool| {
        let pos = pos?;
        let seg = tree.get(&pos);
        touches(&seg).then_some((pos, seg))
    };
    let before = touching(tree.prev(at), &|s| s.end() == new.start());
    let after = touching(tree.next(at), &|s| s.start() == new.end());
    if let Some((_, seg)) = before {
        sums.discount(&seg);
        new.set_start(seg.start());
    }
    if let Some((_, seg)) = after {
        sums.discount(&seg);
        new.set_end(seg.end());
    }
    sums.count(&new);
    match (before, after) {
        (None, None) => tree.insert(at, new),
        (Some((pos, _)), None) => tree.get_mut(&pos).set_end(new.end()),
        (None, Some((pos, _))) => tree.get_mut(&pos).set_start(new.start()),
        (Some((pos, _)), Some((_, seg))) => {
            tree.remove(pos);
            let pos = tree.find(&seg);
            tree.get_mut(&pos).set_start(new.start());
        }
    }
    Ok(())
}

/// Removes `asked` from the segment that covers it. A hole shortens the left part in place and
/// inserts the right part.
pub(super) fn remove<S: Seg>(
    tree: &mut Btree<S>,
    sums: &mut Sums,
    asked: Segment,
) -> Result<(), RangeError> {
    let key: S = sums.units(asked);
    let at = tree.find(&key);
    if at.is_gap() {
        return Err(RangeError::Missing { asked, found: None });
    }
    let seg = tree.get(&at);
    if seg.start() > key.start() || seg.end() < key.end() {
        let found = Some(sums.bytes(&seg));
        return Err(RangeError::Missing { asked, found });
    }
    sums.space -= asked.size();
    sums.discount(&seg);
    let left = (seg.start() < key.start()).then(|| S::new(seg.start(), key.start()));
    let right = (seg.end() > key.end()).then(|| S::new(key.end(), seg.end()));
    left.iter().chain(&right).for_each(|part| sums.count(part));
    match (left, right) {
        (None, None) => tree.remove(at),
        (Some(left), None) => tree.get_mut(&at).set_end(left.end()),
        (None, Some(right)) => tree.get_mut(&at).set_start(right.start()),
        (Some(left), Some(right)) => {
            tree.get_mut(&at).set_end(left.end());
            let place = tree.next(at).unwrap_or_else(|| tree.find(&right));
            tree.insert(place, right);
        }
    }
    Ok(())
}
