//! `crd-cluster` reads a real server: every object once and in order, what a cluster adds to CRDs, and refusals as servers write them. The proof
//! measures the time for 10,000 objects of 13 kinds, and the memory of a process that reads them.
//!
//! Invariants: the reader is a process of its own (this program with one test), so its memory is that of reading. The tests that
//! count all objects or remove the history of etcd have a server of their own; CRDs and policies are in groups of their own.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use crd_channels::Channel;
use crd_cluster::{Cluster, Limits, Selection, run};
use crd_model::CustomResourceDefinition;
use crd_model::crd::Scope;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use crate::documents::{VersionedKind, our_examples, upstream_examples};
use crate::requests::{CRDS, create_namespace, send, wait_for};
use crate::server::{Crds, Server, server, start};
use crate::witnesses::with_workers;

/// The objects of the proof, and of the first reading.
const OBJECTS: usize = 10_000;
const FEW_OBJECTS: usize = 1_000;
const KINDS: usize = 14;

/// How many objects of 1,000,000 bytes are read.
const LARGE_OBJECTS: usize = 40;

/// The bars: time, peak memory, and how much more memory ten times as many objects may need.
const MOST_MILLISECONDS: u64 = 10_000;
const MOST_KIB: u64 = 60 << 10;
const MOST_MORE_KIB: u64 = 6 << 10;

const PREFIX: &str = "gateway.networking.k8s.io";
const NAMESPACES: [&str; 3] = ["read-a", "read-a-b", "read-b"];

/// The environment variable that makes this program a reader.
const READER: &str = "CRD_TESTBED_READER";

/// Reads the cluster of `KUBECONFIG` and prints what it found as one line of JSON. The other tests start it.
#[test]
#[ignore = "the process that other tests measure"]
fn reader() {
    let context = std::env::var(READER).unwrap_or_default();
    let context = Some(context.as_str()).filter(|context| !context.is_empty());
    let begin = Instant::now();
    let found = run(async {
        let cluster = Cluster::connect(context).await?;
        let crds = cluster.crds(&Selection::prefix(PREFIX)).await?;
        let (mut kinds, mut managed, mut out_of_order, mut diagnostics) = (BTreeMap::new(), 0_u64, 0_u64, Vec::new());
        let (mut is_complete, mut pages) = (true, 0_u64);
        for crd in crds.iter().filter_map(|installed| installed.crd.as_ref().ok()) {
            let Some(version) = crd.versions.iter().find(|version| version.served) else { continue };
            let mut last = String::new();
            let mut on_object = |object: crd_cluster::Object| {
                let metadata = &object.value["metadata"];
                assert!(metadata["managedFields"].is_null());
                let part = |key: &str| metadata[key].as_str().unwrap_or_default();
                let key = if crd.scope == Scope::Cluster {
                    part("name").to_owned()
                } else {
                    part("namespace").to_owned() + "/" + part("name")
                };
                managed += u64::from(
                    object
                        .metadata
                        .managed_fields
                        .iter()
                        .any(|field| !field.manager.is_empty() && field.time.is_some()),
                );
                out_of_order += u64::from(key <= last);
                last = key;
            };
            let listing = cluster.objects(crd, &version.name, &mut on_object, &mut |_| pages += 1).await;
            kinds.insert(crd.names.kind.to_string(), listing.seen);
            is_complete &= listing.is_complete;
            diagnostics.extend(listing.diagnostics);
        }
        let policies = cluster.policies(PREFIX).await;
        diagnostics.extend(policies.diagnostics);
        diagnostics.extend(cluster.server().diagnostics.clone());
        Ok(json!({
            "minor": cluster.server().minor,
            "migration": cluster.server().serves_storage_migration,
            "objects": kinds.values().sum::<u64>(),
            "kinds": kinds,
            "managed": managed,
            "out of order": out_of_order,
            "complete": is_complete,
            "pages": pages,
            "policies": policies.policies.map(|policies| policies.len()),
            "bindings": policies.bindings.map(|bindings| bindings.len()),
            "diagnostics": diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect::<Vec<_>>(),
        }))
    });
    let found = found.unwrap_or_else(
        |diagnostic| json!({"code": diagnostic.code, "message": diagnostic.message, "help": diagnostic.help}),
    );
    finish(found, begin);
}

