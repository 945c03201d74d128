//! The migration of several CRDs: a plan for each of them, and what became of it.
//!
//! Invariant: a CRD that cannot be migrated does not keep another one from it.

use crd_cluster::{Cluster, InstalledCrd, Server};
use crd_convert::Conversions;
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;

use crate::migrate::by_server::run_by_server;
use crate::migrate::conversion::{BundlePlan, Journal, Way, is_begun, roll_back};
use crate::migrate::lease::{Holder, Noted, lease_of, with_lease};
use crate::migrate::migrated::{Forms, Migrated};
use crate::migrate::replacement::Replacement;
use crate::migrate::selection::{is_name_of, select};
use crate::migrate::settings::{OnProgress, Progress, Settings};
use crate::migrate::storage::StoragePlan;
use crate::migrate::target::Target;

/// The plan for a CRD.
pub enum Plan<'t> {
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
pub struct Options {
    /// Whether replaced objects are deleted.
    pub deletes: bool,
    /// Whether the server writes the objects.
    pub is_by_server: bool,
}

/// What is planned for a CRD, and what became of it.
pub struct Row<'t> {
    /// The name of the CRD.
    pub name: String,
    /// How many objects it has; nothing if the server does not show it.
    pub objects: Option<u64>,
    /// The plan; nothing if the CRD cannot be migrated.
    pub plan: Option<Plan<'t>>,
    /// What the conversion of the objects would do, as far as the server shows them.
    pub forms: Forms,
    /// What became of it; nothing if it was not carried out.
    pub migrated: Option<Migrated>,
    /// Why it cannot be migrated, or was not migrated completely.
    pub findings: Vec<Diagnostic>,
}

/// The migration of a cluster.
pub struct Migration<'t> {
    pub server: Server,
    pub settings: Settings,
    /// How plans are carried out.
    pub options: Options,
    /// What is planned for each CRD.
    pub rows: Vec<Row<'t>>,
    /// Installed CRDs that the target neither has nor replaces.
    pub left: Vec<String>,
}

impl Plan<'_> {
    /// Whether there is something to do.
    fn is_pending(&self, objects: Option<u64>) -> bool {
        match self {
            Self::Storage(plan) => !plan.is_done(),
            Self::Bundle(plan) => plan.way() != Way::Nothing,
            Self::Replacement(_) => objects != Some(0),
            Self::Rollback(_) => true,
        }
    }

    /// The entries that leave `status.storedVersions`.
    pub fn leaving(&self) -> Vec<&str> {
        match self {
            Self::Storage(plan) => plan.leaving().collect(),
            Self::Bundle(plan) => plan.leaving().collect(),
            Self::Replacement(_) | Self::Rollback(_) => Vec::new(),
        }
    }

    /// The version in which the objects will be stored.
    pub fn storage(&self) -> Option<&str> {
        match self {
            Self::Storage(plan) => Some(plan.storage()),
            Self::Bundle(plan) => plan.storage(),
            Self::Replacement(_) | Self::Rollback(_) => None,
        }
    }

    async fn run(
        &self,
        cluster: &Cluster,
        (settings, options): (&Settings, Options),
        conversions: Option<&Conversions>,
        journal: Journal<'_>,
        on_progress: OnProgress<'_>,
    ) -> Result<Migrated, Diagnostic> {
        match (self, conversions) {
            (Self::Storage(plan), _) if options.is_by_server => {
                run_by_server(plan, cluster, settings, on_progress).await
            }
            (Self::Storage(plan), _) => plan.run(cluster, settings, on_progress).await,
            (Self::Bundle(plan), _) => plan.run(cluster, settings, journal, on_progress).await,
            (Self::Replacement(plan), _) => plan.run(cluster, settings, options.deletes, journal, on_progress).await,
            (Self::Rollback(name), Some(conversions)) => {
                roll_back(cluster, name, conversions, settings, journal, on_progress).await
            }
            (Self::Rollback(_), None) => Ok(Migrated::default()),
        }
    }
}

impl<'t> Row<'t> {
    /// A CRD that cannot be migrated, if there are findings, or whose plan is not known yet.
    fn new(name: &str, findings: Vec<Diagnostic>) -> Self {
        let name = name.to_owned();
        Self { name, objects: None, plan: None, forms: Forms::default(), migrated: None, findings }
    }

    /// A CRD with a plan. If its objects cannot be counted, it has none.
    fn planned(name: &str, plan: Plan<'t>, objects: Result<Option<u64>, Diagnostic>) -> Self {
        match objects {
            Ok(objects) => Self { objects, plan: Some(plan), ..Self::new(name, Vec::new()) },
            Err(diagnostic) => Self::new(name, vec![diagnostic]),
        }
    }

    /// A CRD whose objects are stored in its storage version.
    async fn of_storage(cluster: &Cluster, installed: &InstalledCrd) -> Self {
        let name = &*installed.metadata.name;
        match StoragePlan::new(installed) {
            Ok(plan) => {
                let objects = if plan.is_done() { Ok(None) } else { plan.count(cluster).await };
                Self::planned(name, Plan::Storage(plan), objects)
            }
            Err(findings) => Self::new(name, findings),
        }
    }

    /// A CRD of a target.
    async fn of_target(
        cluster: &Cluster,
        crd: &'t CustomResourceDefinition,
        target: &'t Target,
        settings: &Settings,
        on_progress: OnProgress<'_>,
    ) -> Self {
        let plan = match BundlePlan::new(cluster, crd, target).await {
            Ok(plan) => plan,
            Err(findings) => return Self::new(&crd.name, findings),
        };
        if plan.way() == Way::Nothing {
            return Self::planned(&crd.name, Plan::Bundle(plan), Ok(None));
        }
        let count = plan.count(cluster).await;
        let survey = plan.survey(cluster, settings, on_progress).await;
        Self::planned(&crd.name, Plan::Bundle(plan), count).surveyed(survey)
    }

