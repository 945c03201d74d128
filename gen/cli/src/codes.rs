//! The pages of all codes, for `explain`.
//!
//! Invariants: a rule has its page from its own table; [`OWN`] has the codes of the command line. A test checks that each code that a
//! diagnostic uses has exactly one page.

use crd_apiserver::refusal::{self, Authority};
use crd_bundle::published::{IMPORT_RULES, READ_RULES, ReadRule};
use crd_compat::all_rules;
use crd_diagnostics::page::Page;
use crd_model::CustomResourceDefinition;

use crd_review::report::PROBLEMS;

/// A page with the area that it belongs to.
pub(crate) struct Listed {
    /// The heading of the list.
    pub(crate) area: &'static str,
    /// The page.
    pub(crate) page: Page,
}

/// Every page, by area.
pub(crate) fn pages() -> Vec<Listed> {
    let mut pages = Vec::new();
    let mut add = |area, page| pages.push(Listed { area, page });
    for rule in all_rules() {
        let (id, summary, explanation, example) = (rule.id, rule.summary, rule.explanation, rule.example);
        add("Rules of the policy", Page::new(id, summary, explanation, example));
    }
    for (code, summary, fix, example) in &crd_generate::CODES {
        add("Types and catalogue", Page::new(code, summary, fix, example));
    }
    for (code, summary, example) in &crd_cel::CODES {
        add("CEL rules", Page::new(code, summary, "", example));
    }
    for (code, summary, explanation, example) in OWN {
        let area = match code.split_once("::").map(|(area, _)| area) {
            Some("marker" | "catalogue") => "Types and catalogue",
            _ => "Files, bundles and usage",
        };
        add(area, Page::new(code, summary, explanation, example));
    }
    for row in &PROBLEMS {
        add("Versions, waivers and tombstones", Page::new(row.id, row.summary, row.explanation, row.example));
    }
    for rule in READ_RULES {
        let (summary, example) = reading(rule);
        add("Reading of bundles", Page::new(rule.id(), summary, "The bundle is not read.", example));
    }
    for rule in IMPORT_RULES {
        let explanation = "`import` reports it, because the bundle would not be a correct baseline.";
        add("Import of bundles", Page::new(rule.id, rule.summary, explanation, ""));
    }
    for rule in refusal::RULES {
        add("Refusals of CRDs", of_refusal(rule));
    }
    pages.sort_by_key(|listed| AREAS.iter().position(|area| *area == listed.area).unwrap_or(AREAS.len()));
    pages
}

/// The areas in the order of the list.
const AREAS: [&str; 7] = [
    "Types and catalogue",
    "CEL rules",
    "Rules of the policy",
    "Versions, waivers and tombstones",
    "Files, bundles and usage",
    "Reading of bundles",
    "Import of bundles",
];

/// The page of a refusal: its message for the first example.
fn of_refusal(rule: &refusal::Rule) -> Page {
    let example = rule.refused.first().copied().unwrap_or_default();
    let crd = refusal::example(example).and_then(|value| CustomResourceDefinition::from_value(&value).ok());
    let refusals = crd.map(|crd| refusal::refusals(&crd)).unwrap_or_default();
    let message = refusals.into_iter().find(|refusal| refusal.rule == rule.id).map(|refusal| refusal.message);
    let who = match rule.authority {
        Authority::Server => "An API server rejects such a CRD.",
        Authority::House => "An API server accepts such a CRD, although it can only be a mistake.",
    };
    Page {
        code: rule.id,
        summary: message.unwrap_or_else(|| "The CRD is not valid.".to_owned()),
        explanation: format!(
            "{who} The example edits a small valid CRD: `document` and `version` are merge patches, `root` is the schema, and `field` is the \
             schema of `spec.field`."
        ),
        example: example.to_owned(),
    }
}

/// What a rule of reading means, and an example.
fn reading(rule: ReadRule) -> (&'static str, &'static str) {
    match rule {
        ReadRule::TooLarge => ("An input is larger than the limit.", "a YAML file of 200 MiB"),
        ReadRule::Binary => {
            ("An input is binary data of an unknown form.", "crd-channels diff ./program bundles/v1.0.0")
        }
        ReadRule::Encoding => ("A text is not UTF-8.", "iconv -t utf-16 crd.yaml | crd-channels diff v1.0.0 -"),
        ReadRule::Archive => {
            ("An archive cannot be unpacked.", "head -c 100 bundle.tar.gz | crd-channels diff v1.0.0 -")
        }
        ReadRule::Yaml => (
            "A text is not valid YAML or JSON, or cannot be what Kubernetes reads.",
            "kind: CustomResourceDefinition\nkind: CustomResourceDefinition",
        ),
        ReadRule::Template => {
            ("A file is a template whose CRDs are not rendered yet.", "metadata:\n  name: {{ .Values.name }}")
        }
        ReadRule::CrdVersion => (
            "A CRD has an API version other than `apiextensions.k8s.io/v1`.",
            "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition",
        ),
        ReadRule::CrdKind => (
            "A document is almost a CRD: its kind or its API version is misspelt or missing.",
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitions",
        ),
        ReadRule::CrdStructure => (
            "A part of a CRD is unknown, missing, or of the wrong type.",
            "spec:\n  group: example.com\n  scopes: Namespaced",
        ),
        ReadRule::CrdName => (
            "The name of a CRD is not `PLURAL.GROUP`.",
            "metadata:\n  name: widget.example.com\nspec:\n  names: {plural: widgets}",
        ),
        ReadRule::CrdTwice => {
            ("A bundle contains the same CRD twice.", "cat crd.yaml crd.yaml | crd-channels diff v1.0.0 -")
        }
        ReadRule::NoCrds => ("A bundle contains no CRD.", "crd-channels diff v1.0.0 README.md"),
    }
}

