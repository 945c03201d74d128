//! The lenses of Gateway API: objects of every past release become objects that the current CRDs accept, and return.
//!
//! The objects are those of the search for boundaries: each has a value at one place of the schema of its release, and is accepted by it, CEL rules
//! included.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use command_line::{Exit, Session, run_in, run_without_types_in};
use crd_apiserver::objects::{MINORS, Request, Resource};
use crd_apiserver::prune;
use crd_boundary::Search;
use crd_bundle::history_archive::HistoryArchive;
use crd_bundle::published::{Input, read};
use crd_convert::{Conversions, Document, Example, OperationKind, Step as LensStep};
use crd_model::CustomResourceDefinition;
use crd_model::crd::Scope;
use crd_model::schema::{SchemaPath, Step, nodes};
use crd_review::history::ARCHIVE;
use serde_json::{Map, Value, json};

use crate::catalogue::catalogue;

/// Lenses of a type in a place that has it only in the new form.
const NEW_HERE: [&str; 2] = [
    "gateway.networking.x-k8s.io/XBackend v1.6.0 drop spec.sessionPersistence.idleTimeout",
    "gateway.networking.x-k8s.io/XBackend v1.7.0 code spec.sessionPersistence.sessionName",
];

fn at_root(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// How many places of each CRD get a value, in addition to those whose path ends like an old one.
fn places_of_each_crd() -> usize {
    if crd_testdata::is_proof() { 12 } else { 1 }
}

fn current() -> BTreeMap<(String, String), CustomResourceDefinition> {
    let folder = at_root("bundles/unreleased/experimental");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let inputs = files.map(|path| Input::new(path.display().to_string(), fs::read(&path).unwrap()));
    let read = read("the current bundle", inputs.collect::<Vec<_>>()).unwrap();
    read.crds
        .into_iter()
        .map(|read| ((read.crd.group.to_string(), read.crd.names.kind.to_string()), read.crd))
        .collect()
}

/// The place of a path such as `spec.listeners[0].tls`.
fn without_indices(path: &str) -> String {
    let parts =
        path.split('[').map(|part| part.split_once(']').map_or(part.to_owned(), |(_, rest)| format!("*]{rest}")));
    parts.collect::<Vec<_>>().join("[")
}

fn identity(object: &Value) -> (String, String) {
    let text = |key: &str| object[key].as_str().unwrap().to_owned();
    (text("apiVersion"), text("kind"))
}

fn resource(crd: &CustomResourceDefinition, version: &str) -> Resource {
    Resource::prepare(crd, version, MINORS.1).unwrap().unwrap()
}

/// Accepted objects of a version, each with a value at another place: at some of all places, and at those whose path ends like an old one.
fn objects(crd: &CustomResourceDefinition, version: &str, old: &BTreeSet<String>) -> Vec<Value> {
    let resource = resource(crd, version);
    let schema = &crd.versions.iter().find(|known| known.name == *version).unwrap().schema;
    let metadata = match crd.scope {
        Scope::Cluster => json!({ "name": "a" }),
        Scope::Namespaced => json!({ "name": "a", "namespace": "default" }),
    };
    let frame =
        [("apiVersion", json!(resource.api_version())), ("kind", json!(resource.kind())), ("metadata", metadata)];
    let frame = frame.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>();
    let mut search = Search::new(schema, frame, Vec::new(), |_, object| {
        resource.answer(Request::create(object.clone())).is_accepted()
    });
    let is_own = |first: Option<&Step>| matches!(first, Some(Step::Field(name)) if ["apiVersion", "kind", "metadata"].contains(&&**name));
    let places = nodes(schema).into_iter().map(|(path, _)| path);
    let places = places.filter(|path| !is_own(path.steps().first())).collect::<Vec<_>>();
    let every = places.len().div_ceil(places_of_each_crd()).max(1);
    let is_old = |path: &SchemaPath| old.iter().any(|name| path.to_string().ends_with(name));
    let chosen = places.iter().enumerate().filter(|(index, path)| index % every == 0 || is_old(path));
    let found = chosen.filter_map(|(_, path)| search.accepted(path).into_iter().next());
    let found = found.map(|accepted| accepted.object).collect::<Vec<_>>();
    let https = found.iter().filter_map(with_https).inspect(|object| {
        let answer = resource.answer(Request::create(object.clone()));
        assert!(answer.is_accepted(), "{object}");
    });
    let https = https.collect::<Vec<_>>();
    found.into_iter().chain(https).collect()
}

/// A Gateway that validates client certificates, on a listener that does so. The search chooses the shortest protocol, which has no such listeners.
fn with_https(object: &Value) -> Option<Value> {
    let mut object = Some(object).filter(|object| object["kind"] == "Gateway").cloned()?;
    let listener = object.pointer_mut("/spec/listeners/0")?;
    listener.get("tls")?.get("frontendValidation")?;
    listener["protocol"] = json!("HTTPS");
    listener["tls"]["mode"] = json!("Terminate");
    listener["tls"]["options"] = json!({"example.com/a": "b"});
    Some(object)
}

#[test]
fn objects_of_every_release_become_current_and_return() {
    let text = fs::read_to_string(at_root("bundles/unreleased/conversions.json")).unwrap();
    let document = Document::read(&text).unwrap();
    let losses = document.lenses.iter().filter(|lens| lens.steps.iter().any(|step| LensStep::loses(step).is_some()));
    let losses = losses.map(|lens| &*lens.name).collect::<BTreeSet<_>>();
    let removed = document.removed.iter().filter_map(|name| Some(name.path.as_ref()?.to_string()));
    let removed = removed.collect::<BTreeSet<_>>();
    let text: Value = serde_json::from_str(&text).unwrap();
    let steps = text["lenses"].as_array().unwrap().iter().flat_map(|lens| lens["steps"].as_array()).flatten();
    let old = |step: &Value| match step.get("from").or_else(|| step.get("path")) {
        Some(Value::Array(places)) => places.clone(),
        place => place.cloned().into_iter().collect(),
    };
    let places = steps.flat_map(old).collect::<Vec<_>>();
    let places = places.iter().filter_map(Value::as_str);
    let old = places.map(|place| place.rsplit('.').next().unwrap().to_owned()).collect::<BTreeSet<_>>();
    let catalogue = crate::catalogue::with_settings();
    let conversions = Conversions::with_code(&document, catalogue.lens_functions()).unwrap();
    let current = current();
    let archive = HistoryArchive::read(Input::new(ARCHIVE, fs::read(at_root(ARCHIVE)).unwrap())).unwrap();
    let mut known = BTreeSet::new();
    let is_code = |step: &LensStep| matches!(step.operation.kind, OperationKind::Code { .. });
    let of_code = document.lenses.iter().filter(|lens| lens.steps.iter().any(is_code));
    let of_code = of_code.map(|lens| &*lens.name).collect::<BTreeSet<_>>();
    let has_functions = |lens: &str| of_code.contains(lens);
    let (mut all, mut accepted, mut unchanged, mut refused) = (0, 0, 0, 0);
    let (mut converted, mut wrong) = (BTreeMap::<&str, usize>::new(), Vec::new());
    for release in archive.releases() {
        let bundle = release.version.unwrap();
        let crds = release.channels.values().flatten();
        let served = crds.clone().flat_map(|crd| {
            let served = crd.versions.iter().filter(|version| version.served);
            served.map(|version| (format!("{}/{}", crd.group, version.name), crd.names.kind.to_string()))
        });
        let served = served.collect::<BTreeSet<_>>();
        for crd in crds {
            // A structure that did not change has the objects of the release before.
            if !known.insert(std::sync::Arc::as_ptr(crd).addr()) {
                continue;
            }
            for version in crd.versions.iter().filter(|version| version.served) {
                for object in objects(crd, &version.name, &old) {
                    let what = || format!("{} {}: {object}", release.name, crd.name);
                    let mut new = object.clone();
                    let applied = match conversions.forward(&mut new) {
                        Ok(applied) => applied,
                        // Functions refuse what the new form does not express; `api-types/tests/conversions.rs` has each reason.
                        Err(failure) if has_functions(&failure.lens) && new == object => {
                            refused += 1;
                            continue;
                        }
                        Err(failure) => {
                            wrong.push(format!("{}\n    {failure}", what()));
                            continue;
                        }
                    };
                    let (api_version, kind) = identity(&new);
                    let (group, version) = api_version.rsplit_once('/').unwrap();
                    let Some(crd) = current.get(&(group.to_owned(), kind)) else {
                        wrong.push(format!("{}\n    no CRD for {api_version}", what()));
                        continue;
                    };
                    if crd.versions.iter().all(|known| known.name != *version || !known.served) {
                        wrong.push(format!("{}\n    {api_version} is not served", what()));
                        continue;
                    }
                    let schema = &crd.versions.iter().find(|known| known.name == *version).unwrap().schema;
                    let mut lost = prune(schema, &mut new.clone());
                    lost.retain(|path| !removed.contains(&without_indices(path)));
                    if !lost.is_empty() {
                        wrong.push(format!("{}\n    became {new}\n    the current CRD does not have {lost:?}", what()));
                    }
                    // Later releases have more constraints.
                    let answer = resource(crd, version).answer(Request::create(new.clone()));
                    accepted += usize::from(answer.is_accepted());
                    all += 1;
                    if applied.is_empty() {
                        unchanged += 1;
                        continue;
                    }
                    let back = conversions.convert_back(&new, bundle).unwrap().object;
                    // Another version that the release serves is the same object.
                    let is_served = served.contains(&identity(&back));
                    let same = json!({"apiVersion": back["apiVersion"], "kind": back["kind"]});
                    let mut expected = object.clone();
                    expected.as_object_mut().unwrap().extend(same.as_object().unwrap().clone());
                    if !is_served || back != expected && applied.iter().all(|lens| !losses.contains(lens)) {
                        wrong.push(format!("{}\n    returned as {back}", what()));
                    }
                    for lens in applied {
                        *converted.entry(lens).or_default() += 1;
                    }
                }
            }
        }
    }
    for (lens, count) in &converted {
        println!("{count} objects: {lens}");
    }
    println!(
        "{all} objects: {unchanged} are current, {accepted} are accepted in their new form; functions refuse {refused} more, {} are wrong",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.iter().take(20).cloned().collect::<Vec<_>>().join("\n"));
    let unused = document.lenses.iter().filter(|lens| !converted.contains_key(&*lens.name)).map(|lens| &*lens.name);
    assert_eq!(unused.collect::<Vec<_>>(), NEW_HERE, "no object needs these lenses");
}

/// The code blocks of a page in this language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(at_root(page)).unwrap();
    let mut parts = text.split("\n```").map(str::to_owned).collect::<Vec<_>>();
    parts.retain(|part| part.starts_with(&format!("{language}\n")));
    parts.iter().map(|part| part[language.len() + 1..].to_owned()).collect()
}

