//! Generation: the CRDs of the types in every channel, compared with an output directory, and written to it.
//!
//! Invariants: all channels are projected even if one is written, so that a change cannot break a channel unnoticed. Nothing is written
//! before the types, the texts (read back by an independent reader if they change) and the output directory are checked. Files that this
//! tool has not written never change.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crd_cel::estimate::{Estimate, Estimator};
use crd_convert::FILE_NAME;
use crd_diagnostics::{Diagnostic, Severity, all, fail_on, successes};
use crd_generate::{AnnotatedResource, Catalogue, annotated, merged};
use crd_inclusion::{Excess, Prover, containment};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::constants;
use crd_model::parallel;
use crd_stamps::{BundleVersion, features, files, is_stamped, stamp};

use crate::catalogue::{GENERATOR, check_channel, unreleased_version};
use crate::file::Content;
use crate::folder::{Listing, listing};
use crate::generated_tree::{Change, GeneratedTree};
use crate::locked_folder::LockedFolder;
use crate::root::BUNDLES;
use crate::session::Session;
use crate::transaction::Transaction;
use crate::{file, go_module, root, source};

/// What to generate, and where.
#[derive(Default)]
pub(crate) struct Options {
    /// Write nothing.
    pub(crate) check: bool,
    /// The types are compiled: record what source does not contain, and compare with it.
    pub(crate) compiled: bool,
    /// Write this channel only.
    pub(crate) channel: Option<Channel>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) root: Option<PathBuf>,
    pub(crate) read_back: bool,
    /// Estimate the cost of all CEL rules.
    pub(crate) costs: bool,
}

/// What was written, or with `check` would be.
#[derive(Default)]
pub(crate) struct Generation {
    pub(crate) channels: Vec<GeneratedChannel>,
    /// The files of the recommended condition types and reasons, and of the conversions, if they are missing or differ.
    pub(crate) documents: Vec<(PathBuf, Change)>,
    /// The Go module that the settings ask for.
    pub(crate) go: Option<GeneratedTree>,
    /// Where a channel is not, or may not be, contained in the next one.
    pub(crate) breaches: Vec<Excess>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) notes: Vec<String>,
    /// By channel, the highest total first; with `costs`.
    pub(crate) costs: Vec<Costs>,
}

/// The estimated cost of the CEL rules of a version.
pub(crate) struct Costs {
    pub(crate) channel: Channel,
    pub(crate) crd: String,
    pub(crate) version: String,
    /// The highest estimates of the supported minors, the most expensive rule first.
    pub(crate) estimate: Estimate,
}

/// The output directory of a channel.
pub(crate) struct GeneratedChannel {
    pub(crate) channel: Channel,
    pub(crate) folder: PathBuf,
    listing: Listing,
    /// The names of all generated files.
    pub(crate) names: BTreeSet<String>,
    pub(crate) versions: usize,
    pub(crate) bytes: usize,
    pub(crate) changed: Vec<Change>,
    /// Generated files without a type.
    pub(crate) removed: BTreeMap<String, Content>,
}

impl Generation {
    pub(crate) fn has_changes(&self) -> bool {
        self.channels.iter().any(GeneratedChannel::has_changes)
            || !self.documents.is_empty()
            || self.go.as_ref().is_some_and(GeneratedTree::has_changes)
    }
}

impl GeneratedChannel {
    pub(crate) fn has_changes(&self) -> bool {
        !self.changed.is_empty() || !self.removed.is_empty()
    }
}

/// The committed files that differ from the types, sorted.
pub fn stale(
    catalogue: &Catalogue,
    resources: &[AnnotatedResource],
    root: &Path,
    session: &mut Session<'_>,
) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    let options = Options { check: true, compiled: true, root: Some(root.to_owned()), ..Options::default() };
    let mut stale = Vec::new();
    session.begin("comparing the CRDs of the types with the committed ones");
    let generation = generated(catalogue, resources, &options, session)?;
    stale.extend(generation.documents.into_iter().map(|(path, _)| path));
    if let Some(GeneratedTree { folder, changed, removed, .. }) = generation.go {
        let names = changed.iter().map(|change| &change.name).chain(removed.keys());
        stale.extend(names.map(|name| folder.join(name)));
    }
    for channel in generation.channels {
        let names = channel.changed.iter().map(|change| &change.name).chain(channel.removed.keys());
        stale.extend(names.map(|name| channel.folder.join(name)));
    }
    stale.sort();
    Ok(stale)
}

/// Generates the CRDs, and writes them unless `check`.
pub(crate) fn generate(
    catalogue: &Catalogue,
    options: &Options,
    session: &mut Session<'_>,
) -> Result<Generation, Vec<Diagnostic>> {
    session.begin("generating the CRDs of the types");
    let resources = || {
        unreleased_version(catalogue)?;
        options.channel.map_or(Ok(()), |channel| check_channel(catalogue, channel))?;
        annotated(catalogue)
    };
    let generation = resources().and_then(|resources| generated(catalogue, &resources, options, session));
    generation.map_err(|errors| errors.into_iter().map(file::or_out).collect())
}

