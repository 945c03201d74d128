//! The differences between neighbouring releases are those that `diff --format json` prints.
//!
//! Invariant: page and `diff` read the same bundles. The releases in the repository are without texts, which `diff` does not read, so both read
//! a workspace with all published CRDs. A test of the command line compares its differences with those of the repository's page.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use crate::pages::{self, GO};
use crate::published::{CHANNELS, releases, workspace};

/// Both commands use the same profile of the policy.
const PROFILE: [&str; 2] = ["--profile", "gep-922"];

fn workspace_arguments() -> Vec<&'static str> {
    let root = workspace().to_str().expect("a path in UTF-8");
    [&PROFILE[..], &["--root", root]].concat()
}

/// The page of the workspace.
fn page() -> &'static Path {
    static PAGE: OnceLock<PathBuf> = OnceLock::new();
    PAGE.get_or_init(|| pages::docs(&pages::folder("differences"), &workspace_arguments()))
}

/// Neighbouring releases.
struct Pair {
    old: &'static str,
    new: &'static str,
    /// What the command line prints.
    findings: Vec<Value>,
}

fn pairs() -> &'static [Pair] {
    static PAIRS: OnceLock<Vec<Pair>> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let versions = releases().iter().map(|release| &*release.version).collect::<Vec<_>>();
        let pairs = versions.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?))).collect();
        // The pair with many kinds of changes.
        let pairs = crd_testdata::sample_of(pairs, |(old, _)| *old == "v1.4.1");
        pairs.into_iter().map(|(old, new)| Pair { old, new, findings: findings(old, new) }).collect()
    })
}

fn findings(old: &str, new: &str) -> Vec<Value> {
    let arguments = [&["diff", old, new, "--format", "json"][..], &workspace_arguments()].concat();
    let (_, out, err) = pages::run(&arguments);
    let mut document: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {err}"));
    assert_eq!(document["errors"], json!([]), "{old} {new}");
    // The page leaves them out, because each release has them for each CRD.
    let is_stamp = |finding: &Value| finding["rule"] == "stamps" && finding["effectiveBump"] == "none";
    match document["findings"].take() {
        Value::Array(findings) => findings.into_iter().filter(|finding| !is_stamp(finding)).collect(),
        other => panic!("no findings: {other}"),
    }
}

/// A finding without its line in a file, which the page does not have.
fn without_source(finding: &Value) -> Value {
    let members = finding.as_object().expect("an object").iter().filter(|(key, _)| *key != "source");
    members.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>().into()
}

#[test]
fn differences_are_those_of_the_command_line() {
    let Some(browser) = pages::browser_at(page, "") else { return };
    let mut compared = 0;
    for Pair { old, new, findings } in pairs() {
        for channel in CHANNELS.map(Some).into_iter().chain([None]) {
            let shown = browser.evaluate("return site.difference(...args)", json!([old, new, channel]));
            let of_channel = |finding: &&Value| {
                channel.is_none_or(|channel| finding["channel"].as_str().is_none_or(|own| own == channel))
            };
            let expected = findings.iter().filter(of_channel).map(without_source).collect::<Vec<_>>();
            let shown = shown.as_array().expect("findings").iter().map(without_source).collect::<Vec<_>>();
            for (expected, shown) in expected.iter().zip(&shown) {
                assert_eq!(expected, shown, "{old} {new} {channel:?}");
            }
            assert_eq!(expected.len(), shown.len(), "{old} {new} {channel:?}");
            compared += shown.len();
        }
    }
    println!("{compared} findings of {} pairs are equal", pairs().len());
    assert!(compared > 400, "{compared}");
}

#[test]
fn the_view_shows_each_finding_with_its_rule_and_bump() {
    let Some(browser) = pages::browser_at(page, "") else { return };
    let body = format!(
        "{GO} await go(args);
         document.querySelectorAll('details.known').forEach(x => {{ x.open = true; }});
         while (document.querySelector('details.known:not(:has(.tree))')) await new Promise(done => setTimeout(done, 5));
         const closed = () => [...document.querySelectorAll('.dcrd')].filter(x => !x.open || x.children.length < 2);
         while (closed().length) {{ closed().forEach(x => {{ x.open = true; }}); await new Promise(done => setTimeout(done, 5)); }}
         const channels = x => Math.max(1, [...x.querySelectorAll('.meta .badge')].filter(y => site.data.channels.includes(y.textContent)).length);
         return [...document.querySelectorAll('.dcrd li.finding')].map(x => [x.querySelector('.rule').textContent, x.querySelector('.message').textContent, channels(x), x.checkVisibility(), x.querySelector('.bump').textContent])"
    );
    let mut count = 0;
    for Pair { old, new, findings } in pairs() {
        // Findings with the same text at the same place and in the same channel are shown once.
        let key = |finding: &Value| {
            ["channel", "crd", "version", "path", "rule", "message", "effective", "fix", "known"]
                .map(|key| finding[key].to_string())
        };
        let keys = findings.iter().map(key).collect::<BTreeSet<_>>();
        let shown = browser.evaluate(&body, json!(format!("#/diff?from={old}&to={new}&channel=both")));
        let shown = shown.as_array().expect("findings");
        let entries: u64 = shown.iter().map(|entry| entry[2].as_u64().expect("a number")).sum();
        assert_eq!(entries, keys.len() as u64, "{old} {new}");
        let texts = |rule: &Value, message: &Value| {
            (rule.as_str().unwrap_or_default().to_owned(), message.as_str().unwrap_or_default().replace('`', ""))
        };
        let shown_texts = shown.iter().map(|entry| texts(&entry[0], &entry[1])).collect::<BTreeSet<_>>();
        let expected = findings.iter().map(|finding| texts(&finding["rule"], &finding["message"]));
        assert_eq!(shown_texts, expected.collect::<BTreeSet<_>>(), "{old} {new}");
        let is_visible = |entry: &Value| entry[3] == json!(true) && entry[4] != json!("");
        assert!(shown.iter().all(is_visible), "{old} {new}");
        count += entries;
    }
    println!("{count} entries are shown");
    assert!(count > 200, "{count}");
    assert_eq!(browser.messages(), []);
}

#[test]
fn exchanged_bundles_and_equal_bundles_are_shown_too() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "#/diff?from=v1.5.0&to=v1.5.0") else { return };
    assert_eq!(browser.evaluate("return document.querySelector('.problem') === null && /No difference/.test(document.getElementById('view').innerText)", json!([])), json!(true));
    pages::go(&browser, "#/diff?from=v1.5.0&to=v1.4.0");
    assert_eq!(
        browser.evaluate(
            "return [document.querySelectorAll('.finding').length, document.querySelectorAll('.change').length > 50]",
            json!([])
        ),
        json!([0, true])
    );
    // Several steps at once have the findings of each step.
    let all = browser.evaluate("return [site.difference('v1.3.0', 'v1.5.0').length, site.difference('v1.3.0', 'v1.4.0').length + site.difference('v1.4.0', 'v1.4.1').length + site.difference('v1.4.1', 'v1.5.0').length]", json!([]));
    assert_eq!(all[0], all[1]);
    assert_eq!(browser.messages(), []);
}
