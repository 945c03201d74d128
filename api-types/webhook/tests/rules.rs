//! Each rule against its cases.

use std::collections::BTreeSet;

use crate::case::{cases, files, table};

#[test]
fn every_case_reports_exactly_what_it_lists() {
    let mut wrong = Vec::new();
    for case in files().iter().flat_map(|rule| cases(rule)) {
        let (reported, expected) = (case.reported(), case.expected());
        if reported != expected {
            wrong.push(format!("{}, {}:\n reported {reported:#?}\n expected {expected:#?}", case.rule, case.name));
        }
        assert_eq!(case.fires, expected.iter().any(|remarks| !remarks.is_empty()), "{}, {}", case.rule, case.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_of_every_kind_has_cases_that_fire_and_that_are_silent() {
    let with_cases = |fires: bool| {
        let files = files();
        let cases = files.iter().flat_map(|rule| cases(rule)).filter(|case| case.fires == fires);
        cases.map(|case| (case.kind().to_owned(), case.rule)).collect::<BTreeSet<_>>()
    };
    let owned = |(kind, rule): (&str, &str)| (kind.to_owned(), rule.to_owned());
    let rules = table().into_iter().map(owned).collect::<BTreeSet<_>>();
    assert_eq!(with_cases(true), rules);
    assert_eq!(with_cases(false), rules);
}

#[test]
fn the_webhook_has_the_rules_and_reads_what_they_look_up() {
    let bundle = crd_webhook::Bundle::of_crds("test", "test.example.com", "v1.0.0", [].into(), None, &[]).unwrap();
    let webhook = gateway_api_webhook::with_rules(crd_webhook::Webhook::new(bundle));
    let described = webhook.described().into_iter().map(|rule| (rule.kind, rule.name)).collect::<BTreeSet<_>>();
    assert_eq!(described, table().into_iter().collect());
    let kinds = webhook.watched().into_iter().map(|resource| &*resource.kind).collect::<BTreeSet<_>>();
    let read = ["Gateway", "ListenerSet", "Namespace", "ReferenceGrant", "Service", "XBackend"];
    assert_eq!(kinds, read.into());
    let names = table().into_iter().map(|(_, name)| name.to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(names, files().into_iter().collect(), "the files of cases");
}
