//! Markers in disguise: none passes as prose, and prose is not taken for a marker.

use crd_markers::docs::{documentation, leftover_marker, unescaped};
use crd_testdata::PLUSES;

/// What an author may write before the plus.
const BEFORE: &[&str] = &[
    "",
    "Text. ",
    "Text ",
    "Text (",
    "Text: ",
    "Text.",
    "- ",
    "* ",
    "• ",
    "– ",
    "1. ",
    "> ",
    "# ",
    "// ",
    "/// ",
    "`",
    "``",
    "```",
    "\"",
    "'",
    "“",
    "«",
    "**",
    "_",
    "~~",
    "[",
    "<",
    "<!-- ",
    "| ",
    "@",
    "+ ",
    "\u{200b}",
    "\u{feff}",
    "\u{2060}",
    "\u{200e}",
    "\u{ad}",
    "\u{a0}\u{200b}",
    "\u{7}",
    "\u{2800}",
    "\\\\",
];

/// What an author may write between the plus and the name.
const BETWEEN: &[&str] = &[
    "",
    " ",
    "  ",
    "\t",
    "\u{a0}",
    "\u{3000}",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "`",
    "\"",
    "'",
    "-",
    ":",
    ".",
    "*",
    "**",
    "_",
    "(",
    "[",
    " - ",
    " `",
    "\n",
    " \n ",
    "@",
    "/",
    "&nbsp;",
    "<br>",
    "<!-- a -->",
    "&#8203;",
];

/// The name, and what looks like it or is near to it.
const NAMES: &[&str] = &[
    "experimental",
    "Experimental",
    "EXPERIMENTAL",
    "experimentl",
    "experimantal",
    "experimental.",
    "experimental:",
    "experimental, see below",
    "experimental`",
    "expe\u{200b}rimental",
    "ex\u{ad}perimental",
    "éxperimental",
    "e\u{301}xperimental",
    "ｅｘｐｅｒｉｍｅｎｔａｌ",
    "ехреrimental",
    "expеrimentаl",
    "𝐞𝐱𝐩𝐞𝐫𝐢𝐦𝐞𝐧𝐭𝐚𝐥",
    "ⓔⓧⓟⓔⓡⓘⓜⓔⓝⓣⓐⓛ",
    "experimenta1",
    "exper imental",
    "e x p e r i m e n t a l",
    "experimental:optional",
    "standard:kubebuilder:validation:MaxLength=3",
    "kubebuilder:validation:MaxItems=3",
    "kubebuidler:validation:MaxItems=3",
    "MaxItems=3",
    "listType=map",
    "list type",
    "optional",
    "nullable",
    "unionDiscriminator",
];

