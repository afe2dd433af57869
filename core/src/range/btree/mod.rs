//! The B-tree of OpenZFS, by its shape rules, over an arena.
//!
//! ```text
//!  core  elements   e0    e1    e2        at most 126
//!        children c0   c1    c2    c3     one more than elements
//!  leaf  elements                         at most 510 of 8 bytes, 254 of 16 bytes
//! ```
//!
//! An element lives once, in a core node or in a leaf. Except in the root, a leaf holds at least
//! `capacity / 2 - 1` and a core node at least 62; while the tree is in bulk mode its last leaf and
//! the last core node of each level may hold less.
//!
//! Two elements that are neither before nor after each other match. For ranges that is overlap, so
//! one key may match several elements, and which of them a search answers depends on the shape of
//! the tree: it stops at the highest node that has a match. OpenZFS places blocks by such searches;
//! that is why the shape is kept exactly. Bulk mode begins with the first element and ends with the
//! first removal or the first insert that is not into the last leaf.
//!
//! Source: `module/zfs/btree.c` (behaviour; the code here is new).

mod insert;
mod remove;
mod walk;

#[cfg(test)]
pub(super) mod verify;

pub(super) use walk::Pos;

use std_alloc::vec::Vec;

/// Most elements of a core node.
#[doc(alias = "BTREE_CORE_ELEMS")]
pub(super) const CORE_CAPACITY: usize = 126;

/// Least elements of a core node that is not the root.
const CORE_MIN: usize = CORE_CAPACITY / 2 - 1;

/// More levels than 2^32 nodes can make.
const MAX_LEVELS: usize = 8;

/// What a tree can hold.
pub(super) trait Element: Copy {
    /// Elements of a leaf: 4080 bytes of them, rounded down to an even number.
    const LEAF_CAPACITY: usize = (4080 / size_of::<Self>()) & !1;

    /// Whether all of it is before `key`.
    fn before(&self, key: &Self) -> bool;
}

#[derive(Clone, Debug)]
struct Core<E> {
    elems: Vec<E>,
    children: Vec<u32>,
}

/// The tree. Nodes are named by their index in the arena of their kind; at level 0 of `height`
/// levels above the leaves stands the root.
#[derive(Clone, Debug)]
pub(super) struct Btree<E> {
    leaves: Vec<Vec<E>>,
    cores: Vec<Core<E>>,
    free_leaves: Vec<u32>,
    free_cores: Vec<u32>,
    root: u32,
    height: usize,
    len: u64,
    /// The last leaf, while in bulk mode.
    bulk: Option<u32>,
}

/// Where `key` belongs in one node: the first element that is not before it, and whether that one
/// matches.
fn locate<E: Element>(elems: &[E], key: &E) -> (usize, bool) {
    let index = elems.partition_point(|e| e.before(key));
    let hit = elems.get(index).is_some_and(|e| !key.before(e));
    (index, hit)
}

impl<E: Element> Btree<E> {
    pub(super) const fn new() -> Self {
        Self {
            leaves: Vec::new(),
            cores: Vec::new(),
            free_leaves: Vec::new(),
            free_cores: Vec::new(),
            root: 0,
            height: 0,
            len: 0,
            bulk: None,
        }
    }

    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// Levels above the leaves.
    pub(super) const fn height(&self) -> usize {
        self.height
    }

    /// Most elements of a node `height` levels above the leaves.
    pub(super) const fn capacity(&self, height: usize) -> usize {
        match height {
            0 => E::LEAF_CAPACITY,
            _ => CORE_CAPACITY,
        }
    }

    /// Nodes in use.
    pub(super) fn nodes(&self) -> u64 {
        let leaves = self.leaves.len() - self.free_leaves.len();
        (leaves + self.cores.len() - self.free_cores.len()) as u64
    }

    /// Bytes of heap memory, spare room included.
    pub(super) fn memory_bytes(&self) -> u64 {
        let leaves = self.leaves.iter().map(|l| l.capacity() * size_of::<E>());
        let cores = self
            .cores
            .iter()
            .map(|c| c.elems.capacity() * size_of::<E>() + c.children.capacity() * 4);
        let arena = self.leaves.capacity() * size_of::<Vec<E>>()
            + self.cores.capacity() * size_of::<Core<E>>();
        let free = (self.free_leaves.capacity() + self.free_cores.capacity()) * 4;
        (leaves.sum::<usize>() + cores.sum::<usize>() + arena + free) as u64
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }

    fn leaf(&self, node: u32) -> &Vec<E> {
        &self.leaves[node as usize]
    }

    fn leaf_mut(&mut self, node: u32) -> &mut Vec<E> {
        &mut self.leaves[node as usize]
    }

    fn core(&self, node: u32) -> &Core<E> {
        &self.cores[node as usize]
    }

    fn core_mut(&mut self, node: u32) -> &mut Core<E> {
        &mut self.cores[node as usize]
    }

    /// Takes two leaves apart to move elements between them.
    fn two_leaves(&mut self, a: u32, b: u32) -> [&mut Vec<E>; 2] {
        let pair = self.leaves.get_disjoint_mut([a as usize, b as usize]);
        pair.expect("invariant: two nodes of a tree are different and exist")
    }

    fn two_cores(&mut self, a: u32, b: u32) -> [&mut Core<E>; 2] {
        let pair = self.cores.get_disjoint_mut([a as usize, b as usize]);
        pair.expect("invariant: two nodes of a tree are different and exist")
    }

    fn new_leaf(&mut self, elems: Vec<E>) -> u32 {
        match self.free_leaves.pop() {
            Some(node) => {
                *self.leaf_mut(node) = elems;
                node
            }
            None => {
                self.leaves.push(elems);
                (self.leaves.len() - 1) as u32
            }
        }
    }

    fn new_core(&mut self, core: Core<E>) -> u32 {
        match self.free_cores.pop() {
            Some(node) => {
                *self.core_mut(node) = core;
                node
            }
            None => {
                self.cores.push(core);
                (self.cores.len() - 1) as u32
            }
        }
    }

    /// Gives a leaf back and answers what it held.
    fn drop_leaf(&mut self, node: u32) -> Vec<E> {
        self.free_leaves.push(node);
        core::mem::take(self.leaf_mut(node))
    }

    fn drop_core(&mut self, node: u32) -> Core<E> {
        self.free_cores.push(node);
        let empty = Core { elems: Vec::new(), children: Vec::new() };
        core::mem::replace(self.core_mut(node), empty)
    }
}

impl<E> Core<E> {
    fn with_room() -> Self {
        Self {
            elems: Vec::with_capacity(CORE_CAPACITY),
            children: Vec::with_capacity(CORE_CAPACITY + 1),
        }
    }
}
