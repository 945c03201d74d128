//! Charts with the real Helm: what is read of them, and what an upgrade does to their CRDs and to the owners of objects.
//!
//! Invariants: the pairs are packed as their projects do: CRDs in `crds/`, in templates behind a value, or both. A forecast is compared with what Helm or a
//! server does afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crd_channels_cli::{Exit, Session, run_without_types_in};
use crd_cluster::{Cluster, Limits};
use crd_model::CustomResourceDefinition;
use crd_testdata::File;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::forecasts::{collection, replace, wait_for_schema};
use crate::publishing::helm::Helm;
use crate::requests::{CRDS, send, wait, wait_for};
use crate::server::{Crds, Server, server};
use crate::witnesses::install;

/// A chart as a project packs it.
#[derive(Clone, Copy, Debug)]
enum Packing {
    Folder,
    Templates,
}

/// The ways of a project.
fn packings(pair: &str) -> &'static [Packing] {
    match pair {
        pair if pair.contains("cert-manager") => &[Packing::Templates],
        pair if pair.ends_with("rabbitmq") || pair.ends_with("vault") => &[Packing::Folder, Packing::Templates],
        _ => &[Packing::Folder],
    }
}

/// Writes a chart with these files.
fn pack(path: &Path, version: &str, files: &[(String, String)]) {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let manifest = (
        "Chart.yaml".to_owned(),
        format!("apiVersion: v2\nname: chart\nversion: {}\n", version.trim_start_matches('v')),
    );
    for (name, text) in [manifest].iter().chain(files) {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("chart/{name}"), text.as_bytes()).expect("a file");
    }
    fs::write(path, archive.into_inner().and_then(GzEncoder::finish).expect("an archive")).expect("a chart");
}

/// JSON whose strings have actions, as a template: quotes in actions are not escaped.
fn as_template(json: &str) -> String {
    let mut parts = json.split("{{");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let (action, rest) = part.split_once("}}").expect("the end of an action");
        format!("{text}{{{{{}}}}}{rest}", action.replace("\\\"", "\""))
    })
}

/// A CRD without its conversion, of which the facts have only a part.
fn text(file: &File) -> String {
    let mut crd = file.json();
    crd["spec"].as_object_mut().expect("a spec").remove("conversion");
    format!("{crd:#}")
}

/// The files of a chart with these CRDs.
fn files(crds: &[File], packing: Packing) -> Vec<(String, String)> {
    // What cert-manager's labels and annotations name.
    const HELPERS: &str = "{{ define \"cert-manager.name\" }}cm{{ end }}{{ define \"cert-manager.chart\" }}cm{{ end }}\
        {{ define \"webhook.fullname\" }}cm{{ end }}{{ define \"webhook.caRef\" }}default/ca{{ end }}";
    let mut files = crds.iter().map(|file| match packing {
        Packing::Folder => (format!("crds/{}", file.path), text(file)),
        Packing::Templates => {
            let text = as_template(&text(file));
            (
                format!("templates/{}.yaml", file.path),
                format!("{{{{- if .Values.crds.enabled }}}}\n{text}\n{{{{- end }}}}\n"),
            )
        }
    });
    let mut files = files.by_ref().collect::<Vec<_>>();
    files.push(("values.yaml".to_owned(), "crds: {enabled: false}\n".to_owned()));
    files.push(("templates/_helpers.tpl".to_owned(), HELPERS.to_owned()));
    files
}

/// What the program prints with the real Helm, or without.
fn run(place: &Path, helm: Option<&Helm>, arguments: &[&str]) -> (Exit, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let program = helm.map(|helm| helm.program().to_owned());
    let exit = run_without_types_in(arguments, &mut Session::new(place, &mut out, &mut err).helm(program));
    let [out, err] = [out, err].map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
    (exit, out, err)
}

/// Code, CRD and path of each finding of a comparison.
fn findings(text: &str) -> Vec<String> {
    let document: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(document["errors"], json!([]));
    // Helm fills in labels and annotations.
    let counts = |finding: &&Value| finding["rule"] != "labels-and-annotations";
    let findings = document["findings"].as_array().expect("findings").iter().filter(counts);
    let mut findings = findings
        .map(|finding| ["rule", "crd", "path", "effectiveBump"].map(|key| finding[key].to_string()).join(" "))
        .collect::<Vec<_>>();
    findings.sort();
    findings
}

