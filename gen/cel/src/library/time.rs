//! The parts of timestamps and durations.

use crate::calendar::{self, Civil};
use crate::failure::Failure;
use crate::functions::{Function, method};
use crate::shapes::{DURATION, INTEGER, Shape, TEXT, TIMESTAMP};
use crate::value::{Outcome, Value};

const TIME: &[&[Shape]] = &[&[TIMESTAMP], &[TIMESTAMP, TEXT]];
const TIME_OR_DURATION: &[&[Shape]] = &[&[TIMESTAMP], &[TIMESTAMP, TEXT], &[DURATION]];

// Days of a month begin with 1 in `getDate` and with 0 in `getDayOfMonth`, and months begin with 0.
#[rustfmt::skip]
pub(super) const FUNCTIONS: &[Function] = &[
    method("getDate", TIME, INTEGER, |arguments, _| part(arguments, |civil| civil.day)),
    method("getDayOfMonth", TIME, INTEGER, |arguments, _| part(arguments, |civil| civil.day - 1)),
    method("getDayOfWeek", TIME, INTEGER, |arguments, _| part(arguments, |civil| civil.day_of_week)),
    method("getDayOfYear", TIME, INTEGER, |arguments, _| part(arguments, |civil| civil.day_of_year)),
    method("getFullYear", TIME, INTEGER, |arguments, _| part(arguments, |civil| civil.year)),
    method("getHours", TIME_OR_DURATION, INTEGER, |arguments, _| part_or_whole(arguments, 3_600_000_000_000, |civil| civil.hour)),
    method("getMilliseconds", TIME_OR_DURATION, INTEGER, |arguments, _| {
        part_or_whole(arguments, 1_000_000, |civil| civil.nanosecond / 1_000_000)
    }),
    method("getMinutes", TIME_OR_DURATION, INTEGER, |arguments, _| part_or_whole(arguments, 60_000_000_000, |civil| civil.minute)),
    method("getMonth", TIME, INTEGER, |arguments, _| part(arguments, |civil| civil.month - 1)),
    method("getSeconds", TIME_OR_DURATION, INTEGER, |arguments, _| part_or_whole(arguments, 1_000_000_000, |civil| civil.second)),
];

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
