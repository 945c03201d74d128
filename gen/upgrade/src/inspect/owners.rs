//! Who owns the CRDs: a release of Helm, a tool of delivery, a platform, or the programs that write them; and what a take-over would do.
//!
//! Invariants: what is known about tools and platforms is in `owners.yaml`, each with its source. An annotation or label of a tool decides. Every program that writes
//! the CRD is an owner too, unless the tool itself has not written it: a program of another name works for it then.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crd_cluster::{InstalledCrd, Metadata};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::some_of;
use crd_model::yaml;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::inspect::codes;

/// How many fields a message names.
const MOST_NAMED: usize = 3;

/// An owner of a CRD.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Owner {
    /// In words: `Helm release NAMESPACE/NAME`, `Argo CD application NAME`, `kubectl`.
    pub name: String,
    /// What shows it: an annotation, a label or a field manager.
    pub evidence: String,
    /// What the owner does after another program has installed the target. Nothing without a target, or if the owner does nothing.
    pub take_over: Option<String>,
    #[serde(skip)]
    row: Option<&'static Row>,
}

/// A row of `owners.yaml`, which explains the keys.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Row {
    name: String,
    marks: Vec<String>,
    names: Vec<String>,
    managers: Vec<String>,
    effect: String,
    instead: String,
    runs: String,
}

/// The test of each row proves that it can be read.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let documents = yaml::read(include_str!("owners.yaml")).unwrap_or_default();
    documents.into_iter().next().and_then(|rows| Vec::deserialize(rows).ok()).unwrap_or_default()
});

/// The owners of a CRD.
pub(crate) fn owners(metadata: &Metadata) -> Vec<Owner> {
    let value = |key: &String| metadata.annotations.get(key).or_else(|| metadata.labels.get(key));
    let mut programs = programs(metadata);
    let mut owners = Vec::<Owner>::new();
    let mut has_written = true;
    for row in &*ROWS {
        let mark = row.marks.iter().find(|mark| value(mark).is_some_and(|value| value != "external"));
        let manager = row.managers.iter().filter(|manager| programs.remove(&***manager)).last();
        if mark.or(manager).is_none() || owners.iter().any(|owner| owner.row.is_some_and(|own| own.runs == row.name)) {
            continue;
        }
        has_written &= manager.is_some();
        let names = row.names.iter().filter_map(|key| value(key)?.split(':').next()).collect::<Vec<_>>().join("/");
        let evidence = mark.cloned().or(manager.map(|manager| format!("field manager {manager}"))).unwrap_or_default();
        let name = format!("{} {names}", row.name).trim_end().to_owned();
        owners.push(Owner { name, evidence, take_over: None, row: Some(row) });
    }
    owners.extend(programs.into_iter().filter(|_| has_written).map(|program| Owner {
        name: program.to_owned(),
        evidence: format!("field manager {program}"),
        take_over: None,
        row: None,
    }));
    owners
}

/// The programs that write the object itself, not its status. All commands of `kubectl` are one program.
fn programs(metadata: &Metadata) -> BTreeSet<&str> {
    let managed = metadata.managed_fields.iter().filter(|field| field.subresource.is_none());
    managed.map(|field| if field.manager.starts_with("kubectl") { "kubectl" } else { &*field.manager }).collect()
}

/// What is wrong with the owners of the CRDs: one of them has several, or they have different ones.
pub(crate) fn finding<'c>(crds: impl Iterator<Item = &'c InstalledCrd>) -> Option<Diagnostic> {
    let mut by_owners: BTreeMap<Vec<String>, Vec<&str>> = BTreeMap::new();
    for installed in crds {
        let names = owners(&installed.metadata).into_iter().map(|owner| owner.name).collect();
        by_owners.entry(names).or_default().push(&installed.metadata.name);
    }
    (by_owners.len() > 1 || by_owners.keys().any(|names| names.len() > 1)).then(|| {
        let in_words = |(owners, crds): (&Vec<String>, &Vec<&str>)| {
            let owners = if owners.is_empty() { "no known owner".to_owned() } else { owners.join(" and ") };
            format!("{owners} ({})", some_of(crds, 1))
        };
        let listed = by_owners.iter().map(in_words).collect::<Vec<_>>().join(", ");
        let message = format!("the CRDs have several owners: {listed}");
        codes::OWNERS.finding(message).help("let one program manage all CRDs of the bundle")
    })
}

/// What the installation of a CRD by `kubectl` does to its owners, and what they do. `installed` and `target` are documents.
pub(crate) fn take_over(owners: &mut [Owner], installed: &Value, target: &Value) -> Option<Diagnostic> {
    let mut told = Vec::new();
    let mut help = Vec::new();
    for (manager, fields) in conflicts(installed, target) {
        told.push(format!(
            "`kubectl apply --server-side` conflicts with `{manager}`: {}",
            some_of(&fields, MOST_NAMED)
        ));
    }
    let has_conflicts = !told.is_empty();
    for owner in owners.iter_mut() {
        owner.take_over = owner.row.map(|row| row.effect.clone());
        told.extend(owner.take_over.clone());
        help.extend(owner.row.map(|row| &*row.instead));
    }
    help.extend(has_conflicts.then_some("take the fields over: `kubectl apply --server-side --force-conflicts`"));
    (!told.is_empty()).then(|| {
        let names = owners.iter().map(|owner| &*owner.name).collect::<Vec<_>>().join(" and ");
        codes::TAKE_OVER.finding(format!("owned by {names}: {}", told.join("; "))).help(help.join(", or "))
    })
}

/// The fields that a server-side apply of `kubectl` changes and that another program manages, by program.
fn conflicts(installed: &Value, target: &Value) -> BTreeMap<String, Vec<String>> {
    let mut conflicts = BTreeMap::<String, Vec<String>>::new();
    for entry in installed["metadata"]["managedFields"].as_array().into_iter().flatten() {
        let manager = entry["manager"].as_str().unwrap_or_default();
        // `kubectl` takes over what it has applied itself.
        let is_own = manager == "kubectl-client-side-apply" || manager == "kubectl" && entry["operation"] == "Apply";
        if !is_own && entry.get("subresource").is_none_or(|subresource| subresource == "") {
            changed(&entry["fieldsV1"], installed, target, "", conflicts.entry(manager.to_owned()).or_default());
        }
    }
    conflicts.retain(|_, fields| !fields.is_empty());
    conflicts
}

/// Adds the managed fields that the target has with another value.
fn changed(managed: &Value, installed: &Value, target: &Value, path: &str, fields: &mut Vec<String>) {
    for (key, below) in managed.as_object().into_iter().flatten() {
        let Some((name, target)) = key.strip_prefix("f:").and_then(|name| Some((name, target.get(name)?))) else {
            continue;
        };
        let path = format!("{path}.{name}");
        if target.is_object() {
            changed(below, &installed[name], target, &path, fields);
        } else if installed.get(name) != Some(target) {
            fields.push(path);
        }
    }
}
