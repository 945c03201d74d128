//! Witnesses of `diff`, compared with a real API server: a witness is accepted by the one side and refused by the other, at the location of
//! the finding.
//!
//! Invariants: every CRD is installed in its own API group, so that both sides of a pair are installed together. All versions are served.
//! Objects are sent as dry runs. A status is written to an object without one, because a create does not validate it.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::iter::StepBy;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crd_channels::Channel;
use crd_compat::policy::Profile;
use crd_compat::{Channels, Comparison, Declared, Evidence, Finding, STATES, Witness, states};
use crd_model::crd::{Names, Scope, Version};
use crd_model::{CustomResourceDefinition, Schema, yaml};
use kube::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::requests::{Answer, CRDS, create_namespace, send, wait_for};
use crate::server::{Crds, Server, server};

const PAIRS: &str = include_str!("../../../../gen/compat/tests/witnesses/pairs.yaml");
pub(crate) const NAMESPACE: &str = "witnesses";
const DOMAIN: &str = "witnesses.example.com";
/// The number of concurrent requests.
const CONCURRENT_REQUESTS: usize = 8;

/// A bundle, and its name in API groups.
pub(crate) struct Bundle {
    pub(crate) word: String,
    pub(crate) channels: Channels,
}

/// An object that is sent to the server for both sides of a pair.
pub(crate) struct Trial {
    /// For messages.
    pub(crate) what: String,
    pub(crate) object: Value,
    /// The schema path of its finding.
    pub(crate) path: String,
    /// Whether only its status is refused.
    pub(crate) is_status: bool,
    pub(crate) old: Seat,
    pub(crate) new: Seat,
    /// The unique name of the object.
    pub(crate) name: String,
}

/// A version of a CRD in the API group of its bundle.
#[derive(Clone)]
pub(crate) struct Seat {
    /// The bundle, the channel and the CRD.
    key: (String, Channel, String),
    pub(crate) api_version: String,
    pub(crate) collection: String,
    pub(crate) has_status: bool,
}

/// The answers of the server for an object, on both sides.
pub(crate) struct Verdict {
    pub(crate) old: Answer,
    pub(crate) new: Answer,
}

impl Bundle {
    /// The API group of an installed CRD. Two groups of a bundle may have CRDs with the same plural.
    fn group(&self, channel: Channel, crd: &CustomResourceDefinition) -> String {
        format!("{}.{}-{}.{DOMAIN}", crd.group, self.word, channel.name())
    }

    fn crd(&self, channel: Channel, name: &str) -> &CustomResourceDefinition {
        let mut crds = self.channels[&channel].iter();
        crds.find(|crd| *crd.name == *name).expect("a finding is about a CRD that there is")
    }

    /// Where objects of this version are sent.
    pub(crate) fn seat(&self, channel: Channel, name: &str, version: &str) -> Seat {
        let crd = self.crd(channel, name);
        let version = crd.versions.iter().find(|known| *known.name == *version).expect("and about a version");
        let api_version = format!("{}/{}", self.group(channel, crd), version.name);
        let namespace = if crd.scope == Scope::Cluster { String::new() } else { format!("namespaces/{NAMESPACE}/") };
        Seat {
            key: (self.word.clone(), channel, name.to_owned()),
            collection: format!("/apis/{api_version}/{namespace}{}", crd.names.plural),
            api_version,
            has_status: has_status(version),
        }
    }

    /// A CRD in this bundle's group, with every version served.
    pub(crate) fn document(&self, channel: Channel, name: &str) -> Value {
        let mut crd = self.crd(channel, name).clone();
        crd.group = self.group(channel, &crd).into();
        crd.name = format!("{}.{}", crd.names.plural, crd.group).into();
        crd.annotations.clear();
        crd.labels.clear();
        crd.conversion = None;
        crd.versions.iter_mut().for_each(|version| version.served = true);
        crd.to_value()
    }
}

/// Whether a status is written through the subresource.
pub(crate) fn has_status(version: &Version) -> bool {
    version.subresources.as_ref().is_some_and(|subresources| subresources.status)
}

