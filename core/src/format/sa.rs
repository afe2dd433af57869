//! Attributes of files: system attributes (ZPL 5), and the fixed znode bonus of older versions.
//!
//! ```text
//!  SA bonus   magic 0x2F505A (u32)  layout (10 bits) and header size / 8 (6 bits)
//!             lengths of variable attributes (u16 each), padded to 8
//!             the attributes in the order of the layout, each at a multiple of 8
//! ```
//!
//! Which attribute has which number, and which layout holds which attributes, stands in two ZAPs of
//! the data set. The bonus keeps the byte order of its own writer, told by the magic. Source:
//! `module/zfs/sa.c`, `include/sys/zfs_znode.h`.

use super::ZapEntry;
use crate::base::{Endian, FormatError, ObjectId, field};
use std_alloc::collections::BTreeMap;
use std_alloc::string::String;
use std_alloc::vec::Vec;

const MAGIC: u32 = 0x002F_505A;
/// Bytes of the znode bonus of ZPL 1 to 4, without what follows it.
const ZNODE_SIZE: usize = 264;

/// Name and bytes of one attribute.
pub type Attribute<'name, 'bytes> = (&'name str, &'bytes [u8]);

/// Names, numbers and lengths of the attributes of one data set, and its layouts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaTables {
    /// Number to name and length; length 0 is variable.
    attributes: BTreeMap<u16, (String, u16)>,
    /// Layout number to attribute numbers.
    layouts: BTreeMap<u16, Vec<u16>>,
}

impl SaTables {
    /// Tables from the entries of the registry and layout ZAPs.
    pub fn parse(registry: &[ZapEntry], layouts: &[ZapEntry]) -> Result<Self, FormatError> {
        let mut tables = Self::default();
        for entry in registry {
            let Some(word) = entry.value.u64() else {
                return Err(FormatError::new("SA registry", 0, "one integer", entry.name_text()));
            };
            let (number, length) = (field(word, 0, 16) as u16, field(word, 24, 16) as u16);
            tables.attributes.insert(number, (entry.name_text(), length));
        }
        for entry in layouts {
            let Ok(number) = entry.name_text().parse() else {
                return Err(FormatError::new("SA layouts", 0, "a number", entry.name_text()));
            };
            let numbers = entry.value.ints.iter().map(|&n| n as u16).collect();
            tables.layouts.insert(number, numbers);
        }
        Ok(tables)
    }

    /// Splits an SA bonus or spill block into attributes by name. Attributes without a registration
    /// end the walk with an error, as nothing behind them can be placed.
    pub fn split<'a>(
        &self,
        bytes: &'a [u8],
    ) -> Result<(Endian, Vec<Attribute<'_, 'a>>), FormatError> {
        const WHAT: &str = "system attributes";
        let short = |at| FormatError::short(WHAT, at, 8, bytes.len());
        let endian = match Endian::Little.u32_at(bytes, 0).ok_or_else(|| short(0))? {
            MAGIC => Endian::Little,
            n if n == MAGIC.swap_bytes() => Endian::Big,
            n => {
                let found = format_args!("{n:#x}");
                return Err(FormatError::new(WHAT, 0, "the SA magic", found));
            }
        };
        let info = u64::from(endian.u16_at(bytes, 4).ok_or_else(|| short(4))?);
        let (layout, header) = (field(info, 0, 10) as u16, field(info, 10, 6) as usize * 8);
        let Some(numbers) = self.layouts.get(&layout) else {
            return Err(FormatError::new(WHAT, 4, "a layout of this data set", layout));
        };
        let mut at = header;
        let mut lengths = (6..header).step_by(2);
        let mut found = Vec::new();
        for number in numbers {
            let Some((name, length)) = self.attributes.get(number) else {
                return Err(FormatError::new(WHAT, at, "a registered attribute", number));
            };
            let length = match *length {
                0 => {
                    let slot = lengths.next().ok_or_else(|| short(header))?;
                    usize::from(endian.u16_at(bytes, slot).ok_or_else(|| short(slot))?)
                }
                fixed => usize::from(fixed),
            };
            let value = bytes.get(at..at + length).ok_or_else(|| short(at))?;
            found.push((name.as_str(), value));
            at = (at + length).next_multiple_of(8);
        }
        Ok((endian, found))
    }
}

