//! A testbed with kube-controller-manager: what its controllers do on a server with custom resources.
//!
//! Invariants: a program of its own, because only these tests need kube-controller-manager, which takes some minutes to build. They run as a proof
//! (`cargo xtask prove controllers`). Without Go they are skipped and print the reason; with `CRD_TESTBED=require` they fail instead.

mod job;
mod kubelet;
#[path = "../proofs/requests.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod requests;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crd_cluster::{Cluster, run};
use crd_diagnostics::Diagnostic;
use crd_testbed::{Options, Testbed};
use crd_upgrade::migrate::{StoragePlan, run_by_server};
use kube::config::Kubeconfig;
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_crd-testbed");

/// The controllers read the server's resources every 30 s.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// A testbed with controllers, or `None` without Go or on 1.32, whose controllers cannot be built.
fn start() -> Option<Testbed> {
    if !crd_testdata::is_proof() {
        return skipped();
    }
    start_required()
}

fn skipped() -> Option<Testbed> {
    eprintln!(
        "`cargo xtask prove controllers` runs this test, because the build of kube-controller-manager takes minutes"
    );
    None
}

fn start_required() -> Option<Testbed> {
    let options = Options { controllers: true, ..Options::from_environment(Path::new(PROGRAM)) };
    if options.minor == "1.32" {
        eprintln!("skipped: kube-controller-manager of Kubernetes 1.32 cannot be built");
        return None;
    }
    match Testbed::start(&options) {
        Ok(testbed) => Some(testbed),
        Err(failure) if failure.is_missing_go() && !crd_testbed::is_required() => {
            eprintln!("skipped: {failure}");
            None
        }
        Err(failure) => panic!("{failure}"),
    }
}

