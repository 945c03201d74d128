//! Witnesses of `diff`, compared with a real API server: a witness is accepted by the one side and refused by the other, at the location of
//! the finding.
//!
//! Invariants: every CRD is installed in its own API group, so that both sides of a pair are installed together. All versions are served.
//! Objects are sent as dry runs. A status is written to an object without one, because a create does not validate it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_channels::Channel;
use crd_compat::policy::Profile;
use crd_compat::{Channels, Comparison, Declared, Finding, Witness};
use crd_model::crd::{Names, Scope, Version};
use crd_model::{CustomResourceDefinition, Schema, yaml};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::requests::{Answer, create_namespace, send, wait_for};
use crate::server::{Crds, Server, server};

const PAIRS: &str = include_str!("../../../../gen/compat/tests/witnesses/pairs.yaml");
const NAMESPACE: &str = "witnesses";
const DOMAIN: &str = "witnesses.example.com";
/// The number of concurrent requests.
const CONCURRENT_REQUESTS: usize = 8;

/// A bundle, and its name in API groups.
struct Bundle {
    word: String,
    channels: Channels,
}

/// A witness that is sent to the server.
struct Trial {
    /// For messages.
    what: String,
    finding: Finding,
    old: ObjectPaths,
    new: ObjectPaths,
    /// The unique name of the object.
    name: String,
}

impl Trial {
    /// The witness.
    fn object(&self) -> &Value {
        match &self.finding.witness {
            Some(Witness::Object(object)) => object,
            _ => panic!("{}: no witness", self.what),
        }
    }
}

/// The API paths of an object of an installed CRD.
#[derive(Clone)]
struct ObjectPaths {
    api_version: String,
    collection: String,
    has_status: bool,
}

/// The answers of the server for a witness, on both sides.
struct Verdict {
    old: Answer,
    new: Answer,
}

impl Bundle {
    fn group(&self, channel: Channel) -> String {
        format!("{}-{}.{DOMAIN}", self.word, channel.name())
    }

    fn crd(&self, finding: &Finding) -> &CustomResourceDefinition {
        let mut crds = self.channels[&finding.channel].iter();
        crds.find(|crd| *crd.name == *finding.crd).expect("a finding is about a CRD that there is")
    }

    fn paths(&self, finding: &Finding) -> ObjectPaths {
        let crd = self.crd(finding);
        let named = |version: &&Version| Some(&*version.name) == finding.version.as_deref();
        let version = crd.versions.iter().find(named).expect("and about a version");
        let api_version = format!("{}/{}", self.group(finding.channel), version.name);
        let namespace = if crd.scope == Scope::Cluster { String::new() } else { format!("namespaces/{NAMESPACE}/") };
        ObjectPaths {
            collection: format!("/apis/{api_version}/{namespace}{}", crd.names.plural),
            api_version,
            has_status: version.subresources.as_ref().is_some_and(|subresources| subresources.status),
        }
    }

    /// The CRD of a finding in this bundle's group, with every version served.
    fn document(&self, finding: &Finding) -> Value {
        let mut crd = self.crd(finding).clone();
        crd.group = self.group(finding.channel).into();
        crd.name = format!("{}.{}", crd.names.plural, crd.group).into();
        crd.annotations.clear();
        crd.conversion = None;
        crd.versions.iter_mut().for_each(|version| version.served = true);
        let mut document = crd.to_value();
        document["apiVersion"] = json!("apiextensions.k8s.io/v1");
        document["kind"] = json!("CustomResourceDefinition");
        document
    }
}

/// The witnesses for changes from `old` to `new`: `old` accepts them and `new` refuses them.
fn trials(old: &Bundle, new: &Bundle) -> Vec<Trial> {
    let declared = Declared::default();
    let comparison = Comparison::new(&old.channels, &new.channels, Profile::Gep922, &declared);
    let findings = Comparison { with_witnesses: true, ..comparison }.findings();
    let witnessed = findings.into_iter().filter(|finding| matches!(finding.witness, Some(Witness::Object(_))));
    witnessed
        .enumerate()
        .map(|(index, finding)| Trial {
            what: format!(
                "{} → {} {} {} {} {}",
                old.word,
                new.word,
                finding.channel,
                finding.crd,
                finding.version.as_deref().unwrap_or_default(),
                finding.path
            ),
            name: format!("{}-{}-{index}", old.word, new.word),
            old: old.paths(&finding),
            new: new.paths(&finding),
            finding,
        })
        .collect()
}

