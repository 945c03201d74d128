//! A fixed load on the webhook, with the load generator on the same processors.
//!
//! Each request has a time at which it is due. Its latency is counted from then, so that a slow answer also counts for the requests that wait behind it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crd_channels::Channel;
use tempfile::TempDir;
use tokio::time::Instant;

use super::requests::{Connection, post, review};
use super::{Process, write_certificate};
use crate::documents::upstream_examples;
use crate::objects::Case;
use crate::server::{Crds, server};

/// The connections that stay open, as those of some API servers.
const CONNECTIONS: usize = 32;

/// The load of the proof, in requests for each second.
const RATE: usize = 2000;
/// The bar for the 99th percentile.
const BAR: Duration = Duration::from_millis(10);

/// What a load was like.
struct Loaded {
    /// The latencies, lowest first.
    latencies: Vec<Duration>,
    rate: f64,
}

impl Loaded {
    fn percentile(&self, percent: usize) -> Duration {
        self.latencies[(self.latencies.len() * percent / 100).min(self.latencies.len() - 1)]
    }

    fn line(&self, rate: usize) -> String {
        format!(
            "{rate} requests/s asked, {:.0} done: p50 {:.1?}, p99 {:.1?}, max {:.1?} of {} requests",
            self.rate,
            self.percentile(50),
            self.percentile(99),
            self.percentile(100),
            self.latencies.len()
        )
    }
}

/// Sends requests at a fixed rate.
async fn load(process: &Process, ca: &str, requests: &Arc<Vec<Vec<u8>>>, rate: usize, number: usize) -> Loaded {
    let next = Arc::new(AtomicUsize::new(0));
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(Connection::open(process.reviews, ca).await);
    }
    let begun = Instant::now() + Duration::from_millis(50);
    let mut workers = tokio::task::JoinSet::new();
    for mut connection in connections {
        let (next, requests) = (next.clone(), requests.clone());
        workers.spawn(async move {
            let mut latencies = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= number {
                    return latencies;
                }
                let due = begun + Duration::from_nanos((index as u64) * 1_000_000_000 / rate as u64);
                tokio::time::sleep_until(due).await;
                let (status, body) = connection.send(&requests[index % requests.len()]).await;
                assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
                latencies.push(due.elapsed());
            }
        });
    }
    let mut latencies = workers.join_all().await.into_iter().flatten().collect::<Vec<_>>();
    let rate = number as f64 / begun.elapsed().as_secs_f64();
    latencies.sort_unstable();
    Loaded { latencies, rate }
}

/// The reviews of the creation of each HTTPRoute of upstream's examples, and of an update that changes its labels.
fn requests() -> Vec<Vec<u8>> {
    let examples = Channel::ALL.into_iter().flat_map(upstream_examples).map(|example| example.object);
    let routes = examples.filter(|object| object["kind"] == "HTTPRoute");
    let cases = routes.flat_map(|mut route| {
        route["metadata"]["namespace"] = serde_json::json!("default");
        let mut changed = route.clone();
        changed["metadata"]["labels"] = serde_json::json!({"a": "b"});
        [Case::create(&route), Case::update(&route, &changed, false)]
    });
    cases.map(|case| post(review(&case).to_string().as_bytes())).collect()
}

/// The figures are those of one machine. In the proof, they have a bar.
#[test]
fn a_fixed_load_is_answered_in_time() {
    let Some(server) = server(Crds::Experimental) else { return };
    let folder = TempDir::new().expect("a folder");
    let ca = write_certificate(folder.path());
    let process = Process::start(server, Channel::Experimental, folder.path(), "");
    let requests = Arc::new(requests());
    server.block_on(async {
        process.wait_until_ready().await;
        if !crd_testdata::is_proof() {
            let sample = load(&process, &ca, &requests, 100, 500).await;
            println!("{}", sample.line(100));
            return;
        }
        // The first requests fill caches.
        load(&process, &ca, &requests, 500, 1000).await;
        let fixed = load(&process, &ca, &requests, RATE, RATE * 30).await;
        println!(
            "{} HTTPRoutes, {CONNECTIONS} connections, {} bytes each on average",
            requests.len() / 2,
            requests.iter().map(Vec::len).sum::<usize>() / requests.len()
        );
        println!("{}", fixed.line(RATE));
        assert!(fixed.percentile(99) <= BAR, "{}", fixed.line(RATE));
        let mut highest = RATE;
        for rate in (RATE..=40_000).step_by(1000).skip(1) {
            let loaded = load(&process, &ca, &requests, rate, rate * 10).await;
            println!("{}", loaded.line(rate));
            if loaded.percentile(99) > BAR {
                break;
            }
            highest = rate;
        }
        let (_, metrics) = process.probe("/metrics").await.expect("metrics");
        let value = |name: &str| {
            let name = format!("crd_webhook_review_duration_seconds_{name} ");
            let line = metrics.lines().find_map(|line| line.strip_prefix(&*name)).expect("a metric");
            line.parse::<f64>().expect("a number")
        };
        println!(
            "the highest rate with p99 of at most {BAR:?}: {highest} requests/s; from the last byte of a body to its answer: {:.0} us on average; peak memory {} MiB",
            value("sum") / value("count") * 1e6,
            process.peak_mebibytes()
        );
    });
}
