//! The programs to download: `.ci/archive` packs them, `.ci/program` and the commands of the docs download and verify them, krew installs them.
//!
//! A server on the loopback interface has the releases. gh and cosign are stand-ins that print their arguments: attestations of GitHub's workflows
//! can be verified only where they exist.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::release_tools::loopback::{Releases, target};
use crate::release_tools::{alone, printed, script, tool_with};
use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const PROGRAM: &str = env!("CARGO_BIN_EXE_crd-channels");
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// A substitute for the program where its size matters: its manual page names one subcommand.
const SMALL: &str = "#!/bin/sh\ncase $1 in man) echo 'crd\\-channels\\-gate(1)' ;; *) echo \"small $*\" ;; esac\n";
/// What the scripts and commands need. Compilers are not among it.
const TOOLS: &str =
    "bash cat chmod curl cut dirname env git grep gzip head mkdir mktemp mv rm rmdir sed sh sha256sum tail tar uname";

/// A user with a home, a PATH with few programs, and releases on the loopback interface.
struct User {
    folder: tempfile::TempDir,
    releases: Releases,
}

impl User {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("crd-channels-programs-").tempdir().unwrap();
        for name in ["programs", "home", "releases"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let link = "for tool in $TOOLS; do ln -s \"$(command -v $tool)\" programs/$tool; done";
        let mut command = Command::new("sh");
        command.args(["-euc", link]).env("TOOLS", TOOLS).current_dir(folder.path());
        assert!(command.status().unwrap().success());
        let releases = Releases::new(&folder.path().join("releases"));
        Self { folder, releases }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    /// A program of the PATH.
    fn stand_in(&self, name: &str, text: &str) {
        let path = self.path("programs").join(name);
        let _ = fs::remove_file(&path);
        script(&path, &format!("#!/bin/sh\n{text}\n"));
    }

    /// A release with the archive of the small program.
    fn release(&self, version: &str) -> PathBuf {
        let program = self.path("small");
        script(&program, SMALL);
        self.releases.add(version, &program)
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        alone(&mut command);
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.to_ascii_lowercase().ends_with("_proxy") || name.starts_with("CRD_") || name.starts_with("XDG_") {
                command.env_remove(&*name);
            }
        }
        let path = format!("{}:{}", self.path("home/.local/bin").display(), self.path("programs").display());
        command.env("PATH", path).env("HOME", self.path("home"));
        command.env("CRD_CHANNELS_RELEASES", &self.releases.address);
        command.current_dir(self.path("home"));
        command
    }

    /// `.ci/program` for a version.
    fn program(&self, version: &str, variables: &[(&str, &str)]) -> Output {
        let mut command = self.command(format!("{ROOT}/.ci/program"));
        command.env("CRD_CHANNELS_VERSION", version).envs(variables.iter().copied()).output().unwrap()
    }

    /// The requests, without the folder of the version.
    fn requests(&self) -> Vec<String> {
        self.releases.requests().iter().map(|path| path.split_once('/').unwrap().1.to_owned()).collect()
    }
}

#[test]
fn a_program_is_downloaded_once_and_verified() {
    let user = User::new();
    user.release(VERSION);
    let archive = format!("crd-channels-{}.tar.gz", target());
    // The version is that of the checkout.
    let first = user.command(format!("{ROOT}/.ci/program")).output().unwrap();
    let path = printed(&first).trim().to_owned();
    assert!(first.status.success() && Path::new(&path).starts_with(user.path("home/.cache/crd-channels")), "{path}");
    assert_eq!(user.requests(), ["SHA256SUMS", &archive]);
    assert_eq!(printed(&Command::new(&path).arg("gate").output().unwrap()), "small gate\n");
    assert_eq!(printed(&user.program(VERSION, &[])).trim(), path);
    assert_eq!(user.requests(), [""; 0]);
    let kept = fs::read_dir(Path::new(&path).parent().unwrap()).unwrap();
    let mut kept = kept.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>();
    kept.sort();
    assert_eq!(kept, ["SHA256SUMS", "crd-channels", &archive]);
}

