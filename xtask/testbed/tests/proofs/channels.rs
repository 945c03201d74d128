//! The two channels on real servers: experimental keeps all experimental fields and values, and standard drops, reports or refuses them.
//!
//! Invariants: the list of experimental fields and values is derived from the bundles ([`only`]) and compared with upstream's. For each entry, the
//! experimental server accepts an object that uses it. On standard, the expected object has none of the derived fields; complete objects are
//! compared.

pub(crate) mod objects;
pub(crate) mod only;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::Instant;

use crd_apiserver::apply_defaults;
use crd_boundary::Step;
use crd_channels::Channel;
use crd_model::CustomResourceDefinition;
use kube::Client;
use serde_json::{Value, json};

use crate::documents::{collections, crds, crds_of, our_examples};
use crate::requests::{Answer, authored, create_namespace, create_whole, send, wait_for};
use crate::server::server;

use objects::objects;
use only::{Element, Only, Pair, Use, counted};

/// Entries that no object can use, with reasons. Empty.
const NOT_USED: &[(&str, &str)] = &[];

const NAMESPACE: &str = "channels";

/// Every version of every resource that experimental serves.
pub(crate) fn pairs() -> Vec<Pair<'static>> {
    Pair::all(crds(Channel::Standard), crds(Channel::Experimental))
}

/// The path of the collection, even if a channel does not have it.
fn collection(pair: &Pair<'static>) -> String {
    pair.versioned().collection(NAMESPACE)
}

/// The object with another name, in this proof's namespace.
fn named(pair: &Pair<'static>, object: &Value, name: &str) -> Value {
    pair.versioned().placed(object, NAMESPACE, name)
}

/// The fields that an object loses on standard.
fn lost(pair: &Pair<'static>, object: &Value) -> Vec<Use> {
    pair.used_by(object).into_iter().filter(|used| used.only.element == Element::Field).collect()
}

/// The values of an object that standard refuses.
fn refused(pair: &Pair<'static>, object: &Value) -> Vec<Use> {
    pair.used_by(object).into_iter().filter(|used| matches!(used.only.element, Element::Value(_))).collect()
}

/// The object without the values at these paths.
fn without(object: &Value, uses: &[Use]) -> Value {
    let mut object = object.clone();
    for used in uses {
        let (parent, name) = used.pointer.rsplit_once('/').expect("a pointer");
        let parent = object.pointer_mut(parent).and_then(Value::as_object_mut).expect("fields are in objects");
        parent.remove(&name.replace("~1", "/").replace("~0", "~"));
    }
    object
}

fn places(uses: &[Use]) -> BTreeSet<String> {
    uses.iter().map(|used| used.path_text.clone()).collect()
}

/// Creates the object, and writes its status if it has one. Returns the last answer, with all warnings.
async fn store(client: &Client, pair: &Pair<'static>, object: &Value, validation: &str) -> Answer {
    create_whole(client, &collection(pair), object, validation).await
}

async fn read(client: &Client, pair: &Pair<'static>, object: &Value) -> Answer {
    let name = object["metadata"]["name"].as_str().expect("a name");
    send(client, "GET", &format!("{}/{name}", collection(pair)), None).await
}

/// The object that a server would store with a schema.
fn with_defaults(schema: &crd_model::Schema, object: &Value) -> Value {
    let mut object = object.clone();
    apply_defaults(schema, &mut object);
    object
}

/// Whether the experimental server accepts an object.
async fn is_accepted(client: &Client, pair: &Pair<'static>, object: &Value, seat: &Value) -> bool {
    let mut object = object.clone();
    let status = object["status"].take();
    let path = collection(pair);
    let created = send(client, "POST", &format!("{path}?fieldValidation=Strict&dryRun=All"), Some(&object)).await;
    assert!(matches!(created.code, 201 | 422), "{}: {} {:#}", pair.name(), created.code, created.body);
    if !created.is_success() || status.is_null() {
        return created.is_success();
    }
    // A status is validated when it is written to an existing object.
    let mut seat = seat.clone();
    seat["status"] = status;
    let path = format!(
        "{path}/{}/status?fieldValidation=Strict&dryRun=All",
        seat["metadata"]["name"].as_str().expect("a name")
    );
    let written = send(client, "PUT", &path, Some(&seat)).await;
    assert!(matches!(written.code, 200 | 422), "{}: {} {:#}", pair.name(), written.code, written.body);
    written.is_success()
}

