//! Install files, kustomizations, charts, archives and sums, against the tools that other people read them with: GNU tar, gzip, Python's
//! tarfile, an independent YAML reader, `sha256sum`, kubectl and Helm.
//!
//! Checks of missing tools are skipped with a message, unless CRD_RELEASE_TOOLS is `require`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crd_bundle::admission::{ReleasedChannel, guardrails, safe_upgrades};
use crd_bundle::published::{self, Input};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_release::archive::{Entry, bundle_archive, tar_gz};
use crd_release::chart::{chart, stored_size};
use crd_release::install::{self, install};
use crd_release::kustomization::kustomization;
use crd_release::sums::sha256sums;
use crd_release::template::Templates;
use crd_release::{Artefact, Release};
use serde_json::{Value, json};

/// Texts that mean something to a template engine, to YAML, to HTML or to a shell.
const TRICKY: [&str; 16] = [
    "{{ .Values.password }}",
    "{{{ }}} {{{{ }}}} {{ {{ }} }}",
    "{{- /* nothing */ -}} {{ \"{{\" }} {{`{{`}} {{'{{'}}",
    "`{{` {{ `}}` }} {\\{ {\u{7b}",
    "{",
    "{{",
    "{{-",
    "}}",
    "{{ template \"no such\" }} {{ end }} {{ if }}",
    "line\n---\nkind: Secret\n--- # ---\n...\n",
    "a\u{85}b\u{2028}c\u{2029}d\u{7f}e\u{9f}f\u{feff}g\u{a0}h",
    "<b>&amp;</b> 'single' \"double\" back\\slash \\u007b\\n",
    "tab\there\r\nreturn\u{b}\u{c}\u{1}",
    "😀 ä 漢字 \u{fffd} \u{10ffff}",
    " yes: no # on ",
    "$(VAR) ${VAR} %s %{name} {# comment #} {% if %}",
];

pub(crate) fn crd(plural: &str) -> CustomResourceDefinition {
    let property = |text: &str| json!({ "type": "string", "description": text, "default": text, "enum": [text, "x"] });
    let properties: BTreeMap<String, Value> =
        TRICKY.iter().enumerate().map(|(number, text)| (format!("field{number}"), property(text))).collect();
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.example.com"), "annotations": { "example.com/note": TRICKY[1] } },
        "spec": {
            "group": "example.com",
            "names": { "kind": "Test", "plural": plural },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": {
                    "type": "object", "description": TRICKY.join("\n"),
                    "properties": { "spec": { "type": "object", "properties": properties } },
                } },
            }],
        },
    });
    CustomResourceDefinition::from_value(&crd).unwrap()
}

/// A policy and its binding, with the texts in an expression and in a message.
fn policies(name: &str) -> Vec<Value> {
    let object = |kind: &str| {
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
            "metadata": { "name": format!("{name}.example.com") },
            "spec": { "validations": TRICKY.map(|text| json!({ "expression": text, "message": text })) },
        })
    };
    vec![object("ValidatingAdmissionPolicy"), object("ValidatingAdmissionPolicyBinding")]
}

pub(crate) fn release_of(channels: Vec<(Channel, Vec<CustomResourceDefinition>)>, name: &str, prefix: &str) -> Release {
    Release {
        documents: Vec::new(),
        webhook: None,
        policies: Vec::new(),
        name: name.to_owned(),
        prefix: prefix.to_owned(),
        version: "v1.6.1".parse().unwrap(),
        released: "2026-11-21T16:53:52Z".parse().unwrap(),
        channels: channels
            .into_iter()
            .map(|(channel, crds)| ReleasedChannel { channel, files: crd_bundle::files(crds) })
            .collect(),
    }
}

/// A release whose texts are as difficult as is permitted.
fn tricky() -> Release {
    let long = "q".repeat(63);
    let experimental = ["tests", "samples", &long].map(crd).to_vec();
    let channels = vec![(Channel::Standard, vec![crd("tests")]), (Channel::Experimental, experimental)];
    let conversions = Artefact { name: "conversions.json".to_owned(), bytes: b"{}\n".to_vec() };
    Release { documents: vec![conversions], ..release_of(channels, "sample-api", "example.com") }
}

/// What `bundles/unreleased` holds, if this is the repository.
pub(crate) fn real() -> Option<Release> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bundles/unreleased");
    let mut channels = Vec::new();
    for channel in Channel::ALL {
        let Ok(entries) = fs::read_dir(folder.join(channel.name())) else {
            println!("skipped: there is no {}/{channel}", folder.display());
            return None;
        };
        let inputs: Vec<Input> = entries
            .map(|entry| entry.unwrap().path())
            .map(|path| Input::new(path.to_str().unwrap(), fs::read(&path).unwrap()))
            .collect();
        let published = published::read("unreleased", inputs).unwrap();
        channels.push((channel, published.crds.into_iter().map(|crd| crd.crd).collect()));
    }
    Some(release_of(channels, "gateway-api", "gateway.networking.k8s.io"))
}

