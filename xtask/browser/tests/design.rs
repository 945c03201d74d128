//! What a designer sees, measured in the browser: nothing overlaps, what is wider than the screen scrolls visibly, and the deciding findings come first.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use crd_browser::{Browser, Theme};
use serde_json::{Map, Value, json};

use crate::pages;

/// Kinds with long names: with capitals, and without any place to break.
const KINDS: [&str; 5] =
    ["A", "VeryLongResourceNameBindingPolicyTemplate", "Bindingswithoutanycapitalletterinthemiddle", "Bee", "Cee"];
const RELEASES: usize = 40;

fn crd(kind: &str, release: usize, more: usize) -> Value {
    let names = (0..1 + release % 7 + more).map(|field| (format!("field{field}"), json!({"type": "string"})));
    let spec = json!({"type": "object", "properties": names.collect::<Map<_, _>>()});
    let mut crd = crd_testdata::thing_crd(&json!({"type": "object", "properties": {"spec": spec}}), &json!({}));
    let plural = kind.to_lowercase();
    crd["metadata"]["name"] = json!(format!("{plural}.example.com"));
    crd["spec"]["names"] =
        json!({"kind": kind, "plural": plural, "singular": plural, "listKind": format!("{kind}List")});
    crd
}

/// A page of many releases without dates: of one channel, or of two.
fn page(channels: &[&str]) -> PathBuf {
    let folder = pages::folder(&format!("design{}", channels.len()));
    for release in 0..RELEASES {
        for (more, channel) in channels.iter().enumerate() {
            let below = if channels.len() > 1 { *channel } else { "" };
            let below = folder.join(format!("widgets/v1.{release}.0/{below}"));
            fs::create_dir_all(&below).expect("a folder");
            for kind in KINDS {
                fs::write(below.join(format!("{kind}.json")), crd(kind, release, more).to_string()).expect("a file");
            }
        }
    }
    pages::docs(&folder, &["--crds", folder.join("widgets").to_str().expect("a path in UTF-8")])
}

fn single() -> &'static PathBuf {
    static PAGE: OnceLock<PathBuf> = OnceLock::new();
    PAGE.get_or_init(|| page(&["standard"]))
}

fn double() -> &'static PathBuf {
    static PAGE: OnceLock<PathBuf> = OnceLock::new();
    PAGE.get_or_init(|| page(&["standard", "experimental"]))
}

/// The elements of each selector that overlap each other or are wider than the page, as texts.
const OVERLAPS: &str = "const found = [];
    for (const [within, what] of args) for (const box of document.querySelectorAll(within)) {
      const all = [...box.querySelectorAll(what)].filter(x => x.checkVisibility()).map(x => [x.textContent, x.getBoundingClientRect()]);
      all.forEach(([text, a], i) => {
        if (what === '.card' && a.right > innerWidth) found.push(`${text} is wider than the page`);
        for (const [other, b] of all.slice(i + 1)) if (a.left < b.right - .5 && b.left < a.right - .5 && a.top < b.bottom - .5 && b.top < a.bottom - .5) found.push(`${text} and ${other}`);
      });
    }
    return [document.querySelectorAll('.card').length, document.querySelectorAll('.picture text').length, found];";

#[test]
fn cards_and_labels_of_pictures_do_not_overlap() {
    let Some(browser) = Browser::start() else { return };
    for (page, width) in [single(), double()].into_iter().flat_map(|page| [390, 768, 1280].map(|width| (page, width))) {
        browser.width(width);
        pages::open(&browser, page, "");
        let selectors = json!([["#view", ".card"], [".card", "strong, .muted"], [".picture svg", "text"]]);
        let seen = browser.evaluate(OVERLAPS, selectors);
        assert_eq!((&seen[0], &seen[2]), (&json!(KINDS.len()), &json!([])), "{width} px");
        assert!(seen[1].as_u64().is_some_and(|labels| labels > 10), "{seen}");
        assert_eq!(pages::past_the_edge(&browser), json!(null), "{width} px");
    }
}

#[test]
fn timelines_scroll_visibly_on_narrow_screens_and_keep_their_labels() {
    let Some(browser) = Browser::start() else { return };
    // Whether each picture is wider than its place and has a hint, and whether a scroll to either end shows the labels of all bars.
    let body = "return [...document.querySelectorAll('#picture-lives .scroll, #picture-changes .scroll')].filter(x => x.checkVisibility()).map(x => {
        const shown = [0, x.scrollWidth].map(to => { x.scrollLeft = to; const box = x.getBoundingClientRect(); return [...x.querySelectorAll('p')].every(p => { const a = p.getBoundingClientRect(); return a.left >= box.left - 1 && a.right <= box.right + 1; }); });
        return [x.scrollWidth > x.clientWidth, getComputedStyle(x, '::before').display !== 'none', ...shown];
      })";
    for (width, is_narrow) in [(390, true), (1280, false)] {
        browser.width(width);
        pages::open(&browser, double(), "");
        let seen = browser.evaluate(body, json!([]));
        assert_eq!(seen, json!(vec![json!([is_narrow, is_narrow, true, true]); 2]), "{width} px");
    }
}

