//! `docs`: the data of the page is that of the CRDs and of `diff`, and the command writes one file.
//!
//! Invariants: the data is read here without our code: the schemas are built again from it, and compared with the published documents.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crd_channels_cli::{Exit, Session, run_without_types_in};
use flate2::read::GzDecoder;
use serde_json::{Map, Value, json};

use crate::support::{Place, Ran, things, things_of};

/// Runs the program without types.
fn run(folder: &Path, arguments: &[&str]) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = run_without_types_in(arguments.iter().copied(), &mut Session::new(folder, &mut out, &mut err));
    let text = |bytes: Vec<u8>| anstream::adapter::strip_str(&String::from_utf8(bytes).unwrap()).to_string();
    Ran { exit, out: text(out), err: text(err) }
}

/// The data of a page.
fn data(html: &str) -> Value {
    let (_, rest) = html.split_once("id=\"data\">").unwrap();
    let (packed, _) = rest.split_once('<').unwrap();
    let bytes = STANDARD.decode(packed.trim()).unwrap();
    assert_eq!(&bytes[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255], "the header has a time or a system");
    let mut text = String::new();
    GzDecoder::new(&*bytes).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The page that a command writes.
fn page(folder: &Path, arguments: &[&str]) -> String {
    let out = tempfile::tempdir().unwrap();
    let all = [&["docs", "--out", out.path().to_str().unwrap()], arguments].concat();
    let ran = run(folder, &all);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    fs::read_to_string(out.path().join("index.html")).unwrap()
}

/// The data of the page that a command writes.
fn written(folder: &Path, arguments: &[&str]) -> Value {
    data(&page(folder, arguments))
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The page of this repository, and its data.
static OWN: LazyLock<(String, Value)> = LazyLock::new(|| {
    let html = page(root(), &[]);
    let data = data(&html);
    (html, data)
});

/// The value of change points in a release and a channel.
fn at(points: &Value, release: usize, channel: usize) -> i64 {
    let points = points.as_array().unwrap().iter();
    let until = points.take_while(|point| point[0].as_u64().unwrap() <= release as u64);
    until.last().map_or(-1, |point| point[channel + 1].as_i64().unwrap())
}

/// The schema of a node in a release and a channel.
fn schema(data: &Value, node: &Value, release: usize, channel: usize) -> Option<Value> {
    let state = usize::try_from(at(&node["s"], release, channel)).ok()?;
    let mut schema = data["states"][state].as_object().unwrap().clone();
    let mut properties = Map::new();
    for child in node["c"].as_array().into_iter().flatten() {
        let Some(below) = self::schema(data, child, release, channel) else { continue };
        match (child["n"].as_str().unwrap(), child["p"].is_null()) {
            ("[]", true) => drop(schema.insert("items".to_owned(), below)),
            ("{}", true) => drop(schema.insert("additionalProperties".to_owned(), below)),
            (name, _) => drop(properties.insert(name.to_owned(), below)),
        }
    }
    if !properties.is_empty() {
        schema.insert("properties".to_owned(), properties.into());
    }
    Some(schema.into())
}

/// The CRDs of a release and a channel, by name: for each version its facts and its schema.
fn crds(data: &Value, release: usize, channel: usize) -> BTreeMap<String, BTreeMap<String, Value>> {
    let crds = data["crds"].as_array().unwrap().iter().filter(|crd| at(&crd["in"], release, channel) == 1);
    let of_crd = |crd: &Value| {
        let versions = crd["versions"].as_array().unwrap().iter().filter_map(|version| {
            let facts = usize::try_from(at(&version["facts"], release, channel)).ok()?;
            let mut facts = data["facts"][facts].clone();
            facts["schema"] = schema(data, &version["root"], release, channel)?;
            Some((version["name"].as_str().unwrap().to_owned(), facts))
        });
        (crd["name"].as_str().unwrap().to_owned(), versions.collect())
    };
    crds.map(of_crd).collect()
}

/// The same of a published document.
fn published(crd: &Value) -> (String, BTreeMap<String, Value>) {
    let versions = crd["spec"]["versions"].as_array().unwrap().iter().map(|version| {
        let mut facts = version.clone();
        facts["schema"] = facts["schema"]["openAPIV3Schema"].take();
        normalize(&mut facts["schema"]);
        let facts = facts.as_object_mut().unwrap();
        let name = facts.remove("name").unwrap().as_str().unwrap().to_owned();
        // False and empty values count as absent.
        facts.retain(|key, value| !(key == "deprecated" && *value == json!(false)) && *value != json!([]));
        (name, Value::Object(facts.clone()))
    });
    (crd["metadata"]["name"].as_str().unwrap().to_owned(), versions.collect())
}

fn normalize(schema: &mut Value) {
    match schema {
        Value::Object(entries) => {
            if let Some(Value::Array(names)) = entries.get_mut("required") {
                names.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
            }
            // Not a keyword: servers drop it from a CRD of OpenShift.
            entries.retain(|key, value| !(key == "optional" && value.is_array()));
            entries.values_mut().for_each(normalize);
        }
        Value::Array(items) => items.iter_mut().for_each(normalize),
        _ => {}
    }
}

/// The first part that differs, as a path and both values.
fn difference(path: &str, one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(these), Value::Object(those)) => {
            let keys = these.keys().chain(those.keys()).collect::<BTreeSet<_>>();
            let of = |value: &Map<String, Value>, key: &str| value.get(key).cloned().unwrap_or_default();
            keys.into_iter().find_map(|key| difference(&format!("{path}/{key}"), &of(these, key), &of(those, key)))
        }
        _ => (one != other).then(|| format!("{path}: {one} is not {other}")),
    }
}

