//! SARIF 2.1.0: the log, its rules, results and locations.
//!
//! Invariants: one run; every rule is listed, so that its index does not depend on the results; a fingerprint depends on what was found and
//! where, and on nothing else; two results with the same identity get different fingerprints.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::page::Page;
use crate::text::sentences;
use crate::{Diagnostic, Location, Severity, printable};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";

/// What files are relative to: the top of the sources, as code scanning names it.
const BASE: &str = "%SRCROOT%";

/// The name of the fingerprints. Its number grows when they are computed in another way.
const FINGERPRINT: &str = "crdChannels/v1";

/// A rule of the log.
#[derive(Clone, Debug)]
pub struct Rule {
    pub id: &'static str,
    /// What it is about, in one sentence.
    pub summary: String,
    /// Why, and what to do.
    pub explanation: String,
    /// The usual severity of its results.
    pub severity: Severity,
    /// Properties of the rule; `null` for none.
    pub properties: Value,
}

/// The rules that results can have, and the results so far. A log has the rules that occurred.
#[derive(Debug, Default)]
pub struct Run {
    rules: HashMap<&'static str, Rule>,
    /// The rules that occurred, in this order.
    occurred: Vec<&'static str>,
    /// How many results each fingerprint has.
    fingerprints: HashMap<String, usize>,
    results: Vec<Value>,
}

impl Run {
    /// A run without results.
    pub fn new(rules: Vec<Rule>) -> Self {
        Self { rules: rules.into_iter().map(|rule| (rule.id, rule)).collect(), ..Self::default() }
    }

    /// A run without results, whose rules are the pages of errors.
    pub fn of_pages(pages: impl IntoIterator<Item = Page>) -> Self {
        let rule = |page: Page| Rule {
            id: page.code,
            summary: page.summary,
            explanation: page.explanation,
            severity: Severity::Error,
            properties: Value::Null,
        };
        Self::new(pages.into_iter().map(rule).collect())
    }

    /// Adds a result. `identity` is what its fingerprint is computed from; `more` are further keys of the result, or other values of its
    /// keys.
    pub fn result(&mut self, diagnostic: &Diagnostic, identity: &[&str], more: Value) {
        let fingerprint = fingerprint(identity);
        let count = self.fingerprints.entry(fingerprint.clone()).or_default();
        *count += 1;
        let crd = diagnostic.location.crd.as_ref().map(|crd| format!("{}: ", printable(&crd.name))).unwrap_or_default();
        let mut result = json!({
            "ruleId": diagnostic.code,
            "kind": "fail",
            "level": diagnostic.severity.word(),
            "message": {"text": format!("{crd}{}", sentences(diagnostic))},
            "partialFingerprints": {FINGERPRINT: format!("{fingerprint}:{count}")},
        });
        // A rule of another tool has a name and no index.
        if let Some(rule) = self.rules.get(diagnostic.code) {
            let index = self.occurred.iter().position(|known| *known == rule.id).unwrap_or_else(|| {
                self.occurred.push(rule.id);
                self.occurred.len() - 1
            });
            result["ruleIndex"] = json!(index);
        }
        if let Some(location) = location(&diagnostic.location) {
            result["locations"] = json!([location]);
        }
        if let (Value::Object(result), Value::Object(more)) = (&mut result, more) {
            result.extend(more);
        }
        self.results.push(result);
    }

    /// The log. `notifications` are messages that are not results, each with its severity.
    pub fn log(self, successful: bool, notifications: &[(Severity, String)], properties: Value) -> Value {
        let notifications =
            notifications.iter().map(|(severity, text)| json!({"level": severity.word(), "message": {"text": text}}));
        json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "columnKind": "unicodeCodePoints",
                "tool": {"driver": {
                    "name": "CRD channels",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "informationUri": env!("CARGO_PKG_REPOSITORY"),
                    "rules": self.occurred.iter().filter_map(|id| self.rules.get(id)).map(rule).collect::<Vec<_>>(),
                }},
                "invocations": [{
                    "executionSuccessful": successful,
                    "toolExecutionNotifications": notifications.collect::<Vec<_>>(),
                }],
                "results": self.results,
                "properties": properties,
            }],
        })
    }
}

fn rule(rule: &Rule) -> Value {
    let mut document = json!({
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.explanation},
        "help": {"text": rule.explanation},
        "defaultConfiguration": {"level": rule.severity.word()},
    });
    if !rule.properties.is_null() {
        document["properties"] = rule.properties.clone();
    }
    document
}

/// The locations of a diagnostic in a file and in a CRD; none if it has neither.
fn location(location: &Location) -> Option<Value> {
    let mut map = Map::new();
    if let (Some(file), Some(line)) = (&location.file, location.line) {
        let file = file.to_string_lossy();
        let mut artifact = json!({"uri": uri(&file)});
        if !file.starts_with('/') {
            artifact["uriBaseId"] = json!(BASE);
        }
        let mut region = json!({"startLine": line});
        if let Some(column) = location.column {
            region["startColumn"] = json!(column);
        }
        map.insert("physicalLocation".to_owned(), json!({"artifactLocation": artifact, "region": region}));
    }
    if let Some(object) = &location.object {
        let parts = [Some(&*object.kind), object.namespace.as_deref(), Some(&*object.name)];
        let parts = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>();
        let named = json!([{"name": object.name, "fullyQualifiedName": parts.join("/"), "kind": "resource"}]);
        map.insert("logicalLocations".to_owned(), named);
    }
    if let Some(crd) = &location.crd {
        let parts = [&*crd.name, crd.version.as_deref().unwrap_or_default(), &*crd.path];
        let parts = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
        let kind = if parts.len() > 1 { "property" } else { "resource" };
        let name = crd.path.rsplit('.').next().filter(|name| !name.is_empty()).unwrap_or(&crd.name);
        map.insert(
            "logicalLocations".to_owned(),
            json!([{"name": name, "fullyQualifiedName": parts.join("/"), "kind": kind}]),
        );
    }
    (!map.is_empty()).then_some(Value::Object(map))
}

/// A file as a reference of RFC 3986, with `/` between its parts on every system.
fn uri(file: &str) -> String {
    let mut uri = String::new();
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            b'\\' => uri.push('/'),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

/// FNV-1a of 64 bits over the parts, each followed by a zero byte: short, and the same everywhere.
fn fingerprint(parts: &[&str]) -> String {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_become_references() {
        assert_eq!(uri("api-types/src/v1/gateway.rs"), "api-types/src/v1/gateway.rs");
        assert_eq!(uri("a b/c:d%é.rs"), "a%20b/c%3Ad%25%C3%A9.rs");
        assert_eq!(uri(r"a\b.rs"), "a/b.rs");
    }

    /// The expected values come from the algorithm's authors (draft-eastlake-fnv), for texts followed by a zero byte.
    #[test]
    fn fingerprints_are_fnv() {
        assert_eq!(fingerprint(&[]), "cbf29ce484222325");
        assert_eq!(fingerprint(&[""]), "af63bd4c8601b7df");
        assert_eq!(fingerprint(&["foobar"]), "34531ca7168b8f38");
        assert_ne!(fingerprint(&["ab", "c"]), fingerprint(&["a", "bc"]));
    }
}
