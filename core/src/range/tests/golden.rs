//! The same edits gave the same trees, node by node, in OpenZFS 2.3.2.
//!
//! The hashes were printed by a program that drove `zfs_range_tree_add`, `_remove` and
//! `zfs_btree_find` of OpenZFS's user-land library with the edits of [`Run`]. They cover every
//! answer of a search for a range, and every 2000 steps the mode and all elements of all nodes.

use super::super::RangeTree;
use super::bulk;
use crate::base::Prng;

struct Run {
    units: u64,
    longest: u64,
    steps: u64,
    seed: u64,
    wide: bool,
    /// Segments of two units added in order, with a gap of one, before the random edits.
    sorted: u64,
}

/// FNV-1a over the bytes of little-endian words.
struct Hash(u64);

impl Hash {
    fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }

    fn add_tree(&mut self, tree: &RangeTree) {
        self.add(tree.segments());
        self.add(tree.node_count());
        self.add(u64::from(bulk(tree)));
        let mut paths = std_alloc::vec![std_alloc::vec![]];
        while !paths.is_empty() && tree.segments() > 0 {
            let mut below = std_alloc::vec![];
            for path in paths {
                let node = tree.node_at(&path).unwrap();
                self.add(node.segments.len() as u64);
                for s in &node.segments {
                    self.add(s.start);
                    self.add(s.end);
                }
                below.extend((0..node.children.len() as u32).map(|child| {
                    let mut path = path.clone();
                    path.push(child);
                    path
                }));
            }
            paths = below;
        }
    }
}

fn check(run: &Run, expect: u64) {
    let size = if run.wide { 1 << 40 } else { run.units };
    let mut tree = RangeTree::new(0, size, 0);
    let mut bits = std_alloc::vec![false; run.units as usize];
    let mut hash = Hash(0xCBF2_9CE4_8422_2325);
    for unit in 0..run.sorted {
        tree.add(3 * unit, 2).unwrap();
        bits[3 * unit as usize..][..2].fill(true);
    }
    let mut rng = Prng::new(run.seed);
    for step in 0..run.steps {
        let len = 1 + rng.below(run.longest);
        let at = rng.below(run.units - len);
        let adding = [90, 60, 50, 20, 70, 50, 10, 95][(step * 8 / run.steps) as usize];
        let add = rng.below(100) < adding;
        let found = tree.find(at, len);
        hash.add(found.map_or(0, |s| s.start + 1));
        hash.add(found.map_or(0, |s| s.end));
        let edited = match add {
            true => tree.add(at, len),
            false => tree.remove(at, len),
        };
        let run = &mut bits[at as usize..][..len as usize];
        assert_eq!(edited.is_ok(), run.iter().all(|b| *b != add));
        if edited.is_ok() {
            run.fill(add);
        }
        if step % 2000 == 1999 {
            hash.add_tree(&tree);
        }
    }
    assert_eq!(hash.0, expect, "{:#018x}", hash.0);
}

const RUN: Run = Run { units: 400_000, longest: 2, steps: 400_000, seed: 3, wide: true, sorted: 0 };

#[test]
fn two_levels_of_8_byte_segments() {
    let run = Run { units: 20_000, longest: 3, steps: 60_000, seed: 1, wide: false, ..RUN };
    check(&run, 0x3e3b_d2d0_6348_3215);
    let run = Run { units: 60_000, steps: 200_000, seed: 2, sorted: 20_000, ..run };
    check(&run, 0xfe86_f5ad_0f50_fc08);
}

#[test]
fn three_levels_of_16_byte_segments() {
    check(&RUN, 0xee50_f2bf_6029_0c45);
    let run = Run { seed: 4, sorted: 130_000, ..RUN };
    check(&run, 0xa48e_7a04_b50a_6fe6);
}

#[test]
fn long_ranges_that_overlap_many_segments() {
    let run = Run { units: 20_000, longest: 200, steps: 40_000, seed: 5, wide: false, ..RUN };
    check(&run, 0x297f_36df_dffa_f8a8);
    let run = Run { units: 300_000, longest: 60, steps: 100_000, seed: 7, sorted: 100_000, ..run };
    check(&run, 0x640d_1cdd_77a0_5053);
}

#[test]
fn bulk_mode_that_split_core_nodes() {
    let run = Run { units: 3_000_000, steps: 60_000, seed: 8, sorted: 900_000, ..RUN };
    check(&run, 0x5696_b6b5_03e1_00a2);
}
