//! `convert`: objects of any age in the form of a bundle.

use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::{ArgAction, ArgMatches, Command, value_parser};
use crd_convert::BundleVersion;
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;

use super::conversions::{CONVERSIONS, conversions_argument};
use super::{Outcome, Run, Subcommand};
use crate::arguments::{
    after_help, bundle_choice, channel, channel_argument, choice, choice_arguments, explicit_root, flag, option,
    positional, root_argument,
};
use crate::conversion::{Conversion, Lenses, PUBLISHED, Resources, Target, chosen, convert, in_place};
use crate::exit::Exit;
use crate::input::STANDARD_INPUT;
use crate::program::Program;
use crate::session::Session;
use crate::settings::Project;
use crate::validation::{Against, ReadCrds, crds};

/// `convert`.
pub const SUBCOMMAND: Subcommand = Subcommand { name: "convert", arguments, run: Run::WithDefaults(run) };

const OBJECTS: &str = "objects";
const TO: &str = "to";
const TO_API_VERSION: &str = "to-api-version";
const BUNDLE: &str = "bundle";
const CRDS: &str = "crds";
const CHECK: &str = "check";
const IN_PLACE: &str = "in-place";
const FORMAT: &str = "format";

fn arguments(command: Command, program: Program) -> Command {
    let paths = |name: &'static str, value: &'static str, help: &'static str| {
        positional(name, value, help).value_parser(value_parser!(OsString))
    };
    command
        .long_about(format!(
            "Convert objects to the newest form, or to the form of an older bundle, by the lenses in `{PUBLISHED}`.\n\n\
             The converted texts go to standard output, or into the files with `--in-place`. Documents keep their order, and text outside \
             converted objects stays as it is; comments inside them are lost. An object that cannot be converted stays as it is.\n\n\
             What an older form cannot express is kept in an annotation, and returns when the object is converted again. An object stays as it is \
             if the bundle of `--to` does not have its resource. Exits with 1 if an object cannot be converted, and with 2 if a file or a part of \
             it cannot be read; the other objects are still converted. A file that another program changes in the meantime is not overwritten."
        ))
        .arg(paths(OBJECTS, "FILES", "Files or folders with objects, or `-` for standard input").action(ArgAction::Append).required(true))
        .arg(
            option(TO, "BUNDLE", "The bundle whose form the objects get, such as v1.4.0 [default: the newest]")
                .value_parser(BundleVersion::parse_release),
        )
        .arg(option(TO_API_VERSION, "VERSION", "The API version to write, such as v1, which the CRD must serve"))
        .args(choice_arguments())
        .arg(channel_argument("Convert only objects that this channel can express"))
        .arg(conversions_argument())
        .arg(paths(BUNDLE, "BUNDLE", "The bundle with the CRDs for `--channel` and `--to-api-version`").long(BUNDLE).conflicts_with(CRDS))
        .arg(paths(CRDS, "CRDS", "A file or folder with these CRDs; may be repeated").long(CRDS).action(ArgAction::Append))
        .arg(flag(CHECK, "Change nothing, and exit with 3 if an object would be converted").conflicts_with(IN_PLACE))
        .arg(flag(IN_PLACE, "Write the converted objects into their files, all or none"))
        .arg(choice(FORMAT, "FORMAT", "text", "How the result is printed", [("text", "for reading"), ("json", "for programs, with the converted objects")]))
        .arg(root_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable, Exit::Stale], &[
            ("convert deploy --in-place", "all objects of a folder"),
            ("convert old.yaml --to v1.4.0 > back.yaml", "for a rollback"),
            ("convert deploy --check", "in CI: is everything in the newest form?"),
            ("convert - --to-api-version v1 < objects.yaml", "another version of the same API"),
        ]))
}

