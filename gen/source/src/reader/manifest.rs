//! Manifests: which crates have types, what they are called in each other, and which of their features are enabled.
//!
//! Invariants: features are those of `cargo run --package xtask`. A dependency whose presence depends on the platform has a name and no source, and
//! an error if it could change the features of a crate that is read. Crates of registries and of git are not read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::LazyLock;

use crd_diagnostics::{Diagnostic, fail_on};
use toml::{Table, Value};

use crate::reader::Files;

/// The package with `#[api]` and the base types.
const CHANNELS: &str = "crd-channels";

/// The most packages that are read.
const MOST_PACKAGES: usize = 100;

/// In place of features that a build script may add.
pub(crate) const ANY_FEATURE: &str = "";

/// A crate whose source is read.
#[derive(Debug)]
pub struct Crate {
    /// Its name in paths.
    pub name: String,
    pub file: PathBuf,
    pub features: BTreeSet<String>,
    /// The crates that its paths can begin with.
    pub externs: BTreeMap<String, Extern>,
}

/// What a name of a crate means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extern {
    /// A crate that is read, by its index.
    Read(usize),
    Channels,
    /// A crate that is not read, by the name of its package, or by its folder.
    Unread(String),
}

/// The crates that are read. The first is that of the types.
#[derive(Debug)]
pub struct Graph {
    pub crates: Vec<Crate>,
    /// The names of the crates that are not read, and that no lock file fixes: those with a path.
    pub unlocked: BTreeSet<String>,
    /// What other crates call the first.
    pub name: String,
    /// The features of crd-channels that these manifests ask for.
    pub channels: BTreeSet<String>,
}

/// A package in a folder.
struct Package {
    folder: PathBuf,
    /// The name of its library in paths.
    library: String,
    file: PathBuf,
    is_macro: bool,
    is_2015: bool,
    /// Whether it has a build script, which can set any condition.
    is_built: bool,
    features: BTreeMap<String, Vec<String>>,
    dependencies: Vec<Dependency>,
}

struct Dependency {
    key: String,
    /// Whether `package` gives the key a meaning of its own.
    is_renamed: bool,
    package: String,
    target: Target,
    optional: bool,
    default: bool,
    features: Vec<String>,
    /// Whether it exists on some platforms only.
    is_doubtful: bool,
}

