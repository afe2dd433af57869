//! Random edits against a bitmap of units.

use super::super::{RangeError, RangeTree, Segment};
use super::verify;
use crate::base::Prng;
use std_alloc::vec::Vec;

/// Which units are in the set; the truth.
struct Model {
    bits: Vec<bool>,
    start: u64,
    shift: u32,
}

impl Model {
    fn run(&self, from: usize, len: usize) -> &[bool] {
        &self.bits[from..from + len]
    }

    fn segment(&self, from: usize, to: usize) -> Segment {
        Segment {
            start: self.start + ((from as u64) << self.shift),
            end: self.start + ((to as u64) << self.shift),
        }
    }

    fn segments(&self) -> Vec<Segment> {
        let mut all = Vec::new();
        let mut begun = None;
        for (at, &bit) in self.bits.iter().chain([&false]).enumerate() {
            match (bit, begun) {
                (true, None) => begun = Some(at),
                (false, Some(from)) => {
                    all.push(self.segment(from, at));
                    begun = None;
                }
                _ => {}
            }
        }
        all
    }

    /// The whole segment around unit `at`, which is set.
    fn around(&self, at: usize) -> Segment {
        let from = self.bits[..at].iter().rposition(|b| !b).map_or(0, |i| i + 1);
        let len = self.bits[at..].iter().position(|b| !b);
        self.segment(from, len.map_or(self.bits.len(), |l| at + l))
    }
}

struct Run {
    units: usize,
    start: u64,
    shift: u32,
    wide: bool,
    longest: u64,
    steps: u32,
    seed: u64,
}

fn check(run: &Run) {
    let Run { start, shift, .. } = *run;
    let size = match run.wide {
        true => 1 << 45,
        false => (run.units as u64) << shift,
    };
    let mut tree = RangeTree::new(start, size, shift);
    let bits = std_alloc::vec![false; run.units];
    let mut model = Model { bits, start, shift };
    let mut rng = Prng::new(run.seed);
    let mut adding = 90;
    for step in 0..run.steps {
        if step % (run.steps / 8) == 0 {
            adding = [90, 60, 50, 20, 70, 50, 10, 95][(step / (run.steps / 8)) as usize % 8];
            verify(&tree);
            assert_eq!(tree.iter().collect::<Vec<_>>(), model.segments());
        }
        let len = 1 + rng.below(run.longest) as usize;
        let at = rng.below((run.units - len) as u64) as usize;
        let add = rng.below(100) < adding;
        edit(&mut tree, &mut model, at, len, add);
        question(&tree, &model, at, len);
    }
    verify(&tree);
    assert_eq!(tree.iter().collect::<Vec<_>>(), model.segments());
}

fn edit(tree: &mut RangeTree, model: &mut Model, at: usize, len: usize, add: bool) {
    let asked = model.segment(at, at + len);
    let set = model.run(at, len).iter().filter(|b| **b).count();
    let got = match add {
        true => tree.add(asked.start, asked.size()),
        false => tree.remove(asked.start, asked.size()),
    };
    match got {
        Ok(()) => {
            assert_eq!(set, if add { 0 } else { len });
            model.bits[at..at + len].fill(add);
        }
        Err(RangeError::Overlap { asked: a, found }) => {
            assert!(add && set > 0 && a == asked);
            assert!(found.start < asked.end && found.end > asked.start);
        }
        Err(RangeError::Missing { asked: a, found }) => {
            assert!(!add && set < len && a == asked);
            assert_eq!(found.is_none(), set == 0);
        }
        Err(other) => panic!("{other}"),
    }
}

fn question(tree: &RangeTree, model: &Model, at: usize, len: usize) {
    let asked = model.segment(at, at + len);
    let run = model.run(at, len);
    let all = run.iter().all(|b| *b);
    assert_eq!(tree.contains(asked.start, asked.size()), all);
    let found = tree.find(asked.start, asked.size());
    assert_eq!(found.is_some(), run.iter().any(|b| *b));
    let first = model.bits[at..].iter().position(|b| *b);
    let bound = first.map(|i| model.around(at + i));
    assert_eq!(tree.lower_bound(asked.start), bound);
    if let Some(found) = found {
        let unit = ((found.start.max(asked.start) - model.start) >> model.shift) as usize;
        assert_eq!(found, model.around(unit));
    }
}

const RUN: Run =
    Run { units: 20_000, start: 0, shift: 0, wide: false, longest: 3, steps: 60_000, seed: 1 };

#[test]
fn small_segments_in_32_bits() {
    check(&RUN);
    check(&Run { start: 0x77_0000_0000, shift: 12, seed: 2, ..RUN });
}

#[test]
fn small_segments_in_64_bits() {
    check(&Run { wide: true, start: 12_345, seed: 3, ..RUN });
}

#[test]
fn long_segments_that_split_and_merge() {
    check(&Run { longest: 200, steps: 40_000, shift: 9, seed: 4, ..RUN });
}

#[test]
fn a_tree_of_three_levels() {
    check(&Run { units: 400_000, longest: 2, steps: 400_000, wide: true, seed: 5, ..RUN });
}
