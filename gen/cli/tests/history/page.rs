//! A page about two releases, for a reader who reviews what changed in it: the verdict, how many findings there are of each rule, and a line
//! for each change that is more than an addition.
//!
//! Invariants: facts only (paths, names, bounds, the beginnings of CEL rules), and none of upstream's sentences, such as the messages of
//! rules or conditions. What both channels or several API versions share is one line. The same findings give the same page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crd_channels_cli::Exit;
use serde_json::Value;

use super::releases::{CHANNELS, Found, Judged, Pair, Release};

/// Rules that are only counted: what comes and harms nobody, and what says when and with what a CRD was made.
fn is_counted_only(found: &Found) -> bool {
    let plain_addition = ["graduated", "name-added"].contains(&&*found.rule) && found.ruling == "minor";
    plain_addition || found.known || ["stamps", "labels-and-annotations"].contains(&&*found.rule)
}

/// Rules whose values are other people's sentences, or lists in another order.
const SENTENCES: [&str; 3] = ["cel-words", "condition-list-default", "words"];

/// So many characters of a value are shown.
const VALUE: usize = 72;
/// So many of them are its end.
const END: usize = 20;

/// The page.
pub(crate) fn page(pair: &Pair, gone: &[String]) -> String {
    let Judged { exit, document, findings } = &pair.judged;
    let shown = |release: &Release| match release.name == release.stamp {
        true => release.name.to_owned(),
        false => format!("{} (stamped {})", release.name, release.stamp),
    };
    let mut page = format!("{} → {}\n\n", shown(pair.baseline), shown(pair.candidate));
    let word = |key: &str| document[key].as_str().unwrap_or("nothing");
    let verdicts = CHANNELS.map(|channel| format!("{channel} {}", pair.judged.verdict(channel))).join(", ");
    let fits = if *exit == Exit::Fine { "it fits" } else { "it does not fit" };
    let _ = writeln!(page, "verdict: {} ({verdicts})", word("verdict"));
    let _ = writeln!(page, "the version permits: {}; {fits}\n", word("permitted"));
    counts(findings, &mut page);
    let (decides, else_): (Vec<Line>, Vec<Line>) = lines(findings).into_iter().partition(|line| line.decides);
    section("what decides", &decides, &mut page);
    section("what else there is", &else_, &mut page);
    if !gone.is_empty() {
        page.push_str("\nnames that went, each in need of a tombstone\n");
        for name in gone {
            let _ = writeln!(page, "  {name}");
        }
    }
    page
}

/// How many findings of each rule and ruling there are, by channel.
fn counts(findings: &[Found], page: &mut String) {
    let mut counts: BTreeMap<(&str, String), [usize; 2]> = BTreeMap::new();
    for found in findings {
        let ruling = if found.known { format!("{} (known)", found.ruling) } else { found.ruling.clone() };
        let channel = usize::from(found.channel != CHANNELS[0]);
        counts.entry((&found.rule, ruling)).or_default()[channel] += 1;
    }
    let _ = writeln!(page, "{:<44}{:>9}{:>14}", "findings", CHANNELS[0], CHANNELS[1]);
    for ((rule, ruling), [standard, experimental]) in counts {
        let _ = writeln!(page, "  {rule:<26}{ruling:<16}{standard:>9}{experimental:>14}");
    }
}

/// A change, wherever it was made.
struct Line {
    crd: String,
    path: String,
    decides: bool,
    text: String,
}

/// What findings have in common that differ in nothing but channel and API version: CRD, path, rule, what is said, and the values as they are
/// shown and as they are.
type Change<'f> = (&'f str, &'f str, &'f str, String, String, [String; 2]);

fn lines(findings: &[Found]) -> Vec<Line> {
    let mut changes: BTreeMap<Change<'_>, BTreeMap<usize, Vec<&Found>>> = BTreeMap::new();
    for found in findings.iter().filter(|found| !is_counted_only(found)) {
        let said = match found.message.split_once(" the rule `") {
            // Upstream's own words follow.
            Some((said, _)) => format!("{said} a CEL rule"),
            None if found.rule == "containment" => found.message.clone(),
            None => found.message.split(':').next().unwrap_or_default().to_owned(),
        };
        let exact = [&found.before, &found.after].map(Value::to_string);
        let change = (&*found.crd, &*found.path, &*found.rule, said, values(found), exact);
        let channel = usize::from(found.channel != CHANNELS[0]);
        changes.entry(change).or_default().entry(channel).or_default().push(found);
    }
    let mut lines = Vec::new();
    for ((crd, path, rule, said, values, _), by_channel) in changes {
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
            let asks = channels.iter().map(|(channel, found)| {
                let warning = if found[0].warning { "!" } else { "" };
                format!("{}:{}{warning}", ["S", "E"][*channel], found[0].ruling)
            });
            let said = [versions.as_str(), path, &said, &values];
            let said = said.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ");
            lines.push(Line {
                crd: crd.to_owned(),
                path: path.to_owned(),
                decides: channels.iter().any(|(_, found)| found[0].decides),
                text: format!("{:<18} {rule:<23} {said}", asks.collect::<Vec<_>>().join(" ")).trim_end().to_owned(),
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

/// How it was and how it is, short; nothing where the words say it.
fn values(found: &Found) -> String {
    let is_name = |value: &Value| {
        let is_said = |name: &str| found.path.ends_with(name) || found.version == name || name.starts_with(&found.crd);
        value.is_null() || value == true || value.as_str().is_some_and(is_said)
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
            // What both begin with says nothing, if there is much of it.
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
