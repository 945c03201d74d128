//! Workflow commands of GitHub.
//!
//! Invariants: text of inputs is escaped, so that it cannot become a command or a property; a line that is not a command never begins like
//! one.

use crate::{Diagnostic, Location, Severity, printable};

/// A diagnostic as an annotation at its line.
pub fn annotation(diagnostic: &Diagnostic, title: &str) -> String {
    let mut message = diagnostic.message.clone();
    if let Some(help) = &diagnostic.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    command(diagnostic.severity, &diagnostic.location, title, &message)
}

/// An annotation. Without a file and a line, it belongs to the workflow run.
pub fn command(severity: Severity, location: &Location, title: &str, message: &str) -> String {
    let command = match severity {
        Severity::Note => "notice",
        other => other.word(),
    };
    let place = match (&location.file, location.line) {
        (Some(file), Some(line)) => format!("file={},line={line},", property(&file.to_string_lossy())),
        _ => String::new(),
    };
    format!("::{command} {place}title={}::{}\n", property(title), data(message))
}

/// A line of the log that GitHub's runner does not read as a command.
pub fn line(text: &str) -> String {
    let text = printable(text);
    // Commands begin with `::`, those of the older form contain `##[`.
    let text = text.trim_start().replace("##[", "# #[");
    if text.starts_with("::") { format!("- {text}\n") } else { format!("{text}\n") }
}

/// Text after the last `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Text after a `=`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_a_command() {
        let diagnostic = Diagnostic::error("yaml", "50 %\n::error::x").at_line("a,b:c.rs", 3);
        assert_eq!(
            annotation(&diagnostic, "t:1"),
            "::error file=a%2Cb%3Ac.rs,line=3,title=t%3A1::50 %25%0A::error::x\n"
        );
        assert_eq!(line("::error::x"), "- ::error::x\n");
        assert_eq!(line(" ##[error]x"), "# #[error]x\n");
    }
}
