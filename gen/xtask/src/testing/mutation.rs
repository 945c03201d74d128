//! `--mutants`: which small mistakes in the API the cases notice.
//!
//! Invariants: mutants are those of the last channel, which contains the other one, on the newest minor. Cases that fail notice nothing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

use clap::{Arg, ArgMatches};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::{count, cut, thousands};
use crd_generate::AnnotatedResource;
use crd_model::channel::Channel;
use crd_suite::mutant::{Mutant, OPERATORS, mutants};
use crd_suite::mutation::{Notice, Run, Score, Verdict};
use crd_suite::repeat::shortened;
use crd_suite::{Case, elements};
use serde_json::{Value, json};

use super::{Testing, percent};
use crate::arguments::{flag, option};
use crate::session::Session;

const MUTANTS: &str = "mutants";
const MUTANT: &str = "mutant";
const MIN_SCORE: &str = "min-score";

pub(crate) fn arguments() -> [Arg; 3] {
    [
        flag(MUTANTS, "Report which small mistakes in the API no case notices, each with an object that would"),
        option(MUTANT, "TEXT", "Run the mutants with this text in their name").requires(MUTANTS),
        option(MIN_SCORE, "PERCENT", "Exit with 1 if cases notice fewer of 100 mutants")
            .requires(MUTANTS)
            .value_parser(percent),
    ]
}

/// Whether mutants are asked for.
pub(crate) fn is_asked(matches: &ArgMatches) -> bool {
    matches.get_flag(MUTANTS)
}

/// Adds what became of the mutants to the results.
pub(crate) fn add(testing: &mut Testing, types: &[AnnotatedResource], matches: &ArgMatches, session: &Session<'_>) {
    if is_asked(matches) {
        let name = matches.get_one::<String>(MUTANT).map(String::as_str);
        testing.mutation = mutate(testing, name, matches.get_one(MIN_SCORE).copied(), types, session);
    }
}

/// The mutants of a channel and what became of them.
#[derive(Debug)]
pub(crate) struct Mutation {
    channel: Channel,
    minor: u32,
    min_score: Option<f64>,
    score: Score,
    /// The mutants that no case notices, with the places of their declarations.
    unnoticed: Vec<Unnoticed>,
}

#[derive(Debug)]
struct Unnoticed {
    mutant: Mutant,
    verdict: Verdict,
    crd: String,
    version: String,
    source: Option<(String, usize)>,
}

/// Runs the mutants of the last channel.
fn mutate(
    testing: &Testing,
    name: Option<&str>,
    min_score: Option<f64>,
    types: &[AnnotatedResource],
    session: &Session<'_>,
) -> Option<Mutation> {
    let ((channel, crds), minor) = testing.channels.last().zip(testing.minors.last())?;
    session.begin("preparing the mutants");
    let mut mutants = mutants(&elements(crds), crds);
    mutants.retain(|mutant| name.is_none_or(|part| mutant.name.contains(part)));
    let cases = testing.suites.iter().flat_map(|suite| &suite.cases);
    let cases: Vec<Case> = cases.filter(|case| case.channel.is_none_or(|own| own == *channel)).cloned().collect();
    let activity = session.activity();
    let (shown, all) = (AtomicUsize::new(0), mutants.len());
    let progress = |done: usize| {
        let twentieth = done * 20 / all.max(1);
        if let Some(activity) = activity
            && shown.fetch_max(twentieth, Ordering::Relaxed) < twentieth
        {
            activity.begin(format!(
                "running {done} of {} against {}",
                count(all, "mutant"),
                count(cases.len(), "case")
            ));
        }
    };
    let threads = available_parallelism().map_or(1, |threads| threads.get());
    let run = Run { crds, cases: &cases, minor: *minor, threads, progress: &progress };
    // Rules that do not compile are reported before.
    let verdicts = run.verdicts(&mutants).ok()?;
    let score = Score::of(&verdicts);
    let unnoticed = mutants.into_iter().zip(verdicts).filter(|(_, verdict)| !matches!(verdict, Verdict::Killed { .. }));
    let unnoticed = unnoticed.map(|(mutant, verdict)| {
        let first = &mutant.places[0];
        let crd = &crds[first.crd];
        let version = crd.versions[first.version].name.to_string();
        let source = source(types, &crd.name, &version, &mutant);
        Unnoticed { mutant, verdict, crd: crd.name.to_string(), version, source }
    });
    Some(Mutation { channel: *channel, minor: *minor, min_score, score, unnoticed: unnoticed.collect() })
}

/// The line of the field or type that a mutant changes.
fn source(resources: &[AnnotatedResource], crd: &str, version: &str, mutant: &Mutant) -> Option<(String, usize)> {
    let path = mutant.places.first()?.path.to_string().replace("[]", "[*]");
    let path = if path == "(root)" { "" } else { &path };
    let resource = resources.iter().find(|resource| resource.crd_name() == crd)?;
    let location = resource.origin(version, path)?.location;
    Some((location.file.to_owned(), location.line as usize))
}

