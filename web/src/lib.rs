//! The playground.
