//! Inserting, splitting, and the end of bulk mode.

use super::{Btree, CORE_CAPACITY, Core, Element, Pos};
use core::mem::replace;
use std_alloc::vec::Vec;

impl<E: Element> Btree<E> {
    /// Puts `value`, which matches no element, in front of what is at `pos`.
    ///
    /// In front of an element of a core node, `value` takes its slot and that element goes to the
    /// left end of the subtree on the right.
    #[doc(alias = "zfs_btree_add_idx")]
    pub(in super::super) fn insert(&mut self, mut pos: Pos, value: E) {
        if self.len == 0 {
            let leaf = self.new_leaf(Vec::from([value]));
            (self.root, self.height, self.len) = (leaf, 0, 1);
            self.bulk = Some(leaf);
            return;
        }
        if let Some(last) = self.bulk
            && (self.is_core(&pos) || pos.node != last)
        {
            self.end_bulk();
            pos = self.find(&value);
        }
        self.len += 1;
        if !self.is_core(&pos) {
            return self.insert_in_leaf(&pos, value);
        }
        let index = pos.index;
        let moved = replace(self.get_mut(&pos), value);
        self.enter(&mut pos, index + 1);
        self.descend(&mut pos, false);
        pos.index = 0;
        self.insert_in_leaf(&pos, moved);
    }

    fn insert_in_leaf(&mut self, pos: &Pos, value: E) {
        let capacity = E::LEAF_CAPACITY;
        let part = if self.bulk.is_some() { 4 } else { 2 };
        let at = pos.index;
        let leaf = self.leaf_mut(pos.node);
        if leaf.len() < capacity {
            if leaf.len() == leaf.capacity() && leaf.len() >= capacity / 2 {
                leaf.reserve_exact(capacity - leaf.len());
            }
            leaf.insert(at, value);
            return;
        }
        let moved = (capacity / part - 1).max(2);
        let mut keep = capacity - moved - 1;
        if at < keep {
            keep -= 1;
        }
        let mut right = Vec::with_capacity(capacity);
        right.extend_from_slice(&leaf[keep + 1..]);
        let mut separator = leaf[keep];
        leaf.truncate(keep);
        match at.cmp(&keep) {
            core::cmp::Ordering::Less => leaf.insert(at, value),
            core::cmp::Ordering::Greater => right.insert(at - keep - 1, value),
            core::cmp::Ordering::Equal => right.insert(0, replace(&mut separator, value)),
        }
        let right = self.new_leaf(right);
        if self.bulk.is_some() {
            self.bulk = Some(right);
        }
        self.insert_in_parents(pos, separator, right);
    }

    /// Puts a new node and the separator in front of it behind the node of `pos`, splitting
    /// parents as far up as they are full.
    fn insert_in_parents(&mut self, pos: &Pos, mut separator: E, mut new: u32) {
        let part = if self.bulk.is_some() { 4 } else { 2 };
        for &(parent, child) in pos.path[..pos.depth].iter().rev() {
            let (core, child) = (self.core_mut(parent), child as usize);
            if core.elems.len() < CORE_CAPACITY {
                core.elems.insert(child, separator);
                core.children.insert(child + 1, new);
                return;
            }
            let keep = CORE_CAPACITY - (CORE_CAPACITY / part - 1).max(2) - 1;
            let mut right = Core::with_room();
            right.elems.extend_from_slice(&core.elems[keep + 1..]);
            right.children.extend_from_slice(&core.children[keep + 1..]);
            let up = core.elems[keep];
            core.elems.truncate(keep);
            core.children.truncate(keep + 1);
            match child.cmp(&keep) {
                core::cmp::Ordering::Less => {
                    core.elems.insert(child, replace(&mut separator, up));
                    core.children.insert(child + 1, new);
                }
                core::cmp::Ordering::Greater => {
                    let child = child - keep - 1;
                    right.elems.insert(child, replace(&mut separator, up));
                    right.children.insert(child + 1, new);
                }
                core::cmp::Ordering::Equal => {
                    right.elems.insert(0, up);
                    right.children.insert(0, new);
                }
            }
            new = self.new_core(right);
        }
        let mut root = Core::with_room();
        root.elems.push(separator);
        root.children.extend([self.root, new]);
        self.root = self.new_core(root);
        self.height += 1;
    }

    /// Leaves bulk mode: fills the last leaf to half its capacity and the last core node of each
    /// level to 63, from their left neighbours.
    #[doc(alias = "zfs_btree_bulk_finish")]
    pub(super) fn end_bulk(&mut self) {
        self.bulk = None;
        let mut end = Pos::root(self.root);
        self.descend(&mut end, true);
        let short = (E::LEAF_CAPACITY / 2).saturating_sub(self.leaf(end.node).len());
        if end.depth > 0 && short > 0 {
            self.fill_last_leaf(end, short);
        }
        while let Some(child) = end.pop() {
            let Some((parent, at)) = end.parent() else {
                return;
            };
            debug_assert!(child > 0 && at > 0, "bulk mode splits off two children at least");
            let short = (CORE_CAPACITY / 2).saturating_sub(self.core(end.node).elems.len());
            if short > 0 {
                let left = self.core(parent).children[at - 1];
                let [from, to] = self.two_cores(left, end.node);
                let first = from.elems.len() - short;
                let mut elems = from.elems.split_off(first);
                let children = from.children.split_off(first + 1);
                elems.rotate_left(1);
                to.elems.splice(0..0, elems.iter().copied());
                to.children.splice(0..0, children);
                let separator = &mut self.core_mut(parent).elems[at - 1];
                let down = replace(separator, elems[short - 1]);
                self.core_mut(end.node).elems[short - 1] = down;
            }
        }
    }

    /// Moves `short` elements to the last leaf, through the separator that stands between it and
    /// the leaf before it.
    fn fill_last_leaf(&mut self, end: Pos, short: usize) {
        let first = Pos { index: 0, ..end };
        let common = self.prev(first).expect("invariant: the tree has two leaves");
        let before = self.prev(common).expect("invariant: a subtree is not empty");
        let [from, to] = self.two_leaves(before.node, end.node);
        let mut elems = from.split_off(from.len() - short);
        elems.rotate_left(1);
        to.splice(0..0, elems.iter().copied());
        let down = replace(self.get_mut(&common), elems[short - 1]);
        self.leaf_mut(end.node)[short - 1] = down;
    }
}
