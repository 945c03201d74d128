//! Findings as SARIF 2.1.0.
//!
//! Invariants: one run; every rule is listed, whatever was found, so that its index never depends on the findings; a waiver is a
//! suppression only if it is what lets the finding pass; fingerprints depend on what was found and where, and on nothing else.

use std::collections::HashMap;

use crd_compat::{Finding, RequiredBump, Severity};
use serde_json::{Map, Value, json};

use super::catalogue::{Entry, entries};
use super::problem::Problem;
use super::{Located, Report, SourceLine, is_silent, sentence, summary, values};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";

/// What files are relative to: the top of the sources, as code scanning calls it.
const BASE: &str = "%SRCROOT%";

/// The name of our fingerprints; the number grows when they are made otherwise.
const FINGERPRINT: &str = "crdChannels/v1";

/// The document of a report.
pub(super) fn document(report: &Report) -> Value {
    let entries = entries();
    let indices = entries.iter().enumerate().map(|(index, entry)| (entry.id, index)).collect::<HashMap<_, _>>();
    let mut run = Run { report, indices, fingerprints: HashMap::new() };
    let mut results = report.problems.iter().map(|problem| run.problem(problem)).collect::<Vec<_>>();
    results.extend(report.ordered().into_iter().map(|located| run.finding(located)));
    let messages =
        report.notes.iter().chain(&summary::sentences(report)).map(|text| notification("note", text)).collect();
    let side = |side: &super::Named| json!({"name": side.name, "version": side.version});
    log(
        &entries,
        results,
        true,
        messages,
        json!({
            "baseline": report.baseline.as_ref().map(side),
            "candidate": side(&report.candidate),
            "profile": report.profile.name(),
            "verdict": report.verdict.bundle.word(),
            "verdictWithoutWaivers": report.verdict.without_waivers.word(),
            "permitted": report.permitted.map(RequiredBump::word),
            "needed": report.needed,
            "fits": report.fits(),
        }),
    )
}

/// The document if nothing could be checked.
pub(super) fn refusal(errors: &[String]) -> Value {
    let messages = errors.iter().map(|text| notification("error", text)).collect();
    log(&entries(), Vec::new(), false, messages, json!({}))
}

fn log(entries: &[Entry], results: Vec<Value>, successful: bool, messages: Vec<Value>, properties: Value) -> Value {
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "CRD channels",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": entries.iter().map(rule).collect::<Vec<_>>(),
            }},
            "invocations": [{"executionSuccessful": successful, "toolExecutionNotifications": messages}],
            "results": results,
            "properties": properties,
        }],
    })
}

fn notification(level: &str, text: &str) -> Value {
    json!({"level": level, "message": {"text": text}})
}

fn rule(entry: &Entry) -> Value {
    let level = match entry.usual {
        usual if usual.blocks() => "error",
        RequiredBump::Major => "warning",
        _ => "note",
    };
    let mut rule = json!({
        "id": entry.id,
        "shortDescription": {"text": entry.summary},
        "fullDescription": {"text": entry.explanation},
        "help": {"text": entry.explanation},
        "defaultConfiguration": {"level": level},
    });
    if !entry.policy.is_null() {
        rule["properties"] = json!({"policy": entry.policy});
    }
    rule
}

struct Run<'r> {
    report: &'r Report,
    indices: HashMap<&'static str, usize>,
    /// How often each fingerprint was given.
    fingerprints: HashMap<String, usize>,
}

