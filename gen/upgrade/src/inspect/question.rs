//! The steps: which CRDs, compared with the known bundles; the policies; the objects of each CRD.

use crd_bundle::BundleVersion;
use crd_cluster::{Cluster, InstalledCrd, Progress, Selection};
use crd_convert::Conversions;
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::crd::Version;
use crd_stamps::experimental_only::{experimental_only, with_versions};
use crd_stamps::features::Features;
use crd_stamps::installed::Stamps;

use crate::inspect::api::Api;
use crate::inspect::codes;
use crate::inspect::content::Content;
use crate::inspect::forecast::{Forecaster, crd_forecast};
use crate::inspect::known::{InstalledBundle, KnownBundles};
use crate::inspect::objects::{ObjectsCheck, ObjectsReading, ObjectsTarget};
use crate::inspect::ownership::TypeChanges;
use crate::inspect::redaction::Redaction;
use crate::inspect::report::{CrdReport, ObjectReport, Report, VersionReport};
use crate::inspect::stamps::{Stamped, installed_bundle, is_outside};
use crate::inspect::target::{NEWEST_MINOR, Resolved, Target, resolve};
use crate::inspect::unsupported::Classes;
use crate::inspect::{admission, content, health, nearest, owners, policies, stamps, versions, webhooks};

/// What is asked about a cluster.
#[derive(Clone, Debug)]
pub struct Question<'q> {
    /// The prefix of the stamps; nothing if it is that of the target, or if the cluster has the CRDs of one API only.
    pub prefix: Option<String>,
    /// The bundles to compare with.
    pub known: &'q KnownBundles,
    /// The lenses of the API.
    pub lenses: Option<&'q Conversions>,
    /// The conformance features of the API.
    pub features: Option<&'q Features>,
    /// What may be installed.
    pub target: Option<Target>,
    /// Whether objects are read.
    pub reads_objects: bool,
    /// What findings about objects leave out.
    pub redaction: Redaction,
}

/// Reads a cluster and compares it. `on_object` gets each object about which there is something to report; `on_progress` is called after each page, with the name
/// of the CRD.
///
/// # Errors
/// A diagnostic if the CRDs cannot be listed, if the prefix is not clear, or if the target is not known. Everything else that cannot be read is a failure in the report.
pub async fn inspect(
    cluster: &Cluster,
    question: &Question<'_>,
    on_object: &mut (dyn FnMut(ObjectReport) + Send),
    on_progress: &mut (dyn FnMut(&str, Progress) + Send),
) -> Result<Report, Diagnostic> {
    let known = question.known;
    let (api, crds) = installed(cluster, question).await?;
    let stamped = crds.iter().map(|installed| stamped(installed, &api, known)).collect::<Vec<_>>();
    let (contents, part, month) = contents(&crds, &stamped, known, api.prefix.is_some());
    let target = question.target.as_ref().map(|target| resolve(target, part, known)).transpose()?;
    let mut report = Report {
        server: cluster.server().clone(),
        prefix: api.name().to_owned(),
        is_stamped: api.prefix.is_some(),
        installed: part,
        target: target.as_ref().map(|target| target.name.clone()),
        crds: Vec::new(),
        policies: Vec::new(),
        classes: Vec::new(),
        findings: Vec::new(),
        failures: cluster.server().diagnostics.clone(),
    };
    match part.filter(|_| report.is_stamped) {
        Some(part) => {
            report.findings.extend(stamps::findings(&stamped, contents.iter(), part, known));
            report.findings.extend(month);
        }
        // Nothing has a stamp, and nothing needs one.
        None if !report.is_stamped => {}
        None => {
            let prefix = &report.prefix;
            let message = format!("no CRD has a readable bundle version and channel with the prefix {prefix}");
            let finding = codes::NOTHING.finding(message);
            report.findings.push(finding.help("install a bundle, or name another prefix with `--prefix`"));
        }
    }
    let is_inside =
        |installed: &&InstalledCrd| part.is_none_or(|part| !is_outside(&installed.metadata.name, part, known));
    report.findings.extend(owners::finding(crds.iter().filter(is_inside)));
    let found = cluster.policies(&report.prefix).await;
    policies::check(&found, &mut report);
    webhooks::check(&found, &mut report);
    report.failures.extend(found.diagnostics.clone());
    let features = question.features.filter(|_| question.reads_objects);
    let classes = match features {
        Some(features) => Classes::read(cluster, features, &crds).await,
        None => None,
    };
    let inspection = Inspection { cluster, question, target: target.as_ref(), classes: classes.as_ref() };
    for ((installed, stamped), content) in crds.iter().zip(&stamped).zip(contents) {
        inspection.crd((installed, stamped, content), &mut report, on_object, on_progress).await;
    }
    if let Some(classes) = classes {
        let (classes, notes) = classes.finish();
        report.classes = classes;
        report.findings.extend(notes);
    }
    admission::check(cluster, &found, target.as_ref(), &mut report).await;
    Ok(report)
}

