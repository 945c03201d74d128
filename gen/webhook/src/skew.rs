//! Whether the installed CRDs are those of the webhook's bundle and channel.
//!
//! "A bundle is CRDs, API versions and a validating webhook with matching versions" (GEP-922). Newer CRDs accept what this webhook does not know, and
//! those of another channel accept other objects, so the webhook would refuse valid ones: it is not ready. CRDs of a month may be
//! newer too. Objects that older CRDs accept are checked by the newer rules, which is useful during an upgrade: the webhook warns.
//!
//! Invariant: nothing is read here. The verdict depends on the stamps only.

use std::collections::BTreeMap;

use crd_diagnostics::layout::some_of;
use crd_model::channel::Channel;
use crd_stamps::installed::Stamps;
use crd_stamps::{BundleStamp, BundleVersion, Month};

use crate::bundle::Bundle;

/// How many CRDs a message names.
const MOST_NAMED: usize = 3;

/// The CRDs of a cluster, compared with the bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skew {
    /// Why the webhook cannot check objects correctly.
    pub blocking: Vec<String>,
    /// What else differs.
    pub warnings: Vec<String>,
}

/// What is unlike the bundle, in the order of messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unlike {
    Newer(BundleVersion),
    Month(Month),
    Channel(Channel),
    Unreadable,
    Older(BundleVersion),
    Missing,
}

/// Compares the stamps of the CRDs of a cluster. CRDs that the bundle does not have are left out.
pub fn skew(bundle: &Bundle, channel: Channel, found: &[Stamps]) -> Skew {
    let (mut unlike, mut present): (BTreeMap<Unlike, Vec<&str>>, usize) = Default::default();
    for crd in bundle.crds(channel) {
        let stamps = found.iter().find(|stamps| stamps.crd == *crd.name);
        present = present.saturating_add(usize::from(stamps.is_some()));
        let differences = match stamps {
            None => vec![Unlike::Missing],
            Some(stamps) => differences(bundle.version, channel, stamps),
        };
        for difference in differences {
            unlike.entry(difference).or_default().push(&crd.name);
        }
    }
    let mut skew = Skew::default();
    if present == 0 {
        skew.blocking.push(format!("no CRD of the bundle is installed: install {} {channel}", bundle.version));
        return skew;
    }
    for (difference, crds) in unlike {
        let crds = some_of(&crds, MOST_NAMED);
        let own = bundle.version;
        match difference {
            Unlike::Newer(version) => skew.blocking.push(format!(
                "the CRDs are of {version}, and this webhook is of {own}: update the webhook ({crds})"
            )),
            Unlike::Month(month) => skew.blocking.push(format!(
                "the CRDs are of {month}, which has no order with {own}, the version of this webhook: install the CRDs of {own} ({crds})"
            )),
            Unlike::Channel(other) => skew.blocking.push(format!(
                "the CRDs are of the channel {other}, and this webhook is of {channel}: start it with `--channel {other}`, or install the CRDs of {channel} ({crds})"
            )),
            Unlike::Unreadable => skew.blocking.push(format!(
                "CRDs have no readable bundle version and channel: install the published CRDs of {own} ({crds})"
            )),
            Unlike::Older(version) => skew.warnings.push(format!(
                "the CRDs are of {version}, and this webhook is of {own}: update the CRDs ({crds})"
            )),
            Unlike::Missing => skew.warnings.push(format!("CRDs of {own} are not installed ({crds})")),
        }
    }
    skew
}

fn differences(own: BundleVersion, channel: Channel, stamps: &Stamps) -> Vec<Unlike> {
    let Some((bundle, of)) = stamps.part() else { return vec![Unlike::Unreadable] };
    let of_version = match bundle {
        BundleStamp::Version(version) if version.is_same_bundle(own) => None,
        BundleStamp::Version(version) if version > own => Some(Unlike::Newer(version)),
        BundleStamp::Version(version) => Some(Unlike::Older(version)),
        BundleStamp::Month(month) => Some(Unlike::Month(month)),
        BundleStamp::Unreadable => Some(Unlike::Unreadable),
    };
    of_version.into_iter().chain((of != channel).then_some(Unlike::Channel(of))).collect()
}
