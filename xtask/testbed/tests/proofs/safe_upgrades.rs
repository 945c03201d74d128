//! The policy *safe-upgrades* on a real server: a table of what is installed, what is asked for and what is answered; the order of versions,
//! held against [`crd_bundle::BundleVersion`]; and real bundles going up, down and across.
//!
//! Invariants: what is expected stands in the table and is computed by nothing; rows are asked for as dry runs, so that none changes what the
//! next one finds; no row is asked for before a dry run has shown that the policy acts.

#[path = "safe_upgrades/journey.rs"]
mod journey;
#[path = "safe_upgrades/order.rs"]
mod order;
#[path = "safe_upgrades/page.rs"]
mod page;
#[path = "safe_upgrades/rows.rs"]
mod rows;

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crd_bundle::{Released, files};
use crd_channels::Channel;
use crd_model::CustomResourceDefinition;
use crd_release::admission::safe_upgrades;
use crd_release::{Release, ReleasedChannel};
use crd_testbed::MINORS;
use serde_json::{Value, json};

use self::rows::{Fault, Name, Owner, Request, Row, SECTIONS, Section, Stamps};
use crate::requests::{Answer, TIME_LIMIT, send};
use crate::server::{self, Crds, Server};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const ADMISSION: &str = "/apis/admissionregistration.k8s.io/v1";

/// A finalizer that nobody takes away.
const FINALIZER: &str = "example.com/keep";

/// The server of this proof; `None` if there can be none here, which has been said then.
fn the_server() -> Option<&'static Server> {
    // Of its own: policies on CRDs are nothing to share. Never dropped: it ends with the process.
    static SERVER: OnceLock<Option<&'static Server>> = OnceLock::new();
    *SERVER.get_or_init(|| server::start(Crds::Nothing).map(|server| &*Box::leak(Box::new(server))))
}

fn ask(server: &Server, method: &str, path: &str, body: Option<&Value>) -> Answer {
    server.block_on(send(&server.client(), method, path, body))
}

/// Asks until this is true.
#[track_caller]
fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < TIME_LIMIT, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Makes policies and bindings.
fn make(server: &Server, objects: &[Value]) {
    for object in objects {
        let resource = match object["kind"].as_str() {
            Some("ValidatingAdmissionPolicy") => "validatingadmissionpolicies",
            _ => "validatingadmissionpolicybindings",
        };
        ask(server, "POST", &format!("{ADMISSION}/{resource}"), Some(object)).expect("the server takes a policy");
    }
}

/// A release with these CRDs in both channels.
fn release(prefix: &str, crds: &[Value]) -> Release {
    let read = || crds.iter().map(|crd| CustomResourceDefinition::from_value(crd).expect("a CRD")).collect();
    let channels = Channel::ALL.map(|channel| ReleasedChannel { channel, files: files(read()) });
    Release {
        name: "example".to_owned(),
        prefix: prefix.to_owned(),
        // Nobody looks at it: the policy has none.
        version: "v1.2.3".parse().expect("a version"),
        released: Released::of_unix_seconds(0).expect("a moment"),
        channels: channels.into(),
    }
}

/// The API of a section.
struct Api {
    section: &'static Section,
    group: String,
}

/// What is installed for a row. Rows that agree in it share a CRD.
#[derive(Clone, Copy, PartialEq)]
struct Before {
    name: Name,
    stamps: Stamps,
    deleted: bool,
}

impl Before {
    fn of(row: &Row) -> Option<Before> {
        let deleted = matches!(row.request, Request::UpdateOfDeleted | Request::FinalizersOfDeleted);
        Some(Before { name: row.name, stamps: row.installed?, deleted })
    }
}

impl Api {
    fn all() -> Vec<Api> {
        let sections = SECTIONS.iter().enumerate();
        sections
            .map(|(index, section)| Api { section, group: format!("part{index}.safe-upgrades.example.com") })
            .collect()
    }

