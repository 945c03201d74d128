//! Finds text that looks like a marker but is not read as one, such as `- +experimental` or a marker in full-width letters.
//!
//! A marker is read only where it is alone on its line. In any other form it would be published as prose, and a field that its author marked
//! `+experimental` would be in standard.
//!
//! Invariants: the text is compared as a reader sees it: invisible characters are dropped, and characters that look like ASCII are read as
//! ASCII (Unicode's UAX 15 and UTS 39). A name is one of the table, or near to one. A backslash before the plus (`\+optional`) makes it prose;
//! this backslash is not published. Other backslashes are.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use crd_names::channel::CHANNELS;
use crd_names::{distance, nearest};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

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
    let mut found = in_order(text, &symbols);
    for view in views(text, &symbols) {
        for disguise in in_order(text, &view) {
            let is_known =
                |known: &Disguise| known.range.start < disguise.range.end && disguise.range.start < known.range.end;
            // Both are in the order of the text, or the text is one of few with letters from right to left.
            if !found.iter().any(is_known) {
                found.push(disguise);
            }
        }
    }
    found.sort_by_key(|disguise| disguise.range.start);
    found
}

/// What looks like a marker to someone who reads the symbols in this order.
fn in_order(text: &str, symbols: &[Symbol]) -> Vec<Disguise> {
    let mut found = Vec::new();
    let mut index = 0;
    while index < symbols.len() {
        if symbols[index].seen != Seen::Plus && !is_stand_in(text, symbols, index) {
            index += 1;
            continue;
        }
        let first = index;
        index += 1;
        while symbols.get(index).is_some_and(|symbol| symbol.seen == Seen::Plus) {
            index += 1;
        }
        // Two backslashes are a backslash.
        let backslashes = symbols[..first].iter().rev().take_while(|symbol| symbol.seen == Seen::Other('\\')).count();
        let escaped = backslashes % 2 == 1;
        if let Some((marker, end)) = marker_behind(symbols, first, index) {
            let all = &symbols[first..end];
            let start = all.iter().map(|symbol| symbol.start).min().unwrap_or_default();
            let end = all.iter().map(|symbol| symbol.end).max().unwrap_or_default();
            found.push(Disguise { marker, range: start..end, escaped });
            // One backslash is for one marker, and a reader reports a few of thousands.
            if found.len() >= MOST {
                break;
            }
        }
    }
    found
}

/// How many markers in disguise are found in one order of a text.
const MOST: usize = 1_000;

/// Whether a letter of another script is in the place of the plus: it touches the name of a marker, and no other letter touches it.
fn is_stand_in(text: &str, symbols: &[Symbol], index: usize) -> bool {
    let is_letter = |index: usize| matches!(symbols.get(index), Some(Symbol { seen: Seen::Letter(_), .. }));
    let is_first = index.checked_sub(1).is_none_or(|before| !is_letter(before));
    // Chinese, Thai and similar scripts have no spaces between words.
    let has_spaces = |letter: char| !matches!(letter, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..);
    symbols[index].seen == Seen::Letter(char::REPLACEMENT_CHARACTER)
        && is_first
        && is_letter(index + 1)
        && text[symbols[index].start..].starts_with(has_spaces)
        && known(&word(symbols, index + 1).0, false).is_some()
}

/// Other orders of the symbols: without HTML and the targets of links, and from right to left.
fn views(text: &str, symbols: &[Symbol]) -> Vec<Vec<Symbol>> {
    let mut views = Vec::new();
    if text.contains(['<', ']']) || text.contains('&') {
        views.push(without_tags(symbols));
    }
    if text.chars().any(is_right_to_left) {
        let backwards: Vec<Symbol> = symbols.iter().rev().copied().collect();
        views.extend([with_words_reversed(symbols), with_words_reversed(&backwards), backwards]);
    }
    views
}

/// The most symbols of a tag, or of the target of a link.
const LONGEST_TAG: usize = 256;

