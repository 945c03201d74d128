//! What an adopter's repository needs in addition to its types: a hook, two workflows, and git's attributes for bundles and `dist/`. There is one
//! table of files for each kind of project.
//!
//! Invariants: whole texts without places to fill in, except for the settings of a project with Go types, so that what is tested here is, byte for
//! byte, what an adopter gets; paths are relative and name no file twice.

mod kubebuilder;

use std::borrow::Cow;

pub use kubebuilder::prefix;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitFile {
    /// Where it belongs, from the root of the repository.
    pub path: &'static str,
    pub text: Cow<'static, str>,
    /// What it is for, in a few words.
    pub purpose: &'static str,
    /// What an existing file gets.
    pub addition: Addition,
}

/// What is added to an existing file, which is never overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addition {
    /// Nothing: its differences are shown.
    Nothing,
    /// Each line that it lacks: the file is a list of independent lines.
    Lines,
    /// The whole text, if the file is a Makefile without this target.
    Target(&'static str),
}

impl InitFile {
    const fn new(path: &'static str, text: &'static str, purpose: &'static str, addition: Addition) -> Self {
        Self { path, text: Cow::Borrowed(text), purpose, addition }
    }

    /// The lines that an existing text lacks, without comments; none for files to which nothing is added.
    pub fn missing_lines(&self, text: &str) -> Vec<&str> {
        match self.addition {
            Addition::Lines => missing_lines(&self.text, text),
            Addition::Target(target) if !has_target(text, target) => missing_lines(&self.text, ""),
            Addition::Nothing | Addition::Target(_) => Vec::new(),
        }
    }

    /// The text with missing lines added, and below the comments of this file if it lacks all. Line breaks are those of the text; existing
    /// lines do not change.
    pub fn with_lines(&self, text: &str, missing: &[&str]) -> String {
        let added = match missing.len() {
            lacking if lacking == missing_lines(&self.text, "").len() => self.text.lines().collect(),
            _ => missing.to_vec(),
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
}

/// All files of a project with Rust types, in the order in which they are reported.
pub static FILES: [InitFile; 5] = [
    InitFile::new(
        ".pre-commit-config.yaml",
        include_str!("../templates/init/pre-commit-config.yaml"),
        HOOK,
        Addition::Nothing,
    ),
    InitFile::new(".github/workflows/ci.yml", include_str!("../templates/init/ci.yml"), CI, Addition::Nothing),
    InitFile::new(
        ".github/workflows/release.yml",
        include_str!("../templates/init/release.yml"),
        RELEASE,
        Addition::Nothing,
    ),
    InitFile::new(".gitattributes", include_str!("../templates/init/gitattributes"), ATTRIBUTES, Addition::Lines),
    InitFile::new(".gitignore", include_str!("../templates/init/gitignore"), IGNORED, Addition::Lines),
];

/// Those of a project with Go types. The workflows have names that neither kubebuilder nor operator-sdk uses.
static GO_FILES: [InitFile; 7] = [
    InitFile::new(
        "crd-channels.yaml",
        include_str!("../templates/init/go/crd-channels.yaml"),
        "the settings: where the types and their CRDs are",
        Addition::Nothing,
    ),
    InitFile::new(
        "Makefile",
        include_str!("../templates/init/go/Makefile"),
        "`make channels` writes the CRDs of both channels",
        Addition::Target("channels"),
    ),
    InitFile::new(
        ".pre-commit-config.yaml",
        include_str!("../templates/init/go/pre-commit-config.yaml"),
        HOOK,
        Addition::Nothing,
    ),
    InitFile::new(
        ".github/workflows/crd-channels.yml",
        include_str!("../templates/init/go/ci.yml"),
        CI,
        Addition::Nothing,
    ),
    InitFile::new(
        ".github/workflows/crd-channels-release.yml",
        include_str!("../templates/init/go/release.yml"),
        RELEASE,
        Addition::Nothing,
    ),
    InitFile::new(".gitattributes", include_str!("../templates/init/go/gitattributes"), ATTRIBUTES, Addition::Lines),
    InitFile::new(".gitignore", include_str!("../templates/init/go/gitignore"), IGNORED, Addition::Lines),
];

const HOOK: &str = "regenerates the CRDs when a commit changes types, and validates `examples/`";
const CI: &str = "checks CRDs, version, bundles and `examples/` on every push";
const RELEASE: &str = "makes a tag's release again and publishes it";
const ATTRIBUTES: &str = "keeps the bytes of bundles on every machine";
const IGNORED: &str = "leaves out what is published elsewhere";

/// A project with Go types, as far as its files depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoProject<'p> {
    /// The setting `prefix`.
    pub prefix: String,
    /// The folder with the packages of the types, from the root.
    pub types: &'p str,
    /// The Makefile.
    pub makefile: &'p str,
}

impl GoProject<'_> {
    /// All files, in the order in which they are reported. Without a target `manifests`, the Makefile stays as it is, and the command that
    /// writes the CRDs is a comment.
    pub fn files(&self) -> Vec<InitFile> {
        let has_manifests = has_target(self.makefile, "manifests");
        let run = if has_manifests { "run: make manifests" } else { "# run: the command that writes these CRDs" };
        let types = format!("go:./{}/...", self.types);
        let values = [("{{ prefix }}", &*self.prefix), ("{{ types }}", &types), ("{{ run }}", run)];
        let mut files = GO_FILES.to_vec();
        files.retain(|file| has_manifests || !matches!(file.addition, Addition::Target(_)));
        for (place, value) in values {
            files[0].text = files[0].text.replace(place, value).into();
        }
        files
    }
}

