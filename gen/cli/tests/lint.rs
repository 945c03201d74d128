//! The document of `lint`. Its text is in `sessions/lint.txt`.

use crd_channels_cli::Exit;
use serde_json::Value;

use crate::shape;
use crate::support::{Place, things};

const CRD: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  names: {kind: Lamp, plural: lamps, singular: lamp, listKind: LampList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {ratio: {type: number}}}}
";

#[test]
fn the_document_has_its_documented_shape_with_findings_and_with_errors() {
    let schema: Value = serde_json::from_str(include_str!("../schemas/lint.json")).unwrap();
    let place = Place::new();
    place.write("crd.yaml", CRD);
    for (rule, exit) in [("no-floats", Exit::Findings), ("no-phase", Exit::Fine), ("no-floots", Exit::Unusable)] {
        let arguments = ["lint", "--crds", "crd.yaml", "--rule", rule, "--format", "json"];
        let ran = place.run_unchanged(&things(), &arguments);
        let document: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((ran.exit, &*ran.err, shape::errors(&schema, &document)), (exit, "", vec![]), "{ran:?}");
    }
}
