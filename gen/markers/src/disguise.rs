//! Finds text that looks like a marker but is not read as one, such as `- +experimental` or a marker in full-width letters.
//!
//! A marker is read only where it is alone on its line. In any other form it would be published as prose, and a field that its author marked
//! `+experimental` would be in standard.
//!
//! Invariants: the text is compared as a reader sees it: invisible characters are dropped, and characters that look like ASCII are read as
//! ASCII (Unicode's UAX 15 and UTS 39). A name is one of the table, or near to one. A backslash before the plus (`\+optional`) makes it prose;
//! this backslash is not published. Other backslashes are.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

use crate::channel::CHANNELS;
use crate::nearest::{distance, nearest};
use crate::table::entries;

/// Text that looks like a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disguise {
    /// The marker that a reader sees, with its plus, such as `+experimental`.
    pub marker: String,
    /// The text in its present form: bytes from the plus to the end of the name.
    pub range: Range<usize>,
    /// Whether a backslash before the plus makes it prose.
    pub escaped: bool,
}

/// Everything in a text that looks like a marker. Line breaks count as spaces, blank lines separate.
pub fn disguises(text: &str) -> Vec<Disguise> {
    // Most descriptions have neither.
    if text.is_ascii() && !text.contains(['+', '&']) {
        return Vec::new();
    }
    let symbols = symbols(text);
    let mut found = Vec::new();
    let mut index = 0;
    while index < symbols.len() {
        if symbols[index].seen != Seen::Plus {
            index += 1;
            continue;
        }
        let first = index;
        while symbols.get(index).is_some_and(|symbol| symbol.seen == Seen::Plus) {
            index += 1;
        }
        // Two backslashes are a backslash.
        let backslashes = symbols[..first].iter().rev().take_while(|symbol| symbol.seen == Seen::Other('\\')).count();
        let escaped = backslashes % 2 == 1;
        if let Some((marker, end)) = marker_behind(&symbols, first, index) {
            found.push(Disguise { marker, range: symbols[first].start..end, escaped });
        }
    }
    found
}

/// What a reader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Plus,
    /// A letter or digit, in lower case; letters of other alphabets are U+FFFD.
    Letter(char),
    Space,
    LineBreak,
    Other(char),
}

/// A character that a reader sees, and where it is.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    seen: Seen,
    start: usize,
    end: usize,
}

const ENTITIES: [&str; 3] = ["&plus;", "&#43;", "&#x2b;"];

fn symbols(text: &str) -> Vec<Symbol> {
    let mut all = Vec::with_capacity(text.len());
    let mut rest = 0..0;
    for (start, character) in text.char_indices() {
        if rest.contains(&start) {
            continue;
        }
        let entity = ENTITIES.iter().find(|entity| {
            character == '&'
                && text.get(start..start + entity.len()).is_some_and(|text| text.eq_ignore_ascii_case(entity))
        });
        let end = start + entity.map_or(character.len_utf8(), |entity| entity.len());
        rest = start..end;
        let mut push = |seen| all.push(Symbol { seen, start, end });
        match character {
            _ if entity.is_some() || is_plus(character) => push(Seen::Plus),
            '\n' => push(Seen::LineBreak),
            _ if character.is_whitespace() || character == BLANK_BRAILLE => push(Seen::Space),
            _ if is_invisible(character) => {}
            _ if character.is_ascii_alphanumeric() => push(Seen::Letter(character.to_ascii_lowercase())),
            _ if character.is_ascii() => push(Seen::Other(character)),
            _ => looks(character).for_each(push),
        }
    }
    all
}

const BLANK_BRAILLE: char = '\u{2800}';

/// Characters that a reader takes for a plus: those that Unicode decomposes into one or lists as confusable with one, and bold ones.
fn is_plus(character: char) -> bool {
    matches!(
        character,
        '+' | '\u{2d6}'
            | '\u{16ed}'
            | '\u{207a}'
            | '\u{208a}'
            | '\u{2214}'
            | '\u{2295}'
            | '\u{271a}'
            | '\u{271b}'
            | '\u{271c}'
            | '\u{2795}'
            | '\u{fb29}'
            | '\u{fe62}'
            | '\u{ff0b}'
            | '\u{1029b}'
    )
}

/// Characters without a glyph: Unicode's Default_Ignorable_Code_Point, and control characters.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
                | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// What a character outside ASCII looks like.
fn looks(character: char) -> impl Iterator<Item = Seen> {
    let mut buffer = [0; 4];
    let text = &*character.encode_utf8(&mut buffer);
    let decomposed: String = text.nfkd().filter(|part| !is_combining_mark(*part)).collect();
    let plain = if decomposed.is_ascii() { decomposed } else { skeleton(&decomposed).collect() };
    // The skeleton of m is rn.
    let plain = if plain == "rn" { "m".to_owned() } else { plain };
    let seen = |part: char| match part {
        _ if part.is_ascii_alphanumeric() => Seen::Letter(part.to_ascii_lowercase()),
        _ if part.is_ascii() => Seen::Other(part),
        _ if part.is_alphanumeric() => Seen::Letter(char::REPLACEMENT_CHARACTER),
        _ => Seen::Other(part),
    };
    plain.chars().map(seen).collect::<Vec<_>>().into_iter()
}

