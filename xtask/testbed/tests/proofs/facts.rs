//! The claims of Gateway API's guide to API versioning about the API server, compared with a real server: one row and one test for each
//! claim, and for related facts. `docs/reference/facts.md` is written from the rows.
//!
//! Invariants: each row has a test of its name, and each test a row, in the same order. Each test uses an API group of its own name. Where
//! Kubernetes minors differ, the test contains the difference as data, and the row describes it.

mod admission;
mod fields;
pub(crate) mod group;
mod limits;
mod pruning;
mod ratcheting;
mod storage;
mod versions;

use std::fmt::Write as _;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::pages::{compare, filled};
use crate::tables::table;

/// Whether a claim of the guide is true.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
enum Verdict {
    /// The claim is true.
    Confirmed,
    /// The claim is false.
    Corrected,
    /// The claim is true in some cases, or incomplete.
    Refined,
    /// The guide does not contain this fact.
    #[default]
    Added,
}

/// A row of the page: a claim and the behaviour of a server.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fact {
    /// The name of the test that proves the fact. Its words are the fact as a sentence.
    test: &'static str,
    /// The lines of the guide with the claim; empty without a claim.
    #[serde(default)]
    lines: &'static str,
    /// The claim, in our words; empty without a claim.
    #[serde(default)]
    claim: &'static str,
    #[serde(default)]
    verdict: Verdict,
    /// The behaviour of a server.
    today: &'static str,
    /// How minors differ; empty if they do not.
    #[serde(default)]
    minors: &'static str,
    /// The consequence for authors of an API, or for this tool.
    follows: &'static str,
}

/// The rows: in the order of the tests.
static FACTS: LazyLock<Vec<Fact>> = LazyLock::new(|| table(include_str!("facts/table.yaml")));

/// A file of tests.
struct Part {
    title: &'static str,
    source: &'static str,
}

/// All files of tests, in the order of the page.
const PARTS: &[Part] = &[
    Part { title: "Stored objects", source: include_str!("facts/storage.rs") },
    Part { title: "Versions as clients see them", source: include_str!("facts/versions.rs") },
    Part { title: "Who may write through which version", source: include_str!("facts/admission.rs") },
    Part { title: "Unknown fields", source: include_str!("facts/pruning.rs") },
    Part { title: "Removed fields and defaults", source: include_str!("facts/fields.rs") },
    Part { title: "Objects that have become invalid", source: include_str!("facts/ratcheting.rs") },
    Part { title: "Other behaviour that this tool relies on", source: include_str!("facts/limits.rs") },
];

/// The tests of a file: their names, and the source from each name to the next.
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
        assert!(body.contains(name), "{name} uses the API group of another fact");
        // `a_fact` becomes the DNS name `things.a-fact.example.com`.
        assert!(name.len() + "things..example.com".len() <= 253 - 64, "{name} is too long");
    }
}

#[test]
fn every_row_is_complete() {
    for fact in &*FACTS {
        assert_eq!(fact.claim.is_empty(), fact.verdict == Verdict::Added, "{}", fact.test);
        assert_eq!(fact.claim.is_empty(), fact.lines.is_empty(), "{}", fact.test);
        assert!(!fact.today.is_empty() && !fact.follows.is_empty(), "{}", fact.test);
        for text in [fact.claim, fact.today, fact.minors, fact.follows] {
            assert!(!text.contains(['|', '\n']), "{}: {text}", fact.test);
            assert!(text.is_empty() || text.ends_with('.'), "{}: {text}", fact.test);
        }
    }
}

/// The name of a test as a sentence.
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
    let count = |verdict| FACTS.iter().filter(|fact| fact.verdict == verdict).count().to_string();
    let minors = crd_testbed::MINORS.iter().map(|minor| minor.name).collect::<Vec<_>>().join(", ");
    let mut parts = String::new();
    for part in PARTS {
        let _ = write!(
            parts,
            "\n## {}\n\n| fact | claim of the guide | behaviour of a server | consequence |\n|---|---|---|---|\n",
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
                parts,
                "| {} | {claim} | **{:?}.** {}{minors} | {} |",
                sentence(fact.test),
                fact.verdict,
                fact.today,
                fact.follows
            );
        }
    }
    filled(
        include_str!("facts/page.md"),
        &[
            ("facts", &FACTS.len().to_string()),
            ("confirmed", &count(Verdict::Confirmed)),
            ("refined", &count(Verdict::Refined)),
            ("corrected", &count(Verdict::Corrected)),
            ("added", &count(Verdict::Added)),
            ("minors", &minors),
            ("parts", &parts),
        ],
    )
}

#[test]
fn the_page_is_up_to_date() {
    compare(&page(), "reference/facts.md", "facts::the_page_is_up_to_date");
}