/// What the program prints, if it is here. It has to succeed.
pub(crate) fn said(program: impl AsRef<OsStr>, arguments: &[&str], folder: &Path) -> Option<String> {
    let program = program.as_ref();
    let output =
        match Command::new(program).args(arguments).current_dir(folder).env("TZ", "UTC").env("LC_ALL", "C").output() {
            Ok(output) => output,
            Err(error) => {
                skipped(&format!("{}: {error}", program.display()));
                return None;
            }
        };
    let errors = String::from_utf8_lossy(&output.stderr);
    if program == "python3" && output.status.code() == Some(77) {
        skipped(errors.trim());
        return None;
    }
    assert!(
        output.status.success(),
        "{} {arguments:?}: {errors}{}",
        program.display(),
        String::from_utf8_lossy(&output.stdout)
    );
    Some(String::from_utf8(output.stdout).unwrap())
}

fn skipped(why: &str) {
    assert!(std::env::var_os("CRD_RELEASE_TOOLS").is_none_or(|value| value != "require"), "{why}");
    println!("skipped: {why}");
}

/// All documents of YAML texts, as PyYAML reads them.
pub(crate) fn python_yaml(folder: &Path, files: &[&str]) -> Option<Vec<Value>> {
    const SCRIPT: &str = "
import json, sys
try:
    import yaml
except ImportError as error:
    sys.stderr.write(f'python3: {error}')
    sys.exit(77)
loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
documents = []
for name in sys.argv[1:]:
    documents += yaml.load_all(open(name, 'rb'), Loader=loader)
json.dump(documents, sys.stdout)
";
    let printed = said("python3", &[&["-c", SCRIPT], files].concat(), folder)?;
    Some(serde_json::from_str(&printed).unwrap())
}

/// The members of an archive as Python's tarfile reads them: all headers, and the texts.
fn python_tar(archive: &Path) -> Option<Vec<Value>> {
    const SCRIPT: &str = "
import json, sys, tarfile
members = []
with tarfile.open(sys.argv[1]) as archive:
    for member in archive:
        header = [member.mode, member.uid, member.gid, member.uname, member.gname, member.mtime, member.isreg(), member.linkname]
        text = archive.extractfile(member).read().decode('latin-1') if member.isreg() else None
        members.append({'path': member.name, 'header': header, 'text': text})
json.dump(members, sys.stdout)
";
    let printed = said("python3", &["-c", SCRIPT, archive.to_str().unwrap()], Path::new("/"))?;
    Some(serde_json::from_str(&printed).unwrap())
}

pub(crate) fn put(folder: &Path, artefact: &Artefact) -> PathBuf {
    let path = folder.join(&artefact.name);
    fs::write(&path, &artefact.bytes).unwrap();
    path
}

pub(crate) fn unpacked(archive: &Path, folder: &Path) -> Option<BTreeMap<String, Vec<u8>>> {
    said("tar", &["-xzf", archive.to_str().unwrap()], folder)?;
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry != archive {
                found.insert(
                    entry.strip_prefix(folder).unwrap().to_str().unwrap().to_owned(),
                    fs::read(&entry).unwrap(),
                );
            }
        }
    }
    Some(found)
}

fn gunzipped(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    std::io::copy(&mut flate2::read::GzDecoder::new(bytes), &mut out).unwrap();
    out
}

/// A value with the annotation that Helm goes by.
fn kept(mut object: Value) -> Value {
    let metadata = object["metadata"].as_object_mut().unwrap();
    let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
    annotations["helm.sh/resource-policy"] = json!("keep");
    object
}

pub(crate) fn sorted(mut objects: Vec<Value>) -> Vec<Value> {
    objects.sort_by_key(|object| format!("{} {}", object["kind"], object["metadata"]["name"]));
    objects
}

const RELEASED: &str = "2026-11-21T16:53:52Z";

