//! Folders of CRDs as projects lay them out: with kustomizations, patches and subfolders. An archive of a folder is read as the folder is, and
//! `kubectl kustomize` lists the same CRDs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::projects::run;
use crate::support::{Place, Ran, one_line_each};
use crd_channels_cli::Exit;
use serde_json::Value;

fn crd(plural: &str) -> String {
    let kind = plural.to_uppercase();
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {plural}.example.com}}\nspec:\n  \
         group: example.com\n  scope: Namespaced\n  names: {{kind: {kind}, listKind: {kind}List, singular: {plural}, plural: {plural}}}\n  \
         versions:\n  - {{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}\n"
    )
}

/// A layout, and what is read of it.
struct Case {
    what: String,
    /// Files with their texts. A file without a text is the CRD that its name names.
    files: Vec<(String, Option<String>)>,
    /// The names of the CRDs, by channel, or a part of the error.
    read: Result<Vec<String>, String>,
    /// The text of the note.
    left_out: String,
    is_as_kustomize: bool,
}

fn cases() -> Vec<Case> {
    let documents = crd_model::yaml::read(include_str!("layouts.yaml")).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let case = |case: &Value| Case {
        what: text(&case["what"]),
        files: case["files"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(path, content)| (path.clone(), content.as_str().map(str::to_owned)))
            .collect(),
        read: match case["read"].as_array() {
            Some(names) => Ok(names.iter().map(text).collect()),
            None => Err(text(&case["error"])),
        },
        left_out: text(&case["left-out"]),
        is_as_kustomize: case["as-kustomize"] != false,
    };
    documents[0].as_array().unwrap().iter().map(case).collect()
}

impl Case {
    fn write(&self, place: &Place) {
        for (path, text) in &self.files {
            let name = path.rsplit('/').next().unwrap().split('.').next().unwrap();
            place.write(&format!("source/{path}"), text.clone().unwrap_or_else(|| crd(name)));
        }
        let mut archive = tar::Builder::new(fs::File::create(place.path().join("source.tar")).unwrap());
        archive.append_dir_all(".", place.path().join("source")).unwrap();
        archive.finish().unwrap();
    }
}

/// A baseline that has both channels.
fn write_old(place: &Place) {
    for channel in ["standard", "experimental"] {
        place.write(&format!("old/{channel}/old.yaml"), crd("old"));
    }
}

/// The names of the CRDs, after their channel unless it is standard, and the notes.
fn read(ran: &Ran) -> (BTreeSet<String>, Vec<String>) {
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let names = document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["rule"] == "name-added" && finding["path"] == "");
    let names = names.map(|finding| {
        let name = text(&finding["crd"]).replace(".example.com", "");
        format!("{} {name}", text(&finding["channel"])).replace("standard ", "")
    });
    let left_out = document["leftOut"].as_array().unwrap().iter();
    (names.collect(), left_out.map(|note| format!("{} ({})", text(&note["file"]), text(&note["reason"]))).collect())
}

/// The names of the CRDs that kustomize lists; none if it refuses.
fn kustomized(folder: &Path) -> Option<Option<BTreeSet<String>>> {
    let output = Command::new("kubectl").arg("kustomize").arg(folder).output().ok()?;
    let printed = String::from_utf8(output.stdout).unwrap();
    let names = printed.split("\n---\n").filter(|text| text.contains("kind: CustomResourceDefinition\n"));
    let name = |text: &str| text.lines().find_map(|line| line.strip_prefix("  name: ")).unwrap().to_owned();
    Some(output.status.success().then(|| names.map(name).collect()))
}

