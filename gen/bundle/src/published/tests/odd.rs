//! CRDs that servers accept, or accepted, although something is odd about them.

use crd_model::schema::ReadErrorKind;
use serde_json::{Value, json};

use super::super::server::row;
use super::*;

const DROPPED: &str =
    "servers drop it with a warning, and refuse it if they validate strictly. Remove it, or correct its spelling";
const SIZE: &str = "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size";

/// The CRD with another schema of its field.
fn with_field(schema: &str) -> String {
    THING.replace("                type: integer\n", &format!("                {schema}\n"))
}

#[test]
fn the_table_has_a_row_for_everything_that_a_reader_finds() {
    use ReadErrorKind::{Absent, Missing, NotStructural, Unexpected, Unknown};
    let parts = [Unknown, NotStructural, Missing, Unexpected, Absent].map(Oddity::Part);
    for oddity in parts.into_iter().chain([Oddity::RepeatedKey]) {
        assert_eq!(row(oddity).oddity, oddity);
    }
    assert_eq!(SERVER_ANSWERS.len(), 6);
}

/// The testbed puts the same examples to a server.
#[test]
fn reading_follows_the_table() {
    for row in SERVER_ANSWERS {
        let text = with_field("x").replace("size:\n                x", &format!("size: {}", row.example));
        let read = read("x", [Input::new("x.yaml", text)]);
        match (row.severity, read) {
            (Severity::Warning, Ok(read)) => {
                let codes = read.warnings.iter().map(|warning| warning.code).collect::<Vec<_>>();
                assert_eq!(codes, [codes::CRD_IGNORED], "{:?}", row.oddity);
            }
            (Severity::Error, Err(errors)) => assert_eq!(errors[0].code, codes::CRD_STRUCTURE, "{:?}", row.oddity),
            (severity, read) => panic!("{:?}: {severity:?}, {read:?}", row.oddity),
        }
        // What a server accepts, we read; what it refuses in any case is an error.
        assert_eq!(row.severity == Severity::Error, row.warn == ServerAnswer::Refuses, "{:?}", row.oddity);
    }
}

#[test]
fn unknown_keys_are_dropped_with_a_warning() {
    let (crd, warnings) = warned("x.yaml", with_field("type: integer\n                optional: true"));
    assert_eq!(
        warnings,
        [format!("x.yaml:23:17: {SIZE}.optional: this is not a keyword of a Kubernetes schema; {DROPPED}")]
    );
    assert_eq!(crd, warned("x.yaml", THING).0);
    let text = THING
        .replace("metadata:\n", "extra: 1\nmetadata:\n  lables: {}\n")
        .replace("    plural", "    short: x\n    plural")
        .replace("    served", "    conversion: {}\n    subresources: {status: {x: 1}}\n    served")
        .replace("  scope", "  conversion: {strategy: None, webhok: 1}\n  scope");
    let paths = warned("x.yaml", text).1.into_iter().map(|warning| warning.split(": ").nth(1).unwrap().to_owned());
    assert_eq!(
        paths.collect::<Vec<_>>(),
        [
            "extra",
            "metadata.lables",
            "spec.names.short",
            "spec.conversion.webhok",
            "spec.versions[0].conversion",
            "spec.versions[0].subresources.status.x"
        ]
    );
}

#[test]
fn nulls_of_schemas_count_as_absent() {
    let keywords = [
        "additionalProperties",
        "allOf",
        "anyOf",
        "default",
        "description",
        "enum",
        "example",
        "exclusiveMaximum",
        "externalDocs",
        "format",
        "id",
        "items",
        "maxItems",
        "maximum",
        "not",
        "nullable",
        "pattern",
        "properties",
        "required",
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-validations",
        "$ref",
        "definitions",
        "dependencies",
    ];
    let nulls = keywords.map(|keyword| format!("                {keyword}: null\n")).concat();
    let (crd, warnings) = warned("x.yaml", with_field(&format!("type: integer\n{nulls}")));
    assert_eq!(crd, warned("x.yaml", THING).0);
    assert_eq!(warnings.len(), keywords.len());
    assert_eq!(
        warnings[2],
        format!(
            "x.yaml:25:17: {SIZE}.anyOf: the value is null, which counts as absent; servers accept it. Remove it, or give it a \
             value"
        )
    );
    // A null in a list is a schema without anything, and the keyword of a map in front of it is not enough.
    let (crd, warnings) = warned("x.yaml", with_field("{type: integer, anyOf: [null], definitions: {}}"));
    assert_eq!(crd.versions[0].schema.properties.get("spec").unwrap().properties.get("size").unwrap().any_of.len(), 1);
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[1].contains("definitions: the keyword is empty, which counts as absent"), "{warnings:?}");
    // Without a value, it is not a key of a server.
    let (_, warnings) = warned("x.yaml", with_field("{type: integer, optional: null}"));
    assert!(warnings[0].contains("this is not a keyword"), "{warnings:?}");
}

