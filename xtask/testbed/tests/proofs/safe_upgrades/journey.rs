//! Real bundles on a server with the policy: up, down three times, across to experimental, on purpose, and back.
//!
//! Invariants: everything is done with `kubectl`, as people do it, and with the commands that the policy and its page tell them.

use std::path::Path;

use crd_bundle::{BundleVersion, files, stamp};
use crd_channels::Channel;
use crd_release::admission::safe_upgrades;
use crd_release::{Release, ReleasedChannel};
use serde_json::Value;
use tempfile::TempDir;

use super::page::EXAMPLE;
use super::{release, the_server, wait};
use crate::documents::crds;
use crate::server::{Printed, Server};

const PREFIX: &str = gateway_api_types::GROUP;
const REFERENCE: &str = "gatewayclasses.gateway.networking.k8s.io";
const HISTORY: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/oracle/gateway-api-history/v1.4.0/standard");

/// The release that the policy is made from.
pub(super) fn gateway_api() -> Release {
    let channels = Channel::ALL.map(|channel| ReleasedChannel { channel, files: files(crds(channel).to_vec()) });
    Release { channels: channels.into(), ..release(PREFIX, &[]) }
}

/// A folder with the CRDs of a channel, as of this version.
fn bundle(channel: Channel, version: &str) -> TempDir {
    let version: BundleVersion = version.parse().expect("a version");
    let mut crds = crds(channel).to_vec();
    crds.iter_mut().for_each(|crd| stamp(crd, PREFIX, version, channel));
    let folder = tempfile::tempdir().expect("a folder");
    for file in files(crds) {
        std::fs::write(folder.path().join(file.name), file.text).expect("a file");
    }
    folder
}

struct Journey {
    server: &'static Server,
    release: Release,
}

impl Journey {
    fn apply(&self, folder: &Path) -> Printed {
        self.server.kubectl(&["apply", "-f", &folder.display().to_string()])
    }

    /// As controllers of releases do it.
    fn apply_on_the_server(&self, folder: &Path) -> Printed {
        self.server.kubectl(&["apply", "--server-side", "--force-conflicts", "-f", &folder.display().to_string()])
    }

    /// The stamps of what is installed, by name.
    fn installed(&self) -> Vec<(String, String)> {
        let list = self.server.kubectl(&["get", "crd", "--output=json"]).expect("CRDs");
        let list: Value = serde_json::from_str(&list).expect("JSON");
        let mut found = Vec::new();
        for crd in list["items"].as_array().expect("items") {
            let stamp = |name: &str| {
                crd["metadata"]["annotations"][format!("{PREFIX}/{name}")].as_str().unwrap_or("-").to_owned()
            };
            let name = crd["metadata"]["name"].as_str().expect("a name");
            if name.contains(".gateway.networking.") {
                found.push((name.to_owned(), format!("{} {}", stamp("bundle-version"), stamp("channel"))));
            }
        }
        found
    }

    /// Asserts that all CRDs of standard have these stamps, and that there are so many others.
    #[track_caller]
    fn assert_installed(&self, stamps: &str, others: usize) {
        let installed = self.installed();
        for crd in crds(Channel::Standard) {
            let found = installed.iter().find(|(name, _)| *name == crd.name);
            assert_eq!(found.map(|(_, stamps)| stamps.as_str()), Some(stamps), "{}", crd.name);
        }
        assert_eq!(installed.len(), crds(Channel::Standard).len() + others, "{installed:?}");
    }

    /// Asserts that every CRD of the channel was refused with these words.
    #[track_caller]
    fn refused(&self, printed: &Printed, channel: Channel, words: &str) {
        assert!(!printed.success && printed.stdout.is_empty(), "{}\n{}", printed.stdout, printed.stderr);
        for crd in crds(channel) {
            let is_it = |line: &str| {
                line.contains(&format!("\"{}\" is forbidden: ValidatingAdmissionPolicy", crd.name))
                    && line.contains(words)
            };
            assert!(printed.stderr.lines().any(is_it), "{} is not refused:\n{}", crd.name, printed.stderr);
        }
    }

