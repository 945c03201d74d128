//! The bundle's CRDs after random edits: unusual documents that are close to a valid one.
//!
//! Invariants: the same bundle gives the same documents in every run, on every machine. Every document differs from its original. Descriptions
//! are removed, because no rule checks them.

use std::fmt;

use crd_model::yaml;
use serde_json::{Map, Value, json};

use super::malformed::Gap;
use super::server_answers::Cause;
use crate::server::bundle;

/// The edited CRDs. They are small, because the server compiles every rule of every document.
const BASES: [&str; 7] = [
    "gateway.networking.k8s.io_backendtlspolicies",
    "gateway.networking.k8s.io_gatewayclasses",
    "gateway.networking.k8s.io_listenersets",
    "gateway.networking.k8s.io_referencegrants",
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
    let mut random = Random { state: 0x5eed_0f0f_c4d5_0004 };
    (0..COUNT).map(|index| mutant(&bases[index % bases.len()], &mut random)).collect()
}

fn mutant((base, original): &(&'static str, Value), random: &mut Random) -> Mutant {
    let mut mutant = Mutant { base, edits: Vec::new(), document: original.clone() };
    let wanted = 1 + random.below(2);
    while mutant.edits.len() < wanted {
        let before = mutant.document.clone();
        let edit = if random.below(8) == 0 {
            edit_document(&mut mutant.document, random)
        } else {
            edit_node(&mut mutant.document, random)
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

/// A random number generator with a fixed seed, so that every run has the same documents.
struct Random {
    state: u64,
}

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state % limit.max(1) as u64).expect("below a usize")
    }

    fn one<'t, T: ?Sized>(&mut self, of: &[&'t T]) -> &'t T {
        of[self.below(of.len())]
    }

    fn value(&mut self, of: &[Value]) -> Value {
        of[self.below(of.len())].clone()
    }
}

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

fn edit_node(document: &mut Value, random: &mut Random) -> Option<Edit> {
    let nodes = nodes(document);
    let (name, change) = NODE_EDITS[random.below(NODE_EDITS.len())];
    // Most edits do not apply to most nodes.
    (0..TIME_LIMIT).find_map(|_| {
        let at = nodes.get(random.below(nodes.len()))?.clone();
        let node = document.pointer_mut(&at)?.as_object_mut()?;
        change(node, random)?;
        Some(Edit { name, now: Value::Object(node.clone()), at })
    })
}

/// The number of nodes on which an edit is tried.
const TIME_LIMIT: usize = 50;

/// The edits of a node; `None` if the edit does not apply.
type NodeEdit = fn(&mut Node, &mut Random) -> Option<()>;

