//! The table of kube-api-linter's linters.

use std::collections::{BTreeMap, BTreeSet};

use crd_lint::linters::{LINTERS, Relation};
use crd_lint::{RULES, findings};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

use crate::example::channels;

#[test]
fn each_linter_that_applies_has_a_rule() {
    assert!(LINTERS.is_sorted_by(|one, other| one.name < other.name), "the table is sorted by name");
    for linter in LINTERS {
        let applies = linter.relation != Relation::NotApplicable;
        assert_eq!(linter.rules().next().is_some(), applies, "{}", linter.name);
    }
    let named = RULES.iter().flat_map(|rule| rule.linters).collect::<BTreeSet<_>>();
    let unknown = named.into_iter().filter(|name| !LINTERS.iter().any(|linter| linter.name == **name));
    assert_eq!(unknown.collect::<Vec<_>>(), [&""; 0]);
}

/// Of each linter, places that it and our conventions find: the project, whose newest archived release it is, the CRD, its version and the path.
const FOUND: [(&str, &str, &str, &str, &str); 13] = [
    ("arrayofstruct", "gateway-api", "httproutes.gateway.networking.k8s.io", "v1", "spec.rules"),
    ("conditions", "cluster-api", "machines.cluster.x-k8s.io", "v1beta1", "status.conditions"),
    ("integers", "gateway-api", "httproutes.gateway.networking.k8s.io", "v1", "spec.rules[*].retry.attempts"),
    ("jsontags", "argo-rollouts", "rollouts.argoproj.io", "v1alpha1", "status.HPAReplicas"),
    ("maxlength", "karpenter", "nodepools.karpenter.sh", "v1", "spec.disruption.budgets[*].duration"),
    ("minlength", "gateway-api", "httproutes.gateway.networking.k8s.io", "v1", "spec.rules[*].timeouts"),
    ("nobools", "cert-manager", "certificates.cert-manager.io", "v1", "spec.isCA"),
    ("nodurations", "cluster-api", "machines.cluster.x-k8s.io", "v1beta1", "spec.nodeDrainTimeout"),
    ("nomaps", "cert-manager", "certificaterequests.cert-manager.io", "v1", "spec.extra"),
    ("nonpointerstructs", "gateway-api", "httproutes.gateway.networking.k8s.io", "v1", "spec"),
    ("nophase", "cluster-api", "machines.cluster.x-k8s.io", "v1beta2", "status.phase"),
    ("ssatags", "argo-rollouts", "rollouts.argoproj.io", "v1alpha1", "status.conditions"),
    ("statusoptional", "gateway-api", "httproutes.gateway.networking.k8s.io", "v1", "status.parents"),
];

/// The versions of the newest archived releases, with which the proof compares.
const NEWEST: [(&str, &str); 5] = [
    ("argo-rollouts", "v1.9.0"),
    ("cert-manager", "v1.21.0"),
    ("cluster-api", "v1.13.0"),
    ("gateway-api", "v1.7.0/experimental"),
    ("karpenter", "v1.14.0"),
];

#[test]
fn places_that_linters_find_are_found() {
    for (linter, project, name, version, path) in FOUND {
        let (_, release) = NEWEST.iter().find(|(newest, _)| *newest == project).unwrap();
        let file = format!("{release}/{name}.json");
        let file = crd_testdata::history_files(project).find(|archived| archived.path == file).unwrap();
        let crd = CustomResourceDefinition::from_value(&file.json()).unwrap();
        let rules = LINTERS.iter().find(|row| row.name == linter).unwrap().rules().collect::<Vec<_>>();
        let found = findings(&rules, &channels(&[(Channel::Standard, crd)]), None, &BTreeMap::new());
        let mut places = found.iter().flat_map(|finding| &finding.places);
        assert!(places.any(|place| place.version == version && place.path == path), "{linter}: {path}");
    }
}
