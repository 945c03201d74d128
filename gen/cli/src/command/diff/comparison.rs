//! The comparison of two bundles that were read.
//!
//! Invariants: versions that the user states count before rules are applied. Bundles without a channel in common are not compared.

use std::sync::Arc;

use crd_bundle::published::skips;
use crd_bundle::{BundleVersion, Release};
use crd_diagnostics::layout::count;
use crd_diagnostics::{Diagnostic, Severity};
use crd_generator::root;
use crd_generator::session::Session;
use crd_generator::settings::Project;
use crd_review::Side;
use crd_review::assembly::with_stamps_of;
use crd_review::comparison::{accept_between, findings, report, without_recorded};
use crd_review::history::declared;
use crd_review::profile::ChosenProfile;
use crd_review::report::Report;

use super::Options;
use super::limit::gate;
use super::version_of::state_versions;
use crate::base::Base;
use crate::history::{has_unused_version, stored_until};
use crate::source_lines::{location, source_lines};
use crate::{ledger, waivers};

/// Compares two bundles. `named` is the version of the history that the user named as baseline. The waivers are those of `base`, or of the root.
pub(in crate::command) fn compare(
    project: &Project,
    (mut old, new): (Release, Release),
    named: Option<BundleVersion>,
    base: Option<&Base>,
    options: &Options,
    session: &Session<'_>,
) -> Result<Report, Vec<Diagnostic>> {
    let (settings, root) = (&project.settings, root::if_any(options.root.as_deref(), session)?);
    let mut new = with_stamps_of(&old, new);
    let stated = state_versions(&options.versions, [&mut old, &mut new])?;
    if !old.channels.keys().any(|channel| new.channels.contains_key(channel)) {
        return Err(incomparable(&old, &new).into());
    }
    let waivers = root.as_deref().map(|root| match base {
        Some(base) => waivers::of_base(base, root, session.working_folder()),
        None => waivers::of_workspace(root),
    });
    let (waivers, malformed) = waivers.transpose()?.unwrap_or_default();
    let ledger = root.as_deref().map(ledger::read).transpose()?.unwrap_or_default();
    let mut declared = declared(ledger.entries());
    // The rules for removed and for unserved API versions depend on whether an older bundle stored objects in them.
    if let (Some(root), Some(version)) = (&root, named)
        && has_unused_version(&old.channels, &new.channels)
    {
        declared.ever_stored = stored_until(version, root, session)?;
    }
    declared.ever_stored.extend(old.stored_in_cluster());
    let of_settings = settings.policy_profile().map(|profile| (&*settings.prefix, profile));
    let profile = ChosenProfile::of_bundles(options.profile, of_settings, &old, &new);
    let crds = |bundle: &Release| count(bundle.crds().count(), "CRD");
    session.begin(format_args!("comparing {} with {}", crds(&new), crds(&old)));
    let (baseline, candidate) = (Side::of(&old), Side::of(&new));
    let mut found = findings(Some(&baseline), &candidate, &profile, &declared, &Arc::default(), options.evidence);
    without_recorded(&mut found, ledger.entries());
    accept_between(&mut found, &waivers, [old.version, new.version]);
    session.begin(format_args!("looking up the lines of {}", count(found.len(), "finding")));
    let lines = source_lines(&new, &found.iter().map(location).collect::<Vec<_>>());
    let mut notes = profile.notes(Some(&old));
    notes.extend(profile.later(&new));
    notes.extend(stated);
    let left_out = old.left_out.iter().chain(&new.left_out).cloned().collect::<Vec<_>>();
    notes.extend(skips::notes(&left_out));
    let malformed = malformed.into_iter().map(|error| Diagnostic { severity: Severity::Warning, ..error });
    let warnings = old.warnings.iter().chain(&new.warnings).cloned().chain(same_version(&old, &new)).chain(malformed);
    let warnings = warnings.collect();
    let mut report =
        report(Some(&baseline), &candidate, profile, found, &|finding| lines.get(&location(finding)).cloned());
    if let Some(gate) = gate(options.limit, settings.gate) {
        report = report.gated(gate);
    }
    let has_channels = old.has_channels || new.has_channels;
    notes.extend(report.notes);
    Ok(Report { notes, has_channels, left_out, warnings, ..report })
}

/// Two bundles of one version that differ: users of this version cannot know which of them they have. A pre-release may change.
fn same_version(old: &Release, new: &Release) -> Option<Diagnostic> {
    let version = new.version.filter(|version| version.is_release() && old.version == Some(*version))?;
    let differs = new.channels.iter().any(|(channel, crds)| old.channels.get(channel).is_some_and(|old| old != crds));
    differs.then(|| {
        let message = format!("{} and {} are both stamped {version}, and their CRDs differ", old.name, new.name);
        let warning = Diagnostic::warning("bundle::same-version", message);
        let first = new.origins().find(|(_, _, origin)| origin.stamps.version.is_some());
        let warning = match first {
            Some((_, _, origin)) => warning.at_line(&origin.file, origin.line),
            None => warning,
        };
        warning.help("a released version never changes: stamp the candidate with the next version")
    })
}

/// Two bundles of different channels.
fn incomparable(old: &Release, new: &Release) -> Diagnostic {
    let of = |source: &Release| source.channels.keys().map(|channel| channel.name()).collect::<Vec<_>>().join(" and ");
    let (old_channels, new_channels) = (of(old), of(new));
    let message = format!(
        "the bundles have no channel in common: {} has {old_channels}, and {} has {new_channels}",
        old.name, new.name
    );
    Diagnostic::error("bundle::channels", message).help("each channel is compared with the same channel only")
}
