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
use crd_diagnostics::{Diagnostic, all, fail_on, successes};
use crd_generate::{AnnotatedResource, BundleFile, Catalogue, InChannels, Projection, annotated, merged};
use crd_inclusion::{Excess, Prover, containment};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::parallel;
use crd_source::reader::compiled::Compiled;
use crd_stamps::{BundleVersion, files, is_stamped, stamp};

use crate::catalogue::{GENERATOR, projected, unreleased_version};
use crate::file::Content;
use crate::folder::{Listing, listing};
use crate::generated_tree::{Change, GeneratedTree};
use crate::locked_folder::LockedFolder;
use crate::root::BUNDLES;
use crate::session::Session;
use crate::source::Comparison;
use crate::transaction::Transaction;
use crate::{file, go_module, root};

/// What to generate, and where.
#[derive(Default)]
pub(crate) struct Options {
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
pub fn stale(types: &Projection<'_>, root: &Path, session: &mut Session<'_>) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    unreleased_version(types.catalogue)?;
    let compiled = !types.catalogue.is_of_source();
    let options = Options { check: true, compiled, root: Some(root.to_owned()), ..Options::default() };
    let mut stale = Vec::new();
    session.begin("comparing the CRDs of the types with the committed ones");
    let generation = generated(types, &options, session)?;
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
    let generated = match projected(catalogue, options.channel) {
        Ok(types) => generated(&types, options, session),
        Err(errors) => Err(errors),
    };
    generated.map_err(|errors| errors.into_iter().map(file::or_out).collect())
}

/// The steps of a generation. Nothing is written after an error.
fn generated(
    types: &Projection<'_>,
    options: &Options,
    session: &mut Session<'_>,
) -> Result<Generation, Vec<Diagnostic>> {
    let source = match options.compiled {
        true => Comparison::of(types, options.root.as_deref(), session)?,
        false => Comparison::default(),
    };
    let mut output = Output::open(options, session)?;
    let mut generation = Generation { warnings: source.warnings, ..Generation::default() };
    let of_folders = generation.compare_folders(types, source.compiled.as_ref(), &output, options);
    let of_crds = match types.crds() {
        Ok(crds) => generation.compare_crds(types, crds, options),
        Err(errors) => errors,
    };
    fail_on([of_crds, of_folders].concat())?;
    generation.find_other_files(types.catalogue, session)?;
    if options.out.is_none() && options.channel.is_none() {
        let source = if options.compiled { source.catalogue.as_ref() } else { Some(types.catalogue) };
        generation.go = go_module::compared(types.catalogue, source, &output.trusted, options.check)?;
    }
    output.write(&generation, session)?;
    Ok(generation)
}

struct Output {
    base: PathBuf,
    /// No link above this folder is followed.
    trusted: PathBuf,
    /// Locked before the comparison until all is written, so that two runs cannot mix their files.
    locked: Option<LockedFolder>,
}

impl Output {
    fn open(options: &Options, session: &mut Session<'_>) -> Result<Self, Vec<Diagnostic>> {
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
        let locked = (!options.check).then(|| LockedFolder::lock(&base, &trusted, session)).transpose()?;
        Ok(Self { base, trusted, locked })
    }

    /// Writes what has changed, unless it is only checked.
    fn write(&mut self, generation: &Generation, session: &mut Session<'_>) -> Result<(), Vec<Diagnostic>> {
        let Some(locked) = &mut self.locked else { return Ok(()) };
        session.begin(format_args!("writing to {}", session.shown(&self.base).display()));
        generation.write(locked, &self.base)?;
        generation.write_above(&self.base, &self.trusted, session)?;
        generation.go.as_ref().map_or(Ok(()), |go| go.write(&self.trusted, session))
    }
}

