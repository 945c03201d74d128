//! Macros: which attributes are `#[api]`, and in which modules other macros may define names.
//!
//! An attribute, a derive or a call that is not understood may define any name of its module.
//!
//! Invariant: what is understood is understood with all such items in view: each round looks again with those that the rounds before found.

use crd_syntax::ast::plain;
use crd_syntax::attr::{STD_DERIVES, TOOLS, has, item_options};
use crd_syntax::compile_errors::CompileErrors;
use crd_syntax::tree::Kind;
use proc_macro2::{Group, TokenStream, TokenTree};

use crate::reader::conditional::{path, split, trees};
use crate::reader::lookup::{Names, Namespace, Target, Usage};
use crate::reader::model::{Binding, Item, ItemId, ModuleId, Refusal, What};

/// Attributes of the compiler that change nothing about names.
const INERT: &str = "allow automatically_derived cold collapse_debuginfo coverage crate_name crate_type debugger_visualizer deny deprecated doc expect \
    export_name feature forbid ignore inline instruction_set link link_name link_ordinal link_section macro_export \
    macro_use must_use naked no_builtins no_implicit_prelude no_link no_main no_mangle no_std non_exhaustive panic_handler path \
    proc_macro proc_macro_attribute proc_macro_derive recursion_limit repr should_panic target_feature \
    track_caller type_length_limit unsafe used warn windows_subsystem";
/// Attribute macros of the standard library that define no types.
const STD_ATTRIBUTES: &str = "bench global_allocator test";
/// Packages whose derives write impls only, and the attributes above an item that the derives read.
const DERIVES_OF: [(&str, &[&str]); 6] = [
    ("schemars", &["garde", "schemars", "serde", "validate"]),
    ("schemars_derive", &["garde", "schemars", "serde", "validate"]),
    ("serde", HELPERS_OF_API),
    ("serde_derive", HELPERS_OF_API),
    ("thiserror", &["error"]),
    ("thiserror-impl", &["error"]),
];
const HELPERS_OF_API: &[&str] = &["serde"];
/// Macros of the standard library that define no types.
const STD_MACROS: &str = "assert assert_eq assert_ne cfg column concat dbg debug_assert debug_assert_eq debug_assert_ne \
    env eprint eprintln file format format_args include_bytes include_str line matches module_path option_env \
    panic print println stringify thread_local todo try unimplemented unreachable vec write writeln addr_of \
    addr_of_mut ready pin";
/// Words that begin the definition of a type, a module, a macro or an import.
const DEFINING: &str = "enum extern macro macro_rules mod struct trait type union use";

