//! Forecasts of `crd-upgrade`, compared with a real server: objects of an old bundle are created and read, the new CRDs are installed, and the
//! server then shows, updates and creates them as forecast, with the same texts.
//!
//! Invariants: CRDs of a pair are in an API group of their own, and served as in their bundle. The new CRDs have one more field, which shows
//! when they are in effect. The paths that the server drops and adds are computed here from its own answers. Nothing is left out except what
//! a forecast lists as undecided, which is counted.

mod objects;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crd_channels::Channel;
use crd_cluster::{Cluster, InstalledCrd, Limits, Selection};
use crd_model::CustomResourceDefinition;
use crd_model::crd::{Scope, Version};
use crd_model::schema::{SchemaPath, nodes};
use crd_testdata::File;
use crd_upgrade::inspect::forecast::{Forecast, Forecaster, crd_forecast};
use kube::Client;
use serde_json::{Value, json};

use crate::requests::{Answer, CRDS, TIME_LIMIT, create_namespace, create_whole, send, wait_for, without};
use crate::server::{Crds, server};
use crate::witnesses::{has_status, install, remove, with_workers};

const NAMESPACE: &str = "forecasts";
const DOMAIN: &str = "forecasts.example.com";

/// The newest release.
const NEWEST: &str = "v1.6.1";
/// The pair of charts of a sample: one CRD, a removed field and a new rule.
const SAMPLE: &str = "breaks-rabbitmq";
/// How many objects of each CRD a pair has, and how many the pairs within one release have.
const OBJECTS: usize = 24;
const OBJECTS_OF_SWITCH: usize = 160;
/// The smallest numbers of a proof: objects, and objects with a field that the target does not have.
const FEWEST: usize = 2_000;
const FEWEST_PRUNED: usize = 500;
/// The field that only new CRDs have.
const SENTINEL: &str = "sentinel";
/// How many mismatches are shown.
const SHOWN: usize = 12;

/// Metadata that a server writes, and a copy must not have.
const OF_SERVER: [&str; 4] = ["creationTimestamp", "generation", "resourceVersion", "uid"];

/// Two releases with a channel of each.
struct Pair {
    name: String,
    /// The part of its API groups.
    word: String,
    old: Vec<CustomResourceDefinition>,
    new: Vec<CustomResourceDefinition>,
    wanted: usize,
}

impl Pair {
    fn new(index: usize, [old, new]: [(&str, Channel); 2]) -> Self {
        let word = format!("pair{index}");
        let crds = |(version, channel): (&str, Channel)| {
            let files = crd_testdata::gateway_api(version, channel.name());
            let crds = files.iter().map(|file| CustomResourceDefinition::from_value(&file.json()).expect("a CRD"));
            crds.map(|crd| in_group(crd, &word)).collect::<Vec<_>>()
        };
        let wanted = if old.0 == new.0 { OBJECTS_OF_SWITCH } else { OBJECTS };
        let name = format!("{} {} → {} {}", old.0, old.1.name(), new.0, new.1.name());
        Self { name, old: crds(old), new: crds(new), wanted: crd_testdata::sample(wanted), word }
    }

    /// The CRDs of two charts.
    fn of_charts((name, sides): (&str, [(&str, Vec<File>); 2])) -> Self {
        let word = name.replace('.', "-");
        let crds = |files: &[File]| {
            let crds = files.iter().map(|file| CustomResourceDefinition::from_value(&file.json()).expect("a CRD"));
            crds.map(|crd| in_group(crd, &word)).collect::<Vec<_>>()
        };
        let [old, new] = sides.map(|(_, files)| crds(&files));
        Self { name: name.to_owned(), old, new, wanted: crd_testdata::sample(OBJECTS), word }
    }

    /// The pairs of a proof, or of a sample.
    fn all() -> Vec<Self> {
        use Channel::{Experimental, Standard};
        let mut all = vec![[(NEWEST, Experimental), (NEWEST, Standard)], [(NEWEST, Standard), (NEWEST, Experimental)]];
        for version in crd_testdata::GATEWAY_API.iter().filter(|version| **version != NEWEST) {
            all.push([(version, Standard), (NEWEST, Standard)]);
            all.push([(version, Experimental), (NEWEST, Experimental)]);
            all.push([(version, Experimental), (NEWEST, Standard)]);
        }
        // A sample has one switch, and one upgrade with a switch; its time goes into compiling rules.
        let sample = [all[0], [("v1.1.0", Experimental), (NEWEST, Standard)]];
        let all = if crd_testdata::is_proof() { all } else { sample.to_vec() };
        let releases = all.into_iter().enumerate().map(|(index, pair)| Self::new(index, pair));
        let charts =
            crd_testdata::chart_pairs().into_iter().filter(|(name, _)| crd_testdata::is_proof() || *name == SAMPLE);
        releases.chain(charts.map(Self::of_charts)).collect()
    }