/// Runs kubectl with this input. Returns its stdout, or its stderr if it fails.
fn try_kubectl(testbed: &Testbed, arguments: &[&str], input: &str) -> Result<String, String> {
    let mut child = Command::new(testbed.kubectl())
        .args(arguments)
        .envs(testbed.environment())
        .env("KUBERC", "off")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("kubectl starts");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("kubectl reads its input");
    let output = child.wait_with_output().expect("kubectl ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

fn kubectl(testbed: &Testbed, arguments: &[&str]) -> String {
    try_kubectl(testbed, arguments, "").unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

fn create(testbed: &Testbed, object: &Value) -> Value {
    let created = try_kubectl(testbed, &["create", "-f", "-", "-o", "json"], &object.to_string());
    serde_json::from_str(&created.unwrap_or_else(|error| panic!("{object}: {error}"))).expect("JSON")
}

fn get(testbed: &Testbed, arguments: &[&str]) -> Value {
    serde_json::from_str(&kubectl(testbed, &[&["get", "-o", "json"], arguments].concat())).expect("JSON")
}

fn wait(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < TIME_LIMIT, "not true within {TIME_LIMIT:?}: {what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Installs the CRD `things.GROUP` with the storage version `v1alpha1` and the version `v1`, and waits until it is served.
fn install(testbed: &Testbed, group: &str) {
    let schema = json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": { "field": { "type": "string" } } } } });
    let version = |name: &str, storage: bool| json!({ "name": name, "served": true, "storage": storage, "schema": { "openAPIV3Schema": schema } });
    create(
        testbed,
        &json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": format!("things.{group}") },
            "spec": {
                "group": group,
                "names": { "kind": "Thing", "plural": "things", "singular": "thing" },
                "scope": "Namespaced",
                "versions": [version("v1alpha1", true), version("v1", false)],
            },
        }),
    );
    kubectl(testbed, &["wait", "--for=condition=Established", &format!("crd/things.{group}"), "--timeout=600s"]);
    wait("the CRD is served", || try_kubectl(testbed, &["get", &format!("things.v1alpha1.{group}")], "").is_ok());
}

/// An object of `v1alpha1` in the namespace `default`.
fn thing(group: &str, name: &str) -> Value {
    let api = format!("{group}/v1alpha1");
    json!({ "apiVersion": api, "kind": "Thing", "metadata": { "name": name, "namespace": "default" }, "spec": { "field": "value" } })
}

/// Changes a CRD by a JSON patch.
fn change(testbed: &Testbed, group: &str, patch: &Value) {
    kubectl(testbed, &["patch", "crd", &format!("things.{group}"), "--type=json", "-p", &patch.to_string()]);
}

/// The patch that makes `v1` the storage version.
fn v1_is_stored() -> Vec<Value> {
    let storage = |index: usize, value: bool| json!({ "op": "replace", "path": format!("/spec/versions/{index}/storage"), "value": value });
    vec![storage(0, false), storage(1, true)]
}

fn stored_versions(testbed: &Testbed, group: &str) -> Value {
    get(testbed, &["crd", &format!("things.{group}")])["status"]["storedVersions"].take()
}

/// Whether this minor has a controller that migrates storage versions, in a version that is not alpha.
fn migrates(testbed: &Testbed) -> bool {
    let number = testbed.minor().name.rsplit('.').next().and_then(|number| number.parse::<u32>().ok());
    number.expect("a minor") >= 35
}

/// Asks the server to migrate this resource, and returns the migration when it has ended.
fn migrate(testbed: &Testbed, group: &str) -> Value {
    let version = if testbed.minor().name == "1.35" || testbed.minor().name == "1.36" { "v1beta1" } else { "v1" };
    let begun = Instant::now();
    create(
        testbed,
        &json!({
            "apiVersion": format!("storagemigration.k8s.io/{version}"),
            "kind": "StorageVersionMigration",
            "metadata": { "name": group },
            "spec": { "resource": { "group": group, "resource": "things" } },
        }),
    );
    let mut migration = Value::Null;
    wait("the migration has ended", || {
        migration = get(testbed, &["storageversionmigration", group]);
        // The controller then changes the CRD, and this condition last.
        condition(&migration, "Running")["status"] == "False"
    });
    println!("{:.1} s: {:#}", begun.elapsed().as_secs_f64(), migration["status"]);
    migration
}

/// The condition of this type, or `null`.
fn condition(object: &Value, kind: &str) -> Value {
    let mut conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions.find(|condition| condition["type"] == kind).cloned().unwrap_or_default()
}

/// The number of processes with this kubeconfig among their arguments.
fn controllers_of(folder: &Path) -> usize {
    let argument = format!("--kubeconfig={}", folder.join("controllers.kubeconfig").display());
    let processes = std::fs::read_dir("/proc").expect("a process table").flatten();
    let arguments = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    arguments.filter(|bytes| String::from_utf8_lossy(bytes).split('\0').any(|word| word == argument)).count()
}

#[test]
fn a_namespace_with_a_custom_resource_is_deleted_and_dependents_are_collected() {
    let Some(testbed) = start() else { return };
    install(&testbed, "example.com");
    let folder = testbed.folder().to_owned();
    assert_eq!(controllers_of(&folder), 1);

    let owner = create(&testbed, &thing("example.com", "owner"));
    let mut dependent = thing("example.com", "dependent");
    dependent["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "name": "owner",
        "uid": owner["metadata"]["uid"],
    }]);
    create(&testbed, &dependent);
    kubectl(&testbed, &["delete", "thing", "owner"]);
    wait("the dependent is collected", || kubectl(&testbed, &["get", "things", "-o", "name"]).is_empty());

    kubectl(&testbed, &["create", "namespace", "own"]);
    let mut inside = thing("example.com", "inside");
    inside["metadata"]["namespace"] = json!("own");
    create(&testbed, &inside);
    kubectl(&testbed, &["delete", "namespace", "own", "--timeout=600s"]);
    let namespaces = kubectl(&testbed, &["get", "namespaces", "-o", "name"]);
    assert!(!namespaces.contains("namespace/own"), "{namespaces}");
    assert_eq!(kubectl(&testbed, &["get", "things", "--all-namespaces", "-o", "name"]), "");

    testbed.stop().expect("it ends");
    assert_eq!(controllers_of(&folder), 0);
}

