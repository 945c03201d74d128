//! Generic types: each instance that the author names is described as a type of its own.
//!
//! For each instance the type parameters are replaced by its arguments, and the result is an item like any other, whose name is an alias of the
//! instance.
//!
//! Invariant: an error that all instances have is reported once.

use std::collections::HashMap;

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{DeriveInput, GenericArgument, GenericParam, Generics, Path, PathArguments};

use crate::Read;
use crate::ast::{self, Item};
use crate::attr::{Instance, ItemOptions};
use crate::check;
use crate::compile_errors::CompileErrors;
use crate::limits::MOST_TOKENS;

/// A generic type with named instances.
pub struct Generic {
    /// The type itself, without its generics.
    pub item: Item,
    pub generics: Generics,
    /// What each instance is in Rust, and as an item with the name of its alias.
    pub instances: Vec<(Path, Item)>,
}

/// Reads a generic type with named instances.
pub(crate) fn read(mut input: DeriveInput, options: ItemOptions, foreign: bool, errors: &mut CompileErrors) -> Read {
    if options.is_resource() {
        errors.at(&input.generics, "a resource cannot be generic, because a kind is one type: make its spec generic");
    }
    let tokens = input.to_token_stream();
    let Some(parameters) = parameters(&input.generics) else {
        return Read::Item(ast::item(input, tokens, ItemOptions::default(), errors));
    };
    let ItemOptions { open, krate, instances: named, .. } = options;
    let generics = std::mem::take(&mut input.generics);
    let name = input.ident.clone();
    let source = Source { tokens: input.to_token_stream(), name: &name, parameters, open, krate, foreign };
    let mut instances: Vec<(Path, Item)> = Vec::new();
    let mut known: HashMap<String, Ident> = HashMap::new();
    let mut left = MOST_TOKENS;
    for Instance { name, kind } in named {
        left = left.saturating_sub(source.tokens_of(&kind));
        if left == 0 {
            errors.at(
                kind,
                format!("the instances of this type have more than {MOST_TOKENS} tokens together: write fewer"),
            );
            break;
        }
        if let Some(other) = known.get(&kind.to_token_stream().to_string()) {
            errors.at(kind, format!("`{other}` is this instance already: use that name"));
            continue;
        }
        known.insert(kind.to_token_stream().to_string(), name.clone());
        if let Some(item) = source.instance(name, &kind, errors) {
            instances.push((kind, item));
        }
    }
    // What is wrong with the type itself is wrong with its first instance, which reports it.
    let item = ast::item(input, tokens, source.options(), &mut CompileErrors::default());
    Read::Generic(Generic { item, generics, instances })
}

/// The names of the type parameters; `None` if there are other parameters.
fn parameters(generics: &Generics) -> Option<Vec<Ident>> {
    let names = generics.params.iter().map(|parameter| match parameter {
        GenericParam::Type(parameter) => Some(parameter.ident.clone()),
        _ => None,
    });
    names.collect()
}

/// How many tokens there are, and how many of them are these names.
fn counts(tokens: TokenStream, names: &[Ident]) -> (usize, usize) {
    tokens.into_iter().fold((0, 0), |(all, named), token| match token {
        TokenTree::Group(group) => {
            let inner = counts(group.stream(), names);
            (all + inner.0 + 1, named + inner.1)
        }
        TokenTree::Ident(name) => (all + 1, named + usize::from(names.contains(&name))),
        _ => (all + 1, named),
    })
}

struct Source<'a> {
    tokens: TokenStream,
    name: &'a Ident,
    parameters: Vec<Ident>,
    open: bool,
    krate: Option<Path>,
    foreign: bool,
}

impl Source<'_> {
    fn options(&self) -> ItemOptions {
        let krate = self.krate.as_ref().map(|path| syn::parse_quote!(#path));
        ItemOptions { open: self.open, krate, ..ItemOptions::default() }
    }

    /// How many tokens an instance has at most.
    fn tokens_of(&self, kind: &Path) -> usize {
        let (all, replaced) = counts(self.tokens.clone(), &self.parameters);
        all.saturating_add(replaced.saturating_mul(counts(kind.to_token_stream(), &[]).0))
    }

    /// The item of an instance.
    fn instance(&self, name: Ident, kind: &Path, errors: &mut CompileErrors) -> Option<Item> {
        let arguments = self.arguments(kind, errors)?;
        let mut input: DeriveInput = syn::parse2(self.replaced(self.tokens.clone(), &arguments)).ok()?;
        input.ident = name;
        let mut own = CompileErrors::default();
        let item = ast::item(input, TokenStream::new(), self.options(), &mut own);
        check::item(&item, self.foreign, &mut own);
        errors.extend_with_new(own);
        Some(item)
    }

    /// The type arguments of an instance, one for each parameter.
    fn arguments(&self, kind: &Path, errors: &mut CompileErrors) -> Option<Vec<TokenStream>> {
        let types = kind.segments.last().filter(|last| last.ident == *self.name).and_then(|last| {
            let PathArguments::AngleBracketed(list) = &last.arguments else { return None };
            let types = list.args.iter().map(|argument| match argument {
                GenericArgument::Type(kind) => Some(kind.to_token_stream()),
                _ => None,
            });
            types.collect::<Option<Vec<_>>>()
        });
        let types = types.filter(|types| types.len() == self.parameters.len());
        if types.is_none() {
            let parameters = vec!["…"; self.parameters.len()].join(", ");
            errors.at(kind, format!("not an instance of this type: write `Name = {}<{parameters}>`", self.name));
        }
        types
    }

    /// The tokens with the arguments in place of the parameters.
    fn replaced(&self, tokens: TokenStream, arguments: &[TokenStream]) -> TokenStream {
        let replace = |token: TokenTree| match token {
            TokenTree::Ident(ident) => match self.parameters.iter().position(|parameter| *parameter == ident) {
                Some(index) => arguments[index].clone(),
                None => TokenTree::Ident(ident).into(),
            },
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), self.replaced(group.stream(), arguments));
                inner.set_span(group.span());
                TokenTree::Group(inner).into()
            }
            other => other.into(),
        };
        tokens.into_iter().flat_map(replace).collect()
    }
}
