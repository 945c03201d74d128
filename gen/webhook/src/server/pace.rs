//! Closes connections whose clients are too slow or whose place is needed, and leaves idle ones alone.
//!
//! The timeout of hyper for heads begins when a connection is idle, so it cannot be short: see `server`. Here the time of a head begins with its first
//! byte, and the time of an answer ends when all of it was taken.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;

/// What a connection does, and since when: three bits and milliseconds since the connection was opened.
pub(super) struct Pace {
    opened: Instant,
    state: AtomicU64,
    handshake: Duration,
    part: Duration,
    /// A review of this connection was answered.
    is_useful: AtomicBool,
    closed: Notify,
}

pub(super) const OPENING: u64 = 0;
pub(super) const IDLE: u64 = 1;
/// The head of a request is being read.
const HEAD: u64 = 2;
/// The body is being read, which has its own limit.
pub(super) const BODY: u64 = 3;
/// The request is being answered.
pub(super) const ANSWERING: u64 = 4;
/// The answer is being written.
pub(super) const WRITING: u64 = 5;

impl Pace {
    pub(super) fn new(handshake: Duration, part: Duration) -> Self {
        let state = AtomicU64::new(OPENING);
        let (is_useful, closed) = (AtomicBool::new(false), Notify::new());
        Self { opened: Instant::now(), state, handshake, part, is_useful, closed }
    }

    pub(super) fn set(&self, phase: u64) {
        let since = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or_default();
        self.state.store(since << 3 | phase, Ordering::Relaxed);
    }

    pub(super) fn phase(&self) -> u64 {
        self.state.load(Ordering::Relaxed) & 7
    }

    pub(super) fn useful(&self) {
        self.is_useful.store(true, Ordering::Relaxed);
    }

    /// Whether a review was answered, and for how long the connection has waited for its client; nothing while a request is being answered.
    pub(super) fn unused(&self, now: Instant) -> Option<(bool, Duration)> {
        let state = self.state.load(Ordering::Relaxed);
        let waited = now.saturating_duration_since(self.opened).saturating_sub(Duration::from_millis(state >> 3));
        (!matches!(state & 7, ANSWERING | WRITING)).then(|| (self.is_useful.load(Ordering::Relaxed), waited))
    }

    /// Ends the connection.
    pub(super) fn close(&self) {
        self.closed.notify_one();
    }

    /// Returns when a handshake, a head or an answer takes longer than its limit, or the connection has to end.
    pub(super) async fn too_slow(&self) {
        loop {
            let state = self.state.load(Ordering::Relaxed);
            let since = Duration::from_millis(state >> 3);
            let (limit, waited) = match state & 7 {
                OPENING => (self.handshake, self.opened.elapsed()),
                HEAD | WRITING => (self.part, self.opened.elapsed().saturating_sub(since)),
                _ => (self.part, Duration::ZERO),
            };
            let rest = limit.saturating_sub(waited);
            if rest.is_zero() || tokio::time::timeout(rest, self.closed.notified()).await.is_ok() {
                return;
            }
        }
    }
}

/// A stream that records the pace of its client.
pub(super) struct Paced<S> {
    stream: S,
    pace: Arc<Pace>,
}

impl<S> Paced<S> {
    pub(super) fn new(stream: S, pace: Arc<Pace>) -> Self {
        Self { stream, pace }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if buffer.filled().len() > before && self.pace.phase() == IDLE {
            self.pace.set(HEAD);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        if self.pace.phase() == WRITING {
            self.pace.set(IDLE);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
