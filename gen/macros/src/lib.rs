//! The proc-macro `#[api]`.
//!
//! Fed with annotated types by the compiler. Read by it again: the item without its markers, its impls, and constants that
//! hold what the markers say.
//!
//! The steps: `attr` reads attributes, `ast` makes a typed item of it, `check` finds what contradicts itself, `expand`
//! writes descriptors and `wire` the wire form. Invariants: every fault of an item is reported at once, each on its doc
//! line; the item and its impls are emitted after an error too, so that one typo gives one error; only `::crd_channels::…`
//! paths are emitted, and no `cfg`.
#![deny(missing_docs)]

mod ast;
mod attr;
mod check;
mod expand;
mod faults;
mod plural;
mod wire;

use proc_macro::TokenStream;

/// Makes a type part of an API: reads its fields, serde attributes and `+markers`, and implements `crd_channels::Typed` and
/// `Described` for it; with features of `crd-channels` also serde's traits and `kube::Resource`.
///
/// On a root type: `#[api(group = "…", version = "…", kind = "…")]`. On an enum whose schema is a plain string:
/// `#[api(open)]`. On a field of a type that only implements schemars' `JsonSchema`: `#[api(foreign)]`. `crate = "…"` names
/// another path to `crd_channels`. It stands above every derive, and makes `Clone`, `Debug`, `Default` and `PartialEq` with
/// the feature `serde`.
///
/// Wire names are camelCase, and those of enum variants are as written; `#[serde(rename = "…")]`, `rename_all`, `flatten`,
/// `skip`, `default`, `alias` and `skip_serializing_if = "Option::is_none"` are understood, anything else of serde is refused,
/// so that wire form and schema stay the same thing. An enum gets a further variant `Unrecognized(String)`.
#[proc_macro_attribute]
pub fn api(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut faults = faults::Faults::default();
    let untouched = item.clone();
    let item = match syn::parse::<syn::DeriveInput>(item) {
        Ok(item) => item,
        Err(error) => {
            let told = format!("`#[api]` stands above a struct or an enum: {error}");
            let mut tokens = TokenStream::from(syn::Error::new(error.span(), told).to_compile_error());
            tokens.extend(untouched);
            return tokens;
        }
    };
    let options = attr::item_options(arguments.into(), &mut faults);
    let item = ast::item(item, untouched.into(), options, &mut faults);
    check::item(&item, &mut faults);
    let mut tokens = expand::item(&item);
    tokens.extend(faults.into_tokens());
    tokens.into()
}