const NODE_EDITS: &[(&str, NodeEdit)] = &[
    ("drop a keyword", |node, random| {
        let mut keywords: Vec<String> = node.keys().cloned().collect();
        keywords.sort();
        let keyword = keywords.get(random.below(keywords.len()))?;
        node.remove(keyword).map(drop)
    }),
    ("drop the type", |node, _| node.remove("type").map(drop)),
    ("another type", |node, random| {
        let kind = random.one(&["string", "integer", "number", "boolean", "object", "array", "null"]);
        set(node, "type", json!(kind))
    }),
    ("rename a property", |node, random| {
        let properties = node.get_mut("properties")?.as_object_mut()?;
        let name = pick_key(properties, random)?;
        let property = properties.remove(&name)?;
        set(properties, &format!("{name}2"), property)
    }),
    ("drop a property", |node, random| {
        let properties = node.get_mut("properties")?.as_object_mut()?;
        let name = pick_key(properties, random)?;
        properties.remove(&name).map(drop)
    }),
    ("require something else", |node, random| {
        node.get("properties")?;
        let names = random.value(&[json!([]), json!(["name"]), json!(["nothing"])]);
        set(node, "required", names)
    }),
    ("drop a bound", |node, random| {
        let keyword = random.one(&["maxItems", "maxLength", "maxProperties", "minLength", "minItems", "pattern"]);
        node.remove(keyword).map(drop)
    }),
    ("a bound", |node, random| {
        let keyword =
            random.one(&["maxItems", "maxLength", "maxProperties", "minLength", "minItems", "minimum", "maximum"]);
        let bound = random.value(&[json!(0), json!(1), json!(-1), json!(1_000_000_000), json!(1.5)]);
        set(node, keyword, bound)
    }),
    ("a flag", |node, random| {
        let keyword = random.one(&[
            "nullable",
            "uniqueItems",
            "x-kubernetes-preserve-unknown-fields",
            "x-kubernetes-int-or-string",
            "x-kubernetes-embedded-resource",
            "exclusiveMinimum",
        ]);
        let flag = random.below(4) > 0;
        set(node, keyword, json!(flag))
    }),
    ("additional properties", |node, random| {
        let values =
            random.value(&[json!(true), json!(false), json!({"type": "string"}), json!({}), json!({"nullable": true})]);
        set(node, "additionalProperties", values)
    }),
    ("a keyword", |node, random| {
        let (keyword, value) = [
            ("id", json!("a")),
            ("title", json!("A title")),
            ("example", json!({"a": 1})),
            ("$ref", json!("#/definitions/a")),
            ("format", json!("date-time")),
            ("format", json!("int32")),
            ("format", json!("colour")),
            ("pattern", json!("^[a-z]+$")),
            ("pattern", json!("(?=a)")),
            ("enum", json!(["a", "b"])),
            ("enum", json!([1])),
            ("multipleOf", json!(2)),
            ("patternProperties", json!({"a": {"type": "string"}})),
        ][random.below(13)]
        .clone();
        set(node, keyword, value)
    }),
    ("another list type", |node, random| {
        let list_type = random.one(&["atomic", "set", "map", "bag"]);
        if list_type == "map" && random.below(2) == 0 {
            let key = node.get("items")?.get("properties")?.as_object().and_then(|all| pick_key(all, random))?;
            set(node, "x-kubernetes-list-map-keys", json!([key]))?;
        }
        set(node, "x-kubernetes-list-type", json!(list_type))
    }),
    ("other keys", |node, random| {
        let keys =
            random.value(&[json!(["name"]), json!(["group", "kind"]), json!(["type", "type"]), json!(["nothing"])]);
        set(node, "x-kubernetes-list-map-keys", keys)
    }),
    ("a map type", |node, random| {
        let map_type = random.one(&["atomic", "granular", "map"]);
        set(node, "x-kubernetes-map-type", json!(map_type))
    }),
    ("a default", |node, random| {
        let default = random.value(&[
            json!("a"),
            json!(""),
            json!(1),
            json!(1.5),
            json!(true),
            json!([]),
            json!(["a", "a"]),
            json!({}),
            json!({"name": "a"}),
            json!({"nothing": 1}),
        ]);
        set(node, "default", default)
    }),
    ("a condition", |node, random| {
        let condition = random.value(&[
            json!({"minLength": 1}),
            json!({"required": ["name"]}),
            json!({"type": "string"}),
            json!({"properties": {"name": {"minLength": 1}}}),
            json!({"properties": {"metadata": {"minProperties": 1}}}),
            json!({"items": {"maxLength": 3}}),
            json!({"description": "d"}),
            json!({"default": "a"}),
            json!({"not": {"pattern": "("}}),
            json!({"additionalProperties": false}),
        ]);
        match random.one(&["allOf", "anyOf", "oneOf", "not"]) {
            "not" => set(node, "not", condition),
            junctor => set(node, junctor, json!([condition, {"maxLength": 10}])),
        }
    }),
    ("another rule", |node, random| {
        let rules = node.get_mut("x-kubernetes-validations")?.as_array_mut()?;
        let index = random.below(rules.len());
        let rule = rules.get_mut(index)?;
        let text = rule["rule"].as_str()?;
        rule["rule"] = json!(misspelt(text, random));
        Some(())
    }),
    ("a rule with a fault", |node, random| {
        let rules = node.get_mut("x-kubernetes-validations")?.as_array_mut()?;
        let index = random.below(rules.len());
        let rule = rules.get_mut(index)?.as_object_mut()?;
        let text = rule.get("rule")?.as_str()?.to_owned();
        let mistakes = [
            format!("({text}) == 1"),
            format!("!({text})"),
            format!("size({text}) > 0"),
            format!("({text}) ? 1 : 2"),
            format!("({text}) || self"),
            format!("[{text}].all(x, x)"),
            format!("{text} && has(self)"),
            format!("string({text})"),
        ];
        set(rule, "rule", json!(mistakes[random.below(mistakes.len())]))
    }),
    ("one more rule", |node, random| {
        let rule = random.one(&[
            "self == oldSelf",
            "has(self.name)",
            "self.name != 'a'",
            "self.size() < 10",
            "self.all(x, x != '')",
            "self.exists(x, has(x.name))",
            "self != ''",
            "self > 0",
            "self.startsWith('a')",
            "!has(self.spec) || has(self.spec.group)",
            "type(self) == string",
            "true",
        ]);
        let added = json!({"rule": rule, "message": "a message"});
        match node.get_mut("x-kubernetes-validations").and_then(Value::as_array_mut) {
            Some(rules) => rules.push(added),
            None => set(node, "x-kubernetes-validations", json!([added]))?,
        }
        Some(())
    }),
    ("something around a rule", |node, random| {
        let rules = node.get_mut("x-kubernetes-validations")?.as_array_mut()?;
        let index = random.below(rules.len());
        let rule = rules.get_mut(index)?.as_object_mut()?;
        let (key, value) = [
            ("message", json!(" ")),
            ("message", json!("a\nb")),
            ("reason", json!("FieldValueRequired")),
            ("reason", json!("Required")),
            ("fieldPath", json!(".name")),
            ("fieldPath", json!("name")),
            ("optionalOldSelf", json!(true)),
            ("messageExpression", json!("'a' + string(1)")),
            ("messageExpression", json!("self")),
            ("messageExpression", json!("self.size()")),
        ][random.below(10)]
        .clone();
        set(rule, key, value)
    }),
];

