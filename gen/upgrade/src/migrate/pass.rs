//! One pass over the objects of a CRD: page after page, several requests at once.
//!
//! Invariants: the result counts every object of the listing once. What a pass does to an object is up to its caller.

use crd_cluster::{Cluster, Content, Metadata, Object, Written};
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use futures_util::StreamExt;
use futures_util::stream::iter;

use crate::migrate::install::unchanged;
use crate::migrate::migrated::Counts;
use crate::migrate::pace::Pace;
use crate::migrate::settings::{OnProgress, Progress, Settings};

/// After this many refused objects, a pass ends: the reason is then not a single object.
const MOST_REFUSED: usize = 100;

/// What became of one object.
pub(crate) enum Outcome {
    Written,
    Unchanged,
    Overtaken,
    Gone,
    Refused(Diagnostic),
}

impl Outcome {
    /// The outcome of a write of an object with this `resourceVersion`.
    pub(crate) fn of(written: Written, resource_version: &str) -> Self {
        match written {
            Written::Done(object) if object["metadata"]["resourceVersion"] == resource_version => Self::Unchanged,
            Written::Done(_) => Self::Written,
            Written::Changed => Self::Overtaken,
            Written::Gone => Self::Gone,
            Written::Refused(diagnostic) => Self::Refused(diagnostic),
        }
    }
}

/// The objects of a pass.
pub(crate) struct Work<'w> {
    /// The CRD as it was read.
    pub(crate) crd: &'w CustomResourceDefinition,
    /// The version through which its objects are read.
    pub(crate) version: &'w str,
    pub(crate) content: Content,
    /// What is done, for reports of the progress.
    pub(crate) step: &'static str,
    /// The metadata of the CRD. Before the objects of a page are written, it must still have this UID and generation.
    pub(crate) expected: Option<&'w Metadata>,
}

impl Work<'_> {
    /// A page was read by the CRD that is expected, if it has not changed after that.
    async fn check(&self, cluster: &Cluster) -> Result<(), Diagnostic> {
        match self.expected {
            Some(expected) => unchanged(cluster, expected).await.map(|_| ()),
            None => Ok(()),
        }
    }
}

/// Gives every object of the part that is not being deleted to `work`.
///
/// # Errors
/// Why the listing or a write failed, for a reason that concerns more than one object, or that the CRD has changed. Objects before that may be
/// written.
pub(crate) async fn pass(
    cluster: &Cluster,
    objects: &Work<'_>,
    settings: &Settings,
    work: &impl AsyncFn(Object) -> Result<Outcome, Diagnostic>,
    on_progress: OnProgress<'_>,
) -> Result<Counts, Diagnostic> {
    let pace = &Pace::new(settings.rate);
    let mut counts = Counts::default();
    let mut pages = cluster.pages(objects.crd, objects.version, objects.content);
    while let Some(page) = pages.next().await? {
        objects.check(cluster).await?;
        let (seen, mut entries) = (page.objects.len() + page.unreadable.len(), Vec::new());
        counts.refused.extend(page.unreadable);
        for entry in page.objects {
            match () {
                () if settings.shard.is_some_and(|shard| !shard.contains(&entry.metadata.uid)) => {
                    counts.of_other_shards += 1;
                }
                () if entry.metadata.deletion_timestamp.is_some() => counts.deleting += 1,
                () => entries.push(entry),
            }
        }
        let in_pace = |entry: Object| async move {
            pace.wait().await;
            work(entry).await
        };
        let mut outcomes = iter(entries).map(in_pace).buffer_unordered(settings.at_once.max(1));
        while let Some(outcome) = outcomes.next().await {
            match outcome? {
                Outcome::Written => counts.written += 1,
                Outcome::Unchanged => counts.unchanged += 1,
                Outcome::Overtaken => counts.overtaken += 1,
                Outcome::Gone => counts.gone += 1,
                Outcome::Refused(diagnostic) => counts.refused.push(diagnostic),
            }
        }
        counts.seen += u64::try_from(seen).unwrap_or(u64::MAX);
        let (crd, step, seen, written) = (&*objects.crd.name, objects.step, counts.seen, counts.written);
        on_progress(&Progress { crd, step, seen, written, remaining: page.remaining });
        if counts.refused.len() >= MOST_REFUSED {
            break;
        }
    }
    Ok(counts)
}
