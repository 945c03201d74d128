//! The requests: the Secret and the configuration are read, and written with a guard.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use crd_cluster::FIELD_MANAGER;
use crd_diagnostics::{Diagnostic, ObjectName};
use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;
use tokio::time::timeout;

use super::Settings;
use crate::codes;

/// How long a request may take; the server has the same limit. The time in a late write is wrong by this much at most.
const LONGEST_REQUEST: Duration = Duration::from_secs(60);

/// The prefix of cert-manager's annotations.
const CERT_MANAGER: &str = "cert-manager.io/";

/// The Secret, if it exists, and the configuration.
pub(crate) struct Objects {
    pub(crate) secret: Option<Secret>,
    pub(crate) configuration: ValidatingWebhookConfiguration,
}

/// A write.
pub(crate) enum Write {
    /// These keys and annotations of the Secret; all further ones remain.
    Secret(BTreeMap<&'static str, String>, BTreeMap<String, String>),
    /// The `caBundle` of all webhooks.
    CaBundle(String),
}

/// The API server.
pub(crate) struct Cluster<'s> {
    settings: &'s Settings,
    secrets: Api<Secret>,
    configurations: Api<ValidatingWebhookConfiguration>,
}

impl<'s> Cluster<'s> {
    pub(crate) fn new(client: Client, settings: &'s Settings) -> Self {
        let secrets = Api::namespaced(client.clone(), &settings.secret.namespace);
        Self { settings, secrets, configurations: Api::all(client) }
    }

    /// Reads both objects, the configuration first.
    pub(crate) async fn read(&self) -> Result<Objects, Diagnostic> {
        let Settings { configuration: name, secret, .. } = self.settings;
        let configuration = answer(self.configurations.get_opt(name)).await;
        let configuration = configuration.map_err(|error| self.failed(&error, "get", false))?;
        let has_webhooks = |configuration: &ValidatingWebhookConfiguration| {
            configuration.webhooks.as_ref().is_some_and(|webhooks| !webhooks.is_empty())
        };
        let Some(configuration) = configuration.filter(has_webhooks) else {
            let message = format!("the ValidatingWebhookConfiguration `{name}` does not exist, or has no webhooks");
            let finding = codes::CERTS_CONFIGURATION.finding(message).of_object(self.settings.configuration_name());
            return Err(finding.help("apply the manifests of the webhook, or correct `--configuration`"));
        };
        let secret =
            answer(self.secrets.get_opt(&secret.name)).await.map_err(|error| self.failed(&error, "get", true))?;
        self.check_owner(&configuration.metadata, &self.settings.configuration_name())?;
        if let Some(secret) = &secret {
            self.check_owner(&secret.metadata, &self.settings.secret_name())?;
        }
        Ok(Objects { secret, configuration })
    }

    fn check_owner(&self, metadata: &ObjectMeta, object: &ObjectName) -> Result<(), Diagnostic> {
        let annotations = metadata.annotations.iter().flatten();
        let Some((annotation, _)) = annotations.into_iter().find(|(name, _)| name.starts_with(CERT_MANAGER)) else {
            return Ok(());
        };
        let message = format!("the {object} has the annotation `{annotation}`: cert-manager manages it");
        let help = format!(
            "do not run `certs`; or stop the management by cert-manager, and then:\nkubectl annotate {} {}{annotation}-",
            object.kind.to_lowercase(),
            object.namespace.as_ref().map_or_else(
                || format!("{} ", object.name),
                |namespace| format!("--namespace {namespace} {} ", object.name)
            ),
        );
        Err(codes::CERTS_MANAGED.finding(message).of_object(object.clone()).help(help))
    }

