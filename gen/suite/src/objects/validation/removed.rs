//! Names with a tombstone, in objects: the version in which they were removed, and the reason.

use crate::codes;
use crd_compat::tombstone::{Element, Kind, Ledger, Tombstone};
use crd_diagnostics::Diagnostic;
use crd_model::{CustomResourceDefinition, Schema};
use crd_names::wire::plural;
use serde_json::{Deserializer, Value};

use super::hint;

/// The tombstone of an API version of the CRD, or without a CRD that of the resource.
pub(super) fn kind_or_version<'l>(
    ledger: &'l Ledger,
    crd: Option<&CustomResourceDefinition>,
    api_version: &str,
    kind: &str,
) -> Option<&'l Tombstone> {
    let (group, version) = api_version.split_once('/')?;
    match crd {
        Some(crd) => find(ledger, &crd.name, Kind::Version, "", version),
        None => find(ledger, &format!("{}.{group}", plural(kind)), Kind::Resource, "", ""),
    }
}

/// The tombstone of an unknown field, or of a value that is not supported.
pub(super) fn field_or_value<'l>(
    ledger: &'l Ledger,
    crd: &CustomResourceDefinition,
    schema: &Schema,
    path: &str,
    finding: &Diagnostic,
) -> Option<&'l Tombstone> {
    match finding.code {
        codes::UNKNOWN_FIELD => {
            let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
            find(ledger, &crd.name, Kind::Field, &hint::at(schema, parent)?.1, name)
        }
        codes::UNSUPPORTED => {
            let (_, shown) = finding.message.split_once("Unsupported value: ")?;
            let name = match Deserializer::from_str(shown).into_iter().next()?.ok()? {
                Value::String(text) => text,
                other => other.to_string(),
            };
            find(ledger, &crd.name, Kind::Value, &hint::at(schema, path)?.1, &name)
        }
        _ => None,
    }
}

fn find<'l>(ledger: &'l Ledger, crd: &str, kind: Kind, path: &str, name: &str) -> Option<&'l Tombstone> {
    let name = Element::at(crd, kind, path, name);
    ledger.entries().iter().find(|tombstone| tombstone.name.is_same(&name))
}

/// The diagnostic with the tombstone.
pub(super) fn noted(mut diagnostic: Diagnostic, tombstone: Option<&Tombstone>) -> Diagnostic {
    let Some(Tombstone { removed, reason, replacement, .. }) = tombstone else { return diagnostic };
    diagnostic.message.push_str(&format!("\nremoved in {removed}: {reason}"));
    match replacement {
        Some(replacement) => diagnostic.help(format!("use `{replacement}`")),
        None => diagnostic,
    }
}