/// The longest text that is compared with names.
const LONGEST: usize = 64;

/// The marker whose name follows the pluses `first..next`, and where the name ends in the text.
fn marker_behind(symbols: &[Symbol], first: usize, next: usize) -> Option<(String, usize)> {
    let before = first.checked_sub(1).map(|index| symbols[index].seen);
    let is_suffix = matches!(before, Some(Seen::Letter(_)));
    // `C++`, `10+`
    if is_suffix && (next - first > 1 || matches!(before, Some(Seen::Letter(letter)) if letter.is_ascii_digit())) {
        return None;
    }
    let start = next + filler(&symbols[next..])?;
    let (name, end, after) = word(symbols, start);
    let found = |name: String, end: usize| Some((format!("+{name}"), symbols[end - 1].end));
    if let Some(name) = known(&name, after == Some(Seen::Other('='))) {
        return found(name, end);
    }
    if is_suffix {
        return None;
    }
    // A short name is near to many words, but not where the plus touches it. Between two words, a plus is usually one of prose.
    let is_infix =
        start > next && first > 1 && before == Some(Seen::Space) && matches!(symbols[first - 2].seen, Seen::Letter(_));
    let is_long = name.chars().count() > if start == next { 2 } else { 4 };
    if is_long && let Some(near) = if is_infix { slip(&name) } else { near(&name) } {
        return found(near, end);
    }
    // A name with spaces between its letters or parts.
    let (mut joined, mut index) = (name, end);
    while joined.len() < LONGEST && symbols.get(index).is_some_and(|symbol| symbol.seen == Seen::Space) {
        let (part, end, _) = word(symbols, index + 1);
        if part.is_empty() {
            break;
        }
        joined.push_str(&part);
        if let Some(name) = known(&joined, false) {
            return found(name, end);
        }
        index = end;
    }
    None
}

/// How many symbols between a plus and a name do not count: spaces, one line break, quotes, brackets and bullets. `None` where the sentence ends first.
fn filler(symbols: &[Symbol]) -> Option<usize> {
    let mut breaks = 0;
    for (index, symbol) in symbols.iter().enumerate() {
        let follows = symbols.get(index + 1).map(|next| next.seen);
        match symbol.seen {
            Seen::Letter(_) => return Some(index),
            Seen::Plus => return None,
            Seen::LineBreak if breaks > 0 => return None,
            Seen::LineBreak => breaks += 1,
            Seen::Other(',' | ';' | '.' | '!' | '?')
                if matches!(follows, None | Some(Seen::Space | Seen::LineBreak)) =>
            {
                return None;
            }
            Seen::Space | Seen::Other(_) => {}
        }
    }
    None
}

/// The word at `start` without the punctuation at its end, where it ends, and what follows it.
fn word(symbols: &[Symbol], start: usize) -> (String, usize, Option<Seen>) {
    let of_word = |symbol: &Symbol| match symbol.seen {
        Seen::Letter(letter) => Some(letter),
        Seen::Other(other @ (':' | '_' | '-' | '.')) => Some(other),
        _ => None,
    };
    let mut name: String = symbols[start.min(symbols.len())..].iter().map_while(of_word).take(LONGEST).collect();
    let mut end = start + name.chars().count();
    let after = symbols.get(end).map(|symbol| symbol.seen);
    while name.ends_with([':', '_', '-', '.']) {
        name.pop();
        end -= 1;
    }
    (name, end, after)
}

/// The marker of a name in lower case. In `maxlength=3`, the last part of the name is enough.
fn known(name: &str, has_value: bool) -> Option<String> {
    let is_same = |known: &str| known.eq_ignore_ascii_case(name);
    let last_is_same = |known: &str| known.rsplit(':').next().is_some_and(is_same);
    named(is_same).or_else(|| named(last_is_same).filter(|_| has_value)).or_else(|| {
        let (first, _) = name.split_once(':')?;
        FIRST_PARTS.contains(&first).then(|| name.to_owned())
    })
}

/// The first part of names that have several, and the channels.
const FIRST_PARTS: [&str; 6] = ["kubebuilder", "k8s", "schema", "gateway", CHANNELS[0].name, CHANNELS[1].name];

/// The marker to which a name is near.
fn near(name: &str) -> Option<String> {
    let by_first_part = || {
        let (first, rest) = name.split_once(':')?;
        nearest(first, FIRST_PARTS).map(|near| format!("{near}:{rest}"))
    };
    named(|known| nearest(name, [known]).is_some()).or_else(by_first_part)
}

/// The marker of which a name is a slip of the pen, not another form such as a plural.
fn slip(name: &str) -> Option<String> {
    let limit = (name.len() / 6).max(1);
    named(|known| !name.starts_with(known) && distance(name, known, limit) <= limit)
}

/// The first marker or channel whose name satisfies a condition.
fn named(is_wanted: impl Fn(&str) -> bool) -> Option<String> {
    let channels = CHANNELS.iter().map(|channel| channel.name.to_owned());
    entries().into_iter().map(|entry| entry.name).chain(channels).find(|name| is_wanted(name))
}
