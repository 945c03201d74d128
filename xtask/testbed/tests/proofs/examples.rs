//! Example manifests on a real server: accepted, stored unchanged, and unchanged after reading and writing with the Rust types.
//!
//! Invariants: every document is sent unchanged, except that its name and namespace get a prefix, because examples reuse names and tests share a
//! server. The expected object is the document with the defaults of the CRD's schema; complete objects are compared. Documents of other APIs
//! (namespaces of examples) are skipped and counted.

use std::collections::{BTreeMap, BTreeSet};

use crd_apiserver::apply_defaults;
use crd_channels::Channel;
use kube::Client;
use kube::api::PostParams;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::documents::{Example, VersionedKind, collections, crds_of, our_examples, upstream_examples};
use crate::requests::{authored, create_namespace, send, wait_for, without};
use crate::server::{Server, server};
use crate::types::{Object, for_all_types};

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

/// Reads the object with a type, writes it back with its status, and asserts that nothing changed.
async fn rewrite<T: Object>(client: &Client, case: &Case, versioned: &VersionedKind) {
    let description = format!("{} as {}", case.description(), T::name());
    let api = T::api(client, &case.namespace);
    let path = format!("{}/{}", versioned.collection(&case.namespace), case.name());
    let before = send(client, "GET", &path, None).await.expect(&description);
    let object = api.get(case.name()).await.unwrap_or_else(|error| panic!("{description}: {error}"));
    let written = serde_json::to_value(&object).expect("it can be written");
    assert_eq!(written, before, "{description}: the type writes something else than it read");

    let parameters = PostParams { field_manager: Some("examples".to_owned()), ..PostParams::default() };
    api.replace(case.name(), &parameters, &object).await.unwrap_or_else(|error| panic!("{description}: {error}"));
    if versioned.has_status() {
        api.replace_status(case.name(), &parameters, &object)
            .await
            .unwrap_or_else(|error| panic!("{description}: {error}"));
    }
    let after = send(client, "GET", &path, None).await.expect(&description);
    assert_eq!(
        after["metadata"]["generation"], before["metadata"]["generation"],
        "{description}: the generation moved"
    );
    let volatile = ["managedFields", "resourceVersion"];
    assert_eq!(without(&after, &volatile), without(&before, &volatile), "{description}: writing back changed it");
    // A write that changes nothing is not stored at all.
    assert_eq!(
        after["metadata"]["resourceVersion"], before["metadata"]["resourceVersion"],
        "{description}: something was stored"
    );
}

macro_rules! rewrite {
    ($($module:ident::$name:ident),* $(,)?) => {
        /// Rewrites the object with the type of this version.
        async fn rewrite_through(client: &Client, case: &Case, versioned: &VersionedKind) {
            let name = versioned.name();
            $(
                if name == <gateway_api_types::$module::$name as Object>::name() {
                    return rewrite::<gateway_api_types::$module::$name>(client, case, versioned).await;
                }
            )*
            panic!("no type for {name}");
        }
    };
}
for_all_types!(rewrite);

/// Sends the cases file by file; returns how many objects were written back through how many versions.
async fn check(client: &Client, cases: Vec<Case>, channel: Channel) -> usize {
    let mut files: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases {
        files.entry(case.file.clone()).or_default().push(case);
    }
    let mut running = JoinSet::new();
    for cases in files.into_values() {
        let client = client.clone();
        running.spawn(async move {
            let mut rewritten = 0;
            for case in cases {
                create(&client, &case).await;
                // Through every served version: the object is the same, whichever version a client uses.
                for versioned in VersionedKind::all(channel)
                    .filter(|versioned| versioned.crd.name == case.versioned.crd.name && versioned.version.served)
                {
                    rewrite_through(&client, &case, &versioned).await;
                    rewritten += 1;
                }
                let path = format!("{}/{}", case.collection(), case.name());
                send(&client, "DELETE", &path, None).await.expect(&case.description());
            }
            rewritten
        });
    }
    running.join_all().await.into_iter().sum()
}

/// Tries all examples with one `kubectl`, as users do.
fn try_with_kubectl(server: &Server, cases: &[Case]) {
    // Not as a `List`: kubectl validates the entries of a list itself instead of asking the server.
    let stream: String = cases.iter().map(|case| format!("{}\n", case.object)).collect();
    let printed =
        server.kubectl_reading(&["create", "--dry-run=server", "--validate=strict", "-o", "name", "-f", "-"], &stream);
    assert!(printed.success, "{}", printed.stderr);
    assert_eq!(printed.stdout.lines().count(), cases.len(), "{}", printed.stdout);
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
        try_with_kubectl(server, &cases);
        let rewritten = server.block_on(check(&client, cases, channel));
        println!(
            "{channel}, {author}: {count} objects accepted and stored unchanged, {rewritten} written back through \
             their served versions; skipped, of other APIs: {skipped:?}"
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

/// GEP-922: experimental contains standard. Dry runs test it.
#[test]
fn standard_examples_are_accepted_by_experimental() {
    let Some(server) = server(crds_of(Channel::Experimental)) else { return };
    let examples = our_examples(Channel::Standard).into_iter();
    let examples = examples.chain(upstream_examples(Channel::Standard)).collect();
    let (cases, _) = cases(examples, Channel::Experimental, "examples-both");
    server.block_on(async {
        let client = server.client();
        wait_for(&client, &collections(Channel::Experimental)).await;
        create_namespaces(&client, &cases).await;
        for case in &cases {
            let path = format!("{}?fieldValidation=Strict&dryRun=All", case.collection());
            let stored = send(&client, "POST", &path, Some(&case.object)).await.expect(&case.description());
            assert_eq!(authored(&stored), case.expected(!case.versioned.has_status()), "{}", case.description());
        }
    });
    println!("{} standard examples are accepted by experimental", cases.len());
}
