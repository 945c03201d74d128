//! Layout of text: numbers with nouns, wrapped lines, long lists, quoted paths.

use std::collections::BTreeMap;
use std::path::Path;

use crate::printable;

/// `1 file`, `2 files`, `1,234 files`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// `1 file is`, `2 files are`.
pub fn are(number: usize, noun: &str) -> String {
    format!("{} {}", count(number, noun), if number == 1 { "is" } else { "are" })
}

/// How many are done: `1,234 of 5,678 objects`, or `1,234 objects` if their number is unknown.
pub fn progress(done: u64, remaining: Option<u64>, noun: &str) -> String {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    match remaining {
        Some(remaining) => {
            format!("{} of {}", thousands(number(done)), count(number(done.saturating_add(remaining)), noun))
        }
        None => count(number(done), noun),
    }
}

/// A number with a comma between every three digits.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Words in lines of at most `width` characters, each after `indent` spaces and with a line break. A longer word has a line of its own.
pub fn wrapped(text: &str, indent: usize, width: usize) -> String {
    if text.trim().is_empty() { String::new() } else { hanging(text, indent, indent, width) }
}

/// Wraps words in the same way; the first line is indented by `first` spaces, and the remaining lines by `then`.
pub fn hanging(text: &str, first: usize, then: usize, width: usize) -> String {
    let text = printable(text);
    let mut lines = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            lines.push('\n');
            column = 0;
        }
        let gap = match (column, lines.is_empty()) {
            (0, true) => first,
            (0, false) => then,
            _ => 1,
        };
        lines.extend(std::iter::repeat_n(' ', gap));
        lines.push_str(word);
        column += gap + length;
    }
    lines.push('\n');
    lines
}

/// Lines of text, each wrapped on its own. Indented lines, which are aligned or copied, stay as they are.
pub fn wrapped_lines(text: &str, width: usize) -> String {
    let wrap = |line: &str| match line.starts_with(' ') {
        true => format!("{line}\n"),
        false => hanging(line, 0, 0, width),
    };
    text.lines().map(wrap).collect()
}

/// How many entries of a kind a list in a text has. JSON contains all entries.
pub const MOST_LISTED: usize = 50;

/// The first entries of each kind, in their order, and the number of further entries by kind.
pub fn first_of_each<T, K: Ord>(
    entries: impl IntoIterator<Item = T>,
    kind: impl Fn(&T) -> K,
) -> (Vec<T>, BTreeMap<K, usize>) {
    let mut numbers = BTreeMap::new();
    let first = entries.into_iter().filter(|entry| {
        let number = numbers.entry(kind(entry)).or_insert(0_usize);
        *number += 1;
        *number <= MOST_LISTED
    });
    let first = first.collect();
    numbers.retain(|_, number| *number > MOST_LISTED);
    (first, numbers.into_iter().map(|(kind, number)| (kind, number - MOST_LISTED)).collect())
}

/// The first texts of a list, and how many more there are: `a; b; c; and 2 more`.
pub fn some_texts(texts: &[String], most: usize) -> String {
    let more = texts.len().saturating_sub(most);
    let more = (more > 0).then(|| format!("and {more} more"));
    texts.iter().take(most).cloned().chain(more).collect::<Vec<_>>().join("; ")
}

/// How many entries of a list are not shown: `3 more notes are not shown; ` and what lists all.
pub fn not_shown(number: usize, noun: &str, all: &str) -> String {
    format!("{} not shown; {all} lists all", are(number, &format!("more {noun}")))
}

/// Names in a row, of which at most `most` are written out: `a, b and 3 more`.
pub fn some_of<N: std::borrow::Borrow<str>>(names: &[N], most: usize) -> String {
    let named = names.iter().take(most).map(N::borrow).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(most) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// A line cut off after `width` characters.
pub fn cut(line: &str, width: usize) -> String {
    match line.char_indices().nth(width) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// A path as a POSIX shell takes it.
pub fn for_shell(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-+=:@%".contains(character);
    if !text.is_empty() && text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_nouns_a_plural() {
        assert_eq!(count(0, "file"), "0 files");
        assert_eq!(count(1, "file"), "1 file");
        assert_eq!(count(999, "byte"), "999 bytes");
        assert_eq!(count(1000, "byte"), "1,000 bytes");
        assert_eq!(count(1_234_567, "byte"), "1,234,567 bytes");
        assert_eq!(progress(1000, Some(234), "object"), "1,000 of 1,234 objects");
        assert_eq!(progress(1, None, "object"), "1 object");
    }

    #[test]
    fn words_are_wrapped_and_never_cut() {
        assert_eq!(wrapped("one two three", 2, 10), "  one two\n  three\n");
        assert_eq!(wrapped("a-very-long-word it", 2, 10), "  a-very-long-word\n  it\n");
        assert_eq!(wrapped("  ", 2, 10), "");
        assert_eq!(wrapped("é é é", 0, 3), "é é\né\n");
        assert_eq!(wrapped_lines("a b c\n\n  d   e f\n", 3), "a b\nc\n\n  d   e f\n");
    }

    #[test]
    fn a_long_list_has_the_first_entries_of_each_kind() {
        let numbers = || 0..1000;
        let (first, more) = first_of_each(numbers(), |number| number % 15 == 0);
        assert_eq!(first.iter().filter(|number| **number % 15 == 0).count(), MOST_LISTED);
        assert_eq!(first.iter().filter(|number| **number % 15 != 0).count(), MOST_LISTED);
        assert!(first.is_sorted());
        assert_eq!(more, BTreeMap::from([(false, 1000 - 67 - MOST_LISTED), (true, 67 - MOST_LISTED)]));
        let (first, more) = first_of_each(numbers().take(MOST_LISTED), |_| ());
        assert_eq!((first.len(), more.len()), (MOST_LISTED, 0));
        assert_eq!([2, 3].map(|most| some_of(&["a", "b", "c"], most)), ["a, b and 1 more", "a, b, c"]);
        assert_eq!(not_shown(1, "note", "`a`"), "1 more note is not shown; `a` lists all");
    }

    #[test]
    fn lines_are_cut_between_characters() {
        assert_eq!(cut("ééé", 2), "éé…");
        assert_eq!(cut("ééé", 3), "ééé");
    }

    #[test]
    fn paths_are_quoted_where_a_shell_would_misread_them() {
        assert_eq!(for_shell(Path::new("a/b-c.d")), "a/b-c.d");
        assert_eq!(for_shell(Path::new("a b")), "'a b'");
        assert_eq!(for_shell(Path::new("it's")), r"'it'\''s'");
    }
}