#[test]
fn the_command_line_runs_controllers() {
    // Reports missing Go, and builds the programs.
    let Some(testbed) = start() else { return };
    let minor = testbed.minor().name;
    testbed.stop().expect("it ends");
    let script = "kubectl create namespace own && kubectl delete namespace own --timeout=600s";
    let mut run = Command::new(PROGRAM);
    let output = run.args(["run", "--controllers", "--kubernetes", minor, "--", "sh", "-c", script]).output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().last(), Some("namespace \"own\" deleted"));
}

#[test]
fn a_storage_version_migration_rewrites_objects_and_prunes_stored_versions() {
    let Some(testbed) = start() else { return };
    if !migrates(&testbed) {
        let error = try_kubectl(&testbed, &["get", "--raw", "/apis/storagemigration.k8s.io"], "").expect_err("absent");
        assert!(error.contains("NotFound"), "{error}");
        return;
    }
    let group = "good.example.com";
    install(&testbed, group);
    for name in ["one", "two"] {
        create(&testbed, &thing(group, name));
    }
    change(&testbed, group, &json!(v1_is_stored()));
    assert_eq!(stored_versions(&testbed, group), json!(["v1alpha1", "v1"]));

    let migration = migrate(&testbed, group);
    assert_eq!(condition(&migration, "Succeeded")["status"], "True", "{migration:#}");
    assert_eq!(condition(&migration, "Failed"), Value::Null);
    assert_eq!(stored_versions(&testbed, group), json!(["v1"]));
    let of_crd = condition(&get(&testbed, &["crd", &format!("things.{group}")]), "StorageMigrating");
    assert_eq!((&of_crd["status"], &of_crd["reason"]), (&json!("False"), &json!("MigrationSucceeded")));
    // A server cannot read an object of a deleted version, so this proves that each object was rewritten.
    change(&testbed, group, &json!([{ "op": "remove", "path": "/spec/versions/0" }]));
    for name in ["one", "two"] {
        assert_eq!(get(&testbed, &[&format!("things.v1.{group}"), name])["spec"], json!({ "field": "value" }));
    }
}

/// The controller of 1.36 and 1.37 prunes `storedVersions` without regard to the result.
#[test]
fn a_failed_storage_version_migration_prunes_stored_versions_too() {
    let Some(testbed) = start() else { return };
    if !migrates(&testbed) {
        return;
    }
    let group = "bad.example.com";
    install(&testbed, group);
    let mut invalid = thing(group, "invalid");
    invalid.as_object_mut().expect("an object").remove("spec");
    create(&testbed, &invalid);
    let mut patch = v1_is_stored();
    // A root `required` also applies to an update that does not touch the field.
    patch.push(json!({ "op": "add", "path": "/spec/versions/1/schema/openAPIV3Schema/required", "value": ["spec"] }));
    change(&testbed, group, &json!(patch));

    let migration = migrate(&testbed, group);
    let failed = condition(&migration, "Failed");
    assert_eq!(failed["status"], "True", "{migration:#}");
    assert!(failed["message"].as_str().is_some_and(|text| text.contains("spec: Required value")), "{failed:#}");
    assert_eq!(condition(&migration, "Succeeded"), Value::Null);

    // The object is still stored in `v1alpha1`. Since the list no longer contains it, the server permits its removal.
    assert_eq!(stored_versions(&testbed, group), json!(["v1"]));
    change(&testbed, group, &json!([{ "op": "remove", "path": "/spec/versions/0" }]));
    let words = format!("request to convert CR from an invalid group/version: {group}/v1alpha1");
    wait("the object is unreadable", || {
        try_kubectl(&testbed, &["get", &format!("things.v1.{group}"), "invalid"], "")
            .is_err_and(|error| error.contains(&words))
    });
}

/// A connection for migrations.
async fn connect(testbed: &Testbed) -> Result<Cluster, Diagnostic> {
    let kubeconfig = Kubeconfig::read_from(testbed.kubeconfig()).expect("a kubeconfig");
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &Default::default()).await;
    let mut config = config.expect("it is complete");
    // A proxy in the environment cannot reach the loopback address.
    config.proxy_url = None;
    let client = kube::Client::try_from(config).expect("a client");
    Cluster::of_client(client, "https://localhost", Default::default()).await
}

