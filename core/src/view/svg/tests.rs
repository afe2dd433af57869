//! Pictures: well-formed whatever they show, bounded, told in words.

use super::*;
use crate::view::sample;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// Panics unless `svg` is well-formed: tags nest, attributes are quoted, no raw control characters.
/// Answers the names of all elements.
fn elements(svg: &str) -> Vec<&str> {
    let bad = svg.chars().find(|c| c.is_control() && *c != '\n');
    assert_eq!(bad, None);
    let (mut open, mut all) = (Vec::new(), Vec::new());
    for part in svg.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag ends");
        assert!(!text.contains('>'), "raw > in {text}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let entities = part.split('&').skip(1);
        for entity in entities {
            let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
            assert!(known.iter().any(|k| entity.starts_with(k)), "{entity}");
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap();
        all.push(name);
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    all
}

fn check(svg: &str, least: usize) {
    let all = elements(svg);
    assert!(all.len() >= least, "{} elements", all.len());
    assert!(all.len() < 20_000, "{} elements", all.len());
    assert_eq!(all[..3], ["svg", "title", "desc"]);
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert!(!svg.contains(" id=") && !svg.contains("script>"));
}

fn every_option(mut draw: impl FnMut(&SvgOptions)) {
    let by = [ColorBy::Fill, ColorBy::Fragmentation, ColorBy::Weight, ColorBy::Largest];
    for color_by in by {
        for (dark, width) in [(false, 1000), (true, 0), (false, u32::MAX)] {
            draw(&SvgOptions { color_by, dark, width });
        }
    }
}

#[test]
fn a_map_has_a_cell_a_metaslab() {
    every_option(|options| {
        let svg = map(&sample::map(), options);
        check(&svg, 95);
        let cells = svg.matches("<title>metaslab ").count();
        assert_eq!(cells, 80 + 15);
        assert_eq!(svg.matches("; the embedded log<").count(), 1);
        assert_eq!(svg.matches("cannot be read").count(), 1);
    });
}

#[test]
fn many_metaslabs_share_cells() {
    let mut big = sample::map();
    let one = big.vdevs[0].metaslabs[0].clone();
    big.vdevs[0].metaslabs = std_alloc::vec![one; 100_000];
    let svg = map(&big, &SvgOptions::default());
    check(&svg, 1000);
    assert!(svg.contains("a cell stands for 34 metaslabs"));
    let vdev = sample::vdev(0, 3, 20);
    big.vdevs = std_alloc::vec![vdev; 5000];
    let svg = map(&big, &SvgOptions::default());
    check(&svg, 1000);
    assert!(svg.contains("4800 more vdevs are not drawn"));
}

#[test]
fn a_metaslab_shows_all_64_bits_of_its_weight() {
    every_option(|options| {
        let vdev = &sample::map().vdevs[0];
        let strip = sample::strip(3, 22, 60, 1600, 0);
        let svg = metaslab(vdev, &vdev.metaslabs[3], Some(&strip), options);
        check(&svg, 100);
        assert_eq!(svg.matches("<title>bit ").count(), 64);
        assert!(svg.contains("free segments; a cell is"));
    });
}

#[test]
fn nodes_show_their_children_or_segments() {
    every_option(|options| {
        let svg = tree_node(&sample::core_node(), options);
        check(&svg, 60);
        assert_eq!(svg.matches("<title>child ").count(), 31);
        assert_eq!(svg.matches("<title>separator ").count(), 30);
        let svg = tree_node(&sample::leaf_node(), options);
        check(&svg, 510);
        assert_eq!(svg.matches("<title>unused<").count(), 510 - 300);
    });
}

#[test]
fn every_picture_draws() {
    every_option(|options| {
        for p in sample::pictures() {
            check(&picture(&p, options), 8);
        }
    });
}

#[test]
fn hostile_views_draw_well_formed_pictures() {
    every_option(|options| {
        let hostile = sample::hostile_map();
        check(&map(&hostile, options), 5);
        for m in &hostile.vdevs[0].metaslabs {
            check(&metaslab(&hostile.vdevs[0], m, None, options), 5);
        }
        for p in sample::hostile_pictures() {
            check(&picture(&p, options), 3);
        }
        let mut node = sample::core_node();
        node.children = std_alloc::vec![node.children[0]; 10_000];
        node.path = std_alloc::vec![u32::MAX; 10_000];
        node.height = u32::MAX;
        node.segments[0].end = 0;
        check(&tree_node(&node, options), 5);
        node.leaf = true;
        node.capacity = u32::MAX;
        node.segments[1].end = u64::MAX;
        check(&tree_node(&node, options), 5);
    });
}

#[test]
fn text_is_escaped() {
    let mut view = sample::map();
    view.pool = String::from("a<b>&\"'");
    let svg = map(&view, &SvgOptions::default());
    assert!(svg.contains("aria-label=\"a&lt;b&gt;&amp;&quot;&#39;: metaslabs"));
}
