//! `migrate` from end to end: the program with a kubeconfig, and a model of a server on a loopback port.
//!
//! What a migration does is proven in `crd-upgrade` and on real servers. These tests prove how it is asked for, confirmed and printed.

use http::Request;
use kube::client::Body;
use serde_json::{Value, json};

use crate::model::{CRDS, DELETED_AT, LEASES, Model};
use crate::remote::{Printed, Remote};
use crate::shape;
use crate::things::{THINGS, stored_versions, things, version};

/// A place with a kubeconfig for a model.
pub(crate) struct Setting {
    pub(crate) remote: Remote,
    pub(crate) model: Model,
}

impl Setting {
    pub(crate) fn new(count: usize) -> Self {
        Self::with(count, |_| None)
    }

    /// The server answers what the model does, unless `answer` has an answer.
    pub(crate) fn with(
        count: usize,
        answer: impl Fn(&Request<Vec<u8>>) -> Option<Vec<u8>> + Clone + Send + 'static,
    ) -> Self {
        let mut store = things(count);
        store.change(CRDS, THINGS, |crd| {
            crd["metadata"]["annotations"] = json!({"example.com/bundle-version": "v1.0.0"})
        });
        let model = Model::new(store);
        let server = model.clone();
        let remote = Remote::new(move |request| {
            if let Some(bytes) = answer(&request) {
                return (200, bytes);
            }
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let response = runtime.block_on(server.answer(request.map(Body::from))).unwrap();
            let status = response.status().as_u16();
            (status, runtime.block_on(response.into_body().collect_bytes()).unwrap().to_vec())
        });
        Self { remote, model }
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Printed {
        self.remote.run(&[&["migrate"], arguments].concat())
    }

    /// The document, which has the documented shape.
    fn document(&self, arguments: &[&str]) -> (i32, Value) {
        let (code, document) = self.remote.document(&[&["migrate"], arguments].concat());
        let schema: Value = serde_json::from_str(include_str!("../schemas/migration.json")).unwrap();
        let kind = if document.get("served").is_some() { "serving" } else { "migration" };
        let mut own = schema["$defs"][kind].clone();
        own["$defs"] = schema["$defs"].clone();
        assert_eq!(shape::errors(&own, &document), [] as [&str; 0]);
        (code, document)
    }

    fn stored_versions(&self) -> Value {
        stored_versions(&self.model.store())
    }
}

#[test]
fn a_plan_is_shown_and_nothing_is_done_without_confirmation() {
    let setting = Setting::new(3);
    let before = setting.model.store();
    let printed = setting.run(&[]);
    assert_eq!(printed.code, 2);
    assert_eq!(
        printed.out,
        "http://SERVER (Kubernetes v1.37.1): 1 of 1 CRD to migrate\n\nthings.example.com\n  \
         write 3 objects without a change, so that they are stored as v1\n  v1beta1 leaves `status.storedVersions`\n"
    );
    assert!(printed.err.contains("error[usage::confirmation]") && printed.err.contains("--yes"), "{printed:?}");
    assert_eq!(setting.model.store(), before);
}

/// Each of them waits for seconds, so they run at the same time.
#[test]
fn migrations_that_wait() {
    let tests: [fn(); 5] = [
        a_confirmed_plan_is_carried_out_once,
        parts_complete_each_other,
        an_object_that_is_being_deleted_leaves_something_to_do,
        without_its_lens_a_value_is_never_dropped_and_everything_can_be_taken_back,
        a_month_is_a_beginning_and_never_the_form_of_a_lens,
    ];
    std::thread::scope(|scope| {
        let threads = tests.map(|test| scope.spawn(test));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

fn a_confirmed_plan_is_carried_out_once() {
    let setting = Setting::new(3);
    let printed = setting.run(&["--yes"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    let result = "things.example.com: 3 written, complete: v1beta1 left `status.storedVersions`\n";
    assert!(printed.out.ends_with(result), "{printed:?}");
    assert_eq!(setting.stored_versions(), json!(["v1"]));
    assert!(setting.model.store().of(LEASES).is_empty(), "the lease is given back");
    let printed = setting.run(&[]);
    assert_eq!((printed.code, &*printed.out), (0, "http://SERVER (Kubernetes v1.37.1): 0 of 1 CRD to migrate\n"));
}

#[test]
fn a_dry_run_changes_nothing() {
    let setting = Setting::new(3);
    let before = setting.model.store();
    let (code, document) = setting.document(&["things", "--dry-run"]);
    assert_eq!((code, &document["dryRun"], &document["done"]), (0, &json!(true), &json!(true)));
    let crd = &document["crds"][0];
    assert_eq!(
        (&crd["leaving"], &crd["objects"], &crd["result"]["written"]),
        (&json!(["v1beta1"]), &json!(3), &json!(3))
    );
    assert_eq!(setting.model.store().objects, before.objects);
}

fn parts_complete_each_other() {
    let setting = Setting::new(9);
    let (code, first) = setting.document(&["--yes", "--shard", "1/2"]);
    assert_eq!(
        (code, &first["shard"], &first["crds"][0]["result"]["waitsForShards"]),
        (0, &json!("1/2"), &json!(true))
    );
    assert_eq!(setting.stored_versions(), json!(["v1beta1", "v1"]));
    let (code, second) = setting.document(&["--yes", "--shard", "2/2"]);
    assert_eq!((code, &second["crds"][0]["result"]["pruned"]), (0, &json!(true)));
    let written = [first, second].map(|part| part["crds"][0]["result"]["written"].as_u64().unwrap());
    assert_eq!(written[0] + written[1], 9);
    assert_eq!(setting.stored_versions(), json!(["v1"]));
}

fn an_object_that_is_being_deleted_leaves_something_to_do() {
    let setting = Setting::new(3);
    setting.model.state().store.change(THINGS, "red/thing-01", |thing| {
        thing["metadata"]["finalizers"] = json!(["example.com/wait"]);
        thing["metadata"]["deletionTimestamp"] = json!(DELETED_AT);
    });
    let printed = setting.run(&["-y"]);
    assert_eq!(printed.code, 1, "{printed:?}");
    let result = "2 written, 1 being deleted, not complete until it is deleted: migrate again then\n";
    assert!(printed.out.ends_with(result), "{printed:?}");
}

#[test]
fn a_version_leaves_the_service_and_returns() {
    let setting = Setting::new(1);
    let (code, document) = setting.document(&["--unserve", "v1beta1", "--yes"]);
    let changed = json!([{"name": THINGS, "changed": true}]);
    assert_eq!((code, &document["served"], &document["crds"]), (0, &json!(false), &changed));
    assert_eq!(setting.model.store().crd(THINGS)["spec"]["versions"][0]["served"], false);
    let printed = setting.run(&["Thing", "--serve", "v1beta1", "--yes"]);
    assert_eq!((printed.code, &*printed.out), (0, "things.example.com: v1beta1 is served again\n"));
    let printed = setting.run(&["things", "--unserve", "v1", "--dry-run"]);
    assert_eq!((printed.code, &*printed.out), (0, "things.example.com: v1 would not be served\n"));
    let printed = setting.run(&["things", "--unserve", "v7", "--yes"]);
    assert!(printed.code == 1 && printed.err.contains("error[migrate::unknown-version]"), "{printed:?}");
}

#[test]
fn a_crd_that_cannot_be_migrated_is_explained() {
    let setting = Setting::new(1);
    let hook = json!({"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"]}});
    setting.model.state().store.change(CRDS, THINGS, |crd| crd["spec"]["conversion"] = hook);
    let printed = setting.run(&["--yes"]);
    assert_eq!(printed.code, 1);
    assert!(printed.out.contains("[migrate::conversion-webhook]"), "{printed:?}");
    let (_, document) = setting.document(&["--yes"]);
    assert_eq!(document["crds"][0]["findings"][0]["code"], "migrate::conversion-webhook");
}

#[test]
fn wrong_usage_is_explained() {
    let setting = Setting::new(0);
    for (arguments, part) in [
        (&["gadgets"][..], "the cluster does not have the CRD `gadgets`"),
        (&["--shard", "5/4"], "expected I/N such as 1/4"),
        (&["--rate", "0"], "0 is not in 1.."),
        (&["--to-channel", "standard"], "--to <BUNDLE>"),
        (&["--to", "v1.0.0", "--rollback"], "cannot be used with"),
        (&["--to", "missing"], "missing"),
        (&["--journal", "missing/journal"], "error[usage::journal]"),
        (&["--prefix", "other.example.com", "things"], "the cluster does not have the CRD `things`"),
    ] {
        let printed = setting.run(arguments);
        assert!(printed.code == 2 && printed.err.contains(part), "{arguments:?}: {printed:?}");
    }
    assert_eq!(setting.model.store().revision, Setting::new(0).model.store().revision);
}

/// A bundle whose things have the field `count` in place of `size`, and a lens for that.
pub(crate) fn with_target(setting: &Setting) {
    let mut crd = crate::things::crd(&[version("v1", true, true, &["count"])]);
    crd.as_object_mut().unwrap().remove("status");
    crd["metadata"]["annotations"] = json!({"example.com/bundle-version": "v1.1.0", "example.com/channel": "standard"});
    setting.remote.place.write("v1.1.0/standard/things.yaml", crd.to_string());
    let document = json!({
        "schemaVersion": 1, "generator": "test", "prefix": "example.com",
        "lenses": [{
            "name": "size-to-count", "resource": THINGS, "group": "example.com", "kind": "Thing", "since": "v1.1.0",
            "steps": [{"operation": "rename", "from": "spec.size", "to": "spec.count"}],
        }],
    });
    setting.remote.place.write("conversions.json", document.to_string());
}

#[test]
fn objects_get_the_form_of_a_bundle() {
    let setting = Setting::new(3);
    with_target(&setting);
    let target = ["--to", "v1.1.0", "--conversions", "conversions.json"];
    let printed = setting.run(&[&target[..], &["--yes", "--journal", "journal"]].concat());
    assert_eq!(printed.code, 0, "{printed:?}");
    assert!(printed.out.contains("the lens `size-to-count` converts 3 objects"), "{printed:?}");
    let store = setting.model.store();
    assert_eq!(store.of(THINGS)["red/thing-01"].value["spec"], json!({"count": 1}));
    assert_eq!((setting.stored_versions(), &store.crd(THINGS)["spec"]["versions"][1]), (json!(["v1"]), &Value::Null));
    let annotations = &store.crd(THINGS)["metadata"]["annotations"];
    assert_eq!(*annotations, json!({"example.com/bundle-version": "v1.1.0", "example.com/channel": "standard"}));
    let journal = std::fs::read_to_string(setting.remote.place.path().join("journal")).unwrap();
    assert_eq!(journal.lines().count(), 3);
    assert!(journal.contains(r#""spec":{"size":1}"#), "{journal}");
    let printed = setting.run(&target);
    assert_eq!((printed.code, &*printed.out), (0, "http://SERVER (Kubernetes v1.37.1): 0 of 1 CRD to migrate\n"));
}

fn without_its_lens_a_value_is_never_dropped_and_everything_can_be_taken_back() {
    let setting = Setting::new(3);
    with_target(&setting);
    let before = setting.model.store();
    let printed = setting.run(&["--to", "v1.1.0", "--yes"]);
    assert_eq!(printed.code, 1);
    assert!(printed.out.contains("`spec.size` would be lost: example.com/v1 does not have it"), "{printed:?}");
    assert_eq!(setting.model.store().objects, before.objects, "nothing is begun");
    let target = ["--to", "v1.1.0", "--conversions", "conversions.json"];
    let full = setting.run(&[&target[..], &["--yes", "--journal", "/dev/full"]].concat());
    assert!(full.code == 2 && full.err.contains("error[usage::journal]"), "{full:?}");
    let spec = |setting: &Setting| setting.model.store().of(THINGS)["red/thing-01"].value["spec"].clone();
    assert_eq!(spec(&setting), json!({"size": 1}), "an object that is not in the journal stays as it is");
    let other =
        setting.run(&["--to", "v1.1.0", "--to-channel", "experimental", "--conversions", "conversions.json", "-y"]);
    assert_ne!(other.code, 0, "{other:?}");
    let printed = setting.run(&["--rollback", "--yes", "--conversions", "conversions.json"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    assert_eq!(spec(&setting), json!({"size": 1}));
    let (now, was) = (setting.model.store().crd(THINGS), before.crd(THINGS));
    assert_eq!((&now["spec"], &now["metadata"]["annotations"]), (&was["spec"], &was["metadata"]["annotations"]));
    let printed = setting.run(&[&target[..], &["--yes", "--drop", "spec.size"]].concat());
    assert_eq!((printed.code, spec(&setting)), (0, json!({"count": 1})), "{printed:?}");
}

/// A lens belongs to a version, and a month has no order with versions.
fn a_month_is_a_beginning_and_never_the_form_of_a_lens() {
    let setting = Setting::new(3);
    with_target(&setting);
    let month = |setting: &Setting, bundle: &str| {
        let stamps = json!({"example.com/bundle-version": bundle});
        setting.model.state().store.change(CRDS, THINGS, |crd| {
            crd["metadata"]["annotations"].as_object_mut().unwrap().extend(stamps.as_object().unwrap().clone());
        });
    };
    month(&setting, "monthly-2026.06");
    let target = ["--to", "v1.1.0", "--conversions", "conversions.json", "--yes"];
    let full = setting.run(&[&target[..], &["--journal", "/dev/full"]].concat());
    assert!(full.code == 2 && full.err.contains("error[usage::journal]"), "{full:?}");
    let rollback = ["--rollback", "--yes", "--conversions", "conversions.json"];
    let printed = setting.run(&rollback);
    let reason =
        "the annotation with the bundle version before the migration is missing, names a month, or cannot be read";
    let texts = [&*printed.out, &printed.err].concat().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(printed.code == 2 && texts.contains(reason), "{printed:?}");
    month(&setting, "v1.0.0");
    assert_eq!(setting.run(&rollback).code, 0);
    month(&setting, "monthly-2026.06");
    assert_eq!(setting.run(&target).code, 0);
    // To a month: with lenses, and without.
    let path = setting.remote.place.path().join("v1.1.0/standard/things.yaml");
    let text = std::fs::read_to_string(&path).unwrap().replace("v1.1.0", "monthly-2026.07");
    std::fs::write(path, text).unwrap();
    let printed = setting.run(&target);
    let reason = "monthly-2026.07 has no order with the versions of lenses, so the form of its objects is not known";
    assert!(printed.code == 2 && printed.err.contains(reason), "{printed:?}");
    let printed = setting.run(&["--to", "v1.1.0", "--yes"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    let annotations = &setting.model.store().crd(THINGS)["metadata"]["annotations"];
    assert_eq!(annotations["example.com/bundle-version"], "monthly-2026.07");
}

#[test]
fn manifests_are_converted_as_by_convert() {
    let setting = Setting::new(0);
    with_target(&setting);
    setting
        .remote
        .place
        .write("thing.yaml", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {size: 1}\n");
    let printed = setting.run(&["thing.yaml", "--conversions", "conversions.json", "--dry-run"]);
    assert_eq!(printed.code, 3, "{printed:?}");
    let printed = setting.run(&["thing.yaml", "--conversions", "conversions.json"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    let text = std::fs::read_to_string(setting.remote.place.path().join("thing.yaml")).unwrap();
    assert!(text.contains("count: 1"), "{text}");
}
