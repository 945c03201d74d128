//! The HTTP server: `/validate` over TLS, and the probes and metrics without.
//!
//! Invariants:
//! * Memory is bounded: by the number of connections, by the bytes of all bodies together, and by the number of reviews that are answered at once.
//! * Every wait has a limit. An idle connection may live longer than API servers keep one (90 s), so that it is the client that closes it: a request
//!   that meets a closing connection fails.
//! * One client does not starve another one: `places` decides who has a place. Probes share nothing with reviews: they have a port, places and a thread of
//!   their own.
//! * HTTP/1.1 only, which is what API servers send to webhooks. A connection has one request at a time, so limits of connections are limits of requests.
//! * A body that is not a review gets an HTTP error with one line of text. No input panics.
//! * In the drain, requests are answered as before, and each answer asks the client to close its connection.

mod pace;
mod places;

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use http::header::{ALLOW, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tokio::time::timeout;
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::server::TlsStream;

use crate::clients::ClientAuthority;
use crate::metrics::Metrics;
use crate::readiness::Readiness;
use crate::review::{self, VALIDATOR, Verdict, Warning};
use crate::reviewer::Reviewer;
use crate::watches::CRDS;
use pace::{Pace, Paced};
use places::{Place, Places};

/// The path of reviews.
pub const PATH: &str = "/validate";

/// The limits of the server, and why they are what they are.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most bytes of one body. A review of an update has two objects; API servers take 3 MiB, and etcd stores 1.5 MiB.
    pub body: usize,
    /// The bytes of a body that need no turn, and the largest body that is answered without a thread of its own. Usual reviews have about 10 KiB. With all
    /// connections, they are a quarter of the memory of a pod as installed.
    pub small: usize,
    /// How many larger bodies are in memory: one is read while another one is checked. A value needs many more bytes in memory than in a body.
    pub large: usize,
    /// How long a larger body may pause in its turn, beyond the time that its bytes need at 16 MB/s. The network of a cluster has 100 MB/s or more.
    pub pause: Duration,
    /// The most values of one body: objects, lists, and their members. The largest objects that etcd stores have fewer.
    pub values: usize,
    /// The most connections for reviews. API servers send a request over each: three servers of which each has 600 requests at once, as they permit without
    /// settings, and two replicas are 900. So only clients that are not API servers reach it; then one of them loses its place.
    pub connections: usize,
    /// The most connections for probes. A kubelet and Prometheus need a few; hundreds give a new one the time for its answer although more follow.
    pub probes: usize,
    /// How long a connection for probes may take for anything. Kubelets wait 2 s as installed.
    pub probe: Duration,
    /// How long a TLS handshake may take. API servers wait 5 s for a webhook, as installed.
    pub handshake: Duration,
    /// How long the head of a request may take from its first byte, the same for its body, and for the writing of the answer. Large bodies of a slow network
    /// need seconds.
    pub part: Duration,
    /// How long a connection may be idle: longer than the 90 s of API servers, see above.
    pub idle: Duration,
    /// How long connections have to end after the drain: longer than the timeout of a webhook as installed.
    pub end: Duration,
    /// How often the files of certificates are read.
    pub poll: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 7 << 20,
            small: 64 << 10,
            large: 2,
            pause: Duration::from_millis(100),
            values: 300_000,
            connections: 1000,
            probes: 256,
            probe: Duration::from_secs(2),
            handshake: Duration::from_secs(5),
            part: Duration::from_secs(10),
            idle: Duration::from_secs(120),
            end: Duration::from_secs(10),
            poll: Duration::from_secs(1),
        }
    }
}

/// How many handshakes are computed at once. A thousand of them must not delay the reviews of open connections.
const HANDSHAKES: usize = 2;
/// How long a connection for reviews keeps its place from the other ones of its peer without use: handshakes and bodies take milliseconds.
const FRESH: Duration = Duration::from_millis(100);
/// The least bytes of a large body in a millisecond.
const RATE: usize = 16_000;
/// How often a client that pauses is looked at.
const SHORTEST: Duration = Duration::from_millis(10);

