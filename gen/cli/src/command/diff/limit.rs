//! The options of `diff` that permit a bump instead of the versions, so that it can be a gate for bundles without versions.
//!
//! Invariants: the words are those of [`RequiredBump`]. What no release permits exceeds every limit.

use clap::Arg;
use clap::builder::PossibleValuesParser;
use crd_compat::RequiredBump;
use crd_generate::settings;
use crd_review::report::{Gate, GateReason};

use crate::arguments::option;

const FAIL_ON: &str = "fail-on";
const EXPECT: &str = "expect";

/// The options that permit a bump instead of the versions. Their words are those of the policy; what no release permits always fails.
pub(super) fn limit_arguments() -> [Arg; 2] {
    let words = |lowest: RequiredBump| {
        let bumps = RequiredBump::ALL.into_iter().filter(move |bump| *bump >= lowest && !bump.blocks());
        PossibleValuesParser::new(bumps.map(RequiredBump::word))
    };
    [
        option(
            FAIL_ON,
            "BUMP",
            "Exit with 1 only if the changes require at least this bump, whatever the versions are",
        )
        .value_parser(words(RequiredBump::Patch))
        .conflicts_with(EXPECT),
        option(
            EXPECT,
            "BUMP",
            "Exit with 1 only if the changes require more than this bump, whatever the versions are",
        )
        .value_parser(words(RequiredBump::None)),
    ]
}

/// The option of the user, and its bump.
#[derive(Clone, Copy)]
pub(super) struct Limit(&'static str, RequiredBump);

impl Limit {
    /// The limit that one of the options with these words is.
    pub(super) fn named(word: impl Fn(&str) -> Option<String>) -> Option<Self> {
        [EXPECT, FAIL_ON].into_iter().find_map(|option| Some(Self(option, RequiredBump::named(&word(option)?)?)))
    }
}

/// The gate of the user, or else of the settings.
pub(super) fn gate(limit: Option<Limit>, of_settings: Option<settings::Gate>) -> Option<Gate> {
    let of_settings = || {
        let (option, bump) = match of_settings? {
            settings::Gate::Expect(bump) => (EXPECT, bump.word()),
            settings::Gate::FailOn(bump) => (FAIL_ON, bump.word()),
        };
        Some((option, RequiredBump::named(bump)?, GateReason::Settings))
    };
    let (option, bump, reason) =
        limit.map(|Limit(option, bump)| (option, bump, GateReason::Requested)).or_else(of_settings)?;
    let below = || RequiredBump::ALL.into_iter().rev().find(|known| *known < bump);
    let permitted = if option == EXPECT { bump } else { below().unwrap_or(RequiredBump::None) };
    Some(Gate { name: format!("--{option} {bump}"), permitted, reason })
}
