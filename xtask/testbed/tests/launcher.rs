//! The launcher as its users run it: the processes that it starts, the files that it leaves, and its error messages.
//!
//! The tests compare with the process table and the files of the machine, not only with the launcher's own output.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crd_testbed::{DEFAULT_MINOR, Options, Testbed};
use serde_json::Value;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_crd-testbed");

/// A target folder for one test, with the cached programs of this checkout.
struct Target {
    folder: TempDir,
}

/// Stops the testbeds of a test that fails between `up` and `down`.
impl Drop for Target {
    fn drop(&mut self) {
        if !self.leftovers().is_empty() {
            let _ = self.command(&["down", "--all"]).output();
        }
    }
}

impl Target {
    /// Builds programs that are not cached. Prints `skipped` and returns `None` if Go is needed and not installed.
    fn with_programs() -> Option<Target> {
        let target = Target { folder: tempfile::tempdir().expect("a folder") };
        let mut build = Command::new(PROGRAM);
        // Without Helm, which testbeds do not need.
        build
            .args(["build", "--kubernetes", &minor(), "etcd", "kube-apiserver", "kubectl"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = build.spawn().expect("it runs");
        let mut errors = String::new();
        for line in BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok) {
            // Written directly to stderr, which the test harness does not capture: a first build takes minutes.
            let _ = writeln!(std::io::stderr(), "{line}");
            errors.push_str(&line);
            errors.push('\n');
        }
        let built = child.wait_with_output().expect("it ends");
        if errors.contains("Go is needed") && !crd_testbed::is_required() {
            eprintln!("skipped: {errors}");
            return None;
        }
        assert!(built.status.success(), "{errors}");
        let stdout = String::from_utf8(built.stdout).expect("UTF-8");
        // PROGRAMS/kubectl-VERSION/kubectl
        let programs =
            Path::new(stdout.lines().next().expect("a path")).ancestors().nth(2).expect("a folder").to_owned();
        fs::create_dir(target.path("testbed")).expect("created");
        symlink(programs, target.path("testbed/programs")).expect("linked");
        Some(target)
    }

    fn empty() -> Target {
        Target { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .args(arguments)
            .env("CARGO_TARGET_DIR", self.folder.path())
            .env_remove("KUBECONFIG")
            .env("KUBERC", "off");
        command
    }

    fn output(&self, arguments: &[&str]) -> Outcome {
        Outcome::of(self.command(arguments).output().expect("it runs"))
    }

    /// The running servers of this target folder, which is part of their arguments.
    fn servers(&self) -> Vec<u32> {
        let folder = self.folder.path().canonicalize().expect("it exists");
        processes(&folder.display().to_string())
    }

    /// The names in the folder of running testbeds.
    fn leftovers(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("testbed/running")).into_iter().flatten().flatten();
        let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>();
        names.sort();
        names
    }

    fn assert_nothing_remains(&self) {
        let empty = wait_for(|| self.servers().is_empty() && self.leftovers().is_empty());
        assert!(empty, "remaining: processes {:?}, files {:?}", self.servers(), self.leftovers());
    }
}

struct Outcome {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Outcome {
    fn of(output: Output) -> Outcome {
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    #[track_caller]
    fn assert(&self, code: i32, in_stderr: &[&str]) {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        for text in in_stderr {
            assert!(self.stderr.contains(text), "{text:?} is not in {}", self.stderr);
        }
    }
}

/// The minor that the tests run on.
fn minor() -> String {
    Options::from_environment(Path::new(PROGRAM)).minor
}

/// The process ids of etcd and kube-apiserver whose arguments contain this text.
fn processes(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("a process table").flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(arguments) = fs::read(entry.path().join("cmdline")) else { continue };
        let arguments = String::from_utf8_lossy(&arguments).into_owned();
        if arguments.contains(text) && (arguments.contains("--etcd-servers=") || arguments.contains("--data-dir=")) {
            found.push(id);
        }
    }
    found
}

fn wait_for(mut condition: impl FnMut() -> bool) -> bool {
    // Only a fault reaches it: a busy machine can take minutes.
    let deadline = Instant::now() + Duration::from_secs(300);
    while Instant::now() < deadline {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

fn kill(signal: &str, process: u32) {
    let status = Command::new("kill").args([signal, &process.to_string()]).status().expect("kill runs");
    assert!(status.success());
}

/// Starts `run` with a command that prints the path of its kubeconfig and then waits.
fn start_run(target: &Target) -> (Child, String) {
    let mut child = target
        .command(&["run", "--kubernetes", &minor(), "--", "sh", "-c", "echo $KUBECONFIG; exec sleep 1000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("a line");
    assert_eq!(target.servers().len(), 2, "etcd and kube-apiserver run");
    // The line comes before `sleep`, by whose name tests find the process.
    assert!(wait_for(|| !processes_named("sleep 1000", target.folder.path()).is_empty()), "the command waits");
    (child, line.trim().to_owned())
}

#[test]
fn run_starts_a_new_server_and_removes_it() {
    let Some(target) = Target::with_programs() else { return };
    let begun = Instant::now();
    let script = "kubectl create namespace own >&2 && kubectl get namespace own >&2 && kubectl version -o json \
                  && test -d $KUBECACHEDIR/discovery && exit 7";
    let home = tempfile::tempdir().expect("a folder");
    let mut command = target.command(&["run", "--kubernetes", &minor(), "--", "sh", "-c", script]);
    // Settings of an etcd of the user do not reach the testbed's etcd.
    let command = command.env("HOME", home.path()).env("ETCD_CONFIG_FILE", "/nowhere");
    let outcome = Outcome::of(command.output().expect("it runs"));
    let seconds = begun.elapsed().as_secs_f64();
    outcome.assert(7, &["namespace/own created"]);
    let versions = serde_json::from_str::<Value>(&outcome.stdout).expect("JSON");
    let wanted = crd_testbed::MINORS.iter().find(|row| row.name == minor()).expect("a row").version;
    for side in ["clientVersion", "serverVersion"] {
        assert_eq!(versions[side]["gitVersion"], wanted, "the linker flags reach the {side}");
        assert_eq!(versions[side]["minor"], wanted.split('.').nth(1).expect("a minor"));
    }
    println!("started, used and ended within {seconds:.1} s");
    assert_eq!(walk(home.path()), Vec::<PathBuf>::new(), "the cache of kubectl is removed with the testbed");
    target.assert_nothing_remains();
}

#[test]
fn nothing_remains_after_the_caller_ends() {
    let Some(target) = Target::with_programs() else { return };
    for signal in ["-KILL", "-TERM"] {
        let (mut child, _) = start_run(&target);
        let end_commands =
            || processes_named("sleep 1000", target.folder.path()).into_iter().for_each(|id| kill(signal, id));
        if signal == "-TERM" {
            end_commands();
        }
        // It may have ended already, because its command has ended.
        let _ = Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
        child.wait().expect("it ended");
        target.assert_nothing_remains();
        end_commands();
    }
}

/// Processes with this command line that belong to a killed caller, not to the testbed.
fn processes_named(command: &str, target: &Path) -> Vec<u32> {
    let wanted = format!("CARGO_TARGET_DIR={}\0", target.display());
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("a process table").flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let text = |file| fs::read(entry.path().join(file)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let (Ok(arguments), Ok(environment)) = (text("cmdline"), text("environ")) else { continue };
        if arguments.replace('\0', " ").trim() == command && environment.contains(&wanted) {
            found.push(id);
        }
    }
    found
}

#[test]
fn servers_end_with_a_killed_supervisor_and_the_next_one_removes_its_files() {
    let Some(target) = Target::with_programs() else { return };
    let up = target.output(&["up", "--kubernetes", &minor(), "--format", "json"]);
    up.assert(0, &[]);
    let state = serde_json::from_str::<Value>(&up.stdout).expect("JSON");
    kill("-KILL", u32::try_from(state["process"].as_u64().expect("an id")).expect("an id"));
    assert!(wait_for(|| target.servers().is_empty()), "the servers are bound to their supervisor");
    // Servers end with the supervisor's first thread, its lock with the last one. On a busy machine, time passes between the two.
    assert!(
        wait_for(|| target.output(&["list"]).stdout == "no testbed is running\n"),
        "the lock is bound to its supervisor"
    );
    target.output(&["down"]).assert(2, &["testbed \"default\" is not running"]);
    target.output(&["run", "--kubernetes", &minor(), "--", "true"]).assert(0, &[]);
    target.assert_nothing_remains();
}

#[test]
fn up_starts_a_testbed_that_remains_until_down() {
    let Some(target) = Target::with_programs() else { return };
    let up = target.output(&["up", "--kubernetes", &minor(), "--format", "json"]);
    up.assert(0, &[]);
    let state = serde_json::from_str::<Value>(&up.stdout).expect("JSON");
    let kubectl = |arguments: &[&str]| {
        let output = Command::new(state["kubectl"].as_str().expect("a path"))
            .args(arguments)
            .envs(serde_json::from_value::<BTreeMap<String, String>>(state["environment"].clone()).expect("texts"))
            .output();
        Outcome::of(output.expect("kubectl runs"))
    };
    kubectl(&["create", "namespace", "kept"]).assert(0, &[]);
    for file in ["administrator.key", "server.key", "service-accounts.key", "etcd-client.key"] {
        let path = Path::new(state["folder"].as_str().expect("a path")).join(file);
        let mode = fs::metadata(&path).expect("a key").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{file} is for its owner only");
    }

    let again = target.output(&["up", "--kubernetes", &minor()]);
    again.assert(0, &["testbed \"default\" is already running"]);
    assert!(again.stdout.contains(&format!("export KUBECONFIG={}", state["kubeconfig"].as_str().expect("a path"))));
    let other_minor = if minor() == "1.37" { DEFAULT_MINOR } else { "1.37" };
    target
        .output(&["up", "--kubernetes", &minor(), "--controllers"])
        .assert(2, &["testbed \"default\" is already running", "down --name default"]);
    target
        .output(&["up", "--kubernetes", other_minor])
        .assert(2, &["testbed \"default\" is already running", "down --name default"]);
    kubectl(&["get", "namespace", "kept"]).assert(0, &[]);

    let list = serde_json::from_str::<Value>(&target.output(&["list", "--format", "json"]).stdout).expect("JSON");
    assert_eq!(list, Value::Array(vec![state.clone()]));
    let down = target.output(&["down"]);
    down.assert(0, &[]);
    assert_eq!(down.stdout, "stopped default\n");
    target.assert_nothing_remains();
    target.output(&["down"]).assert(2, &["testbed \"default\" is not running", "list"]);
    target.output(&["down", "--all"]).assert(0, &[]);
}

#[test]
fn two_testbeds_cannot_talk_to_each_other() {
    if Target::with_programs().is_none() {
        return;
    }
    let start = || Testbed::start(&Options::from_environment(Path::new(PROGRAM))).expect("it starts");
    let (one, other) = (start(), start());
    let kubectl = |of: &Testbed, arguments: &[&str]| {
        let mut command = Command::new(of.kubectl());
        command.args(arguments).envs(of.environment());
        Outcome::of(command.output().expect("kubectl runs"))
    };
    kubectl(&one, &["create", "namespace", "own"]).assert(0, &[]);
    kubectl(&other, &["get", "namespace", "own"]).assert(1, &["NotFound"]);
    // A client with the other testbed's address still lacks its authority and a certificate that it accepts.
    let server = format!("--server={}", other.address());
    kubectl(&one, &[&server, "get", "namespaces"]).assert(1, &["certificate"]);
    let unchecked = [&*server, "--insecure-skip-tls-verify", "--certificate-authority=", "get", "namespaces"];
    kubectl(&one, &unchecked).assert(1, &["error"]);
    assert_ne!(one.folder(), other.folder());
    one.stop().expect("it ends");
    kubectl(&other, &["get", "namespaces"]).assert(0, &[]);
    other.stop().expect("it ends");
}

#[test]
fn a_server_that_ends_by_itself_is_reported_with_its_log() {
    let Some(target) = Target::with_programs() else { return };
    for program in ["kube-apiserver", "etcd"] {
        let (child, _) = start_run(&target);
        let victim = target.servers().into_iter().find(|id| {
            let executable = fs::read_link(format!("/proc/{id}/exe")).expect("it runs");
            executable.file_name().is_some_and(|name| name == program)
        });
        kill("-KILL", victim.expect("the server runs"));
        assert!(wait_for(|| target.servers().is_empty()), "the other one ends too");
        for command in processes_named("sleep 1000", target.folder.path()) {
            kill("-TERM", command);
        }
        let outcome = Outcome::of(child.wait_with_output().expect("it ends"));
        outcome.assert(
            125,
            &[&format!("error: {program} ended by itself (signal 9)"), "the last lines of its log", "  | "],
        );
        let log = outcome.stderr.lines().find_map(|line| line.trim().strip_prefix("complete log: ")).expect("a path");
        assert!(fs::metadata(log).expect("the log is kept").len() > 0);
        let kept = fs::read_dir(Path::new(log).parent().expect("a folder")).expect("a folder");
        let mut kept =
            kept.map(|entry| entry.expect("entry").file_name().into_string().expect("UTF-8")).collect::<Vec<_>>();
        kept.sort();
        assert_eq!(kept, ["etcd.log", "failure.txt", "kube-apiserver.log"], "keys and data are removed");
        assert!(
            target.leftovers().iter().all(|name| !name.ends_with(".lock")),
            "a lock remains: {:?}",
            target.leftovers()
        );
    }
}

#[test]
fn a_used_port_is_reported() {
    let Some(target) = Target::with_programs() else { return };
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    for (command, code) in [("up", 2), ("run", 125)] {
        let mut arguments = vec![command, "--port", &port];
        if command == "run" {
            arguments.extend(["--", "true"]);
        }
        let outcome = target.output(&arguments);
        outcome.assert(code, &[&format!("error: port {port} of 127.0.0.1 is used"), "--port"]);
        assert_eq!(outcome.stdout, "");
    }
    assert_eq!(target.servers(), Vec::<u32>::new());
}

/// Writes a script that replaces Go, with these commands for `go build`.
fn fake_go(target: &Target, build: &str) -> PathBuf {
    let path = target.path("go");
    let script = format!(
        "#!/bin/sh\ncase $1 in\nversion) echo go version go1.26 ;;\nlist) printf 'a\\nb\\nc\\n' ;;\nbuild) {build} ;;\nesac\n"
    );
    // A child process writes it: a file that is open for writing, in this process or in one that another thread starts, cannot be run.
    let mut writer = Command::new("sh");
    writer.args(["-c", "printf %s \"$1\" >\"$0\" && chmod 755 \"$0\""]).arg(&path).arg(script);
    assert!(writer.status().expect("sh runs").success());
    path
}

#[test]
fn a_failed_build_prints_the_errors_of_go_and_leaves_no_program() {
    let target = Target::empty();
    let go = fake_go(&target, "echo some/package >&2; echo 'x.go:1:1: no such thing as a free lunch' >&2; exit 1");
    for _ in 0..2 {
        let output = target.command(&["build"]).env("GO", &go).output().expect("it runs");
        let outcome = Outcome::of(output);
        outcome.assert(
            2,
            &["error: Go could not build etcd v3.6.8", "  | x.go:1:1: no such thing as a free lunch", "complete log: "],
        );
        assert!(
            !outcome.stderr.contains("| some/package"),
            "compiled packages are not part of the error: {}",
            outcome.stderr
        );
    }
    let programs = fs::read_dir(target.path("testbed/programs")).expect("a folder").flatten();
    for folder in programs.filter(|entry| entry.path().is_dir()) {
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "{:?}", folder.path());
    }
}

#[test]
fn a_build_continues_after_another_one_is_killed() {
    let target = Target::empty();
    // Replaces a compiler that writes half of a program and waits.
    let go =
        fake_go(&target, "while [ \"$1\" != -o ]; do shift; done; echo half > $2; echo half/way >&2; exec sleep 1000");
    let mut child = target.command(&["build"]).env("GO", &go).stderr(Stdio::piped()).spawn().expect("it runs");
    let is_waiting = || !processes_named("sleep 1000", target.folder.path()).is_empty();
    let is_begun = || walk(&target.path("testbed")).iter().any(|path| path.ends_with("etcd.unfinished"));
    assert!(wait_for(|| is_waiting() && is_begun()));
    // A second build waits for the first, and continues after its end.
    let whole = second_fake_go(&target, "while [ \"$1\" != -o ]; do shift; done; echo whole > $2");
    let mut waiting = target.command(&["build"]).env("GO", &whole).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut line = String::new();
    let mut stderr = BufReader::new(waiting.stderr.take().expect("piped"));
    stderr.read_line(&mut line).expect("a line");
    assert!(line.starts_with("waiting for another process that builds (") && line.ends_with(" s)\n"), "{line}");
    kill("-KILL", child.id());
    child.wait().expect("it ended");
    for compiler in processes_named("sleep 1000", target.folder.path()) {
        kill("-KILL", compiler);
    }
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("UTF-8");
    assert!(waiting.wait().expect("it ends").success(), "{rest}");
    assert!(rest.contains("built etcd v3.6.8") && rest.contains("built kubectl v1.36.3"), "{rest}");
    assert!(rest.contains("built helm v4.3.1") && rest.contains("built oracle v1.36.3"), "{rest}");
    let mut files = walk(&target.path("testbed")).into_iter().filter(|path| path.is_file()).collect::<Vec<_>>();
    files.retain(|path| path.extension().is_none_or(|extension| extension != "lock" && extension != "log"));
    assert_eq!(files.len(), 10, "{files:?}");
    for file in files {
        assert_eq!(fs::read_to_string(&file).expect("a program"), "whole\n", "{}", file.display());
    }
}

fn second_fake_go(target: &Target, build: &str) -> PathBuf {
    fs::rename(target.path("go"), target.path("first-go")).expect("renamed");
    fake_go(target, build)
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        found.push(entry.path());
        found.extend(walk(&entry.path()));
    }
    found
}

#[test]
fn helm_is_on_the_path_if_it_was_built() {
    let Some(target) = Target::with_programs() else { return };
    let built = target.output(&["build", "helm"]);
    if built.stderr.contains("Go is needed") && !crd_testbed::is_required() {
        eprintln!("skipped: {}", built.stderr);
        return;
    }
    built.assert(0, &[]);
    let helm = Path::new(built.stdout.trim());
    assert!(helm.ends_with("helm") && built.stdout.lines().count() == 1, "{}", built.stdout);
    // Helm's own variables would direct it to another server than the kubeconfig.
    let mut run =
        target.command(&["run", "--kubernetes", &minor(), "--", "sh", "-c", "helm version --short && helm list -q -A"]);
    let outcome = Outcome::of(run.env("HELM_KUBEAPISERVER", "https://127.0.0.1:1").output().expect("it runs"));
    outcome.assert(0, &[]);
    assert!(outcome.stdout.starts_with(crd_testbed::HELM_VERSION), "the linker flag reaches Helm: {}", outcome.stdout);
}

/// A shell reads a path with a space as two words unless it is quoted.
#[test]
fn a_shell_can_evaluate_the_output_of_up() {
    let Some(target) = Target::with_programs() else { return };
    let spaced = target.path("a user's folder");
    fs::create_dir_all(spaced.join("testbed")).expect("created");
    symlink(target.path("testbed/programs"), spaced.join("testbed/programs")).expect("linked");
    let script = format!(
        "eval \"$('{PROGRAM}' up --kubernetes {} | grep '^export ')\" && kubectl get namespaces; code=$?; '{PROGRAM}' down >&2; exit $code",
        minor()
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).env("CARGO_TARGET_DIR", &spaced).env("KUBERC", "off");
    let outcome = Outcome::of(command.output().expect("it runs"));
    outcome.assert(0, &["stopped default"]);
    assert!(outcome.stdout.contains("kube-system"), "{}", outcome.stdout);
}

#[test]
fn the_commands_of_the_documentation_work() {
    let Some(target) = Target::with_programs() else { return };
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CONTRIBUTING.md");
    let page = fs::read_to_string(page).expect("a page");
    let block = page.split_once("<!-- testbed commands -->").expect("a mark").1;
    let block = block.split("```").nth(1).expect("a block");
    let mut run = 0;
    for line in block.lines().filter_map(|line| line.strip_prefix("$ cargo xtask testbed ")) {
        let outcome = target.output(&line.split(' ').collect::<Vec<_>>());
        outcome.assert(0, &[]);
        assert!(!outcome.stdout.is_empty(), "{line}");
        run += 1;
    }
    assert!(run > 1);
    target.assert_nothing_remains();
}

#[test]
fn errors_say_what_is_valid_and_what_to_install() {
    let target = Target::empty();
    let go = ["Go is needed", "`/nowhere/go` cannot be run (No such file", "https://go.dev/dl"];
    for (arguments, code, parts) in [
        ("up --kubernetes 1.31", 2, &["invalid value '1.31'", "1.37, 1.36, 1.35, 1.34, 1.33, 1.32"][..]),
        ("run", 2, &["<CMD>"]),
        ("up --kubernetes 1.32 --controllers", 2, &["kube-controller-manager of Kubernetes 1.32 cannot be built"]),
        ("up --name ../elsewhere", 2, &["letters, digits and dashes"]),
        ("up --port 0", 2, &["invalid value '0'"]),
        ("build", 2, &go),
        ("up", 2, &go),
        ("run -- true", 125, &go),
    ] {
        let mut command = target.command(&arguments.split(' ').collect::<Vec<_>>());
        Outcome::of(command.env("GO", "/nowhere/go").output().expect("it runs")).assert(code, parts);
    }
    assert_eq!(target.leftovers(), Vec::<String>::new());
}