impl Mutation {
    /// Whether the score is too low.
    pub(crate) fn is_too_low(&self) -> bool {
        self.min_score.is_some_and(|least| self.score.percent() < least)
    }

    /// One diagnostic for each declaration of which a changed form survives.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut found: Vec<(&Unnoticed, Diagnostic)> = Vec::new();
        for unnoticed in &self.unnoticed {
            let Verdict::Survived { notice } = &unnoticed.verdict else { continue };
            let mutant = &unnoticed.mutant;
            let change = format!("\nchange: {} ({})\n{}", mutant.change, mistake(mutant), shown(notice));
            let is_same = |known: &Unnoticed| {
                (&known.mutant.places, known.mutant.element, known.mutant.rule)
                    == (&mutant.places, mutant.element, mutant.rule)
            };
            match found.last_mut().filter(|(known, _)| is_same(known)) {
                Some((_, diagnostic)) => diagnostic.message.push_str(&change),
                None => found.push((unnoticed, unnoticed.diagnostic(change))),
            }
        }
        let mut found: Vec<Diagnostic> = found.into_iter().map(|(_, diagnostic)| diagnostic).collect();
        if let (true, Some(least)) = (self.is_too_low(), self.min_score) {
            let message =
                format!("the score of the suites is {:.1} %, and `--min-score` is {least} %", self.score.percent());
            found.push(Diagnostic::error("suite::score", message).help("add cases that notice the mutants above"));
        }
        found
    }

    /// The counts in a sentence.
    pub(crate) fn summary(&self) -> String {
        let Score { killed, survived, equal, undecided } = self.score;
        let all = killed + survived + equal + undecided;
        let [killed, survived, equal, undecided] = [killed, survived, equal, undecided].map(thousands);
        format!(
            "{} of {}: {killed} killed, {survived} survived, {undecided} undecided, {equal} equal: score {:.1} % (Kubernetes 1.{})",
            count(all, "mutant"),
            self.channel.name(),
            self.score.percent(),
            self.minor
        )
    }

    /// The part of the document. Mutants that a case notices are counted only.
    pub(crate) fn document(&self) -> Value {
        let Score { killed, survived, equal, undecided } = self.score;
        json!({
            "channel": self.channel.name(),
            "kubernetes": format!("1.{}", self.minor),
            "killed": killed,
            "survived": survived,
            "equal": equal,
            "undecided": undecided,
            "score": self.score.percent(),
            "unnoticed": self.unnoticed.iter().map(Unnoticed::document).collect::<Vec<_>>(),
        })
    }
}

impl Unnoticed {
    fn diagnostic(&self, change: String) -> Diagnostic {
        let path = &self.mutant.places[0].path;
        let rule = self.mutant.rule.map(|rule| format!("rule {} of ", rule + 1)).unwrap_or_default();
        let message = format!("no case notices a change of {rule}`{path}`{change}");
        let diagnostic = Diagnostic::warning("suite::survivor", message).help("add a case with such an object");
        let diagnostic = match &self.source {
            Some((file, line)) => diagnostic.at_line(file, *line),
            None => diagnostic,
        };
        diagnostic.of_crd(&self.crd, Some(self.version.clone()), path.to_string())
    }

    fn document(&self) -> Value {
        let Self { mutant, verdict, .. } = self;
        let (word, reason, notice) = match verdict {
            Verdict::Survived { notice } => ("survived", None, Some(notice)),
            Verdict::Undecided { reason } => ("undecided", Some(*reason), None),
            Verdict::Killed { .. } | Verdict::Equal => ("equal", None, None),
        };
        json!({
            "name": mutant.name,
            "operator": mutant.operator,
            "change": mutant.change,
            "crd": self.crd,
            "version": self.version,
            "path": mutant.places[0].path.to_string(),
            "source": self.source.as_ref().map(|(file, line)| json!({ "file": file, "line": line })),
            "verdict": word,
            "reason": reason,
            "old": notice.and_then(|notice| notice.old.clone()),
            "object": notice.map(|notice| notice.object.clone()),
            "status": notice.is_some_and(|notice| notice.is_status),
            "accepted": notice.map(|notice| notice.is_accepted),
        })
    }
}

fn mistake(mutant: &Mutant) -> &'static str {
    OPERATORS.iter().find(|operator| operator.name == mutant.operator).map_or("", |operator| operator.mistake)
}

/// The object that would notice a mutant, in a line, with long values as suites write them.
fn shown(notice: &Notice) -> String {
    const LONGEST: usize = 600;
    let line = |object: &Value| cut(&shortened(object).to_string(), LONGEST);
    let answer = if notice.is_accepted { "accepted" } else { "refused" };
    let update = match (&notice.old, notice.is_status) {
        (Some(old), false) => format!(" as an update of {}", line(old)),
        (_, true) => " as an update of the status".to_owned(),
        (None, false) => String::new(),
    };
    format!("{answer} so far: {}{update}", line(&notice.object))
}
