//! The guardrails as objects. What they do is proven on a server, in `xtask/testbed/tests/proofs/guardrails.rs`.

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use serde_json::{Value, json};

use super::condition::{End, Hop, condition, literal, text};
use super::*;
use crate::admission::ReleasedChannel;
use crd_model::schema::Step;

fn crd(plural: &str, scope: &str, versions: &[(&str, bool, Value)]) -> CustomResourceDefinition {
    let version = |(name, served, spec): &(&str, bool, Value)| {
        let schema = json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": spec } } });
        json!({ "name": name, "served": served, "storage": *name == "v1", "schema": { "openAPIV3Schema": schema } })
    };
    let versions: Vec<Value> = versions.iter().map(version).collect();
    let names = json!({ "kind": "Test", "plural": plural });
    CustomResourceDefinition::from_value(&json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.example.com") },
        "spec": { "group": "example.com", "names": names, "scope": scope, "versions": versions },
    }))
    .unwrap()
}

/// The policies of a bundle with these CRDs in its channels.
fn guarding(standard: Vec<CustomResourceDefinition>, experimental: Vec<CustomResourceDefinition>) -> Vec<Value> {
    let channel = |channel, crds| ReleasedChannel { channel, files: crate::files(crds) };
    let channels = [channel(Channel::Standard, standard), channel(Channel::Experimental, experimental)];
    let version = "v1.2.0-rc.1".parse().unwrap();
    policies(Bundle {
        name: "example-api",
        prefix: "example.com",
        version: &version,
        channels: &channels,
        policies: &[],
    })
}

fn field() -> Value {
    json!({ "type": "string" })
}

/// The variables that look for something: (name, expression).
fn looks(policies: &[Value]) -> Vec<(&str, &str)> {
    let variables = policies[0]["spec"]["variables"].as_array().unwrap();
    let named =
        variables.iter().map(|variable| (variable["name"].as_str().unwrap(), variable["expression"].as_str().unwrap()));
    named.filter(|(name, _)| name.starts_with("uses_")).collect()
}

