//! The two paths of `generate`: what it writes from source is what the compiled types give, byte by byte, or it refuses the source.
//!
//! What is expected of the crates in `testdata/reader/cases`:
//!
//! | `expect:` | |
//! |---|---|
//! | `equal` | both paths write the same files |
//! | `refused TEXT` | the crate compiles; the reader refuses it, and its diagnostic contains the text |
//! | `recorded` | both paths write the same files after `generate --compiled`, and the reader refuses the types before |
//! | `outdated TEXT` | edits can change what the compiled run recorded: the reader refuses them |
//! | `error` | the crate compiles, and both paths report an error in its types |
//! | `compile error` | the crate does not compile; the reader does not panic |
//! | `compile error: TEXT` | the crate does not compile; the reader refuses it, and its diagnostic contains the text |
//!
//! Forms of a grammar are added to them: what the reader accepts alone is compiled in a crate of each edition, and both paths write the same files.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;

use crd_channels_cli::{Exit, Session, run_without_types_in};
use crd_testdata::reader::{Case, case, cases, grammar};

const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

/// The program that has all cases: it writes the CRDs of each, and what the compiled run records, into its folder, and the output next to it.
const PROGRAM: &str = r#"
use command_line::{Catalogue, Session, run_in};

fn main() {
    for (name, roots) in [$CASES] {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases").join(name).canonicalize().unwrap();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let catalogue = Catalogue::default().resources(roots);
        run_in(&catalogue, ["generate"], &mut Session::new(&folder, &mut out, &mut err));
        let settings = folder.join("crd-channels.yaml");
        let text = std::fs::read_to_string(&settings).unwrap();
        std::fs::write(&settings, text + "types: api\n").unwrap();
        let _ = std::fs::rename(folder.join("bundles/unreleased"), folder.join("compiled"));
        let mut session = Session::new(&folder, &mut out, &mut err);
        // A panic of the reader is reported for its case.
        let run = || _ = run_in(&catalogue, ["generate", "--compiled"], &mut session);
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        drop(session);
        let _ = std::fs::rename(folder.join("bundles/compiled.json"), folder.join("compiled.json"));
        let _ = std::fs::remove_dir_all(folder.join("bundles"));
        std::fs::write(folder.join("compiled.txt"), [out, err].concat()).unwrap();
    }
}
"#;

const PANICKED: &str = "it panicked";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("reader")
}

/// Runs cargo on a package that depends on all of the cases; returns what it prints about errors.
fn cargo(package: &str, subcommand: &str, cases: &[&Case], main: &str) -> Result<(), String> {
    let folder = folder().join(package);
    fs::create_dir_all(folder.join("src")).unwrap();
    let dependencies = cases.iter().flat_map(|case| {
        case.dependencies.iter().map(|line| line.replace("\"../", &format!("\"../cases/{}/", case.name)))
    });
    let dependencies: Vec<String> = dependencies.collect();
    let manifest = format!(
        "[package]\nname = \"{package}\"\nedition = \"2024\"\n[workspace]\n[profile.dev]\ndebug = false\n\
         [dependencies]\ncommand-line = {{ package = \"crd-channels-cli\", path = \"{PACKAGE}\", default-features = false }}\n{}\n",
        dependencies.join("\n")
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.join("src/main.rs"), main).unwrap();
    // The versions that were tested here; cargo takes from it what it needs.
    fs::copy(Path::new(PACKAGE).join("../../Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    // Shared with the other programs that build workspaces, so that the libraries are built once.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("adopter/target");
    command.args([subcommand, "--quiet", "--keep-going"]).current_dir(folder).env("CARGO_TARGET_DIR", target);
    for variable in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CLICOLOR_FORCE", "CARGO_TERM_COLOR"] {
        command.env_remove(variable);
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(text) }
}

/// The files below a folder, by their paths in it.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut paths = vec![folder.to_owned()];
    while let Some(path) = paths.pop() {
        match fs::read_dir(&path) {
            Ok(entries) => paths.extend(entries.map(|entry| entry.unwrap().path())),
            Err(_) => found
                .extend(fs::read_to_string(&path).map(|text| (path.strip_prefix(folder).unwrap().to_owned(), text))),
        }
    }
    found
}

/// Generates from source; returns the diagnostics if it fails.
fn generate_from_source(folder: &Path) -> Result<(), String> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut session = Session::new(folder, &mut out, &mut err);
    let run = AssertUnwindSafe(|| run_without_types_in(["generate"], &mut session));
    let exit = catch_unwind(run).map_err(|_| PANICKED.to_owned())?;
    let text = String::from_utf8_lossy(&err).into_owned();
    if exit == Exit::Fine { Ok(()) } else { Err(text) }
}

