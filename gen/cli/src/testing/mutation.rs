//! `--mutants`: which small mistakes in the API the cases notice.
//!
//! Invariants: mutants are those of the last channel, which contains the other one, on the newest minor.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

use clap::Arg;
use crd_diagnostics::layout::count;
use crd_generate::AnnotatedResource;
use crd_generator::session::Session;
use crd_suite::mutation::mutated::{self, mutated};

use super::type_lines::LinesOfTypes;
use super::{Testing, percent};
use crate::arguments::{flag, option};

pub(crate) const MUTANTS: &str = "mutants";
pub(crate) const MUTANT: &str = "mutant";
pub(crate) const MIN_SCORE: &str = "min-score";

pub(crate) fn arguments() -> [Arg; 3] {
    [
        flag(MUTANTS, "Report which small mistakes in the API no case notices, each with an object that would"),
        option(MUTANT, "TEXT", "Run the mutants with this text in their name").requires(MUTANTS),
        option(MIN_SCORE, "PERCENT", "Exit with 1 if cases notice fewer of 100 mutants")
            .requires(MUTANTS)
            .value_parser(percent),
    ]
}

/// What is asked for.
pub(crate) struct Asked {
    /// A part of the names of mutants.
    pub(crate) name: Option<String>,
    pub(crate) min_score: Option<f64>,
}

/// Adds what became of the mutants of the last channel to the results.
pub(crate) fn add(testing: &mut Testing, types: &[AnnotatedResource], asked: &Asked, session: &Session<'_>) {
    let Some(((channel, crds), minor)) = testing.channels.last().zip(testing.minors.last()) else { return };
    session.begin("preparing the mutants");
    let (activity, shown) = (session.activity(), AtomicUsize::new(0));
    let progress = |done: usize, all: usize, cases: usize| {
        let twentieth = done * 20 / all.max(1);
        if let Some(activity) = activity
            && shown.fetch_max(twentieth, Ordering::Relaxed) < twentieth
        {
            activity.begin(format!("running {done} of {} against {}", count(all, "mutant"), count(cases, "case")));
        }
    };
    let threads = available_parallelism().map_or(1, |threads| threads.get());
    let asked = mutated::Asked { name: asked.name.as_deref(), min_score: asked.min_score, threads };
    testing.mutation = mutated((*channel, crds), &testing.suites, *minor, asked, &LinesOfTypes(types), &progress);
}
