//! Types of Kubernetes in the schema of a project, recognised by names of their properties.
//!
//! Invariants: each row has names that only this type has together. A type that a project takes some fields of is its own, and so is the description of
//! the field that has the type.

use crate::Schema;

/// Types of Kubernetes, and properties that a node of the type has.
pub const FOREIGN: &[(&str, &[&str])] = &[
    ("Affinity", &["nodeAffinity", "podAffinity"]),
    ("Condition", &["lastTransitionTime", "message", "reason", "status"]),
    ("Container", &["command", "image", "volumeMounts", "workingDir"]),
    ("EnvVarSource", &["configMapKeyRef", "fieldRef", "resourceFieldRef"]),
    ("JobSpec", &["backoffLimit", "completions", "parallelism"]),
    ("LabelSelector", &["matchExpressions", "matchLabels"]),
    ("Lifecycle", &["postStart", "preStop"]),
    ("NodeSelectorTerm", &["matchExpressions", "matchFields"]),
    ("ObjectMeta", &["annotations", "finalizers", "labels", "namespace"]),
    ("ObjectReference", &["fieldPath", "resourceVersion", "uid"]),
    ("PersistentVolumeClaimSpec", &["accessModes", "storageClassName", "volumeMode"]),
    ("PodSecurityContext and SecurityContext", &["runAsNonRoot", "runAsUser", "seLinuxOptions"]),
    ("PodSpec", &["containers", "restartPolicy", "volumes"]),
    ("Probe", &["failureThreshold", "initialDelaySeconds", "periodSeconds"]),
    ("ResourceRequirements", &["limits", "requests"]),
    ("SecretKeySelector and ConfigMapKeySelector", &["key", "name", "optional"]),
    ("ServiceSpec", &["clusterIP", "externalTrafficPolicy", "ports"]),
    ("Toleration", &["effect", "key", "tolerationSeconds"]),
    ("TopologySpreadConstraint", &["maxSkew", "topologyKey", "whenUnsatisfiable"]),
    ("Volume", &["configMap", "emptyDir", "hostPath", "secret"]),
];

/// Whether a node has such a type.
pub(super) fn is_foreign(node: &Schema) -> bool {
    !node.properties.is_empty()
        && FOREIGN.iter().any(|(_, names)| names.iter().all(|name| node.properties.contains_key(name)))
}
