//! Generated pages: `--page FILE` writes the reference page of a subcommand, and with `--check` checks that it is up to date.
//!
//! Invariants: the same command writes a page and checks it; with `--check` nothing is written. A file that the command has not written is
//! never replaced.

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
    if old.as_deref().is_some_and(|old| !is_page(command, old)) {
        let call = session.program.call();
        let predicate = format!("is not a page of `{call} {command} --page`, so it is not replaced");
        let error = file::error("page::other-file", target, predicate);
        return Err(error.help("choose another file, or move this one away").into());
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

/// How many lines of a page can name its command.
const FIRST_LINES: usize = 20;

/// Whether the command has written these bytes: a page names its command in its first lines. An empty file has nothing to lose.
fn is_page(command: &str, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let begin = format!("Written by `cargo xtask {command} --page");
    text.trim().is_empty() || text.lines().take(FIRST_LINES).any(|line| line.contains(&begin))
}