/// Another job that shares a cache can replace it.
#[test]
fn a_kept_program_is_verified_again_where_attestations_are_required() {
    let user = User::new();
    fs::write(user.release("0.3.0").join("crd-channels.sigstore.json"), "{}").unwrap();
    let require = [("CRD_CHANNELS_ATTESTATION", "require")];
    let gh =
        |code: u8| user.stand_in("gh", &format!("case $* in *--help) exit ;; esac\ngrep -q {{}} \"$7\"; exit {code}"));
    let path = printed(&user.program("0.3.0", &[])).trim().to_owned();
    assert_eq!(user.requests().len(), 2);
    // Without an attestation in the cache, it is downloaded.
    gh(0);
    script(Path::new(&path), "#!/bin/sh\necho hostile\n");
    assert_eq!(printed(&user.program("0.3.0", &[])).trim(), path);
    let output = user.program("0.3.0", &require);
    assert_eq!((output.status.code(), printed(&output).trim()), (Some(0), &*path));
    assert_eq!(printed(&Command::new(&path).arg("gate").output().unwrap()), "small gate\n");
    assert_eq!(user.requests(), ["crd-channels.sigstore.json"]);
    // With one, nothing is downloaded, and the program is again that of the archive.
    script(Path::new(&path), "#!/bin/sh\necho hostile\n");
    assert_eq!(user.program("0.3.0", &require).status.code(), Some(0));
    assert_eq!(printed(&Command::new(&path).arg("gate").output().unwrap()), "small gate\n");
    assert_eq!(user.requests(), [""; 0]);
    gh(1);
    let output = user.program("0.3.0", &require);
    assert!(output.status.code() == Some(2) && printed(&output).contains("has no valid attestation"), "{output:?}");
    gh(0);
    fs::write(Path::new(&path).with_file_name(format!("crd-channels-{}.tar.gz", target())), "other").unwrap();
    let output = user.program("0.3.0", &require);
    assert!(
        output.status.code() == Some(2) && printed(&output).contains("it is damaged or was replaced"),
        "{output:?}"
    );
}

/// Without a home, the folder is new, and only this user can read it.
#[test]
fn without_a_home_the_cache_is_private() {
    let user = User::new();
    user.release(VERSION);
    let place = user.path("tmp");
    fs::create_dir(&place).unwrap();
    let mut found = Vec::new();
    for home in [None, Some(""), None] {
        let mut command = user.command(format!("{ROOT}/.ci/program"));
        command.env("TMPDIR", &place).env_remove("HOME").envs(home.map(|home| ("HOME", home)));
        let output = command.output().unwrap();
        let path = PathBuf::from(printed(&output).trim());
        assert!(output.status.success() && path.starts_with(&place), "{output:?}");
        let cache = place.join(path.strip_prefix(&place).unwrap().iter().next().unwrap());
        let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&cache).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o700, "{}", cache.display());
        assert!(!found.contains(&cache), "{}", cache.display());
        found.push(cache);
    }
}

