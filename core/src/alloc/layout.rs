//! Sizes: metaslabs of a vdev, what a block takes, what a pool keeps back.

/// A vdev has an embedded log only with more metaslabs than this.
#[doc(alias = "zfs_embedded_slog_min_ms")]
pub const EMBEDDED_LOG_MIN_METASLABS: u64 = 64;

const SHIFT_MIN: u32 = 24;
const SHIFT_DEFAULT: u32 = 29;
const SHIFT_MAX: u32 = 34;
const COUNT_MIN: u64 = 16;
const COUNT_DEFAULT: u64 = 200;
const COUNT_LIMIT: u64 = 131_072;

/// Position of the highest bit, counted from 1; 0 for 0.
const fn high_bit(x: u64) -> u32 {
    64 - x.leading_zeros()
}

/// log2 of the metaslab size that OpenZFS chooses for a vdev of `asize` allocatable bytes.
#[doc(alias = "vdev_metaslab_set_size")]
pub const fn metaslab_shift(asize: u64) -> u32 {
    let count = asize >> SHIFT_DEFAULT;
    let shift = if count < COUNT_MIN {
        high_bit(asize / COUNT_MIN)
    } else if count > COUNT_DEFAULT {
        high_bit(asize / COUNT_DEFAULT)
    } else {
        SHIFT_DEFAULT
    };
    if shift < SHIFT_MIN {
        return SHIFT_MIN;
    }
    if shift > SHIFT_MAX {
        if asize >> SHIFT_MAX > COUNT_LIMIT {
            return high_bit(asize / COUNT_LIMIT);
        }
        return SHIFT_MAX;
    }
    shift
}

/// Whole metaslabs of `1 << shift` bytes in `asize` bytes; 0 for a shift of 64 and more.
pub const fn metaslab_count(asize: u64, shift: u32) -> u64 {
    match asize.checked_shr(shift) {
        Some(count) => count,
        None => 0,
    }
}

/// Bytes that a block of `psize` bytes takes on a single disk or mirror with sectors of
/// `1 << ashift` bytes.
#[doc(alias = "vdev_default_asize")]
pub fn plain_asize(psize: u64, ashift: u32) -> u64 {
    let sector = 1u64.checked_shl(ashift).unwrap_or(1 << 63);
    psize.checked_next_multiple_of(sector).unwrap_or(u64::MAX)
}

/// Bytes that a block of `psize` bytes takes on a raidz of `width` devices of which `parity` are
/// parity: data and parity sectors, filled up to a multiple of `parity + 1`. An impossible layout
/// counts as a plain disk.
#[doc(alias = "vdev_raidz_asize")]
pub fn raidz_asize(psize: u64, ashift: u32, width: u64, parity: u64) -> u64 {
    if !(1..=3).contains(&parity) || parity >= width || width > 255 || ashift > 63 {
        return plain_asize(psize, ashift);
    }
    let data = u128::from(psize.div_ceil(1 << ashift));
    let (width, parity) = (u128::from(width), u128::from(parity));
    let all = data + parity * data.div_ceil(width - parity);
    let bytes = all.next_multiple_of(parity + 1).saturating_mul(1 << ashift);
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// Bytes that a block of `psize` bytes takes on a dRAID whose groups have `data` data and `parity`
/// parity devices: whole rows. Zero data devices count as one.
#[doc(alias = "vdev_draid_asize")]
pub fn draid_asize(psize: u64, ashift: u32, data: u64, parity: u64) -> u64 {
    let (psize, data, parity) = (u128::from(psize), u128::from(data.max(1)), u128::from(parity));
    let sector = 1u128 << ashift.min(63);
    let bytes = psize
        .div_ceil(data.saturating_mul(sector))
        .saturating_mul(data + parity)
        .saturating_mul(sector);
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// Usable bytes per 512 allocated, from what a block of 128 KiB takes: 512 without parity.
#[doc(alias = "vdev_deflate_ratio")]
pub fn deflate_ratio(asize_of_128k: u64) -> u64 {
    (128u64 << 10).checked_div(asize_of_128k >> 9).unwrap_or(0)
}

/// `space` allocatable bytes as usable bytes, by a [`deflate_ratio`].
pub fn deflate(space: u64, ratio: u64) -> u64 {
    (space >> 9).saturating_mul(ratio)
}

/// What [`slop`] depends on. Bytes after deflation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlopInput {
    /// Space of the normal class, without vdevs that take no allocations.
    pub normal: u64,
    /// Space of the embedded log class.
    pub embedded_log: u64,
}

/// Bytes that a pool keeps back from ordinary writes.
#[doc(alias = "spa_get_slop_space")]
pub fn slop(space: SlopInput) -> u64 {
    let part = (space.normal >> 5).min(128 << 30);
    let part = part - space.embedded_log.min(part / 2);
    part.max((space.normal / 2).min(128 << 20))
}

/// The metaslab that OpenZFS takes for the embedded log of a normal vdev when it imports the pool:
/// the one with the least allocated bytes by its space map (0 without a map), the first of several.
/// `None` for vdevs of [`EMBEDDED_LOG_MIN_METASLABS`] and fewer.
#[doc(alias = "vdev_metaslab_init")]
pub fn embedded_log(allocated: impl IntoIterator<Item = u64>) -> Option<u64> {
    let (mut count, mut best) = (0u64, None);
    for bytes in allocated {
        if best.is_none_or(|(least, _)| bytes < least) {
            best = Some((bytes, count));
        }
        count += 1;
    }
    let (_, id) = best?;
    (count > EMBEDDED_LOG_MIN_METASLABS).then_some(id)
}
