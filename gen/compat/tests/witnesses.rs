//! Witnesses, checked by an independent validator and on the history of Gateway API.
//!
//! The pairs of schemas are in `witnesses/pairs.yaml`, which the proof on a real API server reads too.
//!
//! Invariants: every subject that can be *tightened* or *neither* has a pair or a reason to have none.

use std::collections::{BTreeMap, BTreeSet};

use crd_apiserver::apply_defaults;
use crd_compat::policy::Profile;
use crd_compat::witness::{EXEMPT, TYPE_TAKES_ALL};
use crd_compat::{Channels, Comparison, Declared, Direction, Finding, Renames, Subject, Witness, differences};
use crd_model::channel::Channel;
use crd_model::crd::{Names, Version};
use crd_model::{CustomResourceDefinition, Schema, yaml};
use serde_json::{Map, Value, json};

/// A pair, as schemas of the whole object.
struct Pair {
    subject: String,
    old: Value,
    new: Value,
}

fn pairs() -> Vec<Pair> {
    let documents = yaml::read(include_str!("witnesses/pairs.yaml")).expect("it is YAML");
    let pairs = documents[0].as_array().expect("a list").iter();
    pairs
        .map(|pair| {
            let whole = |schema: &Value| match pair["on"].as_str() {
                Some("root") => schema.clone(),
                Some(_) => json!({ "type": "object", "properties": { "spec": schema } }),
                None => json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": { "field": schema } } } }),
            };
            let subject = pair["subject"].as_str().expect("a subject").to_owned();
            Pair { subject, old: whole(&pair["old"]), new: whole(&pair["new"]) }
        })
        .collect()
}

fn crd(schema: &Value) -> Channels {
    let crd = CustomResourceDefinition {
        name: "things.example.com".into(),
        group: "example.com".into(),
        names: Names { kind: "Thing".into(), plural: "things".into(), ..Names::default() },
        versions: vec![Version {
            name: "v1".into(),
            served: true,
            storage: true,
            schema: Schema::from_value(schema).expect("a schema"),
            ..Version::default()
        }],
        ..CustomResourceDefinition::default()
    };
    Channels::from([(Channel::Experimental, vec![crd])])
}

fn found(old: &Channels, new: &Channels) -> Vec<Finding> {
    let declared = Declared::default();
    Comparison { with_witnesses: true, ..Comparison::new(old, new, Profile::Gep922, &declared) }.findings()
}

