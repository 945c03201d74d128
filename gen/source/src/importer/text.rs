//! The text of modules.
//!
//! Invariants: rustfmt with its default settings does not change a text, except for lines that it cannot break. Each type has its items below it.

use std::collections::{BTreeMap, BTreeSet};

use crate::importer::description::{comment, has_open_fence};
use crate::importer::item::{Body, Field, Imports, Item, ItemId, Items, Rust};
use crate::importer::marker::Line;
use crate::importer::published::SourceFile;
use crd_names::rust::file_path;

/// The longest attribute that rustfmt leaves on one line.
const LONGEST_ATTRIBUTE: usize = 70;

/// The longest line that rustfmt does not break.
const LONGEST_LINE: usize = 100;

/// The longest line of a broken list.
const LONGEST_LIST: usize = LONGEST_LINE - 4;

/// The module of a resource. `resource` are the arguments of `#[api]`.
pub(crate) fn module(
    kind: &str,
    version: &str,
    resource: &str,
    (root, root_item): (&str, &Item),
    items: &Items,
    (order, names, imports): (&[ItemId], &BTreeMap<ItemId, String>, &Imports),
) -> String {
    let mut writer =
        Writer { names, imports, bases: BTreeSet::from(["ObjectMeta", "api"]), has_maps: false, text: String::new() };
    let api = match resource.len() <= LONGEST_ATTRIBUTE {
        true => format!("#[api({resource})]"),
        false => format!("#[api(\n    {}\n)]", resource.replace(", ", ",\n    ")),
    };
    writer.item(root, root_item, &api);
    for id in order {
        let name = names.get(id).map(String::as_str).unwrap_or_default();
        writer.item(name, items.get(*id), "#[api]");
    }
    // As rustfmt sorts them: types before functions and macros.
    let (mut types, others): (Vec<&str>, Vec<&str>) =
        writer.bases.iter().copied().partition(|name| name.starts_with(|first: char| first.is_ascii_uppercase()));
    types.extend(others);
    let maps = if writer.has_maps { "use std::collections::BTreeMap;\n\n" } else { "" };
    let mut modules = BTreeMap::<&str, BTreeSet<&str>>::new();
    for (module, name) in imports.values() {
        modules.entry(module).or_default().insert(name);
    }
    let mut uses = used("crd_channels", &types);
    for (index, (module, names)) in modules.into_iter().enumerate() {
        uses.push_str(if index == 0 { "\n\n" } else { "\n" });
        uses.push_str(&used(module, &names.into_iter().collect::<Vec<_>>()));
    }
    format!("//! {kind}, version {version}.\n\n{maps}{uses}\n{}", writer.text)
}

/// A `use`; a long one is broken as rustfmt breaks it.
fn used(module: &str, names: &[&str]) -> String {
    let line = match names {
        [name] if module != "crd_channels" => format!("use {module}::{name};"),
        _ => format!("use {module}::{{{}}};", names.join(", ")),
    };
    if line.len() <= LONGEST_LINE {
        return line;
    }
    let mut text = format!("use {module}::{{\n");
    let mut line = "   ".to_owned();
    for name in names {
        if line.len() + name.len() + 2 > LONGEST_LIST {
            text.push_str(&line);
            text.push('\n');
            line = "   ".to_owned();
        }
        line.push_str(&format!(" {name},"));
    }
    format!("{text}{line}\n}};")
}

/// `mod.rs` of each folder, and `lib.rs`.
pub(crate) fn module_files(
    folders: &BTreeMap<String, BTreeMap<String, String>>,
    groups: &BTreeMap<String, String>,
) -> Vec<SourceFile> {
    let mut files = Vec::new();
    // The modules of each folder above.
    let mut above: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (folder, modules) in folders {
        let (parent, version) = folder.rsplit_once('/').unwrap_or(("", folder));
        above.entry(parent.to_owned()).or_default().insert(version.to_owned());
        let mut text = format!("//! The resources of version {version}.\n\n");
        // Sorted as rustfmt sorts them.
        let mut sorted: Vec<(&String, &String)> = modules.iter().collect();
        sorted.sort_by_key(|(module, _)| file_path(module));
        for (module, _) in &sorted {
            text.push_str(&format!("pub mod {module};\n"));
        }
        text.push('\n');
        for (module, root) in &sorted {
            text.push_str(&format!("pub use {module}::{root};\n"));
        }
        files.push(SourceFile { path: file_path(&format!("{folder}/mod")), text });
    }
    for (parent, versions) in &above {
        if parent.is_empty() {
            continue;
        }
        let group =
            groups.iter().find(|(_, module)| *module == parent).map(|(group, _)| group.as_str()).unwrap_or_default();
        let lines = versions.iter().map(|version| format!("pub mod {version};\n")).collect::<String>();
        let text = format!("//! The group {group}.\n\n{lines}");
        files.push(SourceFile { path: file_path(&format!("{parent}/mod")), text });
    }
    let top = folders.keys().filter_map(|folder| folder.split('/').next());
    let top: BTreeMap<String, &str> = top.map(|module| (file_path(module), module)).collect();
    let modules = top.values().map(|module| format!("pub mod {module};\n")).collect::<String>();
    let text = format!(
        "//! The types of the API.\n\n\
         // Descriptions are written for readers of CRDs: they are neither links nor HTML.\n\
         #![allow(rustdoc::all)]\n\
         #![allow(clippy::doc_lazy_continuation)]\n\
         #![allow(clippy::doc_overindented_list_items)]\n\
         #![allow(clippy::empty_docs)]\n\
         #![allow(clippy::tabs_in_doc_comments)]\n\n{modules}"
    );
    files.push(SourceFile { path: "lib.rs".to_owned(), text });
    files
}

