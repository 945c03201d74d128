//! The contents of a release: every file of `bundles/VERSION` and of `dist/`, before anything is written.
//!
//! Invariants: values only, except for the page of the API reference, which reads the releases. The bundle depends on the types, the history and the release date; `dist/` depends on the bundle, the templates
//! and `Cargo.lock`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_bindings::{json_schema, openapi};
use crd_bundle::admission::{ReleasedChannel, declared, guardrails, safe_upgrades};
use crd_bundle::manifest::{self, EarlierBundle, LedgerEntry, LedgerRecord, ManifestFile, VerdictRecord};
use crd_bundle::{Bump, BundleManifest, BundleVersion, Digest, files};
use crd_compat::tombstone::Ledger;
use crd_compat::{RequiredBump, Verdict};
use crd_convert::Lens;
use crd_diagnostics::{Diagnostic, all, fail_on, successes};
use crd_generate::{BundleFile, Catalogue};
use crd_generator::root::BUNDLES;
use crd_generator::session::Session;
use crd_generator::{file, go_module};
use crd_graduation::document;
use crd_model::parallel;
use crd_release::notes::{Notes, Since};
use crd_release::oci::REFERENCE;
use crd_release::signatures::Signer;
use crd_release::template::{TemplateError, Templates};
use crd_release::{
    Artefact, NOTES, Release, archive, bindings, chart, install, kustomization, notes, oci, sbom, signatures, sums,
    webhook,
};
use crd_review::Reviewed;
use crd_review::Side;
use crd_review::comparison::findings;
use crd_review::gate::Files;
use crd_site::SiteRelease;

use super::Start;
use crate::ledger;
use crate::site::{Sources, page_of, shown, table};
use crate::workspace::Workspace;

/// The name of this program in manifests.
const TOOL: &str = concat!("crd-channels ", env!("CARGO_PKG_VERSION"));

/// The sources of the files.
pub(super) struct Contents<'a> {
    pub(super) start: &'a Start<'a>,
    pub(super) workspace: &'a Workspace<'a>,
    pub(super) reviewed: &'a Reviewed,
    /// The text of `graduation.json`, if the bundle has it.
    pub(super) graduation: Option<String>,
    /// The text of the waivers, if their file exists.
    pub(super) waivers: Option<&'a str>,
}

