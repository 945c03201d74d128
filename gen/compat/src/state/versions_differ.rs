//! `versions-differ`: served versions of one resource with different fields.
//!
//! Without a conversion, a server stores the fields of the written version. A program that reads an object through a version without a
//! field, and writes it back, erases the field. A server also drops a field that the storage version lacks. A webhook may carry the field
//! in another form, which is not known here.

use std::collections::BTreeSet;

use crd_model::schema::missing_fields;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump;
use crate::rule::webhook::is_webhook;
use crate::rule::{Rule, Section};
use crate::state::{Occurrence, State, Subject};

pub(super) const STATE: State = State {
    rule: Rule {
        id: "versions-differ",
        row: "versions-differ",
        cells: Cells::of(
            Cell::of(&[RequiredBump::Waiver, RequiredBump::Minor]).warned(),
            Cell::of(&[RequiredBump::Waiver, RequiredBump::Minor]).warned(),
            Cell::of(&[RequiredBump::NotAllowed]),
        )
        .semver(Cell::of(&[RequiredBump::Major, RequiredBump::Minor]).warned()),
        one: "field that not all served versions have",
        many: "fields that not all served versions have",
        section: Section::States,
        summary: "Served versions of one resource have different fields.",
        explanation: "\
            A write through one version erases fields that only another version has, unless the node preserves \
            unknown fields. Give all served versions the same fields, or stop serving one. With a conversion \
            webhook it depends on the webhook whether the field is kept: it can store the field in an \
            annotation, for example. In the profile `semver` it needs a major release, and a minor one if only a \
            deprecated version lacks the field.",
        example: r#"new:
  versions:
  - { name: v1 }
  - { name: v1beta1, storage: false, field: { type: object, properties: { mode: { type: string } } } }"#,
    },
    found,
};

fn found<'a>(&Subject { crd, .. }: &Subject<'a>) -> Vec<Occurrence<'a>> {
    let mut found = Vec::new();
    let depends_on_webhook = crd.conversion.as_ref().is_some_and(is_webhook);
    for version in crd.versions.iter().filter(|version| version.served || version.storage) {
        let mut lacks = BTreeSet::new();
        for other in crd.versions.iter().filter(|other| other.served && other.name != version.name) {
            let fields = missing_fields(&version.schema, &other.schema).into_iter();
            lacks.extend(fields.map(|path| (path, other.name.to_string())));
        }
        let name = &version.name;
        let effect = match (depends_on_webhook, version.storage) {
            (true, _) => "whether it is kept depends on the webhook".to_owned(),
            (false, true) => format!("objects are stored in {name}, so it is never stored"),
            (false, false) => format!("a write through {name} erases it"),
        };
        let fix = match depends_on_webhook {
            true => "Give both versions the field, or test that the webhook keeps it.",
            false => {
                "Give both versions the field, or stop serving one of them. If an installer adds a conversion webhook (Helm, kustomize), compare the \
                 CRDs that it renders."
            }
        };
        found.extend(lacks.into_iter().map(|(path, other)| Occurrence {
            crd: crd.name.to_string(),
            version: Some(name.to_string()),
            identity: identity(&path, &other, depends_on_webhook),
            path,
            message: format!("{other} has this field and {name} does not: {effect}"),
            fix: Some(fix.to_owned()),
            depends_on_webhook,
            is_of_deprecated: version.deprecated && !version.storage,
            ..Occurrence::default()
        }));
    }
    found
}

/// What identifies a difference from another version. Without its webhook, a known difference is a new problem.
pub(super) fn identity(what: &str, other: &str, depends_on_webhook: bool) -> String {
    format!("{what} {other}{}", if depends_on_webhook { " by webhook" } else { "" })
}
