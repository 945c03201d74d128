//! Arguments of bundles and of the policy. The arguments of every subcommand are those of `crd-generator`.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches};
use crd_bundle::published::choice::{Choice, SELECT, SKIP, Selection};
use crd_compat::policy::{PROFILES, Profile};
use crd_generate::Catalogue;
use crd_review::profile::ChosenProfile;

pub(crate) use crd_generator::arguments::*;

/// The options that leave out files and CRDs of bundles.
pub(crate) fn choice_arguments() -> [Arg; 2] {
    [
        option(SKIP, "FILE", "Leave out a file with CRDs, by its name or the end of its path; `*` matches any characters; may be repeated")
            .action(ArgAction::Append),
        option(SELECT, "BY", "Choose between CRDs of one name: `annotation=KEY:VALUE` or `file=NAME`; `*` matches any characters; may be repeated")
            .value_parser(|text: &str| text.parse::<Selection>())
            .action(ArgAction::Append),
    ]
}

/// What the options leave out.
pub(crate) fn bundle_choice(matches: &ArgMatches) -> Choice {
    let skips = matches.get_many::<String>(SKIP).into_iter().flatten().cloned();
    Choice::new(skips, matches.get_many::<Selection>(SELECT).into_iter().flatten().cloned())
}

/// The profile of the policy.
const PROFILE: &str = "profile";

pub(crate) fn profile_argument(help: &'static str) -> Arg {
    option(PROFILE, "PROFILE", help).value_parser(PossibleValuesParser::new(
        PROFILES.map(|(_, name, purpose)| PossibleValue::new(name).help(purpose)),
    ))
}

/// The profile that the user names, or else that of the settings.
pub(crate) fn profile_of(catalogue: &Catalogue, matches: &ArgMatches) -> ChosenProfile {
    ChosenProfile::of_settings(requested_profile(matches), catalogue.policy_profile())
}

/// The profile that the user names.
pub(crate) fn requested_profile(matches: &ArgMatches) -> Option<Profile> {
    matches.get_one::<String>(PROFILE).and_then(|name| Profile::named(name))
}
