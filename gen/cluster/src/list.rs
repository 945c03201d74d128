//! Listings, page by page.
//!
//! Invariants: at most one page is in memory, and its size is bounded. An object is given to the caller once. What comes after the failure of a
//! page is never given, so a listing is complete or has a failure.

use std::fmt::Write as _;

use crd_diagnostics::Diagnostic;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::failure::{Failure, Target};
use crate::metadata::{Metadata, WithMetadata, or_default, or_unknown};
use crate::requests::{JSON, Message, Requests, read};
use crate::resource::Resource;

/// How often in a row a server may replace an expired token.
const MOST_RENEWALS: u32 = 3;

/// How far a listing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many objects were read.
    pub seen: u64,
    /// How many objects follow, if the server reports it.
    pub remaining: Option<u64>,
}

/// An object of a page.
pub(crate) struct Item<'p> {
    /// Its metadata, or why it cannot be read.
    pub(crate) metadata: Result<Metadata, String>,
    pub(crate) text: &'p str,
}

#[derive(Deserialize)]
struct Page<'p> {
    /// Go writes an empty list as `null`. Without items, the answer is not a list.
    #[serde(borrow, deserialize_with = "or_default")]
    items: Vec<&'p RawValue>,
    #[serde(default, deserialize_with = "or_default")]
    metadata: PageMetadata,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageMetadata {
    #[serde(rename = "continue")]
    token: Option<String>,
    #[serde(default, deserialize_with = "or_unknown")]
    remaining_item_count: Option<u64>,
}

/// Gives all objects of a resource.
pub(crate) async fn list(
    requests: &Requests,
    resource: &Resource,
    on_item: &mut (dyn FnMut(Item<'_>) + Send),
) -> Result<(), Diagnostic> {
    let mut pages = Pages::new(requests, resource.all(), JSON);
    while pages.next(on_item).await?.is_some() {}
    Ok(())
}

/// A listing of which the caller requests page after page.
pub(crate) struct Pages<'r> {
    requests: &'r Requests,
    target: Target,
    /// The type of the answers.
    accept: &'static str,
    /// The most objects of the next page.
    pub(crate) limit: usize,
    next: Next,
    order: Order,
    /// How many objects were given, or could not be read.
    pub(crate) seen: u64,
    /// Whether parts of the listing are of different times, because it expired.
    pub(crate) is_of_several_times: bool,
}

/// What the next request is.
enum Next {
    First,
    /// The page of this token.
    Token(String),
    End,
}

impl<'r> Pages<'r> {
    pub(crate) fn new(requests: &'r Requests, target: Target, accept: &'static str) -> Self {
        let limit = requests.limits.page_objects.max(1);
        let (next, order) = (Next::First, Order::default());
        Self { requests, target, accept, limit, next, order, seen: 0, is_of_several_times: false }
    }

    /// Whether all pages were given.
    pub(crate) fn is_at_end(&self) -> bool {
        matches!(self.next, Next::End)
    }

    /// Gives the objects of the next page; nothing after the last one.
    pub(crate) async fn next(
        &mut self,
        on_item: &mut (dyn FnMut(Item<'_>) + Send),
    ) -> Result<Option<Progress>, Diagnostic> {
        self.page(on_item).await.map_err(|failure| failure.diagnostic(&self.target, &self.requests.server))
    }

    async fn page(&mut self, on_item: &mut (dyn FnMut(Item<'_>) + Send)) -> Result<Option<Progress>, Failure> {
        let next = match std::mem::replace(&mut self.next, Next::End) {
            Next::First => None,
            Next::Token(token) => Some(token),
            Next::End => return Ok(None),
        };
        let (answer, token) = self.answer(next).await?;
        let page: Page<'_> = read(&answer)?;
        for item in &page.items {
            let metadata = serde_json::from_str::<WithMetadata>(item.get());
            let metadata = metadata.map(|item| item.metadata).map_err(|error| error.to_string());
            if !self.order.is_new(metadata.as_ref().ok().map(Metadata::key)) {
                continue;
            }
            self.seen = self.seen.saturating_add(1);
            on_item(Item { metadata, text: item.get() });
        }
        let limits = &self.requests.limits;
        let weight = answer.len().checked_div(page.items.len()).unwrap_or_default().max(1);
        let most = limits.page_objects.max(1);
        self.limit =
            limits.page_bytes.checked_div(weight).unwrap_or_default().min(self.limit.saturating_mul(2)).clamp(1, most);
        match page.metadata.token.filter(|token| !token.is_empty()) {
            None => {}
            new if new == token => return Err(Failure::Unreadable("the same page again".to_owned())),
            Some(new) => self.next = Next::Token(new),
        }
        Ok(Some(Progress { seen: self.seen, remaining: page.metadata.remaining_item_count }))
    }

    /// The page of a token, or the first one, and the token of the request that succeeded: a request is repeated with fewer objects or another token
    /// where that can help.
    async fn answer(&mut self, mut token: Option<String>) -> Result<(Vec<u8>, Option<String>), Failure> {
        let mut renewals = 0_u32;
        loop {
            let query = query(self.limit, token.as_deref());
            match self.requests.send(&self.target, &Message::get(&query, self.accept)).await {
                Ok(answer) => return Ok((answer, token)),
                Err(Failure::TooLarge(_)) if self.limit > 1 => self.limit = (self.limit / 4).max(1),
                Err(Failure::Status { code: 410, token: Some(new), .. })
                    if token.is_some() && renewals < MOST_RENEWALS =>
                {
                    self.is_of_several_times = true;
                    renewals = renewals.saturating_add(1);
                    token = Some(new);
                }
                Err(Failure::Status { code: 410, .. }) if token.is_some() && self.order.begin_again() => {
                    self.is_of_several_times = true;
                    token = None;
                }
                Err(failure) => return Err(failure),
            }
        }
    }
}

/// Which objects were given, when a listing begins again: a server orders them by namespace and name.
#[derive(Default)]
struct Order {
    last: String,
    is_disturbed: bool,
    /// The last object that was given before.
    given: Option<String>,
}

impl Order {
    /// Whether the object was not given before. An object without a readable name has no key.
    fn is_new(&mut self, key: Option<String>) -> bool {
        let Some(key) = key else { return self.given.as_ref().is_none_or(|given| *given < self.last) };
        if self.given.as_ref().is_some_and(|given| key <= *given) {
            return false;
        }
        self.is_disturbed |= key <= self.last;
        self.last = key;
        true
    }

    /// Whether the listing can begin again: once, and only if the objects were in order.
    fn begin_again(&mut self) -> bool {
        let can_begin = self.given.is_none() && !self.is_disturbed;
        self.given = Some(self.last.clone());
        can_begin
    }
}

/// The query of a page.
fn query(limit: usize, token: Option<&str>) -> String {
    let mut query = format!("?limit={limit}");
    if let Some(token) = token {
        query.push_str("&continue=");
        for byte in token.bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => query.push(char::from(byte)),
                // Writing to a String cannot fail.
                _ => drop(write!(query, "%{byte:02X}")),
            }
        }
    }
    query
}
