//! The page: everything that the template is given, as Markdown in values.
//!
//! Invariants: exactly the names that the table of templates lists; every text is safe in Markdown where the template puts
//! it; empty lists stand for what is not so, and the template leaves their sections out.

use std::collections::{BTreeMap, BTreeSet};

use crd_compat::{RequiredBump, all_rules};
use crd_convert::Lens;
use crd_diagnostics::layout::some_of;
use crd_diagnostics::text::capital;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::crd::Scope;
use serde_json::{Value, json};

use super::audience::{Facts, KINDS, audiences};
use super::bundles::Bundles;
use super::change::{Change, Remark, changes};
use super::clients::{self, clients};
use super::losses::{Losses, Part, losses};
use super::markdown::{anchor, cell, code, list, plain, sentence, value, values};
use super::orphaned::{Orphaned, orphaned};
use super::section::{SECTIONS, Section, headings};
use super::stored::{StorageChange, Stored, stored};
use super::waived::waived;
use super::{Notes, install};
use crd_bundle::admission::guardrails;
use crd_stamps::experimental_only;

/// The largest number of resources that a state lists; the rest is counted.
const STATE_LINES: usize = 5;
/// The largest number of paths that it lists for each of them.
const STATE_PATHS: usize = 3;

/// The values of the template.
#[expect(clippy::too_many_lines, reason = "one key for each value of the template")]
pub(super) fn page(input: &Notes<'_>) -> Value {
    let bundles = Bundles::of(input);
    let changes = changes(input.findings, &bundles, input.ledger);
    let (orphaned, losses, stored) = (orphaned(&bundles), losses(&bundles), stored(&bundles));
    let waivers = waived(input.verdict_findings);
    let lenses = input.new_lenses();
    let clients = clients(input);
    let facts = Facts {
        lenses: &lenses,
        bundles: &bundles,
        changes: &changes,
        orphaned: &orphaned,
        stored: &stored,
        has_waivers: !waivers.is_empty(),
        has_losses: !losses.is_empty(),
        needs_order: clients.as_ref().is_some_and(clients::need_an_order),
        gone_guardrails: bundles.guardrails_are_gone().then(|| guardrails::name(&input.release.prefix)),
    };
    let audiences = audiences(&facts)
        .map(|audience| json!({ "heading": audience.heading, "who": audience.who, "tasks": audience.tasks }));
    let (files, commands) = install::files_and_commands(input);
    let release = input.release;
    let verdict = input.verdict;
    let channels = release.channels.iter().map(|released| {
        json!({
            "name": released.channel.name(),
            "purpose": release.purpose(released.channel),
            "crds": released.files.len(),
            "verdict": verdict.channels.get(&released.channel).map(RequiredBump::to_string),
        })
    });
    let lowered = (verdict.without_waivers != verdict.bundle).then(|| asks(verdict.without_waivers));
    let waivers = waivers.iter().map(|waiver| {
        let lines = waiver.locations.iter().map(|(crd, path)| match path.is_empty() {
            true => plain(bundles.called(crd)),
            false => format!("{} {}", plain(bundles.called(crd)), code(path)),
        });
        json!({
            "rule": code(waiver.rule),
            "from": asks(waiver.from),
            "to": asks(waiver.to),
            "reason": plain(waiver.reason),
            "places": lines.collect::<Vec<_>>(),
        })
    });
    json!({
        "audiences": audiences,
        "clients": clients.map(|clients| clients::entry(&clients, bundles.new.len() > 1)),
        "conversions": lenses.iter().map(|lens| conversion(lens)).collect::<Vec<_>>(),
        "baseline": input.baseline.map(|version| version.to_string()),
        "channels": channels.collect::<Vec<_>>(),
        "date": release.released.date(),
        "files": files,
        "is_pre_release": !release.version.is_release(),
        "headings": {
            "clients": headings::CLIENTS,
            "conversions": headings::CONVERSIONS,
            "left_behind": headings::ORPHANED,
            "losses": headings::LOSSES,
            "stored": headings::STORED,
            "waivers": headings::WAIVERS,
        },
        "left_behind": orphaned.iter().map(|orphaned| orphaned_entry(orphaned, &bundles)).collect::<Vec<_>>(),
        "losses": losses_entry(&losses, &bundles),
        "name": release.name,
        "plain_version": release.plain_version(),
        "prefix": release.prefix,
        "released": release.released.to_string(),
        "resources": resources(&bundles),
        "sections": sections(&changes, &bundles),
        "since": input.since.map(|since| since.version.to_string()),
        "stamps": install::stamps(input),
        "stored": stored.iter().map(|stored| stored_entry(stored, &bundles)).collect::<Vec<_>>(),
        "verdict": { "bundle": asks(verdict.bundle), "without_waivers": lowered },
        "version": release.version.to_string(),
        "waivers": waivers.collect::<Vec<_>>(),
        "ways": commands,
    })
}