/// The findings from `old` to `new` about changes and states, with witnesses.
pub(crate) fn findings(old: &Bundle, new: &Bundle) -> Vec<Finding> {
    let declared = Declared::default();
    let comparison = Comparison::new(&old.channels, &new.channels, Profile::Gep922, &declared);
    let mut found = Comparison { evidence: Evidence { witnesses: true, grounds: false }, ..comparison }.findings();
    found.extend(states(Some(&old.channels), &new.channels, Profile::Gep922, &Arc::default(), true));
    found
}

/// Whether a finding is about a state: its witness is an object that one version of the new bundle accepts and another one refuses.
pub(crate) fn is_state(finding: &Finding) -> bool {
    STATES.iter().any(|state| state.rule.id == finding.rule)
}

/// The witnesses for changes from `old` to `new`: `old` accepts them and `new` refuses them.
pub(crate) fn trials(old: &Bundle, new: &Bundle, findings: &[Finding]) -> Vec<Trial> {
    let witnessed = findings.iter().filter_map(|finding| match (&finding.witness, &finding.version) {
        (Some(Witness::Object(object) | Witness::Status { stored: None, object }), Some(version)) => {
            Some((finding, object, version))
        }
        _ => None,
    });
    witnessed
        .enumerate()
        .map(|(index, (finding, object, version))| Trial {
            what: format!(
                "{} → {} {} {} {version} {} {}",
                old.word, new.word, finding.channel, finding.crd, finding.path, finding.message,
            ),
            name: format!("{}-{}-{index}", old.word, new.word),
            old: match object["apiVersion"].as_str().and_then(|version| version.rsplit('/').next()) {
                Some(version) if is_state(finding) => new.seat(finding.channel, &finding.crd, version),
                _ => old.seat(finding.channel, &finding.crd, version),
            },
            new: new.seat(finding.channel, &finding.crd, version),
            object: object.clone(),
            is_status: matches!(finding.witness, Some(Witness::Status { .. })),
            // A constraint around the field refuses a default.
            path: match finding.message.starts_with("the default") {
                true => finding.path.split('.').next().unwrap_or_default().to_owned(),
                false => finding.path.clone(),
            },
        })
        .collect()
}

