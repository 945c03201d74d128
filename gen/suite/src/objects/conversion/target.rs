//! The form to convert to, and one object in this form.
//!
//! Invariants: all lenses convert an object forward, then those since the requested bundle convert it back. Its form therefore does not depend on the
//! one that it had.

use std::collections::{BTreeMap, BTreeSet};

use crd_apiserver::prune;
use crd_bundle::published::Source;
use crd_convert::{BundleVersion, Code, Conversions, ConvertedForward, Document, Lens, OperationKind, Step};
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use serde_json::Value;

use super::resources::Resources;
use super::{Converted, ConvertedFile, Outcome, document_errors, text};
use crate::objects::identity::{group_of, type_of};

/// The lenses of a project.
#[derive(Debug)]
pub struct Lenses {
    conversions: Conversions,
    /// The bundle of each lens, and what it can lose forward, in words.
    known: BTreeMap<String, (BundleVersion, Vec<String>)>,
    /// The groups and kinds of the resources whose objects can lose something forward.
    losing: Vec<(String, String)>,
    /// The lenses whose functions this program does not have.
    without_functions: BTreeSet<String>,
}

impl Lenses {
    /// Prepares the lenses of a document, which comes from `source`, with functions. An object that needs one that is missing cannot be converted.
    pub fn of(document: &Document, functions: &[Code], source: &str) -> Result<Self, Vec<Diagnostic>> {
        let losses = |lens: &Lens| lens.steps.iter().filter_map(Step::loses).collect::<Vec<_>>();
        let known = document.lenses.iter().map(|lens| (lens.name.clone(), (lens.since, losses(lens))));
        let losing = document.lenses.iter().filter(|lens| !losses(lens).is_empty()).map(|lens| &*lens.resource);
        let losing = losing.collect::<BTreeSet<_>>();
        let losing = document.lenses.iter().filter(|lens| losing.contains(&*lens.resource));
        let losing = losing.flat_map(|lens| [lens.source(), lens.target()]);
        let losing = losing.map(|(group, kind)| (group.to_owned(), kind.to_owned()));
        let is_missing = |step: &Step| match &step.operation.kind {
            OperationKind::Code { name } => functions.iter().all(|functions| functions.name != name),
            _ => false,
        };
        let without_functions = document.lenses.iter().filter(|lens| lens.steps.iter().any(is_missing));
        let without_functions = without_functions.map(|lens| lens.name.clone()).collect();
        let conversions = Conversions::with_known_code(document, functions);
        let conversions = conversions.map_err(|errors| document_errors(errors, source))?;
        Ok(Self { conversions, known: known.collect(), losing: losing.collect(), without_functions })
    }

    /// Whether a lens of the object can lose something forward, or change its conversion data only.
    fn may_lose(&self, object: &Value) -> bool {
        let annotations = object.get("metadata").and_then(|metadata| metadata.get("annotations"));
        if annotations.is_some_and(|annotations| annotations.get(self.conversions.annotation()).is_some()) {
            return true;
        }
        let is_own = |(api_version, own): (&str, &str)| {
            self.losing.iter().any(|(group, kind)| kind == own && group == group_of(api_version))
        };
        type_of(object).is_ok_and(is_own)
    }

    /// What was lost on the way forward: nothing if the way back gives the same object.
    fn lost(&self, before: &Value, after: &Value, applied: &[&str]) -> Vec<String> {
        let of_applied = || applied.iter().filter_map(|lens| self.known.get(*lens));
        if of_applied().all(|(_, losses)| losses.is_empty()) {
            return Vec::new();
        }
        let Some(first) = of_applied().map(|(since, _)| *since).min() else { return Vec::new() };
        let older = self.known.values().map(|(since, _)| *since).filter(|since| *since < first).max();
        let older = older.unwrap_or_else(|| BundleVersion::new(0, 0, 0));
        let back = self.conversions.convert_back(after, older);
        if back.is_ok_and(|back| back.object == *before) {
            return Vec::new();
        }
        of_applied().flat_map(|(_, losses)| losses).cloned().collect()
    }
}

/// The form to convert to.
#[derive(Debug)]
pub struct Target<'t> {
    /// The lenses of the project.
    pub lenses: &'t Lenses,
    /// The bundle whose form it is; without it, the newest.
    pub bundle: Option<BundleVersion>,
    /// The resources of this bundle, if the workspace has it.
    pub resources: Option<Resources>,
    /// The API version to write, where the CRD of the object serves it.
    pub api_version: Option<&'t str>,
    /// Whether the result contains the new objects, in addition to the new texts.
    pub keeps_objects: bool,
    /// The channel that must have all fields.
    pub channel: Option<Channel>,
    /// The CRDs that decide about both, by group and kind.
    pub crds: BTreeMap<(String, String), &'t CustomResourceDefinition>,
}

