//! The bundle's CRDs after random edits: unusual documents that are close to a valid one.
//!
//! Invariants: the same bundle gives the same documents in every run, on every machine. Every document differs from its original. Descriptions
//! are removed, because no rule checks them.

use std::fmt;
use std::sync::LazyLock;

use crd_model::yaml;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::malformed::Gap;
use super::server_answers::Cause;
use crate::server::bundle;
use crate::tables::table;
use crd_testdata::Dice;

/// The edited CRDs. They are small, because the server compiles every rule of every document.
const BASES: [&str; 7] = [
    "gateway.networking.k8s.io_backendtlspolicies",
    "gateway.networking.k8s.io_gatewayclasses",
    "gateway.networking.k8s.io_referencegrants",
    "gateway.networking.k8s.io_tcproutes",
    "gateway.networking.k8s.io_udproutes",
    "gateway.networking.x-k8s.io_xbackendtrafficpolicies",
    "gateway.networking.x-k8s.io_xmeshes",
];

/// The number of documents.
const COUNT: usize = 210;

/// A document after its edits.
pub(crate) struct Mutant {
    /// The original document.
    pub(crate) base: &'static str,
    /// The name of the edit.
    pub(crate) edits: Vec<Edit>,
    /// The edited document.
    pub(crate) document: Value,
}

/// One edit.
pub(crate) struct Edit {
    /// The name of the edit.
    pub(crate) name: &'static str,
    /// The location, as a JSON pointer.
    at: String,
    /// The new value.
    now: Value,
}

impl fmt::Display for Mutant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.base)?;
        for edit in &self.edits {
            let now = edit.now.to_string();
            let end = now.char_indices().nth(600).map_or(now.len(), |(end, _)| end);
            write!(formatter, "\n  {} at {}, now {}", edit.name, edit.at, &now[..end])?;
        }
        Ok(())
    }
}

/// The known gap because of which the engine does not report this cause, if any.
pub(crate) fn gap(cause: &Cause, document: &Value) -> Option<Gap> {
    let words = &cause.words;
    let mut messages: Vec<String> = vec!["failed rule: ".to_owned(), "evaluating rule: ".to_owned()];
    for pointer in nodes(document) {
        let rules = document.pointer(&pointer).and_then(|node| node["x-kubernetes-validations"].as_array());
        let texts = rules.into_iter().flatten().filter_map(|rule| rule["message"].as_str());
        messages.extend(texts.filter(|text| !text.trim().is_empty()).map(str::to_owned));
    }
    let is_of_rule = messages.iter().any(|message| words.contains(message));
    (is_of_rule && cause.place.contains(".default")).then_some(Gap::Evaluation)
}

/// The documents.
pub(crate) fn mutants() -> Vec<Mutant> {
    let bases: Vec<(&str, Value)> = BASES.iter().map(|name| (*name, read(name))).collect();
    let mut dice = Dice::new(0x5eed_0f0f_c4d5_0004);
    (0..COUNT).map(|index| mutant(&bases[index % bases.len()], &mut dice)).collect()
}

