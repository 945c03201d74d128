//! Readers are lenient and writers are strict (invariant 8 of the design): random documents without parts, and with zeros that are not valid.
//! `gen/channels/tests/wire.rs` tests the rest of the invariant on types of its own, for every kind of field.
//!
//! Invariants: [`written`] is the model of the expected result. It uses the schemas and the validator, not the macro.

use std::collections::BTreeSet;

use crd_apiserver::validate::{Subject, Validator, ViolationKind};
use crd_channels::Channel;
use crd_model::schema::{AdditionalProperties, Schema};
use serde_json::{Map, Value, json};

use crate::documents::{Step, document, show, targets};
use crate::objects::{Published, Version, published};
use crate::patterns;
use crd_testdata::Dice;

/// One node of a version's schema in each channel that has it.
#[derive(Clone)]
struct Node {
    schemas: Vec<&'static Schema>,
}

impl Node {
    fn of(version: &Version) -> Self {
        let of_version = published().iter().filter(|published| std::ptr::eq(published.version, version));
        Self { schemas: of_version.map(|published| &published.schema).collect() }
    }

    fn below(&self, select: impl Fn(&'static Schema) -> Option<&'static Schema>) -> Option<Node> {
        let schemas: Vec<_> = self.schemas.iter().filter_map(|schema| select(schema)).collect();
        (!schemas.is_empty()).then_some(Node { schemas })
    }

    fn property(&self, name: &str) -> Option<Node> {
        self.below(|schema| schema.properties.get(name))
    }

    fn items(&self) -> Option<Node> {
        self.below(|schema| schema.items.as_deref())
    }

    fn values(&self) -> Option<Node> {
        self.below(|schema| match &schema.additional_properties {
            Some(AdditionalProperties::Values(values)) => Some(&**values),
            _ => None,
        })
    }

    fn names(&self) -> BTreeSet<&'static str> {
        self.schemas.iter().flat_map(|schema| schema.properties.keys().map(AsRef::as_ref)).collect()
    }

    /// A Rust type cannot be required in one channel only.
    fn requires(&self, name: &str) -> bool {
        let having = self.schemas.iter().filter(|schema| schema.properties.contains_key(name));
        let requiring = having.clone().filter(|schema| schema.required.iter().any(|required| required == name)).count();
        assert!(requiring == 0 || requiring == having.count(), "{name}");
        requiring > 0
    }

    fn kind(&self) -> &'static str {
        self.schemas[0].kind.as_deref().unwrap_or_default()
    }

    fn is_struct(&self) -> bool {
        self.kind() == "object" && self.values().is_none()
    }

    /// What the zero of the Rust type is written as where it must be written.
    fn zero(&self) -> Value {
        match self.kind() {
            "string" => json!(""),
            "integer" => json!(0),
            "boolean" => json!(false),
            "array" => json!([]),
            "object" => written(self, &json!({})),
            other => panic!("what is the zero of {other:?}?"),
        }
    }

    /// Whether no channel takes the zero.
    fn refuses_zero(&self) -> bool {
        let zero = self.zero();
        let validator = Validator { matches: &patterns::matches, subject: Subject::Part };
        self.schemas.iter().all(|schema| !validator.validate(schema, &zero).is_empty())
    }

    /// Whether the value is read as the zero of the Rust type.
    fn is_zero(&self, value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::Object(object) if self.is_struct() => self.names().into_iter().all(|name| match object.get(name) {
                None | Some(Value::Null) => true,
                Some(value) => self.requires(name) && self.property(name).unwrap().is_zero(value),
            }),
            Value::Object(object) => object.is_empty(),
            Value::Array(items) => items.is_empty(),
            other => *other == json!("") || *other == json!(0) || *other == json!(false),
        }
    }
}

/// What a value is written as that was read.
fn written(node: &Node, value: &Value) -> Value {
    match value {
        Value::Object(object) if node.is_struct() => {
            let mut result = Map::new();
            for name in node.names() {
                let property = node.property(name).unwrap();
                match object.get(name).filter(|value| !value.is_null()) {
                    Some(value) if !(node.requires(name) && property.is_zero(value)) => {
                        result.insert(name.to_owned(), written(&property, value));
                    }
                    _ if node.requires(name) && !property.refuses_zero() => {
                        result.insert(name.to_owned(), property.zero());
                    }
                    _ => {}
                }
            }
            Value::Object(result)
        }
        Value::Object(object) => {
            let values = node.values().unwrap();
            Value::Object(object.iter().map(|(key, value)| (key.clone(), written(&values, value))).collect())
        }
        Value::Array(items) => {
            let below = node.items().unwrap();
            items.iter().map(|item| written(&below, item)).collect()
        }
        other => other.clone(),
    }
}

