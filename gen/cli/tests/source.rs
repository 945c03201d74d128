//! `new` with published CRDs: the CRDs that `generate` writes from the types have the structure of those that were read. Each part that they do
//! not have is one of the differences that `new` lists, and each of these is a part that they do not have. The source of the types and the compiled types
//! give the same CRDs.
//!
//! The differences are in `tests/snapshots/source.txt`. `cargo xtask prove source` builds all CRDs of `crd_testdata`; with `UPDATE_SNAPSHOTS=1`
//! it updates the file. `cargo test` builds both channels of Gateway API, made-up CRDs, a CRD of kube-rs, and a sample of the other projects.
//!
//! `kube-rs.json` is what kube 5.0.0 with k8s-openapi 0.29.0 derives from a spec with quantities, label selectors, a pod template and optional
//! enums, without descriptions. Those that do not close a code fence have another text.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crd_channels_cli::{Exit, Session, run_without_types_in};
use crd_model::yaml;
use crd_testdata::File;
use serde_json::{Map, Value, json};

const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");
const SNAPSHOT: &str = "tests/snapshots/source.txt";
/// One of so many CRDs of a project is in the sample.
const STEP: usize = 12;

/// Both tests build programs of one name.
static TARGET: Mutex<()> = Mutex::new(());

/// A workspace in a folder that other runs reuse.
struct Workspace {
    folder: PathBuf,
}

/// The result of `new`.
struct New {
    exit: Exit,
    report: Value,
}

fn target() -> PathBuf {
    // Shared with the adopter, so that the libraries are built once.
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("adopter/target")
}

impl Workspace {
    /// An empty folder for the workspace, next to one for its input.
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("source").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self { folder }
    }

    fn input(&self, channel: &str, files: &[File]) -> String {
        let folder = self.folder.join("published").join(channel);
        fs::create_dir_all(&folder).unwrap();
        for file in files {
            fs::write(folder.join(file.path), file.text).unwrap();
        }
        folder.display().to_string()
    }

    fn api(&self) -> PathBuf {
        self.folder.join("api")
    }

    fn write(&self, arguments: &[&str]) -> New {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut session = Session::new(&self.folder, &mut out, &mut err);
        let repository = Path::new(PACKAGE).join("../..").display().to_string();
        let fixed = ["new", "api", "--name", "sample", "--path", &repository, "--format", "json"];
        let exit = run_without_types_in(fixed.iter().chain(arguments).copied(), &mut session);
        let report = serde_json::from_slice::<Value>(&out).unwrap();
        assert_eq!(report["errors"], json!([]), "{}", String::from_utf8_lossy(&err));
        // The versions that were tested here; cargo takes from it what it needs.
        let _ = fs::copy(Path::new(PACKAGE).join("../../Cargo.lock"), self.api().join("Cargo.lock"));
        New { exit, report }
    }

    fn cargo(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        command.args(arguments).current_dir(self.api()).env("CARGO_TARGET_DIR", target());
        for variable in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CLICOLOR_FORCE", "CARGO_TERM_COLOR"] {
            command.env_remove(variable);
        }
        let output = command.env("CARGO_TERM_QUIET", "true").output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match output.status.success() {
            true => Ok(text(&output.stdout)),
            false => Err(text(&output.stderr) + &text(&output.stdout)),
        }
    }

    /// Generates from source, and checks that the compiled types give the same bytes.
    fn generate_twice(&self) -> Result<(), String> {
        self.cargo(&["xtask", "generate"])?;
        let source = self.texts();
        self.cargo(&["xtask", "generate", "--compiled"])?;
        let compiled = self.texts();
        let mut paths = compiled.keys().chain(source.keys());
        match paths.find(|path| compiled.get(*path) != source.get(*path)) {
            Some(path) => Err(format!("{path:?}: {:?} is {:?} from source", compiled.get(path), source.get(path))),
            None => Ok(()),
        }
    }

    /// All generated files.
    fn texts(&self) -> BTreeMap<PathBuf, String> {
        let folders = ["standard", "experimental"].map(|channel| self.api().join("bundles/unreleased").join(channel));
        let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
        entries
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
            .collect()
    }

    /// The CRDs that `cargo xtask generate` writes, by name.
    fn generate(&self, channel: &str) -> BTreeMap<String, Value> {
        let entries = fs::read_dir(self.api().join("bundles/unreleased").join(channel)).unwrap();
        let crds =
            entries.map(|entry| yaml::read(&fs::read_to_string(entry.unwrap().path()).unwrap()).unwrap().remove(0));
        crds.map(|crd| (crd["metadata"]["name"].as_str().unwrap().to_owned(), crd)).collect()
    }
}

