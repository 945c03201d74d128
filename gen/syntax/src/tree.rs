//! The items of a crate, from the tokens of its files: what `resources!` and the reader of source files have in common.
//!
//! Invariants: the files are those that the compiler reads for `mod` items; attributes are not evaluated, with the exception of `#[cfg(test)]` on a
//! module, which is not read; the bodies of functions, impls and traits are not entered; a token that begins no item is in an item of the kind
//! `Unknown`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crd_markers::comments::behind_plain_comments;
use proc_macro2::{Delimiter, Group, Ident, LineColumn, Punct, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt};
use unicode_normalization::is_nfc;

use crate::ast::plain;
use crate::limits::{self, MOST_BYTES_OF_ALL, MOST_FILES};

/// How deep modules can be in each other.
const DEPTH: usize = 100;

/// Returns the text of a file; `None` if it does not exist.
pub type Files<'a> = &'a mut dyn FnMut(&Path) -> Result<Option<String>, String>;

/// An attribute, as it was written.
#[derive(Clone, Debug)]
pub struct Attribute {
    pub pound: Punct,
    /// `[…]`.
    pub body: Group,
}

impl ToTokens for Attribute {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append(self.pound.clone());
        tokens.append(self.body.clone());
    }
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Module,
    Struct,
    Enum,
    Union,
    Alias,
    Use,
    ExternCrate,
    ExternBlock,
    Function,
    Constant,
    Static,
    Trait,
    Impl,
    MacroRules,
    MacroCall,
    Unknown,
}

#[derive(Debug)]
pub struct Item {
    pub attributes: Vec<Attribute>,
    /// `pub`, and its scope.
    pub visibility: Option<(Ident, Option<Group>)>,
    pub kind: Kind,
    pub name: Option<Ident>,
    /// What follows the visibility, up to the last brace or semicolon.
    pub body: Vec<TokenTree>,
    pub module: Option<Result<Module, Unread>>,
    /// Behind what is before it in its file: an item, the attributes or the brace of its module.
    pub before: Option<Span>,
}

impl Item {
    /// Whether its name is one of a value: also a struct without named fields is a function or a constant.
    pub fn is_value(&self) -> bool {
        let has_fields = || {
            self.body
                .iter()
                .any(|token| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace))
        };
        match self.kind {
            Kind::Function | Kind::Constant | Kind::Static => true,
            Kind::Struct => !has_fields(),
            _ => false,
        }
    }
}

/// A module with its items.
#[derive(Debug)]
pub struct Module {
    pub file: PathBuf,
    /// The text of the file, as it is in tokens.
    pub source: Rc<str>,
    /// `#![…]` at its beginning.
    pub attributes: Vec<Attribute>,
    pub items: Vec<Item>,
}

/// Why the items of a file are not available.
#[derive(Clone, Debug)]
pub struct Unread {
    pub file: PathBuf,
    pub at: Option<LineColumn>,
    pub message: String,
}

/// Keywords that an item begins with.
const KEYWORDS: &[(&str, Kind)] = &[
    ("mod", Kind::Module),
    ("struct", Kind::Struct),
    ("enum", Kind::Enum),
    ("type", Kind::Alias),
    ("use", Kind::Use),
    ("fn", Kind::Function),
    ("const", Kind::Constant),
    ("static", Kind::Static),
    ("trait", Kind::Trait),
    ("impl", Kind::Impl),
];

/// Words before the keyword of an item. `const` and `extern` can be the keyword too.
const MODIFIERS: [&str; 5] = ["unsafe", "async", "auto", "const", "extern"];

const UNREADABLE: &str = "not valid Rust: a bracket, a string or a comment is not closed, or a character is unexpected";

/// The tokens of a file, as the compiler reads it.
///
/// # Errors
/// The first token that the compiler rejects, and names that it would change.
fn tokens(file: &Path, text: &str) -> Result<(TokenStream, Rc<str>), Unread> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // `#!` in front of a bracket begins an attribute.
    let is_script = text.strip_prefix("#!").is_some_and(|rest| !behind_plain_comments(rest).starts_with('['));
    let code = if is_script { text.find('\n').map_or("", |end| &text[end..]) } else { text };
    let source: Rc<str> = if code.contains("\r\n") { code.replace("\r\n", "\n").into() } else { code.into() };
    let parsed = source.parse::<TokenStream>();
    let unread = |at, message: String| Unread { file: file.to_owned(), at: Some(at), message };
    let tokens = parsed.map_err(|error| unread(error.span().start(), UNREADABLE.to_owned()))?;
    limits::tokens(tokens.clone()).map_err(|(span, message)| unread(span.start(), message))?;
    if !text.is_ascii()
        && let Some(name) = changed_name(tokens.clone())
    {
        return Err(unread(name.span().start(), format!("the compiler changes the name `{name}` to its normal form")));
    }
    Ok((tokens, source))
}