#[test]
fn charts_have_the_crds_that_their_projects_packed() {
    let Some(helm) = Helm::find() else { return };
    let place = tempfile::tempdir().expect("a folder");
    let place = place.path();
    let (mut compared, mut major) = (0, 0);
    for (pair, sides) in crd_testdata::chart_pairs() {
        for (side, (_, crds)) in ["old", "new"].into_iter().zip(&sides) {
            fs::create_dir_all(place.join(side)).expect("a folder");
            for file in crds {
                fs::write(place.join(side).join(file.path), text(file)).expect("a file");
            }
        }
        let flags = ["--profile", "semver", "--format", "json"];
        let (_, plain, err) = run(place, None, &[&["diff", "old", "new"][..], &flags].concat());
        let expected = findings(&plain);
        for packing in packings(pair) {
            for (name, (version, crds)) in ["old.tgz", "new.tgz"].into_iter().zip(&sides) {
                pack(&place.join(name), version, &files(crds, *packing));
            }
            let chart = [&["diff", "old.tgz", "new.tgz", "--set", "crds.enabled=true"][..], &flags].concat();
            let (_, with_helm, err) = run(place, Some(&helm), &chart);
            assert_eq!(findings(&with_helm), expected, "{pair} {packing:?}: {err}");
            // Nothing breaks without objects, whatever the verdict.
            let upgrade =
                ["upgrade", "--from", "old.tgz", "--to", "new.tgz", "--set", "crds.enabled=true", "--format", "json"];
            let (exit, text, err) = run(place, Some(&helm), &upgrade);
            let document: Value =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{pair} {packing:?}: {error}: {err}"));
            assert_eq!(document["summary"]["errors"], 0, "{pair}: {text}");
            let crds = document["crds"].as_array().expect("CRDs");
            assert_eq!(crds.len(), sides[1].1.len(), "{pair}");
            assert!(matches!(exit, Exit::Fine | Exit::Findings), "{pair}: {err}");
            compared += 1;
        }
        let is_major = expected.iter().any(|finding| finding.ends_with("\"major\""));
        assert_eq!(is_major, pair.starts_with("breaks"), "{pair}: {expected:#?}{err}");
        major += usize::from(is_major);
        fs::remove_dir_all(place.join("old")).and_then(|()| fs::remove_dir_all(place.join("new"))).expect("folders");
    }
    println!("{compared} charts, {major} of 10 pairs break");
    assert_eq!((compared, major), (13, 5));
}

/// Each is an error or a note; nothing waits or grows without an end.
#[test]
fn hostile_charts_are_errors() {
    let Some(helm) = Helm::find() else { return };
    let place = tempfile::tempdir().expect("a folder");
    let place = place.path();
    let crd = "# CustomResourceDefinition\n";
    let mut cases = vec![
        (
            "a recursion",
            "{{ define \"a\" }}{{ include \"a\" . }}{{ end }}{{ include \"a\" . }}",
            "`helm template` fails",
        ),
        ("a missing value", "{{ required \"a name\" .Values.name }}", "a name"),
        ("a missing map", "{{ .Values.a.b }}", "nil pointer"),
        (
            "a lookup",
            "{{ if lookup \"v1\" \"Namespace\" \"\" \"default\" }}kind: CustomResourceDefinition{{ end }}",
            "chart::no-crds",
        ),
        ("a template that does not parse", "{{ if }}", "`helm template` fails"),
    ];
    // The limit of memory is that of Linux.
    if cfg!(target_os = "linux") && crd_testdata::is_proof() {
        cases.push(("a loop", "{{ range until 2000000000 }}kind: CustomResourceDefinition{{ end }}", "out of memory"));
    }
    for (what, template, expected) in cases {
        let text = format!("{crd}{template}\n");
        pack(&place.join("c.tgz"), "1.0.0", &[("templates/a.yaml".to_owned(), text)]);
        let (exit, out, err) = run(place, Some(&helm), &["diff", "c.tgz", "c.tgz"]);
        assert_eq!((exit, &*out), (Exit::Unusable, ""), "{what}: {err}");
        assert!(err.contains(expected) && err.contains("c.tgz"), "{what}: {err}");
    }
    assert_eq!(fs::read_dir(place).expect("the folder").count(), 1, "nothing else is written");
}

