//! The answers of the server for many CRD documents.
//!
//! Invariants: the server validates fields strictly, as for `kubectl`. A dry run creates nothing. Causes are sorted, because the server reports
//! them in any order, and do not contain names that differ between answers.

use std::sync::Arc;

use kube::Client;
use serde_json::Value;
use tokio::task::JoinSet;

use crate::requests::{CRDS, send};
use crate::server::Server;

/// The answer of the server for a document; empty if it accepts it.
pub(crate) type Causes = Vec<Cause>;

/// One reason for which the server refuses a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cause {
    /// The location; empty if the server could not read the document.
    pub(crate) place: String,
    /// The server's message.
    pub(crate) words: String,
}

/// The number of concurrent requests.
const CONCURRENT_REQUESTS: usize = 8;

/// Creates these documents as dry runs.
pub(crate) fn dry_run(server: &Server, documents: Vec<Value>) -> Vec<Causes> {
    server.block_on(send_all(server.client(), documents, "&dryRun=All"))
}

/// Creates these documents.
pub(crate) fn create(server: &Server, documents: Vec<Value>) -> Vec<Causes> {
    server.block_on(send_all(server.client(), documents, ""))
}

async fn send_all(client: Client, documents: Vec<Value>, query: &'static str) -> Vec<Causes> {
    let documents = Arc::new(documents);
    let mut tasks = JoinSet::new();
    for worker in 0..CONCURRENT_REQUESTS {
        let (client, documents) = (client.clone(), Arc::clone(&documents));
        tasks.spawn(async move {
            let mut answers = Vec::new();
            for (index, document) in documents.iter().enumerate().skip(worker).step_by(CONCURRENT_REQUESTS) {
                answers.push((index, send_one(&client, document, query).await));
            }
            answers
        });
    }
    let mut answers: Vec<(usize, Causes)> = tasks.join_all().await.into_iter().flatten().collect();
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, causes)| causes).collect()
}

async fn send_one(client: &Client, document: &Value, query: &str) -> Causes {
    let path = format!("{CRDS}?fieldValidation=Strict{query}");
    let answer = send(client, "POST", &path, Some(document)).await;
    match answer.code {
        200..=299 => Causes::new(),
        // 500: the server fails on some documents, and does not accept them.
        400 | 500 => vec![Cause { place: String::new(), words: stable(answer.message()) }],
        422 => {
            let details = answer.body["details"]["causes"].as_array().cloned().unwrap_or_default();
            let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
            let mut causes: Causes = details
                .iter()
                .map(|cause| Cause { place: text(cause, "field"), words: stable(&text(cause, "message")) })
                .collect();
            assert!(!causes.is_empty(), "refused without a cause: {:#}", answer.body);
            causes.sort();
            causes.dedup();
            causes
        }
        code => panic!("{code}: {:#}\n{document:#}", answer.body),
    }
}

/// The message without numbers that differ between answers: of types that the server creates for CEL, and of memory addresses.
fn stable(words: &str) -> String {
    ["selfType", "(0x"].iter().fold(words.to_owned(), |words, name| {
        let mut parts = words.split(name);
        let mut stable = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            stable.push_str(name);
            stable.push_str(part.trim_start_matches(|character: char| character.is_ascii_hexdigit()));
        }
        stable
    })
}