/// The API that is meant, and its CRDs in the cluster.
async fn installed(cluster: &Cluster, question: &Question<'_>) -> Result<(Api, Vec<InstalledCrd>), Diagnostic> {
    let selection = |prefix| Selection::prefix(prefix).and_groups(question.known.groups());
    let mut crds = cluster.crds(&question.prefix.as_deref().map_or_else(Selection::all, selection)).await?;
    let target = question.target.as_ref().and_then(|target| target.bundle.as_ref());
    let names = target.into_iter().flat_map(|(.., crds)| crds.values().flatten()).map(|crd| &*crd.name);
    let api = Api::find(question.prefix.as_deref(), names, question.known, &crds)?;
    let selection = api.selection();
    crds.retain(|installed| selection.contains(&installed.metadata));
    Ok((api, crds))
}

/// The contents of the CRDs, the installed bundle, and a finding about it if it is that of a month.
fn contents(
    crds: &[InstalledCrd],
    stamped: &[Stamped],
    known: &KnownBundles,
    is_stamped: bool,
) -> (Vec<Content>, Option<InstalledBundle>, Option<Diagnostic>) {
    if !is_stamped {
        let (contents, part) = content::recognised(crds, known);
        return (contents, part, None);
    }
    let of_stamped = |(installed, stamped): (&InstalledCrd, &Stamped)| match (stamped.bundle(), stamped.part()) {
        // A month.
        (Some(_), None) => Content::Unknown,
        (_, part) => content::content(installed, part, known),
    };
    let mut contents = crds.iter().zip(stamped).map(of_stamped).collect::<Vec<_>>();
    let part = installed_bundle(stamped, &contents);
    let all = crds.iter().zip(stamped).zip(&mut contents).map(|((crd, stamped), content)| (crd, stamped, content));
    let month = part.and_then(|part| nearest::compare(all, part, known));
    (contents, part, month)
}

fn stamped(installed: &InstalledCrd, api: &Api, known: &KnownBundles) -> Stamped {
    let stamps = stamps_of(installed, api.name());
    let needs_stamps = api.prefix.is_some();
    Stamped::of(
        &stamps,
        needs_stamps && (known.is_empty() || known.with_name(&installed.metadata.name).next().is_some()),
    )
}

fn stamps_of(installed: &InstalledCrd, prefix: &str) -> Stamps {
    let annotations = installed.metadata.annotations.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    Stamps::of(&installed.metadata.name, prefix, annotations)
}