/// The findings of each object of a pair, as `upgrade` has them: those about refusals of a server.
fn foreseen(place: &Path, objects: &Value) -> BTreeMap<String, &'static str> {
    if objects["items"] == json!([]) {
        return BTreeMap::new();
    }
    fs::write(place.join("objects.json"), objects.to_string()).expect("a file");
    let arguments = ["upgrade", "--from", "old", "--to", "new", "objects.json", "--format", "json"];
    let (_, out, err) = run(place, None, &arguments);
    let document: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {err}"));
    let objects = document["objects"].as_array().expect("objects").iter();
    let refused = objects.filter_map(|object| {
        let has =
            |code: &str| object["findings"].as_array().expect("findings").iter().any(|finding| finding["code"] == code);
        let answer = match () {
            () if has("inspect::refused-update") => "update",
            () if has("inspect::refused-creation") => "creation",
            () => return None,
        };
        Some((object["object"]["name"].as_str().expect("a name").to_owned(), answer))
    });
    refused.collect()
}

/// The objects that break a pair, and as many that do not: what `upgrade` foresees is what the server does after the new CRDs.
#[test]
fn objects_break_as_foreseen() {
    let (Some(_), Some(server)) = (Helm::find(), server(Crds::Nothing)) else { return };
    let (mut refused, mut accepted, mut with_objects) = (0, 0, 0);
    let is_sample = |pair: &str| crd_testdata::is_proof() || pair == "breaks-contour";
    let pairs =
        crd_testdata::chart_pairs().into_iter().filter(|(pair, _)| pair.starts_with("breaks") && is_sample(pair));
    for (pair, [old, new]) in pairs.map(|(pair, sides)| (pair, sides.map(|(_, files)| files))) {
        let place = tempfile::tempdir().expect("a folder");
        for (side, crds) in [("old", &old), ("new", &new)] {
            fs::create_dir_all(place.path().join(side)).expect("a folder");
            crds.iter()
                .for_each(|file| fs::write(place.path().join(side).join(file.path), text(file)).expect("a file"));
        }
        let flags = ["diff", "old", "new", "--profile", "semver", "--witness", "--format", "json"];
        let (_, out, err) = run(place.path(), None, &flags);
        let document: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {err}"));
        let witnesses = document["findings"].as_array().expect("findings").iter();
        let witnesses = witnesses.filter_map(|finding| {
            finding["witness"]["object"].is_object().then(|| finding["witness"]["object"].clone())
        });
        let crd = |file: &File| {
            let document = serde_json::from_str(&text(file)).expect("JSON");
            let crd = CustomResourceDefinition::from_value(&document).expect("a CRD");
            // Those of cert-manager are templates.
            CustomResourceDefinition { labels: Default::default(), annotations: Default::default(), ..crd }
        };
        let (old, new) = (old.iter().map(crd).collect::<Vec<_>>(), new.iter().map(crd).collect::<Vec<_>>());
        let client = server.client();
        server.block_on(async {
            for answer in
                install(&client, &Arc::new(old.iter().map(CustomResourceDefinition::to_value).collect::<Vec<_>>()))
                    .await
            {
                answer.expect("the old CRD");
            }
            let storage = |crd: &CustomResourceDefinition| crd.storage().expect("a storage version").name.to_string();
            wait_for(&client, &old.iter().map(|crd| collection(crd, &storage(crd), "default")).collect::<Vec<_>>())
                .await;
            let mut created = Vec::new();
            for (index, mut object) in witnesses.enumerate() {
                let kind = object["kind"].as_str().unwrap_or_default().to_owned();
                let version =
                    object["apiVersion"].as_str().and_then(|it| it.rsplit('/').next()).unwrap_or_default().to_owned();
                let Some(crd) = old.iter().find(|crd| *crd.names.kind == *kind) else { continue };
                object["metadata"] = json!({"name": format!("{pair}-{index}")});
                let answer = send(&client, "POST", &collection(crd, &version, "default"), Some(&object)).await;
                if answer.is_success() {
                    created.push((collection(crd, &version, "default"), answer.body));
                }
            }
            let list = created.iter().map(|(_, object)| object).collect::<Vec<_>>();
            let list = json!({"apiVersion": "v1", "kind": "List", "items": list});
            // It has a runtime of its own.
            let foreseen =
                std::thread::scope(|scope| scope.spawn(|| foreseen(place.path(), &list)).join().expect("the program"));
            for crd in &new {
                assert_eq!(replace(&client, crd).await, BTreeSet::new(), "{pair}: {}", crd.name);
                wait_for_schema(&client, crd, &storage(crd), "default").await;
            }
            let mut seen = BTreeMap::new();
            for (collection, before) in &created {
                let name = before["metadata"]["name"].as_str().expect("a name");
                let mut labelled =
                    send(&client, "GET", &format!("{collection}/{name}"), None).await.expect("the object");
                labelled["metadata"]["labels"]["proof"] = json!("yes");
                let update = send(&client, "PUT", &format!("{collection}/{name}?dryRun=All"), Some(&labelled)).await;
                let mut copy = before.clone();
                copy["metadata"] = json!({"name": format!("{name}-copy")});
                let creation =
                    send(&client, "POST", &format!("{collection}?dryRun=All&fieldValidation=Ignore"), Some(&copy))
                        .await;
                match (update.is_success(), creation.is_success()) {
                    (false, _) => _ = seen.insert(name.to_owned(), "update"),
                    (true, false) => _ = seen.insert(name.to_owned(), "creation"),
                    (true, true) => accepted += 1,
                }
            }
            refused += seen.len();
            println!("{pair}: {} objects, {} refused", created.len(), seen.len());
            assert_eq!(foreseen, seen, "{pair}");
            with_objects += usize::from(!created.is_empty());
            for crd in &old {
                send(&client, "DELETE", &format!("{CRDS}/{}", crd.name), None).await.expect("the deletion");
            }
        });
        let is_gone = || old.iter().all(|crd| !server.send("GET", &format!("{CRDS}/{}", crd.name), None).is_success());
        wait("the deletion of the CRDs", is_gone);
    }
    println!("{refused} objects are refused, {accepted} are not");
    // The fifth removes fields of a version in which nothing is stored, so that no object shows it.
    assert_eq!(with_objects, if crd_testdata::is_proof() { 4 } else { 1 });
    assert!(refused > 20, "{refused} objects are refused");
}

