//! Views as SVG documents: self-contained, accessible, light or dark.

use super::{MapView, MetaslabView, Picture, StripView, TreeNodeView, VdevMapView};
use std_alloc::string::String;

/// What the colour of a metaslab tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorBy {
    /// Allocated share.
    #[default]
    Fill,
    /// Fragmentation of the free space.
    Fragmentation,
    /// Weight: size of the largest bucket.
    Weight,
    /// Largest free segment.
    Largest,
}

/// How a picture is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SvgOptions {
    /// Meaning of the colours in a map.
    pub color_by: ColorBy,
    /// Light text on dark ground.
    pub dark: bool,
    /// Width in pixels.
    pub width: u32,
}

impl Default for SvgOptions {
    fn default() -> Self {
        Self { color_by: ColorBy::Fill, dark: false, width: 1000 }
    }
}

/// A cell a metaslab, a band a vdev.
pub fn map(map: &MapView, options: &SvgOptions) -> String {
    let _ = (map, options);
    String::new()
}

/// One metaslab: numbers, weight, histograms, and its space when a strip is given.
pub fn metaslab(
    vdev: &VdevMapView,
    metaslab: &MetaslabView,
    strip: Option<&StripView>,
    options: &SvgOptions,
) -> String {
    let _ = (vdev, metaslab, strip, options);
    String::new()
}

/// One node of a range tree and its children.
pub fn tree_node(node: &TreeNodeView, options: &SvgOptions) -> String {
    let _ = (node, options);
    String::new()
}

/// A picture of pasted numbers.
pub fn picture(picture: &Picture, options: &SvgOptions) -> String {
    let _ = (picture, options);
    String::new()
}
