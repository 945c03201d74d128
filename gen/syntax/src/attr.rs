//! Reads attributes: `#[api(…)]`, `#[serde(…)]` and doc comments.
//!
//! Invariants: an unsupported attribute is rejected with a replacement; a supported attribute does not reach the emitted item.

use crd_markers::comments::in_plain_comments;
use crd_markers::disguise::{disguises, meant};
use crd_markers::docs::{DisguisedMarker, documentation};
use crd_markers::marker::{Marker, parse};
use crd_markers::table::Target;
use crd_names::channel::CHANNELS;
use crd_names::wire::{CASES, Case};
use crd_names::{nearest, shortened};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::meta::ParseNestedMeta;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::token::Comma;
use syn::{Attribute, DeriveInput, Expr, ExprLit, Fields, GenericParam, Lit, LitBool, LitStr, Meta, Path};

use crate::compile_errors::CompileErrors;
use crate::limits;

/// The options in `#[api(…)]` above an item.
#[derive(Default)]
pub struct ItemOptions {
    pub group: Option<LitStr>,
    pub version: Option<LitStr>,
    pub kind: Option<LitStr>,
    pub open: bool,
    /// The instances of a generic type.
    pub instances: Vec<Instance>,
    pub krate: Option<Path>,
    /// Options that are probably there, under another name.
    pub misspelt: Vec<&'static str>,
}

/// An instance of a generic type, and the name that the author gives it.
pub struct Instance {
    pub name: Ident,
    pub kind: Path,
}

impl ItemOptions {
    pub fn is_resource(&self) -> bool {
        self.group.is_some() || self.version.is_some() || self.kind.is_some()
    }
}

const ITEM_OPTIONS: [&str; 6] = ["group", "version", "kind", "open", "crate", "instances"];

/// Reads the arguments of `#[api(…)]` above an item.
pub fn item_options(arguments: TokenStream, errors: &mut CompileErrors) -> ItemOptions {
    let mut options = ItemOptions::default();
    let parser = syn::meta::parser(|meta: ParseNestedMeta<'_>| {
        if meta.path.is_ident("open") {
            options.open = true;
            return Ok(());
        }
        if meta.path.is_ident("instances") {
            return meta.parse_nested_meta(|meta| {
                let name = meta.path.require_ident()?.clone();
                options.instances.push(Instance { name, kind: meta.value()?.parse()? });
                Ok(())
            });
        }
        if meta.path.is_ident("crate") {
            options.krate = Some(limits::text(&meta.value()?.parse::<LitStr>()?)?);
            return Ok(());
        }
        for (name, slot) in
            [("group", &mut options.group), ("version", &mut options.version), ("kind", &mut options.kind)]
        {
            if meta.path.is_ident(name) {
                once(slot, meta.value()?.parse()?, &meta.path, errors);
                return Ok(());
            }
        }
        let name = meta.path.to_token_stream().to_string();
        let near = nearest(&name, ITEM_OPTIONS);
        options.misspelt.extend(near);
        errors.at(
            &meta.path,
            match near {
                Some(near) => format!("unknown option `{name}`: did you mean `{near}`?"),
                None => format!(
                    "unknown option `{name}`: `#[api]` accepts group, version, kind, open, crate and instances; everything else is a marker in the doc comment"
                ),
            },
        );
        pass_over(&meta)
    });
    if let Err(error) = parser.parse2(arguments) {
        errors.take(error);
    }
    options
}

/// Fills a slot, or reports that it is filled already.
fn once<T>(slot: &mut Option<T>, value: T, path: &Path, errors: &mut CompileErrors) {
    if slot.replace(value).is_some() {
        errors.at(path, format!("`{}` appears twice", path.to_token_stream()));
    }
}

/// Skips the value of an unknown option, so that the remaining options are read.
fn pass_over(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(syn::Token![=]) {
        let _: Expr = meta.value()?.parse()?;
    } else if meta.input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in meta.input);
        let _: TokenStream = content.parse()?;
    }
    Ok(())
}

