//! The reference page of markers, written by `cargo xtask markers --page`.
//!
//! Invariants: all content comes from the table.

use crate::table::{ArgumentsSpec, MarkerSpec, Meaning, entries};
use crate::value::ValueKind;

/// The arguments of a marker in the notation of the page: `=count`, `:name=string,scope=Namespaced|Cluster?`.
pub fn arguments(spec: &MarkerSpec) -> String {
    match spec.arguments {
        ArgumentsSpec::Flag => String::new(),
        ArgumentsSpec::Value(kind) => format!("={}", notation(kind)),
        ArgumentsSpec::Named(specs) => {
            let list: Vec<String> = specs
                .iter()
                .map(|spec| format!("{}={}{}", spec.name, notation(spec.kind), if spec.optional { "?" } else { "" }))
                .collect();
            format!(":{}", list.join(","))
        }
    }
}

/// The notation after an `=`: a kind of values, or the permitted words.
fn notation(kind: ValueKind) -> String {
    match kind {
        ValueKind::Word(words) => words.join("|"),
        other => other.name().to_owned(),
    }
}

/// The whole page.
pub fn page() -> String {
    let mut page = String::from(
        "<!-- Written by `cargo xtask markers --page`; do not edit. -->\n# Markers\n\nA marker is a doc line that starts with `+` and a letter. `+standard:` or `+experimental:` limits a marker to that\nchannel, except `+experimental`, `+tombstone`, `+lens:…`, `+conformance:feature`, `+go:…`, `+lint:…` and markers about presence. Values:\nbare words, `\"quoted\"`, `` `raw` `` (may span several lines), numbers, `true`, `false`, lists `a;b`, `{a,b}` or `[a,b]`, objects `{key: value}`.\n`?` marks optional arguments.\n",
    );
    for (title, items, refused) in [
        ("Markers", false, false),
        ("Markers for the items of a list", true, false),
        ("Go markers that are rejected", false, true),
    ] {
        page.push_str(&format!("\n## {title}\n\n"));
        if refused {
            page.push_str("| marker | what to write instead |\n|---|---|\n");
        } else {
            page.push_str("| marker | on | what it does | in Rust |\n|---|---|---|---|\n");
        }
        for entry in entries() {
            let is_refused = matches!(entry.spec.meaning, Meaning::Refused(_));
            if entry.items != items || is_refused != refused {
                continue;
            }
            let cell = |text: &str| text.replace('|', "\\|");
            if refused {
                page.push_str(&format!("| `+{}` | {} |\n", entry.name, cell(entry.spec.rust())));
            } else {
                page.push_str(&format!(
                    "| `+{}{}`{} | {} | {} | {} |\n",
                    entry.name,
                    cell(&arguments(entry.spec)),
                    if entry.spec.repeatable { ", repeatable" } else { "" },
                    entry.spec.targets.names().join(", "),
                    cell(entry.spec.effect()),
                    cell(entry.spec.rust()),
                ));
            }
        }
    }
    page
}
