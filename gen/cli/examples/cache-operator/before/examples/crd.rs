//! Prints the CRD of caches.

use kube::CustomResourceExt;

fn main() -> serde_json::Result<()> {
    serde_json::to_writer_pretty(std::io::stdout(), &cache_operator::v1::Cache::crd())
}
