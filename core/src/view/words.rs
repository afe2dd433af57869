//! Numbers in words, for text and pictures alike. Numbers of pasted texts may be anything; what is
//! not finite counts as zero.

use crate::base::nice_bytes;
use std_alloc::format;
use std_alloc::string::String;

/// `value`, or 0 for what is no number.
pub(super) fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

/// A share in [0, 1].
pub(super) fn share(part: f64, whole: f64) -> f64 {
    let (part, whole) = (finite(part), finite(whole));
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// Percent of `part` in `whole`, rounded; 0 of nothing.
pub(super) fn percent(part: u64, whole: u64) -> u64 {
    let hundredths = u128::from(part) * 100 + u128::from(whole / 2);
    hundredths.checked_div(whole.into()).unwrap_or(0) as u64
}

/// Three digits and a decimal unit: `17`, `0.5`, `12.3K`, `4.00M`.
pub(super) fn count(value: f64) -> String {
    let value = finite(value);
    let size = value.abs();
    if size < 100_000.0 && value == (value as i64) as f64 {
        return format!("{value:.0}");
    }
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K"), (1.0, "")];
    let unit = units.into_iter().find(|&(unit, _)| size >= unit);
    let (unit, name) = unit.unwrap_or((1.0, ""));
    let scaled = value / unit;
    let decimals = match scaled.abs() {
        s if s >= 100.0 => 0,
        s if s >= 10.0 => 1,
        _ => 2,
    };
    format!("{scaled:.decimals$}{name}")
}

/// A length of time: `850 ns`, `12.3 us`, `4.56 ms`, `1.20 s`, `5.0 min`, `3.2 h`.
pub(super) fn duration(nanoseconds: f64) -> String {
    let ns = finite(nanoseconds);
    let units = [(3600e9, "h"), (60e9, "min"), (1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns")];
    let unit = units.into_iter().find(|&(unit, _)| ns.abs() >= unit);
    let (unit, name) = unit.unwrap_or((1.0, "ns"));
    let scaled = ns / unit;
    let decimals = match (unit, scaled.abs()) {
        (1.0, _) => 0,
        (_, s) if s >= 100.0 => 0,
        (_, s) if s >= 10.0 => 1,
        _ => 2,
    };
    format!("{scaled:.decimals$} {name}")
}

/// A number with its unit.
pub(super) fn quantity(value: f64, unit: &str) -> String {
    let bytes = || nice_bytes(finite(value).max(0.0) as u64);
    match unit {
        "bytes" => bytes(),
        "bytes/s" => format!("{}/s", bytes()),
        "ns" => duration(value),
        "us" => duration(value * 1e3),
        "ms" => duration(value * 1e6),
        "s" => duration(value * 1e9),
        "%" => format!("{}%", count(value)),
        _ => count(value),
    }
}

/// log2, straight between powers of two; 0 below 2.
pub(super) fn log2(value: f64) -> f64 {
    let whole = finite(value).max(1.0) as u64;
    let floor = whole.checked_ilog2().unwrap_or(0);
    f64::from(floor) + whole as f64 / (1u64 << floor) as f64 - 1.0
}

/// The inverse of [`log2`].
pub(super) fn exp2(power: f64) -> f64 {
    let power = finite(power).clamp(0.0, 63.0);
    let floor = power as u32;
    (power - f64::from(floor) + 1.0) * (1u64 << floor.min(63)) as f64
}

/// An optional percentage.
pub(super) fn percent_or_dash(percent: Option<u64>) -> String {
    percent.map_or_else(|| "-".into(), |p| format!("{p}%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        let check = |value: f64, expect: &str| assert_eq!(count(value), expect);
        check(0.0, "0");
        check(0.25, "0.25");
        check(99_999.0, "99999");
        check(123_456.0, "123K");
        check(4e6, "4.00M");
        check(-1.5, "-1.50");
        check(f64::NAN, "0");
        check(f64::INFINITY, "0");
        check(1e300, &format!("{:.0}T", 1e288));
    }

    #[test]
    fn times_and_quantities_name_their_unit() {
        let check = |value: f64, unit: &str, expect: &str| {
            assert_eq!(quantity(value, unit), expect);
        };
        check(850.0, "ns", "850 ns");
        check(12_300.0, "ns", "12.3 us");
        check(4.56, "ms", "4.56 ms");
        check(1500.0, "ms", "1.50 s");
        check(300.0, "s", "5.00 min");
        check(16_777_216.0, "bytes", "16M");
        check(-5.0, "bytes/s", "0/s");
        check(12.5, "%", "12.5%");
        check(7.0, "events", "7");
        check(0.0, "ns", "0 ns");
    }

    #[test]
    fn logarithms_agree_with_their_inverse() {
        for value in [1.0, 2.0, 3.0, 1000.0, 65_536.0, 1e12] {
            let back = exp2(log2(value));
            assert!((back / value - 1.0).abs() < 1e-9, "{value} {back}");
        }
        assert_eq!((log2(0.0), log2(-5.0), log2(f64::NAN)), (0.0, 0.0, 0.0));
        assert!(log2(f64::MAX) <= 64.0 && exp2(1e9) > 9e18);
    }

    #[test]
    fn shares_stay_between_nothing_and_all() {
        assert_eq!(share(1.0, 4.0), 0.25);
        assert_eq!(share(9.0, 4.0), 1.0);
        assert_eq!(share(9.0, 0.0), 0.0);
        assert_eq!(share(f64::NAN, f64::NAN), 0.0);
        assert_eq!((percent(1, 3), percent(2, 3), percent(5, 0)), (33, 67, 0));
    }
}
