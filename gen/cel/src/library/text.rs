//! Functions of strings and bytes. Positions and sizes of strings count code points.

use super::{format_text, lists};
use crate::cost::Cost;
use crate::failure::{Failure, quoted_by};
use crate::functions::{Function, function, method};
use crate::shapes::{ANY, BOOLEAN, BYTES, DYNAMICS, INTEGER, LIST, MAP, Shape, TEXT, TEXTS};
use crate::value::Value::{self, Boolean, Integer, List, Text};
use crate::value::{self, Outcome};
use crd_regexp::Undecided;

const SIZED: &[&[Shape]] = &[&[BYTES], &[LIST], &[MAP], &[TEXT]];
const SEARCHED: &[&[Shape]] = &[&[LIST, ANY], &[TEXT, TEXT], &[TEXT, TEXT, INTEGER]];

#[rustfmt::skip]
pub(super) const FUNCTIONS: &[Function] = &[
    method("charAt", &[&[TEXT, INTEGER]], TEXT, run!(Text(text), Integer(at) => char_at(text, *at)?)),
    method("contains", &[&[TEXT, TEXT]], BOOLEAN, run!(Text(text), Text(part) => text.contains(&**part))).costs(Cost::Contains),
    method("endsWith", &[&[TEXT, TEXT]], BOOLEAN, run!(Text(text), Text(part) => text.ends_with(&**part))).costs(Cost::Scan(1)),
    method("find", &[&[TEXT, TEXT]], TEXT, run!(Text(text), Text(written) => find(text, written)?)).costs(Cost::Pattern),
    method("findAll", &[&[TEXT, TEXT], &[TEXT, TEXT, INTEGER]], TEXTS, find_all).costs(Cost::Pattern),
    method("format", &[&[TEXT, DYNAMICS]], TEXT, run!(Text(text), List(values) => format_text::format(text, values)?)).costs(Cost::Scan(0)),
    method("indexOf", SEARCHED, INTEGER, index_of).costs(Cost::Traversal),
    method("join", &[&[TEXTS], &[TEXTS, TEXT]], TEXT, join).costs(Cost::ResultTwice),
    method("lastIndexOf", SEARCHED, INTEGER, last_index_of).costs(Cost::Traversal),
    method("lowerAscii", &[&[TEXT]], TEXT, run!(Text(text) => text.to_ascii_lowercase())).costs(Cost::Scan(0)),
    function("matches", &[&[TEXT, TEXT]], BOOLEAN, matches).costs(Cost::Pattern),
    method("matches", &[&[TEXT, TEXT]], BOOLEAN, matches).costs(Cost::Pattern),
    method("replace", &[&[TEXT, TEXT, TEXT], &[TEXT, TEXT, TEXT, INTEGER]], TEXT, replace).costs(Cost::ScanTwice),
    function("size", SIZED, INTEGER, size),
    method("size", SIZED, INTEGER, size),
    method("split", &[&[TEXT, TEXT], &[TEXT, TEXT, INTEGER]], TEXTS, split).costs(Cost::ScanTwice),
    method("startsWith", &[&[TEXT, TEXT]], BOOLEAN, run!(Text(text), Text(part) => text.starts_with(&**part))).costs(Cost::Scan(1)),
    function("strings.quote", &[&[TEXT]], TEXT, run!(Text(text) => quoted_by(text, |character, quoted| quoted.push(character)))).costs(Cost::Scan(0)),
    method("substring", &[&[TEXT, INTEGER], &[TEXT, INTEGER, INTEGER]], TEXT, substring).costs(Cost::Scan(0)),
    method("trim", &[&[TEXT]], TEXT, run!(Text(text) => Value::text(text.trim()))).costs(Cost::Scan(0)),
    method("upperAscii", &[&[TEXT]], TEXT, run!(Text(text) => text.to_ascii_uppercase())).costs(Cost::Scan(0)),
];

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

fn char_at<'v>(text: &str, at: i64) -> Outcome<'v> {
    let rest = &text[offset(text, at)?..];
    let end = rest.chars().next().map_or(0, char::len_utf8);
    Ok(Value::text(&rest[..end]))
}

fn substring<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
    let (text, start, end) = match arguments {
        [Text(text), Integer(start)] => (text, *start, None),
        [Text(text), Integer(start), Integer(end)] => (text, *start, Some(*end)),
        _ => return Err(Failure::no_overload()),
    };
    if let Some(end) = end.filter(|end| start > *end) {
        return Err(Failure::new(format!("invalid substring range. start: {start}, end: {end}")));
    }
    let from = offset(text, start)?;
    let to = end.map_or(Ok(text.len()), |end| offset(text, end))?;
    Ok(match text {
        value::Text::Borrowed(text) => Text(value::Text::Borrowed(&text[from..to])),
        value::Text::Shared(text) => Value::text(&text[from..to]),
    })
}

/// Servers before 1.37 find an empty text at every position that a rule asks for.
fn index_of<'v>(arguments: &[Value<'v>], minor: u32) -> Outcome<'v> {
    let (text, part, from) = match arguments {
        [List(list), wanted] => return Ok(lists::index_of(list, wanted)),
        [Text(text), Text(part)] => (text, part, 0),
        [Text(text), Text(part), Integer(from)] => (text, part, *from),
        _ => return Err(Failure::no_overload()),
    };
    if part.is_empty() && minor < 37 {
        return Ok(Integer(from));
    }
    if from < 0 {
        return Err(out_of_range(from));
    }
    if part.is_empty() {
        return Ok(Integer(from.min(count(text))));
    }
    let found = offset(text, from).ok().and_then(|start| Some(start + text[start..].find(&**part)?));
    Ok(Integer(found.map_or(-1, |at| count(&text[..at]))))
}

