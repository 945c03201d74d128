//! `graduate`: the table of what is experimental, its file, past graduations, and the edit of a marker.

use crate::shape;
use crate::support::{Place, Ran, api, good, graduated, hidden, line_of, named, renamed, things_of, with};
use crd_channels_cli::{Catalogue, Exit};
use serde_json::{Value, json};

/// The file of the types, and its text.
const APIS: &str = "gen/cli/tests/support/apis.rs";
const APIS_TEXT: &str = include_str!("support/apis.rs");

/// A workspace with the source of its types, and with releases on these dates.
fn place(releases: &[(&str, &str)]) -> Place {
    place_of(releases.iter().map(|(version, date)| (things_of(version), *version, *date)))
}

fn place_of<'r>(releases: impl IntoIterator<Item = (Catalogue, &'r str, &'r str)>) -> Place {
    let place = Place::new();
    place.write(APIS, APIS_TEXT);
    for (catalogue, version, date) in releases {
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
fn settings_change_the_criteria() {
    let place = place(&RELEASES);
    let graduation =
        "graduation: {soak: 1, conformance: false, implementations: 0, usage: false, approval: false, probation: 0}";
    let catalogue = with(&things_of("v1.2.0"), graduation);
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
    assert!(ran.err.contains("bundles/unreleased/graduation.json: does not exist"), "{}", ran.err);
    assert_eq!(place.run(&catalogue, &["graduate", "--write"]).exit, Exit::Fine);
    assert_eq!((check().exit, &*check().out), (Exit::Fine, "bundles/unreleased/graduation.json is up to date\n"));
    // Without experimental elements, there is no file.
    let standard = api::<graduated::Thing>("v1.2.0").resource::<good::Case>();
    let outdated = place.run_unchanged(&standard, &["graduate", "--check"]);
    assert_eq!(outdated.exit, Exit::Stale, "{outdated:?}");
    for (arguments, words) in [("--write", "is removed"), ("--check", "is not needed")] {
        let ran = place.run(&standard, &["graduate", arguments]);
        let shown = format!("bundles/unreleased/graduation.json {words}: experimental has no element of its own\n");
        assert_eq!((ran.exit, &*ran.out), (Exit::Fine, &*shown), "{arguments}");
    }
    assert_eq!(place.run(&catalogue, &["graduate", "--write"]).exit, Exit::Fine);
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
fn an_early_graduation_is_refused_if_the_settings_ask_for_that() {
    let place = place(&RELEASES);
    let thing = || api::<graduated::Thing>("v1.2.0").resource::<good::Case>().resource::<good::Shelf>();
    let check = |catalogue: &Catalogue| place.run_unchanged(catalogue, &["check"]);
    assert_eq!(check(&thing()).exit, Exit::Fine, "{:?}", check(&thing()));
    let ran = check(&with(&thing(), "graduation: {enforced: true}"));
    assert_eq!(ran.exit, Exit::Findings);
    assert!(ran.out.contains("`things/spec.volume` graduates before it meets these criteria: "), "{}", ran.out);
    assert!(ran.out.contains("conformance (no conformance feature)"), "{}", ran.out);
    // With only the criteria that time meets, the release date decides.
    let of_time = "graduation: {enforced: true, conformance: false, implementations: 0, usage: false, approval: false}";
    let catalogue = with(&thing(), of_time);
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

/// The text of the types without these lines.
#[track_caller]
fn without(lines: &[usize]) -> String {
    let kept = APIS_TEXT.split_inclusive('\n').enumerate().filter(|(index, _)| !lines.contains(&(index + 1)));
    kept.map(|(_, line)| line).collect()
}

#[test]
fn the_marker_of_an_element_is_deleted_if_check_accepts_the_types() {
    let place = place(&RELEASES);
    let catalogue = things_of("v1.2.0");
    let line = line_of(APIS_TEXT, "pub mod good", "/// +experimental");
    let (exit, document) = graduate(&place, &catalogue, &["spec.volume"]);
    assert_eq!((exit, document["rows"].as_array().unwrap().len()), (Exit::Fine, 1));
    let edit = &document["edit"];
    let change = json!([{"file": APIS, "line": line, "before": "        /// +experimental", "after": null}]);
    assert_eq!((&edit["lines"], &edit["elements"]), (&change, &json!(["things/spec.volume"])));
    assert_eq!((&edit["accepted"], &edit["written"]), (&json!(true), &json!(false)));
    let rules = edit["check"]["findings"].as_array().unwrap().iter().map(|finding| &finding["rule"]);
    assert_eq!(rules.filter(|rule| *rule != "stamps").collect::<Vec<_>>(), ["graduated"]);
    assert_eq!(edit["check"]["verdict"], "minor");
    // Criteria that are not enforced do not prevent the edit.
    let warnings = edit["check"]["warnings"].to_string();
    assert!(warnings.contains("`things/spec.volume` graduates before it meets these criteria: "), "{warnings}");

    let ran = place.run(&catalogue, &["graduate", "spec.volume", "--write"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert!(
        ran.err.starts_with(&format!("warning: {APIS}:{}: `things/spec.volume` graduates before ", line + 1)),
        "{}",
        ran.err
    );
    assert!(ran.out.contains(&format!("{APIS}\n{line:>5} -        /// +experimental\n")), "{}", ran.out);
    assert!(ran.out.ends_with(&format!(
        "Changed {APIS}. Now run `cargo xtask generate`; the version of the next bundle is v1.2.0.\n"
    )));
    assert_eq!(place.read(APIS), without(&[line]));
    // The types are still those of the old text.
    let ran = place.run_unchanged(&catalogue, &["graduate", "spec.volume", "--write"]);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(
        ran.err.contains(&format!("{APIS}:{}: `volume` is not on this line. build again", line + 1)),
        "{}",
        ran.err
    );
}

#[test]
fn elements_of_a_rule_graduate_together() {
    let place = place_of([(api::<named::Thing>("v1.0.0"), "v1.0.0", "2026-01-31")]);
    let catalogue = api::<named::Thing>("v1.1.0");
    let (_, table) = graduate(&place, &catalogue, &[]);
    let rows = table["rows"].as_array().unwrap();
    let row = |kind: &str| rows.iter().find(|row| row["kind"] == kind).unwrap_or_else(|| panic!("{table:#}"));
    assert_eq!(rows.len(), 3);
    assert_eq!(row("field")["features"], json!(["ThingVolume"]));
    let blocker = "the rule names `volume`, and only experimental has that: graduate them together";
    assert_eq!(row("rule")["blockers"], json!([blocker]));
    assert_eq!((&row("field")["blockers"], &row("value")["blockers"]), (&json!([]), &json!([])));
    let rule = row("rule")["name"].as_str().unwrap();

    let ran = place.run_unchanged(&catalogue, &["graduate", rule, "--write"]);
    assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
    assert!(ran.out.ends_with("Nothing was written, because `check` would refuse the types.\n"), "{}", ran.out);
    assert!(ran.out.contains("`self` has no field `volume`"), "{}", ran.out);

    let ran = place.run(&catalogue, &["graduate", rule, "spec.volume", "spec.mode=Loud", "--write"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let of = |part: &str| line_of(APIS_TEXT, "pub mod named", part);
    let (field, value, prefix) = (
        of("        /// +experimental\n        /// +conf"),
        of("        /// +experimental\n        Loud"),
        "+experimental:kube",
    );
    // The empty line above the last marker goes with it.
    let expected = without(&[field, value - 1, value]);
    let at = expected.find("pub mod named").unwrap();
    let expected = format!("{}{}", &expected[..at], expected[at..].replacen(prefix, "+kube", 1));
    assert_eq!(place.read(APIS), expected);
}

#[test]
fn a_renamed_element_keeps_its_age_and_needs_a_conversion() {
    let place = place(&RELEASES);
    let catalogue = api::<renamed::Thing>("v1.2.0").resource::<good::Case>().resource::<good::Shelf>();
    let recorded = place.run(&catalogue, &["tombstones", "add"]);
    assert_eq!(recorded.exit, Exit::Fine, "{recorded:?}");
    let (_, table) = graduate(&place, &catalogue, &[]);
    let loudness = &table["rows"][1];
    assert_eq!((&loudness["name"], &loudness["first"]["bundle"]), (&json!("things/spec.loudness"), &json!("v1.0.0")));
    assert_eq!(loudness["blockers"], json!(["`volume` was renamed to it without a conversion"]));
}

#[test]
fn what_cannot_graduate_changes_no_file() {
    let place = place(&RELEASES);
    let catalogue = things_of("v1.2.0");
    let refused = |place: &Place, catalogue: &Catalogue, name: &str| {
        let ran = place.run_unchanged(catalogue, &["graduate", name, "--write"]);
        (ran.exit, ran.err)
    };
    let (exit, text) = refused(&place, &catalogue, "shelves");
    assert_eq!(exit, Exit::Unusable);
    assert!(text.contains("`shelves` has no marker of its own"), "{text}");
    // It has a marker, and only an alpha version.
    let hidden = api::<hidden::Shelf>("v1.2.0").resource::<good::Thing>().resource::<good::Case>();
    let (exit, text) = refused(&place, &hidden, "shelves");
    assert_eq!(exit, Exit::Unusable);
    assert!(
        text.contains("`shelves` is not in standard without its marker either. the resource has no GA version"),
        "{text}"
    );
    // The settings require criteria that the element does not meet.
    let enforced = with(&things_of("v1.2.0"), "graduation: {enforced: true}");
    let ran = place.run_unchanged(&enforced, &["graduate", "spec.volume", "--write"]);
    assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
    assert!(ran.out.contains("`things/spec.volume` graduates before it meets these criteria: "), "{}", ran.out);
    // The sources are somewhere else.
    std::fs::remove_file(place.path().join(APIS)).unwrap();
    let (exit, text) = refused(&place, &catalogue, "spec.volume");
    assert_eq!(exit, Exit::Unusable);
    assert!(text.contains("the marker is in no file of this workspace"), "{text}");
}

#[test]
fn evidence_and_approvals_are_read_from_the_workspace() {
    let place = place_of([(api::<named::Thing>("v1.0.0"), "v1.0.0", "2026-01-31")]);
    let catalogue = api::<named::Thing>("v1.1.0");
    let report = |project: &str, day: &str, feature: &str| {
        format!(
            "apiVersion: example.com/v1\nkind: ConformanceReport\ndate: \"{day}T10:00:00Z\"\ngatewayAPIVersion: v1.0.0\n\
             implementation: {{organization: org, project: {project}, version: v1}}\n\
             profiles: [{{name: A, core: {{result: success}}, extended: {{result: success, supportedFeatures: [{feature}]}}}}]\n"
        )
    };
    place.write("bundles/evidence/one.yaml", report("one", "2026-02-10", "ThingVolume"));
    place.write("bundles/evidence/deep/two.yaml", report("two", "2026-03-10", "ThingVolume"));
    place.write("bundles/evidence/three.yaml", report("three", "2026-03-10", "Other"));
    place.write("bundles/evidence/README.md", "Reports.\n");
    let approvals = "approvals:\n\
        - {name: things/spec.volume, who: '@a', date: 2026-03-01, where: 'https://example.com/1'}\n\
        - {name: things/spec.volume, who: '@b', date: 2026-03-20, where: 'https://example.com/2', criterion: usage}\n";
    place.write("bundles/approvals.yaml", approvals);
    let states = |date: &str| {
        let (_, document) = graduate(&place, &catalogue, &["--date", date]);
        let volume = document["rows"].as_array().unwrap().iter().find(|row| row["kind"] == "field").unwrap().clone();
        ["conformance", "implementations", "usage", "approval"]
            .map(|name| criterion(&volume, name)["state"].as_str().unwrap().to_owned())
    };
    assert_eq!(states("2026-02-09"), ["missing", "missing", "unknown", "missing"]);
    assert_eq!(states("2026-03-01"), ["met", "missing", "unknown", "met"]);
    assert_eq!(states("2026-03-20"), ["met", "met", "met", "met"]);
    // Other reports instead.
    place.write("elsewhere/report.yaml", report("four", "2026-02-10", "ThingVolume"));
    let (_, document) = graduate(&place, &catalogue, &["--evidence", "elsewhere", "--date", "2026-03-20"]);
    let text = document["rows"].to_string();
    assert!(text.contains("one project passes: org/four"), "{text}");
    // Mistakes are all reported, with their lines.
    place.write(
        "bundles/approvals.yaml",
        format!("{approvals}- {{name: things/spec.volum, who: '@a', date: 2026-03-01, where: x}}\n"),
    );
    let ran = place.run_unchanged(&catalogue, &["graduate"]);
    let warning = "warning: bundles/approvals.yaml:4: `things/spec.volum` is not the name of an element. did you mean `things/spec.volume`?\n";
    assert!(ran.err.contains(warning), "{}", ran.err);
    place.write("bundles/approvals.yaml", format!("{approvals}- {{name: things/spec.volume, by: me}}\n"));
    place.write("bundles/evidence/one.yaml", "kind: Report\n");
    let ran = place.run_unchanged(&catalogue, &["graduate"]);
    assert_eq!(ran.exit, Exit::Unusable);
    for part in ["error: bundles/approvals.yaml:4: ", "error: bundles/evidence/one.yaml:1: "] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    let missing = place.run_unchanged(&catalogue, &["graduate", "--evidence", "nowhere"]);
    assert_eq!(missing.exit, Exit::Unusable, "{missing:?}");
}
