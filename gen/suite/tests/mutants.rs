//! Each operator: its mutants of a small schema, a case that notices one of them, and a case that notices none.

use std::collections::BTreeSet;
use std::sync::Arc;

use crd_model::CustomResourceDefinition;
use crd_suite::mutant::{Mutant, OPERATORS, exchanged, mutants};
use crd_suite::{Case, Expected, Kinds, Run, Score, Verdict, elements, failure};
use serde_json::{Value, json};

/// An answer: accepted, refused with a part of the reason, or accepted and stored with this spec.
enum Answer {
    Yes,
    No(&'static str),
    Stored(Value),
}
use Answer::{No, Stored, Yes};

struct Row {
    operator: &'static str,
    /// The schema of `spec`.
    spec: Value,
    /// The names of all mutants of the operator, without the kind.
    mutants: &'static [&'static str],
    /// The stored spec, for updates.
    old: Option<Value>,
    /// The spec and the answer of a case that notices the first mutant, and of one that notices no mutant.
    notices: (Value, Answer),
    is_silent: (Value, Answer),
}

fn row(
    operator: &'static str,
    properties: Value,
    mutants: &'static [&'static str],
    notices: (Value, Answer),
    is_silent: (Value, Answer),
) -> Row {
    let spec = json!({"type": "object", "properties": properties});
    Row { operator, spec, mutants, old: None, notices, is_silent }
}

