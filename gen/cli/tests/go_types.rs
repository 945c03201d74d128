//! Projects with types in Go: what `generate` makes of the CRDs that controller-gen wrote, compared with what the projects publish and with what
//! controller-gen writes from fewer fields.

use std::collections::BTreeMap;

use crd_bundle::structure;
use crd_channels_cli::Exit;
use crd_model::{CustomResourceDefinition, yaml};
use crd_testdata::{File, GO_GATEWAY_API, GO_OVERLAYS, GoProject, go_gateway_api, go_project};
use serde_json::Value;

use crate::support::{Place, program};

/// The kinds that a release of Gateway API has in standard, as its generator lists them.
fn standard(version: &str) -> &'static str {
    match version {
        "v1.4.1" => "GatewayClass, Gateway, GRPCRoute, HTTPRoute, ReferenceGrant, BackendTLSPolicy",
        "v1.5.1" => {
            "GatewayClass, Gateway, GRPCRoute, HTTPRoute, ReferenceGrant, BackendTLSPolicy, ListenerSet, TLSRoute"
        }
        _ => {
            "GatewayClass, Gateway, GRPCRoute, HTTPRoute, ReferenceGrant, BackendTLSPolicy, ListenerSet, TLSRoute, TCPRoute, UDPRoute"
        }
    }
}

/// The settings of Gateway API.
const GATEWAY: &str = "prefix: gateway.networking.k8s.io\nannotations: {api-approved.kubernetes.io: unapproved}\n";

/// A project in a folder, with these settings.
fn place(project: &GoProject, settings: &str) -> Place {
    let place = Place::new();
    project.source.iter().for_each(|file| place.write(file.path, file.text));
    project.crds.iter().for_each(|file| place.write(&format!("crds/{}", file.path), file.text));
    place.write("crd-channels.yaml", format!("version: v1.0.0\ncrds: crds\ntypes: go:./...\n{settings}"));
    place
}

/// A CRD of a document, without texts and stamps.
fn crd(document: &Value) -> CustomResourceDefinition {
    let mut crd = structure(&CustomResourceDefinition::from_value(document).unwrap());
    crd.annotations.clear();
    crd
}

/// The generated CRDs of a channel, by name.
fn generated(place: &Place, channel: &str) -> Vec<CustomResourceDefinition> {
    let folder = place.path().join("bundles/unreleased").join(channel);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    let mut crds = files.map(|text| crd(&yaml::read(&text).unwrap()[0])).collect::<Vec<_>>();
    crds.sort_by(|one, other| one.name.cmp(&other.name));
    crds
}

/// The paths where two lists of CRDs differ.
fn differences(ours: &[CustomResourceDefinition], files: &[File]) -> Vec<String> {
    fn compare(one: &Value, other: &Value, path: &str, found: &mut Vec<String>) {
        match (one, other) {
            (Value::Object(one), Value::Object(other)) => {
                let keys = one.keys().chain(other.keys().filter(|key| !one.contains_key(*key)));
                for key in keys {
                    let value = |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or_default();
                    compare(&value(one), &value(other), &format!("{path}/{key}"), found);
                }
            }
            (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
                for (index, (one, other)) in one.iter().zip(other).enumerate() {
                    compare(one, other, &format!("{path}/{index}"), found);
                }
            }
            _ if one == other => {}
            _ => found.push(format!("{path}: {one} != {other}")),
        }
    }
    let mut found = Vec::new();
    let theirs = files.iter().map(|file| crd(&file.json())).collect::<Vec<_>>();
    let names = |crds: &[CustomResourceDefinition]| crds.iter().map(|crd| crd.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(ours), names(&theirs));
    for (ours, theirs) in ours.iter().zip(&theirs) {
        compare(&ours.to_value(), &theirs.to_value(), &ours.name, &mut found);
    }
    found
}

#[test]
fn gateway_apis_source_gives_its_published_crds() {
    for version in GO_GATEWAY_API {
        let settings = format!("{GATEWAY}tags: gateway\nstandard: [{}]\n", standard(version));
        let place = place(&go_gateway_api(version), &settings);
        let ran = program(&place, &["generate"]);
        assert_eq!(ran.exit, Exit::Fine, "{version}: {}", ran.err);
        for channel in ["standard", "experimental"] {
            let found = differences(&generated(&place, channel), &crd_testdata::gateway_api(version, channel));
            // Plain controller-gen cannot apply the limits of `PortNumber`, an alias; upstream's generator of that time replaced its markers.
            let is_port = |path: &String| path.contains("/port/m") && path.starts_with("xlistenersets");
            let expected = if (*version, channel) == ("v1.4.1", "experimental") { 4 } else { 0 };
            assert_eq!((found.len(), found.iter().all(is_port)), (expected, true), "{version} {channel}: {found:#?}");
        }
    }
}

#[test]
fn tags_that_are_not_read_change_nothing() {
    let place = place(&go_gateway_api("v1.7.0"), GATEWAY);
    assert_eq!(program(&place, &["generate"]).exit, Exit::Fine);
    let found = differences(&generated(&place, "experimental"), &go_gateway_api("v1.7.0").crds);
    assert_eq!(found, Vec::<String>::new());
    let published = crd_testdata::gateway_api("v1.7.0", "experimental");
    // What only a tag states.
    let mut keywords = BTreeMap::<String, usize>::new();
    for found in differences(&generated(&place, "experimental"), &published) {
        let path = found.split(": ").next().unwrap();
        *keywords.entry(path.rsplit('/').next().unwrap().to_owned()).or_default() += 1;
    }
    let expected = [
        ("enum", 4),
        ("maxLength", 4),
        ("minItems", 3),
        ("oneOf", 4),
        ("pattern", 27),
        ("x-kubernetes-validations", 54),
    ];
    assert_eq!(keywords, expected.map(|(keyword, count)| (keyword.to_owned(), count)).into());
}

#[test]
fn a_standard_crd_is_what_controller_gen_writes_without_the_fields() {
    for name in GO_OVERLAYS {
        let project = go_project(name);
        let place = place(&project, "prefix: example.com\nprofile: semver\n");
        let ran = program(&place, &["generate"]);
        assert_eq!(ran.exit, Exit::Fine, "{name}: {}", ran.err);
        assert_eq!(differences(&generated(&place, "standard"), &project.standard), Vec::<String>::new(), "{name}");
        assert_eq!(differences(&generated(&place, "experimental"), &project.crds), Vec::<String>::new(), "{name}");
    }
}
