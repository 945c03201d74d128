//! Which files and CRDs are read: files and CRDs that are left out by name, and the choice between CRDs of one name.
//!
//! Invariants: nothing is left out silently ([`LeftOut`]), and a name that matches nothing is an error ([`Choice::unused`]). What is chosen does not
//! depend on the order of the inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crd_diagnostics::{Diagnostic, printable};

use super::{Published, PublishedCrd, Written};

/// The option that leaves out files and CRDs.
pub const SKIP: &str = "skip";
/// The option that chooses between CRDs of one name.
pub const SELECT: &str = "select";
/// The code of a name that matches nothing.
pub const UNUSED: &str = "usage::no-match";

/// What is left out of bundles. Clones share what they have matched, so that one choice is for several bundles.
#[derive(Clone, Debug, Default)]
pub struct Choice(Arc<Parts>);

#[derive(Debug, Default)]
struct Parts {
    skips: Vec<Row<Glob>>,
    selections: Vec<Row<Selection>>,
}

/// One value of an option.
#[derive(Debug)]
struct Row<T> {
    value: T,
    has_matched: AtomicBool,
}

impl<T> Row<T> {
    fn new(value: T) -> Self {
        Self { value, has_matched: AtomicBool::new(false) }
    }

    fn matched(&self) {
        self.has_matched.store(true, Ordering::Relaxed);
    }
}

/// A name with `*` for any characters, and `?` for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob(String);

/// How to choose between CRDs of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// `annotation=KEY:VALUE`: those with this value, or with a list with commas that contains it. Those with another value are left out, also if no
    /// other CRD has their name.
    Annotation(String, Glob),
    /// `file=NAME`: those in such a file.
    File(Glob),
}

/// A file or CRD that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The file.
    pub file: String,
    /// The name of the CRD and the line of its document, if it is not a whole file.
    pub crd: Option<(String, usize)>,
    /// Why, for messages.
    pub reason: String,
    /// The option that left it out, as the user wrote it.
    pub option: Option<String>,
}

impl LeftOut {
    /// A file, or a part of a layout, that is left out for a reason that is not an option.
    pub(super) fn new(file: String, reason: String) -> Self {
        Self { file, crd: None, reason, option: None }
    }

    fn by(option: String, file: String, crd: Option<(String, usize)>) -> Self {
        Self { file, crd, reason: format!("`{option}`"), option: Some(option) }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.crd {
            Some((name, line)) => write!(formatter, "the CRD `{name}` ({}:{line}, {})", self.file, self.reason),
            None => write!(formatter, "{} ({})", self.file, self.reason),
        }
    }
}

/// A note for each of them.
pub fn notes<'l>(left_out: impl IntoIterator<Item = &'l LeftOut>) -> Vec<String> {
    left_out.into_iter().map(|left_out| format!("left out: {left_out}")).collect()
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
    fn is_match_of_path(&self, path: &str) -> bool {
        let ends = path.match_indices(['/', '\\', '!', ':']).filter_map(|(index, _)| path.get(index + 1..));
        std::iter::once(path).chain(ends).any(|end| self.is_match(end))
    }
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let usage = "write `annotation=KEY:VALUE` or `file=NAME`";
        match text.split_once('=') {
            Some(("file", name)) if !name.is_empty() => Ok(Selection::File(Glob(name.to_owned()))),
            Some(("annotation", rest)) => match rest.split_once(':') {
                Some((key, value)) if !key.is_empty() => {
                    Ok(Selection::Annotation(key.to_owned(), Glob(value.to_owned())))
                }
                _ => Err(format!("the annotation has no value: {usage}")),
            },
            _ => Err(usage.to_owned()),
        }
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selection::Annotation(key, Glob(value)) => write!(formatter, "annotation={key}:{value}"),
            Selection::File(Glob(name)) => write!(formatter, "file={name}"),
        }
    }
}

/// What can have the same name without being the same CRD: a name and the text of its channel.
fn identity(crd: &PublishedCrd) -> (&str, Option<&str>) {
    (&crd.crd.name, crd.origin.channel_text())
}

impl Selection {
    /// Whether a CRD matches; `None` if the selection is not about it.
    fn matches(&self, crd: &PublishedCrd) -> Option<bool> {
        match self {
            Selection::Annotation(key, value) => {
                let text = crd.crd.annotations.get(&**key)?;
                Some(value.is_match(text) || text.split(',').any(|part| value.is_match(part.trim())))
            }
            Selection::File(name) => Some(name.is_match_of_path(&crd.origin.file)).filter(|matches| *matches),
        }
    }
}

impl Choice {
    /// Leaves out files and CRDs of these names, and chooses by these selections, one after the other.
    pub fn new(skips: impl IntoIterator<Item = String>, selections: impl IntoIterator<Item = Selection>) -> Self {
        Self(Arc::new(Parts {
            skips: skips.into_iter().map(|skip| Row::new(Glob(skip))).collect(),
            selections: selections.into_iter().map(Row::new).collect(),
        }))
    }

    /// The record of a file, if it is left out.
    pub fn left_out(&self, file: &str) -> Option<LeftOut> {
        // All that match, so that each of them is used.
        let skip = self.0.skips.iter().filter(|skip| skip.value.is_match_of_path(file));
        let skip = skip.inspect(|skip| skip.matched()).last()?;
        Some(LeftOut::by(format!("--{SKIP} {}", skip.value.0), file.to_owned(), None))
    }

