//! `import` of each release.

use crd_channels_cli::Exit;

use super::raw;
use super::releases::{CHANNELS, RELEASES, named};
use crate::support::{Place, assert_untouched};

/// All CRDs of a release are imported without notes, as the version of their stamps.
#[test]
fn every_release_is_imported_as_the_version_of_its_stamps() {
    let place = Place::new();
    for release in &RELEASES {
        for (channel, ran) in CHANNELS.into_iter().zip(release.import(&place)) {
            let count = raw::crds(release, channel).len();
            let expected = format!("bundles/{}/{channel}: {count} CRDs imported\n", release.stamp);
            assert_eq!((ran.exit, &*ran.out, &*ran.err), (Exit::Fine, &*expected, ""), "{} {channel}", release.name);
        }
    }
}

/// v0.8.1 is the only release with wrong stamps: those of v0.8.0.
#[test]
fn v0_8_1_is_refused_under_its_own_name_since_it_is_stamped_v0_8_0() {
    let place = Place::new();
    let before = place.tree();
    let release = named("v0.8.1");
    for (channel, count) in [("standard", 4), ("experimental", 8)] {
        let ran = release.import_as(release.name, channel, channel, &place);
        assert_eq!((ran.exit, &*ran.out), (Exit::Findings, ""), "{ran:?}");
        let words = format!("{count} CRDs are stamped v0.8.0, and v0.8.1 is asked for [version-differs]");
        assert!(
            ran.err.contains(&words) && ran.err.contains("gatewayclasses.gateway.networking.k8s.io.json:1:"),
            "{}",
            ran.err
        );
        assert!(ran.err.ends_with("nothing was written\n"), "{}", ran.err);
        assert_untouched(&before, &place.tree());
    }
}

#[test]
fn a_channel_is_refused_as_the_other_one() {
    let place = Place::new();
    for (stamped, requested) in [("standard", "experimental"), ("experimental", "standard")] {
        let ran = named("v1.4.0").import_as("v1.4.0", stamped, requested, &place);
        assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
        assert!(
            ran.err.contains(&format!("stamped {stamped}, and {requested} is asked for [channel-differs]")),
            "{}",
            ran.err
        );
    }
}
