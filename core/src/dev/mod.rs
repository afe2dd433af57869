//! Floor 4: devices as the engine sees them, and byte images that stand in for disks.

mod handle;
mod image;

pub use handle::Device;
pub use image::SparseImage;
