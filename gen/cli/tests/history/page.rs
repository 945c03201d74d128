//! A page about two releases for reviewers: the verdict, the number of findings of each rule, and a line for each change that is more than
//! an addition.
//!
//! Invariants: facts only (paths, names, bounds, the beginnings of CEL rules), without upstream's sentences, such as the messages of
//! rules or conditions. A change that channels or API versions share is one line. The same findings give the same page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crd_channels_cli::Exit;
use serde_json::Value;

use super::releases::{CHANNELS, Found, Pair, Release, Report};

/// Rules that are only counted: harmless additions, and annotations about the release.
fn is_counted_only(found: &Found) -> bool {
    let plain_addition = ["graduated", "name-added"].contains(&&*found.rule) && found.required_bump == "minor";
    plain_addition || found.known || ["stamps", "labels-and-annotations"].contains(&&*found.rule)
}

/// Rules whose values are upstream's sentences, or lists in another order.
const SENTENCES: [&str; 3] = ["cel-words", "condition-list-default", "words"];

/// The number of characters of a value that are printed.
const VALUE: usize = 72;
/// The number of those that are from its end.
const END: usize = 20;

/// The page.
pub(crate) fn page(pair: &Pair, gone: &[String]) -> String {
    let Report { exit, document, findings } = &pair.report;
    let shown = |release: &Release| match release.name == release.stamp {
        true => release.name.to_owned(),
        false => format!("{} (stamped {})", release.name, release.stamp),
    };
    let mut page = format!("{} → {}\n\n", shown(pair.baseline), shown(pair.candidate));
    let word = |key: &str| document[key].as_str().unwrap_or("nothing");
    let verdicts = CHANNELS.map(|channel| format!("{channel} {}", pair.report.verdict(channel))).join(", ");
    let fits = if *exit == Exit::Fine { "it fits" } else { "it does not fit" };
    let _ = writeln!(page, "verdict: {} ({verdicts})", word("verdict"));
    let _ = writeln!(page, "the version permits: {}; {fits}\n", word("permitted"));
    counts(findings, &mut page);
    let (decides, else_): (Vec<Line>, Vec<Line>) = lines(findings).into_iter().partition(|line| line.decides);
    section("what decides", &decides, &mut page);
    section("other changes", &else_, &mut page);
    if !gone.is_empty() {
        page.push_str("\nremoved names, each of which needs a tombstone\n");
        for name in gone {
            let _ = writeln!(page, "  {name}");
        }
    }
    page
}

/// The number of findings of each rule and required bump, by channel.
fn counts(findings: &[Found], page: &mut String) {
    let mut counts: BTreeMap<(&str, String), [usize; 2]> = BTreeMap::new();
    for found in findings {
        let required_bump =
            if found.known { format!("{} (known)", found.required_bump) } else { found.required_bump.clone() };
        let channel = usize::from(found.channel != CHANNELS[0]);
        counts.entry((&found.rule, required_bump)).or_default()[channel] += 1;
    }
    let _ = writeln!(page, "{:<44}{:>9}{:>14}", "findings", CHANNELS[0], CHANNELS[1]);
    for ((rule, required_bump), [standard, experimental]) in counts {
        let _ = writeln!(page, "  {rule:<26}{required_bump:<16}{standard:>9}{experimental:>14}");
    }
}

/// A change in a channel and some API versions.
struct Line {
    crd: String,
    path: String,
    decides: bool,
    text: String,
}

/// The key of findings that differ only in channel and API version: CRD, path, rule, message, and the values as printed and exactly.
type Change<'f> = (&'f str, &'f str, &'f str, String, String, [String; 2]);

