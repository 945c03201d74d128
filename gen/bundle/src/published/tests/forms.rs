//! The forms that bundles come in: YAML, JSON, lists, archives, and what a cluster prints.

use serde_json::{Value, json};

use super::*;
use crate::BundleStamp;

fn value() -> Value {
    crd_model::yaml::read(THING).unwrap().remove(0)
}

#[test]
fn one_or_many_documents() {
    assert_eq!(names("crd.yaml", THING), ["things.example.com"]);
    let install = format!(
        "# Copyright\n\n---\n# a crd\n{}---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n---\n---\n{}",
        thing("b"),
        thing("a")
    );
    let published = read("install.yaml", [Input::new("install.yaml", install)]).unwrap();
    let found: Vec<(&str, usize)> = published.crds.iter().map(|crd| (&*crd.crd.name, crd.origin.line)).collect();
    assert_eq!(found, [("a.example.com", 38), ("b.example.com", 5)]);
    assert_eq!(
        published.passed_over.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["ConfigMap `settings` (install.yaml:32)"]
    );
    let crd = &published.crds[0];
    let places = crd.origin.places(&["metadata.name", "spec.versions[0].served", "spec.versions[0].missing"]);
    assert_eq!(places.iter().map(|place| (place.line, place.column)).collect::<Vec<_>>(), [(44, 3), (62, 5), (52, 5)]);
    let path = schema_path(&crd.crd, "v1", "spec.size");
    assert_eq!(crd.origin.places(&[path])[0].line, 58);
}

#[test]
fn several_inputs_are_one_bundle_whoever_reads_them() {
    let inputs = || ["b", "c", "a"].map(|plural| Input::new(format!("{plural}.yaml"), thing(plural)));
    let together = read("bundle", inputs()).unwrap();
    let schemas = SharedSchemas::default();
    let parts = std::thread::scope(|scope| {
        let threads = inputs().map(|input| scope.spawn(|| read_one(input, &schemas)));
        threads.map(|thread| thread.join().unwrap())
    });
    let apart = join("bundle", parts, &Choice::default()).kept.unwrap();
    let names = |published: &Published| -> Vec<String> {
        published.crds.iter().map(|crd| format!("{} {}:{}", crd.crd.name, crd.origin.file, crd.origin.line)).collect()
    };
    assert_eq!(names(&together), ["a.example.com a.yaml:1", "b.example.com b.yaml:1", "c.example.com c.yaml:1"]);
    assert_eq!(names(&together), names(&apart));
}

#[test]
fn json_and_lists() {
    let crd = value();
    let pretty = serde_json::to_string_pretty(&crd).unwrap();
    assert_eq!(names("crd.json", pretty), ["things.example.com"]);
    assert_eq!(names("-", crd.to_string()), ["things.example.com"]);
    let config = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}});
    let list = json!({"apiVersion": "v1", "items": [config, crd], "kind": "List", "metadata": {"resourceVersion": ""}});
    let text = serde_json::to_string_pretty(&list).unwrap();
    let published = read("-", [Input::new("-", text.clone())]).unwrap();
    let line = text.lines().position(|line| line.contains("apiextensions")).unwrap();
    assert_eq!((published.crds[0].origin.line, published.passed_over[0].line), (line, Some(4)));
    let served = text.lines().position(|line| line.contains("\"served\"")).unwrap() + 1;
    assert_eq!(published.crds[0].origin.places(&["spec.versions[0].served"])[0].line, served);

    // `kubectl get --raw` prints items that do not say what they are.
    let mut bare = crd.clone();
    bare.as_object_mut().unwrap().retain(|key, _| key != "kind" && key != "apiVersion");
    let list =
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinitionList", "items": [bare]});
    assert_eq!(names("-", list.to_string()), ["things.example.com"]);
    let nested = json!({"apiVersion": "v1", "kind": "List", "items": [list, {"kind": "List", "items": null}]});
    assert_eq!(names("-", nested.to_string()), ["things.example.com"]);
}

