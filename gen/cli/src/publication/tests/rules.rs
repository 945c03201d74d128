//! What may be published, and what may be replaced.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn whole() -> (String, String) {
    ("new".to_owned(), "new".to_owned())
}

#[test]
fn modes_are_the_same_whatever_the_umask() {
    for umask in ["0000", "0022", "0077", "0777"] {
        let workspace = Workspace::new();
        // As root, 0777 too leaves everything readable for us.
        let ended = run(&["sh", "-c", "umask $0; exec \"$@\"", umask], "release", workspace.root());
        if umask == "0777" && ended.code != Some(0) {
            continue;
        }
        assert_eq!((ended.code, workspace.states()), (Some(0), whole()), "{}", ended.err);
        for (path, (_, mode, ..)) in snapshot(workspace.root()) {
            let expected = if path.is_dir() { 0o755 } else { 0o644 };
            let is_bundles = path.file_name().unwrap() == "bundles";
            assert!(is_bundles || mode & 0o7777 == expected, "{} {mode:o} with {umask}", path.display());
        }
    }
}

#[test]
fn a_release_then_its_artefacts_again() {
    let workspace = Workspace::new();
    assert_eq!(publish(&publication(workspace.root(), true)), Ok(None));
    assert_eq!(workspace.states(), whole());
    assert_eq!(
        (names(workspace.root()), names(&workspace.root().join("bundles"))),
        (vec!["bundles".to_owned(), "dist".to_owned()], vec!["v1.0.0".to_owned()])
    );
    let before = snapshot(&workspace.root().join("bundles"));
    fs::write(workspace.root().join("dist/new.tgz"), "altered").unwrap();
    fs::remove_file(workspace.root().join("dist/release-notes.md")).unwrap();
    assert_eq!(publish(&publication(workspace.root(), false)), Ok(None));
    assert_eq!((workspace.states(), before), (whole(), snapshot(&workspace.root().join("bundles"))));
    // The same bundle again is refused here; the command does not pass an existing bundle.
    let errors = publish(&publication(workspace.root(), true)).unwrap_err();
    assert_eq!(
        errors,
        [
            "bundles/v1.0.0: exists already, and a bundle is never replaced: release another version, or remove it if it was never published"
        ]
    );
}

/// The publication fails with these errors, and nothing is touched.
#[track_caller]
fn refused(workspace: &Workspace, expected: &[&str]) {
    let before = snapshot(workspace.root());
    let faults = publication(workspace.root(), true).check();
    let errors = publish(&publication(workspace.root(), true)).unwrap_err();
    assert_eq!(faults.len(), errors.len());
    assert_eq!(errors.len(), expected.len(), "{errors:?}");
    for (error, expected) in errors.iter().zip(expected) {
        assert!(error.starts_with(expected), "{error:?} is not {expected:?}");
    }
    assert_eq!(before, snapshot(workspace.root()));
}

#[test]
fn symlinks_are_not_followed() {
    for path in ["bundles", "bundles/v1.0.0", "dist"] {
        for is_dangling in [false, true] {
            let workspace = Workspace::new();
            if !is_dangling {
                fs::create_dir(workspace.root().join("elsewhere")).unwrap();
                fs::write(workspace.root().join("elsewhere/mine"), "mine").unwrap();
            }
            let path = workspace.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink(workspace.root().join("elsewhere"), &path).unwrap();
            let shown = path.strip_prefix(workspace.root()).unwrap().display().to_string();
            refused(&workspace, &[&format!("{shown}: is a symlink, which is not followed")]);
        }
    }
    // The root itself may be a symlink.
    let workspace = Workspace::new();
    let root = workspace.root().join("root");
    fs::create_dir(workspace.root().join("real")).unwrap();
    symlink("real", &root).unwrap();
    assert_eq!(publish(&publication(&root, true)), Ok(None));
    assert_eq!(states(&workspace.root().join("real")), whole());
}

#[test]
fn a_target_that_is_not_a_folder_is_refused() {
    for path in ["bundles/v1.0.0", "dist"] {
        let workspace = Workspace::new();
        fs::create_dir(workspace.root().join("bundles")).unwrap();
        fs::write(workspace.root().join(path), "mine").unwrap();
        refused(&workspace, &[&format!("{path}: is a file, not a folder: move it away")]);
    }
    if has("mkfifo", &["--version"]) {
        let workspace = Workspace::new();
        assert!(Command::new("mkfifo").arg(workspace.root().join("dist")).status().unwrap().success());
        refused(&workspace, &["dist: is neither a file nor a folder, and a folder is needed"]);
    }
}

/// The old `dist` with this change is refused.
#[track_caller]
fn theirs(change: &dyn Fn(&Path), expected: &[&str]) {
    let workspace = Workspace::with_old_dist();
    change(&workspace.root().join("dist"));
    refused(&workspace, expected);
}

#[test]
fn only_folders_with_sums_are_replaced() {
    let unlisted = "is not in SHA256SUMS, so no release has written it: move it away";
    let written = |dist: &Path| {
        let bytes = "{}";
        put(
            &dist.join("schemas"),
            &[
                ("a/b.json".to_owned(), bytes.into()),
                (SUMS.to_owned(), format!("{}  a/b.json\n", "0".repeat(64)).into()),
            ]
            .into(),
        );
    };
    theirs(
        &|dist| {
            written(dist);
            fs::write(dist.join("schemas/a/mine.json"), "").unwrap();
            symlink("/etc", dist.join("schemas/link")).unwrap();
        },
        &[
            &format!("dist/schemas/a/mine.json: {unlisted}"),
            "dist/schemas/link: is a symlink, and a release does not write symlinks",
        ],
    );
    let workspace = Workspace::with_old_dist();
    written(&workspace.root().join("dist"));
    assert_eq!(publish(&publication(workspace.root(), true)), Ok(None));
}

