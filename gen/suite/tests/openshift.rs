//! Suites of OpenShift: all of github.com/openshift/api, read from its Go module. Each case has the answer that its suite expects, or is listed in
//! `openshift/differences.yaml`, for which `xtask/testbed` asks a server.
//!
//! Invariants: the CRDs of a suite are those that `tests/crd_filter.go` of the repository chooses. Nothing of the module is copied.

mod selection;

use std::collections::BTreeSet;

use crd_model::channel::Channel;
use crd_model::parallel;
use crd_suite::{Kinds, run};
use selection::{Module, Run};

/// The texts of the suites are those of servers up to this minor; later ones show values in other ways.
const TEXTS: u32 = 33;
/// The newest minor.
const NEWEST: u32 = 37;
/// The message of a failure if only the text of a refusal differs.
const OTHER_REASON: &str = "the object is refused for another reason";
/// A suite that is not YAML. Go keeps the last of several values of a key, so OpenShift runs one of its three lists.
const UNREAD: [&str; 2] = [
    "operator/v1/tests/storages.operator.openshift.io/AAA_ungated.yaml:17: the key \"onCreate\" is already in this map, in line 5: remove one",
    "operator/v1/tests/storages.operator.openshift.io/AAA_ungated.yaml:31: the key \"onCreate\" is already in this map, in line 5: remove one",
];

#[test]
fn suites_of_openshift_have_the_answers_that_they_expect() {
    if !crd_testdata::is_proof() {
        eprintln!("skipped: `cargo xtask prove openshift` reads the suites of OpenShift from their Go module");
        return;
    }
    let (runs, unread) = Module::read().runs();
    assert_eq!(unread, UNREAD);
    let listed = selection::differences();
    let failures = parallel::each(&runs, |Run { suite, crd }| {
        let mut found = Vec::new();
        for minor in TEXTS..=NEWEST {
            let kinds = Kinds::prepare(std::slice::from_ref(crd), minor).unwrap();
            for (case, result) in suite.cases.iter().zip(run(suite, &kinds, Channel::Standard, minor)) {
                found.extend(result.failure.map(|failure| (minor, suite.file.clone(), case.name.clone(), failure)));
            }
        }
        found
    });
    let (mut differences, mut texts) = (BTreeSet::new(), [0; (NEWEST - TEXTS + 1) as usize]);
    for (minor, file, case, failure) in failures.iter().flatten() {
        assert_eq!(failure.message, OTHER_REASON, "{file}: {case} on 1.{minor}: {failure:?}");
        texts[(minor - TEXTS) as usize] += 1;
        if *minor == TEXTS {
            differences.insert((file.as_str(), case.as_str()));
            let known = listed.iter().find(|known| known.file == **file && known.case == **case);
            let is_listed = known.is_some_and(|known| failure.answer.contains(&known.answer));
            assert!(is_listed, "{file}: {case}: {failure:?}");
        }
    }
    let files = runs.iter().map(|run| &run.suite.file).collect::<BTreeSet<_>>();
    let crds = runs.iter().map(|run| &run.crd.name).collect::<BTreeSet<_>>();
    let names = runs.iter().flat_map(|run| run.suite.cases.iter().map(|case| (&run.suite.file, &case.name)));
    let (cases, requests) =
        (names.collect::<BTreeSet<_>>().len(), runs.iter().map(|run| run.suite.cases.len()).sum::<usize>());
    println!(
        "{} suites of {} CRDs: {cases} cases, {requests} requests with each CRD of a suite",
        files.len(),
        crds.len()
    );
    println!("other texts of refusals on 1.{TEXTS} to 1.{NEWEST}: {texts:?} requests; no other difference");
    assert_eq!(differences.len(), listed.len(), "a listed difference is gone");
    assert!(crds.len() >= 100 && cases >= 3000, "{} CRDs, {cases} cases", crds.len());
}
