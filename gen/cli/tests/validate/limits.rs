//! Limits of requests and of reports: what is too large for a server, and what is left out of a report.

use serde_json::Value;

use super::{Printed, place, run, validate, widget};
use crd_channels_cli::Exit;

const MIB: usize = 1024 * 1024;

/// An object of about this many bytes. Comments and spaces do not count.
fn of_bytes(bytes: usize) -> String {
    let text = "a".repeat(bytes);
    widget("{size: 1}").replace("name: a\n", &format!("name: a\n  annotations: {{a: {text}}} # {text}\n"))
}

fn document(printed: &Printed) -> Value {
    serde_json::from_str(&printed.out).unwrap()
}

#[test]
fn an_object_above_3_mib_is_refused_and_one_above_the_default_of_etcd_is_not() {
    for (bytes, code) in [(2 * MIB, "object::large"), (3 * MIB, "object::too-large")] {
        let printed = validate(&of_bytes(bytes), &["--format", "json"]);
        let document = document(&printed);
        let found = document["objects"][0]["findings"].as_array().unwrap();
        let codes: Vec<_> = found.iter().map(|finding| &finding["code"]).collect();
        assert!(codes.contains(&&Value::from(code)), "{codes:?}");
        // Annotations have a limit too, which is not reached if the request is not read.
        assert_eq!(codes.len(), if code == "object::large" { 3 } else { 1 }, "{codes:?}");
    }
}

#[test]
fn what_is_not_in_the_crds_is_a_note_if_an_object_is_accepted() {
    for (size, has_note) in [(1, true), (11, false)] {
        let text = widget(&format!("{{size: {size}}}"));
        let printed = validate(&text, &[]);
        assert_eq!(printed.has_note, has_note);
        let document = document(&validate(&text, &["--format", "json"]));
        assert_eq!(document["notChecked"].is_string(), has_note);
        let printed = validate(&text, &["--format", "github"]);
        assert_eq!(printed.out.contains("not checked, because"), has_note);
    }
}

#[test]
fn an_object_lists_10_000_errors_and_says_so() {
    let names = |count: usize| (0..count).map(|index| format!("x{index}: 1")).collect::<Vec<_>>().join(", ");
    for (count, listed) in [(10_000, 10_000), (10_001, 10_001), (20_000, 10_001)] {
        let text = widget(&format!("{{size: 1, {}}}", names(count)));
        let printed = validate(&text, &["--format", "json", "--kubernetes", "1.37"]);
        let found = document(&printed)["objects"][0]["findings"].as_array().unwrap().clone();
        assert_eq!((printed.exit, found.len()), (Exit::Findings, listed));
        assert_eq!(found.last().unwrap()["code"] == "object::more", count > 10_000);
    }
}

#[test]
fn fifty_unknown_names_of_a_file_have_a_suggestion() {
    let name = |index: usize| format!("size{index:02}: 1");
    let unknown = |from: usize| (from..from + 40).map(name).collect::<Vec<_>>().join(", ");
    let place =
        place(&format!("{}---\n{}", widget(&format!("{{{}}}", unknown(0))), widget(&format!("{{{}}}", unknown(40)))));
    place.write("other.yaml", widget("{size: 1, sizes: 1}"));
    let printed = run(&place, b"", &["in.yaml", "other.yaml", "--crds", "crd.yaml", "--format", "json"]);
    let document = document(&printed);
    let objects = document["objects"].as_array().unwrap();
    let helps = objects
        .iter()
        .flat_map(|object| object["findings"].as_array().unwrap())
        .filter(|finding| finding["code"] == "object::unknown-field" && finding["help"] == "did you mean `size`?");
    assert_eq!(helps.count(), 51, "{printed}", printed = printed.out);
}
