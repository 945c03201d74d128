//! The proc-macros `#[api]` and `resources!`.
//!
//! Knows nothing of `crd-model`, `crd-generate` or `serde_json`.
//!
//! `crd-syntax` makes checked items of tokens. `expand` writes their descriptors, and `wire` the wire form.
//!
//! Invariants: all errors of an item are reported together, each on its doc line; the item and its impls are emitted even
//! after an error, so that one typo gives one error; only `::crd_channels::…` paths are emitted, and no `cfg`.
#![deny(missing_docs)]

mod expand;
mod resources;
mod wire;

use crd_syntax::Read;
use crd_syntax::attr::plain_comments;
use proc_macro::TokenStream;

/// Whether fields can have foreign types.
const FOREIGN: bool = cfg!(feature = "schemars");

/// Makes a type part of an API: reads its fields, serde attributes and `+markers`, and implements `crd_channels::Typed` and
/// `Described` for it; with features of `crd-channels` also serde's traits, `kube::Resource` and what kube-rs' derive gives.
///
/// On a root type: `#[api(group = "…", version = "…", kind = "…")]`. On an enum whose schema is a plain string:
/// `#[api(open)]`. On a field of a type that only implements schemars' `JsonSchema`: `#[api(foreign)]`. `crate = "…"` names
/// another path to `crd_channels`. Write it above every derive. With the feature `serde` it derives `Clone`, `Debug`,
/// `Default` and `PartialEq`. It rejects derives of traits that it implements itself, and attributes of kube-rs' and
/// schemars' derives.
///
/// Wire names are camelCase, and those of enum variants are as written; `#[serde(rename = "…")]`, `rename_all`, `flatten`,
/// `skip`, `default`, `alias` and `skip_serializing_if = "Option::is_none"` are supported. Other serde attributes are rejected,
/// so that wire form and schema agree. An enum gets a further variant `Unrecognized(String)`.
///
/// A generic type names its instances: `#[api(instances(Name = Type<Argument>))]` makes an alias `Name` and describes it.
///
/// An enum with data is an object in which exactly one field is set, or with `#[serde(tag = "…")]` an object in which that field names
/// the variant. It gets a further variant `Unrecognized(RawExtension)`.
#[proc_macro_attribute]
pub fn api(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (read, mut errors) = crd_syntax::read(arguments.into(), item.clone().into(), FOREIGN);
    let name = match &read {
        Read::Item(read) => Some(&read.name),
        Read::Generic(read) => Some(&read.item.name),
        Read::Nothing => None,
    };
    if let Some(name) = name {
        plain_comments(name, item.clone().into(), &mut errors);
    }
    let mut tokens = match read {
        Read::Item(read) => expand::item(&read),
        Read::Generic(read) => expand::generic(&read),
        Read::Nothing => item.into(),
    };
    tokens.extend(errors.into_tokens());
    tokens.into()
}

/// Declares `RESOURCES`: the root types of the crate, for its catalogue. Write `crd_channels::resources!();` into the root file of the crate.
///
/// Root types are the structs with `#[api(group = "…", version = "…", kind = "…")]` in the source files of the crate. A type in a private module must
/// be re-exported by the module around it. Types that another macro writes are not found: add them with `Catalogue::resource`. Files named with
/// `#[path]` are not supported.
#[proc_macro]
pub fn resources(_: TokenStream) -> TokenStream {
    let file = proc_macro::Span::call_site().local_file().unwrap_or_default();
    resources::tokens(&file).into()
}
