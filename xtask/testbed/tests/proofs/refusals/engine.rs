//! The findings of the engine for a CRD document: from the reader, the rules of `crd_apiserver::refusal`, and the CEL checker.
//!
//! Invariants: a document that cannot be read is not checked further, as in the engine.

use crd_apiserver::refusal::{Authority, Part, Refusal, advice, refusals};
use crd_cel::{self, Expression};
use crd_model::CustomResourceDefinition;
use crd_model::schema::{AdditionalProperties, Schema};

use serde_json::Value;

/// One reason why the engine refuses a document.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// The rule of `crd_apiserver::refusal`, or `READER`, or `CEL`.
    pub(crate) rule: &'static str,
    /// Whether only the engine refuses it, and no server.
    pub(crate) is_engine_only: bool,
    /// The location in the server's notation, from the root of the document: `spec.versions[0].schema.openAPIV3Schema.properties[spec]`.
    pub(crate) place: String,
    /// The message, with the location.
    pub(crate) words: String,
}

/// The rule of findings from the reader.
pub(crate) const READER: &str = "reader";

/// The rule of findings from the CEL checker.
pub(crate) const CEL: &str = "cel";

/// All findings of the engine for a document.
pub(crate) fn verdict(document: &Value) -> Vec<Finding> {
    let crd = match CustomResourceDefinition::from_value(document) {
        Ok(crd) => crd,
        Err(errors) => {
            let finding = |error: crd_model::schema::ReadError| Finding {
                rule: READER,
                is_engine_only: false,
                place: error.path.replace(".[", "["),
                words: error.to_string(),
            };
            return errors.into_iter().map(finding).collect();
        }
    };
    let mut all: Vec<Finding> =
        refusals(&crd).iter().chain(&advice(&crd)).map(|refusal| of_refusal(&crd, refusal)).collect();
    for (index, version) in crd.versions.iter().enumerate() {
        for problem in crd_cel::check_schema(&version.schema) {
            let node = in_schema(index, &version.schema, &problem.path);
            let expression = match problem.expression {
                Expression::Rule => "rule",
                Expression::Message => "messageExpression",
            };
            let place = format!("{node}.x-kubernetes-validations[{}].{expression}", problem.index);
            let words = format!("{}: {}: {}", version.name, problem.path, problem);
            all.push(Finding { rule: CEL, is_engine_only: false, place, words });
        }
    }
    all
}

fn of_refusal(crd: &CustomResourceDefinition, refusal: &Refusal) -> Finding {
    let index = refusal.version.as_ref().and_then(|name| crd.versions.iter().position(|known| known.name == *name));
    let place = match (refusal.part, index) {
        (Part::Version, Some(index)) => format!("spec.versions[{index}].{}", refusal.path),
        (Part::Schema, Some(index)) => in_schema(index, &crd.versions[index].schema, &refusal.path),
        _ => refusal.path.clone(),
    };
    Finding {
        rule: refusal.rule,
        is_engine_only: refusal.authority() != Authority::Server,
        place,
        words: refusal.to_string(),
    }
}

/// A location in a version's schema, translated to the server's notation: `a["b.c"][*].{anyOf[0]}` becomes
/// `….properties[a].properties[b.c].items.anyOf[0]`.
fn in_schema(version: usize, schema: &Schema, path: &str) -> String {
    let mut place = format!("spec.versions[{version}].schema.openAPIV3Schema");
    let mut at = Some(schema);
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("[*]") {
            rest = after;
            let items = at.and_then(|schema| schema.items.as_deref());
            let values = at.and_then(|schema| match &schema.additional_properties {
                Some(AdditionalProperties::Values(values)) => Some(&**values),
                _ => None,
            });
            place.push_str(if items.is_some() || values.is_none() { ".items" } else { ".additionalProperties" });
            at = items.or(values);
        } else if let Some(quoted) = rest.strip_prefix('[') {
            let mut names = serde_json::Deserializer::from_str(quoted).into_iter::<String>();
            let name = names.next().expect("a quoted name").expect("a quoted name");
            rest = &quoted[names.byte_offset()..];
            rest = rest.strip_prefix(']').expect("a bracket after the name");
            place.push_str(&format!(".properties[{name}]"));
            at = at.and_then(|schema| schema.properties.get(name.as_str()));
        } else {
            rest = rest.strip_prefix('.').unwrap_or(rest);
            if let Some(junctor) = rest.strip_prefix('{') {
                let (junctor, after) = junctor.split_once('}').expect("a brace after the junctor");
                rest = after;
                place.push('.');
                place.push_str(junctor);
                at = at.and_then(|schema| alternative(schema, junctor));
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                rest = after;
                place.push_str(&format!(".properties[{name}]"));
                at = at.and_then(|schema| schema.properties.get(name));
            }
        }
    }
    place
}

/// The schema at `anyOf[0]` or `not`.
fn alternative<'s>(schema: &'s Schema, junctor: &str) -> Option<&'s Schema> {
    let (keyword, index) = junctor.split_once('[').unwrap_or((junctor, "0]"));
    let index: usize = index.trim_end_matches(']').parse().ok()?;
    match keyword {
        "allOf" => schema.all_of.get(index),
        "anyOf" => schema.any_of.get(index),
        "oneOf" => schema.one_of.get(index),
        _ => schema.not.as_deref(),
    }
}
