//! An API outside this repository: `examples/widgets` is built as a workspace of its own with the commands of docs/getting-started.md. The CRDs
//! are compared with `tests/snapshots/widgets`; `UPDATE_SNAPSHOTS=1` updates these files.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

mod pages;

use crd_channels_cli::{Exit, Session, run_without_types_in};
use crd_model::yaml;
use serde_json::{Value, json};

const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");
/// The most lines that an adopter writes in addition to types.
const LINES: usize = 15;

/// The example, copied out of the tree, with paths that lead back to the libraries.
struct Adopter {
    folder: PathBuf,
    target: PathBuf,
}

/// The example. A published package does not contain it.
fn example() -> Option<PathBuf> {
    let example = Path::new(PACKAGE).join("examples/widgets");
    if !example.exists() {
        println!("skipped: {} is not here", example.display());
        return None;
    }
    Some(example)
}

/// Both workspaces share what cargo builds, so that the libraries are compiled once. Their programs have the same name, so one test runs at a
/// time.
static TARGET: Mutex<()> = Mutex::new(());

fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("adopter/target")
}

impl Adopter {
    fn new(example: &Path) -> Self {
        let adopter = Self { folder: Path::new(env!("CARGO_TARGET_TMPDIR")).join("adopter/widgets"), target: target() };
        let _ = fs::remove_dir_all(&adopter.folder);
        copy(example, &adopter.folder);
        let libraries = Path::new(PACKAGE).parent().unwrap().display().to_string();
        for (manifest, inside) in
            [("api", "../../../.."), ("xtask", "../../../.."), ("xtask/generator", "../../../../..")]
        {
            let path = adopter.folder.join(manifest).join("Cargo.toml");
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(inside), "{manifest} has no path {inside}");
            fs::write(path, text.replace(inside, &libraries)).unwrap();
        }
        // The versions that were tested here; cargo takes from it what it needs.
        let _ = fs::copy(Path::new(PACKAGE).join("../../Cargo.lock"), adopter.folder.join("Cargo.lock"));
        adopter
    }

    fn cargo(&self, offline: bool, arguments: &[&str]) -> Output {
        self.command(offline, arguments).output().unwrap()
    }

    fn command(&self, offline: bool, arguments: &[&str]) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        if offline {
            command.arg("--offline");
        }
        command.args(arguments).current_dir(&self.folder).env("CARGO_TARGET_DIR", &self.target);
        // As in the manifest of the example, so that both workspaces have the same profile.
        command.env("CARGO_PROFILE_DEV_BUILD_OVERRIDE_OPT_LEVEL", "1");
        for variable in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CLICOLOR_FORCE", "CARGO_TERM_COLOR"] {
            command.env_remove(variable);
        }
        // Tests compare what the program prints, without cargo's progress.
        command.env("CARGO_TERM_QUIET", "true");
        command
    }

    /// `cargo xtask …`, as in the documentation.
    fn xtask(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.cargo(true, &[&["xtask"], arguments].concat());
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    fn generated(&self) -> BTreeMap<String, String> {
        files(&self.folder.join("bundles/unreleased"))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if path.is_dir() {
            // Built and generated files are not part of the example.
            if name != OsStr::new("target") && name != OsStr::new("bundles") {
                copy(&path, &to.join(name));
            }
        } else {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

/// Text of every file, by channel and name.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for channel in fs::read_dir(folder).into_iter().flatten() {
        let channel = channel.unwrap().path();
        for file in fs::read_dir(&channel).unwrap() {
            let file = file.unwrap().path();
            let name = file.strip_prefix(folder).unwrap().display().to_string();
            files.insert(name, fs::read_to_string(file).unwrap());
        }
    }
    files
}

#[test]
fn an_adopter_generates_checks_edits_and_generates_again() {
    let Some(example) = example() else { return };
    let _guard = TARGET.lock().unwrap_or_else(PoisonError::into_inner);
    let adopter = Adopter::new(&example);
    let build = adopter.cargo(true, &["build", "--package", "xtask-generator"]);
    if !build.status.success() {
        println!("without the network: {}", text(&build.stderr));
        let build = adopter.cargo(false, &["build", "--package", "xtask-generator"]);
        assert!(build.status.success(), "{}", text(&build.stderr));
    }
    let (code, out, err) = adopter.xtask(&["generate"]);
    assert_eq!((code, &*err), (Some(0), ""), "{out}");
    assert!(out.starts_with("standard      1 CRD, 2 versions, "), "{out}");
    snapshot(&adopter.generated());
    assert_eq!(adopter.xtask(&["generate", "--check"]).0, Some(0));

    // From any folder of the workspace.
    let sub = Adopter { folder: adopter.folder.join("api/src"), target: adopter.target.clone() };
    assert_eq!(sub.xtask(&["generate", "--check"]).0, Some(0));

    // An edit that has not been generated yet.
    let source = adopter.folder.join("api/src/v1.rs");
    let before = fs::read_to_string(&source).unwrap();
    let after = before.replace("Maximum=1000", "Maximum=2000");
    assert_ne!(before, after);
    fs::write(&source, after).unwrap();
    let (code, out, err) = adopter.xtask(&["generate", "--check"]);
    assert_eq!(
        (code, &*err),
        (Some(3), "error[generate::stale]: 2 files are out of date\n   = help: run `cargo xtask generate`\n"),
        "{out}"
    );
    // Two versions in each of two channels.
    assert_eq!(out.matches("\n-                maximum: 1000\n+                maximum: 2000\n").count(), 4, "{out}");
    assert_eq!(adopter.xtask(&["generate"]).0, Some(0));
    assert_eq!(adopter.xtask(&["generate", "--check"]).0, Some(0));

    // A typo is an error on both paths, and nothing changes. So is a type without `#[api]`.
    let generated = adopter.generated();
    for (old, new, messages) in [
        ("+listMapKey", "+listMapKye", ["did you mean `+listMapKey`?"; 2]),
        ("#[api]\npub struct Part ", "pub struct Part ", ["`Part`", "write `#[api]` above the type `Part`"]),
    ] {
        fs::write(&source, before.replace(old, new)).unwrap();
        for (arguments, expected, message) in
            [(&["generate"] as &[&str], Some(2), messages[0]), (&["generate", "--compiled"], Some(101), messages[1])]
        {
            let (code, _, err) = adopter.xtask(arguments);
            assert_eq!(code, expected, "{err}");
            assert!(err.contains(message) && err.contains("api/src/v1.rs:"), "{err}");
        }
    }
    assert_eq!(generated, adopter.generated());

    a_value_comes_from_compiled_code(&adopter, &source, &before);
    fs::write(&source, before).unwrap();
    a_field_is_removed(&adopter, &source);

    // Programs that read and write Widgets have them with serde.
    let check = adopter.cargo(true, &["check", "--package", "widgets-api"]);
    assert!(check.status.success(), "{}", text(&check.stderr));

    // The small program is called for everything, and lists everything.
    let of_full = |arguments: &[&str]| {
        let output = adopter.cargo(true, &[&["run", "--package", "xtask", "--"], arguments].concat());
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for arguments in [&["--help"] as &[&str], &["generate", "--help"], &["check", "--help"], &["help", "check"]] {
        assert_eq!(adopter.xtask(arguments), of_full(arguments), "{arguments:?}");
    }
    // The full program has the compiled types, and both paths agree.
    for arguments in [&["generate", "--compiled", "--check"] as &[&str], &["check", "--source"]] {
        let (code, out, err) = adopter.xtask(arguments);
        assert!(code.is_some_and(|code| code < 2) && !err.contains("warning"), "{arguments:?}: {out}{err}");
    }
    assert!(!adopter.folder.join("bundles/compiled.json").exists());
    // It never calls itself.
    let mut small = Command::new(adopter.target.join("debug/xtask-generator"));
    let small = small.arg("check").env("CARGO_PKG_NAME", "xtask").output().unwrap();
    let message = "error[usage::generator-only]: this program was built without `check`\n";
    assert!(small.status.code() == Some(2) && text(&small.stderr).starts_with(message), "{}", text(&small.stderr));

    // Both programs are light.
    for (package, library, heavy) in [
        ("xtask", "crd-channels-cli ", &["kube", "k8s-openapi", "tokio", "schemars"] as &[&str]),
        (
            "xtask-generator",
            "crd-generator ",
            &["crd-compat ", "crd-channels-cli ", "minijinja ", "tar ", "jiff ", "widgets-api "],
        ),
    ] {
        let tree = adopter.cargo(true, &["tree", "--package", package, "--edges", "normal,build", "--prefix", "none"]);
        let tree = text(&tree.stdout);
        assert!(tree.contains(library), "{tree}");
        for heavy in heavy {
            assert!(!tree.lines().any(|line| line.starts_with(heavy)), "{heavy} in {tree}");
        }
    }
}

/// The first release of the example, in a copy: `init`, a commit, the release, and the release again at its tag.
fn it_is_released(adopter: &Adopter) {
    let released = Adopter { folder: adopter.folder.with_file_name("released"), target: adopter.target.clone() };
    let _ = fs::remove_dir_all(&released.folder);
    copy(&adopter.folder, &released.folder);
    let folder = |from: &Path| from.join("bundles");
    copy(&folder(&adopter.folder), &folder(&released.folder));
    for written in [".gitignore", ".gitattributes", ".pre-commit-config.yaml", ".github/workflows/release.yml"] {
        fs::remove_file(released.folder.join(written)).unwrap();
    }
    let (code, out, err) = released.xtask(&["init"]);
    assert_eq!(code, Some(0), "{out}{err}");
    for written in [".gitignore", ".gitattributes", ".pre-commit-config.yaml", ".github/workflows/release.yml"] {
        assert!(released.folder.join(written).exists(), "{written}");
    }
    assert_eq!(released.xtask(&["generate"]).0, Some(0));
    git(&released, &["init", "--quiet"]);
    let commit = || {
        git(&released, &["add", "--all"]);
        git(&released, &["commit", "--quiet", "--message", "as it is"]);
    };
    commit();
    let (code, out, err) = released.xtask(&["release", "v1.0.0"]);
    assert_eq!(code, Some(0), "{out}{err}");
    commit();
    git(&released, &["tag", "v1.0.0"]);
    let dist = || {
        let entries = fs::read_dir(released.folder.join("dist")).unwrap().map(|entry| entry.unwrap());
        // The sums of a folder are those of its files.
        let file = |path: PathBuf| if path.is_dir() { path.join("SHA256SUMS") } else { path };
        entries.map(|entry| (entry.file_name(), fs::read(file(entry.path())).unwrap())).collect::<BTreeMap<_, _>>()
    };
    let first = dist();
    let names = first.keys().map(|name| name.to_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(
        names,
        [
            "SHA256SUMS",
            "crd-schemas.tar.gz",
            "experimental-install.yaml",
            "graduation.json",
            "guardrails.yaml",
            "oci",
            "openapi.tar.gz",
            "reference.html",
            "release-notes.md",
            "schemas",
            "standard-install.yaml",
            "widgets-experimental-1.0.0.tgz",
            "widgets-standard-1.0.0.tgz",
            "widgets-v1.0.0.cdx.json",
            "widgets-v1.0.0.tar.gz",
        ]
    );
    fs::remove_dir_all(released.folder.join("dist")).unwrap();
    let (code, out, err) = released.xtask(&["release", "v1.0.0"]);
    assert_eq!((code, out.contains("unchanged")), (Some(0), true), "{out}{err}");
    assert_eq!(dist(), first);
    fs::remove_dir_all(released.folder.join("dist")).unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut session = Session::new(&released.folder, &mut out, &mut err);
    let exit = run_without_types_in(["release", "v1.0.0"], &mut session);
    drop(session);
    assert_eq!(exit, Exit::Fine, "{}", text(&err));
    assert_eq!(dist(), first, "the source of the types gives the same files");
    assert_eq!(released.xtask(&["check"]).0, Some(0));
}

fn git(adopter: &Adopter, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Author", "-c", "user.email=author@example.com"]).args(arguments);
    let output = command.current_dir(&adopter.folder).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", text(&output.stderr));
}

/// The default of a field is a function, which only the compiled types can call.
fn a_value_comes_from_compiled_code(adopter: &Adopter, source: &Path, before: &str) {
    let count = "    pub count: Option<i32>,";
    assert!(before.contains(count));
    let with = |one: &str| {
        let field = before.replace(count, "    #[serde(default = \"one\")]\n    pub count: i32,");
        fs::write(source, format!("{field}\nfn one() -> i32 {{\n    {one}\n}}\n")).unwrap();
    };
    let compiled = adopter.folder.join("bundles/compiled.json");
    let fails = |arguments: &[&str], message: &str| {
        let (code, out, err) = adopter.xtask(arguments);
        assert!(code.is_some_and(|code| code != 0) && err.contains(message), "{arguments:?}: {out}{err}");
    };
    let succeeds = |arguments: &[&str]| {
        let (code, out, err) = adopter.xtask(arguments);
        assert_eq!((code, &*err), (Some(0), ""), "{arguments:?}: {out}");
    };
    with("1");
    fails(
        &["generate"],
        "the value of the function `one` comes from compiled code, and no compiled run has recorded it",
    );
    fails(&["check"], "`compiled.json` is missing, and the types need it");
    succeeds(&["generate", "--compiled"]);
    let recorded = fs::read_to_string(&compiled).unwrap();
    assert!(recorded.contains("\"api/src/v1.rs Part.count default\": {\"default\":1,\"digest\":\""), "{recorded}");
    succeeds(&["generate", "--check"]);
    succeeds(&["generate", "--compiled", "--check"]);
    // Another description needs no compiled run; another function does.
    let text = fs::read_to_string(source).unwrap();
    fs::write(source, text.replace("A part of a Widget.", "One part of a Widget.")).unwrap();
    succeeds(&["generate"]);
    with("3 - 2");
    fails(&["generate"], "its source has changed since the last compiled run");
    fails(&["generate", "--compiled", "--check"], "run `cargo xtask generate --compiled`");
    fails(&["check"], "`compiled.json` is not that of the compiled types");
    // The value is compared with the marker on both paths.
    with("2");
    fails(&["generate", "--compiled"], "types::default");
    fs::remove_file(compiled).unwrap();
}

/// A field is removed by following the advice of `check` literally, including the line that it prints for the source.
fn a_field_is_removed(adopter: &Adopter, source: &Path) {
    // The types came with a tombstone, which is not in the ledger yet.
    let (code, out, err) = adopter.xtask(&["check"]);
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(err.starts_with("note: there is no baseline: `bundles/` contains no release below v1.0.0"), "{err}");
    assert!(out.contains("fix: Record it with `cargo xtask tombstones add`.\n      api/src/v1.rs:"), "{out}");
    let (code, out, err) = adopter.xtask(&["tombstones", "add"]);
    let added = "field spec.color of widgets.widgets.example.com: removed in v0.9.0: one spelling is enough; replaced\n  by colour\n1 tombstone added\n";
    assert_eq!((code, &*out, &*err), (Some(0), added, ""));
    let (code, out, _) = adopter.xtask(&["check"]);
    assert_eq!((code, &*out), (Some(0), "the types (v1.0.0) without a baseline, profile gep-922: nothing to report\n"));

    it_is_released(adopter);

    // What was published becomes the baseline.
    assert_eq!(adopter.xtask(&["generate"]).0, Some(0));
    for (name, text) in adopter.generated() {
        let path = adopter.folder.join("published").join(&name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("v1.0.0-dev", "v0.9.0")).unwrap();
    }
    for channel in ["standard", "experimental"] {
        let folder = format!("published/{channel}");
        let (code, out, err) = adopter.xtask(&["import", &folder, "--version", "v0.9.0", "--channel", channel]);
        assert_eq!((code, &*out, &*err), (Some(0), &*format!("bundles/v0.9.0/{channel}: 1 CRD imported\n"), ""));
    }
    let (code, out, _) = adopter.xtask(&["check"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(
        out.starts_with("v0.9.0 → the types (v1.0.0), profile gep-922: nothing to report in standard and experimental"),
        "{out}"
    );

    // A field is removed, and `check` prints the line to add and where.
    let before = fs::read_to_string(source).unwrap();
    let (head, rest) = before.split_once("    /// How many turns per minute").unwrap();
    let (_, tail) = rest.split_once("pub spin: Option<i32>,\n").unwrap();
    fs::write(source, format!("{head}{tail}")).unwrap();
    let (code, out, err) = adopter.xtask(&["check"]);
    assert_eq!((code, &*err), (Some(1), ""), "{out}");
    let mut lines = out.lines().map(str::trim_start).skip_while(|line| !line.starts_with("/// +tombstone:name=spin,"));
    let (marker, place) = (lines.next().unwrap(), lines.next().unwrap());
    assert_eq!(marker, "/// +tombstone:name=spin,removed=v1.0.0,reason=\"…\"");
    let (file, line) = place.split_once(':').unwrap();
    let file = adopter.folder.join(file);
    assert_eq!(file, source);
    let whole = fs::read_to_string(&file).unwrap();
    let mut lines = whole.lines().collect::<Vec<_>>();
    lines.insert(line.parse::<usize>().unwrap() - 1, marker);
    fs::write(&file, lines.join("\n")).unwrap();
    // The reason is left to the author.
    let (code, out, err) = adopter.xtask(&["tombstones", "add"]);
    assert_eq!((code, &*out), (Some(2), ""), "{err}");
    assert!(err.contains("is not a reason; write why the name must not return"), "{err}");
    fs::write(&file, lines.join("\n").replace("\"…\"", "\"nothing turns\"")).unwrap();
    assert_eq!(adopter.xtask(&["tombstones", "add"]).0, Some(0));
    let (code, out, err) = adopter.xtask(&["check"]);
    assert_eq!((code, &*err), (Some(0), ""), "{out}");
    assert!(out.contains("    minor: the field was removed: ") && out.contains("\n✓ minor "), "{out}");

    // In the same struct it does not even compile again.
    let with_marker = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        with_marker.replace(
            "    pub size: Option<i32>,",
            "    pub size: Option<i32>,\n    /// Again.\n    pub spin: Option<i32>,",
        ),
    )
    .unwrap();
    let (code, _, err) = adopter.xtask(&["check"]);
    assert_eq!(code, Some(101), "{err}");
    assert!(err.contains("`spin` was removed in v1.0.0 (nothing turns) and must never return"), "{err}");
    fs::write(source, before).unwrap();

    // A bundle on the standard input of the process, as a shell gives it.
    let published = adopter.folder.join("published/standard/widgets.example.com_widgets.yaml");
    let reads = |arguments: &[&str]| {
        let mut command = adopter.command(true, &[&["xtask", "diff"], arguments].concat());
        let output = command.stdin(fs::File::open(&published).unwrap()).output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, out, err) = reads(&["v0.9.0", "-"]);
    assert_eq!((code, &*err), (Some(0), ""), "{out}");
    assert!(
        out.starts_with(
            "v0.9.0 → - (v0.9.0), profile gep-922: nothing to report in standard; experimental was not checked"
        ),
        "{out}"
    );
    assert_eq!(reads(&["-", "-"]).0, Some(2));
}

/// Compares the generated files with the committed ones, and checks both first.
fn snapshot(generated: &BTreeMap<String, String>) {
    let name = "widgets.example.com_widgets.yaml";
    let [standard, experimental] = ["standard", "experimental"].map(|channel| {
        let text = &generated[&format!("{channel}/{name}")];
        let crd: Value = yaml::read(text).unwrap().remove(0);
        assert_eq!(crd["metadata"]["annotations"]["widgets.example.com/channel"], channel);
        assert_eq!(crd["metadata"]["annotations"]["widgets.example.com/bundle-version"], "v1.0.0-dev");
        crd
    });
    let version = |crd: &Value, index: usize| crd["spec"]["versions"][index].clone();
    let spec = |crd: &Value| version(crd, 0)["schema"]["openAPIV3Schema"]["properties"]["spec"].clone();
    for (crd, served) in [(&standard, false), (&experimental, true)] {
        let facts = |index| {
            let version = version(crd, index);
            (version["name"].clone(), version["served"].clone(), version["storage"].clone())
        };
        assert_eq!(facts(0), (json!("v1"), json!(true), json!(true)));
        assert_eq!(facts(1), (json!("v1alpha1"), json!(served), json!(false)));
        let size = &spec(crd)["properties"]["size"];
        assert_eq!((&size["default"], &size["maximum"]), (&json!(10), &json!(1000)));
        assert_eq!(spec(crd)["properties"]["parts"]["x-kubernetes-list-map-keys"], json!(["name"]));
        assert_eq!(spec(crd)["x-kubernetes-validations"][0]["message"], "a large Widget must have parts");
    }
    let spin = |crd: &Value| spec(crd)["properties"].get("spin").is_some();
    let colours = |crd: &Value| spec(crd)["properties"]["colour"]["enum"].clone();
    assert!(!spin(&standard) && spin(&experimental));
    assert_eq!(colours(&standard), json!(["Red", "Blue"]));
    assert_eq!(colours(&experimental), json!(["Red", "Blue", "Iridescent"]));

    let folder = Path::new(PACKAGE).join("tests/snapshots/widgets");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        let _ = fs::remove_dir_all(&folder);
        for (name, text) in generated {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    let committed = files(&folder);
    assert_eq!(
        committed.keys().collect::<Vec<_>>(),
        generated.keys().collect::<Vec<_>>(),
        "other files than in {}; UPDATE_SNAPSHOTS=1 writes them anew",
        folder.display()
    );
    for (name, text) in generated {
        let difference = similar::TextDiff::from_lines(&committed[name], text);
        assert!(
            committed[name] == *text,
            "{name} is not what is in {}; UPDATE_SNAPSHOTS=1 writes it anew\n{}",
            folder.display(),
            difference.unified_diff().context_radius(3)
        );
    }
}

#[test]
fn an_adopter_writes_few_lines_in_addition_to_types() {
    let Some(example) = example() else { return };
    let lines: usize = ["crd-channels.yaml", "xtask/src/main.rs", "api/src/lib.rs", ".cargo/config.toml"]
        .map(|file| fs::read_to_string(example.join(file)).unwrap())
        .iter()
        .map(|text| text.lines().filter(|line| !line.trim().is_empty()).count())
        .sum();
    assert!(lines <= LINES, "{lines} lines");
}

/// The example and the quickstart of the README, in an empty folder: its files are built, and its excerpts are what is generated and reported.
#[test]
fn the_quickstart_of_the_readme_works() {
    let repository = Path::new(PACKAGE).join("../..");
    let Ok(readme) = fs::read_to_string(repository.join("README.md")) else {
        println!("skipped: {} does not exist", repository.join("README.md").display());
        return;
    };
    let _guard = TARGET.lock().unwrap_or_else(PoisonError::into_inner);
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("quickstart");
    let script = format!("set -e\nclone\n{}", code_block(&readme, "<!-- quickstart -->"));
    let output = pages::shell(&base, &script).output().unwrap();
    assert!(output.status.success(), "{script}: {}", text(&output.stderr));
    let adopter = Adopter { folder: base.join("work/my-api"), target: target() };
    fs::copy(repository.join("Cargo.lock"), adopter.folder.join("Cargo.lock")).unwrap();
    let of_clone = adopter.generated();
    assert!(of_clone.contains_key("experimental/home.example.com_lamps.yaml"), "{:?}", of_clone.keys());
    let (code, out, err) = adopter.xtask(&["generate"]);
    assert_eq!((code, adopter.generated()), (Some(0), of_clone), "{out}{err}");
    let name = "api/src/lib.rs";
    fs::write(adopter.folder.join(name), code_block(&readme, &format!("<!-- example: {name} -->"))).unwrap();

    // Other types compile nothing: the program reads their source.
    let first = adopter.command(true, &["xtask", "generate"]).env_remove("CARGO_TERM_QUIET").output().unwrap();
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    assert!(!text(&first.stderr).contains(" Compiling "), "{}", text(&first.stderr));
    let generated = adopter.generated();
    let excerpts = code_block(&readme, "<!-- excerpts -->");
    let heading = excerpts.lines().next().unwrap();
    let column = heading.rfind("bundles/").unwrap();
    for (channel, columns) in [("standard", 0..column), ("experimental", column..usize::MAX)] {
        let part =
            |line: &str| line.get(columns.start..columns.end.min(line.len())).unwrap_or_default().trim().to_owned();
        let shown = excerpts.lines().map(part).filter(|line| !line.is_empty()).collect::<Vec<_>>();
        assert_eq!(shown[0], format!("bundles/unreleased/{channel}"));
        let crd = &generated[&format!("{channel}/home.example.com_lamps.yaml")];
        let lines = crd.lines().map(str::trim).collect::<Vec<_>>();
        assert!(lines.windows(shown.len() - 1).any(|window| window == &shown[1..]), "{channel}: {shown:?} in {crd}");
    }

    git(&adopter, &["add", "--all"]);
    git(&adopter, &["commit", "--quiet", "--message", "first"]);
    let (code, out, err) = adopter.xtask(&["release", "v1.0.0"]);
    assert_eq!(code, Some(0), "{out}{err}");
    let source = adopter.folder.join("api/src/lib.rs");
    let before = fs::read_to_string(&source).unwrap();
    assert!(before.contains("Minimum=1\n"), "{before}");
    fs::write(source, before.replace("Minimum=1\n", "Minimum=100\n")).unwrap();
    let (code, out, err) = adopter.xtask(&["check"]);
    assert_eq!(code, Some(1), "{out}{err}");
    let mut rest = &*out;
    for part in code_block(&readme, "<!-- report -->").split("…\n") {
        let (_, after) = rest.split_once(part).unwrap_or_else(|| panic!("the README shows another report than\n{out}"));
        rest = after;
    }
}

/// The text of the first code block after a mark.
fn code_block<'t>(text: &'t str, mark: &str) -> &'t str {
    let (_, rest) = text.split_once(mark).unwrap_or_else(|| panic!("no {mark}"));
    let (_, rest) = rest.split_once("```").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    &rest[..rest.find("\n```").unwrap() + 1]
}
