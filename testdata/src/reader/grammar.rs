//! Forms of source from a grammar: modules with a root type, as the sections of a case.
//!
//! A form has modules in all kinds of files, definitions with few names, imports, and paths between them. Now and then it has an item or an attribute that
//! is rare, or that rustc refuses. Equal numbers give equal forms. What source does not check is not in it: privacy, bounds, the bodies of functions,
//! items that `cfg` leaves out, and imports that no type needs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::Dice;

/// Names of definitions: few, so that modules define the same ones.
const NAMES: &[&str] = &["One", "Two", "Three", "Four", "Five", "Text", "Text", "r#Six", "Six", "Größe"];

/// Names that hide those of the prelude and of the language.
const HIDING: &[&str] = &["String", "i32", "bool", "Vec", "Option", "Box", "Default", "u8"];

/// Types without definitions of the form.
const TYPES: &[&str] = &[
    "i32",
    "bool",
    "String",
    "u8",
    "i64",
    "(i32)",
    "std::string::String",
    "::std::string::String",
    "::core::primitive::i32",
    "core::primitive::bool",
    "crd_channels::Quantity",
    "::crd_channels::base::Duration",
    "crd_channels::IntOrString",
    "crd_channels::AnyJson",
    "Option<i32>",
    "std::option::Option<String>",
    "Vec<String>",
    "::std::vec::Vec<(bool)>",
    "Box<i32>",
    "std::collections::BTreeMap<String, i32>",
    "std::collections::BTreeMap<std::string::String, Vec<bool>>",
    "Option<Vec<i64>>",
];

/// Documentation of a field or type, in forms that are read as they are.
const DOCS: &[&str] = &[
    "",
    "",
    "/// A text.\n",
    "///No space.\n///\n///   More.\n",
    "/** A block. */ ",
    "/**\n * Lines.\n *\n *   With `code`.\n */\n",
    "#[doc = \" An attribute.\"] ",
    "#[doc = r#\" \"Raw\".\"#]\n",
    "#[doc = \" Esc\\u{61}ped \\\n        line.\"]\n",
    "#[doc(hidden)] ",
    "#[doc(alias = \"other\")] ",
    "#[r#doc = \" Raw name.\"] ",
    "//// Four.\n",
    "/*** Three. ***/ ",
    "/**/ /***/ ",
    "/// - A list\n///   of lines\n/// # Title\n",
    "/// ```\n/// let a = 1;\n/// ```\n",
    "/// A tab:\there. \n",
    "/** Nested /* comment */ here. */\n",
];

/// Attributes that change no type.
const ATTRIBUTES: &[&str] = &[
    "",
    "",
    "",
    "#[allow(dead_code)] ",
    "#[allow(unused, clippy::all)] ",
    "#[cfg(all())] ",
    "#[cfg(not(any()))]\n",
    "#[cfg(true)] ",
    "#[cfg_attr(any(), unknown)] ",
    "#[deprecated(note = \"a\")] ",
    "#[warn(missing_docs)] ",
];

/// Attributes of fields that change nothing.
const OF_FIELDS: &[&str] =
    &["", "#[allow(dead_code)] ", "#[deprecated(note = \"a\")] ", "#[allow(unused, clippy::all)]\n"];

/// Markers of any field, and of an optional one.
const MARKERS: &[&str] =
    &["", "", "", "", "/// +experimental\n", "/// +kubebuilder:title=\"A\"\n", "/// +optional\n", "/// +nullable\n"];

/// How the attribute is named; the import that it needs is in front of `@`.
const API: &[&str] = &[
    "@crd_channels::api",
    "@crd_channels::api",
    "@::crd_channels::api",
    "use crd_channels::api;@api",
    "use crd_channels::{api, ObjectMeta as _};@api",
    "use crd_channels::{self as channels};@channels::api",
    "use crd_channels as channels;@channels :: /* a */ api",
    "use crd_channels::api as r#foo;@foo",
    "use ::crd_channels::*;@api",
    "@crd_channels::r#api",
];

