//! The matrix of clients: what each client of a bundle finds in each bundle.

use std::collections::BTreeMap;

use crd_model::channel::Channel;
use serde_json::{Value, json};

use crate::made::{data, page, site};

/// A CRD with these API versions, each with a name, whether it is served, and fields of its own.
fn crd(versions: &[(&str, bool, &[&str])]) -> Value {
    let mut crd = crd_testdata::thing_crd(&json!({"type": "object"}), &json!({}));
    let version = |(index, (name, served, fields)): (usize, &(&str, bool, &[&str]))| {
        let properties = fields.iter().map(|field| ((*field).to_owned(), json!({"type": "string"})));
        let schema = json!({"type": "object", "properties": properties.collect::<serde_json::Map<_, _>>()});
        json!({"name": name, "served": served, "storage": index == 0, "schema": {"openAPIV3Schema": schema}})
    };
    crd["spec"]["versions"] = versions.iter().enumerate().map(version).collect();
    crd
}

#[test]
fn each_client_has_a_cell_for_each_bundle_with_its_causes() {
    let alpha = crd(&[("v1alpha1", true, &["a"])]);
    let [served, unserved] =
        [true, false].map(|served| crd(&[("v1", true, &["a", "b"]), ("v1alpha1", served, &["a"])]));
    let releases = [
        BTreeMap::from([(Channel::Standard, vec![]), (Channel::Experimental, vec![alpha])]),
        BTreeMap::from([(Channel::Standard, vec![unserved]), (Channel::Experimental, vec![served])]),
    ];
    let data = data(&page(&site("things", &releases)).html);
    let clients = &data["clients"];
    assert_eq!(clients["bundles"], json!([[0, 0], [0, 1], [1, 0], [1, 1]]));
    let cell = |client: usize, bundle: usize| {
        let index = usize::try_from(clients["rows"][client][bundle].as_u64().unwrap()).unwrap();
        let cell = &clients["cells"][index];
        let causes = cell[1].as_array().unwrap().iter().map(|cause| {
            clients["causes"][usize::try_from(cause.as_u64().unwrap()).unwrap()].as_str().unwrap().to_owned()
        });
        format!("{} {}: {}", cell[0].as_str().unwrap(), cell[2], causes.collect::<Vec<_>>().join("; "))
    };
    let all = (0..4).map(|client| (0..4).map(|bundle| cell(client, bundle)).collect::<Vec<_>>()).collect::<Vec<_>>();
    let absent = "fails 1: Thing is in standard from v1.1.0 on";
    let only_alpha = "fails 1: Thing v1 is served in experimental from v1.1.0 on; served: v1alpha1";
    let expected = [
        // Nothing is in standard yet.
        ["works 0: "; 4],
        [
            "fails 1: only experimental has Thing",
            "works 0: ",
            "fails 1: Thing v1alpha1 is not served in standard since v1.1.0; served: v1",
            "works 0: ",
        ],
        [absent, only_alpha, "works 0: ", "works 0: "],
        [absent, only_alpha, "works 0: ", "works 0: "],
    ];
    assert_eq!(all, expected);
    // Equal texts are there once.
    assert_eq!(clients["cells"].as_array().unwrap().len(), 5);
}

#[test]
fn one_bundle_has_no_matrix() {
    let one = site("things", &[BTreeMap::from([(Channel::Standard, vec![crd(&[("v1", true, &[])])])])]);
    assert_eq!(data(&page(&one).html)["clients"], Value::Null);
}
