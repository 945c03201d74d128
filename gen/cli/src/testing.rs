//! Runs of suites, without a server.
//!
//! Steps: arguments → files → suites (`files`) → the CRDs of each channel (`crds`) → results by channel and minor → a report (`report`), or new
//! files (`update`).
//!
//! Invariants: all errors of all files are reported together. Every requested channel and minor is run; a failure states in which it occurs.

pub(crate) mod coverage;
mod crds;
mod files;
pub(crate) mod mutation;
pub(crate) mod proposal;
pub(crate) mod report;
mod type_lines;
pub(crate) mod update;

use std::ffi::OsString;
use std::path::Path;

use crd_diagnostics::layout::count;
use crd_diagnostics::{Diagnostic, both};
use crd_generator::session::Session;
use crd_model::channel::Channel;
use crd_suite::Suite;
use crd_suite::coverage::covered::Covered;
use crd_suite::mutation::mutated::Mutation;
use crd_suite::objects::validation::minors_in_words;
use crd_suite::tested::{Tested, asked, tested};
use crd_suite::used::ByChannel;

use crate::validation::Against;

fn percent(text: &str) -> Result<f64, &'static str> {
    let percent = text.parse::<f64>().ok().filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or("a percentage is a number from 0 to 100")
}

#[derive(Clone, Debug)]
pub(crate) struct Request<'r> {
    /// Files and folders; without any, all suites below the root.
    pub(crate) files: Vec<OsString>,
    pub(crate) root: Option<&'r Path>,
    /// A channel; none: every channel.
    pub(crate) channel: Option<Channel>,
    /// The Kubernetes minors (1.x), lowest first.
    pub(crate) minors: Vec<u32>,
    /// Whether the user named them.
    pub(crate) are_minors_chosen: bool,
    /// A part of the names of cases or files.
    pub(crate) filter: Option<String>,
    /// Whether CRDs of kinds without a case are read too.
    pub(crate) is_of_all_kinds: bool,
    /// Whether answers are kept, for `--update`.
    pub(crate) keeps_answers: bool,
}

/// Suites, the CRDs they were run against, and the results.
#[derive(Debug)]
pub(crate) struct Testing {
    pub(crate) suites: Vec<Suite>,
    pub(crate) channels: ByChannel,
    pub(crate) minors: Vec<u32>,
    /// Whether the user chose a channel or minors, so that other cases are skipped.
    pub(crate) is_of_some: bool,
    /// For each suite, its cases.
    pub(crate) results: Vec<Vec<Tested>>,
    pub(crate) warnings: Vec<Diagnostic>,
    /// What the cases cover, if that is asked for, and the percentage that is required.
    pub(crate) coverage: Option<(Covered, f64)>,
    /// With `--mutants`.
    pub(crate) mutation: Option<Mutation>,
}

/// Reads suites and CRDs, and runs the cases.
pub(crate) fn test(
    request: &Request<'_>,
    against: Result<Against<'_>, Vec<Diagnostic>>,
    choice: &crd_bundle::published::choice::Choice,
    session: &Session<'_>,
) -> Result<Testing, Vec<Diagnostic>> {
    session.begin("reading the suites");
    let suites = files::suites(request, session);
    let known = against.and_then(|against| crds::channels(&against, request.channel, choice, session));
    let (suites, mut read) = both(suites, known)?;
    let warnings = std::mem::take(&mut read.warnings);
    let minors = asked(&request.minors, &suites);
    let channels = read.used(&suites, &Request { minors: minors.clone(), ..request.clone() })?;
    let cases = suites.iter().map(|suite| suite.cases.len()).sum();
    session.begin(format_args!(
        "running {} of {} in {} on Kubernetes {}",
        count(cases, "case"),
        count(suites.len(), "suite"),
        count(channels.len(), "channel"),
        minors_in_words(&minors)
    ));
    let results = tested(&suites, &channels, &minors, request.keeps_answers);
    let is_of_some = request.channel.is_some() || request.are_minors_chosen;
    Ok(Testing { suites, channels, minors, is_of_some, results, warnings, coverage: None, mutation: None })
}
