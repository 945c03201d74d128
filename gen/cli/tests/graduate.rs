//! `graduate`: the table of what is experimental, its file, past graduations, and the edit of a marker.

use crate::shape;
use crate::support::{Place, Ran, api, good, graduated, things_of};
use crd_channels_cli::{Catalogue, Criterion, Exit, Graduation};
use serde_json::{Value, json};

/// The file of the types, and its text.
const APIS: &str = "gen/cli/tests/support/apis.rs";
const APIS_TEXT: &str = include_str!("support/apis.rs");

/// A workspace with the source of its types, and with releases on these dates.
fn place(releases: &[(&str, &str)]) -> Place {
    let place = Place::new();
    place.write(APIS, APIS_TEXT);
    for (version, date) in releases {
        let catalogue = things_of(version);
        assert_eq!(place.run(&catalogue, &["generate"]).exit, Exit::Fine);
        let ran = place.run(&catalogue, &["release", version, "--date", date]);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    }
    place
}

const RELEASES: [(&str, &str); 2] = [("v1.0.0", "2026-01-31"), ("v1.1.0", "2026-05-15")];

fn document(ran: &Ran) -> Value {
    let document: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"));
    let schema: Value = serde_json::from_str(include_str!("../schemas/graduation.json")).unwrap();
    assert_eq!(shape::errors(&schema, &document), [] as [&str; 0]);
    document
}

#[track_caller]
fn graduate(place: &Place, catalogue: &Catalogue, arguments: &[&str]) -> (Exit, Value) {
    let ran = place.run_unchanged(catalogue, &[&["graduate"], arguments, &["--format", "json"]].concat());
    (ran.exit, document(&ran))
}

fn criterion<'d>(row: &'d Value, name: &str) -> &'d Value {
    row["criteria"].as_array().unwrap().iter().find(|criterion| criterion["name"] == name).unwrap()
}

