//! Rules that laws make equal (`crd_testdata::RulePair`) accept the same random objects, as Kubernetes' own libraries answer.
//!
//! Invariants: a rule whose evaluation fails refuses the object, as on a server. The libraries accept the CRD of each rule.

use crd_testdata::{Law, RulePair, laws};
use serde_json::{Value, json};

use crate::verdicts::libraries::{Libraries, is_accepted};

/// How many pairs of equal rules a proof compares.
const PAIRS: usize = 2_000;
/// Objects for each pair.
const OBJECTS: usize = 1_000;
/// The names of both CRDs.
const SIDES: [&str; 2] = ["left", "right"];

#[derive(Default)]
struct Tally {
    pairs: usize,
    /// Pairs with accepted and with refused objects.
    mixed: usize,
    objects: usize,
    accepted: usize,
    /// An object of each pair whose rules differ, with both answers.
    differences: Vec<String>,
}

impl Tally {
    /// Compares the answers about the objects of a pair.
    fn compare(&mut self, libraries: &mut Libraries, mut pair: RulePair<'_>) {
        let objects = pair.objects(OBJECTS);
        for ((id, crd), rule) in SIDES.into_iter().zip(pair.crds()).zip(&pair.rules) {
            let errors = libraries.define(id, &crd);
            assert!(errors.is_empty(), "{rule}\n{errors:?}");
        }
        let [left, right] = SIDES
            .map(|id| libraries.ask(objects.iter().map(|object| json!({ "crd": id, "version": "v1", "new": object }))));
        let accepted = left.iter().filter(|answer| is_accepted(answer)).count();
        self.pairs += 1;
        self.mixed += usize::from(accepted > 0 && accepted < objects.len());
        self.objects += objects.len();
        self.accepted += accepted;
        let answers = || objects.iter().zip(left.iter().zip(&right));
        let is_different = |(_, (left, right)): &(&Value, (&Value, &Value))| is_accepted(left) != is_accepted(right);
        if let Some((object, (left, right))) = answers().find(is_different) {
            self.differences.push(format!(
                "{:?}: {} of {} objects\n  {}\n  {}\n  {object}\n  left: {}\n  right: {}",
                pair.laws,
                answers().filter(is_different).count(),
                objects.len(),
                pair.rules[0],
                pair.rules[1],
                left["errors"],
                right["errors"],
            ));
        }
    }
}

/// Compares the pairs of these numbers.
fn tally(laws: &[Law], numbers: &[usize]) -> Tally {
    let (mut libraries, mut tally) = (Libraries::start(), Tally::default());
    for number in numbers {
        tally.compare(&mut libraries, RulePair::equal(laws, *number));
    }
    tally
}

#[test]
fn libraries_answer_alike_about_rules_that_laws_make_equal() {
    if !crate::oracle::is_available() {
        return;
    }
    let laws = laws();
    let numbers = (0..crd_testdata::sample(PAIRS)).collect::<Vec<_>>();
    let tallies = std::thread::scope(|scope| {
        let halves = numbers.chunks(numbers.len().div_ceil(2));
        let threads = halves.map(|half| scope.spawn(|| tally(&laws, half))).collect::<Vec<_>>();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>()
    });
    let sum = |of: fn(&Tally) -> usize| tallies.iter().map(of).sum::<usize>();
    let differences = tallies.iter().flat_map(|tally| &tally.differences).map(String::as_str).collect::<Vec<_>>();
    println!(
        "{} laws; {} pairs, {} of them with accepted and refused objects; {} objects, {} of them accepted; {} pairs differ",
        laws.len(),
        sum(|tally| tally.pairs),
        sum(|tally| tally.mixed),
        sum(|tally| tally.objects),
        sum(|tally| tally.accepted),
        differences.len(),
    );
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(sum(|tally| tally.mixed) * 2 > numbers.len(), "the pairs test nothing");
}
