//! Second opinions: `diff` on pairs of CRDs that ask what the tests of crdify and crd-schema-checker ask (`opinions.yaml`), compared with
//! their answers.
//!
//! `docs/evidence/second-opinions.md` is written from it; `UPDATE_SNAPSHOTS=1` writes it again.
//!
//! Invariants: what crdify answers is measured on the pairs as they are (`opinions.tsv`). A difference has a reason and evidence: where only
//! `diff` refuses a change, a witness, a lost value, or a row of the policy that is not about accepted objects; where only another tool
//! refuses it, no finding may refuse an object, and each one about objects is proven. `xtask/testbed/tests/proofs/opinions.rs` sends the
//! objects to a server.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crd_channels_cli::Exit;
use crd_compat::RequiredBump;
use crd_model::yaml;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::{Place, things};

const PAIRS: &str = include_str!("opinions.yaml");
const CRDIFY: &str = include_str!("opinions.tsv");
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evidence/second-opinions.md");
const UPDATE: &str = "UPDATE_SNAPSHOTS=1 cargo test -p crd-channels-cli --test tests opinions";
const MEASURE: &str = "cd xtask/benches/side_by_side/crdify && go run . > ../../../../gen/cli/tests/opinions.tsv";

/// What decides what a change does to objects without asking them.
const PROOFS: [&str; 3] = ["keyword", "rules", "schema"];

/// A pair, and what the tools answer.
struct Opinion {
    pair: Value,
    verdict: RequiredBump,
    findings: Vec<Value>,
    /// The validations of crdify that report an error.
    crdify: Vec<&'static str>,
    /// The tests of crd-schema-checker that ask this, and whether they expect an error.
    checker: Vec<(bool, String)>,
}

impl Opinion {
    fn text(&self, key: &str) -> &str {
        self.pair[key].as_str().unwrap_or_default()
    }

    fn refuses(&self) -> bool {
        self.verdict > RequiredBump::Minor
    }

    /// Whether each tool that was asked refuses the change.
    fn others(&self) -> BTreeMap<&'static str, bool> {
        let checker = self.checker.iter().map(|(refuses, _)| *refuses).reduce(|one, other| one || other);
        let checker = checker.map(|refuses| ("crd-schema-checker", refuses));
        [("crdify", !self.crdify.is_empty())].into_iter().chain(checker).collect()
    }

    fn differs(&self) -> bool {
        self.others().values().any(|refuses| *refuses != self.refuses())
    }

    /// The findings that a minor does not permit.
    fn refusing(&self) -> impl Iterator<Item = &Value> {
        self.findings.iter().filter(|finding| bump(&finding["effectiveBump"]) > RequiredBump::Minor)
    }

    /// What shows that `diff` is right where another tool disagrees, or what is missing.
    fn evidence(&self) -> Result<String, String> {
        if let Some(refusal) = self.pair.get("crd-refused") {
            let place = Place::new();
            place.write("new.json", crd_testdata::side_crd(&self.pair["new"]).to_string());
            place.write("object.json", r#"{"apiVersion": "q.example.com/v1", "kind": "T", "metadata": {"name": "a"}}"#);
            let ran = place.run(&things(), &["validate", "object.json", "--crds", "new.json"]);
            return match ran.exit {
                Exit::Unusable => Ok(format!("a server refuses the new CRD: {}", refusal.as_str().unwrap_or_default())),
                _ => Err(format!("`validate` takes the new CRD: {ran:?}")),
            };
        }
        if !self.refuses() {
            let is_open = |finding: &&Value| {
                let is_proven = PROOFS.iter().any(|proof| finding["decidedBy"] == *proof);
                !finding["witness"].is_null() || !finding["direction"].is_null() && !is_proven
            };
            if let Some(open) = self.findings.iter().find(is_open) {
                return Err(format!("no proof that no object is refused: {open}"));
            }
            let proven = self.findings.iter().filter_map(|finding| finding["decidedBy"].as_str());
            let proven = proven.collect::<BTreeSet<_>>();
            return Ok(match proven.is_empty() {
                true => "no finding is about accepted objects".to_owned(),
                false => format!("proven by the {}", proven.into_iter().collect::<Vec<_>>().join(" and the ")),
            });
        }
        if let Some(witness) = self.refusing().find(|finding| finding["witness"]["object"].is_object()) {
            return Ok(format!("`spec: {}` is refused", witness["witness"]["object"]["spec"]));
        }
        if let Some(lost) = self.pair.get("lost") {
            let through = lost["through"].as_str().unwrap_or_default();
            return match self.refusing().any(|finding| finding["rule"] == "versions-differ") {
                true => Ok(format!("`spec: {}` is lost when it is written through {through}", lost["spec"])),
                false => Err("no finding is about lost values".to_owned()),
            };
        }
        // A change of type is refused whether or not values fit.
        let is_about_objects = |finding: &&Value| {
            matches!(finding["direction"].as_str(), Some("tightened" | "neither")) && finding["rule"] != "type-changed"
        };
        match self.refusing().find(is_about_objects) {
            Some(finding) => Err(format!("no witness: {finding}")),
            None => {
                let rules =
                    self.refusing().map(|finding| format!("`{}`", finding["rule"].as_str().unwrap_or_default()));
                Ok(format!(
                    "policy: {}; no object is refused",
                    rules.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
                ))
            }
        }
    }
}