/// What is wrong with a case.
fn fault(case: &Case) -> Option<String> {
    let folder = folder().join("cases").join(&case.name);
    let (bundles, recorded) = (folder.join("bundles"), folder.join("compiled.json"));
    let compiled = files(&folder.join("compiled"));
    let (kind, text) = case.expected.split_once(' ').unwrap_or((&case.expected, ""));
    if ["equal", "refused", "recorded", "outdated"].contains(&kind) == compiled.is_empty() {
        let output = fs::read_to_string(folder.join("compiled.txt")).unwrap_or_default();
        return Some(format!("the compiled types give {} files: {output}", compiled.len()));
    }
    let settings = case.files[Path::new("crd-channels.yaml")].clone() + "types: api\n";
    fs::write(folder.join("crd-channels.yaml"), settings).unwrap();
    let mut source = generate_from_source(&folder);
    if kind == "recorded" && source.is_ok() {
        return Some("it needs no `compiled.json`".to_owned());
    }
    if ["recorded", "outdated"].contains(&kind) {
        // Not every source needs the file.
        let _ = fs::create_dir_all(&bundles).and_then(|()| fs::copy(recorded, bundles.join("compiled.json")));
        source = generate_from_source(&folder);
        if let (Err(error), "recorded") = (&source, kind) {
            return Some(format!("it is refused after the compiled run: {error}"));
        }
        case.edits.iter().for_each(|(path, text)| fs::write(folder.join(path), text).unwrap());
        source = generate_from_source(&folder);
    }
    let written = files(&bundles.join("unreleased"));
    match (kind, source) {
        (_, Err(error)) if error == PANICKED => Some(error),
        ("equal" | "recorded", Ok(())) => {
            let mut paths = compiled.keys().chain(written.keys());
            let differing = paths.find(|path| compiled.get(*path) != written.get(*path));
            differing.map(|path| format!("{path:?} differs:\n{:?}\n{:?}", compiled.get(path), written.get(path)))
        }
        ("refused" | "outdated", Err(error)) => {
            let is_explained = error.contains(if text.is_empty() { "generate --compiled" } else { text });
            (!is_explained || kind == "refused" && !written.is_empty()).then_some(error)
        }
        ("compile", Ok(())) if text != "error" => Some("it is read".to_owned()),
        ("compile", Err(error)) => {
            let is_explained = text.strip_prefix("error: ").is_none_or(|text| error.contains(text));
            (!is_explained).then_some(error)
        }
        ("error", Err(_)) | ("compile", _) => None,
        (_, Err(error)) => Some(error),
        (_, Ok(())) => Some(if compiled == written { "both paths are equal" } else { "it is misread" }.to_owned()),
    }
}

/// The examples, as cases.
fn examples() -> Vec<Case> {
    let example = |(folder, name, expected): (&str, &str, &str)| {
        let folder = Path::new(PACKAGE).join("examples").join(folder);
        let mut files = files(&folder);
        let generators = Path::new(PACKAGE).join("../").display().to_string();
        files.values_mut().for_each(|text| *text = text.replace("../../../../", &generators));
        let settings = files.get_mut(Path::new("crd-channels.yaml")).unwrap();
        *settings =
            settings.lines().filter(|line| !line.starts_with("types:")).map(|line| format!("{line}\n")).collect();
        let package = name.replace('_', "-");
        let dependencies = vec![format!("{package} = {{ path = \"../api\", default-features = false }}")];
        Case { name: name.to_owned(), expected: expected.to_owned(), dependencies, files, edits: BTreeMap::new() }
    };
    [("widgets", "widgets_api", "equal"), ("cache-operator", "cache_api", "recorded")].map(example).into()
}

/// Forms of the grammar in a proof.
const FORMS: usize = 1500;

/// The forms of the grammar that the reader accepts: a crate for each edition. The compiler decides whether it was right.
fn generated() -> Vec<Case> {
    let editions = ["2018", "2021", "2024"];
    let count = u64::try_from(crd_testdata::sample(FORMS).div_ceil(editions.len())).unwrap();
    // Other forms each night.
    let seed = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
    let mut numbers = seed * 10_000..;
    let mut accepted_forms = 0;
    let crates = editions.map(|edition| {
        let name = format!("generated_{edition}");
        let tried: Vec<u64> = numbers.by_ref().take(usize::try_from(count).unwrap()).collect();
        let is_accepted = |number: &u64| {
            let case = case(name.clone(), grammar::text(edition, &[*number]));
            write(&case);
            let settings = case.files[Path::new("crd-channels.yaml")].clone() + "types: api\n";
            let folder = folder().join("cases").join(&case.name);
            fs::write(folder.join("crd-channels.yaml"), settings).unwrap();
            let read = generate_from_source(&folder);
            fs::remove_dir_all(folder).unwrap();
            assert_ne!(read, Err(PANICKED.to_owned()), "{}", grammar::text(edition, &[*number]));
            read.is_ok()
        };
        let accepted: Vec<u64> = tried.iter().copied().filter(is_accepted).collect();
        println!("edition {edition}: {} of {} forms are accepted: {accepted:?}", accepted.len(), tried.len());
        accepted_forms += accepted.len();
        case(name, grammar::text(edition, &accepted))
    });
    // Over all editions: of the few forms that one edition has in a sample, none may be accepted.
    let forms = usize::try_from(count).unwrap() * editions.len();
    assert!(accepted_forms > forms / 3, "{accepted_forms} forms of {forms} are accepted");
    crates.into()
}

fn write(case: &Case) {
    for (path, text) in &case.files {
        let path = folder().join("cases").join(&case.name).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn both_paths_of_generate_are_equal() {
    let _ = fs::remove_dir_all(folder().join("cases"));
    let all = [cases(), examples(), generated()].into_iter().flatten().collect::<Vec<_>>();
    let (failing, compiling): (Vec<&Case>, Vec<&Case>) =
        all.iter().partition(|case| case.expected.starts_with("compile error"));
    all.iter().for_each(write);
    let list = compiling.iter().map(|case| format!("(\"{0}\", {0}::RESOURCES),", case.name)).collect::<String>();
    if let Err(error) = cargo("program", "run", &compiling, &PROGRAM.replace("$CASES", &list)) {
        panic!("{error}");
    }
    let error = cargo("failing", "check", &failing, "fn main() {}").unwrap_err();
    for case in &failing {
        assert!(error.contains(&format!("could not compile `{}`", case.name)), "{} compiles", case.name);
    }
    let faults = all.iter().filter_map(|case| Some(format!("{}: {}\n", case.name, fault(case)?)));
    let faults = faults.collect::<String>();
    assert!(faults.is_empty(), "{faults}");
}
