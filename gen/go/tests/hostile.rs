//! Files that no author means end without a panic.

use crate::project::{lines, read, resource};

fn found(text: &str) -> Vec<String> {
    let files = format!("=== go.mod\nmodule example.com/p\n=== a.go\n{text}");
    match read(&files, ".", &[resource("example.com", "v1", "Thing")], true) {
        Ok(types) => types.roots.iter().map(|root| root.name.to_owned()).collect(),
        Err(errors) => lines(&errors),
    }
}

fn thing(text: &str) -> String {
    format!("// +groupName=example.com\npackage v1\n\ntype Thing struct {{\n\tA A `json:\"a\"`\n}}\n\n{text}\n")
}

#[test]
fn files_without_a_package_are_refused() {
    for text in ["", "\0\u{1}\u{2}\u{fffd}", "// +groupName=example.com\n", "\u{feff}\n", "\"", "`", "/*", "'", "//"] {
        let found = found(text);
        assert!(found[0].contains("go::"), "{text:?}: {found:?}");
    }
    assert!(found(&"{".repeat(10_000))[0].contains("go::"));
}

#[test]
fn deep_and_large_types_are_read() {
    let deep = format!("type A {}int", "[]".repeat(3_000));
    let map = format!("type A {}int", "map[string]".repeat(3_000));
    let braces = format!("type A int\nfunc f() {}{}", "{".repeat(1_000), "}".repeat(1_000));
    let long = format!("// {}\ntype A int // {}", "+ &plus; é".repeat(20_000), "x".repeat(1_000_000));
    let markers = format!("{}type A int", "// +kubebuilder:validation:Minimum=1\n".repeat(20_000));
    let tags = format!("// {}\ntype A int", "<gateway:util:excludeFromCRD>".repeat(100));
    for text in [deep, map, braces, long, markers, "type A = A".into(), "type A A".into(), "type A struct { A }".into()]
    {
        assert_eq!(found(&thing(&text)), ["Thing"], "{}", &text[..20.min(text.len())]);
    }
    assert_eq!(found(&thing(&tags)).len(), 100);
}

#[test]
fn a_part_of_a_file_never_panics() {
    let files: [&str; 2] = [include_str!("described.txt"), include_str!("refused.txt")];
    for text in files.iter().flat_map(|file| file.split("\n--- ")) {
        let text = text.split_once("=== api/v1/types.go\n").map_or(text, |(_, text)| text);
        let text = text.split("=> ").next().unwrap_or_default();
        for (end, _) in text.char_indices().filter(|(end, _)| end % 7 == 0) {
            found(&text[..end]);
            found(&thing(&text[end..]));
        }
    }
}

#[test]
fn the_first_of_two_types_with_a_name_is_read() {
    assert_eq!(found(&thing("type A int\ntype A string")), ["Thing"]);
}
