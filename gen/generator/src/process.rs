//! A command line in the process: its arguments, environment, streams and exit code.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use crd_generate::Catalogue;

use crate::activity::Activity;
use crate::command::CommandLine;
use crate::global_options;
use crate::program::Program;
use crate::session::Session;
use crate::subcommand_package::{SubcommandPackage, run_xtask};

/// Runs the command line of the process, or the package that has the subcommand.
pub fn run(command_line: CommandLine, catalogue: Option<&Catalogue>, packages: &[SubcommandPackage]) -> ExitCode {
    let arguments = arguments_of_process();
    if let Some(position) = global_options::subcommand(&arguments) {
        let name = &arguments[position];
        if let Some(package) = packages.iter().find(|package| name == package.name) {
            return package.run(arguments.into_iter().skip(position + 1));
        }
        // `help NAME` is `NAME --help`.
        let name = arguments.get(position + 1).filter(|_| name == "help").unwrap_or(name).clone();
        if command_line.lacks(&name, &arguments) {
            return run_xtask(&name, arguments);
        }
    }
    // Without a current folder, absolute paths still work.
    let folder = std::env::current_dir().unwrap_or_default();
    // Not locked: a language server answers from a thread of its own.
    let out = io::stdout();
    // Colours are removed unless a terminal shows them, or they are asked for.
    let colours = AutoStream::choice(&out);
    let is_plain = colours == ColorChoice::Never;
    let mut out = io::BufWriter::new(AutoStream::new(out, if is_plain { ColorChoice::AlwaysAnsi } else { colours }));
    // Not locked: the thread of the activity prints too.
    let mut err = AutoStream::auto(io::stderr());
    let mut session = Session::new(folder, &mut out, &mut err)
        .packages_in_help(packages)
        .source_date_epoch(std::env::var("SOURCE_DATE_EPOCH").ok())
        .helm(installed("helm"))
        .width(terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)));
    session.is_plain = is_plain;
    session.activity = Activity::of_process();
    if command_line.program == Program::Xtask {
        session = session.package(std::env::var_os("CARGO_MANIFEST_DIR"));
    }
    command_line.run(catalogue, arguments, &mut session).into()
}

/// The first program of this name in the folders of `PATH`.
fn installed(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// The arguments of the process. Their choice of colours applies to everything that the process prints from now on.
fn arguments_of_process() -> Vec<OsString> {
    let arguments = std::env::args_os().skip(1).collect::<Vec<_>>();
    global_options::colours(&arguments, std::env::var_os("CARGO_TERM_COLOR").as_deref()).write_global();
    arguments
}