/// What a server stores of a CRD: the defaults are filled in, and what tools write is left out. Descriptions are not compared.
fn structure(mut crd: Value) -> Value {
    let kind = crd["spec"]["names"]["kind"].as_str().unwrap().to_owned();
    let is_written =
        |key: &str| key.starts_with("controller-gen") || key.ends_with("/bundle-version") || key.ends_with("/channel");
    let metadata = ["annotations", "labels"].map(|list| {
        let mut entries = crd["metadata"][list].as_object().cloned().unwrap_or_default();
        entries.retain(|key, _| !is_written(key));
        (list.to_owned(), Value::Object(entries))
    });
    let mut spec = crd["spec"].take();
    let members = spec.as_object_mut().unwrap();
    if members.get("preserveUnknownFields") == Some(&json!(false)) {
        members.remove("preserveUnknownFields");
    }
    if members.get("conversion").is_some_and(|conversion| conversion["strategy"] == "None") {
        members.remove("conversion");
    }
    let names = members["names"].as_object_mut().unwrap();
    names.entry("listKind").or_insert_with(|| json!(format!("{kind}List")));
    names.entry("singular").or_insert_with(|| json!(kind.to_lowercase()));
    let versions = members.remove("versions").unwrap();
    let versions = versions.as_array().unwrap().iter().map(|version| {
        let mut version = version.as_object().unwrap().clone();
        version.entry("subresources").or_insert_with(|| json!({}));
        for column in version.get_mut("additionalPrinterColumns").and_then(Value::as_array_mut).into_iter().flatten() {
            column.as_object_mut().unwrap().remove("description");
        }
        let mut schema = version["schema"]["openAPIV3Schema"].take();
        without_descriptions(&mut schema);
        let properties = schema.as_object_mut().unwrap().entry("properties").or_insert_with(|| json!({}));
        let properties = properties.as_object_mut().unwrap();
        for (name, kind) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
            properties.entry(name).or_insert_with(|| json!({"type": kind}));
        }
        version.insert("schema".to_owned(), schema);
        (version["name"].as_str().unwrap().to_owned(), Value::Object(version))
    });
    let versions: Map<String, Value> = versions.collect();
    members.insert("versions".to_owned(), Value::Object(versions));
    json!({"metadata": Map::from_iter(metadata), "spec": spec})
}

fn without_descriptions(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else { return };
    schema.remove("description");
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.sort_by(|left, right| left.as_str().cmp(&right.as_str()));
    }
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => properties.values_mut().for_each(without_descriptions),
            ("items" | "additionalProperties" | "not", inner) => without_descriptions(inner),
            ("allOf" | "anyOf" | "oneOf", Value::Array(inner)) => inner.iter_mut().for_each(without_descriptions),
            _ => {}
        }
    }
}

/// The description of each node of each version. Comments lose the repeated blank lines and the spaces at ends of lines. The root has its own
/// `apiVersion`, `kind` and `metadata`.
fn texts(crd: &Value) -> BTreeMap<String, Option<String>> {
    fn walk(schema: &Value, path: String, found: &mut BTreeMap<String, Option<String>>) {
        let text = schema.get("description").and_then(Value::as_str).map(|text| {
            let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            lines.dedup_by(|next, previous| next.is_empty() && previous.is_empty());
            lines.join("\n").trim_matches('\n').to_owned()
        });
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            if path.contains('.') || !["apiVersion", "kind", "metadata"].contains(&name.as_str()) {
                walk(property, format!("{path}.{name}"), found);
            }
        }
        for inner in ["items", "additionalProperties"].iter().filter_map(|keyword| schema.get(keyword)) {
            walk(inner, format!("{path}.*"), found);
        }
        found.insert(path, text);
    }
    let mut found = BTreeMap::new();
    for version in crd["spec"]["versions"].as_array().unwrap() {
        walk(&version["schema"]["openAPIV3Schema"], version["name"].to_string(), &mut found);
    }
    found
}

/// The descriptions that generated nodes have instead. Base types have some where the published CRD has none.
fn texts_of(generated: &Value, published: &Value) -> BTreeMap<String, Option<String>> {
    let mut found = texts(published);
    for (path, text) in texts(generated) {
        found.entry(path).and_modify(|found| *found = found.take().and(text));
    }
    found
}

/// Where two CRDs differ: the version, the schema path, and the keyword.
type Part = (Option<String>, String, String);

