//! Closes connections whose clients are too slow, and leaves idle ones alone.
//!
//! The timeout of hyper for heads begins when a connection is idle, so it cannot be short: see `server`. Here the time of a head begins with its first
//! byte, and the time of an answer ends when all of it was taken.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What a connection does, and since when: two bits and milliseconds since the connection was opened.
pub(super) struct Pace {
    opened: Instant,
    state: AtomicU64,
    limit: Duration,
}

const IDLE: u64 = 0;
/// The head of a request is being read.
const HEAD: u64 = 1;
/// The request is being answered, which has its own limits.
const ANSWERING: u64 = 2;
/// The answer is being written.
const WRITING: u64 = 3;

impl Pace {
    pub(super) fn new(limit: Duration) -> Self {
        Self { opened: Instant::now(), state: AtomicU64::new(IDLE), limit }
    }

    fn set(&self, phase: u64) {
        let since = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or_default();
        self.state.store(since << 2 | phase, Ordering::Relaxed);
    }

    fn phase(&self) -> u64 {
        self.state.load(Ordering::Relaxed) & 3
    }

    pub(super) fn answering(&self) {
        self.set(ANSWERING);
    }

    pub(super) fn writing(&self) {
        self.set(WRITING);
    }

    /// Returns when a head or an answer takes longer than the limit.
    pub(super) async fn too_slow(&self) {
        loop {
            let state = self.state.load(Ordering::Relaxed);
            let since = Duration::from_millis(state >> 2);
            let waited = match state & 3 {
                HEAD | WRITING => self.opened.elapsed().saturating_sub(since),
                _ => Duration::ZERO,
            };
            match self.limit.checked_sub(waited) {
                Some(rest) if !rest.is_zero() => tokio::time::sleep(rest).await,
                _ => return,
            }
        }
    }
}

/// A stream that records the pace of its client.
pub(super) struct Paced<S> {
    stream: S,
    pace: std::sync::Arc<Pace>,
}

impl<S> Paced<S> {
    pub(super) fn new(stream: S, pace: std::sync::Arc<Pace>) -> Self {
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
