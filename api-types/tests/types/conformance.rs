//! Conformance features and experimental marks of the types, compared with what Gateway API published: its list of features, and the
//! CRDs of both channels.

use std::collections::{BTreeMap, BTreeSet};

use crd_channels::Channel;
use crd_generate::{AnnotatedResource, ExperimentalMark, MarkKind, annotated};
use crd_source::importer::{Language, SourceMark, edited, without_marks};
use crd_testdata::{CONFORMANCE_FEATURES, NEWEST_GATEWAY_API, gateway_api};
use serde_json::Value;

use crate::objects::catalogue;

/// Features that do not belong to one type, field or value of the schemas.
const BEHAVIOUR: [(&str, &str); 17] = [
    ("ClusterTrustBundle", "the kind of a reference"),
    ("GatewayRouteHostnameIntersectionPrecedence", "which of two routes gets a request"),
    ("GatewayHTTPListenerIsolation", "which of two listeners gets a request"),
    ("HTTPRouteBackendProtocolH2C", "the protocol of a Service"),
    ("HTTPRouteBackendProtocolWebSocket", "the protocol of a Service"),
    ("HTTPRouteRequestMultipleMirrors", "several filters of one type"),
    ("SupportGatewayHTTPSListenerDetectMisdirectedRequests", "the answer to a request"),
    ("Mesh", "routes of meshes"),
    ("MeshClusterIPMatching", "routes of meshes"),
    ("MeshConsumerRoute", "routes of meshes"),
    ("MeshHTTPRouteBackendRequestHeaderModification", "routes of meshes"),
    ("MeshHTTPRouteNamedRouteRule", "routes of meshes"),
    ("MeshHTTPRouteQueryParamMatching", "routes of meshes"),
    ("MeshHTTPRouteRedirectPath", "routes of meshes"),
    ("MeshHTTPRouteRedirectPort", "routes of meshes"),
    ("MeshHTTPRouteRewritePath", "routes of meshes"),
    ("MeshHTTPRouteSchemeRedirect", "routes of meshes"),
];

/// Features of earlier releases that their reports name, and what replaced them.
const FORMER: [(&str, &str); 3] = [
    ("GatewayInfrastructurePropagation", "GatewayInfrastructure since v1.6.3"),
    ("HTTPRouteRetry", "HTTPRouteRetryCodes since v1.7.0"),
    ("HTTPRouteRetryBackendTimeout", "part of HTTPRouteRetryCodes since v1.7.0"),
];

fn resources() -> Vec<AnnotatedResource> {
    annotated(&catalogue()).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// The features of the newest release, and former ones, as reports name them.
fn listed() -> BTreeSet<&'static str> {
    let of = |prefix: &'static str| {
        let rows = CONFORMANCE_FEATURES.lines().filter_map(move |row| row.strip_prefix(prefix));
        rows.map(|row| row.split('\t').nth(1).expect("a feature")).collect::<BTreeSet<_>>()
    };
    let (mut newest, earlier) = (of(NEWEST_GATEWAY_API), of("v1.6"));
    for (former, replaced) in FORMER {
        assert!(earlier.contains(former) && newest.insert(former), "{former}: {replaced}");
    }
    newest
}

#[test]
fn types_have_every_listed_feature_except_behaviour() {
    let (listed, behaviour) = (listed(), BTreeMap::from(BEHAVIOUR));
    let mut declared = BTreeSet::new();
    for feature in resources().iter().flat_map(AnnotatedResource::features) {
        let constant = format!("Support{}", feature.feature);
        let name = [feature.feature, &constant].into_iter().find_map(|name| listed.get(name));
        declared.insert(*name.unwrap_or_else(|| panic!("no release lists {} ({})", feature.feature, feature.location)));
    }
    assert!(declared.iter().all(|feature| !behaviour.contains_key(feature)), "{declared:#?}");
    declared.extend(behaviour.keys());
    assert_eq!(declared, listed);
    assert!(declared.len() > 50, "{}", declared.len());
}

/// Every kind that a feature is named after has it in all versions, because conformance is about the kind.
#[test]
fn kinds_have_their_features_in_every_version() {
    let mut found = 0;
    for resource in resources() {
        let versions: Vec<&str> = resource.version_names().collect();
        let of_kind: Vec<_> = resource.features().into_iter().filter(|feature| feature.path.is_empty()).collect();
        let declared: BTreeSet<&str> = of_kind.iter().flat_map(|feature| feature.versions.clone()).collect();
        if let Some(feature) = of_kind.first() {
            assert_eq!(declared, versions.into_iter().collect(), "{}", feature.feature);
            assert!(of_kind.iter().all(|other| other.feature == feature.feature));
            found += 1;
        }
    }
    assert_eq!(found, listed().iter().filter(|feature| gateway_api_types::KINDS.contains(feature)).count());
}

type Names = BTreeSet<(String, Option<String>)>;

/// The properties and values of a published schema.
fn names(schema: &Value, path: &str, found: &mut Names) {
    for value in schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        found.insert((path.to_owned(), Some(value.to_owned())));
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        found.insert((path.clone(), None));
        names(property, &path, found);
    }
    for keyword in ["items", "additionalProperties"] {
        if schema[keyword].is_object() {
            names(&schema[keyword], &format!("{path}[*]"), found);
        }
    }
}

/// The names of each version of each published CRD, by `CRD VERSION`.
fn published(channel: &str) -> BTreeMap<String, Names> {
    let mut all = BTreeMap::new();
    for crd in gateway_api(NEWEST_GATEWAY_API, channel).iter().map(crd_testdata::File::json) {
        for version in crd["spec"]["versions"].as_array().into_iter().flatten() {
            let mut found = Names::new();
            names(&version["schema"]["openAPIV3Schema"], "", &mut found);
            let name = |value: &Value| value.as_str().map(str::to_owned).expect("a name");
            all.insert(format!("{} {}", name(&crd["metadata"]["name"]), name(&version["name"])), found);
        }
    }
    all
}

