//! What a page did: messages of its console, and requests.

use serde_json::Value;

/// A message of the console, or an error that Chromium reports there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `SEVERE` for errors, `WARNING`, or `INFO`.
    pub level: String,
    /// The place and the text.
    pub text: String,
}

pub(crate) fn messages(entries: &Value) -> Vec<Message> {
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
    let entries = entries.as_array().into_iter().flatten();
    entries.map(|entry| Message { level: text(entry, "level"), text: text(entry, "message") }).collect()
}

/// The addresses that pages asked for, from a log of events. Addresses of the scheme `data` are part of a page, and
/// those of `chrome` are of the browser's own page of a new tab, with which it starts.
pub(crate) fn requests(entries: &Value) -> Vec<String> {
    let events = entries.as_array().into_iter().flatten().filter_map(|entry| entry["message"].as_str());
    let events = events.filter_map(|event| serde_json::from_str::<Value>(event).ok());
    let sent = events.filter(|event| event["message"]["method"] == "Network.requestWillBeSent");
    let addresses = sent.filter_map(|event| event["message"]["params"]["request"]["url"].as_str().map(str::to_owned));
    addresses.filter(|address| !address.starts_with("data:") && !address.starts_with("chrome:")).collect()
}
