//! Published bundles: CRDs read from install files, folders, archives, lists and clusters.
//!
//! Steps: files of a folder or archive (`tree`, `layout`) → bytes → texts (`archive`, `text`) → documents (`crd_model::yaml`) → CRDs or
//! skipped documents (`document`, `crd`) → one bundle ([`join`]).
//!
//! Invariants:
//! * All errors of all inputs are reported together, each with file, line, message and fix; an input with an error is not read in part.
//! * A document of kind CustomResourceDefinition is never skipped. All other documents are skipped and listed.
//! * [`limits`] bounds the memory for each input; archives are unpacked in memory, so no path in them can lead to a file.
//! * Inputs can be read on several threads ([`read_one`]); their order decides only the order of errors.

mod archive;
pub mod choice;
pub mod codes;
mod crd;
mod document;
mod found;
mod import;
pub mod layout;
pub mod limits;
mod patch;
mod path;
mod reading;
mod refused;
mod server;
pub mod skips;
mod stamps;
mod template;
mod text;
pub mod tree;
mod v1beta1;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crd_diagnostics::layout::some_of;
use crd_diagnostics::{Diagnostic, Severity, fail_on, printable};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::parallel;
use crd_model::yaml::{Section, SharedSchemas, TextPosition, locate};
use serde_json::{Map, Value};

pub use import::{Expected, IMPORT_RULES, ImportRule, check_bundle};
pub use refused::refused;
pub use server::{Oddity, SERVER_ANSWERS, ServerAnswer, ServerRow};
pub use stamps::{Stamp, Stamps};

use archive::Texts;
use choice::{Choice, Chosen, Used};
pub(crate) use found::error;
use found::{Found, Object};
use layout::{Layout, layout};
use patch::Patch;
use reading::Reading;
use skips::{LeftOut, Skips};
use tree::{Entry, Tree, Unpacked};
use v1beta1::Moves;

#[derive(Clone, Debug)]
pub struct Input {
    /// Its name in messages: a path as the user wrote it, `-`, a path in an archive.
    pub name: String,
    /// What it holds: YAML, JSON, or an archive of such files.
    pub bytes: Vec<u8>,
    /// The channel whose folder it is in.
    pub folder: Option<Channel>,
    /// The names of files and CRDs in it that are left out.
    pub skips: Skips,
}

impl Input {
    /// An input of that name, in the folder of no channel, of which everything is read.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into(), folder: None, skips: Skips::default() }
    }

    /// The same, in the folder of a channel.
    pub fn in_folder(self, folder: Option<Channel>) -> Self {
        Self { folder, ..self }
    }

    /// The same without what is left out by name.
    #[must_use]
    pub fn without(self, skips: &Skips) -> Self {
        Self { skips: skips.clone(), ..self }
    }
}

/// A bundle that was read.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// Its CRDs, by name, then by channel. A name appears once for each channel stamp.
    pub crds: Vec<PublishedCrd>,
    /// Documents other than CRDs, in the order of the inputs; at most [`limits::MOST_PASSED_OVER`] of each input.
    pub passed_over: Vec<PassedOver>,
    /// How many more there are.
    pub more_passed_over: usize,
    /// Files and CRDs that were left out, and what of a layout is not applied.
    pub left_out: Vec<LeftOut>,
    /// What servers would leave out of the CRDs, and other warnings.
    pub warnings: Vec<Diagnostic>,
}

/// A CRD that was read.
#[derive(Clone, Debug)]
pub struct PublishedCrd {
    /// Its content, without what a cluster adds.
    pub crd: CustomResourceDefinition,
    /// Where it comes from.
    pub origin: Origin,
}

/// A CRD that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    pub name: String,
    /// Its API group, as its spec or its name has it.
    pub group: String,
    /// The kind of its objects, if it is known.
    pub kind: Option<String>,
    pub errors: Vec<Diagnostic>,
}

