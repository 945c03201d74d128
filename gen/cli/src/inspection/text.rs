//! The report for people: a summary of one screen, then the findings by CRD.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crd_diagnostics::entries::Entries;
use crd_diagnostics::layout::{count, some_of};
use crd_diagnostics::style::{FAINT, NAME, of_severity};
use crd_diagnostics::{Diagnostic, Severity, printable};
use crd_upgrade::inspect::{CrdReport, PolicyReport, Report};
use serde_json::Value;

/// How many CRDs the summary lists: those with findings come first.
const MOST_ROWS: usize = 20;

/// How many CRDs the line of an owner names.
const MOST_OWNED: usize = 3;

/// The summary and the findings.
pub(crate) fn report(report: &Report, width: usize) -> String {
    let mut text = summary(report);
    let mut by_crd: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
    for finding in report.findings() {
        by_crd.entry(finding.location.crd.as_ref().map_or("", |crd| &*crd.name)).or_default().push(finding);
    }
    for (crd, mut findings) in by_crd {
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let mut entries = Entries::new(if crd.is_empty() { "the installation" } else { crd }, width);
        entries.by_code(findings);
        text.push('\n');
        text.push_str(&entries.finish());
    }
    text
}

/// The head of the report: at most one screen.
fn summary(report: &Report) -> String {
    let mut text = String::new();
    let installed = match report.installed {
        Some((version, channel)) => format!("{version} {}", channel.name()),
        None if report.is_stamped => "no bundle".to_owned(),
        None => "CRDs without stamps".to_owned(),
    };
    let server = report.server.version.as_ref().map(|version| format!(" (Kubernetes {version})")).unwrap_or_default();
    let title = format!("{} on {}{server}: {installed}", report.prefix, report.server.address);
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{NAME}{}{NAME:#}", printable(&title));
    if let Some(target) = &report.target {
        let _ = writeln!(text, "target: {}", printable(target));
    }
    text.push('\n');
    let is_plain =
        |crd: &&CrdReport| crd.content == crd_upgrade::inspect::Content::AsStamped && crd.findings.is_empty();
    let (plain, others): (Vec<_>, Vec<_>) = report.crds.iter().partition(|crd| is_plain(crd));
    let mut shown = others.into_iter().chain(plain).take(MOST_ROWS).collect::<Vec<_>>();
    shown.sort_by(|one, other| one.name.cmp(&other.name));
    text.push_str(&table(&shown, &report.prefix));
    if let more @ 1.. = report.crds.len() - shown.len() {
        let _ = writeln!(text, "{FAINT}and {}{FAINT:#}", count(more, "more CRD"));
    }
    text.push_str(&owners(report));
    for policy in &report.policies {
        let _ = writeln!(text, "{}", printable(&in_words(policy)));
    }
    for class in &report.classes {
        let features = match &class.features {
            Some(features) => count(features.len(), "feature"),
            None => "no features listed".to_owned(),
        };
        let controller = class.controller.as_ref().map(|controller| format!(" of {controller}")).unwrap_or_default();
        let _ = writeln!(text, "{}", printable(&format!("class {}{controller}: {features}", class.name)));
    }
    let mut parts = vec![count(usize::try_from(report.objects()).unwrap_or(usize::MAX), "object")];
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let style = if report.number(severity) > 0 { of_severity(severity) } else { FAINT };
        parts.push(format!("{style}{}{style:#}", count(report.number(severity), severity.word())));
    }
    if !report.failures.is_empty() {
        parts.push("not everything could be read".to_owned());
    }
    let _ = writeln!(text, "{}", parts.join(", "));
    text
}

/// The CRDs as a table. Those of the API's own group have their plural as a name.
fn table(crds: &[&CrdReport], prefix: &str) -> String {
    let head = ["CRD", "bundle", "channel", "content", "versions", "objects"].map(str::to_owned);
    let rows = std::iter::once(head).chain(crds.iter().map(|crd| row(crd, prefix))).collect::<Vec<_>>();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths = [0, 1, 2, 3, 4, 5].map(width);
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            let gap = width.saturating_sub(cell.chars().count());
            match column {
                5 => line.extend([&*" ".repeat(gap), cell]),
                _ => line.extend([cell, &*" ".repeat(gap + 2)]),
            }
        }
        let _ = match index {
            0 => writeln!(text, "{FAINT}{line}{FAINT:#}"),
            _ => writeln!(text, "{line}"),
        };
    }
    text
}

