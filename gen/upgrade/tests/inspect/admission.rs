//! What the admission policies of the cluster answer to a target: the cases that a proof compares with a real server, and what is undecided.

use std::collections::BTreeMap;

use crd_cluster::Limits;
use crd_upgrade::inspect::{KnownBundles, Question, Redaction, Report, inspect};
use serde_json::{Value, json};

use super::cluster::{Cluster, installed};
use super::guards::{Case, cases, numbers};
use super::script::{Answer, Script};

/// The report about the case, from a scripted server.
async fn report(case: &Case, policies: &[Value]) -> Report {
    let mut crd = installed(case.installed());
    crd["metadata"]["generation"] = json!(1);
    if case.installed.deleted {
        crd["metadata"]["deletionTimestamp"] = json!("2026-01-02T03:04:05Z");
    }
    let of_kind = |kind: &str| policies.iter().filter(|object| object["kind"] == kind).cloned().collect();
    let cluster = Cluster {
        crds: vec![crd],
        objects: BTreeMap::new(),
        policies: of_kind("ValidatingAdmissionPolicy"),
        bindings: of_kind("ValidatingAdmissionPolicyBinding"),
        webhooks: Vec::new(),
        answers: BTreeMap::new(),
    };
    let absent = json!({"kind": "Status", "message": format!("\"none.{}\" not found", case.group), "code": 404});
    let mut script = Script::new();
    let none = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/none.{}", case.group);
    for (path, (code, body)) in cluster.answers().into_iter().chain([(none, (404, absent))]) {
        script = script.on(&path, [Answer::Http(code, None, body.to_string().into_bytes())]);
    }
    let cluster = script.connect(Limits { retries: 0, ..Limits::default() }).await.unwrap();
    let known = KnownBundles::default();
    let question = Question {
        prefix: Some(case.group.clone()),
        known: &known,
        lenses: None,
        features: None,
        target: Some(case.target()),
        reads_objects: false,
        redaction: Redaction::None,
    };
    inspect(&cluster, &question, &mut |_| {}, &mut |_, _| {}).await.unwrap()
}

#[tokio::test]
async fn policies_answer_as_the_cases_state() {
    let cases = cases();
    for case in &cases {
        let report = report(case, &case.policies()).await;
        assert_eq!(report.failures, [], "{}", case.name);
        let found = report.findings().filter(|finding| {
            ["policy-refuses", "policy-warns", "policy-undecided"].iter().any(|code| finding.code.ends_with(code))
        });
        let found = found.collect::<Vec<_>>();
        let expected = match (&case.refused, &case.warned) {
            (Some(refused), _) => Some(("inspect::policy-refuses", format!(" denied request: {refused}"))),
            (None, Some(warned)) => Some(("inspect::policy-warns", format!("': {warned}"))),
            (None, None) => None,
        };
        match (&*found, expected) {
            ([], None) => {}
            ([finding], Some((code, message))) => {
                assert!(finding.code == code && finding.message.ends_with(&message), "{}: {finding:?}", case.name);
                let help = finding.help.as_deref().unwrap_or_default();
                assert!(help.contains(case.help.as_deref().unwrap_or_default()), "{}: {help}", case.name);
            }
            _ => panic!("{}: {found:?}", case.name),
        }
    }
    assert!(numbers(&cases).values().all(|number| *number >= 10));
}

/// The policy of OpenShift depends on the user. What it prints is part of the warning.
#[tokio::test]
async fn what_depends_on_the_request_is_undecided() {
    let case = cases().swap_remove(0);
    for (expression, why) in [
        ("request.userInfo.username == 'operator'", "`request.userInfo` depends on the request"),
        ("authorizer.group('').resource('pods').check('create').allowed()", "`allowed` depends on the request"),
        ("object.metadata.name.unknown()", "an expression is not supported here"),
    ] {
        let spec = json!({
            "matchConstraints": {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]},
            "validations": [{"expression": expression, "message": "managed by the operator"}],
        });
        let policy = json!({"kind": "ValidatingAdmissionPolicy", "metadata": {"name": "guard"}, "spec": spec});
        let spec = json!({"policyName": "guard", "validationActions": ["Deny"]});
        let binding = json!({"kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "guard"}, "spec": spec});
        let report = report(&case, &[policy, binding]).await;
        let found = report.findings().filter(|finding| finding.code == "inspect::policy-undecided").collect::<Vec<_>>();
        let [finding] = &*found else { panic!("{expression}: {:?}", report.findings().collect::<Vec<_>>()) };
        assert!(
            finding.message.contains(why) && finding.message.ends_with("it may print: managed by the operator"),
            "{finding:?}"
        );
    }
}

/// Known bundles are kept without stamps, and a CRD of another channel has those of its bundle.
#[tokio::test]
async fn a_known_bundle_is_sent_with_its_stamps() {
    let is = |stamp: &str, value: &str| format!("object.metadata.annotations['example.com/{stamp}'] == '{value}'");
    for (expression, help) in [
        (is("bundle-version", "v1.0.0") + " && " + &is("channel", "standard"), None),
        ("object.metadata.generation == (request.name == 'widgets.example.com' ? 1 : 0)".to_owned(), None),
        (
            is("channel", "experimental"),
            Some("install the channel experimental of the same bundle, which the policies accept"),
        ),
    ] {
        let mut case = super::case::Case::new();
        super::codes::guard(&mut case, "Deny", &expression);
        case.target = None;
        case.channel = Some(crd_model::channel::Channel::Standard);
        let inspected = case.inspected().await;
        let found = inspected.report.findings().find(|finding| finding.code == "inspect::policy-refuses");
        assert_eq!(found.and_then(|finding| finding.help.as_deref()), help, "{expression}: {found:?}");
    }
}