/// Prints a result with its time and the peak of memory.
fn finish(mut found: Value, begin: Instant) {
    found["milliseconds"] = json!(u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX));
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak of memory");
    found["kib"] = json!(peak.trim().trim_end_matches(" kB").parse::<u64>().expect("a number"));
    println!("{READER}={found}");
}

/// Inspects the cluster of `KUBECONFIG` as `crd-channels inspect --channel standard` does, with all releases of the history, and prints numbers.
#[test]
#[ignore = "the process that other tests measure"]
fn inspector() {
    let begin = Instant::now();
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bundles/history.tar.xz");
    let input = crd_bundle::published::Input::new("history", std::fs::read(archive).expect("the archive"));
    let history = crd_bundle::history_archive::HistoryArchive::read(input).expect("an archive");
    let mut known = crd_upgrade::inspect::KnownBundles::default();
    history.releases().iter().for_each(|release| known.add(release, None));
    drop(history);
    // The installed CRDs are those that the next bundle will have.
    let unreleased =
        [Channel::Standard, Channel::Experimental].map(|channel| (channel, crate::documents::crds(channel)));
    let version = unreleased[0].1[0].annotations.iter().find(|(key, _)| key.ends_with("/bundle-version"));
    let version = version.and_then(|(_, version)| version.parse().ok());
    assert!(version.is_some(), "no stamp");
    let arcs = |crds: &[_]| crds.iter().cloned().map(std::sync::Arc::new).collect();
    let channels = unreleased.iter().map(|(channel, crds)| (*channel, arcs(crds))).collect();
    known.add(&crd_bundle::Release::new("unreleased", version, channels), None);
    let target = crd_upgrade::inspect::Target { bundle: None, channel: Some(Channel::Standard) };
    let question = crd_upgrade::inspect::Question {
        prefix: Some(PREFIX.to_owned()),
        known: &known,
        lenses: None,
        features: None,
        target: Some(target),
        reads_objects: true,
        redaction: crd_upgrade::inspect::Redaction::None,
    };
    let (mut uses, mut lost) = (0_u64, 0_u64);
    let mut on_object = |object: crd_upgrade::inspect::ObjectReport| {
        let has = |code| u64::from(object.findings.iter().any(|finding| finding.code == code));
        uses += has("inspect::experimental-use");
        lost += has("inspect::lost-values");
    };
    let report = run(async {
        let cluster = Cluster::connect(None).await?;
        crd_upgrade::inspect::inspect(&cluster, &question, &mut on_object, &mut |_, _| {}).await
    });
    let report = report.expect("a report");
    let found = json!({
        "objects": report.objects(),
        "crds": report.crds.len(),
        "failures": report.failures.len(),
        "uses": uses,
        "lost": lost,
    });
    finish(found, begin);
}

/// What a reader prints that has this kubeconfig and context.
fn read(kubeconfig: &Path, context: &str) -> Value {
    run_by_itself("clusters::reader", kubeconfig, context)
}

/// What a test of this program prints in a process of its own.
fn run_by_itself(test: &str, kubeconfig: &Path, context: &str) -> Value {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args([test, "--exact", "--ignored", "--nocapture"])
        .env("KUBECONFIG", kubeconfig)
        .env(READER, context)
        .output()
        .expect("a reader starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.split_once(&format!("{READER}=")));
    let line = line.unwrap_or_else(|| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)));
    serde_json::from_str(line.1).expect("JSON")
}

/// One example of each kind, with the path of its collection.
fn examples() -> BTreeMap<&'static str, (VersionedKind, Value)> {
    let channels = [Channel::Experimental, Channel::Standard];
    let all = channels.into_iter().flat_map(|channel| [our_examples(channel), upstream_examples(channel)]).flatten();
    let mut kinds = BTreeMap::new();
    for example in all {
        if let Some(versioned) = VersionedKind::of(Channel::Experimental, &example.object)
            && versioned.version.served
        {
            kinds.entry(versioned.kind()).or_insert((versioned, example.object));
        }
    }
    assert_eq!(kinds.len(), KINDS, "{:?}", kinds.keys());
    kinds
}

