//! The newest release in all its channels as static HTML, for browsers without JavaScript. It has the elements and classes of the script.
//!
//! Invariants: each field of each channel is listed once, with a badge where only one channel has it. Text of CRDs is escaped. A long description
//! is written once; other fields with the same description have its first sentence, and a link.

use std::collections::HashMap;
use std::fmt::Write as _;

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::crd::Version;
use crd_model::schema::{Schema, Step};
use serde_json::Value;

use crate::Site;
use crate::text::{escaped, first_sentence, markdown, shortened};
use crate::tree::{ByChannel, steps};

/// A description that is longer is written once, in bytes.
const LONG: usize = 160;

/// A schema in each channel.
type Schemas<'s> = ByChannel<Option<&'s Schema>>;

/// The reference of the newest release.
pub(crate) fn reference(site: &Site) -> String {
    let Some(release) = site.releases.last() else { return String::new() };
    let mut names: Vec<&str> = Vec::new();
    for channel in Channel::ALL {
        names.extend(release.release.of_channel(channel).iter().map(|crd| &*crd.name));
    }
    names.sort_unstable();
    names.dedup();
    let mut writer = Writer { html: String::new(), described: HashMap::new(), has_channels: site.channels.len() > 1 };
    let _ = write!(writer.html, "<p class=\"lead\">Release {}</p>", shortened(&release.label));
    for name in names {
        writer.resource(Channel::ALL.map(|channel| release.release.crd(channel, name)));
    }
    writer.html
}

struct Writer<'s> {
    html: String,
    /// The number of each long description.
    described: HashMap<&'s str, usize>,
    has_channels: bool,
}

impl<'s> Writer<'s> {
    fn resource(&mut self, crds: ByChannel<Option<&'s CustomResourceDefinition>>) {
        let Some(crd) = crds.iter().flatten().next() else { return };
        let mut versions =
            crds.iter().flatten().flat_map(|crd| &crd.versions).map(|version| &*version.name).collect::<Vec<_>>();
        versions.sort_unstable();
        versions.dedup();
        for name in versions {
            let found = crds.map(|crd| crd?.versions.iter().find(|version| version.name == name));
            self.version(crd, name, found);
        }
    }

    fn version(&mut self, crd: &CustomResourceDefinition, name: &str, versions: ByChannel<Option<&'s Version>>) {
        let Some(first) = versions.iter().flatten().next() else { return };
        let (kind, group, version) = (shortened(&crd.names.kind), shortened(&crd.group), shortened(name));
        let _ = write!(
            self.html,
            "<article class=\"kind\"><header class=\"head\"><p class=\"api\"><code>{group}/{version}</code></p>\
             <h2>{kind} <span class=\"vers\">{version}</span></h2><p class=\"badges\">"
        );
        self.channel_badge(&versions.map(|version| version.is_some()));
        for (is_shown, class, text) in [
            (first.deprecated, "deprecated", "deprecated"),
            (first.storage, "plain", "storage version"),
            (first.served, "plain", "served"),
            (!first.served, "removed", "not served"),
        ] {
            if is_shown {
                self.badge(class, text);
            }
        }
        self.html.push_str("</p>");
        if let Some(warning) = &first.deprecation_warning {
            let _ = write!(self.html, "<p class=\"note\">{}</p>", shortened(warning));
        }
        let schemas = versions.map(|version| version.map(|version| &version.schema));
        self.text(&schemas);
        self.html.push_str("</header>");
        self.facts(&schemas);
        self.fields(&schemas);
        self.html.push_str("</article>\n");
    }

    /// The properties of nodes.
    fn fields(&mut self, schemas: &Schemas<'s>) {
        let steps = steps(schemas.iter().flatten().copied());
        let names = steps.iter().filter_map(Step::name).collect::<Vec<_>>();
        if names.is_empty() {
            return;
        }
        self.html.push_str("<ul class=\"fields\">");
        for name in names {
            self.field(name, schemas);
        }
        self.html.push_str("</ul>");
    }

    fn field(&mut self, name: &'s str, above: &Schemas<'s>) {
        let schemas = above.map(|schema| Step::Field(name).below(schema?));
        let Some(shown) = schemas.iter().rev().flatten().next().copied() else { return };
        let is_new = schemas.map(|schema| schema.is_some());
        let differs = is_new != above.map(|schema| schema.is_some());
        let class = if self.is_experimental(&is_new) { "field experimental" } else { "field" };
        let _ = write!(
            self.html,
            "<li class=\"{class}\"><details><summary class=\"row\"><code class=\"name\">{}</code> <span class=\"type\">{}</span>",
            shortened(name),
            escaped(&type_of(shown))
        );
        let is_required = |schema: &&Schema| schema.required.iter().any(|required| **required == *name);
        if above.iter().flatten().any(is_required) {
            self.badge("required", "required");
        }
        if differs {
            self.channel_badge(&is_new);
        }
        self.html.push_str("</summary><div class=\"about\">");
        let (mut node, mut inner) = (schemas, schemas);
        let mut is_item = false;
        loop {
            if is_item {
                let shown = node.iter().rev().flatten().next().copied();
                let type_of = shown.map(type_of).unwrap_or_default();
                let _ = write!(
                    self.html,
                    "<p class=\"label\">Each item <span class=\"type\">{}</span></p>",
                    escaped(&type_of)
                );
            }
            self.text(&node);
            self.facts(&node);
            inner = if node.iter().any(Option::is_some) { node } else { inner };
            let below = |step: Step<&str>| node.map(|schema| step.below(schema?));
            let next = [Step::Item, Step::Value].map(below).into_iter().find(|next| next.iter().any(Option::is_some));
            let Some(next) = next else { break };
            (node, is_item) = (next, true);
        }
        self.html.push_str("</div>");
        // A list whose items are objects, and an object, have the same place for their fields.
        self.fields(&inner);
        self.html.push_str("</details></li>");
    }