#[test]
fn a_folder_and_an_archive_are_read_by_their_layout() {
    for case in cases() {
        let place = Place::new();
        case.write(&place);
        write_old(&place);
        for source in ["source", "source.tar"] {
            let arguments = ["diff", "old", source, "--format", "json"];
            let ran = run(&place, &arguments);
            let printed = |text: &str| text.replace("source.tar!", "source/").replace("source.tar", "source");
            match &case.read {
                Ok(names) => {
                    let (found, left_out) = read(&ran);
                    assert!(found.iter().eq(names), "{}, {source}: {ran:?}", case.what);
                    let left_out = left_out.iter().map(|note| printed(note)).collect::<Vec<_>>().join("|");
                    assert_eq!(left_out, case.left_out, "{}, {source}", case.what);
                }
                Err(error) => {
                    assert_eq!(ran.exit, Exit::Unusable, "{}, {source}: {ran:?}", case.what);
                    let text = one_line_each(&run(&place, &arguments[..3]).err);
                    assert!(printed(&text).starts_with(&format!("error: {error}")), "{}, {source}: {text}", case.what);
                }
            }
        }
        if case.is_as_kustomize
            && let Some(listed) = kustomized(&place.path().join("source"))
        {
            let names: Option<BTreeSet<_>> =
                case.read.as_ref().ok().map(|names| names.iter().map(|name| format!("{name}.example.com")).collect());
            assert_eq!(
                listed.map(|names| names.into_iter().map(|name| name.replace("x-", "")).collect()),
                names,
                "{}",
                case.what
            );
        }
    }
}

const WEBHOOK: &str = "{strategy: Webhook, webhook: {clientConfig: {service: {name: w, namespace: system, path: /convert}}, conversionReviewVersions: [v1]}}";

/// Patches of `spec.conversion`: whether a webhook is read, and whether a note names them as not applied. Where kustomize is installed, its output
/// has the same conversion.
#[test]
fn conversions_in_patches_are_those_of_kustomize() {
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.example.com}\n";
    let merge = format!("{head}spec:\n  conversion: {WEBHOOK}\n");
    let none = format!("{head}spec: {{conversion: {{strategy: None}}}}\n");
    let more = format!("{merge}  preserveUnknownFields: false\n");
    let label = merge.replace("{name: a", "{labels: {x: y}, name: a");
    let add = format!("- op: add\n  path: /spec/conversion\n  value: {WEBHOOK}\n");
    let port = "- op: add\n  path: /spec/conversion/webhook/clientConfig/service/port\n  value: 8443\n";
    let inline = |text: &str, target: &str| {
        format!("patches:\n- target: {{{target}}}\n  patch: |-\n    {}\n", text.trim_end().replace('\n', "\n    "))
    };
    let file = "patches:\n- path: patches/a.yaml\n";
    for (what, kustomization, patch, is_webhook, is_noted) in [
        ("a file", file.to_owned(), &*merge, true, false),
        ("a strategic merge", "patchesStrategicMerge: [patches/a.yaml]\n".to_owned(), &merge, true, false),
        ("a target", inline(&merge, "kind: CustomResourceDefinition"), "", true, false),
        ("a name", inline(&merge, "kind: CustomResourceDefinition, name: 'a\\..*'"), "", true, false),
        ("another name", inline(&merge, "kind: CustomResourceDefinition, name: b.*"), "", false, false),
        ("an operation", inline(&add, "kind: CustomResourceDefinition, name: a.example.com"), "", true, false),
        ("two operations", inline(&format!("{add}{port}"), "kind: CustomResourceDefinition"), "", true, false),
        ("the old list", "patchesJson6902:\n- target: {group: apiextensions.k8s.io, version: v1, kind: CustomResourceDefinition, name: a.example.com}\n  path: patches/a.yaml\n".to_owned(), &add, true, false),
        ("no webhook", file.to_owned(), &none, false, false),
        ("one after the other", format!("{file}- path: patches/b.yaml\n"), &merge, true, false),
        ("more in the patch", file.to_owned(), &more, true, true),
        ("a label in the patch", file.to_owned(), &label, true, true),
        ("a selector", inline(&merge, "labelSelector: x=z"), "", false, true),
        ("an index", inline(&format!("{add}- op: add\n  path: /spec/conversion/webhook/conversionReviewVersions/-\n  value: v1beta1\n"), "kind: CustomResourceDefinition"), "", true, true),
    ] {
        let place = Place::new();
        place.write("source/bases/a.yaml", crd("a"));
        place.write("source/kustomization.yaml", format!("resources: [bases/a.yaml]\n{kustomization}"));
        place.write("source/patches/a.yaml", patch);
        place.write("source/patches/b.yaml", format!("{head}spec: {{conversion: {{webhook: {{conversionReviewVersions: [v1, v1beta1]}}}}}}\n"));
        place.write("over/kustomization.yaml", "resources: [../source]\n");
        for source in ["source", "over"] {
            let ran = run(&place, &["diff", "source/bases", source, "--format", "json"]);
            let document: Value = serde_json::from_str(&ran.out).unwrap();
            let found = document["findings"].as_array().unwrap();
            assert_eq!(found.iter().any(|finding| finding["rule"] == "webhook"), is_webhook, "{what}: {document}");
            let notes = document["leftOut"].to_string();
            assert_eq!(notes.contains("not applied: `patches"), is_noted, "{what}: {notes}");
        }
        let output = Command::new("kubectl").arg("kustomize").arg(place.path().join("source")).output();
        if let Ok(output) = output
            && what != "an index"
        {
            assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
            place.write("kustomized.yaml", String::from_utf8(output.stdout).unwrap());
            let ran = run(&place, &["diff", "kustomized.yaml", "source", "--format", "json"]);
            let document: Value = serde_json::from_str(&ran.out).unwrap();
            let rules = document["findings"].as_array().unwrap().iter().map(|finding| &finding["rule"]);
            assert!(rules.filter(|rule| *rule != "labels-and-annotations").count() == 0, "{what}: {document}");
        }
    }
}

