//! Range tree figures, phase by phase the same work as OpenZFS's own tree is measured with:
//! `cargo bench -p tidepool-core --bench range -- [segments]`.
//!
//! Segments are random, not adjacent, aligned to 512 bytes, in a space of 16 GiB.

use std::hint::black_box;
use std::time::Instant;
use tidepool::base::Prng;
use tidepool::range::{RangeTree, Segment};
use tidepool::view::Pyramid;

const SPACE: u64 = 16 << 30;
const SHIFT: u32 = 9;

fn phase<T>(name: &str, operations: u64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    let spent = start.elapsed();
    let each = spent.as_nanos() as f64 / operations.max(1) as f64;
    let millis = spent.as_secs_f64() * 1e3;
    eprintln!("{name:<24} {each:>9.1} ns each {millis:>10.1} ms");
    result
}

fn shuffle<T>(all: &mut [T], rng: &mut Prng) {
    for i in (1..all.len()).rev() {
        all.swap(i, rng.below(i as u64 + 1) as usize);
    }
}

/// Segment `i` lies in slot `i` and leaves a unit free at least.
fn segments(count: u64, rng: &mut Prng) -> Vec<Segment> {
    let stride = (SPACE >> SHIFT) / count;
    assert!(stride >= 3, "too many segments for 16 GiB");
    let segment = |i: u64| {
        let offset = rng.below(stride - 1);
        let len = 1 + rng.below(stride - 1 - offset);
        let (start, end) = (i * stride + offset, i * stride + offset + len);
        Segment { start: start << SHIFT, end: end << SHIFT }
    };
    (0..count).map(segment).collect()
}

fn build(all: &[Segment]) -> RangeTree {
    let mut tree = RangeTree::new(0, SPACE, SHIFT);
    for s in all {
        tree.add(s.start, s.size()).expect("segments are disjoint");
    }
    tree
}

fn size(name: &str, tree: &RangeTree) {
    let each = tree.memory_bytes() as f64 / tree.segments() as f64;
    let (nodes, height) = (tree.node_count(), tree.height());
    eprintln!("  {name}: {each:.2} bytes a segment, {nodes} nodes, height {height}");
}

fn random(count: u64, rng: &mut Prng, sorted: Vec<Segment>) {
    let holes = sorted.windows(2).map(|w| Segment { start: w[0].end, end: w[1].start });
    let mut holes: Vec<_> = holes.collect();
    let mut segments = sorted;
    let pairs = segments.iter().zip(&holes);
    let mut asked: Vec<_> =
        pairs.enumerate().map(|(i, (s, h))| if i % 2 == 0 { *s } else { *h }).collect();
    shuffle(&mut segments, rng);
    shuffle(&mut holes, rng);
    shuffle(&mut asked, rng);
    let mut tree = phase("add_random", count, || build(&segments));
    size("random", &tree);
    let hit = |s: &&Segment| tree.contains(s.start, s.size());
    let hits = phase("contains_random", count, || asked.iter().filter(hit).count());
    assert_eq!(hits, asked.len().div_ceil(2));
    phase("lower_bound_random", count, || {
        for s in &asked {
            black_box(tree.lower_bound(s.start));
        }
    });
    phase("remove_random", count, || {
        for s in &segments {
            tree.remove(s.start, s.size()).expect("it is there");
        }
    });
    assert_eq!(tree.space(), 0);
    let mut tree = build(&segments);
    phase("fill_holes", count, || {
        for s in &holes {
            tree.add(s.start, s.size()).expect("it is free");
        }
    });
    assert_eq!(tree.segments(), 1);
    phase("carve_holes", count, || {
        for s in &holes {
            tree.remove(s.start, s.size()).expect("it is there");
        }
    });
    assert_eq!(tree.segments(), count);
}

fn main() {
    let count = std::env::args().find_map(|a| a.parse().ok());
    let count = count.unwrap_or(1_000_000u64);
    let mut rng = Prng::new(1);
    let sorted = segments(count, &mut rng);
    let mut tree = phase("add_sorted", count, || build(&sorted));
    size("in order", &tree);
    phase("iterate", count, || black_box(tree.iter().map(Segment::size).max()));
    let pyramid = phase("pyramid, build", count, || Pyramid::new(&tree));
    for name in ["pyramid, 1600 cells", "the same again"] {
        phase(name, 1600, || black_box(pyramid.cells(0, SPACE, 1600)));
    }
    phase("vacate", count, || tree.vacate());
    random(count, &mut rng, sorted);
}
