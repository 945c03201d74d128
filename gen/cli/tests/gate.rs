//! `diff` as a gate for any project: what the user permits, bundles without versions, and two bundles of one version.

use std::fs;

use crate::support::{Place, Ran, THING, program, published, things};
use crd_channels_cli::Exit;
use serde_json::{Value, json};

/// A CRD of a project that stamps nothing.
fn unstamped() -> String {
    let text = fs::read_to_string(published(&things()).path().join("standard").join(THING)).unwrap();
    let stamps = ["bundle-version", "channel"];
    text.lines()
        .filter(|line| !stamps.iter().any(|stamp| line.contains(&format!("/{stamp}: "))))
        .fold(String::new(), |text, line| text + line + "\n")
}

/// Changes by the bump that they require.
fn changed(bump: &str) -> String {
    let text = unstamped();
    let (from, to) = match bump {
        "none" => return text,
        "patch" => {
            ("                maximum: 10\n", "                description: Its size.\n                maximum: 10\n")
        }
        "minor" => ("maximum: 10\n", "maximum: 20\n"),
        "major" => ("maximum: 10\n", "maximum: 5\n"),
        "refused" => ("scope: Namespaced", "scope: Cluster"),
        other => panic!("{other}"),
    };
    let changed = text.replace(from, to);
    assert_ne!(changed, text);
    changed
}

fn diff(bump: &str, arguments: &[&str]) -> Ran {
    let place = Place::new();
    place.write("old.yaml", unstamped());
    place.write("new.yaml", changed(bump));
    let ran = place
        .run_unchanged(&things(), &[&["diff", "old.yaml", "new.yaml", "--channel", "standard"], arguments].concat());
    assert_ne!(ran.exit, Exit::Unusable, "{ran:?}");
    ran
}

/// Rows: what the changes require. Columns: the options. `x`: exit code 1.
#[test]
fn the_options_decide_the_exit_code() {
    let options: [&[&str]; 8] = [
        &[],
        &["--fail-on", "patch"],
        &["--fail-on", "minor"],
        &["--fail-on", "major"],
        &["--expect", "none"],
        &["--expect", "patch"],
        &["--expect", "minor"],
        &["--expect", "major"],
    ];
    for (bump, expected) in [
        ("none", "--------"),
        ("patch", "-x--x---"),
        ("minor", "-xx-xx--"),
        ("major", "xxxxxxx-"),
        ("refused", "xxxxxxxx"),
    ] {
        let found = options.map(|options| {
            let ran = diff(bump, &[options, &["--format", "json"]].concat());
            let document: Value = serde_json::from_str(&ran.out).unwrap();
            assert_eq!(document["verdict"], json!(bump), "{document}");
            assert_eq!(document["fits"], json!(ran.exit == Exit::Fine));
            let limit = (!options.is_empty()).then(|| options.join(" "));
            assert_eq!(document["limit"], json!(limit));
            assert_eq!(document["gate"], json!(limit.as_deref().unwrap_or("--fail-on major")));
            assert!(document["gateReason"].is_string());
            if ran.exit == Exit::Fine { '-' } else { 'x' }
        });
        assert_eq!(found.iter().collect::<String>(), expected, "{bump}");
    }
}

#[test]
fn the_text_names_the_bump_and_the_option() {
    for (bump, arguments, sentence) in [
        ("major", &[] as &[&str], "✗ major bundle needed, minor permitted."),
        ("major", &["--fail-on", "major"], "✗ major bundle needed, minor permitted."),
        ("minor", &["--fail-on", "major"], "✓ minor bundle needed, minor permitted."),
        ("minor", &["--expect", "patch"], "✗ minor bundle needed, patch permitted."),
        ("refused", &["--expect", "major"], "✗ no version permits this."),
    ] {
        let ran = diff(bump, arguments);
        let reason = match arguments {
            [] => {
                "--fail-on major, because the version of `old.yaml` is unknown and the version of `new.yaml` is unknown"
                    .to_owned()
            }
            options => format!("{}, because the command line sets it", options.join(" ")),
        };
        assert!(ran.out.contains(&format!("\n{sentence}\n\nDeciding findings\n")), "{sentence}: {}", ran.out);
        assert!(ran.out.ends_with(&format!("\n\ngate: {reason}\n")), "{reason}: {}", ran.out);
    }
}

