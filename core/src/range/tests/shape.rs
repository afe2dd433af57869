//! The shape rules of OpenZFS, one by one.

use super::super::RangeTree;
use super::{bulk, seg, shape, verify};
use std_alloc::vec;
use std_alloc::vec::Vec;

/// A tree of 8-byte segments with the odd units of `units` in it, added in this order.
fn tree(units: impl IntoIterator<Item = u64>) -> RangeTree {
    let mut tree = RangeTree::new(0, 1 << 30, 0);
    units.into_iter().for_each(|unit| tree.add(2 * unit, 1).unwrap());
    verify(&tree);
    tree
}

fn check(tree: &RangeTree, expect: &[&[usize]]) {
    verify(tree);
    assert_eq!(shape(tree), expect);
}

/// The same, but out of bulk mode before the second segment comes.
fn plain(units: impl IntoIterator<Item = u64>) -> RangeTree {
    let mut units = units.into_iter();
    let mut tree = tree(units.next().into_iter().chain([1 << 28]));
    tree.remove(1 << 29, 1).unwrap();
    units.for_each(|unit| tree.add(2 * unit, 1).unwrap());
    assert!(!bulk(&tree));
    tree
}

#[test]
fn a_leaf_holds_510() {
    check(&tree(0..510), &[&[510]]);
}

#[test]
fn bulk_mode_leaves_three_quarters_behind() {
    check(&tree(0..511), &[&[1], &[383, 127]]);
    check(&tree(0..511 + 383), &[&[1], &[383, 510]]);
    check(&tree(0..511 + 384), &[&[2], &[383, 383, 127]]);
}

#[test]
fn an_insert_in_the_last_leaf_keeps_bulk_mode_and_an_earlier_one_ends_it() {
    let mut t = tree((0..511).chain([600]));
    t.add(1100, 1).unwrap();
    check(&t, &[&[1], &[383, 129]]);
    t.add(1021, 1).unwrap();
    assert!(bulk(&t), "growing the end of a segment is no insert");
    t.add(1, 1).unwrap();
    assert!(!bulk(&t), "filling a gap removes a segment");
}

#[test]
fn the_end_of_bulk_mode_fills_the_last_leaf_to_255() {
    let even = |n: u64| (0..n).map(|i| 2 * i);
    let mut t = tree(even(511));
    assert!(bulk(&t));
    t.add(2, 1).unwrap();
    assert!(!bulk(&t));
    check(&t, &[&[1], &[256, 255]]);
    let mut t = tree(even(511));
    t.remove(0, 1).unwrap();
    assert!(!bulk(&t));
    check(&t, &[&[1], &[254, 255]]);
}

#[test]
fn a_full_leaf_keeps_255_and_the_new_one_goes_to_the_254_moved() {
    check(&plain(0..511), &[&[1], &[255, 255]]);
    check(&plain(0..511 + 256), &[&[2], &[255, 255, 255]]);
}

#[test]
fn a_full_leaf_keeps_254_and_the_new_one_when_the_insert_goes_left() {
    let mut t = plain((0..510).map(|i| 1000 + 2 * i));
    t.add(4, 1).unwrap();
    check(&t, &[&[1], &[255, 255]]);
    let root = t.node_at(&[]).unwrap();
    assert_eq!(root.segments, [seg(2 * 1508, 2 * 1508 + 1)]);
}

#[test]
fn an_insert_between_the_halves_becomes_the_separator() {
    let mut t = plain((0..510).map(|i| 2 * i));
    // Element 255 would be the separator; this goes in front of it.
    t.add(2 * 509, 1).unwrap();
    check(&t, &[&[1], &[255, 255]]);
    let root = t.node_at(&[]).unwrap();
    assert_eq!(root.segments, [seg(1018, 1019)]);
    let right = t.node_at(&[1]).unwrap();
    assert_eq!(right.segments[0], seg(1020, 1021));
}

#[test]
fn leaves_borrow_from_the_left_then_from_the_right_then_merge() {
    let drop_one = |t: &mut RangeTree, leaf: u32| {
        let s = t.node_at(&[leaf]).unwrap().segments[100];
        t.remove(s.start, s.size()).unwrap();
    };
    let mut t = plain((0..511).map(|i| 2 * i));
    check(&t, &[&[1], &[255, 255]]);
    drop_one(&mut t, 1);
    drop_one(&mut t, 1);
    check(&t, &[&[1], &[254, 254]]);
    drop_one(&mut t, 1);
    check(&t, &[&[508]]);
    let mut t = plain((0..511).map(|i| 2 * i));
    drop_one(&mut t, 0);
    drop_one(&mut t, 0);
    check(&t, &[&[1], &[254, 254]]);
    drop_one(&mut t, 0);
    check(&t, &[&[508]]);
}

#[test]
fn the_element_of_a_core_node_is_replaced_by_the_last_on_its_left() {
    let mut t = plain((0..700).map(|i| 2 * i));
    let [before, after] = [0, 1].map(|_| t.node_at(&[0]).unwrap().segments);
    assert_eq!(before, after);
    let root = t.node_at(&[]).unwrap().segments[0];
    t.remove(root.start, 1).unwrap();
    verify(&t);
    assert_eq!(t.node_at(&[]).unwrap().segments, [*before.last().unwrap()]);
    let len = t.node_at(&[0]).unwrap().segments.len();
    assert_eq!(len, before.len() - 1);
}

#[test]
fn a_hole_before_a_separator_puts_the_right_part_into_its_slot() {
    let mut t = RangeTree::new(0, 1 << 20, 0);
    for unit in 0..700u64 {
        t.add(20 * unit, 10).unwrap();
    }
    t.remove(0, 10).unwrap();
    assert!(!bulk(&t));
    let left = *t.node_at(&[0]).unwrap().segments.last().unwrap();
    let old = t.node_at(&[]).unwrap().segments[0];
    assert!(t.node_at(&[1]).unwrap().segments.len() < 510);
    t.remove(left.start + 4, 2).unwrap();
    verify(&t);
    let part = seg(left.start + 6, left.end);
    assert_eq!(t.node_at(&[]).unwrap().segments, [part]);
    assert_eq!(t.node_at(&[1]).unwrap().segments[0], old);
}

#[test]
fn a_search_stops_at_the_highest_match() {
    let mut t = plain(0..700);
    let root = t.node_at(&[]).unwrap().segments[0];
    let from = root.start - 10;
    assert_eq!(t.find(from, 20), Some(root), "the separator, not the first");
    assert_eq!(t.lower_bound(from), Some(seg(from, from + 1)));
    t.vacate();
    (0..700).for_each(|unit| t.add(2 * unit, 1).unwrap());
    assert!(bulk(&t));
    assert_eq!(t.find(0, 1400), Some(seg(1398, 1399)), "bulk mode: the last");
}

#[test]
fn core_nodes_hold_126_and_bulk_mode_leaves_95_behind() {
    // 383 elements a leaf and one separator each.
    let leaves = |n: u64| n * 384;
    let t = tree(0..leaves(127));
    let levels: Vec<usize> = shape(&t).iter().map(Vec::len).collect();
    assert_eq!(levels, [1, 127]);
    let t = tree(0..leaves(129));
    assert_eq!(shape(&t)[..2], [vec![1], vec![95, 32]]);
    let mut t = t;
    t.remove(0, 1).unwrap();
    verify(&t);
    assert_eq!(shape(&t)[..2], [vec![1], vec![64, 63]]);
}
