//! What a server would do to the CRDs and objects of a cluster after the CRDs of a target were installed.
//!
//! Invariants:
//! * The answers are those of [`crd_apiserver`]: nothing is sent. What it cannot decide is listed as undecided.
//! * An object counts as the server shows it, and as stored in the storage version of its CRD. Fields that the installed CRD hides are not seen.
//! * A default that the installed CRD fills in counts as stored, except that of a whole status with its own endpoint: a creation does not store a
//!   status. Managed fields show whether a client has written it. Without them, a status with the default values counts as never written.
//! * A [`Forecaster`] is prepared once for a CRD. Its memory does not depend on objects.

use crd_apiserver::objects::{FieldError, FieldValidation, Reading, Request, Resource, RuleProblem};
use crd_cluster::ManagedField;
use crd_convert::Conversions;
use crd_model::CustomResourceDefinition;
use serde_json::{Map, Value};

/// The label that the update of a forecast changes.
const LABEL: &str = "forecast";

/// Metadata that a server writes, and that a backup leaves out.
const SERVER_METADATA: [&str; 4] = ["creationTimestamp", "generation", "resourceVersion", "uid"];

/// The first minor (1.x) whose refusal of a CRD explains why a stored version must stay.
const EXPLAINS_STORED_VERSIONS: u32 = 33;

/// What a target would do to a CRD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrdForecast {
    /// Whether the target does not have the CRD. Installing the target leaves the CRD and its objects as they are.
    pub is_absent: bool,
    /// Why a server refuses the CRD of the target as an update of the installed one, as the server writes it.
    pub refusals: Vec<String>,
    /// The versions that the installed CRD serves and the target does not: requests to them are answered with 404.
    pub unserved: Vec<String>,
}

impl CrdForecast {
    /// Whether the CRD is accepted, and serves what it served.
    pub fn is_unchanged(&self) -> bool {
        *self == Self::default()
    }
}

/// What the CRD of a target would do to the installed one. `stored_versions` are those of its status, `minor` is that of the server.
pub fn crd_forecast(
    installed: &CustomResourceDefinition,
    stored_versions: &[String],
    target: Option<&CustomResourceDefinition>,
    minor: u32,
) -> CrdForecast {
    let Some(target) = target else { return CrdForecast { is_absent: true, ..CrdForecast::default() } };
    let mut refusals = Vec::new();
    let fixed = [
        ("spec.scope", installed.scope.as_str(), target.scope.as_str()),
        ("spec.names.kind", &installed.names.kind, &target.names.kind),
    ];
    for (field, installed, target) in fixed {
        if installed != target {
            refusals.push(format!("{field}: Invalid value: \"{target}\": field is immutable"));
        }
    }
    for (index, stored) in stored_versions.iter().enumerate() {
        if target.version(stored).is_none() {
            let why = match minor >= EXPLAINS_STORED_VERSIONS {
                true => format!(
                    "missing from spec.versions; {stored} was previously a storage version, and must remain in spec.versions until a storage \
                     migration ensures no data remains persisted in {stored} and removes {stored} from status.storedVersions"
                ),
                false => "must appear in spec.versions".to_owned(),
            };
            refusals.push(format!("status.storedVersions[{index}]: Invalid value: \"{stored}\": {why}"));
        }
    }
    let served = installed.versions.iter().filter(|version| version.served).map(|version| version.name.to_string());
    let unserved = served.filter(|name| !target.version(name).is_some_and(|version| version.served)).collect();
    CrdForecast { is_absent: false, refusals, unserved }
}

/// What a target would do to an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forecast {
    /// The paths that the server no longer shows, because the CRD of the target does not have them. The next write removes them for good.
    pub pruned: Vec<String>,
    /// The paths that appear with a default, and those of a status that no controller has written and that has another default.
    pub defaulted: Vec<String>,
    /// Why the server refuses an update that changes a label only. Errors in parts that do not change are excused as the server excuses them.
    pub update: Vec<FieldError>,
    /// Why the server refuses to create the object again, as from a backup or in a new cluster. Unknown fields are not refused here: they are
    /// [`Forecast::pruned`].
    pub create: Vec<FieldError>,
    /// What cannot be decided without the server.
    pub undecided: Vec<String>,
    /// The names of the lenses that convert the object to the current form.
    pub converted: Vec<String>,
    /// Why the lenses cannot convert the object.
    pub unconverted: Option<String>,
}