/// What the process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It answers.
    Serving,
    /// It answers, and asks clients to close their connections.
    Draining,
    /// It accepts no connections, and closes idle ones.
    Ending,
}

/// What all connections share.
pub(crate) struct Server {
    /// Set when the server's minor is known.
    pub(crate) reviewer: OnceLock<Reviewer>,
    pub(crate) readiness: Arc<Readiness>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) limits: Limits,
    pub(crate) phase: watch::Receiver<Phase>,
    /// The places of reviews and of probes.
    places: [Arc<Places>; 2],
    handshakes: Semaphore,
    bodies: Semaphore,
    /// How many large bodies wait for their turn.
    waiting: AtomicUsize,
    large: Arc<Semaphore>,
    /// Nothing until the CA of clients was read.
    pub(crate) tls: ArcSwapOption<rustls::ServerConfig>,
    clients: Option<ClientAuthority>,
}

/// Which paths a listener has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paths {
    Reviews,
    Probes,
}

/// An answer.
type Answer = Response<Full<Bytes>>;

impl Server {
    pub(crate) fn new(
        readiness: Arc<Readiness>,
        metrics: Arc<Metrics>,
        limits: Limits,
        phase: watch::Receiver<Phase>,
        clients: Option<ClientAuthority>,
    ) -> Arc<Self> {
        Arc::new(Self {
            reviewer: OnceLock::new(),
            readiness,
            metrics,
            limits,
            phase,
            places: [Places::new(limits.connections, FRESH), Places::new(limits.probes, Duration::ZERO)],
            handshakes: Semaphore::new(HANDSHAKES),
            bodies: Semaphore::new(limits.large),
            waiting: AtomicUsize::new(0),
            large: Arc::new(Semaphore::new(1)),
            tls: ArcSwapOption::empty(),
            clients,
        })
    }

    /// Answers reviews until the last connection of the phase [`Phase::Ending`] has ended, or its limit is over.
    pub(crate) async fn reviews(self: &Arc<Self>, listener: TcpListener) {
        self.listen(listener, Paths::Reviews).await;
    }

    /// Answers probes until the process ends, in a thread of its own: however busy the threads of reviews are, a probe is answered.
    ///
    /// # Errors
    /// If the system permits no thread.
    pub(crate) fn probes(self: &Arc<Self>, listener: TcpListener) -> std::io::Result<()> {
        let (server, listener) = (self.clone(), listener.into_std()?);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let answer = async move {
            match TcpListener::from_std(listener) {
                Ok(listener) => server.listen(listener, Paths::Probes).await,
                Err(error) => tracing::error!(error = error.to_string(), "probes are not answered"),
            }
        };
        std::thread::Builder::new().name("probes".to_owned()).spawn(move || runtime.block_on(answer)).map(drop)
    }

