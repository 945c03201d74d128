//! What our engine says of a CRD document: the reader, the rules of `crd_apiserver::refusal`, and the CEL checker, one after the other.
//!
//! Invariants: a document that cannot be read is not looked at further, as in the engine.

use crd_apiserver::refusal::{Authority, Part, Refusal, refusals};
use crd_cel::{self, Expression};
use crd_model::CustomResourceDefinition;
use crd_model::schema::{AdditionalProperties, Schema};

use serde_json::Value;

/// One reason for which our engine refuses a document.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// The rule of `crd_apiserver::refusal`, or `READER`, or `CEL`.
    pub(crate) rule: &'static str,
    /// Whether no server refuses it, and we do.
    pub(crate) is_house: bool,
    /// Where, as the server writes it, from the root of the document: `spec.versions[0].schema.openAPIV3Schema.properties[spec]`.
    pub(crate) place: String,
    /// In words, place included.
    pub(crate) words: String,
}

/// What the reader of documents says.
pub(crate) const READER: &str = "reader";

/// What the CEL checker says.
pub(crate) const CEL: &str = "cel";

/// Everything that our engine has against a document.
pub(crate) fn verdict(document: &Value) -> Vec<Said> {
    let crd = match CustomResourceDefinition::from_value(document) {
        Ok(crd) => crd,
        Err(errors) => {
            let said = |error: crd_model::schema::ReadError| Said {
                rule: READER,
                is_house: false,
                place: error.path.replace(".[", "["),
                words: error.to_string(),
            };
            return errors.into_iter().map(said).collect();
        }
    };
    let mut all: Vec<Said> = refusals(&crd).iter().map(|refusal| of_refusal(&crd, refusal)).collect();
    for (index, version) in crd.versions.iter().enumerate() {
        for finding in crd_cel::check_schema(&version.schema) {
            let node = in_schema(index, &version.schema, &finding.path);
            let expression = match finding.expression {
                Expression::Rule => "rule",
                Expression::Message => "messageExpression",
            };
            let place = format!("{node}.x-kubernetes-validations[{}].{expression}", finding.index);
            let words = format!("{}: {}: {}", version.name, finding.path, finding);
            all.push(Said { rule: CEL, is_house: false, place, words });
        }
    }
    all
}

fn of_refusal(crd: &CustomResourceDefinition, refusal: &Refusal) -> Said {
    let index = refusal.version.as_ref().and_then(|name| crd.versions.iter().position(|known| known.name == *name));
    let place = match (refusal.part, index) {
        (Part::Version, Some(index)) => format!("spec.versions[{index}].{}", refusal.path),
        (Part::Schema, Some(index)) => in_schema(index, &crd.versions[index].schema, &refusal.path),
        _ => refusal.path.clone(),
    };
    Said { rule: refusal.rule, is_house: refusal.authority() == Authority::House, place, words: refusal.to_string() }
}

/// A place in a version's schema, from our notation to the server's: `a["b.c"][*].{anyOf[0]}` becomes
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

/// The schema that `anyOf[0]` or `not` means.
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