    fn target(&self, name: &str) -> Option<&CustomResourceDefinition> {
        self.new.iter().find(|crd| *crd.name == *name)
    }
}

/// The CRD in the group of its pair.
fn in_group(mut crd: CustomResourceDefinition, word: &str) -> CustomResourceDefinition {
    crd.group = format!("{}.{word}.{DOMAIN}", crd.group).into();
    crd.name = format!("{}.{}", crd.names.plural, crd.group).into();
    crd.annotations.clear();
    crd.labels.clear();
    crd.conversion = None;
    crd
}

pub(crate) fn collection(crd: &CustomResourceDefinition, version: &str, namespace: &str) -> String {
    let namespace = if crd.scope == Scope::Cluster { String::new() } else { format!("namespaces/{namespace}/") };
    format!("/apis/{}/{version}/{namespace}{}", crd.group, crd.names.plural)
}

/// An object to create.
struct Created {
    collection: String,
    has_status: bool,
    object: Value,
}

/// Creates objects with their status. Returns why the server refuses one.
async fn create(client: &Client, created: Vec<Created>) -> Vec<String> {
    let created = Arc::new(created);
    let answers = with_workers(&created, |created, indices| {
        let client = client.clone();
        async move {
            let mut answers = Vec::new();
            for index in indices {
                let Created { collection, has_status, object } = &created[index];
                let answer = match has_status {
                    true => create_whole(&client, collection, object, "Strict").await,
                    false => send(&client, "POST", &format!("{collection}?fieldValidation=Strict"), Some(object)).await,
                };
                answers.push((index, (!answer.is_success()).then(|| format!("{object}\n    {}", answer.body))));
            }
            answers
        }
    });
    answers.await.into_iter().flatten().collect()
}

/// An object before the new CRDs, and its forecast.
struct Foreseen {
    /// Where it is after that.
    collection: String,
    api_version: String,
    before: Value,
    read: Value,
    forecast: Forecast,
}

/// What the server does with an object after the new CRDs.
struct Seen {
    get: Answer,
    update: Answer,
    create: Answer,
}

async fn see(client: &Client, foreseen: &Foreseen) -> Seen {
    let Foreseen { collection, api_version, before, .. } = foreseen;
    let path = format!("{collection}/{}", before["metadata"]["name"].as_str().expect("a name"));
    let get = send(client, "GET", &path, None).await;
    let mut labelled = get.body.clone();
    labelled["metadata"]["labels"]["proof"] = json!("yes");
    let update = send(client, "PUT", &format!("{path}?dryRun=All"), Some(&labelled)).await;
    let mut copy = without(before, &OF_SERVER);
    copy["apiVersion"] = json!(api_version);
    copy["metadata"]["name"] = json!("copy");
    let create = send(client, "POST", &format!("{collection}?dryRun=All&fieldValidation=Ignore"), Some(&copy)).await;
    Seen { get, update, create }
}

/// The errors of an answer; nothing if it is a success.
fn errors(answer: &Answer) -> BTreeSet<(String, String)> {
    let own = |(field, message): (&str, &str)| (field.to_owned(), message.to_owned());
    let errors: BTreeSet<_> = answer.causes().into_iter().map(own).collect();
    if errors.is_empty() && !answer.is_success() {
        [(String::new(), answer.message().to_owned())].into()
    } else {
        errors
    }
}

fn forecast_errors(errors: &[crd_apiserver::objects::FieldError]) -> BTreeSet<(String, String)> {
    errors.iter().map(|error| (error.field.clone(), error.message.clone())).collect()
}

/// A path of an object.
struct Node {
    /// The path above.
    above: String,
    /// The value, if nothing is below.
    leaf: Option<Value>,
}

