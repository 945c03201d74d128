//! Two writers: commands that write are killed, run while a user edits the same files, and find symlinks as their targets.
//!
//! Whatever happens, each file is the old one or the new one, a folder that gets its name at once is complete or absent, no edit is lost, and
//! the same command afterwards succeeds and leaves nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::support::killed::{CHANGING, calls, each, has_strace, killed_at, process};
use crate::support::{Place, edited_things, files_below, published, things, tree};
use crd_channels_cli::Exit;

type Files = BTreeMap<String, Vec<u8>>;

/// A command that writes.
struct Writer {
    name: &'static str,
    arguments: &'static [&'static str],
    prepare: fn(&Place),
    /// The folders that get their names when they are complete.
    whole: &'static [&'static str],
    /// A file that it replaces, or would write.
    target: &'static str,
}

const STANDARD: &[&str] = &["import", "crds/standard", "--version", "v1.2.0", "--channel", "standard"];
const CONVERT: &[&str] = &["convert", "objects", "--in-place", "--conversions", "lenses.json"];

const WRITERS: &[Writer] = &[
    Writer {
        name: "import",
        arguments: STANDARD,
        prepare: with_crds,
        whole: &["bundles/v1.2.0"],
        target: "bundles/v1.2.0/bundle.yaml",
    },
    Writer {
        name: "import of another channel",
        arguments: &["import", "crds/experimental", "--version", "v1.2.0", "--channel", "experimental"],
        prepare: |place| {
            with_crds(place);
            assert_eq!(place.run(&things(), STANDARD).exit, Exit::Fine);
        },
        whole: &["bundles/v1.2.0"],
        target: "bundles/v1.2.0/bundle.yaml",
    },
    Writer { name: "convert", arguments: CONVERT, prepare: with_objects, whole: &[], target: "objects/3.yaml" },
    Writer {
        name: "init",
        arguments: &["init"],
        prepare: |place| place.write(".gitignore", "/mine\n"),
        whole: &[],
        target: ".gitignore",
    },
    Writer {
        name: "generate",
        arguments: &["generate"],
        prepare: |place| {
            assert_eq!(place.run(&edited_things(), &["generate"]).exit, Exit::Fine);
            fs::remove_file(place.file("standard", crate::support::BOX)).unwrap();
        },
        whole: &[],
        target: "bundles/unreleased/standard/things.example.com_things.yaml",
    },
    Writer {
        name: "docs",
        arguments: &["docs", "--out", "site"],
        prepare: |place| {
            assert_eq!(place.run(&edited_things(), &["generate"]).exit, Exit::Fine);
            assert_eq!(place.run(&edited_things(), &["docs", "--out", "site"]).exit, Exit::Fine);
            assert_eq!(place.run(&things(), &["generate"]).exit, Exit::Fine);
        },
        whole: &[],
        target: "site/index.html",
    },
    Writer {
        name: "bindings",
        arguments: &["bindings", "schemas"],
        prepare: |place| assert_eq!(place.run(&edited_things(), &["bindings", "schemas"]).exit, Exit::Fine),
        whole: &[],
        target: "schemas/index.json",
    },
    Writer {
        name: "new",
        arguments: &["new", "fresh", "--group", "lamps.example.com", "--kind", "Lamp"],
        prepare: |_| {},
        whole: &[],
        target: "fresh/README.md",
    },
    Writer {
        name: "release",
        arguments: &["release", "v1.2.0", "--date", "2026-11-21"],
        prepare: |place| {
            assert_eq!(place.run(&things(), &["generate"]).exit, Exit::Fine);
            assert_eq!(place.run(&things(), &["release", "v1.2.0", "--date", "2020-01-01"]).exit, Exit::Fine);
            fs::remove_dir_all(place.path().join("bundles/v1.2.0")).unwrap();
        },
        whole: &["bundles/v1.2.0", "dist"],
        target: "bundles/v1.2.0/bundle.yaml",
    },
    Writer {
        name: "a page",
        arguments: &["rules", "--page", "rules.md"],
        prepare: |_| {},
        whole: &[],
        target: "rules.md",
    },
];

fn with_crds(place: &Place) {
    for (name, bytes) in files_below(published(&things()).path()) {
        place.write(&format!("crds/{name}"), bytes);
    }
}

