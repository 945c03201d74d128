//! Which objects are read, from which inputs, and what is wrong with inputs.

use std::os::unix::fs::symlink;

use super::{CRD, Printed, findings, place, run, validate, widget};
use crate::support::{Place, published, things};
use crd_channels_cli::Exit;

const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n";

fn fine(printed: &Printed, objects: &str) {
    let out = format!("{objects} (Kubernetes 1.33 to 1.37)\n");
    assert_eq!((printed.exit, &*printed.out), (Exit::Fine, &*out), "{}", printed.err);
}

#[test]
fn folders_are_read_with_everything_below() {
    let place = Place::new();
    place.write("crd.yaml", CRD);
    for (index, name) in ["a.yaml", "b/c.yml", "b/d/e.json"].into_iter().enumerate() {
        let text = match name.ends_with("json") {
            true => {
                r#"{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "j"}, "spec": {"size": 1}}"#
                    .to_owned()
            }
            false => widget("{size: 1}").replace("name: a", &format!("name: a{index}")),
        };
        place.write(&format!("in/{name}"), text);
    }
    for ignored in ["kustomization.yaml", "b/kustomization.yml", ".hidden.yaml", ".git/x.yaml", "README.md", "a.yaml~"]
    {
        place.write(&format!("in/{ignored}"), "a: [");
    }
    symlink(place.path().join("in/a.yaml"), place.path().join("in/link.yaml")).unwrap();
    fine(&run(&place, b"", &["in", "--crds", "crd.yaml"]), "4 objects are valid");
    // A file that is named twice is read once.
    fine(&run(&place, b"", &["in", "in/a.yaml", "./in", "--crds", "crd.yaml"]), "4 objects are valid");
}

#[test]
fn standard_input_is_a_stream_of_documents() {
    let place = place("");
    let stream = format!(
        "# kustomize\n---\n{}---\n---\n{}",
        widget("{size: 1}"),
        widget("{size: 12}").replace("name: a", "name: b")
    );
    let printed = run(&place, stream.as_bytes(), &["-", "--crds", "crd.yaml"]);
    assert_eq!(printed.exit, Exit::Findings);
    let expected = "error[object::invalid]: spec.size: Invalid value: 12: spec.size in body should be less than or equal to 10 @ -:14:8";
    assert_eq!(findings(&printed.out), [expected], "{}", printed.out);
    for arguments in [
        &["-", "-", "--crds", "crd.yaml"][..],
        &["-", "--crds", "-"],
        &["-", "--old", "-", "--crds", "crd.yaml"],
        &["-", "--bundle", "-"],
    ] {
        let printed = run(&place, stream.as_bytes(), arguments);
        let expected = "error[usage::standard-input]: only one input can be standard input\n";
        assert_eq!((printed.exit, &*printed.err), (Exit::Unusable, expected), "{arguments:?}");
    }
    let printed = run(&place, CRD.as_bytes(), &["in.yaml", "--crds", "-"]);
    assert_eq!(printed.exit, Exit::Unusable);
    assert!(printed.err.contains("error[object::none]"), "{}", printed.err);
}

#[test]
fn byte_order_marks_and_carriage_returns_keep_lines_and_columns() {
    let text = format!("\u{feff}{}", widget("\n  size: 11").replace('\n', "\r\n"));
    let printed = validate(&text, &[]);
    let expected = "error[object::invalid]: spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10 @ in.yaml:6:3";
    assert_eq!(findings(&printed.out), [expected]);
    assert!(printed.out.contains("\n6 |   size: 11\n  |   ^^^^^^^^\n"), "{:?}", printed.out);
    let first = validate("\u{feff}apiVersion: example.com/v3\nkind: Widget\nmetadata: {name: a}\n", &[]);
    assert!(first.out.contains("  --> in.yaml:1:1\n"), "{}", first.out);
    assert!(first.out.contains("\n1 | apiVersion: example.com/v3\n  | ^^^^^^^^^^^^^^^^^^^^^^^^^^\n"), "{}", first.out);
}