#[test]
fn what_cannot_be_verified_is_an_error_and_leaves_nothing() {
    let user = User::new();
    let archive = format!("crd-channels-{}.tar.gz", target());
    let sums = |version: &str, change: &dyn Fn(String) -> String| {
        let path = user.release(version).join("SHA256SUMS");
        fs::write(&path, change(fs::read_to_string(&path).unwrap())).unwrap();
        path
    };
    sums("0.0.1", &|text| text.replace(&archive, "crd-channels-other.tar.gz"));
    fs::remove_file(sums("0.0.2", &|text| text).with_file_name(&archive)).unwrap();
    sums("0.0.3", &|text| format!("{}{}", "0".repeat(64), &text[64..]));
    fs::write(user.release("0.0.4").join(format!("{archive}.truncated")), "").unwrap();
    // A name that only ends with that of the archive, and a line without a digest.
    sums("0.0.5", &|text| format!("{}x-{archive}\nnonsense  {archive}\n", &text[..66]));
    user.release("0.0.6");
    let dead = "http://127.0.0.1:1";
    let proxy = [("http_proxy", "http://user:secret@127.0.0.1:1")];
    for (version, variables, code, part) in [
        ("9.9.9", &[] as &[(&str, &str)], 3, "has no release tool-v9.9.9"),
        ("../0.0.6", &[], 2, "is not a version of crd-channels"),
        ("0.0.1", &[], 3, "the release tool-v0.0.1 has no program for "),
        ("0.0.2", &[], 2, "which its SHA256SUMS lists"),
        ("0.0.3", &[], 2, "and SHA256SUMS lists 000000"),
        ("0.0.4", &[], 2, "tar.gz cannot be downloaded: curl: (18)"),
        ("0.0.5", &[], 3, "has no program for "),
        ("0.0.6", &[("CRD_CHANNELS_RELEASES", dead)], 2, "SHA256SUMS cannot be downloaded: curl: (7)"),
        ("0.0.6", &proxy, 2, "check the network, and the proxy that the environment names"),
        ("0.0.6", &[("CRD_CHANNELS_ATTESTATION", "require")], 2, "neither gh nor cosign is installed"),
        ("0.0.6", &[("CRD_CHANNELS_ATTESTATION", "required")], 2, "CRD_CHANNELS_ATTESTATION is `required`"),
        ("0.0.6", &[("CRD_CHANNELS_ATTESTATION", "Require")], 2, "CRD_CHANNELS_ATTESTATION is `Require`"),
        ("0.0.6", &[("CRD_CHANNELS_ATTESTATION", "skip ")], 2, "CRD_CHANNELS_ATTESTATION is `skip `"),
        ("0.0.6", &[("CRD_CHANNELS_ATTESTATION", "require skip")], 2, "set it to \"require\" or \"skip\""),
        ("0.0.6", &[("CRD_CHANNELS_ATTESTATION", "none")], 2, "CRD_CHANNELS_ATTESTATION is `none`"),
    ] {
        let output = user.program(version, variables);
        let printed = printed(&output);
        assert!(output.status.code() == Some(code) && printed.contains(part), "{version} {variables:?}: {printed}");
        assert!(output.stdout.is_empty() && !printed.contains("secret") && printed.lines().count() <= 2, "{printed}");
        assert!(!user.path("home/.cache/crd-channels").exists(), "{version} {variables:?}");
    }
    user.releases.requests();
    user.stand_in("uname", "echo Plan9");
    assert_eq!(user.program("0.0.6", &[]).status.code(), Some(3));
    assert_eq!(user.requests(), [""; 0]);
}

#[test]
fn attestations_are_those_of_the_workflow_at_the_tag() {
    let user = User::new();
    let release = user.release("0.3.0");
    let identity = "https://github.com/crd-channels/crd-channels/.github/workflows/tool.yml@refs/tags/tool-v0.3.0";
    let verifies = |name: &str, verb: &str, code: u8| {
        let log = user.path("log");
        let text = format!(
            "case $* in *--help) exit ;; esac\necho {name} \"$@\" >'{}'\necho wrong; exit {code}",
            log.display()
        );
        user.stand_in(name, &text);
        let _ = fs::remove_dir_all(user.path("home/.cache"));
        let output = user.program("0.3.0", &[("CRD_CHANNELS_ATTESTATION", "require")]);
        let arguments = fs::read_to_string(log).unwrap_or_default();
        assert!(arguments.starts_with(&format!("{name} {verb} ")) && arguments.contains(identity), "{arguments}");
        (output.status.code(), printed(&output))
    };
    let (code, printed) = {
        user.stand_in("gh", "exit 0");
        let output = user.program("0.3.0", &[]);
        (output.status.code(), printed(&output))
    };
    assert!(code == Some(2) && printed.contains("the release tool-v0.3.0 has no attestation"), "{printed}");
    fs::write(release.join("crd-channels.sigstore.json"), "{}").unwrap();
    user.requests();
    assert_eq!(verifies("gh", "attestation verify", 0).0, Some(0));
    assert_eq!(user.requests().len(), 3);
    let (code, printed) = verifies("gh", "attestation verify", 1);
    assert!(code == Some(2) && printed.contains("tar.gz has no valid attestation: wrong"), "{printed}");
    assert!(!user.path("home/.cache/crd-channels").exists());
    assert!(user.program("0.3.0", &[("CRD_CHANNELS_ATTESTATION", "skip")]).status.success());
    // A gh without this command, as Debian 12 has it.
    user.stand_in("gh", "exit 1");
    assert_eq!(verifies("cosign", "verify-blob-attestation", 0).0, Some(0));
    assert_eq!(verifies("cosign", "verify-blob-attestation", 1).0, Some(2));
}

