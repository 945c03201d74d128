//! `check`: the types against the bundles that lie in `bundles/`, as somebody meets it before a release.
//!
//! Every test makes its own history, from small APIs below: what the types of one of them are is imported as a bundle, and the types of
//! another are checked against it.

use std::fs;

use crate::support::{Place, Ran, assert_untouched};
use crd_channels::typed::Resource;
use crd_channels_cli::{Catalogue, Exit};
use serde_json::{Value, json};

/// The API that the others come from.
mod first {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        ///
        /// +kubebuilder:validation:Maximum=10
        pub size: Option<i32>,
        /// How loud it is.
        ///
        /// +experimental
        pub volume: Option<i32>,
    }
}

/// Another description.
mod reworded {
    use crd_channels::{ObjectMeta, api};

    /// A thing of any kind.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: super::first::ThingSpec,
    }
}

/// The volume came to standard.
mod graduated {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        ///
        /// +kubebuilder:validation:Maximum=10
        pub size: Option<i32>,
        /// How loud it is.
        pub volume: Option<i32>,
    }
}

/// A lower limit, and another word.
mod tightened {
    use crd_channels::{ObjectMeta, api};

    /// A thing of any kind.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        ///
        /// +kubebuilder:validation:Maximum=5
        pub size: Option<i32>,
        /// How loud it is.
        ///
        /// +experimental
        pub volume: Option<i32>,
    }
}

/// A number became a text.
mod retyped {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        pub size: Option<String>,
        /// How loud it is.
        ///
        /// +experimental
        pub volume: Option<i32>,
    }
}

/// A field came to standard at once.
mod hasty {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        ///
        /// +kubebuilder:validation:Maximum=10
        pub size: Option<i32>,
        /// How loud it is.
        ///
        /// +experimental
        pub volume: Option<i32>,
        /// How heavy it is.
        pub weight: Option<i32>,
    }
}

/// Experimental refuses what standard accepts.
mod narrow {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        ///
        /// +standard:kubebuilder:validation:Maximum=10
        /// +experimental:kubebuilder:validation:Maximum=8
        pub size: Option<i32>,
        /// How loud it is.
        ///
        /// +experimental
        pub volume: Option<i32>,
    }
}

/// An API of one type.
fn api<T: Resource>(version: &str) -> Catalogue {
    Catalogue::new("things.example.com", version).resource::<T>()
}

/// Runs `check`, and sees to it that nothing is written.
#[track_caller]
fn check(place: &Place, catalogue: &Catalogue, arguments: &[&str]) -> Ran {
    let before = place.tree();
    let ran = place.run(catalogue, &[&["check"], arguments].concat());
    assert_untouched(&before, &place.tree());
    ran
}

#[track_caller]
fn document(place: &Place, catalogue: &Catalogue, arguments: &[&str]) -> (Exit, Value) {
    let ran = check(place, catalogue, &[arguments, &["--format", "json"]].concat());
    assert_eq!(ran.err, "");
    (ran.exit, serde_json::from_str(&ran.out).unwrap())
}

/// The line of this file, from `after` on, that holds a text.
#[track_caller]
fn line_of(after: &str, text: &str) -> usize {
    let source = include_str!("check.rs");
    let start = source.find(after).unwrap();
    let found = start + source[start..].find(text).unwrap();
    source[..found].matches('\n').count() + 1
}

/// A place with v1.1.0 as its only bundle.
fn place() -> Place {
    let place = Place::new();
    place.publish(&api::<first::Thing>("v1.1.0"));
    place
}

const NO_BASELINE: &str = "import one with `cargo xtask import PATH --version VERSION --channel CHANNEL`\n";

