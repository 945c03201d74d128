//! The baseline, declarations and exceptions, with a convention of this test.

use std::collections::BTreeMap;

use crd_lint::{
    Convention, Element, Exception, Finding, Node, Origin, Problem, findings, findings_of_types, without_allowed,
};
use crd_model::channel::Channel::{Experimental, Standard};
use crd_model::{Channels, CustomResourceDefinition};

use crate::example::{channels, example};

/// Fields and values of enums whose names begin with `x`.
static NO_X: Convention = Convention {
    name: "no-x",
    summary: "Names do not begin with x.",
    reason: "For this test.",
    source: "this test",
    linters: &[],
    is_default: true,
    firing: "",
    silent: "",
    check: |node: &Node<'_>, problems: &mut Vec<Problem>| {
        if node.name.is_some_and(|name| name.starts_with('x')) {
            problems.push(Problem::new("begins with x", "rename it"));
        }
        let values = node.schema.enumeration.iter().flatten().filter_map(|value| value.as_str());
        for value in values.filter(|value| value.starts_with('x')) {
            problems.push(Problem::new("has a value that begins with x", "rename it").of_part(value));
        }
    },
};

/// A CRD with these fields in `spec`, each with its schema.
fn crd(name: &str, fields: &str) -> CustomResourceDefinition {
    let mut crd =
        example(&format!("{{type: object, properties: {{spec: {{type: object, properties: {{{fields}}}}}}}}}"));
    crd.name = name.to_owned().into();
    crd
}

fn widget(fields: &str) -> CustomResourceDefinition {
    crd("widgets.example.com", fields)
}

fn standard(crd: CustomResourceDefinition) -> Channels {
    channels(&[(Standard, crd)])
}

fn between(candidate: &Channels, baseline: &Channels) -> Vec<Finding> {
    findings(&[&NO_X], candidate, Some(baseline), &BTreeMap::new())
}

/// Findings in short: the channel, the places, and what is new.
fn short(findings: &[Finding]) -> Vec<String> {
    let short = |finding: &Finding| {
        let places = finding.places.iter().map(|place| format!("{}/{}/{}", place.crd, place.version, place.path));
        let state = match (finding.is_new, finding.graduates) {
            (true, true) => "graduates",
            (true, false) => "new",
            (false, _) => "old",
        };
        let part = finding.problem.part.as_ref().map(|part| format!(" {part}")).unwrap_or_default();
        format!("{} {}{part}: {state}", finding.channel.name(), places.collect::<Vec<_>>().join(" "))
    };
    findings.iter().map(short).map(|text| text.replace("widgets.example.com/", "")).collect()
}

#[test]
fn only_what_the_baseline_lacks_is_new() {
    let old = standard(widget("xa: {type: string}"));
    let new = standard(widget("xa: {type: integer}, xb: {type: string}"));
    assert_eq!(short(&between(&new, &old)), ["standard v1/spec.xa: old", "standard v1/spec.xb: new"]);
    let all = findings(&[&NO_X], &new, None, &BTreeMap::new());
    assert_eq!(short(&all), ["standard v1/spec.xa: new", "standard v1/spec.xb: new"]);
}

#[test]
fn a_new_part_of_a_known_node_is_new() {
    let old = standard(widget("a: {type: string, enum: [xa]}"));
    let new = standard(widget("a: {type: string, enum: [xa, xb]}"));
    assert_eq!(short(&between(&new, &old)), ["standard v1/spec.a xa: old", "standard v1/spec.a xb: new"]);
}

#[test]
fn what_only_experimental_has_is_experimental_and_what_graduates_is_new() {
    let both = |in_standard: &str| {
        channels(&[(Standard, widget(in_standard)), (Experimental, widget("xa: {type: string}, xb: {type: string}"))])
    };
    let (old, new) = (both("xa: {type: string}"), both("xa: {type: string}, xb: {type: string}"));
    assert_eq!(short(&between(&old, &old)), ["standard v1/spec.xa: old", "experimental v1/spec.xb: old"]);
    assert_eq!(short(&between(&new, &old)), ["standard v1/spec.xa: old", "standard v1/spec.xb: graduates"]);
    assert_eq!(
        short(&findings(&[&NO_X], &old, None, &BTreeMap::new())),
        ["standard v1/spec.xa: new", "experimental v1/spec.xb: new"]
    );
}

#[test]
fn a_new_version_compares_with_every_version_and_a_known_one_with_itself() {
    let versions = |versions: &[(&str, &str)]| {
        let mut all = widget("");
        all.versions = versions
            .iter()
            .map(|(name, fields)| {
                let mut version = widget(fields).versions.remove(0);
                version.name = (*name).to_owned().into();
                version
            })
            .collect();
        standard(all)
    };
    let old = versions(&[("v1", ""), ("v1beta1", "xa: {type: string}")]);
    let new = versions(&[
        ("v1", "xa: {type: string, maxLength: 1}"),
        ("v1beta1", "xa: {type: string}"),
        ("v2", "xa: {type: string, maxLength: 2}"),
    ]);
    assert_eq!(
        short(&between(&new, &old)),
        ["standard v1/spec.xa: new", "standard v1beta1/spec.xa: old", "standard v2/spec.xa: old"]
    );
}

