//! Enums with data: their schemas in both channels, the rules that make them unions, and what has no schema.

use crd_channels::{Channel, Described, ObjectMeta, TypeDescriptor, api};
use crd_generate::settings::Settings;
use crd_generate::{Catalogue, annotated, generate, schema_of};
use crd_inclusion::containment;
use serde_json::{Value, json};

#[api(group = "example.com", version = "v1", kind = "Job")]
struct Job {
    metadata: ObjectMeta,
    spec: JobSpec,
}

#[api]
struct JobSpec {
    /// Where the program comes from.
    source: Source,
    /// How pods are replaced.
    rollout: Option<Rollout>,
    /// All of them are tried.
    ///
    /// +kubebuilder:validation:MaxItems=4
    triggers: Option<Vec<Trigger>>,
}

/// A source.
///
/// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a source cannot change"
/// +tombstone:name=svn,removed=v1.4.0,reason="unused"
#[api]
enum Source {
    /// A repository.
    Git(Git),
    /// The text itself.
    Inline {
        /// The text.
        ///
        /// +kubebuilder:validation:MinLength=1
        text: String,
        /// +experimental
        name: Option<String>,
    },
    /// Several files.
    ///
    /// +experimental
    Import(Vec<String>),
}

/// A repository.
#[api]
struct Git {
    url: String,
    branch: Option<String>,
}

/// How pods are replaced.
///
/// +tombstone:name=Random,removed=v1.2.0,reason="unused"
#[api]
#[serde(tag = "type")]
enum Rollout {
    /// All pods
    /// stop first.
    Recreate,
    /// One after the other.
    ///
    /// +tombstone:name=speed,removed=v1.3.0,reason="unused"
    RollingUpdate {
        /// The limit.
        ///
        /// +kubebuilder:validation:Minimum=1
        max_surge: i32,
        /// A pause.
        pause: Option<String>,
    },
    /// In two steps.
    ///
    /// +experimental
    BlueGreen(BlueGreen),
}

/// Two steps.
///
/// +kubebuilder:validation:XValidation:rule="self.pause != self.namespace",message="both differ"
/// +kubebuilder:validation:XValidation:rule="self.pause == oldSelf.pause"
#[api]
struct BlueGreen {
    /// A pause.
    pause: String,
    namespace: String,
}

#[api]
#[serde(tag = "kind")]
enum Trigger {
    Clock { when: String, zone: Option<String> },
    Event { when: String, topic: String },
}

fn schema(descriptor: &'static TypeDescriptor, channel: Channel) -> Value {
    schema_of(descriptor, channel).expect("the type has a schema").to_value()
}

fn source(channel: Channel) -> Value {
    schema(Source::DESCRIPTOR, channel)
}

#[test]
fn variants_as_fields_of_which_exactly_one_is_set() {
    let git = json!({
        "description": "A repository.", "type": "object", "required": ["url"],
        "properties": {"branch": {"type": "string"}, "url": {"type": "string"}},
    });
    let text = json!({"description": "The text.", "type": "string", "minLength": 1});
    let immutable = json!({"rule": "self == oldSelf", "message": "a source cannot change"});
    assert_eq!(
        source(Channel::Standard),
        json!({
            "description": "A source.", "type": "object",
            "properties": {
                "git": git,
                "inline": {
                    "description": "The text itself.", "type": "object", "required": ["text"], "properties": {"text": text},
                },
            },
            "x-kubernetes-validations": [
                {
                    "message": "exactly one of the fields in [git inline] must be set",
                    "rule": "[has(self.git),has(self.inline)].filter(x,x==true).size() == 1",
                },
                immutable,
            ],
        })
    );
    assert_eq!(
        source(Channel::Experimental),
        json!({
            "description": "A source.", "type": "object",
            "properties": {
                "git": git,
                "import": {"description": "Several files.", "type": "array", "items": {"type": "string"}},
                "inline": {
                    "description": "The text itself.", "type": "object", "required": ["text"],
                    "properties": {"name": {"type": "string"}, "text": text},
                },
            },
            "x-kubernetes-validations": [
                {
                    "message": "exactly one of the fields in [git inline import] must be set",
                    "rule": "[has(self.git),has(self.inline),has(self.__import__)].filter(x,x==true).size() == 1",
                },
                immutable,
            ],
        })
    );
}

