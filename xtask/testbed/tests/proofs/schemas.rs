//! The strict JSON schemas of the flagship in the programs that people read them with: kubeconform, and yaml-language-server as VS Code runs it.
//!
//! Both accept upstream's examples, refuse the invalid examples that a schema can refuse, and refuse an unknown field in each example. Go and npm
//! download the programs once, with the pinned versions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use crd_bindings::json_schema::files;
use crd_channels::Channel;
use crd_model::yaml;
use serde_json::{Value, json};

use crate::documents::{Example, VersionedKind, crds, upstream_examples};

const KUBECONFORM: &str = "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0";
/// The last version for Node 20.
const LANGUAGE_SERVER: &str = "yaml-language-server@1.25.0";
/// Reads the messages of the language server.
const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/proofs/schemas/diagnose.mjs");
/// Where the programs are installed.
const PROGRAMS: &str = env!("CARGO_TARGET_TMPDIR");

/// The invalid examples that no schema can refuse: CEL rules and the keys of list maps are broken. A server refuses them.
const ONLY_SERVERS: [&str; 16] = [
    "experimental/httproute/invalid-filter-externalauth-empty.yaml",
    "standard/gateway/duplicate-listeners.yaml",
    "standard/gateway/hostname-tcp.yaml",
    "standard/gateway/hostname-udp.yaml",
    "standard/gateway/invalid-tls-mode.yaml",
    "standard/gateway/tlsconfig-tcp.yaml",
    "standard/httproute/duplicate-header-match.yaml",
    "standard/httproute/duplicate-query-match.yaml",
    "standard/httproute/httproute-portless-backend.yaml",
    "standard/httproute/httproute-portless-service.yaml",
    "standard/httproute/invalid-filter-duplicate.yaml",
    "standard/httproute/invalid-filter-empty.yaml",
    "standard/httproute/invalid-filter-wrong-field.yaml",
    "standard/httproute/invalid-path-alphanum-specialchars-mix.yaml",
    "standard/httproute/invalid-path-specialchars.yaml",
    "standard/httproute/invalid-request-redirect-with-backendref.yaml",
];

/// The example that only yaml-language-server refuses: its pattern for `ipv6` does not match `2001:db8:3c4d:15:0:d234:3eee::`.
const WRONG_FORMAT: &str = "standard/gateway-addresses.yaml";

/// An object for which a reader has a schema.
struct Document {
    name: String,
    schema: PathBuf,
    object: Value,
}

/// The schemas of both channels in a folder, and the objects.
struct Documents {
    folder: tempfile::TempDir,
    valid: Vec<Document>,
    invalid: Vec<Document>,
    unknown: Vec<Document>,
}