/// Creates objects until there are this many, the same number of each kind.
fn create(server: &Server, from: usize, to: usize) {
    let examples = examples().into_values().collect::<Vec<_>>();
    let objects = (from..to).map(|index| {
        let (versioned, example) = &examples[index % KINDS];
        let namespace = NAMESPACES[index % NAMESPACES.len()];
        let mut object = example.clone();
        object["metadata"] = json!({"name": format!("object-{index}"), "labels": example["metadata"]["labels"]});
        (versioned.collection(namespace), object)
    });
    let objects = Arc::new(objects.collect::<Vec<_>>());
    let client = server.client();
    let answers = server.block_on(with_workers(&objects, |objects, indices| {
        let client = client.clone();
        async move {
            let mut answers = Vec::new();
            for index in indices {
                let (path, object) = &objects[index];
                answers.push((index, send(&client, "POST", path, Some(object)).await));
            }
            answers
        }
    }));
    for answer in answers {
        answer.expect("created");
    }
}

/// The server of these tests alone, with namespaces and the CRDs of experimental. Never dropped: it ends with this process.
fn own() -> Option<&'static Server> {
    static OWN: OnceLock<Option<Server>> = OnceLock::new();
    let server = OWN.get_or_init(|| {
        let server = start(Crds::Experimental)?;
        server.block_on(async {
            let client = server.client();
            for name in NAMESPACES {
                create_namespace(&client, name).await;
            }
            wait_for(&client, &crate::documents::collections(Channel::Experimental)).await;
        });
        Some(server)
    });
    server.as_ref()
}

fn kubeconfig(server: &Server) -> std::path::PathBuf {
    server.environment()[0].1.clone()
}

#[test]
fn reading_a_cluster_takes_little_time_and_memory_for_any_number_of_objects() {
    let Some(server) = own() else { return };
    let (few, many) = match crd_testdata::is_proof() {
        true => (FEW_OBJECTS, OBJECTS),
        false => (crd_testdata::sample(FEW_OBJECTS), crd_testdata::sample(FEW_OBJECTS) * 4),
    };
    // Other tests run at the same time as a sample.
    let is_proof = crd_testdata::is_proof();
    let mut peaks = Vec::new();
    for (from, to) in [(0, few), (few, many)] {
        create(server, from, to);
        let found = read(&kubeconfig(server), "");
        println!("{found}");
        assert_eq!(found["objects"], to, "{found}");
        assert_eq!(found["kinds"].as_object().map(serde_json::Map::len), Some(KINDS), "{found}");
        assert_eq!((&found["complete"], &found["out of order"]), (&json!(true), &json!(0)), "{found}");
        assert_eq!((&found["managed"], &found["diagnostics"]), (&json!(to), &json!([])), "{found}");
        let number = |key: &str| found[key].as_u64().expect("a number");
        let is_small = |milliseconds, kib, most_kib| milliseconds <= MOST_MILLISECONDS && kib <= most_kib;
        assert!(!is_proof || is_small(number("milliseconds"), number("kib"), MOST_KIB), "{found}");
        let inspected = run_by_itself("clusters::inspector", &kubeconfig(server), "");
        println!("inspect: {inspected}");
        assert_eq!((&inspected["objects"], &inspected["failures"]), (&json!(to), &json!(0)), "{inspected}");
        // One kind in thirteen is a resource of experimental, and objects of other kinds use experimental fields.
        assert!(inspected["uses"].as_u64().is_some_and(|uses| uses * 13 >= 3 * to as u64 - 39), "{inspected}");
        let of_inspection = |key: &str| inspected[key].as_u64().expect("a number");
        // The code of a debug build alone is larger.
        let most = if cfg!(debug_assertions) { MOST_KIB * 3 / 2 } else { MOST_KIB };
        let is_small = is_small(of_inspection("milliseconds"), of_inspection("kib"), most);
        assert!(!is_proof || is_small, "{inspected}");
        peaks.push([number("kib"), of_inspection("kib")]);
    }
    for (few, many) in peaks[0].into_iter().zip(peaks[1]) {
        assert!(!is_proof || many <= few + MOST_MORE_KIB, "memory grows with the objects: {peaks:?} KiB");
    }
    let mut crd = things("large.test");
    crd["metadata"]["annotations"] = json!({format!("{PREFIX}/channel"): "standard"});
    create_things(server, &crd, LARGE_OBJECTS, 1_000_000);
    let found = read(&kubeconfig(server), "");
    println!("{found}");
    assert_eq!((&found["kinds"]["Thing"], &found["complete"]), (&json!(LARGE_OBJECTS), &json!(true)), "{found}");
    assert!(!is_proof || found["kib"].as_u64().is_some_and(|kib| kib <= MOST_KIB), "{found}");
}

