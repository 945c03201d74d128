//! Migration of a cluster: what the user names becomes a plan for each CRD, which is shown, confirmed and carried out.
//!
//! Invariants: nothing is written before the whole plan is known and confirmed. A CRD that cannot be migrated does not keep another one from it.

mod consent;
mod document;
mod holder;
pub(crate) mod journal;
pub(crate) mod plan;
pub(crate) mod question;
mod selection;
mod serving;
pub(crate) mod target;
mod text;
pub(crate) mod work;

use std::collections::BTreeMap;

use crd_cluster::{Cluster, Server};
use crd_convert::Conversions;
use crd_diagnostics::Diagnostic;
use crd_migrate::{Forms, Migrated, Progress, Settings, with_lease};

use holder::OwnHolder;
use journal::Journal;
use plan::{Options, Plan};

/// What is planned for a CRD, and what became of it.
pub(crate) struct Row<'t> {
    /// The name of the CRD.
    pub(crate) name: String,
    /// How many objects it has; nothing if the server does not show it.
    pub(crate) objects: Option<u64>,
    /// The plan; nothing if the CRD cannot be migrated.
    pub(crate) plan: Option<Plan<'t>>,
    /// What the conversion of the objects would do, as far as the server shows them.
    pub(crate) forms: Forms,
    /// What became of it; nothing if it was not carried out.
    pub(crate) migrated: Option<Migrated>,
    /// Why it cannot be migrated, or was not migrated completely.
    pub(crate) findings: Vec<Diagnostic>,
}

/// The migration of a cluster.
pub(crate) struct Migration<'t> {
    pub(crate) server: Server,
    pub(crate) settings: Settings,
    pub(crate) options: Options,
    /// What each lens does not carry, in words.
    pub(crate) losses: BTreeMap<String, Vec<String>>,
    pub(crate) rows: Vec<Row<'t>>,
    /// Installed CRDs that the target neither has nor replaces.
    pub(crate) left: Vec<String>,
}

impl Row<'_> {
    /// Whether there is something to do.
    pub(crate) fn is_pending(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.is_pending(self.objects))
    }

    /// Whether nothing remains to be done.
    pub(crate) fn is_done(&self) -> bool {
        let is_done = |migrated: &Migrated| migrated.is_done() && migrated.counts.is_complete();
        self.findings.is_empty() && (!self.is_pending() || self.migrated.as_ref().is_some_and(is_done))
    }
}

impl Migration<'_> {
    /// Carries out the plan.
    ///
    /// # Errors
    /// Why the cluster could not be read or written. The rows before it are complete.
    pub(crate) async fn run(
        &mut self,
        cluster: &Cluster,
        holder: &OwnHolder<'_>,
        conversions: Option<&Conversions>,
        journal: &Journal,
        on_progress: &mut (dyn FnMut(&Progress<'_>) + Send),
    ) -> Result<(), Diagnostic> {
        let has_ended = |name: &str| holder.has_ended(name);
        let Self { settings, options, rows, .. } = self;
        for row in rows.iter_mut().filter(|row| row.is_pending()) {
            let Some(plan) = &row.plan else { continue };
            let work = plan.run(cluster, (settings, *options), conversions, journal, on_progress);
            let migrated = match settings.is_dry_run {
                true => work.await,
                false => {
                    with_lease(cluster, &holder::lease(&row.name, settings), &holder.holder(&has_ended), work).await
                }
            };
            let migrated = migrated.map_err(|diagnostic| match diagnostic.location.crd {
                Some(_) => diagnostic,
                None => diagnostic.of_crd(row.name.clone(), None, ""),
            })?;
            row.findings.extend(migrated.counts.refused.iter().chain(&migrated.diagnostics).cloned());
            row.migrated = Some(migrated);
        }
        Ok(())
    }

    /// Whether nothing remains to be done.
    pub(crate) fn is_done(&self) -> bool {
        self.rows.iter().all(Row::is_done)
    }
}
