//! Examples of lenses: a small object in the old form, what forward conversion makes of it, and what backward conversion gives.
//!
//! Invariants: examples are computed from the places of a lens, and converted by it; other lenses do not take part. An example that the lens
//! does not convert is not an example.

use crd_model::BundleVersion;
use serde_json::{Value, json};

use crate::conversions::Conversions;
use crate::document::Document;
use crate::lens::{Lens, Step};
use crate::operation::{Code, OperationKind};
use crate::path::{self, Segment, TEXT};

/// An object in the forms of a lens.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The old form.
    pub old: Value,
    /// The new form.
    pub new: Value,
    /// What backward conversion makes of the new form.
    pub back: Value,
}

impl Document {
    /// An example of a lens of this document. None if a step needs functions that are not given, or if no value is found that its steps accept.
    #[must_use]
    pub fn example(&self, lens: &Lens, codes: &[Code]) -> Option<Example> {
        let end = |lens: &Lens| lens.identity.as_ref().map(|(_, to)| to.clone());
        // A merged lens needs the one that backward conversion takes without conversion data.
        let is_needed =
            |other: &&Lens| other.name == lens.name || lens.is_merged && !other.is_merged && end(other) == end(lens);
        let lenses = self.lenses.iter().filter(is_needed).cloned().collect();
        let (generator, prefix) = (self.generator.clone(), self.prefix.clone());
        let alone = Self { generator, prefix, lenses, removed: Vec::new() };
        let conversions = Conversions::with_code(&alone, codes).ok()?;
        let old = self.old_form(lens, codes);
        let mut new = old.clone();
        let applied = conversions.forward(&mut new).ok()?;
        let back = conversions.convert_back(&new, BundleVersion::new(0, 0, 0)).ok()?;
        (applied == [&*lens.name]).then_some(Example { old, new, back: back.object })
    }

    /// The lenses of the same resource, in the order in which they apply.
    fn chain(&self, of: &Lens) -> Vec<&Lens> {
        let mut chain: Vec<&Lens> = self.lenses.iter().filter(|lens| lens.resource == of.resource).collect();
        chain.sort_by_key(|lens| lens.since);
        chain
    }

    /// An object with the values that the steps of a lens read.
    fn old_form(&self, lens: &Lens, codes: &[Code]) -> Value {
        let (_, kind) = lens.source();
        let mut object = json!({"apiVersion": self.api_version(lens), "kind": kind, "metadata": {"name": TEXT}});
        let chain = self.chain(lens);
        let later = chain.iter().skip_while(|other| other.name != lens.name).skip(1);
        let later: Vec<&Step> = later.flat_map(|lens| &lens.steps).collect();
        for operation in lens.steps.iter().map(|step| &step.operation) {
            let OperationKind::Code { name } = &operation.kind else { continue };
            let example = codes.iter().find(|code| code.name == name).map(|code| serde_json::from_str(code.example));
            if let Some(Ok(example)) = example {
                operation.write_sample(&mut object, example);
            }
        }
        // Values that an operation needs replace those that any operation accepts.
        for is_specific in [false, true] {
            for (index, step) in lens.steps.iter().enumerate() {
                let before = lens.steps.iter().take(index).rev();
                let step = before.fold(step.clone(), |step, earlier| step.before(&earlier.operation));
                let rest = lens.steps.iter().skip(index + 1).chain(later.iter().copied());
                step.fill(&mut object, is_specific, rest);
            }
        }
        object
    }

    /// The API version of objects in the old form. A lens that is about fields applies to every version of its kind.
    fn api_version(&self, lens: &Lens) -> String {
        let chain = self.chain(lens);
        let identities = || chain.iter().filter_map(|other| Some((other.since, other.identity.as_ref()?)));
        let before = identities().rfind(|(since, _)| *since < lens.since).map(|(_, (_, to))| to);
        let after = identities().find(|(since, _)| *since >= lens.since).map(|(_, (from, _))| from);
        let own = lens.identity.as_ref().map(|(from, _)| from);
        let found = own.into_iter().chain(before).chain(after);
        let mut found = found.filter(|identity| (identity.group(), &*identity.kind) == lens.source());
        match (found.next(), lens.source()) {
            (Some(identity), _) => identity.api_version.clone(),
            (None, ("", _)) => "v1".to_owned(),
            (None, (group, _)) => format!("{group}/v1"),
        }
    }
}

impl Step {
    /// Writes the values that the step reads. `later` are the steps after it, which read what is below a value.
    fn fill<'s>(&self, object: &mut Value, is_specific: bool, later: impl Iterator<Item = &'s Self> + Clone) {
        for (place, value) in self.operation.sample() {
            match value {
                Some(value) if is_specific => *path::sample(object, place.segments()) = value,
                None if !is_specific => {
                    let mut between = vec![&self.operation];
                    for step in later.clone().filter(|_| !self.operation.is_in_place()) {
                        for (below, value) in step.operation.sample() {
                            let below =
                                between.iter().rev().fold(below.clone(), |below, earlier| earlier.before(&below));
                            if place.contains(&below) {
                                *path::sample(object, below.segments()) = value.unwrap_or_else(|| TEXT.into());
                            }
                        }
                        between.push(&step.operation);
                    }
                    let value = path::sample(object, place.segments());
                    if value.is_null() {
                        *value = TEXT.into();
                    }
                }
                _ => {}
            }
        }
        if let (OperationKind::Default(_), [path]) = (&self.operation.kind, &self.operation.writes()[..])
            && let Some((_, around)) = path.segments().split_last()
        {
            let around = path::sample(object, around);
            if around.is_null() {
                *around = json!({});
            }
        }
        for (list, fields) in &self.keys {
            for field in fields {
                let key = Segment::Field(field.clone());
                let segments: Vec<Segment> = list.segments().iter().cloned().chain([key]).collect();
                let value = path::sample(object, &segments);
                if value.is_null() {
                    *value = TEXT.into();
                }
            }
        }
    }
}
