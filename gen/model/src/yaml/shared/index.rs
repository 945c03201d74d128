//! The lines of a text: where the value of each key ends, and digests of any lines together.
//!
//! Invariants: made in one pass, and asked without looking at the text again. Equal lines have equal digests.

use std::ops::Range;

use super::super::block::is_item;

/// A text by lines.
pub(super) struct Index {
    /// The first byte of each line, and the end of the text.
    starts: Vec<usize>,
    /// For each line, the line behind everything that is below it.
    ends: Vec<usize>,
    /// Digests of all lines before each line, and of all.
    digests: Vec<u64>,
    /// How long the paths of all values are together, or less.
    pub(super) path_bytes: usize,
}

/// The lines below a key.
pub(super) struct Part {
    pub(super) bytes: Range<usize>,
    /// The number of lines before the end.
    pub(super) end: usize,
    pub(super) digest: u64,
}

/// A line that the next line may be below.
struct Open {
    line: usize,
    indent: usize,
    path_bytes: usize,
}

/// Of digests: an odd number without a pattern.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Index {
    pub(super) fn of(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let lines = memchr::memchr_iter(b'\n', bytes).count() + 2;
        let [mut starts, mut ends] = [Vec::with_capacity(lines), Vec::with_capacity(lines)];
        let mut digests = Vec::with_capacity(lines);
        digests.push(0);
        let (mut open, mut path_bytes, mut digest) = (Vec::<Open>::new(), 0_usize, 0_u64);
        let mut start = 0;
        while start < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |length| start + length);
            let line = &bytes[start..end];
            digest = digest.wrapping_mul(FACTOR).wrapping_add(digest_of(line));
            let number = starts.len();
            starts.push(start);
            ends.push(number + 1);
            digests.push(digest);
            start = end + 1;
            let Some(indent) = line.iter().position(|byte| *byte != b' ') else { continue };
            if line[indent] == b'#' {
                continue;
            }
            let content = text.get(starts[number] + indent..end)?;
            while let Some(last) =
                open.pop_if(|last| last.indent > indent || last.indent == indent && !is_item(content))
            {
                ends[last.line] = number;
            }
            let above = open.last().map_or(0, |above| above.path_bytes);
            let own = Open { line: number, indent, path_bytes: above + content.len() };
            path_bytes = path_bytes.saturating_add(own.path_bytes);
            open.push(own);
        }
        for last in open {
            ends[last.line] = starts.len();
        }
        starts.push(bytes.len());
        Some(Self { starts, ends, digests, path_bytes })
    }

    /// The lines below a key, by the number of its line from 1.
    pub(super) fn below(&self, number: usize) -> Part {
        let end = self.ends[number - 1];
        let lines = u32::try_from(end - number).unwrap_or(u32::MAX);
        let before = self.digests[number].wrapping_mul(FACTOR.wrapping_pow(lines));
        Part { bytes: self.starts[number]..self.starts[end], end, digest: self.digests[end].wrapping_sub(before) }
    }
}

fn digest_of(line: &[u8]) -> u64 {
    let mut digest = line.len() as u64;
    let mut chunks = line.chunks_exact(8);
    let mut add = |chunk: u64| digest = (digest ^ chunk).wrapping_mul(FACTOR).rotate_left(29);
    for chunk in &mut chunks {
        add(chunk.try_into().map_or(0, u64::from_le_bytes));
    }
    let mut rest = [0; 8];
    rest[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    add(u64::from_le_bytes(rest));
    digest
}
