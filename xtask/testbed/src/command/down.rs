//! `down`: ends what `up` started.
//!
//! Invariants: only a keeper that holds the lock of its name is sent a signal, so the id in its file is still its own.

use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, Command};
use rustix::process::{Pid, Signal, kill_process};

use super::list::running;
use super::{Subcommand, UNUSABLE, examples, name, name_argument, write};
use crate::failure::Failure;
use crate::folders::Folders;
use crate::held::Held;
use crate::keeper::{Ready, lock_path};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "down", arguments, run, failure: UNUSABLE };

const ALL: &str = "all";

fn arguments(command: Command) -> Command {
    command
        .about("Stops a testbed that `up` started; nothing of it is left")
        .arg(name_argument().conflicts_with(ALL))
        .arg(
            Arg::new(ALL)
                .long(ALL)
                .action(ArgAction::SetTrue)
                .help("Every testbed of this checkout, also those of tests"),
        )
        .after_help(examples(&[("down", "the one without a name"), ("down --all", "all of this checkout")]))
}

fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let folders = Folders::of_checkout();
    let all = matches.get_flag(ALL);
    let chosen = running(&folders)?.into_iter().filter(|ready| all || ready.name == name(matches)).collect::<Vec<_>>();
    if chosen.is_empty() && !all {
        return Err(Failure::Other(format!(
            "no testbed with the name {:?} is running; `{} list` shows those that do",
            name(matches),
            super::PROGRAM
        )));
    }
    for ready in &chosen {
        end(&folders, ready)?;
        write(&format!("stopped {}\n", ready.name))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn end(folders: &Folders, ready: &Ready) -> Result<(), Failure> {
    let lock = lock_path(folders, &ready.name);
    let process = i32::try_from(ready.process).ok().and_then(Pid::from_raw);
    let Some(process) = process else { return Err(Failure::Other(format!("{} has no process id", ready.name))) };
    // First asked, then, if it does not listen, killed: its servers are bound to it.
    for (signal, patience) in [(Signal::TERM, 20), (Signal::KILL, 5)] {
        // It may have ended by itself meanwhile; the lock tells.
        let _ = kill_process(process, signal);
        let deadline = Instant::now() + Duration::from_secs(patience);
        while Instant::now() < deadline {
            if !lock.exists() {
                return Ok(());
            }
            if let Some(held) = Held::try_take(&lock)? {
                let _ = std::fs::remove_dir_all(&ready.folder);
                held.remove();
                return Ok(());
            }
            sleep(Duration::from_millis(20));
        }
    }
    Err(Failure::Other(format!("the keeper of {} (process {}) does not end", ready.name, ready.process)))
}
