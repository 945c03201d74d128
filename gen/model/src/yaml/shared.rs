//! CRDs in plain YAML, with schemas that share their parts.
//!
//! The releases of a project and its channels consist of the same schemas for the most part. The value of a property that is written like one that
//! was read before becomes the same schema: it is read once, kept once, and equal at once where schemas are compared.
//!
//! Invariants: what is read here is what [`super::documents`] and [`CustomResourceDefinition::from_published`](crate::CustomResourceDefinition)
//! would read. Texts with an error or near a limit are left to them. Texts are compared, not only their digests. A schema that is no longer in
//! use is freed.

mod index;
mod known;

use std::sync::Arc;

use serde_json::Value;

use super::block::{self, CountedSchema, DEEPEST, Lines, ReadSchemas, entry, is_item};
use super::section::Section;
use crate::entries::Reader;
use crate::schema::{AdditionalProperties, Properties, Schema, Text};
use index::Index;
pub use known::SharedSchemas;

/// The longest text that is read here: as JSON it is smaller than the largest CRD that a server takes.
const LONGEST: usize = 1 << 20;
/// How long all paths of a text may be together: half of what readers of CRDs permit.
const MOST_PATH_BYTES: usize = 32_000_000;
/// The shortest value of a property that is looked up: shorter ones are read as fast.
const SHORTEST: usize = 300;

/// A document of a text, and the schemas of its versions if it is a CRD.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedDocument {
    /// The document. Of a CRD, each `openAPIV3Schema` is an empty map.
    pub value: Value,
    pub section: Section,
    /// The schemas of the versions of a CRD, in their order.
    pub schemas: Vec<Schema>,
    /// How many maps the schemas have.
    pub maps: usize,
}

/// The documents of a text if it is plain YAML, and has CRDs of `apiextensions.k8s.io/v1` without errors in their schemas. Their parts are
/// shared with what was read with the same `known`.
pub fn shared_documents(text: &Arc<String>, known: &SharedSchemas) -> Option<Vec<SharedDocument>> {
    if text.len() > LONGEST || !text.contains("openAPIV3Schema:") {
        return None;
    }
    let index = Index::of(text).filter(|index| index.path_bytes <= MOST_PATH_BYTES)?;
    let mut schemas = Schemas { text, known, index, reader: Reader { is_published: true, ..Reader::default() } };
    let mut documents = Vec::new();
    for (value, section, found) in block::documents(text, Some(&mut schemas))? {
        let (schemas, maps): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        if schemas.len() != versions(&value)? {
            return None;
        }
        documents.push(SharedDocument { value, section, schemas, maps: maps.iter().sum() });
    }
    schemas.reader.errors.is_empty().then_some(documents)
}

/// How many versions a CRD has; zero for other documents. None if a version of a CRD has no schema.
fn versions(document: &Value) -> Option<usize> {
    let is = |key: &str, wanted: &str| document.get(key).is_some_and(|value| value == wanted);
    if !is("apiVersion", "apiextensions.k8s.io/v1") || !is("kind", "CustomResourceDefinition") {
        return Some(0);
    }
    let versions = document.get("spec")?.get("versions")?.as_array()?;
    let has_schema = |version: &Value| version.get("schema").is_some_and(|schema| schema.get(block::SCHEMA).is_some());
    versions.iter().all(has_schema).then_some(versions.len())
}

/// What reads the schemas of a text.
struct Schemas<'t> {
    text: &'t Arc<String>,
    known: &'t SharedSchemas,
    index: Index,
    reader: Reader,
}

impl<'t> ReadSchemas<'t> for Schemas<'t> {
    fn read(&mut self, lines: &mut Lines<'t, '_>, indent: isize, depth: usize) -> Option<CountedSchema> {
        if depth > DEEPEST {
            return None;
        }
        let (mut schema, mut maps) = (Schema::default(), 1);
        let mut keywords: Vec<&str> = Vec::with_capacity(8);
        while let Some(line) = lines.peek().ok()? {
            if line.indent < indent {
                break;
            }
            let (keyword, rest) = entry(line.content).filter(|_| line.indent == indent)?;
            lines.take()?;
            if keywords.contains(&keyword) {
                return None;
            }
            keywords.push(keyword);
            let below = match rest {
                "" => lines.peek().ok()?.filter(|next| next.indent > indent && !is_item(next.content)),
                _ => None,
            };
            match (keyword, below) {
                ("properties", Some(first)) => {
                    maps += self.properties(lines, &mut schema.properties, first.indent, depth + 1)?;
                }
                ("items" | "additionalProperties", Some(first)) => {
                    let (read, more) = self.read(lines, first.indent, depth + 1)?;
                    maps += more;
                    match keyword {
                        "items" => schema.items = Some(Box::new(read)),
                        _ => schema.additional_properties = Some(AdditionalProperties::Values(Box::new(read))),
                    }
                }
                _ => match (keyword, lines.value(rest, indent, depth)?) {
                    ("description", Value::String(text)) => schema.description = Some(Text::Owned(text)),
                    (_, value) => {
                        maps += maps_of(&value);
                        self.reader.keyword(&mut schema, keyword, &value);
                    }
                },
            }
        }
        Some((schema, maps))
    }
}

impl<'t> Schemas<'t> {
    /// Properties whose names have this indentation. Returns how many maps they have.
    fn properties(
        &mut self,
        lines: &mut Lines<'t, '_>,
        properties: &mut Properties,
        indent: isize,
        depth: usize,
    ) -> Option<usize> {
        if depth > DEEPEST {
            return None;
        }
        let mut maps = 1;
        while let Some(line) = lines.peek().ok()? {
            if line.indent < indent {
                break;
            }
            let (name, rest) = entry(line.content).filter(|_| line.indent == indent)?;
            lines.take()?;
            let (schema, more) = match rest {
                "" => self.property(lines, indent, depth)?,
                rest => {
                    let value = lines.value(rest, indent, depth)?;
                    (Arc::new(self.reader.schema(&value)), maps_of(&value))
                }
            };
            maps += more;
            properties.insert_new(Text::Owned(name.to_owned()), schema).then_some(())?;
        }
        Some(maps)
    }

    /// The schema of a property, whose name is in the last line.
    fn property(&mut self, lines: &mut Lines<'t, '_>, indent: isize, depth: usize) -> Option<(Arc<Schema>, usize)> {
        let part = self.index.below(lines.number);
        let is_long = part.bytes.len() >= SHORTEST;
        if is_long && let Some(shared) = self.known.find(self.text, &part, depth) {
            lines.skip_to(part.bytes.end, part.end);
            return Some(shared);
        }
        let first = lines.peek().ok()?.filter(|first| first.indent > indent)?;
        let (schema, maps) = self.read(lines, first.indent, depth + 1)?;
        let schema = Arc::new(schema);
        if is_long && self.reader.errors.is_empty() {
            self.known.keep(self.text, part, depth, &schema, maps);
        }
        Some((schema, maps))
    }
}

/// How many maps a value has.
fn maps_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(maps_of).sum(),
        Value::Object(map) => 1 + map.values().map(maps_of).sum::<usize>(),
        _ => 0,
    }
}
