//! What the webhook answers to a request: the verdict of the offline validator with the CRDs of the bundle, the rules, and warnings.
//!
//! Invariants:
//! * A pure function of the request, the bundle and the cache.
//! * What the validator cannot decide is accepted with a warning: the server has validated the object with its CRD before it asks.
//! * Deletions, connections, and subresources other than `status` are accepted. Rules are not applied to a status.

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_apiserver::objects::{self, FieldError, FieldValidation, Resource, deprecation_warning};
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_stamps::experimental_only::{experimental_only, with_versions};
use crd_stamps::uses::Usable;
use serde_json::Value;

use crate::codes;
use crate::review::{Operation, Refusal, Request, VALIDATOR, Verdict, Warning};
use crate::rule::Written;
use crate::webhook::{Kind, Webhook};

/// The source of warnings about what only the experimental channel has.
pub(crate) const EXPERIMENTAL: &str = "experimental";
/// The source of warnings about API versions.
pub(crate) const DEPRECATED: &str = "deprecated";
/// The source of warnings about forms of older bundles.
pub(crate) const OLD_FORM: &str = "old-form";

/// Every source of refusals and warnings that is not a rule.
pub const SOURCES: [(&str, &str); 4] = [
    (VALIDATOR, "the CRD of the bundle refuses the object, or cannot be evaluated"),
    (EXPERIMENTAL, "the object uses a field, value, version or resource that only the experimental channel has"),
    (DEPRECATED, "the request uses a deprecated API version"),
    (OLD_FORM, "the object, or the manifest that `kubectl apply` sent, has the form of an older bundle"),
];

/// The annotation with the manifest that `kubectl apply` sent last.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// How many errors of the validator are kept. An answer lists fewer.
const MOST_ERRORS: usize = 100;

/// How many paths one warning names.
const MOST_NAMED: usize = 3;

/// A webhook that is prepared to answer, for one channel and one Kubernetes minor.
pub struct Reviewer {
    webhook: Arc<Webhook>,
    kinds: BTreeMap<Kind, PreparedKind>,
}

struct PreparedKind {
    crd: CustomResourceDefinition,
    /// In the order of the versions of the CRD.
    versions: Vec<PreparedVersion>,
    /// Whether standard does not have the resource.
    is_experimental: bool,
}

struct PreparedVersion {
    resource: Resource,
    experimental: Vec<Usable>,
    /// Whether standard does not serve the version.
    is_experimental: bool,
}

impl Reviewer {
    /// Prepares a webhook. `minor` is the Kubernetes minor (1.x) of the server; a minor that is not known means the nearest.
    ///
    /// # Errors
    /// A channel that the bundle does not have, and rules of the CRDs that do not compile.
    pub fn prepare(webhook: Arc<Webhook>, channel: Channel, minor: u32) -> Result<Self, Vec<Diagnostic>> {
        let bundle = &webhook.bundle;
        let Some(crds) = bundle.channels.get(&channel) else {
            let message = format!("the bundle {} does not have the channel {channel}", bundle.version);
            return Err(vec![codes::CHANNEL.finding(message).help("choose another one with `--channel`")]);
        };
        let standard = bundle.channels.get(&Channel::Standard).filter(|_| channel == Channel::Experimental);
        let (mut kinds, mut errors) = (BTreeMap::new(), Vec::new());
        for crd in crds {
            match PreparedKind::of(crd, standard.map(Vec::as_slice), minor) {
                Ok(prepared) => drop(kinds.insert((crd.group.to_string(), crd.names.kind.to_string()), prepared)),
                Err(more) => errors.extend(more),
            }
        }
        crd_diagnostics::fail_on(errors)?;
        Ok(Self { webhook, kinds })
    }

    /// The webhook.
    pub fn webhook(&self) -> &Arc<Webhook> {
        &self.webhook
    }

    /// Whether the bundle has this kind in the channel.
    pub fn has_kind(&self, group: &str, kind: &str) -> bool {
        self.kinds.contains_key(&(group.to_owned(), kind.to_owned()))
    }

