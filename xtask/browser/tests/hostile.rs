//! Hostile texts of CRDs are text: no script runs, and nothing is loaded.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use crd_browser::{Browser, Theme};
use serde_json::{Value, json};

use crate::pages::{self, GO};

/// Texts that are markup, script, or invisible somewhere.
const HOSTILE: &[&str] = &[
    "</script><script>window.harmed = 1</script>",
    "<img src=x onerror=\"window.harmed = 2\">",
    "<!-- <script> ]]> --!> </style></noscript></template>",
    "[link](javascript:window.harmed=3) <javascript:window.harmed=3> ![i](x\" onerror=\"window.harmed=3)",
    "\u{202e}evil\u{2066}\u{200b}\u{feff}",
    "\"'><svg/onload=window.harmed=4>",
    "{{ data }}{% raw %}${window.harmed = 5}`",
    "a\u{0}b\u{1b}[31m",
    "__proto__",
    "constructor",
    "<details open ontoggle=window.harmed=6>",
];

/// A CRD whose texts are hostile wherever a server takes any text. `shift` makes another release of it.
fn crd(shift: usize) -> Value {
    let text = |index: usize| HOSTILE[(index + shift) % HOSTILE.len()];
    let mut properties = serde_json::Map::new();
    for (index, name) in HOSTILE.iter().enumerate() {
        let schema = json!({
            "type": "string", "description": format!("{}\n\n* {}\n\n    {}", text(index), text(index + 1), text(index + 2)),
            "default": text(index), "enum": [text(index), text(index + 1)], "pattern": format!("\\Q{}\\E|", text(index + 3)),
        });
        properties.insert((*name).to_owned(), schema);
    }
    properties.insert("long".to_owned(), json!({"type": "string", "description": "<b>long</b> ".repeat(1 << 12)}));
    properties.insert(
        "line".to_owned(),
        json!({"type": "string", "description": "x".repeat(1 << 20), "pattern": "y".repeat(1 << 16)}),
    );
    properties.insert(
        "object".to_owned(),
        json!({"type": "object", "properties": {"toString": {"type": "string"}, "hasOwnProperty": {"type": "string"}}}),
    );
    // A rule that compiles: its text is a string.
    let rule = |text: &&str| json!({"rule": format!("{} != ''", json!(text)), "message": text});
    let rules = HOSTILE.iter().map(rule).collect::<Vec<_>>();
    let spec = json!({"type": "object", "properties": properties, "required": HOSTILE, "x-kubernetes-validations": rules, "description": text(0)});
    let mut crd = crd_testdata::thing_crd(
        &json!({"type": "object", "description": text(1), "properties": {"spec": spec}}),
        &json!({}),
    );
    let columns = HOSTILE
        .iter()
        .map(|text| json!({"name": text, "type": "string", "jsonPath": format!(".{text}")}))
        .collect::<Vec<_>>();
    crd["spec"]["versions"][0]["additionalPrinterColumns"] = json!(columns);
    crd["spec"]["versions"][0]["deprecated"] = json!(true);
    crd["spec"]["versions"][0]["deprecationWarning"] = json!(text(1));
    crd
}

fn page() -> &'static PathBuf {
    static PAGE: OnceLock<PathBuf> = OnceLock::new();
    PAGE.get_or_init(|| {
        let folder = pages::folder("hostile");
        let file = |shift: usize| {
            let file = folder.join(format!("crd{shift}.json"));
            fs::write(&file, crd(shift).to_string()).expect("the CRD is written");
            format!("{}=v1.{shift}.0", file.display())
        };
        let name = HOSTILE.concat();
        pages::docs(&folder, &["--name", &name, "--crds", &file(0), &file(1)])
    })
}

