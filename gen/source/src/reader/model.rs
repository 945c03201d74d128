//! Modules, and the names that their items define.
//!
//! Invariants: an item that features exclude is not in the model; one that may or may not exist has a doubt.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crd_syntax::ast::plain;
use crd_syntax::tree::{self, Kind, Unread};
use proc_macro2::{Delimiter, Ident, Span, TokenTree};

use crate::reader::conditional::{Seen, configured, split, trees};
use crate::reader::manifest::{Crate, Extern};

/// Something that the reader does not understand, and its place.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Relative to the root.
    pub file: Rc<Path>,
    /// Its place in the file.
    pub span: Span,
    pub message: String,
    /// Whether the compiler refuses it too.
    pub is_wrong: bool,
}

/// A module of a crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleId(pub(crate) usize);

/// An item of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemId(pub(crate) usize);

/// Where a name can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    Public,
    /// In a module and below it.
    Within(ModuleId),
}

pub(crate) struct Module {
    pub(crate) krate: usize,
    pub(crate) parent: Option<ModuleId>,
    pub(crate) item: Option<ItemId>,
    pub(crate) file: Rc<Path>,
    /// The text of the file.
    pub(crate) source: Rc<str>,
    pub(crate) names: HashMap<String, Vec<Binding>>,
    pub(crate) globs: Vec<(Import, Visibility, ItemId)>,
    /// Something in it that may define any name.
    pub(crate) blind: Option<Refusal>,
    /// Whether it may not exist.
    pub(crate) doubt: Option<Refusal>,
    /// Attributes at the beginning of the module.
    pub(crate) seen: Vec<Seen>,
}

/// A definition of a name.
pub(crate) struct Binding {
    pub(crate) what: What,
    pub(crate) visibility: Visibility,
    pub(crate) item: ItemId,
}

pub(crate) enum What {
    Module(ModuleId),
    Item,
    /// The alias of an instance of a generic type.
    Instance(usize),
    Import(Import),
}

/// A path of `use` or `extern crate`.
#[derive(Clone)]
pub(crate) struct Import {
    /// With an empty part before `::`.
    pub(crate) path: Vec<String>,
    /// Whether it imports types and modules only.
    pub(crate) is_type: bool,
    /// Whether it is `extern crate`.
    pub(crate) is_extern: bool,
}

pub(crate) struct Item {
    pub(crate) module: ModuleId,
    pub(crate) visibility: Visibility,
    pub(crate) tree: tree::Item,
    pub(crate) seen: Vec<Seen>,
    pub(crate) doubt: Option<Refusal>,
    /// Which of its attributes is `#[api]`.
    pub(crate) api: Option<usize>,
    /// The paths of `instances(…)`.
    pub(crate) instances: Vec<syn::Path>,
}

impl Item {
    /// The place of its name, or of its first token.
    pub(crate) fn span(&self) -> Span {
        let first = || self.tree.body.first().map_or_else(Span::call_site, TokenTree::span);
        self.tree.name.as_ref().map_or_else(first, Ident::span)
    }

    /// Whether `<` follows its name.
    pub(crate) fn is_generic(&self) -> bool {
        let mut tokens = self
            .tree
            .body
            .iter()
            .skip_while(|token| !matches!(token, TokenTree::Ident(name) if Some(name) == self.tree.name.as_ref()));
        matches!(tokens.nth(1), Some(TokenTree::Punct(punct)) if punct.as_char() == '<')
    }
}

/// The modules of all crates. The first is the root of the crate of the types.
#[derive(Default)]
pub(crate) struct Model {
    /// The folder that places of files are relative to.
    pub(crate) root: PathBuf,
    pub(crate) modules: Vec<Module>,
    pub(crate) items: Vec<Item>,
    pub(crate) crates: Vec<CrateModel>,
}