/// The option takes the place of the versions in every format: what exceeds it is an error.
#[test]
fn the_options_take_the_place_of_the_versions() {
    let place = Place::new();
    let folder = published(&things());
    let old = fs::read_to_string(folder.path().join("standard").join(THING)).unwrap();
    place.write("old.yaml", &old);
    place.write("new.yaml", old.replace("v1.2.0", "v2.0.0").replace("maximum: 10\n", "maximum: 5\n"));
    let run = |arguments: &[&str]| place.run(&things(), &[&["diff", "old.yaml", "new.yaml"], arguments].concat());
    assert_eq!(run(&[]).exit, Exit::Fine);
    let ran = run(&["--fail-on", "major", "--format", "github"]);
    assert_eq!(ran.exit, Exit::Findings);
    assert!(ran.out.starts_with("::error file=new.yaml,line="), "{ran:?}");
    assert!(ran.out.contains("✗ major bundle needed, minor permitted (v2.0.0 or later)."), "{ran:?}");
}

/// Rows: the versions in the files, the options, the gate, and whether a breaking change passes it. A compatible change passes always.
#[test]
fn without_a_bump_between_the_versions_breaking_changes_fail() {
    let unknown = "the version of `old.yaml` is unknown";
    let both = format!("{unknown} and the version of `new.yaml` is unknown");
    let fail = |why: &str| format!("--fail-on major, because {why}");
    let versions = |bump: &str, old: &str, new: &str| format!("up to {bump}, because the versions are {old} and {new}");
    let (old, new) = ("--version-of=OLD=v1.3.0", "--version-of=New=2.0");
    for (stamps, options, gate, passes) in [
        (["", ""], &[] as &[&str], fail(&both), false),
        (["", "v1.0.0"], &[], fail(unknown), false),
        (
            ["v1.0.0", "main"],
            &[],
            fail("the version `main` of `new.yaml` is not a semantic version such as v1.2.3"),
            false,
        ),
        (
            ["v1", "v2"],
            &[],
            fail(
                "the version `v1` of `old.yaml` is not a semantic version such as v1.2.3 and the version `v2` of `new.yaml` is not a semantic version such as v1.2.3",
            ),
            false,
        ),
        (["v1.0.0", "v1.0.0"], &[], fail("there is no bump from v1.0.0 to v1.0.0"), false),
        (["v1.1.0", "v1.0.0"], &[], fail("there is no bump from v1.1.0 to v1.0.0"), false),
        (["v1.0.0", "v1.1.0"], &[], versions("minor", "v1.0.0", "v1.1.0"), false),
        (["v1.9.0", "v2.0.0"], &[], versions("major", "v1.9.0", "v2.0.0"), true),
        (["", "main"], &["--expect", "major"], "--expect major, because the command line sets it".to_owned(), true),
        (["", ""], &[old], fail("the version of `new.yaml` is unknown"), false),
        (["", "main"], &[old, new], versions("major", "v1.3.0", "v2.0.0"), true),
        (["v1.9.0", ""], &[new, old], versions("major", "v1.3.0", "v2.0.0"), true),
        (["", ""], &[old, "--version-of", "new=v1.4.0-rc.1"], versions("minor", "v1.3.0", "v1.4.0-rc.1"), false),
    ] {
        let stamped = |text: String, version: &str| match version {
            "" => text,
            version => text.replacen(
                "metadata:\n",
                &format!("metadata:\n  annotations: {{example.com/bundle-version: {version}}}\n"),
                1,
            ),
        };
        for (bump, passes) in [("major", passes), ("minor", true)] {
            let place = Place::new();
            place.write("old.yaml", stamped(without_annotations(&unstamped()), stamps[0]));
            place.write("new.yaml", stamped(without_annotations(&changed(bump)), stamps[1]));
            let run = |format| {
                let ran = program(&place, &[&["diff", "old.yaml", "new.yaml", "--format", format], options].concat());
                assert_eq!(ran.exit == Exit::Fine, passes, "{stamps:?} {options:?} {bump}: {ran:?}");
                ran
            };
            let line = format!("gate: {gate}");
            for format in ["text", "github"] {
                let out = run(format).out;
                assert_eq!(out.lines().last(), Some(&*line), "{out}");
            }
            let document: Value = serde_json::from_str(&run("json").out).unwrap();
            let (name, reason) = (document["gate"].as_str().unwrap(), document["gateReason"].as_str().unwrap());
            assert_eq!(format!("{name}, because {reason}"), gate);
            let sarif: Value = serde_json::from_str(&run("sarif").out).unwrap();
            assert_eq!(sarif["runs"][0]["properties"]["gate"], name);
            let note =
                format!("`old.yaml` has the version {}, and `--version-of` states v1.3.0, which counts", stamps[0]);
            let is_other = !stamps[0].is_empty() && options.contains(&old);
            assert_eq!(document["notes"].as_array().unwrap().contains(&json!(note)), is_other);
        }
    }
}

