//! The laws of the lenses of Gateway API, on generated objects of the releases on both sides of each lens.
//!
//! `cargo xtask prove lenses` checks them on 10,000 objects for each lens and direction.

use std::fs;
use std::path::{Path, PathBuf};

use crd_bundle::history_archive::HistoryArchive;
use crd_bundle::published::Input;
use crd_convert::Conversions;
use crd_generate::{Projection, annotated};
use crd_review::history::ARCHIVE;
use crd_review::laws::{Laws, Unproven};

use crate::catalogue::catalogue;

fn at_root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

#[test]
fn the_laws_of_all_lenses_hold() {
    let count = if crd_testdata::is_proof() { 10_000 } else { 100 };
    let catalogue = catalogue();
    let types = Projection::new(&catalogue, annotated(&catalogue).unwrap(), "test");
    let document = &types.lenses().unwrap().document;
    assert!(Conversions::with_code(document, catalogue.lens_functions()).is_ok());
    let archive = HistoryArchive::read(Input::new(ARCHIVE, fs::read(at_root(ARCHIVE)).unwrap())).unwrap();
    let releases = archive.releases().iter().filter_map(|release| Some((release.version?, release)));
    let releases = releases.collect::<Vec<_>>();
    let laws = Laws { document, functions: catalogue.lens_functions(), releases: &releases, count };
    let proven = laws.prove().unwrap();
    println!("objects that each lens converted, and how many of them the CRDs of the other side accept as they are:");
    for proven in &proven {
        let [forward, backward] = [proven.forward, proven.backward]
            .map(|objects| format!("{} ({} accepted)", objects.converted, objects.accepted));
        println!("{}: forward {forward}, backward {backward}", proven.lens.name);
    }
    // The place of a lens can have its type in the new form only.
    let (new_here, proven) = proven.into_iter().partition::<Vec<_>, _>(|proven| {
        proven.unproven == Some(Unproven::NoRelease) && proven.lens.name.contains("XBackend v1.")
    });
    assert_eq!(new_here.len(), 2, "{new_here:?}");
    let wrong = proven.iter().filter(|proven| !proven.broken.is_empty() || proven.unproven.is_some());
    let wrong = wrong.map(|proven| format!("{}: {:?} {:?}", proven.lens.name, proven.broken, proven.unproven));
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
    for proven in &proven {
        assert!(proven.forward.converted >= count, "{}: {:?}", proven.lens.name, proven.forward);
        // A lens that is merged, or only drops a value, has no way back of its own.
        let has_way_back = proven.backward.converted > 0;
        assert!(!has_way_back || proven.backward.converted >= count, "{}: {:?}", proven.lens.name, proven.backward);
    }
    assert_eq!(proven.len() + new_here.len(), document.lenses.len());
}
