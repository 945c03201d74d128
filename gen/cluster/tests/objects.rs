//! What is read of objects.

use crd_cluster::{Limits, ManagedField};
use serde_json::{Value, json};

use crate::script::{Answer, Script, ok, page};

/// A list of these objects.
fn list(items: &[Value]) -> Answer {
    ok(&json!({"items": items, "metadata": {}}))
}

#[tokio::test]
async fn managed_fields_are_typed_and_not_part_of_the_object() {
    let managed = json!([
        {"manager": "kubectl", "operation": "Apply", "apiVersion": "example.com/v1", "time": "2026-11-23T19:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}},
        {"manager": "controller", "operation": "Update", "apiVersion": "example.com/v1beta1", "subresource": "status"},
    ]);
    let widget = json!({"metadata": {"namespace": "shop", "name": "a", "managedFields": managed, "uid": "u"}, "spec": {"size": 1}});
    let bytes = widget.to_string().len();
    let listed = Script::new().on(&page("limit=500"), [list(&[widget])]).widgets(Limits::default()).await;
    let [object] = &*listed.objects else { panic!("{:?}", listed.listing) };
    let expected = json!({"metadata": {"namespace": "shop", "name": "a", "uid": "u"}, "spec": {"size": 1}});
    assert_eq!((&object.value, object.bytes), (&expected, bytes));
    let field = |manager: &str, operation: &str, version: &str| ManagedField {
        manager: manager.to_owned(),
        operation: operation.to_owned(),
        api_version: format!("example.com/{version}"),
        ..ManagedField::default()
    };
    let kubectl = ManagedField { time: Some("2026-11-23T19:00:00Z".to_owned()), ..field("kubectl", "Apply", "v1") };
    let controller =
        ManagedField { subresource: Some("status".to_owned()), ..field("controller", "Update", "v1beta1") };
    assert_eq!(object.metadata.managed_fields, [kubectl, controller]);
}

#[tokio::test]
async fn an_object_that_cannot_be_read_is_reported_and_the_rest_is_read() {
    let deep = (0..200).fold(json!(1), |inner, _| json!({"a": inner}));
    let named = |name: &str, spec: &Value| json!({"metadata": {"name": name}, "spec": spec});
    let items = [named("a", &json!({})), json!({"metadata": {"name": 7}}), named("b", &deep), named("c", &json!({}))];
    let listed = Script::new().on(&page("limit=500"), [list(&items)]).widgets(Limits::default()).await;
    assert_eq!(listed.names(), ["/a", "/c"]);
    assert_eq!((listed.listing.seen, listed.listing.is_complete), (4, true));
    let found =
        listed.listing.diagnostics.iter().map(|diagnostic| (diagnostic.code, &*diagnostic.message)).collect::<Vec<_>>();
    let [first, second] = &*found else { panic!("{found:?}") };
    assert!(
        first.0 == "cluster::unreadable-object" && first.1.starts_with("a Widget (the one after a) cannot be read: "),
        "{first:?}"
    );
    assert!(second.1.starts_with("Widget b cannot be read: recursion limit exceeded"), "{second:?}");
    assert_eq!(listed.listing.diagnostics[1].location.object.as_ref().unwrap().name, "b");
}

#[tokio::test]
async fn null_metadata_is_absent() {
    let metadata = json!({"name": "a", "namespace": null, "annotations": null, "labels": null, "managedFields": null, "finalizers": null});
    let widget = json!({"metadata": metadata});
    let listed = Script::new().on(&page("limit=500"), [list(&[widget])]).widgets(Limits::default()).await;
    assert_eq!((listed.objects.len(), listed.listing.diagnostics.len()), (1, 0), "{:?}", listed.listing);
}
