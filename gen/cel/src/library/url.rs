//! `url` and its methods.

use std::sync::Arc;

use crate::cost::Cost;
use crate::failure::Failure;
use crate::functions::{Function, function, method};
use crate::location::{self, unescaped};
use crate::shapes::{BOOLEAN, LOCATION, Shape, TEXT, TEXTS};
use crate::value::Value::{self, Location, Text};
use crate::value::{Entries, Map, Outcome};

#[rustfmt::skip]
pub(super) const FUNCTIONS: &[Function] = &[
    method("getEscapedPath", &[&[LOCATION]], TEXT, run!(Location(location) => location.escaped_path())),
    method("getHost", &[&[LOCATION]], TEXT, run!(Location(location) => location.host.clone())),
    method("getHostname", &[&[LOCATION]], TEXT, run!(Location(location) => location.host_and_port().0.to_owned())),
    method("getPort", &[&[LOCATION]], TEXT, run!(Location(location) => location.host_and_port().1.to_owned())),
    method("getQuery", &[&[LOCATION]], Shape::Map(&TEXT, &TEXTS), run!(Location(location) => query(&location.query)?)),
    method("getScheme", &[&[LOCATION]], TEXT, run!(Location(location) => location.scheme.clone())),
    function("isURL", &[&[TEXT]], BOOLEAN, run!(Text(text) => location::Location::is_valid(text))),
    function("url", &[&[TEXT]], LOCATION, run!(Text(text) => Location(Arc::new(url(text)?)))).costs(Cost::Scan(0)),
];

fn url(text: &str) -> Result<location::Location, Failure> {
    location::Location::parse(text).ok_or_else(|| {
        let why = location::Location::why_not(text);
        Failure::new(format!("URL parse error during conversion from string: {why}"))
    })
}

fn query<'v>(written: &str) -> Outcome<'v> {
    let mut query: Vec<(String, Vec<Value<'v>>)> = Vec::new();
    for pair in written.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';')) {
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