/// Everything about a CRD but its objects.
fn crd_report(
    installed: &InstalledCrd,
    stamped: &Stamped,
    content: Content,
    report: &Report,
    known: &KnownBundles,
) -> CrdReport {
    let Report { prefix, installed: part, .. } = report;
    let name = installed.metadata.name.clone();
    let Stamps { version, channel, .. } = stamps_of(installed, prefix);
    let mut findings = Vec::from_iter(stamped.finding.clone());
    // A stamp of an unknown bundle may be right.
    let is_of_known = |version: BundleVersion| known.versions().any(|known| known == version);
    let may_be_known = !stamped.has_stamp || stamped.version().is_some_and(is_of_known);
    if report.is_stamped && may_be_known && !known.is_empty() && known.with_name(&name).next().is_none() {
        let message = format!("no known bundle has it, although its group belongs to {prefix}");
        findings.push(codes::FOREIGN.finding(message).help("choose another group for it"));
    } else if let Some((version, channel)) = part.filter(|part| is_outside(&name, *part, known)) {
        let channel = channel.name();
        let last = known.with_name(&name).last();
        let last = last.map(|((last, _), _)| format!("; {last} is the last known bundle with it")).unwrap_or_default();
        let message = format!("{version} {channel} does not have it{last}");
        findings.push(codes::LEFT_OVER.finding(message).help("delete it once its objects are not needed"));
    }
    if let Ok(crd) = &installed.crd {
        findings.extend(content::finding(&content, stamped.part()));
        findings.extend(versions::findings(installed, crd));
    }
    findings.extend(health::findings(installed));
    let crd = installed.crd.as_ref().ok();
    let has = |stored: &&String| crd.is_none_or(|crd| crd.version(stored).is_some());
    let of_version = |version: &Version| VersionReport {
        name: version.name.to_string(),
        served: version.served,
        deprecated: version.deprecated,
        storage: version.storage,
        stored: installed.stored_versions.iter().any(|stored| *stored == *version.name),
    };
    CrdReport {
        kind: crd.map(|crd| crd.names.kind.to_string()).unwrap_or_default(),
        version,
        channel,
        content,
        versions: crd.into_iter().flat_map(|crd| &crd.versions).map(of_version).collect(),
        lost_versions: installed.stored_versions.iter().filter(|stored| !has(stored)).cloned().collect(),
        owners: owners::owners(&installed.metadata),
        bytes: installed.bytes,
        annotation_bytes: installed.annotation_bytes,
        client_side_bytes: crd.map(CustomResourceDefinition::client_side_bytes),
        objects: None,
        findings,
        name,
    }
}

/// What is the same for all CRDs.
struct Inspection<'q> {
    cluster: &'q Cluster,
    question: &'q Question<'q>,
    target: Option<&'q Resolved>,
    classes: Option<&'q Classes<'q>>,
}

impl<'q> Inspection<'q> {
    /// Adds the report of a CRD, with its objects.
    async fn crd(
        &self,
        (installed, stamped, content): (&InstalledCrd, &Stamped, Content),
        report: &mut Report,
        on_object: &mut (dyn FnMut(ObjectReport) + Send),
        on_progress: &mut (dyn FnMut(&str, Progress) + Send),
    ) {
        let mut of_crd = crd_report(installed, stamped, content, report, self.question.known);
        if let Ok(crd) = &installed.crd {
            let check = self.objects_check(installed, crd, (stamped, &of_crd.content), &mut of_crd.findings);
            // The server answers 404 for objects of a CRD that is not established, which is a finding.
            let is_established = installed.condition("Established").is_none_or(|condition| condition.status == "True");
            if let Some(check) = check.filter(|_| self.question.reads_objects && is_established) {
                let mut on_page = |progress| on_progress(&installed.metadata.name, progress);
                let failures = self.read_objects(&check, &mut of_crd, on_object, &mut on_page).await;
                report.failures.extend(failures);
            }
        }
        report.failures.extend(installed.crd.as_ref().err().cloned());
        // A finding without a location is about the CRD.
        for finding in of_crd.findings.iter_mut().filter(|finding| finding.location.crd.is_none()) {
            *finding = finding.clone().of_crd(installed.metadata.name.clone(), None, "");
        }
        report.crds.push(of_crd);
    }

