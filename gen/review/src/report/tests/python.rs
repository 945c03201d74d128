//! Documents against their schemas, by Python's `jsonschema`, which another project maintains.
//!
//! Without Python, the package or a schema the tests are skipped and print the reason; with `CRD_SARIF=require`, as in CI, they fail.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// One document on each line. Exit code 3: the package is not installed.
const SCRIPT: &str = r#"
import json, sys
try:
    from jsonschema import FormatChecker
    from jsonschema.validators import validator_for
except ImportError as error:
    print(error)
    sys.exit(3)
schema = json.load(open(sys.argv[1], encoding="utf-8"))
Validator = validator_for(schema)
Validator.check_schema(schema)
validator = Validator(schema, format_checker=FormatChecker())
wrong, number = 0, 0
for line in sys.stdin.buffer:
    number += 1
    for error in validator.iter_errors(json.loads(line)):
        wrong += 1
        print(f"document {number}, {error.json_path}: {error.message[:300]}")
print(f"{number} documents against {validator.__class__.__name__}")
sys.exit(1 if wrong else 0)
"#;

/// Prints why a test is skipped, or fails with `CRD_SARIF=require`.
pub(super) fn skip(why: &str) {
    assert_ne!(std::env::var("CRD_SARIF").as_deref(), Ok("require"), "CRD_SARIF=require, and {why}");
    println!("skipped: {why}");
}

/// The errors of the documents; none if the validator cannot run.
pub(super) fn errors(schema: &Path, documents: &[String]) -> Option<String> {
    let python = Command::new("python3")
        .args(["-c", SCRIPT])
        .arg(schema)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut python) = python else {
        skip("python3 is not installed");
        return None;
    };
    let mut input = python.stdin.take().unwrap();
    // A script that ends early (without the package) does not read.
    let _ = input.write_all(documents.concat().as_bytes());
    drop(input);
    let output = python.wait_with_output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(0) => {
            println!("{}", printed.trim_end());
            Some(String::new())
        }
        Some(3) => {
            skip(&format!("Python has no package `jsonschema`: {}", printed.trim_end()));
            None
        }
        _ => Some(format!("{printed}{}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// The official schema of SARIF 2.1.0, from the package that contains it; none if it was not fetched.
pub(super) fn sarif_schema() -> Option<PathBuf> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/schemas/sarif/Cargo.toml");
    let fetch =
        format!("the schema of SARIF was not fetched: `cargo fetch --locked --manifest-path {}`", manifest.display());
    let metadata = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--manifest-path"])
        .arg(&manifest)
        .output();
    let metadata = metadata.ok().filter(|output| output.status.success());
    let found = metadata.and_then(|output| {
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
        let mut packages = document["packages"].as_array()?.iter();
        let package = packages.find(|package| package["name"] == "serde-sarif")?;
        let schema = Path::new(package["manifest_path"].as_str()?).with_file_name("src").join("schema.json");
        schema.is_file().then_some(schema)
    });
    if found.is_none() {
        skip(&fetch);
    }
    found
}