/// Seconds since 1970 and nanoseconds.
pub type Timestamp = (u64, u64);

/// Attributes of one file, directory or link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileAttributes {
    /// Type and permission bits.
    pub mode: u64,
    /// Bytes, or entries of a directory plus two.
    pub size: u64,
    /// Directory it was last put into.
    pub parent: ObjectId,
    /// Hard links.
    pub links: u64,
    /// Owner.
    pub uid: u64,
    /// Group.
    pub gid: u64,
    /// Txg of creation.
    pub generation: u64,
    /// ZFS flags.
    pub flags: u64,
    /// Last access, change of contents, change of attributes, creation.
    pub times: [Timestamp; 4],
    /// Device number.
    pub rdev: u64,
    /// Hidden directory of extended attributes; 0 for none.
    pub xattr: ObjectId,
    /// Project, when it has one.
    pub project: Option<u64>,
    /// Target of a symbolic link, when it is kept here.
    pub symlink: Option<Vec<u8>>,
    /// Packed extended attributes.
    pub packed_xattrs: Option<Vec<u8>>,
}

impl FileAttributes {
    /// Takes over the attributes of one SA bonus or spill block.
    pub fn absorb_sa(&mut self, tables: &SaTables, bytes: &[u8]) -> Result<(), FormatError> {
        let (endian, attributes) = tables.split(bytes)?;
        for (name, value) in attributes {
            let word = || endian.u64_at(value, 0).unwrap_or(0);
            let time = || (word(), endian.u64_at(value, 8).unwrap_or(0));
            match name {
                "ZPL_ATIME" => self.times[0] = time(),
                "ZPL_MTIME" => self.times[1] = time(),
                "ZPL_CTIME" => self.times[2] = time(),
                "ZPL_CRTIME" => self.times[3] = time(),
                "ZPL_GEN" => self.generation = word(),
                "ZPL_MODE" => self.mode = word(),
                "ZPL_SIZE" => self.size = word(),
                "ZPL_PARENT" => self.parent = ObjectId(word()),
                "ZPL_LINKS" => self.links = word(),
                "ZPL_XATTR" => self.xattr = ObjectId(word()),
                "ZPL_RDEV" => self.rdev = word(),
                "ZPL_FLAGS" => self.flags = word(),
                "ZPL_UID" => self.uid = word(),
                "ZPL_GID" => self.gid = word(),
                "ZPL_PROJID" => self.project = Some(word()),
                "ZPL_SYMLINK" => self.symlink = Some(value.to_vec()),
                "ZPL_DXATTR" => self.packed_xattrs = Some(value.to_vec()),
                _ => {}
            }
        }
        Ok(())
    }

