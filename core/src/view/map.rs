//! Metaslabs: the map of a pool, one metaslab at any zoom, its range tree node by node.

use crate::base::{ObjectId, Txg};
use serde::{Deserialize, Serialize};
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// Every metaslab of a pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapView {
    /// Pool name.
    pub pool: String,
    /// Txg the map shows.
    pub txg: Txg,
    /// Name of the fragmentation table behind `fragmentation`: `2.3.1` or `0.6.4`.
    pub fragmentation_table: String,
    /// Log space maps that were applied.
    pub log_space_maps: u64,
    /// Top-level vdevs with metaslabs.
    pub vdevs: Vec<VdevMapView>,
}

/// The metaslabs of one top-level vdev.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VdevMapView {
    /// Top-level index.
    pub id: u64,
    /// Name as `zpool status` shows it.
    pub name: String,
    /// `normal`, `log`, `special` or `dedup`.
    pub class: String,
    /// Sector shift.
    pub ashift: u64,
    /// Metaslab size shift.
    pub metaslab_shift: u64,
    /// Bytes in all metaslabs.
    pub size: u64,
    /// Free bytes, unflushed changes included.
    pub free: u64,
    /// Fragmentation in percent by the named table; absent when fewer than half are known.
    pub fragmentation: Option<u64>,
    /// The same by the table of 2.3.0 and older.
    pub fragmentation_old: Option<u64>,
    /// Metaslab that OpenZFS would take for the embedded log; absent when it takes none.
    pub embedded_log: Option<u64>,
    /// Metaslabs by id.
    pub metaslabs: Vec<MetaslabView>,
}

/// One metaslab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetaslabView {
    /// Index in the vdev.
    pub id: u64,
    /// First byte, counted as DVA offsets are.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Space map object; 0 for none.
    pub space_map: ObjectId,
    /// Free bytes, unflushed changes included: the truth now.
    pub free: u64,
    /// Free bytes by the space map alone: the figure that `zdb -m` prints.
    pub free_flushed: u64,
    /// Bytes of the space map in use.
    pub space_map_length: u64,
    /// First txg whose changes are only in log space maps; 0 for none.
    pub unflushed_txg: Txg,
    /// Fragmentation in percent by the named table, from the stored histogram; absent without one.
    pub fragmentation: Option<u64>,
    /// The same by the table of 2.3.0 and older.
    pub fragmentation_old: Option<u64>,
    /// Free segments.
    pub segments: u64,
    /// Largest free segment in bytes.
    pub max_size: u64,
    /// Weight of the loaded metaslab, as OpenZFS encodes it.
    pub weight: u64,
    /// The weight in words: `segment: 3 of 16M` or `space: 12.5G`.
    pub weight_text: String,
    /// Free segments by size: index is log2 of bytes. Ends at the last count that is not zero.
    pub histogram: Vec<u64>,
    /// The stored histogram, same index. Empty when the space map has none.
    pub histogram_stored: Vec<u64>,
    /// Why its space map could not be read; absent when it could.
    pub problem: Option<String>,
}

/// A stretch of one metaslab, no finer than asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StripView {
    /// Top-level vdev.
    pub vdev: u64,
    /// Metaslab.
    pub metaslab: u64,
    /// First byte shown.
    pub from: u64,
    /// Byte after the last shown.
    pub to: u64,
    /// Free bytes of each cell; all cells span the same number of bytes but perhaps the last.
    pub cells: Vec<u64>,
    /// Bytes of a cell.
    pub cell_size: u64,
    /// The free segments in the stretch, when there are no more than asked for.
    pub segments: Option<Vec<SegmentView>>,
    /// How many free segments touch the stretch.
    pub segment_count: u64,
}

/// One free segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentView {
    /// First byte, counted as DVA offsets are.
    pub start: u64,
    /// Byte after the last.
    pub end: u64,
}

/// One node of the range tree of a metaslab, drawn as the B-tree it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeNodeView {
    /// Way from the root: the child index at each level. Empty for the root.
    pub path: Vec<u32>,
    /// Whether it is a leaf.
    pub leaf: bool,
    /// Height of the tree above the leaves.
    pub height: u32,
    /// Segments in the node, in order. In a core node they separate the children.
    pub segments: Vec<SegmentView>,
    /// Most segments that fit.
    pub capacity: u32,
    /// Children of a core node.
    pub children: Vec<TreeChildView>,
    /// Nodes in the whole tree.
    pub nodes_total: u64,
    /// Segments in the whole tree.
    pub segments_total: u64,
    /// Bytes of memory of the whole tree.
    pub memory: u64,
}

/// What a core node shows of one child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeChildView {
    /// Segments in the child node itself.
    pub count: u32,
    /// Start of its first segment.
    pub first: u64,
    /// End of its last segment.
    pub last: u64,
}
