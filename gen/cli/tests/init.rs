//! `init`: the files that it writes into a new repository, the lines that it adds to existing files, and the files that it leaves alone.
//!
//! `xtask/tests` runs the linters of the workflows and the hook.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::support::{Place, Ran, assert_untouched, let_time_pass, run_at, things};
use crd_channels_cli::Exit;
use crd_release::init::FILES;
use serde_json::{Value, json};

const PATHS: [&str; 5] = [
    ".pre-commit-config.yaml",
    ".github/workflows/ci.yml",
    ".github/workflows/release.yml",
    ".gitattributes",
    ".gitignore",
];
const COMMIT: &str =
    "note: commit these files, and run `pre-commit install` (https://pre-commit.com) to enable the hook\n";

/// A repository without a commit.
fn repository() -> Place {
    let place = Place::new();
    fs::create_dir(place.path().join(".git")).unwrap();
    place
}

fn init(place: &Place, arguments: &[&str]) -> Ran {
    place.run(&things(), &[&["init"], arguments].concat())
}

/// Path and state of each line that was printed.
fn states(ran: &Ran) -> Vec<(&str, &str)> {
    ran.out
        .lines()
        .take_while(|line| !line.is_empty())
        .map(|line| {
            let mut parts = line.split("  ").filter(|part| !part.is_empty());
            (parts.next().unwrap(), parts.next().unwrap().trim())
        })
        .collect()
}

