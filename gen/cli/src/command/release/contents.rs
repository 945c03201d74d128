//! The contents of a release: every file of `bundles/VERSION` and of `dist/`, before anything is written.
//!
//! Invariants: values only; the bundle depends on the types, the history and the moment of release, `dist/` on the bundle, the templates
//! and the lock file of cargo.

use std::collections::BTreeSet;

use crd_bundle::manifest::{self, EarlierBundle, LedgerEntry, LedgerRecord, ManifestFile, VerdictRecord};
use crd_bundle::{Bump, BundleManifest, BundleVersion, Digest, Released, files};
use crd_compat::{RequiredBump, Verdict};
use crd_generate::Catalogue;
use crd_release::admission::{guardrails, safe_upgrades};
use crd_release::notes::{Notes, Since};
use crd_release::template::{TemplateError, Templates};
use crd_release::{Artefact, Release, ReleasedChannel, archive, chart, install, kustomization, notes, sbom, sums};

use crate::file;
use crate::parallel;
use crd_diagnostics::Diagnostic;
use crd_review::Reviewed;
use crd_review::comparison::findings;

use crd_review::gate::Files;

/// The program that makes bundles, as their manifests name it.
const TOOL: &str = concat!("crd-channels ", env!("CARGO_PKG_VERSION"));

/// What a release is made of, beside the judged types.
pub(super) struct Made<'a> {
    pub(super) catalogue: &'a Catalogue,
    pub(super) version: BundleVersion,
    pub(super) released: Released,
    pub(super) reviewed: &'a Reviewed,
    /// The text of the waivers, if there are any.
    pub(super) waivers: Option<&'a str>,
    /// What the bundle says of itself, if it is there.
    pub(super) committed: Option<&'a BundleManifest>,
}