#[test]
fn the_first_bundle_has_no_baseline_and_that_is_no_error() {
    let place = Place::new();
    let ran = check(&place, &api::<first::Thing>("v1.1.0"), &[]);
    assert_eq!(ran.exit, Exit::Fine);
    assert_eq!(ran.out, "the types (v1.1.0) without a baseline, profile gep-922: nothing to report\n");
    let note = "note: there is no baseline: `bundles/` contains no release below v1.1.0, so nothing is compared; ";
    assert_eq!(ran.err, format!("{note}{NO_BASELINE}"));
    // How the types stand is told all the same, and does not count: there is nothing that it could be worse than.
    let ran = check(&place, &api::<narrow::Thing>("v1.1.0"), &[]);
    assert_eq!(ran.exit, Exit::Fine);
    assert!(ran.out.contains("    finding, known: experimental is stricter: `maximum` [containment]\n"), "{}", ran.out);
    assert!(
        ran.out.contains("\nThere is no baseline to compare with: only the bundle itself was judged.\n"),
        "{}",
        ran.out
    );
    let (exit, document) = document(&place, &api::<first::Thing>("v1.1.0"), &[]);
    assert_eq!((exit, &document["baseline"], &document["fits"]), (Exit::Fine, &Value::Null, &json!(true)));
    assert!(document["notes"][0].as_str().unwrap().starts_with("there is no baseline: "), "{document}");
}

#[test]
fn the_baseline_is_the_highest_release_below() {
    let place = Place::new();
    for version in ["v1.0.0", "v1.9.0", "v1.10.0", "v1.10.1-rc.1", "v1.11.0", "v1.12.0-dev"] {
        place.publish(&api::<first::Thing>(version));
    }
    for (next, baseline) in [
        ("v1.9.0", json!("v1.0.0")),
        ("v1.9.1", json!("v1.9.0")),
        ("v1.10.1", json!("v1.10.0")),
        ("v1.10.1-rc.2", json!("v1.10.0")),
        ("v1.11.0", json!("v1.10.0")),
        ("v1.11.1", json!("v1.11.0")),
        ("v1.13.0", json!("v1.11.0")),
        ("v2.0.0", json!("v1.11.0")),
        ("v1.0.0", Value::Null),
        ("v1.0.0-rc.1", Value::Null),
    ] {
        let (exit, document) = document(&place, &api::<first::Thing>(next), &[]);
        assert_eq!((exit, &document["baseline"]["version"]), (Exit::Fine, &baseline), "{next}");
        assert_eq!(document["candidate"], json!({"name": "the types", "version": next}));
    }
    // What lies there otherwise is said.
    let ran = check(&place, &api::<first::Thing>("v1.0.0"), &[]);
    let lines = ran.err.lines().collect::<Vec<_>>();
    let all = "v1.0.0, v1.9.0, v1.10.0, v1.10.1-rc.1, v1.11.0, v1.12.0-dev";
    assert_eq!(
        lines[0],
        format!(
            "note: there is no baseline: `bundles/` contains no release below v1.0.0 (it contains {all}), so nothing is compared"
        )
    );
    assert_eq!(
        lines[1],
        "note: `bundles/` already contains v1.0.0: raise the catalogue's next version if the types are for another bundle"
    );
    let later = all.strip_prefix("v1.0.0, ").unwrap();
    assert_eq!(
        lines[2],
        format!(
            "note: `bundles/` contains {later}, above v1.0.0, the catalogue's next version: names that only later bundles have count as removed"
        )
    );
    assert_eq!(lines.len(), 3);
}

#[test]
fn another_baseline_is_asked_for() {
    let place = place();
    place.publish(&api::<graduated::Thing>("v1.2.0"));
    let graduated = api::<graduated::Thing>("v1.2.1");
    assert_eq!(check(&place, &graduated, &[]).exit, Exit::Fine);
    let (exit, document) = document(&place, &graduated, &["--against", "v1.1.0"]);
    assert_eq!((exit, &document["baseline"]["version"]), (Exit::Fine, &json!("v1.1.0")));
    assert_eq!((&document["verdict"], &document["permitted"]), (&json!("minor"), &json!("minor")));

    place.publish(&api::<graduated::Thing>("v1.2.1-rc.1"));
    for (asked, words) in [
        (
            "v1.0.0",
            "`bundles/` contains no bundle v1.0.0. import it with `cargo xtask import PATH --version VERSION --channel CHANNEL`",
        ),
        (
            "v1.2.1-rc.1",
            "v1.2.1-rc.1 is a pre-release, which is never a baseline. compare with `cargo xtask diff v1.2.1-rc.1 bundles/unreleased`",
        ),
    ] {
        let ran = check(&place, &graduated, &["--against", asked]);
        assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
        assert_eq!(ran.err, format!("error: --against {asked}: {words}\n"));
    }
    let ran = check(&place, &api::<first::Thing>("v1.2.0"), &["--against", "v1.2.0"]);
    let words = "v1.2.0 is not below v1.2.0, the catalogue's next version. choose an earlier release as the baseline";
    assert_eq!((ran.exit, &*ran.err), (Exit::Unusable, &*format!("error: --against v1.2.0: {words}\n")));
    let ran = check(&place, &graduated, &["--against", "1.1"]);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(
        ran.err.contains(
            "invalid value '1.1' for '--against <VERSION>': `1.1` is not a bundle version: it does not begin with `v`"
        ),
        "{}",
        ran.err
    );
}

