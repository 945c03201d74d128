//! When a bundle was released: a moment, to the second, in UTC.
//!
//! Invariants: one written form, `2026-11-21T16:53:52Z`; years 1970 to 2106, which is what archives can hold (32 bits of seconds).

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crd_model::text_value;
use crd_model::version::ParseError;

/// When a bundle was released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Released(u32);

fn wrong(text: &str) -> ParseError {
    ParseError(format!(
        "`{text}` is not a release date: write a date such as 2026-11-21 (its midnight in UTC) or a moment such as \
         2026-11-21T16:53:52Z, between 1970 and 2106"
    ))
}

impl Released {
    /// The number of seconds after the beginning of 1970, as in `SOURCE_DATE_EPOCH`.
    ///
    /// # Errors
    /// It is not between 1970 and 2106.
    pub fn of_unix_seconds(seconds: i64) -> Result<Self, ParseError> {
        u32::try_from(seconds).map(Self).map_err(|_| wrong(&seconds.to_string()))
    }

    /// Seconds after the beginning of 1970.
    pub fn unix_seconds(self) -> u32 {
        self.0
    }

    /// `2026-11-21`, in UTC.
    pub fn date(self) -> String {
        self.civil().map(|moment| moment.date().to_string()).unwrap_or_default()
    }

    /// Whether at least so many months lie between an earlier release and this one.
    pub fn is_months_after(self, earlier: Self, months: i32) -> bool {
        earlier.plus_months(months).is_some_and(|end| self >= end)
    }

    /// The same time of day so many months of the calendar later: on the last day of a month that is too short. None after 2106.
    pub fn plus_months(self, months: i32) -> Option<Self> {
        let end = self.civil()?.checked_add(months.months()).ok()?;
        Self::of_unix_seconds(TimeZone::UTC.to_timestamp(end).ok()?.as_second()).ok()
    }

    fn civil(self) -> Option<jiff::civil::DateTime> {
        Timestamp::from_second(self.0.into()).ok().map(|moment| TimeZone::UTC.to_datetime(moment))
    }
}

text_value!(Released, "A moment, to the second, in UTC: `2026-11-21T16:53:52Z`.");

impl fmt::Display for Released {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_second(self.0.into()) {
            Ok(moment) => write!(formatter, "{moment}"),
            // jiff represents every number of 32 bits.
            Err(_) => write!(formatter, "{}", self.0),
        }
    }
}

impl FromStr for Released {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = || wrong(text);
        // jiff reads more forms (fractions, offsets, spaces); one is written, and one or a date is enough to read.
        let moment = match text.len() {
            10 => text
                .parse::<Date>()
                .ok()
                .and_then(|date| TimeZone::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok())
                .ok_or_else(wrong)?,
            _ => text.parse::<Timestamp>().map_err(|_| wrong())?,
        };
        let released = Self::of_unix_seconds(moment.as_second()).map_err(|_| wrong())?;
        let written = released.to_string();
        if text == written || text == &written[..10] { Ok(released) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_and_written_in_one_form() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-11-21T16:53:52Z", 1_795_280_032),
            ("2024-02-29T23:59:59Z", 1_709_251_199),
            ("2106-02-07T06:28:15Z", u32::MAX),
        ] {
            let released = text.parse::<Released>().unwrap();
            assert_eq!((released.unix_seconds(), released.to_string()), (seconds, text.to_owned()));
            assert_eq!(released.date(), text[..10]);
        }
        assert_eq!("2026-11-21".parse::<Released>().unwrap().to_string(), "2026-11-21T00:00:00Z");
        for text in [
            "",
            "2026",
            "2026-13-01",
            "2026-02-30",
            "21.11.2026",
            "2026-11-21T16:53:52",
            "2026-11-21T16:53:52+01:00",
            "2026-11-21T16:53:52.5Z",
            "2026-11-21 16:53:52Z",
            "1969-12-31",
            "2107-01-01",
            "1795280032",
            "+002026-11-21T00:00:00Z",
        ] {
            assert!(text.parse::<Released>().unwrap_err().to_string().contains("2026-11-21T16:53:52Z"), "{text}");
        }
        assert!(Released::of_unix_seconds(-1).is_err());
    }

    #[test]
    fn months_are_those_of_the_calendar() {
        let released = |text: &str| text.parse::<Released>().unwrap();
        assert!(released("2026-11-30").is_months_after(released("2026-02-28"), 9));
        assert!(!released("2026-11-27").is_months_after(released("2026-02-28"), 9));
        assert!(released("2026-02-28").is_months_after(released("2025-05-31"), 9));
        assert_eq!(released("2025-05-31").plus_months(9), Some(released("2026-02-28")));
        assert_eq!(released("2106-01-31").plus_months(1), None);
    }
}