#[test]
fn a_policy_and_its_binding_have_one_name_and_the_stamp_of_the_bundle() {
    let standard = vec![crd("a", "Namespaced", &[("v1", true, json!({ "old": field() }))])];
    let experimental = vec![
        crd(
            "a",
            "Namespaced",
            &[("v1", true, json!({ "old": field(), "new": field() })), ("v1alpha1", true, json!({}))],
        ),
        crd("b", "Cluster", &[("v1", true, json!({}))]),
    ];
    let policies = guarding(standard.clone(), experimental.clone());
    assert_eq!(policies, guarding(standard, experimental), "the same again");
    let kinds = policies.iter().map(|policy| policy["kind"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(kinds, ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"]);
    for policy in &policies {
        assert_eq!(policy["apiVersion"], "admissionregistration.k8s.io/v1");
        assert_eq!(policy["metadata"]["name"], "guardrails.example.com");
        assert_eq!(policy["metadata"]["annotations"], json!({ "example.com/bundle-version": "v1.2.0-rc.1" }));
    }
    assert_eq!(policies[1]["spec"], json!({ "policyName": "guardrails.example.com", "validationActions": ["Deny"] }));
    assert_eq!(policies[0]["spec"]["failurePolicy"], "Fail");
    let rules = json!([
        { "apiGroups": ["example.com"], "apiVersions": ["v1", "v1alpha1"], "operations": ["CREATE", "UPDATE"], "resources": ["a"], "scope": "Namespaced" },
        { "apiGroups": ["example.com"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["b"], "scope": "Cluster" },
    ]);
    let constraints = &policies[0]["spec"]["matchConstraints"];
    assert_eq!((&constraints["matchPolicy"], &constraints["resourceRules"]), (&json!("Equivalent"), &rules));
    assert_eq!(annotation("example.com"), "example.com/experimental");
    assert!(!json!(policies).to_string().contains("semver"), "1.32 has none");
}

#[test]
fn what_has_graduated_is_not_looked_for() {
    let old = || crd("a", "Namespaced", &[("v1", true, json!({ "old": field() }))]);
    let new = || crd("a", "Namespaced", &[("v1", true, json!({ "old": field(), "new": field() }))]);
    let found = guarding(vec![old()], vec![new()]);
    let expression = "variables.resource in ['a.example.com'] && has(variables.now.spec) && has(variables.now.spec.new) && \
        !(variables.before != null && has(variables.before.spec) && has(variables.before.spec.new)) ? 'spec.new' : ''";
    assert_eq!(looks(&found), [("uses_spec_new", expression)]);
    assert_eq!(guarding(vec![new()], vec![new()]), Vec::<Value>::new());
    assert_eq!(guarding(vec![new()], vec![old()]), Vec::<Value>::new());
    assert_eq!(guarding(vec![old()], Vec::new()), Vec::<Value>::new());
}

#[test]
fn resources_and_versions_share_what_is_the_same_and_only_that() {
    let (old, new) = (|| json!({}), || json!({ "new": field() }));
    let standard = vec![
        crd("a", "Namespaced", &[("v1", true, old()), ("v2", true, new())]),
        crd("b", "Namespaced", &[("v1", true, old()), ("v0", false, new())]),
        crd("c", "Namespaced", &[("v1", true, old())]),
    ];
    let experimental = vec![
        crd("a", "Namespaced", &[("v1", true, new()), ("v2", true, new())]),
        // What is not served does not count; what standard does not list is like what it stores.
        crd("b", "Namespaced", &[("v1", true, new()), ("v0", false, new()), ("v3", true, new())]),
        crd("c", "Namespaced", &[("v1", true, json!({ "new": { "type": "string", "default": "d" } }))]),
    ];
    let policies = guarding(standard, experimental);
    let looks = looks(&policies);
    let names = looks.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    assert_eq!(names, ["uses_spec_new", "uses_spec_new_2"], "with a default it is something else");
    let places = looks.iter().map(|(_, expression)| expression.split(" && has").next().unwrap()).collect::<Vec<_>>();
    assert_eq!(
        places,
        [
            "(variables.resource in ['b.example.com'] || variables.version in ['a.v1.example.com'])",
            "variables.resource in ['c.example.com']"
        ]
    );
    assert!(looks[1].1.contains("!(variables.now.spec.new in ['d'])"), "{}", looks[1].1);
}

#[test]
fn values_that_defaults_give_are_not_looked_for() {
    let mode =
        |values: Value, default: &str| json!({ "mode": { "type": "string", "enum": values, "default": default } });
    let found = |experimental: Value| {
        let standard = vec![crd("a", "Namespaced", &[("v1", true, mode(json!(["x"]), "x"))])];
        let policies = guarding(standard, vec![crd("a", "Namespaced", &[("v1", true, experimental)])]);
        policies.first().map_or(0, |_| looks(&policies).len())
    };
    assert_eq!(found(mode(json!(["x", "y", "z"]), "x")), 2);
    assert_eq!(found(mode(json!(["x", "y", "z"]), "y")), 1);
    assert_eq!(found(mode(json!(["x", "y"]), "y")), 0);
}

#[test]
fn conditions_look_at_nothing_that_may_not_be_there() {
    let plain = |step: Step| Hop { step, nullable: false };
    let named = |name: &str| plain(Step::Field(name.to_owned()));
    let way = [
        named("spec"),
        named("it's"),
        plain(Step::Item),
        Hop { step: Step::Item, nullable: true },
        Hop { step: Step::Field("map".to_owned()), nullable: true },
        plain(Step::Value),
        named("in"),
    ];
    assert_eq!(
        condition("o", &way, &End::Is(json!("a"))),
        r"has(o.spec) && 'it\'s' in o.spec && o.spec['it\'s'].exists(x1, x1.exists(x2, x2 != null && has(x2.map) && x2.map != null && x2.map.exists(x3, 'in' in x2.map[x3] && x2.map[x3]['in'] == 'a')))"
    );
    let values = [named("tags"), plain(Step::Item)];
    assert_eq!(condition("o", &values, &End::Other(vec![json!(1)])), "has(o.tags) && o.tags.exists(x1, !(x1 in [1]))");
    assert_eq!(condition("o", &values, &End::Other(Vec::new())), "has(o.tags) && o.tags.exists(x1, true)");
}

#[test]
fn values_are_written_as_cel_reads_them() {
    assert_eq!(text("it's a \\ and a\nline"), r"'it\'s a \\ and a\u000aline'");
    for (value, written) in [
        (json!([1, -2]), "[1, -2]"),
        (json!([1, "a", null, [true]]), "[dyn(1), dyn('a'), dyn(null), dyn([dyn(true)])]"),
        (json!({ "a": 1.5, "b": {} }), "{'a': dyn(1.5), 'b': dyn({})}"),
        (json!(u64::MAX), "18446744073709551615.0"),
        (json!(i64::MIN), "-9223372036854775808"),
    ] {
        assert_eq!(literal(&value), written);
    }
}
