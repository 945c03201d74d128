//! Random objects of Gateway API return equal from our Go module: Rust → JSON → Go → JSON → Rust. Deep copies are equal.
//!
//! Invariants: the objects are made from the CRDs, with absent, empty and zero values, and with values that a server refuses. [`rewrite`] has
//! each loss in Go with its reason, from the Rust types alone; every other difference is an error.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crd_channels::descriptor::BaseType;
use crd_channels::rule::Rule;
use crd_channels::{Channel, Field, Presence, Shape, TypeDescriptor, TypeRef};
use serde_json::{Value, json};

use crate::documents::VersionedKind;
use crate::go_modules::{REPOSITORY, files_of, go, is_skipped, run, written};
use crate::random::object::valid;
use crate::types::{Object, for_all_types};
use crd_testdata::Dice;

/// How many objects of each version of each kind a proof has.
const OBJECTS: usize = 10_000;
const METADATA: [&str; 3] = [
    "{}",
    r#"{"name": "a", "namespace": "b", "labels": {"c/d": ""}, "creationTimestamp": "2026-11-21T10:00:00Z"}"#,
    r#"{"generation": 1, "ownerReferences": [{"apiVersion": "v1", "kind": "A", "name": "", "uid": "1", "controller": false}]}"#,
];
/// The only field with a time.
const TIME: &str = "lastTransitionTime";

/// How often Go loses something, by reason.
type Losses = BTreeMap<&'static str, usize>;

/// Changes a value to the one that Go writes.
fn rewrite(kind: TypeRef, value: &mut Value, losses: &mut Losses) {
    match (kind, value) {
        (TypeRef::List(below), Value::Array(items)) => items.iter_mut().for_each(|item| rewrite(*below, item, losses)),
        (TypeRef::Map(_, below), Value::Object(map)) => {
            map.values_mut().for_each(|value| rewrite(*below, value, losses))
        }
        (TypeRef::Named(named), value) => match named.get().shape {
            Shape::Struct(fields) => rewrite_fields(named.get(), fields, value, losses),
            Shape::Newtype(inner) => rewrite(inner, value, losses),
            Shape::Enum { .. } => {}
            Shape::Union { .. } => panic!("{}: Gateway API has no union yet; write it", named.get().name),
        },
        _ => {}
    }
}

fn rewrite_fields(owner: &TypeDescriptor, fields: &[Field], object: &mut Value, losses: &mut Losses) {
    for field in fields {
        if field.flatten {
            rewrite(field.kind, object, losses);
            continue;
        }
        let is_required = field.presence == Presence::Required;
        let Some(value) = object.get_mut(field.wire_name) else {
            // Rust leaves out empty metadata, and a required field whose zero is invalid. Go writes both. They read as the same value.
            if is_required || matches!(field.kind, TypeRef::Base(BaseType::ObjectMeta)) {
                object[field.wire_name] = if field.wire_name == TIME { Value::Null } else { zero(field.kind) };
            }
            continue;
        };
        rewrite(field.kind, value, losses);
        if let (TIME, Some(written)) = (field.wire_name, value.as_str().and_then(other_time)) {
            *losses.entry("times have whole seconds in UTC; the first second is null").or_default() += 1;
            *value = written;
        } else if let (false, Some(reason)) = (is_required, loss(owner, field, value)) {
            *losses.entry(reason).or_default() += 1;
            object.as_object_mut().expect("an object").remove(field.wire_name);
        }
    }
}

/// How Go writes a time of random objects that it writes in another way.
fn other_time(time: &str) -> Option<Value> {
    match time {
        "2024-02-29T12:30:45.123Z" => Some(json!("2024-02-29T12:30:45Z")),
        "9999-12-31T23:59:59.999999999Z" => Some(json!("9999-12-31T23:59:59Z")),
        "2024-01-01T00:00:00+02:00" => Some(json!("2023-12-31T22:00:00Z")),
        "0001-01-01T00:00:00Z" => Some(Value::Null),
        _ => None,
    }
}

/// Why Go does not write the value of an optional field.
fn loss(owner: &TypeDescriptor, field: &Field, value: &Value) -> Option<&'static str> {
    if owner.module.starts_with("crd_channels::") {
        let is_empty = [json!([]), json!({}), json!(""), json!(0)].contains(value);
        return is_empty.then_some("apimachinery has `omitempty`: empty and zero are absent");
    }
    let has = |word| field.markers.iter().any(|marker| marker.rule == Rule::GoType(word));
    let is_open = matches!(field.kind, TypeRef::Named(of) if matches!(of.get().shape, Shape::Enum { open: true, .. }));
    match () {
        () if *value != zero(field.kind) || has("pointer") => None,
        () if has("value") => Some("`+go:type=value`: zero is absent"),
        () if is_open => Some("open enums are values: an empty string is absent"),
        () if owner.resource.is_some() && field.wire_name == "status" => Some("`status` is a value: zero is absent"),
        () => None,
    }
}

