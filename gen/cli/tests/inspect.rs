//! `inspect` from end to end: the program with a kubeconfig, and a server on a loopback port.
//!
//! What is found is proven in `crd-upgrade`. These tests prove how it is asked for and printed. `UPDATE_SNAPSHOTS=1` writes the reports in
//! `tests/snapshots/inspect` again.

use std::path::Path;
use std::sync::Arc;

use http::{Method, Request};
use serde_json::{Value, json};

use crate::cluster::{self, BUNDLES, CHANNELS, Cluster, published, status, webhook, widget};
use crate::remote::{Printed, Remote};
use crate::shape;

/// A place with a kubeconfig for the server, and the published bundles in `releases`.
struct Setting(Remote);

impl Setting {
    fn new(cluster: &Cluster) -> Self {
        let answers = Arc::new(cluster.answers());
        let remote = Remote::new(move |request: Request<Vec<u8>>| {
            let answer = answers.get(&request.uri().to_string()).filter(|_| request.method() == Method::GET);
            let missing = || status(404, &format!("no answer to {} {}", request.method(), request.uri()));
            let (code, body) = answer.cloned().unwrap_or_else(missing);
            (code, body.to_string().into_bytes())
        });
        for bundle in BUNDLES {
            for channel in CHANNELS {
                for plural in ["gadgets", "widgets"] {
                    let crd = published(plural, bundle, channel).to_string();
                    remote.place.write(&format!("releases/{bundle}/{channel}/{plural}.yaml"), crd);
                }
            }
        }
        Self(remote)
    }

    /// Runs `crd-channels inspect` with the releases.
    fn run(&self, arguments: &[&str]) -> Printed {
        self.run_only(&[&["--releases", "releases"], arguments].concat())
    }

    fn run_only(&self, arguments: &[&str]) -> Printed {
        self.0.run(&[&["inspect"], arguments].concat())
    }

    /// The document, which has the documented shape.
    fn document(&self, arguments: &[&str]) -> (i32, Value) {
        let (code, document) = self.0.document(&[&["inspect", "--releases", "releases"], arguments].concat());
        assert_eq!(shape::errors(&schema(), &document), [] as [&str; 0]);
        (code, document)
    }
}

fn schema() -> Value {
    serde_json::from_str(include_str!("../schemas/inspection.json")).unwrap()
}

/// A cluster with defects: an edited CRD, an old client, a policy that does nothing, and objects with experimental fields.
fn defective() -> Cluster {
    let mut cluster = Cluster::new("v1.0.0", "experimental");
    cluster.crd("gadgets")["spec"]["names"]["shortNames"] = json!(["g"]);
    cluster.crd("widgets")["status"]["storedVersions"] = json!(["v1beta1", "v1"]);
    cluster.bindings.pop();
    let mut old = widget("old", &json!({"extra": "x", "mode": "B", "size": 11}));
    old["metadata"]["managedFields"] = json!([cluster::managed("old-operator", "v1beta1")]);
    cluster.add(old);
    cluster.add(widget("uses-extra", &json!({"extra": "y", "theme": {"level": 1}, "text": "é"})));
    cluster
}

#[track_caller]
fn assert_snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/inspect").join(name);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == text, "{name} differs; UPDATE_SNAPSHOTS=1 writes it:\n{text}");
}

#[test]
fn a_healthy_cluster_is_a_summary_and_exit_code_0() {
    let printed = Setting::new(&Cluster::new("v1.1.0", "standard")).run(&[]);
    assert_eq!((printed.code, &*printed.err), (0, ""), "{printed:?}");
    assert_snapshot("healthy.txt", &printed.out);
}

#[test]
fn findings_are_grouped_by_crd_and_objects_are_listed_on_request() {
    let setting = Setting::new(&defective());
    let printed = setting.run(&[]);
    assert_eq!((printed.code, &*printed.err), (1, ""), "{printed:?}");
    assert_snapshot("defective.txt", &printed.out);
    let verbose = setting.run(&["--verbose"]);
    let objects = verbose.out.strip_prefix(&printed.out).unwrap_or_else(|| panic!("{verbose:?}"));
    assert_snapshot("objects.txt", objects);
    let upgrade = setting.run(&["--target", "v1.1.0", "-v"]);
    assert_eq!((upgrade.code, &*upgrade.err), (1, ""), "{upgrade:?}");
    assert_snapshot("upgrade.txt", &upgrade.out);
}