#[test]
fn lists_are_unpacked_with_the_lines_of_their_items() {
    let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: example.com/v1\n  kind: Widget\n  metadata: {name: a}\n  spec:\n    size: 11\n\
                - apiVersion: example.com/v1\n  kind: WidgetList\n  items:\n  - metadata: {name: b}\n    spec: {size: 12}\n  - spec: {size: 1}\n";
    let printed = validate(list, &[]);
    assert_eq!(
        findings(&printed.out),
        [
            "error[object::invalid]: spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10 @ in.yaml:8:5",
            "error[object::invalid]: spec.size: Invalid value: 12: spec.size in body should be less than or equal to 10 @ in.yaml:13:12",
            "error[object::required]: metadata.name: Required value: name or generateName is required @ in.yaml:14:5",
        ]
    );
    // The key belongs to the item.
    let repeated = list.replace("    size: 11", "    size: 1\n    size: 1");
    let printed = validate(&repeated, &[]);
    assert_eq!(
        findings(&printed.out)[0],
        "error[object::duplicate-field]: duplicate field \"spec.size\" @ in.yaml:9:5"
    );
    let twice = validate("apiVersion: v1\nkind: List\nkind: List\nitems: []\n", &[]);
    assert_eq!(twice.exit, Exit::Unusable);
    assert!(twice.err.contains("the key `kind` is already in this map\n  --> in.yaml:3:1\n"), "{}", twice.err);
}

#[test]
fn objects_of_other_groups_are_skipped_with_a_note() {
    let text = format!("{DEPLOYMENT}---\n{DEPLOYMENT}---\n{CRD}---\n{}", widget("{size: 1}"));
    let printed = validate(&text, &[]);
    fine(&printed, "1 object is valid, 3 skipped");
    assert_eq!(
        printed.err,
        "note: skipped, because no CRD has their kind: CustomResourceDefinition (apiextensions.k8s.io/v1), 2 Deployment (apps/v1)\n"
    );
    let printed = validate(&text, &["--unknown-kinds", "error"]);
    assert_eq!((printed.exit, findings(&printed.out).len()), (Exit::Findings, 3));
    assert_eq!(
        findings(&printed.out)[0],
        "error[object::unknown-kind]: no CRD has the API group of `apps/v1` @ in.yaml:1:1"
    );
}

#[test]
fn unknown_kinds_and_versions_of_a_known_group_are_errors() {
    for (from, to, expected, help) in [
        (
            "kind: Widget",
            "kind: Widgets",
            "error[object::unknown-kind]: no CRD of `example.com` has the kind `Widgets` @ in.yaml:2:1",
            "did you mean `Widget`?",
        ),
        (
            "kind: Widget",
            "kind: Other",
            "error[object::unknown-kind]: no CRD of `example.com` has the kind `Other` @ in.yaml:2:1",
            "its kind is Widget",
        ),
        (
            "/v1",
            "/v3",
            "error[object::unknown-version]: `widgets.example.com` does not have the API version `v3` @ in.yaml:1:1",
            "it serves v1, v1alpha1",
        ),
        (
            "/v1",
            "/v1beta1",
            "error[object::unknown-version]: `widgets.example.com` does not serve the API version `v1beta1` @ in.yaml:1:1",
            "it serves v1, v1alpha1",
        ),
    ] {
        let text = widget("{size: 1}").replacen(from, to, 1);
        let printed = validate(&text, &[]);
        assert_eq!((printed.exit, findings(&printed.out)), (Exit::Findings, vec![expected.to_owned()]));
        assert!(printed.out.contains(&format!("   = help: {help}\n")), "{}", printed.out);
        let printed = validate(&text, &["--unknown-kinds", "skip"]);
        fine(&printed, "no object was checked, 1 skipped");
    }
}

