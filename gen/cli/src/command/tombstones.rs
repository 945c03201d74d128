//! `tombstones`: lists or extends the ledger of names that were removed and must never return.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Command};
use crd_bundle::BundleVersion;
use crd_compat::tombstone::{Element, Kind, Tombstone};
use crd_diagnostics::layout::{count, hanging};
use crd_diagnostics::style::NAME;
use crd_diagnostics::{Diagnostic, json};
use crd_generate::Catalogue;
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::root;
use crd_generator::session::Session;
use crd_generator::settings::types_of;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{Format, after_help, flag, format, format_argument, named_root, option, root_argument, value};
use crate::ledger;
use crate::new_tombstones::{TombstoneDocument, Tombstones, add};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "tombstones",
    about: "List or extend the ledger of removed names",
    group: Group::Types,
    arguments,
    run: Run::WithDefaults(run),
};

fn arguments(command: Command, program: Program) -> Command {
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
            option("kind", "KIND", "The kind of the name")
                .value_parser(PossibleValuesParser::new(Kind::NAMES.map(Kind::word)))
                .requires_all(["crd", "removed", "reason"]),
        )
        .arg(
            option("crd", "CRD", "The CRD that had the name, such as httproutes.gateway.networking.k8s.io")
                .requires("kind"),
        )
        .arg(option("path", "PATH", "The schema path: the object of a field, or the field of a value").requires("kind"))
        // A value may be `-1`.
        .arg(option("name", "NAME", "The name in JSON").requires("kind").allow_hyphen_values(true))
        .arg(
            option("removed", "VERSION", "The first bundle without the name")
                .value_parser(|text: &str| text.parse::<BundleVersion>())
                .requires("kind"),
        )
        .arg(option("reason", "TEXT", "Why the name must not return").requires("kind").allow_hyphen_values(true))
        .arg(option("replacement", "NAME", "The name that replaces it").requires("kind").allow_hyphen_values(true))
        .arg(
            flag("migrated", "For an API version: no object is stored in it any more").requires("kind"),
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
             Values that were stored under a removed name reappear when the name returns. So every field, value, API version and resource \
             that a bundle had and the types no longer have needs an entry; `check` lists the missing ones. Entries are never changed or \
             removed.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(list)
        .subcommand(add)
        .after_help(after_help(program, &[Exit::Fine, Exit::Unusable], &[("tombstones list", "every name"), ("tombstones add", "after a name was removed")]))
}

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    // clap requires one of both.
    let Some((name, matches)) = matches.subcommand() else { return Ok(Exit::Unusable) };
    let is_list = name == "list";
    let request = Request::of(is_list, matches);
    let result = tombstones(catalogue, &request, session);
    if request.format == Format::Json {
        let exit = if result.is_ok() { Exit::Fine } else { Exit::Unusable };
        session.print(json::line(&TombstoneDocument::new(&result, session)));
        return Ok(exit);
    }
    let Tombstones { entries, notes } = result?;
    for tombstone in &entries {
        session.print(line(tombstone, session.width));
    }
    session.print(match (is_list, entries.len()) {
        (true, 0) => "there are no tombstones\n".to_owned(),
        (true, number) => format!("{}\n", count(number, "tombstone")),
        (false, 0) => "the ledger contains all tombstones that the types declare\n".to_owned(),
        (false, number) => format!("{} added\n", count(number, "tombstone")),
    });
    for note in notes {
        session.note(note);
    }
    Ok(Exit::Fine)
}

/// Whether tombstones are listed or added, and which.
struct Request {
    is_list: bool,
    /// The tombstone that the arguments describe, if they describe one.
    described: Option<Tombstone>,
    root: Option<PathBuf>,
    format: Format,
}

impl Request {
    fn of(is_list: bool, matches: &ArgMatches) -> Self {
        let described = if is_list { None } else { described(matches) };
        Self { is_list, described, root: named_root(matches), format: format(matches) }
    }
}

fn tombstones(
    catalogue: Option<&Catalogue>,
    request: &Request,
    session: &mut Session<'_>,
) -> Result<Tombstones, Vec<Diagnostic>> {
    let explicit_root = request.root.as_deref();
    let root = root::locate(explicit_root, session)?;
    match request.is_list {
        true => Ok(Tombstones { entries: ledger::read(&root)?.entries().to_vec(), notes: Vec::new() }),
        false => {
            let catalogue = types_of(catalogue, explicit_root, session)?;
            add(request.described.clone(), &catalogue, &root, session)
        }
    }
}

fn line(tombstone: &Tombstone, width: usize) -> String {
    let Tombstone { name, removed, reason, replacement, migrated } = tombstone;
    let name = name.to_string();
    let mut text = format!("{name}: removed in {removed}: {reason}");
    if let Some(replacement) = replacement {
        text.push_str(&format!("; replaced by {replacement}"));
    }
    if *migrated {
        text.push_str("; no object is stored in it");
    }
    hanging(&text, 0, 2, width).replacen(&name, &format!("{NAME}{name}{NAME:#}"), 1)
}

/// The tombstone that the arguments describe, if they describe one.
fn described(matches: &ArgMatches) -> Option<Tombstone> {
    let text = |name: &str| value::<String>(matches, name);
    let part = |name: &str| text(name).unwrap_or_default();
    let word = text("kind")?;
    let kind = Kind::NAMES.into_iter().find(|kind| kind.word() == word)?;
    Some(Tombstone {
        name: Element::written(&part("crd"), kind, &part("path"), &part("name")),
        removed: matches.get_one::<BundleVersion>("removed").map(ToString::to_string).unwrap_or_default(),
        reason: part("reason"),
        replacement: text("replacement"),
        migrated: matches.get_flag("migrated"),
    })
}
