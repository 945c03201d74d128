//! Types of other languages, which public generators make of our documents: they compile, and examples keep their fields.
//!
//! Invariants: the page of the documentation shows the commands that run here. Without a package manager a test is skipped and prints the
//! reason; with `CRD_TESTBED=require` it fails instead.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crd_channels::Channel;
use serde_json::{Value, json};

use super::{record, written};
use crate::documents::{crds, our_examples, upstream_examples};

const PAGE: &str = include_str!("../../../../../docs/bindings.md");
const TYPESCRIPT: [&str; 2] = ["openapi-typescript@7.13.0", "typescript@5.9.3"];
const PYTHON: &str = "datamodel-code-generator==0.89.0";

/// Runs a program in a folder; `false` if it is not installed and need not be.
fn run(folder: &Path, program: &str, arguments: &[&str]) -> bool {
    let output = match Command::new(program).args(arguments).current_dir(folder).output() {
        Ok(output) => output,
        Err(error) if !crd_testbed::is_required() => {
            println!("skipped: {program}: {error}");
            return false;
        }
        Err(error) => panic!("{program}: {error}"),
    };
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{program} {arguments:?}\n{stdout}\n{stderr}");
    true
}

/// A document with the objects of its kinds.
struct Input {
    name: String,
    document: Value,
    /// Each with the name of its schema.
    objects: Vec<Value>,
}

/// The documents of one version of OpenAPI: of the CRD with special cases, and of both channels with the examples of Gateway API.
fn inputs(version: &str) -> Vec<Input> {
    let object: Value = serde_json::from_str(include_str!("record-object.json")).expect("JSON");
    let mut inputs = of_version(version, "record", written(Channel::Standard, &[record().1]), &[object]);
    for channel in Channel::ALL {
        let examples = our_examples(channel).into_iter().chain(upstream_examples(channel));
        let objects = examples.map(|example| example.object).collect::<Vec<_>>();
        inputs.extend(of_version(version, channel.name(), written(channel, crds(channel)), &objects));
    }
    inputs
}

fn of_version(version: &str, name: &str, documents: BTreeMap<String, Value>, objects: &[Value]) -> Vec<Input> {
    let documents = documents.into_iter().filter(|(_, document)| document.get(version).is_some());
    documents
        .enumerate()
        .map(|(index, (_, document))| {
            let schemas =
                document.pointer("/components/schemas").or(document.get("definitions")).and_then(Value::as_object);
            let schemas = schemas.expect("schemas").iter().filter_map(|(name, schema)| {
                let identity = &schema["x-kubernetes-group-version-kind"][0];
                let api_version = format!("{}/{}", identity["group"].as_str()?, identity["version"].as_str()?);
                Some((name.as_str(), api_version, identity["kind"].clone()))
            });
            let objects = schemas.flat_map(|(name, api_version, kind)| {
                let of_kind =
                    objects.iter().filter(move |object| object["apiVersion"] == api_version && object["kind"] == kind);
                of_kind.map(move |object| json!({ "schema": name, "object": object }))
            });
            let objects = objects.collect();
            Input { name: format!("{name}{index}"), document, objects }
        })
        .collect()
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("a file is written");
}

fn is_shown(text: &str) {
    assert!(PAGE.contains(text), "docs/bindings.md does not show `{text}`");
}

/// Generators come from three registries, which not every run needs.
fn is_skipped() -> bool {
    let is_skipped = !crd_testdata::is_proof();
    if is_skipped {
        println!("skipped: `cargo xtask prove openapi-clients` runs it");
    }
    is_skipped
}

#[test]
fn typescript() {
    if is_skipped() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "package.json", r#"{ "private": true, "type": "module" }"#);
    if !run(folder, "npm", &["install", "--no-audit", "--no-fund", TYPESCRIPT[0], TYPESCRIPT[1]]) {
        return;
    }
    is_shown("openapi-typescript");
    is_shown("--default-non-nullable false --empty-objects-unknown");
    let mut count = 0;
    for Input { name, document, objects } in inputs("openapi") {
        write(folder, "openapi.json", &document.to_string());
        let output = format!("{name}.d.ts");
        run(
            folder,
            "npx",
            &[
                "openapi-typescript",
                "openapi.json",
                "--default-non-nullable",
                "false",
                "--empty-objects-unknown",
                "--output",
                &output,
            ],
        );
        let mut check = format!("import type {{ components }} from \"./{name}.js\";\n");
        for (index, entry) in objects.iter().enumerate() {
            let kind = format!("components[\"schemas\"][{}]", entry["schema"]);
            check += &format!("export const object{index}: {kind} = {};\n", entry["object"]);
            check += &format!(
                "// @ts-expect-error: a field of another type\nexport const wrong{index}: {kind} = {{ spec: 1 }};\n"
            );
        }
        write(folder, &format!("{name}-check.ts"), &check);
        count += objects.len();
    }
    let arguments = ["tsc", "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"];
    let files = std::fs::read_dir(folder).expect("the folder").flatten().map(|entry| entry.file_name());
    let files =
        files.filter_map(|name| name.into_string().ok().filter(|name| name.ends_with(".ts"))).collect::<Vec<_>>();
    run(folder, "npx", &arguments.into_iter().chain(files.iter().map(String::as_str)).collect::<Vec<_>>());
    println!("TypeScript: {} files and {count} objects compile", files.len());
}

#[test]
fn python() {
    if is_skipped() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    if !run(folder, "python3", &["-m", "venv", "venv"]) {
        return;
    }
    run(folder, "venv/bin/pip", &["install", "--quiet", PYTHON]);
    write(folder, "round_trip.py", include_str!("round_trip.py"));
    let generate = "--input-file-type openapi --output-model-type pydantic_v2.BaseModel --output models";
    is_shown(generate);
    let mut count = 0;
    for Input { document, objects, .. } in inputs("openapi") {
        write(folder, "openapi.json", &document.to_string());
        write(folder, "objects.json", &json!(objects).to_string());
        drop(std::fs::remove_dir_all(folder.join("models")));
        let arguments = ["--input", "openapi.json"].into_iter().chain(generate.split(' ')).collect::<Vec<_>>();
        run(folder, "venv/bin/datamodel-codegen", &arguments);
        run(folder, "venv/bin/python", &["-m", "compileall", "-q", "models"]);
        run(folder, "venv/bin/python", &["round_trip.py"]);
        count += objects.len();
    }
    println!("Python: {count} objects are equal after a round trip");
}

#[test]
fn java() {
    if is_skipped() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::create_dir_all(folder.join("src/main/java")).expect("a folder");
    write(folder, "src/main/java/RoundTrip.java", include_str!("RoundTrip.java"));
    write(folder, "pom.xml", include_str!("pom.xml"));
    is_shown("openapi-generator-maven-plugin");
    let mut count = 0;
    for Input { document, objects, .. } in inputs("swagger") {
        write(folder, "swagger.json", &document.to_string());
        write(folder, "objects.json", &json!(objects).to_string());
        if !run(folder, "mvn", &["--quiet", "--batch-mode", "clean", "compile", "exec:java"]) {
            return;
        }
        count += objects.len();
    }
    println!("Java: {count} objects are equal after a round trip");
}
