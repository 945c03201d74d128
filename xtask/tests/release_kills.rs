//! The release of Gateway API by the real program, killed: each of its two trees is then the old one, the new one whole, or absent, and the
//! same command again succeeds. Also several at once, and disks that take nothing.
//!
//! By default a sample. `cargo xtask prove release-kills` runs all of it, with the optimised program. A small API is released and killed in
//! the same way in `gen/cli/tests/publication.rs`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod release_tools;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, Mutex};
use std::time::Instant;

use release_tools::{flagship, printed, tree};

/// The calls that change something.
const CHANGING: &str = "trace=?open,?openat,?creat,?mkdir,?mkdirat,?write,?pwrite64,?writev,?chmod,?fchmod,?fchmodat,?fchmodat2,?fsync,?fdatasync,\
                        ?rename,?renameat,?renameat2,?unlink,?unlinkat,?rmdir,?link,?linkat,?symlink,?symlinkat,?ftruncate,?truncate";

const BUNDLE: &str = "bundles/v1.7.0";

type Files = BTreeMap<PathBuf, Vec<u8>>;

const PROGRAM: &str = env!("CARGO_BIN_EXE_xtask");

/// A tool that may be absent, unless it must not be.
fn has(tool: &str, arguments: &[&str]) -> bool {
    let is_here = Command::new(tool).args(arguments).output().is_ok_and(|output| output.status.success());
    if !is_here {
        let is_required = std::env::var("CRD_RELEASE_TOOLS").is_ok_and(|value| value == "require");
        assert!(!is_required, "{tool} is required, and `{tool} {}` fails", arguments.join(" "));
        println!("skipped: `{tool} {}` fails", arguments.join(" "));
    }
    is_here
}

/// The command, run by another program: `strace …`.
fn release(before: &[&str], root: &Path, date: &str) -> Command {
    let mut command = match before {
        [] => Command::new(PROGRAM),
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(PROGRAM);
            command
        }
    };
    command.args(["release", "v1.7.0", "--date", date, "--root"]).arg(root);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env_remove("LD_LIBRARY_PATH");
    command
}

const NEW: &str = "2026-11-21";

/// What is committed, what a release makes of it, and what another had published before.
struct Known {
    /// Every file, with those of git; not committed: `dist` of the other release.
    repository: Files,
    bundle: Files,
    new_dist: Files,
    old_dist: Files,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let repository = tempfile::Builder::new().prefix("crd-release-kills-").tempdir().unwrap();
    // No `.gitignore`: files of a killed run do not count as uncommitted changes.
    fs::write(repository.path().join("Cargo.toml"), "[workspace]\n").unwrap();
    flagship(repository.path(), &[]);
    let made = |date: &str| {
        let output = release(&[], repository.path(), date).output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
        let made = (tree(&repository.path().join(BUNDLE)), tree(&repository.path().join("dist")));
        fs::remove_dir_all(repository.path().join(BUNDLE)).unwrap();
        made
    };
    let ((bundle, new_dist), (_, old_dist)) = (made(NEW), made("2020-01-01"));
    assert!(bundle.len() > 20 && new_dist.len() == old_dist.len() && new_dist != old_dist);
    Known { repository: tree(repository.path()), bundle, new_dist, old_dist }
});

