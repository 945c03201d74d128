//! `down`: stops testbeds that `up` started.
//!
//! Invariants: a signal is sent only to a supervisor that owns the lock of its name, so the process id in its file is still correct.

use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, Command};
use rustix::process::{Pid, Signal, kill_process};

use super::list::running;
use super::{Subcommand, UNUSABLE, examples, name, name_argument, write};
use crate::failure::Failure;
use crate::folders::Folders;
use crate::lock::Lock;
use crate::ready::Ready;
use crate::supervisor::lock_path;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "down", arguments, run, failure: UNUSABLE };

const ALL: &str = "all";

fn arguments(command: Command) -> Command {
    command
        .about("Stop a testbed that `up` started, and remove all its files")
        .arg(name_argument().conflicts_with(ALL))
        .arg(
            Arg::new(ALL)
                .long(ALL)
                .action(ArgAction::SetTrue)
                .help("Stop all testbeds of this checkout, also those of tests"),
        )
        .after_help(examples(&[
            ("down", "stop the testbed named `default`"),
            ("down --all", "stop all testbeds of this checkout"),
        ]))
}

fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let folders = Folders::of_checkout();
    let all = matches.get_flag(ALL);
    let chosen = running(&folders)?.into_iter().filter(|ready| all || ready.name == name(matches)).collect::<Vec<_>>();
    if chosen.is_empty() && !all {
        return Err(Failure::Other(format!(
            "testbed {:?} is not running; `{} list` prints running testbeds",
            name(matches),
            super::PROGRAM
        )));
    }
    for ready in &chosen {
        stop(&folders, ready)?;
        write(&format!("stopped {}\n", ready.name))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn stop(folders: &Folders, ready: &Ready) -> Result<(), Failure> {
    let lock_path = lock_path(folders, &ready.name);
    let process = i32::try_from(ready.process).ok().and_then(Pid::from_raw);
    let Some(process) = process else { return Err(Failure::Other(format!("{} has no process id", ready.name))) };
    // SIGTERM first. SIGKILL also ends its servers, which are bound to it.
    for (signal, seconds) in [(Signal::TERM, 20), (Signal::KILL, 5)] {
        // It may have ended in the meantime; the lock shows that.
        let _ = kill_process(process, signal);
        let deadline = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < deadline {
            if !lock_path.exists() {
                return Ok(());
            }
            if let Some(lock) = Lock::try_take(&lock_path)? {
                let _ = std::fs::remove_dir_all(&ready.folder);
                lock.remove();
                return Ok(());
            }
            sleep(Duration::from_millis(20));
        }
    }
    Err(Failure::Other(format!("the supervisor of {} (process {}) does not end", ready.name, ready.process)))
}
