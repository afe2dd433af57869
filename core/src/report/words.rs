//! Names for numbers: errors, I/O classes; dates as days and seconds.

/// The name of an error number as Linux and OpenZFS use it.
pub(crate) fn errno(number: u64) -> &'static str {
    match number {
        1 => "EPERM, not allowed",
        2 => "ENOENT, no such thing",
        4 => "EINTR, interrupted",
        5 => "EIO, the device failed",
        6 => "ENXIO, the device is gone",
        11 => "EAGAIN, try again",
        12 => "ENOMEM, no memory",
        16 => "EBUSY, in use",
        17 => "EEXIST, exists already",
        19 => "ENODEV, no such device",
        22 => "EINVAL, invalid",
        28 => "ENOSPC, no space",
        30 => "EROFS, read only",
        52 => "ECKSUM, wrong checksum",
        85 => "ERESTART, start again in the next group",
        95 => "ENOTSUP, not supported",
        97 => "ECKSUM, wrong checksum (FreeBSD)",
        110 => "ETIMEDOUT, timed out",
        121 => "EREMOTEIO, remote I/O error",
        122 => "EDQUOT, over quota",
        _ => "another error",
    }
}

/// The name of an I/O priority class of 0.8 and later.
pub(crate) fn priority(number: u64) -> &'static str {
    match number {
        0 => "sync read",
        1 => "sync write",
        2 => "async read",
        3 => "async write",
        4 => "scrub",
        5 => "removal",
        6 => "initialize",
        7 => "trim",
        8 => "rebuild",
        _ => "unknown class",
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
pub(crate) fn days(year: i64, month: u64, day: u64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let shifted = (month as i64 + 9) % 12;
    let of_year = (153 * shifted + 2) / 5 + day as i64 - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Seconds of a clock: `17:05:09`, with decimals when there are some.
pub(crate) fn clock(word: &str) -> Option<f64> {
    let mut parts = word.split(':');
    let hours = super::text::integer(parts.next()?)?;
    let minutes = super::text::integer(parts.next()?)?;
    let seconds = super::text::decimal(parts.next()?)?;
    let good = parts.next().is_none() && hours < 24 && minutes < 60 && seconds < 62.0;
    good.then_some((hours * 3600 + minutes * 60) as f64 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_count_from_1970() {
        let check = |y: i64, m: u64, d: u64, expect: i64| assert_eq!(days(y, m, d), expect);
        check(1970, 1, 1, 0);
        check(2000, 3, 1, 11_017);
        check(2024, 2, 29, 19_782);
        check(1969, 12, 31, -1);
        assert_eq!(clock("02:16:28.5"), Some(8188.5));
        assert_eq!(clock("25:00:00"), None);
    }
}
