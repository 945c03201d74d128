//! Witnesses, checked by our validator and on the history of Gateway API.
//!
//! The pairs of schemas are in `witnesses/pairs.yaml`. Proofs ask a real API server about the witnesses of these pairs and of histories.
//!
//! Invariants: every subject that can be *tightened* or *neither* has a pair or a reason to have none.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_apiserver::objects::{FieldValidation, MINORS, Request, Resource};
use crd_compat::policy::Profile;
use crd_compat::witness::{MAP_TYPE, NOT_SEARCHED, TYPE_TAKES_ALL, UNKNOWN_FIELDS, exempt};
use crd_compat::{
    Change, Channels, Comparison, Declared, Difference, Direction, Edit, Evidence, Finding, Presence, Renames, Witness,
    changes, states,
};
use crd_model::channel::Channel;
use crd_model::crd::{Names, Scale, Subresources, Version};
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
    Channels::from([(Channel::Experimental, vec![Arc::new(crd)])])
}

fn found(old: &Channels, new: &Channels) -> Vec<Finding> {
    let declared = Declared::default();
    Comparison {
        evidence: Evidence { witnesses: true, grounds: false },
        ..Comparison::new(old, new, Profile::Gep922, &declared)
    }
    .findings()
}

/// Whether a server with this schema accepts an object; nothing if it refuses the schema.
fn accepts(schema: &Value, object: &Value) -> Option<bool> {
    let crd = &crd(schema)[&Channel::Experimental][0];
    let resource = Resource::prepare(crd, "v1", MINORS.1)?.ok()?;
    let mut object = object.clone();
    object["metadata"]["namespace"] = json!("default");
    Some(resource.answer(Request::create(object).fields(FieldValidation::Ignore)).is_accepted())
}

/// Everything that a pair changes, with its entry in the table of changes.
fn changed(old: &Channels, new: &Channels) -> Vec<(&'static str, Coverage, bool)> {
    let (old, new) = (&old[&Channel::Experimental], &new[&Channel::Experimental]);
    let found = changes(Channel::Experimental, old, new, &Renames::default());
    found
        .iter()
        .map(|located| (name(&located.change).0, name(&located.change).1, exempt(&located.change).is_some()))
        .collect()
}

fn refuses(finding: &Finding) -> bool {
    matches!(finding.direction, Some(Direction::Tightened | Direction::Neither))
}

