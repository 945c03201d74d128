//! Whether patterns match, as the API server's own engine of regular expressions answers.

use std::cell::RefCell;
use std::collections::HashMap;

use crd_regexp::{Matcher, recognise};

/// The patterns that were asked for so far. Cheap to make; worth keeping for as long as the same schemas are looked at.
#[derive(Debug, Default)]
pub struct Patterns {
    known: RefCell<HashMap<String, Known>>,
}

/// One pattern.
#[derive(Debug)]
struct Known {
    /// `None`: the pattern is not valid or too large to be tried.
    matcher: Option<Matcher>,
    /// The answers for some texts. Defaults ask for few texts, several times each.
    answers: HashMap<String, Option<bool>>,
}

/// How many answers of a pattern are kept.
const ANSWERS: usize = 32;

impl Patterns {
    /// Whether the pattern (an RE2 expression) matches somewhere in the text; `None` where that cannot be decided.
    pub fn matches(&self, pattern: &str, text: &str) -> Option<bool> {
        let mut known = self.known.borrow_mut();
        if !known.contains_key(pattern) {
            let matcher = recognise(pattern).ok().and_then(|pattern| pattern.matcher());
            known.insert(pattern.to_owned(), Known { matcher, answers: HashMap::new() });
        }
        let Known { matcher, answers } = known.get_mut(pattern)?;
        if let Some(answer) = answers.get(text) {
            return *answer;
        }
        let answer = matcher.as_ref()?.is_match(text);
        if answers.len() == ANSWERS {
            answers.clear();
        }
        answers.insert(text.to_owned(), answer);
        answer
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