/// The objects of a version.
struct Made {
    pair: Pair<'static>,
    /// Accepted by experimental.
    lawful: Vec<Value>,
    /// Fields next to an experimental enum value, copied to objects that standard accepts. (An object that standard refuses cannot show which
    /// fields it loses.)
    transplanted: Vec<Value>,
    unused: Vec<Only>,
}

/// The objects of all versions, created once and checked by the experimental server; `None` without a server.
fn made() -> Option<&'static [Made]> {
    // Not repeated after a failure: the first failure has the reason.
    static MADE: LazyLock<Option<Vec<Made>>> = LazyLock::new(|| {
        let server = server(crds_of(Channel::Experimental))?;
        let client = server.client();
        let start = Instant::now();
        server.block_on(async {
            wait_for(&client, &collections(Channel::Experimental)).await;
            create_namespace(&client, NAMESPACE).await;
        });
        let (mut made, requests) = (Vec::new(), Cell::new(0));
        for pair in pairs() {
            let mut examples = Channel::ALL.into_iter().flat_map(our_examples).map(|example| example.object);
            let seat = examples.find(|example| example["kind"] == *pair.crd.names.kind);
            let mut seat = seat.expect("every kind has an example");
            seat["apiVersion"] = json!(pair.versioned().api_version());
            let seat = named(&pair, &seat, &format!("channels-seat-{}", pair.version.name));
            let seat = server.block_on(store(&client, &pair, &seat, "Strict")).expect(&pair.name());
            let accepts = |object: &Value| {
                requests.update(|requests| requests + 1);
                server.block_on(is_accepted(&client, &pair, object, &seat))
            };
            let mut missing = pair.everything();
            let found = objects(&pair, NAMESPACE, &missing, |object| pair.used_by(object).len(), &accepts);
            let (mut lawful, mut unused) = (Vec::new(), Vec::new());
            for (only, object) in found {
                match object {
                    Some(object) if missing.contains(&only) => {
                        for used in pair.used_by(&object) {
                            missing.remove(&used.only);
                        }
                        lawful.push(object);
                    }
                    Some(_) => {}
                    None => unused.push(only),
                }
            }
            let transplanted = lawful.iter().filter_map(|object| transplant(&pair, object)).collect();
            made.push(Made { pair, lawful, transplanted, unused });
        }
        println!("{} requests in {:.1} s", requests.get(), start.elapsed().as_secs_f32());
        Some(made)
    });
    MADE.as_deref()
}

/// The JSON pointers of all values at the end of a path.
fn ends(value: &Value, path: &[Step], pointer: &str) -> Vec<String> {
    let Some((step, path)) = path.split_first() else { return vec![pointer.to_owned()] };
    match (step, value) {
        (Step::Field(name), Value::Object(entries)) => {
            entries.get(name).map(|inner| ends(inner, path, &format!("{pointer}/{name}"))).unwrap_or_default()
        }
        (Step::Item, Value::Array(items)) => {
            let inner = items.iter().enumerate();
            inner.flat_map(|(index, item)| ends(item, path, &format!("{pointer}/{index}"))).collect()
        }
        _ => Vec::new(),
    }
}

