//! The content of CRDs: differences from the released CRD in the words of its author, and whose content it is.

use crd_upgrade::inspect::Content;
use serde_json::{Value, json};

use super::case::Case;
use super::cluster::{BUNDLES, installed, published};
use super::codes::property;

/// The differences of the widgets CRD after a change.
async fn differences(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut case = Case::new();
    change(case.cluster.crd("widgets"));
    let inspected = case.inspected().await;
    assert_eq!(inspected.codes(), ["edited"]);
    match &inspected.report.crds[1].content {
        Content::Edited(differences) => differences.clone(),
        content => panic!("{content:?}"),
    }
}

#[tokio::test]
async fn a_difference_has_its_version_path_and_keyword() {
    let found = differences(|crd| {
        property(crd, "size")["maximum"] = json!(100);
        property(crd, "mode")["enum"] = json!(["A"]);
        *property(crd, "items") = json!({"type": "array", "items": {"type": "object"}});
        property(crd, "new")["type"] = json!("string");
        property(crd, "labels")["additionalProperties"]["properties"]["name"]["maxLength"] = json!(5);
        crd["spec"]["versions"][1]["served"] = json!(false);
        crd["spec"]["names"]["shortNames"] = json!(["wd"]);
    });
    assert_eq!(
        found.await,
        [
            r#"names.shortNames is added (["wd"])"#,
            "v1 spec.items[*].name is missing",
            "v1 spec.items[*].weight is missing",
            "v1 spec.labels[*].name.maxLength is added (5)",
            r#"v1 spec.mode.enum is ["A"], released: ["A","B"]"#,
            "v1 spec.new is added",
            "v1 spec.size.maximum is added (100)",
            "v1beta1 served is false, released: true",
        ]
    );
}

#[tokio::test]
async fn versions_are_added_missing_and_in_another_order() {
    let added = differences(|crd| {
        let mut version = crd["spec"]["versions"][0].clone();
        version["name"] = json!("v2");
        version["storage"] = json!(false);
        crd["spec"]["versions"].as_array_mut().unwrap().push(version);
    });
    assert_eq!(added.await, ["the version v2 is added"]);
    let missing = differences(|crd| drop(crd["spec"]["versions"].as_array_mut().unwrap().pop()));
    assert_eq!(missing.await, ["the version v1beta1 is missing"]);
    let order = differences(|crd| crd["spec"]["versions"].as_array_mut().unwrap().reverse());
    assert_eq!(order.await, ["the versions have another order"]);
}

#[tokio::test]
async fn keywords_that_no_crd_has_are_a_difference() {
    let found = differences(|crd| property(crd, "size")["x-unknown"] = json!(true)).await;
    let [only] = &*found else { panic!("{found:?}") };
    assert!(only.contains("size") && only.contains("x-unknown") && only.ends_with("is added"), "{only}");
}

#[tokio::test]
async fn a_message_lists_three_differences_and_shortens_values() {
    let mut case = Case::new();
    for name in ["a", "b", "c", "d"] {
        // The released CRD has no field there.
        property(case.cluster.crd("gadgets"), name)["type"] = json!("string");
    }
    property(case.cluster.crd("widgets"), "mode")["enum"] = json!(["A", "é".repeat(100)]);
    let inspected = case.inspected().await;
    let messages = inspected.report.findings().map(|finding| &*finding.message).collect::<Vec<_>>();
    let added = "v1 spec.a is added; v1 spec.b is added; v1 spec.c is added; and 1 more";
    let long = format!(r#"v1 spec.mode.enum is ["A","{}…, released: ["A","B"]"#, "é".repeat(54));
    assert_eq!(messages, [added, &long].map(|text| format!("its content is not that of v1.0.0 experimental: {text}")));
}

/// A field can have the name of a keyword.
#[tokio::test]
async fn fields_are_not_keywords() {
    let found = differences(|crd| {
        for name in ["items", "properties"] {
            property(crd, name)["properties"] = json!({"schema": {"type": "string"}});
        }
    });
    assert_eq!(found.await, ["v1 spec.items.schema is added", "v1 spec.properties is added"]);
}

#[tokio::test]
async fn texts_labels_and_what_a_server_fills_in_are_no_differences() {
    let mut case = Case::new();
    let crd = case.cluster.crd("widgets");
    crd["metadata"]["labels"] = json!({"team": "a"});
    crd["metadata"]["annotations"]["note"] = json!("x");
    crd["spec"]["conversion"] = json!({"strategy": "None"});
    property(crd, "size")["description"] = json!("other words");
    case.everywhere("gadgets", |crd| {
        if crd["status"].is_null() {
            drop(crd["spec"]["names"].as_object_mut().unwrap().remove("listKind"));
            drop(crd["spec"]["names"].as_object_mut().unwrap().remove("singular"));
        }
    });
    assert_eq!(case.inspected().await.codes(), [] as [&str; 0]);
}

#[tokio::test]
async fn wrong_stamps_name_the_nearest_bundle() {
    let mut case = Case::new();
    for (key, value, code, message) in [
        (
            "bundle-version",
            "v1.1.0",
            "wrong-version",
            "it is stamped v1.1.0 experimental, and has the content of v1.0.0 experimental",
        ),
        (
            "channel",
            "standard",
            "wrong-channel",
            "it is stamped v1.0.0 standard, and has the content of v1.0.0 experimental",
        ),
    ] {
        *case.cluster.crd("widgets") = installed(published("widgets", "v1.0.0", "experimental"));
        case.cluster.crd("widgets")["metadata"]["annotations"][format!("example.com/{key}")] = json!(value);
        let inspected = case.inspected().await;
        assert_eq!(inspected.message(code), message);
        let help = inspected.finding(code).help.as_deref();
        assert_eq!(help, Some("apply the published CRD of the bundle that you want"));
        let others = vec![("v1.0.0".parse().unwrap(), crd_model::channel::Channel::Experimental)];
        assert_eq!(inspected.report.crds[1].content, Content::Other(others));
    }
}

#[tokio::test]
async fn an_unknown_bundle_is_not_compared() {
    let mut case = Case::new();
    case.releases.remove(&("v1.0.0".to_owned(), "experimental"));
    case.releases.remove(&("v1.0.0".to_owned(), "standard"));
    case.cluster.crds.remove(0);
    let inspected = case.inspected().await;
    let expected = "the bundle v1.0.0 is not known, so the content of 1 CRD is not compared: known is v1.1.0";
    assert_eq!(inspected.message("unknown-bundle"), expected);
    assert_eq!(inspected.report.crds[0].content, Content::Unknown);
}

#[tokio::test]
async fn a_crd_of_the_other_channel_is_part_of_the_bundle() {
    let mut case = Case::of("v1.0.0", "standard");
    // Only experimental has gadgets.
    for bundle in BUNDLES {
        case.releases.get_mut(&(bundle.to_owned(), "standard")).unwrap().remove(0);
    }
    *case.cluster.crd("gadgets") = installed(published("gadgets", "v1.0.0", "experimental"));
    assert_eq!(case.inspected().await.codes(), ["mixed-channels"]);
}