/// The same with a rule of `spec`.
fn rule(
    operator: &'static str,
    text: &str,
    mutants: &'static [&'static str],
    notices: (Value, Answer),
    is_silent: (Value, Answer),
) -> Row {
    let text_field = json!({"type": "string", "maxLength": 9});
    let number = json!({"type": "integer"});
    let list = json!({"type": "array", "maxItems": 5, "items": number});
    let properties = json!({"a": text_field, "b": text_field, "n": number, "l": list});
    let mut row = row(operator, properties, mutants, notices, is_silent);
    row.spec["x-kubernetes-validations"] = json!([{"rule": text, "message": "broken"}]);
    row
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn rows() -> Vec<Row> {
    let text = |more: Value| {
        let mut text = json!({"type": "string"});
        text.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "a": text })
    };
    let number = |more: Value| {
        let mut number = json!({"type": "integer"});
        number.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "n": number })
    };
    let required = |required: Value| json!({"s": {"type": "object", "required": required, "properties": {"a": {"type": "string"}}}});
    let creation = |mut row: Row| {
        row.spec["x-kubernetes-validations"][0]["optionalOldSelf"] = json!(true);
        row
    };
    vec![
        row(
            "bound-above",
            text(json!({"maxLength": 3})),
            &["spec.a maxLength 3 → 4"],
            (json!({"a": "xxxx"}), No("Too long")),
            (json!({"a": "xxx"}), Yes),
        ),
        row(
            "bound-below",
            number(json!({"minimum": 3})),
            &["spec.n minimum 3 → 2"],
            (json!({"n": 2}), No("greater than or equal to 3")),
            (json!({"n": 1}), No("spec.n: Invalid value")),
        ),
        row(
            "exclusive",
            number(json!({"maximum": 3})),
            &["spec.n maximum inclusive → exclusive"],
            (json!({"n": 3}), Yes),
            (json!({"n": 2}), Yes),
        ),
        row(
            "dropped-constraint",
            text(json!({"format": "ipv4", "enum": ["1.1.1.1", "x"]})),
            &["spec.a without enum", "spec.a without format"],
            (json!({"a": "1.1.1.2"}), No("Unsupported value")),
            (json!({"a": "1.1.1.1"}), Yes),
        ),
        row(
            "anchor",
            text(json!({"pattern": "^a$"})),
            &["spec.a pattern without `^`", "spec.a pattern without `$`"],
            (json!({"a": "ba"}), No("should match")),
            (json!({"a": "b"}), No("spec.a: Invalid value")),
        ),
        row(
            "enum-value",
            text(json!({"enum": ["A", "B"]})),
            &["spec.a enum without \"A\"", "spec.a enum without \"B\""],
            (json!({"a": "A"}), Yes),
            (json!({"a": "C"}), No("Unsupported value")),
        ),
        row(
            "optional",
            required(json!(["a"])),
            &["spec.s a required → optional"],
            (json!({"s": {}}), No("spec.s.a: Required value")),
            (json!({}), Yes),
        ),
        row(
            "required",
            required(json!([])),
            &["(root) spec optional → required", "spec s optional → required", "spec.s a optional → required"],
            (json!(null), Yes),
            (json!({"s": {"a": "x"}}), Yes),
        ),
        row(
            "dropped-default",
            text(json!({"default": "x"})),
            &["spec.a without default \"x\""],
            (json!({}), Stored(json!({"a": "x"}))),
            (json!({"a": "x"}), Stored(json!({"a": "x"}))),
        ),
        row(
            "other-default",
            text(json!({"enum": ["A", "B", "C"], "default": "C"})),
            &["spec.a default \"C\" → \"A\""],
            (json!({}), Stored(json!({"a": "C"}))),
            (json!({}), Yes),
        ),
        row(
            "list-type",
            json!({"l": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}}),
            &["spec.l list type set → atomic"],
            (json!({"l": ["x", "x"]}), No("Duplicate value")),
            (json!({"l": ["x", "y"]}), Yes),
        ),
        rule(
            "dropped-rule",
            "self.n > 3",
            &["spec rule 1: without the rule"],
            (json!({"n": 3}), No("broken")),
            (json!({"n": 4}), Yes),
        ),
        rule(
            "comparison",
            "self.n > 3",
            &["spec rule 1: `>` → `>=`, byte 7", "spec rule 1: `>` → `<=`, byte 7"],
            (json!({"n": 3}), No("broken")),
            (json!({}), No("no such key: n")),
        ),
        rule(
            "logic",
            "has(self.a) && has(self.b) // both || none",
            &["spec rule 1: `&&` → `||`, byte 12"],
            (json!({"a": "x"}), No("broken")),
            (json!({"a": "x", "b": "x"}), Yes),
        ),
        rule(
            "operand",
            "self.n > 3 || self.n < 0 && self.l.all(i, i > 0 || i < self.n)",
            &[
                "spec rule 1: without `self.n > 3 ||`, byte 0",
                "spec rule 1: without `|| self.n < 0 && self.l.all(i, i > 0 || i < self.n)`, byte 10",
                "spec rule 1: without `self.n < 0 &&`, byte 14",
                "spec rule 1: without `&& self.l.all(i, i > 0 || i < self.n)`, byte 24",
                "spec rule 1: without `i > 0 ||`, byte 42",
                "spec rule 1: without `|| i < self.n`, byte 47",
            ],
            (json!({"n": 4}), Yes),
            (json!({"n": 0, "l": [0]}), No("broken")),
        ),
        rule(
            "has",
            "has(self.a) && (!has(self.b) || self.n > 3)",
            &["spec rule 1: without `has(self.a) &&`, byte 0", "spec rule 1: without `!has(self.b) ||`, byte 16"],
            (json!({"n": 4}), No("broken")),
            (json!({"a": "x", "n": 4}), Yes),
        ),
        rule(
            "branch",
            "has(self.a) ? self.n > 3 : self.n > 5",
            &[
                "spec rule 1: `has(self.a) ? self.n > 3 : self.n > 5` → `self.n > 3`, byte 0",
                "spec rule 1: `has(self.a) ? self.n > 3 : self.n > 5` → `self.n > 5`, byte 0",
            ],
            (json!({"n": 4}), No("broken")),
            (json!({"a": "x", "n": 6}), Yes),
        ),
        rule("negation", "!has(self.a)", &["spec rule 1: without `!`, byte 0"], (json!({}), Yes), (json!(null), Yes)),
        rule(
            "quantifier",
            "self.l.exists(i, i > 3)",
            &["spec rule 1: `exists` → `all`, byte 7", "spec rule 1: `exists` → `exists_one`, byte 7"],
            (json!({"l": [4, 1]}), Yes),
            (json!({"l": [4]}), Yes),
        ),
        rule(
            "constant",
            "self.n > 3 && self.a in ['x', 'y'] && !(self.b == 'x') && true",
            &[
                "spec rule 1: `3` → `4`, byte 9",
                "spec rule 1: `3` → `2`, byte 9",
                "spec rule 1: `'x'` → `'y'`, byte 25",
                "spec rule 1: `'y'` → `'x'`, byte 30",
                "spec rule 1: `'x'` → `'y'`, byte 50",
                "spec rule 1: `true` → `false`, byte 58",
            ],
            (json!({"n": 4, "a": "x", "b": "z"}), Yes),
            (json!({"n": 0, "a": "x", "b": "z"}), No("broken")),
        ),
        rule(
            "text-anchor",
            "self.a.matches('^x$')",
            &["spec rule 1: `'^x$'` → `'x$'`, byte 15", "spec rule 1: `'^x$'` → `'^x'`, byte 15"],
            (json!({"a": "yx"}), No("broken")),
            (json!({"a": "x"}), Yes),
        ),
        Row {
            old: Some(json!({"n": 4})),
            ..rule(
                "old-self",
                "self.n >= oldSelf.n",
                &["spec rule 1: `oldSelf` → `self`, byte 10"],
                (json!({"n": 3}), No("broken")),
                (json!({"n": 5}), Yes),
            )
        },
        creation(rule(
            "optional-old-self",
            "oldSelf == null || self.n > 3",
            &["spec rule 1: without optionalOldSelf"],
            (json!({"n": 3}), No("broken")),
            (json!({"n": 4}), Yes),
        )),
    ]
}

