//! Whole objects through all lenses: current, converted, newer and unrecognised, and back to older bundles.

use crd_convert::{Canonical, Code, Conversions, CurrentForm, Document};
use crd_model::CustomResourceDefinition;
use serde_json::{Value, json};

use super::{conversions, thing};

/// BackendTLSPolicy from v1alpha2 to v1, in short; and a resource that replaced another.
fn lenses() -> Value {
    json!({"schemaVersion": 1, "generator": "test", "prefix": "example.com", "lenses": [
        {
            "name": "v1", "resource": "policies.example.com", "group": "example.com", "kind": "Policy", "since": "v1.4.0",
            "from": {"apiVersion": "example.com/v1alpha3", "kind": "Policy"}, "to": {"apiVersion": "example.com/v1", "kind": "Policy"},
            "steps": []
        },
        {
            "name": "validation", "resource": "policies.example.com", "group": "example.com", "kind": "Policy", "since": "v1.1.0",
            "from": {"apiVersion": "example.com/v1alpha2", "kind": "Policy"}, "to": {"apiVersion": "example.com/v1alpha3", "kind": "Policy"},
            "steps": [
                {"operation": "rename", "from": "spec.tls", "to": "spec.validation"},
                {"operation": "wrapInList", "from": "spec.targetRef", "to": "spec.targetRefs"},
            ]
        },
        {
            "name": "replaced", "resource": "xnews.x.example.com", "group": "x.example.com", "kind": "XNew", "since": "v1.3.0",
            "from": {"apiVersion": "example.com/v1alpha2", "kind": "Old"}, "to": {"apiVersion": "x.example.com/v1alpha1", "kind": "XNew"},
            "steps": [{"operation": "rename", "from": "spec.a", "to": "spec.b"}]
        },
    ], "removed": [
        {"group": "example.com", "kind": "Policy", "version": "v0", "since": "v1.1.0", "reason": "never used"},
        {"group": "example.com", "kind": "Policy", "path": "spec.mode", "value": "Old", "since": "v1.2.0", "reason": "unused"},
        {"group": "example.com", "kind": "Policy", "path": "spec.targetRefs[*].group", "since": "v1.2.0", "reason": "unused"},
    ]})
}

fn crd(group: &str, kind: &str, version: &str, spec: Value) -> CustomResourceDefinition {
    let plural = format!("{}s", kind.to_lowercase());
    let schema = json!({
        "type": "object",
        "properties": {"spec": spec, "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}
    });
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group, "names": {"kind": kind, "plural": plural}, "scope": "Namespaced",
            "versions": [{"name": version, "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]
        }
    });
    CustomResourceDefinition::from_value(&crd).unwrap()
}

/// The current form, of v1.5.0.
fn current() -> CurrentForm {
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let policy = json!({"type": "object", "properties": {
        "validation": {"type": "object", "properties": {"hostname": {"type": "string"}}},
        "targetRefs": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
        "mode": {"type": "string", "enum": ["A"]},
        "ports": map,
        "port": {"x-kubernetes-int-or-string": true},
    }});
    let new = json!({"type": "object", "properties": {"b": {"type": "integer"}}});
    let crds = [crd("example.com", "Policy", "v1", policy), crd("x.example.com", "XNew", "v1alpha1", new)];
    CurrentForm::new("v1.5.0".parse().unwrap(), &crds)
}

fn policy(version: &str, spec: Value) -> Value {
    json!({"apiVersion": format!("example.com/{version}"), "kind": "Policy", "metadata": {"name": "a", "x": 1}, "spec": spec, "status": {"x": 1}})
}

#[track_caller]
fn unrecognised(object: &Value, why: &str) {
    let conversions = conversions(&lenses());
    assert_eq!(conversions.canonicalize(object, &current(), None), Canonical::Unrecognised { why: why.to_owned() });
}

#[test]
fn an_old_object_becomes_current_through_all_lenses_in_the_order_of_bundles() {
    let conversions = conversions(&lenses());
    let old = policy("v1alpha2", json!({"tls": {"hostname": "a"}, "targetRef": {"name": "b"}}));
    let new = policy("v1", json!({"validation": {"hostname": "a"}, "targetRefs": [{"name": "b"}]}));
    assert_eq!(
        conversions.canonicalize(&old, &current(), None),
        Canonical::Converted { object: new.clone(), applied: vec!["validation", "v1"] }
    );
    assert_eq!(conversions.canonicalize(&new, &current(), None), Canonical::Current);
    let back = |to: &str| conversions.convert_back(&new, to.parse().unwrap()).unwrap();
    assert_eq!((back("v1.0.0").object, back("v1.0.0").applied), (old, vec!["v1", "validation"]));
    assert_eq!(back("v1.3.5").object["apiVersion"], "example.com/v1alpha3");
    assert_eq!((back("v1.4.0").object, back("v1.4.0").applied), (new.clone(), vec![]));
}

