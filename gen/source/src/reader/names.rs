//! The crates with the types, and what the names in them mean.
//!
//! Invariants: root types are those that `resources!` finds; the order of items is that of the sources.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use crd_diagnostics::{Diagnostic, fail_on};
use crd_markers::comments::{behind_comments, in_plain_comments};
use crd_syntax::tree::{self, Kind, Root, Unread, roots};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Type;

use crate::reader::expansion::{called, expand};
use crate::reader::lookup::{ALL_STEPS, Names, Namespace, Target, Usage};
use crate::reader::manifest::{ANY_FEATURE, graph, normal};
use crate::reader::model::Model;
pub use crate::reader::model::{ItemId, ModuleId, Refusal};
use crate::reader::types::Scope;
pub use crate::reader::types::Ty;
use crate::reader::{CODE, Files, HELP};

/// The crate of the types, and the crates of path dependencies that have types.
pub struct Crates {
    names: Names,
    roots: Vec<ItemId>,
    wrong: Vec<Refusal>,
    name: String,
    unlocked: BTreeSet<String>,
    channels: BTreeSet<String>,
}

/// A type with `#[api]`.
pub struct Api<'a> {
    pub module: ModuleId,
    /// Relative to the root.
    pub file: &'a Path,
    pub name: &'a Ident,
    /// The arguments of `#[api(…)]`.
    pub arguments: TokenStream,
    /// The item without `#[api]`, as the macro sees it.
    pub tokens: TokenStream,
}

