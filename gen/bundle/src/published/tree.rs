//! A tree of files: a folder, the files of an archive, or a commit.
//!
//! Invariants: paths are relative to the root, with `/` between names; the root is the empty path. Entries are sorted by name. An existing file
//! that cannot be read is [`Entry::Unreadable`], never absent: what is absent was looked for. Links are followed inside the tree; one that leads
//! out of it, to nothing, or to a folder that it is in is unreadable.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use crd_diagnostics::{Diagnostic, printable};

use super::limits::LONGEST_NAME;
use super::skips::{LeftOut, Skips};
use super::{Input, Source};

/// Something with a name in a tree.
#[derive(Debug)]
pub enum Entry {
    File,
    Folder,
    /// A broken link or similar, with the error of a reader.
    Unreadable(Diagnostic),
}

/// A tree of files, for any thread.
pub trait Tree: Sync {
    /// The contents of a folder, by name.
    ///
    /// # Errors
    /// The folder cannot be read.
    fn entries(&self, folder: &str) -> Result<Vec<(String, Entry)>, Diagnostic>;

    /// What is at a path, if there is anything.
    fn entry(&self, path: &str) -> Option<Entry>;

    /// The bytes of a file, and at most one more than the limit of an input.
    ///
    /// # Errors
    /// The file cannot be read.
    fn bytes(&self, file: &str) -> Result<Vec<u8>, Diagnostic>;

    /// A name of what is at a path that is the same for all links to it.
    fn real(&self, path: &str) -> String;

    /// A path as messages have it.
    fn shown(&self, path: &str) -> String;

    /// The names of files and CRDs in it that are left out.
    fn skips(&self) -> &Skips;

    /// The record of a file, if it is left out. It need not be readable then.
    fn left_out(&self, file: &str) -> Option<LeftOut> {
        self.skips().left_out(&self.shown(file))
    }

    /// A file as an input.
    ///
    /// # Errors
    /// The file cannot be read.
    fn input(&self, file: &str) -> Result<Input, Diagnostic> {
        self.bytes(file).map(|bytes| Input::new(self.shown(file), bytes).without(self.skips()))
    }
}

/// The path of a name in a folder.
pub fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// How many links a path can have in it, as on Linux.
const MOST_LINKS: usize = 40;
/// The longest target of a link, as on Linux.
const LONGEST_TARGET: usize = 4096;

/// Where a path leads if the links in it are followed. `target` is the target of a link, or nothing for what is not a link; `lost` makes the error of
/// a link that leads nowhere, from a predicate.
///
/// # Errors
/// Those of `target`; and a link leads out of the tree, or is part of a loop.
pub fn follow(
    path: &str,
    target: &dyn Fn(&str) -> Result<Option<String>, Diagnostic>,
    lost: &dyn Fn(&str) -> Diagnostic,
) -> Result<String, Diagnostic> {
    let mut names: Vec<String> = Vec::new();
    let reversed = |path: &str| path.split('/').rev().map(str::to_owned).collect::<Vec<_>>();
    let (mut rest, mut links) = (reversed(path), 0);
    while let Some(name) = rest.pop() {
        match &*name {
            "" | "." => continue,
            ".." if names.pop().is_some() => continue,
            ".." => return Err(lost("leads out of it")),
            _ => names.push(name),
        }
        let Some(target) = target(&names.join("/"))? else { continue };
        links += 1;
        if links > MOST_LINKS || target.len() > LONGEST_TARGET {
            return Err(lost("is a link in a loop of links, or a link with a target that is too long"));
        }
        if target.starts_with('/') {
            return Err(lost(&format!("is a link to `{target}`, which leads out of it")));
        }
        names.pop();
        rest.extend(reversed(&target));
    }
    Ok(names.join("/"))
}

/// The files of an archive.
#[derive(Debug)]
pub struct Unpacked {
    name: String,
    files: BTreeMap<String, Source>,
    skips: Skips,
}

impl Unpacked {
    /// An archive with this name.
    pub fn new(name: impl Into<String>, sources: impl IntoIterator<Item = Source>) -> Self {
        let files = sources.into_iter().map(|source| (source.path.clone(), source));
        Self { name: name.into(), files: files.collect(), skips: Skips::default() }
    }

    /// The same without what is left out by name.
    #[must_use]
    pub fn without(self, skips: &Skips) -> Self {
        Self { skips: skips.clone(), ..self }
    }

    /// The files of a folder, as an archive of their own.
    #[must_use]
    pub fn below(&self, folder: &str) -> Self {
        let prefix = join(folder, "");
        let below = self.files.range(prefix.clone()..);
        let below = below.map_while(|(path, source)| Some((path.strip_prefix(&prefix)?.to_owned(), source.clone())));
        let below = below.map(|(path, source)| Source { path, ..source });
        Self::new(self.shown(folder), below).without(&self.skips)
    }

    /// The first path from here on that begins with this.
    fn first(&self, from: &str, prefix: &str) -> Option<&str> {
        self.files
            .range::<str, _>((Bound::Included(from), Bound::Unbounded))
            .next()
            .map(|(path, _)| &**path)
            .filter(|path| path.starts_with(prefix))
    }
}

impl Tree for Unpacked {
    fn entries(&self, folder: &str) -> Result<Vec<(String, Entry)>, Diagnostic> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let (mut entries, mut from) = (Vec::new(), prefix.clone());
        while let Some(path) = self.first(&from, &prefix) {
            let rest = &path[prefix.len()..];
            let (name, entry) = match rest.split_once('/') {
                // `0` is the character behind `/`: the files of the folder are passed at once.
                Some((name, _)) => (name, (Entry::Folder, format!("{prefix}{name}0"))),
                None => (rest, (Entry::File, format!("{path}\0"))),
            };
            from = entry.1;
            entries.push((name.to_owned(), entry.0));
        }
        Ok(entries)
    }

    fn entry(&self, path: &str) -> Option<Entry> {
        if self.files.contains_key(path) {
            return Some(Entry::File);
        }
        let prefix = format!("{path}/");
        (path.is_empty() || self.first(&prefix, &prefix).is_some()).then_some(Entry::Folder)
    }

    fn bytes(&self, file: &str) -> Result<Vec<u8>, Diagnostic> {
        Ok(self.files.get(file).map(|source| source.text.as_bytes().to_vec()).unwrap_or_default())
    }

    /// Links of an archive share the text of their target.
    fn real(&self, path: &str) -> String {
        let text = self.files.get(path).map(|source| Arc::as_ptr(&source.text).addr().to_string());
        text.unwrap_or_else(|| path.to_owned())
    }

    fn shown(&self, path: &str) -> String {
        match self.files.get(path) {
            Some(source) => source.name.clone(),
            None if path.is_empty() => self.name.clone(),
            None => format!("{}!{}", self.name, shown(path.as_bytes())),
        }
    }

    fn skips(&self) -> &Skips {
        &self.skips
    }
}

/// A path as it can be printed: it may hold anything.
pub(super) fn shown(path: &[u8]) -> String {
    let text = String::from_utf8_lossy(path);
    let text = text.strip_prefix("./").unwrap_or(&text);
    printable(&text.chars().take(LONGEST_NAME).collect::<String>())
}