#[test]
fn files_of_other_programs_are_never_deleted() {
    let unlisted = "is not in SHA256SUMS, so no release has written it: move it away";
    theirs(&|dist| fs::write(dist.join("mine.txt"), "").unwrap(), &[&format!("dist/mine.txt: {unlisted}")]);
    theirs(&|dist| fs::write(dist.join(".hidden"), "").unwrap(), &[&format!("dist/.hidden: {unlisted}")]);
    theirs(
        &|dist| fs::create_dir(dist.join("mine")).unwrap(),
        &["dist/mine: is neither a file nor a folder with SHA256SUMS, and a release writes nothing else there"],
    );
    theirs(
        &|dist| symlink("/etc", dist.join("link")).unwrap(),
        &["dist/link: is a symlink, and a release does not write symlinks"],
    );
    // Also under a listed name.
    theirs(
        &|dist| {
            fs::remove_file(dist.join("old.tgz")).unwrap();
            fs::create_dir(dist.join("old.tgz")).unwrap();
        },
        &["dist/old.tgz: is neither a file nor a folder with SHA256SUMS, and a release writes nothing else there"],
    );
    let without = "is in a folder without SHA256SUMS, which no release has written";
    theirs(
        &|dist| fs::remove_file(dist.join(SUMS)).unwrap(),
        &[
            &format!("dist/old.tgz: {without}"),
            &format!("dist/release-notes.md: {without}"),
            &format!("dist/standard-install.yaml: {without}"),
        ],
    );
    theirs(
        &|dist| (0..9).for_each(|number| fs::write(dist.join(format!("a{number}")), "").unwrap()),
        &[
            "dist/a0: ",
            "dist/a1: ",
            "dist/a2: ",
            "dist/a3: ",
            "dist/a4: ",
            "dist: has more files that no release has written",
        ],
    );
    theirs(
        &|dist| fs::write(dist.join(SUMS), "x".repeat((1 << 20) + 1)).unwrap(),
        &["dist/SHA256SUMS: is larger than that of any release: move the folder away"],
    );
    // May be replaced: an empty folder, and sums with Windows line ends or as `sha256sum --binary` writes them.
    let workspace = Workspace::new();
    fs::create_dir(workspace.root().join("dist")).unwrap();
    assert_eq!(publish(&publication(workspace.root(), true)), Ok(None));
    let workspace = Workspace::with_old_dist();
    let sums = workspace.root().join("dist/SHA256SUMS");
    fs::write(&sums, fs::read_to_string(&sums).unwrap().replace("  ", " *").replace('\n', "\r\n")).unwrap();
    assert_eq!(publish(&publication(workspace.root(), true)), Ok(None));
}

#[test]
fn all_errors_are_reported_together() {
    let workspace = Workspace::with_old_dist();
    fs::write(workspace.root().join("dist/mine"), "").unwrap();
    fs::create_dir_all(workspace.root().join("bundles/v1.0.0")).unwrap();
    refused(&workspace, &["bundles/v1.0.0: exists already", "dist/mine: is not in SHA256SUMS"]);
}

#[test]
fn only_folders_of_killed_runs_are_removed() {
    let workspace = Workspace::with_old_dist();
    let root = workspace.root();
    let outside = Workspace::new();
    put(outside.root(), &dist("old"));
    let ours = [
        "bundles/.release-1.tmp",
        "bundles/.release-4194304.tmp",
        "bundles/.crd-channels-0-12-1.tmp",
        ".dist-12.tmp",
        ".dist-12-old.tmp",
    ];
    for path in ours {
        put(&root.join(path), &bundle());
        symlink(outside.root(), root.join(path).join("link")).unwrap();
        fs::set_permissions(root.join(path).join("standard"), fs::Permissions::from_mode(0o700)).unwrap();
    }
    let theirs = [
        ".dist-mine.tmp",
        ".dist-.tmp",
        ".dist-12",
        ".dist-1x.tmp",
        "dist-12.tmp",
        ".release-12.tmp",
        ".dist-old.tmp",
        "bundles/.dist-12.tmp",
        "bundles/.release-12",
        "bundles/.release-x.tmp",
        "bundles/v1.0.0.tmp",
        "bundles/unreleased",
    ];
    for path in theirs {
        put(&root.join(path), &dist("old"));
        assert!(!is_own(path) && !is_own(&format!("{path}/a")), "{path}");
    }
    // With such names, but not folders.
    symlink(outside.root(), root.join(".dist-13.tmp")).unwrap();
    fs::write(root.join("bundles/.release-13.tmp"), "mine").unwrap();
    for path in ours {
        assert!(is_own(path) && is_own(&format!("{path}/standard/a.yaml")) && is_own(&format!("{path}/")), "{path}");
    }
    assert!(
        is_own("bundles/.release.lock")
            && !is_own("bundles/.release.lock/a")
            && !is_own(".release.lock")
            && !is_own("bundles")
    );
    assert_eq!(publish(&publication(root, true)), Ok(None));
    assert_eq!(workspace.states(), whole());
    for path in ours {
        assert!(!root.join(path).exists(), "{path}");
    }
    for path in theirs {
        assert_eq!(read(&root.join(path)), dist("old"), "{path}");
    }
    assert_eq!(read(outside.root()), dist("old"));
    assert!(root.join(".dist-13.tmp").is_symlink());
    assert_eq!(fs::read_to_string(root.join("bundles/.release-13.tmp")).unwrap(), "mine");
}
