//! An upgrade of CRDs: what installers make of them, what becomes of the objects, and what to do.
//!
//! Steps: both sides (`sides`) → fates of the CRDs (`crd_upgrade::fate`) and findings about objects (`crd_upgrade::inspect`) → the commands and rights
//! (`steps`) → a document or text (`document`, `text`).
//!
//! Invariants: nothing is sent but GET requests. No value of a Helm release is printed.

pub(crate) mod document;
mod sides;
mod steps;
pub(crate) mod text;

use std::ffi::OsString;
use std::io::Write;

use crd_cluster::{Cluster, HelmRelease, Progress, Selection, run as run_to_end};
use crd_diagnostics::{Diagnostic, Severity};
use crd_generator::session::Session;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_upgrade::fate::{CrdFate, Place, fates};
use crd_upgrade::inspect::{
    KnownBundles, ObjectReport, Question, Redaction, Report, Target, inspect, is_about_kubectl, is_about_target,
};
use crd_upgrade::installers::ChartPlace;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::inspection::dump::{is_crd, not_compared};
use crate::inspection::spool::Spool;
use crate::objects;
use crate::progress::progress;
use sides::Side;
pub(crate) use steps::Steps;

/// Where the old CRDs and the objects are.
pub(crate) enum Installed {
    /// CRDs and objects in files.
    Files { from: OsString, objects: Vec<OsString> },
    /// A cluster, by its context; the current one without a name.
    Cluster(Option<String>),
}

pub(crate) struct Upgrade {
    pub(crate) installed: Installed,
    /// The release of Helm: its namespace and its name.
    pub(crate) release: Option<(String, String)>,
    pub(crate) to: OsString,
    pub(crate) channel: Option<Channel>,
    pub(crate) redaction: Redaction,
}

pub(crate) struct Outlook {
    /// The old CRDs, in words.
    pub(crate) from: String,
    /// The new CRDs, in words.
    pub(crate) to: String,
    pub(crate) crds: Vec<CrdFate>,
    /// What was found about the installation and the objects, without what is not about the upgrade.
    pub(crate) report: Report,
    pub(crate) steps: Steps,
}

impl Outlook {
    /// Whether something breaks, or is lost.
    pub(crate) fn has_findings(&self) -> bool {
        self.report.findings().any(|finding| finding.severity > Severity::Note)
    }
}

/// Reads both sides and the objects, and foresees the upgrade.
pub(crate) fn foresee(
    upgrade: &Upgrade,
    spool: &mut Spool,
    session: &mut Session<'_>,
) -> Result<Outlook, Vec<Diagnostic>> {
    let release = match (&upgrade.installed, &upgrade.release) {
        (Installed::Cluster(context), Some((namespace, name))) => {
            session.begin("reading the release");
            let read = async { Cluster::connect(context.as_deref()).await?.helm_release(namespace, name).await };
            Some(run_to_end(read)?)
        }
        _ => None,
    };
    let to = to(&upgrade.to, release.as_ref());
    let values = release.as_ref().map(values).transpose()?;
    if let Some((namespace, name)) = &upgrade.release {
        (session.charts.namespace, session.charts.release) = (namespace.clone(), name.clone());
    }
    // The values of the user are after those of the release, and win.
    session.charts.values.splice(0..0, values.iter().map(|file| file.path().as_os_str().to_owned()));
    let new = Side::read(&to, upgrade.channel, session)?;
    let old = match &upgrade.installed {
        Installed::Files { from, .. } => Some(Side::read(from, upgrade.channel, session)?),
        Installed::Cluster(_) => None,
    };
    let question = Question {
        prefix: None,
        known: &KnownBundles::default(),
        lenses: None,
        features: None,
        target: Some(Target { bundle: Some((new.shown(), None, new.channels())), channel: None }),
        reads_objects: true,
        redaction: upgrade.redaction,
    };
    let mut objects = match &upgrade.installed {
        Installed::Files { objects, .. } if !objects.is_empty() => objects::values(objects, session)?,
        _ => Vec::new(),
    };
    // The old CRDs are those of their source.
    objects.retain(|object| !is_crd(object));
    let kinds =
        old.iter().flat_map(|old| &old.crds).map(|(crd, _)| (crd.group.to_string(), crd.names.kind.to_string()));
    if let Some(note) = not_compared(&objects, &kinds.collect()) {
        session.note(note);
    }
    let (mut report, installed) = read(&upgrade.installed, old.as_ref(), &new, objects, &question, spool, session)?;
    // Helm installs a chart.
    let counts = |code: &str| is_about_target(code) && !(new.is_chart && is_about_kubectl(code));
    report.findings.retain(|finding| counts(finding.code));
    for crd in &mut report.crds {
        crd.findings.retain(|finding| counts(finding.code));
    }
    let installed = installed.iter().map(|(crd, place)| (crd, *place)).collect::<Vec<_>>();
    let target = new.crds.iter().map(|(crd, place)| (&**crd, *place)).collect::<Vec<_>>();
    let crds = fates(&installed, &target);
    let from = match (&old, &release) {
        (Some(old), _) => old.shown(),
        (None, Some(release)) => {
            let chart = &release.chart.metadata;
            format!("{} {} (revision {})", chart.name, chart.version, release.revision)
        }
        (None, None) => report.server.address.clone(),
    };
    let steps = Steps::new(&crds, &new, upgrade.release.as_ref(), session);
    Ok(Outlook { from, to: new.shown(), crds, report, steps })
}

