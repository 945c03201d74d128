//! The objects of one CRD: what they use, who writes them, and what a target would do to them.
//!
//! Invariant: objects are looked at one by one and counted. Memory depends on the number of different findings, which is bounded, never on the number of objects.

use std::collections::BTreeMap;

use crd_apiserver::objects::FieldError;
use crd_bundle::BundleVersion;
use crd_cluster::{Listing, ManagedField, Object};
use crd_convert::Conversions;
use crd_diagnostics::layout::count;
use crd_diagnostics::{Code, Diagnostic, ObjectName, Severity};
use crd_model::CustomResourceDefinition;
use crd_stamps::experimental_only::{Element, ExperimentalOnly};
use crd_stamps::uses::Usable;
use serde_json::Value;

use crate::inspect::codes;
use crate::inspect::forecast::{Forecast, Forecaster};
use crate::inspect::ownership::{Endangered, TypeChanges};
use crate::inspect::redaction::{Redaction, declared, numbered};
use crate::inspect::report::{ObjectFinding, ObjectReport, ObjectsReport};
use crate::inspect::unsupported::{OfCrd, UnsupportedUse};

/// How many objects a finding names.
const MOST_NAMED: usize = 3;
/// How many different clients, and how many different findings, are counted.
const MOST_DIFFERENT: usize = 1000;

/// What to do about findings.
const HELPS: [(&Code, &str); 7] = [
    (&codes::OWNERS_LOSE, "let one program apply all of it before the installation"),
    (
        &codes::UNSUPPORTED,
        "remove it, or use a class that supports it; `guardrails` writes a policy against further uses",
    ),
    (&codes::OLD_FORM, "convert their manifests with `crd-channels convert`, and apply them"),
    (&codes::CONVERTED, "convert their manifests with `crd-channels convert` after the installation"),
    (&codes::LOST, "keep a copy: `kubectl get --output yaml`; remove or convert the values before the installation"),
    (&codes::REFUSED_UPDATE, "change the objects before the installation"),
    (&codes::REFUSED_CREATE, "change the objects, so that a backup of them can be restored"),
];

/// What is known about the objects of a CRD before they are read.
pub(crate) struct ObjectsCheck<'q> {
    pub(crate) crd: &'q CustomResourceDefinition,
    /// The version through which they are read.
    pub(crate) version: String,
    /// What only experimental has, if the CRD is experimental and its bundle is known.
    pub(crate) experimental: Vec<ExperimentalOnly>,
    /// What their classes do not support.
    pub(crate) unsupported: Option<OfCrd<'q>>,
    /// The lenses of the API.
    pub(crate) lenses: Option<&'q Conversions>,
    /// The installed bundle, whose form objects should have.
    pub(crate) bundle: Option<BundleVersion>,
    pub(crate) target: Option<ObjectsTarget<'q>>,
    pub(crate) redaction: Redaction,
}

/// What a target has for the objects.
pub(crate) struct ObjectsTarget<'q> {
    pub(crate) version: Option<BundleVersion>,
    /// The name of the target in messages.
    pub(crate) name: &'q str,
    /// Nothing if the target does not have the CRD.
    pub(crate) crd: Option<&'q CustomResourceDefinition>,
    pub(crate) forecaster: Option<Forecaster<'q>>,
    /// The same for the installed CRD.
    pub(crate) today: Option<Forecaster<'q>>,
    /// The lists and maps whose owners the target endangers.
    pub(crate) type_changes: TypeChanges,
}

/// Findings that are alike, counted: their code, and their path, value or lens.
type Alike = (usize, String, String);

/// The objects that a finding is about.
#[derive(Debug, Default)]
struct Counted {
    objects: u64,
    /// The last object, by its number.
    last: u64,
    first: Vec<(ObjectName, String)>,
}

/// Reads objects one after the other.
pub(crate) struct ObjectsReading<'c, 'q> {
    check: &'c ObjectsCheck<'q>,
    usable: Vec<Usable>,
    report: ObjectsReport,
    /// How many objects were looked at.
    seen: u64,
    /// How many of them refer to something whose class is not known.
    unknown: u64,
    counted: BTreeMap<Alike, Counted>,
    /// Findings that were not counted, because there are too many different ones.
    more: u64,
}

impl<'c, 'q> ObjectsReading<'c, 'q> {
    pub(crate) fn new(check: &'c ObjectsCheck<'q>) -> Self {
        let usable = check.crd.version(&check.version);
        let usable = usable.map(|version| Usable::all(&check.experimental, version)).unwrap_or_default();
        let report = ObjectsReport { version: check.version.clone(), ..ObjectsReport::default() };
        Self { check, usable, report, seen: 0, unknown: 0, counted: BTreeMap::new(), more: 0 }
    }