#[test]
fn a_group_that_is_nearly_known_is_an_error() {
    for (api_version, help) in [
        ("exampel.com/v1", "did you mean `example.com/v1`?"),
        ("example.co/v1", "did you mean `example.com/v1`?"),
        ("Example.com/v1alpha1", "did you mean `example.com/v1alpha1`?"),
        ("example.con/v7", "did you mean `example.com/v1`?"),
        // The name of the CRD, the group without a version, and the version without a group.
        ("widgets.example.com/v1", "did you mean `example.com/v1`?"),
        ("example.com", "did you mean `example.com/v1`?"),
        ("exmple.com", "did you mean `example.com/v1`?"),
        ("v1", "did you mean `example.com/v1`?"),
    ] {
        let text = widget("{size: 1}").replace("example.com/v1", api_version);
        let expected =
            format!("error[object::unknown-kind]: no CRD has the API group of `{api_version}` @ in.yaml:1:1");
        for arguments in [&[][..], &["--unknown-kinds", "error"]] {
            let printed = validate(&text, arguments);
            assert_eq!((printed.exit, findings(&printed.out)), (Exit::Findings, vec![expected.clone()]));
            assert!(printed.out.contains(&format!("   = help: {help}\n")), "{}", printed.out);
        }
        fine(&validate(&text, &["--unknown-kinds", "skip"]), "no object was checked, 1 skipped");
    }
    for api_version in ["example.io/v1", "apps/v1", "shop.example.com/v1", "sample.org/v1"] {
        let text = widget("{size: 1}").replace("example.com/v1", api_version);
        fine(&validate(&text, &[]), "no object was checked, 1 skipped");
    }
    // Servers have these kinds without a CRD.
    let place = place("apiVersion: v1\nkind: Service\nmetadata: {name: a}\n");
    place.write("crd.yaml", CRD.replace("Widget", "Service"));
    fine(&run(&place, b"", &["in.yaml", "--crds", "crd.yaml"]), "no object was checked, 1 skipped");
}

#[test]
fn a_group_of_another_channel_is_an_error() {
    let place = place(&widget("{size: 1}").replace("example.com", "x.example.com"));
    let annotated = |channel: &str| {
        let stamps = format!("{{example.com/bundle-version: v1.0.0, example.com/channel: {channel}}}");
        CRD.replacen("metadata:", &format!("metadata:\n  annotations: {stamps}"), 1)
    };
    place.write("crds/a.yaml", annotated("standard"));
    let experimental = annotated("experimental").replace("widgets.example.com", "widgets.x.example.com");
    place.write("crds/b.yaml", experimental.replace("group: example.com", "group: x.example.com"));
    let printed = run(&place, b"", &["in.yaml", "--crds", "crds", "--channel", "standard"]);
    assert_eq!(printed.exit, Exit::Findings, "{}{}", printed.out, printed.err);
    let help = "   = help: the API group is in the channel experimental: pass `--channel experimental`\n";
    assert!(printed.out.contains(help), "{}", printed.out);
    fine(&run(&place, b"", &["in.yaml", "--crds", "crds", "--channel", "experimental"]), "1 object is valid");
}