impl Crates {
    /// Reads the crate in the folder `types` with the features that the package in the folder `xtask` asks for. Files have places relative to `root`.
    ///
    /// # Errors
    /// All manifests and source files that cannot be read, and root types that are not certain.
    pub fn load(types: &Path, xtask: Option<&Path>, root: &Path, files: Files<'_>) -> Result<Crates, Vec<Diagnostic>> {
        let graph = graph(types, xtask, files)?;
        let mut model = Model { root: normal(root), ..Model::default() };
        let (mut errors, mut unread, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for krate in graph.crates {
            let mut read = |path: &Path| {
                files(path).map_err(|diagnostic| {
                    let message = diagnostic.message.clone();
                    errors.push(diagnostic);
                    message
                })
            };
            match tree::read(&krate.file, &mut read) {
                Ok(tree) => {
                    if model.crates.is_empty() {
                        found = roots(&tree);
                    }
                    model.add(krate, tree, &mut unread);
                }
                Err(reason) => unread.push(reason),
            }
        }
        // A file that the caller cannot read has been reported.
        let is_new = |unread: &Unread| errors.iter().all(|error| error.message != unread.message);
        let unread: Vec<Diagnostic> = unread.into_iter().filter(is_new).map(|unread| of_file(unread, &model)).collect();
        errors.extend(unread);
        fail_on(errors)?;
        let mut names = Names::new(model);
        let mut wrong = expand(&mut names);
        wrong.extend(names.model.duplicates());
        wrong.sort_by_key(|refusal| (refusal.file.clone(), refusal.span.start()));
        let (name, unlocked, channels) = (graph.name, graph.unlocked, graph.channels);
        let mut crates = Crates { names, roots: Vec::new(), wrong, name, unlocked, channels };
        let wrong = || crates.wrong.iter().map(Refusal::diagnostic);
        crates.roots = crates.find_roots(&found).map_err(|errors| wrong().chain(errors).collect::<Vec<_>>())?;
        Ok(crates)
    }

    /// What `resources!` lists.
    fn find_roots(&self, roots: &[Root]) -> Result<Vec<ItemId>, Vec<Diagnostic>> {
        let root = ModuleId(0);
        if !self.calls("resources").any(|item| self.names.model.items[item.0].module == root) {
            let message = "the root file of the crate does not call `crd_channels::resources!()`";
            return Err(vec![self.names.model.refusal(root, Span::call_site(), message).diagnostic()]);
        }
        let (mut found, mut errors) = (Vec::new(), Vec::new());
        for Root { path, file } in roots {
            let span = path.last().map_or_else(Span::call_site, Ident::span);
            let parts = [Ident::new("crate", span)].into_iter().chain(path.iter().cloned());
            let refusal = |message| Refusal { file: self.names.model.shown(file), span, message, is_wrong: false };
            let kind = syn::Path { leading_colon: None, segments: parts.map(syn::PathSegment::from).collect() };
            match self.names.ty_of_path(&Scope::new(root, None), &kind) {
                Ok(Ty::Api(item)) => found.push(item),
                Ok(_) => errors.push(refusal("this root type is not a type with `#[api]`".to_owned()).diagnostic()),
                // About its path: the place of the type.
                Err(found) if found.span.start() == span.start() => errors.push(refusal(found.message).diagnostic()),
                Err(found) => errors.push(found.diagnostic()),
            }
        }
        fail_on(errors)?;
        Ok(found)
    }

    /// What the compiler rejects, and why names may be missing.
    pub fn refusals(&self) -> impl Iterator<Item = Refusal> {
        let message = "the imports and the aliases of these crates are too many";
        let is_over = self.names.all_steps.get() > ALL_STEPS;
        let exhaustion = is_over.then(|| self.names.model.refusal(ModuleId(0), Span::call_site(), message));
        self.wrong.iter().cloned().chain(exhaustion)
    }

    /// The names of crates that are not read, and that no lock file fixes.
    pub fn unlocked(&self) -> impl Iterator<Item = String> {
        self.unlocked.iter().cloned()
    }

    /// The features of each crate, which expressions can ask for, and of crd-channels.
    pub fn features(&self) -> impl Iterator<Item = String> {
        let crates = self.names.model.crates.iter().map(|krate| &*krate.features);
        let list = |features: &BTreeSet<String>| features.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        crates.chain([&self.channels]).map(list)
    }

    /// Whether a crate has a build script.
    pub fn have_build_scripts(&self) -> bool {
        self.names.model.crates.iter().any(|krate| krate.features.contains(ANY_FEATURE))
    }

    /// What other crates call the crate of the types.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The types that `resources!` lists, in its order.
    pub fn roots(&self) -> &[ItemId] {
        &self.roots
    }

    /// Every type with `#[api]` that exists for certain.
    pub fn api_items(&self) -> impl Iterator<Item = ItemId> {
        let model = &self.names.model;
        let certain = |id: &ItemId| model.items[id.0].api.is_some() && model.is_certain(*id);
        (0..model.items.len()).map(ItemId).filter(certain)
    }

    /// What the macro sees of a type with `#[api]`.
    pub fn api(&self, id: ItemId) -> Option<Api<'_>> {
        let item = &self.names.model.items[id.0];
        let api = item.api?;
        let mut tokens = TokenStream::new();
        for (_, seen) in item.seen.iter().enumerate().filter(|(index, seen)| *index != api && seen.is_certain) {
            seen.attribute.to_tokens(&mut tokens);
        }
        add_body(&item.tree, &mut tokens);
        Some(Api {
            module: item.module,
            file: &self.names.model.modules[item.module.0].file,
            name: item.tree.name.as_ref()?,
            arguments: item.seen[api].arguments(),
            tokens,
        })
    }

    /// Markers in plain comments in a type with `#[api]`, between it and the item above it, and behind it on its last line: lines, columns and messages.
    pub fn commented_markers(&self, id: ItemId) -> Vec<(usize, usize, String)> {
        let item = &self.names.model.items[id.0];
        let source = &*self.names.model.modules[item.module.0].source;
        let start = item.tree.before.map_or(0, |before| before.byte_range().end);
        let end = item.tree.body.last().map_or(start, |last| last.span().byte_range().end);
        let Some(text) = source.get(start..behind_comments(source, end)) else { return Vec::new() };
        let found = in_plain_comments(text).into_iter().map(|found| {
            let before = &source[..start + found.range.start];
            let line = before.rsplit('\n').next().unwrap_or_default();
            (before.matches('\n').count() + 1, line.chars().count() + 1, found.message(text))
        });
        found.collect()
    }

