//! The SBOM, against CycloneDX's own library and against files on disk.

use std::path::Path;
use std::process::Command;

use crd_bundle::admission::ReleasedChannel;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_release::sbom::{file_name, sbom};
use crd_release::{Artefact, Release};
use serde_json::{Value, json};

fn crd(plural: &str) -> CustomResourceDefinition {
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.example.com") },
        "spec": {
            "group": "example.com",
            "names": { "kind": "Test", "plural": plural },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": { "type": "object" } },
            }],
        },
    });
    CustomResourceDefinition::from_value(&crd).unwrap()
}

fn release() -> Release {
    let channels = [(Channel::Standard, vec!["tests"]), (Channel::Experimental, vec!["tests", "samples"])];
    Release {
        documents: vec![Artefact { name: "conversions.json".to_owned(), bytes: b"{}".to_vec() }],
        webhook: None,
        policies: Vec::new(),
        name: "sample-api".to_owned(),
        prefix: "example.com".to_owned(),
        version: "v1.6.1-rc.1".parse().unwrap(),
        released: "2026-11-21T16:53:52Z".parse().unwrap(),
        channels: channels
            .into_iter()
            .map(|(channel, names)| ReleasedChannel { channel, files: crd_bundle::files(names.into_iter().map(crd)) })
            .collect(),
    }
}

fn shipped() -> Vec<Artefact> {
    [("standard-install.yaml", "a: 1\n"), ("experimental-install.yaml", "a: 2\n"), ("notes with space.md", "")]
        .map(|(name, text)| Artefact { name: name.to_owned(), bytes: text.as_bytes().to_vec() })
        .to_vec()
}

/// The workspace's own lock file, which a packaged crate does not include.
fn lock() -> Option<String> {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock")).ok()
}

fn document(artefact: &Artefact) -> Value {
    serde_json::from_slice(&artefact.bytes).unwrap()
}

#[test]
fn the_order_of_files_and_crates_does_not_matter() {
    let (release, mut files) = (release(), shipped());
    let crates =
        ["[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n", "[[package]]\nname = \"b\"\nversion = \"1.0.0\"\n"];
    let lock = |crates: [&str; 2]| format!("version = 4\n{}", crates.concat());
    let one = sbom(&release, &files, Some(&lock(crates)), "0.1.0").unwrap();
    files.reverse();
    let other = sbom(&release, &files, Some(&lock([crates[1], crates[0]])), "0.1.0").unwrap();
    assert_eq!(one, other);
    assert_eq!((one.name, file_name(&release)), (file_name(&release), "sample-api-v1.6.1-rc.1.cdx.json".to_owned()));
}

/// Whatever differs, the serial number does too; and it is all that comes from elsewhere than the input.
#[test]
fn the_serial_number_stands_for_the_whole() {
    let serial = |release: &Release, files: &[Artefact], tool: &str| {
        let text = document(&sbom(release, files, None, tool).unwrap())["serialNumber"].as_str().unwrap().to_owned();
        assert!(text.starts_with("urn:uuid:"), "{text}");
        text
    };
    let (base, files) = (release(), shipped());
    let mut bytes = files.clone();
    bytes[0].bytes.push(b' ');
    let mut name = files.clone();
    name[0].name.push('x');
    let mut content = base.clone();
    content.channels[0].files[0].text.push('#');
    let mut conversions = base.clone();
    conversions.documents[0].bytes.push(b' ');
    let later = Release { released: "2026-11-21T16:53:53Z".parse().unwrap(), ..base.clone() };
    let newer = Release { version: "v1.6.1".parse().unwrap(), ..base.clone() };
    let serials = [
        serial(&base, &files, "0.1.0"),
        serial(&base, &bytes, "0.1.0"),
        serial(&base, &name, "0.1.0"),
        serial(&base, &files[1..], "0.1.0"),
        serial(&base, &files, "0.1.1"),
        serial(&content, &files, "0.1.0"),
        serial(&conversions, &files, "0.1.0"),
        serial(&later, &files, "0.1.0"),
        serial(&newer, &files, "0.1.0"),
    ];
    for (index, one) in serials.iter().enumerate() {
        assert!(!serials[index + 1..].contains(one), "{serials:?}");
    }
    assert_eq!(serials[0], serial(&base, &files, "0.1.0"));
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let mut files = shipped();
    files.push(files[0].clone());
    let errors = sbom(&release(), &files, Some("nonsense"), "0.1.0").unwrap_err();
    let begins = ["Two files of the release are called standard-install.yaml,", "Cargo.lock cannot be read,"];
    assert_eq!(errors.len(), begins.len(), "{errors:?}");
    for (error, begin) in errors.iter().zip(begins) {
        assert!(error.code == "release::sbom" && error.message.starts_with(begin), "{error:?}");
    }
}

