//! Numbers as the page shows them: short for labels, exact beside them.

use tidepool::base::nice_bytes;

/// `bytes` in OpenZFS's short form with a `B` where it has no unit: `512 B`, `59.5M`.
pub fn bytes(bytes: u64) -> String {
    match nice_bytes(bytes) {
        t if t.chars().all(|c| c.is_ascii_digit()) => format!("{t} B"),
        t => t,
    }
}

/// `n` with thin groups of three: `1 234 567`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{2009}');
        }
        out.push(c);
    }
    out
}

/// `n` in hexadecimal with `0x`.
pub fn hex(n: u64) -> String {
    format!("{n:#x}")
}

/// Share of `part` in `whole` in percent with one decimal where it tells something.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".into();
    }
    let p = part as f64 * 100.0 / whole as f64;
    match p {
        _ if part == 0 => "0 %".into(),
        _ if part == whole => "100 %".into(),
        p if p < 0.1 => "< 0.1 %".into(),
        p if p < 10.0 => format!("{p:.1} %"),
        p if p > 99.0 => format!("{:.1} %", p.min(99.9)),
        p => format!("{p:.0} %"),
    }
}

/// Seconds since 1970 as `2024-02-29 12:34:56 UTC`; `-` for zero.
pub fn time(seconds: u64) -> String {
    if seconds == 0 {
        return "-".into();
    }
    let days = (seconds / 86_400).min(5_000_000);
    let (h, m, s) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    // Days to a date by 400-year cycles that start on March 1st, so leap days come last.
    let z = days + 719_468;
    let (era, doe) = (z / 146_097, z % 146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {h:02}:{m:02}:{s:02} UTC")
}

/// Nanoseconds in the unit that fits: `850 ns`, `1.2 ms`, `5.0 s`.
pub fn nanoseconds(ns: f64) -> String {
    match ns {
        n if n < 1e3 => format!("{n:.0} ns"),
        n if n < 1e6 => format!("{:.1} \u{b5}s", n / 1e3),
        n if n < 1e9 => format!("{:.1} ms", n / 1e6),
        n => format!("{:.1} s", n / 1e9),
    }
}

/// `1 segment`, `2 segments`.
pub fn count(n: u64, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{} {noun}s", grouped(n)),
    }
}

/// Type and permission bits as `ls -l` prints them.
pub fn mode(kind: &str, mode: u64) -> String {
    let mut out = String::with_capacity(10);
    out.push(match kind {
        "dir" => 'd',
        "symlink" => 'l',
        "block" => 'b',
        "char" => 'c',
        "fifo" => 'p',
        "socket" => 's',
        _ => '-',
    });
    for shift in [6u32, 3, 0] {
        let bits = mode >> shift;
        out.push(if bits & 4 != 0 { 'r' } else { '-' });
        out.push(if bits & 2 != 0 { 'w' } else { '-' });
        out.push(if bits & 1 != 0 { 'x' } else { '-' });
    }
    out
}

/// The first `limit` bytes as rows of `offset  hex  text`.
pub fn hex_rows(bytes: &[u8], limit: usize) -> String {
    let mut out = String::new();
    for (row, chunk) in bytes.chunks(16).take(limit.div_ceil(16)).enumerate() {
        let mut hex = String::new();
        for b in chunk {
            hex.push_str(&format!("{b:02x} "));
        }
        let text: String = chunk
            .iter()
            .map(|&b| if (0x20..0x7f).contains(&b) { b as char } else { '.' })
            .collect();
        out.push_str(&format!("{:06x}  {hex:<48} {text}\n", row * 16));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(62_390_272), "59.5M");
        assert_eq!(grouped(1_234_567), "1\u{2009}234\u{2009}567");
        assert_eq!(grouped(12), "12");
        assert_eq!(percent(1, 3), "33 %");
        assert_eq!(percent(1, 100_000), "< 0.1 %");
        assert_eq!(percent(99_999, 100_000), "99.9 %");
        assert_eq!(count(1, "segment"), "1 segment");
        assert_eq!(nanoseconds(5.04e9), "5.0 s");
    }

    #[test]
    fn dates_know_leap_years() {
        assert_eq!(time(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(time(1_709_210_096), "2024-02-29 12:34:56 UTC");
        assert_eq!(time(0), "-");
        assert!(time(u64::MAX).len() > 20);
    }

    #[test]
    fn modes_read_like_ls() {
        assert_eq!(mode("dir", 0o755), "drwxr-xr-x");
        assert_eq!(mode("file", 0o640), "-rw-r-----");
    }

    #[test]
    fn hex_rows_line_up() {
        let t = hex_rows(b"abc\0", 64);
        assert!(t.starts_with("000000  61 62 63 00 "), "{t}");
        assert!(t.ends_with(" abc.\n"));
    }
}
