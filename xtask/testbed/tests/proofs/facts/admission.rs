//! Facts about permissions to write through a version.

use serde_json::{Value, json};

use super::group::{Group, served, storage, text, with_spec};
use crate::requests::{ADMISSION, Answer, wait};

/// Creates an admission policy with the group's name, and a binding that denies.
pub(super) fn try_policy(group: &Group, match_policy: &str, rule: &Value, validations: &Value) -> Answer {
    let policy = json!({
        "metadata": { "name": group.name },
        "spec": { "matchConstraints": { "matchPolicy": match_policy, "resourceRules": [rule] }, "validations": validations },
    });
    let answer = group.send("POST", &format!("{ADMISSION}/validatingadmissionpolicies"), Some(&policy));
    if answer.code != 201 {
        return answer;
    }
    let binding = json!({
        "metadata": { "name": group.name },
        "spec": { "policyName": group.name, "validationActions": ["Deny"] },
    });
    group.send("POST", &format!("{ADMISSION}/validatingadmissionpolicybindings"), Some(&binding))
}

/// A group with versions v1 (stored) and v1beta1, and a policy that refuses what matches v1beta1.
fn with_policy<F: Fn()>(fact: F, match_policy: &str) -> Option<Group> {
    let schema = || with_spec(json!({ "field": text() }));
    let group = Group::create(fact, &[storage("v1", schema()), served("v1beta1", schema())])?;
    group.post("v1", "thing", json!({ "field": "value" })).with_code(201);
    let rule = json!({
        "apiGroups": [group.name],
        "apiVersions": ["v1beta1"],
        "operations": ["CREATE", "UPDATE"],
        "resources": ["things"],
    });
    let message = "'no writes: ' + object.apiVersion + ' asked as ' + request.requestKind.version";
    let validations = json!([{ "expression": "false", "messageExpression": message }]);
    try_policy(&group, match_policy, &rule, &validations).with_code(201);
    wait("the policy is at work", || {
        group.post("v1beta1", "other", json!({})).code == 422 || {
            group.send("DELETE", &group.path("v1", "other"), None);
            false
        }
    });
    Some(group)
}

#[test]
fn a_policy_that_matches_exactly_refuses_writes_to_one_version() {
    let fact = a_policy_that_matches_exactly_refuses_writes_to_one_version;
    let Some(group) = with_policy(fact, "Exact") else { return };
    let words = format!("no writes: {}/v1beta1 asked as v1beta1", group.name);
    group.post("v1beta1", "other", json!({})).refuses(422, &words);
    group.patch("v1beta1", "thing", json!({ "spec": { "field": "new" } })).refuses(422, &words);
    group.patch("v1beta1", "thing", json!({})).refuses(422, &words);
    group.apply("v1beta1", "thing", json!({ "field": "new" })).refuses(422, &words);
    // Reads work, and so do writes through the other version.
    assert_eq!(group.get("v1beta1", "thing").spec(200), json!({ "field": "value" }));
    assert_eq!(group.patch("v1", "thing", json!({ "spec": { "field": "new" } })).spec(200), json!({ "field": "new" }));
    group.post("v1", "third", json!({})).with_code(201);
    // Its rule names CREATE and UPDATE.
    group.send("DELETE", &group.path("v1beta1", "thing"), None).with_code(200);
}

#[test]
fn a_policy_that_matches_equivalents_checks_every_version() {
    let fact = a_policy_that_matches_equivalents_checks_every_version;
    let Some(group) = with_policy(fact, "Equivalent") else { return };
    // The policy sees the write through v1 as a v1beta1 object.
    let words = format!("no writes: {}/v1beta1 asked as v1", group.name);
    group.post("v1", "other", json!({})).refuses(422, &words);
    group.patch("v1", "thing", json!({ "spec": { "field": "new" } })).refuses(422, &words);
    // This is the default.
    let policy =
        group.send("GET", &format!("{ADMISSION}/validatingadmissionpolicies/{}", group.name), None).with_code(200);
    assert_eq!(policy["spec"]["matchConstraints"]["matchPolicy"], "Equivalent");
    let silent = json!({
        "metadata": { "name": format!("silent.{}", group.name) },
        "spec": {
            "matchConstraints": { "resourceRules": policy["spec"]["matchConstraints"]["resourceRules"] },
            "validations": policy["spec"]["validations"],
        },
    });
    let path = format!("{ADMISSION}/validatingadmissionpolicies?dryRun=All");
    let silent = group.send("POST", &path, Some(&silent)).with_code(201);
    assert_eq!(silent["spec"]["matchConstraints"]["matchPolicy"], "Equivalent");
}

#[test]
fn permissions_apply_to_groups_and_not_to_versions() {
    let schema = || with_spec(json!({ "field": text() }));
    let versions = [storage("v1", schema()), served("v1beta1", schema())];
    let Some(group) = Group::create(permissions_apply_to_groups_and_not_to_versions, &versions) else { return };
    let user = format!("user-of-{}", group.name);
    let roles = "/apis/rbac.authorization.k8s.io/v1";
    let role = |groups: Value| {
        json!({
            "metadata": { "name": group.name },
            "rules": [{ "apiGroups": groups, "resources": ["things"], "verbs": ["create"] }],
        })
    };
    let binding = json!({
        "metadata": { "name": group.name },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": group.name },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user }],
    });
    // No group has a name that contains a version.
    let versioned = role(json!([format!("{}/v1", group.name)]));
    group.server.send("POST", &format!("{roles}/clusterroles"), Some(&versioned)).with_code(201);
    group.server.send("POST", &format!("{roles}/clusterrolebindings"), Some(&binding)).with_code(201);
    let write = |version: &str, name: &str| {
        let impersonated = [("impersonate-user", user.as_str())];
        group.server.send_with("POST", &group.path(version, ""), &impersonated, Some(&group.thing(version, name)))
    };
    write("v1", "thing").refuses(403, "cannot create resource \"things\"");
    let path = format!("{roles}/clusterroles/{}", group.name);
    group.server.send("PATCH", &path, Some(&role(json!([group.name])))).with_code(200);
    wait("the role is at work", || write("v1", "thing").code == 201);
    assert_eq!(write("v1beta1", "other").code, 201);
    // The rule with a version had no effect by then either.
    group.server.send("PATCH", &path, Some(&versioned)).with_code(200);
    wait("the role is at work", || write("v1", "third").code == 403);
}
