//! Digests of the source that decides a compiled value: the tokens that name the value, and every item that they reach by name.
//!
//! Invariants: an edit that can change the value changes its digest, or the value has none. Comments, formatting and items that no name reaches do
//! not change it, and descriptions and markers change only the digests of foreign types, whose schemas have texts. An item is reached by each word that can lead to it, so more is reached than rustc uses.

use std::collections::{BTreeSet, HashMap, HashSet};

use crd_syntax::ast::plain;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use sha2::{Digest as _, Sha256};

/// Bytes of a digest in hexadecimal.
const BYTES: usize = 8;
/// Macros whose result depends on more than their tokens.
const OPAQUE_MACROS: [&str; 5] = ["include", "include_str", "include_bytes", "env", "option_env"];
/// Macros of crd-channels that write no code which a value can use, except for constants whose tokens are all they depend on.
const OWN_MACROS: [&str; 2] = ["conditions", "resources"];
/// Words that begin an item which one name reaches.
const NAMED: [&str; 9] = ["struct", "enum", "union", "fn", "const", "static", "type", "mod", "trait"];

/// Words that name no item.
const KEYWORDS: &str = "Self abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in let \
    loop macro macro_rules match mod move mut override priv pub ref return self static struct super trait true try type typeof unsafe unsized use \
    virtual where while yield";

/// The items of the crates that are read.
#[derive(Default)]
pub struct Items {
    items: Vec<Item>,
    by_word: HashMap<String, Vec<usize>>,
    /// Items that are reached by names that they do not contain: globs.
    always: Vec<usize>,
    /// What every digest depends on, such as the lock file.
    basis: Vec<String>,
    /// Crates whose source is not read and can change.
    unlocked: BTreeSet<String>,
    /// Every word of an import: the methods of a trait are called without its name.
    imported: HashSet<String>,
    /// Whether an item of a macro of another crate can define any name.
    is_opaque: bool,
}

struct Item {
    text: String,
    documented: String,
    words: HashSet<String>,
    /// Whether its tokens do not show what it defines or contains.
    is_opaque: bool,
}

/// A digest of texts, in their order.
pub fn of_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update(text.len().to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().iter().take(BYTES).map(|byte| format!("{byte:02x}")).collect()
}

/// Tokens without doc comments.
pub fn without_docs(tokens: TokenStream) -> TokenStream {
    let (mut kept, mut hash) = (Vec::<TokenTree>::new(), Vec::new());
    for token in tokens {
        match token {
            TokenTree::Punct(ref punct) if punct.as_char() == '#' || punct.as_char() == '!' && !hash.is_empty() => {
                if punct.as_char() == '#' {
                    kept.append(&mut hash);
                }
                hash.push(token);
            }
            TokenTree::Group(ref group) if !hash.is_empty() && group.delimiter() == Delimiter::Bracket => {
                let is_doc = matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(word)) if word == "doc");
                let hash = std::mem::take(&mut hash);
                if !is_doc {
                    kept.extend(hash);
                    kept.push(token);
                }
            }
            TokenTree::Group(group) => {
                kept.append(&mut hash);
                let mut inner = proc_macro2::Group::new(group.delimiter(), without_docs(group.stream()));
                inner.set_span(group.span());
                kept.push(inner.into());
            }
            other => {
                kept.append(&mut hash);
                kept.push(other);
            }
        }
    }
    kept.extend(hash);
    kept.into_iter().collect()
}

/// Every word of tokens that can be a name, without `r#`.
fn words(tokens: TokenStream, found: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) if KEYWORDS.split(' ').all(|keyword| word != keyword) => {
                _ = found.insert(plain(&word))
            }
            TokenTree::Group(group) => words(group.stream(), found),
            _ => {}
        }
    }
}

/// Whether tokens contain a word.
fn contains(tokens: TokenStream, wanted: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == wanted,
        TokenTree::Group(group) => contains(group.stream(), wanted),
        _ => false,
    })
}

/// The names of the members of a trait or of an implementation; `None` if a macro can define more of them.
fn members(body: TokenStream) -> Option<HashSet<String>> {
    let (mut names, mut is_name) = (HashSet::new(), false);
    for token in body {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '!' => return None,
            TokenTree::Ident(word) if is_name => _ = names.insert(plain(&word)),
            TokenTree::Ident(ref word) if ["fn", "const", "type"].iter().any(|keyword| word == keyword) => {
                is_name = true;
                continue;
            }
            _ => {}
        }
        is_name = false;
    }
    Some(names)
}

/// The tokens of an item behind its attributes and its visibility.
fn behind_attributes(tokens: &TokenStream) -> Vec<TokenTree> {
    let mut rest = tokens.clone().into_iter().peekable();
    while let Some(token) = rest.peek() {
        let is_before = match token {
            TokenTree::Punct(punct) => punct.as_char() == '#',
            TokenTree::Group(_) => true,
            TokenTree::Ident(word) => ["pub", "unsafe", "async", "default"].iter().any(|before| word == before),
            TokenTree::Literal(_) => false,
        };
        if !is_before {
            break;
        }
        rest.next();
    }
    rest.collect()
}

