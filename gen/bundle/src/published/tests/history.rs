//! Published bundles: those of this repository and those of Gateway API.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crd_model::document::{HtmlCharacters, JsonWriter};
use serde_json::Value;

use super::*;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files with this ending below a folder, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn inputs(folder: &Path, ending: &str) -> Vec<Input> {
    files(folder, ending).iter().map(|path| Input::new(path.to_string_lossy(), fs::read(path).unwrap())).collect()
}

/// Upstream's JSON reads as serde_json reads it, an independent parser, except for what a server adds.
#[test]
fn upstream_bundles_survive() {
    for (label, file) in crd_testdata::all_gateway_api() {
        let mut expected = file.json();
        expected["metadata"].as_object_mut().unwrap().remove("creationTimestamp");
        let part = read_one(Input::new(&label, file.text), &SharedSchemas::default());
        assert_eq!((part.errors.as_slice(), part.crds.len(), part.crds[0].origin.line), (&[][..], 1, 1));
        let crd = &part.crds[0];
        assert_eq!(crd.crd.to_value(), sorted(expected), "{label}");
        assert!(crd.origin.stamps.bundle().unwrap().version().is_some() && crd.origin.stamps.known_channel().is_some());
    }
}

/// `required` is kept sorted.
fn sorted(mut value: Value) -> Value {
    fn walk(value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(walk),
            Value::Object(map) => {
                if let Some(Value::Array(names)) = map.get_mut("required") {
                    names.sort_by(|left, right| left.as_str().cmp(&right.as_str()));
                }
                map.values_mut().for_each(walk);
            }
            _ => {}
        }
    }
    walk(&mut value);
    value
}

/// Each released bundle passes the import checks, except for one known bundle.
#[test]
fn upstream_history_can_be_imported() {
    let mut found = Vec::new();
    for version in crd_testdata::GATEWAY_API {
        for channel in Channel::ALL {
            let files = crd_testdata::gateway_api(version, channel.name());
            let inputs = files.into_iter().map(|file| Input::new(file.path, file.text)).collect::<Vec<_>>();
            let published = read(channel.name(), inputs).unwrap();
            let prefix = Some("gateway.networking.k8s.io");
            let expected = Expected { prefix, version: Some(version.parse().unwrap()), channel: Some(channel) };
            for finding in check_bundle(&published, &expected) {
                found.push(format!("{version} {channel}: {} ({})", finding.message, finding.code));
            }
        }
    }
    found.sort();
    assert_eq!(
        found,
        [
            "v0.8.1 experimental: 8 CRDs are stamped v0.8.0, and v0.8.1 is asked for (version-differs)",
            "v0.8.1 standard: 4 CRDs are stamped v0.8.0, and v0.8.1 is asked for (version-differs)",
        ]
    );
}

/// Files, a stream of them, a list as kubectl prints it, and archives by the `tar` of this system are the same bundle.
#[test]
fn a_bundle_is_the_same_in_every_form() {
    for channel in Channel::ALL {
        let folder = root().join("bundles/unreleased").join(channel.name());
        let inputs = inputs(&folder, ".yaml");
        assert!(inputs.len() >= 10, "{}", folder.display());
        let crds = |published: Published| -> Vec<CustomResourceDefinition> {
            published.crds.into_iter().map(|crd| crd.crd).collect()
        };
        let expected = crds(read("files", inputs.clone()).unwrap());
        assert_eq!(expected.len(), inputs.len());
        let stream: String = inputs.iter().map(|input| String::from_utf8(input.bytes.clone()).unwrap()).collect();
        assert_eq!(crds(read("stream", [Input::new("-", stream)]).unwrap()), expected);
        let items: Vec<String> = expected
            .iter()
            .map(|crd| {
                let mut writer = JsonWriter::new(HtmlCharacters::Escaped);
                crd.send(&mut writer);
                writer.finish()
            })
            .collect();
        let list = format!(r#"{{"apiVersion": "v1", "items": [{}], "kind": "List"}}"#, items.join(",\n"));
        assert_eq!(crds(read("list", [Input::new("-", list)]).unwrap()), expected);
        for options in [["-cf", "-"], ["-czf", "-"]] {
            let Ok(output) = Command::new("tar").args(options).arg("-C").arg(&folder).arg(".").output() else {
                println!("skipped: there is no tar");
                continue;
            };
            assert!(output.status.success());
            assert_eq!(crds(read("archive", [Input::new("a", output.stdout)]).unwrap()), expected);
        }
        let prefix = Some("gateway.networking.k8s.io");
        let findings =
            check_bundle(&read("files", inputs).unwrap(), &Expected { prefix, version: None, channel: Some(channel) });
        assert_eq!(findings, []);
    }
}
