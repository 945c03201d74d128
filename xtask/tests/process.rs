//! The command line as a process: streams, colours, limits, signals, and several at once, with the whole of Gateway API.
//!
//! Cases that need more privileges or another tool are skipped and print the reason.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const XTASK: &str = env!("CARGO_BIN_EXE_xtask");
/// All CRDs of both channels, the constants, and the conversions.
const FILES: usize = 27;

/// A folder to write to, and the program.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("crd-channels-process-").tempdir().unwrap();
        // The compiled types: the source is elsewhere.
        let settings = crate::release_tools::settings_without_source();
        fs::write(folder.path().join("crd-channels.yaml"), settings).unwrap();
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn out(&self) -> PathBuf {
        self.path().join("out")
    }

    /// `xtask generate --out out`, and more arguments.
    fn generate(&self, arguments: &[&str]) -> Command {
        let mut command = xtask();
        command.arg("generate").arg("--out").arg(self.out()).args(arguments);
        command
    }

    /// A shell with `$XTASK` and `$OUT`.
    fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("XTASK", XTASK).env("OUT", self.out()).current_dir(self.path());
        clean(&mut command);
        command
    }

    fn tree(&self) -> Tree {
        tree(&self.out())
    }
}

/// The variables that change what is tested. What is printed does not depend on the speed of the machine.
fn clean(command: &mut Command) {
    for name in ["CARGO_MANIFEST_DIR", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CARGO_TERM_COLOR"] {
        command.env_remove(name);
    }
    command.env("CARGO_TERM_QUIET", "true").stdin(Stdio::null());
}

fn xtask() -> Command {
    let mut command = Command::new(XTASK);
    clean(&mut command);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[track_caller]
fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    output
}

/// Text, inode and time of every file, hidden ones too.
type Tree = BTreeMap<PathBuf, (Vec<u8>, u64, (i64, i64))>;

fn tree(folder: &Path) -> Tree {
    let mut files = Tree::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let metadata = fs::metadata(&path).unwrap();
                files.insert(
                    path.clone(),
                    (fs::read(path).unwrap(), metadata.ino(), (metadata.mtime(), metadata.mtime_nsec())),
                );
            }
        }
    }
    files
}

/// Makes every file stale.
fn damage(tree: &Tree) {
    for (path, (text, ..)) in tree {
        fs::write(path, [b"# stale\n", text.as_slice()].concat()).unwrap();
    }
}

fn available(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("skipped: no {program} here");
    }
    found
}

#[test]
fn all_of_gateway_api_is_written() {
    let place = Place::new();
    let output = succeeds(place.generate(&[]).current_dir(place.path()));
    let lines = text(&output.stdout);
    assert!(lines.starts_with("standard      10 CRDs, ") && lines.contains("\nexperimental  14 CRDs, "), "{lines}");
    assert!(
        lines.contains(", 10 files changed → out/standard\n")
            && lines.contains(", 14 files changed → out/experimental\n")
            && lines
                .ends_with("\nconstants  changed → out/constants.json\nconversions  changed → out/conversions.json\nfeatures  changed → out/features.json\n"),
        "{lines}"
    );
    let before = place.tree();
    assert_eq!(before.len(), FILES);
    succeeds(&mut place.generate(&["--check"]));
    succeeds(&mut place.generate(&[]));
    assert_eq!(before, place.tree());
    // The same bytes without reading back, and on one processor.
    let again = Place::new();
    match available("taskset") {
        true => {
            _ = succeeds(
                again.shell("taskset -c 0 \"$XTASK\" generate --no-read-back --out \"$OUT\"").current_dir(again.path()),
            )
        }
        false => _ = succeeds(&mut again.generate(&["--no-read-back"])),
    }
    let names = |tree: &Tree, place: &Place| -> Vec<(PathBuf, Vec<u8>)> {
        tree.iter()
            .map(|(path, (text, ..))| (path.strip_prefix(place.out()).unwrap().to_path_buf(), text.clone()))
            .collect()
    };
    assert_eq!(names(&before, &place), names(&again.tree(), &again));
}

