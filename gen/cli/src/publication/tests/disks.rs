//! Disks that are full, read-only, overlaid or without permissions: a clear message, and nothing has changed.

use super::*;

/// The environment of a test that runs again in its own mount namespace, whose mounts end with it.
const INSIDE: &str = "CRD_PUBLICATION_INSIDE";

/// Runs the test again with these mounts, and returns the folder there. `mounts` is a script of sh.
fn is_inside(test: &str, mounts: &str, folder: &Path) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(INSIDE) {
        return Some(folder.into());
    }
    let script = format!("set -e; cd \"$0\"; {mounts}; exec \"$@\"");
    let unshare = ["--mount", "sh", "-c"];
    let with = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(unshare).arg(script).arg(folder);
        command
    };
    if !with(&format!("cd \"$0\"; {mounts}")).output().is_ok_and(|output| output.status.success()) {
        let is_required = std::env::var("CRD_RELEASE_TOOLS").is_ok_and(|value| value == "require");
        // Only root may mount.
        let is_root = fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0);
        assert!(!(is_required && is_root), "`unshare --mount` and `mount` must work for root");
        println!("skipped: mounts need root");
        return None;
    }
    let output = with(&script)
        .arg(std::env::current_exe().unwrap())
        .args([&format!("publication::tests::disks::{test}"), "--exact", "--nocapture", "--test-threads=1"])
        .env(INSIDE, folder)
        .output()
        .unwrap();
    let errors = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success() && errors[0].contains("1 passed"), "{}\n{}", errors[0], errors[1]);
    None
}

#[test]
fn a_full_disk() {
    let workspace = Workspace::new();
    let mounts = "mkdir -p disk; mount -t tmpfs -o size=1m tmpfs disk";
    let Some(folder) = is_inside("a_full_disk", mounts, workspace.root()) else { return };
    let root = folder.join("disk");
    put(&root.join("dist"), &dist("old"));
    let mut refused = 0;
    // From 0 to 40 free pages: each file and folder is once the first that does not fit.
    for free in (0..=40).map(|pages| pages * 4096) {
        let filler = root.join("filler");
        fill(&filler, free);
        let before = snapshot(&root);
        let result = publish(&publication(&root, true));
        let states = states(&root);
        match result {
            Err(errors) => {
                let words = ": No space left on device (os error 28): free some space and run it again";
                assert!(errors.len() == 1 && errors[0].ends_with(words), "{errors:?}");
                assert_eq!(before, snapshot(&root), "{errors:?}");
                refused += 1;
                fs::remove_file(filler).unwrap();
            }
            Ok(left) => {
                assert_eq!((left, states), (None, ("new".to_owned(), "new".to_owned())));
                fs::remove_file(filler).unwrap();
                fs::remove_dir_all(root.join("bundles")).unwrap();
                fs::remove_dir_all(root.join("dist")).unwrap();
                put(&root.join("dist"), &dist("old"));
            }
        }
    }
    assert!((3..40).contains(&refused), "{refused}");
    assert_eq!(publish(&publication(&root, true)), Ok(None));
}

/// Fills a disk until this many bytes are free.
fn fill(filler: &Path, free: u64) {
    let mut file = File::create(filler).unwrap();
    let mut size = 0;
    while io::Write::write_all(&mut file, &[0; 4096]).is_ok() {
        size += 4096;
    }
    file.set_len(size - free).unwrap();
}

/// A disk with a limited number of files.
#[test]
fn a_disk_without_room_for_names() {
    let workspace = Workspace::new();
    let mounts = "mkdir -p disk; mount -t tmpfs -o nr_inodes=8 tmpfs disk";
    let Some(folder) = is_inside("a_disk_without_room_for_names", mounts, workspace.root()) else { return };
    let root = folder.join("disk");
    put(&root.join("dist"), &dist("old"));
    let mut refused = 0;
    loop {
        let before = snapshot(&root);
        match publish(&publication(&root, true)) {
            Err(errors) => {
                assert!(errors.len() == 1 && errors[0].contains("No space left on device"), "{errors:?}");
                assert_eq!(before, snapshot(&root));
            }
            Ok(left) => {
                assert_eq!((left, states(&root)), (None, ("new".to_owned(), "new".to_owned())));
                break;
            }
        }
        refused += 1;
        // Five of them are the old dist, so there is room for more each time.
        let mounted =
            Command::new("mount").args(["-o", &format!("remount,nr_inodes={}", 8 + refused)]).arg(&root).status();
        assert!(mounted.unwrap().success());
    }
    assert!(refused > 5, "{refused}");
}

#[test]
fn a_read_only_disk() {
    let workspace = Workspace::with_old_dist();
    fs::create_dir(workspace.root().join("bundles")).unwrap();
    let mounts = "mount --bind . .; mount -o remount,ro,bind . \"$0\"";
    let Some(root) = is_inside("a_read_only_disk", mounts, workspace.root()) else { return };
    let before = snapshot(&root);
    let errors = publish(&publication(&root, true)).unwrap_err();
    assert_eq!(
        errors,
        [
            "bundles/.release.lock: cannot be opened: Read-only file system (os error 30): mount it writable, or use a clone on a writable disk"
        ]
    );
    // The disk becomes read-only while the lock is held: the first failing step is reported.
    assert_eq!((before, publication(&root, true).check().len()), (snapshot(&root), 0));
}

