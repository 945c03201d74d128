//! The subcommands of an `xtask` in addition to those of `crd-generator`: one file each.

mod bindings;
mod check;
mod completions;
pub mod conversions;
pub mod convert;
mod diff;
mod docs;
mod explain;
mod fit;
mod gate;
mod generate;
mod graduate;
mod history;
mod import;
mod init;
mod lint;
mod lsp;
mod man;
mod new;
mod release;
mod rules;
mod schema;
mod settings;
mod test;
mod tombstones;
mod validate;
mod verify;

#[cfg(feature = "cluster")]
mod guardrails;
#[cfg(feature = "cluster")]
mod inspect;
#[cfg(feature = "cluster")]
mod migrate;
#[cfg(feature = "cluster")]
mod push;
#[cfg(feature = "cluster")]
mod skew;
#[cfg(feature = "cluster")]
mod upgrade;

pub(crate) use crd_generator::command::{Group, Outcome, Run, Subcommand};

/// The subcommands of this crate, in the order of the help.
pub const SUBCOMMANDS: &[Subcommand] = &[
    new::SUBCOMMAND,
    generate::SUBCOMMAND,
    check::SUBCOMMAND,
    tombstones::SUBCOMMAND,
    graduate::SUBCOMMAND,
    release::SUBCOMMAND,
    diff::SUBCOMMAND,
    gate::SUBCOMMAND,
    history::SUBCOMMAND,
    lint::SUBCOMMAND,
    import::SUBCOMMAND,
    fit::SUBCOMMAND,
    docs::SUBCOMMAND,
    bindings::SUBCOMMAND,
    validate::SUBCOMMAND,
    lsp::SUBCOMMAND,
    test::SUBCOMMAND,
    convert::SUBCOMMAND,
    conversions::SUBCOMMAND,
    verify::SUBCOMMAND,
    init::SUBCOMMAND,
    settings::SUBCOMMAND,
    rules::SUBCOMMAND,
    schema::SUBCOMMAND,
    explain::SUBCOMMAND,
    completions::SUBCOMMAND,
    man::SUBCOMMAND,
];

/// The subcommands that talk to clusters or describe their clients, and `push`.
#[cfg(feature = "cluster")]
pub(crate) const OF_CLUSTERS: &[Subcommand] = &[
    upgrade::SUBCOMMAND,
    inspect::SUBCOMMAND,
    skew::SUBCOMMAND,
    migrate::SUBCOMMAND,
    guardrails::SUBCOMMAND,
    push::SUBCOMMAND,
];
