//! Floor 5: the arithmetic of OpenZFS's allocator, without state and without I/O.
//!
//! How many metaslabs a vdev gets, what a block takes on a raidz, how fragmented free space is
//! (by both tables that OpenZFS has used), how a metaslab is weighed and what its weight says.
//! Source: `module/zfs/metaslab.c`, `vdev.c`, `vdev_raidz.c`, `spa_misc.c`.

mod fragmentation;
mod layout;
mod weight;

#[cfg(test)]
mod tests;

pub use fragmentation::{FragmentationTable, fragmentation, group_fragmentation};
pub use layout::{
    EMBEDDED_LOG_MIN_METASLABS, SlopInput, deflate, deflate_ratio, draid_asize, embedded_log,
    metaslab_count, metaslab_shift, plain_asize, raidz_asize, slop,
};
pub use weight::{Weight, WeightField, WeightKind};
