//! `rules`: the list, the explanation, the JSON document and the page contain what the tables contain.

use crate::support::{Place, things};
use crd_channels_cli::Exit;
use crd_compat::{RULES, STATES, UNCLAIMED, reference};
use serde_json::Value;

fn ids() -> Vec<&'static str> {
    let rules = RULES.iter().map(|rule| rule.id).chain([UNCLAIMED.id]);
    rules.chain(STATES.iter().map(|state| state.rule.id)).collect()
}

#[test]
fn every_rule_is_listed_once_and_can_be_explained() {
    let place = Place::new();
    let listed = place.run(&things(), &["rules"]);
    assert_eq!((listed.exit, &*listed.err), (Exit::Fine, ""));
    let names = listed.out.lines().filter(|line| !line.starts_with(' ')).map(|line| line.split("  ").next().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ids());
    for id in ids() {
        let explained = place.run(&things(), &["rules", id]);
        assert_eq!((explained.exit, &*explained.err), (Exit::Fine, ""), "{id}");
        assert!(explained.out.starts_with(&format!("{id}: ")) && explained.out.ends_with('\n'), "{}", explained.out);
    }
    let document = place.run(&things(), &["rules", "--format", "json"]);
    let document: Value = serde_json::from_str(&document.out).unwrap();
    let found = document["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap());
    assert_eq!(found.collect::<Vec<_>>(), ids());
}

#[test]
fn an_unknown_rule_is_an_error_with_a_suggestion() {
    let place = Place::new();
    for (asked, text) in [
        ("tighened", "error: unknown rule `tighened`. did you mean `tightened`?\n"),
        ("nothing", "error: unknown rule `nothing`. `cargo xtask rules` lists all rules\n"),
    ] {
        let ran = place.run(&things(), &["rules", asked]);
        assert_eq!((ran.exit, &*ran.out, &*ran.err), (Exit::Unusable, "", text));
    }
}

#[test]
fn the_page_is_written_and_checked_by_the_same_command() {
    let place = Place::new();
    assert_eq!(place.run(&things(), &["rules", "--page", "R.md", "--check"]).exit, Exit::Stale);
    assert_eq!(place.run(&things(), &["rules", "--page", "R.md"]).exit, Exit::Fine);
    assert_eq!(place.read("R.md"), reference());
    assert_eq!(place.run(&things(), &["rules", "--page", "R.md", "--check"]).exit, Exit::Fine);
    let old = reference().replace("# Rules", "# Rule");
    place.write("R.md", &old);
    let stale = place.run(&things(), &["rules", "--page", "R.md", "--check"]);
    assert_eq!(stale.exit, Exit::Stale);
    assert!(stale.err.contains("run `cargo xtask rules --page R.md`"), "{}", stale.err);
    assert_eq!(place.read("R.md"), old);
    assert_eq!(place.run(&things(), &["rules", "--page", "R.md"]).exit, Exit::Fine);
    assert_eq!(place.read("R.md"), reference());
}

#[test]
fn only_pages_of_the_same_command_are_replaced() {
    let place = Place::new();
    // The first form of the page named its command below the introduction.
    for ours in ["", "\n", "# Rules\n\nWritten by `cargo xtask rules --page docs/reference/rules.md`.\n\n## Fields\n"] {
        place.write("R.md", ours);
        assert_eq!(place.run(&things(), &["rules", "--page", "R.md"]).exit, Exit::Fine, "{ours:?}");
        assert_eq!(place.read("R.md"), reference());
    }
    assert_eq!(place.run(&things(), &["markers", "--page", "M.md"]).exit, Exit::Fine);
    place.write("notes.md", "# Notes\n\n`cargo xtask rules --page docs/reference/rules.md` writes the rules.\n");
    place.write("binary", [0xff, 0, 0x80]);
    for (command, file) in
        [("rules", "notes.md"), ("markers", "notes.md"), ("rules", "binary"), ("rules", "M.md"), ("markers", "R.md")]
    {
        for arguments in [&[command, "--page", file] as &[&str], &[command, "--page", file, "--check"]] {
            let ran = place.run_unchanged(&things(), arguments);
            let error = format!(
                "error: {file}: is not a page of `cargo xtask {command} --page`, so it is not replaced. choose another file, or move this one away\n"
            );
            assert_eq!((ran.exit, &*ran.out, &*ran.err), (Exit::Unusable, "", &*error), "{arguments:?}");
        }
    }
}