/// A name that is not in the form NFC.
fn changed_name(tokens: TokenStream) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(name) => Some(name).filter(|name| !is_nfc(&name.to_string())),
        TokenTree::Group(group) => changed_name(group.stream()),
        _ => None,
    })
}

/// Reads the root file of a crate and the files of its modules.
///
/// # Errors
/// The root file cannot be read. Other files that cannot be read are in the items of their modules.
pub fn read(file: &Path, files: Files<'_>) -> Result<Module, Unread> {
    let (mut bytes, mut count) = (0_usize, 0);
    let mut limited = |path: &Path| {
        // Links can lead to the same file again and again.
        if bytes > MOST_BYTES_OF_ALL || count > MOST_FILES {
            return Err(format!(
                "the crate has more than {MOST_BYTES_OF_ALL} bytes or {MOST_FILES} files of source, the limit"
            ));
        }
        let text = files(path)?;
        bytes += text.as_ref().map_or(0, String::len);
        count += 1;
        Ok(text)
    };
    of_file([file.to_owned()], file.parent().unwrap_or(file), &mut limited, 0)
}

/// Reads the first of the files that exists. `folder` has the files of modules in it.
fn of_file<const N: usize>(
    candidates: [PathBuf; N],
    folder: &Path,
    files: Files<'_>,
    depth: usize,
) -> Result<Module, Unread> {
    let mut missing = PathBuf::new();
    for file in candidates {
        match files(&file) {
            Ok(Some(text)) => {
                if let Err(message) = limits::file(&text) {
                    return Err(Unread { file, at: None, message });
                }
                let (tokens, source) = tokens(&file, &text)?;
                return of_tokens(tokens, None, Place { file, source, folder }, files, depth);
            }
            Ok(None) => missing = file,
            Err(message) => return Err(Unread { file, at: None, message }),
        }
    }
    Err(Unread { file: missing, at: None, message: "No such file or directory".to_owned() })
}

/// Where a module is.
struct Place<'a> {
    file: PathBuf,
    source: Rc<str>,
    /// Has the files of modules in it.
    folder: &'a Path,
}

/// Reads the tokens of a module. `before`: the brace in front of them.
fn of_tokens(
    tokens: TokenStream,
    before: Option<Span>,
    place: Place<'_>,
    files: Files<'_>,
    depth: usize,
) -> Result<Module, Unread> {
    let Place { file, source, folder } = place;
    if depth > DEPTH {
        return Err(Unread { file, at: None, message: format!("more than {DEPTH} modules are in each other") });
    }
    let (attributes, mut items) = split(tokens, before);
    for item in &mut items {
        let (Kind::Module, Some(name)) = (item.kind, &item.name) else { continue };
        if item.attributes.iter().any(|attribute| words(attribute) == "cfg(test)") {
            continue;
        }
        let below = folder.join(plain(name));
        item.module = Some(match item.body.last() {
            Some(TokenTree::Group(group)) => {
                let place = Place { file: file.clone(), source: source.clone(), folder: &below };
                of_tokens(group.stream(), Some(group.span_open()), place, files, depth + 1)
            }
            _ => of_file([below.with_extension("rs"), below.join("mod.rs")], &below, files, depth + 1),
        });
    }
    Ok(Module { file, source, attributes, items })
}

/// The text of an attribute without white space, and without the `r#` of names.
pub fn words(attribute: &Attribute) -> String {
    attribute.body.stream().to_string().replace("r#", "").split_whitespace().collect()
}

pub struct Root {
    /// Through public modules to the type, because a private module is named by the nearest public module around it.
    pub path: Vec<Ident>,
    pub file: PathBuf,
}

/// The root types: structs with `#[api(kind = …)]`, by any path and by the names that imports of the crate give it. The compiler reports a struct with
/// another attribute of such a name; one that is not found would have no CRD.
pub fn roots(module: &Module) -> Vec<Root> {
    let (mut found, mut renamed) = (Vec::new(), BTreeMap::new());
    add_renamed(module, &mut renamed);
    let (mut names, mut left) = (BTreeSet::new(), vec!["api".to_owned()]);
    while let Some(name) = left.pop() {
        left.extend(renamed.remove(&name).into_iter().flatten());
        names.insert(name);
    }
    add_roots(module, &[], &names, &mut found);
    // By name, and then by version.
    found.sort_by_key(|root| root.path.iter().rev().map(Ident::to_string).collect::<Vec<_>>());
    found
}

