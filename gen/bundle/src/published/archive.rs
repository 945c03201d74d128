//! The texts of an input: the input itself, or the files of an archive (tar, also compressed by gzip, such as a Helm chart, or by xz).
//!
//! Invariants: nothing is written anywhere, so that paths, links and devices of a hostile archive lead nowhere; links are followed inside the
//! archive, and one that leads out of it or to nothing is an error, as a device is; how much is unpacked, and how long a name may be, is limited while it is unpacked; an archive that was cut off is an error, since what it lacks would look
//! like CRDs that were removed.
//!
//! flate2 (its decoder in Rust) and tar do the reading: both are what cargo itself uses. lzma-rust2 reads xz.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind, Read};

use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;

use crd_diagnostics::Diagnostic;

use super::found::{error, is_in};
use super::layout::{can_have_crds, is_kustomization, is_subchart};
use super::limits::{
    MOST_BYTES, MOST_DESCRIBED, MOST_DICTIONARY_KIB, MOST_ERRORS, MOST_LINKED, MOST_SUBCHARTS, MOST_UNPACKED,
};
use super::skips::{LeftOut, Skips};
use super::text::{text, too_large};
use super::tree::{follow, join, shown};
use super::{Input, Source, codes};

/// The first bytes of what xz compressed.
const XZ: &[u8] = b"\xfd7zXZ\0";

/// The unit of tar.
const BLOCK: usize = 512;

/// The texts of an input: itself, or the files of an archive, without those that an option leaves out.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) sources: Vec<Source>,
    /// The files that are left out.
    pub(super) left_out: Vec<LeftOut>,
    /// One for each file that cannot be read; at most [`MOST_ERRORS`].
    pub(super) errors: Vec<Diagnostic>,
    /// How many bytes the files of archives have.
    pub(super) bytes: usize,
}

impl Texts {
    fn push(&mut self, error: Diagnostic) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(error);
        }
    }

    fn add(&mut self, text: Result<Source, Diagnostic>) {
        match text {
            Ok(source) => self.sources.push(source),
            Err(error) => self.push(error),
        }
    }
}

/// The texts of an input. A file that is left out need not be readable.
pub(super) fn texts(input: Input) -> Texts {
    let Input { name, bytes, folder, skips } = input;
    let mut texts = Texts { left_out: skips.left_out(&name).into_iter().collect(), ..Texts::default() };
    if !texts.left_out.is_empty() {
        return texts;
    }
    if bytes.len() > MOST_BYTES {
        texts.push(too_large(&name, "this is", bytes.len() as u64, MOST_BYTES as u64));
    } else if bytes.starts_with(b"\x1f\x8b") {
        unpacked(&name, MultiGzDecoder::new(&bytes[..]), &skips, &mut texts);
    } else if bytes.starts_with(XZ) {
        unpacked(&name, XzReader::new_mem_limit(&bytes[..], true, MOST_DICTIONARY_KIB), &skips, &mut texts);
    } else if is_tar(&bytes) {
        entries(&name, &bytes[..], &skips, &Seen::default(), &mut texts);
    } else {
        texts.add(text(name, bytes).map(|source| Source { folder, ..source }));
    }
    texts
}

/// Whether this is the beginning of a tar archive: a header whose checksum is right.
fn is_tar(bytes: &[u8]) -> bool {
    let Some(block) = bytes.get(..BLOCK) else { return false };
    let header = tar::Header::from_byte_slice(block);
    let Ok(expected) = header.cksum() else { return false };
    // The checksum counts its own field as spaces.
    let sum: u32 =
        block.iter().enumerate().map(|(at, byte)| if (148..156).contains(&at) { 32 } else { (*byte).into() }).sum();
    sum == expected && block[0] != 0
}

/// What compressed data holds: a tar archive, or one text.
fn unpacked(name: &str, mut unpacked: impl Read, skips: &Skips, texts: &mut Texts) {
    let mut first = Vec::new();
    if let Err(error) = Read::by_ref(&mut unpacked).take(BLOCK as u64).read_to_end(&mut first) {
        return texts.push(unreadable(name, &error));
    }
    if is_tar(&first) {
        return entries(name, first.chain(unpacked), skips, &Seen::default(), texts);
    }
    match Read::by_ref(&mut unpacked).take((MOST_BYTES - BLOCK + 1) as u64).read_to_end(&mut first) {
        Err(error) => texts.push(unreadable(name, &error)),
        Ok(_) if first.len() > MOST_BYTES => {
            texts.push(too_large(name, "this unpacks to", first.len() as u64, MOST_BYTES as u64));
        }
        Ok(_) => texts.add(text(name.to_owned(), first)),
    }
}

