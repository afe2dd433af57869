//! libFuzzer on the pool entry of `core/fuzz/entries`.
#![no_main]

#[allow(dead_code, reason = "seeds are for tests/hostile")]
#[path = "../entries/mod.rs"]
mod entries;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    entries::run("pool", data);
});
