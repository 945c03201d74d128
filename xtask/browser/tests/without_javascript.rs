//! Without JavaScript, the newest bundle is readable in both channels.

use std::collections::BTreeSet;

use crd_browser::Browser;
use serde_json::json;

use crate::pages;
use crate::published::{nodes, releases};

#[test]
fn every_field_of_the_newest_bundle_is_readable_without_javascript() {
    let Some(browser) = Browser::start() else { return };
    browser.without_javascript();
    browser.open(pages::gateway_api(), "");
    assert_eq!(browser.evaluate("return typeof window.site", json!([])), json!("undefined"));
    let newest = releases().last().expect("a release");
    let shown = browser.evaluate(
        "document.querySelectorAll('details').forEach(x => { x.open = true; });
         const found = [], articles = [...document.querySelectorAll('article')].filter(x => x.querySelector('.vers'));
         for (const article of articles) {
           const name = article.querySelector('.api').innerText.trim(), kind = article.querySelector('.vers').parentNode.innerText.trim().split(/\\s+/)[0];
           (function walk(list, path) {
             if (list) for (const item of list.children) {
               const own = item.querySelector('.name'), here = path ? `${path}.${own.innerText}` : own.innerText;
               if (own.checkVisibility()) found.push(`${name} ${kind} ${here}`);
               walk(item.querySelector('ul.fields'), here);
             }
           })(article.querySelector('ul.fields'), '');
         }
         return found.sort();",
        json!([]),
    );
    let mut expected = BTreeSet::new();
    for version in newest.versions() {
        let group = version.crd.split_once('.').expect("a group").1;
        for node in nodes(version.schema).into_iter().filter(|node| node.is_field) {
            expected.insert(format!("{group}/{} {} {}", version.name, version.kind, node.path.replace("[*]", "")));
        }
    }
    let shown = pages::texts(&shown).into_iter().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(shown.iter().collect::<BTreeSet<_>>().len(), shown.len(), "a field is listed twice");
    let shown = shown.into_iter().collect::<BTreeSet<_>>();
    assert_eq!(expected.difference(&shown).collect::<Vec<_>>(), Vec::<&String>::new(), "missing");
    assert_eq!(shown.difference(&expected).collect::<Vec<_>>(), Vec::<&String>::new(), "invented");
    println!("{} fields are readable without JavaScript", expected.len());
}

#[test]
fn rules_values_and_descriptions_are_readable_without_javascript() {
    let Some(browser) = Browser::start() else { return };
    browser.without_javascript();
    browser.open(pages::gateway_api(), "");
    let text = browser.evaluate("document.querySelectorAll('details').forEach(x => { x.open = true; }); return [document.body.innerText, document.getElementById('search').checkVisibility()]", json!([]));
    assert_eq!(text[1], json!(false), "search does not work without JavaScript, so it is not shown");
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = plain(text[0].as_str().expect("text"));
    let mut count = 0;
    for version in releases().last().expect("a release").versions() {
        for node in nodes(version.schema) {
            let rules = node.schema["x-kubernetes-validations"].as_array().into_iter().flatten();
            let stated = rules.filter_map(|rule| rule["rule"].as_str());
            let stated =
                stated.chain(node.schema["enum"].as_array().into_iter().flatten().filter_map(|value| value.as_str()));
            for stated in stated.chain(node.schema["pattern"].as_str()) {
                assert!(shown.contains(&plain(stated)), "{} {}: {stated}", version.crd, node.path);
                count += 1;
            }
        }
    }
    assert!(count > 500, "{count}");
}
