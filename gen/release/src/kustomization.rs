//! Kustomizations: what makes a folder of manifests a base, so that `kubectl apply -k` of the folder or of a git address works.
//!
//! Invariants: sorted, each file once; only resources, so that the base does not change them.

use crd_model::document::send_value;
use crd_model::yaml::{Start, YamlWriter};
use serde_json::json;

/// What the file is called in its folder.
pub const FILE: &str = "kustomization.yaml";

/// The text of a `kustomization.yaml` in the folder of these files.
pub fn kustomization<Name: AsRef<str>>(resources: &[Name]) -> String {
    let mut resources: Vec<&str> = resources.iter().map(AsRef::as_ref).collect();
    resources.sort_unstable();
    resources.dedup();
    let mut writer = YamlWriter::new(Start::Marker);
    let value =
        json!({ "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": resources });
    send_value(&value, &mut writer);
    writer.finish()
}