impl Unreadable {
    /// What a document states about itself, if it has a name.
    fn of(document: &Map<String, Value>) -> Option<Self> {
        let name = document.get("metadata")?.get("name")?.as_str().filter(|name| !name.contains("{{"))?;
        let spec = document.get("spec");
        let group = spec.and_then(|spec| spec.get("group")?.as_str()).filter(|group| !group.is_empty());
        let group = group.or_else(|| Some(name.split_once('.')?.1)).unwrap_or_default().to_owned();
        let kind = spec.and_then(|spec| spec.get("names")?.get("kind")?.as_str()).map(str::to_owned);
        Some(Self { name: name.to_owned(), group, kind, errors: Vec::new() })
    }

    /// Whether objects of this group and kind may be its objects.
    pub fn may_have(&self, group: &str, kind: &str) -> bool {
        self.group == group && self.kind.as_ref().is_none_or(|known| known == kind)
    }
}

/// Where a CRD comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The input that it is in; of an archive `archive.tar.gz!path`.
    pub file: String,
    /// The first line of its document, or of its item of a list.
    pub line: usize,
    /// The channel whose folder it is in.
    pub folder: Option<Channel>,
    /// The bundle and channel of its annotations.
    pub stamps: Stamps,
    /// The versions in which a cluster stores objects, of a CRD that comes from one.
    pub stored_versions: Vec<String>,
    /// Whether Helm keeps it after its chart no longer has it: it has the annotation `helm.sh/resource-policy: keep`.
    pub is_kept: bool,
    /// Where to look for the lines of what it holds.
    written: Written,
}

impl Origin {
    /// The channel of its folder, else that of its stamp.
    pub fn channel(&self) -> Option<Channel> {
        self.folder.or(self.stamps.known_channel())
    }

    /// The same as text. A stamp can name an unknown channel.
    fn channel_text(&self) -> Option<&str> {
        self.folder.map(Channel::name).or(self.stamps.channel.as_ref().map(|stamp| &*stamp.text))
    }

    /// Where these paths of the document lead: `spec.versions[0].name`. Paths that lead beyond what is written give the
    /// place where they leave it. The text is searched once for all of them.
    pub fn places<P: AsRef<str>>(&self, paths: &[P]) -> Vec<TextPosition> {
        self.written.places(paths)
    }

    /// Whether it is written in `apiextensions.k8s.io/v1beta1`, and was converted.
    pub fn is_converted(&self) -> bool {
        self.written.moves.is_some()
    }
}

/// The path in the document of a CRD for a path in the objects of an API version: `spec.listeners[*].tls` of `v1` is at
/// `spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.listeners.items.properties.tls`. What the
/// schema does not have is left out at the end.
pub fn schema_path(crd: &CustomResourceDefinition, version: &str, path: &str) -> String {
    path::in_schema(crd, version, path)
}

/// Where a CRD is written.
#[derive(Clone, Debug)]
struct Written {
    source: Arc<Source>,
    section: Section,
    /// The path of the list item: `items[3].`, or nothing.
    above: String,
    line: usize,
    /// Of a converted CRD: where its parts are.
    moves: Option<Arc<Moves>>,
}

impl Written {
    fn new(source: &Arc<Source>, section: Section) -> Self {
        let line = section.content_position().line;
        Self { source: Arc::clone(source), section, above: String::new(), line, moves: None }
    }

    /// A path in the CRD as one in its document.
    fn path(&self, path: &str) -> String {
        match &self.moves {
            Some(moves) => format!("{}{}", self.above, moves.before(path)),
            None => format!("{}{path}", self.above),
        }
    }

    fn places<P: AsRef<str>>(&self, paths: &[P]) -> Vec<TextPosition> {
        let paths: Vec<String> = paths.iter().map(|path| self.path(path.as_ref())).collect();
        locate(&self.source.text, self.section, &paths)
    }
}

/// A text of an input.
#[derive(Clone)]
pub struct Source {
    /// Its name in messages; of a file in an archive `archive.tar.gz!path`.
    pub name: String,
    /// Of a file in an archive: its path in the archive.
    pub path: String,
    /// The channel whose folder it is in.
    pub folder: Option<Channel>,
    /// The whole text. Schemas that are read of it are shared with other texts as long as it is there.
    pub text: Arc<String>,
    /// Whether Helm has made it of a template.
    pub is_rendered: bool,
}

impl Source {
    pub fn new(name: String, text: String) -> Self {
        Self { name, path: String::new(), folder: None, text: Arc::new(text), is_rendered: false }
    }
}

