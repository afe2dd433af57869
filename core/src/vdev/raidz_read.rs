//! Reads of raidz blocks: data columns first, parity when something is wrong.
//!
//! 1. Read the data columns; if all came and the block passes, done.
//! 2. Read the parity columns and replace the data columns that could not be read.
//! 3. If the block still does not pass, some device lies: replace each set of suspects that the
//!    parity left over can replace, smallest sets first, until the block passes.

use super::raidz::{Column, RaidzMap};
use super::read::{Extent, FailedTry, ReadFailure, Verify, Why};
use super::tree::Vdev;
use crate::codec::gf256;
use crate::rt::Rt;
use std_alloc::format;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// Sets of suspects that are tried before a read gives up.
const MAX_GUESSES: u32 = 4096;

type Bytes = Result<Vec<u8>, FailedTry>;

async fn read_column(children: &[Vdev], column: Column) -> Bytes {
    let child = children.get(column.child as usize);
    let child = child.expect("invariant: a raidz map names children that exist");
    child.read_plain(column.offset, column.size).await
}

/// The bytes of the block at `at` that pass `verify`.
pub(super) async fn read_raidz(
    rt: &Rt,
    ashift: u32,
    nparity: u32,
    children: &[Vdev],
    at: Extent,
    verify: &Verify<'_>,
) -> Result<Vec<u8>, ReadFailure> {
    let map = RaidzMap::new(at.offset, at.size, ashift, children.len() as u32, nparity);
    let data: Vec<Bytes> = match map.data() {
        [only] => [read_column(children, *only).await].into(),
        many => rt.join(many.iter().map(|c| read_column(children, *c))).await,
    };
    if data.iter().all(Result::is_ok) {
        let bytes = join(data.iter().flatten(), at);
        if verify(&bytes) {
            return Ok(bytes);
        }
    }
    let parity = map.columns.iter().take(nparity as usize);
    let parity: Vec<Bytes> = rt.join(parity.map(|c| read_column(children, *c))).await;
    let columns: Vec<Bytes> = parity.into_iter().chain(data).collect();
    solve(&map, children, &columns, at, verify)
}

/// Joins data columns and cuts the block.
fn join<'a>(data: impl Iterator<Item = &'a Vec<u8>>, at: Extent) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(at.size as usize);
    for part in data {
        bytes.extend_from_slice(part);
    }
    bytes.truncate(at.psize as usize);
    bytes
}

fn solve(
    map: &RaidzMap,
    children: &[Vdev],
    columns: &[Bytes],
    at: Extent,
    verify: &Verify<'_>,
) -> Result<Vec<u8>, ReadFailure> {
    let nparity = map.nparity as usize;
    let indices = 0..columns.len();
    let is_there = |i: &usize| columns.get(*i).is_some_and(Result::is_ok);
    let present: Vec<usize> = indices.filter(is_there).collect();
    let spare = nparity.saturating_sub(columns.len() - present.len());
    let mut guesses = 0;
    for count in 0..=spare.min(present.len()) {
        let mut pick: Vec<usize> = (0..count).collect();
        loop {
            let suspects = pick.iter().filter_map(|&p| present.get(p).copied());
            let suspects: Vec<usize> = suspects.collect();
            if let Some(bytes) = try_without(map, columns, &suspects, at, verify) {
                for column in suspects.iter().filter_map(|&c| map.columns.get(c)) {
                    if let Some(child) = children.get(column.child as usize) {
                        child.blame();
                    }
                }
                return Ok(bytes);
            }
            guesses += 1;
            if guesses > MAX_GUESSES || !next_combination(&mut pick, present.len()) {
                break;
            }
        }
    }
    Err(hopeless(map, children, columns, at))
}

