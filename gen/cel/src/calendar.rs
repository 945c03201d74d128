//! Timestamps and durations as Go has them.
//!
//! Invariants: a duration has 64 bits of nanoseconds. A timestamp is in the years 1 to 9999. Arithmetic beyond either is refused.

use std::fmt::{Display, Formatter};

use super::literals;

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
    /// From 1.
    pub(super) month: i64,
    /// From 1.
    pub(super) day: i64,
    /// From 0.
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

    /// RFC 3339 with Go's extensions.
    pub fn parse(text: &str) -> Option<Self> {
        if !literals::is_timestamp(text) {
            return None;
        }
        let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
        let days = days_from_civil(number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let seconds = days * DAY + number(11, 13)? * 3600 + number(14, 16)? * 60 + number(17, 19)?;
        let rest = text.get(19..)?;
        let digits = rest
            .strip_prefix(['.', ','])
            .map_or("", |fraction| &fraction[..fraction.bytes().take_while(u8::is_ascii_digit).count()]);
        let nanos = digits
            .bytes()
            .chain(std::iter::repeat(b'0'))
            .take(9)
            .fold(0, |sum, digit| sum * 10 + i128::from(digit - b'0'));
        let zone = if digits.is_empty() { rest } else { &rest[1 + digits.len()..] };
        let offset = if zone == "Z" { 0 } else { zone_offset(zone)? };
        Self::checked(i128::from(seconds - offset) * NANOS + nanos)
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

/// Seconds east of UTC of a zone such as `+01:30`.
pub(super) fn zone_offset(zone: &str) -> Option<i64> {
    let (sign, rest) = match zone.as_bytes().first()? {
        b'-' => (-1, &zone[1..]),
        b'+' => (1, &zone[1..]),
        _ => (1, zone),
    };
    let (hours, minutes) = rest.split_once(':')?;
    let number = |digits: &str| {
        let is_number = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_digit());
        is_number.then(|| digits.parse::<i64>().ok()).flatten()
    };
    Some(sign * (number(hours)? * 3600 + number(minutes)? * 60))
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
    /// A duration as Go writes it, such as `1h30m`.
    pub fn parse(text: &str) -> Option<Self> {
        if !literals::is_duration(text) {
            return None;
        }
        let (is_negative, mut rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let mut sum: i128 = 0;
        while !rest.is_empty() && rest != "0" {
            let number = &rest[..rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count()];
            rest = &rest[number.len()..];
            let unit = &rest[..rest.bytes().take_while(|byte| !byte.is_ascii_digit() && *byte != b'.').count()];
            rest = &rest[unit.len()..];
            let scale: i128 = match unit {
                "ns" => 1,
                "us" | "µs" | "μs" => 1000,
                "ms" => 1_000_000,
                "s" => NANOS,
                "m" => 60 * NANOS,
                _ => 3600 * NANOS,
            };
            let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
            let whole = if whole.is_empty() { 0 } else { whole.parse::<i64>().ok()? };
            sum = sum.checked_add(i128::from(whole) * scale)?;
            // More digits than 18 are less than a nanosecond of an hour.
            let fraction = &fraction[..fraction.len().min(18)];
            if !fraction.is_empty() {
                sum += fraction.parse::<i128>().ok()? * scale / 10_i128.pow(u32::try_from(fraction.len()).ok()?);
            }
        }
        i64::try_from(if is_negative { -sum } else { sum }).ok().map(Self)
    }

    /// Rounded towards zero.
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
    let digits = &text[..text.bytes().take_while(u8::is_ascii_digit).count()];
    let seconds: i64 = match text[digits.len()..].trim_start() {
        "ns" | "nano" | "nanos" | "nanosecond" | "nanoseconds" => return digits.parse().ok().map(Duration),
        "us" | "µs" | "micro" | "micros" | "microsecond" | "microseconds" => {
            return digits.parse::<i64>().ok()?.checked_mul(1000).map(Duration);
        }
        "ms" | "milli" | "millis" | "millisecond" | "milliseconds" => {
            return digits.parse::<i64>().ok()?.checked_mul(1_000_000).map(Duration);
        }
        "s" | "sec" | "secs" | "second" | "seconds" => 1,
        "m" | "min" | "mins" | "minute" | "minutes" => 60,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600,
        "d" | "day" | "days" => DAY,
        "w" | "wk" | "wks" | "week" | "weeks" => 7 * DAY,
        _ => return None,
    };
    digits.parse::<i64>().ok()?.checked_mul(seconds)?.checked_mul(1_000_000_000).map(Duration)
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
