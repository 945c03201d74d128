//! A release of Helm, as its newest Secret has it: the chart, its version, and the values of the user.
//!
//! Invariants: a value of a Secret is in no message. What a Secret unpacks to is limited.
//!
//! Source: `pkg/storage/driver` of Helm: the Secret `sh.helm.release.v1.NAME.vREVISION`, whose `release` is base64 of gzip of JSON.

use std::io::Read;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crd_diagnostics::{Diagnostic, printable};
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::Value;

use crate::cluster::Cluster;
use crate::codes;
use crate::failure::Target;
use crate::requests::{JSON, Message, read};

/// The most bytes that a release may unpack to. Kubernetes gives its Secret 1 MiB.
const MOST_BYTES: u64 = 64 << 20;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct HelmRelease {
    pub chart: HelmChart,
    /// The values that the user gave.
    #[serde(default)]
    pub config: Value,
    #[serde(default, rename = "version")]
    pub revision: u64,
}

/// The chart of a release.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct HelmChart {
    /// Its name and its version.
    pub metadata: HelmChartMetadata,
}

/// What a chart states about itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct HelmChartMetadata {
    pub name: String,
    pub version: String,
}

#[derive(Deserialize)]
struct Secrets {
    items: Vec<Secret>,
}

#[derive(Deserialize)]
struct Secret {
    metadata: crate::metadata::Metadata,
    #[serde(default)]
    data: Value,
}

impl Cluster {
    /// The deployed revision of a release, else its newest one.
    ///
    /// # Errors
    /// A diagnostic if the Secrets cannot be listed, if the release does not exist, or if it cannot be read.
    pub async fn helm_release(&self, namespace: &str, name: &str) -> Result<HelmRelease, Diagnostic> {
        let is_name = |text: &str| {
            !text.is_empty() && text.bytes().all(|one| one.is_ascii_alphanumeric() || b"-.".contains(&one))
        };
        let shown = printable(&format!("{namespace}/{name}"));
        let unknown = |reason: &str| {
            let error = codes::HELM_RELEASE.finding(format!("the release {shown} {reason}"));
            error.help("write `--release NAMESPACE/NAME`; `helm list --all-namespaces` lists releases")
        };
        if !is_name(namespace) || !is_name(name) {
            return Err(unknown("has a malformed name"));
        }
        let path = format!("/api/v1/namespaces/{namespace}/secrets");
        let target = Target { path, verb: "list", resource: Some("secrets".to_owned()) };
        let query = format!("?labelSelector=owner%3Dhelm%2Cname%3D{name}");
        let answer = self.requests.send(&target, &Message::get(&query, JSON)).await;
        let secrets = answer.and_then(|answer| read::<Secrets>(&answer));
        let secrets = secrets.map_err(|failure| failure.diagnostic(&target, &self.requests.server))?.items;
        let label = |secret: &Secret, key: &str| secret.metadata.labels.get(key).cloned().unwrap_or_default();
        let rank = |secret: &&Secret| {
            (label(secret, "status") == "deployed", label(secret, "version").parse::<u64>().unwrap_or_default())
        };
        let secret = secrets.iter().max_by_key(rank).ok_or_else(|| unknown("does not exist"))?;
        decoded(&secret.data["release"]).ok_or_else(|| unknown("cannot be read: its Secret is none of Helm 3 or 4"))
    }
}

/// The release in a value of a Secret.
fn decoded(value: &Value) -> Option<HelmRelease> {
    let inner = STANDARD.decode(value.as_str()?).ok()?;
    let packed = STANDARD.decode(inner).ok()?;
    let mut text = Vec::new();
    GzDecoder::new(&*packed).take(MOST_BYTES + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 <= MOST_BYTES).then(|| serde_json::from_slice(&text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_decoded() {
        let packed = |text: &[u8]| {
            let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
            packer.write_all(text).unwrap();
            Value::from(STANDARD.encode(STANDARD.encode(packer.finish().unwrap())))
        };
        let release = json!({"name": "x", "version": 3, "config": {"a": 1}, "chart": {"metadata": {"name": "c", "version": "1.2.3"}}});
        let read = decoded(&packed(release.to_string().as_bytes())).unwrap();
        assert_eq!((&*read.chart.metadata.name, &*read.chart.metadata.version, read.revision), ("c", "1.2.3", 3));
        assert_eq!(read.config, json!({"a": 1}));
        for wrong in [Value::Null, json!("%"), json!("YQ=="), packed(b"{}"), packed(&vec![b' '; (64 << 20) + 2])] {
            assert_eq!(decoded(&wrong), None);
        }
    }
}
