//! The wording of everything that a person reads: documentation, comments, messages, help, templates and generated pages follow the style guide
//! in `docs/glossary.md`.
//!
//! `language/patterns.tsv` lists the words that must not appear, with replacements. `language/allowed.tsv` lists the files that still
//! contain some, with their number; the number may only shrink. Not checked: published bundles, test data, snapshots, and doc comments of
//! `api-types`, which are descriptions of a released bundle.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use regex_lite::{Regex, RegexBuilder};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Separates texts that do not belong together. No pattern matches it.
const END: char = '\u{0}';

struct Pattern {
    words: Regex,
    /// Matches that are right.
    allowed: Option<Regex>,
    replacement: &'static str,
}

fn patterns() -> Vec<Pattern> {
    let regex = |pattern: &str| {
        RegexBuilder::new(&pattern.replace(' ', r"\s+")).case_insensitive(true).multi_line(true).build().unwrap()
    };
    let rows = include_str!("language/patterns.tsv").lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let mut columns = row.split('\t');
        let mut column = || columns.next().unwrap();
        let (words, allowed, replacement) = (regex(column()), column(), column());
        Pattern { words, allowed: (!allowed.is_empty()).then(|| regex(allowed)), replacement }
    })
    .collect()
}

/// Whether a file contains text for people.
fn is_checked(path: &str) -> bool {
    let excluded = ["bundles/", "testdata/", "xtask/tests/language/", "docs/glossary.md"];
    let is_excluded = excluded.iter().any(|prefix| path.starts_with(prefix)) || path.contains("/snapshots/");
    let is_text =
        [".rs", ".md", ".toml", ".yaml", ".yml", ".py", ".sh", ".stderr"].iter().any(|end| path.ends_with(end));
    !is_excluded && (is_text || ["templates/", ".ci/"].iter().any(|prefix| path.starts_with(prefix)))
}

/// The comments and strings of Rust code, on the same lines.
fn comments_and_strings(code: &str, with_descriptions: bool) -> String {
    let mut text = String::new();
    let mut rest = code;
    let raw = Regex::new(r##"^[bc]?r(#*)""##).unwrap();
    let character = Regex::new(r"^b?'(?:\\[^\n]{1,10}?|[^\\'\n])'").unwrap();
    let mut is_word = false;
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        if rest.starts_with("//") {
            length = rest.find('\n').unwrap_or(rest.len());
            let comment = &rest[..length];
            match comment.starts_with("///") && !with_descriptions {
                true => text.push(END),
                false => text.push_str(comment[2..].trim_start_matches(['/', '!'])),
            }
        } else if let Some(begin) = (!is_word).then(|| raw.captures(rest)).flatten() {
            let end = format!("\"{}", &begin[1]);
            let inside = &rest[begin[0].len()..];
            let size = inside.find(&end).unwrap_or(inside.len());
            write!(text, "{END}{}{END}", &inside[..size]).unwrap();
            length = rest.len().min(begin[0].len() + size + end.len());
        } else if first == '"' {
            let mut size = 1;
            while size < rest.len() && !rest[size..].starts_with('"') {
                size += match rest[size..].strip_prefix('\\') {
                    Some(escaped) => 1 + escaped.chars().next().map_or(0, char::len_utf8),
                    None => rest[size..].chars().next().map_or(1, char::len_utf8),
                };
            }
            let string = rest[1..size.min(rest.len())].replace("\\\n", "\n").replace("\\n", "  ");
            write!(text, "{END}{string}{END}").unwrap();
            length = rest.len().min(size + 1);
        } else if let Some(literal) = (!is_word).then(|| character.find(rest)).flatten() {
            length = literal.len();
        } else if first == '\n' {
            text.push('\n');
        } else if !first.is_whitespace() && !text.ends_with(END) {
            text.push(END);
        }
        is_word = first.is_alphanumeric() || first == '_';
        rest = &rest[length..];
    }
    text
}

/// Text for people in a file.
fn text_of(path: &str, content: &str) -> String {
    match path.rsplit_once('.').map(|(_, end)| end) {
        Some("rs") => comments_and_strings(content, !path.starts_with("api-types/src/")),
        Some("toml" | "yaml" | "yml" | "py" | "sh") => {
            Regex::new(r"(?m)^(\s*)# ?").unwrap().replace_all(content, "$1").into_owned()
        }
        _ => content.to_owned(),
    }
}

/// Each forbidden wording in a text: line, words and replacement.
fn findings(patterns: &[Pattern], text: &str) -> Vec<(usize, String, &'static str)> {
    let mut found = Vec::new();
    for pattern in patterns {
        for words in pattern.words.find_iter(text) {
            if pattern.allowed.as_ref().is_none_or(|allowed| !allowed.is_match(words.as_str())) {
                let line = text[..words.start()].matches('\n').count() + 1;
                let words = words.as_str().split_whitespace().collect::<Vec<_>>().join(" ");
                found.push((line, words, pattern.replacement));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn texts_follow_the_style_guide() {
    let git = Command::new("git").args(["-C", ROOT, "ls-files", "-co", "--exclude-standard"]).output();
    let Some(git) = git.ok().filter(|output| output.status.success()) else {
        println!("skipped: this is not a git clone");
        return;
    };
    let patterns = patterns();
    let mut allowed = BTreeMap::new();
    for row in include_str!("language/allowed.tsv").lines().filter(|line| !line.starts_with('#')) {
        let (path, count) = row.split_once('\t').unwrap();
        allowed.insert(path, count.parse::<usize>().unwrap());
    }
    let (mut files, mut wrong) = (0, String::new());
    for path in String::from_utf8(git.stdout).unwrap().lines().filter(|path| is_checked(path)) {
        let Ok(content) = std::fs::read_to_string(Path::new(ROOT).join(path)) else { continue };
        files += 1;
        let found = findings(&patterns, &text_of(path, &content));
        let most = allowed.remove(path).unwrap_or(0);
        if found.len() > most {
            for (line, words, replacement) in found {
                writeln!(wrong, "{path}:{line}: `{words}` → {replacement}").unwrap();
            }
        } else if found.len() < most {
            writeln!(wrong, "{path}: {} remain of {most}: lower the number in allowed.tsv", found.len()).unwrap();
        }
    }
    for path in allowed.keys() {
        writeln!(wrong, "{path}: remove it from allowed.tsv").unwrap();
    }
    assert!(files > 300, "{files}");
    assert!(wrong.is_empty(), "{} lines\n{wrong}", wrong.lines().count());
}

#[test]
fn forbidden_words_are_found_in_comments_and_strings() {
    let patterns = patterns();
    let found = |path: &str, content: &str| {
        let found = findings(&patterns, &text_of(path, content));
        found.into_iter().map(|(line, words, _)| format!("{line}: {words}")).collect::<Vec<_>>()
    };
    let code = "//! Read it.\nlet nobody = 'a'; // No user.\nlet b = \"\\\"it\\\" is\n  no test\"; /// nobody\nlet c = r#\"a \"others\" b\"#;\n";
    assert_eq!(found("gen/a.rs", code), ["3: is no", "4: nobody", "5: others"]);
    assert_eq!(found("api-types/src/a.rs", code), ["3: is no", "5: others"]);
    assert_eq!(found("docs/a.md", "There is no file.\nThat is\nno file.\n"), ["2: is no"]);
    assert_eq!(found("a.toml", "# what is\n# there\n"), ["1: what is there"]);
}
