//! Both bundles can be installed with `kubectl apply -f FOLDER`, without warnings, and the stored CRDs are equal to the generated ones.
//!
//! Invariants: the installation is recorded once and never changed. One test for each promise checks the record.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crd_bundle::{BUNDLE_VERSION, CHANNEL, stamp};
use crd_channels::Channel;
use crd_model::CustomResourceDefinition;
use crd_model::document::{HtmlCharacters, JsonWriter};
use serde_json::{Value, json};

use crate::documents::crds;
use crate::requests::{Answer, CRDS, TIME_LIMIT, authored, send};
use crate::server::{self, Crds, Printed, Server};

/// The annotation of kubectl's client-side apply.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The limit for the names and values of all annotations of an object together, in bytes.
const ANNOTATIONS_LIMIT: usize = 262_144;

/// The prefix of the stamps.
const PREFIX: &str = gateway_api_types::GROUP;

/// The record of installing a bundle on a server without CRDs.
pub(crate) struct Installed {
    pub(crate) server: &'static Server,
    /// The answers to a create of each CRD, by name, before the installation (`dryRun`).
    rehearsed: Vec<(&'static str, Answer)>,
    first: Printed,
    /// The CRDs after they are established, by name.
    pub(crate) crds: BTreeMap<String, Value>,
}

/// The record of this channel's installation. Prints `skipped` and returns `None` if no server can be started.
pub(crate) fn installed(channel: Channel) -> Option<&'static Installed> {
    // After a failed step every test fails; the first failure has the reason.
    static STANDARD: LazyLock<Option<Installed>> = LazyLock::new(|| install(Channel::Standard));
    static EXPERIMENTAL: LazyLock<Option<Installed>> = LazyLock::new(|| install(Channel::Experimental));
    match channel {
        Channel::Standard => STANDARD.as_ref(),
        Channel::Experimental => EXPERIMENTAL.as_ref(),
    }
}

fn install(channel: Channel) -> Option<Installed> {
    // Never dropped: the server ends with the process.
    let server: &'static Server = Box::leak(Box::new(server::start(Crds::Nothing)?));
    let client = server.client();
    let rehearsed = server.block_on(async {
        let mut answers = Vec::new();
        for crd in crds(channel) {
            let path = format!("{CRDS}?dryRun=All&fieldValidation=Warn");
            answers.push((crd.name.as_ref(), send(&client, "POST", &path, Some(&crd.to_value())).await));
        }
        answers
    });
    let first = apply(server, channel, &[]);
    settle(server, channel);
    let crds = stored_crds(server);
    Some(Installed { server, rehearsed, first, crds })
}

/// The records of both channels; empty if no server can be started.
fn all_installed() -> Vec<(Channel, &'static Installed)> {
    Channel::ALL.into_iter().filter_map(|channel| Some((channel, installed(channel)?))).collect()
}

/// `kubectl apply -f FOLDER` of the bundle of a channel.
pub(crate) fn apply(server: &Server, channel: Channel, options: &[&str]) -> Printed {
    let folder = server::bundle(channel.name()).display().to_string();
    server.kubectl(&[&["apply", "-f", &folder], options].concat())
}

/// All CRDs of the server, by name.
pub(crate) fn stored_crds(server: &Server) -> BTreeMap<String, Value> {
    let mut list = server.send("GET", CRDS, None).expect("CRDs");
    let items = list["items"].as_array_mut().map(std::mem::take).unwrap_or_default();
    items.into_iter().map(|crd| (crd["metadata"]["name"].as_str().unwrap_or_default().to_owned(), crd)).collect()
}

/// The final conditions of a generated CRD: type and status, sorted. `NonStructuralSchema` and `Terminating` are not among them.
fn expected_conditions(crd: &CustomResourceDefinition) -> Vec<(&'static str, &'static str)> {
    let mut conditions = vec![("Established", "True"), ("NamesAccepted", "True")];
    if crd.group.ends_with(".k8s.io") {
        conditions.insert(1, ("KubernetesAPIApprovalPolicyConformant", "True"));
    }
    conditions
}

/// The conditions that a CRD has.
fn conditions(crd: &Value) -> Vec<(&str, &str)> {
    let mut found: Vec<(&str, &str)> = crd["status"]["conditions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|condition| {
            (condition["type"].as_str().unwrap_or_default(), condition["status"].as_str().unwrap_or_default())
        })
        .collect();
    found.sort_unstable();
    found
}