#[expect(clippy::too_many_lines, reason = "the steps of a generation share its errors")]
fn generated(
    catalogue: &Catalogue,
    resources: &[AnnotatedResource],
    options: &Options,
    session: &mut Session<'_>,
) -> Result<Generation, Vec<Diagnostic>> {
    let version = unreleased_version(catalogue)?;
    let (base, trusted) = match &options.out {
        Some(out) => {
            let out = session.folder.join(out);
            check_not_committed(&out)?;
            (out.clone(), out)
        }
        None => {
            let root = root::locate(options.root.as_deref(), session)?;
            (root.join(BUNDLES).join("unreleased"), root)
        }
    };
    // Locked before the comparison until all is written, so that two runs cannot mix their files.
    let mut locked = (!options.check).then(|| LockedFolder::lock(&base, &trusted, session)).transpose()?;
    let mut errors = Vec::new();
    let mut generation = Generation::default();
    let compared;
    let source = if options.compiled {
        compared = generation.compare_with_source(catalogue, resources, options, session)?;
        compared.as_ref()
    } else {
        Some(catalogue)
    };
    match listing(&base, &trusted) {
        Ok(_) => {
            let channels =
                Channel::ALL.into_iter().filter(|channel| options.channel.is_none_or(|only| only == *channel));
            let channels = channels.map(|channel| GeneratedChannel::of(channel, base.join(channel.name()), &trusted));
            generation.channels = successes(channels, &mut errors);
            let constants = catalogue.condition_constants();
            let constants = (constants::FILE_NAME, constants.to_json(), constants.is_empty());
            let conversions = crd_generate::conversions(catalogue, resources, GENERATOR);
            let conversions =
                conversions.map(|(document, _)| (FILE_NAME, document.write(), document.lenses.is_empty()));
            let features = crd_generate::features(catalogue, resources, GENERATOR);
            let features =
                features.map(|document| (features::FILE_NAME, document.to_json(), document.elements.is_empty()));
            let documents = [Ok(constants), conversions, features];
            let changed = documents.map(|document| {
                let (name, text, is_empty) = document?;
                changed_document(name, text, is_empty, &base, options).map_err(|error| vec![error])
            });
            for changed in changed {
                match changed {
                    Ok(changed) => generation.documents.extend(changed),
                    Err(invalid) => errors.extend(invalid),
                }
            }
        }
        // Not repeated for each channel.
        Err(error) => errors.push(error),
    }
    let work = Work { catalogue, version, options, channels: &generation.channels, prover: Arc::default() };
    generation.warnings.extend(crd_generate::deprecated_names(resources));
    generation.warnings.extend(crd_generate::quoted_patterns(resources));
    generation.warnings.extend(crd_generate::flattened_maps(resources));
    let mut resource_errors = Vec::new();
    let generated =
        parallel::each_largest_first(resources, AnnotatedResource::nodes, |resource| work.resource(resource));
    for resource in successes(generated, &mut resource_errors) {
        generation.breaches.extend(resource.breaches);
        generation.warnings.extend(resource.warnings);
        generation.costs.extend(resource.costs);
        for file in resource.files {
            if let Some(channel) = generation.channels.iter_mut().find(|channel| channel.channel == file.channel) {
                channel.names.insert(file.name);
                channel.versions += file.versions;
                channel.bytes += file.bytes;
                channel.changed.extend(file.change);
            }
        }
    }
    generation.warnings = merged(std::mem::take(&mut generation.warnings));
    generation.costs.sort_by_key(|costs| (costs.channel, Reverse(costs.estimate.total)));
    errors.splice(0..0, merged(resource_errors));
    if errors.is_empty() && options.out.is_none() && options.channel.is_none() {
        generation.go = go_module::compared(catalogue, source, &trusted, options.check)?;
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    for channel in &mut generation.channels {
        channel.find_other_files(catalogue.prefix(), session, &mut generation.notes, &mut errors);
    }
    fail_on(errors)?;
    // A channel that the catalogue does not have is reported only where files of it are left.
    generation.channels.retain(|channel| catalogue.channels().contains(&channel.channel) || channel.has_changes());
    if let Some(locked) = &mut locked {
        session.begin(format_args!("writing to {}", session.shown(&base).display()));
        generation.write(locked, &base)?;
        generation.write_above(&base, &trusted, session)?;
        if let Some(go) = &generation.go {
            go.write(&trusted, session)?;
        }
    }
    Ok(generation)
}

/// The lenses of the types and of their catalogue.
pub fn lenses_of_types(catalogue: &Catalogue) -> Result<crd_convert::Document, Vec<Diagnostic>> {
    crd_generate::conversions(catalogue, &annotated(catalogue)?, GENERATOR).map(|(document, _)| document)
}

/// A file next to the channels, if it is missing or differs. An API with nothing to write in it has no file, unless there is an old one.
fn changed_document(
    name: &str,
    text: String,
    is_empty: bool,
    base: &Path,
    options: &Options,
) -> Result<Option<(PathBuf, Change)>, Diagnostic> {
    let path = base.join(name);
    let old = file::existing(&path)?;
    if old.as_deref() == Some(text.as_bytes()) || (old.is_none() && is_empty) {
        return Ok(None);
    }
    Ok(Some((path, Change::of(name.to_owned(), text, old, options.check))))
}

/// A source that cannot be read: the compiled types are still right.
fn as_warning(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.severity = Severity::Warning;
    diagnostic.help.take_if(|help| help.contains("--compiled"));
    diagnostic
}

/// The file that makes a folder a bundle of the history.
const MANIFEST: &str = "bundle.yaml";

/// Refuses an output directory that is a committed bundle, or is in one.
fn check_not_committed(out: &Path) -> Result<(), Diagnostic> {
    let out = fs::canonicalize(out).unwrap_or_else(|_| out.to_owned());
    let is_bundle = |folder: &&Path| fs::symlink_metadata(folder.join(MANIFEST)).is_ok();
    // In other folders above it, a file of this name may belong to another tool.
    let is_version = |folder: &&Path| {
        folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.parse::<BundleVersion>().is_ok())
    };
    let above = out.ancestors().skip(1).filter(is_version);
    let Some(bundle) = std::iter::once(&*out).chain(above).find(is_bundle) else { return Ok(()) };
    let predicate = format!("is a released or imported bundle ({MANIFEST} exists), which never changes");
    Err(file::error("bundle::committed", bundle, predicate).help("choose another folder with `--out DIR`"))
}

