//! How long and how much: every deadline and size.

use std::time::Duration;

/// The limits of all requests to a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Until a connection is open. Default: 5 s.
    pub connect: Duration,
    /// From sending a request to the last byte of its answer. Default: 60 s, which is also the server's own limit.
    pub request: Duration,
    /// Until a credential plugin of the kubeconfig has answered; it may open a browser. Default: 60 s.
    pub credentials: Duration,
    /// How often a request is repeated after a 5xx answer or a broken connection. Default: 3.
    pub retries: u32,
    /// How long one request waits altogether because the server answered 429. Default: 30 s.
    pub waiting: Duration,
    /// The most objects in a page. Default: 500.
    pub page_objects: usize,
    /// The size that a page should have, in bytes: the next page has fewer objects if this page was larger. Default: 4 MiB.
    pub page_bytes: usize,
    /// The most bytes of one answer. A larger page is requested again with fewer objects. Default: 8 MiB.
    pub answer_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            request: Duration::from_secs(60),
            credentials: Duration::from_secs(60),
            retries: 3,
            waiting: Duration::from_secs(30),
            page_objects: 500,
            page_bytes: 4 << 20,
            answer_bytes: 8 << 20,
        }
    }
}
