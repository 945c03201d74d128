//! The catalogue: the types of an API, and what only code can say about them. The rest is in the settings.
//!
//! Invariants: the crates in `gen` do not depend on the types. Everything that differs between two APIs is in the catalogue, in the settings or
//! on the types.

use std::borrow::Borrow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crd_convert::Code;
use crd_diagnostics::Diagnostic;
use crd_markers::descriptor::{TypeDescriptor, TypeRef};
use crd_markers::typed::Resource;
use crd_markers::{Constant, ConstantKind};
use crd_model::channel::Channel;
use crd_model::constants::{self, Constants};
use crd_model::policy::Policy;
use crd_model::profile::Profile;
use crd_model::webhook::Webhook;
use crd_names::channel::ChannelSet;
use crd_stamps::BundleVersion;

use crate::settings::{Division, FILE_NAME, Settings};
use crate::written::WrittenCrds;

/// A public name that source gives a type outside the module of the type: `pub use`, or an alias.
#[derive(Clone, Debug)]
pub struct Export {
    /// The module, with the crate.
    pub module: String,
    pub name: String,
    /// The type: one with `#[api]`, or a scalar.
    pub target: TypeRef,
}

impl Export {
    /// The type with `#[api]`.
    pub fn descriptor(&self) -> Option<&'static TypeDescriptor> {
        match self.target {
            TypeRef::Named(named) => Some(named.get()),
            _ => None,
        }
    }
}

/// A module of source that has the constants of another one: `pub use crate::v1::conditions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedConstants {
    /// The module that has them too, with the crate.
    pub module: String,
    /// The module that declares them.
    pub target: String,
}

/// A part of a catalogue that only compiled code has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodePart {
    /// The functions of `+lens:code` markers.
    Functions,
    Policies,
    Webhook,
}

impl CodePart {
    /// All parts, each with its word in `compiled.json` and its name in messages.
    pub const ALL: [(Self, &str, &str); 3] = [
        (Self::Functions, "functions", "the functions of the lenses"),
        (Self::Policies, "policies", "the admission policies"),
        (Self::Webhook, "webhook", "the validating webhook"),
    ];
}

/// The types of an API.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    settings: Settings,
    resources: Vec<&'static TypeDescriptor>,
    constants: Constants,
    functions: Vec<Code>,
    webhook: Option<Webhook>,
    policies: Vec<Policy>,
    exports: Vec<Export>,
    declared: Vec<Constant>,
    exported_constants: Vec<ExportedConstants>,
    /// Of source: the parts that only the compiled catalogue has.
    absent: Option<Vec<CodePart>>,
    /// The CRDs of types that are not in Rust.
    written: Option<Arc<WrittenCrds>>,
    pub(crate) computations: Arc<Computations>,
}

/// How often something was computed for a catalogue and its copies.
#[derive(Debug, Default)]
pub struct Computations {
    lenses: AtomicUsize,
    features: AtomicUsize,
}

impl Computations {
    /// How often the lenses were.
    pub fn lenses(&self) -> usize {
        self.lenses.load(Ordering::Relaxed)
    }

    /// How often the features were.
    pub fn features(&self) -> usize {
        self.features.load(Ordering::Relaxed)
    }

    pub(crate) fn add_lenses(&self) {
        self.lenses.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn add_features(&self) {
        self.features.fetch_add(1, Ordering::Relaxed);
    }
}

impl Catalogue {
    /// What was computed for this catalogue so far.
    pub fn computations(&self) -> &Computations {
        &self.computations
    }

    /// A catalogue without types, with settings in code: for tests, and for programs that run without the file. The command line reads the file for
    /// a catalogue without settings, which is [`Catalogue::default`].
    pub fn new(settings: Settings) -> Self {
        Self::default().with_settings(settings)
    }

    /// The same types with other settings.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Adds a version of a resource.
    #[must_use]
    pub fn resource<T: Resource>(self) -> Self {
        self.resources([T::DESCRIPTOR])
    }