/// A marker and its doc lines.
pub struct LocatedMarker {
    pub marker: Marker,
    pub lines: Lines,
}

/// The doc attributes of a marker.
pub struct Lines {
    first: Span,
    last: Span,
}

/// Something to underline from the first line to the last.
impl ToTokens for Lines {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend([self.first, self.last].map(|span| Ident::new("line", span)));
    }
}

impl Lines {
    fn of(attributes: &[(Attribute, String)]) -> Self {
        // Of `/// …` each token has the span of the whole line; of `#[doc = "…"]` each has its own.
        Self {
            first: attributes.first().map_or_else(Span::call_site, |(line, _)| line.pound_token.span),
            last: attributes.last().map_or_else(Span::call_site, |(line, _)| line.bracket_token.span.close()),
        }
    }

    /// The first line, which descriptors point at.
    pub fn first(&self) -> Span {
        self.first
    }

    /// The first and the last line, which an assertion spans.
    pub fn ends(&self) -> (Span, Span) {
        (self.first, self.last)
    }
}

/// The attributes of an item, a field or a variant, taken apart.
#[derive(Default)]
pub struct Attributes {
    pub description: String,
    pub markers: Vec<LocatedMarker>,
    pub serde: Serde,
    pub foreign: bool,
    pub foreign_descriptions: bool,
    /// What the emitted item keeps: prose and attributes of other macros.
    pub kept: Vec<Attribute>,
}

/// What an absent field reads as.
pub enum SerdeDefault {
    /// `default`: the zero of the type.
    Zero(Ident),
    /// `default = "…"`: the result of a function.
    Function(LitStr, Path),
}

/// The serde attributes that are understood.
#[derive(Default)]
pub struct Serde {
    pub rename: Option<LitStr>,
    pub rename_all: Option<Case>,
    pub rename_all_fields: Option<Case>,
    pub tag: Option<LitStr>,
    /// An attribute that has a meaning only above an enum with data.
    pub only_for_unions: Option<Ident>,
    /// Whether the wire form was rejected, so that the item has none.
    pub is_refused_form: bool,
    pub flatten: bool,
    pub skip: bool,
    pub default: Option<SerdeDefault>,
    /// Whether an empty list or map is not written.
    pub skip_empty: Option<LitStr>,
    pub aliases: Vec<LitStr>,
}

impl Serde {
    /// Whether any of it is set.
    pub fn is_used(&self) -> bool {
        self.rename.is_some() || self.flatten || self.skip || !self.aliases.is_empty()
    }
}

/// Reports markers in plain comments between the braces of an item. Tokens have no comments: the compiler has the source of what is in brackets only.
pub fn plain_comments(name: &Ident, tokens: TokenStream, errors: &mut CompileErrors) {
    for tree in tokens {
        let TokenTree::Group(group) = tree else { continue };
        let span = group.span();
        let Some(source) = span.source_text() else { continue };
        for found in in_plain_comments(&source) {
            let line = span.start().line + source[..found.range.start].matches('\n').count();
            errors.at(name, format!("line {line}: {}", found.message(&source)));
        }
    }
}

/// Attributes of the compiler that mean something on a field or a variant, and those that this program reads.
const KNOWN: &str = "allow api cfg cfg_attr deny deprecated doc expect forbid non_exhaustive serde warn";
/// Attributes of tools, by the first part of their path.
pub const TOOLS: &str = "clippy diagnostic miri rust_analyzer rustfmt";
/// Derives of the standard library, which read no attributes of fields.
pub const STD_DERIVES: &str = "Clone Copy Debug Default Eq Hash Ord PartialEq PartialOrd";
/// What `#[doc(…)]` can have.
const OF_DOC: &str = "alias auto_cfg cfg hidden inline masked no_inline notable_trait test";

/// Whether a word is in a list of words.
pub fn has(words: &str, name: &str) -> bool {
    words.split(' ').any(|word| word == name)
}

