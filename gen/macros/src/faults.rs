//! All faults of an item.
//!
//! Fed by every step. Read once, at the end, as `compile_error!`s.
//!
//! Invariants: nothing stops at the first fault; the author reads them from top to bottom, whatever found them.

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::ast::place;

/// A collection of compile errors.
#[derive(Default)]
pub(crate) struct Faults {
    errors: Vec<syn::Error>,
}

impl Faults {
    /// Reports a fault at these tokens; those of several doc lines are underlined together.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }

    /// Takes over an error of syn.
    pub(crate) fn take(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// The errors as tokens.
    pub(crate) fn into_tokens(mut self) -> TokenStream {
        self.errors.sort_by_key(|error| place(error.span()));
        self.errors.iter().map(syn::Error::to_compile_error).collect()
    }
}
