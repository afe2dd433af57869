//! Floor 5: a world of simulated devices under virtual time.
//!
//! The engine's commands are answered from sparse images. Time stands still while the engine
//! computes and jumps to the next answer when the engine waits, so a run takes no longer than its
//! work and is the same on every machine.
//!
//! ```text
//!   submit -> model: when does it end? -> heap of (time, sequence) -> next -> faults, bytes, trace
//! ```
//!
//! Invariants: answers come in order of (time, sequence); nothing depends on the host; the same
//! images, faults, seed and commands give the same trace hash on every target. It knows no pools.

mod driver;
mod fault;
mod model;

pub use driver::{DeviceStats, SimDriver, World, devices};
pub use fault::{Fault, FaultKind};
pub use model::DeviceModel;
