//! The description of a running testbed, and its JSON form, which processes exchange and users read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

/// A testbed that is ready for requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) name: String,
    pub(crate) minor: String,
    pub(crate) address: String,
    pub(crate) kubeconfig: PathBuf,
    pub(crate) kubectl: PathBuf,
    pub(crate) etcd: String,
    pub(crate) folder: PathBuf,
    /// Whether kube-controller-manager runs.
    pub(crate) controllers: bool,
    /// The process id of the supervisor.
    pub(crate) process: u32,
}

impl Ready {
    /// The environment variables that direct programs to this testbed. kubectl and Helm cache the resources of a server by its address, for
    /// hours. A later testbed may have the same port, so each testbed has its own cache.
    pub(crate) fn environment(&self) -> [(&'static str, PathBuf); 2] {
        [("KUBECONFIG", self.kubeconfig.clone()), ("KUBECACHEDIR", self.folder.join("kubectl-cache"))]
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "kubernetes": self.minor,
            "address": self.address,
            "kubeconfig": self.kubeconfig,
            "kubectl": self.kubectl,
            "etcd": self.etcd,
            "folder": self.folder,
            "controllers": self.controllers,
            "process": self.process,
            "environment": BTreeMap::from(self.environment()),
        })
    }

    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
        Some(Self {
            name: text("name")?,
            minor: text("kubernetes")?,
            address: text("address")?,
            kubeconfig: text("kubeconfig")?.into(),
            kubectl: text("kubectl")?.into(),
            etcd: text("etcd")?,
            folder: text("folder")?.into(),
            controllers: value.get("controllers")?.as_bool()?,
            process: value.get("process")?.as_u64()?.try_into().ok()?,
        })
    }
}
