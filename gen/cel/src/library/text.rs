//! Functions of strings and bytes. Positions and sizes of strings count code points.

use std::sync::Arc;

use crate::failure::Failure;
use crate::value::{Outcome, Text, Value};

fn out_of_range(at: i64) -> Failure {
    Failure::new(format!("index out of range: {at}"))
}

/// The longest text that this crate writes out: no budget stops a server before it.
const LONGEST_TEXT: usize = 1 << 28;

fn fits(length: usize) -> Result<(), Failure> {
    if length > LONGEST_TEXT {
        return Err(Failure::undecided(format!("the text has more than {LONGEST_TEXT} bytes")));
    }
    Ok(())
}

fn count(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

/// The byte offset of the code point at this position, which may be the end.
fn offset(text: &str, at: i64) -> Result<usize, Failure> {
    let position = usize::try_from(at).map_err(|_| out_of_range(at))?;
    let mut offsets = text.char_indices().map(|(offset, _)| offset).chain([text.len()]);
    offsets.nth(position).ok_or_else(|| out_of_range(at))
}

pub(super) fn contains<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text), Value::Text(part)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Boolean(text.contains(&**part)))
}

pub(super) fn starts_with<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text), Value::Text(part)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Boolean(text.starts_with(&**part)))
}

pub(super) fn ends_with<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text), Value::Text(part)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Boolean(text.ends_with(&**part)))
}

pub(super) fn char_at<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text), Value::Integer(at)] = arguments else { return Err(Failure::no_overload()) };
    let rest = &text[offset(text, *at)?..];
    let end = rest.chars().next().map_or(0, char::len_utf8);
    Ok(Value::text(&rest[..end]))
}

pub(super) fn substring<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let (text, start, end) = match arguments {
        [Value::Text(text), Value::Integer(start)] => (text, *start, None),
        [Value::Text(text), Value::Integer(start), Value::Integer(end)] => (text, *start, Some(*end)),
        _ => return Err(Failure::no_overload()),
    };
    if let Some(end) = end.filter(|end| start > *end) {
        return Err(Failure::new(format!("invalid substring range. start: {start}, end: {end}")));
    }
    let from = offset(text, start)?;
    let to = end.map_or(Ok(text.len()), |end| offset(text, end))?;
    Ok(match text {
        Text::Borrowed(text) => Value::Text(Text::Borrowed(&text[from..to])),
        Text::Shared(text) => Value::text(&text[from..to]),
    })
}

pub(super) fn index_of<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let (text, part, from) = match arguments {
        [Value::List(_), _] => return super::lists::index_of(arguments),
        [Value::Text(text), Value::Text(part)] => (text, part, 0),
        [Value::Text(text), Value::Text(part), Value::Integer(from)] => (text, part, *from),
        _ => return Err(Failure::no_overload()),
    };
    if from < 0 {
        return Err(out_of_range(from));
    }
    if part.is_empty() {
        return Ok(Value::Integer(from.min(count(text))));
    }
    let found = offset(text, from).ok().and_then(|start| Some(start + text[start..].find(&**part)?));
    Ok(Value::Integer(found.map_or(-1, |at| count(&text[..at]))))
}

/// Servers before 1.34 refuse an empty text.
pub(super) fn last_index_of_before_34<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Text(text), Value::Text(part)] if text.is_empty() && !part.is_empty() => Err(out_of_range(-1)),
        arguments => last_index_of_before_37(arguments),
    }
}

/// Servers before 1.37 find an empty text at every position that a rule asks for.
pub(super) fn index_of_before_37<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Text(_), Value::Text(part), Value::Integer(from)] if part.is_empty() => Ok(Value::Integer(*from)),
        arguments => index_of(arguments),
    }
}

/// Servers before 1.37 find an empty text at every position that a rule asks for.
pub(super) fn last_index_of_before_37<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Text(_), Value::Text(part), Value::Integer(last)] if part.is_empty() => Ok(Value::Integer(*last)),
        arguments => last_index_of(arguments),
    }
}

pub(super) fn last_index_of<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let (text, part, last) = match arguments {
        [Value::List(_), _] => return super::lists::last_index_of(arguments),
        [Value::Text(text), Value::Text(part)] => (text, part, None),
        [Value::Text(text), Value::Text(part), Value::Integer(last)] => (text, part, Some(*last)),
        _ => return Err(Failure::no_overload()),
    };
    if let Some(last) = last.filter(|last| *last < 0) {
        return Err(out_of_range(last));
    }
    let length = count(text);
    if part.is_empty() {
        return Ok(Value::Integer(last.map_or(length, |last| last.min(length))));
    }
    if last.is_some_and(|last| last >= length) {
        return Ok(Value::Integer(-1));
    }
    let end = match last {
        Some(last) => (offset(text, last)? + part.len()).min(text.len()),
        None => text.len(),
    };
    let end = (end..=text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
    let limit = last.unwrap_or(length);
    // The end may be inside a match that begins after `last`.
    let found = text[..end].rmatch_indices(&**part).map(|(at, _)| count(&text[..at])).find(|at| *at <= limit);
    Ok(Value::Integer(found.unwrap_or(-1)))
}

pub(super) fn lower_ascii<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::text(text.to_ascii_lowercase()))
}

pub(super) fn upper_ascii<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::text(text.to_ascii_uppercase()))
}

pub(super) fn trim<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::text(text.trim()))
}

