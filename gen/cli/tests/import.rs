//! `import`: imports at the same time, failures while writing, and a manifest that is a pipe. The rest are sessions.

use std::fs;
use std::path::Path;

use crate::support::{Place, Ran, immutable, published, things, things_of};
use crd_channels_cli::Exit;

const MANIFEST: &str = "bundles/v1.2.0/bundle.yaml";

fn import(place: &Place, path: &Path, channel: &str) -> Ran {
    place.run(&things(), &["import", path.to_str().unwrap(), "--version", "v1.2.0", "--channel", channel])
}

/// Concurrent imports into one bundle wait for each other, and both succeed.
#[test]
fn concurrent_imports_of_two_channels() {
    let bundle = published(&things());
    for _ in 0..10 {
        let place = Place::new();
        std::thread::scope(|scope| {
            for channel in ["standard", "experimental"] {
                let (place, folder) = (&place, bundle.path().join(channel));
                scope.spawn(move || assert_eq!(import(place, &folder, channel).exit, Exit::Fine));
            }
        });
        assert!(
            place.read(MANIFEST).starts_with("channels:\n- standard\n- experimental\n"),
            "{}",
            place.read(MANIFEST)
        );
        let ran = place.run(&things_of("v1.2.1"), &["check"]);
        assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    }
}

#[test]
fn a_failed_import_leaves_no_files() {
    let (bundle, place) = (published(&things()), Place::new());
    assert_eq!(import(&place, &bundle.path().join("standard"), "standard").exit, Exit::Fine);
    let folder = place.path().join("bundles/v1.2.0");
    if !immutable(&folder, true) {
        return;
    }
    let ran = import(&place, &bundle.path().join("experimental"), "experimental");
    assert_eq!(ran.exit, Exit::Unusable, "{ran:?}");
    immutable(&folder, false);
    assert!(ran.err.starts_with("error: bundles/v1.2.0: cannot be replaced: "), "{}", ran.err);
    assert_eq!(import(&place, &bundle.path().join("experimental"), "experimental").exit, Exit::Fine);
    // In a new workspace, no folder is left.
    let place = Place::new();
    assert_eq!(import(&place, &bundle.path().join("nowhere"), "standard").exit, Exit::Unusable);
    assert_eq!(import(&place, &bundle.path().join("standard"), "experimental").exit, Exit::Findings);
    assert!(!place.path().join("bundles").exists());
}

#[test]
fn a_manifest_that_is_a_pipe_does_not_block() {
    let (bundle, place) = (published(&things()), Place::new());
    fs::create_dir_all(place.path().join("bundles/v1.2.0")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(place.path().join(MANIFEST)).status().unwrap().success());
    // If the import blocks, this thread ends the wait, and the test fails.
    let (path, (sender, receiver)) = (place.path().join(MANIFEST), std::sync::mpsc::channel::<()>());
    let rescue = std::thread::spawn(move || {
        let waits = receiver.recv_timeout(std::time::Duration::from_secs(600)).is_err();
        if waits {
            drop(fs::OpenOptions::new().write(true).open(path));
        }
        waits
    });
    let ran = import(&place, &bundle.path().join("standard"), "standard");
    let _ = sender.send(());
    assert!(!rescue.join().unwrap(), "it waits for a pipe");
    let words = "is neither a file nor a folder, and a file is needed. move it away";
    assert_eq!((ran.exit, &*ran.err), (Exit::Unusable, &*format!("error: {MANIFEST}: {words}\n")));
}
