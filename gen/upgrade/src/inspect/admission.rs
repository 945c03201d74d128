//! What the admission policies of the cluster answer to the CRDs of a target, and which way they accept; and what the owners of the CRDs do.
//!
//! Invariants: the CRD of a request is the installed one with the target's spec, annotations and labels, as a server merges it. A way is named only if the policies
//! accept it by the same evaluation. One installed document is in memory at a time, with those that are parameters of policies.

use std::collections::{BTreeMap, BTreeSet};

use crd_apiserver::admission::{Answer, Bound, Request};
use crd_bundle::{BUNDLE_VERSION, CHANNEL};
use crd_cluster::{Binding, Cluster, Policies, Policy};
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use serde_json::{Value, json};

use crate::inspect::known::{compared, filled};
use crate::inspect::report::Report;
use crate::inspect::target::{NEWEST_MINOR, Resolved};
use crate::inspect::{codes, owners};

/// The policies of a cluster, with what they read.
struct Guards<'g> {
    bound: Vec<(&'g Policy, &'g Binding)>,
    params: BTreeMap<String, Value>,
    minor: u32,
}

/// An answer of a policy and a binding that acts. What is accepted or only recorded is left out.
struct Decision<'g> {
    policy: &'g str,
    binding: &'g str,
    answer: Answer,
    /// Whether the binding refuses; otherwise it warns.
    is_denied: bool,
}

/// A CRD of the target, and what it is installed over.
struct Change<'c> {
    target: &'c Resolved,
    crd: &'c CustomResourceDefinition,
    prefix: &'c str,
    installed: Option<&'c Value>,
}

/// Adds what happens to the CRDs of the target before any object is concerned.
pub(crate) async fn check(cluster: &Cluster, policies: &Policies, target: Option<&Resolved>, report: &mut Report) {
    let Some(target) = target else { return };
    let guards = Guards::read(cluster, policies, &mut report.failures).await;
    for crd in &target.crds {
        let of_crd = report.crds.iter_mut().find(|of_crd| *of_crd.name == *crd.name);
        let installed = match &of_crd {
            // A CRD that is gone in the meantime is not read.
            Some(_) => match read(cluster, &crd.name, &mut report.failures).await {
                None => continue,
                installed => installed,
            },
            None => None,
        };
        let change = Change { target, crd, prefix: &report.prefix, installed: installed.as_ref() };
        let located = |finding: Diagnostic| finding.of_crd(&*crd.name, None, "");
        match of_crd.zip(installed.as_ref()) {
            Some((of_crd, installed)) => {
                of_crd.findings.extend(guards.findings(&change).into_iter().map(located));
                if change.changes_spec() || change.changes_stamps() {
                    let sent = change.sent(crd, target.channel);
                    of_crd.findings.extend(owners::take_over(&mut of_crd.owners, installed, &sent).map(located));
                }
            }
            None => report.findings.extend(guards.findings(&change).into_iter().map(located)),
        }
    }
}

/// The document of a CRD, if it is installed. Adds a failure if it cannot be read.
async fn read(cluster: &Cluster, name: &str, failures: &mut Vec<Diagnostic>) -> Option<Value> {
    let found = cluster.crd(name).await.map_err(|failure| failures.push(failure)).ok()?;
    found.map(|(_, document)| document)
}

