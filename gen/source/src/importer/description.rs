//! Descriptions as doc comments.
//!
//! Invariants: the macro reads the description again as it was, except for spaces at the ends of lines and repeated blank lines. Text that looks
//! like a marker gets the backslash that makes it prose. A line that Rust does not accept in a comment becomes a `#[doc]` attribute.

use crd_markers::docs::{Documentation, documentation};

/// The lines of a doc comment: text, and whether it can be a comment.
pub(crate) fn lines(description: &str) -> Vec<String> {
    let mut lines: Vec<String> =
        description.replace("\r\n", "\n").split('\n').map(|line| line.trim_end().to_owned()).collect();
    while lines.first().is_some_and(String::is_empty) {
        lines.remove(0);
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.dedup_by(|next, previous| next.is_empty() && previous.is_empty());
    // Each round escapes one text that looks like a marker.
    for _ in 0..=lines.iter().map(String::len).sum::<usize>() {
        let spaced: Vec<String> = lines.iter().map(|line| format!(" {line}")).collect();
        let read = documentation(spaced.iter().map(String::as_str));
        if !escape(&mut lines, &read) {
            break;
        }
    }
    lines
}

/// Escapes the first text that would not be read as prose. Returns whether there was one.
fn escape(lines: &mut Vec<String>, read: &Documentation) -> bool {
    let markers = [&read.markers, &read.unclosed, &read.fenced, &read.swallowed];
    let first = markers.into_iter().flatten().map(|marker| marker.attributes.start).min();
    if let Some(index) = first {
        let Some(at) = lines[index].find('+') else { return false };
        lines[index].insert(at, '\\');
        // The backslash is published where the text after the plus is not near to a marker: then the line joins the one before it.
        let escaped = lines[index].clone();
        if crd_markers::docs::unescaped(&escaped) == escaped {
            lines[index].remove(at);
            match index.checked_sub(1).filter(|before| !lines[*before].is_empty()) {
                Some(before) => {
                    let joined = format!("{} {}", lines[before], lines[index].trim_start());
                    lines[before] = joined;
                    lines.remove(index);
                }
                None => lines[index].insert(at, '\\'),
            }
        }
        return true;
    }
    let Some(disguised) = read.disguised.first() else { return false };
    let (start, end) = (disguised.attributes.start, disguised.attributes.end.min(lines.len()));
    let joined = lines[start..end].join("\n");
    let mut from = 0;
    while let Some(found) = joined[from..].find(&disguised.text) {
        let at = from + found;
        let backslashes = joined[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        if backslashes % 2 == 0 {
            let escaped = format!("{}\\{}", &joined[..at], &joined[at..]);
            lines.splice(start..end, escaped.split('\n').map(str::to_owned));
            return true;
        }
        from = at + disguised.text.len().max(1);
    }
    false
}

/// Whether the description does not close a code fence. Markers below it would be text.
pub(crate) fn has_open_fence(lines: &[String]) -> bool {
    let spaced: Vec<String> = lines.iter().map(|line| format!(" {line}")).collect();
    !documentation(spaced.iter().map(String::as_str).chain([" +optional"])).fenced.is_empty()
}

/// The description as comment lines with this indent.
pub(crate) fn comment(lines: &[String], indent: &str, text: &mut String) {
    for line in lines {
        match line.chars().all(is_plain) {
            true if line.is_empty() => text.push_str(&format!("{indent}///\n")),
            true => text.push_str(&format!("{indent}/// {line}\n")),
            false => text.push_str(&format!("{indent}#[doc = \"{}\"]\n", format!(" {line}").escape_default())),
        }
    }
}

/// Whether Rust accepts the character in a comment: neither a control character nor one that changes the direction of text.
fn is_plain(character: char) -> bool {
    character == '\t'
        || !character.is_control()
            && !matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use crd_markers::docs::unescaped;

    use super::*;

    /// What `generate` publishes for the comment.
    fn published(lines: &[String]) -> String {
        let spaced: Vec<String> = lines.iter().map(|line| format!(" {line}")).collect();
        let read = documentation(spaced.iter().map(String::as_str));
        assert!(
            read.markers.is_empty() && read.disguised.is_empty() && read.fenced.is_empty() && read.unclosed.is_empty(),
            "{read:?}"
        );
        unescaped(&read.description).into_owned()
    }

    #[test]
    fn descriptions_are_published_as_they_were() {
        for text in [
            "One line.",
            "Two\nlines.\n\nAnd a paragraph with `code`, */, [`links`] and <html>.",
            "+experimental",
            "Text.\n+optional\nText.",
            "See - +experimental and `+kubebuilder:validation:MaxLength=3`.",
            "+ experimental, + experimental and +experimental",
            "```yaml\n+experimental\n```\nText with +optional.",
            "An open fence:\n```\n+optional",
            "  indented\n    code",
            "C++ and 1+1",
        ] {
            assert_eq!(published(&lines(text)), text, "{:?}", lines(text));
        }
        // Spaces at ends, and blank lines.
        assert_eq!(published(&lines("\n\n a \r\n\n\n\nb \n\n")), " a\n\nb");
        assert_eq!(published(&lines("")), "");
        // No marker is near to it, so that a backslash would be published.
        assert_eq!(published(&lines("One\n+zzz is prose")), "One +zzz is prose");
    }

    #[test]
    fn characters_that_a_comment_cannot_have_are_in_an_attribute() {
        let mut text = String::new();
        comment(&lines("a\n\u{202e}b\n\n\u{7}"), "  ", &mut text);
        assert_eq!(text, "  /// a\n  #[doc = \" \\u{202e}b\"]\n  ///\n  #[doc = \" \\u{7}\"]\n");
    }
}