#[test]
fn a_change_fits_a_version_or_the_version_is_named_that_it_fits() {
    let place = place();
    let fits = |version: &str, permits: &str, needs: &str| {
        format!("\nThis fits {version}: over v1.1.0 that permits {permits} bundle, and {needs} is needed.\n")
    };
    let beyond = |version: &str, permits: &str, needs: &str, smallest: &str| {
        format!(
            "\nThis does not fit {version}: over v1.1.0 that permits {permits} bundle, and {needs} is needed:\n  {smallest} is the smallest version that fits.\n"
        )
    };
    let reworded = api::<reworded::Thing>;
    let (graduated, tightened) = (api::<graduated::Thing>, api::<tightened::Thing>);
    for (catalogue, exit, sentence) in [
        (reworded("v1.1.1"), Exit::Fine, fits("v1.1.1", "a patch", "a patch bundle")),
        (graduated("v1.1.1"), Exit::Findings, beyond("v1.1.1", "a patch", "a minor bundle", "v1.2.0")),
        (graduated("v1.2.0"), Exit::Fine, fits("v1.2.0", "a minor", "a minor bundle")),
        (graduated("v1.2.0-rc.1"), Exit::Fine, fits("v1.2.0-rc.1", "a minor", "a minor bundle")),
        (tightened("v1.2.0"), Exit::Findings, beyond("v1.2.0", "a minor", "a major bundle", "v2.0.0")),
        (tightened("v2.0.0"), Exit::Fine, fits("v2.0.0", "a major", "a major bundle")),
        (api::<retyped::Thing>("v2.0.0"), Exit::Findings, "\nAs it is, this fits no version.\n".to_owned()),
        (
            api::<hasty::Thing>("v2.0.0"),
            Exit::Findings,
            "\nAs it is, this fits no version until it is mended or waived.\n".to_owned(),
        ),
    ] {
        let ran = check(&place, &catalogue, &[]);
        assert_eq!((ran.exit, &*ran.err), (exit, ""), "{}", ran.out);
        assert!(ran.out.contains(&sentence), "{sentence}{}", ran.out);
        assert!(ran.out.contains("\nNothing is waived.\n"), "{}", ran.out);
    }
    let ran = check(&place, &api::<first::Thing>("v1.1.1"), &[]);
    let nothing = "v1.1.0 → the types (v1.1.1), profile gep-922: nothing to report in standard and experimental (2\n  findings, which `--verbose` lists)\n";
    assert_eq!((ran.exit, &*ran.out), (Exit::Fine, nothing));
}

#[test]
fn what_decides_comes_first_with_its_line() {
    let place = place();
    let ran = check(&place, &api::<tightened::Thing>("v1.2.0"), &[]);
    let (line, words) = (line_of("mod tightened", "pub size"), line_of("mod tightened", "pub struct Thing {"));
    let expected = format!(
        "v1.1.0 → the types (v1.2.0), profile gep-922

What decides
things.things.example.com
  standard v1 spec.size
    major: the maximum was tightened: objects that were accepted may be refused when they are
      created or changed [tightened]
      10 → 5
      gen/cli/tests/check.rs:{line}

What else there is
things.things.example.com
  standard v1
    patch: the description was changed [words]
      \"A thing.\" → \"A thing of any kind.\"
      gen/cli/tests/check.rs:{words}
"
    );
    assert!(ran.out.starts_with(&expected), "{expected}{}", ran.out);
    let (_, document) = document(&place, &api::<tightened::Thing>("v1.2.0"), &[]);
    let found = document["findings"].as_array().unwrap();
    let rules = found.iter().map(|found| [&found["decides"], &found["channel"], &found["rule"]]);
    assert_eq!(
        json!(rules.take(4).collect::<Vec<_>>()),
        json!([
            [true, "standard", "tightened"],
            [false, "experimental", "tightened"],
            [false, "standard", "words"],
            [false, "experimental", "words"],
        ])
    );
}

