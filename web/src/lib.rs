//! The playground: a Yew page in front of the engine, which runs in a Web Worker.
//!
//! ```text
//!   page (Yew)  --Request-->  worker (engine over File slices)
//!        ^-------Reply-----------'
//! ```
//!
//! One WebAssembly module serves both: its start function asks which kind of global it runs in.
//! The page keeps no engine state; it holds the last views it was given and paints them. What does
//! not need a browser compiles natively and is tested there.
#![forbid(unsafe_code)]

pub mod engine;
pub mod paint;
pub mod protocol;
pub mod route;
pub mod store;
pub mod text;

#[cfg(test)]
pub(crate) mod fixture;
