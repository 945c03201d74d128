//! What each audience has to do: users, who write manifests; implementers, whose controllers read them; installers, who run clusters.
//!
//! Invariants: a task is there only if something in the bundle asks for it, and names the kinds that it is about; the details stand in the
//! section that it leads to, and are not repeated.

use std::collections::{BTreeMap, BTreeSet};

use crd_compat::{Direction, Finding};
use crd_convert::{Lens, OperationKind};
use crd_diagnostics::layout::some_of;

use super::bundles::{Bundles, preferred, version};
use super::change::{Change, Remark};
use super::markdown::{anchor, code, list, plain};
use super::orphaned::Orphaned;
use super::section::{Section, headings, row_of};
use super::stored::{StorageChange, Stored};

/// The number of kinds that are named; the rest is counted.
pub(super) const KINDS: usize = 8;

/// An audience and its tasks, as Markdown.
pub(super) struct Audience {
    pub(super) heading: &'static str,
    pub(super) who: &'static str,
    pub(super) tasks: Vec<String>,
}

/// What the tasks come from.
pub(super) struct Facts<'f, 'a> {
    pub(super) bundles: &'f Bundles<'a>,
    pub(super) changes: &'f [Change<'a>],
    pub(super) orphaned: &'f [Orphaned<'a>],
    pub(super) stored: &'f [Stored<'a>],
    pub(super) lenses: &'f [&'f Lens],
    pub(super) has_waivers: bool,
    pub(super) has_losses: bool,
    /// Whether clients fail unless they are upgraded in an order.
    pub(super) needs_order: bool,
    /// The guardrails of the earlier bundle, where the release has none to replace them.
    pub(super) gone_guardrails: Option<String>,
}

pub(super) fn audiences(facts: &Facts<'_, '_>) -> [Audience; 3] {
    [
        Audience { heading: "For users", who: "You write manifests of these kinds.", tasks: users(facts) },
        Audience {
            heading: "For implementers",
            who: "Your controllers or clients read and write these kinds.",
            tasks: implementers(facts),
        },
        Audience { heading: "For installers", who: "You install these CRDs in a cluster.", tasks: installers(facts) },
    ]
}

#[expect(clippy::too_many_lines, reason = "one sentence for each task")]
fn users(facts: &Facts<'_, '_>) -> Vec<String> {
    let mut tasks = Vec::new();
    if let Some(kinds) = facts.converted() {
        let by_functions = match facts.converted_by_functions() {
            Some(kinds) => format!(
                " Lenses of {kinds} are functions: `cargo xtask convert MANIFESTS --in-place` of this project has them."
            ),
            None => String::new(),
        };
        tasks.push(format!(
            "Write manifests of {kinds} in the new form: see {}. `crd-channels convert MANIFESTS --in-place --conversions conversions.json` edits \
             them.{by_functions} Objects in the cluster need no change.",
            heading(headings::CONVERSIONS)
        ));
    }
    tasks.extend(facts.gone_versions().into_iter().map(|(Versions { gone, instead }, kinds)| match instead {
        Some(instead) => format!("Write `apiVersion: {instead}` instead of `{gone}` in manifests of {kinds}."),
        None => format!("There is no other version to use instead of `{gone}` for {kinds}."),
    }));
    for change in facts.of(|change| matches!(change.finding.rule, "resource-removed" | "resource-moved")) {
        let called = facts.bundles.called(&change.finding.crd);
        tasks.push(match change.remark {
            Some(Remark::Gone { replacement: Some(replacement), .. }) => {
                format!("Create objects of {} anew as {}.", plain(called), code(replacement))
            }
            _ => format!("Stop using {}: it is no longer maintained.", plain(called)),
        });
    }
    facts.of_rules(&mut tasks, &["name-removed"], |kinds| {
        format!(
            "Remove what {} lists from manifests of {kinds}: it no longer has an effect, or is refused.",
            link(Section::Removed)
        )
    });
    facts.of_rules(&mut tasks, &["renamed"], |kinds| {
        format!("Use the new names of fields in manifests of {kinds}: see {}.", link(Section::Changed))
    });
    facts.task(&mut tasks, |change| refuses(change.finding) && !is_status(change.finding), |kinds| {
        format!(
            "Compare manifests of {kinds} with {}: objects that no longer match are refused when they are created or changed.",
            link(Section::Changed)
        )
    });
    let defaults = |change: &Change<'_>| {
        matches!(change.finding.rule, "default-added" | "default-changed" | "required-with-default")
            && !is_status(change.finding)
    };
    facts.task(&mut tasks, defaults, |kinds| {
        format!(
            "Write out the fields of {kinds} whose default is not the value that you want: see {}.",
            link(Section::Changed)
        )
    });
    facts.task(
        &mut tasks,
        |change| change.finding.rule == "list-type" && !is_status(change.finding),
        |kinds| {
            format!(
                "Server-side apply merges some lists or maps of {kinds} differently: see {}.",
                link(Section::Changed)
            )
        },
    );
    tasks.extend(facts.deprecated_versions().into_iter().map(|(Versions { gone, instead }, kinds)| match instead {
        Some(instead) => {
            format!("Begin to write `apiVersion: {instead}` in manifests of {kinds}: `{gone}` is deprecated.")
        }
        None => format!("`{gone}` of {kinds} is deprecated, and there is no other version yet."),
    }));
    tasks
}

