//! `docs/evidence/kubernetes-modules.md`: the Go modules in which the minors of the testbed differ, and whether the difference affects answers.
//! `modules.tsv` has the reasons: the first row that names a module or a path above it is about it; a row that ends with `/` is only about paths below. `UPDATE_SNAPSHOTS=1` writes the page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const PAGE: &str = "docs/evidence/kubernetes-modules.md";
/// The supported minors.
const MINORS: [u32; 5] = [33, 34, 35, 36, 37];
const HEAD: &str = "<!-- Written by `UPDATE_SNAPSHOTS=1 cargo test -p xtask --test tests modules`; the reasons are in xtask/tests/modules.tsv. -->
# Where the minors of Kubernetes link other modules

The servers of the supported minors are built from other versions of these Go modules. A module affects answers if objects or CRDs are answered in another way because of it; then it is a fact by minor, with
recorded answers (`gen/apiserver/tests/answers.jsonl`, `gen/cel/tests`) that `cargo xtask prove recorded-answers` compares with the libraries of each minor. Modules that are not linked into the oracle, which
answers with these libraries, cannot affect answers: `go list -modfile=../kubernetes-1.37/go.mod -deps` in `xtask/testbed/go/oracle` lists those that are. Servers since 1.36 are built with Go 1.26, which takes
other texts for the format `mac` and other URLs of conversion webhooks.

| module | 1.33 | 1.34 | 1.35 | 1.36 | 1.37 | affects answers | why |
|---|---|---|---|---|---|---|---|
";

/// The version of each module in a go.mod, replacements included.
fn modules(text: &str) -> BTreeMap<&str, &str> {
    let mut modules = BTreeMap::new();
    let words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    for words in words {
        match &*words {
            [name, version, ..] | ["require", name, version, ..] if name.contains('.') && version.starts_with('v') => {
                modules.entry(*name).or_insert(*version);
            }
            [name, "=>", _, version] | ["replace", name, "=>", _, version] => {
                modules.insert(*name, *version);
            }
            _ => {}
        }
    }
    modules
}

#[test]
fn the_page_has_each_module_in_which_minors_differ() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text =
        |minor: u32| fs::read_to_string(root.join(format!("xtask/testbed/go/kubernetes-1.{minor}/go.mod"))).unwrap();
    let texts = MINORS.map(text);
    let all = texts.each_ref().map(|text| modules(text));
    let names = all.iter().flat_map(BTreeMap::keys).collect::<std::collections::BTreeSet<_>>();
    let reasons =
        include_str!("modules.tsv").lines().map(|line| line.split('\t').collect::<Vec<_>>()).collect::<Vec<_>>();
    let mut used = vec![false; reasons.len()];
    let mut page = HEAD.to_owned();
    for name in names {
        let versions = all.each_ref().map(|modules| modules.get(name).copied().unwrap_or("–"));
        if versions.iter().all(|version| *version == versions[0]) {
            continue;
        }
        let is_meant = |row: &Vec<&str>| {
            name.strip_prefix(row[0])
                .is_some_and(|rest| rest.is_empty() || row[0].ends_with('/') || rest.starts_with('/'))
                || row[0].is_empty()
        };
        let index = reasons.iter().position(is_meant).unwrap();
        used[index] = true;
        let short = versions.map(|version| version.get(..16).map_or(version.to_owned(), |start| format!("{start}…")));
        writeln!(page, "| `{name}` | {} | {} | {} |", short.join(" | "), reasons[index][1], reasons[index][2]).unwrap();
    }
    let unused = reasons.iter().zip(&used).filter(|(_, used)| !**used).map(|(row, _)| row[0]).collect::<Vec<_>>();
    assert!(unused.is_empty(), "no module of these rows differs: {unused:?}");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(root.join(PAGE), &page).unwrap();
    }
    assert_eq!(fs::read_to_string(root.join(PAGE)).unwrap_or_default(), page, "write the page with UPDATE_SNAPSHOTS=1");
}
