//! The command line of a webhook's program: `serve`, `certs`, `rules` and `explain`.
//!
//! Invariants: arguments are parsed and results printed here, nothing else. Exit codes: 0 fine, 1 the command failed, 2 wrong usage. Results go to standard
//! output, logs and errors to standard error.

use std::ffi::OsString;
use std::io::Write as _;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use crd_diagnostics::page::pages;
use crd_diagnostics::{Diagnostic, text};
use crd_model::channel::Channel;
use serde_json::json;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::clients::ClientAuthority;
use crate::codes;
use crate::reviewer::SOURCES;
use crate::serve::{ClusterSource, Settings, serve};
use crate::server::Limits;
use crate::webhook::Webhook;

mod certs;

/// The width of pages.
const WIDTH: usize = 100;

/// The help of `--format`.
const RESULTS: &str = "How results are printed";

/// The exit code of a command that fails.
const FAILED: u8 = 1;
/// The exit code of wrong usage.
const USAGE: u8 = 2;

/// Runs the program of a webhook: `main` returns the result. `name` is the name of the program, which is also the first of the arguments
/// ([`std::env::args_os`]); `build` makes the webhook.
pub fn run(
    name: &'static str,
    arguments: impl IntoIterator<Item = OsString>,
    build: impl FnOnce() -> Result<Webhook, Vec<Diagnostic>>,
) -> ExitCode {
    let matches = match command_line(name).try_get_matches_from(arguments) {
        Ok(matches) => matches,
        // For clap, help and version are errors.
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    let webhook = match build() {
        Ok(webhook) => webhook,
        Err(errors) => return fail(&errors),
    };
    let result = match matches.subcommand() {
        Some(("serve", matches)) => run_serve(webhook, matches),
        Some(("certs", matches)) => certs::run(&webhook, matches),
        Some(("rules", matches)) => {
            print(&rules(&webhook, is_json(matches)));
            Ok(())
        }
        Some(("explain", matches)) => explain(matches.get_one::<String>("code").map_or("", |code| code)),
        _ => Ok(()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(errors) => fail(&errors),
    }
}

fn fail(errors: &[Diagnostic]) -> ExitCode {
    // If stderr cannot be written, the exit code remains.
    let _ = write!(anstream::stderr(), "{}", text::render_all(errors));
    ExitCode::from(FAILED)
}

/// Prints a result. A reader that has gone is not an error.
fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

fn is_json(matches: &ArgMatches) -> bool {
    matches.get_one::<String>("format").is_some_and(|format| format == "json")
}

/// An option with a value.
fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

fn format(name: &'static str, help: &'static str) -> Arg {
    option(name, "FORMAT", help).value_parser(["text", "json"]).default_value("text")
}

fn context() -> Arg {
    let help =
        "The context of the kubeconfig; by default the current one, or in a pod without kubeconfig its service account";
    option("context", "NAME", help)
}

/// The command line, for the program and for tests.
pub fn command_line(name: &'static str) -> Command {
    let serve = Command::new("serve")
        .about("Answer the reviews of API servers, until SIGTERM or SIGINT")
        .after_help(format!(
            "Examples:\n  {name} serve --certificate /etc/webhook/certificate\n  {name} serve --channel experimental --listen 127.0.0.1:9443 --probes 127.0.0.1:8080 --certificate ./certificate\n\n\
             Paths: /validate on the address of `--listen`; /readyz, /livez and /metrics on that of `--probes`.\n\
             /readyz lists why the webhook is not ready."
        ))
        .arg(
            option("channel", "CHANNEL", "The channel of the installed CRDs")
                .value_parser(PossibleValuesParser::new(Channel::ALL.map(Channel::name)))
                .default_value(Channel::Standard.name()),
        )
        .arg(address("listen", "[::]:9443", "The address of reviews, over TLS"))
        .arg(address("probes", "[::]:8080", "The address of probes and metrics, without TLS"))
        .arg(
            path("certificate", "FOLDER", "The folder with `tls.crt` and `tls.key`, which are read again when they change")
                .default_value("/etc/webhook/certificate"),
        )
        .arg(path(
            "client-ca",
            "FILE",
            "Accept reviews only from clients with a certificate of this CA, in PEM form; read again when it changes",
        ))
        .arg(
            option("client-name", "NAME", "Accept only certificates of this common name or DNS name; may be repeated")
                .requires("client-ca")
                .action(ArgAction::Append),
        )
        .arg(seconds("drain", "15", 0..=600, "How long requests are answered after SIGTERM, until endpoints have followed"))
        .arg(context())
        .arg(format("log-format", "How events are logged. Logs name objects, and contain nothing of their content"));
    let rules = Command::new("rules")
        .about("List the rules, and why CRDs and admission policies cannot state them")
        .after_help(format!("Examples:\n  {name} rules\n  {name} rules --format json"))
        .arg(format("format", RESULTS));
    let explain = Command::new("explain")
        .about("Explain the code of an error, with an example")
        .after_help(format!(
            "Examples:\n  {name} explain webhook::certificate-expired\n  {name} explain webhook::address"
        ))
        .arg(Arg::new("code").value_name("CODE").required(true).help("The code"));
    Command::new(name)
        .about("The validating webhook of a bundle: what its CRDs and admission policies cannot state")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help("Exit codes: 0 fine, 1 the command failed, 2 wrong usage")
        .subcommands([serve, certs::command(name), rules, explain])
}

/// A duration, within its bounds: nothing that is computed with it can overflow.
fn seconds(name: &'static str, default: &'static str, bounds: RangeInclusive<u64>, help: &'static str) -> Arg {
    option(name, "SECONDS", help).value_parser(value_parser!(u64).range(bounds)).default_value(default)
}

fn address(name: &'static str, default: &'static str, help: &'static str) -> Arg {
    option(name, "ADDRESS", help).value_parser(value_parser!(SocketAddr)).default_value(default)
}

fn path(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    option(name, value, help).value_parser(value_parser!(PathBuf))
}

fn run_serve(webhook: Webhook, matches: &ArgMatches) -> Result<(), Vec<Diagnostic>> {
    let (Some(listen), Some(probes), Some(certificate), Some(drain)) = (
        matches.get_one::<SocketAddr>("listen"),
        matches.get_one::<SocketAddr>("probes"),
        matches.get_one::<PathBuf>("certificate"),
        matches.get_one::<u64>("drain"),
    ) else {
        // Each has a default.
        return Ok(());
    };
    let channel = matches.get_one::<String>("channel").and_then(|name| Channel::named(name));
    let settings = Settings {
        channel: channel.unwrap_or(Channel::Standard),
        listen: *listen,
        probes: *probes,
        certificate: certificate.clone(),
        clients: matches.get_one::<PathBuf>("client-ca").map(|file| ClientAuthority {
            file: file.clone(),
            names: matches.get_many::<String>("client-name").into_iter().flatten().cloned().collect(),
        }),
        drain: Duration::from_secs(*drain),
        cluster: ClusterSource::Context(matches.get_one::<String>("context").cloned()),
        limits: Limits::default(),
    };
    log(matches.get_one::<String>("log-format").is_some_and(|format| format == "json"));
    let runtime = runtime()?;
    let result = runtime.block_on(async {
        // Registered before the ports are open.
        let end = ended()?;
        serve(webhook, &settings, end, |_| ()).await
    });
    // A credential plugin that does not answer is not waited for.
    runtime.shutdown_background();
    result
}

/// The runtime of the program.
fn runtime() -> Result<tokio::runtime::Runtime, Vec<Diagnostic>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| vec![codes::SIGNALS.finding(format!("the system permits no runtime: {error}"))])
}