/// Every path of an object outside its metadata.
fn paths(value: &Value) -> BTreeMap<String, Node> {
    fn walk(above: &str, name: String, value: &Value, found: &mut BTreeMap<String, Node>) {
        let path = match above.is_empty() || name.starts_with('[') {
            true => format!("{above}{name}"),
            false => format!("{above}.{name}"),
        };
        let mut leaf = None;
        match value {
            Value::Object(object) => object.iter().for_each(|(name, value)| walk(&path, name.clone(), value, found)),
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, item)| walk(&path, format!("[{index}]"), item, found));
            }
            scalar => leaf = Some(scalar.clone()),
        }
        found.insert(path, Node { above: above.to_owned(), leaf });
    }
    let mut found = BTreeMap::from([(String::new(), Node { above: String::new(), leaf: None })]);
    for (name, value) in value.as_object().into_iter().flatten() {
        if !["apiVersion", "kind", "metadata"].contains(&name.as_str()) {
            walk("", name.clone(), value, &mut found);
        }
    }
    found
}

/// The paths that only the first object has, without those below them. With `changed`, also those of other values.
fn only_in(one: &Value, other: &Value, changed: bool) -> BTreeSet<String> {
    let (one, other) = (paths(one), paths(other));
    let only = one.iter().filter(|(path, node)| match other.get(*path) {
        Some(Node { leaf, .. }) => changed && *leaf != node.leaf,
        None => other.get(&node.above).is_some_and(|above| above.leaf.is_none()),
    });
    only.map(|(path, _)| path.clone()).collect()
}

/// One row of the table.
#[derive(Default)]
struct Row {
    crds: usize,
    /// CRDs that the target does not have, and those that the server refuses. Their objects are not compared.
    absent: usize,
    refused: usize,
    objects: usize,
    pruned: usize,
    /// The schema paths that the target does not have: those that objects have, and all.
    paths: BTreeSet<String>,
    missing: BTreeSet<String>,
    defaulted: usize,
    updates: usize,
    creations: usize,
    undecided: usize,
    wrong: Vec<String>,
}

impl Row {
    fn compare(&mut self, foreseen: &Foreseen, seen: &Seen) {
        let Foreseen { before, read, forecast, .. } = foreseen;
        self.objects += 1;
        self.undecided += usize::from(!forecast.undecided.is_empty());
        let mut differences = Vec::new();
        let mut compare = |what: &str, is_equal: bool, ours: String, server: String| {
            if !is_equal {
                differences.push(format!("{what}\n      forecast: {ours}\n      server:   {server}"));
            }
        };
        let after = without(&seen.get.body, &["managedFields"]);
        compare("the object as it is read", after == *read, read.to_string(), after.to_string());
        let pruned = only_in(before, &after, false);
        let defaulted = only_in(&after, before, true);
        let same = |ours: &[String], server: &BTreeSet<String>| {
            ours.len() == server.len() && ours.iter().all(|path| server.contains(path))
        };
        let show = |paths: &dyn std::fmt::Debug| format!("{paths:?}");
        compare("pruned", same(&forecast.pruned, &pruned), show(&forecast.pruned), show(&pruned));
        compare("defaulted", same(&forecast.defaulted, &defaulted), show(&forecast.defaulted), show(&defaulted));
        for (what, ours, answer) in
            [("update", &forecast.update, &seen.update), ("create", &forecast.create, &seen.create)]
        {
            let (ours, server) = (forecast_errors(ours), errors(answer));
            if forecast.undecided.is_empty() {
                compare(what, ours == server, show(&ours), show(&server));
            }
        }
        self.pruned += usize::from(!pruned.is_empty());
        let kind = before["kind"].as_str().unwrap_or_default();
        self.paths.extend(pruned.iter().map(|path| format!("{kind} {}", schema_path(path))));
        self.defaulted += usize::from(!defaulted.is_empty());
        self.updates += usize::from(!seen.update.is_success());
        self.creations += usize::from(!seen.create.is_success());
        self.wrong.extend(differences.into_iter().map(|difference| format!("{before}\n    {difference}")));
    }

    fn add(&mut self, other: Self) {
        self.crds += other.crds;
        self.absent += other.absent;
        self.refused += other.refused;
        self.objects += other.objects;
        self.pruned += other.pruned;
        self.paths.extend(other.paths);
        self.missing.extend(other.missing);
        self.defaulted += other.defaulted;
        self.updates += other.updates;
        self.creations += other.creations;
        self.undecided += other.undecided;
        self.wrong.extend(other.wrong);
    }

    fn print(&self, name: &str) {
        let Self {
            crds,
            absent,
            refused,
            objects,
            pruned,
            paths,
            missing,
            defaulted,
            updates,
            creations,
            undecided,
            wrong,
        } = self;
        println!(
            "| {name} | {crds} | {absent} | {refused} | {objects} | {pruned} | {} of {} | {defaulted} | {updates} | {creations} | {undecided} | {} |",
            paths.len(),
            missing.len(),
            wrong.len()
        );
    }
}

