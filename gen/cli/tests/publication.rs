//! `release` as a process that is killed: at each call that changes something, and at random times. Each of its two trees is then the old
//! one, the complete new one, or absent, and the same command succeeds afterwards.
//!
//! A small API permits many kills. This test program runs itself again for the command. `xtask/tests/release_kills.rs` does the same with
//! Gateway API and the real program, and the unit tests of the publication cover each step.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::support::killed::{self, calls, each, has_strace, killed_at};
use crate::support::{Place, files_below, things};
use crd_channels_cli::Exit;

type Files = BTreeMap<String, Vec<u8>>;

fn release(date: &str) -> [&str; 4] {
    ["release", "v1.2.0", "--date", date]
}

/// A process that releases.
fn process(root: &Path) -> Command {
    killed::process(&[], root, &release("2026-11-21"))
}

/// The files of a release, and the `dist` of an earlier release.
struct Known {
    bundle: Files,
    new_dist: Files,
    old_dist: Files,
}

impl Known {
    fn new() -> Self {
        let made = |date: &str| {
            let place = Place::with(&things());
            let ran = place.run(&things(), &release(date));
            assert_eq!(ran.exit, Exit::Fine, "{}", ran.err);
            (files_below(&place.path().join("bundles/v1.2.0")), files_below(&place.path().join("dist")))
        };
        let ((bundle, new_dist), (_, old_dist)) = (made("2026-11-21"), made("2020-01-01"));
        assert!(bundle.len() > 5 && new_dist.len() > 5 && new_dist != old_dist);
        Self { bundle, new_dist, old_dist }
    }

    /// A workspace with the `dist` of the earlier release.
    fn place(&self) -> Place {
        let place = Place::with(&things());
        for (name, bytes) in &self.old_dist {
            place.write(&format!("dist/{name}"), bytes);
        }
        place
    }

    /// The inode, which distinguishes the old `dist` from a new one.
    fn inode(place: &Place) -> u64 {
        fs::metadata(place.path().join("dist")).unwrap().ino()
    }

