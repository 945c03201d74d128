//! Conformance features and experimental marks: where they are, and what a resource is without a mark.
//!
//! Types of which a mark is removed are compared with types that the compiler reads without the mark.

#![allow(unreachable_pub, reason = "the types are in modules, which macros write")]

use std::collections::{BTreeMap, BTreeSet};

use crd_channels::{Channel, ObjectMeta, Resource, api};
use crd_generate::settings::Settings;
use crd_generate::{AnnotatedResource, Catalogue, ExperimentalMark, MarkKind, annotated, generate};
use crd_model::crd::CustomResourceDefinition;
use crd_model::schema::{AdditionalProperties, Schema};
use crd_stamps::BundleVersion;

/// A resource with the given attributes where it can have marks.
macro_rules! job {
    (
        $module:ident $root:tt $flattened:tt $field:tt $nested:tt $newtype:tt $value:tt $variant:tt $tagged:tt $rule:tt $pattern:tt
    ) => {
        job!(@types $module $root $flattened $field $nested $newtype $value $variant $tagged $rule $pattern);
    };
    (
        @types $module:ident
        [$($root:tt)*] [$($flattened:tt)*] [$($field:tt)*] [$($nested:tt)*] [$($newtype:tt)*]
        [$($value:tt)*] [$($variant:tt)*] [$($tagged:tt)*] [$($rule:tt)*] [$($pattern:tt)*]
    ) => {
        mod $module {
            use super::*;

            /// +conformance:feature=Job
            /// +kubebuilder:storageversion
            #[api(group = "example.com", version = "v1", kind = "Job")]
            pub struct Job {
                pub metadata: ObjectMeta,
                pub spec: Spec,
            }

            $($root)*
            #[api(group = "example.com", version = "v2", kind = "Job")]
            pub struct JobV2 {
                pub metadata: ObjectMeta,
                pub spec: Spec,
            }

            #[api]
            pub struct Spec {
                /// +kubebuilder:validation:MaxItems=8
                pub steps: Vec<Step>,
                pub cleanup: Option<Step>,
                /// +kubebuilder:validation:MaxProperties=8
                pub sources: Option<BTreeMap<String, Source>>,
                pub rollout: Option<Rollout>,
                #[serde(flatten)]
                pub notes: Notes,
            }

            $($flattened)*
            #[api]
            pub struct Notes {
                /// +conformance:feature=JobNote
                /// +kubebuilder:validation:MaxLength=99
                pub note: Option<String>,
            }

            $($rule)*
            #[api]
            pub struct Step {
                $($field)*
                /// +conformance:feature=JobRetry
                pub retry: Option<Retry>,
                $($pattern)*
                /// +kubebuilder:validation:MaxLength=99
                pub name: Option<String>,
                pub mode: Option<Mode>,
            }

            #[api]
            pub struct Retry {
                $($nested)*
                pub attempts: Option<i32>,
                pub codes: Option<Vec<Code>>,
            }

            $($newtype)*
            /// +conformance:feature=JobRetryCode
            /// +conformance:feature=JobRetryStatus
            #[api]
            pub struct Code(i32);

            #[api]
            pub enum Mode {
                Fast,
                $($value)*
                /// +conformance:feature=JobSlow
                Slow,
            }

            #[api]
            pub enum Source {
                Git(String),
                $($variant)*
                /// +conformance:feature=JobImport
                Import(Vec<String>),
            }

            #[api]
            #[serde(tag = "type")]
            pub enum Rollout {
                Recreate {
                    pause: Option<i32>,
                },
                $($tagged)*
                /// +conformance:feature=JobBlueGreen
                BlueGreen {
                    pause: Option<i32>,
                },
            }

            pub fn catalogue() -> Catalogue {
                job_catalogue::<Job, JobV2>()
            }
        }
    };
}

fn job_catalogue<Old: Resource, New: Resource>() -> Catalogue {
    Catalogue::new(Settings::new("example.com", BundleVersion::new(1, 1, 0))).resource::<New>().resource::<Old>()
}

// Each line of a mark is the line of one kind of mark.
job! { marked
    [/// +experimental
    ]
    [/// +experimental
    ]
    [/// +experimental
    ]
    [/// +experimental
    ]
    [/// +experimental
    ]
    [/// +experimental
    ]
    [/// +experimental
    ]
    [/// +experimental
    ]
    [/// +experimental:kubebuilder:validation:XValidation:rule="!has(self.name) || self.name != 'x'"
    ]
    [/// +experimental:kubebuilder:validation:Pattern=`^x`
    ]
}