/// Reads the paths of all attributes as the compiler does, for which `r#doc` is `doc`, and reports those that have no meaning.
pub fn known_attributes(input: &mut DeriveInput, errors: &mut CompileErrors) {
    plain_paths(&mut input.attrs);
    let derives = input.attrs.iter().filter(|attribute| attribute.path().is_ident("derive"));
    let derives: Vec<Path> = derives
        .filter_map(|derive| derive.parse_args_with(Punctuated::<Path, Comma>::parse_terminated).ok())
        .flatten()
        .collect();
    let is_of_std = |path: &Path| path.segments.last().is_some_and(|last| has(STD_DERIVES, &last.ident.to_string()));
    let has_readers = !derives.iter().all(is_of_std);
    for attribute in &input.attrs {
        hidden_marker(attribute, errors);
    }
    let mut part = |attributes: &mut Vec<Attribute>| {
        plain_paths(attributes);
        for attribute in attributes {
            let path = attribute.path();
            let first = path.segments.first().map(|first| first.ident.to_string()).unwrap_or_default();
            let is_known = match path.get_ident() {
                Some(_) => has(KNOWN, &first) || of_other_derives(path).is_some(),
                None => has(TOOLS, &first),
            };
            if !hidden_marker(attribute, errors) && !is_known && !has_readers {
                let name = path.to_token_stream().to_string().replace(' ', "");
                errors.at(
                    path,
                    format!("nothing reads the attribute `{name}` here: remove it, or derive the trait that it is for"),
                );
            }
        }
    };
    for parameter in &mut input.generics.params {
        match parameter {
            GenericParam::Type(parameter) => part(&mut parameter.attrs),
            GenericParam::Const(parameter) => part(&mut parameter.attrs),
            GenericParam::Lifetime(parameter) => part(&mut parameter.attrs),
        }
    }
    let fields: Vec<&mut Fields> = match &mut input.data {
        syn::Data::Struct(data) => vec![&mut data.fields],
        syn::Data::Enum(data) => {
            let variants = data.variants.iter_mut().map(|variant| {
                part(&mut variant.attrs);
                &mut variant.fields
            });
            variants.collect()
        }
        syn::Data::Union(_) => Vec::new(),
    };
    fields.into_iter().flatten().for_each(|field| part(&mut field.attrs));
    for attribute in input.generics.params.iter().flat_map(|parameter| match parameter {
        GenericParam::Type(parameter) => &parameter.attrs,
        GenericParam::Const(parameter) => &parameter.attrs,
        GenericParam::Lifetime(parameter) => &parameter.attrs,
    }) {
        errors.at(
            attribute,
            "a parameter of a type has no description and no markers: put them on the type or on its fields",
        );
    }
}

/// Paths without `r#`.
fn plain_paths(attributes: &mut [Attribute]) {
    for attribute in attributes {
        let path = match &mut attribute.meta {
            Meta::Path(path) => path,
            Meta::List(list) => &mut list.path,
            Meta::NameValue(pair) => &mut pair.path,
        };
        for part in &mut path.segments {
            part.ident = Ident::new(&plain(&part.ident), part.ident.span());
        }
    }
}

/// Whether an attribute that is not documentation reads as a marker, which is reported.
fn hidden_marker(attribute: &Attribute, errors: &mut CompileErrors) -> bool {
    let path = attribute.path();
    let name = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    let is_known = path.is_ident(&name) && has(KNOWN, &name) || path.is_ident("derive");
    if let Some(marker) = meant(&name).filter(|_| !is_known) {
        errors.at(attribute, format!("the attribute `{name}` is not the marker `+{marker}`: write `/// +{marker}`"));
        return true;
    }
    let Meta::List(list) = &attribute.meta else { return false };
    if path.is_ident("doc") {
        let words = list.tokens.clone().into_iter().find_map(|token| match token {
            TokenTree::Ident(word) if !has(OF_DOC, &plain(&word)) => Some(word),
            _ => None,
        });
        if let Some(word) = words {
            errors.at(&word, format!("`#[doc({word})]` has no meaning: a description and markers are `///`"));
            return true;
        }
    }
    if path.is_ident("serde") || path.is_ident("api") {
        return false;
    }
    let is_lint = has("allow deny expect forbid warn", &name);
    let Some(text) = marker_in(list.tokens.clone(), is_lint) else { return false };
    errors.at(attribute, format!("`{}` in an attribute is not read: write markers as `///`", shortened(&text)));
    true
}

