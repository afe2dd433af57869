//! Tidepool: an OpenZFS-compatible storage-pool engine that names no file, no thread and no clock.
//!
//! The modules are floors of one house. A floor imports only floors below it; `tests/layers.rs`
//! holds the table and prints the graph. `docs/ARCHITECTURE.md` tells why.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc as std_alloc;

pub mod base;

pub mod codec;
pub mod obs;

pub mod format;
pub mod range;

pub mod rt;

pub mod dev;
pub mod sim;

pub mod alloc;

pub mod vdev;

pub mod zio;

pub mod cache;

pub mod dmu;

pub mod dsl;

pub mod zil;

pub mod spa;

pub mod scan;
pub mod zpl;
pub mod zvol;

pub mod view;

pub mod pool;

pub mod report;
