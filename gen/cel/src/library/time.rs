//! The parts of timestamps and durations.

use crate::calendar::{self, Civil};
use crate::failure::Failure;
use crate::value::{Outcome, Value};

/// Seconds east of UTC. Names of time zones need their history, which this crate does not have.
fn offset(zone: &str) -> Result<i64, Failure> {
    if zone.is_empty() || zone == "UTC" {
        return Ok(0);
    }
    let Some((hours, minutes)) = zone.split_once(':') else {
        return Err(Failure::undecided(format!("unknown time zone {zone}")));
    };
    let number = |text: &str| {
        text.parse::<i64>().map_err(|_| Failure::new(format!("strconv.Atoi: parsing {text:?}: invalid syntax")))
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let minutes = if zone.starts_with('-') { -minutes } else { minutes };
    hours
        .checked_mul(60)
        .and_then(|sum| sum.checked_add(minutes))
        .filter(|sum| sum.abs() < 1_000_000)
        .map(|sum| sum * 60)
        .ok_or_else(|| Failure::undecided(format!("time zone {zone}")))
}

fn part<'v>(arguments: &[Value<'v>], read: impl Fn(Civil) -> i64) -> Outcome<'v> {
    let (time, offset) = match arguments {
        [Value::Timestamp(time)] => (time, 0),
        [Value::Timestamp(time), Value::Text(zone)] => (time, offset(zone)?),
        _ => return Err(Failure::no_overload()),
    };
    Ok(Value::Integer(read(time.civil(offset))))
}

/// A part of a timestamp, or the whole duration in units of this many nanoseconds.
fn part_or_whole<'v>(arguments: &[Value<'v>], unit: i64, read: impl Fn(Civil) -> i64) -> Outcome<'v> {
    match arguments {
        [Value::Duration(calendar::Duration(nanos))] => Ok(Value::Integer(nanos / unit)),
        _ => part(arguments, read),
    }
}

pub(super) fn full_year<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |civil| civil.year)
}

/// From 0.
pub(super) fn month<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |civil| civil.month - 1)
}

/// From 1.
pub(super) fn date<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |civil| civil.day)
}

/// From 0.
pub(super) fn day_of_month<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |civil| civil.day - 1)
}

pub(super) fn day_of_week<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |civil| civil.day_of_week)
}

pub(super) fn day_of_year<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |civil| civil.day_of_year)
}

pub(super) fn hours<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part_or_whole(arguments, 3_600_000_000_000, |civil| civil.hour)
}

pub(super) fn minutes<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part_or_whole(arguments, 60_000_000_000, |civil| civil.minute)
}

pub(super) fn seconds<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part_or_whole(arguments, 1_000_000_000, |civil| civil.second)
}

pub(super) fn milliseconds<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part_or_whole(arguments, 1_000_000, |civil| civil.nanosecond / 1_000_000)
}