/// The texts of a tar archive.
fn entries(name: &str, archive: impl Read, skips: &Skips, seen: &Seen, texts: &mut Texts) {
    let result = collect(name, seen, archive, skips, texts);
    if seen.is_too_much.get() {
        texts.push(too_large(name, "this unpacks to", MOST_UNPACKED, MOST_UNPACKED));
    } else if let Err(error) = result {
        // The tar crate reports a truncated archive without an error kind of its own.
        let error = if seen.is_at_end.get() { ErrorKind::UnexpectedEof.into() } else { error };
        texts.push(unreadable(name, &error));
    }
}

fn collect(name: &str, seen: &Seen, archive: impl Read, skips: &Skips, texts: &mut Texts) -> io::Result<()> {
    let (mut names, mut links) = (BTreeSet::new(), BTreeMap::new());
    let mut archive = tar::Archive::new(Counted { inner: archive, seen });
    let mut entries = archive.entries()?;
    let mut unread = 0;
    loop {
        // Behind what is left of the file before, only what describes the next one is read: names without end would be kept whole.
        seen.allow(unread + MOST_DESCRIBED);
        let Some(entry) = entries.next() else { break };
        let entry = entry?;
        seen.allow(u64::MAX);
        // A sparse file is larger than what the archive has of it.
        let kind = entry.header().entry_type();
        unread = if kind.is_gnu_sparse() { entry.header().entry_size()? } else { entry.size() }.min(MOST_UNPACKED);
        let raw = entry.path_bytes().into_owned();
        let path = plain(&raw);
        let is_link = kind.is_symlink() || kind.is_hard_link();
        names.insert(path.clone());
        if !is_link && !is_wanted(&path) {
            continue;
        }
        let shown = format!("{name}!{}", shown(&raw));
        if let Some(left_out) = skips.left_out(&shown) {
            texts.left_out.push(left_out);
            continue;
        }
        if is_link {
            let target = entry.link_name_bytes().map(|target| String::from_utf8_lossy(&target).into_owned());
            let target = target.unwrap_or_default();
            // The target of a hard link is a path in the archive.
            let above = if kind.is_hard_link() { path.matches('/').count() } else { 0 };
            let target = if kind.is_hard_link() { plain(target.as_bytes()) } else { target };
            links.insert(path, (shown, format!("{}{target}", "../".repeat(above))));
            continue;
        }
        if !(kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse()) {
            // A listing of a folder and the name of a volume have no content.
            if !kind.is_dir() && !kind.is_pax_global_extensions() && !matches!(kind.as_byte(), b'D' | b'V') {
                texts.push(lost(&shown, "is neither a file nor a folder"));
            }
            continue;
        }
        let size = entry.size();
        if size > (MOST_BYTES - texts.bytes) as u64 {
            texts.push(too_large(name, "the files in it are", MOST_BYTES as u64, MOST_BYTES as u64));
            return Ok(());
        }
        // The size comes from the archive's header, so it is not trusted before the bytes are read.
        let mut bytes = Vec::new();
        entry.take(size).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < size {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        texts.bytes += bytes.len();
        unread = 0;
        match is_subchart(&path) {
            true => subchart(&shown, &path, &bytes, skips, seen, texts),
            false => texts.add(text(shown, bytes).map(|source| Source { path, ..source })),
        }
    }
    linked(name, &names, &links, texts);
    seen.allow(u64::MAX);
    // Behind the last entry come two blocks of zeros, and in gzip data the checksum of it all.
    io::copy(&mut archive.into_inner(), &mut io::sink())?;
    if seen.zeros.get() < 2 * BLOCK { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

/// Adds the texts of a packed subchart, as if it were unpacked where it is.
fn subchart(name: &str, path: &str, bytes: &[u8], skips: &Skips, above: &Seen, texts: &mut Texts) {
    if above.depth == MOST_SUBCHARTS {
        return texts.push(lost(name, &format!("is a chart in more than {MOST_SUBCHARTS} charts")));
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let seen = Seen { bytes: above.bytes.clone(), depth: above.depth + 1, ..Seen::default() };
    let first = texts.sources.len();
    entries(name, MultiGzDecoder::new(bytes), skips, &seen, texts);
    above.bytes.set(seen.bytes.get());
    for source in texts.sources.iter_mut().skip(first) {
        source.path = join(folder, &source.path);
    }
}

/// A path without empty names and `.`.
fn plain(path: &[u8]) -> String {
    let names = path.split(|byte| *byte == b'/').filter(|name| !matches!(*name, [] | [b'.']));
    names.map(String::from_utf8_lossy).collect::<Vec<_>>().join("/")
}

/// Adds what links lead to, by their names: a file, or all files below a folder.
fn linked(archive: &str, names: &BTreeSet<String>, links: &BTreeMap<String, (String, String)>, texts: &mut Texts) {
    let known = texts.sources.iter().map(|source| (source.path.clone(), source.clone())).collect::<BTreeMap<_, _>>();
    for (path, (name, _)) in links {
        let lost = |predicate: &str| lost(name, predicate);
        let real = match follow(path, &|path| Ok(links.get(path).map(|(_, target)| target.clone())), &lost) {
            Ok(real) => real,
            Err(error) => {
                texts.push(error);
                continue;
            }
        };
        let below = if real.is_empty() { real.clone() } else { format!("{real}/") };
        let is_there = names.range(below.clone()..).next().is_some_and(|first| first.starts_with(&below));
        if path.starts_with(&below) {
            texts.push(lost("is a link to a folder that it is in"));
            continue;
        }
        if !names.contains(&real) && !is_there {
            texts.push(lost(&format!("is a link to `{real}`, which is not in the archive")));
        }
        let files = known.range(below.clone()..).take_while(|(path, _)| path.starts_with(&below));
        for (of, source) in known.get_key_value(&real).into_iter().chain(files) {
            let path = format!("{path}{}", &of[real.len()..]);
            if texts.sources.len() - known.len() == MOST_LINKED {
                return texts
                    .push(lost(&format!("is one of too many links: more than {MOST_LINKED} files are linked")));
            }
            if is_wanted(&path) {
                texts.sources.push(Source {
                    name: format!("{archive}!{}", shown(path.as_bytes())),
                    path,
                    ..source.clone()
                });
            }
        }
    }
}

/// Something in an archive that cannot be read.
fn lost(name: &str, predicate: &str) -> Diagnostic {
    let fix = "Remove it from the archive, or leave it out with `--skip`";
    error(codes::ARCHIVE, name, None, None, format!("this {predicate}"), fix)
}

/// Whether a file can hold CRDs, list files, or define what templates print, by its name. `._x.yaml` is what macOS adds to `x.yaml`.
fn is_wanted(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_helper = name.ends_with(".tpl") && is_in("templates", path);
    !name.starts_with("._") && (can_have_crds(name) || is_kustomization(name) || is_subchart(path) || is_helper)
}

fn unreadable(name: &str, cause: &io::Error) -> Diagnostic {
    let (message, fix) = match cause.kind() {
        ErrorKind::UnexpectedEof => ("this archive ends too early: it was cut off".to_owned(), "Fetch it again"),
        _ => (format!("this archive cannot be unpacked: {cause}"), "Fetch it again, or unpack it and name the folder"),
    };
    error(codes::ARCHIVE, name, None, None, message, fix)
}

/// What went by while an archive was unpacked.
#[derive(Default)]
struct Seen {
    bytes: Cell<u64>,
    /// How many zeros came last.
    zeros: Cell<usize>,
    is_at_end: Cell<bool>,
    is_too_much: Cell<bool>,
    /// How many more may go by.
    allowed: Cell<u64>,
    /// How many archives this one is in.
    depth: usize,
}

impl Seen {
    fn allow(&self, bytes: u64) {
        self.allowed.set(bytes);
    }
}

/// Counts, and stops at [`MOST_UNPACKED`].
struct Counted<'s, R> {
    inner: R,
    seen: &'s Seen,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.seen.is_at_end.set(count == 0 && !buffer.is_empty());
        let read = &buffer[..count];
        // More of them mean nothing more.
        let last = read.iter().rev().take(2 * BLOCK).take_while(|byte| **byte == 0).count();
        let before = if last == count { self.seen.zeros.get() } else { 0 };
        self.seen.zeros.set(before + last);
        self.seen.bytes.set(self.seen.bytes.get() + count as u64);
        let Some(allowed) = self.seen.allowed.get().checked_sub(count as u64) else {
            let text = format!("what describes one of its files takes more than {} KiB", MOST_DESCRIBED >> 10);
            return Err(io::Error::other(text));
        };
        self.seen.allow(allowed);
        if self.seen.bytes.get() > MOST_UNPACKED {
            self.seen.is_too_much.set(true);
            return Err(io::Error::other("too much"));
        }
        Ok(count)
    }
}
