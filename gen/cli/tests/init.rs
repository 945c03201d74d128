//! `init`: the bytes of its files, the example, runs at the same time, and a folder that cannot be written. The rest are sessions.
//!
//! `xtask/tests` runs the linters of the workflows and the hook.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::{Place, Ran, assert_untouched, run_at, things};
use crd_channels_cli::Exit;
use crd_generator::init::FILES;

const PATHS: [&str; 5] = [
    ".pre-commit-config.yaml",
    ".github/workflows/ci.yml",
    ".github/workflows/release.yml",
    ".gitattributes",
    ".gitignore",
];

/// A repository without a commit.
fn repository() -> Place {
    let place = Place::new();
    fs::create_dir(place.path().join(".git")).unwrap();
    place
}

fn init(place: &Place, arguments: &[&str]) -> Ran {
    place.run(&things(), &[&["init"], arguments].concat())
}

#[test]
fn the_files_are_those_of_the_library_also_from_a_folder_below() {
    let place = repository();
    fs::create_dir_all(place.path().join("api/src")).unwrap();
    assert_eq!(run_at(&place.path().join("api/src"), &things(), &["init"]).exit, Exit::Fine);
    assert_eq!(FILES.each_ref().map(|file| file.path), PATHS);
    for file in &FILES {
        assert_eq!(place.read(file.path), file.text, "{}", file.path);
    }
}

/// It has neither settings nor a Cargo.toml yet.
#[test]
fn a_project_with_go_types_is_found_from_a_folder_below() {
    let place = repository();
    fs::remove_file(place.path().join("Cargo.toml")).unwrap();
    fs::create_dir_all(place.path().join("api/v1")).unwrap();
    for (name, text) in [("go.mod", "module example.com/a\n"), ("PROJECT", "domain: a.b\nprojectName: a\n")] {
        place.write(name, text);
    }
    assert_eq!(run_at(&place.path().join("api/v1"), &things(), &["init"]).exit, Exit::Fine);
    assert!(place.read("crd-channels.yaml").contains("\nprefix: a.b\n"));
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
    let own = ignored.strip_suffix(&*FILES[4].text).unwrap();
    let place = repository();
    place.write(".gitignore", own);
    init(&place, &[]);
    for path in PATHS {
        assert_eq!(place.read(path), fs::read_to_string(example.join(path)).unwrap(), "{path}");
    }
}
