//! The words of a field name.

/// Splits a name in camelCase; an acronym is one word, also in the plural: `clusterIPs` is `cluster` and `IPs`.
pub(crate) fn words(name: &str) -> Vec<&str> {
    let bytes = name.as_bytes();
    let is_upper = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_uppercase);
    let is_lower = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    let is_plural = |at: usize| bytes.get(at) == Some(&b's') && !is_lower(at + 1);
    let starts = |at: &usize| is_upper(*at) && (!is_upper(at - 1) || is_lower(at + 1) && !is_plural(at + 1));
    let mut ends = (1..name.len()).filter(starts).collect::<Vec<_>>();
    ends.push(name.len());
    let begins = [0].into_iter().chain(ends.clone());
    begins.zip(ends).filter_map(|(begin, end)| name.get(begin..end)).collect()
}

/// Whether a name is that of a duration, without a unit.
pub(crate) fn is_duration(name: &str) -> bool {
    let last = words(name).last().map(|word| word.to_lowercase()).unwrap_or_default();
    matches!(
        &*last,
        "after"
            | "age"
            | "before"
            | "deadline"
            | "delay"
            | "duration"
            | "interval"
            | "lifetime"
            | "period"
            | "timeout"
            | "ttl"
    )
}
