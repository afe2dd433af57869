//! Input: flags, then block pointers and dnodes: everything is parsed as both.

use super::put::{Shape, dnode, endian, pointer};
use tidepool::base::Endian;
use tidepool::codec::{Compression, decompress};
use tidepool::format::{Blkptr, Dnode};

pub(crate) fn run(data: &[u8]) -> bool {
    let [flags, bytes @ ..] = data else {
        return false;
    };
    let endian = endian(*flags);
    for bp in Blkptr::parse_all(bytes, endian) {
        assert_eq!(Blkptr::parse(&bp.to_bytes(endian), endian), Ok(bp));
        look(&bp);
    }
    let (mut accepted, mut at) = (false, 0);
    while let Some(slot) = bytes.get(at..).filter(|s| !s.is_empty()) {
        let parsed = Dnode::parse(slot, endian);
        let size = parsed.as_ref().map_or(512, |d| d.as_ref().map_or(512, Dnode::size));
        if let Ok(Some(dnode)) = parsed {
            accepted = true;
            assert!(dnode.bonus.len() <= slot.len());
            let _ = (dnode.addressable_blocks(), dnode.object_type.to_string());
            dnode.pointers.iter().chain(&dnode.spill).for_each(look);
        }
        at += size as usize;
    }
    accepted
}

fn look(bp: &Blkptr) {
    let _ = (bp.to_string(), bp.asize(), bp.fill(), bp.is_encrypted(), bp.is_gang());
    let _ = (bp.physical_birth(), bp.sectors().count());
    let (Ok(()), Some(payload)) = (bp.validate(), bp.embedded_payload()) else {
        return;
    };
    let kind = bp.compression().unwrap_or(Compression::Off);
    let _ = decompress(kind, &payload, bp.lsize() as usize);
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let seed = |flags: u8, endian: Endian| {
        let mut embedded = [0x0101_0101_0101_0101; 16];
        embedded[6] = 1 << 63 | 19 << 48 | 1 << 39 | 2 << 32 | 111 << 25 | 111;
        embedded[10] = 9;
        let shape = Shape {
            kind: 19,
            levels: 1,
            block_size: 4096,
            max_block: 1,
            pointers: &[pointer(19, 0, 0x8000, 4096, endian), embedded],
            bonus_kind: 44,
            bonus: &[7; 40],
        };
        [&[flags], dnode(&shape, endian).as_slice()].concat()
    };
    vec![seed(0, Endian::Little), seed(1, Endian::Big)]
}
