//! The values that templates get: the facts of a release.
//!
//! Invariants: names never change, because templates of other projects use them; an empty list is present.

use crd_bundle::BundleFile;
use crd_model::channel::Channel;
use crd_model::crd::ANNOTATIONS_LIMIT;
use crd_model::policy::Policy;
use serde_json::{Value, json};

use crate::Release;
use crd_bundle::admission::{declared, safe_upgrades};

/// The values for every text of a release:
/// `name`, `prefix`, `version` (with its `v`), `plain_version` (without), `released` (the release date with its time), `date` (its day in UTC),
/// `channels` (a list of `name`, `purpose`, `is_stable` and `crds`), `probe` (a command that servers refuse as soon as the policy for safe
/// upgrades is active; empty without CRDs).
pub(crate) fn release(release: &Release) -> Value {
    let channels: Vec<Value> = release
        .channels
        .iter()
        .map(|released| {
            let channel = released.channel;
            json!({
                "name": channel.name(), "purpose": release.purpose(channel), "is_stable": is_stable(channel),
                "crds": crds(&released.files),
            })
        })
        .collect();
    json!({
        "name": release.name, "prefix": release.prefix, "version": release.version.to_string(),
        "plain_version": release.plain_version(), "released": release.released.to_string(), "date": release.released.date(),
        "channels": channels, "probe": safe_upgrades::probe(release).unwrap_or_default(),
    })
}

/// The same with values of one channel: `channel` (its name), `purpose`, `is_stable` and `crds`.
pub(crate) fn channel(of: &Release, channel: Channel) -> Value {
    let mut context = release(of);
    add(&mut context, "channel", channel.name().into());
    add(&mut context, "purpose", of.purpose(channel).into());
    add(&mut context, "is_stable", is_stable(channel).into());
    add(&mut context, "crds", crds(of.channel(channel)));
    context
}

/// Whether `kubectl apply` without `--server-side` can install these files: it copies each object into an annotation, as Go writes JSON.
pub(crate) fn client_side<'files>(files: impl IntoIterator<Item = &'files BundleFile>) -> bool {
    files.into_iter().all(|file| file.crd.client_side_bytes() <= ANNOTATIONS_LIMIT)
}

/// The `kind` and `name` of each object.
pub(crate) fn objects(objects: &[Value]) -> Value {
    let text =
        |object: &Value, pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    objects
        .iter()
        .map(|object| json!({ "kind": text(object, "/kind"), "name": text(object, "/metadata/name") }))
        .collect()
}

/// The `name` and `about` of each policy of the catalogue.
pub(crate) fn policies(of: &Release) -> Value {
    let policy = |policy: &Policy| json!({ "name": declared::name(policy, &of.prefix), "about": policy.about() });
    of.policies.iter().map(policy).collect()
}

pub(crate) fn add(context: &mut Value, name: &str, value: Value) {
    if let Value::Object(context) = context {
        context.insert(name.to_owned(), value);
    }
}

/// The `name`, `group`, `kind`, `plural` and `file` of each CRD.
fn crds(files: &[BundleFile]) -> Value {
    files
        .iter()
        .map(|file| {
            let crd = &file.crd;
            json!({
                "name": crd.name, "group": crd.group, "kind": crd.names.kind, "plural": crd.names.plural, "file": file.name,
            })
        })
        .collect()
}

/// Whether it is the most stable channel.
fn is_stable(channel: Channel) -> bool {
    Channel::ALL.first() == Some(&channel)
}
