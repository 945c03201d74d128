//! Edits of annotated sources, in Rust and in Go: removes `+experimental` and markers with its effect.
//!
//! Invariants: no other text changes, not even the end of a line; a line that is not what the descriptors say is an error, so that an outdated
//! build edits nothing; all errors are reported together.

use std::collections::BTreeMap;
use std::fmt;

/// A `+experimental` in a file, as descriptors locate it. Lines count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceMark<'a> {
    /// The Rust name of the type, field or variant.
    pub name: &'a str,
    /// The line of that name.
    pub line: u32,
    /// The line of `+experimental`.
    pub marker: u32,
}

/// Why a mark was not removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditError {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong, without the line.
    pub message: String,
    /// How to fix it.
    pub help: &'static str,
}

impl fmt::Display for EditError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}; {}", self.line, self.message, self.help)
    }
}

const OUTDATED: &str = "the file has changed since the last build: build it again";
const BY_HAND: &str = "remove the marker by hand";
const MARK: &str = "+experimental";

/// A line that changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEdit {
    /// The line, from 1.
    pub line: u32,
    /// Its text, without the end of the line.
    pub before: String,
    /// The new text; none if the line is removed.
    pub after: Option<String>,
}

/// The language of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Rust, with `///` before markers.
    Rust,
    /// Go, with `//` before markers, gates of Kubernetes and tags of Gateway API.
    Go,
}

impl Language {
    fn comment(self) -> &'static str {
        match self {
            Self::Rust => "///",
            Self::Go => "//",
        }
    }
}

/// The lines that change if the marks go: the line `/// +experimental` goes, together with an empty comment line that only separates it from
/// the text, and the prefix of a line such as `/// +experimental:kubebuilder:validation:MaxLength=3` goes. [`edited`] changes a text.
///
/// # Errors
/// Each mark that is not where it should be, or that is not in a comment of its own line: an attribute `#[doc = "…"]`, a block comment, or the
/// output of a macro.
pub fn without_marks(
    text: &str,
    marks: &[SourceMark<'_>],
    language: Language,
) -> Result<Vec<LineEdit>, Vec<EditError>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut errors = Vec::new();
    let mut edits = BTreeMap::new();
    for mark in marks {
        match checked(&lines, mark, language) {
            Ok((line, marker, graduated)) => {
                for (number, text, after) in of_same_gate(&lines, mark, marker) {
                    let after = after.map(|after| text.replacen(text.trim_start_matches([' ', '\t', '/']), &after, 1));
                    edits.insert(number, LineEdit { line: number, before: text.to_owned(), after });
                }
                let after = graduated.map(|graduated| line.replacen(marker, &graduated, 1));
                edits.insert(mark.marker, LineEdit { line: mark.marker, before: line.to_owned(), after });
            }
            Err(error) => errors.push(error),
        }
    }
    errors.dedup();
    if !errors.is_empty() {
        return Err(errors);
    }
    let separators = edits.values().filter_map(|edit| separator(&lines, &edits, edit, language)).collect::<Vec<_>>();
    edits.extend(separators.into_iter().map(|edit| (edit.line, edit)));
    Ok(edits.into_values().collect())
}

/// The empty doc line above a line that goes, if no doc line remains below.
fn separator(lines: &[&str], edits: &BTreeMap<u32, LineEdit>, edit: &LineEdit, language: Language) -> Option<LineEdit> {
    let doc = |number: u32| {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        lines.get(index)?.trim_start().strip_prefix(language.comment())
    };
    let goes = |number: u32| edits.get(&number).is_some_and(|edit| edit.after.is_none());
    let below = (edit.line..).find(|number| !goes(*number))?;
    let above = (1..edit.line).rev().find(|number| !goes(*number))?;
    let is_separator = edit.after.is_none() && doc(below).is_none() && doc(above)?.trim().is_empty();
    let before = usize::try_from(above).ok().and_then(|above| lines.get(above.checked_sub(1)?))?;
    is_separator.then(|| LineEdit { line: above, before: (*before).to_owned(), after: None })
}