/// Each owner, with what shows it and its CRDs.
fn owners(report: &Report) -> String {
    let mut by_owner: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for crd in &report.crds {
        let plural = crd.name.strip_suffix(&report.prefix).and_then(|name| name.strip_suffix('.')).unwrap_or(&crd.name);
        for owner in &crd.owners {
            by_owner.entry((&owner.name, &owner.evidence)).or_default().push(plural);
        }
    }
    let mut text = String::new();
    for ((name, evidence), crds) in by_owner {
        let line = format!("owner {name} ({evidence}): {}", some_of(&crds, MOST_OWNED));
        let _ = writeln!(text, "{}", printable(&line));
    }
    text
}

/// A CRD: the storage version has a star; versions that are not served are in parentheses.
fn row(crd: &CrdReport, prefix: &str) -> [String; 6] {
    let versions = crd.versions.iter().map(|version| {
        let star = if version.storage { "*" } else { "" };
        if version.served { format!("{}{star}", version.name) } else { format!("({}{star})", version.name) }
    });
    let or_none = |text: &Option<String>| printable(text.as_deref().unwrap_or("-"));
    [
        crd.name.strip_suffix(prefix).and_then(|name| name.strip_suffix('.')).unwrap_or(&crd.name).to_owned(),
        or_none(&crd.version),
        or_none(&crd.channel),
        crd.content.word().to_owned(),
        versions.collect::<Vec<_>>().join(", "),
        crd.objects.as_ref().map_or_else(|| "-".to_owned(), |objects| objects.number.to_string()),
    ]
}

fn in_words(policy: &PolicyReport) -> String {
    let mut parts = Vec::from_iter(policy.version.clone());
    parts.extend(policy.channel.clone());
    match &policy.bindings {
        Some(bindings) if bindings.is_empty() => parts.push("not bound".to_owned()),
        Some(_) => parts.push(format!("bound: {}", policy.actions.join(", "))),
        None => {}
    }
    let kind = if policy.kind == "ValidatingAdmissionPolicy" { "policy" } else { "webhook" };
    match parts.is_empty() {
        true => format!("{kind} {}", policy.name),
        false => format!("{kind} {} ({})", policy.name, parts.join("; ")),
    }
}

/// The clients that write the objects, for `--verbose`.
pub(crate) fn clients(report: &Report) -> String {
    let mut text = String::new();
    for crd in &report.crds {
        let Some(objects) = crd.objects.as_ref().filter(|objects| !objects.clients.is_empty()) else { continue };
        let _ = writeln!(text, "\n{NAME}clients of {}{NAME:#}", printable(&crd.name));
        for (client, writes) in &objects.clients {
            let subresource = client.subresource.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
            let last = writes.last.as_ref().map(|last| format!(", last at {last}")).unwrap_or_default();
            let number = count(usize::try_from(writes.objects).unwrap_or(usize::MAX), "object");
            let line = format!(
                "{} ({}{subresource}) through {}: {number}{last}",
                client.manager, client.operation, client.api_version
            );
            let _ = writeln!(text, "  {}", printable(&line));
        }
        if objects.more_clients > 0 {
            let _ = writeln!(text, "  and {} writes of more clients", objects.more_clients);
        }
    }
    text
}

/// The lines of an object, for `--verbose`. `crd` is that of the object before it.
pub(crate) fn object(object: &Value, crd: &mut String) -> String {
    let text = |value: &Value| printable(value.as_str().unwrap_or_default());
    let mut lines = String::new();
    let of = text(&object["crd"]);
    if *crd != of {
        let _ = writeln!(lines, "\n{NAME}objects of {of}{NAME:#}");
        *crd = of;
    }
    let namespace = object["object"]["namespace"].as_str().map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let _ = writeln!(lines, "  {NAME}{}{}{NAME:#}", printable(&namespace), text(&object["object"]["name"]));
    for finding in object["findings"].as_array().into_iter().flatten() {
        let code = text(&finding["code"]);
        let code = code.strip_prefix("inspect::").unwrap_or(&code);
        let severity = [Severity::Error, Severity::Warning, Severity::Note];
        let severity = severity.into_iter().find(|severity| severity.word() == finding["severity"]);
        let style = of_severity(severity.unwrap_or(Severity::Note));
        let (path, detail) = (text(&finding["path"]), text(&finding["detail"]));
        // The text of a server begins with the path.
        let what = if detail.starts_with(&path) { detail } else { format!("{path}: {detail}") };
        let what = what.trim_end_matches(": ").to_owned();
        let what = if what.is_empty() { "the resource" } else { &what };
        let _ = writeln!(lines, "    {style}{code}{style:#} {what}");
    }
    lines
}