#[test]
fn gnu_tar_lists_and_unpacks_what_went_in() {
    let mut entries = vec![
        Entry::new("top-v1/z.txt", "z"),
        Entry::new("top-v1/empty", ""),
        Entry::new("top-v1/a/block", [b'x'; 512]),
        Entry::new("top-v1/a/more than a block", [b'y'; 513]),
        Entry::new(format!("top-v1/{}/{}", "d".repeat(120), "f".repeat(90)), "by prefix"),
        Entry::new(format!("top-v1/{}_{}.yaml", "g".repeat(180), "p".repeat(63)), "by pax"),
        Entry::new(format!("top-v1/{}/{}", "h".repeat(200), "i".repeat(200)), "by pax too"),
        Entry::new("top-v1/ümläut", "not ASCII"),
    ];
    // A pax record begins with its own length, here one of three and of four digits.
    for length in 985..1000 {
        let path = format!("{}{}", format!("{}/", "j".repeat(199)).repeat(4), "k".repeat(length - 800));
        entries.push(Entry::new(path, length.to_string()));
    }
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("a.tar.gz");
    fs::write(&archive, tar_gz(&entries, RELEASED.parse().unwrap()).unwrap()).unwrap();

    let listed =
        said("tar", &["--numeric-owner", "--full-time", "--quoting-style=literal", "-tvzf", "a.tar.gz"], folder.path());
    let Some(listed) = listed else { return };
    let mut expected: Vec<(String, usize)> =
        entries.iter().map(|entry| (entry.path.clone(), entry.bytes.len())).collect();
    expected.sort();
    assert_eq!(listed.lines().count(), expected.len(), "{listed}");
    for (line, (path, length)) in listed.lines().zip(&expected) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let length = length.to_string();
        assert_eq!(words[..5], ["-rw-r--r--", "0/0", &length, "2026-11-21", "16:53:52"], "{line}");
        assert!(line.ends_with(&format!(" {path}")), "{line}");
    }
    let found = unpacked(&archive, folder.path()).unwrap();
    assert_eq!(found, entries.iter().map(|entry| (entry.path.clone(), entry.bytes.clone())).collect());

    if let Some(members) = python_tar(&archive) {
        let paths: Vec<(&str, usize)> = members
            .iter()
            .map(|member| (member["path"].as_str().unwrap(), member["text"].as_str().unwrap().chars().count()))
            .collect();
        assert_eq!(paths, expected.iter().map(|(path, length)| (path.as_str(), *length)).collect::<Vec<_>>());
        for member in members {
            assert_eq!(member["header"], json!([0o644, 0, 0, "", "", 1_795_280_032, true, ""]), "{member}");
        }
    }
}

/// The header contains only the extremes of the level, so the same content is packed again at each.
#[test]
fn archives_are_packed_at_level_six() {
    // Words that come back at many distances, which the levels look for unequally far.
    let text: String =
        (0..20_000_u32).map(|number| format!("field{} ", number.wrapping_mul(2_654_435_761) >> 20)).collect();
    let bytes = tar_gz(&[Entry::new("a", text)], RELEASED.parse().unwrap()).unwrap();
    let tar = gunzipped(&bytes);
    let packed = |level: u32| {
        let gzip = flate2::GzBuilder::new().operating_system(255);
        let mut gzip = gzip.write(Vec::new(), flate2::Compression::new(level));
        std::io::Write::write_all(&mut gzip, &tar).unwrap();
        gzip.finish().unwrap()
    };
    assert!(packed(6) == bytes);
    for other in [1, 5, 7, 9] {
        assert!(packed(other) != bytes, "level {other} cannot be distinguished from 6 by this content");
    }
}

