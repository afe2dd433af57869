//! How big the blocks are: by power of two, by kind of object, and what a special vdev would take.
//!
//! OpenZFS holds `special_small_blocks` against the compressed size of a file block, never against
//! the record size or the allocated size; so the cut-off table counts physical sizes and says how
//! many allocated bytes would move. Source: `spa_preferred_class` of `module/zfs/spa_misc.c`.

use crate::format::{Blkptr, ObjectType};
use crate::view::{SizeBin, SizeKind, SizesView, SmallBlockCutoff};
use std_alloc::collections::BTreeMap;
use std_alloc::format;
use std_alloc::string::ToString;
use std_alloc::vec::Vec;

/// Cut-offs of the table: metadata only, then every power of two from 512 bytes to 1 MiB.
const CUTOFFS: [u64; 13] = {
    let mut cutoffs = [0; 13];
    let mut i = 1;
    while i < 13 {
        cutoffs[i] = 256 << i;
        i += 1;
    }
    cutoffs
};

/// Collects block sizes.
#[derive(Default)]
pub struct Sizes {
    bins: BTreeMap<u32, SizeBin>,
    kinds: BTreeMap<(ObjectType, bool), SizeKind>,
    metadata: u64,
    /// Allocated bytes of file and of volume blocks by the index of the first cut-off they pass.
    small: [(u64, u64); CUTOFFS.len()],
}

impl Sizes {
    /// Counts one block that takes space; holes and embedded pointers are left out.
    pub fn add(&mut self, bp: &Blkptr) {
        if bp.is_hole() || bp.is_embedded() {
            return;
        }
        let (lsize, psize, asize) = (bp.lsize(), bp.psize(), bp.asize());
        let mut count = |size: u64, part: fn(&mut SizeBin) -> &mut (u64, u64)| {
            let bin = self.bins.entry(size.max(1).ilog2()).or_default();
            let (blocks, bytes) = part(bin);
            (*blocks, *bytes) = (*blocks + 1, *bytes + size);
        };
        count(psize, |b| &mut b.physical);
        count(lsize, |b| &mut b.logical);
        count(asize, |b| &mut b.allocated);
        let (kind, indirect) = (bp.object_type(), bp.level() > 0);
        let row = self.kinds.entry((kind, indirect)).or_default();
        row.blocks += 1;
        row.logical += lsize;
        row.physical += psize;
        row.allocated += asize;
        if indirect || kind.is_metadata() {
            self.metadata += asize;
            return;
        }
        let first = CUTOFFS.iter().position(|&cutoff| psize <= cutoff);
        if let Some((files, volumes)) = first.and_then(|i| self.small.get_mut(i)) {
            *if kind == ObjectType::ZVOL { volumes } else { files } += asize;
        }
    }

    /// The tables.
    pub fn finish(self) -> SizesView {
        let bins = self.bins.into_iter();
        let bins = bins.map(|(shift, bin)| SizeBin { size: 1 << shift, ..bin }).collect();
        let kinds = self.kinds.into_iter().map(|((kind, indirect), row)| SizeKind {
            kind: if indirect { format!("{kind} (indirect)") } else { kind.to_string() },
            ..row
        });
        let mut kinds: Vec<_> = kinds.collect();
        kinds.sort_by(|a, b| b.allocated.cmp(&a.allocated).then_with(|| a.kind.cmp(&b.kind)));
        let (mut files, mut volumes) = (0, 0);
        let cutoffs = CUTOFFS.iter().zip(self.small).map(|(&cutoff, (f, v))| {
            (files, volumes) = (files + f, volumes + v);
            SmallBlockCutoff { cutoff, metadata: self.metadata, files, volumes }
        });
        SizesView { bins, kinds, cutoffs: cutoffs.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(kind: u64, level: u64, psize: u64, asize: u64) -> Blkptr {
        let mut words = [0; 16];
        words[0] = asize / 512;
        words[1] = 8;
        let packed = (psize / 512 - 1) << 16 | 255 | 2 << 32 | 7 << 40;
        words[6] = packed | kind << 48 | level << 56 | 1 << 63;
        Blkptr::from_words(words)
    }

    #[test]
    fn a_cutoff_takes_small_files_and_all_metadata() {
        let mut sizes = Sizes::default();
        sizes.add(&block(19, 0, 4096, 8192));
        sizes.add(&block(19, 0, 131_072, 131_072));
        sizes.add(&block(23, 0, 8192, 8192));
        sizes.add(&block(19, 1, 1024, 4096));
        sizes.add(&Blkptr::HOLE);
        let view = sizes.finish();
        let check = |cutoff: u64, files: u64, volumes: u64| {
            let row = view.cutoffs.iter().find(|c| c.cutoff == cutoff).unwrap();
            assert_eq!((row.metadata, row.files, row.volumes), (4096, files, volumes), "{cutoff}");
        };
        check(0, 0, 0);
        check(2048, 0, 0);
        check(4096, 8192, 0);
        check(8192, 8192, 8192);
        check(131_072, 8192 + 131_072, 8192);
        check(1 << 20, 8192 + 131_072, 8192);
        assert_eq!(view.kinds[0].kind, "ZFS plain file");
        assert_eq!(view.kinds.iter().map(|k| k.blocks).sum::<u64>(), 4);
        let bin = view.bins.iter().find(|b| b.size == 8192).unwrap();
        assert_eq!((bin.physical, bin.allocated), ((1, 8192), (2, 16_384)));
    }
}
