//! Conformance reports and approvals: both formats, every failure, and the numbers of Gateway API by a second count.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

use crd_bundle::Released;
use crd_graduation::approval::Approval;
use crd_graduation::evidence::{Evidence, PROFILES};
use crd_model::graduation::Criterion;
use serde_json::Value;

/// The reports of Gateway API in `bundles/evidence`.
const REPORTS: &str = include_str!("../../../bundles/evidence/conformance.jsonl");

fn read(name: &str, text: &str) -> Evidence {
    Evidence::read([(Path::new(name), text)]).unwrap().0
}

fn date(text: &str) -> Option<Released> {
    Some(text.parse().unwrap())
}

const REPORT: &str = "\
apiVersion: gateway.networking.k8s.io/v1
kind: ConformanceReport
date: '2026-03-01T10:00:00+02:00'
gatewayAPIVersion: v1.5.0
gatewayAPIChannel: experimental
implementation: {organization: example, project: proxy, url: 'https://example.com', version: v2.0.0}
profiles:
- name: GATEWAY-HTTP
  core: {result: success, statistics: {Passed: 33}}
  extended: {result: success, supportedFeatures: [HTTPRouteRetry], unsupportedFeatures: [HTTPRouteCORS]}
- name: GATEWAY-TLS
  core: {result: partial}
  extended: {result: partial, supportedFeatures: [TLSRouteModeMixed]}
";

#[test]
fn a_report_passes_what_succeeded_and_supports_more() {
    let evidence = read("report.yaml", REPORT);
    let report = &evidence.reports()[0];
    assert_eq!((&*report.project, &*report.version, &*report.release), ("example/proxy", "v2.0.0", "v1.5.0"));
    assert_eq!(report.date.unwrap().to_string(), "2026-03-01T08:00:00Z");
    let names = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(names(&report.passed), "Gateway HTTPRoute HTTPRouteRetry ReferenceGrant");
    assert_eq!(names(&report.supported), "Gateway HTTPRoute HTTPRouteRetry ReferenceGrant TLSRoute TLSRouteModeMixed");
    assert!(!evidence.lists("HTTPRouteCORS", None), "unsupported");
    // Until a date.
    assert!(!evidence.lists("HTTPRouteRetry", date("2026-03-01T07:59:59Z")));
    assert!(evidence.lists("HTTPRouteRetry", date("2026-03-01T08:00:00Z")));
}

