//! The wording of everything that a person reads: documentation, comments, messages, help, templates and generated pages follow the style guide
//! in `docs/glossary.md`.
//!
//! `language/phrases.tsv` lists the phrases that must not appear, with replacements. Not checked: published bundles, test data, snapshots, doc
//! comments of `api-types` and of the base types, which are descriptions in a released bundle, and strings without a space, which are keys and
//! names.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use regex_lite::Regex;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Files whose doc comments are descriptions in released CRDs.
const DESCRIBED: [&str; 2] = ["api-types/src/", "gen/channels/src/base.rs"];

/// Separates texts that do not belong together.
const END: char = '\u{0}';

struct Phrase {
    words: Vec<&'static str>,
    /// Neighbours that make it right: the word before, or the word after.
    unless: Vec<(Option<&'static str>, Option<&'static str>)>,
    replacement: &'static str,
}

/// The phrases of a table by their first words.
fn phrases(table: &'static str) -> BTreeMap<&'static str, Vec<Phrase>> {
    let mut phrases = BTreeMap::<_, Vec<_>>::new();
    for row in table.lines().filter(|line| !line.starts_with('#')) {
        let &[all, unless, replacement] = row.split('\t').collect::<Vec<_>>().as_slice() else { panic!("{row}") };
        for phrase in all.split('|') {
            let words = phrase.split(' ').collect::<Vec<_>>();
            let unless = unless.split('|').filter(|unless| !unless.is_empty());
            let unless = unless.map(|unless| (unless.strip_suffix(" _"), unless.strip_prefix("_ "))).collect();
            phrases.entry(words[0]).or_default().push(Phrase { words, unless, replacement });
        }
    }
    phrases
}

/// Whether a file contains text for people.
fn is_checked(path: &str) -> bool {
    let excluded = ["bundles/", "testdata/", "xtask/tests/language/", "docs/glossary.md"];
    let is_excluded = excluded.iter().any(|prefix| path.starts_with(prefix)) || path.contains("/snapshots/");
    let is_text =
        [".rs", ".md", ".toml", ".yaml", ".yml", ".py", ".sh", ".stderr"].iter().any(|end| path.ends_with(end));
    !is_excluded && (is_text || ["templates/", ".ci/"].iter().any(|prefix| path.starts_with(prefix)))
}

/// Comments, strings and characters of Rust code; other code is what no part matches.
static PARTS: LazyLock<Regex> = LazyLock::new(|| {
    let strings =
        [r###"\bb?r##"(.*?)"##"###, r###"\bb?r#"(.*?)"#"###, r###"\bb?r"([^"]*)""###, r###""((?:[^"\\]|\\.)*)""###];
    Regex::new(&format!(r"(?s)(//[^\n]*)|{}|'(?:\\[^']+|[^\\'])'", strings.join("|"))).unwrap()
});

/// The comments and strings of Rust code, on the same lines. A string without a space is a key or a name.
fn comments_and_strings(code: &str, with_descriptions: bool) -> String {
    let (mut text, mut end) = (String::new(), 0);
    // Line breaks stay, so that lines have their numbers.
    let separate = |text: &mut String, code: &str| {
        if !code.trim().is_empty() {
            text.push(END);
        }
        text.extend(code.chars().filter(|character| *character == '\n'));
    };
    for part in PARTS.captures_iter(code) {
        let whole = part.get(0).unwrap();
        separate(&mut text, &code[end..whole.start()]);
        end = whole.end();
        match (part.get(1), (2..6).find_map(|group| part.get(group))) {
            (Some(comment), _) if with_descriptions || !comment.as_str().starts_with("///") => {
                text.push_str(comment.as_str().trim_start_matches(['/', '!']));
            }
            (_, Some(string)) if string.as_str().contains(char::is_whitespace) => {
                text.push_str(&format!("{END}{}{END}", string.as_str().replace("\\\n", "\n").replace("\\n", "  ")));
            }
            _ => separate(&mut text, whole.as_str()),
        }
    }
    separate(&mut text, &code[end..]);
    text
}

/// Text for people in a file.
fn text_of(path: &str, content: &str) -> String {
    match path.rsplit_once('.').map(|(_, end)| end) {
        Some("rs") => comments_and_strings(content, !DESCRIBED.iter().any(|prefix| path.starts_with(prefix))),
        Some("toml" | "yaml" | "yml" | "py" | "sh") => {
            let line = |line: &str| line.trim_start().trim_start_matches('#').to_owned() + "\n";
            content.lines().map(line).collect()
        }
        // Names that changed.
        _ if path == "CHANGELOG.md" => content.split('`').step_by(2).collect(),
        _ => content.to_owned(),
    }
}

/// The words of a text with their lines; an empty word for anything else between them.
fn words(text: &str) -> Vec<(usize, String)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    for (line, text) in text.lines().enumerate() {
        for part in text.split(char::is_whitespace).filter(|part| !part.is_empty()) {
            for piece in part.split_inclusive(|character: char| !character.is_alphanumeric() && character != '\'') {
                let word = piece.trim_end_matches(|character: char| !character.is_alphanumeric() && character != '\'');
                if !word.is_empty() {
                    words.push((line + 1, word.to_lowercase()));
                }
                if word.len() < piece.len() {
                    words.push((line + 1, String::new()));
                }
            }
        }
    }
    words
}

/// Each phrase that must not appear in a text: line, phrase and replacement.
fn findings(phrases: &BTreeMap<&str, Vec<Phrase>>, text: &str) -> Vec<(usize, String, &'static str)> {
    let words = words(text);
    let word = |at: usize| words.get(at).map_or("", |(_, word)| word);
    let mut found = Vec::new();
    for (at, (line, first)) in words.iter().enumerate() {
        for phrase in phrases.get(&**first).into_iter().flatten() {
            let end = at + phrase.words.len();
            let is_here = phrase.words.iter().enumerate().all(|(offset, wanted)| word(at + offset) == *wanted);
            let is_right = phrase.unless.iter().any(|(before, after)| match (before, after) {
                (Some(before), _) => at > 0 && word(at - 1) == *before,
                (_, Some(after)) => word(end) == *after,
                _ => false,
            });
            if is_here && !is_right {
                found.push((*line, phrase.words.join(" "), phrase.replacement));
            }
        }
    }
    found
}

#[test]
fn texts_follow_the_style_guide() {
    let git = Command::new("git").args(["-C", ROOT, "ls-files", "-co", "--exclude-standard"]).output();
    let Some(git) = git.ok().filter(|output| output.status.success()) else {
        println!("skipped: this is not a git clone");
        return;
    };
    let phrases = phrases(include_str!("language/phrases.tsv"));
    let (mut files, mut wrong) = (0, String::new());
    for path in String::from_utf8(git.stdout).unwrap().lines().filter(|path| is_checked(path)) {
        let Ok(content) = std::fs::read_to_string(Path::new(ROOT).join(path)) else { continue };
        files += 1;
        for (line, words, replacement) in findings(&phrases, &text_of(path, &content)) {
            writeln!(wrong, "{path}:{line}: `{words}` → {replacement}").unwrap();
        }
    }
    assert!(files > 300, "{files}");
    assert!(wrong.is_empty(), "{} lines\n{wrong}", wrong.lines().count());
}

#[test]
fn forbidden_words_are_found_in_comments_and_strings() {
    let phrases = phrases("a cat|cats\tthere _|_ food\ta dog\nblack and white\t\tred\n");
    let found = |path: &str, content: &str| {
        let found = findings(&phrases, &text_of(path, content));
        found.into_iter().map(|(line, words, _)| format!("{line}: {words}")).collect::<Vec<_>>()
    };
    let code = "//! Read it.\nlet cats = 'a'; // No user.\nlet b = \"\\\"it\\\" is a\n  cat\"; /// cats\nlet c = r#\"a \"cats\" b\"#; let d = [\"cats\", r\"cats\"];\n";
    assert_eq!(found("gen/a.rs", code), ["3: a cat", "4: cats", "5: cats"]);
    assert_eq!(found("api-types/src/a.rs", code), ["3: a cat", "5: cats"]);
    assert_eq!(found("docs/a.md", "There a cat food.\nThat is a\ncat.\nCats food, there cats.\n"), ["2: a cat"]);
    assert_eq!(found("a.toml", "# black and\n# white\n"), ["1: black and white"]);
}
