//! What is asked: the prefix, the target and the objects; and what cannot be read.

use crd_diagnostics::text;
use crd_model::channel::Channel;
use serde_json::json;

use super::case::Case;
use super::cluster::{BUNDLES, installed, path, published, status, widget};
use super::codes::property;

#[tokio::test]
async fn the_prefix_is_the_only_one_of_the_cluster() {
    let mut case = Case::new();
    case.prefix = None;
    assert_eq!(case.inspected().await.report.prefix, "example.com");
    let mut other = installed(published("gadgets", "v1.0.0", "standard"));
    other["metadata"]["name"] = json!("gadgets.other.example.net");
    other["metadata"]["annotations"] = json!({"other.example.net/bundle-version": "v2.0.0"});
    case.cluster.crds.push(other);
    let diagnostic = case.run().await.unwrap_err();
    assert_eq!(diagnostic.message, "the cluster has bundles of several APIs: example.com, other.example.net");
    assert_eq!(diagnostic.help.as_deref(), Some("choose one of them with `--prefix`"));
    case.cluster.crds.clear();
    assert_eq!(case.run().await.unwrap_err().message, "no CRD of the cluster has a bundle version");
    // A CRD of another API is left out if the prefix is clear.
    let mut case = Case::new();
    case.cluster.crds.push(installed(published("gadgets", "v1.0.0", "standard")));
    case.cluster.crds[2]["metadata"] = json!({"name": "gadgets.example.org"});
    assert_eq!(case.inspected().await.report.crds.len(), 2);
}

#[tokio::test]
async fn a_target_is_a_channel_or_a_bundle() {
    let mut case = Case::new();
    assert_eq!(case.inspected().await.report.target, None);
    case.channel = Some(Channel::Standard);
    case.cluster.add(widget("c", &json!({"extra": "x"})));
    let inspected = case.inspected().await;
    assert_eq!(inspected.report.target.as_deref(), Some("v1.0.0 standard"));
    assert_eq!(inspected.lines(), ["c experimental-use spec.extra", "c lost-values spec.extra"]);
    assert_eq!(inspected.message("lost-values"), "v1.0.0 standard drops `spec.extra` of 1 object (shop/c)");
    case.upgrade();
    assert_eq!(case.inspected().await.report.target.as_deref(), Some("v1.1.0 standard"));
    // Without another channel, it is the installed one.
    case.channel = None;
    assert_eq!(case.inspected().await.report.target.as_deref(), Some("v1.1.0 experimental"));
}

#[tokio::test]
async fn the_channel_of_an_unknown_bundle_cannot_be_a_target() {
    let mut case = Case::new();
    case.channel = Some(Channel::Standard);
    case.releases.retain(|(bundle, _), _| bundle == BUNDLES[1]);
    assert_eq!(case.run().await.unwrap_err().message, "the installed bundle v1.0.0 is not known");
    case.cluster.crds.clear();
    assert_eq!(case.run().await.unwrap_err().message, "the installed bundle cannot be read");
}

#[tokio::test]
async fn refusals_of_a_crd_are_in_the_words_of_the_server() {
    let mut case = Case::new();
    case.upgrade()[1]["spec"]["versions"].as_array_mut().unwrap().pop();
    case.cluster.crd("widgets")["status"]["storedVersions"] = json!(["v1beta1", "v1"]);
    let inspected = case.inspected().await;
    assert_eq!(inspected.codes(), ["stored-version-unpruned", "target-refused"]);
    let refused = inspected.finding("target-refused");
    let expected = "the server refuses the CRD of v1.1.0 experimental: status.storedVersions[0]: Invalid value: \"v1beta1\": missing from";
    assert!(refused.message.starts_with(expected), "{refused:?}");
    assert_eq!(refused.help.as_deref(), Some("migrate the objects of that version first"));
    let mut case = Case::new();
    case.upgrade()[1]["spec"]["scope"] = json!("Cluster");
    let inspected = case.inspected().await;
    let refused = inspected.finding("target-refused");
    assert!(refused.message.ends_with("spec.scope: Invalid value: \"Cluster\": field is immutable"), "{refused:?}");
    assert!(!refused.help.as_deref().unwrap().contains("version"), "{refused:?}");
}

