//! What became of mutants: which small mistakes in the API the cases notice, with the lines of the types.
//!
//! Invariants: cases that fail notice nothing.

use std::sync::Arc;

use crd_diagnostics::layout::{count, cut, thousands};
use crd_diagnostics::{Diagnostic, SourceLine};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::document::minor;
use serde::Serialize;
use serde_json::Value;

use super::{Notice, Run, Score, Verdict};
use crate::case::{Case, Suite};
use crate::element::elements;
use crate::mutant::{Mutant, OPERATORS, mutants};
use crate::repeat::shortened;
use crate::type_lines::TypeLines;

/// The mutants of a channel and what became of them.
#[derive(Debug)]
pub struct Mutation {
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
    source: Option<SourceLine>,
}

/// Which mutants are run, and what is asked of the cases.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// A part of the names of mutants.
    pub name: Option<&'a str>,
    /// The score that is required.
    pub min_score: Option<f64>,
    /// The number of threads.
    pub threads: usize,
}

/// Runs the mutants of the CRDs of a channel, on a minor. `progress` gets the numbers of mutants that are done and of all, and the number of cases.
///
/// None if rules do not compile, which is reported before.
pub fn mutated(
    (channel, crds): (Channel, &[Arc<CustomResourceDefinition>]),
    suites: &[Suite],
    minor: u32,
    asked: Asked<'_>,
    types: &dyn TypeLines,
    progress: &(dyn Fn(usize, usize, usize) + Sync),
) -> Option<Mutation> {
    let mut mutants = mutants(&elements(crds), crds);
    mutants.retain(|mutant| asked.name.is_none_or(|part| mutant.name.contains(part)));
    let cases = suites.iter().flat_map(|suite| &suite.cases);
    let cases: Vec<Case> = cases.filter(|case| case.channel.is_none_or(|own| own == channel)).cloned().collect();
    let (all, number) = (mutants.len(), cases.len());
    let progress = |done: usize| progress(done, all, number);
    let run = Run { crds, cases: &cases, minor, threads: asked.threads, progress: &progress };
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
    Some(Mutation { channel, minor, min_score: asked.min_score, score, unnoticed: unnoticed.collect() })
}

/// The line of the field or type that a mutant changes.
fn source(types: &dyn TypeLines, crd: &str, version: &str, mutant: &Mutant) -> Option<SourceLine> {
    types.line(crd, version, &mutant.places.first()?.path.text())
}

impl Mutation {
    /// Whether the score is too low.
    #[must_use]
    pub fn is_too_low(&self) -> bool {
        self.min_score.is_some_and(|least| self.score.percent() < least)
    }

    /// One diagnostic for each declaration of which a changed form survives.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
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
    #[must_use]
    pub fn summary(&self) -> String {
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

    /// The part of the document.
    #[must_use]
    pub fn document(&self) -> Mutants<'_> {
        Mutants {
            channel: self.channel,
            kubernetes: self.minor,
            counts: self.score,
            score: self.score.percent(),
            unnoticed: self.unnoticed.iter().map(Unnoticed::document).collect(),
        }
    }
}

/// What became of the mutants of a channel. Mutants that a case notices are counted only.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mutants<'m> {
    channel: Channel,
    /// The Kubernetes minor.
    #[serde(serialize_with = "minor")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    kubernetes: u32,
    #[serde(flatten)]
    counts: Score,
    /// How many percent of the mutants a case notices, without equal ones.
    score: f64,
    /// The mutants that no case notices.
    unnoticed: Vec<UnnoticedMutant<'m>>,
}

/// A mutant that no case notices.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct UnnoticedMutant<'m> {
    /// The name of the mutant, which no other mutant has.
    name: &'m str,
    /// The kind of mistake, such as `bound-above`.
    operator: &'static str,
    /// What changes, such as `maxLength 253 → 254`.
    change: &'m str,
    /// The CRD of the first location.
    crd: &'m str,
    /// The API version.
    version: &'m str,
    /// The schema path.
    path: String,
    /// The line of the Rust field or type; null without types.
    source: Option<&'m SourceLine>,
    /// `survived`: an object shows it. `equal`: proven to be no different. `undecided`: neither.
    verdict: &'static str,
    /// Why it is undecided; null otherwise.
    reason: Option<&'static str>,
    /// The stored object of an update; null otherwise.
    old: Option<&'m Value>,
    /// An object that would notice the mutant; null if none was found.
    object: Option<&'m Value>,
    /// Whether the object is an update of the status.
    status: bool,
    /// Whether the API accepts the object; null without an object.
    accepted: Option<bool>,
}

impl Unnoticed {
    fn diagnostic(&self, change: String) -> Diagnostic {
        let path = &self.mutant.places[0].path;
        let rule = self.mutant.rule.map(|rule| format!("rule {} of ", rule + 1)).unwrap_or_default();
        let message = format!("no case notices a change of {rule}`{path}`{change}");
        let diagnostic = Diagnostic::warning("suite::survivor", message).help("add a case with such an object");
        let diagnostic = match &self.source {
            Some(source) => source.locate(diagnostic),
            None => diagnostic,
        };
        diagnostic.of_crd(&self.crd, Some(self.version.clone()), path.text())
    }

    fn document(&self) -> UnnoticedMutant<'_> {
        let Self { mutant, verdict, .. } = self;
        let (word, reason, notice) = match verdict {
            Verdict::Survived { notice } => ("survived", None, Some(notice)),
            Verdict::Undecided { reason } => ("undecided", Some(*reason), None),
            Verdict::Killed { .. } | Verdict::Equal => ("equal", None, None),
        };
        UnnoticedMutant {
            name: &mutant.name,
            operator: mutant.operator,
            change: &mutant.change,
            crd: &self.crd,
            version: &self.version,
            path: mutant.places[0].path.text(),
            source: self.source.as_ref(),
            verdict: word,
            reason,
            old: notice.and_then(|notice| notice.old.as_ref()),
            object: notice.map(|notice| &notice.object),
            status: notice.is_some_and(|notice| notice.is_status),
            accepted: notice.map(|notice| notice.is_accepted),
        }
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