#[test]
fn bars_are_as_wide_in_the_browser_as_their_shares() {
    let Some(browser) = Browser::start() else { return };
    for width in [390, 1280] {
        browser.width(width);
        pages::open(&browser, double(), "");
        // The numbers of a row of the table, and the widths of the parts of its bar, as shares of all.
        let rows = browser.evaluate(
            "const shares = list => { const all = list.reduce((a, b) => a + b, 0); return list.map(x => x / all); };
             const figure = document.getElementById('picture-overlap'), bars = [...figure.querySelectorAll('.bars li')];
             const rows = [...figure.querySelectorAll('tbody tr')].map(x => [...x.cells].slice(1).map(y => +y.textContent.replace(',', '')).filter(Boolean));
             return rows.filter(x => x.length).map((row, i) => [shares(row), shares([...bars[i].querySelectorAll('rect')].map(x => x.getBoundingClientRect().width))])",
            json!([]),
        );
        let rows = rows.as_array().expect("rows");
        assert!(rows.len() >= 2, "{rows:?}");
        for pair in rows {
            let shares = |side: usize| {
                pair[side].as_array().expect("shares").iter().map(|share| share.as_f64().expect("a share"))
            };
            assert_eq!(shares(0).len(), shares(1).len(), "{pair}");
            assert!(shares(0).zip(shares(1)).all(|(fact, shown)| (fact - shown).abs() < 0.005), "{width} px: {pair}");
        }
    }
}

#[test]
fn pages_without_dates_and_channels_do_not_invent_them() {
    let Some(browser) = Browser::start() else { return };
    pages::open(&browser, single(), "#/diff");
    let seen = browser.evaluate(
        "const visible = x => document.querySelector(x).checkVisibility();
         const title = document.title, text = document.body.innerText;
         location.hash = '#/';
         await new Promise(done => addEventListener('hashchange', done, { once: true }));
         return [title, /unreleased|standard/.test(text), document.querySelector('h1').innerText, document.title, visible('#channel'), visible('#bundle')]",
        json!([]),
    );
    let title = format!("v1.{}.0 → v1.{}.0 · example.com API reference", RELEASES - 2, RELEASES - 1);
    assert_eq!(seen, json!([title, false, "example.com API", "example.com API reference", false, true]));
}

#[test]
fn one_release_of_a_small_api_has_no_history_and_no_pictures() {
    let Some(browser) = Browser::start() else { return };
    let folder = pages::folder("one");
    fs::write(folder.join("crd.json"), crd("Bee", 3, 0).to_string()).expect("a file");
    let page = pages::docs(&folder, &["--crds", folder.join("crd.json").to_str().expect("a path in UTF-8")]);
    for width in [390, 1280] {
        browser.width(width);
        pages::open(&browser, &page, "#/");
        let seen = browser.evaluate(
            "return [document.querySelectorAll('figure').length, document.querySelector('[data-view=diff]').checkVisibility()]",
            json!([]),
        );
        assert_eq!(seen, json!([0, false]), "{width} px");
        pages::go(&browser, "#/bee.example.com/v1");
        pages::open_rows(&browser, 2);
        let seen = browser.evaluate(
            "const facts = [...document.querySelectorAll('.facts dd')].map(x => x.textContent.trim());
             return [facts.length >= 3, facts.filter(x => x === '0' || x === ''), /since|unversioned →|standard/.test(document.querySelector('article').innerText)]",
            json!([]),
        );
        assert_eq!(seen, json!([true, [], false]), "{width} px");
    }
}

#[test]
fn deciding_findings_come_first_and_known_ones_last() {
    let Some(browser) = Browser::start() else { return };
    for (theme, width) in [(Theme::Light, 390), (Theme::Dark, 1280)] {
        browser.media("screen", theme);
        browser.width(width);
        // Seven fields become one: the fields that are removed decide.
        pages::open(&browser, double(), "#/diff?from=v1.6.0&to=v1.7.0&channel=both");
        let seen = browser.evaluate(
            "const order = ['.step', '.decide .finding', '.dcrd', '.known'].map(x => { const e = document.querySelector(x); return e ? e.getBoundingClientRect().top : null; }).filter(x => x !== null);
             const decide = site.difference('v1.6.0', 'v1.7.0', 'both').filter(x => x.decides);
             const messages = list => [...new Set(list)].sort();
             return [order.every((x, i) => !i || x > order[i - 1]), order.length >= 3, decide.length > 10, document.querySelectorAll('.decide .finding').length < decide.length,
               JSON.stringify(messages([...document.querySelectorAll('.decide .message')].map(x => x.textContent))) === JSON.stringify(messages(decide.map(x => x.message.replaceAll('`', '')))),
               [...document.querySelectorAll('.decide .places a')].every(x => x.href.includes('#/')), document.querySelectorAll('.dcrd:not(.known *) .finding').length > 0, [...document.querySelectorAll('.dcrd:not(.known *) .finding .badge')].some(x => x.textContent === 'known before')]",
            json!([]),
        );
        assert_eq!(seen, json!([true, true, true, true, true, true, true, false]), "{width} px");
        assert_eq!(pages::past_the_edge(&browser), json!(null), "{width} px");
    }
    assert_eq!(browser.messages(), []);
}
