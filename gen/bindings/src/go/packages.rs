//! The packages of a Go module, and which types are in which.
//!
//! A type is in the package of the module that is named after an API version, such as `api::v1`, if all resources in that module have one group and
//! that version. Otherwise it is in the package of the resources that use it: the most stable one.
//!
//! Invariants: only types that the channel's resources use are in a package; packages do not import each other in a cycle.

use std::collections::{BTreeMap, BTreeSet};

use crd_diagnostics::Diagnostic;
use crd_generate::{Catalogue, at};
use crd_markers::descriptor::{Shape, TypeDescriptor, TypeRef};
use crd_model::crd::priority;
use crd_names::channel::Channel;
use crd_names::wire::is_version;

use super::elements::{Options, fields, of_channels};

/// The API group and version of a package.
type Identity = (String, String);
/// The module and the name of a type.
type Key = (&'static str, &'static str);

pub(super) struct Packages {
    /// Every type with the folder of its package, in the order of the source.
    pub(super) types: Vec<(&'static TypeDescriptor, String)>,
    pub(super) errors: Vec<Diagnostic>,
    of: BTreeMap<Key, String>,
    modules: BTreeMap<String, String>,
    /// The group and the version of each package, by folder.
    folders: BTreeMap<String, Identity>,
    /// The folder of each group.
    groups: BTreeMap<String, String>,
}

impl Packages {
    pub(super) fn of(catalogue: &Catalogue, roots: &[&'static TypeDescriptor], options: &Options<'_>) -> Self {
        let mut modules: BTreeMap<&str, BTreeSet<Identity>> = BTreeMap::new();
        let mut users: BTreeMap<Key, BTreeSet<Identity>> = BTreeMap::new();
        let mut found: BTreeMap<Key, &'static TypeDescriptor> = BTreeMap::new();
        for root in roots {
            let Some(identity) = identity(root) else { continue };
            reach(root, options.channel, &mut |used| {
                found.insert(key(used), used);
                users.entry(key(used)).or_default().insert(identity.clone())
            });
            if let Some(module) = version_module(root.module) {
                modules.entry(module).or_default().insert(identity);
            }
        }
        for module in exported(catalogue, options.channel, &mut found) {
            modules.entry(module).or_default();
        }
        let groups: BTreeSet<Identity> = roots.iter().filter_map(|root| identity(root)).collect();
        let only_group = groups.iter().map(|(group, _)| group).collect::<BTreeSet<_>>();
        let mut packages = Self {
            types: Vec::new(),
            errors: Vec::new(),
            of: BTreeMap::new(),
            modules: BTreeMap::new(),
            folders: BTreeMap::new(),
            groups: folders(&only_group, options),
        };
        for (module, identities) in modules {
            let version = module.rsplit("::").next().unwrap_or_default();
            let own = match (identities.len(), identities.first()) {
                (1, Some(identity)) if identity.1 == version => Some(identity.clone()),
                (0, _) if only_group.len() == 1 => {
                    only_group.first().map(|group| ((*group).clone(), version.to_owned()))
                }
                _ => None,
            };
            if let Some(own) = own {
                packages.modules.insert(module.to_owned(), packages.folder(&own));
                packages.folders.insert(packages.folder(&own), own);
            }
        }
        for (key, descriptor) in found {
            packages.place(descriptor, users.get(&key));
        }
        packages.types.sort_by_key(|(descriptor, _)| (descriptor.location.file, descriptor.location.line));
        packages.cycles(options.channel);
        packages.shared_folders(roots);
        packages.refused_folders(roots);
        packages
    }

    fn folder(&self, (group, version): &Identity) -> String {
        // The last part is the name of the package.
        let version = version.replace('-', "");
        match self.groups.get(group).map(String::as_str) {
            None | Some("") => version,
            Some(folder) => format!("{folder}/{version}"),
        }
    }

    /// Reports groups whose packages would be the same.
    fn shared_folders(&mut self, roots: &[&'static TypeDescriptor]) {
        let mut owners: BTreeMap<String, (Identity, &'static TypeDescriptor)> = BTreeMap::new();
        for root in roots {
            let Some(own) = identity(root) else { continue };
            let (first, _) = owners.entry(self.folder(&own)).or_insert_with(|| (own.clone(), root));
            if *first != own {
                let message =
                    format!("`{}` and `{}` have one folder in the Go module: `{}`", first.0, own.0, self.folder(&own));
                let error =
                    Diagnostic::error("bindings::go", message).help("set another one in `go.groups` of the settings");
                self.errors.push(at(error, root.location).of_rust(root.name, None));
            }
        }
    }

    /// Reports packages that Go ignores, or that nothing can import.
    fn refused_folders(&mut self, roots: &[&'static TypeDescriptor]) {
        let mut known = BTreeSet::new();
        for root in roots {
            let Some(folder) =
                identity(root).map(|own| self.folder(&own)).filter(|folder| known.insert(folder.clone()))
            else {
                continue;
            };
            if let Some((name, why)) = folder.split('/').find_map(|name| Some((name, refused(name)?))) {
                let message = format!("the package `{folder}` has the folder `{name}`, which {why}");
                let error =
                    Diagnostic::error("bindings::go", message).help("set another one in `go.groups` of the settings");
                self.errors.push(at(error, root.location).of_rust(root.name, None));
            }
        }
    }

    /// Puts a type into the package of its module, or of the most stable of its users.
    fn place(&mut self, descriptor: &'static TypeDescriptor, users: Option<&BTreeSet<Identity>>) {
        let module = version_module(descriptor.module).and_then(|module| self.modules.get(module));
        let folder = if let Some(folder) = module {
            folder.clone()
        } else {
            let by_stability =
                |one: &&Identity, other: &&Identity| priority(&one.1).cmp(&priority(&other.1)).then(other.cmp(one));
            let Some(own) = users.and_then(|users| users.iter().max_by(by_stability)) else { return };
            let folder = self.folder(own);
            self.folders.insert(folder.clone(), own.clone());
            folder
        };
        self.of.insert(key(descriptor), folder.clone());
        self.types.push((descriptor, folder));
    }

    /// The folder of the package of a type.
    pub(super) fn of_type(&self, descriptor: &TypeDescriptor) -> Option<&str> {
        self.of.get(&key(descriptor)).map(String::as_str)
    }

    /// The folder of the package that a module belongs to.
    pub(super) fn of_module(&self, module: &str) -> Option<&str> {
        self.modules.get(version_module(module)?).map(String::as_str)
    }

    /// Every package: its folder, group and version.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.folders.iter().map(|(folder, (group, version))| (folder.as_str(), group.as_str(), version.as_str()))
    }

    /// Reports the type that closes each cycle of imports.
    fn cycles(&mut self, channel: Channel) {
        let mut imports: BTreeMap<&str, BTreeMap<&str, &'static TypeDescriptor>> = BTreeMap::new();
        for (descriptor, folder) in &self.types {
            for used in children(descriptor, channel) {
                if let Some(of) = self.of_type(used).filter(|of| of != folder) {
                    imports.entry(folder).or_default().entry(of).or_insert(descriptor);
                }
            }
        }
        let leads = |from: &str, to: &str| {
            let (mut open, mut seen) = (vec![from], BTreeSet::new());
            while let Some(next) = open.pop() {
                if next == to {
                    return true;
                }
                if seen.insert(next) {
                    open.extend(imports.get(next).into_iter().flat_map(BTreeMap::keys));
                }
            }
            false
        };
        let edges = imports.iter().flat_map(|(from, to)| to.iter().map(move |(to, through)| (*from, *to, *through)));
        let errors = edges.filter(|(from, to, _)| from < to && leads(to, from)).map(|(from, to, through)| {
            let message = format!("the Go packages `{from}` and `{to}` would import each other: this type is in the first and uses the second");
            let error = Diagnostic::error("bindings::go", message).help("put what both versions use into one module");
            at(error, through.location).of_rust(through.name, None)
        });
        let errors: Vec<Diagnostic> = errors.collect();
        self.errors.extend(errors);
    }
}

/// Adds the types that only exports have, and returns the modules of API versions with exports. A name in a module of an API version is part of that
/// version, also if no resource uses the type. Types that resources of other channels use are not.
fn exported<'c>(
    catalogue: &'c Catalogue,
    channel: Channel,
    found: &mut BTreeMap<Key, &'static TypeDescriptor>,
) -> BTreeSet<&'c str> {
    let (mut used, mut modules) = (BTreeSet::new(), BTreeSet::new());
    for root in catalogue.all_descriptors() {
        reach(root, Channel::Experimental, &mut |of| used.insert(key(of)));
    }
    for export in catalogue.exports() {
        let Some(module) = version_module(&export.module) else { continue };
        if let Some(target) = export.descriptor()
            && version_module(target.module) == Some(module)
            && target.channels.contains(channel)
            && !used.contains(&key(target))
        {
            reach(target, channel, &mut |used| found.insert(key(used), used).is_none());
        }
        if export.descriptor().is_none_or(|target| found.contains_key(&key(target))) {
            modules.insert(module);
        }
    }
    modules
}

fn key(descriptor: &TypeDescriptor) -> Key {
    (descriptor.module, descriptor.name)
}

fn identity(root: &TypeDescriptor) -> Option<Identity> {
    root.resource.map(|resource| (resource.group.to_owned(), resource.version.to_owned()))
}

/// The folder of each group: that of the options, or the first label of the group, or the whole group if another one has that label.
fn folders(groups: &BTreeSet<&String>, options: &Options<'_>) -> BTreeMap<String, String> {
    let label = |group: &str| group.split('.').next().unwrap_or_default().to_owned();
    let is_shared = |group: &str| groups.iter().any(|other| *other != group && label(other) == label(group));
    let folder = |group: &str| if is_shared(group) { group.to_owned() } else { label(group) };
    let all = groups
        .iter()
        .map(|group| ((*group).clone(), options.folders.get(*group).cloned().unwrap_or_else(|| folder(group))));
    all.collect()
}

/// Why Go does not take a folder of a module as a part of an import path: the rules of `go help packages`, of `internal` packages, and of
/// `CheckImportPath` of golang.org/x/mod.
fn refused(name: &str) -> Option<&'static str> {
    const OF_WINDOWS: [&str; 4] = ["con", "prn", "aux", "nul"];
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_port = ["com", "lpt"].iter().any(|port| {
        stem.strip_prefix(port)
            .is_some_and(|digit| digit.len() == 1 && digit.bytes().all(|digit| digit.is_ascii_digit()))
    });
    let is_short = name.rsplit_once('~').is_some_and(|(_, end)| end.bytes().all(|digit| digit.is_ascii_digit()));
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-._~+".contains(letter);
    match name {
        "testdata" => Some("Go ignores"),
        "vendor" => Some("Go takes for copies of other modules"),
        "internal" => Some("only the module itself can import"),
        _ if name.starts_with(['_', '.']) => Some("Go ignores"),
        _ if OF_WINDOWS.contains(&&*stem) || is_port || is_short => {
            Some("Go refuses, because Windows has no such folder")
        }
        _ if name.is_empty() || name.ends_with('.') || !name.chars().all(is_letter) => {
            Some("is not a part of an import path")
        }
        _ => None,
    }
}

/// The part of a module's path up to the name of an API version.
fn version_module(module: &str) -> Option<&str> {
    let mut end = 0;
    for name in module.split("::") {
        end += name.len();
        if is_version(name) {
            return Some(&module[..end]);
        }
        end += 2;
    }
    None
}

fn reach(root: &'static TypeDescriptor, channel: Channel, found: &mut dyn FnMut(&'static TypeDescriptor) -> bool) {
    if found(root) {
        for used in children(root, channel) {
            reach(used, channel, found);
        }
    }
}

/// The types that a type uses in Go. The data of an enum with a tag is not a type there: its fields are in the enum.
fn children(descriptor: &'static TypeDescriptor, channel: Channel) -> Vec<&'static TypeDescriptor> {
    let mut used = Vec::new();
    let mut follow = |kind: TypeRef| named(kind, &mut used);
    let is_tagged = matches!(descriptor.shape, Shape::Union { tag: Some(_), .. });
    match descriptor.shape {
        Shape::Newtype(inner) => follow(inner),
        _ => fields(descriptor, channel).for_each(|field| match field.kind {
            TypeRef::Named(data) if is_tagged => fields(data.get(), channel).for_each(|field| follow(field.kind)),
            kind => follow(kind),
        }),
    }
    used.retain(|used| of_channels(used).is_none());
    used
}

fn named(kind: TypeRef, used: &mut Vec<&'static TypeDescriptor>) {
    match kind {
        TypeRef::Named(of) => used.push(of.get()),
        TypeRef::List(items) => named(*items, used),
        TypeRef::Map(keys, values) => {
            named(*keys, used);
            named(*values, used);
        }
        _ => {}
    }
}
