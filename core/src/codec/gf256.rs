//! The field of raidz parity: bytes with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (0x11D).
//!
//! Over data columns D_0..D_{n-1}: P = sum D_i, Q = sum 2^(n-1-i) D_i, R = sum 4^(n-1-i) D_i.
//! Column j of parity k has the coefficient 2^(k (n-1-j)). Missing data columns are the unknowns of
//! as many equations as there are parities left; the small matrix is inverted by elimination.
//! Short columns count as padded with zeros. Source: `module/zfs/vdev_raidz.c` for the layout.
//!
//! Long columns are never looked up byte by byte: sums are built by doubling, which compilers turn
//! into a few vector instructions (shift, compare, mask, xor) on every target.

use std_alloc::vec;
use std_alloc::vec::Vec;

const EXP: [u8; 512] = {
    let mut table = [0u8; 512];
    let mut value = 1u16;
    let mut i = 0;
    while i < 510 {
        table[i] = value as u8;
        value <<= 1;
        if value & 0x100 != 0 {
            value ^= 0x11D;
        }
        i += 1;
    }
    table
};

const LOG: [u8; 256] = {
    let mut table = [0u8; 256];
    let mut i = 0;
    while i < 255 {
        table[EXP[i] as usize] = i as u8;
        i += 1;
    }
    table
};

/// Product of two elements.
const fn mul(a: u8, b: u8) -> u8 {
    if a == 0 || b == 0 {
        return 0;
    }
    EXP[LOG[a as usize] as usize + LOG[b as usize] as usize]
}

/// The element whose product with `a` is 1; `a` must not be 0.
const fn inv(a: u8) -> u8 {
    assert!(a != 0, "invariant: zero has no inverse");
    EXP[255 - LOG[a as usize] as usize]
}

/// 2 to the power `n`.
const fn power(n: usize) -> u8 {
    EXP[n % 255]
}

/// Adds `src` to the head of `dst`.
fn xor_into(dst: &mut [u8], src: &[u8]) {
    for (d, s) in dst.iter_mut().zip(src) {
        *d ^= s;
    }
}

/// Twice `a`.
const fn double(a: u8) -> u8 {
    (a << 1) ^ (0x1D & ((a as i8) >> 7) as u8)
}

/// One step of Horner's rule: `dst = 2^parity * dst + src`, with `src` padded by zeros.
fn horner_step(parity: usize, dst: &mut [u8], src: &[u8]) {
    let (head, tail) = dst.split_at_mut(src.len().min(dst.len()));
    match parity {
        0 => xor_into(head, src),
        1 => {
            head.iter_mut().zip(src).for_each(|(d, s)| *d = double(*d) ^ s);
            tail.iter_mut().for_each(|d| *d = double(*d));
        }
        _ => {
            let twice = |d: u8| double(double(d));
            head.iter_mut().zip(src).for_each(|(d, s)| *d = twice(*d) ^ s);
            tail.iter_mut().for_each(|d| *d = twice(*d));
        }
    }
}

/// Adds `factor * src` to the head of `dst`.
fn mul_into(dst: &mut [u8], src: &[u8], factor: u8) {
    const LANE: usize = 64;
    for (dst, src) in dst.chunks_mut(LANE).zip(src.chunks(LANE)) {
        let mut power = [0; LANE];
        power[..src.len()].copy_from_slice(src);
        let mut bits = factor;
        while bits != 0 {
            if bits & 1 == 1 {
                xor_into(dst, &power);
            }
            power.iter_mut().for_each(|b| *b = double(*b));
            bits >>= 1;
        }
    }
}

/// Coefficient of data column `column` of `count` in parity `parity` (0 for P, 1 for Q, 2 for R).
const fn coefficient(parity: usize, column: usize, count: usize) -> u8 {
    power(parity * (count - 1 - column))
}

/// What parity column `parity` holds for `data`, over `len` bytes.
fn parity_column<'a>(parity: usize, data: impl Iterator<Item = &'a [u8]>, len: usize) -> Vec<u8> {
    let mut out = vec![0; len];
    data.for_each(|column| horner_step(parity, &mut out, column));
    out
}

/// The first `nparity` parity columns of `data`, each as long as the longest data column.
pub fn parity(nparity: usize, data: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let longest = data.iter().map(Vec::len).max().unwrap_or(0);
    let column = |p| parity_column(p, data.iter().map(Vec::as_slice), longest);
    (0..nparity).map(column).collect()
}

