//! Links of the documentation lead to files and headings that exist, and no page is unreachable.
//!
//! Pages are those of the root, docs/ and testdata/README.md. Links to other hosts are not followed.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::{fs, iter};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The most lines that the README may have.
const README_LINES: usize = 120;

/// The most pages in `docs/` that people write.
const DOCS_PAGES: usize = 34;

/// Every page, as its path from the root.
fn pages() -> Vec<PathBuf> {
    let mut docs = files("docs", "md");
    docs.sort();
    let top = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "testdata/README.md"].map(PathBuf::from);
    top.into_iter().chain(docs).collect()
}

/// Files below a folder with this extension, without what cargo builds.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(Path::new(ROOT).join(&folder)).unwrap().map(Result::unwrap) {
            let path = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                if entry.file_name() != "target" {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found
}

fn read(path: impl AsRef<Path>) -> String {
    let path = Path::new(ROOT).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines outside of fenced code, with inline code blanked.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            let spans = line.split('`').enumerate().map(|(index, span)| if index % 2 == 0 { span } else { "code" });
            prose.extend(spans);
        }
        prose.push('\n');
    }
    prose
}

/// The targets of all links in a page, in order.
fn links(text: &str) -> Vec<String> {
    // An escaped bracket is not the end of a link text.
    let prose = prose(text).replace("\\]", "");
    prose.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect()
}

/// The anchors that GitHub makes of the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let Some(heading) =
            line.trim_start_matches('#').strip_prefix(' ').filter(|_| !is_code && line.starts_with('#'))
        else {
            continue;
        };
        let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
        let slug: String = heading.trim().to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-");
        let mut numbered = (1..).map(|number| format!("{slug}-{number}"));
        let anchor = iter::once(slug.clone()).chain(&mut numbered).find(|anchor| !anchors.contains(anchor)).unwrap();
        anchors.insert(anchor);
    }
    anchors
}

/// A path without `..`, if it stays below the root.
fn resolved(page: &Path, target: &str) -> Option<PathBuf> {
    let mut resolved = page.parent()?.to_path_buf();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir if !resolved.pop() => return None,
            Component::Normal(name) => resolved.push(name),
            _ => {}
        }
    }
    Some(resolved)
}