/// The numbers of a version, which has another form in the names of some folders: `release-4.10`.
fn numbers(version: &str) -> Vec<u64> {
    let parts = version.split(|character: char| !character.is_ascii_digit()).filter_map(|part| part.parse().ok());
    parts.chain([0, 0]).take(3).collect()
}

/// Compares the data of a page with the documents of all releases of a history, in every channel. Of documents of `v1beta1`, which a server
/// converts, the names of CRDs are compared. Returns the number of compared versions.
fn compare(data: &Value, folder: &Path) -> usize {
    let mut compared = 0;
    for (release, listed) in data["releases"].as_array().unwrap().iter().enumerate() {
        let version = listed["version"].as_str().unwrap();
        for (slot, channel) in data["channels"].as_array().unwrap().iter().enumerate() {
            let channel = channel.as_str().unwrap();
            let mut folders = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
            let of_release = folders.find(|entry| numbers(&entry.file_name().to_string_lossy()) == numbers(version));
            let of_release = of_release.unwrap().path();
            let below = of_release.join(channel);
            let below = if below.is_dir() { below } else { of_release };
            let files = fs::read_dir(below).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
            let documents = files.map(|path| serde_json::from_slice::<Value>(&fs::read(path).unwrap()).unwrap());
            let documents = documents.collect::<Vec<_>>();
            let found = crds(data, release, slot);
            let names = documents.iter().map(|document| document["metadata"]["name"].as_str().unwrap());
            let names = names.collect::<BTreeSet<_>>();
            assert!(found.keys().eq(names), "{version} {channel}: {:?}", found.keys());
            for document in documents.iter().filter(|document| document["apiVersion"] == "apiextensions.k8s.io/v1") {
                let (name, versions) = published(document);
                assert!(found[&name].keys().eq(versions.keys()), "{version} {channel} {name}");
                for (api_version, facts) in &versions {
                    let place = format!("{version} {channel} {name} {api_version}");
                    assert_eq!(difference(&place, &found[&name][api_version], facts), None);
                    compared += 1;
                }
            }
        }
    }
    compared
}

#[test]
fn the_schemas_of_all_releases_are_those_of_the_crds() {
    // The releases of Gateway API are compared with their data in the test of the differences.
    let sampled = ["karpenter"];
    let projects = if crd_testdata::is_proof() { crd_testdata::HISTORIES } else { &sampled };
    for project in projects {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join(project);
        crd_testdata::unpack_history(project, &folder);
        let data = written(place.path(), &["--crds", project]);
        assert_eq!(data["format"], json!(1));
        let compared = compare(&data, &folder);
        println!("{project}: {compared} schemas of {} releases", data["releases"].as_array().unwrap().len());
        assert!(compared >= 15, "{project}: {compared}");
    }
}

/// The size is checked, and the time is printed: it depends on the machine and on what else it does.
#[test]
fn the_page_of_gateway_api_is_small() {
    let bytes = OWN.0.len();
    if crd_testdata::is_proof() {
        let mut times = [0; 21].map(|_| {
            let start = Instant::now();
            assert_eq!(page(root(), &[]).len(), bytes);
            start.elapsed().as_millis()
        });
        times.sort_unstable();
        println!("{bytes} bytes, written in {} ms (median of 21; the fastest: {} ms)", times[10], times[0]);
    }
    assert!(bytes <= 1_500_000, "{bytes}");
}

