//! `rules`: the rules of the policy, as text, JSON or the reference page.
//!
//! Invariants: all facts about rules come from their tables.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{ArgMatches, Command};
use crd_compat::policy::{COLUMNS, Cell, Cells, Column};
use crd_compat::{RequiredBump, Rule, all_rules, explain, reference};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::json;
use crd_diagnostics::layout::{wrapped, wrapped_lines};
use crd_diagnostics::style::{FAINT, NAME};
use crd_generator::command::generated_page::{self, CHECK, PAGE};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_model::document::SchemaVersion;
use serde::Serialize;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{Format, after_help, did_you_mean, format, format_argument, positional, value};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "rules",
    about: "List the rules of the policy, or explain one",
    group: Group::Reference,
    arguments,
    run: Run::WithoutTypes(run),
};

const RULE: &str = "rule";

fn arguments(command: Command, program: Program) -> Command {
    command
        .arg(positional(RULE, "RULE", "The rule to explain, as in `[RULE]` after a finding").conflicts_with(PAGE))
        .arg(format_argument())
        .args(generated_page::arguments())
        .after_help(after_help(
            program,
            &[Exit::Fine, Exit::Unusable, Exit::Stale],
            &[
                ("rules", "all rules"),
                ("rules stored-version-removed", "one rule in full"),
                ("rules --page RULES.md", "the reference page"),
            ],
        ))
}

/// Which rules are listed, and where.
struct Request {
    rule: Option<String>,
    page: Option<PathBuf>,
    is_check: bool,
    format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        let (rule, page) = (value(matches, RULE), value(matches, PAGE));
        Self { rule, page, is_check: matches.get_flag(CHECK), format: format(matches) }
    }
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let Request { rule, page, is_check, format } = Request::from(matches);
    if let Some(path) = page {
        return generated_page::write("rules", &path, &reference(), is_check, session);
    }
    let mut chosen = all_rules().collect::<Vec<_>>();
    if let Some(asked) = &rule {
        let known = chosen.iter().map(|rule| rule.id).collect::<Vec<_>>();
        if !known.contains(&&**asked) {
            let help = format!("`{} rules` lists all rules", session.program.call());
            let help = did_you_mean(asked, known, help);
            return Err(Diagnostic::error("usage::unknown-rule", format!("unknown rule `{asked}`")).help(help).into());
        }
        chosen.retain(|rule| rule.id == *asked);
    }
    match (format, rule.and_then(|asked| explain(&asked))) {
        (Format::Json, _) => {
            let rules = chosen.into_iter().map(listed).collect();
            session.print(json::line(&Rules { schema_version: SchemaVersion, rules }));
        }
        (_, Some(text)) => session.print(wrapped_lines(text.trim_end(), session.width)),
        (_, None) => {
            for rule in &chosen {
                let cells = COLUMNS.map(|(column, name)| format!("{name} {}", cell(&rule.cells, column))).join(", ");
                session.print(format_args!("{NAME}{}{NAME:#}\n", rule.id));
                session.print(format_args!("{FAINT}{}{FAINT:#}", wrapped(&cells, 4, session.width)));
                session.print(wrapped(rule.summary, 4, session.width));
            }
        }
    }
    Ok(Exit::Fine)
}

/// A cell in words.
fn cell(cells: &Cells, column: Column) -> String {
    let words = cells.cell(column).bumps.iter().map(RequiredBump::to_string).collect::<Vec<_>>();
    if words.is_empty() { "–".to_owned() } else { words.join(" or ") }
}

/// What `rules` prints with `--format json`: one document, on one line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Rules {
    schema_version: SchemaVersion<1>,
    /// The rules.
    rules: Vec<ListedRule>,
}

/// A rule of the policy.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ListedRule {
    /// Its name: in findings, waivers and the reference.
    id: &'static str,
    /// The row of the policy that it implements.
    row: &'static str,
    /// What it is about, in one sentence.
    summary: &'static str,
    /// Its page.
    explanation: Option<String>,
    /// What the rule requires, by the column of the policy.
    cells: BTreeMap<&'static str, &'static Cell>,
}

fn listed(rule: &'static Rule) -> ListedRule {
    let cells = COLUMNS.map(|(column, name)| (name, rule.cells.cell(column)));
    let explanation = explain(rule.id);
    ListedRule { id: rule.id, row: rule.row, summary: rule.summary, explanation, cells: cells.into_iter().collect() }
}