/// A code of the command line: its name, summary, explanation and example.
type Own = (&'static str, &'static str, &'static str, &'static str);

/// The codes of the command line.
const OWN: &[Own] = &[
    (
        "catalogue::empty",
        "The catalogue has no resources.",
        "`generate` would remove every file. Add root types in `xtask/src/main.rs`.",
        "Catalogue::new(\"example.com\", \"v1.0.0\")",
    ),
    (
        "catalogue::version",
        "The catalogue's next version is not a bundle version.",
        "A bundle version is a semantic version with a leading `v`.",
        "Catalogue::new(\"example.com\", \"1.0\")",
    ),
    (
        "catalogue::prefix",
        "The catalogue's prefix is not valid.",
        "The prefix begins the annotations of each CRD and is part of the names of policies, so it must be a DNS name.",
        "Catalogue::new(\"Example_com\", \"v1.0.0\")",
    ),
    (
        "catalogue::name",
        "The catalogue's name is not valid.",
        "The name is part of the names of charts and archives.",
        "Catalogue::new(\"example.com\", \"v1.0.0\").named(\"My API\")",
    ),
    (
        "file::io",
        "The operating system refuses to read or write a file.",
        "Nothing was changed. The message contains the reason of the operating system.",
        "chmod a-w bundles && cargo xtask generate",
    ),
    (
        "file::kind",
        "A file, folder or symlink is where something else is needed.",
        "A symlink is not followed, because its target may belong to another project.",
        "ln -s /tmp bundles/unreleased && cargo xtask generate",
    ),
    (
        "file::busy",
        "Another program works in the same folder.",
        "Wait for it, or stop it, and run the command again.",
        "while true; do rmdir out; done & cargo xtask generate --out out",
    ),
    (
        "file::root",
        "The folder that contains `bundles` is not found.",
        "By default it is the Cargo workspace. `--root DIR` names another folder.",
        "cd / && crd-channels import crds/ --version v1.0.0 --channel standard",
    ),
    (
        "file::read-back",
        "A written file reads back as another document.",
        "Every file is read by an independent YAML reader before it is written. This is a bug in this tool; please report it.",
        "",
    ),
    (
        "bundle::unknown",
        "There is no such bundle.",
        "A bundle is a version in `bundles/`, a folder, a file, an archive, or `-` for standard input.",
        "crd-channels diff v0.0.1 v0.0.2",
    ),
    (
        "bundle::version",
        "The name of a folder in `bundles/` is almost a version.",
        "A folder with a misspelt version would be ignored as history.",
        "mkdir bundles/1.0.0",
    ),
    (
        "bundle::altered",
        "A committed bundle was changed.",
        "A committed bundle never changes, because users have installed it. Restore it from git.",
        "echo >> bundles/v1.0.0/standard/example.com_widgets.yaml && cargo xtask check",
    ),
    (
        "bundle::committed",
        "A command would write into a committed bundle.",
        "A committed bundle never changes. Use another folder or another version.",
        "cargo xtask generate --out bundles/v1.0.0",
    ),
    (
        "bundle::manifest",
        "The manifest of a bundle cannot be read.",
        "`bundle.yaml` is written by `release` and `import`. Restore it from git.",
        "echo 'a: b' > bundles/v1.0.0/bundle.yaml && cargo xtask check",
    ),
    (
        "bundle::no-files",
        "A folder contains no YAML or JSON file.",
        "Folders below the named one are not read. Name one of them.",
        "crd-channels diff bundles bundles/unreleased",
    ),
    (
        "bundle::channels",
        "Two bundles have no channel in common.",
        "Each channel is compared with the same channel only.",
        "crd-channels diff bundles/v1.0.0/standard bundles/v1.0.0/experimental",
    ),
    (
        "bundle::baseline",
        "A bundle cannot be the baseline.",
        "A baseline is a release below the candidate's version. Pre-releases are never used as a baseline.",
        "cargo xtask check --against v99.0.0",
    ),
    (
        "release::date",
        "No release date is known, or it is not valid.",
        "The date comes from the committed bundle, `--date`, `SOURCE_DATE_EPOCH`, or the last commit, in this order.",
        "SOURCE_DATE_EPOCH=now cargo xtask release v1.0.0",
    ),
    (
        "release::template",
        "A template in `templates/` cannot be used.",
        "Templates are UTF-8 text in the language of Jinja. An unknown name is an error.",
        "echo '{{ unknown }}' > templates/notes/release-notes.md && cargo xtask release v1.0.0",
    ),
    (
        "release::sbom",
        "The software bill of materials cannot be written.",
        "It lists the crates of `Cargo.lock`, which must be readable.",
        "echo x > Cargo.lock && target/debug/xtask release v1.0.0",
    ),
    (
        "release::publication",
        "The release cannot be written to its folders.",
        "Something else is in the place of `bundles/VERSION` or `dist`. Nothing was changed.",
        "mkdir dist && touch dist/notes.txt && cargo xtask release v1.0.0",
    ),
    (
        "release::version",
        "The version cannot follow the existing bundles.",
        "A bundle never follows a later one of its minor, and a release never starts an older minor series.",
        "cargo xtask release v1.0.0 (with bundles/v1.1.0)",
    ),
    (
        "release::findings",
        "`check` reports errors for the version.",
        "Fix or waive the findings, or release the version that they require.",
        "cargo xtask release v1.0.1 (after a field was removed)",
    ),
    (
        "release::major",
        "The change breaks users.",
        "A major bundle needs `--allow-major`, so that it is never released by accident.",
        "cargo xtask release v2.0.0",
    ),
    (
        "release::stale",
        "Committed files are out of date.",
        "`bundles/unreleased` must be what `generate` writes. Run it and commit the result.",
        "cargo xtask release v1.1.0 (after an edit without `generate`)",
    ),
    (
        "release::uncommitted",
        "A file that the release reads is not committed.",
        "A release contains committed files only, so that CI can build the same bytes at the tag.",
        "touch templates/notes/new.md && cargo xtask release v1.1.0",
    ),
    (
        "release::differs",
        "The released bundle differs from what would be released now.",
        "A released bundle never changes. Release the next version.",
        "cargo xtask release v1.0.0 (again, after an edit of the types)",
    ),
    (
        "release::in-the-way",
        "Something is in the place of files to write.",
        "The diagnostic names it. Nothing was changed.",
        "mkdir dist && touch dist/notes.txt && cargo xtask release v1.1.0",
    ),
    (
        "generate::stale",
        "Committed files are out of date.",
        "`generate --check` compares the committed files with the types. Exit code 3.",
        "cargo xtask generate --check (after an edit of a type)",
    ),
    (
        "page::stale",
        "A generated page is out of date.",
        "`--page FILE --check` compares the page with what would be written. Exit code 3.",
        "echo >> docs/rules.md && cargo xtask rules --page docs/rules.md --check",
    ),
    (
        "init::stale",
        "Files of the repository are missing or incomplete.",
        "`init --check` compares the repository with what `init` writes. Exit code 3.",
        "rm .pre-commit-config.yaml && cargo xtask init --check",
    ),
    (
        "git::state",
        "The state of the git repository cannot be read.",
        "`release` compares every file that it reads with the last commit.",
        "git config --unset core.repositoryformatversion",
    ),
    (
        "tombstone::exists",
        "The ledger already has a tombstone for this name.",
        "The ledger only grows, and each name is in it once.",
        "cargo xtask tombstones add --kind field … (twice)",
    ),
    (
        "tombstone::name",
        "The name of a tombstone is not a removed name.",
        "A tombstone is for a name that a bundle had and the types no longer have. The ledger keeps it for ever.",
        "cargo xtask tombstones add --kind field --crd widgets.example.com --path spec --name present …",
    ),
    ("usage::missing", "A required argument is missing.", "`--help` lists the arguments.", "crd-channels import crds/"),
    (
        "usage::standard-input",
        "Standard input is named twice.",
        "Only one of the two bundles can be `-`.",
        "crd-channels diff - -",
    ),
    ("usage::unknown-rule", "There is no such rule.", "`rules` lists all rules.", "crd-channels rules name-remove"),
    ("usage::unknown-code", "There is no such code.", "`explain` lists all codes.", "crd-channels explain nothing"),
    (
        "usage::unknown-subcommand",
        "There is no such subcommand.",
        "`--help` lists the subcommands.",
        "crd-channels man dif",
    ),
    ("usage::man", "The manual page cannot be written.", "This is a bug in this tool; please report it.", ""),
    (
        "usage::output",
        "Standard output cannot be written.",
        "A closed pipe is not an error; a full disk is.",
        "crd-channels markers > /dev/full",
    ),
    (
        "usage::without-bundles",
        "The program was built without a subcommand.",
        "`generate` is kept small. Cargo builds the other subcommands with the feature `bundles` on their first call.",
        "target/debug/xtask check",
    ),
    (
        "usage::cargo",
        "Cargo cannot be run.",
        "Some subcommands are built when they are called.",
        "PATH= cargo xtask check",
    ),
];