impl Dependency {
    /// What enables it if it is optional.
    fn feature(&self) -> String {
        format!("dep:{}", self.key)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Target {
    Package(usize),
    Channels,
    Unread,
}

/// Reads the manifests of these folders and of their path dependencies.
///
/// # Errors
/// All manifests that cannot be read, and features that are not certain.
pub fn graph(types: &Path, xtask: Option<&Path>, files: Files<'_>) -> Result<Graph, Vec<Diagnostic>> {
    let mut manifests = Manifests { files, tables: HashMap::new(), packages: Vec::new(), errors: Vec::new() };
    let types = manifests.package(types);
    let xtask = xtask.map(|xtask| manifests.package(xtask));
    let Manifests { packages, errors, .. } = manifests;
    fail_on(errors)?;
    let enabled = Enabled::from(&packages, xtask.unwrap_or(types));
    if let Some(xtask) = xtask
        && !enabled.0.contains_key(&types)
    {
        let message =
            "the package does not depend on the crate of the types, so the features of that crate are unknown";
        return Err(vec![error(message).at_file(packages[xtask].folder.join("Cargo.toml"))]);
    }
    read_crates(&packages, &enabled, types)
}

/// The crate of the types and its path dependencies that have crd-channels.
fn read_crates(packages: &[Package], enabled: &Enabled, types: usize) -> Result<Graph, Vec<Diagnostic>> {
    let has_types = |index: usize| {
        let package = &packages[index];
        !package.is_macro
            && enabled.dependencies(packages, index).any(|dependency| dependency.target == Target::Channels)
    };
    let (mut read, mut crates, mut errors) = (vec![types], Vec::new(), Vec::new());
    let mut unlocked = BTreeSet::new();
    let mut next = 0;
    while let Some(&index) = read.get(next) {
        next += 1;
        let package = &packages[index];
        let manifest = package.folder.join("Cargo.toml");
        if package.is_2015 {
            errors.push(error("paths in edition 2015 are not supported").at_file(&manifest));
        }
        let mut externs = BTreeMap::new();
        for dependency in package.dependencies.iter().filter(|dependency| dependency.is_doubtful) {
            externs.insert(dependency.key.replace('-', "_"), Extern::Unread(dependency.package.clone()));
        }
        for dependency in enabled.dependencies(packages, index) {
            let (library, external) = match dependency.target {
                Target::Channels => (CHANNELS, Extern::Channels),
                Target::Package(target) if has_types(target) => {
                    let known = read.iter().position(|index| *index == target).unwrap_or(read.len());
                    if known == read.len() {
                        read.push(target);
                    }
                    (packages[target].library.as_str(), Extern::Read(known))
                }
                Target::Package(target) => {
                    // Not a crate that is known by its name.
                    let folder = packages[target].folder.display().to_string();
                    (packages[target].library.as_str(), Extern::Unread(folder))
                }
                Target::Unread => (dependency.package.as_str(), Extern::Unread(dependency.package.clone())),
            };
            let name = if dependency.is_renamed { &dependency.key } else { library }.replace('-', "_");
            if matches!((dependency.target, &external), (Target::Package(_), Extern::Unread(_))) {
                unlocked.insert(name.clone());
            }
            externs.insert(name, external);
        }
        let mut features = enabled.0.get(&index).cloned().unwrap_or_default();
        features.retain(|name| !name.starts_with("dep:"));
        if package.is_built {
            features.insert(ANY_FEATURE.to_owned());
        }
        crates.push(Crate { name: package.library.replace('-', "_"), file: package.file.clone(), features, externs });
    }
    for index in enabled.0.keys() {
        let package = &packages[*index];
        for dependency in package.dependencies.iter().filter(|dependency| dependency.is_doubtful) {
            if matches!(dependency.target, Target::Package(target) if read.contains(&target)) {
                let message = format!("the features of `{}` depend on the platform or on tests", dependency.key);
                errors.push(error(message).at_file(package.folder.join("Cargo.toml")));
            }
        }
    }
    fail_on(errors)?;
    let name = packages[types].library.replace('-', "_");
    Ok(Graph { name, crates, unlocked, channels: enabled.1.clone() })
}

fn error(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(crate::reader::CODE, message).help(crate::reader::HELP)
}

/// The enabled features of each package that is built, and of crd-channels. `dep:key` is an optional dependency.
#[derive(Default)]
struct Enabled(BTreeMap<usize, BTreeSet<String>>, BTreeSet<String>);

impl Enabled {
    /// What `cargo run` enables for this package with its default features.
    fn from(packages: &[Package], start: usize) -> Self {
        let mut enabled = Enabled::default();
        enabled.request(packages, Target::Package(start), ["default"]);
        loop {
            let before = enabled.0.clone();
            for (index, features) in &before {
                enabled.expand(packages, *index, features);
            }
            if enabled.0 == before {
                return enabled;
            }
        }
    }

    /// Whether a dependency of the package is present on every platform.
    fn has(&self, index: usize, dependency: &Dependency) -> bool {
        let is_enabled = || self.0.get(&index).is_some_and(|features| features.contains(&dependency.feature()));
        !dependency.is_doubtful && (!dependency.optional || is_enabled())
    }

    /// The dependencies that are present on every platform.
    fn dependencies<'p>(&'p self, packages: &'p [Package], index: usize) -> impl Iterator<Item = &'p Dependency> {
        packages[index].dependencies.iter().filter(move |dependency| self.has(index, dependency))
    }

    fn request<'f>(&mut self, packages: &[Package], target: Target, features: impl IntoIterator<Item = &'f str>) {
        let features = features.into_iter();
        match target {
            Target::Package(index) => {
                let known = |name: &&str| name.starts_with("dep:") || packages[index].features.contains_key(*name);
                self.0.entry(index).or_default().extend(features.filter(known).map(str::to_owned));
            }
            Target::Channels => self.1.extend(features.map(str::to_owned)),
            Target::Unread => {}
        }
    }

    /// What the features and dependencies of a package enable.
    fn expand(&mut self, packages: &[Package], index: usize, features: &BTreeSet<String>) {
        let (package, own) = (&packages[index], Target::Package(index));
        for value in features.iter().filter_map(|name| package.features.get(name)).flatten() {
            let Some((name, feature)) = value.split_once('/') else {
                self.request(packages, own, [value.as_str()]);
                continue;
            };
            let (is_weak, name) = (name.ends_with('?'), name.trim_end_matches('?'));
            for dependency in package.dependencies.iter().filter(|dependency| dependency.key == name) {
                if dependency.optional && !is_weak {
                    self.request(packages, own, [dependency.feature().as_str(), name]);
                }
                if self.has(index, dependency) {
                    self.request(packages, dependency.target, [feature]);
                }
            }
        }
        for dependency in &package.dependencies {
            if self.has(index, dependency) {
                let default = dependency.default.then_some("default");
                let features = dependency.features.iter().map(String::as_str);
                self.request(packages, dependency.target, features.chain(default));
            }
        }
    }
}

/// The manifests that are read.
struct Manifests<'f> {
    files: Files<'f>,
    tables: HashMap<PathBuf, Result<Option<Rc<Table>>, Reported>>,
    packages: Vec<Package>,
    errors: Vec<Diagnostic>,
}