pub(crate) struct CrateModel {
    pub(crate) name: String,
    pub(crate) root: ModuleId,
    pub(crate) externs: HashMap<String, Extern>,
    /// The arms of `macro_rules!` by name.
    pub(crate) macros: HashMap<String, Vec<ItemId>>,
    /// `#[macro_use] extern crate`.
    pub(crate) macro_use: Option<Refusal>,
    pub(crate) features: Rc<BTreeSet<String>>,
}

impl Model {
    /// The path of a file in messages.
    pub(crate) fn shown(&self, file: &Path) -> Rc<Path> {
        file.strip_prefix(&self.root).unwrap_or(file).into()
    }

    /// Adds a crate. Files that cannot be read are added to `unread`.
    pub(crate) fn add(&mut self, krate: Crate, tree: tree::Module, unread: &mut Vec<Unread>) {
        let index = self.crates.len();
        self.crates.push(CrateModel {
            name: krate.name,
            root: ModuleId(self.modules.len()),
            externs: krate.externs.into_iter().collect(),
            macros: HashMap::new(),
            macro_use: None,
            features: Rc::new(krate.features),
        });
        let (exists, seen) = configured(&tree.attributes, &self.crates[index].features);
        let mut builder = Builder { model: self, krate: index, unread };
        let module = builder.module(tree, None, seen);
        if exists != Some(true) {
            let message = "whether this crate has items depends on `cfg`";
            let refusal = self.refusal(module, Span::call_site(), message);
            let module = &mut self.modules[module.0];
            module.names.clear();
            module.doubt = Some(refusal);
        }
    }

    pub(crate) fn crate_of(&self, module: ModuleId) -> &CrateModel {
        &self.crates[self.modules[module.0].krate]
    }

    pub(crate) fn refusal(&self, module: ModuleId, span: Span, message: impl Into<String>) -> Refusal {
        Refusal { file: self.modules[module.0].file.clone(), span, message: message.into(), is_wrong: false }
    }

    /// The same for what the compiler refuses too.
    pub(crate) fn fault(&self, module: ModuleId, span: Span, message: impl Into<String>) -> Refusal {
        Refusal { is_wrong: true, ..self.refusal(module, span, message) }
    }

    /// Whether a trait of this name may be implemented by hand: the compiler accepts such types without the attribute.
    pub(crate) fn has_impl(&self, name: &str) -> bool {
        let is_name = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == name);
        self.items.iter().any(|item| item.tree.kind == Kind::Impl && item.tree.body.iter().any(is_name))
    }

    /// Whether an item and the modules around it exist without doubt.
    pub(crate) fn is_certain(&self, item: ItemId) -> bool {
        self.items[item.0].doubt.is_none() && self.is_certain_module(self.items[item.0].module)
    }

    /// Whether a module exists without doubt.
    pub(crate) fn is_certain_module(&self, module: ModuleId) -> bool {
        self.around(module)
            .map(|module| &self.modules[module.0])
            .all(|module| module.doubt.is_none() && module.item.is_none_or(|item| self.items[item.0].doubt.is_none()))
    }

    /// The modules around a module, beginning with itself.
    pub(crate) fn around(&self, module: ModuleId) -> impl Iterator<Item = ModuleId> {
        std::iter::successors(Some(module), |module| self.modules[module.0].parent)
    }

    /// The path of a module, as `module_path!()` writes it.
    pub(crate) fn path_of(&self, module: ModuleId) -> String {
        let name = |module: ModuleId| {
            let item = self.modules[module.0].item.and_then(|item| self.items[item.0].tree.name.as_ref());
            item.map_or_else(|| self.crate_of(module).name.clone(), plain)
        };
        let mut names: Vec<String> = self.around(module).map(name).collect();
        names.reverse();
        names.join("::")
    }

    /// Items of one name in one namespace, which the compiler rejects.
    pub(crate) fn duplicates(&self) -> Vec<Refusal> {
        let (mut seen, mut found) = (HashSet::new(), Vec::new());
        let twice = |module: ModuleId, item: &Item, name: &str| {
            self.refusal(module, item.span(), format!("the name `{name}` is defined twice in this module"))
        };
        for (index, module) in self.modules.iter().enumerate() {
            for (name, bindings) in &module.names {
                let mut types = bindings.iter().filter(|binding| !matches!(binding.what, What::Import(_)));
                let mut items =
                    types.by_ref().map(|binding| &self.items[binding.item.0]).filter(|item| item.doubt.is_none());
                if let (Some(_), Some(item)) = (items.next(), items.next()) {
                    found.push(twice(ModuleId(index), item, name));
                }
            }
        }
        for item in self.items.iter().filter(|item| item.doubt.is_none()) {
            let Some(name) = item.tree.name.as_ref().map(plain).filter(|name| name != "_") else { continue };
            if item.tree.is_value() && !seen.insert((item.module, name.clone())) {
                found.push(twice(item.module, item, &name));
            }
        }
        found
    }

    fn visibility(&self, module: ModuleId, item: &tree::Item) -> Visibility {
        let Some((_, scope)) = &item.visibility else { return Visibility::Within(module) };
        let Some(scope) = scope else { return Visibility::Public };
        let words = trees(scope.stream()).into_iter().filter_map(|token| match token {
            TokenTree::Ident(word) if word != "in" => Some(word.to_string()),
            _ => None,
        });
        let around: Vec<ModuleId> = self.around(module).collect();
        // Counted from the module outwards. The scope is always one of the modules around.
        let mut depth = 0;
        for word in words {
            match word.as_str() {
                "crate" => depth = around.len() - 1,
                "self" => {}
                "super" => depth += 1,
                _ => depth = depth.saturating_sub(1),
            }
        }
        Visibility::Within(around[depth.min(around.len() - 1)])
    }
}

