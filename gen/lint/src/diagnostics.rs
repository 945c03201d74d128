//! Findings as diagnostics.
//!
//! Invariants: a finding that the baseline has is a note. A finding that only experimental has is a warning at most.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crd_diagnostics::{Diagnostic, Related, Severity, fail_on};
use crd_model::channel::Channel;
use crd_names::nearest;

use crate::exception::Exception;
use crate::finding::{Finding, Place};
use crate::rule::{Convention, RULES};

/// The level of a convention in the settings, none for `off`, and its line.
pub type Levels = BTreeMap<String, (Option<Severity>, usize)>;

/// The conventions that are checked, with their levels. `only` is the only one, if the user names one.
#[must_use]
pub fn levels(settings: &Levels, only: Option<&str>) -> Vec<(&'static Convention, Severity)> {
    let rules = RULES.iter().filter(|rule| only.is_none_or(|only| only == rule.name));
    let level = |rule: &&'static Convention| {
        let usual = rule.is_default.then_some(Severity::Error);
        let level = settings.get(rule.name).map_or(usual, |(level, _)| *level);
        Some((*rule, level.or(only.map(|_| Severity::Error))?))
    };
    rules.filter_map(level).collect()
}

/// Checks the names of conventions in the settings, which are in a file of this name, and in exceptions.
///
/// # Errors
/// Names that are not conventions.
pub fn check_names(settings: &Levels, file: &str, exceptions: &[Exception]) -> Result<(), Vec<Diagnostic>> {
    let levels = settings.iter().map(|(name, (_, line))| (name.as_str(), file, *line));
    let named = exceptions.iter().map(|exception| (&*exception.rule, &*exception.source.0, exception.source.1));
    let named = levels.chain(named).collect::<BTreeSet<_>>().into_iter();
    let unknown = named.filter(|(name, ..)| Convention::named(name).is_none());
    fail_on(unknown.map(|(name, file, line)| not_a_convention(name).at_line(file, line)).collect())
}

/// The error that a name is not that of a convention.
#[must_use]
pub fn not_a_convention(name: &str) -> Diagnostic {
    let all = "`lint --list` lists all conventions".to_owned();
    let near = nearest(name, RULES.iter().map(|rule| rule.name));
    let help = near.map_or(all, |near| format!("did you mean `{near}`?"));
    Diagnostic::error("lint::unknown-convention", format!("`{name}` is not a convention")).help(help)
}

/// The findings, errors first, and a warning for each exception that allows nothing. `locate` adds a place to a diagnostic. The channel is named in
/// bundles that have some.
#[must_use]
pub fn diagnostics(
    found: &[Finding],
    unused: &[&Exception],
    levels: &[(&'static Convention, Severity)],
    has_channels: bool,
    locate: &dyn Fn(Diagnostic, &Finding, &Place) -> Diagnostic,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for finding in found {
        let located = |place| locate(diagnostic(finding, levels, has_channels), finding, place);
        let mut places = finding.places.iter().map(located);
        let Some(first) = places.next() else { continue };
        let related = places.map(|other| Related { message: String::new(), location: *other.location }).collect();
        diagnostics.push(Diagnostic { related, ..first });
    }
    diagnostics.extend(unused.iter().map(|Exception { rule, source: (file, line), .. }| {
        let message = format!("the exception of `{rule}` allows nothing");
        Diagnostic::warning("lint::exception-unused", message).at_line(file, *line).help("remove it")
    }));
    diagnostics.sort_by_key(|diagnostic| Reverse(diagnostic.severity));
    diagnostics
}

fn diagnostic(finding: &Finding, levels: &[(&'static Convention, Severity)], has_channels: bool) -> Diagnostic {
    let Finding { rule, channel, problem, is_new, graduates, .. } = finding;
    let level = levels.iter().find(|(known, _)| known.name == rule.name).map_or(Severity::Error, |(_, level)| *level);
    let severity = match (is_new, channel) {
        (false, _) => Severity::Note,
        (true, Channel::Experimental) => level.min(Severity::Warning),
        (true, Channel::Standard) => level,
    };
    let last = if *graduates { "; it graduates, so this is the last release that can change it" } else { "" };
    let diagnostic = Diagnostic::new(rule.code(), severity, &problem.message);
    let diagnostic = diagnostic.help(format!("{}{last}", problem.help));
    if has_channels { diagnostic.in_channel(*channel) } else { diagnostic }
}
