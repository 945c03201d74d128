//! `docs/compatibility` is what `history` writes for the archived releases of nine projects.

use std::path::Path;

use crate::support::{Place, things};
use crd_channels_cli::Exit;
use crd_testdata::HISTORIES;

const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compatibility");

#[test]
fn the_pages_are_those_of_the_command() {
    let place = Place::new();
    for project in HISTORIES {
        crd_testdata::unpack_history(project, &place.path().join(project));
    }
    let pages = Path::new(PAGES).to_str().unwrap();
    let arguments = [&["history"], HISTORIES, &["--format", "markdown", "--out", pages]].concat();
    let check = match std::env::var_os("UPDATE_SNAPSHOTS") {
        Some(_) => None,
        None => Some("--check"),
    };
    let ran = place.run(&things(), &arguments.iter().copied().chain(check).collect::<Vec<_>>());
    let is_current = ran.exit != Exit::Stale && !ran.out.is_empty();
    assert!(
        is_current,
        "docs/compatibility is out of date: UPDATE_SNAPSHOTS=1 cargo test -p crd-channels-cli --test tests compatibility\n{}{}",
        ran.out, ran.err
    );
}

/// Whatever the releases contain, each is compared or listed with its error, and every change has a rule.
#[test]
fn all_releases_are_counted_and_every_change_has_a_rule() {
    let place = Place::new();
    let project = "s3-controller";
    crd_testdata::unpack_history(project, &place.path().join(project));
    let ran = place.run(&things(), &["history", project, "--format", "json"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!([&document["compared"], &document["crds"], &document["unread"]], [16, 16, 0]);
    let releases = document["projects"][0]["releases"].as_array().unwrap();
    assert!(releases.iter().all(|release| release["comparison"]["rules"]["unclaimed"].is_null()));
}
