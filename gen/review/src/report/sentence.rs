//! Findings in words: their required bump, values, needs and message.

use crd_compat::{Finding, RequiredBump};
use crd_diagnostics::text::full_stop;
use serde_json::Value;

use super::Report;
use super::values::{cut, printable, shortened, text};

/// Values beyond this are shortened.
const VALUE: usize = 160;

/// How many locations of a folded finding are named.
pub(super) const MOST_NAMED: usize = 3;

/// What happened, without why it matters.
pub(crate) fn clause(message: &str) -> &str {
    message.split(": ").next().unwrap_or_default()
}

/// The required bump of a finding, why it is less than usual, and whether it is known, waived or a warning: `major, waived to patch`.
pub(super) fn required_bump(finding: &Finding) -> String {
    let mut words = finding.required_bump.to_string();
    if let Some(why) = finding.why_lowered() {
        words.push_str(&format!(", because {why}"));
    }
    if finding.known {
        words.push_str(", known");
    }
    if let Some(waived) = &finding.waived {
        words.push_str(&format!(", waived to {}", waived.to));
    }
    if finding.warning {
        words.push_str(", warning");
    }
    words
}

/// The old and the new value, unless the location contains them.
pub(crate) fn values(finding: &Finding) -> (Option<String>, Option<String>) {
    let new = |value: &Option<Value>, other: &Option<Value>| {
        let value = value.as_ref()?;
        // An added or removed name is in the path, or is that of the CRD or the version.
        let repeats = other.is_none()
            && value.as_str().is_some_and(|name| {
                let last = finding.path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
                last || finding.crd == name || finding.version.as_deref() == Some(name)
            });
        (!repeats).then(|| printable(&text(value)))
    };
    (new(&finding.before, &finding.after), new(&finding.after, &finding.before))
}

/// The same, shortened to so many characters each. Of two long values, the part that differs stays.
pub(crate) fn short_values(finding: &Finding, room: usize) -> (Option<String>, Option<String>) {
    match values(finding) {
        (Some(before), Some(after)) => {
            let (before, after) = shortened(&before, &after, room);
            (Some(before), Some(after))
        }
        (before, after) => (before.map(|before| cut(&before, room)), after.map(|after| cut(&after, room))),
    }
}

/// The old and the new value in words.
pub(crate) fn change(values: (Option<String>, Option<String>), show: impl Fn(&str) -> String) -> Option<String> {
    match values {
        (Some(before), Some(after)) => Some(format!("{} → {}", show(&before), show(&after))),
        (Some(before), None) => Some(format!("was {}", show(&before))),
        (None, Some(after)) => Some(format!("now {}", show(&after))),
        (None, None) => None,
    }
}

/// The message of a finding for outputs that show only one text: with its required bump, values, needs and waiver.
pub(super) fn message(finding: &Finding, report: &Report) -> String {
    let mut message = format!("{}: {}", required_bump(finding), finding.message);
    if let Some(change) = change(short_values(finding, VALUE), str::to_owned) {
        message.push_str(&format!(" ({change})"));
    }
    full_stop(&mut message);
    if let Some(needs) = needs(finding, report) {
        message.push_str(&format!(" It needs a {needs}."));
    }
    if let Some(waived) = &finding.waived {
        message.push_str(&format!(" Accepted: {}", waived.reason));
        full_stop(&mut message);
    }
    message
}

/// Why it is accepted, if a waiver accepts it.
pub(super) fn waived(finding: &Finding) -> Option<String> {
    finding.waived.as_ref().map(|waived| format!("accepted: {}", waived.reason))
}

/// What a finding needs in addition: `tombstone and a conversion`. CRDs without channels have neither.
pub(super) fn needs(finding: &Finding, report: &Report) -> Option<String> {
    let needs = finding.needs.iter().map(|need| need.word()).collect::<Vec<_>>();
    (report.has_channels && !needs.is_empty()).then(|| needs.join(" and a "))
}

/// A bundle or release with this bump: `a minor bundle`.
pub(super) fn bundle(required_bump: RequiredBump, noun: &str) -> String {
    match required_bump {
        RequiredBump::None => format!("no new {noun}"),
        other => format!("a {other} {noun}"),
    }
}
