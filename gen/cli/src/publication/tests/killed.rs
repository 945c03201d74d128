//! A release is killed at each call that changes something: each tree is old, new or absent, and the next run succeeds.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;

use crd_model::parallel;

use super::trace::{Call, changing, changing_calls, has_strace};
use super::*;

/// The results of all kills.
#[derive(Debug, Default)]
struct Sweep {
    kills: usize,
    /// The states that were seen: `dist` and bundle.
    states: BTreeSet<(String, String)>,
    problems: Vec<String>,
}

/// Kills a task at each of its changing calls, each time in a new folder.
fn sweep(task: &str, workspace: impl Fn() -> Workspace + Sync, more: &[&str]) -> Sweep {
    let mut calls = changing_calls(task, workspace().root(), more);
    // Calls that fail anyway change nothing, and strace can do only one thing with a call.
    calls.retain(|call| more.iter().all(|argument| !argument.contains(&format!("={}:", call.name))));
    let calls = crd_testdata::sample_of(calls, |call| call.name.starts_with("rename"));
    let results = parallel::each(&calls, |call| kill(task, &workspace(), call, more));
    let mut sweep = Sweep { kills: calls.len(), ..Sweep::default() };
    for result in results {
        match result {
            Ok(states) => _ = sweep.states.insert(states),
            Err(problem) => sweep.problems.push(problem),
        }
    }
    sweep
}

fn kill(task: &str, workspace: &Workspace, call: &Call, more: &[&str]) -> Result<(String, String), String> {
    let fault = |what: String| Err(format!("{} {}: {what}: {}", call.name, call.ordinal, call.line));
    let (trace, inject) =
        (format!("trace={}", changing()), format!("inject={}:signal=SIGKILL:when={}", call.name, call.ordinal));
    let before = [&["strace", "-f", "-o", "/dev/null", "-e", &trace], more, &["-e", &inject]].concat();
    let output = process(&before, task, workspace.root()).output().unwrap();
    if output.status.signal() != Some(9) {
        return fault(format!("was not killed: {output:?}"));
    }
    let states = workspace.states();
    let is_torn = |state: &str| !["old", "new", "absent"].contains(&state);
    if is_torn(&states.0) || is_torn(&states.1) {
        return fault(format!("{states:?}"));
    }
    // Everything that is left is recognized: users need neither commit nor remove it.
    for (folder, prefix) in [("", ""), ("bundles", "bundles/")] {
        for name in names(&workspace.root().join(folder)) {
            if !["bundles", "dist", "v1.0.0"].contains(&name.as_str()) && !is_own(&format!("{prefix}{name}")) {
                return fault(format!("left {prefix}{name}"));
            }
        }
    }
    // The command does not publish an existing bundle again.
    if let Err(faults) = publish(&publication(workspace.root(), states.1 == "absent" && task != "dist")) {
        return fault(format!("the rerun fails: {faults:?}"));
    }
    let whole = ("new".to_owned(), if task == "dist" { "absent" } else { "new" }.to_owned());
    if workspace.states() != whole {
        return fault(format!("the rerun leaves {:?}", workspace.states()));
    }
    let left = [names(workspace.root()), names(&workspace.root().join("bundles"))].concat();
    if left.iter().any(|name| name.starts_with('.')) {
        return fault(format!("the rerun leaves {left:?}"));
    }
    Ok(states)
}

/// `dist` and the bundle after the kills: with an old `dist` it is never absent, because the two change places, unless the system cannot do that.
#[test]
fn each_tree_is_old_new_or_absent() {
    if !has_strace() {
        return;
    }
    let cannot_exchange: &[&str] = &["-e", "inject=renameat2:error=EINVAL"];
    /// Task, workspace before it, arguments of strace, and the states of both trees that may be seen.
    type Case<'c> = (&'c str, fn() -> Workspace, &'c [&'c str], &'c [(&'c str, &'c str)]);
    let cases: [Case<'_>; 4] = [
        ("release", Workspace::new, &[], &[("absent", "absent"), ("new", "absent"), ("new", "new")]),
        ("release", Workspace::with_old_dist, &[], &[("old", "absent"), ("new", "absent"), ("new", "new")]),
        ("dist", Workspace::with_old_dist, &[], &[("old", "absent"), ("new", "absent")]),
        (
            "release",
            Workspace::with_old_dist,
            cannot_exchange,
            &[("old", "absent"), ("absent", "absent"), ("new", "absent"), ("new", "new")],
        ),
    ];
    for (task, workspace, more, expected) in cases {
        let sweep = sweep(task, workspace, more);
        assert!(sweep.problems.is_empty(), "{:#?}", sweep.problems);
        let expected = expected.iter().map(|(dist, bundle)| ((*dist).to_owned(), (*bundle).to_owned())).collect();
        assert_eq!(sweep.states, expected, "{task} {more:?}");
        println!("{} kills", sweep.kills);
    }
}

/// The sweep notices torn files.
#[test]
fn files_written_in_place_are_torn() {
    if has_strace() {
        let sweep = sweep("careless", Workspace::new, &[]);
        let torn = sweep.problems.iter().filter(|problem| problem.contains("torn: ")).count();
        assert!(torn > sweep.kills / 4, "{sweep:?}");
    }
}
