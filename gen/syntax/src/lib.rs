//! The front end of `#[api]`: what the proc-macro and the reader of source files have in common.
//!
//! Knows nothing of `crd-model`, `crd-generate` or `serde_json`.
//!
//! [`read`] has these steps: [`attr`] reads attributes, [`ast`] builds a typed item, [`instances`] does so for each instance of a generic type,
//! [`check`] and [`lens`] find contradictions in it. What depends on other items is data: [`facts`] of the type, which markers of other items must
//! fit, and each [`assertion`] about the types that the item names.
//!
//! Invariants: all errors of an item are reported together, each on its doc line; nothing here asks whether a compiler runs, because tokens
//! have the same lines in both programs. Plain comments are not tokens: each program finds them in the source that it has.

pub mod assertion;
pub mod ast;
pub mod attr;
pub mod check;
pub mod compile_errors;
pub mod facts;
pub mod instances;
pub mod lens;
pub mod limits;
pub mod tree;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use ast::Item;
use compile_errors::CompileErrors;
use instances::Generic;

/// What an item under `#[api]` is.
pub enum Read {
    Item(Item),
    Generic(Generic),
    /// Neither a struct nor an enum.
    Nothing,
}

/// Reads an item: the arguments of its `#[api(…)]`, and its tokens without that attribute. `foreign`: whether fields can have foreign types.
pub fn read(arguments: TokenStream, tokens: TokenStream, foreign: bool) -> (Read, CompileErrors) {
    let mut errors = CompileErrors::default();
    for tokens in [&arguments, &tokens] {
        if let Err(error) = limits::parsed(tokens.clone()) {
            errors.take(error);
            return (Read::Nothing, errors);
        }
    }
    let mut input = match syn::parse2::<DeriveInput>(tokens.clone()) {
        Ok(input) => input,
        Err(error) => {
            let message = format!("`#[api]` belongs above a struct or an enum: {error}");
            errors.take(syn::Error::new(error.span(), message));
            return (Read::Nothing, errors);
        }
    };
    let options = attr::item_options(arguments, &mut errors);
    attr::known_attributes(&mut input, &mut errors);
    let read = if options.instances.is_empty() || input.generics.params.is_empty() {
        let item = ast::item(input, tokens, options, &mut errors);
        check::item(&item, foreign, &mut errors);
        Read::Item(item)
    } else {
        instances::read(input, options, foreign, &mut errors)
    };
    (read, errors)
}
