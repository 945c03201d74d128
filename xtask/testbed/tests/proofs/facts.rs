//! What Gateway API's guide to API versioning (`../shared/spec/004*.txt`) says about the API server, held against a real one: one row and
//! one test for each claim, and for what has to be known beside it. `FACTS.md` is written from the rows.
//!
//! Fed with a server that holds nothing. Read by authors of APIs, by the rules of `gen/compat`, and by the issue that asked for it.
//!
//! Invariants: every row has a test of its name and every test a row, in the same order; each test works in an API group of its own name;
//! where minors of Kubernetes differ, the test says so in data, and the row in words.

#[path = "facts/admission.rs"]
mod admission;
#[path = "facts/fields.rs"]
mod fields;
#[path = "facts/group.rs"]
mod group;
#[path = "facts/limits.rs"]
mod limits;
#[path = "facts/pruning.rs"]
mod pruning;
#[path = "facts/ratcheting.rs"]
mod ratcheting;
#[path = "facts/storage.rs"]
mod storage;
#[path = "facts/table.rs"]
mod table;
#[path = "facts/versions.rs"]
mod versions;

use std::fmt::Write as _;

use table::FACTS;

/// How a claim of the guide stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// It is so.
    Confirmed,
    /// It is otherwise.
    Corrected,
    /// It is so, but not always, or there is more to it.
    Refined,
    /// The guide does not say it.
    Added,
}

/// A row: what is said about the server, and what it does.
struct Fact {
    /// The test that proves it. As a sentence, it is the fact.
    test: &'static str,
    /// Which lines of the guide say it; empty if none does.
    lines: &'static str,
    /// What they say, in our words; empty if they do not.
    claim: &'static str,
    verdict: Verdict,
    /// What a server does.
    today: &'static str,
    /// Where minors differ; empty if they do not.
    minors: &'static str,
    /// What that means for whoever changes an API, or for this tool.
    follows: &'static str,
}

/// A file of tests.
struct Part {
    title: &'static str,
    source: &'static str,
}

/// All files of tests, in the order of the page.
const PARTS: &[Part] = &[
    Part { title: "What is stored", source: include_str!("facts/storage.rs") },
    Part { title: "Versions as clients see them", source: include_str!("facts/versions.rs") },
    Part { title: "Who may write through which version", source: include_str!("facts/admission.rs") },
    Part { title: "Unknown fields", source: include_str!("facts/pruning.rs") },
    Part { title: "Removed fields and defaults", source: include_str!("facts/fields.rs") },
    Part { title: "Objects that have become invalid", source: include_str!("facts/ratcheting.rs") },
    Part { title: "What this tool relies on besides", source: include_str!("facts/limits.rs") },
];

/// The tests of a file, with what stands between each and the next.
fn tests(source: &'static str) -> Vec<(&'static str, &'static str)> {
    let tests = source.split("#[test]\nfn ").skip(1);
    tests.map(|test| test.split_once("() {").expect("a test has a name and a body")).collect()
}

#[test]
fn every_fact_has_a_test_and_every_test_a_fact() {
    let tests: Vec<(&str, &str)> = PARTS.iter().flat_map(|part| tests(part.source)).collect();
    let rows: Vec<&str> = FACTS.iter().map(|fact| fact.test).collect();
    assert_eq!(rows, tests.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for (name, body) in tests {
        assert!(body.contains(name), "{name} works in the group of another fact");
        // `a_fact` becomes the label `a-fact` of a DNS name with `things.` before and `.example.com` behind it.
        assert!(name.len() + "things..example.com".len() <= 253 - 64, "{name} is too long");
    }
}

#[test]
fn every_row_is_whole() {
    for fact in FACTS {
        assert_eq!(fact.claim.is_empty(), fact.verdict == Verdict::Added, "{}", fact.test);
        assert_eq!(fact.claim.is_empty(), fact.lines.is_empty(), "{}", fact.test);
        assert!(!fact.today.is_empty() && !fact.follows.is_empty(), "{}", fact.test);
        for text in [fact.claim, fact.today, fact.minors, fact.follows] {
            assert!(!text.contains(['|', '\n']), "{}: {text}", fact.test);
            assert!(text.is_empty() || text.ends_with('.'), "{}: {text}", fact.test);
        }
    }
}

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/FACTS.md");

/// A test's name as the sentence that it is.
fn sentence(test: &str) -> String {
    let words = test.split('_').map(|word| match word {
        "crd" => "CRD",
        "kubectl" => "`kubectl`",
        word => word,
    });
    let sentence = words.collect::<Vec<_>>().join(" ");
    let mut characters = sentence.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}

/// The whole page.
fn page() -> String {
    let count = |verdict| FACTS.iter().filter(|fact| fact.verdict == verdict).count();
    let minors = crd_testbed::MINORS.iter().map(|minor| minor.name).collect::<Vec<_>>().join(", ");
    let mut page = String::new();
    let _ = write!(
        page,
        "<!-- Written by `CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs facts::the_page_is_up_to_date`;\n\
         the rows are in tests/proofs/facts/table.rs. -->\n\
         # What an API server does with versions\n\n\
         Gateway API has a guide to API versioning, which says much about how the API server behaves. Each of its claims\n\
         is a test here, and so is what one has to know beside them: {} facts, each run on a real server, reading etcd\n\
         where that is what it is about. Of the claims {} are confirmed, {} refined and {} corrected; {} facts are added.\n\n\
         A row's first column is the name of its test (`tests/proofs/facts/`), with spaces. Unless a row says otherwise,\n\
         it holds on Kubernetes {minors}. Numbers in parentheses are lines of the guide.\n",
        FACTS.len(),
        count(Verdict::Confirmed),
        count(Verdict::Refined),
        count(Verdict::Corrected),
        count(Verdict::Added),
    );
    for part in PARTS {
        let _ = write!(
            page,
            "\n## {}\n\n| fact | what the guide says | what a server does | what follows |\n|---|---|---|---|\n",
            part.title
        );
        for (test, _) in tests(part.source) {
            let Some(fact) = FACTS.iter().find(|fact| fact.test == test) else { continue };
            let claim = match fact.verdict {
                Verdict::Added => "–".to_owned(),
                _ => format!("{} ({})", fact.claim, fact.lines),
            };
            let minors = if fact.minors.is_empty() { String::new() } else { format!(" {}", fact.minors) };
            let _ = writeln!(
                page,
                "| {} | {claim} | **{:?}.** {}{minors} | {} |",
                sentence(fact.test),
                fact.verdict,
                fact.today,
                fact.follows
            );
        }
    }
    page.push_str(table::REST);
    page
}

#[test]
fn the_page_is_up_to_date() {
    let page = page();
    if std::env::var_os("CRD_TESTBED_WRITE").is_some() {
        std::fs::write(PAGE, &page).expect("the page is writable");
    }
    let found = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(
        found == page,
        "{PAGE} is stale: CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs facts::the_page_is_up_to_date"
    );
}
