//! Rules that are rewritten by laws are equal, and rules that differ have a witness.
//!
//! `testdata/laws.tsv` lists the laws. Each pair of rules applies one law, or three inside each other; the sides of half of the pairs are then
//! made to differ. A server's answer about random objects decides whether they do.

use std::sync::Arc;

use crd_apiserver::objects::{FieldValidation, MINORS, Request, Resource};
use crd_compat::{Channels, Comparison, Declared, Evidence, RequiredBump, Witness, policy::Profile};
use crd_model::channel::Channel;
use crd_model::{CustomResourceDefinition, parallel};
use crd_testdata::{RulePair, laws};
use serde_json::Value;

const PAIRS: usize = 2_000;
/// Objects for each pair.
const OBJECTS: usize = 200;

/// The least percentages of equal pairs that are decided, and of other pairs that have a witness.
const DECIDED: [usize; 2] = [98, 98];

/// Whether each object is accepted; none if a server refuses the CRD.
fn accepted(crd: &CustomResourceDefinition, objects: &[Value]) -> Option<Vec<bool>> {
    let server = Resource::prepare(crd, "v1", MINORS.1)?.ok()?;
    let is_accepted =
        |object: &Value| server.answer(Request::create(object.clone()).fields(FieldValidation::Ignore)).is_accepted();
    Some(objects.iter().map(is_accepted).collect())
}

/// The largest bump that the change needs, and whether an object shows it.
fn verdict(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> (RequiredBump, bool) {
    let channels = |crd: &CustomResourceDefinition| Channels::from([(Channel::Standard, vec![Arc::new(crd.clone())])]);
    let (old, new) = (channels(old), channels(new));
    let declared = Declared::default();
    let comparison = Comparison::new(&old, &new, Profile::Semver, &declared);
    let findings = Comparison { evidence: Evidence { witnesses: true, grounds: false }, ..comparison }.findings();
    let bump = findings.iter().map(|finding| finding.required_bump).max().unwrap_or(RequiredBump::Patch);
    (bump, findings.iter().any(|finding| matches!(finding.witness, Some(Witness::Object(_)))))
}

#[test]
fn rewritten_rules_are_equal_and_others_have_a_witness() {
    let laws = laws();
    let pairs = crd_testdata::sample(PAIRS);
    let numbers = (0..pairs * 2).collect::<Vec<_>>();
    // Each pair, and whether it is decided as it should be; `None` for a pair that tests nothing.
    let outcomes = parallel::each(&numbers, |number| {
        let is_equal = number % 2 == 0;
        let mut pair =
            if is_equal { RulePair::equal(&laws, number / 2) } else { RulePair::differing(&laws, number / 2)? };
        let objects = pair.objects(OBJECTS);
        let RulePair { laws, rules: [left, right], .. } = &pair;
        let [old, new] = pair.crds().map(|crd| CustomResourceDefinition::from_published(&crd).0);
        let [by_old, by_new] = [&old, &new].map(|crd| accepted(crd, &objects));
        let (Some(by_old), Some(by_new)) = (by_old, by_new) else {
            assert!(!is_equal, "no server has these rules:\n{left}\n{right}");
            return None;
        };
        if is_equal {
            assert!(by_old == by_new, "{laws:?} are not laws:\n{left}\n{right}");
            let is_decided =
                [(&old, &new), (&new, &old)].into_iter().all(|(old, new)| verdict(old, new).0 <= RequiredBump::Minor);
            return Some((pair, is_decided));
        }
        let broken = by_old.iter().zip(&by_new).position(|(old, new)| *old && !*new)?;
        let (bump, has_witness) = verdict(&old, &new);
        assert!(bump > RequiredBump::Minor, "refused, and permitted: {}\n{left}\n{right}", objects[broken]);
        Some((pair, has_witness))
    });
    // Right and undecided pairs, equal and differing ones.
    let mut counts = [[0_usize; 2]; 2];
    for (number, outcome) in outcomes.iter().enumerate() {
        let is_differing = number % 2;
        let Some((RulePair { laws, rules: [left, right], .. }, is_right)) = outcome else { continue };
        counts[is_differing][usize::from(!is_right)] += 1;
        if !is_right {
            println!("{} {laws:?}\n  {left}\n  {right}", ["not proven equal:", "no witness:"][is_differing]);
        }
    }
    let [equal, differing] = counts;
    println!(
        "{} laws; equal: {} of {}; with a witness: {} of {}",
        laws.len(),
        equal[0],
        equal[0] + equal[1],
        differing[0],
        differing[0] + differing[1]
    );
    for ([right, undecided], least) in counts.into_iter().zip(DECIDED) {
        assert!(right > 0 && right * 100 >= (right + undecided) * least, "{right} of {}", right + undecided);
    }
}
