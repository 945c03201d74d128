//! From the text of a CEL expression to tokens.
//!
//! Invariants: the longest token wins, as in the CEL grammar. The escapes of a string token are valid. The borders of tokens are borders
//! of characters. No input makes the lexer panic, and it reads every byte a bounded number of times.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TokenKind {
    /// The end of the expression.
    End,
    Equal,
    NotEqual,
    In,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    LeftParenthesis,
    RightParenthesis,
    Dot,
    Comma,
    Minus,
    Exclamation,
    QuestionMark,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    /// `true` or `false`
    Boolean,
    Null,
    /// `5`, `0x1f`
    Integer,
    /// `5u`, `0x1fu`
    Unsigned,
    /// `1.5`, `.5e3`
    Double,
    /// A string literal of any form.
    Text,
    /// A bytes literal of any form.
    Bytes,
    Identifier,
    /// A name in backticks.
    QuotedIdentifier,
}

impl TokenKind {
    /// Whether a value can end with this token.
    pub(super) fn ends_value(self) -> bool {
        matches!(
            self,
            Self::Identifier
                | Self::QuotedIdentifier
                | Self::Boolean
                | Self::Null
                | Self::Integer
                | Self::Unsigned
                | Self::Double
                | Self::Text
                | Self::Bytes
                | Self::RightParenthesis
                | Self::RightBracket
                | Self::RightBrace
        )
    }
}

/// One token and its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// Offset of its first byte.
    pub(super) start: usize,
    /// Offset after its last byte.
    pub(super) end: usize,
}

/// A position at which the lexer cannot read a token.
#[derive(Clone, Debug)]
pub(super) struct Unreadable {
    /// The offset in bytes.
    pub(super) at: usize,
    pub(super) message: &'static str,
    /// How to fix it.
    pub(super) help: &'static str,
}

/// Reads tokens from a text.
pub(super) struct Lexer<'s> {
    bytes: &'s [u8],
    position: usize,
}

impl<'s> Lexer<'s> {
    /// A lexer at the beginning of a text.
    pub(super) fn new(source: &'s str) -> Self {
        Self { bytes: source.as_bytes(), position: 0 }
    }

