//! Values in a line: how something was, and how it is.
//!
//! Invariants: of two long values the part that differs stays; what a terminal would obey is never printed.

use serde_json::Value;

use crd_diagnostics::json;

/// Before and behind a long difference of two values, at most so many characters are kept.
const CONTEXT: usize = 12;

/// A value as JSON on one line, with sorted keys.
pub(crate) fn text(value: &Value) -> String {
    json::line(value).trim_end().to_owned()
}

pub(crate) use crd_diagnostics::printable;

/// Two values of at most `room` characters each. What they have in common is left out first, then their middle.
pub(crate) fn shortened(before: &str, after: &str, room: usize) -> (String, String) {
    let (before, after) = (before.chars().collect::<Vec<_>>(), after.chars().collect::<Vec<_>>());
    let longest = before.len().max(after.len());
    if longest <= room {
        return (before.into_iter().collect(), after.into_iter().collect());
    }
    let head = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let tail = before.iter().rev().zip(after.iter().rev()).take_while(|(one, other)| one == other).count();
    let tail = tail.min(before.len().min(after.len()) - head);
    // Around what differs stays as much as there is room for, with a mark at each end.
    // If that itself must be cut, a little stays, so that one sees where it is.
    let spare = room.saturating_sub(longest - head - tail + 2).max(2 * CONTEXT.min(room / 8));
    let half = spare / 2;
    let kept_head = head.min(half.max(spare.saturating_sub(tail)));
    let kept_tail = tail.min(half.max(spare.saturating_sub(head)));
    let differing = |characters: &[char]| {
        let mut kept = characters[head - kept_head..characters.len() - (tail - kept_tail)].to_vec();
        if kept_head < head {
            kept.insert(0, '…');
        }
        if kept_tail < tail {
            kept.push('…');
        }
        middle_cut(&kept, room)
    };
    (differing(&before), differing(&after))
}

/// A value of at most `room` characters, shortened in the middle.
pub(crate) fn cut(text: &str, room: usize) -> String {
    middle_cut(&text.chars().collect::<Vec<_>>(), room)
}

fn middle_cut(characters: &[char], room: usize) -> String {
    if characters.len() <= room {
        return characters.iter().collect();
    }
    let kept = room.saturating_sub(1);
    let (head, tail) = (kept.div_ceil(2), kept / 2);
    let (head, tail) = (&characters[..head], &characters[characters.len() - tail..]);
    head.iter().chain(&['…']).chain(tail).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_json_with_sorted_keys() {
        assert_eq!(text(&json!({"b": [1, "é<"], "a": null})), r#"{"a":null,"b":[1,"é<"]}"#);
    }

    #[test]
    fn a_long_value_loses_its_middle() {
        assert_eq!(cut("0123456789", 10), "0123456789");
        assert_eq!(cut("0123456789", 9), "0123…6789");
        assert_eq!(cut("0123456789", 4), "01…9");
        assert_eq!(cut("éééé", 3), "é…é");
        assert_eq!(cut("0123456789", 0), "…");
    }

    /// Every pair that is too long still differs, and fits.
    #[test]
    fn two_long_values_keep_what_differs() {
        assert_eq!(shortened("abc", "abd", 3), ("abc".to_owned(), "abd".to_owned()));
        let long =
            |middle: &str, before: usize, after: usize| format!("{}{middle}{}", "x".repeat(before), "y".repeat(after));
        let (one, other) = shortened(&long("1", 100, 100), &long("2", 100, 100), 43);
        assert_eq!(one, format!("…{}1{}…", "x".repeat(20), "y".repeat(20)));
        assert_eq!(other, format!("…{}2{}…", "x".repeat(20), "y".repeat(20)));
        // Where one side has less, the other has more.
        let (one, _) = shortened(&long("1", 3, 100), &long("2", 3, 100), 43);
        assert_eq!(one, format!("xxx1{}…", "y".repeat(37)));
        // One text begins and ends with the other: nothing is counted twice.
        assert_eq!(shortened("aaaa", "aa", 3), ("…aa".to_owned(), "…".to_owned()));
        for room in 20..120 {
            for (before, after) in [(0, 90), (90, 0), (50, 50), (7, 200)] {
                let (one, other) = shortened(&long("12", before, after), &long("345", before, after), room);
                assert!(one.contains("12") && other.contains("345"), "{room}: {one} {other}");
                assert!(one.chars().count() <= room && other.chars().count() <= room, "{room}: {one} {other}");
            }
        }
    }
}
