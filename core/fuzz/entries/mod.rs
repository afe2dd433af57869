//! Entry functions for hostile bytes, shared by `tests/hostile` and the cargo-fuzz targets.
//!
//! An entry takes any bytes, calls public API as the engine does, and asserts what must hold of
//! whatever came out. It answers whether the bytes were accepted: each seed must be, or it teaches
//! the mutator nothing. Seeds are built here; `corpus/` holds the same bytes as files, which is
//! where cargo-fuzz looks for them.

mod block;
mod decompress;
mod explain;
mod label;
mod nvlist;
mod pool;
mod put;
mod records;
mod space_map;
mod tree;
mod zap;

/// One entry function with its seeds.
pub(crate) struct Entry {
    /// Name, also of the folder in `corpus/` and of the cargo-fuzz target.
    pub(crate) name: &'static str,
    /// Whether the bytes were accepted.
    pub(crate) run: fn(&[u8]) -> bool,
    /// Small inputs that are accepted.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
}

macro_rules! entries {
    ($($name:ident),*) => {
        &[$(Entry { name: stringify!($name), run: $name::run, seeds: $name::seeds }),*]
    };
}

/// All entries.
pub(crate) const ENTRIES: &[Entry] =
    entries![block, decompress, explain, label, nvlist, pool, records, space_map, tree, zap];

/// Runs the entry called `name`.
pub(crate) fn run(name: &str, data: &[u8]) -> bool {
    let entry = ENTRIES.iter().find(|e| e.name == name);
    (entry.expect("an entry of that name").run)(data)
}
