//! `diff`: what decided what a change does to objects.

use crd_channels_cli::Exit;
use serde_json::{Value, json};

use crate::support::{Place, things};

/// A CRD whose `spec` has this schema.
fn crd(spec: &Value) -> String {
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    crd_testdata::thing_crd(&schema, &json!({})).to_string()
}

/// The findings about two schemas of `spec`: the rule, what decided, and the witness.
fn decided(old: &Value, new: &Value, arguments: &[&str]) -> Vec<(String, Value, Value)> {
    decided_of([crd(old), crd(new)], arguments)
}

/// The same for two CRDs.
fn decided_of([old, new]: [String; 2], arguments: &[&str]) -> Vec<(String, Value, Value)> {
    let place = Place::new();
    place.write("old.json", old);
    place.write("new.json", new);
    let line = ["diff", "old.json", "new.json", "--channel", "standard", "--format", "json"];
    let ran = place.run_unchanged(&things(), &[&line[..], arguments].concat());
    assert_ne!(ran.exit, Exit::Unusable, "{ran:?}");
    let document: Value = serde_json::from_str(&ran.out).expect("JSON");
    let found = document["findings"].as_array().expect("findings").iter();
    found
        .map(|finding| {
            let rule = finding["rule"].as_str().expect("a rule").to_owned();
            (rule, finding["decidedBy"].clone(), finding["witness"].clone())
        })
        .collect()
}

fn text(rules: &[&str]) -> Value {
    let rules = rules.iter().map(|rule| json!({ "rule": rule })).collect::<Vec<_>>();
    json!({ "type": "object", "properties": { "a": { "type": "string", "maxLength": 9 }, "b": { "type": "string", "maxLength": 9 } },
        "x-kubernetes-validations": rules })
}

#[test]
fn each_finding_names_what_decided() {
    let weaker = "!has(self.a) || self.a != 'x' || has(self.b)";
    for (old, new, rule, decided_by) in [
        (text(&["!has(self.a) || self.a != 'x'"]), text(&[weaker]), "loosened", "rules"),
        (text(&[]), text(&["!has(self.a) || self.a != 'x'"]), "tightened", "witness"),
        (text(&["has(self.a)"]), text(&[]), "loosened", "keyword"),
    ] {
        let found = decided(&old, &new, &["--witness"]);
        assert_eq!(
            found.iter().map(|(rule, by, _)| (&**rule, by)).collect::<Vec<_>>(),
            [(rule, &json!(decided_by))],
            "{new}"
        );
    }
    // The search does not reach two texts of certain lengths at once.
    let far = "!has(self.a) || !has(self.b) || self.a.size() != 8 || self.b.size() != 7 || self.a.lowerAscii() != self.b + 'q'";
    let found = decided(&text(&[]), &text(&[far]), &["--witness"]);
    assert_eq!((&*found[0].0, &found[0].1), ("tightened", &json!("not decided")));
    assert!(found[0].2["object"].is_null() && found[0].2["reason"].is_string(), "{found:?}");
    // Without a search, only proofs decide.
    assert_eq!(decided(&text(&[]), &text(&[far]), &[])[0].1, Value::Null);
}

#[test]
fn a_default_that_servers_do_not_validate_has_a_witness() {
    let short = |default: &Value| json!({ "type": "string", "maxLength": 2, "default": default });
    let map = |values: Value| json!({ "type": "object", "maxProperties": 1, "additionalProperties": values });
    let item = |default: &Value| map(json!({ "type": "object", "properties": { "a": short(default) } }));
    let two = |default: &Value| {
        let properties = json!({ "a": short(&Value::Null), "b": short(&json!("x")) });
        json!({ "type": "object", "properties": { "c": { "type": "object", "maxProperties": 1, "properties": properties, "default": default } } })
    };
    for (old, new) in [
        // In a map.
        (item(&Value::Null), item(&json!("abc"))),
        // Completed by the default below it.
        (two(&Value::Null), two(&json!({ "a": "x" }))),
        // Instead of a null that was dropped.
        (map(short(&Value::Null)), map(short(&json!("x")))),
    ] {
        let found = decided(&old, &new, &["--witness"]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((&*found[0].0, &found[0].1), ("tightened", &json!("witness")), "{new}: {found:?}");
    }
}

#[test]
fn what_a_scale_subresource_refuses_has_a_witness() {
    let count = json!({ "type": "object", "properties": { "replicas": { "type": "integer", "format": "int32" } } });
    let schema = json!({ "type": "object", "properties": { "spec": count, "status": count } });
    let scale = json!({ "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas" });
    let crds = [json!({ "status": {} }), json!({ "status": {}, "scale": scale })]
        .map(|subresources| crd_testdata::thing_crd(&schema, &subresources).to_string());
    let found = decided_of(crds, &["--witness"]);
    let found = found.iter().filter(|(rule, ..)| rule == "tightened").collect::<Vec<_>>();
    let counts = found
        .iter()
        .map(|(_, by, witness)| (by, &witness["object"]))
        .map(|(by, object)| (by.as_str(), object["spec"]["replicas"].as_i64(), object["status"]["replicas"].as_i64()));
    assert_eq!(
        counts.collect::<Vec<_>>(),
        [(Some("witness"), Some(-1), None), (Some("witness"), None, Some(-1))],
        "{found:?}"
    );
}

#[test]
fn a_type_where_there_was_none_has_a_witness() {
    let untyped = json!({ "x-kubernetes-preserve-unknown-fields": true });
    let typed = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let found = decided(&untyped, &typed, &["--witness"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&*found[0].0, &found[0].1), ("tightened", &json!("witness")), "{found:?}");
    assert!(!found[0].2["object"]["spec"].is_object(), "{found:?}");
}

#[test]
fn an_update_is_a_witness_with_the_stored_object() {
    let found =
        decided(&text(&[]), &text(&["!has(oldSelf.a) || (has(self.a) && self.a == oldSelf.a)"]), &["--witness"]);
    let [(rule, by, witness)] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&**rule, by), ("tightened", &json!("witness")));
    assert!(witness["stored"]["spec"]["a"].is_string(), "{witness}");
    assert_ne!(witness["object"]["spec"]["a"], witness["stored"]["spec"]["a"]);
}

