//! The kinds that the CRDs have, prepared when the first object of a kind is met.
//!
//! Invariants: an API version is prepared at most once for each minor. Errors of a CRD are reported once, and only if an object needs it.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crd_apiserver::objects::Resource;
use crd_apiserver::refusal::{Authority, refusals_on};
use crd_bundle::published::Unreadable;
use crd_diagnostics::layout::some_of;
use crd_diagnostics::{Diagnostic, all};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::crd::Version;
use crd_model::parallel;
use crd_names::nearest;

use super::{group, minors_in_words};

/// A CRD to validate against.
#[derive(Clone, Debug)]
pub struct KnownCrd {
    /// The CRD.
    pub crd: CustomResourceDefinition,
    /// The file and the first line.
    pub source: Option<(String, usize)>,
    /// Whether a server is known to accept it.
    pub is_checked: bool,
    /// The channel, if the CRD is left out because it is of another one.
    pub left_out: Option<Channel>,
}

/// An API version for each minor, or why the CRD is not valid.
type Prepared = Result<Vec<(u32, Resource)>, Vec<Diagnostic>>;

pub(super) struct Kind {
    known: KnownCrd,
    /// In the order of the versions of the CRD.
    versions: Vec<OnceLock<Prepared>>,
    refusals: OnceLock<Vec<Diagnostic>>,
}

/// All kinds, by API group and kind.
pub(super) struct Kinds {
    groups: BTreeMap<String, BTreeMap<String, Kind>>,
    left_out: Vec<KnownCrd>,
    /// With whether an object needs it.
    unreadable: Vec<(Unreadable, AtomicBool)>,
    minors: Vec<u32>,
    /// By API version and kind, because files can have many objects of other groups.
    unknown_groups: Mutex<BTreeMap<(String, String), Option<Diagnostic>>>,
}

/// How many kinds and versions a help names.
pub const MOST_NAMED: usize = 10;

/// The kinds of the API version `v1`, which has no group, and the kind of a kubeconfig. Servers have no more kinds in it.
const CORE_KINDS: &str = "Binding ComponentStatus Config ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume \
    PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount";

/// A served version of a CRD, prepared for each minor.
#[derive(Clone, Copy)]
pub(super) struct ServedVersion<'k> {
    pub(super) crd: &'k CustomResourceDefinition,
    pub(super) version: &'k Version,
    pub(super) resources: &'k [(u32, Resource)],
}

