//! Floor 10: data sets and snapshots: the tree of names over the object sets.
//!
//! ```text
//!   root DSL directory -> head data set -> snapshots (by name, and a chain through prev_snap)
//!                      -> child map -> DSL directory -> ...
//! ```
//!
//! Invariants: a directory is visited once, so circles end; `$MOS`, `$FREE` and `$ORIGIN` are not
//! data sets of the user and are found by name where the accounting needs them. Source:
//! `module/zfs/dsl_dir.c`, `dsl_dataset.c`.

mod properties;
mod tree;

pub use properties::{property_text, read_properties};
pub use tree::{Dataset, DatasetProblem, DslDir, find_dataset, walk_datasets};
