//! The layout of the crates: the rules of `docs/design.md` that no compiler checks.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

mod closure;

use closure::{Metadata, Package, Target};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A command file parses, calls and prints.
const COMMAND_LINES: usize = 200;

pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// The module of a file below `src`: `report/text.rs` → `report::text`. The crate itself has no parts.
fn module(path: &Path) -> Vec<String> {
    let mut parts: Vec<String> = path.with_extension("").iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    parts.pop_if(|last| *last == "mod" || *last == "lib");
    parts
}

/// The code of a file without comments and without its unit tests.
pub(crate) fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    code.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// The paths of a tree such as `a::{b, c::{d, e}}`, and the length of the tree.
fn paths(tree: &str) -> (Vec<String>, usize) {
    let is_path = |character: char| character.is_alphanumeric() || "_:".contains(character);
    let end = tree.find(|character| !is_path(character)).unwrap_or(tree.len());
    let (prefix, rest) = tree.split_at(end);
    if !(prefix.ends_with("::") && rest.starts_with('{')) {
        return (vec![prefix.to_owned()], end);
    }
    let (mut found, mut at) = (Vec::new(), end + 1);
    while at < tree.len() && !tree[at..].starts_with('}') {
        let (below, length) = paths(&tree[at..]);
        found.extend(below.into_iter().filter(|path| !path.is_empty()).map(|path| format!("{prefix}{path}")));
        at += length.max(1);
    }
    (found, at + 1)
}

/// The modules that a file names, as parts from the crate's root.
fn named(code: &str, own: &[String]) -> Vec<Vec<String>> {
    let mut named = Vec::new();
    for (start, _) in code.match_indices("crate::").chain(code.match_indices("super::")) {
        let before = code[..start].chars().next_back();
        if before.is_some_and(|character| character.is_alphanumeric() || "_:$".contains(character)) {
            continue;
        }
        for path in paths(&code[start..]).0 {
            let mut base = own.to_vec();
            let mut parts = path.split("::").peekable();
            if parts.next_if_eq(&"crate").is_some() {
                base.clear();
            }
            while parts.next_if_eq(&"super").is_some() {
                base.pop();
            }
            base.extend(parts.map(str::to_owned));
            named.push(base);
        }
    }
    named
}

/// The modules that a file declares and names by a path from itself.
fn children(code: &str, own: &[String]) -> Vec<Vec<String>> {
    let is_path = |character: char| character.is_alphanumeric() || "_:".contains(character);
    let declared = code.lines().filter_map(|line| line.trim_end().strip_suffix(';')?.split_once("mod "));
    let declared = declared.map(|(_, name)| name).filter(|name| {
        code.match_indices(&format!("{name}::")).any(|(at, _)| {
            let before = code[..at].trim_end_matches("self::");
            !before.ends_with(is_path)
        })
    });
    declared.map(|name| own.iter().cloned().chain([name.to_owned()]).collect()).collect()
}

/// The files of a crate, and the other files that each of them names.
///
/// A file that takes something from a module below it has an arrow to it, also if it only exports it again. A file has no arrow to the modules
/// around it, because it is a part of them: what `rule.rs` defines is for the files in `rule`.
fn imports(src: &Path) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let files = sources(src).into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let files = files.map(|path| (module(path.strip_prefix(src).unwrap()), fs::read_to_string(&path).unwrap()));
    let files: BTreeMap<_, _> = files.filter(|(module, _)| !module.iter().any(|part| part == "tests")).collect();
    let imports = files.iter().map(|(own, text)| {
        let file = |path: Vec<String>| (0..=path.len()).rev().find_map(|end| files.get_key_value(&path[..end]));
        let code = code(text);
        let named = named(&code, own).into_iter().chain(children(&code, own));
        let named = named.filter_map(file).map(|(module, _)| module.clone());
        (own.clone(), named.filter(|other| !own.starts_with(other)).collect())
    });
    imports.collect()
}

/// Whether a file leads back to itself.
fn circle(imports: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>, from: &[String]) -> bool {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(module) = next.pop() {
        for other in imports.get(module).into_iter().flatten() {
            if other == from {
                return true;
            }
            if seen.insert(other) {
                next.push(other);
            }
        }
    }
    false
}

