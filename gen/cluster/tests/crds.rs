//! CRDs with what a cluster adds to them.

use crd_cluster::{InstalledCrd, Selection};
use serde_json::{Value, json};

use crate::script::{Script, document, ok, status};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=500";

/// The selected CRDs of a cluster with these.
async fn installed(documents: &[Value], selection: Selection) -> Vec<InstalledCrd> {
    let script = Script::new().on(CRDS, [ok(&json!({"items": documents, "metadata": {}}))]);
    script.cluster().await.crds(&selection).await.unwrap()
}

/// The CRD of widgets in another group, with annotations.
fn of_group(group: &str, annotations: &Value) -> Value {
    let mut crd = document();
    crd["metadata"]["name"] = json!(format!("widgets.{group}"));
    crd["metadata"]["annotations"] = annotations.clone();
    crd["spec"]["group"] = json!(group);
    crd
}

#[tokio::test]
async fn a_crd_has_what_the_cluster_added() {
    let applied = "{\"kind\":\"CustomResourceDefinition\"}\n";
    let mut crd = of_group(
        "example.com",
        &json!({"kubectl.kubernetes.io/last-applied-configuration": applied, "example.com/channel": "standard"}),
    );
    crd["metadata"]["labels"] = json!({"app": "x"});
    crd["metadata"]["managedFields"] =
        json!([{"manager": "helm", "operation": "Update", "apiVersion": "apiextensions.k8s.io/v1"}]);
    crd["status"]["storedVersions"] = json!(["v1beta1", "v1"]);
    let found = installed(std::slice::from_ref(&crd), Selection::all()).await;
    let [found] = &*found else { panic!("{found:?}") };
    let read = found.crd.as_ref().unwrap();
    assert_eq!((&*read.name, &*read.versions[0].name, read.versions[0].storage), ("widgets.example.com", "v1", true));
    assert!(read.versions[0].schema.properties.get("spec").is_some());
    assert_eq!(found.stored_versions, ["v1beta1", "v1"]);
    assert_eq!((found.metadata.generation, &*found.metadata.labels["app"]), (Some(3), "x"));
    assert_eq!(found.metadata.managed_fields[0].manager, "helm");
    let condition = found.condition("Established").unwrap();
    assert_eq!((&*condition.status, &*condition.reason), ("True", "InitialNamesAccepted"));
    assert!(found.condition("Terminating").is_none());
    let keys = "kubectl.kubernetes.io/last-applied-configuration".len() + "example.com/channel".len();
    assert_eq!(found.annotation_bytes, keys + applied.len() + "standard".len());
    assert_eq!(found.bytes, crd.to_string().len());
    assert!(found.left_out.is_empty() && found.metadata.deletion_timestamp.is_none());
}

#[tokio::test]
async fn a_crd_that_is_being_deleted_is_read() {
    let mut crd = document();
    crd["metadata"]["deletionTimestamp"] = json!("2026-11-23T19:00:00Z");
    crd["metadata"]["finalizers"] = json!(["customresourcecleanup.apiextensions.k8s.io"]);
    crd["status"]["conditions"] = json!([{"type": "Terminating", "status": "True"}]);
    let found = installed(&[crd], Selection::all()).await;
    assert!(found[0].crd.is_ok());
    assert_eq!(found[0].metadata.deletion_timestamp.as_deref(), Some("2026-11-23T19:00:00Z"));
    assert_eq!(found[0].metadata.finalizers, ["customresourcecleanup.apiextensions.k8s.io"]);
    assert_eq!(found[0].condition("Terminating").unwrap().status, "True");
}

