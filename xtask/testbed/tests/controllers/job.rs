//! The Job of `migrate --job` with kube-controller-manager: pods are killed, and each object is written once.
//!
//! Invariants: writes are counted by a watch of kubectl, which began before the Job. Pods have the rights of the manifest only. A sample runs where a testbed
//! is required; the whole number of objects is a proof (`cargo xtask prove job`).

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crd_testbed::Testbed;
use futures_util::StreamExt;
use futures_util::stream::iter;
use serde_json::{Value, json};

use crate::kubelet::{Kills, Kubelet, command};
use crate::requests::send;
use crate::{
    change, condition, get, install, kubectl, start_required, stored_versions, thing, try_kubectl, v1_is_stored,
};

const SHARDS: usize = 8;

fn start() -> Option<Testbed> {
    if crd_testdata::is_proof() || crd_testbed::is_required() { start_required() } else { crate::skipped() }
}

/// Creates objects, and makes `v1` the storage version.
fn fill(testbed: &Testbed, kubelet: &Kubelet<'_>, group: &str, number: usize) {
    install(testbed, group);
    let path = format!("/apis/{group}/v1alpha1/namespaces/default/things");
    let create = |index: usize| {
        let (client, path, thing) = (kubelet.client.clone(), &path, thing(group, &format!("thing-{index:06}")));
        async move { send(&client, "POST", path, Some(&thing)).await.expect("created") }
    };
    kubelet.block_on(iter(0..number).map(create).buffer_unordered(16).for_each(async |_| ()));
    change(testbed, group, &json!(v1_is_stored()));
    assert_eq!(stored_versions(testbed, group), json!(["v1alpha1", "v1"]));
}

/// Every object by its name: UID, `resourceVersion` and `spec`. And the `resourceVersion` of the list.
fn list(kubelet: &Kubelet<'_>, group: &str) -> (BTreeMap<String, [Value; 3]>, String) {
    let (mut objects, mut token) = (BTreeMap::new(), String::new());
    loop {
        let path = format!("/apis/{group}/v1/things?limit=2000&continue={token}");
        let mut page = kubelet.call("GET", &path, None);
        for object in page["items"].as_array_mut().expect("a list") {
            let (mut metadata, spec) = (object["metadata"].take(), object["spec"].take());
            let name = metadata["name"].as_str().expect("a name").to_owned();
            objects.insert(name, [metadata["uid"].take(), metadata["resourceVersion"].take(), spec]);
        }
        token = page["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
        if token.is_empty() {
            return (objects, page["metadata"]["resourceVersion"].as_str().expect("a version").to_owned());
        }
    }
}

/// How often each object is written, from a version of the list on, up to the creation of the object `last`: the events that kubectl prints. A server
/// ends the watch of a client that is slow on a busy machine; the next watch begins after the last event.
fn watch(testbed: &Testbed, group: &str, mut version: String) -> JoinHandle<BTreeMap<String, usize>> {
    let (kubectl, environment) = (testbed.kubectl().to_owned(), testbed.environment());
    let path = format!("/apis/{group}/v1/things?watch=1&timeoutSeconds=3600&resourceVersion=");
    std::thread::spawn(move || {
        let mut writes = BTreeMap::new();
        for _ in 0..100 {
            let mut command = Command::new(&kubectl);
            command.args(["get", "--raw", &format!("{path}{version}")]).envs(environment.clone()).env("KUBERC", "off");
            let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("kubectl starts");
            let lines = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
            // The last line can be incomplete.
            for event in lines.map_while(|line| serde_json::from_str::<Value>(&line).ok()) {
                let metadata = &event["object"]["metadata"];
                let name = metadata["name"].as_str().unwrap_or_else(|| panic!("{event:#}"));
                version = metadata["resourceVersion"].as_str().expect("a version").to_owned();
                if event["type"] == "MODIFIED" {
                    *writes.entry(name.to_owned()).or_default() += 1;
                }
                if name == "last" {
                    let _ = child.kill().and_then(|()| child.wait());
                    return writes;
                }
            }
            let _ = child.wait();
        }
        panic!("the watch ends again and again");
    })
}

/// The manifest that the program prints. A server accepts it, client-side and server-side.
fn manifest(testbed: &Testbed, arguments: &[&str]) -> (String, String) {
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>();
    let output = command(&arguments, testbed.kubeconfig()).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let manifest = text.split_once("---\n").map(|(_, manifest)| manifest.to_owned());
    let manifest = manifest.unwrap_or_else(|| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)));
    for more in [&["--server-side"][..], &[]] {
        let dry_run = [&["apply", "--dry-run=server", "--validate=strict", "-f", "-"], more].concat();
        try_kubectl(testbed, &dry_run, &manifest).unwrap_or_else(|error| panic!("{error}\n{manifest}"));
    }
    let name = manifest.split("name: ").nth(2).and_then(|rest| rest.lines().next()).expect("a name").to_owned();
    (manifest, name)
}

