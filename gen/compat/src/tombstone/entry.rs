//! The ledger of tombstones: one entry for each name, in the order in which they were added.
//!
//! Invariants: append-only. The digest of an entry is over its canonical form, so the layout of the file does not matter.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// What kind of name it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A CRD.
    Resource,
    /// An API version of a CRD.
    Version,
    /// A field.
    Field,
    /// A value of an enum.
    Value,
}

/// Every kind with its word.
pub const KINDS: [(Kind, &str); 4] =
    [(Kind::Resource, "resource"), (Kind::Version, "version"), (Kind::Field, "field"), (Kind::Value, "value")];

impl Kind {
    /// Its word.
    pub fn word(self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self).map_or("", |(_, word)| word)
    }

    /// The kind with this word.
    pub fn named(word: &str) -> Option<Self> {
        KINDS.iter().find(|(_, existing)| *existing == word).map(|(kind, _)| *kind)
    }
}

/// A name on the wire.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WireName {
    /// The CRD: `httproutes.gateway.networking.k8s.io`.
    pub crd: String,
    /// What kind of name it is.
    pub kind: Kind,
    /// Its location: the path of the struct for a field, that of the enum for a value; empty otherwise.
    pub path: String,
    /// The name: of the field or the version, the value as JSON has it (without quotes if it is a text), empty for the CRD itself.
    pub name: String,
}

impl WireName {
    /// True if `other` is this name or below it.
    pub fn covers(&self, other: &WireName) -> bool {
        if self.crd != other.crd {
            return false;
        }
        match self.kind {
            Kind::Resource => true,
            Kind::Version | Kind::Value => self == other,
            Kind::Field => {
                let whole = self.whole_path();
                match other.kind {
                    Kind::Field => is_below(&other.whole_path(), &whole),
                    Kind::Value => is_below(&other.path, &whole),
                    Kind::Resource | Kind::Version => false,
                }
            }
        }
    }

    /// True if both name the same. Where the path of a field ends and its name begins does not matter.
    pub fn is_same(&self, other: &WireName) -> bool {
        match (self.kind, other.kind) {
            (Kind::Field, Kind::Field) => self.crd == other.crd && self.whole_path() == other.whole_path(),
            _ => self == other,
        }
    }

    /// The schema path: of a field with its name, of a value the path of its enum; empty otherwise.
    pub fn schema_path(&self) -> String {
        match self.kind {
            Kind::Field => self.whole_path(),
            _ => self.path.clone(),
        }
    }

    /// The path with the name: `spec.tls`.
    pub fn whole_path(&self) -> String {
        match self.path.is_empty() {
            true => self.name.clone(),
            false => format!("{}.{}", self.path, self.name),
        }
    }
}

/// True if a path is another one or leads on from it.
fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

impl fmt::Display for WireName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Resource => write!(formatter, "resource {}", self.crd),
            Kind::Version => write!(formatter, "version {} of {}", self.name, self.crd),
            Kind::Field => write!(formatter, "field {} of {}", self.whole_path(), self.crd),
            Kind::Value => write!(formatter, "value {} at {} of {}", self.name, self.path, self.crd),
        }
    }
}

/// A name that was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstone {
    /// The name.
    pub name: WireName,
    /// The bundle that first lacked it: `v1.4.0`.
    pub removed: String,
    /// Why.
    pub reason: String,
    /// The replacement: the wire name of a field or value of the same parent, the name of a CRD, or another API version.
    pub replacement: Option<String>,
    /// For an API version: no object is stored in it.
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

    /// The canonical form.
    pub fn to_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("crd".to_owned(), json!(self.name.crd));
        map.insert("kind".to_owned(), json!(self.name.kind.word()));
        for (key, text) in [("path", &self.name.path), ("name", &self.name.name)] {
            if !text.is_empty() {
                map.insert(key.to_owned(), json!(text));
            }
        }
        map.insert("removed".to_owned(), json!(self.removed));
        map.insert("reason".to_owned(), json!(self.reason));
        if let Some(replacement) = &self.replacement {
            map.insert("replacement".to_owned(), json!(replacement));
        }
        if self.migrated {
            map.insert("migrated".to_owned(), json!(true));
        }
        Value::Object(map)
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

/// The ledger.
#[derive(Clone, Debug, Default, Eq)]
pub struct Ledger {
    entries: Vec<Tombstone>,
    /// The lines of the entries in the file that they were read from.
    lines: BTreeMap<WireName, usize>,
}

/// The lines do not matter.
impl PartialEq for Ledger {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

/// A name that has a tombstone already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlreadyBuried(pub WireName);

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
    pub(crate) fn locate(&mut self, name: WireName, line: usize) {
        self.lines.insert(name, line);
    }

    /// The line of an entry, if it was read from a file.
    pub fn line(&self, name: &WireName) -> Option<usize> {
        self.lines.get(name).copied()
    }

    /// True if the name, or a name above it, has a tombstone.
    pub fn covers(&self, name: &WireName) -> bool {
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
            let name =
                WireName { crd: "a.b".to_owned(), kind: Kind::Resource, path: String::new(), name: String::new() };
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

    #[test]
    fn a_field_is_the_same_wherever_its_path_ends() {
        let field = |kind, path: &str, name: &str| WireName {
            crd: "a.b".to_owned(),
            kind,
            path: path.to_owned(),
            name: name.to_owned(),
        };
        let tls = field(Kind::Field, "spec", "tls");
        assert!(tls.is_same(&tls) && tls.is_same(&field(Kind::Field, "", "spec.tls")));
        assert!(!tls.is_same(&field(Kind::Field, "", "tls")) && !tls.is_same(&field(Kind::Value, "spec", "tls")));
        assert!(!tls.is_same(&WireName { crd: "b.b".to_owned(), ..tls.clone() }));
        assert!(!field(Kind::Value, "spec", "a").is_same(&field(Kind::Value, "", "spec.a")));
    }
}
