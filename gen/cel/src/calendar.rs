//! Timestamps and durations as Go has them.
//!
//! Invariants: a duration has 64 bits of nanoseconds. A timestamp is in the years 1 to 9999. Arithmetic beyond either is refused.

use std::fmt::{Display, Formatter};

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;
const NANOS: i128 = 1_000_000_000;
const DAY: i64 = 86_400;
/// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, in seconds of Unix time.
const FIRST: i64 = -62_135_596_800;
const LAST: i64 = 253_402_300_799;

/// Nanoseconds between two times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub i64);

/// Nanoseconds of Unix time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i128);

impl Timestamp {
    /// The first second of the year 1, which is the zero of Go's times.
    pub(super) const ZERO: Self = Self(-62_135_596_800 * NANOS);
}

/// A timestamp in a time zone.
pub(super) struct Civil {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) day_of_year: i64,
    /// From Sunday, which is 0.
    pub(super) day_of_week: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    pub(super) nanosecond: i64,
}

/// Days from 1970-01-01, with years that begin in March.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

impl Timestamp {
    /// From seconds of Unix time, if the year has four digits.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        (FIRST..=LAST).contains(&seconds).then(|| Self(i128::from(seconds) * NANOS))
    }

    fn checked(nanos: i128) -> Option<Self> {
        let seconds = i64::try_from(nanos.div_euclid(NANOS)).ok()?;
        (FIRST..=LAST).contains(&seconds).then_some(Self(nanos))
    }

    /// Seconds of Unix time.
    pub fn seconds(self) -> i64 {
        i64::try_from(self.0.div_euclid(NANOS)).unwrap_or_default()
    }

    /// RFC 3339 in UTC, without fractions of a second.
    pub fn in_seconds(self) -> String {
        let Civil { year, month, day, hour, minute, second, .. } = self.civil(0);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    pub(super) fn nanoseconds(self) -> i128 {
        self.0
    }

    pub(super) fn plus(self, duration: Duration) -> Option<Self> {
        Self::checked(self.0 + i128::from(duration.0))
    }

    pub(super) fn minus(self, duration: Duration) -> Option<Self> {
        Self::checked(self.0 - i128::from(duration.0))
    }

    pub(super) fn since(self, other: Self) -> Option<Duration> {
        i64::try_from(self.0 - other.0).ok().map(Duration)
    }

    /// Whether it is a timestamp of RFC 3339, with the extensions of Go. In UTC, its year can be beyond the limits.
    pub(super) fn is_written(text: &str) -> bool {
        Self::read(text).is_some()
    }

    /// RFC 3339 with Go's extensions.
    pub fn parse(text: &str) -> Option<Self> {
        Self::read(text).and_then(Self::checked)
    }

    /// Nanoseconds of Unix time.
    fn read(text: &str) -> Option<i128> {
        let signs = [(10, b'T'), (13, b':'), (16, b':')];
        let (year, days) = days_of(text.get(..10)?)?;
        let (hour, minute, second) = (number(text, 11, 13)?, number(text, 14, 16)?, number(text, 17, 19)?);
        if !signs.iter().all(|(at, sign)| text.as_bytes()[*at] == *sign)
            || (year == 0 || hour > 23 || minute > 59 || second > 59)
        {
            return None;
        }
        let rest = text.get(19..)?;
        let (fraction, zone) = match rest.strip_prefix(['.', ',']) {
            Some(rest) => rest.split_at(digits(rest)),
            None => ("0", rest),
        };
        let offset = match zone.strip_prefix(['+', '-']) {
            Some(zone) if zone.len() == 5 && zone.as_bytes()[2] == b':' => {
                let (hours, minutes) = (number(zone, 0, 2)?, number(zone, 3, 5)?);
                (hours <= 24 && minutes <= 60).then_some(hours * 3600 + minutes * 60)?
            }
            None if zone == "Z" => 0,
            _ => return None,
        };
        let offset = if zone.starts_with('-') { -offset } else { offset };
        let nanos = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
        let nanos = nanos.fold(0, |sum, digit| sum * 10 + i128::from(digit - b'0'));
        let seconds = days * DAY + hour * 3600 + minute * 60 + second - offset;
        (!fraction.is_empty()).then_some(i128::from(seconds) * NANOS + nanos)
    }

    /// The parts of the time in a zone that is this many seconds east of UTC.
    pub(super) fn civil(self, offset: i64) -> Civil {
        let local = self.seconds() + offset;
        let days = local.div_euclid(DAY);
        let (year, month, day) = civil_from_days(days);
        let second = local.rem_euclid(DAY);
        Civil {
            year,
            month,
            day,
            day_of_year: days - days_from_civil(year, 1, 1),
            day_of_week: (days + 4).rem_euclid(7),
            hour: second / 3600,
            minute: second / 60 % 60,
            second: second % 60,
            nanosecond: i64::try_from(self.0.rem_euclid(NANOS)).unwrap_or_default(),
        }
    }
}

