//! The resources that a bundle has.
//!
//! Invariants: API groups that no bundle has are those of other projects, so their objects are not checked.

use std::collections::{BTreeMap, BTreeSet};

use crd_bundle::BundleVersion;
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use serde_json::Value;

use crate::objects::identity::{group_of, type_of};

/// The resources of one bundle, and the bundles that had the other ones.
#[derive(Debug)]
pub struct Resources {
    bundle: BundleVersion,
    channel: Option<Channel>,
    /// For each group and kind, the bundles that have it, with the versions that they serve.
    kinds: BTreeMap<(String, String), BTreeMap<BundleVersion, BTreeSet<String>>>,
    groups: BTreeSet<String>,
}

impl Resources {
    /// The names of all resources of all bundles. None if the bundle is not among them, for example because it is not released yet.
    pub fn new<'c>(
        bundle: BundleVersion,
        channel: Option<Channel>,
        crds: impl IntoIterator<Item = (BundleVersion, Channel, &'c CustomResourceDefinition)>,
    ) -> Option<Self> {
        let mut resources = Self { bundle, channel, kinds: BTreeMap::new(), groups: BTreeSet::new() };
        let mut is_known = false;
        for (version, of, crd) in crds {
            is_known |= version == bundle;
            resources.add(version, of, crd);
        }
        is_known.then_some(resources)
    }

    fn add(&mut self, version: BundleVersion, of: Channel, crd: &CustomResourceDefinition) {
        self.groups.insert(crd.group.to_string());
        if self.channel.is_none_or(|channel| channel == of) {
            let kind = self.kinds.entry((crd.group.to_string(), crd.names.kind.to_string())).or_default();
            let served = crd.versions.iter().filter(|version| version.served);
            kind.entry(version).or_default().extend(served.map(|version| version.name.to_string()));
        }
    }

    /// Checks that the bundle has the resource and the API version of an object.
    pub(super) fn check(&self, object: &Value) -> Result<(), Diagnostic> {
        let Ok((api_version, kind)) = type_of(object) else { return Ok(()) };
        let group = group_of(api_version);
        if !self.groups.contains(group) {
            return Ok(());
        }
        let Self { bundle, channel, kinds, .. } = self;
        let of = channel.map_or(String::new(), |channel| format!(" of {channel}"));
        let bundles = kinds.get(&(group.to_owned(), kind.to_owned()));
        if let Some(served) = bundles.and_then(|bundles| bundles.get(bundle)) {
            let version = api_version.rsplit('/').next().unwrap_or_default();
            if served.contains(version) {
                return Ok(());
            }
            let served = served.iter().map(|version| format!("`{version}`")).collect::<Vec<_>>().join(", ");
            let message = format!("{bundle}{of} does not serve `{api_version}` of {kind}");
            let help = format!("it serves {served}: choose one with `--to-api-version`");
            return Err(Diagnostic::error("convert::version", message).help(help));
        }
        let (first, last) = bundles.map_or((None, None), |all| (all.keys().next(), all.keys().next_back()));
        let help = match (first, last) {
            (Some(first), _) if first > bundle => {
                format!("it is new in {first}: convert to that bundle or a later one, or leave the object out")
            }
            (_, Some(last)) if last < bundle => {
                format!("{last} is the last bundle that has it: convert to that bundle, or leave the object out")
            }
            (Some(_), _) => "other bundles have it: leave the object out".to_owned(),
            (None, _) => "no bundle has it: leave the object out".to_owned(),
        };
        let message = format!("{bundle}{of} does not have the resource {kind} of `{group}`");
        Err(Diagnostic::error("convert::resource", message).help(help))
    }
}
