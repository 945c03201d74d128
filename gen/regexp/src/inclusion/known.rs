//! Answers that are already known: the fields of a bundle have few different patterns, and each pair is asked for many times.
//!
//! Invariants: an answer depends on its question alone, so that keeping it only saves time. Each thread has its own.

use std::cell::RefCell;
use std::collections::VecDeque;

use super::search::Lengths;
use super::{Reason, Relation};

/// How many answers are kept.
const MOST: usize = 64;

struct Known {
    old: String,
    new: String,
    lengths: Lengths,
    answer: Result<Relation, Reason>,
}

thread_local! {
    static KNOWN: RefCell<VecDeque<Known>> = const { RefCell::new(VecDeque::new()) };
}

/// The known answer, or the one that `compare` gives now.
pub(super) fn or_compared(
    old: &str,
    new: &str,
    lengths: Lengths,
    compare: impl FnOnce() -> Result<Relation, Reason>,
) -> Result<Relation, Reason> {
    let is_same = |known: &&Known| known.lengths == lengths && known.old == old && known.new == new;
    if let Some(known) = KNOWN.with_borrow(|all| all.iter().find(is_same).map(|known| known.answer.clone())) {
        return known;
    }
    let answer = compare();
    KNOWN.with_borrow_mut(|all| {
        all.push_back(Known { old: old.to_owned(), new: new.to_owned(), lengths, answer: answer.clone() });
        if all.len() > MOST {
            all.pop_front();
        }
    });
    answer
}
