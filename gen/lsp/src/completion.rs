//! What can be written at a place of an object.
//!
//! Invariants: nothing is proposed that the schema of the object does not have, at no path that it does not have, and no key twice. The proposals are
//! in the order in which they are shown: required keys first. Fields of another channel are not proposed, nor is the status of an object, which
//! servers do not take from a file.

#[cfg(test)]
pub(crate) mod tests;

use crd_model::crd::{Version, priority};
use crd_model::schema::{Schema, Step};
use crd_model::yaml::{TextPosition, read};
use serde_json::Value;

use crate::cursor::{At, Cursor, Quote, Style, cursor};
use crate::fields::{Field, OBJECT, field, is_kind, is_required};
use crate::kinds::Kinds;
use crate::words::{about, members, scalar_text, type_in_words};

/// A proposal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Proposal {
    /// What is shown, and what is written in place of the text from `start` to the position. Lines behind the first have their whole indentation.
    pub(crate) label: String,
    pub(crate) insert: String,
    /// The type, in a few words.
    pub(crate) detail: String,
    /// Markdown.
    pub(crate) documentation: String,
    pub(crate) is_key: bool,
}

/// The proposals at a position of a text, and the column, from 1 in characters, from which they replace the text of the line.
pub(crate) fn completion(text: &str, position: TextPosition, kinds: &Kinds) -> (usize, Vec<Proposal>) {
    let is_kind = |api_version: &str, kind: &str| is_kind(kinds, api_version, kind);
    let Some(cursor) = cursor(text, position, &is_kind) else { return (position.column, Vec::new()) };
    let proposals = match (&cursor.at, &*cursor.path) {
        (At::Key { siblings, .. }, []) => root_keys(&cursor, siblings, kinds),
        (At::Key { siblings, .. }, _) => keys(&cursor, siblings, kinds),
        (At::Value { .. }, [Step::Field("apiVersion")]) => api_versions(&cursor, kinds),
        (At::Value { .. }, [Step::Field("kind")]) => kind_names(&cursor, kinds),
        (At::Value { .. }, _) => here(kinds, &cursor).map(|field| values(&cursor, &field)).unwrap_or_default(),
    };
    (cursor.word.start, proposals)
}

/// The field at a place, if objects are validated against it.
fn here<'k>(kinds: &'k Kinds, cursor: &Cursor<'_>) -> Option<Field<'k>> {
    field(kinds, cursor, &cursor.path).filter(|field| field.only_in.is_none())
}

/// The keys of an object.
fn root_keys(cursor: &Cursor<'_>, siblings: &[&str], kinds: &Kinds) -> Vec<Proposal> {
    let spec = Schema { kind: Some("object".into()), ..Schema::default() };
    let is_object = siblings.iter().any(|key| ["apiVersion", "kind", "metadata", "spec"].contains(key));
    if !is_object && !siblings.is_empty() {
        return Vec::new();
    }
    let mut fields = properties(&OBJECT);
    match kinds.version(cursor.api_version, cursor.kind) {
        Some((_, version)) => {
            let has_status = version.subresources.as_ref().is_some_and(|subresources| subresources.status);
            let is_own = |name: &str| OBJECT.properties.get(name).is_none() && !(has_status && name == "status");
            fields.extend(properties(&version.schema).into_iter().filter(|(name, ..)| is_own(name)));
        }
        None if cursor.api_version.is_empty() || cursor.kind.is_empty() => fields.push(("spec", &spec, false)),
        None => {}
    }
    proposed(cursor, siblings, fields, false)
}

/// The fields of a node with whether they are required: those first.
fn properties(node: &Schema) -> Vec<(&str, &Schema, bool)> {
    let fields = node.properties.iter().map(|(name, field)| (&**name, field, is_required(node, name)));
    let (mut required, optional) = fields.partition::<Vec<_>, _>(|(.., is_required)| *is_required);
    required.extend(optional);
    required
}

