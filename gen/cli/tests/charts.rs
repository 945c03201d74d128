//! Charts as sources: what is read without Helm, and the limits of `helm`. Proofs on the testbed render charts with the real program.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crd_channels_cli::{Exit, Session, run_without_types_in};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::Place;

const CRD: &str = include_str!("charts/crd.yaml");

/// A program called `helm` that runs this script.
fn helm(place: &Path, script: &str) -> PathBuf {
    let path = place.join("helm");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// A chart with these files, packed.
fn packed(place: &Path, name: &str, files: &[(&str, &str)]) {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, text) in [("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n")].iter().chain(files) {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("c/{path}"), text.as_bytes()).unwrap();
    }
    fs::write(place.join(name), archive.into_inner().unwrap().finish().unwrap()).unwrap();
}

fn run(place: &Path, helm: Option<PathBuf>, arguments: &[&str]) -> (Exit, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut session = Session::new(place, &mut out, &mut err).helm(helm);
    let exit = run_without_types_in(arguments, &mut session);
    drop(session);
    let [out, err] =
        [out, err].map(|bytes| anstream::adapter::strip_str(&String::from_utf8(bytes).unwrap()).to_string());
    (exit, out, err)
}

/// `helm` decides which CRDs a chart has. Those in `crds/` keep their file, and rendered ones may hold braces.
#[test]
fn rendered_charts_are_read() {
    let place = Place::new();
    let root = place.path();
    let template = format!("{{{{- if .Values.crds.enabled }}}}\n{CRD}{{{{- end }}}}\n");
    packed(
        root,
        "old.tgz",
        &[("templates/a.yaml", &template), ("crds/b.yaml", &CRD.replace("lamp", "plug").replace("Lamp", "Plug"))],
    );
    let description = "type: integer
                description: 'a {{ `{{` }}'";
    let rendered = CRD.replacen("type: integer", description, 1).replace("minimum: 1", "minimum: 2");
    fs::write(root.join("rendered"), format!("---\n# Source: c/templates/a.yaml\n{rendered}")).unwrap();
    let helm = helm(root, "echo \"$@\" > arguments\ncat rendered");
    let arguments = ["diff", "old.tgz", "old.tgz", "--set", "crds.enabled=true", "--values", "v.yaml"];
    let (exit, out, err) = run(root, Some(helm), &arguments);
    assert_eq!(exit, Exit::Fine, "{out}{err}");
    assert!(out.contains("there is no bump from v1.0.0 to v1.0.0"), "{out}");
    let asked = fs::read_to_string(root.join("arguments")).unwrap();
    let expected = "template release-name --namespace default --include-crds --skip-tests --values v.yaml --set crds.enabled=true -- ";
    assert!(asked.starts_with(expected) && asked.trim_end().ends_with("old.tgz"), "{asked}");
}

/// A template can print what another file defines.
#[test]
fn included_crds_need_helm() {
    let place = Place::new();
    let root = place.path();
    let define = format!("{{{{ define \"crd\" }}}}\n{CRD}{{{{ end }}}}\n");
    let include = "{{ include \"crd\" . }}\n";
    packed(root, "c.tgz", &[("templates/_crd.tpl", &define), ("templates/a.yaml", include)]);
    fs::write(root.join("rendered"), format!("---\n# Source: c/templates/a.yaml\n{CRD}")).unwrap();
    let arguments = ["diff", "c.tgz", "c.tgz"];
    let (exit, out, err) = run(root, Some(helm(root, "cat rendered")), &arguments);
    assert_eq!(exit, Exit::Fine, "{out}{err}");
    let (exit, _, err) = run(root, None, &arguments);
    assert_eq!(exit, Exit::Unusable);
    assert!(
        err.contains("only it can render the CRDs of this file") && err.contains("c.tgz!c/templates/_crd.tpl"),
        "{err}"
    );
}

/// What a program called `helm` can do wrong.
#[test]
fn helm_has_limits() {
    let place = Place::new();
    let root = place.path();
    let template = CRD.replace("kind: Lamp", "kind: {{ .Values.kind }}");
    packed(
        root,
        "c.tgz",
        &[("templates/a.yaml", &template), ("values.yaml", "crds: {enabled: false}\ninstallCRDs: false\n")],
    );
    for (script, code, message) in [
        ("yes kind: CustomResourceDefinition", "chart::rendering", "`helm template` prints more than 64 MiB"),
        (
            "echo 'Error: execution error at (c/templates/a.yaml:1:3): a name' >&2; exit 1",
            "chart::rendering",
            "`helm template` fails: execution error at (c/templates/a.yaml:1:3): a name",
        ),
        ("printf 'kind: \\377'", "chart::rendering", "text that is not UTF-8"),
        ("kill -9 $$", "chart::rendering", "`helm template` fails"),
        ("echo", "chart::no-crds", "`--set crds.enabled=true` or `--set installCRDs=true`"),
    ] {
        let (exit, out, err) = run(root, Some(helm(root, script)), &["diff", "c.tgz", "c.tgz"]);
        assert_eq!((exit, &*out), (Exit::Unusable, ""), "{script}: {err}");
        assert!(err.contains(code) && err.contains(message), "{script}: {err}");
    }
    // Without it, only what needs it is an error.
    let (_, _, err) = run(root, None, &["diff", "c.tgz", "c.tgz"]);
    assert!(err.contains("error[template]") && err.contains("c.tgz!c/templates/a.yaml"), "{err}");
    let (_, _, err) = run(root, None, &["diff", "c.tgz", "c.tgz", "--set", "a=b"]);
    assert!(err.contains("only it can use `--set` and `--values`"), "{err}");
}