/// A finding as `diff` prints it, without the line of a file.
fn whole(finding: &Value, defaults: &Value) -> Value {
    let mut whole = defaults.clone();
    for (key, value) in finding.as_object().unwrap() {
        whole[key] = value.clone();
    }
    whole["source"] = Value::Null;
    whole
}

/// Findings without their lines, and without those about stamps, which each release has for each CRD. `diff` orders findings by their lines.
fn comparable<'f>(findings: impl IntoIterator<Item = &'f Value>, defaults: &Value) -> Vec<String> {
    let is_stamp = |finding: &&Value| finding["rule"] == "stamps" && finding["effectiveBump"] == "none";
    let findings = findings.into_iter().filter(|finding| !is_stamp(finding));
    let mut findings = findings.map(|finding| whole(finding, defaults).to_string()).collect::<Vec<_>>();
    findings.sort_unstable();
    findings
}

#[test]
fn the_differences_of_neighbours_are_those_of_diff() {
    let root = root();
    let place = Place::new();
    crd_testdata::unpack_history("gateway-api", &place.path().join("bundles"));
    place.write("bundles/tombstones.yaml", fs::read(root.join("bundles/tombstones.yaml")).unwrap());
    let data = written(place.path(), &["--profile", "gep-922"]);
    assert!(compare(&data, &place.path().join("bundles")) >= 15);
    let releases = data["releases"].as_array().unwrap();
    let differences = data["differences"].as_array().unwrap();
    assert_eq!(differences.len() + 1, releases.len());
    let mut findings = 0;
    // From the newest on, every fourth; in a proof each.
    let step = if crd_testdata::is_proof() { 1 } else { 4 };
    for (index, difference) in differences.iter().enumerate().rev().step_by(step) {
        let [old, new] = [index, index + 1].map(|index| releases[index]["version"].as_str().unwrap());
        let ran = run(place.path(), &["diff", old, new, "--profile", "gep-922", "--format", "json"]);
        let document: Value = serde_json::from_str(&ran.out).unwrap();
        let of = |document: &Value| comparable(document["findings"].as_array().unwrap(), &data["findingDefaults"]);
        let (expected, found) = (of(&document), of(difference));
        assert_eq!(found, expected, "{old} {new}");
        assert_eq!(difference["from"], json!(index));
        for key in ["verdict", "permitted", "fits", "profile"] {
            assert_eq!(difference[key], document[key], "{old} {new} {key}");
        }
        for channel in document["channels"].as_array().unwrap() {
            let name = channel["channel"].as_str().unwrap();
            assert_eq!(difference["channels"][name], channel["verdict"], "{old} {new} {name}");
        }
        findings += found.len();
    }
    assert!(findings > 150, "{findings}");

    // The history archive of the repository leads to the same findings, except for its own bundle, which is not upstream's.
    let own = &OWN.1;
    let conversions = fs::read_to_string(root.join("bundles/unreleased/conversions.json")).unwrap();
    let conversions: Value = serde_json::from_str(&conversions).unwrap();
    let names = |list: &Value| list.as_array().unwrap().iter().map(|lens| lens["name"].clone()).collect::<Vec<_>>();
    assert_eq!(names(&own["conversions"]), names(&conversions["lenses"]));
    assert!(!names(&own["conversions"]).is_empty());
    let (own, differences) = (own["differences"].as_array().unwrap(), &differences[..differences.len() - 1]);
    for (own, difference) in own.iter().zip(differences) {
        // The archive has no texts.
        let of = |difference: &Value| {
            let findings = difference["findings"].as_array().unwrap().iter();
            comparable(findings.filter(|finding| finding["rule"] != "words"), &data["findingDefaults"])
        };
        assert_eq!(of(own), of(difference));
        assert_eq!((&own["verdict"], &own["fits"]), (&difference["verdict"], &difference["fits"]));
    }
}

/// The rows of the table of a picture.
fn rows(html: &str, picture: &str) -> Vec<Vec<String>> {
    let (_, figure) = html.split_once(&format!("id=\"picture-{picture}\"")).unwrap();
    let (figure, _) = figure.split_once("</figure>").unwrap();
    let (_, body) = figure.split_once("<tbody>").unwrap();
    let cells = |row: &str| {
        let cells = row.split("<td>").skip(1).map(|cell| cell.split("</td>").next().unwrap().to_owned());
        cells.collect::<Vec<_>>()
    };
    body.split("<tr>").skip(1).map(cells).collect()
}

