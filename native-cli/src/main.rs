//! The `tidepool` command.

fn main() {}