/// A text in tokens that reads as a marker, or a lint with the name of a channel.
fn marker_in(tokens: TokenStream, is_lint: bool) -> Option<String> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => marker_in(group.stream(), is_lint),
        TokenTree::Ident(word) if is_lint => {
            let word = plain(&word);
            CHANNELS.iter().any(|channel| channel.name == word).then_some(word)
        }
        TokenTree::Literal(literal) => {
            let text = syn::parse2::<LitStr>(TokenTree::Literal(literal).into()).ok()?.value();
            disguises(&text)
                .into_iter()
                .find(|disguise| !disguise.escaped)
                .map(|disguise| text[disguise.range].to_owned())
        }
        _ => None,
    })
}

/// Takes the attributes of something apart.
pub fn attributes(list: Vec<Attribute>, target: Target, errors: &mut CompileErrors) -> Attributes {
    let mut result = Attributes { foreign_descriptions: true, ..Attributes::default() };
    let mut docs: Vec<(Attribute, String)> = Vec::new();
    for attribute in list {
        let path = attribute.path();
        if path.is_ident("doc") {
            match doc_text(&attribute) {
                DocText::Text(text) => docs.push((attribute, text)),
                DocText::Macro => errors.at(
                    &attribute,
                    "`#[api]` runs before this macro is expanded, so its description and markers would be lost: write the text out",
                ),
                DocText::Other => result.kept.push(attribute),
            }
        } else if path.is_ident("cfg") || path.is_ident("cfg_attr") {
            if matches!(target, Target::Field | Target::Variant) {
                errors.at(
                    &attribute,
                    "`#[api]` runs before `cfg` on fields and variants is evaluated, so the schema would be wrong: put the `cfg` on the whole type, or write `+experimental`",
                );
            } else {
                result.kept.push(attribute);
            }
        } else if path.is_ident("serde") {
            serde(&attribute, target, &mut result.serde, errors);
        } else if path.is_ident("api") {
            field_option(&attribute, target, &mut result, errors);
        } else if let Some((name, instead)) = of_other_derives(path) {
            errors.at(path, format!("`#[api]` does not read `{name}`, which belongs to another derive: {instead}"));
        } else {
            result.kept.push(attribute);
        }
    }
    documented(docs, target, &mut result, errors);
    result
}

/// How many wrong markers of one doc comment are reported: each is compared with all names.
const MOST_FAULTY: usize = 100;

/// Takes doc comments apart: the description, the markers, and the attributes that stay.
fn documented(docs: Vec<(Attribute, String)>, target: Target, result: &mut Attributes, errors: &mut CompileErrors) {
    let taken_apart = documentation(docs.iter().map(|(_, text)| text.as_str()));
    let lines = |range: std::ops::Range<usize>| Lines::of(&docs[range]);
    let mut is_marker = vec![false; docs.len()];
    let misplaced = [
        (&taken_apart.unclosed, "the backtick string in `+", "` is not closed: add the closing backtick"),
        (
            &taken_apart.fenced,
            "`+",
            "` is in a code fence that is not closed, so it would be lost: close the fence before it",
        ),
        (
            &taken_apart.swallowed,
            "`+",
            "` is in a backtick string that a marker above it opens: close the string before it",
        ),
    ];
    for (texts, before, behind) in misplaced {
        for text in texts {
            errors.at(lines(text.attributes.clone()), format!("{before}{}{behind}", shortened(&text.text)));
        }
    }
    for DisguisedMarker { marker, text, attributes } in &taken_apart.disguised {
        let is_read_as = if text == marker {
            "is not alone on its line".to_owned()
        } else {
            format!("looks like the marker `{}`", shortened(marker))
        };
        errors.at(
            lines(attributes.clone()),
            format!(
                "`{}` {is_read_as}, so it would be published as text: write the marker on a line of its own, or `\\+` if it is prose",
                shortened(text)
            ),
        );
    }
    for text in taken_apart.markers.iter().chain(&taken_apart.unclosed) {
        is_marker[text.attributes.clone()].fill(true);
    }
    let placed = taken_apart.markers.iter().map(|text| (text.text.as_str(), lines(text.attributes.clone())));
    result.markers.extend(located(placed, target, errors));
    // A block comment is one attribute: its prose and markers cannot be parted, so it is kept as it is.
    let prose = docs
        .into_iter()
        .zip(is_marker)
        .filter(|((_, text), is_marker)| !is_marker || text.contains('\n'))
        .map(|(prose, _)| prose);
    result.kept.splice(0..0, joined(prose));
    result.description = taken_apart.description;
}

