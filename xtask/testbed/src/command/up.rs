//! `up`: starts a testbed that remains until `down`.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::{
    CONTROLLERS, PORT, PROGRAM, Subcommand, UNUSABLE, controllers_argument, examples, format_argument, is_json,
    kubernetes, kubernetes_argument, name, name_argument, port_argument, this_program, write,
};
use crate::failure::Failure;
use crate::folders::Folders;
use crate::programs::{build_for_testbed, cached_helm};
use crate::progress::ProgressLine;
use crate::ready::Ready;
use crate::supervisor::Request;
use crate::testbed::start_detached;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "up", arguments, run, failure: UNUSABLE };

fn arguments(command: Command) -> Command {
    command
        .about("Start a testbed that remains until `down`, and print its kubeconfig")
        .arg(kubernetes_argument())
        .arg(port_argument())
        .arg(controllers_argument())
        .arg(name_argument())
        .arg(format_argument())
        .after_help(examples(&[
            ("up", "then run the exports that it prints"),
            ("up --kubernetes 1.32 --name old", "start a second testbed"),
            ("up --port 6443", "use this port"),
            ("up --controllers", "delete namespaces and collect garbage too"),
        ]))
}

fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let folders = Folders::of_checkout();
    let minor = kubernetes(matches)?;
    let name = name(matches);
    let port = matches.get_one::<u16>(PORT).copied();
    let controllers = matches.get_flag(CONTROLLERS);
    if let Some(ready) = super::list::running(&folders)?.into_iter().find(|ready| ready.name == name) {
        let same = ready.minor == minor.name
            && ready.controllers == controllers
            && port.is_none_or(|port| ready.address.ends_with(&format!(":{port}")));
        if !same {
            return Err(Failure::Other(format!(
                "testbed {name:?} is already running: Kubernetes {} at {}{}\n  \
                 stop it with `{} down --name {name}`, or choose another name with --name",
                ready.minor,
                ready.address,
                if ready.controllers { " with controllers" } else { "" },
                PROGRAM
            )));
        }
        if !is_json(matches) {
            let _ = writeln!(std::io::stderr(), "testbed {name:?} is already running");
        }
        print(&ready, &folders, matches)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut progress = ProgressLine::on_stderr();
    build_for_testbed(minor, controllers, &folders, &mut |step| progress.show(&step))?;
    drop(progress);
    let request = Request { minor, name: name.to_owned(), port, controllers, detached: true };
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
        text.push_str(&format!("helm: not built; build it with `{PROGRAM} build helm`\n"));
    }
    text.push_str(&format!("logs: {}\n", ready.folder.display()));
    write(&text)
}

/// A path for a shell: quoted if it contains characters that a shell interprets.
fn for_shell(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-+,:@%".contains(character);
    match text.chars().all(plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}