const FILES: usize = 12;

fn with_objects(place: &Place) {
    place.write("lenses.json", crate::convert::LENSES);
    (0..FILES).for_each(|number| place.write(&format!("objects/{number}.yaml"), object(number)));
}

fn object(number: usize) -> String {
    format!("apiVersion: example.com/v1\nkind: Policy\nmetadata: {{name: a{number}}}\nspec: {{tls: x}}\n")
}

/// The files before and after a command.
struct Known {
    before: Files,
    after: Files,
}

impl Known {
    fn of(writer: &Writer) -> Self {
        let place = Place::new();
        (writer.prepare)(&place);
        let before = files_below(place.path());
        let ran = place.run(&things(), writer.arguments);
        assert_eq!(ran.exit, Exit::Fine, "{}: {}", writer.name, ran.err);
        let after = files_below(place.path());
        assert_ne!(before, after, "{}", writer.name);
        Self { before, after }
    }

    fn place(&self) -> Place {
        let place = Place::new();
        self.before.iter().for_each(|(name, bytes)| place.write(name, bytes));
        place
    }

    /// Everything is old or new, and the command succeeds afterwards.
    fn check(&self, writer: &Writer, place: &Place) {
        let mut found = files_below(place.path());
        let is_temporary = |name: &String| {
            name.split('/')
                .any(|part| [".crd-channels-", ".dist-", ".release"].iter().any(|begin| part.starts_with(begin)))
        };
        found.retain(|name, _| !is_temporary(name));
        let names = [&self.before, &self.after, &found].into_iter().flat_map(|files| files.keys());
        for name in names.collect::<BTreeSet<_>>() {
            let one_of = [self.before.get(name), self.after.get(name)];
            assert!(one_of.contains(&found.get(name)), "{}: {name} is torn", writer.name);
        }
        for whole in writer.whole {
            let below = |files: &Files| files.clone().into_iter().filter(|(name, _)| name.starts_with(whole)).collect();
            let [before, after, found]: [Files; 3] = [&self.before, &self.after, &found].map(below);
            assert!(found == before || found == after, "{}: {:?} is torn", writer.name, found.keys());
        }
        let ran = place.run(&things(), writer.arguments);
        // A workspace is refused if all of it is there.
        let is_whole = found == self.after && writer.name == "new";
        assert!(ran.exit == Exit::Fine || is_whole, "{}: {}", writer.name, ran.err);
        let names = tree(place.path()).into_keys().filter(|path| path.is_dir()).collect::<Vec<_>>();
        assert!(files_below(place.path()) == self.after, "{}: after the rerun", writer.name);
        assert!(!names.iter().any(|name| is_temporary(&name.display().to_string())), "{}: {names:?}", writer.name);
    }
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| WRITERS.iter().map(Known::of).collect());

#[test]
fn killed_before_each_call_that_changes_something() {
    if !has_strace() {
        return;
    }
    for (writer, known) in WRITERS.iter().zip(&*KNOWN) {
        let all = calls(known.place().path(), writer.arguments);
        let number = all.len();
        let calls = crd_testdata::sample_of(all, |(name, ordinal, _)| name.starts_with("rename") && *ordinal < 3);
        each(&calls, |call| {
            let place = known.place();
            killed_at(call, place.path(), writer.arguments);
            known.check(writer, &place);
        });
        println!("{}: {} kills of {number}", writer.name, calls.len());
    }
}

fn start(place: &Place, arguments: &[&str]) -> Child {
    process(&[], place.path(), arguments).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
}

#[test]
fn killed_at_random_moments() {
    let kills = (0..crd_testdata::sample(200)).collect::<Vec<_>>();
    for (writer, known) in WRITERS.iter().zip(&*KNOWN) {
        let timed = || {
            let (place, started) = (known.place(), Instant::now());
            assert!(start(&place, writer.arguments).wait().unwrap().success());
            started.elapsed()
        };
        let lasts = (0..3).map(|_| timed()).min().unwrap();
        let killed = each(&kills, |kill| {
            let place = known.place();
            let mut child = start(&place, writer.arguments);
            // Spread by the golden ratio, which leaves no gap for long.
            std::thread::sleep(lasts.mul_f64((*kill as f64 * 0.618_033_988_75).fract()));
            child.kill().unwrap();
            let was_killed = child.wait().unwrap().signal() == Some(9);
            known.check(writer, &place);
            was_killed
        });
        let killed = killed.into_iter().filter(|was_killed| *was_killed).count();
        println!("{}: {killed} kills in {lasts:?} of {} runs", writer.name, kills.len());
    }
}