fn parts(left: &Value, right: &Value) -> BTreeSet<Part> {
    let mut found = BTreeSet::new();
    for section in ["metadata", "spec"] {
        for key in keys(&left[section], &right[section]) {
            let (left, right) = (&left[section][&key], &right[section][&key]);
            if key == "versions" {
                for name in keys(left, right) {
                    version(&name, &left[&name], &right[&name], &mut found);
                }
            } else if key == "names" || section == "metadata" {
                let differing = keys(left, right).into_iter().filter(|name| left[name] != right[name]);
                found.extend(differing.map(|name| (None, String::new(), format!("{section}.{key}.{name}"))));
            } else if left != right {
                found.insert((None, String::new(), format!("{section}.{key}")));
            }
        }
    }
    found
}

fn keys(left: &Value, right: &Value) -> BTreeSet<String> {
    [left, right].iter().filter_map(|value| value.as_object()).flat_map(|object| object.keys().cloned()).collect()
}

fn version(name: &str, left: &Value, right: &Value, found: &mut BTreeSet<Part>) {
    for key in keys(left, right) {
        match key.as_str() {
            "schema" => schema(name, "", &left[&key], &right[&key], found),
            "subresources" => {
                let differing =
                    keys(&left[&key], &right[&key]).into_iter().filter(|part| left[&key][part] != right[&key][part]);
                found.extend(
                    differing.map(|part| (Some(name.to_owned()), String::new(), format!("subresources.{part}"))),
                );
            }
            _ if left[&key] != right[&key] => {
                found.insert((Some(name.to_owned()), String::new(), key));
            }
            _ => {}
        }
    }
}

fn schema(version: &str, path: &str, left: &Value, right: &Value, found: &mut BTreeSet<Part>) {
    for keyword in keys(left, right) {
        // A default of null is not the same as no default.
        let differs = left.get(&keyword) != right.get(&keyword);
        let (left, right) = (&left[&keyword], &right[&keyword]);
        match keyword.as_str() {
            "properties" if left.is_object() && right.is_object() => {
                for name in keys(left, right) {
                    let is_plain =
                        name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '$'));
                    let below = match path {
                        path if !is_plain => format!("{path}[{name:?}]"),
                        "" => name.clone(),
                        path => format!("{path}.{name}"),
                    };
                    match (left.get(&name), right.get(&name)) {
                        (Some(left), Some(right)) => schema(version, &below, left, right, found),
                        _ => _ = found.insert((Some(version.to_owned()), below, keyword.clone())),
                    }
                }
            }
            "items" | "additionalProperties" if left.is_object() && right.is_object() => {
                schema(version, &format!("{path}[*]"), left, right, found);
            }
            _ if differs => _ = found.insert((Some(version.to_owned()), path.to_owned(), keyword)),
            _ => {}
        }
    }
}

/// The keyword that a difference is about, which begins its message.
fn keyword(difference: &Value) -> &str {
    let message = difference["message"].as_str().unwrap();
    message.strip_prefix('`').and_then(|rest| rest.split_once("`: ")).map_or("", |(keyword, _)| keyword)
}

/// Whether a listed difference is about this part.
fn is_about(difference: &Value, part: &Part) -> bool {
    let (version, path, keyword) = part;
    let text = |key: &str| difference[key].as_str().unwrap_or_default();
    let listed = self::keyword(difference);
    // What `generate` merges into a node may reach the nodes below it, and so does a map of any values.
    let is_deep = ["allOf", "additionalProperties"].contains(&listed);
    let is_bounds = listed.starts_with("minimum, ")
        && ["mini", "maxi", "excl", "mult"].iter().any(|start| keyword.starts_with(start));
    // A type or a whole version, with all that is in it.
    let is_whole = ["type", "spec.versions"].contains(&listed);
    let is_below = |below: &str, above: &str| below.strip_prefix(above).is_some_and(|rest| rest.starts_with('.'));
    let is_keyword = |listed: &str| listed == keyword || is_below(listed, keyword) || is_below(keyword, listed);
    (difference["version"].is_null() || version.as_deref() == difference["version"].as_str())
        && (path == text("path") || (is_deep || is_whole) && path.starts_with(text("path")))
        && (is_deep || is_whole || is_bounds || listed.split(", ").any(is_keyword))
}

/// CRDs that are read together.
struct Case {
    name: String,
    standard: Vec<File>,
    experimental: Option<Vec<File>>,
    arguments: &'static [&'static str],
}