fn implementers(facts: &Facts<'_, '_>) -> Vec<String> {
    let mut tasks = Vec::new();
    if let Some(kinds) = facts.converted() {
        tasks.push(format!(
            "Convert the objects of {kinds} that you read to the new form, in memory only, by the lenses in `conversions.json`: see {}.",
            heading(headings::CONVERSIONS)
        ));
    }
    tasks.extend(facts.gone_versions().into_iter().map(|(Versions { gone, instead }, kinds)| {
        let instead = instead.map(|instead| format!(" Use `{instead}`.")).unwrap_or_default();
        format!("Requests and watches for {kinds} in `{gone}` fail with 404.{instead}")
    }));
    facts.unserved_in_standard(&mut tasks);
    facts.task(
        &mut tasks,
        |change| refuses(change.finding) && is_status(change.finding),
        |kinds| format!("The status that you write for {kinds} may be refused: see {}.", link(Section::Changed)),
    );
    facts.of_rules(&mut tasks, &["status-subresource"], |kinds| {
        format!("Status of {kinds} is now written differently: see {}.", link(Section::Changed))
    });
    let requests = ["kind-or-scope", "singular-or-list-kind", "selectable-or-scale-changed", "webhook", "type-changed"];
    facts.of_rules(&mut tasks, &requests, |kinds| {
        format!("Types or requests of your client for {kinds} no longer fit: see {}.", link(Section::Changed))
    });
    facts.of_rules(&mut tasks, &["name-removed", "renamed"], |kinds| {
        format!("Fields or values of {kinds} are removed: update your types to this bundle, and stop writing them.")
    });
    let looser = |change: &Change<'_>| {
        change.section == Section::Loosened || change.finding.direction == Some(Direction::Loosened)
    };
    facts.task(&mut tasks, looser, |kinds| {
        format!(
            "Objects of {kinds} may contain new values, or lack fields that were always set: accept both. See {}.",
            sections(facts, looser)
        )
    });
    let added =
        |change: &Change<'_>| matches!(change.finding.rule, "name-added" | "graduated" | "name-below-preserved");
    facts.task(&mut tasks, added, |kinds| {
        format!("Decide whether you support what is new in {kinds}: see {}.", sections(facts, added))
    });
    facts.of_rules(&mut tasks, &["default-added", "default-changed", "condition-list-default"], |kinds| {
        format!("Defaults of {kinds} changed: an absent field has another value. See {}.", link(Section::Changed))
    });
    facts.task(
        &mut tasks,
        |change| change.finding.rule == "versions-differ" && !change.finding.known,
        |kinds| format!("Write {kinds} in the version with most fields, or by patches: see {}.", link(Section::States)),
    );
    let clash = |change: &Change<'_>| {
        matches!(change.finding.rule, "version-type-clash" | "version-constraint-clash") && !change.finding.known
    };
    facts.task(&mut tasks, clash, |kinds| {
        format!(
            "Write {kinds} through one version only, because another one may refuse the objects: see {}.",
            link(Section::States)
        )
    });
    tasks
}

