//! Which files of a tree contain its CRDs: the layout of kubebuilder, of kustomize, and of plain folders.
//!
//! * A folder with a kustomization is what the kustomization lists.
//! * Any other folder is all of its YAML and JSON files, with the folders below it.
//! * Folders of channels next to a kustomization are read, whatever it lists.
//!
//! Invariants: kustomize is not run, so everything that would change a CRD is named in one [`LeftOut`], and so are files that no kustomization
//! lists. What kustomize refuses to list is an error at its line. Hidden files are read, because `kubectl apply -f` takes them; hidden folders are not. Each file and folder is read once in
//! a channel, however many links lead to it, in the order of the paths.

use std::collections::BTreeSet;
use std::slice;

use crd_diagnostics::layout::some_of;
use crd_diagnostics::printable;
use crd_model::channel::Channel;
use crd_model::yaml::{Document, TextPosition, documents, locate};
use serde_json::Value;

use super::found::{error, is_in};
use super::limits::{MOST_ERRORS, MOST_FOLDERS};
use super::patch::{PATCHES, Patch, read_entry};
use super::skips::LeftOut;
use super::tree::{Entry, Tree, join};
use super::{Input, Part, Source, codes, texts};

const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
/// The keys of a kustomization that list files and folders.
const LISTS: [&str; 3] = ["resources", "bases", "components"];
/// Keys that change no CRD. All other keys are named as not applied, also unknown ones.
const WITHOUT_EFFECT: [&str; 5] = ["apiVersion", "kind", "metadata", "buildMetadata", "sortOptions"];
/// What only addresses of remote resources contain.
const REMOTE: [&str; 5] = ["://", "git@", "git::", "github.com/", "?ref="];
/// How many names of a kind are shown.
const SHOWN: usize = 5;

/// The files to read.
#[derive(Debug, Default)]
pub struct Layout {
    /// Their paths, each with the channel of its folder.
    pub files: Vec<(Option<Channel>, String)>,
    /// What is left out, and all errors.
    pub rest: Part,
}

/// Whether a file can contain CRDs, by its name.
pub fn can_have_crds(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| ["yaml", "yml", "json"].iter().any(|known| known.eq_ignore_ascii_case(extension)))
}

/// Whether a file is a packed subchart, by its path: Helm reads `charts/NAME.tgz` of a chart.
pub fn is_subchart(path: &str) -> bool {
    let folder = path.rsplit_once('/').filter(|(_, name)| name.ends_with(".tgz") && !name.starts_with('.'));
    folder.is_some_and(|(folder, _)| folder.rsplit('/').next() == Some(SUBCHARTS))
}

/// The folder of the subcharts of a chart.
const SUBCHARTS: &str = "charts";

/// Whether a file is a kustomization, by its name.
pub fn is_kustomization(name: &str) -> bool {
    KUSTOMIZATIONS.contains(&name)
}

/// Whether an entry of a folder is hidden. `kubectl apply -f` takes hidden files, so that they count; not those of macOS (`._NAME`, which are not text)
/// and the locks of Emacs (`.#NAME`, which lead nowhere).
pub fn is_hidden(tree: &dyn Tree, path: &str, entry: &Entry) -> bool {
    /// How the files of macOS begin.
    const APPLE_DOUBLE: &[u8] = &[0, 5, 0x16, 7];
    let name = path.rsplit('/').next().unwrap_or_default();
    // An archive can contain names with `..`, and they lead nowhere.
    if !name.starts_with('.') || name == ".." {
        return false;
    }
    match entry {
        Entry::Folder => true,
        _ if !can_have_crds(name) => true,
        Entry::Unreadable(_) => name.starts_with(".#"),
        Entry::File => name.starts_with("._") && tree.bytes(path).is_ok_and(|bytes| bytes.starts_with(APPLE_DOUBLE)),
    }
}

