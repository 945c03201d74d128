//! `check`: the types against the bundles in `bundles/`.
//!
//! Each test makes its own history from small APIs: it imports the types of one API as a bundle, and checks the types of another API.

use std::fs;

use crate::support::{Place, Ran, api, good, graduated, hasty, line_of, narrow, retyped, reworded, tightened};
use crd_channels_cli::{Catalogue, Exit};
use serde_json::{Value, json};

/// The file of the types, and its text.
const APIS: &str = "gen/cli/tests/support/apis.rs";
const APIS_TEXT: &str = include_str!("support/apis.rs");

/// Runs `check`, which writes nothing.
#[track_caller]
fn check(place: &Place, catalogue: &Catalogue, arguments: &[&str]) -> Ran {
    place.run_unchanged(catalogue, &[&["check"], arguments].concat())
}

#[track_caller]
fn document(place: &Place, catalogue: &Catalogue, arguments: &[&str]) -> (Exit, Value) {
    let ran = check(place, catalogue, &[arguments, &["--format", "json"]].concat());
    assert_eq!(ran.err, "");
    (ran.exit, serde_json::from_str(&ran.out).unwrap())
}

/// A place with v1.1.0 as its only bundle.
fn place() -> Place {
    let place = Place::new();
    place.publish(&api::<good::Thing>("v1.1.0"));
    place
}

const NO_BASELINE: &str = "import one with `cargo xtask import PATH --version VERSION --channel CHANNEL`\n";

#[test]
fn a_first_bundle_without_a_baseline_is_not_an_error() {
    let place = Place::new();
    let ran = check(&place, &api::<good::Thing>("v1.1.0"), &[]);
    assert_eq!(ran.exit, Exit::Fine);
    assert_eq!(ran.out, "the types (v1.1.0) without a baseline, profile gep-922: nothing to report\n");
    let note = "note: there is no baseline: `bundles/` contains no release below v1.1.0, so nothing is compared; ";
    assert_eq!(ran.err, format!("{note}{NO_BASELINE}"));
    // Findings about the types alone are printed, and do not count without a baseline.
    let ran = check(&place, &api::<narrow::Thing>("v1.1.0"), &[]);
    assert_eq!(ran.exit, Exit::Fine);
    assert!(ran.out.contains("    blocked, known: experimental is stricter: `maximum` [containment]\n"), "{}", ran.out);
    assert!(
        ran.out.contains("\nThere is no baseline to compare with: only the bundle itself was checked.\n"),
        "{}",
        ran.out
    );
    let (exit, document) = document(&place, &api::<good::Thing>("v1.1.0"), &[]);
    assert_eq!((exit, &document["baseline"], &document["fits"]), (Exit::Fine, &Value::Null, &json!(true)));
    assert!(document["notes"][0].as_str().unwrap().starts_with("there is no baseline: "), "{document}");
}

#[test]
fn the_baseline_is_the_highest_release_below() {
    let place = Place::new();
    for version in ["v1.0.0", "v1.9.0", "v1.10.0", "v1.10.1-rc.1", "v1.11.0", "v1.12.0-dev"] {
        place.publish(&api::<good::Thing>(version));
    }
    for (next, baseline) in [
        ("v1.9.0", json!("v1.9.0")),
        ("v1.9.1", json!("v1.9.0")),
        ("v1.10.1", json!("v1.10.0")),
        ("v1.10.1-rc.2", json!("v1.10.0")),
        ("v1.11.0", json!("v1.11.0")),
        ("v1.11.1", json!("v1.11.0")),
        ("v1.13.0", json!("v1.11.0")),
        ("v2.0.0", json!("v1.11.0")),
        // A version that was skipped.
        ("v1.8.0", json!("v1.11.0")),
        ("v1.0.0", json!("v1.0.0")),
        ("v1.0.0-rc.1", json!("v1.0.0")),
    ] {
        let (exit, document) = document(&place, &api::<good::Thing>(next), &[]);
        assert_eq!((exit, &document["baseline"]["version"]), (Exit::Fine, &baseline), "{next}");
        assert_eq!(document["candidate"], json!({"name": "the types", "version": next}));
    }
    // Notes name the other bundles.
    let ran = check(&place, &api::<good::Thing>("v1.0.0"), &[]);
    let later = "v1.9.0, v1.10.0, v1.10.1-rc.1, v1.11.0, v1.12.0-dev";
    assert_eq!(
        ran.err,
        format!(
            "note: `bundles/` contains {later}, above v1.0.0, the next version: names that only later bundles have count as removed\n"
        )
    );
}