/// The fields that the object would lose, copied to an example that standard accepts; `None` if standard accepts the object.
fn transplant(pair: &Pair<'static>, object: &Value) -> Option<Value> {
    if !pair.is_in_standard() || refused(pair, object).is_empty() {
        return None;
    }
    let fields = lost(pair, object);
    let hosts = our_examples(Channel::Standard).into_iter().map(|example| example.object);
    for mut host in hosts.filter(|host| host["kind"] == *pair.crd.names.kind) {
        host["apiVersion"] = object["apiVersion"].clone();
        host.as_object_mut()?.remove("status");
        let fits = fields.iter().all(|field| {
            let (_, parent) = field.only.path.split_last().expect("a field has a name");
            let Some(parent) = ends(&host, parent, "").into_iter().next() else { return false };
            let (_, name) = field.pointer.rsplit_once('/').expect("a pointer");
            let value = object.pointer(&field.pointer).expect("it was found there").clone();
            host.pointer_mut(&parent).expect("it was found there")[name] = value;
            true
        });
        if fits {
            return Some(host);
        }
    }
    panic!("no example of {} can have {:?}", pair.name(), places(&fields))
}

/// The objects with unique names.
fn numbered<'o>(pair: &Pair<'static>, prefix: &str, objects: impl IntoIterator<Item = &'o Value>) -> Vec<Value> {
    let version = &pair.version.name;
    let number = |(index, object)| named(pair, object, &format!("channels-{prefix}-{version}-{index}"));
    objects.into_iter().enumerate().map(number).collect()
}

#[test]
fn experimental_fields_and_values_are_the_same_as_upstream() {
    let crds_of_upstream = |channel: Channel| -> Vec<CustomResourceDefinition> {
        let files = crd_testdata::gateway_api(crd_testdata::NEWEST_GATEWAY_API, channel.name());
        files.iter().map(|file| CustomResourceDefinition::from_value(&file.json()).expect("a CRD")).collect()
    };
    let everything = |pairs: &[Pair<'_>]| -> BTreeSet<String> {
        let of_pair = |pair: &Pair<'_>| -> Vec<String> {
            pair.everything().iter().map(|only| format!("{}: {}", pair.name(), only.name())).collect()
        };
        pairs.iter().flat_map(of_pair).collect()
    };
    let ours = everything(&pairs());
    assert!(!ours.is_empty());
    let [standard, experimental] = [Channel::Standard, Channel::Experimental].map(crds_of_upstream);
    assert_eq!(ours, everything(&Pair::all(&standard, &experimental)));
    println!("{} fields, values and resources are only in experimental, upstream and here", ours.len());
}

#[test]
fn experimental_keeps_all_experimental_fields_and_values() {
    let (Some(made), Some(server)) = (made(), server(crds_of(Channel::Experimental))) else { return };
    let client = server.client();
    let (mut all, mut used, mut objects) = (Vec::new(), Vec::new(), 0);
    let mut not_used = BTreeSet::new();
    server.block_on(async {
        for Made { pair, lawful, transplanted, unused } in made {
            let mut missing = pair.everything();
            all.extend(missing.iter().cloned());
            for object in numbered(pair, "kept", lawful) {
                let element = format!("{} {object:#}", pair.name());
                let answer = store(&client, pair, &object, "Strict").await;
                let no_deprecation = !pair.version.deprecated;
                assert!(!no_deprecation || answer.warnings.is_empty(), "{element}: {:?}", answer.warnings);
                answer.expect(&element);
                let mut expected = with_defaults(&pair.version.schema, &object);
                let stored = authored(&read(&client, pair, &object).await.expect(&element));
                if object["status"].is_null() {
                    // Another proof checks defaults of a status that was not written.
                    expected["status"] = stored["status"].clone();
                }
                if expected["status"].is_null() {
                    expected.as_object_mut().expect("an object").remove("status");
                }
                assert_eq!(stored, expected, "{element}: stored as something else");
                for found in pair.used_by(&stored) {
                    missing.remove(&found.only);
                }
                objects += 1;
            }
            used.extend(pair.everything().difference(&missing).cloned());
            not_used.extend(missing.iter().map(|only| format!("{}: {}", pair.name(), only.name())));
            assert!(missing.iter().all(|only| unused.contains(only)), "{}: {missing:?}", pair.name());
            // With a standard value, the same field violates rules of experimental, so it is not silently dropped there either.
            for object in numbered(pair, "refused", transplanted) {
                let answer = store(&client, pair, &object, "Strict").await;
                assert_eq!(answer.code, 422, "{}: {:#}", pair.name(), answer.body);
            }
        }
    });
    let known: BTreeSet<String> = NOT_USED.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(not_used, known, "what no object uses, and what is known to be so");
    println!("only experimental has {:?}, {} in total", counted(&all), all.len());
    println!("{objects} objects use {} of them and keep them all: {:?}", used.len(), counted(&used));
}

