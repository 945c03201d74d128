//! `url` and its methods.

use std::sync::Arc;

use crate::failure::Failure;
use crate::location::{Location, unescaped};
use crate::value::{Entries, Map, Outcome, Value};

pub(super) fn url<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text)] = arguments else { return Err(Failure::no_overload()) };
    match Location::parse(text) {
        Some(location) => Ok(Value::Location(Arc::new(location))),
        None => {
            Err(Failure::new(format!("URL parse error during conversion from string: {}", Location::why_not(text))))
        }
    }
}

pub(super) fn is_url<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Boolean(Location::is_valid(text)))
}

fn part<'v>(arguments: &[Value<'v>], read: impl Fn(&Location) -> String) -> Outcome<'v> {
    let [Value::Location(location)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::text(read(location)))
}

pub(super) fn get_scheme<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |location| location.scheme.clone())
}

pub(super) fn get_host<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |location| location.host.clone())
}

pub(super) fn get_hostname<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |location| location.host_and_port().0.to_owned())
}

pub(super) fn get_port<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |location| location.host_and_port().1.to_owned())
}

pub(super) fn get_escaped_path<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, Location::escaped_path)
}

pub(super) fn get_query<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Location(location)] = arguments else { return Err(Failure::no_overload()) };
    let mut query: Vec<(String, Vec<Value<'v>>)> = Vec::new();
    for pair in location.query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';')) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (Some(key), Some(value)) = (unescaped(key, true), unescaped(value, true)) else { continue };
        let key = String::from_utf8_lossy(&key).into_owned();
        let value = Value::text(String::from_utf8_lossy(&value).into_owned());
        match query.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => query.push((key, vec![value])),
        }
    }
    let mut entries = Entries::default();
    for (key, values) in query {
        entries.set(Value::text(key), Value::list(values))?;
    }
    Ok(Value::Map(Map::Shared(Arc::new(entries))))
}