/// Conditions, and whether they are true.
const CONDITIONS: &[(&str, bool)] = &[
    ("all()", true),
    ("any()", false),
    ("not(all())", false),
    ("true", true),
    ("false", false),
    ("not(feature = \"unknown\")", true),
    ("feature = \"unknown\"", false),
    ("any(false, all(true, not(any())))", true),
];

/// Items that are rare, wrong, or close to something that is: `@` is a name of the module, `#` a new one, `%` a sibling's path, and `~` a file next to it.
const TWISTS: &[&str] = &[
    "use %::*;",
    "#[cfg(all())] use %::*;",
    "#[cfg(debug_assertions)] use %::*;",
    "use %::{self as #};",
    "use %::{};",
    "pub struct @;",
    "pub type @ = i64;",
    "pub mod @ {}",
    "pub fn @() {}",
    "use std::string::String as @;",
    "use crate as @;",
    "pub use crd_channels::Quantity as @;",
    "#[unknown] pub struct #;",
    "#[unknown::more] pub struct #;",
    "#[experimental] pub struct #;",
    "#[derive(Clone)] pub struct #;",
    "#[derive(Unknown)] pub struct #;",
    "#[test] fn #() {}",
    "#[inline] pub fn #() {}",
    "#[must_use] pub struct #;",
    "#[non_exhaustive] pub struct #;",
    "#[repr(C)] pub struct # { pub a: u8 }",
    "#[automatically_derived] impl Clone for # { fn clone(&self) -> Self { # } } pub struct #;",
    "pub struct #<T>(T);",
    "pub union # { pub a: u8, pub b: i8 }",
    "pub trait # { type One; fn two(&self) -> Self::One; }",
    "pub enum # { One, Two } pub use self::#::*;",
    "pub enum # { One, Two } use #::{One as _, Two as Deux};",
    "pub const #: u8 = { struct One; 1 };",
    "pub static #: &str = \"#[crd_channels::api]\";",
    "pub fn #() { pub struct One; type String = i64; let _: Option2 = 1; type Option2 = String; }",
    "const _: () = { mod inner { pub type One = i64; } };",
    "unsafe extern \"C\" { pub fn #(a: i32); }",
    "extern crate std as #;",
    "extern crate alloc as #;",
    "use std::collections::*;",
    "use std::prelude::v1::*;",
    "pub use crd_channels::*;",
    "#[cfg(any())] pub use missing::*;",
    "#[cfg(any())] pub type @ = bool;",
    "#[cfg(all(any(), not(all())))] mod #;",
    "#[cfg(unix)] pub type # = i64;",
    "#[cfg(target_os = \"none\")] pub type @ = i64;",
    "mod #;",
    "pub mod # { #![path = \"~\"] pub mod deep; }",
    "pub mod # { #![cfg_attr(all(), path = \"~\")] pub mod deep; }",
    "#[path = \"~\"] pub mod # { pub mod deep; }",
    "#[path = \"~.rs\"] pub mod #; pub use #::*;",
    "#[cfg_attr(all(), path = \"~.rs\")] pub mod #; pub use #::*;",
    "#[cfg_attr(any(), path = \"missing.rs\")] #[path = \"~.rs\"] pub mod #; pub use #::*;",
    "#[path = r\"./~.rs\"] #[allow(dead_code)] pub mod #;",
    "#[path = \"missing.rs\"] pub mod #;",
    "#[path = \"~.rs\"] #[path = \"missing.rs\"] pub mod #;",
    "pub mod # { #![allow(unused)] //! Docs.\n pub type One = i64; } pub use #::*;",
    "pub mod std { pub mod string { pub type String = i64; } }",
    "pub mod crd_channels {}",
    "pub mod core { pub mod primitive { pub type i32 = String; } }",
    "pub mod r#std { pub mod vec { pub type Vec<T> = Option<T>; } }",
    "use self::std2 as std; pub mod std2 { pub mod string { pub type String = bool; } }",
    "#[crd_channels::api] pub struct # { pub a: Missing }",
    "#[crd_channels::api] pub struct # { pub a: i32, pub a: bool }",
    "#[crd_channels::api] pub struct # { pub a: &'static str }",
    "#[crd_channels::api] pub struct # { #[unknown] pub a: i32 }",
    "#[crd_channels::api] pub struct # { #[cfg(any())] pub a: i32 }",
    "#[crd_channels::api] #[unknown] pub struct # { pub a: i32 }",
    "#[unknown] #[crd_channels::api] pub struct # { pub a: i32 }",
    "#[crd_channels::api] #[crd_channels::api] pub struct # { pub a: i32 }",
    "#[crd_channels::api] #[derive(Eq, PartialEq)] pub struct # { pub a: i32 }",
    "#[crd_channels::api] #[derive(Hash, Unknown)] pub struct # { pub a: i32 }",
    "#[crd_channels::api] pub enum # { One = 1, Two }",
    "#[crd_channels::api] pub struct # where i32: Copy { pub a: i32 }",
    "#[crd_channels::api] pub struct #<'a> { pub a: &'a i32 }",
    "#[cfg(any())] #[crd_channels::api] pub struct @ { pub a: i32 }",
    "#[crd_channels::api] #[cfg(any())] pub struct # { pub a: i32 }",
    "#[cfg_attr(any(), crd_channels::api)] pub struct # { pub a: i32 }",
    "#[cfg_attr(all(), crd_channels::api)] pub struct # { pub a: i32 }",
    "#[crd_channels::api] pub struct # { #[doc = concat!(\" Two\", \" parts.\")] pub a: i32 }",
    "#[cfg_attr(all(), doc = \" Conditional.\")] #[crd_channels::api] pub struct # { pub a: i32 }",
    "#[rustfmt::skip] #[crd_channels::api] pub struct # { pub a: i32 }",
    "#[crd_channels::api] pub struct # { /// +required\n pub a: Option<i32> }",
    "#[crd_channels::api(unknown)] pub struct # { pub a: i32 }",
    "#[crd_channels::api] pub struct # { pub a: i32, }; ",
    "use crd_channels::api as #; #[#] pub struct #2 { pub a: i32 }",
    "use crd_channels::{api as #, api as #2}; #[#2] pub struct #3 { pub a: One }",
    "pub use crd_channels::api as #; #[self::#] pub struct #2 { pub a: i32 }",
    "pub type #<T> = T; pub type #2 = #<i64>;",
    "pub type #<T = i32> = Option<T>; pub type #2 = #;",
    "#[allow(type_alias_bounds)] pub type #<T: Copy> = T;",
    "pub type #<const N: usize> = [i32; N];",
    "pub type # = dyn Fn(i32) -> i32;",
    "pub(in crate) type # = i64;",
    "pub(in super) type # = i64;",
    "pub(in self) type # = i64;",
    "pub(self) type # = i64;",
    "crate type # = i64;",
    ";",
    "#[allow(unused)];",
    "struct # {",
    "pub struct # { pub a: i32 } }",
    "#[allow(unused)]",
    "macro_rules! r#macro { () => {} }",
    "thread_local! { static #: u8 = 1; }",
    "std::compile_error!(\"a\");",
    "#[macro_use] pub mod # {}",
    "#[unsafe(no_mangle)] pub static #_STATIC: u8 = 1;",
    "/// Docs of nothing.",
    "//! Inner docs.",
    "#![allow(unused)]",
    "pub struct Größe;",
    "pub struct Gro\u{308}ße;",
];

