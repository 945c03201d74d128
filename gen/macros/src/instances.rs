//! Generic types: each instance that the author names is described as a type of its own.
//!
//! The generic type is emitted as it was written. For each instance the type parameters are replaced by its arguments, and the result is
//! an item like any other, whose name is an alias of the instance.
//!
//! Invariant: an error that all instances have is reported once.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{DeriveInput, GenericArgument, GenericParam, Generics, Path, PathArguments};

use crate::expand;
use crd_syntax::ast::{self, Body, plain};
use crd_syntax::attr::{Instance, ItemOptions};
use crd_syntax::check;
use crd_syntax::compile_errors::CompileErrors;

/// The whole output for a generic type with named instances.
pub(crate) fn items(input: DeriveInput, options: ItemOptions, errors: &mut CompileErrors) -> TokenStream {
    if options.is_resource() {
        errors.at(&input.generics, "a resource cannot be generic, because a kind is one type: make its spec generic");
    }
    let tokens = input.to_token_stream();
    let Some(parameters) = parameters(&input.generics) else {
        return expand::item(&ast::item(input, tokens, ItemOptions::default(), errors));
    };
    let source = Source { tokens, name: &input.ident, parameters, options: &options };
    let instances: Vec<TokenStream> = options
        .instances
        .iter()
        .enumerate()
        .map(|(index, instance)| source.instance(index, instance, errors))
        .collect();
    // What is wrong with the type itself is wrong with its first instance, which reports it.
    let generics = parse(source.tokens.clone()).map(|input| input.generics).unwrap_or_default();
    let declaration = parse(source.tokens.clone()).map(|mut input| {
        let untouched = input.to_token_stream();
        input.generics = Generics::default();
        let item = ast::item(input, untouched.clone(), source.options(), &mut CompileErrors::default());
        match item.body {
            Body::Refused { untouched, .. } => untouched,
            _ => expand::declaration(&item, &generics),
        }
    });
    quote!(#declaration #(#instances)*)
}

/// Parses the item again: syn's types cannot be copied without a feature that costs time in every build.
fn parse(tokens: TokenStream) -> Option<DeriveInput> {
    syn::parse2(tokens).ok()
}

/// The names of the type parameters; `None` if there are other parameters.
fn parameters(generics: &Generics) -> Option<Vec<Ident>> {
    let names = generics.params.iter().map(|parameter| match parameter {
        GenericParam::Type(parameter) => Some(parameter.ident.clone()),
        _ => None,
    });
    names.collect()
}

/// A generic type.
struct Source<'a> {
    tokens: TokenStream,
    name: &'a Ident,
    parameters: Vec<Ident>,
    options: &'a ItemOptions,
}

impl Source<'_> {
    fn options(&self) -> ItemOptions {
        let krate = self.options.krate.as_ref().map(|path| syn::parse_quote!(#path));
        ItemOptions { open: self.options.open, krate, ..ItemOptions::default() }
    }

    /// The alias of an instance and its impls.
    fn instance(&self, index: usize, instance: &Instance, errors: &mut CompileErrors) -> TokenStream {
        let Instance { name, kind } = instance;
        let earlier = &self.options.instances[..index];
        let text = |path: &Path| path.to_token_stream().to_string();
        if let Some(other) = earlier.iter().find(|other| text(&other.kind) == text(kind)) {
            errors.at(kind, format!("`{}` is this instance already: use that name", other.name));
            return TokenStream::new();
        }
        let Some(arguments) = self.arguments(kind, errors) else { return TokenStream::new() };
        let Some(mut input) = parse(self.tokens.clone()) else { return TokenStream::new() };
        input.generics = Generics::default();
        let tokens = self.replaced(input.to_token_stream(), &arguments);
        let Some(mut input) = parse(tokens.clone()) else { return TokenStream::new() };
        input.ident = name.clone();
        let visibility = input.vis.to_token_stream();
        let mut own = CompileErrors::default();
        let item = ast::item(input, TokenStream::new(), self.options(), &mut own);
        check::item(&item, crate::FOREIGN, &mut own);
        errors.extend_with_new(own);
        let description = format!("An instance of [`{}`].", plain(self.name));
        let impls = expand::impls(&item);
        quote! {
            #[doc = #description]
            #visibility type #name = #kind;
            #impls
        }
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
