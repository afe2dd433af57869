//! The four labels of every device.
//!
//! ```text
//!  device   L0 | L1 | boot area | allocatable space ... | L2 | L3
//!           0    256K  512K        4M                     -512K -256K (of the size in 256K steps)
//!  label    pad (8K) | boot environment (8K) | configuration (112K) | uberblock ring (128K)
//! ```
//!
//! Source: `include/sys/vdev_impl.h`, `module/zfs/vdev_label.c`.

use super::{Nvlist, Uberblock};
use crate::base::FormatError;
use crate::codec::verify_embedded;
use std_alloc::format;
use std_alloc::vec::Vec;

/// Bytes of a label.
#[doc(alias = "vdev_label_t")]
pub const LABEL_SIZE: u64 = 256 << 10;
/// Labels of a device.
pub const LABELS: u64 = 4;
const CONFIG_AT: usize = 16 << 10;
const CONFIG_SIZE: usize = 112 << 10;
const RING_AT: usize = 128 << 10;
const RING_SIZE: usize = 128 << 10;

/// First byte of label `index` on a device of `size` bytes; `None` when it does not fit.
pub fn label_offset(index: u64, size: u64) -> Option<u64> {
    let psize = size / LABEL_SIZE * LABEL_SIZE;
    match index {
        0 | 1 if psize >= 2 * LABEL_SIZE => Some(index * LABEL_SIZE),
        2 | 3 if psize >= 4 * LABEL_SIZE => Some(psize - (LABELS - index) * LABEL_SIZE),
        _ => None,
    }
}

/// One slot of the ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RingSlot {
    /// Index in the ring.
    pub index: u64,
    /// The uberblock, or why the slot is bad.
    pub uberblock: Result<Uberblock, FormatError>,
}

/// One label.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// First byte on the device.
    pub offset: u64,
    /// The configuration, or why it is bad.
    pub config: Result<Nvlist, FormatError>,
    /// Bytes of a ring slot.
    pub slot_size: u64,
    /// Slots that hold something.
    pub ring: Vec<RingSlot>,
}

impl Label {
    /// Decodes the 256 KiB of a label that stands at byte `offset` of its device. `ashift` is a
    /// hint for the slot size when the label's own configuration is unreadable.
    pub fn parse(bytes: &[u8], offset: u64, ashift: Option<u64>) -> Self {
        let config = parse_config(bytes, offset);
        let own = config.as_ref().ok().and_then(|c| c.list("vdev_tree")?.u64("ashift"));
        let ring = bytes.get(RING_AT..RING_AT + RING_SIZE).unwrap_or(&[]);
        let ring_at = offset + RING_AT as u64;
        let (slot_size, ring) = match own.or(ashift) {
            Some(ashift) => {
                let size = 1 << ashift.clamp(10, 13);
                (size, parse_ring(ring, ring_at, size))
            }
            None => [1024, 2048, 4096, 8192]
                .map(|size| (size, parse_ring(ring, ring_at, size)))
                .into_iter()
                .rev()
                .max_by_key(|(_, slots)| slots.iter().filter(|s| s.uberblock.is_ok()).count())
                .unwrap_or((1024, Vec::new())),
        };
        Self { offset, config, slot_size, ring }
    }
}

fn parse_config(bytes: &[u8], offset: u64) -> Result<Nvlist, FormatError> {
    const WHAT: &str = "label configuration";
    let Some(area) = bytes.get(CONFIG_AT..CONFIG_AT + CONFIG_SIZE) else {
        return Err(FormatError::short(WHAT, CONFIG_AT, CONFIG_SIZE, bytes.len()));
    };
    verify_embedded(area, [offset + CONFIG_AT as u64, 0, 0, 0]).map_err(|e| {
        match area.iter().all(|&b| b == 0) {
            true => FormatError::new(WHAT, 0, "a label", "zeros"),
            false => {
                let expected = format!("a trailer of {:016x}", e.expected[0]);
                let found = format_args!("{:016x}", e.found[0]);
                FormatError::new(WHAT, CONFIG_SIZE - 40, &expected, found)
            }
        }
    })?;
    Nvlist::parse(area)
}

