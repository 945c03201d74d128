//! `version-type-clash`: served versions of one resource with different types under one name.

use crate::clash::{Clash, Kind, clashes};
use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor, NotAllowed};
use crate::rule::webhook::is_webhook;
use crate::rule::{Rule, Section};
use crate::state::versions_differ::identity;
use crate::state::{Occurrence, State, Subject};

pub(super) const STATE: State = State {
    rule: Rule {
        id: "version-type-clash",
        row: "version-type-clash",
        cells: Cells::of(
            Cell::of(&[NotAllowed, Minor]).warned(),
            Cell::of(&[NotAllowed, Minor]).warned(),
            Cell::of(&[NotAllowed]),
        )
        .semver(Cell::of(&[Major, Minor]).warned()),
        one: "name with different types in two versions",
        many: "names with different types in two versions",
        section: Section::States,
        summary: "Versions of one resource that are served or stored have different types under one name.",
        explanation: "\
            Without a conversion, a server returns values that do not match the type of the version, and drops \
            the fields of objects where the version has another type: a list of objects becomes a list of empty \
            objects. Any write through the version stores them. With a conversion webhook it depends on the \
            webhook.",
        example: r#"new:
  versions:
  - { name: v1 }
  - { name: v1beta1, storage: false, field: { type: integer } }"#,
    },
    found,
};

fn found<'a>(subject: &Subject<'a>) -> Vec<Occurrence<'a>> {
    of_kind(subject, Kind::Type, &|clash| {
        let [old, new] = clash.difference.values().map(|kind| match kind {
            Some(serde_json::Value::String(kind)) => format!("the type {kind}"),
            _ => "no type".to_owned(),
        });
        let (from, to) = (&clash.from.name, &clash.to.name);
        Words {
            what: format!("this has {old} in {from} and {new} in {to}"),
            effect: "without a conversion, a server returns values that clients of the other version cannot read"
                .to_owned(),
            fix: "Choose another name in one of the versions, or stop serving one of them.",
        }
    })
}

/// A clash in words.
pub(super) struct Words {
    pub(super) what: String,
    /// What happens without a conversion.
    pub(super) effect: String,
    /// How to fix it if no webhook converts.
    pub(super) fix: &'static str,
}

/// The occurrences of the clashes of this kind.
pub(super) fn of_kind<'a>(
    &Subject { channel, crd, prover, .. }: &Subject<'a>,
    kind: Kind,
    words: &dyn Fn(&Clash<'a>) -> Words,
) -> Vec<Occurrence<'a>> {
    let mut found = Vec::new();
    let depends_on_webhook = crd.conversion.as_ref().is_some_and(is_webhook);
    for clash in clashes(channel, crd, prover).into_iter().filter(|clash| clash.kind == kind) {
        let Words { what, effect, fix } = words(&clash);
        let path = clash.difference.path();
        let subject = format!("{path} {}", clash.subject());
        let (effect, fix) = match depends_on_webhook {
            true => (
                "whether objects of one version are valid in the other depends on the webhook".to_owned(),
                "Test that the webhook converts it in both directions.",
            ),
            false => (effect, fix),
        };
        found.push(Occurrence {
            crd: crd.name.to_string(),
            version: Some(clash.to.name.to_string()),
            identity: identity(&subject, &clash.from.name, depends_on_webhook),
            path,
            message: format!("{what}: {effect}"),
            fix: Some(fix.to_owned()),
            depends_on_webhook,
            // A webhook may change the object of a witness.
            difference: (!depends_on_webhook).then_some((clash.difference, clash.direction)),
            ..Occurrence::default()
        });
    }
    found
}
