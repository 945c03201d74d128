//! The one type that sends requests.
//!
//! Invariants: the client is private to this file. GET is the only method, except for what [`crate::Writer`] sends. A request is repeated only if
//! it failed for a moment: 429 as the server asks, 5xx and broken connections a few times. So every write must be safe to repeat.

use std::time::Duration;

use http::{Method, Request};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::failure::{Failure, Target};
use crate::limits::Limits;

/// The pause before the first repetition; each of the next is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The pause after 429, if the server does not name one.
const BUSY_PAUSE: Duration = Duration::from_secs(1);

/// The most bytes of an answer that is not a success.
const MOST_ERROR_BYTES: usize = 64 << 10;

/// The type of answers, and of bodies that are whole objects.
pub(crate) const JSON: &str = "application/json";

/// What an answer contains.
pub(crate) fn read<'a, T: Deserialize<'a>>(answer: &'a [u8]) -> Result<T, Failure> {
    serde_json::from_slice(answer).map_err(|error| Failure::Unreadable(error.to_string()))
}

/// A client with its limits.
pub(crate) struct Requests {
    client: Client,
    /// The limits of every request.
    pub(crate) limits: Limits,
    /// The address of the server, for messages.
    pub(crate) server: String,
}

pub(crate) struct Message<'m> {
    pub(crate) method: Method,
    /// The query, which may be empty.
    pub(crate) query: &'m str,
    /// The type of the answer.
    pub(crate) accept: &'m str,
    /// The type of the body.
    pub(crate) content: &'m str,
    pub(crate) body: Vec<u8>,
}

impl<'m> Message<'m> {
    pub(crate) fn get(query: &'m str, accept: &'m str) -> Self {
        Self { method: Method::GET, query, accept, content: JSON, body: Vec::new() }
    }
}

impl Requests {
    pub(crate) fn new(client: Client, limits: Limits, server: String) -> Self {
        Self { client, limits, server }
    }

    /// What the answer to a GET contains.
    pub(crate) async fn get<T: DeserializeOwned>(&self, target: &Target) -> Result<T, Failure> {
        read(&self.send(target, &Message::get("", JSON)).await?)
    }

    /// The answer to a message.
    pub(crate) async fn send(&self, target: &Target, message: &Message<'_>) -> Result<Vec<u8>, Failure> {
        let (mut failed, mut waited) = (0_u32, Duration::ZERO);
        loop {
            let failure = match tokio::time::timeout(self.limits.request, self.once(target, message)).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(failure)) => failure,
                Err(_) => Failure::Slow(self.limits.request),
            };
            let pause = match &failure {
                Failure::Status { code: 429, retry_after, .. } => {
                    let pause = retry_after.unwrap_or(BUSY_PAUSE).max(FIRST_PAUSE);
                    waited = waited.saturating_add(pause);
                    (waited <= self.limits.waiting).then_some(pause)
                }
                Failure::Status { code: 500 | 502..=504, .. } | Failure::Unreachable(_) => {
                    let doubled = 1 << failed.min(6);
                    failed = failed.saturating_add(1);
                    (failed <= self.limits.retries).then(|| FIRST_PAUSE.saturating_mul(doubled))
                }
                _ => None,
            };
            match pause {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Err(failure),
            }
        }
    }

    async fn once(&self, target: &Target, message: &Message<'_>) -> Result<Vec<u8>, Failure> {
        let address = format!("{}{}", target.path, message.query);
        let mut request = Request::builder().method(&message.method).uri(address).header("Accept", message.accept);
        if message.method != Method::GET {
            request = request.header("Content-Type", message.content);
        }
        let request = request.body(Body::from(message.body.clone()));
        let request = request.map_err(|error| Failure::Unreadable(error.to_string()))?;
        let of_error = |error: kube::Error| Failure::of_error(&error, self.limits.connect);
        let response = self.client.send(request).await.map_err(of_error)?;
        let status = response.status();
        let retry_after =
            response.headers().get("Retry-After").and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let most = if status.is_success() { self.limits.answer_bytes } else { MOST_ERROR_BYTES };
        let (mut body, mut bytes) = (response.into_body(), Vec::new());
        while let Some(frame) = body.frame().await {
            // Trailers are left out.
            let Ok(data) = frame.map_err(of_error)?.into_data() else { continue };
            if data.len() > most.saturating_sub(bytes.len()) {
                match status.is_success() {
                    true => return Err(Failure::TooLarge(most)),
                    false => break,
                }
            }
            bytes.extend_from_slice(&data);
        }
        match status.is_success() {
            true => Ok(bytes),
            false => Err(Failure::of_answer(status.as_u16(), retry_after.map(Duration::from_secs), &bytes)),
        }
    }
}
