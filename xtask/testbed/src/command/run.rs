//! `run`: runs one command with a new testbed, and removes the testbed.
//!
//! The exit code is the command's own, or 125 if the testbed could not be started, as for container engines.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{self, ExitCode};

use clap::{Arg, ArgMatches, Command, value_parser};

use super::{
    CONTROLLERS, PORT, PROGRAM, Subcommand, controllers_argument, examples, kubernetes, kubernetes_argument,
    port_argument, this_program,
};
use crate::failure::Failure;
use crate::folders::Folders;
use crate::programs::cached_helm;
use crate::testbed::{KUBERNETES_VARIABLE, Options, Testbed};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "run", arguments, run, failure: 125 };

const COMMAND: &str = "command";

fn arguments(command: Command) -> Command {
    command
        .about("Run a command with a new testbed, and remove the testbed afterwards")
        .long_about(
            "Run a command with a new testbed, and remove the testbed afterwards.\n\n\
             The command runs with KUBECONFIG set. KUBECACHEDIR is set too, so that kubectl does not use cached data of an earlier server. The \
             testbed's kubectl is first on the PATH; Helm is on the PATH if it was built. The exit code is that of the command, or 125 if the \
             testbed could not be started or a server ended by itself.",
        )
        .arg(kubernetes_argument())
        .arg(port_argument())
        .arg(controllers_argument())
        .arg(
            Arg::new(COMMAND)
                .value_name("CMD")
                .num_args(1..)
                .required(true)
                .last(true)
                .value_parser(value_parser!(OsString))
                .help("Command and its arguments"),
        )
        .after_help(examples(&[
            ("run -- kubectl apply -f bundles/unreleased/standard", "test whether a bundle installs"),
            ("run --kubernetes 1.32 -- bash", "start a shell with an old server"),
            ("run --controllers -- kubectl delete namespace default", "run controllers too"),
        ]))
}

fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let minor = kubernetes(matches)?.name.to_owned();
    let options = Options {
        program: this_program()?,
        minor: minor.clone(),
        port: matches.get_one(PORT).copied(),
        controllers: matches.get_flag(CONTROLLERS),
    };
    let testbed = Testbed::start(&options)?;
    let mut words = matches.get_many::<OsString>(COMMAND).into_iter().flatten();
    // clap requires at least one word.
    let program = words.next().cloned().unwrap_or_default();
    // Building Helm takes minutes, so it is offered only if it was built.
    let helm = cached_helm(&Folders::of_checkout())?;
    let folders = [Some(testbed.kubectl()), helm.as_deref()].into_iter().flatten().filter_map(Path::parent);
    let mut path = folders.map(|folder| folder.as_os_str().to_owned()).collect::<Vec<_>>();
    path.extend(std::env::var_os("PATH"));
    let mut command = process::Command::new(&program);
    command
        .args(words)
        .envs(testbed.environment())
        .env("PATH", path.join(OsStr::new(":")))
        .env(KUBERNETES_VARIABLE, minor);
    // These variables would direct Helm to another cluster than KUBECONFIG.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("HELM_KUBE")) {
        command.env_remove(name);
    }
    let status = command.status();
    let ended = testbed.stop();
    let status = status.map_err(|error| {
        let hint = match helm {
            None if program == "helm" => format!("; build it with `{PROGRAM} build helm`"),
            _ => String::new(),
        };
        Failure::Other(format!("cannot run {}: {error}{hint}", program.display()))
    })?;
    // Report a server that ended by itself first: it may be why the command failed.
    ended?;
    // A signal has the same exit code as in shells.
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)))
}
