//! `diff` on small pairs of files that strangers' files led to: `testdata/cases/diff.tsv` lists the verdict that each may have at least and at most.

use std::fs;
use std::path::{Path, PathBuf};

use crd_channels_cli::Exit;
use crd_compat::RequiredBump;
use serde_json::Value;

use crate::support::{Place, things};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases/diff")
}

/// The verdict, or the errors.
fn verdict(place: &Place, name: &str) -> Result<RequiredBump, String> {
    let [old, new] = ["old", "new"].map(|side| folder().join(name).join(side).with_extension("yaml"));
    let [old, new] = [&old, &new].map(|path| path.to_str().unwrap());
    let options = ["--channel", "standard", "--profile", "semver", "--format", "json"];
    let ran = place.run(&things(), &[&["diff", old, new][..], &options].concat());
    if !matches!(ran.exit, Exit::Fine | Exit::Findings) {
        return Err(ran.out + &ran.err);
    }
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    Ok(RequiredBump::named(document["verdict"].as_str().unwrap()).unwrap())
}

#[test]
fn each_verdict_is_in_its_range() {
    let place = Place::new();
    let table = fs::read_to_string(folder().with_extension("tsv")).unwrap();
    let (mut names, mut faults) = (Vec::new(), Vec::new());
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let &[name, least, most, why] = line.split('\t').collect::<Vec<_>>().as_slice() else { panic!("{line}") };
        let range = RequiredBump::named(least).unwrap()..=RequiredBump::named(most).unwrap();
        let found = verdict(&place, name);
        if !found.as_ref().is_ok_and(|verdict| range.contains(verdict)) {
            faults.push(format!("{name}: {found:?}, and not {least} to {most}: {why}"));
        }
        names.push(name.to_owned());
    }
    let mut folders = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(folders.find(|name| !names.contains(name)), None, "it is not in the table");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