/// The picture has what the testbed compares with the Secrets of Helm.
#[test]
fn what_helm_stores_is_that_of_the_charts() {
    let shown = rows(&OWN.0, "charts");
    let channels = shown.iter().map(|row| &*row[0]).collect::<Vec<_>>();
    assert_eq!(channels, ["standard", "experimental"]);
    for row in &shown {
        let bytes: usize = row[1].replace(',', "").parse().unwrap();
        assert!((50_000..1_000_000).contains(&bytes), "{row:?}");
    }
    // Those of a small API are too far from the limit.
    let place = Place::with(&things());
    let ran = place.run(&things(), &["docs"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert!(!place.read("site/index.html").contains("picture-charts"));
    // Not of CRDs that other projects publish in another way.
    let html = page(root(), &["--crds", "bundles/v1.6.1"]);
    assert!(html.contains("picture-overlap") && !html.contains("picture-charts"));
}

/// The picture and the table of graduation have the same experimental fields, since the same releases.
#[test]
fn experimental_fields_live_as_long_as_in_the_table_of_graduation() {
    let (html, data) = &*OWN;
    let kind = |crd: &Value| {
        let found = data["crds"].as_array().unwrap().iter().find(|known| known["name"] == *crd);
        found.unwrap()["kind"].as_str().unwrap().to_owned()
    };
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let graduation = data["graduation"]["rows"].as_array().unwrap().iter().filter(|row| row["kind"] == "field");
    let graduation = graduation.map(|row| [kind(&row["crd"]), text(&row["path"]), text(&row["first"]["bundle"])]);
    let rows = rows(html, "lives").into_iter().filter(|row| row[4] == "still experimental" && row[1].contains('.'));
    let pictured = rows.map(|row| [row[0].clone(), row[1].clone(), row[2].clone()]).collect::<BTreeSet<_>>();
    assert_eq!(pictured, graduation.collect());
    assert!(pictured.len() > 5, "{pictured:?}");
}

/// Projects of which a committed report passes the feature of a field.
#[test]
fn fields_have_their_features_and_who_passes_them() {
    let (_, data) = &*OWN;
    let of = |path: &str, value: &Value| {
        let mut elements = data["features"].as_array().unwrap().iter();
        let element = elements.find(|element| element["path"] == path && element["value"] == *value).unwrap();
        (element["features"].clone(), element["passing"].as_array().unwrap().clone())
    };
    let (features, passing) = of("spec.rules[*].filters[*].cors", &Value::Null);
    assert_eq!(features, json!(["HTTPRouteCORS"]));
    let has = |project: &str| passing.iter().any(|passing| passing.as_str().unwrap().starts_with(project));
    assert!(has("agentgateway/agentgateway v1.") && !has("GKE/"), "{passing:?}");
    assert_eq!(of("spec.addresses[*].routability", &json!("Cluster")).1, [] as [Value; 0]);
}

/// The letters of a text without markup.
fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphabetic()).collect()
}

/// The letters of HTML.
fn letters_of_html(html: &str) -> String {
    let mut text = String::new();
    for (number, part) in html.split('<').enumerate() {
        text.push_str(if number == 0 { part } else { part.split_once('>').unwrap().1 });
    }
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    letters(&entities.into_iter().fold(text, |text, (entity, character)| text.replace(entity, character)))
}

#[test]
fn each_description_of_the_newest_bundle_is_in_the_page() {
    let (root, data) = (root(), &OWN.1);
    let newest = data["newest"].as_u64().unwrap();
    let version = data["releases"][usize::try_from(newest).unwrap()]["version"].as_str().unwrap();
    let mut compared = 0;
    for (slot, channel) in ["standard", "experimental"].into_iter().enumerate() {
        for crd in data["crds"].as_array().unwrap() {
            let (group, plural) = (crd["group"].as_str().unwrap(), crd["plural"].as_str().unwrap());
            let path = root.join("bundles").join(version).join(channel).join(format!("{group}_{plural}.yaml"));
            let Ok(text) = fs::read_to_string(path) else { continue };
            let document = crd_model::yaml::read(&text).unwrap().remove(0);
            for version in document["spec"]["versions"].as_array().unwrap() {
                let listed =
                    crd["versions"].as_array().unwrap().iter().find(|listed| listed["name"] == version["name"]);
                let schema = &version["schema"]["openAPIV3Schema"];
                compared += descriptions(data, &listed.unwrap()["root"], schema, slot);
            }
        }
    }
    assert!(compared > 2_500, "{compared}");
}

