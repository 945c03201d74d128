//! What cases cover, with expectations by hand.

use std::slice::from_ref;
use std::sync::Arc;
use std::time::Instant;

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_suite::write::Proposal;
use crd_suite::{Case, Element, Expected, Kinds, Requirement, State, coverage, elements};
use serde_json::{Value, json};

use crate::elements::{crd, folder, of_schema, words};

/// The creation of a thing.
fn case(object: &Value, is_accepted: bool) -> Case {
    let mut thing = json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}});
    thing.as_object_mut().unwrap().extend(object.as_object().unwrap().clone());
    let expected = match is_accepted {
        true => Expected::ACCEPTED,
        false => Expected::Refused(vec![String::new()]),
    };
    let name = object.to_string();
    Case { name, line: 1, channel: None, minors: None, old: None, object: thing, is_status: false, expected }
}

fn accepted(spec: Value) -> Case {
    case(&json!({"spec": spec}), true)
}

fn refused(spec: Value) -> Case {
    case(&json!({"spec": spec}), false)
}

fn update(old: Value, spec: Value, is_accepted: bool) -> Case {
    let old = accepted(old).object;
    Case { old: Some(old), ..case(&json!({"spec": spec}), is_accepted) }
}

/// The states of the elements, in the order of the elements.
fn states(crds: &[Arc<CustomResourceDefinition>], cases: &[Case]) -> Vec<(String, State)> {
    let elements = elements(crds);
    let coverage = coverage(&elements, crds, cases, &Kinds::prepare(crds, 37).unwrap());
    let state = |(index, element)| (words(element), coverage.state(&elements, index));
    elements.iter().enumerate().map(state).collect()
}

/// A spec with one field `a`, which has this schema.
#[track_caller]
fn check(schema: Value, cases: &[Case], expected: &[(&str, State)]) {
    let crds = [crd(&json!({"type": "object", "properties": {"a": schema}}))];
    let found = states(&crds, cases);
    let found = found.iter().map(|(words, state)| (&**words, *state)).collect::<Vec<_>>();
    assert_eq!(found, expected);
}

use State::{Covered, NeverAccepted, NeverRefused, Untested};

#[test]
fn a_constraint_needs_both_sides() {
    let schema = json!({"type": "string", "maxLength": 2});
    let of = |state| [("maxLength @ spec.a", state)];
    let (inside, outside) = (accepted(json!({"a": "xx"})), refused(json!({"a": "xxx"})));
    check(schema.clone(), &[], &of(Untested));
    check(schema.clone(), from_ref(&inside), &of(NeverRefused));
    check(schema.clone(), from_ref(&outside), &of(NeverAccepted));
    check(schema.clone(), &[inside, outside], &of(Covered));
    // Refused for another reason, or not as expected.
    check(
        schema.clone(),
        &[refused(json!({"a": 1})), refused(json!({"a": "x"})), accepted(json!({"a": "xxx"}))],
        &of(Untested),
    );
    // Without the value.
    check(schema, &[accepted(json!({}))], &of(Untested));
}