    fn is_refused_by_probe(&self) -> bool {
        let probe = safe_upgrades::probe(&self.release).expect("a release with CRDs");
        let words: Vec<&str> = probe.split(' ').skip(1).collect();
        let printed = self.server.kubectl(&words);
        assert!(printed.success || printed.stderr.contains("denied request"), "{probe}: {}", printed.stderr);
        !printed.success
    }

    /// Applies the policy, as an install file does.
    fn protect(&self) {
        for object in safe_upgrades::policies(&self.release) {
            self.server.kubectl_reading(&["apply", "-f", "-"], &object.to_string()).expect("the policy");
        }
        wait("the policy acts", || self.is_refused_by_probe());
    }
}

#[test]
fn bundles_go_up_and_back_on_purpose_only() {
    let Some(server) = the_server() else { return };
    let journey = Journey { server, release: gateway_api() };
    assert_eq!(safe_upgrades::reference(&journey.release), Some(REFERENCE));
    assert!(
        include_str!("../../../SAFE_UPGRADES.md").contains(&safe_upgrades::probe(&journey.release).expect("a probe"))
    );

    // Up: from what upstream published to what this tree makes. Four of the CRDs are new.
    let ours = bundle(Channel::Standard, "v1.4.0");
    let is_history = Path::new(HISTORY).is_dir();
    if !is_history {
        println!("skipped: {HISTORY} is not there; the journey begins with a bundle of ours");
    }
    let before = if is_history { Path::new(HISTORY) } else { ours.path() };
    journey.apply(before).expect("an empty server takes everything");
    journey.protect();
    let [older, newer] = ["v1.6.1", "v1.7.0"].map(|version| bundle(Channel::Standard, version));
    let new = journey.apply(older.path()).expect("an upgrade passes");
    assert_eq!(new.matches(" created").count(), if is_history { 4 } else { 0 }, "{new}");
    journey.assert_installed("v1.6.1 standard", 0);
    let changed = journey.apply(newer.path()).expect("an upgrade passes");
    assert_eq!(changed.matches(" configured").count(), crds(Channel::Standard).len(), "{changed}");
    journey.apply(newer.path()).expect("the same again");

    // Down: refused as often as it is tried, and nothing changes.
    for _ in 0..3 {
        let refused = journey.apply(older.path());
        journey.refused(&refused, Channel::Standard, "bundle v1.6.1 is older than what is installed");
        assert!(refused.stderr.contains(EXAMPLE), "{}", refused.stderr);
        journey.assert_installed("v1.7.0 standard", 0);
    }
    let refused = journey.apply_on_the_server(older.path());
    journey.refused(&refused, Channel::Standard, "bundle v1.6.1 is older than what is installed");
    // The message alone, without a patch.
    assert!(refused.stderr.len() < crds(Channel::Standard).len() * 1_000, "{}", refused.stderr);
    assert!(!journey.apply(before).success);
    journey.assert_installed("v1.7.0 standard", 0);

    // Across: refused for CRDs that are installed and for those that are not.
    let experimental = bundle(Channel::Experimental, "v1.8.0");
    let words = "channel experimental is less stable than what is installed";
    journey.refused(&journey.apply(experimental.path()), Channel::Experimental, words);
    journey.assert_installed("v1.7.0 standard", 0);

    // On purpose, as the message says it.
    let policy = safe_upgrades::name(PREFIX);
    server.kubectl(&["delete", "validatingadmissionpolicy", &policy]).expect("it is there");
    wait("the policy is forgotten", || !journey.is_refused_by_probe());
    journey.apply(experimental.path()).expect("nobody objects");
    journey.assert_installed("v1.8.0 experimental", 3);
    journey.protect();

    // Back to standard, which leaves behind what only experimental has.
    journey.refused(&journey.apply(newer.path()), Channel::Standard, "bundle v1.7.0 is older than what is installed");
    journey.apply(bundle(Channel::Standard, "v1.8.0").path()).expect("standard over experimental");
    journey.assert_installed("v1.8.0 standard", 3);
    let newest = journey.apply(bundle(Channel::Experimental, "v1.9.0").path());
    assert!(!newest.success);
    journey.assert_installed("v1.8.0 standard", 3);
    // What stayed behind is experimental, and may be upgraded.
    assert_eq!(newest.stdout.matches(" configured").count(), 3, "{}", newest.stdout);
}