/// What must hold in every view.
fn assert_inert(browser: &Browser, what: &str) {
    let seen = browser.evaluate(
        "return {
           harmed: window.harmed ?? null,
           scripts: document.scripts.length,
           handlers: [...document.querySelectorAll('*')].filter(x => [...x.attributes].some(a => a.name.startsWith('on'))).length,
           images: document.querySelectorAll('img, iframe, object, embed, base, form[action], #view style, #view svg').length,
           links: [...document.querySelectorAll('a[href]')].filter(x => !['file:', 'http:', 'https:', 'mailto:'].includes(x.protocol)).map(x => x.href),
         }",
        json!([]),
    );
    assert_eq!(seen, json!({"harmed": null, "scripts": 2, "handlers": 0, "images": 0, "links": []}), "{what}");
}

#[test]
fn hostile_texts_are_shown_and_do_nothing() {
    let Some(browser) = Browser::start() else { return };
    pages::open(&browser, page(), "#/");
    assert_inert(&browser, "overview");
    let title = browser.evaluate("return document.title", json!([]));
    assert!(title.as_str().is_some_and(|title| title.ends_with(" API reference")), "{title}");
    for address in
        ["#/things.example.com/v1", "#/things.example.com/v1/spec.line?bundle=v1.0.0", "#/diff?from=v1.0.0&to=v1.1.0"]
    {
        pages::go(&browser, address);
        pages::open_rows(&browser, 2);
        assert_inert(&browser, address);
        let shown = browser.evaluate("return document.getElementById('view').textContent", json!([]));
        let shown = shown.as_str().expect("text");
        for text in [HOSTILE[0], HOSTILE[1], HOSTILE[5]] {
            assert!(shown.contains(text), "{address} does not show {text}");
        }
        // Characters that change the order of a line, or are invisible, are shown as escapes.
        assert!(!shown.contains(['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{0}', '\u{1b}']), "{address}");
        browser.width(360);
        assert_eq!(pages::past_the_edge(&browser), json!(null), "{address}");
        browser.width(1280);
    }
    assert_eq!(browser.messages(), []);
    let requests = browser.requests();
    assert!(
        requests.iter().all(|address| address.starts_with("file://") && address.contains("index.html")),
        "{requests:?}"
    );
}

#[test]
fn each_hostile_name_is_found_and_has_a_permalink() {
    let Some(browser) = Browser::start() else { return };
    pages::open(&browser, page(), "#/");
    for name in HOSTILE.iter().copied().chain(["toString", "hasOwnProperty", "long", "line"]) {
        let path = if name.contains("O") || name == "toString" {
            format!("spec.object.{name}")
        } else {
            format!("spec.{name}")
        };
        let path = if HOSTILE.contains(&name) { format!("spec.{name}") } else { path };
        let shown = browser.evaluate(
            &format!("{GO} const node = site.node('things.example.com', 'v1', args);
             if (!node) return 'no node';
             await go('#/things.example.com/v1/' + encodeURIComponent(args));
             const row = document.querySelector('.target');
             const seen = row ? row.querySelector('.name').textContent : document.getElementById('view').innerText.slice(0, 200);
             await go('#/');
             return [node.n, seen];"),
            json!(path),
        );
        assert_eq!(shown[0], json!(name), "{shown}");
        let visible = |letter: char| match letter {
            ' '..='~' => letter.to_string(),
            hidden => format!("\\u{:04x}", u32::from(hidden)),
        };
        assert_eq!(shown[1], json!(name.chars().map(visible).collect::<String>()), "{name}");
    }
    assert_inert(&browser, "after the permalinks");
    assert_eq!(browser.messages(), []);
}

#[test]
fn hostile_texts_do_nothing_without_javascript_and_in_the_dark() {
    let Some(browser) = Browser::start() else { return };
    browser.without_javascript();
    browser.media("screen", Theme::Dark);
    browser.open(page(), "");
    let seen = browser.evaluate("return [document.scripts.length, document.querySelectorAll('img, iframe, object, embed, base').length, [...document.querySelectorAll('a[href]')].filter(x => x.protocol === 'javascript:').length, document.body.textContent.includes(args)]", json!(HOSTILE[1]));
    assert_eq!(seen, json!([2, 0, 0, true]));
}
