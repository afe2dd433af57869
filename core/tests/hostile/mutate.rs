//! Seeded damage to a good input.

use tidepool::base::Prng;

/// Longest input that is made.
const LEN_MAX: usize = 64 << 10;
/// Words at which arithmetic breaks.
const EDGES: [u64; 14] =
    [0, 1, 2, 7, 8, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF, 1 << 63, u64::MAX];

/// One of `seeds` with one to eight pieces of damage.
pub(crate) fn mutate(seeds: &[Vec<u8>], rng: &mut Prng) -> Vec<u8> {
    let mut data = pick(seeds, rng).clone();
    for _ in 0..=rng.below(8) {
        damage(&mut data, seeds, rng);
    }
    data.truncate(LEN_MAX);
    data
}

fn pick<'a, T>(all: &'a [T], rng: &mut Prng) -> &'a T {
    &all[index(all.len(), rng)]
}

/// A place below `len`, or 0.
fn index(len: usize, rng: &mut Prng) -> usize {
    rng.below(len.max(1) as u64) as usize
}

fn damage(data: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut Prng) {
    let at = index(data.len(), rng);
    let len = index(64, rng).min(data.len() - at.min(data.len()));
    match rng.below(10) {
        0 => data.truncate(at),
        1 => data.extend((0..len).map(|_| rng.next_u64() as u8)),
        2 | 3 => field(data, at, rng),
        4 => data[at..at + len].fill(rng.next_u64() as u8),
        5 => drop(data.drain(at..at + len)),
        6 => {
            let copy = data[at..at + len].to_vec();
            data.splice(at..at, copy);
        }
        7 => {
            let other = pick(seeds, rng);
            let from = index(other.len(), rng);
            let end = (from + len).min(other.len());
            let end_here = (at + len).min(data.len());
            data.splice(at..end_here, other[from..end].iter().copied());
        }
        8 => {
            let to = index(data.len(), rng);
            let len = len.min(data.len() - to);
            data.copy_within(at..at + len, to);
        }
        _ => {
            if let Some(byte) = data.get_mut(at) {
                *byte ^= 1 << rng.below(8);
            }
        }
    }
}

/// Puts an edge, its neighbour or a number near the length where a field of 1 to 8 bytes may be.
fn field(data: &mut [u8], at: usize, rng: &mut Prng) {
    let size = 1usize << rng.below(4);
    let aligned = if rng.below(4) == 0 { at } else { at / size * size };
    let base = match rng.below(4) {
        0 => data.len() as u64,
        _ => *pick(&EDGES, rng),
    };
    let value = base.wrapping_add(rng.below(3)).wrapping_sub(1);
    let Some(place) = data.get_mut(aligned..aligned + size) else {
        return;
    };
    match rng.below(2) {
        0 => place.copy_from_slice(&value.to_le_bytes()[..size]),
        _ => place.copy_from_slice(&value.to_be_bytes()[8 - size..]),
    }
}
