//! The names of a bundle: the wire name of every field, enum value, API version and CRD.
//!
//! Invariants: the names of a CRD are those of all its versions together.

use std::collections::BTreeSet;

use crd_model::schema::Schema;
use crd_model::{Channels, CustomResourceDefinition};
use serde_json::Value;

use super::entry::{Kind, WireName};

/// The names of all channels together.
pub fn names_of(channels: &Channels) -> BTreeSet<WireName> {
    let mut found = BTreeSet::new();
    for crd in channels.values().flatten() {
        names(crd, &mut found);
    }
    found
}

/// The names of one CRD of a bundle.
#[derive(Clone, Debug)]
pub struct CrdNames {
    crd: String,
    names: BTreeSet<WireName>,
}

impl CrdNames {
    /// The names of this CRD.
    pub fn of(crd: &CustomResourceDefinition) -> Self {
        let mut names = BTreeSet::new();
        self::names(crd, &mut names);
        Self { crd: crd.name.to_string(), names }
    }

    /// The names.
    pub fn iter(&self) -> impl Iterator<Item = &WireName> {
        self.names.iter()
    }

    /// Whether the name is one of them. Where the path of a field ends and its name begins does not matter.
    pub fn has(&self, name: &WireName) -> bool {
        if self.crd != name.crd {
            return false;
        }
        if name.kind != Kind::Field {
            return self.names.contains(name);
        }
        let whole = name.whole_path();
        let at = |path: &str, name: &str| WireName {
            crd: self.crd.clone(),
            kind: Kind::Field,
            path: path.to_owned(),
            name: name.to_owned(),
        };
        let mut split = whole.match_indices('.').map(|(dot, _)| at(&whole[..dot], &whole[dot + 1..]));
        self.names.contains(&at("", &whole)) || split.any(|name| self.names.contains(&name))
    }
}

/// The CRDs and paths that accept any value in some channel and version. No enum value counts as removed there.
pub(super) fn paths_without_enum(channels: &Channels) -> BTreeSet<(String, String)> {
    let mut open = BTreeSet::new();
    for crd in channels.values().flatten() {
        for version in &crd.versions {
            walk(&version.schema, &mut String::new(), &mut |_, _, _| {}, &mut |path| {
                open.insert((crd.name.to_string(), path.to_owned()));
            });
        }
    }
    open
}

/// Adds the names of a CRD, over all its versions.
pub fn names(crd: &CustomResourceDefinition, found: &mut BTreeSet<WireName>) {
    let name = |kind, path: &str, name: &str| WireName {
        crd: crd.name.to_string(),
        kind,
        path: path.to_owned(),
        name: name.to_owned(),
    };
    found.insert(name(Kind::Resource, "", ""));
    for version in &crd.versions {
        found.insert(name(Kind::Version, "", &version.name));
        let mut insert = |kind, path: &str, word: &str| {
            found.insert(name(kind, path, word));
        };
        walk(&version.schema, &mut String::new(), &mut insert, &mut |_| {});
    }
}

/// Reports every name, and every path that accepts any value.
fn walk(schema: &Schema, path: &mut String, report: &mut dyn FnMut(Kind, &str, &str), open: &mut dyn FnMut(&str)) {
    if schema.enumeration.is_none() {
        open(path);
    }
    for value in schema.enumeration.iter().flatten() {
        match value {
            Value::String(text) => report(Kind::Value, path, text),
            other => report(Kind::Value, path, &other.to_string()),
        }
    }
    let length = path.len();
    for (name, property) in &schema.properties {
        report(Kind::Field, path, name);
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(name);
        walk(property, path, report, open);
        path.truncate(length);
    }
    for each in schema.items.as_deref().into_iter().chain(schema.values()) {
        path.push_str("[*]");
        walk(each, path, report, open);
        path.truncate(length);
    }
}