/// The number at these bytes.
fn number(text: &str, from: usize, to: usize) -> Option<i64> {
    text.get(from..to).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

/// The year of a date such as `2006-01-02`, and its days from 1970-01-01; none if it is not a day that exists.
fn days_of(date: &str) -> Option<(i64, i64)> {
    let (year, month, day) = (number(date, 0, 4)?, number(date, 5, 7)?, number(date, 8, 10)?);
    let days = days_from_civil(year, month, day);
    let is_written = date.len() == 10 && date.as_bytes()[4] == b'-' && date.as_bytes()[7] == b'-';
    (is_written && civil_from_days(days) == (year, month, day)).then_some((year, days))
}

/// Whether it is a date such as `2006-01-02`.
pub fn is_date(text: &str) -> bool {
    days_of(text).is_some()
}

/// How many digits a text begins with.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

impl Display for Timestamp {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        let Civil { year, month, day, hour, minute, second, nanosecond, .. } = self.civil(0);
        write!(formatter, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        if nanosecond > 0 {
            write!(formatter, ".{}", format!("{nanosecond:09}").trim_end_matches('0'))?;
        }
        formatter.write_str("Z")
    }
}

impl Duration {
    /// Whether it is a duration as Go writes it. The size is not checked.
    pub(super) fn is_written(text: &str) -> bool {
        Self::parts(text).is_some()
    }

    /// The whole and the decimal digits of each number, and the nanoseconds of its unit.
    fn parts(text: &str) -> Option<Vec<(&str, &str, i128)>> {
        let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
        let mut parts = Vec::new();
        if rest == "0" {
            return Some(parts);
        }
        while !rest.is_empty() {
            let (whole, after) = rest.split_at(digits(rest));
            let (fraction, after) = match after.strip_prefix('.') {
                Some(after) => after.split_at(digits(after)),
                None => ("", after),
            };
            let unit = &after[..after.bytes().take_while(|byte| !byte.is_ascii_digit() && *byte != b'.').count()];
            let nanos = match unit {
                _ if whole.is_empty() && fraction.is_empty() => return None,
                "ns" => 1,
                "us" | "µs" | "μs" => 1000,
                "ms" => 1_000_000,
                "s" => NANOS,
                "m" => 60 * NANOS,
                "h" => 3600 * NANOS,
                _ => return None,
            };
            parts.push((whole, fraction, nanos));
            rest = &after[unit.len()..];
        }
        (!parts.is_empty()).then_some(parts)
    }

    /// A duration as Go writes it, such as `1h30m`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut sum: i128 = 0;
        for (whole, fraction, unit) in Self::parts(text)? {
            let whole = if whole.is_empty() { 0 } else { whole.parse::<i128>().ok()? };
            sum = sum.checked_add(whole.checked_mul(unit)?)?;
            // More digits than 18 are less than a nanosecond of an hour.
            let fraction = &fraction[..fraction.len().min(18)];
            if !fraction.is_empty() {
                sum += fraction.parse::<i128>().ok()? * unit / 10_i128.pow(u32::try_from(fraction.len()).ok()?);
            }
        }
        i64::try_from(if text.starts_with('-') { -sum } else { sum }).ok().map(Self)
    }

    pub fn seconds(self) -> i64 {
        self.0 / 1_000_000_000
    }
}

