//! `generate` and other commands where files cannot be written: no file has changed. Other bad input is in the session `generate`.

use std::path::Path;

use crate::support::{BOX, Place, Ran, THING, edited, edited_things, immutable, let_time_pass, published, things};
use crd_channels_cli::{Catalogue, Exit};
use crd_generate::settings::Settings;

/// A run that is refused, and changes no existing file.
#[track_caller]
fn refused(place: &Place, catalogue: &Catalogue, arguments: &[&str]) -> Ran {
    let_time_pass();
    let ran = place.run_unchanged(catalogue, arguments);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""), "{ran:?}");
    assert!(!ran.err.is_empty() && ran.err.lines().all(|line| line.starts_with("error: ")), "{}", ran.err);
    ran
}

/// Clears the flag also when the test fails, so that the folder can be removed.
struct Immutable<'a>(&'a Path);

impl Drop for Immutable<'_> {
    fn drop(&mut self) {
        immutable(self.0, false);
    }
}

#[test]
fn a_folder_that_cannot_be_written() {
    let place = Place::with(&things());
    let folder = place.path().join("bundles/unreleased/experimental");
    if !immutable(&folder, true) {
        return;
    }
    let _clear = Immutable(&folder);
    // The files of the other channel are not written either.
    let ran = refused(&place, &edited_things(), &["generate"]);
    let beginning = format!("error: bundles/unreleased/experimental/{BOX}: cannot be written: ");
    assert!(ran.err.starts_with(&beginning) && ran.err.contains("--out DIR"), "{}", ran.err);
    // Other commands have no such option.
    let bundle = published(&things());
    let path = bundle.path().join("standard");
    let arguments = ["import", path.to_str().unwrap(), "--version", "v1.2.0", "--channel", "standard"];
    let bundles = place.path().join("bundles");
    for (folder, arguments) in [(&bundles, &arguments[..]), (&place.path().to_owned(), &["init"])] {
        assert!(immutable(folder, true));
        let _clear = Immutable(folder);
        let ran = refused(&place, &things(), arguments);
        let has_advice = ["give yourself the permission, or use another folder\n", "or use your own clone\n"];
        assert!(has_advice.iter().any(|advice| ran.err.ends_with(advice)), "{}", ran.err);
    }
    // Files that are up to date need no write permission.
    assert_eq!(place.run(&things(), &["generate"]).exit, Exit::Fine);
}

/// Each file is written next to its target first. One target cannot be replaced.
#[test]
fn a_file_that_cannot_be_replaced() {
    for name in [BOX, THING] {
        let place = Place::with(&things());
        let fixed = place.file("experimental", name);
        if !immutable(&fixed, true) {
            return;
        }
        let _clear = Immutable(&fixed);
        let ran = refused(&place, &edited_things(), &["generate"]);
        let beginning = format!("error: bundles/unreleased/experimental/{name}: cannot be replaced: ");
        assert!(ran.err.starts_with(&beginning), "{}", ran.err);
        // The same for a file that is removed.
        let alone =
            Catalogue::new(Settings::new("things.example.com", "v1.2.0".parse().unwrap())).resource::<edited::Case>();
        refused(&place, &alone, &["generate"]);
    }
}