/// The CRD of things in a group, which accepts any fields.
fn things(group: &str) -> Value {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let mut crd = crd_testdata::thing_crd(&schema, &json!({"status": {}}));
    crd["metadata"] = json!({"name": format!("things.{group}")});
    crd["spec"]["group"] = json!(group);
    crd
}

/// Creates the CRD of things and some of them.
fn create_things(server: &Server, crd: &Value, number: usize, payload: usize) {
    let client = server.client();
    let group = crd["spec"]["group"].as_str().expect("a group");
    let path = format!("/apis/{group}/v1/namespaces/default/things");
    server.block_on(async {
        send(&client, "POST", CRDS, Some(crd)).await.expect("created");
        wait_for(&client, std::slice::from_ref(&path)).await;
        for index in 0..number {
            let metadata = json!({"name": format!("thing-{index:03}")});
            let thing = json!({"apiVersion": format!("{group}/v1"), "kind": "Thing", "metadata": metadata, "payload": "x".repeat(payload)});
            send(&client, "POST", &path, Some(&thing)).await.expect("created");
        }
    });
}

/// A token as the server made it, of a revision that it no longer has.
fn outdated(token: &str) -> String {
    // The server's base64 is that of URLs, without padding.
    let padded = token.replace('-', "+").replace('_', "/") + &"=".repeat((4 - token.len() % 4) % 4);
    let text = String::from_utf8(crd_model::base64::decoded(&padded).expect("base64")).expect("JSON");
    let (before, after) = text.split_once("\"rv\":").expect("a revision");
    let text = format!("{before}\"rv\":1{}", after.trim_start_matches(|character: char| character.is_ascii_digit()));
    let base64 = serde_json::to_value(k8s_openapi::ByteString(text.into_bytes())).expect("base64");
    base64.as_str().expect("a text").trim_end_matches('=').replace('+', "-").replace('/', "_")
}

/// A server keeps recent states in memory, so only a token of an old state expires. The first token is replaced with such a token.
#[test]
fn an_expired_listing_is_read_to_its_end() {
    let Some(server) = own() else { return };
    let crd = things("expired.test");
    create_things(server, &crd, 9, 10);
    server.compact();
    let crd = CustomResourceDefinition::from_value(&crd).expect("our own CRD");
    let client = server.client();
    let (names, listing, statuses) = server.block_on(async {
        let statuses = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&statuses);
        let service = tower::service_fn(move |mut request: http::Request<Body>| {
            let (client, statuses) = (client.clone(), Arc::clone(&recorded));
            async move {
                let uri = request.uri().to_string();
                let is_first = !statuses.lock().expect("no panic").contains(&410);
                if let Some((before, token)) = uri.split_once("&continue=")
                    && is_first
                {
                    *request.uri_mut() = format!("{before}&continue={}", outdated(token)).parse().expect("a path");
                }
                let response = client.send(request).await?;
                statuses.lock().expect("no panic").push(response.status().as_u16());
                Ok::<_, kube::Error>(response)
            }
        });
        let limits = Limits { page_objects: 2, ..Limits::default() };
        let cluster = Cluster::of_client(Client::new(service, "default"), "https://localhost", limits).await;
        let mut names = Vec::new();
        let mut on_object = |object: crd_cluster::Object| names.push(object.value["metadata"]["name"].to_string());
        let cluster = cluster.expect("connected");
        statuses.lock().expect("no panic").clear();
        let listing = cluster.objects(&crd, "v1", &mut on_object, &mut |_| {}).await;
        (names, listing, statuses.lock().expect("no panic").clone())
    });
    assert_eq!(statuses, [200, 410, 200, 200, 200, 200]);
    let expected = (0..9).map(|index| format!("\"thing-{index:03}\"")).collect::<Vec<_>>();
    assert_eq!((names, listing.is_complete, listing.is_of_several_times), (expected, true, true), "{listing:?}");
}

