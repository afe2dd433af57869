//! The range tree: disjoint segments that merge when they touch.

use super::btree::{Btree, Pos};
use super::segs::{self, Seg, Seg32, Seg64, Sums};
use super::{Histogram, RangeError, Segment};
use std_alloc::vec::Vec;

/// Disjoint segments in order, merged where they touch, in a B-tree of OpenZFS's shape.
///
/// A search for a range that overlaps several segments answers the one that OpenZFS's search
/// would; [`RangeTree::lower_bound`] and the iterators do not depend on the shape.
#[doc(alias = "range_tree_t")]
#[derive(Clone, Debug)]
pub struct RangeTree {
    covers: Segment,
    sums: Sums,
    pub(super) store: Store,
}

#[derive(Clone, Debug)]
pub(super) enum Store {
    Narrow(Btree<Seg32>),
    Wide(Btree<Seg64>),
}

/// Runs `$body` with `$tree` as the B-tree of the right width.
macro_rules! on {
    ($store:expr, $tree:ident => $body:expr) => {
        match $store {
            Store::Narrow($tree) => $body,
            Store::Wide($tree) => $body,
        }
    };
}

/// One node of the tree, for pictures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRef {
    /// Whether it is a leaf.
    pub leaf: bool,
    /// Levels between it and the leaves; 0 for a leaf.
    pub height: u32,
    /// Segments in the node. In a core node they separate the children.
    pub segments: Vec<Segment>,
    /// Most segments that fit.
    pub capacity: u32,
    /// Children of a core node: one more than segments.
    pub children: Vec<NodeChild>,
}

/// What a core node tells of one child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeChild {
    /// Segments in the child node itself.
    pub count: u32,
    /// Its first segment.
    pub first: Segment,
    /// Its last segment.
    pub last: Segment,
}

/// Segments in order.
#[derive(Clone)]
pub struct Iter<'a> {
    tree: &'a RangeTree,
    at: Option<Pos>,
    left: u64,
}

impl Iterator for Iter<'_> {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        let at = self.at.as_mut()?;
        self.left = self.left.saturating_sub(1);
        on!(&self.tree.store, tree => {
            let segment = self.tree.sums.bytes(&tree.get(at));
            if !tree.step(at) {
                self.at = None;
            }
            Some(segment)
        })
    }

    /// Exact for a whole tree, nothing but an upper bound for a part of one.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let whole = left as u64 == self.tree.segments();
        (if whole { left } else { 0 }, Some(left))
    }
}

impl RangeTree {
    /// An empty tree over `size` bytes from `start`, in units of `1 << shift` bytes. Segments take
    /// 8 bytes when `size >> shift` fits 32 bits, else 16.
    pub fn new(start: u64, size: u64, shift: u32) -> Self {
        let (end, shift) = (start.saturating_add(size), shift.min(63));
        let narrow = u32::try_from((end - start) >> shift).is_ok();
        Self {
            covers: Segment { start, end },
            sums: Sums { base: start, shift, space: 0, histogram: Histogram::new() },
            store: match narrow {
                true => Store::Narrow(Btree::new()),
                false => Store::Wide(Btree::new()),
            },
        }
    }

    /// A tree that holds all whole units of what it covers.
    pub fn full(start: u64, size: u64, shift: u32) -> Self {
        let mut tree = Self::new(start, size, shift);
        let whole = tree.covers.size() >> tree.sums.shift << tree.sums.shift;
        if whole > 0 {
            tree.add(start, whole).expect("invariant: whole units of an empty tree");
        }
        tree
    }

    fn asked(&self, start: u64, size: u64) -> Result<Segment, RangeError> {
        let end = start.checked_add(size).filter(|&end| end > start);
        let inside = end.filter(|&end| start >= self.covers.start && end <= self.covers.end);
        let Some(end) = inside else {
            let tree = self.covers;
            return Err(RangeError::Outside { start, size, tree });
        };
        let unit = 1u64 << self.sums.shift;
        if ((start - self.covers.start) | size) & (unit - 1) != 0 {
            return Err(RangeError::Misaligned { start, size, unit });
        }
        Ok(Segment { start, end })
    }

    /// Adds a range. Nothing of it may be in the tree.
    #[doc(alias = "range_tree_add")]
    pub fn add(&mut self, start: u64, size: u64) -> Result<(), RangeError> {
        let asked = self.asked(start, size)?;
        on!(&mut self.store, tree => segs::add(tree, &mut self.sums, asked))
    }

    /// Removes a range. All of it must be in the tree.
    #[doc(alias = "range_tree_remove")]
    pub fn remove(&mut self, start: u64, size: u64) -> Result<(), RangeError> {
        let asked = self.asked(start, size)?;
        on!(&mut self.store, tree => segs::remove(tree, &mut self.sums, asked))
    }

    /// Adds the parts of a range that are not in the tree. Answers the parts that were, in order.
    pub fn add_tolerant(&mut self, start: u64, size: u64) -> Result<Vec<Segment>, RangeError> {
        let asked = self.asked(start, size)?;
        let there: Vec<_> = self.parts(asked).collect();
        let mut at = start;
        for part in &there {
            if part.start > at {
                self.add(at, part.start - at)?;
            }
            at = part.end;
        }
        if asked.end > at {
            self.add(at, asked.end - at)?;
        }
        Ok(there)
    }

