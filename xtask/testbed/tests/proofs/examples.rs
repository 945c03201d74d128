//! Example manifests on a real server: accepted, and stored unchanged. That the Rust types read and write them back is tested in `api-types`.
//!
//! Invariants: every document is sent unchanged, except that its name and namespace get a prefix, because examples reuse names and tests share a
//! server. The expected object is the document with the defaults of the CRD's schema; complete objects are compared. Documents of other APIs
//! (namespaces of examples) are skipped and counted.

use std::collections::{BTreeMap, BTreeSet};

use crd_apiserver::apply_defaults;
use crd_channels::Channel;
use kube::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::documents::{Example, VersionedKind, collections, crds_of, our_examples, upstream_examples};
use crate::requests::{authored, create_namespace, send, wait_for, without};
use crate::server::server;

/// An example that is ready to be sent.
#[derive(Clone)]
struct Case {
    file: String,
    versioned: VersionedKind,
    namespace: String,
    object: Value,
}

impl Case {
    fn name(&self) -> &str {
        self.object["metadata"]["name"].as_str().expect("a name")
    }

    fn collection(&self) -> String {
        self.versioned.collection(&self.namespace)
    }

    /// For messages.
    fn description(&self) -> String {
        format!("{}: {} {}", self.file, self.versioned.name(), self.name())
    }

    /// The expected object: the document with defaults, and with or without its status.
    fn expected(&self, with_status: bool) -> Value {
        let mut object = self.object.clone();
        if !with_status && let Some(object) = object.as_object_mut() {
            object.remove("status");
        }
        apply_defaults(&self.versioned.version.schema, &mut object);
        object
    }
}

/// The cases of a channel's examples for a server with `bundle`, and the number of documents of other APIs by name.
fn cases(examples: Vec<Example>, bundle: Channel, prefix: &str) -> (Vec<Case>, BTreeMap<String, usize>) {
    let (mut cases, mut skipped) = (Vec::new(), BTreeMap::new());
    let mut files: Vec<String> = Vec::new();
    for Example { file, mut object } in examples {
        let Some(versioned) = VersionedKind::of(bundle, &object) else {
            let name = format!("{} {}", object["apiVersion"], object["kind"]).replace('"', "");
            assert!(!name.contains("gateway.networking"), "{file}: {bundle:?} has no {name}");
            *skipped.entry(name).or_default() += 1;
            continue;
        };
        if !files.contains(&file) {
            files.push(file.clone());
        }
        let prefix = format!("{prefix}-{}", files.len());
        let metadata = &mut object["metadata"];
        let namespace = format!("{prefix}-{}", metadata["namespace"].as_str().unwrap_or("default"));
        metadata["name"] = json!(format!("{prefix}-{}", metadata["name"].as_str().expect("a name")));
        if !versioned.is_cluster_wide() {
            metadata["namespace"] = json!(namespace);
        }
        cases.push(Case { file, versioned, namespace, object });
    }
    (cases, skipped)
}

async fn create_namespaces(client: &Client, cases: &[Case]) {
    let names: BTreeSet<&str> =
        cases.iter().filter(|case| !case.versioned.is_cluster_wide()).map(|case| case.namespace.as_str()).collect();
    for name in names {
        create_namespace(client, name).await;
    }
}

/// A dry run and a real create, both with strict validation; then the status, which only its subresource writes.
async fn create(client: &Client, case: &Case) {
    let (description, collection) = (case.description(), case.collection());
    let dry =
        send(client, "POST", &format!("{collection}?fieldValidation=Strict&dryRun=All"), Some(&case.object)).await;
    assert_eq!(dry.warnings, deprecations(&case.versioned), "{description}");
    let dry = dry.expect(&description);
    let path = format!("{collection}/{}", case.name());
    assert_eq!(send(client, "GET", &path, None).await.code, 404, "{description}: a dry run left something");

    let created = send(client, "POST", &format!("{collection}?fieldValidation=Strict"), Some(&case.object)).await;
    assert_eq!(created.warnings, deprecations(&case.versioned), "{description}");
    let created = created.expect(&description);
    assert_eq!(authored(&dry), authored(&created), "{description}: the dry run and the real one differ");
    let read = send(client, "GET", &path, None).await.expect(&description);
    let expected = case.expected(!case.versioned.has_status());
    assert_eq!(authored(&read), expected, "{description}: stored as something else");

    if case.versioned.has_status() && !case.object["status"].is_null() {
        let mut with_status = read.clone();
        with_status["status"] = case.object["status"].clone();
        send(client, "PUT", &format!("{path}/status?fieldValidation=Strict"), Some(&with_status))
            .await
            .expect(&description);
        let read = send(client, "GET", &path, None).await.expect(&description);
        assert_eq!(authored(&read), case.expected(true), "{description}: the status is stored as something else");
    } else if !read["status"].is_null() {
        // The status was never written: reading fills in its defaults. The first write stores them, although it changes nothing.
        let written = send(client, "PUT", &path, Some(&read)).await.expect(&description);
        let stored = &written["metadata"]["resourceVersion"];
        assert_ne!(
            stored, &read["metadata"]["resourceVersion"],
            "{description}: the defaults of the status were stored before"
        );
        let volatile = ["managedFields", "resourceVersion"];
        assert_eq!(
            without(&written, &volatile),
            without(&read, &volatile),
            "{description}: storing defaults changed it"
        );
    }
}

/// The warnings of a server for each use of this version.
fn deprecations(versioned: &VersionedKind) -> Vec<String> {
    if !versioned.version.deprecated {
        return Vec::new();
    }
    let warning = versioned.version.deprecation_warning.as_ref().map(ToString::to_string);
    vec![warning.unwrap_or_else(|| format!("{} is deprecated", versioned.name()))]
}

/// Sends the cases file by file.
async fn check(client: &Client, cases: Vec<Case>) {
    let mut files: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases {
        files.entry(case.file.clone()).or_default().push(case);
    }
    let mut running = JoinSet::new();
    for cases in files.into_values() {
        let client = client.clone();
        running.spawn(async move {
            for case in cases {
                create(&client, &case).await;
                let path = format!("{}/{}", case.collection(), case.name());
                send(&client, "DELETE", &path, None).await.expect(&case.description());
            }
        });
    }
    running.join_all().await;
}

fn check_channel(channel: Channel) {
    let Some(server) = server(crds_of(channel)) else { return };
    let client = server.client();
    for (author, examples, least) in [
        ("ours", our_examples(channel), if channel == Channel::Standard { 14 } else { 6 }),
        ("upstream", upstream_examples(channel), if channel == Channel::Standard { 90 } else { 5 }),
    ] {
        let (cases, skipped) = cases(examples, channel, &format!("examples-{author}"));
        let count = cases.len();
        assert!(count >= least, "only {count} {channel} examples of {author}");
        server.block_on(async {
            wait_for(&client, &collections(channel)).await;
            create_namespaces(&client, &cases).await;
        });
        server.block_on(check(&client, cases));
        println!(
            "{channel}, {author}: {count} objects accepted and stored unchanged; skipped, of other APIs: {skipped:?}"
        );
    }
}

#[test]
fn standard_examples_are_accepted_and_stored_unchanged() {
    check_channel(Channel::Standard);
}

#[test]
fn experimental_examples_are_accepted_and_stored_unchanged() {
    check_channel(Channel::Experimental);
}