/// The text would drown everything else.
impl fmt::Debug for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A document that is not a CRD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// Its kind: `ConfigMap`; for other documents a description: `a list`, `a Helm template`.
    pub kind: String,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The input that it is in.
    pub file: String,
    /// The first line of its document or item; none where it has no lines.
    pub line: Option<usize>,
}

impl fmt::Display for PassedOver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, file, line } = self;
        formatter.write_str(kind)?;
        if let Some(name) = name {
            write!(formatter, " `{name}`")?;
        }
        write!(formatter, " ({file}")?;
        if let Some(line) = line {
            write!(formatter, ":{line}")?;
        }
        formatter.write_str(")")
    }
}

/// What one input gave; [`join`] makes a bundle of several.
#[derive(Debug, Default)]
pub struct Part {
    crds: Vec<PublishedCrd>,
    patches: Vec<Patch>,
    passed_over: Vec<PassedOver>,
    more_passed_over: usize,
    left_out: Vec<LeftOut>,
    warnings: Vec<Diagnostic>,
    errors: Vec<Diagnostic>,
    /// The CRDs that some of the errors are about.
    unreadable: Vec<Unreadable>,
}

impl Part {
    /// The same without something of a file, for a reason that is not an option.
    #[must_use]
    pub fn without(mut self, file: String, reason: String) -> Self {
        self.left_out.push(LeftOut::new(file, reason));
        self
    }

    /// The names of a choice that have left out something in these parts.
    pub fn used(parts: &[Self]) -> Used {
        Used::of(parts.iter().flat_map(|part| &part.left_out))
    }
}

impl From<Diagnostic> for Part {
    fn from(error: Diagnostic) -> Self {
        Self { errors: vec![error], ..Self::default() }
    }
}

/// All texts of one input, whatever they hold: the input itself, or the files of an archive. Errors are those of data that is not text.
pub fn texts(input: Input) -> (Vec<Source>, Vec<Diagnostic>) {
    let name = input.name.clone();
    let Texts { sources, errors, .. } = archive::texts(Input { skips: Skips::default(), ..input });
    (sources, Reading::new(&name, Part { errors, ..Part::default() }).finish().errors)
}

/// Reads one input, on any thread, without the files and CRDs in it that are left out by name.
pub fn read_one(input: Input, schemas: &SharedSchemas) -> Part {
    let (name, skips) = (input.name.clone(), input.skips.clone());
    read_texts(&name, archive::texts(input), &skips, schemas)
}

/// Reads the CRDs of a tree: the file at its root, or the files that its layout lists, on all processors.
pub fn read_tree(tree: &dyn Tree, schemas: &SharedSchemas) -> Vec<Part> {
    match tree.entry("") {
        None => Vec::new(),
        Some(Entry::Unreadable(error)) => vec![error.into()],
        Some(Entry::File) => vec![read_file(tree, "", None, schemas).unwrap_or_else(Into::into)],
        Some(Entry::Folder) => {
            let Layout { files, rest } = layout(tree);
            let read = parallel::each(&files, |(channel, path)| {
                tree.input(path).map_or_else(Into::into, |input| read_one(input.in_folder(*channel), schemas))
            });
            read.into_iter().chain([rest]).collect()
        }
    }
}

/// Reads the CRDs of a file in the folder of a channel. A file that is left out need not be readable.
///
/// # Errors
/// The file cannot be read.
pub fn read_file(
    tree: &dyn Tree,
    path: &str,
    channel: Option<Channel>,
    schemas: &SharedSchemas,
) -> Result<Part, Diagnostic> {
    match tree.left_out(path) {
        Some(left_out) => Ok(Part { left_out: vec![left_out], ..Part::default() }),
        None => tree.input(path).map(|input| read_one(input.in_folder(channel), schemas)),
    }
}

/// Reads files of an archive as [`read_one`] reads the archive. Their paths are relative to a folder in it, which has this name.
pub fn read_unpacked(name: &str, sources: Vec<Source>, skips: &Skips, schemas: &SharedSchemas) -> Part {
    read_texts(name, Texts { sources, ..Texts::default() }, skips, schemas)
}