/// What the CRDs have for an API version and a kind.
pub(super) enum Found<'k> {
    Version(ServedVersion<'k>),
    /// The CRD is not valid, or cannot be read.
    Unusable,
    /// The group has other kinds or API versions, or is nearly the group of a CRD: the error, and the field that it is about.
    Unknown(Diagnostic, &'static str),
    /// No CRD has the group.
    OtherGroup,
}

impl Kinds {
    pub(super) fn of(crds: Vec<KnownCrd>, unreadable: Vec<Unreadable>, minors: &[u32]) -> Self {
        let (left_out, crds): (Vec<_>, Vec<_>) = crds.into_iter().partition(|known| known.left_out.is_some());
        let mut groups: BTreeMap<String, BTreeMap<String, Kind>> = BTreeMap::new();
        for known in crds {
            let versions = known.crd.versions.iter().map(|_| OnceLock::new()).collect();
            let (group, kind) = (known.crd.group.to_string(), known.crd.names.kind.to_string());
            groups.entry(group).or_default().insert(kind, Kind { known, versions, refusals: OnceLock::new() });
        }
        let unreadable = unreadable.into_iter().map(|crd| (crd, AtomicBool::new(false))).collect();
        Self { groups, left_out, unreadable, minors: minors.to_vec(), unknown_groups: Mutex::default() }
    }

    /// The CRD of a kind.
    pub(super) fn crd(&self, group: &str, kind: &str) -> Option<&CustomResourceDefinition> {
        self.groups.get(group)?.get(kind).map(|kind| &kind.known.crd)
    }

    /// The version of an object. If it is unknown, the names that may be meant are looked for only if that is asked for: it takes long.
    pub(super) fn find(&self, api_version: &str, kind: &str, suggests: bool) -> Found<'_> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        if self.crd(group, kind).is_none() && self.is_unreadable(group, kind) {
            return Found::Unusable;
        }
        let Some(kinds) = self.groups.get(group) else {
            let error = self.unknown_group(api_version, kind);
            return error.map_or(Found::OtherGroup, |error| Found::Unknown(error, "apiVersion"));
        };
        let Some(found) = kinds.get(kind) else {
            return Found::Unknown(self.unknown_kind(group, kind, kinds, suggests), "kind");
        };
        let crd = &found.known.crd;
        let position = crd.versions.iter().position(|known| known.name == version && known.served);
        let prepared = position.and_then(|position| Some((crd.versions.get(position)?, found.versions.get(position)?)));
        let Some((known, prepared)) = prepared else {
            return Found::Unknown(self.unknown_version(crd, version), "apiVersion");
        };
        if !found.refusals.get_or_init(|| found.known.refusals(&self.minors)).is_empty() {
            return Found::Unusable;
        }
        match prepared.get_or_init(|| found.known.prepare(&known.name, &self.minors)) {
            Ok(resources) => Found::Version(ServedVersion { crd, version: known, resources }),
            Err(_) => Found::Unusable,
        }
    }

    /// Whether a CRD that an object needs cannot be read, which is remembered.
    fn is_unreadable(&self, group: &str, kind: &str) -> bool {
        let unreadable = self.unreadable.iter().filter(|(crd, _)| crd.may_have(group, kind));
        unreadable.inspect(|(_, is_needed)| is_needed.store(true, Ordering::Relaxed)).count() > 0
    }

    /// The errors of the CRDs that objects need.
    pub(super) fn errors(&self) -> Vec<Diagnostic> {
        let kinds = self.groups.values().flat_map(BTreeMap::values);
        let errors = kinds.flat_map(|kind| {
            let refusals = kind.refusals.get().into_iter().flatten();
            refusals.chain(
                kind.versions.iter().filter_map(OnceLock::get).filter_map(|prepared| prepared.as_ref().err()).flatten(),
            )
        });
        let unreadable = self.unreadable.iter().filter(|(_, is_needed)| is_needed.load(Ordering::Relaxed));
        unreadable.flat_map(|(crd, _)| &crd.errors).chain(errors).cloned().collect()
    }

    /// The error about an object whose group no CRD has, if the group is nearly that of a CRD, is in another channel, or is missing.
    fn unknown_group(&self, api_version: &str, kind: &str) -> Option<Diagnostic> {
        let mut known = self.unknown_groups.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (api_version.to_owned(), kind.to_owned());
        known.entry(key).or_insert_with(|| self.near_group(api_version, kind)).clone()
    }

    fn near_group(&self, api_version: &str, kind: &str) -> Option<Diagnostic> {
        let (group, version) = match api_version.split_once('/') {
            Some(both) => both,
            // No version has a dot.
            None if api_version.contains('.') => (api_version, ""),
            None => ("", api_version),
        };
        let all = || self.groups.values().flat_map(BTreeMap::values).map(|kind| &kind.known).chain(&self.left_out);
        let has_kind = |known: &KnownCrd| known.crd.names.kind == kind;
        let near = match group {
            "" => all().find(|known| has_kind(known) && CORE_KINDS.split(' ').all(|core| core != kind)),
            _ => all().find(|known| known.crd.group == group).or_else(|| {
                let is_near = |known: &KnownCrd| group::is_nearly(group, &known.crd.group, has_kind(known));
                all().find(|known| is_near(known) || known.crd.name == group)
            }),
        }?;
        let served = || near.crd.versions.iter().filter(|known| known.served);
        let help = match (near.left_out, served().find(|known| known.name == version).or_else(|| served().next())) {
            (Some(channel), _) if near.crd.group == group && !version.is_empty() => {
                format!("the API group is in the channel {channel}: pass `--channel {channel}`")
            }
            (_, Some(served)) => format!("did you mean `{}/{}`?", near.crd.group, served.name),
            (_, None) => format!("did you mean the API group `{}`?", near.crd.group),
        };
        let message = format!("no CRD has the API group of `{api_version}`");
        Some(Diagnostic::error("object::unknown-kind", message).help(help))
    }

    fn unknown_kind(&self, group: &str, kind: &str, kinds: &BTreeMap<String, Kind>, suggests: bool) -> Diagnostic {
        let message = format!("no CRD of `{group}` has the kind `{kind}`");
        if !suggests {
            return Diagnostic::error("object::unknown-kind", message);
        }
        let names = kinds.keys().map(String::as_str);
        let help = match (self.other_channel(group, kind, None), nearest(kind, names.clone())) {
            (Some(channel), _) => format!("the kind is in the channel {channel}: pass `--channel {channel}`"),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) if kinds.len() == 1 => format!("its kind is {}", names.collect::<String>()),
            (None, None) => format!("its kinds are {}", some_of(&names.collect::<Vec<_>>(), MOST_NAMED)),
        };
        Diagnostic::error("object::unknown-kind", message).help(help)
    }

    fn unknown_version(&self, crd: &CustomResourceDefinition, version: &str) -> Diagnostic {
        let is_known = crd.versions.iter().any(|known| known.name == version);
        let verb = if is_known { "does not serve" } else { "does not have" };
        let message = format!("`{}` {verb} the API version `{version}`", crd.name);
        let served = crd.versions.iter().filter(|known| known.served).map(|known| &*known.name).collect::<Vec<_>>();
        let help = match (self.other_channel(&crd.group, &crd.names.kind, Some(version)), &*served) {
            (Some(channel), _) => format!("the version is in the channel {channel}: pass `--channel {channel}`"),
            (None, []) => "it serves no version".to_owned(),
            (None, [only]) => format!("it serves {only} only"),
            (None, served) => format!("it serves {}", some_of(served, MOST_NAMED)),
        };
        Diagnostic::error("object::unknown-version", message).help(help)
    }

    /// The same version of a CRD in a channel that was left out.
    pub(super) fn in_other_channel(
        &self,
        crd: &CustomResourceDefinition,
        version: &str,
    ) -> Option<(Channel, &Version)> {
        let other = self.left_out.iter().find(|known| known.crd.name == crd.name)?;
        Some((other.left_out?, other.crd.versions.iter().find(|known| known.name == version)?))
    }

    /// The channel that was left out and has this kind and served version.
    fn other_channel(&self, group: &str, kind: &str, version: Option<&str>) -> Option<Channel> {
        let has_version = |crd: &CustomResourceDefinition| {
            version.is_none_or(|version| crd.versions.iter().any(|known| known.served && known.name == version))
        };
        let has =
            |known: &&KnownCrd| known.crd.group == group && known.crd.names.kind == kind && has_version(&known.crd);
        self.left_out.iter().find(has)?.left_out
    }
}