/// The keys of a map below the root, or the values of an item that is typed.
fn keys(cursor: &Cursor<'_>, siblings: &[&str], kinds: &Kinds) -> Vec<Proposal> {
    let Some(field) = here(kinds, cursor) else { return Vec::new() };
    let is_list = field.node.kind.as_deref() == Some("array");
    let node = match field.node.items.as_deref() {
        Some(items) if is_list && cursor.style == Style::Block => items,
        _ => field.node,
    };
    if node.properties.is_empty() && !is_list && field.path.last() == Some(&Step::Item) {
        return values(cursor, &field);
    }
    let is_cluster = matches!(&*cursor.path, [Step::Field("metadata")])
        && kinds
            .version(cursor.api_version, cursor.kind)
            .is_some_and(|(crd, _)| crd.scope == crd_model::crd::Scope::Cluster);
    let mut fields = properties(node);
    fields.retain(|(name, ..)| !is_cluster || *name != "namespace");
    proposed(cursor, siblings, fields, is_list)
}

fn proposed(
    cursor: &Cursor<'_>,
    siblings: &[&str],
    fields: Vec<(&str, &Schema, bool)>,
    is_list: bool,
) -> Vec<Proposal> {
    let missing = fields.into_iter().filter(|(name, ..)| !siblings.contains(name));
    let proposal = |(name, node, is_required): (&str, &Schema, bool)| Proposal {
        label: name.to_owned(),
        insert: key_text(cursor, name, node, is_list),
        detail: type_in_words(node) + if is_required { ", required" } else { "" },
        documentation: about(node),
        is_key: true,
    };
    missing.map(proposal).collect()
}

/// A key with what follows it: `ports:`, and a dash in the next line.
fn key_text(cursor: &Cursor<'_>, name: &str, node: &Schema, is_item: bool) -> String {
    let At::Key { indent, is_entry, .. } = cursor.at else { return name.to_owned() };
    match (cursor.style, cursor.word.quote) {
        _ if is_entry => name.to_owned(),
        (Style::Json, Quote::None) => format!("\"{name}\": "),
        (Style::Json, Quote::Open) => format!("{name}\": "),
        (_, Quote::Open | Quote::Closed) => name.to_owned(),
        (Style::Flow, Quote::None) => format!("{name}: "),
        (Style::Block, Quote::None) => {
            let (dash, indent) = if is_item { ("- ", indent + 2) } else { ("", indent) };
            let inner = " ".repeat(indent + 2);
            match node.kind.as_deref() {
                Some("array") => format!("{dash}{name}:\n{inner}- "),
                Some("object") => format!("{dash}{name}:\n{inner}"),
                _ => format!("{dash}{name}: "),
            }
        }
    }
}

/// The values of a scalar that its schema names: those of an enum, booleans, the default, and those that rules of the map around it compare it with.
fn values(cursor: &Cursor<'_>, field: &Field<'_>) -> Vec<Proposal> {
    let Field { node, around, path, .. } = field;
    let (enumeration, kind) = (members(node), node.kind.as_deref());
    let booleans = [Value::Bool(true), Value::Bool(false)];
    let mut found = enumeration.iter().map(|value| (*value).clone()).collect::<Vec<_>>();
    if enumeration.is_empty() {
        found.extend(booleans.into_iter().filter(|_| kind == Some("boolean")));
        found.extend(node.default.clone().filter(|default| !default.is_object() && !default.is_array()));
        let named = around.zip(path.last().and_then(Step::name)).filter(|_| kind == Some("string"));
        found.extend(named.into_iter().flat_map(|(around, name)| compared(around, name)).map(Value::from));
    }
    let mut proposals = Vec::<Proposal>::new();
    for value in found {
        let Some(insert) = value_text(cursor, &value) else { continue };
        let label = scalar_text(&value).into_owned();
        let detail = if node.default.as_ref() == Some(&value) { "default" } else { "" }.to_owned();
        if proposals.iter().all(|proposal| proposal.label != label) {
            proposals.push(Proposal { label, insert, detail, documentation: about(node), is_key: false });
        }
    }
    proposals
}

/// The texts that rules of a map compare a field with: `self.type == 'A'`.
fn compared<'n>(node: &'n Schema, name: &str) -> Vec<&'n str> {
    let start = format!("self.{name} == ");
    let texts = node.validations.iter().flat_map(|rule| rule.rule.split(&*start).skip(1));
    let literal = |text: &'n str| {
        let quote = text.chars().next().filter(|quote| ['\'', '"'].contains(quote))?;
        text[1..].split_once(quote).map(|(literal, _)| literal)
    };
    texts.filter_map(literal).filter(|literal| !literal.contains('\\') && !literal.is_empty()).collect()
}

