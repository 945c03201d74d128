//! The values of string and bytes literals.

use super::lexer::{Lexer, TokenKind, escape};

/// The value of a literal of bytes or of text.
pub(super) enum Quoted {
    Text(String),
    Bytes(Vec<u8>),
}

/// The value of an integer without a sign, if it fits into 64 bits: `5`, `5u`, `0x1f`.
pub(super) fn integer(written: &str) -> Option<u64> {
    let digits = written.trim_end_matches(['u', 'U']);
    match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => digits.parse(),
    }
    .ok()
}

/// The value of the string literal at the beginning of this source.
pub(super) fn text(source: &str) -> Option<String> {
    match quoted(source)? {
        Quoted::Text(text) => Some(text),
        Quoted::Bytes(_) => None,
    }
}

/// The value of the quoted literal at the beginning of this source.
pub(super) fn quoted(source: &str) -> Option<Quoted> {
    let token = Lexer::new(source).next_token().ok()?;
    let is_bytes = match token.kind {
        TokenKind::Text => false,
        TokenKind::Bytes => true,
        _ => return None,
    };
    let literal = source.get(token.start..token.end)?;
    let unprefixed = literal.trim_start_matches(['r', 'R', 'b', 'B']);
    let is_raw = literal[..literal.len() - unprefixed.len()].contains(['r', 'R']);
    let body = ["\"\"\"", "'''", "\"", "'"]
        .iter()
        .find_map(|quote| unprefixed.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)))?;
    // Line ends of a source with `\r\n` are `\n` in the value.
    let body = if body.contains('\r') { &*body.replace("\r\n", "\n").replace('\r', "\n") } else { body };
    let mut bytes = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(character) = rest.chars().next() {
        if character != '\\' || is_raw {
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            rest = &rest[character.len_utf8()..];
            continue;
        }
        let (code, length) = escape(rest.as_bytes(), is_bytes).ok()?;
        match u8::try_from(code) {
            Ok(byte) if is_bytes => bytes.push(byte),
            _ => bytes.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        rest = rest.get(length..)?;
    }
    if is_bytes { Some(Quoted::Bytes(bytes)) } else { String::from_utf8(bytes).ok().map(Quoted::Text) }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn literals_are_unescaped() {
        let table = [
            ("'a' == b", Some("a")),
            ("\"it's\"", Some("it's")),
            ("'''a'b'''", Some("a'b")),
            ("r'\\d'", Some("\\d")),
            ("R\"\"\"\\\"\"\"", Some("\\")),
            ("'\\\\d\\n\\''", Some("\\d\n'")),
            ("'\\x41\\102\\u00e9\\U0001F600'", Some("ABé😀")),
            ("b'a'", None),
            ("''", Some("")),
            ("5", None),
        ];
        for (source, expected) in table {
            assert_eq!(text(source).as_deref(), expected, "{source}");
        }
    }
}
