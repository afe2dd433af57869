//! Input: flags, shift, then the entries of a space map. They are replayed into a range tree beside
//! a plain list of sectors.

use super::put::{Put, endian};
use tidepool::base::Endian;
use tidepool::format::{SpaceMapEntries, SpaceMapEntry};
use tidepool::range::RangeTree;

const SIZE: u64 = 1 << 20;
const SECTOR: u64 = 512;

pub(crate) fn run(data: &[u8]) -> bool {
    let [flags, shift, bytes @ ..] = data else {
        return false;
    };
    let (start, shift) = (u64::from(*flags >> 1) << 20, u32::from(*shift % 64));
    let mut tree = RangeTree::new(start, SIZE, 9);
    let mut plain = vec![false; (SIZE / SECTOR) as usize];
    let (mut entries, mut all_good) = (0, true);
    for entry in SpaceMapEntries::new(bytes, endian(*flags), start, shift) {
        entries += 1;
        all_good &= entry.is_ok();
        let Ok(SpaceMapEntry::Range { offset, size, free, .. }) = entry else {
            continue;
        };
        replay(&mut tree, &mut plain, (offset, size), free, start);
    }
    assert!(entries <= bytes.len() / 8 + 1, "more entries than words");
    let space = plain.iter().filter(|&&b| b).count() as u64 * SECTOR;
    assert_eq!(tree.space(), space, "the tree lost count");
    let mut last = None;
    for segment in tree.iter() {
        assert!(last.is_none_or(|end| end < segment.start), "segments touch or overlap");
        last = Some(segment.end);
    }
    entries > 0 && all_good
}

/// Both sides take a change or both refuse it.
fn replay(tree: &mut RangeTree, plain: &mut [bool], at: (u64, u64), free: bool, start: u64) {
    let (offset, size) = at;
    let first = offset.checked_sub(start).filter(|o| o % SECTOR == 0);
    let cells = first.and_then(|first| {
        let end = first.checked_add(size).filter(|end| end % SECTOR == 0)?;
        plain.get_mut((first / SECTOR) as usize..(end / SECTOR) as usize)
    });
    let cells = cells.filter(|cells| !cells.is_empty() && cells.iter().all(|&c| c != free));
    let changed = match free {
        true => tree.add(offset, size),
        false => tree.remove(offset, size),
    };
    let (offset, size) = (i128::from(offset), i128::from(size));
    assert_eq!(changed.is_ok(), cells.is_some(), "{offset:#x}+{size:#x}, free {free}");
    cells.into_iter().flatten().for_each(|c| *c = free);
}

/// Entries in units of 512 bytes: two frees, an allocation, a debug word, padding, a two-word free.
pub(crate) fn entries(endian: Endian) -> Vec<u8> {
    let one = |offset: u64, run: u64, free: bool| (run - 1) | u64::from(free) << 15 | offset << 16;
    let (debug, padding) = (2 << 62 | 1 << 50 | 77, 2 << 62);
    let two = [3 << 62 | (8 - 1) << 24 | 0xFF_FFFF, 1 << 63 | 0x700];
    let one = [one(0, 64, true), one(100, 20, true), one(8, 16, false)];
    let mut out = Put::zeros(56, endian);
    out.words(0, &[debug]).words(8, &one).words(32, &[padding]).words(40, &two);
    out.bytes
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let seed = |flags: u8, endian| [&[flags, 9], entries(endian).as_slice()].concat();
    vec![seed(0, Endian::Little), seed(1, Endian::Big)]
}
