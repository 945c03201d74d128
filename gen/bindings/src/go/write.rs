//! A Go module as text.
//!
//! Invariants: each file is as gofmt leaves it and begins with the line that marks generated code; the module builds with the pinned apimachinery.

use std::collections::{BTreeMap, BTreeSet};

use super::comment::comment;
use super::imports::{Imports, joined, package_name};
use super::literals::{HEADER, ROOT, quoted};
use super::model::{Body, Constant, Field, File, GoType, Module, Omit, Package, Type};
use super::names;
use super::{deepcopy, places, register};

/// A module with the pinned version of apimachinery. CONTRIBUTING.md describes how to renew it.
const GO_MOD: &str = include_str!("../../data/module/go.mod");
const GO_SUM: &str = include_str!("../../data/module/go.sum");
/// The name of that module.
const PLACEHOLDER: &str = "module example.com/api\n";

/// The files of a module: path → text.
pub fn files(module: &Module) -> BTreeMap<String, String> {
    let module = with_lists(module);
    let requirements = GO_MOD.strip_prefix(PLACEHOLDER).unwrap_or(GO_MOD);
    let mut files = BTreeMap::new();
    files.insert("go.mod".to_owned(), format!("module {}\n{requirements}", module.path));
    files.insert("go.sum".to_owned(), GO_SUM.to_owned());
    if !module.names.is_empty() {
        files.insert(places::FILE_NAME.to_owned(), format!("{:#}\n", serde_json::json!(module.names)));
    }
    for package in &module.packages {
        let mut add = |name: &str, text| files.insert(joined(&package.folder, name), text);
        add("doc.go", doc(&module, package));
        let mut imported = BTreeSet::new();
        for file in &package.files {
            let mut imports = Imports::new(&module, package, true);
            let body = types_and_constants(file, &mut imports);
            imported.extend(imports.paths().cloned());
            let name = package_name(&module, &package.folder);
            add(&file.name, format!("{HEADER}package {name}\n\n{}{body}", imports.text()));
        }
        add("zz_generated.register.go", register::file(&module, package));
        if let Some(text) = deepcopy::file(&module, package, &imported) {
            add("zz_generated.deepcopy.go", text);
        }
    }
    files
}

/// The module with the list type of each root type after it. Both have the marker of roots.
fn with_lists(module: &Module) -> Module {
    let mut module = module.clone();
    for package in &mut module.packages {
        for file in &mut package.files {
            let types = std::mem::take(&mut file.types).into_iter();
            file.types = types.flat_map(|kind| with_list(kind, &package.folder)).collect();
        }
    }
    module
}

fn with_list(mut root: Type, folder: &str) -> Vec<Type> {
    if !root.is_root {
        return vec![root];
    }
    if !root.markers.iter().any(|marker| marker == ROOT) {
        root.markers.insert(0, ROOT.to_owned());
    }
    let meta = |name, wire_name: &str, omit| Field {
        name: None,
        description: String::new(),
        markers: Vec::new(),
        kind: GoType::Imported { path: "k8s.io/apimachinery/pkg/apis/meta/v1", alias: "metav1", name },
        wire_name: wire_name.to_owned(),
        omit,
    };
    let item = GoType::Named { package: folder.to_owned(), name: root.name.clone() };
    let items =
        Field { name: Some("Items".to_owned()), kind: GoType::Slice(Box::new(item)), ..meta("", "items", Omit::Never) };
    let list = Type {
        name: format!("{}List", root.name),
        description: format!("{0}List is a list of {0} objects.", root.name),
        markers: vec![ROOT.to_owned()],
        body: Body::Struct(vec![meta("TypeMeta", "", Omit::Never), meta("ListMeta", "metadata", Omit::Empty), items]),
        is_root: false,
        constants: Vec::new(),
    };
    vec![root, list]
}

fn doc(module: &Module, package: &Package) -> String {
    let name = package_name(module, &package.folder);
    let usual = format!("Package {name} contains the API types of {}/{}.", package.group, package.version);
    let description = if package.description.is_empty() { &usual } else { &package.description };
    let mut markers = vec!["k8s:openapi-gen=true".to_owned(), "kubebuilder:object:generate=true".to_owned()];
    markers.push(format!("groupName={}", package.group));
    if name != package.version {
        markers.push(format!("versionName={}", package.version));
    }
    let client = package.client.clone().or_else(|| group_name(module, package));
    markers.extend(client.map(|name| format!("groupGoName={name}")));
    format!("{HEADER}{}package {name}\n", commented(&comment(description, &markers), ""))
}

