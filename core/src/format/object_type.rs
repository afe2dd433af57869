//! What an object or block holds, as dnodes and block pointers number it.

use core::fmt;

/// Object type byte. Old types are 0 to 53; new ones set bit 7 and describe themselves.
#[doc(alias = "dmu_object_type_t")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectType(pub u8);

/// Names in `zdb`'s words, whether the type is metadata, whether encrypted data sets encrypt it.
#[rustfmt::skip]
const OLD: [(&str, bool, bool); 54] = [
    ("unallocated", true, false), ("object directory", true, false), ("object array", true, false),
    ("packed nvlist", true, false), ("packed nvlist size", true, false), ("bpobj", true, false),
    ("bpobj header", true, false), ("SPA space map header", true, false),
    ("SPA space map", true, false), ("ZIL intent log", true, true), ("DMU dnode", true, true),
    ("DMU objset", true, false), ("DSL directory", true, false),
    ("DSL directory child map", true, false), ("DSL dataset snap map", true, false),
    ("DSL props", true, false), ("DSL dataset", true, false), ("ZFS znode", true, false),
    ("ZFS V0 ACL", true, true), ("ZFS plain file", false, true), ("ZFS directory", true, true),
    ("ZFS master node", true, false), ("ZFS delete queue", true, true),
    ("zvol object", false, true),
    ("zvol prop", true, false), ("other uint8[]", false, true), ("other uint64[]", false, true),
    ("other ZAP", true, false), ("persistent error log", true, false), ("SPA history", true, false),
    ("SPA history offsets", true, false), ("Pool properties", true, false),
    ("DSL permissions", true, false), ("ZFS ACL", true, true), ("ZFS SYSACL", true, true),
    ("FUID table", true, true), ("FUID table size", true, false),
    ("DSL dataset next clones", true, false), ("scan work queue", true, false),
    ("ZFS user/group/project used", true, true), ("ZFS user/group/project quota", true, true),
    ("snapshot refcount tags", true, false), ("DDT ZAP algorithm", true, false),
    ("DDT statistics", true, false), ("System attributes", true, true),
    ("SA master node", true, true), ("SA attr registration", true, true),
    ("SA attr layouts", true, true), ("scan translations", true, false),
    ("deduplicated block", false, true), ("DSL deadlist map", true, false),
    ("DSL deadlist map hdr", true, false), ("DSL dir clones", true, false),
    ("bpobj subobj", true, false),
];

const NEW_NAMES: [&str; 10] =
    ["uint8", "uint16", "uint32", "uint64", "zap", "dnode", "objset", "znode", "oldacl", "acl"];

#[rustfmt::skip]
#[allow(missing_docs)]
impl ObjectType {
    pub const NONE: Self = Self(0);
    pub const OBJECT_DIRECTORY: Self = Self(1);
    pub const OBJECT_ARRAY: Self = Self(2);
    pub const PACKED_NVLIST: Self = Self(3);
    pub const BPOBJ: Self = Self(5);
    pub const SPACE_MAP: Self = Self(8);
    pub const INTENT_LOG: Self = Self(9);
    pub const DNODE: Self = Self(10);
    pub const OBJSET: Self = Self(11);
    pub const DSL_DIR: Self = Self(12);
    pub const DSL_DATASET: Self = Self(16);
    pub const ZNODE: Self = Self(17);
    pub const PLAIN_FILE: Self = Self(19);
    pub const DIRECTORY: Self = Self(20);
    pub const MASTER_NODE: Self = Self(21);
    pub const ZVOL: Self = Self(23);
    pub const HISTORY: Self = Self(29);
    pub const SA: Self = Self(44);
    pub const DEADLIST: Self = Self(50);
    pub const BPOBJ_SUBOBJ: Self = Self(53);
}

impl ObjectType {
    /// Whether OpenZFS knows a type of this number.
    pub fn is_valid(self) -> bool {
        match self.0 & 0x80 {
            0 => (self.0 as usize) < OLD.len(),
            _ => ((self.0 & 0x1F) as usize) < NEW_NAMES.len(),
        }
    }

    /// Whether blocks of this type are metadata: placed, copied and checksummed as such.
    #[doc(alias = "DMU_OT_IS_METADATA")]
    pub fn is_metadata(self) -> bool {
        match self.0 & 0x80 {
            0 => OLD.get(self.0 as usize).is_none_or(|t| t.1),
            _ => self.0 & 0x40 != 0,
        }
    }

    /// Whether encrypted data sets encrypt level-0 blocks and bonus buffers of this type.
    #[doc(alias = "DMU_OT_IS_ENCRYPTED")]
    pub fn is_encrypted(self) -> bool {
        match self.0 & 0x80 {
            0 => OLD.get(self.0 as usize).is_some_and(|t| t.2),
            _ => self.0 & 0x20 != 0,
        }
    }

    /// Whether the contents are a ZAP.
    pub fn is_zap(self) -> bool {
        match self.0 & 0x80 {
            0 => matches!(
                self.0,
                1 | 13..=15 | 20..=22 | 24 | 27 | 28 | 31 | 32 | 37..=42 | 45..=48 | 50 | 52
            ),
            _ => self.0 & 0x1F == 4,
        }
    }
}

impl fmt::Display for ObjectType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 & 0x80 == 0 {
            return match OLD.get(self.0 as usize) {
                Some(t) => f.write_str(t.0),
                None => write!(f, "UNKNOWN ({})", self.0),
            };
        }
        // As zdb does, by how the contents swap, without the flags.
        match NEW_NAMES.get((self.0 & 0x1F) as usize) {
            Some(name) => f.write_str(name),
            None => write!(f, "UNKNOWN ({})", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std_alloc::string::ToString;

    #[test]
    fn types_describe_themselves() {
        let check = |n: u8, name: &str, metadata: bool, encrypted: bool, zap: bool| {
            let t = ObjectType(n);
            assert_eq!(t.to_string(), name);
            assert_eq!((t.is_metadata(), t.is_encrypted(), t.is_zap()), (metadata, encrypted, zap));
        };
        check(19, "ZFS plain file", false, true, false);
        check(20, "ZFS directory", true, true, true);
        check(196, "zap", true, false, true);
        check(195, "uint64", true, false, false);
        check(53, "bpobj subobj", true, false, false);
        assert!(!ObjectType(54).is_valid());
    }
}
