//! Views as text, for terminals and for the page's copy button.

use super::{MapView, MetaslabView, Picture, SegmentView, StripView, TreeNodeView, VdevMapView};
use std_alloc::string::String;

/// The metaslabs of a pool as text of at most `width` columns. Verbosity 0: a line a vdev and a
/// picture of one character a metaslab; 1: a row a metaslab; 2 and more: histograms too.
pub fn print_map(map: &MapView, verbosity: u8, width: u32) -> String {
    let _ = (map, verbosity, width);
    String::new()
}

/// One metaslab in full: sizes, weight bit by bit, histograms, and the strip when there is one.
pub fn print_metaslab(
    vdev: &VdevMapView,
    metaslab: &MetaslabView,
    strip: Option<&StripView>,
    width: u32,
) -> String {
    let _ = (vdev, metaslab, strip, width);
    String::new()
}

/// Free segments, a line each.
pub fn print_segments(segments: &[SegmentView]) -> String {
    let _ = segments;
    String::new()
}

/// One node of a range tree.
pub fn print_tree_node(node: &TreeNodeView, width: u32) -> String {
    let _ = (node, width);
    String::new()
}

/// A histogram by log2 of bytes as `zdb` prints it: stars scaled to the largest count.
pub fn print_histogram(histogram: &[u64], width: u32) -> String {
    let _ = (histogram, width);
    String::new()
}

/// A picture of pasted numbers as text of at most `width` columns.
pub fn print_picture(picture: &Picture, width: u32) -> String {
    let _ = (picture, width);
    String::new()
}