fn crds(spec: &Value) -> Vec<Arc<CustomResourceDefinition>> {
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let names = json!({"plural": "things", "kind": "Thing"});
    let crd = CustomResourceDefinition::from_value(&json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {"group": "example.com", "scope": "Cluster", "names": names, "versions": [version]},
    }));
    vec![Arc::new(crd.unwrap())]
}

fn object(spec: &Value) -> Value {
    let mut object = json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}});
    if !spec.is_null() {
        object["spec"] = spec.clone();
    }
    object
}

fn case(old: Option<&Value>, (spec, answer): &(Value, Answer)) -> Case {
    let expected = match answer {
        Yes => Expected::ACCEPTED,
        No(part) => Expected::Refused(vec![(*part).to_owned()]),
        Stored(spec) => Expected::Accepted { stored: Some(object(spec)), parts: Vec::new(), warnings: None },
    };
    let (old, object) = (old.map(object), object(spec));
    Case { name: String::new(), line: 0, channel: None, minors: None, old, object, is_status: false, expected }
}

fn verdicts(
    crds: &[Arc<CustomResourceDefinition>],
    cases: &[Case],
    mutants: &[Mutant],
    threads: usize,
) -> Vec<Verdict> {
    Run { crds, cases, minor: 36, threads, progress: &|_| {} }.verdicts(mutants).unwrap()
}

#[test]
fn each_operator_has_its_mutants_and_cases_notice_them() {
    let rows = rows();
    let tested: Vec<&str> = rows.iter().map(|row| row.operator).collect();
    let all: BTreeSet<&str> = OPERATORS.iter().map(|operator| operator.name).collect();
    assert_eq!(tested.iter().copied().collect::<BTreeSet<_>>(), all);
    for Row { operator, spec, mutants: expected, old, notices, is_silent } in rows {
        let crds = crds(&spec);
        let mut mutants = mutants(&elements(&crds), &crds);
        mutants.retain(|mutant| mutant.operator == operator);
        let names: Vec<&str> = mutants.iter().map(|mutant| mutant.name.strip_prefix("Thing ").unwrap()).collect();
        assert_eq!(names, *expected, "{operator}");
        let kinds = Kinds::prepare(&crds, 36).unwrap();
        for (pair, is_killer) in [(&notices, true), (&is_silent, false)] {
            let case = case(old.as_ref(), pair);
            assert_eq!(failure(&case, &kinds.answer(&case).unwrap()), None, "{operator} {is_killer}");
            let verdicts = verdicts(&crds, &[case], &mutants, 1);
            let killed = |verdict: &Verdict| matches!(verdict, Verdict::Killed { case: 0 });
            match is_killer {
                true => assert!(verdicts.first().is_none_or(killed), "{operator}: {verdicts:?}"),
                false => assert!(!verdicts.iter().any(killed), "{operator}: {verdicts:?}"),
            }
        }
    }
}

