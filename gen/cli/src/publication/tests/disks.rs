//! Disks that are full, read-only, stacked or somebody else's: a clear message, and nothing has changed.

use super::*;

/// The environment of a test that runs again in a mount namespace of its own, whose mounts end with it.
const INSIDE: &str = "CRD_PUBLICATION_INSIDE";

/// Runs the test once more, behind mounts; `true` there. `mounts` is a script of sh.
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
        // Rights are no tool: only root may mount.
        let is_root = fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0);
        assert!(!(is_required && is_root), "`unshare --mount` and `mount` must work for root");
        println!("skipped: nothing can be mounted here");
        return None;
    }
    let output = with(&script)
        .arg(std::env::current_exe().unwrap())
        .args([&format!("publication::tests::disks::{test}"), "--exact", "--nocapture", "--test-threads=1"])
        .env(INSIDE, folder)
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success() && said[0].contains("1 passed"), "{}\n{}", said[0], said[1]);
    None
}

#[test]
fn a_full_disk() {
    let place = Place::new();
    let mounts = "mkdir -p disk; mount -t tmpfs -o size=1m tmpfs disk";
    let Some(folder) = is_inside("a_full_disk", mounts, place.root()) else { return };
    let root = folder.join("disk");
    put(&root.join("dist"), &dist("old"));
    let mut refused = 0;
    // From one byte that is missing to none that is free: each file and folder is the first that does not fit once.
    for free in (0..=40).map(|pages| pages * 4096) {
        let filler = root.join("filler");
        fill(&filler, free);
        let before = snapshot(&root);
        let result = publish(&publication(&root, true));
        let states = states(&root);
        match result {
            Err(said) => {
                let words = ": No space left on device (os error 28): free some space and run it again";
                assert!(said.len() == 1 && said[0].ends_with(words), "{said:?}");
                assert_eq!(before, snapshot(&root), "{said:?}");
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

/// Fills a disk until so many bytes are free.
fn fill(filler: &Path, free: u64) {
    let mut file = File::create(filler).unwrap();
    let mut size = 0;
    while io::Write::write_all(&mut file, &[0; 4096]).is_ok() {
        size += 4096;
    }
    file.set_len(size - free).unwrap();
}

/// Also full of names: a disk has so many files.
#[test]
fn a_disk_without_room_for_names() {
    let place = Place::new();
    let mounts = "mkdir -p disk; mount -t tmpfs -o nr_inodes=8 tmpfs disk";
    let Some(folder) = is_inside("a_disk_without_room_for_names", mounts, place.root()) else { return };
    let root = folder.join("disk");
    put(&root.join("dist"), &dist("old"));
    let mut refused = 0;
    loop {
        let before = snapshot(&root);
        match publish(&publication(&root, true)) {
            Err(said) => {
                assert!(said.len() == 1 && said[0].contains("No space left on device"), "{said:?}");
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
    let place = Place::with_old_dist();
    fs::create_dir(place.root().join("bundles")).unwrap();
    let mounts = "mount --bind . .; mount -o remount,ro,bind . \"$0\"";
    let Some(root) = is_inside("a_read_only_disk", mounts, place.root()) else { return };
    let before = snapshot(&root);
    let said = publish(&publication(&root, true)).unwrap_err();
    assert_eq!(
        said,
        [
            "bundles/.release.lock: cannot be opened: Read-only file system (os error 30): mount it writable, or release from a clone that is"
        ]
    );
    // Whoever held the lock before it became read-only is told of the first thing that is not possible.
    assert_eq!((before, publication(&root, true).check().len()), (snapshot(&root), 0));
}

/// `dist` alone cannot be written beside; and a `dist` that is itself a mount cannot be replaced.
#[test]
fn a_mounted_dist() {
    let place = Place::with_old_dist();
    let Some(root) = is_inside("a_mounted_dist", "mount --bind dist dist", place.root()) else { return };
    let before = snapshot(&root);
    let said = publish(&publication(&root, true)).unwrap_err();
    assert_eq!(
        said,
        [
            "dist: cannot be replaced: Device or resource busy (os error 16). It is mounted, or of another layer than the folder that it lies in: remove it, and run this again"
        ]
    );
    assert_eq!(before, snapshot(&root));
}

/// Layers, as containers have them: all in the upper one, and an old `dist` in the lower one, which cannot be renamed there.
#[test]
fn stacked_folders() {
    let place = Place::new();
    let mounts = "mkdir -p base; mount -t tmpfs tmpfs base; cd base; mkdir -p lower/bundles upper work merged; \
                  mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,redirect_dir=off merged";
    let Some(folder) = is_inside("stacked_folders", mounts, place.root()) else { return };
    let root = folder.join("base/merged");
    assert_eq!(publish(&publication(&root, true)), Ok(None));
    assert_eq!(publish(&publication(&root, false)), Ok(None));
    assert_eq!(states(&root), ("new".to_owned(), "new".to_owned()));
    assert_eq!(
        (names(&root), names(&root.join("bundles"))),
        (vec!["bundles".to_owned(), "dist".to_owned()], vec!["v1.0.0".to_owned()])
    );
    // The same with an old one below.
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
    let said = publish(&publication(&root, true)).unwrap_err();
    assert_eq!(
        said,
        [
            "dist: cannot be replaced: Invalid cross-device link (os error 18). It is mounted, or of another layer than the folder that it lies in: remove it, and run this again"
        ]
    );
    assert_eq!(before, snapshot(&root));
    fs::remove_dir_all(root.join("dist")).unwrap();
    assert_eq!(publish(&publication(&root, true)), Ok(None));
    assert_eq!(states(&root), ("new".to_owned(), "new".to_owned()));
}

/// Somebody without rights, in each of the folders.
#[test]
fn without_rights() {
    // Rights are no tool: only root may become somebody else.
    if fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() != 0) {
        println!("skipped: only root can try what others may not do");
        return;
    }
    if !has("setpriv", &["--reuid=65534", "--regid=65534", "--clear-groups", "true"]) {
        return;
    }
    let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let give = |path: &Path| assert!(Command::new("chown").arg("65534:65534").arg(path).status().unwrap().success());
    // This program must be readable for nobody.
    if !Command::new(nobody[0])
        .args(&nobody[1..])
        .arg(std::env::current_exe().unwrap())
        .arg("--help")
        .output()
        .is_ok_and(|output| output.status.success())
    {
        println!("skipped: nobody may not run this program");
        return;
    }
    for (is_root_theirs, is_bundles_theirs, expected) in [
        (
            false,
            false,
            "bundles/.release.lock: cannot be opened: Permission denied (os error 13): give yourself the right to, or release from a clone of your own",
        ),
        (false, true, ".dist-"),
        (true, false, "bundles/.release.lock: cannot be opened: Permission denied (os error 13)"),
        (true, true, ""),
    ] {
        let place = Place::with_old_dist();
        fs::create_dir(place.root().join("bundles")).unwrap();
        set_mode(&File::open(place.root()).unwrap(), 0o755).unwrap();
        if is_root_theirs {
            give(place.root());
        }
        if is_bundles_theirs {
            give(&place.root().join("bundles"));
        }
        let before = snapshot(place.root());
        let came = run(&nobody, "release", place.root());
        if expected.is_empty() {
            // The old dist is root's: it can be replaced, but not be deleted.
            assert_eq!((came.code, place.states()), (Some(0), ("new".to_owned(), "new".to_owned())), "{}", came.err);
            assert!(
                came.err.contains("note: .dist-")
                    && came.err.contains("is what a release left behind, and cannot be removed: Permission denied"),
                "{}",
                came.err
            );
            // Root can.
            assert_eq!(publish(&publication(place.root(), false)), Ok(None));
            assert_eq!(names(place.root()), ["bundles", "dist"]);
        } else {
            assert!(came.code == Some(2) && came.err.starts_with(&format!("error: {expected}")), "{}", came.err);
            assert_eq!(before, snapshot(place.root()));
        }
    }
}
