//! CRDs that cannot be read next to CRDs that can.

use crd_channels_cli::Exit;

use super::{CRD, Printed, place, run, widget};

/// A CRD of gadgets, in which a text is replaced.
fn gadgets(old: &str, new: &str) -> String {
    assert_eq!(GADGETS.matches(old).count(), 1, "{old}");
    GADGETS.replace(old, new)
}

const GADGETS: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: gadgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
";

const GADGET: &str = "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: b}\n";

/// Each with what its error states.
fn unreadable() -> Vec<(String, &'static str)> {
    vec![
        (gadgets(", schema: {openAPIV3Schema: {type: object}}", ""), "`schema` is missing"),
        (gadgets("{openAPIV3Schema: {type: object}}", "[object]"), "spec.versions[0].schema"),
        (gadgets("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v3"), "which does not exist"),
        (gadgets("  group: example.com\n", ""), "`group` is missing"),
        (gadgets("kind: Gadget, ", ""), "`kind` is missing"),
        (gadgets("served: true", "served: 'yes'"), "served"),
        (gadgets("name: gadgets.example.com", "name: gadget.example.com"), "can only be called"),
    ]
}

fn validated(crds: &str, objects: &str, more: &[&str]) -> Printed {
    let place = place(objects);
    place.write("crds.yaml", crds);
    run(&place, b"", &[&["in.yaml", "--crds", "crds.yaml"], more].concat())
}

#[test]
fn an_unreadable_crd_is_reported_only_if_an_object_needs_it() {
    for (broken, message) in unreadable() {
        for crds in [format!("{CRD}---\n{broken}"), format!("{broken}---\n{CRD}")] {
            let fine = validated(&crds, &widget("{size: 1}"), &[]);
            assert_eq!((fine.exit, &*fine.err), (Exit::Fine, ""), "{message}");
            let both = validated(&crds, &format!("{}---\n{GADGET}", widget("{size: 1}")), &[]);
            assert_eq!(both.exit, Exit::Unusable, "{message}");
            assert_eq!(both.out, "1 object is valid, 1 not checked (Kubernetes 1.33 to 1.37)\n");
            let is_named = both.err.contains("= in: gadgets.example.com") || message == "can only be called";
            assert!(is_named && both.err.contains(message), "{message}: {}", both.err);
            assert_eq!(both.err.matches("error[").count(), 1, "{}", both.err);
        }
    }
}

/// What has no name could be the CRD of any object.
#[test]
fn a_crd_without_a_name_stops_the_command() {
    let broken = gadgets("metadata:\n  name: gadgets.example.com\n", "metadata: {}\n");
    let printed = validated(&format!("{CRD}---\n{broken}"), &widget("{size: 1}"), &[]);
    assert_eq!((printed.exit, &*printed.out), (Exit::Unusable, "no object was checked (Kubernetes 1.33 to 1.37)\n"));
}

#[test]
fn a_crd_is_left_out_by_its_name() {
    for (broken, message) in unreadable() {
        let crds = format!("{CRD}---\n{broken}");
        let printed = validated(&crds, &widget("{size: 1}"), &["--skip", "gadget*.example.com"]);
        assert_eq!(printed.exit, Exit::Fine, "{message}: {}", printed.err);
        assert!(printed.err.contains("left out: the CRD `gadget"), "{message}: {}", printed.err);
    }
    let printed = validated(CRD, &widget("{size: 1}"), &["--skip", "gadgets.example.com"]);
    assert_eq!(printed.exit, Exit::Unusable);
    assert!(printed.err.contains("`--skip gadgets.example.com` matches no file or CRD"), "{}", printed.err);
}
