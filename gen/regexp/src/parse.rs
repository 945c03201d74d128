//! Reads a pattern into a tree, or reports why Go refuses it.
//!
//! Invariants: it never recurses (open groups are on a stack of its own), `at` is always between two characters, and every
//! part that counts towards Go's limits is measured as soon as it is complete.

use super::class::{self, Builder, LAST};
use super::limits::{Item, Limits, MAX_REPEAT, Text, alternate, concat};
use super::names::{Lookup, UnicodeName, look_up};
use super::node::{Assertion, Node};
use super::{PatternError, mistakes};

type Result<T> = std::result::Result<T, PatternError>;

/// Reads all of `text`.
pub(super) fn parse(text: &str) -> Result<Node> {
    let mut parser = Parser {
        text,
        at: 0,
        flags: Flags::default(),
        frame: Frame::default(),
        outer: Vec::new(),
        last_repeat: None,
        last_posix: text.rfind(":]").unwrap_or_default(),
        limits: Limits::default(),
    };
    while let Some(next) = parser.peek() {
        parser.step(next)?;
    }
    if !parser.outer.is_empty() {
        return parser.fail(parser.frame.start, mistakes::UNCLOSED_GROUP);
    }
    Ok(parser.content()?.node)
}

/// What `(?imsU)` switches on.
#[derive(Clone, Copy, Default)]
struct Flags {
    fold: bool,
    lines: bool,
    dot_all: bool,
    lazy: bool,
}

/// Whether a group captures.
#[derive(Default)]
enum Capture {
    #[default]
    Nothing,
    Unnamed,
    Named(String),
}

/// An open group, or the whole expression.
#[derive(Default)]
struct Frame {
    /// The position of its `(`.
    start: usize,
    capture: Capture,
    /// The flags to return to.
    flags: Flags,
    branches: Vec<Item>,
    /// The alternative being read.
    items: Vec<Item>,
}