/// `--color` comes before CARGO_TERM_COLOR, and that before NO_COLOR, as in cargo.
#[test]
fn colours_can_be_asked_for() {
    let coloured = |arguments: &[&str], cargo: &str, no_color: &str| {
        let output = xtask().args(arguments).env("CARGO_TERM_COLOR", cargo).env("NO_COLOR", no_color).output().unwrap();
        output.stdout.contains(&0x1b) || output.stderr.contains(&0x1b)
    };
    for (arguments, cargo, no_color, expected) in [
        // No colour reaches a pipe by itself.
        (&["markers"][..], "", "", false),
        (&["--help"], "", "", false),
        (&["generat"], "", "", false),
        (&["markers"], "always", "", true),
        (&["markers"], "always", "1", true),
        (&["markers"], "never", "", false),
        (&["markers"], "auto", "", false),
        (&["markers", "--color", "never"], "always", "", false),
        (&["--color=always", "markers"], "never", "1", true),
        (&["markers", "--color", "always"], "", "1", true),
        // Also help and messages of the parser.
        (&["--help", "--color", "always"], "", "", true),
        (&["--color", "always", "generat"], "", "", true),
    ] {
        assert_eq!(coloured(arguments, cargo, no_color), expected, "{arguments:?} {cargo} {no_color}");
    }
    let output = xtask().args(["markers", "--color", "rainbow"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("[possible values: auto, always, never]"), "{}", text(&output.stderr));
}

/// What a command waits for is printed after a second, whatever the format.
#[test]
fn a_long_step_is_not_silent() {
    let place = Place::new();
    let first_line = |quiet: Option<&str>, arguments: &[&str]| {
        let mut command = xtask();
        command.env_remove("CARGO_TERM_QUIET").args(["diff", "-", "/nowhere", "--format", "json"]).args(arguments);
        if let Some(quiet) = quiet {
            command.env("CARGO_TERM_QUIET", quiet);
        }
        let mut running = command
            .current_dir(place.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut errors = BufReader::new(running.stderr.take().unwrap());
        let mut line = String::new();
        if quiet.is_none() && arguments.is_empty() {
            // Standard input is open and empty, so the command waits until this line is read.
            errors.read_line(&mut line).unwrap();
        } else {
            std::thread::sleep(Duration::from_secs(2));
        }
        drop(running.stdin.take());
        let mut rest = String::new();
        errors.read_to_string(&mut rest).unwrap();
        assert_eq!(running.wait().unwrap().code(), Some(2));
        line + &rest
    };
    // At the same time, because two of them wait.
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(first_line(None, &[]), "note: reading `-` and `/nowhere` …\n"));
        for (quiet, arguments) in [(Some("true"), &[][..]), (None, &["--quiet"])] {
            scope.spawn(move || assert_eq!(first_line(quiet, arguments), "", "{quiet:?} {arguments:?}"));
        }
    });
}

#[test]
fn a_terminal_has_colours_unless_they_are_unwanted() {
    if !available("script") {
        return;
    }
    let place = Place::new();
    let on_terminal = |command: &str, name: &str, value: &str| {
        let output = place
            .shell(&format!("script -qec '{command}' /dev/null"))
            // In CI, colours are always on; this case is a user's terminal.
            .env_remove("CI")
            .env("TERM", "xterm")
            .env(name, value)
            .output()
            .unwrap();
        output.stdout
    };
    for command in ["\"$XTASK\" markers", "\"$XTASK\" --help", "\"$XTASK\" generate --check --out \"$OUT\""] {
        assert!(on_terminal(command, "SOME", "thing").contains(&0x1b), "{command}");
        assert!(!on_terminal(command, "NO_COLOR", "1").contains(&0x1b), "{command}");
        assert!(!on_terminal(command, "TERM", "dumb").contains(&0x1b), "{command}");
    }
}

#[test]
fn a_reader_may_close_the_pipe() {
    let place = Place::new();
    for command in ["markers", "markers --format json", "generate --check --out \"$OUT\"", "--help"] {
        // The reader closes the pipe before the first byte.
        let script = format!("{{ sleep 0.2; \"$XTASK\" {command}; echo $? >code; }} | true; cat code");
        let output = place.shell(&script).output().unwrap();
        let code = if command.starts_with("generate") { "3\n" } else { "0\n" };
        assert_eq!(text(&output.stdout), code, "{command}");
        assert!(
            !text(&output.stderr).contains("panicked") && !text(&output.stderr).contains("Broken pipe"),
            "{}",
            text(&output.stderr)
        );
    }
    // The files are written all the same.
    let script = "{ sleep 0.2; \"$XTASK\" generate --out \"$OUT\"; echo $? >code; } | true; cat code";
    assert_eq!(text(&place.shell(script).output().unwrap().stdout), "0\n");
    assert_eq!(place.tree().len(), FILES);
    // Without any streams.
    succeeds(&mut place.shell("\"$XTASK\" markers >&- 2>&-"));
    succeeds(&mut place.shell("\"$XTASK\" generate --out \"$OUT\" >&- 2>&- <&-"));
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    if !Path::new("/dev/full").exists() {
        println!("skipped: no /dev/full here");
        return;
    }
    let output = Place::new().shell("\"$XTASK\" markers >/dev/full").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let beginning = "error[usage::output]: cannot write the output: No space left on device";
    assert!(text(&output.stderr).starts_with(beginning), "{}", text(&output.stderr));
    // An error that cannot be printed still sets the exit code.
    let output = Place::new().shell("\"$XTASK\" generat 2>/dev/full").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// Names of files that are not UTF-8 are paths like any other.
#[test]
fn paths_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let out = place.path().join(std::ffi::OsStr::from_bytes(b"\xff\xfe crds"));
    let mut command = xtask();
    succeeds(command.arg("generate").arg("--out").arg(&out));
    assert_eq!(tree(&out).len(), FILES);
    let mut command = xtask();
    succeeds(command.arg("generate").arg("--check").arg("--format").arg("json").arg("--out").arg(&out));
}

