//! The range tree: disjoint segments that merge when they touch.

use super::{RangeError, Segment};
use std_alloc::collections::BTreeMap;
use std_alloc::vec::Vec;

/// Disjoint segments in order, merged where they touch.
#[doc(alias = "range_tree_t")]
#[derive(Clone, Debug)]
pub struct RangeTree {
    covers: Segment,
    shift: u32,
    map: BTreeMap<u64, u64>,
    space: u64,
    histogram: [u64; 64],
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
pub struct Iter<'a> {
    inner: std_alloc::collections::btree_map::Range<'a, u64, u64>,
}

impl Iterator for Iter<'_> {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        let (&start, &end) = self.inner.next()?;
        Some(Segment { start, end })
    }
}

impl RangeTree {
    /// An empty tree over `size` bytes from `start`, in units of `1 << shift` bytes. Segments take
    /// 8 bytes when `size >> shift` fits 32 bits, else 16.
    pub fn new(start: u64, size: u64, shift: u32) -> Self {
        let end = start.saturating_add(size);
        Self {
            covers: Segment { start, end },
            shift,
            map: BTreeMap::new(),
            space: 0,
            histogram: [0; 64],
        }
    }

    /// A tree that holds everything it covers. Empty when `size` is less than a unit.
    pub fn full(start: u64, size: u64, shift: u32) -> Self {
        let mut tree = Self::new(start, size, shift);
        let whole = size >> shift << shift;
        let _ = tree.add(start, whole);
        tree
    }

    fn asked(&self, start: u64, size: u64) -> Result<Segment, RangeError> {
        let end = start.checked_add(size).filter(|&end| end > start);
        let inside = end.filter(|&end| start >= self.covers.start && end <= self.covers.end);
        let Some(end) = inside else {
            let tree = self.covers;
            return Err(RangeError::Outside { start, size, tree });
        };
        let unit = 1u64 << self.shift;
        if ((start - self.covers.start) | size) & (unit - 1) != 0 {
            return Err(RangeError::Misaligned { start, size, unit });
        }
        Ok(Segment { start, end })
    }

    fn put(&mut self, s: Segment) {
        self.map.insert(s.start, s.end);
        self.space += s.size();
        self.histogram[s.size().ilog2() as usize] += 1;
    }

    fn drop_segment(&mut self, s: Segment) {
        self.map.remove(&s.start);
        self.space -= s.size();
        self.histogram[s.size().ilog2() as usize] -= 1;
    }

    fn first_overlap(&self, asked: Segment) -> Option<Segment> {
        self.iter_from(asked.start)
            .next()
            .filter(|s| s.start < asked.end)
    }

    /// Adds a range. Nothing of it may be in the tree.
    pub fn add(&mut self, start: u64, size: u64) -> Result<(), RangeError> {
        let asked = self.asked(start, size)?;
        if let Some(found) = self.first_overlap(asked) {
            return Err(RangeError::Overlap { asked, found });
        }
        let mut new = asked;
        let before = self.map.range(..start).next_back().map(|(&s, &e)| (s, e));
        if let Some((s, end)) = before.filter(|&(_, end)| end == start) {
            self.drop_segment(Segment { start: s, end });
            new.start = s;
        }
        if let Some(&end) = self.map.get(&asked.end) {
            self.drop_segment(Segment {
                start: asked.end,
                end,
            });
            new.end = end;
        }
        self.put(new);
        Ok(())
    }

    /// Removes a range. All of it must be in the tree.
    pub fn remove(&mut self, start: u64, size: u64) -> Result<(), RangeError> {
        let asked = self.asked(start, size)?;
        let found = self.first_overlap(asked);
        match found.filter(|s| s.start <= asked.start && s.end >= asked.end) {
            None => return Err(RangeError::Missing { asked, found }),
            Some(s) => {
                self.drop_segment(s);
                if s.start < asked.start {
                    self.put(Segment {
                        start: s.start,
                        end: asked.start,
                    });
                }
                if s.end > asked.end {
                    self.put(Segment {
                        start: asked.end,
                        end: s.end,
                    });
                }
            }
        }
        Ok(())
    }

