//! Conformance reports: which projects pass the tests of which features.
//!
//! A report is a YAML or JSON document of the kind `ConformanceReport`, as Gateway API publishes them, or a line of JSON with the same facts under short names.
//!
//! Written rules:
//! * A project passes a feature if a profile of its report lists it as supported, and the result of the profile's extended tests is `success`. A *partial* result has
//!   skipped tests, and proves nothing.
//! * Core features have no list: the profile names them, and its core result decides ([`PROFILES`]).
//! * Names of features are compared as they are written.
//! * A report without a date, which is `-`, counts only if no date limits the reports.
//!
//! Invariants: reports that are equal count once. All errors are reported together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crd_bundle::Released;
use crd_diagnostics::Diagnostic;
use crd_model::yaml;
use jiff::Timestamp;
use serde_json::{Map, Value};

/// The code of a report that cannot be read.
pub const MALFORMED: &str = "evidence::malformed";

/// The kind of a report.
const KIND: &str = "ConformanceReport";

/// The core features of each profile, as the conformance suite of Gateway API defines its profiles.
pub const PROFILES: [(&str, &[&str]); 10] = [
    ("GATEWAY-GRPC", &["Gateway", "ReferenceGrant", "GRPCRoute"]),
    ("GATEWAY-HTTP", &["Gateway", "ReferenceGrant", "HTTPRoute"]),
    ("GATEWAY-TCP", &["Gateway", "ReferenceGrant", "TCPRoute"]),
    ("GATEWAY-TLS", &["Gateway", "ReferenceGrant", "TLSRoute"]),
    ("GATEWAY-UDP", &["Gateway", "ReferenceGrant", "UDPRoute"]),
    ("MESH-GRPC", &["Mesh", "GRPCRoute"]),
    ("MESH-HTTP", &["Mesh", "HTTPRoute"]),
    // The names until v1.0.0.
    ("HTTP", &["Gateway", "ReferenceGrant", "HTTPRoute"]),
    ("MESH", &["Mesh", "HTTPRoute"]),
    ("TLS", &["Gateway", "ReferenceGrant", "TLSRoute"]),
];

/// The result of tests that all passed.
const SUCCESS: &str = "success";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Report {
    /// When it was made.
    pub date: Option<Released>,
    /// The project, such as `envoyproxy/gateway`.
    pub project: String,
    pub version: String,
    /// The release of the API that was tested.
    pub release: String,
    /// The features that it supports.
    pub supported: BTreeSet<String>,
    /// Those of them whose tests all passed.
    pub passed: BTreeSet<String>,
}

/// A project that passes features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passing {
    pub project: String,
    /// The date of the report with which it passes all of them; none if the report has no date.
    pub first: Option<Released>,
    /// Its newest version that passes one of them.
    pub version: String,
    /// The release of the API that this version was tested with.
    pub release: String,
}

/// The date of reports that have none.
const NO_DATE: &str = "-";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    reports: Vec<Report>,
}

impl Evidence {
    /// Reads the texts of files: the reports, and warnings about them.
    ///
    /// # Errors
    /// All errors of all files. Unknown keys are not errors.
    pub fn read<'f>(
        files: impl IntoIterator<Item = (&'f Path, &'f str)>,
    ) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        let mut reading = Reading::default();
        for (file, text) in files {
            let is_lines = file.extension().is_some_and(|extension| extension == "jsonl");
            if is_lines { reading.lines(file, text) } else { reading.documents(file, text) }
        }
        let Reading { reports, warnings, errors } = reading;
        match errors.is_empty() {
            true => Ok((Self { reports: reports.into_iter().collect() }, warnings)),
            false => Err(errors),
        }
    }

    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// The reports until a date.
    fn until(&self, until: Option<Released>) -> impl Iterator<Item = &Report> {
        let counts = move |report: &&Report| until.is_none_or(|until| report.date.is_some_and(|date| date <= until));
        self.reports.iter().filter(counts)
    }

    /// Whether there is a report until a date.
    pub fn has_report(&self, until: Option<Released>) -> bool {
        self.until(until).next().is_some()
    }

    /// Whether a report lists a feature as supported.
    pub fn lists(&self, feature: &str, until: Option<Released>) -> bool {
        self.until(until).any(|report| report.supported.contains(feature))
    }

    /// The projects that pass all of these features until a date, each feature in any report, by the date with which they do.
    pub fn passing(&self, features: &[String], until: Option<Released>) -> Vec<Passing> {
        let mut projects: BTreeMap<&str, Vec<&Report>> = BTreeMap::new();
        for report in self.until(until) {
            projects.entry(&report.project).or_default().push(report);
        }
        let passes = |(project, reports): (&str, Vec<&Report>)| {
            // Reports are ordered by date.
            let first = |feature: &String| reports.iter().find(|report| report.passed.contains(feature));
            let firsts = features.iter().map(first).collect::<Option<Vec<_>>>()?;
            let newest =
                reports.iter().rev().find(|report| features.iter().any(|feature| report.passed.contains(feature)))?;
            Some(Passing {
                project: project.to_owned(),
                first: firsts.into_iter().map(|report| report.date).max().flatten(),
                version: newest.version.clone(),
                release: newest.release.clone(),
            })
        };
        let mut passing = projects.into_iter().filter_map(passes).collect::<Vec<_>>();
        passing.sort_by(|one, other| (one.first, &one.project).cmp(&(other.first, &other.project)));
        passing
    }
}

