//! The native host: opens pools on real files and block devices.
