//! Several releases at the same time: one publishes, the rest report the lock or the published bundle, and both trees are complete.

use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use super::*;

#[test]
fn one_of_many_releases_publishes() {
    const MANY: usize = 8;
    let mut refused = [0, 0];
    for round in 0..5 {
        let workspace = if round % 2 == 0 { Workspace::new() } else { Workspace::with_old_dist() };
        let started = (0..MANY)
            .map(|_| process(&[], "release", workspace.root()).stderr(std::process::Stdio::piped()).spawn().unwrap());
        let ended = started.collect::<Vec<_>>().into_iter().map(|child| child.wait_with_output().unwrap());
        let mut winners = 0;
        for output in ended {
            let err = String::from_utf8_lossy(&output.stderr);
            match output.status.code() {
                Some(0) => winners += 1,
                Some(2) if err.contains("bundles/.release.lock: is held by another release") => refused[0] += 1,
                // It started after the first had ended.
                Some(2) if err.contains("bundles/v1.0.0: exists already") => refused[1] += 1,
                _ => panic!("{output:?}"),
            }
        }
        assert_eq!((winners, workspace.states()), (1, ("new".to_owned(), "new".to_owned())));
        assert_eq!(
            (names(workspace.root()).len(), names(&workspace.root().join("bundles"))),
            (2, vec!["v1.0.0".to_owned()])
        );
    }
    println!("{} reported another release, {} the published bundle", refused[0], refused[1]);
}

#[test]
fn the_process_that_holds_the_lock_is_reported() {
    let workspace = Workspace::with_old_dist();
    let lock = hold(workspace.root()).unwrap();
    let before = snapshot(workspace.root());
    let ended = run(&[], "release", workspace.root());
    assert_eq!(ended.code, Some(2));
    let expected = format!(
        "error: bundles/.release.lock: is held by another release (process {}), and there is one at a time: wait until it is done, and run this again\n",
        std::process::id()
    );
    assert_eq!(ended.err, expected);
    assert_eq!(before, snapshot(workspace.root()));
    drop(lock);
    assert_eq!(names(workspace.root()), ["dist"]);
    assert_eq!(run(&[], "release", workspace.root()).code, Some(0));
}

/// The lock file of a killed process blocks no release.
#[test]
fn a_left_lock_file_blocks_no_release() {
    let workspace = Workspace::new();
    for text in ["1\n", "", "no number", "99999999999999999999"] {
        fs::create_dir_all(workspace.root().join("bundles")).unwrap();
        fs::write(workspace.root().join("bundles/.release.lock"), text).unwrap();
        drop(hold(workspace.root()).unwrap());
        // The folder existed before.
        assert_eq!(names(&workspace.root().join("bundles")), [] as [&str; 0]);
        assert!(workspace.root().join("bundles").is_dir());
    }
}

/// The process was killed while it started a child process, which keeps the lock until its exec. Here the child keeps it until its input ends.
#[test]
fn a_lock_that_outlives_its_process_is_waited_for() {
    let deadline = Instant::now() + Duration::from_secs(300);
    loop {
        let workspace = Workspace::new();
        // Killed: the file stays, with its process id.
        let mut orphan = process(&[], "orphan", workspace.root()).stdin(Stdio::piped()).spawn().unwrap();
        let input = orphan.stdin.take();
        assert!(!orphan.wait().unwrap().success());
        let file = fs::read_to_string(workspace.root().join("bundles/.release.lock")).unwrap();
        assert_eq!(file, format!("{}\n", orphan.id()));
        // For too long.
        let started = Instant::now();
        let Err(Diagnostic { message, .. }) = hold(workspace.root()) else { panic!("the child has the lock") };
        assert!(started.elapsed() > Duration::from_secs(2), "{:?}", started.elapsed());
        assert!(
            message.starts_with("`.release.lock` is held by another release, and there is one at a time: "),
            "{message}"
        );
        // For a moment.
        let ends = thread::spawn(move || {
            thread::sleep(Duration::from_millis(500));
            drop(input);
        });
        let started = Instant::now();
        let held = hold(workspace.root());
        let took = started.elapsed();
        ends.join().unwrap();
        match held {
            Ok(_) => return,
            // On a busy machine, a moment can be too long as well.
            Err(_) => assert!(took > Duration::from_secs(2) && Instant::now() < deadline, "{took:?}"),
        }
    }
}

#[test]
fn a_lock_that_is_not_a_file_is_refused() {
    let workspace = Workspace::new();
    let lock = workspace.root().join("bundles/.release.lock");
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    let elsewhere = workspace.root().join("elsewhere");
    std::os::unix::fs::symlink(&elsewhere, &lock).unwrap();
    let errors = publish(&publication(workspace.root(), true)).unwrap_err();
    assert!(errors[0].starts_with("bundles/.release.lock: is a symlink, which is not followed"), "{errors:?}");
    assert!(!elsewhere.exists());
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    let errors = publish(&publication(workspace.root(), true)).unwrap_err();
    assert!(errors[0].starts_with("bundles/.release.lock: is a folder, not a file"), "{errors:?}");
}
