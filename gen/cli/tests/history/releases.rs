//! The releases of Gateway API, and what the command line prints for each one and for each pair of neighbours.
//!
//! Invariants: imported and compared once for all tests; no files remain in the temporary folder.

use std::sync::LazyLock;

use crd_channels_cli::Exit;
use serde_json::Value;

use crate::support::{Place, Ran, things};

/// Both channels.
pub(crate) const CHANNELS: [&str; 2] = ["standard", "experimental"];

/// A release of Gateway API.
pub(crate) struct Release {
    /// Its version.
    pub(crate) name: &'static str,
    /// The version in the stamps of its CRDs, under which it can be imported.
    pub(crate) stamp: &'static str,
}

const fn release(name: &'static str) -> Release {
    Release { name, stamp: name }
}

/// The releases that are compared, oldest first. v0.8.1 is stamped v0.8.0.
pub(crate) static RELEASES: [Release; 10] = [
    release("v0.5.0"),
    release("v0.6.0"),
    Release { name: "v0.8.1", stamp: "v0.8.0" },
    release("v1.0.0"),
    release("v1.1.0"),
    release("v1.2.0"),
    release("v1.3.0"),
    release("v1.4.0"),
    release("v1.6.0"),
    release("v1.6.1"),
];

impl Release {
    /// Imports both channels.
    pub(crate) fn import(&self, place: &Place) -> [Ran; 2] {
        CHANNELS.map(|channel| {
            let folder = tempfile::tempdir().unwrap();
            crd_testdata::unpack_gateway_api(self.name, channel, folder.path());
            let path = folder.path().to_str().unwrap();
            place.run(&things(), &["import", path, "--version", self.stamp, "--channel", channel])
        })
    }
}

/// The release of this name.
pub(crate) fn named(name: &str) -> &'static Release {
    RELEASES.iter().find(|release| release.name == name).unwrap()
}

/// A workspace into which these releases were imported.
pub(crate) fn place_with(releases: &[Release]) -> Place {
    let place = Place::new();
    for release in releases {
        for ran in release.import(&place) {
            assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""), "{}: {ran:?}", release.name);
        }
    }
    place
}

/// A finding, as the JSON document of `diff` and `check` has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) rule: String,
    pub(crate) required_bump: String,
    pub(crate) channel: String,
    /// The plural alone, which is unique here.
    pub(crate) crd: String,
    pub(crate) version: String,
    pub(crate) path: String,
    pub(crate) before: Value,
    pub(crate) after: Value,
    pub(crate) direction: String,
    pub(crate) message: String,
    pub(crate) known: bool,
    pub(crate) warning: bool,
    pub(crate) decides: bool,
}

impl Found {
    fn read(value: &Value) -> Self {
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let flag = |key: &str| value[key].as_bool().unwrap();
        Self {
            rule: text("rule"),
            required_bump: text("requiredBump"),
            channel: text("channel"),
            crd: text("crd").split('.').next().unwrap_or_default().to_owned(),
            version: text("version"),
            path: text("path"),
            before: value["before"].clone(),
            after: value["after"].clone(),
            direction: text("direction"),
            message: text("message"),
            known: flag("known"),
            warning: flag("warning"),
            decides: flag("decides"),
        }
    }

    /// The location and the required bump: `standard grpcroutes v1 spec: major required-at-root`.
    pub(crate) fn line(&self) -> String {
        let Found { rule, required_bump, channel, crd, version, path, .. } = self;
        let place = [channel, crd, version, path].map(|part| part.as_str());
        let place = place.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        format!("{place}: {required_bump} {rule}")
    }
}

/// The JSON document of `diff` or `check`.
pub(crate) struct Report {
    pub(crate) exit: Exit,
    pub(crate) document: Value,
    pub(crate) findings: Vec<Found>,
}

impl Report {
    /// Runs a command, and reads the document.
    pub(crate) fn by(place: &Place, catalogue: &crd_channels_cli::Catalogue, arguments: &[&str]) -> Self {
        let ran = place.run(catalogue, &[arguments, &["--format", "json"]].concat());
        assert_eq!(ran.err, "", "{arguments:?}");
        let document: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(document["errors"], serde_json::json!([]), "{arguments:?}");
        let findings = document["findings"].as_array().unwrap().iter().map(Found::read).collect();
        Self { exit: ran.exit, document, findings }
    }

    /// Compares two releases.
    pub(crate) fn diff(place: &Place, baseline: &Release, candidate: &Release) -> Self {
        Self::by(place, &things(), &["diff", baseline.stamp, candidate.stamp])
    }

    /// The findings of a rule in a channel.
    pub(crate) fn of<'f>(&'f self, channel: &'f str, rule: &'f str) -> impl Iterator<Item = &'f Found> {
        self.findings.iter().filter(move |found| found.channel == channel && found.rule == rule)
    }

    /// The same as lines, sorted.
    pub(crate) fn lines(&self, wanted: impl Fn(&Found) -> bool) -> Vec<String> {
        let mut lines = self.findings.iter().filter(|found| wanted(found)).map(Found::line).collect::<Vec<_>>();
        lines.sort();
        lines
    }

    /// The verdict of a channel.
    pub(crate) fn verdict(&self, channel: &str) -> &str {
        let channels = self.document["channels"].as_array().unwrap();
        channels.iter().find(|known| known["channel"] == channel).unwrap()["verdict"].as_str().unwrap()
    }
}

/// A release and the next one.
pub(crate) struct Pair {
    pub(crate) baseline: &'static Release,
    pub(crate) candidate: &'static Release,
    pub(crate) report: Report,
}

/// Every release with the next one.
pub(crate) fn pairs() -> &'static [Pair] {
    static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(|| {
        let place = place_with(&RELEASES);
        let pair = |pair: &'static [Release]| Pair {
            baseline: &pair[0],
            candidate: &pair[1],
            report: Report::diff(&place, &pair[0], &pair[1]),
        };
        RELEASES.windows(2).map(pair).collect()
    });
    &PAIRS
}

/// The comparison of a release with the previous one.
pub(crate) fn into(release: &str) -> &'static Report {
    &pairs().iter().find(|pair| pair.candidate.name == release).unwrap().report
}