#[test]
fn the_bytes_of_an_archive_depend_on_its_files_and_nothing_else() {
    let mut entries = vec![Entry::new("a/b", "1"), Entry::new("a/a", "2"), Entry::new("a-b", "3")];
    let released = RELEASED.parse().unwrap();
    let bytes = tar_gz(&entries, released).unwrap();
    entries.rotate_left(1);
    assert_eq!(tar_gz(&entries, released).unwrap(), bytes);
    assert_ne!(tar_gz(&entries, "2026-11-22".parse().unwrap()).unwrap(), bytes);

    // RFC 1952: magic, deflate, no flags (so no name), no time, level neither best nor fastest, an unknown system.
    assert_eq!(bytes[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
    let tar = gunzipped(&bytes);
    assert_eq!(tar.len(), 3 * 1024 + 1024);
    for (block, path) in [(0, "a-b"), (2, "a/a"), (4, "a/b")] {
        let header = &tar[block * 512..][..512];
        let field = |start: usize, length: usize| String::from_utf8_lossy(&header[start..start + length]).into_owned();
        assert_eq!(field(0, 100).trim_end_matches('\0'), path);
        // POSIX ustar: magic and version, regular file, no link, no names of user and group, no prefix.
        assert_eq!(field(257, 8), "ustar\u{0}00");
        assert_eq!((field(156, 1).as_str(), &header[157..257], &header[265..329]), ("0", &[0; 100][..], &[0; 64][..]));
        assert_eq!(&header[345..], &[0; 167][..]);
        let octal = |start: usize, length: usize| {
            u64::from_str_radix(field(start, length).trim_end_matches(['\0', ' ']), 8).unwrap()
        };
        assert_eq!(
            [octal(100, 8), octal(108, 8), octal(116, 8), octal(124, 12), octal(136, 12)],
            [0o644, 0, 0, 1, 1_795_280_032]
        );
    }
    assert!(tar[6 * 512..].iter().all(|byte| *byte == 0));

    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.tar.gz"), &bytes).unwrap();
    said("gzip", &["--test", "a.tar.gz"], folder.path());
    if let Some(listed) = said("gzip", &["-l", "-v", "a.tar.gz"], folder.path()) {
        let line: Vec<&str> = listed.lines().nth(1).unwrap().split_whitespace().collect();
        assert!(line.contains(&tar.len().to_string().as_str()) && line.contains(&"defla"), "{listed}");
    }
}

#[test]
fn no_path_leads_out_of_an_archive_or_to_another_file() {
    let archive = |paths: &[&str]| {
        let entries: Vec<Entry> = paths.iter().map(|path| Entry::new(*path, *path)).collect();
        tar_gz(&entries, RELEASED.parse().unwrap())
    };
    let long = format!("../../{}", "f".repeat(400));
    for path in ["../../a", "/etc/passwd", "b/../../../c", "./d", "d//e", "d/", "..", "", "a\\b", "a\nb", "a\0b", &long]
    {
        let refused = archive(&["fine/too", path]).unwrap_err();
        assert_eq!(refused.path, path);
        assert!(refused.to_string().starts_with("cannot hold the file `"), "{refused}");
    }
    for (paths, refused) in [(&["a/b", "a", "a-b"], "a/b"), (&["a", "b", "a"], "a"), (&["x", "a/b/c", "a/b"], "a/b/c")]
    {
        assert_eq!(archive(paths).unwrap_err().path, refused);
    }
    assert!(archive(&["a.b", "a-b", "a/b", "..a/b..", "...", "ä"]).is_ok());

    // Two policies of one name would be one file.
    let twice = [policies("upgrades"), policies("upgrades")].concat();
    let release = tricky();
    let error = bundle_archive(&release, &twice, &[], &Templates::embedded()).unwrap_err().to_string();
    assert!(error.starts_with("sample-api-v1.6.1.tar.gz cannot hold the file `sample-api-v1.6.1/policies/"), "{error}");
    let error = chart(&release, Channel::Standard, &twice, &[], &Templates::embedded()).unwrap_err().to_string();
    assert!(error.starts_with("sample-api-standard-1.6.1.tgz cannot hold the file `sample-api-standard/"), "{error}");
}

#[test]
fn a_bundle_archive_holds_channels_and_policies_each_a_base_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let release = tricky();
    let (upgrades, rails) = (policies("upgrades"), policies("rails"));
    let artefact = bundle_archive(&release, &upgrades, &rails, &Templates::embedded()).unwrap();
    assert_eq!(artefact.name, "sample-api-v1.6.1.tar.gz");
    let archive = put(folder.path(), &artefact);
    let Some(found) = unpacked(&archive, folder.path()) else { return };

    let mut expected = vec!["README.md".to_owned(), "conversions.json".to_owned()];
    assert_eq!(found["sample-api-v1.6.1/conversions.json"], b"{}\n");
    let readme = String::from_utf8_lossy(&found["sample-api-v1.6.1/README.md"]);
    assert!(
        readme.contains("| `conversions.json` | how controllers convert objects of older bundles, as data |\n"),
        "{readme}"
    );
    for released in &release.channels {
        let files = released.files.iter().map(|file| file.name.as_str()).chain(["kustomization.yaml"]);
        expected.extend(files.map(|file| format!("{}/{file}", released.channel)));
        for file in &released.files {
            let path = format!("sample-api-v1.6.1/{}/{}", released.channel, file.name);
            assert_eq!(found[&path], file.text.as_bytes(), "{path}");
        }
    }
    for (folder, name) in [("safe-upgrades", "upgrades"), ("guardrails", "rails")] {
        expected.extend(
            ["validatingadmissionpolicy_", "validatingadmissionpolicybinding_"]
                .map(|kind| format!("policies/{folder}/{kind}{name}.example.com.yaml")),
        );
        expected.push(format!("policies/{folder}/kustomization.yaml"));
    }
    expected.sort();
    assert_eq!(
        found.keys().cloned().collect::<Vec<_>>(),
        expected.iter().map(|path| format!("sample-api-v1.6.1/{path}")).collect::<Vec<_>>()
    );

    let top = folder.path().join("sample-api-v1.6.1");
    let crds = |channel| release.channel(channel).iter().map(|file| file.crd.to_value()).collect::<Vec<_>>();
    for (base, objects) in [
        ("standard", crds(Channel::Standard)),
        ("experimental", crds(Channel::Experimental)),
        ("policies/safe-upgrades", upgrades),
        ("policies/guardrails", rails),
    ] {
        let base = top.join(base);
        let Some(read) = python_yaml(&base, &["kustomization.yaml"]) else { return };
        let files: Vec<&str> =
            read[0]["resources"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
        assert!(files.is_sorted());
        assert_eq!(
            read,
            [json!({ "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": files })]
        );
        assert_eq!(sorted(python_yaml(&base, &files).unwrap()), sorted(objects.clone()));
    }
    // No policies, no folder: kustomize refuses a base of nothing.
    let bytes = bundle_archive(&release, &[], &[], &Templates::embedded()).unwrap().bytes;
    assert!(!String::from_utf8_lossy(&gunzipped(&bytes)).contains("policies/"));
}

/// Of the real bundle: kustomize writes control characters (U+007F, U+0080 to U+009F) in a way that it then cannot read.
#[test]
fn kubectl_builds_each_base_of_the_archive() {
    let Some(release) = real() else { return };
    let (upgrades, rails) = (safe_upgrades::policies(&release), guardrails::policies(&release));
    let folder = tempfile::tempdir().unwrap();
    let artefact = bundle_archive(&release, &upgrades, &rails, &Templates::embedded()).unwrap();
    let archive = put(folder.path(), &artefact);
    if unpacked(&archive, folder.path()).is_none() {
        return;
    }
    let crds = |channel| release.channel(channel).iter().map(|file| file.crd.to_value()).collect::<Vec<_>>();
    for (base, objects) in [
        ("standard", crds(Channel::Standard)),
        ("experimental", crds(Channel::Experimental)),
        ("policies/safe-upgrades", upgrades),
        ("policies/guardrails", rails),
    ] {
        let base = folder.path().join("gateway-api-v1.6.1").join(base);
        let kubectl = std::env::var("KUBECTL").unwrap_or_else(|_| "kubectl".to_owned());
        let Some(built) = said(kubectl, &["kustomize", "."], &base) else { return };
        fs::write(base.join("built"), built).unwrap();
        let Some(read) = python_yaml(&base, &["built"]) else { return };
        assert_eq!(sorted(read), sorted(objects), "{}", base.display());
    }
}

#[test]
fn kustomizations_are_sorted_and_quote_what_yaml_would_misread() {
    let folder = tempfile::tempdir().unwrap();
    let text = kustomization(&["b.yaml", "a: b.yaml", "yes", "1.yaml", "b.yaml"]);
    fs::write(folder.path().join("k"), &text).unwrap();
    let Some(read) = python_yaml(folder.path(), &["k"]) else { return };
    assert_eq!(read[0]["resources"], json!(["1.yaml", "a: b.yaml", "b.yaml", "yes"]));
}

#[test]
fn install_files_are_comment_then_crds_then_policies() {
    let folder = tempfile::tempdir().unwrap();
    for release in [Some(tricky()), real()].into_iter().flatten() {
        for channel in Channel::ALL {
            let upgrades = policies("upgrades");
            let artefact = install(&release, channel, &upgrades, &Templates::embedded()).unwrap();
            assert_eq!(artefact.name, format!("{channel}-install.yaml"));
            let text = std::str::from_utf8(&artefact.bytes).unwrap();
            let header = text.split("---\n").next().unwrap();
            assert!(header.lines().all(|line| line.starts_with('#') && !line.ends_with(' ')), "{header}");
            for part in [
                &format!("{} v1.6.1, {channel} channel", release.name),
                "kubectl apply --server-side -f ",
                "kubectl apply -f ",
                "--dry-run=server",
                "denied request",
                "Kubernetes 1.32",
                RELEASED,
            ] {
                assert!(header.contains(part), "{part}: {header}");
            }
            let crds: String = release.channel(channel).iter().map(|file| file.text.as_str()).collect();
            assert!(text[header.len()..].starts_with(&crds));

            put(folder.path(), &artefact);
            let Some(read) = python_yaml(folder.path(), &[&artefact.name]) else { return };
            let values = release.channel(channel).iter().map(|file| file.crd.to_value());
            assert_eq!(read, values.chain(upgrades).collect::<Vec<_>>());
        }
        let rails = policies("rails");
        let artefact = install::guardrails(&release, &rails, &Templates::embedded()).unwrap();
        put(folder.path(), &artefact);
        assert_eq!(artefact.name, "guardrails.yaml");
        assert_eq!(python_yaml(folder.path(), &["guardrails.yaml"]).unwrap(), rails);
        let text = std::str::from_utf8(&artefact.bytes).unwrap();
        let allow = format!("{}={}", guardrails::annotation(&release.prefix), guardrails::ALLOWED);
        for part in [&format!("kubectl annotate namespace NAMESPACE {allow}\n"), "Kubernetes 1.32"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(
            text.split("---\n").next().unwrap().lines().all(|line| line.starts_with('#') && !line.ends_with(' ')),
            "{text}"
        );
    }
}

/// `kubectl apply` writes the whole object into one of its annotations, which together may have 256 KiB. Upstream's HTTPRoute had more.
#[test]
fn what_is_too_large_for_client_side_apply_is_not_offered() {
    let mut value = crd("tests").to_value();
    for (length, offered) in [(1_000, true), (240_000, true), (262_144, false), (60_000, false)] {
        // An ampersand is six bytes as Go writes it.
        let text = if length == 60_000 { "&".repeat(length) } else { "d".repeat(length) };
        value["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"] = json!(text);
        let crd = CustomResourceDefinition::from_value(&value).unwrap();
        let release = release_of(vec![(Channel::Standard, vec![crd])], "sample-api", "example.com");
        let install = install(&release, Channel::Standard, &[], &Templates::embedded()).unwrap();
        let header = String::from_utf8_lossy(&install.bytes).split("---").next().unwrap().to_owned();
        assert_eq!(header.contains("kubectl apply -f"), offered, "{length}: {header}");
        assert!(header.contains("kubectl apply --server-side -f"), "{header}");
        let archive = bundle_archive(&release, &[], &[], &Templates::embedded()).unwrap();
        let readme = String::from_utf8_lossy(&gunzipped(&archive.bytes)).into_owned();
        assert_eq!(readme.contains("works without `--server-side`"), offered);
    }
}

#[test]
fn a_header_that_would_be_installed_is_refused() {
    for text in ["kind: Namespace\n", "# {{ name }}\n {{ version }}\n", "# fine\n---\n"] {
        let templates = Templates::with_overrides([("install/install.yaml".to_owned(), text.to_owned())]).unwrap();
        let error = install(&tricky(), Channel::Standard, &[], &templates).unwrap_err().to_string();
        assert!(error.starts_with("templates/install/install.yaml: renders the line `"), "{error}");
    }
}

#[test]
fn every_object_of_a_chart_is_plain_text_that_json_and_yaml_read_alike() {
    let folder = tempfile::tempdir().unwrap();
    let release = tricky();
    let artefact =
        chart(&release, Channel::Experimental, &policies("upgrades"), &policies("rails"), &Templates::embedded())
            .unwrap();
    assert_eq!(artefact.name, "sample-api-experimental-1.6.1.tgz");
    let archive = put(folder.path(), &artefact);
    let Some(found) = unpacked(&archive, folder.path()) else { return };
    let mut objects = Vec::new();
    for (path, bytes) in &found {
        let text = std::str::from_utf8(bytes).unwrap();
        let Some(name) = path.strip_prefix("sample-api-experimental/templates/") else { continue };
        assert!(name == "NOTES.txt" || name.ends_with(".yaml"), "{name}");
        if name == "NOTES.txt" {
            continue;
        }
        let json = match name.split_once('/').map(|(folder, _)| folder) {
            None => text,
            Some(folder) => {
                let value = ["safe-upgrades", "guardrails"].iter().position(|known| *known == folder).unwrap();
                let value = ["safeUpgrades", "guardrails"][value];
                let inner = text.strip_prefix(&format!("{{{{- if .Values.{value}.enabled }}}}\n"));
                inner.and_then(|inner| inner.strip_suffix("\n{{- end }}\n")).unwrap()
            }
        };
        assert!(!json.contains("{{"), "{name}");
        // Compact: a line break behind the first brace, none within.
        assert_eq!(json.trim_end().matches('\n').count(), 1, "{name}");
        let object: Value = serde_json::from_str(json).unwrap();
        fs::write(folder.path().join("one"), json).unwrap();
        if let Some(read) = python_yaml(folder.path(), &["one"]) {
            assert_eq!((read.len(), &read[0]), (1, &object), "{name}");
        }
        objects.push(object);
    }
    let crds = release.channel(Channel::Experimental).iter().map(|file| file.crd.to_value());
    let expected = crds.chain(policies("upgrades")).chain(policies("rails")).map(kept).collect();
    assert_eq!(sorted(objects), sorted(expected));

    let top = folder.path().join("sample-api-experimental");
    let Some(read) = python_yaml(&top, &["Chart.yaml", "values.yaml"]) else { return };
    let expected = json!({ "apiVersion": "v2", "name": "sample-api-experimental", "type": "application", "version": "1.6.1",
        "appVersion": "v1.6.1", "kubeVersion": ">=1.32.0-0" });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&read[0][key], value);
    }
    assert_eq!(read[1], json!({ "safeUpgrades": { "enabled": true }, "guardrails": { "enabled": false } }));
}

#[test]
fn a_chart_that_would_be_published_wrongly_is_refused() {
    for (path, text, part) in [
        (
            "chart/Chart.yaml",
            "apiVersion: v2\nname: {{ name }}\n",
            "for `name`, but this release has `sample-api-standard`",
        ),
        (
            "chart/Chart.yaml",
            "apiVersion: v2\nname: {{ chart }}\nversion: {{ version }}\n",
            "for `version`, but this release has `1.6.1`",
        ),
        ("chart/Chart.yaml", "a: b: c\n", "renders to invalid YAML"),
        ("chart/Chart.yaml", "a: 1\n---\nb: 1\n", "renders to no or several YAML documents"),
        ("chart/values.yaml", "guardrails:\n  enabled: false\n", "`safeUpgrades.enabled`"),
        (
            "chart/values.yaml",
            "safeUpgrades:\n  enabled: true\nguardrails:\n  enabled: maybe\n",
            "`guardrails.enabled`",
        ),
        ("chart/values.schema.json", "{", "renders to invalid JSON"),
    ] {
        let templates = Templates::with_overrides([(path.to_owned(), text.to_owned())]).unwrap();
        let error = chart(&tricky(), Channel::Standard, &[], &[], &templates).unwrap_err().to_string();
        assert!(error.starts_with(&format!("templates/{path}: ")) && error.contains(part), "{error}");
    }
}

/// The Helm that the testbed builds, or any.
fn helm() -> String {
    std::env::var("HELM").unwrap_or_else(|_| "helm".to_owned())
}

#[test]
fn helm_renders_what_went_in() {
    for (number, release) in [Some(tricky()), real()].into_iter().flatten().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let real_rails = guardrails::policies(&release);
        let (upgrades, rails) = match number {
            0 => (policies("upgrades"), policies("rails")),
            _ => (safe_upgrades::policies(&release), real_rails),
        };
        for channel in Channel::ALL {
            let artefact = chart(&release, channel, &upgrades, &rails, &Templates::embedded()).unwrap();
            put(folder.path(), &artefact);
            let Some(linted) = said(helm(), &["lint", "--strict", &artefact.name], folder.path()) else { return };
            assert!(!linted.contains("WARNING") && linted.contains("0 chart(s) failed"), "{linted}");
            for on in [true, false] {
                let values = format!("guardrails.enabled={on},safeUpgrades.enabled={on}");
                let arguments = ["template", "release", &artefact.name, "--kube-version", "1.32.0", "--set", &values];
                let rendered = said(helm(), &arguments, folder.path()).unwrap();
                fs::write(folder.path().join("rendered"), &rendered).unwrap();
                let Some(read) = python_yaml(folder.path(), &["rendered"]) else { return };
                let policies = if on { [upgrades.clone(), rails.clone()].concat() } else { Vec::new() };
                let crds = release.channel(channel).iter().map(|file| file.crd.to_value());
                let expected = crds.chain(policies).map(kept).collect();
                let read = read.into_iter().filter(|document| !document.is_null()).collect();
                assert_eq!(sorted(read), sorted(expected), "{channel} {on}");
            }
        }
    }
}

