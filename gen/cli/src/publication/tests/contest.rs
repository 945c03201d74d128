//! Several releases at once: one wins, the others say so, and all is whole.

use super::*;

#[test]
fn many_at_once() {
    const MANY: usize = 8;
    let mut told = [0, 0];
    for round in 0..5 {
        let place = if round % 2 == 0 { Place::new() } else { Place::with_old_dist() };
        let started = (0..MANY)
            .map(|_| process(&[], "release", place.root()).stderr(std::process::Stdio::piped()).spawn().unwrap());
        let ended = started.collect::<Vec<_>>().into_iter().map(|child| child.wait_with_output().unwrap());
        let mut winners = 0;
        for output in ended {
            let err = String::from_utf8_lossy(&output.stderr);
            match output.status.code() {
                Some(0) => winners += 1,
                Some(2) if err.contains("bundles/.release.lock: is held by another release") => told[0] += 1,
                // It came when the first had ended.
                Some(2) if err.contains("bundles/v1.0.0: is there already") => told[1] += 1,
                _ => panic!("{output:?}"),
            }
        }
        assert_eq!((winners, place.states()), (1, ("new".to_owned(), "new".to_owned())));
        assert_eq!((names(place.root()).len(), names(&place.root().join("bundles"))), (2, vec!["v1.0.0".to_owned()]));
    }
    println!("{} were told that another release is running, {} that it is there already", told[0], told[1]);
}

#[test]
fn who_holds_the_lock_is_named() {
    let place = Place::with_old_dist();
    let lock = hold(place.root()).unwrap();
    let before = snapshot(place.root());
    let came = run(&[], "release", place.root());
    assert_eq!(came.code, Some(2));
    let expected = format!(
        "error: bundles/.release.lock: is held by another release (process {}), and there is one at a time: wait until it is done, and run this again\n",
        std::process::id()
    );
    assert_eq!(came.err, expected);
    assert_eq!(before, snapshot(place.root()));
    drop(lock);
    assert_eq!(names(place.root()), ["dist"]);
    assert_eq!(run(&[], "release", place.root()).code, Some(0));
}

/// A lock file that a killed process left behind is nobody's lock.
#[test]
fn what_was_left_locks_nobody_out() {
    let place = Place::new();
    for text in ["1\n", "", "no number", "99999999999999999999"] {
        fs::create_dir_all(place.root().join("bundles")).unwrap();
        fs::write(place.root().join("bundles/.release.lock"), text).unwrap();
        drop(hold(place.root()).unwrap());
        // The folder was there before.
        assert_eq!(names(&place.root().join("bundles")), [] as [&str; 0]);
        assert!(place.root().join("bundles").is_dir());
    }
}

/// Killed while it started another program, which has the lock until it runs itself. Here it takes its time.
#[test]
fn a_lock_that_outlives_its_process_is_waited_for() {
    for (seconds, is_taken) in [("1", true), ("20", false)] {
        let place = Place::new();
        // Killed, not ended: the file stays, with its number.
        let mut orphan = process(&[], "orphan", place.root()).env("CRD_PUBLICATION_SECONDS", seconds).spawn().unwrap();
        assert!(!orphan.wait().unwrap().success());
        let file = fs::read_to_string(place.root().join("bundles/.release.lock")).unwrap();
        assert_eq!(file, format!("{}\n", orphan.id()));
        let started = std::time::Instant::now();
        let result = hold(place.root());
        let took = started.elapsed().as_secs_f64();
        match result {
            // On a busy machine it may be gone before we look.
            Ok(_) => assert!(is_taken, "{took}"),
            Err(Fault::File { message, .. }) => {
                assert!(!is_taken && took > 2.0, "{took}");
                assert!(message.starts_with("is held by another release, and there is one at a time: "), "{message}");
            }
            Err(other) => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_lock_that_is_no_file_is_refused() {
    let place = Place::new();
    let lock = place.root().join("bundles/.release.lock");
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    let elsewhere = place.root().join("elsewhere");
    std::os::unix::fs::symlink(&elsewhere, &lock).unwrap();
    let said = publish(&publication(place.root(), true)).unwrap_err();
    assert!(said[0].starts_with("bundles/.release.lock: is a symlink, and is not followed: "), "{said:?}");
    assert!(!elsewhere.exists());
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    let said = publish(&publication(place.root(), true)).unwrap_err();
    assert!(said[0].starts_with("bundles/.release.lock: is a folder, and a file is needed there: "), "{said:?}");
}
