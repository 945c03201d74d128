//! The known bundle whose structure is nearest to the CRDs of a month. A month has no order with versions, so only contents are compared.
//!
//! Invariants: the nearest bundle has the most equal CRDs; of several, that with the fewest differences, then the newest. It is of the channel of the CRDs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_bundle::Month;
use crd_cluster::InstalledCrd;
use crd_diagnostics::Diagnostic;
use crd_model::channel::Channel;

use crate::codes;
use crate::content::{Content, edits};
use crate::known::{KnownBundles, Part, compared};
use crate::stamps::Stamped;

/// Sets the contents of all CRDs that are stamped with a month. Returns a finding for each month and channel.
pub(crate) fn compare(
    crds: &[InstalledCrd],
    stamped: &[Stamped],
    known: &KnownBundles,
    contents: &mut [Content],
) -> Vec<Diagnostic> {
    let mut months: BTreeMap<(Month, Channel), Vec<(&InstalledCrd, &mut Content)>> = BTreeMap::new();
    for ((installed, stamped), content) in crds.iter().zip(stamped).zip(contents) {
        if let Some((bundle, channel)) = stamped.bundle()
            && let Some(month) = bundle.month()
        {
            months.entry((month, channel)).or_default().push((installed, content));
        }
    }
    let finding = |((month, channel), crds): ((Month, Channel), Vec<(&InstalledCrd, &mut Content)>)| {
        let nearest = nearest(&crds.iter().map(|(installed, _)| *installed).collect::<Vec<_>>(), channel, known);
        let month = format!("the bundle is {month} {}, which has no semantic version", channel.name());
        let Some(Nearest { part, equal, missing }) = nearest else {
            let finding = codes::MONTHLY.finding(format!("{month}; no release is known to compare it with"));
            return finding.help("name a folder or an archive with releases: `--releases PATH`");
        };
        let (number, mut edits) = (crds.len() + missing, missing);
        for (installed, content) in crds {
            let differences = differences(installed, part, known);
            edits += differences.len();
            *content = Content::Monthly { nearest: part, differences };
        }
        let (version, channel) = (part.0, part.1.name());
        let nearest = format!(
            "the nearest known bundle is {version} {channel} (equal CRDs: {equal} of {number}; differences: {edits})"
        );
        let help = format!("`--target {version}` shows what that bundle would change");
        codes::MONTHLY.finding(format!("{month}; {nearest}")).help(help)
    };
    months.into_iter().map(finding).collect()
}

/// The nearest bundle: how many of the CRDs are equal to its own, and how many of its own are missing.
struct Nearest {
    part: Part,
    equal: usize,
    missing: usize,
}

fn nearest(crds: &[&InstalledCrd], channel: Channel, known: &KnownBundles) -> Option<Nearest> {
    let names = crds.iter().map(|installed| &*installed.metadata.name).collect::<BTreeSet<_>>();
    // Releases share the CRDs that did not change.
    let mut numbers = BTreeMap::new();
    let parts = known.versions().map(|version| (version, channel));
    let distance = |part: Part| {
        let released = known.crds(part).filter(|released| !released.is_empty())?;
        let missing = released.iter().filter(|crd| !names.contains(&*crd.name)).count();
        let mut of_crds = Vec::new();
        for installed in crds {
            let key = (&*installed.metadata.name, known.crd(part, &installed.metadata.name).map(Arc::as_ptr));
            of_crds.push(*numbers.entry(key).or_insert_with(|| differences(installed, part, known).len()));
        }
        let equal = of_crds.iter().filter(|number| **number == 0).count();
        let distance = (missing + crds.len() - equal, missing + of_crds.iter().sum::<usize>(), Reverse(part.0));
        Some((distance, Nearest { part, equal, missing }))
    };
    let nearest = parts.filter_map(distance).min_by_key(|(distance, _)| *distance);
    nearest.map(|(_, nearest)| nearest)
}

/// In what a CRD differs from that of a bundle.
fn differences(installed: &InstalledCrd, part: Part, known: &KnownBundles) -> Vec<String> {
    match (&installed.crd, known.crd(part, &installed.metadata.name)) {
        (Ok(crd), Some(released)) => edits(installed, &compared(crd), released),
        (Err(_), _) => vec!["it cannot be read".to_owned()],
        (_, None) => vec![format!("{} {} does not have it", part.0, part.1.name())],
    }
}
