//! Text printers: what a row says, and that no input breaks a terminal.

use super::*;
use crate::view::sample;
use crate::view::{Picture, StripView};
use std_alloc::string::ToString;
use std_alloc::vec;
use std_alloc::vec::Vec;

fn tame(text: &str) {
    let bad = text.chars().find(|c| c.is_control() && *c != '\n');
    assert_eq!(bad, None, "{text}");
}

#[test]
fn a_map_has_a_row_a_metaslab_within_the_width() {
    for width in [80, 100, 160] {
        let text = print_map(&sample::map(), 1, width);
        let row = |l: &&str| l.contains('%') && l.trim().as_bytes()[0].is_ascii_digit();
        assert_eq!(text.lines().filter(row).count(), 80 + 15 + 2);
        let longest = text.lines().map(|l| l.chars().count()).max().unwrap();
        assert!(longest <= width as usize, "{longest} of {width}");
        assert!(text.starts_with("pool tank, txg 123456, 3 log space maps applied"));
        assert!(text.contains("vdev 0 raidz1-0, normal: 80 metaslabs of 4M, ashift 12"));
        assert!(text.contains("expected a range below 2^64"));
        assert!(text.contains("! cannot be read (1)"));
        tame(&text);
    }
    let brief = print_map(&sample::map(), 0, 80);
    assert!(brief.lines().count() < 15);
    let long = print_map(&sample::map(), 2, 80);
    assert!(long.contains("**"));
}

#[test]
fn a_histogram_reads_as_zdb_prints_it() {
    let mut histogram = vec![0; 12];
    histogram.extend([10, 36, 1, 9, 20, 3, 0]);
    let text = print_histogram(&histogram, 80);
    let rows: Vec<_> = text.lines().map(|l| l.trim().to_string()).collect();
    let expect = [
        "12:     10 **********                                  4K",
        "13:     36 ************************************        8K",
        "14:      1 *                                          16K",
        "15:      9 *********                                  32K",
        "16:     20 ********************                       64K",
        "17:      3 ***                                       128K",
    ];
    let squeezed = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
    let rows: Vec<_> = rows.iter().map(|r| squeezed(r)).collect();
    let expect: Vec<_> = expect.iter().map(|r| squeezed(r)).collect();
    assert_eq!(rows, expect);
    assert_eq!(print_histogram(&[], 80), "");
    assert_eq!(print_histogram(&[0, 0], 80), "");
}

#[test]
fn a_metaslab_tells_its_weight_bit_by_bit() {
    let vdev = &sample::map().vdevs[0];
    let strip = sample::strip(3, 22, 60, 500, 0);
    let text = print_metaslab(vdev, &vdev.metaslabs[3], Some(&strip), 100);
    assert!(text.contains("59-54  index"), "{text}");
    assert!(text.contains("metaslab 3 of vdev 0 raidz1-0, normal"));
    assert!(text.contains("free segments\n"), "{text}");
    tame(&text);
}

#[test]
fn segments_and_nodes_are_listed() {
    let strip = sample::strip(3, 22, 60, 10, 10_000);
    let segments = strip.segments.unwrap();
    let text = print_segments(&segments);
    assert_eq!(text.lines().count(), segments.len() + 1);
    assert_eq!(print_segments(&[]), "no free segment\n");
    let core = print_tree_node(&sample::core_node(), 100);
    assert!(core.starts_with("/2: core node, 30 of 126 segments"), "{core}");
    assert_eq!(core.matches("child").count(), 31);
    let leaf = print_tree_node(&sample::leaf_node(), 100);
    assert!(leaf.starts_with("root: leaf, "), "{leaf}");
    assert!(leaf.lines().all(|l| l.len() <= 100));
}

#[test]
fn every_picture_prints_within_the_width() {
    for picture in sample::pictures() {
        for width in [40, 80, 200] {
            let text = print_picture(&picture, width);
            assert!(text.lines().count() > 4, "{text}");
            tame(&text);
            let longest = text.lines().map(|l| l.chars().count()).max().unwrap();
            let map = matches!(picture, Picture::Map { .. });
            assert!(map || longest <= width as usize + 1, "{longest}\n{text}");
        }
    }
}

#[test]
fn hostile_views_print_tamely() {
    let map = sample::hostile_map();
    for width in [0, 80, u32::MAX] {
        tame(&print_map(&map, 9, width));
        for m in &map.vdevs[0].metaslabs {
            tame(&print_metaslab(&map.vdevs[0], m, None, width));
        }
        for picture in sample::hostile_pictures() {
            tame(&print_picture(&picture, width));
        }
        let strip = StripView {
            vdev: 0,
            metaslab: 0,
            from: u64::MAX,
            to: 0,
            cells: vec![u64::MAX; 100_000],
            cell_size: u64::MAX,
            segments: None,
            segment_count: u64::MAX,
        };
        assert!(print_strip(&strip, width).lines().count() <= 10);
    }
}

#[test]
fn levels_are_empty_and_full_only_when_it_is_so() {
    let check = |part, whole, expect: usize| assert_eq!(level(part, whole), LEVELS[expect]);
    check(0, 100, 0);
    check(1, 100, 1);
    check(99, 100, 7);
    check(100, 100, 8);
    check(5, 0, 8);
    check(0, 0, 0);
    assert_eq!(bar(0.0, 8), "");
    assert_eq!(bar(1e-9, 8), "\u{258f}");
    assert_eq!(bar(0.5, 8).chars().count(), 4);
    assert_eq!(bar(1.0, 3), "\u{2588}\u{2588}\u{2588}");
}
