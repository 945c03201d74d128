//! Texts of values, as `string(…)` writes them where it exists.

use super::Value;

/// The text of a value: that of `string(…)` where it exists.
pub(crate) fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Unsigned(value) => value.to_string(),
        Value::Double(value) => double(*value),
        Value::Text(text) => text.to_string(),
        Value::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::Timestamp(time) => time.to_string(),
        Value::Duration(duration) => duration.to_string(),
        Value::Type(name) => (*name).to_owned(),
        Value::Address(address) => address.to_string(),
        Value::Network(network) => network.to_string(),
        Value::Version(version) => version.to_string(),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(|item| shown(&item)).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.type_name().to_owned(),
    }
}

/// The shortest text that reads back as the same number, with an exponent where Go writes one.
pub fn double(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    // Go's shortest form has an exponent below 1e-4, and from 1e6 on.
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    format!("{value}")
}
