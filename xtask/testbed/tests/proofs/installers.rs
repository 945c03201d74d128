//! The table of what installers do to CRDs (`crd_upgrade::installers`): each row runs on a server.
//!
//! Invariants: each row has a CRD, a chart and a release of its own, so that rows run at the same time. A row compares the exit code, the requests,
//! the content of the CRD, what another program added, and the owner. A row with a source sends the requests that the source sends.

mod case;
mod flux;
mod page;
mod recorder;

use std::sync::OnceLock;

use crd_upgrade::installers::{Row, rows};

use crate::server::{self, Crds, Server};

/// A sample has one of so many rows.
const SAMPLE: usize = 4;
/// Rows that run at the same time, each with a recorder of its own.
const WORKERS: usize = 3;

/// The rows, each with what differs from it. Prints `skipped` and returns `None` if Go is needed and not installed.
fn differences() -> Option<&'static [(&'static Row, Vec<String>)]> {
    static RUN: OnceLock<Option<Vec<(&'static Row, Vec<String>)>>> = OnceLock::new();
    RUN.get_or_init(|| {
        let programs = case::Programs::find()?;
        let server = server::start(Crds::Nothing)?;
        Some(run(&server, &programs))
    })
    .as_deref()
}

fn run(server: &Server, programs: &case::Programs) -> Vec<(&'static Row, Vec<String>)> {
    let controller = programs.helm_controller.as_ref().map(|program| flux::Controller::start(server, program));
    // A sample has every fourth row.
    let is_chosen = |number: usize| crd_testdata::is_proof() || number.is_multiple_of(SAMPLE);
    let all = rows().iter().enumerate().filter(|(number, _)| is_chosen(*number));
    let (by_controller, others) =
        all.partition::<Vec<_>, _>(|(_, row)| controller.is_some() && case::policy(row.installer).is_some());
    let differences = |(number, row): (usize, &'static Row), recorder: &recorder::Recorder| {
        (number, row, case::Case::new(number, server, recorder, programs, controller.as_ref()).differences(row))
    };
    let worker = |first: usize| {
        let recorder = recorder::Recorder::start(server);
        let own = others.iter().skip(first).step_by(WORKERS);
        own.map(|row| differences(*row, &recorder)).collect::<Vec<_>>()
    };
    let mut all = std::thread::scope(|scope| {
        let workers = (0..WORKERS).map(|first| scope.spawn(move || worker(first))).collect::<Vec<_>>();
        // The controller has one recorder, so its rows run one after the other.
        let own = controller.iter().flat_map(|controller| {
            by_controller.iter().map(|row| differences(*row, &controller.recorder)).collect::<Vec<_>>()
        });
        let mut all = own.collect::<Vec<_>>();
        all.extend(workers.into_iter().flat_map(|worker| worker.join().expect("a worker does not panic")));
        all
    });
    all.sort_by_key(|(number, ..)| *number);
    all.into_iter().map(|(_, row, differences)| (row, differences)).collect()
}

#[test]
fn installers_do_what_the_table_states() {
    let Some(run) = differences() else { return };
    let of = if crd_testdata::is_proof() { 1 } else { SAMPLE };
    assert_eq!(run.len(), rows().len().div_ceil(of));
    let wrong = run.iter().filter(|(_, differences)| !differences.is_empty()).collect::<Vec<_>>();
    assert!(wrong.is_empty(), "{} of {} rows differ: {wrong:#?}", wrong.len(), run.len());
}
