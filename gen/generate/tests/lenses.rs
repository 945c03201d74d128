//! Lenses of types and catalogues: the document that they become, objects that it converts, tombstones, and errors.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crd_channels::{ObjectMeta, api};
use crd_convert::{Code, Conversions, Document};
use crd_generate::settings::Settings;
use crd_generate::{Catalogue, Projection, annotated};
use serde_json::{Value, json};

/// A policy with a history of three bundles.
///
/// +lens:resource:version=v1alpha2,since=v1.1.0
/// +lens:resource:version=v1alpha3,since=v1.4.0
#[api(group = "example.com", version = "v1", kind = "BackendTLSPolicy")]
pub struct BackendTLSPolicy {
    pub metadata: ObjectMeta,
    pub spec: Spec,
    pub status: Option<Status>,
}

/// +lens:drop:path=targetRefs[*].zone,reason="targets have no zone",since=v1.1.0
/// +lens:drop:path=legacy,reason="no implementation used it",keeps=true,since=v1.4.0
/// +lens:split:from=address,to={host: host, port: port},pattern="^(?P<host>[^:]+):(?P<port>[0-9]+)$",template="{host}:{port}",integers=port,since=v1.2.0
/// +lens:move:from=backend.tls,to=tls.backend,since=v1.4.0
/// +tombstone:name=gone,removed=v1.2.0-rc.1,reason="it had no effect"
#[api]
pub struct Spec {
    /// +lens:wrapInList:from=targetRef,since=v1.1.0
    pub target_refs: Option<Vec<Target>>,
    /// +lens:rename:from=tls2,since=v1.3.0,reason="a version in a name"
    pub validation: Option<Validation>,
    pub tls: Option<Tls>,
    pub backend: Option<Backend>,
    pub host: Option<String>,
    pub port: Option<i32>,
    pub mode: Option<Mode>,
    /// +listType=map
    /// +listMapKey=name
    pub rules: Option<Vec<Rule>>,
    pub by_name: Option<std::collections::BTreeMap<String, Rule>>,
}

#[api]
pub struct Target {
    pub name: String,
}

#[api]
pub struct Validation {
    /// +lens:rename:from=caCertRefs,since=v1.1.0
    pub ca_certificate_refs: Option<Vec<String>>,
}

#[api]
pub struct Tls {
    pub backend: Option<String>,
}

#[api]
pub struct Backend {
    pub name: Option<String>,
}

/// +lens:values:values={Old: New, Older: New},merged=Older,since=v1.2.0
#[api]
pub enum Mode {
    New,
    Other,
}

#[api]
pub struct Rule {
    pub name: String,
    /// +lens:scale:from=timeoutSeconds,multiply=1000,since=v1.2.0
    pub timeout_milliseconds: Option<i64>,
    /// +lens:default:value=Service,since=v1.4.0
    pub kind: String,
}

#[api]
pub struct Status {
    pub supported: Option<Vec<Feature>>,
}

/// +lens:wrapInObject:field=name,since=v1.3.0
#[api]
pub struct Feature {
    pub name: String,
}

fn document(catalogue: &Catalogue) -> Document {
    Projection::new(catalogue, annotated(catalogue).unwrap(), "test").lenses().unwrap().document.clone()
}

fn errors(catalogue: &Catalogue) -> Vec<String> {
    let errors = Projection::new(catalogue, annotated(catalogue).unwrap(), "test").lenses().unwrap_err();
    errors.iter().map(|error| format!("{}: {} ({})", error.code, error.message, error.location)).collect()
}

fn catalogue() -> Catalogue {
    Catalogue::new(Settings::new("example.com", "v1.5.0".parse().unwrap())).resource::<BackendTLSPolicy>()
}

