//! The known bundle whose structure is nearest to the CRDs of a month. A month has no order with versions, so only contents are compared.
//!
//! Invariants: the nearest bundle has the fewest CRDs that differ; of several, that with the fewest differences, then the newest. It is of the channel of the CRDs.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use crd_cluster::InstalledCrd;
use crd_diagnostics::Diagnostic;

use crate::inspect::codes;
use crate::inspect::content::{Content, edits};
use crate::inspect::known::{InstalledBundle, KnownBundles, Part, compared};
use crate::inspect::stamps::Stamped;

/// If a month is installed, sets the contents of its CRDs. Returns a finding about the month.
pub(crate) fn compare<'c>(
    crds: impl Iterator<Item = (&'c InstalledCrd, &'c Stamped, &'c mut Content)>,
    installed: InstalledBundle,
    known: &KnownBundles,
) -> Option<Diagnostic> {
    let (month, channel) = (installed.0.month()?, installed.1);
    let own = crds.filter(|(_, stamped, _)| stamped.bundle() == Some(installed));
    let (own, contents): (Vec<_>, Vec<_>) = own.map(|(crd, _, content)| (crd, content)).unzip();
    // Releases share the CRDs that did not change.
    let mut numbers = BTreeMap::new();
    let distance = |version| {
        let part = (version, channel);
        let released = known.crds(part).filter(|released| !released.is_empty())?;
        let is_missing = |name: &str| own.iter().all(|installed| installed.metadata.name != name);
        let missing = released.iter().filter(|crd| is_missing(&crd.name)).count();
        let (mut differing, mut all) = (missing, missing);
        for installed in &own {
            let name = &*installed.metadata.name;
            let key = (name, known.crd(part, name).map(Arc::as_ptr));
            let number = *numbers.entry(key).or_insert_with(|| differences(installed, part, known).len());
            (differing, all) = (differing + number.min(1), all + number);
        }
        Some((differing, all, Reverse(version)))
    };
    let nearest = known.versions().filter_map(distance).min();
    let (text, help) = match nearest {
        Some((differing, all, Reverse(version))) => (
            format!(
                "the nearest known bundle is {version} {channel} (CRDs that differ: {differing}; differences: {all})"
            ),
            format!("`--target {version}` shows what that bundle would change"),
        ),
        None => (
            "no release is known to compare it with".to_owned(),
            "name a folder or an archive with releases: `--releases PATH`".to_owned(),
        ),
    };
    for (installed, content) in own.into_iter().zip(contents) {
        if let Some((.., Reverse(version))) = nearest {
            let nearest = (version, channel);
            *content = Content::Monthly { nearest, differences: differences(installed, nearest, known) };
        }
    }
    let message = format!("the bundle is {month} {channel}, which has no semantic version; {text}");
    Some(codes::MONTHLY.finding(message).help(help))
}

/// In what a CRD differs from that of a bundle.
fn differences(installed: &InstalledCrd, part: Part, known: &KnownBundles) -> Vec<String> {
    match (&installed.crd, known.crd(part, &installed.metadata.name)) {
        (Ok(crd), Some(released)) => edits(installed, &compared(crd), released),
        (Err(_), _) => vec!["it cannot be read".to_owned()],
        (_, None) => vec![format!("{} {} does not have it", part.0, part.1)],
    }
}