#[tokio::test]
async fn a_crd_that_cannot_be_read_is_part_of_the_result() {
    let mut galaxy = of_group("a.example.com", &json!({}));
    galaxy["spec"]["scope"] = json!("Galaxy");
    let mut list = of_group("b.example.com", &json!({}));
    list["spec"] = json!([]);
    let mut status = of_group("c.example.com", &json!({}));
    status["status"]["storedVersions"] = json!(1);
    let found = installed(
        &[galaxy, list, status, document()],
        Selection { groups: vec!["example.com".to_owned()], prefix: None },
    )
    .await;
    assert_eq!(found.len(), 4);
    let error = found[0].crd.as_ref().unwrap_err();
    assert_eq!(error.code, "cluster::unreadable-crd");
    assert_eq!(
        error.message,
        "the CRD widgets.a.example.com cannot be read: spec.scope: expected Namespaced or Cluster, found \"Galaxy\""
    );
    assert_eq!(error.location.crd.as_ref().unwrap().name, "widgets.a.example.com");
    assert!(found[1].crd.is_err() && found[2].crd.is_err() && found[3].crd.is_ok());
    assert_eq!(found[0].stored_versions, ["v1"]);
}

#[tokio::test]
async fn keywords_of_a_newer_server_are_listed() {
    let mut crd = document();
    crd["spec"]["versions"][0]["newKeyword"] = json!(true);
    let found = installed(&[crd], Selection::all()).await;
    assert!(found[0].crd.is_ok());
    assert_eq!(found[0].left_out, ["spec.versions.[0].newKeyword"]);
}

#[tokio::test]
async fn crds_are_selected_by_group_and_by_stamp() {
    let crds = [
        of_group("a.example.com", &json!({})),
        of_group("example.com", &json!({})),
        of_group("myexample.com", &json!({})),
        of_group("other.net", &json!({"example.com/channel": "standard"})),
        of_group("third.net", &json!({"my.example.com/channel": "standard", "example.commerce/x": "y"})),
    ];
    let names = async |selection| {
        let found = installed(&crds, selection).await;
        found.into_iter().map(|crd| crd.metadata.name).collect::<Vec<_>>()
    };
    assert_eq!(names(Selection::all()).await.len(), 5);
    let group = Selection { groups: vec!["example.com".to_owned()], prefix: None };
    assert_eq!(names(group).await, ["widgets.a.example.com", "widgets.example.com"]);
    let prefix = Selection { groups: Vec::new(), prefix: Some("example.com".to_owned()) };
    assert_eq!(names(prefix).await, ["widgets.other.net"]);
    let both = ["widgets.a.example.com", "widgets.example.com", "widgets.other.net"];
    assert_eq!(names(Selection::prefix("example.com")).await, both);
}

/// A pod of a Job reads the CRDs while another pod creates one.
#[tokio::test]
async fn a_crd_that_is_being_installed_is_awaited() {
    let states = [("False", "Installing"), ("False", "Installing"), ("True", "InitialNamesAccepted")];
    let crd = |(status, reason): (&str, &str)| {
        let established = json!({"type": "Established", "status": status, "reason": reason});
        json!({"metadata": {"name": "widgets.example.com"}, "status": {"conditions": [established]}})
    };
    let lists = states.map(|state| ok(&json!({"items": [crd(state)], "metadata": {}})));
    let crds = Script::new().on(CRDS, lists).cluster().await.crds(&Selection::all()).await.unwrap();
    assert_eq!(crds[0].condition("Established").unwrap().status, "True");
    let one = Script::new().on(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com",
        states.map(|state| ok(&crd(state))),
    );
    let (found, _) = one.cluster().await.crd("widgets.example.com").await.unwrap().unwrap();
    assert_eq!(found.condition("Established").unwrap().status, "True");
}

#[tokio::test]
async fn crds_that_cannot_be_listed_are_one_diagnostic() {
    let message = "customresourcedefinitions.apiextensions.k8s.io is forbidden: User \"me\" cannot list resource";
    let cluster = Script::new().on(CRDS, [status(403, message)]).cluster().await;
    let diagnostic = cluster.crds(&Selection::all()).await.unwrap_err();
    assert_eq!(diagnostic.code, "cluster::forbidden");
    assert!(diagnostic.message.starts_with("no permission to list `customresourcedefinitions.apiextensions.k8s.io`: "));
}