    /// The type that is written in a module. `owner` is what `Self` means.
    ///
    /// # Errors
    /// The type is not one that a schema can have, or is not certain.
    pub fn resolve(&self, module: ModuleId, kind: &Type, owner: Option<&Ty>) -> Result<Ty, Refusal> {
        self.names.ty(&Scope::new(module, owner), kind)
    }

    /// The path of a module, as `module_path!()` writes it.
    pub fn path_of(&self, module: ModuleId) -> String {
        self.names.model.path_of(module)
    }

    /// Every public name of a scalar, or of a type with `#[api]` outside its own module: the module, the name, and the type. A name that is not certain is not
    /// one of them.
    pub fn exports(&self) -> Vec<(ModuleId, String, Ty)> {
        let mut exports = Vec::new();
        for module in (0..self.names.model.modules.len()).map(ModuleId) {
            for name in self.names.public(module) {
                // Not `_`.
                let Ok(path) = syn::parse_str::<syn::Path>(&format!("r#{name}")) else { continue };
                match self.names.ty_of_path(&Scope::new(module, None), &path) {
                    Ok(Ty::Api(id) | Ty::Instance(id, _)) if self.names.model.items[id.0].module == module => {}
                    Ok(Ty::Option(_) | Ty::Boxed(_) | Ty::List(_) | Ty::Map(..) | Ty::Base(_)) => {}
                    Ok(found) => exports.push((module, name, found)),
                    Err(_) => {}
                }
            }
        }
        exports
    }

    /// Every public name of a module that calls `conditions!` outside the module around it: the module with the name, and the module with the
    /// call.
    pub fn exported_conditions(&self) -> Vec<(ModuleId, ModuleId)> {
        let model = &self.names.model;
        let of_calls: HashSet<ModuleId> = self.conditions().map(|(module, _)| module).collect();
        let mut exports = Vec::new();
        for module in (0..model.modules.len()).map(ModuleId) {
            for name in self.names.public(module) {
                let found = self.names.path(module, &[name], Namespace::Type, Usage::Late).ok().flatten();
                if let Some(Target::Module(target)) = found.map(|found| found.target)
                    && of_calls.contains(&target)
                    && model.modules[target.0].parent != Some(module)
                {
                    exports.push((module, target));
                }
            }
        }
        exports
    }

    /// Every call of `conditions!`, with its arguments.
    pub fn conditions(&self) -> impl Iterator<Item = (ModuleId, TokenStream)> {
        self.calls("conditions").map(|id| {
            let item = &self.names.model.items[id.0];
            let arguments = item.tree.body.iter().find_map(|token| match token {
                TokenTree::Group(group) => Some(group.stream()),
                _ => None,
            });
            (item.module, arguments.unwrap_or_default())
        })
    }

    fn calls(&self, name: &'static str) -> impl Iterator<Item = ItemId> {
        let items = (0..self.names.model.items.len()).map(ItemId);
        items.filter(move |id| {
            self.names.model.is_certain(*id) && called(&self.names, *id).is_some_and(|called| called == name)
        })
    }

    /// Every item that may exist.
    pub fn all_items(&self) -> impl Iterator<Item = TokenStream> {
        self.names.model.items.iter().map(|item| {
            let mut tokens = TokenStream::new();
            item.tree.attributes.iter().for_each(|attribute| attribute.to_tokens(&mut tokens));
            add_body(&item.tree, &mut tokens);
            tokens
        })
    }
}

/// The visibility and the body of an item.
fn add_body(item: &tree::Item, tokens: &mut TokenStream) {
    if let Some((word, scope)) = &item.visibility {
        word.to_tokens(tokens);
        scope.to_tokens(tokens);
    }
    // The items of a module are items of their own.
    let is_module = item.kind == Kind::Module;
    tokens.extend(item.body.iter().filter(|token| !is_module || !matches!(token, TokenTree::Group(_))).cloned());
}

