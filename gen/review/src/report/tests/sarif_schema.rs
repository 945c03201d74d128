//! The official schema of SARIF 2.1.0.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The errors of documents, each with its place. None if the schema was not fetched: then the test is skipped, and fails with
/// `CRD_SARIF=require`, as in CI.
pub(super) fn errors(documents: &[String]) -> Option<Vec<String>> {
    let Some(schema) = schema() else {
        let manifest = "gen/cli/schemas/sarif/Cargo.toml";
        let why = format!("the schema of SARIF was not fetched: `cargo fetch --locked --manifest-path {manifest}`");
        assert_ne!(std::env::var("CRD_SARIF").as_deref(), Ok("require"), "CRD_SARIF=require, and {why}");
        println!("skipped: {why}");
        return None;
    };
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    let documents = documents.iter().map(|document| serde_json::from_str::<Value>(document).unwrap());
    let errors = documents.flat_map(|document| {
        let errors = validator.iter_errors(&document).map(|error| format!("{}: {error}", error.instance_path()));
        errors.collect::<Vec<_>>()
    });
    Some(errors.collect())
}

/// The schema, from the package that contains it.
fn schema() -> Option<Value> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/schemas/sarif/Cargo.toml");
    let metadata = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--manifest-path"])
        .arg(&manifest)
        .output();
    let output = metadata.ok().filter(|output| output.status.success())?;
    let document: Value = serde_json::from_slice(&output.stdout).ok()?;
    let mut packages = document["packages"].as_array()?.iter();
    let package = packages.find(|package| package["name"] == "serde-sarif")?;
    let schema = Path::new(package["manifest_path"].as_str()?).with_file_name("src").join("schema.json");
    let text = std::fs::read_to_string(schema).ok()?;
    // The bracket without a partner is not in the dialect of regular expressions that JSON Schema names.
    serde_json::from_str(&text.replace("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}$")).ok()
}
