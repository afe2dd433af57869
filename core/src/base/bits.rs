//! Bit fields of 64-bit words, numbered from the least significant bit as OpenZFS's macros do.

/// The `len` bits of `word` that start at bit `low`. `len` is 1 to 64 and `low + len` at most 64.
#[doc(alias = "BF64_GET")]
pub const fn field(word: u64, low: u32, len: u32) -> u64 {
    assert!(len >= 1 && low + len <= 64, "bit field outside of a 64-bit word");
    (word >> low) & (u64::MAX >> (64 - len))
}

/// Whether bit `bit` of `word` is set.
pub const fn flag(word: u64, bit: u32) -> bool {
    field(word, bit, 1) == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_cut_where_the_format_says() {
        assert_eq!(field(0xABCD_0000_0000_1234, 0, 16), 0x1234);
        assert_eq!(field(0xABCD_0000_0000_1234, 48, 16), 0xABCD);
        assert_eq!(field(u64::MAX, 0, 64), u64::MAX);
        assert!(flag(1 << 63, 63));
        assert!(!flag(1 << 62, 63));
    }
}
