//! Builds messages in constant evaluation, where `format!` is not available. They become compile errors.
//!
//! Invariants: always valid UTF-8; a text that is too long is cut at a character and ends with `...`, so that a long list of
//! names cannot panic.

const CAPACITY: usize = 1200;
const ENDING: &str = "...";

/// A text of limited length.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    bytes: [u8; CAPACITY],
    length: usize,
    full: bool,
}

impl Default for Text {
    fn default() -> Self {
        Self::new()
    }
}

impl Text {
    /// The empty text.
    pub const fn new() -> Self {
        Text { bytes: [0; CAPACITY], length: 0, full: false }
    }

    /// The parts, concatenated.
    pub const fn of(parts: &[&str]) -> Self {
        Self::new().and(parts)
    }

    /// Appends further parts.
    pub const fn and(mut self, parts: &[&str]) -> Self {
        let mut index = 0;
        while index < parts.len() {
            self = self.push(parts[index]);
            index += 1;
        }
        self
    }

    /// Appends an integer.
    pub const fn and_integer(self, integer: i128) -> Self {
        let mut digits = [0_u8; 40];
        let mut start = digits.len();
        let mut rest = integer.unsigned_abs();
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if integer < 0 {
            start -= 1;
            digits[start] = b'-';
        }
        self.push(utf8(digits.split_at(start).1))
    }

    /// Appends a number. A number with a fraction becomes the words "a number with a fraction".
    pub const fn and_number(self, number: f64) -> Self {
        let whole = number as i128;
        if whole as f64 == number { self.and_integer(whole) } else { self.push("a number with a fraction") }
    }

    /// The text as a string.
    pub const fn as_str(&self) -> &str {
        utf8(self.bytes.split_at(self.length).0)
    }

    const fn push(mut self, part: &str) -> Self {
        if self.full {
            return self;
        }
        let room = CAPACITY - ENDING.len() - self.length;
        let mut end = part.len();
        if end > room {
            end = room;
            while !part.is_char_boundary(end) {
                end -= 1;
            }
            self.full = true;
        }
        self = self.write(part.as_bytes(), end);
        if self.full { self.write(ENDING.as_bytes(), ENDING.len()) } else { self }
    }

    const fn write(mut self, bytes: &[u8], end: usize) -> Self {
        let mut index = 0;
        while index < end {
            self.bytes[self.length] = bytes[index];
            self.length += 1;
            index += 1;
        }
        self
    }
}

const fn utf8(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// Whether two strings are the same; `==` on strings is not constant.
pub const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        if left[index] != right[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// Whether the text is one of these.
pub const fn is_among(texts: &[&str], text: &str) -> bool {
    let mut index = 0;
    while index < texts.len() {
        if same(texts[index], text) {
            return true;
        }
        index += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_numbers_are_concatenated() {
        const TEXT: Text = Text::of(&["`", "né", "` "]).and_integer(-120).and(&[" to "]).and_number(3.0);
        assert_eq!(TEXT.as_str(), "`né` -120 to 3");
        assert_eq!(Text::new().and_integer(0).as_str(), "0");
        assert_eq!(Text::new().and_integer(i128::MIN).as_str(), i128::MIN.to_string());
        assert_eq!(Text::new().and_number(0.5).as_str(), "a number with a fraction");
    }

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        let long = "é".repeat(CAPACITY);
        let text = Text::of(&["a", &long, "z"]);
        assert!(text.as_str().len() <= CAPACITY && text.as_str().ends_with("é..."));
    }

    #[test]
    fn strings_are_compared() {
        assert!(same("a", "a") && !same("a", "b") && !same("a", "aa"));
        assert!(is_among(&["a", "b"], "b") && !is_among(&[], "b"));
    }
}
