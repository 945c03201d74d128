//! What our engine refuses as a CRD the server refuses too, and what the engine lets through the server takes.
//!
//! Invariants: servers of every minor are held against the same tables; where minors differ, the tables say so. Only the page is of the
//! default minor alone.

mod asking;
mod engine;
mod malformed;
mod mutations;
mod page;
mod places;

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crd_apiserver::refusal::{Authority, RULES, Rule, example};
use serde_json::{Value, json};

use crate::requests::send;
use crate::server::{Crds, Server, bundle, server};
use asking::{COLLECTION, Causes};
use engine::{READER, Said, verdict};
use malformed::{Expected, Gap, Malformed};

/// Examples of rules that older servers take: the rule, what the example contains, and the minor from which on servers refuse it.
const LATER: &[(&str, &str, u16)] = &[("default-invalid", "\"format\": \"int32\"", 36)];

/// Rules of our own about documents that the server takes and then never establishes, and the reason that it gives.
const NEVER_ESTABLISHED: &[(&str, &str)] = &[("conversion-certificate", "InvalidCABundle")];

/// An example of a rule, and what is made of it.
struct Judged {
    rule: &'static Rule,
    edit: &'static str,
    /// Whether it is one that the rule is there for.
    is_bad: bool,
    document: Value,
    said: Vec<Said>,
    causes: Causes,
}

/// A malformed document, and what is made of it.
struct JudgedRow {
    row: Malformed,
    said: Vec<Said>,
    causes: Causes,
}

fn minor(server: &Server) -> u16 {
    server.minor().split('.').nth(1).and_then(|minor| minor.parse().ok()).expect("a minor such as 1.36")
}

/// Every example of every rule. Asked once for all tests.
fn examples(server: &Server) -> &'static [Judged] {
    static ALL: OnceLock<Vec<Judged>> = OnceLock::new();
    ALL.get_or_init(|| {
        let edits = RULES.iter().flat_map(|rule| {
            let bad = rule.refused.iter().map(move |edit| (rule, *edit, true));
            bad.chain(rule.accepted.iter().map(move |edit| (rule, *edit, false)))
        });
        let mut all: Vec<Judged> = edits
            .map(|(rule, edit, is_bad)| {
                let document = example(edit).unwrap_or_else(|| panic!("not an edit: {edit}"));
                let said = verdict(&document);
                Judged { rule, edit, is_bad, document, said, causes: Causes::new() }
            })
            .collect();
        let causes = asking::dry_run(server, all.iter().map(|judged| judged.document.clone()).collect());
        for (judged, causes) in all.iter_mut().zip(causes) {
            judged.causes = causes;
        }
        all
    })
}

/// Every row of the table. Asked once for all tests.
fn rows(server: &Server) -> &'static [JudgedRow] {
    static ALL: OnceLock<Vec<JudgedRow>> = OnceLock::new();
    ALL.get_or_init(|| {
        let rows = malformed::table();
        let documents: Vec<Value> = rows.iter().map(Malformed::document).collect();
        let said: Vec<Vec<Said>> = documents.iter().map(verdict).collect();
        let causes = asking::dry_run(server, documents);
        let judged = rows.into_iter().zip(said).zip(causes);
        judged.map(|((row, said), causes)| JudgedRow { row, said, causes }).collect()
    })
}

/// Where the two sides do not point at the same places.
fn disagreements(said: &[Said], causes: &Causes) -> Vec<String> {
    // A document that cannot be read has no causes with places.
    if causes.iter().any(|cause| cause.place.is_empty()) {
        return Vec::new();
    }
    let ours: Vec<&Said> = said.iter().filter(|said| !said.is_house).collect();
    let alone = ours.iter().filter(|said| !causes.iter().any(|cause| places::is_same(&cause.place, &said.place)));
    let mut all: Vec<String> = alone.map(|said| format!("only we speak of {}: {}", said.place, said.words)).collect();
    for cause in causes {
        let is_ours = ours.iter().any(|said| places::is_same(&cause.place, &said.place));
        if !is_ours && !places::is_echo(&cause.place) {
            all.push(format!("only the server speaks of {}: {}", cause.place, cause.words));
        }
    }
    all
}

fn told(said: &[Said], causes: &Causes) -> String {
    let ours: Vec<&str> = said.iter().map(|said| said.words.as_str()).collect();
    let theirs: Vec<String> = causes.iter().map(|cause| format!("{}: {}", cause.place, cause.words)).collect();
    format!("\n    we: {ours:#?}\n    the server: {theirs:#?}")
}

