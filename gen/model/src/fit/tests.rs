//! Fitting: what is removed first, what stays, and what does not fit.

use serde_json::{Value, json};

use super::*;
use crate::Schema;
use crate::crd::Version;

/// A CRD with one version of this schema.
fn crd(schema: &Value) -> CustomResourceDefinition {
    let version =
        Version { name: "v1".into(), schema: Schema::from_value(schema).expect("a schema"), ..Version::default() };
    CustomResourceDefinition { name: "things.example.com".into(), versions: vec![version], ..Default::default() }
}

/// Descriptions of 1 to 6 bytes: of the project on three levels, and of a selector.
fn thing() -> CustomResourceDefinition {
    let text = |text: &str| json!({ "type": "string", "description": text });
    crd(&json!({
        "type": "object",
        "description": "a",
        "properties": {
            "selector": {
                "type": "object",
                "description": "bb",
                "properties": {
                    "matchLabels": { "type": "object", "additionalProperties": text("deeper") },
                    "matchExpressions": { "type": "array", "description": "ccc", "items": { "type": "string" } },
                },
            },
            "spec": { "type": "object", "properties": { "long": text("dddd"), "longer": text("eeeee"), "also": text("ffff") } },
        },
    }))
}

/// The texts of all descriptions that are left.
fn left(crd: &CustomResourceDefinition) -> Vec<&str> {
    crd.versions[0].schema.all_nodes().filter_map(|node| node.description.as_deref()).collect()
}

/// How many bytes the texts have.
fn text_bytes(crds: &[CustomResourceDefinition]) -> usize {
    crds.iter().flat_map(left).map(str::len).sum()
}

#[test]
fn foreign_descriptions_go_first_then_the_deepest_and_longest() {
    let thing = thing();
    for (most, expected) in [
        (25, &["a", "bb", "ccc", "deeper", "ffff", "dddd", "eeeee"][..]),
        (24, &["a", "bb", "ccc", "ffff", "dddd", "eeeee"]),
        (19, &["a", "bb", "ccc", "ffff", "dddd", "eeeee"]),
        (18, &["a", "bb", "ffff", "dddd", "eeeee"]),
        (15, &["a", "bb", "ffff", "dddd"]),
        (10, &["a", "bb", "dddd"]),
        (3, &["a", "bb"]),
        (2, &["a"]),
        (0, &[]),
    ] {
        let fitted = fit(std::slice::from_ref(&thing), most, text_bytes).expect("an equal structure");
        assert_eq!(left(&fitted.crds[0]), expected, "{most}");
        assert_eq!((fitted.before, fitted.after), (25, expected.iter().map(|text| text.len()).sum()));
        assert_eq!(fitted.crds[0].without_descriptions(), thing.without_descriptions());
    }
    assert_eq!(Descriptions::from(std::slice::from_ref(&thing)), Descriptions { foreign: 2, own: 5 });
}

#[test]
fn of_several_crds_the_deepest_descriptions_of_all_go_first() {
    let flat = crd(&json!({ "type": "object", "description": "x".repeat(30) }));
    let fitted = fit(&[flat, thing()], 33, text_bytes).expect("an equal structure");
    assert_eq!(fitted.crds.iter().map(|crd| left(crd).len()).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_structure_above_the_limit_loses_all_descriptions() {
    let fitted = fit(&[thing()], 10, |crds| Limit::Bytes(10).bytes(&crds[0])).expect("an equal structure");
    assert_eq!(fitted.crds, [thing().without_descriptions()]);
    let after = fitted.after;
    let parts = heaviest(&fitted.crds, 3).into_iter();
    let parts = parts.map(|part| format!("`{}` in v1 has {}", part.path, part.bytes)).collect::<Vec<_>>().join(", ");
    let message = format!("things.example.com has {after} bytes without descriptions, and 10 are allowed: {parts}");
    assert_eq!(Limit::Bytes(10).fit(&thing(), Clone::clone), Err(message));
}

/// kubectl's annotation ends with a line break, and its key and the other annotations count.
#[test]
fn the_limit_of_apply_is_that_of_all_annotations() {
    let mut thing = thing();
    thing.annotations.insert("a".into(), "b".into());
    let json = thing.to_value().to_string().len() + "\n".len();
    let annotations = "kubectl.kubernetes.io/last-applied-configuration".len() + "ab".len();
    assert_eq!((Limit::Apply.most(), Limit::Apply.bytes(&thing)), (262_144, json + annotations));
    let room = 262_144 - json - annotations;
    for (more, is_whole) in [(room, true), (room + 1, false)] {
        let mut thing = thing.clone();
        thing.versions[0].schema.description = Some(format!("a{}", "a".repeat(more)).into());
        let fitted = Limit::Apply.fit(&thing, Clone::clone).expect("a CRD that fits");
        assert_eq!(fitted == thing, is_whole);
        assert!(Limit::Apply.bytes(&fitted) <= 262_144);
    }
    // Stamps count too.
    let stamped = |crd: &CustomResourceDefinition| {
        let annotations = [("stamp".into(), "x".repeat(room / 2).into())].into();
        CustomResourceDefinition { annotations, ..crd.clone() }
    };
    let fitted = Limit::Apply.fit(&thing, stamped).expect("a CRD that fits");
    assert!(fitted != thing && fitted.annotations == thing.annotations);
}

#[test]
fn limits_are_read_as_they_are_written() {
    assert_eq!("apply".parse(), Ok(Limit::Apply));
    assert_eq!("1000".parse(), Ok(Limit::Bytes(1000)));
    assert!("helm".parse::<Limit>().is_err() && "-1".parse::<Limit>().is_err());
}

#[test]
fn a_subtree_with_most_of_its_bytes_in_one_node_is_not_listed() {
    let text = |text: &str| json!({ "type": "string", "description": text.repeat(100) });
    let items = json!({ "type": "object", "properties": { "a": text("aa"), "b": text("bbb") } });
    let list = json!({ "type": "array", "items": items });
    let crd = crd(&json!({ "type": "object", "properties": { "list": list, "small": text("c") } }));
    let listed = |number| heaviest(std::slice::from_ref(&crd), number).into_iter().map(|part| (part.path, part.bytes));
    let bytes = |value: &Value| value.to_string().len();
    let expected =
        [("list[*].b", bytes(&text("bbb"))), ("list[*].a", bytes(&text("aa"))), ("small", bytes(&text("c")))];
    let expected = expected.map(|(path, bytes)| (path.to_owned(), bytes));
    assert_eq!(listed(9).collect::<Vec<_>>(), expected);
    assert_eq!(listed(1).collect::<Vec<_>>(), expected[..1]);
    let all = crd.to_value().to_string().len() * 2;
    let of_both = heaviest(&[crd.clone(), crd], 1);
    assert_eq!((of_both[0].bytes, of_both[0].percent), (expected[0].1, expected[0].1 * 100 / all));
}