fn hopeless(map: &RaidzMap, children: &[Vdev], columns: &[Bytes], at: Extent) -> ReadFailure {
    let failed = columns.iter().filter_map(|c| c.as_ref().err().cloned());
    let mut tries: Vec<FailedTry> = failed.collect();
    let data_missing = columns.iter().skip(map.nparity as usize).any(Result::is_err);
    // With all parity spent on missing columns and too little of it, nothing was held against the
    // checksum: that is a missing device, not a bad one.
    if tries.len() <= map.nparity as usize || !data_missing {
        let names: Vec<String> = children.iter().map(Vdev::label).collect();
        tries.push(FailedTry {
            device: format!("raidz{} of {}", map.nparity, names.join(", ")),
            offset: at.offset,
            size: at.psize,
            why: Why::Checksum,
        });
    }
    ReadFailure { tries }
}

fn try_without(
    map: &RaidzMap,
    columns: &[Bytes],
    suspects: &[usize],
    at: Extent,
    verify: &Verify<'_>,
) -> Option<Vec<u8>> {
    let nparity = map.nparity as usize;
    let usable = |(i, c): (usize, &Bytes)| match suspects.contains(&i) {
        true => None,
        false => c.as_ref().ok().cloned(),
    };
    let mut all: Vec<Option<Vec<u8>>> = columns.iter().enumerate().map(usable).collect();
    let sizes: Vec<usize> = map.columns.iter().map(|c| c.size as usize).collect();
    gf256::reconstruct(nparity, &mut all, &sizes)?;
    let data: Option<Vec<Vec<u8>>> = all.into_iter().skip(nparity).collect();
    let bytes = join(data?.iter(), at);
    verify(&bytes).then_some(bytes)
}

/// The next set of `pick.len()` numbers below `n` in order; false after the last.
fn next_combination(pick: &mut [usize], n: usize) -> bool {
    let k = pick.len();
    for i in (0..k).rev() {
        let Some(slot) = pick.get_mut(i) else {
            return false;
        };
        if *slot < n + i - k {
            *slot += 1;
            let base = *slot;
            for (step, later) in pick.iter_mut().skip(i + 1).enumerate() {
                *later = base + 1 + step;
            }
            return true;
        }
    }
    false
}

/// Every column as read, and as it should be by the block that passes `verify`.
pub(super) struct RaidzCopies {
    pub map: RaidzMap,
    pub read: Vec<Bytes>,
    pub expect: Vec<Vec<u8>>,
}

/// Reads all columns and recomputes them from the block that passes; the failure when none does.
pub(super) async fn read_raidz_copies(
    rt: &Rt,
    ashift: u32,
    nparity: u32,
    children: &[Vdev],
    at: Extent,
    verify: &Verify<'_>,
) -> Result<RaidzCopies, ReadFailure> {
    let map = RaidzMap::new(at.offset, at.size, ashift, children.len() as u32, nparity);
    let all = map.columns.iter().map(|c| read_column(children, *c));
    let read: Vec<Bytes> = rt.join(all).await;
    let data = read.get(nparity as usize..).unwrap_or(&[]);
    let straight = data.iter().all(Result::is_ok) && verify(&join(data.iter().flatten(), at));
    let expect_data: Vec<Vec<u8>> = match straight {
        true => data.iter().flatten().cloned().collect(),
        false => {
            let good = solve(&map, children, &read, at, verify)?;
            split(&map, good, data)
        }
    };
    let expect = gf256::parity(nparity as usize, &expect_data);
    let expect = expect.into_iter().chain(expect_data).collect();
    Ok(RaidzCopies { map, read, expect })
}

/// Cuts a good block into its data columns. What lies behind its end is not covered by the
/// checksum; it is taken as read where it was read.
fn split(map: &RaidzMap, mut good: Vec<u8>, read: &[Bytes]) -> Vec<Vec<u8>> {
    let mut columns = Vec::new();
    for (column, read) in map.data().iter().zip(read) {
        let rest = good.split_off((column.size as usize).min(good.len()));
        let mut bytes = core::mem::replace(&mut good, rest);
        let covered = bytes.len();
        bytes.resize(column.size as usize, 0);
        if let (Some(tail), Ok(read)) = (bytes.get_mut(covered..), read)
            && let Some(as_read) = read.get(covered..)
        {
            tail.copy_from_slice(as_read);
        }
        columns.push(bytes);
    }
    columns
}
