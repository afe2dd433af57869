//! The tree of one top-level vdev and the search for bytes that pass their checksum.

use super::leaf::Leaf;
use super::raidz::RaidzMap;
use crate::base::{Guid, ObjectId, SECTOR_SHIFT};
use crate::codec::gf256;
use crate::rt::Rt;
use std_alloc::boxed::Box;
use std_alloc::format;
use std_alloc::rc::Rc;
use std_alloc::string::{String, ToString};
use std_alloc::vec;
use std_alloc::vec::Vec;

/// A question about bytes: do they pass their checksum?
pub type Verify<'a> = dyn Fn(&[u8]) -> bool + 'a;

/// Guesses at which columns lie, before a raidz read gives up.
const MAX_GUESSES: u32 = 4096;

/// A vdev below a top-level one, or the top-level one itself.
pub struct Vdev {
    /// What it is.
    pub kind: VdevKind,
    /// Guid by the configuration.
    pub guid: Guid,
}

/// The kinds of vdev.
pub enum VdevKind {
    /// A device.
    Leaf(Rc<Leaf>),
    /// Sides that hold the same bytes: mirror, replacing, spare.
    Mirror(Vec<Vdev>),
    /// Columns with parity.
    Raidz {
        /// Parity columns, 1 to 3.
        nparity: u32,
        /// Children in order.
        children: Vec<Vdev>,
    },
    /// A slot without space: hole or missing.
    Empty(String),
    /// A kind that is not read here, and why.
    Unsupported(String),
}

/// A top-level vdev.
pub struct TopVdev {
    /// Index in the pool.
    pub id: u64,
    /// The tree below.
    pub vdev: Vdev,
    /// Log2 of the sector.
    pub ashift: u32,
    /// Allocatable bytes.
    pub asize: u64,
    /// Log2 of a metaslab.
    pub metaslab_shift: u32,
    /// Object that lists the space maps.
    pub metaslab_array: ObjectId,
    /// `normal`, `log`, `special` or `dedup`.
    pub class: String,
}

/// Why no replica served: a sentence for each try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFailure(pub Vec<String>);

/// What one replica gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyReport {
    /// Device or replica.
    pub name: String,
    /// Why it is bad; absent when good.
    pub problem: Option<String>,
}

type Column = Result<Vec<u8>, String>;

impl Vdev {
    /// Bytes at `offset` that pass `verify`, from whichever replica has them. `size` is a multiple
    /// of the sector, `psize` of it count.
    async fn read(
        &self,
        rt: &Rt,
        ashift: u32,
        at: Extent,
        verify: &Verify<'_>,
    ) -> Result<Vec<u8>, ReadFailure> {
        match &self.kind {
            VdevKind::Leaf(leaf) => read_leaf(leaf, at, verify).await,
            VdevKind::Mirror(sides) => {
                let mut failures = Vec::new();
                for side in sides {
                    match Box::pin(side.read(rt, ashift, at, verify)).await {
                        Ok(bytes) => return Ok(bytes),
                        Err(ReadFailure(more)) => failures.extend(more),
                    }
                }
                Err(ReadFailure(failures))
            }
            VdevKind::Raidz { nparity, children } => {
                read_raidz(rt, ashift, *nparity, children, at, verify).await
            }
            VdevKind::Empty(what) => Err(ReadFailure(vec![format!("a {what} vdev holds no data")])),
            VdevKind::Unsupported(why) => Err(ReadFailure(vec![why.clone()])),
        }
    }

    /// Bytes at `offset` without a checksum, for raidz columns: any side of a mirror serves.
    async fn read_plain(&self, offset: u64, len: u64) -> Column {
        let len = u32::try_from(len).map_err(|_| "a column beyond 4 GiB".to_string())?;
        match &self.kind {
            VdevKind::Leaf(leaf) => leaf.read(offset, len).await,
            VdevKind::Mirror(sides) => {
                let mut last = "a mirror without sides".to_string();
                for side in sides {
                    match Box::pin(side.read_plain(offset, u64::from(len))).await {
                        Ok(bytes) => return Ok(bytes),
                        Err(why) => last = why,
                    }
                }
                Err(last)
            }
            VdevKind::Raidz { .. } => Err("a raidz inside a raidz".to_string()),
            VdevKind::Empty(what) => Err(format!("a {what} vdev holds no data")),
            VdevKind::Unsupported(why) => Err(why.clone()),
        }
    }

