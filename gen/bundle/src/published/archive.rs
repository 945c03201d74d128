//! The texts of an input: the input itself, or the files of an archive (tar, also compressed by gzip, such as a Helm chart, or by xz).
//!
//! Invariants: nothing is written anywhere, so that paths, links and devices of a hostile archive lead nowhere; how much
//! is unpacked, and how long a name may be, is limited while it is unpacked; an archive that was cut off is an error, since what it lacks would look
//! like CRDs that were removed.
//!
//! flate2 (its decoder in Rust) and tar do the reading: both are what cargo itself uses. lzma-rust2 reads xz.

use std::cell::Cell;
use std::io::{self, ErrorKind, Read};

use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;

use crd_diagnostics::Diagnostic;

use super::layout::{can_have_crds, is_kustomization};
use super::limits::{MOST_BYTES, MOST_DESCRIBED, MOST_DICTIONARY_KIB, MOST_UNPACKED};
use super::reading::{Reading, error};
use super::text::{text, too_large};
use super::tree::shown;
use super::{Input, PassedOver, Source, codes};

/// The first bytes of what xz compressed.
const XZ: &[u8] = b"\xfd7zXZ\0";

/// The unit of tar.
const BLOCK: usize = 512;

/// The texts of an input: itself, or the files of an archive. Data that cannot be read becomes an error.
pub(super) fn texts(input: Input, reading: &mut Reading) -> Vec<Source> {
    let Input { name, bytes, folder } = input;
    if reading.leaves_out(&name) {
        return Vec::new();
    }
    if bytes.len() > MOST_BYTES {
        reading.push(too_large(&name, "this is", bytes.len() as u64, MOST_BYTES as u64));
        return Vec::new();
    }
    if bytes.starts_with(b"\x1f\x8b") {
        return unpacked(&name, MultiGzDecoder::new(&bytes[..]), reading);
    }
    if bytes.starts_with(XZ) {
        return unpacked(&name, XzReader::new_mem_limit(&bytes[..], true, MOST_DICTIONARY_KIB), reading);
    }
    if is_tar(&bytes) {
        return entries(&name, &bytes[..], reading);
    }
    text(name, bytes, reading).map(|source| Source { folder, ..source }).into_iter().collect()
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
fn unpacked(name: &str, mut unpacked: impl Read, reading: &mut Reading) -> Vec<Source> {
    let mut first = Vec::new();
    if let Err(error) = Read::by_ref(&mut unpacked).take(BLOCK as u64).read_to_end(&mut first) {
        reading.push(unreadable(name, &error));
        return Vec::new();
    }
    if is_tar(&first) {
        return entries(name, first.chain(unpacked), reading);
    }
    match Read::by_ref(&mut unpacked).take((MOST_BYTES - BLOCK + 1) as u64).read_to_end(&mut first) {
        Err(error) => reading.push(unreadable(name, &error)),
        Ok(_) if first.len() > MOST_BYTES => {
            reading.push(too_large(name, "this unpacks to", first.len() as u64, MOST_BYTES as u64));
        }
        Ok(_) => return text(name.to_owned(), first, reading).into_iter().collect(),
    }
    Vec::new()
}

/// The texts of a tar archive.
fn entries(name: &str, archive: impl Read, reading: &mut Reading) -> Vec<Source> {
    let seen = Seen::default();
    let mut texts = Vec::new();
    let result = collect(name, &seen, archive, reading, &mut texts);
    if seen.is_too_much.get() {
        reading.push(too_large(name, "this unpacks to", MOST_UNPACKED, MOST_UNPACKED));
    } else if let Err(error) = result {
        // The tar crate reports a truncated archive without an error kind of its own.
        let error = if seen.is_at_end.get() { ErrorKind::UnexpectedEof.into() } else { error };
        reading.push(unreadable(name, &error));
    }
    texts
}

fn collect(
    name: &str,
    seen: &Seen,
    archive: impl Read,
    reading: &mut Reading,
    texts: &mut Vec<Source>,
) -> io::Result<()> {
    let mut left = MOST_BYTES;
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
        let path = entry.path_bytes().into_owned();
        if !is_wanted(&path) {
            continue;
        }
        let shown = format!("{name}!{}", shown(&path));
        if reading.leaves_out(&shown) {
            continue;
        }
        if !(kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse()) {
            if kind.is_symlink() || kind.is_hard_link() {
                let over = PassedOver { kind: "a link".to_owned(), name: None, file: shown, line: None };
                reading.pass_over(over);
            }
            continue;
        }
        let size = entry.size();
        if size > left as u64 {
            reading.push(too_large(name, "the files in it are", MOST_BYTES as u64, MOST_BYTES as u64));
            return Ok(());
        }
        // The size comes from the archive's header, so it is not trusted before the bytes are read.
        let mut bytes = Vec::new();
        entry.take(size).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < size {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        left -= bytes.len();
        unread = 0;
        let path = path.split(|byte| *byte == b'/').filter(|name| !matches!(*name, [] | [b'.']));
        let path = path.map(String::from_utf8_lossy).collect::<Vec<_>>().join("/");
        texts.extend(text(shown, bytes, reading).map(|source| Source { path, ..source }));
    }
    seen.allow(u64::MAX);
    // Behind the last entry come two blocks of zeros, and in gzip data the checksum of it all.
    io::copy(&mut archive.into_inner(), &mut io::sink())?;
    if seen.zeros.get() < 2 * BLOCK { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

/// Whether a file can hold CRDs or list files, by its name. `._x.yaml` is what macOS adds to `x.yaml`.
fn is_wanted(path: &[u8]) -> bool {
    let name = String::from_utf8_lossy(path.rsplit(|byte| *byte == b'/').next().unwrap_or_default());
    !name.starts_with("._") && (can_have_crds(&name) || is_kustomization(&name))
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
