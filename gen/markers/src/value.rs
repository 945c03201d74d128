//! Parses the values of markers: the text after the `=`.
//!
//! Grammar (controller-gen's, with fewer restrictions): bare words, `"Go-quoted"` and `` `raw` `` strings,
//! integers, floating-point numbers, `true`, `false`, lists `a;b`, `{a,b}` and `[a,b]`, objects `{key: value, …}` with bare or
//! quoted keys, nested as deep as [`DEPTH_LIMIT`].
//!
//! Invariants: parsing consumes the whole text or reports where it stopped; an empty `{}` is an [`Value::Object`] without
//! entries, which a list accepts as an empty list.

use crd_names::{nearest, shortened};

/// How deep lists and objects may nest, so that no comment can overflow the stack.
pub const DEPTH_LIMIT: usize = 64;

/// A marker's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`, only within `+default`, where it is refused with an explanation.
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number without fraction or exponent.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// A string, quotes and escapes resolved.
    String(String),
    /// A list.
    List(Vec<Value>),
    /// An object, entries in the author's order.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// What kind of value it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Boolean(_) => "a boolean",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a number",
            Value::String(_) => "a string",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        }
    }
}

impl std::fmt::Display for Value {
    /// As it would be written, long texts cut and lists and objects only hinted at.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Null => formatter.write_str("null"),
            Value::Boolean(boolean) => boolean.fmt(formatter),
            Value::Integer(integer) => integer.fmt(formatter),
            Value::Float(float) => float.fmt(formatter),
            Value::String(text) => write!(formatter, "\"{}\"", shortened(text)),
            Value::List(items) => write!(formatter, "{{…}} with {} items", items.len()),
            Value::Object(entries) => write!(formatter, "{{…}} with {} keys", entries.len()),
        }
    }
}

/// The kind of value that a marker requires after its `=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Any text; a bare word is taken as it is.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number, not negative (lengths and counts).
    Count,
    /// A whole number.
    Integer,
    /// Any finite number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// One or more strings: `a;b` or `{a,b}`.
    TextList,
    /// One or more values of any kind.
    AnyList,
    /// A value of any kind.
    Any,
}

impl ValueKind {
    /// What it is called in the marker table.
    pub fn name(self) -> &'static str {
        match self {
            ValueKind::Text => "string",
            ValueKind::Word(_) => "word",
            ValueKind::Count => "count",
            ValueKind::Integer => "integer",
            ValueKind::Number => "number",
            ValueKind::Boolean => "boolean",
            ValueKind::TextList => "list of strings",
            ValueKind::AnyList => "list of values",
            ValueKind::Any => "value",
        }
    }

    /// What is expected, for messages.
    pub fn in_words(self) -> String {
        match self {
            ValueKind::Text => "a string".to_owned(),
            ValueKind::Word(words) => one_of(words),
            ValueKind::Count => "a whole number that is not negative".to_owned(),
            ValueKind::Integer => "a whole number".to_owned(),
            ValueKind::Number => "a number".to_owned(),
            ValueKind::Boolean => "`true` or `false`".to_owned(),
            ValueKind::TextList => "one or more strings, as `a;b`".to_owned(),
            ValueKind::AnyList => "one or more values, as `a;b`".to_owned(),
            ValueKind::Any => "a value".to_owned(),
        }
    }
}

/// The words as a choice: "`a`, `b` or `c`".
fn one_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// The message for a missing value.
const MISSING: &str = "a value is missing (the empty string is written `\"\"`)";

