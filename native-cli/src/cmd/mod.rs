//! The commands: one clap struct and one `run` each.

pub(crate) mod cat;
pub(crate) mod check;
pub(crate) mod explain;
pub(crate) mod generate;
pub(crate) mod get;
pub(crate) mod ls;
pub(crate) mod map;
pub(crate) mod play;
pub(crate) mod scan;
pub(crate) mod show;