/// The lines of a list that a text lacks, without comments; the order of both does not matter.
fn missing_lines<'a>(list: &'a str, text: &str) -> Vec<&'a str> {
    let is_entry = |line: &&str| !line.is_empty() && !line.starts_with('#');
    list.lines().filter(is_entry).filter(|line| text.lines().all(|present| present.trim_end() != *line)).collect()
}

/// Whether a Makefile has a rule for a target.
fn has_target(makefile: &str, target: &str) -> bool {
    let targets = makefile.lines().filter(|line| !line.starts_with(['\t', '#', '.'])).filter_map(|line| {
        let (targets, rest) = line.split_once(':')?;
        // Otherwise a variable: `NAME := value`.
        (!rest.starts_with('=')).then_some(targets)
    });
    targets.flat_map(str::split_whitespace).any(|name| name == target)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const LIST: InitFile = InitFile::new("list", "# Why.\n/a\n/b\n", "", Addition::Lines);
    const PROJECT: &str = "all: manifests\n\nmanifests:\n\tcontroller-gen\n";

    fn with_lines(file: &InitFile, text: &str) -> String {
        file.with_lines(text, &file.missing_lines(text))
    }

    fn go_files(makefile: &str) -> Vec<InitFile> {
        GoProject { prefix: "shop.example.com".to_owned(), types: "api", makefile }.files()
    }

    #[test]
    fn lines_are_added_below_what_is_there() {
        let list = &LIST.text;
        assert_eq!(with_lines(&LIST, ""), **list);
        assert_eq!(with_lines(&LIST, "/target\n"), "/target\n# Why.\n/a\n/b\n");
        assert_eq!(with_lines(&LIST, "/target"), "/target\n# Why.\n/a\n/b\n");
        assert_eq!(with_lines(&LIST, "/b  \n/c\n"), "/b  \n/c\n/a\n");
        assert_eq!(with_lines(&LIST, "x\r\n/a\r\n"), "x\r\n/a\r\n/b\r\n");
        for complete in [list, "/b\n#\n/a", "/b\r\n/a\r\n"] {
            assert_eq!(with_lines(&LIST, complete), complete);
        }
        // A comment is not what it comments out.
        assert_eq!(LIST.missing_lines("#/a\n/b\n"), ["/a"]);
    }

    #[test]
    fn a_makefile_gets_a_target_once() {
        let files = go_files(PROJECT);
        let makefile = files.iter().find(|file| file.path == "Makefile").unwrap();
        let added = with_lines(makefile, PROJECT);
        assert_eq!(added, format!("{PROJECT}{}", makefile.text));
        assert_eq!(with_lines(makefile, &added), added);
        for own in ["channels:\n", "lint channels: all\n", "channels::\n"] {
            assert!(makefile.missing_lines(own).is_empty(), "{own}");
        }
        for other in
            ["channels := a\n", ".PHONY: channels\n", "# channels: a\n", "a:\n\techo channels: b\n", "a: channels\n"]
        {
            assert!(!makefile.missing_lines(other).is_empty(), "{other}");
        }
    }

    #[test]
    fn settings_of_go_types_are_valid() {
        for (makefile, run) in [(PROJECT, Some("make manifests")), ("", None)] {
            let files = go_files(makefile);
            assert_eq!(files.len(), GO_FILES.len() - usize::from(run.is_none()));
            let file = std::path::Path::new(files[0].path);
            let settings =
                crd_generate::settings::Settings::read(file, &files[0].text, &["prefix", "version"]).unwrap();
            assert_eq!(settings.go_types(), Some("./api/..."));
            assert_eq!(settings.division.run.as_deref(), run);
        }
    }

    #[test]
    fn paths_are_relative_and_each_names_another_file() {
        for files in [FILES.to_vec(), go_files(PROJECT)] {
            let paths: BTreeSet<&str> = files.iter().map(|file| file.path).collect();
            assert_eq!(paths.len(), files.len());
            for InitFile { path, text, .. } in &files {
                assert!(!path.starts_with('/') && !path.split('/').any(|part| part == ".."), "{path}");
                assert!(text.trim_start().starts_with('#') && text.ends_with('\n') && text.is_ascii(), "{path}");
                assert!(!text.replace("${{ ", "").contains("{{ "), "{path}");
            }
        }
    }
}
