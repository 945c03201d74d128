//! `tombstones`: the ledger of names that were removed and must never return.
//!
//! Invariants: entries are only ever appended.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use crd_bundle::BundleVersion;
use crd_compat::RecordFault;
use crd_compat::tombstone::{KINDS, Kind, Ledger, Tombstone, WireName, names_of};
use crd_generate::{Catalogue, annotated};
use crd_markers::nearest::nearest;
use serde_json::json;

use super::{Outcome, Run, Subcommand};
use crate::arguments::{Format, ROOT, after_help, format, format_argument, root_argument};
use crate::exit::Exit;
use crate::file;
use crate::folder::HeldFolder;
use crate::history::{self, ledger, ledger_path, recorded, understood};
use crate::program::Program;
use crate::root;
use crate::session::Session;
use crate::source::BUNDLES;
use crate::transaction::Transaction;
use crd_diagnostics::Diagnostic;
use crd_diagnostics::json as document;
use crd_diagnostics::layout::count;
use crd_diagnostics::style::NAME;
use crd_review::history::marked;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "tombstones", arguments, run: Run::WithTypes(run) };

fn arguments(command: Command, program: Program) -> Command {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let list =
        Command::new("list").about("List every removed name").arg(root_argument()).arg(format_argument()).after_help(
            after_help(
                program,
                &[Exit::Fine, Exit::Unusable],
                &[("tombstones list", "all of them"), ("tombstones list --format json", "for a program")],
            ),
        );
    let add = Command::new("add")
        .about("Append tombstones: those that the types declare, or the one that the arguments describe")
        .long_about(
            "Append tombstones to the ledger: without arguments those that `+tombstone` markers declare, else the one that the arguments \
             describe. `check` prints the marker or the arguments for each missing one:\n\n\
             \u{20} --kind field --crd things.example.com --path spec --name tls --removed v1.4.0\n\
             \u{20} --reason 'moved to validation' --replacement validation",
        )
        .arg(
            text("kind", "KIND", "The kind of the name")
                .value_parser(PossibleValuesParser::new(KINDS.map(|(_, word)| word)))
                .requires_all(["crd", "removed", "reason"]),
        )
        .arg(text("crd", "CRD", "The CRD that had the name, such as httproutes.gateway.networking.k8s.io").requires("kind"))
        .arg(text("path", "PATH", "The schema path: the object of a field, or the field of a value").requires("kind"))
        // A value may be `-1`.
        .arg(text("name", "NAME", "The name in JSON").requires("kind").allow_hyphen_values(true))
        .arg(
            text("removed", "VERSION", "The first bundle without the name")
                .value_parser(|text: &str| text.parse::<BundleVersion>())
                .requires("kind"),
        )
        .arg(text("reason", "TEXT", "Why the name must not return").requires("kind").allow_hyphen_values(true))
        .arg(text("replacement", "NAME", "The name that replaces it").requires("kind").allow_hyphen_values(true))
        .arg(
            Arg::new("migrated")
                .long("migrated")
                .action(ArgAction::SetTrue)
                .requires("kind")
                .help("For an API version: no object is stored in it any more"),
        )
        .arg(root_argument())
        .arg(format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Unusable], &[
            ("tombstones add", "those that `+tombstone` markers declare"),
            ("tombstones add --format json", "for a program"),
        ]));
    command
        .long_about(
            "The ledger of names that were removed and must never return: `bundles/tombstones.yaml`.\n\n\
             What was stored under a removed name stays, unseen, and reappears when the name returns. So every field, value, API version \
             and resource that a bundle had and the types lack needs an entry; `check` says which. Entries are never changed or removed.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(list)
        .subcommand(add)
        .after_help(after_help(program, &[Exit::Fine, Exit::Unusable], &[("tombstones list", "every name"), ("tombstones add", "after a name was removed")]))
}

/// What came of it.
#[derive(Default)]
struct Listed {
    tombstones: Vec<Tombstone>,
    /// What is worth knowing beside.
    notes: Vec<String>,
}

