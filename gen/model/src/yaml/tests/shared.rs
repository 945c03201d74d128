//! Schemas that share their parts, compared with the usual reader.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::block::{TEXTS, part_of, texts};
use crate::CustomResourceDefinition;
use crate::yaml::{SharedSchemas, documents, shared_documents};

/// What both readers make of a text; true if its schemas were shared.
fn compare(text: &str) -> bool {
    let text = Arc::new(text.to_owned());
    let Some(found) = shared_documents(&text, &SharedSchemas::default()) else { return false };
    let expected = documents(&text).collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.into_iter().zip(expected) {
        assert_eq!(found.section, expected.section, "{text}");
        let mut value = expected.value;
        if !found.schemas.is_empty() {
            let (crd, errors) = CustomResourceDefinition::from_published(&value);
            assert!(errors.iter().all(|error| !error.path.contains("openAPIV3Schema.")), "{errors:?}\n{text}");
            let schemas = crd.versions.into_iter().map(|version| version.schema).collect::<Vec<_>>();
            assert_eq!(found.schemas, schemas, "{text}");
        }
        let mut maps = 0;
        for version in value.pointer_mut("/spec/versions").and_then(Value::as_array_mut).into_iter().flatten() {
            let schema = version.pointer_mut("/schema/openAPIV3Schema").filter(|_| !found.schemas.is_empty());
            maps += schema.map_or(0, |schema| count(&std::mem::replace(schema, Value::Object(Map::new()))));
        }
        assert_eq!((found.value, found.maps), (value, maps), "{text}");
    }
    true
}

fn count(value: &Value) -> usize {
    match value {
        Value::Object(map) => 1 + map.values().map(count).sum::<usize>(),
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}

/// A CRD with these keywords in its schema.
fn crd(schema: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  versions:\n  - name: v1\n    \
         schema:\n      openAPIV3Schema:\n{}",
        schema.lines().map(|line| format!("        {line}\n")).collect::<String>()
    )
}

/// A property that is long enough to be shared.
fn property(description: &str) -> String {
    format!("type: object\nproperties:\n  spec:\n    type: object\n    description: {}", description.repeat(400))
}

#[test]
fn published_crds_are_read_as_by_the_usual_reader() {
    let texts = texts();
    let crds = texts.iter().filter(|text| text.contains("apiVersion: apiextensions.k8s.io/v1\n"));
    let (shared, all) = crds.fold((0, 0), |(shared, all), text| (shared + usize::from(compare(text)), all + 1));
    println!("the schemas of {shared} of {all} CRDs are shared");
    assert!(shared * 100 >= all * 85, "{shared} of {all}");
}

#[test]
fn what_is_written_alike_is_one_schema() {
    let [one, same, other] = ["a", "a", "b"].map(|word| Arc::new(crd(&property(word))));
    let schemas = SharedSchemas::default();
    let [one, same, other] =
        [&one, &same, &other].map(|text| shared_documents(text, &schemas).unwrap().remove(0).schemas.remove(0));
    let spec = |schema: &'_ crate::Schema| std::ptr::from_ref(schema.properties.get("spec").unwrap()).addr();
    assert_eq!(spec(&one), spec(&same));
    assert_ne!(spec(&one), spec(&other));
    assert_ne!(one, other);
}

#[test]
fn several_documents_are_read() {
    let text = format!("kind: Namespace\nmetadata: {{}}\n---\n{}---\n{}", crd(&property("a")), crd("type: object"));
    assert!(compare(&text));
}

/// Whatever is odd gets its messages from the usual reader.
#[test]
fn odd_schemas_are_left_to_the_usual_reader() {
    for schema in [
        "type:",
        "type: 1",
        "unknown: 1",
        "type: object\ntype: object",
        "properties:\n  a:\n    type: string\n  a:\n    type: string",
        "properties:",
        "properties:\n- a",
        "properties:\n  a:",
        "properties:\n  a:\n  - b",
        "$ref: a",
        "properties: {a: {}}",
        "properties:\n  a: 1",
        "items:\n- type: string",
    ] {
        assert!(shared_documents(&Arc::new(crd(schema)), &SharedSchemas::default()).is_none(), "{schema}");
    }
    let without_schema = crd("type: object").replace("openAPIV3Schema:\n", "other:\n");
    let elsewhere = format!("{without_schema}  validation:\n    openAPIV3Schema:\n      type: object\n");
    for text in [
        without_schema,
        elsewhere,
        crd(&property("a")).replace("/v1\n", "/v1beta1\n"),
        crd(&property(&"a".repeat(1 << 12))),
    ] {
        assert!(shared_documents(&Arc::new(text), &SharedSchemas::default()).is_none());
    }
}

#[test]
fn deep_schemas_do_not_end_the_program() {
    let deep = (0..5000).map(|depth| format!("{}items:\n", "  ".repeat(depth))).collect::<String>();
    assert!(shared_documents(&Arc::new(crd(&deep)), &SharedSchemas::default()).is_none());
    let long_names = (0..200).map(|depth| format!("{}{}:\n", " ".repeat(depth), "a".repeat(2000))).collect::<String>();
    assert!(shared_documents(&Arc::new(crd(&long_names)), &SharedSchemas::default()).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crd_testdata::sample(200_000).try_into().unwrap_or(u32::MAX), ..ProptestConfig::default() })]

    /// A part of a published file with a few characters changed, as a schema.
    #[test]
    fn changed_schemas_are_read_as_by_the_usual_reader(part in part_of(TEXTS.get_or_init(texts))) {
        compare(&crd(&part));
        compare(&crd(&format!("properties:\n  a:\n{}", part.lines().map(|line| format!("    {line}\n")).collect::<String>())));
    }
}