/// What an editor does: it writes the file, or replaces it.
fn edit(path: &Path, number: usize) {
    let comment = format!("# edit {number}\n");
    if number.is_multiple_of(2) {
        let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(comment.as_bytes()).unwrap();
    } else {
        let text = fs::read_to_string(path).unwrap() + &comment;
        let new = path.with_extension("swp");
        fs::write(&new, text).unwrap();
        fs::rename(new, path).unwrap();
    }
}

#[test]
fn no_edit_is_lost() {
    let known = &KNOWN[2];
    let timed = Instant::now();
    assert!(start(&known.place(), CONVERT).wait().unwrap().success());
    let lasts = timed.elapsed();
    let edits = (0..crd_testdata::sample(200).max(20)).collect::<Vec<_>>();
    let refused = each(&edits, |number| {
        let place = known.place();
        let path = place.path().join(format!("objects/{}.yaml", number % FILES));
        let child = start(&place, CONVERT);
        // Around the end, where files are written.
        std::thread::sleep(lasts.mul_f64(0.5 + 0.6 * (*number as f64 * 0.618_033_988_75).fract()));
        edit(&path, *number);
        let output = child.wait_with_output().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(&format!("# edit {number}")), "edit {number} is lost: {output:?}");
        let left = files_below(place.path()).into_keys().find(|name| name.contains(".crd-channels-"));
        assert_eq!(left, None);
        output.status.code() == Some(2)
    });
    println!("{} edits, {} refused", edits.len(), refused.into_iter().filter(|is_refused| *is_refused).count());
}

/// strace holds the command where it has compared the files, and where it has exchanged the first one.
#[test]
fn an_edit_at_the_last_moment_is_not_overwritten() {
    if !has_strace() {
        return;
    }
    let known = &KNOWN[2];
    let cases = [("delay_enter", 0), ("delay_enter", 1), ("delay_exit", 2), ("delay_exit", 3)];
    each(&cases, |(delay, number)| {
        let place = known.place();
        let (first, last) = (place.path().join("objects/0.yaml"), place.path().join("objects/9.yaml"));
        let inject = format!("inject=renameat2:{delay}=1500000:when=1");
        let mut command =
            process(&["strace", "-f", "-o", "/dev/null", "-e", CHANGING, "-e", &inject], place.path(), CONVERT);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let has_begun = || fs::read_dir(place.path().join("objects")).unwrap().count() == 2 * FILES;
        while !has_begun() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(500));
        // The last file is still the old one, so the whole conversion is undone.
        edit(if *delay == "delay_enter" { &first } else { &last }, *number);
        let output = child.wait_with_output().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && printed.contains("was changed by another program"), "{output:?}");
        let after = files_below(place.path());
        let edited = after.iter().filter(|(name, bytes)| known.before.get(*name) != Some(bytes)).collect::<Vec<_>>();
        assert_eq!(edited.len(), 1, "{:?}", after.keys());
        assert!(String::from_utf8_lossy(edited[0].1).ends_with(&format!("spec: {{tls: x}}\n# edit {number}\n")));
    });
}

/// A run that waits or writes is alone: what it writes is not removed by another run.
#[test]
fn temporary_files_of_a_running_command_stay() {
    let (place, known) = (Place::new(), &KNOWN[2]);
    known.before.iter().for_each(|(name, bytes)| place.write(name, bytes));
    let left = |levels: usize| place.path().join(format!("objects/.crd-channels-{levels}-1-0.tmp"));
    (0..3).for_each(|levels| fs::write(left(levels), "half").unwrap());
    fs::create_dir(left(3)).unwrap();
    symlink("/etc", left(4)).unwrap();
    // Another run has locked the folder above.
    let lock = fs::File::open(place.path()).unwrap();
    lock.lock().unwrap();
    assert_eq!(place.run(&things(), CONVERT).exit, Exit::Fine);
    assert_eq!([0, 1, 2].map(|levels| left(levels).exists()), [false, true, false]);
    assert!(!left(3).exists() && left(4).is_symlink());
    lock.unlock().unwrap();
    assert_eq!(place.run(&things(), CONVERT).exit, Exit::Fine);
    assert!(!left(1).exists());
}