#[test]
fn every_line_fits_into_the_width_of_a_report() {
    let printed = Setting::new(&defective()).run(&["--target", "v1.1.0"]);
    let longest = printed.out.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 100, "{longest}: {}", printed.out);
}

/// The summary lists 20 CRDs, and those with findings first.
#[test]
fn the_summary_of_a_large_api_has_one_screen() {
    let mut cluster = Cluster::new("v1.0.0", "experimental");
    for index in 0..30 {
        let mut crd = cluster::installed(published("gadgets", "v1.0.0", "experimental"));
        crd["metadata"]["name"] = json!(format!("foreigners{index}.example.com"));
        crd["metadata"]["annotations"] = json!({});
        crd["spec"]["names"] = json!({"kind": "Foreigner", "plural": format!("foreigners{index}")});
        cluster.crds.insert(index, crd);
    }
    let printed = Setting::new(&cluster).run(&[]);
    let (summary, _) = printed.out.split_once("\n\nforeigners0.example.com").unwrap_or_else(|| panic!("{printed:?}"));
    assert!(summary.contains("\nand 12 more CRDs\n"), "{summary}");
    assert!(summary.lines().count() <= 30, "{summary}");
    assert!(!summary.contains("widgets"), "{summary}");
}

#[test]
fn the_document_has_everything_and_the_documented_shape() {
    let (code, document) = Setting::new(&defective()).document(&["--target", "v1.1.0"]);
    assert_eq!((code, &document["installed"]), (1, &json!({"version": "v1.0.0", "channel": "experimental"})));
    assert_eq!((&document["target"], &document["prefix"]), (&json!("v1.1.0 experimental"), &json!("example.com")));
    let summary = json!({"objects": 4, "errors": 2, "warnings": 4, "notes": 3});
    assert_eq!(document["summary"], summary, "{document:#}");
    let widgets = &document["crds"][1];
    let content = json!({"state": "as released", "bundles": [], "differences": []});
    assert_eq!((&widgets["kind"], &widgets["content"]), (&json!("Widget"), &content));
    assert_eq!(widgets["objects"]["clients"][1]["manager"], "old-operator");
    let content = json!({"state": "edited", "bundles": [], "differences": ["names.shortNames is added ([\"g\"])"]});
    assert_eq!(document["crds"][0]["content"], content);
    let names = document["objects"].as_array().unwrap().iter().map(|object| &object["object"]["name"]);
    assert_eq!(names.collect::<Vec<_>>(), ["old", "uses-extra"]);
    assert_eq!(
        document["objects"][0],
        json!({
            "crd": "widgets.example.com",
            "object": {"kind": "Widget", "namespace": "shop", "name": "old"},
            "findings": [
                {"code": "inspect::experimental-use", "severity": "note", "path": "spec.extra", "detail": null},
                {"code": "inspect::experimental-use", "severity": "note", "path": "spec.mode", "detail": "\"B\""},
                {
                    "code": "inspect::refused-creation", "severity": "warning", "path": "spec.size",
                    "detail": "spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10",
                },
            ],
        })
    );
}

#[test]
fn documents_of_all_states_have_the_documented_shape() {
    let mut empty = Cluster::new("v1.0.0", "standard");
    empty.crds.clear();
    let (code, document) = Setting::new(&empty).document(&["--prefix", "example.com"]);
    assert_eq!((code, &document["installed"], &document["objects"]), (1, &Value::Null, &json!([])));
    let mut unread = Cluster::new("v1.0.0", "standard");
    unread.crd("gadgets")["spec"]["scope"] = json!(1);
    unread.crd("widgets")["metadata"]["annotations"]["meta.helm.sh/release-name"] = json!("mesh");
    unread.webhooks.push(webhook("v1.0.0", "standard"));
    unread.answers.insert("/version".to_owned(), status(403, "User \"me\" cannot get this"));
    let (code, document) = Setting::new(&unread).document(&["--no-objects"]);
    assert_eq!((code, &document["server"]["version"]), (2, &Value::Null));
    let codes = document["failures"].as_array().unwrap().iter().map(|failure| &failure["code"]).collect::<Vec<_>>();
    assert_eq!(codes, ["cluster::forbidden", "cluster::unreadable-crd"]);
    assert_eq!(document["crds"][1]["objects"], Value::Null);
    let policy = &document["policies"][2];
    assert_eq!((&policy["name"], &policy["channel"]), (&json!("webhook.example.com"), &json!("standard")));
    let mut stamped = Cluster::new("v1.0.0", "standard");
    stamped.crd("widgets")["metadata"]["annotations"]["example.com/bundle-version"] = json!("v1.1.0");
    let (_, document) = Setting::new(&stamped).document(&[]);
    let content = &document["crds"][1]["content"];
    assert_eq!(content["bundles"], json!([{"version": "v1.0.0", "channel": "standard"}]));
}

