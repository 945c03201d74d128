//! From text to tokens, as go-yaml v2 does, which kubectl and the API server use.
//!
//! A port of its scanner (`scannerc.go` of go.yaml.in/yaml/v2), with its names and the words of its errors, because crates follow other rules:
//! those of YAML 1.2, or of libyaml 0.2, where `[2001:db8::]` is an error and `[a?b]` is not.
//!
//! Invariants: tokens are those of go-yaml for each text; the number of characters that are read ahead is limited as there.

use std::collections::VecDeque;

use super::parse::YamlError;
use super::section::TextPosition;

/// How many characters a key without `?` may have before its colon.
pub(super) const LONGEST_KEY: usize = 1024;

/// A part of the syntax.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    StreamEnd,
    Directive,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(String),
    Anchor(String),
    Tag { handle: String, suffix: String },
    Scalar { text: String, is_plain: bool },
}

/// A place in the text.
#[derive(Clone, Copy)]
struct Mark {
    index: usize,
    /// Lines by the rules of YAML, where U+2028 ends one.
    line: usize,
    column: usize,
    /// Lines by the rules of editors.
    row: usize,
}

/// A token that is a key if a colon follows.
#[derive(Clone, Copy)]
struct SimpleKey {
    is_possible: bool,
    is_required: bool,
    /// Whether its token waits for the colon.
    is_awaited: bool,
    number: usize,
    mark: Mark,
}

type Scanned<T> = Result<T, YamlError>;

/// Reads tokens from the text of one document.
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
    mark: Mark,
    flow_level: usize,
    /// The columns of the block collections around this place; -1 outside of all.
    indents: Vec<isize>,
    indent: isize,
    /// Whether a key may begin here.
    allows_key: bool,
    /// One for each level of flow collections.
    keys: Vec<SimpleKey>,
    tokens: VecDeque<(Token, TextPosition)>,
    /// How many tokens were taken.
    taken: usize,
}

impl<'t> Scanner<'t> {
    /// A scanner of a text that begins in this line, from 1.
    pub(super) fn new(text: &'t str, line: usize) -> Scanned<Self> {
        let mark = Mark { index: 0, line: 0, column: 0, row: line };
        let key = SimpleKey { is_possible: false, is_required: false, is_awaited: false, number: 0, mark };
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut scanner = Self {
            text,
            at,
            mark,
            flow_level: 0,
            indents: Vec::new(),
            indent: -1,
            allows_key: true,
            keys: vec![key],
            tokens: VecDeque::new(),
            taken: 0,
        };
        let is_control = |character| {
            let is_other = matches!(character, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
            is_other && !matches!(character, '\t' | '\n' | '\r' | '\u{85}')
        };
        if let Some(control) = text.find(is_control) {
            while scanner.at < control {
                scanner.advance();
            }
            return Err(scanner.error("control characters are not allowed"));
        }
        Ok(scanner)
    }

    /// The next token, which stays.
    pub(super) fn peek(&mut self) -> Scanned<&(Token, TextPosition)> {
        while self.needs_more()? {
            self.fetch()?;
        }
        self.tokens.front().ok_or_else(|| YamlError::syntax(self.position(), "the text ends"))
    }

    /// Takes the next token.
    pub(super) fn take(&mut self) -> Scanned<(Token, TextPosition)> {
        self.peek()?;
        self.taken += 1;
        Ok(self.tokens.pop_front().unwrap_or((Token::StreamEnd, self.position())))
    }

    fn position(&self) -> TextPosition {
        position(self.mark)
    }

    fn error(&self, problem: &str) -> YamlError {
        YamlError::syntax(self.position(), problem)
    }

    // Characters.

    /// A byte after this place. The end is NUL, which texts do not contain.
    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or_default()
    }

