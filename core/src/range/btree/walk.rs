//! Searching, and stepping from element to element.

use super::{Btree, Element, MAX_LEVELS, locate};

/// A place in the tree: an element, or the gap before one where a missing element belongs. Any
/// insert or removal makes it stale.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Pos {
    /// Core node and child index of each level passed.
    pub(super) path: [(u32, u32); MAX_LEVELS],
    /// Levels passed.
    pub(super) depth: usize,
    /// The node: a core node when `depth` is less than the height.
    pub(super) node: u32,
    /// Element in the node; one past the last only for gaps.
    pub(super) index: usize,
    /// Whether it is the gap before the element.
    pub(super) gap: bool,
}

impl Pos {
    /// Whether no element matched.
    pub(in super::super) fn is_gap(&self) -> bool {
        self.gap
    }

    pub(super) const fn root(node: u32) -> Self {
        Self { path: [(0, 0); MAX_LEVELS], depth: 0, node, index: 0, gap: false }
    }

    pub(super) fn push(&mut self, child: usize, node: u32) {
        self.path[self.depth] = (self.node, child as u32);
        self.depth += 1;
        self.node = node;
    }

    /// Parent and child index in it; `None` for the root.
    pub(super) fn parent(&self) -> Option<(u32, usize)> {
        let level = self.depth.checked_sub(1)?;
        let (node, child) = self.path[level];
        Some((node, child as usize))
    }

    /// Goes up to the parent and answers the child index that was left.
    pub(super) fn pop(&mut self) -> Option<usize> {
        let (node, child) = self.parent()?;
        self.depth -= 1;
        self.node = node;
        Some(child)
    }
}

impl<E: Element> Btree<E> {
    pub(super) fn is_core(&self, pos: &Pos) -> bool {
        pos.depth < self.height
    }

    /// The elements of the node of `pos`.
    pub(super) fn elems(&self, pos: &Pos) -> &[E] {
        match self.is_core(pos) {
            true => &self.core(pos.node).elems,
            false => self.leaves.get(pos.node as usize).map_or(&[], |l| l),
        }
    }

    /// The element at `pos`, which is no gap.
    pub(in super::super) fn get(&self, pos: &Pos) -> E {
        self.elems(pos)[pos.index]
    }

    /// The element at `pos` to be changed in place. The change must keep the order.
    pub(in super::super) fn get_mut(&mut self, pos: &Pos) -> &mut E {
        match self.is_core(pos) {
            true => &mut self.core_mut(pos.node).elems[pos.index],
            false => &mut self.leaf_mut(pos.node)[pos.index],
        }
    }

    /// Goes down from `pos` to the leaf at its left or right end.
    pub(super) fn descend(&self, pos: &mut Pos, last: bool) {
        while self.is_core(pos) {
            let children = &self.core(pos.node).children;
            let child = if last { children.len() - 1 } else { 0 };
            pos.push(child, children[child]);
        }
    }

    /// Goes down to child `child` of the core node of `pos`.
    pub(super) fn enter(&self, pos: &mut Pos, child: usize) {
        pos.push(child, self.core(pos.node).children[child]);
    }

    /// Searches as OpenZFS does: an element that matches, or the gap where it belongs.
    #[doc(alias = "zfs_btree_find")]
    pub(in super::super) fn find(&self, key: &E) -> Pos {
        if let Some(pos) = self.find_at_end(key) {
            return pos;
        }
        let mut pos = Pos::root(self.root);
        loop {
            let (index, hit) = locate(self.elems(&pos), key);
            if hit || !self.is_core(&pos) {
                pos.index = index;
                pos.gap = !hit;
                return pos;
            }
            self.enter(&mut pos, index);
        }
    }

    /// The short cut of bulk mode: looks at the last leaf first.
    fn find_at_end(&self, key: &E) -> Option<Pos> {
        let elems = self.leaf(self.bulk?);
        let (first, last) = (elems.first()?, elems.last()?);
        let (index, gap) = if last.before(key) {
            (elems.len(), true)
        } else if !key.before(last) {
            (elems.len() - 1, false)
        } else if key.before(first) {
            return None;
        } else {
            let (index, hit) = locate(elems, key);
            (index, !hit)
        };
        let mut pos = Pos::root(self.root);
        self.descend(&mut pos, true);
        pos.index = index;
        pos.gap = gap;
        Some(pos)
    }

    /// The first element that is not before `key`, or the gap behind all.
    pub(in super::super) fn lower_bound(&self, key: &E) -> Option<Pos> {
        let mut pos = Pos::root(self.root);
        let mut best = None;
        loop {
            let elems = self.elems(&pos);
            pos.index = elems.partition_point(|e| e.before(key));
            if pos.index < elems.len() {
                best = Some(pos);
            }
            if !self.is_core(&pos) {
                return best;
            }
            let child = pos.index;
            self.enter(&mut pos, child);
        }
    }

    /// The first element.
    pub(in super::super) fn first(&self) -> Option<Pos> {
        let mut pos = Pos::root(self.root);
        self.descend(&mut pos, false);
        (self.len > 0).then_some(pos)
    }

    /// The element behind `pos`.
    pub(in super::super) fn next(&self, mut pos: Pos) -> Option<Pos> {
        self.step(&mut pos).then_some(pos)
    }

    /// Moves `pos` to the element behind it; `false` at the end, where `pos` is of no more use.
    pub(in super::super) fn step(&self, pos: &mut Pos) -> bool {
        if self.is_core(pos) {
            let child = pos.index + usize::from(!pos.gap);
            self.enter(pos, child);
            self.descend(pos, false);
            pos.index = 0;
            pos.gap = false;
            return true;
        }
        pos.index += usize::from(!pos.gap);
        pos.gap = false;
        while pos.index >= self.elems(pos).len() {
            let Some(child) = pos.pop() else { return false };
            pos.index = child;
        }
        true
    }

    /// The element in front of `pos`.
    pub(in super::super) fn prev(&self, mut pos: Pos) -> Option<Pos> {
        pos.gap = false;
        if self.is_core(&pos) {
            let child = pos.index;
            self.enter(&mut pos, child);
            self.descend(&mut pos, true);
            pos.index = self.elems(&pos).len();
        }
        while pos.index == 0 {
            pos.index = pos.pop()?;
        }
        pos.index -= 1;
        Some(pos)
    }

    /// The node at `path`, the child index at each level.
    pub(in super::super) fn node_at(&self, path: &[u32]) -> Option<Pos> {
        let mut pos = Pos::root(self.root);
        for &child in path {
            if !self.is_core(&pos) {
                return None;
            }
            let node = *self.core(pos.node).children.get(child as usize)?;
            pos.push(child as usize, node);
        }
        Some(pos)
    }

    /// Elements of the node of `pos`, and those of each of its children.
    pub(in super::super) fn family(&self, pos: &Pos) -> (&[E], impl Iterator<Item = &[E]>) {
        let children: &[u32] = match self.is_core(pos) {
            true => &self.core(pos.node).children,
            false => &[],
        };
        let cores = pos.depth + 1 < self.height;
        let elems_of = move |&node: &u32| match cores {
            true => &self.core(node).elems[..],
            false => &self.leaf(node)[..],
        };
        (self.elems(pos), children.iter().map(elems_of))
    }
}