pub(super) fn replace<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let (text, old, new, times) = match arguments {
        [Value::Text(text), Value::Text(old), Value::Text(new)] => (text, old, new, -1),
        [Value::Text(text), Value::Text(old), Value::Text(new), Value::Integer(times)] => (text, old, new, *times),
        _ => return Err(Failure::no_overload()),
    };
    let count = text.matches(&**old).count();
    fits(text.len().saturating_add(count.saturating_mul(new.len())))?;
    Ok(Value::text(match usize::try_from(times) {
        Ok(times) => text.replacen(&**old, new, times),
        Err(_) => text.replace(&**old, new),
    }))
}

pub(super) fn split<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let (text, separator, limit) = match arguments {
        [Value::Text(text), Value::Text(separator)] => (text, separator, -1),
        [Value::Text(text), Value::Text(separator), Value::Integer(limit)] => (text, separator, *limit),
        _ => return Err(Failure::no_overload()),
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let parts: Vec<Value<'v>> = if limit == 0 {
        Vec::new()
    } else if separator.is_empty() {
        // Each code point is a part, and the last part is the rest.
        let mut parts = Vec::new();
        let mut rest = &**text;
        while let Some(first) = rest.chars().next() {
            if parts.len() + 1 == limit {
                break;
            }
            parts.push(Value::text(&rest[..first.len_utf8()]));
            rest = &rest[first.len_utf8()..];
        }
        if !rest.is_empty() {
            parts.push(Value::text(rest));
        }
        parts
    } else {
        text.splitn(limit, &**separator).map(Value::text).collect()
    };
    Ok(Value::list(parts))
}

pub(super) fn join<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let (items, separator) = match arguments {
        [Value::List(items)] => (items, ""),
        [Value::List(items), Value::Text(separator)] => (items, &**separator),
        _ => return Err(Failure::no_overload()),
    };
    // The server looks at the type of the first item only.
    if items.get(0).is_some_and(|first| !matches!(first, Value::Text(_) | Value::Failed(_))) {
        return Err(Failure::no_overload());
    }
    let mut joined = String::new();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            joined.push_str(separator);
        }
        fits(joined.len())?;
        match item {
            Value::Text(text) => joined.push_str(&text),
            Value::Failed(failure) => return Err(Failure::clone(&failure)),
            other => return Err(Failure::new(format!("join: invalid input: {}", super::format_text::shown(&other)))),
        }
    }
    Ok(Value::text(joined))
}

pub(super) fn quote<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text)] = arguments else { return Err(Failure::no_overload()) };
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    Ok(Value::text(quoted))
}

pub(super) fn size<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let size = match arguments {
        [Value::Text(text)] => return Ok(Value::Integer(count(text))),
        [Value::Bytes(bytes)] => bytes.len(),
        [Value::List(items)] => items.len(),
        [Value::Map(entries)] => entries.len(),
        _ => return Err(Failure::no_overload()),
    };
    Ok(Value::Integer(i64::try_from(size).unwrap_or(i64::MAX)))
}

fn pattern(text: &str) -> Result<crd_regexp::Pattern, Failure> {
    crd_regexp::recognise(text).map_err(|problem| Failure::new(format!("error parsing regexp: {problem}")))
}

pub(super) fn matches<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text), Value::Text(written)] = arguments else { return Err(Failure::no_overload()) };
    searched(pattern(written)?.is_match(text))
}

/// The result of a search that may be undecided.
pub(crate) fn searched<'v>(found: Option<bool>) -> Outcome<'v> {
    found.map(Value::Boolean).ok_or_else(|| {
        Failure::undecided(
            "whether the text matches depends on Unicode tables, or the pattern is too large to be tried",
        )
    })
}

fn bytes_of(value: &[u8]) -> Value<'static> {
    Value::Bytes(Arc::from(value))
}

pub(super) fn to_bytes<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Bytes(bytes)] => Ok(Value::Bytes(bytes.clone())),
        [Value::Text(text)] => Ok(bytes_of(text.as_bytes())),
        _ => Err(Failure::no_overload()),
    }
}

pub(super) fn find<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text), Value::Text(written)] = arguments else { return Err(Failure::no_overload()) };
    let found = pattern(written)?.find(text, 0).ok_or_else(undecided_find)?;
    Ok(Value::text(found.map_or("", |(start, end)| &text[start..end])))
}

pub(super) fn find_all<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let (text, written, limit) = match arguments {
        [Value::Text(text), Value::Text(written)] => (text, written, -1),
        [Value::Text(text), Value::Text(written), Value::Integer(limit)] => (text, written, *limit),
        _ => return Err(Failure::no_overload()),
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let pattern = pattern(written)?;
    let mut found: Vec<Value<'v>> = Vec::new();
    let (mut from, mut last) = (0, None);
    while found.len() < limit && from <= text.len() {
        let Some((start, end)) = pattern.find(text, from).ok_or_else(undecided_find)? else { break };
        // An empty match directly after a match does not count.
        if start < end || last != Some(end) {
            found.push(Value::text(&text[start..end]));
        }
        last = Some(end);
        from = match text[end..].chars().next() {
            _ if end > start => end,
            Some(next) => end + next.len_utf8(),
            None => break,
        };
    }
    Ok(Value::list(found))
}

fn undecided_find() -> Failure {
    Failure::undecided("what the pattern finds depends on Unicode tables, or the pattern is too large to be tried")
}