/// First lines of files.
const HEADS: &[&str] = &[
    "#!/bin/run\n",
    "#!/**/[allow(unused)]\n",
    "#! // a\n[allow(unused)]\n",
    "#!  [allow(unused)]\n",
    "#!\n[allow(unused)]\n",
    "\u{feff}",
    "\u{feff}#!/bin/run\n",
    "\n#!/bin/run\n",
    "//! Docs.\n#![allow(unused)]\n",
    "/*! Docs. */ #![allow(unused)]\n",
    "#![cfg(all())]\n",
    "#![cfg(any())]\n",
    "#![cfg_attr(all(), allow(unused))]\n",
    "#![path = \"other\"]\n",
    "#![unknown]\n",
    "#![doc = \" Docs.\"]\n",
    "#![allow(unused)] // a\r\n",
    "---\na = 1\n---\n",
    "\u{c}\n",
    "\u{200e}// a\n",
];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Type,
    /// A type alias, or a generic struct, with so many parameters.
    Generic(usize),
}

/// A definition that fields can name.
#[derive(Clone)]
struct Definition {
    module: usize,
    name: String,
    kind: Kind,
    visibility: &'static str,
}

struct Module {
    parent: usize,
    /// The path from the crate.
    path: Vec<String>,
    items: String,
    visibility: &'static str,
    /// Written in the file of its parent.
    is_inline: bool,
    /// What declares it, up to its body.
    declaration: String,
    file: String,
    /// The folder of its children.
    folder: String,
    /// Names from imports.
    imports: Vec<(String, Kind)>,
    api: &'static str,
}

