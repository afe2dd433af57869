//! Floor 12: a pool, opened. From labels over the best uberblock to the MOS and what it says of
//! vdevs, features and space. Read-only.
//!
//! ```text
//!   devices -> Scan (labels) -> Candidate (by labels alone) -> Spa (by the MOS)
//!                                 tree, uberblock, refusal      tree, features, directory
//! ```
//!
//! Invariants: labels are believed only to find the MOS; what the MOS says replaces it. A pool that
//! needs something unknown to be read is refused with its name, never half read.

mod candidate;
mod import;
mod labels;
mod mos;
mod space;
mod vdev_config;

pub use candidate::{Candidate, ImportOptions, can_read, errata_note};
pub use import::Spa;
pub use labels::{DeviceScan, Found, LabelScan, Role, Scan};
pub use mos::{Directory, FeatureState, read_features, read_nvlist};
pub use space::{LoadedMetaslab, LogSpaceMaps, MetaslabTable};
pub use vdev_config::{Health, VdevConfig};