/// A CRD whose status is written apart.
fn with_status(schema: &Value) -> String {
    let schema = json!({ "type": "object", "properties": schema });
    crd_testdata::thing_crd(&schema, &json!({ "status": {} })).to_string()
}

/// Each change refuses few objects: several values together, a text of one length and one pattern, or an update of the status.
#[test]
fn the_search_reaches_what_few_objects_have() {
    let listeners = |rules: &Value| {
        let item = json!({ "type": "object", "required": ["name"], "properties": {
            "name": { "type": "string" }, "protocol": { "type": "string" }, "tls": { "type": "object" }, "port": { "type": "integer" } } });
        json!({ "type": "object", "properties": { "listeners": { "type": "array", "items": item,
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "x-kubernetes-validations": rules } } })
    };
    let rule = |rule: &str| json!([{ "rule": rule }]);
    for rules in [
        rule("self.all(l, l.protocol in ['HTTP', 'TCP'] ? !has(l.tls) : true)"),
        rule("self.filter(l, has(l.port) && l.port == 7).size() <= 1"),
    ] {
        let found = decided(&listeners(&json!([])), &listeners(&rules), &["--witness"]);
        assert_eq!(found.iter().map(|found| &found.1).collect::<Vec<_>>(), ["witness"], "{found:?}");
    }
    for (old, new) in [
        (json!({ "type": "string" }), json!({ "type": "string", "maxLength": 31, "pattern": "^(b/)?[a-z]+$" })),
        (
            json!({ "type": "integer" }),
            json!({ "type": "integer", "x-kubernetes-validations": rule("self >= oldSelf") }),
        ),
    ] {
        let status =
            |field: &Value| with_status(&json!({ "status": { "type": "object", "properties": { "a": field } } }));
        let found = decided_of([status(&old), status(&new)], &["--witness"]);
        assert!(!found.is_empty() && found.iter().all(|found| found.1 == "witness"), "{found:?}");
    }
    // The object has the only name that the rule permits.
    let only = |field: &Value| {
        let schema = json!({ "type": "object", "properties": { "spec": field },
            "x-kubernetes-validations": rule("self.metadata.name == 'cluster'") });
        crd_testdata::thing_crd(&schema, &json!({})).to_string()
    };
    let old = json!({ "type": "integer" });
    let found = decided_of([only(&old), only(&json!({ "type": "integer", "minimum": 1 }))], &["--witness"]);
    assert_eq!(found[0].2["object"]["metadata"]["name"], "cluster", "{found:?}");
}

/// No server stores an object without a name, and a bound of 64 bits has no neighbour.
#[test]
fn the_search_keeps_names_and_ends_at_the_largest_bounds() {
    let named = |rules: &Value| {
        let schema = json!({ "type": "object", "x-kubernetes-validations": rules, "properties": {
            "metadata": { "type": "object", "properties": { "name": { "type": "string", "enum": ["a", "b"] } } } } });
        crd_testdata::thing_crd(&schema, &json!({})).to_string()
    };
    let found =
        decided_of([named(&json!([])), named(&json!([{ "rule": "self.metadata.name != 'z'" }]))], &["--witness"]);
    assert!(found.iter().all(|(_, by, witness)| by != "witness" && witness["object"].is_null()), "{found:?}");
    let (most, least) =
        (json!({ "type": "string", "maxLength": i64::MAX }), json!({ "type": "string", "minLength": 0 }));
    for new in [most, least] {
        let found = decided(&json!({ "type": "string" }), &new, &["--witness"]);
        assert!(found.iter().all(|found| found.1 != "witness"), "{found:?}");
    }
}

/// Proofs and searches end, and the verdict stays that of the policy's row.
#[test]
fn many_changes_end_the_search() {
    let fields = |suffix: &str| {
        let rules = (0..800).map(|field| {
            let next = (field + 1) % 800;
            json!({ "rule": format!("!has(self.f{field}) || !has(self.f{next}) || self.f{field}.size() != 8 || self.f{field}.lowerAscii() != self.f{next} + 'q{suffix}'"), "message": format!("rule {field}") })
        });
        let properties = (0..800).map(|field| (format!("f{field}"), json!({ "type": "string", "maxLength": 64 })));
        let properties = properties.collect::<serde_json::Map<_, _>>();
        json!({ "type": "object", "properties": properties, "x-kubernetes-validations": rules.collect::<Vec<_>>() })
    };
    let found = decided(&fields(""), &fields("b"), &["--witness"]);
    assert_eq!(found.len(), 800);
    let ended = found.iter().filter(|(_, _, witness)| {
        let reasons = ["the search ended", "not searched"];
        witness["reason"].as_str().is_some_and(|reason| reasons.iter().any(|known| reason.starts_with(known)))
    });
    assert!(ended.count() > 0, "{:?}", found.last());
    assert!(found.iter().all(|(rule, ..)| rule == "incomparable"), "{:?}", found.first());
}
