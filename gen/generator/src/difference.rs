//! Differences between a file and its expected content, short enough to read.
//!
//! Invariants: at most [`LINES`] lines, and the number of further lines; the same texts give the same difference (no deadline).

use std::path::Path;

use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices, group_diff_ops};

use crd_diagnostics::layout::{count, cut};
use crd_diagnostics::style::{ADDED, FAINT, NAME, REMOVED};
use crd_diagnostics::visible;

/// How many lines of a file's difference are shown.
pub const LINES: usize = 20;
/// How many characters of a line are shown: descriptions and CEL rules can be long.
const WIDTH: usize = 160;
/// How many equal lines surround a change.
const CONTEXT: usize = 2;

/// The beginning of a unified difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    lines: Vec<String>,
    more: usize,
}

impl Difference {
    /// From the current content to the expected one.
    pub fn between(old: &str, new: &str) -> Self {
        let text = unified(old, new);
        let mut all = text.lines();
        let lines: Vec<String> = all.by_ref().take(LINES).map(|line| cut(&visible(line), WIDTH)).collect();
        Self { lines, more: all.count() }
    }

    /// The difference below the name of the file.
    pub fn render(&self, path: &Path) -> String {
        let path = path.display();
        let mut text = format!("{NAME}--- {path} (current){NAME:#}\n{NAME}+++ {path} (expected){NAME:#}\n");
        for line in &self.lines {
            let style = match line.as_bytes().first() {
                Some(b'-') => REMOVED,
                Some(b'+') => ADDED,
                Some(b'@') => FAINT,
                _ => anstyle::Style::new(),
            };
            text.push_str(&format!("{style}{line}{style:#}\n"));
        }
        if self.more > 0 {
            text.push_str(&format!("{FAINT}… and {} of this difference{FAINT:#}\n", count(self.more, "more line")));
        }
        text
    }
}

/// The unified difference. The crate `similar` would write it too, with a feature that compiles four times as long as the rest of the crate.
fn unified(old: &str, new: &str) -> String {
    let [old, new] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let mut text = String::new();
    for hunk in group_diff_ops(capture_diff_slices(Algorithm::Myers, &old, &new), CONTEXT) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let before = range(first.old_range().start, last.old_range().end);
        let after = range(first.new_range().start, last.new_range().end);
        text.push_str(&format!("@@ -{before} +{after} @@\n"));
        for (tag, line) in hunk
            .iter()
            .flat_map(|part: &DiffOp| part.iter_changes(&old, &new))
            .map(|change| (change.tag(), change.value()))
        {
            text.push(match tag {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            });
            text.push_str(line);
            if !line.ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    text
}

/// Lines as a hunk's header counts them: from 1, with their number unless it is 1. An empty range has the number of the line before it.
fn range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        len => format!("{},{len}", start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(difference: &Difference) -> String {
        anstream::adapter::strip_str(&difference.render(Path::new("a.yaml"))).to_string()
    }

    #[test]
    fn a_difference_has_context_and_both_sides() {
        let difference = Difference::between("a\nb\nc\nd\ne\n", "a\nb\nc\nD\ne\n");
        assert_eq!(
            plain(&difference),
            "--- a.yaml (current)\n+++ a.yaml (expected)\n@@ -2,4 +2,4 @@\n b\n c\n-d\n+D\n e\n"
        );
    }

    #[test]
    fn ranges_and_a_missing_line_end_are_those_of_diff() {
        let difference = Difference::between("", "a\nb");
        assert_eq!(
            plain(&difference).lines().skip(2).collect::<Vec<_>>(),
            ["@@ -0,0 +1,2 @@", "+a", "+b", "\\ No newline at end of file"]
        );
        let difference = Difference::between("a\n", "");
        assert_eq!(plain(&difference).lines().skip(2).collect::<Vec<_>>(), ["@@ -1 +0,0 @@", "-a"]);
    }

    #[test]
    fn a_long_difference_ends_with_how_much_more_there_is() {
        let old: String = (0..100).map(|line| format!("{line}\n")).collect();
        let text = plain(&Difference::between(&old, ""));
        assert_eq!(text.lines().count(), 2 + LINES + 1, "{text}");
        assert!(text.ends_with("… and 81 more lines of this difference\n"), "{text}");
    }

    #[test]
    fn what_a_terminal_would_obey_is_not_printed() {
        let text = plain(&Difference::between("\u{1b}[2Ja\u{7}\n", "b\n"));
        assert!(text.contains("-\\u{1b}[2Ja"), "{text}");
    }

    /// Nothing in common is the worst case of most algorithms.
    #[test]
    fn unlike_texts_are_compared_in_reasonable_time() {
        let text = |seed: usize| (0..20_000).map(|line| format!("{}\n", line * 2 + seed)).collect::<String>();
        // Time on the processor, so that other work of the machine does not count.
        let cpu_seconds = || match std::fs::read_to_string("/proc/thread-self/schedstat") {
            Ok(text) => text.split(' ').next().unwrap().parse::<u64>().unwrap() / 1_000_000_000,
            Err(_) => 0,
        };
        let before = cpu_seconds();
        assert_eq!(Difference::between(&text(0), &text(1)).lines.len(), LINES);
        let took = cpu_seconds() - before;
        assert!(took < 10, "{took} s");
    }
}