/// A CRD of lamps, as a template.
fn lamps(name: &str, list_type: &str, annotations: &Value) -> String {
    let items = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "watts": {"type": "integer"}}});
    let mut bulbs = json!({"type": "array", "items": items, "x-kubernetes-list-type": list_type});
    if list_type == "map" {
        bulbs["x-kubernetes-list-map-keys"] = json!(["name"]);
    }
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"bulbs": bulbs}}}});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let names = json!({"kind": "Lamp", "listKind": "LampList", "plural": name, "singular": "lamp"});
    let group = format!("{name}.charts.example.com");
    let crd = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{name}.{group}"), "annotations": annotations},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}});
    format!("{crd:#}\n")
}

fn has_crd(server: &Server, name: &str) -> bool {
    server.send("GET", &format!("{CRDS}/{name}.{name}.charts.example.com"), None).is_success()
}

/// The chart of a release is read of its Secret; and Helm deletes the CRDs that a chart no longer has, unless they are kept.
#[test]
fn helm_deletes_what_a_chart_has_no_longer() {
    let (Some(helm), Some(server)) = (Helm::find(), server(Crds::Nothing)) else { return };
    let place = tempfile::tempdir().expect("a folder");
    let chart = place.path().join("c.tgz");
    let path = chart.to_str().expect("UTF-8");
    let keep = json!({"helm.sh/resource-policy": "keep"});
    let templates = [("gone", json!({})), ("kept", keep)]
        .map(|(name, annotations)| (format!("templates/{name}.yaml"), lamps(name, "map", &annotations)));
    pack(&chart, "1.0.0", &templates);
    helm.run(server, &["install", "lamps", path, "--set", "secret=sesame"]).expect("it installs");
    assert!(has_crd(server, "gone") && has_crd(server, "kept"));
    let release = server.block_on(async {
        let cluster = Cluster::of_client(server.client(), "the server", Limits::default()).await.expect("a cluster");
        assert!(
            cluster
                .helm_release("default", "nothing")
                .await
                .is_err_and(|error| error.message.contains("does not exist"))
        );
        cluster.helm_release("default", "lamps").await.expect("a release")
    });
    let metadata = &release.chart.metadata;
    assert_eq!(
        (&*metadata.name, &*metadata.version, release.revision, &release.config),
        ("chart", "1.0.0", 1, &json!({"secret": "sesame"}))
    );
    pack(&chart, "2.0.0", &[]);
    helm.run(server, &["upgrade", "lamps", path]).expect("it upgrades");
    wait("the deletion of a CRD", || !has_crd(server, "gone"));
    assert!(has_crd(server, "kept"));
}

