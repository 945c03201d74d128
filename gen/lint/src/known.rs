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