    /// Adds versions of resources by their descriptors, such as the `RESOURCES` of a crate with `crd_channels::resources!();`.
    #[must_use]
    pub fn resources(mut self, roots: impl IntoIterator<Item = impl Borrow<&'static TypeDescriptor>>) -> Self {
        self.resources.extend(roots.into_iter().map(|root| *root.borrow()));
        self
    }

    /// Adds the recommended condition types and reasons of an API version: the `CONSTANTS` of `conditions!`. Every bundle has them in
    /// `constants.json`, and `check` compares them.
    #[must_use]
    pub fn constants(mut self, api_version: impl Into<String>, declared: &[Constant]) -> Self {
        let of_version = self.constants.0.entry(api_version.into()).or_default();
        let is_listed = |declared: &&Constant| declared.kind != ConstantKind::Constant;
        of_version.extend(declared.iter().filter(is_listed).map(|declared| {
            let constant =
                constants::Constant { kind: declared.kind.word().to_owned(), value: declared.value.to_owned() };
            (declared.name.to_owned(), constant)
        }));
        self.declares(declared.iter().copied())
    }

    /// Adds declared constants that bundles do not list under an API version, or that are listed already.
    #[must_use]
    pub fn declares(mut self, declared: impl IntoIterator<Item = Constant>) -> Self {
        for constant in declared {
            if !self.declared.contains(&constant) {
                self.declared.push(constant);
            }
        }
        self
    }

    /// The same constants in these further modules. Only source has them.
    #[must_use]
    pub fn exports_constants(mut self, exported: Vec<ExportedConstants>) -> Self {
        self.exported_constants = exported;
        self
    }

    /// The same catalogue with all constants of another one.
    #[must_use]
    pub fn recommended(mut self, constants: Constants) -> Self {
        self.constants = constants;
        self
    }

    /// The same types with the code of another catalogue: functions of lenses, policies and the webhook.
    #[must_use]
    pub fn with_code_of(mut self, other: &Self) -> Self {
        self.functions.retain(|function| other.functions.iter().all(|known| known.name != function.name));
        self.functions.extend_from_slice(&other.functions);
        self.policies.clone_from(&other.policies);
        self.webhook.clone_from(&other.webhook);
        self.absent = self.absent.map(|_| Vec::new());
        self
    }

    /// The same catalogue as source has it, without these parts of the compiled one.
    #[must_use]
    pub fn of_source(mut self, absent: Vec<CodePart>) -> Self {
        self.absent = Some(absent);
        self
    }

