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
        let own = config
            .as_ref()
            .ok()
            .and_then(|c| c.list("vdev_tree")?.u64("ashift"));
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
        Self {
            offset,
            config,
            slot_size,
            ring,
        }
    }
}

fn parse_config(bytes: &[u8], offset: u64) -> Result<Nvlist, FormatError> {
    const WHAT: &str = "label configuration";
    let Some(area) = bytes.get(CONFIG_AT..CONFIG_AT + CONFIG_SIZE) else {
        return Err(FormatError::short(
            WHAT,
            CONFIG_AT,
            CONFIG_SIZE,
            bytes.len(),
        ));
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
    use super::*;

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

    #[test]
    fn a_label_of_zeros_says_so() {
        let bytes = std_alloc::vec![0; LABEL_SIZE as usize];
        let label = Label::parse(&bytes, 0, None);
        assert!(format!("{}", label.config.unwrap_err()).contains("found zeros"));
        assert!(label.ring.is_empty());
        assert!(Label::parse(&[], 0, Some(60)).config.is_err());
    }
}