impl KnownCrd {
    fn located(&self, diagnostic: Diagnostic) -> Diagnostic {
        match &self.source {
            Some((file, line)) => diagnostic.at_line(file, *line),
            None => diagnostic,
        }
    }

    /// Why no server has this CRD, or a rule of a version that it serves.
    pub fn unusable(&self, minors: &[u32]) -> Vec<Diagnostic> {
        let refusals = self.refusals(minors);
        if !refusals.is_empty() {
            return refusals;
        }
        let served = self.crd.versions.iter().filter(|version| version.served);
        served.filter_map(|version| self.prepare(&version.name, minors).err()).flatten().collect()
    }

    /// Why no server has this CRD.
    fn refusals(&self, minors: &[u32]) -> Vec<Diagnostic> {
        if self.is_checked {
            return Vec::new();
        }
        let refusals =
            refusals_on(&self.crd, minors).into_iter().filter(|refusal| refusal.authority() == Authority::Server);
        let diagnostics = refusals.map(|refusal| {
            let version = refusal.version.as_ref().map(ToString::to_string);
            let diagnostic = Diagnostic::error(refusal.rule, refusal.message);
            self.located(diagnostic.of_crd(&*self.crd.name, version, refusal.path))
        });
        diagnostics.collect()
    }

    fn prepare(&self, version: &str, minors: &[u32]) -> Prepared {
        let prepared = parallel::each(minors, |minor| Some((*minor, Resource::prepare(&self.crd, version, *minor)?)));
        // A rule that an older minor does not have is reported once.
        let mut problems: Vec<(Diagnostic, Vec<u32>)> = Vec::new();
        let mut known: HashMap<(String, String), usize> = HashMap::new();
        let mut resources = Vec::new();
        for (minor, resource) in prepared.into_iter().flatten() {
            match resource {
                Ok(resource) => resources.push((minor, resource)),
                Err(found) => {
                    for problem in found {
                        // Only the beginning of a long rule is shown.
                        let source = problem.source.chars().take(500).collect::<String>();
                        let message = format!("the rule `{source}` does not compile: {}", problem.problem);
                        let key = (problem.path.clone(), message.clone());
                        if let Some((_, of)) = known.get(&key).and_then(|index| problems.get_mut(*index)) {
                            of.extend((of.last() != Some(&minor)).then_some(minor));
                            continue;
                        }
                        known.insert(key, problems.len());
                        let diagnostic = Diagnostic::error("object::crd-rule", message);
                        let diagnostic = diagnostic.of_crd(&*self.crd.name, Some(version.to_owned()), problem.path);
                        problems.push((self.located(diagnostic), vec![minor]));
                    }
                }
            }
        }
        let problems = problems.into_iter().map(|(diagnostic, of)| match of.len() == minors.len() {
            true => Err(diagnostic),
            false => {
                let help = format!(
                    "it does not compile on Kubernetes {}: leave it out with `--kubernetes`",
                    minors_in_words(&of)
                );
                Err(diagnostic.help(help))
            }
        });
        all(problems).map(|_: Vec<()>| resources)
    }
}