#[test]
fn every_key_of_the_document_is_described() {
    fn check(schema: &Value, path: &str, missing: &mut Vec<String>) {
        for name in ["properties", "$defs"] {
            for (key, below) in schema[name].as_object().into_iter().flatten() {
                let path = format!("{path}.{key}");
                if below["description"].as_str().is_none_or(|text| !text.ends_with('.')) && below["$ref"].is_null() {
                    missing.push(path.clone());
                }
                // Every key is always present.
                let required = schema["required"].as_array();
                if name == "properties" && !required.is_some_and(|keys| keys.iter().any(|required| required == key)) {
                    missing.push(format!("{path} is not required"));
                }
                check(below, &path, missing);
            }
        }
        if let Some(items) = schema.get("items") {
            check(items, path, missing);
        }
    }
    let mut missing = Vec::new();
    check(&schema(), "", &mut missing);
    assert_eq!(missing, [] as [&str; 0]);
}

#[test]
fn github_gets_an_annotation_for_each_finding() {
    let printed = Setting::new(&defective()).run(&["--format", "github"]);
    assert_eq!((printed.code, &*printed.err), (1, ""), "{printed:?}");
    assert_snapshot("github.txt", &printed.out);
}

#[test]
fn failures_are_diagnostics_and_the_rest_is_reported_with_exit_code_2() {
    let mut cluster = defective();
    cluster.answers.insert(cluster::path("v1/widgets"), status(403, "User \"me\" cannot list resource \"widgets\""));
    let setting = Setting::new(&cluster);
    let printed = setting.run(&[]);
    assert_eq!(printed.code, 2, "{printed:?}");
    assert!(printed.err.starts_with("error[cluster::forbidden]: "), "{printed:?}");
    assert!(
        printed.out.contains("[inspect::edited]") && printed.out.contains("not everything could be read"),
        "{printed:?}"
    );
    let annotations = setting.run(&["--format", "github"]);
    assert_eq!(annotations.code, 2);
    assert!(annotations.out.contains("title=cluster%3A%3Aforbidden"), "{annotations:?}");
}

#[test]
fn without_a_kubeconfig_or_with_an_unknown_context_there_is_a_diagnostic() {
    let setting = Setting::new(&Cluster::new("v1.0.0", "standard"));
    let unknown = setting.run(&["--context", "production"]);
    assert_eq!((unknown.code, &*unknown.out), (2, ""));
    let expected = "error[cluster::unknown-context]: the kubeconfig has no context `production`";
    assert!(unknown.err.starts_with(expected), "{unknown:?}");
    assert_eq!(setting.run(&["--context", "staging"]).code, 0);
    std::fs::remove_file(setting.0.place.path().join("kubeconfig")).unwrap();
    let missing = setting.run(&[]);
    assert_eq!((missing.code, &*missing.out), (2, ""));
    assert!(missing.err.starts_with("error[cluster::no-kubeconfig]: no kubeconfig found at `"), "{missing:?}");
}

#[test]
fn a_server_that_does_not_run_is_a_diagnostic() {
    let setting = Setting::new(&Cluster::new("v1.0.0", "standard"));
    // Without `listen`, the port refuses connections, and no other process gets it.
    let closed = tokio::net::TcpSocket::new_v4().unwrap();
    closed.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    setting.0.use_server(&format!("http://{}", closed.local_addr().unwrap()));
    let printed = setting.run(&["--format", "json"]);
    assert_eq!((printed.code, &*printed.out), (2, ""));
    assert!(printed.err.contains("error[cluster::unreachable]: "), "{printed:?}");
}

