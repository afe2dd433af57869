//! Floor 12: from devices to a pool.

mod space;

pub use space::{LoadedMetaslab, LogSpaceMaps, MetaslabTable};
