//! What a plan of a migration contains, and what blocks it.

use std::collections::BTreeSet;

use crd_apiserver::prune;
use crd_convert::{Conversions, Document};
use crd_model::CustomResourceDefinition;
use crd_model::crd::Scope;
use crd_model::schema::Schema;
use crd_upgrade::migrate::{Blocked, BundlePlan, StoragePlan, Target};
use serde_json::{Value, json};

use super::model::{CRDS, Model, Store};
use super::things::{FIELDS, THINGS, crd, installed, things, version};

/// The plan for a CRD with these entries in `storedVersions`.
async fn plan(mut crd: Value, stored_versions: &[&str]) -> Result<StoragePlan, Blocked> {
    crd["status"]["storedVersions"] = json!(stored_versions);
    let mut store = Store::default();
    store.create(CRDS, crd);
    let cluster = Model::new(store).cluster(7).await;
    StoragePlan::new(&installed(&cluster).await.unwrap())
}

/// The CRD of things that were stored as v1beta1.
fn of_things() -> Value {
    things(0).crd(THINGS)
}

#[tokio::test]
async fn a_plan_has_the_versions_that_leave() {
    let plan = plan(of_things(), &["v1beta1", "v1"]).await.unwrap();
    assert_eq!((plan.name(), plan.storage(), plan.leaving().collect::<Vec<_>>()), (THINGS, "v1", vec!["v1beta1"]));
    let plan = self::plan(of_things(), &["v1"]).await.unwrap();
    assert_eq!(plan.leaving().count(), 0);
}

#[tokio::test]
async fn what_blocks_a_plan_is_in_its_diagnostics() {
    let change = |change: fn(&mut Value)| {
        let mut crd = of_things();
        change(&mut crd);
        crd
    };
    let unserved = |crd: &mut Value, index: usize| crd["spec"]["versions"][index]["served"] = json!(false);
    let mut hidden = crd(&[version("v1beta1", false, false, &["size", "old"]), version("v1", true, true, &FIELDS)]);
    let both = ["v1beta1", "v1"].as_slice();
    for (crd, stored, expected) in [
        (
            change(|crd| crd["spec"]["conversion"] = json!({"strategy": "Webhook"})),
            both,
            [("migrate::conversion-webhook", "with a webhook")].as_slice(),
        ),
        (
            of_things(),
            &["v1alpha1", "v1alpha2", "v1"],
            &[("migrate::missing-version", "stored as v1alpha1"), ("migrate::missing-version", "stored as v1alpha2")],
        ),
        (hidden.clone(), both, &[("migrate::hidden-fields", "v1beta1 is not served, and has `spec.old`")]),
        // The storage version has a field that no write can name.
        (
            crd(&[version("v1beta1", true, false, &["size"]), version("v1", false, true, &FIELDS)]),
            both,
            &[("migrate::hidden-fields", "v1 is not served, and has `spec.invalid`, which v1beta1 does not have")],
        ),
        (
            change(|crd| crd["metadata"]["deletionTimestamp"] = json!(super::model::DELETED_AT)),
            both,
            &[("migrate::unready", "being deleted")],
        ),
        (
            change(|crd| {
                crd["status"]["conditions"][0] = json!({"type": "Established", "status": "False", "message": "names"})
            }),
            both,
            &[("migrate::unready", "names")],
        ),
        (change(|crd| crd["spec"]["scope"] = json!("Galaxy")), both, &[("cluster::unreadable-crd", "Galaxy")]),
    ] {
        let mut crd = crd;
        // The model removes a deleted CRD without finalizers.
        crd["metadata"]["finalizers"] = json!(["x"]);
        let blocked = plan(crd, stored).await.unwrap_err();
        let found = blocked.iter().map(|found| (found.code, &*found.message)).collect::<Vec<_>>();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for ((code, message), (expected_code, text)) in found.iter().zip(expected) {
            assert!(code == expected_code && message.contains(text), "{found:?}");
        }
        assert!(blocked.iter().all(|found| found.location.crd.as_ref().is_some_and(|crd| crd.name == THINGS)));
    }
    let mut none = of_things();
    (0..2).for_each(|index| unserved(&mut none, index));
    assert_eq!(plan(none, both).await.unwrap_err()[0].code, "migrate::unready");
    // All reasons are reported together.
    hidden["spec"]["conversion"] = json!({"strategy": "Webhook"});
    assert_eq!(plan(hidden, both).await.unwrap_err().len(), 2);
    let mut unreadable = deleted(of_things());
    unreadable["spec"]["scope"] = json!("Galaxy");
    let codes = plan(unreadable, both).await.unwrap_err().iter().map(|found| found.code).collect::<Vec<_>>();
    assert_eq!(codes, ["cluster::unreadable-crd", "migrate::unready"]);
}

