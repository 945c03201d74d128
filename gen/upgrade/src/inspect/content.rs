//! The content of a CRD compared with all known bundles: the stamps name the bundle, and the structure shows whether it is that bundle.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crd_bundle::BundleStamp;
use crd_cluster::InstalledCrd;
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::some_texts;
use crd_model::CustomResourceDefinition;
use crd_stamps::BundlePart;
use serde::{Serialize, Serializer};

use crate::inspect::codes;
use crate::inspect::difference::differences;
use crate::inspect::known::{InstalledBundle, KnownBundles, Part, compared};

/// How many differences a message lists.
const MOST_LISTED: usize = 3;

/// Whose content a CRD has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// That of the bundle and channel of its stamps.
    AsStamped,
    /// That of these other bundles and channels, lowest first.
    Other(Vec<Part>),
    /// That of no known bundle. The differences from the bundle of its stamps.
    Edited(Vec<String>),
    /// That of a month. The differences from the nearest known bundle.
    Monthly {
        /// The nearest known bundle.
        nearest: Part,
        differences: Vec<String>,
    },
    /// It could not be compared: its bundle is not known, or it cannot be read.
    Unknown,
}

impl Content {
    /// The word for reports.
    pub fn word(&self) -> &'static str {
        match self {
            Self::AsStamped => "as released",
            Self::Other(_) => "of another bundle",
            Self::Edited(_) => "edited",
            Self::Monthly { .. } => "of a month",
            Self::Unknown => "not compared",
        }
    }
}

/// The content of a CRD, compared with the known bundles.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ContentDocument<'c> {
    /// `as released`: the content of the bundle that its annotations name. `of another bundle`. `edited`. `of a month`: its bundle has no semantic
    /// version. `not compared`: that bundle is not known, or the CRD cannot be read.
    state: &'static str,
    /// The bundles whose content it has instead, the lowest first; of a month, the nearest known bundle.
    bundles: Vec<BundlePart>,
    /// If it was edited, each difference from the bundle that its annotations name; of a month, from the nearest one.
    differences: &'c [String],
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (others, differences): (&[Part], &[String]) = match self {
            Self::Other(parts) => (parts, &[]),
            Self::Edited(differences) => (&[], differences),
            Self::Monthly { nearest, differences } => (std::slice::from_ref(nearest), differences),
            Self::AsStamped | Self::Unknown => (&[], &[]),
        };
        let bundles = others.iter().copied().map(BundlePart::from).collect();
        ContentDocument { state: self.word(), bundles, differences }.serialize(serializer)
    }
}

/// Compares a CRD with the known bundles.
pub(crate) fn content(installed: &InstalledCrd, stamp: Option<Part>, known: &KnownBundles) -> Content {
    let Ok(crd) = &installed.crd else { return Content::Unknown };
    let found = compared(crd);
    let is_same = |released: &CustomResourceDefinition| installed.left_out.is_empty() && compared(released) == found;
    if let Some(part) = stamp
        && known.crd(part, &crd.name).is_some_and(|released| is_same(released))
    {
        return Content::AsStamped;
    }
    let others = known.with_name(&crd.name).filter(|(_, released)| is_same(released)).map(|(part, _)| part);
    let others = others.collect::<Vec<_>>();
    if !others.is_empty() {
        return Content::Other(others);
    }
    let Some(released) = stamp.and_then(|part| known.crd(part, &crd.name)) else { return Content::Unknown };
    Content::Edited(edits(installed, &found, released))
}

/// The contents of CRDs without stamps, and the bundle that most of them are of; of several, the newest.
pub(crate) fn recognised(crds: &[InstalledCrd], known: &KnownBundles) -> (Vec<Content>, Option<InstalledBundle>) {
    let contents = crds.iter().map(|installed| content(installed, None, known));
    let mut numbers: BTreeMap<Part, usize> = BTreeMap::new();
    for content in contents {
        if let Content::Other(parts) = content {
            parts.into_iter().for_each(|part| *numbers.entry(part).or_default() += 1);
        }
    }
    // Of a bundle whose channels have the same CRDs, standard.
    let most = numbers.into_iter().max_by_key(|((version, channel), number)| (*number, *version, Reverse(*channel)));
    let part = most.map(|(part, _)| part);
    let contents = crds.iter().map(|installed| content(installed, part, known)).collect();
    (contents, part.map(|(version, channel)| (BundleStamp::Version(version), channel)))
}

/// The differences of an installed CRD, whose compared form is `found`, from a released one.
pub(crate) fn edits(
    installed: &InstalledCrd,
    found: &CustomResourceDefinition,
    released: &CustomResourceDefinition,
) -> Vec<String> {
    let added = installed.left_out.iter().map(|path| format!("{path} is added"));
    differences(&compared(released), found).into_iter().chain(added).collect()
}

/// What is wrong with the content.
pub(crate) fn finding(content: &Content, stamp: Option<Part>) -> Option<Diagnostic> {
    let in_words = |(version, channel): Part| format!("{version} {}", channel.name());
    let finding = match (content, stamp) {
        (Content::AsStamped | Content::Monthly { .. } | Content::Unknown, _) | (_, None) => return None,
        (Content::Other(parts), Some(stamp)) => {
            // The nearest one: of the same version, else of the same channel, else the newest.
            let nearest = parts.iter().max_by_key(|part| (part.0 == stamp.0, part.1 == stamp.1, part.0))?;
            let message = format!("it is stamped {}, and has the content of {}", in_words(stamp), in_words(*nearest));
            let code = if nearest.0 == stamp.0 { codes::WRONG_CHANNEL } else { codes::WRONG_VERSION };
            code.finding(message)
        }
        (Content::Edited(differences), Some(stamp)) => {
            let listed = some_texts(differences, MOST_LISTED);
            codes::EDITED.finding(format!("its content is not that of {}: {listed}", in_words(stamp)))
        }
    };
    // Of two bundles that contradict each other, neither is the right one for sure.
    Some(finding.help(match content {
        Content::Other(_) => "apply the published CRD of the bundle that you want".to_owned(),
        _ => format!("apply the published CRD of {}", in_words(stamp?)),
    }))
}
