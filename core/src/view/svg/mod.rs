//! Views as SVG documents: self-contained, accessible, light or dark.
//!
//! A document names nothing outside of itself and has no ids, scripts or style sheets, so several
//! can stand in one page. Its number of elements is bounded whatever the view holds; what was left
//! out is said in the picture. Numbers are in `<title>` elements, which browsers show on hover and
//! screen readers read.

mod bars;
mod color;
mod doc;
mod heat;
mod map;
mod metaslab;
mod picture;
mod timeline;
mod tree;

#[cfg(test)]
mod tests;

pub use map::map;
pub use metaslab::metaslab;
pub use picture::picture;
pub use tree::tree_node;

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
    /// Width in pixels, 320 to 4000.
    pub width: u32,
}

impl Default for SvgOptions {
    fn default() -> Self {
        Self { color_by: ColorBy::Fill, dark: false, width: 1000 }
    }
}