#[test]
fn each_keyword_fires() {
    for (schema, inside, outside, keyword) in [
        (json!({"type": "string", "enum": ["x"]}), json!("x"), json!("y"), "enum"),
        (json!({"type": "string", "format": "date"}), json!("2026-01-31"), json!("x"), "format"),
        (json!({"type": "integer", "format": "int32"}), json!(1), json!(1i64 << 31), "format"),
        (json!({"type": "string", "pattern": "^x"}), json!("x"), json!("y"), "pattern"),
        (json!({"type": "integer", "minimum": 1}), json!(1), json!(0), "minimum"),
        (json!({"type": "integer", "maximum": 1}), json!(1), json!(2), "maximum"),
        (json!({"type": "integer", "multipleOf": 2}), json!(2), json!(3), "multipleOf"),
        (json!({"type": "string", "minLength": 1}), json!("x"), json!(""), "minLength"),
        (json!({"type": "array", "items": {"type": "string"}, "minItems": 1}), json!([""]), json!([]), "minItems"),
        (json!({"type": "array", "items": {"type": "string"}, "maxItems": 1}), json!([]), json!(["", ""]), "maxItems"),
        (
            json!({"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1}),
            json!({"k": ""}),
            json!({}),
            "minProperties",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 0}),
            json!({}),
            json!({"k": ""}),
            "maxProperties",
        ),
        (
            json!({"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}),
            json!({"b": ""}),
            json!({}),
            "required b",
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}),
            json!(["x"]),
            json!(["x", "x"]),
            "x-kubernetes-list-type: set",
        ),
        (
            json!({"type": "string", "x-kubernetes-validations": [{"rule": "self == 'x'"}]}),
            json!("x"),
            json!("y"),
            "self == 'x'",
        ),
        (json!({"type": "string", "not": {"enum": ["y"]}}), json!("x"), json!("y"), "not"),
    ] {
        let crds = [crd(&json!({"type": "object", "properties": {"a": schema}}))];
        let words = format!("{keyword} @ spec.a");
        let state = |cases: &[Case]| states(&crds, cases).into_iter().find(|(found, _)| *found == words).unwrap().1;
        let (inside, outside) = (accepted(json!({"a": inside})), refused(json!({"a": outside})));
        assert_eq!(state(&[]), Untested, "{keyword}");
        assert_eq!(state(from_ref(&inside)), NeverRefused, "{keyword}");
        assert_eq!(state(from_ref(&outside)), NeverAccepted, "{keyword}");
        assert_eq!(state(&[inside, outside]), Covered, "{keyword}");
    }
}

#[test]
fn keys_of_a_list() {
    let item = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "string"}}});
    let schema =
        json!({"type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"]});
    let cases = [accepted(json!({"a": [{"n": "x"}]})), refused(json!({"a": [{"n": "x"}, {"n": "x"}]}))];
    check(
        schema,
        &cases,
        &[("x-kubernetes-list-map-keys @ spec.a", Covered), ("required n @ spec.a[*]", NeverRefused)],
    );
}

#[test]
fn values_and_defaults_need_accepted_cases() {
    let schema = json!({"type": "string", "enum": ["x", "y"], "default": "x"});
    let of = |x, y, default| {
        [
            ("enum @ spec.a", NeverRefused),
            ("value \"x\" @ spec.a", x),
            ("value \"y\" @ spec.a", y),
            ("default \"x\" @ spec.a", default),
        ]
    };
    check(schema.clone(), &[accepted(json!({"a": "x"}))], &of(Covered, NeverAccepted, NeverAccepted));
    check(schema.clone(), &[accepted(json!({}))], &of(Covered, NeverAccepted, Covered));
    check(schema.clone(), &[accepted(json!({"a": null}))], &of(Covered, NeverAccepted, Covered));
    check(schema, &[accepted(json!({"a": "x"})), accepted(json!({"a": "y"}))], &of(Covered, Covered, NeverAccepted));
}

#[test]
fn a_default_in_a_default_is_filled_in_where_it_is_absent() {
    let below = |name: &str| (name.to_owned(), json!({"type": "string", "default": "d"}));
    let below = Value::Object([below("b"), below("c")].into_iter().collect());
    let schema = json!({"type": "object", "default": {"b": "x"}, "properties": below});
    let of = |a, b, c| {
        [("default {\"b\":\"x\"} @ spec.a", a), ("default \"d\" @ spec.a.b", b), ("default \"d\" @ spec.a.c", c)]
    };
    check(schema.clone(), &[accepted(json!({}))], &of(Covered, NeverAccepted, Covered));
    check(schema, &[accepted(json!({"a": {"c": "x"}}))], &of(NeverAccepted, Covered, NeverAccepted));
}

