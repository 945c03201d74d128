//! The arguments of `new`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use crd_model::channel::Channel;
use crd_model::profile::Profile;
use crd_stamps::BundleVersion;

use crate::arguments::{
    Format, after_help, flag, format, format_argument, option, positional, profile_argument, requested_profile,
    untyped_choice_arguments, value, values,
};
use crate::exit::Exit;
use crate::program::Program;

const GROUP: &str = "group";
const KIND: &str = "kind";
const NAME: &str = "name";
const PATH: &str = "path";
const GIT: &str = "git";
const DIR: &str = "dir";
const VERSION: &str = "version";
const FROM_CRDS: &str = "from-crds";
const STANDARD: &str = "standard";
const EXPERIMENTAL: &str = "experimental";
const STANDARD_ONLY: &str = "standard-only";
const OPERATOR: &str = "operator";

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
        .args(of_sample())
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
                ("new my-api --operator", "with an operator, in Rust"),
                ("new my-api --from-crds config/crd", "the types of published CRDs"),
                ("new my-api --standard a --experimental b", "the CRDs of two channels as one source"),
            ],
        ))
}

/// The options of a workspace without published CRDs.
fn of_sample() -> [Arg; 2] {
    [
        flag(STANDARD_ONLY, "Only the channel standard: one set of CRDs"),
        flag(OPERATOR, "Add an operator of the resource with kube-rs, which compiles as it is"),
    ]
    .map(|argument| argument.conflicts_with_all([FROM_CRDS, STANDARD, EXPERIMENTAL]))
}

/// Which workspace is written.
pub(super) struct Request {
    pub(super) folder: PathBuf,
    pub(super) name: Option<String>,
    pub(super) group: Option<String>,
    pub(super) kind: Option<String>,
    /// The address of the repository with the crates.
    pub(super) git: Option<String>,
    /// A clone of it.
    pub(super) path: Option<PathBuf>,
    pub(super) version: Option<BundleVersion>,
    pub(super) profile: Option<Profile>,
    pub(super) is_standard_only: bool,
    pub(super) has_operator: bool,
    /// Whether published CRDs are named.
    pub(super) has_crds: bool,
    pub(super) format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            // clap requires it.
            folder: value(matches, DIR).unwrap_or_default(),
            name: value(matches, NAME),
            group: value(matches, GROUP),
            kind: value(matches, KIND),
            git: value(matches, GIT),
            path: value(matches, PATH),
            version: value(matches, VERSION),
            profile: requested_profile(matches),
            is_standard_only: matches.get_flag(STANDARD_ONLY),
            has_operator: matches.get_flag(OPERATOR),
            has_crds: [FROM_CRDS, STANDARD].into_iter().any(|name| matches.contains_id(name)),
            format: format(matches),
        }
    }
}

/// The files of published CRDs that the user names, also of one channel each.
pub struct CrdFiles {
    pub any: Vec<OsString>,
    /// Of the channel standard.
    pub standard: Option<PathBuf>,
    /// Of the channel experimental.
    pub experimental: Option<PathBuf>,
}

impl From<&ArgMatches> for CrdFiles {
    fn from(matches: &ArgMatches) -> Self {
        let [standard, experimental] = Channel::ALL.map(|channel| value(matches, channel.name()));
        Self { any: values(matches, FROM_CRDS), standard, experimental }
    }
}