    /// Looks at an object. Nothing if there is nothing to report about it.
    pub(crate) fn add(&mut self, object: &Object) -> Option<ObjectReport> {
        self.seen += 1;
        self.report.largest = self.report.largest.max(object.bytes);
        self.add_clients(object);
        let kind = &self.check.crd.names.kind;
        let name = match self.check.redaction {
            Redaction::None => object.metadata.object(kind),
            Redaction::Names => numbered(kind, self.seen),
        };
        let mut findings = self.findings(object);
        if self.check.redaction == Redaction::Names {
            findings.iter_mut().for_each(|finding| self.redact(finding));
        }
        for (finding, general) in &findings {
            let rank = codes::CODES.iter().position(|code| code.name == finding.code).unwrap_or_default();
            let key = (rank, general.0.clone(), general.1.clone());
            if self.counted.len() >= MOST_DIFFERENT && !self.counted.contains_key(&key) {
                self.more += 1;
                continue;
            }
            let counted = self.counted.entry(key).or_default();
            // An object with several such paths counts once.
            if counted.last == self.seen {
                continue;
            }
            counted.last = self.seen;
            counted.objects += 1;
            if counted.first.len() < MOST_NAMED {
                counted.first.push((name.clone(), finding.detail.clone()));
            }
        }
        let findings = findings.into_iter().map(|(finding, _)| finding).collect::<Vec<_>>();
        (!findings.is_empty()).then(|| ObjectReport { crd: self.check.crd.name.to_string(), object: name, findings })
    }

    fn add_clients(&mut self, object: &Object) {
        for field in &object.metadata.managed_fields {
            let client = ManagedField { time: None, ..field.clone() };
            if self.report.clients.len() >= MOST_DIFFERENT && !self.report.clients.contains_key(&client) {
                self.report.more_clients += 1;
                continue;
            }
            let writes = self.report.clients.entry(client).or_default();
            writes.objects += 1;
            writes.last = writes.last.take().max(field.time.clone());
        }
    }

    /// The findings about an object, each with what it has in common with those of other objects: path, and value or lens.
    fn findings(&mut self, read: &Object) -> Vec<(ObjectFinding, (String, String))> {
        let object = &read.value;
        let mut found = Vec::new();
        let mut add = |code: &Code, path: String, detail: String, general: (String, String)| {
            found.push((ObjectFinding { code: code.name, severity: code.severity, path, detail }, general));
        };
        if self.check.experimental.iter().any(|only| only.element == Element::Resource) {
            add(&codes::EXPERIMENTAL, String::new(), String::new(), Default::default());
        }
        for usable in &self.usable {
            for found in usable.uses(object) {
                let value = found.value.map(Value::to_string).unwrap_or_default();
                add(&codes::EXPERIMENTAL, found.path, value.clone(), (usable.path.clone(), value));
            }
        }
        for UnsupportedUse { path, general, value, missing } in self.unsupported(read) {
            let of_value = if value.is_empty() { String::new() } else { format!("{value}: ") };
            add(&codes::UNSUPPORTED, path, format!("{of_value}{missing}"), (general, format!("{value}\t{missing}")));
        }
        let target = self.check.target.as_ref();
        if let Some(lenses) = self.check.lenses {
            // An object that a lens refuses has no old form that anything could convert; `convert` shows why.
            for lens in lenses.applied(object).unwrap_or_default() {
                let known = lenses.lens(lens);
                if known.is_some_and(|lens| lens.is_about_version_of(self.check.crd)) {
                    continue;
                }
                let since = known.map(|lens| lens.since);
                let is_in =
                    |bundle: Option<BundleVersion>| since.zip(bundle).is_some_and(|(since, bundle)| since <= bundle);
                let code = match target {
                    _ if is_in(self.check.bundle) => &codes::OLD_FORM,
                    Some(target) if is_in(target.version) => &codes::CONVERTED,
                    _ => continue,
                };
                add(code, String::new(), lens.to_owned(), (String::new(), lens.to_owned()));
            }
        }
        let Some(target) = target else { return found };
        let Some(forecaster) = &target.forecaster else { return found };
        let forecast = forecaster.of(object, &read.metadata.managed_fields);
        for (code, paths) in [(&codes::LOST, &forecast.pruned), (&codes::DEFAULTED, &forecast.defaulted)] {
            for path in paths {
                add(code, path.clone(), String::new(), (without_indexes(path), String::new()));
            }
        }
        for Endangered { path, effect } in target.type_changes.endangered(&read.managed_fields) {
            add(&codes::OWNERS_LOSE, path.clone(), effect.clone(), (path, effect));
        }
        let (code, errors) = self.refusals(&forecast, read);
        for error in errors {
            let general = (without_indexes(&error.field), error.kind.as_str().to_owned());
            add(code, error.field.clone(), error.to_string(), general);
        }
        for text in &forecast.undecided {
            add(&codes::UNDECIDED, String::new(), text.clone(), Default::default());
        }
        found
    }

