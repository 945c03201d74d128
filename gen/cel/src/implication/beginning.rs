//! The beginning of a text: what `find` returns for a pattern such as `^([^/]+)`, which is the longest one of these characters.
//!
//! Invariant: a function of the beginning is true for exactly the texts that the pattern here matches. `find` returns an empty text where
//! nothing matches.

use crd_regexp::inclusion::NOTHING;
use crd_regexp::recognise;

use super::theory::escaped;

/// A class of characters.
pub(super) struct Class {
    /// What is between the brackets, without `^`.
    members: String,
    is_negated: bool,
}

impl Class {
    /// The class of which a pattern finds the longest beginning.
    pub(super) fn of_beginning(pattern: &str) -> Option<Self> {
        let repeated = pattern.strip_prefix('^')?;
        let repeated = repeated.strip_prefix('(').and_then(|group| group.strip_suffix(')')).unwrap_or(repeated);
        let class = repeated.strip_suffix(['+', '*'])?.strip_prefix('[')?.strip_suffix(']')?;
        let (is_negated, members) = match class.strip_prefix('^') {
            Some(members) => (true, members),
            None => (false, class),
        };
        let is_plain = !members.is_empty() && !members.contains(['[', ']', '\\', '^']);
        is_plain.then(|| Self { members: members.to_owned(), is_negated })
    }

    fn written(&self, is_negated: bool) -> String {
        format!("[{}{}]", if is_negated { "^" } else { "" }, self.members)
    }

    /// The pattern of the texts for whose beginning a function of texts is true.
    pub(super) fn pattern_of(&self, function: &str, text: &str) -> Option<String> {
        let (class, other) = (self.written(self.is_negated), self.written(!self.is_negated));
        let is_possible = recognise(&format!("^{class}*$")).ok()?.is_match(text)?;
        Some(match function {
            _ if !is_possible && function != "matches" => NOTHING.to_owned(),
            "startsWith" => format!("^{}", escaped(text)),
            "endsWith" => format!("^{class}*{}(?:{other}|$)", escaped(text)),
            "contains" => format!("^{class}*{}", escaped(text)),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `find` returns, by another way: the characters one by one.
    fn beginning(text: &str) -> &str {
        text.split('/').next().unwrap_or_default()
    }

    #[test]
    fn a_function_of_the_beginning_is_a_pattern_of_the_text() {
        let class = Class::of_beginning("^([^/]+)").expect("a class");
        let texts = ["", "a", "/a", "a/b", "ab/", "ba", "xab/ab", "ab\nab/b", "b/ab"];
        for text in texts {
            for part in ["", "a", "ab", "a/b", "b"] {
                let answers = [
                    ("startsWith", beginning(text).starts_with(part)),
                    ("endsWith", beginning(text).ends_with(part)),
                    ("contains", beginning(text).contains(part)),
                ];
                for (function, expected) in answers {
                    let pattern = class.pattern_of(function, part).expect("a pattern");
                    let found = recognise(&pattern).expect(&pattern).is_match(text);
                    assert_eq!(found, Some(expected), "{text:?} {function} {part:?} by {pattern}");
                }
            }
        }
        assert!(Class::of_beginning("^[^/]+").is_some() && Class::of_beginning("^[a-z]*").is_some());
        for other in ["([^/]+)", "^[^/]", "^[^\\w]+", "^a+", "^[^/]+$", "^([^/]+)/"] {
            assert!(Class::of_beginning(other).is_none(), "{other}");
        }
    }
}
