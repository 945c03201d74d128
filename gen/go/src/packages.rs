//! The packages of a Go module: those of the pattern, and those that their types use.
//!
//! Invariants: a folder is read once, and only if it is needed; files that a build of the API leaves out are not read; a folder with its own `go.mod`
//! is another module.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use crd_diagnostics::Diagnostic;
use crd_markers::leaked;
use crd_model::parallel;

use crate::Project;
use crate::constraints::is_built;
use crate::gates::{self, is_gate};
use crate::names::{Line, head, line as line_of};
use crate::problem::{Fault, PACKAGES, TYPES};
use crate::report::Problems;
use crate::syntax::{File, Type};

/// How many aliases can lead to each other.
pub(crate) const MOST_ALIASES: usize = 50;

pub(crate) struct Package {
    /// From the root of the project, with `/`; empty for the root itself.
    pub(crate) folder: String,
    /// As imports have it.
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) files: Vec<File>,
    /// Whether the pattern has it.
    pub(crate) is_wanted: bool,
    /// The groups, each with the version.
    pub(crate) versions: Vec<(String, String)>,
    /// The file and the index of each type.
    pub(crate) types: HashMap<String, (usize, usize)>,
    /// The file and the index of the constants of each type.
    pub(crate) constants: HashMap<String, Vec<(usize, usize)>>,
    /// Methods that write a type as JSON or as text, each with the type.
    pub(crate) methods: HashSet<(String, String)>,
}

impl Package {
    fn new(folder: String, path: String, files: Vec<File>, is_wanted: bool) -> Self {
        let name = files.first().map(|file| file.package.clone()).unwrap_or_default();
        let (mut types, mut constants) = (HashMap::new(), HashMap::<String, Vec<_>>::new());
        for (file, read) in files.iter().enumerate() {
            for (index, declared) in read.types.iter().enumerate() {
                types.entry(declared.name.clone()).or_insert((file, index));
            }
        }
        for (file, read) in files.iter().enumerate() {
            for (index, constant) in read.constants.iter().enumerate() {
                let kind = through_aliases(&files, &types, &constant.kind);
                constants.entry(kind.to_owned()).or_default().push((file, index));
            }
        }
        let methods = files.iter().flat_map(|file| file.methods.iter().cloned()).collect();
        let version = markers(&files, "versionName").next().unwrap_or(&name).to_owned();
        let versions = markers(&files, "groupName").map(|group| (group.to_owned(), version.clone())).collect();
        Package { folder, path, name, files, is_wanted, versions, types, constants, methods }
    }
}

/// The type of a package to which aliases lead.
fn through_aliases<'f>(files: &'f [File], types: &HashMap<String, (usize, usize)>, name: &'f str) -> &'f str {
    let mut name = name;
    for _ in 0..MOST_ALIASES {
        let declared = types.get(name).map(|(file, index)| &files[*file].types[*index]);
        match declared.map(|declared| (declared.is_alias, &declared.kind)) {
            Some((true, Type::Named(target))) if target.package.is_empty() => name = &target.name,
            _ => break,
        }
    }
    name
}

/// A type with two declarations, one of which has channel markers.
fn refuse_repeated(files: &[File], problems: &mut Problems) {
    let mut first = HashMap::new();
    for (file, declared) in files.iter().flat_map(|file| file.types.iter().map(move |declared| (file, declared))) {
        let (of_first, known) = *first.entry(&declared.name).or_insert((file, declared));
        let is_repeated = !std::ptr::eq(known, declared);
        if is_repeated && (file.has_channels(declared) || of_first.has_channels(known)) {
            let message = format!("`{}` is declared twice, so that markers of one have no effect", declared.name);
            problems.add(file, Fault::new(declared.at, &TYPES, message));
        }
    }
}

/// The values of a marker of a package, such as `+groupName=`.
fn markers<'f>(files: &'f [File], name: &'f str) -> impl Iterator<Item = &'f str> {
    let comments = files.iter().flat_map(|file| file.comments.all.iter().map(|comment| (comment, &file.text)));
    let values = comments.filter_map(move |(comment, text)| {
        comment.marker.as_ref()?.text(text).strip_prefix(name)?.trim_start_matches(':').strip_prefix('=')
    });
    values.map(|value| value.trim().trim_matches(['"', '`']))
}

/// What an import leads to.
pub(crate) enum Imported {
    Package(usize),
    /// Another module, by its path.
    Foreign(String),
}

/// The packages that were read.
pub(crate) struct Packages<'p> {
    project: &'p Project<'p>,
    /// The path of the module.
    module: String,
    /// The folder of `go.mod`.
    base: String,
    pub(crate) all: Vec<Rc<Package>>,
    by_folder: HashMap<String, Option<usize>>,
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

