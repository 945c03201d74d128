//! The objects: what they use, how they are counted, and who writes them.

use crd_diagnostics::Severity;
use crd_model::channel::Channel;
use serde_json::{Value, json};

use super::case::{Case, Inspected};
use super::cluster::{managed, widget};
use super::codes::property;

/// Inspects a cluster with these widgets, named `w0`, `w1`, ….
async fn with(mut case: Case, specs: impl IntoIterator<Item = Value>) -> Inspected {
    let widgets = specs.into_iter().enumerate().map(|(index, spec)| widget(&format!("w{index}"), &spec));
    case.cluster.objects.insert("v1/widgets".to_owned(), widgets.collect());
    case.inspected().await
}

/// The uses of a spec.
async fn uses(spec: Value) -> Vec<String> {
    let lines = with(Case::new(), [spec]).await.lines();
    lines.into_iter().map(|line| line.strip_prefix("w0 experimental-use ").unwrap().to_owned()).collect()
}

#[tokio::test]
async fn experimental_fields_and_values_are_found_wherever_they_are() {
    assert_eq!(uses(json!({"extra": "x"})).await, ["spec.extra"]);
    let items = json!({"items": [{"name": "a"}, {"weight": 1}, {"weight": 0}]});
    assert_eq!(uses(items).await, ["spec.items[1].weight", "spec.items[2].weight"]);
    assert_eq!(uses(json!({"labels": {"a": {"weight": 1}, "b": {"name": "x"}}})).await, ["spec.labels.a.weight"]);
    assert_eq!(uses(json!({"mode": "B"})).await, [r#"spec.mode "B""#]);
    assert_eq!(uses(json!({"mode": "A", "size": 1})).await, [] as [&str; 0]);
    assert_eq!(uses(json!({"extra": null})).await, [] as [&str; 0]);
    assert_eq!(uses(json!({"items": {"weight": 1}, "labels": [1]})).await, [] as [&str; 0]);
}

#[tokio::test]
async fn a_value_that_a_default_put_there_is_no_use() {
    assert_eq!(uses(json!({"theme": {"level": 1}})).await, [] as [&str; 0]);
    assert_eq!(uses(json!({"theme": {"level": 2}})).await, ["spec.theme.level"]);
}

#[tokio::test]
async fn values_beyond_the_enum_of_standard_are_experimental() {
    let mut case = Case::new();
    let free = |crd: &mut Value| drop(property(crd, "mode").as_object_mut().unwrap().remove("enum"));
    case.releases.get_mut(&("v1.0.0".to_owned(), "experimental")).unwrap().iter_mut().skip(1).for_each(free);
    free(case.cluster.crd("widgets"));
    let inspected = with(case, [json!({"mode": "A"}), json!({"mode": "free"})]).await;
    assert_eq!(inspected.lines(), [r#"w1 experimental-use spec.mode "free""#]);
    let expected = r#"the value "free" of `spec.mode` is experimental, and used by 1 object (shop/w1)"#;
    assert_eq!(inspected.message("experimental-use"), expected);
}

/// Standard has no such version, so its storage version shows what it lacks.
#[tokio::test]
async fn objects_of_a_version_that_only_experimental_has_are_compared_with_the_storage_version_of_standard() {
    let mut case = Case::new();
    let rename = |crd: &mut Value| crd["spec"]["versions"][0]["name"] = json!("v2");
    case.releases.get_mut(&("v1.0.0".to_owned(), "experimental")).unwrap().iter_mut().skip(1).for_each(rename);
    rename(case.cluster.crd("widgets"));
    case.cluster.crd("widgets")["status"]["storedVersions"] = json!(["v2"]);
    let mut object = widget("c", &json!({"extra": "x", "size": 1}));
    object["metadata"]["managedFields"] = json!([]);
    case.cluster.objects.insert("v2/widgets".to_owned(), vec![object]);
    assert_eq!(case.inspected().await.lines(), ["c experimental-use spec.extra"]);
}

#[tokio::test]
async fn an_experimental_resource_is_used_by_all_of_its_objects() {
    let mut case = Case::new();
    case.releases.get_mut(&("v1.0.0".to_owned(), "standard")).unwrap().remove(1);
    let inspected = with(case, [json!({"extra": "x"})]).await;
    assert_eq!(inspected.lines(), ["w0 experimental-use"]);
    let expected = "the resource is experimental, and has 1 object (shop/w0)";
    assert_eq!(inspected.message("experimental-use"), expected);
}

#[tokio::test]
async fn a_finding_names_three_objects_and_counts_each_once() {
    for (number, expected) in [
        (3, "3 objects (shop/w0, shop/w1, shop/w2)"),
        (4, "4 objects (shop/w0, shop/w1, shop/w2 and 1 more)"),
        (600, "600 objects (shop/w0, shop/w1, shop/w2 and 597 more)"),
    ] {
        let spec = json!({"items": [{"weight": 1}, {"weight": 2}]});
        let inspected = with(Case::new(), vec![spec; number]).await;
        let expected = format!("`spec.items[*].weight` is experimental, and used by {expected}");
        assert_eq!(inspected.message("experimental-use"), expected);
        assert_eq!((inspected.report.objects(), inspected.objects.len()), (number as u64, number));
    }
}

#[tokio::test]
async fn a_finding_about_one_object_has_it_as_its_location() {
    let one = with(Case::new(), [json!({"extra": "x"})]).await;
    let location = &one.finding("experimental-use").location;
    let crd = location.crd.as_ref().unwrap();
    assert_eq!((&*crd.name, crd.version.as_deref(), &*crd.path), ("widgets.example.com", Some("v1"), "spec.extra"));
    assert_eq!(location.object.as_ref().unwrap().to_string(), "Widget shop/w0");
    let two = with(Case::new(), [json!({"extra": "x"}), json!({"extra": "x"})]).await;
    assert_eq!(two.finding("experimental-use").location.object, None);
}

/// Memory does not grow with the number of different paths.
#[tokio::test]
async fn different_findings_are_bounded_and_objects_are_not() {
    let mut case = Case::new();
    case.upgrade();
    let labels = |index: usize| json!({"labels": {format!("key{index}"): {"gone": 1}}});
    let inspected = with(case, (0..1500).map(labels)).await;
    assert_eq!(inspected.codes().iter().filter(|code| **code == "lost-values").count(), 1000);
    assert_eq!(inspected.message("uncounted"), "500 more findings about objects are not counted");
    assert_eq!(inspected.objects.len(), 1500);
}

#[tokio::test]
async fn clients_are_counted_by_how_they_write() {
    let mut case = Case::new();
    for (widget, time) in ["2026-01-02T00:00:00Z", "2026-03-02T00:00:00Z"].into_iter().enumerate() {
        let mut old = managed("old-operator", "v1beta1");
        old["time"] = json!(time);
        let mut status = managed("operator", "v1");
        status["subresource"] = json!("status");
        let fields = &mut case.cluster.objects.get_mut("v1/widgets").unwrap()[widget]["metadata"]["managedFields"];
        fields.as_array_mut().unwrap().extend([old, status]);
    }
    let inspected = case.inspected().await;
    let objects = inspected.report.crds[1].objects.as_ref().unwrap();
    let client = |(client, writes): (&crd_cluster::ManagedField, &crd_upgrade::inspect::Writes)| {
        let subresource = client.subresource.as_deref().unwrap_or("-");
        format!("{} {} {subresource} {}", client.manager, client.api_version, writes.objects)
    };
    assert_eq!(
        objects.clients.iter().map(client).collect::<Vec<_>>(),
        ["operator example.com/v1 - 2", "operator example.com/v1 status 2", "old-operator example.com/v1beta1 - 2"]
    );
    assert_eq!(
        inspected.message("client-version"),
        "old-operator writes through example.com/v1beta1, which is deprecated: 2 objects, last at 2026-03-02T00:00:00Z"
    );
}

#[tokio::test]
async fn clients_are_bounded() {
    let mut case = Case::new();
    for index in 0..1200 {
        let mut object = widget(&format!("w{index}"), &json!({}));
        object["metadata"]["managedFields"] = json!([managed(&format!("client-{index:04}"), "v1")]);
        case.cluster.add(object);
    }
    let report = case.inspected().await.report;
    let objects = report.crds[1].objects.as_ref().unwrap();
    assert_eq!((objects.clients.len(), objects.more_clients), (1000, 201));
}

#[tokio::test]
async fn clients_of_versions_that_are_gone_or_not_served_are_reported() {
    let states = [("v1alpha1", "which the CRD does not have"), ("v1beta1", "which is not served")];
    for (version, state) in states {
        let mut case = Case::of("v1.1.0", "experimental");
        let mut gadget = widget("g", &json!({}));
        gadget["kind"] = json!("Gadget");
        gadget["metadata"]["managedFields"] = json!([managed("old-operator", version)]);
        case.cluster.objects.insert("v1/gadgets".to_owned(), vec![gadget]);
        let inspected = case.inspected().await;
        let message = inspected.message("client-version");
        assert!(message.contains(&format!("example.com/{version}, {state}: 1 object")), "{message}");
    }
}

#[tokio::test]
async fn lenses_are_for_the_installed_bundle_or_for_the_target() {
    for (since, target, expected) in [
        ("v1.0.0", false, vec!["w0 old-form  title-to-text"]),
        ("v1.0.0", true, vec!["w0 old-form  title-to-text", "w0 lost-values spec.title"]),
        ("v1.1.0", false, vec![]),
        ("v1.1.0", true, vec!["w0 converted  title-to-text", "w0 lost-values spec.title"]),
        ("v1.2.0", true, vec!["w0 lost-values spec.title"]),
    ] {
        let mut case = Case::new();
        case.rename(since);
        if target {
            case.upgrade();
        }
        assert_eq!(
            with(case, [json!({"title": "x"}), json!({"text": "x"})]).await.lines(),
            expected,
            "{since} {target}"
        );
    }
}

#[tokio::test]
async fn a_resource_that_the_target_does_not_have_is_a_reason_to_act_only_with_objects() {
    for (specs, expected) in [(vec![], Severity::Note), (vec![json!({})], Severity::Warning)] {
        let mut case = Case::new();
        case.channel = Some(Channel::Standard);
        case.releases.get_mut(&("v1.0.0".to_owned(), "standard")).unwrap().remove(1);
        let number = specs.len();
        let inspected = with(case, specs).await;
        let finding = inspected.finding("target-without-crd");
        assert_eq!(finding.severity, expected);
        let objects = if number == 1 { "1 object" } else { "0 objects" };
        assert_eq!(finding.message, format!("v1.0.0 standard does not have it; it has {objects}"));
    }
}