#[test]
fn a_project_passes_several_features_from_the_last_of_them_on() {
    let line = |project: &str, date: &str, version: &str, supported: &str| {
        format!(
            r#"{{"project":"{project}","version":"{version}","release":"v1.5.0","date":"{date}","profiles":[{{"name":"X","core":"success","extended":"success","supported":{supported}}}]}}"#
        )
    };
    let lines = [
        line("a", "2026-01-01T00:00:00Z", "v1", r#"["One"]"#),
        line("a", "2026-03-01T00:00:00Z", "v2", r#"["One", "Two"]"#),
        line("a", "2026-05-01T00:00:00Z", "v3", r#"["Two"]"#),
        line("b", "2026-02-01T00:00:00Z", "v1", r#"["One"]"#),
        // Counted once.
        line("b", "2026-02-01T00:00:00Z", "v1", r#"["One"]"#),
    ];
    let evidence = read("reports.jsonl", &lines.join("\n"));
    assert_eq!(evidence.reports().len(), 4);
    let passing = |features: &[&str], until: Option<Released>| {
        let features = features.iter().map(|feature| (*feature).to_owned()).collect::<Vec<_>>();
        let passing = evidence.passing(&features, until).into_iter();
        passing
            .map(|passing| format!("{} {} {}", passing.project, passing.first.unwrap().date(), passing.version))
            .collect::<Vec<_>>()
    };
    assert_eq!(passing(&["One"], None), ["a 2026-01-01 v2", "b 2026-02-01 v1"]);
    assert_eq!(passing(&["One", "Two"], None), ["a 2026-03-01 v3"]);
    assert_eq!(passing(&["One", "Two"], date("2026-02-28")), [] as [&str; 0]);
}

#[test]
fn every_mistake_has_its_file_and_line() {
    let broken = "kind: ConformanceReport\ndate: x\n---\nkind: Other\n---\nkind: [\n";
    let lines = "\n[]\n{\n{\"project\": \"a\", \"version\": \"v1\", \"release\": \"v1.0.0\", \"date\": \"-\", \"profiles\": 7}\n";
    let errors = Evidence::read([(Path::new("a.yaml"), broken), (Path::new("b.jsonl"), lines)]).unwrap_err();
    let errors = errors.iter().map(|error| {
        let place = error.location.file.as_ref().unwrap();
        format!("{}:{} {}", place.display(), error.location.line.unwrap_or_default(), error.message)
    });
    let errors = errors.collect::<Vec<_>>();
    for (index, part) in [
        "a.yaml:1 the report has no `implementation.organization`, `implementation.project`, `implementation.version`, `gatewayAPIVersion`",
        "a.yaml:4 the document is not of the kind `ConformanceReport`",
        "a.yaml:",
        "b.jsonl:2 a line is not a JSON object",
        "b.jsonl:3 a line is not JSON: ",
        "b.jsonl:4 the report has no `profiles` as a list",
    ]
    .iter()
    .enumerate()
    {
        assert!(errors[index].starts_with(part), "{errors:#?}");
    }
    assert_eq!(errors.len(), 6, "{errors:#?}");
    // A report without a date counts at no date. A date that cannot be read is also a warning.
    let line =
        r#"{"project":"a","version":"v1","release":"v1.0.0","date":"-","profiles":[{"name":"TLS","core":"success"}]}"#;
    for (line, warned) in [(line.to_owned(), 0), (line.replace("\"-\"", "\"yesterday\""), 1)] {
        let (evidence, warnings) = Evidence::read([(Path::new("b.jsonl"), &*line)]).unwrap();
        assert_eq!(warnings.len(), warned);
        assert!(evidence.lists("TLSRoute", None) && !evidence.lists("TLSRoute", date("2099-01-01")));
    }
}

#[test]
fn reading_never_panics() {
    let mut seed = 7_u64;
    let mut random = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % most
    };
    for _ in 0..2_000 {
        let mut text = REPORT.chars().collect::<Vec<_>>();
        for _ in 0..=random(4) {
            let at = random(text.len());
            match random(3) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, ['{', '\'', '-', ':', '\n', '\u{202e}'][random(6)]),
                _ => text.truncate(at.max(1)),
            }
        }
        let text = text.into_iter().collect::<String>();
        let _ = Evidence::read([(Path::new("a.yaml"), &*text), (Path::new("a.jsonl"), &*text)]);
        let _ = Approval::read_all(&text, Path::new("approvals.yaml"));
    }
}

/// The projects by a second count over plain JSON: profiles with a successful extended result that list the feature, in reports of v1.6.
fn counted(feature: &str, only_success: bool) -> usize {
    let reports = REPORTS.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let reports = reports.filter(|report| report["release"].as_str().unwrap().starts_with("v1.6"));
    let passes = |profile: &Value| {
        let lists = profile["supported"].as_array().unwrap().iter().any(|known| known == feature);
        lists && (!only_success || profile["extended"] == "success")
    };
    let reports = reports.filter(|report| report["profiles"].as_array().unwrap().iter().any(passes));
    reports.map(|report| report["project"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>().len()
}

#[test]
fn projects_of_gateway_api_are_those_of_a_second_count() {
    let of_minor = REPORTS.lines().filter(|line| line.contains(r#""release": "v1.6"#)).collect::<Vec<_>>().join("\n");
    let evidence = read("conformance.jsonl", &of_minor);
    for (feature, supporting) in [
        ("HTTPRouteDestinationPortMatching", 10),
        ("HTTPRouteRetry", 6),
        ("HTTPRouteRetryBackendTimeout", 6),
        ("HTTPRouteRetryConnectionError", 6),
        ("TLSRouteModeMixed", 6),
    ] {
        let reports = evidence.reports().iter().filter(|report| report.supported.contains(feature));
        let projects = reports.map(|report| &report.project).collect::<BTreeSet<_>>().len();
        assert_eq!((projects, counted(feature, false)), (supporting, supporting), "{feature}");
        assert_eq!(evidence.passing(&[feature.to_owned()], None).len(), counted(feature, true), "{feature}");
    }
    let all = read("conformance.jsonl", REPORTS);
    assert_eq!(all.reports().len(), 190);
    let profiles = PROFILES.map(|(name, _)| name);
    for line in REPORTS.lines() {
        let report = serde_json::from_str::<Value>(line).unwrap();
        for profile in report["profiles"].as_array().unwrap() {
            assert!(profiles.contains(&profile["name"].as_str().unwrap()), "{profile}");
        }
    }
}

#[test]
fn approvals_are_lines_and_mistakes_have_their_line() {
    let text = "\
approvals:
- {name: things/spec.colour, who: '@alice', date: 2026-11-20, where: 'https://example.com/42'}
- {name: things/spec.colour, who: '@bob', date: 2026-11-21, where: 'https://example.com/43', criterion: usage}
- {name: things/spec.colour, who: '@alice', date: 2026-11-22, where: 'https://example.com/44'}
- {name: things/spec.size, whom: '@alice', date: yesterday, where: ' ', criterion: soak}
- 7
";
    let (approvals, errors) = Approval::read_all(text, Path::new("approvals.yaml"));
    let read =
        approvals.iter().map(|approval| (&*approval.who, approval.date.date(), approval.criterion, approval.line));
    assert_eq!(
        read.collect::<Vec<_>>(),
        [
            ("@alice", "2026-11-20".to_owned(), Criterion::Approval, 2),
            ("@bob", "2026-11-21".to_owned(), Criterion::Usage, 3),
        ]
    );
    let errors = errors.iter().map(|error| format!("{} {}", error.location.line.unwrap(), error.message));
    let errors = errors.collect::<Vec<_>>();
    for (index, part) in [
        "4 the same approval is at line 2",
        "5 `soak` is not stated by people: the criteria are usage, approval",
        "5 `where` is empty",
        "5 `yesterday` is not a release date",
        "5 the entry has no `who`",
        "5 unknown key `whom` of an entry: did you mean `who`?",
        "6 an entry must have keys",
    ]
    .iter()
    .enumerate()
    {
        assert!(errors[index].starts_with(part), "{errors:#?}");
    }
}
