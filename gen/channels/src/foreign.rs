//! Foreign types: fields whose type only implements schemars' `JsonSchema` (feature `schemars`).
//!
//! Fed by `#[api(foreign)]` fields. Read by the engine, which makes the schema structural or refuses it with a reason.
//!
//! Invariants: what leaves here is JSON text of the schema that schemars makes of what serde reads (`Contract::Deserialize`), and
//! nothing is lost or rewritten on the way:
//! * JSON Schema 2020-12 is what schemars writes first. Its settings for OpenAPI 3 and draft 7 rewrite that and lose something: they
//!   keep one example, and forbid fields that a flattened enum has behind a reference (`deny_unknown_fields`);
//! * references stay references, so that a type that contains itself can be told by its name;
//! * the type itself is a reference as well: as a root, schemars would call it `#`, and put its name where the heading of its
//!   documentation stands (`title`).
//!
//! A type that writes other names than it reads (`rename(serialize = …)`, `skip_deserializing`) has the schema of what it reads: servers
//! prune the rest of what it writes.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

/// A type that can stand in a field marked `#[api(foreign)]`: every one that implements `JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a foreign type",
    label = "`{Self}` does not implement schemars' `JsonSchema`",
    note = "derive `schemars::JsonSchema` for it, or put `#[api]` on it and remove `#[api(foreign)]` here"
)]
pub trait ForeignSchema {
    /// Its schema as JSON text: the schema itself, or a reference to it, beside all definitions that it needs in `$defs`.
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
