//! The suites of Gateway API on a real server: each case is answered as it expects, in each channel to which it applies. A sample of the cases;
//! `cargo xtask prove suites` sends all.
//!
//! Invariants: an answer is compared with the expectation in the file, not with what this project would answer.

use std::time::Instant;

use crd_model::path::value_at;
use crd_suite::{Case, Expected};

use crate::boundaries::subject::{self, Subject};
use crate::requests::Answer;

/// Every case of the suites in `api-types/suites`.
fn cases() -> Vec<Case> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../api-types/suites");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("a file");
        crd_suite::read(&text, path).unwrap_or_else(|errors| panic!("{errors:?}")).cases
    };
    paths.iter().flat_map(read).collect()
}

fn applies(case: &Case, subject: &Subject) -> bool {
    let version = format!("{}/{}", subject.versioned.crd.group, subject.versioned.version.name);
    case.object["kind"] == subject.versioned.kind()
        && case.object["apiVersion"] == *version
        && case.channel.is_none_or(|channel| channel.name() == subject.channel.name())
        && case.minors.as_ref().is_none_or(|minors| minors.contains(&subject.minor()))
}

fn answer(case: &Case, subject: &Subject) -> Answer {
    match &case.old {
        Some(old) if !case.is_status => subject.try_update(old, &case.object),
        _ => subject.try_out(case.is_status, &case.object),
    }
}

/// How the answer of the server differs from the expected one.
fn difference(case: &Case, answer: &Answer) -> Option<String> {
    let differs =
        |what: &str| Some(format!("{}: {what}: {} {} {:?}", case.name, answer.code, answer.message(), answer.causes()));
    match &case.expected {
        Expected::Accepted { .. } if !answer.is_success() => differs("not accepted"),
        Expected::Accepted { parts, .. } => {
            let mut wrong = parts.iter().filter(|(path, value)| value_at(&answer.body, path) != value.as_ref());
            wrong.next().and_then(|(path, _)| differs(&format!("another value at {path:?}")))
        }
        Expected::RefusedWith(_) => differs("not our form"),
        Expected::Refused(_) if answer.is_success() => differs("accepted"),
        Expected::Refused(parts) => {
            let reasons = answer.causes().into_iter().map(|(field, message)| format!("{field}: {message}"));
            let reasons: Vec<String> =
                reasons.filter(|reason| !reason.contains("some validation rules were not checked")).collect();
            let is_explained = |reason: &String| parts.iter().any(|part| reason.contains(part.as_str()));
            let is_used = |part: &String| reasons.iter().any(|reason| reason.contains(part.as_str()));
            let is_right = !reasons.is_empty() && reasons.iter().all(is_explained) && parts.iter().all(is_used);
            if is_right { None } else { differs("other reasons") }
        }
    }
}

#[test]
fn a_server_answers_as_the_suites_expect() {
    let Some(subjects) = subject::all("suites") else { return };
    let started = Instant::now();
    let cases = crd_testdata::sample_of(cases(), |case| case.old.is_some() && !case.is_status);
    let results = subject::for_each(&subjects, |subject| {
        let own = cases.iter().filter(|case| applies(case, subject));
        own.map(|case| difference(case, &answer(case, subject)).map(|text| format!("{} {text}", subject.name())))
            .collect::<Vec<_>>()
    });
    let all = results.iter().map(Vec::len).sum::<usize>();
    let differences: Vec<String> = results.into_iter().flatten().flatten().collect();
    println!("{} cases, {all} requests, {:.1} s", cases.len(), started.elapsed().as_secs_f64());
    assert!(all >= cases.len(), "a case applies to no subject");
    assert!(differences.is_empty(), "{} of {all} answers differ:\n{}", differences.len(), differences.join("\n"));
}
