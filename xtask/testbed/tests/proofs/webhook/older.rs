//! A webhook with CRDs of an older release: it is ready, and warns.

use crd_channels::Channel;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Process, write_certificate};
use crate::requests::send;
use crate::server::{Crds, start};

/// Its ReferenceGrants are served in v1beta1 only, and it has no ListenerSet.
const OLDER: &str = "v1.4.0";

#[test]
fn with_older_crds_it_is_ready_and_warns() {
    let Some(server) = start(Crds::Nothing) else { return };
    let folder = TempDir::new().expect("a folder");
    write_certificate(folder.path());
    let client = server.client();
    server.block_on(async {
        for file in crd_testdata::gateway_api(OLDER, "standard") {
            let mut crd: Value = file.json();
            let annotations = &mut crd["metadata"]["annotations"];
            annotations["gateway.networking.k8s.io/bundle-version"] = json!(OLDER);
            annotations["gateway.networking.k8s.io/channel"] = json!("standard");
            annotations["api-approved.kubernetes.io"] = json!("https://github.com/kubernetes-sigs/gateway-api/pull/1");
            let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
            send(&client, "POST", path, Some(&crd)).await.expect(file.path);
        }
        let process = Process::start(&server, Channel::Standard, folder.path(), "");
        process.wait_until_ready().await;
        let (_, text) = process.probe("/readyz").await.expect("an answer");
        for line in [
            format!("[+] crds: warning: the CRDs are of {OLDER}, and this webhook is of v1.7.0: update the CRDs ("),
            "[+] cache of referencegrants.gateway.networking.k8s.io: warning: rules that need these objects are silent: the server does not serve referencegrants in v1\n".to_owned(),
            "[+] cache of listenersets.gateway.networking.k8s.io\n".to_owned(),
        ] {
            assert!(text.contains(&line), "{line} is not in\n{text}");
        }
    });
}
