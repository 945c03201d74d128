//! What the server says of CRD documents, many at once.
//!
//! Invariants: the server validates fields strictly, as `kubectl` asks it to; what is asked as a dry run leaves nothing behind; causes are
//! sorted, since the server tells them in any order, and have no names that it makes up anew each time.

use std::sync::Arc;

use kube::Client;
use serde_json::Value;
use tokio::task::JoinSet;

use crate::requests::send;
use crate::server::Server;

/// Where CRDs are created.
pub(crate) const COLLECTION: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// What the server says of a document: nothing if it takes it.
pub(crate) type Causes = Vec<Cause>;

/// One reason for which the server refuses a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cause {
    /// Where; empty where the server does not say, because it could not even read the document.
    pub(crate) place: String,
    /// In the server's words.
    pub(crate) words: String,
}

/// How many questions are under way at once.
const AT_ONCE: usize = 8;

/// Asks the server what it would say if these documents were created.
pub(crate) fn dry_run(server: &Server, documents: Vec<Value>) -> Vec<Causes> {
    server.block_on(ask(server.client(), documents, "&dryRun=All"))
}

/// Creates these documents, as far as the server lets it happen.
pub(crate) fn create(server: &Server, documents: Vec<Value>) -> Vec<Causes> {
    server.block_on(ask(server.client(), documents, ""))
}

async fn ask(client: Client, documents: Vec<Value>, query: &'static str) -> Vec<Causes> {
    let documents = Arc::new(documents);
    let mut tasks = JoinSet::new();
    for worker in 0..AT_ONCE {
        let (client, documents) = (client.clone(), Arc::clone(&documents));
        tasks.spawn(async move {
            let mut answers = Vec::new();
            for (index, document) in documents.iter().enumerate().skip(worker).step_by(AT_ONCE) {
                answers.push((index, ask_one(&client, document, query).await));
            }
            answers
        });
    }
    let mut answers: Vec<(usize, Causes)> = tasks.join_all().await.into_iter().flatten().collect();
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, causes)| causes).collect()
}

async fn ask_one(client: &Client, document: &Value, query: &str) -> Causes {
    let path = format!("{COLLECTION}?fieldValidation=Strict{query}");
    let answer = send(client, "POST", &path, Some(document)).await;
    match answer.code {
        200..=299 => Causes::new(),
        // 500: the server stumbles over some documents, and takes none of them.
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

/// The words without numbers that are others each time: of the types that the server makes for CEL, and of places in its memory.
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
