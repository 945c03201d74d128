//! What a migration does not do: lose a value, go on after a change by someone else, write an object that is being deleted, or touch a stranger.

use crd_cluster::Cluster;
use crd_convert::Document;
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use crd_upgrade::migrate::{BundlePlan, Migrated, Replacement, Target};
use serde_json::{Value, json};

use super::kills::{OBJECTS, Place, renamed, version};
use super::{FAST, connect, stored_versions, target};
use crate::requests::{CRDS, send, wait_for};
use crate::server::{Crds, Server, server};

async fn go(cluster: &Cluster, target: &Target) -> Result<Migrated, Diagnostic> {
    let crd = target.crds.first().expect("a CRD");
    let plan = BundlePlan::new(cluster, crd, target).await.map_err(|mut blocked| blocked.remove(0))?;
    plan.run(cluster, &FAST, &|_| Ok(()), &mut |_| {}).await
}

async fn place(server: &Server, label: &str) -> Place {
    let place = Place { group: format!("{label}.refusals.test"), client: server.client() };
    place.fill(&place.crd(&[version("v1beta1", true, "old")]), "old").await;
    place
}

/// An object of a place, changed by its user.
async fn edit(place: &Place, name: &str, change: impl FnOnce(&mut Value)) {
    let path = format!("{}/{name}", place.collection("v1beta1"));
    let mut object = send(&place.client, "GET", &path, None).await.expect("read");
    change(&mut object);
    send(&place.client, "PUT", &path, Some(&object)).await.expect("written");
}