/// Each format says the same, and is what it is called.
#[test]
fn every_format_is_what_it_is_called() {
    let place = place();
    let tightened = api::<tightened::Thing>("v1.2.0");
    let (size, thing) = (line_of("mod tightened", "pub size"), line_of("mod tightened", "pub struct Thing {"));
    let ran = check(&place, &tightened, &["--format", "github"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Findings, ""));
    let told = "the maximum was tightened: objects that were accepted may be refused when they are created or changed (10 → 5).";
    let file = "file=gen/cli/tests/check.rs";
    let lines = ran.out.lines().collect::<Vec<_>>();
    assert_eq!(
        lines[0],
        format!(
            "::error {file},line={size},title=tightened%3A things.things.example.com::standard v1 spec.size: major: {told}"
        )
    );
    assert_eq!(
        lines[1],
        format!(
            "::notice {file},line={size},title=tightened%3A things.things.example.com::experimental v1 spec.size: minor: {told}"
        )
    );
    assert!(lines[2].starts_with(&format!("::notice {file},line={thing},title=words%3A ")), "{}", ran.out);

    let (exit, json) = document(&place, &tightened, &[]);
    assert_eq!(
        (exit, &json["schemaVersion"], &json["verdict"], &json["needed"]),
        (Exit::Findings, &json!(1), &json!("major"), &json!("v2.0.0"))
    );
    assert_eq!((&json["fits"], &json["errors"]), (&json!(false), &json!([])));
    assert_eq!(json["findings"][0]["source"], json!({"file": "gen/cli/tests/check.rs", "line": size}));
    assert_eq!([&json["findings"][0]["before"], &json["findings"][0]["after"]], [&json!(10), &json!(5)]);

    let ran = check(&place, &tightened, &["--format", "sarif"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Findings, ""));
    let sarif: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("tightened"), &json!("error")));
    let place_of = &result["locations"][0]["physicalLocation"];
    assert_eq!(place_of["artifactLocation"]["uri"], "gen/cli/tests/check.rs");
    assert_eq!(place_of["region"]["startLine"], json!(size));

    let ran = check(&place, &tightened, &["--format", "html"]);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(ran.err.contains("[possible values: text, json, github, sarif]"), "{}", ran.err);
    let brief = check(&place, &tightened, &[]).out;
    let whole = check(&place, &tightened, &["--verbose"]).out;
    assert!(!brief.contains("[stamps]") && whole.contains("[stamps]"), "{whole}");
}

#[test]
fn the_profile_is_another_column_of_the_policy() {
    let place = place();
    for (profile, verdict, exit) in [("gep-922", "major", Exit::Findings), ("api-guide", "minor", Exit::Fine)] {
        let (ended, document) = document(&place, &api::<tightened::Thing>("v1.2.0"), &["--profile", profile]);
        assert_eq!((ended, &document["profile"], &document["verdict"]), (exit, &json!(profile), &json!(verdict)));
    }
    let graduated = api::<graduated::Thing>("v1.1.1");
    assert_eq!(check(&place, &graduated, &[]).exit, Exit::Findings);
    let ran = check(&place, &graduated, &["--profile", "api-guide"]);
    assert_eq!(ran.exit, Exit::Fine);
    assert!(ran.out.starts_with("v1.1.0 → the types (v1.1.1), profile api-guide\n"), "{}", ran.out);
    let ran = check(&place, &graduated, &["--profile", "semver"]);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(ran.err.contains("[possible values: gep-922, api-guide]"), "{}", ran.err);
}

