//! The data of the page: JSON as gzip as base64.
//!
//! Invariants: the same input gives the same bytes: the header of gzip has no time, and no operating system.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crd_cel::estimate::{CRD_LIMIT, RULE_LIMIT};
use crd_model::channel::Channel;
use crd_model::parallel;
use flate2::{Compression, GzBuilder};
use serde_json::{Value, json};

use crate::clients::clients;
use crate::difference::{defaults, difference};
use crate::resources::{Resource, ResourceVersion};
use crate::state::{ABSENT, Interner};
use crate::text::markdown;
use crate::tree::{ByChannel, ChangePoints, Node, is_ambiguous, name};
use crate::{Site, SiteRelease};

/// The format of the data.
const FORMAT: u32 = 1;

/// The system in the header of gzip: unknown.
const UNKNOWN_SYSTEM: u8 = 255;

/// JSON as gzip as base64.
///
/// # Errors
/// Writing into memory fails.
pub(crate) fn packed(json: &str) -> io::Result<String> {
    let mut gzip = GzBuilder::new().mtime(0).operating_system(UNKNOWN_SYSTEM).write(Vec::new(), Compression::new(6));
    gzip.write_all(json.as_bytes())?;
    Ok(STANDARD.encode(gzip.finish()?))
}

/// The data as JSON.
pub(crate) fn json(site: &Site, resources: &mut [Resource<'_>]) -> String {
    let resources = Writer::of(site, resources);
    let of_bundles = || (differences(site), clients(site));
    let ((texts, resources), (differences, clients)) = parallel::both(|| resources.rendered(), of_bundles);
    let releases = site.releases.iter().map(|SiteRelease { release, label, is_unreleased, has_text }| {
        let date = release.released.map(|released| released.date());
        json!({"version": label, "date": date, "text": has_text, "unreleased": is_unreleased})
    });
    let newest = site.releases.len().saturating_sub(1);
    let mut json = format!("{{\"format\":{FORMAT}");
    let mut put = |key: &str, value: &str| {
        let _ = write!(json, ",\"{key}\":{value}");
    };
    put("name", &quoted(&site.name));
    put("releases", &releases.collect::<Value>().to_string());
    put("newest", &newest.to_string());
    put("channels", &site.channels.iter().map(|channel| channel.name()).collect::<Value>().to_string());
    put("texts", &texts);
    put("states", &list(&resources.states));
    put("facts", &list(&resources.facts));
    put("crds", &list(&resources.crds));
    put("costs", &format!("{{\"rule\":{RULE_LIMIT},\"crd\":{CRD_LIMIT},\"totals\":{}}}", list(&resources.totals)));
    put("differences", &list(&differences));
    put("findingDefaults", &defaults().to_string());
    put("clients", &clients.to_string());
    put("removed", &Value::from(site.removed.clone()).to_string());
    put("conversions", &Value::from(site.conversions.clone()).to_string());
    put("graduation", &site.graduation.clone().unwrap_or_default().to_string());
    put("features", &Value::from(site.features.clone()).to_string());
    json.push('}');
    json
}

fn differences(site: &Site) -> Vec<String> {
    let documents = site.differences.iter().enumerate().collect::<Vec<_>>();
    parallel::each(&documents, |(from, document)| difference(*from, from + 1, document).to_string())
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Values of JSON as a list.
fn list(values: &[String]) -> String {
    format!("[{}]", values.join(","))
}

/// The data of resources as JSON.
struct Written {
    states: Vec<String>,
    facts: Vec<String>,
    crds: Vec<String>,
    totals: Vec<String>,
}

struct Writer<'s> {
    slots: Vec<usize>,
    texts: HashMap<&'s str, i64>,
    descriptions: Vec<&'s str>,
    written: Written,
}

impl<'s> Writer<'s> {
    /// Joins the states and facts of all resources, whose indices become those of the joined lists.
    fn of(site: &Site, resources: &mut [Resource<'s>]) -> Self {
        let slots = Channel::ALL.iter().enumerate().filter(|(_, channel)| site.channels.contains(channel));
        let written = Written { states: Vec::new(), facts: Vec::new(), crds: Vec::new(), totals: Vec::new() };
        let slots = slots.map(|(slot, _)| slot).collect();
        let mut writer = Self { slots, texts: HashMap::new(), descriptions: Vec::new(), written };
        let (mut states, mut facts) = (Interner::default(), Interner::default());
        for (index, resource) in resources.iter_mut().enumerate() {
            let of_resource = join(&mut states, std::mem::take(&mut resource.states));
            let of_versions = join(&mut facts, std::mem::take(&mut resource.facts));
            for version in &mut resource.versions {
                version.facts.replace(|local| joined(&of_versions, local));
                replace_states(&mut version.root, &of_resource);
            }
            let crd = writer.resource(index, resource);
            writer.written.crds.push(crd);
        }
        (writer.written.states, writer.written.facts) = (states.into_texts(), facts.into_texts());
        writer
    }

    /// The descriptions as JSON, and the resources.
    fn rendered(&self) -> (String, &Written) {
        (list(&parallel::each(&self.descriptions, |description| quoted(&markdown(description)))), &self.written)
    }

    fn resource(&mut self, index: usize, resource: &Resource<'s>) -> String {
        let crd = resource.newest;
        let names = &crd.names;
        let mut json = json!({
            "name": crd.name,
            "group": crd.group,
            "plural": names.plural,
            "singular": names.singular,
            "kind": names.kind,
            "listKind": names.list_kind,
            "scope": crd.scope.as_str(),
            "shortNames": names.short_names,
            "categories": names.categories,
        })
        .to_string();
        json.pop();
        let _ = write!(json, ",\"in\":{},\"sizes\":{}", self.points(&resource.presence), self.points(&resource.sizes));
        json.push_str(",\"versions\":[");
        for (number, version) in resource.versions.iter().enumerate() {
            if number > 0 {
                json.push(',');
            }
            let _ = write!(json, "{{\"name\":{},\"facts\":{}", quoted(version.name), self.points(&version.facts));
            json.push_str(",\"root\":");
            self.node(&mut json, &version.root, "", version);
            json.push('}');
            let totals = &version.costs.totals;
            if totals.iter().any(|total| *total != ABSENT) && !version.costs.rules.is_empty() {
                let total = format!("[{index},{},{}]", quoted(version.name), self.of_channels(totals));
                self.written.totals.push(total);
            }
        }
        json.push_str("]}");
        json
    }

    fn node(&mut self, json: &mut String, node: &Node<'s>, path: &str, version: &ResourceVersion<'_>) {
        let _ = write!(json, "{{\"n\":{},\"s\":{}", quoted(node.step.map_or("", name)), self.points(&node.states));
        if node.step.is_some_and(is_ambiguous) {
            json.push_str(",\"p\":1");
        }
        if node.texts.iter().any(Option::is_some) {
            let texts = node.texts.map(|text| text.map_or(ABSENT, |text| self.text(text)));
            let _ = write!(json, ",\"d\":[{}]", self.of_channels(&texts));
        }
        if let Some(costs) = version.costs.rules.get(path) {
            let of_channel = |slot: &usize| {
                let costs = costs.get(*slot).map(Vec::as_slice).unwrap_or_default();
                format!("[{}]", costs.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
            };
            let _ = write!(json, ",\"k\":{}", list(&self.slots.iter().map(of_channel).collect::<Vec<_>>()));
        }
        if !node.children.is_empty() {
            json.push_str(",\"c\":[");
            for (number, child) in node.children.iter().enumerate() {
                if number > 0 {
                    json.push(',');
                }
                let below = child.step.map_or_else(String::new, |step| step.path_from(path));
                self.node(json, child, &below, version);
            }
            json.push(']');
        }
        json.push('}');
    }

    /// The index of a description.
    fn text(&mut self, description: &'s str) -> i64 {
        let next = i64::try_from(self.descriptions.len()).unwrap_or(ABSENT);
        *self.texts.entry(description).or_insert_with(|| {
            self.descriptions.push(description);
            next
        })
    }

    fn points(&self, points: &ChangePoints) -> String {
        let point = |(release, values): &(usize, ByChannel<i64>)| format!("[{release},{}]", self.of_channels(values));
        list(&points.iter().map(point).collect::<Vec<_>>())
    }

    fn of_channels(&self, values: &ByChannel<i64>) -> String {
        let values = self.slots.iter().filter_map(|slot| values.get(*slot));
        values.map(i64::to_string).collect::<Vec<_>>().join(",")
    }
}

/// Adds texts, and returns the index of each.
fn join(interner: &mut Interner, texts: Vec<String>) -> Vec<i64> {
    texts.into_iter().map(|text| interner.index(text)).collect()
}

fn joined(indices: &[i64], local: i64) -> i64 {
    usize::try_from(local).ok().and_then(|local| indices.get(local)).copied().unwrap_or(ABSENT)
}

fn replace_states(node: &mut Node<'_>, indices: &[i64]) {
    node.states.replace(|local| joined(indices, local));
    node.children.iter_mut().for_each(|child| replace_states(child, indices));
}