/// Runs a task for a share of these items, in each of a few workers.
pub(crate) async fn with_workers<T, R, F>(
    items: &Arc<Vec<T>>,
    task: impl Fn(Arc<Vec<T>>, StepBy<Range<usize>>) -> F,
) -> Vec<R>
where
    R: Send + 'static,
    F: Future<Output = Vec<(usize, R)>> + Send + 'static,
{
    let mut workers = JoinSet::new();
    for worker in 0..CONCURRENT_REQUESTS {
        workers.spawn(task(Arc::clone(items), (worker..items.len().max(worker)).step_by(CONCURRENT_REQUESTS)));
    }
    let mut done = workers.join_all().await.into_iter().flatten().collect::<Vec<_>>();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Creates these CRDs.
pub(crate) async fn install(client: &Client, documents: &Arc<Vec<Value>>) -> Vec<Answer> {
    let made = with_workers(documents, |documents, indices| {
        let client = client.clone();
        async move {
            let mut made = Vec::new();
            for index in indices {
                made.push((index, send(&client, "POST", CRDS, Some(&documents[index])).await));
            }
            made
        }
    });
    made.await
}

/// Removes these CRDs.
pub(crate) async fn remove(client: &Client, documents: &[Value]) {
    let path = |document: &Value| format!("{CRDS}/{}", document["metadata"]["name"].as_str().unwrap_or_default());
    for document in documents {
        send(client, "DELETE", &path(document), None).await;
    }
    for document in documents {
        while send(client, "GET", &path(document), None).await.code != 404 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Installs the CRDs of the trials, sends every object to both sides, and removes the CRDs. Trials whose CRDs the server refuses have the
/// refusal instead.
pub(crate) fn answers(
    server: &Server,
    bundles: &[&Bundle],
    trials: Vec<Trial>,
) -> Vec<(Trial, Result<Verdict, String>)> {
    let keys = trials.iter().flat_map(|trial| [&trial.old.key, &trial.new.key]).collect::<BTreeSet<_>>();
    let document = |(word, channel, crd): &(String, Channel, String)| {
        let bundle = bundles.iter().find(|bundle| bundle.word == *word).expect("a seat is of a bundle");
        bundle.document(*channel, crd)
    };
    let documents = Arc::new(keys.iter().map(|key| document(key)).collect::<Vec<_>>());
    let keys = keys.into_iter().cloned().collect::<Vec<_>>();
    println!("{} CRDs", documents.len());
    let trials = Arc::new(trials);
    server.block_on(async {
        let client = server.client();
        create_namespace(&client, NAMESPACE).await;
        let refused = keys
            .into_iter()
            .zip(install(&client, &documents).await)
            .filter(|(_, answer)| !matches!(answer.code, 201 | 409));
        let refused =
            Arc::new(refused.map(|(key, answer)| (key, answer.message().to_owned())).collect::<BTreeMap<_, _>>());
        let seats = trials.iter().flat_map(|trial| [&trial.old, &trial.new]);
        let installed = seats.filter(|seat| !refused.contains_key(&seat.key));
        let collections = installed.map(|seat| seat.collection.clone()).collect::<BTreeSet<_>>();
        wait_for(&client, &collections.into_iter().collect::<Vec<_>>()).await;
        let verdicts = with_workers(&trials, |trials, indices| {
            let (client, refused) = (client.clone(), Arc::clone(&refused));
            async move {
                let mut verdicts = Vec::new();
                for index in indices {
                    let trial = &trials[index];
                    let refusal = [&trial.old, &trial.new].into_iter().find_map(|seat| refused.get(&seat.key));
                    if let Some(refusal) = refusal {
                        verdicts.push((index, Err(refusal.clone())));
                        continue;
                    }
                    let old = ask(&client, trial, &trial.old, "old", "Strict").await;
                    // Unknown fields are dropped on this side, and are not a refusal.
                    let new = ask(&client, trial, &trial.new, "new", "Ignore").await;
                    verdicts.push((index, Ok(Verdict { old, new })));
                }
                verdicts
            }
        });
        let verdicts = verdicts.await;
        remove(&client, &documents).await;
        let trials = Arc::into_inner(trials).expect("all workers are done");
        trials.into_iter().zip(verdicts).collect()
    })
}

/// Sends the witness of a trial to one side.
async fn ask(client: &Client, trial: &Trial, seat: &Seat, side: &str, unknown_fields: &str) -> Answer {
    let mut object = trial.object.clone();
    // Both sides may be versions of one CRD.
    // A schema may permit one name only.
    let name = match trial.object["metadata"]["name"].as_str() {
        Some(name) if name != "witness" => name.to_owned(),
        _ => format!("{}-{side}", trial.name),
    };
    object["apiVersion"] = json!(seat.api_version);
    object["metadata"]["name"] = json!(name);
    let query = format!("dryRun=All&fieldValidation={unknown_fields}");
    let is_status = trial.is_status || trial.path.starts_with("status");
    if !is_status || !seat.has_status {
        return send(client, "POST", &format!("{}?{query}", seat.collection), Some(&object)).await;
    }
    let mut bare = object.clone();
    bare.as_object_mut().map(|object| object.remove("status"));
    let mut made = send(client, "POST", &seat.collection, Some(&bare)).await;
    if made.code == 409 {
        made = send(client, "GET", &format!("{}/{name}", seat.collection), None).await;
    }
    if !made.is_success() {
        return made;
    }
    object["metadata"]["resourceVersion"] = made.body["metadata"]["resourceVersion"].clone();
    send(client, "PUT", &format!("{}/{name}/status?{query}", seat.collection), Some(&object)).await
}

/// A path of the server in the notation of findings: `spec.rules[0].options[key0].weight` is `spec.rules[*].options[*].weight`.
fn as_in_findings(field: &str) -> String {
    // The scale subresource writes paths as JSONPath.
    let field = field.strip_prefix('.').unwrap_or(field);
    let mut path = String::new();
    for (index, part) in field.replace(".key0", "[key0]").split('[').enumerate() {
        match part.split_once(']') {
            Some((_, rest)) if index > 0 => path.push_str(&format!("[*]{rest}")),
            _ => path.push_str(part),
        }
    }
    path
}

/// The result for a witness.
pub(crate) enum Outcome {
    /// Refused at the path of the finding.
    Confirmed,
    /// Refused at other paths, so that the server does not evaluate the rule of the finding.
    Elsewhere,
    /// Refused by the old side, or accepted by the new one.
    Refuted(String),
}

pub(crate) fn outcome(trial: &Trial, verdict: &Verdict) -> Outcome {
    let path = &trial.path;
    let at_place = |(field, message): &(&str, &str)| match *field {
        // For some keywords the server names the field only in the message.
        "<nil>" if path.is_empty() => true,
        "<nil>" => message.split([' ', '"']).any(|word| as_in_findings(word) == *path),
        field => as_in_findings(field).starts_with(&**path),
    };
    let Verdict { old, new } = verdict;
    if !old.is_success() {
        return Outcome::Refuted(format!("{}: the old side: {}", trial.what, old.message()));
    }
    match new.code == 422 {
        true if new.causes().iter().any(at_place) => Outcome::Confirmed,
        true if new.message().contains("some validation rules were not checked") => Outcome::Elsewhere,
        _ => Outcome::Refuted(format!("{}: the new side: {} {}", trial.what, new.code, new.body)),
    }
}

/// Checks the answers of the server. Returns the number of confirmed witnesses.
fn confirmed(answered: Vec<(Trial, Result<Verdict, String>)>) -> usize {
    let count = answered.len();
    let wrong = answered.iter().filter_map(|(trial, verdict)| match verdict {
        Ok(verdict) => match outcome(trial, verdict) {
            Outcome::Confirmed => None,
            Outcome::Elsewhere => Some(format!("{}: refused elsewhere: {}", trial.what, verdict.new.body)),
            Outcome::Refuted(refutation) => Some(refutation),
        },
        Err(refusal) => Some(format!("{}: a CRD is refused: {refusal}", trial.what)),
    });
    let wrong = wrong.collect::<Vec<_>>();
    assert!(wrong.is_empty(), "{} are not confirmed:\n{}", wrong.len(), wrong.join("\n"));
    count
}

/// The pairs that this server accepts, each as two bundles.
fn pairs(minor: &str) -> Vec<[Bundle; 2]> {
    let documents = yaml::read(PAIRS).expect("it is YAML");
    let runs = |pair: &&Value| {
        let from = pair["minor"].as_u64().map_or(String::new(), |minor| format!("1.{minor}"));
        pair.get("refused").is_none() && *minor >= *from
    };
    let pairs = documents[0].as_array().expect("a list").iter().filter(runs).enumerate();
    let bundle = |word: String, pair: &Value, schema: &Value| {
        let whole = match pair["on"].as_str() {
            Some("root") => schema.clone(),
            Some(_) => json!({ "type": "object", "properties": { "spec": schema } }),
            None => json!({
                "type": "object",
                "properties": { "spec": { "type": "object", "properties": { "field": schema } } },
            }),
        };
        let crd = CustomResourceDefinition {
            name: "things.example.com".into(),
            group: "example.com".into(),
            names: Names { kind: "Thing".into(), plural: "things".into(), ..Names::default() },
            versions: vec![Version {
                name: "v1".into(),
                served: true,
                storage: true,
                schema: Schema::from_value(&whole).expect("a schema"),
                ..Version::default()
            }],
            ..CustomResourceDefinition::default()
        };
        Bundle { word, channels: Channels::from([(Channel::Standard, vec![Arc::new(crd)])]) }
    };
    pairs
        .map(|(index, pair)| {
            [bundle(format!("old{index}"), pair, &pair["old"]), bundle(format!("new{index}"), pair, &pair["new"])]
        })
        .collect()
}

#[test]
fn every_keyword_has_a_witness_that_a_server_confirms() {
    let Some(server) = server(Crds::Nothing) else { return };
    let pairs = pairs(server.minor());
    let mut all = Vec::new();
    for [old, new] in &pairs {
        let found = findings(old, new);
        let there = trials(old, new, &found);
        // Updates are not sent.
        let is_update = found.iter().any(|finding| {
            matches!(finding.witness, Some(Witness::Update { .. } | Witness::Status { stored: Some(_), .. }))
        });
        assert!(is_update || !there.is_empty(), "{} has no witness", old.word);
        all.extend(there);
        all.extend(trials(new, old, &findings(new, old)));
    }
    let tried = all.len();
    let bundles = pairs.iter().flatten().collect::<Vec<_>>();
    let count = confirmed(answers(server, &bundles, all));
    println!("{count} of {tried} witnesses of {} pairs, in both directions, are confirmed", pairs.len());
    assert_eq!(count, tried);
}