/// Fills the missing data columns from the parity columns that are there. `columns` holds
/// `nparity` parity columns and then the data; `sizes` gives the bytes of each. Missing parity
/// stays missing. `None` when more data are missing than parities are there, or when a column does
/// not have its size; then nothing has changed.
#[doc(alias = "vdev_raidz_reconstruct")]
pub fn reconstruct(nparity: usize, columns: &mut [Option<Vec<u8>>], sizes: &[usize]) -> Option<()> {
    let sized = |(column, size): (&Option<Vec<u8>>, &usize)| {
        column.as_ref().is_none_or(|bytes| bytes.len() == *size)
    };
    let fits = columns.len() == sizes.len() && columns.iter().zip(sizes).all(sized);
    if !fits || columns.len() <= nparity {
        return None;
    }
    let (parities, data) = columns.split_at_mut(nparity);
    let (longest, sizes) = (sizes.first().copied()?, sizes.get(nparity..)?);
    if sizes.iter().any(|&size| size > longest) {
        return None;
    }
    let missing: Vec<usize> = (0..data.len()).filter(|&i| data[i].is_none()).collect();
    let present = parities.iter().enumerate();
    let mut present = present.filter_map(|(p, c)| Some((p, c.as_ref()?)));
    // Each right side: the parity less what the present columns gave to it.
    let (mut matrix, mut sides) = (Vec::new(), Vec::new());
    for _ in &missing {
        let (p, parity) = present.next()?;
        let known = data.iter().map(|c| c.as_deref().unwrap_or(&[]));
        let mut side = parity_column(p, known, longest);
        xor_into(&mut side, parity);
        sides.push(side);
        let row = missing.iter().map(|&i| coefficient(p, i, data.len()));
        matrix.push(row.collect::<Vec<u8>>());
    }
    solve(&mut matrix, &mut sides)?;
    for (&i, mut bytes) in missing.iter().zip(sides) {
        bytes.truncate(sizes[i]);
        data[i] = Some(bytes);
    }
    Some(())
}

/// Gauss-Jordan elimination; the solutions end up in `sides`.
fn solve(matrix: &mut [Vec<u8>], sides: &mut [Vec<u8>]) -> Option<()> {
    let n = matrix.len();
    for column in 0..n {
        let pivot = (column..n).find(|&row| matrix[row][column] != 0)?;
        matrix.swap(column, pivot);
        sides.swap(column, pivot);
        let scale = inv(matrix[column][column]);
        for v in &mut matrix[column] {
            *v = mul(*v, scale);
        }
        let mut scaled = vec![0; sides[column].len()];
        mul_into(&mut scaled, &sides[column], scale);
        sides[column] = scaled;
        for row in (0..n).filter(|&row| row != column) {
            let factor = matrix[row][column];
            let (pivot_row, pivot_side) = (matrix[column].clone(), sides[column].clone());
            mul_into(&mut matrix[row], &pivot_row, factor);
            mul_into(&mut sides[row], &pivot_side, factor);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Prng;

    #[test]
    fn every_element_has_an_inverse() {
        assert!((1..=255u8).all(|a| mul(a, inv(a)) == 1));
        assert_eq!(mul(0x80, 2), 0x1D);
    }

    #[test]
    fn factors_of_whole_columns_are_factors_of_their_bytes() {
        let src: Vec<u8> = (0..=255).cycle().take(300).collect();
        for factor in 0..=255 {
            let mut dst = vec![0x5A; 300];
            mul_into(&mut dst, &src, factor);
            let expect = src.iter().map(|&b| 0x5A ^ mul(b, factor));
            assert!(dst.iter().copied().eq(expect), "factor {factor}");
        }
    }

    /// Worked by hand: Q = 2 (2 * 1 + 2) + 3, R = 4 (4 * 1 + 2) + 3; the second row has no third
    /// column, and 0x80 doubles to 0x1D.
    #[test]
    fn parity_by_hand() {
        let data = [vec![1, 0x80], vec![2, 0], vec![3]];
        let expect = [[0, 0x80], [3, 0x3A], [27, 0xE8]];
        assert_eq!(parity(3, &data), expect);
    }

    #[test]
    fn columns_of_a_wrong_size_are_refused() {
        let whole = || vec![Some(vec![1; 4]), None, Some(vec![2; 4])];
        assert!(reconstruct(1, &mut whole(), &[4, 4, 4]).is_some());
        for sizes in [&[4usize, 4, 3][..], &[3, 4, 4], &[4, 5, 4], &[4, 4]] {
            let mut columns = whole();
            assert!(reconstruct(1, &mut columns, sizes).is_none());
            assert_eq!(columns, whole());
        }
        assert!(reconstruct(1, &mut [None], &[4]).is_none());
        assert!(reconstruct(0, &mut [None], &[4]).is_none());
    }

    #[test]
    fn every_loss_that_parity_covers_comes_back() {
        let mut rng = Prng::new(3);
        for nparity in 1..=3usize {
            for count in 1..=12 - nparity {
                let size = |i: usize| if i < count.div_ceil(2) { 24 } else { 16 };
                let data: Vec<Vec<u8>> = (0..count)
                    .map(|i| (0..size(i)).map(|_| rng.next_u64() as u8).collect())
                    .collect();
                let all: Vec<_> = parity(nparity, &data).into_iter().chain(data).collect();
                let sizes: Vec<usize> = all.iter().map(Vec::len).collect();
                for lost in 0u32..1 << all.len() {
                    let gone = |i: &usize| lost >> i & 1 == 1;
                    let data_lost = (nparity..all.len()).filter(gone).count();
                    let parity_left = nparity - (0..nparity).filter(gone).count();
                    let mut columns: Vec<_> =
                        (0..all.len()).map(|i| (!gone(&i)).then(|| all[i].clone())).collect();
                    let solved = reconstruct(nparity, &mut columns, &sizes);
                    assert_eq!(solved.is_some(), data_lost <= parity_left);
                    if solved.is_some() {
                        assert!((nparity..all.len()).all(|i| columns[i].as_ref() == Some(&all[i])));
                    }
                }
            }
        }
    }
}