    /// A CRD that the target does not have; nothing if nothing replaces it.
    async fn of_replaced(
        cluster: &Cluster,
        installed: &InstalledCrd,
        target: &'t Target,
        (settings, options): (&Settings, Options),
        on_progress: OnProgress<'_>,
    ) -> Option<Self> {
        let name = &*installed.metadata.name;
        let replacement = match Replacement::of(installed, target) {
            Ok(replacement) => replacement?,
            Err(diagnostic) => return Some(Self::new(name, vec![diagnostic])),
        };
        let survey = replacement.survey(cluster, settings, options.deletes, on_progress).await;
        let pending = survey.as_ref().map(|survey| Some(survey.counts.written)).map_err(Clone::clone);
        Some(Self::planned(name, Plan::Replacement(replacement), pending).surveyed(survey))
    }

    /// Adds what a look at the objects has shown. If one of them is refused, nothing is done.
    fn surveyed(mut self, survey: Result<Migrated, Diagnostic>) -> Self {
        match survey {
            Ok(survey) => {
                self.forms = survey.forms;
                self.findings.extend(survey.counts.refused);
            }
            // The count has failed for the same reason.
            Err(_) if !self.findings.is_empty() => {}
            Err(diagnostic) => self.findings.push(diagnostic),
        }
        self.plan = self.plan.filter(|_| self.findings.is_empty());
        self
    }

    /// Whether there is something to do.
    pub fn is_pending(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.is_pending(self.objects))
    }

    /// Whether nothing remains to be done.
    pub fn is_done(&self) -> bool {
        let is_done = |migrated: &Migrated| migrated.is_done() && migrated.counts.is_complete();
        self.findings.is_empty() && (!self.is_pending() || self.migrated.as_ref().is_some_and(is_done))
    }
}

impl<'t> Migration<'t> {
    /// A migration without plans.
    pub fn new(cluster: &Cluster, settings: Settings, options: Options) -> Self {
        Self { server: cluster.server().clone(), settings, options, rows: Vec::new(), left: Vec::new() }
    }

    /// Plans to store the objects of CRDs in their storage versions.
    pub async fn plan_storage(&mut self, cluster: &Cluster, crds: &[InstalledCrd]) {
        for installed in crds {
            self.rows.push(Row::of_storage(cluster, installed).await);
        }
    }

    /// Plans to take back the migrations that have begun.
    pub fn plan_rollback(&mut self, crds: &[InstalledCrd]) {
        let names = crds.iter().filter(|installed| is_begun(installed)).map(|installed| &*installed.metadata.name);
        self.rows.extend(names.map(|name| Row::planned(name, Plan::Rollback(name.to_owned()), Ok(None))));
    }

    /// Plans the CRDs of a target, and then the installed ones that it does not have. Only those of these names, if there are any.
    ///
    /// # Errors
    /// The names that neither the target nor the cluster has.
    pub async fn plan_target(
        &mut self,
        cluster: &Cluster,
        target: &'t Target,
        installed: &[InstalledCrd],
        names: &[String],
        on_progress: OnProgress<'_>,
    ) -> Result<(), Vec<Diagnostic>> {
        let is_of_target = |name: &&String| target.crds.iter().any(|crd| is_name_of(crd, name));
        let others = names.iter().filter(|name| !is_of_target(name)).cloned().collect::<Vec<_>>();
        select(installed.to_vec(), &others)?;
        let is_chosen =
            |crd: &CustomResourceDefinition| names.is_empty() || names.iter().any(|name| is_name_of(crd, name));
        for crd in target.crds.iter().filter(|crd| is_chosen(crd)) {
            let row = Row::of_target(cluster, crd, target, &self.settings, &mut *on_progress).await;
            self.rows.push(row);
        }
        let is_replaced = |installed: &&InstalledCrd| {
            target.crd(&installed.metadata.name).is_none() && installed.crd.as_ref().is_ok_and(is_chosen)
        };
        for installed in installed.iter().filter(is_replaced) {
            let how = (&self.settings, self.options);
            match Row::of_replaced(cluster, installed, target, how, &mut *on_progress).await {
                Some(row) => self.rows.push(row),
                None => self.left.push(installed.metadata.name.clone()),
            }
        }
        Ok(())
    }

    /// Carries out the plan.
    ///
    /// # Errors
    /// Why the cluster could not be read or written. The rows before it are complete.
    pub async fn run(
        &mut self,
        cluster: &Cluster,
        holder: &Holder<'_>,
        conversions: Option<&Conversions>,
        journal: Journal<'_>,
        on_progress: OnProgress<'_>,
    ) -> Result<(), Diagnostic> {
        let Self { settings, options, rows, .. } = self;
        for row in rows.iter_mut().filter(|row| row.is_pending()) {
            let Some(plan) = &row.plan else { continue };
            let noted = Noted::default();
            let mut on_progress = |progress: &Progress<'_>| {
                noted.note(progress);
                on_progress(progress);
            };
            let work = plan.run(cluster, (settings, *options), conversions, journal, &mut on_progress);
            let migrated = match settings.is_dry_run {
                true => work.await,
                false => with_lease(cluster, &lease_of(&row.name, settings), holder, &noted, work).await,
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
    pub fn is_done(&self) -> bool {
        self.rows.iter().all(Row::is_done)
    }
}