    fn peek(&self, ahead: usize) -> u8 {
        // Zero means the end: outside strings a NUL byte is not part of a token, and strings check the length themselves.
        self.bytes.get(self.position + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, accept: impl Fn(u8) -> bool) {
        while let Some(byte) = self.bytes.get(self.position)
            && accept(*byte)
        {
            self.position += 1;
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c));
            if self.peek(0) == b'/' && self.peek(1) == b'/' {
                self.skip_while(|byte| byte != b'\n');
            } else {
                return;
            }
        }
    }

    /// The next token; always [`TokenKind::End`] after the last one.
    pub(super) fn next_token(&mut self) -> Result<Token, Unreadable> {
        self.skip_blanks();
        let start = self.position;
        let Some(first) = self.bytes.get(start).copied() else {
            return Ok(Token { kind: TokenKind::End, start, end: start });
        };
        let kind = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(first)?,
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b'"' | b'\'' => {
                self.quoted(false, false)?;
                TokenKind::Text
            }
            b'`' => self.backticks()?,
            _ => self.operator(first)?,
        };
        Ok(Token { kind, start, end: self.position })
    }

    fn operator(&mut self, first: u8) -> Result<TokenKind, Unreadable> {
        let second = self.peek(1);
        let (kind, length) = match (first, second) {
            (b'=', b'=') => (TokenKind::Equal, 2),
            (b'!', b'=') => (TokenKind::NotEqual, 2),
            (b'<', b'=') => (TokenKind::LessEqual, 2),
            (b'>', b'=') => (TokenKind::GreaterEqual, 2),
            (b'&', b'&') => (TokenKind::And, 2),
            (b'|', b'|') => (TokenKind::Or, 2),
            (b'<', _) => (TokenKind::Less, 1),
            (b'>', _) => (TokenKind::Greater, 1),
            (b'!', _) => (TokenKind::Exclamation, 1),
            (b'[', _) => (TokenKind::LeftBracket, 1),
            (b']', _) => (TokenKind::RightBracket, 1),
            (b'{', _) => (TokenKind::LeftBrace, 1),
            (b'}', _) => (TokenKind::RightBrace, 1),
            (b'(', _) => (TokenKind::LeftParenthesis, 1),
            (b')', _) => (TokenKind::RightParenthesis, 1),
            (b'.', _) => (TokenKind::Dot, 1),
            (b',', _) => (TokenKind::Comma, 1),
            (b'-', _) => (TokenKind::Minus, 1),
            (b'?', _) => (TokenKind::QuestionMark, 1),
            (b':', _) => (TokenKind::Colon, 1),
            (b'+', _) => (TokenKind::Plus, 1),
            (b'*', _) => (TokenKind::Star, 1),
            (b'/', _) => (TokenKind::Slash, 1),
            (b'%', _) => (TokenKind::Percent, 1),
            (b'=', _) => return Err(self.fail("a single `=` is not an operator of CEL", "compare with `==`")),
            (b'&', _) => return Err(self.fail("a single `&` is not an operator of CEL", "write `&&`")),
            (b'|', _) => return Err(self.fail("a single `|` is not an operator of CEL", "write `||`")),
            _ => return Err(self.fail("CEL does not use this character outside strings", "remove it, or quote it")),
        };
        self.position += length;
        Ok(kind)
    }

    fn fail(&self, message: &'static str, help: &'static str) -> Unreadable {
        Unreadable { at: self.position, message, help }
    }

    /// A name, a keyword, or a string with a prefix.
    fn word(&mut self, first: u8) -> Result<TokenKind, Unreadable> {
        let is_bytes = matches!(first, b'b' | b'B');
        let letters = usize::from(is_bytes);
        let is_raw = matches!(self.peek(letters), b'r' | b'R');
        let letters = letters + usize::from(is_raw);
        if letters > 0 && matches!(self.peek(letters), b'"' | b'\'') {
            self.position += letters;
            self.quoted(is_raw, is_bytes)?;
            return Ok(if is_bytes { TokenKind::Bytes } else { TokenKind::Text });
        }
        let start = self.position;
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        Ok(match &self.bytes[start..self.position] {
            b"in" => TokenKind::In,
            b"true" | b"false" => TokenKind::Boolean,
            b"null" => TokenKind::Null,
            _ => TokenKind::Identifier,
        })
    }

    fn number(&mut self) -> TokenKind {
        if self.peek(0) == b'0' && self.peek(1) == b'x' && self.peek(2).is_ascii_hexdigit() {
            self.position += 2;
            self.skip_while(|byte| byte.is_ascii_hexdigit());
            return self.integer_or_unsigned();
        }
        let mut kind = TokenKind::Integer;
        self.skip_while(|byte| byte.is_ascii_digit());
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            kind = TokenKind::Double;
            self.position += 1;
            self.skip_while(|byte| byte.is_ascii_digit());
        }
        if matches!(self.peek(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if self.peek(1 + sign).is_ascii_digit() {
                kind = TokenKind::Double;
                self.position += 1 + sign;
                self.skip_while(|byte| byte.is_ascii_digit());
            }
        }
        if kind == TokenKind::Integer { self.integer_or_unsigned() } else { kind }
    }

    fn integer_or_unsigned(&mut self) -> TokenKind {
        if matches!(self.peek(0), b'u' | b'U') {
            self.position += 1;
            TokenKind::Unsigned
        } else {
            TokenKind::Integer
        }
    }

    fn backticks(&mut self) -> Result<TokenKind, Unreadable> {
        let opening = self.position;
        self.position += 1;
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/' | b' '));
        if self.peek(0) != b'`' || self.position == opening + 1 {
            return Err(self.fail(
                "this name in backticks is not valid",
                "use only letters, digits, `_`, `.`, `-`, `/` and spaces, and end it with a backtick",
            ));
        }
        self.position += 1;
        Ok(TokenKind::QuotedIdentifier)
    }

    /// A string that begins with the quote at the current position.
    fn quoted(&mut self, raw: bool, bytes: bool) -> Result<(), Unreadable> {
        let opening = self.position;
        let quote = self.peek(0);
        // After `""` another quote always opens a triple-quoted string: CEL does not join adjacent strings.
        let triple = self.peek(1) == quote && self.peek(2) == quote;
        self.position += if triple { 3 } else { 1 };
        loop {
            let Some(byte) = self.bytes.get(self.position).copied() else {
                self.position = opening;
                return Err(self.fail("this string does not end", "close it with the quotes that open it"));
            };
            if byte == quote {
                if !triple {
                    self.position += 1;
                    return Ok(());
                }
                if self.peek(1) == quote && self.peek(2) == quote {
                    self.position += 3;
                    return Ok(());
                }
                self.position += 1;
            } else if byte == b'\\' && !raw {
                let read = escape(&self.bytes[self.position..], bytes);
                let (_, length) = read.map_err(|(message, help)| self.fail(message, help))?;
                self.position += length;
            } else if matches!(byte, b'\n' | b'\r') && !triple {
                return Err(self.fail(
                    "this string does not end on its line",
                    "write `\\n`, or use three quotes for several lines",
                ));
            } else {
                self.position += 1;
            }
        }
    }
}

/// The number of an escape, which begins with a backslash, and the length of the escape; or what is wrong, and how to fix it.
pub(super) fn escape(text: &[u8], is_bytes: bool) -> Result<(u32, usize), (&'static str, &'static str)> {
    let digits = |from: usize, count: usize, radix: u32| {
        let mut digits = (from..from + count).map(|at| char::from(*text.get(at)?).to_digit(radix));
        digits.try_fold(0, |code: u32, digit| Some(code * radix + digit?))
    };
    let count = match text.get(1) {
        Some(b'a') => return Ok((7, 2)),
        Some(b'b') => return Ok((8, 2)),
        Some(b't') => return Ok((9, 2)),
        Some(b'n') => return Ok((10, 2)),
        Some(b'v') => return Ok((11, 2)),
        Some(b'f') => return Ok((12, 2)),
        Some(b'r') => return Ok((13, 2)),
        Some(plain @ (b'"' | b'\'' | b'\\' | b'?' | b'`')) => return Ok((u32::from(*plain), 2)),
        Some(b'0'..=b'3') => {
            let code = digits(1, 3, 8);
            return code
                .map(|code| (code, 4))
                .ok_or(("this octal escape is not valid", "write `\\` and three digits from `\\000` to `\\377`"));
        }
        Some(b'x' | b'X') => 2,
        Some(b'u') => 4,
        Some(b'U') => 8,
        _ => {
            return Err(("CEL does not have this escape", "write `\\\\` for a backslash, or use a raw string: r\"…\""));
        }
    };
    let code = digits(2, count, 16).ok_or((
        "this escape has too few hexadecimal digits",
        "write 2 digits after `\\x`, 4 after `\\u`, or 8 after `\\U`",
    ))?;
    if count > 2 && is_bytes {
        return Err(("bytes cannot have the escapes `\\u` and `\\U`", "write the bytes with `\\x`"));
    }
    if count > 2 && char::from_u32(code).is_none() {
        return Err((
            "this number is not the number of a character",
            "use a number below D800, or from E000 to 10FFFF",
        ));
    }
    Ok((code, 2 + count))
}