    /// Whether all data are there: enough children for the redundancy.
    pub fn is_readable(&self) -> bool {
        match &self.kind {
            VdevKind::Leaf(leaf) => leaf.device.is_some(),
            VdevKind::Mirror(sides) => sides.iter().any(Self::is_readable),
            VdevKind::Raidz { nparity, children } => {
                children.iter().filter(|c| !c.is_readable()).count() <= *nparity as usize
            }
            VdevKind::Empty(_) => true,
            VdevKind::Unsupported(_) => false,
        }
    }

    /// Whether nothing is missing at all.
    pub fn is_whole(&self) -> bool {
        match &self.kind {
            VdevKind::Leaf(leaf) => leaf.device.is_some(),
            VdevKind::Mirror(all) | VdevKind::Raidz { children: all, .. } => {
                all.iter().all(Self::is_whole)
            }
            VdevKind::Empty(_) => true,
            VdevKind::Unsupported(_) => false,
        }
    }

    /// All leaves below.
    pub fn leaves(&self) -> Vec<&Rc<Leaf>> {
        match &self.kind {
            VdevKind::Leaf(leaf) => vec![leaf],
            VdevKind::Mirror(all) | VdevKind::Raidz { children: all, .. } => {
                all.iter().flat_map(Self::leaves).collect()
            }
            VdevKind::Empty(_) | VdevKind::Unsupported(_) => Vec::new(),
        }
    }

    fn blame(&self) {
        for leaf in self.leaves() {
            leaf.blame();
        }
    }

    fn label(&self) -> String {
        self.leaves()
            .first()
            .map_or_else(|| format!("vdev {}", self.guid), |l| l.name())
    }
}

/// Where a block is on a vdev: `size` whole sectors, of which `psize` bytes count.
#[derive(Clone, Copy)]
struct Extent {
    offset: u64,
    size: u64,
    psize: u64,
}

fn cut(mut bytes: Vec<u8>, at: Extent) -> Vec<u8> {
    bytes.truncate(at.psize as usize);
    bytes
}

async fn read_leaf(leaf: &Leaf, at: Extent, verify: &Verify<'_>) -> Result<Vec<u8>, ReadFailure> {
    let len = u32::try_from(at.size).map_err(|_| ReadFailure(vec!["beyond 4 GiB".into()]))?;
    let bytes = leaf
        .read(at.offset, len)
        .await
        .map_err(|why| ReadFailure(vec![why]))?;
    let bytes = cut(bytes, at);
    if verify(&bytes) {
        return Ok(bytes);
    }
    leaf.blame();
    let place = format!("offset {:#x}, {} bytes", at.offset, at.psize);
    Err(ReadFailure(vec![format!(
        "{}, {place}: checksum mismatch",
        leaf.name()
    )]))
}

/// Joins data columns and cuts the block.
fn join(data: &[Vec<u8>], at: Extent) -> Vec<u8> {
    cut(data.concat(), at)
}

async fn read_raidz(
    rt: &Rt,
    ashift: u32,
    nparity: u32,
    children: &[Vdev],
    at: Extent,
    verify: &Verify<'_>,
) -> Result<Vec<u8>, ReadFailure> {
    let map = RaidzMap::new(at.offset, at.size, ashift, children.len() as u32, nparity);
    let read = |c: &super::raidz::Column| {
        let (child, offset, size) = (c.child as usize, c.offset, c.size);
        async move {
            match children.get(child) {
                Some(child) => child.read_plain(offset, size).await,
                None => Err("no such child".to_string()),
            }
        }
    };
    let data: Vec<Column> = rt.join(map.data().iter().map(read)).await;
    if data.iter().all(Result::is_ok) {
        let parts: Vec<_> = data.iter().flatten().cloned().collect();
        let bytes = join(&parts, at);
        if verify(&bytes) {
            return Ok(bytes);
        }
    }
    let parity: Vec<Column> = rt
        .join(map.columns.iter().take(nparity as usize).map(read))
        .await;
    let columns: Vec<Column> = parity.into_iter().chain(data).collect();
    solve_raidz(&map, children, &columns, at, verify)
}