/// A release of the program under test, packed once. The archives of the other targets have the same bytes.
fn packed() -> &'static Path {
    static RELEASE: OnceLock<PathBuf> = OnceLock::new();
    RELEASE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        // Without its symbols, it is packed in half of the time.
        let program = folder.join("crd-channels");
        let stripped = Command::new("strip").arg("-o").arg(&program).arg(PROGRAM).status();
        if !stripped.is_ok_and(|status| status.success()) {
            fs::copy(PROGRAM, &program).unwrap();
        }
        let release = Releases::new(&folder).add(VERSION, &program);
        script(&folder.join("small"), SMALL);
        Releases::pack(&folder.join("small"), "x86_64-pc-windows-msvc", &release);
        let archive = release.join(format!("crd-channels-{}.tar.gz", target()));
        let manifest = fs::read_to_string(format!("{ROOT}/.ci/krew.yaml")).unwrap();
        for other in manifest.split("{sha256 of ").skip(1).map(|rest| rest.split_once('}').unwrap().0) {
            let _ = fs::hard_link(&archive, release.join(other));
        }
        let mut command = Command::new(format!("{ROOT}/.ci/archive"));
        command.args(["release", VERSION]).arg(&release).env("CARGO_NET_OFFLINE", "true");
        alone(&mut command);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
        release
    })
}

/// The same on the user's server.
fn release_of_this_program(user: &User) -> PathBuf {
    let release = user.path("releases").join(format!("tool-v{VERSION}"));
    crate::release_tools::copy(packed(), &release);
    release
}

/// The bar: the first `diff` of a Go user, by the docs: one download, verified, no compiler.
#[test]
fn a_go_user_s_first_diff_is_one_download() {
    let user = User::new();
    release_of_this_program(&user);
    user.stand_in("gh", "echo \"gh $*\"");
    user.stand_in("controller-gen", "mkdir new && sed 's/maximum: 10/maximum: 5/' released/lamps.yaml >new/lamps.yaml");
    fs::create_dir(user.path("home/released")).unwrap();
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: lamps.example.com}\nspec:\n  group: example.com\n  names: {kind: Lamp, plural: lamps}\n  scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          watts: {type: integer, maximum: 10}\n";
    fs::write(user.path("home/released/lamps.yaml"), crd).unwrap();
    let block = |name: &str, mark: &str| {
        let page = fs::read_to_string(format!("{ROOT}/docs/{name}.md")).unwrap();
        let rest = page.split_once(&format!("<!-- {mark} -->\n```sh\n")).unwrap_or_else(|| panic!("no {mark}")).1;
        rest.split_once("```").unwrap().0.to_owned()
    };
    let commands = block("command-line", "install") + &block("from-controller-gen", "ci");
    let base = "https://github.com/crd-channels/crd-channels/releases/download";
    assert_eq!(commands.matches("https://").count(), 1, "{commands}");
    let commands = commands.replace(base, &user.releases.address).replace("x86_64", std::env::consts::ARCH);
    for tool in ["cargo", "rustc", "cc", "gcc", "go"] {
        assert!(!user.path("programs").join(tool).exists());
    }
    let output = user.command("bash").args(["-euo", "pipefail", "-c", &commands]).output().unwrap();
    let (printed, archive) = (printed(&output), format!("crd-channels-{}.tar.gz", target()));
    assert_eq!(user.requests(), [&archive, "SHA256SUMS"], "{printed}");
    assert!(printed.contains(&format!("{archive}: OK\ngh attestation verify {archive} --repo ")), "{printed}");
    assert!(output.status.code() == Some(1) && printed.contains("✗ major release needed"), "{printed}");
}

