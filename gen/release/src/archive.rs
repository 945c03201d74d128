//! Archives: `.tar.gz` whose bytes depend on what is in them and on nothing else, and the archive of a whole bundle.
//!
//! Invariants: entries sorted by path; files only, mode 0644, user and group 0 without names, modified when the bundle was released; no path
//! leads out of the folder that it is unpacked in, and none appears twice: such a path is refused, never changed; gzip level 6, without a time, a name or an operating system. Paths that the old
//! header cannot hold get a pax header before theirs, which contains only the path.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};

use crd_bundle::Released;
use crd_model::document::send_value;
use crd_model::yaml::{Start, YamlWriter};
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use serde_json::{Value, json};
use tar::{EntryType, Header};

use crate::kustomization::{self, kustomization};
use crate::release::what_is;
use crate::template::{TemplateError, Templates, context};
use crate::{Artefact, Release, webhook};
use crd_bundle::admission::declared;

/// A file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its path: relative, with slashes.
    pub path: String,
    pub bytes: Vec<u8>,
}

impl Entry {
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: bytes.into() }
    }
}

/// A path that no archive takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRefused {
    pub path: String,
    pub why: &'static str,
}

impl fmt::Display for PathRefused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cannot hold the file `{}`, which {}", self.path.escape_debug(), self.why)
    }
}

impl std::error::Error for PathRefused {}

impl PathRefused {
    /// The same as what is wrong with the artefact that should have held it.
    pub(crate) fn of(&self, artefact: &str) -> TemplateError {
        TemplateError::whole("", format!("{artefact} {self}: a fault of this program; please report it"))
    }
}

/// The archive with these files.
///
/// # Errors
/// A path that leads elsewhere than below the archive's folder, or to where another file is.
pub fn tar_gz(entries: &[Entry], released: Released) -> Result<Vec<u8>, PathRefused> {
    let mut entries: Vec<(&str, &[u8])> = entries.iter().map(|entry| (&*entry.path, &*entry.bytes)).collect();
    entries.sort_unstable();
    refuse(&entries)?;
    let length: usize = entries.iter().map(|(_, bytes)| bytes.len() + 1024).sum();
    // Schemas become a sixth to a ninth of their length.
    let room = Vec::with_capacity(length / 4 + 1024);
    let mut gzip = GzBuilder::new().mtime(0).operating_system(255).write(room, Compression::new(6));
    let written = entries.iter().try_for_each(|(path, bytes)| file(&mut gzip, path, bytes, released));
    let ended = written.and_then(|()| gzip.write_all(&[0; 2 * BLOCK])).and_then(|()| gzip.finish());
    // Writing to memory does not fail.
    Ok(ended.unwrap_or_default())
}

/// The first path, in their order, that is refused.
fn refuse(sorted: &[(&str, &[u8])]) -> Result<(), PathRefused> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for (path, _) in sorted {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        let why = if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
            "has an empty part, `.` or `..`"
        } else if path.chars().any(|letter| letter.is_control() || letter == '\\') {
            "has a character that programs take for something else"
        } else if !known.insert(path) {
            "is there twice"
        } else if above.into_iter().any(|above| known.contains(above)) {
            // A parent sorts first.
            "is inside another file"
        } else {
            continue;
        };
        return Err(PathRefused { path: (*path).to_owned(), why });
    }
    Ok(())
}

/// The folder that contains everything in the archive of a bundle.
pub fn folder_name(release: &Release) -> String {
    format!("{}-{}", release.name, release.version)
}

/// What the archive of a bundle is called.
pub fn file_name(release: &Release) -> String {
    format!("{}.tar.gz", folder_name(release))
}