fn lines(findings: &[Found]) -> Vec<Line> {
    let mut changes: BTreeMap<Change<'_>, BTreeMap<usize, Vec<&Found>>> = BTreeMap::new();
    for found in findings.iter().filter(|found| !is_counted_only(found)) {
        let message = match found.message.split_once(" the rule `") {
            // Upstream's own words follow.
            Some((message, _)) => format!("{message} a CEL rule"),
            None if found.rule == "containment" => found.message.clone(),
            None => found.message.split(':').next().unwrap_or_default().to_owned(),
        };
        let exact = [&found.before, &found.after].map(Value::to_string);
        let change = (&*found.crd, &*found.path, &*found.rule, message, values(found), exact);
        let channel = usize::from(found.channel != CHANNELS[0]);
        changes.entry(change).or_default().entry(channel).or_default().push(found);
    }
    let mut lines = Vec::new();
    for ((crd, path, rule, message, values, _), by_channel) in changes {
        let versions = |found: &[&Found]| {
            let names = found.iter().map(|found| &*found.version).collect::<BTreeSet<_>>();
            let times = found.len() / names.len();
            let names = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(",");
            let times = if times > 1 { format!(" ×{times}") } else { String::new() };
            format!("{names}{times}")
        };
        let mut by_versions: BTreeMap<String, Vec<(usize, &[&Found])>> = BTreeMap::new();
        for (channel, found) in &by_channel {
            by_versions.entry(versions(found)).or_default().push((*channel, found));
        }
        for (versions, channels) in by_versions {
            let required = channels.iter().map(|(channel, found)| {
                let warning = if found[0].warning { "!" } else { "" };
                format!("{}:{}{warning}", ["S", "E"][*channel], found[0].required_bump)
            });
            let change = [versions.as_str(), path, &message, &values];
            let change = change.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ");
            lines.push(Line {
                crd: crd.to_owned(),
                path: path.to_owned(),
                decides: channels.iter().any(|(_, found)| found[0].decides),
                text: format!("{:<18} {rule:<23} {change}", required.collect::<Vec<_>>().join(" "))
                    .trim_end()
                    .to_owned(),
            });
        }
    }
    lines.sort_by(|one, other| (&one.crd, &one.path, &one.text).cmp(&(&other.crd, &other.path, &other.text)));
    lines
}

fn section(title: &str, lines: &[Line], page: &mut String) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(page, "\n{title}");
    let mut crd = "";
    for line in lines {
        if line.crd != crd {
            crd = &line.crd;
            let _ = writeln!(page, "  {crd}");
        }
        let _ = writeln!(page, "    {}", line.text);
    }
}

/// The old and the new value, shortened; empty if the path or version already contains them.
fn values(found: &Found) -> String {
    let is_name = |value: &Value| {
        let is_in_path =
            |name: &str| found.path.ends_with(name) || found.version == name || name.starts_with(&found.crd);
        value.is_null() || value == true || value.as_str().is_some_and(is_in_path)
    };
    if SENTENCES.contains(&&*found.rule) || (is_name(&found.before) && is_name(&found.after)) {
        return String::new();
    }
    let text = |value: &Value| match value {
        Value::String(text) => text.replace('\n', " "),
        // A print column.
        Value::Object(map) if map.contains_key("jsonPath") => {
            format!("{} {}", map["name"].as_str().unwrap(), map["jsonPath"].as_str().unwrap())
        }
        other => other.to_string(),
    };
    match (&found.before, &found.after) {
        (Value::Null, Value::Null) => String::new(),
        (before, Value::Null) => format!("− {}", shortened(&text(before))),
        (Value::Null, after) => format!("+ {}", shortened(&text(after))),
        (before, after) => {
            let (before, after) = (text(before), text(after));
            // Of long values, the common beginning is left out.
            let same = before.chars().zip(after.chars()).take_while(|(one, other)| one == other).count();
            let from =
                if before.chars().count().max(after.chars().count()) > VALUE { same.saturating_sub(12) } else { 0 };
            let rest = |text: &str| match from {
                0 => shortened(text),
                from => format!("…{}", shortened(&text.chars().skip(from).collect::<String>())),
            };
            format!("{} → {}", rest(&before), rest(&after))
        }
    }
}

/// The beginning and the end of a long value.
fn shortened(text: &str) -> String {
    let length = text.chars().count();
    if length <= VALUE {
        return text.to_owned();
    }
    let begin = text.chars().take(VALUE - END - 1).collect::<String>();
    let end = text.chars().skip(length - END).collect::<String>();
    format!("{begin}…{end}")
}
