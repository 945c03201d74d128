//! The JSON schemas are those of the types. `UPDATE_SNAPSHOTS=1` writes them.

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::{SCHEMAS, page};
use crate::{command, conversion, fitting, linting, new_tombstones, testing, validation, verification};
#[cfg(feature = "cluster")]
use crate::{inspection, migration, skew, upgrade};

/// The schema of a type, as a file.
fn schema<T: JsonSchema>(name: &str) -> String {
    let mut schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    let url = format!("https://github.com/crd-channels/crd-channels/blob/main/gen/cli/schemas/{name}.json");
    schema.insert("$id".to_owned(), url.into());
    RecursiveTransform(|schema: &mut Schema| {
        // The sizes of Rust's numbers, which JSON does not have, and the lines of comments.
        schema.remove("format");
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = text.replace('\n', " ");
        }
    })
    .transform(&mut schema);
    format!("{}\n", text(&schema.to_value(), 0))
}

/// JSON with a line for each part that does not fit into one.
fn text(value: &Value, indent: usize) -> String {
    let line = value.to_string();
    if indent + line.len() <= 150 {
        return line;
    }
    let inner = " ".repeat(indent + 2);
    let parts = match value {
        Value::Object(map) => {
            let entries = map.iter();
            entries.map(|(key, value)| format!("{inner}\"{key}\": {}", text(value, indent + 2))).collect::<Vec<_>>()
        }
        Value::Array(items) => items.iter().map(|item| format!("{inner}{}", text(item, indent + 2))).collect(),
        _ => return line,
    };
    let [open, close] = if value.is_object() { ["{", "}"] } else { ["[", "]"] };
    format!("{open}\n{}\n{}{close}", parts.join(",\n"), " ".repeat(indent))
}

type Generated = (&'static str, fn(&str) -> String);

/// Every document whose schema is that of a type.
fn schemas() -> Vec<Generated> {
    vec![
        ("bindings", schema::<command::bindings::Bindings<'static>>),
        ("conversion", schema::<conversion::report::ConversionDocument<'static>>),
        ("docs", schema::<command::docs::page_file::Docs>),
        ("features", schema::<crd_stamps::features::Features>),
        ("findings", schema::<crd_review::report::Findings<'static>>),
        ("fit", schema::<fitting::Fit<'static>>),
        ("generation", schema::<crd_generator::command::generate::document::Generated<'static>>),
        ("graduation", schema::<command::graduate::document::GraduateDocument<'static>>),
        ("history", schema::<crd_review::releases::History<'static>>),
        ("history-archive", schema::<crd_bundle::history_archive::Index<'static>>),
        ("import", schema::<command::import::report::Import<'static>>),
        ("init", schema::<command::init::Init<'static>>),
        ("lenses", schema::<conversion::listed::Conversions<'static>>),
        ("lint", schema::<linting::report::LintDocument<'static>>),
        ("markers", schema::<crd_generator::command::markers::Markers>),
        ("new", schema::<crd_generator::command::new::report::NewWorkspace<'static>>),
        #[cfg(feature = "registry")]
        ("release", schema::<command::release::report::Release<'static>>),
        ("rules", schema::<command::rules::Rules>),
        ("suites", schema::<testing::report::json::Suites<'static>>),
        ("tombstones", schema::<new_tombstones::TombstoneDocument<'static>>),
        ("validation", schema::<validation::report::json::ValidationDocument<'static>>),
        ("verification", schema::<verification::report::VerificationDocument<'static>>),
        #[cfg(feature = "cluster")]
        ("inspection", schema::<inspection::document::Inspection<'static>>),
        #[cfg(feature = "cluster")]
        ("migration", schema::<migration::document::MigrationDocument<'static>>),
        #[cfg(feature = "cluster")]
        ("push", schema::<command::push::Push>),
        #[cfg(feature = "cluster")]
        ("serving", schema::<migration::document::Serving<'static>>),
        #[cfg(feature = "cluster")]
        ("skew", schema::<skew::document::Skew<'static>>),
        #[cfg(feature = "cluster")]
        ("upgrade", schema::<upgrade::document::UpgradeDocument<'static>>),
    ]
}

#[test]
fn schemas_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    for (name, schema) in schemas() {
        let (path, schema) = (folder.join(format!("{name}.json")), schema(name));
        if env::var_os("UPDATE_SNAPSHOTS").is_some() {
            fs::write(&path, &schema).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(found == schema, "{name}.json is not the schema of its type: run this test with UPDATE_SNAPSHOTS=1");
    }
}

#[test]
fn every_schema_is_listed() {
    let listed = SCHEMAS.iter().map(|(name, ..)| *name).collect::<BTreeSet<_>>();
    assert_eq!(listed.len(), SCHEMAS.len());
    assert!(schemas().iter().all(|(name, _)| listed.contains(name)));
}

#[test]
fn the_page_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/outputs.md");
    if env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&path, page()).unwrap();
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    assert!(found == page(), "stale: run `cargo xtask schema --page docs/reference/outputs.md`");
}