impl Case {
    /// Writes, builds and compares; returns a line for each difference.
    fn lines(&self) -> Vec<String> {
        let started = Instant::now();
        let workspace = Workspace::new(&self.name);
        let standard = workspace.input("standard", &self.standard);
        let experimental = self.experimental.as_ref().map(|files| workspace.input("experimental", files));
        let new = match &experimental {
            Some(experimental) => {
                workspace.write(&[&["--standard", &standard, "--experimental", experimental], self.arguments].concat())
            }
            None => workspace.write(&[&["--from-crds", &*standard], self.arguments].concat()),
        };
        let differences = new.report["differences"].as_array().unwrap().clone();
        assert_eq!(new.exit, if differences.is_empty() { Exit::Fine } else { Exit::Findings });
        workspace.generate_twice().unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let mut used = vec![false; differences.len()];
        let channels = [("standard", Some(&self.standard)), ("experimental", self.experimental.as_ref())];
        for (channel, files) in channels.into_iter().filter_map(|(channel, files)| Some((channel, files?))) {
            let crds = workspace.generate(channel);
            let names: BTreeSet<String> = files.iter().map(name).collect();
            for name in crds
                .keys()
                .filter(|name| !names.contains(*name))
                .chain(names.iter().filter(|name| !crds.contains_key(*name)))
            {
                let is_listed = |difference: &Value| {
                    let is_of_channel = difference["channel"].is_null() || difference["channel"] == channel;
                    difference["crd"] == name.as_str() && keyword(difference) == "metadata.name" && is_of_channel
                };
                let listed = differences.iter().position(is_listed);
                let listed = listed.unwrap_or_else(|| panic!("{}: {channel} {name}: only one side has it", self.name));
                used[listed] = true;
            }
            for file in files {
                let published = yaml::read(file.text).unwrap().remove(0);
                let name = published["metadata"]["name"].as_str().unwrap().to_owned();
                let Some(generated) = crds.get(&name) else { continue };
                assert_eq!(texts(&published), texts_of(generated, &published), "{}: {channel} {name}", self.name);
                for part in parts(&structure(published), &structure(generated.clone())) {
                    let is_listed = |difference: &Value| {
                        difference["crd"] == name.as_str()
                            && (difference["channel"].is_null() || difference["channel"] == channel)
                            && is_about(difference, &part)
                    };
                    let listed: Vec<usize> =
                        (0..differences.len()).filter(|index| is_listed(&differences[*index])).collect();
                    assert!(
                        !listed.is_empty(),
                        "{}: {channel} {name} {part:?} differs, and `new` does not list it",
                        self.name
                    );
                    listed.into_iter().for_each(|index| used[index] = true);
                }
            }
        }
        for (difference, used) in differences.iter().zip(used) {
            assert!(used, "{}: `new` lists {difference}, and the CRDs do not differ there", self.name);
        }
        let files = self.standard.len() + self.experimental.as_ref().map_or(0, Vec::len);
        let seconds = started.elapsed().as_secs();
        println!("{}: {files} CRDs, {} differences, {seconds} s", self.name, differences.len());
        let text = |difference: &Value, key: &str| {
            difference[key].as_str().filter(|text| !text.is_empty()).map(|text| format!("{text} ")).unwrap_or_default()
        };
        let line = |difference: &Value| {
            let location = ["crd", "channel", "version", "path"].map(|key| text(difference, key)).concat();
            format!("{}: {location}{}", self.name, difference["message"].as_str().unwrap().replace('\n', "\\n"))
        };
        differences.iter().map(line).collect()
    }

    fn names(&self) -> BTreeSet<String> {
        self.standard.iter().chain(self.experimental.iter().flatten()).map(name).collect()
    }
}

/// The name of the CRD in a file.
fn name(file: &File) -> String {
    yaml::read(file.text).unwrap()[0]["metadata"]["name"].as_str().unwrap().to_owned()
}

/// A fixture of this folder.
fn fixture(path: &'static str, text: &'static str) -> Vec<File> {
    vec![File { path, text }]
}

