//! Views to pixels: pure functions of (view, size, colours), so they are tested without a browser.
//!
//! A painter fills a [`Pixmap`]; the canvas puts it on the screen only when view, size or colours
//! have changed. Text, focus rings and tooltips are HTML above the canvas.

mod color;
mod map;
mod pixmap;
mod strip;

pub use color::{Palette, Ramp, Rgb};
pub use map::{Grid, MetricScale, cell_side, metric_words, paint_grid};
pub use pixmap::{Pixmap, Rect};
pub use strip::{Field, paint_field, paint_strip};