/// What an attribute means.
enum Meaning {
    Inert,
    Api,
    /// With the attributes that it reads.
    Derive(Vec<&'static str>),
    Unknown(String),
    /// The compiler does not find it either.
    Missing(String),
}

/// What the macros of an item do.
#[derive(Clone, Default, PartialEq)]
struct Expanded {
    api: Option<usize>,
    doubt: Option<String>,
    /// Whether they may define any name.
    is_blind: bool,
    /// What the compiler rejects.
    missing: Option<String>,
}

/// Finds the API types, and the items that may define names that the reader does not see.
///
/// Returns what the compiler rejects.
pub(crate) fn expand(names: &mut Names) -> Vec<Refusal> {
    let (mut first, mut before): (Option<Vec<Expanded>>, _) = (None, Vec::new());
    // Attributes inside modules that the compiler does not find.
    let mut inner: Vec<(ModuleId, Refusal)> = Vec::new();
    loop {
        let items = 0..names.model.items.len();
        let found: Vec<Expanded> = items.map(|index| item(names, ItemId(index))).collect();
        names.forget();
        for module in 0..names.model.modules.len() {
            let unknown = names.model.modules[module].seen.iter().find_map(|seen| {
                let span = seen.attribute.body.span();
                match meaning(names, ModuleId(module), seen.path.as_slice(), &seen.arguments(), &[]) {
                    Meaning::Unknown(message) => Some((span, message, false)),
                    Meaning::Missing(message) => Some((span, message, seen.is_certain)),
                    _ => None,
                }
            });
            let unknown = unknown.map(|(span, message, is_missing)| {
                let refusal = names.model.refusal(ModuleId(module), span, message);
                if is_missing && first.is_none() {
                    inner.push((ModuleId(module), refusal.clone()));
                }
                refusal
            });
            let module = &mut names.model.modules[module];
            module.blind = unknown.or_else(|| module.doubt.clone());
        }
        let mut is_new = found != before;
        for (index, expanded) in found.iter().enumerate() {
            is_new |= apply(names, index, expanded);
        }
        names.forget();
        if !is_new {
            // What is not understood may define what is missing; in the first round, what is missing is not such a thing.
            let first = first.unwrap_or(found);
            let is_understood = first.iter().all(|expanded| !expanded.is_blind || expanded.missing.is_some());
            let missing = first.into_iter().enumerate().filter(|_| is_understood).filter_map(|(index, expanded)| {
                let item = &names.model.items[index];
                let is_certain = |message: &String| {
                    names.model.is_certain_module(item.module)
                        && item.doubt.as_ref().is_none_or(|doubt| doubt.message == *message)
                };
                let message = expanded.missing.filter(is_certain)?;
                Some(names.model.refusal(item.module, item.span(), message))
            });
            let around = |module: ModuleId| names.model.modules[module.0].parent.unwrap_or(module);
            let inner = inner.into_iter().filter(|(module, _)| names.model.is_certain_module(around(*module)));
            return missing.chain(inner.filter(|_| is_understood).map(|(_, refusal)| refusal)).collect();
        }
        first.get_or_insert_with(|| found.clone());
        before = found;
    }
}

/// Whether it has instances that were not found before.
fn apply(names: &mut Names, index: usize, expanded: &Expanded) -> bool {
    let item = &mut names.model.items[index];
    let module = &mut names.model.modules[item.module.0];
    if let Some(message) = &expanded.doubt {
        let refusal =
            Refusal { file: module.file.clone(), span: item.span(), message: message.clone(), is_wrong: false };
        if expanded.is_blind {
            module.blind.get_or_insert(refusal.clone());
        }
        item.doubt.get_or_insert(refusal);
    }
    item.api = expanded.api;
    let Some(api) = item.api.filter(|_| item.is_generic() && item.instances.is_empty()) else { return false };
    let options = item_options(item.seen[api].arguments(), &mut CompileErrors::default());
    for (number, instance) in options.instances.into_iter().enumerate() {
        let binding = Binding { what: What::Instance(number), visibility: item.visibility, item: ItemId(index) };
        module.names.entry(plain(&instance.name)).or_default().push(binding);
        item.instances.push(instance.kind);
    }
    !item.instances.is_empty()
}

/// The meaning of each attribute of an item, those of derives and of `#[api]` included.
fn meanings(names: &Names, item: &Item) -> Vec<Meaning> {
    let means = |helpers: &[&str]| {
        let seen = item.seen.iter();
        seen.map(|seen| meaning(names, item.module, &seen.path, &seen.arguments(), helpers)).collect::<Vec<_>>()
    };
    let meanings = means(&[]);
    let helpers = meanings.iter().flat_map(|meaning| match meaning {
        Meaning::Derive(helpers) => helpers,
        Meaning::Api => HELPERS_OF_API,
        Meaning::Inert | Meaning::Unknown(_) | Meaning::Missing(_) => &[],
    });
    let helpers: Vec<&str> = helpers.copied().collect();
    if helpers.is_empty() { meanings } else { means(&helpers) }
}

fn item(names: &Names, id: ItemId) -> Expanded {
    let item = &names.model.items[id.0];
    let mut expanded = Expanded::default();
    let unknown = |expanded: &mut Expanded, message: String| {
        expanded.is_blind = true;
        expanded.doubt.get_or_insert(message);
    };
    let meanings = meanings(names, item);
    let mut places = meanings.iter().enumerate().filter(|(_, meaning)| matches!(meaning, Meaning::Api));
    let (api, is_twice) = (places.next().map(|(index, _)| index), places.next().is_some());
    // An unknown macro may read attributes.
    let has_unknown = meanings.iter().any(|meaning| matches!(meaning, Meaning::Unknown(_)));
    expanded.missing = item.seen.iter().zip(&meanings).find_map(|(seen, meaning)| match meaning {
        Meaning::Missing(message) if seen.is_certain && !has_unknown => Some(message.clone()),
        _ => None,
    });
    for (index, (seen, meaning)) in item.seen.iter().zip(meanings).enumerate() {
        match meaning {
            Meaning::Unknown(message) | Meaning::Missing(message) => unknown(&mut expanded, message),
            Meaning::Derive(_) if api.is_some_and(|api| index < api) => {
                expanded.doubt = Some("`#[api]` is below a derive".to_owned());
            }
            Meaning::Api if !seen.is_certain => expanded.doubt = Some(DEPENDS_ON_CFG.to_owned()),
            Meaning::Inert if api.is_some() && !seen.is_certain && seen.changes_description() => {
                expanded.doubt = Some(DEPENDS_ON_CFG.to_owned());
            }
            _ => {}
        }
    }
    expanded.api = api;
    if is_twice {
        expanded.missing = Some("`#[api]` is written twice".to_owned());
    }
    match item.tree.kind {
        Kind::Unknown => {
            let message = "this is not an item, or one that the reader does not support";
            expanded.missing = Some(message.to_owned());
            unknown(&mut expanded, message.to_owned());
        }
        Kind::MacroCall if !is_harmless_call(names, item) => {
            let name = path(item.tree.body.iter().cloned().collect()).join("::");
            let mut message = format!("the macro `{name}!` may define any name");
            if ["compile_error", "std::compile_error", "core::compile_error"].contains(&name.trim_start_matches("::")) {
                "the source has an error of its own".clone_into(&mut message);
                expanded.missing = Some(message.clone());
            }
            unknown(&mut expanded, message);
        }
        _ => {}
    }
    expanded
}

const DEPENDS_ON_CFG: &str = "an attribute of this item depends on `cfg`";

/// The macro of crd-channels that an item calls.
pub(crate) fn called(names: &Names, id: ItemId) -> Option<String> {
    let item = &names.model.items[id.0];
    if item.tree.kind != Kind::MacroCall || item.doubt.is_some() {
        return None;
    }
    let path = path(item.tree.body.iter().cloned().collect());
    if path.len() == 1 && names.model.crate_of(item.module).macros.contains_key(&path[0]) {
        return None;
    }
    match target(names, item.module, &path) {
        Ok(Some(Target::Channels(path))) => path.first().cloned(),
        _ => None,
    }
}

fn meaning(names: &Names, module: ModuleId, path: &[String], arguments: &TokenStream, helpers: &[&str]) -> Meaning {
    let unknown = |what: &str, path: &[String]| {
        Meaning::Unknown(format!("{what} `{}` may change this item, and define names", path.join("::")))
    };
    let [name, rest @ ..] = path else { return unknown("the attribute", path) };
    let (name, is_short) = (name.as_str(), rest.is_empty());
    let is_bound = names.model.modules[module.0].names.contains_key(name);
    if is_short && (has(INERT, name) || helpers.contains(&name) && !is_bound) {
        return Meaning::Inert;
    }
    match target(names, module, path) {
        Ok(Some(Target::Channels(path))) if path == ["api"] => Meaning::Api,
        Ok(None) if is_short && name == "derive" => {
            let mut helpers = Vec::new();
            for derive in split(&trees(arguments.clone())) {
                let derive = self::path(derive.into_iter().collect());
                match helpers_of(names, module, &derive) {
                    Some(more) => helpers.extend(more),
                    None if matches!(target(names, module, &derive), Ok(None)) => {
                        return Meaning::Missing(format!("the derive `{}` was not found", derive.join("::")));
                    }
                    None => return unknown("the derive", &derive),
                }
            }
            Meaning::Derive(helpers)
        }
        Ok(None) if is_short && has(STD_ATTRIBUTES, name) => Meaning::Inert,
        Ok(None) if !is_short && has(TOOLS, name) => Meaning::Inert,
        Ok(None) => Meaning::Missing(format!("the attribute `{}` was not found", path.join("::"))),
        _ => unknown("the attribute", path),
    }
}

/// The macro that a path leads to. `None`: one of the standard library, or none.
fn target(names: &Names, module: ModuleId, path: &[String]) -> Result<Option<Target>, Refusal> {
    // The compiler rejects such a name if a glob or a macro defines it too.
    if let [name] = path
        && (name == "derive" || [STD_ATTRIBUTES, STD_DERIVES, STD_MACROS].iter().any(|list| has(list, name)))
        && !names.model.modules[module.0].names.contains_key(name)
        && names.model.crate_of(module).macro_use.is_none()
    {
        return Ok(None);
    }
    Ok(names.path(module, path, Namespace::Macro, Usage::Early)?.map(|found| found.target))
}

/// The attributes that a derive reads. `None`: it may write more than impls.
fn helpers_of(names: &Names, module: ModuleId, path: &[String]) -> Option<&'static [&'static str]> {
    let of_std = |path: &[String]| path.last().filter(|last| has(STD_DERIVES, last)).map(|_| &[][..]);
    match target(names, module, path) {
        Ok(Some(Target::Foreign(package))) => {
            DERIVES_OF.iter().find(|(known, _)| *known == package).map(|(_, read)| *read)
        }
        Ok(Some(Target::Std(path))) => of_std(&path),
        Ok(None) if path.len() == 1 => of_std(path),
        _ => None,
    }
}