fn run(catalogue: &Catalogue, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    // clap has made sure that there is one of both.
    let Some((name, matches)) = matches.subcommand() else { return Ok(Exit::Unusable) };
    let result = match name {
        "list" => list(matches, session),
        _ => add(catalogue, matches, session),
    };
    if format(matches) == Format::Json {
        let key = if name == "list" { "tombstones" } else { "added" };
        let exit = if result.is_ok() { Exit::Fine } else { Exit::Unusable };
        let faults = result.as_ref().err().into_iter().flatten().map(|fault| session.json(fault)).collect::<Vec<_>>();
        let Listed { tombstones, notes } = result.unwrap_or_default();
        let text = json!({
            "schemaVersion": document::SCHEMA_VERSION,
            key: tombstones.iter().map(Tombstone::to_value).collect::<Vec<_>>(),
            "notes": notes,
            "errors": faults,
        });
        session.print(document::line(&text));
        return Ok(exit);
    }
    let Listed { tombstones, notes } = result?;
    for tombstone in &tombstones {
        session.print(line(tombstone));
    }
    session.print(match (name, tombstones.len()) {
        ("list", 0) => "there are no tombstones\n".to_owned(),
        ("list", number) => format!("{}\n", count(number, "tombstone")),
        (_, 0) => "the ledger has all that the types declare\n".to_owned(),
        (_, number) => format!("{} added\n", count(number, "tombstone")),
    });
    for note in notes {
        session.note(note);
    }
    Ok(Exit::Fine)
}

fn line(tombstone: &Tombstone) -> String {
    let Tombstone { name, removed, reason, replacement, migrated } = tombstone;
    let mut text = format!("{NAME}{name}{NAME:#}: removed in {removed}: {reason}");
    if let Some(replacement) = replacement {
        text.push_str(&format!("; replaced by {replacement}"));
    }
    if *migrated {
        text.push_str("; nothing is stored in it");
    }
    text.push('\n');
    text
}

fn located(matches: &ArgMatches, session: &Session<'_>) -> Result<PathBuf, Vec<Diagnostic>> {
    root::locate(matches.get_one::<PathBuf>(ROOT).map(PathBuf::as_path), session).map_err(|fault| vec![fault])
}

fn list(matches: &ArgMatches, session: &Session<'_>) -> Result<Listed, Vec<Diagnostic>> {
    let root = located(matches, session)?;
    Ok(Listed { tombstones: ledger(&root)?.entries().to_vec(), notes: Vec::new() })
}

fn add(catalogue: &Catalogue, matches: &ArgMatches, session: &mut Session<'_>) -> Result<Listed, Vec<Diagnostic>> {
    let one = |fault| vec![fault];
    let root = located(matches, session)?;
    let bundles = root.join(BUNDLES);
    // Held from before the ledger is read, so that two additions cannot lose each other.
    let mut held = HeldFolder::hold(&bundles, &root, session).map_err(one)?;
    let mut ledger = ledger(&root)?;
    let mut listed = Listed::default();
    match described(matches) {
        Some(tombstone) => {
            // Read as an entry of a ledger is, so that what none can hold is told before anything is written.
            let mut alone = Ledger::default();
            let _ = alone.add(tombstone.clone());
            let mut wrong = understood(&alone.to_text()).err().unwrap_or_default();
            // That it is empty has been told.
            if !tombstone.says_why() && !tombstone.reason.trim().is_empty() {
                wrong.push(RecordFault { line: 0, message: says_nothing(&tombstone.reason) });
            }
            if !wrong.is_empty() {
                let text = |fault: RecordFault| format!("the arguments do not describe a tombstone: {}", fault.message);
                return Err(wrong
                    .into_iter()
                    .map(|fault| Diagnostic::error("tombstone-malformed", text(fault)))
                    .collect());
            }
            ledger.add(tombstone.clone()).map_err(|known| {
                let predicate = format!("already has a tombstone for the {}", known.0);
                vec![file::problem("tombstone::exists", ledger_path(&root), predicate)]
            })?;
            listed.notes.extend(doubtful(&tombstone.name, catalogue, &root, session)?);
            listed.tombstones.push(tombstone);
        }
        None => {
            let resources = annotated(catalogue)?;
            let mut faults = Vec::new();
            for (tombstone, declared) in marked(&resources) {
                // Those that are there already stay as they are; `check` says where marker and ledger differ.
                if ledger.add(tombstone.clone()).is_err() {
                    continue;
                }
                if !tombstone.says_why() {
                    let message =
                        format!("the tombstone of the {}: {}", tombstone.name, says_nothing(&tombstone.reason));
                    let line = usize::try_from(declared.location.line).ok();
                    faults
                        .push(Diagnostic::error("tombstone-malformed", message).at_line(declared.location.file, line));
                }
                listed.tombstones.push(tombstone);
            }
            if !faults.is_empty() {
                return Err(faults);
            }
        }
    }
    if listed.tombstones.is_empty() {
        return Ok(listed);
    }
    let text = appended(&root, &ledger, &listed.tombstones)?;
    held.make(&bundles).map_err(one)?;
    let mut transaction = Transaction::default();
    transaction.write(ledger_path(&root), &text).map_err(one)?;
    transaction.commit()?;
    Ok(listed)
}