/// In a proof, all forms; else those where at most one part before the name is unusual.
#[test]
fn no_disguised_marker_passes_as_prose() {
    let (mut forms, mut missed) = (0, Vec::new());
    for (before_index, before) in BEFORE.iter().enumerate() {
        for (plus_index, plus) in PLUSES.iter().enumerate() {
            for (between_index, between) in BETWEEN.iter().enumerate() {
                let unusual = [before_index, plus_index, between_index].into_iter().filter(|index| *index > 0).count();
                // Without any, most lines are markers.
                if unusual == 0 || unusual > 1 && !crd_testdata::is_proof() {
                    continue;
                }
                for name in NAMES {
                    forms += 1;
                    let line = format!(" {before}{plus}{between}{name}");
                    let docs = documentation(["First line.", &line, "Last line."]);
                    if docs.disguised.is_empty() || leftover_marker(&docs.description).is_none() {
                        missed.push(line);
                    }
                }
            }
        }
    }
    println!("{forms} forms, {} pass as prose", missed.len());
    assert!(forms > 2_000 && missed.is_empty(), "{} of {forms} pass as prose:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn prose_is_not_a_marker() {
    for prose in [
        "The sum a + b, 1 + 1, +1, C++ (optional), Java 8+ required fields, +/- 3.",
        "The flags + defaults, used + requested, a + optionally b.",
        "One of `+`, `-`. Optional is the default.",
        "Media types such as application/json-patch+json and image/svg+xml.",
        "The pattern `^[+-]?[0-9]+$` is required. Default: 3+.",
        "版本 + 实验, версия + опыт, α + β",
        "Names: a+b+c; the enum of x. + y",
        "```\n+ experimental\n- +experimental\n```",
        "~~~ text\n`+experimental`\n~~~",
        "The marker \\+experimental, `\\+ optional`, \\＋nullable.",
    ] {
        let docs = documentation(prose.lines());
        assert_eq!((docs.disguised.as_slice(), docs.markers.as_slice()), (&[][..], &[][..]), "{prose}");
        assert_eq!(leftover_marker(prose), None, "{prose}");
    }
}

#[test]
fn only_the_backslash_of_an_escape_is_dropped() {
    for (text, published) in [
        ("The marker `\\+experimental`.", "The marker `+experimental`."),
        ("\\+optional and \\+ nullable", "+optional and + nullable"),
        ("The pattern `^\\+[0-9]+$`, `\\d+`", "The pattern `^\\+[0-9]+$`, `\\d+`"),
        ("```\n\\+optional\n```\n\\+optional", "```\n\\+optional\n```\n+optional"),
        ("A path C:\\+other", "A path C:\\+other"),
    ] {
        assert_eq!(unescaped(text), published);
    }
}

#[test]
fn every_line_of_a_disguise_is_reported() {
    let docs = documentation([" Text.", " - +", "   experimental", "", " `+optional`, and (+nullable)"]);
    let found: Vec<_> = docs.disguised.iter().map(|found| (found.marker.as_str(), found.attributes.clone())).collect();
    assert_eq!(found, [("+experimental", 1..3), ("+optional", 4..5), ("+nullable", 4..5)]);
}

#[test]
fn a_fence_that_is_not_closed_hides_nothing() {
    assert_eq!(documentation([" ```", " - +experimental"]).disguised.len(), 1);
    assert_eq!(documentation([" ```+experimental```", " text"]).disguised.len(), 1);
    assert_eq!(documentation([" ``` + experimental", " text", " ```"]).disguised.len(), 1);
}

#[test]
fn a_string_of_another_marker_hides_no_marker() {
    let docs = documentation([" +kubebuilder:validation:Pattern=`^a", " +experimental", " b$`"]);
    assert_eq!(docs.swallowed.len(), 1);
    let docs = documentation([" +kubebuilder:validation:XValidation:rule=`self.a", " + size(self.b) < 3`"]);
    assert_eq!((docs.swallowed.len(), docs.disguised.len()), (0, 0));
}

/// Every character that Unicode lists as confusable with a plus, alone or with a mark.
#[test]
fn all_confusables_of_a_plus_are_found() {
    let plus = |character: &char| {
        let mut skeleton =
            unicode_security::confusable_detection::skeleton(character.encode_utf8(&mut [0; 4])).collect::<String>();
        skeleton.retain(|part| !unicode_normalization::char::is_combining_mark(part));
        skeleton.starts_with('+')
    };
    let all: Vec<char> = ('\u{20}'..=char::MAX).filter(plus).collect();
    for character in &all {
        assert_eq!(
            documentation([format!(" a\n {character}experimental").as_str()])
                .description
                .matches("experimental")
                .count(),
            usize::from(*character != '+')
        );
        assert!(
            *character == '+' || documentation([format!("{character}experimental").as_str()]).disguised.len() == 1,
            "{character}"
        );
    }
    assert!(all.len() >= 10, "{all:?}");
}

#[test]
fn text_from_right_to_left_is_read_as_it_looks() {
    for text in [
        "\u{202e}latnemirepxe+\u{202c}",
        "+\u{202e}latnemirepxe",
        "\u{200f}experimental+\u{200f}",
        "טקסט experimental+",
    ] {
        assert_eq!(documentation(["Text.", text]).disguised.len(), 1, "{text}");
    }
    assert!(documentation(["experimental+ latnemirepxe+ C++"]).disguised.is_empty());
}