#[derive(Default)]
struct Reading {
    reports: BTreeSet<Report>,
    warnings: Vec<Diagnostic>,
    errors: Vec<Diagnostic>,
}

impl Reading {
    fn error(&mut self, file: &Path, line: Option<usize>, message: impl Into<String>) {
        let error = Diagnostic::error(MALFORMED, message.into()).at_line(file, line);
        self.errors.push(error.help("a report is a `ConformanceReport`, or a line of JSON with `project`, `version`, `release`, `date` and `profiles`"));
    }

    /// A line of JSON for each report.
    fn lines(&mut self, file: &Path, text: &str) {
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str::<Value>(line) {
                Ok(Value::Object(map)) => self.report(file, index + 1, &map, &SHORT),
                Ok(_) => self.error(file, Some(index + 1), "a line is not a JSON object"),
                Err(error) => self.error(file, Some(index + 1), format!("a line is not JSON: {error}")),
            }
        }
    }

    /// Documents of YAML, or one of JSON.
    fn documents(&mut self, file: &Path, text: &str) {
        for document in yaml::documents(text) {
            let document = match document {
                Ok(document) => document,
                Err(errors) => {
                    errors.into_iter().for_each(|error| self.error(file, Some(error.line), error.message));
                    continue;
                }
            };
            let line = document.section.content_position().line;
            match document.value {
                Value::Null => {}
                Value::Object(map) if map.get("kind").and_then(Value::as_str) == Some(KIND) => {
                    self.report(file, line, &map, &LONG);
                }
                _ => self.error(file, Some(line), format!("the document is not of the kind `{KIND}`")),
            }
        }
    }

    fn report(&mut self, file: &Path, line: usize, map: &Map<String, Value>, keys: &Keys) {
        let mut missing = Vec::new();
        let mut text = |pointer: &str| {
            let value = pointer.split('/').try_fold(&Value::Null, |value, key| match value {
                Value::Null => map.get(key),
                value => value.get(key),
            });
            let value = value.and_then(Value::as_str).unwrap_or_default().trim();
            if value.is_empty() {
                missing.push(format!("`{}`", pointer.replace('/', ".")));
            }
            value.to_owned()
        };
        let project = keys.project.iter().map(|pointer| text(pointer)).collect::<Vec<_>>().join("/");
        let (version, release, date) = (text(keys.version), text(keys.release), text("date"));
        let profiles = map.get("profiles");
        if !profiles.is_none_or(|profiles| profiles.is_array() || profiles.is_null()) {
            missing.push("`profiles` as a list".to_owned());
        }
        if !missing.is_empty() {
            let message = format!("the report has no {}", missing.join(", "));
            self.error(file, Some(line), message);
            return;
        }
        let released = date.parse::<Timestamp>().ok().and_then(|date| Released::of_unix_seconds(date.as_second()).ok());
        if released.is_none() && date != NO_DATE {
            let message = format!("the date `{date}` of the report of {project} {version} cannot be read");
            let warning = Diagnostic::warning(MALFORMED, message).at_line(file, line);
            self.warnings.push(
                warning.help("write it as 2026-11-21T16:53:52Z; without a date, a report does not count at any date"),
            );
        }
        let mut report = Report { date: released, project, version, release, ..Report::empty() };
        for profile in profiles.and_then(Value::as_array).into_iter().flatten() {
            report.add(profile, keys);
        }
        self.reports.insert(report);
    }
}

impl Report {
    fn empty() -> Self {
        let (supported, passed) = (BTreeSet::new(), BTreeSet::new());
        Self { date: None, project: String::new(), version: String::new(), release: String::new(), supported, passed }
    }

    fn add(&mut self, profile: &Value, keys: &Keys) {
        let is_success = |pointer: &str| profile.pointer(pointer).and_then(Value::as_str) == Some(SUCCESS);
        let name = profile.get("name").and_then(Value::as_str).unwrap_or_default();
        let core = PROFILES.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, features)| features);
        let core = core.iter().map(|feature| (*feature).to_owned());
        self.supported.extend(core.clone());
        if is_success(keys.core) {
            self.passed.extend(core);
        }
        let extended = profile.pointer(keys.supported).and_then(Value::as_array).into_iter().flatten();
        let extended = extended.filter_map(Value::as_str).map(str::to_owned);
        self.supported.extend(extended.clone());
        if is_success(keys.extended) {
            self.passed.extend(extended);
        }
    }
}

/// Where a report has its facts.
struct Keys {
    /// The parts of the name of the project.
    project: &'static [&'static str],
    version: &'static str,
    release: &'static str,
    /// In a profile: the results, and the supported features.
    core: &'static str,
    extended: &'static str,
    supported: &'static str,
}

/// The keys of a `ConformanceReport`.
const LONG: Keys = Keys {
    project: &["implementation/organization", "implementation/project"],
    version: "implementation/version",
    release: "gatewayAPIVersion",
    core: "/core/result",
    extended: "/extended/result",
    supported: "/extended/supportedFeatures",
};

/// The keys of a line.
const SHORT: Keys = Keys {
    project: &["project"],
    version: "version",
    release: "release",
    core: "/core",
    extended: "/extended",
    supported: "/supported",
};