/// The name that an item defines.
fn defined(behind: &[TokenTree]) -> Option<String> {
    behind.iter().zip(behind.iter().skip(1)).find_map(|pair| match pair {
        (TokenTree::Ident(keyword), TokenTree::Ident(name)) if NAMED.iter().any(|named| keyword == named) => {
            Some(plain(name)).filter(|name| !NAMED.contains(&&**name) && name != "mut" && name != "_")
        }
        _ => None,
    })
}

impl Items {
    /// The items, each with all its tokens: attributes, visibility and body. `basis` is what every digest depends on.
    pub fn new(items: impl IntoIterator<Item = TokenStream>, basis: impl IntoIterator<Item = String>) -> Self {
        let streams = items.into_iter().map(|tokens| (tokens.to_string(), without_docs(tokens))).collect::<Vec<_>>();
        let macros = streams.iter().filter_map(|(_, tokens)| match &*behind_attributes(tokens) {
            [TokenTree::Ident(word), _, TokenTree::Ident(name), ..] if word == "macro_rules" => Some(plain(name)),
            _ => None,
        });
        let macros = macros.collect::<HashSet<_>>();
        let mut all = Self { basis: basis.into_iter().collect(), ..Self::default() };
        for (documented, tokens) in streams {
            all.add(tokens, documented, &macros);
        }
        all
    }

    /// The same without any digest: a build script can change all values.
    #[must_use]
    pub fn without_digests(self) -> Self {
        Self { is_opaque: true, ..self }
    }

    /// The same without digests for what reaches these crates: their source is not read, and can change.
    #[must_use]
    pub fn without_source_of(mut self, crates: impl IntoIterator<Item = String>) -> Self {
        self.unlocked.extend(crates);
        self
    }

