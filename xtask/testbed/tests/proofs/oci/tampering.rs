//! Each change of what was published, and which programs refuse it.

use serde_json::Value;

use super::edits::{Layout, PROVENANCE, SBOM, SIGNATURE};
use super::programs::{Names, is_run};
use super::registry::{Registry, SERVERS};
use super::release::Release;

/// What a program does with a changed layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Accepts,
    Refuses,
    /// It is not asked, because the layout cannot be copied.
    Unasked,
}
use Answer::{Accepts as Yes, Refuses as No, Unasked};

/// The columns of the table: the copy into a registry, two questions about the copy, and one about the layout.
const COMMANDS: [&str; 4] = [
    "oras cp -r --from-oci-layout {layout}:standard-v1.7.0 --to-plain-http {repo}:v1.7.0",
    "cosign verify --key {key} --insecure-ignore-tlog {repo}:v1.7.0",
    "cosign verify-attestation --type slsaprovenance1 --key {key} --insecure-ignore-tlog {repo}:v1.7.0",
    "crd-channels verify {layout} --key {key}",
];

type Case = (&'static str, fn(&Layout), [Answer; 4]);

/// cosign accepts an artefact as soon as one of its statements is good, whatever it states, and does not read what else is about it.
const CASES: [Case; 17] = [
    ("nothing", |_| {}, [Yes, Yes, Yes, Yes]),
    ("the key", |_| {}, [Yes, No, No, No]),
    ("one bit of the CRDs", |layout| layout.flip(&layer(layout, &standard(layout))), [No, Unasked, Unasked, No]),
    ("one bit of the manifest", |layout| layout.flip(&standard(layout)), [No, Unasked, Unasked, No]),
    (
        "one bit of the config",
        |layout| layout.flip(&layout.manifest(&standard(layout))["config"]),
        [No, Unasked, Unasked, No],
    ),
    (
        "one bit of the signature",
        |layout| layout.flip(&layer(layout, &about(layout, SIGNATURE))),
        [No, Unasked, Unasked, No],
    ),
    (
        "one bit of the manifest of the signature",
        |layout| layout.flip(&about(layout, SIGNATURE)),
        [No, Unasked, Unasked, No],
    ),
    (
        "one bit of the provenance",
        |layout| layout.flip(&layer(layout, &about(layout, PROVENANCE))),
        [No, Unasked, Unasked, No],
    ),
    ("one bit of the SBOM", |layout| layout.flip(&layer(layout, &about(layout, SBOM))), [No, Unasked, Unasked, No]),
    ("other CRDs", |layout| drop(layout.replace_layer(&standard(layout), longer)), [Yes, No, No, No]),
    (
        "other CRDs, and statements about them",
        |layout| {
            let statements = [SIGNATURE, PROVENANCE, SBOM].map(|kind| about(layout, kind));
            let new = layout.replace_layer(&standard(layout), longer);
            statements.iter().for_each(|statement| drop(layout.attach(statement, &new)));
        },
        [Yes, No, No, No],
    ),
    (
        "the CRDs, signature and provenance of the other channel",
        |layout| {
            let (mut index, standard, experimental) =
                (layout.index(), standard(layout), layout.named("experimental-v1.7.0"));
            for entry in index["manifests"].as_array_mut().expect("manifests") {
                for (one, other) in [(&standard, &experimental), (&experimental, &standard)] {
                    if entry["digest"] == one["digest"] {
                        entry["annotations"] = other["annotations"].clone();
                    }
                }
            }
            layout.write_index(&index);
        },
        [Yes, Yes, Yes, No],
    ),
    (
        "the signature of the other channel",
        |layout| {
            let theirs = layout.about(&layout.named("experimental-v1.7.0"), SIGNATURE);
            for kind in [SIGNATURE, PROVENANCE] {
                layout.remove(&about(layout, kind));
            }
            layout.attach(&theirs, &standard(layout));
        },
        [Yes, No, No, No],
    ),
    ("no signature", |layout| layout.remove(&about(layout, SIGNATURE)), [Yes, Yes, Yes, No]),
    ("no provenance", |layout| layout.remove(&about(layout, PROVENANCE)), [Yes, Yes, No, No]),
    ("another SBOM", |layout| drop(layout.replace_layer(&about(layout, SBOM), longer)), [Yes, Yes, Yes, No]),
    ("a second SBOM", |layout| layout.add(&about(layout, SBOM), b"{}"), [Yes, Yes, Yes, No]),
];

fn standard(layout: &Layout) -> Value {
    layout.named("standard-v1.7.0")
}

fn about(layout: &Layout, kind: &str) -> Value {
    layout.about(&standard(layout), kind)
}

fn layer(layout: &Layout, descriptor: &Value) -> Value {
    layout.manifest(descriptor)["layers"][0].clone()
}

fn longer(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.push(b'\n');
    bytes
}

#[test]
fn what_was_changed_is_refused() {
    let Some(release) = Release::get() else { return };
    let (place, mut wrong) = (tempfile::tempdir().expect("a folder"), Vec::new());
    for (number, (case, change, expected)) in CASES.iter().enumerate() {
        let layout = Layout::copy_of(&release.dist.join("oci"), &place.path().join(number.to_string()));
        change(&layout);
        // A registry of its own: all repositories of a registry share their blobs.
        let registry = Registry::start(SERVERS[number % 2]);
        let names = release.names("standard").with("layout", layout.folder.display());
        let names = names.with("repo", format!("{}/changed", registry.host));
        let key = if *case == "the key" { "{other}" } else { "{public}" };
        compare(case, *expected, &names.with("key", names.fill(key)), &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn compare(case: &str, expected: [Answer; 4], names: &Names, wrong: &mut Vec<String>) {
    for (command, expected) in COMMANDS.iter().zip(expected).filter(|(command, _)| is_run(command)) {
        if expected == Unasked {
            continue;
        }
        let ran = names.run(command);
        if ran.success != (expected == Yes) {
            wrong.push(format!("{case}: `{command}` does not answer {expected:?}:\n{}", ran.text));
        }
    }
}

/// What is changed in the files of a registry.
const STORED: [(&str, &str, &[&str]); 2] = [
    (
        "the CRDs",
        "{channel}-v1.7.0",
        &[
            "crane validate --remote {repo}/{channel}:v1.7.0",
            "interop pull {repo}/{channel}:v1.7.0 {out}",
            "oras cp --from-plain-http {repo}/{channel}:v1.7.0 --to-oci-layout {out}/copy:v1",
            "crd-channels diff {bundles}/{channel} oci://{repo}/{channel}:v1.7.0",
        ],
    ),
    (
        "the chart",
        "charts-{chart}-1.7.0",
        &[
            "crane validate --remote {repo}/charts/{chart}:1.7.0",
            "helm pull --plain-http -d {out} oci://{repo}/charts/{chart} --version 1.7.0",
            "crd-channels diff {bundles}/{channel} oci://{repo}/charts/{chart}:1.7.0",
        ],
    ),
];

#[test]
fn what_a_registry_changed_is_refused() {
    let Some(release) = Release::get() else { return };
    let disk = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(disk.path().join("blobs")).expect("a folder");
    let server = format!("{} --disk {}/blobs", SERVERS[0], disk.path().display());
    let (registry, out) = (Registry::start(&server), tempfile::tempdir().expect("a folder"));
    let names = release.names("standard").with("repo", format!("{}/changed", registry.host));
    let names = names.with("out", out.path().display());
    names.run_all(&[("crd-channels push {dist}/oci {repo}", "")]);
    let (stored, layout) = (Layout { folder: disk.path().to_owned() }, Layout { folder: release.dist.join("oci") });
    for (what, name, commands) in STORED {
        let descriptor = layer(&layout, &layout.named(&names.fill(name)));
        stored.flip(&descriptor);
        for command in commands {
            let ran = names.run(command);
            assert!(!ran.success, "{what}: `{command}` accepts one changed bit\n{}", ran.text);
        }
    }
}
