//! Replicas behind a forwarder, as Pods behind a Service; and a load of requests by which an API server asks them.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kube::Client;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::{PATIENCE, Process, probe, route};
use crate::server::Server;

/// How often readiness is asked for, as by a kubelet.
const PERIOD: Duration = Duration::from_millis(100);

/// A load has more requests than these.
const ENOUGH_ACCEPTED: u64 = 100;
const ENOUGH_DENIED: u64 = 10;

/// An address that new connections may go to.
struct Endpoint {
    reviews: SocketAddr,
    is_ready: Arc<AtomicBool>,
    _follower: JoinSet<()>,
}

/// Forwards each new connection to one of the ready endpoints in turn. Open connections stay where they are.
pub(crate) struct Forwarder {
    pub(crate) address: SocketAddr,
    endpoints: Arc<Mutex<BTreeMap<SocketAddr, Endpoint>>>,
    _listener: JoinSet<()>,
}

impl Forwarder {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address");
        let endpoints = Arc::new(Mutex::new(BTreeMap::<SocketAddr, Endpoint>::new()));
        let known = endpoints.clone();
        let mut accepting = JoinSet::new();
        accepting.spawn(async move {
            let mut connections = JoinSet::new();
            for turn in 0_usize.. {
                let (mut from, _) = listener.accept().await.expect("a connection");
                let ready = known
                    .lock()
                    .expect("not poisoned")
                    .values()
                    .filter(|endpoint| endpoint.is_ready.load(Ordering::Relaxed))
                    .map(|endpoint| endpoint.reviews)
                    .collect::<Vec<_>>();
                let Some(to) = ready.get(turn % ready.len().max(1)).copied() else { continue };
                connections.spawn(async move {
                    let Ok(mut to) = TcpStream::connect(to).await else { return };
                    let _ = from.set_nodelay(true);
                    let _ = to.set_nodelay(true);
                    let _ = tokio::io::copy_bidirectional(&mut from, &mut to).await;
                });
                while connections.try_join_next().is_some() {}
            }
        });
        Self { address, endpoints, _listener: accepting }
    }

    /// Adds a process, and waits until new connections go to it.
    pub(crate) async fn add(&self, process: &Process) {
        let is_ready = Arc::new(AtomicBool::new(false));
        let (probes, follows) = (process.probes, is_ready.clone());
        let mut follower = JoinSet::new();
        follower.spawn(async move {
            loop {
                let found = probe(probes, "/readyz").await;
                follows.store(matches!(found, Some((200, _))), Ordering::Relaxed);
                tokio::time::sleep(PERIOD).await;
            }
        });
        let endpoint = Endpoint { reviews: process.reviews, is_ready: is_ready.clone(), _follower: follower };
        self.endpoints.lock().expect("not poisoned").insert(process.reviews, endpoint);
        while !is_ready.load(Ordering::Relaxed) {
            tokio::time::sleep(PERIOD).await;
        }
    }

    /// Removes a process that has ended.
    pub(crate) fn remove(&self, reviews: SocketAddr) {
        self.endpoints.lock().expect("not poisoned").remove(&reviews);
    }
}

/// Clients of an API server that create objects in dry runs, one after the other.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    accepted: Arc<AtomicU64>,
    denied: Arc<AtomicU64>,
    failures: Arc<Mutex<Vec<String>>>,
    clients: JoinSet<()>,
}

/// What the clients saw.
pub(crate) struct Seen {
    accepted: u64,
    denied: u64,
    /// The answers that were neither as expected.
    failures: Vec<String>,
}

impl Seen {
    /// Whether a request failed.
    pub(crate) fn has_failures(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Prints what was seen during something, in which no request may fail.
    pub(crate) fn check(&self, server: &Server, during: &str) {
        let Self { accepted, denied, failures } = self;
        println!(
            "Kubernetes {}: {during}: {accepted} requests accepted, {denied} denied by the rule, {} failed",
            server.minor(),
            failures.len()
        );
        assert!(failures.is_empty(), "{:#?}", &failures[..failures.len().min(5)]);
        assert!(*accepted > ENOUGH_ACCEPTED && *denied > ENOUGH_DENIED);
    }
}

impl Load {
    fn has_enough(&self) -> bool {
        let number = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let has_failed = !self.failures.lock().expect("not poisoned").is_empty();
        has_failed || (number(&self.accepted) > ENOUGH_ACCEPTED && number(&self.denied) > ENOUGH_DENIED)
    }

    /// Starts clients in a namespace. Every tenth object has a header twice, which only the webhook refuses.
    pub(crate) fn start(client: &Client, namespace: &str, clients: usize) -> Self {
        let path = format!("/apis/gateway.networking.k8s.io/v1/namespaces/{namespace}/httproutes?dryRun=All");
        let load = Self {
            stop: Arc::default(),
            accepted: Arc::default(),
            denied: Arc::default(),
            failures: Arc::default(),
            clients: JoinSet::new(),
        };
        let mut load = load;
        for number in 0..clients {
            let (client, path) = (client.clone(), path.clone());
            let (stop, accepted, denied, failures) =
                (load.stop.clone(), load.accepted.clone(), load.denied.clone(), load.failures.clone());
            load.clients.spawn(async move {
                for round in 0_u64.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let is_bad = round % 10 == 9;
                    let second = if is_bad { "x-a" } else { "x-b" };
                    let headers = json!([{"name": "X-A", "value": "1"}, {"name": second, "value": "1"}]);
                    let object =
                        route(&format!("load-{number}-{round}"), &json!([{"matches": [{"headers": headers}]}]));
                    let answer = post(&client, &path, &object).await;
                    match answer {
                        Ok((201, _)) if !is_bad => drop(accepted.fetch_add(1, Ordering::Relaxed)),
                        Ok((422, text)) if is_bad && text.contains("denied the request") => {
                            denied.fetch_add(1, Ordering::Relaxed);
                        }
                        Ok((code, text)) => failures.lock().expect("not poisoned").push(format!("{code} {text}")),
                        Err(error) => failures.lock().expect("not poisoned").push(error),
                    }
                }
            });
        }
        load
    }

    /// Ends the clients, when they have seen enough.
    pub(crate) async fn stop(mut self) -> Seen {
        let begun = Instant::now();
        while !self.has_enough() && begun.elapsed() < PATIENCE {
            tokio::time::sleep(PERIOD).await;
        }
        self.stop.store(true, Ordering::Relaxed);
        while let Some(ended) = self.clients.join_next().await {
            ended.expect("a client does not panic");
        }
        let failures = std::mem::take(&mut *self.failures.lock().expect("not poisoned"));
        let (accepted, denied) = (self.accepted.load(Ordering::Relaxed), self.denied.load(Ordering::Relaxed));
        Seen { accepted, denied, failures }
    }
}

/// The code and the text of the answer to one request, which is never repeated.
async fn post(client: &Client, path: &str, object: &Value) -> Result<(u16, String), String> {
    let request = http::Request::post(path).header("Content-Type", "application/json");
    let request = request.body(kube::client::Body::from(object.to_string().into_bytes())).expect("a request");
    let response = client.send(request).await.map_err(|error| error.to_string())?;
    let code = response.status().as_u16();
    let bytes = response.into_body().collect_bytes().await.map_err(|error| error.to_string())?;
    Ok((code, String::from_utf8_lossy(&bytes).into_owned()))
}
