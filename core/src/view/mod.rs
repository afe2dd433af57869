//! Floor 6: plain snapshots of everything that can be seen, for the command line and the browser.
//!
//! A view holds values, never references into the engine. The command line prints views, the
//! browser draws them, `--json` is their serde form. Field names are the JSON names; renaming one
//! breaks scripts. Sizes and offsets are bytes unless the name says otherwise.

mod check;
mod data;
mod explain;
mod map;
mod pool;
mod print;
mod pyramid;
pub mod svg;
mod words;

#[cfg(test)]
mod sample;

pub use check::*;
pub use data::*;
pub use explain::*;
pub use map::*;
pub use pool::*;
pub use print::*;
pub use pyramid::Pyramid;

use std_alloc::string::String;

/// The JSON form of a view, indented for people; the same text natively and in the browser.
pub fn to_json(view: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(view).expect("invariant: a view has only plain values")
}
