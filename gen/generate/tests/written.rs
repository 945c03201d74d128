//! CRDs that another generator wrote, divided into channels by types and by files of marks.

#![allow(clippy::unwrap_used, reason = "a panic is a failure")]

use std::sync::Arc;

use crd_channels::{Channel, Described, ObjectMeta, api};
use crd_diagnostics::{Diagnostic, text};
use crd_generate::settings::{REQUIRED, Settings};
use crd_generate::written::{WrittenCrds, marks};
use crd_generate::{Catalogue, Projection, annotated};
use crd_model::{CustomResourceDefinition, yaml};
use serde_json::{Value, json};

/// The CRD that controller-gen would write, with this schema of `spec`.
fn crd(spec: &str) -> Arc<CustomResourceDefinition> {
    let text = format!(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: lamps.example.com, annotations: \
         {{controller-gen.kubebuilder.io/version: v0.23.0, team: light}}}}, spec: {{group: example.com, names: {{kind: Lamp, listKind: LampList, \
         plural: lamps, singular: lamp}}, scope: Cluster, versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: \
         {{type: object, properties: {{metadata: {{type: object}}, spec: {spec}}}}}}}}}]}}}}"
    );
    Arc::new(CustomResourceDefinition::from_value(&yaml::read(&text).unwrap()[0]).unwrap())
}

const SPEC: &str = "{type: object, required: [colour, size], properties: {colour: {type: string, enum: [Red, Green]}, size: {type: integer}, \
    bulbs: {type: array, items: {type: object, properties: {watts: {type: integer}}, x-kubernetes-validations: [{rule: self.watts < 9}]}}, \
    labels: {type: object, additionalProperties: {type: string}}}, x-kubernetes-validations: [{rule: has(self.size)}]}";

fn settings(more: &str) -> Settings {
    let text = format!("prefix: example.com\nversion: v1.0.0\ncrds: crds\n{more}");
    Settings::read("crd-channels.yaml".as_ref(), &text, &REQUIRED).unwrap()
}

fn written(spec: &str) -> WrittenCrds {
    WrittenCrds { crds: vec![crd(spec)], ..WrittenCrds::default() }
}

/// The CRDs of both channels.
fn projected(catalogue: &Catalogue) -> Result<[Option<CustomResourceDefinition>; 2], Vec<Diagnostic>> {
    let resources = annotated(catalogue)?;
    Ok([resources[0].project(catalogue, Channel::Standard)?, resources[0].project(catalogue, Channel::Experimental)?])
}

fn marked(text: &str, more: &str) -> Result<Catalogue, Vec<Diagnostic>> {
    let settings = settings(&format!("marks: channels.yaml\n{more}"));
    let (roots, crds) = marks::marked("channels.yaml", text, &settings, written(SPEC))?;
    Ok(Catalogue::new(settings).written(&roots, crds))
}

fn spec(crd: &Option<CustomResourceDefinition>) -> Value {
    let schema = &crd.as_ref().unwrap().versions[0].schema;
    schema.properties.get("spec").unwrap().to_value()
}