/// Waits until the CRDs of a bundle have their final conditions; tests check them.
pub(crate) fn settle(server: &Server, channel: Channel) {
    let start = Instant::now();
    while start.elapsed() < TIME_LIMIT {
        let stored = stored_crds(server);
        if crds(channel).iter().all(|crd| conditions(&stored[&*crd.name]) == expected_conditions(crd)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The spec of a CRD with the server's defaults.
pub(crate) fn expected_spec(crd: &CustomResourceDefinition) -> Value {
    let mut spec = crd.to_value()["spec"].take();
    spec["conversion"] = json!({"strategy": "None"});
    spec
}

/// Lines such as `customresourcedefinition.apiextensions.k8s.io/NAME created`, one for each file.
fn lines(channel: Channel, word: &str) -> String {
    let line =
        |crd: &CustomResourceDefinition| format!("customresourcedefinition.apiextensions.k8s.io/{} {word}\n", crd.name);
    crds(channel).iter().map(line).collect()
}

/// The size of all annotations, as the server counts it, in bytes.
fn annotations_size(crd: &Value) -> usize {
    let annotations = crd["metadata"]["annotations"].as_object().expect("annotations");
    annotations.iter().map(|(name, value)| name.len() + value.as_str().map_or(0, str::len)).sum()
}

/// The generator's prediction of kubectl's annotation: the CRD as compact JSON with `& < >` escaped. kubectl appends a new line.
fn predicted(crd: &CustomResourceDefinition) -> String {
    let mut writer = JsonWriter::new(HtmlCharacters::Escaped);
    crd.send(&mut writer);
    writer.finish() + "\n"
}

#[test]
fn both_bundles_install_with_kubectl_apply_without_warnings() {
    for (channel, installed) in all_installed() {
        let Printed { success, stdout, stderr } = &installed.first;
        assert!(success, "{channel}: {stderr}");
        assert_eq!(*stdout, lines(channel, "created"), "{channel}");
        assert_eq!(stderr, "", "{channel}: kubectl prints the server's warnings there");
        assert_eq!(installed.rehearsed.len(), crds(channel).len());
        for (name, answer) in &installed.rehearsed {
            assert_eq!((answer.code, &answer.warnings[..]), (201, &[][..]), "{channel} {name}: {:#}", answer.body);
        }
        println!("{channel}: {} CRDs created, no `Warning` header and nothing on stderr", installed.rehearsed.len());
    }
}

#[test]
fn every_crd_is_established_and_structural() {
    for (channel, installed) in all_installed() {
        assert_eq!(installed.crds.len(), crds(channel).len(), "{channel}");
        for crd in crds(channel) {
            let stored = &installed.crds[&*crd.name];
            assert_eq!(conditions(stored), expected_conditions(crd), "{channel} {}", crd.name);
        }
    }
}

#[test]
fn last_applied_is_byte_for_byte_what_the_generator_predicts() {
    for (channel, installed) in all_installed() {
        let mut largest = (0, "");
        for crd in crds(channel) {
            let stored = &installed.crds[&*crd.name];
            let written = stored["metadata"]["annotations"][LAST_APPLIED].as_str().expect("kubectl wrote it");
            let all = annotations_size(stored);
            println!("{channel} {}: {} bytes, all annotations {all}", crd.name, written.len());
            assert_eq!(written.len(), predicted(crd).len(), "{channel} {}", crd.name);
            assert!(written == predicted(crd), "{channel} {}: as long as predicted, but another text", crd.name);
            assert!(all < ANNOTATIONS_LIMIT, "{channel} {}: {all} bytes of annotations", crd.name);
            largest = largest.max((written.len(), &crd.name));
        }
        assert_eq!(largest.1, "httproutes.gateway.networking.k8s.io", "{channel}");
        // The number in `xtask/tests/structure.rs` is for the release, which has a shorter stamp, and without the new line.
        let crd = crds(channel).iter().find(|crd| crd.name == largest.1).expect("it is there");
        let mut released = crd.clone();
        let stamped: crd_bundle::BundleVersion =
            crd.annotations[&*format!("{PREFIX}/{BUNDLE_VERSION}")].parse().expect("a version");
        stamp(&mut released, PREFIX, stamped.core(), channel);
        let released = predicted(&released).len() - "\n".len();
        println!(
            "{channel}: the largest, {}, is {} bytes here and {released} in the generator's figure",
            largest.1, largest.0
        );
        assert_eq!(largest.0, released + "-dev".len() + "\n".len(), "{channel}");
    }
}

#[test]
fn stored_crds_are_equal_to_the_generated_ones() {
    for (channel, installed) in all_installed() {
        for crd in crds(channel) {
            let stored = &installed.crds[&*crd.name];
            assert_is_emitted(channel, crd, stored);
            let storage = crd.versions.iter().find(|version| version.storage).expect("a storage version");
            assert_eq!(stored["status"]["storedVersions"], json!([storage.name]), "{channel} {}", crd.name);
            assert_eq!(stored["status"]["acceptedNames"], stored["spec"]["names"], "{channel} {}", crd.name);
            for (stamp, value) in [(CHANNEL, channel.name()), (BUNDLE_VERSION, "v")] {
                let found = stored["metadata"]["annotations"][format!("{PREFIX}/{stamp}")].as_str().unwrap_or_default();
                assert!(found.starts_with(value), "{channel} {}: {stamp} is {found:?}", crd.name);
            }
        }
    }
}

/// Asserts that the stored CRD is equal to the generated one: spec, labels and annotations, except the server's defaults and kubectl's annotation.
pub(crate) fn assert_is_emitted(channel: Channel, crd: &CustomResourceDefinition, stored: &Value) {
    let (expected, spec) = (expected_spec(crd), &stored["spec"]);
    if *spec != expected {
        for key in ["conversion", "group", "names", "scope", "versions"] {
            assert_eq!(spec[key], expected[key], "{channel} {}: {key}", crd.name);
        }
        panic!("{channel} {}: another key of spec differs", crd.name);
    }
    let mut metadata = authored(stored)["metadata"].take();
    if let Some(annotations) = metadata["annotations"].as_object_mut() {
        annotations.remove(LAST_APPLIED);
    }
    assert_eq!(metadata, crd.to_value()["metadata"], "{channel} {}", crd.name);
}