#[tokio::test]
async fn without_objects_the_crds_are_reported() {
    let mut case = Case::new();
    case.reads_objects = false;
    case.channel = Some(Channel::Standard);
    case.releases.get_mut(&("v1.0.0".to_owned(), "standard")).unwrap().remove(0);
    property(case.cluster.crd("widgets"), "size")["maximum"] = json!(1);
    let script = case.script();
    let inspected = case.inspected().await;
    assert_eq!(inspected.codes(), ["target-without-crd", "edited"]);
    assert_eq!(inspected.message("target-without-crd"), "v1.0.0 standard does not have it");
    assert!(inspected.report.crds.iter().all(|crd| crd.objects.is_none()));
    assert_eq!(script.requests(), [] as [&str; 0]);
}

/// Each failure is in the report, with the rest of it.
#[tokio::test]
async fn what_cannot_be_read_is_a_failure_and_the_rest_is_reported() {
    let admission = |plural: &str| format!("/apis/admissionregistration.k8s.io/v1/{plural}?limit=500");
    for (path, code) in [
        (admission("validatingadmissionpolicies"), "cluster::forbidden"),
        (admission("validatingadmissionpolicybindings"), "cluster::forbidden"),
        (admission("validatingwebhookconfigurations"), "cluster::forbidden"),
        (path("v1/widgets"), "cluster::forbidden"),
        ("/version".to_owned(), "cluster::forbidden"),
    ] {
        let mut case = Case::new();
        case.cluster.crd("gadgets")["spec"]["names"]["shortNames"] = json!(["g"]);
        case.cluster.answers.insert(path.clone(), status(403, "User \"me\" cannot list this"));
        let inspected = case.inspected().await;
        let failures = inspected.report.failures.iter().map(|failure| failure.code).collect::<Vec<_>>();
        assert_eq!((inspected.codes(), failures), (vec!["edited"], vec![code]), "{path}");
        assert_eq!(inspected.report.crds.len(), 2);
    }
    let mut case = Case::new();
    case.cluster.answers.insert(path("v1/widgets"), status(403, "User \"me\" cannot list this"));
    let inspected = case.inspected().await;
    let objects = inspected.report.crds[1].objects.as_ref().unwrap();
    assert_eq!((objects.is_complete, objects.number), (false, 0));
    let text = text::plain(&inspected.report.failures[0]);
    assert!(text.contains("widgets.example.com"), "{text}");
}

#[tokio::test]
async fn crds_that_cannot_be_listed_end_the_inspection() {
    let mut case = Case::new();
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=500";
    case.cluster.answers.insert(path.to_owned(), status(403, "User \"me\" cannot list this"));
    assert_eq!(case.run().await.unwrap_err().code, "cluster::forbidden");
}

#[tokio::test]
async fn a_crd_that_cannot_be_read_is_a_failure() {
    let mut case = Case::new();
    case.cluster.crd("gadgets")["spec"]["scope"] = json!(1);
    let inspected = case.inspected().await;
    let [failure] = &*inspected.report.failures else { panic!("{:?}", inspected.report.failures) };
    assert_eq!(failure.code, "cluster::unreadable-crd");
    assert_eq!(inspected.codes(), [] as [&str; 0]);
    let crds = inspected.report.crds.iter().map(|crd| (&*crd.name, &*crd.kind, crd.objects.is_some()));
    let expected = [("gadgets.example.com", "", false), ("widgets.example.com", "Widget", true)];
    assert_eq!(crds.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn an_object_that_cannot_be_read_is_a_failure() {
    let mut case = Case::new();
    case.cluster.add(json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": 1}}));
    let inspected = case.inspected().await;
    let codes = inspected.report.failures.iter().map(|failure| failure.code).collect::<Vec<_>>();
    assert_eq!(codes, ["cluster::unreadable-object"]);
    assert!(!inspected.report.crds[1].objects.as_ref().unwrap().is_complete);
}
