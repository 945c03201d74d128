//! `convert`: objects of any age in the form of a bundle.

use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::{ArgAction, ArgMatches, Command, value_parser};
use crd_convert::BundleVersion;
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_generator::settings::Project;
use crd_suite::objects::conversion::{Lenses, Target};

use super::conversions::{CONVERSIONS, conversions_argument};
use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{
    CrdArguments, Format, after_help, channel_argument, choice_arguments, flag, format, formats_argument, option,
    positional, root_argument, value, values,
};
use crate::conversion::{Conversion, PUBLISHED, chosen, convert, in_place, resources};
use crate::input::STANDARD_INPUT;
use crate::validation::{Against, crds};
use crd_suite::objects::validation::crds::ReadCrds;

/// `convert`.
pub const SUBCOMMAND: Subcommand = Subcommand {
    name: "convert",
    about: "Convert objects of any age to the form of a bundle",
    group: Group::Objects,
    arguments,
    run: Run::WithDefaults(run),
};

const OBJECTS: &str = "objects";
const TO: &str = "to";
const TO_API_VERSION: &str = "to-api-version";
const BUNDLE: &str = "bundle";
const CRDS: &str = "crds";
const CHECK: &str = "check";
const IN_PLACE: &str = "in-place";

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
        .arg(formats_argument("How the result is printed", &[(Format::Text, "for reading"), (Format::Json, "for programs, with the converted objects")]))
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
    run_request(catalogue, &Request::from(matches), session)
}

/// What is converted, to which form, and where it goes.
pub struct Request {
    objects: Vec<OsString>,
    to: Option<BundleVersion>,
    to_api_version: Option<String>,
    conversions: Option<OsString>,
    crds: CrdArguments,
    is_check: bool,
    is_in_place: bool,
    is_json: bool,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            objects: values(matches, OBJECTS),
            to: value(matches, TO),
            to_api_version: value(matches, TO_API_VERSION),
            conversions: value(matches, CONVERSIONS),
            crds: matches.into(),
            is_check: matches.get_flag(CHECK),
            is_in_place: matches.get_flag(IN_PLACE),
            is_json: format(matches) == Format::Json,
        }
    }
}

impl Request {
    /// The CRDs, if an option needs them.
    fn crds(&self, catalogue: Option<&Catalogue>, session: &Session<'_>) -> Result<ReadCrds, Vec<Diagnostic>> {
        let Self { crds: arguments, to_api_version, .. } = self;
        let needs_crds = arguments.channel.is_some() || to_api_version.is_some();
        if !needs_crds && arguments.bundle.is_none() && arguments.files.is_empty() {
            return Ok(ReadCrds::default());
        }
        let against = Against::named(arguments, catalogue, session)?;
        crds(&against, arguments.channel, &arguments.choice, session)?.all_readable()
    }
}

fn run_request(catalogue: Option<&Catalogue>, request: &Request, session: &mut Session<'_>) -> Outcome {
    let Request { objects, to, to_api_version, conversions, crds: arguments, .. } = request;
    let (is_check, is_in_place, is_json) = (request.is_check, request.is_in_place, request.is_json);
    let root = arguments.root.as_deref();
    if is_in_place && objects.iter().any(|path| path == STANDARD_INPUT) {
        let error = Diagnostic::error("usage::standard-input", "standard input cannot be changed in place");
        return Err(error.help("leave out `--in-place`, or name files").into());
    }
    let project = Project::read(catalogue, root, session)?;
    let catalogue = project.catalogue.as_ref();
    let (document, name) = chosen(catalogue, conversions.as_ref(), root, session)?;
    let lenses = Lenses::of(&document, catalogue.map_or(&[][..], Catalogue::lens_functions), &name)?;
    let read = request.crds(catalogue, session)?;
    let crds = read.crds.iter().filter(|known| known.left_out.is_none()).map(|known| &known.crd);
    let crds = crds.map(|crd| ((crd.group.to_string(), crd.names.kind.to_string()), crd)).collect::<BTreeMap<_, _>>();
    let resources = match *to {
        Some(bundle) => resources(bundle, arguments.channel, root, session)?,
        None => None,
    };
    let target = Target {
        lenses: &lenses,
        bundle: *to,
        resources,
        api_version: to_api_version.as_deref(),
        keeps_objects: is_json,
        channel: arguments.channel,
        crds,
    };
    // Locked before the files are read, so that two runs cannot lose the changes of each other.
    let locked = if is_in_place { in_place::lock(objects, session)? } else { None };
    let conversion = convert(objects, &target, session);
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