/// Reads the texts of markers.
fn located<'a>(
    texts: impl Iterator<Item = (&'a str, Lines)>,
    target: Target,
    errors: &mut CompileErrors,
) -> Vec<LocatedMarker> {
    let (mut markers, mut faulty) = (Vec::new(), 0);
    for (text, lines) in texts {
        match parse(text, target) {
            Ok(marker) => markers.push(LocatedMarker { marker, lines }),
            Err(messages) => {
                messages.into_iter().for_each(|message| errors.at(&lines, message));
                faulty += 1;
            }
        }
        if faulty == MOST_FAULTY {
            break;
        }
    }
    markers
}

/// Attributes of the derives that `#[api]` replaces, and what to write instead. Without their derive, rustc does not find them.
const OF_OTHER_DERIVES: [(&str, &str); 3] = [
    (
        "kube",
        "write group, version and kind into `#[api(…)]` above a root struct, and the rest as markers (docs/from-kube-rs.md)",
    ),
    ("x_kube", "write `+kubebuilder:validation:XValidation:rule=\"…\",message=\"…\"` into the doc comment"),
    ("schemars", "write markers into the doc comment, such as `+kubebuilder:validation:Minimum=1`"),
];

fn of_other_derives(path: &Path) -> Option<&'static (&'static str, &'static str)> {
    OF_OTHER_DERIVES.iter().find(|(name, _)| path.is_ident(name))
}

/// Whether the emitted item does not have attributes of this name.
pub fn is_taken(path: &Path) -> bool {
    path.is_ident("serde") || path.is_ident("api") || of_other_derives(path).is_some()
}

/// One attribute with all lines: each attribute of the emitted item costs time in every build.
fn joined(mut lines: impl Iterator<Item = (Attribute, String)>) -> Option<Attribute> {
    let (mut attribute, mut text) = lines.next()?;
    for (_, line) in lines {
        text.push('\n');
        text.push_str(&line);
    }
    if let Meta::NameValue(pair) = &mut attribute.meta {
        let lit = Lit::Str(LitStr::new(&text, attribute.pound_token.span));
        pair.value = Expr::Lit(ExprLit { attrs: Vec::new(), lit });
    }
    Some(attribute)
}

enum DocText {
    Text(String),
    Macro,
    Other,
}

fn doc_text(attribute: &Attribute) -> DocText {
    let Meta::NameValue(pair) = &attribute.meta else { return DocText::Other };
    let mut value = &pair.value;
    // What came through a `macro_rules!` is grouped.
    while let Expr::Group(group) = value {
        value = &group.expr;
    }
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => DocText::Text(text.value()),
        _ => DocText::Macro,
    }
}

