//! `validate`: objects against CRDs, as files, folders and standard input.
//!
//! What a server answers is proven in `crd-apiserver`. Which objects are asked about, where findings are, and how results are printed is in the
//! session `validate`.

mod formats;
mod hostile;
mod limits;
mod page;
mod unreadable;
mod upstream;

use anstream::adapter::strip_str;
use crd_channels_cli::{Exit, Session, run_without_types_in};

use crate::support::{Place, things};

/// A CRD with a finding of each kind.
const CRD: &str = include_str!("validate/widgets.yaml");

/// The note about what the CRDs do not decide.
const NOT_CHECKED: &str = "note: not checked, because it is not in the CRDs: admission policies and webhooks, quotas, permissions, names that exist, and references to other objects\n";

/// The result of the program `crd-channels`, as it is printed.
struct Printed {
    exit: Exit,
    out: String,
    /// Without the note about what the CRDs do not decide.
    err: String,
    has_note: bool,
}

/// Runs `crd-channels validate` in a place.
fn run(place: &Place, input: &[u8], arguments: &[&str]) -> Printed {
    let (mut out, mut err, mut input) = (Vec::new(), Vec::new(), input);
    let arguments = [&["validate"], arguments].concat();
    let mut session = Session::new(place.path(), &mut out, &mut err).input(&mut input);
    let exit = run_without_types_in(arguments, &mut session);
    let plain = |bytes: Vec<u8>| strip_str(&String::from_utf8(bytes).unwrap()).to_string();
    let err = plain(err);
    Printed { exit, out: plain(out), has_note: err.contains(NOT_CHECKED), err: err.replace(NOT_CHECKED, "") }
}

/// A place with the CRD and a file with objects.
fn place(text: &str) -> Place {
    let place = Place::new();
    place.write("crd.yaml", CRD);
    place.write("in.yaml", text);
    place
}

/// Validates a text against the CRD.
fn validate(text: &str, arguments: &[&str]) -> Printed {
    run(&place(text), b"", &[&["in.yaml", "--crds", "crd.yaml"], arguments].concat())
}

/// A widget with this spec in flow style.
fn widget(spec: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\nspec: {spec}\n")
}

/// The errors and warnings of a report, each with its location.
fn findings(text: &str) -> Vec<String> {
    let mut findings: Vec<String> = Vec::new();
    let mut is_note = false;
    for line in text.lines() {
        if line.starts_with("error[") || line.starts_with("warning[") {
            findings.push(line.to_owned());
            is_note = false;
        } else if line.starts_with("note[") {
            is_note = true;
        } else if let (Some(location), Some(last), false) = (line.strip_prefix("  --> "), findings.last_mut(), is_note)
        {
            last.push_str(&format!(" @ {location}"));
        }
    }
    findings
}

/// The commands of the workflow and of the hook that `init` writes.
#[test]
fn the_step_and_the_hook_of_init_validate_the_examples() {
    let files = &crd_generator::init::FILES;
    let commands = files.iter().flat_map(|file| file.text.lines()).filter_map(|line| {
        let (_, command) = line.split_once("if [ -d examples ]; then cargo xtask ")?;
        Some(command.split_once(';')?.0)
    });
    let commands = commands.collect::<Vec<_>>();
    assert_eq!(commands, ["validate examples --quiet", "validate examples --format github"]);
    for (size, exit) in [(10, Exit::Fine), (11, Exit::Findings)] {
        let place = Place::new();
        place.write(
            "examples/a.yaml",
            format!("apiVersion: things.example.com/v1\nkind: Thing\nmetadata: {{name: a}}\nspec: {{size: {size}}}\n"),
        );
        for command in &commands {
            assert_eq!(place.run_line(&things(), command).exit, exit, "{command}");
        }
    }
}
