//! The policy *safe-upgrades* on a real server: a table of installed CRDs, requests and answers; the order of versions, compared with
//! [`crd_bundle::BundleVersion`]; and upgrades, downgrades and changes of channel with real bundles.
//!
//! Invariants: the table contains the expected answers; no code computes them. Requests are dry runs, so that no row affects the next one.
//! Requests start after a dry run has shown that the policy is active.

mod journey;
mod order;
mod page;
mod rows;

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Instant;

use crd_bundle::admission::safe_upgrades;
use crd_model::CustomResourceDefinition;
use crd_release::Release;
use serde_json::{Value, json};

use self::rows::{Name, Owner, Refusal, Request, Row, SECTIONS, Section, Stamps};
use crate::guardrails::policies::{install, release_of};
use crate::requests::{Answer, CRDS, TIME_LIMIT, wait};
use crate::server::{self, Crds, Server};

/// A finalizer that no controller removes.
const FINALIZER: &str = "example.com/keep";

/// The server of this proof. Prints `skipped` and returns `None` if no server can be started.
fn policy_server() -> Option<&'static Server> {
    // Not shared, because the policies affect CRDs of all tests. Never dropped: it ends with the process.
    static SERVER: OnceLock<Option<&'static Server>> = OnceLock::new();
    *SERVER.get_or_init(|| server::start(Crds::Nothing).map(|server| &*Box::leak(Box::new(server))))
}

/// A release with these CRDs in both channels.
pub(crate) fn release(prefix: &str, crds: &[Value]) -> Release {
    let read = |crd| CustomResourceDefinition::from_value(crd).expect("a CRD");
    release_of("example", prefix, |_| crds.iter().map(read).collect())
}

/// The API of a section.
struct Api {
    section: &'static Section,
    group: String,
}

/// The CRD that is installed for a row. Rows with equal CRDs share one.
#[derive(Clone, Copy, PartialEq)]
struct InstalledCrd {
    name: Name,
    stamps: Stamps,
    deleted: bool,
}

impl InstalledCrd {
    fn of(row: &Row) -> Option<InstalledCrd> {
        let deleted = matches!(row.request, Request::UpdateOfDeleted | Request::FinalizersOfDeleted);
        Some(InstalledCrd { name: row.name, stamps: row.installed?, deleted })
    }
}

impl Api {
    fn all() -> Vec<Api> {
        let sections = SECTIONS.iter().enumerate();
        sections
            .map(|(index, section)| Api { section, group: format!("part{index}.safe-upgrades.example.com") })
            .collect()
    }

    /// The installed CRDs, without the reference.
    fn installed(&self) -> Vec<InstalledCrd> {
        let mut all = Vec::new();
        for before in self.section.rows.iter().filter_map(InstalledCrd::of) {
            if !all.contains(&before) {
                all.push(before);
            }
        }
        all
    }

