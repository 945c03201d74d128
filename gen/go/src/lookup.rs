//! What a name means in a file: a declared type, a type of Go itself, or one of another module.
//!
//! Invariants: what is declared in the package hides the types of Go; a type of another module is recorded and not read.

use std::collections::BTreeMap;
use std::rc::Rc;

use crd_markers::descriptor::{BaseType, Location, TypeRef};

use crate::packages::{Imported, MOST_ALIASES, Package, Packages};
use crate::problem::{Fault, TYPES};
use crate::report::Problems;
use crate::syntax::{Declared, File, Import, Name, Type};

/// The package of `ObjectMeta` and `TypeMeta`.
const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// A file of a package.
#[derive(Clone)]
pub(crate) struct Scope {
    pub(crate) package: usize,
    pub(crate) file: usize,
}

/// What a name means.
pub(crate) enum Meaning {
    /// The package, and the name of the type in it.
    Declared(usize, String),
    Builtin(TypeRef),
    /// `TypeMeta` of Kubernetes.
    TypeMeta,
    /// It has no descriptor.
    Opaque,
}

/// The packages, and what was found in them.
pub(crate) struct Lookup<'p> {
    pub(crate) packages: Packages<'p>,
    pub(crate) problems: Problems,
    pub(crate) opaque: BTreeMap<String, Location>,
}

impl Lookup<'_> {
    pub(crate) fn package(&self, index: usize) -> Rc<Package> {
        Rc::clone(&self.packages.all[index])
    }

    /// What a name means, through aliases.
    pub(crate) fn meaning(&mut self, scope: &Scope, name: &Name) -> Meaning {
        let (mut scope, mut name) = (scope.clone(), name.clone());
        for _ in 0..MOST_ALIASES {
            let Meaning::Declared(package, found) = self.step(&scope, &name) else {
                return self.step(&scope, &name);
            };
            let of = self.package(package);
            let Some((file, index)) = of.types.get(&found).copied() else { return Meaning::Opaque };
            let declared = &of.files[file].types[index];
            match &declared.kind {
                Type::Named(target) if declared.is_alias => (scope, name) = (Scope { package, file }, target.clone()),
                _ => return Meaning::Declared(package, found),
            }
        }
        Meaning::Opaque
    }

    fn step(&mut self, scope: &Scope, name: &Name) -> Meaning {
        let package = self.package(scope.package);
        let file = &package.files[scope.file];
        match name.package.is_empty() {
            true => self.unqualified(scope, &package, file, name),
            false => self.qualified(&package, file, name),
        }
    }

    fn unqualified(&mut self, scope: &Scope, package: &Package, file: &File, name: &Name) -> Meaning {
        if package.types.contains_key(&name.name) {
            return Meaning::Declared(scope.package, name.name.clone());
        }
        let mut foreign = None;
        for import in file.imports.iter().filter(|import| import.name.as_deref() == Some(".")) {
            match self.packages.imported(&import.path, &mut self.problems) {
                Imported::Package(index) if self.packages.all[index].types.contains_key(&name.name) => {
                    return Meaning::Declared(index, name.name.clone());
                }
                Imported::Package(_) => {}
                Imported::Foreign(path) => foreign = Some(path),
            }
        }
        match (builtin(&name.name), foreign) {
            (Some(Some(reference)), _) => Meaning::Builtin(reference),
            (Some(None), _) => Meaning::Opaque,
            (None, Some(path)) => self.foreign(file, &path, name),
            (None, None) => {
                self.problems.add(
                    file,
                    Fault::new(
                        name.at,
                        &TYPES,
                        format!("the type `{}` does not exist in the package `{}`", name.name, package.path),
                    ),
                );
                Meaning::Opaque
            }
        }
    }

    fn qualified(&mut self, package: &Package, file: &File, name: &Name) -> Meaning {
        let named = file.imports.iter().find(|import| import.name.as_deref() == Some(&name.package));
        let unnamed = || file.imports.iter().filter(|import| import.name.is_none());
        let real = |import: &Import| self.packages.name(&import.path);
        let by_name = || unnamed().find(|import| real(import).as_ref() == Some(&name.package));
        // The name of a package of another module is that of its folder, as a rule.
        let by_folder = || unnamed().find(|import| is_usual(&import.path, &name.package) && real(import).is_none());
        let import = named.or_else(by_name).or_else(by_folder);
        let found = import.map(|import| self.packages.imported(&import.path, &mut self.problems));
        match found {
            Some(Imported::Package(index)) if self.packages.all[index].types.contains_key(&name.name) => {
                Meaning::Declared(index, name.name.clone())
            }
            Some(Imported::Package(index)) => {
                let path = &self.packages.all[index].path;
                self.problems.add(
                    file,
                    Fault::new(
                        name.at,
                        &TYPES,
                        format!("the type `{}` does not exist in the package `{path}`", name.name),
                    ),
                );
                Meaning::Opaque
            }
            Some(Imported::Foreign(path)) => self.foreign(file, &path, name),
            None => self.foreign(file, &format!("{}/{}", package.path, name.package), name),
        }
    }

    /// A type of another module.
    fn foreign(&mut self, file: &File, path: &str, name: &Name) -> Meaning {
        match (path, name.name.as_str()) {
            (META, "ObjectMeta") => return Meaning::Builtin(TypeRef::Base(BaseType::ObjectMeta)),
            (META, "TypeMeta") => return Meaning::TypeMeta,
            _ => {}
        }
        let place = Location { file: file.path, line: file.line(name.at) };
        let known = self.opaque.entry(format!("{path}.{}", name.name)).or_insert(place);
        *known = place.min(*known);
        Meaning::Opaque
    }
}

/// The declaration of a name that was found.
pub(crate) fn declared<'f>(package: &'f Package, name: &str) -> Option<(&'f File, usize, &'f Declared)> {
    let (file, index) = package.types.get(name).copied()?;
    Some((&package.files[file], file, &package.files[file].types[index]))
}

/// Whether a package of this path has this name, as a rule: `example.com/m/v2` is `m`, `gopkg.in/yaml.v3` is `yaml`.
fn is_usual(path: &str, name: &str) -> bool {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or_default();
    let is_version = last.strip_prefix('v').is_some_and(|digits| digits.parse::<u32>().is_ok());
    last == name || last.split('.').next() == Some(name) || is_version && parts.next() == Some(name)
}

/// A type of Go itself; `Some(None)`: it has no schema.
fn builtin(name: &str) -> Option<Option<TypeRef>> {
    let integer = |rust, format| Some(TypeRef::Integer { rust, format });
    Some(match name {
        "string" => Some(TypeRef::String),
        "bool" => Some(TypeRef::Boolean),
        "int" => integer("isize", None),
        "int8" => integer("i8", None),
        "int16" => integer("i16", None),
        "int32" | "rune" => integer("i32", Some("int32")),
        "int64" => integer("i64", Some("int64")),
        "uint" | "uintptr" => integer("usize", None),
        "uint8" | "byte" => integer("u8", None),
        "uint16" => integer("u16", None),
        "uint32" => integer("u32", Some("int32")),
        "uint64" => integer("u64", Some("int64")),
        "float32" | "float64" => Some(TypeRef::Number(None)),
        "any" | "error" | "comparable" | "complex64" | "complex128" => None,
        _ => return None,
    })
}
