//! A version of CRDs that is served or not from now on.

use crd_cluster::{Cluster, InstalledCrd};
use crd_diagnostics::{Diagnostic, json, printable};
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_upgrade::migrate::set_served;

use super::consent::consent;
use super::question::Question;
use super::{document, text};

/// Changes whether a version of the CRDs is served.
pub(crate) async fn serve(
    cluster: &Cluster,
    crds: &[InstalledCrd],
    (version, is_served): (&str, bool),
    question: &Question<'_>,
    session: &mut Session<'_>,
) -> Result<Exit, Vec<Diagnostic>> {
    let has_version = |installed: &&InstalledCrd| {
        installed.crd.as_ref().is_ok_and(|crd| crd.versions.iter().any(|known| known.name == version))
    };
    // Without names, these are the CRDs that have the version.
    let chosen =
        crds.iter().filter(|installed| !question.names.is_empty() || has_version(installed)).collect::<Vec<_>>();
    let settings = question.settings;
    let verb = if is_served { "serve" } else { "stop serving" };
    for installed in &chosen {
        session.print_err(format_args!("{verb} {version} of {}\n", printable(&installed.metadata.name)));
    }
    if !chosen.is_empty() && !settings.is_dry_run && !question.is_confirmed && !consent(session)? {
        return Ok(Exit::Findings);
    }
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    for installed in chosen {
        let name = &installed.metadata.name;
        match set_served(cluster, installed, version, is_served, settings.is_dry_run).await {
            Ok(served) => rows.push((name, served)),
            Err(diagnostic) => errors.push(diagnostic),
        }
    }
    if question.is_json {
        session.print(json::line(&document::serving(&rows, (version, is_served), &errors, settings.is_dry_run)));
    } else {
        for (name, served) in rows {
            let words = text::served(served, is_served, settings.is_dry_run);
            session.print(format_args!("{}: {version} {words}\n", printable(name)));
        }
        session.diagnostics(&errors);
    }
    Ok(if errors.is_empty() { Exit::Fine } else { Exit::Findings })
}