#[test]
fn removed_names_are_reported_with_version_and_reason() {
    let removed = |kind: &str, path: &str, name: &str, more: &str| {
        format!(
            "- crd: widgets.example.com\n  kind: {kind}\n  path: '{path}'\n  name: '{name}'\n  removed: v1.3.0\n  reason: it was slow\n{more}"
        )
    };
    let ledger = [
        "tombstones:\n".to_owned(),
        removed("field", "spec", "colour", "  replacement: mode\n"),
        removed("field", "spec.ports[*]", "weight", ""),
        removed("value", "spec.mode", "fast", "  replacement: a\n"),
        "- {crd: widgets.example.com, kind: version, name: v1alpha0, removed: v1.2.0, reason: no clients, replacement: v1}\n".to_owned(),
        "- {crd: policies.example.com, kind: resource, removed: v1.1.0, reason: merged}\n".to_owned(),
        "- {crd: shelves.old.example.org, kind: resource, removed: v1.0.0, reason: merged}\n".to_owned(),
    ];
    let of = |text: &str| {
        let place = place(text);
        place.write("root/bundles/tombstones.yaml", ledger.concat());
        run(&place, b"", &["in.yaml", "--crds", "crd.yaml", "--root", "root"])
    };
    let object = |from: &str, to: &str| widget("{size: 1}").replace(from, to);
    for (text, code, note, help) in [
        (widget("{size: 1, colour: red}"), "unknown-field", "v1.3.0: it was slow", "use `mode`"),
        (widget("{size: 1, ports: [{port: 1, weight: 2}]}"), "unknown-field", "v1.3.0: it was slow", ""),
        (widget("{size: 1, mode: fast}"), "unsupported", "v1.3.0: it was slow", "use `a`"),
        (object("/v1", "/v1alpha0"), "unknown-version", "v1.2.0: no clients", "use `v1`"),
        (object("Widget", "Policy"), "unknown-kind", "v1.1.0: merged", ""),
        (
            object("example.com/v1\nkind: Widget", "old.example.org/v1\nkind: Shelve"),
            "unknown-kind",
            "v1.0.0: merged",
            "",
        ),
    ] {
        let printed = of(&text);
        assert_eq!((printed.exit, findings(&printed.out).len()), (Exit::Findings, 1), "{}", printed.out);
        assert!(printed.out.starts_with(&format!("error[object::{code}]: ")), "{}", printed.out);
        assert!(printed.out.contains(&format!("   = note: removed in {note}\n")), "{}", printed.out);
        assert!(help.is_empty() || printed.out.contains(&format!("   = help: {help}\n")), "{}", printed.out);
    }
    // Other names have no note, and a ledger that cannot be read is an error.
    assert!(!of(&widget("{size: 1, weight: 2}")).out.contains("removed in"));
    let place = place(&widget("{size: 1}"));
    place.write("root/bundles/tombstones.yaml", "tombstones: 1\n");
    let printed = run(&place, b"", &["in.yaml", "--crds", "crd.yaml", "--root", "root"]);
    assert_eq!((printed.exit, &*printed.out), (Exit::Unusable, "no object was checked (Kubernetes 1.33 to 1.37)\n"));
}

#[test]
fn two_documents_with_one_name_are_a_warning_in_one_file() {
    let text = format!(
        "{}---\n{}",
        widget("{size: 1}"),
        widget("{size: 2}").replace("  name", "  namespace: default\n  name")
    );
    let printed = validate(&text, &[]);
    let expected =
        "warning[object::twice]: the file contains Widget default/a twice; the first one is at line 1 @ in.yaml:11:3";
    assert_eq!((printed.exit, findings(&printed.out)), (Exit::Fine, vec![expected.to_owned()]));
    assert!(printed.out.ends_with("2 objects are valid (Kubernetes 1.33 to 1.37)\n"), "{}", printed.out);
    // It is a warning of no server.
    let json = serde_json::from_str::<serde_json::Value>(&validate(&text, &["--format", "json"]).out).unwrap();
    assert_eq!(json["objects"][1]["findings"][0]["kubernetes"], serde_json::json!([]));
    assert_eq!(json["valid"], true);
    // Another namespace, and another file.
    fine(&validate(&text, &["--namespace", "other"]), "2 objects are valid");
    let place = place(&widget("{size: 1}"));
    place.write("more.yaml", widget("{size: 1}"));
    fine(&run(&place, b"", &["in.yaml", "more.yaml", "--crds", "crd.yaml"]), "2 objects are valid");
}

