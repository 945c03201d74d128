//! The verdict: the validator's, the rules', and warnings.

use std::sync::Arc;

use crd_apiserver::objects::{Request as Asked, Resource};
use crd_model::channel::Channel;
use crd_webhook::{Objects, Request, Reviewer, Verdict, Watched};
use serde_json::{Value, json};

use crate::api::{Lamp, lamp, review, webhook};

fn reviewer(channel: Channel) -> Reviewer {
    Reviewer::prepare(Arc::new(webhook()), channel, 36).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn verdict_of(channel: Channel, review: &Value) -> Verdict {
    reviewer(channel).verdict(&Request::read(review.to_string().as_bytes()).unwrap())
}

fn texts(verdict: &Verdict) -> (Vec<String>, Vec<&str>) {
    let warnings = verdict.warnings.iter().map(|warning| warning.text.as_str()).collect();
    (verdict.refusals.iter().map(ToString::to_string).collect(), warnings)
}

#[test]
fn the_validator_of_the_bundle_decides_creations_updates_and_statuses() {
    let dark = lamp("v1", &json!({"lumens": 0}));
    let bright = lamp("v1", &json!({"lumens": 5}));
    let of = |review: &Value| verdict_of(Channel::Standard, review);
    let too_small = "spec.lumens: Invalid value: 0: spec.lumens in body should be greater than or equal to 1";
    assert_eq!(texts(&of(&review("CREATE", &dark, &Value::Null))), (vec![too_small.to_owned()], vec![]));
    assert_eq!(texts(&of(&review("UPDATE", &dark, &bright))).0, [too_small]);
    // A value that the update leaves as it is.
    assert_eq!(texts(&of(&review("UPDATE", &dark, &dark))).0, Vec::<String>::new());
    let mut old = bright.clone();
    old["status"] = json!({"hours": 9});
    let mut worn = old.clone();
    worn["status"]["hours"] = json!(10);
    let mut of_status = review("UPDATE", &worn, &old);
    of_status["request"]["subResource"] = json!("status");
    let refusals = texts(&of(&of_status)).0;
    assert_eq!(refusals, ["status.hours: Invalid value: 10: hours in body should be less than or equal to 9"]);
    // An update of the object leaves its status.
    assert_eq!(texts(&of(&review("UPDATE", &worn, &old))).0, Vec::<String>::new());
}

#[test]
fn answers_are_those_of_the_validator() {
    let crds = webhook();
    let crd = crds.bundle().crds(Channel::Standard).iter().find(|crd| crd.names.kind == "Lamp").unwrap();
    let resource = Resource::prepare(crd, "v1", 36).unwrap().unwrap();
    for spec in
        [json!({}), json!({"lumens": "x"}), json!({"lumens": 1, "mode": "Blink"}), json!(1), json!({"lumens": 7})]
    {
        let object = lamp("v1", &spec);
        let errors = resource.answer(Asked::create(object.clone())).errors;
        let verdict = verdict_of(Channel::Standard, &review("CREATE", &object, &Value::Null));
        let expected = errors.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(texts(&verdict).0, expected, "{spec}");
    }
}

#[test]
fn what_is_not_an_object_of_the_bundle_is_accepted() {
    let dark = lamp("v1", &json!({"lumens": 0}));
    for review in [
        review("DELETE", &Value::Null, &dark),
        review("CONNECT", &dark, &Value::Null),
        review(
            "CREATE",
            &json!({"apiVersion": "home.example.com/v1", "kind": "Door", "metadata": {"name": "a"}}),
            &Value::Null,
        ),
        review("CREATE", &json!({"apiVersion": "v1", "kind": "Pod"}), &Value::Null),
        {
            let mut of_scale = review("UPDATE", &dark, &dark);
            of_scale["request"]["subResource"] = json!("scale");
            of_scale
        },
    ] {
        assert_eq!(verdict_of(Channel::Standard, &review), Verdict::default(), "{review}");
    }
    let unknown = lamp("v3", &json!({"lumens": 0}));
    let (refusals, warnings) = {
        let verdict = verdict_of(Channel::Standard, &review("CREATE", &unknown, &Value::Null));
        (verdict.refusals.len(), verdict.warnings.iter().map(|warning| warning.text.clone()).collect::<Vec<_>>())
    };
    let expected =
        "the API version v3 of lamps.home.example.com is not known to this webhook, so the object was not validated";
    assert_eq!((refusals, warnings), (0, vec![expected.to_owned()]));
}

#[test]
fn objects_that_are_no_objects_get_an_answer() {
    for object in
        [json!(null), json!(1), json!([]), json!({}), json!({"metadata": 1}), json!({"metadata": {"annotations": 1}})]
    {
        let mut review = review("CREATE", &lamp("v1", &json!({"lumens": 1})), &Value::Null);
        review["request"]["object"] = object.clone();
        let verdict = verdict_of(Channel::Experimental, &review);
        assert!(!verdict.is_accepted(), "{object}");
        review["request"]["operation"] = json!("UPDATE");
        assert!(!verdict_of(Channel::Experimental, &review).is_accepted(), "{object}");
    }
}

#[test]
fn rules_refuse_what_is_new_and_warn_of_what_is_old() {
    let of = |operation: &str, room: &str, old: Option<&str>| {
        let old = old.map(|room| lamp("v1", &json!({"lumens": 5, "room": room}))).unwrap_or_default();
        verdict_of(Channel::Standard, &review(operation, &lamp("v1", &json!({"lumens": 5, "room": room})), &old))
    };
    let refused = "spec.room: the room `Hall` has capital letters [rooms]";
    assert_eq!(texts(&of("CREATE", "Hall", None)), (vec![refused.to_owned()], vec![]));
    assert_eq!(texts(&of("UPDATE", "Hall", Some("hall"))), (vec![refused.to_owned()], vec![]));
    assert_eq!(texts(&of("UPDATE", "Hall", Some("Hall"))), (vec![], vec![refused]));
    assert_eq!(texts(&of("UPDATE", "Hall", Some("Attic"))), (vec![refused.to_owned()], vec![]));
    assert_eq!(texts(&of("CREATE", "cellar", None)), (vec![], vec!["spec.room: cellars are damp [rooms]"]));
    // Of another version of the kind too.
    let verdict = verdict_of(
        Channel::Standard,
        &review("CREATE", &lamp("v1beta1", &json!({"lumens": 5, "room": "Hall"})), &Value::Null),
    );
    assert_eq!(texts(&verdict).0, [refused]);
}

#[test]
fn experimental_fields_values_versions_and_resources_are_warnings() {
    let spec = json!({"lumens": 5, "colour": "red", "mode": "Blink"});
    let verdict = verdict_of(Channel::Experimental, &review("CREATE", &lamp("v1", &spec), &Value::Null));
    assert_eq!(
        texts(&verdict),
        (
            vec![],
            vec![
                "spec.colour: an experimental field, which may change or be removed in any release",
                "spec.mode: the experimental value \"Blink\", which may change or be removed in any release",
            ]
        )
    );
    let room = json!({
        "apiVersion": "home.example.com/v1", "kind": "Room",
        "metadata": {"name": "a", "namespace": "default", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"floor": 1},
    });
    let verdict = verdict_of(Channel::Experimental, &review("CREATE", &room, &Value::Null));
    let expected = "Room is an experimental resource: it may change or be removed in any release";
    assert_eq!(texts(&verdict), (vec![], vec![expected]));
    let quiet = verdict_of(Channel::Experimental, &review("CREATE", &lamp("v1", &json!({"lumens": 5})), &Value::Null));
    assert_eq!(quiet, Verdict::default());
}

#[test]
fn the_version_of_the_users_request_is_what_is_deprecated() {
    let mut of_old = review("CREATE", &lamp("v1", &json!({"lumens": 5})), &Value::Null);
    of_old["request"]["requestKind"]["version"] = json!("v1beta1");
    let verdict = verdict_of(Channel::Standard, &of_old);
    assert_eq!(texts(&verdict), (vec![], vec!["home.example.com/v1beta1 is deprecated; use v1"]));
}

#[test]
fn old_forms_are_found_in_the_object_and_in_the_applied_manifest() {
    let mut object = lamp("v1", &json!({"lumens": 5}));
    let applied = json!({"apiVersion": "home.example.com/v1", "kind": "Lamp", "spec": {"brightness": 5}});
    let annotation = json!({"kubectl.kubernetes.io/last-applied-configuration": applied.to_string()});
    object["metadata"]["annotations"] = annotation;
    let verdict = verdict_of(Channel::Standard, &review("CREATE", &object, &Value::Null));
    let expected = "the applied manifest has the form before v1.1.0: `spec.brightness` is renamed to `spec.lumens`";
    assert_eq!(texts(&verdict), (vec![], vec![expected]));
    object["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = json!("{");
    assert_eq!(verdict_of(Channel::Standard, &review("CREATE", &object, &Value::Null)), Verdict::default());
}

#[test]
fn a_rule_that_needs_objects_is_silent_until_they_were_read() {
    let dim = crd_webhook::Change {
        object: read(&lamp("v1", &json!({"lumens": 1}))),
        old: None,
        namespace: Some("default".to_owned()),
        is_dry_run: false,
    };
    let report = |objects: &Objects| {
        let mut report = crd_webhook::Report::default();
        crate::api::BRIGHTEST.create.unwrap()(&dim, objects, &mut report);
        report.refusals.len()
    };
    let bright = || lamp("v1", &json!({"lumens": 100}));
    assert_eq!(report(&Objects::default()), 0);
    assert_eq!(report(&Objects::default().with::<Lamp>([])), 0);
    assert_eq!(report(&Objects::default().with::<Lamp>([bright()])), 1);
    let mut elsewhere = bright();
    elsewhere["metadata"]["namespace"] = json!("other");
    assert_eq!(report(&Objects::default().with::<Lamp>([elsewhere])), 0);
}

fn read(object: &Value) -> Lamp {
    Lamp::read(object.clone()).unwrap()
}

#[test]
fn a_channel_that_the_bundle_does_not_have_is_an_error() {
    let bundle =
        crd_webhook::Bundle::of_crds("home", "home.example.com", "v1.0.0", Default::default(), None, &[]).unwrap();
    let webhook = Arc::new(crd_webhook::Webhook::new(bundle));
    let errors = Reviewer::prepare(webhook, Channel::Experimental, 36).err().unwrap();
    assert_eq!(errors[0].message, "the bundle v1.0.0 does not have the channel experimental");
    let error =
        crd_webhook::Bundle::of_crds("home", "home.example.com", "1.0", Default::default(), None, &[]).unwrap_err();
    assert_eq!(error[0].code, "webhook::version");
}