impl Run<'_> {
    fn finding(&mut self, located: &Located) -> Value {
        let finding = &located.finding;
        let severity = self.report.severity(finding);
        // What a waiver lets pass keeps the level that it would have, and is suppressed.
        let waived = finding.waived.as_ref().filter(|_| severity < Severity::Error);
        let level = match waived {
            Some(_) => self.report.severity(&Finding { waived: None, ..finding.clone() }),
            None => severity,
        };
        let (kind, level) = match is_silent(finding) {
            true => ("informational", "none"),
            false => ("fail", super::severity_word(level)),
        };
        let name = finding.path.rsplit('.').next().filter(|name| !name.is_empty()).unwrap_or(&finding.crd);
        let version = finding.version.as_deref().unwrap_or_default();
        let identity = [
            finding.rule,
            finding.channel.name(),
            &finding.crd,
            version,
            &finding.path,
            &finding.before.as_ref().map(values::text).unwrap_or_default(),
            &finding.after.as_ref().map(values::text).unwrap_or_default(),
        ];
        let mut result = self.result(finding.rule, &identity);
        put(&mut result, "kind", json!(kind));
        put(&mut result, "level", json!(level));
        let text = format!("{}: {}", values::printable(&finding.crd), sentence::finding(finding));
        put(&mut result, "message", json!({"text": text}));
        let logical = logical(name, &[&finding.crd, version, &finding.path]);
        put(&mut result, "locations", json!([location(located.source.as_ref(), Some(logical))]));
        if self.report.baseline.is_some() {
            put(&mut result, "baselineState", json!(if finding.known { "unchanged" } else { "new" }));
        }
        if let Some(waived) = waived {
            let suppression = json!({
                "kind": "external",
                "status": "accepted",
                "justification": waived.reason,
                "properties": {"waivedTo": waived.to.word()},
            });
            put(&mut result, "suppressions", json!([suppression]));
        }
        let properties = json!({
            "channel": finding.channel.name(),
            "ruling": finding.required_bump.word(),
            "effective": finding.effective().word(),
            "direction": finding.direction.map(|direction| direction.word()),
            "decides": self.report.decides(finding),
        });
        put(&mut result, "properties", properties);
        Value::Object(result)
    }

    fn problem(&mut self, problem: &Problem) -> Value {
        let id = problem.kind.row().id;
        let crd = problem.crd.as_deref().unwrap_or_default();
        let mut result = self.result(id, &[id, crd, &problem.path, &problem.message]);
        put(&mut result, "kind", json!("fail"));
        put(&mut result, "level", json!("error"));
        let about = problem.crd.as_deref().map(|crd| format!("{}: ", values::printable(crd))).unwrap_or_default();
        put(&mut result, "message", json!({"text": format!("{about}{}", sentence::problem(problem))}));
        let name = problem.path.rsplit('.').next().filter(|name| !name.is_empty()).unwrap_or(crd);
        let logical = problem.crd.is_some().then(|| logical(name, &[crd, &problem.path]));
        if logical.is_some() || problem.source.is_some() {
            put(&mut result, "locations", json!([location(problem.source.as_ref(), logical)]));
        }
        if self.report.baseline.is_some() {
            put(&mut result, "baselineState", json!("new"));
        }
        Value::Object(result)
    }

    /// A result of a rule. Two that have the same identity are counted, so that none takes the other's place.
    fn result(&mut self, rule: &str, identity: &[&str]) -> Map<String, Value> {
        let fingerprint = fingerprint(identity);
        let before = self.fingerprints.entry(fingerprint.clone()).or_default();
        *before += 1;
        let mut result = Map::new();
        put(&mut result, "ruleId", json!(rule));
        // A rule of another project has a name and no index.
        if let Some(index) = self.indices.get(rule) {
            put(&mut result, "ruleIndex", json!(index));
        }
        put(&mut result, "partialFingerprints", json!({FINGERPRINT: format!("{fingerprint}:{before}")}));
        result
    }
}

fn put(map: &mut Map<String, Value>, key: &str, value: Value) {
    map.insert(key.to_owned(), value);
}

/// Where it is in the CRDs, whatever file they come from.
fn logical(name: &str, parts: &[&str]) -> Value {
    let parts = parts.iter().copied().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    let kind = if parts.len() > 1 { "property" } else { "resource" };
    json!({"name": name, "fullyQualifiedName": parts.join("/"), "kind": kind})
}

fn location(source: Option<&SourceLine>, logical: Option<Value>) -> Value {
    let mut location = Map::new();
    if let Some(SourceLine { file, line }) = source {
        let mut artifact = json!({"uri": uri(file)});
        if !file.starts_with('/') {
            artifact["uriBaseId"] = json!(BASE);
        }
        let place = json!({"artifactLocation": artifact, "region": {"startLine": line}});
        put(&mut location, "physicalLocation", place);
    }
    if let Some(logical) = logical {
        put(&mut location, "logicalLocations", json!([logical]));
    }
    Value::Object(location)
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

/// FNV-1a of 64 bits over the parts, each with its end: short, the same everywhere, and no secret.
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

    /// The values are those of the algorithm's authors (draft-eastlake-fnv) for texts with the zero byte behind them.
    #[test]
    fn fingerprints_are_fnv() {
        assert_eq!(fingerprint(&[]), "cbf29ce484222325");
        assert_eq!(fingerprint(&[""]), "af63bd4c8601b7df");
        assert_eq!(fingerprint(&["foobar"]), "34531ca7168b8f38");
        assert_ne!(fingerprint(&["ab", "c"]), fingerprint(&["a", "bc"]));
    }
}
