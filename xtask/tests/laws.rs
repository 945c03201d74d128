//! The laws of the lenses of Gateway API.

use std::fs;
use std::path::Path;
use std::time::Instant;

use crd_bundle::history_archive::HistoryArchive;
use crd_bundle::published::Input;
use crd_convert::Document;
use crd_review::history::ARCHIVE;
use crd_review::laws::{Laws, Release};

fn at_root(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

#[test]
fn laws() {
    let text = fs::read_to_string(at_root("bundles/unreleased/conversions.json")).unwrap();
    let document = Document::read(&text).unwrap();
    let start = Instant::now();
    let archive = HistoryArchive::read(Input::new(ARCHIVE, fs::read(at_root(ARCHIVE)).unwrap())).unwrap();
    println!("read {:?}", start.elapsed());
    let releases = archive.releases().iter().map(|release| Release {
        version: release.version.to_string().parse().unwrap(),
        crds: release.channels.iter().flat_map(|(channel, crds)| crds.iter().map(|crd| (*channel, &**crd))).collect(),
    });
    let releases = releases.collect::<Vec<_>>();
    let start = Instant::now();
    let laws = Laws { document: &document, functions: &[], releases: &releases, count: 100 };
    let proven = laws.prove().unwrap();
    println!("proven {:?}", start.elapsed());
    for proven in proven {
        println!("{:?} {:?} {} {:?}", proven.forward, proven.backward, proven.lens.name, proven.unproven);
        for broken in &proven.broken {
            println!(
                "   {:?} {}\n {} -> {:?}",
                broken.law,
                broken.problem,
                broken.object,
                broken.converted.as_ref().map(ToString::to_string)
            );
        }
    }
}