/// Lists the files of a tree.
pub fn layout(tree: &dyn Tree) -> Layout {
    let mut walk = Walk {
        tree,
        files: BTreeSet::new(),
        folders: BTreeSet::new(),
        kustomized: BTreeSet::new(),
        within: Vec::new(),
        named: BTreeSet::new(),
        unapplied: Vec::new(),
        remote: Vec::new(),
        rest: Part::default(),
    };
    walk.folder("");
    walk.finish()
}

/// The channel of the folder that a file is in.
fn channel_of(path: &str) -> Option<Channel> {
    let (folders, _) = path.rsplit_once('/')?;
    folders.split('/').find_map(Channel::named)
}

/// Where an entry of a kustomization leads. A leading `/` has no meaning.
fn resolve(folder: &str, entry: &str) -> String {
    let mut names = folder.split('/').filter(|name| !name.is_empty()).collect::<Vec<_>>();
    for name in entry.split('/') {
        match name {
            "" | "." => {}
            ".." if names.last().is_some_and(|last| *last != "..") => _ = names.pop(),
            name => names.push(name),
        }
    }
    names.join("/")
}

fn is_below(path: &str, folder: &str) -> bool {
    match folder {
        "" => !path.starts_with(".."),
        folder => path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
    }
}

struct Walk<'t> {
    tree: &'t dyn Tree,
    files: BTreeSet<String>,
    /// The folders without a kustomization that were read, with the channel of what is in them.
    folders: BTreeSet<(Option<Channel>, String)>,
    /// The folders whose kustomization was read.
    kustomized: BTreeSet<String>,
    /// Those that list the current one.
    within: Vec<String>,
    /// Files that kustomizations name, but not as resources: patches and configurations.
    named: BTreeSet<String>,
    unapplied: Vec<String>,
    remote: Vec<String>,
    rest: Part,
}

