//! `validate`: what a server would answer to objects.

use std::ffi::OsString;

use clap::builder::UnknownArgumentValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use crd_apiserver::objects::FieldValidation;
use crd_compat::tombstone::Ledger;
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_suite::objects::validation::{Settings, UnknownKinds, Validation};

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{
    CrdArguments, Format, after_help, channel_argument, chart_arguments, choice_arguments, choice_of, chosen,
    crd_arguments, crds_in_words, flag, format, kubernetes_argument, minors, option, positional, root_argument, value,
    values,
};
use crate::input::STANDARD_INPUT;
use crate::ledger;
use crate::validation::report::{print, validation_format_argument};
use crate::validation::{Against, Inputs, crds, validate};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "validate",
    about: "Report what a server would answer to objects, without a server",
    group: Group::Objects,
    arguments,
    run: Run::WithDefaults(run),
};

const OBJECTS: &str = "objects";
const OLD: &str = "old";
const SUBRESOURCE: &str = "subresource";
const STATUS: &str = "status";
const FIELDS: &str = "fields";
const NAMESPACE: &str = "namespace";
const UNKNOWN_KINDS: &str = "unknown-kinds";
const STORED: &str = "stored";

/// The values of `--fields`.
const FIELD_VALIDATIONS: [(FieldValidation, &str, &str); 3] = [
    (FieldValidation::Strict, "strict", "they are errors, as `kubectl` asks for"),
    (FieldValidation::Warn, "warn", "they are dropped with a warning"),
    (FieldValidation::Ignore, "ignore", "they are dropped"),
];

/// The values of `--unknown-kinds`.
const UNKNOWN_KINDS_VALUES: [(UnknownKinds, &str, &str); 3] = [
    (UnknownKinds::OfKnownGroups, "auto", "errors in API groups of the CRDs; other objects are skipped, with a note"),
    (UnknownKinds::Refused, "error", "all are errors"),
    (UnknownKinds::Skipped, "skip", "all are skipped, with a note"),
];

fn arguments(command: Command, program: Program) -> Command {
    let paths = |name: &'static str, value: &'static str, help: &'static str| {
        positional(name, value, help).value_parser(value_parser!(OsString)).action(ArgAction::Append)
    };
    let against = crds_in_words(program);
    let examples: &[(&str, &str)] = match program {
        Program::Xtask => &[
            ("validate examples", "objects against the types"),
            ("validate examples --channel experimental --kubernetes 1.36", "another channel, and one minor"),
            ("validate new.yaml --old stored.yaml", "an update"),
            ("validate new.yaml --old stored.yaml --subresource status", "what a controller writes"),
            ("validate - --bundle v1.6.0 < objects.yaml", "standard input against a release"),
        ],
        Program::CrdChannels => &[
            ("validate deploy --crds crds", "objects against the CRDs of a folder"),
            ("validate new.yaml --old stored.yaml --crds crds", "an update"),
            ("validate new.yaml --old stored.yaml --subresource status --crds crds", "what a controller writes"),
            ("validate - --bundle v1.6.0 --kubernetes 1.36 < objects.yaml", "standard input against a bundle"),
            ("validate deploy --crds crds --format junit", "a report for CI"),
        ],
    };
    command
        .long_about(format!(
            "Report what a Kubernetes API server would answer to objects, without a server: pruning, defaults, structural schemas, list types, \
             metadata, CEL rules, and for updates transition rules and ratcheting. {against}\n\n\
             In a folder, all YAML and JSON files below it are read, without `kustomization.yaml`. Lists are unpacked. Objects of API groups \
             that no CRD has, such as Deployments, are skipped. A group that is nearly that of a CRD is an error.\n\n\
             With `--old`, an object with a stored one of the same kind, namespace and name is an update; other objects are created. As a client \
             does, an update takes over the resource version and the UID of the stored object. A stored object that no input updates is a \
             warning. A server ignores a status in these requests, and everything else with `--subresource status`: such a change is a \
             warning too.\n\n\
             Admission policies, webhooks, quotas and permissions are not checked. Exits with 1 if a server would refuse an object."
        ))
        .arg(paths(OBJECTS, "FILES", "Files or folders with objects, or `-` for standard input").required(true))
        .args(crd_arguments())
        .args(choice_arguments())
        .args(chart_arguments())
        .arg(channel_argument("The channel of the CRDs [default: standard, or the only one]"))
        .arg(paths(OLD, "OLD", "A file or folder with stored objects, or `-`; may be repeated").long(OLD))
        .arg(
            option(SUBRESOURCE, "NAME", "Validate requests to a subresource, as `kubectl --subresource` sends them")
                .value_parser([STATUS])
                .requires(OLD),
        )
        .arg(
            // The former name of this option.
            Arg::new(STATUS).long(STATUS).num_args(0..=1).default_missing_value("").hide(true)
                .value_parser(UnknownArgumentValueParser::suggest_arg("--subresource status")),
        )
        .arg(kubernetes_argument())
        .arg(choice_of(FIELDS, "CHOICE", "Unknown and duplicate fields", &FIELD_VALIDATIONS))
        .arg(choice_of(UNKNOWN_KINDS, "CHOICE", "Objects without a CRD", &UNKNOWN_KINDS_VALUES))
        .arg(
            option(NAMESPACE, "NAME", "The namespace of namespaced objects without one").default_value("default"),
        )
        .arg(flag(STORED, "Print the objects as the newest minor would store them; findings go to standard error"))
        .arg(root_argument())
        .arg(validation_format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], examples))
}

/// What is validated, against which CRDs.
struct Request {
    inputs: Inputs,
    settings: Settings,
    crds: CrdArguments,
    format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        let settings = Settings {
            minors: minors(matches),
            fields: chosen(matches, FIELDS, &FIELD_VALIDATIONS).unwrap_or(FieldValidation::Strict),
            is_status: value::<String>(matches, SUBRESOURCE).is_some_and(|name| name == STATUS),
            namespace: value(matches, NAMESPACE).unwrap_or_default(),
            unknown_kinds: chosen(matches, UNKNOWN_KINDS, &UNKNOWN_KINDS_VALUES).unwrap_or(UnknownKinds::OfKnownGroups),
            keeps_stored: matches.get_flag(STORED),
            ledger: Ledger::default(),
        };
        Self {
            inputs: Inputs { objects: values(matches, OBJECTS), old: values(matches, OLD) },
            settings,
            crds: matches.into(),
            format: format(matches),
        }
    }
}

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let Request { inputs, mut settings, crds: arguments, format } = Request::from(matches);
    let shows_stored = settings.keeps_stored;
    let against = Against::named(&arguments, catalogue, session);
    let named = inputs.objects.iter().chain(&inputs.old).chain(&arguments.files).chain(&arguments.bundle);
    let crds = match named.filter(|path| *path == STANDARD_INPUT).count() {
        0 | 1 => against.and_then(|against| {
            settings.ledger = ledger::if_any(arguments.root.as_deref(), session)?;
            crds(&against, arguments.channel, &arguments.choice, session)
        }),
        _ => Err(Diagnostic::error("usage::standard-input", "only one input can be standard input").into()),
    };
    let validation = match crds {
        Ok(crds) => validate(&inputs, crds, settings, session),
        Err(errors) => Validation::failed(&settings, errors),
    };
    Ok(print(validation, format, shows_stored, session))
}
