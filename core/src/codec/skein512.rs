//! Skein-512 as a message authentication code with 256 bits of output.
//!
//! The hash crates give plain Skein only; the keyed form chains four blocks through Threefish-512:
//! key, configuration, message, output. Source: the Skein 1.3 paper, section 3.

use threefish::Threefish512;

const KEY: u64 = 0;
const CONFIG: u64 = 4;
const MESSAGE: u64 = 48;
const OUTPUT: u64 = 63;
const BLOCK: usize = 64;

type State = [u64; 8];

/// One pass of the chaining mode over `data` as a field of type `kind`.
fn chain(mut state: State, data: &[u8], kind: u64) -> State {
    let mut position = 0u64;
    let mut rest = data;
    let mut first = true;
    loop {
        let (head, tail) = rest.split_at(rest.len().min(BLOCK));
        let last = tail.is_empty();
        position += head.len() as u64;
        let flags = kind << 56 | u64::from(first) << 62 | u64::from(last) << 63;
        let mut block = [0u8; BLOCK];
        block[..head.len()].copy_from_slice(head);
        let mut words = State::default();
        for (word, bytes) in words.iter_mut().zip(block.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let plain = words;
        Threefish512::new_with_tweak_u64(&state, &[position, flags]).encrypt_block_u64(&mut words);
        for ((state, word), plain) in state.iter_mut().zip(words).zip(plain) {
            *state = word ^ plain;
        }
        if last {
            return state;
        }
        (rest, first) = (tail, false);
    }
}

/// The 256-bit code of `data` under `key`.
pub(super) fn mac256(key: &[u8; 32], data: &[u8]) -> [u8; 32] {
    let mut config = [0u8; 32];
    config[..4].copy_from_slice(b"SHA3");
    config[4] = 1;
    config[8..16].copy_from_slice(&256u64.to_le_bytes());
    let state = chain(State::default(), key, KEY);
    let state = chain(state, &config, CONFIG);
    let state = chain(state, data, MESSAGE);
    let state = chain(state, &[0; 8], OUTPUT);
    let mut out = [0; 32];
    for (bytes, word) in out.as_chunks_mut::<8>().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without its key block the chain is plain Skein-512-256, which the hash crate computes.
    #[test]
    fn the_chain_without_a_key_is_plain_skein() {
        use skein::Digest;
        let data: [u8; 200] = core::array::from_fn(|i| i as u8);
        for len in [0, 1, 63, 64, 65, 128, 200] {
            let mut config = [0u8; 32];
            config[..5].copy_from_slice(b"SHA3\x01");
            config[8..16].copy_from_slice(&256u64.to_le_bytes());
            let state = chain(State::default(), &config, CONFIG);
            let state = chain(state, &data[..len], MESSAGE);
            let state = chain(state, &[0; 8], OUTPUT);
            let expect = skein::Skein512_256::digest(&data[..len]);
            let mine = state.iter().flat_map(|w| w.to_le_bytes()).take(32);
            assert!(mine.eq(expect.iter().copied()), "{len} bytes");
        }
        assert_ne!(mac256(&[1; 32], b"x"), mac256(&[2; 32], b"x"));
    }
}
