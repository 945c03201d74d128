//! `generate --costs`, and rules that are too expensive.

use crd_channels::api;
use crd_channels_cli::{Catalogue, Exit};
use serde_json::Value;

use crate::support::{self, Place, root};

/// Types with rules.
#[allow(dead_code, reason = "only their descriptors are read")]
mod types {
    use super::*;

    root!(Cheap, "v1", "Cheap", CheapSpec);

    #[api]
    pub struct CheapSpec {
        /// +kubebuilder:validation:MaxItems=16
        /// +kubebuilder:validation:items:MaxLength=64
        /// +kubebuilder:validation:XValidation:rule="self.all(name, name != '')",message="a name is empty"
        pub names: Option<Vec<String>>,
        /// +kubebuilder:validation:MaxLength=8
        /// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]+$')",messageExpression="self + ' has other letters'"
        pub text: Option<String>,
    }

    root!(Dear, "v1", "Dear", DearSpec);

    #[api]
    pub struct DearSpec {
        /// +kubebuilder:validation:items:XValidation:rule="self.matches('^[a-z]+$')",message="other letters"
        pub names: Option<Vec<String>>,
    }
}

fn cheap() -> Catalogue {
    support::api::<types::Cheap>("v1.2.0")
}

#[test]
fn costs_are_printed_with_the_limits() {
    let place = Place::with(&cheap());
    let ran = place.run(&cheap(), &["generate", "--check", "--costs"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    let expected = "\
standard  cheaps.things.example.com v1: 81 of 100,000,000 (0.1%), in Kubernetes 1.33
          66    0.1%  spec.names, rule 1: self.all(name, name != '')
           9    0.1%  spec.text, rule 1: self.matches('^[a-z]+$')
           6    0.1%  spec.text, message of rule 1: self + ' has other letters'
";
    assert!(ran.out.contains(expected), "{}", ran.out);
    assert!(ran.out.contains("experimental  cheaps.things.example.com v1: 81 of "), "{}", ran.out);
    let standard = place.run(&cheap(), &["generate", "--check", "--costs", "--channel", "standard"]);
    assert!(!standard.out.contains("experimental  cheaps"), "{}", standard.out);
    let without = place.run(&cheap(), &["generate", "--check"]);
    assert!(!without.out.contains("Kubernetes"), "{}", without.out);
}

#[test]
fn costs_are_part_of_the_json_document() {
    let place = Place::with(&cheap());
    let ran = place.run(&cheap(), &["generate", "--check", "--costs", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let versions = document["costs"].as_array().unwrap();
    assert_eq!(versions.len(), 2);
    assert_eq!((&versions[0]["total"], &versions[0]["limit"]), (&81.into(), &100_000_000.into()));
    let rule = &versions[0]["rules"][0];
    assert_eq!((&rule["path"], &rule["rule"], &rule["cost"]), (&"spec.names".into(), &1.into(), &66.into()));
    assert_eq!((&rule["evaluation"], &rule["evaluations"]), (&66.into(), &1.into()));
    assert_eq!(rule["kubernetes"], "1.33");
    let without = place.run(&cheap(), &["generate", "--check", "--format", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&without.out).unwrap().get("costs"), None);
}

#[test]
fn an_expensive_rule_is_an_error_with_the_bound_that_is_enough() {
    let catalogue = support::api::<types::Dear>("v1.2.0");
    let place = Place::new();
    let before = place.tree();
    let ran = place.run(&catalogue, &["generate"]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    for expected in [
        "error: gen/cli/tests/costs.rs:32: DearSpec.names, dears.things.example.com v1 spec.names[*]: the estimated cost of CEL rule 1",
        "is 659,708,444,672 in Kubernetes 1.33, and the limit is 10,000,000; `maxItems: 8` at spec.names (`+kubebuilder:validation:MaxItems=8`) is enough [validation-cost]",
        "the estimated cost of all CEL rules of this version is 659,708,444,672 in Kubernetes 1.33, and the limit is 100,000,000",
        "is enough [validation-cost-total]",
    ] {
        assert!(ran.err.contains(expected), "{expected}\n{}", ran.err);
    }
    assert_eq!(place.tree(), before);
}