#[test]
fn old_fields_are_recognised_under_any_served_version() {
    let conversions = conversions(&lenses());
    let Canonical::Converted { object, applied } =
        conversions.canonicalize(&policy("v1", json!({"tls": {"hostname": "a"}})), &current(), None)
    else {
        panic!("not converted")
    };
    assert_eq!((object, applied), (policy("v1", json!({"validation": {"hostname": "a"}})), vec!["validation"]));
}

#[test]
fn a_resource_that_replaced_another_is_converted() {
    let conversions = conversions(&lenses());
    let old = json!({"apiVersion": "example.com/v1alpha2", "kind": "Old", "spec": {"a": 1}});
    let new = json!({"apiVersion": "x.example.com/v1alpha1", "kind": "XNew", "spec": {"b": 1}});
    assert_eq!(
        conversions.canonicalize(&old, &current(), None),
        Canonical::Converted { object: new.clone(), applied: vec!["replaced"] }
    );
    assert_eq!(conversions.convert_back(&new, "v1.2.0".parse().unwrap()).unwrap().object, old);
}

#[test]
fn unknown_parts_are_newer_if_the_installed_crds_are() {
    let conversions = conversions(&lenses());
    let canonicalize = |object: &Value, installed: Option<&str>| {
        conversions.canonicalize(object, &current(), installed.map(|bundle| bundle.parse().unwrap()))
    };
    let why = "the value \"B\" of `spec.mode` is not in the current form";
    let object = policy("v1", json!({"mode": "B"}));
    for same_or_older in [None, Some("v1.5.0"), Some("v1.4.9")] {
        assert_eq!(canonicalize(&object, same_or_older), Canonical::Unrecognised { why: why.to_owned() });
    }
    let newer =
        |why: &str| Canonical::Newer { why: format!("{why}; the installed CRDs have the bundle version v1.9.0") };
    assert_eq!(canonicalize(&object, Some("v1.9.0")), newer(why));
    assert_eq!(
        canonicalize(&policy("v2", json!({})), Some("v1.9.0")),
        newer("example.com/v2 Policy is not in the current form")
    );
    // A removed name is old, and has no conversion.
    let mut gone = policy("v1", json!({}));
    for (spec, what) in [
        (json!({"mode": "Old"}), "the value \"Old\" of `spec.mode`"),
        (json!({"targetRefs": [{"group": "x"}]}), "the field `spec.targetRefs[*].group`"),
    ] {
        gone["spec"] = spec;
        let why = format!("{what} is not in the current form: it was removed in v1.2.0 and has no conversion (unused)");
        assert_eq!(canonicalize(&gone, Some("v1.9.0")), Canonical::Unrecognised { why });
    }
    let why =
        "example.com/v0 Policy is not in the current form: it was removed in v1.1.0 and has no conversion (never used)";
    assert_eq!(canonicalize(&policy("v0", json!({})), Some("v1.9.0")), Canonical::Unrecognised { why: why.to_owned() });
}

#[test]
fn what_is_not_recognised_has_a_reason() {
    unrecognised(&policy("v2", json!({})), "example.com/v2 Policy is not in the current form");
    unrecognised(&policy("v1", json!({"x": 1})), "the field `spec.x` is not in the current form");
    unrecognised(
        &policy("v1", json!({"targetRefs": [{}, {"x": 1}]})),
        "the field `spec.targetRefs[*].x` is not in the current form",
    );
    unrecognised(
        &policy("v1", json!({"ports": {"a": 1, "b": "c"}})),
        "the value \"c\" of `spec.ports.b` has another type in the current form",
    );
    unrecognised(&policy("v1", json!({"mode": ["A"]})), "`spec.mode` has another type in the current form");
    unrecognised(
        &policy("v1", json!({"port": 1.5})),
        "the value 1.5 of `spec.port` has another type in the current form",
    );
    unrecognised(&json!({"apiVersion": "v1", "kind": "Service"}), "v1 Service is not in the current form");
    unrecognised(&json!([]), "`apiVersion`: it must be a string");
    unrecognised(
        &policy("v1", json!({"tls": 1, "validation": 2})),
        "`spec.tls`: the old form `spec.tls` and the new form `spec.validation` are both present; remove one of them (lens `validation`)",
    );
}

