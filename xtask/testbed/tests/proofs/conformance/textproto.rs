//! A reader of protobuf's text format, as far as the conformance files of CEL use it.
//!
//! Invariant: a text that it cannot read is a panic, so that a new form in these files is noticed.

use std::iter::Peekable;
use std::str::Chars;

/// The value of a field.
#[derive(Clone, Debug)]
pub(super) enum Field {
    /// `{…}`: the fields in their order.
    Message(Vec<(String, Field)>),
    /// A quoted value.
    Quoted(Vec<u8>),
    /// A number or a name.
    Word(String),
}

impl Field {
    /// All values of a field.
    pub(super) fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f Field> {
        let fields = match self {
            Self::Message(fields) => &fields[..],
            _ => &[],
        };
        fields.iter().filter(move |(field, _)| field == name).map(|(_, value)| value)
    }

    /// The value of a field.
    pub(super) fn get(&self, name: &str) -> Option<&Field> {
        match self {
            Self::Message(fields) => fields.iter().find(|(field, _)| field == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// A quoted text.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Quoted(bytes) => std::str::from_utf8(bytes).expect("UTF-8"),
            other => panic!("not a text: {other:?}"),
        }
    }

    /// A number or a name.
    pub(super) fn word(&self) -> &str {
        match self {
            Self::Word(word) => word,
            other => panic!("not a word: {other:?}"),
        }
    }
}

/// The message that a file contains.
pub(super) fn read(text: &str) -> Field {
    let mut reader = Reader { rest: text.chars().peekable() };
    reader.message(None)
}

struct Reader<'t> {
    rest: Peekable<Chars<'t>>,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        while let Some(next) = self.rest.peek() {
            match next {
                '#' => while self.rest.next_if(|next| *next != '\n').is_some() {},
                next if next.is_whitespace() || matches!(next, ',' | ';') => {
                    self.rest.next();
                }
                _ => return,
            }
        }
    }

    fn message(&mut self, end: Option<char>) -> Field {
        let mut fields = Vec::new();
        loop {
            self.skip_blanks();
            if self.rest.peek().copied() == end {
                self.rest.next();
                return Field::Message(fields);
            }
            let name = self.word();
            self.skip_blanks();
            self.rest.next_if_eq(&':');
            self.skip_blanks();
            if self.rest.next_if_eq(&'[').is_some() {
                loop {
                    self.skip_blanks();
                    if self.rest.next_if_eq(&']').is_some() {
                        break;
                    }
                    let value = self.value();
                    fields.push((name.clone(), value));
                }
            } else {
                let value = self.value();
                fields.push((name, value));
            }
        }
    }

    /// A name, a number, or the name of an extension in brackets.
    fn word(&mut self) -> String {
        let mut word = String::new();
        if self.rest.next_if_eq(&'[').is_some() {
            while let Some(next) = self.rest.next_if(|next| *next != ']') {
                word.push(next);
            }
            self.rest.next();
        }
        let is_part = |next: &char| next.is_alphanumeric() || matches!(next, '_' | '-' | '+' | '.');
        while let Some(next) = self.rest.next_if(is_part) {
            word.push(next);
        }
        assert!(!word.is_empty(), "a word, before {:?}", self.rest.clone().take(20).collect::<String>());
        word
    }

    fn value(&mut self) -> Field {
        match self.rest.peek() {
            Some('{') => {
                self.rest.next();
                self.message(Some('}'))
            }
            Some('<') => {
                self.rest.next();
                self.message(Some('>'))
            }
            Some('"' | '\'') => {
                let mut bytes = Vec::new();
                // Adjacent texts are one text.
                while let Some(quote @ ('"' | '\'')) = self.rest.peek().copied() {
                    self.rest.next();
                    self.quoted(quote, &mut bytes);
                    self.skip_blanks();
                }
                Field::Quoted(bytes)
            }
            _ => Field::Word(self.word()),
        }
    }

    fn quoted(&mut self, quote: char, bytes: &mut Vec<u8>) {
        let push = |bytes: &mut Vec<u8>, character: char| {
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        };
        loop {
            match self.rest.next().expect("the end of a text") {
                end if end == quote => return,
                '\\' => match self.rest.next().expect("an escape") {
                    'n' => bytes.push(b'\n'),
                    'r' => bytes.push(b'\r'),
                    't' => bytes.push(b'\t'),
                    'a' => bytes.push(7),
                    'b' => bytes.push(8),
                    'f' => bytes.push(12),
                    'v' => bytes.push(11),
                    'x' | 'X' => bytes.push(u8::try_from(self.digits(16, 2, 0)).expect("a byte")),
                    'u' => push(bytes, char::from_u32(self.digits(16, 4, 0)).expect("a character")),
                    'U' => push(bytes, char::from_u32(self.digits(16, 8, 0)).expect("a character")),
                    first @ '0'..='7' => {
                        let code = self.digits(8, 2, first.to_digit(8).expect("an octal digit"));
                        bytes.push(u8::try_from(code).expect("a byte"));
                    }
                    plain => push(bytes, plain),
                },
                plain => push(bytes, plain),
            }
        }
    }

    fn digits(&mut self, radix: u32, count: u32, first: u32) -> u32 {
        let mut code = first;
        for _ in 0..count {
            let Some(digit) = self.rest.next_if(|next| next.is_digit(radix)) else { break };
            code = code * radix + digit.to_digit(radix).expect("a digit");
        }
        code
    }
}
