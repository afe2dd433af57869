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
pub mod find;
pub mod paint;
pub mod protocol;
pub mod route;
pub mod samples;
pub mod store;
pub mod text;

#[cfg(test)]
pub(crate) mod fixture;

#[cfg(target_arch = "wasm32")]
pub mod app;
#[cfg(target_arch = "wasm32")]
pub mod client;
#[cfg(target_arch = "wasm32")]
pub mod clock;
#[cfg(target_arch = "wasm32")]
pub mod context;
#[cfg(target_arch = "wasm32")]
pub mod export;
#[cfg(target_arch = "wasm32")]
pub mod panels;
#[cfg(target_arch = "wasm32")]
pub mod start;
#[cfg(target_arch = "wasm32")]
pub mod widgets;
#[cfg(target_arch = "wasm32")]
pub mod wire;
#[cfg(target_arch = "wasm32")]
pub mod worker;
