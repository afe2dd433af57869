//! Floor 3: the executor and the door to the outside world.
//!
//! Control flow in the core is `async fn` on one thread. A task waits only for a [`Cmd`] handed to
//! the [`Driver`], for another task, or for a lock of this module. The driver is a file backend, a
//! browser's file reader or the simulator; nothing above can tell which.
//!
//! ```text
//!   task --call(Cmd)--> Rt --submit--> Driver
//!     ^                  |               |
//!     +----- ready <-----+<---- next ----+
//! ```
//!
//! Invariants: ready tasks run first in, first out; a future that was not issued here never wakes;
//! when nothing is ready and nothing is in flight the run is stuck and says which tasks wait.

mod driver;
mod exec;
mod sync;

pub use driver::{Cmd, DevError, DevId, DevOp, Done, Driver, Tag};
pub use exec::{JoinHandle, Rt};
pub use sync::Semaphore;
