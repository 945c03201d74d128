//! Diagnostics as JSON objects.
//!
//! Invariants: every key is always present; a part that does not apply is `null`. `rule` is the id of a rule; `code` is the code of every
//! diagnostic. The severity, the CRD and related locations are not part of it.

use std::fmt::Write as _;

use crd_model::document::{HtmlCharacters, JsonWriter, send_value};
use serde_json::{Value, json};

use crate::{Diagnostic, is_invisible};

/// The version of all JSON documents. It grows when a key changes its meaning or is removed, not when a key is added.
pub const SCHEMA_VERSION: u32 = 1;

/// A document on one line, with sorted keys whatever features of `serde_json` a dependency enables. Values are exact: invisible characters, and
/// what GitHub's runner reads as a command, are escapes of JSON.
pub fn line(document: &Value) -> String {
    let mut writer = JsonWriter::new(HtmlCharacters::Plain);
    send_value(document, &mut writer);
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

/// The keys `file`, `line`, `type`, `field`, `channel`, `rule`, `code`, `message` and `help`.
pub fn error(diagnostic: &Diagnostic) -> Value {
    let location = &diagnostic.location;
    let rust = location.rust.as_ref();
    json!({
        "file": location.file.as_ref().map(|file| file.to_string_lossy()),
        "line": location.line,
        "type": rust.map(|rust| &rust.type_name),
        "field": rust.and_then(|rust| rust.field.as_ref()),
        "channel": location.channel.map(|channel| channel.name()),
        "rule": rule(diagnostic.code),
        "code": diagnostic.code,
        "message": diagnostic.message,
        "help": diagnostic.help,
    })
}

/// The keys `kind`, `crd`, `path`, `message`, `fix` and `source`.
pub fn problem(diagnostic: &Diagnostic) -> Value {
    let crd = diagnostic.location.crd.as_ref();
    json!({
        "kind": diagnostic.code,
        "crd": crd.map(|crd| &crd.name),
        "path": crd.map(|crd| &*crd.path).unwrap_or_default(),
        "message": diagnostic.message,
        "fix": diagnostic.help,
        "source": source(diagnostic),
    })
}

/// The code, if it is the id of a rule.
fn rule(code: &str) -> Option<&str> {
    (!code.contains("::")).then_some(code)
}

/// `{"file": …, "line": …}` of a diagnostic, or `null` without a line.
pub fn source(diagnostic: &Diagnostic) -> Value {
    match (&diagnostic.location.file, diagnostic.location.line) {
        (Some(file), Some(line)) => json!({"file": file.to_string_lossy(), "line": line}),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_of_rules_are_rules() {
        let document = error(&Diagnostic::error("crd-name", "a").at_line("a.yaml", 3));
        assert_eq!(document["rule"], "crd-name");
        assert_eq!((&document["file"], &document["line"]), (&json!("a.yaml"), &json!(3)));
        let document = error(&Diagnostic::error("file::io", "a"));
        assert_eq!((&document["rule"], &document["code"]), (&Value::Null, &json!("file::io")));
        assert_eq!(document["line"], Value::Null);
    }
}
