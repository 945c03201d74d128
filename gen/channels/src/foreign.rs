//! Foreign types: fields whose type only implements schemars' `JsonSchema` (feature `schemars`).
//!
//! Fed by `#[api(foreign)]` fields. Read by the engine, which makes the schema structural or refuses it with a reason.
//!
//! Invariants: what leaves here is the JSON text of the schema that schemars makes for deserialization, and nothing is lost or
//! rewritten on the way:
//! * JSON Schema 2020-12 is what schemars writes first; its settings for OpenAPI 3 or draft 7 rewrite that and lose what differs
//!   (names of tuples' items, the second and later examples, which properties an inner schema has);
//! * references stay references, so that a type that contains itself can be told by name;
//! * the type itself is a reference as well: as a root, schemars would call it `#` and put its name where the heading of its
//!   documentation stands (`title`).

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

/// The schema of a foreign type as JSON text: the schema itself, or a reference, beside all definitions it needs in `$defs`.
pub fn schema_text<T: JsonSchema>() -> String {
    let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let mut schema = generator.subschema_for::<T>();
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        schema.ensure_object().insert("$defs".to_owned(), definitions.into());
    }
    schema.to_value().to_string()
}
