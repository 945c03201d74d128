//! The HTTP server: `/validate` over TLS, and the probes and metrics without.
//!
//! Invariants:
//! * Memory is bounded: by the number of connections, by the bytes of all bodies together, and by the number of reviews that are answered at once.
//! * Every wait has a limit, except that connections above the limit wait for a place. An idle connection may live longer than API servers keep one (90 s), so that it is the client that closes it: a request
//!   that meets a closing connection fails.
//! * A body that is not a review gets an HTTP error with one line of text. No input panics.
//! * In the drain, requests are answered as before, and each answer asks the client to close its connection.

mod pace;

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use http::header::{ALLOW, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::metrics::Metrics;
use crate::readiness::Readiness;
use crate::review::{self, VALIDATOR, Verdict, Warning};
use crate::reviewer::Reviewer;
use crate::watches::CRDS;
use pace::{Pace, Paced};

/// The path of reviews.
pub const PATH: &str = "/validate";

/// The limits of the server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most bytes of one body. A review of an update has two objects; API servers take 3 MiB, and etcd stores 1.5 MiB.
    pub body: usize,
    /// The most bytes of all bodies together.
    pub bodies: usize,
    /// The most values of one body: objects, lists, and their members. The largest objects that etcd stores have fewer.
    pub values: usize,
    /// The most connections. Further ones wait.
    pub connections: usize,
    /// How long a TLS handshake may take.
    pub handshake: Duration,
    /// How long the head of a request may take from its first byte, the same for its body, and for the writing of the answer.
    pub part: Duration,
    /// How long a connection may be idle.
    pub idle: Duration,
    /// How long connections have to end after the drain.
    pub end: Duration,
    /// How often the files of the certificate are read.
    pub poll: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 7 << 20,
            bodies: 16 << 20,
            values: 300_000,
            connections: 1000,
            handshake: Duration::from_secs(5),
            part: Duration::from_secs(10),
            idle: Duration::from_secs(120),
            end: Duration::from_secs(10),
            poll: Duration::from_secs(1),
        }
    }
}

