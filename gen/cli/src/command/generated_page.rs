//! Generated pages: `--page FILE` writes the reference page of a subcommand, and with `--check` checks that it is up to date.
//!
//! Invariants: the same command writes a page and checks it; with `--check` nothing is written.

use std::path::{Path, PathBuf};

use clap::{Arg, value_parser};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::for_shell;

use crate::arguments::{FORMAT, flag};
use crate::difference::Difference;
use crate::exit::Exit;
use crate::file;
use crate::locked_folder::LockedFolder;
use crate::session::Session;
use crate::transaction::Transaction;

pub(super) const PAGE: &str = "page";
pub(super) const CHECK: &str = "check";

/// Both arguments.
pub(super) fn arguments() -> [Arg; 2] {
    [
        Arg::new(PAGE)
            .long(PAGE)
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .conflicts_with(FORMAT)
            .help("Write the reference page (Markdown) to this file"),
        flag(CHECK, "Write nothing; exit with 3 if the page is out of date").requires(PAGE),
    ]
}

/// Writes the page, or checks that it is up to date.
pub(super) fn write(
    command: &str,
    path: &Path,
    text: &str,
    check: bool,
    session: &mut Session<'_>,
) -> Result<Exit, Vec<Diagnostic>> {
    let target = session.folder.join(path);
    let folder = target.parent().unwrap_or(&session.folder).to_path_buf();
    // No other run may write the page between the comparison and the renaming.
    let _locked = match check {
        true => None,
        false if folder.is_dir() => Some(LockedFolder::lock(&folder, &folder, session)?),
        false => {
            let error = file::error("file::kind", target, "cannot be written: its folder does not exist");
            return Err(error.help("create the folder, or choose another file").into());
        }
    };
    let old = file::existing(&target)?;
    if old.as_deref() == Some(text.as_bytes()) {
        session.print(format_args!("{} is up to date\n", path.display()));
        return Ok(Exit::Fine);
    }
    if check {
        match old {
            None => session.print(format_args!("{} is missing\n", path.display())),
            Some(old) => session.print(Difference::between(&String::from_utf8_lossy(&old), text).render(path)),
        }
        let help = format!("run `{} {command} --page {}`", session.program.call(), for_shell(path));
        session.diagnostic(&Diagnostic::error("page::stale", "the page is out of date").at_file(target).help(help));
        return Ok(Exit::Stale);
    }
    let mut transaction = Transaction::default();
    transaction.write(target, text)?;
    transaction.commit()?;
    session.print(format_args!("{} is written\n", path.display()));
    Ok(Exit::Fine)
}