/// The names that each name has in imports with `as`.
fn add_renamed(module: &Module, renamed: &mut BTreeMap<String, Vec<String>>) {
    for item in &module.items {
        match &item.module {
            Some(Ok(below)) => add_renamed(below, renamed),
            _ if item.kind == Kind::Use => add_renamed_in(&item.body, renamed),
            _ => {}
        }
    }
}

fn add_renamed_in(tokens: &[TokenTree], renamed: &mut BTreeMap<String, Vec<String>>) {
    for (index, token) in tokens.iter().enumerate() {
        match (token, tokens.get(index + 1..index + 3)) {
            (TokenTree::Group(group), _) => {
                add_renamed_in(&group.stream().into_iter().collect::<Vec<_>>(), renamed);
            }
            (TokenTree::Ident(old), Some([TokenTree::Ident(word), TokenTree::Ident(new)])) if word == "as" => {
                renamed.entry(plain(old)).or_default().push(plain(new));
            }
            _ => {}
        }
    }
}

fn add_roots(module: &Module, path: &[Ident], names: &BTreeSet<String>, found: &mut Vec<Root>) {
    for item in &module.items {
        let Some(name) = &item.name else { continue };
        if let Some(Ok(below)) = &item.module {
            let public = item.visibility.is_some().then(|| name.clone());
            add_roots(below, &path.iter().cloned().chain(public).collect::<Vec<_>>(), names, found);
        } else if item.kind == Kind::Struct && item.attributes.iter().any(|attribute| is_root(&words(attribute), names))
        {
            let path = path.iter().cloned().chain([name.clone()]).collect();
            found.push(Root { path, file: module.file.clone() });
        }
    }
}

/// Whether an attribute is `#[api(kind = …)]`, by one of these names.
fn is_root(words: &str, names: &BTreeSet<String>) -> bool {
    let Some((path, arguments)) = words.split_once('(') else { return false };
    // Not a text, for example of a doc attribute.
    let is_path = path.chars().all(|letter| letter == ':' || letter == '_' || letter.is_alphanumeric());
    let is_api = is_path && path.rsplit("::").next().is_some_and(|name| names.contains(name));
    is_api && (arguments.starts_with("kind=") || arguments.contains(",kind="))
}

/// The inner attributes and the items of a file, or of a module behind a brace.
pub fn split(tokens: TokenStream, before: Option<Span>) -> (Vec<Attribute>, Vec<Item>) {
    let mut rest = Rest { tokens: tokens.into_iter().collect(), at: 0, before };
    let mut inner = Vec::new();
    while rest.punct(0, '#') && rest.punct(1, '!') && rest.group(2, Delimiter::Bracket) {
        inner.extend(rest.attribute(2));
    }
    let mut items = Vec::new();
    while rest.at < rest.tokens.len() {
        items.push(rest.item());
    }
    (inner, items)
}

/// The tokens that are not in an item yet.
struct Rest {
    tokens: Vec<TokenTree>,
    at: usize,
    before: Option<Span>,
}

impl Rest {
    fn peek(&self, ahead: usize) -> Option<&TokenTree> {
        self.tokens.get(self.at + ahead)
    }

    fn punct(&self, ahead: usize, character: char) -> bool {
        matches!(self.peek(ahead), Some(TokenTree::Punct(punct)) if punct.as_char() == character)
    }