    /// The states of `dist` and of the bundle.
    fn states(&self, place: &Place) -> Result<(&'static str, &'static str), String> {
        let state = |path: &str, known: &[(&'static str, &Files)]| {
            let folder = place.path().join(path);
            if fs::symlink_metadata(&folder).is_err() {
                return Ok("absent");
            }
            let found = files_below(&folder);
            let same = known.iter().find(|(_, files)| **files == found).map(|(name, _)| *name);
            same.ok_or_else(|| format!("{path} is torn: {:?}", found.keys().collect::<Vec<_>>()))
        };
        Ok((
            state("dist", &[("old", &self.old_dist), ("new", &self.new_dist)])?,
            state("bundles/v1.2.0", &[("new", &self.bundle)])?,
        ))
    }

    /// The states after a kill, if they are correct and the same command succeeds afterwards.
    fn check(&self, place: &Place) -> Result<(&'static str, &'static str), String> {
        let states = self.states(place)?;
        let ran = place.run(&things(), &release("2026-11-21"));
        if ran.exit != Exit::Fine {
            return Err(format!("{states:?}, and the rerun fails: {}", ran.err));
        }
        let after = self.states(place)?;
        let left = [names(place.path()), names(&place.path().join("bundles"))].concat();
        if after != ("new", "new") || left.iter().any(|name| name.starts_with('.')) {
            return Err(format!("{states:?}, and after the rerun {after:?} with {left:?}"));
        }
        Ok(states)
    }
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn at_each_call_that_changes_something() {
    if !has_strace() {
        return;
    }
    let known = Known::new();
    let calls = calls(known.place().path(), &release("2026-11-21"));
    // Each rename is in a sample, because before it another tree is published than after it.
    let calls = crd_testdata::sample_of(calls, |(name, ..)| name.starts_with("rename"));
    let started = Instant::now();
    let results = each(&calls, |call| {
        let place = known.place();
        killed_at(call, place.path(), &release("2026-11-21"));
        known.check(&place).unwrap_or_else(|problem| panic!("{}: {problem}", call.2))
    });
    println!("{} kills, each before another call, in {:?}", results.len(), started.elapsed());
    let seen = results.into_iter().collect::<BTreeSet<_>>();
    assert_eq!(seen, BTreeSet::from([("old", "absent"), ("new", "absent"), ("new", "new")]));
}

/// Leaves the processor to the process that is watched.
fn pause() {
    std::thread::sleep(Duration::from_micros(50));
}

/// The time from the start of a release until a tree is staged, until `dist` is the new one, and until the end.
struct Timed {
    staged: Duration,
    placed: Duration,
    ended: Duration,
}

impl Known {
    fn spawn(place: &Place) -> Child {
        process(place.path()).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
    }

    /// Whether a release has reached its staging, or replaced this `dist`.
    fn has_come(place: &Place, child: &Child, old: Option<u64>) -> bool {
        match old {
            None => place.path().join(format!(".dist-{}.tmp", child.id())).exists(),
            Some(old) => fs::metadata(place.path().join("dist")).is_ok_and(|now| now.ino() != old),
        }
    }

    fn time(&self) -> Timed {
        let place = self.place();
        let old = Self::inode(&place);
        let started = Instant::now();
        let mut child = Self::spawn(&place);
        let (mut staged, mut placed) = (None, None);
        while child.try_wait().unwrap().is_none() {
            if staged.is_none() && Self::has_come(&place, &child, None) {
                staged = Some(started.elapsed());
            }
            if placed.is_none() && Self::has_come(&place, &child, Some(old)) {
                placed = Some(started.elapsed());
            }
            pause();
        }
        let ended = started.elapsed();
        Timed { staged: staged.unwrap_or(ended), placed: placed.unwrap_or(ended), ended }
    }
}

/// The share of the measured times that a kill waits for, for each stage: the machine can be less busy than during the measurement, so that kills
/// come too late. At most about a third of them do, and the rest remains spread over the whole time.
struct Shares(Mutex<[f64; 3]>);

impl Shares {
    fn of(&self, stage: usize) -> f64 {
        self.0.lock().unwrap()[stage]
    }

    fn learn(&self, stage: usize, was_killed: bool) {
        let share = &mut self.0.lock().unwrap()[stage];
        *share = (*share * if was_killed { 1.1 } else { 0.8 }).min(1.0);
    }
}

#[test]
fn at_random_moments() {
    let kills = crd_testdata::sample(200);
    let known = Known::new();
    let timed = (0..3).map(|_| known.time()).min_by_key(|timed| timed.ended).unwrap();
    let (killed, shares) = (Mutex::new(BTreeMap::new()), Shares(Mutex::new([1.0; 3])));
    // More than enough: kills at the start of a release are never too late for long.
    let attempts = (0..12 * kills).collect::<Vec<_>>();
    each(&attempts, |number| {
        if killed.lock().unwrap().values().sum::<usize>() >= kills {
            return;
        }
        let place = known.place();
        let old = Known::inode(&place);
        // Spread by the golden ratio, which leaves no gap for long: at any time, while files are written, and at the end.
        let spread = (*number as f64 * 0.618_033_988_75).fract();
        let mut child = Known::spawn(&place);
        let is_running = |child: &mut Child| child.try_wait().unwrap().is_none();
        let rest = match number % 3 {
            0 => timed.ended,
            1 => {
                while is_running(&mut child) && !Known::has_come(&place, &child, None) {
                    pause();
                }
                timed.placed.saturating_sub(timed.staged)
            }
            _ => {
                while is_running(&mut child) && !Known::has_come(&place, &child, Some(old)) {
                    pause();
                }
                timed.ended.saturating_sub(timed.placed)
            }
        };
        std::thread::sleep(rest.mul_f64(spread * shares.of(number % 3)));
        child.kill().unwrap();
        let was_killed = child.wait().unwrap().signal() == Some(9);
        shares.learn(number % 3, was_killed);
        let states = known.check(&place).unwrap_or_else(|problem| panic!("kill {number}: {problem}"));
        if was_killed {
            *killed.lock().unwrap().entry(states).or_default() += 1;
        }
    });
    let killed = killed.into_inner().unwrap();
    println!(
        "{} kills at random moments: {killed:?}; staged after {:?}, placed after {:?}, ended after {:?}",
        killed.values().sum::<usize>(),
        timed.staged,
        timed.placed,
        timed.ended
    );
    assert!(killed.values().sum::<usize>() >= kills, "{killed:?}");
}

/// One release publishes. Each other one reports the lock, or finds the published bundle.
#[test]
fn one_of_several_releases_publishes() {
    let known = Known::new();
    for _ in 0..3 {
        let place = known.place();
        let spawn = || process(place.path()).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let started = (0..6).map(|_| spawn()).collect::<Vec<_>>();
        let (mut made, mut again, mut locked) = (0, 0, 0);
        for child in started {
            let output = child.wait_with_output().unwrap();
            let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
            match output.status.code() {
                Some(0) if out.contains("bundles/v1.2.0: ") && out.contains(", written\ndist: ") => made += 1,
                // It started after the first had ended, and wrote `dist` again.
                Some(0) if out.contains(", unchanged\ndist: ") => again += 1,
                Some(2) if err.contains("bundles/.release.lock: is held by another release") => locked += 1,
                _ => panic!("{output:?}"),
            }
        }
        assert_eq!(known.states(&place), Ok(("new", "new")));
        assert_eq!((made, again + locked), (1, 5));
    }
}

#[test]
fn a_release_reports_the_process_that_holds_the_lock() {
    let known = Known::new();
    let place = known.place();
    place.write("bundles/.release.lock", format!("{}\n", std::process::id()));
    let lock = File::open(place.path().join("bundles/.release.lock")).unwrap();
    lock.lock().unwrap();
    let output = process(place.path()).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    let expected = format!("bundles/.release.lock: is held by another release (process {})", std::process::id());
    assert!(output.status.code() == Some(2) && err.contains(&expected), "{output:?}");
    assert_eq!(known.states(&place), Ok(("old", "absent")));
}