struct Maker {
    dice: Dice,
    modules: Vec<Module>,
    definitions: Vec<Definition>,
    count: usize,
    files: BTreeMap<String, String>,
}

/// The files of the module `uNUMBER`, relative to the package, with a root type.
#[must_use]
pub fn form(number: u64) -> BTreeMap<String, String> {
    let mut maker = Maker {
        dice: Dice::new(number.wrapping_mul(7919)),
        modules: Vec::new(),
        definitions: Vec::new(),
        count: 0,
        files: BTreeMap::new(),
    };
    let name = format!("u{number}");
    let is_folder = maker.dice.percent(20);
    maker.modules.push(Module {
        parent: 0,
        path: vec![name.clone()],
        items: String::new(),
        visibility: "pub ",
        is_inline: false,
        declaration: String::new(),
        file: if is_folder { format!("src/{name}/mod.rs") } else { format!("src/{name}.rs") },
        folder: format!("src/{name}"),
        imports: Vec::new(),
        api: "@crd_channels::api",
    });
    for _ in 0..maker.dice.below(5) {
        maker.add_module();
    }
    maker.imports_of_the_attribute();
    for _ in 0..1 + maker.dice.below(6) {
        maker.add_definition();
    }
    if maker.dice.percent(45) {
        maker.add_twist();
    }
    maker.add_root(number);
    maker.written()
}

/// The crate with these forms, as a case.
#[must_use]
pub fn text(edition: &str, forms: &[u64]) -> String {
    let mut text =
        format!("// From the grammar.\n// expect: equal\n// edition: {edition}\n//- src/lib.rs\n#![allow(warnings)]\n");
    forms.iter().for_each(|number| writeln!(text, "pub mod u{number};").unwrap());
    text.push_str("crd_channels::resources!();");
    for (path, content) in forms.iter().flat_map(|number| form(*number)) {
        write!(text, "\n//- {path}\n{}", content.strip_suffix('\n').unwrap_or(&content)).unwrap();
    }
    text
}

impl Maker {
    fn new_name(&mut self) -> String {
        self.count += 1;
        format!("N{}", self.count)
    }

