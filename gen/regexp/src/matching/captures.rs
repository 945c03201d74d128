//! What the named groups of a pattern match, as Go's `FindStringSubmatch` returns it.
//!
//! Invariants: those of matching. A group within a repetition has the text of its last round. Groups of one name are one group.

use super::{Matcher, Writer, write};
use crate::Pattern;
use crate::Undecided;

impl Pattern {
    /// The pattern made ready for [`Capturer::captures`]; `None` if it is too large to be tried.
    #[must_use]
    pub fn capturer(&self) -> Option<Capturer> {
        let writer = write(&self.root, Writer { groups: Some(Vec::new()), ..Writer::default() })?;
        let Writer { program, sets, groups, .. } = writer;
        Some(Capturer { matcher: Matcher { program, sets }, groups: groups.unwrap_or_default() })
    }
}

/// A pattern with named groups, made ready for searching.
#[derive(Clone, Debug)]
pub struct Capturer {
    matcher: Matcher,
    groups: Vec<String>,
}

impl Capturer {
    /// The names of the groups, in the order of the pattern, each once.
    #[must_use]
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// What each group of [`Self::groups`] covers in the first match, if there is one; `None` for a group that took no part in it.
    ///
    /// # Errors
    ///
    /// A character matters for which only a Unicode table shows whether it is in a set.
    pub fn captures<'t>(&self, text: &'t str) -> Result<Option<Vec<Option<&'t str>>>, Undecided> {
        let begin = |_| vec![None; 2 * self.groups.len()];
        let note = |noted: &mut Vec<Option<usize>>, slot: usize, position| {
            if let Some(slot) = noted.get_mut(slot) {
                *slot = Some(position);
            }
        };
        let found = self.matcher.first(text, 0, begin, note)?;
        let texts = |noted: Vec<Option<usize>>| {
            let pairs = noted.chunks_exact(2).map(|pair| text.get(pair.first().copied()??..pair.last().copied()??));
            pairs.collect()
        };
        Ok(found.map(|(noted, _)| texts(noted)))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Undecided, recognise};

    #[test]
    fn groups_have_the_texts_of_the_preferred_match_as_in_go() {
        type Row = (&'static str, &'static str, Option<&'static [Option<&'static str>]>);
        let table: [Row; 9] = [
            ("^(?P<a>[^:]+):(?P<b>[0-9]+)$", "host:80", Some(&[Some("host"), Some("80")])),
            ("^(?P<a>[^:]+):(?P<b>[0-9]+)$", "host:", None),
            ("(?P<a>x*)(?P<b>x*)", "xx", Some(&[Some("xx"), Some("")])),
            ("(?P<a>x*?)(?P<b>x*)", "xx", Some(&[Some(""), Some("xx")])),
            ("(?P<a>x)|(?P<b>y)", "zy", Some(&[None, Some("y")])),
            ("(?:(?P<a>[a-z]),?)+", "k,l,m", Some(&[Some("m")])),
            ("(x)(?P<a>.)", "éxé", Some(&[Some("é")])),
            ("^(?P<a>(?P<b>.)x)?", "ax", Some(&[Some("ax"), Some("a")])),
            ("x", "x", Some(&[])),
        ];
        for (pattern, text, expected) in table {
            let capturer = recognise(pattern).unwrap().capturer().unwrap();
            assert_eq!(capturer.captures(text).unwrap().as_deref(), expected, "{pattern} in {text}");
        }
        assert_eq!(recognise("(?P<a>\\pL)").unwrap().capturer().unwrap().captures("é"), Err(Undecided));
    }

    #[test]
    fn groups_of_one_name_are_one_group() {
        let capturer = recognise("(?P<b>x)(?P<a>y)|(?P<b>z)").unwrap().capturer().unwrap();
        assert_eq!(capturer.groups(), ["b", "a"]);
        assert_eq!(capturer.captures("z"), Ok(Some(vec![Some("z"), None])));
    }
}