struct Writer<'w> {
    names: &'w BTreeMap<ItemId, String>,
    imports: &'w Imports,
    /// What the module uses of `crd_channels`.
    bases: BTreeSet<&'static str>,
    has_maps: bool,
    text: String,
}

impl Writer<'_> {
    fn item(&mut self, name: &str, item: &Item, api: &str) {
        self.text.push('\n');
        self.docs(&item.description, &item.lines, "");
        match &item.body {
            Body::Struct(fields) => {
                self.text.push_str(&format!("{api}\npub struct {name} {{"));
                self.text.push_str(if fields.is_empty() { "}\n" } else { "\n" });
                for field in fields {
                    self.field(field);
                }
                self.text.push_str(if fields.is_empty() { "" } else { "}\n" });
            }
            Body::Enum { case, variants } => {
                self.text.push_str(&format!("{api}\n"));
                if let Some(case) = case {
                    self.text.push_str(&format!("#[serde(rename_all = \"{case}\")]\n"));
                }
                self.text.push_str(&format!("pub enum {name} {{\n"));
                for variant in variants {
                    if variant.is_experimental {
                        self.text.push_str("    /// +experimental\n");
                    }
                    if let Some(wire) = &variant.rename {
                        self.text.push_str(&format!("    #[serde(rename = \"{}\")]\n", wire.escape_default()));
                    }
                    self.text.push_str(&format!("    {},\n", variant.name));
                }
                self.text.push_str("}\n");
            }
            Body::Newtype(inner) => {
                let inner = self.rust(inner);
                self.text.push_str(&format!("{api}\npub struct {name}(pub {inner});\n"));
            }
        }
    }

    fn field(&mut self, field: &Field) {
        self.docs(&field.description, &field.lines, "    ");
        if let Some(wire) = &field.rename {
            self.text.push_str(&format!("    #[serde(rename = \"{}\")]\n", wire.escape_default()));
        }
        let rust = self.rust(&field.rust);
        let line = format!("    pub {}: {rust},", field.name);
        match line.chars().count() <= LONGEST_LINE {
            true => self.text.push_str(&format!("{line}\n")),
            false => self.text.push_str(&format!("    pub {}:\n        {rust},\n", field.name)),
        }
    }

    fn docs(&mut self, description: &[String], lines: &[Line], indent: &str) {
        let mut markers = lines.iter().map(|line| format!("{indent}/// {}\n", line.written())).collect::<String>();
        if !description.is_empty() && !lines.is_empty() {
            let is_first = has_open_fence(description);
            markers.insert_str(if is_first { markers.len() } else { 0 }, &format!("{indent}///\n"));
            if is_first {
                self.text.push_str(&std::mem::take(&mut markers));
            }
        }
        comment(description, indent, &mut self.text);
        self.text.push_str(&markers);
    }

    fn rust(&mut self, rust: &Rust) -> String {
        match rust {
            Rust::Leaf(name, is_base) => {
                if *is_base {
                    self.bases.insert(name);
                }
                (*name).to_owned()
            }
            Rust::Item(id) => {
                let imported = self.imports.get(id).map(|(_, name)| name);
                self.names.get(id).or(imported).cloned().unwrap_or_default()
            }
            Rust::List(inner) => format!("Vec<{}>", self.rust(inner)),
            Rust::Map(inner) => {
                self.has_maps = true;
                format!("BTreeMap<String, {}>", self.rust(inner))
            }
            Rust::Option(inner) => format!("Option<{}>", self.rust(inner)),
        }
    }
}
