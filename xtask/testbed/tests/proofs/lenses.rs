//! The lenses of Gateway API on a real server: objects of past releases, which a server with the CRDs of their release accepts, are accepted by a
//! server with the current CRDs after conversion, and by the first one again after the conversion back.
//!
//! Invariants: the objects are random, with values at the places of lenses, and the same in every run. An object counts if both CRDs accept it
//! offline; the server must agree. Later releases require more, so a table completes objects in the form of their time. What a lens drops may
//! have been required, so such an object need not be accepted after the conversion back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crd_apiserver::objects::MINORS;
use crd_bundle::Release;
use crd_bundle::history_archive::{FILE_NAME, HistoryArchive};
use crd_bundle::published::Input;
use crd_channels::Channel;
use crd_convert::{Conversions, Document, OperationKind};
use crd_model::CustomResourceDefinition;
use crd_model::crd::Version;
use gateway_api_types::conversions::FUNCTIONS;
use serde_json::{Value, json};

use crate::documents::crds;
use crate::requests::{Answer, create_namespace, send, wait_for};
use crate::served::Served;
use crate::server::{Crds, server};
use crate::verdicts::libraries;
use crate::witnesses::{Bundle, NAMESPACE, Seat, install, remove, with_workers};
use crd_testdata::Dice;

/// How many objects of each kind and release are converted.
const OBJECTS: usize = 50;
/// How many random objects are made together, and how often.
const MADE: usize = 400;
const ROUNDS: usize = 40;