    async fn listen(self: &Arc<Self>, listener: TcpListener, paths: Paths) {
        let places = &self.places[usize::from(paths == Paths::Probes)];
        let [handshake, part] = match paths {
            Paths::Reviews => [self.limits.handshake, self.limits.part],
            Paths::Probes => [self.limits.probe; 2],
        };
        let (mut phase, mut has_failed) = (self.phase.clone(), false);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = phase.wait_for(|phase| *phase == Phase::Ending) => break,
            };
            let (stream, address) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // The limit of open files, or a connection that ended at once. A flood of them is one line of the log.
                    if !std::mem::replace(&mut has_failed, true) {
                        tracing::warn!(error = error.to_string(), "a connection cannot be accepted");
                    }
                    if let Some(places) = self.places.iter().max_by_key(|places| places.open()) {
                        places.close_one();
                    }
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    continue;
                }
            };
            let Some(place) = places.admit(address.ip(), Arc::new(Pace::new(handshake, part))) else {
                self.metrics.closed_connections.inc();
                continue;
            };
            // Without it, small answers wait for acknowledgements.
            let _ = stream.set_nodelay(true);
            let server = self.clone();
            tokio::spawn(async move {
                let place = Arc::new(place);
                server.metrics.connections.inc();
                tokio::select! {
                    () = server.opened(stream, paths, &place) => {}
                    () = place.pace.too_slow() => {
                        if place.pace.phase() == pace::OPENING {
                            server.metrics.handshake_failures.inc();
                        }
                        server.metrics.closed_connections.inc();
                    }
                }
                server.metrics.connections.dec();
            });
        }
        drop(listener);
        let ended = async {
            while places.open() > 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let _ = timeout(self.limits.end, ended).await;
    }

    /// Serves a connection, after its handshake.
    async fn opened(self: &Arc<Self>, stream: TcpStream, paths: Paths, place: &Arc<Place>) {
        match paths {
            Paths::Probes => self.connection(stream, paths, place).await,
            Paths::Reviews => match self.handshake(stream, place).await {
                Some(stream) => self.connection(stream, paths, place).await,
                None => drop(self.metrics.handshake_failures.inc()),
            },
        }
    }

    /// The handshakes of a peer are computed one after the other, and those of all peers a few at once. Only the computation has a turn, not the wait
    /// for the client.
    async fn handshake(&self, stream: TcpStream, place: &Place) -> Option<TlsStream<TcpStream>> {
        let hello = LazyConfigAcceptor::new(rustls::server::Acceptor::default(), stream).await.ok()?;
        let mut handshake = pin!(hello.into_stream(self.tls.load_full()?));
        let first = {
            let _turns = (place.turns.handshake.acquire().await, self.handshakes.acquire().await);
            std::future::poll_fn(|context| Poll::Ready(handshake.as_mut().poll(context))).await
        };
        let stream = match first {
            Poll::Ready(stream) => stream.ok()?,
            Poll::Pending => handshake.await.ok()?,
        };
        let is_known = self.clients.as_ref().is_none_or(|own| own.accepts(stream.get_ref().1.peer_certificates()));
        is_known.then_some(stream)
    }

    async fn connection(
        self: &Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin,
        paths: Paths,
        place: &Arc<Place>,
    ) {
        place.pace.set(pace::IDLE);
        let service = service_fn(|request: Request<Incoming>| {
            let (server, place) = (self.clone(), place.clone());
            async move {
                place.pace.set(pace::ANSWERING);
                let mut answer = server.answer(request, paths, &place).await;
                if *server.phase.borrow() != Phase::Serving {
                    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                place.pace.set(pace::WRITING);
                Ok::<_, Infallible>(answer)
            }
        });
        let idle = if paths == Paths::Probes { self.limits.probe } else { self.limits.idle };
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(idle)
            .max_headers(64)
            // A head is short, and so are the parts of a body: each connection can have as many bytes as this.
            .max_buf_size(16 << 10)
            .serve_connection(TokioIo::new(Paced::new(stream, place.pace.clone())), service);
        let mut connection = pin!(connection);
        let mut phase = self.phase.clone();
        tokio::select! {
            _ = connection.as_mut() => return,
            _ = phase.wait_for(|phase| *phase == Phase::Ending) => connection.as_mut().graceful_shutdown(),
        }
        let _ = connection.await;
    }

    async fn answer(self: &Arc<Self>, request: Request<Incoming>, paths: Paths, place: &Place) -> Answer {
        let answer = match (paths, request.uri().path()) {
            (Paths::Reviews, PATH) => match *request.method() {
                Method::POST => self.review(request, place).await,
                _ => Err(not_allowed("POST", "reviews are sent by POST")),
            },
            (Paths::Probes, path) if *request.method() != Method::GET => {
                Err(not_allowed("GET", &format!("{path} is read by GET")))
            }
            (Paths::Probes, "/livez") => Ok(text(StatusCode::OK, "ok\n".to_owned())),
            (Paths::Probes, "/readyz") => {
                let status = match self.readiness.is_ready() {
                    true => StatusCode::OK,
                    false => StatusCode::SERVICE_UNAVAILABLE,
                };
                Ok(text(status, self.readiness.text()))
            }
            (Paths::Probes, "/metrics") => {
                let mut answer = text(StatusCode::OK, self.metrics.text(&self.readiness));
                let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
                answer.headers_mut().insert(CONTENT_TYPE, kind);
                Ok(answer)
            }
            (Paths::Reviews, _) => Err(error(StatusCode::NOT_FOUND, &format!("the only path is {PATH}"))),
            (Paths::Probes, _) => Err(error(StatusCode::NOT_FOUND, "the paths are /livez, /readyz and /metrics")),
        };
        answer.unwrap_or_else(|failure| {
            if paths == Paths::Reviews {
                self.metrics.failure(failure.status().as_u16());
            }
            failure
        })
    }

    /// The answer to a review; an HTTP error for what is not one.
    async fn review(self: &Arc<Self>, request: Request<Incoming>, place: &Place) -> Result<Answer, Answer> {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
            return Err(error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "reviews are sent as application/json"));
        }
        let length = request.headers().get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        let Some(length) = length else {
            return Err(error(StatusCode::LENGTH_REQUIRED, "reviews are sent with a Content-Length"));
        };
        let limit = self.limits.body;
        if length > limit {
            return Err(error(StatusCode::PAYLOAD_TOO_LARGE, &format!("a review has at most {limit} bytes")));
        }
        place.pace.set(pace::BODY);
        // The permit is that of a large body, until it is answered.
        let (body, _permit) = self.read(request.into_body(), length, place).await?;
        if body.len() != length {
            return Err(error(StatusCode::BAD_REQUEST, "the body ends too early"));
        }
        place.pace.set(pace::ANSWERING);
        // A value has many more bytes in memory than in the body. Each needs one of these, or is in a text that has one.
        let values = body.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
        if values > self.limits.values {
            let message = format!("a review has at most {} values", self.limits.values);
            return Err(error(StatusCode::PAYLOAD_TOO_LARGE, &message));
        }
        let begun = Instant::now();
        let skew = self.readiness.reason(CRDS);
        let verdict = if body.len() <= self.limits.small {
            self.judged(&body, skew, begun)
        } else {
            // One at a time, in a thread of its own: a large object must not delay small ones.
            let permit = timeout(self.limits.part, self.large.clone().acquire_owned()).await;
            let permit = permit.map_err(|_| busy())?.map_err(|_| busy())?;
            let server = self.clone();
            let judged = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                server.judged(&body, skew, begun)
            });
            judged.await.unwrap_or_else(|_| Err(error(StatusCode::INTERNAL_SERVER_ERROR, "the review failed")))
        };
        verdict.map(|body| {
            place.pace.useful();
            let mut answer = Response::new(Full::new(Bytes::from(body)));
            answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            answer
        })
    }

    /// A body. Its first bytes need no turn: one that is announced and does not arrive holds nothing. From there, bodies take turns, first those of a peer
    /// and then those of all peers; while another one waits, a client that pauses loses its turn.
    async fn read(
        &self,
        mut body: Incoming,
        length: usize,
        place: &Place,
    ) -> Result<(Vec<u8>, Option<SemaphorePermit<'_>>), Answer> {
        let Limits { small, part, pause, .. } = self.limits;
        let (begun, mut bytes, late) = (Instant::now(), Vec::new(), "the body took too long");
        let late = || error(StatusCode::REQUEST_TIMEOUT, late);
        if timeout(part, fill(&mut body, &mut bytes, small)).await.map_err(|_| late())? {
            return Ok((bytes, None));
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let turns = async { (place.turns.body.acquire().await, self.bodies.acquire().await.ok()) };
        let turns = timeout(part.saturating_sub(begun.elapsed()), turns).await;
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        let (_turn, permit) = turns.map_err(|_| busy())?;
        bytes.reserve_exact(length.saturating_sub(bytes.len()));
        let taken = Instant::now();
        loop {
            let needed = Duration::from_millis((bytes.len() / RATE) as u64);
            let rest = pause.saturating_add(needed).saturating_sub(taken.elapsed());
            let next = bytes.len().saturating_add(small);
            match timeout(rest.max(SHORTEST), fill(&mut body, &mut bytes, next)).await {
                Ok(true) => return Ok((bytes, permit)),
                Err(_) if self.waiting.load(Ordering::Relaxed) > 0 || begun.elapsed() >= part => return Err(late()),
                _ => {}
            }
        }
    }

    /// The body of the answer to a review.
    fn judged(&self, body: &[u8], skew: Option<String>, begun: Instant) -> Result<Vec<u8>, Answer> {
        let request = review::Request::read(body)
            .map_err(|why| error(StatusCode::BAD_REQUEST, &format!("this is not a review: {why}")))?;
        let Some(reviewer) = self.reviewer.get() else {
            return Err(error(StatusCode::SERVICE_UNAVAILABLE, "the webhook is not ready"));
        };
        let verdict = match skew {
            None => reviewer.verdict(&request),
            // Requests that arrive before the endpoints follow the readiness: the bundle would refuse valid objects.
            Some(why) => Verdict {
                refusals: Vec::new(),
                warnings: vec![Warning { source: VALIDATOR, text: format!("the object was not checked: {why}") }],
            },
        };
        let is_known = reviewer.has_kind(&request.kind.group, &request.kind.kind);
        self.metrics.review(&request, is_known, &verdict, begun.elapsed());
        if !verdict.is_accepted() {
            log_refusal(&request, &verdict);
        }
        Ok(verdict.body(&request))
    }

    /// Ends the process without failing requests: not ready at once; requests are answered until the endpoints have followed.
    pub(crate) async fn drain(&self, drain: Duration, phase: &watch::Sender<Phase>) {
        self.readiness.shut_down();
        phase.send_replace(Phase::Draining);
        tokio::time::sleep(drain).await;
        phase.send_replace(Phase::Ending);
    }
}