    /// The answer to a request. A kind that the bundle does not have is accepted.
    pub fn verdict(&self, request: &Request) -> Verdict {
        let mut verdict = Verdict::default();
        let is_status = request.sub_resource.as_deref() == Some("status");
        let old = match request.operation {
            Operation::Create => None,
            Operation::Update => Some(&request.old_object),
            Operation::Delete | Operation::Connect => return verdict,
        };
        let is_object = !is_status && request.sub_resource.as_deref().unwrap_or_default().is_empty();
        let is_validated = is_object || is_status && old.is_some();
        if !is_validated {
            return verdict;
        }
        let kind = (request.kind.group.clone(), request.kind.kind.clone());
        let Some(known) = self.kinds.get(&kind) else { return verdict };
        self.validate(known, request, old, is_status, &mut verdict);
        if !is_object {
            return verdict;
        }
        let written = Written {
            object: &request.object,
            old,
            namespace: request.namespace.clone().filter(|namespace| !namespace.is_empty()),
            is_dry_run: request.dry_run == Some(true),
        };
        for (_, apply) in self.webhook.rules.get(&kind).into_iter().flatten() {
            for (source, report) in apply(&written, &self.webhook.objects) {
                let refusals = report.refusals.into_iter().map(|remark| Refusal {
                    source,
                    reason: "FieldValueInvalid",
                    field: remark.field,
                    message: remark.message,
                });
                verdict.refusals.extend(refusals);
                let warnings = report.warnings.into_iter().map(|remark| {
                    let place = if remark.field.is_empty() { String::new() } else { format!("{}: ", remark.field) };
                    Warning { source, text: format!("{place}{} [{source}]", remark.message) }
                });
                verdict.warnings.extend(warnings);
            }
        }
        known.advise(request, &mut verdict.warnings);
        self.old_forms(known, &request.object, &mut verdict.warnings);
        verdict
    }

    fn validate(
        &self,
        known: &PreparedKind,
        request: &Request,
        old: Option<&Value>,
        is_status: bool,
        verdict: &mut Verdict,
    ) {
        let Some(version) = known.version(&request.kind.version) else {
            let text = format!(
                "the API version {} of {} is not known to this webhook, so the object was not validated",
                request.kind.version, known.crd.name
            );
            verdict.warnings.push(Warning { source: VALIDATOR, text });
            return;
        };
        // The server has dropped unknown fields already, unless its CRD is newer.
        let asked = objects::Request {
            old,
            is_status,
            fields: FieldValidation::Warn,
            most_errors: MOST_ERRORS,
            ..objects::Request::create(request.object.clone())
        };
        let answer = version.resource.answer(asked);
        let refusal = |error: FieldError| Refusal {
            source: VALIDATOR,
            reason: error.kind.as_str(),
            field: error.field,
            message: error.message,
        };
        verdict.refusals.extend(answer.errors.into_iter().map(refusal));
        let undecided = answer.undecided.iter().map(|error| format!("not decided: {error}"));
        let warnings = answer.warnings.iter().map(ToString::to_string).chain(undecided);
        verdict.warnings.extend(warnings.map(|text| Warning { source: VALIDATOR, text }));
    }

    /// Warns of old forms in the object, and in the manifest that `kubectl apply` sent: a server has dropped fields that it does not know from the object.
    fn old_forms(&self, known: &PreparedKind, object: &Value, warnings: &mut Vec<Warning>) {
        let applied = object.pointer("/metadata/annotations").and_then(|annotations| annotations.get(LAST_APPLIED));
        let applied = applied.and_then(Value::as_str).and_then(|text| serde_json::from_str::<Value>(text).ok());
        let bundle = &self.webhook.bundle;
        let mut found = Vec::new();
        for (form, what) in [(Some(object), "the object"), (applied.as_ref(), "the applied manifest")] {
            // An object that a lens refuses has no old form that anything could convert; the validator reports what is wrong.
            for lens in form.and_then(|form| bundle.conversions.applied(form).ok()).unwrap_or_default() {
                let lens = bundle.conversions.lens(lens);
                let is_about =
                    |lens: &&crd_convert::Lens| !lens.is_about_version_of(&known.crd) && !found.contains(&&*lens.name);
                if let Some(lens) = lens.filter(is_about) {
                    found.push(&*lens.name);
                    let words = lens.words().join("; ");
                    let text = format!("{what} has the form before {}: {words}", lens.since);
                    warnings.push(Warning { source: OLD_FORM, text });
                }
            }
        }
    }
}

