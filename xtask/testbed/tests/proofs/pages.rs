//! Pages in `docs/` that proofs write: a template next to the proof, filled with the answers of a server or with rows of a table.
//!
//! Invariants: the committed page is up to date, or the test fails; `CRD_TESTBED_WRITE=1` writes it. Each placeholder `{{NAME}}` has a value.

use std::path::Path;

/// The template with these values.
pub(crate) fn filled(template: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(template.to_owned(), |page, (name, value)| {
        let placeholder = format!("{{{{{name}}}}}");
        assert!(page.contains(&placeholder), "the template has no {placeholder}");
        page.replace(&placeholder, value)
    })
}

/// Compares a page with the committed one below `docs/`, or writes it. `tests` is the filter of the tests that write it.
#[track_caller]
pub(crate) fn compare(page: &str, path: &str, tests: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(path);
    if std::env::var_os("CRD_TESTBED_WRITE").is_some() {
        std::fs::write(&file, page).expect("the page is writable");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    let first = page.lines().zip(found.lines()).find(|(now, committed)| now != committed);
    assert!(
        found == page,
        "docs/{path} is stale; `CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs {tests}` writes it. First difference: {first:#?}"
    );
}