#[test]
fn what_experimental_refuses_counts_unless_the_baseline_has_it() {
    let place = place();
    let ran = check(&place, &api::<narrow::Thing>("v1.2.0"), &[]);
    assert_eq!(ran.exit, Exit::Findings);
    let line = line_of("mod narrow", "pub size");
    let expected = format!(
        "What decides
things.things.example.com
  standard v1 spec.size
    finding: experimental is stricter: `maximum` [containment]
      fix: Let experimental accept what standard accepts, or restrict standard to what experimental
        accepts.
      gen/cli/tests/check.rs:{line}
"
    );
    assert!(ran.out.contains(&expected), "{}", ran.out);
    assert!(
        ran.out.contains(
            "standard: fits no bundle until this is mended or waived: 1 location where standard exceeds\n  experimental.\n"
        ),
        "{}",
        ran.out
    );

    place.publish(&api::<narrow::Thing>("v1.2.0"));
    // Told to who asks for it: it was decided on when it came, and nobody reads every time what cannot be changed.
    let ran = check(&place, &api::<narrow::Thing>("v1.2.1"), &[]);
    assert_eq!((ran.exit, ran.out.matches("containment").count()), (Exit::Fine, 0), "{}", ran.out);
    let ran = check(&place, &api::<narrow::Thing>("v1.2.1"), &["--verbose"]);
    assert_eq!(ran.exit, Exit::Fine);
    assert!(ran.out.contains("    finding, known: experimental is stricter: `maximum` [containment]\n"), "{}", ran.out);
    assert!(ran.out.contains("1 known finding is not counted, since the baseline has\n  it."), "{}", ran.out);
}

/// A waiver for the field that came to standard at once.
const WAIVER: &str = "\
- rule: name-added
  crd: things.things.example.com
  path: spec.weight
  channel: standard
  bundle: v1.2.0
  to: minor
  reason: It was forgotten in v1.1.0.
";

#[track_caller]
fn waived(place: &Place, waivers: &str, catalogue: &Catalogue) -> Ran {
    place.write("bundles/waivers.yaml", format!("# What may pass.\nwaivers:\n{waivers}"));
    let ran = check(place, catalogue, &[]);
    assert_eq!(ran.err, "");
    ran
}

#[test]
fn a_waiver_lets_a_finding_through_and_says_so() {
    let place = place();
    let hasty = api::<hasty::Thing>("v1.2.0");
    assert_eq!(check(&place, &hasty, &[]).exit, Exit::Findings);
    let ran = waived(&place, WAIVER, &hasty);
    assert_eq!(ran.exit, Exit::Fine, "{}", ran.out);
    for part in [
        "    finding, waived to minor: the field was added, and experimental does not have it: every name\n      starts in experimental [name-added]\n      waived: It was forgotten in v1.1.0.\n",
        "\nThis fits v1.2.0: over v1.1.0 that permits a minor bundle, and a minor bundle is needed.\n1 finding is waived; without waivers this would fit no version.\n",
    ] {
        assert!(ran.out.contains(part), "{part}{}", ran.out);
    }
    let (_, document) = document(&place, &hasty, &[]);
    assert_eq!([&document["verdict"], &document["verdictWithoutWaivers"]], ["minor", "finding"]);
    let waived = document["findings"].as_array().unwrap().iter().filter(|found| found["waived"].is_object());
    let waived = waived.map(|found| (&found["channel"], &found["waived"])).collect::<Vec<_>>();
    assert_eq!(waived, [(&json!("standard"), &json!({"to": "minor", "reason": "It was forgotten in v1.1.0."}))]);
    let ran = check(&place, &hasty, &["--format", "github"]);
    assert!(
        ran.out.starts_with("::warning file=gen/cli/tests/check.rs,")
            && ran.out.contains("Waived: It was forgotten in v1.1.0."),
        "{}",
        ran.out
    );

    // Without a channel it holds in both; with a star, for everything that begins so.
    let wide =
        WAIVER.replace("  channel: standard\n", "").replace("spec.weight", "spec.w*").replace("to: minor", "to: patch");
    assert_eq!(waived_exit(&place, &wide, "v1.2.0"), Exit::Fine);
    // A patch release needs a waiver of its own for both channels.
    let patch = wide.replace("v1.2.0", "v1.1.1");
    assert_eq!(waived_exit(&place, &patch, "v1.1.1"), Exit::Fine);
    // What it lowers to must still fit the version.
    let major = WAIVER.replace("to: minor", "to: major");
    assert_eq!(waived_exit(&place, &major, "v1.2.0"), Exit::Findings);
}

#[track_caller]
fn waived_exit(place: &Place, waivers: &str, version: &str) -> Exit {
    let ran = waived(place, waivers, &api::<hasty::Thing>(version));
    assert!(!ran.out.contains("What is wrong beside"), "{}", ran.out);
    ran.exit
}