impl Target<'_> {
    /// The text with its objects in this form. A byte order mark stays.
    pub fn file(&self, source: &Source) -> ConvertedFile {
        text::convert(source, self)
    }

    /// The object in this form. A diagnostic has no location.
    pub(super) fn convert(&self, mut object: Value) -> Outcome {
        // Most objects have the form already, and a copy takes longer than to see that.
        let presents = self.bundle.is_some() || !self.crds.is_empty();
        let before = (presents || self.lenses.may_lose(&object)).then(|| object.clone());
        match self.converted(&mut object, before.as_ref()) {
            Ok(Converted { applied, lost, .. })
                if before.as_ref().map_or(applied.is_empty(), |before| *before == object) =>
            {
                Outcome::Unchanged { lost }
            }
            Ok(converted) => Outcome::Converted(Converted { object: Some(object), ..converted }),
            Err(diagnostic) => Outcome::Failed(diagnostic),
        }
    }

    /// Converts the object in place. The result does not contain it.
    fn converted(&self, object: &mut Value, before: Option<&Value>) -> Result<Converted, Diagnostic> {
        let failed = |failure: crd_convert::Failure| {
            let help = match self.lenses.without_functions.contains(&failure.lens) {
                true => {
                    "convert it with the program of the project, such as `cargo xtask convert`; until then it stays as it is"
                }
                false => "correct the object; until then it stays as it is",
            };
            Diagnostic::error("convert::failed", failure.to_string()).help(help)
        };
        let lenses = self.lenses;
        let ConvertedForward { mut applied, mut left_out, mut not_returned } =
            lenses.conversions.convert_forward(object).map_err(failed)?;
        let mut lost = before.map_or_else(Vec::new, |before| lenses.lost(before, object, &applied));
        let annotation = lenses.conversions.annotation();
        if let Some(bundle) = self.bundle {
            let back = lenses.conversions.convert_back(object, bundle).map_err(failed)?;
            // A lens in both directions leaves the form that the object had.
            applied.retain(|lens| !back.applied.contains(lens));
            lost.retain(|_| !applied.is_empty());
            applied.extend(back.applied.iter().filter(|lens| !applied.contains(lens)).copied().collect::<Vec<_>>());
            // What a later lens kept on the way forward returns on the way back.
            let stays = |lens: &String| lenses.known.get(lens).is_none_or(|(since, _)| *since <= bundle);
            left_out.retain(|left| stays(&left.lens));
            not_returned.retain(|left| stays(&left.lens));
            left_out.extend(back.left_out);
            not_returned.extend(back.not_returned);
            *object = back.object;
        }
        let kept = left_out.iter().map(|left| format!("`{}` in the annotation `{annotation}`", left.place)).collect();
        lost.extend(not_returned.iter().map(|left| format!("{left}; it stays in the annotation `{annotation}`")));
        let applied = applied.into_iter().map(str::to_owned).collect();
        self.present(object)?;
        self.resources.as_ref().map_or(Ok(()), |resources| resources.check(object))?;
        Ok(Converted { object: None, applied, lost, kept })
    }

    /// Writes the API version that is asked for, and checks that the schema has every field.
    fn present(&self, object: &mut Value) -> Result<(), Diagnostic> {
        let Ok((api_version, kind)) = type_of(object) else { return Ok(()) };
        let group = group_of(api_version);
        let Some(crd) = self.crds.get(&(group.to_owned(), kind.to_owned())) else { return Ok(()) };
        let current = api_version.rsplit('/').next().unwrap_or_default();
        let wanted = self.api_version.unwrap_or(current).to_owned();
        let served = || crd.versions.iter().filter(|version| version.served);
        let Some(version) = served().find(|version| version.name == *wanted) else {
            let names = served().map(|version| format!("`{}`", version.name)).collect::<Vec<_>>().join(", ");
            let message = format!("{} does not serve the version `{wanted}`", crd.name);
            return Err(Diagnostic::error("convert::version", message).help(format!("it serves {names}")));
        };
        let api_version = format!("{group}/{wanted}");
        if let Some(object) = object.as_object_mut() {
            object.insert("apiVersion".to_owned(), Value::String(api_version.clone()));
        }
        let unknown = prune(&version.schema, &mut object.clone());
        let Some(first) = unknown.first() else { return Ok(()) };
        let more = match unknown.len() - 1 {
            0 => String::new(),
            more => format!(" and {} more", crd_diagnostics::layout::count(more, "field")),
        };
        let of = self.channel.map_or(String::new(), |channel| format!(" of {channel}"));
        let message = format!("`{api_version}`{of} does not have `{first}`{more}, and no lens carries it over");
        Err(Diagnostic::error("convert::field", message).help("remove the field, or convert to a form that has it"))
    }
}