/// A manifest cannot be read, and its error is reported with all errors.
#[derive(Clone, Copy)]
struct Reported;

impl Manifests<'_> {
    /// The manifest in a folder, if it exists.
    fn table(&mut self, folder: &Path) -> Result<Option<Rc<Table>>, Reported> {
        if let Some(table) = self.tables.get(folder) {
            return table.clone();
        }
        let path = folder.join("Cargo.toml");
        let table = match (self.files)(&path) {
            Ok(text) => text.map(|text| text.parse::<Table>().map(Rc::new)).transpose().map_err(|reason| {
                self.errors.push(error(reason.message()).at_file(&path));
                Reported
            }),
            Err(diagnostic) => {
                self.errors.push(diagnostic);
                Err(Reported)
            }
        };
        self.tables.insert(folder.to_owned(), table.clone());
        table
    }

    /// The folder and the manifest of the workspace that a package is in.
    fn workspace(&mut self, folder: &Path, package: &Table) -> Option<(PathBuf, Rc<Table>)> {
        let named = package.get("workspace").and_then(Value::as_str).map(|path| normal(&folder.join(path)));
        let start = named.unwrap_or_else(|| folder.to_owned());
        start.ancestors().find_map(|folder| {
            let table = self.table(folder).ok().flatten()?;
            table.contains_key("workspace").then(|| (folder.to_owned(), table))
        })
    }

    /// The index of the package in a folder, which is read with its path dependencies.
    fn package(&mut self, folder: &Path) -> usize {
        let folder = normal(folder);
        if let Some(known) = self.packages.iter().position(|package| package.folder == folder) {
            return known;
        }
        let manifest = self.table(&folder);
        if let Ok(None) = manifest {
            let missing = error("the manifest does not exist").at_file(folder.join("Cargo.toml"));
            self.errors.push(missing.help("correct `types` in `crd-channels.yaml`, or the `path` of the dependency"));
        }
        let manifest = manifest.ok().flatten().unwrap_or_default();
        let package = table(manifest.get("package"));
        let workspace = self.workspace(&folder, package);
        let shared = table(workspace.as_ref().and_then(|(_, manifest)| manifest.get("workspace")));
        let edition = match package.get("edition") {
            Some(Value::Table(_)) => table(shared.get("package")).get("edition").cloned(),
            own => own.cloned(),
        };
        let edition = edition.as_ref().and_then(Value::as_str).unwrap_or("2015").to_owned();
        let library = table(manifest.get("lib"));
        let text = |table: &Table, key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
        // A script that cannot be read is one.
        let has_script = |files: Files<'_>| !files(&folder.join("build.rs")).is_ok_and(|text| text.is_none());
        let is_built = match package.get("build") {
            Some(Value::Boolean(false)) => false,
            Some(_) => true,
            None => has_script(self.files),
        };
        let index = self.packages.len();
        if index > MOST_PACKAGES {
            // Each reads the manifests of its dependencies.
            self.errors.push(
                error(format!("more than {MOST_PACKAGES} packages depend on each other by paths"))
                    .at_file(folder.join("Cargo.toml")),
            );
            return 0;
        }
        let name = text(package, "name").unwrap_or_default();
        self.packages.push(Package {
            file: normal(&folder.join(text(library, "path").as_deref().unwrap_or("src/lib.rs"))),
            library: text(library, "name").unwrap_or(name),
            is_macro: ["proc-macro", "proc_macro"].iter().any(|key| library.get(*key) == Some(&Value::Boolean(true))),
            is_2015: edition == "2015",
            is_built,
            features: BTreeMap::new(),
            dependencies: Vec::new(),
            folder: folder.clone(),
        });
        let from = workspace.as_ref().map(|(folder, _)| (folder.as_path(), table(shared.get("dependencies"))));
        let is_first_resolver = match &workspace {
            Some((_, manifest)) => is_first_resolver(shared, table(manifest.get("package"))),
            None => is_first_resolver(package, package),
        };
        let mut dependencies = Vec::new();
        for (list, is_doubtful) in lists(&manifest, is_first_resolver) {
            for (key, value) in list {
                dependencies.extend(self.dependency(&folder, key, value, from, is_doubtful));
            }
        }
        self.packages[index].features = features(&manifest, &dependencies);
        self.packages[index].dependencies = dependencies;
        index
    }

    fn dependency(
        &mut self,
        folder: &Path,
        key: &str,
        value: &Value,
        workspace: Option<(&Path, &Table)>,
        is_doubtful: bool,
    ) -> Option<Dependency> {
        let own = table(Some(value));
        let inherits = own.get("workspace") == Some(&Value::Boolean(true));
        let (base, shared) = match workspace.filter(|_| inherits) {
            Some((base, dependencies)) => (base, table(dependencies.get(key))),
            None if inherits => {
                let message = format!("`{key}` is a dependency of a workspace that was not found");
                self.errors.push(error(message).at_file(folder.join("Cargo.toml")));
                return None;
            }
            None => (folder, own),
        };
        let text = |key: &str| shared.get(key).and_then(Value::as_str);
        let default = |table: &Table| {
            ["default-features", "default_features"].iter().find_map(|key| table.get(*key)).and_then(Value::as_bool)
        };
        let package = text("package").unwrap_or(key).to_owned();
        let target = match text("path") {
            _ if package == CHANNELS => Target::Channels,
            Some(path) => Target::Package(self.package(&base.join(path))),
            None => Target::Unread,
        };
        let mut features = strings(shared.get("features"));
        if inherits {
            features.extend(strings(own.get("features")));
        }
        Some(Dependency {
            key: key.to_owned(),
            is_renamed: text("package").is_some(),
            package,
            target,
            optional: own.get("optional") == Some(&Value::Boolean(true)),
            default: default(shared).unwrap_or(true) || inherits && default(own) == Some(true),
            features,
            is_doubtful,
        })
    }
}

