//! The file of waivers: `bundles/waivers.yaml`.

use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_model::channel::{CHANNELS, Channel};
use crd_names::nearest;

use super::Waiver;
use crate::record::{Key, Records};
use crate::required_bump::RequiredBump;
use crate::state::all_rules;

const KEYS: &[Key] = &[
    Key { name: "rule", required: true },
    Key { name: "crd", required: true },
    Key { name: "path", required: false },
    Key { name: "channel", required: false },
    Key { name: "bundle", required: true },
    Key { name: "to", required: true },
    Key { name: "reason", required: true },
];

/// What a waiver can lower a finding to.
const LOWER: [RequiredBump; 4] = [RequiredBump::None, RequiredBump::Patch, RequiredBump::Minor, RequiredBump::Major];

impl Waiver {
    /// Reads the text of a file: its waivers and all errors, each with its line. `is_version` is true for a bundle version. `more_rules` are rules
    /// of other crates.
    pub fn read_all(
        text: &str,
        file: &Path,
        is_version: &dyn Fn(&str) -> bool,
        more_rules: &[&str],
    ) -> (Vec<Waiver>, Vec<Diagnostic>) {
        let mut records = Records::read(text, "waivers", KEYS);
        let mut waivers: Vec<Waiver> = Vec::new();
        let rules = all_rules().map(|rule| rule.id).chain(more_rules.iter().copied()).collect::<Vec<_>>();
        for index in 0..records.records.len() {
            let waiver = waiver(&mut records, index, is_version, &rules);
            let same = |known: &Waiver| {
                (&known.rule, &known.crd, &known.path, known.channel, &known.bundle)
                    == (&waiver.rule, &waiver.crd, &waiver.path, waiver.channel, &waiver.bundle)
            };
            if let Some(known) = waivers.iter().find(|known| same(known)) {
                records.error_at(index, "rule", format!("the same waiver is at line {}", known.line));
            }
            waivers.push(waiver);
        }
        // A waiver with an error has no effect.
        let sound = waivers.into_iter().enumerate().filter(|(index, _)| records.is_sound(*index));
        (sound.map(|(_, waiver)| waiver).collect(), records.finish("waiver-malformed", file))
    }
}

/// The waiver of an entry. Errors are added to the records.
fn waiver(records: &mut Records<'_>, index: usize, is_version: &dyn Fn(&str) -> bool, rules: &[&str]) -> Waiver {
    let rule = records.text(index, "rule");
    if !rule.is_empty() && !rules.contains(&&*rule) {
        let meant = match nearest(&rule, rules.iter().copied()) {
            Some(meant) => format!("; did you mean `{meant}`?"),
            None => ": `cargo xtask rules` lists all".to_owned(),
        };
        records.error_at(index, "rule", format!("unknown rule `{rule}`{meant}"));
    }
    let channel = records.text(index, "channel");
    if !channel.is_empty() && Channel::named(&channel).is_none() {
        let known = CHANNELS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
        records.error_at(index, "channel", format!("unknown channel `{channel}`: the channels are {known}"));
    }
    let bundle = records.text(index, "bundle");
    if !bundle.is_empty() && !is_version(&bundle) {
        records.error_at(index, "bundle", format!("`{bundle}` is not a bundle version: write one such as v1.4.1"));
    }
    let word = records.text(index, "to");
    let to = RequiredBump::named(&word).filter(|required_bump| LOWER.contains(required_bump));
    if to.is_none() && !word.is_empty() {
        let known = LOWER.map(RequiredBump::word).join(", ");
        records.error_at(index, "to", format!("a finding cannot be lowered to `{word}`: the values are {known}"));
    }
    if records.is_blank(index, "reason") {
        records.error_at(index, "reason", "the reason is empty: write why the finding is accepted".to_owned());
    }
    Waiver {
        rule,
        crd: records.text(index, "crd"),
        path: records.text(index, "path"),
        channel: Channel::named(&channel),
        bundle,
        to: to.unwrap_or(RequiredBump::Major),
        reason: records.text(index, "reason"),
        line: records.records[index].line,
    }
}