fn cases() -> Vec<Case> {
    let mut cases = vec![
        Case {
            name: "gateway-api".to_owned(),
            standard: crd_testdata::gateway_api("v1.6.1", "standard"),
            experimental: Some(crd_testdata::gateway_api("v1.6.1", "experimental")),
            arguments: &[],
        },
        Case {
            name: "oddities".to_owned(),
            standard: fixture("oddities.yaml", include_str!("source/standard/oddities.yaml")),
            experimental: Some(fixture("oddities.yaml", include_str!("source/experimental/oddities.yaml"))),
            arguments: &[],
        },
        Case {
            name: "differing".to_owned(),
            standard: [
                fixture("lamps.yaml", include_str!("source/differing/standard/lamps.yaml")),
                fixture("alphas.yaml", include_str!("source/differing/standard/alphas.yaml")),
            ]
            .concat(),
            experimental: Some(fixture("lamps.yaml", include_str!("source/differing/experimental/lamps.yaml"))),
            arguments: &[],
        },
        Case {
            name: "unexpressed".to_owned(),
            standard: [
                fixture("unexpressed.yaml", include_str!("source/unexpressed.yaml")),
                fixture("keyword.yaml", include_str!("source/keyword.yaml")),
                fixture("kube-rs.json", include_str!("source/kube-rs.json")),
            ]
            .concat(),
            experimental: None,
            arguments: &[],
        },
    ];
    // A workspace cannot have two versions of a CRD, so the oldest releases are one workspace and the newest are another.
    let sample = |files: Vec<File>| -> Vec<File> {
        let all = files.into_iter().enumerate();
        all.filter(|(index, _)| crd_testdata::is_proof() || index.is_multiple_of(STEP)).map(|(_, file)| file).collect()
    };
    let (mut oldest, mut newest) = (Vec::new(), Vec::new());
    let mut known = BTreeSet::new();
    for (project, version) in crd_testdata::PROJECTS {
        let mut channels = crd_testdata::project(project, version);
        let standard = sample(channels.remove("standard").unwrap());
        match channels.remove("experimental") {
            Some(experimental) => cases.push(Case {
                name: (*project).to_owned(),
                standard,
                experimental: Some(sample(experimental)),
                arguments: &["--profile", "semver"],
            }),
            None if known.insert(*project) => oldest.extend(standard),
            None => newest.extend(standard),
        }
    }
    for (name, standard) in [("oldest-releases", oldest), ("newest-releases", newest)] {
        cases.push(Case { name: name.to_owned(), standard, experimental: None, arguments: &[] });
    }
    cases
}

#[test]
fn crds_become_types_of_the_same_structure() {
    let _guard = TARGET.lock().unwrap_or_else(PoisonError::into_inner);
    let path = Path::new(PACKAGE).join(SNAPSHOT);
    let recorded = fs::read_to_string(&path).unwrap_or_default();
    let is_proof = crd_testdata::is_proof();
    let mut all = String::from(
        "# What the types of `new` do not express. Written by `UPDATE_SNAPSHOTS=1 cargo xtask prove source`.\n",
    );
    for case in cases() {
        let names = case.names();
        let lines = case.lines();
        lines.iter().for_each(|line| all.push_str(&format!("{line}\n")));
        // A sample has some of the CRDs.
        let is_of_case = |line: &&str| {
            let Some((name, rest)) = line.split_once(": ") else { return false };
            name == case.name && rest.split(' ').next().is_some_and(|crd| names.contains(crd))
        };
        let expected = recorded.lines().filter(is_of_case).collect::<Vec<_>>();
        if std::env::var_os("UPDATE_SNAPSHOTS").is_none() || !is_proof {
            assert_eq!(lines, expected, "run `UPDATE_SNAPSHOTS=1 cargo xtask prove source`");
        }
    }
    if is_proof {
        match std::env::var_os("UPDATE_SNAPSHOTS") {
            Some(_) => fs::write(&path, all).unwrap(),
            None => assert_eq!(all, recorded, "run `UPDATE_SNAPSHOTS=1 cargo xtask prove source`"),
        }
    }
}

/// A workspace of `new` generates, passes the checks of its own CI, and needs no formatting.
#[test]
fn a_new_workspace_generates_at_once() {
    let _guard = TARGET.lock().unwrap_or_else(PoisonError::into_inner);
    for (arguments, channels) in [
        (&["--group", "lamps.example.com", "--kind", "Lamp"] as &[&str], &["standard", "experimental"] as &[&str]),
        (&["--profile", "semver", "--standard-only", "--kind", "Option"], &["standard"]),
    ] {
        let workspace = Workspace::new("sample");
        assert_eq!(workspace.write(arguments).exit, Exit::Fine);
        workspace.generate_twice().unwrap();
        workspace.cargo(&["xtask", "generate", "--check"]).unwrap();
        // Not the settings of this repository, which is around the folder.
        workspace.cargo(&["fmt", "--check", "--", "--config", "max_width=100,use_small_heuristics=Default"]).unwrap();
        let found = fs::read_dir(workspace.api().join("bundles/unreleased")).unwrap();
        let found: BTreeSet<String> = found.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        assert_eq!(found, channels.iter().map(|channel| (*channel).to_owned()).collect());
        let crd = structure(workspace.generate("standard").into_values().next().unwrap());
        let schema = crd.pointer("/spec/versions/v1/schema/properties/spec/properties/replicas").unwrap();
        assert_eq!(*schema, json!({"type": "integer", "format": "int32", "default": 1, "minimum": 0}));
    }
}