/// What an operating system cannot open is an error, and `--skip` leaves it out.
#[test]
fn what_cannot_be_read_is_an_error() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    let place = Place::new();
    write_old(&place);
    place.write("source/bases/a.yaml", crd("a"));
    let folder = place.path().join("source/bases");
    let odd = std::ffi::OsStr::from_bytes(b"b\xff.yaml");
    for (name, words) in [
        ("b.yaml", "cannot be read: No such file"),
        ("b", "cannot be read: No such file"),
        ("c", "is a symlink to a folder that it is in"),
    ] {
        let link = folder.join(name);
        symlink(if name == "c" { "../bases" } else { "nowhere" }, &link).unwrap();
        let ran = run(&place, &["diff", "old", "source"]);
        assert_eq!(ran.exit, Exit::Unusable);
        let text = one_line_each(&ran.err);
        assert!(text.contains(&format!("error: source/bases/{name}: {words}")), "{text}");
        let ran = run(&place, &["diff", "old", "source", "--expect", "major", "--skip", name]);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        fs::remove_file(link).unwrap();
    }
    fs::write(folder.join(odd), crd("b")).unwrap();
    let ran = run(&place, &["diff", "old", "source"]);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("has a name that is not UTF-8"), "{ran:?}");
    fs::remove_file(folder.join(odd)).unwrap();
    // A link to another folder is followed inside a repository.
    place.write("other/b.yaml", crd("b"));
    symlink("../../other", folder.join("linked")).unwrap();
    let ran = run(&place, &["diff", "old", "source"]);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("leads out of `source`"), "{ran:?}");
    fs::create_dir(place.path().join(".git")).unwrap();
    let (names, _) = read(&run(&place, &["diff", "old", "source", "--format", "json"]));
    assert!(names.iter().eq(["a", "b"]), "{names:?}");
    // A base outside of the folder that is named.
    place.write("over/lay/kustomization.yaml", "resources: [../../base]\n");
    place.write("base/kustomization.yaml", "resources: [b.yaml]\n");
    place.write("base/b.yaml", crd("b"));
    let (names, _) = read(&run(&place, &["diff", "old", "over/lay", "--format", "json"]));
    assert!(names.iter().eq(["b"]), "{names:?}");
}

