//! The worker's side: a driver over whatever the browser gives, and the session that answers.
//!
//! ```text
//!   Request -> Session -> Pool (engine) -> Rt -> MediaDriver -> Media: File slices, or memory
//! ```
//!
//! Nothing here names the browser except `file.rs`, so a session is tested natively on images in
//! memory.

mod bench;
mod media;
mod sample;
mod session;

pub use media::{Media, MediaDriver};
pub use sample::unpack;
pub use session::Session;

#[cfg(target_arch = "wasm32")]
mod file;
#[cfg(target_arch = "wasm32")]
pub use file::FileMedia;