/// Reads texts: the files that the layout of an archive lists, then their documents, without the CRDs that are left out by name.
fn read_texts(name: &str, texts: Texts, skips: &Skips, schemas: &SharedSchemas) -> Part {
    let Texts { mut sources, left_out, errors, .. } = texts;
    let mut reading = Reading::new(name, Part { left_out, errors, ..Part::default() });
    if sources.iter().any(|source| !source.path.is_empty()) {
        let Layout { files, rest } = layout(&Unpacked::new(name, sources.iter().cloned()).without(skips));
        reading.add_layout(rest);
        let folders = files.into_iter().map(|(folder, path)| (path, folder)).collect::<BTreeMap<_, _>>();
        sources.retain_mut(|source| {
            let folder = folders.get(&source.path);
            source.folder = folder.copied().flatten();
            folder.is_some()
        });
        sources.sort_by(|one, other| one.path.cmp(&other.path));
    }
    for source in sources {
        let source = Arc::new(match template::without_actions(&source) {
            None => source,
            Some(text) => {
                reading.leave_out(template::note(&source));
                Source { text: Arc::new(text), ..source }
            }
        });
        let mut found = document::read(&source, schemas).map(|found| without_skipped(found, skips));
        while !reading.is_done()
            && let Some(found) = found.next()
        {
            reading.add(found, &source);
        }
    }
    reading.finish()
}

/// What was found, or the record of a CRD that is left out by its name.
fn without_skipped(found: Found, skips: &Skips) -> Found {
    match found {
        Found::Object(Object::Crd(Some(known), read), section) => {
            let left_out = skips.left_out_crd(&known.name, &read.written);
            Found::Object(left_out.map_or_else(|| Object::Crd(Some(known), read), Object::LeftOut), section)
        }
        found => found,
    }
}

/// Makes one bundle of several inputs, and chooses between CRDs of one name. `name` is the user's name of the bundle: the location of errors that
/// are not in one input. All errors of the inputs, and duplicate CRDs, are errors; without any, that there are no CRDs.
pub fn join(name: &str, parts: impl IntoIterator<Item = Part>, choice: &Choice) -> Chosen<Published> {
    let parts = parts.into_iter().map(|part| Part { unreadable: Vec::new(), ..part });
    join_readable(name, parts, choice).and_then(|(published, _)| Ok(published))
}

/// The same, with the CRDs that cannot be read next to the bundle of the other CRDs. Errors are those of [`join`], without those of the unreadable CRDs.
pub fn join_readable(
    name: &str,
    parts: impl IntoIterator<Item = Part>,
    choice: &Choice,
) -> Chosen<(Published, Vec<Unreadable>)> {
    let (mut published, unreadable, errors) = merged(parts);
    let used = choice.select(&mut published);
    let kept = checked(name, published, &unreadable, errors);
    Chosen { kept: kept.map(|published| (published, unreadable)), used }
}

/// All parts together, the CRDs that cannot be read, and the other errors.
fn merged(parts: impl IntoIterator<Item = Part>) -> (Published, Vec<Unreadable>, Vec<Diagnostic>) {
    let mut published = Published::default();
    let (mut errors, mut patches) = (Vec::new(), Vec::new());
    let mut unreadable = Vec::new();
    for part in parts {
        patches.extend(part.patches);
        published.crds.extend(part.crds);
        published.passed_over.extend(part.passed_over);
        published.more_passed_over += part.more_passed_over;
        published.left_out.extend(part.left_out);
        published.warnings.extend(part.warnings);
        let mut of_part = part.unreadable;
        for error in part.errors {
            let crd = error.location.crd.as_ref();
            let crd = crd.and_then(|crd| of_part.iter_mut().find(|other| printable(&other.name) == crd.name));
            match crd {
                Some(crd) => crd.errors.push(error),
                None => errors.push(error),
            }
        }
        unreadable.extend(of_part);
    }
    patch::apply(&patches, &mut published.crds);
    (published, unreadable, errors)
}