/// The findings come first, then the error that the version is released.
#[test]
fn types_of_a_released_version_are_compared_with_its_release() {
    let place = Place::new();
    place.publish(&api::<good::Thing>("v1.0.0"));
    place.publish(&api::<tightened::Thing>("v2.0.0"));
    // For the changes of the release itself.
    let waiver =
        "{rule: tightened, crd: things.things.example.com, path: spec.size, bundle: v2.0.0, to: minor, reason: a bug}";
    place.write("bundles/waivers.yaml", format!("waivers:\n- {waiver}\n"));
    let ran = check(&place, &api::<tightened::Thing>("v2.0.0"), &[]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert!(ran.out.starts_with("v2.0.0 → the types (v2.0.0), profile gep-922: nothing to report"), "{ran:?}");
    assert_eq!(ran.err, "");
    for (types, rule, fits) in [
        (api::<good::Thing>("v2.0.0"), "loosened", "`crd-channels.yaml`: v2.1.0 is the smallest that fits."),
        (api::<good::Thing>("v2.0.0-rc.1"), "loosened", "`crd-channels.yaml`: v2.1.0 is the smallest that fits."),
        (api::<retyped::Thing>("v2.0.0"), "type-changed", "`crd-channels.yaml`; as the types are, none fits."),
    ] {
        let ran = check(&place, &types, &[]);
        assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
        let at = |part: &str| ran.out.find(part).unwrap_or_else(|| panic!("{part}: {}", ran.out));
        assert!(at(&format!("[{rule}]")) < at("v2.0.0 is released, and the types have changed since then"), "{ran:?}");
        let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(fits), "{ran:?}");
        assert!(!ran.err.contains("baseline"), "{ran:?}");
    }
}

#[test]
fn the_baseline_can_be_chosen() {
    let place = place();
    place.publish(&api::<graduated::Thing>("v1.2.0"));
    let graduated = api::<graduated::Thing>("v1.2.1");
    assert_eq!(check(&place, &graduated, &[]).exit, Exit::Fine);
    let (exit, document) = document(&place, &graduated, &["--against", "v1.1.0"]);
    assert_eq!((exit, &document["baseline"]["version"]), (Exit::Fine, &json!("v1.1.0")));
    assert_eq!((&document["verdict"], &document["permitted"]), (&json!("minor"), &json!("minor")));

    place.publish(&api::<graduated::Thing>("v1.2.1-rc.1"));
    for (version, words) in [
        (
            "v1.0.0",
            "`bundles/` contains no bundle v1.0.0. import it with `cargo xtask import PATH --version VERSION --channel CHANNEL`",
        ),
        (
            "v1.2.1-rc.1",
            "v1.2.1-rc.1 is a pre-release, which is never a baseline. compare with `cargo xtask diff v1.2.1-rc.1 bundles/unreleased`",
        ),
    ] {
        let ran = check(&place, &graduated, &["--against", version]);
        assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
        assert_eq!(ran.err, format!("error: --against {version}: {words}\n"));
    }
    let ran = check(&place, &api::<good::Thing>("v1.1.0"), &["--against", "v1.2.0"]);
    let words = "v1.2.0 is above v1.1.0, the next version. choose an earlier release as the baseline";
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

/// The workflow that `init` writes, without examples.
#[test]
fn the_workflow_is_red_for_a_breaking_change_and_green_for_a_compatible_one() {
    let workflow = include_str!("../../../templates/init/ci.yml");
    let commands = workflow
        .lines()
        .filter_map(|line| line.split_once("cargo xtask ").filter(|(before, _)| before.ends_with("run: ")));
    let commands = commands.map(|(_, command)| command.split(' ').collect::<Vec<_>>()).collect::<Vec<_>>();
    assert_eq!(commands.len(), 2, "{commands:?}");
    for (catalogue, passes) in [
        (api::<graduated::Thing>("v1.2.0"), true),
        (api::<tightened::Thing>("v1.2.0"), false),
        (api::<retyped::Thing>("v2.0.0"), false),
    ] {
        let place = place();
        assert_eq!(place.run(&catalogue, &["generate"]).exit, Exit::Fine);
        let ran = commands.iter().map(|command| place.run(&catalogue, command)).collect::<Vec<_>>();
        assert_eq!(ran.iter().all(|ran| ran.exit == Exit::Fine), passes, "{ran:?}");
    }
}

#[test]
fn the_smallest_version_that_fits_is_named() {
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
            "\nAs it is, this fits no version until it is fixed or waived.\n".to_owned(),
        ),
    ] {
        let ran = check(&place, &catalogue, &[]);
        assert_eq!((ran.exit, &*ran.err), (exit, ""), "{}", ran.out);
        assert!(ran.out.contains(&sentence), "{sentence}{}", ran.out);
        assert!(ran.out.contains("\nNothing is waived.\n"), "{}", ran.out);
    }
    let ran = check(&place, &api::<good::Thing>("v1.1.1"), &[]);
    let nothing = "v1.1.0 → the types (v1.1.1), profile gep-922: nothing to report in standard and experimental (2\n  findings, which `--verbose` lists)\n";
    assert_eq!((ran.exit, &*ran.out), (Exit::Fine, nothing));
}