/// The most `macro_rules!` of one name that are looked at for each call.
const MOST_DEFINITIONS: usize = 20;

/// Whether a call can define no types, modules, macros and imports.
fn is_harmless_call(names: &Names, item: &Item) -> bool {
    let path = path(item.tree.body.iter().cloned().collect());
    let Some(name) = path.last() else { return false };
    let mut definitions = definitions(names, name).peekable();
    match target(names, item.module, &path) {
        Ok(Some(Target::Channels(path))) => path == ["conditions"] || path == ["resources"],
        Ok(Some(Target::Std(_))) => has(STD_MACROS, name),
        Ok(None)
            if path.len() == 1
                && names
                    .model
                    .crates
                    .iter()
                    .filter_map(|krate| krate.macros.get(name))
                    .map(Vec::len)
                    .sum::<usize>()
                    > MOST_DEFINITIONS =>
        {
            false
        }
        Ok(None) if path.len() == 1 && definitions.peek().is_some() => {
            let arguments = &item.tree.body[2..];
            // That of the standard library could be meant, or another one through an import.
            name != "include"
                && !is_bound(names, name)
                && is_harmless(names, arguments, true)
                && definitions.all(|item| is_harmless(names, &item.tree.body[2..], false))
        }
        Ok(None) => path.len() == 1 && has(STD_MACROS, name) && !is_bound(names, name),
        _ => false,
    }
}