/// What a required bump does, in a sentence about the change.
fn asks(required_bump: RequiredBump) -> &'static str {
    match required_bump {
        RequiredBump::None => "asks for no new bundle",
        RequiredBump::Patch => "asks for a patch bundle",
        RequiredBump::Minor => "asks for a minor bundle",
        RequiredBump::Major => "asks for a major bundle",
        RequiredBump::Waiver | RequiredBump::NotAllowed => "is permitted by no version",
    }
}

/// A lens in words.
fn conversion(lens: &Lens) -> Value {
    let sentences = |words: Vec<String>| words.iter().map(|words| sentence(words)).collect::<Vec<_>>().join("; ");
    json!({ "kind": plain(&lens.kind), "words": sentences(lens.words()), "loses": sentences(lens.loses()) })
}

fn sections(changes: &[Change<'_>], bundles: &Bundles<'_>) -> Vec<Value> {
    let shown = SECTIONS.iter().filter(|row| !row.heading.is_empty());
    shown
        .filter_map(|row| {
            let own = changes.iter().filter(|change| change.section == row.section).collect::<Vec<_>>();
            (!own.is_empty()).then(|| {
                json!({
                    "heading": row.heading,
                    "anchor": anchor(row.heading),
                    "intro": row.intro,
                    "count": own.len(),
                    "groups": groups(row.section, &own, bundles),
                })
            })
        })
        .collect()
}

/// The changes of a section, grouped by message, in the order of the policy.
fn groups(section: Section, changes: &[&Change<'_>], bundles: &Bundles<'_>) -> Vec<Value> {
    let rules = all_rules().map(|rule| rule.id).collect::<Vec<_>>();
    let mut groups: BTreeMap<(usize, &str, bool), Vec<&Change<'_>>> = BTreeMap::new();
    for change in changes {
        let finding = change.finding;
        let index = rules.iter().position(|rule| *rule == finding.rule).unwrap_or(rules.len());
        // Without an earlier bundle, known states are those of this one.
        let as_before = finding.known && bundles.has_earlier();
        groups.entry((index, &finding.message, as_before)).or_default().push(change);
    }
    groups
        .into_iter()
        .map(|((_, message, as_before), changes)| {
            let text = headed(message, as_before);
            let (lines, more) = match section {
                Section::Documentation => (vec![counted(&changes, bundles)], 0),
                Section::States => shortened(lines(&changes, bundles), STATE_LINES, STATE_PATHS),
                _ => shortened(lines(&changes, bundles), usize::MAX, usize::MAX),
            };
            json!({ "text": text, "places": lines, "more": more })
        })
        .collect()
}

/// A message with its first part, the event, in bold. The consequence follows.
fn headed(message: &str, as_before: bool) -> String {
    let message = message.trim_end_matches('.');
    let before = if as_before { " (as before)" } else { "" };
    match message.split_once(": ") {
        Some((head, rest)) => format!("**{}**{before}: {}.", capital(&sentence(head)), sentence(rest)),
        None => format!("**{}**{before}.", capital(&sentence(message))),
    }
}

/// At most `most` lines with `most_paths` paths each, and the number of omitted lines.
fn shortened(lines: Vec<Line>, most: usize, most_paths: usize) -> (Vec<Value>, usize) {
    let more = lines.len().saturating_sub(most);
    let shortened = lines.into_iter().take(most).map(|(text, mut paths)| {
        // One more path is as short as the text that counts it.
        let more = if paths.len() > most_paths.saturating_add(1) { paths.split_off(most_paths).len() } else { 0 };
        json!({ "text": text, "paths": paths, "more": more })
    });
    (shortened.collect(), more)
}

/// The number of changes by kind: `HTTPRoute (34), Gateway`.
fn counted(changes: &[&Change<'_>], bundles: &Bundles<'_>) -> Value {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for change in changes {
        *counts.entry(bundles.called(&change.finding.crd)).or_default() += 1;
    }
    let kinds = counts.into_iter().map(|(kind, number)| match number {
        1 => plain(kind),
        number => format!("{} ({number})", plain(kind)),
    });
    json!({ "text": some_of(&kinds.collect::<Vec<_>>(), KINDS), "paths": [], "more": 0 })
}

/// A line, and the paths below it.
type Line = (String, Vec<String>);

/// The lines of a group: one for each change, or one for several paths of a resource with the same details.
fn lines(changes: &[&Change<'_>], bundles: &Bundles<'_>) -> Vec<Line> {
    let mut lines: Vec<((String, String), Vec<String>)> = Vec::new();
    for change in changes {
        let key = (subject(change, bundles), details(change));
        let path = match change.finding.path.is_empty() {
            true => String::new(),
            false => code(&change.finding.path),
        };
        match lines.iter_mut().find(|(other, _)| *other == key) {
            Some((_, paths)) => paths.push(path),
            None => lines.push((key, vec![path])),
        }
    }
    lines
        .into_iter()
        .map(|((subject, details), paths)| match &*paths {
            // A single path is part of the line.
            [path] => {
                let parts = [path.clone(), details].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
                let text = if parts.is_empty() { subject } else { format!("{subject}: {}", parts.join(", ")) };
                (text, Vec::new())
            }
            _ => {
                let text = if details.is_empty() { subject } else { format!("{subject}: {details}") };
                (text, paths)
            }
        })
        .collect()
}

/// The resource, versions and channel of a change: `HTTPRoute v1, v1beta1 (experimental)`.
fn subject(change: &Change<'_>, bundles: &Bundles<'_>) -> String {
    let finding = change.finding;
    let mut subject = plain(bundles.called(&finding.crd));
    if !change.versions.is_empty() {
        let versions = change.versions.iter().map(|version| plain(version)).collect::<Vec<_>>();
        subject.push_str(&format!(" {}", versions.join(", ")));
    }
    // Graduated is always standard, and a state of standard names its channel.
    let one_of_several = bundles.new.len() > 1 && change.channels.len() == 1;
    if one_of_several && change.section != Section::Graduated && finding.rule != "containment" {
        let channel = change.channels.first().copied().unwrap_or(Channel::Standard);
        subject.push_str(&format!(" ({channel})"));
    }
    subject
}

/// The values before and after, and a remark.
fn details(change: &Change<'_>) -> String {
    let finding = change.finding;
    let mut details = Vec::new();
    if finding.version.is_none() && finding.path.is_empty() && is_name_of(&finding.before, &finding.after, &finding.crd)
    {
        details.push(code(&finding.crd));
    } else {
        details.extend(was_and_is(finding));
    }
    match change.remark {
        Some(Remark::Gone { reason, replacement: Some(replacement) }) => {
            details.push(format!("{}; instead: {}", plain(reason), code(replacement)));
        }
        Some(Remark::Gone { reason, replacement: None }) => details.push(plain(reason)),
        Some(Remark::Warning(warning)) => details.push(format!("the server's warning: {}", plain(warning))),
        None => {}
    }
    if finding.waived.is_some() {
        details.push(format!("waived: see [{}](#{})", headings::WAIVERS, anchor(headings::WAIVERS)));
    }
    details.join("; ")
}

fn is_name_of(before: &Option<Value>, after: &Option<Value>, name: &str) -> bool {
    [before, after].into_iter().flatten().all(|value| value == name)
}

/// The values, where the place and the sentence do not say them already.
fn was_and_is(finding: &crd_compat::Finding) -> Option<String> {
    let telling = |value: &Value| match value {
        Value::String(name) => {
            let last =
                finding.path.strip_suffix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
            !last && finding.version.as_deref() != Some(name) && finding.crd != *name
        }
        Value::Bool(_) => false,
        _ => true,
    };
    match (&finding.before, &finding.after) {
        (Some(before), Some(after)) => {
            let (before, after) = values(before, after);
            Some(format!("{before} → {after}"))
        }
        (Some(before), None) => telling(before).then(|| format!("was {}", value(before))),
        (None, Some(after)) => telling(after).then(|| value(after)),
        (None, None) => None,
    }
}

/// Looks for a CRD's objects.
fn look(crd: &CustomResourceDefinition) -> String {
    let everywhere = if crd.scope == Scope::Namespaced { " --all-namespaces" } else { "" };
    format!("kubectl get {}{everywhere}", crd.name)
}

fn commands<'c>(crds: impl Iterator<Item = &'c CustomResourceDefinition> + Clone) -> (Vec<String>, String) {
    let names = crds.clone().map(|crd| crd.name.to_string()).collect::<Vec<_>>().join(" ");
    let look = std::iter::once(format!("kubectl get crd --ignore-not-found {names}")).chain(crds.map(look));
    (look.collect(), format!("kubectl delete crd --ignore-not-found {names}"))
}

fn orphaned_entry(orphaned: &Orphaned<'_>, bundles: &Bundles<'_>) -> Value {
    let (look, remove) = commands(orphaned.crds.iter().copied());
    let crds =
        orphaned.crds.iter().map(|crd| json!({ "called": plain(bundles.called(&crd.name)), "name": code(&crd.name) }));
    json!({ "channel": orphaned.channel.name(), "crds": crds.collect::<Vec<_>>(), "look": look, "remove": remove })
}

fn losses_entry(losses: &[Losses<'_>], bundles: &Bundles<'_>) -> Value {
    let whole = losses.iter().filter(|losses| losses.whole).map(|losses| losses.crd);
    let (look, remove) = commands(whole.clone());
    let resources = whole.map(|crd| json!({ "called": plain(bundles.called(&crd.name)), "name": code(&crd.name) }));
    let parts = losses.iter().filter(|losses| !losses.whole).map(|losses| {
        let versions = losses
            .versions
            .iter()
            .map(|version| format!("API version {}, which standard does not serve", code(version)));
        let lines = versions.chain(losses.parts.iter().map(part)).collect::<Vec<_>>();
        json!({ "called": plain(bundles.called(&losses.crd.name)), "lines": lines })
    });
    json!({
        "resources": resources.collect::<Vec<_>>(),
        "look": look,
        "remove": remove,
        "parts": parts.collect::<Vec<_>>(),
    })
}

fn part(part: &Part) -> String {
    let path = code(&part.path.text());
    let names = |values: &[Value]| list(&values.iter().map(value).collect::<Vec<_>>());
    let what = match &part.element {
        experimental_only::Element::Values(values) if values.len() == 1 => {
            format!("{path}: the value {}", names(values))
        }
        experimental_only::Element::Values(values) => format!("{path}: the values {}", names(values)),
        experimental_only::Element::ValuesExcept(values) => format!("{path}: every value but {}", names(values)),
        _ => path,
    };
    match &*part.versions {
        [] => what,
        versions => {
            format!("{what} ({})", versions.iter().map(|version| plain(version)).collect::<Vec<_>>().join(", "))
        }
    }
}

fn stored_entry(stored: &Stored<'_>, bundles: &Bundles<'_>) -> Value {
    let crd = stored.crd;
    let channels = stored.channels.iter().map(|channel| channel.name().to_owned()).collect::<Vec<_>>();
    let several = bundles.new.len() > 1 && channels.len() == 1;
    let everywhere = if crd.scope == Scope::Namespaced { " --all-namespaces" } else { "" };
    let rewrite = |version: &str| {
        let resource = format!("{}.{version}.{}", crd.names.plural, crd.group);
        format!("kubectl get {resource}{everywhere} -o json | kubectl replace -f -")
    };
    let only = |version: &str| {
        format!(
            "kubectl patch crd {} --subresource=status --type=merge -p '{{\"status\":{{\"storedVersions\":[\"{version}\"]}}}}'",
            crd.name
        )
    };
    let list = format!("kubectl get crd {} -o jsonpath='{{.status.storedVersions}}'", crd.name);
    let (from, to, versions, commands) = match &stored.change {
        StorageChange::Moved { from, to } => (from, Some(code(to)), Vec::new(), vec![rewrite(to), only(to)]),
        StorageChange::Removed { versions, from } => {
            // Where the earlier bundle stores in a version that stays, objects can be written in it before the upgrade.
            let again = if versions.contains(from) { Vec::new() } else { vec![rewrite(from), only(from)] };
            let versions = versions.iter().map(|version| code(version)).collect();
            (from, None, versions, std::iter::once(list).chain(again).collect())
        }
    };
    json!({
        "called": plain(bundles.called(&crd.name)),
        "channel": several.then(|| channels[0].clone()),
        "from": code(from),
        "to": to,
        "versions": versions,
        "commands": commands,
    })
}

/// All resources, with the versions of each channel.
fn resources(bundles: &Bundles<'_>) -> Vec<Value> {
    let names = bundles.new.values().flat_map(|crds| crds.keys()).collect::<BTreeSet<_>>();
    names
        .into_iter()
        .map(|name| {
            let channels = bundles.new.values().map(|crds| match crds.get(name) {
                Some(crd) => versions(crd),
                None => "–".to_owned(),
            });
            json!({ "called": plain(bundles.called(name)), "name": cell(name), "channels": channels.collect::<Vec<_>>() })
        })
        .collect()
}

/// The versions of a CRD: `v1 (stored), v1beta1 (deprecated)`.
fn versions(crd: &CustomResourceDefinition) -> String {
    let versions = crd.versions.iter().map(|version| {
        let marks = [(version.storage, "stored"), (version.deprecated, "deprecated"), (!version.served, "not served")];
        let marks = marks.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect::<Vec<_>>().join(", ");
        let name = plain(&version.name);
        if marks.is_empty() { name } else { format!("{name} ({marks})") }
    });
    versions.collect::<Vec<_>>().join(", ")
}