fn without_annotations(text: &str) -> String {
    text.lines().filter(|line| !line.contains("annotations:")).fold(String::new(), |all, line| all + line + "\n")
}

#[test]
fn a_stated_version_names_its_side() {
    let place = Place::new();
    place.write("a.yaml", unstamped());
    for (values, part) in [
        (["old", "new=v1.0.0"], "write `old=VERSION` or `new=VERSION`"),
        (["old=main", "new=v1.0.0"], "write `old=VERSION` or `new=VERSION`"),
        (["old=v1", "new=v1.0.0"], "such as v1.2.3"),
        (["a.yaml=v1.0.0", "new=v1.0.0"], "write `old=VERSION` or `new=VERSION`"),
        (
            ["new=v1.1.0", "NEW=v1.0.0"],
            "`--version-of` states two versions of `new`: v1.1.0 and v1.0.0. state one version",
        ),
    ] {
        let options = values.map(|value| format!("--version-of={value}"));
        let ran = program(&place, &["diff", "a.yaml", "a.yaml", &options[0], &options[1]]);
        assert!(ran.exit == Exit::Unusable && ran.err.contains(part), "{values:?}: {ran:?}");
    }
}

/// Users of CRDs without channels need not know what a bundle, standard or a tombstone is.
#[test]
fn reports_of_crds_without_channels_speak_of_releases() {
    let place = Place::new();
    place.write("old.yaml", without_annotations(&unstamped()));
    for bump in ["none", "patch", "minor", "major", "refused", "removed"] {
        let new = if bump == "removed" { unstamped().replace(" size:", " length:") } else { changed(bump) };
        place.write("new.yaml", without_annotations(&new));
        for format in ["text", "github"] {
            let ran = program(&place, &["diff", "old.yaml", "new.yaml", "--format", format, "--verbose"]);
            for word in ["bundle", "standard", "needs a tombstone"] {
                assert!(!ran.out.contains(word), "{bump} {word}: {}", ran.out);
            }
        }
    }
}

/// A level states why it is lower than usual.
#[test]
fn a_lower_level_has_its_reason() {
    let place = Place::new();
    let write = |version: &str, maximum: &str| {
        let text = without_annotations(&unstamped()).replace("  - name: v1\n", &format!("  - name: {version}\n"));
        place.write("old.yaml", &text);
        place.write("new.yaml", text.replace("maximum: 10\n", &format!("maximum: {maximum}\n")));
    };
    for (version, maximum, options, expected) in [
        ("v1", "5", &[] as &[&str], "major: the maximum"),
        ("v1alpha1", "5", &[], "minor, because v1alpha1 is an alpha version: the maximum"),
        ("v1alpha1", "20", &[], "minor: the maximum"),
        ("v1", "5", &["--version-of=old=v0.3.0"], "minor, because the baseline is below v1.0.0: the maximum"),
        ("v1", "20", &["--version-of=old=v0.3.0"], "patch, because the baseline is below v1.0.0: the maximum"),
    ] {
        write(version, maximum);
        let ran = program(&place, &[&["diff", "old.yaml", "new.yaml", "--profile", "semver"], options].concat());
        assert!(ran.out.contains(&format!("    {expected}")), "{expected}: {}", ran.out);
    }
}