#[test]
fn rules_about_updates_need_updates() {
    let schema = json!({"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]});
    let of = |state| [("self == oldSelf @ spec.a", state)];
    check(schema.clone(), &[accepted(json!({"a": "x"}))], &of(Untested));
    let same = update(json!({"a": "x"}), json!({"a": "x"}), true);
    let other = update(json!({"a": "x"}), json!({"a": "y"}), false);
    check(schema.clone(), from_ref(&same), &of(NeverRefused));
    check(schema.clone(), &[same, other], &of(Covered));
    // Without a stored value the rule is not evaluated.
    check(schema, &[update(json!({}), json!({"a": "y"}), true)], &of(Untested));
}

#[test]
fn what_an_update_leaves_alone_is_no_evidence() {
    let text = json!({"type": "string", "maxLength": 2, "x-kubernetes-validations": [{"rule": "self != 'y'"}]});
    let crds = [crd(&json!({"type": "object", "properties": {"a": text, "b": {"type": "string", "maxLength": 1}}}))];
    let of = |old: Value, new: Value| {
        states(&crds, &[update(old, new, true)]).into_iter().map(|(_, state)| state).collect::<Vec<_>>()
    };
    // The stored value is too long, or breaks the rule, and stays: a server accepts that, with a warning for the rule.
    assert_eq!(
        of(json!({"a": "xxx", "b": "1"}), json!({"a": "xxx", "b": "2"})),
        [Untested, NeverRefused, NeverRefused]
    );
    assert_eq!(of(json!({"a": "y", "b": "1"}), json!({"a": "y", "b": "2"})), [NeverRefused, Untested, NeverRefused]);
    assert_eq!(
        of(json!({"a": "z", "b": "1"}), json!({"a": "z", "b": "2"})),
        [NeverRefused, NeverRefused, NeverRefused]
    );
}

#[test]
fn the_status_has_requests_of_its_own() {
    let short = json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 1}}});
    let mut status = short.clone();
    status["default"] = json!({"a": "d"});
    let schema = json!({"type": "object", "properties": {"spec": short, "status": status}});
    let old = case(&json!({"spec": {"a": "x"}}), true).object;
    let to_status = |value: &str, is_accepted| Case {
        is_status: true,
        old: Some(old.clone()),
        ..case(&json!({"spec": {"a": "x"}, "status": {"a": value}}), is_accepted)
    };
    let state = |subresources: Value, cases: &[Case]| {
        let found = states(&[of_schema(&schema, &subresources)], cases);
        assert_eq!(
            found.iter().map(|(words, _)| &**words).collect::<Vec<_>>(),
            ["maxLength @ spec.a", "default {\"a\":\"d\"} @ status", "maxLength @ status.a"]
        );
        found.into_iter().map(|(_, state)| state).collect::<Vec<_>>()
    };
    // A creation drops the status, and fills in its default.
    let creation = case(&json!({"spec": {"a": "x"}, "status": {"a": "y"}}), true);
    assert_eq!(state(json!({"status": {}}), from_ref(&creation)), [NeverRefused, Covered, Untested]);
    assert_eq!(state(json!({}), &[creation]), [NeverRefused, NeverAccepted, NeverRefused]);
    assert_eq!(state(json!({"status": {}}), &[to_status("y", true)]), [Untested, NeverAccepted, NeverRefused]);
    assert_eq!(
        state(json!({"status": {}}), &[to_status("y", true), to_status("yy", false)]),
        [Untested, NeverAccepted, Covered]
    );
}

#[test]
fn branches_are_covered_alone() {
    let schema =
        json!({"type": "string", "allOf": [{"maxLength": 2}], "anyOf": [{"format": "date"}, {"format": "duration"}]});
    let of = |any_of, max, date, duration| {
        [
            ("anyOf @ spec.a", any_of),
            ("maxLength @ spec.a", max),
            ("format @ spec.a", date),
            ("format @ spec.a", duration),
        ]
    };
    check(schema.clone(), &[accepted(json!({"a": "1s"}))], &of(NeverRefused, NeverRefused, Untested, NeverRefused));
    // Either format alone keeps the text from its branch.
    check(schema.clone(), &[refused(json!({"a": "x"}))], &of(NeverAccepted, Untested, NeverAccepted, NeverAccepted));
    check(schema, &[refused(json!({"a": "100s"}))], &of(Untested, NeverAccepted, Untested, Untested));
}