    /// Removes whatever the tree holds of a range. Answers the parts that were there, in order.
    #[doc(alias = "range_tree_clear")]
    pub fn clear_range(&mut self, start: u64, size: u64) -> Result<Vec<Segment>, RangeError> {
        let asked = self.asked(start, size)?;
        let there: Vec<_> = self.parts(asked).collect();
        for part in &there {
            self.remove(part.start, part.size())?;
        }
        Ok(there)
    }

    /// The parts of `asked` that are in the tree.
    fn parts(&self, asked: Segment) -> impl Iterator<Item = Segment> + '_ {
        self.iter_from(asked.start)
            .take_while(move |s| s.start < asked.end)
            .map(move |s| Segment { start: s.start.max(asked.start), end: s.end.min(asked.end) })
    }

    /// Whether all of the range is in the tree.
    #[doc(alias = "range_tree_contains")]
    pub fn contains(&self, start: u64, size: u64) -> bool {
        let found = self.find(start, size);
        found.is_some_and(|s| s.start <= start && s.end - start >= size)
    }

    /// A segment that overlaps the range: of several the one that OpenZFS's search meets first,
    /// which depends on the shape of the tree. `None` also for ranges that the tree cannot hold.
    #[doc(alias = "range_tree_find_impl")]
    pub fn find(&self, start: u64, size: u64) -> Option<Segment> {
        let asked = self.asked(start, size).ok()?;
        on!(&self.store, tree => {
            let at = tree.find(&self.sums.units(asked));
            (!at.is_gap()).then(|| self.sums.bytes(&tree.get(&at)))
        })
    }

    /// The first segment that ends behind `offset`.
    pub fn lower_bound(&self, offset: u64) -> Option<Segment> {
        self.iter_from(offset).next()
    }

    /// All segments in order.
    pub fn iter(&self) -> Iter<'_> {
        let at = on!(&self.store, tree => tree.first());
        self.iter_at(at)
    }

    /// The segments that end behind `offset`, in order.
    pub fn iter_from(&self, offset: u64) -> Iter<'_> {
        let Segment { start, end } = self.covers;
        if offset >= end {
            return self.iter_at(None);
        }
        let unit = (offset.max(start) - start) >> self.sums.shift;
        let at = on!(&self.store, tree => tree.lower_bound(&Seg::new(unit, unit)));
        self.iter_at(at)
    }

    fn iter_at(&self, at: Option<Pos>) -> Iter<'_> {
        let left = self.segments();
        Iter { tree: self, at, left }
    }

    /// What the tree covers.
    pub fn covers(&self) -> Segment {
        self.covers
    }

    /// Number of segments.
    pub fn segments(&self) -> u64 {
        on!(&self.store, tree => tree.len())
    }

    /// Bytes in all segments.
    pub fn space(&self) -> u64 {
        self.sums.space
    }

    /// Segments by size: index is log2 of bytes.
    pub fn histogram(&self) -> &[u64; 64] {
        self.sums.histogram.counts()
    }

    /// Bytes of the largest segment, 0 when empty. Looks at every segment.
    pub fn max_segment(&self) -> u64 {
        self.iter().map(Segment::size).max().unwrap_or(0)
    }

    /// Bytes of memory that the tree occupies.
    pub fn memory_bytes(&self) -> u64 {
        size_of::<Self>() as u64 + on!(&self.store, tree => tree.memory_bytes())
    }

    /// Empties the tree.
    #[doc(alias = "range_tree_vacate")]
    pub fn vacate(&mut self) {
        on!(&mut self.store, tree => tree.clear());
        self.sums.space = 0;
        self.sums.histogram = Histogram::new();
    }

    /// Levels above the leaves; 0 for a single leaf or an empty tree.
    pub fn height(&self) -> u32 {
        on!(&self.store, tree => tree.height() as u32)
    }

    /// Number of nodes.
    pub fn node_count(&self) -> u64 {
        on!(&self.store, tree => tree.nodes())
    }

    /// The node at `path`, the child index at each level from the root; `None` where there is none.
    pub fn node_at(&self, path: &[u32]) -> Option<NodeRef> {
        on!(&self.store, tree => self.node_in(tree, path))
    }

    fn node_in<S: Seg>(&self, tree: &Btree<S>, path: &[u32]) -> Option<NodeRef> {
        let node = tree.node_at(path)?;
        let (elems, children) = tree.family(&node);
        let height = tree.height() - path.len();
        let child = |elems: &[S]| {
            let (first, last) = (elems.first()?, elems.last()?);
            Some(NodeChild {
                count: elems.len() as u32,
                first: self.sums.bytes(first),
                last: self.sums.bytes(last),
            })
        };
        Some(NodeRef {
            leaf: height == 0,
            height: height as u32,
            segments: elems.iter().map(|s| self.sums.bytes(s)).collect(),
            capacity: tree.capacity(height) as u32,
            children: children.filter_map(child).collect(),
        })
    }
}

impl<'a> IntoIterator for &'a RangeTree {
    type Item = Segment;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}
