//! Diagnostics as text, in the form of rustc's.
//!
//! Invariants: paths and names are never shortened, so that they can be copied; lines to copy keep their layout.

use std::fmt;

use anstyle::Style;
use crd_model::channel::Channel;

use crate::layout::{first_of_each, not_shown};
use crate::style::{ADDED, FAINT, NAME, NOTE, of_severity};
use crate::{Diagnostic, Location, Related, printable, printed, visible};

/// How many related locations are printed; the rest is counted.
const MOST_RELATED: usize = 4;

/// A diagnostic with colours.
pub fn render(diagnostic: &Diagnostic) -> String {
    written(diagnostic, true)
}

/// Diagnostics with colours: the first of each code, and how many more there are.
pub fn render_all<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> String {
    let (first, more) = first_of_each(diagnostics, |diagnostic| diagnostic.code);
    let mut text = first.into_iter().map(render).collect::<String>();
    for (code, number) in more {
        text.push_str(&format!("{NOTE}note:{NOTE:#} {}\n", more_of(code, number)));
    }
    text
}

/// How many diagnostics with a code are not shown.
pub fn more_of(code: &str, number: usize) -> String {
    format!("`{code}`: {}", not_shown(number, "diagnostic", "`--format json`"))
}

/// A diagnostic without colours.
pub fn plain(diagnostic: &Diagnostic) -> String {
    written(diagnostic, false)
}

/// A diagnostic on one line without its code, for lists of notes.
pub fn one_line(diagnostic: &Diagnostic) -> String {
    let help = diagnostic.help.as_ref().map(|help| format!(". {help}")).unwrap_or_default();
    let Some(file) = &diagnostic.location.file else { return format!("{}{help}", diagnostic.message) };
    // The location already contains the name of the file.
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    let message = diagnostic.message.strip_prefix(&format!("`{name}` ")).unwrap_or(&diagnostic.message);
    format!("{}: {message}{help}", diagnostic.location)
}

/// A diagnostic as sentences on one line, without its file: the schema path, the message and the fix. Lines to copy follow.
pub fn sentences(diagnostic: &Diagnostic) -> String {
    let location = &diagnostic.location;
    let crd = location.crd.as_ref();
    let version = crd.and_then(|crd| crd.version.as_deref());
    let place = [location.channel.map(Channel::name), version, crd.map(|crd| &*crd.path)];
    let place = place.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    let parts = [&*place, &diagnostic.message].into_iter().filter(|part| !part.is_empty()).map(printable);
    let mut text = parts.collect::<Vec<_>>().join(": ");
    full_stop(&mut text);
    if let Some(help) = &diagnostic.help {
        let (first, copied) = help.split_once('\n').unwrap_or((help, ""));
        text.push_str(&format!(" Fix: {}", printable(first)));
        full_stop(&mut text);
        text.extend(copied.lines().flat_map(|line| ["\n".to_owned(), printable(line)]));
    }
    text
}

/// A text that begins with a capital letter.
pub fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    first + characters.as_str()
}

/// Ends a sentence with a full stop, unless it has an end.
pub fn full_stop(sentence: &mut String) {
    if !sentence.ends_with(['.', '!', '?', ':']) {
        sentence.push('.');
    }
}

impl fmt::Display for Diagnostic {
    /// The text without colours, as [`plain`] renders it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&plain(self))
    }
}

impl std::error::Error for Diagnostic {}

fn written(diagnostic: &Diagnostic, coloured: bool) -> String {
    let style = |style: Style| if coloured { style } else { Style::new() };
    let (faint, name) = (style(FAINT), style(NAME));
    let word = style(of_severity(diagnostic.severity));
    let mut lines = lines(&diagnostic.message);
    let message = printable(lines.next().unwrap_or_default());
    let (severity, code) = (diagnostic.severity.word(), diagnostic.code);
    let mut text = format!("{word}{severity}[{code}]{word:#}: {name}{message}{name:#}\n");
    let location = &diagnostic.location;
    if location.file.is_some() {
        let file = printable(&location.to_string());
        text.push_str(&format!("  {faint}-->{faint:#} {file}\n"));
    }
    if let (Some(excerpt), Some(line)) = (&location.excerpt, location.line) {
        let number = line.to_string();
        let gap = " ".repeat(number.len());
        let before = excerpt.line.chars().take(excerpt.start).collect::<String>();
        let before = visible(&before).chars().map(blank).collect::<String>();
        let carets = "^".repeat(excerpt.length.max(1));
        let label = printable(&excerpt.label);
        text.push_str(&format!("{gap} {faint}|{faint:#}\n"));
        text.push_str(&format!("{faint}{number} |{faint:#} {}\n", visible(&excerpt.line)));
        let mark = format!("{before}{word}{carets} {label}");
        text.push_str(&format!("{gap} {faint}|{faint:#} {}{word:#}\n", mark.trim_end()));
    }
    let mut detail = |key: &str, value: &str| {
        text.push_str(&format!("   {faint}={faint:#} {name}{key}{name:#}: {}\n", printable(value)));
    };
    if let Some(about) = about(location) {
        detail("in", &about);
    }
    for more in lines.filter(|line| !line.trim().is_empty()) {
        detail("note", more.trim());
    }
    for Related { message, location } in diagnostic.related.iter().take(MOST_RELATED) {
        let at = [location.to_string(), about(location).unwrap_or_default()];
        let at = at.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        detail("also", &if message.is_empty() { at } else { format!("{at}: {message}") });
    }
    if let more @ 1.. = diagnostic.related.len().saturating_sub(MOST_RELATED) {
        detail("also", &format!("{more} more"));
    }
    if let Some(help) = &diagnostic.help {
        let mut lines = help.lines();
        detail("help", lines.next().unwrap_or_default());
        let added = style(ADDED);
        for line in lines {
            text.push_str(&format!("       {added}{}{added:#}\n", printable(line)));
        }
    }
    printed(&text)
}

