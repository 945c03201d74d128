//! The subcommands of an `xtask` in addition to those of `crd-generator`: one file each.

mod bindings;
mod check;
mod completions;
pub mod conversions;
pub mod convert;
mod diff;
mod docs;
pub mod explain;
mod gate;
mod generate;
mod graduate;
mod history;
mod import;
mod init;
mod lint;
mod man;
mod new;
mod release;
mod rules;
mod settings;
mod test;
mod tombstones;
mod validate;
mod verify;

pub(crate) use crd_generator::command::{Outcome, Run, Subcommand, generated_page};

/// The subcommands of this crate.
pub const SUBCOMMANDS: &[Subcommand] = &[
    bindings::SUBCOMMAND,
    check::SUBCOMMAND,
    completions::SUBCOMMAND,
    conversions::SUBCOMMAND,
    convert::SUBCOMMAND,
    diff::SUBCOMMAND,
    docs::SUBCOMMAND,
    explain::SUBCOMMAND,
    gate::SUBCOMMAND,
    generate::SUBCOMMAND,
    graduate::SUBCOMMAND,
    history::SUBCOMMAND,
    import::SUBCOMMAND,
    init::SUBCOMMAND,
    lint::SUBCOMMAND,
    man::SUBCOMMAND,
    new::SUBCOMMAND,
    release::SUBCOMMAND,
    rules::SUBCOMMAND,
    settings::SUBCOMMAND,
    test::SUBCOMMAND,
    tombstones::SUBCOMMAND,
    validate::SUBCOMMAND,
    verify::SUBCOMMAND,
];
