//! Cases of policies, as data: what is installed, a target, and the expected answer. The proof on a server has the same cases.

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_bundle::admission::{Bundle, ReleasedChannel, safe_upgrades};
use crd_bundle::files;
use crd_model::channel::Channel;
use crd_model::{CustomResourceDefinition, yaml};
use crd_upgrade::inspect::Target;
use serde::Deserialize;
use serde_json::{Map, Value, json};

const CASES: &str = include_str!("policies/cases.yaml");

const UPSTREAM: [(&str, &str); 4] = [
    ("upstream-v1.5.1-standard", include_str!("policies/upstream-v1.5.1-standard.yaml")),
    ("upstream-v1.6.1-standard", include_str!("policies/upstream-v1.6.1-standard.yaml")),
    ("upstream-v1.7.0-standard", include_str!("policies/upstream-v1.7.0-standard.yaml")),
    ("upstream-v1.7.0-experimental", include_str!("policies/upstream-v1.7.0-experimental.yaml")),
];

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// A published policy, `generated`, or a spec.
    policy: Value,
    /// What a binding has more.
    #[serde(default)]
    binding: Map<String, Value>,
    pub(crate) installed: Stamps,
    target: Stamps,
    #[serde(default = "things")]
    crd: String,
    pub(crate) refused: Option<String>,
    pub(crate) warned: Option<String>,
    pub(crate) help: Option<String>,
    #[serde(skip)]
    pub(crate) group: String,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stamps {
    version: String,
    channel: String,
    #[serde(default)]
    unstamped: bool,
    #[serde(default)]
    pub(crate) deleted: bool,
    #[serde(default)]
    labels: Value,
}

fn things() -> String {
    "things".to_owned()
}

/// All cases, each with a group of its own.
pub(crate) fn cases() -> Vec<Case> {
    let of_group = |group: &str| {
        let document = yaml::read(&CASES.replace("GROUP", group)).unwrap().swap_remove(0);
        Vec::<Case>::deserialize(document).unwrap()
    };
    let number = of_group("any").len();
    let case = |index: usize| {
        let group = format!("g{index}.policies.example.com");
        Case { group: group.clone(), ..of_group(&group).swap_remove(index) }
    };
    (0..number).map(case).collect()
}

impl Case {
    /// The installed CRD.
    pub(crate) fn installed(&self) -> Value {
        self.document("things", &self.installed, &self.installed.channel)
    }

    /// The CRD of the target.
    pub(crate) fn candidate(&self) -> Value {
        self.document(&self.crd, &self.target, &self.target.channel)
    }

    pub(crate) fn target(&self) -> Target {
        let of = |channel: Channel| Arc::new(read(&self.document(&self.crd, &self.target, channel.name())));
        let channels = Channel::ALL.map(|channel| (channel, vec![of(channel)])).into();
        let version = &self.target.version;
        Target {
            bundle: Some((version.clone(), version.parse().ok(), channels)),
            channel: Channel::named(&self.target.channel),
        }
    }

    fn document(&self, plural: &str, stamps: &Stamps, channel: &str) -> Value {
        let group = &self.group;
        let mut metadata = json!({"name": format!("{plural}.{group}")});
        if !stamps.unstamped {
            metadata["annotations"] =
                json!({format!("{group}/bundle-version"): stamps.version, format!("{group}/channel"): channel});
        }
        if stamps.labels.is_object() {
            metadata["labels"] = stamps.labels.clone();
        }
        let schema =
            json!({"openAPIV3Schema": {"type": "object", "description": format!("{} {channel}", stamps.version)}});
        let version = |name: &str| json!({"name": name, "served": true, "storage": name == "v1", "schema": schema});
        // The CRD with more versions is the reference of the generated policy.
        let versions = if plural == "things" { vec![version("v1"), version("v1beta1")] } else { vec![version("v1")] };
        let names = json!({"plural": plural, "kind": plural});
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata,
            "spec": {"group": group, "names": names, "scope": "Namespaced", "versions": versions},
        })
    }

    /// The policy and its bindings.
    pub(crate) fn policies(&self) -> Vec<Value> {
        let mut objects = match self.policy.as_str() {
            Some("generated") => self.safe_upgrades(),
            Some(name) => {
                let text = UPSTREAM.iter().find(|(known, _)| *known == name).unwrap().1;
                yaml::read(&text.replace("gateway.networking.k8s.io", &self.group)).unwrap()
            }
            None => {
                let name = format!("guard.{}", self.group);
                let object = |kind: &str, spec: Value| json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec});
                let binding = json!({"policyName": name, "validationActions": ["Deny"]});
                vec![
                    object("ValidatingAdmissionPolicy", self.policy.clone()),
                    object("ValidatingAdmissionPolicyBinding", binding),
                ]
            }
        };
        for object in objects.iter_mut().filter(|object| object["kind"] == "ValidatingAdmissionPolicyBinding") {
            object["spec"].as_object_mut().unwrap().extend(self.binding.clone());
        }
        objects
    }

    fn safe_upgrades(&self) -> Vec<Value> {
        let crds = ["things", "absents"].map(|plural| read(&self.document(plural, &self.target, "standard")));
        let channels = Channel::ALL.map(|channel| ReleasedChannel { channel, files: files(crds.to_vec()) });
        let version = "v1.6.1".parse().unwrap();
        safe_upgrades::policies(Bundle {
            name: "example",
            prefix: &self.group,
            version: &version,
            channels: &channels,
            policies: &[],
        })
    }
}

fn read(crd: &Value) -> CustomResourceDefinition {
    CustomResourceDefinition::from_value(crd).unwrap()
}

/// How many cases are refused or warned about, and how many are harmless.
pub(crate) fn numbers(cases: &[Case]) -> BTreeMap<bool, usize> {
    let mut numbers = BTreeMap::new();
    for case in cases {
        *numbers.entry(case.refused.is_none() && case.warned.is_none()).or_default() += 1;
    }
    numbers
}
