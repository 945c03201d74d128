//! What the commands say about published CRDs that servers accept although something is odd about them, and what users leave out.

use std::fs;

use crate::support::{BOX, Place, THING, line_of, published, things};
use crd_channels_cli::Exit;
use serde_json::{Value, json};

/// CRDs of the standard channel.
fn crd(file: &str) -> String {
    fs::read_to_string(published(&things()).path().join("standard").join(file)).unwrap()
}

/// The CRD with an unknown keyword and a null.
fn odd() -> String {
    crd(THING).replace("maximum: 10\n", "maximum: 10\n                optional: true\n                anyOf: null\n")
}

const DROPPED: &str = "this is not a keyword of a Kubernetes schema; servers drop it with a warning, and refuse it if they validate strictly";

/// In every format of `diff`, with file and line.
#[test]
fn diff_warns_of_what_servers_leave_out() {
    let place = Place::new();
    place.write("old.yaml", crd(THING));
    place.write("new.yaml", odd());
    let line = line_of(&odd(), "", "optional: true");
    let run = |format: &str| {
        let ran = place.run_unchanged(&things(), &["diff", "old.yaml", "new.yaml", "--format", format]);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        ran
    };
    let text = run("text");
    assert!(text.out.contains(": nothing to report in standard"), "{text:?}");
    let warnings = text.err.lines().filter(|line| line.starts_with("warning: ")).collect::<Vec<_>>();
    assert!(
        warnings[0].starts_with(&format!("warning: new.yaml:{line}:17: ")) && warnings[0].contains(DROPPED),
        "{text:?}"
    );
    assert!(warnings[1].starts_with(&format!("warning: new.yaml:{}:17: ", line + 1)), "{text:?}");
    assert!(warnings[1].contains("anyOf: the value is null, which counts as absent; servers accept it"), "{text:?}");
    let json: Value = serde_json::from_str(&run("json").out).unwrap();
    let warnings = json["warnings"].as_array().unwrap();
    assert_eq!(warnings[0]["source"], json!({"file": "new.yaml", "line": line}));
    assert!(warnings[0]["message"].as_str().unwrap().ends_with(DROPPED), "{json}");
    assert_eq!((&warnings[0]["code"], warnings.len()), (&json!("crd-ignored"), 2));
    let github = run("github").out;
    assert!(github.contains(&format!("::warning file=new.yaml,line={line},col=17,title=crd-ignored::")), "{github}");
    let sarif: Value = serde_json::from_str(&run("sarif").out).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("crd-ignored"), &json!("warning")));
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], json!(line));
}