    fn crd(&self, plural: &str, stamps: Stamps, versions: &[&str]) -> Value {
        let versions = versions.iter().map(|version| {
            json!({
                "name": version, "served": true, "storage": *version == "v1",
                "schema": { "openAPIV3Schema": { "type": "object" } },
            })
        });
        let mut crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": format!("{plural}.{}", self.group), "annotations": { "example.com/other": "annotation" } },
            "spec": {
                "group": self.group,
                "names": { "plural": plural, "singular": plural, "kind": plural, "listKind": format!("{plural}list") },
                "scope": "Namespaced",
                "versions": versions.collect::<Vec<Value>>(),
            },
        });
        self.set(&mut crd, stamps);
        crd
    }

    /// Writes these stamps to a CRD.
    fn set(&self, crd: &mut Value, stamps: Stamps) {
        let annotations = crd["metadata"]["annotations"].as_object_mut().expect("annotations");
        for (name, value) in [("bundle-version", stamps.version), ("channel", stamps.channel)] {
            let name = format!("{}/{name}", self.group);
            annotations.remove(&name);
            annotations.extend(value.map(|value| (name, Value::from(value))));
        }
    }

    fn reference(&self, stamps: Stamps) -> Value {
        self.crd("references", stamps, &["v1", "v1beta1"])
    }

    /// The plural of a CRD that is installed.
    fn plural(&self, before: &InstalledCrd) -> String {
        let index = self.installed().iter().position(|one| one == before).expect("it is installed");
        format!("{}{index}", if before.name == Name::InBundle { "bundled" } else { "foreign" })
    }

    /// The plural of a CRD that is not installed.
    fn absent(name: Name) -> &'static str {
        if name == Name::InBundle { "absents" } else { "absentforeign" }
    }

    fn release(&self) -> Release {
        let nothing = Stamps { version: None, channel: None };
        let ours = self.installed().into_iter().filter(|before| before.name == Name::InBundle);
        let mut plurals: Vec<String> = ours.map(|before| self.plural(&before)).collect();
        plurals.push(Api::absent(Name::InBundle).to_owned());
        let mut crds: Vec<Value> = plurals.iter().map(|plural| self.crd(plural, nothing, &["v1"])).collect();
        crds.push(self.reference(nothing));
        release(&self.group, &crds)
    }

    /// Creates the CRDs that are installed before the policy, then the policy.
    fn install(&self, server: &Server) {
        if let Some(stamps) = self.section.reference {
            server.send("POST", CRDS, Some(&self.reference(stamps))).expect("the reference");
        }
        for before in self.installed() {
            let mut crd = self.crd(&self.plural(&before), before.stamps, &["v1"]);
            if before.deleted {
                crd["metadata"]["finalizers"] = json!([FINALIZER]);
            }
            let path = format!("{CRDS}/{}.{}", self.plural(&before), self.group);
            server.send("POST", CRDS, Some(&crd)).expect("an installed CRD");
            if before.deleted {
                server.send("DELETE", &path, None).expect("it is being deleted");
            }
        }
        server.block_on(install(&server.client(), &safe_upgrades::policies(&self.release())));
    }

    /// Waits until every binding that can refuse a request is active.
    fn wait(&self, server: &Server) {
        let path = format!("{CRDS}?dryRun=All");
        let is_refused = |version, channel| {
            let candidate = Stamps { version: Some(version), channel: Some(channel) };
            let answer = server.send("POST", &path, Some(&self.crd(Api::absent(Name::InBundle), candidate, &["v1"])));
            answer.message().contains(&format!("'safe-upgrades.{}'", self.group))
        };
        wait("the policy is active", || is_refused("none", "none"));
        if self.section.reference.is_some_and(|reference| reference.version.or(reference.channel).is_some()) {
            // Older or less stable than every reference with a stamp, or without an order with it.
            wait("the policy reads the reference", || is_refused("monthly-0000.01", "experimental"));
        }
    }

    /// Sends the request of a row.
    fn request(&self, server: &Server, row: &Row) -> Answer {
        let Some(before) = InstalledCrd::of(row) else {
            let mut crd = self.crd(Api::absent(row.name), row.candidate, &["v1"]);
            if row.request == Request::NewThatClaimsToBeDeleted {
                crd["metadata"]["deletionTimestamp"] = json!("2026-11-21T00:00:00Z");
            }
            return server.send("POST", &format!("{CRDS}?dryRun=All"), Some(&crd));
        };
        let path = format!("{CRDS}/{}.{}", self.plural(&before), self.group);
        let start = Instant::now();
        loop {
            let mut crd = server.send("GET", &path, None).expect("it exists");
            if before.deleted {
                assert!(crd["metadata"]["deletionTimestamp"].is_string(), "{crd:#}");
            }
            self.set(&mut crd, row.candidate);
            let new_spec = |crd: &mut Value| crd["spec"]["names"]["categories"] = json!(["changed"]);
            let mut subresource = "";
            match row.request {
                Request::Update | Request::UpdateThatClaimsToBeNone | Request::UpdateOfDeleted | Request::Spec => {
                    new_spec(&mut crd);
                }
                Request::Label => crd["metadata"]["labels"] = json!({ "example.com/new": "label" }),
                Request::Finalizers => crd["metadata"]["finalizers"] = json!([FINALIZER]),
                Request::FinalizersOfDeleted => crd["metadata"]["finalizers"] = json!([]),
                Request::Status => {
                    subresource = "/status";
                    crd["status"]["storedVersions"] = json!(["v1"]);
                }
                Request::Annotate | Request::New | Request::NewThatClaimsToBeDeleted => {}
            }
            let generation = &mut crd["metadata"]["generation"];
            if row.request == Request::UpdateThatClaimsToBeNone {
                assert_eq!(*generation, 1);
            } else {
                // The server ignores this value.
                *generation = json!(7);
            }
            let answer = server.send("PUT", &format!("{path}{subresource}?dryRun=All"), Some(&crd));
            // Controllers may have written its status in between.
            if answer.code != 409 || start.elapsed() > TIME_LIMIT {
                return answer;
            }
        }
    }

    /// The expected message of the policy.
    fn message(&self, row: &Row) -> String {
        let group = &self.group;
        let owner = |owner: Owner| match (owner, InstalledCrd::of(row)) {
            (Owner::Itself, Some(before)) => format!("{}.{group}", self.plural(&before)),
            _ => format!("references.{group}"),
        };
        let version = row.candidate.version.unwrap_or_default();
        let channel = row.candidate.channel.unwrap_or_default();
        let bundle_version = "bundle version (vMAJOR.MINOR.PATCH such as v1.6.1, or a pre-release such as v1.7.0-rc.1; numbers without leading \
                              zeros, of at most four digits), or a month such as monthly-2026.06";
        let channels = "channel (standard or experimental)";
        // JSON escapes the characters of the table in the same way as CEL.
        let quoted = |text: &str| Value::from(text).to_string();
        let missing =
            |stamp: &str, what: &str| format!("annotation {group}/{stamp} is missing or empty: it has to be a {what}.");
        let malformed = |stamp: &str, text: &str, what: &str| {
            format!("annotation {group}/{stamp}: {} is not a {what}.", quoted(text))
        };
        let refusals = row.refusals.iter().map(|refusal| match refusal {
            Refusal::NoVersion => missing("bundle-version", bundle_version),
            Refusal::BadVersion => malformed("bundle-version", version, bundle_version),
            Refusal::NoChannel => missing("channel", channels),
            Refusal::BadChannel => malformed("channel", channel, channels),
            Refusal::Older(of, installed) => format!(
                "bundle {version} is older than what is installed: {} is of {installed}. Install that or a newer one.",
                owner(*of)
            ),
            Refusal::NoOrder(of, installed) => format!(
                "bundle {version} is a month, which has no order with what is installed: {} is of {installed}. Install that or a newer version.",
                owner(*of)
            ),
            Refusal::LessStable(of) => format!(
                "channel {channel} is less stable than what is installed: {} is of channel standard. Install that channel.",
                owner(*of)
            ),
        });
        let refusals: Vec<String> = refusals.collect();
        format!(
            "{} To do it all the same: kubectl delete validatingadmissionpolicy safe-upgrades.{group}, install, and apply the policy again.",
            refusals.join(" ")
        )
    }

    /// A difference between the answer and the expected one.
    fn difference(&self, row: &Row, answer: &Answer) -> Option<String> {
        let refused = answer.message().split_once(" denied request: ").map(|(_, words)| words);
        let is_expected = match (row.refusals.is_empty(), refused) {
            (true, _) => answer.is_success(),
            (false, Some(words)) => answer.code == 422 && words == self.message(row),
            (false, None) => false,
        };
        (!is_expected).then(|| {
            let expected = if row.refusals.is_empty() { "accepted".to_owned() } else { self.message(row) };
            format!(
                "{}: {row:?}\n  expected: {expected}\n  answer: {} {}",
                self.section.title,
                answer.code,
                answer.message()
            )
        })
    }
}

