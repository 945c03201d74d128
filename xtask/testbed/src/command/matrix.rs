//! `matrix`: runs the proofs on every minor, and prints a table.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{self, ExitCode, Stdio};
use std::time::Instant;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};

use super::{KUBERNETES, Subcommand, UNUSABLE, examples, format_argument, is_json, minors, write};
use crate::failure::Failure;
use crate::folders::Folders;
use crate::minor::{MINORS, Minor};
use crate::programs::build_for_testbed;
use crate::progress::ProgressLine;
use crate::testbed::{KUBERNETES_VARIABLE, REQUIRE_VARIABLE};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "matrix", arguments, run, failure: UNUSABLE };

const TESTS: &str = "tests";

fn arguments(command: Command) -> Command {
    command
        .about("Run the proofs on every minor of Kubernetes, and print a table")
        .long_about(
            "Run the proofs on every minor of Kubernetes, one after the other, and print a table. Building a minor for the first time takes \
             some minutes. The exit code is 1 if a test failed or a minor could not be tested.",
        )
        .arg(
            Arg::new(KUBERNETES)
                .long(KUBERNETES)
                .value_name("MINOR")
                .value_parser(minors())
                .value_delimiter(',')
                .action(ArgAction::Append)
                .help("Test only these minors"),
        )
        .arg(Arg::new(TESTS).value_name("NAME").num_args(0..).help("Run only tests whose names contain one of these"))
        .arg(format_argument())
        .after_help(examples(&[
            ("matrix", "run all proofs on all minors"),
            ("matrix --kubernetes 1.32,1.37 facts::", "run the facts on the oldest and the newest minor"),
        ]))
}

/// The result of the proofs on one minor.
struct Outcome {
    minor: &'static Minor,
    passed: u32,
    failed: Vec<String>,
    /// Why the tests could not run to their end.
    error: Option<String>,
    seconds: u64,
}

impl Outcome {
    fn is_good(&self) -> bool {
        self.error.is_none() && self.failed.is_empty() && self.passed > 0
    }

    fn to_json(&self) -> Value {
        json!({
            "kubernetes": self.minor.name,
            "version": self.minor.version,
            "passed": self.passed,
            "failed": self.failed,
            "trouble": self.error,
            "seconds": self.seconds,
        })
    }

    /// Counts a line that the test program printed.
    fn read(&mut self, line: &str) {
        // `test facts::storage ... ok`. Output of the test may separate the two parts, so passed tests are counted from the summary.
        if let Some(rest) = line.strip_prefix("test ")
            && let Some(name) = rest.strip_suffix(" ... FAILED")
        {
            self.failed.push(name.to_owned());
        }
        if let Some(counts) = line.strip_prefix("test result: ") {
            let passed = counts.split(' ').zip(counts.split(' ').skip(1)).find(|(_, word)| word.starts_with("passed"));
            self.passed += passed.and_then(|(number, _)| number.parse::<u32>().ok()).unwrap_or_default();
        }
    }
}

fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let mut chosen = Vec::new();
    for name in matches.get_many::<String>(KUBERNETES).into_iter().flatten() {
        chosen.push(Minor::find(name)?);
    }
    if chosen.is_empty() {
        chosen = MINORS.iter().collect();
    }
    let tests = matches.get_many::<String>(TESTS).into_iter().flatten().collect::<Vec<_>>();
    let outcomes = chosen.into_iter().map(|minor| prove(minor, &tests)).collect::<Vec<_>>();
    if is_json(matches) {
        write(&format!("{}\n", Value::Array(outcomes.iter().map(Outcome::to_json).collect())))?;
    } else {
        write(&table(&outcomes))?;
    }
    Ok(ExitCode::from(u8::from(!outcomes.iter().all(Outcome::is_good))))
}

/// Runs the proofs on one minor.
fn prove(minor: &'static Minor, tests: &[&String]) -> Outcome {
    let begun = Instant::now();
    let mut outcome = Outcome { minor, passed: 0, failed: Vec::new(), error: None, seconds: 0 };
    outcome.error = run_tests(minor, tests, &mut outcome).err().map(|failure| failure.to_string());
    outcome.seconds = begun.elapsed().as_secs();
    outcome
}

fn run_tests(minor: &Minor, tests: &[&String], outcome: &mut Outcome) -> Result<(), Failure> {
    let mut progress = ProgressLine::on_stderr();
    build_for_testbed(minor, false, &Folders::of_checkout(), &mut |step| progress.show(&step))?;
    drop(progress);
    let _ = writeln!(std::io::stderr(), "Kubernetes {}: running the proofs", minor.version);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut child = process::Command::new(&cargo)
        .args([
            "test",
            "--quiet",
            "--package",
            env!("CARGO_PKG_NAME"),
            "--test",
            "proofs",
            "--no-fail-fast",
            "--",
            "--format=pretty",
        ])
        .args(tests)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env(KUBERNETES_VARIABLE, minor.name)
        .env(REQUIRE_VARIABLE, "require")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| Failure::Other(format!("cannot run {}: {error}", cargo.display())))?;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            outcome.read(&line);
            // The complete output is needed to fix a failure; the table has only the names.
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }
    let status = child.wait().map_err(|error| Failure::Other(format!("cannot wait for the tests: {error}")))?;
    if outcome.passed == 0 && outcome.failed.is_empty() {
        return Err(Failure::Other(format!("no test ran ({status})")));
    }
    if !status.success() && outcome.failed.is_empty() {
        return Err(Failure::Other(format!("the tests ended with {status}")));
    }
    Ok(())
}

fn table(outcomes: &[Outcome]) -> String {
    let mut text = format!("{:<10} {:<10} {:>6} {:>6} {:>5}\n", "Kubernetes", "version", "passed", "failed", "s");
    for outcome in outcomes {
        let minor = outcome.minor;
        let (passed, failed, seconds) = (outcome.passed, outcome.failed.len(), outcome.seconds);
        text.push_str(&format!("{:<10} {:<10} {passed:>6} {failed:>6} {seconds:>5}\n", minor.name, minor.version));
        for line in outcome.failed.iter().map(String::as_str).chain(outcome.error.iter().flat_map(|text| text.lines()))
        {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lists_counts_failed_tests_and_errors() {
        let mut good = Outcome { minor: &MINORS[0], passed: 0, failed: Vec::new(), error: None, seconds: 71 };
        for line in
            ["running 3 tests", "test facts::one ... ok", "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured"]
        {
            good.read(line);
        }
        let mut bad = Outcome { minor: &MINORS[1], passed: 0, failed: Vec::new(), error: None, seconds: 5 };
        for line in ["test facts::one ... FAILED", "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured"] {
            bad.read(line);
        }
        let error = Some("no Go".to_owned());
        let none = Outcome { minor: &MINORS[2], passed: 0, failed: Vec::new(), error, seconds: 0 };
        assert_eq!([&good, &bad, &none].map(Outcome::is_good), [true, false, false]);
        assert_eq!(
            table(&[good, bad, none]),
            "Kubernetes version    passed failed     s\n\
             1.37       v1.37.1         3      0    71\n\
             1.36       v1.36.3         2      1     5\n  \
             facts::one\n\
             1.35       v1.35.4         0      0     0\n  \
             no Go\n"
        );
    }
}