/// Compares the descriptions of a node and of what is below it.
fn descriptions(data: &Value, node: &Value, schema: &Value, slot: usize) -> usize {
    let index = node["d"][slot].as_i64().unwrap_or(-1);
    let shown = usize::try_from(index).ok().map(|index| data["texts"][index].as_str().unwrap());
    let description = schema["description"].as_str();
    assert_eq!(shown.map(letters_of_html), description.map(letters), "{node}");
    let below = node["c"].as_array().into_iter().flatten().map(|child| {
        let below = match child["n"].as_str().unwrap() {
            "[]" => &schema["items"],
            "{}" => &schema["additionalProperties"],
            name => &schema["properties"][name],
        };
        if below.is_object() { descriptions(data, child, below, slot) } else { 0 }
    });
    below.sum::<usize>() + usize::from(description.is_some())
}

#[test]
fn sizes_are_read_or_computed() {
    let (root, data) = (root(), &OWN.1);
    let table = fs::read_to_string(root.join("bundles/sizes.tsv")).unwrap();
    let upstream = table.lines().skip(1).map(|line| {
        let columns = line.split('\t').collect::<Vec<_>>();
        ((columns[0], columns[1], columns[2]), columns[3].parse::<i64>().unwrap())
    });
    let upstream = upstream.collect::<BTreeMap<_, _>>();
    let (mut read, mut computed) = (0, 0);
    for (release, listed) in data["releases"].as_array().unwrap().iter().enumerate() {
        let version = listed["version"].as_str().unwrap();
        for crd in data["crds"].as_array().unwrap() {
            let name = crd["name"].as_str().unwrap();
            let sizes = [0, 1].map(|slot| at(&crd["sizes"], release, slot));
            let known = ["standard", "experimental"].map(|channel| upstream.get(&(version, channel, name)).copied());
            if listed["text"] == json!(false) {
                assert_eq!(sizes.map(|size| (size >= 0).then_some(size)), known, "{version} {name}");
                read += 1;
            } else if let [Some(standard), Some(experimental)] = known {
                // Our descriptions are different. Where both channels have the same, only the names of the channels differ in length, in both.
                assert!(sizes[0] < standard && sizes[1] < experimental, "{version} {name}");
                if experimental - standard == 4 {
                    assert_eq!(sizes[1] - sizes[0], 4, "{version} {name}");
                    computed += 1;
                }
            }
        }
    }
    assert!(read > 200 && computed >= 3, "{read} {computed}");
}

#[test]
fn one_file_is_written_and_checked() {
    let place = Place::with(&things());
    let docs = |arguments: &[&str]| place.run(&things(), &[&["docs"], arguments].concat());
    let missing = docs(&["--check"]);
    assert_eq!(missing.exit, Exit::Stale, "{missing:?}");
    assert!(!place.path().join("site").exists());

    let first = docs(&["--format", "json"]);
    let document: Value = serde_json::from_str(&first.out).unwrap();
    let bytes = place.read("site/index.html");
    assert_eq!((&document["state"], &document["bytes"]), (&json!("written"), &json!(bytes.len())), "{first:?}");
    assert_eq!((&document["releases"], &document["resources"]), (&json!(1), &json!(3)), "{first:?}");
    let releases = &data(&bytes)["releases"];
    assert_eq!(*releases, json!([{"version": "v1.2.0", "date": null, "text": true, "unreleased": true}]));

    let again = docs(&[]);
    assert_eq!(again.exit, Exit::Fine);
    assert!(again.out.contains("site/index.html is up to date: 1 release, 3 resources"), "{again:?}");
    assert_eq!(place.read("site/index.html"), bytes);
    assert_eq!(docs(&["--check"]).exit, Exit::Fine);

    place.write("site/index.html", bytes.replace("</main>", " </main>"));
    assert_eq!(docs(&["--check"]).exit, Exit::Stale);

    place.write("site/index.html", "my page\n");
    let other = docs(&[]);
    assert_eq!(other.exit, Exit::Unusable);
    assert!(other.err.contains("is not a page of `docs`"), "{other:?}");
    assert_eq!(place.read("site/index.html"), "my page\n");
}

