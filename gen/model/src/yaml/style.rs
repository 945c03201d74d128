//! How a string is written in YAML: plain, in single quotes, in double quotes, or as a literal block.
//!
//! Invariants: a string is plain only when every reader of YAML 1.1 and 1.2 (and the parsers of Kubernetes) reads
//! exactly that string; a doubtful string is quoted. Each byte is read once, through a table.

/// How a string is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    /// `'…'`, quotes doubled.
    SingleQuoted,
    /// `"…"` with escapes.
    DoubleQuoted,
    /// `|` and the lines below it.
    Literal {
        /// Whether the block must say how far it is indented, because its first line begins with a space or is empty.
        indicator: bool,
    },
}

/// The position of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// The key of a map: one line.
    Key,
    /// The value of a key or a list item.
    Value,
    /// The whole document: readers disagree how far a block is indented here.
    Root,
}

// The class of a byte, and above the first eight bits its class next to its neighbours.

/// Part of a character that only an escape can carry.
const ESCAPE: u16 = 1;
const LINE_FEED: u16 = 2;
const TAB: u16 = 4;
/// Part of a character beyond ASCII.
const BEYOND_ASCII: u16 = 8;
/// What it means depends on its neighbours.
const NEIGHBOURS: u16 = 16;
/// Cannot begin a plain scalar, or can only before certain characters.
const INDICATOR: u16 = 32;
/// Starts words that some reader converts to a boolean, a null or a number.
const WORD: u16 = 64;
/// Occurs in numbers, dates and times of one YAML version or the other.
const NUMERIC: u16 = 128;
/// `:` or `#` next to white space, which ends a plain scalar.
const SEPARATOR: u16 = 256;
/// A line that ends with white space, which editors remove, or begins with a tab, which readers take differently.
const RAGGED: u16 = 512;

const CLASSES: [u16; 256] = classes();

const fn classes() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'\n' => LINE_FEED | NEIGHBOURS,
            b'\t' => TAB,
            0..=0x1f | 0x7f => ESCAPE,
            0xc2 | 0xe2 | 0xef => BEYOND_ASCII | NEIGHBOURS,
            0x80..=0xff => BEYOND_ASCII,
            b':' => NEIGHBOURS | INDICATOR | NUMERIC,
            b'#' => NEIGHBOURS | INDICATOR,
            b'0'..=b'9' | b'-' | b'+' | b'.' | b' ' | b',' => INDICATOR | NUMERIC,
            b'_' | b'z' | b'Z' => NUMERIC,
            b'e' | b'E' | b'T' | b't' => WORD | NUMERIC,
            b'~' | b'?' | b'[' | b']' | b'{' | b'}' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"' | b'%' | b'@'
            | b'`' | b'=' | b'<' => INDICATOR,
            b'y' | b'Y' | b'n' | b'N' | b'f' | b'F' | b'o' | b'O' | b'i' | b'I' => WORD,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// The style of a string at a place.
pub(super) fn style_of(text: &str, context: Context) -> Style {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return Style::SingleQuoted };
    let mut seen = 0;
    // Most of the time of writing is spent here, and unoptimised builds write too, so it does not use an iterator.
    let mut index = 0;
    while index < bytes.len() {
        let class = CLASSES[bytes[index] as usize];
        seen |= class;
        if class & NEIGHBOURS != 0 {
            seen |= class_with_neighbours(bytes, index);
        }
        index += 1;
    }
    if seen & ESCAPE != 0 {
        return Style::DoubleQuoted;
    }
    if seen & LINE_FEED != 0 {
        let is_ragged = seen & RAGGED != 0 || *first == b'\t' || matches!(last, b' ' | b'\t');
        if context != Context::Value || is_ragged || bytes.iter().all(|byte| *byte == b'\n') {
            return Style::DoubleQuoted;
        }
        return Style::Literal { indicator: matches!(first, b' ' | b'\n') };
    }
    if seen & TAB != 0 {
        return Style::DoubleQuoted;
    }
    let is_plain = seen & SEPARATOR == 0
        && !matches!(last, b' ' | b':')
        && reads_as_itself(bytes, *first)
        // Spaces that YAML does not treat as spaces, but that readers trim.
        && (seen & BEYOND_ASCII == 0 || text.trim().len() == text.len());
    if is_plain { Style::Plain } else { Style::SingleQuoted }
}