fn documents() -> Documents {
    let folder = tempfile::Builder::new().prefix("crd-channels-schemas-").tempdir().expect("a folder");
    let channels = Channel::ALL.map(|channel| (channel, crds(channel).iter().cloned().map(Arc::new).collect()));
    for (path, text) in files(&channels.into()).expect("schemas") {
        write(&folder.path().join(path), &text);
    }
    let document = |channel: Channel, Example { file, object }: Example| {
        let versioned = VersionedKind::of(channel, &object)?;
        let (group, kind, version) = (&versioned.crd.group, versioned.kind().to_lowercase(), &versioned.version.name);
        let schema = folder.path().join(format!("{channel}-strict/{group}/{kind}_{version}.json"));
        Some(Document { name: file, schema, object })
    };
    let (mut valid, mut invalid, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for channel in Channel::ALL {
        valid.extend(upstream_examples(channel).into_iter().filter_map(|example| document(channel, example)));
        for file in crd_testdata::gateway_api_invalid_examples(channel.name()) {
            let name = format!("{channel}/{}", file.path);
            let objects = yaml::read(file.text).expect("a manifest").into_iter();
            let examples = objects.map(|object| Example { file: name.clone(), object });
            invalid.extend(examples.filter_map(|example| document(channel, example)));
        }
    }
    for Document { name, schema, object } in &valid {
        let mut object = object.clone();
        object["spec"]["unknown"] = json!(1);
        unknown.push(Document { name: name.clone(), schema: schema.clone(), object });
    }
    Documents { folder, valid, invalid, unknown }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// What a program prints, with this standard input.
#[track_caller]
fn output(command: &mut Command, input: &str, is_success: impl Fn(Option<i32>) -> bool) -> String {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    child.stdin.take().expect("standard input").write_all(input.as_bytes()).expect("the program reads");
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (printed, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(is_success(output.status.code()), "{command:?}: {printed}{errors}");
    printed
}

/// Whether a program is missing, and no proof is required.
fn is_skipped(program: &str) -> bool {
    let is_required = std::env::var("CRD_TESTBED").is_ok_and(|value| value == "require");
    let is_skipped = !is_required && Command::new(program).arg("--help").output().is_err();
    if is_skipped {
        println!("skipped: {program} is not installed");
    }
    is_skipped
}

/// The documents for which a program reports errors.
type Reader<'r> = &'r dyn Fn(&[Document]) -> BTreeSet<usize>;

/// The verdicts of a reader. `not_accepted` are the examples that it refuses by mistake.
fn compare(name: &str, documents: &Documents, reader: Reader<'_>, not_accepted: &[&str]) {
    let Documents { valid, invalid, unknown, .. } = documents;
    let names = |documents: &[Document], refused: bool| {
        let errors = reader(documents);
        let wanted = documents.iter().enumerate().filter(|(index, _)| errors.contains(index) == refused);
        wanted.map(|(_, document)| document.name.clone()).collect::<BTreeSet<_>>()
    };
    assert_eq!(names(valid, true), not_accepted.iter().map(|name| (*name).to_owned()).collect(), "{name}");
    assert_eq!(names(invalid, false), ONLY_SERVERS.map(str::to_owned).into(), "{name}");
    assert_eq!(names(unknown, false), BTreeSet::new(), "{name}");
    let (accepted, refused) = (valid.len() - not_accepted.len(), invalid.len() - ONLY_SERVERS.len());
    println!(
        "{name}: {accepted} of {} examples accepted, {refused} of {} invalid ones refused, {} with an unknown field refused",
        valid.len(),
        invalid.len(),
        unknown.len()
    );
    assert_eq!((valid.len(), invalid.len()), (106, 36));
}

#[test]
fn kubeconform_reads_the_schemas() {
    let go = std::env::var("GO").unwrap_or_else(|_| "go".to_owned());
    if is_skipped(&go) {
        return;
    }
    output(
        Command::new(go).args(["install", KUBECONFORM]).env("GOTOOLCHAIN", "auto").env("GOBIN", PROGRAMS),
        "",
        |code| code == Some(0),
    );
    let all = documents();
    let reader = |documents: &[Document]| {
        let mut errors = BTreeSet::new();
        // The channel is that of the folder.
        let mut of_channels: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
        for (index, document) in documents.iter().enumerate() {
            of_channels.entry(document.schema.ancestors().nth(2).expect("the channel")).or_default().push(index);
        }
        for (channel, indices) in of_channels {
            let objects = tempfile::tempdir().expect("a folder");
            for index in indices {
                write(&objects.path().join(format!("{index}.json")), &documents[index].object.to_string());
            }
            let location =
                format!("{}/{{{{.Group}}}}/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json", channel.display());
            let mut command = Command::new(Path::new(PROGRAMS).join("kubeconform"));
            command.args(["-output", "json", "-schema-location", &location]).arg(objects.path());
            let printed = output(&mut command, "", |code| matches!(code, Some(0 | 1)));
            let report: Value = serde_json::from_str(&printed).expect("a report");
            for found in report["resources"].as_array().expect("resources") {
                // An unreadable schema would be another status.
                assert_eq!(found["status"], "statusInvalid", "{found}");
                let index =
                    Path::new(found["filename"].as_str().expect("a file")).file_stem().and_then(|name| name.to_str());
                errors.insert(index.and_then(|index| index.parse().ok()).expect("an index"));
            }
        }
        errors
    };
    compare("kubeconform", &all, &reader, &[]);
}

#[test]
fn the_language_server_of_editors_reads_the_schemas() {
    if !crd_testdata::is_proof() || is_skipped("npm") {
        println!("skipped: `cargo xtask prove language-server` runs it");
        return;
    }
    let folder = Path::new(PROGRAMS).join(LANGUAGE_SERVER);
    let server = folder.join("node_modules/yaml-language-server/bin/yaml-language-server");
    if !server.exists() {
        fs::create_dir_all(&folder).expect("a folder");
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).arg(LANGUAGE_SERVER);
        output(&mut npm, "", |code| code == Some(0));
    }
    let all = documents();
    let reader = |documents: &[Document]| {
        let input = documents.iter().enumerate().map(|(index, document)| {
            let schema = format!("file://{}", document.schema.display());
            json!({ "name": index.to_string(), "schema": schema, "text": format!("{:#}", document.object) })
        });
        let input = input.collect::<Value>().to_string();
        let printed = output(Command::new("node").arg(CLIENT).arg(&server), &input, |code| code == Some(0));
        let messages: BTreeMap<String, Vec<String>> = serde_json::from_str(&printed).expect("messages");
        assert_eq!(messages.len(), documents.len());
        for (index, messages) in &messages {
            // The schema was found and read.
            assert!(!messages.iter().any(|message| message.contains("schema")), "{index}: {messages:?}");
        }
        let refused = messages.iter().filter(|(_, messages)| !messages.is_empty());
        refused.map(|(index, _)| index.parse().expect("an index")).collect()
    };
    compare("yaml-language-server", &all, &reader, &[WRONG_FORMAT]);
    assert!(all.folder.path().join("standard/gateway.networking.k8s.io/gateway_v1.fields.txt").exists());
}
