//! The workflows, ours and those that `init` writes: read by actionlint and zizmor, held to a table of actions, and their scripts run
//! against programs that stand in for GitHub's. GitHub itself is never run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::readme::code_block;
use crate::release_tools::{alone, git, printed, tool};
use crd_model::yaml;
use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const XTASK: &str = env!("CARGO_BIN_EXE_xtask");

/// Every action that a workflow may use: its name, its tag, and the commit of that tag.
fn actions() -> impl Iterator<Item = [&'static str; 3]> {
    let row = |row: &'static str| row.split('\t').collect::<Vec<_>>().try_into().expect("three columns");
    crd_testdata::GITHUB_ACTIONS.lines().skip(1).map(row)
}

/// A program that is the command line or calls it. If it was built without `init`, cargo builds its package again.
fn xtask(program: &str) -> Command {
    let mut command = Command::new(program);
    alone(&mut command);
    command.env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"));
    command
}

/// Where workflows stand, and which.
fn workflows() -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    let folders =
        [".github/workflows", "templates/init", "templates/init/go", "gen/cli/examples/widgets/.github/workflows"];
    for folder in folders {
        for entry in fs::read_dir(Path::new(ROOT).join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "yml") {
                all.push((path.clone(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    assert_eq!(all.len(), 10, "ci.yml and release.yml, four times, nightly.yml and tool.yml");
    all
}

fn read(text: &str) -> Value {
    yaml::read(text).unwrap().remove(0)
}

fn jobs(workflow: &Value) -> impl Iterator<Item = (&str, &Value)> {
    workflow["jobs"].as_object().unwrap().iter().map(|(name, job)| (name.as_str(), job))
}

fn steps(job: &Value) -> &[Value] {
    job["steps"].as_array().unwrap()
}

#[test]
fn actions_are_those_of_the_table_by_digest_with_their_tag_beside() {
    let mut used = BTreeSet::new();
    for (path, text) in workflows() {
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("uses:")).collect();
        // The lines agree with the YAML: no action is written in another notation.
        let workflow = read(&text);
        let all = jobs(&workflow).flat_map(|(_, job)| steps(job)).filter(|step| !step["uses"].is_null()).count();
        assert_eq!(lines.len(), all, "{}", path.display());
        for line in lines {
            let [name, ..] = actions()
                .find(|[name, tag, commit]| line.trim() == format!("- uses: {name}@{commit} # {tag}"))
                .unwrap_or_else(|| panic!("{}: {line}: not in the table", path.display()));
            used.insert(name);
        }
        assert!(jobs(&workflow).all(|(_, job)| job["uses"].is_null()), "{}", path.display());
    }
    assert!(used.contains("actions/attest") && used.len() >= 6, "{used:?}");
}

#[test]
fn jobs_have_no_right_that_they_do_not_need() {
    for (path, text) in workflows() {
        let shown = path.display();
        let workflow = read(&text);
        assert_eq!(workflow["permissions"], serde_json::json!({}), "{shown}");
        assert!(workflow["concurrency"]["group"].is_string(), "{shown}");
        assert_eq!(workflow["defaults"]["run"]["shell"], "bash", "{shown}");
        for (name, job) in jobs(&workflow) {
            let rights = match name {
                "publish" => serde_json::json!({"attestations": "write", "contents": "write", "id-token": "write"}),
                "image" | "sign" => {
                    serde_json::json!({"attestations": "write", "id-token": "write", "packages": "write"})
                }
                "registry" => serde_json::json!({"packages": "write"}),
                "pages" => serde_json::json!({"contents": "read", "id-token": "write", "pages": "write"}),
                _ => serde_json::json!({"contents": "read"}),
            };
            assert_eq!(job["permissions"], rights, "{shown}: {name}");
            let most = if path.ends_with("nightly.yml") { 350 } else { 75 };
            assert!(job["timeout-minutes"].as_u64().unwrap() <= most, "{shown}: {name}");
            // What may write runs nothing of the repository. zizmor finds credentials that stay, and names that reach a shell.
            let may_write = ["image", "publish", "pages", "registry", "sign"].contains(&name);
            let checks_out =
                |step: &Value| step["uses"].as_str().is_some_and(|uses| uses.starts_with("actions/checkout@"));
            assert!(!may_write || !steps(job).iter().any(checks_out), "{shown}: {name}");
        }
    }
}

/// Text without comments, and without the line with the Rust version.
fn essence(text: &str) -> Vec<&str> {
    let comment = |line: &&str| line.trim_start().starts_with('#');
    text.lines().filter(|line| !comment(line) && !line.contains("rustup toolchain install")).collect()
}

#[test]
fn adopters_get_the_release_that_we_have() {
    let ours = fs::read_to_string(format!("{ROOT}/.github/workflows/release.yml")).unwrap();
    let theirs = fs::read_to_string(format!("{ROOT}/templates/init/release.yml")).unwrap();
    assert_eq!(essence(&ours), essence(&theirs));
    assert!(ours.contains("Not yet run on GitHub"));
    assert!(fs::read_to_string(format!("{ROOT}/.github/workflows/ci.yml")).unwrap().contains("Not yet run on GitHub"));
}

/// The jobs after the build know nothing of the language of the types. The program is downloaded as for a registry.
#[test]
fn projects_with_go_types_get_the_same_release() {
    let text = |path: &str| fs::read_to_string(format!("{ROOT}/templates/init/{path}")).unwrap();
    let later = |text: &str| text[text.find("\n  # May write").unwrap()..].to_owned();
    let (rust, go) = (text("release.yml"), text("go/release.yml"));
    assert_eq!(later(&rust), later(&go));
    let download = |text: &str| {
        let (_, rest) = text.split_once("gh release download").unwrap();
        rest.split_once("tar -xzf").unwrap().0.to_owned()
    };
    let expected = download(&rust);
    assert_eq!([download(&go), download(&text("go/ci.yml"))], [&*expected; 2]);
}

/// A repository with this repository's workflows, or with those that `init` writes.
struct Linted {
    folder: tempfile::TempDir,
}

impl Linted {
    fn ours() -> Self {
        let linted = Self::empty();
        for name in ["ci.yml", "nightly.yml", "release.yml", "tool.yml"] {
            let text = fs::read_to_string(format!("{ROOT}/.github/workflows/{name}")).unwrap();
            fs::create_dir_all(linted.workflows()).unwrap();
            fs::write(linted.workflows().join(name), text).unwrap();
        }
        linted
    }

    fn written() -> Self {
        Self::empty().after_init()
    }

    fn written_for_go() -> Self {
        let linted = Self::empty();
        for name in ["PROJECT", "Makefile", "go.mod"] {
            fs::copy(format!("{ROOT}/testdata/kubebuilder/{name}"), linted.folder.path().join(name)).unwrap();
        }
        let linted = linted.after_init();
        assert!(linted.workflows().join("crd-channels.yml").exists());
        linted
    }

    fn after_init(self) -> Self {
        let output = xtask(XTASK).args(["init", "--root"]).arg(self.folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
        self
    }

    fn empty() -> Self {
        let folder = tempfile::Builder::new().prefix("crd-channels-workflows-").tempdir().unwrap();
        assert!(git(folder.path(), &["init", "--quiet"]).status.success());
        Self { folder }
    }

    fn workflows(&self) -> PathBuf {
        self.folder.path().join(".github/workflows")
    }

    #[track_caller]
    fn passes(&self, program: &str, arguments: &[&str]) {
        let mut command = Command::new(program);
        alone(&mut command);
        let output = command.args(arguments).current_dir(self.folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
    }
}

/// actionlint asks shellcheck about scripts, where that is.
#[test]
fn linters_of_workflows_pass() {
    for (program, arguments) in
        [("actionlint", &[][..]), ("zizmor", &["--offline", "--no-progress", "--persona=auditor", "."])]
    {
        let Some(program) = tool(program) else { continue };
        for make in [Linted::ours, Linted::written, Linted::written_for_go] {
            make().passes(program, arguments);
        }
    }
}

/// The script of a step of the release.
fn script(job: &str, step: &str) -> String {
    script_of("release", job, step)
}

fn script_of(workflow: &str, job: &str, step: &str) -> String {
    let workflow = read(&fs::read_to_string(format!("{ROOT}/.github/workflows/{workflow}.yml")).unwrap());
    let found = steps(&workflow["jobs"][job]).iter().find(|found| found["name"] == step);
    found.unwrap_or_else(|| panic!("{job} has no step `{step}`"))["run"].as_str().unwrap().to_owned()
}

/// A runner: a folder that scripts run in, as GitHub runs them, and stand-ins before the programs of the machine.
struct Runner {
    folder: tempfile::TempDir,
}

impl Runner {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("crd-channels-runner-").tempdir().unwrap();
        for name in ["programs", "work"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// A stand-in for a program of the machine.
    fn program(&self, name: &str, script: &str) {
        let path = self.folder.path().join("programs").join(name);
        crate::release_tools::script(&path, &format!("#!/bin/bash\n{script}\n"));
    }

    /// `shell: bash` is this command at GitHub.
    fn run(&self, script: &str, folder: &Path, tag: &str) -> Output {
        let path = self.folder.path().join("step.sh");
        fs::write(&path, script).unwrap();
        let programs = self.folder.path().join("programs");
        let mut command = Command::new("bash");
        alone(&mut command);
        command.args(["--noprofile", "--norc", "-eo", "pipefail"]).arg(path).current_dir(folder);
        command.env("PATH", format!("{}:{}", programs.display(), std::env::var("PATH").unwrap())).env("TAG", tag);
        command.output().unwrap()
    }
}

#[test]
fn publishing_takes_what_was_built_and_nothing_else() {
    let runner = Runner::new();
    let work = runner.work();
    let dist = work.join("dist");
    fs::create_dir(&dist).unwrap();
    for name in ["release-notes.md", "standard-install.yaml", "things-v1.0.0.tar.gz"] {
        fs::write(dist.join(name), format!("{name}\n")).unwrap();
    }
    let sums = runner.run("sha256sum * >../SHA256SUMS; mv ../SHA256SUMS .", &dist, "");
    assert!(sums.status.success(), "{}", printed(&sums));
    for folder in ["oci", "schemas"] {
        fs::create_dir_all(dist.join(folder).join("below")).unwrap();
        fs::write(dist.join(folder).join("below/file.json"), "{}\n").unwrap();
        let sums = runner.run("sha256sum below/* >SHA256SUMS", &dist.join(folder), "");
        assert!(sums.status.success(), "{}", printed(&sums));
    }
    runner.program("gh", "printf '%s\\n' \"$@\" >>gh-arguments");

    let verify = script("publish", "Verify that the files match SHA256SUMS, without additional files");
    let verified = |part: &str| {
        let output = runner.run(&verify, &dist, "v1.0.0");
        assert!(printed(&output).contains(part), "{}", printed(&output));
        output.status.success()
    };
    assert!(verified("standard-install.yaml: OK"));
    // Files that are not listed, hidden or not.
    for name in ["additional.yaml", ".hidden", "schemas/below/additional.json", "oci/additional"] {
        fs::write(dist.join(name), "").unwrap();
        assert!(!verified(name.trim_start_matches("schemas/").trim_start_matches("oci/")), "{name}");
        fs::remove_file(dist.join(name)).unwrap();
    }
    // A file that is another, one that is missing, a line that is none.
    let file = dist.join("standard-install.yaml");
    fs::write(&file, "other\n").unwrap();
    assert!(!verified("standard-install.yaml: FAILED"));
    fs::remove_file(&file).unwrap();
    assert!(!verified("standard-install.yaml: FAILED open or read"));
    fs::write(&file, "standard-install.yaml\n").unwrap();
    assert!(verified("standard-install.yaml: OK"));
    let sums = fs::read_to_string(dist.join("SHA256SUMS")).unwrap();
    fs::write(dist.join("SHA256SUMS"), format!("{sums}nonsense\n")).unwrap();
    assert!(!verified("improperly formatted"));
    fs::write(dist.join("SHA256SUMS"), sums).unwrap();

    let publish = script("publish", "GitHub release");
    let assets = "dist/SHA256SUMS\ndist/release-notes.md\ndist/standard-install.yaml\ndist/things-v1.0.0.tar.gz\n";
    for (tag, kind) in [("v1.0.0", ""), ("v1.0.0-rc.1", "--prerelease\n"), ("v1.0.0-dev", "--prerelease\n")] {
        let output = runner.run(&publish, &work, tag);
        assert!(output.status.success(), "{}", printed(&output));
        let arguments = fs::read_to_string(work.join("gh-arguments")).unwrap();
        fs::remove_file(work.join("gh-arguments")).unwrap();
        let start =
            format!("release\ncreate\n{tag}\n--verify-tag\n--title\n{tag}\n--notes-file\ndist/release-notes.md\n");
        let rest = arguments.strip_prefix(&start).unwrap_or_else(|| panic!("{arguments}"));
        let mut files: Vec<&str> = rest.strip_prefix(kind).unwrap_or_else(|| panic!("{arguments}")).lines().collect();
        // The shell's order is that of the machine's language.
        files.sort_unstable();
        assert_eq!(files.join("\n") + "\n", assets);
    }
    // A failure of `gh` fails the step.
    runner.program("gh", "exit 1");
    assert!(!runner.run(&publish, &work, "v1.0.0").status.success());
}

/// An archive with a program for Linux in a folder, and stand-ins for gh and docker that list their arguments and input.
fn with_archives(runner: &Runner, folder: &str, program: &str) {
    let pack = format!(
        "mkdir -p {folder} && printf '#!/bin/sh\\n%s\\n' '{program}' >crd-channels && chmod 755 crd-channels\n\
         for one in x86_64 aarch64; do tar -czf {folder}/crd-channels-$one-unknown-linux-musl.tar.gz crd-channels; done; rm crd-channels"
    );
    assert!(runner.run(&pack, &runner.work(), "").status.success());
    runner.program("gh", "echo gh \"$@\" >>\"$LOG\"; [ \"$1\" != attestation ] || exit \"${VERIFIED:-0}\"");
    runner.program("docker", "{ echo docker \"$@\"; cat; } >>\"$LOG\"; [ \"$2\" != build ] || echo '{\"containerimage.digest\":\"sha256:d\"}' >metadata.json");
}

/// What a script that may write ran, with its outputs, if it succeeded.
fn ran(runner: &Runner, script: &str, variables: &str, tag: &str) -> Option<String> {
    let (log, outputs) = (runner.folder.path().join("log"), runner.folder.path().join("outputs"));
    let (_, _) = (fs::remove_file(&log), fs::remove_file(&outputs));
    let set = format!("export LOG='{}' GITHUB_OUTPUT='{}' {variables}\n", log.display(), outputs.display());
    let output = runner.run(&format!("{set}{script}"), &runner.work(), tag);
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    output.status.success().then(|| format!("{}{}", read(&log), read(&outputs)))
}

/// The program that pushes is verified before it runs, and each named artefact is signed by the digest that it printed.
#[test]
fn artefacts_are_pushed_by_a_verified_program_and_signed_by_digest() {
    let runner = Runner::new();
    let printed = r#"{"artefacts": [{"reference": "ghcr.io/a/b/standard:v1.0.0", "digest": "sha256:1"}, {"reference": "ghcr.io:443/a/b/charts/b:1.0.0", "digest": "sha256:2"}]}"#;
    with_archives(&runner, ".", &format!("echo crd-channels \"$@\" >>\"$LOG\"; echo '\"'\"'{printed}'\"'\"'"));
    let download = script("registry", "Download the program and verify where it was built");
    assert!(ran(&runner, &download, "TOOL=tool-v0.1.0 VERIFIED=1", "").is_none());
    assert!(!runner.work().join("crd-channels").exists());
    let found = ran(&runner, &download, "TOOL=tool-v0.1.0", "").unwrap();
    let archive = "crd-channels-x86_64-unknown-linux-musl.tar.gz";
    let repository = "crd-channels/crd-channels";
    assert_eq!(
        found,
        format!(
            "gh release download tool-v0.1.0 --repo {repository} --pattern {archive}\ngh attestation verify {archive} --repo {repository} --cert-identity https://github.com/{repository}/.github/workflows/tool.yml@refs/tags/tool-v0.1.0\n"
        )
    );
    let found = ran(&runner, &script("registry", "Push"), "ACTOR=me GH_REPO=A/b GH_TOKEN=secret", "").unwrap();
    assert_eq!(
        found,
        "docker login ghcr.io --username me --password-stdin\nsecret\ncrd-channels push dist/oci ghcr.io/a/b --format json\n\
         artefacts=[{\"name\":\"ghcr.io/a/b/standard\",\"digest\":\"sha256:1\"},{\"name\":\"ghcr.io:443/a/b/charts/b\",\"digest\":\"sha256:2\"}]\n"
    );
}

/// A release of the tool: an image of both static programs, by digest, and a release that is never the latest.
#[test]
fn a_release_of_the_tool_has_an_image_and_its_attestation() {
    let runner = Runner::new();
    with_archives(&runner, "dist", "exit 9");
    let variables = "ACTOR=me IMAGE=ghcr.io/a/b TOKEN=secret";
    let found =
        ran(&runner, &script_of("tool", "image", "Build and push the image"), variables, "tool-v0.1.0").unwrap();
    let dockerfile = "FROM scratch\nARG TARGETARCH\nCOPY ${TARGETARCH}/crd-channels /crd-channels\nUSER 65532:65532\nENTRYPOINT [\"/crd-channels\"]\n";
    assert!(found.contains("name=ghcr.io/a/b:0.1.0,push=true") && found.contains(dockerfile), "{found}");
    assert!(found.ends_with("digest=sha256:d\n"), "{found}");
    for architecture in ["amd64", "arm64"] {
        assert!(runner.work().join("context").join(architecture).join("crd-channels").exists(), "{architecture}");
    }
    fs::write(runner.work().join("bundle.json"), "{}").unwrap();
    let publish = script_of("tool", "publish", "GitHub release");
    for (tag, kind) in [("tool-v0.1.0", "--notes"), ("tool-v0.1.0-rc.1", "--prerelease --notes")] {
        let found = ran(&runner, &publish, "ATTESTATION=bundle.json GH_REPO=a/b", tag).unwrap();
        let start = format!("gh release create {tag} --verify-tag --latest=false --title {tag} {kind} ");
        assert!(found.starts_with(&start) && found.contains("dist/crd-channels.sigstore.json"), "{found}");
    }
}

/// The page is that of the newest release: not of a patch of an older minor, not of a pre-release, and only where Pages is set up.
#[test]
fn only_the_newest_release_is_published_at_pages() {
    let runner = Runner::new();
    let work = runner.work();
    let newest = script("pages", "Whether this is the newest release");
    let published = |tag: &str| {
        let output = runner.run(&format!("export GITHUB_OUTPUT=outputs GH_REPO=a/b\n{newest}"), &work, tag);
        let outputs = fs::read_to_string(work.join("outputs")).unwrap_or_default();
        let _ = fs::remove_file(work.join("outputs"));
        (output.status.success(), outputs, printed(&output))
    };
    let tags =
        "refs/tags/v1.9.0 refs/tags/v1.10.0 refs/tags/v1.10.1-rc.1 refs/tags/v1.9.1 refs/tags/v2 refs/tags/vendor";
    let gh = |pages: &str| {
        runner.program(
            "gh",
            &format!(
                "case \"$*\" in *repos/a/b/git/matching-refs/tags/v*) printf '%s\\n' {tags} ;; *repos/a/b/pages) exit {pages} ;; *) exit 9 ;; esac"
            ),
        );
    };
    gh("0");
    for (tag, is_newest) in [("v1.10.0", true), ("v1.9.1", false), ("v1.10.1-rc.1", false), ("v2", false)] {
        let (is_success, outputs, shown) = published(tag);
        assert_eq!((is_success, outputs), (true, format!("publish={is_newest}\n")), "{shown}");
        assert_eq!(shown.contains("::notice::The page is not published: the newest release is v1.10.0."), !is_newest);
    }
    gh("1");
    let (is_success, outputs, shown) = published("v1.10.0");
    assert_eq!((is_success, outputs.as_str()), (true, "publish=false\n"), "{shown}");
    assert!(shown.contains("::notice::The page is not published: choose the source GitHub Actions"), "{shown}");
    // A failure of `gh` fails the step.
    runner.program("gh", "exit 1");
    assert!(!published("v1.10.0").0);

    fs::create_dir(work.join("dist")).unwrap();
    fs::write(work.join("dist/reference.html"), "<!DOCTYPE html>\n").unwrap();
    fs::create_dir(work.join("dist/schemas")).unwrap();
    fs::write(work.join("dist/schemas/index.json"), "{}\n").unwrap();
    let output = runner.run(&script("pages", "The page as the start page"), &work, "v1.10.0");
    assert!(output.status.success(), "{}", printed(&output));
    assert_eq!(fs::read_to_string(work.join("site/index.html")).unwrap(), "<!DOCTYPE html>\n");
    assert_eq!(fs::read_to_string(work.join("site/schemas/index.json")).unwrap(), "{}\n");
}

#[test]
fn a_tag_whose_commit_lacks_its_release_is_not_published() {
    let runner = Runner::new();
    let work = runner.work();
    let commit = |message: &str| {
        for arguments in [&["add", "--all"] as &[&str], &["commit", "--quiet", "--allow-empty", "--message", message]] {
            let output = git(&work, arguments);
            assert!(output.status.success(), "{}", printed(&output));
        }
    };
    assert!(git(&work, &["init", "--quiet"]).status.success());
    fs::write(work.join(".gitignore"), fs::read_to_string(format!("{ROOT}/templates/init/gitignore")).unwrap())
        .unwrap();
    commit("types");
    // A stand-in for the command: the bundle, and what is published.
    runner.program(
        "cargo",
        "[ \"$1 $2\" = 'xtask release' ] && [ $# = 3 ] && mkdir -p \"bundles/$3\" dist && \
         echo new >\"bundles/$3/bundle.yaml\" && echo asset >dist/asset && touch bundles/.release.lock",
    );
    let same_command = script("build", "The same command");
    let same_bytes = script("build", "The same bytes as committed");
    let built = |tag: &str| {
        let output = runner.run(&same_command, &work, tag);
        assert!(output.status.success(), "{}", printed(&output));
        runner.run(&same_bytes, &work, tag)
    };
    // Not committed at all: the command alone would be content.
    let output = built("v1.0.0");
    assert!(
        !output.status.success() && printed(&output).contains("?? bundles/v1.0.0/bundle.yaml"),
        "{}",
        printed(&output)
    );
    commit("release");
    let output = built("v1.0.0");
    assert!(output.status.success() && printed(&output).is_empty(), "{}", printed(&output));
    assert!(work.join("dist/asset").exists());
    // Another byte.
    fs::write(work.join("bundles/v1.0.0/bundle.yaml"), "old\n").unwrap();
    commit("altered");
    let output = built("v1.0.0");
    assert!(
        !output.status.success() && printed(&output).contains(" M bundles/v1.0.0/bundle.yaml"),
        "{}",
        printed(&output)
    );
    // A tag is a word, whatever is in it.
    let output = runner.run(&same_command, &work, "v1.0.0 $(touch broken); touch broken");
    assert!(output.status.success() && !work.join("broken").exists(), "{}", printed(&output));
}

/// The real commands of the page of Gateway API: released at home, built again from a clone at the tag, published.
#[test]
fn a_clone_at_the_tag_makes_the_release_again() {
    let runner = Runner::new();
    let home = runner.work();
    // `cargo xtask` is the program that was built for this test, in the repository that the step runs in.
    let package = env!("CARGO_MANIFEST_DIR");
    let stand_in = format!(
        "[ \"$1\" = xtask ] && shift && CARGO_MANIFEST_DIR='{package}' exec '{XTASK}' \"$@\" --root \"$PWD\"; exit 1"
    );
    runner.program("cargo", &stand_in);
    let does = |script: &str, folder: &Path| {
        let output = runner.run(script, folder, "v1.7.0");
        assert!(output.status.success(), "{script}: {}", printed(&output));
    };
    for name in ["gitignore", "gitattributes"] {
        fs::copy(format!("{ROOT}/templates/init/{name}"), home.join(format!(".{name}"))).unwrap();
    }
    fs::write(home.join("Cargo.toml"), "[workspace]\n").unwrap();
    fs::create_dir(home.join("bundles")).unwrap();
    for name in ["history.tar.xz", "tombstones.yaml", "waivers.yaml"] {
        fs::copy(format!("{ROOT}/bundles/{name}"), home.join("bundles").join(name)).unwrap();
    }
    does(&format!("cp -r '{ROOT}/bundles/v1.6.1' bundles/"), &home);
    // Read by the SBOM: a clone that changes line ends has to keep these.
    fs::copy(format!("{ROOT}/Cargo.lock"), home.join("Cargo.lock")).unwrap();
    // The compiled types: the source is elsewhere.
    let settings = crate::release_tools::settings_without_source();
    fs::write(home.join("crd-channels.yaml"), settings).unwrap();
    let commit = "git add --all && git commit --quiet --message release";
    let here = "export TZ=UTC LC_ALL=C HOSTNAME=somehost USER=someuser; umask 077;";
    let page = fs::read_to_string(format!("{ROOT}/docs/gateway-api.md")).unwrap();
    let commands = code_block(page.split_once("<!-- commands -->").unwrap().1).lines();
    let commands = commands.filter_map(|line| line.strip_prefix("$ ")).collect::<Vec<_>>();
    assert_eq!(commands.len(), 2, "{commands:?}");
    does("git init --quiet", &home);
    for command in commands {
        does(&format!("{here} {command} | grep . && {commit}"), &home);
    }
    does("git tag v1.7.0", &home);
    for (folder, files) in [("unreleased/experimental", 14), ("v1.7.0/standard", 11)] {
        assert_eq!(fs::read_dir(home.join("bundles").join(folder)).unwrap().count(), files, "{folder}");
    }

    let clone = runner.folder.path().join("änother place");
    does("umask 077 && git clone --quiet -c core.autocrlf=true --branch v1.7.0 . '../änother place'", &home);
    let there =
        "export TZ=Asia/Kolkata LC_ALL=tr_TR.UTF-8 LANG=tr_TR.UTF-8 HOSTNAME=otherhost USER=otheruser; umask 002;";
    does(&format!("{there} {}", script("build", "The same command")), &clone);
    does(&script("build", "The same bytes as committed"), &clone);
    let dist = clone.join("dist");
    does("diff --recursive dist '../änother place/dist'", &home);
    // Whatever the umask was, everyone reads them, and they contain nothing of the machine.
    let is_open = "! -perm 644 ! '(' -type d -perm 755 ')' | { ! grep .; }";
    does(&format!("find dist bundles/v1.7.0 {is_open}"), &home);
    does(&format!("find dist {is_open}"), &clone);
    let leaks = [runner.folder.path().to_str().unwrap(), "someuser", "somehost", "otheruser", "otherhost"];
    does(&format!("! grep --recursive --fixed-strings --regexp={} dist", leaks.join(" --regexp=")), &clone);
    let verify = script("publish", "Verify that the files match SHA256SUMS, without additional files");
    does(&verify, &dist);
    assert!(fs::read_dir(&dist).unwrap().count() >= 8);

    // The same key signs with the same signatures, and changes nothing else.
    does(
        "openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ../release.key && cp -r dist ../unsigned",
        &home,
    );
    for (environment, folder) in [(here, &home), (there, &clone)] {
        does(&format!("{environment} cargo xtask release v1.7.0 --sign ../release.key"), folder);
    }
    does("diff --recursive dist '../änother place/dist'", &home);
    does("diff --recursive --exclude=oci --exclude=signatures dist ../unsigned", &home);
    for dist in ["dist", "../unsigned"] {
        does(&format!("python3 '{ROOT}/gen/release/tests/validate_layout.py' {dist} bundles/v1.7.0"), &home);
    }
    does(&verify, &dist);

    // What was altered after its release is not released again.
    does(&format!("echo '# more' >>bundles/v1.7.0/standard/kustomization.yaml && {commit}"), &clone);
    let output = runner.run(&script("build", "The same command"), &clone, "v1.7.0");
    let printed = printed(&output);
    assert!(!output.status.success() && printed.contains("bundles/v1.7.0/standard/kustomization.yaml"), "{printed}");
}

/// `init` as a process, on a small disk of its own that was mounted read-only: even root cannot write there.
#[test]
fn init_on_a_read_only_disk_changes_nothing_and_says_so() {
    let folder = tempfile::Builder::new().prefix("crd-channels-init-").tempdir().unwrap();
    let script = "
        mount -t tmpfs none \"$PLACE\" 2>/dev/null || exit 77
        echo /target >\"$PLACE/.gitignore\" && mount -o remount,ro \"$PLACE\" || exit 77
        \"$XTASK\" init --root \"$PLACE\"; code=$?
        find \"$PLACE\" -type f
        exit $code
    ";
    let mut command = xtask("sh");
    command.args(["-c", "exec unshare --user --map-root-user --mount sh -c \"$SCRIPT\""]);
    let output = command.env("SCRIPT", script).env("PLACE", folder.path()).env("XTASK", XTASK).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() == Some(77) || errors.contains("unshare") {
        println!("skipped: no right to mount a small disk here: {errors}");
        return;
    }
    assert_eq!(output.status.code(), Some(2), "{}", printed(&output));
    assert!(
        errors.contains("Read-only file system")
            && errors.contains("= help: mount the filesystem writable, or use another folder\n"),
        "{errors}"
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{}/.gitignore\n", folder.path().display()));
}