/// A clone in which something was released before.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("crd-release-kill-").tempdir().unwrap();
        for (path, bytes) in &KNOWN.repository {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        Self { folder }
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn inode(&self) -> Option<u64> {
        fs::metadata(self.root().join("dist")).ok().map(|metadata| metadata.ino())
    }

    /// What `dist` and the bundle are.
    fn states(&self) -> Result<(&'static str, &'static str), String> {
        let state = |path: &str, known: &[(&'static str, &Files)]| {
            let folder = self.root().join(path);
            if fs::symlink_metadata(&folder).is_err() {
                return Ok("absent");
            }
            let found = tree(&folder);
            let same = known.iter().find(|(_, files)| **files == found).map(|(name, _)| *name);
            same.ok_or_else(|| format!("{path} is torn: {:?}", found.keys().collect::<Vec<_>>()))
        };
        Ok((
            state("dist", &[("old", &KNOWN.old_dist), ("new", &KNOWN.new_dist)])?,
            state(BUNDLE, &[("new", &KNOWN.bundle)])?,
        ))
    }

    /// The states after a kill, if all is well with them and after the same command again.
    fn judge(&self) -> Result<(&'static str, &'static str), String> {
        let states = self.states()?;
        let output = release(&[], self.root(), NEW).output().unwrap();
        if !output.status.success() {
            return Err(format!("{states:?}, and the rerun fails: {}", printed(&output)));
        }
        let after = self.states()?;
        let hidden = [self.root().to_owned(), self.root().join("bundles")].map(|folder| {
            let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            names.filter(|name| name.starts_with('.') && name != ".git").collect::<Vec<_>>()
        });
        match after == ("new", "new") && hidden.concat().is_empty() {
            true => Ok(states),
            false => Err(format!("{states:?}, and after the rerun {after:?} with {hidden:?}")),
        }
    }
}

/// The same with many items, on two threads.
fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, results) = (Mutex::new(items.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let item = next.lock().unwrap().next();
                    let Some(item) = item else { break };
                    let result = work(item);
                    results.lock().unwrap().push(result);
                }
            });
        }
    });
    results.into_inner().unwrap()
}

/// The calls that change something: which one of its name, and the line. Only the first thread writes, and git changes nothing, so no other call
/// else is followed.
fn calls() -> Vec<(String, usize, String)> {
    let place = Place::new();
    let log = tempfile::NamedTempFile::new().unwrap();
    let before = ["strace", "-s", "0", "-o", log.path().to_str().unwrap(), "-e", CHANGING];
    let output = release(&before, place.root(), NEW).output().unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    assert_eq!(place.states(), Ok(("new", "new")));
    let (mut counts, mut calls) = (BTreeMap::<String, usize>::new(), Vec::new());
    for call in fs::read_to_string(log.path()).unwrap().lines() {
        let name = call.split('(').next().unwrap();
        if call.starts_with(['<', '+', '-']) {
            continue;
        }
        let ordinal = counts.entry(name.to_owned()).or_default();
        *ordinal += 1;
        calls.push((name.to_owned(), *ordinal, call.to_owned()));
    }
    calls
}

#[test]
fn at_each_call_that_changes_something() {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let mut calls = calls();
    let all = calls.len();
    // Which thread reads which file is decided anew each time, so calls that open files cannot be counted. What one that makes a file leaves is
    // seen when the next call, which writes to it, is not made; what was before it, when the one before, a sync, is not.
    calls.retain(|(name, ..)| !name.starts_with("open"));
    let changing = calls.len();
    let calls = crd_testdata::sample_of(calls, |(name, ..)| name.starts_with("rename"));
    let started = Instant::now();
    let results = each(&calls, |(name, ordinal, line)| {
        let place = Place::new();
        let inject = format!("inject={name}:signal=SIGKILL:when={ordinal}");
        let before = ["strace", "-o", "/dev/null", "-e", CHANGING, "-e", &inject];
        let output = release(&before, place.root(), NEW).output().unwrap();
        assert_eq!(output.status.signal(), Some(9), "{line}: {}", printed(&output));
        place.judge().unwrap_or_else(|problem| panic!("{line}: {problem}"))
    });
    println!(
        "{} kills, each before another call, in {:?}; {changing} calls change something, of {all} traced calls",
        results.len(),
        started.elapsed()
    );
    let seen = results.into_iter().collect::<BTreeSet<_>>();
    assert_eq!(seen, BTreeSet::from([("old", "absent"), ("new", "absent"), ("new", "new")]));
}