/// The same for a whole object, whose identity is always written.
fn written_object(version: &Version, document: &Value) -> Value {
    let metadata = document["metadata"].clone();
    let mut parts = document.clone();
    for identity in ["apiVersion", "kind", "metadata"] {
        parts.as_object_mut().unwrap().remove(identity);
    }
    let mut result = written(&Node::of(version), &parts);
    let object = result.as_object_mut().unwrap();
    object.remove("metadata");
    object.insert("apiVersion".to_owned(), version.api_version.into());
    object.insert("kind".to_owned(), version.kind.into());
    if metadata.is_object() {
        object.insert("metadata".to_owned(), metadata);
    }
    result
}

/// A place in a document.
struct Place {
    /// A JSON pointer.
    pointer: String,
    node: Node,
}

/// All places below the root of a document, its identity and metadata apart. Values of maps are places too, but no fields.
fn places(version: &Version, document: &Value) -> Vec<(Place, bool)> {
    fn visit(node: &Node, value: &Value, pointer: &str, found: &mut Vec<(Place, bool)>) {
        let mut below = |name: &str, node: Node, value: &Value, is_field: bool| {
            let pointer = format!("{pointer}/{}", escaped(name));
            visit(&node, value, &pointer, found);
            found.push((Place { pointer, node }, is_field));
        };
        match value {
            Value::Object(object) => {
                for (name, value) in object {
                    if let Some(property) = node.property(name) {
                        below(name, property, value, true);
                    } else if let Some(values) = node.values() {
                        below(name, values, value, false);
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    below(&index.to_string(), node.items().unwrap(), item, false);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    let mut parts = document.clone();
    for identity in ["apiVersion", "kind", "metadata"] {
        parts.as_object_mut().unwrap().remove(identity);
    }
    visit(&Node::of(version), &parts, "", &mut found);
    found
}

/// A place in a random document that was made to have it.
struct Spot {
    pointer: String,
    /// For messages.
    what: String,
}

/// Calls the test with a document for every such place in every version. The experimental channel has all places that there are.
fn with_places(salt: u64, mut test: impl FnMut(&'static Published, &mut Dice, Value, &Spot)) {
    let mut count = 0;
    for (number, published) in published().iter().enumerate() {
        if published.channel != Channel::Experimental {
            continue;
        }
        for (index, target) in targets(&published.schema).iter().enumerate() {
            // An enum value does not have a schema of its own.
            if target.iter().try_fold(&published.schema, step).is_none() {
                continue;
            }
            let seed = salt * 1_000_000 + u64::try_from(number * 1_000 + index).unwrap();
            let mut random = Dice::new(seed);
            let document = document(published, &mut random, target);
            let pointer = pointer_to(&document, &published.schema, target).unwrap();
            let what = format!("{}, seed {seed}, {}", published.name(), show(target));
            test(published, &mut random, document, &Spot { pointer, what });
            count += 1;
        }
    }
    println!("{count} places");
}

fn step<'s>(schema: &'s Schema, step: &Step) -> Option<&'s Schema> {
    match (step, &schema.items, &schema.additional_properties) {
        (Step::Field(name), ..) => schema.properties.get(name.as_str()),
        (Step::Any, Some(items), _) => Some(items),
        (Step::Any, None, Some(AdditionalProperties::Values(values))) => Some(values),
        _ => None,
    }
}

/// A pointer to the first place in the document that the target is.
fn pointer_to(document: &Value, schema: &Schema, target: &[Step]) -> Option<String> {
    let Some((first, rest)) = target.split_first() else { return Some(String::new()) };
    let below = step(schema, first)?;
    let entries: Vec<(String, &Value)> = match (first, document) {
        (Step::Field(name), Value::Object(object)) => vec![(name.clone(), object.get(name)?)],
        (Step::Any, Value::Object(object)) => object.iter().map(|(name, value)| (escaped(name), value)).collect(),
        (Step::Any, Value::Array(items)) => {
            items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
        }
        _ => return None,
    };
    entries.into_iter().find_map(|(name, value)| Some(format!("/{name}{}", pointer_to(value, below, rest)?)))
}

/// A key in a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Reads and writes, and compares with the model.
#[track_caller]
fn rewrites_as_modelled(version: &Version, document: &Value, what: &str) -> Value {
    let text = (version.rewrite)(&document.to_string()).unwrap_or_else(|error| panic!("{what}: {error}\n{document:#}"));
    let result: Value = serde_json::from_str(&text).unwrap();
    let expected = written_object(version, document);
    assert!(result == expected, "{what}:\n{document:#}\nis written as\n{result:#}\ninstead of\n{expected:#}");
    assert_eq!(text.len(), result.to_string().len(), "{what}: a key is written twice: {text}");
    let again = (version.rewrite)(&text).unwrap();
    assert!(again == text, "{what}: writing again changes {text} to {again}");
    result
}

/// What is left out is as good as null; either reads as zero, which is written where it can be valid.
#[test]
fn absent_fields_read_as_zero() {
    let (mut required, mut optional) = (0, 0);
    with_places(4, |published, random, mut document, Spot { pointer, what }| {
        let places = places(published.version, &document);
        // This part alone, or with a few parts, or with nearly all of them.
        let rarity = *random.pick(&[usize::MAX, 2, 5, 30]);
        for (place, is_field) in &places {
            if !is_field || !(place.pointer == *pointer || random.one_in(rarity)) {
                continue;
            }
            let (owner, name) = place.pointer.rsplit_once('/').unwrap();
            let steps = owner.split('/').skip(1);
            let owner_node = steps.fold(Node::of(published.version), |node, step| {
                node.property(step).or_else(|| node.items()).or_else(|| node.values()).unwrap()
            });
            if owner_node.requires(name) {
                required += 1
            } else {
                optional += 1
            }
            // Inner places come first, so that what they are in is still there.
            let object = document.pointer_mut(owner).unwrap().as_object_mut().unwrap();
            if random.one_in(2) {
                object.remove(name);
            } else {
                object.insert(name.to_owned(), Value::Null);
            }
        }
        let result = rewrites_as_modelled(published.version, &document, what);
        // Every violation is about a part that was removed, never about a value that was invented.
        for violation in published.violations(&result) {
            assert!(
                matches!(violation.kind, ViolationKind::Missing | ViolationKind::Duplicate | ViolationKind::Junctor),
                "{what}: {document:#}\nis written as\n{result:#}\n{violation}"
            );
        }
    });
    println!("{required} required and {optional} optional fields absent");
    assert!(required > 500 && optional > 500, "{required} {optional}");
}

/// An explicit zero in a required field is the same as an absent field.
#[test]
fn zeros_that_cannot_be_valid_are_left_out() {
    let (mut left_out, mut kept) = (0, 0);
    with_places(5, |published, random, mut document, Spot { pointer, what }| {
        for (place, is_field) in places(published.version, &document) {
            if is_field && (place.pointer == *pointer || random.one_in(4)) && document.pointer(&place.pointer).is_some()
            {
                *document.pointer_mut(&place.pointer).unwrap() = match place.node.kind() {
                    "object" => json!({}),
                    _ => place.node.zero(),
                };
            }
        }
        let result = rewrites_as_modelled(published.version, &document, what);
        for (place, _) in places(published.version, &document) {
            if result.pointer(&place.pointer).is_some() { kept += 1 } else { left_out += 1 }
        }
    });
    println!("{left_out} zeros left out, {kept} places kept");
    assert!(left_out > 200 && kept > 500, "{left_out} {kept}");
}

/// The model itself, on small examples.
#[test]
fn the_model_says_what_the_design_says() {
    let http_route = published()
        .iter()
        .find(|known| known.version.kind == "HTTPRoute" && known.channel == Channel::Experimental)
        .map(|known| known.version)
        .unwrap();
    let check = |before: Value, after: Value| assert_eq!(written(&Node::of(http_route), &before)["spec"], after);
    // Optional: absent stays absent, empty stays empty.
    check(json!({}), json!({}));
    check(json!({"spec": {"rules": []}}), json!({"rules": []}));
    check(json!({"spec": {"rules": null}}), json!({}));
    // Required, and its zero cannot be valid: a name has at least one character.
    check(json!({"spec": {"parentRefs": [{"name": ""}]}}), json!({"parentRefs": [{}]}));
    // Required, and no zero of the struct can be valid because of its name.
    check(
        json!({"spec": {"rules": [{"filters": [{"type": "RequestMirror", "requestMirror": {}}]}]}}),
        json!({"rules": [{"filters": [{"type": "RequestMirror", "requestMirror": {}}]}]}),
    );
    check(
        json!({"spec": {"rules": [{"filters": [{"type": "RequestMirror", "requestMirror": {"backendRef": {"name": ""}}}]}]}}),
        json!({"rules": [{"filters": [{"type": "RequestMirror", "requestMirror": {}}]}]}),
    );
    // Required, and zero is a number like another.
    check(
        json!({"spec": {"rules": [{"filters": [{"requestMirror": {"fraction": {}}}]}]}}),
        json!({"rules": [{"filters": [{"requestMirror": {"fraction": {"numerator": 0}}}]}]}),
    );
}
