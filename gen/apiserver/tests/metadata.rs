//! Metadata and formats whose answer depends on single characters.

#![allow(clippy::unwrap_used, reason = "a test stops at the first thing that is not as it should be")]

use crd_apiserver::objects::{Request, Resource};
use crd_model::CustomResourceDefinition;
use crd_testdata::{thing, thing_crd};
use serde_json::{Value, json};

fn errors(schema: &Value, minor: u32, object: &Value) -> Vec<String> {
    let crd = CustomResourceDefinition::from_value(&thing_crd(schema, &json!({}))).unwrap();
    let resource = Resource::prepare(&crd, "v1", minor).unwrap().unwrap();
    resource.answer(Request::create(thing(object))).errors.iter().map(ToString::to_string).collect()
}

#[test]
fn a_manager_is_printable() {
    let invalid = |text: &str, character: &str, at: usize| {
        let about = format!("metadata.managedFields[0].manager: Invalid value: \"{text}\"");
        vec![format!("{about}: invalid character {character} (at position {at})")]
    };
    for (manager, expected) in [
        ("kubectl client é", vec![]),
        ("", vec![]),
        ("a\nb", invalid(r"a\nb", "U+000A", 1)),
        ("\u{7f}", invalid(r"\x7f", "U+007F", 0)),
        ("é\u{200b}", invalid(r"é\u200b", "U+200B", 2)),
        ("a\u{a0}", invalid(r"a\u00a0", "U+00A0", 1)),
        ("\u{2028}", invalid(r"\u2028", "U+2028", 0)),
    ] {
        let entry = json!({"manager": manager, "operation": "Apply", "apiVersion": "example.com/v1"});
        let object = json!({"metadata": {"name": "a", "namespace": "b", "managedFields": [entry]}});
        for minor in [32, 37] {
            assert_eq!(errors(&json!({"type": "object"}), minor, &object), expected, "{manager:?} on 1.{minor}");
        }
    }
}

#[test]
fn a_mac_address_without_separators_needs_go_1_26() {
    let address = json!({"type": "string", "format": "mac"});
    let spec = json!({"type": "object", "properties": {"mac": address}});
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    for (text, since) in [("00:00:5e:00:53:01", 32), ("0000.5e00.5301", 32), ("00005e005301", 36), ("00005e0053", 99)] {
        for minor in 32..=37 {
            let found = errors(&schema, minor, &json!({"spec": {"mac": text}}));
            assert_eq!(found.is_empty(), minor >= since, "{text} on 1.{minor}: {found:?}");
        }
    }
}
