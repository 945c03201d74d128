//! Search finds every field of every bundle, at once and in the box.

use std::collections::BTreeSet;

use crd_browser::Browser;
use serde_json::{Value, json};

use crate::pages;
use crate::published::{nodes, releases};

/// How long an answer may take with a processor that is slowed down four times, in milliseconds.
const LIMIT: f64 = 50.0;

/// Every field: CRD, kind, version and path.
fn fields() -> Vec<(&'static str, &'static str, &'static str, String)> {
    let versions = releases().iter().flat_map(|release| release.versions());
    let fields = versions.flat_map(|version| {
        let fields = nodes(version.schema).into_iter().filter(|node| node.is_field);
        fields.map(move |node| (version.crd, version.kind, version.name, node.path))
    });
    fields.collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn search_finds_every_field_of_every_bundle() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "") else { return };
    let fields = fields();
    let count = fields.len();
    let fields = crd_testdata::sample_of(fields, |_| false);
    let body = "const wrong = [];
         for (const [crd, kind, version, path] of args) {
           const name = path.split('.').pop().replaceAll('[*]', '');
           for (const query of [path, `${kind} ${path}`, `${kind} ${name}`.toLowerCase(), `${name} ${version} ${kind}`])
             if (!site.search(query).some(x => x.crd === crd && x.version === version && x.path.replaceAll('[*]', '') === path.replaceAll('[*]', '')))
               wrong.push(`${query} does not find ${crd} ${version} ${path}`);
         }
         return wrong";
    // A call has a time limit.
    for fields in fields.chunks(300) {
        let wrong = browser.evaluate(body, json!(fields));
        assert_eq!(wrong, json!([]));
    }
    println!("{} of {count} fields are found, by four queries each", fields.len());
    assert!(count > 1500, "{count}");
}

#[test]
fn removed_names_are_found_with_what_replaced_them() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "") else { return };
    let ledger = crd_model::yaml::read(
        &std::fs::read_to_string(pages::root().join("bundles/tombstones.yaml")).expect("the ledger"),
    );
    let ledger = ledger.expect("YAML").remove(0);
    let tombstones = ledger["tombstones"].as_array().expect("tombstones");
    assert!(tombstones.len() > 10, "{}", tombstones.len());
    for tombstone in tombstones {
        let text = |key: &str| tombstone[key].as_str().unwrap_or_default();
        // A resource has no name in addition to that of its CRD.
        let query = if tombstone["name"].is_null() { text("crd") } else { text("name") };
        let found = browser.evaluate(
            "return site.search(args[0]).filter(x => x.removed && x.crd === args[1]).map(x => x.removed)",
            json!([query, text("crd")]),
        );
        let found = found.as_array().into_iter().flatten().any(|removed| {
            let text = |of: &Value, key: &str| of[key].as_str().unwrap_or_default().to_owned();
            ["kind", "name", "path", "removed", "reason", "replacement"]
                .iter()
                .all(|key| text(removed, key) == text(tombstone, key))
        });
        assert!(found, "{query}: {tombstone}");
    }
    println!("{} removed names are found", tombstones.len());
}

#[test]
fn words_of_descriptions_and_values_are_found() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "") else { return };
    for (query, field) in [
        ("share of requests to copy in percent", "spec.rules[*].filters[*].requestMirror.percent"),
        ("TLSRoutePassthrough", ""),
        ("urlrewrite replaceprefixmatch", "spec.rules[*].filters[*].urlRewrite.path.replacePrefixMatch"),
        ("RegularExpression", "spec.rules[*].matches[*].path.type"),
    ] {
        let found = browser.evaluate("return site.search(args).map(x => x.path)", json!(query));
        let found = pages::texts(&found);
        assert!(field.is_empty() || found.contains(&field), "{query}: {found:?}");
    }
    for query in ["", " ", "nothingofthiskind", "\u{0}", "(", "[*]", "\\", "<script>", &"x".repeat(100_000)] {
        let found = browser.evaluate("return site.search(args)", json!(query));
        assert_eq!(found, json!([]), "{query:.20}");
    }
}

/// Milliseconds from a letter until the results are in the page and laid out, and until they are painted.
type Times = [f64; 2];

/// How often a query is typed. The time of a letter is the median.
const REPEATS: usize = 5;

