//! Gigabytes a second of every checksum, packer and raidz kernel. `cargo bench -p tidepool-core`.
//!
//! Each row runs for a fixed time over one 128 KiB block and shows the best of five rounds, which
//! is what a machine with other work on it measures most steadily.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::{Duration, Instant};
use tidepool::base::{Endian, Prng};
use tidepool::codec::{ChecksumKind, Compression, checksum, compress, decompress, gf256};

const BLOCK: usize = 128 << 10;
const ROUND: Duration = Duration::from_millis(40);

/// Best rate of five rounds, in bytes a second of `bytes` a call.
fn rate(bytes: usize, mut call: impl FnMut()) -> f64 {
    let mut best = 0f64;
    for _ in 0..5 {
        let (start, mut calls) = (Instant::now(), 0u32);
        while start.elapsed() < ROUND {
            call();
            calls += 1;
        }
        let rate = f64::from(calls) * bytes as f64 / start.elapsed().as_secs_f64();
        best = best.max(rate);
    }
    best
}

fn row(name: &str, bytes: usize, call: impl FnMut()) {
    println!("{name:<28} {:>8.2} GB/s", rate(bytes, call) / 1e9);
}

/// Text-like bytes: runs of zeros, short repeats and noise.
fn sample(len: usize) -> Vec<u8> {
    let mut rng = Prng::new(7);
    let mut out = Vec::new();
    while out.len() < len {
        match rng.below(4) {
            0 => out.resize(out.len() + rng.below(200) as usize, 0),
            1 => out.extend((0..rng.below(60)).map(|i| i as u8)),
            2 => out.extend_from_slice(b"the block pointer of the object set "),
            _ => out.push(rng.next_u64() as u8),
        }
    }
    out.truncate(len);
    out
}

fn checksums(data: &[u8]) {
    use ChecksumKind as K;
    for kind in [K::Fletcher2, K::Fletcher4, K::Sha256, K::Sha512, K::Skein, K::Blake3] {
        for endian in [Endian::Little, Endian::Big] {
            row(&format!("{} {endian:?}", kind.name()), data.len(), || {
                let sum = checksum(kind, endian, Some(&[9; 32]), black_box(data));
                assert!(black_box(sum).is_ok());
            });
        }
    }
}

fn packers(data: &[u8]) {
    use Compression as C;
    for kind in [C::Lz4, C::Lzjb, C::Zle, C::Gzip(6), C::Zstd] {
        let packed = compress(kind, data, usize::MAX).expect("every kind packs");
        let ratio = data.len() as f64 / packed.len() as f64;
        row(&format!("unpack {kind} ({ratio:.1}x)"), data.len(), || {
            assert!(black_box(decompress(kind, black_box(&packed), data.len())).is_ok());
        });
        row(&format!("pack {kind}"), data.len(), || {
            assert!(black_box(compress(kind, black_box(data), usize::MAX)).is_some());
        });
    }
}

fn raidz(data: &[u8]) {
    let columns: Vec<Vec<u8>> = data.chunks(BLOCK / 8).map(<[u8]>::to_vec).collect();
    for nparity in 1..=3usize {
        row(&format!("parity {nparity} of 8 columns"), data.len(), || {
            black_box(gf256::parity(nparity, black_box(&columns)));
        });
        let parity = gf256::parity(nparity, &columns);
        let all: Vec<_> = parity.into_iter().chain(columns.clone()).map(Some).collect();
        let sizes: Vec<usize> = all.iter().flatten().map(Vec::len).collect();
        row(&format!("rebuild {nparity} of 8 columns"), data.len(), || {
            let mut holes = all.clone();
            holes[nparity..nparity * 2].fill(None);
            assert!(gf256::reconstruct(nparity, &mut holes, &sizes).is_some());
            black_box(holes);
        });
    }
}

fn main() {
    let data = sample(BLOCK);
    checksums(&data);
    packers(&data);
    raidz(&data);
}