/// Adds a user without permissions, and contexts that fail, to the server's kubeconfig.
fn with_failing_contexts(server: &Server, folder: &Path) -> std::path::PathBuf {
    let text = std::fs::read_to_string(kubeconfig(server)).expect("a kubeconfig");
    let good = crd_model::yaml::read(&text).expect("YAML").remove(0);
    let (cluster, user) = (&good["clusters"][0]["cluster"], &good["users"][0]["user"]);
    let mut without_rights = user.clone();
    without_rights["as"] = json!("jane@example.com");
    let mut foreign = cluster.clone();
    let object = foreign.as_object_mut().expect("a cluster");
    object.retain(|key, _| !key.starts_with("certificate-authority"));
    // The certificate of another authority.
    let key = rcgen::KeyPair::generate().expect("a key");
    let other =
        rcgen::CertificateParams::new(Vec::new()).expect("parameters").self_signed(&key).expect("a certificate");
    let file = folder.join("other.crt");
    std::fs::write(&file, other.pem()).expect("written");
    object.insert("certificate-authority".to_owned(), json!(file));
    let exec = |command: &str| {
        let version = "client.authentication.k8s.io/v1";
        json!({"exec": {"apiVersion": version, "command": command, "interactiveMode": "Never"}})
    };
    let contexts = [
        ("good", "c", "good"),
        ("powerless", "c", "powerless"),
        ("token", "c", "token"),
        ("plugin", "c", "plugin"),
        ("authority", "foreign", "good"),
        ("gone", "gone", "good"),
        ("failing", "c", "failing"),
        ("proxied", "proxied", "token"),
    ];
    let contexts =
        contexts.map(|(name, cluster, user)| json!({"name": name, "context": {"cluster": cluster, "user": user}}));
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {"name": "c", "cluster": cluster},
            {"name": "foreign", "cluster": foreign},
            {"name": "gone", "cluster": {"server": "https://127.0.0.1:1"}},
            {"name": "proxied", "cluster": {"server": "https://c.example.com", "proxy-url": "ftp://me:secret@proxy.example.com:3128"}},
        ],
        "users": [
            {"name": "good", "user": user},
            {"name": "powerless", "user": without_rights},
            {"name": "token", "user": {"token": "expired"}},
            {"name": "plugin", "user": exec("/missing-plugin")},
            {"name": "failing", "user": exec("false")},
        ],
        "contexts": contexts,
    });
    let file = folder.join("kubeconfig");
    std::fs::write(&file, config.to_string()).expect("written");
    file
}

