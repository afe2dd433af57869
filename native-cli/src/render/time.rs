//! Points and lengths of time in words.

/// `seconds` since 1970 as `2013-11-05 21:04:33` in UTC.
pub(crate) fn date(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    if days > 3_000_000 {
        return format!("{seconds} s");
    }
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// Year, month and day of a day since 1970, by counting from 1 March of year 0, so that the
/// leap day comes last.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let leaps = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leaps) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year_of_era + era * 400 + next, month, day)
}

/// A length of time as a stop watch shows it: `0:07`, `12:30`, `3:02:01`.
pub(crate) fn duration(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let check = |seconds: u64, expect: &str| assert_eq!(date(seconds), expect);
        check(0, "1970-01-01 00:00:00");
        check(951_782_399, "2000-02-28 23:59:59");
        check(951_782_400, "2000-02-29 00:00:00");
        check(1_709_251_200, "2024-03-01 00:00:00");
        check(1_383_685_473, "2013-11-05 21:04:33");
        check(4_102_444_800, "2100-01-01 00:00:00");
        check(u64::MAX, "18446744073709551615 s");
    }

    #[test]
    fn lengths_of_time_are_short() {
        assert_eq!(duration(7), "0:07");
        assert_eq!(duration(750), "12:30");
        assert_eq!(duration(10_921), "3:02:01");
    }
}