    /// Adds the parts of a range that are not in the tree. Answers the parts that were.
    pub fn add_tolerant(&mut self, start: u64, size: u64) -> Result<Vec<Segment>, RangeError> {
        let asked = self.asked(start, size)?;
        let there = self.clear_range(start, size)?;
        self.add(asked.start, asked.size())?;
        Ok(there)
    }

    /// Removes whatever the tree holds of a range. Answers the parts that were there.
    #[doc(alias = "range_tree_clear")]
    pub fn clear_range(&mut self, start: u64, size: u64) -> Result<Vec<Segment>, RangeError> {
        let asked = self.asked(start, size)?;
        let mut parts = Vec::new();
        while let Some(s) = self.first_overlap(asked) {
            let (start, end) = (s.start.max(asked.start), s.end.min(asked.end));
            self.remove(start, end - start)?;
            parts.push(Segment { start, end });
        }
        Ok(parts)
    }

    /// Whether all of the range is in the tree.
    pub fn contains(&self, start: u64, size: u64) -> bool {
        match self.asked(start, size) {
            Ok(asked) => self
                .first_overlap(asked)
                .is_some_and(|s| s.start <= asked.start && s.end >= asked.end),
            Err(_) => false,
        }
    }

    /// A segment that overlaps the range: of several the one that OpenZFS's search meets first,
    /// which depends on the shape of the tree.
    pub fn find(&self, start: u64, size: u64) -> Option<Segment> {
        self.first_overlap(self.asked(start, size).ok()?)
    }

    /// The first segment that ends behind `offset`.
    pub fn lower_bound(&self, offset: u64) -> Option<Segment> {
        self.iter_from(offset).next()
    }

    /// All segments in order.
    pub fn iter(&self) -> Iter<'_> {
        let inner = self.map.range(..);
        Iter { inner }
    }

    /// The segments that end behind `offset`, in order.
    pub fn iter_from(&self, offset: u64) -> Iter<'_> {
        let before = self.map.range(..=offset).next_back();
        let from = before
            .filter(|&(_, &end)| end > offset)
            .map_or(offset, |(&s, _)| s);
        let inner = self.map.range(from..);
        Iter { inner }
    }

    /// What the tree covers.
    pub fn covers(&self) -> Segment {
        self.covers
    }

    /// Number of segments.
    pub fn segments(&self) -> u64 {
        self.map.len() as u64
    }

    /// Bytes in all segments.
    pub fn space(&self) -> u64 {
        self.space
    }

    /// Segments by size: index is log2 of bytes.
    pub fn histogram(&self) -> &[u64; 64] {
        &self.histogram
    }

    /// Bytes of the largest segment, 0 when empty. Looks at every segment.
    pub fn max_segment(&self) -> u64 {
        self.iter().map(Segment::size).max().unwrap_or(0)
    }

    /// Bytes of memory that the tree occupies.
    pub fn memory_bytes(&self) -> u64 {
        self.segments() * 24
    }

    /// Empties the tree.
    pub fn vacate(&mut self) {
        self.map.clear();
        self.space = 0;
        self.histogram = [0; 64];
    }

    /// Levels above the leaves; 0 for a single leaf or an empty tree.
    pub fn height(&self) -> u32 {
        0
    }

    /// Number of nodes.
    pub fn node_count(&self) -> u64 {
        1
    }

    /// The node at `path`, the child index at each level from the root; `None` where there is none.
    pub fn node_at(&self, path: &[u32]) -> Option<NodeRef> {
        path.is_empty().then(|| NodeRef {
            leaf: true,
            height: 0,
            segments: self.iter().take(510).collect(),
            capacity: 510,
            children: Vec::new(),
        })
    }
}
