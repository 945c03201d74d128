//! Real bundles on a server with the policy: an upgrade, refused downgrades, a refused change to experimental, the same change with
//! the policy removed, and the way back to standard.
//!
//! Invariants: all steps use `kubectl`, with the commands in the policy's messages and on its page.

use std::path::Path;

use crd_bundle::admission::{ReleasedChannel, safe_upgrades};
use crd_bundle::{BundleVersion, files, stamp};
use crd_channels::Channel;
use crd_release::Release;
use serde_json::Value;
use tempfile::TempDir;

use super::{policy_server, release};
use crate::documents::crds;
use crate::requests::wait;
use crate::server::{Printed, Server};

const PREFIX: &str = gateway_api_types::GROUP;
const REFERENCE: &str = "gatewayclasses.gateway.networking.k8s.io";

/// The message of the refused downgrade.
pub(super) const EXAMPLE: &str = "bundle v1.6.1 is older than what is installed: httproutes.gateway.networking.k8s.io is of v1.7.0. Install \
                                  that or a newer one. To do it all the same: kubectl delete validatingadmissionpolicy \
                                  safe-upgrades.gateway.networking.k8s.io, install, and apply the policy again.";

/// The release that the policy is created from.
pub(super) fn gateway_api() -> Release {
    let channels = Channel::ALL.map(|channel| ReleasedChannel { channel, files: files(crds(channel).to_vec()) });
    Release { channels: channels.into(), ..release(PREFIX, &[]) }
}

/// A folder with the CRDs of a channel, stamped with this version.
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

    /// Server-side apply, as release controllers use it.
    fn apply_on_policy_server(&self, folder: &Path) -> Printed {
        self.server.kubectl(&["apply", "--server-side", "--force-conflicts", "-f", &folder.display().to_string()])
    }

    /// The stamps of installed CRDs, by name.
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

    /// Asserts that all CRDs of standard have these stamps, and the number of other CRDs.
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
    fn assert_refused(&self, printed: &Printed, channel: Channel, words: &str) {
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
        wait("the policy is active", || self.is_refused_by_probe());
    }
}

#[test]
fn bundles_can_be_upgraded_and_downgraded_only_on_purpose() {
    let Some(server) = policy_server() else { return };
    let journey = Journey { server, release: gateway_api() };
    assert_eq!(safe_upgrades::reference(&journey.release), Some(REFERENCE));
    assert!(
        include_str!("../../../../../docs/evidence/safe-upgrades.md")
            .contains(&safe_upgrades::probe(&journey.release).expect("a probe"))
    );

    // Upgrade from an upstream release to the CRDs of this repository. Four CRDs are new.
    let published = tempfile::tempdir().expect("a folder");
    crd_testdata::unpack_gateway_api("v1.4.0", "standard", published.path());
    let before = published.path();
    journey.apply(before).expect("a server without CRDs accepts every bundle");
    journey.protect();
    let [older, newer] = ["v1.6.1", "v1.7.0"].map(|version| bundle(Channel::Standard, version));
    let new = journey.apply(older.path()).expect("an upgrade is accepted");
    assert_eq!(new.matches(" created").count(), 4, "{new}");
    journey.assert_installed("v1.6.1 standard", 0);
    let changed = journey.apply(newer.path()).expect("an upgrade is accepted");
    assert_eq!(changed.matches(" configured").count(), crds(Channel::Standard).len(), "{changed}");
    journey.apply(newer.path()).expect("the same again");

    // Downgrades are refused, and nothing changes.
    let refused = journey.apply(older.path());
    journey.assert_refused(&refused, Channel::Standard, "bundle v1.6.1 is older than what is installed");
    assert!(refused.stderr.contains(EXAMPLE), "{}", refused.stderr);
    journey.assert_installed("v1.7.0 standard", 0);
    let refused = journey.apply_on_policy_server(older.path());
    journey.assert_refused(&refused, Channel::Standard, "bundle v1.6.1 is older than what is installed");
    // Only the message, without a patch.
    assert!(refused.stderr.len() < crds(Channel::Standard).len() * 1_000, "{}", refused.stderr);
    assert!(!journey.apply(before).success);
    journey.assert_installed("v1.7.0 standard", 0);

    // A change to experimental is refused for installed CRDs and for new ones.
    let experimental = bundle(Channel::Experimental, "v1.8.0");
    let words = "channel experimental is less stable than what is installed";
    journey.assert_refused(&journey.apply(experimental.path()), Channel::Experimental, words);
    journey.assert_installed("v1.7.0 standard", 0);

    // The command of the message removes the policy.
    let policy = safe_upgrades::name(PREFIX);
    server.kubectl(&["delete", "validatingadmissionpolicy", &policy]).expect("it exists");
    wait("the policy is inactive", || !journey.is_refused_by_probe());
    journey.apply(experimental.path()).expect("it is accepted");
    journey.assert_installed("v1.8.0 experimental", 4);
    journey.protect();

    // Back to standard. CRDs that only experimental has remain.
    journey.assert_refused(
        &journey.apply(newer.path()),
        Channel::Standard,
        "bundle v1.7.0 is older than what is installed",
    );
    journey.apply(bundle(Channel::Standard, "v1.8.0").path()).expect("standard over experimental");
    journey.assert_installed("v1.8.0 standard", 4);
    let newest = journey.apply(bundle(Channel::Experimental, "v1.9.0").path());
    assert!(!newest.success);
    journey.assert_installed("v1.8.0 standard", 4);
    // The remaining CRDs are experimental and may be upgraded.
    assert_eq!(newest.stdout.matches(" configured").count(), 4, "{}", newest.stdout);
}