#[test]
fn equal_nodes_below_equal_parents_are_one_declaration() {
    let shared = "{type: object, properties: {xa: {type: string}}}";
    let new = standard(widget(&format!(
        "a: {shared}, b: {shared}, c: {{type: object, properties: {{xa: {{type: integer}}}}}}"
    )));
    let old = standard(widget(&format!("a: {shared}")));
    // The declaration was used before: its other place is not new either.
    assert_eq!(short(&between(&new, &old)), ["standard v1/spec.a.xa v1/spec.b.xa: old", "standard v1/spec.c.xa: new"]);
}

#[test]
fn what_has_one_origin_in_rust_is_one_declaration_in_both_channels() {
    let one = "a: {type: object, properties: {xa: {type: string}}}";
    let other = "b: {type: object, properties: {xa: {type: string}, c: {type: string}}}";
    let new = channels(&[(Standard, widget(one)), (Experimental, widget(&format!("{one}, {other}")))]);
    let old = channels(&[(Standard, widget("")), (Experimental, widget(one))]);
    let short_of = |origin: Origin<'_>| short(&findings_of_types(&[&NO_X], &new, Some(&old), &BTreeMap::new(), origin));
    assert_eq!(short_of(&|_| None), ["standard v1/spec.a.xa: graduates", "experimental v1/spec.b.xa: new"]);
    assert_eq!(short_of(&|_| Some("types.rs:3".to_owned())), ["standard v1/spec.a.xa: graduates"]);
    let both = standard(widget(&format!("{one}, {other}")));
    let found = findings_of_types(&[&NO_X], &both, Some(&standard(widget(other))), &BTreeMap::new(), &|_| {
        Some("types.rs:3".to_owned())
    });
    assert_eq!(short(&found), ["standard v1/spec.a.xa v1/spec.b.xa: old"]);
}

#[test]
fn a_moved_crd_is_compared_with_its_former_one() {
    let old = standard(crd("widgets.x.example.com", "xa: {type: string}"));
    let new = standard(widget("xa: {type: string}"));
    assert_eq!(short(&between(&new, &old)), ["standard v1/spec.xa: new"]);
    let moved = BTreeMap::from([("widgets.x.example.com".to_owned(), "widgets.example.com".to_owned())]);
    assert_eq!(short(&findings(&[&NO_X], &new, Some(&old), &moved)), ["standard v1/spec.xa: old"]);
}

#[test]
fn exceptions_allow_places_and_unused_lines_are_returned() {
    let fields = "xa: {type: string}, xb: {type: array, items: {type: string, enum: [xc, xd]}}";
    let new = standard(widget(fields));
    let element = |path: Option<&str>, part: Option<&str>| Element {
        crd: "widgets.example.com".to_owned(),
        path: path.map(str::to_owned),
        part: part.map(str::to_owned),
    };
    let exception = |path: Option<&str>, part: Option<&str>, line: usize| Exception {
        rule: "no-x".to_owned(),
        elements: vec![element(path, part)],
        source: ("settings.yaml".to_owned(), line),
    };
    let left = |exceptions: &[Exception]| {
        let mut found = findings(&[&NO_X], &new, None, &BTreeMap::new());
        let unused = without_allowed(&mut found, exceptions);
        (short(&found), unused.iter().map(|exception| exception.source.1).collect::<Vec<_>>())
    };
    let all = [
        "standard v1/spec.xa: new",
        "standard v1/spec.xb: new",
        "standard v1/spec.xb[*] xc: new",
        "standard v1/spec.xb[*] xd: new",
    ];
    let all = all.map(str::to_owned);
    assert_eq!(left(&[]), (all.to_vec(), vec![]));
    assert_eq!(left(&[exception(None, None, 1)]), (vec![], vec![]));
    assert_eq!(left(&[exception(Some("spec.x*"), None, 1)]), (vec![], vec![]));
    // A field with its items, and one value of an enum.
    assert_eq!(left(&[exception(Some("spec.xb"), None, 1)]), (all[..1].to_vec(), vec![]));
    assert_eq!(left(&[exception(Some("spec.xb"), Some("xc"), 1)]).0, [all[0].clone(), all[1].clone(), all[3].clone()]);
    // An exception with several elements is used if one of them is.
    let two = Exception {
        elements: vec![element(Some("spec.xa"), None), element(Some("spec.xz"), None)],
        ..exception(None, None, 1)
    };
    assert_eq!(left(&[two, exception(Some("spec.xz"), None, 2)]), (all[1..].to_vec(), vec![2]));
    let other = Exception { rule: "no-y".to_owned(), ..exception(None, None, 3) };
    assert_eq!(left(&[other]), (all.to_vec(), vec![3]));
}
