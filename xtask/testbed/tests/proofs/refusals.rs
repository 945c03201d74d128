//! The engine refuses the same CRDs as the server: both answers are compared for examples of all rules, malformed documents, and random
//! edits of the bundle's CRDs.
//!
//! Invariants: servers of all minors are compared with the same tables, which contain the differences between minors. Only the page is for
//! the default minor alone.

mod engine;
mod malformed;
mod mutations;
mod page;
mod places;
mod server_answers;

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crd_apiserver::refusal::{Authority, RULES, Rule, example};
use serde_json::{Value, json};

use crate::pages::compare;
use crate::requests::{CRDS, send};
use crate::server::{Crds, Server, bundle, server};
use engine::{Finding, READER, verdict};
use malformed::{Expected, Gap, Malformed};
use server_answers::Causes;

/// Examples of rules that older servers accept: the rule, a part of the example, and the first minor that refuses it.
const LATER: &[(&str, &str, u32)] = &[("default-invalid", "\"format\": \"int32\"", 36)];

/// Rules that no server has, for documents that the server accepts and never establishes, with the server's reason.
const NEVER_ESTABLISHED: &[(&str, &str)] = &[("conversion-certificate", "InvalidCABundle")];

/// An example of a rule, with the answers of engine and server.
struct Tested {
    rule: &'static Rule,
    edit: &'static str,
    /// Whether the rule should refuse it.
    is_bad: bool,
    document: Value,
    findings: Vec<Finding>,
    causes: Causes,
}

/// A malformed document, with the answers of engine and server.
struct TestedRow {
    row: Malformed,
    findings: Vec<Finding>,
    causes: Causes,
}

/// All examples of all rules, sent once for all tests.
fn examples(server: &Server) -> &'static [Tested] {
    static ALL: OnceLock<Vec<Tested>> = OnceLock::new();
    ALL.get_or_init(|| {
        let edits = RULES.iter().flat_map(|rule| {
            let bad = rule.refused().map(move |edit| (rule, edit, true));
            bad.chain(rule.accepted().map(move |edit| (rule, edit, false)))
        });
        let mut all: Vec<Tested> = edits
            .map(|(rule, edit, is_bad)| {
                let document = example(edit).unwrap_or_else(|| panic!("not an edit: {edit}"));
                let findings = verdict(&document);
                Tested { rule, edit, is_bad, document, findings, causes: Causes::new() }
            })
            .collect();
        let causes = server_answers::dry_run(server, all.iter().map(|tested| tested.document.clone()).collect());
        for (tested, causes) in all.iter_mut().zip(causes) {
            tested.causes = causes;
        }
        all
    })
}

/// All rows of the table, sent once for all tests.
fn rows(server: &Server) -> &'static [TestedRow] {
    static ALL: OnceLock<Vec<TestedRow>> = OnceLock::new();
    ALL.get_or_init(|| {
        let rows = malformed::rows();
        let documents: Vec<Value> = rows.iter().map(Malformed::document).collect();
        let findings: Vec<Vec<Finding>> = documents.iter().map(verdict).collect();
        let causes = server_answers::dry_run(server, documents);
        let tested = rows.into_iter().zip(findings).zip(causes);
        tested.map(|((row, findings), causes)| TestedRow { row, findings, causes }).collect()
    })
}

/// Differences between the locations that engine and server report.
fn disagreements(findings: &[Finding], causes: &Causes) -> Vec<String> {
    // A document that cannot be read has no causes with places.
    if causes.iter().any(|cause| cause.place.is_empty()) {
        return Vec::new();
    }
    let ours: Vec<&Finding> = findings.iter().filter(|finding| !finding.is_engine_only).collect();
    let alone = ours.iter().filter(|finding| !causes.iter().any(|cause| places::is_same(&cause.place, &finding.place)));
    let mut all: Vec<String> =
        alone.map(|finding| format!("only the engine reports {}: {}", finding.place, finding.words)).collect();
    for cause in causes {
        let is_ours = ours.iter().any(|finding| places::is_same(&cause.place, &finding.place));
        if !is_ours && !places::is_echo(&cause.place) {
            all.push(format!("only the server reports {}: {}", cause.place, cause.words));
        }
    }
    all
}