/// Every verdict agrees with the whole CRDs of the mutant, prepared from nothing.
#[test]
fn verdicts_are_those_of_whole_servers() {
    for Row { operator, spec, old, notices, is_silent, .. } in rows() {
        let crds = crds(&spec);
        let mutants = mutants(&elements(&crds), &crds);
        let cases = [case(old.as_ref(), &notices), case(old.as_ref(), &is_silent)];
        for (mutant, verdict) in mutants.iter().zip(verdicts(&crds, &cases, &mutants, 1)) {
            let kinds = Kinds::prepare(&exchanged(&crds, mutant), 36).unwrap();
            let noticed = cases.iter().any(|case| failure(case, &kinds.answer(case).unwrap()).is_some());
            assert_eq!(matches!(verdict, Verdict::Killed { .. }), noticed, "{operator}: {}", mutant.name);
            let Verdict::Survived { notice } = &verdict else { continue };
            let expected = Expected::ACCEPTED;
            let case = Case { object: notice.object.clone(), old: notice.old.clone(), expected, ..cases[0].clone() };
            let original = Kinds::prepare(&crds, 36).unwrap().answer(&case).unwrap();
            let changed = kinds.answer(&case).unwrap();
            assert_eq!(original.is_accepted(), notice.is_accepted, "{operator}: {}", mutant.name);
            assert_ne!(original.stored, changed.stored, "{operator}: {}", mutant.name);
        }
    }
}

#[test]
fn mutants_without_effect_are_equal() {
    // The pattern implies the lengths, and the first rule the second one and that the number exists.
    let a = json!({"type": "string", "pattern": "^[ab]$", "maxLength": 2, "minLength": 1});
    let spec = json!({
        "type": "object",
        "properties": {"a": a, "n": {"type": "integer"}},
        "required": ["n"],
        "x-kubernetes-validations": [{"rule": "self.n > 5"}, {"rule": "self.n > 3"}],
    });
    let crds = crds(&spec);
    let mutants = mutants(&elements(&crds), &crds);
    let verdicts = verdicts(&crds, &[], &mutants, 1);
    let equal = mutants.iter().zip(&verdicts).filter(|(_, verdict)| **verdict == Verdict::Equal);
    let equal: Vec<&str> = equal.map(|(mutant, _)| mutant.name.strip_prefix("Thing spec").unwrap()).collect();
    assert_eq!(
        equal,
        [
            " n required → optional",
            " rule 2: without the rule",
            " rule 2: `>` → `>=`, byte 7",
            " rule 2: `3` → `4`, byte 9",
            " rule 2: `3` → `2`, byte 9",
            ".a minLength 1 → 0",
            ".a without minLength",
            ".a maxLength 2 → 3",
            ".a maxLength 2 → 1",
            ".a without maxLength",
        ]
    );
}

#[test]
fn threads_give_equal_verdicts() {
    let rows = rows();
    let properties: serde_json::Map<String, Value> =
        rows.iter().step_by(4).map(|row| (row.operator.replace('-', ""), row.spec.clone())).collect();
    let crds = crds(&json!({"type": "object", "properties": properties}));
    let (elements, cases) = (elements(&crds), [case(None, &(json!({}), Yes))]);
    let mutants = mutants(&elements, &crds);
    let one = verdicts(&crds, &cases, &mutants, 1);
    assert_eq!(one, verdicts(&crds, &cases, &mutants, 2));
    assert!(Score::of(&one).survived > 20, "{one:?}");
    let names: BTreeSet<&String> = mutants.iter().map(|mutant| &mutant.name).collect();
    assert_eq!(names.len(), mutants.len());
}
