//! `cfg` and `cfg_attr`: which attributes the compiler sees.
//!
//! Invariant: a predicate that depends on more than features has no value.

use std::collections::BTreeSet;

use crd_syntax::tree::Attribute;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::reader::manifest::ANY_FEATURE;

/// An attribute that is not `cfg` or `cfg_attr`.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The parts of its path, with an empty one before `::`.
    pub(crate) path: Vec<String>,
    pub(crate) attribute: Attribute,
    pub(crate) is_certain: bool,
}

impl Seen {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.path == [name]
    }

    /// Whether `#[api]` reads it.
    pub(crate) fn changes_description(&self) -> bool {
        let is_text = matches!(self.attribute.body.stream().into_iter().nth(1), Some(TokenTree::Punct(_)));
        self.is("serde") || self.is("doc") && is_text
    }

    /// The tokens in its parentheses.
    pub(crate) fn arguments(&self) -> TokenStream {
        match self.attribute.body.stream().into_iter().last() {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => group.stream(),
            _ => TokenStream::new(),
        }
    }
}

/// Whether something with these attributes exists, and its other attributes.
pub(crate) fn configured(attributes: &[Attribute], features: &BTreeSet<String>) -> (Option<bool>, Vec<Seen>) {
    let (mut exists, mut seen) = (Some(true), Vec::new());
    for attribute in attributes {
        configure(attribute.clone(), true, features, &mut exists, &mut seen);
    }
    (exists, seen)
}

fn configure(
    attribute: Attribute,
    is_certain: bool,
    features: &BTreeSet<String>,
    exists: &mut Option<bool>,
    seen: &mut Vec<Seen>,
) {
    let path = path(attribute.body.stream());
    let seen_now = Seen { path, attribute, is_certain };
    if seen_now.is("cfg") {
        let value = predicate(&trees(seen_now.arguments()), features);
        *exists = both(*exists, if is_certain { value } else { value.filter(|value| *value) });
    } else if seen_now.is("cfg_attr") {
        let mut parts = split(&trees(seen_now.arguments())).into_iter();
        let value = parts.next().and_then(|condition| predicate(&condition, features));
        if value == Some(false) {
            return;
        }
        for part in parts {
            let mut body = Group::new(Delimiter::Bracket, part.into_iter().collect());
            body.set_span(seen_now.attribute.body.span());
            let attribute = Attribute { pound: seen_now.attribute.pound.clone(), body };
            configure(attribute, is_certain && value.is_some(), features, exists, seen);
        }
    } else {
        seen.push(seen_now);
    }
}

/// The parts of the path at the beginning of the tokens, with an empty one before `::`.
pub(crate) fn path(tokens: TokenStream) -> Vec<String> {
    let (mut parts, mut is_open) = (Vec::new(), true);
    for token in tokens {
        match token {
            TokenTree::Ident(part) if is_open => {
                let part = part.to_string();
                parts.push(part.strip_prefix("r#").map(str::to_owned).unwrap_or(part));
                is_open = false;
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => {
                if parts.is_empty() {
                    parts.push(String::new());
                }
                is_open = true;
            }
            _ => break,
        }
    }
    parts
}

pub(crate) fn trees(tokens: TokenStream) -> Vec<TokenTree> {
    tokens.into_iter().collect()
}

/// The parts between commas.
pub(crate) fn split(tokens: &[TokenTree]) -> Vec<Vec<TokenTree>> {
    let parts = tokens.split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','));
    parts.filter(|part| !part.is_empty()).map(<[TokenTree]>::to_vec).collect()
}

fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn predicate(tokens: &[TokenTree], features: &BTreeSet<String>) -> Option<bool> {
    let not = |value: Option<bool>| value.map(|value| !value);
    let tokens = match tokens {
        [rest @ .., TokenTree::Punct(comma)] if comma.as_char() == ',' => rest,
        tokens => tokens,
    };
    match tokens {
        [TokenTree::Ident(word)] => match word.to_string().as_str() {
            "test" | "false" => Some(false),
            "true" => Some(true),
            _ => None,
        },
        [TokenTree::Ident(word), TokenTree::Punct(_), TokenTree::Literal(text)] if word == "feature" => {
            let text: syn::LitStr = syn::parse2(TokenTree::from(text.clone()).into()).ok()?;
            match features.contains(&text.value()) {
                false if features.contains(ANY_FEATURE) => None,
                is_enabled => Some(is_enabled),
            }
        }
        [TokenTree::Ident(word), TokenTree::Group(group)] => {
            let parts = split(&trees(group.stream()));
            let values = parts.iter().map(|part| predicate(part, features));
            match word.to_string().as_str() {
                "all" => values.fold(Some(true), both),
                "any" => not(values.map(not).fold(Some(true), both)),
                "not" if parts.len() == 1 => not(predicate(&parts[0], features)),
                _ => None,
            }
        }
        _ => None,
    }
}
