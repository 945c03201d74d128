//! `resources!`: the root types of the crate, found in its source files.
//!
//! Invariants: reads the files that the compiler reads for `mod` items, so that each edit of one expands the macro again. A type in a private
//! module is named by the nearest public module around it, which re-exports it. Types that other macros write are not found.

use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::quote;

/// The root types below a source file.
#[derive(Default)]
pub(crate) struct Roots {
    found: Vec<Vec<Ident>>,
    errors: Vec<String>,
}

impl Roots {
    /// Reads the root file of the crate and the files of its modules.
    pub(crate) fn of_crate(file: &Path) -> Self {
        let mut roots = Self::default();
        roots.file(file, file.parent().unwrap_or(file), &[]);
        // By name, and then by version.
        roots.found.sort_by_key(|path| path.iter().rev().map(Ident::to_string).collect::<Vec<_>>());
        roots
    }

    /// The constant with all of them.
    pub(crate) fn tokens(self) -> TokenStream {
        let (roots, errors) = (self.found.iter(), self.errors.iter());
        quote! {
            /// The root types of this crate: every version of every resource.
            pub static RESOURCES: &[&::crd_channels::TypeDescriptor] =
                &[#(<crate #(::#roots)* as ::crd_channels::Described>::DESCRIPTOR),*];
            #(::core::compile_error!(#errors);)*
        }
    }

    /// `folder` has the files of modules in the file, and `path` leads to the nearest public module.
    fn file(&mut self, file: &Path, folder: &Path, path: &[Ident]) {
        match fs::read_to_string(file).map(|text| text.parse::<TokenStream>()) {
            Ok(Ok(tokens)) => self.items(tokens, folder, path),
            // The compiler reports it.
            Ok(Err(_)) => {}
            Err(error) => self.errors.push(format!("`resources!` cannot read `{}`: {error}", file.display())),
        }
    }

    fn items(&mut self, tokens: TokenStream, folder: &Path, path: &[Ident]) {
        let (mut attributes, mut is_public) = (Vec::new(), false);
        let mut tokens = tokens.into_iter();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(punct) if matches!(punct.as_char(), '#' | '!') => continue,
                TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                    attributes.push(words(&group));
                    continue;
                }
                TokenTree::Ident(word) if word == "pub" => {
                    is_public = true;
                    continue;
                }
                // The scope of `pub(…)`.
                TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis && is_public => continue,
                TokenTree::Ident(word) if word == "mod" && !attributes.iter().any(|words| words == "cfg(test)") => {
                    if let (Some(TokenTree::Ident(name)), Some(body)) = (tokens.next(), tokens.next()) {
                        let public = is_public.then(|| name.clone());
                        let path = path.iter().cloned().chain(public).collect::<Vec<_>>();
                        let named = name.to_string();
                        let below = folder.join(named.trim_start_matches("r#"));
                        let file = below.with_extension("rs");
                        match body {
                            TokenTree::Group(items) => self.items(items.stream(), &below, &path),
                            _ if file.is_file() => self.file(&file, &below, &path),
                            _ => self.file(&below.join("mod.rs"), &below, &path),
                        }
                    }
                }
                TokenTree::Ident(word) if word == "struct" && attributes.iter().any(|words| is_root(words)) => {
                    if let Some(TokenTree::Ident(name)) = tokens.next() {
                        self.found.push(path.iter().cloned().chain([name]).collect());
                    }
                }
                _ => {}
            }
            attributes.clear();
            is_public = false;
        }
    }
}

/// The text of an attribute without white space.
fn words(attribute: &Group) -> String {
    attribute.stream().to_string().split_whitespace().collect()
}

/// Whether an attribute is `#[api(kind = …)]`.
fn is_root(words: &str) -> bool {
    let arguments = words.strip_prefix("api(").or_else(|| words.strip_prefix("crd_channels::api("));
    arguments.is_some_and(|arguments| arguments.starts_with("kind=") || arguments.contains(",kind="))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(roots: &Roots) -> Vec<String> {
        roots.found.iter().map(|path| path.iter().map(Ident::to_string).collect::<Vec<_>>().join("::")).collect()
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
            ("pub fn f() { #[api(kind = \"A\")] struct A {} }", &[]),
        ] {
            let mut roots = Roots::default();
            roots.items(text.parse().unwrap(), Path::new(""), &[]);
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
        roots.items("pub mod missing;".parse().unwrap(), &examples, &[]);
        assert!(roots.errors[0].contains("missing"), "{:?}", roots.errors);
    }
}
