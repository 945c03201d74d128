//! What `inspect --target` predicts of admission policies is what a server answers to `kubectl apply`, with the same text.
//!
//! Invariants: the cases are those of crd-upgrade, and state what a policy prints. Requests are dry runs, and start after a policy that was installed last is active, so
//! all are.

use crd_cluster::{Cluster, Limits};
use crd_upgrade::inspect::{KnownBundles, Question, Report, Target, inspect};
use serde_json::{Value, json};

use crate::guardrails::policies::{install, wait_until_refused};
use crate::requests::{APPLY, Answer, CRDS};
use crate::server::{Crds, Server, server};
use guards::{Case, cases, numbers};

#[path = "../../../../../gen/upgrade/tests/inspect/guards.rs"]
#[allow(clippy::unwrap_used, dead_code, reason = "a test fails by panicking; the tests of crd-upgrade use the rest")]
mod guards;

/// What is reported about a target.
pub(super) fn predicted(server: &Server, group: &str, target: Target) -> Report {
    let known = KnownBundles::default();
    let prefix = Some(group.to_owned());
    let question = Question {
        prefix,
        known: &known,
        lenses: None,
        features: None,
        target: Some(target),
        reads_objects: false,
        redaction: crd_upgrade::inspect::Redaction::None,
    };
    let report = server.block_on(async {
        let cluster = Cluster::of_client(server.client(), "https://localhost", Limits::default()).await?;
        inspect(&cluster, &question, &mut |_| {}, &mut |_, _| {}).await
    });
    let report = report.expect("a report");
    assert_eq!(report.failures, []);
    report
}

/// The answer to `kubectl apply --server-side --force-conflicts --dry-run=server`.
fn applied(server: &Server, crd: &Value) -> Answer {
    let path = format!("{CRDS}/{}", crd["metadata"]["name"].as_str().expect("a name"));
    server.send_with("PATCH", &format!("{path}?dryRun=All&fieldManager=kubectl&force=true"), &[APPLY], Some(crd))
}

fn plant(server: &Server, case: &Case) {
    let mut crd = case.installed();
    if case.installed.deleted {
        crd["metadata"]["finalizers"] = json!(["example.com/keep"]);
    }
    server.send("POST", CRDS, Some(&crd)).expect(&case.name);
    if case.installed.deleted {
        let path = format!("{CRDS}/{}", crd["metadata"]["name"].as_str().expect("a name"));
        server.send("DELETE", &path, None).expect(&case.name);
    }
}

/// Waits until all policies are active: they become active in their order.
fn wait(server: &Server, case: &Case) {
    let mut canary = case.candidate();
    canary["metadata"]["name"] = json!("canaries.policies.example.com");
    canary["spec"]["group"] = json!("policies.example.com");
    canary["spec"]["names"] = json!({"plural": "canaries", "kind": "Canary"});
    let object = |kind: &str, spec: Value| json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "canary.policies.example.com"}, "spec": spec});
    let rule = json!({
        "apiGroups": ["apiextensions.k8s.io"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["customresourcedefinitions"],
        "resourceNames": ["canaries.policies.example.com"],
    });
    let spec =
        json!({"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "object == null"}]});
    let policy = object("ValidatingAdmissionPolicy", spec);
    let spec = json!({"policyName": "canary.policies.example.com", "validationActions": ["Deny"]});
    let binding = object("ValidatingAdmissionPolicyBinding", spec);
    server.block_on(async {
        install(&server.client(), &[policy, binding]).await;
        wait_until_refused(&server.client(), CRDS, &canary).await;
    });
}

/// A difference between what is predicted and what the server answers, or what the case states.
fn difference(server: &Server, case: &Case) -> Option<String> {
    let report = predicted(server, &case.group, case.target());
    let found = report.findings().filter(|finding| finding.code.starts_with("inspect::policy-"));
    // Each case has a policy that is not the published one of its bundle, so the installation may have findings.
    let found = found.filter(|finding| finding.location.crd.is_some());
    let found = found.map(|finding| (finding.code, finding.message.as_str())).collect::<Vec<_>>();
    let answer = applied(server, &case.candidate());
    let is_as_predicted = match (&*found, &case.refused, &case.warned) {
        ([("inspect::policy-refuses", message)], Some(refused), None) => {
            let words = message.find("ValidatingAdmissionPolicy").map_or("", |at| &message[at..]);
            answer.code == 422
                && answer.message().ends_with(words)
                && words.ends_with(&format!(" denied request: {refused}"))
        }
        ([("inspect::policy-warns", message)], None, Some(warned)) => {
            let is_warning = |warning: &String| message.ends_with(&**warning) && warning.ends_with(&**warned);
            answer.is_success() && answer.warnings.iter().any(is_warning)
        }
        ([], None, None) => answer.is_success() && !answer.warnings.iter().any(|warning| warning.contains("Policy")),
        _ => false,
    };
    (!is_as_predicted).then(|| {
        format!(
            "{}:\n  predicted: {found:?}\n  answer: {} {} {:?}",
            case.name,
            answer.code,
            answer.message(),
            answer.warnings
        )
    })
}

#[test]
fn policies_answer_as_predicted() {
    let Some(server) = server(Crds::Nothing) else { return };
    let cases = cases();
    cases.iter().for_each(|case| plant(server, case));
    cases.iter().for_each(|case| server.block_on(install(&server.client(), &case.policies())));
    wait(server, &cases[0]);
    let differences = cases.iter().filter_map(|case| difference(server, case)).collect::<Vec<_>>();
    let numbers = numbers(&cases);
    println!(
        "Kubernetes {}: {} cases with an answer of a policy, {} harmless ones",
        server.minor(),
        numbers[&false],
        numbers[&true]
    );
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
