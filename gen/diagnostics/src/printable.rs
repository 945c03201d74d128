//! Text of inputs, made harmless.

/// Text on one line without control characters, which a terminal or a log would obey.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' | '\r' | '\t' => ' ',
            other if other.is_control() => '\u{fffd}',
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(printable("a\u{1b}[2J\nb\u{7f}\u{9b}\tc"), "a\u{fffd}[2J b\u{fffd}\u{fffd} c");
    }
}