/// The text with the edits. Ends of lines stay as they are.
pub fn edited(text: &str, edits: &[LineEdit]) -> String {
    let line = |(index, line): (usize, &str)| {
        let edit = edits.iter().find(|edit| usize::try_from(edit.line) == Ok(index + 1));
        match edit {
            None => line.to_owned(),
            Some(LineEdit { after: None, .. }) => String::new(),
            Some(LineEdit { before, after: Some(after), .. }) => line.replacen(before, after, 1),
        }
    };
    text.split_inclusive('\n').enumerate().map(line).collect()
}

/// The line of a mark, its marker, and what the marker becomes, if the mark is what the descriptors say.
fn checked<'t>(
    lines: &[&'t str],
    mark: &SourceMark<'_>,
    language: Language,
) -> Result<(&'t str, &'t str, Option<String>), EditError> {
    let line = |number: u32| {
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let message = || format!("the file has {} lines", lines.len());
        index.and_then(|index| lines.get(index)).copied().ok_or_else(|| EditError {
            line: number,
            message: message(),
            help: OUTDATED,
        })
    };
    let item = line(mark.line)?;
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    if !item.split(|character| !is_part(character)).any(|word| word == mark.name) {
        let message = format!("`{}` is not on this line", mark.name);
        return Err(EditError { line: mark.line, message, help: "build again; if a macro writes it, edit the macro" });
    }
    let line = line(mark.marker)?;
    let error = |message: &str, help| Err(EditError { line: mark.marker, message: message.to_owned(), help });
    let code = line.trim_start();
    let marker = code.strip_prefix(language.comment()).map(str::trim);
    match marker.and_then(|marker| Some((marker, graduated(marker, language)?))) {
        Some((marker, graduated)) => Ok((line, marker, graduated)),
        _ if code.starts_with("#[") => error("the marker is in an attribute", BY_HAND),
        _ if code.starts_with("/**") => error("the marker is in a block comment", BY_HAND),
        _ if line.contains(MARK) => {
            error(&format!("the marker is not alone in a `{}` comment", language.comment()), BY_HAND)
        }
        _ => error(&format!("`{MARK}` is not on this line"), OUTDATED),
    }
}

/// The gate of a marker of Go.
fn gate(marker: &str) -> Option<&str> {
    let name = match OF_GATES.iter().find_map(|prefix| marker.strip_prefix(prefix)) {
        Some(name) => name,
        None => ["+k8s:ifEnabled(", "+k8s:ifDisabled("]
            .iter()
            .find_map(|prefix| marker.strip_prefix(prefix)?.split_once(')'))
            .map(|(name, _)| name)?,
    };
    Some(name.trim().trim_matches('"'))
}

/// Further lines above an element that state with the same gate that it exists, or that it may be absent then: each with its number, its text and
/// what its marker becomes.
fn of_same_gate<'t>(lines: &[&'t str], mark: &SourceMark<'_>, marker: &str) -> Vec<(u32, &'t str, Option<String>)> {
    let is_whole = |marker: &str| graduated(marker, Language::Go) == Some(None);
    let Some(of_mark) = gate(marker).filter(|_| is_whole(marker)) else { return Vec::new() };
    let above = (1..mark.line).rev().map(|number| (number, line_of(lines, number)));
    let comments = above.map_while(|(number, line)| Some((number, line?.trim().strip_prefix("//")?.trim(), line?)));
    let same = comments.filter(|(number, text, _)| *number != mark.marker && gate(text) == Some(of_mark));
    let changed = same.filter_map(|(number, text, line)| {
        let is_optional = text.ends_with(")=+k8s:optional") || text.ends_with(")=+optional");
        match graduated(text, Language::Go)? {
            Some(after) if is_optional => Some((number, line, Some(after))),
            Some(_) => None,
            None => Some((number, line, None)),
        }
    });
    changed.collect()
}

/// A line by its number, from 1.
fn line_of<'t>(lines: &[&'t str], number: u32) -> Option<&'t str> {
    lines.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
}