/// The paths of a version that the requested version of the target does not have, without those below them.
fn missing(old: &Version, target: &CustomResourceDefinition, requested: &str) -> Vec<String> {
    let target = target.versions.iter().find(|version| *version.name == *requested).expect("the requested version");
    let is_missing = |path: &SchemaPath| {
        path.node(&target.schema).is_none() && path.above().is_some_and(|above| above.node(&target.schema).is_some())
    };
    let all = nodes(&old.schema).into_iter().map(|(path, _)| path);
    all.filter(is_missing).map(|path| path.to_string().replace("[*]", "")).collect()
}

/// The path without indices.
fn schema_path(path: &str) -> String {
    let parts = path.split('[').enumerate();
    parts
        .map(|(index, part)| if index == 0 { part } else { part.split_once(']').map_or("", |(_, rest)| rest) })
        .collect()
}

/// Installs the new CRD over the old one. Returns the server's errors.
pub(crate) async fn replace(client: &Client, target: &CustomResourceDefinition) -> BTreeSet<String> {
    let path = format!("{CRDS}/{}", target.name);
    let mut target = target.clone();
    for version in &mut target.versions {
        let any = crd_model::Schema { kind: Some("object".into()), ..crd_model::Schema::default() };
        version.schema.properties.insert(SENTINEL.into(), any);
    }
    loop {
        let mut installed = send(client, "GET", &path, None).await.expect("the CRD");
        installed["spec"] = target.to_value()["spec"].take();
        let answer = send(client, "PUT", &path, Some(&installed)).await;
        // The server's controllers write the status of a new CRD.
        if answer.code != 409 {
            return errors(&answer).into_iter().map(|(field, message)| format!("{field}: {message}")).collect();
        }
    }
}

