//! Hostile texts are text, in the static parts of a page and in its data.

use std::collections::{BTreeMap, BTreeSet};

use crd_model::channel::Channel;
use crd_site::Site;
use scraper::{ElementRef, Html, Selector};
use serde_json::{Map, Value, json};

use crate::made::{data, page, site};

/// Texts that are markup, script or invisible somewhere.
const HOSTILE: &[&str] = &[
    "</script><script>alert(1)</script>",
    "<img src=x onerror=\"alert(2)\">",
    "<!-- <script> ]]> --!> </style></noscript></template></svg></title>",
    "[link](javascript:alert(3)) <javascript:alert(3)> ![i](x\" onerror=\"alert(3)) [r]\n\n[r]: javascript:alert(3)",
    "\u{202e}evil\u{2066}\u{200b}\u{feff}",
    "\"'><svg/onload=alert(4)>",
    "{{ data }}{% raw %}${alert(5)}`",
    "a\u{1b}[31m",
    "__proto__",
    "<details open ontoggle=alert(6)><math><mtext></mtext></math>",
    "https://a.example/\"onmouseover=alert(7)<b>",
    "&lt;script&gt;&#60;script&#62;",
];

/// Elements that no part of a page has.
const FORBIDDEN: &str = "img, iframe, object, embed, base, foreignObject, template, math, video, audio, link[href^=http], meta[http-equiv=refresh]";

/// A CRD whose texts are all hostile.
fn crd(shift: usize) -> Value {
    let text = |index: usize| HOSTILE[(index + shift) % HOSTILE.len()];
    let field = |index: usize| {
        json!({
            "type": "string", "description": format!("{}\n\n* {}\n\n    {}", text(index), text(index + 1), text(index + 2)),
            "default": text(index), "enum": [text(index), text(index + 1)], "pattern": text(index + 3), "title": text(index + 4),
        })
    };
    let mut properties = HOSTILE.iter().enumerate().map(|(index, name)| ((*name).to_owned(), field(index)));
    let mut properties = properties.by_ref().collect::<Map<_, _>>();
    properties.insert("line".to_owned(), json!({"type": "string", "description": "<b>x</b>".repeat(1 << 17)}));
    let rules = HOSTILE.iter().map(|text| json!({"rule": text, "message": text})).collect::<Vec<_>>();
    let spec =
        json!({"type": "object", "properties": properties, "required": HOSTILE, "x-kubernetes-validations": rules});
    let schema = json!({"type": "object", "description": text(0), "properties": {"spec": spec}});
    let mut crd = crd_testdata::thing_crd(&schema, &json!({}));
    let columns = HOSTILE.iter().map(|text| json!({"name": text, "type": "string", "jsonPath": format!(".{text}")}));
    let version = &mut crd["spec"]["versions"][0];
    version["additionalPrinterColumns"] = columns.collect();
    version["deprecated"] = json!(true);
    version["deprecationWarning"] = json!(text(1));
    version["name"] = json!(text(5));
    let names = &mut crd["spec"]["names"];
    (names["categories"], names["shortNames"], names["kind"]) = (json!(HOSTILE), json!(HOSTILE), json!(text(0)));
    crd["spec"]["group"] = json!(text(1));
    crd["metadata"]["name"] = json!(text(2));
    crd
}

/// A site in which every text is hostile.
fn hostile() -> Site {
    let release = |shift: usize| {
        let experimental = (0..HOSTILE.len()).map(|index| crd(index + shift)).collect();
        BTreeMap::from([(Channel::Standard, vec![crd(shift)]), (Channel::Experimental, experimental)])
    };
    let mut site = site(&HOSTILE.concat(), &[release(0), release(1)]);
    let all = |key: &str| Value::from(HOSTILE.iter().map(|text| json!({key: text})).collect::<Vec<_>>());
    for (index, release) in site.releases.iter_mut().enumerate() {
        release.label = HOSTILE[index].to_owned();
    }
    let findings = HOSTILE.iter().map(|text| {
        json!({"crd": text, "rule": text, "message": text, "path": text, "before": text, "after": text, "channel": text})
    });
    site.differences = vec![json!({"verdict": HOSTILE[0], "findings": findings.collect::<Value>()})];
    site.removed = all("name").as_array().unwrap().clone();
    site.conversions = all("words").as_array().unwrap().clone();
    site.graduation = Some(json!({"format": 1, "rows": all("text")}));
    site.features = all("path").as_array().unwrap().clone();
    let sizes = HOSTILE.iter().map(|text| ((*text).to_owned(), 100_000));
    site.sizes = BTreeMap::from([((1, Channel::Experimental), sizes.collect())]);
    site
}

/// The elements of a tree that match a selector.
fn select<'h>(html: &'h Html, selector: &str) -> Vec<ElementRef<'h>> {
    html.select(&Selector::parse(selector).unwrap()).collect()
}

