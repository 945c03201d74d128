//! The plan for each CRD.

use crd_cluster::{Cluster, InstalledCrd};
use crd_convert::Conversions;
use crd_diagnostics::Diagnostic;
use crd_migrate::{
    BundlePlan, Forms, Migrated, Progress, Replacement, Settings, StoragePlan, Target, Way, roll_back, run_by_server,
};

use super::Row;
use super::journal::Journal;

/// The plan for a CRD.
pub(crate) enum Plan<'t> {
    /// Its objects are stored in its storage version.
    Storage(StoragePlan),
    /// It gets to a bundle.
    Bundle(BundlePlan<'t>),
    /// Its objects get successors of another kind.
    Replacement(Replacement<'t>),
    /// A migration that has begun is taken back.
    Rollback(String),
}

/// How plans are carried out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// Whether replaced objects are deleted.
    pub(crate) deletes: bool,
    /// Whether the server writes the objects.
    pub(crate) is_by_server: bool,
}

/// Called with the progress.
type OnProgress<'p> = &'p mut (dyn FnMut(&Progress<'_>) + Send);

impl<'t> Plan<'t> {
    /// Whether there is something to do.
    pub(crate) fn is_pending(&self, objects: Option<u64>) -> bool {
        match self {
            Self::Storage(plan) => !plan.is_done(),
            Self::Bundle(plan) => plan.way() != Way::Nothing,
            Self::Replacement(_) => objects != Some(0),
            Self::Rollback(_) => true,
        }
    }

    /// The entries that leave `status.storedVersions`.
    pub(crate) fn leaving(&self) -> Vec<&str> {
        match self {
            Self::Storage(plan) => plan.leaving().collect(),
            Self::Bundle(plan) => plan.leaving().collect(),
            Self::Replacement(_) | Self::Rollback(_) => Vec::new(),
        }
    }

    /// The version in which the objects will be stored.
    pub(crate) fn storage(&self) -> Option<&str> {
        match self {
            Self::Storage(plan) => Some(plan.storage()),
            Self::Bundle(plan) => plan.storage(),
            Self::Replacement(_) | Self::Rollback(_) => None,
        }
    }

    /// Carries out the plan.
    pub(crate) async fn run(
        &self,
        cluster: &Cluster,
        (settings, options): (&Settings, Options),
        conversions: Option<&Conversions>,
        journal: &Journal,
        on_progress: OnProgress<'_>,
    ) -> Result<Migrated, Diagnostic> {
        let record = |object: &_| journal.record(object);
        match (self, conversions) {
            (Self::Storage(plan), _) if options.is_by_server => {
                run_by_server(plan, cluster, settings, on_progress).await
            }
            (Self::Storage(plan), _) => plan.run(cluster, settings, on_progress).await,
            (Self::Bundle(plan), _) => plan.run(cluster, settings, &record, on_progress).await,
            (Self::Replacement(plan), _) => plan.run(cluster, settings, options.deletes, &record, on_progress).await,
            (Self::Rollback(name), Some(conversions)) => {
                roll_back(cluster, name, conversions, settings, &record, on_progress).await
            }
            (Self::Rollback(_), None) => Ok(Migrated::default()),
        }
    }
}

/// The row of a CRD whose objects are stored in its storage version.
pub(crate) async fn of_storage<'t>(cluster: &Cluster, installed: &InstalledCrd) -> Row<'t> {
    let name = installed.metadata.name.clone();
    match StoragePlan::new(installed) {
        Ok(plan) if plan.is_done() => row(name, Plan::Storage(plan), Ok(None)),
        Ok(plan) => {
            let count = plan.count(cluster).await;
            row(name, Plan::Storage(plan), count)
        }
        Err(findings) => blocked(name, findings),
    }
}

/// The row of a CRD of a target.
pub(crate) async fn of_target<'t>(
    cluster: &Cluster,
    crd: &'t crd_model::CustomResourceDefinition,
    target: &'t Target,
    settings: &Settings,
    on_progress: OnProgress<'_>,
) -> Row<'t> {
    let name = crd.name.to_string();
    let plan = match BundlePlan::new(cluster, crd, target).await {
        Ok(plan) => plan,
        Err(findings) => return blocked(name, findings),
    };
    if plan.way() == Way::Nothing {
        return row(name, Plan::Bundle(plan), Ok(None));
    }
    let count = plan.count(cluster).await;
    let survey = plan.survey(cluster, settings, on_progress).await;
    surveyed(row(name, Plan::Bundle(plan), count), survey)
}

/// The row of a CRD that the target does not have; nothing if nothing replaces it.
pub(crate) async fn of_replaced<'t>(
    cluster: &Cluster,
    installed: &InstalledCrd,
    target: &'t Target,
    settings: &Settings,
    deletes: bool,
    on_progress: OnProgress<'_>,
) -> Option<Row<'t>> {
    let name = installed.metadata.name.clone();
    let replacement = match Replacement::of(installed, target) {
        Ok(replacement) => replacement?,
        Err(diagnostic) => return Some(blocked(name, vec![diagnostic])),
    };
    let survey = replacement.survey(cluster, settings, deletes, on_progress).await;
    let pending = survey.as_ref().map(|survey| Some(survey.counts.written)).map_err(Clone::clone);
    Some(surveyed(row(name, Plan::Replacement(replacement), pending), survey))
}

/// The row of a CRD whose migration is taken back.
pub(crate) fn of_rollback<'t>(installed: &InstalledCrd) -> Row<'t> {
    let name = installed.metadata.name.clone();
    row(name.clone(), Plan::Rollback(name), Ok(None))
}

fn row<'t>(name: String, plan: Plan<'t>, objects: Result<Option<u64>, Diagnostic>) -> Row<'t> {
    match objects {
        Ok(objects) => {
            Row { name, objects, plan: Some(plan), forms: Forms::default(), migrated: None, findings: Vec::new() }
        }
        Err(diagnostic) => blocked(name, vec![diagnostic]),
    }
}

fn blocked<'t>(name: String, findings: Vec<Diagnostic>) -> Row<'t> {
    Row { name, objects: None, plan: None, forms: Forms::default(), migrated: None, findings }
}

/// Adds what a look at the objects has shown. If one of them is refused, nothing is done.
fn surveyed<'t>(mut row: Row<'t>, survey: Result<Migrated, Diagnostic>) -> Row<'t> {
    match survey {
        Ok(survey) => {
            row.forms = survey.forms;
            row.findings.extend(survey.counts.refused);
        }
        // The count has failed for the same reason.
        Err(_) if !row.findings.is_empty() => {}
        Err(diagnostic) => row.findings.push(diagnostic),
    }
    row.plan = row.plan.filter(|_| row.findings.is_empty());
    row
}