/// The tombstone that the arguments describe, if they describe one.
fn described(matches: &ArgMatches) -> Option<Tombstone> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    Some(Tombstone {
        name: WireName {
            kind: Kind::named(&text("kind")?)?,
            crd: text("crd").unwrap_or_default(),
            path: text("path").unwrap_or_default(),
            name: text("name").unwrap_or_default(),
        },
        removed: matches.get_one::<BundleVersion>("removed").map(ToString::to_string).unwrap_or_default(),
        reason: text("reason").unwrap_or_default(),
        replacement: text("replacement"),
        migrated: matches.get_flag("migrated"),
    })
}

/// Why a reason is refused.
fn says_nothing(reason: &str) -> String {
    format!("the reason `{reason}` says nothing: say why the name must not return")
}

/// Why somebody may not have meant this name.
///
/// # Errors
/// Why it cannot be meant: what is there is not gone, and of a CRD that nobody ever had nothing is gone. The ledger would keep it
/// for ever. Also what keeps that from being known.
fn doubtful(
    name: &WireName,
    catalogue: &Catalogue,
    root: &Path,
    session: &Session<'_>,
) -> Result<Option<String>, Vec<Diagnostic>> {
    let other = |text: String| vec![Diagnostic::error("tombstone::name", text)];
    let version =
        catalogue.next_version().parse().map_err(|error| other(format!("the catalogue's next version: {error}")))?;
    let (_, candidate) = crate::candidate::generated(catalogue, version)?;
    let present = names_of(&candidate);
    if present.iter().any(|known| known.is_same(name)) {
        return Err(other(format!(
            "the types still have the {name}, and a tombstone, which is never removed again, is for what is gone: take it out of the types first"
        )));
    }
    let is_typed = present.iter().any(|known| known.crd == name.crd);
    let history = match history::read(root, &[], None, session) {
        Ok(history) => history,
        // What is wrong there is for `check` to say.
        Err(_) if is_typed => return Ok(None),
        Err(faults) => return Err(faults),
    };
    let had = history.bundles.iter().map(|(_, bundle)| names_of(&bundle.channels)).collect::<Vec<_>>();
    let mut ever = had.iter().flatten().chain(&present);
    if !ever.clone().any(|known| known.crd == name.crd) {
        let crds = ever.filter(|known| known.kind == Kind::Resource).map(|known| &*known.crd).collect::<BTreeSet<_>>();
        let meant = nearest(&name.crd, crds).map_or(String::new(), |crd| format!(". Did you mean {crd}?"));
        return Err(other(format!(
            "no bundle in `{BUNDLES}` and no type ever had the CRD {}: see that it is spelt as on the wire, its plural and group, or `import` a bundle that had it{meant}",
            name.crd
        )));
    }
    Ok((!ever.any(|known| known.is_same(name)))
        .then(|| format!("no bundle in `{BUNDLES}` ever had the {name}: see that it is spelt as on the wire")))
}

/// The text of the ledger with its last entries added: below what is there, where the text allows it, so that comments stay.
fn appended(root: &Path, ledger: &Ledger, added: &[Tombstone]) -> Result<String, Vec<Diagnostic>> {
    let whole = ledger.to_text();
    let path = ledger_path(root);
    let mut text = recorded(&path).map_err(|fault| vec![fault])?.unwrap_or_default();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let mut alone = Ledger::default();
    for tombstone in added {
        let _ = alone.add(tombstone.clone());
    }
    let entries = alone.to_text();
    text.extend(entries.lines().skip_while(|line| !line.starts_with('-')).flat_map(|line| [line, "\n"]));
    for text in [text, whole] {
        if understood(&text).is_ok_and(|read| read == *ledger) {
            return Ok(text);
        }
    }
    Err(vec![
        file::problem("file::read-back", path, "cannot contain these entries")
            .help("this is a bug in this tool; please report it"),
    ])
}