impl Forecast {
    /// Whether the server shows and accepts the object as before, and no lens applies to it.
    pub fn is_unchanged(&self) -> bool {
        *self == Self::default()
    }
}

/// The forecasts for the objects of a CRD.
#[derive(Debug)]
pub struct Forecaster<'l> {
    crd: Option<Target>,
    lenses: Option<&'l Conversions>,
}

/// What the CRD of a target contributes.
#[derive(Debug)]
struct Target {
    version: String,
    resource: Resource,
    reading: Reading,
    /// The status that the installed CRD shows where none is stored.
    unwritten_status: Option<Value>,
    /// Why no forecast is certain.
    undecided: Option<String>,
}

impl<'l> Forecaster<'l> {
    /// Prepares forecasts for objects that are read through a version of an installed CRD, on a server of a minor (1.x). Nothing if there is neither a
    /// CRD of the target nor a lens.
    ///
    /// Objects are requested from the target in the version through which they are read, if the target serves it. Otherwise the storage version of the
    /// target is requested.
    ///
    /// # Errors
    /// The rules of the target that do not compile, so that no server accepts its CRD.
    pub fn prepare(
        installed: &CustomResourceDefinition,
        read_version: &str,
        target: Option<&CustomResourceDefinition>,
        lenses: Option<&'l Conversions>,
        minor: u32,
    ) -> Result<Option<Self>, Vec<RuleProblem>> {
        let crd = match target {
            Some(target) => Target::prepare(installed, read_version, target, minor)?,
            None => None,
        };
        Ok((crd.is_some() || lenses.is_some()).then_some(Self { crd, lenses }))
    }

    /// The version in which objects are requested from the target. Nothing if the target does not have the CRD.
    pub fn version(&self) -> Option<&str> {
        self.crd.as_ref().map(|target| &*target.version)
    }

    /// The object as the server would show it, without managed fields.
    pub fn read(&self, object: &Value, managed_fields: &[ManagedField]) -> Value {
        let mut object = object.clone();
        if let Some(target) = &self.crd {
            target.read(&mut object, managed_fields);
        }
        object
    }

    /// The forecast for an object as the server shows it now, without managed fields. These are separate, and may be empty.
    pub fn of(&self, object: &Value, managed_fields: &[ManagedField]) -> Forecast {
        let mut forecast = Forecast::default();
        if let Some(target) = &self.crd {
            target.forecast(object, managed_fields, &mut forecast);
        }
        match self.lenses.map(|lenses| lenses.applied(object)) {
            Some(Ok(applied)) => forecast.converted = applied.into_iter().map(str::to_owned).collect(),
            Some(Err(failure)) => forecast.unconverted = Some(failure.to_string()),
            None => {}
        }
        forecast
    }
}

impl Target {
    /// Nothing for a CRD without a storage version, which no server has.
    fn prepare(
        installed: &CustomResourceDefinition,
        read_version: &str,
        target: &CustomResourceDefinition,
        minor: u32,
    ) -> Result<Option<Self>, Vec<RuleProblem>> {
        let served = target.version(read_version).filter(|version| version.served);
        let Some(requested) = served.or_else(|| target.storage()).map(|version| &*version.name) else {
            return Ok(None);
        };
        // A CRD without the stored version can be installed after a migration to its storage version.
        let stored = installed.storage().and_then(|stored| target.version(&stored.name)).or_else(|| target.storage());
        let stored = stored.map_or(requested, |version| &version.name);
        let Some(resource) = Resource::prepare(target, requested, minor).transpose()? else { return Ok(None) };
        let Some(reading) = Reading::prepare(target, stored, requested, minor) else { return Ok(None) };
        let unwritten_status = installed
            .storage()
            .filter(|version| version.subresources.as_ref().is_some_and(|subresources| subresources.status))
            .and_then(|version| Reading::prepare(installed, &version.name, read_version, minor))
            .and_then(|reading| {
                let mut bare = Value::Object(Map::new());
                reading.read(&mut bare);
                bare.get_mut("status").map(Value::take)
            });
        let is_converted = [read_version, requested].into_iter().any(|version| version != stored);
        let undecided = (is_converted
            && [installed, target].into_iter().any(CustomResourceDefinition::has_conversion_webhook))
        .then(|| {
            format!("a conversion webhook decides what objects of {stored} are in {read_version} and {requested}")
        });
        Ok(Some(Self { version: requested.to_owned(), resource, reading, unwritten_status, undecided }))
    }

