//! A finding or problem as one complete sentence, for outputs that show only one.

use crd_compat::{Finding, RequiredBump};
use serde_json::Value;

use super::problem::Problem;
use super::values::{cut, printable, shortened, text};

/// Values beyond this are shortened.
const VALUE: usize = 160;

/// Where a finding is, without the CRD: `standard v1 spec.rules[*].matches`.
pub(super) fn place(finding: &Finding) -> String {
    let version = finding.version.as_deref().unwrap_or_default();
    let parts = [finding.channel.name(), version, &finding.path];
    printable(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
}

/// What a finding asks, with what lowers or raises the attention: `major, waived to patch`.
pub(super) fn required_bump(finding: &Finding) -> String {
    let mut words = finding.required_bump.word().to_owned();
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
pub(super) fn values(finding: &Finding) -> (Option<String>, Option<String>) {
    let telling = |value: &Option<Value>, other: &Option<Value>| {
        let value = value.as_ref()?;
        // An added or removed name is in the path, or is that of the CRD or the version.
        let repeats = other.is_none()
            && value.as_str().is_some_and(|name| {
                let last = finding.path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
                last || finding.crd == name || finding.version.as_deref() == Some(name)
            });
        // The message already states that something was added.
        let bare = other.is_none() && value.is_boolean();
        (!repeats && !bare).then(|| printable(&text(value)))
    };
    (telling(&finding.before, &finding.after), telling(&finding.after, &finding.before))
}

/// A finding as a sentence, with the fix behind it.
pub(super) fn finding(finding: &Finding) -> String {
    let mut sentence = format!("{}: {}: {}", place(finding), required_bump(finding), printable(&finding.message));
    match values(finding) {
        (Some(before), Some(after)) => {
            let (before, after) = shortened(&before, &after, VALUE);
            sentence.push_str(&format!(" ({before} → {after})"));
        }
        (Some(before), None) => sentence.push_str(&format!(" (was {})", cut(&before, VALUE))),
        (None, Some(after)) => sentence.push_str(&format!(" (now {})", cut(&after, VALUE))),
        (None, None) => {}
    }
    end(&mut sentence);
    if let Some(needs) = needs(finding) {
        sentence.push_str(&format!(" It needs a {needs}."));
    }
    if let Some(waived) = &finding.waived {
        sentence.push_str(&format!(" Waived: {}", printable(&waived.reason)));
        end(&mut sentence);
    }
    push_fix(&mut sentence, finding.fix.as_deref());
    sentence
}

/// A problem as a sentence, with the fix behind it.
pub(super) fn problem(problem: &Problem) -> String {
    let mut sentence = match problem.path.is_empty() {
        true => printable(&problem.message),
        false => format!("{}: {}", printable(&problem.path), printable(&problem.message)),
    };
    end(&mut sentence);
    push_fix(&mut sentence, problem.fix.as_deref());
    sentence
}

/// What else a finding needs: `tombstone and a conversion`.
pub(super) fn needs(finding: &Finding) -> Option<String> {
    let needs = finding.needs.iter().map(|need| need.word()).collect::<Vec<_>>();
    (!needs.is_empty()).then(|| needs.join(" and a "))
}

/// A bundle that a required bump asks for, or permits: `a minor bundle`.
pub(super) fn bundle(required_bump: RequiredBump) -> String {
    match required_bump {
        RequiredBump::None => "no new bundle".to_owned(),
        other => format!("a {other} bundle"),
    }
}

fn push_fix(sentence: &mut String, fix: Option<&str>) {
    if let Some(fix) = fix {
        // Text to copy is on separate lines, without a full stop.
        let (said, exact) = fix.split_once('\n').unwrap_or((fix, ""));
        sentence.push_str(&format!(" Fix: {}", printable(said)));
        end(sentence);
        sentence.extend(exact.lines().flat_map(|line| ["\n".to_owned(), printable(line)]));
    }
}

/// A full stop, unless there is an end.
fn end(sentence: &mut String) {
    if !sentence.ends_with(['.', '!', '?', ':']) {
        sentence.push('.');
    }
}
