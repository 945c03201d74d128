//! The plan and the result for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crd_diagnostics::entries::Entries;
use crd_diagnostics::layout::count;
use crd_diagnostics::printable;
use crd_diagnostics::style::NAME;
use crd_upgrade::migrate::{Counts, Forms, Migrated, Migration, Plan, Row, Served, Way};

/// What each lens does not carry, in words.
pub(crate) type Losses = BTreeMap<String, Vec<String>>;

/// What would happen, and why some CRDs cannot be migrated.
pub(crate) fn plan(migration: &Migration<'_>, losses: &Losses, width: usize) -> String {
    let mut text = String::new();
    let pending = migration.rows.iter().filter(|row| row.is_pending()).count();
    let server = &migration.server;
    let version = server.version.as_ref().map(|version| format!(" (Kubernetes {version})")).unwrap_or_default();
    let title =
        format!("{}{version}: {} of {} to migrate", server.address, pending, count(migration.rows.len(), "CRD"));
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{NAME}{}{NAME:#}", printable(&title));
    for row in migration.rows.iter().filter(|row| row.is_pending()) {
        let _ = writeln!(text, "\n{NAME}{}{NAME:#}", printable(&row.name));
        for step in steps(row, migration, losses) {
            let _ = writeln!(text, "  {}", printable(&step));
        }
    }
    if !migration.left.is_empty() {
        let left = migration.left.join(", ");
        let _ = writeln!(text, "\nnot in the target, and left as they are: {}", printable(&left));
    }
    text + &findings(migration, width)
}

/// The steps for a CRD.
pub(crate) fn steps(row: &Row<'_>, migration: &Migration<'_>, losses: &Losses) -> Vec<String> {
    let Some(plan) = row.plan.as_ref().filter(|_| row.is_pending()) else { return Vec::new() };
    let objects = match row.objects {
        Some(number) => number_of(number, "object"),
        None => "an unknown number of objects".to_owned(),
    };
    let part = migration.settings.shard.map(|shard| format!("part {shard} of ")).unwrap_or_default();
    let leaving = plan.leaving();
    let verb = if leaving.len() == 1 { "leaves" } else { "leave" };
    let leave = (!leaving.is_empty()).then(|| format!("{} {verb} `status.storedVersions`", leaving.join(", ")));
    let storage = plan.storage().unwrap_or_default();
    let who = if migration.options.is_by_server { "have the server write" } else { "write" };
    let write = format!("{who} {part}{objects} without a change, so that they are stored as {storage}");
    let install = "install the CRD of the target".to_owned();
    match plan {
        Plan::Storage(_) => [write].into_iter().chain(leave).collect(),
        Plan::Bundle(bundle) => match bundle.way() {
            Way::Nothing => Vec::new(),
            Way::Create => vec!["create the CRD".to_owned()],
            Way::Storage if leave.is_none() => vec![install],
            Way::Storage => vec![write, format!("{install}; {}", leave.unwrap_or_default())],
            Way::Forms => {
                let begin = match bundle.is_begun() {
                    true => "complete what an earlier run has begun",
                    false => "install a transitional CRD, in which objects of all forms can be read and written",
                };
                let convert =
                    format!("convert {part}{objects} where they have an old form, and store them as {storage}");
                let begin = [begin.to_owned(), convert].into_iter().chain(forms(&row.forms, losses));
                begin.chain(leave).chain([install]).collect()
            }
        },
        Plan::Replacement(replacement) => {
            let create =
                format!("create successors of {objects} in {}, and mark the old objects", replacement.successor());
            let delete = migration
                .options
                .deletes
                .then(|| "delete the old objects that are equal to their successors".to_owned());
            [create].into_iter().chain(forms(&row.forms, losses)).chain(delete).collect()
        }
        Plan::Rollback(_) => vec![
            "convert the objects back".to_owned(),
            "install the CRD that was installed before the migration".to_owned(),
        ],
    }
}

/// What the conversion would do to the objects that the server shows.
fn forms(forms: &Forms, losses: &Losses) -> Vec<String> {
    let Forms { lenses, kept: in_annotation, not_returned, dropped: lost } = forms;
    let lens = |(name, number): (&String, &u64)| {
        let losses = losses.get(name).map(|losses| format!("; not carried: {}", losses.join(", ")));
        format!("  the lens `{name}` converts {}{}", number_of(*number, "object"), losses.unwrap_or_default())
    };
    let kept = |(path, number): (&String, &u64)| {
        format!("  `{path}` of {} stays in an annotation only", number_of(*number, "object"))
    };
    let stays = |(path, number): (&String, &u64)| {
        format!("  `{path}` of {} does not return from the annotation", number_of(*number, "object"))
    };
    let dropped =
        |(path, number): (&String, &u64)| format!("  `{path}` of {} is dropped", number_of(*number, "object"));
    let kept = in_annotation.iter().map(kept).chain(not_returned.iter().map(stays));
    lenses.iter().map(lens).chain(kept).chain(lost.iter().map(dropped)).collect()
}

/// What became of the plan.
pub(crate) fn result(migration: &Migration<'_>, width: usize) -> String {
    let mut text = String::new();
    for row in &migration.rows {
        if let Some(migrated) = &row.migrated {
            let outcome = outcome(migrated, row, migration.settings.is_dry_run);
            let _ = writeln!(text, "{NAME}{}{NAME:#}: {}", printable(&row.name), printable(&outcome));
        }
    }
    text + &findings(migration, width)
}

fn findings(migration: &Migration<'_>, width: usize) -> String {
    let mut text = String::new();
    for row in migration.rows.iter().filter(|row| !row.findings.is_empty()) {
        let mut entries = Entries::new(&row.name, width);
        entries.by_code(&row.findings);
        text.push('\n');
        text.push_str(&entries.finish());
    }
    text
}

/// What became of a CRD, in words.
fn outcome(migrated: &Migrated, row: &Row<'_>, is_dry_run: bool) -> String {
    let mut parts = in_words(&migrated.counts, is_dry_run);
    let leaving = row.plan.iter().flat_map(Plan::leaving).collect::<Vec<_>>().join(", ");
    let then = match migrated {
        Migrated { waits_for_shards: true, .. } => "the other parts follow".to_owned(),
        _ if migrated.counts.deleting > 0 => {
            let them = if migrated.counts.deleting == 1 { "it is" } else { "they are" };
            format!("not complete until {them} deleted: migrate again then")
        }
        Migrated { is_pruned: true, .. } if leaving.is_empty() && is_dry_run => "the server would accept it".to_owned(),
        Migrated { is_pruned: true, .. } if leaving.is_empty() => "complete".to_owned(),
        Migrated { is_pruned: true, .. } if is_dry_run => format!("the server would let {leaving} leave"),
        Migrated { is_pruned: true, .. } => format!("complete: {leaving} left `status.storedVersions`"),
        _ if is_dry_run && migrated.counts.is_complete() => "the server would accept the transitional CRD".to_owned(),
        _ => "not complete".to_owned(),
    };
    parts.push(then);
    parts.join(", ")
}

/// The counts that are not 0.
fn in_words(counts: &Counts, is_dry_run: bool) -> Vec<String> {
    let written = if is_dry_run { "would be written" } else { "written" };
    let refused = u64::try_from(counts.refused.len()).unwrap_or(u64::MAX);
    let parts = [
        (counts.written, written),
        (counts.unchanged, "stored so already"),
        (counts.overtaken, "written by another client meanwhile"),
        (counts.gone, "deleted meanwhile"),
        (counts.deleting, "being deleted"),
        (counts.of_other_shards, "of other parts"),
        (refused, "refused"),
    ];
    let parts = parts.into_iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!("{number} {word}"));
    let parts = parts.collect::<Vec<_>>();
    if parts.is_empty() { vec!["no objects".to_owned()] } else { parts }
}

fn number_of(number: u64, word: &str) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), word)
}

/// What became of a version that is served or not from now on.
pub(crate) fn served(served: Served, is_served: bool, is_dry_run: bool) -> &'static str {
    match (served, is_served) {
        (Served::Changed, true) if is_dry_run => "would be served",
        (Served::Changed, false) if is_dry_run => "would not be served",
        (Served::Changed, true) => "is served again",
        (Served::Changed, false) => "is not served any more",
        (Served::Unchanged, true) => "was served already",
        (Served::Unchanged, false) => "was not served",
    }
}
