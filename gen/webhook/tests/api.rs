//! The API of the tests: lamps, in two versions and two channels, with a lens and two rules.

use crd_channels::{ObjectMeta, api};
use crd_generate::Catalogue;
use crd_generate::settings::Settings;
use crd_webhook::{Bundle, Rule, Webhook};
use serde_json::{Value, json};

/// A lamp.
///
/// +kubebuilder:subresource:status
/// +kubebuilder:storageversion
#[api(group = "home.example.com", version = "v1", kind = "Lamp")]
pub struct Lamp {
    pub metadata: ObjectMeta,
    pub spec: LampSpec,
    pub status: Option<LampStatus>,
}

/// The same in its old version.
///
/// +kubebuilder:deprecatedversion:warning="home.example.com/v1beta1 is deprecated; use v1"
/// +kubebuilder:subresource:status
#[api(group = "home.example.com", version = "v1beta1", kind = "Lamp")]
pub struct OldLamp {
    pub metadata: ObjectMeta,
    pub spec: LampSpec,
    pub status: Option<LampStatus>,
}

#[api]
pub struct LampSpec {
    /// +kubebuilder:validation:Minimum=1
    /// +lens:rename:from=brightness,since=v1.1.0
    pub lumens: i32,
    pub room: Option<String>,
    /// +experimental
    pub colour: Option<String>,
    pub mode: Option<Mode>,
}

#[api]
pub enum Mode {
    On,
    /// +experimental
    Blink,
}

#[api]
pub struct LampStatus {
    /// +kubebuilder:validation:Maximum=9
    pub hours: Option<i32>,
}

/// A room, which only experimental has.
///
/// +experimental
#[api(group = "home.example.com", version = "v1", kind = "Room")]
pub struct Room {
    pub metadata: ObjectMeta,
    pub spec: RoomSpec,
}

#[api]
pub struct RoomSpec {
    pub floor: i32,
}

/// A lamp is brighter than its neighbours: it needs other objects.
pub(crate) const BRIGHTEST: Rule<Lamp> = Rule {
    name: "brightest",
    about: "A new lamp is as bright as the other lamps of its room, or brighter.",
    why: "It compares objects.",
    create: Some(|change, objects, report| {
        let Some(lamps) = objects.in_namespace::<Lamp>(change.namespace.as_deref().unwrap_or_default()) else { return };
        let brighter = lamps
            .iter()
            .find(|lamp| lamp.spec.room == change.object.spec.room && lamp.spec.lumens > change.object.spec.lumens);
        if let Some(lamp) = brighter {
            let name = lamp.metadata.name.clone().unwrap_or_default();
            report.refuse("spec.lumens", format!("the lamp {name} of this room is brighter"));
        }
    }),
    update: None,
};

/// Rooms are written in lower case, which is ratcheted.
pub(crate) const ROOMS: Rule<Lamp> = Rule {
    name: "rooms",
    about: "Rooms are written in lower case.",
    why: "A test needs a rule.",
    create: Some(lower_case),
    update: Some(lower_case),
};

fn lower_case(change: &crd_webhook::Change<Lamp>, _: &crd_webhook::Objects, report: &mut crd_webhook::Report) {
    let room = change.object.spec.room.as_deref().unwrap_or_default();
    if room.chars().any(char::is_uppercase) {
        report.refuse("spec.room", format!("the room `{room}` has capital letters"));
    }
    if room == "cellar" {
        report.warn("spec.room", "cellars are damp");
    }
}

pub(crate) fn catalogue() -> Catalogue {
    Catalogue::new(Settings::new("home.example.com", "v1.2.0".parse().expect("a version")))
        .resource::<Lamp>()
        .resource::<OldLamp>()
        .resource::<Room>()
}

pub(crate) fn webhook() -> Webhook {
    let bundle = Bundle::of_catalogue(&catalogue()).unwrap_or_else(|errors| panic!("{errors:?}"));
    Webhook::new(bundle).rules([BRIGHTEST, ROOMS]).reads::<Lamp>()
}

/// A lamp of this version and spec, as a server has it.
pub(crate) fn lamp(version: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": format!("home.example.com/{version}"),
        "kind": "Lamp",
        "metadata": {
            "name": "a",
            "namespace": "default",
            "uid": "6e9c1b1c-3a5e-4d0e-9a55-0a4ad6ac8bd5",
            "resourceVersion": "1",
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": spec,
    })
}

/// A review of this operation.
pub(crate) fn review(operation: &str, object: &Value, old: &Value) -> Value {
    let of = |object: &Value| {
        let (group, version) = object["apiVersion"].as_str().unwrap_or_default().split_once('/').unwrap_or_default();
        json!({"group": group, "version": version, "kind": object["kind"]})
    };
    let kind = of(if object.is_null() { old } else { object });
    json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "e911857d-c318-11e8-bbad-025000000001",
            "kind": kind,
            "requestKind": kind,
            "resource": {"group": "home.example.com", "version": "v1", "resource": "lamps"},
            "name": "a",
            "namespace": "default",
            "operation": operation,
            "userInfo": {"username": "admin"},
            "object": object,
            "oldObject": old,
            "dryRun": false,
            "options": {},
        },
    })
}