#[test]
fn each_lens_has_the_places_and_the_kind_of_its_time() {
    let names: Vec<_> = document(&catalogue()).lenses.into_iter().map(|lens| lens.name).collect();
    assert_eq!(
        names,
        [
            "example.com/BackendTLSPolicy v1.1.0 resource example.com/v1alpha2 BackendTLSPolicy",
            "example.com/BackendTLSPolicy v1.1.0 wrapInList spec.targetRef",
            "example.com/BackendTLSPolicy v1.1.0 drop spec.targetRefs[*].zone",
            // `validation` was `tls2` then.
            "example.com/BackendTLSPolicy v1.1.0 rename spec.tls2.caCertRefs",
            "example.com/BackendTLSPolicy v1.2.0 split spec.address",
            "example.com/BackendTLSPolicy v1.2.0 scale spec.byName{*}.timeoutSeconds",
            "example.com/BackendTLSPolicy v1.2.0 values spec.mode",
            "example.com/BackendTLSPolicy v1.2.0 scale spec.rules[*].timeoutSeconds",
            "example.com/BackendTLSPolicy v1.3.0 rename spec.tls2",
            "example.com/BackendTLSPolicy v1.3.0 wrapInObject status.supported[*]",
            "example.com/BackendTLSPolicy v1.4.0 resource example.com/v1alpha3 BackendTLSPolicy",
            "example.com/BackendTLSPolicy v1.4.0 move spec.backend.tls",
            "example.com/BackendTLSPolicy v1.4.0 default spec.byName{*}.kind",
            "example.com/BackendTLSPolicy v1.4.0 drop spec.legacy",
            "example.com/BackendTLSPolicy v1.4.0 default spec.rules[*].kind",
        ]
    );
}

#[test]
fn the_document_converts_objects_of_every_age() {
    let document = document(&catalogue());
    assert_eq!(Document::read(&document.write()).unwrap(), document);
    let conversions = Conversions::new(&document).unwrap();
    let old = json!({
        "apiVersion": "example.com/v1alpha2", "kind": "BackendTLSPolicy", "metadata": {"name": "a"},
        "spec": {
            "targetRef": {"name": "b"}, "tls2": {"caCertRefs": ["c"]}, "address": "d:80", "mode": "Old", "legacy": 1, "backend": {"tls": "e", "name": "f"},
            "rules": [{"name": "g", "timeoutSeconds": 2}],
        },
        "status": {"supported": ["h"]},
    });
    let mut new = old.clone();
    conversions.forward(&mut new).unwrap();
    let spec = json!({
        "targetRefs": [{"name": "b"}], "validation": {"caCertificateRefs": ["c"]}, "host": "d", "port": 80, "mode": "New",
        "tls": {"backend": "e"}, "backend": {"name": "f"}, "rules": [{"name": "g", "timeoutMilliseconds": 2000, "kind": "Service"}],
    });
    assert_eq!((&new["apiVersion"], &new["spec"]), (&json!("example.com/v1"), &spec));
    assert_eq!(new["status"], json!({"supported": [{"name": "h"}]}));
    let back = |object: &Value, to: &str| conversions.convert_back(object, to.parse().unwrap()).unwrap().object;
    assert_eq!(back(&new, "v1.0.0"), old, "`legacy` is in the conversion data");
    let middle = back(&new, "v1.2.0");
    assert_eq!(middle["spec"]["tls2"], json!({"caCertificateRefs": ["c"]}));
    assert_eq!(middle["apiVersion"], "example.com/v1alpha3");
    let keys: Vec<_> =
        document.lenses.iter().flat_map(|lens| &lens.steps).filter(|step| !step.keys.is_empty()).collect();
    assert_eq!(keys.len(), 2, "the steps in `rules`, a list with keys: {keys:?}");
}

#[test]
fn tombstones_without_a_lens_are_listed_as_removed() {
    let removed: Vec<_> = document(&catalogue())
        .removed
        .iter()
        .map(|removed| {
            format!("{} {:?} {}", removed.kind, removed.path.as_ref().map(ToString::to_string), removed.since)
        })
        .collect();
    assert_eq!(removed, ["BackendTLSPolicy Some(\"spec.gone\") v1.2.0"]);
}

mod shared {
    use super::*;

    #[api(group = "example.com", version = "v1", kind = "Gateway")]
    pub struct Gateway {
        pub metadata: ObjectMeta,
        pub spec: GatewaySpec,
    }

    /// +lens:code:name=check,from="listeners[*].check",to=checks,since=v1.1.0
    #[api]
    pub struct GatewaySpec {
        pub listeners: Option<Vec<Listener>>,
        pub checks: Option<String>,
    }

    #[api(group = "example.com", version = "v1", kind = "ListenerSet")]
    pub struct ListenerSet {
        pub metadata: ObjectMeta,
        pub spec: ListenerSetSpec,
    }

    #[api]
    pub struct ListenerSetSpec {
        pub listeners: Option<Vec<Listener>>,
    }

    /// +tombstone:name=check,removed=v1.1.0,reason="the Gateway has it"
    #[api]
    pub struct Listener {
        pub port: Option<i32>,
    }
}