impl Walk<'_> {
    /// The visible contents of a folder.
    fn entries(&mut self, folder: &str) -> Vec<(String, Entry)> {
        let tree = self.tree;
        let is_visible = |(name, entry): &(String, Entry)| !is_hidden(tree, &join(folder, name), entry);
        match self.tree.entries(folder) {
            Ok(entries) => entries.into_iter().filter(is_visible).collect(),
            Err(error) => {
                self.rest.errors.push(error);
                Vec::new()
            }
        }
    }

    fn folder(&mut self, folder: &str) {
        if folder.split('/').count() > MOST_FOLDERS {
            let message = format!("this folder is more than {MOST_FOLDERS} folders deep");
            return self.error(&self.tree.shown(folder), None, message, "Name a folder below");
        }
        let entries = self.entries(folder);
        match &*self.kustomizations(folder, &entries) {
            [] if !self.folders.insert((channel_of(&join(folder, "x")), self.tree.real(folder))) => {}
            [] => entries.into_iter().for_each(|(name, entry)| self.found(&join(folder, &name), entry)),
            [only] => {
                self.kustomization(folder, only);
                let channels = Channel::ALL.map(Channel::name);
                for (name, entry) in &entries {
                    if channels.contains(&&**name) && matches!(entry, Entry::Folder) {
                        self.folder(&join(folder, name));
                    }
                }
            }
            [_, second, ..] => {
                let file = self.tree.shown(&join(folder, second));
                let message = "this folder has two kustomizations, which kustomize refuses".to_owned();
                self.error(&file, None, message, "Remove one of them");
            }
        }
    }

    fn kustomizations(&mut self, folder: &str, entries: &[(String, Entry)]) -> Vec<String> {
        let names = entries.iter().filter(|(name, entry)| is_kustomization(name) && !matches!(entry, Entry::Folder));
        names.map(|(name, _)| name).filter(|name| !self.skips(&join(folder, name))).cloned().collect()
    }

    fn found(&mut self, path: &str, entry: Entry) {
        match entry {
            Entry::Folder => self.folder(path),
            Entry::File if !can_have_crds(path) && !is_subchart(path) => {}
            _ if self.skips(path) => {}
            Entry::File => _ = self.files.insert(path.to_owned()),
            Entry::Unreadable(error) => self.rest.errors.push(error),
        }
    }

    fn kustomization(&mut self, folder: &str, name: &str) {
        if !self.kustomized.insert(folder.to_owned()) {
            return;
        }
        let file = join(folder, name);
        let shown = self.tree.shown(&file);
        let read = match self.tree.bytes(&file) {
            Ok(bytes) => texts(Input::new(&*shown, bytes)),
            Err(error) => return self.rest.errors.push(error),
        };
        self.rest.errors.extend(read.1);
        let Some(Source { text, .. }) = read.0.into_iter().next() else { return };
        let mut read = documents(&text);
        let (map, section) = match (read.next(), read.next()) {
            (None, _) => return,
            (Some(Ok(Document { value: Value::Object(map), section, .. })), None) => (map, section),
            (Some(Err(errors)), _) | (_, Some(Err(errors))) => {
                let errors = errors
                    .into_iter()
                    .map(|wrong| error(codes::YAML, &shown, wrong.line, wrong.column, wrong.message, ""));
                return self.rest.errors.extend(errors);
            }
            _ => return self.error(&shown, None, "a kustomization is one map".to_owned(), "Remove everything else"),
        };
        let (mut paths, mut listed, mut unapplied, mut patches) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (key, value) in &map {
            if !LISTS.contains(&&**key) {
                if !WITHOUT_EFFECT.contains(&&**key) && has_effect(value) {
                    let is_applied = PATCHES.contains(&&**key) && self.patches(folder, value, &mut patches);
                    unapplied.extend((!is_applied).then(|| format!("`{key}`")));
                    self.names(folder, value);
                }
                continue;
            }
            let items = match value {
                Value::Array(items) => items,
                Value::Null => continue,
                other => slice::from_ref(other),
            };
            paths.extend((0..items.len()).map(|index| format!("{key}[{index}]")));
            listed.extend(items.iter().map(|item| item.as_str().filter(|_| value.is_array())));
        }
        if !unapplied.is_empty() {
            self.unapplied.push(format!("{} of {file}", unapplied.join(", ")));
        }
        self.within.push(folder.to_owned());
        for (entry, position) in listed.into_iter().zip(locate(&text, section, &paths)) {
            match entry {
                Some(entry) => self.listed(folder, entry, &shown, position),
                None => self.error(&shown, position, "this is not a path".to_owned(), "Write a list of paths"),
            }
        }
        self.within.pop();
        // Behind those of what is listed.
        self.rest.patches.append(&mut patches);
    }

    /// Reads what a kustomization lists.
    fn listed(&mut self, folder: &str, entry: &str, shown: &str, position: TextPosition) {
        let path = resolve(folder, entry);
        let found = self.tree.entry(&path);
        if !matches!(found, Some(Entry::Folder)) && self.skips(&path) {
            return;
        }
        let (message, help) = match found {
            Some(Entry::File) if is_below(&path, folder) => {
                self.files.insert(path);
                return;
            }
            Some(Entry::File) => ("is a file outside of this folder, which kustomize refuses", "List its folder"),
            Some(Entry::Folder) if self.within.contains(&path) => {
                ("lists this folder in turn, which kustomize refuses", "Remove it from one of the two lists")
            }
            Some(Entry::Folder) if self.within.len() >= MOST_FOLDERS => ("is listed too deeply", "List it higher up"),
            Some(Entry::Folder) => {
                let entries = self.entries(&path);
                if !self.kustomizations(&path, &entries).is_empty() {
                    return self.folder(&path);
                }
                ("is a folder without a kustomization, which kustomize refuses", "List the files in it")
            }
            Some(Entry::Unreadable(error)) => return self.rest.errors.push(error),
            None if REMOTE.iter().any(|part| entry.contains(part)) => return self.remote.push(entry.to_owned()),
            None => ("does not exist", "Correct the path, or remove it from the list"),
        };
        self.error(shown, position, format!("`{entry}` {message}"), help);
    }

    /// Reads the changes of `spec.conversion` in patches, and returns whether there is nothing else in them.
    fn patches(&self, folder: &str, value: &Value, found: &mut Vec<Patch>) -> bool {
        let file = |path: &str| {
            let path = Some(resolve(folder, path)).filter(|path| is_below(path, folder))?;
            String::from_utf8(self.tree.bytes(&path).ok()?).ok()
        };
        let entries = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let read = entries.iter().map(|entry| read_entry(entry, file, found));
        read.fold(!entries.is_empty(), |is_whole, is_read| is_whole && is_read)
    }

    /// Notes the files that a part of a kustomization names.
    fn names(&mut self, folder: &str, value: &Value) {
        match value {
            Value::String(text) => _ = self.named.insert(resolve(folder, text)),
            Value::Array(items) => items.iter().for_each(|item| self.names(folder, item)),
            Value::Object(map) => map.values().for_each(|value| self.names(folder, value)),
            _ => {}
        }
    }

    fn skips(&mut self, path: &str) -> bool {
        let left_out = self.tree.left_out(path);
        let is_left_out = left_out.is_some();
        self.rest.left_out.extend(left_out.filter(|left_out| !self.rest.left_out.contains(left_out)));
        is_left_out
    }

    fn error(&mut self, file: &str, at: impl Into<Option<TextPosition>>, message: String, help: &str) {
        let (line, column) = at.into().map(|position| (position.line, position.column)).unzip();
        if self.rest.errors.len() < MOST_ERRORS {
            self.rest.errors.push(error(codes::KUSTOMIZATION, file, line, column, message, help));
        }
    }

    /// The files of a folder that no kustomization lists or names, without patches.
    fn unlisted(&mut self, folder: &str, found: &mut BTreeSet<String>) {
        for (name, entry) in self.entries(folder) {
            let path = join(folder, &name);
            match entry {
                Entry::Folder if path.split('/').count() < MOST_FOLDERS => self.unlisted(&path, found),
                Entry::File if can_have_crds(&name) && !is_kustomization(&name) => {
                    let is_used = self.files.contains(&path) || self.named.contains(&path);
                    // Scaffolds contain them also where nothing uses them.
                    let is_of_kustomize = name == "kustomizeconfig.yaml" || is_in("patches", &path);
                    if !is_used && !is_of_kustomize && !self.skips(&path) {
                        found.insert(path);
                    }
                }
                _ => {}
            }
        }
    }

    fn finish(mut self) -> Layout {
        let mut unlisted = BTreeSet::new();
        for folder in self.kustomized.clone() {
            let mut above = folder.match_indices('/').map(|(end, _)| &folder[..end]).chain([""]);
            let is_done = !folder.is_empty() && above.any(|above| self.kustomized.contains(above));
            if !is_done && !folder.starts_with("..") {
                self.unlisted(&folder, &mut unlisted);
            }
        }
        let unlisted = unlisted.into_iter().collect::<Vec<_>>();
        let parts = [("not applied", &self.unapplied), ("not listed", &unlisted), ("not fetched", &self.remote)];
        let parts = parts.into_iter().filter(|(_, names)| !names.is_empty());
        let reason = parts.map(|(what, names)| format!("{what}: {}", some_of(names, SHOWN)));
        let reason = printable(&reason.collect::<Vec<_>>().join("; "));
        if !reason.is_empty() {
            self.rest.left_out.push(LeftOut::new(self.tree.shown(""), reason));
        }
        let mut files = self.files.into_iter().map(|path| (channel_of(&path), path)).collect::<Vec<_>>();
        let mut known = BTreeSet::new();
        files.retain(|(channel, path)| known.insert((*channel, self.tree.real(path))));
        Layout { files, rest: self.rest }
    }
}

/// Whether a key of a kustomization with this value changes anything. Scaffolded files have keys whose lists are commented out.
fn has_effect(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => true,
    }
}