    /// Leaves out what the author of the object chose.
    fn redact(&self, (finding, (path, common)): &mut (ObjectFinding, (String, String))) {
        let schema = self.check.crd.version(&self.check.version).map(|version| &version.schema);
        let declared = |path: &str| schema.map(|schema| declared(path, schema)).unwrap_or_default();
        *path = declared(path);
        finding.path = declared(&without_indexes(&finding.path));
        let is = |codes: &[&Code]| codes.iter().any(|code| code.name == finding.code);
        finding.detail = match () {
            // The kind of an error of servers.
            () if is(&[&codes::REFUSED_UPDATE, &codes::REFUSED_CREATE]) => format!("{path}: {common}"),
            // Words about owners.
            () if is(&[&codes::OWNERS_LOSE]) => common.clone(),
            () => {
                common.clear();
                String::new()
            }
        };
    }

    /// What the object uses and its classes do not support.
    fn unsupported(&mut self, read: &Object) -> Vec<UnsupportedUse> {
        let Some(unsupported) = &self.check.unsupported else { return Vec::new() };
        let (uses, is_unknown) = unsupported.uses(read);
        self.unknown += u64::from(is_unknown);
        uses
    }

    /// Why the target refuses an update, or else the creation of the object. Refusals of the installed CRD are not the target's.
    fn refusals<'f>(&self, forecast: &'f Forecast, read: &Object) -> (&'static Code, Vec<&'f FieldError>) {
        if forecast.update.is_empty() && forecast.create.is_empty() {
            return (&codes::REFUSED_UPDATE, Vec::new());
        }
        let today = self.check.target.as_ref().and_then(|target| target.today.as_ref());
        let today = today.map(|today| today.of(&read.value, &read.metadata.managed_fields)).unwrap_or_default();
        let new = |errors: &'f [FieldError], known: &[FieldError]| {
            let known = known.iter().map(ToString::to_string).collect::<Vec<_>>();
            let is_new = |error: &&FieldError| !error.is_about_rules() && !known.contains(&error.to_string());
            errors.iter().filter(is_new).collect::<Vec<_>>()
        };
        let update = new(&forecast.update, &today.update);
        match update.is_empty() {
            true => (&codes::REFUSED_CREATE, new(&forecast.create, &today.create)),
            false => (&codes::REFUSED_UPDATE, update),
        }
    }

    /// What was found, after the last object.
    pub(crate) fn finish(mut self, listing: &Listing) -> (ObjectsReport, Vec<Diagnostic>) {
        self.report.number = listing.seen;
        self.report.is_complete = listing.is_complete && listing.diagnostics.is_empty();
        let mut findings = Vec::new();
        if listing.is_of_several_times {
            findings.push(codes::INCOMPLETE.finding("its objects were listed at several times"));
        }
        findings.extend(self.clients());
        if let Some(target) = self.check.target.as_ref().filter(|target| target.crd.is_none()) {
            let objects = objects(listing.seen);
            let message = format!("{} does not have it; it has {objects}", target.name);
            let finding = codes::TARGET_WITHOUT.finding(message);
            findings.push(match listing.seen {
                0 => Diagnostic { severity: Severity::Note, ..finding.help("delete it") },
                _ => finding.help("replace its objects, then delete it"),
            });
        }
        let counted = std::mem::take(&mut self.counted);
        for ((rank, path, common), counted) in &counted {
            let Some(code) = codes::CODES.get(*rank) else { continue };
            findings.push(self.finding(code, path, common, counted));
        }
        if self.unknown > 0 {
            let message = format!(
                "the class of {} is not known: a parent does not exist, or is of another kind",
                objects(self.unknown)
            );
            findings.push(codes::CLASS_UNKNOWN.finding(message));
        }
        if self.more > 0 {
            let message = format!("{} more findings about objects are not counted", self.more);
            findings.push(codes::UNCOUNTED.finding(message).help("list all objects with `--verbose`"));
        }
        (self.report, findings)
    }

    fn finding(&self, code: &Code, path: &str, common: &str, counted: &Counted) -> Diagnostic {
        let objects = named(counted);
        let detail = counted.first.first().map(|(_, detail)| detail.as_str()).unwrap_or_default();
        let target = self.check.target.as_ref().map(|target| target.name).unwrap_or_default();
        let is = |name| code.name == name;
        let message = match () {
            () if is(codes::EXPERIMENTAL.name) && path.is_empty() => {
                format!("the resource is experimental, and has {objects}")
            }
            () if is(codes::EXPERIMENTAL.name) && common.is_empty() => {
                format!("`{path}` is experimental, and used by {objects}")
            }
            () if is(codes::EXPERIMENTAL.name) => {
                format!("the value {common} of `{path}` is experimental, and used by {objects}")
            }
            () if is(codes::UNSUPPORTED.name) => {
                let (value, missing) = common.split_once('\t').unwrap_or_default();
                let what = match (path, value) {
                    ("", _) => "the resource".to_owned(),
                    (path, "") => format!("`{path}`"),
                    (path, value) => format!("the value {value} of `{path}`"),
                };
                format!("{what} needs {missing}, and is used by {objects}")
            }
            () if is(codes::OLD_FORM.name) => format!("the lens {common} converts the old form of {objects}"),
            () if is(codes::CONVERTED.name) => format!("for {target}, the lens {common} converts {objects}"),
            () if is(codes::LOST.name) => format!("{target} drops `{path}` of {objects}"),
            () if is(codes::OWNERS_LOSE.name) => {
                format!("with the type of `{path}` in {target}, {common}; in {objects}")
            }
            () if is(codes::DEFAULTED.name) => format!("{target} fills in `{path}` of {objects}"),
            () if is(codes::REFUSED_UPDATE.name) => format!("{target} refuses every update of {objects}: {detail}"),
            () if is(codes::REFUSED_CREATE.name) => format!("{target} refuses to create {objects} again: {detail}"),
            () => format!("whether {target} accepts {objects} could not be decided: {detail}"),
        };
        let crd = self.check.crd.name.to_string();
        let mut finding = code.finding(message).of_crd(crd, Some(self.check.version.clone()), path);
        if let (1, Some((object, _))) = (counted.objects, counted.first.first()) {
            finding = finding.of_object(object.clone());
        }
        match HELPS.iter().find(|(of, _)| is(of.name)) {
            Some((_, help)) => finding.help(*help),
            None => finding,
        }
    }

    /// Clients that write through versions that are deprecated, not served, or not served by the target.
    fn clients(&self) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        let crd = self.check.crd;
        for (client, writes) in &self.report.clients {
            let Some(name) = client.api_version.strip_prefix(&*crd.group).and_then(|rest| rest.strip_prefix('/'))
            else {
                continue;
            };
            let last = writes.last.as_ref().map(|last| format!(", last at {last}")).unwrap_or_default();
            let number = objects(writes.objects);
            let of = |code: &Code, state: String| {
                let message =
                    format!("{} writes through {}, {state}: {number}{last}", client.manager, client.api_version);
                let finding = code.finding(message).of_crd(crd.name.to_string(), Some(name.to_owned()), "");
                finding.help("update the client")
            };
            let state = match crd.version(name) {
                None => Some("which the CRD does not have"),
                Some(version) if !version.served => Some("which is not served"),
                Some(version) if version.deprecated => Some("which is deprecated"),
                Some(_) => None,
            };
            let is_experimental = |only: &ExperimentalOnly| {
                matches!(only.element, Element::Version { .. }) && only.version.as_deref() == Some(name)
            };
            if self.check.experimental.iter().any(is_experimental) {
                findings.push(of(&codes::EXPERIMENTAL, "which is experimental".to_owned()));
            }
            if let Some(state) = state {
                findings.push(of(&codes::CLIENT_VERSION, state.to_owned()));
            } else if let Some(target) = &self.check.target
                && let Some(of_target) = target.crd
                && !of_target.version(name).is_some_and(|version| version.served)
            {
                findings.push(of(&codes::TARGET_UNSERVED, format!("which {} does not serve", target.name)));
            }
        }
        findings
    }
}

fn objects(number: u64) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), "object")
}

/// `3 objects: default/a, default/b, default/c`, with the first names.
fn named(counted: &Counted) -> String {
    let name = |(object, _): &(ObjectName, String)| match &object.namespace {
        Some(namespace) => format!("{namespace}/{}", object.name),
        None => object.name.clone(),
    };
    let names = counted.first.iter().map(name).collect::<Vec<_>>().join(", ");
    let objects = objects(counted.objects);
    match counted.objects.saturating_sub(MOST_NAMED as u64) {
        0 => format!("{objects} ({names})"),
        more => format!("{objects} ({names} and {more} more)"),
    }
}

/// `spec.rules[0].name` → `spec.rules[*].name`.
fn without_indexes(path: &str) -> String {
    let mut general = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('[') {
        general.push_str(before);
        let (inside, after) = after.split_once(']').unwrap_or((after, ""));
        let is_index = !inside.is_empty() && inside.bytes().all(|byte| byte.is_ascii_digit());
        general.extend(["[", if is_index { "*" } else { inside }, "]"]);
        rest = after;
    }
    general.push_str(rest);
    general
}
