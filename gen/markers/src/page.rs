//! The marker reference page, made from the table.
//!
//! Fed with [`crate::table`]. Read by `cargo xtask markers --page`, which writes and checks it.
//!
//! Invariants: the page holds nothing that is not in the table.

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

/// What stands behind an `=`: a kind of values, or the words that are possible.
fn notation(kind: ValueKind) -> String {
    match kind {
        ValueKind::Word(words) => words.join("|"),
        other => other.name().to_owned(),
    }
}

/// The whole page.
pub fn page() -> String {
    let mut page = String::from(
        "<!-- Written by `cargo xtask markers --page`; do not edit. -->\n# Markers\n\nA marker is a doc line that starts with `+` and a letter. `+standard:` or `+experimental:` before any marker but\n`+experimental`, `+tombstone` and those about presence limits it to that channel. Values: bare words, `\"quoted\"`,\n`` `raw` `` (over several lines, if need be), numbers, `true`, `false`, lists `a;b`, `{a,b}` or `[a,b]`, objects `{key: value}`.\n`?` means: may be left out.\n",
    );
    for (title, items, refused) in [
        ("Markers", false, false),
        ("The same for the items of a list", true, false),
        ("Markers of Go that are refused", false, true),
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
                page.push_str(&format!("| `+{}` | {} |\n", entry.name, cell(entry.spec.rust)));
            } else {
                page.push_str(&format!(
                    "| `+{}{}`{} | {} | {} | {} |\n",
                    entry.name,
                    cell(&arguments(entry.spec)),
                    if entry.spec.repeatable { ", repeatable" } else { "" },
                    entry.spec.targets.names().join(", "),
                    cell(entry.spec.effect),
                    cell(entry.spec.rust),
                ));
            }
        }
    }
    page
}