/// Why a link is broken.
fn broken(page: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
    let Some(file) = (if target.is_empty() { Some(page.to_path_buf()) } else { resolved(page, target) }) else {
        return Some("leads out of the repository".to_owned());
    };
    if !Path::new(ROOT).join(&file).exists() {
        return Some(format!("{} does not exist", file.display()));
    }
    if !anchor.is_empty() && !anchors(&read(&file)).contains(anchor) {
        return Some(format!("{} has no heading `{anchor}`", file.display()));
    }
    None
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut faults = Vec::new();
    let mut seen = 0;
    for page in pages() {
        for link in links(&read(&page)) {
            seen += 1;
            faults.extend(broken(&page, &link).map(|reason| format!("{}: ({link}): {reason}", page.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(seen > 50, "only {seen} links: are they still found?");
}

#[test]
fn broken_links_are_found() {
    let page = Path::new("docs/README.md");
    for link in ["nowhere.md", "../../above", "policy.md#no-such-heading", "#no-such-heading", "../gen/nowhere"] {
        assert!(broken(page, link).is_some(), "{link}");
    }
    for link in ["policy.md", "policy.md#the-table", "../README.md", "https://example.com/nowhere", "../bundles"] {
        assert_eq!(broken(page, link), None);
    }
    assert_eq!(links("a [b](c.md#d), `[e](f)`\n```\n[g](h)\n```\n[i `j`](k) \\[l\\](m)"), ["c.md#d", "k"]);
    let headings = anchors("# A `b-c`, d!\n## A\n## A\n```\n# no\n```\n");
    assert_eq!(headings, ["a-b-c-d", "a", "a-1"].map(str::to_owned).into());
}

#[test]
fn every_page_is_reachable_from_the_readme() {
    let mut reached = BTreeSet::new();
    let mut open = vec![PathBuf::from("README.md")];
    while let Some(page) = open.pop() {
        if page.extension().is_some_and(|extension| extension == "md") && reached.insert(page.clone()) {
            let targets = links(&read(&page)).into_iter().filter(|link| !link.contains("://"));
            open.extend(targets.filter_map(|link| resolved(&page, link.split('#').next()?)));
        }
    }
    let lost = pages().into_iter().filter(|page| page.starts_with("docs") && !reached.contains(page));
    assert_eq!(lost.collect::<Vec<_>>(), Vec::<PathBuf>::new());
}

/// Pages that programs write are in folders of their own, so that a reader of `docs/` sees what people wrote.
#[test]
fn written_pages_are_in_reference_and_evidence() {
    let is_written = |page: &Path| {
        let text = read(page);
        let mut first = text.lines().take(12);
        first.any(|line| line.contains("ritten by `") || line.contains("enerated by `"))
    };
    let (decisions, pages): (Vec<_>, Vec<_>) =
        files("docs", "md").into_iter().partition(|page| page.parent() == Some(Path::new("docs/decisions")));
    assert_eq!(decisions.into_iter().filter(|page| is_written(page)).collect::<Vec<_>>(), Vec::<PathBuf>::new());
    let (ours, theirs): (Vec<_>, Vec<_>) = pages.into_iter().partition(|page| page.parent() == Some(Path::new("docs")));
    assert!(ours.len() <= DOCS_PAGES, "{} pages, more than {DOCS_PAGES}: merge two", ours.len());
    assert_eq!(ours.into_iter().filter(|page| is_written(page)).collect::<Vec<_>>(), Vec::<PathBuf>::new());
    assert_eq!(theirs.into_iter().filter(|page| !is_written(page)).collect::<Vec<_>>(), Vec::<PathBuf>::new());
}

/// Comments, help and diagnostics name pages, and the pages name folders and subcommands.
#[test]
fn what_is_mentioned_exists() {
    let mut faults = Vec::new();
    let sources = ["gen", "xtask", "api-types"].into_iter().flat_map(|folder| files(folder, "rs"));
    // The samples of the language test are not pages.
    for source in sources.filter(|source| !source.ends_with("tests/language.rs")) {
        let text = read(&source);
        let parts = text.split("docs/").collect::<Vec<_>>();
        // A page of another project has an address.
        let own = parts.windows(2).filter(|pair| !pair[0].ends_with("/blob/main/"));
        for rest in own.map(|pair| pair[1]) {
            let name: String =
                rest.chars().take_while(|letter| letter.is_alphanumeric() || "-_./".contains(*letter)).collect();
            let name = name.trim_end_matches('.');
            if name.ends_with(".md") && name.bytes().all(|letter| letter != b'_' && !letter.is_ascii_uppercase()) {
                let exists = Path::new(ROOT).join("docs").join(name).exists();
                faults.extend((!exists).then(|| format!("{}: docs/{name}", source.display())));
            }
        }
    }
    for page in pages() {
        let text = read(&page);
        for path in text.split('`').skip(1).step_by(2) {
            let tops =
                ["gen/", "xtask/", "api-types/", "templates/", "testdata/", "docs/", "fuzz/", ".ci/", ".github/"];
            let is_path = tops.iter().any(|top| path.starts_with(top));
            // Without the part that is a placeholder: `src/rule/NAME.rs`.
            let is_name = |part: &&str| part.chars().filter(char::is_ascii_uppercase).count() > 3;
            if is_path && !path.contains([' ', '*', '{', '\n', ':']) {
                let known: PathBuf = path.split('/').take_while(|part| !is_name(part)).collect();
                let exists = Path::new(ROOT).join(known).exists();
                faults.extend((!exists).then(|| format!("{}: `{path}`", page.display())));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn help() -> String {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_xtask")).arg("--help").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn subcommands_of_the_documentation_exist() {
    let help = help();
    let mut faults = Vec::new();
    let mut seen = 0;
    for page in pages() {
        for rest in read(&page).split("cargo xtask ").skip(1) {
            seen += 1;
            let name: String =
                rest.chars().take_while(|letter| letter.is_ascii_lowercase() || *letter == '-').collect();
            if !name.is_empty() && !name.starts_with('-') && !help.contains(&format!("\n  {name} ")) {
                faults.push(format!("{}: cargo xtask {name}", page.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(seen > 30, "only {seen} commands: are they still found?");
}

#[test]
fn the_readme_is_short() {
    let lines = read("README.md").lines().count();
    assert!(lines <= README_LINES, "README.md has {lines} lines, more than {README_LINES}: move the rest to docs/");
}

/// `docs/command-line.md` lists what the help lists.
#[test]
fn every_subcommand_is_documented() {
    let help = help();
    // Groups of subcommands are before the options.
    let groups = help.split_once("\n\n").unwrap().1.split_once("\nOptions").unwrap().0;
    let names = groups.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !name.is_empty()).collect::<Vec<_>>();
    assert!(names.len() > 20, "{names:?}");
    let page = read("docs/command-line.md");
    // `testbed` and `prove` belong to this repository only, and `help` to every program.
    let missing = names
        .into_iter()
        .filter(|name| !matches!(*name, "testbed" | "prove" | "help") && !page.contains(&format!("\n| `{name}` |")));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn the_map_lists_every_package() {
    let folders = crate::test_programs::packages("Cargo.toml");
    assert!(folders.len() > 10, "only {folders:?}: are they still found?");
    let map = read("docs/design.md");
    let missing = folders.iter().filter(|folder| !map.contains(&format!("| [`{folder}`](../{folder}) |")));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&String>::new(), "docs/design.md lacks these folders");
}

/// The first pages name the release whose types are here, and `docs/graduation.md` elements that can graduate.
#[test]
fn pages_name_the_newest_release_and_elements_of_experimental() {
    for page in ["README.md", "docs/gateway-api.md", "docs/from-controller-gen.md"] {
        let text = read(page);
        let after = text.split("Gateway API").skip(1).filter_map(|rest| {
            let words = rest.trim_start_matches("](docs/gateway-api.md)").trim_start();
            words.strip_prefix('v').and_then(|version| version.split([' ', ',', ':']).next())
        });
        let named = after.collect::<Vec<_>>();
        let newest = crd_testdata::NEWEST_GATEWAY_API.trim_start_matches('v');
        assert!(!named.is_empty() && named.iter().all(|version| version.starts_with(newest)), "{page}: {named:?}");
    }
    let table: serde_json::Value = serde_json::from_str(&read("bundles/unreleased/graduation.json")).unwrap();
    let names = table["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect::<Vec<_>>();
    let page = read("docs/graduation.md");
    let written = page.lines().filter_map(|line| line.strip_prefix("$ cargo xtask graduate "));
    let written = written.map(|arguments| arguments.split(' ').next().unwrap()).filter(|word| !word.starts_with('-'));
    let approved = page.lines().filter_map(|line| line.strip_prefix("- {name: ")?.split(',').next());
    let named = written.chain(approved).collect::<Vec<_>>();
    assert!(named.len() >= 4 && named.iter().all(|name| names.contains(name)), "{named:?}");
}
