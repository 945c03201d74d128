//! What an adopter's repository needs in addition to its types: a hook, two workflows, and git's attributes for bundles and `dist/`.
//!
//! Invariants: whole texts without places to fill in, so that what is tested here is, byte for byte, what an adopter gets; paths are
//! relative and name no file twice.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitFile {
    /// Where it belongs, from the root of the repository.
    pub path: &'static str,
    pub text: &'static str,
    /// What it is for, in a few words.
    pub purpose: &'static str,
    /// Whether the file is a list of independent lines: then missing lines are added to an existing file.
    pub is_list: bool,
}

/// All files, in the order in which they are reported.
pub static FILES: [InitFile; 5] = [
    InitFile {
        path: ".pre-commit-config.yaml",
        text: include_str!("../templates/init/pre-commit-config.yaml"),
        purpose: "regenerates the CRDs when a commit changes types, and validates `examples/`",
        is_list: false,
    },
    InitFile {
        path: ".github/workflows/ci.yml",
        text: include_str!("../templates/init/ci.yml"),
        purpose: "checks CRDs, version, bundles and `examples/` on every push",
        is_list: false,
    },
    InitFile {
        path: ".github/workflows/release.yml",
        text: include_str!("../templates/init/release.yml"),
        purpose: "makes a tag's release again and publishes it",
        is_list: false,
    },
    InitFile {
        path: ".gitattributes",
        text: include_str!("../templates/init/gitattributes"),
        purpose: "keeps the bytes of bundles on every machine",
        is_list: true,
    },
    InitFile {
        path: ".gitignore",
        text: include_str!("../templates/init/gitignore"),
        purpose: "leaves out what is published elsewhere",
        is_list: true,
    },
];

/// The lines of a list that a text lacks, without comments; the order of both does not matter.
pub fn missing_lines<'a>(list: &'a str, text: &str) -> Vec<&'a str> {
    let is_entry = |line: &&str| !line.is_empty() && !line.starts_with('#');
    list.lines().filter(is_entry).filter(|line| text.lines().all(|present| present.trim_end() != *line)).collect()
}

/// The text with those lines of a list added that it lacks, and below the list's comments if it lacks all. Line breaks are those of the
/// text; existing lines do not change.
pub fn with_lines(list: &str, text: &str) -> String {
    let missing = missing_lines(list, text);
    let added = match missing.len() {
        lacking if lacking == missing_lines(list, "").len() => list.lines().collect(),
        _ => missing,
    };
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut all = text.to_owned();
    if !added.is_empty() && !all.is_empty() && !all.ends_with('\n') {
        all.push_str(line_break);
    }
    for line in added {
        all.push_str(line);
        all.push_str(line_break);
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const LIST: &str = "# Why.\n/a\n/b\n";

    #[test]
    fn lines_are_added_below_what_is_there() {
        assert_eq!(with_lines(LIST, ""), LIST);
        assert_eq!(with_lines(LIST, "/target\n"), "/target\n# Why.\n/a\n/b\n");
        assert_eq!(with_lines(LIST, "/target"), "/target\n# Why.\n/a\n/b\n");
        assert_eq!(with_lines(LIST, "/b  \n/c\n"), "/b  \n/c\n/a\n");
        assert_eq!(with_lines(LIST, "x\r\n/a\r\n"), "x\r\n/a\r\n/b\r\n");
        for complete in [LIST, "/b\n#\n/a", "/b\r\n/a\r\n"] {
            assert_eq!(with_lines(LIST, complete), complete);
        }
        // A comment is not what it comments out.
        assert_eq!(missing_lines(LIST, "#/a\n/b\n"), ["/a"]);
    }

    #[test]
    fn paths_are_relative_and_each_names_another_file() {
        let paths: BTreeSet<&str> = FILES.iter().map(|file| file.path).collect();
        assert_eq!(paths.len(), FILES.len());
        for file in &FILES {
            assert!(!file.path.starts_with('/') && !file.path.split('/').any(|part| part == ".."), "{}", file.path);
            assert!(file.text.starts_with("# ") && file.text.ends_with('\n') && file.text.is_ascii(), "{}", file.path);
        }
    }
}
