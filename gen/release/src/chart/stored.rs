//! What Helm stores of a release: whether a chart is one that it can install at all.
//!
//! Helm keeps each revision in a Secret: JSON of the chart, with every file in base64, and of what was rendered from it; that as gzip; that in
//! base64. Kubernetes gives a Secret 1 MiB. The shape is read off such Secrets, and the proofs of the testbed compare the number with them.
//!
//! Invariants: at most some hundredths away from what Helm stores; small charts cost nothing.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::archive::Entry;

/// So many bytes may be stored: below 1 MiB, with room for another packer and for the refusals that Helm notes in words.
pub(super) const LARGEST: usize = 1_000_000;

/// Names of fields, metadata and notes, without the parts of each file.
const AROUND: usize = 2_000;
/// Names of fields, without the name of a file.
const AROUND_FILE: usize = 100;

/// The approximate size, if it is too large. `archive` is the size of the archive of these files, in bytes.
pub(super) fn too_large(entries: &[Entry], archive: usize) -> Option<usize> {
    let is_too_large = |size: &usize| *size > LARGEST;
    // Each step is a cheaper upper bound than the next: most charts need only the first.
    Some(half_packed(entries, archive))
        .filter(is_too_large)
        .map(|_| packed(entries, Compression::fast()))
        .filter(is_too_large)
        .map(|_| size(entries))
        .filter(is_too_large)
}

/// About how much it is.
pub(super) fn size(entries: &[Entry]) -> usize {
    packed(entries, Compression::best())
}

/// No less than it is: as if nothing of base64 could be packed but the six bits that are in each letter of it, and what was rendered half
/// as well as the archive was.
fn half_packed(entries: &[Entry], archive: usize) -> usize {
    let files = entries.iter().map(|entry| entry.bytes.len() + entry.path.len() + AROUND_FILE).sum::<usize>();
    // Some hundredths more for the codes of a packer that finds nothing.
    in_base64(files * 26 / 25 + archive * 2 + AROUND)
}

/// How much it is when packed like that.
fn packed(entries: &[Entry], level: Compression) -> usize {
    let mut gzip = GzEncoder::new(Count(0), level);
    let written = entries.iter().try_for_each(|entry| {
        let path = entry.path.split_once('/').map_or(&*entry.path, |(_, path)| path);
        write!(gzip, r#"{{"name":"{path}","modtime":"2006-01-02T15:04:05Z","data":""#)?;
        base64(&entry.bytes, &mut gzip)?;
        gzip.write_all(b"\"},")
    });
    let rendered = entries.iter().filter(|entry| entry.path.ends_with(".yaml") && entry.path.contains("/templates/"));
    let written = written.and_then(|()| {
        rendered.into_iter().try_for_each(|entry| {
            write!(gzip, "---\\n# Source: {}\\n", entry.path)?;
            in_json(&entry.bytes, &mut gzip)
        })
    });
    // Counting does not fail.
    let counted = written.and_then(|()| gzip.finish()).map_or(0, |count| count.0);
    in_base64(counted + AROUND)
}

/// The length of base64 of the given number of bytes.
fn in_base64(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

/// RFC 4648, since how well it can be packed depends on its letters.
fn base64(bytes: &[u8], into: &mut impl Write) -> io::Result<()> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = Vec::with_capacity(in_base64(bytes.len()));
    for three in bytes.chunks(3) {
        let [first, second, third] = [0, 1, 2].map(|at| u32::from(three.get(at).copied().unwrap_or_default()));
        let bits = first << 16 | second << 8 | third;
        for at in 0..4 {
            let letter = (bits >> (18 - 6 * at)) & 63;
            text.push(if at > three.len() { b'=' } else { LETTERS[letter as usize] });
        }
    }
    into.write_all(&text)
}

/// A text in a string of JSON as Go writes it, without the actions of a template.
fn in_json(text: &[u8], into: &mut impl Write) -> io::Result<()> {
    let mut escaped = Vec::with_capacity(text.len() + text.len() / 8);
    for line in text.split_inclusive(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"{{-")) {
        for byte in line {
            match byte {
                b'"' | b'\\' => escaped.extend([b'\\', *byte]),
                b'\n' => escaped.extend(br"\n"),
                b'<' | b'>' | b'&' => escaped.extend(format!("\\u{byte:04x}").into_bytes()),
                other => escaped.push(*other),
            }
        }
    }
    into.write_all(&escaped)
}

/// Forgets what it is given, and counts it.
struct Count(usize);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crd_bundle::Released;

    use super::*;
    use crate::archive::tar_gz;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let vectors = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (length, expected) in vectors.iter().enumerate() {
            let mut text = Vec::new();
            base64(&b"foobar"[..length], &mut text).unwrap();
            assert_eq!(String::from_utf8(text).unwrap(), *expected);
            assert_eq!(in_base64(length), expected.len());
        }
    }

    /// Numbers without a pattern, always the same.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let next = std::iter::from_fn(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            Some((state >> 33) as u8)
        });
        next.take(length).collect()
    }

    #[test]
    fn each_cheaper_bound_is_no_less_than_the_next() {
        // Printable, as everything in a chart is.
        let noise: Vec<u8> = noise(50_000).into_iter().map(|byte| b' ' + byte % 95).collect();
        for bytes in [noise, b"word and word ".repeat(4_000), Vec::new()] {
            let entries: Vec<Entry> =
                (0..7).map(|number| Entry::new(format!("c/templates/{number}.yaml"), bytes.clone())).collect();
            let archive = tar_gz(&entries, Released::of_unix_seconds(0).unwrap()).unwrap();
            let bounds = [half_packed(&entries, archive.len()), packed(&entries, Compression::fast()), size(&entries)];
            assert!(bounds.is_sorted_by(|more, less| more >= less), "{bounds:?}");
        }
    }
}
