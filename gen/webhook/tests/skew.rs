//! The stamps of installed CRDs, compared with the bundle v1.2.0.

use crd_model::channel::Channel;
use crd_stamps::installed::Stamps;
use crd_webhook::skew;

use crate::api::webhook;

/// Both CRDs of experimental with these versions and channels; an empty version means that there is none.
fn check(channel: Channel, found: [(&str, &str); 2], blocking: &[&str], warnings: &[&str]) {
    let names = ["lamps.home.example.com", "rooms.home.example.com"];
    let found =
        names.iter().zip(found).filter(|(_, (version, _))| !version.is_empty()).map(|(crd, (version, channel))| {
            Stamps {
                crd: (*crd).to_owned(),
                version: Some(version.to_owned()).filter(|version| version != "-"),
                channel: Some(channel.to_owned()).filter(|channel| channel != "-"),
            }
        });
    let webhook = webhook();
    let skew = skew(webhook.bundle(), channel, &found.collect::<Vec<_>>());
    assert_eq!(
        (skew.blocking, skew.warnings),
        (
            blocking.iter().map(|text| (*text).to_owned()).collect(),
            warnings.iter().map(|text| (*text).to_owned()).collect()
        )
    );
}

#[test]
fn crds_of_the_bundle_match() {
    let experimental = ("v1.2.0", "experimental");
    check(Channel::Experimental, [experimental, experimental], &[], &[]);
    check(Channel::Standard, [("v1.2.0", "standard"), ("", "")], &[], &[]);
    // What was generated before the release.
    check(Channel::Standard, [("v1.2.0-dev", "standard"), ("", "")], &[], &[]);
}

#[test]
fn newer_crds_and_those_of_another_channel_block() {
    let newer = "the CRDs are of v1.2.1, and this webhook is of v1.2.0: update the webhook (lamps.home.example.com)";
    check(Channel::Experimental, [("v1.2.1", "experimental"), ("v1.2.0", "experimental")], &[newer], &[]);
    let other = "the CRDs are of the channel experimental, and this webhook is of standard: start it with `--channel experimental`, or install the CRDs of standard (lamps.home.example.com)";
    // The room is not part of standard.
    check(Channel::Standard, [("v1.2.0", "experimental"), ("v9.0.0", "experimental")], &[other], &[]);
    let both = [("v1.3.0-rc.1", "standard"), ("v1.2.0", "experimental")];
    let newer = newer.replace("v1.2.1", "v1.3.0-rc.1");
    let other = "the CRDs are of the channel standard, and this webhook is of experimental: start it with `--channel standard`, or install the CRDs of experimental (lamps.home.example.com)";
    check(Channel::Experimental, both, &[&newer, other], &[]);
}

/// A whole bundle, and an update that is not complete.
#[test]
fn crds_of_a_month_block() {
    let month = "the CRDs are of monthly-2026.06, which has no order with v1.2.0, the version of this webhook: install the CRDs of v1.2.0 (lamps.home.example.com)";
    let month_of = |channel| ("monthly-2026.06", channel);
    check(Channel::Standard, [month_of("standard"), ("", "")], &[month], &[]);
    check(Channel::Experimental, [month_of("experimental"), ("v1.2.0", "experimental")], &[month], &[]);
}

#[test]
fn older_and_missing_crds_are_warnings() {
    let older = "the CRDs are of v1.1.0, and this webhook is of v1.2.0: update the CRDs (lamps.home.example.com)";
    let missing = "CRDs of v1.2.0 are not installed (rooms.home.example.com)";
    check(Channel::Experimental, [("v1.1.0", "experimental"), ("", "")], &[], &[older, missing]);
}

#[test]
fn without_stamps_or_crds_nothing_can_be_compared() {
    let unreadable = "CRDs have no readable bundle version and channel: install the published CRDs of v1.2.0 (lamps.home.example.com)";
    for found in [("-", "standard"), ("latest", "standard"), ("v1.2.0", "-"), ("v1.2.0", "stable")] {
        check(Channel::Standard, [found, ("", "")], &[unreadable], &[]);
    }
    check(
        Channel::Standard,
        [("", ""), ("", "")],
        &["no CRD of the bundle is installed: install v1.2.0 standard"],
        &[],
    );
}