    fn add_module(&mut self) {
        let parent = self.dice.below(self.modules.len());
        let name = format!("m{}", self.modules.len());
        let visibility = *self.dice.pick(&["pub ", "pub ", "pub ", "pub(crate) ", ""]);
        let attribute = *self.dice.pick(ATTRIBUTES);
        let above = &self.modules[parent];
        let path = above.path.iter().chain([&name]).cloned().collect();
        // Source refuses an attribute with a path.
        let kind = if self.dice.percent(3) { 4 } else { self.dice.below(4) };
        let folder = format!("{}/{name}", above.folder);
        // The path in an attribute is relative to the folder of a file, or to that of an inline module.
        let with_path = above.is_inline || above.file.ends_with("mod.rs");
        let (file, folder, attribute) = match kind {
            0 | 1 => (above.file.clone(), folder, attribute.to_owned()),
            2 => (format!("{folder}.rs"), folder, attribute.to_owned()),
            3 => (format!("{folder}/mod.rs"), folder, attribute.to_owned()),
            _ => {
                let base =
                    if with_path { above.folder.clone() } else { above.file.rsplit_once('/').unwrap().0.to_owned() };
                let file = format!("x_{}_{name}.rs", self.modules[0].path[0]);
                (format!("{base}/{file}"), base, format!("#[path = \"{file}\"] {attribute}"))
            }
        };
        let is_inline = kind < 2;
        let declaration = format!("{attribute}{visibility}mod {name}");
        let (items, imports, api) = (String::new(), Vec::new(), "");
        self.modules.push(Module {
            parent,
            path,
            items,
            visibility,
            is_inline,
            declaration,
            file,
            folder,
            imports,
            api,
        });
    }

    fn imports_of_the_attribute(&mut self) {
        for module in &mut self.modules {
            let (import, name) = self.dice.pick(API).split_once('@').unwrap();
            module.api = name;
            module.items.push_str(import);
            module.items.push('\n');
        }
    }

    /// A path from a module to what is in another one.
    fn path(&mut self, from: usize, to: usize) -> String {
        let (own, other) = (&self.modules[from].path, &self.modules[to].path);
        let common = own.iter().zip(other).take_while(|(one, two)| one == two).count();
        let down = |start: usize| other[start..].join("::");
        match self.dice.below(3) {
            0 => format!("crate::{}", down(0)),
            _ if common == own.len() && common == other.len() => "self".to_owned(),
            _ if common == own.len() => format!("self::{}", down(common)),
            _ => {
                let supers = vec!["super"; own.len() - common].join("::");
                if common == other.len() { supers } else { format!("{supers}::{}", down(common)) }
            }
        }
    }

    /// The name of a definition in a module: a path, or what an import gives it.
    fn named(&mut self, module: usize, definition: &Definition) -> String {
        if definition.module == module && self.dice.percent(60) {
            return definition.name.clone();
        }
        let path = self.path(module, definition.module);
        if self.dice.percent(60) {
            return format!("{path}::{}", definition.name);
        }
        let name = if self.dice.percent(80) { self.new_name() } else { (*self.dice.pick(NAMES)).to_owned() };
        let visibilities = if definition.visibility == "pub " { &["", "pub ", "pub(crate) "][..] } else { &[""] };
        let visibility = self.dice.one(visibilities);
        let import = match self.dice.below(5) {
            0 => format!("{visibility}use {path}::{{{} as {name}}};\n", definition.name),
            1 => format!(
                "#[allow(unused)] {visibility}use {{{path}::{{{} as {name}}}, std::fmt::Write as _}};\n",
                definition.name
            ),
            2 if definition.module != module => {
                self.modules[module].items.push_str(&format!("{visibility}use {path}::*;\n"));
                return definition.name.clone();
            }
            _ => format!("{visibility}use {path}::{} as {name};\n", definition.name),
        };
        self.modules[module].items.push_str(&import);
        self.modules[module].imports.push((name.clone(), definition.kind));
        name
    }

    /// Whether the compiler lets a module name something in another one. Definitions are visible in the whole crate.
    fn can_name(&self, from: usize, mut module: usize) -> bool {
        let mut is_visible = true;
        while module != 0 {
            let Module { parent, visibility, .. } = &self.modules[module];
            is_visible &= !visibility.is_empty() || self.modules[from].path.starts_with(&self.modules[*parent].path);
            module = *parent;
        }
        is_visible
    }