impl Made<'_> {
    /// The bundle as the artefacts see it. Every text is read back by an independent reader.
    pub(super) fn release(&self) -> Result<Release, Vec<Diagnostic>> {
        let mut channels = Vec::new();
        let mut faults = Vec::new();
        for (channel, crds) in &self.reviewed.candidate {
            let files = files(crds.clone());
            let wrong = parallel::each(&files, |file| (file.name.clone(), file.read_back().err()));
            for (name, mismatch) in wrong {
                faults.extend(mismatch.map(|mismatch| {
                    file::problem(
                        "file::read-back",
                        format!("{channel}/{name}"),
                        format!("reads back as another document: {mismatch}"),
                    )
                    .help("this is a bug in this tool; please report it")
                }));
            }
            // A channel without CRDs has no files, and nothing that could be installed.
            if !files.is_empty() {
                channels.push(ReleasedChannel { channel: *channel, files });
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Release {
            name: self.catalogue.name().to_owned(),
            prefix: self.catalogue.prefix().to_owned(),
            version: self.version,
            released: self.released,
            channels,
        })
    }

    /// The files of `bundles/VERSION`.
    pub(super) fn bundle(&self, release: &Release) -> Files {
        let mut tree = Files::new();
        for ReleasedChannel { channel, files } in &release.channels {
            let names = files.iter().map(|file| file.name.clone()).collect::<Vec<_>>();
            tree.insert(
                format!("{channel}/{}", kustomization::FILE),
                kustomization::kustomization(&names).into_bytes(),
            );
            for file in files {
                tree.insert(format!("{channel}/{}", file.name), file.text.clone().into_bytes());
            }
        }
        let listed = tree.iter().map(|(path, bytes)| ManifestFile { path: path.clone(), sha256: Digest::of(bytes) });
        let manifest = BundleManifest {
            version: self.version,
            channels: release.channels.iter().map(|released| released.channel).collect(),
            baseline: self.reviewed.baseline,
            earlier: self.earlier(),
            imported: false,
            files: listed.collect(),
            tombstones: self.ledger(),
            verdict: self.reviewed.baseline.map(|_| verdict(&self.reviewed.report.verdict)),
            waivers: self.waivers.map(Digest::of),
            released: Some(self.released),
            tool: Some(TOOL.to_owned()),
        };
        tree.insert(manifest::FILE_NAME.to_owned(), manifest.to_yaml().into_bytes());
        tree
    }

    /// The bundles below this one, as they are. Those that came after it are no part of it: bundles above it, and patches of older minors.
    fn earlier(&self) -> Vec<EarlierBundle> {
        let was_there = |version: BundleVersion| {
            self.committed.is_none_or(|manifest| manifest.earlier.iter().any(|earlier| earlier.version == version))
        };
        let bundles = self.reviewed.history.bundles.iter();
        let bundles = bundles.filter(|(version, _)| *version < self.version && was_there(*version));
        bundles
            .filter_map(|(version, source)| Some(EarlierBundle { version: *version, sha256: source.manifest_digest? }))
            .collect()
    }

    fn ledger(&self) -> Option<LedgerRecord> {
        let ledger = &self.reviewed.history.ledger;
        if ledger.entries().is_empty() {
            return None;
        }
        let digest = |text: &str| text.parse::<Digest>().ok();
        let entries =
            ledger.digests().into_iter().filter_map(|(id, text)| Some(LedgerEntry { id, sha256: digest(&text)? }));
        Some(LedgerRecord { sha256: digest(&ledger.digest())?, entries: entries.collect() })
    }

    /// The files of `dist/`. `templates` are the texts that stand in the workspace in place of ours, by path; `lock` is what the program was
    /// built with.
    pub(super) fn dist(
        &self,
        release: &Release,
        templates: Vec<(String, String)>,
        lock: Option<&str>,
    ) -> Result<Files, Vec<Diagnostic>> {
        let of_template = |error: TemplateError| vec![Diagnostic::error("release::template", error.to_string())];
        let templates = Templates::with_overrides(templates)
            .map_err(|errors| errors.into_iter().flat_map(of_template).collect::<Vec<_>>())?;
        let upgrades = safe_upgrades::policies(release);
        let guards = guardrails::policies(release);
        let (upgrades, guards, templates) = (&*upgrades, &*guards, &templates);
        // The longest first: each thread takes the next one when it is free.
        let mut works: Vec<Work<'_>> =
            vec![Box::new(|| archive::bundle_archive(release, upgrades, guards, templates).map_err(of_template))];
        for ReleasedChannel { channel, .. } in release.channels.iter().rev() {
            works.push(Box::new(|| chart::chart(release, *channel, upgrades, guards, templates).map_err(of_template)));
            works.push(Box::new(|| install::install(release, *channel, upgrades, templates).map_err(of_template)));
        }
        if !guards.is_empty() {
            works.push(Box::new(|| install::guardrails(release, guards, templates).map_err(of_template)));
        }
        let (mut artefacts, mut faults) = (Vec::new(), Vec::new());
        for result in parallel::each(&works, |work| work()) {
            match result {
                Ok(artefact) => artefacts.push(artefact),
                Err(wrong) => faults.extend(wrong),
            }
        }
        if !faults.is_empty() {
            // Both charts are made with the same texts.
            let mut told = BTreeSet::new();
            faults.retain(|fault| told.insert(format!("{fault:?}")));
            return Err(faults);
        }
        artefacts.push(self.notes(release, &artefacts, templates).map_err(of_template)?);
        let sbom = sbom::sbom(release, &artefacts, lock, env!("CARGO_PKG_VERSION")).map_err(|errors| {
            errors.into_iter().map(|error| Diagnostic::error("release::sbom", error.to_string())).collect::<Vec<_>>()
        })?;
        artefacts.push(sbom);
        artefacts.push(sums::sha256sums(&artefacts));
        Ok(artefacts.into_iter().map(|artefact| (artefact.name, artefact.bytes)).collect())
    }

    fn notes(&self, release: &Release, others: &[Artefact], templates: &Templates) -> Result<Artefact, TemplateError> {
        let mut names = others.iter().map(|artefact| artefact.name.clone()).collect::<Vec<_>>();
        names.extend([notes::FILE.to_owned(), sbom::file_name(release), sums::FILE.to_owned()]);
        names.sort();
        let Reviewed { report, candidate, history, baseline, declared } = self.reviewed;
        let reviewed = report.findings.iter().map(|located| located.finding.clone()).collect::<Vec<_>>();
        let below = history.versions().into_iter().filter(|known| *known < self.version).max();
        // Who has the last pre-release wants to know what is new since then.
        let since = if self.version.is_release() { *baseline } else { below };
        let since = since.and_then(|version| Some(Since { version, channels: &history.bundle(version)?.channels }));
        let other = match since {
            Some(since) if Some(since.version) != *baseline => {
                Some(findings(Some(since.channels), candidate, report.profile, declared, false))
            }
            _ => None,
        };
        let input = Notes {
            release,
            baseline: *baseline,
            verdict: &report.verdict,
            judged: &reviewed,
            since,
            findings: other.as_deref().unwrap_or(&reviewed),
            ledger: &history.ledger,
            artefacts: &names,
        };
        notes::notes(&input, templates)
    }
}

type Work<'w> = Box<dyn Fn() -> Result<Artefact, Vec<Diagnostic>> + Sync + 'w>;

/// The verdict as manifests write it. The gate lets nothing through that no bump permits.
fn verdict(verdict: &Verdict) -> VerdictRecord {
    VerdictRecord {
        bundle: bump(verdict.bundle),
        channels: verdict.channels.iter().map(|(channel, required_bump)| (*channel, bump(*required_bump))).collect(),
    }
}

fn bump(required_bump: RequiredBump) -> Bump {
    match required_bump {
        RequiredBump::None => Bump::None,
        RequiredBump::Patch => Bump::Patch,
        RequiredBump::Minor => Bump::Minor,
        RequiredBump::Major | RequiredBump::Waiver | RequiredBump::NotAllowed => Bump::Major,
    }
}
