//! The argument.

use clap::Command;

use crate::findings::{FindingsFormat, findings_format, findings_format_argument};

#[test]
fn every_format_has_its_name_and_text_is_the_first() {
    let command = || Command::new("check").no_binary_name(true).arg(findings_format_argument());
    let of = |arguments: &[&str]| findings_format(&command().try_get_matches_from(arguments).unwrap());
    assert_eq!(of(&[]), FindingsFormat::Text);
    for (name, format) in [
        ("text", FindingsFormat::Text),
        ("json", FindingsFormat::Json),
        ("github", FindingsFormat::Github),
        ("sarif", FindingsFormat::Sarif),
    ] {
        assert_eq!(of(&["--format", name]), format);
    }
    let error = command().try_get_matches_from(["--format", "yaml"]).unwrap_err().to_string();
    assert!(error.contains("text, json, github, sarif"), "{error}");
}