/// Ready after the first SIGTERM or SIGINT. The second one ends the process at once.
fn ended() -> Result<impl Future<Output = ()>, Diagnostic> {
    let register =
        |kind| signal(kind).map_err(|error| codes::SIGNALS.finding(format!("no handler of signals: {error}")));
    let (mut terminate, mut interrupt) = (register(SignalKind::terminate())?, register(SignalKind::interrupt())?);
    Ok(async move {
        either(&mut terminate, &mut interrupt).await;
        tokio::spawn(async move {
            either(&mut terminate, &mut interrupt).await;
            tracing::warn!("ended by a second signal");
            std::process::exit(i32::from(FAILED));
        });
    })
}

async fn either(one: &mut Signal, other: &mut Signal) {
    tokio::select! {
        _ = one.recv() => {}
        _ = other.recv() => {}
    }
}

/// Logs events of this crate, and warnings of the client, to standard error.
fn log(is_json: bool) {
    use tracing_subscriber::filter::{LevelFilter, Targets};
    use tracing_subscriber::prelude::*;

    // The client warns with the whole answer of a server.
    let targets = Targets::new().with_default(LevelFilter::WARN).with_target("crd_webhook", LevelFilter::INFO);
    let targets = targets.with_target("kube_client::client", LevelFilter::ERROR);
    // Reporting that a line cannot be written to stderr would panic, because it is printed to stderr.
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).log_internal_errors(false);
    // Fails only if a subscriber is set already.
    let _ = match is_json {
        true => tracing_subscriber::registry().with(lines.json().flatten_event(true)).with(targets).try_init(),
        false => tracing_subscriber::registry().with(lines.with_ansi(false)).with(targets).try_init(),
    };
}

/// The table of rules.
fn rules(webhook: &Webhook, is_json: bool) -> String {
    let rules = webhook.described();
    if is_json {
        let sources = SOURCES.map(|(name, about)| json!({"name": name, "about": about}));
        let document = json!({"rules": rules, "sources": sources, "reads": webhook.watched()});
        return format!("{document:#}\n");
    }
    let mut names: Vec<&str> = Vec::new();
    let mut text = String::new();
    for rule in &rules {
        if names.contains(&rule.name) {
            continue;
        }
        names.push(rule.name);
        let kinds = rules.iter().filter(|other| other.name == rule.name).map(|other| other.kind);
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        text.push_str(&format!("{} ({kinds})\n  {}\n  {}\n\n", rule.name, rule.about, rule.why));
    }
    for (name, about) in SOURCES {
        text.push_str(&format!("{name} (all kinds)\n  {about}\n\n"));
    }
    text.trim_end().to_owned() + "\n"
}

fn explain(code: &str) -> Result<(), Vec<Diagnostic>> {
    let all = [crate::PAGES, crd_cluster::PAGES].into_iter().flat_map(pages).collect::<Vec<_>>();
    let Some(page) = all.iter().find(|page| page.code == code) else {
        let known = all.iter().map(|page| page.code).collect::<Vec<_>>().join(", ");
        let message = format!("no code of this program is named `{code}`");
        return Err(vec![codes::UNKNOWN_CODE.finding(message).help(format!("its codes are {known}"))]);
    };
    print(&page.text(WIDTH));
    Ok(())
}
