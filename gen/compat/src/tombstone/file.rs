//! The file of the ledger: `bundles/tombstones.yaml`.
//!
//! Invariants: what is written is read back as the same ledger, and equal ledgers become equal bytes, so that adding an entry adds lines
//! and changes none.

use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_model::document::{Sink, send_value};
use crd_model::inventory::{Element, Kind};
use crd_model::path::{self, Part};
use crd_model::yaml::{Start, YamlWriter};

use super::entry::{Ledger, Tombstone};
use crate::record::{Key, Records};

const KEYS: &[Key] = &[
    Key { name: "crd", required: true },
    Key { name: "kind", required: true },
    Key { name: "path", required: false },
    Key { name: "name", required: false },
    Key { name: "removed", required: true },
    Key { name: "reason", required: true },
    Key { name: "replacement", required: false },
    Key { name: "migrated", required: false },
];

/// The comment above the entries.
const HEAD: &str = "# Names that were removed and must never return. Written by `cargo xtask tombstones add`; entries are never changed or removed.\n";

/// The tombstone of an entry. Errors are added to the records.
fn entry(records: &mut Records<'_>, index: usize, is_version: &dyn Fn(&str) -> bool) -> Tombstone {
    let word = records.text(index, "kind");
    let kind = Kind::NAMES.into_iter().find(|kind| kind.word() == word);
    if kind.is_none() && !word.is_empty() {
        let known = Kind::NAMES.map(Kind::word).join(", ");
        records.error_at(index, "kind", format!("`{word}` is not a kind of name: the kinds are {known}"));
    }
    let place = records.text(index, "path");
    let (crd, name) = (records.text(index, "crd"), records.text(index, "name"));
    let name = Element::written(&crd, kind.unwrap_or(Kind::Resource), &place, &name);
    let removed = records.text(index, "removed");
    let reason = records.text(index, "reason");
    let replacement = Some(records.text(index, "replacement")).filter(|text| !text.is_empty());
    let migrated = records.flag(index, "migrated");

    let (lacks_name, lacks_path) = (records.lacks(index, "name"), records.lacks(index, "path"));
    let mut wrong = |key: &str, message: String| records.error_at(index, key, message);
    if !name.crd.is_empty() && !is_crd_name(&name.crd) {
        wrong("crd", no_crd_name(&name.crd));
    }
    if !place.is_empty() && !is_path(&place) {
        wrong(
            "path",
            format!("`{place}` is not a schema path: write it as in findings, for example spec.rules[*].matches"),
        );
    }
    if let Some(kind) = kind {
        for (key, message) in wrong_for_kind(kind, &name, lacks_name, lacks_path) {
            wrong(key, message);
        }
    }
    if !removed.is_empty() && !is_version(&removed) {
        wrong("removed", format!("`{removed}` is not a bundle version: write one such as v1.4.0"));
    }
    if let (Some(kind), Some(other)) = (kind, &replacement) {
        let own = if kind == Kind::Resource { &name.crd } else { &name.name };
        if other == own {
            wrong("replacement", format!("`{own}` cannot replace itself"));
        } else if kind == Kind::Resource && !is_crd_name(other) {
            wrong("replacement", no_crd_name(other));
        }
    }
    if migrated && kind.is_some_and(|kind| kind != Kind::Version) {
        wrong("migrated", "only an API version can be migrated".to_owned());
    }
    if records.is_blank(index, "reason") {
        records.error_at(index, "reason", "the reason is empty: write why the name must not return".to_owned());
    }
    Tombstone { name, removed, reason, replacement, migrated }
}

/// What a name of this kind must not have, or lacks.
fn wrong_for_kind(
    kind: Kind,
    name: &Element,
    lacks_name: bool,
    lacks_path: bool,
) -> impl Iterator<Item = (&'static str, String)> {
    let of_name = match kind == Kind::Resource {
        true => (!name.name.is_empty()).then(|| "a resource has no `name`: `crd` is its name".to_owned()),
        false => lacks_name.then(|| format!("a {} needs a `name`", kind.word())),
    };
    let of_path = match kind {
        Kind::Resource | Kind::Version => (!name.path.is_empty()).then(|| format!("a {} has no `path`", kind.word())),
        Kind::Value => lacks_path.then(|| "a value needs a `path`: the path of its field".to_owned()),
        Kind::Field | Kind::Rule | Kind::Constraint => None,
    };
    [("name", of_name), ("path", of_path)].into_iter().filter_map(|(key, message)| Some((key, message?)))
}

/// True for `plural.group`.
fn is_crd_name(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    text.contains('.') && text.split('.').all(is_label)
}

fn no_crd_name(text: &str) -> String {
    format!(
        "`{text}` is not the name of a CRD: write its plural and group, such as httproutes.gateway.networking.k8s.io"
    )
}

/// True for `spec.rules[*].matches`.
fn is_path(text: &str) -> bool {
    path::parts(text).all(|part| match part {
        Ok((at, Part::Sign(sign))) => at > 0 && sign == "[*]",
        Ok((_, Part::Name(_))) => true,
        Err(_) => false,
    })
}

impl Ledger {
    /// Reads the text of a file. `is_version` is true for a bundle version.
    ///
    /// # Errors
    /// All errors, each with its line.
    pub fn read(text: &str, file: &Path, is_version: &dyn Fn(&str) -> bool) -> Result<Ledger, Vec<Diagnostic>> {
        let mut records = Records::read(text, "tombstones", KEYS);
        let mut ledger = Ledger::default();
        for index in 0..records.records.len() {
            let tombstone = entry(&mut records, index, is_version);
            let shown = tombstone.name.to_string();
            ledger.locate(tombstone.name.clone(), records.records[index].line);
            if ledger.add(tombstone).is_err() {
                records.error_at(index, "name", format!("the {shown} already has a tombstone"));
            }
        }
        let errors = records.finish("tombstone-malformed", file);
        if errors.is_empty() { Ok(ledger) } else { Err(errors) }
    }

    pub fn to_text(&self) -> String {
        let mut writer = YamlWriter::append_to(HEAD.to_owned(), Start::None);
        writer.begin_map();
        writer.key("tombstones");
        writer.begin_list();
        for tombstone in self.entries() {
            writer.item();
            send_value(&tombstone.to_value(), &mut writer);
        }
        writer.end_list();
        writer.end_map();
        writer.finish()
    }
}
