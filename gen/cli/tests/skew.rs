//! `skew` with a cluster, and the shape of its document. The text of matrices is in `sessions/skew.txt`.

use std::sync::Arc;

use http::Request;
use serde_json::{Value, json};

use crate::cluster::{BUNDLES, CHANNELS, Cluster, published, status};
use crate::remote::Remote;
use crate::shape;

/// Gadgets are served as v1beta1 until v1.1.0, and only experimental has `extra` of widgets.
const CLIENT: &str = "\
name: fleet-controller
builtFor: { version: v1.0.0, channel: experimental }
kinds:
- { group: example.com, kind: Gadget, versions: [v1beta1] }
- { group: example.com, kind: Widget, versions: [v1, v1beta1] }
- { group: example.com, kind: Lamp, versions: [v1], optional: true }
";

pub(crate) fn setting(cluster: &Cluster) -> Remote {
    let answers = Arc::new(cluster.answers());
    let remote = Remote::new(move |request: Request<Vec<u8>>| {
        let answer = answers.get(&request.uri().to_string()).cloned();
        let (code, body) = answer.unwrap_or_else(|| status(404, "no answer"));
        (code, body.to_string().into_bytes())
    });
    for (bundle, channel) in BUNDLES.iter().flat_map(|bundle| CHANNELS.map(|channel| (bundle, channel))) {
        for plural in ["gadgets", "widgets"] {
            let crd = published(plural, bundle, channel).to_string();
            remote.place.write(&format!("releases/{bundle}/{channel}/{plural}.yaml"), crd);
        }
    }
    remote.place.write("client.yaml", CLIENT);
    remote
}

fn document(remote: &Remote, arguments: &[&str]) -> (i32, Value) {
    let (code, document) = remote.document(&[&["skew"], arguments].concat());
    let schema: Value = serde_json::from_str(include_str!("../schemas/skew.json")).unwrap();
    assert_eq!(shape::errors(&schema, &document), [] as [&str; 0]);
    (code, document)
}

/// What an init container prints.
#[test]
fn a_client_that_fails_on_a_cluster_ends_with_1() {
    let remote = setting(&Cluster::new("v1.1.0", "standard"));
    let arguments = ["skew", "--client", "client.yaml", "--releases", "releases", "--context", "staging"];
    let printed = remote.run(&arguments);
    assert_eq!((printed.code, &*printed.err), (1, ""), "{printed:?}");
    assert_eq!(
        printed.out,
        "\
fleet-controller on http://SERVER (v1.1.0 standard): fails
  Gadget v1beta1 is not served in standard since v1.1.0; served: v1
  only experimental has spec.extra, spec.items[*].weight, spec.labels[*].weight and 1 more of Widget v1
  Lamp is absent
"
    );
}

#[test]
fn a_client_that_works_on_a_cluster_ends_with_0() {
    let remote = setting(&Cluster::new("v1.0.0", "experimental"));
    // Without releases, only API versions and listed fields are compared. A pod has no context.
    let (code, report) = document(&remote, &["--client", "client.yaml", "--context"]);
    assert_eq!(code, 0);
    let verdict = &report["clients"][0]["verdicts"][0];
    assert_eq!(verdict["bundle"], json!({"version": "v1.0.0", "channel": "experimental"}));
    assert_eq!((&verdict["verdict"], &verdict["kinds"][1]["version"]), (&json!("skips"), &json!("v1")));
    let printed = remote.run(&["skew", "--client", "client.yaml", "--context"]);
    assert_eq!(
        printed.err,
        "note: v1.0.0 experimental is not known: only API versions are compared, and listed fields\n"
    );
}

#[test]
fn documents_of_all_forms_have_the_documented_shape() {
    let remote = setting(&Cluster::new("v1.1.0", "standard"));
    let releases = &["--releases", "releases"][..];
    let (code, matrix) = document(&remote, releases);
    assert_eq!((code, matrix["clients"].as_array().map(Vec::len), &matrix["server"]), (0, Some(4), &Value::Null));
    let chosen = ["--client", "client.yaml", "--bundle", "v1.1.0", "--channel", "standard"];
    let (code, chosen) = document(&remote, &[releases, &chosen].concat());
    let (context, cluster) = document(&remote, &[releases, &["--client", "client.yaml", "--context"]].concat());
    assert_eq!((code, context), (1, 1));
    // A cluster with the CRDs of a bundle is that bundle.
    assert_eq!(chosen["clients"], cluster["clients"]);
    let findings = chosen["clients"][0]["verdicts"][0]["findings"].as_array().unwrap();
    let causes = findings.iter().map(|finding| finding["cause"].clone()).collect::<Vec<_>>();
    let cause =
        |form: &str, release: Value, channel: &str| json!({"form": form, "release": release, "channel": channel});
    let since = cause("since", json!("v1.1.0"), "standard");
    assert_eq!(causes, [since, cause("only", Value::Null, "experimental"), Value::Null]);
}

#[test]
fn a_cluster_without_an_answer_is_an_error() {
    let remote = setting(&Cluster::new("v1.1.0", "standard"));
    remote.place.write("kubeconfig", "clusters: 1\n");
    let printed = remote.run(&["skew", "--client", "client.yaml", "--context"]);
    assert_eq!((printed.code, &*printed.out), (2, ""));
    assert!(printed.err.starts_with("error[cluster::kubeconfig]"), "{}", printed.err);
}