fn without_tags(symbols: &[Symbol]) -> Vec<Symbol> {
    let seen = |index: usize| symbols.get(index).map(|symbol| symbol.seen);
    let other = |index: usize, character: char| seen(index) == Some(Seen::Other(character));
    let (mut rest, mut index) = (Vec::with_capacity(symbols.len()), 0);
    while index < symbols.len() {
        let is_comment = other(index, '<') && other(index + 1, '!') && other(index + 2, '-');
        let closing = match (seen(index), seen(index + 1)) {
            (Some(Seen::Other('<')), Some(Seen::Letter(_) | Seen::Other('/' | '!' | '?'))) => Some('>'),
            (Some(Seen::Other(']')), Some(Seen::Other('('))) => Some(')'),
            _ => None,
        };
        let is_end =
            |end: &usize| closing.is_some_and(|closing| other(*end, closing) && (!is_comment || other(*end - 1, '-')));
        let end = closing.and_then(|_| (index + 2..symbols.len().min(index + LONGEST_TAG)).find(is_end));
        rest.extend(end.is_none().then(|| symbols[index]));
        index = end.unwrap_or(index) + 1;
    }
    rest
}

/// Each word with its last letter first.
fn with_words_reversed(symbols: &[Symbol]) -> Vec<Symbol> {
    let is_word = |symbol: &Symbol| matches!(symbol.seen, Seen::Letter(_));
    let words = symbols.chunk_by(|one, other| is_word(one) && is_word(other));
    words.flat_map(|word| word.iter().rev().copied()).collect()
}

/// Characters after which a text can be read from right to left: marks, and the letters of such scripts.
fn is_right_to_left(character: char) -> bool {
    matches!(
        character,
        '\u{590}'..='\u{8ff}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
            | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}'
    )
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

