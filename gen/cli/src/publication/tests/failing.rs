//! Each system call fails once: nothing has changed, or both trees are published.

use crd_model::parallel;

use super::trace::{Call, all_calls, calls, changing, changing_calls, has_strace};
use super::*;

/// Runs a release in which a system call fails.
fn failing(workspace: &Workspace, inject: &str) -> Ended {
    let inject = format!("inject={inject}");
    run(&["strace", "-f", "-o", "/dev/null", "-e", "trace=all", "-e", &inject], "release", workspace.root())
}

#[test]
fn each_call() {
    if !has_strace() {
        return;
    }
    let kinds = format!("{},?getdents64,?flock", changing());
    let calls = calls("release", Workspace::with_old_dist().root(), &kinds, &[]);
    let calls = crd_testdata::sample_of(calls, |call| call.name.starts_with("rename"));
    let results = parallel::each(&calls, |call| {
        let workspace = Workspace::with_old_dist();
        let before = snapshot(workspace.root());
        let ended = failing(&workspace, &format!("{}:error=EIO:when={}", call.name, call.ordinal));
        let (dist, bundle) = workspace.states();
        let what = format!("{} {}: {ended:?}, {dist}, {bundle}: {}", call.name, call.ordinal, call.line);
        match ended.code {
            // The process id in the lock file and the removal of old folders may fail.
            Some(0) => assert_eq!((&*dist, &*bundle), ("new", "new"), "{what}"),
            Some(2) if ended.err.contains("The release is in place, but a loss of power may still undo it") => {
                assert_eq!((&*dist, &*bundle), ("new", "new"), "{what}");
                assert!(call.line.contains("/bundles\", O_RDONLY") || call.name == "fsync", "{what}");
            }
            Some(2) => {
                assert!(ended.err.starts_with("error: ") && ended.err.contains("Input/output error"), "{what}");
                assert_eq!(before, snapshot(workspace.root()), "{what}");
            }
            _ => panic!("{what}"),
        }
        publish(&publication(workspace.root(), bundle == "absent")).unwrap();
        assert_eq!(workspace.states(), ("new".to_owned(), "new".to_owned()), "{what}");
        assert_eq!(
            (names(workspace.root()).len(), names(&workspace.root().join("bundles"))),
            (2, vec!["v1.0.0".to_owned()])
        );
        ended.code
    });
    let refused = results.iter().filter(|code| **code == Some(2)).count();
    println!("{} calls failed, {refused} of them ended the release", results.len());
    assert!(refused > results.len() / 4, "{refused} of {}", results.len());
}

/// The bundle cannot be renamed, and `dist` cannot be put back.
#[test]
fn a_failed_undo_is_reported() {
    if !has_strace() {
        return;
    }
    let workspace = Workspace::with_old_dist();
    let ended = failing(&workspace, "renameat2:error=EIO:when=2+");
    let lines = ended.err.lines().filter(|line| line.starts_with("error: ")).collect::<Vec<_>>();
    assert_eq!(ended.code, Some(2));
    assert_eq!(lines[0], "error: bundles/v1.0.0: cannot be put in place: Input/output error (os error 5)");
    let words =
        "error: dist: cannot be put back as it was after the failure: Input/output error (os error 5). The old one is ";
    let kept = lines[1].strip_prefix(words).unwrap_or_else(|| panic!("{lines:?}"));
    assert_eq!((lines.len(), workspace.states()), (2, ("new".to_owned(), "absent".to_owned())));
    assert_eq!(read(Path::new(kept)), dist("old"));
}

