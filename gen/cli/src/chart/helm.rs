//! The program `helm`, which renders the templates of a chart with the rights of the user.
//!
//! Invariants: it has no cluster. It ends after [`LONGEST`], and its output and memory are limited, because a template can be a loop without an end.
//! Values are in no message.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crd_bundle::published::limits::MOST_BYTES;
use crd_diagnostics::{Diagnostic, printable};
use crd_generator::session::WorkingFolder;

use super::RENDERING;

const HELM: &str = "helm";
/// How long it may take.
const LONGEST: Duration = Duration::from_secs(60);
/// How often it is asked whether it has ended.
const PAUSE: Duration = Duration::from_millis(5);
/// The most bytes of its errors that are read.
const MOST_OF_ERRORS: u64 = 64 << 10;
/// The most characters of an error that are shown.
const MOST_SHOWN: usize = 600;
/// The most memory that it may address. It takes less than 1 GiB for large charts, and Go reserves some more.
#[cfg(target_os = "linux")]
const MOST_MEMORY: u64 = 4 << 30;

/// What `helm template --include-crds` prints for a chart on disk.
pub(super) fn template(helm: &Path, path: &Path, shown: &str, from: WorkingFolder<'_>) -> Result<String, Diagnostic> {
    let options = from.charts;
    let mut arguments = ["template", &options.release, "--namespace", &options.namespace].map(OsString::from).to_vec();
    arguments.extend(["--include-crds", "--skip-tests"].map(OsString::from));
    for file in &options.values {
        arguments.extend(["--values".into(), file.clone()]);
    }
    for value in &options.set {
        arguments.extend(["--set".into(), value.into()]);
    }
    // A path cannot be an option then.
    arguments.extend(["--".into(), path.into()]);
    let mut command = Command::new(helm);
    command.args(arguments).current_dir(from.path).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).env("KUBECONFIG", "").env_remove("HELM_KUBECONTEXT");
    let cannot = |what: &str, error: io::Error| failed(shown, &format!("`{HELM}` cannot be {what}: {error}"), "");
    let mut child = command.spawn().map_err(|error| cannot("started", error))?;
    limit_memory(&child);
    let output = child.stdout.take().map(|output| collected(output, MOST_BYTES as u64 + 1));
    let errors = child.stderr.take().map(|errors| collected(errors, MOST_OF_ERRORS));
    let has_succeeded =
        ended(&mut child).map_err(|error| failed(shown, &format!("`{HELM}` cannot be waited for: {error}"), ""))?;
    let [output, errors] = [output, errors].map(|bytes| bytes.and_then(|bytes| bytes.join().ok()).unwrap_or_default());
    match has_succeeded {
        _ if output.len() > MOST_BYTES => {
            let message = format!("`{HELM} template` prints more than {} MiB", MOST_BYTES >> 20);
            Err(failed(shown, &message, "name the CRDs alone"))
        }
        None => {
            let message = format!("`{HELM} template` does not end within {} s", LONGEST.as_secs());
            Err(failed(shown, &message, "a template may be a loop without an end: correct it, or other values"))
        }
        Some(false) => {
            let text = String::from_utf8_lossy(&errors);
            // The place is in the first line, the cause below it.
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let text = text.split_once("Error: ").map_or(&*text, |(_, text)| text);
            // Behind the cause are the stacks of a program that ran out of memory.
            let text = text.split(" goroutine ").next().unwrap_or_default();
            let text = text.split(" Use --debug flag").next().unwrap_or_default();
            let text = printable(&text.chars().take(MOST_SHOWN).collect::<String>());
            let message = format!("`{HELM} template` fails: {text}");
            Err(failed(
                shown,
                &message,
                "correct the chart, or give it the values that it needs with `--set` or `--values`",
            ))
        }
        Some(true) => match String::from_utf8(output) {
            Ok(text) => Ok(text),
            Err(_) => {
                Err(failed(shown, &format!("`{HELM} template` prints text that is not UTF-8"), "correct the chart"))
            }
        },
    }
}

/// The error of what only the program can do.
pub(super) fn missing(shown: &str, what: &str) -> Diagnostic {
    let help = format!("install it, or read what this prints: `{HELM} template --include-crds CHART > crds.yaml`");
    failed(shown, &format!("`{HELM}` is not installed, and only it can {what}"), &help)
}

fn failed(shown: &str, message: &str, help: &str) -> Diagnostic {
    Diagnostic::error(RENDERING, message).at_file(shown).help(help)
}

/// Reads a stream on a thread of its own, up to a limit; then it is closed.
fn collected(stream: impl Read + Send + 'static, most: u64) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is all there is.
        let _ = stream.take(most).read_to_end(&mut bytes);
        bytes
    })
}

/// Waits for the program. Whether it has succeeded; `None` if it took too long.
fn ended(child: &mut Child) -> io::Result<Option<bool>> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if begin.elapsed() > LONGEST {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
}

#[cfg(target_os = "linux")]
fn limit_memory(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let limit = Rlimit { current: Some(MOST_MEMORY), maximum: Some(MOST_MEMORY) };
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // It may have ended already.
    let _ = process.map(|process| prlimit(Some(process), Resource::As, limit));
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_: &Child) {}
