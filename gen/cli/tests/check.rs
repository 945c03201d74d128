//! `check`: the choice of a baseline, the workflow of `init`, and the example in the help. The rest are sessions.

use crate::support::{Place, Ran, api, good, graduated, retyped, tightened};
use crd_channels_cli::{Catalogue, Exit};
use serde_json::{Value, json};

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

#[track_caller]
fn waived(place: &Place, waivers: &str, catalogue: &Catalogue) -> Ran {
    place.write("bundles/waivers.yaml", format!("# What may pass.\nwaivers:\n{waivers}"));
    let ran = check(place, catalogue, &[]);
    assert_eq!(ran.err, "");
    ran
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