/// Markers of Go that are about the whole element, before the name of a gate.
const OF_GATES: [&str; 3] = ["+featureGate=", "+k8s:featureGate=", "+kubebuilder:feature-gate="];

/// What a marker becomes without its limit to experimental; none inside if nothing is left of it. None if it has no such limit.
fn graduated(marker: &str, language: Language) -> Option<Option<String>> {
    if let Some(rest) = marker.strip_prefix(MARK) {
        return match rest.strip_prefix(':') {
            Some(limited) => Some(Some(format!("+{limited}"))),
            None => rest.is_empty().then_some(None),
        };
    }
    if language == Language::Rust {
        return None;
    }
    if let Some(rest) = marker.strip_prefix("<gateway:experimental") {
        let validation = rest.strip_prefix(":validation:").and_then(|rest| rest.strip_suffix('>'));
        return match validation {
            Some(validation) => Some(Some(format!("+kubebuilder:validation:{validation}"))),
            None => (rest == ">").then_some(None),
        };
    }
    if OF_GATES.iter().any(|gate| marker.starts_with(gate)) {
        return Some(None);
    }
    let limited = |name| marker.strip_prefix(name).and_then(|rest| Some(rest.split_once(")=")?.1));
    match (limited("+k8s:ifEnabled("), limited("+k8s:ifDisabled(")) {
        (Some(marker), _) if marker.starts_with('+') => Some(Some(marker.to_owned())),
        (_, Some("+k8s:enumExclude" | "+k8s:forbidden")) => Some(None),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remove_marks(text: &str, marks: &[SourceMark<'_>]) -> Result<String, Vec<EditError>> {
        without_marks(text, marks, Language::Rust).map(|edits| edited(text, &edits))
    }

    const SOURCE: &str = r#"/// A thing.
///
/// +experimental
/// +structType=atomic
#[api]
pub struct Thing {
    /// Its colour.
    ///
    ///+experimental
    pub r#type: String,
    /// +experimental:kubebuilder:validation:XValidation:rule=`self != "+experimental:"
    ///   && self != 'b'`
    pub name: String,
    #[doc = "+experimental"]
    pub attribute: String,
    /** +experimental */
    pub block: String,
    pub inline: String, /// +experimental
    /// Prose.
    pub prose: String,
}
"#;

    fn mark(name: &str, line: u32, marker: u32) -> SourceMark<'_> {
        SourceMark { name, line, marker }
    }

    fn messages(marks: &[SourceMark<'_>]) -> Vec<String> {
        remove_marks(SOURCE, marks).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_mark_is_a_line_and_a_prefix_is_a_word() {
        for end in ["\n", "\r\n"] {
            let source = SOURCE.replace('\n', end);
            let without = |marks: &[SourceMark<'_>]| remove_marks(&source, marks).unwrap();
            let of_type = format!("/// +experimental{end}");
            assert_eq!(without(&[mark("Thing", 6, 3)]), source.replacen(&of_type, "", 1));
            // The empty line above belongs to the mark.
            let of_field = format!("    ///{end}    ///+experimental{end}");
            assert_eq!(without(&[mark("type", 10, 9)]), source.replacen(&of_field, "", 1));
            let of_rule = without(&[mark("name", 13, 11)]);
            assert_eq!(of_rule, source.replacen("/// +experimental:kubebuilder", "/// +kubebuilder", 1));
            assert!(of_rule.contains("\"+experimental:\""), "{of_rule}");
        }
    }

    #[test]
    fn marks_are_removed_together_in_any_order() {
        let (one, two, three) = (mark("name", 13, 11), mark("Thing", 6, 3), mark("type", 10, 9));
        let mut expected = remove_marks(SOURCE, &[one]).unwrap();
        expected = remove_marks(&expected, &[three]).unwrap();
        expected = remove_marks(&expected, &[two]).unwrap();
        assert_eq!(remove_marks(SOURCE, &[three, one, two, one]).unwrap(), expected);
        assert_eq!(remove_marks(SOURCE, &[]).unwrap(), SOURCE);
        let edits = without_marks(SOURCE, &[one], Language::Rust).unwrap();
        assert_eq!((edits.len(), edits[0].line), (1, 11));
        assert!(edits[0].after.as_ref().unwrap().starts_with("    /// +kubebuilder:validation:XValidation:rule="));
        let last = "pub enum A {\n    B,\n    /// +experimental";
        assert_eq!(remove_marks(last, &[mark("B", 2, 3)]).unwrap(), "pub enum A {\n    B,\n");
    }

    #[test]
    fn what_is_not_a_doc_line_is_left_to_the_author() {
        assert_eq!(
            messages(&[mark("attribute", 15, 14), mark("block", 17, 16), mark("inline", 18, 18)]),
            [
                "line 14: the marker is in an attribute; remove the marker by hand",
                "line 16: the marker is in a block comment; remove the marker by hand",
                "line 18: the marker is not alone in a `///` comment; remove the marker by hand",
            ]
        );
    }

    #[test]
    fn markers_of_go_go_alone() {
        let source = "type A struct {\n\t// B is b.\n\t//\n\t// +experimental\n\tB string `json:\"b\"`\n\
            \t// +optional\n\t// +k8s:ifEnabled(Gate)=+k8s:maxLength=3\n\t// +experimental:kubebuilder:validation:MinLength=1\n\tC string\n\
            \t// <gateway:experimental>\n\t// <gateway:experimental:validation:Pattern=`^a>$`>\n\tD string\n\
            \t//+k8s:featureGate=Gate\n\tE string // +experimental\n}\n";
        let marks = [
            mark("B", 5, 4),
            mark("C", 9, 7),
            mark("C", 9, 8),
            mark("D", 12, 10),
            mark("D", 12, 11),
            mark("E", 14, 13),
        ];
        let edits = without_marks(source, &marks, Language::Go).unwrap();
        let expected = "type A struct {\n\t// B is b.\n\tB string `json:\"b\"`\n\
            \t// +optional\n\t// +k8s:maxLength=3\n\t// +kubebuilder:validation:MinLength=1\n\tC string\n\
            \t// +kubebuilder:validation:Pattern=`^a>$`\n\tD string\n\tE string // +experimental\n}\n";
        assert_eq!(edited(source, &edits), expected);
        let errors = without_marks(source, &[mark("E", 14, 14), mark("C", 9, 6)], Language::Go).unwrap_err();
        assert!(errors[0].message.contains("`//` comment") && errors.len() == 2, "{errors:?}");
    }

    #[test]
    fn markers_of_one_gate_go_together() {
        let source = "\t// +featureGate=Gate\n\t// +k8s:ifDisabled(Gate)=+k8s:forbidden\n\t// +k8s:ifEnabled(\"Gate\")=+k8s:optional\n\
            \t// +k8s:ifEnabled(Gate)=+k8s:maxLength=3\n\t// +k8s:featureGate=Other\n\tB string\n";
        let edits = without_marks(source, &[mark("B", 6, 2)], Language::Go).unwrap();
        let expected =
            "\t// +k8s:optional\n\t// +k8s:ifEnabled(Gate)=+k8s:maxLength=3\n\t// +k8s:featureGate=Other\n\tB string\n";
        assert_eq!(edited(source, &edits), expected);
    }

    #[test]
    fn an_outdated_build_edits_nothing() {
        assert_eq!(
            messages(&[
                mark("Thing", 6, 3),
                mark("name", 13, 12),
                mark("prose", 20, 19),
                mark("nam", 13, 11),
                mark("Thing", 6, 0),
                mark("Thing", 99, 3),
            ]),
            [
                "line 12: `+experimental` is not on this line; the file has changed since the last build: build it again",
                "line 19: `+experimental` is not on this line; the file has changed since the last build: build it again",
                "line 13: `nam` is not on this line; build again; if a macro writes it, edit the macro",
                "line 0: the file has 21 lines; the file has changed since the last build: build it again",
                "line 99: the file has 21 lines; the file has changed since the last build: build it again",
            ]
        );
        assert!(remove_marks("", &[mark("a", 1, 1)]).is_err());
    }
}
