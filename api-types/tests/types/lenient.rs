//! Readers are lenient and writers are strict (invariant 8 of the design): random documents that are invalid.
//!
//! The tests remove parts of random valid documents ([`crate::documents`]), set them to null, and fill in unknown or unreadable
//! values.
//!
//! Invariants: [`written`] is the model of the expected result. It uses the schemas and the validator, not the macro.

use std::collections::BTreeSet;

use crd_apiserver::validate::{Subject, Validator, ViolationKind};
use crd_channels::Channel;
use crd_model::schema::{AdditionalProperties, Schema};
use serde_json::{Map, Value, json};

use crate::documents::{Step, document, show, targets};
use crate::objects::{Published, Version, published, versions};
use crate::patterns;
use crd_testdata::Dice;

/// How many documents of each version in each channel there are where no place is meant in particular.
const DOCUMENTS: usize = 16;

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

/// Calls the test with documents of every version in every channel.
fn with_documents(salt: u64, mut test: impl FnMut(&'static Published, &mut Dice, Value, &str)) {
    let mut count = 0;
    for (number, published) in published().iter().enumerate() {
        let targets = targets(&published.schema);
        for index in 0..DOCUMENTS {
            let seed = salt * 1_000_000 + u64::try_from(number * 1_000 + index).unwrap();
            let mut random = Dice::new(seed);
            let target = random.pick(&targets).clone();
            let document = document(published, &mut random, &target);
            test(published, &mut random, document, &format!("{}, seed {seed}", published.name()));
            count += 1;
        }
    }
    println!("{count} documents");
}

/// A place in a random document that was made to have it.
struct Spot {
    pointer: String,
    schema: &'static Schema,
    /// For messages.
    what: String,
}

/// Calls the test with a document for every such place in every version. The experimental channel has all places that there are.
fn with_places(
    salt: u64,
    wanted: impl Fn(&Schema) -> bool,
    mut test: impl FnMut(&'static Published, &mut Dice, Value, &Spot),
) {
    let mut count = 0;
    for (number, published) in published().iter().enumerate() {
        if published.channel != Channel::Experimental {
            continue;
        }
        for (index, target) in targets(&published.schema).iter().enumerate() {
            // An enum value does not have a schema of its own.
            let Some(schema) = target.iter().try_fold(&published.schema, step).filter(|schema| wanted(schema)) else {
                continue;
            };
            let seed = salt * 1_000_000 + u64::try_from(number * 1_000 + index).unwrap();
            let mut random = Dice::new(seed);
            let document = document(published, &mut random, target);
            let pointer = pointer_to(&document, &published.schema, target).unwrap();
            let what = format!("{}, seed {seed}, {}", published.name(), show(target));
            test(published, &mut random, document, &Spot { pointer, schema, what });
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

/// How unknown fields begin here.
const UNKNOWN: &str = "x-unheard-of";

fn something(random: &mut Dice) -> Value {
    random
        .pick(&[
            json!(null),
            json!(true),
            json!(-1),
            json!(1e300),
            json!("text"),
            json!([[], {}]),
            json!({"a": {"b": [null]}}),
        ])
        .clone()
}

#[test]
fn unknown_fields_are_dropped_at_every_level() {
    fn add(node: &Node, value: &mut Value, random: &mut Dice, added: &mut usize) {
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
    with_places(
        2,
        |schema| schema.enumeration.is_some(),
        |published, random, mut document, Spot { what, .. }| {
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
        },
    );
    println!("{replaced} values replaced");
    assert!(replaced > 300, "{replaced}");
}

/// Values that today's schema refuses and another release may take.
#[test]
fn values_beyond_the_limits_are_kept() {
    let mut replaced = 0;
    with_documents(3, |published, random, mut document, what| {
        for (place, _) in places(published.version, &document) {
            let value = document.pointer_mut(&place.pointer).unwrap();
            match value {
                Value::String(text) if random.one_in(2) => {
                    *text = format!("!{text} \u{7}\n{}", "long".repeat(random.below(60)))
                }
                Value::Number(number) if random.one_in(2) && !place.pointer.ends_with("/maxSize") => {
                    *number =
                        random.pick(&[i64::from(i32::MIN), -7, 1_000_000_007, i64::from(i32::MAX)]).to_owned().into();
                }
                Value::Array(items) if random.one_in(4) => {
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
    with_places(
        4,
        |_| true,
        |published, random, mut document, Spot { pointer, what, .. }| {
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
                    matches!(
                        violation.kind,
                        ViolationKind::Missing | ViolationKind::Duplicate | ViolationKind::Junctor
                    ),
                    "{what}: {document:#}\nis written as\n{result:#}\n{violation}"
                );
            }
        },
    );
    println!("{required} required and {optional} optional fields absent");
    assert!(required > 500 && optional > 500, "{required} {optional}");
}

/// An explicit zero in a required field is the same as an absent field.
#[test]
fn zeros_that_cannot_be_valid_are_left_out() {
    let (mut left_out, mut kept) = (0, 0);
    with_places(
        5,
        |_| true,
        |published, random, mut document, Spot { pointer, what, .. }| {
            for (place, is_field) in places(published.version, &document) {
                if is_field
                    && (place.pointer == *pointer || random.one_in(4))
                    && document.pointer(&place.pointer).is_some()
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
        },
    );
    println!("{left_out} zeros left out, {kept} places kept");
    assert!(left_out > 200 && kept > 500, "{left_out} {kept}");
}

#[test]
fn values_of_another_kind_are_errors() {
    let samples = [
        ("boolean", json!(true)),
        ("integer", json!(7)),
        ("number", json!(1.5)),
        ("string", json!("7")),
        ("array", json!([])),
        ("object", json!({})),
    ];
    let mut refused = 0;
    with_places(
        6,
        |_| true,
        |published, _, document, Spot { pointer, schema, what }| {
            for (other, sample) in samples.iter().filter(|(other, _)| Some(*other) != schema.kind.as_deref()) {
                let mut changed = document.clone();
                *changed.pointer_mut(pointer).unwrap() = sample.clone();
                let result = (published.version.rewrite)(&changed.to_string());
                assert!(result.is_err(), "{what}: {other} is read:\n{changed:#}");
                refused += 1;
            }
        },
    );
    println!("{refused} documents refused");
    assert!(refused > 5_000, "{refused}");
    for version in versions() {
        for (_, sample) in samples.iter().filter(|(kind, _)| *kind != "object") {
            assert!((version.rewrite)(&sample.to_string()).is_err(), "{sample} is a {}", version.kind);
            let object = json!({"metadata": sample});
            assert!((version.rewrite)(&object.to_string()).is_err(), "{object} is a {}", version.kind);
        }
        assert!((version.rewrite)("null").is_err());
    }
}

#[test]
fn integers_beyond_the_rust_type_are_errors() {
    let mut refused = 0;
    with_places(
        7,
        |schema| schema.kind.as_deref() == Some("integer"),
        |published, _, mut document, Spot { pointer, schema, what }| {
            let beyond = match schema.format.as_deref() {
                Some("int32") => ["2147483648", "-2147483649"],
                _ => ["9223372036854775808", "-9223372036854775809"],
            };
            // Some of these numbers are beyond what a JSON value can hold here, so they are put into the text.
            const MARK: &str = "the number";
            *document.pointer_mut(pointer).unwrap() = json!(MARK);
            let text = document.to_string();
            for beyond in beyond {
                let text = text.replace(&format!("\"{MARK}\""), beyond);
                assert!((published.version.rewrite)(&text).is_err(), "{what}: {beyond} is read");
                refused += 1;
            }
            // The last ones that fit.
            for fits in [beyond[0].parse::<i128>().unwrap() - 1, beyond[1].parse::<i128>().unwrap() + 1] {
                let text = text.replace(&format!("\"{MARK}\""), &fits.to_string());
                assert!((published.version.rewrite)(&text).is_ok(), "{what}: {fits} is not read");
            }
        },
    );
    println!("{refused} documents refused");
    assert!(refused > 150, "{refused}");
}

/// An object of another kind is not read as an empty one. An object without apiVersion and kind is read as the requested kind.
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
            assert_eq!(
                result.is_ok(),
                is_same,
                "{} {} read as {} {}",
                other.api_version,
                other.kind,
                version.api_version,
                version.kind
            );
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

/// Metadata without anything in it cannot be valid either.
#[test]
fn absent_metadata_stays_absent() {
    for version in versions() {
        for object in
            [json!({}), json!({"metadata": null}), json!({"metadata": {}}), json!({"metadata": {"name": null}})]
        {
            let written: Value = serde_json::from_str(&(version.rewrite)(&object.to_string()).unwrap()).unwrap();
            assert_eq!(written.get("metadata"), None, "{object}");
            assert_eq!(written["kind"], version.kind);
        }
    }
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
