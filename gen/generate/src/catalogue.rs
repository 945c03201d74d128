//! The catalogue: the types of an API, and the stamps of its bundles.
//!
//! Invariants: the crates in `gen` do not depend on the types. Everything that differs between two APIs is in the catalogue or on the
//! types.

use crd_convert::Code;
use crd_descriptors::Constant;
use crd_descriptors::descriptor::TypeDescriptor;
use crd_descriptors::typed::Resource;
use crd_model::channel::Channel;
use crd_model::constants::{self, Constants};
use crd_model::graduation::Graduation;
use crd_model::policy::Policy;
use crd_model::profile::Profile;
use crd_model::webhook::Webhook;

/// The types of an API.
#[derive(Clone, Debug)]
pub struct Catalogue {
    prefix: String,
    name: Option<String>,
    next_version: String,
    annotations: Vec<(String, String)>,
    description_limit: Option<usize>,
    resources: Vec<&'static TypeDescriptor>,
    constants: Constants,
    lenses: Vec<String>,
    functions: Vec<Code>,
    profile: Profile,
    channels: &'static [Channel],
    webhook: Option<Webhook>,
    policies: Vec<Policy>,
    graduation: Graduation,
}

impl Catalogue {
    /// An empty catalogue. `prefix` begins the stamps (`<prefix>/bundle-version`, `<prefix>/channel`): a DNS name that
    /// belongs to the API, usually its group. `next_version` is the next bundle version, such as
    /// `v1.6.1`; unreleased bundles are stamped `<next_version>-dev`.
    pub fn new(prefix: impl Into<String>, next_version: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
            name: None,
            next_version: next_version.into(),
            annotations: Vec::new(),
            description_limit: None,
            resources: Vec::new(),
            constants: Constants::default(),
            lenses: Vec::new(),
            functions: Vec::new(),
            profile: Profile::default(),
            channels: &Channel::ALL,
            webhook: None,
            policies: Vec::new(),
            graduation: Graduation::default(),
        }
    }

    /// Sets the name of the API in charts and archives. A DNS label, such as
    /// `gateway-api`; by default the first label of the prefix.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the profile: which policy `check` and `release` apply. By default it is `gep-922`.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Declares that the API has only the channel standard: one set of CRDs. Types then have no `+experimental` markers.
    #[must_use]
    pub fn standard_only(mut self) -> Self {
        self.channels = &[Channel::Standard];
        self
    }

    /// Adds a version of a resource.
    #[must_use]
    pub fn resource<T: Resource>(self) -> Self {
        self.resources([T::DESCRIPTOR])
    }

    /// Adds versions of resources by their descriptors.
    #[must_use]
    pub fn resources(mut self, descriptors: impl IntoIterator<Item = &'static TypeDescriptor>) -> Self {
        self.resources.extend(descriptors);
        self
    }

    /// Adds the recommended condition types and reasons of an API version: the `CONSTANTS` of `conditions!`. Every bundle has them in
    /// `constants.json`, and `check` compares them.
    #[must_use]
    pub fn constants(mut self, api_version: impl Into<String>, declared: &[Constant]) -> Self {
        let of_version = self.constants.0.entry(api_version.into()).or_default();
        of_version.extend(declared.iter().map(|declared| {
            let constant =
                constants::Constant { kind: declared.kind.word().to_owned(), value: declared.value.to_owned() };
            (declared.name.to_owned(), constant)
        }));
        self
    }

    /// Adds a lens that no type can declare, because its resource was removed. It is written as in `conversions.json`:
    ///
    /// ```
    /// # use crd_generate::Catalogue;
    /// Catalogue::new("example.com", "v1.2.0").lens(
    ///     r#"{
    ///         "name": "example.com/XTree v1.1.0 rename spec.leaf",
    ///         "resource": "xtrees.example.com", "group": "example.com", "kind": "XTree", "since": "v1.1.0",
    ///         "steps": [{"operation": "rename", "from": "spec.leaf", "to": "spec.leaves"}]
    ///     }"#,
    /// );
    /// ```
    #[must_use]
    pub fn lens(mut self, json: impl Into<String>) -> Self {
        self.lenses.push(json.into());
        self
    }

    /// Adds the functions of a `+lens:code` marker.
    #[must_use]
    pub fn functions(mut self, functions: Code) -> Self {
        self.functions.push(functions);
        self
    }

    /// An annotation that every CRD carries, such as `api-approved.kubernetes.io`.
    #[must_use]
    pub fn annotation(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.annotations.push((key.into(), value.into()));
        self
    }

    /// Shortens each description in a schema to so many characters, at the end of a sentence if there is one; 0 leaves descriptions
    /// out. The CRD of a large API may be too large for `kubectl apply` with all of its text.
    #[must_use]
    pub fn description_limit(mut self, characters: usize) -> Self {
        self.description_limit = Some(characters);
        self
    }

    /// Publishes an admission policy, in addition to the policies that are generated for every bundle. Users choose whether they install it.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policies.push(policy);
        self
    }

    /// Publishes manifests of the validating webhook of the bundle: for each channel, a file that installs it. Its program is another package; see
    /// the crate `crd-webhook`.
    #[must_use]
    pub fn webhook(mut self, webhook: Webhook) -> Self {
        self.webhook = Some(webhook);
        self
    }

    /// Sets the criteria of graduation from experimental to standard. By default they are those of Gateway API, and `check` does not enforce them.
    ///
    /// ```
    /// # use crd_generate::{Catalogue, Criterion, Graduation};
    /// Catalogue::new("example.com", "v1.2.0").graduation(Graduation::default().at_least(Criterion::Soak, 3).without(Criterion::Usage).enforced());
    /// ```
    #[must_use]
    pub fn graduation(mut self, graduation: Graduation) -> Self {
        self.graduation = graduation;
        self
    }

    /// The largest number of characters of a description.
    pub(crate) fn longest_description(&self) -> Option<usize> {
        self.description_limit
    }

    /// The prefix of the stamps.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The name of the API.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.prefix.split('.').next().unwrap_or_default())
    }

    /// The next bundle version.
    pub fn next_version(&self) -> &str {
        &self.next_version
    }

    /// Annotations of every CRD.
    pub fn annotations(&self) -> &[(String, String)] {
        &self.annotations
    }

    /// The profile.
    pub fn policy_profile(&self) -> Profile {
        self.profile
    }

    /// The channels, the most stable first.
    pub fn channels(&self) -> &'static [Channel] {
        self.channels
    }

    /// The recommended condition types and reasons.
    pub fn condition_constants(&self) -> &Constants {
        &self.constants
    }

    /// The lenses that no type declares, as JSON.
    pub(crate) fn lenses(&self) -> &[String] {
        &self.lenses
    }

    /// The functions of lenses.
    pub fn lens_functions(&self) -> &[Code] {
        &self.functions
    }

    /// The admission policies.
    pub fn admission_policies(&self) -> &[Policy] {
        &self.policies
    }

    /// The validating webhook, if the bundle has one.
    pub fn validating_webhook(&self) -> Option<&Webhook> {
        self.webhook.as_ref()
    }

    /// The criteria of graduation.
    pub fn graduation_criteria(&self) -> &Graduation {
        &self.graduation
    }

    /// The root types.
    pub fn descriptors(&self) -> &[&'static TypeDescriptor] {
        &self.resources
    }
}