/// Looks for columns whose replacement by parity makes the block pass: first those that could not
/// be read, then each set of suspects that the parity left can replace.
fn solve_raidz(
    map: &RaidzMap,
    children: &[Vdev],
    columns: &[Column],
    at: Extent,
    verify: &Verify<'_>,
) -> Result<Vec<u8>, ReadFailure> {
    let nparity = map.nparity as usize;
    let missing: Vec<usize> = (0..columns.len())
        .filter(|&i| columns[i].is_err())
        .collect();
    let mut guesses = 0;
    for extra in 0..=nparity.saturating_sub(missing.len()) {
        let present: Vec<usize> = (0..columns.len())
            .filter(|i| !missing.contains(i))
            .collect();
        let mut pick: Vec<usize> = (0..extra).collect();
        loop {
            let suspects: Vec<usize> = pick
                .iter()
                .filter_map(|&p| present.get(p).copied())
                .collect();
            if suspects.len() == extra {
                if let Some(bytes) = try_without(map, columns, &suspects, at, verify) {
                    for column in suspects.iter().filter_map(|&c| map.columns.get(c)) {
                        if let Some(child) = children.get(column.child as usize) {
                            child.blame();
                        }
                    }
                    return Ok(bytes);
                }
            }
            guesses += 1;
            if guesses > MAX_GUESSES || !next_combination(&mut pick, present.len()) {
                break;
            }
        }
    }
    let mut failures: Vec<String> = columns
        .iter()
        .filter_map(|c| c.as_ref().err().cloned())
        .collect();
    let names: Vec<_> = children.iter().map(Vdev::label).collect();
    failures.push(format!(
        "raidz{nparity} of {}, offset {:#x}: checksum mismatch, and no {} columns can be replaced",
        names.join(", "),
        at.offset,
        nparity
    ));
    Err(ReadFailure(failures))
}