    fn read(&self, object: &mut Value, managed_fields: &[ManagedField]) {
        let is_written = managed_fields.iter().any(|field| field.subresource.as_deref() == Some("status"));
        if self.unwritten_status.is_some()
            && !is_written
            && let Some(members) = object.as_object_mut()
            && members.get("status") == self.unwritten_status.as_ref()
        {
            members.remove("status");
        }
        self.reading.read(object);
        self.request(object);
    }

    /// Requests the object in the version of the target.
    fn request(&self, object: &mut Value) {
        if let Some(version) = object.get_mut("apiVersion")
            && *version != *self.resource.api_version()
        {
            *version = self.resource.api_version().into();
        }
    }

    fn forecast(&self, object: &Value, managed_fields: &[ManagedField], forecast: &mut Forecast) {
        let mut read = object.clone();
        self.read(&mut read, managed_fields);
        let mut difference = Difference { path: String::new(), forecast };
        difference.root(object, &read);
        let Difference { forecast, .. } = difference;
        let update = self.resource.answer(Request::update(&read, labelled(read.clone())));
        // What is pruned could be refused.
        let is_as_read = self.reading.is_direct() && forecast.pruned.is_empty();
        let mut copy = if is_as_read { read } else { object.clone() };
        self.request(&mut copy);
        if let Some(metadata) = copy.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.retain(|name, _| !SERVER_METADATA.contains(&name.as_str()));
        }
        let create = self.resource.answer(Request::create(copy).fields(FieldValidation::Ignore));
        forecast.undecided.extend(self.undecided.clone());
        for undecided in update.undecided.iter().chain(&create.undecided).map(ToString::to_string) {
            if !forecast.undecided.contains(&undecided) {
                forecast.undecided.push(undecided);
            }
        }
        forecast.update = update.errors;
        forecast.create = create.errors;
    }
}

/// The object with another value of the label.
fn labelled(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
        && let Some(labels) = metadata.entry("labels").or_insert_with(|| Map::new().into()).as_object_mut()
    {
        let value = if labels.get(LABEL).is_some_and(|value| value == "a") { "b" } else { "a" };
        labels.insert(LABEL.to_owned(), value.into());
    }
    object
}

/// The paths that an object has before, or after.
struct Difference<'f> {
    path: String,
    forecast: &'f mut Forecast,
}

impl Difference<'_> {
    /// The identity and the metadata of an object are not pruned.
    fn root(&mut self, before: &Value, after: &Value) {
        let (Some(before), Some(after)) = (before.as_object(), after.as_object()) else { return };
        self.fields(before, after, |name| !matches!(name, "apiVersion" | "kind" | "metadata"));
    }

    fn fields(&mut self, before: &Map<String, Value>, after: &Map<String, Value>, counts: impl Fn(&str) -> bool) {
        let mut common = 0;
        for (name, before) in before {
            match after.get(name) {
                Some(after) if counts(name) => self.below(name, |difference| difference.value(before, after)),
                Some(_) => {}
                None => {
                    self.below(name, |difference| difference.forecast.pruned.push(difference.path.clone()));
                    continue;
                }
            }
            common += 1;
        }
        if common == after.len() {
            return;
        }
        for name in after.keys().filter(|name| !before.contains_key(*name)) {
            self.below(name, |difference| difference.forecast.defaulted.push(difference.path.clone()));
        }
    }

    fn value(&mut self, before: &Value, after: &Value) {
        match (before, after) {
            (Value::Object(before), Value::Object(after)) => self.fields(before, after, |_| true),
            (Value::Array(before), Value::Array(after)) => {
                for index in 0..before.len().max(after.len()) {
                    let length = self.path.len();
                    self.path.extend(["[", &index.to_string(), "]"]);
                    match (before.get(index), after.get(index)) {
                        (Some(before), Some(after)) => self.value(before, after),
                        (Some(_), None) => self.forecast.pruned.push(self.path.clone()),
                        (None, _) => self.forecast.defaulted.push(self.path.clone()),
                    }
                    self.path.truncate(length);
                }
            }
            // A null that became a default, or another default.
            (before, after) if before != after => self.forecast.defaulted.push(self.path.clone()),
            _ => {}
        }
    }

    fn below(&mut self, name: &str, work: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        work(self);
        self.path.truncate(length);
    }
}

#[cfg(test)]
mod tests;