    fn a_type(&mut self, module: usize, depth: usize) -> String {
        let known =
            self.definitions.iter().filter(|known| self.can_name(module, known.module)).cloned().collect::<Vec<_>>();
        if self.dice.percent(35) || known.is_empty() {
            return (*self.dice.pick(TYPES)).to_owned();
        }
        let wrapped = self.dice.below(12);
        if depth == 0 && wrapped < 4 {
            let inner = self.a_type(module, 1);
            return match wrapped {
                0 => format!("Option<{inner}>"),
                1 => format!("Vec<{inner}>"),
                2 => format!("Box<({inner})>"),
                _ => format!("std::collections::BTreeMap<String, {inner}>"),
            };
        }
        if self.dice.percent(20) && !self.modules[module].imports.is_empty() {
            let (name, kind) = self.dice.pick(&self.modules[module].imports).clone();
            return self.applied(module, name, kind, depth);
        }
        let definition = self.dice.pick(&known).clone();
        let name = self.named(module, &definition);
        self.applied(module, name, definition.kind, depth)
    }

    fn applied(&mut self, module: usize, name: String, kind: Kind, depth: usize) -> String {
        let Kind::Generic(count) = kind else { return name };
        let arguments: Vec<String> =
            (0..count).map(|_| if depth > 1 { "i32".to_owned() } else { self.a_type(module, depth + 1) }).collect();
        format!("{name}<{}>", arguments.join(", "))
    }

    fn decorated(&mut self, attributes: &[&str]) -> String {
        let mut text = (*self.dice.pick(DOCS)).to_owned();
        if self.dice.percent(30) {
            text.push_str(self.dice.one(attributes));
        }
        text
    }

    fn fields(&mut self, module: usize, count: usize, visibility: &str) -> String {
        let mut text = String::new();
        for index in 0..count {
            text.push_str(&self.decorated(OF_FIELDS));
            let kind = self.a_type(module, 0);
            let markers = if kind.starts_with("Option") { MARKERS } else { &MARKERS[..6] };
            text.push_str(self.dice.one(markers));
            if self.dice.percent(12) {
                let rare = self.dice.percent(25);
                let serde = match rare {
                    false => [
                        format!("rename = \"re-named-{index}\""),
                        format!("alias = \"old{index}\""),
                        format!("rename = r#\"Raw{index}\"#"),
                    ],
                    true => ["default", "flatten", "skip"].map(str::to_owned),
                };
                text.push_str(&format!("#[serde({})] ", self.dice.pick(&serde)));
            }
            let name = match self.dice.below(8) {
                0 => "r#type".to_owned(),
                1 => format!("_field_{index}"),
                2 => format!("r#field{index}"),
                _ => format!("field_{index}"),
            };
            text.push_str(&format!("{visibility}{name}: {kind},\n"));
        }
        text
    }

    fn api(&mut self, module: usize, arguments: &str) -> String {
        let name = self.modules[module].api;
        match self.dice.below(6) {
            0 => format!("#[{name}{arguments}] // A comment.\n"),
            1 => format!("# [ {name} {arguments} ]\n"),
            _ => format!("#[{name}{arguments}]\n"),
        }
    }

    fn add_definition(&mut self) {
        let module = self.dice.below(self.modules.len());
        let fresh = self.new_name();
        let taken: Vec<String> = self
            .definitions
            .iter()
            .filter(|known| known.module == module)
            .map(|known| known.name.replace("r#", ""))
            .collect();
        if self.dice.percent(8) {
            self.add_hiding(module, &taken);
            return;
        }
        let name = self.dice.pick(NAMES);
        let name = if taken.iter().any(|known| *known == name.replace("r#", "")) { fresh } else { (*name).to_owned() };
        let visibility = *self.dice.pick(&["pub ", "pub ", "pub ", "pub(crate) "]);
        let (text, kind) = self.definition(module, &name, visibility);
        let is_generic_struct = text.contains("instances(");
        // A twin whose condition is false, or one in front of a condition that is true.
        let (condition, is_true) = *self.dice.pick(CONDITIONS);
        let twin = format!("{visibility}type {name} = i64;\n");
        let text = match self.dice.below(8) {
            0 if is_true => format!("#[cfg({condition})] {text}#[cfg(not({condition}))] {twin}"),
            0 => format!("#[cfg({condition})] {twin}#[cfg(not({condition}))] {text}"),
            _ => text,
        };
        self.modules[module].items.push_str(&text);
        let name = if is_generic_struct { format!("{}Same", name.replace("r#", "")) } else { name };
        self.definitions.push(Definition { module, name, kind, visibility });
    }