/// The tables of dependencies, and whether their crates are present on some platforms or in tests only.
fn lists(manifest: &Table, is_first_resolver: bool) -> Vec<(&Table, bool)> {
    let mut lists = vec![(table(manifest.get("dependencies")), false)];
    let targets = table(manifest.get("target"));
    lists.extend(targets.values().map(|target| (table(table(Some(target)).get("dependencies")), true)));
    // The first resolver adds their features to those of the library.
    if is_first_resolver {
        let keys = ["dev-dependencies", "dev_dependencies", "build-dependencies", "build_dependencies"];
        lists.extend(keys.map(|key| (table(manifest.get(key)), true)));
    }
    lists
}

/// Whether features of tests are features of the library.
fn is_first_resolver(settings: &Table, root: &Table) -> bool {
    match settings.get("resolver").and_then(Value::as_str) {
        Some(resolver) => resolver == "1",
        None => !matches!(root.get("edition").and_then(Value::as_str), Some("2021" | "2024")),
    }
}

/// The features, and one for each optional dependency that no feature names with `dep:`.
fn features(manifest: &Table, dependencies: &[Dependency]) -> BTreeMap<String, Vec<String>> {
    let own = table(manifest.get("features")).iter();
    let mut features: BTreeMap<String, Vec<String>> =
        own.map(|(name, values)| (name.clone(), strings(Some(values)))).collect();
    let is_named = |dependency: &Dependency| features.values().flatten().any(|value| *value == dependency.feature());
    let implied = dependencies.iter().filter(|dependency| dependency.optional && !is_named(dependency));
    for dependency in implied.collect::<Vec<_>>() {
        features.entry(dependency.key.clone()).or_insert_with(|| vec![dependency.feature()]);
    }
    features
}