#[test]
fn what_keeps_the_other_branch_from_holding_is_a_reason_too() {
    let ip = json!({"properties": {"type": {"enum": ["IP"]}, "value": {"format": "ipv4"}}});
    let other = json!({"properties": {"type": {"not": {"enum": ["IP"]}}}});
    let fields = json!({"type": {"type": "string"}, "value": {"type": "string"}});
    let schema = json!({"type": "object", "properties": fields, "oneOf": [ip, other]});
    let found = |cases: &[Case]| {
        let crds = [crd(&json!({"type": "object", "properties": {"a": schema}}))];
        states(&crds, cases).into_iter().map(|(_, state)| state).collect::<Vec<_>>()
    };
    // The elements: `oneOf`, `enum` with its value, `format`, `not`.
    let refused = refused(json!({"a": {"type": "IP", "value": "x"}}));
    assert_eq!(found(from_ref(&refused)), [NeverAccepted, Untested, NeverAccepted, NeverAccepted, NeverAccepted]);
}

#[test]
fn members_of_a_union_need_a_case_each() {
    let fields = json!({"a": {"type": "string"}, "b": {"type": "string"}});
    let rule = "(has(self.a)?1:0)+(has(self.b)?1:0) == 1";
    let schema = json!({"type": "object", "properties": fields, "x-kubernetes-validations": [{"rule": rule}]});
    let words = [format!("{rule} @ spec.a"), "member a @ spec.a".to_owned(), "member b @ spec.a".to_owned()];
    let cases = [accepted(json!({"a": {"a": ""}})), refused(json!({"a": {"a": "", "b": ""}}))];
    check(schema, &cases, &[(&words[0], Covered), (&words[1], Covered), (&words[2], NeverAccepted)]);
}

#[test]
fn what_has_no_effect_is_counted_apart() {
    let spec = json!({"type": "object", "required": ["filled"], "properties": {
        "filled": {"type": "string", "default": "x"},
        "port": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 65535},
        "wide": {"type": "integer", "format": "int32", "minimum": 1},
        "short": {"type": "string", "pattern": "^[a-z]{1,3}$", "maxLength": 9, "minLength": 2},
        "either": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        "twice": {"type": "string", "maxLength": 5, "allOf": [{"maxLength": 5}]},
        "rule": {"type": "integer", "minimum": 1, "x-kubernetes-validations": [{"rule": "self > 0"}]},
    }});
    let crds = [crd(&spec)];
    let elements = elements(&crds);
    let mut found = coverage(&elements, &crds, &[], &Kinds::prepare(&crds, 37).unwrap());
    found.prove(&elements, &crds);
    let without =
        elements.iter().enumerate().filter(|(index, _)| found.state(&elements, *index) == State::WithoutEffect);
    let without = without.map(|(_, element)| words(element)).collect::<Vec<_>>();
    assert_eq!(
        without,
        [
            "required filled @ spec",
            "anyOf @ spec.either",
            "format @ spec.port",
            "self > 0 @ spec.rule",
            "maxLength @ spec.short",
            "maxLength @ spec.twice"
        ]
    );
}

/// Of the flagship, without any case. `cargo test -p crd-suite without_effect -- --nocapture` prints them.
#[test]
fn of_the_flagship_without_effect() {
    for (channel, expected) in [("standard", 110), ("experimental", 152)] {
        let crds = folder(&format!("bundles/unreleased/{channel}"));
        let elements = elements(&crds);
        let start = Instant::now();
        let mut found = coverage(&elements, &crds, &[], &Kinds::prepare(&crds, 37).unwrap());
        found.prove(&elements, &crds);
        let without =
            elements.iter().enumerate().filter(|(index, _)| found.state(&elements, *index) == State::WithoutEffect);
        let without = without.map(|(_, element)| words(element)).collect::<Vec<_>>();
        println!("{channel}: {} without effect in {:?}\n{}", without.len(), start.elapsed(), without.join("\n"));
        assert_eq!(without.len(), expected);
        for known in [
            "format @ spec.listeners[*].port",
            "minLength @ spec.rules[*].name",
            "self.all(l1, self.exists_one(l2, l1.name == l2.name)) @ spec.listeners",
        ] {
            assert!(without.iter().any(|words| words.starts_with(known)), "{known}");
        }
    }
}

