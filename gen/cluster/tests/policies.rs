//! The policies and webhooks of a bundle.

use serde_json::{Value, json};

use crate::script::{Answer, Script, ok, status};

const PREFIX: &str = "example.com";

fn list(items: &[Value]) -> Answer {
    ok(&json!({"items": items, "metadata": {}}))
}

fn path(plural: &str) -> String {
    format!("/apis/admissionregistration.k8s.io/v1/{plural}?limit=500")
}

fn named(name: &str, spec: &Value) -> Value {
    json!({"metadata": {"name": name}, "spec": spec})
}

fn script() -> Script {
    let mut stamped = named("stamped", &json!({}));
    stamped["metadata"]["annotations"] = json!({"example.com/bundle-version": "v1.6.1"});
    let policies = [
        named("guardrails.example.com", &json!({"failurePolicy": "Fail"})),
        named("guardrails.other.com", &json!({})),
        named("guardrailsexample.com", &json!({})),
        stamped,
    ];
    let binding =
        |name: &str, policy: &str| named(name, &json!({"policyName": policy, "validationActions": ["Deny", "Audit"]}));
    let bindings = [
        binding("by-hand", "guardrails.example.com"),
        binding("foreign", "guardrails.other.com"),
        binding("safe-upgrades.example.com", "safe-upgrades.example.com"),
    ];
    let mut webhook =
        json!({"metadata": {"name": "w", "labels": {"example.com/webhook": ""}}, "webhooks": [{"name": "x"}]});
    let mine = webhook.clone();
    webhook["metadata"]["labels"] = json!({});
    Script::new()
        .on(&path("validatingadmissionpolicies"), [list(&policies)])
        .on(&path("validatingadmissionpolicybindings"), [list(&bindings)])
        .on(&path("validatingwebhookconfigurations"), [list(&[mine, webhook])])
}

#[tokio::test]
async fn policies_are_found_by_name_and_by_stamp_and_bindings_by_their_policy() {
    let found = script().cluster().await.policies(PREFIX).await;
    assert_eq!(found.diagnostics, []);
    let names = found.policies.as_ref().unwrap().iter().map(|policy| &*policy.metadata.name).collect::<Vec<_>>();
    assert_eq!(names, ["guardrails.example.com", "stamped"]);
    let bindings = found.bindings.as_ref().unwrap();
    let names =
        bindings.iter().map(|binding| (&*binding.metadata.name, &*binding.spec.policy_name)).collect::<Vec<_>>();
    let expected = [("by-hand", "guardrails.example.com"), ("safe-upgrades.example.com", "safe-upgrades.example.com")];
    assert_eq!(names, expected);
    assert_eq!(bindings[0].spec.validation_actions, ["Deny", "Audit"]);
    let webhooks = found.webhooks.as_ref().unwrap();
    assert_eq!((webhooks.len(), &webhooks[0].webhooks), (1, &vec![json!({"name": "x"})]));
    let bound = |policy| found.bindings_of(policy).unwrap().count();
    assert_eq!((bound("guardrails.example.com"), bound("stamped")), (1, 0));
}

#[tokio::test]
async fn a_missing_permission_is_not_an_absent_policy() {
    let script = script()
        .on(&path("validatingadmissionpolicybindings"), [status(403, "forbidden")])
        .on(&path("validatingwebhookconfigurations"), [status(403, "forbidden")]);
    let found = script.cluster().await.policies(PREFIX).await;
    assert_eq!(found.policies.as_ref().unwrap().len(), 2);
    assert!(found.bindings.is_none() && found.webhooks.is_none() && found.bindings_of("x").is_none());
    let messages = found.diagnostics.iter().map(|diagnostic| &*diagnostic.message).collect::<Vec<_>>();
    assert_eq!(
        messages,
        [
            "no permission to list `validatingadmissionpolicybindings.admissionregistration.k8s.io`: forbidden",
            "no permission to list `validatingwebhookconfigurations.admissionregistration.k8s.io`: forbidden",
        ]
    );
}