fn fail_if_any(failures: &[String]) {
    assert!(failures.is_empty(), "{} do not agree:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn what_a_rule_refuses_the_server_refuses_for_the_same_reason() {
    let Some(server) = server(Crds::Nothing) else { return };
    let minor = minor(server);
    let (mut failures, mut refused, mut taken, mut older) = (Vec::new(), Vec::new(), 0, 0);
    for judged in examples(server).iter().filter(|judged| judged.is_bad) {
        let Judged { rule, edit, said, causes, .. } = judged;
        let is_later = LATER.iter().any(|(id, part, since)| *id == rule.id && edit.contains(part) && minor < *since);
        let fails = |what: &str| format!("{} {edit}: {what}{}", rule.id, told(said, causes));
        if !said.iter().any(|said| said.rule == rule.id) {
            failures.push(fails("our rule is silent"));
        }
        match rule.authority {
            Authority::Server if is_later => {
                older += 1;
                if !causes.is_empty() {
                    failures.push(fails("this minor should take it"));
                }
            }
            Authority::Server => {
                refused.push(judged);
                if causes.is_empty() {
                    failures.push(fails("the server takes it"));
                }
                failures.extend(disagreements(said, causes).iter().map(|what| fails(what)));
            }
            Authority::House => {
                taken += 1;
                if !causes.is_empty() {
                    failures.push(fails("a rule of our own, but the server refuses it"));
                }
            }
        }
    }
    fail_if_any(&failures);
    // Not only in a dry run.
    let created = asking::create(server, refused.iter().map(|judged| judged.document.clone()).collect());
    for (judged, causes) in refused.iter().zip(created) {
        assert_eq!(judged.causes, causes, "a dry run and a real create differ: {}", judged.edit);
    }
    println!(
        "{} rules: the server refuses {} documents for the same reasons and takes {taken} that only we refuse; {older} are refused by \
         newer servers only",
        RULES.len(),
        refused.len()
    );
}

/// The label of what this proof leaves on the server for a while.
const LABEL: (&str, &str) = ("crd-testbed/proof", "refusals");

/// The document with a group and a name that no other has.
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
fn what_every_rule_accepts_becomes_a_resource() {
    let Some(server) = server(Crds::Nothing) else { return };
    let accepted =
        || examples(server).iter().filter(|judged| !judged.is_bad || judged.rule.authority == Authority::House);
    let mut failures: Vec<String> = accepted()
        .filter(|judged| !judged.causes.is_empty() || !judged.is_bad && !judged.said.is_empty())
        .map(|judged| format!("{} {}: refused{}", judged.rule.id, judged.edit, told(&judged.said, &judged.causes)))
        .collect();
    fail_if_any(&failures);
    let documents: Vec<Value> =
        accepted().enumerate().map(|(index, judged)| renamed(&judged.document, index)).collect();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let reason = |judged: &Judged| {
        let never = NEVER_ESTABLISHED.iter().find(|(id, _)| *id == judged.rule.id && judged.is_bad);
        never.map_or("", |(_, reason)| *reason)
    };
    // By name, the reason for which a document is not established.
    let expected: BTreeMap<String, &str> = accepted()
        .zip(&documents)
        .map(|(judged, document)| (text(&document["metadata"]["name"]), reason(judged)))
        .collect();
    let never = expected.values().filter(|reason| !reason.is_empty()).count();
    for (judged, causes) in accepted().zip(asking::create(server, documents)) {
        if !causes.is_empty() {
            failures.push(format!("{} {}: {causes:?}", judged.rule.id, judged.edit));
        }
    }
    fail_if_any(&failures);
    server.block_on(established(server, &expected));
    println!("{} documents became resources, {never} never do", expected.len() - never);
}

/// Waits until all of them are established, or are not for the expected reason, with nothing to complain about, and removes them.
async fn established(server: &Server, expected: &BTreeMap<String, &str>) {
    let client = server.client();
    let list = format!("{COLLECTION}?labelSelector={}%3D{}", LABEL.0.replace('/', "%2F"), LABEL.1);
    let deadline = Instant::now() + Duration::from_secs(120);
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
fn malformed_documents_are_refused_by_both_sides_but_for_the_gaps_that_we_know() {
    let Some(server) = server(Crds::Nothing) else { return };
    let minor = minor(server);
    let mut failures = Vec::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut gaps: BTreeMap<Gap, Vec<&str>> = BTreeMap::new();
    for JudgedRow { row, said, causes } in rows(server) {
        let by_engine = said.iter().any(|said| !said.is_house);
        let by_house = said.iter().any(|said| said.is_house);
        let (engine_should, house_should, server_should, gap) = match row.expected {
            Expected::Refused => (true, false, true, None),
            Expected::RefusedSince(since) => (true, false, minor >= since, None),
            Expected::Taken => (false, false, false, None),
            Expected::RefusedByUs => (false, true, false, None),
            Expected::Unreadable(gap) => (true, false, false, Some(gap)),
            Expected::LetThrough(gap) => (false, false, true, Some(gap)),
            Expected::LetThroughUntil(until, gap) => (false, false, minor <= until, Some(gap)),
        };
        // Rules of our own may speak beside the server's.
        let house_agrees = by_house == house_should || by_engine;
        let mut problems = Vec::new();
        if (by_engine, !causes.is_empty()) != (engine_should, server_should) || !house_agrees {
            problems.push(format!("should be {:?}", row.expected));
        } else if by_engine && !causes.is_empty() && !said.iter().any(|said| said.rule == READER) {
            problems.extend(disagreements(said, causes));
        }
        failures.extend(problems.iter().map(|what| format!("{}: {what}{}", row.what, told(said, causes))));
        *counts
            .entry(match row.expected {
                Expected::Refused | Expected::RefusedSince(_) => "refused by both",
                Expected::Taken => "taken by both",
                Expected::RefusedByUs => "refused by us alone, on purpose",
                Expected::Unreadable(_) => "refused by us alone",
                Expected::LetThrough(_) | Expected::LetThroughUntil(..) => "refused by the server alone",
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
fn our_own_crds_have_nothing_wrong() {
    let mut count = 0;
    for channel in ["standard", "experimental"] {
        for entry in std::fs::read_dir(bundle(channel)).expect("the bundle").flatten() {
            let text = std::fs::read_to_string(entry.path()).expect("a file of the bundle");
            for document in crd_model::yaml::read(&text).expect("YAML") {
                if document["kind"] == "CustomResourceDefinition" {
                    let said: Vec<String> = verdict(&document).into_iter().map(|said| said.words).collect();
                    assert_eq!(said, [""; 0], "{}", entry.path().display());
                    count += 1;
                }
            }
        }
    }
    assert!(count > 0);
    println!("{count} CRDs");
}

#[test]
fn our_own_crds_after_random_edits_are_judged_alike() {
    let Some(server) = server(Crds::Nothing) else { return };
    let mutants = mutations::mutants();
    let causes = asking::dry_run(server, mutants.iter().map(|mutant| mutant.document.clone()).collect());
    let mut failures = Vec::new();
    let (mut refused, mut taken) = (0, 0);
    let mut gaps: BTreeMap<Gap, usize> = BTreeMap::new();
    let mut edits: BTreeMap<&str, usize> = BTreeMap::new();
    for (mutant, causes) in mutants.iter().zip(&causes) {
        let said = verdict(&mutant.document);
        for edit in &mutant.edits {
            *edits.entry(edit.name).or_default() += 1;
        }
        match (said.iter().any(|said| !said.is_house), !causes.is_empty()) {
            (true, true) => refused += 1,
            (false, false) => taken += 1,
            (by_us, _) => {
                let known: Option<Vec<Gap>> =
                    causes.iter().map(|cause| mutations::gap(cause, &mutant.document)).collect();
                match known {
                    Some(known) if !by_us => *gaps.entry(known[0]).or_default() += 1,
                    _ => failures.push(format!("{mutant}{}", told(&said, causes))),
                }
            }
        }
    }
    fail_if_any(&failures);
    assert!(refused >= mutants.len() / 4 && taken >= mutants.len() / 4, "edits that prove little: {refused}, {taken}");
    println!(
        "{} documents: {refused} refused by both, {taken} taken by both, refused by the server alone: {gaps:?}; edits: {edits:?}",
        mutants.len()
    );
}

#[test]
fn the_page_has_our_words_and_those_of_the_server() {
    let Some(server) = server(Crds::Nothing) else { return };
    if server.minor() != crd_testbed::DEFAULT_MINOR {
        println!("skipped: the page has the words of {}, this is {}", crd_testbed::DEFAULT_MINOR, server.minor());
        return;
    }
    page::compare(&page::render(examples(server), rows(server), server.minor()));
}
