//! Input: flags, two bytes of length, a packed configuration, then the body of one ring slot. Both
//! are put into a label and sealed, as damage under a wrong sum is caught before it is read.

use super::{nvlist, put};
use tidepool::base::{Endian, Txg};
use tidepool::codec::seal_embedded;
use tidepool::format::{Blkptr, LABEL_SIZE, Label, Uberblock};

const CONFIG: std::ops::Range<usize> = 0x4000..0x2_0000;
const RING: usize = 0x2_0000;
const OFFSET: u64 = 0x4_0000;

pub(crate) fn run(data: &[u8]) -> bool {
    let raw = Label::parse(data, OFFSET, None);
    assert!(raw.ring.is_empty(), "a short label has no ring");
    let [flags, high, low, rest @ ..] = data else {
        return false;
    };
    let split = usize::from(u16::from_be_bytes([*high, *low])).min(rest.len());
    let (config, slot) = rest.split_at(split);
    let endian = put::endian(*flags);
    let ashift = Some(u64::from(flags >> 1)).filter(|&n| n > 0);
    let slot_size = 1usize << ashift.unwrap_or(10).clamp(10, 13);
    let mut bytes = vec![0; LABEL_SIZE as usize];
    let mut place = |area: &[u8], at: std::ops::Range<usize>| {
        let verifier = [OFFSET + at.start as u64, 0, 0, 0];
        let place = &mut bytes[at];
        let room = place.len() - 40;
        place[..area.len().min(room)].copy_from_slice(&area[..area.len().min(room)]);
        seal_embedded(place, verifier, endian);
    };
    place(config, CONFIG);
    place(slot, RING..RING + slot_size);
    let label = Label::parse(&bytes, OFFSET, ashift);
    if let Ok(config) = &label.config {
        assert!(config.to_string().len() < 128 << 20, "text out of proportion");
    }
    for slot in &label.ring {
        if let Ok(uberblock) = &slot.uberblock {
            let _ = (uberblock.rootbp.to_string(), uberblock.rootbp.validate());
            let _ = (uberblock.raidz_reflow(), uberblock.is_better_than(uberblock));
        }
    }
    label.config.is_ok() && label.ring.iter().any(|s| s.uberblock.is_ok())
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let seed = |endian: Endian, flags: u8| {
        let uberblock = Uberblock {
            endian,
            version: 5000,
            txg: Txg(77),
            guid_sum: 18,
            timestamp: 1_700_000_000,
            rootbp: Blkptr::from_words(put::pointer(11, 0, 0x10_000, 4096, endian)),
            software_version: 5000,
            has_mmp: true,
            mmp_delay: 0,
            mmp_config: 0,
            mmp_seq: 0,
            checkpoint_txg: Txg(0),
            raidz_reflow_info: 0,
        };
        let slot = uberblock.to_slot(1024, 0);
        let config = nvlist::sample().to_xdr();
        let length = (config.len() as u16).to_be_bytes();
        [&[flags], length.as_slice(), &config, &slot[..216]].concat()
    };
    vec![seed(Endian::Little, 12 << 1), seed(Endian::Big, 12 << 1 | 1)]
}
