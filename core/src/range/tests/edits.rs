//! What one edit does, and which edits are refused.

use super::super::{RangeError, RangeTree};
use super::{seg, verify};
use std_alloc::string::ToString;
use std_alloc::vec::Vec;

fn tree(segments: &[(u64, u64)]) -> RangeTree {
    let mut tree = RangeTree::new(1000, 1000, 0);
    for &(start, end) in segments {
        tree.add(start, end - start).unwrap();
    }
    tree
}

fn check(tree: &RangeTree, expect: &[(u64, u64)]) {
    let got: Vec<_> = tree.iter().map(|s| (s.start, s.end)).collect();
    assert_eq!(got, expect);
    verify(tree);
}

#[test]
fn neighbours_merge() {
    let check = |start: u64, end: u64, expect: &[(u64, u64)]| {
        let mut tree = tree(&[(1100, 1200), (1300, 1400)]);
        tree.add(start, end - start).unwrap();
        check(&tree, expect);
    };
    check(1000, 1001, &[(1000, 1001), (1100, 1200), (1300, 1400)]);
    check(1050, 1100, &[(1050, 1200), (1300, 1400)]);
    check(1200, 1250, &[(1100, 1250), (1300, 1400)]);
    check(1250, 1300, &[(1100, 1200), (1250, 1400)]);
    check(1200, 1300, &[(1100, 1400)]);
    check(1400, 2000, &[(1100, 1200), (1300, 2000)]);
}

#[test]
fn a_part_comes_out_of_its_segment() {
    let check = |start: u64, end: u64, expect: &[(u64, u64)]| {
        let mut tree = tree(&[(1100, 1200), (1300, 1400)]);
        tree.remove(start, end - start).unwrap();
        check(&tree, expect);
    };
    check(1100, 1200, &[(1300, 1400)]);
    check(1100, 1110, &[(1110, 1200), (1300, 1400)]);
    check(1190, 1200, &[(1100, 1190), (1300, 1400)]);
    check(1120, 1130, &[(1100, 1120), (1130, 1200), (1300, 1400)]);
    check(1310, 1390, &[(1100, 1200), (1300, 1310), (1390, 1400)]);
}

#[test]
fn refused_edits_change_nothing() {
    let refuse = |add: bool, start: u64, size: u64, expect: RangeError| {
        let mut tree = tree(&[(1100, 1200), (1300, 1400)]);
        let got = if add { tree.add(start, size) } else { tree.remove(start, size) };
        assert_eq!(got, Err(expect));
        check(&tree, &[(1100, 1200), (1300, 1400)]);
    };
    let overlap = |asked, found| RangeError::Overlap { asked, found };
    let missing = |asked, found| RangeError::Missing { asked, found };
    let outside = |start, size| RangeError::Outside { start, size, tree: seg(1000, 2000) };
    refuse(true, 1150, 10, overlap(seg(1150, 1160), seg(1100, 1200)));
    refuse(true, 1050, 51, overlap(seg(1050, 1101), seg(1100, 1200)));
    refuse(true, 1399, 9, overlap(seg(1399, 1408), seg(1300, 1400)));
    refuse(false, 1000, 100, missing(seg(1000, 1100), None));
    refuse(false, 1050, 100, missing(seg(1050, 1150), Some(seg(1100, 1200))));
    refuse(false, 1150, 100, missing(seg(1150, 1250), Some(seg(1100, 1200))));
    for add in [true, false] {
        refuse(add, 1100, 0, outside(1100, 0));
        refuse(add, 999, 2, outside(999, 2));
        refuse(add, 1999, 2, outside(1999, 2));
        refuse(add, u64::MAX, 2, outside(u64::MAX, 2));
    }
}

#[test]
fn units_and_width_follow_the_shift() {
    let mut tree = RangeTree::new(1 << 40, 1 << 41, 9);
    let unit = RangeError::Misaligned { start: 1 << 40, size: 513, unit: 512 };
    assert_eq!(tree.add(1 << 40, 513), Err(unit));
    tree.add((1 << 40) + 512, 512).unwrap();
    check(&tree, &[((1 << 40) + 512, (1 << 40) + 1024)]);
    let capacity = |size: u64, shift| {
        let tree = RangeTree::new(0, size, shift);
        tree.node_at(&[]).map(|n| n.capacity)
    };
    assert_eq!(capacity((1 << 41) - 1, 9), Some(510));
    assert_eq!(capacity(1 << 41, 9), Some(254));
    assert_eq!(capacity(u64::MAX, 0), Some(254));
    assert_eq!(capacity(u64::MAX, 99), Some(510));
}

#[test]
fn a_tree_at_the_top_of_the_address_space_works() {
    let mut tree = RangeTree::full(u64::MAX - 1023, u64::MAX, 0);
    assert_eq!(tree.space(), 1023);
    tree.remove(u64::MAX - 2, 1).unwrap();
    assert!(tree.contains(u64::MAX - 1, 1));
    assert!(!tree.contains(u64::MAX - 2, 2));
    assert_eq!(tree.lower_bound(u64::MAX), None);
    let all: Vec<_> = tree.iter_from(0).map(|s| s.size()).collect();
    assert_eq!(all, [1021, 1]);
    assert_eq!(RangeTree::full(0, 511, 9).segments(), 0);
}

#[test]
fn tolerant_edits_answer_what_was_there() {
    let mut t = tree(&[(1100, 1200), (1300, 1400), (1500, 1600)]);
    assert_eq!(t.add_tolerant(1000, 50), Ok(Vec::new()));
    let there = t.add_tolerant(1150, 400).unwrap();
    assert_eq!(there, [seg(1150, 1200), seg(1300, 1400), seg(1500, 1550)]);
    check(&t, &[(1000, 1050), (1100, 1600)]);
    assert_eq!(t.clear_range(1040, 70), Ok(Vec::from([seg(1040, 1050), seg(1100, 1110)])));
    check(&t, &[(1000, 1040), (1110, 1600)]);
    assert!(t.clear_range(1040, 0).is_err());
}

#[test]
fn questions_are_answered() {
    let t = tree(&[(1100, 1200), (1300, 1400)]);
    assert!(t.contains(1100, 100) && t.contains(1199, 1));
    assert!(!t.contains(1100, 101) && !t.contains(1200, 1) && !t.contains(1100, 0));
    assert!(!t.contains(0, u64::MAX));
    assert_eq!(t.find(1199, 100), Some(seg(1100, 1200)));
    assert_eq!(t.find(1199, 200), Some(seg(1300, 1400)), "bulk mode: the last");
    assert_eq!(t.find(1200, 100), None);
    assert_eq!(t.lower_bound(0), Some(seg(1100, 1200)));
    assert_eq!(t.lower_bound(1199), Some(seg(1100, 1200)));
    assert_eq!(t.lower_bound(1200), Some(seg(1300, 1400)));
    assert_eq!(t.lower_bound(1400), None);
    assert_eq!(t.max_segment(), 100);
    assert_eq!((t.segments(), t.space(), t.height()), (2, 200, 0));
    let mut t = t;
    t.vacate();
    check(&t, &[]);
    assert_eq!((t.max_segment(), t.node_count()), (0, 0));
}

#[test]
fn errors_read_as_sentences() {
    let error = tree(&[(1100, 1200)]).add(1150, 100).unwrap_err();
    assert_eq!(error.to_string(), "0x47e..0x4e2 was added, but 0x44c..0x4b0 was there already");
}