fn field_option(attribute: &Attribute, target: Target, result: &mut Attributes, errors: &mut CompileErrors) {
    if let Meta::Path(_) = attribute.meta {
        let target_text = match target {
            Target::Field => "a field accepts only `#[api(foreign)]`",
            Target::Variant => "a variant accepts none",
            Target::Type | Target::Resource => "it appears twice",
        };
        errors.at(attribute, format!("`#[api]` belongs above the whole type: {target_text}"));
        return;
    }
    let mut descriptions = None;
    let parsed = attribute.parse_nested_meta(|meta| {
        if meta.path.is_ident("foreign") && target == Target::Field {
            result.foreign = true;
            return Ok(());
        }
        if meta.path.is_ident("descriptions") && target == Target::Field {
            result.foreign_descriptions = meta.value()?.parse::<LitBool>()?.value;
            descriptions = Some(meta.path.to_token_stream());
            return Ok(());
        }
        let name = meta.path.to_token_stream().to_string();
        errors.at(
            &meta.path,
            match (target, nearest(&name, ["foreign", "descriptions"])) {
                (Target::Field, Some(near)) => format!("unknown option `{name}`: did you mean `{near}`?"),
                (Target::Field, None) => format!(
                    "unknown option `{name}`: on a field, `#[api(…)]` accepts only `foreign` and `descriptions`; everything else is a marker in the doc comment"
                ),
                (Target::Variant, _) => format!("`{name}` is not allowed on a variant: put `#[api(…)]` above the whole type"),
                (Target::Type | Target::Resource, _) => "put all options into one `#[api(…)]`".to_owned(),
            },
        );
        pass_over(&meta)
    });
    if let Err(error) = parsed {
        errors.take(error);
    }
    if let Some(path) = descriptions.filter(|_| !result.foreign) {
        errors.at(
            path,
            "`descriptions` is about the text of a foreign type: write `#[api(foreign, descriptions = false)]`",
        );
    }
}

/// What an attribute of serde that is refused is usually wanted for, and what to do instead.
const SERDE_INSTEAD: [(&str, &str); 12] = [
    ("deny_unknown_fields", "readers are lenient, because an object may have fields from a newer bundle"),
    (
        "untagged",
        "an untagged object does not name its variant, and a Kubernetes schema has one type for each field. Remove `untagged`, so that each variant is a field, or write `tag = \"…\"` with the name of a field that names the variant",
    ),
    ("tag", "it names the variant in an enum with data, so it belongs above such an enum"),
    (
        "content",
        "its field would have another type in each variant, and a Kubernetes schema has one type for each field. Remove `content`, so that the fields of a variant are next to `tag`, or remove both, so that each variant is a field",
    ),
    ("other", "`#[api]` adds the variant `Unrecognized`, which keeps the value that was read"),
    ("with", "make a newtype for the other form"),
    ("serialize_with", "make a newtype for the other form"),
    ("deserialize_with", "make a newtype for the other form"),
    ("skip_serializing", "a field is both read and written or, with `skip`, neither"),
    ("skip_deserializing", "a field is both read and written or, with `skip`, neither"),
    ("transparent", "a struct with one unnamed field is always transparent"),
    ("rename_all_fields", "it belongs above an enum with data"),
];

fn serde(attribute: &Attribute, target: Target, result: &mut Serde, errors: &mut CompileErrors) {
    let is_field = target == Target::Field;
    let is_variant = target == Target::Variant;
    let is_type = !is_field && !is_variant;
    let parsed = attribute.parse_nested_meta(|meta| {
        let path = &meta.path;
        if path.is_ident("rename") && (is_field || is_variant) {
            if meta.input.peek(syn::token::Paren) {
                errors.at(path, "use one name for reading and writing: write `rename = \"…\"`");
                return pass_over(&meta);
            }
            once(&mut result.rename, meta.value()?.parse()?, path, errors);
        } else if path.is_ident("tag") && is_type {
            result.only_for_unions = path.get_ident().cloned();
            let value: LitStr = meta.value()?.parse()?;
            if value.value().is_empty() {
                errors.at(&value, "the field that names the variant needs a name");
            }
            once(&mut result.tag, value, path, errors);
        } else if (path.is_ident("rename_all") || path.is_ident("rename_all_fields")) && is_type {
            return rename_all(&meta, result, errors);
        } else if path.is_ident("flatten") && is_field {
            result.flatten = true;
        } else if path.is_ident("skip") && is_field {
            result.skip = true;
        } else if path.is_ident("alias") && (is_field || is_variant) {
            result.aliases.push(meta.value()?.parse()?);
        } else if path.is_ident("default") && !is_variant {
            return serde_default(&meta, is_field, result, errors);
        } else if path.is_ident("skip_serializing_if") && is_field {
            let value: LitStr = meta.value()?.parse()?;
            match value.value().as_str() {
                "Option::is_none" => {}
                "Vec::is_empty" | "BTreeMap::is_empty" => result.skip_empty = Some(value),
                _ => errors.at(
                    &value,
                    "only `Option::is_none` is supported, and `Vec::is_empty` or `BTreeMap::is_empty` with `default`: make the field an `Option`",
                ),
            }
        } else {
            let name = path.to_token_stream().to_string();
            result.is_refused_form |= is_type && matches!(name.as_str(), "untagged" | "content");
            errors.at(path, refused_serde(&name, target));
            return pass_over(&meta);
        }
        Ok(())
    });
    if let Err(error) = parsed {
        errors.take(error);
    }
}

