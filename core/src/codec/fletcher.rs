//! Fletcher sums: running sums of running sums, modulo 2^64.
//!
//! Fletcher-4 over 32-bit words w_1..w_n is a = sum w, b = sum of a's, c = sum of b's, d = sum of
//! c's. Four interleaved streams are summed side by side, so that the additions do not wait for
//! each other, and joined at the end. With word index 4q + j (q = group from the end, j = lane),
//! each word weighs a binomial of its distance to the end; the lane sums A, B, C, D hold the same
//! binomials of q. Writing the distance as t = 4q + 4 - j and expanding C(t+1,2) and C(t+2,3) in
//! the binomials of q + 1 gives the constants below.

use crate::base::Endian;

const LANES: usize = 4;

/// Fletcher-2: two interleaved pairs of sums over 64-bit words. A rest of less than 16 bytes is
/// left out, as blocks are whole sectors.
#[doc(alias = "fletcher_2_native")]
pub fn fletcher2(endian: Endian, data: &[u8]) -> [u64; 4] {
    let (mut a0, mut a1, mut b0, mut b1) = (0u64, 0u64, 0u64, 0u64);
    for pair in data.as_chunks::<16>().0 {
        let mut words = endian.words(pair);
        a0 = a0.wrapping_add(words.next().unwrap_or(0));
        a1 = a1.wrapping_add(words.next().unwrap_or(0));
        b0 = b0.wrapping_add(a0);
        b1 = b1.wrapping_add(a1);
    }
    [a0, a1, b0, b1]
}

/// Fletcher-4 over 32-bit words. A rest of less than four bytes is left out.
#[doc(alias = "fletcher_4_native")]
pub fn fletcher4(endian: Endian, data: &[u8]) -> [u64; 4] {
    match endian {
        Endian::Little => fletcher4_with(data, u32::from_le_bytes),
        Endian::Big => fletcher4_with(data, u32::from_be_bytes),
    }
}

#[inline(always)]
fn fletcher4_with(data: &[u8], word: impl Fn([u8; 4]) -> u32) -> [u64; 4] {
    let (groups, rest) = data.as_chunks::<{ 4 * LANES }>();
    let mut a = [0u64; LANES];
    let mut b = [0u64; LANES];
    let mut c = [0u64; LANES];
    let mut d = [0u64; LANES];
    for group in groups {
        for (j, bytes) in group.as_chunks::<4>().0.iter().enumerate() {
            a[j] = a[j].wrapping_add(u64::from(word(*bytes)));
            b[j] = b[j].wrapping_add(a[j]);
            c[j] = c[j].wrapping_add(b[j]);
            d[j] = d[j].wrapping_add(c[j]);
        }
    }
    let mut sum = join_lanes(&a, &b, &c, &d);
    for bytes in rest.as_chunks::<4>().0 {
        sum[0] = sum[0].wrapping_add(u64::from(word(*bytes)));
        sum[1] = sum[1].wrapping_add(sum[0]);
        sum[2] = sum[2].wrapping_add(sum[1]);
        sum[3] = sum[3].wrapping_add(sum[2]);
    }
    sum
}

/// Joins lane sums. A word in lane j at group distance g >= 1 from the end (g = 1 for the last
/// group) has plain distance t = 4g - j. Lane sums weigh it 1, g, g(g+1)/2, g(g+1)(g+2)/6; plain
/// sums weigh it 1, t, t(t+1)/2, t(t+1)(t+2)/6.
///
/// t               = 4g - j
/// t(t+1)/2        = 16 G2 - (4j + 6) g + j(j-1)/2                     with G2 = g(g+1)/2
/// t(t+1)(t+2)/6   = 64 G3 - (16j + 48) G2 + (2 j^2 + 4j + 4) g + z_j   with G3 = g(g+1)(g+2)/6
/// and z_j = -j(j-1)(j-2)/6 as the value of the cubic at g = 0.
fn join_lanes(a: &[u64; LANES], b: &[u64; LANES], c: &[u64; LANES], d: &[u64; LANES]) -> [u64; 4] {
    let mut sum = [0u64; 4];
    let lanes = a.iter().zip(b).zip(c).zip(d).zip(0u64..);
    for ((((&a, &b), &c), &d), j) in lanes {
        let times = |k: u64, v: u64| k.wrapping_mul(v);
        let triangle = j * j.saturating_sub(1) / 2;
        let pyramid = j * j.saturating_sub(1) * j.saturating_sub(2) / 6;
        sum[0] = sum[0].wrapping_add(a);
        sum[1] = sum[1].wrapping_add(times(4, b)).wrapping_sub(times(j, a));
        let second =
            times(16, c).wrapping_sub(times(4 * j + 6, b)).wrapping_add(times(triangle, a));
        sum[2] = sum[2].wrapping_add(second);
        let third = times(64, d)
            .wrapping_sub(times(16 * j + 48, c))
            .wrapping_add(times(2 * j * j + 4 * j + 4, b))
            .wrapping_sub(times(pyramid, a));
        sum[3] = sum[3].wrapping_add(third);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Prng;
    use std_alloc::vec::Vec;

    fn plain4(endian: Endian, data: &[u8]) -> [u64; 4] {
        let mut s = [0u64; 4];
        for chunk in data.chunks_exact(4) {
            s[0] = s[0].wrapping_add(u64::from(endian.u32(chunk.try_into().unwrap())));
            s[1] = s[1].wrapping_add(s[0]);
            s[2] = s[2].wrapping_add(s[1]);
            s[3] = s[3].wrapping_add(s[2]);
        }
        s
    }

    #[test]
    fn lanes_give_the_plain_sum() {
        let mut rng = Prng::new(4);
        for len in (0..200).chain([512, 4096, 131_072]) {
            let data: Vec<u8> = (0..len).map(|_| rng.next_u64() as u8).collect();
            for endian in [Endian::Little, Endian::Big] {
                assert_eq!(fletcher4(endian, &data), plain4(endian, &data), "{len} bytes");
            }
        }
    }

    #[test]
    fn small_sums_by_hand() {
        let data: Vec<u8> = [1u32, 2, 3].iter().flat_map(|w| w.to_le_bytes()).collect();
        assert_eq!(fletcher4(Endian::Little, &data), [6, 10, 15, 21]);
        let data: Vec<u8> = [1u64, 2, 3, 4].iter().flat_map(|w| w.to_be_bytes()).collect();
        assert_eq!(fletcher2(Endian::Big, &data), [4, 6, 5, 8]);
    }

    /// Of n equal words the sums are binomials: w C(n,1), w C(n+1,2), w C(n+2,3), w C(n+3,4).
    #[test]
    fn a_large_block_of_ones_gives_binomials() {
        let n = u128::from((128u32 << 10) / 4);
        let words = [n, n * (n + 1) / 2, n * (n + 1) * (n + 2) / 6];
        let fourth = words[2] * (n + 3) / 4;
        let expect = [words[0], words[1], words[2], fourth]
            .map(|binomial| binomial.wrapping_mul(u128::from(u32::MAX)) as u64);
        let data = std_alloc::vec![0xFF; 128 << 10];
        assert_eq!(fletcher4(Endian::Little, &data), expect);
        assert_eq!(fletcher4(Endian::Big, &data), expect);
    }
}
