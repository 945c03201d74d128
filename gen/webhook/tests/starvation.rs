//! Clients that hold connections and bodies: the reviews and probes of other clients are answered.
//!
//! Invariant: what a hostile client does is data. Addresses of the loopback network are peers.

use std::io::{BufRead, BufReader, Read};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, setrlimit};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crd_webhook::Limits;

use crate::api::{lamp, review};
use crate::cluster::{Cluster, Content};
use crate::running::{Answer, NAME, Running, patient, post};
use crate::tls::{BOTH, trusting};

/// The peer of honest reviews, and of what a kubelet asks.
const HONEST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn peer(number: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, number).into()
}

fn small() -> String {
    post(&review("CREATE", &lamp("v1", &json!({"lumens": 5})), &Value::Null).to_string())
}

fn large() -> String {
    let text = "x".repeat(2 << 20);
    post(&review("CREATE", &lamp("v1", &json!({"lumens": 5, "room": text})), &Value::Null).to_string())
}

fn head(length: usize) -> String {
    format!("POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n")
}

async fn tcp(from: IpAddr, to: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    socket.connect(to).await
}

/// A client of a webhook.
#[derive(Clone)]
struct Client {
    connector: TlsConnector,
    reviews: SocketAddr,
}

impl Client {
    fn new(certificate: &CertificateDer<'static>, reviews: SocketAddr) -> Self {
        let config = trusting(certificate, &BOTH).with_no_client_auth();
        Self { connector: TlsConnector::from(Arc::new(config)), reviews }
    }

    async fn open(&self, from: IpAddr) -> std::io::Result<TlsStream<TcpStream>> {
        let stream = tcp(from, self.reviews).await?;
        stream.set_nodelay(true)?;
        self.connector.connect(ServerName::try_from(NAME).unwrap(), stream).await
    }

    /// Whether a review over a new connection is answered.
    async fn is_answered(&self, from: IpAddr, request: &str) -> bool {
        let Ok(mut stream) = self.open(from).await else { return false };
        is_answered(&mut stream, request).await
    }
}

async fn is_answered(stream: &mut TlsStream<TcpStream>, request: &str) -> bool {
    stream.write_all(request.as_bytes()).await.is_ok()
        && Answer::read(stream).await.is_some_and(|answer| answer.body.contains("\"allowed\":true"))
}

/// Limits of time that no test reaches: what has to wait for them hangs.
async fn running(limits: Limits) -> (Running, Client) {
    let running = Running::ready(&Cluster::new(Content::default()), limits).await;
    let client = Client::new(&running.certificate, running.addresses.reviews);
    (running, client)
}