fn set(node: &mut Node, keyword: &str, value: Value) -> Option<()> {
    node.insert(keyword.to_owned(), value);
    Some(())
}

fn pick_key(of: &Map<String, Value>, random: &mut Random) -> Option<String> {
    let mut keys: Vec<&String> = of.keys().collect();
    keys.sort();
    keys.get(random.below(keys.len())).map(|key| (*key).clone())
}

/// The rule with one typing error.
fn misspelt(rule: &str, random: &mut Random) -> String {
    let replaced = [
        ("==", "="),
        ("&&", "and"),
        ("==", "<"),
        ("self", "slef"),
        ("self.", ""),
        ("''", "1"),
        ("'", "\""),
        ("size()", "size"),
        ("has(", "("),
        (" in ", " == "),
        ("exists", "all"),
    ];
    let (from, to) = replaced[random.below(replaced.len())];
    if random.below(2) == 0 && rule.contains(from) {
        return rule.replacen(from, to, 1);
    }
    let mut letters: Vec<char> = rule.chars().collect();
    let place = random.below(letters.len());
    match random.below(3) {
        0 => drop(letters.remove(place)),
        1 if place > 0 => letters.swap(place - 1, place),
        _ => letters.insert(place, ['.', '\'', '(', '1', 'x', '!'][random.below(6)]),
    }
    letters.into_iter().collect()
}

// ---- edits of the document ----

/// The edits of a document.
type DocumentEdit = fn(&mut Value, &mut Random) -> Option<()>;

const DOCUMENT_EDITS: &[(&str, DocumentEdit)] = &[
    ("another storage version", |document, _| {
        let storage = document.pointer_mut("/spec/versions/0/storage")?;
        *storage = json!(!storage.as_bool()?);
        Some(())
    }),
    ("a version twice", |document, random| {
        let versions = document["spec"]["versions"].as_array_mut()?;
        let mut copy = versions.first()?.clone();
        copy["storage"] = json!(false);
        copy["name"] = random.value(&[json!("v1"), json!("v1beta3"), json!("v1.5")]);
        versions.push(copy);
        Some(())
    }),
    ("a deprecation warning", |document, random| {
        document["spec"]["versions"][0]["deprecationWarning"] = random.value(&[json!(""), json!("use another")]);
        document["spec"]["versions"][0]["deprecated"] = json!(random.below(2) == 0);
        Some(())
    }),
    ("other names", |document, random| {
        let (name, value) = [
            ("kind", json!("")),
            ("kind", json!("Kind2")),
            ("plural", json!("gadgets")),
            ("singular", json!("One")),
            ("shortNames", json!(["a", "B"])),
            ("categories", json!(["some thing"])),
        ][random.below(6)]
        .clone();
        document["spec"]["names"][name] = value;
        Some(())
    }),
    ("no annotations", |document, _| document["metadata"].as_object_mut()?.remove("annotations").map(drop)),
    ("no status", |document, _| document["spec"]["versions"][0].as_object_mut()?.remove("subresources").map(drop)),
    ("a scale", |document, random| {
        let path = random.value(&[json!(".spec.replicas"), json!("spec.replicas"), json!(".status.replicas")]);
        document["spec"]["versions"][0]["subresources"]["scale"] =
            json!({"specReplicasPath": path, "statusReplicasPath": ".status.replicas"});
        Some(())
    }),
    ("a print column", |document, random| {
        let column = random.value(&[
            json!({"name": "A", "type": "string", "jsonPath": ".spec.a"}),
            json!({"name": "A", "type": "text", "jsonPath": ".spec.a"}),
            json!({"name": "A", "type": "string", "jsonPath": "spec.a"}),
        ]);
        document["spec"]["versions"][0]["additionalPrinterColumns"].as_array_mut()?.push(column);
        Some(())
    }),
    ("a selectable field", |document, random| {
        let path = random.value(&[
            json!(".spec.name"),
            json!(".spec.controllerName"),
            json!(".metadata.name"),
            json!(".kind"),
        ]);
        document["spec"]["versions"][0]["selectableFields"] = json!([{"jsonPath": path}]);
        Some(())
    }),
    ("unknown fields", |document, _| {
        document["spec"]["preserveUnknownFields"] = json!(true);
        Some(())
    }),
];

fn edit_document(document: &mut Value, random: &mut Random) -> Option<Edit> {
    let (name, change) = DOCUMENT_EDITS[random.below(DOCUMENT_EDITS.len())];
    change(document, random)?;
    Some(Edit { name, at: String::new(), now: Value::Null })
}
