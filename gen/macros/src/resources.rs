//! `resources!`: the root types of the crate, found in its source files.
//!
//! Invariants: reads the files that the compiler reads for `mod` items, so that each edit of one expands the macro again. A type in a private
//! module is named by the nearest public module around it, which re-exports it. Types that other macros write are not found.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::quote;

/// The root types below a source file.
#[derive(Default)]
pub(crate) struct Roots {
    /// The name and the path of each root type, with the `cfg` attributes around it.
    found: Vec<(String, Vec<Ident>, Vec<TokenStream>)>,
    errors: Vec<String>,
}

/// A module of the crate.
#[derive(Clone, Default)]
struct Module {
    /// Where the files of its modules are.
    folder: PathBuf,
    /// The nearest public module.
    path: Vec<Ident>,
    cfgs: Vec<TokenStream>,
}

impl Roots {
    /// Reads the root file of the crate and the files of its modules.
    pub(crate) fn of_crate(file: &Path) -> Self {
        let mut roots = Self::default();
        let folder = file.parent().unwrap_or(file).to_owned();
        roots.file(file, &Module { folder, ..Module::default() });
        roots
            .found
            .sort_by_key(|(name, path, _)| (name.clone(), path.iter().map(Ident::to_string).collect::<Vec<_>>()));
        roots
    }

    /// The constant with all of them.
    pub(crate) fn tokens(self) -> TokenStream {
        let roots = self
            .found
            .iter()
            .map(|(_, path, cfgs)| quote!(#(#[#cfgs])* <crate #(::#path)* as ::crd_channels::Described>::DESCRIPTOR));
        let errors = self.errors.iter();
        quote! {
            /// The root types of this crate: every version of every resource.
            pub static RESOURCES: &[&::crd_channels::TypeDescriptor] = &[#(#roots),*];
            #(::core::compile_error!(#errors);)*
        }
    }

    fn file(&mut self, file: &Path, module: &Module) {
        match fs::read_to_string(file).map_err(|error| error.to_string()).map(|text| text.parse::<TokenStream>()) {
            Ok(Ok(tokens)) => self.items(tokens, module),
            // The compiler reports it.
            Ok(Err(_)) => {}
            Err(error) => self.errors.push(format!("`resources!` cannot read `{}`: {error}", file.display())),
        }
    }

    fn items(&mut self, tokens: TokenStream, module: &Module) {
        let (mut attributes, mut is_public) = (Vec::new(), false);
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    // An inner attribute belongs to the module.
                    let is_inner = tokens.next_if(|token| matches!(token, TokenTree::Punct(_))).is_some();
                    if let Some(TokenTree::Group(group)) = tokens.next()
                        && !is_inner
                    {
                        attributes.push(group);
                    }
                    continue;
                }
                TokenTree::Ident(word) if word == "pub" => {
                    is_public = true;
                    continue;
                }
                // The scope of `pub(…)`.
                TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis && is_public => continue,
                TokenTree::Ident(word) if word == "mod" => {
                    if let Some(TokenTree::Ident(name)) = tokens.next() {
                        let inline = match tokens.next() {
                            Some(TokenTree::Group(body)) => Some(body.stream()),
                            _ => None,
                        };
                        self.module(&name, inline, &attributes, is_public, module);
                    }
                }
                TokenTree::Ident(word) if word == "struct" => {
                    if let Some(TokenTree::Ident(name)) = tokens.next()
                        && attributes.iter().any(is_root)
                    {
                        let path = module.path.iter().cloned().chain([name.clone()]).collect();
                        self.found.push((name.to_string(), path, cfgs(module, &attributes)));
                    }
                }
                _ => {}
            }
            attributes.clear();
            is_public = false;
        }
    }

