//! What the server did, found out once.
//!
//! Invariants: every request of a table is asked once, and tests judge the record.

use std::sync::LazyLock;

use futures_util::StreamExt;
use futures_util::stream;
use kube::Client;

use crate::requests::{Answer, send};

use super::objects::{User, placed};
use super::stage::{ANNOTATION, OPEN, PLAIN, Verdict, stage};
use super::stories::{Row, told};

/// A new object that uses something experimental, sent twice.
pub(super) struct Asked {
    pub(super) user: User,
    /// Where nobody allows it.
    pub(super) plain: Answer,
    /// Where it is allowed: by the namespace, or by the object itself.
    pub(super) open: Answer,
}

impl Asked {
    pub(super) fn verdicts(&self) -> [Verdict; 2] {
        [Verdict::of(&self.plain), Verdict::of(&self.open)]
    }
}

/// Sends every object.
pub(super) async fn ask(client: &Client, users: &[User]) -> Vec<Asked> {
    const AT_ONCE: usize = 8;
    let asked = users.iter().map(|user| async move {
        let place = user.place();
        let path = |namespace: &str| format!("{}?dryRun=All", place.collection(namespace));
        let plain = placed(&place, &user.object, PLAIN, "new");
        let plain = send(client, "POST", &path(PLAIN), Some(&plain)).await;
        let mut open = placed(&place, &user.object, OPEN, "new");
        if place.is_cluster_wide() {
            open["metadata"]["annotations"] = serde_json::json!({ANNOTATION: "allowed"});
        }
        let open = send(client, "POST", &path(OPEN), Some(&open)).await;
        Asked { user: user.clone(), plain, open }
    });
    stream::iter(asked).buffered(AT_ONCE).collect().await
}

pub(super) struct Findings {
    pub(super) asked: Vec<Asked>,
    pub(super) told: Vec<Row>,
}

/// Everything; `None` where there is no server.
pub(super) fn findings() -> Option<&'static Findings> {
    static FINDINGS: LazyLock<Option<Findings>> = LazyLock::new(|| {
        let stage = stage()?;
        let asked = stage.server.block_on(ask(&stage.client, &stage.users));
        Some(Findings { asked, told: told(stage) })
    });
    FINDINGS.as_ref()
}