    /// Adds the root types of a project whose own generator wrote these CRDs.
    #[must_use]
    pub fn written(mut self, roots: &[&'static TypeDescriptor], crds: WrittenCrds) -> Self {
        self.written = Some(Arc::new(crds));
        self.resources(roots).of_source(Vec::new())
    }

    /// The CRDs of types that are not in Rust.
    pub fn written_crds(&self) -> Option<&Arc<WrittenCrds>> {
        self.written.as_ref()
    }

    /// Whether the types were read from source.
    pub fn is_of_source(&self) -> bool {
        self.absent.is_some()
    }

    /// The parts that only the compiled catalogue has.
    pub fn absent(&self) -> &[CodePart] {
        self.absent.as_deref().unwrap_or_default()
    }

    /// The parts that source would not have.
    pub fn code_parts(&self) -> Vec<CodePart> {
        let has = |part: &CodePart| match part {
            CodePart::Functions => !self.functions.is_empty(),
            CodePart::Policies => !self.policies.is_empty(),
            CodePart::Webhook => self.webhook.is_some(),
        };
        CodePart::ALL.into_iter().map(|(part, ..)| part).filter(has).collect()
    }

    /// The same types with these further names. Only source has them.
    #[must_use]
    pub fn exported(mut self, exports: Vec<Export>) -> Self {
        self.exports = exports;
        self
    }

    /// The further names of types; empty for compiled types.
    pub fn exports(&self) -> &[Export] {
        &self.exports
    }

    /// Adds the functions of a `+lens:code` marker.
    #[must_use]
    pub fn functions(mut self, functions: Code) -> Self {
        self.functions.push(functions);
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

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The prefix of the stamps; empty without settings.
    pub fn prefix(&self) -> &str {
        &self.settings.prefix
    }

    /// The next bundle version; v0.0.0 without one in the settings.
    pub fn next_version(&self) -> BundleVersion {
        self.settings.version.unwrap_or_else(|| BundleVersion::new(0, 0, 0))
    }

    pub fn policy_profile(&self) -> Profile {
        self.settings.profile.unwrap_or_default()
    }

    /// The channels, the most stable first.
    pub fn channels(&self) -> &'static [Channel] {
        self.settings.channels.unwrap_or(&Channel::ALL)
    }

    /// Every declared constant, in the order of the source.
    pub fn declared_constants(&self) -> &[Constant] {
        &self.declared
    }

    /// The modules that have the constants of other modules; empty for compiled types.
    pub fn exported_constants(&self) -> &[ExportedConstants] {
        &self.exported_constants
    }

    /// The recommended condition types and reasons.
    pub fn condition_constants(&self) -> &Constants {
        &self.constants
    }

    /// The functions of lenses.
    pub fn lens_functions(&self) -> &[Code] {
        &self.functions
    }

    pub fn admission_policies(&self) -> &[Policy] {
        &self.policies
    }

    /// The validating webhook, if the bundle has one.
    pub fn validating_webhook(&self) -> Option<&Webhook> {
        self.webhook.as_ref()
    }

    /// All root types, also those that the settings exclude.
    pub fn all_descriptors(&self) -> &[&'static TypeDescriptor] {
        &self.resources
    }

    /// The root types that the settings do not exclude.
    pub fn descriptors(&self) -> impl Iterator<Item = &'static TypeDescriptor> {
        let is_excluded = |root: &TypeDescriptor| self.settings.exclude.iter().any(|(name, _)| is_named(root, name));
        self.resources.iter().copied().filter(move |root| !is_excluded(root))
    }

    /// An error for each name without a type in a list of root types.
    pub(crate) fn unknown_roots(&self) -> impl Iterator<Item = Diagnostic> {
        let Settings { exclude, division: Division { standard, unserved, .. }, .. } = &self.settings;
        let lists = [("exclude", exclude), ("standard", standard), ("unserved", unserved)];
        let names = lists.into_iter().flat_map(|(key, names)| names.iter().map(move |name| (key, name)));
        let is_unknown = |name: &str| !self.resources.iter().any(|root| is_named(root, name));
        names.filter(move |(_, (name, _))| is_unknown(name)).map(|(key, (name, line))| {
            let error =
                Diagnostic::error("settings::value", format!("`{key}` names `{name}`, which is not a root type"));
            error.at_line(FILE_NAME, *line).help("write `KIND` or `VERSION/KIND`")
        })
    }

    /// The channels of a root type by the settings.
    pub(crate) fn channels_of(&self, root: &TypeDescriptor) -> ChannelSet {
        let standard = &self.settings.division.standard;
        match standard.is_empty() || standard.iter().any(|(name, _)| is_named(root, name)) {
            true => ChannelSet::ALL,
            false => ChannelSet::only(Channel::Experimental),
        }
    }

    /// Whether the settings have servers of standard not serve a root type.
    pub(crate) fn is_unserved(&self, root: &TypeDescriptor, channel: Channel) -> bool {
        channel == Channel::Standard && self.settings.division.unserved.iter().any(|(name, _)| is_named(root, name))
    }
}

/// Whether a name in the settings, `KIND` or `VERSION/KIND`, is that of a root type.
fn is_named(root: &TypeDescriptor, name: &str) -> bool {
    root.resource.is_some_and(|resource| match name.split_once('/') {
        Some((version, kind)) => (resource.version, resource.kind) == (version, kind),
        None => resource.kind == name,
    })
}