/// Servers before 1.37 find an empty text at every position that a rule asks for, and those before 1.34 find nothing in an empty text.
fn last_index_of<'v>(arguments: &[Value<'v>], minor: u32) -> Outcome<'v> {
    let (text, part, last) = match arguments {
        [List(list), wanted] => return Ok(lists::last_index_of(list, wanted)),
        [Text(text), Text(part)] => (text, part, None),
        [Text(text), Text(part), Integer(last)] => (text, part, Some(*last)),
        _ => return Err(Failure::no_overload()),
    };
    let length = count(text);
    match last {
        Some(last) if part.is_empty() && minor < 37 => return Ok(Integer(last)),
        None if text.is_empty() && !part.is_empty() && minor < 34 => return Err(out_of_range(-1)),
        Some(last) if last < 0 => return Err(out_of_range(last)),
        _ => {}
    }
    if part.is_empty() {
        return Ok(Integer(last.map_or(length, |last| last.min(length))));
    }
    if last.is_some_and(|last| last >= length) {
        return Ok(Integer(-1));
    }
    let end = match last {
        Some(last) => (offset(text, last)? + part.len()).min(text.len()),
        None => text.len(),
    };
    let end = (end..=text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
    let limit = last.unwrap_or(length);
    // The end may be inside a match that begins after `last`.
    let found = text[..end].rmatch_indices(&**part).map(|(at, _)| count(&text[..at])).find(|at| *at <= limit);
    Ok(Integer(found.unwrap_or(-1)))
}

fn replace<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
    let (text, old, new, times) = match arguments {
        [Text(text), Text(old), Text(new)] => (text, old, new, -1),
        [Text(text), Text(old), Text(new), Integer(times)] => (text, old, new, *times),
        _ => return Err(Failure::no_overload()),
    };
    let count = text.matches(&**old).count();
    fits(text.len().saturating_add(count.saturating_mul(new.len())))?;
    Ok(Value::text(match usize::try_from(times) {
        Ok(times) => text.replacen(&**old, new, times),
        Err(_) => text.replace(&**old, new),
    }))
}

fn split<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
    let (text, separator, limit) = match arguments {
        [Text(text), Text(separator)] => (text, separator, -1),
        [Text(text), Text(separator), Integer(limit)] => (text, separator, *limit),
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

fn join<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
    let (items, separator) = match arguments {
        [List(items)] => (items, ""),
        [List(items), Text(separator)] => (items, &**separator),
        _ => return Err(Failure::no_overload()),
    };
    // The server looks at the type of the first item only.
    if items.get(0).is_some_and(|first| !matches!(first, Text(_) | Value::Failed(_))) {
        return Err(Failure::no_overload());
    }
    let mut joined = String::new();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            joined.push_str(separator);
        }
        fits(joined.len())?;
        match item {
            Text(text) => joined.push_str(&text),
            Value::Failed(failure) => return Err(Failure::clone(&failure)),
            other => return Err(Failure::new(format!("join: invalid input: {}", crate::value::shown::shown(&other)))),
        }
    }
    Ok(Value::text(joined))
}

fn size<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
    let size = match arguments {
        [Text(text)] => return Ok(Integer(count(text))),
        [Value::Bytes(bytes)] => bytes.len(),
        [List(items)] => items.len(),
        [Value::Map(entries)] => entries.len(),
        _ => return Err(Failure::no_overload()),
    };
    Ok(Integer(i64::try_from(size).unwrap_or(i64::MAX)))
}

fn pattern(text: &str) -> Result<crd_regexp::Pattern, Failure> {
    crd_regexp::recognise(text).map_err(|problem| Failure::new(format!("error parsing regexp: {problem}")))
}

fn matches<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
    let [Text(text), Text(written)] = arguments else { return Err(Failure::no_overload()) };
    searched(pattern(written)?.is_match(text))
}

/// The result of a search that may be undecided.
pub(crate) fn searched<'v>(found: Option<bool>) -> Outcome<'v> {
    found.map(Boolean).ok_or_else(|| {
        Failure::undecided(
            "whether the text matches depends on Unicode tables, or the pattern is too large to be tried",
        )
    })
}

fn find<'v>(text: &str, written: &str) -> Outcome<'v> {
    let found = pattern(written)?.find(text, 0).map_err(undecided_find)?;
    Ok(Value::text(found.map_or("", |(start, end)| &text[start..end])))
}

fn find_all<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
    let (text, written, limit) = match arguments {
        [Text(text), Text(written)] => (text, written, -1),
        [Text(text), Text(written), Integer(limit)] => (text, written, *limit),
        _ => return Err(Failure::no_overload()),
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let pattern = pattern(written)?;
    let mut found: Vec<Value<'v>> = Vec::new();
    let (mut from, mut last) = (0, None);
    while found.len() < limit && from <= text.len() {
        let Some((start, end)) = pattern.find(text, from).map_err(undecided_find)? else { break };
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

fn undecided_find(_: Undecided) -> Failure {
    Failure::undecided("what the pattern finds depends on Unicode tables, or the pattern is too large to be tried")
}