/// Reads the values of one marker from left to right.
#[derive(Clone, Debug)]
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// Starts at the beginning.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// What has not been read yet.
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips white space and consumes the character if it is next.
    pub fn take(&mut self, wanted: char) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Reads `key=` of a named argument.
    ///
    /// # Errors
    /// If no `=` follows a word.
    pub fn key(&mut self) -> Result<&'a str, String> {
        self.skip_space();
        let rest = self.rest();
        let end = rest.find(|next: char| !(next.is_ascii_alphanumeric() || next == '_')).unwrap_or(rest.len());
        let key = &rest[..end];
        let behind = &rest[end..];
        let sign = if behind.starts_with(":=") { 2 } else { usize::from(behind.starts_with('=')) };
        if key.is_empty() || sign == 0 {
            return Err(format!("expected `key=value`, found `{}`", shortened(rest)));
        }
        self.at += end + sign;
        Ok(key)
    }

    /// Reads a value of the wanted kind. `alone`: nothing else may follow, so a bare word may hold any character.
    ///
    /// # Errors
    /// What was expected and what was found.
    pub fn value(&mut self, kind: ValueKind, alone: bool) -> Result<Value, String> {
        self.skip_space();
        match kind {
            ValueKind::Text => self.text_value(alone).map(Value::String),
            ValueKind::Word(words) => {
                let word = self.text_value(alone)?;
                if words.contains(&word.as_str()) {
                    return Ok(Value::String(word));
                }
                Err(match nearest(&word, words.iter().copied()) {
                    Some(near) => format!("`{}` is unknown here: did you mean `{near}`?", shortened(&word)),
                    None => format!("expected {}, found `{}`", kind.in_words(), shortened(&word)),
                })
            }
            ValueKind::Count | ValueKind::Integer | ValueKind::Number | ValueKind::Boolean => {
                let start = self.rest();
                let value = self.scalar(alone)?;
                let fits = match (&value, kind) {
                    (Value::Integer(number), ValueKind::Count) => *number >= 0,
                    (Value::Integer(_), ValueKind::Integer | ValueKind::Number)
                    | (Value::Float(_), ValueKind::Number)
                    | (Value::Boolean(_), ValueKind::Boolean) => true,
                    _ => false,
                };
                if fits {
                    Ok(value)
                } else {
                    let read = start.len() - self.rest().len();
                    Err(format!("expected {}, found `{}`", kind.in_words(), shortened(&start[..read])))
                }
            }
            ValueKind::TextList => self.list(true).map(Value::List),
            ValueKind::AnyList => self.list(false).map(Value::List),
            ValueKind::Any => {
                let first = self.any(0, alone)?;
                if self.rest().trim_start().starts_with(';') {
                    let mut items = vec![first];
                    while self.take(';') {
                        items.push(self.any(0, false)?);
                    }
                    return Ok(Value::List(items));
                }
                Ok(first)
            }
        }
    }

    fn text_value(&mut self, alone: bool) -> Result<String, String> {
        self.skip_space();
        match self.peek() {
            Some('"' | '`') => self.quoted(),
            _ => match self.bare(alone) {
                "" => Err(MISSING.to_owned()),
                word => Ok(word.to_owned()),
            },
        }
    }

    /// A word without quotes: up to a separator, or the whole rest. Brackets within it close again: `.ingress[0].ip`.
    fn bare(&mut self, alone: bool) -> &'a str {
        let rest = self.rest();
        let mut depth = 0_usize;
        let mut ends = |next: char| match next {
            '[' | '{' => {
                depth += 1;
                false
            }
            ']' | '}' if depth > 0 => {
                depth -= 1;
                false
            }
            ',' | ';' | ']' | '}' => true,
            _ => false,
        };
        let end = if alone { rest.len() } else { rest.find(&mut ends).unwrap_or(rest.len()) };
        self.at += end;
        rest[..end].trim()
    }

    fn scalar(&mut self, alone: bool) -> Result<Value, String> {
        self.skip_space();
        match self.peek() {
            Some('"' | '`') => self.quoted().map(Value::String),
            _ => {
                let word = self.bare(alone);
                if word.is_empty() {
                    return Err(MISSING.to_owned());
                }
                Ok(word_value(word))
            }
        }
    }

    /// `a;b`, `{a,b}` or `[a,b]`.
    fn list(&mut self, texts: bool) -> Result<Vec<Value>, String> {
        self.skip_space();
        let close = match self.peek() {
            Some('{') => Some('}'),
            Some('[') => Some(']'),
            _ => None,
        };
        let item = |reader: &mut Self| match texts {
            true => reader.text_value(false).map(Value::String),
            false => reader.any(1, false),
        };
        let mut items = Vec::new();
        if let Some(close) = close {
            self.at += 1;
            self.until(close, |reader| item(reader).map(|item| items.push(item)))?;
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.take(';') {
                return Ok(items);
            }
        }
    }

    /// Reads items with commas between them, up to a closing bracket.
    fn until(&mut self, close: char, mut item: impl FnMut(&mut Self) -> Result<(), String>) -> Result<(), String> {
        if self.take(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.take(close) {
                return Ok(());
            }
            if !self.take(',') {
                return Err(format!("expected `,` or `{close}`, found `{}`", shortened(self.rest())));
            }
        }
    }

    fn any(&mut self, depth: usize, alone: bool) -> Result<Value, String> {
        if depth > DEPTH_LIMIT {
            return Err(format!("lists and objects nest deeper than {DEPTH_LIMIT}"));
        }
        self.skip_space();
        match self.peek() {
            Some('[') => {
                self.at += 1;
                self.items(']', depth).map(Value::List)
            }
            Some('{') => {
                self.at += 1;
                self.braces(depth)
            }
            // A bare word alone may hold a comma, but a list `a;b` still splits at the semicolon.
            _ if alone && !self.rest().contains(';') => self.scalar(true),
            _ => self.scalar(false),
        }
    }

    fn items(&mut self, close: char, depth: usize) -> Result<Vec<Value>, String> {
        let mut items = Vec::new();
        self.until(close, |reader| reader.any(depth + 1, false).map(|item| items.push(item)))?;
        Ok(items)
    }

    /// `{…}`: an object if a key and a colon come first, a list otherwise.
    fn braces(&mut self, depth: usize) -> Result<Value, String> {
        if self.take('}') {
            return Ok(Value::Object(Vec::new()));
        }
        if self.clone().object_key().is_none() {
            return self.items('}', depth).map(Value::List);
        }
        let mut entries: Vec<(String, Value)> = Vec::new();
        self.until('}', |reader| {
            let Some(key) = reader.object_key() else {
                return Err(format!("expected `key: value`, found `{}`", shortened(reader.rest())));
            };
            if entries.iter().any(|(known, _)| *known == key) {
                return Err(format!("the key `{key}` appears twice in one object"));
            }
            let value = reader.any(depth + 1, false)?;
            entries.push((key, value));
            Ok(())
        })?;
        Ok(Value::Object(entries))
    }

    fn object_key(&mut self) -> Option<String> {
        self.skip_space();
        let key = match self.peek()? {
            '"' | '`' => self.quoted().ok()?,
            _ => {
                let rest = self.rest();
                let end = rest.find([':', ',', ';', '{', '}', '[', ']', '"', '`']).unwrap_or(rest.len());
                self.at += end;
                let key = rest[..end].trim();
                if key.is_empty() {
                    return None;
                }
                key.to_owned()
            }
        };
        self.take(':').then_some(key)
    }

    /// A Go-quoted or raw string.
    fn quoted(&mut self) -> Result<String, String> {
        let rest = self.rest();
        if let Some(inner) = rest.strip_prefix('`') {
            let Some(end) = inner.find('`') else {
                return Err("this backtick string is never closed".to_owned());
            };
            self.at += end + 2;
            return Ok(inner[..end].to_owned());
        }
        let mut result = String::new();
        let mut characters = rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += at + 1;
                    return Ok(result);
                }
                '\\' => {
                    let Some((_, escape)) = characters.next() else { break };
                    let digits = match escape {
                        'x' => 2,
                        'u' => 4,
                        'U' => 8,
                        _ => 0,
                    };
                    if digits > 0 {
                        let code: String = characters.by_ref().take(digits).map(|(_, digit)| digit).collect();
                        let decoded = (code.len() == digits)
                            .then(|| u32::from_str_radix(&code, 16).ok())
                            .flatten()
                            .and_then(char::from_u32);
                        let Some(decoded) = decoded else {
                            return Err(format!("`\\{escape}{code}` is not a character"));
                        };
                        result.push(decoded);
                        continue;
                    }
                    result.push(match escape {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        'a' => '\u{7}',
                        'b' => '\u{8}',
                        'f' => '\u{c}',
                        'v' => '\u{b}',
                        '\\' | '"' => escape,
                        other => {
                            return Err(format!(
                                "`\\{other}` is not an escape of a quoted string: write `\\\\{other}`, or put the string in backticks"
                            ));
                        }
                    });
                }
                other => result.push(other),
            }
        }
        Err("this quoted string is never closed: only a string in backticks may run over several lines".to_owned())
    }
}

