//! The content of the page is that of the published CRDs.

use serde_json::{Map, Value, json};

use crate::pages;
use crate::published::{Version, releases};

/// A schema without the descriptions of its nodes. Numbers are those of JavaScript.
fn without_descriptions(schema: &Value) -> Value {
    let Value::Object(members) = schema else { return numbers(schema) };
    let members = members.iter().filter(|(key, _)| *key != "description").map(|(key, value)| {
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => properties
                .iter()
                .map(|(name, schema)| (name.clone(), without_descriptions(schema)))
                .collect::<Map<_, _>>()
                .into(),
            ("items" | "additionalProperties", schema) => without_descriptions(schema),
            (_, value) => numbers(value),
        };
        (key.clone(), value)
    });
    Value::Object(members.collect())
}

fn numbers(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.iter().map(numbers).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key.clone(), numbers(value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// The paths of the values that differ.
fn differences(left: &Value, right: &Value, path: &str, found: &mut Vec<String>) {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            for key in left.keys().chain(right.keys().filter(|key| !left.contains_key(*key))) {
                let value = |members: &Map<String, Value>| members.get(key).cloned().unwrap_or_default();
                differences(&value(left), &value(right), &format!("{path}/{key}"), found);
            }
        }
        _ if left != right => found.push(format!("{path}: {left:.200} and in the page {right:.200}")),
        _ => {}
    }
}

#[test]
fn the_page_has_every_release_with_its_channels() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "") else { return };
    let seen = browser.evaluate("return site.data.releases.filter(x => !x.unreleased).map(x => x.version)", json!([]));
    let published = releases().iter().map(|release| &*release.version).collect::<Vec<_>>();
    assert_eq!(pages::texts(&seen), published);
    let chosen = browser.evaluate(
        "return [...document.querySelectorAll('#bundle option')].map(x => x.textContent.split(' ')[0]).reverse()",
        json!([]),
    );
    assert_eq!(&pages::texts(&chosen)[..published.len()], published);
}

#[test]
fn schemas_are_those_of_the_published_crds() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "") else { return };
    let mut compared = 0;
    for release in releases() {
        let versions = release.versions();
        // What the page has, and nothing else.
        let listed = browser.evaluate(
            "const found = [];
             for (const channel of site.data.channels) for (const crd of site.data.crds) for (const version of crd.versions)
               if (site.schema(args, channel, crd.name, version.name)) found.push(`${channel} ${crd.name} ${version.name}`);
             return found.sort()",
            json!(release.version),
        );
        let mut expected = versions
            .iter()
            .map(|Version { channel, crd, name, .. }| format!("{channel} {crd} {name}"))
            .collect::<Vec<_>>();
        expected.sort();
        assert_eq!(pages::texts(&listed), expected, "{}", release.version);
        let names = versions.iter().map(|version| json!([release.version, version.channel, version.crd, version.name]));
        let shown =
            browser.evaluate("return args.map(names => site.schema(...names))", names.collect::<Vec<_>>().into());
        for (version, shown) in versions.iter().zip(shown.as_array().expect("schemas")) {
            let Version { release, channel, crd, name, schema, .. } = version;
            let mut found = Vec::new();
            differences(&without_descriptions(schema), &numbers(shown), "", &mut found);
            assert!(found.is_empty(), "{release} {channel} {crd} {name}:\n{}", found.join("\n"));
            compared += 1;
        }
    }
    println!("{compared} schemas of {} releases are equal", releases().len());
    assert!(compared > 400, "{compared}");
}

#[test]
fn descriptions_are_those_of_the_newest_bundle() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "") else { return };
    let newest = releases().last().expect("a release");
    let mut compared = 0;
    for version in newest.versions() {
        let described = crate::published::nodes(version.schema).into_iter();
        let described =
            described.filter_map(|node| Some((node.path, node.schema["description"].as_str()?))).collect::<Vec<_>>();
        // Words in order: Markdown only removes marks between them.
        let shown = browser.evaluate(
            "const [channel, crd, version, paths] = args, box = document.createElement('div'), c = site.data.channels.indexOf(channel);
             return paths.map(path => {
               const node = site.node(crd, version, path), id = node && node.d ? node.d[c] : -1;
               box.innerHTML = id < 0 ? '' : site.data.texts[id];
               return box.textContent;
             })",
            json!([version.channel, version.crd, version.name, described.iter().map(|(path, _)| path).collect::<Vec<_>>()]),
        );
        for ((path, description), shown) in described.iter().zip(pages::texts(&shown)) {
            let (expected, shown) = (words(description), words(shown));
            assert_eq!(expected, shown, "{} {} {} {path}", version.channel, version.crd, version.name);
            compared += 1;
        }
    }
    println!("{compared} descriptions are equal");
    assert!(compared > 2000, "{compared}");
}

/// The letters of a text, in order, without addresses and the marks of Markdown.
fn words(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).collect()
}