#[test]
fn the_finding_that_decides_comes_first_with_its_line() {
    let place = place();
    let ran = check(&place, &api::<tightened::Thing>("v1.2.0"), &[]);
    let (line, words) =
        (line_of(APIS_TEXT, "mod tightened", "pub size"), line_of(APIS_TEXT, "mod tightened", "Thing, "));
    let expected = format!(
        "v1.1.0 → the types (v1.2.0), profile gep-922

Deciding findings
things.things.example.com
  standard v1 spec.size
    major: the maximum was tightened: objects that were accepted may be refused when they are
      created or changed [tightened]
      10 → 5
      {APIS}:{line}

Other findings
things.things.example.com
  standard v1
    patch: the description was changed [words]
      \"A thing.\" → \"A thing of any kind.\"
      {APIS}:{words}
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

#[test]
fn each_format_contains_the_same_findings() {
    let place = place();
    let tightened = api::<tightened::Thing>("v1.2.0");
    let (size, thing) =
        (line_of(APIS_TEXT, "mod tightened", "pub size"), line_of(APIS_TEXT, "mod tightened", "Thing, "));
    let ran = check(&place, &tightened, &["--format", "github"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Findings, ""));
    let message = "the maximum was tightened: objects that were accepted may be refused when they are created or changed (10 → 5).";
    let file = format!("file={APIS}");
    let lines = ran.out.lines().collect::<Vec<_>>();
    assert_eq!(
        lines[0],
        format!(
            "::error {file},line={size},title=tightened%3A things.things.example.com::standard v1 spec.size: major: {message}"
        )
    );
    assert_eq!(
        lines[1],
        format!(
            "::notice {file},line={size},title=tightened%3A things.things.example.com::experimental v1 spec.size: minor: {message}"
        )
    );
    assert!(lines[2].starts_with(&format!("::notice {file},line={thing},title=words%3A ")), "{}", ran.out);

    let (exit, json) = document(&place, &tightened, &[]);
    assert_eq!(
        (exit, &json["schemaVersion"], &json["verdict"], &json["needed"]),
        (Exit::Findings, &json!(1), &json!("major"), &json!("v2.0.0"))
    );
    assert_eq!((&json["fits"], &json["errors"]), (&json!(false), &json!([])));
    assert_eq!(json["findings"][0]["source"], json!({"file": APIS, "line": size}));
    assert_eq!([&json["findings"][0]["before"], &json["findings"][0]["after"]], [&json!(10), &json!(5)]);

    let ran = check(&place, &tightened, &["--format", "sarif"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Findings, ""));
    let sarif: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("tightened"), &json!("error")));
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], APIS);
    assert_eq!(location["region"]["startLine"], json!(size));

    let ran = check(&place, &tightened, &["--format", "html"]);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(ran.err.contains("[possible values: text, json, github, sarif]"), "{}", ran.err);
    let brief = check(&place, &tightened, &[]).out;
    let whole = check(&place, &tightened, &["--verbose"]).out;
    assert!(!brief.contains("[stamps]") && whole.contains("[stamps]"), "{whole}");
}