fn try_without(
    map: &RaidzMap,
    columns: &[Column],
    suspects: &[usize],
    at: Extent,
    verify: &Verify<'_>,
) -> Option<Vec<u8>> {
    let nparity = map.nparity as usize;
    let usable = |(i, c): (usize, &Column)| match suspects.contains(&i) {
        true => None,
        false => c.as_ref().ok().cloned(),
    };
    let mut all: Vec<Option<Vec<u8>>> = columns.iter().enumerate().map(usable).collect();
    let sizes: Vec<usize> = map.columns.iter().map(|c| c.size as usize).collect();
    gf256::reconstruct(nparity, &mut all, &sizes)?;
    let data: Option<Vec<Vec<u8>>> = all.into_iter().skip(nparity).collect();
    let bytes = join(&data?, at);
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

impl TopVdev {
    fn extent(&self, offset: u64, psize: u64) -> Extent {
        Extent {
            offset,
            size: psize.next_multiple_of(1 << self.ashift),
            psize,
        }
    }

    /// `psize` bytes at DVA offset `offset` that pass `verify`, from any replica.
    pub async fn read(
        &self,
        rt: &Rt,
        offset: u64,
        psize: u64,
        verify: &Verify<'_>,
    ) -> Result<Vec<u8>, ReadFailure> {
        self.vdev
            .read(rt, self.ashift, self.extent(offset, psize), verify)
            .await
    }

    /// What every replica gives: each side of a mirror; for raidz the data columns and each parity.
    pub async fn read_all(
        &self,
        rt: &Rt,
        offset: u64,
        psize: u64,
        verify: &Verify<'_>,
    ) -> Vec<CopyReport> {
        let at = self.extent(offset, psize);
        let mut reports = Vec::new();
        report_all(rt, self.ashift, &self.vdev, at, verify, &mut reports).await;
        reports
    }

    /// Allocated bytes of a block of `psize` bytes on this vdev.
    #[doc(alias = "vdev_psize_to_asize")]
    pub fn asize_of(&self, psize: u64) -> u64 {
        let sectors = psize.div_ceil(1 << self.ashift);
        let total = match &self.vdev.kind {
            VdevKind::Raidz { nparity, children } => {
                let (parity, width) = (u64::from(*nparity), children.len() as u64);
                (sectors + parity * sectors.div_ceil(width - parity)).next_multiple_of(parity + 1)
            }
            _ => sectors,
        };
        total << self.ashift
    }

    /// What 512 allocated bytes count in `used` figures: 512 but for raidz, where less.
    #[doc(alias = "vdev_deflate_ratio")]
    pub fn deflate_ratio(&self) -> u64 {
        (1 << 17) / (self.asize_of(1 << 17) >> SECTOR_SHIFT)
    }

    /// Metaslabs on it.
    pub fn metaslab_count(&self) -> u64 {
        if self.metaslab_array == ObjectId(0) {
            0
        } else {
            self.asize >> self.metaslab_shift
        }
    }
}

async fn report_all(
    rt: &Rt,
    ashift: u32,
    vdev: &Vdev,
    at: Extent,
    verify: &Verify<'_>,
    reports: &mut Vec<CopyReport>,
) {
    match &vdev.kind {
        VdevKind::Mirror(sides) => {
            for side in sides {
                Box::pin(report_all(rt, ashift, side, at, verify, reports)).await;
            }
        }
        VdevKind::Raidz { nparity, children } => {
            reports.extend(report_raidz(rt, ashift, *nparity, children, at, verify).await);
        }
        _ => {
            let problem = vdev.read(rt, ashift, at, verify).await.err();
            let problem = problem.map(|f| f.0.join("; "));
            reports.push(CopyReport {
                name: vdev.label(),
                problem,
            });
        }
    }
}

async fn report_raidz(
    rt: &Rt,
    ashift: u32,
    nparity: u32,
    children: &[Vdev],
    at: Extent,
    verify: &Verify<'_>,
) -> Vec<CopyReport> {
    let good = match read_raidz(rt, ashift, nparity, children, at, verify).await {
        Ok(bytes) => bytes,
        Err(failure) => {
            let name = format!("raidz{nparity}");
            return vec![CopyReport {
                name,
                problem: Some(failure.0.join("; ")),
            }];
        }
    };
    let map = RaidzMap::new(at.offset, at.size, ashift, children.len() as u32, nparity);
    let mut padded = good;
    padded.resize(at.size as usize, 0);
    let mut rest = padded.as_slice();
    let mut data = Vec::new();
    for column in map.data() {
        let (head, tail) = rest.split_at((column.size as usize).min(rest.len()));
        data.push(head.to_vec());
        rest = tail;
    }
    let expect: Vec<Vec<u8>> = gf256::parity(nparity as usize, &data)
        .into_iter()
        .chain(data)
        .collect();
    let mut reports = Vec::new();
    for (column, expect) in map.columns.iter().zip(&expect) {
        let Some(child) = children.get(column.child as usize) else {
            continue;
        };
        let problem = match child.read_plain(column.offset, column.size).await {
            Err(why) => Some(why),
            Ok(bytes) if bytes == *expect => None,
            // The tail behind psize is not covered by the checksum; it need not be zero.
            Ok(bytes) if at.size != at.psize && same_head(&bytes, expect, &map, column, at) => None,
            Ok(_) => Some(format!(
                "{}: column at {:#x} differs",
                child.label(),
                column.offset
            )),
        };
        reports.push(CopyReport {
            name: child.label(),
            problem,
        });
    }
    reports
}

/// Whether a column agrees as far as the checksum covers it: parity and the last data column may
/// hold whatever stood behind the block's end when it was written.
fn same_head(
    bytes: &[u8],
    expect: &[u8],
    map: &RaidzMap,
    column: &super::raidz::Column,
    at: Extent,
) -> bool {
    let tail = (at.size - at.psize) as usize;
    let is_last = map.columns.last() == Some(column);
    let is_parity = map
        .columns
        .iter()
        .take(map.nparity as usize)
        .any(|c| c == column);
    let keep = expect.len().saturating_sub(tail);
    (is_last || is_parity) && bytes.get(..keep) == expect.get(..keep)
}