#[test]
fn an_object_that_the_target_refuses_waits_for_its_user() {
    let Some(server) = server(Crds::Nothing) else { return };
    server.block_on(async {
        let place = place(server, "blocked").await;
        let cluster = connect(server.client()).await;
        let mut target = renamed(&place);
        let mut document = target.crds[0].to_value();
        let values =
            &mut document["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
        values["new"]["pattern"] = json!("^value [0-9]+$");
        target.crds = vec![CustomResourceDefinition::from_value(&document).expect("a CRD")];
        edit(&place, "thing-07", |object| object["spec"]["old"] = json!("strange")).await;
        let migrated = go(&cluster, &target).await.expect("it runs");
        let [refused] = &*migrated.counts.refused else { panic!("{migrated:?}") };
        assert!(!migrated.is_done() && refused.message.contains("spec.new"), "{refused:?}");
        assert_eq!(stored_versions(&place.client, &place.name()).await, json!(["v1beta1", "v1"]));
        // The transitional CRD has both fields, and the user can repair the object.
        edit(&place, "thing-07", |object| object["spec"]["old"] = json!("value 7")).await;
        assert!(go(&cluster, &target).await.expect("it runs").is_done());
        wait_for(&place.client, &[place.collection("v1")]).await;
        place.expect("v1", "new", "after the repair").await;
    });
}

#[test]
fn a_value_without_a_lens_is_not_dropped() {
    let Some(server) = server(Crds::Nothing) else { return };
    server.block_on(async {
        let place = place(server, "lossless").await;
        let cluster = connect(server.client()).await;
        let no_lenses = json!({"schemaVersion": 1, "generator": "test", "prefix": "example.com", "lenses": []});
        let no_lenses = Document::from_value(&no_lenses).expect("lenses");
        let mut target = target("v1.1.0 standard", renamed(&place).crds, Vec::new(), &no_lenses, &[]);
        let migrated = go(&cluster, &target).await.expect("it runs");
        assert_eq!((migrated.counts.refused.len(), migrated.is_done()), (OBJECTS, false));
        assert!(migrated.counts.refused[0].message.contains("`spec.old` would be lost"));
        place.expect("v1beta1", "old", "nothing is dropped").await;
        target.drops.insert("spec.old".to_owned());
        let migrated = go(&cluster, &target).await.expect("it runs");
        assert!(migrated.is_done() && migrated.forms.dropped["spec.old"] == OBJECTS as u64, "{migrated:?}");
    });
}

#[test]
fn a_change_of_the_crd_by_someone_else_ends_the_migration() {
    let Some(server) = server(Crds::Nothing) else { return };
    server.block_on(async {
        let place = place(server, "changed").await;
        let cluster = connect(server.client()).await;
        let target = renamed(&place);
        edit(&place, "thing-07", |object| object["metadata"]["finalizers"] = json!(["refusals.test/wait"])).await;
        let path = format!("{}/thing-07", place.collection("v1beta1"));
        send(&place.client, "DELETE", &path, None).await.expect("being deleted");
        // It waits at the open stage for the object that is being deleted, which it does not write.
        let before = send(&place.client, "GET", &path, None).await.expect("read");
        let migrated = go(&cluster, &target).await.expect("it runs");
        assert!(migrated.counts.deleting == 1 && !migrated.is_done(), "{migrated:?}");
        let after = send(&place.client, "GET", &path, None).await.expect("read");
        assert_eq!(after["metadata"]["resourceVersion"], before["metadata"]["resourceVersion"]);
        let opened = send(&place.client, "GET", &format!("{CRDS}/{}", place.name()), None).await.expect("read");
        place.change(&place.crd(&[version("v1", true, "old"), version("v1beta1", false, "old")])).await;
        let error = go(&cluster, &target).await.expect_err("changed");
        assert_eq!(error.code, "migrate::crd-changed");
        // The CRD of the stage is restored, and the object is deleted: the migration is completed.
        let restored = CustomResourceDefinition::from_value(&opened).expect("a CRD");
        place.change(&restored).await;
        let mut object = send(&place.client, "GET", &path, None).await.expect("read");
        object["metadata"]["finalizers"] = json!([]);
        send(&place.client, "PUT", &path, Some(&object)).await.expect("written");
        let migrated = go(&cluster, &target).await.expect("it runs");
        assert!(migrated.is_done(), "{migrated:?}");
        assert_eq!(stored_versions(&place.client, &place.name()).await, json!(["v1"]));
        wait_for(&place.client, &[place.collection("v1")]).await;
        let list = send(&place.client, "GET", &place.collection("v1"), None).await.expect("read");
        let items = list["items"].as_array().expect("items");
        assert_eq!(items.len(), OBJECTS - 1);
        assert!(items.iter().all(|item| item["spec"].get("new").is_some()), "{list:#}");
    });
}

/// A CRD of another kind in the group of a place.
fn other_kind(place: &Place) -> CustomResourceDefinition {
    let mut document = place.crd(&[version("v1", true, "new")]).to_value();
    document["metadata"]["name"] = json!(format!("successors.{}", place.group));
    document["spec"]["names"] =
        json!({"kind": "Successor", "listKind": "SuccessorList", "plural": "successors", "singular": "successor"});
    CustomResourceDefinition::from_value(&document).expect("a CRD")
}

#[test]
fn objects_of_a_replaced_resource_get_successors() {
    let Some(server) = server(Crds::Nothing) else { return };
    server.block_on(async {
        let place = place(server, "replaced").await;
        let cluster = connect(server.client()).await;
        let group = &place.group;
        let document = json!({
            "schemaVersion": 1, "generator": "test", "prefix": "example.com",
            "lenses": [{
                "name": "successor", "resource": format!("successors.{group}"), "group": group, "kind": "Successor", "since": "v1.1.0",
                "from": {"apiVersion": format!("{group}/v1beta1"), "kind": "Thing"},
                "to": {"apiVersion": format!("{group}/v1"), "kind": "Successor"},
                "steps": [{"operation": "rename", "from": "spec.old", "to": "spec.new"}],
            }],
        });
        let document = Document::from_value(&document).expect("lenses");
        let target = target("v1.1.0 standard", vec![other_kind(&place)], Vec::new(), &document, &[]);
        assert!(go(&cluster, &target).await.expect("created").is_done());
        let successors = format!("/apis/{group}/v1/namespaces/default/successors");
        wait_for(&place.client, std::slice::from_ref(&successors)).await;
        let stranger = json!({
            "apiVersion": format!("{group}/v1"), "kind": "Successor",
            "metadata": {"name": "thing-03"}, "spec": {"new": "stranger"},
        });
        send(&place.client, "POST", &successors, Some(&stranger)).await.expect("created");
        let (installed, _) = cluster.crd(&place.name()).await.expect("read").expect("installed");
        let replacement = Replacement::of(&installed, &target).expect("readable").expect("replaced");
        let run = async |deletes: bool| {
            replacement.run(&cluster, &FAST, deletes, &|_| Ok(()), &mut |_| {}).await.expect("it runs")
        };
        let codes = |migrated: &Migrated| migrated.counts.refused.iter().map(|refused| refused.code).collect::<Vec<_>>();
        let first = run(false).await;
        assert_eq!((codes(&first), first.counts.written), (vec!["migrate::successor-exists"], OBJECTS as u64 - 1));
        let again = run(false).await;
        assert_eq!((again.counts.written, again.counts.unchanged), (0, OBJECTS as u64 - 1));
        let successor = send(&place.client, "GET", &format!("{successors}/thing-05"), None).await.expect("read");
        assert_eq!(successor["spec"], json!({"new": "value 5", "kept": 5}));
        let path = format!("{}/thing-05", place.collection("v1beta1"));
        let old = send(&place.client, "GET", &path, None).await.expect("read");
        assert_eq!(old["metadata"]["annotations"]["crd-channels/replaced-by"], "Successor");
        // A user changes a successor: its old object is not deleted.
        let mut changed = successor;
        changed["spec"]["new"] = json!("changed");
        send(&place.client, "PUT", &format!("{successors}/thing-05"), Some(&changed)).await.expect("written");
        let deleted = run(true).await;
        assert_eq!(deleted.counts.written, OBJECTS as u64 - 2);
        let mut codes = codes(&deleted);
        codes.sort_unstable();
        assert_eq!(codes, ["migrate::successor-differs", "migrate::successor-exists"]);
        let left = send(&place.client, "GET", &place.collection("v1beta1"), None).await.expect("read");
        let left = left["items"].as_array().expect("items").iter().map(|item| item["metadata"]["name"].clone());
        assert_eq!(left.collect::<Vec<_>>(), [json!("thing-03"), json!("thing-05")]);
        let stranger = send(&place.client, "GET", &format!("{successors}/thing-03"), None).await.expect("read");
        assert_eq!(stranger["spec"], json!({"new": "stranger"}));
    });
}
