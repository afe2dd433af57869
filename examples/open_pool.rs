//! Opens a real pool.
fn main() {}
