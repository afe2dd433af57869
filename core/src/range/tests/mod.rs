//! Tests of the range tree, by subject.

mod edits;
mod golden;
mod model;
mod shape;

use super::tree::Store;
use super::{RangeTree, Segment};

/// Panics where a rule of the B-tree or a sum is broken.
fn verify(tree: &RangeTree) {
    match &tree.store {
        Store::Narrow(t) => t.verify(),
        Store::Wide(t) => t.verify(),
    }
    let mut histogram = [0u64; 64];
    let (mut space, mut last) = (0, None);
    for s in tree {
        assert!(last.is_none_or(|end| end < s.start), "neighbours merge");
        last = Some(s.end);
        space += s.size();
        histogram[s.size().ilog2() as usize] += 1;
    }
    assert_eq!(tree.space(), space);
    assert_eq!(tree.histogram(), &histogram);
}

fn shape(tree: &RangeTree) -> super::btree::verify::Shape {
    match &tree.store {
        Store::Narrow(t) => t.shape(),
        Store::Wide(t) => t.shape(),
    }
}

fn bulk(tree: &RangeTree) -> bool {
    match &tree.store {
        Store::Narrow(t) => t.in_bulk_mode(),
        Store::Wide(t) => t.in_bulk_mode(),
    }
}

const fn seg(start: u64, end: u64) -> Segment {
    Segment { start, end }
}