fn bump(value: &Value) -> RequiredBump {
    RequiredBump::named(value.as_str().unwrap_or_default()).unwrap()
}

/// The first line of the measurement, and what crdify answers to each case.
fn measured() -> (&'static str, BTreeMap<&'static str, Vec<&'static str>>) {
    let (head, lines) = CRDIFY.split_once('\n').unwrap();
    let row = |line: &'static str| {
        let (case, found) = line.split_once('\t').unwrap();
        (case, found.split(", ").filter(|name| *name != "-").collect())
    };
    (head, lines.lines().map(row).collect())
}

fn opinions() -> Vec<Opinion> {
    let place = Place::new();
    let mut crdify = measured().1;
    let documents = yaml::read(PAIRS).unwrap();
    let opinion = |pair: &Value| {
        let case = pair["case"].as_str().unwrap();
        for side in ["old", "new"] {
            place.write(&format!("{side}.json"), crd_testdata::side_crd(&pair[side]).to_string());
        }
        let line = ["diff", "old.json", "new.json", "--channel", "standard", "--witness", "--format", "json"];
        let ran = place.run(&things(), &line);
        // A candidate that no server takes is not compared.
        let is_refused = ran.exit == Exit::Unusable;
        assert!(!is_refused || !ran.out.contains("\"errors\":[]"), "{case}: {ran:?}");
        let document: Value = serde_json::from_str(&ran.out).unwrap();
        let checker = pair["checker"].as_array().into_iter().flatten().map(|test| {
            let (answer, test) = test.as_str().unwrap().split_once(' ').unwrap();
            assert!(["accepts", "refuses"].contains(&answer), "{case}: {answer}");
            (answer == "refuses", test.to_owned())
        });
        Opinion {
            verdict: if is_refused { RequiredBump::Waiver } else { bump(&document["verdict"]) },
            findings: match is_refused {
                true => vec![json!({"rule": "not-installable", "effective": "finding"})],
                false => {
                    let findings = document["findings"].as_array().unwrap().iter();
                    findings.filter(|finding| finding["known"] == false).cloned().collect()
                }
            },
            crdify: crdify.remove(case).unwrap_or_else(|| panic!("{case} is not measured: {MEASURE}")),
            checker: checker.collect(),
            pair: pair.clone(),
        }
    };
    let opinions = documents[0].as_array().unwrap().iter().map(opinion).collect();
    assert!(crdify.is_empty(), "these cases are gone: {crdify:?}: {MEASURE}");
    opinions
}

#[test]
fn the_answers_of_crdify_are_about_these_pairs() {
    let is_of_pair = |line: &&str| ["- case:", "  config:", "  old:", "  new:"].iter().any(|key| line.starts_with(key));
    let digest = Sha256::digest(PAIRS.split_inclusive('\n').filter(is_of_pair).collect::<String>());
    let digest = digest.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    let (head, _) = measured();
    assert_eq!(head, format!("# crdify v0.6.0, pairs {digest}"), "measure again: {MEASURE}");
}