/// Reads more of a body, up to about this length. Returns whether it has ended.
async fn fill(body: &mut Incoming, bytes: &mut Vec<u8>, length: usize) -> bool {
    while bytes.len() <= length {
        let Some(Ok(frame)) = body.frame().await else { return true };
        // Trailers are left out. hyper ends a body at its length.
        if let Ok(data) = frame.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    false
}

fn busy() -> Answer {
    error(StatusCode::SERVICE_UNAVAILABLE, "too many large reviews at once")
}

/// Logs which rules refused what kind of object, and at which fields: nothing of its content.
fn log_refusal(request: &review::Request, verdict: &Verdict) {
    let mut sources = verdict.refusals.iter().map(|refusal| refusal.source).collect::<Vec<_>>();
    sources.dedup();
    tracing::info!(
        uid = request.uid,
        kind = request.kind.kind,
        namespace = request.namespace.as_deref().unwrap_or_default(),
        name = request.name.as_deref().unwrap_or_default(),
        operation = request.operation.word(),
        rules = sources.join(","),
        reasons = verdict.refusals.len(),
        "refused"
    );
}

fn text(status: StatusCode, body: String) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(body)));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}

/// An error. The connection is closed, because its body may not have been read.
fn error(status: StatusCode, message: &str) -> Answer {
    let mut answer = text(status, format!("{message}\n"));
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}

/// The error for another method.
fn not_allowed(allowed: &'static str, message: &str) -> Answer {
    let mut answer = error(StatusCode::METHOD_NOT_ALLOWED, message);
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    answer
}

/// Opens a port. Where the system has no IPv6, `[::]` means all addresses of IPv4.
///
/// # Errors
/// A diagnostic if the system refuses it.
pub(crate) async fn bind(address: SocketAddr, option: &str) -> Result<TcpListener, crd_diagnostics::Diagnostic> {
    let bound = match TcpListener::bind(address).await {
        Err(error) if address.ip() == Ipv6Addr::UNSPECIFIED && error.kind() != ErrorKind::AddrInUse => {
            TcpListener::bind((Ipv4Addr::UNSPECIFIED, address.port())).await.map_err(|_| error)
        }
        bound => bound,
    };
    bound.map_err(|error| {
        let help = match error.kind() {
            ErrorKind::AddrInUse => format!("end the other process, or name another port with `{option}`"),
            _ => format!("name another address with `{option}`"),
        };
        crate::codes::ADDRESS.finding(format!("cannot listen on {address}: {error}")).help(help)
    })
}
