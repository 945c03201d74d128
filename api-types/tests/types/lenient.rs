//! Readers are lenient and writers strict (invariant 8 of the design): random documents that are no longer, or not yet, valid.
//!
//! Fed with random valid documents ([`crate::documents`]), in which places are removed, nulled, filled with what no reader knows, or with
//! values that no reader can take. Read by nobody.
//!
//! Invariants: what has to be written is said by [`written`], a model that knows the schemas and the validator and not the macro.

use std::collections::BTreeSet;

use crd_channels::Channel;
use crd_schema::schema::{AdditionalProperties, Schema};
use crd_schema::validate::{Subject, Validator, ViolationKind};
use serde_json::{Map, Value, json};

use crate::documents::{document, targets};
use crate::objects::{Published, Version, published, versions};
use crate::patterns;
use crate::random::Random;

/// How many documents of each version there are in each test.
const DOCUMENTS: usize = 24;

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

    fn is_enum(&self) -> bool {
        self.schemas.iter().any(|schema| schema.enumeration.is_some())
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
    let mut metadata = document["metadata"].clone();
    let mut parts = document.clone();
    for identity in ["apiVersion", "kind", "metadata"] {
        parts.as_object_mut().unwrap().remove(identity);
    }
    let mut result = written(&Node::of(version), &parts);
    let object = result.as_object_mut().unwrap();
    object.remove("metadata");
    object.insert("apiVersion".to_owned(), version.api_version.into());
    object.insert("kind".to_owned(), version.kind.into());
    if let Some(known) = metadata.as_object_mut() {
        known.retain(|name, _| !name.starts_with(UNKNOWN));
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

impl Place {
    /// The pointer of what the place is in, and its name there; `None`: it is an item of a list, or a value of a map.
    fn field(&self, document: &Value) -> Option<(String, String)> {
        let (owner, name) = self.pointer.rsplit_once('/')?;
        document.pointer(owner)?.as_object()?;
        Some((owner.to_owned(), name.replace("~1", "/").replace("~0", "~")))
    }
}

/// All places below the root of a document, its identity and metadata apart. Values of maps are places too, but no fields.
fn places(version: &Version, document: &Value) -> Vec<(Place, bool)> {
    fn visit(node: &Node, value: &Value, pointer: &str, found: &mut Vec<(Place, bool)>) {
        let mut below = |name: &str, node: Node, value: &Value, is_field: bool| {
            let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
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

/// Calls the test with documents of every version: one for each of a sample of its targets.
fn with_documents(salt: u64, mut test: impl FnMut(&'static Published, &mut Random, Value, &str)) {
    let mut count = 0;
    for (number, published) in published().iter().enumerate() {
        let targets = targets(&published.schema);
        for index in 0..DOCUMENTS {
            let seed = salt * 1_000_000 + u64::try_from(number * 1_000 + index).unwrap();
            let mut random = Random::new(seed);
            let target = random.pick(&targets).clone();
            let document = document(published, &mut random, &target);
            test(published, &mut random, document, &format!("{}, seed {seed}", published.name()));
            count += 1;
        }
    }
    println!("{count} documents");
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

/// How unknown fields begin here.
const UNKNOWN: &str = "x-unheard-of";

fn something(random: &mut Random) -> Value {
    random
        .pick(&[json!(null), json!(true), json!(-1), json!(1e300), json!("text"), json!([[], {}]), json!({"a": {"b": [null]}})])
        .clone()
}

#[test]
fn unknown_fields_are_dropped_at_every_level() {
    fn add(node: &Node, value: &mut Value, random: &mut Random, added: &mut usize) {
        match value {
            Value::Object(object) => {
                for (name, value) in object.iter_mut() {
                    if let Some(below) = node.property(name).or_else(|| node.values()) {
                        add(&below, value, random, added);
                    }
                }
                if node.is_struct() {
                    for name in ["", "-2", ".a.b"] {
                        object.insert(format!("{UNKNOWN}{name}"), something(random));
                        *added += 1;
                    }
                }
            }
            Value::Array(items) => {
                let below = node.items().unwrap();
                items.iter_mut().for_each(|item| add(&below, item, random, added));
            }
            _ => {}
        }
    }
    let mut added = 0;
    with_documents(1, |published, random, document, what| {
        let mut changed = document.clone();
        add(&Node::of(published.version), &mut changed, random, &mut added);
        let result = rewrites_as_modelled(published.version, &changed, what);
        assert!(result == document, "{what}: {changed:#}\nis written as\n{result:#}");
    });
    println!("{added} unknown fields");
    assert!(added > 5_000, "{added}");
}

#[test]
fn unknown_values_of_enums_are_kept() {
    let mut replaced = 0;
    with_documents(2, |published, random, mut document, what| {
        for (place, _) in places(published.version, &document) {
            if place.node.is_enum() {
                let value = document.pointer_mut(&place.pointer).unwrap();
                *value = match place.node.kind() {
                    "string" => random.pick(&["Unheard", "unheard of", "None\u{0}", "ünknown"]).to_string().into(),
                    _ => json!(random.between(1_000, 2_000)),
                };
                replaced += 1;
            }
        }
        let result = rewrites_as_modelled(published.version, &document, what);
        assert!(result == document, "{what}: {document:#}\nis written as\n{result:#}");
    });
    println!("{replaced} values replaced");
    assert!(replaced > 500, "{replaced}");
}

/// Values that today's schema refuses and another release may take.
#[test]
fn values_beyond_the_limits_are_kept() {
    let mut replaced = 0;
    with_documents(3, |published, random, mut document, what| {
        for (place, _) in places(published.version, &document) {
            let value = document.pointer_mut(&place.pointer).unwrap();
            match value {
                Value::String(text) if random.once_in(2) => *text = format!("!{text} \u{7}\n{}", "long".repeat(random.below(60))),
                Value::Number(number) if random.once_in(2) && !place.pointer.ends_with("/maxSize") => {
                    *number = random.pick(&[i64::from(i32::MIN), -7, 1_000_000_007, i64::from(i32::MAX)]).to_owned().into();
                }
                Value::Array(items) if random.once_in(4) => {
                    let more = if place.node.items().unwrap().kind() == "object" { 1 } else { 20 };
                    items.extend(items.last().cloned().into_iter().flat_map(|last| std::iter::repeat_n(last, more)));
                }
                _ => continue,
            }
            replaced += 1;
        }
        let result = rewrites_as_modelled(published.version, &document, what);
        assert!(result == document, "{what}: {document:#}\nis written as\n{result:#}");
    });
    println!("{replaced} values replaced");
    assert!(replaced > 2_000, "{replaced}");
}

/// What is left out is as good as null; either reads as zero, which is written where it can be valid.
#[test]
fn absent_fields_read_as_zero() {
    let (mut required, mut optional) = (0, 0);
    with_documents(4, |published, random, mut document, what| {
        let mut kept = places(published.version, &document);
        // A few places, or nearly all of them.
        let rarity = *random.pick(&[2, 5, 30]);
        kept.retain(|_| random.once_in(rarity));
        for (place, is_field) in &kept {
            // Something around it may be gone already.
            let Some((owner, name)) = place.field(&document).filter(|_| *is_field) else { continue };
            let object = document.pointer_mut(&owner).unwrap().as_object_mut().unwrap();
            if random.once_in(2) {
                object.remove(&name);
            } else {
                object.insert(name, Value::Null);
            }
        }
        for (place, is_field) in &kept {
            if *is_field {
                let (owner, name) = place.pointer.rsplit_once('/').unwrap();
                let owner = owner.split('/').skip(1).try_fold(Node::of(published.version), |node, step| {
                    node.property(step).or_else(|| node.items()).or_else(|| node.values())
                });
                if owner.unwrap().requires(name) { required += 1 } else { optional += 1 }
            }
        }
        let result = rewrites_as_modelled(published.version, &document, what);
        // Nothing that is refused for what it is was made up; the rest is for whoever left the fields out.
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

/// An explicit zero in a required field is no different from an absent one.
#[test]
fn zeros_that_cannot_be_valid_are_left_out() {
    let (mut left_out, mut kept) = (0, 0);
    with_documents(5, |published, random, mut document, what| {
        for (place, is_field) in places(published.version, &document) {
            if is_field && random.once_in(3) && document.pointer(&place.pointer).is_some() {
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

#[test]
fn values_of_another_kind_are_errors() {
    let samples =
        [("boolean", json!(true)), ("integer", json!(7)), ("number", json!(1.5)), ("string", json!("7")), ("array", json!([])), ("object", json!({}))];
    let mut refused = 0;
    with_documents(6, |published, random, document, what| {
        let mut places = places(published.version, &document);
        // The document is read anew for each of them.
        while places.len() > 6 {
            places.swap_remove(random.below(places.len()));
        }
        places.push((Place { pointer: "/metadata".to_owned(), node: Node { schemas: vec![&published.schema] } }, true));
        for (place, _) in places {
            for (kind, sample) in samples.iter().filter(|(kind, _)| *kind != place.node.kind()) {
                let mut changed = document.clone();
                *changed.pointer_mut(&place.pointer).unwrap() = sample.clone();
                let result = (published.version.rewrite)(&changed.to_string());
                assert!(result.is_err(), "{what}: {kind} at {} is read:\n{changed:#}", place.pointer);
                refused += 1;
            }
        }
    });
    println!("{refused} documents refused");
    assert!(refused > 10_000, "{refused}");
    for version in versions() {
        for (_, sample) in samples.iter().filter(|(kind, _)| *kind != "object") {
            assert!((version.rewrite)(&sample.to_string()).is_err(), "{sample} is a {}", version.kind);
        }
        assert!((version.rewrite)("null").is_err());
    }
}

#[test]
fn integers_beyond_the_rust_type_are_errors() {
    let mut refused = 0;
    with_documents(7, |published, random, document, what| {
        for (place, _) in places(published.version, &document) {
            if place.node.kind() != "integer" || !random.once_in(2) {
                continue;
            }
            let beyond = match place.node.schemas[0].format.as_deref() {
                _ if place.pointer.ends_with("/maxSize") => ["65536", "-1"],
                Some("int32") => ["2147483648", "-2147483649"],
                _ => ["9223372036854775808", "-9223372036854775809"],
            };
            // These numbers are beyond what a JSON value can hold here, so they are put into the text.
            const MARK: &str = "the number stands here";
            let mut changed = document.clone();
            *changed.pointer_mut(&place.pointer).unwrap() = json!(MARK);
            for beyond in beyond {
                let text = changed.to_string().replace(&format!("\"{MARK}\""), beyond);
                assert!((published.version.rewrite)(&text).is_err(), "{what}: {beyond} at {} is read", place.pointer);
                refused += 1;
            }
        }
    });
    println!("{refused} documents refused");
    assert!(refused > 200, "{refused}");
}

/// No foreign object is taken for an empty one of ours; an object that does not say what it is, is taken at its reader's word.
#[test]
fn objects_of_another_kind_or_version_are_errors() {
    for version in versions() {
        let spec = json!({"metadata": {"name": "a"}, "spec": {}});
        for other in versions() {
            let mut object = spec.clone();
            object["apiVersion"] = other.api_version.into();
            object["kind"] = other.kind.into();
            let is_same = std::ptr::eq(version, other);
            let result = (version.rewrite)(&object.to_string());
            assert_eq!(result.is_ok(), is_same, "{} {} read as {} {}", other.api_version, other.kind, version.api_version, version.kind);
            if let Err(error) = result {
                let error = error.to_string();
                assert!(error.contains("expected ") && error.contains(", found "), "{error}");
            }
        }
        for (key, known, foreign) in [
            ("apiVersion", version.api_version, json!("gateway.networking.k8s.io")),
            ("apiVersion", version.api_version, json!(format!("{} ", version.api_version))),
            ("kind", version.kind, json!(version.kind.to_lowercase())),
            ("kind", version.kind, json!(format!("{}List", version.kind))),
            ("kind", version.kind, json!(1)),
        ] {
            let mut object = spec.clone();
            object[key] = foreign.clone();
            assert!((version.rewrite)(&object.to_string()).is_err(), "{foreign}");
            for unsaid in [json!(null), json!("")] {
                object[key] = unsaid;
                let written: Value = serde_json::from_str(&(version.rewrite)(&object.to_string()).unwrap()).unwrap();
                assert_eq!(written[key], known);
            }
        }
    }
}

/// The model itself, where it can be said in words.
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
