//! `up`: a testbed that stays until `down`.
//!
//! Read by people who want to look around, and by scripts (`--format json`).

use std::path::Path;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::progress::ProgressLine;
use super::{
    PORT, PROGRAM, Subcommand, UNUSABLE, examples, format_argument, is_json, kubernetes, kubernetes_argument, name,
    name_argument, port_argument, this_program, write,
};
use crate::failure::Failure;
use crate::folders::Folders;
use crate::keeper::{Ready, Request};
use crate::programs::{cached_helm, programs};
use crate::testbed::{minor_named, start_detached};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "up", arguments, run, failure: UNUSABLE };

fn arguments(command: Command) -> Command {
    command
        .about("Starts a testbed that stays, and prints where its kubeconfig is")
        .arg(kubernetes_argument())
        .arg(port_argument())
        .arg(name_argument())
        .arg(format_argument())
        .after_help(examples(&[
            ("up", "then: the exports that it prints"),
            ("up --kubernetes 1.32 --name old", "a second one beside it"),
            ("up --port 6443", "on a port that you know"),
        ]))
}

fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let folders = Folders::of_checkout();
    let minor = minor_named(kubernetes(matches))?;
    let name = name(matches);
    let port = matches.get_one::<u16>(PORT).copied();
    if let Some(ready) = super::list::running(&folders)?.into_iter().find(|ready| ready.name == name) {
        let same = ready.minor == minor.name && port.is_none_or(|port| ready.address.ends_with(&format!(":{port}")));
        if !same {
            return Err(Failure::Other(format!(
                "a testbed with the name {name:?} runs already: Kubernetes {} at {}\n  \
                 stop it with `{} down --name {name}`, or choose another name with --name",
                ready.minor, ready.address, PROGRAM
            )));
        }
        if !is_json(matches) {
            eprintln!("it runs already");
        }
        print(&ready, &folders, matches)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut progress = ProgressLine::on_stderr();
    programs(minor, &folders, &mut |step| progress.show(&step))?;
    drop(progress);
    let request = Request { minor, name: name.to_owned(), port, detached: true };
    print(&start_detached(&this_program()?, &request)?, &folders, matches)?;
    Ok(ExitCode::SUCCESS)
}

fn print(ready: &Ready, folders: &Folders, matches: &ArgMatches) -> Result<(), Failure> {
    if is_json(matches) {
        return write(&format!("{}\n", ready.to_json()));
    }
    let mut text = format!("Kubernetes {} at {}\n", ready.minor, ready.address);
    for (name, path) in ready.environment() {
        text.push_str(&format!("export {name}={}\n", for_shell(&path)));
    }
    let helm = cached_helm(folders)?;
    let programs = [Some(&ready.kubectl), helm.as_ref()].into_iter().flatten();
    let path = programs.filter_map(|program| program.parent()).map(|folder| format!("{}:", for_shell(folder)));
    text.push_str(&format!("export PATH={}$PATH\n", path.collect::<String>()));
    if helm.is_none() {
        text.push_str(&format!("helm: not built; `{PROGRAM} build helm` builds it\n"));
    }
    text.push_str(&format!("logs: {}\n", ready.folder.display()));
    write(&text)
}

/// A path as a shell reads it: as it is, unless something in it would mean more than itself.
fn for_shell(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-+,:@%".contains(character);
    match text.chars().all(plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}
