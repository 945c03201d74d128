//! Whether patterns match, as the API server's own engine of regular expressions answers.

use std::cell::RefCell;
use std::collections::HashMap;

use crd_regexp::{Matcher, recognise};

/// The patterns that were asked for so far. Cheap to make; worth keeping for as long as the same schemas are looked at.
#[derive(Debug, Default)]
pub struct Patterns {
    known: RefCell<HashMap<String, Option<Matcher>>>,
}

impl Patterns {
    /// Whether the pattern (an RE2 expression) matches somewhere in the text; `None` where that cannot be decided.
    pub fn matches(&self, pattern: &str, text: &str) -> Option<bool> {
        if let Some(matcher) = self.known.borrow().get(pattern) {
            return matcher.as_ref()?.is_match(text);
        }
        let matcher = recognise(pattern).ok().and_then(|pattern| pattern.matcher());
        let verdict = matcher.as_ref().and_then(|matcher| matcher.is_match(text));
        self.known.borrow_mut().insert(pattern.to_owned(), matcher);
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::Patterns;

    #[test]
    fn answers_stay_the_same_when_asked_again() {
        let patterns = Patterns::default();
        for _ in 0..2 {
            assert_eq!(patterns.matches("^b", "abc"), Some(false));
            assert_eq!(patterns.matches("b", "abc"), Some(true));
            assert_eq!(patterns.matches(r"^\pL$", "a"), Some(true));
            assert_eq!(patterns.matches(r"^\pL$", "é"), None, "only a Unicode table decides it");
            assert_eq!(patterns.matches("(", "("), None, "no pattern at all");
        }
        assert_eq!(patterns.known.borrow().len(), 4);
    }
}