/// A type that two resources share has the tombstone of both, and one of them has a lens.
#[test]
fn a_removed_name_of_a_shared_type_is_listed_where_no_lens_converts_it() {
    let functions = Code { name: "check", forward: |_| Ok(()), backward: |_| Ok(()), example: "" };
    let catalogue = Catalogue::new(Settings::new("example.com", "v1.2.0".parse().unwrap()))
        .resource::<shared::Gateway>()
        .resource::<shared::ListenerSet>()
        .functions(functions);
    let document = document(&catalogue);
    assert_eq!(document.lenses.iter().map(|lens| &*lens.kind).collect::<Vec<_>>(), ["Gateway"]);
    let removed: Vec<_> = document.removed.iter().map(|removed| (&*removed.kind, removed.name())).collect();
    assert_eq!(removed, [("ListenerSet", "spec.listeners[*].check".to_owned())]);
}

#[test]
fn a_lens_is_the_tombstone_of_the_old_name() {
    let resources = annotated(&catalogue()).unwrap();
    let mut tombstones: Vec<_> = resources[0]
        .tombstones()
        .iter()
        .map(|declared| {
            let tombstone = declared.tombstone;
            let what = if declared.value { "value" } else { "field" };
            format!("{what} {} in {}: {} {:?}", tombstone.name, declared.path, tombstone.removed, tombstone.replacement)
        })
        .collect();
    tombstones.sort();
    assert_eq!(
        tombstones,
        [
            "field address in spec: v1.2.0 Some(\"host\")",
            "field caCertRefs in spec.tls2: v1.1.0 Some(\"caCertificateRefs\")",
            "field gone in spec: v1.2.0-rc.1 None",
            "field legacy in spec: v1.4.0 None",
            "field targetRef in spec: v1.1.0 Some(\"targetRefs\")",
            "field timeoutSeconds in spec.byName[*]: v1.2.0 Some(\"timeoutMilliseconds\")",
            "field timeoutSeconds in spec.rules[*]: v1.2.0 Some(\"timeoutMilliseconds\")",
            "field tls in spec.backend: v1.4.0 None",
            "field tls2 in spec: v1.3.0 Some(\"validation\")",
            // The place in the bundle before v1.1.0.
            "field zone in spec.targetRef: v1.1.0 None",
            "value Old in spec.mode: v1.2.0 Some(\"New\")",
            "value Older in spec.mode: v1.2.0 Some(\"New\")",
        ]
    );
}

#[test]
fn lenses_do_not_change_schemas() {
    let crds = crd_generate::generate(&catalogue(), crd_channels::Channel::Standard).unwrap();
    assert!(!crds[0].to_value().to_string().contains("lens"));
}

mod replaced {
    use super::*;

    /// Two kinds became this one.
    ///
    /// +lens:resource:kind=XListener,group=x.example.com,version=v1alpha1,since=v1.2.0
    #[api(group = "example.com", version = "v1", kind = "Listener")]
    pub struct Listener {
        pub metadata: ObjectMeta,
        pub spec: ListenerSpec,
    }

    #[api]
    pub struct ListenerSpec {
        /// +lens:rename:from=parent,since=v1.2.0
        pub parent_ref: Option<String>,
        /// +lens:rename:from=hosts,since=v1.1.0
        pub hostnames: Option<Vec<String>>,
    }

    #[test]
    fn what_changes_with_the_kind_belongs_to_the_old_kind() {
        let document =
            document(&Catalogue::new(Settings::new("example.com", "v1.3.0".parse().unwrap())).resource::<Listener>());
        let lenses: Vec<_> =
            document.lenses.iter().map(|lens| (lens.name.as_str(), lens.source(), lens.steps.len())).collect();
        assert_eq!(
            lenses,
            [
                ("x.example.com/XListener v1.1.0 rename spec.hosts", ("x.example.com", "XListener"), 1),
                (
                    "example.com/Listener v1.2.0 resource x.example.com/v1alpha1 XListener",
                    ("x.example.com", "XListener"),
                    1
                ),
            ]
        );
        let conversions = Conversions::new(&document).unwrap();
        let mut object = json!({"apiVersion": "x.example.com/v1alpha1", "kind": "XListener", "spec": {"parent": "a", "hosts": ["b"]}});
        conversions.forward(&mut object).unwrap();
        assert_eq!(
            object,
            json!({"apiVersion": "example.com/v1", "kind": "Listener", "spec": {"parentRef": "a", "hostnames": ["b"]}})
        );
    }
}

