//! The form that a CRD gives to an object: the lenses of the API, and the schema of the version that is stored.
//!
//! Invariants:
//! * A value that the schema does not have is dropped only if the target declares it, or if its channel does not have it. Otherwise the object has no
//!   such form.
//! * A form that a server would refuse as an update of the object is none.
//! * The same object gives the same result. A form of a form is the form.

use std::collections::BTreeSet;

use crd_apiserver::objects::{Answer, FieldValidation, Request, Resource, RuleProblem};
use crd_apiserver::prune;
use crd_convert::{BundleVersion, Conversions, ConvertedForward, NotReturned, ReturnedDropped, Segment};
use crd_model::CustomResourceDefinition;
use crd_model::schema::Schema;
use serde_json::Value;

/// In which direction the lenses apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// To the newest form that the lenses have.
    Forward,
    /// To the form of an older bundle.
    Back(BundleVersion),
}

/// The form of a CRD.
pub(crate) struct Form<'f> {
    schema: &'f Schema,
    resource: Resource,
    /// What the objects may also have: its values are kept in the annotation.
    wider: Option<&'f Schema>,
    conversions: &'f Conversions,
    direction: Direction,
    /// Paths whose values may be dropped, without the indices of lists.
    drops: &'f BTreeSet<String>,
}

/// An object in the form of a CRD.
#[derive(Debug)]
pub(crate) struct Reformed {
    pub(crate) object: Value,
    /// The lenses that converted it.
    pub(crate) lenses: Vec<String>,
    /// The places whose values only the annotation has now.
    pub(crate) kept: Vec<String>,
    /// The places whose values the annotation kept, and does not return.
    pub(crate) not_returned: Vec<String>,
    /// The places whose values are dropped.
    pub(crate) dropped: Vec<String>,
}

impl<'f> Form<'f> {
    /// The form of a version of a CRD, on a server of a minor (1.x). Nothing if the CRD does not have the version.
    ///
    /// # Errors
    /// The rules that do not compile, so that no server accepts the CRD.
    pub(crate) fn new(
        (crd, version): (&'f CustomResourceDefinition, &str),
        wider: Option<&'f Schema>,
        (conversions, direction): (&'f Conversions, Direction),
        drops: &'f BTreeSet<String>,
        minor: u32,
    ) -> Result<Option<Self>, Vec<RuleProblem>> {
        let Some(resource) = Resource::prepare(crd, version, minor).transpose()? else { return Ok(None) };
        Ok(crd.version(version).map(|version| Self {
            schema: &version.schema,
            resource,
            wider,
            conversions,
            direction,
            drops,
        }))
    }

    /// The `apiVersion` of the form.
    pub(crate) fn api_version(&self) -> &str {
        self.resource.api_version()
    }

    /// The object in this form.
    ///
    /// # Errors
    /// Everything for which it has no such form.
    pub(crate) fn of(&self, object: &Value) -> Result<Reformed, Vec<String>> {
        let mut returned = object.clone();
        // What was removed by a switch to standard takes part in the conversion, if the result is accepted.
        match self.conversions.return_dropped(&mut returned) {
            Ok(ReturnedDropped { places, not_returned }) if !places.is_empty() => {
                let reformed = self.reform(object, returned, &not_returned);
                reformed.or_else(|_| self.reform(object, object.clone(), &[]))
            }
            Ok(ReturnedDropped { not_returned, .. }) => self.reform(object, object.clone(), &not_returned),
            Err(failure) => Err(vec![failure.to_string()]),
        }
    }

    fn reform(&self, before: &Value, object: Value, stale: &[NotReturned]) -> Result<Reformed, Vec<String>> {
        let (converted, done) = self.convert(object)?;
        let (mut narrow, mut wide) = (converted.clone(), converted);
        let lost = prune(self.schema, &mut narrow);
        let lost = match self.wider {
            Some(wider) => prune(wider, &mut wide),
            None => {
                wide.clone_from(&narrow);
                lost
            }
        };
        let (dropped, lost): (Vec<_>, Vec<_>) = lost.into_iter().partition(|path| self.may_drop(path));
        if !lost.is_empty() {
            let api_version = self.api_version();
            return Err(lost
                .iter()
                .map(|path| format!("`{path}` would be lost: {api_version} does not have it"))
                .collect());
        }
        let keys = |path: &[Segment]| list_keys(self.schema, path);
        let kept = self.conversions.keep_dropped(&wide, &mut narrow, &keys);
        let mut kept = kept.map_err(|failure| vec![failure.to_string()])?;
        kept.extend(done.left_out.into_iter().map(|left| left.place));
        let not_returned = stale.iter().chain(&done.not_returned).map(|left| left.place.clone()).collect();
        let lenses = done.applied.into_iter().map(str::to_owned).collect();
        let refusals = self.refusals(before, &narrow);
        let reformed = Reformed { object: narrow, lenses, kept, not_returned, dropped };
        if refusals.is_empty() { Ok(reformed) } else { Err(refusals) }
    }

    /// Why the new form is not valid. What does not change is excused, as by the server. Rules about changes do not apply: the transitional CRD has
    /// none.
    fn refusals(&self, before: &Value, new: &Value) -> Vec<String> {
        let mut old = before.clone();
        self.identify(&mut old, new);
        prune(self.schema, &mut old);
        let texts = |answer: Answer| answer.errors.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut refusals = texts(self.resource.answer(Request::update(&old, new.clone())));
        if !refusals.is_empty() {
            let created = texts(self.resource.answer(Request::create(new.clone()).fields(FieldValidation::Ignore)));
            refusals.retain(|refusal| created.contains(refusal));
        }
        refusals
    }

    fn convert(&self, mut object: Value) -> Result<(Value, ConvertedForward<'_>), Vec<String>> {
        let failed = |failure: crd_convert::Failure| vec![failure.to_string()];
        let done = match self.direction {
            Direction::Forward => self.conversions.convert_forward(&mut object).map_err(failed)?,
            Direction::Back(bundle) => {
                let back = self.conversions.convert_back(&object, bundle).map_err(failed)?;
                object = back.object;
                ConvertedForward { applied: back.applied, left_out: back.left_out, not_returned: back.not_returned }
            }
        };
        if let Some(api_version) = object.get_mut("apiVersion")
            && *api_version != *self.api_version()
        {
            *api_version = self.api_version().into();
        }
        Ok((object, done))
    }

    /// Gives an object the identity of its new form.
    fn identify(&self, object: &mut Value, new: &Value) {
        for key in ["apiVersion", "kind"] {
            if let (Some(value), Some(new)) = (object.get_mut(key), new.get(key)) {
                value.clone_from(new);
            }
        }
    }

    fn may_drop(&self, path: &str) -> bool {
        !self.drops.is_empty() && self.drops.contains(&without_indices(path))
    }
}

/// The fields that identify the items of the list at a path.
fn list_keys(schema: &Schema, path: &[Segment]) -> Option<Vec<String>> {
    let list = path.iter().try_fold(schema, |schema, segment| match segment {
        Segment::Field(name) => schema.entry(name),
        Segment::Item => schema.items.as_deref(),
        Segment::Value => None,
    })?;
    let keys = list.list_map_keys.iter().map(ToString::to_string).collect::<Vec<_>>();
    (!keys.is_empty()).then_some(keys)
}

/// A path without the indices of lists: `spec.listeners[0].tls` is `spec.listeners.tls`.
pub(crate) fn without_indices(path: &str) -> String {
    let mut depth = 0;
    path.chars()
        .filter(|character| {
            match character {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => return depth == 0,
            }
            false
        })
        .collect()
}