/// The same CRD while it is being deleted.
fn deleted(mut crd: Value) -> Value {
    crd["metadata"]["deletionTimestamp"] = json!(super::model::DELETED_AT);
    // The model removes a deleted CRD without finalizers.
    crd["metadata"]["finalizers"] = json!(["x"]);
    crd
}

/// The codes of what blocks the migration of a CRD to this one, with an annotation of an earlier migration.
async fn blocked(installed: Value, annotation: Option<&str>, target: &CustomResourceDefinition) -> Vec<&'static str> {
    let mut installed = installed;
    if let Some(annotation) = annotation {
        installed["metadata"]["annotations"]["crd-channels/migration"] = json!(annotation);
    }
    let mut store = Store::default();
    store.create(CRDS, installed);
    let cluster = Model::new(store).cluster(7).await;
    let [generator, prefix] = [String::new(), String::new()];
    let document = Document { generator, prefix, lenses: Vec::new(), removed: Vec::new() };
    let target = Target {
        name: "v2.0.0 standard".to_owned(),
        crds: vec![target.clone()],
        experimental: Vec::new(),
        known: Vec::new(),
        conversions: Conversions::with_known_code(&document, &[]).unwrap(),
        drops: BTreeSet::new(),
        looks_for_removed_fields: false,
    };
    match BundlePlan::new(&cluster, &target.crds[0], &target).await {
        Ok(_) => Vec::new(),
        Err(blocked) => blocked.iter().map(|found| found.code).collect(),
    }
}

#[tokio::test]
async fn all_that_blocks_a_migration_is_reported_together() {
    let mut target = of_things();
    target["apiVersion"] = json!("apiextensions.k8s.io/v1");
    target["kind"] = json!("CustomResourceDefinition");
    let target = CustomResourceDefinition::from_value(&target).unwrap();
    let mut cluster_wide = target.clone();
    cluster_wide.scope = Scope::Cluster;
    let mut unreadable = of_things();
    unreadable["spec"]["scope"] = json!("Galaxy");
    let (unready, other, refused) = ("migrate::unready", "migrate::other-migration", "migrate::target-refused");
    for (installed, annotation, target, expected) in [
        (of_things(), None, &target, [].as_slice()),
        (of_things(), Some("{"), &target, &[other]),
        (of_things(), Some("{"), &cluster_wide, &[other, refused]),
        (deleted(of_things()), Some("{"), &cluster_wide, &[unready, other, refused]),
        (deleted(of_things()), None, &cluster_wide, &[unready, refused]),
        (unreadable.clone(), None, &target, &["cluster::unreadable-crd"]),
        (deleted(unreadable), Some("{"), &cluster_wide, &["cluster::unreadable-crd", unready, other]),
    ] {
        assert_eq!(blocked(installed, annotation, target).await, expected, "{annotation:?}");
    }
}

#[tokio::test]
async fn an_unserved_storage_version_is_written_through_a_version_with_all_of_its_fields() {
    let versions = [version("v1alpha1", true, false, &["size"]), version("v1beta1", true, false, &FIELDS)];
    let mut crd = crd(&[versions[0].clone(), versions[1].clone(), version("v1", false, true, &FIELDS)]);
    assert!(plan(crd.clone(), &["v1beta1", "v1"]).await.is_ok());
    crd["spec"]["versions"][1]["served"] = json!(false);
    assert_eq!(plan(crd, &["v1beta1", "v1"]).await.unwrap_err()[0].code, "migrate::hidden-fields");
}

