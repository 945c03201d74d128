//! The gate for any project: the script `.ci/gate`, the action and the pre-commit hook that run it, and the lines of configuration that the
//! documentation shows. GitHub itself is never run.

mod cases;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::release_tools::loopback::Releases;
use crate::release_tools::{alone, git, printed, script, tool};
use crd_model::yaml;
use serde_json::{Value, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const XTASK: &str = env!("CARGO_BIN_EXE_xtask");

/// A CRD of another project, without stamps.
const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: lamps.example.com
spec:
  group: example.com
  names: {kind: Lamp, plural: lamps}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          watts: {type: integer, maximum: 10}
";
const PATH: &str = "config/crd/lamps.yaml";

/// A repository of another project, and next to it a clone of this repository, as pre-commit and GitHub make them.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("crd-channels-gate-").tempdir().unwrap();
        let project = Self { folder };
        fs::create_dir_all(project.clone_of_ours().join(".ci")).unwrap();
        fs::create_dir_all(project.programs()).unwrap();
        for name in [".ci/gate", ".ci/program", ".pre-commit-hooks.yaml", "action.yml", "Cargo.toml"] {
            fs::copy(Path::new(ROOT).join(name), project.clone_of_ours().join(name)).unwrap();
        }
        project.write("README.md", "Lamps\n");
        project.write(PATH, CRD);
        project.git(&["init", "--quiet"]);
        project.commit("first");
        project
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn clone_of_ours(&self) -> PathBuf {
        self.folder.path().join("ours")
    }

    fn programs(&self) -> PathBuf {
        self.folder.path().join("programs")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.work().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Changes the largest value of the CRD.
    fn maximum(&self, maximum: u32) {
        self.write(PATH, &CRD.replace("maximum: 10", &format!("maximum: {maximum}")));
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = git(&self.work(), arguments);
        assert!(output.status.success(), "{}", printed(&output));
        printed(&output).trim().to_owned()
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    /// A program that runs in the repository.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        alone(&mut command);
        let path = format!("{}:{}", self.programs().display(), std::env::var("PATH").unwrap());
        command.current_dir(self.work()).env("PATH", path).env_remove("CRD_BASE").env("CRD_CHANNELS", XTASK);
        command
    }

    /// The gate, and the exit code with what was printed. The program that it runs is an `xtask`, which asks for the channel.
    fn gate(&self, arguments: &[&str], base: Option<&str>) -> (Option<i32>, String) {
        let mut command = self.command(self.clone_of_ours().join(".ci/gate"));
        command.args(arguments).args(["--channel", "standard"]).envs(base.map(|base| ("CRD_BASE", base)));
        let output = command.output().unwrap();
        (output.status.code(), printed(&output))
    }
}

#[test]
fn the_gate_compares_with_an_earlier_commit() {
    let project = Project::new();
    let is = |arguments: &[&str], base: Option<&str>, code: i32, part: &str| {
        let (found, printed) = project.gate(arguments, base);
        assert!(found == Some(code) && printed.contains(part), "{arguments:?} {base:?}: {found:?} {printed}");
    };
    let crds = &["config/crd"] as &[&str];
    is(crds, None, 0, "nothing to report");
    is(crds, None, 0, "gate: --fail-on major, because the version of `");
    project.maximum(5);
    is(crds, None, 1, "✗ major bundle needed, minor permitted");
    is(&["config/crd/"], None, 1, "config/crd/lamps.yaml:17");
    is(&[PATH], None, 1, "✗ major bundle needed");
    is(&["config/crd", "--expect", "major"], None, 0, "✓ major bundle needed, major permitted");
    project.maximum(20);
    is(crds, None, 0, "✓ minor bundle needed, minor permitted");
    is(&["config/crd", "--fail-on=minor"], None, 1, "✗ minor bundle needed, patch permitted");
    // The last tag comes before the last commit.
    project.git(&["tag", "v1.0.0"]);
    project.maximum(5);
    project.commit("second");
    is(crds, None, 1, "✗ major bundle needed");
    is(crds, Some("HEAD"), 0, "nothing to report");
    is(crds, Some("HEAD~1"), 1, "✗ major bundle needed");
    // The first push of a branch, and a commit that does not exist.
    is(crds, Some(&"0".repeat(40)), 0, "this is the first push");
    is(crds, Some(&"1".repeat(40)), 2, "is not here, and cannot be fetched");
    let output = project.command(project.clone_of_ours().join(".ci/gate")).output().unwrap();
    assert!(output.status.code() == Some(2) && printed(&output).contains("<PATH>"), "{}", printed(&output));
}

/// A shallow clone, as `actions/checkout` makes it, fetches the commit that it lacks.
#[test]
fn a_shallow_clone_fetches_the_base() {
    let project = Project::new();
    let base = project.git(&["rev-parse", "HEAD"]);
    project.maximum(5);
    project.commit("second");
    project.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let origin = project.folder.path().join("origin");
    fs::rename(project.work(), &origin).unwrap();
    let url = format!("file://{}", origin.display());
    let output = git(project.folder.path(), &["clone", "--quiet", "--depth=1", &url, "work"]);
    assert!(output.status.success(), "{}", printed(&output));
    let (code, printed) = project.gate(&["config/crd"], Some(&base));
    assert!(code == Some(1) && printed.contains("✗ major bundle needed"), "{printed}");
}

/// One download by the hook, verified, without cargo and rustc. The real program is in the tests of crd-channels-cli.
#[test]
fn without_a_program_it_is_downloaded_once() {
    let project = Project::new();
    let releases = Releases::new(&project.folder.path().join("releases"));
    let program = project.folder.path().join("small");
    let stand_in = format!(
        "#!/bin/sh\n[ $1 = man ] && echo 'crd\\-channels\\-gate(1)'\n[ $1 = gate ] || exit 0\nexec '{XTASK}' \"$@\" --channel standard\n"
    );
    script(&program, &stand_in);
    let release = releases.add(env!("CARGO_PKG_VERSION"), &program);
    for name in ["cargo", "rustc", "gh"] {
        script(&project.programs().join(name), "#!/bin/sh\necho \"$0 runs\"; exit 1\n");
    }
    project.maximum(5);
    let run = |variables: &[(&str, &str)]| {
        let mut command = project.command(project.clone_of_ours().join(".ci/gate"));
        let path = format!("{}:/usr/bin:/bin", project.programs().display());
        command.arg("config/crd").env("PATH", path).env_remove("CRD_CHANNELS").env("HOME", project.folder.path());
        command.env("CRD_CHANNELS_RELEASES", &releases.address).env_remove("XDG_CACHE_HOME");
        let output = command.envs(variables.iter().copied()).output().unwrap();
        (output.status.code(), printed(&output), releases.requests().len())
    };
    // Findings are 1, so what cannot be verified is not.
    let (code, printed, requests) = run(&[("CRD_CHANNELS_ATTESTATION", "require")]);
    assert!(code == Some(2) && requests == 2 && printed.contains("cannot be verified"), "{printed}");
    for expected in [2, 0] {
        let (code, printed, requests) = run(&[]);
        assert!(code == Some(1) && printed.contains("✗ major bundle needed"), "{printed}");
        assert!(requests == expected && !printed.contains(" runs"), "{requests}: {printed}");
    }
    // The action asks for the attestation.
    fs::write(release.join("crd-channels.sigstore.json"), "{}").unwrap();
    script(&project.programs().join("gh"), "#!/bin/sh\nexit 0\n");
    let cache = project.folder.path().join("cache");
    let (code, printed, requests) =
        run(&[("CRD_CHANNELS_ATTESTATION", "require"), ("CRD_CHANNELS_CACHE", cache.to_str().unwrap())]);
    assert!(code == Some(1) && requests == 3, "{requests}: {printed}");
}

/// cargo is a stand-in that writes a program. No program is published for the platform.
#[test]
fn without_a_published_program_it_is_built_once() {
    let project = Project::new();
    script(&project.programs().join("uname"), "#!/bin/sh\necho Plan9\n");
    let installed = project.clone_of_ours().join("target/gate/bin");
    script(
        &project.programs().join("cargo"),
        &format!(
            "#!/bin/sh\necho \"cargo $*\"\nmkdir -p '{0}' && printf '#!/bin/sh\\necho \"built: $*\"\\n' >'{0}/crd-channels' && chmod 755 '{0}/crd-channels'\n",
            installed.display()
        ),
    );
    let run = || {
        let mut command = project.command(project.clone_of_ours().join(".ci/gate"));
        let path = format!("{}:/usr/bin:/bin", project.programs().display());
        printed(&command.arg("config/crd").env_remove("CRD_CHANNELS").env("PATH", path).output().unwrap())
    };
    let first = run();
    assert!(first.contains("note: no program is published for Plan9 Plan9\n"), "{first}");
    let ours = project.clone_of_ours();
    assert!(
        first.contains(&format!(
            "cargo install --quiet --locked --path {0}/gen/cli --root {0}/target/gate",
            ours.display()
        )),
        "{first}"
    );
    assert!(first.contains("built: gate config/crd\n"), "{first}");
    let second = run();
    assert!(second.starts_with("built: gate "), "{second}");
}

fn action() -> Value {
    yaml::read(&fs::read_to_string(format!("{ROOT}/action.yml")).unwrap()).unwrap().remove(0)
}

fn steps(action: &Value) -> &[Value] {
    action["runs"]["steps"].as_array().unwrap()
}

#[test]
fn the_action_runs_the_gate() {
    let action = action();
    assert_eq!((&action["runs"]["using"], steps(&action).len()), (&json!("composite"), 3));
    let uses = steps(&action).iter().filter_map(|step| step["uses"].as_str()).collect::<Vec<_>>();
    let known = |uses: &&str| {
        let row = |row: &str| row.split('\t').map(str::to_owned).collect::<Vec<_>>();
        crd_testdata::GITHUB_ACTIONS.lines().map(row).any(|row| **uses == format!("{}@{}", row[0], row[2]))
    };
    assert!(uses.len() == 1 && uses.iter().all(known), "{uses:?}");
    for step in steps(&action).iter().filter(|step| step["uses"].is_null()) {
        assert_eq!(step["shell"], "bash");
        // Inputs reach a shell as variables only.
        assert!(!step["run"].as_str().unwrap().contains("${{"), "{step}");
    }
    let project = Project::new();
    project.maximum(5);
    // What GitHub has downloaded and restored from its cache.
    let ours = project.clone_of_ours();
    fs::create_dir_all(ours.join("target/gate/bin")).unwrap();
    script(&ours.join("target/gate/bin/crd-channels"), "#!/bin/sh\nexit 9\n");
    fs::create_dir_all(ours.join("gen")).unwrap();
    let lock = ours.join("Cargo.lock");
    fs::write(&lock, "1").unwrap();
    let run = |step: usize, variables: &[(&str, &str)]| {
        let file = project.folder.path().join("step.sh");
        fs::write(&file, steps(&action)[step]["run"].as_str().unwrap()).unwrap();
        let mut command = project.command("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail"]).arg(file).env("GITHUB_ACTION_PATH", &ours);
        let output = project.folder.path().join("output");
        command.env("GITHUB_OUTPUT", &output).envs(variables.iter().copied());
        let ended: Output = command.output().unwrap();
        let written = fs::read_to_string(&output).unwrap_or_default();
        let _ = fs::remove_file(output);
        (ended.status.code(), printed(&ended), written)
    };
    let (code, printed, first) = run(0, &[]);
    let is_named = first.starts_with(&format!("path={XTASK}\nhash=")) && first.contains("/ours/target/gate/bin\n");
    assert!(code == Some(0) && is_named, "{printed} {first}");
    // Without one, it is downloaded, or built where none is published. What cannot be verified ends the step.
    let releases = Releases::new(&project.folder.path().join("releases"));
    let none = [("CRD_CHANNELS", ""), ("CRD_CHANNELS_RELEASES", &*releases.address)];
    let (code, printed, outputs) = run(0, &none);
    assert!(code == Some(0) && outputs.starts_with("path=\nhash=") && printed.starts_with("note: "), "{printed}");
    let dead = [("CRD_CHANNELS", ""), ("CRD_CHANNELS_RELEASES", "http://127.0.0.1:1")];
    assert_eq!((run(0, &dead).0, run(0, &dead).2), (Some(2), String::new()));
    assert_eq!(run(0, &[]).2, first);
    fs::write(&lock, "2").unwrap();
    assert_ne!(run(0, &[]).2, first);
    let inputs = |options: &'static str| [("CRDS", "config/crd"), ("CRD_BASE", "HEAD"), ("OPTIONS", options)];
    let (code, printed, _) = run(2, &inputs("--channel standard"));
    assert!(code == Some(1) && printed.starts_with("::error file=config/crd/lamps.yaml,line=17,"), "{printed}");
    let (code, printed, _) = run(2, &inputs("--channel standard --expect major"));
    assert!(code == Some(0) && printed.contains("✓ major bundle needed, major permitted"), "{printed}");
}