impl<'g> Guards<'g> {
    async fn read(cluster: &Cluster, policies: &'g Policies, failures: &mut Vec<Diagnostic>) -> Self {
        let of = |policy: &'g Policy| {
            policies.bindings_of(&policy.metadata.name).into_iter().flatten().map(move |binding| (policy, binding))
        };
        let bound = policies.policies.iter().flatten().flat_map(of).collect::<Vec<_>>();
        let mut params = BTreeMap::new();
        let names = bound.iter().filter_map(|(policy, binding)| bound_of(policy, binding).param());
        for name in names.collect::<BTreeSet<_>>() {
            params.extend(read(cluster, name, failures).await.map(|param| (name.to_owned(), param)));
        }
        Self { bound, params, minor: cluster.server().minor.unwrap_or(NEWEST_MINOR) }
    }

    fn decisions(&self, object: &Value, old: Option<&Value>) -> Vec<Decision<'g>> {
        let request = Request { object, old, minor: self.minor };
        let decision = |(policy, binding): &(&'g Policy, &'g Binding)| {
            let acts = |action: &str| binding.spec.validation_actions.iter().any(|own| own == action);
            let answer = bound_of(policy, binding).answer(&request, &self.params);
            let is_denied = acts("Deny");
            let is_shown = match answer {
                Answer::Accepted => false,
                Answer::Refused(_) => is_denied || acts("Warn"),
                Answer::Undecided(..) => is_denied,
            };
            let (policy, binding) = (&*policy.metadata.name, &*binding.metadata.name);
            is_shown.then_some(Decision { policy, binding, answer, is_denied })
        };
        self.bound.iter().filter_map(decision).collect()
    }

    fn findings(&self, change: &Change<'_>) -> Vec<Diagnostic> {
        let candidate = change.candidate(change.crd, change.target.channel);
        let decisions = self.decisions(&candidate, change.installed);
        let refusing =
            decisions.iter().filter(|decision| decision.is_denied && matches!(decision.answer, Answer::Refused(_)));
        let refusing = refusing.map(|decision| decision.policy).collect::<BTreeSet<_>>();
        let name = &change.target.name;
        let finding = |Decision { policy, binding, answer, is_denied }: &Decision<'_>| match answer {
            Answer::Accepted => None,
            Answer::Refused(message) => {
                let words = format!("ValidatingAdmissionPolicy '{policy}' with binding '{binding}'");
                Some(match is_denied {
                    true => codes::POLICY_REFUSES
                        .finding(format!("the server refuses the CRD of {name}: {words} denied request: {message}"))
                        .help(self.way(change, &candidate, &refusing)),
                    false => codes::POLICY_WARNS.finding(format!(
                        "the server warns about the CRD of {name}: Validation failed for {words}: {message}"
                    )),
                })
            }
            Answer::Undecided(why, printed) => {
                let printed = printed.as_ref().map(|text| format!("; it may print: {text}")).unwrap_or_default();
                let message =
                    format!("whether the policy {policy} refuses the CRD of {name} is not decided: {why}{printed}");
                let help = "try it: `kubectl apply --server-side --dry-run=server`";
                Some(codes::POLICY_UNDECIDED.finding(message).help(help))
            }
        };
        decisions.iter().filter_map(finding).collect()
    }

    /// The first way that the policies accept: the stamps of the target, its other channel, or without those that refuse.
    fn way(&self, change: &Change<'_>, candidate: &Value, refusing: &BTreeSet<&str>) -> String {
        let is_accepted = |object: &Value, without: &BTreeSet<&str>| {
            let decisions = self.decisions(object, change.installed);
            decisions.iter().all(|decision| !decision.is_denied || without.contains(decision.policy))
        };
        let Change { target, crd, .. } = change;
        let mut stamped = candidate.clone();
        let stamps = change.stamps(target.channel);
        stamps.iter().for_each(|(key, value)| stamped["metadata"]["annotations"][key] = value.as_str().into());
        if stamped != *candidate && is_accepted(&stamped, &BTreeSet::new()) {
            let stamps = stamps.iter().map(|(key, value)| format!("`{key}: {value}`")).collect::<Vec<_>>();
            return format!("annotate the CRD of the target with {}", stamps.join(" and "));
        }
        let accepts = |other: &CustomResourceDefinition, channel| {
            is_accepted(&change.candidate(other, channel), &BTreeSet::new())
        };
        for (channel, crds) in &target.others {
            if crds.iter().any(|other| other.name == crd.name && accepts(other, *channel)) {
                return format!("install the channel {} of the same bundle, which the policies accept", channel.name());
            }
        }
        let names = refusing.iter().copied().collect::<Vec<_>>().join(" ");
        match is_accepted(candidate, refusing) {
            true => format!(
                "to do it on purpose: `kubectl delete validatingadmissionpolicy {names}`, install the target, and apply the policy again"
            ),
            false => "ask the owners of the policies: to delete those that refuse is not enough".to_owned(),
        }
    }
}

fn bound_of<'p>(policy: &'p Policy, binding: &'p Binding) -> Bound<'p> {
    let (match_resources, param_ref) = (&binding.spec.match_resources, &binding.spec.param_ref);
    Bound { policy: &policy.spec, match_resources, param_ref }
}

impl Change<'_> {
    /// The stamps of the target; none if it has no version.
    fn stamps(&self, channel: Channel) -> Vec<(String, String)> {
        let stamp = |(stamp, value)| (format!("{}/{stamp}", self.prefix), value);
        let stamps = |version| [(BUNDLE_VERSION, version), (CHANNEL, channel.name().to_owned())].map(stamp);
        self.target.version.into_iter().flat_map(|version| stamps(version.to_string())).collect()
    }

    /// The CRD as a client sends it. Known bundles are kept without stamps.
    fn sent(&self, crd: &CustomResourceDefinition, channel: Channel) -> Value {
        let mut document = crd.to_value();
        for (key, value) in self.stamps(channel).into_iter().filter(|_| self.target.is_known) {
            document["metadata"]["annotations"][key] = value.into();
        }
        document
    }

    /// The CRD as the server would store it.
    fn candidate(&self, crd: &CustomResourceDefinition, channel: Channel) -> Value {
        let mut sent = self.sent(crd, channel);
        let mut object = match self.installed {
            Some(installed) => installed.clone(),
            None => {
                let stored = crd.storage().map(|version| version.name.to_string());
                let names = json!({"plural": "", "kind": ""});
                sent["status"] =
                    json!({"conditions": null, "acceptedNames": names, "storedVersions": Vec::from_iter(stored)});
                sent.clone()
            }
        };
        for part in ["annotations", "labels"] {
            for (key, value) in sent["metadata"][part].as_object().into_iter().flatten() {
                object["metadata"][part][key] = value.clone();
            }
        }
        let generation = object["metadata"]["generation"].as_i64().unwrap_or_default();
        object["metadata"]["generation"] = generation.saturating_add(self.changes_spec().into()).into();
        object["spec"] = filled(crd.clone()).to_value()["spec"].take();
        object["spec"]["conversion"] = crd.conversion.clone().unwrap_or_else(|| json!({"strategy": "None"}));
        object
    }

    fn changes_spec(&self) -> bool {
        let Some(installed) = self.installed else { return true };
        let (installed, _) = CustomResourceDefinition::from_published(installed);
        // Known bundles have no texts.
        let changes_texts = !self.target.is_known && self.crd.versions != installed.versions;
        changes_texts || compared(self.crd) != compared(&installed)
    }

    fn changes_stamps(&self) -> bool {
        let sent = self.sent(self.crd, self.target.channel);
        let mut stamps = sent["metadata"]["annotations"].as_object().into_iter().flatten();
        stamps.any(|(key, value)| {
            self.installed.is_none_or(|installed| installed["metadata"]["annotations"].get(key) != Some(value))
        })
    }
}