/// How many bytes are announced and sent, over how many connections, and whether large bodies of the same peer get a turn soon.
const BODIES: [(usize, usize, usize, bool); 5] = [
    (7 << 20, 1, 4, true),
    (7 << 20, 1, 60, true),
    (7 << 20, 1 << 20, 4, true),
    (100 << 10, 90 << 10, 100, false),
    (60 << 10, 50 << 10, 100, true),
];

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_do_not_end_leave_room() {
    // The same address, as behind a proxy, and another one.
    for (hostile, (announced, sent, connections, is_soon)) in
        [HONEST, peer(2)].into_iter().flat_map(|hostile| BODIES.map(|bodies| (hostile, bodies)))
    {
        let (_running, client) = running(Limits { pause: Limits::default().pause, ..patient() }).await;
        let mut open = Vec::new();
        for _ in 0..connections {
            let mut stream = client.open(hostile).await.unwrap();
            stream.write_all(head(announced).as_bytes()).await.unwrap();
            open.push(tokio::spawn(async move {
                let _ = stream.write_all(&vec![b' '; sent]).await;
                std::future::pending::<()>().await;
            }));
        }
        for request in [small(), large(), small()] {
            let size = request.len();
            if hostile == HONEST && size > 1 << 20 && !is_soon {
                continue;
            }
            assert!(client.is_answered(HONEST, &request).await, "{hostile} {announced} {sent} {connections}: {size}");
        }
        open.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

/// Bodies that arrive together wait for each other, and all are answered.
#[tokio::test(flavor = "multi_thread")]
async fn large_reviews_of_one_peer_are_all_answered() {
    let (_running, client) = running(patient()).await;
    let request = Arc::new(large());
    let mut reviews = tokio::task::JoinSet::new();
    for _ in 0..24 {
        let (client, request) = (client.clone(), request.clone());
        reviews.spawn(async move { client.is_answered(HONEST, &request).await });
    }
    assert_eq!(reviews.join_all().await, [true; 24]);
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_lose_their_places_and_used_ones_keep_them() {
    let limits = Limits { connections: 16, probes: 16, ..patient() };
    for hostile in [HONEST, peer(2)] {
        let (running, client) = running(limits).await;
        let mut used = client.open(HONEST).await.unwrap();
        assert!(is_answered(&mut used, &small()).await);
        let (mut idle, mut of_probes) = (Vec::new(), Vec::new());
        for number in 0..32 {
            // With and without a handshake.
            match number % 2 {
                0 => idle.push(client.open(hostile).await.map(|stream| stream.into_inner().0).unwrap()),
                _ => idle.push(tcp(hostile, client.reviews).await.unwrap()),
            }
            of_probes.push(tcp(hostile, running.addresses.probes).await.unwrap());
            // Connections that are not older than this are in use, for the other ones of their peer.
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(is_answered(&mut used, &small()).await, "{hostile}");
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(client.is_answered(HONEST, &small()).await, "{hostile}");
        assert_eq!(running.probe("/livez").await.0, 200);
        // The first ones are closed.
        assert_eq!(idle[1].read(&mut [0]).await.unwrap_or_default(), 0);
        assert_eq!(of_probes[0].read(&mut [0]).await.unwrap_or_default(), 0);
    }
}

/// Set in the process of a webhook: its limit of open files.
const FILES: &str = "CRD_WEBHOOK_TEST_FILES";

/// Prints the addresses and the certificate folder of a webhook, and ends with its standard input.
#[test]
#[ignore = "the process that other tests start"]
fn process() {
    let files = std::env::var(FILES).unwrap().parse::<u64>().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let running = Running::ready(&Cluster::new(Content::default()), Limits::default()).await;
        setrlimit(Resource::Nofile, Rlimit { current: Some(files), maximum: Some(files) }).unwrap();
        let addresses = running.addresses;
        println!("\nrunning: {} {} {}", addresses.reviews, addresses.probes, running.folder.path().display());
        tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await.unwrap().unwrap();
    });
}

/// A webhook in a process of its own.
struct Process {
    child: Child,
    /// Open, so that the process can print.
    _output: BufReader<ChildStdout>,
    client: Client,
    probes: SocketAddr,
}

impl Process {
    fn start(files: u64) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["starvation::process", "--exact", "--ignored", "--nocapture"])
            .env(FILES, files.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut lines = output.by_ref().lines().map_while(Result::ok);
        let line = lines.find_map(|line| line.strip_prefix("running: ").map(str::to_owned)).unwrap();
        let words = line.split(' ').collect::<Vec<_>>();
        let pem = std::fs::read(format!("{}/tls.crt", words[2])).unwrap();
        let certificate = CertificateDer::from_pem_slice(&pem).unwrap();
        let client = Client::new(&certificate, words[0].parse().unwrap());
        Self { child, _output: output, client, probes: words[1].parse().unwrap() }
    }

    /// The most memory that it has used, in MiB.
    fn peak_mebibytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
    }

    async fn is_alive(&self) -> bool {
        let Ok(mut stream) = tcp(HONEST, self.probes).await else { return false };
        let _ = stream.write_all(b"GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
        Answer::read(&mut stream).await.is_some_and(|answer| answer.status == 200)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn open_files_that_run_out_are_taken_from_idle_connections() {
    let process = Process::start(64);
    let mut open = Vec::new();
    for _ in 0..128 {
        open.push(tcp(peer(2), process.client.reviews).await.unwrap());
    }
    assert!(process.client.is_answered(HONEST, &small()).await);
    assert!(process.is_alive().await);
}

/// What a hostile connection does after it is open: whether it has a handshake, its first bytes, and how many bytes follow every 100 ms.
fn hostile(number: usize) -> (bool, Vec<u8>, usize) {
    match number % 7 {
        0 => (false, Vec::new(), 0),
        1 => (false, vec![0x16, 3, 1, 2, 0, 1], 0),
        2 => (true, Vec::new(), 0),
        3 => (true, b"POST /validate HTTP/1.1\r\nHost:".to_vec(), 1),
        4 => (true, [head(7 << 20).into_bytes(), vec![b' ']].concat(), 0),
        5 => (true, [head(100 << 10).into_bytes(), vec![b' '; 90 << 10]].concat(), 1),
        _ => (true, [head(7 << 20).into_bytes(), vec![b' '; 512 << 10]].concat(), 100),
    }
}

/// Opens a hostile connection again and again.
async fn attack(client: Client, from: IpAddr, number: usize, is_over: Arc<AtomicBool>, opened: Arc<AtomicUsize>) {
    let (is_tls, first, bytes) = hostile(number);
    while !is_over.load(Ordering::Relaxed) {
        opened.fetch_add(1, Ordering::Relaxed);
        // One that is refused is tried again soon, not at once: the machine is also that of the honest client.
        if is_tls {
            if let Ok(stream) = client.open(from).await {
                hold(stream, &first, bytes, &is_over).await;
            }
        } else if let Ok(stream) = tcp(from, client.reviews).await {
            hold(stream, &first, bytes, &is_over).await;
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
}

/// Holds a connection until it is closed.
async fn hold(
    mut stream: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    first: &[u8],
    bytes: usize,
    is_over: &AtomicBool,
) {
    let _ = tokio::time::timeout(Duration::from_secs(1), stream.write_all(first)).await;
    let mut answer = [0; 256];
    while !is_over.load(Ordering::Relaxed) {
        match tokio::time::timeout(Duration::from_millis(100), stream.read(&mut answer)).await {
            Ok(Ok(0) | Err(_)) => return,
            Ok(Ok(_)) => {}
            Err(_) if bytes == 0 => {}
            Err(_) => {
                drop(tokio::time::timeout(Duration::from_millis(100), stream.write_all(&vec![b' '; bytes])).await)
            }
        }
    }
}

/// The latencies of reviews over a connection that stays open, as that of an API server, and now and then a new one; and how many failed.
async fn honest(client: &Client, worker: usize, reviews: usize) -> (Vec<Duration>, usize) {
    let (request, mut latencies, mut failed, mut open) = (small(), Vec::new(), 0, None);
    for number in 0..reviews {
        let begun = Instant::now();
        if open.is_none() || number % 10 == worker {
            open = client.open(HONEST).await.ok();
        }
        let is_done = match &mut open {
            Some(stream) => is_answered(stream, &request).await,
            None => false,
        };
        match is_done {
            true => latencies.push(begun.elapsed()),
            false => (failed, open) = (failed + 1, None),
        }
        tokio::time::sleep_until((begun + Duration::from_millis(20)).into()).await;
    }
    (latencies, failed)
}

/// Many hostile connections of one address, and slow bodies of ten more. All of them run on the processors of the server.
#[tokio::test(flavor = "multi_thread")]
async fn honest_reviews_are_answered_in_time() {
    let is_proof = crd_testdata::is_proof();
    let (of_one, of_each, reviews) = if is_proof { (2000, 20, 4000) } else { (100, 2, 100) };
    let most = rustix::process::getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }).unwrap();
    let process = Process::start(4096);
    let (is_over, opened) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let mut attacks = tokio::task::JoinSet::new();
    let begin = |attacks: &mut tokio::task::JoinSet<()>, from, number| {
        attacks.spawn(attack(process.client.clone(), from, number, is_over.clone(), opened.clone()));
    };
    for number in 0..of_one {
        begin(&mut attacks, peer(2), number);
    }
    for number in 0..of_each * 10 {
        begin(&mut attacks, peer(3 + u8::try_from(number % 10).unwrap()), 4 + number / 10 % 3);
    }
    tokio::time::sleep(Duration::from_secs(if is_proof { 10 } else { 0 })).await;
    let (client, number) = (process.client.clone(), reviews / 4);
    // In a thread of its own, so that the time of hostile clients is not that of reviews.
    let honest = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(futures_util::future::join_all((0..4).map(|worker| honest(&client, worker, number))))
    });
    let (mut latencies, mut failed) = (Vec::new(), 0);
    for (each, more) in honest.await.unwrap() {
        latencies.extend(each);
        failed += more;
    }
    let is_alive = process.is_alive().await;
    let peak = process.peak_mebibytes();
    is_over.store(true, Ordering::Relaxed);
    attacks.abort_all();
    latencies.sort_unstable();
    let at = |percent: usize| latencies[(latencies.len() * percent / 100).min(latencies.len() - 1)];
    println!(
        "{of_one} connections of one address and {} slow bodies of ten, opened {} times: {} honest reviews, {failed} failed, p50 {:.1?}, p99 {:.1?}, max {:.1?}; peak memory {peak} MiB",
        of_each * 10,
        opened.load(Ordering::Relaxed),
        latencies.len(),
        at(50),
        at(99),
        at(100),
    );
    assert!(failed == 0 && is_alive, "{failed} failed, alive: {is_alive}");
    assert!(!is_proof || at(99) <= Duration::from_millis(50), "{:?}", at(99));
    assert!(!is_proof || peak < 256, "{peak} MiB");
}