/// How Go writes the zero of a type. That of a list or map is nil.
fn zero(kind: TypeRef) -> Value {
    match kind {
        TypeRef::String => json!(""),
        TypeRef::Boolean => json!(false),
        TypeRef::Integer { .. } => json!(0),
        TypeRef::Base(_) => json!({}),
        TypeRef::Named(named) => match named.get().shape {
            Shape::Newtype(inner) => zero(inner),
            Shape::Enum { .. } => json!(""),
            _ => {
                let mut zero = json!({});
                rewrite(kind, &mut zero, &mut Losses::new());
                zero
            }
        },
        _ => Value::Null,
    }
}

/// Makes some values empty, zero or unknown to the type.
fn vary(dice: &mut Dice, name: &str, value: &mut Value) {
    match value {
        // Go reads no lowercase letters in times.
        Value::String(text) if name == TIME => text.make_ascii_uppercase(),
        Value::String(text) if dice.percent(4) => *text = dice.one(&["", "Other"]).to_owned(),
        Value::Number(number) if dice.percent(8) => *number = 0.into(),
        Value::Array(items) if dice.percent(4) => items.clear(),
        Value::Array(items) => items.iter_mut().for_each(|item| vary(dice, "", item)),
        Value::Object(fields) if dice.percent(4) => fields.clear(),
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| vary(dice, name, value)),
        _ => {}
    }
}

fn object<T: Object>(dice: &mut Dice, schema: &Value) -> T {
    let mut object = valid(dice, schema, 0);
    vary(dice, "", &mut object);
    object["apiVersion"] = json!(T::API_VERSION);
    object["kind"] = json!(<T as crd_channels::Resource>::KIND);
    object["metadata"] = serde_json::from_str(dice.one(&METADATA)).expect("JSON");
    serde_json::from_value(object).unwrap_or_else(|error| panic!("{}: {error}", T::name()))
}

/// Compares random objects of a version; how many.
fn compare<T: Object + PartialEq>(program: &str, losses: &mut Losses) -> usize {
    let mut all = VersionedKind::all(Channel::Experimental);
    let Some(versioned) = all.find(|of| of.version.served && of.name() == T::name()) else { return 0 };
    let (mut dice, schema) = (Dice::new(41), versioned.version.schema.to_value());
    let objects: Vec<T> = (0..crd_testdata::sample(OBJECTS)).map(|_| object(&mut dice, &schema)).collect();
    let lines: Vec<String> = objects.iter().map(|object| serde_json::to_string(object).expect("JSON")).collect();
    let file = format!("{program}.lines");
    fs::write(&file, lines.join("\n")).expect("a file");
    let answers = run(program, &[&file], REPOSITORY.as_ref());
    assert_eq!(answers.lines().count(), objects.len(), "{}", T::name());
    for ((mut first, line), answer) in objects.into_iter().zip(&lines).zip(answers.lines()) {
        let (mut expected, lost): (Value, usize) = (serde_json::from_str(line).expect("JSON"), losses.values().sum());
        rewrite(T::TYPE, &mut expected, losses);
        let found: Value = serde_json::from_str(answer).expect("JSON");
        assert!(found == expected, "{}: {line}\nis written as\n{found}\ninstead of\n{expected}", T::name());
        if losses.values().sum::<usize>() > lost {
            first = serde_json::from_value(expected).expect("readable");
        }
        let last: T = serde_json::from_str(answer).expect("readable");
        assert!(first == last, "{}: {line}\nreturns as\n{answer}", T::name());
    }
    lines.len()
}

#[test]
fn objects_return_from_go() {
    if is_skipped() {
        return;
    }
    let module = Path::new(REPOSITORY).join("api-types/go");
    let mut files = BTreeMap::from([("cmd/main.go".to_owned(), include_str!("go_objects/objects.go").to_owned())]);
    files_of(&module, &module, &mut files);
    let folder = written(&files);
    run(&go(), &["build", "-o", "objects", "./cmd"], folder.path());
    let (program, mut losses) = (folder.path().join("objects").display().to_string(), Losses::new());
    macro_rules! compared {
        ($($version:ident::$kind:ident),* $(,)?) => {
            [$((concat!(stringify!($version), " ", stringify!($kind)), compare::<gateway_api_types::$version::$kind>(&program, &mut losses))),*]
        };
    }
    let counts = for_all_types!(compared);
    println!("{} objects: {counts:?}\nlosses: {losses:#?}", counts.iter().map(|count| count.1).sum::<usize>());
    // No CRD has this version.
    assert!(counts.iter().all(|(name, count)| (*count == 0) == (*name == "v1alpha2 GRPCRoute")));
    assert_eq!(losses.len(), 5);
}