#[test]
fn of_repeated_keys_the_last_one_counts() {
    let (crd, warnings) = warned("x.yaml", format!("{THING}  scope: Cluster\n"));
    assert_eq!(crd.scope.as_str(), "Cluster");
    assert_eq!(
        warnings,
        [
            "x.yaml:27:3: spec.scope: this key is already in its map; the last one counts on servers, and they refuse it if they \
             validate strictly. Remove one"
        ]
    );
    let list = format!(
        "kind: List\nitems:\n- {}",
        THING.replace('\n', "\n  ").replace("type: integer", "{type: string, type: integer}")
    );
    let list = list.replace("size:\n                  {", "size: {");
    let (_, warnings) = warned("x.yaml", list);
    assert!(warnings.len() == 1 && warnings[0].contains(&format!("{SIZE}.type")), "{warnings:?}");
    // Other documents are none of our business.
    let others = format!("kind: ConfigMap\nkind: Secret\n---\n{THING}");
    assert_eq!(warned("x.yaml", others).1, Vec::<String>::new());
}

/// With a path that leads to the line in the text, which has another structure.
#[test]
fn v1beta1_is_read_as_it_was_converted() {
    let text = "\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  version: v1
  additionalPrinterColumns:
  - JSONPath: .spec.size
    name: Size
    type: integer
  subresources: {status: {}}
  validation:
    openAPIV3Schema:
      properties:
        spec:
          properties:
            size: {type: integer, optional: true}
";
    let published = read("x", [Input::new("x.yaml", text)]).unwrap();
    let (crd, warnings) = warned("x.yaml", text);
    let version = &crd.versions[0];
    assert_eq!((&*version.name, version.served, version.storage), ("v1", true, true));
    assert_eq!((&*version.columns[0].json_path, crd.preserve_unknown_fields), (".spec.size", Some(true)));
    assert!(version.subresources.as_ref().unwrap().status);
    assert_eq!(
        warnings,
        [
            format!("x.yaml:19:35: {SIZE}.optional: this is not a keyword of a Kubernetes schema; {DROPPED}"),
            "x.yaml:1: a CRD of apiextensions.k8s.io/v1beta1 is read as servers before Kubernetes 1.22 converted it. Newer \
             servers refuse it; take what `kubectl get crd NAME -o yaml` prints"
                .to_owned(),
        ]
    );
    let crd = &published.crds[0];
    let path = schema_path(&crd.crd, "v1", "spec.size");
    let places =
        crd.origin.places(&[&*path, "spec.versions[0].additionalPrinterColumns[0].jsonPath", "spec.versions[0].name"]);
    assert_eq!(places.iter().map(|place| place.line).collect::<Vec<_>>(), [19, 10, 8]);
    // A server since 1.22 would refuse it, and one that had it did not.
    let findings = check_bundle(&published, &Expected::default());
    assert!(findings.iter().any(|finding| finding.code == "spec-preserve-unknown-fields"), "{findings:?}");
    assert!(findings.iter().all(|finding| finding.severity == Severity::Warning), "{findings:?}");
    // In a list.
    let item: Value = crd_model::yaml::read(text).unwrap().remove(0);
    let mut other = item.clone();
    (other["metadata"]["name"], other["spec"]["names"]["plural"]) = (json!("others.example.com"), json!("others"));
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [item, other]});
    let published = read("x", [Input::new("x.json", list.to_string())]).unwrap();
    let warning = published.warnings.iter().filter(|warning| warning.code == codes::CRD_VERSION).collect::<Vec<_>>();
    assert_eq!(warning.len(), 2);
}

/// The schema of all versions is copied into each, so a small text could become a large value.
#[test]
fn many_versions_of_v1beta1_are_not_converted() {
    let versions =
        (0..20_000).map(|number| json!({"name": format!("v{number}"), "served": true, "storage": number == 0}));
    let spec = json!({"group": "b.c", "names": {"kind": "A", "plural": "as"}, "versions": versions.collect::<Vec<_>>(),
        "validation": {"openAPIV3Schema": {"description": "x".repeat(1_000_000)}}});
    let document = json!({"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "as.b.c"}, "spec": spec});
    let found = errors("x.json", document.to_string());
    assert_eq!(
        found,
        [
            "x.json:1:1: this CRD is 19531992 KiB as JSON, and no API server takes more than 3072 KiB. Make it smaller, or read \
             fewer CRDs at once"
        ]
    );
}

/// What kustomize and kubectl print: documents one after the other, and lists of both versions of CRDs.
#[test]
fn v1beta1_lists_need_not_repeat_what_they_hold() {
    let list = json!({"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinitionList", "items": [
        {"metadata": {"name": "as.b.c"}, "spec": {"group": "b.c", "names": {"kind": "A", "plural": "as"}, "version": "v1"}}
    ]});
    let published = read("x", [Input::new("x.yaml", format!("{THING}---\n{list}\n"))]).unwrap();
    let names = published.crds.iter().map(|crd| &*crd.crd.name).collect::<Vec<_>>();
    assert_eq!(names, ["as.b.c", "things.example.com"]);
    // It has no schema: every object is accepted.
    let schema = &published.crds[0].crd.versions[0].schema;
    assert_eq!((schema.kind.as_deref(), schema.preserve_unknown_fields), (Some("object"), Some(true)));
}