#[test]
fn krew_installs_the_plugin_and_kubectl_runs_it() {
    let kubectl = std::env::var("KUBECTL").unwrap_or_else(|_| "kubectl".to_owned());
    let programs = [("krew", "--help"), ("validate-krew-manifest", "--help"), (&*kubectl, "--help")];
    if programs.iter().any(|(name, argument)| tool_with(name, argument).is_none()) {
        return;
    }
    let user = User::new();
    let release = release_of_this_program(&user);
    let text = fs::read_to_string(release.join("krew.yaml")).unwrap();
    let base = "https://github.com/crd-channels/crd-channels/releases/download";
    assert_eq!(text.matches(base).count(), 5);
    let manifest = user.path("releases/crd-channels.yaml");
    fs::write(&manifest, text.replace(base, &user.releases.address)).unwrap();
    // krew itself is a plugin.
    let all = format!("{}:{}", user.path("krew/bin").display(), user.path("programs").display());
    let link = "ln -s \"$(command -v krew)\" programs/kubectl-krew; ln -s \"$(command -v validate-krew-manifest)\" programs/validate; ln -s \"$(command -v $KUBECTL)\" programs/kubectl";
    let mut command = Command::new("sh");
    command.args(["-euc", link]).env("KUBECTL", kubectl).current_dir(user.folder.path());
    assert!(command.status().unwrap().success());
    let run = |line: &str| {
        let mut command = user.command("sh");
        command.args(["-c", line]).env("KREW_ROOT", user.path("krew")).env("MANIFEST", &manifest);
        let output = command.env("PATH", &all).output().unwrap();
        (output.status.success(), printed(&output))
    };
    // It installs the program of each platform.
    let (is_valid, printed) = run("validate -manifest \"$MANIFEST\"");
    assert!(is_valid, "{printed}");
    user.requests();
    let (is_installed, printed) = run("kubectl krew install --manifest=\"$MANIFEST\"");
    assert!(is_installed && user.requests().len() == 1, "{printed}");
    assert_eq!(run("kubectl crd-channels --version").1, format!("crd-channels {VERSION}\n"));
    // Another archive than the manifest states is refused.
    let archive = release.join(format!("crd-channels-{}.tar.gz", target()));
    fs::remove_file(&archive).unwrap();
    fs::write(&archive, "other").unwrap();
    let again = "KREW_ROOT=\"$KREW_ROOT-2\" kubectl krew install --manifest=\"$MANIFEST\"";
    let (is_installed, printed) = run(again);
    assert!(!is_installed && printed.contains("checksum"), "{printed}");
}

/// The same input has the same bytes, whatever the time, the user and the umask are.
#[test]
fn an_archive_has_the_program_and_its_pages_and_the_same_bytes_every_time() {
    let user = User::new();
    let program = user.path("small");
    script(&program, SMALL);
    let pack = |target: &str, folder: &str, before: &str| {
        fs::create_dir_all(user.path(folder)).unwrap();
        let mut command = Command::new("sh");
        command.args(["-euc", &format!("{before} exec \"$0\" \"$@\""), &format!("{ROOT}/.ci/archive"), "program"]);
        let status = command.arg(&program).arg(target).arg(user.path(folder)).status().unwrap();
        assert!(status.success());
    };
    let names = ["a-linux-musl.tar.gz", "a-windows-msvc.zip"].map(|name| format!("crd-channels-{name}"));
    for name in ["a-linux-musl", "a-windows-msvc"] {
        pack(name, "one", "");
        pack(name, "two", "sleep 1; umask 077; export TZ=Asia/Kolkata;");
    }
    for name in &names {
        assert!(
            fs::read(user.path("one").join(name)).unwrap() == fs::read(user.path("two").join(name)).unwrap(),
            "{name}"
        );
    }
    let mut tar =
        tar::Archive::new(flate2::read::GzDecoder::new(fs::File::open(user.path("one").join(&names[0])).unwrap()));
    let entries = tar.entries().unwrap().map(|entry| {
        let entry = entry.unwrap();
        let header = entry.header();
        assert_eq!((header.uid().unwrap(), header.gid().unwrap(), header.mtime().unwrap()), (0, 0, 0));
        (entry.path().unwrap().display().to_string(), header.mode().unwrap())
    });
    let entries = entries.collect::<Vec<_>>();
    let expected =
        ["LICENSE", "completions/_crd-channels", "completions/_crd-channels.ps1", "completions/crd-channels.bash"];
    let expected = [&expected[..], &["completions/crd-channels.elv", "completions/crd-channels.fish", "crd-channels"]];
    let expected = [&expected.concat()[..], &["man/crd-channels-gate.1", "man/crd-channels.1"]].concat();
    assert_eq!(entries.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), expected);
    assert!(entries.iter().all(|(name, mode)| *mode == if name == "crd-channels" { 0o755 } else { 0o644 }));
}

