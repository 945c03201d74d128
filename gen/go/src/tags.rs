//! Gateway API's tags in doc comments, as its generator reads them: `<gateway:experimental>`, `<gateway:CHANNEL:validation:X>` and the tags around
//! descriptions. A tag becomes the marker with the same effect.
//!
//! Invariants: every tag is read or refused by its name; text around a description is not read here, because controller-gen's description has it.

use crd_names::channel::CHANNELS;
use crd_names::{distance, nearest, shortened};

use crate::problem::{Fault, TAG};

/// Tags without a value.
const EXPERIMENTAL: &str = "gateway:experimental";
const ADDRESS: &str = "gateway:validateIPAddress";

/// Tags around a text.
const SPANS: [&str; 2] = ["gateway:experimental:description", "gateway:util:excludeFromCRD"];

/// What upstream's generator does to the items of a list with [`ADDRESS`].
const ADDRESS_RULE: &str = "schema:oneOf={{properties: {type: {enum: {\"IPAddress\"}}, value: {anyOf: {{format: \"ipv4\"},{format: \"ipv6\"}}}}},{properties: {type: {not: {enum: {\"IPAddress\"}}}}}}";

#[derive(Debug)]
pub(crate) enum Tag<'t> {
    /// A marker, without its plus.
    Marker(String),
    /// A marker on the items of the list.
    OfItems(&'static str),
    /// The beginning of a text.
    Opens(&'t str),
    Closes(&'t str),
}

/// The tags of a comment, each with its byte.
pub(crate) fn tags(comment: &str, start: usize) -> Vec<(usize, Result<Tag<'_>, Fault>)> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(at) = comment[from..].find('<').map(|at| from + at) {
        from = at + 1;
        let rest = &comment[from..];
        let name = rest.strip_prefix('/').unwrap_or(rest);
        let is_word = |character: char| character.is_alphanumeric() || matches!(character, ':' | '_' | '-');
        let name = &name[..name.find(|character| !is_word(character)).unwrap_or(name.len())];
        let Some((first, _)) = name.split_once(':') else { continue };
        if first != "gateway" && (first.len() < 4 || distance(&first.to_lowercase(), "gateway", 2) > 2) {
            continue;
        }
        let (tag, length) = tag(rest, name, start + at);
        found.push((start + at, tag));
        from += length;
    }
    found
}

/// The tag behind its bracket, and its length.
fn tag<'t>(rest: &'t str, name: &'t str, at: usize) -> (Result<Tag<'t>, Fault>, usize) {
    let (closes, behind) = (rest.starts_with('/'), &rest[usize::from(rest.starts_with('/')) + name.len()..]);
    let length = rest.len() - behind.len();
    let refused = |message: String| (Err(Fault::new(at, &TAG, message)), length);
    if !closes && let Some((channel, body)) = validation(rest) {
        let Some(end) = body.rfind('>') else { return refused(format!("`<{name}` is not closed: `>` is missing")) };
        let marker = format!("{channel}:kubebuilder:validation:{}", &body[..end]);
        return (Ok(Tag::Marker(marker)), rest.len() - body.len() + end);
    }
    if !behind.starts_with('>') && (SPANS.contains(&name) || [EXPERIMENTAL, ADDRESS].contains(&name)) {
        return refused(format!("`<{name}` is not closed: `>` is missing"));
    }
    let tag = match (name, closes) {
        (EXPERIMENTAL, false) => Tag::Marker("experimental".to_owned()),
        (ADDRESS, false) => Tag::OfItems(ADDRESS_RULE),
        _ if SPANS.contains(&name) && closes => Tag::Closes(name),
        _ if SPANS.contains(&name) => Tag::Opens(name),
        _ => {
            let channels = CHANNELS.iter().map(|row| format!("gateway:{}:validation:", row.name)).collect::<Vec<_>>();
            let known = [EXPERIMENTAL, ADDRESS].into_iter().chain(SPANS).chain(channels.iter().map(String::as_str));
            let hint = match nearest(name, known) {
                Some(near) => format!("did you mean `<{near}>`?"),
                None => format!(
                    "the tags are `<{EXPERIMENTAL}>`, `<gateway:CHANNEL:validation:…>`, `<{}>`, `<{}>` and `<{ADDRESS}>`",
                    SPANS[0], SPANS[1]
                ),
            };
            let slash = if closes { "/" } else { "" };
            return refused(format!("unknown tag `<{slash}{}>`: {hint}", shortened(name)));
        }
    };
    (Ok(tag), length)
}

/// The channel of a tag `<gateway:CHANNEL:validation:…>`, and what follows.
fn validation(rest: &str) -> Option<(&'static str, &str)> {
    let rest = rest.strip_prefix("gateway:")?;
    CHANNELS.iter().find_map(|row| Some((row.name, rest.strip_prefix(row.name)?.strip_prefix(":validation:")?)))
}