struct Builder<'m> {
    model: &'m mut Model,
    krate: usize,
    unread: &'m mut Vec<Unread>,
}

impl Builder<'_> {
    fn module(&mut self, tree: tree::Module, item: Option<ItemId>, seen: Vec<Seen>) -> ModuleId {
        let parent = item.map(|item| self.model.items[item.0].module);
        let id = ModuleId(self.model.modules.len());
        let file = self.model.shown(&tree.file);
        let krate = self.krate;
        let (names, globs, source) = (HashMap::new(), Vec::new(), tree.source);
        self.model.modules.push(Module {
            krate,
            parent,
            item,
            file,
            source,
            names,
            globs,
            blind: None,
            doubt: None,
            seen,
        });
        for item in tree.items {
            self.item(id, item);
        }
        id
    }

    fn item(&mut self, module: ModuleId, mut tree: tree::Item) {
        let below = tree.module.take();
        let features = self.model.crates[self.krate].features.clone();
        let (mut exists, seen) = configured(&tree.attributes, &features);
        let inner = match &below {
            Some(Ok(below)) => {
                let (exists_inside, inner) = configured(&below.attributes, &features);
                exists = exists.and_then(|exists| if exists { exists_inside } else { Some(false) });
                inner
            }
            _ => Vec::new(),
        };
        if exists == Some(false) {
            // `resources!` reads the files of all modules.
            if let (Some(Err(unread)), 0) = (below, self.krate) {
                self.unread.push(unread);
            }
            return;
        }
        let visibility = self.model.visibility(module, &tree);
        let mut item = Item { module, visibility, tree, seen, doubt: None, api: None, instances: Vec::new() };
        let doubt = if exists.is_none() {
            Some("whether this item exists depends on `cfg`")
        } else if item.tree.kind == Kind::Module && item.seen.iter().chain(&inner).any(|seen| seen.is("path")) {
            Some("`#[path]` names the file of this module")
        } else {
            None
        };
        item.doubt = doubt.map(|message| self.model.refusal(module, item.span(), message));
        let below = match below {
            Some(Err(unread)) => {
                if item.doubt.is_none() || self.krate == 0 {
                    self.unread.push(unread);
                }
                None
            }
            // With `#[path]`, it is the wrong file.
            below => below.and_then(Result::ok).filter(|_| item.doubt.is_none() || exists.is_none()),
        };
        self.bind(item, below, inner);
    }

    /// Adds an item and the names that it defines.
    fn bind(&mut self, item: Item, below: Option<tree::Module>, inner: Vec<Seen>) {
        let id = ItemId(self.model.items.len());
        let (module, visibility, kind) = (item.module, item.visibility, item.tree.kind);
        let name = item.tree.name.as_ref().map(plain).unwrap_or_default();
        let mut names = Vec::new();
        let krate = &mut self.model.crates[self.krate];
        match kind {
            Kind::Use => {
                let mut globs = Vec::new();
                use_tree(&item.tree.body[1..], &[], &mut names, &mut globs);
                let globs = globs.into_iter().map(|glob| (glob, visibility, id));
                self.model.modules[module.0].globs.extend(globs);
            }
            Kind::ExternCrate => {
                names.extend(extern_crate(&item.tree.body));
                if item.seen.iter().any(|seen| seen.is("macro_use")) {
                    let file = self.model.modules[module.0].file.clone();
                    let message = "the macros of this crate are unknown".to_owned();
                    krate.macro_use = Some(Refusal { file, span: item.span(), message, is_wrong: false });
                }
            }
            Kind::MacroRules => krate.macros.entry(name.clone()).or_default().push(id),
            _ => {}
        }
        self.model.items.push(item);
        let mut names: Vec<(String, What)> =
            names.into_iter().map(|(name, import)| (name, What::Import(import))).collect();
        if let Some(below) = below {
            names.push((name, What::Module(self.module(below, Some(id), inner))));
        } else if let Kind::Module | Kind::Struct | Kind::Enum | Kind::Union | Kind::Alias | Kind::Trait = kind {
            names.push((name, What::Item));
        }
        for (name, what) in names {
            let bindings = self.model.modules[module.0].names.entry(name).or_default();
            bindings.push(Binding { what, visibility, item: id });
        }
    }
}

