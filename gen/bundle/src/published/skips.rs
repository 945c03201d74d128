//! What is left out by name: files, which need not be readable then, and CRDs.
//!
//! Invariants: nothing is left out silently ([`LeftOut`]). Inputs and trees have their skips, because a file that is left out changes what a folder
//! lists, and counts for no limit.

use std::fmt;
use std::sync::Arc;

use crd_diagnostics::printable;
use serde::Serialize;

use super::Written;

/// The option that leaves out files and CRDs.
pub const SKIP: &str = "skip";

/// The names of files and CRDs that are left out.
#[derive(Clone, Debug, Default)]
pub struct Skips {
    names: Arc<[Glob]>,
}

/// A name with `*` for any characters, and `?` for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob(pub(super) String);

/// A file or CRD that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// The file.
    pub file: String,
    /// The name of the CRD; none for a whole file.
    pub crd: Option<String>,
    /// The first line of the CRD; none for a whole file.
    pub line: Option<usize>,
    /// Why: the option, or what is not read or applied.
    pub reason: String,
    /// The option that left it out, as the user wrote it; none for other reasons.
    pub option: Option<String>,
    /// All names that match, by their index in [`Skips`].
    #[serde(skip)]
    pub(super) skips: Vec<usize>,
}

impl LeftOut {
    /// A file, or a part of a layout, that is left out for a reason that is not an option.
    pub(super) fn new(file: String, reason: String) -> Self {
        Self { file, crd: None, line: None, reason, option: None, skips: Vec::new() }
    }

    /// A file, or a CRD in it, that this option leaves out.
    pub fn by(option: String, file: String, crd: Option<(String, usize)>) -> Self {
        let (crd, line) = crd.unzip();
        Self { file, crd, line, reason: format!("`{option}`"), option: Some(option), skips: Vec::new() }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.crd, self.line) {
            (Some(name), Some(line)) => write!(formatter, "the CRD `{name}` ({}:{line}, {})", self.file, self.reason),
            _ => write!(formatter, "{} ({})", self.file, self.reason),
        }
    }
}

/// A note for each of them; one for all files with the same reason.
pub fn notes<'l>(left_out: impl IntoIterator<Item = &'l LeftOut>) -> Vec<String> {
    let mut notes: Vec<(&LeftOut, usize)> = Vec::new();
    for left_out in left_out {
        let is_same = |known: &LeftOut| known.reason == left_out.reason && left_out.option.is_none();
        match notes.iter_mut().find(|(known, _)| is_same(known)) {
            // Both sides of a comparison can be one source.
            Some((known, _)) if known.file == left_out.file => {}
            Some((_, more)) => *more += 1,
            None => notes.push((left_out, 0)),
        }
    }
    let note = |(left_out, more): (&LeftOut, usize)| match more {
        0 => format!("left out: {left_out}"),
        more => format!("left out: {} and {more} more ({})", left_out.file, left_out.reason),
    };
    notes.into_iter().map(note).collect()
}

impl Glob {
    pub(super) fn new(pattern: &str) -> Self {
        Self(pattern.to_owned())
    }

    /// Whether the whole text matches.
    pub(super) fn is_match(&self, text: &str) -> bool {
        let (pattern, text): (Vec<char>, Vec<char>) = (self.0.chars().collect(), text.chars().collect());
        let (mut at, mut read) = (0, 0);
        // Behind the last star, and where its match ends.
        let mut star: Option<(usize, usize)> = None;
        while read < text.len() {
            match pattern.get(at) {
                Some('*') => {
                    star = Some((at + 1, read));
                    at += 1;
                }
                Some(expected) if *expected == '?' || *expected == text[read] => (at, read) = (at + 1, read + 1),
                _ => match star {
                    Some((behind, from)) => {
                        star = Some((behind, from + 1));
                        (at, read) = (behind, from + 1);
                    }
                    None => return false,
                },
            }
        }
        pattern[at..].iter().all(|rest| *rest == '*')
    }

    /// Whether a path matches, or its end behind a folder or an archive: `a.yaml` and `crds/a.yaml` match `config/crds/a.yaml`.
    pub(super) fn is_match_of_path(&self, path: &str) -> bool {
        let ends = path.match_indices(['/', '\\', '!', ':']).filter_map(|(index, _)| path.get(index + 1..));
        std::iter::once(path).chain(ends).any(|end| self.is_match(end))
    }
}

impl Skips {
    /// Leaves out files and CRDs of these names.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        Self { names: names.into_iter().map(Glob).collect() }
    }

    /// The names, in the order of their indices.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|Glob(name)| &**name)
    }

    /// The record of a file, if it is left out. It need not be readable then.
    pub fn left_out(&self, file: &str) -> Option<LeftOut> {
        self.skipped(|name| name.is_match_of_path(file), file, None)
    }

    /// The record of a CRD, if it is left out by its name.
    pub(super) fn left_out_crd(&self, name: &str, written: &Written) -> Option<LeftOut> {
        let crd = (printable(name), written.line);
        self.skipped(|skip| skip.is_match(name), &written.source.name, Some(crd))
    }

    fn skipped(&self, is_match: impl Fn(&Glob) -> bool, file: &str, crd: Option<(String, usize)>) -> Option<LeftOut> {
        let skips = self.names.iter().enumerate().filter(|(_, skip)| is_match(skip));
        let skips = skips.map(|(index, _)| index).collect::<Vec<_>>();
        let Glob(last) = self.names.get(*skips.last()?)?;
        let left_out = LeftOut::by(format!("--{SKIP} {last}"), file.to_owned(), crd);
        Some(LeftOut { skips, ..left_out })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_whole_texts() {
        for (pattern, text, expected) in [
            ("a.yaml", "a.yaml", true),
            ("a.yaml", "ab.yaml", false),
            ("*-Default*", "x-Default.crd.yaml", true),
            ("*", "", true),
            ("?", "", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b-d", false),
            ("é?", "éa", true),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(Glob(pattern.to_owned()).is_match(text), expected, "{pattern} {text}");
        }
        // Not exponential.
        assert!(!Glob("*a".repeat(50)).is_match(&"b".repeat(10_000)));
    }

    #[test]
    fn paths_match_by_their_end() {
        for (pattern, path, expected) in [
            ("a.yaml", "config/crds/a.yaml", true),
            ("crds/a.yaml", "config/crds/a.yaml", true),
            ("ds/a.yaml", "config/crds/a.yaml", false),
            ("a.yaml", "bundle.tgz!a.yaml", true),
            ("a.yaml", "git:main:a.yaml", true),
            ("crds/*", "config/crds/a/b.yaml", true),
            ("config", "config/crds/a.yaml", false),
        ] {
            assert_eq!(Glob(pattern.to_owned()).is_match_of_path(path), expected, "{pattern} {path}");
        }
    }
}