    /// Prepares the reading of objects, and adds what the target does to the CRD. Nothing if the CRD serves no version.
    fn objects_check(
        &self,
        installed: &'q InstalledCrd,
        crd: &'q CustomResourceDefinition,
        (stamped, content): (&Stamped, &Content),
        findings: &mut Vec<Diagnostic>,
    ) -> Option<ObjectsCheck<'q>> {
        let question = self.question;
        let Some(version) = crd.preferred() else {
            findings.push(codes::NOT_READ.finding("it serves no version, so its objects are not read"));
            return None;
        };
        let bundle = stamped.version();
        let part = match content {
            Content::Monthly { nearest, .. } => Some(*nearest),
            _ => stamped.part(),
        };
        let experimental = match part {
            Some((bundle, Channel::Experimental)) if question.known.crds((bundle, Channel::Standard)).is_some() => {
                let standard = question.known.crd((bundle, Channel::Standard), &crd.name);
                let standard = standard.map(|standard| with_versions(standard, [&*version.name]));
                experimental_only(standard.as_ref(), crd)
            }
            _ => Vec::new(),
        };
        let target = self.target.map(|target| self.objects_target(target, installed, crd, &version.name, findings));
        let unsupported = self.classes.and_then(|classes| classes.of_crd(crd, &version.name));
        let version = version.name.to_string();
        let (lenses, redaction) = (question.lenses, question.redaction);
        Some(ObjectsCheck { crd, version, experimental, unsupported, lenses, bundle, target, redaction })
    }

    /// What the target has for the objects of a CRD. Adds what it does to the CRD.
    fn objects_target(
        &self,
        target: &'q Resolved,
        installed: &InstalledCrd,
        crd: &'q CustomResourceDefinition,
        version: &str,
        findings: &mut Vec<Diagnostic>,
    ) -> ObjectsTarget<'q> {
        let minor = self.cluster.server().minor.unwrap_or(NEWEST_MINOR);
        let of_target = target.crds.iter().find(|known| known.name == crd.name).map(|crd| &**crd);
        if of_target.is_none() && !self.question.reads_objects {
            let message = format!("{} does not have it", target.name);
            findings.push(codes::TARGET_WITHOUT.finding(message).help("replace its objects, then delete it"));
        }
        for refusal in crd_forecast(crd, &installed.stored_versions, of_target, minor).refusals {
            let message = format!("the server refuses the CRD of {}: {refusal}", target.name);
            let help = match refusal.starts_with("status.storedVersions") {
                true => "migrate the objects of that version first",
                false => "keep a copy of the objects, and delete the CRD first",
            };
            findings.push(codes::TARGET_REFUSED.finding(message).help(help));
        }
        let forecaster = Forecaster::prepare(crd, version, of_target, None, minor).unwrap_or_else(|problems| {
            let problems = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            let message = format!("the CRD of {} cannot be evaluated: {problems}", target.name);
            findings.push(codes::UNPREPARED.finding(message));
            None
        });
        // The server has it, so its rules compile.
        let today = || Forecaster::prepare(crd, version, Some(crd), None, minor).ok().flatten();
        let today = forecaster.as_ref().and_then(|_| today());
        let schema = |crd: Option<&'q CustomResourceDefinition>| Some(&crd?.version(version)?.schema);
        let schemas = schema(Some(crd)).zip(schema(of_target));
        let type_changes =
            schemas.map(|(installed, target)| TypeChanges::between(installed, target)).unwrap_or_default();
        ObjectsTarget { version: target.version, name: &target.name, crd: of_target, forecaster, today, type_changes }
    }

    /// Reads the objects of a CRD. Returns what could not be read.
    async fn read_objects(
        &self,
        check: &ObjectsCheck<'_>,
        report: &mut CrdReport,
        on_object: &mut (dyn FnMut(ObjectReport) + Send),
        on_page: &mut (dyn FnMut(Progress) + Send),
    ) -> Vec<Diagnostic> {
        let mut reading = ObjectsReading::new(check);
        let mut on_each = |object| {
            if let Some(report) = reading.add(&object) {
                on_object(report);
            }
        };
        let listing = self.cluster.objects(check.crd, &check.version, &mut on_each, on_page).await;
        let (objects, findings) = reading.finish(&listing);
        report.objects = Some(objects);
        report.findings.extend(findings);
        listing.diagnostics
    }
}