#[test]
fn a_full_disk_changes_nothing() {
    // A small disk, mounted for this process only.
    let place = Place::new();
    fs::create_dir(place.out()).unwrap();
    let script = "
        mount -t tmpfs -o size=4m none \"$OUT\" 2>/dev/null || exit 77
        \"$XTASK\" generate --out \"$OUT\" >&2 || exit 1
        for file in \"$OUT\"/*/*.yaml; do sed -i '1s/^/# stale\\n/' \"$file\"; done
        find \"$OUT\" -type f -exec ls -li --time-style=full-iso {} + >before; cat \"$OUT\"/*/*.yaml >texts-before
        # What is left is less than what is to be written.
        dd if=/dev/zero of=\"$OUT\"/filler bs=1k count=$(( $(df -k --output=avail \"$OUT\" | tail -1) - 600 )) 2>/dev/null
        \"$XTASK\" generate --out \"$OUT\"; code=$?
        rm \"$OUT\"/filler
        find \"$OUT\" -type f -exec ls -li --time-style=full-iso {} + >after; cat \"$OUT\"/*/*.yaml >texts-after
        cmp before after >&2 && cmp texts-before texts-after >&2 || exit 1
        \"$XTASK\" generate --out \"$OUT\" >&2 || exit 1
        exit $code
    ";
    let mut shell = place.shell("exec unshare --user --map-root-user --mount sh -c \"$SCRIPT\"");
    let output = shell.env("SCRIPT", script).output().unwrap();
    let errors = text(&output.stderr);
    if output.status.code() == Some(77) || errors.contains("unshare") {
        println!("skipped: no right to mount a small disk here: {errors}");
        return;
    }
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("error[file::io]: ")
            && errors.contains("cannot be written: No space left on device")
            && errors.contains("\n   = help: free disk space and run the command again\n"),
        "{errors}"
    );
    assert_eq!(text(&output.stdout), "");
}

#[test]
fn a_limit_of_file_sizes_changes_nothing() {
    let place = Place::new();
    succeeds(&mut place.generate(&[]));
    damage(&place.tree());
    let before = place.tree();
    // 64 blocks of 512 bytes; with the signal ignored, writing fails.
    let output = place.shell("trap '' XFSZ; ulimit -f 64; exec \"$XTASK\" generate --out \"$OUT\"").output().unwrap();
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("cannot be written: File too large") && errors.contains("ulimit"), "{errors}");
    assert_eq!(before, place.tree());

    // Without, the process is killed in the middle of a file.
    let output = place.shell("ulimit -c 0; ulimit -f 64; exec \"$XTASK\" generate --out \"$OUT\"").output().unwrap();
    assert!(output.status.signal().is_some(), "{:?}", output.status);
    let after = place.tree();
    let left: Vec<&PathBuf> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    assert!(!left.is_empty(), "nothing was left, so this tests nothing");
    assert!(before.iter().all(|(path, entry)| after.get(path) == Some(entry)));
    // The next run cleans up, and prints nothing about it.
    let output = succeeds(&mut place.generate(&[]));
    assert!(!text(&output.stderr).contains("was not generated"), "{}", text(&output.stderr));
    assert_eq!(place.tree().len(), FILES);
}

