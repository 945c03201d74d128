//! What each technique of proof and of witness search decides that no other one decides.
//!
//! Invariants: a technique that decides nothing alone is deleted. Leaving one out never decides a finding otherwise: what one proves, no other
//! one refutes.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use crd_compat::policy::Profile;
use crd_compat::witness::{NOT_SEARCHED, TOO_MUCH};
use crd_compat::{
    Channels, Comparison, Decision, Declared, Evidence, Prover, RequiredBump, TECHNIQUES, Technique, Witness,
};
use crd_model::channel::Channel;
use crd_model::{CustomResourceDefinition, parallel, yaml};
use serde_json::{Value, json};

use crate::rules::case::all_cases;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evidence/techniques.md");

/// What only the histories need, which a proof compares.
const BY_HISTORY: &[Technique] = &[
    Technique::Entries,
    Technique::Reversed,
    Technique::AcceptedByBoth,
    Technique::WholeObjects,
    Technique::RuleJudge,
];

/// A baseline and a candidate.
struct Pair {
    is_case: bool,
    old: Channels,
    new: Channels,
}

/// Each archived release and the one before it.
fn histories() -> impl Iterator<Item = Pair> {
    crd_testdata::HISTORIES.iter().flat_map(|project| {
        let mut releases: BTreeMap<Vec<u32>, Channels> = BTreeMap::new();
        for file in crd_testdata::history_files(project) {
            let (version, rest) = file.path.split_once('/').expect("a version");
            let numbers = version.split(|character: char| !character.is_ascii_digit());
            let numbers = numbers.filter_map(|number| number.parse().ok()).collect();
            let is_experimental = rest.starts_with("experimental/");
            let channel = if is_experimental { Channel::Experimental } else { Channel::Standard };
            let (crd, _) = CustomResourceDefinition::from_published(&file.json());
            releases.entry(numbers).or_default().entry(channel).or_default().push(Arc::new(crd));
        }
        let releases = releases.into_values().collect::<Vec<_>>();
        let pairs = releases.windows(2);
        pairs.map(|pair| Pair { is_case: false, old: pair[0].clone(), new: pair[1].clone() }).collect::<Vec<_>>()
    })
}

/// The verdict cases, and the cases of each rule and of each kind of witness.
fn cases() -> Vec<Pair> {
    let case = |[old, new]: [Value; 2]| {
        let channels = |crd: Value| {
            Channels::from([(Channel::Standard, vec![Arc::new(CustomResourceDefinition::from_published(&crd).0)])])
        };
        Pair { is_case: true, old: channels(old), new: channels(new) }
    };
    let read = |path: &Path| yaml::read(&fs::read_to_string(path).expect("a file")).expect("YAML").remove(0);
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folder = tests.join("../../../testdata/cases/diff");
    let mut folders =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>();
    folders.sort();
    let mut pairs = folders
        .iter()
        .map(|folder| case(["old.yaml", "new.yaml"].map(|side| read(&folder.join(side)))))
        .collect::<Vec<_>>();
    for pair in read(&tests.join("../../cli/tests/verdicts.yaml")).as_array().expect("a list") {
        pairs.push(case(["old", "new"].map(|side| crd_testdata::side_crd(&pair[side]))));
    }
    for pair in read(&tests.join("witnesses/pairs.yaml")).as_array().expect("a list") {
        let whole = |side: &str| {
            let schema = match pair["on"].as_str() {
                Some("root") => pair[side].clone(),
                Some(_) => json!({ "type": "object", "properties": { "spec": pair[side] } }),
                None => json!({ "type": "object", "properties": { "field": pair[side] } }),
            };
            crd_testdata::thing_crd(&schema, &json!({}))
        };
        pairs.push(case(["old", "new"].map(whole)));
    }
    for case in all_cases() {
        let bundles = case.columns().into_iter().map(|column| case.bundles(column));
        pairs.extend(bundles.map(|(old, new)| Pair { is_case: true, old, new }));
    }
    pairs
}

/// What decided each finding of a pair, which bump it requires, and its witness.
type Decided =
    BTreeMap<(Channel, String, Option<String>, String, String), (Option<Decision>, RequiredBump, Option<Witness>)>;

fn decided(pair: &Pair, prover: &Arc<Prover>, reasons: &mut BTreeMap<&'static str, usize>) -> Decided {
    let declared = Declared::default();
    let comparison = Comparison::new(&pair.old, &pair.new, Profile::Semver, &declared);
    let findings =
        Comparison { evidence: Evidence { witnesses: true, grounds: false }, prover: prover.clone(), ..comparison }
            .findings();
    let decided = findings.into_iter().map(|finding| {
        if let Some(Witness::None(reason @ (NOT_SEARCHED | TOO_MUCH))) = finding.witness {
            *reasons.entry(reason).or_default() += 1;
        }
        let decision = finding.decision();
        let values = format!("{:?} {:?}", finding.before, finding.after);
        (
            (finding.channel, finding.crd, finding.version, finding.path, values),
            (decision, finding.required_bump, finding.witness),
        )
    });
    decided.collect()
}