/// Takes a tree such as `a::{b as c, d::*}` apart.
fn use_tree(tokens: &[TokenTree], prefix: &[String], names: &mut Vec<(String, Import)>, globs: &mut Vec<Import>) {
    let import = |path: Vec<String>, is_type| Import { path, is_type, is_extern: false };
    let mut path = prefix.to_vec();
    let mut tokens = tokens.iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ':' => {
                if path.is_empty() {
                    path.push(String::new());
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '*' => globs.push(import(path.clone(), true)),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                for part in split(&trees(group.stream())) {
                    use_tree(&part, &path, names, globs);
                }
            }
            TokenTree::Ident(part) => {
                let is_self = part == "self" && !path.is_empty();
                if !is_self {
                    path.push(plain(part));
                }
                match tokens.peek() {
                    Some(TokenTree::Punct(punct)) if punct.as_char() == ':' => continue,
                    Some(TokenTree::Ident(_)) => {
                        if let Some(TokenTree::Ident(name)) = tokens.nth(1) {
                            names.push((plain(name), import(path.clone(), is_self)));
                        }
                    }
                    _ => names.push((path.last().cloned().unwrap_or_default(), import(path.clone(), is_self))),
                }
                return;
            }
            _ => return,
        }
    }
}

/// `extern crate a as b;`
fn extern_crate(tokens: &[TokenTree]) -> Option<(String, Import)> {
    let words: Vec<String> = tokens
        .iter()
        .filter_map(|token| match token {
            TokenTree::Ident(word) => Some(plain(word)),
            _ => None,
        })
        .collect();
    let krate = words.get(2)?.clone();
    let name = words.get(4).unwrap_or(&krate).clone();
    Some((name, Import { path: vec![krate], is_type: true, is_extern: true }))
}

/// The names that an import defines.
#[cfg(test)]
pub(crate) fn imported(item: &tree::Item) -> Vec<String> {
    let mut names = Vec::new();
    if item.kind == Kind::Use {
        use_tree(&item.body[1..], &[], &mut names, &mut Vec::new());
    }
    names.into_iter().map(|(name, _)| name).collect()
}