    fn group(&self, ahead: usize, delimiter: Delimiter) -> bool {
        matches!(self.peek(ahead), Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
    }

    fn word(&self, ahead: usize) -> Option<String> {
        match self.peek(ahead) {
            Some(TokenTree::Ident(word)) => Some(word.to_string()),
            _ => None,
        }
    }

    /// Takes an attribute whose body is that far ahead.
    fn attribute(&mut self, body: usize) -> Option<Attribute> {
        let attribute = match (self.peek(0), self.peek(body)) {
            (Some(TokenTree::Punct(pound)), Some(TokenTree::Group(body))) => {
                Some(Attribute { pound: pound.clone(), body: body.clone() })
            }
            _ => None,
        };
        self.at += body + 1;
        attribute
    }

    fn visibility(&mut self) -> Option<(Ident, Option<Group>)> {
        let Some(TokenTree::Ident(word)) = self.peek(0).filter(|_| self.word(0).is_some_and(|word| word == "pub"))
        else {
            return None;
        };
        let word = word.clone();
        self.at += 1;
        let scope = match self.peek(0) {
            Some(TokenTree::Group(scope)) if scope.delimiter() == Delimiter::Parenthesis => Some(scope.clone()),
            _ => None,
        };
        self.at += usize::from(scope.is_some());
        Some((word, scope))
    }

    fn item(&mut self) -> Item {
        let before = self.at.checked_sub(1).map(|before| self.tokens[before].span()).or(self.before);
        let mut attributes = Vec::new();
        while self.punct(0, '#') && self.group(1, Delimiter::Bracket) {
            attributes.extend(self.attribute(1));
        }
        let visibility = self.visibility();
        let (kind, name) = self.kind();
        let name = match name.and_then(|ahead| self.peek(ahead)) {
            Some(TokenTree::Ident(name)) => Some(name.clone()),
            _ => None,
        };
        let length = self.length(kind);
        let end = (self.at + length).min(self.tokens.len());
        let body = self.tokens[self.at..end].to_vec();
        self.at = end;
        Item { attributes, visibility, kind, name, body, module: None, before }
    }

    /// The kind of the next item, and how far ahead its name is.
    fn kind(&self) -> (Kind, Option<usize>) {
        let mut ahead = 0;
        while let Some(word) = self.word(ahead) {
            let next = self.word(ahead + 1);
            let is = |expected: &str| next.as_deref() == Some(expected);
            let is_modifier = MODIFIERS.contains(&word.as_str());
            if word == "extern" {
                let name = usize::from(matches!(self.peek(ahead + 1), Some(TokenTree::Literal(_))));
                if is("crate") {
                    return (Kind::ExternCrate, Some(ahead + 2));
                }
                if self.group(ahead + 1 + name, Delimiter::Brace) {
                    return (Kind::ExternBlock, None);
                }
                ahead += 1 + name;
                continue;
            }
            let modifies = is_modifier
                && next
                    .as_deref()
                    .is_some_and(|next| MODIFIERS.contains(&next) || ["fn", "trait", "impl"].contains(&next));
            if modifies {
                ahead += 1;
                continue;
            }
            if word == "union" && next.is_some() {
                return (Kind::Union, Some(ahead + 1));
            }
            if word == "macro_rules" && self.punct(ahead + 1, '!') && self.word(ahead + 2).is_some() {
                return (Kind::MacroRules, Some(ahead + 2));
            }
            if let Some((_, kind)) = KEYWORDS.iter().find(|(keyword, _)| *keyword == word) {
                let skipped = usize::from(*kind == Kind::Static && is("mut"));
                let has_name = !matches!(kind, Kind::Use | Kind::Impl);
                return (*kind, has_name.then_some(ahead + 1 + skipped));
            }
            break;
        }
        let path = self.tokens[self.at..].iter().take_while(|token| match token {
            TokenTree::Ident(_) => true,
            TokenTree::Punct(punct) => punct.as_char() == ':',
            _ => false,
        });
        let path = path.count();
        let is_call = path > 0 && self.punct(path, '!') && matches!(self.peek(path + 1), Some(TokenTree::Group(_)));
        (if is_call { Kind::MacroCall } else { Kind::Unknown }, None)
    }

    /// The number of tokens up to the end of an item: a semicolon, or braces outside angle brackets.
    fn length(&self, kind: Kind) -> usize {
        let only_semicolon =
            matches!(kind, Kind::Use | Kind::ExternCrate | Kind::Alias | Kind::Constant | Kind::Static);
        let (mut angles, mut before) = (0_usize, ' ');
        for (index, token) in self.tokens[self.at..].iter().enumerate() {
            let character = match token {
                TokenTree::Punct(punct) => punct.as_char(),
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && angles == 0 && !only_semicolon => {
                    return index + 1;
                }
                _ => ' ',
            };
            match character {
                ';' => return index + 1,
                '<' => angles += 1,
                // Not of `->`.
                '>' if before != '-' => angles = angles.saturating_sub(1),
                _ => {}
            }
            before = character;
        }
        self.tokens.len() - self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(text: &str) -> Module {
        let mut files = |path: &Path| Ok((path == Path::new("lib.rs")).then(|| text.to_owned()));
        read(Path::new("lib.rs"), &mut files).unwrap()
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
            ("#[::crd_channels::api(version = \"v1\", kind = \"A\")] struct A {}", &["A"]),
            ("use a::{b, c::{self, api as r#foo}}; pub mod m { #[super::foo(kind = \"A\")] struct A {} }", &["m::A"]),
            ("mod m { pub(crate) use crd_channels::api as a; } use m::a as b; #[b(kind = \"A\")] struct A {}", &["A"]),
            (
                "use crd_channels as c; #[c::r#api(kind = \"A\")] struct A {} use d::kube as e; #[e(kind = \"B\")] struct B;",
                &["A"],
            ),
            ("#[doc = \"#[crd_channels::api(kind = 1)]\"] struct A {}", &[]),
            ("use a as b; use b as a; use b as api; #[a(kind = \"A\")] struct A {}", &[]),
        ] {
            let paths = roots(&module(text)).into_iter();
            let paths = paths.map(|root| root.path.iter().map(Ident::to_string).collect::<Vec<_>>().join("::"));
            assert_eq!(paths.collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn items_end_where_the_compiler_ends_them() {
        use Kind::*;
        for (text, expected) in [
            ("struct A<const N: usize = { 1 }> where B<{ 2 }>: Fn() -> C<D> { a: E } enum F {}", &[Struct, Enum][..]),
            ("struct A(B<C>); union D { e: F } type G<H> = I<{ 3 }>; struct J;", &[Struct, Union, Alias, Struct]),
            ("type union = A; fn union() {} union! { a }", &[Alias, Function, MacroCall]),
            (
                "const A: B = { c; D {} }; const fn e() {} const unsafe extern \"C\" fn f() {}",
                &[Constant, Function, Function],
            ),
            ("const _: () = {}; static mut A: B = C {}; static D: E = F;", &[Constant, Static, Static]),
            (
                "extern crate a as b; extern \"C\" { fn c(); } extern fn d() {} unsafe extern {}",
                &[ExternCrate, ExternBlock, Function, ExternBlock],
            ),
            ("use a::{b, c::{*}}; pub(in crate::d) use e as _;", &[Use, Use]),
            (
                "macro_rules! a { () => {} } macro_rules! b ( () => {}; ); a!(); c::d! { e } ::f::g![];",
                &[MacroRules, MacroRules, MacroCall, MacroCall, MacroCall],
            ),
            (
                "unsafe impl<T> A<{ 1 }> for B<C<T>> {} impl !Send for D {} unsafe auto trait E {} trait F = G;",
                &[Impl, Impl, Trait, Trait],
            ),
            ("fn a() -> impl Fn(B) -> C where D: E<{ 1 }> {} async unsafe fn f<G: H<I>>() {}", &[Function, Function]),
            ("mod a; mod b {} unsafe mod c {}", &[Module, Module, Unknown]),
            ("pub macro a() {} struct B;", &[Unknown, Struct]),
        ] {
            let kinds: Vec<Kind> = split(text.parse().unwrap(), None).1.iter().map(|item| item.kind).collect();
            assert_eq!(kinds, expected, "{text}");
        }
    }

    #[test]
    fn files_are_read_as_the_compiler_reads_them() {
        for (text, expected) in [
            ("\u{feff}#!/usr/bin/env run\n#![allow(a)]\r\n/// b\r\nstruct C;", Ok(4)),
            ("#! [allow(a)]\nstruct C;", Ok(2)),
            ("#!/**/[allow(a)] struct C;", Ok(1)),
            ("#! // a\n/* [ */ [allow(a)] struct C;", Ok(2)),
            ("#!/** a */[allow(a)]\nstruct C;", Ok(2)),
            ("#!/bin/a [\nstruct C;", Ok(2)),
            ("struct C;\nstruct \"", Err("2:7")),
            ("struct Re\u{301}sume\u{301};", Err("1:7")),
            ("/// re\u{301}sume\u{301}\nstruct R\u{e9};", Ok(2)),
        ] {
            let read = tokens(Path::new("a.rs"), text).map(|tokens| {
                let items = split(tokens.0, None).1;
                items[0].name.as_ref().map_or(0, |name| name.span().start().line)
            });
            let place = |unread: Unread| unread.at.map(|at| format!("{}:{}", at.line, at.column)).unwrap_or_default();
            assert_eq!(read.map_err(place), expected.map_err(str::to_owned), "{text}");
        }
    }

    #[test]
    fn text_that_is_not_rust_is_refused_at_its_line() {
        for (text, line) in
            [("mod a {", 1), ("struct A;\nstruct B }\n", 2), ("\n\nconst A: &str = \"a;", 3), ("a \u{2026}", 1)]
        {
            let unread = tokens(Path::new("lib.rs"), text).unwrap_err();
            assert_eq!((unread.at.map(|at| at.line), &*unread.message), (Some(line), UNREADABLE), "{text}");
        }
    }
}