#[test]
fn a_release_has_sums_an_sbom_and_the_version_of_the_tag() {
    let user = User::new();
    let release = release_of_this_program(&user);
    let check = Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&release).output();
    let check = check.unwrap();
    assert!(check.status.success() && printed(&check).lines().count() == 7, "{}", printed(&check));
    let mut command = Command::new(format!("{ROOT}/.ci/archive"));
    let output = command.args(["release", "9.9.9"]).arg(&release).output().unwrap();
    assert!(!output.status.success() && printed(&output).contains("Cargo.toml states"), "{}", printed(&output));

    let sbom = fs::read_to_string(release.join("crd-channels.cdx.json")).unwrap();
    let document: Value = serde_json::from_str(&sbom).unwrap();
    let names = document["components"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap());
    let names = names.collect::<Vec<_>>();
    // Not what only tests need.
    assert!(names.contains(&"kube-client") && names.contains(&"clap") && !names.contains(&"jsonschema"), "{names:?}");
    let lock = fs::read_to_string(format!("{ROOT}/Cargo.lock")).unwrap();
    for one in document["components"].as_array().unwrap() {
        let text = |pointer: &str| one.pointer(pointer).unwrap().as_str().unwrap();
        let (name, version) = (text("/name"), text("/version"));
        let package = lock
            .split("[[package]]\n")
            .find(|package| package.starts_with(&format!("name = \"{name}\"\nversion = \"{version}\"\n")));
        assert!(package.is_some_and(|package| package.contains(text("/hashes/0/content"))), "{one}");
    }
    let validate = "import sys, json\ntry:\n from cyclonedx.model.bom import Bom\n from cyclonedx.schema import SchemaVersion\n from cyclonedx.validation.json import JsonStrictValidator\nexcept ImportError as error: sys.exit(77)\ntext = open(sys.argv[1]).read()\nerrors = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)\nsys.exit(str(errors)) if errors else Bom.from_json(json.loads(text))";
    let path = release.join("crd-channels.cdx.json");
    let output = Command::new("python3").args(["-c", validate]).arg(path).output().unwrap();
    let is_required = std::env::var_os("CRD_RELEASE_TOOLS").is_some_and(|value| value == "require");
    assert!(output.status.success() || (output.status.code() == Some(77) && !is_required), "{}", printed(&output));
}

/// The addresses of `cargo binstall`, of krew and of the docs are those of the archives of the workflow.
#[test]
fn every_address_is_that_of_an_archive_of_the_workflow() {
    let read = |path: &str| fs::read_to_string(format!("{ROOT}/{path}")).unwrap();
    let workflow = read(".github/workflows/tool.yml");
    let targets = workflow.split("{ target: ").skip(1).map(|rest| rest.split_once(',').unwrap().0).collect::<Vec<_>>();
    assert_eq!(targets.len(), 5);
    let (script, krew) = (read(".ci/program"), read(".ci/krew.yaml"));
    let manifest = read("gen/cli/Cargo.toml");
    let (_, metadata) = manifest.split_once("[package.metadata.binstall]\n").unwrap();
    let (elsewhere, windows) =
        metadata.split_once("[package.metadata.binstall.overrides.x86_64-pc-windows-msvc]\n").unwrap();
    for target in targets {
        let suffix = if target.contains("windows") { "zip" } else { "tar.gz" };
        let name = format!("crd-channels-{target}.{suffix}");
        assert!(script.contains(target), "{target}");
        assert!(
            krew.contains(&format!("/tool-v{{version}}/{name}\n")) && krew.contains(&format!("of {name}}}")),
            "{name}"
        );
        let (chosen, format) = if suffix == "zip" { (windows, "zip") } else { (elsewhere, "tgz") };
        let address =
            format!("{{ repo }}/releases/download/tool-v{{ version }}/{}", name.replace(target, "{ target }"));
        let keys = format!("pkg-url = \"{address}\"\npkg-fmt = \"{format}\"\n");
        assert!(chosen.starts_with(&keys), "{chosen}");
    }
    // A release of the tool writes its version into these files.
    let mut seen = 0;
    let pages = ["docs/command-line.md", "docs/ci.md", ".github/workflows/release.yml"];
    let written = ["templates/init/release.yml", "templates/init/go/release.yml", "templates/init/go/ci.yml"];
    for path in pages.into_iter().chain(written) {
        for rest in read(path).split("tool-v").skip(1) {
            assert!(
                rest.starts_with(VERSION) || rest.starts_with("X.Y.Z") || rest.starts_with('*'),
                "{path}: tool-v{rest:.10}"
            );
            seen += 1;
        }
    }
    assert!(seen >= 3, "{seen}");
}