#[test]
fn files_import_each_other_in_one_direction() {
    let mut edges = 0;
    let mut circles = Vec::new();
    for entry in fs::read_dir(Path::new(ROOT).join("gen")).unwrap() {
        let folder = entry.unwrap().path();
        let imports = imports(&folder.join("src"));
        edges += imports.values().map(BTreeSet::len).sum::<usize>();
        let name = folder.file_name().unwrap().display().to_string();
        circles.extend(
            imports.keys().filter(|from| circle(&imports, from)).map(|from| format!("{name} {}", from.join("::"))),
        );
    }
    assert!(edges > 300, "{edges}");
    assert_eq!(circles, Vec::<String>::new());
}

/// The check above finds what it looks for.
#[test]
fn circles_are_found() {
    let parts = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
    let named = named(&code("use crate::{a::B, c::{D, e::F}}; // crate::x\nsuper::g::h();"), &parts("i::j"));
    assert_eq!(named, ["a::B", "c::D", "c::e::F", "i::g::h"].map(parts));
    let below = children("mod a;\nmod b;\npub mod c;\nuse self::a::A;\npub use b::B;\nx::c::d();", &parts("i"));
    assert_eq!(below, ["i::a", "i::b"].map(parts));
    let one = |from: &str, to: &str| (parts(from), BTreeSet::from([parts(to)]));
    let imports = BTreeMap::from([one("a", "b"), one("b", "c"), one("c", "b")]);
    assert_eq!(["a", "b", "c"].map(|from| circle(&imports, &parts(from))), [false, true, true]);
}

/// The packages that a crate must not depend on: the names after `Knows nothing of` in its header.
fn unknown(text: &str) -> Vec<&str> {
    let header = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let sentence = header.skip_while(|line| !line.starts_with("Knows nothing of")).take_while(|line| !line.is_empty());
    sentence.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// The crates below `gen`, with their names and the roots of their libraries.
fn libraries<'m>(metadata: &'m Metadata) -> Vec<(&'m str, &'m Path)> {
    let root = fs::canonicalize(Path::new(ROOT).join("gen")).unwrap();
    let below = metadata.packages.iter().filter(|package| package.manifest_path.starts_with(&root));
    let is_library = |target: &&Target| target.kind.iter().any(|kind| kind == "lib" || kind == "proc-macro");
    let library = |package: &'m Package| package.targets.iter().find(is_library);
    below.filter_map(|package| Some((&*package.name, &*library(package)?.src_path))).collect()
}

#[test]
fn crates_do_not_depend_on_what_their_headers_exclude() {
    let metadata = Metadata::read();
    let mut wrong = Vec::new();
    let libraries = libraries(&metadata);
    for (name, root) in &libraries {
        let text = fs::read_to_string(root).unwrap();
        let (unknown, closure) = (unknown(&text), metadata.closure(name));
        if unknown.is_empty() {
            wrong.push(format!("{name}: the header lacks `Knows nothing of …`"));
        }
        for other in unknown {
            if !metadata.packages.iter().any(|package| package.name == other) {
                wrong.push(format!("{name}: `{other}` is not a package"));
            } else if closure.contains(other) || *name == other {
                wrong.push(format!("{name} depends on {other}"));
            }
        }
    }
    assert!(libraries.len() > 25, "{}", libraries.len());
    assert_eq!(wrong, Vec::<String>::new());
}

/// The check above finds what it looks for.
#[test]
fn dependencies_are_found() {
    let header = "//! A crate.\n//!\n//! Knows nothing of `a`, of `b`\n//! or `c`: `d`.\n//!\n//! `e`\n\n//! Knows nothing of `f`.";
    assert_eq!(unknown(header), ["a", "b", "c", "d"]);
    assert_eq!(unknown("//! `a`"), Vec::<&str>::new());
    let metadata = Metadata::read();
    // Behind a feature that is off, one that is on, and another package.
    let has = |package, other| metadata.closure(package).contains(other);
    assert!(!has("crd-channels", "crd-generate") && has("crd-channels", "crd-markers"));
    assert!(has("gateway-api-controller", "kube") && has("gateway-api-webhook", "crd-generate"));
    assert!(has("crd-macros", "unicode-ident") && !has("crd-macros", "trybuild"));
}

