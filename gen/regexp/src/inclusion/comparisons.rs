//! Comparisons that share their work.
//!
//! Invariants: a question has one answer, however often it is asked. Work is counted, so that the same questions in the same order have the
//! same answers on every machine.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::budget::{ALLOWED, Budget};
use super::search::Lengths;
use super::{Reason, Relation, relate};

/// Steps of all comparisons at most: a second or less.
const ALLOWED_IN_ALL: usize = 10 * ALLOWED;

/// Comparisons of the patterns of a schema. Each is limited, as [`super::compare`] is, and all of them together are.
#[derive(Debug, Default)]
pub struct Comparisons(Mutex<Answers>);

#[derive(Debug, Default)]
struct Answers {
    taken: usize,
    known: HashMap<(String, String, Lengths), Relation>,
}

impl Comparisons {
    /// Compares what `new` accepts with what `old` accepts, among texts of at least `min` and at most `max` characters.
    pub fn compare_within(&self, old: &str, new: &str, min: usize, max: Option<usize>) -> Relation {
        let lengths = Lengths { min, max };
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let question = (old.to_owned(), new.to_owned(), lengths);
        if let Some(answer) = answers.known.get(&question) {
            return answer.clone();
        }
        let allowed = ALLOWED.min(ALLOWED_IN_ALL - answers.taken);
        let budget = &mut Budget::of(allowed);
        let answer = match relate(old, new, lengths, budget) {
            // What was too much is taken too: the next comparison may be as hard.
            Err(Reason::TooLarge) => {
                answers.taken += allowed;
                Relation::NotComparable(if allowed < ALLOWED { Reason::OutOfWork } else { Reason::TooLarge })
            }
            answer => {
                answers.taken += allowed - budget.left();
                answer.unwrap_or_else(Relation::NotComparable)
            }
        };
        answers.known.insert(question, answer.clone());
        answer
    }
}