/// Panics if a tree has an element or attribute that runs or loads something. `scripts` is the number of its scripts.
fn assert_inert(html: &Html, scripts: usize, what: &str) {
    let forbidden = select(html, FORBIDDEN).into_iter().map(|element| element.html()).collect::<Vec<_>>();
    assert_eq!(forbidden, Vec::<String>::new(), "{what}");
    assert_eq!(select(html, "script").len(), scripts, "{what}");
    for element in select(html, "*") {
        for (name, value) in element.value().attrs() {
            assert!(
                !name.starts_with("on") && !["style", "srcdoc", "action", "formaction"].contains(&name),
                "{what}: {name}"
            );
            let schemes = ["#", "http://", "https://", "mailto:", "data:image/svg+xml,"];
            let is_safe = schemes.iter().any(|scheme| value.starts_with(scheme));
            assert!(!["href", "src", "xlink:href"].contains(&name) || is_safe, "{what}: {name}={value}");
        }
    }
}

/// The text of a tree without scripts and styles, as a reader sees it.
fn text(html: &Html) -> String {
    html.root_element().text().collect()
}

#[test]
fn hostile_texts_are_text_in_the_page() {
    let page = page(&hostile());
    let html = Html::parse_document(&page.html);
    // The data, and the program.
    assert_inert(&html, 2, "page");
    let quirks = html.errors.iter().filter(|error| !error.contains("Bad character"));
    assert_eq!(quirks.collect::<Vec<_>>(), Vec::<&std::borrow::Cow<'static, str>>::new());
    let title = select(&html, "title")[0].text().collect::<String>();
    assert!(title.contains("</script><script>alert(1)</script>") && title.ends_with(" API reference"), "{title}");

    // With JavaScript, the content of `noscript` is one text. Without it, it is this tree.
    let noscript = select(&html, "noscript");
    assert_eq!(noscript.len(), 2);
    let reference = Html::parse_fragment(&noscript[1].text().collect::<String>());
    assert_inert(&reference, 0, "reference");
    let shown = text(&reference);
    for hostile in HOSTILE.iter().filter(|text| !text.contains(|letter| !(' '..='~').contains(&letter))) {
        assert!(shown.contains(hostile), "the reference does not show {hostile}");
    }
    for tree in [&html, &reference] {
        let text = select(tree, "*").into_iter().filter(|element| element.value().name() != "script");
        let text = text.flat_map(|element| element.text().map(str::to_owned).collect::<Vec<_>>()).collect::<String>();
        let is_hidden = |letter: &char| "\u{202e}\u{2066}\u{200b}\u{feff}\u{1b}".contains(*letter);
        assert_eq!(text.chars().find(is_hidden), None);
    }
    // A line of 1 MB is not in the static parts.
    assert!(shown.len() < 1 << 20, "{}", shown.len());
}

#[test]
fn descriptions_have_only_elements_of_text() {
    let allowed =
        BTreeSet::from(["p", "strong", "em", "code", "pre", "ul", "ol", "li", "a", "blockquote", "br", "hr", "html"]);
    let contexts: [fn(&str) -> String; 14] = [
        str::to_owned,
        |text| format!("[x]({text})"),
        |text| format!("[{text}](https://a.example)"),
        |text| format!("[x](<{text}> \"{text}\")"),
        |text| format!("[x]\n\n[x]: {text}"),
        |text| format!("![{text}]({text})"),
        |text| format!("<{text}>"),
        |text| format!("`{text}` ``{text}``"),
        |text| format!("```{text}\n{text}\n```"),
        |text| format!("    {text}\n\n\t{text}"),
        |text| format!("# {text}\n\n{text}\n===\n\n{text}\n---"),
        |text| format!("> {text}\n> * {text}\n>   1. {text}"),
        |text| format!("**{text}** *{text}* __{text}__ ~~{text}~~"),
        |text| format!("https://{text} http://a.example/{text} &{text};"),
    ];
    let texts = contexts.iter().flat_map(|context| HOSTILE.iter().map(|text| context(text))).collect::<Vec<_>>();
    let fields = texts
        .iter()
        .enumerate()
        .map(|(index, text)| (format!("f{index:03}"), json!({"type": "string", "description": text})));
    let schema = json!({"type": "object", "properties": fields.collect::<Map<_, _>>()});
    let page = page(&site(
        "texts",
        &[BTreeMap::from([(Channel::Standard, vec![crd_testdata::thing_crd(&schema, &json!({}))])])],
    ));
    let data = data(&page.html);
    let rendered = data["texts"].as_array().unwrap();
    assert_eq!(rendered.len(), texts.iter().collect::<BTreeSet<_>>().len());
    for html in rendered {
        let html = html.as_str().unwrap();
        let tree = Html::parse_fragment(html);
        assert_inert(&tree, 0, html);
        let names =
            select(&tree, "*").into_iter().map(|element| element.value().name()).filter(|name| !allowed.contains(name));
        assert_eq!(names.collect::<Vec<_>>(), Vec::<&str>::new(), "{html}");
        for element in select(&tree, "*") {
            let names = element.value().attrs().map(|(name, _)| name).collect::<BTreeSet<_>>();
            let expected: &[&str] = if element.value().name() == "a" { &["href", "rel"] } else { &[] };
            assert!(names.iter().all(|name| expected.contains(name) || *name == "start"), "{html}");
        }
    }
}