/// A CRD with one field.
fn crd(name: &str) -> String {
    let schema =
        json!({"type": "object", "properties": {"spec": {"type": "object", "description": "What is wanted."}}});
    let mut crd = crd_testdata::thing_crd(&schema, &Value::Null);
    let text = crd.to_string();
    crd = serde_json::from_str(&text.replace("things", name)).unwrap();
    crd.to_string()
}

#[test]
fn published_crds_have_one_release_or_several() {
    let place = Place::new();
    place.write("a.yaml", crd("aces"));
    place.write("b.yaml", crd("bees"));
    let unversioned = written(place.path(), &["--crds", "a.yaml", "b.yaml"]);
    assert_eq!(
        unversioned["releases"],
        json!([{"version": "unversioned", "date": null, "text": true, "unreleased": false}])
    );
    assert_eq!(unversioned["crds"].as_array().unwrap().len(), 2);
    assert_eq!((&unversioned["channels"], &unversioned["name"]), (&json!(["standard"]), &json!("example.com")));
    assert_eq!(unversioned["crds"][0]["in"], json!([[0, 1]]));

    let two = written(place.path(), &["--crds", "a.yaml=v1.1.0", "b.yaml=v1.0.0", "--name", "bees"]);
    let versions = two["releases"].as_array().unwrap().iter().map(|release| release["version"].clone());
    assert_eq!(versions.collect::<Value>(), json!(["v1.0.0", "v1.1.0"]));
    assert_eq!((&two["name"], &two["differences"][0]["profile"]), (&json!("bees"), &json!("semver")));

    // No name comes from the name of a folder, but its version does; a release without a date is not unreleased.
    place.write("crds=v1.9/a.yaml", crd("aces"));
    let with_equals = written(place.path(), &["--crds", "b.yaml=v1.0.0", "crds=v1.9"]);
    assert_eq!(with_equals["name"], json!("example.com"));
    let releases = with_equals["releases"].as_array().unwrap().iter();
    let states = releases.map(|release| (release["version"].clone(), release["unreleased"].clone()));
    assert_eq!(states.collect::<Vec<_>>(), [(json!("v1.0.0"), json!(false)), (json!("v1.9.0"), json!(false))]);

    place.write("again/a.yaml", crd("aces"));
    let twice = run(place.path(), &["docs", "--crds", "a.yaml", "again"]);
    assert_eq!(twice.exit, Exit::Unusable);
    assert!(
        twice.err.contains(
            "error[docs::twice]: aces.example.com is twice in the channel standard of the release unversioned"
        ),
        "{twice:?}"
    );

    place.write("sizes.tsv", "version\tchannel\tcrd\tbytes\nv1.0.0\tstandard\tx\tmany\nv1\n");
    let sizes = run(place.path(), &["docs", "--crds", "a.yaml", "--sizes", "sizes.tsv"]);
    assert_eq!((sizes.exit, sizes.err.matches("sizes.tsv:").count()), (Exit::Unusable, 2), "{sizes:?}");
}

/// After the version was raised, the unreleased files are still those of the version before.
#[test]
fn stale_unreleased_files_are_not_shown_as_the_next_version() {
    let place = Place::with(&things());
    let stale = |files: &[&str]| {
        let ran = place.run_unchanged(&things_of("v1.3.0"), &["docs"]);
        assert_eq!(ran.exit, Exit::Unusable, "{ran:?}");
        let lines = ran.err.lines().collect::<Vec<_>>();
        assert_eq!(lines.len(), files.len(), "{ran:?}");
        for (line, file) in lines.iter().zip(files) {
            assert!(
                line.starts_with(&format!("error: bundles/unreleased{file}: is of v1.2.0, and the next")),
                "{ran:?}"
            );
        }
    };
    assert_eq!(place.run(&things_of("v1.2.0"), &["graduate", "--write"]).exit, Exit::Fine);
    stale(&["", "/graduation.json"]);
    assert_eq!(place.run(&things_of("v1.3.0"), &["generate"]).exit, Exit::Fine);
    stale(&["/graduation.json"]);
    assert_eq!(place.run(&things_of("v1.3.0"), &["graduate", "--write"]).exit, Exit::Fine);
    assert_eq!(place.run(&things_of("v1.3.0"), &["docs"]).exit, Exit::Fine);
}
