//! Foreign types: fields whose type only implements schemars' `JsonSchema` (feature `schemars`).
//!
//! Invariants: the result is the JSON text of the schema that schemars makes for reading (`Contract::Deserialize`), unchanged:
//! * It is JSON Schema 2020-12, schemars' original form. The settings for OpenAPI 3 and draft 7 rewrite it and lose parts: they
//!   keep one example, and forbid fields of a flattened enum that is referenced (`deny_unknown_fields`).
//! * References stay references, so that a recursive type can be reported by its name.
//! * The type itself is a reference too. As a root, schemars would name it `#` and put its name in `title`, where the heading of
//!   its documentation belongs.
//!
//! A type that writes other names than it reads (`rename(serialize = …)`, `skip_deserializing`) has the schema of what it reads:
//! servers prune the rest of what it writes.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

/// A type that can be used in a field marked `#[api(foreign)]`: every one that implements `JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a foreign type",
    label = "`{Self}` does not implement schemars' `JsonSchema`",
    note = "derive `schemars::JsonSchema` for it, or put `#[api]` on it and remove `#[api(foreign)]` here"
)]
pub trait ForeignSchema {
    /// Its schema as JSON text: the schema itself or a reference to it, with all definitions that it needs in `$defs`.
    fn schema_text() -> String;
}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> ForeignSchema for T {
    fn schema_text() -> String {
        let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
        let mut schema = generator.subschema_for::<T>();
        let definitions = generator.take_definitions(true);
        if !definitions.is_empty() {
            schema.ensure_object().insert("$defs".to_owned(), definitions.into());
        }
        schema.to_value().to_string()
    }
}
