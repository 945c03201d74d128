//! What the functions of rules compute.
//!
//! Invariants: each name of the table of functions has one implementation, except functions of admission policies. An
//! implementation chooses by the types of its arguments, so that it also serves calls whose types are known at run time only.

mod format;
pub(crate) mod format_text;
pub(super) mod lists;
mod network;
pub(super) mod number;
mod quantity;
mod semantic_version;
pub(super) mod text;
mod time;
mod url;

use super::failure::Failure;
use super::value::{Run, Value};

/// The name and the implementation of a function on servers of a minor.
pub(super) fn implementation(name: &str, minor: u32) -> Option<(&'static str, Run)> {
    let at = IMPLEMENTATIONS.binary_search_by_key(&name, |(name, _)| name).ok()?;
    let (name, run) = IMPLEMENTATIONS[at];
    Some(match name {
        "indexOf" if minor < 37 => (name, text::index_of_before_37),
        "lastIndexOf" if minor < 34 => (name, text::last_index_of_before_34),
        "lastIndexOf" if minor < 37 => (name, text::last_index_of_before_37),
        "lists.range" if minor < 37 => (name, lists::range_before_37),
        _ => (name, run),
    })
}

/// `compareTo` and similar, which quantities and versions have.
fn compared<'v>(arguments: &[Value<'v>]) -> Result<std::cmp::Ordering, Failure> {
    match arguments {
        [Value::Quantity(one), Value::Quantity(other)] => Ok(one.compare(other)),
        [Value::Version(one), Value::Version(other)] => Ok(one.cmp_precedence(other)),
        _ => Err(Failure::no_overload()),
    }
}

#[rustfmt::skip]
const IMPLEMENTATIONS: &[(&str, Run)] = &[
    ("@sortByAssociatedKeys", lists::sort_by),
    ("add", quantity::add),
    ("asApproximateFloat", quantity::as_approximate_float),
    ("asInteger", quantity::as_integer),
    ("bool", number::to_boolean),
    ("bytes", text::to_bytes),
    ("charAt", text::char_at),
    ("cidr", network::cidr),
    ("compareTo", |arguments| Ok(Value::Integer(compared(arguments)? as i64))),
    ("contains", text::contains),
    ("containsCIDR", network::contains_cidr),
    ("containsIP", network::contains_ip),
    ("distinct", lists::distinct),
    ("double", number::to_double),
    ("duration", number::to_duration),
    ("dyn", number::dynamic),
    ("endsWith", text::ends_with),
    ("family", network::family),
    ("find", text::find),
    ("findAll", text::find_all),
    ("first", lists::first),
    ("flatten", lists::flatten),
    ("format", format_text::format),
    ("format.named", format::optional_named),
    ("getDate", time::date),
    ("getDayOfMonth", time::day_of_month),
    ("getDayOfWeek", time::day_of_week),
    ("getDayOfYear", time::day_of_year),
    ("getEscapedPath", url::get_escaped_path),
    ("getFullYear", time::full_year),
    ("getHost", url::get_host),
    ("getHostname", url::get_hostname),
    ("getHours", time::hours),
    ("getMilliseconds", time::milliseconds),
    ("getMinutes", time::minutes),
    ("getMonth", time::month),
    ("getPort", url::get_port),
    ("getQuery", url::get_query),
    ("getScheme", url::get_scheme),
    ("getSeconds", time::seconds),
    ("hasValue", lists::has_value),
    ("includes", lists::includes),
    ("indexOf", text::index_of),
    ("int", number::to_integer),
    ("ip", network::ip),
    ("ip.isCanonical", network::is_canonical),
    ("isCIDR", network::is_cidr),
    ("isGlobalUnicast", network::is_global_unicast),
    ("isGreaterThan", |arguments| Ok(Value::Boolean(compared(arguments)?.is_gt()))),
    ("isIP", network::is_ip),
    ("isInteger", quantity::is_integer),
    ("isLessThan", |arguments| Ok(Value::Boolean(compared(arguments)?.is_lt()))),
    ("isLinkLocalMulticast", network::is_link_local_multicast),
    ("isLinkLocalUnicast", network::is_link_local_unicast),
    ("isLoopback", network::is_loopback),
    ("isQuantity", quantity::is_quantity),
    ("isSemver", semantic_version::is_semver),
    ("isSorted", lists::is_sorted),
    ("isURL", url::is_url),
    ("isUnspecified", network::is_unspecified),
    ("join", text::join),
    ("last", lists::last),
    ("lastIndexOf", text::last_index_of),
    ("lists.range", lists::range),
    ("lowerAscii", text::lower_ascii),
    ("major", semantic_version::major),
    ("masked", network::masked),
    ("matches", text::matches),
    ("max", lists::max),
    ("min", lists::min),
    ("minor", semantic_version::minor),
    ("optional.none", lists::optional_none),
    ("optional.of", lists::optional_of),
    ("optional.ofNonZeroValue", lists::optional_of_non_zero),
    ("optional.unwrap", lists::unwrap),
    ("patch", semantic_version::patch),
    ("prefixLength", network::prefix_length),
    ("quantity", quantity::quantity),
    ("replace", text::replace),
    ("reverse", lists::reverse),
    ("semver", semantic_version::semver),
    ("sets.contains", lists::sets_contains),
    ("sets.equivalent", lists::sets_equivalent),
    ("sets.intersects", lists::sets_intersects),
    ("sign", quantity::sign),
    ("size", text::size),
    ("slice", lists::slice),
    ("sort", lists::sort),
    ("split", text::split),
    ("startsWith", text::starts_with),
    ("string", number::to_text),
    ("strings.quote", text::quote),
    ("sub", quantity::sub),
    ("substring", text::substring),
    ("sum", lists::sum),
    ("timestamp", number::to_timestamp),
    ("trim", text::trim),
    ("type", number::type_of),
    ("uint", number::to_unsigned),
    ("unwrapOpt", lists::unwrap),
    ("upperAscii", text::upper_ascii),
    ("url", url::url),
    ("validate", format::validate),
    ("value", lists::value),
];

#[cfg(test)]
mod tests {
    use super::{IMPLEMENTATIONS, implementation};
    use crate::functions::{self, Scalar, Shape};

    #[test]
    fn each_function_is_implemented() {
        assert!(IMPLEMENTATIONS.is_sorted_by_key(|(name, _)| name));
        let is_admission = |shape: &Shape| matches!(shape, Shape::Scalar(Scalar::Authorization));
        for overload in functions::functions() {
            // Lazy functions and constant formats are compiled to other instructions.
            let is_compiled = matches!(overload.name, "or" | "orValue") || overload.name.starts_with("format.");
            if !is_compiled && !overload.takes.iter().any(is_admission) {
                assert!(implementation(overload.name, 37).is_some(), "{}", overload.name);
            }
        }
    }
}
