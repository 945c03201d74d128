//! Paths in objects and in schemas, as messages, reports and files write them: `spec.rules[*].name`, `spec.map["a key"][0]`.
//!
//! Invariants: this module has the only parser and the only writer of paths; a field begins with a dot, except the first one; a name with
//! characters of paths is a JSON string in brackets; a path that is written is parsed as the same parts. `[*]` is every item of a list or
//! every value of a map; where a path is resolved without its schema, `{*}` is every value of a map. Servers write paths in other ways:
//! see `crd_apiserver`.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

/// One step from a value to a value in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// To the field or key of this name.
    Field(String),
    /// To the item of a list, counted from 0.
    Item(usize),
}

impl Step {
    /// Whether it is written without quotes.
    pub fn is_plain(&self) -> bool {
        match self {
            Self::Field(name) => is_plain_name(name),
            Self::Item(_) => true,
        }
    }
}

/// The value at the end of these steps, from the value where they begin.
pub fn value_at<'v>(value: &'v Value, steps: &[Step]) -> Option<&'v Value> {
    steps.iter().try_fold(value, |value, step| match step {
        Step::Field(name) => value.get(name),
        Step::Item(index) => value.get(index),
    })
}

/// The value at the end of these steps, to be changed.
pub fn value_at_mut<'v>(value: &'v mut Value, steps: &[Step]) -> Option<&'v mut Value> {
    steps.iter().try_fold(value, |value, step| match step {
        Step::Field(name) => value.get_mut(name),
        Step::Item(index) => value.get_mut(index),
    })
}

/// A part of the text of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'p> {
    /// The name of a field or key.
    Name(Cow<'p, str>),
    /// What is in brackets, with them: `[0]`, `[*]`, `{*}`.
    Sign(Cow<'p, str>),
}

impl<'p> From<&'p Step> for Part<'p> {
    fn from(step: &'p Step) -> Self {
        match step {
            Step::Field(name) => Self::Name(Cow::Borrowed(name)),
            Step::Item(index) => Self::Sign(Cow::Owned(format!("[{index}]"))),
        }
    }
}

/// Why a text is not a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathErrorKind {
    /// A name is missing: the path is empty, or a dot is followed by none.
    Name,
    /// `["` does not begin a JSON string that ends in `"]`.
    Quotes,
    /// Something else than `.`, `[` or `{` follows a part, or a bracket is not closed.
    Part,
}

/// Where a text stops being a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathError {
    /// The byte where the part starts that is wrong.
    pub at: usize,
    pub kind: PathErrorKind,
}

/// The parts of a path, each with the byte where it starts. Ends after the first error.
#[derive(Clone, Debug)]
pub struct Parts<'p> {
    text: &'p str,
    at: usize,
}

/// The parts of a path. A text without parts is an error, since a path leads somewhere.
pub fn parts(text: &str) -> Parts<'_> {
    Parts { text, at: 0 }
}

impl<'p> Parts<'p> {
    /// The text that is not parsed yet.
    pub fn rest(&self) -> &'p str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The part at the beginning of a text, and the text after it.
    fn first(&self, rest: &'p str) -> Result<(Part<'p>, &'p str), PathErrorKind> {
        if rest.starts_with("[\"") {
            let mut names = serde_json::Deserializer::from_str(&rest[1..]).into_iter::<String>();
            let name = names.next().and_then(Result::ok).ok_or(PathErrorKind::Quotes)?;
            let after = rest.get(1 + names.byte_offset()..).and_then(|after| after.strip_prefix(']'));
            return Ok((Part::Name(Cow::Owned(name)), after.ok_or(PathErrorKind::Quotes)?));
        }
        let closing = [('[', ']'), ('{', '}')].into_iter().find(|(opening, _)| rest.starts_with(*opening));
        if let Some((_, closing)) = closing {
            let (sign, after) = rest.split_at(rest.find(closing).ok_or(PathErrorKind::Part)? + 1);
            return Ok((Part::Sign(Cow::Borrowed(sign)), after));
        }
        let name = if self.at == 0 { Some(rest) } else { rest.strip_prefix('.') };
        let name = name.ok_or(PathErrorKind::Part)?;
        let (name, after) = name.split_at(name.find(ends_name).unwrap_or(name.len()));
        if name.is_empty() {
            return Err(PathErrorKind::Name);
        }
        Ok((Part::Name(Cow::Borrowed(name)), after))
    }
}

impl<'p> Iterator for Parts<'p> {
    type Item = Result<(usize, Part<'p>), PathError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (at, rest) = (self.at, self.text.get(self.at..)?);
        if rest.is_empty() && at > 0 {
            return None;
        }
        match self.first(rest) {
            Ok((part, after)) => {
                self.at = self.text.len() - after.len();
                Some(Ok((at, part)))
            }
            Err(kind) => {
                self.at = usize::MAX;
                Some(Err(PathError { at, kind }))
            }
        }
    }
}

/// The path of these parts; empty without parts.
pub fn text<'p>(parts: impl IntoIterator<Item = impl Into<Part<'p>>>) -> String {
    let mut text = String::new();
    parts.into_iter().for_each(|part| push(&mut text, &part.into()));
    text
}