/// What later releases require: the kind, and fields in the form of the object's time. Fields that the object has stay.
const COMPLETED: [(&str, &str); 4] = [
    ("TCPRoute", r#"{"spec": {"rules": [{"backendRefs": [{"name": "a", "port": 1}]}]}}"#),
    ("TLSRoute", r#"{"spec": {"hostnames": ["a.example"], "rules": [{"backendRefs": [{"name": "a", "port": 1}]}]}}"#),
    ("UDPRoute", r#"{"spec": {"rules": [{"backendRefs": [{"name": "a", "port": 1}]}]}}"#),
    ("XListenerSet", r#"{"spec": {"listeners": [{"port": 1}]}}"#),
];

/// An object that is sent to the servers in three forms.
struct Case {
    kind: String,
    release: String,
    /// Whether the last form has everything that the first one had.
    returns: bool,
    /// The object, its current form, and that form converted back.
    forms: [Value; 3],
    seats: [Seat; 3],
}

fn at_root(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Adds the fields that an object does not have, also in the items of its lists. An empty list is completed too.
fn complete(value: &mut Value, with: &Value) {
    match (value, with) {
        (Value::Object(object), Value::Object(with)) => {
            for (key, with) in with {
                complete(object.entry(key.as_str()).or_insert(Value::Null), with);
            }
        }
        (Value::Array(items), Value::Array(with)) if !items.is_empty() => {
            items.iter_mut().for_each(|item| complete(item, &with[0]));
        }
        (value @ (Value::Null | Value::Array(_)), with) => *value = with.clone(),
        _ => {}
    }
}

/// What the conversions of one release need.
pub(crate) struct Lenses<'l> {
    pub(crate) conversions: Conversions,
    /// The places of old forms, as findings name them.
    places: BTreeSet<String>,
    current: BTreeMap<(String, String), Served>,
    /// The lenses that drop something.
    dropping: BTreeSet<&'l str>,
    /// Why objects do not count, with their number.
    refused: BTreeMap<String, usize>,
}

/// The lenses of Gateway API.
pub(crate) fn document() -> Document {
    let text = fs::read_to_string(at_root("bundles/unreleased/conversions.json")).expect("the conversions");
    Document::read(&text).expect("valid conversions")
}

/// The past releases of Gateway API.
pub(crate) fn archive() -> HistoryArchive {
    let path = at_root("bundles").join(FILE_NAME);
    HistoryArchive::read(Input::new(FILE_NAME, fs::read(path).expect("the archive"))).expect("readable")
}

/// The kinds that lenses read or write.
pub(crate) fn kinds(document: &Document) -> BTreeSet<&str> {
    document.lenses.iter().flat_map(|lens| [lens.source().1, lens.target().1]).collect()
}

impl<'l> Lenses<'l> {
    pub(crate) fn new(document: &'l Document) -> Self {
        let steps = document.lenses.iter().flat_map(|lens| &lens.steps);
        let places =
            steps.flat_map(|step| step.operation.reads().into_iter().map(ToString::to_string).collect::<Vec<_>>());
        let is_drop = |lens: &&crd_convert::Lens| {
            lens.steps.iter().any(|step| matches!(step.operation.kind, OperationKind::Drop { .. }))
        };
        let served = crds(Channel::Experimental).iter().flat_map(|crd| {
            let served = crd.versions.iter().filter(|version| version.served);
            served.filter_map(move |version| {
                let api_version = format!("{}/{}", crd.group, version.name);
                Some(((api_version, crd.names.kind.to_string()), Served::new(crd, version, MINORS.1)?))
            })
        });
        Self {
            conversions: Conversions::with_code(document, &FUNCTIONS).expect("valid conversions"),
            places: places.collect(),
            current: served.collect(),
            dropping: document.lenses.iter().filter(is_drop).map(|lens| &*lens.name).collect(),
            refused: BTreeMap::new(),
        }
    }

    /// Objects of a version that both CRDs accept, with their current form, and whether they return. So many objects return.
    pub(crate) fn objects(
        &mut self,
        crd: &CustomResourceDefinition,
        version: &Version,
        wanted: usize,
    ) -> Vec<([Value; 2], bool)> {
        let Some(old) = Served::new(crd, version, MINORS.1) else { return Vec::new() };
        let additions = COMPLETED.iter().filter(|(kind, _)| *kind == &*crd.names.kind);
        let additions = additions.map(|(_, with)| serde_json::from_str::<Value>(with).expect("JSON"));
        let additions = additions.collect::<Vec<_>>();
        let mut dice = Dice::new(crd.names.kind.len() as u64 * 7_919 + version.name.len() as u64);
        let (mut found, mut returning, mut seen) = (Vec::new(), 0, BTreeSet::new());
        for _ in 0..ROUNDS {
            for mut object in libraries::objects(&mut dice, crd, &version.name, &self.places, MADE) {
                if returning == wanted {
                    return found;
                }
                additions.iter().for_each(|with| complete(&mut object, with));
                if !seen.insert(object.to_string()) || old.refusal(&object).is_some() {
                    continue;
                }
                let mut new = object.clone();
                let applied = match self.conversions.forward(&mut new) {
                    Ok(applied) => applied,
                    Err(failure) if failure.is_refusal() => {
                        let why = format!("{} {}: {}", crd.names.kind, version.name, failure.why);
                        *self.refused.entry(why).or_default() += 1;
                        continue;
                    }
                    Err(failure) => panic!("{object}\n{failure}"),
                };
                let returns = applied.iter().all(|lens| !self.dropping.contains(lens));
                let identity = ["apiVersion", "kind"].map(|key| new[key].as_str().expect("a string").to_owned());
                let current = self.current.get(&identity.into()).unwrap_or_else(|| panic!("{new} is not served"));
                match current.refusal(&new) {
                    None => {
                        returning += usize::from(returns);
                        found.push(([object, new], returns));
                    }
                    Some(error) => {
                        let why = format!("{} {}: {error}", crd.names.kind, version.name);
                        *self.refused.entry(why.chars().take(160).collect()).or_default() += 1;
                    }
                }
            }
        }
        found
    }
}

/// The experimental CRDs of a release, which include those of standard.
fn bundle(release: &Release) -> Bundle {
    Bundle {
        word: format!("lenses-{}", release.name.replace('.', "-")),
        channels: [(Channel::Experimental, release.of_channel(Channel::Experimental).to_vec())].into(),
    }
}

/// The answer to an object. A status is written to an object without one.
async fn ask(client: &kube::Client, seat: &Seat, object: &Value, name: &str) -> Answer {
    let mut object = object.clone();
    object["apiVersion"] = json!(seat.api_version);
    if object["metadata"].get("namespace").is_some() {
        object["metadata"]["namespace"] = json!(NAMESPACE);
    }
    let query = "dryRun=All&fieldValidation=Strict";
    let created = send(client, "POST", &format!("{}?{query}", seat.collection), Some(&object)).await;
    if !created.is_success() || !seat.has_status || object.get("status").is_none() {
        return created;
    }
    object["metadata"]["name"] = json!(name);
    let mut bare = object.clone();
    bare.as_object_mut().map(|object| object.remove("status"));
    let made = send(client, "POST", &seat.collection, Some(&bare)).await;
    if !made.is_success() {
        return made;
    }
    object["metadata"]["resourceVersion"] = made.body["metadata"]["resourceVersion"].clone();
    let path = format!("{}/{name}", seat.collection);
    let answer = send(client, "PUT", &format!("{path}/status?{query}"), Some(&object)).await;
    send(client, "DELETE", &path, None).await;
    answer
}

#[test]
fn objects_of_past_releases_are_accepted_after_conversion() {
    let Some(server) = server(Crds::Nothing) else { return };
    let document = document();
    let current = crds(Channel::Experimental);
    let current_bundle = Bundle {
        word: "lenses-current".to_owned(),
        channels: [(Channel::Experimental, current.iter().cloned().map(Arc::new).collect())].into(),
    };
    let mut lenses = Lenses::new(&document);
    let of_lenses = kinds(&document);
    let archive = archive();
    let releases = crd_testdata::sample_of(archive.releases().iter().collect(), |_| false);
    let wanted = crd_testdata::sample(OBJECTS);
    let bundles = releases.iter().map(|release| bundle(release)).collect::<Vec<_>>();
    // A structure that did not change has the same objects.
    let mut known = BTreeMap::new();
    let mut cases = Vec::new();
    for (release, bundle) in releases.iter().zip(&bundles) {
        let to = release.version.expect("a version");
        for crd in release.channels.get(&Channel::Experimental).into_iter().flatten() {
            if !of_lenses.contains(&*crd.names.kind) {
                continue;
            }
            for version in crd.versions.iter().filter(|version| version.served) {
                let objects = known
                    .entry((Arc::as_ptr(crd).addr(), version.name.to_string()))
                    .or_insert_with(|| lenses.objects(crd, version, wanted));
                for ([object, new], returns) in objects {
                    let back =
                        lenses.conversions.convert_back(new, to).unwrap_or_else(|error| panic!("{new}\n{error}"));
                    let seat =
                        |bundle: &Bundle,
                         object: &Value,
                         mut crds: &mut dyn Iterator<Item = &CustomResourceDefinition>| {
                            let (group, version) =
                                object["apiVersion"].as_str().and_then(|text| text.split_once('/'))?;
                            let is_own = |crd: &&CustomResourceDefinition| {
                                *crd.group == *group && object["kind"] == *crd.names.kind
                            };
                            Some(bundle.seat(Channel::Experimental, &Iterator::find(&mut crds, is_own)?.name, version))
                        };
                    let old_crds = &bundle.channels[&Channel::Experimental];
                    let forms = [object.clone(), new.clone(), back.object];
                    let seats = [
                        seat(bundle, &forms[0], &mut old_crds.iter().map(|crd| &**crd)),
                        seat(&current_bundle, &forms[1], &mut current.iter()),
                        seat(bundle, &forms[2], &mut old_crds.iter().map(|crd| &**crd)),
                    ];
                    let seats =
                        seats.map(|seat| seat.unwrap_or_else(|| panic!("{}: no CRD for {forms:?}", release.name)));
                    let (kind, release) = (crd.names.kind.to_string(), release.name.clone());
                    cases.push(Case { kind, release, returns: *returns, forms, seats });
                }
            }
        }
    }
    for (why, count) in &lenses.refused {
        println!("{count} objects do not count: {why}");
    }
    let documents = bundles.iter().chain([&current_bundle]).flat_map(|bundle| {
        let crds = bundle.channels[&Channel::Experimental].iter();
        crds.filter(|crd| of_lenses.contains(&*crd.names.kind))
            .map(|crd| bundle.document(Channel::Experimental, &crd.name))
            .collect::<Vec<_>>()
    });
    let documents = Arc::new(documents.collect::<Vec<_>>());
    let cases = Arc::new(cases);
    let answers = server.block_on(async {
        let client = server.client();
        create_namespace(&client, NAMESPACE).await;
        for answer in install(&client, &documents).await {
            assert!(matches!(answer.code, 201 | 409), "{}", answer.body);
        }
        let collections = cases.iter().flat_map(|case| &case.seats).map(|seat| seat.collection.clone());
        let collections = collections.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
        wait_for(&client, &collections).await;
        let answers = with_workers(&cases, |cases, indices| {
            let client = client.clone();
            async move {
                let mut answers = Vec::new();
                for index in indices {
                    let case = &cases[index];
                    let mut three = Vec::new();
                    for (form, (object, seat)) in case.forms.iter().zip(&case.seats).enumerate() {
                        three.push(ask(&client, seat, object, &format!("lenses-{index}-{form}")).await);
                    }
                    answers.push((index, three));
                }
                answers
            }
        });
        let answers = answers.await;
        remove(&client, &documents).await;
        answers
    });
    let (mut table, mut wrong) = (BTreeMap::<(&str, &str), [usize; 3]>::new(), Vec::new());
    for (case, answers) in cases.iter().zip(&answers) {
        let counts = table.entry((&case.kind, &case.release)).or_default();
        for ((count, answer), (what, object)) in
            counts.iter_mut().zip(answers).zip(["as it was", "converted", "converted back"].iter().zip(&case.forms))
        {
            match answer.is_success() {
                true => *count += 1,
                false if *what == "converted back" && !case.returns => {}
                false => wrong.push(format!("{} {what}: {object}\n    {}", case.release, answer.message())),
            }
        }
    }
    println!(
        "| kind | release | objects | accepted after conversion | accepted after the conversion back |\n|-|-|-|-|-|"
    );
    for ((kind, release), [objects, new, back]) in &table {
        println!("| {kind} | {release} | {objects} | {new} | {back} |");
    }
    assert!(
        wrong.is_empty(),
        "{} are refused:\n{}",
        wrong.len(),
        wrong.iter().take(10).cloned().collect::<Vec<_>>().join("\n")
    );
    let few = releases.iter().flat_map(|release| {
        let crds = release.channels.get(&Channel::Experimental).into_iter().flatten();
        let kinds = crds.map(|crd| &*crd.names.kind).filter(|kind| of_lenses.contains(kind));
        kinds.map(|kind| (kind.to_owned(), release.name.clone())).collect::<Vec<_>>()
    });
    let few = few.filter(|(kind, release)| table.get(&(&**kind, &**release)).is_none_or(|counts| counts[2] < wanted));
    let few = few.collect::<Vec<_>>();
    assert!(few.is_empty(), "fewer than {wanted} objects: {few:?}");
}