/// Rows: the versions of both sides, and what a removal requires. Only a known version of the baseline is below v1.0.0.
#[test]
fn a_baseline_of_unknown_version_counts_as_v1() {
    let place = Place::new();
    let text = without_annotations(&unstamped());
    let stamped = |text: &str, version: &str| match version {
        "" => text.to_owned(),
        version => {
            let stamp = format!("metadata:\n  annotations: {{example.com/bundle-version: {version}}}\n");
            text.replacen("metadata:\n", &stamp, 1)
        }
    };
    let jar = text.replace("things", "jars").replace("Thing", "Jar");
    let several = stamped(&text, "v0.1.0") + "---\n" + &stamped(&jar, "v0.2.0");
    let of = |version: &str| if version == "several" { several.clone() } else { stamped(&text, version) };
    for (old, new, options, expected) in [
        ("", "v0.1.0", &[] as &[&str], "major"),
        ("main", "v0.9.0-rc.1", &[], "major"),
        ("v0", "v0.2.0", &[], "major"),
        ("monthly-2026.06", "v0.2.0", &[], "major"),
        ("several", "v0.3.0", &[], "major"),
        ("", "", &["--version-of=new=v0.1.0"], "major"),
        ("v1.0.0", "v0.1.0", &[], "major"),
        ("v0.1.0", "", &[], "minor"),
        ("v0.1.0", "v1.0.0", &[], "minor"),
        ("", "v0.2.0", &["--version-of=old=v0.1.0"], "minor"),
    ] {
        place.write("old.yaml", of(old));
        place.write("new.yaml", of(if old == "several" { old } else { new }).replace("maximum: 10\n", "maximum: 5\n"));
        let run = |format: &str| {
            let compared =
                ["diff", "old.yaml", "new.yaml", "--profile", "semver", "--fail-on", "major", "--format", format];
            let ran = program(&place, &[&compared, options].concat());
            assert_eq!(ran.exit == Exit::Fine, expected == "minor", "{old:?} {new:?}: {ran:?}");
            ran.out
        };
        assert!(run("text").contains(&format!(" {expected} release needed, ")), "{old:?} {new:?}");
        let document: Value = serde_json::from_str(&run("json")).unwrap();
        assert_eq!(document["verdict"], expected, "{old:?} {new:?}");
        assert_eq!(
            document["findings"][0]["loweredBy"],
            if expected == "minor" { json!("baseline below v1.0.0") } else { Value::Null }
        );
    }
}

#[test]
fn wrong_words_are_refused() {
    let place = Place::new();
    for (arguments, part) in [
        (["--fail-on", "none"], "[possible values: patch, minor, major]"),
        (["--expect", "refused"], "[possible values: none, patch, minor, major]"),
    ] {
        let ran = place.run(&things(), &[&["diff", "a", "b"], &arguments as &[&str]].concat());
        assert!(ran.exit == Exit::Unusable && ran.err.contains(part), "{ran:?}");
    }
    let ran = place.run(&things(), &["diff", "a", "b", "--fail-on", "major", "--expect", "minor"]);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("cannot be used with"), "{ran:?}");
}

#[test]
fn two_bundles_of_one_version_are_reported() {
    let folder = published(&things());
    let old = fs::read_to_string(folder.path().join("standard").join(THING)).unwrap();
    let warned = |from: &str, to: &str, version: &str| {
        let place = Place::new();
        let old = old.replace("v1.2.0", version);
        place.write("old.yaml", &old);
        place.write("new.yaml", old.replace(from, to));
        let ran = place.run(&things(), &["diff", "old.yaml", "new.yaml"]);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        let json = place.run(&things(), &["diff", "old.yaml", "new.yaml", "--format", "json"]);
        let document: Value = serde_json::from_str(&json.out).unwrap();
        (ran.err, document["warnings"].clone())
    };
    let (text, json) = warned("maximum: 10\n", "maximum: 20\n", "v1.2.0");
    let message = "old.yaml and new.yaml are both stamped v1.2.0, and their CRDs differ";
    let fix = "a released version never changes: stamp the candidate with the next version";
    assert_eq!(text, format!("warning: new.yaml:2: {message}. {fix}\n"));
    let found = ["code", "message", "help", "file", "line"].map(|key| &json[0][key]);
    assert_eq!(json!(found), json!(["bundle::same-version", message, fix, "new.yaml", 2]));
    for (from, to, version) in
        [("a", "a", "v1.2.0"), ("maximum: 10\n", "maximum: 20\n", "v1.2.0-dev"), ("v1.2.0", "v1.3.0", "v1.2.0")]
    {
        assert_eq!(warned(from, to, version), (String::new(), json!([])), "{to} {version}");
    }
}