/// Adds a part to the text of a path.
pub fn push(path: &mut String, part: &Part<'_>) {
    match part {
        Part::Name(name) => push_field(path, name),
        Part::Sign(sign) => path.push_str(sign),
    }
}

/// The steps of a path in an object.
///
/// # Errors
/// What is wrong with it.
pub fn steps(path: &str) -> Result<Vec<Step>, String> {
    let error = |at: usize| {
        let rest = path.get(at..).unwrap_or_default();
        format!("`{rest}` is not a part of a path such as `spec.rules[0].name` or `[\"a key\"]`")
    };
    let step = |part| match part {
        Ok((_, Part::Name(name))) => Ok(Step::Field(name.into_owned())),
        Ok((at, Part::Sign(sign))) => {
            let index = sign.strip_prefix('[').and_then(|sign| sign.strip_suffix(']')?.parse().ok());
            index.map(Step::Item).ok_or_else(|| error(at))
        }
        Err(PathError { at, .. }) => Err(error(at)),
    };
    parts(path).map(step).collect()
}

/// The path of a field of the node or value at this path.
pub fn field(path: &str, name: &str) -> String {
    let mut path = path.to_owned();
    push_field(&mut path, name);
    path
}

/// Whether a path of an accepted finding is about this one. A path that ends in `*` is about every path with this beginning.
pub fn covers(accepted: &str, path: &str) -> bool {
    match accepted.strip_suffix('*') {
        // `[*]` is a step of a path, not the end of a prefix.
        Some(prefix) if !accepted.ends_with("[*]") => path.starts_with(prefix),
        _ => path == accepted,
    }
}

fn push_field(path: &mut String, name: &str) {
    if !is_plain_name(name) {
        path.push('[');
        // A `Value` of a string is always written as a JSON string.
        for character in Value::from(name).to_string().chars() {
            let is_hidden = !character.is_ascii() && character.escape_debug().len() > 1;
            let _ = match is_hidden {
                true => character.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(path, "\\u{unit:04x}")),
                false => path.write_char(character),
            };
        }
        path.push(']');
        return;
    }
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// Whether a name is written in a path without quotes.
fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '-' | '$'))
}

/// Whether a character cannot be in a name without quotes. More names are parsed than are written without quotes.
fn ends_name(character: char) -> bool {
    character.is_whitespace() || character.is_control() || r#".[]{}"'`\"#.contains(character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::schema;

    /// Names as they are found, and with the characters that paths are made of.
    fn name() -> impl Strategy<Value = String> {
        prop_oneof!["[a-z][a-zA-Z]{0,5}", r#"[a\.\[\]{}"'`\\ *$é\x00\u{200b}\u{1f980}-]{0,4}"#]
    }

    proptest! {
        #[test]
        fn a_path_that_is_written_is_parsed_as_the_same_steps(
            path in prop::collection::vec(prop_oneof![name().prop_map(Step::Field), (0..20_usize).prop_map(Step::Item)], 1..6),
        ) {
            prop_assert_eq!(steps(&text(&path)), Ok(path));
        }

        /// JSON pointers of `serde_json` find the same value.
        #[test]
        fn the_value_at_a_path_is_that_at_its_pointer(names in prop::collection::vec(name(), 1..4)) {
            let value = names.iter().rev().fold(serde_json::json!([1, "last"]), |inner, name| serde_json::json!([{ name: inner }]));
            let mut path = Vec::new();
            let mut pointer = String::new();
            for name in &names {
                path.extend([Step::Item(0), Step::Field(name.clone())]);
                pointer.push_str(&format!("/0/{}", name.replace('~', "~0").replace('/', "~1")));
            }
            path.push(Step::Item(1));
            prop_assert_eq!(value_at(&value, &path), value.pointer(&(pointer + "/1")));
        }
    }

    #[test]
    fn a_text_that_is_not_a_path_is_refused_where_it_goes_wrong() {
        for (text, at, kind) in [
            ("", 0, PathErrorKind::Name),
            ("a..b", 1, PathErrorKind::Name),
            ("a.", 1, PathErrorKind::Name),
            ("a[0", 1, PathErrorKind::Part),
            ("a]", 1, PathErrorKind::Part),
            ("a[\"b]", 1, PathErrorKind::Quotes),
            ("a[\"b\"", 1, PathErrorKind::Quotes),
            (" a", 0, PathErrorKind::Name),
        ] {
            assert_eq!(parts(text).last(), Some(Err(PathError { at, kind })), "{text:?}");
        }
        assert!(steps("a[*]").is_err() && steps("a[-1]").is_err() && steps("a{0}").is_err());
    }

    #[test]
    fn a_schema_path_is_written_as_findings_have_it() {
        let steps = [schema::Step::Field("spec"), schema::Step::Item, schema::Step::Field("a.b"), schema::Step::Value];
        assert_eq!(text(&steps), "spec[*][\"a.b\"][*]");
        assert_eq!(schema::Step::Field("x").path_from(""), "x");
    }
}
