//! The options of every subcommand: `--color` and `--quiet`.
//!
//! Invariants: they may come before the subcommand and after it. The choice of colours is made before the command line is parsed, so that
//! the messages of the parser have it too: `--color`, else CARGO_TERM_COLOR, else NO_COLOR, CLICOLOR, CLICOLOR_FORCE and TERM.

use std::ffi::{OsStr, OsString};

use anstream::ColorChoice;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches};

use crate::arguments::flag;

const COLOR: &str = "color";
const QUIET: &str = "quiet";

const CHOICES: [(&str, ColorChoice); 3] =
    [("auto", ColorChoice::Auto), ("always", ColorChoice::Always), ("never", ColorChoice::Never)];

pub(crate) fn arguments() -> [Arg; 2] {
    [
        Arg::new(COLOR)
            .long(COLOR)
            .value_name("WHEN")
            .value_parser(PossibleValuesParser::new(CHOICES.map(|(word, _)| word)))
            .global(true)
            .help("When to use colours [default: CARGO_TERM_COLOR, else auto]"),
        flag(QUIET, "Print results and errors only, without notes and progress").short('q').global(true),
    ]
}

/// Whether only results and errors are printed.
pub(crate) fn is_quiet(matches: &ArgMatches) -> bool {
    matches.get_flag(QUIET)
}

/// The choice of colours for these arguments and this value of CARGO_TERM_COLOR.
pub(crate) fn colours(arguments: &[OsString], environment: Option<&OsStr>) -> ColorChoice {
    let mut arguments = arguments.iter().take_while(|argument| *argument != "--").map(|argument| argument.to_str());
    let mut asked = None;
    while let Some(argument) = arguments.next() {
        match argument.and_then(|argument| argument.strip_prefix("--color")) {
            Some("") => asked = arguments.next().flatten(),
            Some(value) => asked = value.strip_prefix('=').or(asked),
            None => {}
        }
    }
    let choice = |word: &str| CHOICES.iter().find(|(known, _)| *known == word).map(|(_, choice)| *choice);
    // The parser rejects an unknown word.
    asked.and_then(choice).or_else(|| choice(environment?.to_str()?)).unwrap_or(ColorChoice::Auto)
}

/// The position of the subcommand: of the first argument that is neither a global option nor its value.
pub(crate) fn subcommand(arguments: &[OsString]) -> Option<usize> {
    let mut is_value = false;
    arguments.iter().position(|argument| {
        let is_word = !is_value && !argument.as_encoded_bytes().starts_with(b"-");
        is_value = *argument == "--color";
        is_word
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_option_comes_before_the_environment() {
        for (line, environment, expected) in [
            ("generate", None, ColorChoice::Auto),
            ("generate", Some("always"), ColorChoice::Always),
            ("generate", Some("rainbow"), ColorChoice::Auto),
            ("--color never generate", Some("always"), ColorChoice::Never),
            ("generate --color=always", Some("never"), ColorChoice::Always),
            ("generate --color auto", Some("never"), ColorChoice::Auto),
            ("generate --color", Some("never"), ColorChoice::Never),
            ("generate --colors always", None, ColorChoice::Auto),
            ("testbed -- --color always", None, ColorChoice::Auto),
        ] {
            assert_eq!(colours(&words(line), environment.map(OsStr::new)), expected, "{line} {environment:?}");
        }
    }

    #[test]
    fn the_subcommand_may_follow_global_options() {
        for (line, expected) in [
            ("", None),
            ("check", Some(0)),
            ("--color never check", Some(2)),
            ("-q --color=never check --color always", Some(2)),
            ("--color", None),
            ("--help", None),
        ] {
            assert_eq!(subcommand(&words(line)), expected, "{line}");
        }
    }
}