fn of_file(unread: Unread, model: &Model) -> Diagnostic {
    let file = &*model.shown(&unread.file);
    let error = Diagnostic::error(CODE, unread.message);
    match unread.at {
        Some(at) => error.at_position(file, at.line, at.column + 1),
        None => error.at_file(file),
    }
}

impl Refusal {
    /// The message with its place.
    pub fn diagnostic(&self) -> Diagnostic {
        let start = self.span.start();
        let error = Diagnostic::error(CODE, self.message.clone());
        let error = if self.is_wrong { error } else { error.help(HELP) };
        error.at_position(&*self.file, start.line, start.column + 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use super::*;

    const MANIFEST: &str = "[package]\nname = 't'\nedition = '2024'\n[features]\ndefault = ['on']\non = []\noff = []\n[dependencies]\n\
        crd-channels = '1'\nserde = '1'\nother = '1'\nours = { path = '../ours' }\n";
    const OURS: &str = "[package]\nname = 'ours'\nedition = '2021'\n[dependencies]\nchannels = { package = 'crd-channels', version = '1' }\n";

    /// Reads files that follow lines such as `//- v1.rs`, below `/r/types/src`, or `/r` if they begin with a slash.
    fn load(text: &str) -> Result<Crates, Vec<Diagnostic>> {
        let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
        files.insert("/r/types/Cargo.toml".into(), MANIFEST.to_owned());
        files.insert("/r/ours/Cargo.toml".into(), OURS.to_owned());
        files.insert("/r/ours/src/lib.rs".into(), String::new());
        for part in format!("//- lib.rs\n{text}").split("//- ").skip(1) {
            let (name, source) = part.split_once('\n').unwrap();
            let path =
                name.strip_prefix('/').map_or_else(|| format!("/r/types/src/{name}"), |name| format!("/r/{name}"));
            files.insert(path.into(), source.to_owned());
        }
        Crates::load(Path::new("/r/types"), None, Path::new("/r"), &|path| Ok(files.get(path).cloned()))
    }

    /// A type in short: `[T]` is a list, and an API type has its file and its name.
    fn show(crates: &Crates, ty: &Ty) -> String {
        let inner = |ty: &Ty| show(crates, ty);
        let name = |id: &ItemId| {
            let item = crates.api(*id).unwrap();
            format!("{}/{}", item.file.file_stem().unwrap().display(), item.name)
        };
        match ty {
            Ty::Option(ty) => format!("{}?", inner(ty)),
            Ty::Boxed(ty) => format!("box {}", inner(ty)),
            Ty::List(ty) => format!("[{}]", inner(ty)),
            Ty::Map(key, value) => format!("{{{}: {}}}", inner(key), inner(value)),
            Ty::Integer(name) | Ty::Float(name) => (*name).to_owned(),
            Ty::Base(name) => format!("base {name}"),
            Ty::Api(id) => name(id),
            Ty::Instance(id, index) => format!("{}#{index}", name(id)),
            Ty::String | Ty::Boolean => format!("{ty:?}"),
        }
    }

    /// What `struct Q(…)` in the root file has, or why not.
    fn resolved(text: &str) -> String {
        let text = format!("{text}\n//- q.rs\n").replace("@", "crd_channels::resources!();");
        // A name is defined once.
        let parts = text.split("struct Q(").enumerate();
        let text = parts.map(|(index, part)| match index {
            0 => part.to_owned(),
            index => format!("struct Q{index}({part}"),
        });
        let text: String = text.collect();
        let crates = match load(&text) {
            Ok(crates) => crates,
            Err(errors) => return format!("error: {}", errors[0].message),
        };
        let queries = crates
            .names
            .model
            .items
            .iter()
            .filter(|item| item.tree.name.as_ref().is_some_and(|name| name.to_string().starts_with('Q')));
        let shown = queries.map(|item| {
            let Some(TokenTree::Group(fields)) =
                item.tree.body.iter().find(|token| matches!(token, TokenTree::Group(_)))
            else {
                return "?".to_owned();
            };
            let kind: Type = syn::parse2(fields.stream()).unwrap();
            match crates.resolve(item.module, &kind, None) {
                Ok(ty) => show(&crates, &ty),
                Err(refusal) => {
                    format!("{}:{}: {}", refusal.file.display(), refusal.span.start().line, refusal.message)
                }
            }
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn types_are_those_of_the_compiler() {
        let mut wrong = Vec::new();
        for case in include_str!("names.txt").split("\n== ").skip(1) {
            let (expected, text) = case.split_once('\n').unwrap();
            let got = resolved(text);
            let is_equal = match expected.strip_suffix('…') {
                Some(start) => got.starts_with(start),
                None => got == expected,
            };
            if !is_equal {
                wrong.push(format!("{text}\nexpected {expected}\n     got {got}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// Reads a workspace of this repository, and resolves the types of all fields.
    fn fields(types: &str, xtask: &str, root: &str) -> (Crates, usize, Vec<String>) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(root);
        let files = |path: &Path| Ok(std::fs::read_to_string(path).ok());
        let crates = Crates::load(&root.join(types), Some(&root.join(xtask)), &root, &files).unwrap();
        let (mut resolved, mut refused) = (0, Vec::new());
        for id in crates.api_items() {
            let api = crates.api(id).unwrap();
            let input: syn::DeriveInput = syn::parse2(api.tokens).unwrap();
            let fields = match input.data {
                syn::Data::Struct(data) => data.fields.into_iter().collect::<Vec<_>>(),
                syn::Data::Enum(data) => data.variants.into_iter().flat_map(|variant| variant.fields).collect(),
                syn::Data::Union(_) => panic!("a union"),
            };
            for field in fields {
                match crates.resolve(api.module, &field.ty, None) {
                    Ok(_) => resolved += 1,
                    Err(refusal) => refused.push(format!("{}: {}", refusal.file.display(), refusal.message)),
                }
            }
        }
        (crates, resolved, refused)
    }

    #[test]
    fn workspaces_of_this_repository_are_read() {
        let (crates, resolved, refused) = fields("api-types", "xtask", "");
        assert!(refused.is_empty(), "{refused:#?}");
        assert!(resolved > 400 && crates.roots().len() > 20 && crates.conditions().count() == 2, "{resolved}");
        let http_route = crates.roots().iter().filter_map(|root| crates.api(*root)).find(|api| api.name == "HTTPRoute");
        assert_eq!(http_route.unwrap().file, Path::new("api-types/src/v1/http_route.rs"));
        let examples = "gen/cli/examples";
        let (crates, _, refused) = fields("api", "xtask", &format!("{examples}/widgets"));
        assert_eq!((crates.roots().len(), refused.len()), (2, 0));
        let (_, _, refused) = fields("api", "xtask", &format!("{examples}/cache-operator"));
        assert!(
            !refused.is_empty() && refused.iter().all(|refused| refused.contains("is not supported")),
            "{refused:#?}"
        );
    }

    #[test]
    fn globs_of_crd_channels_are_complete() {
        let source = |file: &str| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../channels/src").join(file);
            tree::split(std::fs::read_to_string(path).unwrap().parse().unwrap(), None).1
        };
        let names = |file: &str| {
            let mut names = Vec::new();
            for item in
                source(file).iter().filter(|item| item.visibility.as_ref().is_some_and(|(_, scope)| scope.is_none()))
            {
                names.extend(
                    crate::reader::model::imported(item).into_iter().chain(item.name.as_ref().map(Ident::to_string)),
                );
            }
            names
        };
        let mut root = names("lib.rs");
        root.extend(names("base.rs"));
        let (mut base, mut known) = (
            names("base.rs"),
            crate::reader::lookup::GLOBS.iter().map(|(_, _, names)| names.split(' ').collect::<Vec<_>>()),
        );
        // Macros, and functions or values.
        root.retain(|name| !["api", "resources"].contains(&name.as_str()));
        for names in [&mut root, &mut base] {
            names.sort();
            names.dedup();
            assert_eq!(*names, known.next().unwrap());
        }
    }
}
