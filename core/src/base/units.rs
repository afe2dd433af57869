//! Numbers that must not be mixed up, and the way OpenZFS prints sizes.

use core::fmt;
use serde::{Deserialize, Serialize};
use std_alloc::format;
use std_alloc::string::String;

/// Sizes in block pointers count sectors of 512 bytes.
#[doc(alias = "SPA_MINBLOCKSHIFT")]
pub const SECTOR_SHIFT: u32 = 9;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

number! {
    /// Transaction group number.
    Txg
}
number! {
    /// Random 64-bit identity of a pool, vdev or data set.
    Guid
}
number! {
    /// Object number inside one object set.
    ObjectId
}

/// `bytes` as `zdb` and `zpool` print sizes: at most three digits and a binary unit
/// (`512`, `4.00K`, `59.5M`, `16M` when exact). Source: `zfs_nicenum` of libzutil.
pub fn nice_bytes(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["", "K", "M", "G", "T", "P", "E"];
    let mut index = 0;
    let mut scaled = bytes;
    while scaled >= 1024 && index < 6 {
        scaled >>= 10;
        index += 1;
    }
    let Some(unit) = UNITS.get(index) else {
        return format!("{bytes}");
    };
    let divisor = 1u64 << (10 * index);
    if index == 0 || bytes & (divisor - 1) == 0 {
        return format!("{scaled}{unit}");
    }
    for decimals in [2usize, 1, 0] {
        let text = format!("{:.*}{unit}", decimals, bytes as f64 / divisor as f64);
        if text.len() <= 5 {
            return text;
        }
    }
    format!("{scaled}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_print_as_zdb_prints_them() {
        let check = |bytes: u64, expect: &str| assert_eq!(nice_bytes(bytes), expect);
        check(0, "0");
        check(512, "512");
        check(1536, "1.50K");
        check(16 << 20, "16M");
        check(62_390_272, "59.5M");
        check(1023 << 10, "1023K");
        check((1 << 30) - 512, "1024M");
    }
}