/// Entities of HTML by their names: what looks like a plus, and what a reader does not see or takes for a space or a bracket.
const ENTITIES: [(&str, char); 45] = [
    ("plusacir", '+'),
    ("plusb", '+'),
    ("pluscir", '+'),
    ("plusdo", '+'),
    ("plusdu", '+'),
    ("pluse", '+'),
    ("plusmn", '±'),
    ("plussim", '+'),
    ("plustwo", '+'),
    ("plus", '+'),
    ("oplus", '+'),
    ("circleplus", '+'),
    ("boxplus", '+'),
    ("dotplus", '+'),
    ("plusminus", '±'),
    ("loplus", '+'),
    ("roplus", '+'),
    ("uplus", '+'),
    ("unionplus", '+'),
    ("xoplus", '+'),
    ("bigoplus", '+'),
    ("biguplus", '+'),
    ("xuplus", '+'),
    ("mnplus", '±'),
    ("minusplus", '±'),
    ("nbsp", ' '),
    ("ensp", ' '),
    ("emsp", ' '),
    ("thinsp", ' '),
    ("hairsp", ' '),
    ("numsp", ' '),
    ("puncsp", ' '),
    ("tab", ' '),
    ("newline", ' '),
    ("zerowidthspace", '\u{200b}'),
    ("zwj", '\u{200b}'),
    ("zwnj", '\u{200b}'),
    ("shy", '\u{200b}'),
    ("lrm", '\u{200b}'),
    ("rlm", '\u{200b}'),
    ("nobreak", '\u{200b}'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("colon", ':'),
];

/// The longest run of an entity that is compared.
const LONGEST_ENTITY: usize = 32;

/// The character that an entity of HTML at the beginning of the text means, and its length. The semicolon may be missing, and `&` be an entity too.
fn entity(text: &str) -> Option<(char, usize)> {
    let bytes = &text.as_bytes()[..text.len().min(LONGEST_ENTITY)];
    let mut at = 1;
    while let Some(rest) = bytes.get(at..).filter(|rest| rest.len() >= 4 && rest[..4].eq_ignore_ascii_case(b"amp;")) {
        at = bytes.len() - rest.len() + 4;
    }
    let mut found = None;
    if bytes.get(at) == Some(&b'#') {
        let is_hex = bytes.get(at + 1).is_some_and(|letter| letter.eq_ignore_ascii_case(&b'x'));
        let (first, radix) = if is_hex { (at + 2, 16) } else { (at + 1, 10) };
        let (mut value, mut end) = (0_u32, first);
        while let Some(digit) = bytes.get(end).and_then(|digit| char::from(*digit).to_digit(radix)) {
            let next = value.saturating_mul(radix).saturating_add(digit);
            // Without a semicolon, the letters of the name can be digits: `&#x2bexperimental`.
            if value == u32::from('+') && digit > 9 {
                break;
            }
            (value, end) = (next, end + 1);
        }
        found = char::from_u32(value).filter(|_| end > first).map(|character| (character, end));
    } else {
        for (name, character) in ENTITIES {
            let end = at + name.len();
            let is_same = bytes.get(at..end).is_some_and(|text| text.eq_ignore_ascii_case(name.as_bytes()));
            let is_closed = bytes.get(end) == Some(&b';');
            // Of the names that fit, the one with a semicolon, or the last one with a meaning of its own.
            if is_same && (is_closed || found.is_none() && character == '+' && name == "plus") {
                found = Some((character, end));
            }
        }
    }
    found.map(|(character, end)| (character, end + usize::from(bytes.get(end) == Some(&b';'))))
}

fn symbols(text: &str) -> Vec<Symbol> {
    let mut all = Vec::with_capacity(text.len());
    let mut rest = 0..0;
    for (start, character) in text.char_indices() {
        if rest.contains(&start) {
            continue;
        }
        let entity = Some(&text[start..]).filter(|_| character == '&').and_then(entity);
        let (character, length) = entity.unwrap_or((character, character.len_utf8()));
        let end = start + length;
        rest = start..end;
        let mut push = |seen| all.push(Symbol { seen, start, end });
        match character {
            _ if character == '+' || !character.is_ascii() && PLUSES.contains(character) => push(Seen::Plus),
            '\n' => push(Seen::LineBreak),
            _ if character.is_whitespace() || character == BLANK_BRAILLE => push(Seen::Space),
            _ if is_invisible(character) => {}
            _ if character.is_ascii_alphanumeric() => push(Seen::Letter(character.to_ascii_lowercase())),
            _ if character.is_ascii() => push(Seen::Other(character)),
            _ => looks(character).into_iter().for_each(push),
        }
    }
    all
}

const BLANK_BRAILLE: char = '\u{2800}';

/// Characters with the shape of a plus or a cross that Unicode neither decomposes into a plus nor lists as confusable with one (UTS 39 of
/// Unicode 17 has U+16ED, U+2795, U+1029B, and those with marks such as U+2214 and U+2A25: [`looks`] finds them).
const PLUSES: &str = "±˖†‡ǂᐩᕀ⁜∓⊕⊞┼┽┾┿╀╁╂╃╄╅╆╇╈╉╊╋╪╫╬☨☩☦♰♱✙✚✛✜✝✞✟✠⨁⨢⨣⨤⨥⨦⨧⨨⨭⨮⨹⩱⩲⵫ⵜ十╳🕀🕁🕂🕆🕇🞡🞢🞣🞤🞥🞦🞧𐀫𑀓𝈀𝈎🜊🝧🞊⟴⧺⧻⹋⌖⯐🕈✢✣✤✥﬩⁺₊";

/// Characters without a glyph: Unicode's Default_Ignorable_Code_Point, and control characters.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffc}'
                | '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// What a character outside ASCII looks like.
fn looks(character: char) -> Vec<Seen> {
    let mut buffer = [0; 4];
    let text = &*character.encode_utf8(&mut buffer);
    let unmarked = |text: &str| text.nfkd().filter(|part| !is_combining_mark(*part)).collect::<String>();
    let decomposed = unmarked(text);
    let plain = if decomposed.is_ascii() { decomposed } else { unmarked(&skeleton(&decomposed).collect::<String>()) };
    if plain.starts_with('+') {
        return vec![Seen::Plus];
    }
    // The skeleton of m is rn.
    let plain = if plain == "rn" { "m".to_owned() } else { plain };
    let seen = |part: char| match part {
        _ if part.is_ascii_alphanumeric() => Seen::Letter(part.to_ascii_lowercase()),
        _ if PLUSES.contains(part) => Seen::Plus,
        _ if part.is_ascii() => Seen::Other(part),
        _ if part.is_alphanumeric() => Seen::Letter(char::REPLACEMENT_CHARACTER),
        _ => Seen::Other(part),
    };
    plain.chars().map(seen).collect()
}

/// The longest text that is compared with names.
const LONGEST: usize = 64;

/// The marker whose name follows the pluses `first..next`, and where the name ends.
fn marker_behind(symbols: &[Symbol], first: usize, next: usize) -> Option<(String, usize)> {
    let before = first.checked_sub(1).map(|index| symbols[index].seen);
    let is_suffix = matches!(before, Some(Seen::Letter(_)));
    // `C++`, `10+`
    if is_suffix && (next - first > 1 || matches!(before, Some(Seen::Letter(letter)) if letter.is_ascii_digit())) {
        return None;
    }
    let start = next + filler(&symbols[next..])?;
    let (name, end, after) = word(symbols, start);
    let found = |name: String, end: usize| Some((format!("+{name}"), end));
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
    let named = || Some(NAMES.exact.get(name)?.clone());
    let by_last_part = || Some(NAMES.last_parts.get(name).filter(|_| has_value)?.clone());
    named().or_else(by_last_part).or_else(|| {
        let (first, _) = name.split_once(':')?;
        FIRST_PARTS.contains(&first).then(|| name.to_owned())
    })
}

/// The first part of names that have several, and the channels.
const FIRST_PARTS: [&str; 6] = ["kubebuilder", "k8s", "schema", "gateway", CHANNELS[0].name, CHANNELS[1].name];

/// The marker or channel that a name means, or to which it is near.
pub fn meant(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    known(&name, false).or_else(|| near(&name))
}

/// The marker to which a name is near.
fn near(name: &str) -> Option<String> {
    let by_first_part = || {
        let (first, rest) = name.split_once(':')?;
        nearest(first, FIRST_PARTS).map(|near| format!("{near}:{rest}"))
    };
    let limit = (name.chars().count().max(3) / 3).max(1);
    NAMES.near(name, limit, |known| nearest(name, [known]).is_some()).or_else(by_first_part)
}

/// The marker of which a name is a slip of the pen, not another form such as a plural.
fn slip(name: &str) -> Option<String> {
    let limit = (name.len() / 6).max(1);
    NAMES.near(name, limit, |known| !name.starts_with(known) && distance(name, known, limit) <= limit)
}

/// The names of markers and channels. Each has a key in lower case.
struct Names {
    all: Vec<(String, u32, String)>,
    exact: HashMap<String, String>,
    last_parts: HashMap<String, String>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let channels = CHANNELS.iter().map(|channel| channel.name.to_owned());
    let names: Vec<String> = entries().into_iter().map(|entry| entry.name).chain(channels).collect();
    let keyed = |key: &dyn Fn(&str) -> String| names.iter().rev().map(|name| (key(name), name.clone())).collect();
    Names {
        exact: keyed(&str::to_ascii_lowercase),
        last_parts: keyed(&|name| name.rsplit(':').next().unwrap_or_default().to_ascii_lowercase()),
        all: names.iter().map(|name| (name.to_ascii_lowercase(), letters(name), name.clone())).collect(),
    }
});

impl Names {
    /// The first name that satisfies a condition, of those that can differ in so many letters at most.
    fn near(&self, name: &str, limit: usize, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        let (length, letters) = (name.chars().count(), letters(name));
        let can_be_near = |key: &str, of_key: u32| {
            key.len().abs_diff(length) <= limit && (letters ^ of_key).count_ones() as usize <= 2 * limit
        };
        let found = self.all.iter().find(|(key, of_key, _)| can_be_near(key, *of_key) && is_wanted(key));
        found.map(|(_, _, name)| name.clone())
    }
}

/// Which letters a name has. An edit of one letter changes two of them at most.
fn letters(name: &str) -> u32 {
    let bit = |letter: char| match letter.to_ascii_lowercase() {
        letter @ 'a'..='z' => 1 << (u32::from(letter) - u32::from('a')),
        _ => 1 << 26,
    };
    name.chars().fold(0, |all, letter| all | bit(letter))
}
