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
    let mut out = [0; 32];
    out.copy_from_slice(&mac(key, data, 256)[..32]);
    out
}

/// The code of `bits` bits, at most 512, with whatever follows it in the last block.
fn mac(key: &[u8; 32], data: &[u8], bits: u64) -> [u8; BLOCK] {
    let state = chain(State::default(), key, KEY);
    let state = chain(state, &config(bits), CONFIG);
    let state = chain(state, data, MESSAGE);
    bytes(chain(state, &[0; 8], OUTPUT))
}

/// The configuration block: identifier, version 1, length of the output in bits.
fn config(bits: u64) -> [u8; 32] {
    let mut config = [0u8; 32];
    config[..4].copy_from_slice(b"SHA3");
    config[4] = 1;
    config[8..16].copy_from_slice(&bits.to_le_bytes());
    config
}

fn bytes(state: State) -> [u8; BLOCK] {
    let mut out = [0; BLOCK];
    for (bytes, word) in out.as_chunks_mut::<8>().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std_alloc::vec::Vec;

    /// Skein 1.3, skein_golden_kat.txt: Skein-512, 384-bit hash, message of 1024 bits, key of 32
    /// bytes. It is the vector with such a key whose output fits into one block.
    #[test]
    fn the_golden_code_of_the_paper() {
        const MESSAGE: [u64; 16] = [
            0xD309_0C72_1675_17F7,
            0xC7AD_82A7_0C2F_D3F6,
            0x443F_6083_0159_1E59,
            0x8EAD_B195_E835_7135,
            0xBA26_FEDE_2EE1_8741,
            0x7F81_6048_D00F_C235,
            0x1273_7A21_1370_9A77,
            0xE417_0C49_A94B_7FDF,
            0xF45F_F579_A722_8774,
            0x3102_E776_6C35_CA5A,
            0xBC5D_FE2F_63A1_E726,
            0xCE5F_BD29_26DB_03A2,
            0xDD18_B03F_C150_8A9A,
            0xAC45_EB36_2440_203A,
            0x323E_09ED_EE63_24EE,
            0x2E37_B443_2C18_67ED,
        ];
        const KEY: [u64; 4] = [
            0xCB41_F170_6CDE_0965,
            0x1203_C2D0_EFBA_DDF8,
            0x47A0_D315_CB2E_53FF,
            0x8BAC_41DA_0002_672E,
        ];
        const CODE: [u64; 6] = [
            0xDFBF_5C13_19A1_D9D7,
            0x0EFB_2F16_00FB_CF69,
            0x4F93_5907_F31D_24A1,
            0x6D6C_D2FB_2D78_55A7,
            0x6968_1766_C0A2_9DA7,
            0x78EE_D346_CD1D_740F,
        ];
        let flat = |words: &[u64]| words.iter().flat_map(|w| w.to_be_bytes()).collect::<Vec<_>>();
        let key = flat(&KEY).try_into().unwrap();
        assert_eq!(mac(&key, &flat(&MESSAGE), 384)[..48], flat(&CODE));
    }

    /// Without its key block the chain is plain Skein-512-256, which the hash crate computes.
    #[test]
    fn the_chain_without_a_key_is_plain_skein() {
        use skein::Digest;
        let data: [u8; 200] = core::array::from_fn(|i| i as u8);
        for len in [0, 1, 63, 64, 65, 128, 200] {
            let state = chain(State::default(), &config(256), CONFIG);
            let state = chain(state, &data[..len], MESSAGE);
            let mine = bytes(chain(state, &[0; 8], OUTPUT));
            let expect = skein::Skein512_256::digest(&data[..len]);
            assert_eq!(mine[..32], expect[..], "{len} bytes");
        }
        assert_ne!(mac256(&[1; 32], b"x"), mac256(&[2; 32], b"x"));
    }
}
