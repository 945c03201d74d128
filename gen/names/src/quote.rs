//! Quotes of texts in messages.

/// The beginning of a text, short enough for a message.
pub fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= 48 { line.to_owned() } else { line.chars().take(45).chain("...".chars()).collect() }
}