#[test]
fn a_new_repository_gets_everything_once() {
    let place = repository();
    let before = place.tree();
    let ran = init(&place, &["--dry-run"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    assert_eq!(states(&ran), PATHS.map(|path| (path, "missing")));
    let ran = init(&place, &["--check"]);
    assert_eq!(
        (ran.exit, &*ran.err),
        (Exit::Stale, "error: 5 files are missing or incomplete. run `cargo xtask init`\n")
    );
    assert_untouched(&before, &place.tree());

    let ran = init(&place, &[]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, COMMIT));
    assert_eq!(states(&ran), PATHS.map(|path| (path, "written")));
    for (path, file) in PATHS.iter().zip(&FILES) {
        assert_eq!(*path, file.path);
        assert_eq!(place.read(path), file.text, "{path}");
    }
    assert_eq!(place.tree().keys().filter(|path| !before.contains_key(*path)).count(), PATHS.len() + 2);
    // Readable for all users, as git makes files.
    assert_eq!(fs::metadata(place.path().join(PATHS[0])).unwrap().permissions().mode() & 0o444, 0o444);

    let_time_pass();
    let after = place.tree();
    let ran = init(&place, &[]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    assert_eq!(states(&ran), PATHS.map(|path| (path, "up to date")));
    assert_eq!(init(&place, &["--check"]).exit, Exit::Fine);
    assert_untouched(&after, &place.tree());
}

/// The lines that git, pre-commit and the page depend on.
#[test]
fn the_files_contain_the_required_lines() {
    let place = repository();
    init(&place, &[]);
    assert!(place.read(".gitattributes").lines().any(|line| line == "/bundles/** -text"));
    assert!(
        ["/target", "/dist", "/bundles/.release.lock"]
            .iter()
            .all(|line| place.read(".gitignore").lines().any(|is| is == *line))
    );
    for path in [".github/workflows/ci.yml", ".github/workflows/release.yml"] {
        assert!(place.read(path).contains("its authors have never run GitHub itself"), "{path}");
    }
    let help = init(&place, &["--help"]).out;
    for path in PATHS {
        assert!(help.contains(&format!("\n  {path} ")), "{path} is not in {help}");
    }
}

#[test]
fn existing_files_stay_and_lists_get_missing_lines() {
    let place = repository();
    let ci = "name: mine\n";
    place.write(".github/workflows/ci.yml", ci);
    place.write(".gitignore", "/target\r\n/dist\r\n");
    fs::set_permissions(place.path().join(".gitignore"), fs::Permissions::from_mode(0o600)).unwrap();
    place.write(".gitattributes", "*.png binary");
    let ran = init(&place, &["--dry-run"]);
    assert_eq!(ran.exit, Exit::Fine);
    let missing = ["missing", "differs", "missing", "lacks 4 lines", "lacks 4 lines"];
    assert_eq!(states(&ran), PATHS.into_iter().zip(missing).collect::<Vec<_>>());
    let ran = init(&place, &[]);
    let done = ["written", "differs", "written", "4 lines added", "4 lines added"];
    assert_eq!(states(&ran), PATHS.into_iter().zip(done).collect::<Vec<_>>());
    assert_eq!(ran.exit, Exit::Fine);
    assert_eq!(
        ran.err,
        format!("note: files that differ were not changed; copy what you need from the differences above\n{COMMIT}")
    );
    assert!(
        ran.out.contains("\n--- .github/workflows/ci.yml (current)\n+++ .github/workflows/ci.yml (expected)\n@@")
            && ran.out.contains("\n-name: mine\n"),
        "{}",
        ran.out
    );
    assert_eq!(place.read(".github/workflows/ci.yml"), ci);
    assert_eq!(
        place.read(".gitignore"),
        "/target\r\n/dist\r\n/site\r\n/bundles/.release.lock\r\n/bundles/.release-*\r\n/.dist-*\r\n"
    );
    assert_eq!(fs::metadata(place.path().join(".gitignore")).unwrap().permissions().mode() & 0o777, 0o600);
    let attributes = place.read(".gitattributes");
    assert_eq!(attributes, format!("*.png binary\n{}", FILES[3].text));

    // A difference does not fail `--check`, because it can be intended.
    let ran = init(&place, &["--check"]);
    assert_eq!(ran.exit, Exit::Fine, "{}", ran.err);
    // A removed line is added again.
    place.write(".gitignore", "/bundles/.release.lock\n/bundles/.release-*\n/.dist-*\n/target\n/site\n");
    assert_eq!(
        init(&place, &["--check"]).err.lines().last(),
        Some("error: 1 file is missing or incomplete. run `cargo xtask init`")
    );
    assert_eq!(init(&place, &[]).exit, Exit::Fine);
    assert_eq!(
        place.read(".gitignore"),
        "/bundles/.release.lock\n/bundles/.release-*\n/.dist-*\n/target\n/site\n/dist\n"
    );
}

#[test]
fn a_list_that_is_not_text_is_left_alone() {
    let place = repository();
    let bytes = b"\xff\xfe\n";
    place.write(".gitignore", bytes);
    let ran = init(&place, &[]);
    assert_eq!((ran.exit, states(&ran)[4]), (Exit::Fine, (".gitignore", "differs")));
    assert_eq!(fs::read(place.path().join(".gitignore")).unwrap(), bytes);
}

#[test]
fn symlinks_are_not_followed_and_nothing_is_written() {
    let place = repository();
    let elsewhere = Place::new();
    symlink(elsewhere.path(), place.path().join(".github")).unwrap();
    symlink(elsewhere.path().join("Cargo.toml"), place.path().join(".gitignore")).unwrap();
    fs::create_dir(place.path().join(".gitattributes")).unwrap();
    let (before, before_elsewhere) = (place.tree(), elsewhere.tree());
    let link = "is a symlink, which is not followed";
    for arguments in [&[] as &[&str], &["--check"], &["--dry-run"]] {
        let ran = init(&place, arguments);
        assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""), "{arguments:?}");
        let expected = [
            format!("error: .github: {link}. remove it; a folder replaces it"),
            "error: .gitattributes: is a folder, not a file. move it away".to_owned(),
            format!("error: .gitignore: {link}. remove it; a file replaces it"),
        ];
        assert_eq!(ran.err.lines().collect::<Vec<_>>(), expected);
    }
    assert_untouched(&before, &place.tree());
    assert_untouched(&before_elsewhere, &elsewhere.tree());
    // A link without a target is a link.
    fs::remove_file(place.path().join(".github")).unwrap();
    symlink("nowhere", place.path().join(".github")).unwrap();
    assert!(init(&place, &[]).err.contains(".github: is a symlink"));
}

#[test]
fn the_root_may_be_elsewhere_and_need_not_be_a_repository() {
    let place = repository();
    place.write("sub/Cargo.toml", "[workspace]\n");
    let ran = init(&place, &["--root", "sub"]);
    assert_eq!(ran.exit, Exit::Fine);
    assert_eq!(
        ran.err.lines().next(),
        Some("note: sub is not the top folder of a git repository; GitHub and pre-commit read these files only there")
    );
    assert_eq!(place.read("sub/.gitignore"), FILES[4].text);
    assert!(!place.path().join(".gitignore").exists());
    // From a folder below, the workspace is the root.
    fs::create_dir_all(place.path().join("api/src")).unwrap();
    assert_eq!(run_at(&place.path().join("api/src"), &things(), &["init"]).exit, Exit::Fine);
    assert!(place.path().join(".github/workflows/release.yml").exists());

    for (root, part) in [("none", "cannot be used as root"), ("Cargo.toml", "is not a folder")] {
        let ran = init(&place, &["--root", root]);
        assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
        assert!(ran.err.contains(part), "{}", ran.err);
    }
}

