//! The example `gen/cli/examples/cache-operator`: an operator with kube-rs' derive, and the same operator after docs/from-kube-rs.md. Both
//! pass the same tests, and a server accepts the released bundle.
//!
//! Invariants: the example is a workspace of its own, copied out of the tree, with paths that lead back to the libraries.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::requests::Answer;
use crate::server::{Crds, Server, server};

/// The root of this repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The collection of caches in a version.
const V1: &str = "/apis/cache.example.com/v1/namespaces/default/caches";
const V1BETA1: &str = "/apis/cache.example.com/v1beta1/namespaces/default/caches";

/// The copy of the example.
static EXAMPLE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("operator/cache-operator");
    let _ = fs::remove_dir_all(&folder);
    let root = fs::canonicalize(ROOT).expect("the repository");
    copy(&root.join("gen/cli/examples/cache-operator"), &folder);
    let libraries = root.join("gen").display().to_string();
    for (manifest, inside) in [("api", "../../../.."), ("xtask", "../../../.."), ("xtask/generator", "../../../../..")]
    {
        let path = folder.join(manifest).join("Cargo.toml");
        let text = fs::read_to_string(&path).expect("a manifest");
        assert!(text.contains(inside), "{manifest} has no {inside}");
        fs::write(path, text.replace(inside, &libraries)).expect("written");
    }
    folder
});

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        // Built and generated files are not part of the example.
        if path.is_dir() && name != "target" && name != "bundles" {
            copy(&path, &to.join(name));
        } else if path.is_file() {
            fs::copy(&path, to.join(name)).expect("copied");
        }
    }
}

/// Whether cargo succeeded, and everything that it printed.
fn cargo(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.args(arguments).env("CARGO_TARGET_DIR", target());
    for variable in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CLICOLOR_FORCE", "CARGO_TERM_COLOR"] {
        command.env_remove(variable);
    }
    run(command.current_dir(folder))
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Author", "-c", "user.email=author@example.com"]).args(arguments);
    let (success, printed) = run(command.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null"));
    assert!(success, "git {arguments:?}: {printed}");
}

fn run(command: &mut Command) -> (bool, String) {
    let output = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout) + &text(&output.stderr))
}

/// The target folder that the tests of `crd-channels-cli` have for the workspaces that they build, which share most crates.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("adopter/target")
}

/// The folder of the programs of the example. All are built together, so that each crate is built with one set of features.
static PROGRAMS: LazyLock<PathBuf> = LazyLock::new(|| {
    let (success, printed) = cargo(&EXAMPLE, &["build", "--offline", "--workspace", "--bins", "--examples", "--tests"]);
    assert!(success, "{printed}");
    target().join("debug")
});

/// Whether the example's command line succeeded, and everything that it printed.
fn xtask(arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(PROGRAMS.join("xtask"));
    command.args(arguments).current_dir(&*EXAMPLE).env("CARGO_MANIFEST_DIR", EXAMPLE.join("xtask"));
    run(command.env_remove("CARGO_MANIFEST_PATH").env("CARGO_TARGET_DIR", target()))
}

#[test]
fn the_operator_that_new_writes_compiles() {
    let root = fs::canonicalize(ROOT).expect("the repository");
    let (success, printed) = xtask(&["new", "written", "--operator", "--path", &root.display().to_string()]);
    assert!(success, "{printed}");
    let folder = EXAMPLE.join("written");
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the versions that are tested here");
    let (success, printed) = cargo(&folder, &["build", "--offline", "--package", "written-operator"]);
    assert!(success && !printed.contains("warning"), "{printed}");
}

#[test]
fn an_operator_moved_from_kube_rs_passes_its_tests_unchanged() {
    let folder = &EXAMPLE;
    LazyLock::force(&PROGRAMS);
    let (success, printed) = cargo(folder, &["test", "--offline", "--workspace", "--bins", "--examples", "--tests"]);
    assert!(success && printed.matches("test result: ok. 7 passed; 0 failed").count() == 2, "{printed}");
    // Both run the same file.
    let manifest = fs::read_to_string(folder.join("operator/Cargo.toml")).expect("a manifest");
    assert!(manifest.contains("path = \"../before/tests/operator.rs\""), "{manifest}");
}

