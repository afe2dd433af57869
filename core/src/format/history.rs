//! The pool history: records of packed lists in a ring of bytes.
//!
//! ```text
//!   the creation records stay      | the rest is a ring
//!   0 ................. create_len | ................... phys_max
//!   record: length (u64, little-endian)  packed name-value list
//! ```
//!
//! Source: `module/zfs/spa_history.c`.

use super::Nvlist;
use crate::base::{Endian, FormatError};

/// Bonus of the history object. Offsets but `phys_max` and `create_len` never wrap.
#[doc(alias = "spa_history_phys_t")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryPhys {
    /// Bytes of the records of the creation.
    pub create_len: u64,
    /// Bytes of the object.
    pub phys_max: u64,
    /// Offset of the first record that is still there.
    pub begin: u64,
    /// Offset behind the last record.
    pub end: u64,
    /// Records that the ring has lost.
    pub lost: u64,
}

impl HistoryPhys {
    /// Decodes a bonus of 40 bytes.
    pub fn parse(bonus: &[u8], endian: Endian) -> Result<Self, FormatError> {
        if bonus.len() < 40 {
            return Err(FormatError::short("pool history header", 0, 40, bonus.len()));
        }
        let word = |index: usize| endian.u64_at(bonus, index * 8).unwrap_or(0);
        let phys = Self {
            create_len: word(0),
            phys_max: word(1),
            begin: word(2),
            end: word(3),
            lost: word(4),
        };
        match phys.create_len < phys.phys_max && phys.begin <= phys.end {
            true => Ok(phys),
            false => Err(FormatError::new(
                "pool history header",
                0,
                "offsets in order",
                format_args!("{phys:?}"),
            )),
        }
    }

    /// Byte in the object of log offset `offset`.
    pub fn physical(&self, offset: u64) -> u64 {
        match offset < self.create_len {
            true => offset,
            false => {
                (offset - self.create_len) % (self.phys_max - self.create_len) + self.create_len
            }
        }
    }
}

/// The record at the start of `log`, and its length in bytes. `None` at the end.
pub fn parse_history_record(log: &[u8]) -> Option<(Result<Nvlist, FormatError>, usize)> {
    let length = usize::try_from(Endian::Little.u64_at(log, 0)?).ok().filter(|&n| n > 0)?;
    let body = log.get(8..length.checked_add(8)?)?;
    Some((Nvlist::parse(body), length + 8))
}

#[cfg(test)]
mod tests {
    use super::super::NvValue;
    use super::*;
    use std_alloc::string::ToString;
    use std_alloc::vec;
    use std_alloc::vec::Vec;

    fn header(words: [u64; 5], endian: Endian) -> Vec<u8> {
        words.iter().flat_map(|&w| endian.bytes_u64(w)).collect()
    }

    #[test]
    fn the_ring_starts_behind_the_creation_records() {
        let phys =
            HistoryPhys::parse(&header([100, 1100, 1500, 2600, 3], Endian::Big), Endian::Big)
                .unwrap();
        let check = |offset, expect| assert_eq!(phys.physical(offset), expect);
        check(0, 0);
        check(99, 99);
        check(100, 100);
        check(1099, 1099);
        check(1100, 100);
        check(2600, 600);
        assert_eq!(phys.lost, 3);
    }

    #[test]
    fn impossible_headers_are_refused() {
        let check = |words, expect: &str| {
            let error = HistoryPhys::parse(&header(words, Endian::Little), Endian::Little);
            let error = error.unwrap_err().to_string();
            assert!(error.contains(expect), "{error}");
        };
        check([100, 100, 0, 0, 0], "offsets in order");
        check([0, 100, 2, 1, 0], "offsets in order");
        assert!(HistoryPhys::parse(&[0; 39], Endian::Little).is_err());
    }

    #[test]
    fn records_come_one_by_one_until_the_bytes_end() {
        let pairs = vec![("history txg".into(), NvValue::Int(8, 7))];
        let list = Nvlist::from_pairs(pairs);
        let record = |packed: Vec<u8>| {
            let length = (packed.len() as u64).to_le_bytes();
            [length.as_slice(), &packed].concat()
        };
        let (xdr, native) = (record(list.to_xdr()), record(list.to_native(Endian::Big)));
        let log = [xdr.as_slice(), &native, &[9, 0, 0, 0, 0, 0, 0, 0]].concat();
        assert_eq!(parse_history_record(&log), Some((Ok(list.clone()), xdr.len())));
        let rest = &log[xdr.len()..];
        assert_eq!(parse_history_record(rest), Some((Ok(list), native.len())));
        for cut in 0..xdr.len() {
            assert_eq!(parse_history_record(&log[..cut]), None, "cut at {cut}");
        }
        assert_eq!(parse_history_record(&[0xFF; 64]), None);
        assert_eq!(parse_history_record(&[0; 64]), None);
        let damaged = record(vec![1, 1, 0, 0, 9]);
        let (got, length) = parse_history_record(&damaged).unwrap();
        assert!(got.is_err());
        assert_eq!(length, 13);
    }
}
