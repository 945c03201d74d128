//! Edited sources: the reader refuses them or reads them, and does not panic.
//!
//! The sources are those of Gateway API and of the cases in `crd_testdata`. An edit deletes, repeats, moves or replaces a token, or removes a line.
//! The edits are the same in each run.

use std::collections::BTreeMap;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use crd_generate::settings::Settings;
use crd_source::reader::{Source, catalogue};
use crd_testdata::Dice;
use crd_testdata::reader::cases;

/// Where the files in memory are.
const ROOT: &str = "/memory";

/// Tokens that begin or end something, or mean something else in front of another token.
const TOKENS: [&str; 24] = [
    "{", "}", "(", ")", "<", ">", "#", "!", "$", "::", "r#", "'", "\"", "/*", "//", "mod", "use", "crate", "super",
    "Self", "*", "as", "é", "0x",
];

/// Words, white space, and everything else by its letters.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |letter: char| (letter.is_whitespace(), letter.is_alphanumeric() || letter == '_');
    let mut tokens = Vec::new();
    let mut start = 0;
    for (index, letter) in text.char_indices() {
        let previous = text[..index].chars().next_back();
        if index > start
            && (kind(letter) == (false, false) || previous.is_some_and(|before| kind(before) != kind(letter)))
        {
            tokens.push(&text[start..index]);
            start = index;
        }
    }
    tokens.push(&text[start..]);
    tokens
}

fn edited(text: &str, random: &mut Dice) -> String {
    let mut tokens = tokens(text);
    let (one, two) = (random.below(tokens.len()), random.below(tokens.len()));
    match random.below(6) {
        0 => _ = tokens.remove(one),
        1 => tokens.insert(one, tokens[one]),
        2 => tokens.swap(one, two),
        3 => tokens[one] = tokens[two],
        4 => tokens.insert(one, TOKENS[random.below(TOKENS.len())]),
        _ => {
            let lines: Vec<&str> = text.lines().collect();
            let removed = random.below(lines.len());
            return lines
                .iter()
                .enumerate()
                .filter(|(index, _)| *index != removed)
                .map(|(_, line)| format!("{line}\n"))
                .collect();
        }
    }
    tokens.concat()
}

/// Reads a workspace whose types are in this folder; why it is refused.
fn refusals(files: &BTreeMap<PathBuf, String>, types: &str) -> Vec<String> {
    let program = files.iter().filter(|(path, _)| path.starts_with("xtask"));
    let program: Vec<(PathBuf, String)> = program.map(|(path, text)| (path.clone(), text.clone())).collect();
    let read = |path: &Path| match path.strip_prefix(ROOT) {
        Ok(path) => Ok(files.get(path).cloned()),
        // The library.
        Err(_) => Ok(fs::read_to_string(path).ok()),
    };
    let source = Source { root: Path::new(ROOT), types: Path::new(types), program: &program, files: &read };
    let settings = Settings::read(Path::new("crd-channels.yaml"), &files[Path::new("crd-channels.yaml")], &[]).unwrap();
    let errors = catalogue(&source, None, settings).err().unwrap_or_default();
    errors.into_iter().map(|error| error.message).collect()
}

/// Edits a file with types, so often.
fn edit(name: &str, files: &BTreeMap<PathBuf, String>, types: &str, count: usize, random: &mut Dice) -> usize {
    let is_source = |path: &&PathBuf| {
        !path.starts_with("xtask") && path.extension().is_some_and(|end| end == "rs" || end == "toml")
    };
    let paths: Vec<&PathBuf> = files.keys().filter(is_source).collect();
    let mut refused = 0;
    for _ in 0..count {
        let mut files = files.clone();
        let text = files.get_mut(paths[random.below(paths.len())]).unwrap();
        *text = edited(text, random);
        let text = text.clone();
        let result = catch_unwind(|| !refusals(&files, types).is_empty());
        refused += usize::from(result.unwrap_or_else(|_| panic!("{name}: the reader panics on\n{text}")));
    }
    refused
}

/// What `--test reader` compares with the compiler, as far as the reader decides it alone.
#[test]
fn sources_that_the_compiler_rejects_are_refused() {
    for case in cases() {
        let Some((_, text)) = case.expected.split_once("compile error: ").or(case.expected.split_once("refused #"))
        else {
            continue;
        };
        let refusals = refusals(&case.files, "api");
        assert!(refusals.iter().any(|message| message.contains(text)), "{}: {refusals:?}", case.name);
    }
    let is_read =
        |case: &&crd_testdata::reader::Case| case.name.contains("script_line") || case.name.contains("twice_in");
    for case in cases().iter().filter(is_read) {
        assert_eq!(refusals(&case.files, "api"), Vec::<String>::new(), "{}", case.name);
    }
}

#[test]
fn edited_cases_are_read_or_refused() {
    let mut random = Dice::new(17);
    let cases = cases();
    let refused: usize = cases.iter().map(|case| edit(&case.name, &case.files, "api", 20, &mut random)).sum();
    assert!((cases.len() * 5..cases.len() * 19).contains(&refused), "{refused} of {} are refused", cases.len() * 20);
}

#[test]
fn edited_types_of_gateway_api_are_read_or_refused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = BTreeMap::new();
    let mut paths = vec![
        root.join("api-types"),
        root.join("xtask/src"),
        root.join("crd-channels.yaml"),
        root.join("Cargo.toml"),
        root.join("xtask/Cargo.toml"),
    ];
    while let Some(path) = paths.pop() {
        match path.is_dir() {
            true => paths.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path())),
            false => _ = files.insert(path.strip_prefix(&root).unwrap().to_owned(), fs::read_to_string(&path).unwrap()),
        }
    }
    edit("Gateway API", &files, "api-types", 50, &mut Dice::new(18));
}
