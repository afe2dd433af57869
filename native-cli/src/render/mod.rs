//! Views as text for a terminal, in the layout of `zpool` and `zdb` where they have one. Maps and
//! readings of pasted texts are printed by the engine's own printers, which the browser shares.

pub(crate) mod check;
pub(crate) mod datasets;
pub(crate) mod files;
pub(crate) mod labels;
pub(crate) mod logs;
pub(crate) mod objects;
pub(crate) mod progress;
pub(crate) mod scan;
mod style;
mod table;
mod time;

pub(crate) use style::{BAD, DIM, GOOD, HEAD, WARN, of_health};
pub(crate) use table::Table;
pub(crate) use time::{date, duration};

/// `zdb`'s sizes, for people.
pub(crate) use tidepool::base::nice_bytes;

/// Columns of the terminal, 100 where there is none.
pub(crate) fn width() -> u32 {
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    columns.filter(|c| (40..=1000).contains(c)).unwrap_or(100)
}