/// The lines of the operator that the move changes are those that docs/from-kube-rs.md shows.
#[test]
fn the_page_shows_every_line_that_changes_in_the_operator() {
    let read = |path: &str| fs::read_to_string(format!("{ROOT}/{path}")).expect("a file");
    let source = |package: &str| read(&format!("gen/cli/examples/cache-operator/{package}/src/lib.rs"));
    let (before, after) = (source("before"), source("operator"));
    assert_eq!(before.lines().count(), after.lines().count());
    let changed = before.lines().zip(after.lines()).filter(|(before, after)| before != after);
    let shown: Vec<String> = changed.map(|(before, after)| format!("-{before}\n+{after}\n")).collect();
    assert_eq!(shown.len(), 2);
    assert!(read("docs/from-kube-rs.md").contains(&format!("```diff\n{}```\n", shown.join("\n"))), "{shown:?}");
}

/// What `check` reports of the moved types against the CRD that kube-rs published: nothing that docs/from-kube-rs.md does not list.
#[test]
fn the_first_report_of_check_is_the_one_of_the_page() {
    let folder = &EXAMPLE;
    let (success, published) = run(&mut Command::new(PROGRAMS.join("examples/crd")));
    assert!(success, "{published}");
    let root = folder.with_file_name("published");
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(&root).expect("a folder");
    let file = root.join("published.json").display().to_string();
    fs::write(&file, published).expect("written");
    // The compiled types: the source is elsewhere.
    let settings = fs::read_to_string(folder.join("crd-channels.yaml")).expect("the settings");
    fs::write(root.join("crd-channels.yaml"), settings.replace("types: api\n", "")).expect("the settings are written");
    let root = root.display().to_string();
    let xtask = |arguments: &[&str]| xtask(&[arguments, &["--root", &root]].concat());
    let (success, printed) = xtask(&["import", &file, "--version", "v0.9.0", "--channel", "standard"]);
    assert!(success, "{printed}");
    let (success, printed) = xtask(&["generate"]);
    assert!(success, "{printed}");
    let (_, report) = xtask(&["check"]);
    assert!(report.contains("v0.9.0 → the types (v1.0.0), profile semver"), "{report}");
    let page = fs::read_to_string(format!("{ROOT}/docs/from-kube-rs.md")).expect("the page");
    let mut reports = 0;
    // The reason is printed once.
    let bumps = ["minor, because the baseline is below v1.0.0: ", "minor: "];
    for line in report.lines() {
        let Some(line) = bumps.iter().find_map(|bump| line.trim_start().strip_prefix(bump)) else { continue };
        // Without the effect, and without what is on the next line.
        let text = line.split_once(": ").map_or(line, |(text, _)| text);
        let text = text.split(" and cannot be proven").next().unwrap_or(text);
        assert!(page.contains(text), "{text} is not on the page\n{report}");
        reports += 1;
    }
    assert!(reports > 5, "{report}");
    assert!(!report.contains("major: ") && report.contains("✓ minor "), "{report}");
}

/// Releases the example, and installs what it publishes.
fn installed() -> Option<&'static Server> {
    static SERVER: LazyLock<Option<&'static Server>> = LazyLock::new(|| {
        let server = server(Crds::Nothing)?;
        let folder = &EXAMPLE;
        let xtask = |arguments: &[&str]| {
            let (success, printed) = xtask(arguments);
            assert!(success, "{arguments:?}: {printed}");
            printed
        };
        // The example has foreign types, whose schemas only the compiled types have.
        xtask(&["generate", "--compiled"]);
        // It keeps `bundles` out of this repository, and a release needs them in its own.
        fs::remove_file(folder.join(".gitignore")).expect("removed");
        git(folder, &["init", "--quiet"]);
        git(folder, &["add", "--all"]);
        git(folder, &["commit", "--quiet", "--message", "Add the API"]);
        let printed = xtask(&["check"]);
        assert!(printed.contains("profile semver: nothing to report"), "{printed}");
        xtask(&["release", "v1.0.0"]);
        let install = folder.join("dist/standard-install.yaml").display().to_string();
        server.kubectl(&["apply", "-f", &install]).expect("the bundle installs");
        let wait = ["wait", "--for=condition=Established", "crd/caches.cache.example.com", "--timeout=600s"];
        server.kubectl(&wait).expect("it is established");
        Some(server)
    });
    *SERVER
}

