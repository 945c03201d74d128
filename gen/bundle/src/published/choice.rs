//! Which CRDs of those that were read are kept: the choice between CRDs of one name, and what was unused.
//!
//! Invariants: readers know the names that are left out ([`Skips`]), and no choice. A choice remembers nothing. Nothing is left out silently
//! ([`LeftOut`]), and a name that matches nothing is an error ([`Choice::unused`]). What is chosen does not depend on the order of the inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use crd_diagnostics::{Diagnostic, both, fail_on, printable};

use super::skips::{Glob, LeftOut, SKIP, Skips};
use super::{Published, PublishedCrd};

/// The option that chooses between CRDs of one name.
pub const SELECT: &str = "select";
/// The code of a name that matches nothing.
pub const UNUSED: &str = "usage::no-match";

/// What is left out of bundles.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// What is left out by name.
    pub skips: Skips,
    selections: Vec<Selection>,
}

/// The values of the options that have matched something, by their index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Used {
    skips: BTreeSet<usize>,
    selections: BTreeSet<usize>,
}

/// What was read with a choice, and the values that have matched something, also if there are errors.
#[derive(Clone, Debug)]
pub struct Chosen<T> {
    /// What is kept, or why it cannot be read.
    pub kept: Result<T, Vec<Diagnostic>>,
    /// The values that have matched.
    pub used: Used,
}

/// How to choose between CRDs of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// `annotation=KEY:VALUE`: those with this value, or with a list with commas that contains it. Those with another value are left out, also if no
    /// other CRD has their name.
    Annotation(String, Glob),
    /// `file=NAME`: those in such a file.
    File(Glob),
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
        Self { skips: Skips::new(skips), selections: selections.into_iter().collect() }
    }

    /// Leaves out CRDs that are not selected, and returns what was used of the choice for this bundle.
    pub(super) fn select(&self, published: &mut Published) -> Used {
        let mut used = Used::of(&published.left_out);
        for (index, selection) in self.selections.iter().enumerate() {
            let matching = published.crds.iter().filter(|crd| selection.matches(crd) == Some(true)).map(identity);
            let matching = matching.map(|(name, stamp)| (name.to_owned(), stamp.map(str::to_owned)));
            let matching = matching.collect::<BTreeSet<_>>();
            if !matching.is_empty() {
                used.selections.insert(index);
            }
            let is_chosen = |crd: &PublishedCrd| {
                let (name, stamp) = identity(crd);
                let has_chosen = || matching.contains(&(name.to_owned(), stamp.map(str::to_owned)));
                selection.matches(crd).unwrap_or_else(|| !has_chosen())
            };
            let (chosen, others) = std::mem::take(&mut published.crds).into_iter().partition::<Vec<_>, _>(is_chosen);
            published.crds = chosen;
            published.left_out.extend(others.into_iter().map(|crd| {
                let name = (crd.crd.name.to_string(), crd.origin.line);
                LeftOut::by(format!("--{SELECT} {selection}"), crd.origin.file, Some(name))
            }));
        }
        used
    }

    /// An error for each value that has matched nothing.
    pub fn unused(&self, used: &Used) -> Vec<Diagnostic> {
        let unused = |option: &str, value: &str, what: &str| {
            let message = format!("`--{option} {}` matches no {what}", printable(value));
            let help = "a name is that of a CRD, of a file, or the end of its path, and `*` matches any characters";
            Diagnostic::error(UNUSED, message).help(if option == SKIP { help } else { "" })
        };
        let skips = self.skips.names().enumerate().filter(|(index, _)| !used.skips.contains(index));
        let skips = skips.map(|(_, name)| unused(SKIP, name, "file or CRD"));
        let selections = self.selections.iter().enumerate().filter(|(index, _)| !used.selections.contains(index));
        skips.chain(selections.map(|(_, selection)| unused(SELECT, &selection.to_string(), "CRD"))).collect()
    }

    /// What is kept, unless a value has matched nothing: that is an error too.
    ///
    /// # Errors
    /// Those of reading, and [`Self::unused`].
    pub fn all_used<T>(&self, Chosen { kept, used }: Chosen<T>) -> Result<T, Vec<Diagnostic>> {
        match (kept, self.unused(&used)) {
            (Ok(kept), unused) => fail_on(unused).map(|()| kept),
            (Err(errors), unused) => Err(errors.into_iter().chain(unused).collect()),
        }
    }
}

impl Used {
    /// The names that have left out files and CRDs.
    pub fn of<'l>(left_out: impl IntoIterator<Item = &'l LeftOut>) -> Self {
        let skips = left_out.into_iter().flat_map(|left_out| left_out.skips.iter().copied()).collect();
        Self { skips, selections: BTreeSet::new() }
    }

    /// What one of two readings has used.
    #[must_use]
    pub fn or(mut self, other: Used) -> Self {
        self.skips.extend(other.skips);
        self.selections.extend(other.selections);
        self
    }
}

/// What is read without a choice.
impl<T, E: Into<Vec<Diagnostic>>> From<Result<T, E>> for Chosen<T> {
    fn from(kept: Result<T, E>) -> Self {
        Self { kept: kept.map_err(Into::into), used: Used::default() }
    }
}

impl<T> Chosen<T> {
    /// More reading, if there are no errors.
    pub fn then<U>(self, read: impl FnOnce(T) -> Chosen<U>) -> Chosen<U> {
        match self.kept {
            Ok(kept) => {
                let Chosen { kept, used } = read(kept);
                Chosen { kept, used: self.used.or(used) }
            }
            Err(errors) => Chosen { kept: Err(errors), used: self.used },
        }
    }

    /// A step after reading.
    pub fn and_then<U>(self, step: impl FnOnce(T) -> Result<U, Vec<Diagnostic>>) -> Chosen<U> {
        Chosen { kept: self.kept.and_then(step), used: self.used }
    }

    /// Both of two readings with one choice.
    pub fn and<U>(self, other: Chosen<U>) -> Chosen<(T, U)> {
        Chosen { kept: both(self.kept, other.kept), used: self.used.or(other.used) }
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
    fn selections_are_written_as_they_are_read() {
        for text in ["annotation=example.com/set:Default", "file=*-Default.yaml", "annotation=a:b:c", "annotation=a:"] {
            assert_eq!(text.parse::<Selection>().map(|selection| selection.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "file", "file=", "annotation=a", "annotation=:b", "name=a"] {
            assert!(text.parse::<Selection>().is_err(), "{text}");
        }
    }
}