/// An old and a new schema of `spec`, and a value of the old one. Whether the new one drops something is decided by `prune`, which is proven on
/// servers.
#[tokio::test]
async fn a_plan_is_blocked_by_each_field_that_the_storage_version_drops() {
    let field = |name: &str, schema: Value| json!({"type": "object", "properties": {name: schema}});
    let (text, open) =
        (json!({"type": "string"}), json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}));
    let list = |items: Value| json!({"type": "array", "items": items});
    let map = |values: Value| json!({"type": "object", "additionalProperties": values});
    let open_with = |schema: Value| {
        let mut open = field("a", schema);
        open["x-kubernetes-preserve-unknown-fields"] = json!(true);
        open
    };
    let int_or_string = json!({"x-kubernetes-int-or-string": true});
    let empty = json!({"type": "object"});
    for (old, new, value, is_lost) in [
        (field("a", text.clone()), field("a", text.clone()), json!({"a": "x"}), false),
        (field("a", text.clone()), field("b", text.clone()), json!({"a": "x"}), true),
        // Fields with the names of those of every object.
        (field("kind", text.clone()), empty.clone(), json!({"kind": "x"}), true),
        (field("metadata", text.clone()), empty.clone(), json!({"metadata": "x"}), true),
        (field("a", field("b", text.clone())), field("a", empty.clone()), json!({"a": {"b": "x"}}), true),
        (field("a", list(field("b", text.clone()))), field("a", list(empty.clone())), json!({"a": [{"b": "x"}]}), true),
        (field("a", list(text.clone())), field("a", list(text.clone())), json!({"a": ["x"]}), false),
        (map(field("b", text.clone())), map(empty.clone()), json!({"k": {"b": "x"}}), true),
        (map(text.clone()), map(text.clone()), json!({"k": "x"}), false),
        (map(text.clone()), field("a", text.clone()), json!({"k": "x"}), true),
        (field("a", text.clone()), map(text.clone()), json!({"a": "x"}), false),
        (map(text.clone()), open.clone(), json!({"k": "x"}), false),
        (open.clone(), open.clone(), json!({"k": {"l": "x"}}), false),
        (open.clone(), empty.clone(), json!({"k": "x"}), true),
        (open.clone(), map(empty.clone()), json!({"k": {"l": "x"}}), true),
        (field("a", field("b", text.clone())), open.clone(), json!({"a": {"b": "x"}}), false),
        // An open object with a closed field.
        (field("a", field("b", text.clone())), open_with(empty.clone()), json!({"a": {"b": "x"}}), true),
        (field("c", field("b", text.clone())), open_with(empty.clone()), json!({"c": {"b": "x"}}), false),
        (open.clone(), open_with(empty.clone()), json!({"a": {"b": "x"}}), true),
        (open.clone(), open_with(list(empty.clone())), json!({"a": [{"b": "x"}]}), true),
        (open.clone(), open_with(text.clone()), json!({"a": "x"}), false),
        (open.clone(), open_with(int_or_string.clone()), json!({"a": 1}), false),
        (open_with(text.clone()), open.clone(), json!({"a": "x"}), false),
        (field("a", field("b", text.clone())), field("a", text.clone()), json!({"a": {"b": "x"}}), true),
        (field("a", int_or_string.clone()), field("a", int_or_string), json!({"a": 1}), false),
    ] {
        let whole = json!({"type": "object", "properties": {"spec": new}});
        let lost = prune(&Schema::from_value(&whole).unwrap(), &mut json!({"spec": value.clone()}));
        assert_eq!(!lost.is_empty(), is_lost, "{new} and {value}: {lost:?}");
        let [mut before, mut after] = [version("v1beta1", false, false, &[]), version("v1", true, true, &[])];
        before["schema"]["openAPIV3Schema"]["properties"]["spec"] = old.clone();
        after["schema"]["openAPIV3Schema"]["properties"]["spec"] = new.clone();
        let mut crd = crd(&[before, after]);
        let plan = self::plan(crd.clone(), &["v1beta1", "v1"]).await;
        assert_eq!(plan.is_err(), is_lost, "{old} to {new}: {plan:?}");
        crd["spec"]["preserveUnknownFields"] = json!(true);
        assert!(self::plan(crd, &["v1beta1", "v1"]).await.is_ok());
    }
}
