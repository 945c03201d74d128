//! The hooks, run by the real pre-commit when a user commits: a stale CRD keeps the commit back and is regenerated, and the second
//! attempt passes. In the repository of an adopter, in one that names this repository as the source of its hook, and in ours.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod release_tools;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use release_tools::{alone, printed, tool};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const XTASK: &str = env!("CARGO_BIN_EXE_xtask");
const HOOK: &str = "CRDs are what the types say";

/// A git repository with pre-commit installed in it, and everything that pre-commit keeps in a folder of its own.
struct Repository {
    folder: tempfile::TempDir,
    target: PathBuf,
}

impl Repository {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("crd-channels-hook-").tempdir().unwrap();
        fs::create_dir_all(folder.path().join("work")).unwrap();
        // Shared with the adopter of the command line's tests, so that the libraries are built once.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("adopter/target");
        Self { folder, target }
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Runs a program in it, as its owner would.
    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let programs = self.folder.path().join("programs");
        let mut command = Command::new(program);
        alone(&mut command);
        command
            .args(arguments)
            .current_dir(self.work())
            .env("PATH", format!("{}:{}", programs.display(), std::env::var("PATH").unwrap()))
            .env("PRE_COMMIT_HOME", self.folder.path().join("pre-commit"))
            .env("PRE_COMMIT_COLOR", "never")
            .env("CARGO_TARGET_DIR", &self.target)
            .env("XTASK", XTASK);
        command.output().unwrap()
    }

    #[track_caller]
    fn succeeds(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.run(program, arguments);
        assert!(output.status.success(), "{program} {arguments:?}: {}", printed(&output));
        printed(&output)
    }

    /// Commits what is staged. Returns whether git made the commit, and what was printed.
    fn commit(&self) -> (bool, String) {
        let output = self.run("git", &["commit", "--message", "a change"]);
        println!("{}", printed(&output));
        (output.status.success(), printed(&output))
    }

    /// Stages these paths and commits them.
    fn commit_of(&self, paths: &[&str]) -> (bool, String) {
        self.succeeds("git", &[&["add", "--"], paths].concat());
        self.commit()
    }

    /// Everything that is not committed, as git prints it.
    fn status(&self) -> String {
        self.succeeds("git", &["status", "--porcelain"])
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.work().join(path)).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.work().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn replace(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "{path} has no {old}");
        self.write(path, &text.replace(old, new));
    }

    /// The first commit, before there is a hook; then the hook.
    fn begin(&self) {
        self.succeeds("git", &["init", "--quiet"]);
        self.succeeds("git", &["add", "--all"]);
        self.succeeds("git", &["commit", "--quiet", "--message", "everything"]);
        self.succeeds("pre-commit", &["install"]);
    }

    /// A widget API outside this repository, with what `init` writes, its CRDs generated and committed.
    fn adopter() -> Self {
        let repository = Self::new();
        let example = Path::new(ROOT).join("gen/cli/examples/widgets");
        copy(&example, &repository.work());
        let libraries = fs::canonicalize(Path::new(ROOT).join("gen")).unwrap().display().to_string();
        for (manifest, inside) in
            [("api", "../../../.."), ("xtask", "../../../.."), ("xtask/generator", "../../../../..")]
        {
            repository.replace(&format!("{manifest}/Cargo.toml"), inside, &libraries);
        }
        fs::copy(Path::new(ROOT).join("Cargo.lock"), repository.work().join("Cargo.lock")).unwrap();
        // The example ignores its bundles because it is part of this repository; a repository of its own commits them.
        repository.replace(".gitignore", "/bundles\n", "");
        repository.replace(".gitignore", "/Cargo.lock\n", "");
        repository.succeeds("cargo", &["xtask", "generate"]);
        repository.begin();
        repository
    }
}

/// Files of the tree, without what was built or generated in place.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        match path.is_dir() {
            true if name == "target" || name == "bundles" => {}
            true => copy(&path, &to.join(name)),
            false => _ = fs::copy(&path, to.join(name)).unwrap(),
        }
    }
}

const TYPES: &str = "api/src/v1.rs";
const STANDARD: &str = "bundles/unreleased/standard/widgets.example.com_widgets.yaml";

/// The steps of an edit: the commit is rejected, the CRDs are regenerated, the next commit succeeds.
fn an_edit_without_its_crds(repository: &Repository, old: &str, new: &str) {
    repository.replace(TYPES, &format!("Maximum={old}"), &format!("Maximum={new}"));
    let (committed, printed) = repository.commit_of(&[TYPES]);
    assert!(!committed && printed.contains(HOOK) && printed.contains("files were modified by this hook"), "{printed}");
    // Version v1 and v1alpha1.
    assert_eq!(repository.read(STANDARD).matches(&format!("maximum: {new}\n")).count(), 2);
    assert!(repository.status().contains(&format!(" M {STANDARD}\n")), "{}", repository.status());
    // Only what is staged counts: the same attempt fails again.
    let (committed, printed) = repository.commit();
    assert!(!committed, "{printed}");
    let (committed, printed) = repository.commit_of(&["bundles"]);
    assert!(committed && printed.contains("Passed"), "{printed}");
    assert_eq!(repository.status(), "");
}