/// Types a query into the box. Each letter waits until the results of the one before are painted.
fn typed(browser: &Browser, query: &str) -> Vec<Times> {
    browser.press(['/']);
    browser.run("document.activeElement.value = ''");
    let mut times = Vec::new();
    for letter in query.chars() {
        browser.press([letter]);
        let body =
            "while (!window.times.length) await new Promise(done => setTimeout(done, 1)); return window.times.pop()";
        let time = browser.evaluate(body, json!([]));
        times.push([0, 1].map(|index| time[index].as_f64().expect("a time")));
    }
    assert_eq!(
        browser.evaluate("return document.getElementById('results').childElementCount > 0", json!([])),
        json!(true),
        "{query}"
    );
    browser.press(['\u{e00c}', '\u{e00c}']);
    times
}

#[test]
fn the_box_answers_at_once_on_a_slow_processor() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "") else { return };
    browser.run(
        "window.times = [];
         let start = 0;
         addEventListener('input', () => { start = performance.now(); }, { capture: true });
         addEventListener('input', () => {
           document.getElementById('results').getBoundingClientRect();
           const shown = performance.now() - start;
           requestAnimationFrame(() => setTimeout(() => window.times.push([shown, performance.now() - start])));
         });",
    );
    browser.slow_down(4);
    let queries = [
        "a",
        "e",
        "name",
        "the",
        "spec.rules.matches",
        "HTTPRoute timeouts",
        "gateway listener tls mode",
        "header name",
    ];
    let mut letters = Vec::new();
    for query in crd_testdata::sample_of(queries.to_vec(), |query| *query == "e") {
        let repeats = (0..REPEATS).map(|_| typed(&browser, query)).collect::<Vec<_>>();
        for (index, letter) in query.chars().enumerate() {
            let median = |which: usize| {
                let mut times = repeats.iter().map(|times| times[index][which]).collect::<Vec<_>>();
                times.sort_by(f64::total_cmp);
                times[REPEATS / 2]
            };
            letters.push((median(0), median(1), letter));
        }
    }
    let slowest = |of: fn(&(f64, f64, char)) -> f64| letters.iter().map(of).fold(0.0, f64::max);
    let (shown, painted) = (slowest(|times| times.0), slowest(|times| times.1));
    println!(
        "{} letters: the slowest has results after {shown:.1} ms, and they are painted after {painted:.1} ms",
        letters.len()
    );
    assert!(!crd_testdata::is_proof() || shown <= LIMIT, "{letters:?}");
}

#[test]
fn a_sample_of_fields_is_opened_with_the_keyboard() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "#/") else { return };
    let fields = fields();
    let step = fields.len() / crd_testdata::sample(40);
    for (crd, kind, version, path) in fields.into_iter().step_by(step) {
        browser.press(['/']);
        browser.press(format!("{kind} {path} {version}").chars());
        // Down to the field, then Enter.
        let place = browser.evaluate(
            // The last results come after the first ones are painted.
            "const wanted = args.replaceAll('[*]', ''), path = x => x.querySelector('.rpath')?.textContent.replaceAll('[*]', '') ?? '';
             for (let i = 0, place; i < 6000; i++) {
               place = [...document.querySelectorAll('#results > li')].findIndex(x => path(x).endsWith(' › ' + wanted));
               if (place >= 0) return place;
               await new Promise(done => setTimeout(done, 10));
             }
             return -1",
            json!(path),
        );
        let place = usize::try_from(place.as_i64().expect("a number"))
            .unwrap_or_else(|_| panic!("{kind} {version} {path} is not shown"));
        browser.press(std::iter::repeat_n('\u{e015}', place));
        browser.press(['\u{e007}']);
        let body = "for (let i = 0; i < 6000 && !location.hash.includes(args); i++) await new Promise(done => setTimeout(done, 10)); return decodeURIComponent(location.hash)";
        let address = browser.evaluate(body, json!(crd));
        let address: &Value = &address;
        let opened = address.as_str().unwrap_or_default().replace("[*]", "");
        assert!(opened.starts_with(&format!("#/{crd}/{version}/{}", path.replace("[*]", ""))), "{path}: {address}");
        pages::go(&browser, "#/");
    }
}
