//! The reading of a pasted text.

use super::width;
use crate::out::Output;
use std::io::Result;
use tidepool::view::ExplainView;

/// Kind, verdict, readings, pictures and what was not understood.
pub(crate) fn print(out: &mut Output, view: &ExplainView) -> Result<()> {
    let line = format!("{}: {}", view.kind, view.verdict);
    out.line(&line.chars().take(width()).collect::<String>())
}