#[test]
fn an_adopter_s_commit_is_kept_back_until_its_crds_are_in_it() {
    if tool("pre-commit").is_none() {
        return;
    }
    let repository = Repository::adopter();
    // Nothing to do.
    let printed = repository.succeeds("pre-commit", &["run", "--all-files"]);
    assert!(printed.contains(HOOK) && printed.contains("Passed"), "{printed}");
    an_edit_without_its_crds(&repository, "1000", "2000");

    // A user edits a generated file.
    repository.replace(STANDARD, "maximum: 2000", "maximum: 3");
    let (committed, printed) = repository.commit_of(&[STANDARD]);
    assert!(!committed && printed.contains("files were modified by this hook"), "{printed}");
    let (committed, printed) = repository.commit_of(&[STANDARD]);
    // Then nothing is left to commit, and git fails.
    assert!(!committed && printed.contains("nothing to commit"), "{printed}");

    // A new resource is a new file, which git would not show as a change.
    let gadget = repository
        .read("api/src/v1alpha1.rs")
        .replace("Widget as they", "Gadget as they")
        .replace("kind = \"Widget\")]\npub struct Widget {", "kind = \"Gadget\")]\npub struct Gadget {");
    let gadget = gadget
        .replace("version = \"v1alpha1\"", "version = \"v1\"")
        .replace("shortName=wd", "shortName=gd")
        .lines()
        .filter(|line| !line.contains("deprecatedversion"))
        .collect::<Vec<_>>()
        .join("\n")
        + "\n";
    repository.write("api/src/gadget.rs", &gadget);
    repository.replace("api/src/lib.rs", "pub mod v1;", "pub mod gadget;\npub mod v1;");
    for _ in 0..2 {
        let (committed, printed) = repository.commit_of(&["api", "xtask"]);
        assert!(!committed && printed.contains("files were modified by this hook"), "{printed}");
    }
    let (committed, printed) = repository.commit_of(&["bundles"]);
    assert!(committed, "{printed}");
    assert_eq!(repository.status(), "");
    assert!(repository.read("bundles/unreleased/standard/widgets.example.com_gadgets.yaml").contains("kind: Gadget"));

    // Types that do not compile keep a commit back too, and say why.
    repository.replace(TYPES, "+listMapKey", "+listMapKye");
    let (committed, printed) = repository.commit_of(&[TYPES]);
    assert!(!committed && printed.contains("did you mean `+listMapKey`?"), "{printed}");
    repository.succeeds("git", &["checkout", "--quiet", "HEAD", "--", TYPES]);

    // What has nothing to do with types asks for nothing.
    repository.write("notes.txt", "words\n");
    let (committed, printed) = repository.commit_of(&["notes.txt"]);
    assert!(committed && printed.contains("(no files to check)Skipped"), "{printed}");

    // The same with the hook that this repository offers to other projects.
    let offered = repository.folder.path().join("offered");
    fs::create_dir(&offered).unwrap();
    fs::copy(format!("{ROOT}/.pre-commit-hooks.yaml"), offered.join(".pre-commit-hooks.yaml")).unwrap();
    let offered = offered.to_str().unwrap();
    for arguments in [
        &["init", "--quiet"] as &[&str],
        &["add", "--all"],
        &["commit", "--quiet", "--message", "hooks"],
        &["tag", "v0.1.0"],
    ] {
        repository.succeeds("git", &[&["-C", offered], arguments].concat());
    }
    let configuration =
        format!("repos:\n  - repo: {offered}\n    rev: v0.1.0\n    hooks:\n      - id: crd-channels-generate\n");
    repository.write(".pre-commit-config.yaml", &configuration);
    let (committed, printed) = repository.commit_of(&[".pre-commit-config.yaml"]);
    assert!(committed, "{printed}");
    an_edit_without_its_crds(&repository, "2000", "3000");
}

/// Our own configuration, with the CRDs of Gateway API. `cargo xtask` is the program that was built for this test.
#[test]
fn our_own_crds_cannot_be_committed_stale() {
    if tool("pre-commit").is_none() {
        return;
    }
    let repository = Repository::new();
    let programs = repository.folder.path().join("programs");
    fs::create_dir(&programs).unwrap();
    let cargo = programs.join("cargo");
    let script = "#!/bin/sh\ncase $1 in\nxtask) shift; exec \"$XTASK\" \"$@\" ;;\nfmt) exec rustfmt --check --edition 2024 lib.rs ;;\nesac\nexit 1\n";
    release_tools::script(&cargo, script);
    repository.write("Cargo.toml", "[workspace]\n");
    repository.write("lib.rs", "fn main() {}\n");
    repository.write(".gitignore", "");
    fs::copy(format!("{ROOT}/.pre-commit-config.yaml"), repository.work().join(".pre-commit-config.yaml")).unwrap();
    // The compiled types: the source is elsewhere.
    repository.write("crd-channels.yaml", &release_tools::settings_without_source());
    repository.succeeds("cargo", &["xtask", "generate"]);
    repository.begin();

    let gateway = "bundles/unreleased/experimental/gateway.networking.k8s.io_gateways.yaml";
    let before = repository.read(gateway);
    repository.replace(gateway, "maxItems: 64", "maxItems: 65");
    let (committed, printed) = repository.commit_of(&[gateway]);
    assert!(!committed && printed.contains(HOOK) && printed.contains("files were modified by this hook"), "{printed}");
    assert_eq!(repository.read(gateway), before);
    repository.succeeds("git", &["add", gateway]);
    let printed = repository.succeeds("pre-commit", &["run", "--all-files"]);
    assert!(printed.matches("Passed").count() == 2, "{printed}");

    // Released bundles are out of every hook's reach.
    repository.write("bundles/v1.0.0/lib.rs", "fn  main( ) {}");
    let (committed, printed) = repository.commit_of(&["bundles/v1.0.0"]);
    assert!(committed && printed.matches("Skipped").count() == 2, "{printed}");
    // Rust that is not formatted.
    repository.write("lib.rs", "fn  main( ) {}\n");
    let (committed, printed) = repository.commit_of(&["lib.rs"]);
    assert!(!committed && printed.contains("Rust is formatted"), "{printed}");
}
