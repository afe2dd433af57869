//! Tests of vdev reads.