#[test]
fn waivers_that_match_nothing_or_are_for_another_bundle_are_wrong() {
    let place = place();
    let hasty = api::<hasty::Thing>("v1.2.0");
    let misspelt = WAIVER.replace("spec.weight", "spec.wait");
    let expired = WAIVER.replace("v1.2.0", "v1.1.1");
    let ran = waived(&place, &format!("{WAIVER}{misspelt}{expired}"), &hasty);
    assert_eq!(ran.exit, Exit::Findings);
    let expected = "
What is wrong beside
  things.things.example.com spec.wait
    error: the waiver matches nothing: there is no such finding of `name-added` [waiver-unused]
      fix: Remove it, or correct it: the rule's findings are at `spec.weight` of
        things.things.example.com (experimental), `spec.weight` of things.things.example.com
        (standard).
      bundles/waivers.yaml:10
  things.things.example.com spec.weight
    error: the waiver is for the bundle v1.1.1, and the candidate is v1.2.0 [waiver-expired]
      fix: Remove it, or give it the version of this bundle and a reason that holds for it.
      bundles/waivers.yaml:17

Summary
";
    assert!(ran.out.contains(expected), "{}", ran.out);
    assert!(ran.out.contains("Apart from what is wrong beside, this fits v1.2.0: "), "{}", ran.out);
    assert!(
        ran.out.contains("To be mended in any case: 1 waiver is for another bundle, 1 waiver matches nothing.\n"),
        "{}",
        ran.out
    );
    // In annotations they stand at their lines.
    let ran = check(&place, &hasty, &["--format", "github"]);
    assert!(
        ran.out.starts_with(
            "::error file=bundles/waivers.yaml,line=10,title=waiver-unused%3A things.things.example.com::spec.wait: "
        ),
        "{}",
        ran.out
    );
}

#[test]
fn no_waiver_lowers_a_refusal_or_raises_anything() {
    let place = place();
    let refused = "- {rule: type-changed, crd: things.things.example.com, path: spec.size, bundle: v2.0.0, to: minor, reason: why not}\n";
    let ran = waived(&place, refused, &api::<retyped::Thing>("v2.0.0"));
    assert_eq!(ran.exit, Exit::Findings);
    let expected = "    error: the waiver is for a refusal of `type-changed`, which nothing lowers [waiver-powerless]\n      fix: Remove it, and mend what is refused.\n      bundles/waivers.yaml:3\n";
    assert!(ran.out.contains(expected), "{}", ran.out);
    assert!(ran.out.contains("\nNothing is waived.\n"), "{}", ran.out);
    let raised = "- {rule: graduated, crd: things.things.example.com, path: spec.volume, bundle: v1.2.0, to: major, reason: why not}\n";
    let ran = waived(&place, raised, &api::<graduated::Thing>("v1.2.0"));
    assert_eq!(ran.exit, Exit::Findings);
    let expected = "    error: the waiver lowers nothing: `graduated` asks for no more than major here [waiver-raises]\n      fix: Remove it.\n";
    assert!(ran.out.contains(expected), "{}", ran.out);
}