#[test]
fn each_difference_has_a_reason_and_evidence() {
    let mut faults = Vec::new();
    let opinions = opinions();
    for opinion in &opinions {
        let (case, ours) = (opinion.text("case"), opinion.text("ours"));
        let verdict = opinion.verdict.word();
        if verdict != ours {
            faults.push(format!("{case}: {verdict}, not {ours}: {:?}", opinion.findings));
        }
        match (opinion.differs(), opinion.pair.get("why")) {
            (true, None) => {
                faults.push(format!("{case}: a difference without a reason: {verdict} and {:?}", opinion.others()))
            }
            (false, Some(_)) => faults.push(format!("{case}: a reason without a difference")),
            (true, Some(_)) => faults.extend(opinion.evidence().err().map(|fault| format!("{case}: {fault}"))),
            (false, None) => {}
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // Each tool is asked about both forms.
    for tool in ["crdify", "crd-schema-checker"] {
        for refuses in [true, false] {
            let count = opinions.iter().filter(|opinion| opinion.others().get(tool) == Some(&refuses)).count();
            assert!(count >= 20, "{tool} {refuses}: {count}");
        }
    }
}

/// The rows of a section: the pairs in which `diff` alone, or another tool alone, refuses the change.
fn section(page: &mut String, opinions: &[Opinion], ours: bool) {
    page.push_str(
        "\n| pair | crdify | crd-schema-checker | verdict | evidence | reason |\n|---|---|---|---|---|---|\n",
    );
    for opinion in opinions.iter().filter(|opinion| opinion.differs() && opinion.refuses() == ours) {
        let crdify = match &*opinion.crdify {
            [] => "accepts".to_owned(),
            validations => validations.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        };
        let checker = opinion.checker.iter().map(|(refuses, test)| match refuses {
            true => format!("`{}`", test.split(' ').next().unwrap_or_default()),
            false => "accepts".to_owned(),
        });
        let checker = checker.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ");
        let evidence = opinion.evidence().unwrap_or_else(|fault| fault);
        let row =
            [opinion.text("case"), &crdify, &checker, &opinion.verdict.to_string(), &evidence, opinion.text("why")];
        writeln!(page, "| {} |", row.join(" | ")).unwrap();
    }
}

fn page() -> String {
    let opinions = opinions();
    let mut page = format!(
        "# Second opinions\n\n\
         Written by `{UPDATE}`.\n\n\
         Two other tools compare CRDs: [crdify](https://github.com/kubernetes-sigs/crdify) and\n\
         [crd-schema-checker](https://github.com/openshift/crd-schema-checker). [{} pairs of CRDs](../../gen/cli/tests/opinions.yaml) ask what their\n\
         own tests ask, each in its compatible and its incompatible form.\n\n\
         * *crdify* v0.6.0 was run on each pair: [the program](../../xtask/benches/side_by_side/crdify/main.go). It refuses a pair if a validation\n\
         \x20 reports an error.\n\
         * *crd-schema-checker* was not run: its Go module could not be downloaded. Its column is what its tests of single comparators expect.\n\
         * `diff --witness` refuses a pair if the verdict is larger than *minor*. The profile is `semver`.\n\n\
         A test sends the objects below to an API server, and objects of each old CRD where only another tool refuses the pair.\n\n\
         | tool | pairs | same answer | only the tool refuses | only `diff` refuses |\n|---|--:|--:|--:|--:|\n",
        opinions.len(),
    );
    for tool in ["crdify", "crd-schema-checker"] {
        let asked = opinions.iter().filter_map(|opinion| Some((*opinion.others().get(tool)?, opinion.refuses())));
        let asked = asked.collect::<Vec<_>>();
        let count = |answers: &[(bool, bool)]| asked.iter().filter(|answer| answers.contains(answer)).count();
        let [same, theirs, ours] = [&[(true, true), (false, false)][..], &[(true, false)], &[(false, true)]].map(count);
        writeln!(page, "| {tool} | {} | {same} | {theirs} | {ours} |", asked.len()).unwrap();
    }
    page.push_str("\n## Only `diff` refuses\n");
    section(&mut page, &opinions, true);
    page.push_str("\n## Only another tool refuses\n");
    section(&mut page, &opinions, false);
    page
}

#[test]
fn the_page_is_written_from_the_answers() {
    let page = page();
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(PAGE, page).unwrap();
        return;
    }
    let written = fs::read_to_string(Path::new(PAGE)).unwrap_or_default();
    assert_eq!(written, page, "docs/evidence/second-opinions.md is out of date: {UPDATE}");
}