#[test]
fn marks_divide_a_crd() {
    let text = "marks:\n\
        - {crd: lamps.example.com, path: spec.size}\n\
        - {crd: lamps.example.com, path: spec, rule: has(self.size), gate: Sizes}\n\
        - {crd: lamps.example.com, path: spec.colour, value: Green}\n\
        - {crd: lamps.example.com, path: 'spec.bulbs[*]', rule: self.watts < 9}\n\
        - {crd: lamps.example.com, path: 'spec.labels[*]', markers: ['+experimental:kubebuilder:validation:MaxLength=5']}\n\
        - {crd: lamps.example.com, path: spec.bulbs, gate: Free, versions: [v1]}\n";
    let catalogue = marked(text, "gates: {Sizes: experimental, Free: standard}\n").unwrap();
    let [standard, experimental] = projected(&catalogue).unwrap();
    let expected = json!({
        "type": "object",
        "required": ["colour"],
        "properties": {
            "colour": {"type": "string", "enum": ["Red"]},
            "bulbs": {"type": "array", "items": {"type": "object", "properties": {"watts": {"type": "integer"}}}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    });
    assert_eq!(spec(&standard), expected);
    let mut whole = crd(SPEC).versions[0].schema.properties.get("spec").unwrap().to_value();
    whole["properties"]["labels"]["additionalProperties"]["maxLength"] = 5.into();
    assert_eq!(spec(&experimental), whole);
    let standard = standard.unwrap();
    assert_eq!((&*standard.name, standard.scope.as_str()), ("lamps.example.com", "Cluster"));
    assert_eq!(standard.annotations.keys().map(|key| &**key).collect::<Vec<_>>(), ["team"]);

    let resources = annotated(&catalogue).unwrap();
    let marks = resources[0].experimental_marks();
    let found = marks.iter().map(|mark| (&*mark.path, mark.marker.line, mark.gate)).collect::<Vec<_>>();
    assert_eq!(
        found,
        [
            ("spec", 3, Some("Sizes")),
            ("spec.bulbs[*]", 5, None),
            ("spec.colour", 4, None),
            ("spec.labels[*]", 6, None),
            ("spec.size", 2, None),
        ]
    );
    let graduated = resources[0].graduated(&|mark| mark.path == "spec.size").project(&catalogue, Channel::Standard);
    assert_eq!(graduated.unwrap().unwrap().versions[0].schema.properties.get("spec").unwrap().required.len(), 2);
}

#[test]
fn a_mark_without_a_place_is_an_error_at_its_line() {
    let text = "marks:\n\
        - {crd: lamp.example.com}\n\
        - {crd: lamps.example.com, path: spec.colr}\n\
        - {crd: lamps.example.com, path: spec.colour, value: Gren}\n\
        - {crd: lamps.example.com, path: spec, rule: has(self.sise)}\n\
        - {crd: lamps.example.com, path: 'spec.colour[*]'}\n\
        - {crd: lamps.example.com, versions: [v2]}\n\
        - {crd: lamps.example.com, path: spec, gate: Sizes}\n\
        - {crd: lamps.example.com, path: spec, markers: ['+experimental:kubebuilder:validation:MaxLenght=5', '+optional']}\n";
    let errors = marked(text, "").unwrap_err();
    let lines = errors.iter().map(|error| error.location.line.unwrap()).collect::<Vec<_>>();
    assert_eq!(lines, [2, 3, 4, 5, 6, 7, 8, 9, 9]);
    let all = text::render_all(&errors);
    for near in [
        "`lamps.example.com`?",
        "there are `bulbs`",
        "`Green`?",
        "`has(self.size)`?",
        "remove `[*]`",
        "`v1`",
        "gates",
        "MaxLength",
    ] {
        assert!(all.contains(near), "{near}: {all}");
    }
    let errors = marked("marks:\n- {crd: lamps.example.com, pth: spec}\n- 3\n", "").unwrap_err();
    assert_eq!(errors.len(), 2, "{errors:?}");
}

#[test]
fn a_mark_is_about_one_place() {
    let mark = |text: &str| format!("- {{crd: lamps.example.com, {text}}}\n");
    for (texts, count) in [
        (&["path: spec.size", "path: spec.size, gate: Free"][..], 1),
        (&["path: spec.colour, value: Red", "path: spec.colour, value: Red, gate: Free"], 1),
        (&["path: 'spec.bulbs[*]'"], 1),
        (&["path: 'spec.labels[*]'"], 1),
        (&["path: spec.size, versions: []"], 1),
        (&["path: spec.colour, value: Red, rule: has(self.a)"], 2),
        (&["markers: ['+experimental:kubebuilder:resource:shortName=l']"], 1),
        (&["path: spec.size, markers: ['+experimental:k8s:immutable']"], 1),
    ] {
        let text = format!("marks:\n{}", texts.iter().map(|text| mark(text)).collect::<String>());
        let catalogue = marked(&text, "gates: {Free: standard}\n");
        let errors = catalogue.and_then(|catalogue| annotated(&catalogue).map(drop)).unwrap_err();
        assert_eq!(errors.len(), count, "{text}{errors:?}");
    }
}

#[test]
fn a_mark_that_goes_takes_its_lines_only() {
    let text = "marks:\n- crd: a.b\n  path: spec.x\n# about y\n- crd: a.b\n  path: spec.y\n\n  # why\n  gate: K\n\n- {crd: a.b, path: spec.z}\n";
    let lines = |marks: &[u32]| {
        let changed = marks::without(text, &marks.iter().copied().collect()).unwrap();
        changed.into_iter().map(|(line, after)| (line, after.is_some())).collect::<Vec<_>>()
    };
    assert_eq!(lines(&[5]), [5, 6, 7, 8, 9].map(|line| (line, false)));
    assert_eq!(lines(&[11]), [(11, false)]);
    assert_eq!(lines(&[2, 5, 11]).first(), Some(&(1, true)));
}

/// The root.
#[api(group = "example.com", version = "v1", kind = "Lamp")]
pub(crate) struct Lamp {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: LampSpec,
}

/// What it is.
#[api]
pub(crate) struct LampSpec {
    pub(crate) size: i32,
    /// +experimental
    pub(crate) bulb: Option<Bulb>,
    pub(crate) spare: Option<Bulb>,
}

/// A part that is used twice.
/// +kubebuilder:validation:XValidation:rule="self.watts < 9"
/// +experimental:kubebuilder:validation:XValidation:rule="self.watts > 1"
#[api]
pub(crate) struct Bulb {
    pub(crate) watts: i32,
    /// +standard:kubebuilder:validation:MaxLength=3
    pub(crate) socket: Option<String>,
}

/// The catalogue of the types with this schema of a bulb.
fn lamps(bulb: &str) -> Catalogue {
    let spec = format!("{{type: object, properties: {{size: {{type: integer}}, bulb: {bulb}, spare: {bulb}}}}}");
    Catalogue::new(settings("types: go:./api/...\nrun: make manifests\n"))
        .written(&[Lamp::DESCRIPTOR], WrittenCrds { command: Some("make manifests".to_owned()), ..written(&spec) })
}

#[test]
fn a_rule_has_the_place_of_its_marker() {
    let bulb = "{type: object, properties: {watts: {type: integer}, socket: {type: string}}, x-kubernetes-validations: \
        [{rule: self.watts != 5}, {rule: self.watts < 9}, {rule: has(self.socket)}]}";
    let catalogue = lamps(bulb);
    let [standard, experimental] = projected(&catalogue).unwrap();
    let rules = |spec: &Value| {
        let rules = spec["properties"]["spare"]["x-kubernetes-validations"].as_array().unwrap();
        rules.iter().map(|rule| rule["rule"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(rules(&spec(&standard)), ["self.watts != 5", "self.watts < 9", "has(self.socket)"]);
    assert_eq!(
        rules(&spec(&experimental)),
        ["self.watts != 5", "self.watts < 9", "self.watts > 1", "has(self.socket)"]
    );
    assert_eq!(spec(&standard)["properties"]["spare"]["properties"]["socket"]["maxLength"], 3);
    assert_eq!(spec(&standard)["properties"].get("bulb"), None);
    let experimental = spec(&experimental);
    assert_eq!(experimental["properties"]["bulb"], experimental["properties"]["spare"]);
    assert!(experimental["properties"]["bulb"]["properties"]["socket"].get("maxLength").is_none());
}

/// A resource with limits at types and at fields.
#[api(group = "example.com", version = "v1", kind = "Lamp")]
pub(crate) struct Limited {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: LimitedSpec,
}

/// Fields.
#[api]
pub(crate) struct LimitedSpec {
    /// +kubebuilder:validation:MaxLength=3
    pub(crate) name: Name,
    /// +experimental:kubebuilder:validation:XValidation:rule="self != ''"
    pub(crate) other: Name,
    #[serde(flatten)]
    pub(crate) inlined: Inlined,
}

/// A type with limits.
/// +standard:kubebuilder:validation:MaxLength=5
/// +kubebuilder:validation:XValidation:rule="self != ''"
#[api]
pub(crate) struct Name(pub(crate) String);

/// An experimental type with markers of its own.
/// +experimental
/// +kubebuilder:validation:MinProperties=1
/// +kubebuilder:validation:XValidation:rule="has(self.level)"
#[api]
pub(crate) struct Inlined {
    pub(crate) level: Option<i32>,
}

#[test]
fn limits_of_fields_and_types_hold_together() {
    const NAME: &str = "type: string, x-kubernetes-validations: [{rule: self != ''}]";
    let text = format!(
        "{{type: object, minProperties: 1, x-kubernetes-validations: [{{rule: has(self.level)}}], properties: \
         {{name: {{maxLength: 3, {NAME}}}, other: {{{NAME}}}, level: {{type: integer}}}}}}"
    );
    let catalogue = Catalogue::new(settings("types: go:./api/...\n")).written(&[Limited::DESCRIPTOR], written(&text));
    let [standard, experimental] = projected(&catalogue).unwrap();
    let expected = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 3, "allOf": [{"maxLength": 5}], "x-kubernetes-validations": [{"rule": "self != ''"}]},
            "other": {"type": "string", "maxLength": 5, "x-kubernetes-validations": [{"rule": "self != ''"}]},
        },
    });
    assert_eq!(spec(&standard), expected);
    let experimental = spec(&experimental);
    assert_eq!(
        (&experimental["minProperties"], &experimental["properties"]["level"]["type"]),
        (&json!(1), &json!("integer"))
    );
    assert_eq!(experimental["properties"]["name"]["maxLength"], 3);
    assert!(experimental["properties"]["name"].get("allOf").is_none());
}

#[test]
fn types_and_crds_of_different_days_are_refused_once() {
    let messages = |bulb: &str| {
        let catalogue = lamps(bulb);
        let errors = annotated(&catalogue).unwrap_err();
        errors.into_iter().map(|error| format!("{}: {}", error.code, error.message)).collect::<Vec<_>>()
    };
    let older = messages("{type: object, properties: {watts: {type: integer}}}");
    assert_eq!(older, ["types::stale-crds: the CRDs do not have the field `socket`: they are older than the types"]);
    let newer =
        messages("{type: object, properties: {watts: {type: integer}, socket: {type: string}, brand: {type: string}}}");
    assert_eq!(newer.len(), 1, "{newer:?}");
    assert!(newer[0].contains("`brand`, which the type does not have"), "{newer:?}");
    let open = messages("{type: object, x-kubernetes-preserve-unknown-fields: true}");
    assert!(open.iter().all(|error| error.starts_with("types::no-place")) && !open.is_empty(), "{open:?}");
    let error = annotated(&lamps("{type: object, properties: {watts: {type: integer}}}")).unwrap_err().remove(0);
    assert!(error.help.unwrap().contains("`make manifests`"));
}

#[test]
fn settings_say_what_go_does_not() {
    let bulb = "{type: object, properties: {watts: {type: integer}, socket: {type: string}}}";
    let spec = format!("{{type: object, properties: {{size: {{type: integer}}, bulb: {bulb}, spare: {bulb}}}}}");
    let catalogue = |more: &str| {
        Catalogue::new(settings(&format!("types: go:./api/...\n{more}"))).written(&[Lamp::DESCRIPTOR], written(&spec))
    };
    let unserved = projected(&catalogue("unserved: [v1/Lamp]\n")).unwrap();
    assert_eq!(unserved.map(|crd| crd.unwrap().versions[0].served), [false, true]);
    let errors = annotated(&catalogue("standard: [Torch]\nunserved: [v2/Lamp]\n")).unwrap_err();
    assert_eq!(errors.len(), 2, "{errors:?}");
    let types = catalogue("");
    assert_eq!(Projection::new(&types, annotated(&types).unwrap(), "test").crds().unwrap()[0].len(), 2);
}

#[test]
fn settings_of_another_kind_of_project_are_refused() {
    for (text, keys) in [
        ("run: make\ngates: {A: experimental}\ntypes: api\n", &["run", "gates"][..]),
        ("tags: gateway\nmarks: channels.yaml\ncrds: crds\n", &["tags"]),
        ("types: go:./api\n", &["types"]),
        ("types: go:./api\ncrds: crds\ngo: {module: example.com/api}\n", &["go"]),
        ("types: go:../api\ncrds: crds\n", &["types"]),
        ("gates: {A: beta}\nmarks: m.yaml\ncrds: crds\n", &["gates"]),
    ] {
        let text = format!("prefix: example.com\nversion: v1.0.0\n{text}");
        let errors = Settings::read("crd-channels.yaml".as_ref(), &text, &REQUIRED).unwrap_err();
        assert_eq!(errors.len(), keys.len(), "{text}: {errors:?}");
    }
}