/// The lines of configuration in the documentation: blocks of YAML behind a comment with this text.
fn documented(mark: &str) -> String {
    let page = fs::read_to_string(format!("{ROOT}/docs/ci.md")).unwrap();
    let block = page.split_once(&format!("<!-- {mark} -->\n```yaml\n")).unwrap_or_else(|| panic!("no {mark}")).1;
    block.split_once("```").unwrap().0.to_owned()
}

/// The examples for CI in the documentation: the page, and the language and lines of each block behind a mark.
fn examples() -> Vec<(PathBuf, String, String)> {
    let docs = fs::read_dir(format!("{ROOT}/docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let mut found = Vec::new();
    for page in pages.chain([Path::new(ROOT).join("README.md")]) {
        let text = fs::read_to_string(&page).unwrap();
        for (mark, rest) in text.split("<!-- ").filter_map(|part| part.split_once(" -->\n```")) {
            if ["ci", "action", "hook", "any project"].contains(&mark) {
                let (language, rest) = rest.split_once('\n').unwrap();
                let (block, _) = rest.split_once("```").unwrap();
                // These read other files.
                let reads_other = |line: &&str| {
                    ["validate", "history"].iter().any(|name| line.starts_with(&format!("crd-channels {name}")))
                };
                let block = block.split_inclusive('\n').filter(|line| !reads_other(line));
                found.push((page.clone(), language.to_owned(), block.collect::<String>()));
            }
        }
        // Each comparison in another page is for a person.
        let marked = found.iter().filter(|(of, ..)| *of == page).map(|(_, _, block)| &**block).collect::<String>();
        for line in text.lines().filter(|line| line.starts_with("crd-channels diff")) {
            let is_local = ["from-published-crds.md", "gateway-api.md"].iter().any(|local| page.ends_with(local))
                || ["oci://", "cluster:", "chart:", ".tgz"].iter().any(|remote| line.contains(remote))
                || line.contains("--skip")
                || line.contains("--select")
                || line.contains("../published/");
            assert!(is_local || marked.contains(line), "{}: {line}", page.display());
        }
    }
    found
}

/// Commands that install or generate are stand-ins, and GitHub and pre-commit run what they would run.
#[test]
fn each_example_for_ci_is_red_for_a_breaking_change_and_green_for_a_compatible_one() {
    let examples = examples();
    assert!(examples.len() >= 5, "{examples:?}");
    for (page, language, block) in examples {
        for (maximum, expected) in [(10, 0), (20, 0), (5, 1)] {
            let project = Project::new();
            let program = project.programs().join("crd-channels");
            // The program of this test asks for the channel.
            script(&program, &format!("#!/bin/sh\nexec '{XTASK}' \"$@\" --channel standard\n"));
            script(&project.programs().join("cargo"), "#!/bin/sh\n[ \"$1\" = install ]\n");
            script(&project.programs().join("controller-gen"), "#!/bin/sh\nmkdir -p new && cp config/crd/*.yaml new\n");
            for folder in ["old", "released"] {
                project.write(&format!("{folder}/lamps.yaml"), CRD);
            }
            project.maximum(maximum);
            let example = if language == "yaml" { yaml::read(&block).unwrap().remove(0) } else { Value::Null };
            let gate = project.clone_of_ours().join(".ci/gate");
            let mut command = match (&example[0]["with"], &example[0]["hooks"][0]["args"]) {
                (Value::Null, Value::Null) => {
                    let mut command = project.command("bash");
                    command.args(["-eo", "pipefail", "-c", &block]);
                    command
                }
                (Value::Null, arguments) => {
                    let mut command = project.command(gate);
                    command.args(arguments.as_array().unwrap().iter().map(|argument| argument.as_str().unwrap()));
                    command
                }
                (inputs, _) => {
                    let (action, mut command) = (action(), project.command("bash"));
                    command.args(["-eo", "pipefail", "-c", steps(&action)[2]["run"].as_str().unwrap()]);
                    let built = project.clone_of_ours().join("target/gate/bin/crd-channels");
                    fs::create_dir_all(built.parent().unwrap()).unwrap();
                    script(&built, "#!/bin/sh\n");
                    command.env("GITHUB_ACTION_PATH", project.clone_of_ours()).env("CRD_BASE", "HEAD");
                    command.env("CRDS", inputs["crds"].as_str().unwrap());
                    command.env("OPTIONS", inputs["options"].as_str().unwrap_or_default());
                    command
                }
            };
            let output = command.env("CRD_CHANNELS", &program).output().unwrap();
            let shown = format!("{}, maximum {maximum}: {block}{}", page.display(), printed(&output));
            assert_eq!(output.status.code(), Some(expected), "{shown}");
        }
    }
}

#[test]
fn the_documented_lines_of_the_action_pass_the_linters() {
    let lines = documented("action");
    assert_eq!(lines.lines().count(), 3, "{lines}");
    let step: Value = yaml::read(&lines).unwrap().remove(0);
    let (with, action) = (step[0]["with"].as_object().unwrap(), action());
    assert!(with.keys().all(|input| action["inputs"].get(input).is_some()), "{step}");
    let project = Project::new();
    let indented = lines.lines().map(|line| format!("      {line}\n")).collect::<String>();
    project.write(
        ".github/workflows/crds.yml",
        &format!(
            "name: crds\non: pull_request\njobs:\n  crds:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: actions/checkout@v6\n{indented}"
        ),
    );
    if let Some(actionlint) = tool("actionlint") {
        let output = project.command(actionlint).output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
    }
}

#[test]
fn linters_pass_the_action_and_the_gate() {
    let scripts = ["gate", "program"].map(|name| format!("{ROOT}/.ci/{name}"));
    let action = format!("{ROOT}/action.yml");
    for (program, arguments) in [
        ("zizmor", ["--offline", "--no-progress", "--persona=auditor", &action].to_vec()),
        ("shellcheck", scripts.iter().map(String::as_str).collect()),
    ] {
        let Some(program) = tool(program) else { continue };
        let output = Project::new().command(program).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
    }
}

/// The real pre-commit, with the documented configuration.
#[test]
fn the_hook_keeps_back_a_commit_that_breaks_users() {
    let Some(pre_commit) = tool("pre-commit") else { return };
    let lines = documented("hook");
    assert_eq!(lines.lines().count(), 3, "{lines}");
    let project = Project::new();
    let ours = project.clone_of_ours();
    for arguments in
        [&["init", "--quiet"] as &[&str], &["add", "--all"], &["commit", "--quiet", "-m", "a"], &["tag", "tool-v0.1.0"]]
    {
        assert!(git(&ours, arguments).status.success());
    }
    // The program of this test asks for the channel.
    let lines = lines.replace("https://github.com/crd-channels/crd-channels", ours.to_str().unwrap());
    let lines = lines.replace("args: [config/crd]", "args: [config/crd, --channel, standard]");
    project.write(".pre-commit-config.yaml", &format!("repos:\n{lines}"));
    project.commit("the hook");
    let run = |options: &[&str]| {
        let mut command = project.command(pre_commit);
        command.arg("run").args(options).env("PRE_COMMIT_HOME", project.folder.path().join("home"));
        command.env("PRE_COMMIT_COLOR", "never").output().unwrap()
    };
    let output = run(&["--all-files"]);
    assert!(output.status.success() && printed(&output).contains("Passed"), "{}", printed(&output));
    // pre-commit passes no file of a commit that only deletes.
    project.git(&["rm", "--quiet", PATH]);
    let output = run(&[]);
    assert!(
        !output.status.success() && printed(&output).contains("`config/crd` has no CRDs now"),
        "{}",
        printed(&output)
    );
    project.git(&["reset", "--quiet", "--hard"]);
    project.maximum(5);
    project.git(&["add", "--all"]);
    let output = run(&["--all-files"]);
    assert!(!output.status.success(), "{}", printed(&output));
    assert!(printed(&output).contains("✗ major bundle needed, minor permitted"), "{}", printed(&output));
}
