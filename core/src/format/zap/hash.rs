//! The ZAP hash: a reflected CRC-64 that starts at the ZAP's salt.

const POLYNOMIAL: u64 = 0xC96C_5795_D787_0F42;

const TABLE: [u64; 256] = {
    let mut table = [0u64; 256];
    let mut i = 0;
    while i < 256 {
        let mut value = i as u64;
        let mut bit = 0;
        while bit < 8 {
            value = (value >> 1) ^ (if value & 1 == 1 { POLYNOMIAL } else { 0 });
            bit += 1;
        }
        table[i] = value;
        i += 1;
    }
    table
};

/// Hash of `name` (normalised by the caller where the ZAP asks for it): the top 28 bits, or 48 when
/// the ZAP's flags say so.
pub fn zap_hash(salt: u64, name: &[u8], flags: u64) -> u64 {
    let full = name.iter().fold(salt, |h, &b| {
        (h >> 8) ^ TABLE.get(((h ^ u64::from(b)) & 0xFF) as usize).copied().unwrap_or(0)
    });
    let bits = if flags & 1 == 1 { 48 } else { 28 };
    full & !(u64::MAX >> bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_bits_of_the_reflected_crc_remain() {
        assert_eq!(TABLE[128], POLYNOMIAL);
        // Computed bit by bit by another program.
        let full = 0xe72ab4dd56b6ed7cu64;
        let hash = |flags| zap_hash(0x1234_5678_9ABC_DEF1, b"root_dataset", flags);
        assert_eq!(hash(0), full >> 36 << 36);
        assert_eq!(hash(1), full >> 16 << 16);
        assert_eq!(zap_hash(u64::MAX, b"", 0), u64::MAX << 36);
    }
}