/// A scalar as it is written at a place; none if it cannot be written between existing quotes.
fn value_text(cursor: &Cursor<'_>, value: &Value) -> Option<String> {
    let written = match (cursor.word.quote, value.as_str(), cursor.style) {
        (Quote::None, Some(text), Style::Block | Style::Flow) if is_plain(text, cursor.style) => text.to_owned(),
        (Quote::None, ..) => value.to_string(),
        (Quote::Open | Quote::Closed, text, _) => {
            text.filter(|text| !text.contains(['"', '\'', '\\', '\n']))?.to_owned()
        }
    };
    let is_open = cursor.style == Style::Json && cursor.word.quote == Quote::Open;
    let space = if cursor.at == (At::Value { needs_space: true }) { " " } else { "" };
    Some(format!("{space}{written}{}", if is_open { "\"" } else { "" }))
}

/// Whether a text is itself without quotes.
fn is_plain(text: &str, style: Style) -> bool {
    let is_word = !text.is_empty() && !text.contains([',', '[', ']', '{', '}', '\n', '#']);
    (style == Style::Block || is_word) && read(text).is_ok_and(|documents| documents == [text])
}

/// The versions of the kind that is written, or of all kinds, the newest first.
fn api_versions(cursor: &Cursor<'_>, kinds: &Kinds) -> Vec<Proposal> {
    let mut found = kinds.all().filter(|(_, kind)| cursor.kind.is_empty() || *kind == cursor.kind).collect::<Vec<_>>();
    let version_of = |api_version: &'_ str| api_version.rsplit('/').next().unwrap_or_default().to_owned();
    found.sort_by(|(left, _), (right, _)| {
        let [left_name, right_name] = [left, right].map(|api_version| version_of(api_version));
        priority(&right_name).cmp(&priority(&left_name)).then_with(|| left.cmp(right))
    });
    let mut proposals = Vec::<Proposal>::new();
    for (api_version, kind) in found {
        match proposals.iter_mut().find(|proposal| proposal.label == api_version) {
            Some(proposal) if cursor.kind.is_empty() => proposal.documentation += &format!(", {kind}"),
            Some(_) => {}
            None if cursor.kind.is_empty() => {
                let documentation = format!("Kinds: {kind}");
                proposals.extend(name_proposal(cursor, api_version, String::new(), documentation));
            }
            None => {
                let (detail, documentation) = deprecation(kinds, &api_version, kind);
                proposals.extend(name_proposal(cursor, api_version, detail, documentation));
            }
        }
    }
    proposals
}

/// The kinds of the API version that is written, or of all of them.
fn kind_names(cursor: &Cursor<'_>, kinds: &Kinds) -> Vec<Proposal> {
    let is_wanted = |api_version: &str| cursor.api_version.is_empty() || api_version == cursor.api_version;
    let mut proposals = Vec::<Proposal>::new();
    for (api_version, kind) in kinds.all().filter(|(api_version, _)| is_wanted(api_version)) {
        if proposals.iter().any(|proposal| proposal.label == kind) {
            continue;
        }
        let (detail, documentation) = match cursor.api_version.is_empty() {
            true => (api_version, String::new()),
            false => deprecation(kinds, &api_version, kind),
        };
        proposals.extend(name_proposal(cursor, kind.to_owned(), detail, documentation));
    }
    proposals
}

fn name_proposal(cursor: &Cursor<'_>, label: String, detail: String, documentation: String) -> Option<Proposal> {
    let insert = value_text(cursor, &Value::from(&*label))?;
    Some(Proposal { label, insert, detail, documentation, is_key: false })
}

/// Whether a version is deprecated, and its warning or else what its objects are.
fn deprecation(kinds: &Kinds, api_version: &str, kind: &str) -> (String, String) {
    match kinds.version(api_version, kind) {
        Some((_, Version { deprecated: true, deprecation_warning, .. })) => {
            ("deprecated".to_owned(), deprecation_warning.as_deref().unwrap_or_default().to_owned())
        }
        Some((_, version)) => (String::new(), version.schema.description.as_deref().unwrap_or_default().to_owned()),
        None => Default::default(),
    }
}
