//! Which patterns mean the same to servers (RE2) and to editors (ECMA-262).
//!
//! Invariants: a pattern is portable only if both read every part of it in one way. Two parts differ by rare characters and count as portable: `.`
//! and `\s` treat line and space characters beyond ASCII, and `.` also a carriage return, differently.

/// Whether the readers of a schema understand the pattern as a server does.
pub(super) fn is_portable(pattern: &str) -> bool {
    let mut rest = pattern.chars();
    let (mut is_in_class, mut previous) = (false, None);
    while let Some(character) = rest.next() {
        let next = rest.clone().next();
        match character {
            // Letters and digits that only one of them has, or that mean something else.
            '\\' => match rest.next() {
                Some('d' | 'D' | 's' | 'S' | 'w' | 'W' | 'n' | 'r' | 't' | 'f' | 'v') => {}
                Some('b' | 'B') if !is_in_class => {}
                Some('x') if next_is_hexadecimal(&rest) => {}
                Some(escaped) if escaped.is_ascii_punctuation() => {}
                _ => return false,
            },
            // `[:alpha:]`
            '[' if is_in_class && next == Some(':') => return false,
            '[' if is_in_class => {}
            '[' => {
                let after = rest.as_str().strip_prefix('^').unwrap_or(rest.as_str());
                // RE2 reads the bracket as a member of the class.
                if after.starts_with(']') {
                    return false;
                }
                is_in_class = true;
            }
            ']' => is_in_class = false,
            // Flags and names of groups.
            '?' if !is_in_class && previous == Some('(') && next != Some(':') => return false,
            // Without the flag `u`, ECMA-262 reads them as two characters.
            '\u{10000}'.. => return false,
            _ => {}
        }
        previous = Some(character);
    }
    true
}

fn next_is_hexadecimal(rest: &std::str::Chars<'_>) -> bool {
    rest.as_str().bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2
}

#[cfg(test)]
mod tests {
    use super::is_portable;

    #[test]
    fn only_common_syntax_is_portable() {
        let portable =
            ["", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", r"^(?:\d{1,3}\.){3}\d+$", r"\bé\x2f[\]\\[]", "^([^/?#]*)$", "a+?b"];
        for pattern in portable {
            assert!(is_portable(pattern), "{pattern}");
        }
        for pattern in [
            "(?i)a",
            "(?P<n>a)",
            "(?s:.)",
            "[[:alpha:]]",
            "[]a]",
            "[^]a]",
            r"\pL",
            r"\p{Greek}",
            r"\Qa.b\E",
            r"\Aa\z",
            r"\x{10FFFF}",
            r"\a",
            r"\012",
            r"[\b]",
            "😀",
        ] {
            assert!(!is_portable(pattern), "{pattern}");
        }
    }
}