#[test]
fn every_experimental_element_has_a_row_with_dates_of_the_calendar() {
    let place = place(&RELEASES);
    let (exit, document) = graduate(&place, &things_of("v1.2.0"), &["--date", "2026-07-30"]);
    assert_eq!((exit, &document["bundle"], &document["asOf"]), (Exit::Fine, &json!("v1.2.0"), &json!("2026-07-30")));
    let rows = document["rows"].as_array().unwrap();
    let names = rows.iter().map(|row| row["name"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(names, ["shelves", "things/spec.volume"]);
    let volume = &rows[1];
    assert_eq!(volume["first"], json!({"bundle": "v1.0.0", "date": "2026-01-31"}));
    assert_eq!((&volume["minors"], &volume["resource"]), (&json!(3), &json!("Thing")));
    // July has 31 days. One day is missing.
    let soak = criterion(volume, "soak");
    assert_eq!((&soak["state"], &soak["since"]), (&json!("missing"), &json!("2026-07-31")));
    assert_eq!(volume["eligible"], json!({"date": "2026-07-31", "bundle": "v1.2.0"}));
    assert_eq!(criterion(volume, "unchanged-months")["since"], "2026-04-30");
    assert_eq!(criterion(volume, "conformance")["state"], "missing");
    assert_eq!(criterion(volume, "usage")["state"], "unknown");
    assert_eq!(volume["probation"], json!({"ends": "2026-07-31", "overdue": false}));
    assert_eq!(rows[0]["blockers"], json!(["the resource has no GA version such as `v1`"]));
    // On the next day.
    let (_, later) = graduate(&place, &things_of("v1.2.0"), &["--date", "2026-08-01"]);
    assert_eq!(criterion(&later["rows"][1], "soak")["state"], "met");
    assert_eq!(later["rows"][1]["probation"]["overdue"], true);
}

#[test]
fn a_catalogue_changes_the_criteria() {
    let place = place(&RELEASES);
    let graduation = Graduation::default()
        .at_least(Criterion::Soak, 1)
        .without(Criterion::Conformance)
        .without(Criterion::Implementations)
        .without(Criterion::Usage)
        .without(Criterion::Approval)
        .probation(0);
    let catalogue = things_of("v1.2.0").graduation(graduation);
    let (_, document) = graduate(&place, &catalogue, &["--date", "2026-07-30"]);
    let volume = &document["rows"][1];
    assert_eq!(volume["criteria"].as_array().unwrap().len(), 3);
    assert_eq!((&volume["ready"], &volume["probation"]), (&json!(true), &Value::Null));
    let ran = place.run_unchanged(&catalogue, &["graduate", "--date", "2026-07-30"]);
    assert!(ran.out.contains("things/spec.volume  v1.0.0  v1.0.0     3       ✓✓✓       ready\n"), "{}", ran.out);
}

#[test]
fn the_file_of_the_bundle_is_written_checked_and_released() {
    let place = place(&RELEASES);
    let catalogue = things_of("v1.2.0");
    assert_eq!(place.run(&catalogue, &["generate"]).exit, Exit::Fine);
    let check = || place.run_unchanged(&catalogue, &["graduate", "--check"]);
    let ran = check();
    assert_eq!(ran.exit, Exit::Stale);
    assert!(ran.err.contains("bundles/unreleased/graduation.json: is out of date"), "{}", ran.err);
    assert_eq!(place.run(&catalogue, &["graduate", "--write"]).exit, Exit::Fine);
    assert_eq!(check().exit, Exit::Fine);
    let text = place.read("bundles/unreleased/graduation.json");
    // The states are those of the newest release.
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["asOf"], "2026-05-15");
    // A stale file is not released.
    place.write("bundles/unreleased/graduation.json", text.replace("v1.0.0", "v0.9.0"));
    let ran = place.run(&catalogue, &["release", "v1.2.0", "--date", "2026-09-01"]);
    assert_eq!(ran.exit, Exit::Stale, "{ran:?}");
    assert!(ran.err.contains("run `cargo xtask graduate --write` and commit the result"), "{}", ran.err);
    assert_eq!(place.run(&catalogue, &["graduate", "--write"]).exit, Exit::Fine);
    let ran = place.run(&catalogue, &["release", "v1.2.0", "--date", "2026-09-01"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let released: Value = serde_json::from_str(&place.read("bundles/v1.2.0/graduation.json")).unwrap();
    assert_eq!(
        (&released["asOf"], &released["rows"][1]["criteria"][0]["state"]),
        (&json!("2026-09-01"), &json!("met"))
    );
    assert!(place.read("bundles/v1.2.0/bundle.yaml").contains("path: graduation.json"));
    // Released again, the bundle has the same bytes.
    let ran = place.run(&catalogue, &["release", "v1.2.0"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
}

#[test]
fn an_early_graduation_is_refused_if_the_catalogue_asks_for_that() {
    let place = place(&RELEASES);
    let thing = || api::<graduated::Thing>("v1.2.0").resource::<good::Case>().resource::<good::Shelf>();
    let check = |catalogue: &Catalogue| place.run_unchanged(catalogue, &["check"]);
    assert_eq!(check(&thing()).exit, Exit::Fine, "{:?}", check(&thing()));
    let ran = check(&thing().graduation(Graduation::default().enforced()));
    assert_eq!(ran.exit, Exit::Findings);
    assert!(ran.out.contains("`things/spec.volume` graduates before it meets these criteria: "), "{}", ran.out);
    assert!(ran.out.contains("conformance (no conformance feature)"), "{}", ran.out);
    // With only the criteria that time meets, the release date decides.
    let of_time = [Criterion::Conformance, Criterion::Implementations, Criterion::Usage, Criterion::Approval];
    let of_time = of_time.into_iter().fold(Graduation::default().enforced(), Graduation::without);
    let catalogue = thing().graduation(of_time);
    assert_eq!(place.run(&catalogue, &["generate"]).exit, Exit::Fine);
    let release = |date: &str| place.run(&catalogue, &["release", "v1.2.0", "--date", date, "--dry-run"]);
    let early = release("2026-07-30");
    assert_eq!(early.exit, Exit::Findings, "{early:?}");
    let words = early.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("soak (in experimental since v1.0.0 of 2026-01-31, met on 2026-07-31)"), "{early:?}");
    assert_eq!(release("2026-07-31").exit, Exit::Fine, "{:?}", release("2026-07-31"));
}

#[test]
fn past_graduations_have_their_timing() {
    let place = place(&RELEASES);
    let next = api::<graduated::Thing>("v1.2.0").resource::<good::Case>().resource::<good::Shelf>();
    assert_eq!(place.run(&next, &["generate"]).exit, Exit::Fine);
    assert_eq!(place.run(&next, &["release", "v1.2.0", "--date", "2026-07-01"]).exit, Exit::Fine);
    let (exit, document) = graduate(&place, &next, &["--past"]);
    assert_eq!(exit, Exit::Fine);
    let volume = &document["graduations"][0];
    assert_eq!((&volume["name"], &volume["timing"]), (&json!("things/spec.volume"), &json!("early")));
    assert_eq!(volume["missing"], json!(["soak"]));
    let page = place.run(&next, &["graduate", "--past", "--page", "past.md"]);
    assert_eq!(page.exit, Exit::Fine, "{page:?}");
    let text = place.read("past.md");
    assert!(
        text.contains("1 element graduated from experimental to standard in 1 release: 0 on time, 1 early, 0 late."),
        "{text}"
    );
    let check =
        |place: &Place| place.run_unchanged(&next, &["graduate", "--past", "--page", "past.md", "--check"]).exit;
    assert_eq!(check(&place), Exit::Fine);
    place.write("past.md", text.replace("early: soak", "on time"));
    assert_eq!(check(&place), Exit::Stale);
}

#[test]
fn unknown_names_have_the_nearest_known_name() {
    let place = place(&RELEASES);
    let ran = place.run_unchanged(&things_of("v1.2.0"), &["graduate", "things/spec.volum"]);
    assert_eq!(ran.exit, Exit::Unusable);
    let message =
        "error: `things/spec.volum` is not the name of an experimental element. did you mean `things/spec.volume`?\n";
    assert_eq!(ran.err, message);
    let (exit, document) = graduate(&place, &things_of("v1.2.0"), &["spec.weight"]);
    assert_eq!((exit, &document["errors"][0]["code"]), (Exit::Unusable, &json!("graduate::unknown")));
}
