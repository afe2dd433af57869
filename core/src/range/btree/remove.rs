//! Removing, borrowing and merging.

use super::{Btree, CORE_MIN, Element, Pos};

impl<E: Element> Btree<E> {
    /// Removes the element at `pos`. An element of a core node is replaced by the last one of the
    /// subtree on its left.
    #[doc(alias = "zfs_btree_remove_idx")]
    pub(in super::super) fn remove(&mut self, mut pos: Pos) {
        if self.bulk.is_some() {
            let value = self.get(&pos);
            self.end_bulk();
            pos = self.find(&value);
        }
        self.len -= 1;
        if self.is_core(&pos) {
            let (core, index) = (pos, pos.index);
            self.enter(&mut pos, index);
            self.descend(&mut pos, true);
            pos.index = self.leaf(pos.node).len() - 1;
            *self.get_mut(&core) = self.get(&pos);
        }
        let leaf = self.leaf_mut(pos.node);
        leaf.remove(pos.index);
        let min = E::LEAF_CAPACITY / 2 - 1;
        let left = leaf.len();
        match pos.parent() {
            None if left == 0 => self.clear(),
            Some((parent, at)) if left < min => self.refill_leaf(&pos, parent, at, min),
            _ => {}
        }
    }

    /// Mends leaf `at` of `parent`, which has one element too few: borrows from the left, then from
    /// the right, then merges with the left, then with the right.
    fn refill_leaf(&mut self, pos: &Pos, parent: u32, at: usize, min: usize) {
        let children = &self.core(parent).children;
        let left = at.checked_sub(1).map(|l| children[l]);
        let right = children.get(at + 1).copied();
        if let Some(left) = left.filter(|&l| self.leaf(l).len() > min) {
            let [from, to] = self.two_leaves(left, pos.node);
            let up = from.pop().expect("invariant: more than the minimum");
            to.insert(0, up);
            self.swap_first(parent, at - 1, pos.node);
        } else if let Some(right) = right.filter(|&r| self.leaf(r).len() > min) {
            let up = self.leaf_mut(right).remove(0);
            let separator = &mut self.core_mut(parent).elems[at];
            let down = core::mem::replace(separator, up);
            self.leaf_mut(pos.node).push(down);
        } else if let Some(left) = left {
            self.merge_leaves(parent, at - 1, left, pos.node);
            self.remove_child(pos, at);
        } else if let Some(right) = right {
            self.merge_leaves(parent, at, pos.node, right);
            self.remove_child(pos, at + 1);
        }
    }

    /// Exchanges separator `index` of `parent` with the first element of leaf `node`.
    fn swap_first(&mut self, parent: u32, index: usize, node: u32) {
        let separator = &mut self.cores[parent as usize].elems[index];
        core::mem::swap(separator, &mut self.leaves[node as usize][0]);
    }

    fn merge_leaves(&mut self, parent: u32, separator: usize, left: u32, right: u32) {
        let down = self.core(parent).elems[separator];
        let moved = self.drop_leaf(right);
        let left = self.leaf_mut(left);
        left.push(down);
        left.extend_from_slice(&moved);
    }

    /// Takes child `child` (not the first) and the separator in front of it out of the parent of
    /// `pos`, and mends the levels above in the same order as leaves.
    fn remove_child(&mut self, pos: &Pos, mut child: usize) {
        let mut pos = *pos;
        while pos.pop().is_some() {
            let core = self.core_mut(pos.node);
            core.elems.remove(child - 1);
            core.children.remove(child);
            let len = core.elems.len();
            let Some((parent, at)) = pos.parent() else {
                if len == 0 {
                    self.root = self.drop_core(pos.node).children[0];
                    self.height -= 1;
                }
                return;
            };
            if len >= CORE_MIN {
                return;
            }
            match self.refill_core(pos.node, parent, at) {
                Some(gone) => child = gone,
                None => return,
            }
        }
    }

    /// Mends core node `at` of `parent`; answers the child that a merge made superfluous.
    fn refill_core(&mut self, node: u32, parent: u32, at: usize) -> Option<usize> {
        let children = &self.core(parent).children;
        let left = at.checked_sub(1).map(|l| children[l]);
        let right = children.get(at + 1).copied();
        if let Some(left) = left.filter(|&l| self.core(l).elems.len() > CORE_MIN) {
            let [from, to] = self.two_cores(left, node);
            let up = from.elems.pop().expect("invariant: more than the minimum");
            let child = from.children.pop().expect("invariant: one child more");
            to.children.insert(0, child);
            let separator = &mut self.core_mut(parent).elems[at - 1];
            let down = core::mem::replace(separator, up);
            self.core_mut(node).elems.insert(0, down);
            None
        } else if let Some(right) = right.filter(|&r| self.core(r).elems.len() > CORE_MIN) {
            let [from, to] = self.two_cores(right, node);
            let up = from.elems.remove(0);
            to.children.push(from.children.remove(0));
            let separator = &mut self.core_mut(parent).elems[at];
            let down = core::mem::replace(separator, up);
            self.core_mut(node).elems.push(down);
            None
        } else if let Some(left) = left {
            self.merge_cores(parent, at - 1, left, node);
            Some(at)
        } else {
            self.merge_cores(parent, at, node, right?);
            Some(at + 1)
        }
    }

    fn merge_cores(&mut self, parent: u32, separator: usize, left: u32, right: u32) {
        let down = self.core(parent).elems[separator];
        let moved = self.drop_core(right);
        let left = self.core_mut(left);
        left.elems.push(down);
        left.elems.extend_from_slice(&moved.elems);
        left.children.extend_from_slice(&moved.children);
    }
}