fn describe(findings: &[Finding], causes: &Causes) -> String {
    let ours: Vec<&str> = findings.iter().map(|finding| finding.words.as_str()).collect();
    let theirs: Vec<String> = causes.iter().map(|cause| format!("{}: {}", cause.place, cause.words)).collect();
    format!("\n    engine: {ours:#?}\n    server: {theirs:#?}")
}

fn fail_if_any(failures: &[String]) {
    assert!(failures.is_empty(), "{} differences:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_server_refuses_what_a_rule_refuses_for_the_same_reason() {
    let Some(server) = server(Crds::Nothing) else { return };
    let minor = server.number();
    let (mut failures, mut refused, mut taken, mut older) = (Vec::new(), Vec::new(), 0, 0);
    for tested in examples(server).iter().filter(|tested| tested.is_bad) {
        let Tested { rule, edit, findings, causes, .. } = tested;
        let is_later = LATER.iter().any(|(id, part, since)| *id == rule.id && edit.contains(part) && minor < *since);
        let fails = |what: &str| format!("{} {edit}: {what}{}", rule.id, describe(findings, causes));
        if !findings.iter().any(|finding| finding.rule == rule.id) {
            failures.push(fails("the rule does not report it"));
        }
        match rule.authority {
            Authority::Server if is_later => {
                older += 1;
                if !causes.is_empty() {
                    failures.push(fails("this minor should accept it"));
                }
            }
            Authority::Server => {
                refused.push(tested);
                if causes.is_empty() {
                    failures.push(fails("the server accepts it"));
                }
                failures.extend(disagreements(findings, causes).iter().map(|what| fails(what)));
            }
            Authority::House | Authority::Advice => {
                taken += 1;
                if !causes.is_empty() {
                    failures.push(fails("a rule that no server has, but the server refuses it"));
                }
            }
        }
    }
    fail_if_any(&failures);
    // A real create has the same answers as a dry run.
    let created = server_answers::create(server, refused.iter().map(|tested| tested.document.clone()).collect());
    for (tested, causes) in refused.iter().zip(created) {
        assert_eq!(tested.causes, causes, "a dry run and a real create differ: {}", tested.edit);
    }
    println!(
        "{} rules: the server refuses {} documents for the same reasons and accepts {taken} that only the engine refuses; only newer \
         servers refuse {older}",
        RULES.len(),
        refused.len()
    );
}

/// The label of the CRDs that this proof creates.
const LABEL: (&str, &str) = ("crd-testbed/proof", "refusals");

/// The document with a unique group and name.
fn renamed(document: &Value, index: usize) -> Value {
    let mut document = document.clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let group = format!("r{index}.{}", text(&document["spec"]["group"]));
    document["metadata"]["name"] = json!(format!("{}.{group}", text(&document["spec"]["names"]["plural"])));
    document["spec"]["group"] = json!(group);
    document["metadata"]["labels"][LABEL.0] = json!(LABEL.1);
    document
}

#[test]
fn documents_that_all_rules_accept_become_resources() {
    let Some(server) = server(Crds::Nothing) else { return };
    let accepted =
        || examples(server).iter().filter(|tested| !tested.is_bad || tested.rule.authority != Authority::Server);
    let mut failures: Vec<String> = accepted()
        .filter(|tested| !tested.causes.is_empty() || !tested.is_bad && !tested.findings.is_empty())
        .map(|tested| {
            format!("{} {}: refused{}", tested.rule.id, tested.edit, describe(&tested.findings, &tested.causes))
        })
        .collect();
    fail_if_any(&failures);
    let documents: Vec<Value> =
        accepted().enumerate().map(|(index, tested)| renamed(&tested.document, index)).collect();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let reason = |tested: &Tested| {
        let never = NEVER_ESTABLISHED.iter().find(|(id, _)| *id == tested.rule.id && tested.is_bad);
        never.map_or("", |(_, reason)| *reason)
    };
    // The reason why a document is not established, by name.
    let expected: BTreeMap<String, &str> = accepted()
        .zip(&documents)
        .map(|(tested, document)| (text(&document["metadata"]["name"]), reason(tested)))
        .collect();
    let never = expected.values().filter(|reason| !reason.is_empty()).count();
    for (tested, causes) in accepted().zip(server_answers::create(server, documents)) {
        if !causes.is_empty() {
            failures.push(format!("{} {}: {causes:?}", tested.rule.id, tested.edit));
        }
    }
    fail_if_any(&failures);
    server.block_on(wait_until_established(server, &expected));
    println!("{} documents became resources, {never} cannot", expected.len() - never);
}

/// Waits until all CRDs are established, or refused for the expected reason, and deletes them.
async fn wait_until_established(server: &Server, expected: &BTreeMap<String, &str>) {
    let client = server.client();
    let list = format!("{CRDS}?labelSelector={}%3D{}", LABEL.0.replace('/', "%2F"), LABEL.1);
    let deadline = Instant::now() + Duration::from_secs(600);
    loop {
        let answer = send(&client, "GET", &list, None).await.expect("a list of CRDs");
        let items = answer["items"].as_array().cloned().unwrap_or_default();
        assert_eq!(items.len(), expected.len());
        let waiting = items.iter().filter(|item| {
            let name = item["metadata"]["name"].as_str().unwrap_or_default();
            let condition = |kind: &str| {
                let conditions = item["status"]["conditions"].as_array()?;
                conditions.iter().find(|condition| condition["type"] == kind)
            };
            let is = |kind: &str, status: &str| condition(kind).is_some_and(|condition| condition["status"] == status);
            assert!(!is("NonStructuralSchema", "True") && !is("NamesAccepted", "False"), "{item:#}");
            let is_established = match expected[name] {
                "" => is("Established", "True"),
                reason => {
                    assert!(!is("Established", "True"), "{item:#}");
                    condition("Established").is_some_and(|condition| condition["reason"] == reason)
                }
            };
            !(is_established && is("NamesAccepted", "True"))
        });
        let waiting: Vec<&Value> = waiting.collect();
        if waiting.is_empty() {
            break;
        }
        assert!(Instant::now() < deadline, "not established: {waiting:#?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    send(&client, "DELETE", &list, None).await.expect("they are deleted");
}

#[test]
fn malformed_documents_are_refused_by_both_sides_except_for_known_gaps() {
    let Some(server) = server(Crds::Nothing) else { return };
    let minor = server.number();
    let mut failures = Vec::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut gaps: BTreeMap<Gap, Vec<&str>> = BTreeMap::new();
    for TestedRow { row, findings, causes } in rows(server) {
        let by_engine = findings.iter().any(|finding| !finding.is_engine_only);
        let by_house = findings.iter().any(|finding| finding.is_engine_only);
        let (engine_should, house_should, server_should, gap) = match row.expected {
            Expected::Refused => (true, false, true, None),
            Expected::RefusedSince(since) => (true, false, minor >= since, None),
            Expected::Accepted => (false, false, false, None),
            Expected::RefusedByEngine => (false, true, false, None),
            Expected::Unreadable(gap) => (true, false, false, Some(gap)),
            Expected::AcceptedByEngine(gap) => (false, false, true, Some(gap)),
            Expected::AcceptedByEngineUntil(until, gap) => (false, false, minor <= until, Some(gap)),
        };
        // Rules that no server has may report a document in addition to other rules.
        let house_agrees = by_house == house_should || by_engine;
        let mut problems = Vec::new();
        if (by_engine, !causes.is_empty()) != (engine_should, server_should) || !house_agrees {
            problems.push(format!("should be {:?}", row.expected));
        } else if by_engine && !causes.is_empty() && !findings.iter().any(|finding| finding.rule == READER) {
            problems.extend(disagreements(findings, causes));
        }
        failures.extend(problems.iter().map(|what| format!("{}: {what}{}", row.what, describe(findings, causes))));
        *counts
            .entry(match row.expected {
                Expected::Refused | Expected::RefusedSince(_) => "refused by both",
                Expected::Accepted => "accepted by both",
                Expected::RefusedByEngine => "refused only by the engine, on purpose",
                Expected::Unreadable(_) => "refused only by the engine",
                Expected::AcceptedByEngine(_) | Expected::AcceptedByEngineUntil(..) => "refused only by the server",
            })
            .or_default() += 1;
        if let Some(gap) = gap {
            gaps.entry(gap).or_default().push(row.what);
        }
    }
    fail_if_any(&failures);
    assert!(Gap::ALL.iter().all(|gap| gaps.contains_key(gap)), "a gap without a document: {gaps:?}");
    assert!(rows(server).len() >= 60 && counts["refused by both"] >= 60, "{counts:?}");
    println!("{} documents: {counts:?}", rows(server).len());
    for (gap, rows) in gaps {
        println!("{gap:?}: {rows:?}");
    }
}

#[test]
fn no_rule_refuses_the_crds_of_the_bundle() {
    let mut count = 0;
    for channel in ["standard", "experimental"] {
        for entry in std::fs::read_dir(bundle(channel)).expect("the bundle").flatten() {
            let text = std::fs::read_to_string(entry.path()).expect("a file of the bundle");
            for document in crd_model::yaml::read(&text).expect("YAML") {
                if document["kind"] == "CustomResourceDefinition" {
                    let findings: Vec<String> = verdict(&document).into_iter().map(|finding| finding.words).collect();
                    assert_eq!(findings, [""; 0], "{}", entry.path().display());
                    count += 1;
                }
            }
        }
    }
    assert!(count > 0);
    println!("{count} CRDs");
}

#[test]
fn engine_and_server_agree_on_random_edits_of_the_bundle() {
    let Some(server) = server(Crds::Nothing) else { return };
    let mutants = mutations::mutants();
    let causes = server_answers::dry_run(server, mutants.iter().map(|mutant| mutant.document.clone()).collect());
    let mut failures = Vec::new();
    let (mut refused, mut taken) = (0, 0);
    let mut gaps: BTreeMap<Gap, usize> = BTreeMap::new();
    let mut edits: BTreeMap<&str, usize> = BTreeMap::new();
    for (mutant, causes) in mutants.iter().zip(&causes) {
        let findings = verdict(&mutant.document);
        for edit in &mutant.edits {
            *edits.entry(edit.name).or_default() += 1;
        }
        match (findings.iter().any(|finding| !finding.is_engine_only), !causes.is_empty()) {
            (true, true) => refused += 1,
            (false, false) => taken += 1,
            (by_us, _) => {
                let known: Option<Vec<Gap>> =
                    causes.iter().map(|cause| mutations::gap(cause, &mutant.document)).collect();
                match known {
                    Some(known) if !by_us => *gaps.entry(known[0]).or_default() += 1,
                    _ => failures.push(format!("{mutant}{}", describe(&findings, causes))),
                }
            }
        }
    }
    fail_if_any(&failures);
    assert!(
        refused >= mutants.len() / 4 && taken >= mutants.len() / 4,
        "too few edits of one kind: {refused}, {taken}"
    );
    println!(
        "{} documents: {refused} refused by both, {taken} accepted by both, refused only by the server: {gaps:?}; edits: {edits:?}",
        mutants.len()
    );
}

#[test]
fn the_page_is_up_to_date() {
    let Some(server) = server(Crds::Nothing) else { return };
    if server.minor() != crd_testbed::DEFAULT_MINOR {
        println!("skipped: the page is for Kubernetes {}, this is {}", crd_testbed::DEFAULT_MINOR, server.minor());
        return;
    }
    compare(&page::render(examples(server), rows(server), server.minor()), "reference/refusals.md", "refusals");
}