/// The parent of `dist` is read-only, or `dist` is a mount point, which cannot be replaced.
#[test]
fn a_mounted_dist() {
    let workspace = Workspace::with_old_dist();
    let Some(root) = is_inside("a_mounted_dist", "mount --bind dist dist", workspace.root()) else { return };
    let before = snapshot(&root);
    let errors = publish(&publication(&root, true)).unwrap_err();
    assert_eq!(
        errors,
        [
            "dist: cannot be replaced: Device or resource busy (os error 16). It is a mount point, or on another overlay layer than its parent folder: remove it, and run this again"
        ]
    );
    assert_eq!(before, snapshot(&root));
}

/// Overlay filesystems, as containers have them: an old `dist` in the lower layer cannot be renamed.
#[test]
fn overlaid_folders() {
    let workspace = Workspace::new();
    let mounts = "mkdir -p base; mount -t tmpfs tmpfs base; cd base; mkdir -p lower/bundles upper work merged; \
                  mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,redirect_dir=off merged";
    let Some(folder) = is_inside("overlaid_folders", mounts, workspace.root()) else { return };
    let root = folder.join("base/merged");
    assert_eq!(publish(&publication(&root, true)), Ok(None));
    assert_eq!(publish(&publication(&root, false)), Ok(None));
    assert_eq!(states(&root), ("new".to_owned(), "new".to_owned()));
    assert_eq!(
        (names(&root), names(&root.join("bundles"))),
        (vec!["bundles".to_owned(), "dist".to_owned()], vec!["v1.0.0".to_owned()])
    );
    // The same with an old `dist` in the lower layer.
    let base = folder.join("base");
    let other = |name: &str| base.join("other").join(name);
    for name in ["lower", "upper", "work", "merged"] {
        fs::create_dir_all(other(name)).unwrap();
    }
    put(&other("lower/dist"), &dist("old"));
    let options = format!(
        "lowerdir={},upperdir={},workdir={},redirect_dir=off",
        other("lower").display(),
        other("upper").display(),
        other("work").display()
    );
    let mounted =
        Command::new("mount").args(["-t", "overlay", "overlay", "-o", &options]).arg(other("merged")).status();
    assert!(mounted.unwrap().success());
    let root = other("merged");
    let before = snapshot(&root);
    let errors = publish(&publication(&root, true)).unwrap_err();
    assert_eq!(
        errors,
        [
            "dist: cannot be replaced: Invalid cross-device link (os error 18). It is a mount point, or on another overlay layer than its parent folder: remove it, and run this again"
        ]
    );
    assert_eq!(before, snapshot(&root));
    fs::remove_dir_all(root.join("dist")).unwrap();
    assert_eq!(publish(&publication(&root, true)), Ok(None));
    assert_eq!(states(&root), ("new".to_owned(), "new".to_owned()));
}

/// A user without permissions, in each of the folders.
#[test]
fn without_permissions() {
    // Only root may become another user.
    if fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() != 0) {
        println!("skipped: only root can become another user");
        return;
    }
    if !has("setpriv", &["--reuid=65534", "--regid=65534", "--clear-groups", "true"]) {
        return;
    }
    let without_permissions = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let give = |path: &Path| assert!(Command::new("chown").arg("65534:65534").arg(path).status().unwrap().success());
    // User 65534 must be able to read this program.
    if !Command::new(without_permissions[0])
        .args(&without_permissions[1..])
        .arg(std::env::current_exe().unwrap())
        .arg("--help")
        .output()
        .is_ok_and(|output| output.status.success())
    {
        println!("skipped: user 65534 cannot run this program");
        return;
    }
    for (is_root_theirs, is_bundles_theirs, expected) in [
        (
            false,
            false,
            "bundles/.release.lock: cannot be opened: Permission denied (os error 13): change the permissions, or use your own clone",
        ),
        (false, true, ".dist-"),
        (true, false, "bundles/.release.lock: cannot be opened: Permission denied (os error 13)"),
        (true, true, ""),
    ] {
        let workspace = Workspace::with_old_dist();
        fs::create_dir(workspace.root().join("bundles")).unwrap();
        set_mode(&File::open(workspace.root()).unwrap(), 0o755).unwrap();
        if is_root_theirs {
            give(workspace.root());
        }
        if is_bundles_theirs {
            give(&workspace.root().join("bundles"));
        }
        let before = snapshot(workspace.root());
        let ended = run(&without_permissions, "release", workspace.root());
        if expected.is_empty() {
            // The old dist is root's: it can be replaced, but not be deleted.
            assert_eq!(
                (ended.code, workspace.states()),
                (Some(0), ("new".to_owned(), "new".to_owned())),
                "{}",
                ended.err
            );
            assert!(
                ended.err.contains("note: .dist-")
                    && ended.err.contains("is left from another release, and cannot be removed: Permission denied"),
                "{}",
                ended.err
            );
            // Root can.
            assert_eq!(publish(&publication(workspace.root(), false)), Ok(None));
            assert_eq!(names(workspace.root()), ["bundles", "dist"]);
        } else {
            assert!(ended.code == Some(2) && ended.err.starts_with(&format!("error: {expected}")), "{}", ended.err);
            assert_eq!(before, snapshot(workspace.root()));
        }
    }
}
