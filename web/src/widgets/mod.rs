//! Small parts: properties in, callbacks out.

pub mod bits;
pub mod canvas;
pub mod chart;
pub mod notice;
pub mod parts;

pub use bits::WeightBits;
pub use canvas::{Paint, PixelCanvas};
pub use chart::Histogram;
pub use notice::{Empty, FailureBox, Loading, NoPool};
pub use parts::{Facts, Icon, Legend, Meter, Stat};
