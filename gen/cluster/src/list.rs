//! Listings, page by page.
//!
//! Invariants: at most one page is in memory, and its size is bounded. An object is given to the caller once. What comes after the failure of a
//! page is never given, so a listing is complete or has a failure.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::failure::{Failure, Target};
use crate::get::Get;
use crate::metadata::{Metadata, WithMetadata, or_default};

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

/// What a listing was like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listed {
    /// How many objects were given to the caller, or could not be read.
    pub(crate) seen: u64,
    /// Whether parts of the listing are of different times, because it expired.
    pub(crate) is_of_several_times: bool,
    /// Why it ended early.
    pub(crate) failure: Option<Failure>,
}

/// An object of a page.
pub(crate) struct Item<'p> {
    /// Its metadata, or why it cannot be read.
    pub(crate) metadata: Result<Metadata, String>,
    /// Its JSON.
    pub(crate) text: &'p str,
}

#[derive(Deserialize)]
struct Page<'p> {
    #[serde(borrow)]
    items: Option<Vec<&'p RawValue>>,
    #[serde(default, deserialize_with = "or_default")]
    metadata: PageMetadata,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageMetadata {
    #[serde(rename = "continue")]
    token: Option<String>,
    remaining_item_count: Option<u64>,
}

/// Lists all objects of a target.
pub(crate) async fn list(
    get: &Get,
    target: &Target,
    on_item: &mut (dyn FnMut(Item<'_>) + Send),
    on_page: &mut (dyn FnMut(Progress) + Send),
) -> Listed {
    let mut listed = Listed::default();
    listed.failure = pages(get, target, &mut listed, on_item, on_page).await.err();
    listed
}

async fn pages(
    get: &Get,
    target: &Target,
    listed: &mut Listed,
    on_item: &mut (dyn FnMut(Item<'_>) + Send),
    on_page: &mut (dyn FnMut(Progress) + Send),
) -> Result<(), Failure> {
    let mut limit = get.limits.page_objects.max(1);
    let mut token: Option<String> = None;
    let mut order = Order::default();
    let mut renewals = 0;
    loop {
        let answer = match get.get(target, &query(limit, token.as_deref())).await {
            Ok(answer) => answer,
            Err(Failure::TooLarge(_)) if limit > 1 => {
                limit = (limit / 4).max(1);
                continue;
            }
            Err(Failure::Status { code: 410, token: Some(new), .. }) if token.is_some() && renewals < MOST_RENEWALS => {
                listed.is_of_several_times = true;
                token = Some(new);
                renewals += 1;
                continue;
            }
            Err(Failure::Status { code: 410, .. }) if token.is_some() && order.begin_again() => {
                listed.is_of_several_times = true;
                token = None;
                continue;
            }
            Err(failure) => return Err(failure),
        };
        renewals = 0;
        let page: Page<'_> = serde_json::from_slice(&answer).map_err(|error| Failure::Unreadable(error.to_string()))?;
        let Some(items) = page.items else {
            // Go writes an empty list as `null`, and every list has metadata.
            return match serde_json::from_slice::<EmptyList>(&answer) {
                Ok(_) => Ok(()),
                Err(_) => Err(Failure::Unreadable("the answer is not a list".to_owned())),
            };
        };
        for item in &items {
            let metadata = serde_json::from_str::<WithMetadata>(item.get());
            let metadata = metadata.map(|item| item.metadata).map_err(|error| error.to_string());
            if !order.is_new(metadata.as_ref().ok().map(Metadata::key)) {
                continue;
            }
            listed.seen += 1;
            on_item(Item { metadata, text: item.get() });
        }
        on_page(Progress { seen: listed.seen, remaining: page.metadata.remaining_item_count });
        let weight = (answer.len() / items.len().max(1)).max(1);
        limit = (get.limits.page_bytes / weight).min(limit.saturating_mul(2)).clamp(1, get.limits.page_objects.max(1));
        match page.metadata.token.filter(|token| !token.is_empty()) {
            None => return Ok(()),
            Some(new) if token.as_ref() == Some(&new) => {
                return Err(Failure::Unreadable("the same page again".to_owned()));
            }
            Some(new) => token = Some(new),
        }
    }
}

/// A list without items.
#[derive(Deserialize)]
struct EmptyList {
    #[serde(rename = "items")]
    _items: (),
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
