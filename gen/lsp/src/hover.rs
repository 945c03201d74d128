//! What a schema has for a field of an object, in words.

#[cfg(test)]
mod tests;

use crd_model::channel::Channel;
use crd_model::crd::{CustomResourceDefinition, Version};
use crd_model::schema::{Step, path};
use crd_model::yaml::TextPosition;

use crate::cursor::{At, Cursor, cursor};
use crate::fields::{Field, field, is_kind};
use crate::kinds::Kinds;
use crate::words::{about, code, members, scalar_text, type_in_words};

/// Words about a part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hover {
    /// Markdown.
    pub(crate) text: String,
    /// Where the part begins, and how many characters it has.
    pub(crate) start: TextPosition,
    pub(crate) length: usize,
}

/// Words about what is at a position of a text.
pub(crate) fn hover(text: &str, position: TextPosition, kinds: &Kinds) -> Option<Hover> {
    let is_kind = |api_version: &str, kind: &str| is_kind(kinds, api_version, kind);
    let cursor = cursor(text, position, &is_kind)?;
    if cursor.word.raw.is_empty() {
        return None;
    }
    let text = match cursor.at {
        At::Key { .. } => key(&cursor, kinds)?,
        At::Value { .. } => value(&cursor, kinds)?,
    };
    let start = TextPosition { line: position.line, column: cursor.word.start };
    Some(Hover { text, start, length: cursor.word.length() })
}

fn key(cursor: &Cursor<'_>, kinds: &Kinds) -> Option<String> {
    let mut steps = cursor.path.clone();
    steps.push(Step::Field(cursor.word.raw));
    if let ([Step::Field("apiVersion" | "kind")], Some(text)) = (&*steps, about_kind(cursor, kinds)) {
        return Some(text);
    }
    match field(kinds, cursor, &steps) {
        Some(field) => Some(format!("**{}**: {}", path::text(&field.path), words(&field))),
        None => value(cursor, kinds),
    }
}

/// The type of a field, and its further facts.
fn words(field: &Field<'_>) -> String {
    let need = match field.is_required() {
        Some(true) => ", required",
        Some(false) => ", optional",
        None => "",
    };
    let channel = field.only_in.map(|channel| format!("\n\n{}", only_in(channel))).unwrap_or_default();
    let about = about(field.node);
    let gap = if about.is_empty() { "" } else { "\n\n" };
    format!("{}{need}{channel}{gap}{about}", type_in_words(field.node))
}

fn only_in(channel: Channel) -> String {
    format!("Only in the {} channel", channel.name())
}

/// Words about a value of an enum, or the name of a kind or API version.
fn value(cursor: &Cursor<'_>, kinds: &Kinds) -> Option<String> {
    if let [Step::Field("apiVersion" | "kind")] = &*cursor.path {
        return about_kind(cursor, kinds);
    }
    let field = field(kinds, cursor, &cursor.path)?;
    let is_member = members(field.node).into_iter().any(|member| scalar_text(member) == cursor.word.raw);
    let path = path::text(&field.path);
    is_member.then(|| format!("{}, a value of **{path}**: {}", code(cursor.word.raw), words(&field)))
}

/// Words about the kind of an object.
fn about_kind(cursor: &Cursor<'_>, kinds: &Kinds) -> Option<String> {
    let Cursor { api_version, kind, .. } = cursor;
    if let Some((crd, version)) = kinds.version(api_version, kind) {
        return Some(kind_in_words(kind, crd, version));
    }
    let (channel, version) = kinds.in_other_channel(api_version, kind)?;
    let about = about(&version.schema);
    Some(format!("**{kind}** of {}\n\n{}\n\n{about}", code(api_version), only_in(channel)))
}

fn kind_in_words(kind: &str, crd: &CustomResourceDefinition, version: &Version) -> String {
    let served = crd.versions.iter().filter(|version| version.served);
    let served = served.map(|version| code(&version.name) + if version.deprecated { " (deprecated)" } else { "" });
    let served = served.collect::<Vec<_>>().join(", ");
    let mut parts = vec![format!("**{kind}**: {}", code(&crd.name)), format!("Served versions: {served}")];
    let channel = crd.annotations.iter().find(|(key, _)| key.ends_with("/channel"));
    let channel = channel.and_then(|(_, name)| Channel::named(name));
    parts.extend(channel.map(|channel| format!("Channel: {}", channel.name())));
    if version.deprecated {
        let warning = version.deprecation_warning.as_deref().unwrap_or("this version is deprecated");
        parts.push(format!("Deprecated: {warning}"));
    }
    parts.extend(Some(about(&version.schema)).filter(|about| !about.is_empty()));
    parts.join("\n\n")
}