#[test]
fn a_profile_selects_another_column_of_the_policy() {
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
    let ran = check(&place, &graduated, &["--profile", "gep"]);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(ran.err.contains("[possible values: gep-922, api-guide, semver]"), "{}", ran.err);
}

#[test]
fn a_stricter_experimental_channel_counts_unless_the_baseline_has_it() {
    let place = place();
    let ran = check(&place, &api::<narrow::Thing>("v1.2.0"), &[]);
    assert_eq!(ran.exit, Exit::Findings);
    let line = line_of(APIS_TEXT, "mod narrow", "pub size");
    let expected = format!(
        "Deciding findings
things.things.example.com
  standard v1 spec.size
    blocked: experimental is stricter: `maximum` [containment]
      fix: Let experimental accept what standard accepts, or restrict standard to what experimental
        accepts.
      {APIS}:{line}
"
    );
    assert!(ran.out.contains(&expected), "{}", ran.out);
    assert!(
        ran.out.contains(
            "standard: fits no bundle until this is fixed or waived: 1 location where standard exceeds\n  experimental.\n"
        ),
        "{}",
        ran.out
    );

    place.publish(&api::<narrow::Thing>("v1.2.0"));
    // Only with `--verbose`: the finding was accepted in v1.2.0, and cannot be changed any more.
    let ran = check(&place, &api::<narrow::Thing>("v1.2.1"), &[]);
    assert_eq!((ran.exit, ran.out.matches("containment").count()), (Exit::Fine, 0), "{}", ran.out);
    let ran = check(&place, &api::<narrow::Thing>("v1.2.1"), &["--verbose"]);
    assert_eq!(ran.exit, Exit::Fine);
    assert!(ran.out.contains("    blocked, known: experimental is stricter: `maximum` [containment]\n"), "{}", ran.out);
    assert!(ran.out.contains("1 known finding is not counted, since the baseline has\n  it."), "{}", ran.out);
}

/// A waiver for the field that is new in standard.
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
fn a_waiver_accepts_a_finding_and_is_printed() {
    let place = place();
    let hasty = api::<hasty::Thing>("v1.2.0");
    assert_eq!(check(&place, &hasty, &[]).exit, Exit::Findings);
    let ran = waived(&place, WAIVER, &hasty);
    assert_eq!(ran.exit, Exit::Fine, "{}", ran.out);
    for part in [
        "    blocked, waived to minor: the field was added, and experimental does not have it: every name\n      starts in experimental [name-added]\n      waived: It was forgotten in v1.1.0.\n",
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
        ran.out.starts_with(&format!("::warning file={APIS},"))
            && ran.out.contains("Waived: It was forgotten in v1.1.0."),
        "{}",
        ran.out
    );

    // Without a channel it applies to both; with a star, to each path with that prefix.
    let wide =
        WAIVER.replace("  channel: standard\n", "").replace("spec.weight", "spec.w*").replace("to: minor", "to: patch");
    assert_eq!(waived_exit(&place, &wide, "v1.2.0"), Exit::Fine);
    // A patch release needs a waiver of its own for both channels.
    let patch = wide.replace("v1.2.0", "v1.1.1");
    assert_eq!(waived_exit(&place, &patch, "v1.1.1"), Exit::Fine);
    // The lowered bump must still fit the version.
    let major = WAIVER.replace("to: minor", "to: major");
    assert_eq!(waived_exit(&place, &major, "v1.2.0"), Exit::Findings);
}

#[track_caller]
fn waived_exit(place: &Place, waivers: &str, version: &str) -> Exit {
    let ran = waived(place, waivers, &api::<hasty::Thing>(version));
    assert!(!ran.out.contains("Other errors"), "{}", ran.out);
    ran.exit
}