#[test]
fn standard_loses_exactly_the_fields_that_it_does_not_have() {
    let (Some(made), Some(server)) = (made(), server(crds_of(Channel::Standard))) else { return };
    let client = server.client();
    let (mut gone, mut objects) = (Vec::new(), 0);
    server.block_on(async {
        wait_for(&client, &collections(Channel::Standard)).await;
        create_namespace(&client, NAMESPACE).await;
        for Made { pair, lawful, transplanted, unused } in made {
            let Some(standard) = pair.standard.filter(|standard| standard.served) else { continue };
            let mut missing: BTreeSet<Only> =
                pair.everything().into_iter().filter(|only| !matches!(only.element, Element::Value(_))).collect();
            let takes = lawful.iter().filter(|object| refused(pair, object).is_empty()).chain(transplanted);
            for object in numbered(pair, "cut", takes) {
                let element = format!("{} {object:#}", pair.name());
                let lost = lost(pair, &object);
                assert!(!lost.is_empty(), "{element} loses nothing");
                // `Ignore` is silent and `Warn` names unknown fields; both store the same object.
                let path = format!("{}?dryRun=All&fieldValidation=Ignore", collection(pair));
                let ignoring = send(&client, "POST", &path, Some(&object)).await;
                assert_eq!(ignoring.unknown_fields(), Vec::<String>::new(), "{element}");
                let warning = store(&client, pair, &object, "Warn").await;
                let named: BTreeSet<String> = warning.unknown_fields().into_iter().collect();
                assert_eq!(named, places(&lost), "{element}: other fields are named in the warnings");
                // The creation and the status name a field of the status.
                let warnings = warning.warnings.iter().collect::<BTreeSet<_>>();
                assert_eq!(
                    warnings.len(),
                    lost.len() + usize::from(pair.version.deprecated),
                    "{element}: {warnings:?}"
                );
                // The status is a request of its own.
                let mut answers = [ignoring, warning].map(|answer| authored(&answer.expect(&element)));
                answers.iter_mut().for_each(|answer| drop(answer.as_object_mut().expect("an object").remove("status")));
                assert_eq!(answers[0], answers[1], "{element}");

                let mut stored = authored(&read(&client, pair, &object).await.expect(&element));
                let mut expected = with_defaults(&standard.schema, &without(&object, &lost));
                for object in [&mut stored, &mut expected] {
                    // Another proof checks defaults of a status that was not written.
                    object.as_object_mut().expect("an object").remove("status");
                }
                assert_eq!(stored, expected, "{element}: something else is lost");
                for used in pair.used_by(&object) {
                    missing.remove(&used.only);
                    gone.push(used.only);
                }
                objects += 1;
            }
            let missing: Vec<String> = missing.iter().filter(|only| !unused.contains(only)).map(Only::name).collect();
            assert_eq!(missing, Vec::<String>::new(), "{}: no object lost these", pair.name());
        }
    });
    gone.sort();
    println!(
        "{objects} objects lose exactly what only experimental has, {} places in all: {:?}",
        gone.len(),
        counted(&gone)
    );
}