#[test]
fn every_pair_has_a_witness_that_only_the_old_side_accepts() {
    let (mut forward, mut back) = (0, 0);
    for Pair { subject, old, new } in pairs() {
        let (old_crd, new_crd) = (crd(&old), crd(&new));
        let there = found(&old_crd, &new_crd);
        let changed = changed(&old_crd, &new_crd);
        assert!(changed.iter().any(|(name, ..)| *name == subject), "{subject}: {old} → {new}");
        assert!(changed.iter().all(|(_, coverage, exempt)| *exempt == (*coverage == Coverage::Exempt)), "{changed:?}");
        assert!(there.iter().any(refuses), "{subject} is about something that is refused: {there:#?}");
        // A rule about the old object refuses updates, which the new side alone has.
        if ["Rule", "Default"].contains(&&*subject) && new.to_string().contains("oldSelf") {
            assert!(there.iter().any(|finding| matches!(finding.witness, Some(Witness::Update { .. }))), "{there:#?}");
            forward += 1;
            continue;
        }
        // Less is known about the way back of rules and defaults.
        let ways = if ["Rule", "OptionalOldSelf", "Default"].contains(&&*subject) { 1 } else { 2 };
        let both = [(&old, &new, there, &mut forward), (&new, &old, found(&new_crd, &old_crd), &mut back)];
        for (from, to, findings, count) in both.into_iter().take(ways) {
            for finding in findings {
                match (&finding.witness, refuses(&finding)) {
                    (Some(Witness::Object(object)), true) => {
                        assert_ne!(
                            accepts(from, object),
                            Some(false),
                            "{subject}: the old one refuses {object}\n{from}"
                        );
                        assert_ne!(accepts(to, object), Some(true), "{subject}: the new one takes {object}\n{to}");
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
    println!("{forward} witnesses, and {back} more on the way back; the validator agrees with all");
    assert!(forward >= pairs().len());
}

/// Why a kind of change has a pair, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coverage {
    /// A pair in `pairs.yaml`.
    Pair,
    /// A reason of [`exempt`].
    Exempt,
    /// No matter of the schema: the tests of `diff` have a pair.
    Elsewhere,
    /// Its findings are loosened, or have no direction.
    Undirected,
}

/// Every kind of change. A missing one does not compile.
macro_rules! kinds {
    ($($change:ident $of_crd:ident,)* / $($difference:ident $of_schema:ident,)*) => {
        const KINDS: &[(&str, Coverage)] = &[
            $((stringify!($change), Coverage::$of_crd),)*
            $((stringify!($difference), Coverage::$of_schema),)*
        ];
        fn name(change: &Change<'_>) -> (&'static str, Coverage) {
            match change {
                $(Change::$change { .. } => (stringify!($change), Coverage::$of_crd),)*
                Change::Schema(difference) => match difference {
                    $(Difference::$difference { .. } => (stringify!($difference), Coverage::$of_schema),)*
                },
            }
        }
    };
}

kinds! {
    Resource Undirected, Group Undirected, Plural Undirected, Kind Undirected, ListKind Undirected, Singular Undirected,
    ShortName Undirected, Category Undirected, Scope Undirected, Conversion Undirected, PreserveUnknownFieldsOfAll Exempt,
    Annotation Undirected, Label Undirected, Stamp Undirected, VersionOrder Undirected, Version Undirected, Served Undirected,
    Storage Undirected, Deprecated Undirected, DeprecationWarning Undirected, PrinterColumn Undirected, SelectableField Undirected,
    StatusSubresource Undirected, ScaleSubresource Undirected, Scaled Elsewhere, ColumnOrder Undirected, Order Undirected,
    /
    Field Pair, FieldName Undirected, EnumValue Pair, Enum Pair, Required Pair, Type Pair, Items Pair, AdditionalProperties Pair,
    Default Pair, Nullable Pair, Pattern Pair, Format Pair, Maximum Pair, Minimum Pair, MultipleOf Pair, MaxLength Pair,
    MinLength Pair, MaxItems Pair, MinItems Pair, MaxProperties Pair, MinProperties Pair, UniqueItems Pair, AllOf Pair, AnyOf Pair,
    OneOf Pair, Not Pair, ListType Pair, ListMapKeys Pair, MapType Exempt, PreserveUnknownFields Exempt, EmbeddedResource Pair,
    Rule Pair, RuleMessage Undirected, OptionalOldSelf Pair, Order Undirected, Text Undirected,
}

#[test]
fn every_kind_of_change_has_a_pair_or_a_reason() {
    let with = |coverage: Coverage| {
        KINDS.iter().filter(|(_, known)| *known == coverage).map(|(name, _)| *name).collect::<BTreeSet<_>>()
    };
    let pairs = pairs();
    assert_eq!(with(Coverage::Pair), pairs.iter().map(|pair| &*pair.subject).collect());
    let flag = Presence::Added(());
    let exempted = [
        Change::PreserveUnknownFieldsOfAll(flag),
        Change::Schema(Difference::PreserveUnknownFields(flag)),
        Change::Schema(Difference::MapType(Edit::Added("atomic"))),
    ];
    assert!(exempted.iter().all(|change| exempt(change).is_some() && name(change).1 == Coverage::Exempt));
    assert_eq!(with(Coverage::Exempt), exempted.iter().map(|change| name(change).0).collect());
}

/// The reasons for which a kind of change has no witness.
const REASONS: [&str; 2] = [UNKNOWN_FIELDS, MAP_TYPE];

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
        (channel, crds.map(Arc::new).collect())
    };
    Channel::ALL.into_iter().map(crds).collect()
}

#[test]
fn nothing_of_the_history_lacks_a_witness_without_a_reason() {
    // In a proof all releases; otherwise the newest three.
    let first = if crd_testdata::is_proof() { 0 } else { crd_testdata::GATEWAY_API.len() - 3 };
    let releases = crd_testdata::GATEWAY_API[first..].iter().map(|version| release(version)).collect::<Vec<_>>();
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut missing = BTreeSet::new();
    let mut rules_without = 0;
    let mut objects = 0;
    for pair in releases.windows(2) {
        for (direction, old, new) in [(0, &pair[0], &pair[1]), (1, &pair[1], &pair[0])] {
            for finding in found(old, new) {
                let what = match (&finding.witness, refuses(&finding)) {
                    (Some(Witness::Object(_)), true) => "an object",
                    (Some(Witness::Status { stored: None, .. }), true) => "the status of an object",
                    (Some(Witness::Update { .. }), true) => "an update",
                    (Some(Witness::None(reason)), true) => reason,
                    (None, false) => continue,
                    other => panic!("{other:?}: {finding:#?}"),
                };
                counts.entry(what.to_owned()).or_default()[direction] += 1;
                match &finding.witness {
                    Some(Witness::Object(_) | Witness::Status { .. }) => objects += 1,
                    Some(Witness::Update { .. }) => {}
                    _ if REASONS.contains(&what) => {}
                    // The search does not reach everything that a rule refuses.
                    _ if finding.message.contains("CEL rule") => rules_without += 1,
                    _ => drop(missing.insert(finding.path)),
                }
            }
        }
    }
    for (what, [there, back]) in &counts {
        println!("{there:5} there, {back:5} back: {what}");
    }
    // Rules demand a field for the removed value, which demands two fields in it: no single step breaks fewer rules.
    let filters = ["spec.rules[*].backendRefs[*].filters[*].type", "spec.rules[*].filters[*].type"];
    // Before and after v1.7.0, an XBackend needs another field for its port, so each release refuses all objects of the other one.
    let backends = ["spec.port", "spec.protocol", "spec.tls", "spec.type"];
    // No rule counts the field that has a default now.
    let defaulted = ["spec.rules[*].retry.attempts"];
    let expected = filters.into_iter().chain(backends).chain(defaulted).map(str::to_owned).collect::<BTreeSet<_>>();
    assert!(missing.is_subset(&expected) && (missing == expected || first > 0), "{missing:?}");
    println!("{rules_without} changes of CEL rules without a witness");
    assert!(rules_without < 60, "{rules_without}");
    assert!(objects >= if first == 0 { 400 } else { 25 }, "{objects}");
}

/// The object is of the version that accepts it.
#[test]
fn a_clash_of_versions_has_an_object_that_the_stricter_one_refuses() {
    let spec = |spec: Value| json!({ "type": "object", "properties": { "spec": spec } });
    let field = |field: Value| spec(json!({ "type": "object", "properties": { "field": field } }));
    let text = || field(json!({ "type": "string" }));
    let clashes = [
        (field(json!({ "type": "string", "maxLength": 2 })), "version-constraint-clash"),
        (
            spec(json!({ "type": "object", "required": ["field"], "properties": { "field": { "type": "string" } } })),
            "version-constraint-clash",
        ),
        (field(json!({ "type": "integer" })), "version-type-clash"),
    ];
    for (strict, expected) in clashes {
        let mut channels = crd(&text());
        let crds = channels.get_mut(&Channel::Experimental).expect("a channel");
        let versions = &mut Arc::make_mut(&mut crds[0]).versions;
        let other = Version {
            name: "v2".into(),
            storage: false,
            schema: Schema::from_value(&strict).expect("a schema"),
            ..versions[0].clone()
        };
        versions.push(other);
        let found = states(None, &channels, Profile::Gep922, &Arc::default(), true);
        let [finding] = &*found else { panic!("{found:#?}") };
        assert_eq!((finding.rule, finding.version.as_deref()), (expected, Some("v2")));
        let Some(Witness::Object(object)) = &finding.witness else { panic!("{finding:#?}") };
        assert_eq!(object["apiVersion"], "example.com/v1", "{object}");
        // A known clash needs no search.
        let known = states(Some(&channels), &channels, Profile::Gep922, &Arc::default(), true);
        assert!(known.iter().all(|finding| finding.known && finding.witness.is_none()));
        let silent = states(None, &channels, Profile::Gep922, &Arc::default(), false);
        assert!(silent.iter().all(|finding| finding.witness.is_none()));
    }
}

/// A CRD with this schema, and with the status subresource or without it.
fn with_status(schema: &Value, has_status: bool) -> Channels {
    let mut channels = crd(schema);
    let crds = channels.get_mut(&Channel::Experimental).expect("a channel");
    let version = &mut Arc::make_mut(&mut crds[0]).versions[0];
    version.subresources = has_status.then(|| Subresources { status: true, ..Subresources::default() });
    channels
}

/// A creation drops a status where the candidate has the subresource, so only a write to `/status` is refused.
#[test]
fn a_status_is_refused_where_servers_read_it() {
    let mode = |mode: Value| json!({ "type": "object", "properties": { "mode": mode } });
    let object =
        |spec: Value, status: Value| json!({ "type": "object", "properties": { "spec": spec, "status": status } });
    let text = || mode(json!({ "type": "string" }));
    let listed = || mode(json!({ "type": "string", "enum": ["A", "B"] }));
    let ruled = || {
        let mut status = text();
        status["x-kubernetes-validations"] = json!([{ "rule": "!has(self.mode) || self.mode == 'A'" }]);
        status
    };
    // A rule of the whole object about its status.
    let at_root = |rule: &str| {
        let mut whole = object(text(), text());
        whole["x-kubernetes-validations"] = json!([{ "rule": rule }]);
        whole
    };
    let about_both = "!has(self.status) || !has(self.status.mode) || self.status.mode != 'B'";
    let about_spec = "!has(self.spec) || !has(self.spec.mode) || self.spec.mode != 'B'";
    let plain = || object(text(), text());
    for (new, had, has, is_status) in [
        (object(text(), listed()), false, true, true),
        (object(text(), listed()), true, true, true),
        (object(text(), listed()), true, false, false),
        (object(text(), listed()), false, false, false),
        (object(listed(), text()), false, true, false),
        (object(text(), ruled()), false, true, true),
        (object(text(), ruled()), false, false, false),
        (at_root(about_both), false, true, true),
        (at_root(about_both), false, false, false),
        (at_root(about_spec), false, true, false),
    ] {
        let findings = found(&with_status(&plain(), had), &with_status(&new, has));
        let witness = findings.iter().find(|finding| refuses(finding)).and_then(|finding| finding.witness.clone());
        let what = format!("{had} → {has}: {new}: {witness:?}");
        match witness {
            Some(Witness::Object(_)) => assert!(!is_status, "{what}"),
            Some(Witness::Status { stored: None, object }) => {
                assert!(is_status && object["status"].is_object(), "{what}")
            }
            _ => panic!("{what}"),
        }
    }
    // The status of a stored object.
    let mut new = plain();
    new["properties"]["status"]["x-kubernetes-validations"] =
        json!([{ "rule": "!has(oldSelf.mode) || has(self.mode)" }]);
    for (had, has) in [(false, true), (true, true), (false, false), (true, false)] {
        let findings = found(&with_status(&plain(), had), &with_status(&new, has));
        let witness = findings.iter().find(|finding| refuses(finding)).and_then(|finding| finding.witness.clone());
        match (&witness, has) {
            (Some(Witness::Status { stored: Some(stored), object }), true)
            | (Some(Witness::Update { old: stored, new: object }), false) => {
                assert!(!stored["status"]["mode"].is_null() && object["status"]["mode"].is_null(), "{witness:?}");
            }
            _ => panic!("{had} → {has}: {witness:?}"),
        }
    }
}

/// The names, the counts and the defaults of the old version are in each witness.
#[test]
fn a_witness_is_an_object_of_the_whole_old_version() {
    let spec = |nn: Value| json!({ "type": "object", "properties": { "nn": nn } });
    let [old, new] = [spec(json!({ "type": "integer" })), spec(json!({ "type": "integer", "minimum": 10 }))];
    let named = |name: &Value, spec: &Value| {
        let metadata = json!({ "type": "object", "properties": { "name": name } });
        json!({ "type": "object", "properties": { "metadata": metadata, "spec": spec } })
    };
    for name in [
        json!({ "type": "string", "pattern": "^main-widget$" }),
        json!({ "type": "string", "pattern": "^(eu|us)-[0-9]{4}$" }),
        json!({ "type": "string", "maxLength": 3 }),
        json!({ "type": "string", "minLength": 20 }),
        json!({ "type": "string", "enum": ["other", "second"] }),
        json!({ "type": "string", "enum": ["ebs.csi.aws.com", "efs.csi.aws.com"] }),
        json!({ "type": "string", "pattern": "^db-" }),
        json!({ "type": "string", "pattern": "[.]example[.]com$" }),
        json!({ "type": "string", "anyOf": [{ "format": "ipv4" }, { "format": "ipv6" }] }),
        json!({ "type": "string", "pattern": "^[a-z]+$", "minLength": 9, "maxLength": 12 }),
    ] {
        let [old, new] = [named(&name, &old), named(&name, &new)];
        let findings = found(&crd(&old), &crd(&new));
        let Some(Witness::Object(object)) = &findings[0].witness else { panic!("{name}: {findings:#?}") };
        assert_eq!((accepts(&old, object), accepts(&new, object)), (Some(true), Some(false)), "{object}");
    }
    // A default with fields is valid with the schema of these fields.
    let status = json!({ "type": "object", "default": { "cur": "x" }, "properties": { "cur": { "type": "string" } } });
    let whole = |spec: &Value| json!({ "type": "object", "properties": { "spec": spec, "status": status } });
    let findings = found(&with_status(&whole(&old), true), &with_status(&whole(&new), true));
    assert!(matches!(findings[0].witness, Some(Witness::Object(_))), "{findings:#?}");
    // A scale subresource refuses counts below 0.
    let scale = Scale {
        spec_replicas_path: ".spec.nn".into(),
        status_replicas_path: ".status.n".into(),
        label_selector_path: None,
    };
    let scaled = |spec: &Value| {
        let mut channels = crd(&json!({ "type": "object", "properties": { "spec": spec } }));
        let version =
            &mut Arc::make_mut(&mut channels.get_mut(&Channel::Experimental).expect("a channel")[0]).versions[0];
        version.subresources = Some(Subresources { scale: Some(scale.clone()), status: false });
        channels
    };
    let findings = found(&scaled(&old), &scaled(&new));
    let Some(Witness::Object(object)) = &findings[0].witness else { panic!("{findings:#?}") };
    assert!((0..10).contains(&object["spec"]["nn"].as_i64().expect("a count")), "{object}");
}

/// One budget is for all searches: each change has a witness or a reason, and easy changes do not need much.
#[test]
fn many_changes_share_the_work() {
    let fields = |count: usize, field: &dyn Fn(usize) -> Value| {
        let properties = (0..count).map(|index| (format!("f{index}"), field(index))).collect::<Map<_, _>>();
        json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": properties } } })
    };
    let tally = |old: &Value, new: &Value| {
        let mut tally = BTreeMap::new();
        for finding in found(&crd(old), &crd(new)).iter().filter(|finding| refuses(finding)) {
            let what = match finding.witness {
                Some(Witness::Object(_)) => "found",
                Some(Witness::None(reason)) => reason,
                _ => panic!("{finding:?}"),
            };
            *tally.entry(what).or_insert(0_usize) += 1;
        }
        tally
    };
    let length = |most: usize| fields(2000, &move |index| json!({ "type": "string", "maxLength": most + index % 7 }));
    assert_eq!(tally(&length(40), &length(30)), BTreeMap::from([("found", 2000)]));
    // Rules that see their own fields only.
    let rules = |most: usize, changed: usize| {
        fields(1000, &move |index| {
            let most = if index < changed { most - 1 } else { most };
            let rule = format!("!has(self.a) || !has(self.b) || self.a.size() + self.b.size() < {}", most + index % 13);
            let text = json!({ "type": "string", "maxLength": 20 });
            json!({ "type": "object", "properties": { "a": text, "b": text }, "x-kubernetes-validations": [{ "rule": rule }] })
        })
    };
    assert_eq!(tally(&rules(12, 0), &rules(12, 100)), BTreeMap::from([("found", 100)]));
    // Large lists need more than there is, and the result is the same each time.
    let lists = |most: usize| {
        fields(400, &move |_| json!({ "type": "array", "maxItems": most, "items": { "type": "string" } }))
    };
    let first = tally(&lists(9_000), &lists(8_000));
    assert_eq!(first, tally(&lists(9_000), &lists(8_000)));
    assert!(first[NOT_SEARCHED] > 0 && first["found"] > 0 && first.values().sum::<usize>() == 400, "{first:?}");
}

/// An object has the fields that the rest of the schema demands, its rules and defaults included.
#[test]
fn a_witness_has_what_the_rest_of_the_schema_demands() {
    let many = |others: &Value, rules: &[&str], most: usize| {
        let mut spec = json!({ "type": "object", "properties": others });
        spec["properties"]["name"] = json!({ "type": "string", "maxLength": most });
        spec["x-kubernetes-validations"] = rules.iter().map(|rule| json!({ "rule": rule })).collect();
        let mut schema = json!({ "type": "object", "required": ["spec"], "properties": { "spec": spec } });
        schema["properties"]["spec"]["required"] = json!(["kind"]);
        schema
    };
    let others = json!({
        "kind": { "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } },
            "x-kubernetes-validations": [{ "rule": "has(self.a) != has(self.b)" }] },
        "mode": { "type": "string", "default": "x", "enum": ["x", "y"] },
        "free": { "type": "string" },
    });
    for rules in [
        &[][..],
        &["!has(self.name) || has(self.free)"],
        &["self.mode == 'y' || !has(self.name) || self.name.size() < 4"],
        &["self == self"],
    ] {
        let (old, new) = (many(&others, rules, 9), many(&others, rules, 5));
        let findings = found(&crd(&old), &crd(&new));
        let [finding] = &*findings else { panic!("{findings:#?}") };
        let Some(Witness::Object(object)) = &finding.witness else { panic!("{rules:?}: {finding:#?}") };
        assert_eq!((accepts(&old, object), accepts(&new, object)), (Some(true), Some(false)), "{object}");
        let kind = object["spec"]["kind"].as_object().expect("it is required");
        assert_eq!(kind.len(), 1, "{object}");
        assert!(rules != ["!has(self.name) || has(self.free)"] || object["spec"]["free"].is_string(), "{object}");
        assert!(!rules.iter().any(|rule| rule.contains("'y'")) || object["spec"]["mode"] == "y", "{object}");
    }
}

/// What the search gives the rest of an object, so that the old rules accept it.
#[test]
fn an_object_has_the_values_that_rules_demand_beside_the_change() {
    let cases = yaml::read(include_str!("witnesses/demanded.yaml")).expect("it is YAML");
    for case in cases[0].as_array().expect("a list") {
        let on = case["on"].as_str().unwrap_or("spec");
        let set = case["set"].as_object().expect("what is set");
        let mut new = case["schema"].clone();
        let steps = set["path"].as_array().expect("a path").iter();
        let node = steps.fold(&mut new, |node, name| &mut node["properties"][name.as_str().expect("a field")]);
        set.iter().filter(|(name, _)| *name != "path").for_each(|(name, value)| node[name] = value.clone());
        let whole = |part: &Value| {
            let mut whole = json!({ "type": "object", "properties": { on: part } });
            if let Some(rule) = case.get("rule") {
                whole["required"] = json!([on]);
                whole["x-kubernetes-validations"] = json!([{ "rule": rule }]);
            }
            with_status(&whole, on == "status")
        };
        let findings = found(&whole(&case["schema"]), &whole(&new));
        let [finding] = &*findings.iter().filter(|finding| refuses(finding)).collect::<Vec<_>>() else {
            panic!("{}: {findings:#?}", case["demands"])
        };
        let (Some(Witness::Object(object)) | Some(Witness::Status { stored: None, object })) = &finding.witness else {
            panic!("{}: {finding:#?}", case["demands"])
        };
        assert_eq!(object[on], case["object"], "{}", case["demands"]);
    }
}
