//! Each misspelt, misplaced or disguised marker is refused at its column.

use crate::project::{lines, read, resource};

const FILES: &str = "=== go.mod\nmodule example.com/p\n=== api/v1/types.go\n// +groupName=example.com\npackage v1\n\n";

/// A project with the comments of a case, and the line before them.
pub(crate) fn project(kind: &str, text: &str) -> (String, usize) {
    let spec = "type Thing struct {\n\tSpec Spec `json:\"spec\"`\n}\n\ntype Spec struct {\n";
    let field = "\tName string `json:\"name\"`\n\tMode Mode `json:\"mode\"`\n}\n";
    let mode = "\ntype Mode string\n";
    let (before, after) = match kind {
        "field" | "tags" => (format!("{FILES}{spec}"), format!("{field}{mode}")),
        "file" => (format!("{FILES}{spec}{}\n", field.replace("\tMode Mode `json:\"mode\"`\n", "")), String::new()),
        _ => (format!("{FILES}{spec}{field}{mode}\n"), String::new()),
    };
    let line = before.rsplit("=== ").next().unwrap_or_default().matches('\n').count() - 1;
    (format!("{before}{text}{after}"), line)
}

#[test]
fn every_case_is_refused_at_its_column() {
    let cases: Vec<&str> = include_str!("refused.txt").split("\n--- ").skip(1).collect();
    assert!(cases.len() > 75, "{}", cases.len());
    let mut wrong = Vec::new();
    for case in cases {
        let (kind, case) = case.split_once('\n').unwrap();
        let (text, expected) = case.split_at(case.find("=> ").unwrap_or(case.len()));
        let (project, before) = project(kind, text);
        let errors = match read(&project, "./api/...", &[resource("example.com", "v1", "Thing")], kind == "tags") {
            Ok(_) => Vec::new(),
            Err(errors) => lines(&errors),
        };
        let expected = expected.lines().filter_map(|line| line.strip_prefix("=> "));
        let expected: Vec<(String, &str)> = expected
            .map(|line| {
                let (place, rest) = line.split_once(' ').unwrap();
                let (line, column) = place.split_once(':').unwrap();
                let (code, message) = rest.split_once(' ').unwrap_or((rest, ""));
                let line = line.parse::<usize>().unwrap() + before;
                (format!("api/v1/types.go:{line}:{column} {code} "), message)
            })
            .collect();
        let is_expected = expected.len() == errors.len()
            && expected
                .iter()
                .zip(&errors)
                .all(|((place, message), error)| error.starts_with(place) && error.contains(message));
        if !is_expected {
            wrong.push(format!("{text}expected {expected:#?}\nfound {errors:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n\n"));
}