/// Migrates the stored version by `crd_upgrade::migrate`, which asks the server. The codes of what it reports, and whether it is complete.
fn migrate_by_server(testbed: &Testbed, group: &str) -> (Vec<&'static str>, bool) {
    let result = run(async {
        let cluster = connect(testbed).await?;
        let (installed, _) = cluster.crd(&format!("things.{group}")).await?.expect("installed");
        let plan = StoragePlan::new(&installed).expect("a plan");
        run_by_server(&plan, &cluster, &Default::default(), &mut |_| {}).await
    });
    match result {
        Ok(migrated) => {
            let all = migrated.counts.refused.iter().chain(&migrated.diagnostics);
            (all.map(|diagnostic| diagnostic.code).collect(), migrated.is_done())
        }
        Err(diagnostic) => (vec![diagnostic.code], false),
    }
}

#[test]
fn the_server_migrates_on_request_and_only_what_it_can_migrate() {
    let Some(testbed) = start() else { return };
    let (good, bad) = ("good.by-server.test", "bad.by-server.test");
    for group in [good, bad] {
        install(&testbed, group);
        create(&testbed, &thing(group, "one"));
        change(&testbed, group, &json!(v1_is_stored()));
    }
    // A root `required` also applies to an update that does not touch the field.
    let mut invalid = thing(bad, "invalid");
    invalid.as_object_mut().expect("an object").remove("spec");
    create(&testbed, &invalid);
    let required =
        json!([{ "op": "add", "path": "/spec/versions/1/schema/openAPIV3Schema/required", "value": ["spec"] }]);
    change(&testbed, bad, &required);
    let both = json!(["v1alpha1", "v1"]);
    if !migrates(&testbed) {
        assert_eq!(migrate_by_server(&testbed, good), (vec!["migrate::no-controller"], false));
        assert_eq!(stored_versions(&testbed, good), both);
        return;
    }
    assert_eq!(migrate_by_server(&testbed, good), (Vec::new(), true));
    assert_eq!(stored_versions(&testbed, good), json!(["v1"]));
    let (codes, is_done) = migrate_by_server(&testbed, bad);
    assert!(!is_done && codes == ["cluster::refused"], "{codes:?}");
    assert_eq!(stored_versions(&testbed, bad), both, "the server was not asked");
    let left = kubectl(&testbed, &["get", "storageversionmigrations", "-o", "name"]);
    assert_eq!(left, "", "its object is deleted");
}

/// Objects of a namespace that is being deleted are not written, and the migration is complete after that.
#[test]
fn a_namespace_that_is_deleted_during_a_migration_loses_no_other_object() {
    let Some(testbed) = start() else { return };
    let group = "leaving.example.com";
    install(&testbed, group);
    kubectl(&testbed, &["create", "namespace", "leaving"]);
    for index in 0..40 {
        let mut object = thing(group, &format!("thing-{index}"));
        if index % 2 == 0 {
            object["metadata"]["namespace"] = json!("leaving");
        }
        create(&testbed, &object);
    }
    change(&testbed, group, &json!(v1_is_stored()));
    kubectl(&testbed, &["delete", "namespace", "leaving", "--wait=false"]);
    let is_done = || {
        let migrated = run(async {
            let cluster = connect(&testbed).await?;
            let (installed, _) = cluster.crd(&format!("things.{group}")).await?.expect("installed");
            let plan = StoragePlan::new(&installed).expect("a plan");
            let migrated = plan.run(&cluster, &Default::default(), &mut |_| {}).await?;
            Ok(migrated.is_done() && migrated.counts.is_complete())
        });
        migrated.expect("the cluster is read and written")
    };
    wait("the migration is complete", is_done);
    assert_eq!(stored_versions(&testbed, group), json!(["v1"]));
    wait("the namespace is gone", || {
        !kubectl(&testbed, &["get", "namespaces", "-o", "name"]).contains("namespace/leaving")
    });
    let left = kubectl(&testbed, &["get", "things", "--all-namespaces", "-o", "name"]);
    assert_eq!(left.lines().count(), 20);
}