#[test]
fn values_of_the_current_form_are_recognised() {
    for spec in [
        json!({"ports": {"any.name": 1}, "port": 1}),
        json!({"port": "http", "mode": "A", "validation": null}),
        json!({"targetRefs": []}),
    ] {
        assert_eq!(conversions(&lenses()).canonicalize(&policy("v1", spec), &current(), None), Canonical::Current);
    }
}

/// Two kinds and two versions that became one.
fn merged() -> Value {
    let lens = |name: &str, from: (&str, &str), is_merged: bool, steps: Value| {
        let mut lens = json!({
            "name": name, "resource": "news.example.com", "group": "example.com", "kind": "New", "since": "v1.1.0", "steps": steps,
            "from": {"apiVersion": from.0, "kind": from.1}, "to": {"apiVersion": "example.com/v1", "kind": "New"},
        });
        if is_merged {
            lens["merged"] = json!(true);
        }
        lens
    };
    let rename = |from: &str| json!([{"operation": "rename", "from": from, "to": "spec.c"}]);
    json!({"schemaVersion": 1, "generator": "test", "prefix": "example.com", "lenses": [
        lens("one", ("example.com/v1", "One"), false, rename("spec.a")),
        lens("two", ("old.example.com/v1", "Two"), true, rename("spec.b")),
        lens("alpha", ("example.com/v1alpha1", "New"), true, json!([])),
    ]})
}