    /// The description, of the most complete channel that has one.
    fn text(&mut self, schemas: &Schemas<'s>) {
        let texts = schemas.iter().rev().flatten();
        let Some(text) = texts.filter_map(|schema| schema.description.as_deref()).next() else { return };
        if text.len() <= LONG {
            let _ = write!(self.html, "<div class=\"text\">{}</div>", markdown(text));
        } else if let Some(number) = self.described.get(text) {
            let first = shortened(&first_sentence(text));
            let _ =
                write!(self.html, "<div class=\"text\"><p>{first} <a href=\"#text-{number}\">Whole text</a></p></div>");
        } else {
            let number = self.described.len();
            self.described.insert(text, number);
            let _ = write!(self.html, "<div class=\"text\" id=\"text-{number}\">{}</div>", markdown(text));
        }
    }

    /// What schemas say about values. Channels that differ are listed one by one.
    fn facts(&mut self, schemas: &Schemas<'_>) {
        let own = schemas.map(|schema| schema.map(rows));
        let present = own.iter().flatten().collect::<Vec<_>>();
        let Some(first) = present.first() else { return };
        if present.iter().all(|other| other == first) {
            self.rows(first, None);
        } else {
            for (channel, rows) in Channel::ALL.iter().zip(&own) {
                if let Some(rows) = rows {
                    self.rows(rows, Some(channel.name()));
                }
            }
        }
        let mut rules: Vec<(&crd_model::schema::Validation, ByChannel<bool>)> = Vec::new();
        for (slot, schema) in schemas.iter().enumerate() {
            for rule in schema.iter().flat_map(|schema| &schema.validations) {
                let index = rules.iter().position(|(known, _)| *known == rule).unwrap_or_else(|| {
                    rules.push((rule, Default::default()));
                    rules.len() - 1
                });
                if let Some(in_channel) = rules.get_mut(index).and_then(|(_, channels)| channels.get_mut(slot)) {
                    *in_channel = true;
                }
            }
        }
        if rules.is_empty() {
            return;
        }
        self.html.push_str("<div class=\"rules\"><p class=\"label\">Validation rules</p><ol>");
        for (rule, channels) in rules {
            let _ = write!(self.html, "<li class=\"rule\"><code class=\"cel\">{}</code>", shortened(&rule.rule));
            if channels != schemas.map(|schema| schema.is_some()) {
                self.channel_badge(&channels);
            }
            for message in rule.message.iter().chain(&rule.message_expression) {
                let _ = write!(self.html, "<p class=\"message\">{}</p>", shortened(message));
            }
            self.html.push_str("</li>");
        }
        self.html.push_str("</ol></div>");
    }

    fn rows(&mut self, rows: &[(String, String)], channel: Option<&str>) {
        if rows.is_empty() {
            return;
        }
        if let Some(channel) = channel {
            let _ = write!(self.html, "<p class=\"label\">In {channel}</p>");
        }
        // One element for each value: a list of terms would make half of all elements of the page.
        self.html.push_str("<p class=\"line\">");
        for (number, (label, value)) in rows.iter().enumerate() {
            let comma = if number > 0 { ", " } else { "" };
            let _ = write!(self.html, "{comma}{} <code>{}</code>", escaped(label), shortened(value));
        }
        self.html.push_str("</p>");
    }

    fn is_experimental(&self, channels: &ByChannel<bool>) -> bool {
        self.has_channels && *channels == [false, true]
    }

    /// A badge if only one of two channels has something.
    fn channel_badge(&mut self, channels: &ByChannel<bool>) {
        match channels {
            _ if !self.has_channels => {}
            [false, true] => self.badge("experimental", "experimental"),
            [true, false] => self.badge("standard", "standard only"),
            _ => {}
        }
    }

    fn badge(&mut self, class: &str, text: &str) {
        let _ = write!(self.html, " <span class=\"badge {class}\">{text}</span>");
    }
}

/// The type of a value, in words.
fn type_of(schema: &Schema) -> String {
    let own = match (&schema.kind, schema.int_or_string) {
        (_, true) => "integer or string",
        (Some(kind), _) => &**kind,
        (None, _) => "any",
    };
    match (&schema.items, schema.values(), &schema.format) {
        (Some(items), _, _) => format!("list of {}", type_of(items)),
        (_, Some(values), _) => format!("map of {}", type_of(values)),
        (_, _, Some(format)) => format!("{own} ({format})"),
        _ => own.to_owned(),
    }
}

/// The keywords of a node that are not shown elsewhere, with their values.
fn rows(schema: &Schema) -> Vec<(String, String)> {
    let own = crate::state::state(schema);
    let Ok(Value::Object(keywords)) = serde_json::from_str::<Value>(&own) else { return Vec::new() };
    let shown = keywords.into_iter().filter(|(keyword, _)| !ELSEWHERE.contains(&&**keyword));
    let text = |value: Value| match value {
        Value::String(text) => text,
        Value::Array(values) if values.iter().all(|value| !value.is_object() && !value.is_array()) => {
            let texts = values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            texts.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    shown.map(|(keyword, value)| (keyword.replace("x-kubernetes-", ""), text(value))).collect()
}

const ELSEWHERE: [&str; 4] = ["type", "format", "required", "x-kubernetes-validations"];
