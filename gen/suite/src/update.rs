//! The answers of today as expected answers, and their place in a file of our form.
//!
//! Invariants: a case whose answer cannot be written is reported, and the rest is written. Only the lines of an expected answer change; a text that would read as another suite is not returned.

use std::path::Path;

use crd_apiserver::objects::Answer;
use crd_diagnostics::Diagnostic;
use crd_model::yaml::{documents, item_positions};

use crate::case::{Case, Expected, Suite};
use crate::file::read;
use crate::form::{expectation, line};
use crate::run::{failure, reasons, without_servers_part};
use crate::tested::{Outcome, Tested};
use crd_model::path::value_at;

/// The new text of a file with the answers of today, and how many of its cases change. What cannot be written is a problem.
///
/// # Errors
/// Those of the text.
pub fn changed(
    suite: &Suite,
    results: &[Tested],
    text: &str,
    problems: &mut Vec<Diagnostic>,
) -> Result<Option<(String, usize)>, Vec<Diagnostic>> {
    let path = Path::new(&suite.file);
    let problem = |line: usize, message: String, help: &str| {
        Diagnostic::error("suite::update", message).at_line(path, line).help(help)
    };
    // The cases of the file, because those of the suite may be some of them.
    let all = read(text, path)?;
    let mut changes = Vec::new();
    let failed = suite.cases.iter().zip(results).filter(|(_, tested)| tested.outcome() == Outcome::Failed);
    for (case, tested) in failed {
        if suite.selection.is_some() {
            problems.push(problem(
                case.line,
                "a suite of OpenShift cannot be updated".to_owned(),
                "write the suite in our form",
            ));
            return Ok(None);
        }
        // The newest minor is the last one.
        let answers = tested.runs.iter().rev().filter_map(|(.., result)| result.answer.as_deref()).collect::<Vec<_>>();
        let index = all.cases.iter().position(|known| known.name == case.name);
        match index.zip(today(case, &answers)) {
            Some(change) => changes.push(change),
            None => problems.push(problem(
                case.line,
                format!("{}: channels or minors give different answers", case.name),
                "write one case for each answer, with `channel` or `kubernetes`",
            )),
        }
    }
    if changes.is_empty() {
        return Ok(None);
    }
    let text = updated(text, path, &changes);
    if text.is_none() {
        let help = "write each case, and each of its keys, on lines of its own";
        problems.push(problem(1, "the file is not laid out in lines".to_owned(), help));
    }
    Ok(text.map(|text| (text, changes.len())))
}

/// What a case must expect so that all of these answers are right, in the form that it has; none if the answers are too different.
#[must_use]
pub fn today(case: &Case, answers: &[&Answer]) -> Option<Expected> {
    let newest = answers.last()?;
    let candidates = match (&newest.stored, &case.expected) {
        (None, _) => refusals(newest),
        (Some(object), Expected::Accepted { stored, parts, warnings }) => {
            let texts = || newest.warnings.iter().map(ToString::to_string).collect::<Vec<_>>();
            let of = |warnings| Expected::Accepted {
                stored: stored.as_ref().map(|_| without_servers_part(object)),
                parts: parts.iter().map(|(path, _)| (path.clone(), value_at(object, path).cloned())).collect(),
                warnings,
            };
            vec![of(warnings.as_ref().map(|_| texts())), of(Some(texts()))]
        }
        (Some(_), _) => {
            let warnings = newest.warnings.iter().map(ToString::to_string).collect();
            vec![Expected::ACCEPTED, Expected::Accepted { stored: None, parts: Vec::new(), warnings: Some(warnings) }]
        }
    };
    candidates.into_iter().find(|expected| {
        let case = Case { expected: expected.clone(), ..case.clone() };
        answers.iter().all(|answer| failure(&case, answer).is_none())
    })
}

