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
        (h >> 8)
            ^ TABLE
                .get(((h ^ u64::from(b)) & 0xFF) as usize)
                .copied()
                .unwrap_or(0)
    });
    let bits = if flags & 1 == 1 { 48 } else { 28 };
    full & !(u64::MAX >> bits)
}