/// What every thread needs.
struct Work<'a> {
    catalogue: &'a Catalogue,
    version: BundleVersion,
    options: &'a Options,
    channels: &'a [GeneratedChannel],
    prover: Arc<Prover>,
}

/// The file of a CRD in a channel.
struct GeneratedFile {
    channel: Channel,
    name: String,
    versions: usize,
    bytes: usize,
    change: Option<Change>,
}

/// A resource in all channels.
struct GeneratedResource {
    breaches: Vec<Excess>,
    warnings: Vec<Diagnostic>,
    costs: Vec<Costs>,
    files: Vec<GeneratedFile>,
}

/// The costs of the versions that have rules.
fn costs(channel: Channel, crd: &CustomResourceDefinition) -> Vec<Costs> {
    let versions = crd.versions.iter().map(|version| {
        let mut estimate = Estimator::new(&version.schema).worst();
        estimate.rules.sort_by_key(|rule| Reverse(rule.cost));
        Costs { channel, crd: crd.name.to_string(), version: version.name.to_string(), estimate }
    });
    versions.filter(|costs| !costs.estimate.rules.is_empty()).collect()
}

impl Work<'_> {
    fn resource(&self, resource: &AnnotatedResource) -> Result<GeneratedResource, Vec<Diagnostic>> {
        let channels = self.catalogue.channels();
        let projected = resource.in_channels(self.catalogue)?;
        let mut breaches = Vec::new();
        let mut warnings = Vec::new();
        for (index, (channel, crd)) in projected.iter().enumerate() {
            warnings.extend(resource.warnings(crd, *channel));
            // Channels are ordered from the most stable to the least, and each is contained in the next one.
            if channels.last() != Some(channel) {
                let wider = projected.get(index + 1).map(|(_, crd)| std::slice::from_ref(crd)).unwrap_or_default();
                breaches.extend(containment(std::slice::from_ref(crd), wider, &self.prover));
            }
        }
        let written =
            projected.iter().filter(|(channel, _)| self.channels.iter().any(|output| output.channel == *channel));
        let costs = written.filter(|_| self.options.costs).flat_map(|(channel, crd)| costs(*channel, crd)).collect();
        let files = projected.into_iter().filter_map(|(channel, mut crd)| {
            let output = self.channels.iter().find(|output| output.channel == channel)?;
            stamp(&mut crd, self.catalogue.prefix(), self.version, channel);
            self.file(output, crd).transpose()
        });
        Ok(GeneratedResource { breaches, warnings, costs, files: all(files)? })
    }

    /// The file of a CRD, compared with the existing one.
    fn file(
        &self,
        output: &GeneratedChannel,
        crd: CustomResourceDefinition,
    ) -> Result<Option<GeneratedFile>, Diagnostic> {
        let versions = crd.versions.len();
        let Some(file) = files([crd]).pop() else { return Ok(None) };
        let path = output.folder.join(&file.name);
        let old = file::existing(&path)?;
        let bytes = file.text.len();
        let mut change = None;
        if old.as_deref() != Some(file.text.as_bytes()) {
            if self.options.read_back {
                file.read_back().map_err(|mismatch| {
                    file::error("file::read-back", path, format!("reads back as another document: {mismatch}")).help(
                        "this is a bug in this tool, not in the types; please report it. `--no-read-back` writes the file anyway",
                    )
                })?;
            }
            change = Some(Change::of(file.name.clone(), file.text, old, self.options.check));
        }
        Ok(Some(GeneratedFile { channel: output.channel, name: file.name, versions, bytes, change }))
    }
}

