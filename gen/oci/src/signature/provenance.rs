//! SLSA provenance v1 of a release.
//!
//! Invariant: it claims no more than what is true of every run, at home and in CI: no level, no time, no commit, no identity.

use crd_bundle::Digest;
use serde_json::{Value, json};

use super::{Statement, Subject};

/// The type of provenance.
pub const PROVENANCE: &str = "https://slsa.dev/provenance/v1";
const BUILD_TYPE: &str = "https://github.com/crd-channels/crd-channels/blob/main/docs/releasing.md#provenance";
const BUILDER: &str = "https://github.com/crd-channels/crd-channels/blob/main/docs/releasing.md#the-builder";

/// What was built, and from what.
#[derive(Clone, Debug)]
pub struct Build {
    /// What the statement is about.
    pub subjects: Vec<Subject>,
    /// The name of the project.
    pub name: String,
    /// The version of the release.
    pub version: String,
    /// The files that decide what is built, each by its path in the repository.
    pub dependencies: Vec<(String, Digest)>,
}

/// The provenance of a build.
pub fn provenance(build: &Build) -> Statement {
    let dependency =
        |(name, digest): &(String, Digest)| json!({ "name": name, "digest": { "sha256": digest.to_string() } });
    let dependencies: Vec<Value> = build.dependencies.iter().map(dependency).collect();
    let predicate = json!({
        "buildDefinition": {
            "buildType": BUILD_TYPE,
            "externalParameters": { "name": build.name, "version": build.version },
            "resolvedDependencies": dependencies,
        },
        "runDetails": { "builder": { "id": BUILDER } },
    });
    Statement { subjects: build.subjects.clone(), predicate_type: PROVENANCE.to_owned(), predicate }
}

/// The name and version of the release that a provenance is about.
pub fn release_of(statement: &Statement) -> Option<String> {
    let parameters = statement.predicate.pointer("/buildDefinition/externalParameters")?;
    Some(format!("{} {}", parameters.get("name")?.as_str()?, parameters.get("version")?.as_str()?))
}
