//! String literals that the server parses together with the rule: patterns, durations, timestamps.
//!
//! Invariants: a literal that is refused here is refused by the server. Where that is not certain, it is accepted.

use super::lexer::{Lexer, TokenKind};

/// The value of a literal of bytes or of text.
pub(super) enum Quoted {
    Text(String),
    Bytes(Vec<u8>),
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
    let mut characters = body.chars();
    while let Some(character) = characters.next() {
        if character != '\\' || is_raw {
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let (radix, digits, first) = match characters.next()? {
            'a' => (0, 0, 7),
            'b' => (0, 0, 8),
            'f' => (0, 0, 12),
            'n' => (0, 0, 10),
            'r' => (0, 0, 13),
            't' => (0, 0, 9),
            'v' => (0, 0, 11),
            'x' | 'X' => (16, 2, 0),
            'u' => (16, 4, 0),
            'U' => (16, 8, 0),
            octal @ '0'..='3' => (8, 2, octal.to_digit(8)?),
            plain => (0, 0, u32::from(plain)),
        };
        let mut code = first;
        for _ in 0..digits {
            code = code * radix + characters.next()?.to_digit(radix)?;
        }
        match u8::try_from(code) {
            Ok(byte) if is_bytes => bytes.push(byte),
            _ => bytes.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    if is_bytes { Some(Quoted::Bytes(bytes)) } else { String::from_utf8(bytes).ok().map(Quoted::Text) }
}

/// Whether it is a duration as Go writes it. The size is not checked.
pub(super) fn is_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    let mut parts = 0;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let fraction = match rest[digits..].strip_prefix('.') {
            Some(fraction) => 1 + fraction.bytes().take_while(u8::is_ascii_digit).count(),
            None => 0,
        };
        if digits == 0 && fraction < 2 {
            return false;
        }
        rest = &rest[digits + fraction..];
        let unit = ["ns", "us", "µs", "μs", "ms", "s", "m", "h"].iter().find_map(|unit| {
            let after = rest.strip_prefix(unit)?;
            after.chars().next().is_none_or(|next| next.is_ascii_digit() || next == '.').then_some(after)
        });
        let Some(after) = unit else { return false };
        rest = after;
        parts += 1;
    }
    parts > 0
}

/// Whether it is a timestamp of RFC 3339, with the extensions of Go.
pub(super) fn is_timestamp(text: &str) -> bool {
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        digits.parse::<u32>().ok()
    };
    let signs = [(4, '-'), (7, '-'), (10, 'T'), (13, ':'), (16, ':')];
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else { return false };
    let (Some(hour), Some(minute), Some(second)) = (number(11, 13), number(14, 16), number(17, 19)) else {
        return false;
    };
    if !signs.iter().all(|(at, sign)| text.get(*at..at + 1) == sign.encode_utf8(&mut [0; 4]).get(..)) {
        return false;
    }
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    if year == 0 || !(1..=days).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return false;
    }
    let rest = text.get(19..).unwrap_or_default();
    let rest = match rest.strip_prefix(['.', ',']) {
        Some(fraction) => {
            let after = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
            if after.len() == fraction.len() {
                return false;
            }
            after
        }
        None => rest,
    };
    match rest.strip_prefix(['+', '-']) {
        Some(zone) => {
            let number = |range: std::ops::Range<usize>| zone.get(range).and_then(|digits| digits.parse::<u32>().ok());
            zone.len() == 5
                && zone.as_bytes()[2] == b':'
                && number(0..2).is_some_and(|hours| hours <= 24)
                && number(3..5).is_some_and(|minutes| minutes <= 60)
        }
        None => rest == "Z",
    }
}

#[cfg(test)]
mod tests {
    use super::{is_duration, is_timestamp, text};

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

    #[test]
    fn durations_are_those_of_go() {
        for good in ["0", "1s", "-1.5h", "+.5m", "1.m", "1h30m", "3us", "3µs", "1ms2ns", "00001s"] {
            assert!(is_duration(good), "{good}");
        }
        for bad in ["", "-", "1", "s", ".s", "1 s", "1d", "1hour", "1h 30m", "--1s", "1S", "1.5.5s"] {
            assert!(!is_duration(bad), "{bad}");
        }
    }

    #[test]
    fn timestamps_are_those_of_rfc_3339() {
        let good = [
            "2006-01-02T15:04:05Z",
            "2006-01-02T15:04:05.999999999Z",
            "2006-01-02T15:04:05,5Z",
            "2006-01-02T15:04:05+07:00",
            "2004-02-29T00:00:00-00:00",
        ];
        for good in good {
            assert!(is_timestamp(good), "{good}");
        }
        let bad = [
            "",
            "today",
            "2006-01-02",
            "2006-01-02 15:04:05Z",
            "2006-01-02t15:04:05z",
            "2006-01-02T15:04:05",
            "2006-02-29T15:04:05Z",
            "2006-13-02T15:04:05Z",
            "2006-01-02T24:00:00Z",
            "2006-01-02T15:04:60Z",
            "2006-01-02T15:04:05.Z",
            "2006-01-02T15:04:05+7:00",
            "0000-01-01T00:00:00Z",
            "é006-01-02T15:04:05Z",
        ];
        for bad in bad {
            assert!(!is_timestamp(bad), "{bad}");
        }
    }
}