/// The pages show an old policy, and then the same one in the current form.
#[test]
fn the_examples_of_the_pages_are_what_the_lenses_make() {
    let text = fs::read_to_string(at_root("bundles/unreleased/conversions.json")).unwrap();
    let conversions = Conversions::with_code(&Document::read(&text).unwrap(), catalogue().lens_functions()).unwrap();
    let yaml = blocks("docs/breaking-changes.md", "yaml").into_iter().map(|text| {
        let mut documents = crd_model::yaml::read(&text).unwrap();
        documents.remove(0)
    });
    let json = blocks("docs/controllers.md", "json").into_iter().map(|text| serde_json::from_str(&text).unwrap());
    for pair in [yaml.collect::<Vec<Value>>(), json.take(2).collect()] {
        let [old, new] = pair.as_slice() else { panic!("{pair:?}") };
        let mut converted = old.clone();
        assert!(conversions.forward(&mut converted).unwrap().len() >= 5);
        assert_eq!(converted, *new);
        assert_eq!(conversions.convert_back(new, "v1.0.0".parse().unwrap()).unwrap().object, *old);
    }
}

/// The examples of the page `docs/reference/conversions.md`.
#[test]
fn every_lens_converts_its_example_and_returns() {
    let text = fs::read_to_string(at_root("bundles/unreleased/conversions.json")).unwrap();
    let document = Document::read(&text).unwrap();
    let catalogue = crate::catalogue::with_settings();
    let functions = catalogue.lens_functions();
    for lens in &document.lenses {
        let Example { old, new, back } = document.example(lens, functions).unwrap_or_else(|| panic!("{}", lens.name));
        assert_ne!(old, new, "{}", lens.name);
        let is_declared = !lens.loses().is_empty() && identity(&back) == identity(&old);
        assert!(back == old || is_declared, "{}: {old} {new} {back}", lens.name);
    }
    assert_eq!(
        fs::read_to_string(at_root("docs/reference/conversions.md")).unwrap_or_default(),
        crd_release::conversions::page(&document, functions),
        "stale: run `cargo xtask conversions --page docs/reference/conversions.md`"
    );
}

