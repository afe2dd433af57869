//! Where the columns of a raidz block are.
//!
//! A block of `s` sectors over `d` devices with `p` parity is laid column by column: parity first,
//! then data, each data column a run of sectors; the first `bc` columns are one sector longer.
//!
//! ```text
//!   s = q * (d - p) + r     bc = r + p if r > 0, else 0     columns: d, or bc when q = 0
//!   column c: device (f + c) mod d, where f = (offset / sector) mod d; past the wrap one row down
//! ```
//!
//! With one parity, columns 0 and 1 change places where bit 20 of the offset is set, so that
//! parity does not wear one device. Source: `vdev_raidz_map_alloc` of `module/zfs/vdev_raidz.c`.

use std_alloc::vec::Vec;

/// One column: which child, where on it, how many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Index of the child.
    pub child: u32,
    /// Byte offset in the child's allocatable space.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

/// The columns of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaidzMap {
    /// Parity columns first, then data columns in the order of the block.
    pub columns: Vec<Column>,
    /// How many parity columns there are.
    pub nparity: u32,
}

impl RaidzMap {
    /// The map of the block at `offset` with `size` bytes (a multiple of the sector).
    pub fn new(offset: u64, size: u64, ashift: u32, children: u32, nparity: u32) -> Self {
        assert!(nparity >= 1 && children > nparity, "invariant: raidz has data columns");
        let (width, parity) = (u64::from(children), u64::from(nparity));
        let (first, sectors) = (offset >> ashift, size >> ashift);
        let (start, row) = (first % width, (first / width) << ashift);
        let (quotient, rest) = (sectors / (width - parity), sectors % (width - parity));
        let big = if rest == 0 { 0 } else { rest + parity };
        let count = if quotient == 0 { big } else { width };
        let column = |c: u64| {
            let device = start + c;
            let wrapped = device >= width;
            Column {
                child: (device % width) as u32,
                offset: row + if wrapped { 1 << ashift } else { 0 },
                size: (quotient + u64::from(c < big)) << ashift,
            }
        };
        let mut columns: Vec<_> = (0..count).map(column).collect();
        if nparity == 1
            && offset & (1 << 20) != 0
            && let [a, b, ..] = columns.as_mut_slice()
        {
            core::mem::swap(&mut a.child, &mut b.child);
            core::mem::swap(&mut a.offset, &mut b.offset);
        }
        Self { columns, nparity }
    }

    /// The data columns in order.
    pub fn data(&self) -> &[Column] {
        self.columns.get(self.nparity as usize..).unwrap_or(&[])
    }
}