fn parse_ring(ring: &[u8], ring_at: u64, slot_size: u64) -> Vec<RingSlot> {
    let slots = (0u64..).zip(ring.chunks_exact(slot_size as usize));
    let parsed = slots.filter_map(|(index, slot)| {
        let uberblock = Uberblock::parse(slot, ring_at + index * slot_size).transpose()?;
        Some(RingSlot { index, uberblock })
    });
    parsed.collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Blkptr, NvValue};
    use super::*;
    use crate::base::{Endian, Txg};
    use crate::codec::seal_embedded;
    use std_alloc::vec;

    #[test]
    fn labels_stand_at_both_ends() {
        let check = |index, size, expect| assert_eq!(label_offset(index, size), expect);
        check(0, 64 << 20, Some(0));
        check(1, 64 << 20, Some(0x4_0000));
        check(2, 64 << 20, Some(0x3F8_0000));
        check(3, 64 << 20, Some(0x3FC_0000));
        check(3, (64 << 20) + 1000, Some(0x3FC_0000));
        check(0, 1000, None);
        check(2, 512 << 10, None);
        check(4, 64 << 20, None);
    }

    /// A label at byte `offset` with ring slots of `slot` bytes for `txgs`.
    fn label(offset: u64, slot: u64, ashift: Option<u64>, txgs: &[u64], endian: Endian) -> Vec<u8> {
        let mut tree = vec![("type".into(), NvValue::Text("file".into()))];
        tree.extend(ashift.map(|n| ("ashift".into(), NvValue::Int(8, n))));
        let tree = NvValue::List(Nvlist::from_pairs(tree));
        let packed = Nvlist::from_pairs(vec![("vdev_tree".into(), tree)]).to_xdr();
        let mut bytes = vec![0; LABEL_SIZE as usize];
        bytes[CONFIG_AT..CONFIG_AT + packed.len()].copy_from_slice(&packed);
        let area = &mut bytes[CONFIG_AT..CONFIG_AT + CONFIG_SIZE];
        seal_embedded(area, [offset + CONFIG_AT as u64, 0, 0, 0], endian);
        for &txg in txgs {
            let at = RING_AT as u64 + txg % (RING_SIZE as u64 / slot) * slot;
            let uberblock = Uberblock {
                endian,
                version: 5000,
                txg: Txg(txg),
                guid_sum: 1,
                timestamp: txg,
                rootbp: Blkptr::HOLE,
                software_version: 5000,
                has_mmp: false,
                mmp_delay: 0,
                mmp_config: 0,
                mmp_seq: 0,
                checkpoint_txg: Txg(0),
                raidz_reflow_info: 0,
            };
            bytes[at as usize..(at + slot) as usize]
                .copy_from_slice(&uberblock.to_slot(slot, offset + at));
        }
        bytes
    }

    fn txgs(label: &Label) -> Vec<u64> {
        let good = label.ring.iter().filter_map(|s| s.uberblock.as_ref().ok());
        good.map(|u| u.txg.0).collect()
    }

    #[test]
    fn a_label_tells_its_slot_size_and_gives_its_uberblocks() {
        for endian in [Endian::Little, Endian::Big] {
            for (ashift, slot) in [(9, 1024), (10, 1024), (11, 2048), (12, 4096), (16, 8192)] {
                let bytes = label(0x4_0000, slot, Some(ashift), &[1, 5, 6], endian);
                let parsed = Label::parse(&bytes, 0x4_0000, None);
                assert_eq!((parsed.slot_size, txgs(&parsed)), (slot, vec![1, 5, 6]));
                assert!(parsed.config.is_ok());
                let elsewhere = Label::parse(&bytes, 0, None);
                assert!(elsewhere.config.is_err());
                assert!(txgs(&elsewhere).is_empty());
            }
        }
    }

    #[test]
    fn without_a_configuration_the_size_with_most_uberblocks_is_taken() {
        for slot in [1024, 2048, 4096, 8192] {
            let mut bytes = label(0, slot, None, &[3, 4, 9], Endian::Big);
            let parsed = Label::parse(&bytes, 0, None);
            assert_eq!((parsed.slot_size, txgs(&parsed)), (slot, vec![3, 4, 9]));
            bytes[CONFIG_AT + 30] ^= 1;
            let parsed = Label::parse(&bytes, 0, None);
            assert_eq!((parsed.slot_size, txgs(&parsed)), (slot, vec![3, 4, 9]));
            let error = format!("{}", parsed.config.unwrap_err());
            assert!(error.starts_with("label configuration, byte 114648: expected a trailer"));
        }
    }

    #[test]
    fn a_damaged_slot_is_told_and_the_others_serve() {
        let mut bytes = label(0, 4096, Some(12), &[7, 8, 9], Endian::Little);
        bytes[RING_AT + 8 * 4096 + 100] ^= 1;
        let parsed = Label::parse(&bytes, 0, None);
        assert_eq!(txgs(&parsed), [7, 9]);
        let bad: Vec<_> = parsed.ring.iter().filter(|s| s.uberblock.is_err()).collect();
        assert_eq!((bad.len(), bad[0].index), (1, 8));
    }

    #[test]
    fn a_label_of_zeros_says_so() {
        let bytes = vec![0; LABEL_SIZE as usize];
        let label = Label::parse(&bytes, 0, None);
        assert!(format!("{}", label.config.unwrap_err()).contains("found zeros"));
        assert!(label.ring.is_empty());
        assert!(Label::parse(&[], 0, Some(60)).config.is_err());
    }
}