    /// How many bytes a line break has here. Clients drop one `\r` before `\n`.
    fn break_length(&self, ahead: usize) -> usize {
        match self.text.as_bytes().get(self.at + ahead..).unwrap_or_default() {
            [b'\r', b'\r', b'\n', ..] => 3,
            [b'\r', b'\n', ..] | [0xc2, 0x85, ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            [0xe2, 0x80, 0xa8 | 0xa9, ..] => 3,
            _ => 0,
        }
    }

    fn is_break(&self, ahead: usize) -> bool {
        self.break_length(ahead) > 0
    }

    fn is_end(&self) -> bool {
        self.at >= self.text.len()
    }

    fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b' ' | b'\t')
    }

    /// A space, a tab, a line break or the end.
    fn is_white(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b' ' | b'\t' | 0) || self.is_break(ahead)
    }

    fn is_marker(&self) -> bool {
        let is_three = |byte| (0..3).all(|ahead| self.byte(ahead) == byte);
        self.mark.column == 0 && (is_three(b'-') || is_three(b'.')) && self.is_white(3)
    }

    /// Moves behind one character and returns it.
    fn advance(&mut self) -> Option<char> {
        let character = self.text.get(self.at..)?.chars().next()?;
        self.at += character.len_utf8();
        self.mark.index += 1;
        self.mark.column += 1;
        Some(character)
    }

    /// Moves behind a line break and returns what it is in a scalar.
    fn line_break(&mut self) -> &'t str {
        let broken = self.text.get(self.at..self.at + self.break_length(0)).unwrap_or_default();
        self.at += broken.len();
        let is_unicode = !broken.is_ascii();
        self.mark.index += 1;
        self.mark.line += 1;
        self.mark.row += usize::from(!is_unicode);
        self.mark.column = 0;
        match broken {
            "\u{2028}" | "\u{2029}" => broken,
            _ => "\n",
        }
    }

    /// Moves behind characters of one kind.
    fn run(&mut self, is_part: impl Fn(&Self) -> bool) -> &'t str {
        let start = self.at;
        while !self.is_end() && is_part(self) {
            self.advance();
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// A name of letters, digits, `_` and `-`.
    fn name(&mut self) -> &'t str {
        self.run(|scanner| scanner.byte(0).is_ascii_alphanumeric() || matches!(scanner.byte(0), b'_' | b'-'))
    }

    /// The line up to its break.
    fn rest_of_line(&mut self) -> &'t str {
        self.run(|scanner| !scanner.is_break(0))
    }

    /// Spaces and a comment at the end of a line, and its break.
    fn end_of_line(&mut self) -> Scanned<()> {
        self.run(|scanner| scanner.is_blank(0));
        if self.byte(0) == b'#' {
            self.rest_of_line();
        }
        if self.is_break(0) {
            self.line_break();
        } else if !self.is_end() {
            return Err(self.error("did not find expected comment or line break"));
        }
        Ok(())
    }

    // Tokens.

    fn push(&mut self, token: Token, mark: Mark) {
        self.tokens.push_back((token, position(mark)));
    }

    /// Inserts a token before the one of this number.
    fn insert(&mut self, number: usize, token: Token, mark: Mark) {
        let index = number.checked_sub(self.taken).unwrap_or(self.tokens.len()).min(self.tokens.len());
        self.tokens.insert(index, (token, position(mark)));
    }

    /// A token of a number of characters.
    fn indicator(&mut self, token: Token, length: usize) {
        self.push(token, self.mark);
        for _ in 0..length {
            self.advance();
        }
    }

    fn needs_more(&mut self) -> Scanned<bool> {
        if self.tokens.is_empty() {
            return Ok(true);
        }
        match self.keys.iter().position(|key| key.is_awaited && key.number == self.taken) {
            Some(level) => self.is_key_possible(level),
            None => Ok(false),
        }
    }

    fn fetch(&mut self) -> Scanned<()> {
        self.skip_to_token();
        let mark = self.mark;
        self.unroll(isize::try_from(mark.column).unwrap_or(isize::MAX));
        let (byte, is_in_flow) = (self.byte(0), self.flow_level > 0);
        if self.is_end() {
            self.mark.column = 0;
            self.unroll(-1);
            self.remove_key()?;
            self.allows_key = false;
            self.push(Token::StreamEnd, mark);
            return Ok(());
        }
        if self.is_marker() || byte == b'%' && mark.column == 0 {
            self.unroll(-1);
            self.remove_key()?;
            self.allows_key = false;
            match byte {
                b'-' => self.indicator(Token::DocumentStart, 3),
                b'.' => self.indicator(Token::DocumentEnd, 3),
                _ => return self.directive(),
            }
            return Ok(());
        }
        match byte {
            b'[' => self.flow_start(Token::FlowSequenceStart),
            b'{' => self.flow_start(Token::FlowMappingStart),
            b']' => self.flow_end(Token::FlowSequenceEnd),
            b'}' => self.flow_end(Token::FlowMappingEnd),
            b',' => {
                self.remove_key()?;
                self.allows_key = true;
                self.indicator(Token::FlowEntry, 1);
                Ok(())
            }
            b'-' if self.is_white(1) => {
                self.begin_block(Token::BlockSequenceStart, "block sequence entries are not allowed in this context")?;
                self.remove_key()?;
                self.allows_key = true;
                self.indicator(Token::BlockEntry, 1);
                Ok(())
            }
            b'?' if is_in_flow || self.is_white(1) => {
                self.begin_block(Token::BlockMappingStart, "mapping keys are not allowed in this context")?;
                self.remove_key()?;
                self.allows_key = !is_in_flow;
                self.indicator(Token::Key, 1);
                Ok(())
            }
            b':' if is_in_flow || self.is_white(1) => self.value(),
            b'|' | b'>' if !is_in_flow => {
                self.remove_key()?;
                self.allows_key = true;
                self.block_scalar(byte == b'|')
            }
            _ => self.fetch_node(byte),
        }
    }

    /// An anchor, an alias, a tag, or a scalar other than a block scalar.
    fn fetch_node(&mut self, byte: u8) -> Scanned<()> {
        let is_plain = match byte {
            b'?' | b':' => self.flow_level == 0,
            b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => false,
            _ => !self.is_white(0),
        };
        if !is_plain {
            return Err(self.error("found character that cannot start any token"));
        }
        self.save_key()?;
        self.allows_key = false;
        match byte {
            b'*' | b'&' => self.anchor(byte == b'*'),
            b'!' => self.tag(),
            b'\'' | b'"' => self.quoted(byte),
            _ => self.plain(),
        }
    }

    fn skip_to_token(&mut self) {
        loop {
            while self.byte(0) == b' ' || (self.flow_level > 0 || !self.allows_key) && self.byte(0) == b'\t' {
                self.advance();
            }
            if self.byte(0) == b'#' {
                self.rest_of_line();
            }
            if !self.is_break(0) {
                return;
            }
            self.line_break();
            self.allows_key |= self.flow_level == 0;
        }
    }

    // Keys without `?`.

    fn is_key_possible(&mut self, level: usize) -> Scanned<bool> {
        let Some(key) = self.keys.get_mut(level).filter(|key| key.is_possible) else { return Ok(false) };
        if key.mark.line >= self.mark.line && key.mark.index + LONGEST_KEY >= self.mark.index {
            return Ok(true);
        }
        if key.is_required {
            return Err(self.error("could not find expected ':'"));
        }
        key.is_possible = false;
        Ok(false)
    }

    fn save_key(&mut self) -> Scanned<()> {
        if !self.allows_key {
            return Ok(());
        }
        let is_required = self.flow_level == 0 && usize::try_from(self.indent) == Ok(self.mark.column);
        let number = self.taken + self.tokens.len();
        self.remove_key()?;
        if let Some(key) = self.keys.last_mut() {
            *key = SimpleKey { is_possible: true, is_required, is_awaited: true, number, mark: self.mark };
        }
        Ok(())
    }

    fn remove_key(&mut self) -> Scanned<()> {
        match self.keys.last_mut() {
            Some(key) if key.is_possible && key.is_required => Err(self.error("could not find expected ':'")),
            Some(key) if key.is_possible => {
                (key.is_possible, key.is_awaited) = (false, false);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    // Collections.

    fn begin_block(&mut self, token: Token, problem: &str) -> Scanned<()> {
        if self.flow_level == 0 {
            if !self.allows_key {
                return Err(self.error(problem));
            }
            self.roll(self.mark, None, token);
        }
        Ok(())
    }

    /// A block collection begins in this column, unless it has begun: before the token of this number, or here.
    fn roll(&mut self, mark: Mark, number: Option<usize>, token: Token) {
        let column = isize::try_from(mark.column).unwrap_or(isize::MAX);
        if self.flow_level == 0 && self.indent < column {
            self.indents.push(self.indent);
            self.indent = column;
            self.insert(number.unwrap_or(self.taken + self.tokens.len()), token, mark);
        }
    }

    /// Block collections end that begin behind this column.
    fn unroll(&mut self, column: isize) {
        while self.flow_level == 0 && self.indent > column {
            self.push(Token::BlockEnd, self.mark);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn flow_start(&mut self, token: Token) -> Scanned<()> {
        self.save_key()?;
        let number = self.taken + self.tokens.len();
        self.keys.push(SimpleKey {
            is_possible: false,
            is_required: false,
            is_awaited: false,
            number,
            mark: self.mark,
        });
        self.flow_level += 1;
        self.allows_key = true;
        self.indicator(token, 1);
        Ok(())
    }

    fn flow_end(&mut self, token: Token) -> Scanned<()> {
        self.remove_key()?;
        if self.flow_level > 0
            && let Some(SimpleKey { number, .. }) = self.keys.pop()
        {
            self.flow_level -= 1;
            // go-yaml does not wait for the colon behind an empty collection.
            self.keys.iter_mut().filter(|key| key.number == number).for_each(|key| key.is_awaited = false);
        }
        self.allows_key = false;
        self.indicator(token, 1);
        Ok(())
    }

    fn value(&mut self) -> Scanned<()> {
        let level = self.keys.len() - 1;
        if self.is_key_possible(level)? {
            let SimpleKey { number, mark, .. } = self.keys[level];
            self.insert(number, Token::Key, mark);
            self.roll(mark, Some(number), Token::BlockMappingStart);
            (self.keys[level].is_possible, self.keys[level].is_awaited) = (false, false);
            self.allows_key = false;
        } else {
            self.begin_block(Token::BlockMappingStart, "mapping values are not allowed in this context")?;
            self.allows_key = self.flow_level == 0;
        }
        self.indicator(Token::Value, 1);
        Ok(())
    }

    // Directives, anchors and tags.

    /// A directive needs a marker behind it, where clients begin another document: its value has no effect.
    fn directive(&mut self) -> Scanned<()> {
        let mark = self.mark;
        let directive = self.rest_of_line();
        if !matches!(directive.split([' ', '\t']).next(), Some("%YAML" | "%TAG")) {
            return Err(self.error("found unknown directive name"));
        }
        self.push(Token::Directive, mark);
        Ok(())
    }

    fn anchor(&mut self, is_alias: bool) -> Scanned<()> {
        let mark = self.mark;
        self.advance();
        let name = self.name().to_owned();
        let is_end = matches!(self.byte(0), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if name.is_empty() || !is_end && !self.is_white(0) {
            return Err(self.error("did not find expected alphabetic or numeric character"));
        }
        self.push(if is_alias { Token::Alias(name) } else { Token::Anchor(name) }, mark);
        Ok(())
    }

    fn tag(&mut self) -> Scanned<()> {
        let mark = self.mark;
        let (handle, suffix) = if self.byte(1) == b'<' {
            self.advance();
            self.advance();
            let suffix = self.tag_uri()?;
            if suffix.is_empty() || self.advance() != Some('>') {
                return Err(self.error("did not find the expected '>'"));
            }
            (String::new(), suffix)
        } else {
            let handle = self.tag_handle()?;
            let suffix = self.tag_uri()?;
            match handle.strip_prefix('!').filter(|rest| rest.ends_with('!')) {
                Some(_) if suffix.is_empty() => return Err(self.error("did not find expected tag URI")),
                Some(_) => (handle, suffix),
                None => match format!("{}{suffix}", &handle[1..]) {
                    suffix if suffix.is_empty() => (suffix, handle),
                    suffix => ("!".to_owned(), suffix),
                },
            }
        };
        if !self.is_white(0) {
            return Err(self.error("did not find expected whitespace or line break"));
        }
        self.push(Token::Tag { handle, suffix }, mark);
        Ok(())
    }

    /// `!`, `!!`, `!name!`, or the beginning of a tag `!name`.
    fn tag_handle(&mut self) -> Scanned<String> {
        if self.byte(0) != b'!' {
            return Err(self.error("did not find expected '!'"));
        }
        let start = self.at;
        self.advance();
        self.name();
        if self.byte(0) == b'!' {
            self.advance();
        }
        Ok(self.text.get(start..self.at).unwrap_or_default().to_owned())
    }

    fn tag_uri(&mut self) -> Scanned<String> {
        let written = self.run(|scanner| {
            let byte = scanner.byte(0);
            byte.is_ascii_alphanumeric() || b"_-;/?:@&=+$,.!~*'()[]%".contains(&byte)
        });
        let mut bytes = Vec::with_capacity(written.len());
        let mut parts = written.split('%');
        bytes.extend_from_slice(parts.next().unwrap_or_default().as_bytes());
        for part in parts {
            let octet = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
            let (Some(octet), Some(rest)) = (octet, part.get(2..)) else {
                return Err(self.error("did not find URI escaped octet"));
            };
            bytes.push(octet);
            bytes.extend_from_slice(rest.as_bytes());
        }
        String::from_utf8(bytes).map_err(|_| self.error("found an incorrect UTF-8 octet"))
    }

    // Scalars.

    fn block_scalar(&mut self, is_literal: bool) -> Scanned<()> {
        let mark = self.mark;
        self.advance();
        let header = self.run(|scanner| scanner.byte(0).is_ascii_digit() || matches!(scanner.byte(0), b'+' | b'-'));
        let (chomping, digit) = match header.as_bytes() {
            [] => (None, None),
            [sign @ (b'+' | b'-')] => (Some(*sign), None),
            [digit @ b'1'..=b'9'] => (None, Some(*digit)),
            [sign @ (b'+' | b'-'), digit @ b'1'..=b'9'] | [digit @ b'1'..=b'9', sign @ (b'+' | b'-')] => {
                (Some(*sign), Some(*digit))
            }
            _ => return Err(self.error("did not find an expected indicator of indentation or line breaks")),
        };
        self.end_of_line()?;
        let outer = usize::try_from(self.indent).unwrap_or(0);
        let mut indent = digit.map(|digit| outer + usize::from(digit - b'0'));
        let (mut text, mut leading_break, mut trailing_breaks) = (String::new(), "", String::new());
        let mut was_blank = false;
        self.block_breaks(&mut indent, &mut trailing_breaks)?;
        while Some(self.mark.column) == indent && !self.is_end() {
            let is_blank = self.is_blank(0);
            let is_folded = !is_literal && !was_blank && !is_blank && leading_break == "\n";
            match (is_folded, trailing_breaks.is_empty()) {
                (true, true) => text.push(' '),
                (true, false) => {}
                (false, _) => text.push_str(leading_break),
            }
            text.push_str(&trailing_breaks);
            trailing_breaks.clear();
            was_blank = is_blank;
            text.push_str(self.rest_of_line());
            leading_break = if self.is_break(0) { self.line_break() } else { "" };
            self.block_breaks(&mut indent, &mut trailing_breaks)?;
        }
        if chomping != Some(b'-') {
            text.push_str(leading_break);
        }
        if chomping == Some(b'+') {
            text.push_str(&trailing_breaks);
        }
        self.push(Token::Scalar { text, is_plain: false }, mark);
        Ok(())
    }

    /// Empty lines and the indentation of the next line, which decides that of the scalar if it is not known.
    fn block_breaks(&mut self, indent: &mut Option<usize>, breaks: &mut String) -> Scanned<()> {
        let mut deepest = 0;
        loop {
            let is_before = |scanner: &Self| indent.is_none_or(|indent| scanner.mark.column < indent);
            self.run(|scanner| is_before(scanner) && scanner.byte(0) == b' ');
            deepest = deepest.max(self.mark.column);
            if is_before(self) && self.byte(0) == b'\t' {
                return Err(self.error("found a tab character where an indentation space is expected"));
            }
            if !self.is_break(0) {
                break;
            }
            breaks.push_str(self.line_break());
        }
        indent.get_or_insert(deepest.max(usize::try_from(self.indent + 1).unwrap_or(0)).max(1));
        Ok(())
    }

    fn quoted(&mut self, quote: u8) -> Scanned<()> {
        let mark = self.mark;
        self.advance();
        let mut text = String::new();
        loop {
            if self.is_marker() {
                return Err(self.error("found unexpected document indicator"));
            }
            if self.is_end() {
                return Err(YamlError::syntax(position(mark), "unclosed quote, and the text ends"));
            }
            let mut is_escaped_break = false;
            while !self.is_white(0) && !is_escaped_break {
                match (self.byte(0), quote) {
                    (b'\'', b'\'') if self.byte(1) == b'\'' => {
                        text.push('\'');
                        self.advance();
                        self.advance();
                    }
                    (byte, _) if byte == quote => break,
                    (b'\\', b'"') => {
                        self.advance();
                        is_escaped_break = self.is_break(0);
                        match is_escaped_break {
                            true => drop(self.line_break()),
                            false => text.push(self.escape()?),
                        }
                    }
                    _ => text.extend(self.advance()),
                }
            }
            if self.byte(0) == quote {
                break;
            }
            self.white(&mut text, is_escaped_break, None)?;
        }
        self.advance();
        self.push(Token::Scalar { text, is_plain: false }, mark);
        Ok(())
    }

    /// The character of an escape, behind its backslash.
    fn escape(&mut self) -> Scanned<char> {
        let digits = match self.byte(0) {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            byte => {
                let character = match byte {
                    b'0' => '\0',
                    b'a' => '\x07',
                    b'b' => '\x08',
                    b't' | b'\t' => '\t',
                    b'n' => '\n',
                    b'v' => '\x0b',
                    b'f' => '\x0c',
                    b'r' => '\r',
                    b'e' => '\x1b',
                    b' ' | b'"' | b'\'' | b'\\' => char::from(byte),
                    b'N' => '\u{85}',
                    b'_' => '\u{a0}',
                    b'L' => '\u{2028}',
                    b'P' => '\u{2029}',
                    _ => return Err(self.error("found unknown escape character")),
                };
                self.advance();
                return Ok(character);
            }
        };
        self.advance();
        let written = self.text.get(self.at..self.at + digits).filter(|written| !written.starts_with('+'));
        let value = written.and_then(|written| u32::from_str_radix(written, 16).ok()).and_then(char::from_u32);
        let value = value.ok_or_else(|| self.error("found invalid Unicode character escape code"))?;
        for _ in 0..digits {
            self.advance();
        }
        Ok(value)
    }

    fn plain(&mut self) -> Scanned<()> {
        let mark = self.mark;
        let (mut text, mut white) = (String::new(), String::new());
        let mut is_behind_break = false;
        loop {
            if self.is_marker() || self.byte(0) == b'#' {
                break;
            }
            let is_part = |scanner: &Self| match scanner.byte(0) {
                b':' => !scanner.is_white(1),
                b',' | b'?' | b'[' | b']' | b'{' | b'}' => scanner.flow_level == 0,
                _ => !scanner.is_white(0),
            };
            let part = self.run(is_part);
            if !part.is_empty() {
                text.push_str(&white);
                white.clear();
                text.push_str(part);
                is_behind_break = false;
            }
            if !self.is_blank(0) && !self.is_break(0) {
                break;
            }
            let indent = usize::try_from(self.indent + 1).unwrap_or(0);
            is_behind_break = self.white(&mut white, false, Some(indent))?;
            if self.flow_level == 0 && self.mark.column < indent {
                break;
            }
        }
        self.allows_key |= is_behind_break;
        self.push(Token::Scalar { text, is_plain: true }, mark);
        Ok(())
    }

    /// Spaces and line breaks between the words of a scalar, and whether there was a break: one break is a space, more breaks are one less.
    /// Before this indentation, tabs are errors.
    fn white(&mut self, text: &mut String, is_behind_break: bool, indent: Option<usize>) -> Scanned<bool> {
        let start = self.at;
        let (mut first, mut more, mut is_behind_break) = (None, String::new(), is_behind_break);
        while self.is_blank(0) || self.is_break(0) {
            if self.is_break(0) {
                let broken = self.line_break();
                match is_behind_break {
                    true => more.push_str(broken),
                    false => first = Some(broken),
                }
                is_behind_break = true;
                continue;
            }
            if is_behind_break && self.byte(0) == b'\t' && indent.is_some_and(|indent| self.mark.column < indent) {
                return Err(self.error("found a tab character that violates indentation"));
            }
            self.advance();
        }
        match (is_behind_break, first) {
            (false, _) => text.push_str(self.text.get(start..self.at).unwrap_or_default()),
            (true, Some("\n")) if more.is_empty() => text.push(' '),
            (true, Some("\n") | None) => text.push_str(&more),
            (true, Some(first)) => text.extend([first, &more]),
        }
        Ok(is_behind_break)
    }
}

fn position(mark: Mark) -> TextPosition {
    TextPosition { line: mark.row, column: mark.column + 1 }
}