/// All pairs, compared with these techniques.
fn all_decided(pairs: &[Pair], prover: &Arc<Prover>) -> (Vec<Decided>, BTreeMap<&'static str, usize>) {
    let compared = parallel::each(pairs, |pair| {
        let mut reasons = BTreeMap::new();
        (decided(pair, prover, &mut reasons), reasons)
    });
    let mut all = BTreeMap::new();
    let decided = compared.into_iter().map(|(decided, reasons)| {
        reasons.into_iter().for_each(|(reason, count)| *all.entry(reason).or_default() += count);
        decided
    });
    (decided.collect(), all)
}

/// The findings that one run proves and the other refutes.
fn disagreements(words: &str, pairs: &[Pair], base: &[Decided], without: &[Decided]) -> Vec<String> {
    let mut found = Vec::new();
    for ((_, base), without) in pairs.iter().zip(base).zip(without) {
        for (key, (decision, _, witness)) in base {
            let Some((other, _, other_witness)) = without.get(key) else { continue };
            let both = [*decision, *other].into_iter().flatten().collect::<Vec<_>>();
            if let [Decision::Keyword | Decision::Rules | Decision::Schema, Decision::Witness]
            | [Decision::Witness, Decision::Keyword | Decision::Rules | Decision::Schema] = both[..]
            {
                found.push(format!("without {words}: {key:?}: {witness:?} and {other_witness:?}"));
            }
        }
    }
    found
}

/// What is decided by one technique alone, in the histories and in the cases.
struct Alone {
    technique: Technique,
    words: &'static str,
    found: [usize; 2],
}

/// The page with these counts.
fn page(counts: &BTreeMap<&str, [usize; 2]>, alone: &[Alone]) -> String {
    let mut page = String::from(
        "# Techniques\n\nWritten by `UPDATE_SNAPSHOTS=1 cargo xtask prove techniques`.\n\n\
         A finding about accepted objects is decided by a proof that no object is refused, or by an object that is refused.\n\
         *Releases* are those of nine projects, each compared with the one before it; *cases* are the pairs of CRDs of the tests.\n\n\
         | decided by | findings of releases | of cases |\n|---|--:|--:|\n",
    );
    let row = |words: &str, [history, cases]: [usize; 2]| format!("| {words} | {history} | {cases} |\n");
    page.extend(counts.iter().map(|(word, count)| row(word, *count)));
    page.push_str(
        "\n## What one technique decides alone\n\n\
         Without the technique, these findings are not decided, or their verdict is larger. No finding that is proven with all techniques\n\
         has a witness without one of them, and none with a witness is proven.\n\n\
         | technique | findings of releases | of cases |\n|---|--:|--:|\n",
    );
    page.extend(alone.iter().map(|Alone { words, found, .. }| row(words, *found)));
    page
}

#[test]
fn each_technique_decides_something_alone() {
    let mut pairs = cases();
    if crd_testdata::is_proof() {
        pairs.extend(histories());
    }
    let (base, reasons) = all_decided(&pairs, &Arc::default());
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (pair, decided) in pairs.iter().zip(&base) {
        for decision in decided.values().filter_map(|(decision, ..)| *decision) {
            counts.entry(decision.word()).or_default()[usize::from(pair.is_case)] += 1;
        }
    }
    reasons.iter().for_each(|(reason, count)| println!("{count:14}  {reason}"));
    let (mut measured, mut contradictions) = (Vec::new(), Vec::new());
    let is_measured = |technique: &Technique| crd_testdata::is_proof() || !BY_HISTORY.contains(technique);
    for (number, (technique, words)) in TECHNIQUES.into_iter().enumerate().filter(|(_, (known, _))| is_measured(known))
    {
        if crd_testdata::is_proof() {
            let _ = writeln!(std::io::stderr(), "{} of {}: {words}", number + 1, TECHNIQUES.len());
        }
        let (without, _) = all_decided(&pairs, &Prover::without(technique));
        contradictions.extend(disagreements(words, &pairs, &base, &without));
        let mut found = [0, 0];
        for ((pair, base), without) in pairs.iter().zip(&base).zip(&without) {
            let lost = base.iter().filter(|(key, (decision, bump, _))| {
                without.get(key).is_none_or(|(other, other_bump, _)| {
                    *other == Some(Decision::NotDecided) && *decision != *other || other_bump > bump
                })
            });
            found[usize::from(pair.is_case)] += lost.count();
        }
        measured.push(Alone { technique, words, found });
    }
    let page = page(&counts, &measured);
    println!("{page}");
    let is_needed = |Alone { technique, found, .. }: &&Alone| found[usize::from(!BY_HISTORY.contains(technique))] > 0;
    let useless = measured.iter().filter(|alone| !is_needed(alone)).map(|alone| alone.words).collect::<Vec<_>>();
    assert_eq!(useless, Vec::<&str>::new());
    assert_eq!(contradictions, Vec::<String>::new());
    if crd_testdata::is_proof() {
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            fs::write(PAGE, &page).expect("a page");
        }
        assert_eq!(
            fs::read_to_string(PAGE).expect("a page"),
            page,
            "run `UPDATE_SNAPSHOTS=1 cargo xtask prove techniques`"
        );
    }
}
