//! The admission policies and the webhooks of a bundle.

use crd_diagnostics::Diagnostic;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cluster::Cluster;
use crate::list::{Item, list};
use crate::metadata::{Metadata, or_default};
use crate::resource::Resource;

/// The policies and webhooks of a bundle. A list that could not be read is nothing, and has a diagnostic. Files without policies do not show whether the
/// cluster has some, so their list is nothing too.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    /// The ValidatingAdmissionPolicies of the bundle, and all that act on CRDs.
    pub policies: Option<Vec<Policy>>,
    pub bindings: Option<Vec<Binding>>,
    pub webhooks: Option<Vec<Webhook>>,
    /// Why a list could not be read.
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Policy {
    /// Whether it is a policy of the bundle.
    #[serde(skip)]
    pub is_of_bundle: bool,
    /// Its metadata. Guardrails have the bundle version as an annotation; safe upgrades have none.
    pub metadata: Metadata,
    /// Its `spec`.
    #[serde(default)]
    pub spec: Value,
    /// Its `status`, with the warnings of the type check.
    #[serde(default)]
    pub status: Value,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Binding {
    pub metadata: Metadata,
    /// Its `spec`.
    #[serde(default, deserialize_with = "or_default")]
    pub spec: BindingSpec,
}

/// The `spec` of a ValidatingAdmissionPolicyBinding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BindingSpec {
    /// `policyName`: the policy that it puts into effect.
    #[serde(default, deserialize_with = "or_default")]
    pub policy_name: String,
    /// `validationActions`: `Deny`, `Warn` or `Audit`.
    #[serde(default, deserialize_with = "or_default")]
    pub validation_actions: Vec<String>,
    /// `matchResources`: further constraints.
    #[serde(default)]
    pub match_resources: Value,
    /// `paramRef`: the parameters of the policy.
    #[serde(default)]
    pub param_ref: Value,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Webhook {
    pub metadata: Metadata,
    /// `webhooks`
    #[serde(default, deserialize_with = "or_default")]
    pub webhooks: Vec<Value>,
}

impl Policy {
    /// Whether requests for CRDs may concern it.
    fn acts_on_crds(&self) -> bool {
        let rules = self.spec.pointer("/matchConstraints/resourceRules").and_then(Value::as_array);
        let groups = rules.into_iter().flatten().filter_map(|rule| rule["apiGroups"].as_array()).flatten();
        groups.into_iter().any(|group| group == "*" || group == "apiextensions.k8s.io")
    }
}

impl Policies {
    /// The policies of the bundle.
    pub fn of_bundle(&self) -> impl Iterator<Item = &Policy> {
        self.policies.iter().flatten().filter(|policy| policy.is_of_bundle)
    }

    /// The bindings of a policy; nothing if the bindings could not be read.
    pub fn bindings_of<'p>(&'p self, policy: &'p str) -> Option<impl Iterator<Item = &'p Binding>> {
        Some(self.bindings.as_ref()?.iter().filter(move |binding| binding.spec.policy_name == policy))
    }
}

impl Cluster {
    /// The admission policies, their bindings and the webhooks of a bundle: objects with names `….PREFIX`, or with an annotation or label
    /// `PREFIX/…`; further policies that act on CRDs; and all bindings of such policies.
    pub async fn policies(&self, prefix: &str) -> Policies {
        let belongs = |metadata: &Metadata| {
            let has_suffix = metadata.name.strip_suffix(prefix).is_some_and(|before| before.ends_with('.'));
            has_suffix || metadata.has_prefix(prefix)
        };
        let mut found = Policies::default();
        let is_kept = |policy: &Policy| belongs(&policy.metadata) || policy.acts_on_crds();
        found.policies = self.admission("validatingadmissionpolicies", is_kept, &mut found.diagnostics).await;
        found.policies = found.policies.filter(|policies| !self.is_of_files() || !policies.is_empty());
        for policy in found.policies.iter_mut().flatten() {
            policy.is_of_bundle = belongs(&policy.metadata);
        }
        let policies = found.policies.as_deref().unwrap_or_default();
        let is_bound = |binding: &Binding| {
            belongs(&binding.metadata) || policies.iter().any(|policy| policy.metadata.name == binding.spec.policy_name)
        };
        found.bindings = self.admission("validatingadmissionpolicybindings", is_bound, &mut found.diagnostics).await;
        let is_ours = |webhook: &Webhook| belongs(&webhook.metadata);
        found.webhooks = self.admission("validatingwebhookconfigurations", is_ours, &mut found.diagnostics).await;
        found
    }

    /// The objects of a resource for admission that `belongs` selects, or nothing and a diagnostic.
    async fn admission<T: DeserializeOwned + Send>(
        &self,
        plural: &str,
        belongs: impl Fn(&T) -> bool + Send + Sync,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Vec<T>> {
        let mut objects = Vec::new();
        let mut on_item =
            |item: Item<'_>| objects.extend(serde_json::from_str::<T>(item.text).ok().filter(|object| belongs(object)));
        let resource = Resource::new("admissionregistration.k8s.io", "v1", plural);
        match list(&self.requests, &resource, &mut on_item).await {
            Ok(()) => Some(objects),
            Err(diagnostic) => {
                diagnostics.push(diagnostic);
                None
            }
        }
    }
}