    /// What is installed beside the reference.
    fn installed(&self) -> Vec<Before> {
        let mut all = Vec::new();
        for before in self.section.rows.iter().filter_map(Before::of) {
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

    /// Gives a CRD these stamps.
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
    fn plural(&self, before: &Before) -> String {
        let index = self.installed().iter().position(|one| one == before).expect("it is installed");
        format!("{}{index}", if before.name == Name::Ours { "ours" } else { "strangers" })
    }

    /// The plural of a CRD that is not installed.
    fn absent(name: Name) -> &'static str {
        if name == Name::Ours { "absents" } else { "absentstrangers" }
    }

    fn release(&self) -> Release {
        let nothing = Stamps { version: None, channel: None };
        let ours = self.installed().into_iter().filter(|before| before.name == Name::Ours);
        let mut plurals: Vec<String> = ours.map(|before| self.plural(&before)).collect();
        plurals.push(Api::absent(Name::Ours).to_owned());
        let mut crds: Vec<Value> = plurals.iter().map(|plural| self.crd(plural, nothing, &["v1"])).collect();
        crds.push(self.reference(nothing));
        release(&self.group, &crds)
    }

    /// Puts everything on the server that was there before the policy.
    fn install(&self, server: &Server) {
        if let Some(stamps) = self.section.reference {
            ask(server, "POST", CRDS, Some(&self.reference(stamps))).expect("the reference");
        }
        for before in self.installed() {
            let mut crd = self.crd(&self.plural(&before), before.stamps, &["v1"]);
            if before.deleted {
                crd["metadata"]["finalizers"] = json!([FINALIZER]);
            }
            let path = format!("{CRDS}/{}.{}", self.plural(&before), self.group);
            ask(server, "POST", CRDS, Some(&crd)).expect("what is installed");
            if before.deleted {
                ask(server, "DELETE", &path, None).expect("it is being deleted");
            }
        }
        make(server, &safe_upgrades::policies(&self.release()));
    }

    /// Waits until every binding that can refuse something does.
    fn wait(&self, server: &Server) {
        let path = format!("{CRDS}?dryRun=All");
        let is_refused = |version, channel| {
            let candidate = Stamps { version: Some(version), channel: Some(channel) };
            let answer = ask(server, "POST", &path, Some(&self.crd(Api::absent(Name::Ours), candidate, &["v1"])));
            answer.message().contains(&format!("'safe-upgrades.{}'", self.group))
        };
        wait("the policy acts", || is_refused("none", "none"));
        if self.section.reference.is_some_and(|reference| reference.version.or(reference.channel).is_some()) {
            // Older or less stable than every reference that says anything.
            wait("it knows the reference", || is_refused("v0.0.0-alpha", "experimental"));
        }
    }

    /// Asks for what the row says.
    fn ask(&self, server: &Server, row: &Row) -> Answer {
        let Some(before) = Before::of(row) else {
            let mut crd = self.crd(Api::absent(row.name), row.candidate, &["v1"]);
            if row.request == Request::NewThatClaimsToBeDeleted {
                crd["metadata"]["deletionTimestamp"] = json!("2026-11-21T00:00:00Z");
            }
            return ask(server, "POST", &format!("{CRDS}?dryRun=All"), Some(&crd));
        };
        let path = format!("{CRDS}/{}.{}", self.plural(&before), self.group);
        let start = Instant::now();
        loop {
            let mut crd = ask(server, "GET", &path, None).expect("it is there");
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
                // Not to be believed either.
                *generation = json!(7);
            }
            let answer = ask(server, "PUT", &format!("{path}{subresource}?dryRun=All"), Some(&crd));
            // Its controllers may have written its status in between.
            if answer.code != 409 || start.elapsed() > TIME_LIMIT {
                return answer;
            }
        }
    }

    /// What the policy has to say, word for word.
    fn words(&self, row: &Row) -> String {
        let group = &self.group;
        let owner = |owner: Owner| match (owner, Before::of(row)) {
            (Owner::Itself, Some(before)) => format!("{}.{group}", self.plural(&before)),
            _ => format!("references.{group}"),
        };
        let version = row.candidate.version.unwrap_or_default();
        let channel = row.candidate.channel.unwrap_or_default();
        let bundle_version = "bundle version (vMAJOR.MINOR.PATCH such as v1.6.1, or a pre-release such as v1.7.0-rc.1; numbers without leading \
                              zeros, of at most four digits)";
        let channels = "channel (standard or experimental)";
        // JSON escapes what is in the table as CEL does.
        let quoted = |text: &str| Value::from(text).to_string();
        let missing =
            |stamp: &str, what: &str| format!("annotation {group}/{stamp} is missing or empty: it has to be a {what}.");
        let malformed =
            |stamp: &str, text: &str, what: &str| format!("annotation {group}/{stamp}: {} is no {what}.", quoted(text));
        let faults = row.faults.iter().map(|fault| match fault {
            Fault::NoVersion => missing("bundle-version", bundle_version),
            Fault::BadVersion => malformed("bundle-version", version, bundle_version),
            Fault::NoChannel => missing("channel", channels),
            Fault::BadChannel => malformed("channel", channel, channels),
            Fault::Older(of, installed) => format!(
                "bundle {version} is older than what is installed: {} is of {installed}. Install that or a newer one.",
                owner(*of)
            ),
            Fault::LessStable(of) => format!(
                "channel {channel} is less stable than what is installed: {} is of channel standard. Install that channel.",
                owner(*of)
            ),
        });
        let faults: Vec<String> = faults.collect();
        format!(
            "{} To do it all the same: kubectl delete validatingadmissionpolicy safe-upgrades.{group}, install, and apply the policy again.",
            faults.join(" ")
        )
    }

