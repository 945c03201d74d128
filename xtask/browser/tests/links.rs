//! The permalink of each field of each bundle resolves, and shows what the CRD states.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::pages::{self, GO};
use crate::published::{CHANNELS, nodes, releases};

/// The permalink of a field, built from the contract of addresses.
fn permalink(crd: &str, version: &str, path: &str, release: &str, newest: &str, channel: &str) -> String {
    let bundle = (release != newest).then(|| format!("bundle={release}"));
    let channel = (channel != CHANNELS[0]).then(|| format!("channel={channel}"));
    let query = bundle.into_iter().chain(channel).collect::<Vec<_>>().join("&");
    format!("#/{crd}/{version}/{path}{}{query}", if query.is_empty() { "" } else { "?" })
}

/// What the page must show about a field: each text is part of what its row shows.
fn stated(schema: &Value) -> Vec<String> {
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut texts = ["pattern", "default", "format", "x-kubernetes-list-type"]
        .map(|key| &schema[key])
        .into_iter()
        .filter(|value| !value.is_null() && **value != json!(""))
        .map(shown)
        .collect::<Vec<_>>();
    texts.extend(schema["enum"].as_array().into_iter().flatten().filter(|value| **value != json!("")).map(shown));
    for rule in schema["x-kubernetes-validations"].as_array().into_iter().flatten() {
        texts.extend(["rule", "message"].into_iter().filter_map(|key| rule[key].as_str()).map(str::to_owned));
    }
    for key in ["minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"] {
        texts.extend(schema[key].as_i64().map(|number| number.to_string()));
    }
    texts
}

#[test]
fn the_permalink_of_each_field_resolves() {
    let newest = &releases().last().expect("a release").version;
    let mut links: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (number, version) in releases().iter().flat_map(|release| release.versions()).enumerate() {
        for (index, node) in nodes(version.schema).into_iter().filter(|node| node.is_field).enumerate() {
            // A sample has a part of the fields of each version.
            if crd_testdata::is_proof() || (index + number) % 120 == 0 {
                let address =
                    permalink(version.crd, version.name, &node.path, version.release, newest, version.channel);
                links.entry((version.release, version.channel)).or_default().push(json!([
                    address,
                    node.path,
                    stated(node.schema)
                ]));
            }
        }
    }
    let Some(browser) = pages::browser_at(pages::gateway_api, "") else { return };
    let body = format!(
        "{GO} const wrong = [];
         for (const [address, path, stated] of args) {{
           await go(address);
           const row = document.querySelector('.target'), fail = what => wrong.push(`${{address}}: ${{what}}`);
           if (document.querySelector('.problem')) {{ fail(document.querySelector('.problem').innerText); continue; }}
           if (!row) {{ fail('no row is marked'); continue; }}
           const link = row.querySelector(':scope > a'), name = row.querySelector('.name').textContent;
           if (decodeURIComponent(link.hash) !== address) fail('its own link is ' + link.hash);
           if (name !== path.split('.').pop().replaceAll('[*]', '')) fail('the row of ' + name);
           if (!row.checkVisibility()) fail('the row is not visible');
           if (!row.contains(document.activeElement)) fail('the row has no focus');
           for (const text of stated) if (!row.textContent.includes(text)) fail('lacks ' + text);
         }}
         return wrong;"
    );
    let mut count = 0;
    for ((release, channel), links) in &links {
        // A call has a time limit, and a page that is opened again has few rows open.
        let mut wrong = Vec::new();
        for links in links.chunks(200) {
            pages::open(&browser, pages::gateway_api(), "");
            let found = browser.evaluate(&body, json!(links));
            wrong.extend(pages::texts(&found).into_iter().map(str::to_owned));
        }
        assert!(
            wrong.is_empty(),
            "{release} {channel}: {} of {}:\n{}",
            wrong.len(),
            links.len(),
            wrong[..wrong.len().min(10)].join("\n")
        );
        count += links.len();
    }
    println!("{count} permalinks resolve");
    assert!(count > 200, "{count}");
    assert_eq!(browser.messages(), []);
}