#[test]
fn documents_that_are_no_objects_are_reported_together_with_everything_else() {
    let text = format!(
        "- 1\n---\njust text\n---\nkind: Widget\n---\napiVersion: 1\nkind: Widget\n---\na: [\n---\n{}",
        widget("{size: 11}")
    );
    let printed = validate(&text, &[]);
    assert_eq!(printed.exit, Exit::Unusable);
    let errors = findings(&printed.err);
    assert_eq!(
        errors[..4],
        [
            "error[object::not-an-object]: this is a list, not a Kubernetes object @ in.yaml:1:1",
            "error[object::not-an-object]: this is a string, not a Kubernetes object @ in.yaml:3:1",
            "error[object::not-an-object]: this object has no `apiVersion` @ in.yaml:5:1",
            "error[object::not-an-object]: the `apiVersion` of this object is a number @ in.yaml:7:1",
        ]
    );
    assert!(errors[4].starts_with("error[yaml]: this is not YAML"), "{errors:?}");
    assert_eq!(findings(&printed.out).len(), 1, "the last document is validated: {}", printed.out);
}

#[test]
fn templates_are_to_be_rendered() {
    let printed =
        validate("apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {{ .Values.spec }}\n", &[]);
    assert_eq!(printed.exit, Exit::Unusable);
    assert!(printed.err.starts_with("error[template]: "), "{}", printed.err);
}

