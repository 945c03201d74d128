//! Generated pages: `--page FILE` writes the reference page of a subcommand, and with `--check` checks that it is up to date. Other subcommands
//! write several pages into a folder.
//!
//! Invariants: the same command writes pages and checks them; with `--check` nothing is written. A file that the command has not written is
//! never replaced or removed. All pages change together.

use std::path::{Path, PathBuf};

use clap::{Arg, value_parser};
use crd_diagnostics::layout::for_shell;
use crd_diagnostics::{Diagnostic, fail_on, printed, successes};

use crate::arguments::{FORMAT, flag, option};
use crate::difference::Difference;
use crate::exit::Exit;
use crate::file;
use crate::file::Content;
use crate::folder::listing;
use crate::locked_folder::LockedFolder;
use crate::session::Session;
use crate::transaction::Transaction;

/// The file of the page.
pub const PAGE: &str = "page";
/// Whether nothing is written.
pub const CHECK: &str = "check";

/// Both arguments, for a command with formats.
pub fn arguments() -> [Arg; 2] {
    let [page, check] = page_arguments();
    [page.conflicts_with(FORMAT), check]
}

pub fn page_arguments() -> [Arg; 2] {
    [
        option(PAGE, "FILE", "Write the reference page (Markdown) to this file").value_parser(value_parser!(PathBuf)),
        flag(CHECK, "Write nothing; exit with 3 if the page is out of date").requires(PAGE),
    ]
}

/// Pages that one call of a command writes.
pub struct Pages {
    /// The files, as the user would write their paths, and their texts.
    pub pages: Vec<(PathBuf, String)>,
    /// The folder of the pages, if the command writes all pages in it: it is created, and other pages of the command in it are removed.
    pub folder: Option<PathBuf>,
    /// What each page contains in its first lines.
    pub mark: String,
    /// The command, as in "is not a page of `…`".
    pub command: String,
    /// The call that writes the pages again.
    pub again: String,
}

/// Writes the page, or checks that it is up to date.
pub fn write(
    command: &str,
    path: &Path,
    text: &str,
    check: bool,
    session: &mut Session<'_>,
) -> Result<Exit, Vec<Diagnostic>> {
    let call = session.program.call();
    let pages = Pages {
        pages: vec![(path.to_owned(), text.to_owned())],
        folder: None,
        mark: format!("Written by `cargo xtask {command} --page"),
        command: format!("{call} {command} --page"),
        again: format!("{call} {command} --page {}", for_shell(path)),
    };
    pages.write(check, session)
}

impl Pages {
    /// Writes the pages, or checks that they are up to date.
    pub fn write(&self, check: bool, session: &mut Session<'_>) -> Result<Exit, Vec<Diagnostic>> {
        let folder = self.folder_of_pages(session);
        // No other run may write the pages between the comparison and the renaming.
        let mut locked = match check {
            true => None,
            false if folder.is_dir() || self.folder.is_some() => Some(LockedFolder::lock(&folder, &folder, session)?),
            false => {
                let target = self.pages.first().map(|(path, _)| session.folder.join(path)).unwrap_or_default();
                let error = file::error("file::kind", target, "cannot be written: its folder does not exist");
                return Err(error.help("create the folder, or choose another file").into());
            }
        };
        let (mut lines, mut stale) = (Vec::new(), Vec::new());
        let mut errors = Vec::new();
        let mut transaction = locked.as_mut().map(Transaction::new);
        for (path, text) in &self.pages {
            let (target, text) = (session.folder.join(path), &printed(text));
            match file::existing(&target) {
                Err(error) => errors.push(error),
                Ok(Some(old)) if old == text.as_bytes() => {
                    lines.push(format!("{} is up to date\n", path.display()));
                }
                Ok(Some(old)) if !self.is_page(&old) => {
                    let predicate = format!("is not a page of `{}`, so it is not replaced", self.command);
                    let error = file::error("page::other-file", target, predicate);
                    errors.push(error.help("choose another file, or move this one away"));
                }
                Ok(old) => {
                    if let Some(transaction) = &mut transaction {
                        transaction.write(target, old.map(Content::of), text)?;
                        lines.push(format!("{} is written\n", path.display()));
                        continue;
                    }
                    lines.push(match old {
                        None => format!("{} is missing\n", path.display()),
                        Some(old) => Difference::between(&String::from_utf8_lossy(&old), text).render(path),
                    });
                    stale.push(target);
                }
            }
        }
        for (path, target, old) in self.former_pages(&folder, &mut errors) {
            match &mut transaction {
                None => {
                    lines.push(format!("{} is about nothing\n", path.display()));
                    stale.push(target);
                }
                Some(transaction) => {
                    lines.push(format!("{} is removed\n", path.display()));
                    transaction.remove(target, old);
                }
            }
        }
        fail_on(errors)?;
        transaction.map_or(Ok(()), Transaction::commit)?;
        lines.iter().for_each(|line| session.print(line));
        let Some(first) = stale.first() else { return Ok(Exit::Fine) };
        let message = if stale.len() == 1 { "the page is out of date" } else { "the pages are out of date" };
        let diagnostic = Diagnostic::error("page::stale", message).at_file(first).help(format!("run `{}`", self.again));
        session.diagnostic(&diagnostic);
        Ok(Exit::Stale)
    }

    fn folder_of_pages(&self, session: &Session<'_>) -> PathBuf {
        let first = || session.folder.join(self.pages.first().map(|(path, _)| path.as_path()).unwrap_or(Path::new("")));
        match &self.folder {
            Some(folder) => session.folder.join(folder),
            None => first().parent().unwrap_or(&session.folder).to_path_buf(),
        }
    }

    /// The pages in the folder that the command wrote in an earlier call, and does not write now: as shown, their files and their bytes.
    fn former_pages(&self, folder: &Path, errors: &mut Vec<Diagnostic>) -> Vec<(PathBuf, PathBuf, Content)> {
        let Some(shown) = self.folder.as_ref().filter(|_| folder.is_dir()) else { return Vec::new() };
        let mut former = Vec::new();
        for (name, kind) in successes([listing(folder, folder)], errors).into_iter().flatten() {
            let (path, file) = (shown.join(&name), folder.join(&name));
            let is_page = kind.is_file()
                && path.extension().is_some_and(|extension| extension == "md")
                && self.pages.iter().all(|(page, _)| *page != path);
            if is_page && let Some(old) = file::existing(&file).ok().flatten().filter(|old| self.is_page(old)) {
                former.push((path, file, Content::of(old)));
            }
        }
        former
    }

    /// Whether the command has written these bytes: a page names its command in its first lines. An empty file has nothing to lose.
    fn is_page(&self, bytes: &[u8]) -> bool {
        let text = String::from_utf8_lossy(bytes);
        text.trim().is_empty() || text.lines().take(FIRST_LINES).any(|line| line.contains(&self.mark))
    }
}

/// How many lines of a page can name its command.
const FIRST_LINES: usize = 20;
