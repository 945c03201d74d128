//! JSON output: one document per command.
//!
//! Fed with values by the commands. Read by programs.
//!
//! Invariants: keys are sorted, whatever features of `serde_json` some dependency switched on; every document has `schemaVersion`.

use crd_model::document::{HtmlCharacters, JsonWriter, send_value};
use serde_json::Value;

/// The version of all our documents: it grows when a key changes its meaning or goes, not when one is added.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// A document as text, on one line.
pub(crate) fn line(document: &Value) -> String {
    let mut writer = JsonWriter::new(HtmlCharacters::Plain);
    send_value(document, &mut writer);
    let mut text = writer.finish();
    text.push('\n');
    text
}