/// The bundle in the order of its names, unless there are errors, or it has no CRDs.
fn checked(
    name: &str,
    mut published: Published,
    unreadable: &[Unreadable],
    mut errors: Vec<Diagnostic>,
) -> Result<Published, Vec<Diagnostic>> {
    published.warnings.extend(converted(&published.crds));
    errors.extend(twice(&published.crds));
    if errors.is_empty() && unreadable.is_empty() && published.crds.is_empty() {
        errors.push(no_crds(name, &published));
    }
    fail_on(errors)?;
    published
        .crds
        .sort_by(|left, right| (&left.crd.name, left.origin.channel()).cmp(&(&right.crd.name, right.origin.channel())));
    Ok(published)
}

/// Reads a bundle from all its inputs, one after the other.
///
/// # Errors
/// As [`join`].
pub fn read(name: &str, inputs: impl IntoIterator<Item = Input>) -> Result<Published, Vec<Diagnostic>> {
    let schemas = SharedSchemas::default();
    let parts = inputs.into_iter().map(|input| read_one(input, &schemas)).collect::<Vec<Part>>();
    join(name, parts, &Choice::default()).kept
}

/// A warning about each CRD that was converted.
fn converted(crds: &[PublishedCrd]) -> impl Iterator<Item = Diagnostic> + '_ {
    crds.iter().filter(|crd| crd.origin.is_converted()).map(|crd| {
        let message =
            format!("a CRD of {} is read as servers before Kubernetes 1.22 converted it", v1beta1::API_VERSION);
        let fix = "Newer servers refuse it; take what `kubectl get crd NAME -o yaml` prints";
        let warning = error(codes::CRD_VERSION, &crd.origin.file, crd.origin.line, None, message, fix);
        Diagnostic { severity: Severity::Warning, ..warning }
    })
}

/// CRDs of one name that the stamps do not assign to different channels.
fn twice(crds: &[PublishedCrd]) -> Vec<Diagnostic> {
    let mut known: BTreeMap<&str, Vec<&PublishedCrd>> = BTreeMap::new();
    let mut errors = Vec::new();
    for crd in crds {
        let namesakes = known.entry(&crd.crd.name).or_default();
        let same = |other: &&&PublishedCrd| {
            let (one, other) = (&crd.origin, &other.origin);
            // CRDs next to the folders of channels belong to standard, unless they are stamped.
            let default = one.folder.or(other.folder).map(|_| Channel::Standard.name());
            let texts = one.channel_text().or(default).zip(other.channel_text().or(default));
            texts.is_none_or(|(one, other)| one == other)
        };
        if let Some(first) = namesakes.iter().find(same) {
            let of = match crd.origin.channel_text() {
                Some(channel) => format!("both of the channel {channel}"),
                None => "not distinguished by channel stamps".to_owned(),
            };
            let message = format!(
                "the CRD `{}` is here for the second time, the first is in {}:{}, and they are {of}",
                crd.crd.name, first.origin.file, first.origin.line
            );
            let fix = match choice::proposal(crds, &crd.crd.name) {
                Some(proposal) => proposal,
                None => "Remove one, or name the folder of one bundle only".to_owned(),
            };
            errors.push(error(codes::CRD_TWICE, &crd.origin.file, crd.origin.line, None, message, fix));
        }
        namesakes.push(crd);
    }
    errors
}

/// The error for inputs without CRDs, with what they contain instead.
fn no_crds(name: &str, published: &Published) -> Diagnostic {
    const SHOWN: usize = 3;
    let count = published.passed_over.len() + published.more_passed_over;
    let instead = if !published.left_out.is_empty() {
        let left_out = published.left_out.iter().map(ToString::to_string).collect::<Vec<_>>();
        format!("{} is left out", some_of(&left_out, 1))
    } else if count == 0 {
        "there is no other object".to_owned()
    } else {
        let shown: Vec<String> = published.passed_over.iter().take(SHOWN).map(ToString::to_string).collect();
        let more = if count > SHOWN { format!(" and {} more", count - SHOWN) } else { String::new() };
        format!("there is {}{more}", shown.join(", "))
    };
    let message = format!("no CustomResourceDefinition found; {instead}");
    let fix = "Name a folder, file or archive that holds CRDs as YAML or JSON".to_owned();
    error(codes::NO_CRDS, name, None, None, message, fix)
}

#[cfg(test)]
mod tests;