#[expect(clippy::too_many_lines, reason = "one sentence for each task")]
fn installers(facts: &Facts<'_, '_>) -> Vec<String> {
    let mut tasks = Vec::new();
    let stored = |is_moved: bool| {
        let is_it = move |stored: &&Stored<'_>| matches!(stored.change, StorageChange::Moved { .. }) == is_moved;
        kinds(facts.stored.iter().filter(is_it).map(|stored| facts.bundles.called(&stored.crd.name)))
    };
    let (moved, removed) = (stored(true), stored(false));
    if !removed.is_empty() {
        tasks.push(format!(
            "Before the upgrade, check whether objects are stored in versions that are gone ({removed}): see {}.",
            heading(headings::STORED)
        ));
    }
    facts.of_rules(&mut tasks, &["required-at-root"], |kinds| {
        format!(
            "Before the upgrade, look for objects of {kinds} without the fields that are now required: after the upgrade they cannot be changed, not even to \
             remove a finalizer. See {}.",
            link(Section::Changed)
        )
    });
    tasks.extend(facts.gone_versions().into_iter().map(|(versions, kinds)| {
        format!(
            "Before the upgrade, make sure that no client requests {kinds} in `{}`: the server answers with 404.",
            versions.gone
        )
    }));
    if facts.needs_order {
        tasks.push(format!("Upgrade CRDs and clients in the order that {} states.", heading(headings::CLIENTS)));
    }
    facts.of_rules(&mut tasks, &["webhook", "webhook-changed"], |kinds| {
        format!("Versions of {kinds} are converted by a webhook, which must run first: see {}.", link(Section::Changed))
    });
    if !moved.is_empty() {
        tasks.push(format!(
            "After the upgrade, rewrite objects whose storage version changed ({moved}): see {}.",
            heading(headings::STORED)
        ));
    }
    if !facts.orphaned.is_empty() {
        let names = facts.orphaned.iter().flat_map(|left| &left.crds);
        tasks.push(format!(
            "Decide whether to delete the CRDs that this bundle no longer has ({}): see {}.",
            kinds(names.map(|crd| facts.bundles.called(&crd.name))),
            heading(headings::ORPHANED)
        ));
    }
    if let Some(guardrails) = &facts.gone_guardrails {
        tasks.push(format!(
            "After the upgrade, delete the guardrails if the cluster has them. This bundle does not replace them, and the earlier ones continue to \
             refuse what was experimental: {}",
            code(&format!(
                "kubectl delete --ignore-not-found validatingadmissionpolicybinding,validatingadmissionpolicy {guardrails}"
            ))
        ));
    }
    if facts.has_waivers {
        tasks.push(format!("Read which findings were waived, and why: {}.", heading(headings::WAIVERS)));
    }
    if facts.has_losses {
        tasks.push(format!(
            "Before you move a cluster from experimental to standard, read {}.",
            heading(headings::LOSSES)
        ));
    }
    tasks
}

/// An API version that should not be used, and the one to use.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Versions {
    gone: String,
    instead: Option<String>,
}