/// Everything that a cluster adds to a CRD, as kubectl 1.36 prints it.
#[test]
fn what_a_cluster_adds_is_dropped() {
    let mut live = value();
    let metadata = live["metadata"].as_object_mut().unwrap();
    for (key, value) in [
        ("creationTimestamp", json!("2026-11-21T14:00:00Z")),
        ("generation", json!(1)),
        ("resourceVersion", json!("271")),
        ("selfLink", json!("/apis")),
        ("uid", json!("8a3e")),
        ("finalizers", json!(["customresourcecleanup.apiextensions.k8s.io"])),
        ("ownerReferences", json!([{"apiVersion": "v1", "kind": "X", "name": "x", "uid": "1"}])),
        ("deletionTimestamp", json!(null)),
        ("managedFields", json!([{"manager": "kubectl", "fieldsV1": {"f:spec": {"k:{\"name\":\"v1\"}": {".": {}}}}}])),
    ] {
        metadata.insert(key.to_owned(), value);
    }
    live["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = json!("{}");
    live["status"] = json!({"conditions": [], "acceptedNames": {"kind": "", "plural": ""}, "storedVersions": null});
    let read_back = |value: &Value| read("-", [Input::new("-", value.to_string())]).unwrap().crds.remove(0).crd;
    assert_eq!(read_back(&live), read_back(&value()));
    live["status"]["storedVersions"] = json!(["v1beta1", 1, "v1"]);
    let published = read("-", [Input::new("-", live.to_string())]).unwrap();
    assert_eq!(published.crds[0].crd, read_back(&value()));
    assert_eq!(published.crds[0].origin.stored_versions, ["v1beta1", "v1"]);
    let mut written = value();
    written["metadata"]["creationTimestamp"] = json!(null);
    written["metadata"]["labels"] = json!(null);
    written["spec"]["conversion"] = json!(null);
    written["spec"]["names"]["shortNames"] = json!(null);
    written["spec"]["versions"][0]["additionalPrinterColumns"] = json!(null);
    assert_eq!(read_back(&written), read_back(&value()));
}

#[test]
fn archives_by_what_they_hold() {
    let files = [
        ("README.md", "no yaml: ["),
        ("crds/b.yaml", &thing("b")),
        ("crds/a.json", &value().to_string()),
        ("crds/._a.json", "\0\0\0"),
        ("values.yaml", "a: 1\n"),
        ("../../etc/c.YML", &thing("c")),
    ];
    let archive = tar(&files);
    for bytes in [archive.clone(), gzip(&archive)] {
        let published = read("x", [Input::new("x", bytes)]).unwrap();
        let found: Vec<String> =
            published.crds.iter().map(|crd| format!("{} {}", crd.crd.name, crd.origin.file)).collect();
        assert_eq!(
            found,
            ["b.example.com x!crds/b.yaml", "c.example.com x!../../etc/c.YML", "things.example.com x!crds/a.json"]
        );
        assert_eq!(published.passed_over[0].to_string(), "no Kubernetes object (x!values.yaml:1)");
    }
    assert_eq!(names("crd.yaml.gz", gzip(THING)), ["things.example.com"]);
    let mut two = gzip(format!("{}---\n", thing("a")));
    two.extend(gzip(thing("b")));
    assert_eq!(names("two.gz", two), ["a.example.com", "b.example.com"]);
}

/// An archive with a CRD in `crds/a.yaml`, and these entries: a path, its kind, and its target.
fn with_links(entries: &[(&str, tar::EntryType, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    let mut add = |path: &str, kind: tar::EntryType, target: &str, text: &str| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(text.len() as u64);
        header.set_path(path).unwrap();
        if !target.is_empty() {
            header.set_link_name_literal(target).unwrap();
        }
        header.set_cksum();
        builder.append(&header, text.as_bytes()).unwrap();
    };
    for (path, kind, target) in entries {
        add(path, *kind, target, "");
    }
    add("crds/a.yaml", tar::EntryType::Regular, "", &thing("a"));
    add("crds/README.md", tar::EntryType::Regular, "", "a");
    builder.into_inner().unwrap()
}

#[test]
fn links_inside_an_archive_are_followed_and_all_others_are_errors() {
    use tar::EntryType::{Block, Char, Directory, Fifo, Link, Symlink};
    for (path, kind, target, predicate) in [
        // Links are read once, and their order does not matter.
        ("b.yaml", Symlink, "crds/a.yaml", ""),
        ("x/b.yaml", Symlink, "./../crds//a.yaml", ""),
        ("x/b.yaml", Link, "./crds/a.yaml", ""),
        ("LICENSE", Symlink, "crds/README.md", ""),
        ("all", Symlink, "crds", ""),
        ("folder.yaml", Directory, "", ""),
        ("passwd.yaml", Symlink, "/etc/passwd", "is a link to `/etc/passwd`, which leads out of it"),
        ("hard.yaml", Link, "/etc/passwd", "is a link to `etc/passwd`, which is not in the archive"),
        ("x/out.yaml", Symlink, "../../a.yaml", "leads out of it"),
        ("out", Symlink, "../crds", "leads out of it"),
        ("none.yaml", Symlink, "crds/b.yaml", "is a link to `crds/b.yaml`, which is not in the archive"),
        ("none", Symlink, "bases", "is a link to `bases`, which is not in the archive"),
        ("loop.yaml", Symlink, "loop.yaml", "is a link in a loop of links, or a link with a target that is too long"),
        ("crds/all", Symlink, ".", "is a link to a folder that it is in"),
        ("crds/above", Symlink, "..", "is a link to a folder that it is in"),
        ("tty.yaml", Char, "", "is neither a file nor a folder"),
        ("disk.yaml", Block, "", "is neither a file nor a folder"),
        ("pipe.yaml", Fifo, "", "is neither a file nor a folder"),
        ("pipe", Fifo, "", ""),
    ] {
        let bytes = with_links(&[(path, kind, target)]);
        match predicate {
            "" => assert_eq!(names("a.tar", bytes), ["a.example.com"], "{path}"),
            predicate => {
                let fix = "Remove it from the archive, or leave it out with `--skip`";
                assert_eq!(errors("a.tar", bytes), [format!("a.tar!{path}: this {predicate}. {fix}")]);
            }
        }
    }
    // A link to a channel, and one over two links.
    let links = [("experimental", Symlink, "x"), ("x", Symlink, "crds")];
    let published = read("a.tar", [Input::new("a.tar", with_links(&links))]).unwrap();
    let found = published.crds.iter().map(|crd| (crd.origin.folder, &*crd.origin.file)).collect::<Vec<_>>();
    assert_eq!(found, [(None, "a.tar!crds/a.yaml"), (Some(Channel::Experimental), "a.tar!experimental/a.yaml")]);
}

#[test]
fn charts_are_archives_with_templates() {
    let deployment = "kind: Deployment\nmetadata:\n  name: {{ .Release.Name }}\n{{- if .Values.x }}\n{{- end }}\n";
    let chart = [("c/Chart.yaml", "name: c\n"), ("c/crds/a.yaml", THING), ("c/templates/deployment.yaml", deployment)];
    let published = read("c.tgz", [Input::new("c.tgz", gzip(tar(&chart)))]).unwrap();
    assert_eq!(published.crds.len(), 1);
    assert_eq!(
        published.passed_over.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["no Kubernetes object (c.tgz!c/Chart.yaml:1)", "a Helm template (c.tgz!c/templates/deployment.yaml:3)",]
    );
    // It reads as YAML, and is not what Helm makes of it.
    let escaped = THING.replace("type: integer", "{type: integer, description: 'a {{ `{{` }}'}");
    let fix = "Name the whole chart where `helm` is installed, or read what this prints: `helm template --include-crds CHART > crds.yaml`";
    assert_eq!(
        errors("c.tgz", tar(&[("c/templates/a.yaml", &escaped)])),
        [format!("c.tgz!c/templates/a.yaml:22: this is a Helm template: render it first. {fix}")]
    );
    assert_eq!(names("crd.yaml", escaped), ["things.example.com"]);
    for (name, at) in [("{{ .Values.name }}", "7"), ("'{{ .Values.name }}'", "7:3")] {
        assert_eq!(
            errors("crd.yaml", THING.replace("name: things.example.com", &format!("name: {name}"))),
            [format!("crd.yaml:{at}: this is a Helm template: render it first. {fix}")]
        );
    }
}

/// Our own charts hold policies about CRDs, which are made or not as the values say.
#[test]
fn templates_that_only_speak_of_crds_are_passed_over() {
    let said = |policy: &str| {
        let chart = [("c/templates/a.yaml", THING), ("c/templates/policy.yaml", policy)];
        match read("c.tgz", [Input::new("c.tgz", gzip(tar(&chart)))]) {
            Ok(published) => published.passed_over.iter().map(ToString::to_string).collect::<Vec<_>>(),
            Err(errors) => panic!("{}", lines(&errors)),
        }
    };
    let policy = "{\n\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"kind\":\"ValidatingAdmissionPolicy\",\"spec\":\
        {\"paramKind\":{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\"}}}\n";
    let passed_over = ["a Helm template (c.tgz!c/templates/policy.yaml:1)"];
    for template in [
        format!("{{{{- if .Values.x }}}}\n{policy}{{{{- end }}}}\n"),
        format!(
            "{{{{- $x := .Values.x -}}}}\n{{{{- if not $x -}}}}\n{policy}---\n{policy}{{{{ else }}}}\n{{{{ end }}}}\n"
        ),
        format!(
            "{{{{- /* A CustomResourceDefinition's */ -}}}}\n  {{{{- with .Values.x }}}}\n---\n{policy}\n  {{{{ end -}}}}\n---\n"
        ),
        "{{ if .x }}\nkind: Role\nrules: [] # CustomResourceDefinition\nname: '{{ .name }}'\n{{ end }}\n".to_owned(),
    ] {
        assert_eq!(said(&template), passed_over, "{template}");
    }

    let refused = "this is a Helm template: render it first";
    for (what, template) in [
        ("a CRD in one of two branches", format!("{{{{- if .Values.x }}}}\n{THING}{{{{- else }}}}\n{{{{- end }}}}\n")),
        ("a CRD in a loop", format!("{{{{- range .Values.x }}}}\n{THING}{{{{- end }}}}\n")),
        ("a part under a condition", THING.replace("  scope:", "  {{- if .x }}\n  scope:")),
        ("a printed value", THING.replace("kind: Thing", "kind: {{ .x }}")),
        ("a printed part", THING.replace("  scope:", "{{ toYaml .x | nindent 2 }}\n  scope:")),
        ("a printed name", THING.replace("name: things.example.com", "name: {{ .x }}")),
        ("metadata that is printed", THING.replace("metadata:\n", "metadata:\n{{ include \"x\" . | indent 2 }}\n")),
        (
            "what is printed",
            format!("{{{{ if .x }}}}\n{policy}---\n{{{{ .Files.Get \"crd.yaml\" }}}}\n{{{{ end }}}}\n"),
        ),
        ("only what is printed", "# CustomResourceDefinition\n{{ include \"crd\" . }}\n".to_owned()),
        ("what is printed next to a condition", format!("{policy}---\n{{{{ if .x }}}}{{{{ .crd }}}}{{{{ end }}}}\n")),
        (
            "a kind that Helm defines",
            "kind: '{{ .kind | default \"CustomResourceDefinition\" }}'\n{{ if .x }}\n{{ end }}\n".to_owned(),
        ),
        (
            "one of two kinds",
            "{{ if .x }}\nkind: CustomResourceDefinition\n{{ else }}\nkind: Role\n{{ end }}\n".to_owned(),
        ),
        ("a text without a kind", "{{ if .x }}\na: CustomResourceDefinition\n{{ end }}\n".to_owned()),
        (
            "nearly a kind",
            format!("{{{{ if .x }}}}\n{}{{{{ end }}}}\n", THING.replace("Definition\n", "Definitions\n")),
        ),
    ] {
        let found = errors("c.tgz", tar(&[("c/templates/a.yaml", &template)]));
        assert!(found.len() == 1 && found[0].contains(refused), "{what}: {found:?}");
    }
}

/// As `helm package` writes what `helm dependency build` has fetched.
#[test]
fn packed_subcharts_are_read() {
    let chart = |name: &str, content: &[u8]| gzip(tar(&[(name, content)]));
    let sub = chart("sub/crds/a.yaml", THING.as_bytes());
    let found = read("c.tgz", [Input::new("c.tgz", chart("c/charts/sub-1.0.0.tgz", &sub))]).unwrap();
    assert_eq!(found.crds[0].origin.file, "c.tgz!c/charts/sub-1.0.0.tgz!sub/crds/a.yaml");
    // Elsewhere, an archive in an archive is not read.
    assert!(read("c.tgz", [Input::new("c.tgz", chart("c/files/sub-1.0.0.tgz", &sub))]).is_err());
    let not_packed = errors("c.tgz", chart("c/charts/sub-1.0.0.tgz", b"a text, and not an archive"));
    assert!(
        not_packed[0].starts_with("c.tgz!c/charts/sub-1.0.0.tgz: this archive cannot be unpacked"),
        "{not_packed:?}"
    );
    let deep = (0..10).fold(sub, |chart_in, level| chart(&format!("c{level}/charts/x.tgz"), &chart_in));
    assert!(errors("c.tgz", deep)[0].contains("this is a chart in more than 8 charts"));
    // Each of them is below the limit.
    let zeros = gzip(tar(&[("c/values.yaml", &vec![b' '; 40 << 20])]));
    let bomb = gzip(tar(&[("c/charts/a.tgz", &zeros), ("c/charts/b.tgz", &zeros)]));
    assert_eq!(
        errors("c.tgz", bomb),
        [
            "c.tgz!c/charts/b.tgz: the files in it are 64 MiB or more, and at most 64 MiB are read. Name the CRDs alone, or in several files"
        ]
    );
}

/// The actions around CRDs, and those that print their labels and annotations, as charts have them.
#[test]
fn actions_around_crds_count_as_true() {
    let plain = |text: &str| read("c.tgz", [Input::new("c.tgz", tar(&[("c/templates/a.yaml", text)]))]);
    let expected = plain(THING).unwrap();
    let annotated =
        THING.replace("  annotations:\n", "  annotations:\n    {{- toYaml .x | nindent 4 }}\n    a: '{{ .b }}'\n");
    let labelled = THING.replace(
        "metadata:\n",
        "metadata:\n  {{- with .Values.labels }}\n  labels:\n    {{- toYaml . | nindent 4 }}\n    äh: {{ .x }}\n  {{- end }}\n",
    );
    for template in [
        format!("{{{{- if .Values.crds.enabled }}}}\n{THING}{{{{- end }}}}\n"),
        format!(
            "{{{{- /*\nA comment: CustomResourceDefinition\n*/ -}}}}\n{{{{ if .x }}}}\n---\n{THING}---\n# {{{{ .x }}}}\n{{{{ end }}}}\n"
        ),
        format!(
            "{{{{- $x := .Values.x -}}}}\n{{{{- if $x }}}}\n{{{{ if .y }}}}\n{annotated}\n{{{{- end }}}}\n{{{{- end }}}}"
        ),
        format!("{{{{- if .x }}}}\n{labelled}{{{{- end }}}}\n"),
        annotated.replace('\n', "\r\n"),
        labelled.clone(),
    ] {
        let read = plain(&template).unwrap_or_else(|errors| panic!("{template}\n{}", lines(&errors)));
        assert_eq!(read.crds[0].crd, expected.crds[0].crd, "{template}");
        let kind = template.lines().position(|line| line == "kind: CustomResourceDefinition").unwrap();
        let places = read.crds[0].origin.places(&["kind"]);
        assert_eq!(places[0].line, kind + 1, "{template}");
        let reason = "its actions: `helm` is not used, so every condition counts as true";
        assert_eq!(
            read.left_out.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [format!("c.tgz!c/templates/a.yaml ({reason})")]
        );
    }
}

/// So a CRD out of a chart is the one that the chart was made of.
#[test]
fn what_a_chart_tells_helm_is_no_part_of_its_crds() {
    let kept = THING.replace("  annotations:\n", "  annotations:\n    helm.sh/resource-policy: keep\n");
    let annotations = |name: &str, text: &str| {
        let published = read("c", [Input::new("c.tgz", tar(&[(name, text)]))]).unwrap();
        published.crds[0].crd.annotations.keys().map(ToString::to_string).collect::<Vec<_>>()
    };
    let own = ["example.com/bundle-version", "example.com/channel"];
    assert_eq!(annotations("c/templates/a.yaml", &kept), own);
    // Other values there, or elsewhere, are the author's.
    for (name, text) in [("c/crds/a.yaml", &kept), ("c/templates/a.yaml", &kept.replace(": keep", ": other"))] {
        assert_eq!(annotations(name, text), [own.as_slice(), &["helm.sh/resource-policy"]].concat());
    }
}

#[test]
fn channels_are_told_apart_by_their_stamps() {
    let experimental = THING.replace("channel: standard", "channel: experimental");
    let published = read("both", [Input::new("e.yaml", experimental.clone()), Input::new("s.yaml", THING)]).unwrap();
    let files: Vec<&str> = published.crds.iter().map(|crd| crd.origin.file.as_str()).collect();
    assert_eq!(files, ["s.yaml", "e.yaml"]);
    let channels = published.crds.iter().map(|crd| crd.origin.stamps.known_channel());
    assert!(channels.eq([Some(Channel::Standard), Some(Channel::Experimental)]));
    let unstamped = THING.replace("example.com/channel: standard", "example.com/x: y");
    assert!(read("both", [Input::new("e.yaml", experimental), Input::new("u.yaml", unstamped)]).is_err());
}

#[test]
fn stamps_are_found_under_any_prefix() {
    let stamps = |annotations: &[(&'static str, &'static str)]| {
        let annotations = annotations.iter().map(|(key, text)| ((*key).into(), (*text).into())).collect();
        Stamps::of(&CustomResourceDefinition { annotations, ..Default::default() })
    };
    let stamp = |prefix: &str, text: &str| Some(Stamp { prefix: prefix.to_owned(), text: text.to_owned() });
    let both = stamps(&[
        ("a/channel", "x"),
        ("b/bundle-version", "v1.0.0"),
        ("b/channel", "standard"),
        ("bundle-version", ""),
    ]);
    assert_eq!((both.version.clone(), both.channel.clone()), (stamp("b", "v1.0.0"), stamp("b", "standard")));
    assert_eq!(both.bundle(), Some(BundleStamp::of("v1.0.0")));
    let one = stamps(&[("a/bundle-version", "1")]);
    assert_eq!((one.version.clone(), one.channel.clone()), (stamp("a", "1"), None));
    assert!(one.bundle() == Some(BundleStamp::Unreadable) && one.known_channel().is_none());
    assert_eq!(stamps(&[("x/my-channel", "standard")]), Stamps::default());
}