/// The lenses of the types and of their catalogue.
pub fn lenses_of_types(catalogue: &Catalogue) -> Result<crd_convert::Document, Vec<Diagnostic>> {
    let types = Projection::new(catalogue, annotated(catalogue)?, GENERATOR);
    types.lenses().map(|lenses| lenses.document.clone())
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
    fn resource(
        &self,
        resource: &AnnotatedResource,
        projected: &InChannels,
    ) -> Result<GeneratedResource, Vec<Diagnostic>> {
        let channels = self.catalogue.channels();
        let mut breaches = Vec::new();
        let mut warnings = Vec::new();
        for (index, (channel, crd)) in projected.iter().enumerate() {
            warnings.extend(resource.warnings(crd, *channel));
            // Channels are ordered from the most stable to the least, and each is contained in the next one.
            if channels.last() != Some(channel) {
                let wider = projected.get(index + 1).map(|(_, crd)| std::slice::from_ref(&**crd)).unwrap_or_default();
                breaches.extend(containment(std::slice::from_ref(&**crd), wider, &self.prover));
            }
        }
        let output = |channel: &Channel| self.channels.iter().find(|output| output.channel == *channel);
        let written = projected.iter().filter_map(|(channel, crd)| Some((output(channel)?, crd)));
        let written: Vec<_> = written.collect();
        let with_costs = written.iter().filter(|_| self.options.costs);
        let costs = with_costs.flat_map(|(output, crd)| costs(output.channel, crd)).collect();
        let files = written.into_iter().filter_map(|(output, crd)| {
            let mut crd = CustomResourceDefinition::clone(crd);
            stamp(&mut crd, self.catalogue.prefix(), self.version, output.channel);
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
    /// Lists the folders of the channels, and compares the documents next to them. Returns what is wrong.
    fn compare_folders(
        &mut self,
        types: &Projection<'_>,
        compiled: Option<&Compiled>,
        Output { base, trusted, .. }: &Output,
        options: &Options,
    ) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        if let (Some(compiled), None) = (compiled, &options.out) {
            let (text, folder) = (compiled.to_json(), trusted.join(BUNDLES));
            let changed = changed_document("compiled.json", text, !compiled.is_needed(), &folder, options);
            self.documents.extend(successes([changed], &mut errors).into_iter().flatten());
        }
        // Not repeated for each channel.
        if let Err(error) = listing(base, trusted) {
            errors.push(error);
            return errors;
        }
        let channels = Channel::ALL.into_iter().filter(|channel| options.channel.is_none_or(|only| only == *channel));
        let channels = channels.map(|channel| GeneratedChannel::of(channel, base.join(channel.name()), trusted));
        self.channels = successes(channels, &mut errors);
        let changed = types.documents().map(|document| {
            let BundleFile { name, text, is_empty } = document?;
            changed_document(name, text, is_empty, base, options).map_err(Vec::from)
        });
        self.documents.extend(successes(changed, &mut errors).into_iter().flatten());
        errors
    }

    /// Compares the CRDs with each other and with the files of the channels. Returns what is wrong.
    fn compare_crds(&mut self, types: &Projection<'_>, crds: &[InChannels], options: &Options) -> Vec<Diagnostic> {
        let Projection { catalogue, resources, .. } = types;
        let version = catalogue.next_version().unreleased();
        let work = Work { catalogue, version, options, channels: &self.channels, prover: Arc::default() };
        let projected: Vec<_> = resources.iter().zip(crds).collect();
        let size = |(resource, _): &(&AnnotatedResource, _)| resource.nodes();
        let generated =
            parallel::each_largest_first(&projected, size, |(resource, crds)| work.resource(resource, crds));
        let mut errors = Vec::new();
        let mut warnings = crd_generate::deprecated_names(resources);
        warnings.extend(crd_generate::quoted_patterns(resources));
        warnings.extend(crd_generate::flattened_maps(resources));
        for resource in successes(generated, &mut errors) {
            self.breaches.extend(resource.breaches);
            warnings.extend(resource.warnings);
            self.costs.extend(resource.costs);
            for file in resource.files {
                if let Some(channel) = self.channels.iter_mut().find(|channel| channel.channel == file.channel) {
                    channel.names.insert(file.name);
                    channel.versions += file.versions;
                    channel.bytes += file.bytes;
                    channel.changed.extend(file.change);
                }
            }
        }
        self.warnings.extend(warnings);
        self.warnings = merged(std::mem::take(&mut self.warnings));
        self.costs.sort_by_key(|costs| (costs.channel, Reverse(costs.estimate.total)));
        merged(errors)
    }

    /// Finds files of the channels that were not generated. A channel that the catalogue does not have is reported only where files of it are left.
    fn find_other_files(&mut self, catalogue: &Catalogue, session: &Session<'_>) -> Result<(), Vec<Diagnostic>> {
        let mut errors = Vec::new();
        for channel in &mut self.channels {
            channel.find_other_files(catalogue.prefix(), session, &mut self.notes, &mut errors);
        }
        self.channels.retain(|channel| catalogue.channels().contains(&channel.channel) || channel.has_changes());
        fail_on(errors)
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