impl<'p> Packages<'p> {
    /// The packages of the pattern.
    pub(crate) fn of_pattern(project: &'p Project<'p>, problems: &mut Problems) -> Result<Self, Vec<Diagnostic>> {
        let pattern = project.packages;
        let (folder, descends) = start(pattern)?;
        let (module, base) = (String::new(), String::new());
        let mut packages = Packages { project, module, base, all: Vec::new(), by_folder: HashMap::new() };
        (packages.base, packages.module) = packages.module_of(folder)?;
        let mut folders = vec![folder.to_owned()];
        if descends {
            packages.descend(folder, &mut folders)?;
        }
        packages.read(folders, true, problems);
        if packages.all.is_empty() {
            let errors = std::mem::take(problems).into_diagnostics();
            return Err(match errors.is_empty() {
                true => PACKAGES.finding(format!("`{pattern}` has no Go files")).into(),
                false => errors,
            });
        }
        Ok(packages)
    }

    /// The folder of the module around a folder, and its path.
    fn module_of(&self, folder: &str) -> Result<(String, String), Diagnostic> {
        let mut base = folder;
        loop {
            if let Some(module) = self.module_in(base)? {
                return Ok((base.to_owned(), module));
            }
            if base.is_empty() {
                let message = format!("`{}` is not in a Go module: no folder has a `go.mod`", self.project.packages);
                return Err(PACKAGES.finding(message).help("`go mod init PATH` writes one"));
            }
            base = base.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
    }

    /// The path of the module whose `go.mod` is in a folder.
    fn module_in(&self, folder: &str) -> Result<Option<String>, Diagnostic> {
        let file = joined(folder, "go.mod");
        let Some(text) = self.project.files.text(&self.project.root.join(&file))? else { return Ok(None) };
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        let path =
            lines.filter_map(|line| line.trim().strip_prefix("module")).find(|rest| rest.starts_with([' ', '\t']));
        let path = path.map(|path| path.trim().trim_matches(['"', '`']).to_owned());
        path.map(Some).ok_or_else(|| PACKAGES.finding("`module PATH` is missing").at_file(file))
    }

    fn descend(&self, folder: &str, found: &mut Vec<String>) -> Result<(), Diagnostic> {
        for (name, is_folder) in self.project.files.entries(&self.project.root.join(folder))? {
            let is_left_out = name.starts_with(['_', '.']) || matches!(name.as_str(), "vendor" | "testdata");
            if !is_folder || is_left_out {
                continue;
            }
            let below = joined(folder, &name);
            let has = |name: &str| self.project.files.text(&self.project.root.join(&below).join(name));
            if has("go.mod")?.is_none() {
                found.push(below.clone());
                self.descend(&below, found)?;
            } else if has("crd-channels.yaml")?.is_none() {
                self.refuse_marked(&below)?;
            }
        }
        Ok(())
    }

    /// Channel markers in another module that is not a project of its own.
    fn refuse_marked(&self, folder: &str) -> Result<(), Diagnostic> {
        let mut folders = vec![folder.to_owned()];
        self.descend(folder, &mut folders)?;
        for below in folders {
            for (path, text) in self.texts(&below)?.iter().filter(|(_, text)| !is_generated(text)) {
                let is_marked = |line: &str| {
                    let marker = line.trim().strip_prefix("//").and_then(|line| line.trim_start().strip_prefix('+'));
                    marker.is_some_and(|marker| {
                        let has_meaning = !is_gate(head(marker)) || gates::read(marker, 0, self.project.gates).is_ok();
                        matches!(line_of(marker), Line::Channel) && has_meaning
                    })
                };
                let Some((index, line)) = text.lines().enumerate().find(|(_, line)| is_marked(line)) else { continue };
                let column = line.find('+').unwrap_or_default() + 1;
                let message = format!("`{folder}` is another module, so that its markers are not read");
                let help =
                    "remove the markers, or its `go.mod`; with a `crd-channels.yaml`, it is a project of its own";
                return Err(PACKAGES.finding(message).at_position(path.as_str(), index + 1, column).help(help));
            }
        }
        Ok(())
    }

    /// Reads folders that were not read before, and parses their files together.
    fn read(&mut self, folders: Vec<String>, is_wanted: bool, problems: &mut Problems) {
        let mut texts = Vec::new();
        for (index, folder) in folders.iter().enumerate() {
            match self.texts(folder) {
                // Clients are many files. They are read if a type uses one of them.
                Ok(found) if is_wanted && !has_own_types(&found) => {}
                Ok(found) => texts.extend(found.into_iter().map(|(path, text)| (index, path, text))),
                // A package that is not in the source, such as a generated one, is one of another module.
                Err(error) if is_wanted => problems.push(error),
                Err(_) => {}
            }
        }
        let parsed = parallel::each_largest_first(
            &texts,
            |(_, _, text)| text.len(),
            |(index, path, text)| (*index, File::parse(leaked::text(path), text.clone())),
        );
        let mut files: Vec<Vec<File>> = folders.iter().map(|_| Vec::new()).collect();
        for (index, file) in parsed {
            file.errors.iter().for_each(|fault| problems.add(&file, fault.clone()));
            files[index].push(file);
        }
        for (folder, files) in folders.into_iter().zip(files) {
            refuse_repeated(&files, problems);
            let is_empty = files.is_empty();
            let below = folder.strip_prefix(&*self.base).unwrap_or(&folder).trim_start_matches('/');
            let package = Package::new(
                folder.clone(),
                joined(&self.module, below).trim_end_matches('/').to_owned(),
                files,
                is_wanted,
            );
            if !is_wanted || !is_empty {
                self.by_folder.insert(folder, (!is_empty).then_some(self.all.len()));
            }
            self.all.extend((!is_empty).then(|| Rc::new(package)));
        }
    }

    /// The Go files of a folder.
    fn texts(&self, folder: &str) -> Result<Vec<(String, String)>, Diagnostic> {
        let mut texts = Vec::new();
        for (name, is_folder) in self.project.files.entries(&self.project.root.join(folder))? {
            let is_source = name.ends_with(".go") && !name.ends_with("_test.go") && !name.starts_with("zz_generated");
            if is_folder || !is_source || name.starts_with(['_', '.']) {
                continue;
            }
            let path = joined(folder, &name);
            let text = self.project.files.text(&self.project.root.join(&path))?;
            texts.extend(text.filter(|text| is_built(&name, text)).map(|text| (path, text)));
        }
        Ok(texts)
    }

    /// The folder of an import path, from the root of the project and from the one of the module.
    fn folder<'i>(&self, path: &'i str) -> Option<(String, &'i str)> {
        let below = match path.strip_prefix(&*self.module)? {
            "" => return Some((self.base.clone(), "")),
            rest => rest.strip_prefix('/')?,
        };
        Some((joined(&self.base, below), below))
    }