    fn definition(&mut self, module: usize, name: &str, visibility: &str) -> (String, Kind) {
        let docs = self.decorated(ATTRIBUTES);
        let text = match self.dice.below(9) {
            0 | 1 => format!("{docs}{visibility}type {name} = {};\n", self.a_type(module, 0)),
            2 => {
                let bodies = ["Option<T>", "Vec<T>", "std::collections::BTreeMap<String, T>", "T", "Vec<Option<T>>"];
                let body = *self.dice.pick(&bodies);
                return (format!("{visibility}type {name}<T> = {body};\n"), Kind::Generic(1));
            }
            3 => {
                let api = self.api(module, "");
                format!("{docs}{api}{visibility}struct {name}({visibility}{});\n", self.a_type(module, 0))
            }
            4 => self.an_enum(module, &docs, &format!("{visibility}enum {name}")),
            5 => {
                let argument = self.a_type(module, 1);
                let api = self.api(module, &format!("(instances({name}OfOne = {name}<{argument}>))"));
                let name = name.replace("r#", "");
                let alias = format!("{visibility}type {name}Same = {name}<{argument}>;\n");
                format!(
                    "{docs}{api}{visibility}struct {name}<T> {{ {visibility}a: T, pub b: Option<Vec<T>> }}\n{alias}"
                )
            }
            _ => {
                let (api, count) = (self.api(module, ""), self.dice.below(4));
                let cases =
                    ["", "", "#[serde(rename_all = \"kebab-case\")] ", "#[serde(rename_all = \"PascalCase\")]\n"];
                let case = *self.dice.pick(&cases);
                let fields = self.fields(module, count, visibility);
                format!("{docs}{api}{case}{visibility}struct {name} {{\n{fields}}}\n")
            }
        };
        (text, Kind::Type)
    }

    /// An alias with a name that all modules know.
    fn add_hiding(&mut self, module: usize, taken: &[String]) {
        let name = *self.dice.pick(HIDING);
        if taken.iter().any(|known| known == name) {
            return;
        }
        let (parameters, body, kind) = match name {
            "Vec" | "Option" | "Box" => {
                let bodies = ["std::vec::Vec<T>", "std::option::Option<T>", "std::boxed::Box<T>", "T"];
                ("<T>", *self.dice.pick(&bodies), Kind::Generic(1))
            }
            _ => ("", *self.dice.pick(&["i64", "std::string::String", "f64", "crd_channels::Quantity"]), Kind::Type),
        };
        self.modules[module]
            .items
            .push_str(&format!("#[allow(non_camel_case_types)] pub type {name}{parameters} = {body};\n"));
        self.definitions.push(Definition { module, name: name.to_owned(), kind, visibility: "pub " });
    }

    fn an_enum(&mut self, module: usize, docs: &str, head: &str) -> String {
        let arguments = *self.dice.pick(&["", "", "(open)"]);
        let api = self.api(module, arguments);
        let mut text = format!("{docs}{api}{head} {{\n");
        let is_union = self.dice.percent(40) && !api.contains("open");
        for variant in ["One", "Two", "r#Six"].iter().take(1 + self.dice.below(3)) {
            text.push_str(&self.decorated(OF_FIELDS));
            let kind = self.a_type(module, 1);
            match self.dice.below(3) {
                _ if !is_union => text.push_str(variant),
                0 => text.push_str(&format!("{variant} {{ a: {kind} }}")),
                _ => text.push_str(&format!("{variant}({kind})")),
            }
            text.push_str(",\n");
        }
        text + "}\n"
    }