struct Parser<'a> {
    text: &'a str,
    /// The byte to read next.
    at: usize,
    flags: Flags,
    /// The innermost open group.
    frame: Frame,
    /// The groups around it.
    outer: Vec<Frame>,
    /// Where the repetition directly before `at` starts.
    last_repeat: Option<usize>,
    /// The position of the last `:]`. No search for one continues beyond it.
    last_posix: usize,
    limits: Limits,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes the next character.
    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    /// The text since `start`, shortened for a message.
    fn since(&self, start: usize) -> String {
        const LONGEST: usize = 40;
        let text = self.text.get(start..self.at).unwrap_or_default();
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            None => text.to_owned(),
        }
    }

    /// Fails because of the part from `at` to here.
    fn fail<T>(&self, at: usize, mistake: &str) -> Result<T> {
        Err(PatternError { at, message: mistake.replace("{}", &self.since(at)) })
    }

    /// Reads one thing that begins with `next`.
    fn step(&mut self, next: char) -> Result<()> {
        let last_repeat = self.last_repeat.take();
        let start = self.at;
        match next {
            '*' | '+' | '?' => {
                self.at += 1;
                let (min, max) = match next {
                    '*' => (0, None),
                    '+' => (1, None),
                    _ => (0, Some(1)),
                };
                self.repeat(start, last_repeat, min, max)
            }
            '{' => {
                if let Some((min, max, length)) = counts(self.rest()) {
                    self.at += length;
                    return self.repeat(start, last_repeat, min, max);
                }
                self.at += 1;
                self.literal('{'.into())
            }
            '(' => self.open(),
            ')' => self.close(),
            '|' => {
                self.at += 1;
                self.bar()
            }
            '[' => self.class(),
            '\\' => self.backslash(),
            '.' | '^' | '$' => {
                self.at += 1;
                self.symbol(next)
            }
            _ => {
                self.at += next.len_utf8();
                self.literal(next.into())
            }
        }
    }

    /// Puts a complete part behind the ones before it.
    fn push(&mut self, item: Item) -> Result<()> {
        let continues = item.text != Text::No && self.frame.items.last().is_some_and(|last| last.text == item.text);
        self.measure(&item, u64::from(!continues))?;
        self.frame.items.push(item);
        Ok(())
    }

    /// Compares a complete part, with the number of its nodes in Go, with Go's limits.
    fn measure(&mut self, item: &Item, nodes: u64) -> Result<()> {
        self.limits.add(item, nodes).or_else(|mistake| self.fail(0, mistake))
    }

    fn literal(&mut self, code: u32) -> Result<()> {
        let fold = self.flags.fold;
        let text = if fold { Text::Folded } else { Text::Plain };
        self.push(Item::single(class::literal(code, fold), text, 1))
    }

    fn assertion(&mut self, assertion: Assertion) -> Result<()> {
        self.push(Item::leaf(Node::Assert(assertion)))
    }

    fn symbol(&mut self, symbol: char) -> Result<()> {
        match (symbol, self.flags.lines) {
            ('^', false) => self.assertion(Assertion::TextStart),
            ('^', true) => self.assertion(Assertion::LineStart),
            ('$', false) => self.assertion(Assertion::TextEnd),
            ('$', true) => self.assertion(Assertion::LineEnd),
            _ => {
                let mut any = Builder::new(false);
                if self.flags.dot_all {
                    any.range(0, LAST);
                } else {
                    any.range('\n'.into(), '\n'.into());
                }
                self.set(any, !self.flags.dot_all)
            }
        }
    }

    /// Puts a finished class behind the parts before it. A class of one character is literal text to Go.
    fn set(&mut self, set: Builder, negated: bool) -> Result<()> {
        let class = set.finish(negated);
        let text = match class.ranges.as_slice() {
            _ if !class.unicode.is_empty() || class.negated || class.fold => Text::No,
            [(low, high)] if low == high => Text::Plain,
            [(a, b), (c, d)] if a == b && c == d && a.is_ascii_uppercase() && a.to_ascii_lowercase() == *c => {
                Text::Folded
            }
            _ => Text::No,
        };
        let runes = if text == Text::No { 2 * (class.ranges.len() + class.unicode.len()) } else { 1 };
        self.push(Item::single(Node::Class(class), text, runes))
    }

    /// A repetition operator, from `start` to here.
    fn repeat(&mut self, start: usize, last_repeat: Option<usize>, min: u32, max: Option<u32>) -> Result<()> {
        let count = max.unwrap_or(min);
        if count.max(min) > MAX_REPEAT {
            return self.fail(start, mistakes::REPEAT_TOO_LARGE);
        }
        if count < min {
            return self.fail(start, mistakes::REPEAT_REVERSED);
        }
        let lazy = self.eat("?") != self.flags.lazy;
        if let Some(last) = last_repeat {
            return self.fail(last, mistakes::NESTED_REPETITION);
        }
        let Some(inner) = self.frame.items.pop() else {
            return self.fail(start, mistakes::NOTHING_TO_REPEAT);
        };
        let item = inner.repeated(min, max, lazy);
        if count >= 2 && item.product > MAX_REPEAT {
            return self.fail(start, mistakes::REPEAT_PRODUCT_TOO_LARGE);
        }
        self.measure(&item, 1)?;
        self.frame.items.push(item);
        self.last_repeat = Some(start);
        Ok(())
    }

    /// `(`, `(?:`, `(?flags:`, `(?flags)`, `(?P<name>`, `(?<name>`.
    fn open(&mut self) -> Result<()> {
        let start = self.at;
        if !self.eat("(?") {
            self.at += 1;
            self.enter(start, Capture::Unnamed);
            return Ok(());
        }
        for (sign, mistake) in [
            ("=", mistakes::LOOKAHEAD),
            ("!", mistakes::LOOKAHEAD),
            ("<=", mistakes::LOOKBEHIND),
            ("<!", mistakes::LOOKBEHIND),
        ] {
            if self.eat(sign) {
                return self.fail(start, mistake);
            }
        }
        if self.eat("P<") || self.eat("<") {
            return self.open_named(start);
        }
        let mut flags = self.flags;
        let (mut on, mut complete) = (true, true);
        while let Some(next) = self.next() {
            match next {
                'i' => flags.fold = on,
                'm' => flags.lines = on,
                's' => flags.dot_all = on,
                'U' => flags.lazy = on,
                '-' if on => {
                    (on, complete) = (false, false);
                    continue;
                }
                ')' if complete => {
                    self.flags = flags;
                    return Ok(());
                }
                ':' if complete => {
                    self.enter(start, Capture::Nothing);
                    self.flags = flags;
                    return Ok(());
                }
                _ => {
                    let mistake = self.bad_group(start);
                    return self.fail(start, mistake);
                }
            }
            complete = true;
        }
        self.fail(start, mistakes::UNCLOSED_GROUP)
    }

    /// What to call a `(?` that goes wrong at the character before `at`.
    fn bad_group(&mut self, start: usize) -> &'static str {
        let text = self.since(start);
        match text.as_str() {
            "(?P" if self.eat("=") => {
                self.at += self.rest().find(')').map_or(0, |end| end + 1);
                mistakes::BACKREFERENCE
            }
            "(?P" | "(?>" | "(?#" | "(?|" | "(?(" | "(?&" | "(?R" | "(?+" | "(?'" => mistakes::UNSUPPORTED_GROUP,
            _ if text.ends_with(|c: char| c.is_ascii_digit()) => mistakes::UNSUPPORTED_GROUP,
            _ => mistakes::BAD_FLAGS,
        }
    }

    /// The name after `(?P<`, and its `>`.
    fn open_named(&mut self, start: usize) -> Result<()> {
        let Some((name, _)) = self.rest().split_once('>') else {
            return self.fail(start, mistakes::UNCLOSED_GROUP_NAME);
        };
        self.at += name.len() + 1;
        if name.is_empty() || !name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
            return self.fail(start, mistakes::BAD_GROUP_NAME);
        }
        self.enter(start, Capture::Named(name.to_owned()));
        Ok(())
    }

    fn enter(&mut self, start: usize, capture: Capture) {
        self.limits.open();
        let frame = Frame { start, capture, flags: self.flags, ..Frame::default() };
        self.outer.push(std::mem::replace(&mut self.frame, frame));
    }

    fn bar(&mut self) -> Result<()> {
        let branch = concat(std::mem::take(&mut self.frame.items));
        self.measure(&branch, 0)?;
        self.frame.branches.push(branch);
        Ok(())
    }

    /// Everything between the parentheses of the innermost group.
    fn content(&mut self) -> Result<Item> {
        self.bar()?;
        let content = alternate(std::mem::take(&mut self.frame.branches));
        self.measure(&content, 0)?;
        Ok(content)
    }

    /// `)`.
    fn close(&mut self) -> Result<()> {
        let Some(outer) = self.outer.pop() else {
            return self.fail(self.at, mistakes::UNEXPECTED_PARENTHESIS);
        };
        self.at += 1;
        let inner = self.content()?;
        let group = std::mem::replace(&mut self.frame, outer);
        self.flags = group.flags;
        match group.capture {
            Capture::Named(name) => self.push(inner.captured(Some(name))),
            Capture::Unnamed => self.push(inner.captured(None)),
            Capture::Nothing => self.push(inner),
        }
    }

    /// A backslash outside brackets.
    fn backslash(&mut self) -> Result<()> {
        let start = self.at;
        let assertion = match self.rest().chars().nth(1) {
            Some('A') => Assertion::TextStart,
            Some('z') => Assertion::TextEnd,
            Some('b') => Assertion::WordBoundary,
            Some('B') => Assertion::NotWordBoundary,
            Some('Q') => return self.quotation(),
            _ => {
                let mut set = Builder::new(self.flags.fold);
                if self.shorthand(&mut set)? {
                    return self.set(set, false);
                }
                let code = self.escape(start)?;
                return self.literal(code);
            }
        };
        self.at += 2;
        self.assertion(assertion)
    }

    /// `\Q…\E`, or to the end.
    fn quotation(&mut self) -> Result<()> {
        self.at += 2;
        while !self.eat("\\E") {
            let Some(next) = self.next() else { break };
            self.literal(next.into())?;
        }
        Ok(())
    }

    /// `\d`, `\pL`, `\p{Greek}` and similar escapes, if one is at this position.
    fn shorthand(&mut self, set: &mut Builder) -> Result<bool> {
        let mut ahead = self.rest().chars();
        let (Some('\\'), Some(letter)) = (ahead.next(), ahead.next()) else {
            return Ok(false);
        };
        if let Some((bytes, negated)) = class::perl(letter) {
            self.at += 2;
            set.bytes(bytes, negated);
            return Ok(true);
        }
        if letter != 'p' && letter != 'P' {
            return Ok(false);
        }
        let (name, negated) = self.unicode_class(letter == 'P')?;
        set.named(name, negated);
        Ok(true)
    }

    /// `\pL` or `\p{Greek}`, which is at this position.
    fn unicode_class(&mut self, negated: bool) -> Result<(UnicodeName, bool)> {
        let start = self.at;
        self.at += 2;
        let rest = self.rest();
        let name = match self.next() {
            Some('{') => match rest.split_once('}') {
                Some((name, _)) => {
                    self.at = start + 2 + name.len() + 1;
                    name.get(1..).unwrap_or_default()
                }
                None => return self.fail(start, mistakes::UNCLOSED_UNICODE_CLASS),
            },
            Some(letter) => rest.get(..letter.len_utf8()).unwrap_or_default(),
            None => return self.fail(start, mistakes::UNCLOSED_UNICODE_CLASS),
        };
        let (name, negated) = match name.strip_prefix('^') {
            Some(name) => (name, !negated),
            None => (name, negated),
        };
        match look_up(name) {
            Lookup::Found(found) => Ok((found, negated)),
            Lookup::Unreachable => self.fail(start, mistakes::UNREACHABLE_SCRIPT),
            Lookup::Unknown => self.fail(start, mistakes::UNKNOWN_UNICODE_CLASS),
        }
    }

    /// The character that the escape at this position means.
    fn escape(&mut self, start: usize) -> Result<u32> {
        self.at += 1;
        let Some(next) = self.next() else {
            return self.fail(start, mistakes::TRAILING_BACKSLASH);
        };
        Ok(match next {
            'a' => 0x07,
            'f' => 0x0C,
            't' => 0x09,
            'n' => 0x0A,
            'r' => 0x0D,
            'v' => 0x0B,
            'x' => return self.hexadecimal(start),
            '0'..='7' => {
                let more = self.rest().chars().take(2).map_while(|digit| digit.to_digit(8));
                let (length, code) = more.fold((0, u32::from(next) - u32::from('0')), |(length, code), digit| {
                    (length + 1, code * 8 + digit)
                });
                if next != '0' && length == 0 {
                    return self.fail(start, mistakes::BACKREFERENCE);
                }
                self.at += length;
                code
            }
            '8' | '9' | 'g' | 'k' => return self.fail(start, mistakes::BACKREFERENCE),
            _ if next.is_ascii() && !next.is_ascii_alphanumeric() => next.into(),
            _ => {
                let advice = mistakes::escape_advice(next);
                return self.fail(start, &[mistakes::BAD_ESCAPE, advice].concat());
            }
        })
    }

    /// What follows `\x`.
    fn hexadecimal(&mut self, start: usize) -> Result<u32> {
        let (braces, longest) = if self.eat("{") { (true, usize::MAX) } else { (false, 2) };
        let (mut code, mut length) = (0, 0);
        while length < longest
            && let Some(digit) = self.peek().and_then(|digit| digit.to_digit(16))
        {
            self.at += 1;
            length += 1;
            code = code * 16 + digit;
            if code > LAST {
                break;
            }
        }
        let closed = if braces { self.eat("}") } else { length == 2 };
        if length > 0 && closed && code <= LAST {
            return Ok(code);
        }
        self.fail(start, mistakes::BAD_CODE_POINT)
    }

    /// `[…]`.
    fn class(&mut self) -> Result<()> {
        let start = self.at;
        self.at += 1;
        let negated = self.eat("^");
        let mut set = Builder::new(self.flags.fold);
        let mut first = true;
        while first || !self.eat("]") {
            first = false;
            if self.posix(&mut set)? || self.shorthand(&mut set)? {
                continue;
            }
            let from = self.at;
            let low = self.member(start)?;
            let mut high = low;
            if self.rest().starts_with('-') && !self.rest().starts_with("-]") && self.rest().len() > 1 {
                self.at += 1;
                if let Some(letter) = self.rest().strip_prefix('\\').and_then(|rest| rest.chars().next())
                    && matches!(letter, 'd' | 'D' | 's' | 'S' | 'w' | 'W' | 'p' | 'P')
                {
                    self.at += 2;
                    return self.fail(from, mistakes::BAD_RANGE_END);
                }
                high = self.member(start)?;
                if high < low {
                    return self.fail(from, mistakes::BAD_RANGE);
                }
            }
            set.range(low, high);
        }
        self.set(set, negated)
    }

    /// One character of the class that opened at `start`.
    fn member(&mut self, start: usize) -> Result<u32> {
        match self.peek() {
            None => self.fail(start, mistakes::UNCLOSED_CLASS),
            Some('\\') => self.escape(self.at),
            Some(next) => {
                self.at += next.len_utf8();
                Ok(next.into())
            }
        }
    }

    /// `[:alpha:]`, if one is at this position.
    fn posix(&mut self, set: &mut Builder) -> Result<bool> {
        if self.last_posix < self.at {
            return Ok(false);
        }
        let Some((name, _)) = self.rest().strip_prefix("[:").and_then(|rest| rest.split_once(":]")) else {
            return Ok(false);
        };
        let start = self.at;
        self.at += name.len() + 4;
        let (plain, negated) = match name.strip_prefix('^') {
            Some(plain) => (plain, true),
            None => (name, false),
        };
        match class::posix(plain) {
            Some(bytes) => {
                set.bytes(bytes, negated);
                Ok(true)
            }
            None => self.fail(start, mistakes::UNKNOWN_POSIX_CLASS),
        }
    }
}

/// The counts and the length of `{n}`, `{n,}` or `{n,m}` at the start of `text`. Anything else there is literal text.
fn counts(text: &str) -> Option<(u32, Option<u32>, usize)> {
    let (inside, _) = text.strip_prefix('{')?.split_once('}')?;
    let length = inside.len() + 2;
    Some(match inside.split_once(',') {
        None => {
            let count = number(inside)?;
            (count, Some(count), length)
        }
        Some((min, "")) => (number(min)?, None, length),
        Some((min, max)) => (number(min)?, Some(number(max)?), length),
    })
}

/// A decimal number without leading zeros; one that is too large stays too large.
fn number(text: &str) -> Option<u32> {
    let canonical = !text.is_empty() && (text == "0" || !text.starts_with('0'));
    let digits = canonical && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u32::MAX))
}
