//! The media types of blobs and artefacts.

pub const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
pub const INDEX: &str = "application/vnd.oci.image.index.v1+json";
/// The empty config, whose bytes are `{}`.
pub const EMPTY: &str = "application/vnd.oci.empty.v1+json";
/// The config of an artefact that Flux reads.
pub const FLUX_CONFIG: &str = "application/vnd.cncf.flux.config.v1+json";
/// Its layer: a `.tar.gz` of manifests of Kubernetes.
pub const FLUX_CONTENT: &str = "application/vnd.cncf.flux.content.v1.tar+gzip";
/// The config of a chart: its `Chart.yaml` as JSON.
pub const HELM_CONFIG: &str = "application/vnd.cncf.helm.config.v1+json";
/// Its layer: the chart as Helm packs it.
pub const HELM_CONTENT: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
/// A Sigstore bundle, as an artefact and as its layer.
pub const SIGSTORE_BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