/// Waits until the server reads objects of this version with the new schema.
pub(crate) async fn wait_for_schema(client: &Client, crd: &CustomResourceDefinition, version: &str, namespace: &str) {
    let mut probe = json!({"apiVersion": format!("{}/{version}", crd.group), "kind": crd.names.kind, "metadata": {"name": "probe"}});
    probe[SENTINEL] = json!({});
    let path = format!("{}?dryRun=All&fieldValidation=Strict", collection(crd, version, namespace));
    let start = Instant::now();
    loop {
        let answer = send(client, "POST", &path, Some(&probe)).await;
        let is_known = !answer.unknown_fields().iter().any(|path| path == SENTINEL);
        if is_known && matches!(answer.code, 201 | 400 | 422) {
            return;
        }
        assert!(start.elapsed() < TIME_LIMIT, "{path}: {} {}", answer.code, answer.body);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The installed CRDs of a pair that the cluster reader finds.
async fn read_crds(cluster: &Cluster, pair: &Pair) -> Vec<InstalledCrd> {
    let group = format!("{}.{DOMAIN}", pair.word);
    let crds = cluster.crds(&Selection { groups: vec![group], prefix: None }).await.expect("CRDs");
    assert_eq!(crds.len(), pair.old.len(), "{}", pair.name);
    crds
}

/// The time that forecasts take.
#[derive(Default)]
struct Timed {
    objects: u32,
    total: Duration,
}

/// The journey of one pair.
async fn journey(client: &Client, cluster: &Cluster, pair: &Pair, minor: u32, timed: &mut Timed) -> Row {
    let mut row = Row::default();
    let documents = Arc::new(pair.old.iter().map(CustomResourceDefinition::to_value).collect::<Vec<_>>());
    for answer in install(client, &documents).await {
        answer.expect("the old CRD");
    }
    let storage = |crd: &CustomResourceDefinition| {
        crd.versions.iter().find(|version| version.storage).expect("a storage version").clone()
    };
    wait_for(client, &pair.old.iter().map(|crd| collection(crd, &storage(crd).name, NAMESPACE)).collect::<Vec<_>>())
        .await;
    let created = pair.old.iter().flat_map(|crd| {
        let version = storage(crd);
        let objects = objects::objects(crd, &version, pair.target(&crd.name), pair.wanted, minor);
        objects.into_iter().map(move |mut object| {
            if crd.scope == Scope::Namespaced {
                object["metadata"]["namespace"] = json!(NAMESPACE);
            }
            Created { collection: collection(crd, &version.name, NAMESPACE), has_status: has_status(&version), object }
        })
    });
    let created = created.collect::<Vec<_>>();
    let expected = created.len();
    row.wrong.extend(create(client, created).await.into_iter().map(|refusal| format!("not created: {refusal}")));

    let (mut foreseen, mut read) = (Vec::new(), 0);
    for installed in read_crds(cluster, pair).await {
        let old = installed.crd.as_ref().expect("a readable CRD");
        let target = pair.target(&old.name);
        let version = storage(old);
        let mut before = Vec::new();
        let listing = cluster.objects(old, &version.name, &mut |object| before.push(object), &mut |_| {}).await;
        assert!(listing.is_complete && listing.diagnostics.is_empty(), "{listing:?}");
        row.crds += 1;
        let of_crd = crd_forecast(old, &installed.stored_versions, target, minor);
        assert_eq!(of_crd.is_absent, target.is_none());
        read += before.len();
        let Some(target) = target else {
            row.absent += 1;
            continue;
        };
        let forecaster = Forecaster::prepare(old, &version.name, Some(target), None, minor);
        let forecaster = forecaster.expect("rules compile").expect("there is a target");
        let requested = forecaster.version().expect("a version").to_owned();
        let of_objects = before.into_iter().map(|crd_cluster::Object { value: before, metadata, .. }| {
            let managed_fields = metadata.managed_fields;
            let start = Instant::now();
            let forecast = forecaster.of(&before, &managed_fields);
            timed.total += start.elapsed();
            timed.objects += 1;
            Foreseen {
                collection: collection(target, &requested, NAMESPACE),
                api_version: format!("{}/{requested}", target.group),
                read: forecaster.read(&before, &managed_fields),
                before,
                forecast,
            }
        });
        let of_objects = of_objects.collect::<Vec<_>>();
        let refusals = replace(client, target).await;
        if refusals != of_crd.refusals.iter().cloned().collect() {
            row.wrong.push(format!("{}\n    forecast: {:?}\n    server:   {refusals:?}", old.name, of_crd.refusals));
        }
        if !refusals.is_empty() {
            row.refused += 1;
            continue;
        }
        wait_for_schema(client, target, &requested, NAMESPACE).await;
        for version in old.versions.iter().filter(|version| version.served) {
            let is_served =
                send(client, "GET", &format!("{}?limit=1", collection(old, &version.name, NAMESPACE)), None).await.code
                    != 404;
            if is_served == of_crd.unserved.iter().any(|name| *name == *version.name) {
                row.wrong.push(format!("{} {}: served: {is_served}", old.name, version.name));
            }
        }
        let missing = missing(&version, target, &requested).into_iter();
        row.missing.extend(missing.map(|path| format!("{} {path}", old.names.kind)));
        foreseen.extend(of_objects);
    }
    let foreseen = Arc::new(foreseen);
    let seen = with_workers(&foreseen, |foreseen, indices| {
        let client = client.clone();
        async move {
            let mut seen = Vec::new();
            for index in indices {
                seen.push((index, see(&client, &foreseen[index]).await));
            }
            seen
        }
    });
    for (foreseen, seen) in foreseen.iter().zip(&seen.await) {
        row.compare(foreseen, seen);
    }
    assert_eq!(read, expected, "{}: objects are created and read", pair.name);
    remove(client, &documents).await;
    row
}

#[test]
fn a_server_does_what_was_forecast() {
    let Some(server) = server(Crds::Nothing) else { return };
    let minor = server.number();
    let (mut total, mut timed) = (Row::default(), Timed::default());
    println!("Kubernetes 1.{minor}");
    println!(
        "| pair | CRDs | absent | refused | objects | with pruned fields | pruned paths | with defaults | updates refused | \
         creations refused | undecided | mismatches |\n|-|-|-|-|-|-|-|-|-|-|-|-|"
    );
    server.block_on(async {
        let client = server.client();
        create_namespace(&client, NAMESPACE).await;
        let cluster =
            Cluster::of_client(client.clone(), "https://localhost", Limits::default()).await.expect("connected");
        for pair in Pair::all() {
            let row = journey(&client, &cluster, &pair, minor, &mut timed).await;
            row.print(&pair.name);
            total.add(row);
        }
    });
    total.print("all");
    println!("{:?} for each forecast of {}", timed.total / timed.objects.max(1), timed.objects);
    let shown = total.wrong.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(total.wrong.is_empty(), "{} mismatches:\n{shown}", total.wrong.len());
    assert!(total.pruned > 0 && total.updates > 0 && total.creations > total.updates, "the objects are too similar");
    if crd_testdata::is_proof() {
        assert_eq!(total.paths, total.missing, "each path that a target does not have is pruned");
        assert!(total.objects >= FEWEST && total.pruned >= FEWEST_PRUNED, "{} objects", total.objects);
    }
}
