//! `diff`: witnesses of schemas that no small API has, and the limit of their search. The rest are sessions.

use crate::support::{Place, Ran, things};
use serde_json::{Value, json};

#[track_caller]
fn diff(place: &Place, old: &str, new: &str, arguments: &[&str]) -> Ran {
    place.run_unchanged(&things(), &[&["diff", old, new], arguments].concat())
}

/// The JSON document without the names of the bundles and of their files.
fn document(ran: &Ran) -> Value {
    assert_eq!(ran.err, "");
    let mut document: Value = serde_json::from_str(&ran.out).unwrap();
    for side in ["baseline", "candidate"] {
        document[side]["name"] = Value::Null;
    }
    for finding in document["findings"].as_array_mut().unwrap() {
        finding["source"] = Value::Null;
    }
    document
}

/// A creation drops the status where the candidate has the subresource: the object is not refused, and its status is.
#[test]
fn a_new_status_subresource_refuses_a_status_by_itself() {
    let place = Place::new();
    let mode = |mode: Value| json!({ "type": "object", "properties": { "mode": mode } });
    let schema = |status: Value| json!({ "type": "object", "properties": { "spec": mode(json!({ "type": "string" })), "status": status } });
    let old = schema(mode(json!({ "type": "string", "maxLength": 7 })));
    let new = schema(mode(json!({ "type": "string", "maxLength": 3 })));
    place.write("old.json", crd_testdata::thing_crd(&old, &json!({})).to_string());
    for (subresources, words, subresource) in [
        (json!({ "status": {} }), "refused by `/status`: ", json!("status")),
        (json!({}), "refused now: ", Value::Null),
    ] {
        place.write("new.json", crd_testdata::thing_crd(&new, &subresources).to_string());
        let arguments = ["--channel", "standard", "--witness"];
        let shown = diff(&place, "old.json", "new.json", &arguments).out;
        let lines = shown.lines().filter_map(|line| line.trim_start().strip_prefix("refused "));
        assert_eq!(lines.clone().count(), 1, "{shown}");
        let line =
            shown.lines().find_map(|line| line.trim_start().strip_prefix(words)).unwrap_or_else(|| panic!("{shown}"));
        let object = serde_json::from_str::<Value>(line).unwrap();
        assert_eq!(object["status"], json!({ "mode": "aaaa" }));
        let found = document(&diff(&place, "old.json", "new.json", &[&arguments[..], &["--format", "json"]].concat()));
        let mut found = found["findings"].as_array().unwrap().iter().filter(|finding| finding["rule"] == "tightened");
        let expected = json!({ "object": object, "stored": null, "subresource": subresource, "reason": null });
        assert_eq!(found.next().unwrap()["witness"], expected);
    }
}

/// The limit of all searches is a fact of the report.
#[test]
fn the_report_contains_how_many_changes_were_not_searched() {
    let place = Place::new();
    for (file, most) in [("old.json", 9_000), ("new.json", 8_000)] {
        let list = json!({ "type": "array", "maxItems": most, "items": { "type": "string" } });
        let lists = (0..400).map(|index| (format!("f{index}"), list.clone())).collect::<serde_json::Map<_, _>>();
        let schema = json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": lists } } });
        place.write(file, crd_testdata::thing_crd(&schema, &json!({})).to_string());
    }
    let note = "the work of all searches for witnesses is limited";
    let arguments = ["--channel", "standard", "--format", "json"];
    let without = document(&diff(&place, "old.json", "new.json", &arguments));
    assert!(!without["notes"].to_string().contains(note), "{}", without["notes"]);
    let searched = document(&diff(&place, "old.json", "new.json", &[&arguments[..], &["--witness"]].concat()));
    let findings = searched["findings"].as_array().unwrap();
    let count = |words: &str| {
        let reasons = findings.iter().filter_map(|finding| finding["witness"]["reason"].as_str());
        reasons.filter(|reason| reason.starts_with(words)).count()
    };
    let (unsearched, ended) = (count("not searched"), count("the search ended"));
    let notes = searched["notes"].to_string();
    assert!(
        unsearched > 0 && notes.contains(&format!("{note}: {unsearched} changes without a search, and {ended} change")),
        "{notes}"
    );
}

/// A real minor release fits on some screens: the report folds what has one cause.
#[test]
fn a_minor_release_of_gateway_api_is_at_most_150_lines() {
    let place = Place::new();
    let channels = ["standard", "experimental"];
    for (version, channel) in
        ["v1.6.3", "v1.7.0"].into_iter().flat_map(|version| channels.map(|channel| (version, channel)))
    {
        let folder = place.path().join(version).join(channel);
        std::fs::create_dir_all(&folder).unwrap();
        crd_testdata::unpack_gateway_api(version, channel, &folder);
    }
    let shown = diff(&place, "v1.6.3", "v1.7.0", &[]).out;
    println!("{} lines", shown.lines().count());
    assert!(shown.lines().count() <= 150, "{shown}");
    // One cause is one finding: the annotation of each CRD, and a field with another name.
    assert_eq!(shown.matches("an annotation of the CRD was changed").count(), 1, "{shown}");
    assert!(!shown.contains("the field is optional now"), "{shown}");
}
