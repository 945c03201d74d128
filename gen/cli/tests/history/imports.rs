//! Importing every release: what is taken, what is refused, and why.

use crd_channels_cli::Exit;

use super::raw;
use super::releases::{CHANNELS, RELEASES, named};
use crate::support::Place;

/// All CRDs of a release are taken without a word, as the version that they are stamped with.
#[test]
fn every_release_is_imported_as_what_it_is_stamped_with() {
    let place = Place::new();
    for release in &RELEASES {
        for (channel, ran) in CHANNELS.into_iter().zip(release.import(&place)) {
            let count = raw::crds(release, channel).len();
            let expected = format!("bundles/{}/{channel}: {count} CRDs imported\n", release.stamp);
            assert_eq!((ran.exit, &*ran.out, &*ran.err), (Exit::Fine, &*expected, ""), "{} {channel}", release.name);
        }
    }
}

/// The only release that is not what it says: whoever released v0.8.1 left the stamps of v0.8.0 in it.
#[test]
fn v0_8_1_is_refused_under_its_own_name_since_it_is_stamped_v0_8_0() {
    let place = Place::new();
    let before = place.tree();
    let release = named("v0.8.1");
    for (channel, count) in [("standard", 4), ("experimental", 8)] {
        let ran = release.import_as(release.name, channel, channel, &place);
        assert_eq!((ran.exit, &*ran.out), (Exit::Findings, ""), "{ran:?}");
        let words = format!("{count} CRDs are stamped v0.8.0, and v0.8.1 is asked for (version-differs)");
        assert!(
            ran.err.contains(&words) && ran.err.contains("gatewayclasses.gateway.networking.k8s.io.json:1:"),
            "{}",
            ran.err
        );
        assert!(ran.err.ends_with("nothing was written\n"), "{}", ran.err);
        crate::support::assert_untouched(&before, &place.tree());
    }
}

#[test]
fn a_channel_is_refused_as_the_other_one() {
    let place = Place::new();
    for (stamped, asked) in [("standard", "experimental"), ("experimental", "standard")] {
        let ran = named("v1.4.0").import_as("v1.4.0", stamped, asked, &place);
        assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
        assert!(
            ran.err.contains(&format!("stamped {stamped}, and {asked} is asked for (channel-differs)")),
            "{}",
            ran.err
        );
    }
}
