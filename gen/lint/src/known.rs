//! Types of Kubernetes that CRDs embed, whose fields no author can change.

use crd_model::schema::Schema;

/// Fields by which each type is recognised.
#[rustfmt::skip]
const TYPES: &[&[&str]] = &[
    &["lastTransitionTime", "message", "observedGeneration", "reason", "status", "type"], &["matchExpressions", "matchLabels"],
    &["containers", "initContainers"], &["image", "imagePullPolicy", "livenessProbe"], &["failureThreshold", "periodSeconds", "httpGet"],
    &["runAsNonRoot", "seLinuxOptions"], &["podAffinity", "podAntiAffinity"], &["effect", "tolerationSeconds"],
    &["maxSkew", "whenUnsatisfiable"], &["configMap", "emptyDir", "secret"], &["fieldRef", "resourceFieldRef"], &["limits", "requests"],
    &["fieldPath", "resourceVersion", "uid"], &["accessModes", "volumeMode"], &["accessModes", "capacity", "phase"],
    &["activeDeadlineSeconds", "backoffLimit", "template"], &["additionalProperties", "x-kubernetes-int-or-string"],
];

/// Whether a schema is that of a type of Kubernetes.
pub(crate) fn is_known(schema: &Schema) -> bool {
    TYPES.iter().any(|fields| fields.iter().all(|field| schema.properties.get(field).is_some()))
}

/// Fields of the specification of a pod, each with another type. A struct with some of them takes them from Kubernetes.
const OF_PODS: &[&str] = &[
    "affinity",
    "imagePullSecrets",
    "nodeSelector",
    "priorityClassName",
    "runtimeClassName",
    "schedulerName",
    "securityContext",
    "serviceAccountName",
    "tolerations",
    "topologySpreadConstraints",
];

/// How many of these fields no author names by chance.
const LEAST: usize = 3;

/// Whether a field is that of a pod in a struct that embeds a part of its specification.
pub(crate) fn is_of_pod(name: &str, parent: &Schema) -> bool {
    let has = |name: &&&str| parent.properties.get(name).is_some();
    OF_PODS.contains(&name) && OF_PODS.iter().filter(has).count() >= LEAST
}