/// The same schema in the words of JSON Schema, draft 4, with what Kubernetes says in words of its own.
fn draft4(schema: &Value) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    let mut out = Map::new();
    let mut also = Vec::new();
    for (key, value) in map {
        let value = match (key.as_str(), value) {
            ("default" | "description", _) => continue,
            ("properties", Value::Object(properties)) => {
                Value::Object(properties.iter().map(|(name, below)| (name.clone(), draft4(below))).collect())
            }
            ("items" | "additionalProperties" | "not", below) => draft4(below),
            ("anyOf" | "allOf" | "oneOf", Value::Array(branches)) => branches.iter().map(draft4).collect(),
            ("format", Value::String(format)) if format == "int32" => {
                also.push(json!({ "minimum": i32::MIN, "maximum": i32::MAX }));
                continue;
            }
            // ECMA has no flags in a pattern; Gateway API has one such pattern, of letters.
            ("pattern", Value::String(pattern)) if pattern.contains("(?i)") => {
                json!(pattern.replace("(?i)", "").replace("a-z", "A-Za-z"))
            }
            ("x-kubernetes-int-or-string", _) => {
                also.push(json!({ "type": ["integer", "string"] }));
                continue;
            }
            ("x-kubernetes-embedded-resource", _) => {
                also.push(json!({ "required": ["apiVersion", "kind"] }));
                continue;
            }
            _ => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    also.push(Value::Object(out));
    json!({ "allOf": also })
}

fn validator(schema: &Value) -> jsonschema::Validator {
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft4).should_validate_formats(true);
    options.build(&draft4(schema)).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

fn accepts(schema: &Value, object: &Value) -> bool {
    validator(schema).is_valid(object)
}

/// The subjects of the directed differences of a pair.
fn subjects(old: &Channels, new: &Channels) -> Vec<String> {
    let crds = |channels: &Channels| channels[&Channel::Experimental].clone();
    let (old, new) = (crds(old), crds(new));
    let found = differences(Channel::Experimental, &old, &new, &Renames::default());
    found.iter().map(|difference| format!("{:?}", difference.subject)).collect()
}

fn refuses(finding: &Finding) -> bool {
    matches!(finding.direction, Some(Direction::Tightened | Direction::Neither))
}

#[test]
fn every_witness_of_the_pairs_is_one_for_another_validator() {
    let (mut forward, mut back) = (0, 0);
    for Pair { subject, old, new } in pairs() {
        let (old_crd, new_crd) = (crd(&old), crd(&new));
        let there = found(&old_crd, &new_crd);
        assert!(subjects(&old_crd, &new_crd).contains(&subject), "{subject}: {old} → {new}");
        assert!(there.iter().any(refuses), "{subject} is about something that is refused: {there:#?}");
        for (from, to, findings, count) in
            [(&old, &new, there, &mut forward), (&new, &old, found(&new_crd, &old_crd), &mut back)]
        {
            for finding in findings {
                match (&finding.witness, refuses(&finding)) {
                    (Some(Witness::Object(object)), true) => {
                        assert!(accepts(from, object), "{subject}: the old one refuses {object}\n{from}");
                        assert!(!accepts(to, object), "{subject}: the new one takes {object}\n{to}");
                        assert_eq!(object["apiVersion"], "example.com/v1");
                        assert_eq!(object["kind"], "Thing");
                        *count += 1;
                    }
                    (Some(Witness::None(reason)), true) => {
                        // The way back from a type to a wider one refuses nothing, and is still `neither`.
                        let is_wider = *reason == TYPE_TAKES_ALL && !std::ptr::eq(from, &raw const old);
                        assert!(is_wider, "{subject}: {from} → {to}: {reason}");
                    }
                    (None, false) => {}
                    other => panic!("{subject}: {other:?}"),
                }
            }
        }
    }
    println!("{forward} witnesses, and {back} more on the way back; the other validator agrees with all");
    assert!(forward >= pairs().len());
}

/// What there is of a subject here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Here {
    /// A pair in `pairs.yaml`.
    Pair,
    /// An entry in [`EXEMPT`].
    Exempt,
    /// Its findings are loosened, or have no direction.
    Undirected,
}

/// Every subject, and what there is of it; one that is missing does not compile.
macro_rules! subjects {
    ($($subject:ident $here:ident,)*) => {
        const SUBJECTS: &[(Subject, Here)] = &[$((Subject::$subject, Here::$here),)*];
        #[allow(dead_code, reason = "that it compiles is the test")]
        fn none_is_missing(subject: Subject) {
            match subject { $(Subject::$subject => {})* }
        }
    };
}

subjects! {
    Resource Undirected, Group Undirected, Plural Undirected, Kind Undirected, ListKind Undirected, Singular Undirected,
    ShortName Undirected, Category Undirected, Scope Undirected, ConversionStrategy Undirected, PreserveUnknownFieldsOfAll Exempt,
    Annotation Undirected, Label Undirected, Stamp Undirected, VersionOrder Undirected, Version Undirected, Served Undirected,
    Storage Undirected, Deprecated Undirected, DeprecationWarning Undirected, PrinterColumn Undirected, SelectableField Undirected,
    StatusSubresource Undirected, ScaleSubresource Undirected, Field Pair, FieldName Undirected, EnumValue Pair, Enum Pair,
    Required Pair, Type Pair, Items Pair, AdditionalProperties Pair, Default Exempt, Nullable Exempt, Pattern Pair, Format Pair,
    Maximum Pair, Minimum Pair, MultipleOf Pair, MaxLength Pair, MinLength Pair, MaxItems Pair, MinItems Pair, MaxProperties Pair,
    MinProperties Pair, UniqueItems Pair, AllOf Pair, AnyOf Pair, OneOf Pair, Not Pair, ListType Exempt, ListMapKeys Exempt,
    MapType Exempt, PreserveUnknownFields Exempt, EmbeddedResource Pair, Rule Exempt, RuleWords Undirected, OptionalOldSelf Exempt,
    Order Undirected, Description Undirected, Title Undirected, Example Undirected, ExternalDocs Undirected, Id Undirected,
}