impl Display for Duration {
    /// Seconds with a fraction, as CEL converts a duration to a string.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        let nanos = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(formatter, "{sign}{}", nanos / 1_000_000_000)?;
        if !nanos.is_multiple_of(1_000_000_000) {
            write!(formatter, ".{}", format!("{:09}", nanos % 1_000_000_000).trim_end_matches('0'))?;
        }
        formatter.write_str("s")
    }
}

/// A duration of `format: duration`: Go's, or words such as `1 day`.
pub(super) fn lenient_duration(text: &str) -> Option<Duration> {
    if let Some(duration) = Duration::parse(text) {
        return Some(duration);
    }
    let text = text.trim();
    let (number, unit) = text.split_at(digits(text));
    let nanos: i64 = match unit.trim_start() {
        "ns" | "nano" | "nanos" | "nanosecond" | "nanoseconds" => 1,
        "us" | "µs" | "micro" | "micros" | "microsecond" | "microseconds" => 1000,
        "ms" | "milli" | "millis" | "millisecond" | "milliseconds" => 1_000_000,
        "s" | "sec" | "secs" | "second" | "seconds" => SECOND,
        "m" | "min" | "mins" | "minute" | "minutes" => 60 * SECOND,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600 * SECOND,
        "d" | "day" | "days" => DAY * SECOND,
        "w" | "wk" | "wks" | "week" | "weeks" => 7 * DAY * SECOND,
        _ => return None,
    };
    number.parse::<i64>().ok()?.checked_mul(nanos).map(Duration)
}

/// A timestamp of `format: date-time`, with or without a zone. A server accepts `t` and `z` in objects, but rules cannot read them.
///
/// # Errors
///
/// Why Go does not read it.
pub(super) fn timestamp_of_object(text: &str) -> Result<Timestamp, String> {
    const LAYOUT: &str = "2006-01-02T15:04:05";
    Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}Z"))).ok_or_else(|| match text.get(10..) {
        Some(rest) if !rest.starts_with('T') => {
            format!("parsing time {text:?} as {LAYOUT:?}: cannot parse {rest:?} as \"T\"")
        }
        _ => format!("parsing time {text:?}: extra text: {:?}", text.get(19..).unwrap_or_default()),
    })
}

#[cfg(test)]
mod tests {
    use super::{Duration, Timestamp};

    #[test]
    fn durations_are_those_of_go() {
        for good in ["0", "1s", "-1.5h", "+.5m", "1.m", "1h30m", "3us", "3µs", "1ms2ns", "00001s"] {
            assert!(Duration::is_written(good), "{good}");
        }
        assert_eq!(Duration::parse("-9223372036854775808ns"), Some(Duration(i64::MIN)));
        for too_long in ["9223372036854775808ns", "-9223372036854775809ns", "2562048h", &format!("{}h", "9".repeat(38))]
        {
            assert!(Duration::is_written(too_long) && Duration::parse(too_long).is_none(), "{too_long}");
        }
        for bad in ["", "-", "1", "s", ".s", "1 s", "1d", "1hour", "1h 30m", "--1s", "1S", "1.5.5s"] {
            assert!(!Duration::is_written(bad), "{bad}");
        }
    }

    #[test]
    fn timestamps_are_those_of_rfc_3339() {
        let good = [
            "2006-01-02T15:04:05Z",
            "2006-01-02T15:04:05.999999999Z",
            "2006-01-02T15:04:05,5Z",
            "2006-01-02T15:04:05+07:00",
            "2004-02-29T00:00:00-00:00",
        ];
        for good in good {
            assert!(Timestamp::is_written(good), "{good}");
        }
        let bad = [
            "",
            "today",
            "2006-01-02",
            "2006-01-02 15:04:05Z",
            "2006-01-02t15:04:05z",
            "2006-01-02T15:04:05",
            "2006-02-29T15:04:05Z",
            "2006-13-02T15:04:05Z",
            "2006-01-02T24:00:00Z",
            "2006-01-02T15:04:60Z",
            "2006-01-02T15:04:05.Z",
            "2006-01-02T15:04:05+7:00",
            "0000-01-01T00:00:00Z",
            "é006-01-02T15:04:05Z",
        ];
        for bad in bad {
            assert!(!Timestamp::is_written(bad), "{bad}");
        }
    }
}