#[test]
fn json_contains_the_same() {
    let place = repository();
    place.write(".gitignore", "/dist\n/site\n/target\n/.dist-*\n/bundles/.release-*\n");
    place.write(".pre-commit-config.yaml", "repos: []\n");
    let document = |arguments: &[&str], exit| {
        let ran = init(&place, &[arguments, &["--format", "json"]].concat());
        assert_eq!((ran.exit, &*ran.err), (exit, ""));
        serde_json::from_str::<Value>(&ran.out).unwrap()
    };
    let facts = |document: &Value| {
        assert_eq!(document["schemaVersion"], 1);
        assert_eq!(document["errors"], json!([]));
        let files = document["files"].as_array().unwrap().iter();
        let paths = files.clone().map(|file| file["path"].as_str().unwrap()).collect::<Vec<_>>();
        assert_eq!(paths, PATHS);
        files.map(|file| (file["state"].as_str().unwrap().to_owned(), file["written"] == true)).collect::<Vec<_>>()
    };
    let all = |list: [(&str, bool); 5]| list.map(|(state, written)| (state.to_owned(), written)).to_vec();
    let states = ["different", "missing", "missing", "missing", "incomplete"];
    let before = document(&["--check"], Exit::Stale);
    assert_eq!(facts(&before), all(states.map(|state| (state, false))));
    assert_eq!(before["files"][4]["missingLines"], json!(["/bundles/.release.lock"]));
    assert_eq!(before["files"][1]["missingLines"], json!([]));
    let done = document(&[], Exit::Fine);
    assert_eq!(facts(&done), all(states.map(|state| (state, state != "different"))));
    let after = document(&["--check"], Exit::Fine);
    let states = ["different", "upToDate", "upToDate", "upToDate", "upToDate"];
    assert_eq!(facts(&after), all(states.map(|state| (state, false))));

    fs::remove_dir_all(place.path().join(".github")).unwrap();
    place.write(".github", "a file");
    let refused = document(&[], Exit::Unusable);
    assert_eq!((&refused["files"], &refused["errors"][0]["file"]), (&json!([]), &json!(".github")));
    assert_eq!(refused["errors"].as_array().unwrap().len(), 1);
}

#[test]
fn check_and_dry_run_exclude_each_other() {
    let place = repository();
    let ran = init(&place, &["--check", "--dry-run"]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    assert!(ran.err.contains("'--check' cannot be used with '--dry-run'"), "{}", ran.err);
}

#[test]
fn concurrent_runs_add_lines_once() {
    for _ in 0..10 {
        let place = repository();
        place.write(".gitignore", "/mine\n");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(init(&place, &[]).exit, Exit::Fine));
            }
        });
        assert_eq!(place.read(".gitignore"), format!("/mine\n{}", FILES[4].text));
    }
}

/// A folder without write permission. For root, `xtask/tests/workflows.rs` uses a read-only disk.
#[test]
fn a_folder_without_the_right_to_write_stays_as_it_is() {
    let place = repository();
    let allow = |mode| fs::set_permissions(place.path(), fs::Permissions::from_mode(mode)).unwrap();
    allow(0o555);
    if fs::write(place.path().join("probe"), "").is_ok() {
        println!("skipped: this user may write everywhere");
        return;
    }
    let before = place.tree();
    let ran = init(&place, &[]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    assert!(ran.err.contains("cannot be") && ran.err.contains("give yourself the right to"), "{}", ran.err);
    assert_untouched(&before, &place.tree());
    allow(0o755);
}

/// The example is a repository after `init`: no file is missing, and no file was changed by hand.
#[test]
fn the_example_has_the_written_files() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/widgets");
    if !example.exists() {
        println!("skipped: {} is not here", example.display());
        return;
    }
    let ran = run_at(&example, &things(), &["init", "--check", "--root", "."]);
    assert_eq!(ran.exit, Exit::Fine, "{}{}", ran.out, ran.err);
    assert_eq!(states(&ran), PATHS.map(|path| (path, "up to date")));
    // The example ignores more paths, in lines above these.
    let ignored = fs::read_to_string(example.join(".gitignore")).unwrap();
    let own = ignored.strip_suffix(FILES[4].text).unwrap();
    let place = repository();
    place.write(".gitignore", own);
    init(&place, &[]);
    for path in PATHS {
        assert_eq!(place.read(path), fs::read_to_string(example.join(path)).unwrap(), "{path}");
    }
}
