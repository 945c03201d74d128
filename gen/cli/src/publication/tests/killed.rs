//! Killed at each call that changes something: each tree is old, whole new, or absent, and the next run succeeds.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;

use super::trace::{Call, changing, changing_calls, has_strace};
use super::*;
use crate::parallel;

/// What came of all kills.
#[derive(Debug, Default)]
struct Sweep {
    kills: usize,
    /// Which states were seen: dist and bundle.
    states: BTreeSet<(String, String)>,
    problems: Vec<String>,
}

/// Kills a task at each of its changing calls, each time in a place of its own.
fn sweep(task: &str, place: impl Fn() -> Place + Sync, more: &[&str]) -> Sweep {
    let mut calls = changing_calls(task, place().root(), more);
    // What is refused anyway changes nothing, and strace does one thing with a call.
    calls.retain(|call| more.iter().all(|argument| !argument.contains(&format!("={}:", call.name))));
    let results = parallel::each(&calls, |call| kill(task, &place(), call, more));
    let mut sweep = Sweep { kills: calls.len(), ..Sweep::default() };
    for result in results {
        match result {
            Ok(states) => _ = sweep.states.insert(states),
            Err(problem) => sweep.problems.push(problem),
        }
    }
    sweep
}

fn kill(task: &str, place: &Place, call: &Call, more: &[&str]) -> Result<(String, String), String> {
    let fault = |what: String| Err(format!("{} {}: {what}: {}", call.name, call.ordinal, call.line));
    let (trace, inject) =
        (format!("trace={}", changing()), format!("inject={}:signal=SIGKILL:when={}", call.name, call.ordinal));
    let before = [&["strace", "-f", "-o", "/dev/null", "-e", &trace], more, &["-e", &inject]].concat();
    let output = process(&before, task, place.root()).output().unwrap();
    if output.status.signal() != Some(9) {
        return fault(format!("was not killed: {output:?}"));
    }
    let states = place.states();
    let is_torn = |state: &str| !["old", "new", "absent"].contains(&state);
    if is_torn(&states.0) || is_torn(&states.1) {
        return fault(format!("{states:?}"));
    }
    // Whatever was left is recognised as ours: nobody has to commit or remove it.
    for (folder, prefix) in [("", ""), ("bundles", "bundles/")] {
        for name in names(&place.root().join(folder)) {
            if !["bundles", "dist", "v1.0.0"].contains(&name.as_str()) && !is_own(&format!("{prefix}{name}")) {
                return fault(format!("left {prefix}{name}"));
            }
        }
    }
    // The command does not publish a bundle again that is there.
    if let Err(faults) = publish(&publication(place.root(), states.1 == "absent" && task != "dist")) {
        return fault(format!("the rerun fails: {faults:?}"));
    }
    let whole = ("new".to_owned(), if task == "dist" { "absent" } else { "new" }.to_owned());
    if place.states() != whole {
        return fault(format!("the rerun leaves {:?}", place.states()));
    }
    let left = [names(place.root()), names(&place.root().join("bundles"))].concat();
    if left.iter().any(|name| name.starts_with('.')) {
        return fault(format!("the rerun leaves {left:?}"));
    }
    Ok(states)
}

#[track_caller]
fn saw(sweep: &Sweep, expected: &[(&str, &str)]) {
    assert!(sweep.problems.is_empty(), "{:#?}", sweep.problems);
    let expected = expected.iter().map(|(dist, bundle)| ((*dist).to_owned(), (*bundle).to_owned())).collect();
    assert_eq!(sweep.states, expected);
    println!("{} kills", sweep.kills);
}

#[test]
fn the_first_release() {
    if has_strace() {
        let states = [("absent", "absent"), ("new", "absent"), ("new", "new")];
        saw(&sweep("release", Place::new, &[]), &states);
    }
}

#[test]
fn a_later_release() {
    if has_strace() {
        // Never absent: the old one and the new one change places.
        let states = [("old", "absent"), ("new", "absent"), ("new", "new")];
        saw(&sweep("release", Place::with_old_dist, &[]), &states);
    }
}

#[test]
fn a_release_that_is_there() {
    if has_strace() {
        saw(&sweep("dist", Place::with_old_dist, &[]), &[("old", "absent"), ("new", "absent")]);
    }
}

/// Where folders cannot change places.
#[test]
fn a_release_without_exchange() {
    if has_strace() {
        let more = ["-e", "inject=renameat2:error=EINVAL"];
        let sweep = sweep("release", Place::with_old_dist, &more);
        saw(&sweep, &[("old", "absent"), ("absent", "absent"), ("new", "absent"), ("new", "new")]);
    }
}

/// The sweep would notice.
#[test]
fn what_is_written_in_place_is_found_torn() {
    if has_strace() {
        let sweep = sweep("careless", Place::new, &[]);
        let torn = sweep.problems.iter().filter(|problem| problem.contains("torn: ")).count();
        assert!(torn > 10, "{sweep:?}");
    }
}