mod together {
    use super::*;

    /// A box.
    #[api(group = "example.com", version = "v1", kind = "Box")]
    pub struct Box {
        pub metadata: ObjectMeta,
        pub spec: BoxSpec,
    }

    /// +lens:values:from=mode,to=mode,values={Old: New},since=v1.1.0
    #[api]
    pub struct BoxSpec {
        /// +lens:move:from=inner.size,since=v1.1.0
        pub size: Option<i32>,
        /// +lens:rename:from=zone,since=v1.1.0
        pub inner: Option<Inner>,
        /// +lens:rename:from=what,since=v1.1.0
        pub mode: Option<String>,
    }

    #[api]
    pub struct Inner {
        /// +lens:rename:from=alpha,since=v1.1.0
        pub beta: Option<i32>,
    }

    #[test]
    fn lenses_of_one_bundle_apply_from_the_outside_to_the_inside() {
        let conversions = Conversions::new(&document(
            &Catalogue::new(Settings::new("example.com", "v1.1.0".parse().unwrap())).resource::<Box>(),
        ))
        .unwrap();
        let object = |spec: Value| json!({"apiVersion": "example.com/v1", "kind": "Box", "spec": spec});
        let mut new = object(json!({"zone": {"size": 1, "alpha": 2}, "what": "Old"}));
        conversions.forward(&mut new).unwrap();
        assert_eq!(new, object(json!({"size": 1, "inner": {"beta": 2}, "mode": "New"})));
        let old = conversions.convert_back(&new, "v1.0.0".parse().unwrap()).unwrap();
        assert_eq!(old.object, object(json!({"zone": {"size": 1, "alpha": 2}, "what": "Old"})));
    }
}

#[api(group = "example.com", version = "v1", kind = "Thing")]
pub struct Thing {
    pub metadata: ObjectMeta,
    pub spec: ThingSpec,
}

/// +lens:code:name=size,from=size,to=width;height,since=v1.1.0
#[api]
pub struct ThingSpec {
    pub width: Option<i32>,
    pub height: Option<i32>,
    /// +lens:move:from="rules[*].name",since=v1.1.0
    pub name: Option<String>,
    pub rules: Option<Vec<Target>>,
}

#[test]
fn errors_have_the_line_of_their_marker() {
    let errors = errors(&Catalogue::new(Settings::new("example.com", "v1.2.0".parse().unwrap())).resource::<Thing>());
    let line = |text: &str| {
        let lines = include_str!("lenses.rs").lines();
        lines.enumerate().find(|(_, line)| line.contains(text)).map(|(index, _)| index + 1).unwrap_or_default()
    };
    let file = file!();
    assert_eq!(
        errors,
        [
            format!(
                "types::lens: the old and the new place are in different lists or maps ({file}:{})",
                line("/// +lens:move:from=\"rules")
            ),
            format!(
                "types::lens: the functions `size` are not registered ({file}:{})",
                line("/// +lens:code:name=size")
            ),
        ]
    );
}

#[test]
fn the_settings_have_lenses_of_removed_resources() {
    let functions = Code { name: "other", forward: |_| Ok(()), backward: |_| Ok(()), example: "" };
    let with = |names: &[&str]| {
        let mut settings = "prefix: example.com\nversion: v1.5.0\nlenses:\n".to_owned();
        for name in names {
            settings.push_str(&format!(
                "- name: {name}\n  resource: olds.example.com\n  group: example.com\n  kind: Old\n  since: v1.1.0\n  steps:\n  \
                 - {{operation: rename, from: spec.a, to: spec.b}}\n",
            ));
        }
        let settings = Settings::read("crd-channels.yaml".as_ref(), &settings, &[]).unwrap();
        catalogue().functions(functions).with_settings(settings)
    };
    assert_eq!(document(&with(&["one"])).lenses.last().map(|lens| lens.kind.as_str()), Some("Old"));
    // Two lenses that do not fit each other are errors at their lines.
    let errors = errors(&with(&["one", "one"]));
    assert!(errors.iter().all(|error| error.starts_with("catalogue::lens: ")), "{errors:?}");
    assert!(errors.iter().any(|error| error.ends_with("(crd-channels.yaml:11)")), "{errors:?}");
}