    fn module(
        &mut self,
        name: &Ident,
        inline: Option<TokenStream>,
        attributes: &[Group],
        is_public: bool,
        around: &Module,
    ) {
        let named = name.to_string();
        let named = named.strip_prefix("r#").unwrap_or(&named);
        let mut module =
            Module { folder: around.folder.join(named), path: around.path.clone(), cfgs: cfgs(around, attributes) };
        if is_public {
            module.path.push(name.clone());
        }
        if module.cfgs.iter().any(|cfg| cfg.to_string().replace(' ', "") == "cfg(test)") {
            return;
        }
        if let Some(items) = inline {
            return self.items(items, &module);
        }
        let beside = around.folder.join(format!("{named}.rs"));
        let file = match attributes.iter().find_map(path_of) {
            Some(path) => {
                let file = around.folder.join(path);
                module.folder = file.parent().unwrap_or(&file).to_owned();
                file
            }
            None if beside.is_file() => beside,
            None => module.folder.join("mod.rs"),
        };
        self.file(&file, &module);
    }
}

/// The `cfg` attributes of an item and of the modules around it.
fn cfgs(module: &Module, attributes: &[Group]) -> Vec<TokenStream> {
    let is_cfg = |group: &&Group| matches!(words(group).first(), Some(word) if word == "cfg");
    module.cfgs.iter().cloned().chain(attributes.iter().filter(is_cfg).map(Group::stream)).collect()
}

/// The tokens of an attribute as text, without those in groups.
fn words(attribute: &Group) -> Vec<String> {
    attribute
        .stream()
        .into_iter()
        .filter(|token| !matches!(token, TokenTree::Group(_)))
        .map(|token| token.to_string())
        .collect()
}

/// Whether an attribute is `#[api(kind = …)]`.
fn is_root(attribute: &Group) -> bool {
    let arguments = attribute.stream().into_iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    });
    words(attribute).last().is_some_and(|word| word == "api")
        && arguments.into_iter().any(|group| words(&group).iter().any(|word| word == "kind"))
}

/// The file that `#[path = "…"]` names.
fn path_of(attribute: &Group) -> Option<String> {
    match &*words(attribute) {
        [word, _, path] if word == "path" => Some(path.trim_matches('"').to_owned()),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn paths(roots: &Roots) -> Vec<String> {
        let join = |path: &[Ident]| path.iter().map(Ident::to_string).collect::<Vec<_>>().join("::");
        let cfgs = |cfgs: &[TokenStream]| cfgs.iter().map(|cfg| format!("{cfg} ")).collect::<String>();
        roots.found.iter().map(|(_, path, of)| cfgs(of) + &join(path)).collect()
    }

    #[test]
    fn root_types_are_found_in_modules_of_all_kinds() {
        for (text, expected) in [
            ("#[api(group = \"a.b\", version = \"v1\", kind = \"Lamp\")] pub struct Lamp { a: B }", &["Lamp"][..]),
            (
                "/// Text with kind.\n#[derive(Clone)] #[crd_channels::api(kind = \"Lamp\")] pub(crate) struct Lamp {}",
                &["Lamp"],
            ),
            ("#[api] pub struct Spec {} #[api(open)] enum E {} #[other(kind = 1)] struct X; struct Y { kind: Z }", &[]),
            (
                "//! Docs.\n#![allow(a)]\npub mod v1 { pub mod deep { #[api(kind = \"A\")] pub struct A {} } }",
                &["v1::deep::A"],
            ),
            ("pub mod v1 { mod a { #[api(kind = \"A\")] pub struct A {} } pub use a::A; }", &["v1::A"]),
            ("#[cfg(test)] mod tests { #[api(kind = \"A\")] struct A {} }", &[]),
            ("#[cfg(feature = \"x\")] pub mod x { #[api(kind = \"A\")] struct A {} }", &["cfg (feature = \"x\") x::A"]),
            ("pub fn f() { #[api(kind = \"A\")] struct A {} }", &[]),
        ] {
            let mut roots = Roots::default();
            roots.items(text.parse().unwrap(), &Module::default());
            assert_eq!(paths(&roots), expected, "{text}");
            assert!(roots.errors.is_empty(), "{text}");
        }
    }

    #[test]
    fn files_of_modules_are_read() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/examples");
        let roots = Roots::of_crate(&examples.join("widgets/api/src/lib.rs"));
        assert_eq!(paths(&roots), ["v1::Widget", "v1alpha1::Widget"]);
        let mut roots = Roots::default();
        roots.items("pub mod missing;".parse().unwrap(), &Module { folder: examples, ..Module::default() });
        assert!(roots.errors[0].contains("missing"), "{:?}", roots.errors);
    }
}