#[test]
fn inputs_that_cannot_be_read_are_reported_together_with_findings() {
    let place = place(&widget("{size: 11}"));
    place.write("utf16.yaml", b"\xff\xfea\0");
    std::fs::create_dir(place.path().join("empty")).unwrap();
    let printed = run(&place, b"", &["missing.yaml", "in.yaml", "utf16.yaml", "empty", "--crds", "crd.yaml"]);
    assert_eq!(printed.exit, Exit::Unusable);
    let codes =
        findings(&printed.err).iter().map(|line| line.split(']').next().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(codes, ["error[file::io", "error[bundle::no-files", "error[encoding"], "{}", printed.err);
    assert_eq!(findings(&printed.out).len(), 1, "{}", printed.out);
}

#[test]
fn inputs_without_objects_are_an_error() {
    for text in ["", "---\n", "# nothing\n", "\u{feff}", "apiVersion: v1\nkind: List\nitems: []\n"] {
        let printed = validate(text, &[]);
        assert_eq!(printed.exit, Exit::Unusable, "{text:?}");
        assert!(printed.err.starts_with("error[object::none]: the inputs contain no objects\n"), "{}", printed.err);
        assert_eq!(printed.out, "no object was checked (Kubernetes 1.33 to 1.37)\n");
    }
}

/// An input that another command writes is empty if that command failed.
#[test]
fn standard_input_and_archives_without_objects_are_errors_next_to_other_files() {
    let place = place(&widget("{size: 1}"));
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(1);
    header.set_cksum();
    archive.append_data(&mut header, "note.txt", &b"x"[..]).unwrap();
    place.write("notes.tar", archive.into_inner().unwrap());
    for (arguments, expected) in [
        (&["in.yaml", "-", "--crds", "crd.yaml"][..], "error[object::none]: standard input contains no objects\n"),
        (&["in.yaml", "--old", "-", "--crds", "crd.yaml"], "error[object::none]: standard input contains no objects\n"),
        (
            &["in.yaml", "notes.tar", "--crds", "crd.yaml"],
            "error[bundle::no-files]: `notes.tar` contains no YAML or JSON file\n",
        ),
    ] {
        let printed = run(&place, b"\n", arguments);
        assert_eq!(printed.exit, Exit::Unusable, "{}", printed.out);
        assert!(printed.err.starts_with(expected), "{}", printed.err);
    }
}

#[test]
fn a_list_without_items_is_an_error() {
    for text in [
        "apiVersion: v1\nkind: List\n",
        "apiVersion: v1\nkind: List\nitmes: []\n",
        "apiVersion: v1\nkind: List\nitems: {}\n",
    ] {
        let printed = validate(text, &[]);
        assert_eq!(printed.exit, Exit::Unusable, "{text}");
        let expected = "error[object::not-an-object]: this list has no list of `items` @ in.yaml:1:1";
        assert_eq!(findings(&printed.err), [expected], "{}", printed.err);
    }
}

#[test]
fn the_crds_must_be_named_and_valid() {
    let place = place(&widget("{size: 1}"));
    let printed = run(&place, b"", &["in.yaml"]);
    assert_eq!(printed.exit, Exit::Unusable);
    assert_eq!(
        printed.err,
        "error[usage::missing]: the CRDs are missing\n   = help: name them with `--crds FILE` or `--bundle VERSION`, or with `crds` in `crd-channels.yaml`\n"
    );
    // What every server refuses is reported once, and only if an object needs the CRD.
    place.write("crd.yaml", CRD.replace("enum: [a, b]", "enum: [b]"));
    let text = format!("{}---\n{}", widget("{size: 1}"), widget("{size: 1}").replace("name: a", "name: b"));
    place.write("in.yaml", text);
    let printed = run(&place, b"", &["in.yaml", "--crds", "crd.yaml"]);
    assert_eq!(printed.exit, Exit::Unusable);
    assert!(printed.err.starts_with("error[default-invalid]: "), "{}", printed.err);
    assert_eq!(printed.out, "no object was checked (Kubernetes 1.33 to 1.37)\n");
    place.write("in.yaml", DEPLOYMENT);
    fine(&run(&place, b"", &["in.yaml", "--crds", "crd.yaml"]), "no object was checked, 1 skipped");
}

#[test]
fn a_rule_that_does_not_compile_is_reported_with_its_minors() {
    let place = place(&widget("{size: 1}"));
    place.write("crd.yaml", CRD.replace("rule: self == oldSelf,", "rule: self ==,"));
    let printed = run(&place, b"", &["in.yaml", "--crds", "crd.yaml"]);
    assert_eq!(printed.exit, Exit::Unusable);
    let errors = findings(&printed.err);
    assert!(errors.iter().all(|error| error.ends_with(" @ crd.yaml:1")), "{errors:?}");
    assert!(printed.err.contains("`self ==`"), "{}", printed.err);
}

#[test]
fn crds_of_two_channels_need_a_channel() {
    let place = Place::new();
    let bundle = published(&things());
    place.write("in.yaml", "apiVersion: things.example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {volume: 1}\n");
    let [standard, experimental] =
        ["standard", "experimental"].map(|channel| bundle.path().join(channel).display().to_string());
    let both = ["in.yaml", "--crds", &standard, "--crds", &experimental];
    let printed = run(&place, b"", &both);
    assert_eq!(printed.exit, Exit::Unusable);
    assert!(printed.err.contains("error[bundle::channels]: the CRDs contain `"), "{}", printed.err);
    fine(&run(&place, b"", &[&both[..], &["--channel", "experimental"]].concat()), "1 object is valid");
    let printed = run(&place, b"", &[&both[..], &["--channel", "standard"]].concat());
    assert_eq!(printed.exit, Exit::Findings);
    let help = "   = help: the field is in the channel experimental: pass `--channel experimental`\n";
    assert!(printed.out.contains("unknown field \"spec.volume\"") && printed.out.contains(help), "{}", printed.out);
}

#[test]
fn the_types_and_the_bundles_have_channels() {
    let place = Place::new();
    place.publish(&things());
    place.write(
        "thing.yaml",
        "apiVersion: things.example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {volume: 1}\n",
    );
    place.write("shelf.yaml", "apiVersion: things.example.com/v1alpha1\nkind: Shelf\nmetadata: {name: a}\n");
    for against in [&[][..], &["--bundle", "v1.2.0"]] {
        let validate =
            |file: &str, more: &[&str]| place.run_unchanged(&things(), &[&["validate", file], against, more].concat());
        assert_eq!(validate("thing.yaml", &[]).exit, Exit::Findings);
        assert_eq!(validate("thing.yaml", &["--channel", "experimental"]).exit, Exit::Fine);
        let shelf = validate("shelf.yaml", &[]);
        assert_eq!(shelf.exit, Exit::Findings);
        assert!(
            shelf.out.contains("the kind is in the channel experimental: pass `--channel experimental`"),
            "{}",
            shelf.out
        );
        assert_eq!(validate("shelf.yaml", &["--channel", "experimental"]).exit, Exit::Fine);
    }
    let missing = place.run(&things(), &["validate", "thing.yaml", "--bundle", "v9.0.0"]);
    assert_eq!(missing.exit, Exit::Unusable);
    assert!(missing.err.contains("is not a bundle of `bundles/`"), "{}", missing.err);
}

/// JSON as programs write it: escapes, tabs, and no line break at the end.
#[test]
fn json_is_read_as_programs_write_it() {
    let text = "{\n\t\"apiVersion\": \"example.com\\/v1\",\n\t\"kind\": \"Widget\",\n\t\"metadata\": {\"name\": \"a\", \"annotations\": {\"b\": \"\\ud83d\\ude00\\u00e9\"}},\n\t\"spec\": {\"size\": 1e0}\n}";
    let printed = validate(text, &["--stored"]);
    assert_eq!(printed.exit, Exit::Fine, "{}", printed.err);
    assert!(printed.out.contains("    b: 😀é\n") && printed.out.contains("  size: 1\n"), "{}", printed.out);
}

/// The commands of the workflow and of the hook that `init` writes.
#[test]
fn the_step_and_the_hook_of_init_validate_the_examples() {
    let files = &crd_release::init::FILES;
    let commands = files.iter().flat_map(|file| file.text.lines()).filter_map(|line| {
        let (_, command) = line.split_once("if [ -d examples ]; then cargo xtask ")?;
        Some(command.split_once(';')?.0)
    });
    let commands = commands.collect::<Vec<_>>();
    assert_eq!(commands, ["validate examples --quiet", "validate examples --format github"]);
    for (size, exit) in [(10, Exit::Fine), (11, Exit::Findings)] {
        let place = Place::new();
        place.write(
            "examples/a.yaml",
            format!("apiVersion: things.example.com/v1\nkind: Thing\nmetadata: {{name: a}}\nspec: {{size: {size}}}\n"),
        );
        for command in &commands {
            assert_eq!(place.run_line(&things(), command).exit, exit, "{command}");
        }
    }
}

/// Values of the same files in `cases` and in `gen/model/src/yaml/tests/kubectl.rs` come from Go's reader.
#[test]
fn files_mean_what_they_mean_to_kubectl() {
    for spec in [
        "{size: 7.0}",
        "{size: 1e1}",
        "{size: 09}",
        "{size: 1, label: a::}",
        "{size: 1, label: !color red}",
        "{size: 1, label: !!binary cmVk}",
        "{size: 12, <<: {size: 8}}",
        "!mine {size: 1}",
    ] {
        let printed = validate(&widget(spec), &[]);
        assert_eq!(printed.exit, Exit::Fine, "{spec}: {}{}", printed.out, printed.err);
    }
    for (spec, expected) in [
        ("{size: 1, label: ::1}", "error[yaml]: this is not YAML: did not find expected node content @ in.yaml:5:24"),
        ("{size: 1, label: a?b}", "error[yaml]: this is not YAML: did not find expected ',' or '}' @ in.yaml:5:25"),
        ("{size: 1, label: \"\\/\"}", "error[yaml]: this is not YAML: found unknown escape character @ in.yaml:5:26"),
    ] {
        let printed = validate(&widget(spec), &[]);
        assert_eq!(findings(&format!("{}{}", printed.out, printed.err)), [expected], "{spec}");
    }
    // Objects of JSON, with nothing between them. Their numbers are those of a request.
    let object = |name: &str, spec: &str| {
        format!(r#"{{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"name":"{name}"}},"spec":{spec}}}"#)
    };
    let stream =
        object("a", r#"{"size": 3}"#) + &object("b", r#"{"size": 30}"#) + "\n" + &object("c", r#"{"size": 4}"#);
    let printed = validate(&stream, &[]);
    assert_eq!(printed.exit, Exit::Findings);
    let errors = findings(&printed.out);
    assert!(
        errors.len() == 1 && errors[0].starts_with("error[object::invalid]: spec.size: Invalid value: 30"),
        "{errors:?}"
    );
}
