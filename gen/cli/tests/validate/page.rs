//! The example of `docs/validating.md` prints what the page contains.

use std::path::Path;

use super::run;
use crate::support::Place;
use crd_channels_cli::Exit;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The first block of a language.
fn block<'p>(page: &'p str, language: &str) -> &'p str {
    let begin = format!("\n```{language}\n");
    let after = &page[page.find(&begin).unwrap() + begin.len()..];
    &after[..after.find("```").unwrap()]
}

#[test]
fn the_page_contains_what_is_printed() {
    let page = std::fs::read_to_string(Path::new(ROOT).join("docs/validating.md")).unwrap();
    let place = Place::new();
    place.write("route.yaml", block(&page, "yaml"));
    let printed = run(&place, b"", &["route.yaml", "--bundle", "v1.6.1", "--root", ROOT]);
    assert_eq!((printed.exit, &*printed.out), (Exit::Findings, block(&page, "text")), "{}", printed.err);
}