#[test]
fn a_folder_without_rights_changes_nothing() {
    if !available("setpriv") {
        return;
    }
    let place = Place::new();
    // Another user must be able to run the program.
    let program = place.path().join("program");
    // A child process copies it: another thread may start a program at the same time, which would inherit the open file, and a program that is
    // open for writing cannot be run ("text file busy").
    assert!(Command::new("cp").arg(XTASK).arg(&program).status().unwrap().success());
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(place.path(), 0o755);
    let as_nobody = || {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(&program)
            .args(["generate", "--out"])
            .arg(place.out());
        clean(&mut command);
        command.current_dir(place.path());
        command
    };
    if !Command::new("setpriv").args(["--reuid=65534", "--clear-groups", "true"]).output().unwrap().status.success() {
        println!("skipped: no right to become another user here");
        return;
    }
    // The folder cannot be made.
    let output = as_nobody().output().unwrap();
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert_eq!(
        errors,
        "error[file::io]: `out` cannot be made: Permission denied (os error 13)\n  --> out\n   = help: give yourself the permission, or use another folder with `--out DIR`\n"
    );
    assert!(!place.out().exists());

    succeeds(&mut place.generate(&[]));
    damage(&place.tree());
    let before = place.tree();
    // First the folder can be read and not written; then it cannot be read either.
    for (path, rights, part, location) in [
        (place.out(), 0o755, "cannot be written: Permission denied", "out/standard/"),
        (place.out().join("standard"), 0o711, "`standard` cannot be read: Permission denied", "out/standard\n"),
        (place.out().join("standard"), 0o600, "cannot be read: Permission denied", "out/standard"),
        (place.out(), 0o000, "`out` cannot be ", "out\n"),
    ] {
        mode(&path, rights);
        let output = as_nobody().output().unwrap();
        let errors = text(&output.stderr);
        mode(&path, 0o755);
        assert_eq!(output.status.code(), Some(2), "{rights:o}: {errors}");
        let location = format!("\n  --> {location}");
        let error = errors.lines().find(|line| line.starts_with("error")).unwrap_or_default();
        assert!(error.starts_with("error[file::io]: ") && error.contains(part), "{rights:o}: {errors}");
        assert!(errors.contains(&location), "{rights:o}: {errors}");
        assert_eq!(before, place.tree());
    }
    // `--check` needs no write permission.
    let output = as_nobody().arg("--check").output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    succeeds(&mut place.generate(&[]));
    succeeds(&mut as_nobody());
}

#[test]
fn processes_at_the_same_time_wait_for_each_other() {
    let place = Place::new();
    for round in 0..if crd_testdata::is_proof() { 5 } else { 2 } {
        if round > 0 {
            damage(&place.tree());
        }
        let running: Vec<_> =
            (0..6).map(|_| place.generate(&[]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()).collect();
        for mut process in running {
            let mut errors = String::new();
            process.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
            assert_eq!(process.wait().unwrap().code(), Some(0), "{errors}");
        }
        assert_eq!(place.tree().len(), FILES);
        succeeds(&mut place.generate(&["--check"]));
    }
}

/// Cargo compiles, or waits for another cargo: it ends when this line is read.
#[test]
fn a_long_build_of_a_subcommand_is_not_silent() {
    let place = Place::new();
    let (cargo, gate) = (place.path().join("cargo"), place.path().join("gate"));
    let script = format!("#!/bin/sh\n[ \"$1\" = build ] && cat '{0}' && exit\necho run\n", gate.display());
    crate::release_tools::script(&cargo, &script);
    assert!(Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let mut running = xtask()
        .args(["testbed", "up"])
        .env("CARGO", &cargo)
        .env_remove("CARGO_TERM_QUIET")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    // Open until the end, so that nothing that is printed later fails.
    let mut errors = BufReader::new(running.stderr.take().unwrap());
    errors.read_line(&mut line).unwrap();
    assert_eq!(
        line,
        "note: cargo builds testbed: the first build takes some minutes, and another cargo can delay it …\n"
    );
    fs::write(&gate, "").unwrap();
    let mut out = String::new();
    running.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!((&*out, running.wait().unwrap().code()), ("run\n", Some(0)));
}

#[test]
fn the_testbed_is_a_package_that_cargo_runs_when_it_is_called() {
    let place = Place::new();
    let cargo = place.path().join("cargo");
    crate::release_tools::script(&cargo, "#!/bin/sh\n[ \"$1\" = build ] && exit\nprintf '[%s]' \"$@\"\nexit 5\n");
    for before in [&[][..], &["--color", "never"]] {
        let output =
            xtask().args(before).args(["testbed", "run", "--", "a b", "--help"]).env("CARGO", &cargo).output().unwrap();
        assert_eq!(text(&output.stdout), "[run][--quiet][--package][crd-testbed][--][run][--][a b][--help]");
        assert_eq!(output.status.code(), Some(5), "its exit code is passed on");
    }
    // A build that fails ends the command.
    crate::release_tools::script(&cargo, "#!/bin/sh\necho '[it]' >&2\n[ \"$1\" = build ] && exit 101\necho run\n");
    let output = xtask().args(["testbed", "run"]).env("CARGO", &cargo).output().unwrap();
    assert_eq!((output.status.code(), &*text(&output.stdout), &*text(&output.stderr)), (Some(101), "", "[it]\n"));

    let output = xtask().args(["testbed", "up"]).env("CARGO", "/nowhere/cargo").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "error[usage::cargo]: cannot run /nowhere/cargo for testbed: No such file or directory (os error 2)\n   = help: install cargo, or add it to the `PATH`\n"
    );
    let help = xtask().arg("--help").output().unwrap();
    assert!(text(&help.stdout).contains("\n  testbed "), "{}", text(&help.stdout));
}