#[test]
fn malformed_waivers_are_told_by_line_and_waive_nothing() {
    let place = place();
    let hasty = api::<hasty::Thing>("v1.2.0");
    let bad = "\
- rule: tightend
  crd: things.things.example.com
  bundle: 1.2
  to: refused
  reason: ' '
  pth: spec
- name-added
- rule: name-added
  channel: beta
  bundle: v1.2
  to: minor
  reason: none
";
    let ran = waived(&place, &format!("{WAIVER}{bad}{WAIVER}"), &hasty);
    assert_eq!(ran.exit, Exit::Findings);
    let expected = "
What is wrong beside
    error: unknown rule `tightend`; did you mean `tightened`? [waiver-malformed]
      bundles/waivers.yaml:10
    error: `bundle` must be a text: put 1.2 into quotes [waiver-malformed]
      bundles/waivers.yaml:12
    error: a finding cannot be lowered to `refused`: the values are none, patch, minor, major
      [waiver-malformed]
      bundles/waivers.yaml:13
    error: the reason is empty: write why the finding is accepted [waiver-malformed]
      bundles/waivers.yaml:14
    error: unknown key `pth` of an entry: did you mean `path`? [waiver-malformed]
      bundles/waivers.yaml:15
    error: an entry must have keys, such as `reason: …` [waiver-malformed]
      bundles/waivers.yaml:16
    error: the entry has no `crd` [waiver-malformed]
      bundles/waivers.yaml:17
    error: unknown channel `beta`: the channels are standard, experimental [waiver-malformed]
      bundles/waivers.yaml:18
    error: `v1.2` is not a bundle version: write one such as v1.4.1 [waiver-malformed]
      bundles/waivers.yaml:19
    error: the same waiver is at line 3 [waiver-malformed]
      bundles/waivers.yaml:22

Summary
";
    assert!(ran.out.contains(expected), "{}", ran.out);
    // The sound one holds.
    assert!(ran.out.contains("      waived: It was forgotten in v1.1.0.\n"), "{}", ran.out);
    assert!(ran.out.contains("To be mended in any case: 10 mistakes in the waivers.\n"), "{}", ran.out);

    for (text, message, line) in [
        ("waivers: [\n", "this is not YAML: unclosed bracket", 1),
        ("waiver:\n- rule: words\n", "unknown key `waiver`: only `waivers` is read", 1),
        ("waivers:\n  rule: words\n", "`waivers` must be a list", 1),
        ("- rule: words\n", "the file must start with `waivers:` and contain a list", 1),
        ("waivers: []\n---\nwaivers: []\n", "the file has more than one document: put all entries into the first", 3),
        ("waivers: []\nwaivers: []\n", "the key \"waivers\" is already in this map, in line 1: remove one", 2),
    ] {
        place.write("bundles/waivers.yaml", text);
        let ran = check(&place, &hasty, &["--format", "github"]);
        assert_eq!(ran.exit, Exit::Findings);
        let expected = format!("::error file=bundles/waivers.yaml,line={line},title=waiver-malformed::{message}");
        assert!(ran.out.starts_with(&expected), "{expected}\n{}", ran.out);
    }
    for text in ["", "# none\n", "waivers:\n", "waivers: []\n"] {
        place.write("bundles/waivers.yaml", text);
        let ran = check(&place, &api::<first::Thing>("v1.2.0"), &[]);
        assert_eq!(ran.exit, Exit::Fine, "{text:?}: {}", ran.out);
    }
}

#[test]
fn types_and_history_are_both_told_when_both_are_wrong() {
    let place = place();
    let ran = check(&place, &api::<first::Thing>("1.2"), &[]);
    let message = "the catalogue's next version: `1.2` is not a bundle version: it does not begin with `v`. Write vMAJOR.MINOR.PATCH, such as v1.6.1, or a pre-release such as v1.7.0-rc.1";
    assert_eq!((ran.exit, &*ran.out, &*ran.err), (Exit::Unusable, "", &*format!("error: {message}\n")));
    let (exit, document) = document(&place, &api::<first::Thing>("1.2"), &[]);
    assert_eq!(
        (exit, &document["errors"][0]["message"], &document["fits"]),
        (Exit::Unusable, &json!(message), &json!(false))
    );

    place.write("bundles/tombstones.yaml", "tombstones:\n- kind: field\n");
    let ran = check(&place, &api::<first::Thing>("v1.2.0").resource::<tightened::Thing>(), &[]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    let lines = ran.err.lines().collect::<Vec<_>>();
    assert!(
        lines[0].starts_with("error: gen/cli/tests/check.rs:")
            && lines[0].contains("each type is one version of one kind"),
        "{}",
        ran.err
    );
    assert_eq!(
        lines[1..],
        [
            "error: bundles/tombstones.yaml:2: a field needs a `name`",
            "error: bundles/tombstones.yaml:2: the entry has no `crd`",
            "error: bundles/tombstones.yaml:2: the entry has no `reason`",
            "error: bundles/tombstones.yaml:2: the entry has no `removed`",
        ]
    );
}

#[test]
fn a_committed_bundle_is_never_altered() {
    let place = place();
    let thing = "bundles/v1.1.0/standard/things.example.com_things.yaml";
    let (text, manifest) = (place.read(thing), place.read("bundles/v1.1.0/bundle.yaml"));
    let next = api::<first::Thing>("v1.1.1");
    let told = |expected: &[String]| {
        let ran = check(&place, &next, &[]);
        assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
        assert_eq!(ran.err.lines().collect::<Vec<_>>(), expected);
    };
    place.write(thing, text.replace("maximum: 10", "maximum: 9"));
    let restore = format!("a committed bundle never changes. restore it: `git checkout -- {thing}`");
    told(&[format!("error: {thing}: does not have the checksum that bundle.yaml lists; {restore}")]);
    // Even if it is no CRD any more.
    place.write(thing, "a: [");
    told(&[format!("error: {thing}: does not have the checksum that bundle.yaml lists; {restore}")]);
    fs::remove_file(place.path().join(thing)).unwrap();
    told(&[format!("error: {thing}: is missing, and bundle.yaml lists it; {restore}")]);
    place.write(thing, &text);
    let more = "bundles/v1.1.0/standard/more.yaml";
    place.write(more, text.replace("things", "others"));
    told(&[format!(
        "error: {more}: is not listed in bundle.yaml; a committed bundle never changes. move the file away"
    )]);
    fs::remove_file(place.path().join(more)).unwrap();
    let file = "bundles/v1.1.0/bundle.yaml";
    place.write(file, manifest.replace("version: v1.1.0", "version: v1.0.0"));
    told(&[format!(
        "error: {file}: contains the version v1.0.0, and its folder is named v1.1.0. restore the one that was changed"
    )]);
    place.write(file, manifest.replace("imported:", "improted:"));
    let ran = check(&place, &next, &[]);
    assert!(
        ran.err.starts_with("error: bundles/v1.1.0/bundle.yaml:") && ran.err.contains("improted: this is not a key"),
        "{}",
        ran.err
    );
    // Without a manifest it counts, and nobody can tell.
    fs::remove_file(place.path().join(file)).unwrap();
    let ran = check(&place, &next, &[]);
    let note = "note: changes of v1.1.0 cannot be detected: `bundle.yaml` is missing, which `import` writes\n";
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, note));
    place.write(file, manifest);
    assert_eq!(check(&place, &next, &[]).err, "");
}