#[test]
fn waivers_that_match_nothing_or_are_for_another_bundle_are_errors() {
    let place = place();
    let hasty = api::<hasty::Thing>("v1.2.0");
    let misspelt = WAIVER.replace("spec.weight", "spec.wait");
    let expired = WAIVER.replace("v1.2.0", "v1.1.1");
    let ran = waived(&place, &format!("{WAIVER}{misspelt}{expired}"), &hasty);
    assert_eq!(ran.exit, Exit::Findings);
    let expected = "
Other errors
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
    assert!(ran.out.contains("Apart from the other errors, this fits v1.2.0: "), "{}", ran.out);
    assert!(
        ran.out.contains("To fix in any case: 1 waiver is for another bundle, 1 waiver matches nothing.\n"),
        "{}",
        ran.out
    );
    // Annotations are at their lines.
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
fn a_waiver_does_not_lower_a_refusal_or_raise_a_bump() {
    let place = place();
    let refused = "- {rule: type-changed, crd: things.things.example.com, path: spec.size, bundle: v2.0.0, to: minor, reason: why not}\n";
    let ran = waived(&place, refused, &api::<retyped::Thing>("v2.0.0"));
    assert_eq!(ran.exit, Exit::Findings);
    let expected = "    error: the waiver is for a refusal of `type-changed`, which no waiver lowers [waiver-powerless]\n      fix: Remove it, and fix what is refused.\n      bundles/waivers.yaml:3\n";
    assert!(ran.out.contains(expected), "{}", ran.out);
    assert!(ran.out.contains("\nNothing is waived.\n"), "{}", ran.out);
    let raised = "- {rule: graduated, crd: things.things.example.com, path: spec.volume, bundle: v1.2.0, to: major, reason: why not}\n";
    let ran = waived(&place, raised, &api::<graduated::Thing>("v1.2.0"));
    assert_eq!(ran.exit, Exit::Findings);
    let expected = "    error: the waiver lowers nothing: `graduated` requires no more than major here [waiver-raises]\n      fix: Remove it.\n";
    assert!(ran.out.contains(expected), "{}", ran.out);
}

/// YAML reads some words as other types. One diagnostic reports that.
#[test]
fn a_reason_that_is_not_a_text_is_reported_once() {
    let place = place();
    let waiver = |reason: &str| format!("{}\n  reason: {reason}\n", WAIVER.trim_end().rsplit_once('\n').unwrap().0);
    for (reason, message) in [
        ("y", "`reason` must be a text, and YAML reads this as true: put it into quotes [waiver-malformed]"),
        ("12", "`reason` must be a text, and YAML reads this as 12: put it into quotes [waiver-malformed]"),
        ("", "the reason is empty: write why the finding is accepted [waiver-malformed]"),
        ("'  '", "the reason is empty: write why the finding is accepted [waiver-malformed]"),
    ] {
        let ran = waived(&place, &waiver(reason), &api::<hasty::Thing>("v1.2.0"));
        let (_, rest) = ran.out.split_once("\nOther errors\n").unwrap();
        let problems = rest.split_once("\nSummary\n").unwrap().0;
        assert_eq!(problems.matches("error: ").count(), 1, "{problems}");
        let words = problems.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.starts_with(&format!("error: {message} bundles/waivers.yaml:")), "{words}");
    }
    assert_eq!(waived(&place, &waiver("'y'"), &api::<hasty::Thing>("v1.2.0")).exit, Exit::Fine);
}

#[test]
fn malformed_waivers_are_reported_by_line_and_waive_nothing() {
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
Other errors
    error: unknown rule `tightend`; did you mean `tightened`? [waiver-malformed]
      bundles/waivers.yaml:10
    error: `bundle` must be a text, and YAML reads this as 1.2: put it into quotes
      [waiver-malformed]
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
    // The valid one applies.
    assert!(ran.out.contains("      waived: It was forgotten in v1.1.0.\n"), "{}", ran.out);
    assert!(ran.out.contains("To fix in any case: 10 mistakes in the waivers.\n"), "{}", ran.out);

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
        let ran = check(&place, &api::<good::Thing>("v1.2.0"), &[]);
        assert_eq!(ran.exit, Exit::Fine, "{text:?}: {}", ran.out);
    }
}

