//! `docs/evidence/compatibility` is what `history` writes for the archived releases of nine projects.

use std::path::Path;

use crate::support::{Place, things};
use crd_channels_cli::Exit;
use crd_testdata::HISTORIES;

const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evidence/compatibility");

/// The projects whose releases are compared in a second. Those of the other projects are compared in a proof.
const SAMPLE: &[&str] = &["cert-manager", "ec2-controller", "karpenter", "s3-controller"];

/// The page of each project, and its rows of the page of all projects.
#[test]
fn the_pages_are_those_of_the_command() {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let projects = if update || crd_testdata::is_proof() { HISTORIES } else { SAMPLE };
    let place = Place::new();
    for project in projects {
        crd_testdata::unpack_history(project, &place.path().join(project));
    }
    let out = if update { Path::new(PAGES).to_owned() } else { place.path().join("pages") };
    let arguments = [&["history"], projects, &["--format", "markdown", "--out", out.to_str().unwrap()]].concat();
    let ran = place.run(&things(), &arguments);
    assert!(ran.exit == Exit::Fine && !ran.out.is_empty(), "{}{}", ran.out, ran.err);
    let read = |folder: &Path, name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let stale = "docs/evidence/compatibility is out of date: UPDATE_SNAPSHOTS=1 cargo test -p crd-channels-cli --test tests compatibility";
    let all = read(Path::new(PAGES), "README.md");
    for project in projects {
        let name = format!("{project}.md");
        assert!(read(&out, &name) == read(Path::new(PAGES), &name), "{name}: {stale}");
        for row in read(&out, "README.md")
            .lines()
            .filter(|row| row.contains(&format!("| {project} |")) || row.contains(&format!("| [{project}]")))
        {
            assert!(all.lines().any(|known| known == row), "{row}: {stale}");
        }
    }
    if projects.len() == HISTORIES.len() {
        assert!(all == read(&out, "README.md"), "README.md: {stale}");
    }
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