#[test]
fn every_row_has_the_expected_answer() {
    let Some(server) = policy_server() else { return };
    let apis = Api::all();
    for api in &apis {
        api.install(server);
    }
    let mut differences = Vec::new();
    for api in &apis {
        api.wait(server);
        for row in &api.section.rows {
            differences.extend(api.difference(row, &api.request(server, row)));
        }
    }
    assert!(differences.is_empty(), "{} on {}:\n{}", differences.len(), server.minor(), differences.join("\n"));
}

#[test]
fn the_table_is_large_and_has_no_duplicates() {
    let mut seen = BTreeMap::new();
    for section in &*SECTIONS {
        for row in &section.rows {
            let before = seen.insert(format!("{:?} {row:?}", section.reference), section.title);
            assert!(before.is_none(), "{before:?} and {}: {row:?}", section.title);
        }
    }
    assert!(seen.len() >= 60, "{}", seen.len());
    let kinds = |refused: bool| {
        SECTIONS.iter().flat_map(|section| &section.rows).filter(|row| row.refusals.is_empty() != refused).count()
    };
    assert!(kinds(true) >= 40 && kinds(false) >= 40);
}

#[test]
fn a_long_stamp_has_a_short_error() {
    let Some(server) = policy_server() else { return };
    let of_standard = Stamps { version: None, channel: Some("standard") };
    let section: &'static Section =
        Box::leak(Box::new(Section { title: "Long stamps", reference: Some(of_standard), rows: Vec::new() }));
    let api = Api { section, group: "long.safe-upgrades.example.com".to_owned() };
    // All annotations of an object may have 256 KiB.
    let long = format!("v1.6.1-{}", "9\n".repeat(125_000)).leak();
    let stamps = Stamps { version: Some(long), ..of_standard };
    server.send("POST", CRDS, Some(&api.reference(stamps))).expect("it is installed before the policy");
    server.block_on(install(&server.client(), &safe_upgrades::policies(&api.release())));
    api.wait(server);
    let path = format!("{CRDS}?dryRun=All");
    let refused = server.send("POST", &path, Some(&api.crd(Api::absent(Name::InBundle), stamps, &["v1"])));
    assert!(
        refused.code == 422 && refused.message().contains(r#"/bundle-version: "v1.6.1-9\n9\n"#),
        "{:#}",
        refused.body
    );
    assert!(refused.message().contains("…\" is not a bundle version (vMAJOR"), "{:#}", refused.body);
    assert!(refused.message().len() < 1_000, "{:#}", refused.body);
    // The stamp cannot be read, so it may be replaced. A comparison with it is not an error.
    let good = Stamps { version: Some("v1.0.0"), channel: Some("experimental") };
    let new = server.send("POST", &path, Some(&api.crd(Api::absent(Name::InBundle), good, &["v1"])));
    assert!(
        new.message().contains("references.long.safe-upgrades.example.com is of channel standard"),
        "{:#}",
        new.body
    );
    let one = format!("{CRDS}/references.{}", api.group);
    let mut crd = server.send("GET", &one, None).expect("it exists");
    api.set(&mut crd, Stamps { channel: Some("standard"), ..good });
    server.send("PUT", &one, Some(&crd)).expect("it is replaced");
}

#[test]
fn the_newest_and_the_oldest_minor_give_the_same_answers() {
    let tests = ["every_row_has_the_expected_answer", "order::the_policy_orders_versions_like_the_generator"];
    server::repeat_on_other_minors(module_path!(), &tests);
}
