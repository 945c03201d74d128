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
fn the_page_is_that_of_the_library() {
    let place = Place::new();
    assert_eq!(place.run(&things(), &["rules", "--page", "R.md"]).exit, Exit::Fine);
    assert_eq!(place.read("R.md"), reference());
}