    /// The name of a package of this module, by its import path.
    pub(crate) fn name(&self, path: &str) -> Option<String> {
        let (folder, _) = self.folder(path)?;
        if let Some(index) = self.by_folder.get(&folder) {
            return Some(self.all[(*index)?].name.clone());
        }
        let texts = self.texts(&folder).ok()?;
        let name = texts.first()?.1.lines().find_map(|line| line.strip_prefix("package "))?;
        name.split_whitespace().next().map(str::to_owned)
    }

    /// The package of an import path.
    pub(crate) fn imported(&mut self, path: &str, problems: &mut Problems) -> Imported {
        let foreign = || Imported::Foreign(path.to_owned());
        let Some((folder, below)) = self.folder(path) else { return foreign() };
        if !self.by_folder.contains_key(&folder) {
            let mut inner = self.base.clone();
            for part in below.split('/').filter(|part| !part.is_empty()) {
                inner = joined(&inner, part);
                if self
                    .project
                    .files
                    .text(&self.project.root.join(&inner).join("go.mod"))
                    .is_ok_and(|text| text.is_some())
                {
                    return foreign();
                }
            }
            self.read(vec![folder.clone()], false, problems);
        }
        self.by_folder.get(&folder).copied().flatten().map_or_else(foreign, Imported::Package)
    }

    /// The folders that were read.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        self.all.iter().map(|package| self.project.root.join(&package.folder)).collect()
    }
}

/// The folder of a pattern, and whether the folders below it belong to it.
fn start(pattern: &str) -> Result<(&str, bool), Diagnostic> {
    let (folder, descends) = match pattern.strip_suffix("...") {
        Some(folder) => (folder, true),
        None => (pattern, false),
    };
    let is_whole = !descends || folder.is_empty() || folder.ends_with('/');
    let folder = folder.trim_start_matches("./").trim_end_matches('/');
    let folder = if folder == "." { "" } else { folder };
    let is_below = !folder.split('/').any(|part| matches!(part, "." | ".."));
    if pattern.is_empty() || pattern.starts_with('/') || !is_whole || !is_below {
        let message = format!("`{pattern}` is not a pattern of packages below the root of the project");
        let help = "write a folder, such as `./api/v1`, or `./api/...` for all folders below it";
        return Err(PACKAGES.finding(message).help(help));
    }
    Ok((folder, descends))
}

/// Whether files can have types of resources, or markers that someone wrote.
fn has_own_types(files: &[(String, String)]) -> bool {
    files.iter().any(|(_, text)| !is_generated(text) || text.contains("+groupName"))
}

/// Whether a program wrote the file, by Go's convention. Such programs copy comments.
pub(crate) fn is_generated(text: &str) -> bool {
    let is_statement =
        |line: &str| line.starts_with("// Code generated ") && line.trim_end().ends_with(" DO NOT EDIT.");
    text.lines().take_while(|line| !line.starts_with("package ")).any(is_statement)
}
