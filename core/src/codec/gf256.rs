//! The field of raidz parity: bytes with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (0x11D).
//!
//! Over data columns D_0..D_{n-1}: P = sum D_i, Q = sum 2^(n-1-i) D_i, R = sum 4^(n-1-i) D_i.
//! Column j of parity k has the coefficient 2^(k (n-1-j)). Missing data columns are the unknowns of
//! as many equations as there are parities left; the small matrix is inverted by elimination.
//! Short columns count as padded with zeros. Source: `module/zfs/vdev_raidz.c` for the layout.

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
pub const fn mul(a: u8, b: u8) -> u8 {
    if a == 0 || b == 0 {
        return 0;
    }
    EXP[LOG[a as usize] as usize + LOG[b as usize] as usize]
}

/// The element whose product with `a` is 1; `a` must not be 0.
pub const fn inv(a: u8) -> u8 {
    assert!(a != 0, "invariant: zero has no inverse");
    EXP[255 - LOG[a as usize] as usize]
}

/// 2 to the power `n`.
const fn power(n: usize) -> u8 {
    EXP[n % 255]
}

/// Adds `src` to the head of `dst`.
pub fn xor_into(dst: &mut [u8], src: &[u8]) {
    for (d, s) in dst.iter_mut().zip(src) {
        *d ^= s;
    }
}

/// Adds `factor * src` to the head of `dst`.
pub fn mul_into(dst: &mut [u8], src: &[u8], factor: u8) {
    match factor {
        0 => {}
        1 => xor_into(dst, src),
        _ => {
            let table: [u8; 256] = core::array::from_fn(|b| mul(b as u8, factor));
            for (d, s) in dst.iter_mut().zip(src) {
                *d ^= table[*s as usize];
            }
        }
    }
}

/// Coefficient of data column `column` of `count` in parity `parity` (0 for P, 1 for Q, 2 for R).
const fn coefficient(parity: usize, column: usize, count: usize) -> u8 {
    power(parity * (count - 1 - column))
}

/// The first `nparity` parity columns of `data`, each as long as the longest data column.
pub fn parity(nparity: usize, data: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let longest = data.iter().map(Vec::len).max().unwrap_or(0);
    let column = |p: usize| {
        let mut out = vec![0; longest];
        for (i, bytes) in data.iter().enumerate() {
            mul_into(&mut out, bytes, coefficient(p, i, data.len()));
        }
        out
    };
    (0..nparity).map(column).collect()
}

/// Fills the missing data columns from the parity columns that are there. `columns` holds
/// `nparity` parity columns and then the data; `sizes` gives the bytes of each. Missing parity
/// stays missing. `None` when more data are missing than parities are there.
pub fn reconstruct(nparity: usize, columns: &mut [Option<Vec<u8>>], sizes: &[usize]) -> Option<()> {
    let count = columns.len().checked_sub(nparity).filter(|&n| n > 0)?;
    let missing: Vec<usize> = (0..count)
        .filter(|&i| columns.get(nparity + i).is_some_and(Option::is_none))
        .collect();
    let present: Vec<usize> = (0..nparity)
        .filter(|&p| columns.get(p).is_some_and(Option::is_some))
        .collect();
    let equations = present.get(..missing.len())?;
    // Each right side: the parity less what the present columns gave to it.
    let mut sides = Vec::new();
    for &p in equations {
        let mut side = columns.get(p)?.clone()?;
        for i in 0..count {
            if let Some(Some(bytes)) = columns.get(nparity + i) {
                mul_into(&mut side, bytes, coefficient(p, i, count));
            }
        }
        sides.push(side);
    }
    let mut matrix: Vec<Vec<u8>> = equations
        .iter()
        .map(|&p| missing.iter().map(|&i| coefficient(p, i, count)).collect())
        .collect();
    solve(&mut matrix, &mut sides)?;
    for (&i, mut bytes) in missing.iter().zip(sides) {
        bytes.truncate(*sizes.get(nparity + i)?);
        *columns.get_mut(nparity + i)? = Some(bytes);
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
    fn every_loss_that_parity_covers_comes_back() {
        let mut rng = Prng::new(3);
        for nparity in 1..=3usize {
            for count in 1..=9usize {
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
                    let mut columns: Vec<_> = (0..all.len())
                        .map(|i| (!gone(&i)).then(|| all[i].clone()))
                        .collect();
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
