//! Counts the bytes that are allocated, so that a test can bound them.
//!
//! Counts are kept by thread, as tests run side by side and each input runs on one thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static NOW: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator with a count.
pub(crate) struct Counting;

// SAFETY: every call is passed on unchanged to the system's allocator, which keeps the contract.
// The counts are plain cells of the thread: touching them allocates nothing.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.get().wrapping_add(layout.size());
        NOW.set(now);
        // A block freed on another thread than its own makes the count negative; skip those.
        if now < usize::MAX / 2 {
            PEAK.set(PEAK.get().max(now));
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        NOW.set(NOW.get().wrapping_sub(layout.size()));
        // SAFETY: `block` came from `alloc` above, so from the system, with this layout.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Starts a new peak; what is allocated now.
pub(crate) fn mark() -> usize {
    PEAK.set(NOW.get());
    NOW.get()
}

/// Bytes by which the peak passed `mark`.
pub(crate) fn peak_since(mark: usize) -> usize {
    PEAK.get().saturating_sub(mark)
}