fn mutant((base, original): &(&'static str, Value), dice: &mut Dice) -> Mutant {
    let mut mutant = Mutant { base, edits: Vec::new(), document: original.clone() };
    let wanted = 1 + dice.below(2);
    while mutant.edits.len() < wanted {
        let before = mutant.document.clone();
        let edit = if dice.below(8) == 0 {
            edit_document(&mut mutant.document, dice)
        } else {
            edit_node(&mut mutant.document, dice)
        };
        if let Some(edit) = edit.filter(|_| mutant.document != before && mutant.document != *original) {
            mutant.edits.push(edit);
        } else {
            mutant.document = before;
        }
    }
    mutant
}

fn read(name: &str) -> Value {
    let file = bundle("experimental").join(format!("{name}.yaml"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut document = yaml::read(&text).expect("YAML").remove(0);
    for pointer in nodes(&document) {
        let node = document.pointer_mut(&pointer).and_then(Value::as_object_mut).expect("a node");
        node.remove("description");
    }
    document
}

/// The edits that are data.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", bound(deserialize = "'de: 'static"))]
struct Table {
    nodes: Vec<Setting>,
    rules: Vec<Setting>,
    documents: Vec<Setting>,
    conditions: Vec<Value>,
    more_rules: Vec<&'static str>,
    faults: Vec<&'static str>,
    typos: Vec<(&'static str, &'static str)>,
}

/// An edit that sets a keyword.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Setting {
    name: &'static str,
    /// The part of the document, as a JSON pointer.
    at: &'static str,
    keywords: Vec<&'static str>,
    values: Vec<Value>,
    pairs: Vec<(&'static str, Value)>,
}

impl Setting {
    fn apply(&self, node: &mut Node, dice: &mut Dice) {
        let (keyword, value) = match dice.any(&self.pairs) {
            Some((keyword, value)) => (*keyword, value),
            None => (*dice.pick(&self.keywords), dice.pick(&self.values)),
        };
        node.insert(keyword.to_owned(), value.clone());
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| table(include_str!("mutations.yaml")));

// ---- locations ----

/// Every node of every version's schema, as JSON pointers.
fn nodes(document: &Value) -> Vec<String> {
    let mut all = Vec::new();
    let versions = document["spec"]["versions"].as_array().map_or(0, Vec::len);
    for index in 0..versions {
        let pointer = format!("/spec/versions/{index}/schema/openAPIV3Schema");
        if let Some(root) = document.pointer(&pointer) {
            collect(root, pointer, &mut all);
        }
    }
    all
}

fn collect(node: &Value, pointer: String, all: &mut Vec<String>) {
    let Some(node) = node.as_object() else { return };
    let mut below: Vec<(String, &Value)> = Vec::new();
    for keyword in ["items", "additionalProperties", "not"] {
        below.extend(node.get(keyword).map(|inner| (format!("{pointer}/{keyword}"), inner)));
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let alternatives = node.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate();
        below.extend(alternatives.map(|(index, inner)| (format!("{pointer}/{keyword}/{index}"), inner)));
    }
    if let Some(properties) = node.get("properties").and_then(Value::as_object) {
        let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
        let mut names: Vec<&String> = properties.keys().collect();
        names.sort();
        below.extend(names.iter().map(|name| (format!("{pointer}/properties/{}", escaped(name)), &properties[*name])));
    }
    all.push(pointer);
    for (pointer, inner) in below {
        collect(inner, pointer, all);
    }
}

// ---- edits of a node ----

type Node = Map<String, Value>;

fn edit_node(document: &mut Value, dice: &mut Dice) -> Option<Edit> {
    let nodes = nodes(document);
    let index = dice.below(NODE_EDITS.len() + TABLE.nodes.len() + TABLE.rules.len());
    let of_node = index.checked_sub(NODE_EDITS.len());
    let of_rule = of_node.and_then(|index| index.checked_sub(TABLE.nodes.len()));
    // Most edits do not apply to most nodes.
    (0..TIME_LIMIT).find_map(|_| {
        let at = nodes.get(dice.below(nodes.len()))?.clone();
        let node = document.pointer_mut(&at)?.as_object_mut()?;
        let name = match (of_node, of_rule) {
            (_, Some(index)) => {
                TABLE.rules[index].apply(some_rule(node, dice)?, dice);
                TABLE.rules[index].name
            }
            (Some(index), None) => {
                TABLE.nodes[index].apply(node, dice);
                TABLE.nodes[index].name
            }
            (None, None) => {
                let (name, change) = NODE_EDITS[index];
                change(node, dice)?;
                name
            }
        };
        Some(Edit { name, now: Value::Object(node.clone()), at })
    })
}

/// The number of nodes on which an edit is tried.
const TIME_LIMIT: usize = 50;

/// The edits of a node that are not data; `None` if the edit does not apply.
type NodeEdit = fn(&mut Node, &mut Dice) -> Option<()>;

const NODE_EDITS: &[(&str, NodeEdit)] = &[
    ("drop a keyword", |node, dice| {
        let keyword = pick_key(node, dice)?;
        node.remove(&keyword).map(drop)
    }),
    ("drop the type", |node, _| node.remove("type").map(drop)),
    ("rename a property", |node, dice| {
        let properties = node.get_mut("properties")?.as_object_mut()?;
        let name = pick_key(properties, dice)?;
        let property = properties.remove(&name)?;
        set(properties, &format!("{name}2"), property)
    }),
    ("drop a property", |node, dice| {
        let properties = node.get_mut("properties")?.as_object_mut()?;
        let name = pick_key(properties, dice)?;
        properties.remove(&name).map(drop)
    }),
    ("require something else", |node, dice| {
        node.get("properties")?;
        set(node, "required", dice.pick(&[json!([]), json!(["name"]), json!(["nothing"])]).clone())
    }),
    ("drop a bound", |node, dice| {
        let keyword = dice.one(&["maxItems", "maxLength", "maxProperties", "minLength", "minItems", "pattern"]);
        node.remove(keyword).map(drop)
    }),
    ("another list type", |node, dice| {
        let list_type = dice.one(&["atomic", "set", "map", "bag"]);
        if list_type == "map" && dice.below(2) == 0 {
            let key = node.get("items")?.get("properties")?.as_object().and_then(|all| pick_key(all, dice))?;
            set(node, "x-kubernetes-list-map-keys", json!([key]))?;
        }
        set(node, "x-kubernetes-list-type", json!(list_type))
    }),
    ("a condition", |node, dice| {
        let condition = dice.pick(&TABLE.conditions);
        match dice.one(&["allOf", "anyOf", "oneOf", "not"]) {
            "not" => set(node, "not", condition.clone()),
            combinator => set(node, combinator, json!([condition, {"maxLength": 10}])),
        }
    }),
    ("another rule", |node, dice| {
        let rule = some_rule(node, dice)?;
        let text = misspelt(rule.get("rule")?.as_str()?, dice);
        set(rule, "rule", json!(text))
    }),
    ("a rule with a fault", |node, dice| {
        let rule = some_rule(node, dice)?;
        let text = dice.one(&TABLE.faults).replace("RULE", rule.get("rule")?.as_str()?);
        set(rule, "rule", json!(text))
    }),
    ("one more rule", |node, dice| {
        let added = json!({"rule": dice.one(&TABLE.more_rules), "message": "a message"});
        match node.get_mut("x-kubernetes-validations").and_then(Value::as_array_mut) {
            Some(rules) => rules.push(added),
            None => set(node, "x-kubernetes-validations", json!([added]))?,
        }
        Some(())
    }),
];

fn set(node: &mut Node, keyword: &str, value: Value) -> Option<()> {
    node.insert(keyword.to_owned(), value);
    Some(())
}

fn some_rule<'n>(node: &'n mut Node, dice: &mut Dice) -> Option<&'n mut Node> {
    let rules = node.get_mut("x-kubernetes-validations")?.as_array_mut()?;
    let index = dice.below(rules.len());
    rules.get_mut(index)?.as_object_mut()
}

fn pick_key(of: &Map<String, Value>, dice: &mut Dice) -> Option<String> {
    let mut keys: Vec<&String> = of.keys().collect();
    keys.sort();
    dice.any(&keys).map(|key| (*key).clone())
}

/// The rule with one typing error.
fn misspelt(rule: &str, dice: &mut Dice) -> String {
    let (from, to) = dice.pick(&TABLE.typos);
    if dice.below(2) == 0 && rule.contains(from) {
        return rule.replacen(from, to, 1);
    }
    let mut letters: Vec<char> = rule.chars().collect();
    let place = dice.below(letters.len());
    match dice.below(3) {
        0 => drop(letters.remove(place)),
        1 if place > 0 => letters.swap(place - 1, place),
        _ => letters.insert(place, *dice.pick(&['.', '\'', '(', '1', 'x', '!'])),
    }
    letters.into_iter().collect()
}

// ---- edits of the document ----

/// The edits of a document that are not data.
type DocumentEdit = fn(&mut Value, &mut Dice) -> Option<()>;

const DOCUMENT_EDITS: &[(&str, DocumentEdit)] = &[
    ("another storage version", |document, _| {
        let storage = document.pointer_mut("/spec/versions/0/storage")?;
        *storage = json!(!storage.as_bool()?);
        Some(())
    }),
    ("a version twice", |document, dice| {
        let versions = document["spec"]["versions"].as_array_mut()?;
        let mut copy = versions.first()?.clone();
        copy["storage"] = json!(false);
        copy["name"] = json!(dice.one(&["v1", "v1beta3", "v1.5"]));
        versions.push(copy);
        Some(())
    }),
    ("no annotations", |document, _| document["metadata"].as_object_mut()?.remove("annotations").map(drop)),
    ("no status", |document, _| document["spec"]["versions"][0].as_object_mut()?.remove("subresources").map(drop)),
];

fn edit_document(document: &mut Value, dice: &mut Dice) -> Option<Edit> {
    let index = dice.below(DOCUMENT_EDITS.len() + TABLE.documents.len());
    let edit = |name| Edit { name, at: String::new(), now: Value::Null };
    if let Some((name, change)) = DOCUMENT_EDITS.get(index) {
        return change(document, dice).map(|()| edit(name));
    }
    let setting = &TABLE.documents[index - DOCUMENT_EDITS.len()];
    setting.apply(document.pointer_mut(setting.at)?.as_object_mut()?, dice);
    Some(edit(setting.name))
}
