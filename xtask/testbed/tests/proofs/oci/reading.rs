//! What each program reads: from the layout, and from registries to which the layout was copied or pushed.

use std::fs;
use std::path::Path;

use super::registry::{Registry, SERVERS};
use super::release::{Release, VERSION};

/// How the artefacts come into a registry: rows of a command and what it prints.
const WAYS: [(&str, &[(&str, &str)]); 2] = [
    (
        "copied",
        &[
            (
                "oras cp -r --from-oci-layout {dist}/oci:{channel}-v1.7.0 --to-plain-http {repo}/{channel}:v1.7.0",
                "Digest: sha256:",
            ),
            (
                "oras cp -r --from-oci-layout {dist}/oci:charts-{chart}-1.7.0 --to-plain-http {repo}/charts/{chart}:1.7.0",
                "Digest: sha256:",
            ),
        ],
    ),
    ("pushed", &[("crd-channels push {dist}/oci {repo}", "{channel}:v1.7.0")]),
];

/// What programs read there, for each channel.
const READ: [(&str, &str); 15] = [
    ("oras discover --plain-http {repo}/{channel}:v1.7.0", "https://slsa.dev/provenance/v1"),
    ("oras pull --plain-http -o {out}/oras {repo}/{channel}:v1.7.0", "gateway-api-{channel}-v1.7.0.tar.gz"),
    ("crane validate --remote {repo}/{channel}:v1.7.0", "PASS"),
    ("crane validate --remote {repo}/charts/{chart}:1.7.0", "PASS"),
    ("crane manifest {repo}/{channel}:v1.7.0", "application/vnd.cncf.flux.content.v1.tar+gzip"),
    ("crane ls {repo}/{channel}", "v1.7.0"),
    ("helm show chart --plain-http oci://{repo}/charts/{chart}", "version: 1.7.0"),
    ("helm pull --plain-http -d {out}/helm oci://{repo}/charts/{chart} --version 1.7.0", "Digest: sha256:"),
    ("helm template crds --plain-http oci://{repo}/charts/{chart} --version 1.7.0", "\"gateway.networking.k8s.io\""),
    ("interop pull {repo}/{channel}:v1.7.0 {out}/flux/{channel}", ""),
    ("crd-channels diff {bundles}/{channel} oci://{repo}/{channel}:v1.7.0", "nothing to report in {channel}"),
    (
        "cosign verify --key {public} --insecure-ignore-tlog {repo}/{channel}:v1.7.0",
        "https://sigstore.dev/cosign/sign/v1",
    ),
    (
        "cosign verify --key {public} --insecure-ignore-tlog {repo}/charts/{chart}:1.7.0",
        "https://sigstore.dev/cosign/sign/v1",
    ),
    (
        "cosign verify-attestation --type slsaprovenance1 --key {public} --insecure-ignore-tlog {repo}/{channel}:v1.7.0",
        "\"payload\"",
    ),
    (
        "cosign verify-attestation --type slsaprovenance1 --key {public} --insecure-ignore-tlog {repo}/charts/{chart}:1.7.0",
        "\"payload\"",
    ),
];

/// What the first of the registries has, too. The other one takes the type of an artefact from its config.
const TYPED: [(&str, &str); 2] = [
    ("oras discover --plain-http {repo}/{channel}:v1.7.0", "application/vnd.cyclonedx+json"),
    ("oras discover --plain-http {repo}/{channel}:v1.7.0", "application/vnd.dev.sigstore.bundle.v0.3+json"),
];

/// What verifies a file of `dist`.
const FILE: [(&str, &str); 2] = [
    (
        "cosign verify-blob --key {public} --insecure-ignore-tlog --bundle {dist}/signatures/{file}.sigstore.json {dist}/{file}",
        "Verified OK",
    ),
    (
        "cosign verify-blob-attestation --type slsaprovenance1 --key {public} --insecure-ignore-tlog --bundle {dist}/signatures/provenance.sigstore.json {dist}/{file}",
        "Verified OK",
    ),
];

#[test]
fn programs_of_other_projects_read_what_is_in_a_registry() {
    let Some(release) = Release::get() else { return };
    for server in SERVERS {
        let registry = Registry::start(server);
        for (way, commands) in WAYS {
            let out = tempfile::tempdir().expect("a folder");
            let repo = format!("{}/{way}/gateway-api", registry.host);
            for channel in ["standard", "experimental"] {
                let names = release.names(channel).with("repo", &repo).with("out", out.path().display());
                for folder in ["helm", &format!("flux/{channel}")] {
                    fs::create_dir_all(out.path().join(folder)).expect("a folder");
                }
                names.run_all(commands);
                names.run_all(&READ);
                names.run_all(if server == SERVERS[0] { &TYPED } else { &[] });
                same_bytes(&names.fill("{bundles}/{channel}"), &names.fill("{out}/flux/{channel}"));
                let chart = [names.fill("{dist}/{chart}-1.7.0.tgz"), names.fill("{out}/helm/{chart}-1.7.0.tgz")];
                let [ours, pulled] = chart.map(|path| fs::read(path).expect("a chart"));
                assert!(ours == pulled, "{way}: the chart of {channel}");
            }
        }
    }
}

/// Flux applies what a user of the bundle applies.
fn same_bytes(bundle: &str, pulled: &str) {
    let files = |folder: &str| {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let mut files = entries
            .map(|path| (path.file_name().map(ToOwned::to_owned), fs::read(path).expect("a file")))
            .collect::<Vec<_>>();
        files.sort();
        files
    };
    assert!(files(bundle) == files(pulled), "{bundle} and {pulled} differ");
    assert!(Path::new(pulled).join("kustomization.yaml").exists());
}

#[test]
fn cosign_verifies_each_published_file() {
    let Some(release) = Release::get() else { return };
    let mut count = 0;
    for entry in fs::read_dir(&release.dist).expect("dist").map(|entry| entry.expect("an entry")) {
        if entry.path().is_file() {
            release.names("standard").with("file", entry.file_name().display()).run_all(&FILE);
            count += 1;
        }
    }
    println!("{count} files of the release {VERSION}");
    assert!(count > 10, "{count}");
}
