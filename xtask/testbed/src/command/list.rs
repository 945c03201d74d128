//! `list`: prints the running testbeds.

use std::fs;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::Value;

use super::{Subcommand, UNUSABLE, examples, format_argument, is_json, write};
use crate::failure::Failure;
use crate::folders::Folders;
use crate::lock::Lock;
use crate::ready::Ready;
use crate::supervisor::{STATE_FILE, lock_path};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "list", arguments, run, failure: UNUSABLE };

fn arguments(command: Command) -> Command {
    command
        .about("List running testbeds")
        .arg(format_argument())
        .after_help(examples(&[("list", "list testbeds of `up` and of running tests")]))
}

fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let running = running(&Folders::of_checkout())?;
    let line = |ready: &Ready| {
        let Ready { name, minor, address, kubeconfig, .. } = ready;
        format!("{name}: Kubernetes {minor} at {address}, KUBECONFIG={}\n", kubeconfig.display())
    };
    let text = match &*running {
        _ if is_json(matches) => format!("{}\n", Value::Array(running.iter().map(Ready::to_json).collect())),
        [] => "no testbed is running\n".to_owned(),
        running => running.iter().map(line).collect(),
    };
    write(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The testbeds with a running supervisor, sorted by name.
pub(super) fn running(folders: &Folders) -> Result<Vec<Ready>, Failure> {
    let mut running = Vec::new();
    for entry in fs::read_dir(folders.running()).into_iter().flatten().flatten() {
        let Ok(text) = fs::read_to_string(entry.path().join(STATE_FILE)) else { continue };
        let Some(ready) = serde_json::from_str(&text).ok().and_then(|value| Ready::from_json(&value)) else { continue };
        let lock = lock_path(folders, &ready.name);
        // Listing must not create lock files.
        if lock.exists() && Lock::try_take(&lock)?.is_none() {
            running.push(ready);
        }
    }
    running.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(running)
}