    /// What is wrong with the answer; nothing if it is the expected one.
    fn judge(&self, row: &Row, answer: &Answer) -> Option<String> {
        let refused = answer.message().split_once(" denied request: ").map(|(_, words)| words);
        let is_right = match (row.faults.is_empty(), refused) {
            (true, _) => answer.is_success(),
            (false, Some(words)) => answer.code == 422 && words == self.words(row),
            (false, None) => false,
        };
        (!is_right).then(|| {
            let expected = if row.faults.is_empty() { "passes".to_owned() } else { self.words(row) };
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
fn every_row_is_answered_as_it_says() {
    let Some(server) = the_server() else { return };
    let apis = Api::all();
    for api in &apis {
        api.install(server);
    }
    let mut wrong = Vec::new();
    for api in &apis {
        api.wait(server);
        for row in api.section.rows {
            wrong.extend(api.judge(row, &api.ask(server, row)));
        }
    }
    assert!(wrong.is_empty(), "{} on {}:\n{}", wrong.len(), server.minor(), wrong.join("\n"));
}

#[test]
fn the_table_is_large_and_says_nothing_twice() {
    let mut seen = BTreeMap::new();
    for section in SECTIONS {
        for row in section.rows {
            let before = seen.insert(format!("{:?} {row:?}", section.reference), section.title);
            assert!(before.is_none(), "{before:?} and {}: {row:?}", section.title);
        }
    }
    assert!(seen.len() >= 60, "{}", seen.len());
    let kinds = |refused: bool| {
        SECTIONS.iter().flat_map(|section| section.rows).filter(|row| row.faults.is_empty() != refused).count()
    };
    assert!(kinds(true) >= 40 && kinds(false) >= 40);
}

#[test]
fn a_stamp_of_any_length_has_a_short_answer() {
    let Some(server) = the_server() else { return };
    let of_standard = Stamps { version: None, channel: Some("standard") };
    let section: &'static Section =
        Box::leak(Box::new(Section { title: "Long stamps", reference: Some(of_standard), rows: &[] }));
    let api = Api { section, group: "long.safe-upgrades.example.com".to_owned() };
    // All annotations of an object may have 256 KiB.
    let long = format!("v1.6.1-{}", "9\n".repeat(125_000)).leak();
    let stamps = Stamps { version: Some(long), ..of_standard };
    ask(server, "POST", CRDS, Some(&api.reference(stamps))).expect("it is installed before the policy");
    make(server, &safe_upgrades::policies(&api.release()));
    api.wait(server);
    let path = format!("{CRDS}?dryRun=All");
    let refused = ask(server, "POST", &path, Some(&api.crd(Api::absent(Name::Ours), stamps, &["v1"])));
    assert!(
        refused.code == 422 && refused.message().contains(r#"/bundle-version: "v1.6.1-9\n9\n"#),
        "{:#}",
        refused.body
    );
    assert!(refused.message().contains("…\" is no bundle version (vMAJOR"), "{:#}", refused.body);
    assert!(refused.message().len() < 1_000, "{:#}", refused.body);
    // It cannot be read, so it may be replaced, and it is no error to be held against it.
    let good = Stamps { version: Some("v1.0.0"), channel: Some("experimental") };
    let new = ask(server, "POST", &path, Some(&api.crd(Api::absent(Name::Ours), good, &["v1"])));
    assert!(
        new.message().contains("references.long.safe-upgrades.example.com is of channel standard"),
        "{:#}",
        new.body
    );
    let one = format!("{CRDS}/references.{}", api.group);
    let mut crd = ask(server, "GET", &one, None).expect("it is there");
    api.set(&mut crd, Stamps { channel: Some("standard"), ..good });
    ask(server, "PUT", &one, Some(&crd)).expect("it is replaced");
}

/// The newest and the oldest minor, if they were built before: building takes minutes, which is for `cargo xtask testbed matrix`.
#[test]
fn the_newest_and_the_oldest_minor_answer_alike() {
    let program = std::env::current_exe().expect("this program");
    let module = module_path!().split_once("::").map_or("", |(_, module)| module);
    let ends = [MINORS.first(), MINORS.last()].into_iter().flatten();
    let here = std::env::var("CRD_TESTBED_KUBERNETES").unwrap_or_else(|_| crd_testbed::DEFAULT_MINOR.to_owned());
    for minor in ends.filter(|minor| minor.name != here) {
        let output = Command::new(&program)
            .args(["--exact", "--show-output"])
            .args(
                ["every_row_is_answered_as_it_says", "order::versions_are_ordered_as_the_generator_orders_them"]
                    .map(|test| format!("{module}::{test}")),
            )
            .env("CRD_TESTBED_KUBERNETES", minor.name)
            // Without Go nothing can be built, and what is not there is skipped.
            .env("GO", "/nonexistent/go")
            .env_remove("CRD_TESTBED")
            .output()
            .expect("this program runs");
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && stdout.contains("2 passed"), "{}:\n{stdout}\n{stderr}", minor.name);
        if format!("{stdout}{stderr}").contains("skipped: ") {
            println!(
                "skipped: Kubernetes {} was not built before; `cargo xtask testbed build --kubernetes {0}`",
                minor.name
            );
        }
    }
}