fn table(value: Option<&Value>) -> &Table {
    static EMPTY: LazyLock<Table> = LazyLock::new(Table::new);
    value.and_then(Value::as_table).unwrap_or(&EMPTY)
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let values = value.and_then(Value::as_array).into_iter().flatten();
    values.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The path without `.` and `..`.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The crates of a text with several manifests: `types`, and `xtask` if it is there.
    fn read(text: &str) -> String {
        let files: BTreeMap<PathBuf, String> = text
            .split("//- ")
            .skip(1)
            .map(|part| {
                let (folder, manifest) = part.split_once('\n').unwrap();
                (Path::new("/r").join(folder).join("Cargo.toml"), manifest.to_owned())
            })
            .collect();
        let xtask = files.contains_key(Path::new("/r/xtask/Cargo.toml")).then(|| Path::new("/r/xtask"));
        match graph(Path::new("/r/types"), xtask, &|path| Ok(files.get(path).cloned())) {
            Err(errors) => errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("; "),
            Ok(graph) => {
                let krate = |krate: &Crate| {
                    let externs: Vec<String> =
                        krate.externs.iter().map(|(name, external)| format!("{name}={external:?}")).collect();
                    let features = Vec::from_iter(krate.features.clone()).join(" ");
                    format!("{} [{features}] {}", krate.file.strip_prefix("/r").unwrap().display(), externs.join(" "))
                };
                graph.crates.iter().map(krate).collect::<Vec<_>>().join("\n")
            }
        }
    }

    const WORKSPACE: &str = "//- .\n[workspace]\nresolver = '3'\npackage.edition = '2024'\n[workspace.dependencies]\ncrd-channels = { path = 'c', features = ['kube'] }\n\
        two-b = { path = 'two', package = 'two', default-features = false }\n";

    #[test]
    fn features_and_names_are_those_of_cargo() {
        for (manifests, expected) in [
            (
                "//- types\n[package]\nname='t'\nedition='2024'\n[features]\ndefault=['a']\na=['b', 'crd-channels/serde']\nb=[]\nc=[]\n[dependencies]\ncrd-channels='1'\nserde-json='1'\n",
                "types/src/lib.rs [a b default] crd_channels=Channels serde_json=Unread(\"serde-json\")",
            ),
            (
                "//- types\n[package]\nname='t'\nedition='2024'\n[lib]\npath='x.rs'\n[features]\ndefault=['a']\na=[]\nb=['dep:o', 'o?/p']\n[dependencies]\nc={package='crd-channels', version='1', default-features=false}\no={version='1', optional=true}\nq={version='1', optional=true}\n\
                 //- xtask\n[package]\nname='xtask'\nedition='2024'\n[dependencies]\nt={path='../types', default-features=false, features=['b']}\n",
                "types/x.rs [b] c=Channels o=Unread(\"o\")",
            ),
            (
                "//- types\n[package]\nname='t'\nedition.workspace=true\n[features]\na=['two-b?/x', 'q/y']\n[dependencies]\ncrd-channels.workspace=true\ntwo-b={workspace=true, features=['z']}\nq={version='1', optional=true}\n\
                 //- two\n[package]\nname='two'\nedition='2021'\n[features]\ndefault=['no']\nno=[]\nx=['three/f']\nz=[]\n[dependencies]\ncrd-channels.workspace=true\nthree={path='../three'}\nplain={path='../plain'}\n\
                 //- three\n[package]\nname='three'\nedition='2021'\n[lib]\nname='tres'\n[features]\ndefault=[]\nf=[]\n[dependencies]\ncrd-channels.workspace=true\n\
                 //- plain\n[package]\nname='plain'\nedition='2021'\n\
                 //- xtask\n[package]\nname='xtask'\nedition='2024'\n[dependencies]\nt={path='../types', features=['a']}\n",
                "types/src/lib.rs [a q] crd_channels=Channels q=Unread(\"q\") two_b=Read(1)\n\
                 two/src/lib.rs [x z] crd_channels=Channels plain=Unread(\"/r/plain\") tres=Read(2)\n\
                 three/src/lib.rs [default f] crd_channels=Channels",
            ),
            (
                "//- types\n[package]\nname='t'\nedition='2024'\n[features]\na=[]\n[target.'cfg(unix)'.dependencies]\nu='1'\n//- xtask\n[package]\nname='x'\nedition='2024'\n[dev-dependencies]\nt={path='../types'}\n",
                "the package does not depend on the crate of the types, so the features of that crate are unknown",
            ),
            (
                "//- types\n[package]\nname='t'\n[features]\na=[]\n//- xtask\n[package]\nname='x'\nedition='2024'\n[dependencies]\nt={path='../types'}\n[target.'cfg(unix)'.dependencies]\nt={path='../types', features=['a']}\n",
                "paths in edition 2015 are not supported; the features of `t` depend on the platform or on tests",
            ),
            (
                "//- types\n[package]\nname='t'\nedition='2018'\n[dependencies]\nm={path='../missing'}\nn={workspace=true}\n",
                "the manifest does not exist",
            ),
            ("//- types\n[package\n", "unclosed table, expected `]`"),
        ] {
            let read = read(&format!("{WORKSPACE}{manifests}"));
            assert!(read == expected || !expected.contains('\n') && read.starts_with(expected), "{manifests}\n{read}");
        }
    }
}
