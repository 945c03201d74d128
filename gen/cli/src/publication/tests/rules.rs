//! What may be published where, and what it becomes.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn whole() -> (String, String) {
    ("new".to_owned(), "new".to_owned())
}

#[test]
fn modes_are_the_same_whatever_the_umask() {
    for umask in ["0000", "0022", "0077", "0777"] {
        let place = Place::new();
        // As root, 0777 too leaves everything readable for us.
        let came = run(&["sh", "-c", "umask $0; exec \"$@\"", umask], "release", place.root());
        if umask == "0777" && came.code != Some(0) {
            continue;
        }
        assert_eq!((came.code, place.states()), (Some(0), whole()), "{}", came.err);
        for (path, (_, mode, ..)) in snapshot(place.root()) {
            let expected = if path.is_dir() { 0o755 } else { 0o644 };
            let is_bundles = path.file_name().unwrap() == "bundles";
            assert!(is_bundles || mode & 0o7777 == expected, "{} {mode:o} with {umask}", path.display());
        }
    }
}

#[test]
fn a_release_then_its_artefacts_again() {
    let place = Place::new();
    assert_eq!(publish(&publication(place.root(), true)), Ok(None));
    assert_eq!(place.states(), whole());
    assert_eq!(
        (names(place.root()), names(&place.root().join("bundles"))),
        (vec!["bundles".to_owned(), "dist".to_owned()], vec!["v1.0.0".to_owned()])
    );
    let before = snapshot(&place.root().join("bundles"));
    fs::write(place.root().join("dist/new.tgz"), "altered").unwrap();
    fs::remove_file(place.root().join("dist/release-notes.md")).unwrap();
    assert_eq!(publish(&publication(place.root(), false)), Ok(None));
    assert_eq!((place.states(), before), (whole(), snapshot(&place.root().join("bundles"))));
    // The same bundle again is refused here; that it need not be is for the command to know.
    let said = publish(&publication(place.root(), true)).unwrap_err();
    assert_eq!(
        said,
        [
            "bundles/v1.0.0: is there already, and a bundle is never replaced: release another version, or remove it if nobody has it yet"
        ]
    );
}

/// Refused with these words, and nothing is touched.
#[track_caller]
fn refused(place: &Place, expected: &[&str]) {
    let before = snapshot(place.root());
    let faults = publication(place.root(), true).check();
    let said = publish(&publication(place.root(), true)).unwrap_err();
    assert_eq!(faults.len(), said.len());
    assert_eq!(said.len(), expected.len(), "{said:?}");
    for (said, expected) in said.iter().zip(expected) {
        assert!(said.starts_with(expected), "{said:?} is not {expected:?}");
    }
    assert_eq!(before, snapshot(place.root()));
}

#[test]
fn symlinks_are_not_followed() {
    for path in ["bundles", "bundles/v1.0.0", "dist"] {
        for is_dangling in [false, true] {
            let place = Place::new();
            if !is_dangling {
                fs::create_dir(place.root().join("elsewhere")).unwrap();
                fs::write(place.root().join("elsewhere/mine"), "mine").unwrap();
            }
            let path = place.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink(place.root().join("elsewhere"), &path).unwrap();
            let shown = path.strip_prefix(place.root()).unwrap().display().to_string();
            refused(&place, &[&format!("{shown}: is a symlink, and is not followed: ")]);
        }
    }
    // What the user named may be one.
    let place = Place::new();
    let root = place.root().join("root");
    fs::create_dir(place.root().join("real")).unwrap();
    symlink("real", &root).unwrap();
    assert_eq!(publish(&publication(&root, true)), Ok(None));
    assert_eq!(states(&place.root().join("real")), whole());
}

#[test]
fn what_is_no_folder_is_refused() {
    for path in ["bundles/v1.0.0", "dist"] {
        let place = Place::new();
        fs::create_dir(place.root().join("bundles")).unwrap();
        fs::write(place.root().join(path), "mine").unwrap();
        refused(&place, &[&format!("{path}: is a file, and a folder is needed there: move it away")]);
    }
    if has("mkfifo", &["--version"]) {
        let place = Place::new();
        assert!(Command::new("mkfifo").arg(place.root().join("dist")).status().unwrap().success());
        refused(&place, &["dist: is neither file nor folder, and a folder is needed there: move it away"]);
    }
}