/// What Helm stores of a release: JSON of the chart with its files in base64 and of what it rendered, with gzip -9, in base64.
/// Counted in Python, from the archive.
#[test]
fn helm_can_store_a_release_of_every_real_channel() {
    const SCRIPT: &str = r#"
import base64, gzip, json, sys, tarfile
schema = values = None
templates, files, manifest = [], [], []
with tarfile.open(sys.argv[1]) as archive:
    for member in archive:
        name, data = member.name.split('/', 1)[1], archive.extractfile(member).read()
        file = {'name': name, 'modtime': '2026-11-21T16:53:52Z', 'data': base64.b64encode(data).decode()}
        if name.startswith('templates/'):
            templates.append(file)
            lines = [line for line in data.decode().split('\n') if not line.startswith('{{-')]
            if name.endswith('.yaml'):
                manifest.append('---\n# Source: ' + member.name + '\n' + '\n'.join(lines))
        elif name == 'values.schema.json':
            schema = file['data']
        else:
            files.append(file)
release = {'name': 'r', 'info': {'notes': 'n' * 1000, 'description': 'd' * 100}, 'chart': {'metadata': {'description': 'd' * 500},
    'templates': templates, 'schema': schema, 'files': files}, 'manifest': ''.join(manifest), 'version': 1, 'namespace': 'default'}
text = json.dumps(release, separators=(',', ':'), ensure_ascii=False)
for character in '<>&':
    text = text.replace(character, '\\u%04x' % ord(character))
print(len(text), len(base64.b64encode(gzip.compress(text.encode(), 9))))
"#;
    let Some(release) = real() else { return };
    let folder = tempfile::tempdir().unwrap();
    for channel in Channel::ALL {
        let (upgrades, rails) = (safe_upgrades::policies(&release), guardrails::policies(&release));
        let artefact = chart(&release, channel, &upgrades, &rails, &Templates::embedded()).unwrap();
        let archive = put(folder.path(), &artefact);
        let Some(printed) = said("python3", &["-c", SCRIPT, archive.to_str().unwrap()], folder.path()) else { return };
        let numbers: Vec<usize> = printed.split_whitespace().map(|number| number.parse().unwrap()).collect();
        println!(
            "{channel}: chart {} bytes, release {} bytes as JSON, {} as Helm stores it",
            artefact.bytes.len(),
            numbers[0],
            numbers[1]
        );
        assert!((50_000..=800_000).contains(&numbers[1]), "{printed}");
        let estimate = stored_size(&release, channel, &upgrades, &rails, &Templates::embedded()).unwrap();
        assert!(estimate.abs_diff(numbers[1]) * 50 < numbers[1], "{estimate}, and Python counts {}", numbers[1]);
    }
}