/// The source of the new CRDs: with a release, a version is one of its chart.
fn to(named: &OsString, release: Option<&HelmRelease>) -> OsString {
    let is_version = named.to_str().is_some_and(|text| {
        text.trim_start_matches('v').starts_with(|first: char| first.is_ascii_digit()) && !text.contains(['/', ':'])
    });
    match release.filter(|_| is_version) {
        Some(release) => format!("chart:{}@{}", release.chart.metadata.name, named.to_string_lossy()).into(),
        None => named.clone(),
    }
}

/// The values of a release, in a file that only the user can read and that ends with the command.
fn values(release: &HelmRelease) -> Result<NamedTempFile, Diagnostic> {
    let values = if release.config.is_object() { release.config.clone() } else { json!({}) };
    let written =
        NamedTempFile::new().and_then(|mut file| file.write_all(values.to_string().as_bytes()).map(|()| file));
    written.map_err(|error| Diagnostic::error("file::io", format!("cannot write the values of the release: {error}")))
}

type Crd = (CustomResourceDefinition, Place);

/// The report about the cluster or the files, and the CRDs that are installed.
fn read(
    installed: &Installed,
    old: Option<&Side>,
    new: &Side,
    objects: Vec<Value>,
    question: &Question<'_>,
    spool: &mut Spool,
    session: &Session<'_>,
) -> Result<(Report, Vec<Crd>), Diagnostic> {
    session.begin("reading the objects");
    let mut show = progress(session);
    let mut on_progress =
        |crd: &str, Progress { seen, remaining }: Progress| show(&format!("reading {crd}"), seen, remaining);
    let mut on_object = |mut object: ObjectReport| {
        object.findings.retain(|finding| is_about_target(finding.code));
        if !object.findings.is_empty() {
            spool.add(&object);
        }
    };
    run_to_end(async {
        let (cluster, crds) = match (installed, old) {
            (Installed::Cluster(context), _) => {
                let cluster = Cluster::connect(context.as_deref()).await?;
                let crds = of_cluster(&cluster, new).await?;
                (cluster, crds)
            }
            (Installed::Files { .. }, old) => {
                let crds = old.map(|old| &*old.crds).unwrap_or_default();
                let crds = crds.iter().map(|(crd, place)| ((**crd).clone(), *place)).collect::<Vec<_>>();
                let name = old.map(Side::shown).unwrap_or_default();
                let documents = crds.iter().map(|(crd, _)| installed_document(crd));
                (Cluster::of_objects(&name, documents.chain(objects).collect()), crds)
            }
        };
        let report = inspect(&cluster, question, &mut on_object, &mut on_progress).await?;
        Ok((report, crds))
    })
}

/// The CRDs of a cluster that the new side has too, or that belong to a release of Helm.
async fn of_cluster(cluster: &Cluster, new: &Side) -> Result<Vec<Crd>, Diagnostic> {
    let mut found = Vec::new();
    for installed in cluster.crds(&Selection::all()).await? {
        let annotation = |key: &str| installed.metadata.annotations.get(key).map(String::as_str);
        let known = new.crds.iter().find(|(crd, _)| *crd.name == *installed.metadata.name).map(|(_, place)| *place);
        let is_of_release =
            new.is_release(annotation("meta.helm.sh/release-namespace"), annotation("meta.helm.sh/release-name"));
        let is_kept = annotation("helm.sh/resource-policy") == Some("keep");
        let place = match (known, is_of_release) {
            (Some(place), _) => Place { is_kept, ..place },
            (None, true) => Place { place: ChartPlace::Templates, is_kept },
            (None, false) => continue,
        };
        found.push((installed.crd?, place));
    }
    Ok(found)
}

/// A CRD as a server has it after its installation.
fn installed_document(crd: &CustomResourceDefinition) -> Value {
    let mut document = crd.to_value();
    let stored = crd.storage().map(|version| version.name.to_string());
    document["status"] = json!({"storedVersions": stored.into_iter().collect::<Vec<_>>()});
    document
}
