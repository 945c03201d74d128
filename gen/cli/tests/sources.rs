//! Sources of CRDs that are not files: layouts, registries and clusters. Each is compared with the folder that has the same CRDs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crd_oci::layout::{Artifact, Blob, Layout};
use crd_oci::media_type::FLUX_CONTENT;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::cluster::{BUNDLES, CHANNELS, Cluster, published};
use crate::registry_server::{Hook, Server};
use crate::remote::Remote;
use crate::shape;
use crate::skew::setting;

/// The layer for Flux.
fn archive(bundle: &str, channel: &str) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut add = |name: &str, text: String| {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        archive.append_data(&mut header, name, text.as_bytes()).unwrap();
    };
    for plural in ["gadgets", "widgets"] {
        add(&format!("{plural}.yaml"), published(plural, bundle, channel).to_string());
    }
    add("kustomization.yaml", "resources: [gadgets.yaml, widgets.yaml]\n".to_owned());
    archive.into_inner().unwrap().finish().unwrap()
}

/// A place with the folder `releases`, and the same releases as the layout `layout`.
fn place() -> Remote {
    let remote = setting(&Cluster::new("v1.1.0", "standard"));
    let mut layout = Layout::default();
    for (bundle, channel) in BUNDLES.iter().flat_map(|bundle| CHANNELS.map(|channel| (bundle, channel))) {
        let layer = Blob { media_type: FLUX_CONTENT.to_owned(), title: None, bytes: archive(bundle, channel) };
        let name = Some((channel.to_owned(), (*bundle).to_owned()));
        layout.add(Artifact { layers: vec![layer], name, ..Artifact::default() });
    }
    for (path, bytes) in layout.files() {
        let path = remote.place.path().join("layout").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    remote
}

/// The findings of a comparison, without the files that they are in.
fn diff(remote: &Remote, old: &str, new: &str) -> Value {
    let (code, mut document) = remote.document(&["diff", old, new]);
    assert!(code < 2, "{old} {new}: {document}");
    let findings = document["findings"].as_array_mut().unwrap();
    findings.iter_mut().for_each(|finding| finding["source"] = Value::Null);
    document["findings"].take()
}

#[test]
fn a_layout_and_a_registry_are_read_as_a_folder() {
    let (remote, server) = (place(), Server::start(|_| Hook::Pass));
    let to = format!("{}/api", server.host);
    let expected = diff(&remote, "releases/v1.0.0", "releases/v1.1.0");
    assert!(expected.as_array().is_some_and(|findings| findings.len() > 3), "{expected}");
    assert_eq!(diff(&remote, "oci-layout:layout:v1.0.0", "oci-layout:layout:v1.1.0"), expected);
    let (code, dry) = remote.document(&["push", "layout", &to, "--dry-run"]);
    assert_eq!(
        (code, &dry["artefacts"][0]["sent"], server.lines().iter().any(|line| line.starts_with('P'))),
        (0, &json!(3), false)
    );
    let pushed = remote.run(&["push", "layout", &to]);
    assert_eq!((pushed.code, pushed.out.lines().count()), (0, 4), "{pushed:?}");
    assert!(pushed.out.starts_with(&format!("{to}/standard:v1.0.0@sha256:")), "{pushed:?}");
    let (_, again) = remote.document(&["push", "layout", &to]);
    let schema: Value = serde_json::from_str(include_str!("../schemas/push.json")).unwrap();
    for document in [&dry, &again] {
        assert_eq!(shape::errors(&schema, document), [] as [&str; 0]);
    }
    assert!(
        again["artefacts"].as_array().unwrap().iter().all(|one| one["existed"] == true && one["sent"] == 0),
        "{again}"
    );
    let of = |bundle: &str| format!("oci://{to}/standard:{bundle}");
    let standard = diff(&remote, "releases/v1.0.0/standard", "releases/v1.1.0/standard");
    assert_eq!(diff(&remote, &of("v1.0.0"), &of("v1.1.0")), standard);
    assert_eq!(diff(&remote, "oci-layout:layout:standard-v1.0.0", &of("v1.1.0")), standard);
    let rows = |source: &str| {
        let (code, document) = remote.document(&["history", source]);
        assert_eq!(code, 0, "{document}");
        document["projects"][0]["releases"].clone()
    };
    assert_eq!(rows("oci-layout:layout"), rows("releases"));
    assert_eq!(rows(&format!("oci://{to}/standard")).as_array().map(Vec::len), Some(2));
}

#[test]
fn a_source_that_is_not_one_bundle_is_refused() {
    let (remote, server) = (place(), Server::start(|_| Hook::Pass));
    let to = format!("{}/api", server.host);
    assert_eq!(remote.run(&["push", "layout", &to]).code, 0);
    let flipped = |path: &std::path::Path| {
        let mut bytes = fs::read(path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    for (source, code, part) in [
        ("oci-layout:layout".to_owned(), "oci::several", "`oci-layout:layout:v1.0.0`, `oci-layout:layout:v1.1.0`"),
        ("oci-layout:layout:v9.9.9".to_owned(), "oci::unknown", "standard-v1.0.0"),
        ("oci-layout:releases".to_owned(), "file::io", "oci-layout"),
        (format!("oci://{to}/standard"), "registry::reference", "standard:v1.1.0`"),
        (format!("oci://{to}/standard:v9.9.9"), "registry::unknown", "private"),
        (format!("oci://{to}/other"), "registry::reference", "no tag is a version"),
        ("oci://localhost:1/api:v1".to_owned(), "registry::unreachable", "refused"),
    ] {
        let printed = remote.run(&["diff", &source, "releases/v1.1.0"]);
        assert!(printed.code == 2 && printed.err.contains(code) && printed.err.contains(part), "{source}: {printed:?}");
    }
    let printed = remote.run(&["push", "layout", &format!("{to}:v1.0.0")]);
    assert!(printed.code == 2 && printed.err.contains("leave it out"), "{printed:?}");
    let printed = remote.run(&["push", "releases", &to]);
    assert!(printed.code == 2 && printed.err.contains("such as `dist/oci`"), "{printed:?}");
    let blobs = fs::read_dir(remote.place.path().join("layout/blobs/sha256")).unwrap();
    blobs.for_each(|entry| flipped(&entry.unwrap().path()));
    let printed = remote.run(&["history", "oci-layout:layout"]);
    assert!(printed.code == 2 && printed.err.contains("oci::altered"), "{printed:?}");
}

#[test]
fn a_proxy_that_does_not_answer_is_named() {
    let remote = place();
    let mut command = remote.command(&["diff", "oci://registry.example.com/api:v1", "releases/v1.1.0"]);
    let printed = remote.printed(&command.env("HTTPS_PROXY", "http://127.0.0.1:1").output().unwrap());
    assert!(printed.code == 2 && printed.err.contains("registry::proxy"), "{printed:?}");
    assert!(printed.err.contains("correct HTTPS_PROXY"), "{printed:?}");
}

#[test]
fn credentials_are_those_of_docker() {
    let server = Server::start(|asked| match asked.headers.get("authorization").map(String::as_str) {
        Some("Basic bWU6c2VjcmV0") => Hook::Pass,
        _ => {
            Hook::Once("HTTP/1.1 401 X\r\ncontent-length: 0\r\nwww-authenticate: Basic realm=\"a\"\r\n\r\n".to_owned())
        }
    });
    let (remote, host) = (place(), &server.host);
    let path = remote.place.path();
    let answer = r#"{"ServerURL": "a", "Username": "me", "Secret": "secret"}"#;
    let helper = format!("#!/bin/sh\n[ \"$1 $(cat)\" = 'get {host}' ] && echo '{answer}'\n");
    remote.place.write("bin/docker-credential-test", helper);
    fs::set_permissions(path.join("bin/docker-credential-test"), fs::Permissions::from_mode(0o755)).unwrap();
    let programs = format!("{}:{}", path.join("bin").display(), std::env::var("PATH").unwrap());
    for (config, part) in [
        (json!({"auths": {host: {"auth": "bWU6c2VjcmV0"}}}), "/api/standard:v1.0.0@sha256:"),
        (json!({"credHelpers": {host: "test"}}), "/api/standard:v1.0.0@sha256:"),
        (json!({"credsStore": "test", "auths": {host: {}}}), "/api/standard:v1.0.0@sha256:"),
        (json!({"auths": {host: {"auth": "bWU6d3Jvbmc="}}}), "error[registry::forbidden]"),
        (json!({"auths": {"registry.example.com": {"auth": "bWU6c2VjcmV0"}}}), "error[registry::forbidden]"),
        (json!({"credsStore": "missing"}), "error[registry::credentials]: `docker-credential-missing get` fails"),
        (json!({"credsStore": "../bin/x"}), "its name is malformed"),
        (json!({"auths": {host: {"auth": "secret"}}}), "has a malformed `auth`"),
        (json!("secret"), "error[registry::forbidden]"),
    ] {
        remote.place.write("docker/config.json", config.to_string());
        let mut command = Command::new(env!("CARGO_BIN_EXE_crd-channels"));
        command.args(["push", "layout", &format!("{host}/api")]).current_dir(path);
        command.env("DOCKER_CONFIG", path.join("docker")).env("PATH", &programs);
        let output = command.output().unwrap();
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(printed.contains(part) && !printed.contains("secret"), "{config}: {printed}");
    }
}

#[test]
fn a_cluster_is_read_as_a_folder() {
    let remote = place();
    for source in ["cluster:", "cluster:staging"] {
        assert_eq!(diff(&remote, "releases/v1.1.0/standard", source), json!([]));
    }
    let expected = diff(&remote, "releases/v1.0.0/standard", "releases/v1.1.0/standard");
    assert_eq!(diff(&remote, "releases/v1.0.0/standard", "cluster:staging"), expected);
    let printed = remote.run(&["diff", "cluster:production", "releases/v1.1.0"]);
    assert!(printed.code == 2 && printed.err.contains("cluster::unknown-context"), "{printed:?}");
}