#[test]
fn strict_validation_names_every_field_that_standard_does_not_have() {
    let (Some(made), Some(server)) = (made(), server(crds_of(Channel::Standard))) else { return };
    let client = server.client();
    let (mut sent, mut messages, mut named) = (Vec::new(), Vec::new(), 0);
    server.block_on(async {
        wait_for(&client, &collections(Channel::Standard)).await;
        create_namespace(&client, NAMESPACE).await;
        for Made { pair, lawful, transplanted, .. } in made.iter().filter(|made| made.pair.is_in_standard()) {
            let objects = lawful.iter().chain(transplanted).filter(|object| !lost(pair, object).is_empty());
            for object in numbered(pair, "strict", objects) {
                let answer = store(&client, pair, &object, "Strict").await;
                assert_eq!(answer.code, 400, "{}: {:#}", pair.name(), answer.body);
                let paths: BTreeSet<String> = answer.unknown_fields().into_iter().collect();
                assert_eq!(paths, places(&lost(pair, &object)), "{}", answer.message());
                named += paths.len();
                messages.push(answer.message().to_owned());
                sent.push(object);
            }
        }
    });
    // The same with kubectl.
    let stream: String = sent.iter().map(|object| format!("{object}\n")).collect();
    let printed = server.kubectl_reading(&["create", "--validate=strict", "-f", "-"], &stream);
    assert!(!printed.success && printed.stdout.is_empty(), "{}", printed.stdout);
    for message in &messages {
        assert!(printed.stderr.contains(message), "kubectl does not print {message}, but\n{}", printed.stderr);
    }
    println!("{} objects are refused with {named} fields named, with --validate=strict of kubectl too", messages.len());
}

#[test]
fn standard_refuses_experimental_values_versions_and_resources() {
    let (Some(made), Some(server)) = (made(), server(crds_of(Channel::Standard))) else { return };
    let client = server.client();
    let mut counts: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut unknown = Vec::new();
    server.block_on(async {
        wait_for(&client, &collections(Channel::Standard)).await;
        create_namespace(&client, NAMESPACE).await;
        for Made { pair, lawful, .. } in made {
            if !pair.is_in_standard() {
                // The path does not exist for any request.
                let object = &numbered(pair, "nowhere", lawful)[0];
                for (method, body) in [("POST", Some(object)), ("GET", None)] {
                    let answer = send(&client, method, &collection(pair), body).await;
                    assert_eq!(answer.code, 404, "{}: {:#}", pair.name(), answer.body);
                }
                counts.entry("versions").or_default().insert(pair.name());
                unknown.push((pair, object.clone()));
                continue;
            }
            for object in numbered(pair, "value", lawful.iter().filter(|object| !refused(pair, object).is_empty())) {
                let refused = refused(pair, &object);
                // With its fields, and unknown fields ignored; and without them, with strict validation.
                let bare = without(&object, &lost(pair, &object));
                for (object, validation) in [(&object, "Ignore"), (&bare, "Strict")] {
                    let answer = store(&client, pair, object, validation).await;
                    assert_eq!(answer.code, 422, "{}: {:#}", pair.name(), answer.body);
                    for used in &refused {
                        let Element::Value(value) = &used.only.element else { continue };
                        let words = format!("Unsupported value: {value}");
                        assert!(
                            answer
                                .causes()
                                .iter()
                                .any(|(field, message)| *field == used.path_text && message.starts_with(&words)),
                            "{}: no cause names {value} at {}: {:#}",
                            pair.name(),
                            used.path_text,
                            answer.body
                        );
                    }
                    assert_eq!(read(&client, pair, object).await.code, 404, "{}: it is there", pair.name());
                }
                let names = refused.iter().map(|used| format!("{}: {}", pair.name(), used.only.name()));
                counts.entry("values").or_default().extend(names);
            }
            let values = pair.everything().into_iter().filter(|only| matches!(only.element, Element::Value(_)));
            let all: BTreeSet<String> = values.map(|only| format!("{}: {}", pair.name(), only.name())).collect();
            assert!(all.is_subset(counts.entry("values").or_default()), "not all of {all:?} were refused");
        }
    });
    for (pair, object) in &unknown {
        let printed = server.kubectl_reading(&["create", "-f", "-"], &object.to_string());
        let words = format!(
            r#"no matches for kind "{}" in version "{}/{}""#,
            pair.crd.names.kind, pair.crd.group, pair.version.name
        );
        assert!(!printed.success && printed.stderr.contains(&words), "{}", printed.stderr);
    }
    println!("refused: {counts:#?}");
}
