//! The release of Gateway API by the real program, as a process: the committed bundle is what the types release, and tools read the files.
//! `workflows.rs` has the release in another clone, `structure.rs` the comparison with upstream.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::release_tools::{copy, flagship, git, printed, tree};

const PROGRAM: &str = env!("CARGO_BIN_EXE_xtask");

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace")
}

fn run(command: &mut Command) -> Output {
    let output = command.stdin(Stdio::null()).output().expect("it runs");
    assert!(output.status.success(), "{command:?}\n{}", printed(&output));
    output
}

#[test]
fn the_committed_bundle_is_what_the_types_release() {
    let bundles = workspace().join("bundles");
    let catalogue = crate::catalogue::with_settings();
    let version = &*catalogue.next_version().to_string();
    if !bundles.join(version).exists() {
        println!("skipped: {version} is not released yet, and earlier bundles are of other types");
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    copy(&bundles, &place.path().join("bundles"));
    flagship(place.path(), &["Cargo.toml", ".gitignore", ".gitattributes", "templates"]);
    let before = tree(&place.path().join("bundles"));
    let mut command = Command::new(PROGRAM);
    command.args(["release", version, "--root"]).arg(place.path()).env_remove("SOURCE_DATE_EPOCH");
    let output = run(&mut command);
    assert!(text(&output).contains("unchanged"), "{}", text(&output));
    assert!(tree(&place.path().join("bundles")) == before, "the bundle was touched");
    assert!(git(place.path(), &["tag", version]).status.success());
    tools_read_it(place.path(), version);
}

/// The published files, each read by the program that it is for.
fn tools_read_it(root: &Path, version: &str) {
    let (dist, bundle) = (root.join("dist"), root.join("bundles").join(version));
    run(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&dist));
    let listed = run(Command::new("tar").arg("-tzf").arg(dist.join(format!("gateway-api-{version}.tar.gz"))));
    let text_of_list = text(&listed);
    let objects =
        |folder: &str| text_of_list.lines().filter(|line| line.contains(folder) && line.contains('_')).count();
    let top = format!("gateway-api-{version}/");
    let found = ["standard/", "experimental/", "webhook/standard/", "webhook/experimental/", "policies/checks/"];
    assert_eq!(found.map(|folder| objects(&format!("{top}{folder}"))), [10, 14, 17, 17, 2]);

    let python = |script: &str, arguments: &[PathBuf]| {
        let mut command = Command::new("python3");
        command.arg(workspace().join("gen/release/tests").join(script)).args(arguments);
        let output = command.output().expect("python3 runs");
        if output.status.code() == Some(77) {
            return missing(script);
        }
        assert!(output.status.success(), "{script}: {}", printed(&output));
    };
    let sbom = dist.join(format!("gateway-api-{version}.cdx.json"));
    python("validate_sbom.py", &[sbom, dist.clone(), bundle.clone()]);
    python("validate_notes.py", &[dist.join("release-notes.md")]);
    python("validate_layout.py", &[dist.clone(), bundle.clone()]);

    for (channel, crds) in [("standard", 10), ("experimental", 14)] {
        let crds_in = |output: &Output| text(output).matches("kind: CustomResourceDefinition").count();
        match program("KUBECTL", "kubectl", &["version", "--client"]) {
            Some(kubectl) => {
                // As a folder, and as the URL of a repository at its tag.
                let url = format!("file://{}//bundles/{version}/{channel}?ref={version}", root.display());
                for base in [bundle.join(channel), url.into()] {
                    let output = run(Command::new(&kubectl).arg("kustomize").arg(&base));
                    assert_eq!(crds_in(&output), crds, "{}", base.display());
                }
            }
            None => missing("kubectl"),
        }
        match program("HELM", "helm", &["version"]) {
            Some(helm) => {
                let chart = dist.join(format!("gateway-api-{channel}-{}.tgz", version.trim_start_matches('v')));
                run(Command::new(&helm).args(["lint", "--strict"]).arg(&chart));
                let output = run(Command::new(&helm).args(["template", "crds"]).arg(&chart));
                assert_eq!(
                    text(&output).matches("\"kind\":\"CustomResourceDefinition\",\"metadata\"").count(),
                    crds,
                    "{channel}"
                );
            }
            None => missing("helm"),
        }
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The program that a variable names, or that the PATH has.
fn program(variable: &str, name: &str, arguments: &[&str]) -> Option<String> {
    let program = std::env::var(variable).unwrap_or_else(|_| name.to_owned());
    let is_there = Command::new(&program).args(arguments).output().is_ok_and(|output| output.status.success());
    is_there.then_some(program)
}

fn missing(what: &str) {
    let required = std::env::var_os("CRD_RELEASE_TOOLS").is_some_and(|value| value == "require");
    assert!(!required, "{what} has what it needs, or CRD_RELEASE_TOOLS=require could not be met");
    println!("skipped: what {what} needs is not here");
}