/// The commands that read CRDs, and the option that reads them. All name what is left out.
fn commands<'a>(folder: &'a str, workspace: &'a str) -> [Vec<&'a str>; 5] {
    [
        vec!["diff", folder, folder],
        vec!["validate", "object.yaml", "--crds", folder],
        vec!["docs", "--crds", folder, "--out", "site"],
        vec!["bindings", "schemas", "--crds", folder],
        vec!["new", workspace, "--from-crds", folder],
    ]
}

#[test]
fn every_command_names_what_is_left_out() {
    let place = Place::new();
    let case = &cases()[0];
    case.write(&place);
    place.write("object.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n");
    for arguments in commands("source", "workspace") {
        let ran = run(&place, &arguments);
        assert_ne!(ran.exit, Exit::Unusable, "{arguments:?} {ran:?}");
        assert!(ran.err.contains(&format!("note: left out: {}\n", case.left_out)), "{arguments:?} {ran:?}");
    }
}

#[test]
fn import_takes_the_folder_of_the_channel() {
    let place = Place::new();
    for path in
        ["source/c.yaml", "source/experimental/a.yaml", "source/experimental/b.yaml", "other/experimental/a.yaml"]
    {
        place.write(path, crd(&path[path.len() - 6..path.len() - 5]));
    }
    let import =
        |folder: &str, channel: &str| run(&place, &["import", folder, "--version", "v1.0.0", "--channel", channel]);
    let ran = import("other", "standard");
    let words = "1 CRD is in the folder of experimental, and standard is asked for";
    assert!(ran.exit == Exit::Findings && ran.err.contains(words), "{ran:?}");
    for (channel, names) in [("standard", &["c"] as &[&str]), ("experimental", &["a", "b", "c"])] {
        let ran = import("source", channel);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        let files = fs::read_dir(place.path().join("bundles/v1.0.0").join(channel)).unwrap();
        let files = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect::<BTreeSet<_>>();
        assert!(
            files.iter().eq(&names.iter().map(|name| format!("example.com_{name}.yaml")).collect::<Vec<_>>()),
            "{files:?}"
        );
    }
}

/// Projects with the module, its version, the folder of the CRDs, and how many notes name what is left out.
const PROJECTS: [(&str, &str, usize); 5] = [
    ("sigs.k8s.io/kueue@v0.17.0", "config/components/crd", 1),
    ("github.com/kedacore/keda/v2@v2.21.0", "config/crd", 1),
    ("sigs.k8s.io/cluster-api@v1.14.2", "core/config/crd", 1),
    ("github.com/vmware-tanzu/velero@v1.18.3", "config/crd", 0),
    ("github.com/cloudnative-pg/cloudnative-pg@v1.27.0", "config/crd", 1),
];

/// The folders of published projects work without options.
#[test]
fn layouts_of_kubebuilder_projects_are_read() {
    if !crd_testdata::is_proof() {
        println!("skipped: `cargo xtask prove layouts` reads the Go modules of five projects");
        return;
    }
    for (project, folder, notes) in PROJECTS {
        let place = Place::new();
        place.write("object.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n");
        write_old(&place);
        let folder = crd_testdata::go_module(project).join(folder);
        let named = folder.to_str().unwrap();
        println!("{project}");
        for arguments in commands(named, "workspace") {
            let ran = run(&place, &arguments);
            // `new` exits with 1 if the types do not express a part of a CRD.
            assert!(
                ran.exit == Exit::Fine || arguments[0] == "new" && ran.exit == Exit::Findings,
                "{arguments:?} {ran:?}"
            );
            for note in ran.err.lines().filter(|line| line.contains("left out: ")) {
                println!("  {} {}", arguments[0], note.replace(named, "FOLDER"));
            }
        }
        let ran = run(&place, &["diff", "old", named, "--format", "json"]);
        let (names, left_out) = read(&ran);
        println!("  {} CRDs", names.len());
        match kustomized(&folder) {
            Some(Some(listed)) => assert_eq!(names, listed, "{project}"),
            _ => assert_eq!(names.len(), 13, "{project}: Velero has no kustomization, or kubectl is missing"),
        }
        assert_eq!(left_out.len(), notes, "{project}: {left_out:?}");
    }
}
