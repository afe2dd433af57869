//! Tasks of the workspace: `cargo play`, `cargo verify`.
fn main() {}
