//! The steps: read the cluster, plan, show, confirm, carry out.

use crd_cluster::Cluster;
use crd_diagnostics::{Diagnostic, json};
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_upgrade::migrate::{Migration, Progress};
use serde_json::Value;

use super::consent::consent;
use super::holder::OwnHolder;
use super::question::Question;
use super::selection::{api, select};
use super::serving::serve;
use super::text::Losses;
use super::{document, text};

/// Reads the cluster, and does what is asked.
///
/// # Errors
/// Why the cluster or the target cannot be read or written.
pub(crate) async fn work(question: &Question<'_>, session: &mut Session<'_>) -> Result<Exit, Vec<Diagnostic>> {
    session.begin("connecting to the cluster");
    let cluster = Cluster::connect(question.context).await?;
    session.begin("reading the cluster");
    let mut migration = Migration::new(&cluster, question.settings, question.options);
    if let Some((named, read)) = &question.target {
        let (prefix, installed) = api(&cluster, question.prefix, read.names(), &question.known).await?;
        let target = read.target(named, &prefix, &installed, &question.known)?;
        migration.plan_target(&cluster, &target, &installed, &question.names, &mut progress(session)).await?;
        if let Some(job) = &question.job {
            return job.print(&migration, Some((&target, read, &prefix)), &read.losses(), question, session);
        }
        return migrate(&cluster, migration, &read.losses(), question, session).await;
    }
    let crds = select(&cluster, &question.names, question.prefix).await?;
    if let Some(serving) = question.serving {
        return serve(&cluster, &crds, serving, question, session).await;
    }
    match question.is_rollback {
        true => migration.plan_rollback(&crds),
        false => migration.plan_storage(&cluster, &crds).await,
    }
    if let Some(job) = &question.job {
        return job.print(&migration, None, &Losses::new(), question, session);
    }
    migrate(&cluster, migration, &Losses::new(), question, session).await
}

/// Shows the plan, and carries it out after the consent of a person.
async fn migrate(
    cluster: &Cluster,
    mut migration: Migration<'_>,
    losses: &Losses,
    question: &Question<'_>,
    session: &mut Session<'_>,
) -> Result<Exit, Vec<Diagnostic>> {
    let is_pending = migration.rows.iter().any(|row| row.is_pending());
    let needs_consent = is_pending && !question.settings.is_dry_run && !question.is_confirmed;
    let plan = text::plan(&migration, losses, session.width);
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
        session.print(json::line(&document::migration(&migration, losses)));
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
    let own = OwnHolder::new(&on_wait);
    let has_ended = |name: &str| own.has_ended(name);
    let record = |object: &Value| question.journal.record(object);
    let (holder, conversions) = (own.holder(&has_ended), question.conversions.as_ref());
    migration.run(cluster, &holder, conversions, &record, &mut progress(session)).await?;
    Ok(if migration.is_done() { Exit::Fine } else { Exit::Findings })
}

/// Shows the progress from time to time.
fn progress(session: &Session<'_>) -> impl FnMut(&Progress<'_>) + Send {
    let mut show = crate::progress::progress(session);
    move |Progress { crd, step, seen, remaining, .. }| show(&format!("{step} {crd}"), *seen, *remaining)
}