/// Systems that support neither exchange nor rename without replacing.
#[test]
fn old_systems() {
    if !has_strace() {
        return;
    }
    for error in ["EINVAL", "ENOSYS", "EOPNOTSUPP"] {
        let workspace = Workspace::with_old_dist();
        let inject = format!("inject=renameat2:error={error}");
        let calls = changing_calls("release", workspace.root(), &["-e", &inject]);
        assert_eq!(workspace.states(), ("new".to_owned(), "new".to_owned()));
        assert_eq!(
            (names(workspace.root()).len(), names(&workspace.root().join("bundles"))),
            (2, vec!["v1.0.0".to_owned()])
        );
        let renames = calls.iter().filter(|call| call.name.starts_with("rename")).map(|call| call.name.as_str());
        assert_eq!(renames.filter(|name| *name != "renameat2").count(), 3, "{calls:?}");
        // And a failure is undone there too: the third plain rename is that of the bundle.
        for ordinal in 1..=3 {
            let workspace = Workspace::with_old_dist();
            let before = snapshot(workspace.root());
            let plain = calls.iter().find(|call| call.name.starts_with("rename") && call.name != "renameat2").unwrap();
            let second = format!("inject={}:error=EIO:when={ordinal}", plain.name);
            let wanted = ["strace", "-f", "-o", "/dev/null", "-e", "trace=all", "-e", &inject, "-e", &second];
            let ended = run(&wanted, "release", workspace.root());
            assert_eq!((ended.code, snapshot(workspace.root())), (Some(2), before), "{ordinal}: {}", ended.err);
        }
    }
}

/// Trees are synced before they are renamed, in the order that a loss of power must find.
#[test]
fn everything_is_synced_in_its_order() {
    if !has_strace() {
        return;
    }
    let workspace = Workspace::with_old_dist();
    let calls = all_calls("release", workspace.root(), &changing(), &["-y"]);
    let calls = calls.into_iter().filter(Call::is_changing).collect::<Vec<_>>();
    let root = workspace.root().canonicalize().unwrap().display().to_string();
    let lines = calls.iter().map(|call| call.line.replace(&root, "ROOT")).collect::<Vec<_>>();
    let last =
        |part: &str| lines.iter().rposition(|line| line.contains(part)).unwrap_or_else(|| panic!("{part}: {lines:#?}"));
    let renames = lines.iter().enumerate().filter(|(_, line)| line.starts_with("renameat2(")).map(|(at, _)| at);
    let renames = renames.collect::<Vec<_>>();
    assert_eq!(renames.len(), 2, "{lines:#?}");
    assert!(lines[renames[0]].contains("RENAME_EXCHANGE") && lines[renames[0]].contains("ROOT/dist\""));
    assert!(lines[renames[1]].contains("RENAME_NOREPLACE") && lines[renames[1]].contains("ROOT/bundles/v1.0.0\""));
    for (tree, staged) in [(dist("new"), "ROOT/.dist-"), (bundle(), "ROOT/bundles/.release-")] {
        let of = |call: &str, path: &str| {
            let matching = |line: &&String| {
                line.starts_with(call) && line.contains(staged) && line.contains(&format!(".tmp{path}>"))
            };
            lines.iter().rposition(|line| matching(&line)).unwrap_or_else(|| panic!("{call} {path}: {lines:#?}"))
        };
        for path in tree.keys() {
            let (path, above) = (format!("/{path}"), format!("/{path}").rsplit_once('/').unwrap().0.to_owned());
            let order = [
                of("write(", &path),
                of("fchmod(", &path),
                of("fsync(", &path),
                of("fsync(", &above),
                of("fsync(", ""),
                renames[0],
            ];
            assert!(order.is_sorted(), "{path}: {order:?} {lines:#?}");
        }
    }
    assert!(
        renames[0] < last("ROOT>) ") && lines[last("ROOT>) ")].starts_with("fsync(") && last("ROOT>) ") < renames[1]
    );
    let bundles = last("ROOT/bundles>) ");
    assert!(lines[bundles].starts_with("fsync(") && renames[1] < bundles);
    let removed = lines.iter().position(|line| line.starts_with("unlink") && line.contains("old.tgz")).unwrap();
    assert!(bundles < removed, "{lines:#?}");
}