/// A body of at most so many bytes is answered without a thread of its own.
const SMALL: usize = 128 << 10;
/// The unit of the semaphore for bodies.
const KIB: usize = 1 << 10;

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
    bodies: Semaphore,
    large: Arc<Semaphore>,
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
    ) -> Arc<Self> {
        let bodies = Semaphore::new(limits.bodies.div_ceil(KIB));
        let large = Arc::new(Semaphore::new(1));
        Arc::new(Self { reviewer: OnceLock::new(), readiness, metrics, limits, phase, bodies, large })
    }

    /// Answers reviews until the last connection of the phase [`Phase::Ending`] has ended, or its limit is over.
    pub(crate) async fn reviews(self: &Arc<Self>, listener: TcpListener, tls: Arc<rustls::ServerConfig>) {
        let acceptor = TlsAcceptor::from(tls);
        self.listen(listener, Paths::Reviews, Some(acceptor)).await;
    }

    /// Answers probes until the process ends.
    pub(crate) async fn probes(self: &Arc<Self>, listener: TcpListener) {
        self.listen(listener, Paths::Probes, None).await;
    }

    async fn listen(self: &Arc<Self>, listener: TcpListener, paths: Paths, acceptor: Option<TlsAcceptor>) {
        let permits = Arc::new(Semaphore::new(self.limits.connections));
        let mut phase = self.phase.clone();
        loop {
            let accepted = async {
                // A closed semaphore does not occur: it is never closed.
                let permit = permits.clone().acquire_owned().await;
                (permit, listener.accept().await)
            };
            let (permit, accepted) = tokio::select! {
                accepted = accepted => accepted,
                _ = phase.wait_for(|phase| *phase == Phase::Ending) => break,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // The limit of open files, or a connection that ended at once.
                    tracing::warn!(error = error.to_string(), "a connection cannot be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            // Without it, small answers wait for acknowledgements.
            let _ = stream.set_nodelay(true);
            let (server, acceptor) = (self.clone(), acceptor.clone());
            tokio::spawn(async move {
                let _permit = permit;
                server.metrics.connections.inc();
                match acceptor {
                    None => server.connection(stream, paths).await,
                    Some(acceptor) => match timeout(server.limits.handshake, acceptor.accept(stream)).await {
                        Ok(Ok(stream)) => server.connection(stream, paths).await,
                        Ok(Err(_)) | Err(_) => drop(server.metrics.handshake_failures.inc()),
                    },
                }
                server.metrics.connections.dec();
            });
        }
        drop(listener);
        let all = u32::try_from(self.limits.connections).unwrap_or(u32::MAX);
        let _ = timeout(self.limits.end, permits.acquire_many(all)).await;
    }

    async fn connection(self: &Arc<Self>, stream: impl AsyncRead + AsyncWrite + Unpin, paths: Paths) {
        let pace = Arc::new(Pace::new(self.limits.part));
        let service = service_fn(|request: Request<Incoming>| {
            let (server, pace) = (self.clone(), pace.clone());
            async move {
                pace.answering();
                let mut answer = server.answer(request, paths).await;
                if *server.phase.borrow() != Phase::Serving {
                    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                pace.writing();
                Ok::<_, Infallible>(answer)
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.idle)
            .max_headers(64)
            .max_buf_size(64 << 10)
            .serve_connection(TokioIo::new(Paced::new(stream, pace.clone())), service);
        let mut connection = std::pin::pin!(connection);
        let mut phase = self.phase.clone();
        tokio::select! {
            _ = connection.as_mut() => return,
            () = pace.too_slow() => {
                self.metrics.closed_connections.inc();
                return;
            }
            _ = phase.wait_for(|phase| *phase == Phase::Ending) => connection.as_mut().graceful_shutdown(),
        }
        tokio::select! {
            _ = connection => {}
            () = pace.too_slow() => drop(self.metrics.closed_connections.inc()),
        }
    }

    async fn answer(self: &Arc<Self>, request: Request<Incoming>, paths: Paths) -> Answer {
        let answer = match (paths, request.uri().path()) {
            (Paths::Reviews, PATH) => match *request.method() {
                Method::POST => self.review(request).await,
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
    async fn review(self: &Arc<Self>, request: Request<Incoming>) -> Result<Answer, Answer> {
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
        let permits = u32::try_from(length.div_ceil(KIB)).unwrap_or(u32::MAX);
        let busy = || error(StatusCode::SERVICE_UNAVAILABLE, "too many large reviews at once");
        let permits = timeout(self.limits.part, self.bodies.acquire_many(permits)).await;
        let _permits = permits.map_err(|_| busy())?.map_err(|_| busy())?;
        let body = match timeout(self.limits.part, read(request.into_body(), length)).await {
            Ok(Some(body)) => body,
            Ok(None) => return Err(error(StatusCode::BAD_REQUEST, "the body ends too early")),
            Err(_) => return Err(error(StatusCode::REQUEST_TIMEOUT, "the body took too long")),
        };
        // A value has many more bytes in memory than in the body. Each needs one of these, or is in a text that has one.
        let values = body.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
        if values > self.limits.values {
            let message = format!("a review has at most {} values", self.limits.values);
            return Err(error(StatusCode::PAYLOAD_TOO_LARGE, &message));
        }
        let begun = Instant::now();
        let skew = self.readiness.reason(CRDS);
        let verdict = if body.len() <= SMALL {
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
            let mut answer = Response::new(Full::new(Bytes::from(body)));
            answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            answer
        })
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

/// All bytes of a body of this length, each kept once; nothing if the body ends early.
async fn read(mut body: Incoming, length: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length);
    while let Some(frame) = body.frame().await {
        // Trailers are left out. hyper ends a body at its length.
        if let Ok(data) = frame.ok()?.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    (bytes.len() == length).then_some(bytes)
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