impl PreparedKind {
    fn of(
        crd: &CustomResourceDefinition,
        standard: Option<&[CustomResourceDefinition]>,
        minor: u32,
    ) -> Result<Self, Vec<Diagnostic>> {
        let names = || crd.versions.iter().map(|version| &*version.name);
        let in_standard = standard.map(|crds| crds.iter().find(|known| known.name == crd.name));
        // Without a comparison, such as in standard, nothing is experimental.
        let elements = match in_standard {
            Some(Some(known)) => experimental_only(Some(&with_versions(known, names())), crd),
            Some(None) | None => Vec::new(),
        };
        let mut errors = Vec::new();
        let mut versions = Vec::new();
        for version in &crd.versions {
            let serves = |known: &CustomResourceDefinition| {
                known.versions.iter().any(|known| known.name == version.name && known.served)
            };
            match Resource::prepare(crd, &version.name, minor) {
                Some(Ok(resource)) => versions.push(PreparedVersion {
                    resource,
                    experimental: Usable::all(&elements, version),
                    is_experimental: matches!(in_standard, Some(Some(known)) if !serves(known)),
                }),
                Some(Err(problems)) => errors.extend(problems.iter().map(|problem| {
                    codes::CRD.finding(problem.to_string()).of_crd(
                        &*crd.name,
                        Some(version.name.to_string()),
                        &problem.path,
                    )
                })),
                None => {}
            }
        }
        crd_diagnostics::fail_on(errors)?;
        Ok(Self { crd: crd.clone(), versions, is_experimental: in_standard == Some(None) })
    }

    fn version(&self, name: &str) -> Option<&PreparedVersion> {
        let position = self.crd.versions.iter().position(|version| version.name == name)?;
        self.versions.get(position)
    }

    /// Warns of what only experimental has, and of a deprecated version of the user's request.
    fn advise(&self, request: &Request, warnings: &mut Vec<Warning>) {
        let used = request.request_kind.as_ref().unwrap_or(&request.kind);
        let kind = &self.crd.names.kind;
        let of_request = self.crd.versions.iter().find(|version| version.name == used.version);
        if let Some(version) = of_request.filter(|version| version.deprecated) {
            // With the server's text, which the server then sends once.
            warnings.push(Warning { source: DEPRECATED, text: deprecation_warning(&self.crd, version) });
        }
        let mut warn = |text: String| warnings.push(Warning { source: EXPERIMENTAL, text });
        if self.is_experimental {
            warn(format!("{kind} is an experimental resource: it may change or be removed in any release"));
            return;
        }
        if self.version(&used.version).is_some_and(|version| version.is_experimental) {
            warn(format!("{}/{} of {kind} is an experimental version", used.group, used.version));
        }
        for usable in self.version(&request.kind.version).into_iter().flat_map(|version| &version.experimental) {
            let uses = usable.uses(&request.object);
            let Some(first) = uses.first() else { continue };
            let mut places = uses.iter().take(MOST_NAMED).map(|found| found.path.as_str()).collect::<Vec<_>>();
            let more = format!("{} more", uses.len().saturating_sub(MOST_NAMED));
            if uses.len() > MOST_NAMED {
                places.push(&more);
            }
            let what = match first.value {
                Some(value) => format!("the experimental value {value}"),
                None => "an experimental field".to_owned(),
            };
            warn(format!("{}: {what}, which may change or be removed in any release", places.join(", ")));
        }
    }
}