/// One rule for links as targets: nothing is written through them, and they stay.
#[test]
fn links_are_neither_followed_nor_replaced() {
    for (writer, known) in WRITERS.iter().zip(&*KNOWN) {
        for is_dangling in [false, true] {
            let place = known.place();
            let (target, real) = (place.path().join(writer.target), place.path().join("elsewhere"));
            let old = known.before.get(writer.target).or(known.after.get(writer.target)).unwrap();
            let _ = fs::remove_file(&target);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            symlink(&real, &target).unwrap();
            if !is_dangling {
                fs::write(&real, old).unwrap();
            }
            let before = tree(place.path());
            let ran = place.run(&things(), writer.arguments);
            assert_eq!(ran.exit, Exit::Unusable, "{} {is_dangling}: {ran:?}", writer.name);
            let file = target.file_name().unwrap().to_str().unwrap();
            assert!(ran.err.contains(file) || ran.err.contains("v1.2.0"), "{}: {}", writer.name, ran.err);
            // A conversion names what it cannot read, and converts the other files.
            if writer.name != "convert" {
                crate::support::assert_untouched(&before, &tree(place.path()));
            }
            assert!(is_dangling || fs::read(&real).unwrap() == *old, "{} is written through a link", writer.name);
            assert!(target.is_symlink() && real.exists() != is_dangling, "{} {is_dangling}", writer.name);
        }
    }
}

/// Folders that the user names may be links.
#[test]
fn a_named_folder_may_be_a_link() {
    let known = &KNOWN[2];
    let place = known.place();
    symlink("objects", place.path().join("link")).unwrap();
    let arguments = ["convert", "link", "objects/3.yaml", "link/3.yaml", "--in-place", "--conversions", "lenses.json"];
    let ran = place.run(&things(), &arguments);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    fs::remove_file(place.path().join("link")).unwrap();
    assert!(files_below(place.path()) == known.after);
}

/// Nothing outside of the named folder is written.
#[test]
fn a_linked_folder_below_a_named_one_is_not_written_to() {
    let place = KNOWN[2].place();
    place.write("elsewhere/a.yaml", object(1));
    symlink("../elsewhere", place.path().join("objects/linked")).unwrap();
    let ran = place.run(&things(), CONVERT);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("objects/linked: is a symlink"), "{ran:?}");
    assert_eq!(place.read("elsewhere/a.yaml"), object(1));
    // A link to a folder that is named too is that folder.
    fs::remove_file(place.path().join("objects/linked")).unwrap();
    place.write("objects/sub/a.yaml", object(1));
    symlink("sub", place.path().join("objects/linked")).unwrap();
    assert_eq!(place.run(&things(), CONVERT).exit, Exit::Fine);
    assert!(
        place.read("objects/sub/a.yaml").contains("validation") && place.path().join("objects/linked").is_symlink()
    );
}

#[test]
fn a_file_that_cannot_be_read_ends_the_conversion_with_2() {
    let known = &KNOWN[2];
    for (name, bytes) in [("objects/broken.yaml", "kind: [\n".as_bytes()), ("objects/binary.yaml", &[0xff, 0xfe, 0x00])]
    {
        for more in [&["--check"][..], &["--in-place"], &[]] {
            let place = known.place();
            place.write(name, bytes);
            let arguments = [&["convert", "objects", "--conversions", "lenses.json"], more].concat();
            let ran = place.run(&things(), &arguments);
            assert_eq!(ran.exit, Exit::Unusable, "{name} {more:?}: {ran:?}");
            let mut after = files_below(place.path());
            assert!(ran.err.contains(name) && after.remove(name).as_deref() == Some(bytes), "{ran:?}");
            assert!(after == if more == ["--in-place"] { known.after.clone() } else { known.before.clone() });
        }
    }
    // A file that no longer exists.
    let arguments = [&["convert", "gone.yaml"], &CONVERT[1..]].concat();
    assert_eq!(known.place().run(&things(), &arguments).exit, Exit::Unusable);
}