#[test]
fn merged_identities_travel_in_the_conversion_data() {
    let mut document = merged();
    // Both lenses write one place, which is the same field of one kind.
    document["lenses"][1]["steps"] = json!([{"operation": "rename", "from": "spec.b", "to": "spec.d"}]);
    let conversions = conversions(&document);
    let object = |version: &str, kind: &str, spec: Value| json!({"apiVersion": version, "kind": kind, "spec": spec});
    let old = object("old.example.com/v1", "Two", json!({"b": 1, "a": 2}));
    let mut new = old.clone();
    assert_eq!(conversions.forward(&mut new).unwrap(), ["two"]);
    // `spec.a` is an old name of the kind `One` only.
    assert_eq!((&new["kind"], &new["spec"]), (&json!("New"), &json!({"d": 1, "a": 2})));
    assert_eq!(new["metadata"]["annotations"]["example.com/conversion-data"], r#"{"identities":["two"],"version":1}"#);
    let back = |object: &Value| conversions.convert_back(object, "v1.0.0".parse().unwrap()).unwrap();
    assert_eq!(back(&new).object, old);
    let alpha = object("example.com/v1alpha1", "New", json!({"c": 1}));
    let mut new = alpha.clone();
    assert_eq!(conversions.forward(&mut new).unwrap(), ["alpha"]);
    assert_eq!(back(&new).object, alpha);
    let new = object("example.com/v1", "New", json!({"c": 1}));
    assert_eq!(back(&new).object, object("example.com/v1", "One", json!({"a": 1})), "without conversion data");
}

/// `spec.size` such as `3x4`, and `spec.width` and `spec.height` in one object.
const SIZE: Code = Code {
    name: "size",
    forward: |item| {
        let spec = item.as_object_mut().ok_or("no spec")?;
        let size = spec.remove("size").ok_or("no size")?;
        let size = size.as_str().and_then(|size| size.split_once('x')).ok_or("the size has no `x`")?;
        spec.insert("width".to_owned(), size.0.into());
        spec.insert("height".to_owned(), size.1.into());
        Ok(())
    },
    backward: |item| {
        let spec = item.as_object_mut().ok_or("no spec")?;
        let mut part =
            |name: &str| spec.remove(name).and_then(|part| Some(part.as_str()?.to_owned())).unwrap_or_default();
        let size = format!("{}x{}", part("width"), part("height"));
        spec.insert("size".to_owned(), size.into());
        Ok(())
    },
    example: r#"{"size": "3x4"}"#,
};

fn with_code(code: Code) -> Conversions {
    let step = json!({"operation": "code", "name": "size", "from": ["spec.size"], "to": ["spec.width", "spec.height"]});
    let document = Document::from_value(&super::document(&[json!([step])])).unwrap();
    let errors = Conversions::new(&document).unwrap_err();
    assert_eq!(errors[0].message, "the functions `size` are not registered");
    Conversions::with_code(&document, &[code]).unwrap()
}

/// The first lens changes the version, and the second one finds both forms.
#[test]
fn an_object_that_fails_after_a_change_of_its_version_is_left_as_it_is() {
    let lens = |name: &str, since: &str| json!({"name": name, "resource": "things.example.com", "group": "example.com", "kind": "Thing", "since": since, "steps": []});
    let mut version = lens("version", "v1.1.0");
    version["from"] = json!({"apiVersion": "example.com/v1alpha1", "kind": "Thing"});
    version["to"] = json!({"apiVersion": "example.com/v1", "kind": "Thing"});
    let mut first = lens("first", "v1.2.0");
    first["steps"] = json!([{"operation": "rename", "from": "spec.a", "to": "spec.b"}]);
    let mut second = lens("second", "v1.3.0");
    second["steps"] = json!([{"operation": "rename", "from": "spec.c", "to": "spec.d"}]);
    let document =
        json!({"schemaVersion": 1, "generator": "test", "prefix": "example.com", "lenses": [version, first, second]});
    let conversions = conversions(&document);
    for spec in [json!({"c": 1, "d": 1}), json!({"a": 1, "c": 1, "d": 1})] {
        let mut object = thing(spec);
        object["apiVersion"] = json!("example.com/v1alpha1");
        assert!(super::failure(&conversions, &object).ends_with("(lens `second`)"));
    }
}

#[test]
fn functions_convert_what_operations_cannot_express() {
    let conversions = with_code(SIZE);
    let (old, new) = (super::thing(json!({"size": "3x4"})), super::thing(json!({"width": "3", "height": "4"})));
    assert_eq!((super::forward(&conversions, &old), super::back(&conversions, &new)), (new, old));
    let why = super::failure(&conversions, &super::thing(json!({"size": "3"})));
    assert_eq!(why, "`the object`: the functions refuse the item: the size has no `x` (lens `lens-0`)");
    let partial = super::thing(json!({"width": "3"}));
    let old = super::back(&conversions, &partial);
    assert_eq!(old["spec"], json!({"size": "3x"}));
    assert_eq!(super::forward(&conversions, &old), partial, "what the old form cannot express returns");
}

#[test]
fn functions_that_break_their_contract_are_refused() {
    let old = super::thing(json!({"size": "3x4"}));
    let failure = |forward| super::failure(&with_code(Code { forward, ..SIZE }), &old);
    assert_eq!(
        failure(|_| Ok(())),
        "`the object`: the function did not remove the form that it converts (lens `lens-0`)"
    );
    let other = |item: &mut Value| {
        item["x"] = json!(1);
        (SIZE.forward)(item)
    };
    assert_eq!(failure(other), "`the object`: the function changed more than the places of its step (lens `lens-0`)");
    let loses = |item: &mut Value| {
        *item = json!({"width": "0"});
        Ok(())
    };
    assert_eq!(failure(loses), "`the object`: the item would not return when it is converted back (lens `lens-0`)");
}

#[test]
fn a_kind_of_another_group_is_left_alone() {
    let conversions = conversions(&lenses());
    let mut object = json!({"apiVersion": "other.com/v1", "kind": "Policy", "spec": {"tls": 1}});
    let before = object.clone();
    assert_eq!(conversions.forward(&mut object).unwrap(), [] as [&str; 0]);
    assert_eq!(object, before);
}

/// The checks of listeners, which become one check for each port.
const CHECKS: Code = Code {
    name: "checks",
    forward: |item| {
        let listeners = item["listeners"].as_array_mut().ok_or("no listeners")?;
        let mut checks = serde_json::Map::new();
        for listener in listeners {
            let check = listener.as_object_mut().and_then(|listener| listener.remove("check"));
            let port = listener["port"].to_string();
            if let Some(check) = check
                && checks.insert(port, check.clone()).is_some_and(|other| other != check)
            {
                return Err("the listeners of a port have different checks".to_owned());
            }
        }
        item["checks"] = checks.into();
        Ok(())
    },
    backward: |item| {
        let checks = item.as_object_mut().and_then(|spec| spec.remove("checks")).ok_or("no checks")?;
        for listener in item["listeners"].as_array_mut().into_iter().flatten() {
            if let Some(check) = checks.get(listener["port"].to_string()) {
                listener["check"] = check.clone();
            }
        }
        Ok(())
    },
    example: r#"{"listeners": [{"port": 1, "check": "a"}]}"#,
};

fn checks_document(keys: Value) -> Value {
    let mut step =
        json!({"operation": "code", "name": "checks", "from": ["spec.listeners[*].check"], "to": ["spec.checks"]});
    step.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    super::document(&[json!([step]), json!([{"operation": "rename", "from": "spec.a", "to": "spec.b"}])])
}

#[test]
fn functions_read_places_in_lists_of_what_they_get() {
    let document = Document::from_value(&checks_document(json!({}))).unwrap();
    let conversions = Conversions::with_code(&document, &[CHECKS]).unwrap();
    let old = thing(json!({"listeners": [{"port": 1, "check": "a"}, {"port": 2}, {"port": 1, "check": "a"}]}));
    let new = thing(json!({"listeners": [{"port": 1}, {"port": 2}, {"port": 1}], "checks": {"1": "a"}}));
    assert_eq!(super::forward(&conversions, &old), new);
    assert_eq!(super::back(&conversions, &new), old);
    assert_eq!(
        document.example(&document.lenses[0], &[CHECKS]).unwrap().new["spec"],
        json!({"listeners": [{"port": 1}], "checks": {"1": "a"}})
    );
    let failure = |spec: Value| super::failure(&conversions, &thing(spec));
    assert_eq!(
        failure(json!({"listeners": [{"port": 1, "check": "a"}, {"port": 1, "check": "b"}]})),
        "`the object`: the functions refuse the item: the listeners of a port have different checks (lens `lens-0`)"
    );
    assert_eq!(
        failure(json!({"listeners": [{"port": 1}, {"port": 2, "check": "b"}], "checks": {}})),
        "`spec.listeners[1].check`: the old form `spec.listeners[1].check` and the new form `spec.checks` are both present; remove one of them (lens `lens-0`)"
    );
    // Without the old form there is nothing to convert.
    assert_eq!(
        super::forward(&conversions, &thing(json!({"listeners": [{"port": 2}]}))),
        thing(json!({"listeners": [{"port": 2}]}))
    );
}

#[test]
fn what_functions_leave_out_returns_while_the_list_is_unchanged() {
    let document = Document::from_value(&checks_document(json!({}))).unwrap();
    let conversions = Conversions::with_code(&document, &[CHECKS]).unwrap();
    let new = thing(json!({"listeners": [{"port": 1}, {"port": 2}], "checks": {"1": "a", "3": "c"}}));
    let mut old = super::back(&conversions, &new);
    assert_eq!(old["spec"], json!({"listeners": [{"port": 1, "check": "a"}, {"port": 2}]}));
    assert_eq!(super::forward(&conversions, &old), new);
    // A listener of the user may have another port now, so the checks of ports would be wrong.
    old["spec"]["listeners"][0]["port"] = json!(4);
    assert_eq!(super::forward(&conversions, &old)["spec"]["checks"], json!({"4": "a"}));
}

#[test]
fn functions_with_places_in_lists_are_limited() {
    let errors = |document: Value| Document::from_value(&document).unwrap_err()[0].message.clone();
    assert_eq!(
        errors(checks_document(json!({"keeps": true}))),
        "old values in lists or maps of the item cannot be kept"
    );
    assert_eq!(
        errors(checks_document(json!({"to": ["spec.checks[*].port"]}))),
        "the new place is in a list or map that does not contain all old places"
    );
}

/// A program without the functions converts everything else.
#[test]
fn an_object_that_needs_missing_functions_fails() {
    let document = Document::from_value(&checks_document(json!({}))).unwrap();
    let conversions = Conversions::with_known_code(&document, &[]).unwrap();
    let other = thing(json!({"listeners": [{"port": 1}], "a": 1}));
    assert_eq!(super::forward(&conversions, &other)["spec"]["b"], json!(1));
    assert_eq!(
        super::failure(&conversions, &thing(json!({"listeners": [{"port": 1, "check": "a"}], "a": 1}))),
        "`the object`: this program does not have the functions of the lens (lens `lens-0`)"
    );
    let new = thing(json!({"listeners": [{"port": 1}], "checks": {}}));
    assert_eq!(conversions.convert_back(&new, "v1.0.0".parse().unwrap()).unwrap_err().lens, "lens-0");
}