fn apply(testbed: &Testbed, manifest: &str) {
    try_kubectl(testbed, &["apply", "-f", "-"], manifest).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn killed_pods_of_a_job_write_each_object_once() {
    let Some(testbed) = start() else { return };
    let is_proof = crd_testdata::is_proof();
    let (number, rate, most, pause) = if is_proof { (100_000, 200, 20, 5) } else { (400, 12, 2, 3) };
    let mut kubelet = Kubelet::new(&testbed, Kills { most, most_of_index: 3, pause: Duration::from_secs(pause) });
    let group = "job.example.com";
    fill(&testbed, &kubelet, group, number);
    let (before, version) = list(&kubelet, group);
    let watch = watch(&testbed, group, version);
    let crd = format!("things.{group}");
    let (text, name) = manifest(&testbed, &["migrate", &crd, "--job", "8", "--rate", &rate.to_string()]);
    apply(&testbed, &text);
    let begun = Instant::now();
    let job = kubelet.run(&name, Duration::from_secs(if is_proof { 3000 } else { 300 }));
    let seconds = begun.elapsed().as_secs();
    let logs = kubelet.logs();
    assert_eq!(condition(&job, "Complete")["status"], "True", "{:#}\n{logs}", job["status"]);
    assert_eq!((&job["status"]["succeeded"], kubelet.killed.len()), (&json!(SHARDS), most), "{:#}", job["status"]);
    let (after, _) = list(&kubelet, group);
    kubelet.call(
        "POST",
        &format!("/apis/{group}/v1/namespaces/default/things"),
        Some(&json!({
            "apiVersion": format!("{group}/v1"), "kind": "Thing", "metadata": {"name": "last"}, "spec": {},
        })),
    );
    let writes = watch.join().expect("all events");
    assert_eq!((after.len(), writes.len()), (number, number));
    let often = writes.values().filter(|writes| **writes != 1).count();
    assert_eq!(often, 0, "objects that were written more than once");
    for (name, [uid, version, spec]) in &before {
        let now = &after[name];
        assert!(now[0] == *uid && now[1] != *version && now[2] == *spec, "{name}");
    }
    assert_eq!(stored_versions(&testbed, group), json!(["v1"]));
    assert_eq!(get(&testbed, &["crd", &crd])["metadata"]["annotations"]["crd-channels/migrated-shards"], Value::Null);
    assert!(!is_proof || kubelet.shown > 0, "no lease has shown the progress");
    let Kubelet { shown, peak, .. } = kubelet;
    println!(
        "{number} objects, {SHARDS} pods, {most} killed: {seconds} s, {peak} KiB; a lease shows up to {shown} written"
    );
    assert!(peak < 100 << 10, "more memory than the limit of the pods permits");
    rights(&testbed, &name, &crd);
    unusable(&testbed, &mut kubelet, &text, &name);
    to_a_bundle(&testbed, &mut kubelet);
}

/// The account of the pods may do nothing else.
fn rights(testbed: &Testbed, account: &str, crd: &str) {
    let account = format!("system:serviceaccount:kube-system:{account}");
    let can = |question: &[&str]| {
        let all = [&["auth", "can-i", "--as", &account], question].concat();
        try_kubectl(testbed, &all, "").is_ok_and(|answer| answer.trim() == "yes")
    };
    assert!(
        can(&["patch", crd])
            && can(&["patch", &format!("crd/{crd}")])
            && can(&["create", "leases", "-n", "kube-system"])
    );
    for refused in [
        &["update", crd][..],
        &["delete", crd],
        &["update", &format!("crd/{crd}")],
        &["patch", "crd/things.other.example.com"],
        &["get", "secrets", "-A"],
        &["update", "leases/other", "-n", "kube-system"],
        &["create", "leases", "-n", "default"],
    ] {
        assert!(!can(refused), "{refused:?}");
    }
}

/// Wrong usage is not tried again.
fn unusable(testbed: &Testbed, kubelet: &mut Kubelet<'_>, manifest: &str, name: &str) {
    apply(testbed, &manifest.replace(name, "unusable").replace("--rate=", "--rate=0x"));
    let job = kubelet.run("unusable", Duration::from_secs(120));
    assert_eq!(condition(&job, "Failed")["reason"], "FailedIndexes", "{:#}", job["status"]);
    assert_eq!((&job["status"]["failedIndexes"], &job["status"]["failed"]), (&json!("0-7"), &json!(SHARDS)));
}

/// A bundle, with a lens and a CRD that is not installed, reaches the pods by a ConfigMap.
fn to_a_bundle(testbed: &Testbed, kubelet: &mut Kubelet<'_>) {
    let group = "bundle.example.com";
    fill(testbed, kubelet, group, 40);
    let crd = format!("things.{group}");
    let stamps =
        |version: &str| json!({format!("{group}/bundle-version"): version, format!("{group}/channel"): "standard"});
    kubectl(
        testbed,
        &[
            "patch",
            "crd",
            &crd,
            "--type=merge",
            "-p",
            &json!({"metadata": {"annotations": stamps("v1.0.0")}}).to_string(),
        ],
    );
    let mut target = get(testbed, &["crd", &crd]);
    let fields = json!({"spec": {"type": "object", "properties": {"renamed": {"type": "string"}}}});
    target["spec"]["versions"].as_array_mut().expect("versions").remove(0);
    target["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"] = fields;
    target["metadata"] = json!({"name": crd, "annotations": stamps("v1.1.0")});
    target["status"] = Value::Null;
    let mut new = target.clone();
    new["metadata"]["name"] = json!(format!("gadgets.{group}"));
    new["spec"]["names"] =
        json!({"kind": "Gadget", "listKind": "GadgetList", "plural": "gadgets", "singular": "gadget"});
    let folder = tempfile::tempdir().expect("a folder");
    let standard = folder.path().join("standard");
    fs::create_dir(&standard).expect("a folder");
    fs::write(standard.join("things.yaml"), format!("{target}\n---\n{new}\n")).expect("written");
    let lenses = json!({
        "schemaVersion": 1, "generator": "test", "prefix": group,
        "lenses": [{
            "name": "renamed", "resource": crd, "group": group, "kind": "Thing", "since": "v1.1.0",
            "steps": [{"operation": "rename", "from": "spec.field", "to": "spec.renamed"}],
        }],
    });
    let conversions = folder.path().join("conversions.json");
    fs::write(&conversions, lenses.to_string()).expect("written");
    let (to, conversions) = (folder.path().display().to_string(), conversions.display().to_string());
    let arguments = ["migrate", "--to", &to, "--conversions", &conversions, "--prefix", group, "--job", "3"];
    let (text, name) = manifest(testbed, &arguments);
    apply(testbed, &text);
    let job = kubelet.run(&name, Duration::from_secs(300));
    assert_eq!(condition(&job, "Complete")["status"], "True", "{:#}\n{}", job["status"], kubelet.logs());
    assert_eq!(job["status"]["failed"].as_u64().unwrap_or_default(), 0, "{:#}\n{}", job["status"], kubelet.logs());
    let (objects, _) = list(kubelet, group);
    assert!(
        objects.len() == 40 && objects.values().all(|[.., spec]| *spec == json!({"renamed": "value"})),
        "{objects:?}"
    );
    assert_eq!(stored_versions(testbed, group), json!(["v1"]));
    let installed = get(testbed, &["crd", &crd]);
    assert_eq!(installed["metadata"]["annotations"], stamps("v1.1.0"));
    kubectl(testbed, &["get", "crd", &format!("gadgets.{group}")]);
}