/// Every annotated crate compiles these first.
#[test]
fn the_macro_needs_few_crates() {
    let metadata = Metadata::read();
    let expected = [
        "crd-markers",
        "crd-names",
        "crd-regexp",
        "crd-syntax",
        "proc-macro2",
        "quote",
        "syn",
        "tinyvec",
        "unicode-ident",
        "unicode-normalization",
        "unicode-script",
        "unicode-security",
    ];
    assert_eq!(metadata.closure("crd-macros").into_iter().collect::<Vec<_>>(), expected);
}

/// The crates with a client or a server of a network among their dependencies.
#[test]
fn few_crates_use_the_network() {
    let metadata = Metadata::read();
    let is_network = |name: &&str| ["hyper", "kube", "ureq"].contains(name);
    let all = libraries(&metadata).into_iter().map(|(name, _)| name);
    let found = all.filter(|name| metadata.closure(name).iter().any(is_network)).collect::<Vec<_>>();
    assert_eq!(found, ["crd-channels-cli", "crd-cluster", "crd-upgrade", "crd-webhook"]);
}

#[test]
fn command_files_are_short() {
    let mut files = 0;
    let folders = ["generator", "cli"].map(|name| Path::new(ROOT).join(format!("gen/{name}/src/command")));
    for path in folders.iter().flat_map(|folder| sources(folder)) {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(
            lines <= COMMAND_LINES,
            "{} has {lines} lines: move what does not parse, call or print",
            path.display()
        );
        files += 1;
    }
    assert!(files > 10, "{files}");
}

/// Files outside `command` that read arguments: the values that several requests have, and the options of every subcommand.
const READ_ARGUMENTS: [&str; 3] =
    ["generator/src/arguments.rs", "generator/src/global_options.rs", "cli/src/arguments.rs"];

/// Functions of command files that read arguments: a subcommand begins (`run`), and its request is made. Nothing else does.
const MAKE_REQUESTS: [&str; 6] = ["run", "once_or_watch", "from", "of", "described", "is_part_of_job"];

