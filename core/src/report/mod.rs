//! Floor 16: readers of what OpenZFS's tools print, and the verdict.

use crate::view::ExplainView;

/// Reads a pasted output. Never fails: what was not understood is listed.
pub fn explain(text: &str) -> ExplainView {
    let _ = text;
    ExplainView::default()
}