/// Starts a release, and waits until it has come so far.
fn started(place: &Place, stage: usize) -> Child {
    let old = place.inode();
    let mut child = release(&[], place.root(), NEW).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let staged = place.root().join(format!(".dist-{}.tmp", child.id()));
    let has_come = |stage: usize| match stage {
        0 => true,
        1 => staged.exists(),
        _ => place.inode() != old,
    };
    while !has_come(stage) && child.try_wait().unwrap().is_none() {}
    child
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
    let kills: usize = if crd_testdata::is_proof() { 200 } else { 6 };
    // How long a release takes from each stage to its end.
    let lasts = [0, 1, 2].map(|stage| {
        let lasts = |_| {
            let place = Place::new();
            let began = Instant::now();
            let mut child = started(&place, stage);
            let began = if stage == 0 { began } else { Instant::now() };
            assert!(child.wait().unwrap().success());
            began.elapsed()
        };
        (0..2).map(lasts).min().unwrap_or_default()
    });
    let (killed, shares) = (Mutex::new(BTreeMap::new()), Shares(Mutex::new([1.0; 3])));
    // More than enough: kills at the start of a release are never too late for long.
    let attempts = (0..12 * kills).collect::<Vec<_>>();
    each(&attempts, |number| {
        if killed.lock().unwrap().values().sum::<usize>() >= kills {
            return;
        }
        let place = Place::new();
        // Spread by the golden ratio, which leaves no gap for long: at any time, while files are written, and at the end.
        let spread = (*number as f64 * 0.618_033_988_75).fract();
        let mut child = started(&place, number % 3);
        std::thread::sleep(lasts[number % 3].mul_f64(spread * shares.of(number % 3)));
        child.kill().unwrap();
        let was_killed = child.wait().unwrap().signal() == Some(9);
        shares.learn(number % 3, was_killed);
        let states = place.judge().unwrap_or_else(|problem| panic!("kill {number}: {problem}"));
        if was_killed {
            *killed.lock().unwrap().entry(states).or_default() += 1;
        }
    });
    let killed = killed.into_inner().unwrap();
    println!(
        "{} kills at random moments: {killed:?}; a release lasts {:?} from its start, {:?} from its staging, {:?} from its new dist",
        killed.values().sum::<usize>(),
        lasts[0],
        lasts[1],
        lasts[2]
    );
    assert!(killed.values().sum::<usize>() >= kills, "{killed:?}");
}

#[test]
fn several_at_once() {
    let place = Place::new();
    let started = (0..4).map(|_| release(&[], place.root(), NEW).spawn().unwrap()).collect::<Vec<_>>();
    let (mut made, mut again, mut refused) = (0, 0, Vec::new());
    for child in started {
        let output = child.wait_with_output().unwrap();
        let text = printed(&output);
        match output.status.code() {
            // It came when the first had ended, and made `dist` again.
            Some(0) if text.contains(", unchanged\n") => again += 1,
            Some(0) if text.contains(", written\n") => made += 1,
            // It names the process, unless that has not written its id for two seconds.
            Some(2) if text.contains("is held by another release") => refused.push(text),
            _ => panic!("{text}"),
        }
    }
    assert_eq!((made, again + refused.len(), place.states()), (1, 3, Ok(("new", "new"))), "{refused:?}");
    println!("{again} came later; {refused:?}");
}

/// Uses mounts, so it needs root: a clear message with a fix, and nothing has changed.
#[test]
fn disks_that_take_nothing() {
    for (mounts, expected) in [
        (
            "mount --bind \"$0\" \"$0\"; mount -o remount,ro,bind \"$0\" \"$0\"",
            "Read-only file system (os error 30): mount it writable",
        ),
        // As large as the existing files, and half of the new ones.
        (
            "cp -r \"$0\" \"$0-copy\"; mount -t tmpfs -o size=$(($(du -sk \"$0\" | cut -f1) + 1500))k tmpfs \"$0\"; cp -r \"$0-copy/.\" \"$0\"; rm -r \"$0-copy\"",
            "No space left on device (os error 28): free some space and run it again",
        ),
    ] {
        let place = Place::new();
        let inside = format!(
            "set -e; {mounts}; cd \"$0\"; sums() {{ find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum; }}; \
             sums > /tmp/$$.before; set +e; \"$@\" 2>&1; code=$?; set -e; sums > /tmp/$$.after; \
             cmp /tmp/$$.before /tmp/$$.after && echo same; rm /tmp/$$.*; exit $code"
        );
        let probe =
            Command::new("unshare").args(["--mount", "mount", "-t", "tmpfs", "tmpfs"]).arg(place.root()).output();
        if !probe.is_ok_and(|output| output.status.success()) {
            println!("skipped: nothing can be mounted here");
            return;
        }
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", &inside]).arg(place.root()).arg(PROGRAM);
        command.args(["release", "v1.7.0", "--date", NEW, "--root", "."]).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = command.output().unwrap();
        let text = printed(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(expected) && text.ends_with("same\n"), "{text}");
        println!("{text}");
        assert_eq!(place.states(), Ok(("old", "absent")));
    }
}
