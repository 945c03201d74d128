//! `graduate NAME`: the edit of a marker. The rest are sessions.

use crate::shape;
use crate::support::{Place, Ran, api, good, graduating, hidden, line_of, named, things_of, with};
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

/// The text of the types without these lines.
#[track_caller]
fn without(lines: &[usize]) -> String {
    let kept = APIS_TEXT.split_inclusive('\n').enumerate().filter(|(index, _)| !lines.contains(&(index + 1)));
    kept.map(|(_, line)| line).collect()
}

/// The archive is history for the table as it is for its check: without the bundle, the version was released all the same.
#[test]
fn a_version_of_the_history_archive_is_released_with_the_table_that_was_written() {
    let place = place(&RELEASES);
    let catalogue = things_of("v1.1.0");
    place.write("dates.tsv", "version\treleased\nv1.0.0\t2026-01-31\nv1.1.0\t2026-05-15\n");
    let archive = ["--format", "archive", "--dates", "dates.tsv", "--out", "bundles/history.tar.xz"];
    let ran = place.run(&catalogue, &[&["history", "bundles"][..], &archive].concat());
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    std::fs::remove_dir_all(place.path().join("bundles/v1.1.0")).unwrap();
    for arguments in [&["graduate", "--write"][..], &["release", "v1.1.0", "--date", "2026-05-15"]] {
        let ran = place.run(&catalogue, arguments);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    }
    let table: Value = serde_json::from_str(&place.read("bundles/unreleased/graduation.json")).unwrap();
    assert_eq!(table["bundle"], "v1.2.0");
}

#[test]
fn the_marker_of_an_element_is_deleted_if_check_accepts_the_types() {
    let place = place(&RELEASES);
    let catalogue = things_of("v1.2.0");
    let line = line_of(APIS_TEXT, "thing!(good ", "/// +experimental");
    let (exit, document) = graduate(&place, &catalogue, &["spec.volume"]);
    assert_eq!((exit, document["rows"].as_array().unwrap().len()), (Exit::Fine, 1));
    let edit = &document["edit"];
    let change = json!([{"file": APIS, "line": line, "before": "    /// +experimental", "after": null}]);
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
    assert!(ran.out.contains(&format!("{APIS}\n{line:>5} -    /// +experimental\n")), "{}", ran.out);
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

/// The last release that can change it, whether `check` includes conventions or not.
#[test]
fn conventions_that_an_element_breaks_are_shown_before_it_graduates() {
    let place = place(&RELEASES);
    let levels = "levels: {number-bounds: error}";
    let conventions = |keys: &str| with(&things_of("v1.2.0"), &format!("conventions: {{{keys}{levels}}}\n"));
    let codes = |list: &Value| list.to_string().matches("lint::number-bounds").count();
    for (keys, accepted) in [("", true), ("check: true, ", false)] {
        let (exit, document) = graduate(&place, &conventions(keys), &["spec.volume"]);
        let check = &document["edit"]["check"];
        let (warnings, problems) = (codes(&check["warnings"]), codes(&check["problems"]));
        assert_eq!((exit == Exit::Fine, &document["edit"]["accepted"]), (accepted, &json!(accepted)), "{document}");
        assert_eq!((warnings, problems), (usize::from(accepted), usize::from(!accepted)), "{check}");
    }
}

/// Controllers that were built for experimental break where standard is installed. The author reads it before the marker is gone.
#[test]
fn an_alpha_version_that_standard_does_not_serve_is_a_warning() {
    let shelves =
        |version| api::<graduating::Shelf>(version).resource::<graduating::AlphaShelf>().resource::<good::Case>();
    let place = place_of([(shelves("v1.0.0"), "v1.0.0", "2026-01-31")]);
    let ran = place.run_unchanged(&shelves("v1.1.0"), &["graduate", "shelves"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("standard: needs a minor bundle: 1 name graduated, 1 watched API version"), "{text}");
    let (_, document) = graduate(&place, &shelves("v1.1.0"), &["shelves"]);
    let findings = document["edit"]["check"]["findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["rule"] == "watched-version-unserved").unwrap();
    let place_of = ["channel", "version", "requiredBump", "warning"].map(|key| finding[key].clone());
    assert_eq!(place_of, [json!("standard"), json!("v1alpha1"), json!("minor"), json!(true)]);
    let fix = "fix: Serve v1alpha1 in standard for one more bundle, or state the break in the release notes: such controllers have to watch v1 first.";
    assert!(
        text.contains("minor, warning: controllers that watch shelves v1alpha1 never sync in standard: "),
        "{text}"
    );
    assert!(text.contains(fix), "{text}");
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
