//! Arguments of bundles and of the policy. The arguments of every subcommand are those of `crd-generator`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use crd_apiserver::objects::MINORS;
use crd_bundle::published::choice::{Choice, Selection};
use crd_generate::Catalogue;
use crd_generator::program::Program;
use crd_model::channel::Channel;
use crd_model::profile::Profile;
use crd_review::profile::ChosenProfile;

pub(crate) use crd_generator::arguments::*;

/// The CRDs of a bundle.
pub(crate) const BUNDLE: &str = "bundle";
/// The CRDs of files.
pub(crate) const CRDS: &str = "crds";

/// The options that name the CRDs of objects.
pub(crate) fn crd_arguments() -> [Arg; 2] {
    [
        option(BUNDLE, "BUNDLE", "The CRDs of a bundle: a version in `bundles/`, a folder, a file, or an archive")
            .value_parser(value_parser!(OsString))
            .conflicts_with(CRDS),
        option(CRDS, "CRDS", "A file, folder or `git:REF:PATH` with CRDs; may be repeated")
            .value_parser(value_parser!(OsString))
            .action(ArgAction::Append),
    ]
}

/// The CRDs of objects, as the user names them.
pub(crate) struct CrdArguments {
    pub(crate) bundle: Option<OsString>,
    pub(crate) files: Vec<OsString>,
    /// The root that the user named.
    pub(crate) root: Option<PathBuf>,
    pub(crate) channel: Option<Channel>,
    /// What is left out of files and of the bundle.
    pub(crate) choice: Choice,
}

impl From<&ArgMatches> for CrdArguments {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            bundle: value(matches, BUNDLE),
            files: values(matches, CRDS),
            root: named_root(matches),
            channel: channel(matches),
            choice: bundle_choice(matches),
        }
    }
}

/// The CRDs of objects without these options, for long help.
pub(crate) fn crds_in_words(program: Program) -> &'static str {
    match program {
        Program::Xtask => "The CRDs are those of the types, unless `--bundle` or `--crds` names other CRDs.",
        Program::CrdChannels => {
            "The CRDs are those of the types, or of `crds` in `crd-channels.yaml`, unless `--bundle` or `--crds` names other CRDs."
        }
    }
}

/// The options that leave out files and CRDs of bundles.
pub(crate) fn choice_arguments() -> [Arg; 2] {
    untyped_choice_arguments().map(with_choice)
}

/// One of these options with its values.
pub(crate) fn with_choice(argument: Arg) -> Arg {
    if argument.get_id() == SELECT { argument.value_parser(|text: &str| text.parse::<Selection>()) } else { argument }
}

/// What the options leave out.
pub(crate) fn bundle_choice(matches: &ArgMatches) -> Choice {
    Choice::new(values::<String>(matches, SKIP), values::<Selection>(matches, SELECT))
}

/// The profile that the user names, or else that of the settings.
pub(crate) fn profile_of(catalogue: &Catalogue, requested: Option<Profile>) -> ChosenProfile {
    ChosenProfile::of_settings(requested, catalogue.policy_profile())
}

/// The tags of a repository that are releases.
pub(crate) const TAGS: &str = "tags";

pub(crate) fn tags_argument(help: &'static str) -> Arg {
    option(TAGS, "PATTERN", help)
}

pub(crate) const KUBERNETES: &str = "kubernetes";
/// How many minors are supported: the newest ones.
const SUPPORTED: u32 = 5;

pub(crate) fn kubernetes_argument() -> Arg {
    let help = "A minor such as 1.36, a range such as 1.34..1.37, or a list with commas [default: 1.33..1.37]";
    option(KUBERNETES, "MINORS", help).value_parser(parsed_minors)
}

/// The minors that the user names, or the supported ones; lowest first.
pub(crate) fn minors(matches: &ArgMatches) -> Vec<u32> {
    let named = matches.get_one::<Vec<u32>>(KUBERNETES).cloned();
    named.unwrap_or_else(|| (MINORS.1 + 1 - SUPPORTED..=MINORS.1).collect())
}

/// Reads the value of `--kubernetes`.
fn parsed_minors(text: &str) -> Result<Vec<u32>, String> {
    let minor = |text: &str| {
        let number = text.strip_prefix("1.").and_then(|minor| minor.parse::<u32>().ok());
        number
            .filter(|minor| (MINORS.0..=MINORS.1).contains(minor))
            .ok_or_else(|| format!("`{text}` is not one of the minors 1.{} to 1.{}", MINORS.0, MINORS.1))
    };
    let mut minors = Vec::new();
    for part in text.split(',') {
        match part.split_once("..") {
            Some((first, last)) => {
                let range = minor(first)?..=minor(last)?;
                if range.is_empty() {
                    return Err(format!("the range `{part}` is empty: write the lower minor first"));
                }
                minors.extend(range);
            }
            None => minors.push(minor(part)?),
        }
    }
    minors.sort_unstable();
    minors.dedup();
    Ok(minors)
}
