//! Tests of verified reads.