    /// Decodes the znode bonus of ZPL 1 to 4.
    pub fn from_znode(bonus: &[u8], endian: Endian) -> Result<Self, FormatError> {
        if bonus.len() < ZNODE_SIZE {
            return Err(FormatError::short("znode", 0, ZNODE_SIZE, bonus.len()));
        }
        let word = |index: usize| endian.u64_at(bonus, index * 8).unwrap_or(0);
        let time = |index: usize| (word(index), word(index + 1));
        let mode = word(9);
        let (size, tail) = (word(10), bonus.get(ZNODE_SIZE..).unwrap_or(&[]));
        let inline = usize::try_from(size).ok().and_then(|n| tail.get(..n));
        let symlink = inline.filter(|_| mode >> 12 == 0o12).map(<[u8]>::to_vec);
        Ok(Self {
            mode,
            size,
            parent: ObjectId(word(11)),
            links: word(12),
            uid: word(16),
            gid: word(17),
            generation: word(8),
            flags: word(15),
            times: [time(0), time(2), time(4), time(6)],
            rdev: word(14),
            xattr: ObjectId(word(13)),
            project: None,
            symlink,
            packed_xattrs: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::ZapValue;
    use super::*;
    use crate::base::Prng;
    use std_alloc::string::ToString;
    use std_alloc::vec;

    fn tables() -> SaTables {
        let entry = |name: &str, int_size, ints| ZapEntry {
            name: name.as_bytes().to_vec(),
            value: ZapValue { int_size, ints },
            cd: 0,
            hash: None,
        };
        let registry = [("ZPL_MODE", 5, 8), ("ZPL_SIZE", 6, 8), ("ZPL_SYMLINK", 17, 0)];
        let registry =
            registry.map(|(n, number, len): (_, u64, u64)| entry(n, 8, vec![number | len << 24]));
        SaTables::parse(&registry, &[entry("2", 2, vec![5, 17, 6])]).unwrap()
    }

    fn bonus(endian: Endian) -> Vec<u8> {
        let (magic, info, len) = match endian {
            Endian::Little => (MAGIC.to_le_bytes(), 0x402u16.to_le_bytes(), 5u16.to_le_bytes()),
            Endian::Big => (MAGIC.to_be_bytes(), 0x402u16.to_be_bytes(), 5u16.to_be_bytes()),
        };
        let mut out = [magic.as_slice(), &info, &[]].concat();
        out.extend_from_slice(&len);
        out.extend_from_slice(&endian.bytes_u64(0o120_777));
        out.extend_from_slice(b"there\0\0\0");
        out.extend_from_slice(&endian.bytes_u64(5));
        out
    }

    #[test]
    fn attributes_follow_their_layout_in_their_own_order() {
        for endian in [Endian::Little, Endian::Big] {
            let mut file = FileAttributes::default();
            file.absorb_sa(&tables(), &bonus(endian)).unwrap();
            assert_eq!((file.mode, file.size), (0o120_777, 5));
            assert_eq!(file.symlink.as_deref(), Some(b"there".as_slice()));
        }
    }

    #[test]
    fn every_cut_is_an_error_with_a_place() {
        let whole = bonus(Endian::Little);
        for cut in 0..whole.len() {
            let error = tables().split(&whole[..cut]).unwrap_err();
            assert!(error.to_string().contains("system attributes, byte"), "{error}");
        }
        assert!(FileAttributes::from_znode(&[0; 263], Endian::Big).is_err());
    }

    #[test]
    fn nonsense_gives_errors_or_attributes() {
        let mut rng = Prng::new(5);
        let tables = tables();
        for _ in 0..20_000 {
            let mut bytes = bonus(Endian::Big);
            for _ in 0..=rng.below(2) {
                let at = rng.below(bytes.len() as u64) as usize;
                bytes[at] = rng.next_u64() as u8;
            }
            if let Ok((_, attributes)) = tables.split(&bytes) {
                assert!(attributes.iter().map(|a| a.1.len()).sum::<usize>() <= 2 * bytes.len());
            }
        }
    }

    #[test]
    fn old_znodes_keep_short_links_in_their_tail() {
        for endian in [Endian::Little, Endian::Big] {
            let words = (0..33u64).map(|n| match n {
                9 => 0o120_777,
                10 => 4,
                n => 100 + n,
            });
            let mut bytes: Vec<u8> = words.flat_map(|w| endian.bytes_u64(w)).collect();
            bytes.extend_from_slice(b"etc/");
            let file = FileAttributes::from_znode(&bytes, endian).unwrap();
            assert_eq!(file.symlink.as_deref(), Some(b"etc/".as_slice()));
            assert_eq!(file.times, [(100, 101), (102, 103), (104, 105), (106, 107)]);
            assert_eq!((file.generation, file.parent.0, file.links), (108, 111, 112));
            assert_eq!((file.xattr.0, file.rdev, file.flags), (113, 114, 115));
            assert_eq!((file.uid, file.gid), (116, 117));
            let long = FileAttributes::from_znode(&bytes[..267], endian).unwrap();
            assert_eq!(long.symlink, None);
        }
    }
}