/// The words of each CRD in the column `content`.
fn contents(printed: &Printed) -> Vec<&str> {
    let rows = printed.out.lines().filter(|line| line.starts_with("gadgets ") || line.starts_with("widgets "));
    let word = |row: &&str| ["as released", "edited", "not compared"].into_iter().find(|word| row.contains(word));
    rows.filter_map(|row| word(&row)).collect()
}

#[test]
fn releases_are_a_folder_a_history_archive_or_the_workspace() {
    let setting = Setting::new(&Cluster::new("v1.0.0", "standard"));
    let compared = ["as released", "as released"];
    assert_eq!(contents(&setting.run(&[])), compared);
    let alone = setting.run_only(&[]);
    assert_eq!((alone.code, contents(&alone)), (0, vec!["not compared"; 2]), "{alone:?}");
    assert!(alone.out.contains("[inspect::unknown-bundle]"), "{alone:?}");
    setting.0.place.write("dates.tsv", "v1.0.0\t2021-01-01\nv1.1.0\t2022-01-01\n");
    let arguments = ["history", "--format", "archive", "--dates", "dates.tsv", "--out", "history.tar.xz", "releases"];
    let ran = setting.0.place.run(&crate::support::things(), &arguments);
    assert_eq!(ran.exit, crd_channels_cli::Exit::Fine, "{ran:?}");
    let archive = setting.run_only(&["--releases", "history.tar.xz"]);
    assert_eq!((archive.code, contents(&archive)), (0, compared.to_vec()), "{archive:?}");
    std::fs::remove_dir_all(setting.0.place.path().join("releases/v1.0.0")).unwrap();
    let newer = setting.run(&[]);
    assert!(newer.out.contains("the bundle v1.0.0 is not known"), "{newer:?}");
    assert_eq!(contents(&newer), ["not compared"; 2], "{newer:?}");
    let missing = setting.run_only(&["--releases", "nowhere"]);
    assert_eq!((missing.code, &*missing.out), (2, ""), "{missing:?}");
}

#[test]
fn a_target_is_a_version_a_folder_or_a_channel() {
    let setting = Setting::new(&defective());
    let target = |arguments: &[&str]| setting.document(arguments).1["target"].clone();
    assert_eq!(target(&["--target", "v1.1.0"]), "v1.1.0 experimental");
    assert_eq!(target(&["--target", "v1.1.0", "--channel", "standard"]), "v1.1.0 standard");
    assert_eq!(target(&["--channel", "standard"]), "v1.0.0 standard");
    // A folder is the bundle in it.
    assert_eq!(setting.document(&["--target", "releases/v1.1.0"]), setting.document(&["--target", "v1.1.0"]));
    let (_, switch) = setting.document(&["--channel", "standard"]);
    let lost =
        switch["findings"].as_array().unwrap().iter().filter(|finding| finding["code"] == "inspect::lost-values");
    let paths = lost.map(|finding| finding["path"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(paths, ["spec.extra", "spec.theme.level"]);
    for target in ["v9.0.0", "nowhere"] {
        let printed = setting.run(&["--target", target]);
        assert_eq!((printed.code, &*printed.out), (2, ""), "{printed:?}");
        assert!(printed.err.contains(target), "{printed:?}");
    }
}

#[test]
fn old_forms_are_found_with_the_lenses_of_a_document() {
    let mut cluster = Cluster::new("v1.0.0", "standard");
    cluster.add(widget("old", &json!({"title": "x"})));
    let setting = Setting::new(&cluster);
    let lens = json!({
        "name": "title-to-text", "resource": "widgets.example.com", "group": "example.com", "kind": "Widget", "since": "v1.0.0",
        "steps": [{"operation": "rename", "from": "spec.title", "to": "spec.text"}],
    });
    let document = json!({"schemaVersion": 1, "generator": "test", "prefix": "example.com", "lenses": [lens]});
    setting.0.place.write("lenses.json", document.to_string());
    assert_eq!(setting.run(&[]).code, 0);
    let printed = setting.run(&["--conversions", "lenses.json", "--verbose"]);
    assert_eq!(printed.code, 1, "{printed:?}");
    let expected = "warning: the lens title-to-text converts the old form of 1 object (shop/old) [inspect::old-form]";
    assert!(printed.out.contains(expected), "{printed:?}");
    assert!(
        printed.out.ends_with("objects of widgets.example.com\n  shop/old\n    old-form title-to-text\n"),
        "{printed:?}"
    );
}