fn request(server: &Server, method: &str, path: &str, body: Option<&Value>) -> Answer {
    server.send(method, path, body)
}

fn cache(version: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": format!("cache.example.com/{version}"),
        "kind": "Cache",
        "metadata": {"name": name},
        "spec": spec,
    })
}

#[test]
fn a_server_accepts_one_kind_of_storage_that_never_changes() {
    let Some(server) = installed() else { return };
    let create = |name: &str, spec: &Value| request(server, "POST", V1, Some(&cache("v1", name, spec)));
    let volume = json!({"volume": {"size": "8Gi"}});
    let created = create("union", &json!({"replicas": 2, "storage": volume})).expect("created");
    assert_eq!(created["spec"], json!({"replicas": 2, "storage": volume}));
    for (name, storage) in [("none", json!({})), ("both", json!({"memory": {}, "volume": {"size": "8Gi"}}))] {
        let answer = create(name, &json!({"replicas": 2, "storage": storage}));
        assert_eq!(answer.code, 422, "{name}: {}", answer.body);
        assert!(answer.message().contains("spec.storage"), "{}", answer.message());
    }
    let mut changed = created;
    changed["spec"]["storage"] = json!({"memory": {}});
    let answer = request(server, "PUT", &format!("{V1}/union"), Some(&changed));
    assert!(answer.message().contains("the storage of a cache cannot change"), "{}", answer.body);
    changed["spec"] = json!({"replicas": 10, "storage": volume});
    let answer = request(server, "PUT", &format!("{V1}/union"), Some(&changed));
    assert!(answer.message().contains("spec.replicas"), "{}", answer.body);
}

#[test]
fn an_older_version_keeps_what_only_the_newer_one_has() {
    let Some(server) = installed() else { return };
    let template = json!({"spec": {"containers": [{"name": "log", "image": "log:1"}]}});
    let spec = json!({"replicas": 2, "storage": {"memory": {}}, "template": template, "labels": {"team": "shop"}});
    request(server, "POST", V1, Some(&cache("v1", "versions", &spec))).expect("created");
    let mut old = request(server, "GET", &format!("{V1BETA1}/versions"), None).expect("read");
    assert_eq!(old["apiVersion"], "cache.example.com/v1beta1");
    old["spec"]["eviction"] = json!("LeastRecent");
    let answer = request(server, "PUT", &format!("{V1BETA1}/versions"), Some(&old));
    let expected = ["cache.example.com/v1beta1 is deprecated; use v1"];
    assert_eq!(answer.warnings, expected);
    answer.expect("written");
    let new = request(server, "GET", &format!("{V1}/versions"), None).expect("read");
    let mut expected = spec;
    expected["eviction"] = json!("LeastRecent");
    assert_eq!(new["spec"], expected);
}

#[test]
fn its_scale_subresource_sets_the_replicas() {
    let Some(server) = installed() else { return };
    request(server, "POST", V1, Some(&cache("v1", "scaled", &json!({"replicas": 2})))).expect("created");
    server.kubectl(&["scale", "--replicas=4", "caches.cache.example.com/scaled"]).expect("scaled");
    let scaled = request(server, "GET", &format!("{V1}/scaled"), None).expect("read");
    assert_eq!(scaled["spec"]["replicas"], 4);
    let columns = server.kubectl(&["get", "ca/scaled"]).expect("read");
    assert!(columns.starts_with("NAME     WANTED   READY"), "{columns}");
}