#[test]
fn the_other_commands_warn_too() {
    let place = Place::new();
    place.write("crds/odd.yaml", odd());
    place.write(
        "object.yaml",
        "apiVersion: things.example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {size: 1, volume: 1}\n",
    );
    let expected = format!("warning: crds/odd.yaml:{}:17: ", line_of(&odd(), "", "optional: true"));
    for arguments in [
        &["validate", "object.yaml", "--crds", "crds"] as &[&str],
        &["validate", "object.yaml", "--bundle", "crds"],
        &["import", "crds", "--version", "v1.2.0", "--channel", "standard"],
        &["new", "workspace", "--from-crds", "crds"],
    ] {
        let ran = place.run(&things(), arguments);
        assert_ne!(ran.exit, Exit::Unusable, "{arguments:?} {ran:?}");
        let warnings = ran.err.lines().filter(|line| line.starts_with(&expected)).count();
        assert_eq!(warnings, 1, "{arguments:?} {ran:?}");
    }
    // The bundle is written as a server stores it.
    let imported = place.read(&format!("bundles/v1.2.0/standard/{THING}"));
    assert_eq!(imported, crd(THING));
    let ran = place.run(&things(), &["validate", "object.yaml", "--crds", "crds", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["warnings"][0]["code"], "crd-ignored", "{document}");
    let ran = place.run(&things(), &["new", "other", "--from-crds", "crds", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["warnings"][0]["code"], "crd-ignored", "{document}");
}

/// We write nothing that a server leaves out, so a bundle with a manifest has an error.
#[test]
fn our_own_bundles_are_read_strictly() {
    let place = Place::new();
    place.publish(&things());
    let file = format!("bundles/v1.2.0/standard/{THING}");
    let text = place.read(&file).replace("maximum: 10\n", "maximum: 10\n                optional: true\n");
    let [old, new] = [place.read(&file), text.clone()].map(|text| sha256(&text));
    place.write(&file, text);
    place.write("bundles/v1.2.0/bundle.yaml", place.read("bundles/v1.2.0/bundle.yaml").replace(&old, &new));
    let ran = place.run(&things(), &["diff", "v1.2.0", "v1.2.0"]);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("optional: this is not a keyword"), "{ran:?}");
    assert!(ran.err.starts_with("error: "), "{ran:?}");
}

fn sha256(text: &str) -> String {
    crd_bundle::Digest::of(text).to_string()
}

/// A CRD of v1beta1 against its successor: the verdict, and lines in a file of another structure.
#[test]
fn v1beta1_is_compared() {
    let old = "\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: lamps.example.com
spec:
  group: example.com
  names: {kind: Lamp, plural: lamps}
  preserveUnknownFields: false
  version: v1
  validation:
    openAPIV3Schema:
      type: object
      properties:
        spec:
          type: object
          properties:
            watts: {type: integer, maximum: 10}
";
    let new =
        old.replace("  version: v1\n", "  versions: [{name: v1, served: true, storage: true}]\n").replace("10", "20");
    let place = Place::new();
    place.write("old.yaml", old);
    place.write("new.yaml", &new);
    let ran = place.run(&things(), &["diff", "old.yaml", "new.yaml", "--channel", "standard"]);
    assert_eq!(ran.exit, Exit::Fine);
    let line = line_of(&new, "", "watts");
    assert!(ran.out.contains(&format!("[loosened]\n      10 → 20\n      new.yaml:{line}\n")), "{ran:?}");
    // One warning for both.
    assert_eq!(
        ran.err.lines().filter(|line| line.starts_with("warning: ")).collect::<Vec<_>>(),
        [
            "warning: old.yaml:1: a CRD of apiextensions.k8s.io/v1beta1 is read as servers before Kubernetes 1.22 converted it, and 1 more. Newer servers refuse it; take what `kubectl get crd NAME -o yaml` prints"
        ]
    );
    let ran = place.run(&things(), &["import", "old.yaml", "--version", "v1.0.0", "--channel", "standard"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let ran = place.run(&things(), &["diff", "v1.0.0", "old.yaml", "--channel", "standard"]);
    assert!(ran.out.contains("nothing to report"), "{ran:?}");
}

/// A bad file in a folder, left out in every command that reads CRDs.
#[test]
fn a_bad_file_is_left_out_by_name() {
    let place = Place::new();
    for folder in ["old", "new"] {
        place.write(&format!("{folder}/thing.yaml"), crd(THING));
    }
    place.write("new/bad.yaml", "a: [");
    place.write("object.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n");
    let left_out = "new/bad.yaml (`--skip bad.yaml`)";
    for (arguments, words) in [
        (&["diff", "old", "new"] as &[&str], "left out"),
        (&["validate", "object.yaml", "--crds", "new"], "left out"),
        (&["import", "new", "--version", "v1.2.0", "--channel", "standard"], "skipped"),
        (&["new", "workspace", "--from-crds", "new"], "left out"),
    ] {
        assert_eq!(place.run(&things(), arguments).exit, Exit::Unusable, "{arguments:?}");
        let ran = place.run(&things(), &[arguments, &["--skip", "bad.yaml"]].concat());
        assert_ne!(ran.exit, Exit::Unusable, "{arguments:?} {ran:?}");
        assert!(ran.err.contains(&format!("note: {words}: {left_out}\n")), "{arguments:?} {ran:?}");
        let ran = place.run(&things(), &[arguments, &["--skip", "bad.yaml", "--skip", "worse.yaml"]].concat());
        assert_eq!(ran.exit, Exit::Unusable, "{arguments:?} {ran:?}");
        assert!(ran.err.contains("error: `--skip worse.yaml` matches no file. "), "{arguments:?} {ran:?}");
    }
    let ran = place.run(&things(), &["diff", "old", "new", "--skip", "bad.yaml", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        document["leftOut"],
        json!([{"file": "new/bad.yaml", "crd": null, "line": null, "option": "--skip bad.yaml", "reason": "`--skip bad.yaml`"}])
    );
    let ran = place.run(&things(), &["validate", "object.yaml", "--crds", "new", "--skip", "b*", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["leftOut"][0]["option"], "--skip b*");
}

/// Variants of a CRD in one folder, as projects with feature sets publish them.
#[test]
fn variants_are_chosen_by_annotation_or_file() {
    let place = Place::new();
    for folder in ["old", "new"] {
        for (set, maximum) in [("Default", "10"), ("Preview", "30")] {
            let text = crd(THING).replace("  annotations:\n", &format!("  annotations:\n    example.com/set: {set}\n"));
            let text = text.replace("maximum: 10\n", &format!("maximum: {maximum}\n"));
            let text = if folder == "new" { text.replace("maximum: 30\n", "maximum: 20\n") } else { text };
            place.write(&format!("{folder}/thing-{set}.yaml"), text);
        }
        place.write(&format!("{folder}/box.yaml"), crd(BOX));
    }
    let ran = place.run(&things(), &["diff", "old", "new"]);
    let fix = "Choose one with `--select annotation=example.com/set:VALUE`; the values are Default, Preview";
    assert!(ran.exit == Exit::Unusable && ran.err.contains(fix), "{ran:?}");
    for (selection, verdict) in [
        ("annotation=example.com/set:Default", "none"),
        ("annotation=example.com/set:Preview", "major"),
        ("file=*-Default.yaml", "none"),
        ("file=new/*-Default.yaml", ""),
    ] {
        let ran = place.run(&things(), &["diff", "old", "new", "--select", selection, "--format", "json"]);
        let document: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(document["verdict"].as_str().unwrap_or_default(), verdict, "{selection} {document}");
        if !verdict.is_empty() {
            assert_eq!(document["leftOut"].as_array().unwrap().len(), 2, "{document}");
            assert_eq!(document["leftOut"][0]["crd"], "things.things.example.com");
        }
    }
    let ran = place.run(&things(), &["diff", "old", "new", "--select", "Default"]);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("write `annotation=KEY:VALUE` or `file=NAME`"), "{ran:?}");
}

/// What `kubectl get crds -o yaml` and `kustomize build` print.
#[test]
fn lists_and_streams_are_read() {
    let place = Place::new();
    let item = |text: &str| format!("- {}", text.trim_start_matches("---\n").trim_end().replace('\n', "\n  "));
    let [thing, case] =
        [THING, BOX].map(|file| crd(file).lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n"));
    place.write("folder/thing.yaml", &thing);
    place.write("folder/box.yaml", &case);
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n";
    place.write("stream.yaml", format!("{service}---\n{thing}\n---\n{case}\n"));
    let list =
        |kind: &str, of: &str| format!("apiVersion: {of}\nkind: {kind}\nitems:\n{}\n{}\n", item(&thing), item(&case));
    place.write("list.yaml", list("List", "v1"));
    place.write("crds.yaml", list("CustomResourceDefinitionList", "apiextensions.k8s.io/v1"));
    for name in ["stream.yaml", "list.yaml", "crds.yaml"] {
        let ran = place.run(&things(), &["diff", "folder", name]);
        assert_eq!(ran.exit, Exit::Fine, "{name} {ran:?}");
        assert!(ran.out.contains(": nothing to report in standard"), "{name} {ran:?}");
    }
}

#[test]
fn templates_of_helm_are_named_with_the_way_to_render_them() {
    let place = Place::new();
    place.write("old.yaml", crd(THING));
    let text = crd(THING);
    for template in [
        format!("{{{{- if .Values.crds.enabled }}}}\n{text}{{{{- end }}}}\n"),
        text.replace("  annotations:\n", "  annotations:\n    {{- toYaml .Values.annotations | nindent 4 }}\n"),
        text.replace("name: things.things.example.com", "name: '{{ .Values.name }}'"),
    ] {
        place.write("new.yaml", template);
        let ran = place.run(&things(), &["diff", "old.yaml", "new.yaml"]);
        assert_eq!(ran.exit, Exit::Unusable);
        assert!(
            ran.err.contains("this is a template of a CustomResourceDefinition") && ran.err.contains("`helm template "),
            "{ran:?}"
        );
        assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    }
}