/// A module in which one mark is missing.
macro_rules! without {
    ($($module:ident $root:tt $flattened:tt $field:tt $nested:tt $newtype:tt $value:tt $variant:tt $tagged:tt $rule:tt $pattern:tt;)*) => {
        $(without!(@one $module $root $flattened $field $nested $newtype $value $variant $tagged $rule $pattern);)*
    };
    (@one $module:ident [$root:ident] [$flattened:ident] [$field:ident] [$nested:ident] [$newtype:ident] [$value:ident] [$variant:ident]
        [$tagged:ident] [$rule:ident] [$pattern:ident]) => {
        without!(@resolve $module [] $root $flattened $field $nested $newtype $value $variant $tagged $rule $pattern);
    };
    (@resolve $module:ident [$($done:tt)*] yes $($rest:ident)*) => {
        without!(@resolve $module [$($done)* [#[doc = "+experimental"]]] $($rest)*);
    };
    (@resolve $module:ident [$($done:tt)*] no $($rest:ident)*) => {
        without!(@resolve $module [$($done)* []] $($rest)*);
    };
    (@resolve $module:ident [$($done:tt)*] rule $($rest:ident)*) => {
        without!(@resolve $module
            [$($done)* [#[doc = "+experimental:kubebuilder:validation:XValidation:rule=\"!has(self.name) || self.name != 'x'\""]]] $($rest)*);
    };
    (@resolve $module:ident [$($done:tt)*] pattern $($rest:ident)*) => {
        without!(@resolve $module [$($done)* [#[doc = "+experimental:kubebuilder:validation:Pattern=`^x`"]]] $($rest)*);
    };
    (@resolve $module:ident [$($done:tt)*] rule_for_all $($rest:ident)*) => {
        without!(@resolve $module
            [$($done)* [#[doc = "+kubebuilder:validation:XValidation:rule=\"!has(self.name) || self.name != 'x'\""]]] $($rest)*);
    };
    (@resolve $module:ident [$($done:tt)*] pattern_for_all $($rest:ident)*) => {
        without!(@resolve $module [$($done)* [#[doc = "+kubebuilder:validation:Pattern=`^x`"]]] $($rest)*);
    };
    (@resolve $module:ident [$($done:tt)*]) => {
        job! { $module $($done)* }
    };
}

without! {
    without_root      [no]  [yes] [yes] [yes] [yes] [yes] [yes] [yes] [rule]         [pattern];
    without_flattened [yes] [no]  [yes] [yes] [yes] [yes] [yes] [yes] [rule]         [pattern];
    without_field     [yes] [yes] [no]  [yes] [yes] [yes] [yes] [yes] [rule]         [pattern];
    without_nested    [yes] [yes] [yes] [no]  [yes] [yes] [yes] [yes] [rule]         [pattern];
    without_newtype   [yes] [yes] [yes] [yes] [no]  [yes] [yes] [yes] [rule]         [pattern];
    without_value     [yes] [yes] [yes] [yes] [yes] [no]  [yes] [yes] [rule]         [pattern];
    without_variant   [yes] [yes] [yes] [yes] [yes] [yes] [no]  [yes] [rule]         [pattern];
    without_tagged    [yes] [yes] [yes] [yes] [yes] [yes] [yes] [no]  [rule]         [pattern];
    without_rule      [yes] [yes] [yes] [yes] [yes] [yes] [yes] [yes] [rule_for_all] [pattern];
    without_pattern   [yes] [yes] [yes] [yes] [yes] [yes] [yes] [yes] [rule]         [pattern_for_all];
    without_any       [no]  [no]  [no]  [no]  [no]  [no]  [no]  [no]  [rule_for_all] [pattern_for_all];
}

fn resource(catalogue: &Catalogue) -> AnnotatedResource {
    annotated(catalogue).expect("no errors").remove(0)
}

fn crd(catalogue: &Catalogue, channel: Channel) -> CustomResourceDefinition {
    resource(catalogue).project(catalogue, channel).expect("no errors").expect("a CRD")
}

/// A mark without its lines.
fn shown(mark: &ExperimentalMark) -> String {
    let value = mark.value.as_ref().map(|value| format!("={value}")).unwrap_or_default();
    let below = mark.below.as_ref().map(|below| format!(" below `{below}`")).unwrap_or_default();
    let text = mark.text.as_ref().map(|text| format!(" {text}")).unwrap_or_default();
    let field = mark.origin.field.map(|field| format!("::{field}")).unwrap_or_default();
    format!("{:?} {}{value}{below} of {}{field}{text}", mark.kind, mark.path, mark.origin.type_name)
}

/// The marks that an API version has.
fn marks_in(version: &str, catalogue: &Catalogue) -> Vec<String> {
    let marks = resource(catalogue).experimental_marks();
    marks.iter().filter(|mark| mark.versions.contains(&version)).map(shown).collect()
}

#[test]
fn every_mark_is_at_every_path_where_its_type_is_used() {
    let of_v1 = marks_in("v1", &marked::catalogue());
    let rule = "!has(self.name) || self.name != 'x'";
    let pattern = "kubebuilder:validation:Pattern";
    let of_step = |step: &str| {
        [
            format!("Rule {step} of Step {rule}"),
            format!("Field {step}.retry of Step::retry"),
            format!("Field {step}.retry.attempts below `{step}.retry` of Retry::attempts"),
            format!("Type {step}.retry.codes below `{step}.retry` of Code"),
            format!("Marker {step}.name of Step::name {pattern}"),
            format!("Value {step}.mode=Slow of Mode::Slow"),
        ]
    };
    let mut expected = of_step("spec.steps[*]").to_vec();
    expected.extend(of_step("spec.cleanup"));
    expected.push("Field spec.sources[*].import of Source::Import".to_owned());
    expected.push("Value spec.rollout.type=BlueGreen of Rollout::BlueGreen".to_owned());
    expected.push("Type spec.note of Notes".to_owned());
    assert_eq!(of_v1, expected);

    // Version v2 is experimental as a whole.
    let (of_root, of_v2): (Vec<String>, Vec<String>) =
        marks_in("v2", &marked::catalogue()).into_iter().partition(|mark| mark.starts_with("Resource"));
    assert_eq!((of_root, of_v2.len()), (vec!["Resource  of JobV2".to_owned()], of_v1.len()));
    assert!(of_v2.iter().all(|mark| mark.contains(" below `")), "{of_v2:#?}");
}

#[test]
fn what_two_versions_have_is_listed_once() {
    let marks = resource(&without_root::catalogue()).experimental_marks();
    assert!(marks.iter().all(|mark| mark.versions == ["v1", "v2"]), "{marks:#?}");
    assert_eq!(marks.len(), 15);
    let features = resource(&without_root::catalogue()).features();
    let of_root: Vec<_> = features.iter().filter(|feature| feature.path.is_empty()).collect();
    assert!(matches!(&of_root[..], [one] if one.feature == "Job" && one.versions == ["v1"]), "{of_root:#?}");
    assert!(features[1..].iter().all(|feature| feature.versions == ["v1", "v2"]), "{features:#?}");
}

#[test]
fn a_mark_has_the_line_of_its_marker_and_of_what_it_marks() {
    let source = include_str!("marks.rs");
    let lines: Vec<&str> = source.lines().collect();
    let line = |number: u32| lines[number as usize - 1].trim();
    let marks = resource(&marked::catalogue()).experimental_marks();
    assert!(marks.iter().all(|mark| line(mark.marker.line).starts_with("[/// +experimental")), "{marks:#?}");
    assert!(marks.iter().all(|mark| mark.marker.file.ends_with("marks.rs")));
    let different: BTreeSet<u32> = marks.iter().map(|mark| mark.marker.line).collect();
    assert_eq!(different.len(), 10, "as many as `marked` has");
    let item = |kind: MarkKind| line(marks.iter().find(|mark| mark.kind == kind).unwrap().origin.location.line);
    assert_eq!(item(MarkKind::Resource), "pub struct JobV2 {");
    assert_eq!(item(MarkKind::Field), "pub retry: Option<Retry>,");
    assert_eq!(item(MarkKind::Value), "Slow,");
    assert_eq!(item(MarkKind::Type), "pub struct Code(i32);");
    assert_eq!(item(MarkKind::Rule), "pub struct Step {");
    assert_eq!(item(MarkKind::Marker), "pub name: Option<String>,");
    let features = resource(&marked::catalogue()).features();
    for feature in features {
        assert_eq!(line(feature.location.line), format!("/// +conformance:feature={}", feature.feature));
    }
}

#[test]
fn every_feature_is_at_every_path_where_its_type_is_used() {
    let features = resource(&marked::catalogue()).features();
    let of_v1 = features.iter().filter(|feature| feature.versions.contains(&"v1"));
    let shown: Vec<(&str, Option<&str>, &str)> =
        of_v1.map(|feature| (feature.path.as_str(), feature.value.as_deref(), feature.feature)).collect();
    let expected = [
        ("", None, "Job"),
        ("spec.steps[*].retry", None, "JobRetry"),
        ("spec.steps[*].retry.codes[*]", None, "JobRetryCode"),
        ("spec.steps[*].retry.codes[*]", None, "JobRetryStatus"),
        ("spec.steps[*].mode", Some("Slow"), "JobSlow"),
        ("spec.cleanup.retry", None, "JobRetry"),
        ("spec.cleanup.retry.codes[*]", None, "JobRetryCode"),
        ("spec.cleanup.retry.codes[*]", None, "JobRetryStatus"),
        ("spec.cleanup.mode", Some("Slow"), "JobSlow"),
        ("spec.sources[*].import", None, "JobImport"),
        ("spec.rollout.type", Some("BlueGreen"), "JobBlueGreen"),
        ("spec.note", None, "JobNote"),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn features_and_marks_are_not_in_a_schema() {
    for channel in Channel::ALL {
        let text = format!("{:?}", crd(&marked::catalogue(), channel));
        assert!(!text.contains("conformance") && !text.contains("+experimental"), "{text}");
    }
}

/// The properties and values of a schema by their paths.
fn names(schema: &Schema, path: &str, found: &mut BTreeSet<(String, Option<String>)>) {
    for value in schema.enumeration.iter().flatten() {
        found.insert((path.to_owned(), Some(value.as_str().expect("a string").to_owned())));
    }
    for (name, property) in &schema.properties {
        let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        found.insert((path.clone(), None));
        names(property, &path, found);
    }
    if let Some(items) = &schema.items {
        names(items, &format!("{path}[*]"), found);
    }
    if let Some(AdditionalProperties::Values(values)) = &schema.additional_properties {
        names(values, &format!("{path}[*]"), found);
    }
}

/// The schemas of both channels show which names are experimental, and which of them are below another one.
#[test]
fn marks_are_the_differences_between_the_channels() {
    let catalogue = without_root::catalogue();
    let [standard, experimental] = Channel::ALL.map(|channel| {
        let mut found = BTreeSet::new();
        names(&crd(&catalogue, channel).versions[0].schema, "", &mut found);
        found
    });
    let missing: BTreeSet<_> = experimental.difference(&standard).cloned().collect();
    let is_inside = |(path, _): &(String, Option<String>)| {
        let outer = |(other, _): &(String, Option<String>)| path.starts_with(&format!("{other}."));
        missing.iter().any(outer)
    };
    let outermost: BTreeSet<_> = missing.iter().filter(|name| !is_inside(name)).cloned().collect();
    let marks = resource(&catalogue).experimental_marks();
    let of_names = marks.iter().filter(|mark| mark.below.is_none() && mark.text.is_none());
    assert_eq!(of_names.map(|mark| (mark.path.clone(), mark.value.clone())).collect::<BTreeSet<_>>(), outermost);
    assert!(outermost.len() > 5, "{outermost:?}");
}

/// A type, a field or variant of it, and what is marked there.
type Marked = (&'static str, Option<&'static str>, MarkKind);

/// What is without its mark, the types without it, and whether standard differs.
type Graduation = (Marked, fn() -> Catalogue, bool);

#[test]
fn without_a_mark_a_resource_is_what_the_compiler_reads_without_it() {
    let catalogue = marked::catalogue();
    let marked = resource(&catalogue);
    let standard = crd(&catalogue, Channel::Standard);
    let graduations: [Graduation; 10] = [
        (("JobV2", None, MarkKind::Resource), without_root::catalogue, true),
        (("Notes", None, MarkKind::Type), without_flattened::catalogue, true),
        (("Step", Some("retry"), MarkKind::Field), without_field::catalogue, true),
        // Standard does not have `retry`.
        (("Retry", Some("attempts"), MarkKind::Field), without_nested::catalogue, false),
        (("Code", None, MarkKind::Type), without_newtype::catalogue, false),
        (("Mode", Some("Slow"), MarkKind::Value), without_value::catalogue, true),
        (("Source", Some("Import"), MarkKind::Field), without_variant::catalogue, true),
        (("Rollout", Some("BlueGreen"), MarkKind::Value), without_tagged::catalogue, true),
        (("Step", None, MarkKind::Rule), without_rule::catalogue, true),
        (("Step", Some("name"), MarkKind::Marker), without_pattern::catalogue, true),
    ];
    for (index, (item, without, has_effect)) in graduations.into_iter().enumerate() {
        let graduated = marked.graduated(&|mark| (mark.origin.type_name, mark.origin.field, mark.kind) == item);
        let expected = without();
        for channel in Channel::ALL {
            let projected = graduated.project(&catalogue, channel).unwrap().unwrap();
            assert!(projected == crd(&expected, channel), "{index} {channel}");
        }
        assert_eq!(
            graduated.project(&catalogue, Channel::Standard).unwrap().unwrap() != standard,
            has_effect,
            "{index}"
        );
        let left: Vec<String> = graduated.experimental_marks().iter().map(shown).collect();
        assert_eq!(left, resource(&expected).experimental_marks().iter().map(shown).collect::<Vec<_>>(), "{index}");
    }
}

#[test]
fn a_mark_of_a_shared_type_graduates_at_every_path() {
    let marked = resource(&marked::catalogue());
    let graduated = marked.graduated(&|mark| mark.path == "spec.cleanup.mode");
    assert!(graduated.experimental_marks().iter().all(|mark| mark.origin.field != Some("Slow")));
}

#[test]
fn graduations_add_up() {
    let catalogue = marked::catalogue();
    let mut resource = resource(&catalogue);
    for mark in resource.experimental_marks() {
        resource = resource.graduated(&|other| other.marker == mark.marker);
    }
    assert_eq!(resource.experimental_marks(), []);
    let all = resource.project(&catalogue, Channel::Standard).unwrap().unwrap();
    assert!(all == crd(&without_any::catalogue(), Channel::Standard));
    assert!(all == crd(&catalogue, Channel::Experimental));
}

/// A resource that a graduation breaks, and what the compiler accepts of the same without the mark.
macro_rules! lamp {
    ($module:ident $rule:literal) => {
        mod $module {
            use super::*;

            #[api(group = "example.com", version = "v1", kind = "Lamp")]
            pub struct Lamp {
                pub metadata: ObjectMeta,
                pub spec: Spec,
            }

            #[doc = $rule]
            #[api]
            pub struct Spec {
                pub name: Option<String>,
                /// +experimental
                pub colour: Option<String>,
                /// +standard:kubebuilder:validation:MaxLength=10
                /// +experimental:kubebuilder:validation:MaxLength=20
                pub label: Option<String>,
                pub shape: Option<Shape>,
            }

            /// +experimental
            #[api]
            pub enum Shape {
                /// +experimental
                Round,
            }
        }
    };
}

lamp!(lamp "+experimental:kubebuilder:validation:XValidation:rule=\"!has(self.colour) || has(self.name)\"");
lamp!(lamp_with_rule "+kubebuilder:validation:XValidation:rule=\"!has(self.colour) || has(self.name)\"");

#[test]
fn a_rule_that_names_an_experimental_field_cannot_graduate_alone() {
    let of_lamp = Catalogue::new(Settings::new("example.com", "v1.1.0".parse().unwrap())).resource::<lamp::Lamp>();
    let graduated = resource(&of_lamp).graduated(&|mark| mark.kind == MarkKind::Rule);
    let errors = graduated.project(&of_lamp, Channel::Standard).unwrap_err();
    let without =
        Catalogue::new(Settings::new("example.com", "v1.1.0".parse().unwrap())).resource::<lamp_with_rule::Lamp>();
    assert_eq!(errors, generate(&without, Channel::Standard).unwrap_err());
    assert!(errors[0].message.contains("has no field `colour`"), "{errors:#?}");
    let both = resource(&of_lamp).graduated(&|mark| mark.kind == MarkKind::Rule || mark.path == "spec.colour");
    assert!(both.project(&of_lamp, Channel::Standard).is_ok());
}

#[test]
fn what_the_macro_would_reject_is_an_error() {
    let catalogue = Catalogue::new(Settings::new("example.com", "v1.1.0".parse().unwrap())).resource::<lamp::Lamp>();
    let resource = resource(&catalogue);
    let error = |path: &str| {
        let graduated = resource.graduated(&|mark| mark.path == path && mark.below.is_none());
        let errors = graduated.project(&catalogue, Channel::Standard).unwrap_err();
        let [error] = &errors[..] else { panic!("{errors:#?}") };
        let line = include_str!("marks.rs").lines().nth(error.location.line.unwrap() - 1).unwrap().trim();
        (error.code, error.message.clone(), error.help.clone().unwrap_or_default(), line)
    };
    let (code, message, help, line) = error("spec.label");
    assert_eq!(code, "types::graduation");
    assert_eq!(message, "`+kubebuilder:validation:MaxLength` would apply twice in standard");
    assert!(help.starts_with("remove or change the marker in line "), "{help}");
    assert_eq!(line, "/// +experimental:kubebuilder:validation:MaxLength=20");
    // The API server refuses the enum.
    assert_eq!(error("spec.shape").0, "enumeration");
}