/// Whether `!` behind the token is a negation.
fn is_negated(token: &TokenTree) -> bool {
    match token {
        TokenTree::Ident(word) => has("else if in match return while", &word.to_string()),
        TokenTree::Punct(punct) => punct.as_char() != '$',
        _ => false,
    }
}

/// Every `macro_rules!` of that name. Which of them a call means is not decided.
fn definitions<'n>(names: &'n Names, name: &str) -> impl Iterator<Item = &'n Item> {
    let of_crates = names.model.crates.iter().filter_map(|krate| krate.macros.get(name));
    of_crates.flatten().map(|id| &names.model.items[id.0])
}

/// Whether a module has a name, which can be that of a `macro_rules!` through imports.
fn is_bound(names: &Names, name: &str) -> bool {
    names.model.modules.iter().any(|module| module.names.contains_key(name))
}

/// Whether the text of a macro, or the arguments of a call, contain nothing that begins the definition of a type, and no part of a call or of an
/// attribute that the other side can complete.
fn is_harmless(names: &Names, tokens: &[TokenTree], is_argument: bool) -> bool {
    let is_inert = |group: &Group| path(group.stream()).first().is_some_and(|name| has(INERT, name));
    let is_std = |word: &TokenTree| {
        let name = word.to_string();
        has(STD_MACROS, &name) && definitions(names, &name).next().is_none() && !is_bound(names, &name)
    };
    let is = |token: Option<&TokenTree>, character: char| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == character);
    tokens.iter().enumerate().all(|(index, token)| {
        let before = |back: usize| index.checked_sub(back).and_then(|index| tokens.get(index));
        let next = tokens.get(index + 1);
        match (token, next) {
            (TokenTree::Ident(word), _) if has(DEFINING, &word.to_string()) => false,
            (pound, next) if is(Some(pound), '#') => matches!(next, Some(TokenTree::Group(group)) if is_inert(group)),
            (bang, Some(TokenTree::Group(_))) if is(Some(bang), '!') && before(1).is_some_and(is_std) => {
                !(is(before(2), '$') || is(before(2), ':') && is(before(3), ':'))
            }
            (bang, next) if is(Some(bang), '!') => is(next, '=') || !is_argument && before(1).is_none_or(is_negated),
            (TokenTree::Group(group), _) => {
                let inner = trees(group.stream());
                // In a repetition, the token before the first one is that before `$`.
                !(is(before(1), '$') && is(inner.first(), '!')) && is_harmless(names, &inner, is_argument)
            }
            _ => true,
        }
    })
}