    fn add_twist(&mut self) {
        let module = self.dice.below(self.modules.len());
        if self.dice.percent(20) {
            let head = *self.dice.pick(HEADS);
            if !self.modules[module].is_inline || head.starts_with("#![") || head.starts_with("//!") {
                self.modules[module].items.insert_str(0, head);
            }
            return;
        }
        let twist = *self.dice.pick(TWISTS);
        let own = self.definitions.iter().filter(|known| known.module == module).map(|known| known.name.clone());
        let own: Vec<String> = own.collect();
        let known = self.dice.any(&own).cloned().unwrap_or_else(|| "One".to_owned());
        // A module cannot import itself, and no private one.
        let others = (0..self.modules.len())
            .filter(|other| *other != module && self.can_name(module, *other))
            .collect::<Vec<_>>();
        let Some(other) = self.dice.any(&others).copied() else { return };
        let path = self.path(module, other);
        let file = format!("t_{}", self.modules[0].path[0]);
        let text = twist.replace('@', &known).replace('%', &path).replace('~', &file);
        let mut text = text.replace("#3", "T3").replace("#2", "T2");
        // A name is a `#` that begins neither an attribute nor a raw string.
        for (before, after) in [
            ("# ", "T1 "),
            ("#;", "T1;"),
            ("#:", "T1:"),
            ("#(", "T1("),
            ("#<", "T1<"),
            ("#_", "T1_"),
            ("#,", "T1,"),
            ("#}", "T1}"),
            ("#]", "T1]"),
        ] {
            text = text.replace(before, after);
        }
        self.modules[module].items.push_str(&text);
        self.modules[module].items.push('\n');
        let home = &self.modules[module];
        let base = if home.is_inline { home.folder.clone() } else { home.file.rsplit_once('/').unwrap().0.to_owned() };
        let content = "pub type One = i64;\npub type Text = bool;\n".to_owned();
        if twist.contains("~.rs") {
            self.files.insert(format!("{base}/{file}.rs"), content);
        } else if twist.contains('~') {
            self.files.insert(format!("{base}/{file}/deep.rs"), content.clone());
            self.files.insert(format!("{}/{file}/deep.rs", self.modules[module].folder), content.clone());
            self.files.insert(format!("{}/T1/deep.rs", self.modules[module].folder), content);
        }
    }

    fn add_root(&mut self, number: u64) {
        let mut fields = String::new();
        for (index, definition) in self.definitions.clone().iter().enumerate() {
            if !self.can_name(0, definition.module) {
                continue;
            }
            let name = self.named(0, definition);
            let kind = self.applied(0, name, definition.kind, 1);
            fields.push_str(&format!("pub of_{index}: {kind},\n"));
        }
        let extra = self.dice.below(3);
        fields.push_str(&self.fields(0, extra, "pub "));
        let docs = *self.dice.pick(&[
            "",
            "/// A lamp.\n",
            "/** A lamp. */\n",
            "/// A lamp.\n///\n/// +kubebuilder:subresource:status\n",
        ]);
        let spec = self.api(0, "");
        let root = self.api(0, &format!("(group = \"lamps.example.com\", version = \"v1\", kind = \"Lamp{number}\")"));
        let status = if docs.contains("status") { "pub status: Option<RootSpec>," } else { "" };
        self.modules[0].items.push_str(&format!(
            "{spec}pub struct RootSpec {{\n{fields}}}\n{docs}{root}pub struct Lamp {{ pub metadata: ::crd_channels::ObjectMeta, pub spec: RootSpec, {status} }}\n"
        ));
    }

    /// The files, with each module in its own or in that of its parent.
    fn written(mut self) -> BTreeMap<String, String> {
        // A module is behind its parent.
        for index in (1..self.modules.len()).rev() {
            let items = std::mem::take(&mut self.modules[index].items);
            let Module { parent, is_inline, declaration, file, .. } = &self.modules[index];
            let parent = *parent;
            let declared =
                if *is_inline { format!("{declaration} {{\n{items}}}\n") } else { format!("{declaration};\n") };
            if !is_inline {
                self.files.insert(file.clone(), items);
            }
            self.modules[parent].items.push_str(&declared);
        }
        let root = &self.modules[0];
        self.files.insert(root.file.clone(), root.items.clone());
        self.files
    }
}