    fn add(&mut self, tokens: TokenStream, documented: String, macros: &HashSet<String>) {
        if tokens.is_empty() {
            return;
        }
        let behind = behind_attributes(&tokens);
        let first = behind.first().map(ToString::to_string).unwrap_or_default();
        // The items of a module are items themselves.
        let is_module = first == "mod";
        let tokens = match is_module {
            true => tokens
                .into_iter()
                .filter(|token| !matches!(token, TokenTree::Group(body) if body.delimiter() == Delimiter::Brace))
                .collect(),
            false => tokens,
        };
        let mut all_words = HashSet::new();
        words(tokens.clone(), &mut all_words);
        let body = behind.iter().rev().find_map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
            _ => None,
        });
        let has_implementations = body.as_ref().is_some_and(|body| contains(body.clone(), "impl"));
        let name = defined(&behind);
        let mut is_opaque = false;
        let reached_by = match (&*first, name) {
            ("impl" | "trait", _) => members(body.unwrap_or_default()).map(|mut names| {
                for token in behind.iter().take_while(
                    |token| !matches!(token, TokenTree::Group(body) if body.delimiter() == Delimiter::Brace),
                ) {
                    words(token.clone().into(), &mut names);
                }
                names
            }),
            // A body can implement traits for types outside it.
            (keyword, Some(name)) if NAMED.contains(&keyword) && (is_module || !has_implementations) => {
                Some(HashSet::from([name]))
            }
            ("use" | "extern" | "macro_rules", _) => None,
            (keyword, _) if NAMED.contains(&keyword) => None,
            _ => {
                let is_path = |token: &&TokenTree| !matches!(token, TokenTree::Punct(punct) if punct.as_char() == '!');
                let path = behind.iter().take_while(is_path).collect::<Vec<_>>();
                let called = path.last().map(ToString::to_string).unwrap_or_default();
                let is_local = macros.contains(&*called) && (path.len() == 1 || first == "crate" || first == "self");
                is_opaque = is_local || !OWN_MACROS.contains(&&*called);
                self.is_opaque |= is_opaque && !is_local;
                None
            }
        };
        let index = self.items.len();
        for word in reached_by.as_ref().unwrap_or(&all_words) {
            self.by_word.entry(word.clone()).or_default().push(index);
        }
        let text = tokens.to_string();
        if first == "use" {
            self.imported.extend(all_words.iter().cloned());
            self.always.extend(text.contains('*').then_some(index));
        }
        let is_used = |name: &str| ["!", "as"].iter().any(|next| text.contains(&format!("{name} {next}")));
        is_opaque |= OPAQUE_MACROS.iter().any(|name| all_words.contains(*name) && is_used(name));
        let documented = if is_module { text.clone() } else { documented };
        self.items.push(Item { text, documented, words: all_words, is_opaque });
    }

    /// The digest of everything that these tokens reach; `None` if a part of it is not visible in tokens. Schemas contain doc comments.
    pub fn digest(&self, tokens: TokenStream, has_docs: bool) -> Option<String> {
        let tokens = without_docs(tokens);
        let (mut next, mut seen, mut reached) = (HashSet::new(), HashSet::new(), BTreeSet::new());
        words(tokens.clone(), &mut next);
        reached.extend(&self.always);
        for index in &self.always {
            next.extend(self.items.get(*index).into_iter().flat_map(|item| item.words.iter().cloned()));
        }
        let mut next = next.into_iter().collect::<Vec<_>>();
        while let Some(word) = next.pop() {
            if !seen.insert(word.clone()) {
                continue;
            }
            for index in self.by_word.get(&word).into_iter().flatten() {
                if reached.insert(*index) {
                    next.extend(self.items.get(*index).into_iter().flat_map(|item| item.words.iter().cloned()));
                }
            }
        }
        let reached = reached.into_iter().filter_map(|index| self.items.get(index)).collect::<Vec<_>>();
        let is_unlocked = self.unlocked.iter().any(|name| seen.contains(name) || self.imported.contains(name));
        if self.is_opaque || is_unlocked || reached.iter().any(|item| item.is_opaque) {
            return None;
        }
        let texts = reached.iter().map(|item| if has_docs { &*item.documented } else { &*item.text });
        let mut texts = texts.collect::<Vec<_>>();
        texts.sort_unstable();
        let named = tokens.to_string();
        Some(of_texts([&*named].into_iter().chain(self.basis.iter().map(String::as_str)).chain(texts)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// The digest of a value `three()` in a crate with these items, one in each line.
    fn digest(source: &str) -> Option<String> {
        let items = source.lines().map(|line| line.parse().unwrap());
        let items = Items::new(items, ["lock".to_owned()]).without_source_of(["local".to_owned()]);
        items.digest("three".parse().unwrap(), false)
    }

    const SOURCE: &str = "fn three() -> Size { Size::of(2) + ONE }\nuse sizes::ONE;\npub const ONE: i32 = 1;\npub struct Size { a: i32 }\n\
        impl Size { pub fn of(a: i32) -> Self { a.fit() } }\ntrait Fit { fn fit(self) -> i32; }\nimpl<T: Into<i32>> Fit for T { fn fit(self) -> i32 { 7 } }\n\
        pub struct Other { b: u8 }\nmod sizes { pub const X: u8 = 1; }\nconst _: () = { impl Default for Size { fn default() -> Self { 4 } } };\n\
        macro_rules! extras { () => { struct Third; } }\nextras!();\ncrd_channels::conditions! { reason A = \"a\"; }";

    #[test]
    fn what_can_change_the_value_changes_the_digest() {
        let before = digest(SOURCE).unwrap();
        for (old, new, expected) in [
            // Same.
            ("pub struct Other { b: u8 }", "/// Text.\n", true),
            ("pub struct Size { a", "#[doc = \" A size. +optional\"] pub struct Size { /** The text. */ a", true),
            ("b: u8", "b: Size", true),
            ("X: u8 = 1", "X: u8 = 2", true),
            ("reason A = \"a\"", "reason A = \"b\"", true),
            ("of(a: i32)", "of( a :i32 )", true),
            // Different.
            ("Size::of(2)", "Size::of(3)", false),
            ("ONE: i32 = 1", "ONE: i32 = 2", false),
            ("use sizes::ONE", "use other::TWO as ONE", false),
            ("a.fit()", "a", false),
            ("{ a: i32 }", "{ #[serde(default)] a: i32 }", false),
            ("{ 7 }", "{ 8 }", false),
            ("fn fit(self) -> i32;", "fn fit(self) -> u32;", false),
            ("{ 4 }", "{ 5 }", false),
            ("pub struct Other { b: u8 }", "impl From<u8> for Size { }", false),
            ("pub struct Other { b: u8 }", "use things::*;", false),
            ("mod sizes {", "#[cfg(unix)] mod sizes {", false),
        ] {
            assert!(SOURCE.contains(old), "{old}");
            let after = digest(&SOURCE.replace(old, new).replace("\n\n", "\n")).unwrap();
            assert_eq!(before == after, expected, "{old} → {new}");
        }
    }

    #[test]
    fn what_tokens_do_not_show_has_no_digest() {
        for (old, new) in [
            ("ONE: i32 = 1", "ONE: i32 = include!(\"one\")"),
            ("ONE: i32 = 1", "ONE: i32 = local::one()"),
            ("use sizes::ONE", "use local::*"),
            ("{ 7 }", "{ env!(\"SEVEN\").len() }"),
            ("extras!();", "extras!(Size);"),
            ("extras!();", "unknown::extras!();"),
            ("() => { struct Third; }", "() => { impl From<u8> for Size {} }"),
        ] {
            assert!(SOURCE.contains(old), "{old}");
            assert_eq!(digest(&SOURCE.replace(old, new)), None, "{old} → {new}");
        }
    }
}