/// The name of a group in generated clients, if it would be that of another group: they take the first label of both.
fn group_name(module: &Module, package: &Package) -> Option<String> {
    let label = |package: &Package| package.group.split('.').next().unwrap_or_default().to_owned();
    let is_before = |other: &&Package| other.group < package.group && label(other) == label(package);
    module.packages.iter().find(is_before)?;
    let folder = package.folder.rsplit_once('/').map_or(&*package.group, |(folder, _)| folder);
    Some(names::type_name(folder))
}

fn types_and_constants(file: &File, imports: &mut Imports) -> String {
    let mut parts = Vec::new();
    for kind in &file.types {
        parts.push(type_text(kind, imports));
        parts.extend(constants(&kind.constants, imports));
    }
    parts.extend(constants(&file.constants, imports));
    parts.join("\n")
}

fn type_text(kind: &Type, imports: &mut Imports) -> String {
    // gofmt replaces two quotes or backticks in the comment that belongs to a type. openapi-gen reads only that comment, controller-gen and
    // client-gen read the one above it, too.
    let is_apart = |marker: &String| marker.contains("''") || marker.contains("``");
    let is_root = kind.markers.iter().any(|marker| marker == ROOT);
    // Rules keep their order, so they stay together.
    let has_apart = kind.markers.iter().any(is_apart);
    let is_above = |marker: &String| is_root || has_apart && marker.starts_with("kubebuilder:");
    let (apart, attached): (Vec<_>, Vec<_>) = kind.markers.iter().cloned().partition(is_above);
    let mut text = commented(&comment("", &apart), "");
    if !apart.is_empty() {
        text.push('\n');
    }
    text.push_str(&commented(&comment(&kind.description, &attached), ""));
    let name = &kind.name;
    text.push_str(&match &kind.body {
        Body::Struct(fields) if fields.is_empty() => format!("type {name} struct{{}}\n"),
        Body::Struct(fields) => {
            let fields: Vec<String> = fields.iter().map(|field| field_text(field, imports)).collect();
            format!("type {name} struct {{\n{}}}\n", fields.join("\n"))
        }
        Body::Defined(target) => format!("type {name} {}\n", imports.text_of(target)),
        Body::Alias(target) => format!("type {name} = {}\n", imports.text_of(target)),
    });
    text
}

fn field_text(field: &Field, imports: &mut Imports) -> String {
    let name = field.name.as_ref().map_or(String::new(), |name| format!("{name} "));
    let omit = match field.omit {
        _ if field.wire_name.is_empty() => ",inline",
        Omit::Never => "",
        Omit::Empty => ",omitempty",
        Omit::Zero => ",omitzero",
    };
    let comment = commented(&comment(&field.description, &field.markers), "\t");
    format!("{comment}\t{name}{} `json:\"{}{omit}\"`\n", imports.text_of(&field.kind), field.wire_name)
}

/// `const (…)`; `None` without constants. A blank line between them leaves gofmt no columns to align.
fn constants(constants: &[Constant], imports: &mut Imports) -> Option<String> {
    let text = |constant: &Constant| {
        let kind = constant.kind.as_ref().map_or(String::new(), |kind| format!(" {}", imports.text_of(kind)));
        let comment = commented(&comment(&constant.description, &[]), "\t");
        format!("{comment}\t{}{kind} = {}\n", constant.name, quoted(&constant.value))
    };
    let texts: Vec<String> = constants.iter().map(text).collect();
    (!texts.is_empty()).then(|| format!("const (\n{})\n", texts.join("\n")))
}

/// Lines as a comment.
fn commented(lines: &[String], indentation: &str) -> String {
    let line = |line: &String| match line.as_str() {
        "" => format!("{indentation}//\n"),
        line if line.starts_with('\t') => format!("{indentation}//{line}\n"),
        line => format!("{indentation}// {line}\n"),
    };
    lines.iter().map(line).collect()
}
