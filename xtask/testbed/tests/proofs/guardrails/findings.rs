//! The answers of the server, recorded once.
//!
//! Invariants: every request of a table is sent once, and tests check the record.

use std::sync::LazyLock;

use futures_util::StreamExt;
use futures_util::stream;
use kube::Client;

use crate::requests::{Answer, send};

use super::objects::User;
use super::policies::{ANNOTATION, OPEN, PLAIN, Verdict};
use super::stage::stage;
use super::stories::{Row, run};

/// A new object that uses something experimental, sent twice.
pub(super) struct NewObject {
    pub(super) user: User,
    /// The answer in a namespace without the annotation.
    pub(super) plain: Answer,
    /// The answer where it is allowed: by the namespace, or by the object itself.
    pub(super) open: Answer,
}

impl NewObject {
    pub(super) fn verdicts(&self) -> [Verdict; 2] {
        [Verdict::of(&self.plain), Verdict::of(&self.open)]
    }
}

/// Sends every object.
pub(super) async fn send_all(client: &Client, users: &[User]) -> Vec<NewObject> {
    const CONCURRENT_REQUESTS: usize = 8;
    let objects = users.iter().map(|user| async move {
        let versioned = user.pair.versioned();
        let path = |namespace: &str| format!("{}?dryRun=All", versioned.collection(namespace));
        let plain = versioned.placed(&user.object, PLAIN, "new");
        let plain = send(client, "POST", &path(PLAIN), Some(&plain)).await;
        let mut open = versioned.placed(&user.object, OPEN, "new");
        if versioned.is_cluster_wide() {
            open["metadata"]["annotations"] = serde_json::json!({ANNOTATION: "allowed"});
        }
        let open = send(client, "POST", &path(OPEN), Some(&open)).await;
        NewObject { user: user.clone(), plain, open }
    });
    stream::iter(objects).buffered(CONCURRENT_REQUESTS).collect().await
}

pub(super) struct Findings {
    pub(super) objects: Vec<NewObject>,
    pub(super) rows: Vec<Row>,
}

/// All answers; `None` if no server can be started.
pub(super) fn findings() -> Option<&'static Findings> {
    static FINDINGS: LazyLock<Option<Findings>> = LazyLock::new(|| {
        let stage = stage()?;
        let objects = stage.server.block_on(send_all(&stage.client, &stage.users));
        Some(Findings { objects, rows: run(stage) })
    });
    FINDINGS.as_ref()
}
