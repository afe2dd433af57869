//! Checks of every rule the shape obeys, for tests.

use super::{Btree, CORE_CAPACITY, CORE_MIN, Element, Pos};
use std_alloc::vec::Vec;

/// Elements of the nodes of each level, from the root to the leaves.
pub(in super::super) type Shape = Vec<Vec<usize>>;

impl<E: Element> Btree<E> {
    pub(in super::super) fn in_bulk_mode(&self) -> bool {
        self.bulk.is_some()
    }

    /// Elements of each node, level by level.
    pub(in super::super) fn shape(&self) -> Shape {
        if self.len == 0 {
            return Vec::new();
        }
        let mut levels = Vec::new();
        let mut nodes = Vec::from([self.root]);
        for _ in 0..self.height {
            levels.push(nodes.iter().map(|&n| self.core(n).elems.len()).collect());
            let children = nodes.iter().flat_map(|&n| self.core(n).children.clone());
            nodes = children.collect();
        }
        levels.push(nodes.iter().map(|&n| self.leaf(n).len()).collect());
        levels
    }

    /// Panics where a rule is broken.
    pub(in super::super) fn verify(&self) {
        let mut all = Vec::new();
        if self.len > 0 {
            self.verify_node(&Pos::root(self.root), true, &mut all);
        }
        assert_eq!(all.len() as u64, self.len, "elements");
        assert!(all.windows(2).all(|w| w[0].before(&w[1])), "order");
        let nodes: usize = self.shape().iter().map(Vec::len).sum();
        assert_eq!(nodes as u64, self.nodes(), "nodes");
        if let Some(last) = self.bulk {
            let mut end = Pos::root(self.root);
            self.descend(&mut end, true);
            assert_eq!(end.node, last, "last leaf");
        }
        self.verify_steps(&all);
    }

    fn verify_node(&self, pos: &Pos, last: bool, all: &mut Vec<E>) {
        let elems = self.elems(pos);
        let exempt = pos.depth == 0 || (last && self.bulk.is_some());
        if !self.is_core(pos) {
            assert!(elems.len() <= E::LEAF_CAPACITY && !elems.is_empty());
            assert!(exempt || elems.len() >= E::LEAF_CAPACITY / 2 - 1, "leaf");
            return all.extend_from_slice(elems);
        }
        let core = self.core(pos.node);
        assert!(elems.len() <= CORE_CAPACITY && core.children.len() == elems.len() + 1);
        assert!(exempt || elems.len() >= CORE_MIN, "core node");
        for child in 0..core.children.len() {
            let mut below = *pos;
            self.enter(&mut below, child);
            self.verify_node(&below, last && child == elems.len(), all);
            all.extend(elems.get(child));
        }
    }

    /// The last element.
    fn last(&self) -> Option<Pos> {
        let mut pos = Pos::root(self.root);
        self.descend(&mut pos, true);
        pos.index = self.elems(&pos).len().checked_sub(1)?;
        Some(pos)
    }

    fn verify_steps(&self, all: &[E]) {
        let same = |a: &E, b: &E| !a.before(b) && !b.before(a);
        let (mut forward, mut pos) = (0, self.first());
        while let Some(p) = pos {
            assert!(same(&self.get(&p), &all[forward]));
            forward += 1;
            pos = self.next(p);
        }
        let (mut backward, mut pos) = (all.len(), self.last());
        while let Some(p) = pos {
            backward -= 1;
            assert!(same(&self.get(&p), &all[backward]));
            pos = self.prev(p);
        }
        assert_eq!((forward, backward), (all.len(), 0));
    }
}