/// The validator's result for a folder: its exit code and everything that it prints.
fn validated(sbom: &Path, dist: &Path, bundle: &Path) -> (Option<i32>, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validate_sbom.py");
    let output = match Command::new("python3").args([&script, sbom, dist, bundle]).output() {
        Ok(output) => output,
        Err(error) => return (Some(77), format!("python3: {error}")),
    };
    let printed = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&printed).into_owned())
}

#[test]
fn cyclonedx_own_library_finds_it_valid_and_the_files_as_they_are() {
    let Some(lock) = lock() else {
        println!("skipped: there is no Cargo.lock two folders above");
        return;
    };
    let (release, files) = (release(), shipped());
    let artefact = sbom(&release, &files, Some(&lock), "0.1.0").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (dist, bundle) = (folder.path().join("dist"), folder.path().join("bundle"));
    for file in files.iter().chain([&artefact]) {
        write(&dist.join(&file.name), &file.bytes);
    }
    // Neither the SBOM nor the sums are components.
    write(&dist.join("SHA256SUMS"), b"");
    for released in &release.channels {
        for file in &released.files {
            write(&bundle.join(released.channel.name()).join(&file.name), file.text.as_bytes());
        }
    }
    for document in &release.documents {
        write(&bundle.join(&document.name), &document.bytes);
    }
    let sbom = dist.join(&artefact.name);
    let (code, output) = validated(&sbom, &dist, &bundle);
    if code == Some(77) {
        assert!(std::env::var_os("CRD_RELEASE_TOOLS").is_none_or(|value| value != "require"), "{output}");
        println!("skipped: {output}");
        return;
    }
    assert_eq!(code, Some(0), "{output}");
    let packages = lock.matches("[[package]]").count();
    assert!(output.contains(&format!("3 files, {} tools", packages + 1)), "{output}");

    // It can fail: another byte in a file, an unlisted file, a changed CRD, an invalid digest, and an unknown key.
    write(&dist.join(&files[0].name), b"a: 3\n");
    write(&dist.join("unlisted.yaml"), b"");
    write(&bundle.join("standard/example.com_tests.yaml"), b"");
    let mut altered = document(&artefact);
    altered["unknown"] = json!(1);
    altered["metadata"]["tools"]["components"][0]["bom-ref"] = json!("file:standard-install.yaml");
    altered["dependencies"][1]["ref"] = json!("file:nowhere");
    write(&sbom, &serde_json::to_vec(&altered).unwrap());
    let (code, output) = validated(&sbom, &dist, &bundle);
    assert_eq!(code, Some(1), "{output}");
    for part in [
        "standard-install.yaml: the SBOM has ",
        "unlisted.yaml: the SBOM has None",
        "standard/example.com_tests.yaml: ",
        "schema: ",
        "bom-ref twice: file:standard-install.yaml",
        "what is not there: file:nowhere",
    ] {
        assert!(output.contains(part), "{part}: {output}");
    }
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}
