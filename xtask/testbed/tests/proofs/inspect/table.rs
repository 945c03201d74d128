//! The planted defects of `table.yaml`: how each is planted, and every finding about it.

use std::sync::LazyLock;

use crd_channels::Channel;
use serde::Deserialize;
use serde_json::{Value, json};

use super::api::Api;
use crate::tables::table;

/// A healthy bundle with at most one defect.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) name: &'static str,
    /// The installed bundle: v1.MINOR.0.
    #[serde(default = "one")]
    pub(super) minor: u64,
    /// Whether its channel is experimental.
    #[serde(default)]
    experimental: bool,
    /// The group of the API is below it.
    #[serde(default = "domain")]
    pub(super) domain: &'static str,
    /// Changes of the CRDs before they are installed.
    #[serde(default)]
    crds: Vec<Edit>,
    /// Changes on the server.
    #[serde(default)]
    then: Vec<Step>,
    /// The user who inspects, if not one with all permissions.
    pub(super) user: Option<&'static str>,
    #[serde(default)]
    pub(super) expected: Vec<&'static str>,
    /// Whether CI always runs it.
    #[serde(default, rename = "sample")]
    pub(super) is_in_sample: bool,
}

fn one() -> u64 {
    1
}

fn domain() -> &'static str {
    "planted.test"
}

/// A change of CRDs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
enum Edit {
    /// Sets a part of `alphas`, or removes it (`null`).
    Set { at: &'static str, value: Value },
    /// Adds a CRD without stamps, which no bundle has.
    Foreign {
        plural: &'static str,
        kind: Option<&'static str>,
        #[serde(default)]
        first: bool,
    },
}

/// A change on the server. What is not created is about `alphas`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
enum Step {
    Create {
        plural: &'static str,
        version: &'static str,
        name: &'static str,
        spec: Value,
    },
    /// Replaces the bundle by that of this minor.
    Upgrade(u64),
    /// Writes what a server would refuse, but may have accepted at another time.
    Overwrite {
        at: &'static str,
        value: Value,
    },
    /// Waits for a condition.
    Until(&'static str),
    /// Edits the CRD as another program.
    EditAs {
        manager: &'static str,
        at: &'static str,
        value: Value,
    },
    Delete,
    /// Gives a user the permission to read CRDs.
    PermitCrds(&'static str),
}

pub(super) static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| table(include_str!("table.yaml")));

impl Row {
    /// The CRDs to install.
    pub(super) fn crds(&self, api: &Api<'_>) -> Vec<Value> {
        let mut crds = api.bundle(self.minor, channel(self.experimental));
        self.crds.iter().for_each(|edit| edit.apply(api, &mut crds));
        crds
    }

    /// Changes what is on the server.
    pub(super) fn change(&self, api: &Api<'_>) {
        self.then.iter().for_each(|step| step.run(api));
    }
}

fn channel(is_experimental: bool) -> Channel {
    if is_experimental { Channel::Experimental } else { Channel::Standard }
}

/// The kind of finding of a line.
pub(super) fn kind(line: &str) -> &str {
    let line = line.split_once(": ").map_or(line, |(_, rest)| rest);
    let line = line.strip_prefix("failure ").or(line.strip_prefix("error ")).unwrap_or(line);
    line.split(' ').next().unwrap_or_default()
}

fn named<'c>(crds: &'c mut [Value], plural: &str) -> &'c mut Value {
    crds.iter_mut().find(|crd| crd["spec"]["names"]["plural"] == plural).expect("a CRD of the bundle")
}

/// Sets a part of a CRD, or removes it (`null`).
fn set(crd: &mut Value, at: &str, value: &Value) {
    let (above, key) = at.rsplit_once('/').expect("a pointer");
    let above = crd.pointer_mut(above).and_then(Value::as_object_mut).expect("a part of the CRD");
    match value {
        Value::Null => drop(above.remove(key)),
        value => drop(above.insert(key.to_owned(), value.clone())),
    }
}

impl Edit {
    fn apply(&self, api: &Api<'_>, crds: &mut Vec<Value>) {
        match self {
            Self::Set { at, value } => set(named(crds, "alphas"), at, value),
            Self::Foreign { plural, kind, first } => {
                let mut foreign = api.crd(plural, 1, Channel::Standard);
                foreign["metadata"].as_object_mut().expect("metadata").remove("annotations");
                if let Some(kind) = kind {
                    foreign["spec"]["names"]["kind"] = json!(kind);
                }
                crds.insert(if *first { 0 } else { crds.len() }, foreign);
            }
        }
    }
}

impl Step {
    fn run(&self, api: &Api<'_>) {
        let path = api.path("alphas");
        match self {
            Self::Create { plural, version, name, spec } => api.create(plural, version, name, spec),
            Self::Upgrade(minor) => api.upgrade(*minor),
            Self::Overwrite { at, value } => api.overwrite("alphas", |crd| set(crd, at, value)),
            Self::Until(condition) => {
                api.until(&path, |crd| crd["status"]["conditions"].to_string().contains(condition));
            }
            Self::EditAs { manager, at, value } => {
                api.edit(&path, &format!("?fieldManager={manager}"), |crd| set(crd, at, value));
            }
            Self::Delete => drop(api.send("DELETE", &path, None).expect("being deleted")),
            Self::PermitCrds(user) => role(api, user),
        }
    }
}

fn role(api: &Api<'_>, user: &str) {
    let name = api.group.clone();
    let rbac = "rbac.authorization.k8s.io";
    let rules =
        json!([{"apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"], "verbs": ["list"]}]);
    let role =
        json!({"apiVersion": format!("{rbac}/v1"), "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules});
    let binding = json!({
        "apiVersion": format!("{rbac}/v1"), "kind": "ClusterRoleBinding", "metadata": {"name": name},
        "subjects": [{"kind": "User", "name": user, "apiGroup": rbac}],
        "roleRef": {"kind": "ClusterRole", "name": name, "apiGroup": rbac},
    });
    for (plural, object) in [("clusterroles", role), ("clusterrolebindings", binding)] {
        api.send("POST", &format!("/apis/{rbac}/v1/{plural}"), Some(&object)).expect("a role");
    }
}