#[test]
fn a_folder_that_is_nearly_a_bundle_is_not_passed_over() {
    let place = place();
    let next = api::<first::Thing>("v1.1.1");
    for name in ["unreleased/standard", "notes", ".cache", "latest"] {
        fs::create_dir_all(place.path().join("bundles").join(name)).unwrap();
    }
    place.write("bundles/README.md", "Our bundles.\n");
    assert_eq!(check(&place, &next, &[]).exit, Exit::Fine);
    for (name, reason) in [
        ("1.0.0", "it does not begin with `v`"),
        ("v1.0", "unexpected end of input while parsing minor version number"),
    ] {
        let folder = place.path().join("bundles").join(name);
        fs::create_dir(&folder).unwrap();
        let ran = check(&place, &next, &[]);
        assert_eq!(
            (ran.exit, &*ran.err),
            (
                Exit::Unusable,
                &*format!(
                    "error: bundles/{name}: is not the name of a bundle: `{name}` is not a bundle version: {reason}. Write vMAJOR.MINOR.PATCH, such as v1.6.1, or a pre-release such as v1.7.0-rc.1. rename the folder, or move it away from `bundles`\n"
                )
            )
        );
        fs::remove_dir(folder).unwrap();
    }
    // A bundle without anything in it is none.
    fs::create_dir(place.path().join("bundles/v1.0.0")).unwrap();
    let ran = check(&place, &next, &[]);
    assert_eq!(
        (ran.exit, &*ran.err),
        (
            Exit::Unusable,
            "error: bundles/v1.0.0: no CustomResourceDefinition is in it; there is no file to read. Name a folder, file or archive that holds CRDs as YAML or JSON\n"
        )
    );
}

#[test]
fn the_help_says_how_waivers_are_written() {
    let ran = check(&Place::new(), &api::<first::Thing>("v1.2.0"), &["--help"]);
    assert_eq!(ran.exit, Exit::Fine);
    let example = ran.out.split_once("  waivers:\n").unwrap().1;
    let example = example
        .lines()
        .take_while(|line| line.starts_with("  "))
        .map(|line| format!("{}\n", &line[2..]))
        .collect::<String>();
    let place = place();
    let ran = waived(&place, &example, &api::<first::Thing>("v1.2.0"));
    // It is for another bundle, and well-formed.
    assert!(ran.out.contains("[waiver-expired]") && !ran.out.contains("[waiver-malformed]"), "{example}{}", ran.out);
}