#[test]
fn a_cluster_that_cannot_be_read_is_explained() {
    let Some(server) = server(Crds::Experimental) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = with_failing_contexts(server, folder.path());
    assert_eq!(read(&file, "good")["complete"], true);
    for (context, code, part) in [
        ("", "cluster::no-context", "several contexts"),
        ("godo", "cluster::unknown-context", "`godo`"),
        ("token", "cluster::unauthorized", "does not accept the credentials"),
        ("plugin", "cluster::credentials", "No such file"),
        ("authority", "cluster::certificate", "invalid peer certificate"),
        ("failing", "cluster::credentials", "the plugin `"),
        ("gone", "cluster::unreachable", "onnection refused"),
        ("proxied", "cluster::proxy", "not supported: proxy.example.com"),
        ("powerless", "cluster::forbidden", "no permission to list `customresourcedefinitions.apiextensions.k8s.io`: "),
    ] {
        let found = read(&file, context);
        assert_eq!(found["code"], code, "{context}: {found}");
        let message = found["message"].as_str().expect("a message");
        assert!(message.contains(part) && !message.contains("secret"), "{context}: {found}");
    }
    let help = read(&file, "powerless")["help"].as_str().expect("help").to_owned();
    assert!(help.contains("--verb=list --resource=customresourcedefinitions.apiextensions.k8s.io"), "{help}");
    assert!(help.contains("--user=jane@example.com"), "{help}");
    assert_eq!(read(&folder.path().join("missing"), "")["code"], "cluster::no-kubeconfig");
}

#[test]
fn a_server_adds_to_crds_what_is_read() {
    let Some(server) = server(Crds::Experimental) else { return };
    let client = server.client();
    let (crds, policies, facts) = server.block_on(async {
        let crd = |name: &str, finalizers: &Value| {
            let mut crd = things(&format!("{name}.reading.test"));
            crd["metadata"]["finalizers"] = finalizers.clone();
            crd
        };
        let path = CRDS;
        for (name, finalizers) in [("read", json!([])), ("deleted", json!(["reading.test/keep"]))] {
            send(&client, "POST", path, Some(&crd(name, &finalizers))).await.expect("created");
        }
        send(&client, "DELETE", &format!("{path}/things.deleted.reading.test"), None).await.expect("being deleted");
        let group = "/apis/admissionregistration.k8s.io/v1";
        let rules =
            json!([{"apiGroups": ["read.reading.test"], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["*"]}]);
        let policy = json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": "guardrails.reading.test"},
            "spec": {"matchConstraints": {"resourceRules": rules}, "validations": [{"expression": "true"}]},
        });
        let binding = json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": "bound-by-hand"},
            "spec": {"policyName": "guardrails.reading.test", "validationActions": ["Deny"]},
        });
        for (plural, object) in
            [("validatingadmissionpolicies", policy), ("validatingadmissionpolicybindings", binding)]
        {
            send(&client, "POST", &format!("{group}/{plural}"), Some(&object)).await.expect("created");
        }
        wait_for(&client, &["/apis/read.reading.test/v1/things".to_owned()]).await;
        let cluster =
            Cluster::of_client(client.clone(), "https://localhost", Limits::default()).await.expect("connected");
        let selection = Selection { groups: vec!["reading.test".to_owned()], prefix: None };
        let crds = cluster.crds(&selection).await.expect("listed");
        (crds, cluster.policies("reading.test").await, cluster.server().clone())
    });
    let [deleted, read] = &*crds else { panic!("{crds:?}") };
    assert!(deleted.metadata.deletion_timestamp.is_some());
    assert!(deleted.metadata.finalizers.iter().any(|finalizer| finalizer == "reading.test/keep"), "{deleted:?}");
    let stored =
        &read.crd.as_ref().expect("readable").versions.iter().find(|version| version.storage).expect("stored").name;
    assert_eq!(read.stored_versions, [stored.to_string()]);
    assert_eq!(read.condition("Established").map(|condition| &*condition.status), Some("True"));
    assert_eq!((read.metadata.generation, read.left_out.len()), (Some(1), 0), "{:?}", read.left_out);
    assert!(read.metadata.managed_fields.iter().any(|field| field.subresource.as_deref() == Some("status")));
    assert!(read.bytes > 500);
    let bound = policies.bindings_of("guardrails.reading.test").expect("bindings").count();
    assert_eq!(
        (policies.policies.map(|policies| policies.len()), bound, policies.webhooks),
        (Some(1), 1, Some(Vec::new()))
    );
    // Stable and on by default since 1.37.
    let minor = server.minor().split_once('.').and_then(|(_, minor)| minor.parse::<u32>().ok());
    assert_eq!((facts.minor, facts.serves_storage_migration), (minor, Some(minor >= Some(37))));
}
