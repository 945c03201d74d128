//! The arguments of `new`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use crd_stamps::BundleVersion;

use crate::arguments::{
    after_help, flag, format_argument, option, positional, profile_argument, untyped_choice_arguments,
};
use crate::exit::Exit;
use crate::program::Program;

pub(super) const GROUP: &str = "group";
pub(super) const KIND: &str = "kind";
pub(super) const NAME: &str = "name";
pub(super) const PATH: &str = "path";
pub(super) const GIT: &str = "git";
const DIR: &str = "dir";
const VERSION: &str = "version";
const FROM_CRDS: &str = "from-crds";
const STANDARD: &str = "standard";
const EXPERIMENTAL: &str = "experimental";
const STANDARD_ONLY: &str = "standard-only";

/// The options of published CRDs.
pub(super) const OF_CRDS: [&str; 5] = ["--from-crds", "--standard", "--experimental", "--skip", "--select"];

/// The repository that new workspaces depend on.
pub(super) const DEFAULT_REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
/// The group of the sample.
pub(super) const DEFAULT_GROUP: &str = "example.com";
/// The bundle version without another.
pub(super) const DEFAULT_VERSION: &str = "v0.1.0";

/// All arguments. Programs that read bundles parse the values of `--skip` and `--select`.
pub fn arguments(command: Command, program: Program) -> Command {
    let input =
        |name: &'static str, help: &'static str| option(name, "PATH", help).value_parser(value_parser!(PathBuf));
    command
        .long_about(
            "Write a workspace that generates CRDs: the crate of the types, the `xtask`, and what `init` writes. Existing files are never \
             replaced: if one exists, nothing is written.\n\n\
             With `--from-crds`, or with `--standard` and `--experimental`, the types are those of published CRDs. The CRDs of two channels \
             become one source with `+experimental` markers. With `--from-crds`, the channels are those of the folders `standard` and \
             `experimental`, or of the stamps if a CRD appears twice. What Rust types and markers do not express is listed with its location and the \
             reason, and the exit code is 1.",
        )
        .arg(positional(DIR, "DIR", "The folder of the workspace").required(true).value_parser(value_parser!(PathBuf)))
        .arg(option(NAME, "NAME", "The name of the packages [default: the name of the folder]"))
        .arg(
            option(GROUP, "GROUP", "The API group, which also begins the stamps [default: example.com, or what begins the stamps of the CRDs, or their group]"),
        )
        .arg(
            option(KIND, "KIND", "The kind of the first resource [default: the name in CamelCase]")
                .conflicts_with_all([FROM_CRDS, STANDARD, EXPERIMENTAL]),
        )
        .disable_version_flag(true)
        .arg(Arg::new("version-of-program").short('V').action(ArgAction::Version).help("Print version"))
        .arg(
            option(VERSION, "VERSION", "The bundle version in progress [default: v0.1.0, or the version that all CRDs are stamped with]")
                .value_parser(|text: &str| text.parse::<BundleVersion>()),
        )
        .args(untyped_choice_arguments())
        .arg(profile_argument(
            "The profile of the policy [default: gep-922, or semver if there is only the channel standard]",
        ))
        .arg(
            flag(STANDARD_ONLY, "Only the channel standard: one set of CRDs")
                .conflicts_with_all([FROM_CRDS, STANDARD, EXPERIMENTAL]),
        )
        .arg(
            option(FROM_CRDS, "PATH", "Published CRDs: folders, files, archives, or `-` for standard input")
                .num_args(1..)
                .value_parser(value_parser!(OsString))
                .conflicts_with_all([STANDARD, EXPERIMENTAL]),
        )
        .arg(input(STANDARD, "The published CRDs of the channel standard").requires(EXPERIMENTAL))
        .arg(input(EXPERIMENTAL, "The published CRDs of the channel experimental").requires(STANDARD))
        .arg(input(PATH, "Depend on a clone of CRD channels in this folder, by relative path, to try it out: CI has only the repository of the workspace"))
        .arg(
            option(GIT, "URL", concat!("The git repository of CRD channels [default: ", env!("CARGO_PKG_REPOSITORY"), "]"))
                .conflicts_with(PATH),
        )
        .arg(format_argument())
        .after_help(after_help(
            program,
            &[Exit::Fine, Exit::Findings, Exit::Unusable],
            &[
                ("new my-api --kind Lamp", "an API with a small resource"),
                ("new my-api --standard-only", "one set of CRDs, with semantic versions"),
                ("new my-api --from-crds config/crd", "the types of published CRDs"),
                ("new my-api --standard a --experimental b", "the CRDs of two channels as one source"),
            ],
        ))
}

pub(super) fn text<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m str> {
    matches.get_one::<String>(name).map(String::as_str)
}

/// The value of an argument that is a path.
pub fn path<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m Path> {
    matches.get_one::<PathBuf>(name).map(PathBuf::as_path)
}

/// The folder of the workspace.
pub(super) fn folder(matches: &ArgMatches) -> PathBuf {
    // clap requires it.
    path(matches, DIR).map(Path::to_path_buf).unwrap_or_default()
}

/// The inputs of `--from-crds`.
pub fn files(matches: &ArgMatches) -> Vec<OsString> {
    matches.get_many::<OsString>(FROM_CRDS).into_iter().flatten().cloned().collect()
}

/// Whether published CRDs are named.
pub(super) fn has_crds(matches: &ArgMatches) -> bool {
    [FROM_CRDS, STANDARD].into_iter().any(|name| matches.contains_id(name))
}

pub(super) fn version(matches: &ArgMatches) -> Option<BundleVersion> {
    matches.get_one(VERSION).copied()
}

pub(super) fn is_standard_only(matches: &ArgMatches) -> bool {
    matches.get_flag(STANDARD_ONLY)
}
