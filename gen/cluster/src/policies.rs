//! The admission policies and the webhooks of a bundle.

use crd_diagnostics::Diagnostic;
use serde_json::Value;

use crate::failure::Target;
use crate::list::list;
use crate::metadata::Metadata;
use crate::requests::Requests;

/// The API group of all of them.
const GROUP: &str = "admissionregistration.k8s.io";

/// The policies and webhooks of a bundle. A list that could not be read is nothing, and has a diagnostic.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    /// The ValidatingAdmissionPolicies.
    pub policies: Option<Vec<Policy>>,
    /// Their ValidatingAdmissionPolicyBindings.
    pub bindings: Option<Vec<Binding>>,
    /// The ValidatingWebhookConfigurations.
    pub webhooks: Option<Vec<Webhook>>,
    /// Why a list could not be read.
    pub diagnostics: Vec<Diagnostic>,
}

/// A ValidatingAdmissionPolicy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// Its metadata. Guardrails have the bundle version as an annotation; safe upgrades have none.
    pub metadata: Metadata,
    /// Its `spec`.
    pub spec: Value,
    /// Its `status`, with the warnings of the type check.
    pub status: Value,
}

/// A ValidatingAdmissionPolicyBinding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Binding {
    /// Its metadata.
    pub metadata: Metadata,
    /// `spec.policyName`: the policy that it puts into effect.
    pub policy: String,
    /// `spec.validationActions`: `Deny`, `Warn` or `Audit`.
    pub actions: Vec<String>,
    /// Its `spec`.
    pub spec: Value,
}

/// A ValidatingWebhookConfiguration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Webhook {
    /// Its metadata.
    pub metadata: Metadata,
    /// `webhooks`
    pub webhooks: Vec<Value>,
}

impl Policies {
    /// The bindings of a policy; nothing if the bindings could not be read.
    pub fn bindings_of<'p>(&'p self, policy: &'p str) -> Option<impl Iterator<Item = &'p Binding>> {
        Some(self.bindings.as_ref()?.iter().filter(move |binding| binding.policy == policy))
    }
}

/// Reads what belongs to a bundle: objects of these names, with the prefix at the end of their names (`guardrails.PREFIX`), or with an annotation
/// or label `PREFIX/…`; and all bindings of such policies.
pub(crate) async fn policies(requests: &Requests, prefix: &str, names: &[&str]) -> Policies {
    let belongs = |metadata: &Metadata| {
        let has_suffix = |name: &str| name.strip_suffix(prefix).is_some_and(|before| before.ends_with('.'));
        names.contains(&&*metadata.name) || has_suffix(&metadata.name) || metadata.has_prefix(prefix)
    };
    let mut found = Policies::default();
    let listed = read(requests, "validatingadmissionpolicies", &mut found.diagnostics).await;
    found.policies = listed.map(|listed| {
        let listed = listed.into_iter().filter(|(metadata, _)| belongs(metadata));
        let policy = |(metadata, mut object): (Metadata, Value)| Policy {
            metadata,
            spec: object["spec"].take(),
            status: object["status"].take(),
        };
        listed.map(policy).collect()
    });
    let listed = read(requests, "validatingadmissionpolicybindings", &mut found.diagnostics).await;
    found.bindings = listed.map(|listed| {
        let bindings = listed.into_iter().map(|(metadata, mut object)| {
            let spec = object["spec"].take();
            let actions = spec["validationActions"].as_array().into_iter().flatten();
            Binding {
                metadata,
                policy: spec["policyName"].as_str().unwrap_or_default().to_owned(),
                actions: actions.filter_map(|action| action.as_str().map(str::to_owned)).collect(),
                spec,
            }
        });
        let policies = found.policies.as_deref().unwrap_or_default();
        let is_bound = |binding: &Binding| policies.iter().any(|policy| policy.metadata.name == binding.policy);
        bindings.filter(|binding| belongs(&binding.metadata) || is_bound(binding)).collect()
    });
    let listed = read(requests, "validatingwebhookconfigurations", &mut found.diagnostics).await;
    found.webhooks = listed.map(|listed| {
        let listed = listed.into_iter().filter(|(metadata, _)| belongs(metadata));
        let webhook = |(metadata, mut object): (Metadata, Value)| Webhook {
            metadata,
            webhooks: object["webhooks"].as_array_mut().map(std::mem::take).unwrap_or_default(),
        };
        listed.map(webhook).collect()
    });
    found
}

/// All objects of a resource of the group, or nothing and a diagnostic.
async fn read(requests: &Requests, plural: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<Vec<(Metadata, Value)>> {
    let target = Target::objects(GROUP, "v1", plural);
    let mut objects = Vec::new();
    let mut on_item = |item: crate::list::Item<'_>| {
        objects.extend(item.metadata.ok().zip(serde_json::from_str::<Value>(item.text).ok()));
    };
    let listed = list(requests, &target, &mut on_item, &mut |_| {}).await;
    match listed.failure {
        Some(failure) => {
            diagnostics.push(failure.diagnostic(&target, &requests.server));
            None
        }
        None => Some(objects),
    }
}