/// Installs the CRDs of the trials, and sends every witness to both sides.
fn answers(server: &Server, bundles: &[&Bundle], trials: Vec<Trial>) -> Vec<(Trial, Verdict)> {
    let mut documents = BTreeMap::new();
    for trial in &trials {
        for (bundle, seat) in bundles.iter().flat_map(|bundle| [(bundle, &trial.old), (bundle, &trial.new)]) {
            if seat.api_version.starts_with(&format!("{}/", bundle.group(trial.finding.channel))) {
                let document = bundle.document(&trial.finding);
                documents.entry(document["metadata"]["name"].to_string()).or_insert(document);
            }
        }
    }
    println!("{} CRDs", documents.len());
    let seats = trials.iter().flat_map(|trial| [&trial.old, &trial.new]);
    let collections = seats.map(|seat| seat.collection.clone()).collect::<BTreeSet<_>>();
    server.block_on(async {
        let client = server.client();
        create_namespace(&client, NAMESPACE).await;
        let documents = Arc::new(documents.into_values().collect::<Vec<_>>());
        let mut installs = JoinSet::new();
        for worker in 0..CONCURRENT_REQUESTS {
            let (client, documents) = (client.clone(), Arc::clone(&documents));
            installs.spawn(async move {
                for document in documents.iter().skip(worker).step_by(CONCURRENT_REQUESTS) {
                    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
                    let made = send(&client, "POST", path, Some(document)).await;
                    assert!(matches!(made.code, 201 | 409), "{}: {}", document["metadata"]["name"], made.body);
                }
            });
        }
        installs.join_all().await;
        wait_for(&client, &collections.into_iter().collect::<Vec<_>>()).await;
        let trials = Arc::new(trials);
        let mut asked = JoinSet::new();
        for worker in 0..CONCURRENT_REQUESTS {
            let (client, trials) = (client.clone(), Arc::clone(&trials));
            asked.spawn(async move {
                let mut verdicts = Vec::new();
                for (index, trial) in trials.iter().enumerate().skip(worker).step_by(CONCURRENT_REQUESTS) {
                    let old = ask(&client, trial, &trial.old, "Strict").await;
                    // Unknown fields are dropped on this side, and are not a refusal.
                    let new = ask(&client, trial, &trial.new, "Ignore").await;
                    verdicts.push((index, Verdict { old, new }));
                }
                verdicts
            });
        }
        let mut verdicts = asked.join_all().await.into_iter().flatten().collect::<Vec<_>>();
        verdicts.sort_by_key(|(index, _)| *index);
        let trials = Arc::into_inner(trials).expect("all workers are done");
        trials.into_iter().zip(verdicts.into_iter().map(|(_, verdict)| verdict)).collect()
    })
}

/// Sends the witness of a trial to one side.
async fn ask(client: &kube::Client, trial: &Trial, seat: &ObjectPaths, unknown_fields: &str) -> Answer {
    let mut object = trial.object().clone();
    object["apiVersion"] = json!(seat.api_version);
    object["metadata"]["name"] = json!(trial.name);
    let query = format!("dryRun=All&fieldValidation={unknown_fields}");
    let is_status = trial.finding.path.starts_with("status");
    if !is_status || !seat.has_status {
        return send(client, "POST", &format!("{}?{query}", seat.collection), Some(&object)).await;
    }
    let mut bare = object.clone();
    bare.as_object_mut().map(|object| object.remove("status"));
    let made = send(client, "POST", &seat.collection, Some(&bare)).await;
    if !made.is_success() {
        return made;
    }
    object["metadata"]["resourceVersion"] = made.body["metadata"]["resourceVersion"].clone();
    send(client, "PUT", &format!("{}/{}/status?{query}", seat.collection, trial.name), Some(&object)).await
}

/// A path of the server in the notation of findings: `spec.rules[0].options[key0].weight` is `spec.rules[*].options[*].weight`.
fn as_in_findings(field: &str) -> String {
    let mut path = String::new();
    for (index, part) in field.replace(".key0", "[key0]").split('[').enumerate() {
        match part.split_once(']') {
            Some((_, rest)) if index > 0 => path.push_str(&format!("[*]{rest}")),
            _ => path.push_str(part),
        }
    }
    path
}

/// Checks the answers of the server. Returns the number of confirmed witnesses.
fn confirmed(answered: Vec<(Trial, Verdict)>) -> usize {
    let mut count = 0;
    let mut wrong = Vec::new();
    for (trial, verdict) in answered {
        let path = &trial.finding.path;
        let at_place = |(field, message): &(&str, &str)| match *field {
            // For some keywords the server names the field only in the message.
            "<nil>" => message.split([' ', '"']).any(|word| as_in_findings(word) == *path),
            field => as_in_findings(field).starts_with(&**path),
        };
        if !verdict.old.is_success() {
            wrong.push(format!("{}: the old side: {}", trial.what, verdict.old.message()));
        } else if verdict.new.code == 422 && verdict.new.causes().iter().any(at_place) {
            count += 1;
        } else {
            wrong.push(format!("{}: the new side: {} {}", trial.what, verdict.new.code, verdict.new.body));
        }
    }
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
        Bundle { word, channels: Channels::from([(Channel::Standard, vec![crd])]) }
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
        let there = trials(old, new);
        assert!(!there.is_empty(), "{} has no witness", old.word);
        all.extend(there);
        all.extend(trials(new, old));
    }
    let bundles = pairs.iter().flatten().collect::<Vec<_>>();
    let tried = all.len();
    let count = confirmed(answers(server, &bundles, all));
    println!("{count} of {tried} witnesses of {} pairs, in both directions, are confirmed", pairs.len());
    assert_eq!(count, tried);
}

/// A release of Gateway API.
fn release(version: &str) -> Bundle {
    let crds = |channel: Channel| {
        let files = crd_testdata::gateway_api(version, channel.name());
        let crds = files.iter().map(|file| CustomResourceDefinition::from_value(&file.json()).expect("a CRD"));
        (channel, crds.collect())
    };
    Bundle { word: version.replace('.', "-"), channels: Channel::ALL.into_iter().map(crds).collect() }
}

#[test]
fn the_witnesses_of_gateway_api_s_history_are_confirmed() {
    let Some(server) = server(Crds::Nothing) else { return };
    let releases = crd_testdata::GATEWAY_API.iter().map(|version| release(version)).collect::<Vec<_>>();
    let mut all = Vec::new();
    for pair in releases.windows(2) {
        all.extend(trials(&pair[0], &pair[1]));
        all.extend(trials(&pair[1], &pair[0]));
    }
    let tried = all.len();
    let bundles = releases.iter().collect::<Vec<_>>();
    let count = confirmed(answers(server, &bundles, all));
    println!("{count} of {tried} witnesses of {} releases, in both directions, are confirmed", releases.len());
    assert_eq!(count, 500);
}
