//! The ledger of tombstones: one entry for each name, in the order in which they were added.
//!
//! Invariants: append-only. The digest of an entry is over its canonical form, so the layout of the file does not matter.

use std::collections::BTreeMap;

use crd_model::inventory::{Element, Kind};
use serde::{Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A removed name, as documents have it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Name<'n> {
    /// The CRD: `httproutes.gateway.networking.k8s.io`.
    crd: &'n str,
    /// What kind of name it is.
    kind: Kind,
    /// Its location: the path of the struct for a field, that of the enum for a value; absent otherwise.
    #[serde(skip_serializing_if = "str::is_empty")]
    path: &'n str,
    /// The name: of the field or the version, the value as JSON has it (without quotes if it is a text), absent for the CRD itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
}

fn name<S: Serializer>(element: &Element, serializer: S) -> Result<S::Ok, S::Error> {
    let (crd, path) = (&*element.crd, element.place());
    Name { crd, kind: element.kind, path, name: element.written_name() }.serialize(serializer)
}

/// A name that was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tombstone {
    /// The name.
    #[serde(flatten, serialize_with = "name")]
    #[cfg_attr(feature = "schema", schemars(with = "Name<'static>"))]
    pub name: Element,
    /// The bundle that first lacked it: `v1.4.0`.
    pub removed: String,
    /// Why.
    pub reason: String,
    /// The replacement: the wire name of a field or value of the same parent, the name of a CRD, or another API version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
    /// For an API version: no object is stored in it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub migrated: bool,
}

/// Words that authors write instead of a reason.
const PLACEHOLDERS: [&str; 4] = ["todo", "tbd", "fixme", "xxx"];

impl Tombstone {
    /// True if the reason is more than punctuation (as in the line that `check` suggests) or a placeholder. Checked when an entry is
    /// added; existing entries stay as they are.
    pub fn has_reason(&self) -> bool {
        let words = self.reason.split(|character: char| !character.is_alphanumeric());
        let mut words = words.filter(|word| !word.is_empty());
        let (first, second) = (words.next(), words.next());
        let is_placeholder = |word: &str| PLACEHOLDERS.iter().any(|placeholder| word.eq_ignore_ascii_case(placeholder));
        first.is_some_and(|word| second.is_some() || !is_placeholder(word))
    }

    pub fn to_value(&self) -> Value {
        // Its keys are texts, so it is a document.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// SHA-256 of the canonical form, in hexadecimal digits.
    pub fn digest(&self) -> String {
        let Value::Object(map) = self.to_value() else { return String::new() };
        // Sorted by key, for any order of the map.
        let mut entries = map.iter().map(|(key, value)| format!("{key}={value}\n")).collect::<Vec<_>>();
        entries.sort();
        Sha256::digest(entries.concat()).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[derive(Clone, Debug, Default, Eq)]
pub struct Ledger {
    entries: Vec<Tombstone>,
    /// The lines of the entries in the file that they were read from.
    lines: BTreeMap<Element, usize>,
}

/// The lines do not matter.
impl PartialEq for Ledger {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

/// A name that has a tombstone already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlreadyBuried(pub Element);

impl Ledger {
    /// The entries, oldest first.
    pub fn entries(&self) -> &[Tombstone] {
        &self.entries
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// If the name has one.
    pub fn add(&mut self, tombstone: Tombstone) -> Result<(), AlreadyBuried> {
        if self.entries.iter().any(|existing| existing.name.is_same(&tombstone.name)) {
            return Err(AlreadyBuried(tombstone.name));
        }
        self.entries.push(tombstone);
        Ok(())
    }

    /// The entry of this name is at this line of its file.
    pub(crate) fn locate(&mut self, name: Element, line: usize) {
        self.lines.insert(name, line);
    }

    /// The line of an entry, if it was read from a file.
    pub fn line(&self, name: &Element) -> Option<usize> {
        self.lines.get(name).copied()
    }

    /// True if the name, or a name above it, has a tombstone.
    pub fn covers(&self, name: &Element) -> bool {
        self.entries.iter().any(|tombstone| tombstone.name.covers(name))
    }

    /// Each entry's name in words, and its digest.
    pub fn digests(&self) -> Vec<(String, String)> {
        self.entries.iter().map(|tombstone| (tombstone.name.to_string(), tombstone.digest())).collect()
    }

    /// SHA-256 over the digests of all entries.
    pub fn digest(&self) -> String {
        let text = self.digests().into_iter().map(|(id, digest)| format!("{id} {digest}\n")).collect::<String>();
        Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_says_something() {
        let accepts = |reason: &str| {
            let name = Element::resource("a.b");
            let (removed, reason) = ("v1.0.0".to_owned(), reason.to_owned());
            Tombstone { name, removed, reason, replacement: None, migrated: false }.has_reason()
        };
        for reason in ["", " ", "…", "...", "-", "—", "?", "TODO", "todo:", "(TBD)", "tbd.", "FIXME!", "xxx", "TODO …"]
        {
            assert!(!accepts(reason), "{reason:?}");
        }
        for reason in ["x", "none", "12", "#12", "moved", "TODO was its name", "改名", "é"] {
            assert!(accepts(reason), "{reason:?}");
        }
    }
}