    /// Writes. False if an object was changed since it was read; then nothing was written.
    pub(crate) async fn write(&self, objects: &Objects, write: Write) -> Result<bool, Diagnostic> {
        let parameters = PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..PatchParams::default() };
        let (verb, is_secret, written) = match (write, &objects.secret) {
            (Write::Secret(data, annotations), None) => {
                let metadata = ObjectMeta {
                    name: Some(self.settings.secret.name.clone()),
                    annotations: Some(annotations),
                    ..ObjectMeta::default()
                };
                let data = data.into_iter().map(|(key, value)| (key.to_owned(), ByteString(value.into_bytes())));
                let secret = Secret { metadata, data: Some(data.collect()), ..Secret::default() };
                let parameters = PostParams { field_manager: parameters.field_manager, ..PostParams::default() };
                ("create", true, answer(self.secrets.create(&parameters, &secret)).await.map(drop))
            }
            (Write::Secret(data, annotations), Some(secret)) => {
                let resource_version = &secret.metadata.resource_version;
                let bytes = |value: String| ByteString(value.into_bytes());
                let data = data.into_iter().map(|(key, value)| (key, bytes(value))).collect::<BTreeMap<_, _>>();
                let patch = Patch::Merge(json!({
                    "metadata": {"resourceVersion": resource_version, "annotations": annotations},
                    "data": data,
                }));
                let written = answer(self.secrets.patch(&self.settings.secret.name, &parameters, &patch)).await;
                ("patch", true, written.map(drop))
            }
            (Write::CaBundle(pem), _) => {
                let bundle = json!(ByteString(pem.into_bytes()));
                let mut operations = vec![json!({
                    "op": "replace", "path": "/metadata/resourceVersion",
                    "value": objects.configuration.metadata.resource_version,
                })];
                let webhooks = objects.configuration.webhooks.as_ref().map_or(0, Vec::len);
                operations.extend((0..webhooks).map(
                    |index| json!({"op": "add", "path": format!("/webhooks/{index}/clientConfig/caBundle"), "value": bundle}),
                ));
                let operations = serde_json::from_value(operations.into());
                let patch = Patch::<()>::Json(
                    operations.map_err(|error| self.failed(&kube::Error::SerdeError(error), "patch", false))?,
                );
                let written =
                    answer(self.configurations.patch(&self.settings.configuration, &parameters, &patch)).await;
                ("patch", false, written.map(drop))
            }
        };
        match written {
            Ok(()) => Ok(true),
            Err(kube::Error::Api(status)) if status.code == 409 => Ok(false),
            // It was deleted since it was read.
            Err(kube::Error::Api(status)) if status.code == 404 && verb == "patch" => Ok(false),
            Err(error) => Err(self.failed(&error, verb, is_secret)),
        }
    }

    fn failed(&self, error: &kube::Error, verb: &str, is_secret: bool) -> Diagnostic {
        let object = if is_secret { self.settings.secret_name() } else { self.settings.configuration_name() };
        let (code, text) = match error {
            kube::Error::Api(status) => (status.code, status.message.clone()),
            error => (0, innermost(error)),
        };
        let (code, message, help) = match code {
            403 => (
                &codes::CERTS_FORBIDDEN,
                format!("no permission to {verb} the {object}: {text}"),
                match is_secret {
                    true => format!(
                        "grant it in a Role of the namespace `{}`:\n\
                         rules: [{{apiGroups: [\"\"], resources: [secrets], verbs: [get, create, patch]}}]",
                        self.settings.secret.namespace
                    ),
                    false => "grant it in a ClusterRole:\nrules: [{apiGroups: [admissionregistration.k8s.io], \
                              resources: [validatingwebhookconfigurations], verbs: [get, patch]}]"
                        .to_owned(),
                },
            ),
            404 if verb == "create" => (
                &codes::CERTS_NAMESPACE,
                format!("the namespace of the {object} does not exist"),
                format!("create it: `kubectl create namespace {}`", self.settings.secret.namespace),
            ),
            _ => (
                &codes::CERTS_REQUEST,
                format!("cannot {verb} the {object}: {text}"),
                "run `certs` again when the cause is gone; what was written before remains usable".to_owned(),
            ),
        };
        code.finding(message).of_object(object).help(help)
    }
}

/// The answer to a request, if it comes in time.
async fn answer<T>(request: impl Future<Output = kube::Result<T>>) -> kube::Result<T> {
    let late = || io::Error::other(format!("no answer within {LONGEST_REQUEST:?}"));
    timeout(LONGEST_REQUEST, request).await.unwrap_or_else(|_| Err(kube::Error::Service(late().into())))
}

/// The text of the first cause.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
