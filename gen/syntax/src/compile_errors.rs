//! Collects all compile errors of an item.
//!
//! Invariants: no step stops at the first error; errors are emitted in source order, whichever step found them.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// Where a span begins: line and column.
fn position(span: Span) -> (usize, usize) {
    (span.start().line, span.start().column)
}

/// A collection of compile errors.
#[derive(Default)]
pub struct CompileErrors {
    errors: Vec<syn::Error>,
}

impl CompileErrors {
    /// Reports an error at these tokens. Several doc lines are underlined together.
    pub fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }

    /// Adds an error of syn.
    pub fn take(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// Adds the errors whose texts are new.
    pub fn extend_with_new(&mut self, other: Self) {
        for error in other.errors {
            let text = error.to_string();
            if self.errors.iter().all(|known| known.to_string() != text) {
                self.errors.push(error);
            }
        }
    }

    /// The errors in the order of their places.
    pub fn sorted(mut self) -> Vec<syn::Error> {
        self.errors.sort_by_key(|error| position(error.span()));
        self.errors
    }

    /// The errors as tokens.
    pub fn into_tokens(self) -> TokenStream {
        self.sorted().iter().map(syn::Error::to_compile_error).collect()
    }
}