/// The lines of a message. A line break in `code` does not begin another line.
fn lines(message: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    message.split(move |character| {
        is_code ^= character == '`';
        character == '\n' && !is_code
    })
}

/// The object, the Rust item, the CRD and the channel of a location.
fn about(location: &Location) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(object) = &location.object {
        parts.push(format!("`{object}`"));
    }
    if let Some(rust) = &location.rust {
        parts.push(format!("`{rust}`"));
    }
    if let Some(crd) = &location.crd {
        let version = crd.version.as_deref().unwrap_or_default();
        let words = [&*crd.name, version, &*crd.path];
        parts.push(words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "));
    }
    if let Some(channel) = location.channel {
        parts.push(format!("channel {channel}"));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Tabs keep their width, so that the carets stay below their text.
fn blank(character: char) -> char {
    if character == '\t' { '\t' } else { ' ' }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Excerpt, RustItem};

    #[test]
    fn the_form_is_that_of_rustc() {
        let mut diagnostic = Diagnostic::error("types::leftover-marker", "unknown marker `+experimentl`")
            .at_line("api-types/src/v1/http_route.rs", 88)
            .help("`cargo xtask markers` lists all markers");
        diagnostic.location.excerpt = Some(Excerpt {
            line: "    /// +experimentl".to_owned(),
            start: 8,
            length: 12,
            label: "did you mean `+experimental`?".to_owned(),
        });
        assert_eq!(
            plain(&diagnostic),
            "error[types::leftover-marker]: unknown marker `+experimentl`
  --> api-types/src/v1/http_route.rs:88
   |
88 |     /// +experimentl
   |         ^^^^^^^^^^^^ did you mean `+experimental`?
   = help: `cargo xtask markers` lists all markers
"
        );
    }

    #[test]
    fn types_channels_and_related_locations_follow_the_file() {
        let mut diagnostic = Diagnostic::warning("cel::missing-field", "`volume` is not a field of `spec`")
            .at_position("a.rs", 3, 5)
            .of_rust("ThingSpec", Some("size".to_owned()))
            .in_channel(Channel::Standard)
            .help("add the marker:\n/// +experimental");
        diagnostic.related.push(Related {
            message: "the field".to_owned(),
            location: Location {
                file: Some("b.rs".into()),
                line: Some(7),
                rust: Some(RustItem { type_name: "Other".to_owned(), field: None }),
                ..Location::default()
            },
        });
        assert_eq!(
            plain(&diagnostic),
            "warning[cel::missing-field]: `volume` is not a field of `spec`
  --> a.rs:3:5
   = in: `ThingSpec.size`, channel standard
   = also: b.rs:7 `Other`: the field
   = help: add the marker:
       /// +experimental
"
        );
    }

    #[test]
    fn a_long_list_ends_with_the_number_of_the_rest() {
        let of = |code, number: usize| (0..number).map(move |at| Diagnostic::error(code, format!("no. {at}")));
        let text = render_all(&of("file::io", 12_000).chain(of("file::kind", 2)).collect::<Vec<_>>());
        assert!(text.starts_with(&of("file::io", 50).map(|each| render(&each)).collect::<String>()), "{text}");
        let end = of("file::kind", 2).map(|each| render(&each)).collect::<String>();
        let note = "`file::io`: 11,950 more diagnostics are not shown; `--format json` lists all";
        assert!(text.ends_with(&format!("{end}{NOTE}note:{NOTE:#} {note}\n")), "{text}");
        assert_eq!(text.lines().count(), 53);
    }

    #[test]
    fn text_of_inputs_cannot_control_the_terminal() {
        let text = render(&Diagnostic::error("yaml", "a\u{1b}[2Jb").at_file("c\nd"));
        assert!(text.contains("a\\u{1b}[2Jb") && text.contains("c d"), "{text:?}");
    }
}