impl Contents<'_> {
    fn catalogue(&self) -> &Catalogue {
        self.workspace.types.projection.catalogue
    }

    fn version(&self) -> BundleVersion {
        self.start.options.version
    }

    /// The input of the artefacts. Every text is read back by an independent reader.
    pub(super) fn release(&self) -> Result<Release, Vec<Diagnostic>> {
        let mut channels = Vec::new();
        let mut errors = Vec::new();
        for (channel, crds) in &self.workspace.types.candidate.channels {
            let files = files(crds.clone());
            let mismatches = parallel::each(&files, |file| {
                let predicate = format!("reads back as another document: {}", file.read_back().err()?);
                let error = file::error("file::read-back", format!("{channel}/{}", file.name), predicate);
                Some(error.help("this is a bug in this tool; please report it"))
            });
            errors.extend(mismatches.into_iter().flatten());
            // A channel without CRDs has no files.
            if !files.is_empty() {
                channels.push(ReleasedChannel { channel: *channel, files });
            }
        }
        fail_on(errors)?;
        let mut documents = Vec::new();
        let mut add = |name: &str, text: String| {
            documents.push(Artefact { name: name.to_owned(), bytes: text.into_bytes() });
        };
        for BundleFile { name, text, is_empty } in all(self.workspace.types.projection.documents())? {
            if !is_empty && self.lists(name) {
                add(name, text);
            }
        }
        if let Some(text) = &self.graduation {
            add(document::FILE_NAME, text.clone());
        }
        Ok(Release {
            name: self.catalogue().settings().name().to_owned(),
            prefix: self.catalogue().prefix().to_owned(),
            version: self.version(),
            released: self.start.date.released,
            channels,
            documents,
            webhook: self.catalogue().validating_webhook().cloned(),
            policies: self.catalogue().admission_policies().to_vec(),
        })
    }

    /// The lenses of the bundle.
    fn lenses(&self) -> &[Lens] {
        if self.has_conversions() { &self.workspace.lenses.document.lenses } else { &[] }
    }

    fn has_conversions(&self) -> bool {
        !self.workspace.lenses.document.lenses.is_empty() && self.lists(crd_convert::FILE_NAME)
    }

    /// Whether the bundle has a file. A bundle that is built again has those that it was released with.
    fn lists(&self, name: &str) -> bool {
        self.start.committed.as_ref().is_none_or(|manifest| manifest.files.iter().any(|file| file.path == name))
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
        tree.extend(release.documents.iter().map(|document| (document.name.clone(), document.bytes.clone())));
        let listed = tree.iter().map(|(path, bytes)| ManifestFile { path: path.clone(), sha256: Digest::of(bytes) });
        let manifest = BundleManifest {
            version: self.version(),
            channels: release.channels.iter().map(|released| released.channel).collect(),
            baseline: self.reviewed.baseline,
            earlier: self.earlier(),
            imported: false,
            profile: self.catalogue().policy_profile(),
            files: listed.collect(),
            tombstones: self.ledger(),
            verdict: self.reviewed.baseline.map(|_| verdict(&self.reviewed.report.verdict)),
            waivers: self.waivers.map(Digest::of),
            released: Some(self.start.date.released),
            tool: Some(TOOL.to_owned()),
        };
        tree.insert(manifest::FILE_NAME.to_owned(), manifest.to_yaml().into_bytes());
        tree
    }

    /// Whether a bundle below this one existed at its release. Patches of older minors may have followed.
    fn existed(&self, version: BundleVersion) -> bool {
        self.start
            .committed
            .as_ref()
            .is_none_or(|manifest| manifest.earlier.iter().any(|earlier| earlier.version == version))
    }

    /// The bundles below this one that existed at its release.
    fn earlier(&self) -> Vec<EarlierBundle> {
        let bundles = self.workspace.history.releases.bundles.iter();
        let bundles = bundles.filter(|(version, _)| **version < self.version() && self.existed(**version));
        bundles
            .filter_map(|(version, source)| Some(EarlierBundle { version: *version, sha256: source.manifest_digest? }))
            .collect()
    }

    /// The tombstones at the release.
    fn tombstones(&self) -> Ledger {
        let entries = self.workspace.history.ledger.entries().iter();
        // A bundle that is built again has the entries that it was released with.
        let recorded = |id: &str| {
            let entries = |manifest: &BundleManifest| manifest.tombstones.clone().map(|ledger| ledger.entries);
            self.start
                .committed
                .as_ref()
                .is_none_or(|manifest| entries(manifest).into_iter().flatten().any(|entry| entry.id == id))
        };
        ledger::of(entries.filter(|entry| recorded(&entry.name.to_string())))
    }

    fn ledger(&self) -> Option<LedgerRecord> {
        let ledger = self.tombstones();
        if ledger.entries().is_empty() {
            return None;
        }
        let digest = |text: &str| text.parse::<Digest>().ok();
        let entries =
            ledger.digests().into_iter().filter_map(|(id, text)| Some(LedgerEntry { id, sha256: digest(&text)? }));
        Some(LedgerRecord { sha256: digest(&ledger.digest())?, entries: entries.collect() })
    }

    /// The page with the API reference of this release and of all releases below it that existed then, so that a release that is made again has the
    /// same page.
    pub(super) fn reference(&self, session: &Session<'_>) -> Result<Artefact, Vec<Diagnostic>> {
        let (version, settings) = (self.version(), self.catalogue().settings());
        let release = crd_bundle::Release {
            name: version.to_string(),
            released: Some(self.start.date.released),
            constants: Some(self.catalogue().condition_constants().clone()).filter(|constants| !constants.is_empty()),
            ..self.workspace.types.candidate.clone()
        };
        let mut known = self.workspace.history.releases.clone();
        known.bundles.retain(|other, _| other.is_release() && *other < version && self.existed(*other));
        known.archived.retain(|other, _| *other < version);
        let mut releases = shown(&known);
        releases.push(SiteRelease::new(release, version.to_string(), false));
        let sources = Sources {
            name: Some(settings.name().to_owned()),
            releases,
            ledger: self.tombstones(),
            waivers: self.workspace.history.waivers.clone(),
            lenses: self.lenses().to_vec(),
            // An altered file is an error of the release.
            graduation: self.graduation.as_deref().and_then(|text| serde_json::from_str(text).ok()),
            // Later reports would change the page of a release that is made again.
            features: Vec::new(),
            sizes: table(self.workspace.root, None, session)?,
            has_charts: true,
        };
        let page = page_of(sources, Some(self.reviewed.report.profile.profile))?;
        Ok(Artefact { name: REFERENCE.to_owned(), bytes: page.html.into_bytes() })
    }

    /// The release with fewer descriptions that the settings ask for.
    fn lean(&self, release: &Release) -> Result<Option<Release>, Vec<Diagnostic>> {
        let Some(limit) = self.catalogue().settings().lean else { return Ok(None) };
        let error = |message| {
            let error = Diagnostic::error("generate::unfit", message);
            error.help("use large types in fewer places, or change `lean` in the settings")
        };
        release.fitted(limit).map(Some).map_err(|messages| messages.into_iter().map(error).collect())
    }

    /// The files of `dist/`. `bundle` are those of `bundles/VERSION`; `templates` are the templates of the workspace, by path; `lock` is the `Cargo.lock` of this program; `reference` is the page with the API
    /// reference.
    pub(super) fn dist(
        &self,
        release: &Release,
        bundle: &Files,
        reference: Artefact,
        templates: Vec<(String, String)>,
        lock: Option<&str>,
    ) -> Result<Files, Vec<Diagnostic>> {
        let of_template = |error: TemplateError| vec![Diagnostic::error("release::template", error.to_string())];
        let templates = Templates::with_overrides(templates)
            .map_err(|errors| errors.into_iter().flat_map(of_template).collect::<Vec<_>>())?;
        let upgrades = safe_upgrades::policies(release);
        let guards = guardrails::policies(release);
        let declared = declared::policies(release);
        let webhooks = webhook::of_channels(release);
        let crds = &self.workspace.types.candidate.channels;
        let ((schemas, go), documents) =
            parallel::both(|| (json_schema::files(crds), self.go_module()), || openapi::files(crds));
        let schemas = schemas?;
        let mut of_bindings = vec![(bindings::SCHEMAS, schemas.clone()), (bindings::OPENAPI, documents?)];
        of_bindings.extend(go?.map(|files| (bindings::GO, files)));
        let lean = self.lean(release)?;
        let (upgrades, guards, templates) = (&*upgrades, &*guards, &templates);
        // The longest first, because each thread takes the next one when it is free.
        let mut works: Vec<Task<'_>> = Vec::new();
        for ReleasedChannel { channel, .. } in &release.channels {
            works.push(Box::new(|| oci::layer(release, *channel).map_err(of_template)));
        }
        works.push(Box::new(|| archive::bundle_archive(release, upgrades, guards, templates).map_err(of_template)));
        for ReleasedChannel { channel, .. } in release.channels.iter().rev() {
            works.push(Box::new(|| chart::chart(release, *channel, upgrades, guards, templates).map_err(of_template)));
            works.push(Box::new(|| install::install(release, *channel, upgrades, templates).map_err(of_template)));
            if let Some(lean) = &lean {
                works.push(Box::new(|| install::lean(lean, *channel, upgrades, templates).map_err(of_template)));
            }
        }
        for (channel, objects) in &webhooks {
            works.push(Box::new(|| install::webhook(release, *channel, objects, templates).map_err(of_template)));
        }
        for (name, files) in &of_bindings {
            works.push(Box::new(|| bindings::archive(name, files, release.released).map_err(of_template)));
        }
        if !declared.is_empty() {
            works.push(Box::new(|| install::policies(release, &declared, templates).map_err(of_template)));
        }
        if !guards.is_empty() {
            works.push(Box::new(|| install::guardrails(release, guards, templates).map_err(of_template)));
        }
        let mut errors = Vec::new();
        let mut artefacts = successes(parallel::each(&works, |work| work()), &mut errors);
        if !errors.is_empty() {
            // Both charts use the same templates.
            let mut known = BTreeSet::new();
            errors.retain(|error| known.insert(error.to_string()));
            return Err(errors);
        }
        let layers = artefacts.drain(..release.channels.len()).collect();
        artefacts.extend(release.documents.iter().cloned());
        artefacts.push(reference);
        artefacts.push(self.notes(release, &artefacts, templates).map_err(of_template)?);
        artefacts.push(sbom::sbom(release, &artefacts, lock, env!("CARGO_PKG_VERSION"))?);
        artefacts.push(sums::sha256sums(&artefacts));
        let schemas = sums::folder(bindings::FOLDER, artefacts_of(schemas)).collect();
        artefacts.extend(self.folders(release, bundle, &artefacts, layers, schemas, lock));
        Ok(artefacts.into_iter().map(|artefact| (artefact.name, artefact.bytes)).collect())
    }

    /// The folders of `dist/`: the schemas, the OCI layout, and the signatures of everything if a key was named.
    fn folders(
        &self,
        release: &Release,
        bundle: &Files,
        files: &[Artefact],
        mut layers: Vec<Artefact>,
        mut folders: Vec<Artefact>,
        lock: Option<&str>,
    ) -> Vec<Artefact> {
        let manifest = bundle.get(manifest::FILE_NAME).cloned().unwrap_or_default();
        let mut dependencies =
            vec![(format!("{BUNDLES}/{}/{}", release.version, manifest::FILE_NAME), Digest::of(&manifest))];
        dependencies.extend(lock.map(|lock| ("Cargo.lock".to_owned(), Digest::of(lock))));
        layers.push(Artefact { name: manifest::FILE_NAME.to_owned(), bytes: manifest });
        let signer = self.start.options.sign.as_ref().map(|key| Signer { key, dependencies });
        let layout = oci::layout(release, files.iter().chain(&layers), signer.as_ref());
        folders.extend(sums::folder(oci::FOLDER, artefacts_of(layout.files())));
        if let Some(signer) = signer {
            folders.extend(sums::folder(signatures::FOLDER, signer.files(release, files, &folders)));
        }
        folders
    }

    /// The files of the Go module that the settings ask for. The source of the types has been compared with the compiled types.
    fn go_module(&self) -> Result<Option<BTreeMap<String, String>>, Vec<Diagnostic>> {
        let settings = self.catalogue().settings();
        let (Some(module), Some(types)) = (&settings.go, &settings.types) else { return Ok(None) };
        let types = crd_generator::source::catalogue(self.workspace.root, types, settings.clone())?;
        go_module::files(&types, module, None, None).map(Some)
    }

    fn notes(&self, release: &Release, others: &[Artefact], templates: &Templates) -> Result<Artefact, TemplateError> {
        let mut names = others.iter().map(|artefact| artefact.name.clone()).collect::<Vec<_>>();
        names.extend([NOTES.to_owned(), sbom::file_name(release), sums::FILE.to_owned()]);
        // Not the signatures: the notes of CI, which has no key, are the same.
        names.push(format!("{}/", oci::FOLDER));
        names.sort();
        let Reviewed { report, baseline, declared } = self.reviewed;
        let Workspace { history, types, .. } = self.workspace;
        let reviewed = report.findings.iter().map(|located| located.finding.clone()).collect::<Vec<_>>();
        let below = history.versions().into_iter().filter(|known| *known < self.version()).max();
        // The notes of a pre-release list the changes since the previous pre-release.
        let since = if self.version().is_release() { *baseline } else { below };
        let since = since.and_then(|version| Some((version, history.bundle(version)?)));
        let other = since.filter(|(version, _)| Some(*version) != *baseline).map(|(_, since)| {
            let candidate = Side { name: self.version().to_string(), ..Side::of(&types.candidate) };
            findings(
                Some(&Side::of(since)),
                &candidate,
                &report.profile,
                declared,
                &Arc::default(),
                crd_compat::Evidence::default(),
            )
        });
        let input = Notes {
            release,
            baseline: *baseline,
            verdict: &report.verdict,
            verdict_findings: &reviewed,
            since: since.map(|(version, release)| Since { version, channels: &release.channels }),
            findings: other.as_deref().unwrap_or(&reviewed),
            ledger: &history.ledger,
            lenses: self.lenses(),
            artefacts: &names,
        };
        notes::notes(&input, templates)
    }
}

fn artefacts_of(files: BTreeMap<String, impl Into<Vec<u8>>>) -> Vec<Artefact> {
    files.into_iter().map(|(name, bytes)| Artefact { name, bytes: bytes.into() }).collect()
}

type Task<'w> = Box<dyn Fn() -> Result<Artefact, Vec<Diagnostic>> + Sync + 'w>;

/// The verdict in the form of manifests. The gate refuses changes that no bump permits.
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
