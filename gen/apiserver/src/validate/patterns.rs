//! Whether patterns match, as the API server's own engine of regular expressions answers.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crd_regexp::{Matcher, recognise};

/// A cache of compiled patterns. Keep it while values of the same schemas are validated.
#[derive(Debug)]
pub struct Patterns {
    compiled: RefCell<HashMap<String, Compiled>>,
    /// The steps that are left for searches, and for the instructions of patterns.
    left: Cell<u64>,
}

impl Default for Patterns {
    fn default() -> Self {
        Self::within(u64::MAX)
    }
}

/// One pattern.
#[derive(Debug)]
struct Compiled {
    /// `None`: the pattern is not valid or too large to be tried.
    matcher: Option<Matcher>,
    /// The answers for some texts. Defaults ask for few texts, several times each.
    results: HashMap<String, Option<bool>>,
}

/// How many answers of a pattern are kept.
const RESULTS: usize = 32;

impl Patterns {
    /// Patterns that take so many steps together. What needs more is not decided.
    pub fn within(steps: u64) -> Self {
        Self { compiled: RefCell::default(), left: Cell::new(steps) }
    }

    /// Whether the pattern (an RE2 expression) matches somewhere in the text; `None` where that cannot be decided.
    pub fn matches(&self, pattern: &str, text: &str) -> Option<bool> {
        let mut compiled = self.compiled.borrow_mut();
        let mut left = self.left.get();
        if !compiled.contains_key(pattern) {
            let matcher = recognise(pattern).ok().and_then(|pattern| pattern.matcher()).filter(|matcher| {
                // An instruction takes more memory than a step takes time.
                left = left.saturating_sub(50 * matcher.size() as u64);
                left > 0
            });
            compiled.insert(pattern.to_owned(), Compiled { matcher, results: HashMap::new() });
        }
        let Compiled { matcher, results } = compiled.get_mut(pattern)?;
        if let Some(result) = results.get(text) {
            return *result;
        }
        let result = matcher.as_ref().and_then(|matcher| matcher.is_match_within(text, &mut left));
        self.left.set(left);
        if results.len() == RESULTS {
            results.clear();
        }
        results.insert(text.to_owned(), result);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::Patterns;

    #[test]
    fn repeated_matches_have_the_same_result() {
        let patterns = Patterns::default();
        for _ in 0..2 {
            assert_eq!(patterns.matches("^b", "abc"), Some(false));
            assert_eq!(patterns.matches("b", "abc"), Some(true));
            assert_eq!(patterns.matches(r"^\pL$", "a"), Some(true));
            assert_eq!(patterns.matches(r"^\pL$", "é"), None, "only a Unicode table decides it");
            assert_eq!(patterns.matches("(", "("), None, "no pattern at all");
        }
        assert_eq!(patterns.compiled.borrow().len(), 4);
    }
}