impl<'a> Facts<'_, 'a> {
    fn of(&self, which: impl Fn(&Change<'a>) -> bool) -> impl Iterator<Item = &Change<'a>> {
        self.changes.iter().filter(move |change| which(change))
    }

    /// The kinds with new lenses.
    fn converted(&self) -> Option<String> {
        let kinds = kinds(self.lenses.iter().map(|lens| &*lens.kind));
        (!kinds.is_empty()).then_some(kinds)
    }

    /// The kinds with lenses that only a program with the functions of the project applies, if there are any.
    fn converted_by_functions(&self) -> Option<String> {
        let is_function =
            |lens: &&&Lens| lens.steps.iter().any(|step| matches!(step.operation.kind, OperationKind::Code { .. }));
        let kinds = kinds(self.lenses.iter().filter(is_function).map(|lens| &*lens.kind));
        (!kinds.is_empty()).then_some(kinds)
    }

    /// A task about the kinds of some changes, if there are any.
    fn task(&self, tasks: &mut Vec<String>, which: impl Fn(&Change<'a>) -> bool, say: impl Fn(&str) -> String) {
        let kinds = kinds(self.of(which).map(|change| self.bundles.called(&change.finding.crd)));
        if !kinds.is_empty() {
            tasks.push(say(&kinds));
        }
    }

    /// A task about the kinds of what these rules found.
    fn of_rules(&self, tasks: &mut Vec<String>, rules: &[&str], say: impl Fn(&str) -> String) {
        self.task(tasks, |change| rules.contains(&change.finding.rule), say);
    }

    /// A task about resources that graduated without a version that experimental served.
    fn unserved_in_standard(&self, tasks: &mut Vec<String>) {
        self.of_rules(tasks, &["watched-version-unserved"], |kinds| {
            let clients = heading(headings::CLIENTS);
            format!(
                "Clients that were built for experimental fail in standard, which does not serve their versions of {kinds}: see {clients}."
            )
        });
    }

    /// Versions that are no longer served or no longer there, with the kinds.
    fn gone_versions(&self) -> Vec<(Versions, String)> {
        self.versions(|old, new, name| {
            let served = |crd| version(crd, name).is_some_and(|version| version.served);
            served(old) && !served(new)
        })
    }

    /// Versions that are deprecated from now on.
    fn deprecated_versions(&self) -> Vec<(Versions, String)> {
        self.versions(|old, new, name| {
            let deprecated = |crd| version(crd, name).is_some_and(|version| version.deprecated && version.served);
            !deprecated(old) && deprecated(new)
        })
    }

    fn versions(
        &self,
        which: impl Fn(&crd_model::CustomResourceDefinition, &crd_model::CustomResourceDefinition, &str) -> bool,
    ) -> Vec<(Versions, String)> {
        let mut found: BTreeMap<Versions, BTreeSet<(&str, &str)>> = BTreeMap::new();
        for (channel, crds) in &self.bundles.old {
            for (name, old) in crds {
                let Some(new) = self.bundles.in_new(*channel, name) else { continue };
                for version in old.versions.iter().filter(|version| which(old, new, &version.name)) {
                    let of_group = |version: &str| format!("{}/{version}", new.group);
                    let instead = preferred(new).map(|version| of_group(&version.name));
                    let versions = Versions { gone: of_group(&version.name), instead };
                    let called = self.bundles.called(name);
                    found.entry(versions).or_default().insert((called, channel.name()));
                }
            }
        }
        let several = self.bundles.new.len() > 1;
        found
            .into_iter()
            .map(|(versions, found)| {
                let mut channels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
                for (kind, channel) in found {
                    channels.entry(kind).or_default().insert(channel);
                }
                // The kinds of one channel stand together, with its name behind them.
                let mut by_channel: BTreeMap<Option<&str>, BTreeSet<&str>> = BTreeMap::new();
                for (kind, channels) in channels {
                    let channel = channels.first().copied().filter(|_| several && channels.len() == 1);
                    by_channel.entry(channel).or_default().insert(kind);
                }
                let parts = by_channel.into_iter().map(|(channel, names)| match channel {
                    Some(channel) => format!("{} ({channel})", kinds(names.into_iter())),
                    None => kinds(names.into_iter()),
                });
                (versions, list(&parts.collect::<Vec<_>>()))
            })
            .collect()
    }
}

/// Whether objects that were accepted may be refused.
fn refuses(finding: &Finding) -> bool {
    matches!(
        finding.rule,
        "tightened"
            | "incomparable"
            | "required-at-root"
            | "name-below-preserved"
            | "type-changed"
            | "embedded-resource-added"
            | "preserve-removed"
            | "unclaimed"
    )
}

fn is_status(finding: &Finding) -> bool {
    finding.path == "status" || finding.path.starts_with("status.")
}

/// A list of kinds without duplicates.
fn kinds<'k>(names: impl Iterator<Item = &'k str>) -> String {
    let names = names.collect::<BTreeSet<_>>().into_iter().map(plain).collect::<Vec<_>>();
    if names.len() <= KINDS + 1 { list(&names) } else { format!("{} kinds", some_of(&names, KINDS)) }
}

/// Links to the sections of some changes.
fn sections<'a>(facts: &Facts<'_, 'a>, which: impl Fn(&Change<'a>) -> bool) -> String {
    let sections = facts.of(which).map(|change| change.section).collect::<BTreeSet<_>>();
    list(&sections.into_iter().map(link).collect::<Vec<_>>())
}

fn link(section: Section) -> String {
    heading(row_of(section).heading)
}

fn heading(heading: &str) -> String {
    format!("[{heading}](#{})", anchor(heading))
}