#[test]
fn tagged_variants_have_rules_for_the_fields_of_each_value() {
    assert_eq!(
        schema(Rollout::DESCRIPTOR, Channel::Standard),
        json!({
            "description": "How pods are replaced.", "type": "object", "required": ["type"],
            "properties": {
                "maxSurge": {"description": "The limit.", "type": "integer", "format": "int32", "minimum": 1},
                "pause": {"description": "A pause.", "type": "string"},
                "type": {
                    "description": "Which fields are set:\n\n* Recreate: All pods stop first.\n* RollingUpdate: One after the other.",
                    "type": "string", "enum": ["Recreate", "RollingUpdate"],
                },
            },
            "x-kubernetes-validations": [
                {
                    "message": "maxSurge may only be set when type is RollingUpdate",
                    "rule": "!has(self.maxSurge) || self.type in ['RollingUpdate']",
                },
                {
                    "message": "maxSurge must be set when type is RollingUpdate",
                    "rule": "has(self.maxSurge) || !(self.type in ['RollingUpdate'])",
                },
                {
                    "message": "pause may only be set when type is RollingUpdate",
                    "rule": "!has(self.pause) || self.type in ['RollingUpdate']",
                },
            ],
        })
    );
    let experimental = schema(Rollout::DESCRIPTOR, Channel::Experimental);
    assert_eq!(experimental["properties"]["type"]["enum"], json!(["Recreate", "RollingUpdate", "BlueGreen"]));
    assert_eq!(experimental["required"], json!(["type"]));
    let rules: Vec<&str> = experimental["x-kubernetes-validations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|validation| validation["rule"].as_str().unwrap())
        .collect();
    assert_eq!(
        rules,
        [
            "!has(self.maxSurge) || self.type in ['RollingUpdate']",
            "has(self.maxSurge) || !(self.type in ['RollingUpdate'])",
            "!has(self.__namespace__) || self.type in ['BlueGreen']",
            "has(self.__namespace__) || !(self.type in ['BlueGreen'])",
            "!has(self.pause) || self.type in ['RollingUpdate', 'BlueGreen']",
            "has(self.pause) || !(self.type in ['BlueGreen'])",
            "self.type != 'BlueGreen' || (self.pause != self.namespace)",
            "self.type != 'BlueGreen' || oldSelf.type != 'BlueGreen' || (self.pause == oldSelf.pause)",
        ]
    );
}

#[test]
fn a_field_of_every_variant_needs_no_rule() {
    let schema = schema(Trigger::DESCRIPTOR, Channel::Standard);
    assert_eq!(schema["required"], json!(["kind", "when"]));
    let rules = schema["x-kubernetes-validations"].as_array().unwrap();
    assert!(rules.iter().all(|rule| !rule["rule"].as_str().unwrap().contains("when")), "{rules:?}");
    assert_eq!(rules.len(), 3);
}

#[test]
fn generation_accepts_the_rules_in_both_channels() {
    let catalogue = Catalogue::new(Settings::new("example.com", "v1.0.0".parse().unwrap())).resource::<Job>();
    for channel in Channel::ALL {
        let crds = generate(&catalogue, channel).unwrap();
        assert_eq!(crds.len(), 1);
    }
}

#[test]
fn standard_is_contained_in_experimental() {
    let catalogue = Catalogue::new(Settings::new("example.com", "v1.0.0".parse().unwrap())).resource::<Job>();
    let [standard, experimental] = Channel::ALL.map(|channel| generate(&catalogue, channel).unwrap());
    assert_eq!(containment(&standard, &experimental, &Default::default()), []);
    assert!(!containment(&experimental, &standard, &Default::default()).is_empty());
}

#[test]
fn tombstones_and_origins_are_found_behind_an_enum() {
    let catalogue = Catalogue::new(Settings::new("example.com", "v1.0.0".parse().unwrap())).resource::<Job>();
    let resource = &annotated(&catalogue).unwrap()[0];
    let mut tombstones: Vec<(String, &str, bool)> = resource
        .tombstones()
        .into_iter()
        .map(|declared| (declared.path, declared.tombstone.name, declared.value))
        .collect();
    tombstones.sort();
    assert_eq!(
        tombstones,
        [
            ("spec.rollout".to_owned(), "speed", false),
            ("spec.rollout.type".to_owned(), "Random", true),
            ("spec.source".to_owned(), "svn", false),
        ]
    );
    let origin = |path: &str| {
        let origin = resource.origin("v1", path).unwrap();
        (origin.type_name, origin.field)
    };
    assert_eq!(origin("spec.source.inline.text"), ("Source::Inline", Some("text")));
    assert_eq!(origin("spec.source.git.url"), ("Git", Some("url")));
    assert_eq!(origin("spec.rollout.maxSurge"), ("Rollout::RollingUpdate", Some("max_surge")));
    assert_eq!(origin("spec.triggers[*].topic"), ("Trigger::Event", Some("topic")));
    let type_at = |path: &str| resource.type_at("v1", path).map(|origin| origin.type_name);
    assert_eq!(type_at("spec.source.inline"), Some("Source::Inline"));
    assert_eq!(type_at("spec.rollout.type"), Some("Rollout"));
    assert_eq!(type_at("spec.rollout"), Some("Rollout"));
    assert_eq!(type_at("spec.triggers[*].kind"), Some("Trigger"));
}

/// +experimental
#[api]
struct Later {
    value: i32,
}

#[api]
enum Mixed {
    Now(Git),
    Later(Later),
}

#[api]
enum OnlyLater {
    Later(Later),
}

#[test]
fn an_experimental_type_removes_its_variant_from_standard() {
    let rule = |channel| schema(Mixed::DESCRIPTOR, channel)["x-kubernetes-validations"][0]["rule"].clone();
    assert_eq!(rule(Channel::Standard), "[has(self.now)].filter(x,x==true).size() == 1");
    assert_eq!(rule(Channel::Experimental), "[has(self.now),has(self.later)].filter(x,x==true).size() == 1");
    assert_eq!(messages(OnlyLater::DESCRIPTOR), ["the channel standard has no variant of this enum"]);
}

#[api]
#[serde(tag = "type")]
enum Clashing {
    Circle {
        size: i32,
        /// +kubebuilder:default=red
        colour: Option<String>,
    },
    Text {
        size: String,
        colour: Option<String>,
    },
    Plain(Marked),
    Guarded(Guarded),
    Odd {
        #[serde(rename = "a b")]
        value: Option<String>,
    },
}

/// +kubebuilder:validation:MinProperties=1
#[api]
struct Marked {
    size: i32,
}

/// +kubebuilder:validation:XValidation:rule="!oldSelf.hasValue() || self.size == oldSelf.value().size",optionalOldSelf=true
#[api]
struct Guarded {
    size: i32,
}

#[api]
enum Unnameable {
    #[serde(rename = "a b")]
    One(Git),
}

fn messages(descriptor: &'static TypeDescriptor) -> Vec<String> {
    let errors = schema_of(descriptor, Channel::Experimental).expect_err("the type does not have a schema");
    assert!(errors.iter().all(|error| error.code == "types::variants"), "{errors:?}");
    errors.into_iter().map(|error| error.message).collect()
}

#[test]
fn everything_that_a_schema_cannot_express_is_reported_together() {
    assert_eq!(
        messages(Clashing::DESCRIPTOR),
        [
            "the server would fill in the default of `colour` in other variants too, which do not have the field: remove the default",
            "a rule with `optionalOldSelf` cannot be limited to a variant: write it on the enum",
            "CEL rules cannot name the field `a b`: rename it to ASCII letters and digits",
            "a marker on the struct of this variant would apply to every variant: only `XValidation` and the union markers can be on it",
            "an earlier variant has a field `colour` with another schema, and a field has one schema: rename one of both",
            "an earlier variant has a field `size` with another schema, and a field has one schema: rename one of both",
        ]
    );
    assert_eq!(
        messages(Unnameable::DESCRIPTOR),
        ["CEL rules cannot name the field `a b`: rename it to ASCII letters and digits"]
    );
}