#[test]
fn every_subject_has_a_pair_or_a_reason() {
    let with = |here: Here| {
        let subjects = SUBJECTS.iter().filter(|(_, known)| *known == here);
        subjects.map(|(subject, _)| format!("{subject:?}")).collect::<BTreeSet<_>>()
    };
    assert_eq!(with(Here::Pair), pairs().into_iter().map(|pair| pair.subject).collect());
    assert_eq!(with(Here::Exempt), EXEMPT.iter().map(|(subject, _)| format!("{subject:?}")).collect());
    assert_eq!(EXEMPT.len(), with(Here::Exempt).len(), "one entry each");
}

#[test]
fn witnesses_are_only_looked_for_when_somebody_asks() {
    let Pair { old, new, .. } = &pairs()[0];
    let declared = Declared::default();
    let (old, new) = (crd(old), crd(new));
    let findings = Comparison::new(&old, &new, Profile::Gep922, &declared).findings();
    assert!(findings.iter().any(refuses) && findings.iter().all(|finding| finding.witness.is_none()));
}

/// A release of Gateway API.
fn release(version: &str) -> Channels {
    let crds = |channel: Channel| {
        let files = crd_testdata::gateway_api(version, channel.name());
        let crds = files.iter().map(|file| CustomResourceDefinition::from_value(&file.json()).expect("a CRD"));
        (channel, crds.collect())
    };
    Channel::ALL.into_iter().map(crds).collect()
}

/// The schema of the version that a finding is about.
fn schema_of<'c>(channels: &'c Channels, finding: &Finding) -> &'c Schema {
    let crd = channels[&finding.channel].iter().find(|crd| *crd.name == *finding.crd).expect("a CRD");
    let version = crd.versions.iter().find(|version| Some(&*version.name) == finding.version.as_deref());
    &version.expect("a version").schema
}

#[test]
fn nothing_of_the_history_lacks_a_witness_without_a_reason() {
    let releases = crd_testdata::GATEWAY_API.iter().map(|version| release(version)).collect::<Vec<_>>();
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut missing = BTreeSet::new();
    let start = std::time::Instant::now();
    let mut objects = Vec::new();
    for pair in releases.windows(2) {
        for (direction, old, new) in [(0, &pair[0], &pair[1]), (1, &pair[1], &pair[0])] {
            for finding in found(old, new) {
                let what = match (&finding.witness, refuses(&finding)) {
                    (Some(Witness::Object(_)), true) => "an object",
                    (Some(Witness::None(reason)), true) => reason,
                    (None, false) => continue,
                    other => panic!("{other:?}: {finding:#?}"),
                };
                counts.entry(what.to_owned()).or_default()[direction] += 1;
                match &finding.witness {
                    Some(Witness::Object(_)) => objects.push((old, new, finding)),
                    _ if EXEMPT.iter().any(|(_, reason)| *reason == what) => {}
                    _ => drop(missing.insert((finding.crd, finding.path, what))),
                }
            }
        }
    }
    for (what, [there, back]) in &counts {
        println!("{there:5} there, {back:5} back: {what}");
    }
    println!("all releases with their neighbours, there and back, in {:?}", start.elapsed());
    assert_eq!(missing, BTreeSet::new());
    // A schema takes long to build, and many findings share it.
    let mut built: Vec<(&Schema, jsonschema::Validator)> = Vec::new();
    for (old, new, finding) in &objects {
        let Some(Witness::Object(object)) = &finding.witness else { continue };
        for (channels, expected) in [(old, true), (new, false)] {
            let schema = schema_of(channels, finding);
            let index = built.iter().position(|(known, _)| *known == schema).unwrap_or_else(|| {
                built.push((schema, validator(&schema.to_value())));
                built.len() - 1
            });
            let mut whole = object.clone();
            apply_defaults(schema, &mut whole);
            assert_eq!(built[index].1.is_valid(&whole), expected, "{object}: {finding:#?}");
        }
    }
    println!("another validator agrees with all {}, in {:?}", objects.len(), start.elapsed());
    assert!(objects.len() > 150, "there is something to witness");
}