    /// The record of a CRD, if it is left out by its name.
    pub(super) fn left_out_crd(&self, name: &str, written: &Written) -> Option<LeftOut> {
        let skip = self.0.skips.iter().filter(|skip| skip.value.is_match(name));
        let skip = skip.inspect(|skip| skip.matched()).last()?;
        let crd = (printable(name), written.line);
        Some(LeftOut::by(format!("--{SKIP} {}", skip.value.0), written.source.name.clone(), Some(crd)))
    }

    /// Whether a file is left out. It need not be readable then.
    pub fn skips(&self, file: &str) -> Option<super::Part> {
        let left_out = self.left_out(file)?;
        Some(super::Part { left_out: vec![left_out], ..super::Part::default() })
    }

    /// Leaves out CRDs that are not selected.
    pub(super) fn select(&self, published: &mut Published) {
        for row in &self.0.selections {
            let matching = published.crds.iter().filter(|crd| row.value.matches(crd) == Some(true)).map(identity);
            let matching = matching.map(|(name, stamp)| (name.to_owned(), stamp.map(str::to_owned)));
            let matching = matching.collect::<BTreeSet<_>>();
            if !matching.is_empty() {
                row.matched();
            }
            let is_chosen = |crd: &PublishedCrd| {
                let (name, stamp) = identity(crd);
                let has_chosen = || matching.contains(&(name.to_owned(), stamp.map(str::to_owned)));
                row.value.matches(crd).unwrap_or_else(|| !has_chosen())
            };
            let (chosen, others) = std::mem::take(&mut published.crds).into_iter().partition::<Vec<_>, _>(is_chosen);
            published.crds = chosen;
            published.left_out.extend(others.into_iter().map(|crd| {
                let name = (crd.crd.name.to_string(), crd.origin.line);
                LeftOut::by(format!("--{SELECT} {}", row.value), crd.origin.file, Some(name))
            }));
        }
    }

    /// An error for each value that has matched nothing, after everything was read.
    pub fn unused(&self) -> Vec<Diagnostic> {
        let unused = |option: &str, value: &str, what: &str| {
            let message = format!("`--{option} {}` matches no {what}", printable(value));
            let help = "a name is that of a CRD, of a file, or the end of its path, and `*` matches any characters";
            Diagnostic::error(UNUSED, message).help(if option == SKIP { help } else { "" })
        };
        let is_unused = |has_matched: &AtomicBool| !has_matched.load(Ordering::Relaxed);
        let skips = self.0.skips.iter().filter(|row| is_unused(&row.has_matched));
        let skips = skips.map(|row| unused(SKIP, &row.value.0, "file or CRD"));
        let selections = self.0.selections.iter().filter(|row| is_unused(&row.has_matched));
        skips.chain(selections.map(|row| unused(SELECT, &row.value.to_string(), "CRD"))).collect()
    }
}

/// How to choose between the CRDs of a name: by an annotation whose values differ, or by the names of their files.
pub(super) fn proposal(crds: &[PublishedCrd], name: &str) -> Option<String> {
    let namesakes = crds.iter().filter(|crd| crd.crd.name == name).collect::<Vec<_>>();
    let keys = namesakes.iter().flat_map(|crd| crd.crd.annotations.keys()).collect::<BTreeSet<_>>();
    // One of them may be without the annotation, if there are several values.
    let by_annotation = keys.iter().map(|key| &***key).find(|key| {
        let values = namesakes.iter().filter_map(|crd| crd.crd.annotations.get(*key)).collect::<BTreeSet<_>>().len();
        let missing = namesakes.iter().filter(|crd| !crd.crd.annotations.contains_key(*key)).count();
        values > 1 && values + missing == namesakes.len() && missing <= 1
    });
    if let Some(key) = by_annotation {
        let values = crds.iter().filter_map(|crd| crd.crd.annotations.get(key)).collect::<BTreeSet<_>>();
        let values = values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(", ");
        return Some(format!("Choose one with `--{SELECT} annotation={key}:VALUE`; the values are {values}"));
    }
    let files = namesakes.iter().map(|crd| &*crd.origin.file).collect::<BTreeSet<_>>();
    let mut by_file: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &files {
        *by_file.entry(last_part(file)).or_default() += 1;
    }
    let names = match by_file.len() == files.len() {
        true => by_file.into_keys().collect::<Vec<_>>(),
        false => files.iter().copied().collect(),
    };
    (files.len() == namesakes.len())
        .then(|| format!("Choose one with `--{SELECT} file=NAME`; the files are {}", names.join(", ")))
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\', '!', ':']).next().unwrap_or(path)
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

    #[test]
    fn selections_are_written_as_they_are_read() {
        for text in ["annotation=example.com/set:Default", "file=*-Default.yaml", "annotation=a:b:c", "annotation=a:"] {
            assert_eq!(text.parse::<Selection>().map(|selection| selection.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "file", "file=", "annotation=a", "annotation=:b", "name=a"] {
            assert!(text.parse::<Selection>().is_err(), "{text}");
        }
    }
}
