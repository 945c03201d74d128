//! The API that is meant: the CRDs of a cluster that are compared, by the prefix of their stamps, or by their groups if they have no stamps.

use std::collections::BTreeSet;

use crd_bundle::BUNDLE_VERSION;
use crd_cluster::{InstalledCrd, Selection};
use crd_diagnostics::Diagnostic;

use crate::inspect::codes;
use crate::inspect::known::KnownBundles;

/// An API in a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Api {
    /// The prefix of its stamps; nothing if its CRDs have none.
    pub prefix: Option<String>,
    /// Its API groups, as far as bundles show them.
    groups: BTreeSet<String>,
}

impl Api {
    /// The API with this prefix. Without one, that of the CRDs that may be installed (`target`, by name), or else the only API of the cluster. CRDs without
    /// stamps are an API if bundles show their groups.
    ///
    /// # Errors
    /// A diagnostic if neither stamps nor bundles show which API is meant.
    pub fn find<'t>(
        prefix: Option<&str>,
        target: impl IntoIterator<Item = &'t str>,
        known: &KnownBundles,
        crds: &[InstalledCrd],
    ) -> Result<Self, Diagnostic> {
        let groups = |names: &mut dyn Iterator<Item = &'t str>| -> BTreeSet<String> {
            names.filter_map(|name| name.split_once('.')).map(|(_, group)| group.to_owned()).collect()
        };
        let of_target = groups(&mut target.into_iter());
        let known = known.groups().into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
        if let Some(prefix) = prefix {
            // An API without releases and stamps has groups only.
            let is_stamped =
                !known.is_empty() || crds.is_empty() || crds.iter().any(|crd| crd.metadata.has_prefix(prefix));
            let prefix = prefix.to_owned();
            return Ok(match is_stamped {
                true => Self { prefix: Some(prefix), groups: known },
                false => Self { prefix: None, groups: [prefix].into() },
            });
        }
        let is_meant = |name: &str| {
            let group = name.split_once('.').map_or("", |(_, group)| group);
            of_target.is_empty() || of_target.contains(group)
        };
        let meant = crds.iter().filter(|installed| is_meant(&installed.metadata.name));
        let keys = meant.flat_map(|installed| installed.metadata.annotations.keys());
        let prefix = |key: &String| Some(key.strip_suffix(BUNDLE_VERSION)?.strip_suffix('/')?.to_owned());
        let prefixes = keys.filter_map(prefix).collect::<Vec<_>>();
        let prefixes = BTreeSet::from_iter(prefixes).into_iter().collect::<Vec<_>>();
        let is_installed = |groups: &BTreeSet<String>| {
            let mut names = crds.iter().filter_map(|installed| installed.metadata.name.split_once('.'));
            names.any(|(_, group)| groups.contains(group))
        };
        match &*prefixes {
            [prefix] => Ok(Self { prefix: Some(prefix.clone()), groups: known }),
            [] if !of_target.is_empty() => Ok(Self { prefix: None, groups: of_target }),
            [] if is_installed(&known) => Ok(Self { prefix: None, groups: known }),
            [] => Err(codes::NO_PREFIX
                .finding("no CRD of the cluster has a bundle version")
                .help("name what to compare with: `--target` or `--releases`; or the API: `--prefix`")),
            several => {
                let message = format!("the cluster has bundles of several APIs: {}", several.join(", "));
                Err(codes::NO_PREFIX.finding(message).help("choose one of them with `--prefix`"))
            }
        }
    }

    /// The prefix of its stamps, or else its first group: the name of the API in reports.
    pub fn name(&self) -> &str {
        self.prefix.as_deref().or(self.groups.first().map(String::as_str)).unwrap_or_default()
    }

    pub fn selection(&self) -> Selection {
        let all = self.prefix.as_deref().map_or_else(Selection::default, Selection::prefix);
        all.and_groups(self.groups.iter().map(String::as_str))
    }
}
