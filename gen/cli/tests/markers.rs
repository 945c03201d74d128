//! `markers`: the list, the JSON document and the page contain what the table contains.

use std::fs;
use std::path::Path;

use crate::support::{Place, things};
use crd_channels_cli::{Exit, Session, run_in};
use crd_markers::page::page;
use crd_markers::table::{entries, find};
use serde_json::Value;

#[test]
fn the_list_has_every_marker_once_and_fits_the_terminal() {
    for width in [60, 100] {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut session = Session::new("/", &mut out, &mut err).width(Some(width));
        assert_eq!(run_in(&things(), ["markers"], &mut session), Exit::Fine);
        let text = anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string();
        let names: Vec<&str> = text.lines().filter(|line| line.starts_with('+')).collect();
        assert_eq!(names.len(), entries().len());
        for entry in entries() {
            let is_its_line = |line: &&&str| {
                line.strip_prefix('+').and_then(|line| line.strip_prefix(&*entry.name)).is_some_and(|rest| {
                    rest.is_empty()
                        || rest.starts_with(['=', ':'])
                            && find(line[1..].split('=').next().unwrap()).is_none_or(|(_, items)| items == entry.items)
                })
            };
            assert!(names.iter().any(|line| is_its_line(&line)), "{}", entry.name);
        }
        // A name with its arguments is never wrapped; prose is.
        let prose = text.lines().filter(|line| line.starts_with("    "));
        let longest = prose.map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= width && longest > width - 20, "{longest} of {width}");
    }
}

#[test]
fn the_document_has_every_marker_with_all_properties() {
    let ran = Place::new().run(&things(), &["markers", "--format", "json"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["schemaVersion"], 1);
    let markers = document["markers"].as_array().unwrap();
    let names: Vec<&str> = markers.iter().map(|marker| marker["name"].as_str().unwrap()).collect();
    assert_eq!(names, entries().iter().map(|entry| entry.name.clone()).collect::<Vec<_>>());
    let marker = |name: &str| markers.iter().find(|marker| marker["name"] == name).unwrap();

    let length = marker("kubebuilder:validation:MaxLength");
    assert_eq!(length["targets"], serde_json::json!(["field", "type"]));
    let count = serde_json::json!([{"name": "", "kind": "count", "words": [], "optional": false}]);
    assert_eq!(length["arguments"], count);
    assert_eq!(
        (&length["repeatable"], &length["items"], &length["refused"]),
        (&false.into(), &false.into(), &false.into())
    );
    assert_eq!(marker("kubebuilder:validation:items:MaxLength")["items"], true);

    let rule = marker("kubebuilder:validation:XValidation");
    assert_eq!(rule["repeatable"], true);
    let arguments = rule["arguments"].as_array().unwrap();
    let argument = |name: &str| arguments.iter().find(|argument| argument["name"] == name).unwrap();
    assert_eq!(
        argument("rule"),
        &serde_json::json!({"name": "rule", "kind": "string", "words": [], "optional": false})
    );
    assert_eq!(argument("message")["optional"], true);
    assert!(argument("reason")["words"].as_array().unwrap().contains(&"FieldValueInvalid".into()));

    let refused = marker("groupName");
    assert_eq!((&refused["refused"], &refused["arguments"]), (&true.into(), &serde_json::json!([])));
    assert!(refused["rust"].as_str().unwrap().contains("#[api("));
    assert!(markers.iter().all(|marker| !marker["effect"].as_str().unwrap().is_empty()));
}

/// The page in `docs`.
#[test]
fn the_committed_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/markers.md");
    if !path.parent().is_some_and(Path::exists) {
        println!("skipped: {} is not here", path.display());
        return;
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == page(), "stale: run `cargo xtask markers --page docs/reference/markers.md`");
}