/// The command line passes the functions of the catalogue.
#[test]
fn convert_uses_the_functions_of_the_catalogue() {
    let object = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata:\n  name: a\nspec:\n  listeners:\n  - name: a\n    port: 443\n    \
                  protocol: HTTPS\n    tls:\n      frontendValidation:\n        caCertificateRefs:\n        - name: b\n";
    let file = at_root("bundles/unreleased/conversions.json");
    let without_types = ["convert", "-", "--conversions", file.to_str().unwrap()];
    for (arguments, has_functions) in [(&["convert", "-"][..], true), (&without_types, false)] {
        let (mut out, mut err, mut input) = (Vec::new(), Vec::new(), object.as_bytes());
        let mut session = Session::new(at_root("xtask"), &mut out, &mut err).input(&mut input);
        let exit = match has_functions {
            true => run_in(&crate::catalogue::with_settings(), arguments, &mut session),
            false => run_without_types_in(arguments, &mut session),
        };
        let (out, err) = (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap());
        if has_functions {
            assert_eq!(exit, Exit::Fine, "{err}");
            assert!(
                out.contains("  tls:\n    frontend:\n      default: {}\n      perPort:\n      - port: 443\n"),
                "{out}"
            );
        } else {
            assert_eq!((exit, &*out), (Exit::Findings, object));
            assert!(err.contains("code spec.listeners[*].tls.frontendValidation"), "{err}");
        }
    }
}