#[test]
fn what_is_not_ours_is_never_deleted() {
    let theirs = |change: &dyn Fn(&Path), expected: &[&str]| {
        let place = Place::with_old_dist();
        change(&place.root().join("dist"));
        refused(&place, expected);
    };
    let unlisted = "is not in SHA256SUMS, so no release has written it: move it away";
    theirs(&|dist| fs::write(dist.join("mine.txt"), "").unwrap(), &[&format!("dist/mine.txt: {unlisted}")]);
    theirs(&|dist| fs::write(dist.join(".hidden"), "").unwrap(), &[&format!("dist/.hidden: {unlisted}")]);
    theirs(
        &|dist| fs::create_dir(dist.join("mine")).unwrap(),
        &["dist/mine: is no file, and a release writes nothing else"],
    );
    theirs(
        &|dist| symlink("/etc", dist.join("link")).unwrap(),
        &["dist/link: is a symlink, and a release writes none"],
    );
    // Not even under a name that is listed.
    theirs(
        &|dist| {
            fs::remove_file(dist.join("old.tgz")).unwrap();
            fs::create_dir(dist.join("old.tgz")).unwrap();
        },
        &["dist/old.tgz: is no file, and a release writes nothing else"],
    );
    let without = "lies in a folder without SHA256SUMS, which no release has written";
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
            "dist: has more of what no release has written",
        ],
    );
    theirs(
        &|dist| fs::write(dist.join(SUMS), "x".repeat((1 << 20) + 1)).unwrap(),
        &["dist/SHA256SUMS: is larger than any release writes it: move the folder away"],
    );
    // Nobody's: an empty folder; and what a release wrote as it would read on Windows, or as `sha256sum --binary` writes it.
    let place = Place::new();
    fs::create_dir(place.root().join("dist")).unwrap();
    assert_eq!(publish(&publication(place.root(), true)), Ok(None));
    let place = Place::with_old_dist();
    let sums = place.root().join("dist/SHA256SUMS");
    fs::write(&sums, fs::read_to_string(&sums).unwrap().replace("  ", " *").replace('\n', "\r\n")).unwrap();
    assert_eq!(publish(&publication(place.root(), true)), Ok(None));
}

#[test]
fn all_that_is_in_the_way_is_told_at_once() {
    let place = Place::with_old_dist();
    fs::write(place.root().join("dist/mine"), "").unwrap();
    fs::create_dir_all(place.root().join("bundles/v1.0.0")).unwrap();
    refused(&place, &["bundles/v1.0.0: is there already", "dist/mine: is not in SHA256SUMS"]);
}

#[test]
fn hostile_names_are_written_nowhere() {
    let outside = Place::new();
    let long = "x".repeat(256);
    let absolute = outside.root().join("a").display().to_string();
    for name in ["../a", "..", "a/../../a", &absolute, "", "a\\b", "a\0b", "a\nb", "a//b", "a/", ".", "C:a", &long] {
        for is_dist in [false, true] {
            let place = Place::with_old_dist();
            let before = snapshot(place.root());
            let mut publication = publication(place.root(), true);
            let tree = if is_dist { &mut publication.dist } else { publication.bundle.as_mut().unwrap() };
            tree.files.insert(name.to_owned(), b"x".to_vec());
            let said = publish(&publication).unwrap_err();
            let target = if is_dist { "dist" } else { "bundles/v1.0.0" };
            assert!(said[0].starts_with(&format!("{target}: would have a file {name:?}, which ")), "{said:?}");
            assert_eq!(before, snapshot(place.root()), "{name}");
        }
    }
    assert_eq!(names(outside.root()), [] as [&str; 0]);
    // Two that stand in each other's way, and trees that the next release could not replace.
    for (target, change, expected) in [
        (
            "bundles/v1.0.0",
            ("standard", ""),
            "would have a file \"standard\", and a file \"standard/example.com_boxes.yaml\" below it",
        ),
        ("dist", ("more.txt", ""), "would have a file \"more.txt\" that its SHA256SUMS does not list"),
        ("dist", ("SHA256SUMS", ""), "would have a file \"new.tgz\" that its SHA256SUMS does not list"),
    ] {
        let place = Place::new();
        let mut publication = publication(place.root(), true);
        let tree = if target == "dist" { &mut publication.dist } else { publication.bundle.as_mut().unwrap() };
        tree.files.insert(change.0.to_owned(), change.1.into());
        let said = publish(&publication).unwrap_err();
        assert!(said[0].starts_with(&format!("{target}: {expected}")), "{said:?}");
        assert_eq!(names(place.root()), [] as [&str; 0]);
    }
    let place = Place::new();
    let mut nested = publication(place.root(), true);
    nested.dist.files.insert("charts/a.tgz".to_owned(), Vec::new());
    nested.dist.files.get_mut(SUMS).unwrap().extend(format!("{}  charts/a.tgz\n", "0".repeat(64)).bytes());
    assert_eq!(
        publish(&nested).unwrap_err(),
        ["dist: would have a file \"charts/a.tgz\" in a folder, and what is published is flat: rename it"]
    );
    // Targets that lie elsewhere.
    for target in ["/dist", "../dist", "a/../../dist", ""] {
        let place = Place::new();
        let mut elsewhere = publication(place.root(), true);
        elsewhere.dist.target = place.root().join(target);
        let said = publish(&elsewhere).unwrap_err();
        assert!(said[0].ends_with("is not below the root, and a release writes nowhere else"), "{said:?}");
    }
}

#[test]
fn what_killed_runs_left_goes_and_nothing_else() {
    let place = Place::with_old_dist();
    let root = place.root();
    let outside = Place::new();
    put(outside.root(), &dist("old"));
    let ours = ["bundles/.release-1.tmp", "bundles/.release-4194304.tmp", ".dist-12.tmp", ".dist-12-old.tmp"];
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
    // Of our names, but no folders.
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
    assert_eq!(place.states(), whole());
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