#[test]
fn errors_in_types_and_in_the_history_are_reported_together() {
    let place = place();
    place.write("bundles/tombstones.yaml", "tombstones:\n- kind: field\n");
    let ran = check(&place, &api::<good::Thing>("v1.2.0").resource::<tightened::Thing>(), &[]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    let lines = ran.err.lines().collect::<Vec<_>>();
    assert!(
        lines[0].starts_with(&format!("error: {APIS}:")) && lines[0].contains("each type is one version of one kind"),
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
    let next = api::<good::Thing>("v1.1.1");
    let reports = |expected: &[String]| {
        let ran = check(&place, &next, &[]);
        assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
        assert_eq!(ran.err.lines().collect::<Vec<_>>(), expected);
    };
    place.write(thing, text.replace("maximum: 10", "maximum: 9"));
    // There is no repository.
    let restore = "a committed bundle never changes. remove the folder of v1.1.0, and import the published CRDs again";
    reports(&[format!("error: {thing}: does not have the checksum that bundle.yaml lists; {restore}")]);
    // Also if it is not a CRD any more.
    place.write(thing, "a: [");
    reports(&[format!("error: {thing}: does not have the checksum that bundle.yaml lists; {restore}")]);
    fs::remove_file(place.path().join(thing)).unwrap();
    reports(&[format!("error: {thing}: is missing, and bundle.yaml lists it; {restore}")]);
    place.write(thing, &text);
    let more = "bundles/v1.1.0/standard/more.yaml";
    place.write(more, text.replace("things", "lamps"));
    reports(&[format!(
        "error: {more}: is not listed in bundle.yaml; a committed bundle never changes. move the file away"
    )]);
    fs::remove_file(place.path().join(more)).unwrap();
    let file = "bundles/v1.1.0/bundle.yaml";
    place.write(file, manifest.replace("version: v1.1.0", "version: v1.0.0"));
    reports(&[format!(
        "error: {file}: contains the version v1.0.0, and its folder is named v1.1.0. restore the one that was changed"
    )]);
    place.write(file, manifest.replace("imported:", "improted:"));
    let ran = check(&place, &next, &[]);
    assert!(
        ran.err.starts_with("error: bundles/v1.1.0/bundle.yaml:") && ran.err.contains("improted: this is not a key"),
        "{}",
        ran.err
    );
    // Without a manifest, the bundle is read, and changes cannot be detected.
    fs::remove_file(place.path().join(file)).unwrap();
    let ran = check(&place, &next, &[]);
    let note = "note: changes of v1.1.0 cannot be detected: `bundle.yaml` is missing, which `import` writes\n";
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, note));
    place.write(file, manifest);
    assert_eq!(check(&place, &next, &[]).err, "");
}

#[test]
fn a_folder_whose_name_is_almost_a_version_is_an_error() {
    let place = place();
    let next = api::<good::Thing>("v1.1.1");
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
    // An empty folder is not a bundle.
    fs::create_dir(place.path().join("bundles/v1.0.0")).unwrap();
    let ran = check(&place, &next, &[]);
    assert_eq!(
        (ran.exit, &*ran.err),
        (
            Exit::Unusable,
            "error: bundles/v1.0.0: no CustomResourceDefinition is in it; there is nothing at all. Name a folder, file or archive that holds CRDs as YAML or JSON\n"
        )
    );
}

#[test]
fn the_help_contains_a_valid_waiver() {
    let ran = check(&Place::new(), &api::<good::Thing>("v1.2.0"), &["--help"]);
    assert_eq!(ran.exit, Exit::Fine);
    let example = ran.out.split_once("  waivers:\n").unwrap().1;
    let example = example
        .lines()
        .take_while(|line| line.starts_with("  "))
        .map(|line| format!("{}\n", &line[2..]))
        .collect::<String>();
    let place = place();
    let ran = waived(&place, &example, &api::<good::Thing>("v1.2.0"));
    // It is well-formed, and for another bundle.
    assert!(ran.out.contains("[waiver-expired]") && !ran.out.contains("[waiver-malformed]"), "{example}{}", ran.out);
}