/// The reasons in full; without the value, which some minors write in another way; and the field with the kind of the error only.
fn refusals(answer: &Answer) -> Vec<Expected> {
    let detail = |reason: &String| reason.splitn(4, ": ").last().unwrap_or_default().to_owned();
    let kind = |reason: &String| reason.split(": ").take(2).collect::<Vec<_>>().join(": ");
    let reasons = reasons(answer);
    let forms = [reasons.clone(), reasons.iter().map(detail).collect(), reasons.iter().map(kind).collect()];
    let distinct = |mut texts: Vec<String>| {
        texts.sort();
        texts.dedup();
        Expected::Refused(texts)
    };
    forms.map(distinct).into()
}

/// The text of a file with other expected answers for some of its cases, by their index. None if the file is not laid out in lines.
#[must_use]
pub fn updated(text: &str, file: &Path, changes: &[(usize, Expected)]) -> Option<String> {
    let mut wanted = read(text, file).ok()?;
    for (index, expected) in changes {
        wanted.cases.get_mut(*index)?.expected = expected.clone();
    }
    let section = documents(text).next()?.ok()?.section;
    let positions = item_positions(text, section, "cases");
    let mut lines = text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
    // From the end, so that the lines before stay where they are.
    let mut changes = changes.iter().collect::<Vec<_>>();
    changes.sort_by_key(|(index, _)| std::cmp::Reverse(*index));
    for (index, expected) in changes {
        let at = positions.get(*index)?;
        let column = at.column.checked_sub(1)?;
        let begin = at.line.checked_sub(1)?;
        let end = positions.get(index + 1).map_or(lines.len(), |next| next.line - 1);
        exchange(&mut lines, begin, end, column, expected)?;
    }
    let text = lines.concat();
    let has_lines = |suite: &Suite| suite.cases.iter().map(|case| Case { line: 0, ..case.clone() }).collect::<Vec<_>>();
    read(&text, file).is_ok_and(|read| has_lines(&read) == has_lines(&wanted)).then_some(text)
}

/// The keys of an expected answer.
const KEYS: [&str; 4] = ["refused", "accepted", "stored", "warnings"];

/// Exchanges the lines of an expected answer among those of a case, whose keys have this column.
fn exchange(lines: &mut Vec<String>, begin: usize, end: usize, column: usize, expected: &Expected) -> Option<()> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_blank = |line: &str| line.trim().is_empty();
    let is_below = |line: &str| {
        is_blank(line) || indent(line) > column || indent(line) == column && line[column..].starts_with('-')
    };
    // The case ends before what has fewer columns.
    let is_outside = |line: &String| !is_blank(line) && indent(line) < column;
    let mut end = (begin + 1..end).find(|at| lines.get(*at).is_none_or(is_outside)).unwrap_or(end);
    let mut at = begin + 1;
    let mut place = None;
    while at < end {
        let line = lines.get(at)?;
        let is_key = |key: &&str| line.get(column..).is_some_and(|line| line.starts_with(&format!("{key}:")));
        if indent(line) != column || !KEYS.iter().any(is_key) {
            at += 1;
            continue;
        }
        let after = (at + 1..end).find(|next| !is_below(&lines[*next])).unwrap_or(end);
        let after = (at + 1..after).rev().find(|last| !is_blank(&lines[*last])).map_or(at + 1, |last| last + 1);
        lines.drain(at..after);
        end -= after - at;
        place = place.or(Some(at));
    }
    let last = (begin..end).rev().find(|at| !is_blank(&lines[*at])).map_or(end, |last| last + 1);
    let place = place.unwrap_or(last);
    if place > 0 && !lines[place - 1].ends_with('\n') {
        lines[place - 1].push('\n');
    }
    let new = expectation(expected).into_iter().map(|(key, value)| line(key, &value)).collect::<String>();
    let new = new.lines().map(|line| format!("{}{line}\n", " ".repeat(column)));
    lines.splice(place..place, new);
    Some(())
}
