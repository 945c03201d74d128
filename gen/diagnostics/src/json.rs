//! Diagnostics in JSON documents, and the text of a document.
//!
//! Invariants: every key is always present; a part that does not apply is `null`.

use std::borrow::Cow;
use std::fmt::Write as _;

use crd_model::channel::Channel;
use crd_model::document::{HtmlCharacters, JsonWriter, send_value};
use serde::{Serialize, Serializer};

use crate::{Diagnostic, ObjectName, Related, Severity, is_invisible};

/// A document on one line, with sorted keys whatever features of `serde_json` a dependency enables. Values are exact: invisible characters, and
/// what GitHub's runner reads as a command, are escapes of JSON.
pub fn line(document: &impl Serialize) -> String {
    let mut writer = JsonWriter::new(HtmlCharacters::Plain);
    // The keys of documents are texts, so each has a value.
    send_value(&serde_json::to_value(document).unwrap_or_default(), &mut writer);
    let text = writer.finish();
    let mut escaped = String::with_capacity(text.len() + 1);
    for character in text.chars() {
        if is_invisible(character) || character == '[' && escaped.ends_with("##") {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(character);
        }
    }
    escaped.push('\n');
    escaped
}

/// A message to the user.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Diagnostic"))]
struct DiagnosticDocument<'d> {
    /// The code: `area::name`, or the id of a rule. `explain CODE` prints its page.
    code: &'d str,
    severity: Severity,
    /// What is wrong, without the location.
    message: &'d str,
    /// How to fix it.
    help: Option<&'d str>,
    /// The file or folder.
    file: Option<Cow<'d, str>>,
    /// The line, from 1.
    line: Option<usize>,
    /// The column, from 1, in characters.
    column: Option<usize>,
    /// The Rust type.
    #[serde(rename = "type")]
    rust_type: Option<&'d str>,
    /// The field of the Rust type.
    field: Option<&'d str>,
    /// The channel, if it applies to one channel only.
    channel: Option<Channel>,
    /// The name of the CRD.
    crd: Option<&'d str>,
    /// The API version.
    version: Option<&'d str>,
    /// The schema path in the CRD, such as `spec.rules[*].name`; empty for the whole CRD.
    path: Option<&'d str>,
    /// The object.
    object: Option<&'d ObjectName>,
    /// Other locations with the same cause.
    related: Vec<RelatedLocation<'d>>,
}

/// Another location with the same cause.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RelatedLocation<'d> {
    /// What this location has to do with the diagnostic; may be empty.
    message: &'d str,
    /// The file or folder.
    file: Option<Cow<'d, str>>,
    /// The line, from 1.
    line: Option<usize>,
    /// The name of the CRD.
    crd: Option<&'d str>,
    /// The API version.
    version: Option<&'d str>,
    /// The schema path in the CRD; empty for the whole CRD.
    path: Option<&'d str>,
}

impl<'d> From<&'d Related> for RelatedLocation<'d> {
    fn from(Related { message, location }: &'d Related) -> Self {
        let crd = location.crd.as_ref();
        Self {
            message,
            file: location.file.as_ref().map(|file| file.to_string_lossy()),
            line: location.line,
            crd: crd.map(|crd| &*crd.name),
            version: crd.and_then(|crd| crd.version.as_deref()),
            path: crd.map(|crd| &*crd.path),
        }
    }
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let location = &*self.location;
        let (rust, crd) = (location.rust.as_ref(), location.crd.as_ref());
        DiagnosticDocument {
            code: self.code,
            severity: self.severity,
            message: &self.message,
            help: self.help.as_deref(),
            file: location.file.as_ref().map(|file| file.to_string_lossy()),
            line: location.line,
            column: location.column,
            rust_type: rust.map(|rust| &*rust.type_name),
            field: rust.and_then(|rust| rust.field.as_deref()),
            channel: location.channel,
            crd: crd.map(|crd| &*crd.name),
            version: crd.and_then(|crd| crd.version.as_deref()),
            path: crd.map(|crd| &*crd.path),
            object: location.object.as_ref(),
            related: self.related.iter().map(Into::into).collect(),
        }
        .serialize(serializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Diagnostic {
    fn schema_name() -> Cow<'static, str> {
        DiagnosticDocument::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        DiagnosticDocument::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_key_is_present() {
        let diagnostic = Diagnostic::error("crd-name", "a").at_line("a.yaml", 3);
        let document = serde_json::to_value(&diagnostic).unwrap();
        assert_eq!((&document["file"], &document["line"]), (&json!("a.yaml"), &json!(3)));
        assert_eq!(document.as_object().unwrap().len(), 15);
        assert!(document["crd"].is_null());
    }
}
