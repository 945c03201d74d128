//! Coverage as an lcov tracefile, which `genhtml` and editors read.
//!
//! Invariants: a line of a file is listed once. Its count is that of the element of the line with the fewest cases, so that it is 0 if one of
//! them is not covered.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The tracefile of these lines (files with their lines), each with a number of cases.
#[must_use]
pub fn lcov<'f>(lines: impl IntoIterator<Item = ((&'f str, usize), usize)>) -> String {
    let mut files: BTreeMap<&str, BTreeMap<usize, usize>> = BTreeMap::new();
    for ((file, line), cases) in lines {
        let known = files.entry(file).or_default().entry(line).or_insert(cases);
        *known = cases.min(*known);
    }
    let mut text = String::from("TN:\n");
    for (file, lines) in files {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "SF:{file}");
        for (line, cases) in &lines {
            let _ = writeln!(text, "DA:{line},{cases}");
        }
        let hit = lines.values().filter(|cases| **cases > 0).count();
        let _ = writeln!(text, "LF:{}\nLH:{hit}\nend_of_record", lines.len());
    }
    text
}
