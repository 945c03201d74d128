//! What the data contains once and uses often: states of schema nodes, facts of API versions, and descriptions.
//!
//! Invariants: equal texts have one index. Indices have the order of the first use.

use std::collections::HashMap;

use crd_model::crd::Version;
use crd_model::document::{HtmlCharacters, JsonWriter};
use crd_model::{CustomResourceDefinition, Schema};
use serde_json::Value;

/// The index of something that does not exist.
pub(crate) const ABSENT: i64 = -1;

#[derive(Debug, Default)]
pub(crate) struct Interner {
    indices: HashMap<String, i64>,
    texts: Vec<String>,
}

impl Interner {
    /// The index of a text.
    pub(crate) fn index(&mut self, text: String) -> i64 {
        if let Some(index) = self.indices.get(&text) {
            return *index;
        }
        let index = i64::try_from(self.texts.len()).unwrap_or(ABSENT);
        self.texts.push(text.clone());
        self.indices.insert(text, index);
        index
    }

    /// The texts by index.
    pub(crate) fn into_texts(self) -> Vec<String> {
        self.texts
    }
}

/// A node of a schema as JSON, without its description and without the nodes below it. Nodes in `allOf` and its like belong to the node.
pub(crate) fn state(schema: &Schema) -> String {
    let mut writer = JsonWriter::new(HtmlCharacters::Plain);
    schema.send_own(&mut writer);
    writer.finish()
}

/// An API version as JSON, without its name and its schema.
pub(crate) fn facts(version: &Version) -> String {
    let crd =
        CustomResourceDefinition { versions: vec![without_schema(version)], ..CustomResourceDefinition::default() };
    let mut facts = crd.to_value().pointer_mut("/spec/versions/0").map(Value::take).unwrap_or_default();
    if let Some(facts) = facts.as_object_mut() {
        facts.remove("name");
        facts.remove("schema");
    }
    facts.to_string()
}

fn without_schema(version: &Version) -> Version {
    let Version {
        columns,
        deprecated,
        deprecation_warning,
        name,
        schema: _,
        selectable_fields,
        served,
        storage,
        subresources,
    } = version;
    Version {
        columns: columns.clone(),
        deprecated: *deprecated,
        deprecation_warning: deprecation_warning.clone(),
        name: name.clone(),
        schema: Schema::default(),
        selectable_fields: selectable_fields.clone(),
        served: *served,
        storage: *storage,
        subresources: subresources.clone(),
    }
}
