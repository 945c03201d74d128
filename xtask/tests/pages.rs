//! What the pages for readers have in common: their length, the figures of the evidence that they repeat, and the box about what is not published.
//!
//! `pages/unpublished.md` is the box. The first release of the tool empties this file, and `UPDATE_SNAPSHOTS=1 cargo test -p xtask --test tests pages`
//! writes it into every page that has its marks. Guides are the pages in `docs/` itself: neither reference nor evidence.

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The most words of a guide, of the page about CI, and of all guides together.
const WORDS: [usize; 3] = [1_800, 600, 32_500];

/// The most terms of the glossary that the first page may need.
const TERMS: usize = 8;

/// Terms that are common words on the first page.
const PLAIN: [&str; 9] = ["term", "change", "rule", "place", "form", "minor", "settings", "client", "project"];

const BEGIN: &str = "<!-- unpublished -->\n";
const END: &str = "<!-- end of unpublished -->\n";

/// Parts of commands that need something published.
const NEEDS: [&str; 12] = [
    "/releases/download/tool-v",
    "--repo crd-channels/crd-channels",
    "`.ci/program` downloads",
    "cargo binstall",
    "cargo install --git https",
    "ghcr.io/crd-channels/",
    "git = \"https://github.com/crd-channels/",
    "--git https://github.com/crd-channels/",
    "git clone https://github.com/crd-channels/",
    "crd-channels/crd-channels@tool-v",
    "repo: https://github.com/crd-channels/",
    "krew install",
];

fn guides() -> Vec<PathBuf> {
    let mut guides =
        fs::read_dir(format!("{ROOT}/docs")).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    guides.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    guides.sort();
    assert!(guides.len() > 20, "{guides:?}");
    guides
}

#[test]
fn guides_are_short() {
    let [each, ci, together] = WORDS;
    let (mut all, mut long) = (0, Vec::new());
    for page in guides() {
        let words = fs::read_to_string(&page).unwrap().split_whitespace().count();
        let limit = if page.ends_with("docs/ci.md") { ci } else { each };
        if words > limit {
            long.push(format!("{}: {words} words, more than {limit}", page.file_name().unwrap().display()));
        }
        all += words;
    }
    println!("{all} words in all guides");
    assert_eq!(long, Vec::<String>::new(), "leave out what another page has, or split a page by task");
    assert!(all <= together, "{all} words in all guides, more than {together}: leave out what another page has");
}

/// A reader of a guide does not run the proofs of this repository: CONTRIBUTING.md and the evidence name them.
#[test]
fn guides_name_no_proofs() {
    let is_named = |page: &PathBuf| {
        let text = fs::read_to_string(page).unwrap();
        ["cargo xtask prove", "-p crd-testbed", "cargo bench"].iter().any(|command| text.contains(command))
    };
    assert_eq!(guides().into_iter().filter(is_named).collect::<Vec<_>>(), Vec::<PathBuf>::new());
}

/// The first page explains each term of the glossary that it needs, where it first appears.
#[test]
fn getting_started_needs_few_terms() {
    let page = fs::read_to_string(format!("{ROOT}/docs/getting-started.md")).unwrap();
    let glossary = fs::read_to_string(format!("{ROOT}/docs/glossary.md")).unwrap();
    let terms = glossary.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let terms = terms.map(|term| term.trim_matches('`')).filter(|term| !PLAIN.contains(term)).collect::<Vec<_>>();
    // Code is shown, and explained below.
    let prose = page.split("```").step_by(2).collect::<String>();
    let words = prose.split('`').step_by(2).collect::<String>().to_lowercase();
    let place = |term: &str| {
        let is_word = |at: &usize| {
            let rest = &words[at + term.len()..];
            !words[..*at].ends_with(char::is_alphanumeric)
                && !rest.strip_prefix('s').unwrap_or(rest).starts_with(char::is_alphanumeric)
        };
        words.match_indices(term).map(|(at, _)| at).find(is_word)
    };
    let needed = terms.into_iter().filter_map(|term| Some((term, place(term)?))).collect::<Vec<_>>();
    for (term, first) in &needed {
        assert!(
            words[..*first].ends_with('*'),
            "`{term}` is not explained where it first appears: {}",
            &words[first.saturating_sub(60)..*first]
        );
    }
    assert!((1..=TERMS).contains(&needed.len()), "{needed:?}");
}

/// What is wrong with the box of a page.
fn fault(text: &str, all: &str) -> Option<&'static str> {
    let first = NEEDS.iter().filter_map(|needs| text.find(needs)).min();
    match (first, text.find(all)) {
        (None, None) => text.contains(BEGIN).then_some("the box is not that of `xtask/tests/pages/unpublished.md`"),
        (None, Some(_)) => Some("no command needs the box"),
        (Some(_), None) => Some("a command needs the box of `xtask/tests/pages/unpublished.md`"),
        // The box names the commands too.
        (Some(_), Some(begin)) => {
            let rest = text[..begin].to_owned() + &text[begin + all.len()..];
            let first = NEEDS.iter().filter_map(|needs| rest.find(needs)).min();
            match first {
                None => Some("no command needs the box"),
                Some(at) if at < begin => Some("the box is below the first command that needs it"),
                Some(_) => rest.contains(BEGIN).then_some("two boxes"),
            }
        }
    }
}

#[test]
fn commands_that_need_a_published_program_are_below_the_box() {
    let path = format!("{ROOT}/xtask/tests/pages/unpublished.md");
    let all = format!("{BEGIN}{}{END}", fs::read_to_string(path).unwrap());
    let (mut seen, mut faults) = (0, Vec::new());
    for page in guides().into_iter().chain([Path::new(ROOT).join("README.md")]) {
        let mut text = fs::read_to_string(&page).unwrap();
        if let (Some(begin), Some(end)) = (text.find(BEGIN), text.find(END))
            && std::env::var_os("UPDATE_SNAPSHOTS").is_some()
        {
            text.replace_range(begin..end + END.len(), &all);
            fs::write(&page, &text).unwrap();
        }
        seen += usize::from(text.contains(BEGIN));
        faults.extend(fault(&text, &all).map(|fault| format!("{}: {fault}", page.display())));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(seen >= 2, "{seen}");
    assert_eq!(fault(&format!("{all}cargo binstall a"), &all), None);
    for wrong in
        ["cargo binstall a", &format!("cargo binstall a\n{all}"), &all, &format!("{all}{all}krew install"), BEGIN]
    {
        assert!(fault(wrong, &all).is_some(), "{wrong}");
    }
}

/// The README begins with the figures that `history` wrote.
#[test]
fn the_readme_has_the_figures_of_the_evidence() {
    let index = fs::read_to_string(format!("{ROOT}/docs/evidence/compatibility/README.md")).unwrap();
    let row = index.lines().find_map(|line| line.strip_prefix("| all | ")).unwrap();
    let cells = row.split(" | ").collect::<Vec<_>>();
    let [releases, _, _, breaks, ..] = cells.as_slice() else { panic!("{row}") };
    let sentence = format!(
        "Of {releases} releases of nine known projects, [{breaks} broke users more than their version declares]"
    );
    assert!(fs::read_to_string(format!("{ROOT}/README.md")).unwrap().contains(&sentence), "write it again: {sentence}");
}
