//! `diff` as a gate for any project: what the user permits, bundles without versions, and two bundles of one version.

use std::fs;

use crate::support::{Place, Ran, THING, published, things};
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
        ("major", "-xxxxxx-"),
        ("refused", "xxxxxxxx"),
    ] {
        let found = options.map(|options| {
            let ran = diff(bump, &[options, &["--format", "json"]].concat());
            let document: Value = serde_json::from_str(&ran.out).unwrap();
            assert_eq!(document["verdict"], json!(bump), "{document}");
            assert_eq!(document["fits"], json!(ran.exit == Exit::Fine));
            let limit = (!options.is_empty()).then(|| options.join(" "));
            assert_eq!(document["limit"], json!(limit));
            if ran.exit == Exit::Fine { '-' } else { 'x' }
        });
        assert_eq!(found.iter().collect::<String>(), expected, "{bump}");
    }
}

#[test]
fn the_text_names_the_bump_and_the_option() {
    for (bump, arguments, sentence) in [
        ("major", &[] as &[&str], "This needs a major bundle."),
        ("major", &["--fail-on", "major"], "This needs a major bundle. `--fail-on major` does not permit it."),
        ("minor", &["--fail-on", "major"], "This needs a minor bundle. `--fail-on major` permits it."),
        ("minor", &["--expect", "patch"], "This needs a minor bundle. `--expect patch` does not permit it."),
        ("refused", &["--expect", "major"], "As it is, this fits no version."),
    ] {
        let ran = diff(bump, arguments);
        assert!(ran.out.ends_with(&format!("\n{sentence}\n")), "{sentence}: {}", ran.out);
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
    assert!(
        ran.out.contains("This needs a major bundle: v2.0.0 or later. `--fail-on major` does not permit it."),
        "{ran:?}"
    );
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
    assert_eq!(
        json,
        json!([{"code": "bundle::same-version", "message": message, "fix": fix, "source": {"file": "new.yaml", "line": 2}}])
    );
    for (from, to, version) in
        [("a", "a", "v1.2.0"), ("maximum: 10\n", "maximum: 20\n", "v1.2.0-dev"), ("v1.2.0", "v1.3.0", "v1.2.0")]
    {
        assert_eq!(warned(from, to, version), (String::new(), json!([])), "{to} {version}");
    }
}