/// Converts the objects of the inputs.
///
/// # Errors
/// An input, the lenses or the CRDs cannot be read.
pub fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let paths = |name: &str| matches.get_many::<OsString>(name).into_iter().flatten().cloned().collect::<Vec<_>>();
    let objects = paths(OBJECTS);
    let is_json = matches.get_one::<String>(FORMAT).is_some_and(|format| format == "json");
    let (is_check, is_in_place) = (matches.get_flag(CHECK), matches.get_flag(IN_PLACE));
    if is_in_place && objects.iter().any(|path| path == STANDARD_INPUT) {
        let error = Diagnostic::error("usage::standard-input", "standard input cannot be changed in place");
        return Err(error.help("leave out `--in-place`, or name files").into());
    }
    let project = Project::read(catalogue, explicit_root(matches), session)?;
    let lenses = lenses(project.catalogue.as_ref(), matches, session)?;
    let read = crds_of(project.catalogue.as_ref(), matches, paths(CRDS), session)?;
    let crds = read.crds.iter().filter(|known| known.left_out.is_none()).map(|known| &known.crd);
    let crds = crds.map(|crd| ((crd.group.to_string(), crd.names.kind.to_string()), crd)).collect::<BTreeMap<_, _>>();
    let bundle = matches.get_one::<BundleVersion>(TO).copied();
    let resources = match bundle {
        Some(bundle) => Resources::read(bundle, channel(matches), explicit_root(matches), session)?,
        None => None,
    };
    let target = Target {
        lenses: &lenses,
        bundle,
        resources,
        api_version: matches.get_one::<String>(TO_API_VERSION).map(String::as_str),
        keeps_objects: is_json,
        channel: channel(matches),
        crds,
    };
    // Locked before the files are read, so that two runs cannot lose the changes of each other.
    let locked = if is_in_place { in_place::lock(&objects, session)? } else { None };
    let conversion = convert(&objects, &target, session);
    if let Some(locked) = locked {
        in_place::write(&conversion, locked)?;
    }
    let diagnostics = conversion.diagnostics().cloned().collect::<Vec<_>>();
    if is_json {
        session.print(crd_diagnostics::json::line(&conversion.document(session)));
    } else {
        session.diagnostics(&diagnostics);
        // Inputs that cannot be read are reported; there is nothing to count.
        let summary = conversion.objects().next().map(|_| conversion.summary());
        if is_check || is_in_place {
            for line in conversion.lines().into_iter().chain(summary) {
                session.print(format_args!("{line}\n"));
            }
        } else {
            print_texts(&conversion, session);
            session.notes(&conversion.lines());
            summary.into_iter().for_each(|summary| session.note(summary));
        }
    }
    Ok(match diagnostics.is_empty() {
        false if conversion.has_unread() => Exit::Unusable,
        false => Exit::Findings,
        true if is_check && conversion.converted() > 0 => Exit::Stale,
        true => Exit::Fine,
    })
}

/// The lenses that the user names, those of the types, or those of the workspace.
fn lenses(
    catalogue: Option<&Catalogue>,
    matches: &ArgMatches,
    session: &Session<'_>,
) -> Result<Lenses, Vec<Diagnostic>> {
    let functions = catalogue.map_or(&[][..], Catalogue::lens_functions);
    let (document, name) = chosen(catalogue, matches.get_one(CONVERSIONS), explicit_root(matches), session)?;
    Lenses::of(&document, functions, &name)
}

/// The CRDs, if an option needs them.
fn crds_of(
    catalogue: Option<&Catalogue>,
    matches: &ArgMatches,
    files: Vec<OsString>,
    session: &Session<'_>,
) -> Result<ReadCrds, Vec<Diagnostic>> {
    let bundle = matches.get_one::<OsString>(BUNDLE);
    let needs_crds = channel(matches).is_some() || matches.contains_id(TO_API_VERSION);
    if bundle.is_none() && files.is_empty() && !needs_crds {
        return Ok(ReadCrds::default());
    }
    let against = Against::named(bundle, explicit_root(matches), files, catalogue, session)?;
    crds(&against, channel(matches), &bundle_choice(matches), session)?.all_readable()
}

/// The texts of all files, as documents of one stream.
fn print_texts(conversion: &Conversion, session: &mut Session<'_>) {
    for (index, file) in conversion.files.iter().enumerate() {
        let text = file.new.as_ref().unwrap_or(&file.old);
        if index > 0 && !text.starts_with("---") {
            session.print("---\n");
        }
        session.print_unchanged(text);
        if index + 1 < conversion.files.len() && !text.ends_with('\n') {
            session.print("\n");
        }
    }
}