/// The CRDs of all channels, the documents of the bundle, the policies, the webhook, a kustomization in each folder and a README, below one folder.
///
/// # Errors
/// Its template.
pub fn bundle_archive(
    release: &Release,
    safe_upgrades: &[Value],
    guardrails: &[Value],
    templates: &Templates,
) -> Result<Artefact, TemplateError> {
    let top = folder_name(release);
    let mut context = context::release(release);
    context::add(&mut context, "safe_upgrades", context::objects(safe_upgrades));
    context::add(&mut context, "guardrails", context::objects(guardrails));
    let documents = release.documents.iter().map(|document| (document.name.as_str(), what_is(&document.name)));
    let documents = documents.map(|(name, what)| json!({ "name": name, "what": what })).collect();
    context::add(&mut context, "documents", documents);
    let policies = declared::policies(release);
    context::add(&mut context, "policies", context::policies(release));
    let webhooks = webhook::of_channels(release);
    let names = webhooks.iter().map(|(channel, _)| json!({ "channel": channel.name() })).collect();
    context::add(&mut context, "webhook", names);
    let files = release.channels.iter().flat_map(|channel| &channel.files);
    context::add(&mut context, "client_side", context::client_side(files).into());
    let readme = templates.render("archive/README.md", &context)?;
    let mut entries = vec![Entry::new(format!("{top}/README.md"), readme)];
    let documents = release.documents.iter();
    entries.extend(documents.map(|document| Entry::new(format!("{top}/{}", document.name), document.bytes.clone())));
    for released in &release.channels {
        let files = released.files.iter().map(|file| (file.name.clone(), file.text.clone()));
        folder(&mut entries, &format!("{top}/{}", released.channel), files);
    }
    let policies = [("safe-upgrades", safe_upgrades), ("guardrails", guardrails), ("checks", &policies)];
    let policies = policies.map(|(name, objects)| (format!("policies/{name}"), objects));
    let webhooks = webhooks.iter().map(|(channel, objects)| (format!("webhook/{channel}"), &**objects));
    for (path, objects) in policies.into_iter().chain(webhooks) {
        let files = objects.iter().map(|object| {
            let mut writer = YamlWriter::new(Start::Marker);
            send_value(object, &mut writer);
            (object_file_name(object), writer.finish())
        });
        folder(&mut entries, &format!("{top}/{path}"), files);
    }
    let name = file_name(release);
    let bytes = tar_gz(&entries, release.released).map_err(|refused| refused.of(&name))?;
    Ok(Artefact { name, bytes })
}

/// What the file of a policy or a binding is called: `validatingadmissionpolicy_NAME.yaml`.
pub(crate) fn object_file_name(object: &Value) -> String {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let name = format!("{}_{}.yaml", text("/kind"), text("/metadata/name"));
    name.replace(|letter: char| !letter.is_ascii_alphanumeric() && !"._-".contains(letter), "-")
}

/// The files of a folder and its kustomization; no folder where there are none, since a kustomization of nothing is refused.
fn folder(entries: &mut Vec<Entry>, path: &str, files: impl Iterator<Item = (String, String)>) {
    let mut names = Vec::new();
    for (name, text) in files {
        entries.push(Entry::new(format!("{path}/{name}"), text));
        names.push(name);
    }
    if !names.is_empty() {
        entries.push(Entry::new(format!("{path}/{}", kustomization::FILE), kustomization(&names)));
    }
}

/// Headers and contents fill blocks of this size.
const BLOCK: usize = 512;

/// A file: its header, before it a longer path if necessary, and its bytes.
fn file(gzip: &mut GzEncoder<Vec<u8>>, path: &str, bytes: &[u8], released: Released) -> io::Result<()> {
    let mut own = header(EntryType::Regular, bytes.len(), released);
    if own.set_path(path).is_err() {
        // The number that a record begins with counts itself.
        let tail = format!(" path={path}\n");
        let digits = (1..).find(|digits| (tail.len() + digits).to_string().len() == *digits).unwrap_or(1);
        let record = format!("{}{tail}", tail.len() + digits);
        let mut longer = header(EntryType::XHeader, record.len(), released);
        longer.set_path("pax-header")?;
        block(gzip, &mut longer, record.as_bytes())?;
        // Programs without pax support read a shortened name.
        let short: String = path.rsplit('/').next().unwrap_or(path).chars().filter(char::is_ascii).take(99).collect();
        own.set_path(if short.is_empty() { "file" } else { &short })?;
    }
    block(gzip, &mut own, bytes)
}

fn header(kind: EntryType, length: usize, released: Released) -> Header {
    let mut header = Header::new_ustar();
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(released.unix_seconds().into());
    header.set_size(length as u64);
    header
}

fn block(gzip: &mut GzEncoder<Vec<u8>>, header: &mut Header, bytes: &[u8]) -> io::Result<()> {
    header.set_cksum();
    gzip.write_all(header.as_bytes())?;
    gzip.write_all(bytes)?;
    gzip.write_all(&[0; BLOCK][..bytes.len().next_multiple_of(BLOCK) - bytes.len()])
}
