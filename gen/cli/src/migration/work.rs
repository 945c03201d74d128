//! The steps: read the cluster, plan, show, confirm, carry out.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crd_cluster::{Cluster, InstalledCrd};
use crd_diagnostics::layout;
use crd_diagnostics::{Diagnostic, json};
use crd_migrate::{Progress, Target, is_begun, is_name_of};
use crd_model::CustomResourceDefinition;

use super::consent::consent;
use super::holder::OwnHolder;
use super::question::Question;
use super::selection::{api, select};
use super::serving::serve;
use super::{Migration, document, plan, text};
use crd_generator::exit::Exit;
use crd_generator::session::Session;

/// How often the progress is shown.
const INTERVAL: Duration = Duration::from_secs(3);

/// Reads the cluster, and does what is asked.
///
/// # Errors
/// Why the cluster or the target cannot be read or written.
pub(crate) async fn work(question: &Question<'_>, session: &mut Session<'_>) -> Result<Exit, Vec<Diagnostic>> {
    session.begin("connecting to the cluster");
    let cluster = Cluster::connect(question.context).await?;
    session.begin("reading the cluster");
    let (server, settings, options) = (cluster.server().clone(), question.settings, question.options);
    let mut migration =
        Migration { server, settings, options, losses: BTreeMap::new(), rows: Vec::new(), left: Vec::new() };
    if let Some((named, read)) = &question.target {
        let (prefix, installed) = api(&cluster, question.prefix, &question.known).await?;
        let target = read.target(named, &prefix, &installed, &question.known)?;
        migration.losses = read.losses();
        check_names(&question.names, &target, &installed)?;
        plan_target(&cluster, &mut migration, &target, &installed, &question.names, session).await;
        return migrate(&cluster, migration, question, session).await;
    }
    let crds = select(&cluster, &question.names, question.prefix).await?;
    if let Some(serving) = question.serving {
        return serve(&cluster, &crds, serving, question, session).await;
    }
    for installed in &crds {
        match question.is_rollback {
            true if is_begun(installed) => migration.rows.push(plan::of_rollback(installed)),
            true => {}
            false => migration.rows.push(plan::of_storage(&cluster, installed).await),
        }
    }
    migrate(&cluster, migration, question, session).await
}

/// Every name must be that of a CRD of the target or of the cluster.
fn check_names(names: &[String], target: &Target, installed: &[InstalledCrd]) -> Result<(), Vec<Diagnostic>> {
    let is_target = |name: &String| target.crds.iter().any(|crd| is_name_of(crd, name));
    let others = names.iter().filter(|name| !is_target(name)).cloned().collect::<Vec<_>>();
    crd_migrate::select(installed.to_vec(), &others).map(|_| ())
}

/// Plans the CRDs of a target, and then the installed ones that it does not have.
async fn plan_target<'t>(
    cluster: &Cluster,
    migration: &mut Migration<'t>,
    target: &'t Target,
    installed: &[InstalledCrd],
    names: &[String],
    session: &Session<'_>,
) {
    let is_chosen = |crd: &CustomResourceDefinition| names.is_empty() || names.iter().any(|name| is_name_of(crd, name));
    let mut on_progress = progress(session);
    for crd in target.crds.iter().filter(|crd| is_chosen(crd)) {
        let row = plan::of_target(cluster, crd, target, &migration.settings, &mut on_progress).await;
        migration.rows.push(row);
    }
    for installed in installed.iter().filter(|installed| target.crd(&installed.metadata.name).is_none()) {
        if installed.crd.as_ref().is_ok_and(is_chosen) {
            let (settings, deletes) = (&migration.settings, migration.options.deletes);
            let row = plan::of_replaced(cluster, installed, target, settings, deletes, &mut on_progress).await;
            match row {
                Some(row) => migration.rows.push(row),
                None => migration.left.push(installed.metadata.name.clone()),
            }
        }
    }
}

/// Shows the plan, and carries it out after the consent of a person.
async fn migrate(
    cluster: &Cluster,
    mut migration: Migration<'_>,
    question: &Question<'_>,
    session: &mut Session<'_>,
) -> Result<Exit, Vec<Diagnostic>> {
    let is_pending = migration.rows.iter().any(|row| row.is_pending());
    let needs_consent = is_pending && !question.settings.is_dry_run && !question.is_confirmed;
    let plan = text::plan(&migration, session.width);
    match question.is_json {
        // A person is asked on stderr.
        true if needs_consent => session.print_err(plan),
        true => {}
        false => session.print(plan),
    }
    let ended = match needs_consent && !consent(session)? {
        true => Ok(Exit::Findings),
        false => carry_out(cluster, &mut migration, question, session).await,
    };
    if question.is_json {
        session.print(json::line(&document::migration(&migration)));
    } else if is_pending {
        session.print("\n");
        session.print(text::result(&migration, session.width));
    }
    ended
}

async fn carry_out(
    cluster: &Cluster,
    migration: &mut Migration<'_>,
    question: &Question<'_>,
    session: &Session<'_>,
) -> Result<Exit, Vec<Diagnostic>> {
    let activity = session.activity();
    let on_wait = |holder: &str| {
        activity
            .into_iter()
            .for_each(|activity| activity.begin(format!("waiting for {holder}, which holds the lease")));
    };
    let holder = OwnHolder::new(&on_wait);
    let mut on_progress = progress(session);
    migration.run(cluster, &holder, question.conversions.as_ref(), &question.journal, &mut on_progress).await?;
    Ok(if migration.is_done() { Exit::Fine } else { Exit::Findings })
}

/// Shows the progress from time to time.
fn progress(session: &Session<'_>) -> impl FnMut(&Progress<'_>) + Send {
    let activity = session.activity();
    let mut shown: Option<Instant> = None;
    move |progress| {
        if let Some(activity) = activity
            && shown.is_none_or(|shown| shown.elapsed() >= INTERVAL)
        {
            shown = Some(Instant::now());
            let number = layout::progress(progress.seen, progress.remaining, "object");
            activity.begin(format!("{} {}: {number}", progress.step, progress.crd));
        }
    }
}