#[test]
fn arguments_end_at_the_command() {
    let (mut requests, mut wrong) = (0, Vec::new());
    for entry in fs::read_dir(Path::new(ROOT).join("gen")).unwrap() {
        let folder = entry.unwrap().path();
        for path in sources(&folder.join("src")) {
            let text = fs::read_to_string(&path).unwrap();
            let shown = path.strip_prefix(Path::new(ROOT).join("gen")).unwrap().display().to_string();
            let is_command = shown.contains("/src/command/");
            // The table of subcommands.
            let is_known = shown.ends_with("/src/command.rs") || READ_ARGUMENTS.contains(&&*shown);
            let code = code(&text);
            if !is_command && !is_known && code.contains("ArgMatches") {
                wrong.push(shown);
                continue;
            }
            // The subcommands of the webhook are of another program.
            if !is_command || shown.starts_with("webhook/") {
                continue;
            }
            for (at, _) in code.match_indices("fn ").filter(|(at, _)| is_word(&code, *at)) {
                let signature = code[at..].split('{').next().unwrap();
                let name = signature[3..].split(['(', '<']).next().unwrap();
                if signature.contains("ArgMatches") && !MAKE_REQUESTS.contains(&name) {
                    wrong.push(format!("{shown}: {name}"));
                }
            }
            requests += code.matches("impl From<&ArgMatches> for ").count();
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "make a request in the command file");
    assert!(requests > 25, "{requests}");
}

/// The choice between CRDs comes after reading: the files in a folder of `published` read, except these.
#[test]
fn readers_of_bundles_know_no_choice() {
    let folder = Path::new(ROOT).join("gen/bundle/src/published");
    let is_reader = |path: &PathBuf| {
        !["choice.rs", "tests.rs"].iter().any(|name| path.ends_with(name)) && !path.starts_with(folder.join("tests"))
    };
    let readers = sources(&folder).into_iter().filter(is_reader).collect::<Vec<_>>();
    let wrong = readers.iter().filter(|path| {
        let code = code(&fs::read_to_string(path).unwrap());
        ["choice::", "Choice", "Selection"].iter().any(|word| code.contains(word))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&PathBuf>::new());
    assert!(readers.len() > 20, "{readers:?}");
}

/// What decides about schemas is in a library. The lines of types have the word in a signature.
#[test]
fn the_command_line_looks_into_no_schema() {
    let folder = Path::new(ROOT).join("gen/cli/src");
    let wrong = sources(&folder).into_iter().filter(|path| {
        let code = code(&fs::read_to_string(path).unwrap());
        let looks = ["crd_model::schema", "Schema {", "Schema::", ".properties", ".enumeration"];
        looks.iter().any(|word| code.contains(word))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [folder.join("testing/type_lines.rs")]);
}

fn is_word(code: &str, at: usize) -> bool {
    code[..at].chars().next_back().is_none_or(|before| before.is_whitespace())
}

#[test]
fn folders_have_the_names_of_their_crates() {
    for entry in fs::read_dir(Path::new(ROOT).join("gen")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap();
        let expected = match name {
            "cli" => "crd-channels-cli".to_owned(),
            name => format!("crd-{name}"),
        };
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        assert!(manifest.contains(&format!("name = \"{expected}\"\n")), "gen/{name} is not {expected}");
    }
}

/// What a registry of crates requires and shows: <https://doc.rust-lang.org/cargo/reference/publishing.html>.
#[test]
fn published_crates_have_what_a_registry_shows() {
    // Of <https://crates.io/category_slugs>, those that are in use.
    const CATEGORIES: [&str; 14] = [
        "api-bindings",
        "command-line-utilities",
        "compilers",
        "cryptography",
        "development-tools",
        "development-tools::procedural-macro-helpers",
        "development-tools::testing",
        "encoding",
        "parser-implementations",
        "simulation",
        "template-engine",
        "text-processing",
        "web-programming::http-client",
        "web-programming::http-server",
    ];
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(ROOT).output().unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter().filter(|package| package["publish"].is_null());
    let texts = |list: &Value| serde_json::from_value::<Vec<String>>(list.clone()).unwrap();
    let mut published = 0;
    for package in packages {
        let name = &package["name"];
        for key in ["description", "license", "repository", "rust_version", "readme"] {
            assert!(package[key].as_str().is_some_and(|text| !text.is_empty()), "{name}: {key}");
        }
        let (keywords, categories) = (texts(&package["keywords"]), texts(&package["categories"]));
        assert!(
            (1..=5).contains(&keywords.len()) && keywords.iter().all(|word| word.len() <= 20),
            "{name}: {keywords:?}"
        );
        assert!(
            !categories.is_empty() && categories.iter().all(|slug| CATEGORIES.contains(&&**slug)),
            "{name}: {categories:?}"
        );
        // A path without a version is left out of the package, which development dependencies may be.
        for dependency in package["dependencies"].as_array().unwrap() {
            let is_local = dependency["path"].is_string() && dependency["kind"] != "dev";
            assert!(!is_local || dependency["req"] != "*", "{name}: {}", dependency["name"]);
        }
        published += 1;
    }
    assert!(published > 25, "{published}");
}

/// A package has no file outside of its folder; what it needs from there is a symlink, whose target is packed. Tests may
/// read more: they are not built from a package.
#[test]
fn sources_include_files_of_their_package_only() {
    let folders = fs::read_dir(Path::new(ROOT).join("gen")).unwrap().map(|entry| entry.unwrap().path());
    let mut included = 0;
    for package in folders.chain([Path::new(ROOT).join("api-types")]) {
        for file in sources(&package.join("src")) {
            if file.components().any(|part| part.as_os_str().to_string_lossy().starts_with("tests")) {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            for (line, rest) in code.lines().flat_map(|line| Some((line, line.split_once("include_")?.1))) {
                let Some(path) = rest.split('"').nth(1).filter(|_| !line.starts_with("#[doc = ")) else { continue };
                let mut at = file.parent().unwrap().to_owned();
                for part in path.split('/') {
                    at = if part == ".." { at.parent().unwrap().to_owned() } else { at.join(part) };
                }
                assert!(at.starts_with(&package), "{}: {path} is not in the package", file.display());
                included += 1;
            }
        }
    }
    assert!(included > 30, "{included}");
}