/// What the byte at an index is by its neighbours. Characters that need an escape: those that YAML does not call
/// printable (U+0080 to U+009F, U+FFFE, U+FFFF), that YAML 1.1 calls line breaks (U+0085, U+2028, U+2029), and U+FEFF,
/// which some readers treat as a byte order mark.
fn class_with_neighbours(bytes: &[u8], index: usize) -> u16 {
    let before = index.checked_sub(1).map(|index| bytes[index]);
    match bytes[index..] {
        [b'\n', b'\t', ..] => RAGGED,
        [b'\n', ..] if matches!(before, Some(b' ' | b'\t')) => RAGGED,
        [b':', b' ', ..] => SEPARATOR,
        [b'#', ..] if before == Some(b' ') => SEPARATOR,
        [0xc2, 0x80..=0x9f, ..] | [0xe2, 0x80, 0xa8 | 0xa9, ..] => ESCAPE,
        [0xef, 0xbb, 0xbf, ..] | [0xef, 0xbf, 0xbe | 0xbf, ..] => ESCAPE,
        _ => 0,
    }
}

/// Whether one line needs no quotes for how it begins or what it is as a whole.
fn reads_as_itself(bytes: &[u8], first: u8) -> bool {
    let class = CLASSES[usize::from(first)];
    if class & WORD != 0 {
        return !is_word(bytes);
    }
    class & INDICATOR == 0 || indicator_is_harmless(bytes, first)
}

/// Words that a reader of YAML 1.1 or 1.2, or the number parser of some language, converts to another type, in any
/// combination of upper and lower case; and exponents without a number before them, which a widely used reader converts to
/// floats.
fn is_word(bytes: &[u8]) -> bool {
    const WORDS: [&[u8]; 12] =
        [b"y", b"n", b"yes", b"no", b"on", b"off", b"true", b"false", b"null", b"nan", b"inf", b"infinity"];
    match bytes {
        [b'e' | b'E', b'+' | b'-', digits @ ..] | [b'e' | b'E', digits @ ..] => {
            !digits.is_empty() && digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b'_')
        }
        _ => bytes.len() <= 8 && WORDS.iter().any(|word| bytes.eq_ignore_ascii_case(word)),
    }
}

/// Whether a string that begins with an indicator, a sign, a point or a digit is still only a string.
fn indicator_is_harmless(bytes: &[u8], first: u8) -> bool {
    match first {
        b'0'..=b'9' => !looks_numeric(bytes),
        b'.' => match bytes.get(1) {
            Some(second) if second.is_ascii_alphabetic() => !is_word(&bytes[1..]),
            Some(second) => matches!(second, b'/' | b'[' | b'*'),
            None => false,
        },
        b'-' | b'+' => match bytes.get(1) {
            None | Some(b' ' | b'.' | b'_' | b'0'..=b'9') => false,
            Some(b'-') => bytes.get(2) != Some(&b'-'),
            Some(_) => !is_word(&bytes[1..]),
        },
        // The merge key and the value key of YAML 1.1.
        b'<' => bytes != b"<<",
        b'=' => bytes != b"=",
        _ => false,
    }
}

/// Whether a string that begins with a digit could be an integer in any base, a float, a date or a time of day. Readers
/// pass over underscores wherever they stand.
fn looks_numeric(bytes: &[u8]) -> bool {
    let mut without_underscores = bytes.iter().filter(|byte| **byte != b'_');
    if without_underscores.next() == Some(&b'0')
        && matches!(without_underscores.next(), Some(b'x' | b'X' | b'o' | b'O' | b'b' | b'B'))
    {
        return true;
    }
    bytes.iter().all(|byte| CLASSES[usize::from(*byte)] & NUMERIC != 0)
}