fn rename_all(meta: &ParseNestedMeta<'_>, result: &mut Serde, errors: &mut CompileErrors) -> syn::Result<()> {
    let path = &meta.path;
    if meta.input.peek(syn::token::Paren) {
        errors.at(path, "use one case for reading and writing: write `rename_all = \"…\"`");
        return pass_over(meta);
    }
    let value: LitStr = meta.value()?.parse()?;
    let name = value.value();
    match CASES.iter().find(|(supported, _)| *supported == name) {
        Some((_, case)) if path.is_ident("rename_all") => once(&mut result.rename_all, *case, path, errors),
        Some((_, case)) => {
            result.only_for_unions = path.get_ident().cloned();
            once(&mut result.rename_all_fields, *case, path, errors);
        }
        None => errors.at(
            &value,
            match nearest(&name, CASES.map(|(supported, _)| supported)) {
                Some(near) => format!("unknown case `{name}`: did you mean `{near}`?"),
                None => format!("unknown case `{name}`: one of {}", CASES.map(|(supported, _)| supported).join(", ")),
            },
        ),
    }
    Ok(())
}

fn serde_default(
    meta: &ParseNestedMeta<'_>,
    is_field: bool,
    result: &mut Serde,
    errors: &mut CompileErrors,
) -> syn::Result<()> {
    let is_function = meta.input.peek(syn::Token![=]);
    if is_function && !is_field {
        errors.at(&meta.path, "the default of a type is the zero of each field: write `default` on the fields");
        return pass_over(meta);
    }
    if is_function {
        let text: LitStr = meta.value()?.parse()?;
        match limits::text(&text) {
            Ok(function) => result.default = Some(SerdeDefault::Function(text, function)),
            Err(_) => errors.at(&text, "not the path of a function without arguments"),
        }
    } else if is_field {
        result.default = meta.path.get_ident().cloned().map(SerdeDefault::Zero);
    }
    Ok(())
}

fn refused_serde(name: &str, target: Target) -> String {
    let understood: &[&str] = match target {
        Target::Field => &["rename", "flatten", "skip", "default", "alias", "skip_serializing_if"],
        Target::Variant => &["rename", "alias"],
        Target::Type | Target::Resource => &["rename_all", "rename_all_fields", "tag", "default"],
    };
    let hint = match SERDE_INSTEAD.iter().find(|(supported, _)| *supported == name) {
        Some((_, instead)) => format!(": {instead}"),
        None => match nearest(name, understood.iter().copied()) {
            Some(near) => format!(": did you mean `{near}`?"),
            None => format!(
                ", so that wire form and schema agree: on a {} it supports {}",
                target.name(),
                understood.join(", ")
            ),
        },
    };
    format!("`#[api]` rejects serde's `{name}` here{hint}")
}

/// A name of Rust without the `r#` before it.
pub fn plain(name: &Ident) -> String {
    let text = name.to_string();
    text.strip_prefix("r#").map(str::to_owned).unwrap_or(text)
}