/// Two programs own an item each of a list that becomes atomic, and one owns a list that was atomic.
#[test]
fn owners_lose_items_as_foreseen() {
    let (Some(_), Some(server)) = (Helm::find(), server(Crds::Nothing)) else { return };
    let place = tempfile::tempdir().expect("a folder");
    for (name, old, new) in [("granular", "map", "atomic"), ("whole", "atomic", "map")] {
        let sides = [("old", old), ("new", new)].map(|(side, list_type)| {
            let text = lamps(name, list_type, &json!({}));
            fs::create_dir_all(place.path().join(side)).expect("a folder");
            fs::write(place.path().join(side).join("crd.yaml"), &text).expect("a file");
            text
        });
        let apply = |manager: &str, text: &str, more: &[&str]| {
            let arguments = ["apply", "--server-side", "--field-manager", manager, "--filename", "-"];
            server.kubectl_reading(&[&arguments[..], more].concat(), text)
        };
        let lamp = |bulbs: &Value| {
            json!({"apiVersion": format!("{name}.charts.example.com/v1"), "kind": "Lamp", "metadata": {"name": "lamp", "namespace": "default"}, "spec": {"bulbs": bulbs}}).to_string()
        };
        let (a, b) = (json!({"name": "a", "watts": 1}), json!({"name": "b", "watts": 2}));
        apply("crds", &sides[0], &[]).expect("the old CRD");
        wait("the old CRD", || apply("gitops", &lamp(&json!([a])), &["--dry-run=server"]).success);
        match name {
            "granular" => {
                apply("gitops", &lamp(&json!([a])), &[]).expect("an object");
                apply("autoscaler", &lamp(&json!([b])), &[]).expect("an object");
            }
            _ => _ = apply("gitops", &lamp(&json!([a, b])), &[]).expect("an object"),
        }
        let object = format!("/apis/{name}.charts.example.com/v1/namespaces/default/{name}/lamp");
        let before = server.send("GET", &object, None).expect("the object");
        fs::write(place.path().join("objects.json"), before.to_string()).expect("a file");
        let (exit, out, err) =
            run(place.path(), None, &["upgrade", "--from", "old", "--to", "new", "objects.json", "--format", "json"]);
        assert_eq!(exit, Exit::Findings, "{err}");
        let document: Value = serde_json::from_str(&out).expect("JSON");
        let findings = document["objects"][0]["findings"].as_array().expect("findings");
        let [finding] = &**findings else { panic!("{findings:?}") };
        assert_eq!((&finding["code"], &finding["path"]), (&json!("inspect::owners-lose"), &json!("spec.bulbs")));
        let detail = finding["detail"].as_str().expect("words");

        apply("crds", &sides[1], &[]).expect("the new CRD");
        let bulbs = || server.send("GET", &object, None).expect("the object")["spec"]["bulbs"].clone();
        if name == "granular" {
            assert!(detail.contains("`autoscaler` and `gitops` own parts"), "{detail}");
            wait("a conflict", || apply("gitops", &lamp(&json!([a])), &[]).stderr.contains("\"autoscaler\""));
            apply("gitops", &lamp(&json!([a])), &["--force-conflicts"]).expect("it is forced");
            assert_eq!(bulbs(), json!([a]), "the item of the other owner is gone");
        } else {
            assert!(detail.contains("`gitops` no longer owns what is in it"), "{detail}");
            wait("the new CRD", || {
                let schema =
                    server.send("GET", &format!("{CRDS}/{name}.{name}.charts.example.com"), None).expect("the CRD");
                schema["status"]["conditions"].to_string().contains("Established")
            });
            std::thread::sleep(std::time::Duration::from_secs(2));
            apply("gitops", &lamp(&json!([a])), &[]).expect("an apply of less");
            assert_eq!(bulbs(), json!([a, b]), "what it stops applying stays");
        }
    }
}