/// As many CRDs as that, each with so many letters of description in which nothing repeats.
fn wordy(crds: usize, letters: usize) -> Release {
    let mut state = 1_u64;
    let mut words = || -> String {
        let letter = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b"abcdefghijklmnopqrstuvwxyz  .,-ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(state >> 40) as usize % 57])
        };
        std::iter::repeat_with(letter).take(letters).collect()
    };
    let crds = (0..crds).map(|number| {
        let mut value = crd(&format!("tests{number}")).to_value();
        value["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"] = json!(words());
        CustomResourceDefinition::from_value(&value).unwrap()
    });
    release_of(vec![(Channel::Standard, crds.collect())], "sample-api", "example.com")
}

#[test]
fn a_chart_that_helm_could_not_store_is_refused() {
    let templates = Templates::embedded();
    for (crds, letters, is_refused) in [(4, 80_000, false), (5, 90_000, true), (1, 500_000, true)] {
        let release = wordy(crds, letters);
        let size = stored_size(&release, Channel::Standard, &[], &[], &templates).unwrap();
        assert_eq!(size > 1_000_000, is_refused, "{size}");
        let made = chart(&release, Channel::Standard, &[], &[], &templates);
        let Err(error) = made else {
            assert!(!is_refused, "{size}");
            continue;
        };
        let error = error.to_string();
        assert!(error.starts_with("sample-api-standard-1.6.1.tgz would be too large for Helm"), "{error}");
        let number = if crds == 1 { "1 CRD,".to_owned() } else { format!("{crds} CRDs,") };
        for part in [&*size.to_string(), &number, "1 MiB", "Shorten the descriptions", "several bundles"] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}

/// One is one, and not several.
#[test]
fn texts_speak_of_one_crd_as_of_one() {
    let templates = Templates::embedded();
    for (release, is_one) in
        [(wordy(1, 10), true), (wordy(2, 10), false), (wordy(1, 300_000), true), (wordy(2, 300_000), false)]
    {
        let upgrades = safe_upgrades::policies(&release);
        let install = install(&release, Channel::Standard, &upgrades, &templates).unwrap();
        let header = String::from_utf8(install.bytes).unwrap().split("---\n").next().unwrap().to_owned();
        let archive = gunzipped(&bundle_archive(&release, &upgrades, &[], &templates).unwrap().bytes);
        let archive = String::from_utf8(archive).unwrap();
        let readme = &archive[archive.find("/README.md").unwrap()..];
        let mut texts = vec![header, readme[..readme.find("kustomization.yaml` for an object").unwrap()].to_owned()];
        if release.channel(Channel::Standard)[0].text.len() < 100_000 {
            let chart = gunzipped(&chart(&release, Channel::Standard, &upgrades, &[], &templates).unwrap().bytes);
            let chart = String::from_utf8(chart).unwrap();
            for (begin, end) in [("/README.md", "## What is in it"), ("NOTES.txt", "{{- end }}")] {
                let text = &chart[chart.find(begin).unwrap()..];
                texts.push(text[..text.find(end).unwrap()].to_owned());
            }
        }
        for text in texts {
            let lower = text.to_lowercase();
            assert_eq!(lower.contains("custom resource definitions"), !is_one, "{text}");
            assert!(lower.contains("custom resource definition"), "{text}");
            for plural in ["1 crds", "one of the crds"] {
                assert!(!(is_one && lower.contains(plural)), "{plural}: {text}");
            }
            assert!(!lower.contains("2 crd "), "{text}");
        }
    }
}

#[test]
fn coreutils_check_the_sums() {
    let folder = tempfile::tempdir().unwrap();
    let artefact = |name: &str, text: &str| Artefact { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
    let mut artefacts = vec![artefact("b.yaml", "b"), artefact("A.tgz", ""), artefact("a.md", "a\n")];
    let sums = sha256sums(&artefacts);
    artefacts.push(sums.clone());
    assert_eq!(sha256sums(&artefacts), sums);
    let text = std::str::from_utf8(&sums.bytes).unwrap();
    assert_eq!(text.lines().map(|line| &line[64..]).collect::<Vec<_>>(), ["  A.tgz", "  a.md", "  b.yaml"]);
    artefacts.iter().for_each(|artefact| drop(put(folder.path(), artefact)));
    let checked = said("sha256sum", &["--check", "--strict", "SHA256SUMS"], folder.path());
    if let Some(checked) = checked {
        assert_eq!(checked, "A.tgz: OK\na.md: OK\nb.yaml: OK\n");
    }
}
