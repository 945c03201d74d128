//! What `inspect --target` reports about owners and conflicts is what a server, kubectl and Helm answer.

use std::sync::Arc;

use crd_channels::Channel;
use crd_model::CustomResourceDefinition;
use crd_upgrade::inspect::Target;
use serde_json::{Value, json};

use super::policies::predicted;
use crate::publishing::helm::Helm;
use crate::requests::{APPLY, CRDS};
use crate::server::{Crds, Server, server};

const GROUP: &str = "take-over.example.com";

fn crd(plural: &str, version: &str) -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "description": version}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{plural}.{GROUP}"),
            "annotations": {format!("{GROUP}/bundle-version"): version, format!("{GROUP}/channel"): "standard"},
        },
        "spec": {
            "group": GROUP, "names": {"plural": plural, "kind": plural}, "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
        },
    })
}

/// The owners of a CRD with what they do, and the message of the finding.
fn reported(server: &Server, plural: &str) -> (Vec<(String, String)>, Option<String>) {
    let read = CustomResourceDefinition::from_value(&crd(plural, "v1.1.0")).expect("a CRD");
    let channels = [(Channel::Standard, vec![Arc::new(read)])].into();
    let version = "v1.1.0".to_owned();
    let bundle = Some((version.clone(), version.parse().ok(), channels));
    let report = predicted(server, GROUP, Target { bundle, channel: Some(Channel::Standard) });
    let report =
        report.crds.into_iter().find(|report| report.name == format!("{plural}.{GROUP}")).expect("it is installed");
    let owners = report.owners.into_iter().map(|owner| (owner.name, owner.take_over.unwrap_or_default())).collect();
    let finding = report.findings.into_iter().find(|finding| finding.code == "inspect::take-over");
    (owners, finding.map(|finding| finding.message))
}

/// The manager and the fields with which an apply by `kubectl` conflicts, by `kubectl`.
fn conflicts(server: &Server, plural: &str) -> Option<(String, Vec<String>)> {
    let manifest = crd(plural, "v1.1.0").to_string();
    let printed = server.kubectl_reading(&["apply", "--server-side", "--dry-run=server", "-f", "-"], &manifest);
    if printed.success {
        return None;
    }
    let (_, after) = printed
        .stderr
        .split_once("conflicts with \"")
        .or_else(|| printed.stderr.split_once("conflict with \""))
        .expect("a conflict");
    let manager = after.split('"').next().expect("a manager").to_owned();
    let listed = after.lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect::<Vec<_>>();
    // A single conflict is on the line of its manager.
    let single = || after.lines().next().and_then(|line| line.rsplit(": ").next()).map(str::to_owned);
    Some((manager, if listed.is_empty() { single().into_iter().collect() } else { listed }))
}

/// Asserts that the owner is reported, and the conflicts of the server.
#[track_caller]
fn assert_owned(server: &Server, plural: &str, owner: &str) {
    let (owners, message) = reported(server, plural);
    assert_eq!(owners.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), [owner]);
    let (manager, mut fields) = conflicts(server, plural).expect("conflicts");
    fields.sort();
    let message = message.expect("a finding");
    let expected = format!("conflicts with `{manager}`: {}", fields.join(", "));
    assert!(message.contains(&expected), "{expected}\n{message}");
}

#[test]
fn conflicts_and_owners_are_those_of_the_server_and_of_helm() {
    let Some(server) = server(Crds::Nothing) else { return };
    let Some(helm) = Helm::find() else { return };
    let manifest = |plural: &str| crd(plural, "v1.0.0").to_string();
    // What kubectl applied itself, it takes over.
    for (plural, arguments) in
        [("client", &["apply", "-f", "-"][..]), ("server", &["apply", "--server-side", "-f", "-"])]
    {
        server.kubectl_reading(arguments, &manifest(plural)).expect("a CRD");
        assert_eq!(reported(server, plural), (vec![("kubectl".to_owned(), String::new())], None));
        assert_eq!(conflicts(server, plural), None);
    }
    server.kubectl_reading(&["create", "-f", "-"], &manifest("created")).expect("a CRD");
    assert_owned(server, "created", "kubectl");
    for (plural, manager, owner) in
        [("argo", "argocd-controller", "Argo CD application"), ("flux", "kustomize-controller", "Flux Kustomization")]
    {
        let path = format!("{CRDS}/{plural}.{GROUP}?fieldManager={manager}");
        server.send_with("PATCH", &path, &[APPLY], Some(&crd(plural, "v1.0.0"))).expect("a CRD");
        assert_owned(server, plural, owner);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let chart = |name: &str, version: &str| {
        let chart = folder.path().join(name);
        std::fs::create_dir_all(chart.join("templates")).expect("a folder");
        std::fs::write(chart.join("Chart.yaml"), format!("{{apiVersion: v2, name: {name}, version: 1.0.0}}"))
            .expect("a file");
        std::fs::write(chart.join("templates/crd.yaml"), crd("helmed", version).to_string()).expect("a file");
        chart.display().to_string()
    };
    helm.run(server, &["install", "crds", &chart("first", "v1.0.0")]).expect("it is installed");
    assert_owned(server, "helmed", "Helm release default/crds");
    let second = chart("second", "v1.1.0");
    let refused = helm.run(server, &["install", "mesh", &second]);
    assert!(!refused.success && refused.stderr.contains("invalid ownership metadata"), "{}", refused.stderr);
    assert!(reported(server, "helmed").0[0].1.contains("another release cannot install it without `--take-ownership`"));
    helm.run(server, &["install", "mesh", &second, "--take-ownership", "--force-conflicts"]).expect("it takes over");
    assert_eq!(reported(server, "helmed").0[0].0, "Helm release default/mesh");
}
