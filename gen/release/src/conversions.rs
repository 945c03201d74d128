//! The page of conversions, written by `cargo xtask conversions --page`: each lens in words and in an example, and names without a conversion.
//!
//! Invariants: all content comes from the document; examples are converted by their lenses. The same document gives the same page.

use std::collections::BTreeMap;

use crd_convert::{Code, Document, Lens, Removed};
use crd_model::document::send_value;
use crd_model::yaml::{Start, YamlWriter};
use serde_json::Value;

use crate::notes::markdown::{cell, code, sentence};

const INTRODUCTION: &str = "\
<!-- Written by `cargo xtask conversions --page`; do not edit. -->
# Conversions

How objects of older bundles become current, for each kind in the order of the bundles. `convert` applies all of these lenses, and controllers do the same in memory:
`conversions.json` of a bundle contains them as data. Names are those of the time of a lens.

Each example is a small object before and after one lens. It contains only what the lens is about. *Lost* is what forward conversion does not carry. *Kept* is what one
form cannot express: it is in an annotation, and returns with conversion in the other direction. If its item or place changed, it stays there, and the report names it.
";

/// The whole page. Steps with functions that are not given have no example.
#[must_use]
pub fn page(document: &Document, codes: &[Code]) -> String {
    let mut page = INTRODUCTION.to_owned();
    let mut kinds: BTreeMap<(&str, &str), Vec<&Lens>> = BTreeMap::new();
    // The kind after the last lens is the current one.
    for lens in &document.lenses {
        let of_resource = document.lenses.iter().filter(|other| other.resource == lens.resource);
        let kind = of_resource.max_by_key(|other| other.since).map_or(&*lens.kind, |last| &last.kind);
        kinds.entry((kind, &lens.resource)).or_default().push(lens);
    }
    for ((kind, resource), mut lenses) in kinds {
        page.push_str(&format!("\n## {}\n\nThe CRD is {}.\n", sentence(kind), code(resource)));
        lenses.sort_by_key(|lens| lens.since);
        for lens in lenses {
            entry(document, lens, codes, &mut page);
        }
    }
    if !document.removed.is_empty() {
        page.push_str("\n## Without a conversion\n\nThese names were removed, and no lens converts them.\n\n");
        page.push_str("| kind | name | removed in | why |\n|---|---|---|---|\n");
        for removed in &document.removed {
            let Removed { kind, since, reason, .. } = removed;
            let reason = sentence(reason);
            page.push_str(&format!("| {} | {} | {since} | {reason} |\n", cell(kind), cell(&removed.name())));
        }
    }
    page
}

/// A lens with its example.
fn entry(document: &Document, lens: &Lens, codes: &[Code], page: &mut String) {
    let sentences = |words: Vec<String>| words.iter().map(|words| sentence(words)).collect::<Vec<_>>().join("; ");
    page.push_str(&format!("\n**{}**: {}.", lens.since, sentences(lens.words())));
    for (title, words) in [("Lost", lens.loses()), ("Kept", lens.keeps())] {
        if !words.is_empty() {
            page.push_str(&format!(" *{title}*: {}.", sentences(words)));
        }
    }
    page.push('\n');
    let Some(example) = document.example(lens, codes) else {
        page.push_str("\nThere is no example.\n");
        return;
    };
    let returns = example.back == example.old;
    let new = if returns { "# the new form; backward conversion gives the old form again" } else { "# the new form" };
    for (title, object) in [("# the old form", &example.old), (new, &example.new)] {
        page.push_str(&format!("\n```yaml\n{title}\n{}```\n", yaml(object)));
    }
    if !returns {
        page.push_str(&format!("\n```yaml\n# after backward conversion\n{}```\n", yaml(&example.back)));
    }
}

/// An object as YAML.
#[must_use]
pub fn yaml(object: &Value) -> String {
    let mut writer = YamlWriter::new(Start::None);
    send_value(object, &mut writer);
    writer.finish()
}
