//! The pods of the webhook: two servers behind a Service, and the jobs that make their certificate.
//!
//! Invariants:
//! * All pods fulfil the Pod Security Standard `restricted`, by values that are written out.
//! * A rolling update never has fewer ready servers than replicas: the next pod is ready before an old one ends, and an old one answers until no
//!   API server calls it any more.
//! * A file can be applied over itself and over that of another version. What a server refuses to change is the same in all versions, or is
//!   part of a name.

use serde_json::{Value, json};

use super::{CERTIFICATES, Names, SECRET, SERVER};

/// The port for reviews, by TLS.
pub(super) const REVIEWS: u16 = 9443;

/// The port for probes and metrics, in plain HTTP.
pub(super) const PROBES: u16 = 8080;

/// How long a server answers after it was asked to end, in seconds. Nodes and API servers need a few seconds until they use other endpoints.
const DRAIN: u32 = 20;

/// How long a server may take to end, in seconds: after [`DRAIN`], the last requests end within the timeout of the webhook.
const GRACE: u32 = 40;

/// The user and group of all pods: `nonroot` of distroless images.
const USER: u32 = 65532;

/// Where the certificate is mounted.
const FOLDER: &str = "/certificate";

/// The Service, the Deployment, its PodDisruptionBudget, and the jobs.
pub(super) fn objects(names: &Names<'_>) -> Vec<Value> {
    let selector = names.selector(SERVER);
    let service = json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": names.of_namespace(SERVER),
        "spec": {
            "selector": selector,
            "ports": [{ "name": "https", "port": 443, "protocol": "TCP", "targetPort": "https" }],
        },
    });
    let budget = json!({
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": names.of_namespace(SERVER),
        "spec": {
            "minAvailable": 1,
            "selector": { "matchLabels": selector },
            // A server is not ready while it does not match the CRDs. It must not keep a node from being drained.
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
        },
    });
    vec![service, deployment(names), budget, first_job(names), cron_job(names)]
}

#[expect(clippy::too_many_lines, reason = "a manifest")]
fn deployment(names: &Names<'_>) -> Value {
    let selector = names.selector(SERVER);
    let spread = |key: &str| {
        json!({
            "topologyKey": key,
            "maxSkew": 1,
            // A cluster with one node or zone runs both servers there.
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": { "matchLabels": selector },
            // The pods of an older version are about to go.
            "matchLabelKeys": ["pod-template-hash"],
        })
    };
    let probe = |path: &str, period: u32, failures: u32| {
        json!({
            "httpGet": { "path": path, "port": "probes" },
            "periodSeconds": period, "failureThreshold": failures, "timeoutSeconds": 2,
        })
    };
    let mut container = container(
        names,
        vec![
            "serve".to_owned(),
            format!("--channel={}", names.channel),
            format!("--listen=[::]:{REVIEWS}"),
            format!("--probes=[::]:{PROBES}"),
            format!("--certificate={FOLDER}"),
            format!("--drain={DRAIN}"),
            "--log-format=json".to_owned(),
        ],
        "256Mi",
    );
    container["ports"] = json!([
        { "name": "https", "containerPort": REVIEWS, "protocol": "TCP" },
        { "name": "probes", "containerPort": PROBES, "protocol": "TCP" },
    ]);
    container["readinessProbe"] = probe("/readyz", 5, 2);
    container["livenessProbe"] = probe("/livez", 10, 3);
    container["volumeMounts"] = json!([{ "name": "certificate", "mountPath": FOLDER, "readOnly": true }]);
    let mut pod = pod_spec(SERVER, container);
    pod["terminationGracePeriodSeconds"] = GRACE.into();
    pod["topologySpreadConstraints"] = json!([spread("kubernetes.io/hostname"), spread("topology.kubernetes.io/zone")]);
    pod["volumes"] = json!([{
        "name": "certificate",
        "secret": {
            "secretName": SECRET,
            "defaultMode": 0o440,
            // The jobs make it. Without it, the server starts and reports why it is not ready.
            "optional": true,
            // The authority and its key stay in the Secret.
            "items": [{ "key": "tls.crt", "path": "tls.crt" }, { "key": "tls.key", "path": "tls.key" }],
        },
    }]);
    let annotations = json!({
        "prometheus.io/scrape": "true", "prometheus.io/port": PROBES.to_string(), "prometheus.io/path": "/metrics",
    });
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": names.of_namespace(SERVER),
        "spec": {
            "replicas": 2,
            "revisionHistoryLimit": 2,
            "selector": { "matchLabels": selector },
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } },
            "template": { "metadata": { "labels": selector, "annotations": annotations }, "spec": pod },
        },
    })
}

/// The first certificate, soon after the installation. A server refuses to change the pods of a Job, so it has the version in its name: an upgrade makes
/// another one, and the ones that have ended are deleted.
fn first_job(names: &Names<'_>) -> Value {
    let version = names.release.version.to_string().replace('.', "-");
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": names.of_namespace(&format!("{CERTIFICATES}-{version}")),
        "spec": job_spec(names),
    })
}

/// The next certificates. Most runs find nothing to do.
fn cron_job(names: &Names<'_>) -> Value {
    json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": names.of_namespace(CERTIFICATES),
        "spec": {
            // Not at the full hour, when many other jobs begin.
            "schedule": "23 * * * *",
            "concurrencyPolicy": "Forbid",
            "startingDeadlineSeconds": 600,
            "successfulJobsHistoryLimit": 1,
            "failedJobsHistoryLimit": 1,
            "jobTemplate": { "spec": job_spec(names) },
        },
    })
}

fn job_spec(names: &Names<'_>) -> Value {
    let (namespace, configuration) = (names.namespace(), names.configuration());
    let arguments = vec![
        "certs".to_owned(),
        format!("--secret={namespace}/{SECRET}"),
        format!("--configuration={configuration}"),
        format!("--service={namespace}/{SERVER}"),
        "--once".to_owned(),
    ];
    let mut pod = pod_spec(CERTIFICATES, container(names, arguments, "64Mi"));
    pod["restartPolicy"] = "OnFailure".into();
    json!({
        "backoffLimit": 6,
        "ttlSecondsAfterFinished": 3600,
        "template": { "metadata": { "labels": names.selector("certs") }, "spec": pod },
    })
}

/// The pod of a container. Its token is the only right that it gets.
fn pod_spec(account: &str, container: Value) -> Value {
    json!({
        "serviceAccountName": account,
        "automountServiceAccountToken": true,
        "enableServiceLinks": false,
        "nodeSelector": { "kubernetes.io/os": "linux" },
        "securityContext": {
            "runAsNonRoot": true, "runAsUser": USER, "runAsGroup": USER, "fsGroup": USER,
            "seccompProfile": { "type": "RuntimeDefault" },
        },
        "containers": [container],
    })
}

fn container(names: &Names<'_>, arguments: Vec<String>, memory: &str) -> Value {
    json!({
        "name": "webhook",
        "image": names.webhook.image(&names.release.version.to_string()),
        "args": arguments,
        // No limit of the processor: a server that is throttled answers late.
        "resources": { "requests": { "cpu": "50m", "memory": "64Mi" }, "limits": { "memory": memory } },
        "securityContext": {
            "allowPrivilegeEscalation": false,
            "capabilities": { "drop": ["ALL"] },
            "readOnlyRootFilesystem": true,
        },
    })
}