/// The CRDs without an element.
fn without(element: &Element, crds: &[Arc<CustomResourceDefinition>]) -> Vec<Arc<CustomResourceDefinition>> {
    let mut crds = crds.to_vec();
    for place in &element.places {
        let version = &mut Arc::make_mut(&mut crds[place.crd]).versions[place.version];
        let around = place.path.node_mut(&mut version.schema).unwrap();
        let node = place.inner_mut(around).unwrap();
        match &element.requirement {
            Requirement::Constraint(keyword) => keyword.remove(node),
            Requirement::Rule(rule) => node.validations.retain(|known| known != rule),
            _ => unreachable!("only constraints and rules refuse objects"),
        }
    }
    crds
}

/// A case is refused for an element exactly if the reasons are different without the element. The cases are proposed ones, and what a case
/// fires is found without removing anything.
#[test]
fn without_an_element_the_cases_that_fire_it_have_another_answer() {
    let is_sampled = |crd: &Arc<CustomResourceDefinition>| ["Gateway", "GatewayClass"].contains(&&*crd.names.kind);
    let crds: Vec<_> = folder("bundles/unreleased/standard").into_iter().filter(is_sampled).collect();
    let apis = [(Channel::Standard, crds.clone())];
    let mut proposal = Proposal::new(&apis, &[37], Vec::new()).unwrap();
    proposal.cover();
    let cases = proposal.cases();
    let elements = elements(&crds);
    let mut found = coverage(&elements, &crds, &cases, &Kinds::prepare(&crds, 37).unwrap());
    found.prove(&elements, &crds);
    let whole = Kinds::prepare(&crds, 37).unwrap();
    let reasons = |kinds: &Kinds, case: &Case| {
        let answer = kinds.answer(case).unwrap();
        answer.errors.iter().filter(|error| !error.is_about_rules()).map(ToString::to_string).collect::<Vec<_>>()
    };
    let refused: Vec<_> =
        cases.iter().map(|case| reasons(&whole, case)).enumerate().filter(|(_, errors)| !errors.is_empty()).collect();
    let (mut fires, mut others) = (0, 0);
    let elements = elements.iter().zip(&found.hits).filter(|(element, _)| element.requirement.refuses());
    for (element, hits) in elements {
        let changed = Kinds::prepare(&without(element, &crds), 37).unwrap();
        for (case, before) in &refused {
            // An element without effect can be a reason, but never alone.
            assert!(!hits.is_without_effect || !reasons(&changed, &cases[*case]).is_empty(), "{}", words(element));
            let is_fired = hits.fired.contains(case);
            // Without a keyword, another branch of a `oneOf` can hold too.
            if !is_fired && !element.places[0].within.is_empty() {
                continue;
            }
            let is_different = reasons(&changed, &cases[*case]) != *before;
            assert_eq!(is_fired, is_different, "{}: {} {before:#?}", words(element), cases[*case].name);
            *if is_fired { &mut fires } else { &mut others } += 1;
        }
    }
    assert!(fires > 50 && others > 1000);
}

#[test]
fn lines_for_lcov() {
    let lines = [(("b.rs", 7), 2), (("a.rs", 3), 1), (("b.rs", 7), 0), (("b.rs", 9), 4)];
    let expected =
        "TN:\nSF:a.rs\nDA:3,1\nLF:1\nLH:1\nend_of_record\nSF:b.rs\nDA:7,0\nDA:9,4\nLF:2\nLH:1\nend_of_record\n";
    assert_eq!(crd_suite::lcov(lines), expected);
}