/// Names in experimental that standard does not have, without those below another one.
#[test]
fn the_outermost_marks_are_the_differences_of_the_published_channels() {
    let (standard, experimental) = (published("standard"), published("experimental"));
    let mut compared = 0;
    for resource in resources() {
        let marks = resource.experimental_marks();
        for version in resource.version_names() {
            let name = format!("{} {version}", resource.crd_name());
            let of_names = marks
                .iter()
                .filter(|mark| mark.versions.contains(&version) && mark.below.is_none() && mark.text.is_none());
            let declared: Names = of_names.map(|mark| (mark.path.clone(), mark.value.clone())).collect();
            let Some(standard) = standard.get(&name) else {
                assert_eq!(declared, Names::from([(String::new(), None)]), "{name}");
                continue;
            };
            let missing: Names = experimental[&name].difference(standard).cloned().collect();
            let is_inside = |path: &str| missing.iter().any(|(other, _)| path.starts_with(&format!("{other}.")));
            // A value of a missing field is below it, too.
            let of_field =
                |value: &Option<String>, path: &str| value.is_some() && missing.contains(&(path.to_owned(), None));
            let in_list = |path: &str| missing.iter().any(|(other, _)| path.starts_with(&format!("{other}[*]")));
            let outermost =
                missing.iter().filter(|(path, value)| !is_inside(path) && !of_field(value, path) && !in_list(path));
            assert_eq!(declared, outermost.cloned().collect(), "{name}");
            compared += declared.len();
        }
    }
    assert!(compared > 15, "{compared}");
}

/// Standard has what experimental has once every mark is removed; only rules for standard alone remain.
#[test]
fn without_marks_standard_has_the_names_of_experimental() {
    let catalogue = catalogue();
    let mut removed = 0;
    for resource in resources() {
        removed += resource.experimental_marks().len();
        let graduated = resource.graduated(&|_| true);
        assert_eq!(graduated.experimental_marks(), []);
        let [standard, experimental] = Channel::ALL.map(|channel| {
            let crd = graduated.project(&catalogue, channel).unwrap_or_else(|errors| panic!("{errors:#?}"));
            crd.map(|mut crd| {
                crd.versions.iter_mut().for_each(|version| {
                    version.served = true;
                    version.schema.each_mut(&mut |schema| schema.validations.clear());
                });
                crd
            })
        });
        match standard {
            Some(standard) => assert!(Some(standard) == experimental, "{}", resource.crd_name()),
            // Standard does not have a resource of alpha versions only.
            None => assert!(resource.version_names().all(|version| version.contains("alpha"))),
        }
    }
    assert!(removed > 50, "{removed}");
}

/// Four experimental fields cannot graduate, because no conformance test
/// covers them.
#[test]
fn four_experimental_fields_do_not_have_a_feature() {
    let mut fields: BTreeMap<&str, bool> = BTreeMap::new();
    for resource in resources() {
        let features = resource.features();
        let is_field = |mark: &&ExperimentalMark| mark.kind == MarkKind::Field && mark.below.is_none();
        for mark in resource.experimental_marks().iter().filter(is_field) {
            let has_feature = features.iter().any(|feature| feature.path == mark.path && feature.value == mark.value);
            fields.insert(mark.origin.field.expect("a field"), has_feature);
        }
    }
    let expected = [
        ("default_scope", false),
        ("external_auth", false),
        ("filters", true),
        ("routability", true),
        ("session_persistence", false),
        ("use_default_gateways", false),
    ];
    assert_eq!(fields, BTreeMap::from(expected));
}

/// Descriptors locate each mark so that an edit removes it, and nothing else.
#[test]
fn each_mark_can_be_removed_from_its_file() {
    let marks: Vec<ExperimentalMark> = resources().iter().flat_map(AnnotatedResource::experimental_marks).collect();
    let files: BTreeSet<&str> = marks.iter().map(|mark| mark.marker.file).collect();
    let mut removed = 0;
    for file in files {
        let path = format!("{}/../{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let of_file: Vec<SourceMark<'_>> =
            marks.iter().filter(|mark| mark.marker.file == file).map(source_mark).collect();
        let is_mark = |line: &&str| line.trim() == "/// +experimental";
        let expected: Vec<String> = text
            .lines()
            .filter(|line| !is_mark(line))
            .map(|line| line.replacen("/// +experimental:", "/// +", 1))
            .collect();
        // An empty line of documentation at the end separates nothing.
        let is_kept = |index: &usize| {
            let is_doc = |index: usize| expected.get(index).is_some_and(|line| line.trim().starts_with("///"));
            expected[*index].trim() != "///" || is_doc(index + 1)
        };
        let expected = (0..expected.len()).filter(is_kept).map(|index| expected[index].clone()).collect::<Vec<_>>();
        let lines =
            without_marks(&text, &of_file, Language::Rust).unwrap_or_else(|errors| panic!("{file}: {errors:?}"));
        assert_eq!(edited(&text, &lines).lines().collect::<Vec<_>>(), expected, "{file}");
        removed += text.lines().filter(|line| line.contains("+experimental")).count();
    }
    assert!(removed > 20, "{removed}");
}

fn source_mark(mark: &ExperimentalMark) -> SourceMark<'_> {
    let name = mark.origin.field.unwrap_or(mark.origin.type_name);
    SourceMark { name, line: mark.origin.location.line, marker: mark.marker.line }
}