/// The value of a bare word where any value is allowed.
fn word_value(word: &str) -> Value {
    match word {
        "true" => return Value::Boolean(true),
        "false" => return Value::Boolean(false),
        "null" => return Value::Null,
        _ => {}
    }
    let digits = word.strip_prefix('-').unwrap_or(word);
    // Go reads a number that begins with zero as octal, which has neither digit.
    let is_not_octal = digits.len() > 1 && digits.starts_with('0') && digits.contains(['8', '9']);
    if is_not_octal && digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Value::String(word.to_owned());
    }
    if digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.chars().all(|next| next.is_ascii_digit() || matches!(next, '.' | 'e' | 'E' | '+' | '-'))
    {
        if let Ok(integer) = word.parse() {
            return Value::Integer(integer);
        }
        if let Ok(float) = word.parse::<f64>()
            && float.is_finite()
        {
            return Value::Float(float);
        }
    }
    Value::String(word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any(text: &str) -> Result<Value, String> {
        let mut scanner = Scanner::new(text);
        let value = scanner.value(ValueKind::Any, true)?;
        if scanner.rest().trim().is_empty() { Ok(value) } else { Err(format!("left: {}", scanner.rest())) }
    }

    fn text(value: &str) -> Value {
        Value::String(value.to_owned())
    }

    #[test]
    fn scalars() {
        assert_eq!(any("ClusterIP"), Ok(text("ClusterIP")));
        assert_eq!(any("gateway.networking.k8s.io"), Ok(text("gateway.networking.k8s.io")));
        assert_eq!(any("10s"), Ok(text("10s")));
        assert_eq!(any("\"quoted, \\\"text\\\"\\t\\u00e9\""), Ok(text("quoted, \"text\"\té")));
        assert_eq!(any("`raw \\d \"x\"`"), Ok(text("raw \\d \"x\"")));
        assert_eq!(any("\"\""), Ok(text("")));
        assert_eq!(any("-3"), Ok(Value::Integer(-3)));
        assert_eq!(any("010"), Ok(Value::Integer(10)));
        for word in ["087", "-09", "087bdd", "100Mi", "2024-01-15", "123/config", "10:20"] {
            assert_eq!(any(word), Ok(text(word)));
        }
        assert_eq!(any("1.5"), Ok(Value::Float(1.5)));
        assert_eq!(any("1e3"), Ok(Value::Float(1000.0)));
        assert_eq!(any("true"), Ok(Value::Boolean(true)));
        assert_eq!(any("\"true\""), Ok(text("true")));
        assert_eq!(any("99999999999999999999"), Ok(Value::Float(99999999999999999999.0)));
    }

    #[test]
    fn lists_and_objects() {
        let pair = Value::List(vec![Value::Integer(80), Value::Integer(443)]);
        assert_eq!(any("{80,443}"), Ok(pair.clone()));
        assert_eq!(any("[80, 443]"), Ok(pair.clone()));
        assert_eq!(any("80;443"), Ok(pair));
        assert_eq!(any("{}"), Ok(Value::Object(vec![])));
        assert_eq!(any("[]"), Ok(Value::List(vec![])));
        assert_eq!(any("{\"*\"}"), Ok(Value::List(vec![text("*")])));
        assert_eq!(
            any("{{name: \"a\", port: 80},{\"name\":b}}"),
            Ok(Value::List(vec![
                Value::Object(vec![("name".into(), text("a")), ("port".into(), Value::Integer(80))]),
                Value::Object(vec![("name".into(), text("b"))]),
            ]))
        );
        assert_eq!(
            any("{matches: {{path: {type: \"PathPrefix\", value: \"/\"}}}}"),
            Ok(Value::Object(vec![(
                "matches".into(),
                Value::List(vec![Value::Object(vec![(
                    "path".into(),
                    Value::Object(vec![("type".into(), text("PathPrefix")), ("value".into(), text("/"))])
                )])])
            )]))
        );
        let mut scanner = Scanner::new("\"\";\"with space\";x;*");
        assert_eq!(
            scanner.value(ValueKind::AnyList, true),
            Ok(Value::List(vec![text(""), text("with space"), text("x"), text("*")]))
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (input, part) in [
            ("{a: 1", "expected `,` or `}`"),
            ("{a: 1, a: 2}", "twice"),
            ("\"open", "never closed"),
            ("`open", "never closed"),
            ("\"\\d\"", "not an escape"),
            ("\"\\u12\"", "not a character"),
            ("", "missing"),
            ("{1,}", "missing"),
        ] {
            let message = any(input).unwrap_err();
            assert!(message.contains(part), "{input}: {message}");
        }
        let deep = "{".repeat(200);
        assert!(any(&deep).unwrap_err().contains("nest deeper"));
        let count = Scanner::new("-1").value(ValueKind::Count, true).unwrap_err();
        assert!(count.contains("not negative"), "{count}");
    }
}
