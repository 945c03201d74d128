//! Objects of an old CRD: with values where the new one differs, and elsewhere; examples that were published; and objects that the new one refuses.
//!
//! Invariants: the old CRD accepts each object with its status. The same CRDs give the same objects.

use std::collections::BTreeSet;
use std::sync::Arc;

use crd_boundary::Dice;
use crd_channels::Channel;
use crd_compat::Witness;
use crd_model::crd::Version;
use crd_model::schema::SchemaPath;
use crd_model::{CustomResourceDefinition, Schema, yaml};
use serde_json::{Value, json};

use crate::documents::{our_examples, upstream_examples};
use crate::served::{Served, frame, written_nodes};
use crate::witnesses::{Bundle, findings};

/// Objects with every field that only experimental has, and objects that only one channel or version accepts.
const SWITCHING: [&str; 3] = [
    include_str!("../switching/during.yaml"),
    include_str!("../switching/stricter.yaml"),
    include_str!("../switching/older.yaml"),
];

/// How many objects have a value at one path.
const OF_PATH: usize = 2;
/// How many paths are tried for each object. A small schema has few different objects.
const TRIES: usize = 4;
/// The distance of the paths that follow each other: a prime, so that neighbours differ.
const STRIDE: usize = 7_919;

/// The keywords of a node about its own value.
fn own(node: &Schema) -> Schema {
    Schema {
        default: node.default.clone(),
        enumeration: node.enumeration.clone(),
        format: node.format.clone(),
        kind: node.kind.clone(),
        list_map_keys: node.list_map_keys.clone(),
        list_type: node.list_type.clone(),
        max_items: node.max_items,
        max_length: node.max_length,
        max_properties: node.max_properties,
        maximum: node.maximum.clone(),
        min_items: node.min_items,
        min_length: node.min_length,
        min_properties: node.min_properties,
        minimum: node.minimum.clone(),
        nullable: node.nullable,
        pattern: node.pattern.clone(),
        preserve_unknown_fields: node.preserve_unknown_fields,
        required: node.required.clone(),
        validations: node.validations.clone(),
        ..Schema::default()
    }
}

/// Objects of a version of the old CRD, with different names.
pub(super) fn objects(
    old: &CustomResourceDefinition,
    version: &Version,
    new: Option<&CustomResourceDefinition>,
    wanted: usize,
    minor: u32,
) -> Vec<Value> {
    let Some(served) = Served::new(old, version, minor) else { return Vec::new() };
    let frame = frame(old, version);
    let channels = [Channel::Experimental, Channel::Standard];
    let examples =
        channels.into_iter().flat_map(|channel| [our_examples(channel), upstream_examples(channel)]).flatten();
    let examples = SWITCHING
        .iter()
        .flat_map(|text| yaml::read(text).expect("our own YAML"))
        .chain(examples.map(|example| example.object));
    let examples = examples.filter(|object| object["kind"] == *old.names.kind).map(|mut object| {
        object.as_object_mut().expect("an object").extend(frame.clone());
        object
    });
    let examples = examples.filter(|object| served.refusal(object).is_none()).collect::<Vec<_>>();

    let target = new.and_then(|new| {
        let same = new.versions.iter().find(|known| known.name == version.name);
        same.or_else(|| new.versions.iter().find(|known| known.storage))
    });
    let is_same = |path: &SchemaPath, node: &Schema| {
        target.is_none_or(|target| path.node(&target.schema).is_some_and(|other| own(other) == own(node)))
    };
    let (elsewhere, near): (Vec<_>, Vec<_>) = written_nodes(&version.schema)
        .map(|(path, node)| (is_same(&path, node), path))
        .partition(|(is_same, _)| *is_same);
    let mut found = refused(old, new, version, &served);
    found.truncate(wanted / 4);
    found.extend(examples.iter().take(wanted / 4).cloned());
    let mut search = served.search(old, version, examples);
    let mut dice = Dice::new(old.names.kind.len() as u64 * 7_919 + wanted as u64);
    let mut seen = found.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    // Each path in its turn, and three near ones for one elsewhere.
    let (mut turns, start) = ([0, 0], [dice.below(near.len()), dice.below(elsewhere.len())]);
    for turn in 0..TRIES * wanted {
        let (which, paths) = if turn % 4 < 3 { (0, &near) } else { (1, &elsewhere) };
        if found.len() >= wanted {
            break;
        }
        let Some((_, path)) = paths.get((start[which] + turns[which] * STRIDE) % paths.len().max(1)) else { continue };
        turns[which] += 1;
        let seed = dice.below(1 << 20) as u64;
        let of_path = search.varied(path, 2 * OF_PATH, seed).into_iter().rev();
        found.extend(of_path.filter(|object| seen.insert(object.to_string())).take(OF_PATH));
    }
    found.truncate(wanted);
    for (index, object) in found.iter_mut().enumerate() {
        let name = object["metadata"]["name"].take();
        object["metadata"]["name"] = json!(format!("object-{index}"));
        // A schema can permit one name only.
        if served.refusal(object).is_some() {
            object["metadata"]["name"] = name;
        }
    }
    let mut names = BTreeSet::new();
    found.retain(|object| names.insert(object["metadata"]["name"].to_string()));
    found
}

/// Objects that the old CRD accepts and the new one refuses: the witnesses of their comparison.
fn refused(
    old: &CustomResourceDefinition,
    new: Option<&CustomResourceDefinition>,
    version: &Version,
    served: &Served,
) -> Vec<Value> {
    let Some(new) = new else { return Vec::new() };
    let bundle = |crd: &CustomResourceDefinition| Bundle {
        word: String::new(),
        channels: [(Channel::Standard, vec![Arc::new(crd.clone())])].into(),
    };
    let witnesses = findings(&bundle(old), &bundle(new)).into_iter().filter_map(|finding| match finding.witness {
        Some(Witness::Object(object) | Witness::Status { stored: None, object }) => {
            (finding.version.as_deref() == Some(&*version.name)).then_some(object)
        }
        _ => None,
    });
    witnesses.filter(|object| served.refusal(object).is_none()).collect()
}
