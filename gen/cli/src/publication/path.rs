//! Names in a tree that is published: each stays in its folder, on every system.
//!
//! Fed with trees. Read by [`super::Publication::check`].
//!
//! Invariants: a name that passes is joined to a folder and leads below it; no two names stand in each other's way; `dist/` is flat and
//! lists itself.

use super::{SUMS, Tree, target};
use crate::fault::Fault;

/// What is wrong with the names of a tree.
pub(super) fn faults(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    if tree.files.is_empty() {
        faults.push(Fault::file(&tree.target, "would have no files, and a release has some: nothing is put there"));
    }
    for path in tree.files.keys() {
        if let Some(problem) = problem(path) {
            let text = format!("would have a file {path:?}, which {problem}: correct what the name is made of");
            faults.push(Fault::file(&tree.target, text));
        }
        // `a` and `a/b`: one of them would be a folder.
        let mut above = path.as_str();
        while let Some((folder, _)) = above.rsplit_once('/') {
            if tree.files.contains_key(folder) {
                let text = format!("would have a file {folder:?}, and a file {path:?} below it: rename one");
                faults.push(Fault::file(&tree.target, text));
            }
            above = folder;
        }
    }
    faults
}

/// What is wrong with a `dist/` that the next release could not replace.
pub(super) fn unlisted(dist: &Tree) -> Vec<Fault> {
    let sums = dist.files.get(SUMS).map_or("".into(), |bytes| String::from_utf8_lossy(bytes));
    let listed = target::listed(&sums);
    let unlisted = dist.files.keys().filter(|path| *path != SUMS && !listed.contains(path.as_str()));
    let fault = |path: &String| {
        Fault::file(&dist.target, format!("would have a file {path:?} that its {SUMS} does not list: list it there"))
    };
    let mut faults = unlisted.map(fault).collect::<Vec<_>>();
    for path in dist.files.keys().filter(|path| path.contains('/')) {
        let text = format!("would have a file {path:?} in a folder, and what is published is flat: rename it");
        faults.push(Fault::file(&dist.target, text));
    }
    faults
}

/// The longest name that filesystems take, in bytes.
const LONGEST: usize = 255;

/// What is wrong with a path, if anything is.
fn problem(path: &str) -> Option<&'static str> {
    let mut names = path.split('/');
    if path.is_empty() {
        Some("is no name")
    } else if path.contains(|character: char| character.is_control() || r#"\:"#.contains(character)) {
        Some("has a character that is no part of a name on every system")
    } else if path.starts_with('/') {
        Some("begins at the root of the filesystem")
    } else if names.clone().any(|name| matches!(name, "." | "..")) {
        Some("leads elsewhere")
    } else if names.clone().any(str::is_empty) {
        Some("has an empty part")
    } else if names.any(|name| name.len() > LONGEST) {
        Some("has a part that is longer than filesystems take")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn names_stay_in_their_folder() {
        for path in ["a", "standard/a.yaml", "a/b/c d", "..a/b..", "é", "...", ".hidden", "-rf", &"x".repeat(255)] {
            assert_eq!(problem(path), None, "{path}");
        }
        let absolute = "begins at the root of the filesystem";
        let character = "has a character that is no part of a name on every system";
        for (path, expected) in [
            ("", "is no name"),
            ("/", absolute),
            ("/etc/passwd", absolute),
            ("//a", absolute),
            ("..", "leads elsewhere"),
            ("../a", "leads elsewhere"),
            ("a/..", "leads elsewhere"),
            ("a/../../b", "leads elsewhere"),
            ("./a", "leads elsewhere"),
            ("a/.", "leads elsewhere"),
            ("a/", "has an empty part"),
            ("a//b", "has an empty part"),
            ("a\\b", character),
            ("..\\a", character),
            ("C:a", character),
            ("a\0b", character),
            ("a\nb", character),
            ("a\u{1b}[31m", character),
            (&"x".repeat(256), "has a part that is longer than filesystems take"),
        ] {
            assert_eq!(problem(path), Some(expected), "{path:?}");
        }
    }
}
