//! What to do for an upgrade: the commands in their order, and the rights that reading a cluster needs.

use std::collections::BTreeMap;
use std::path::Path;

use crd_diagnostics::layout::for_shell;
use crd_generator::session::Session;
use crd_upgrade::fate::{Change, CrdFate};
use crd_upgrade::installers::ChartPlace;
use serde::Serialize;
use serde_json::{Value, json};

use super::sides::Side;

/// What to do.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Steps {
    /// The commands: keep a copy of the objects, install the CRDs, install the rest.
    pub(crate) commands: Vec<String>,
    /// The ClusterRole that is needed to read this of a cluster.
    pub(crate) rights: Value,
}

impl Steps {
    pub(super) fn new(crds: &[CrdFate], new: &Side, release: Option<&(String, String)>, session: &Session<'_>) -> Self {
        let changes = |fate: &&CrdFate| matches!(fate.change, Change::Changed | Change::Absent);
        let changed = crds.iter().filter(changes).map(|fate| &*fate.name).collect::<Vec<_>>();
        let mut commands = Vec::new();
        if !changed.is_empty() {
            commands.push(format!("kubectl get {} --all-namespaces --output yaml > before.yaml", changed.join(",")));
        }
        let source = source(new, session);
        let is_new = |name: &str| crds.iter().any(|fate| fate.name == name && fate.change != Change::Equal);
        let is_in = |place| new.crds.iter().any(|(crd, known)| known.place == place && is_new(&crd.name));
        let install = match release {
            Some((namespace, name)) => format!("helm upgrade {name} {source} --namespace {namespace}"),
            None => format!("helm upgrade RELEASE {source}"),
        };
        match new.is_chart {
            true => {
                if is_in(ChartPlace::Crds) {
                    commands.push(format!("helm show crds {source} | kubectl apply --server-side --filename -"));
                } else {
                    commands.push(format!("{install} --dry-run=server"));
                }
                commands.push(install);
            }
            false => {
                let apply = format!("kubectl apply --server-side --filename {source}");
                commands.extend([format!("{apply} --dry-run=server"), apply]);
            }
        }
        Self { commands, rights: rights(new, release.is_some()) }
    }

    /// The rights as YAML that `kubectl apply` takes.
    pub(crate) fn rights_in_yaml(&self) -> String {
        let rules = self.rights["rules"].as_array().into_iter().flatten();
        let rules = rules.map(|rule| {
            let list = |key: &str| {
                rule[key].as_array().into_iter().flatten().map(Value::to_string).collect::<Vec<_>>().join(", ")
            };
            format!(
                "- {{apiGroups: [{}], resources: [{}], verbs: [{}]}}\n",
                list("apiGroups"),
                list("resources"),
                list("verbs")
            )
        });
        let head = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: crd-channels-upgrade}\nrules:\n";
        rules.fold(head.to_owned(), |text, rule| text + &rule)
    }
}

/// The new source as an argument of Helm or kubectl.
fn source(new: &Side, session: &Session<'_>) -> String {
    let shell = |text: &str| for_shell(Path::new(text));
    match new.name.strip_prefix("chart:").and_then(|chart| chart.split_once('@')) {
        Some((name, version)) => {
            let repository = session.charts.repository.as_deref().unwrap_or_default();
            format!("{} --version {} --repo {}", shell(name), shell(version), shell(repository))
        }
        None => match new.name.strip_prefix("oci://").and_then(|rest| rest.rsplit_once(':')) {
            Some((repository, tag)) => format!("{} --version {}", shell(&format!("oci://{repository}")), shell(tag)),
            None => shell(&new.name),
        },
    }
}

fn rights(new: &Side, reads_release: bool) -> Value {
    let mut by_group: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (crd, _) in &new.crds {
        by_group.entry(&crd.group).or_default().push(&crd.names.plural);
    }
    let rule = |group: &str, resources: Value, verbs: Value| json!({"apiGroups": [group], "resources": resources, "verbs": verbs});
    let policies =
        json!(["validatingadmissionpolicies", "validatingadmissionpolicybindings", "validatingwebhookconfigurations"]);
    let mut rules = vec![
        rule("apiextensions.k8s.io", json!(["customresourcedefinitions"]), json!(["get", "list"])),
        rule("admissionregistration.k8s.io", policies, json!(["list"])),
    ];
    rules.extend(by_group.into_iter().map(|(group, plurals)| rule(group, json!(plurals), json!(["list"]))));
    if reads_release {
        rules.push(rule("", json!(["secrets"]), json!(["list"])));
    }
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "crd-channels-upgrade"},
        "rules": rules,
    })
}