impl GeneratedChannel {
    fn of(channel: Channel, folder: PathBuf, trusted: &Path) -> Result<Self, Diagnostic> {
        let listing = listing(&folder, trusted)?;
        let (names, changed, removed) = (BTreeSet::new(), Vec::new(), BTreeMap::new());
        Ok(Self { channel, folder, listing, names, versions: 0, bytes: 0, changed, removed })
    }

    /// Finds the other files of the folder. Generated files without a type will be removed; all other files stay, with a note.
    fn find_other_files(
        &mut self,
        prefix: &str,
        session: &Session<'_>,
        notes: &mut Vec<String>,
        errors: &mut Vec<Diagnostic>,
    ) {
        for (name, kind) in &self.listing {
            let path = self.folder.join(name);
            let known = name.to_str();
            if known.is_some_and(|name| self.names.contains(name) || name.starts_with('.')) {
                continue;
            }
            // Only files with the name of a generated file: a copy under another name belongs to the user.
            let candidate = known.filter(|name| kind.is_file() && name.ends_with(".yaml") && name.contains('_'));
            if let Some(name) = candidate {
                match file::existing(&path) {
                    Ok(Some(text)) if is_stamped(&String::from_utf8_lossy(&text), prefix) => {
                        self.removed.insert(name.to_owned(), Content::of(&text));
                        continue;
                    }
                    Ok(_) => {}
                    Err(error) => errors.push(error),
                }
            }
            notes.push(format!("{} was not generated and is not changed", session.shown(&path).display()));
        }
    }
}

impl Generation {
    /// Records what source does not contain, and compares the CRDs of the source with those of the compiled types. Returns the catalogue of the source.
    fn compare_with_source(
        &mut self,
        catalogue: &Catalogue,
        resources: &[AnnotatedResource],
        options: &Options,
        session: &Session<'_>,
    ) -> Result<Option<Catalogue>, Vec<Diagnostic>> {
        // The types of tests have settings in code.
        let Ok(root) = root::locate(options.root.as_deref(), session) else { return Ok(None) };
        let compiled = match source::compiled(catalogue, &root) {
            Ok(Some(compiled)) => compiled,
            Ok(None) => return Ok(None),
            Err(refusals) => {
                self.warnings.extend(refusals.into_iter().map(as_warning));
                return Ok(None);
            }
        };
        let read = match source::compare(catalogue, resources, &compiled, &root)? {
            Ok(read) => Some(read),
            Err(refusals) => {
                self.warnings.extend(refusals.into_iter().map(as_warning));
                None
            }
        };
        if options.out.is_none() {
            self.documents.extend(changed_document(
                "compiled.json",
                compiled.to_json(),
                !compiled.is_needed(),
                &root.join(BUNDLES),
                options,
            )?);
        }
        Ok(read)
    }

    /// Writes the changes of all channels, or none.
    fn write(&self, locked: &mut LockedFolder, base: &Path) -> Result<(), Vec<Diagnostic>> {
        // Also where nothing changes.
        self.channels.iter().for_each(|channel| locked.clear(&channel.folder));
        let mut transaction = Transaction::new(locked);
        for channel in &self.channels {
            for change in &channel.changed {
                transaction.write(channel.folder.join(&change.name), change.old, &change.text)?;
            }
            for (name, old) in &channel.removed {
                transaction.remove(channel.folder.join(name), *old);
            }
        }
        for (path, change) in self.documents.iter().filter(|(path, _)| path.starts_with(base)) {
            transaction.write(path.clone(), change.old, &change.text)?;
        }
        transaction.commit()
    }

    /// Writes the file next to the output directory.
    fn write_above(&self, base: &Path, trusted: &Path, session: &mut Session<'_>) -> Result<(), Vec<Diagnostic>> {
        let Some((path, change)) = self.documents.iter().find(|(path, _)| !path.starts_with(base)) else {
            return Ok(());
        };
        let mut locked = LockedFolder::lock(file::folder_of(path), trusted, session)?;
        let mut transaction = Transaction::new(&mut locked);
        transaction.write(path.clone(), change.old, &change.text)?;
        transaction.commit()
    }
}
