//! The JSON document of `graduate`.

use crd_diagnostics::{Diagnostic, json};
use crd_graduation::Table;
use crd_graduation::document::{self, PastDocument, TableDocument};
use crd_model::document::SchemaVersion;
use serde::Serialize;

use crate::marker_edit::EditDocument;

/// What `graduate` prints with `--format json`: one document, on one line. `graduation.json` of a bundle has the keys of the table. Exit code 0: fine.
/// 1: `check` would refuse the edit. 2: something cannot be read; then `errors` has the reasons. 3: with `--check`, a file is out of date.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Graduation"))]
pub(crate) struct GraduateDocument<'g> {
    pub(super) schema_version: SchemaVersion<1>,
    /// The table; without `--past`.
    #[serde(flatten)]
    pub(super) table: Option<TableDocument<'g>>,
    /// The edit that graduates the named elements; absent without names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) edit: Option<EditDocument<'g>>,
    /// The graduations of past releases, with `--past`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) graduations: Option<Vec<PastDocument<'g>>>,
    /// Why the result is absent.
    pub(super) errors: &'g [Diagnostic],
}

/// The document of a table.
pub(super) fn table_line(table: &Table) -> String {
    json::line(&GraduateDocument { table: Some(document::document(table)), ..GraduateDocument::default() })
}
