//! Workflow commands of GitHub.
//!
//! Invariants: text of inputs is escaped, so that it cannot become a command or a property; a line that is not a command never begins like
//! one.

use crate::text::{one_line, sentences};
use crate::{Diagnostic, Location, Severity, printable, printed, visible};

/// A diagnostic as an annotation at its line. Without a line, GitHub shows no file, so the message contains it.
pub fn annotation(diagnostic: &Diagnostic) -> String {
    let mut message = diagnostic.message.clone();
    if let Some(help) = &diagnostic.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let mut message = if diagnostic.location.line.is_some() { message } else { one_line(diagnostic) };
    if let Some(object) = &diagnostic.location.object {
        message = format!("{object}: {message}");
    }
    command(diagnostic.severity, &diagnostic.location, diagnostic.code, &message)
}

/// A diagnostic about a CRD as an annotation: the title names the CRD, and the message has sentences; `more` is added to it.
pub fn about_crd(diagnostic: &Diagnostic, more: Option<String>) -> String {
    let crd = diagnostic.location.crd.as_ref().map(|crd| format!(": {}", crd.name)).unwrap_or_default();
    let more = more.map(|more| format!("\n{more}")).unwrap_or_default();
    let (title, message) = (format!("{}{crd}", diagnostic.code), format!("{}{more}", sentences(diagnostic)));
    command(diagnostic.severity, &diagnostic.location, &title, &message)
}

/// An annotation. Without a file and a line, it belongs to the workflow run.
fn command(severity: Severity, location: &Location, title: &str, message: &str) -> String {
    let command = match severity {
        Severity::Note => "notice",
        other => other.word(),
    };
    let place = match (&location.file, location.line) {
        (Some(file), Some(line)) => {
            let column = location.column.map(|column| format!("col={column},")).unwrap_or_default();
            format!("file={},line={line},{column}", property(&file.to_string_lossy()))
        }
        _ => String::new(),
    };
    format!("::{command} {place}title={}::{}\n", property(title), data(message))
}

/// A line of the log that GitHub's runner does not read as a command.
pub fn line(text: &str) -> String {
    printed(&format!("{}\n", printable(text)))
}

/// Text after the last `::`.
fn data(text: &str) -> String {
    // A carriage return is an escape of commands.
    let text = text.split('\r').map(visible).collect::<Vec<_>>().join("\r");
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Text after a `=`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::ObjectName;

    #[test]
    fn text_cannot_become_a_command() {
        let diagnostic = Diagnostic::error("file::kind", "50 %\n::error::x").at_line("a,b:c.rs", 3);
        assert_eq!(
            annotation(&diagnostic),
            "::error file=a%2Cb%3Ac.rs,line=3,title=file%3A%3Akind::50 %25%0A::error::x\n"
        );
        assert_eq!(line("::error::x"), "\\::error::x\n");
        assert_eq!(line(" ##[error]x"), " ##\\[error]x\n");
    }

    #[test]
    fn an_object_is_named_and_a_column_is_a_property() {
        let object = ObjectName { kind: "Thing".to_owned(), namespace: Some("a".to_owned()), name: "b".to_owned() };
        let diagnostic = Diagnostic::error("object::type", "wrong").at_position("a.yaml", 3, 5).of_object(object);
        let expected = "::error file=a.yaml,line=3,col=5,title=object%3A%3Atype::Thing a/b: wrong\n";
        assert_eq!(annotation(&diagnostic), expected);
    }

    /// As the runner reads a command: properties up to the next `::`, each up to a comma, and then everything decoded.
    fn read(line: &str) -> Option<(&str, BTreeMap<&str, String>, String)> {
        let decoded = |text: &str, property: bool| {
            let text = text.replace("%0D", "\r").replace("%0A", "\n");
            let text = if property { text.replace("%3A", ":").replace("%2C", ",") } else { text };
            text.replace("%25", "%")
        };
        let (head, message) = line.strip_prefix("::")?.split_once("::")?;
        let (command, properties) = head.split_once(' ')?;
        let properties = properties.split(',').map(|property| {
            let (key, value) = property.split_once('=')?;
            Some((key, decoded(value, true)))
        });
        Some((command, properties.collect::<Option<_>>()?, decoded(message, false)))
    }

    #[test]
    fn the_runner_reads_what_is_written() {
        for (file, title, message) in [
            ("a.rs", "plain", "plain"),
            ("a,b:c.rs", "t: a, b", "100 % of a, b: c"),
            ("a%2C.rs", "%0A", "%25 %0A %3A"),
            ("a\r\nb.rs", "::error::x", "two\r\nlines\n::error title=x::injected"),
            ("é.rs", "", ""),
        ] {
            let location = Location { file: Some(file.into()), line: Some(3), ..Location::default() };
            let text = command(Severity::Warning, &location, title, message);
            assert_eq!(text.matches('\n').count(), 1, "{text}");
            let properties = [("file", file), ("line", "3"), ("title", title)];
            let properties = properties.map(|(key, value)| (key, value.to_owned())).into();
            assert_eq!(read(text.trim_end_matches('\n')), Some(("warning", properties, message.to_owned())));
        }
    }
}
