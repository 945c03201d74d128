//! The differences between neighbouring releases are those that `diff --format json` prints.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::pages::{self, GO};
use crate::published::{CHANNELS, Release, releases};

/// A workspace with all releases as bundles.
fn workspace() -> &'static Path {
    static WORKSPACE: OnceLock<PathBuf> = OnceLock::new();
    WORKSPACE.get_or_init(|| {
        let folder = pages::folder("workspace");
        let bundles = folder.join("bundles");
        for release in releases() {
            for (channel, crds) in &release.crds {
                let folder = bundles.join(&release.version).join(channel);
                std::fs::create_dir_all(&folder).expect("a folder");
                for crd in crds {
                    let name = crd["metadata"]["name"].as_str().expect("a name");
                    std::fs::write(folder.join(format!("{name}.json")), crd.to_string()).expect("the CRD is written");
                }
            }
        }
        std::fs::copy(pages::root().join("bundles/tombstones.yaml"), bundles.join("tombstones.yaml")).expect("a copy");
        folder
    })
}

/// The findings that the command line prints for two releases.
fn findings(old: &Release, new: &Release) -> Vec<Value> {
    let root = workspace().to_str().expect("a path in UTF-8");
    let (_, out, err) =
        pages::run(&["diff", &old.version, &new.version, "--root", root, "--profile", "gep-922", "--format", "json"]);
    let mut document: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {err}"));
    match document["findings"].take() {
        Value::Array(findings) => findings.into_iter().filter(is_structural).collect(),
        other => panic!("no findings: {other}"),
    }
}

/// Whether the page has to have a finding. The history archive has no texts, and stamps differ in each release.
fn is_structural(finding: &Value) -> bool {
    finding["rule"] != "words" && (finding["rule"] != "stamps" || finding["effective"] != "none")
}

/// A finding as text, without the line of a file.
fn whole(finding: &Value) -> String {
    let mut finding = finding.clone();
    finding["source"] = Value::Null;
    finding.to_string()
}

#[test]
fn differences_are_those_of_the_command_line() {
    let Some(browser) = pages::browser_at(pages::gateway_api(), "") else { return };
    let mut compared = 0;
    for pair in releases().windows(2) {
        let [old, new] = pair else { continue };
        let expected = findings(old, new);
        for channel in CHANNELS.map(Some).into_iter().chain([None]) {
            let shown = browser.evaluate("return site.difference(...args)", json!([old.version, new.version, channel]));
            let shown = shown.as_array().expect("findings");
            let of_channel = |finding: &&Value| {
                channel.is_none_or(|channel| finding["channel"].as_str().is_none_or(|own| own == channel))
            };
            let mut expected = expected.iter().filter(of_channel).map(whole).collect::<Vec<_>>();
            let mut shown = shown.iter().filter(|finding| is_structural(finding)).map(whole).collect::<Vec<_>>();
            // `diff` orders findings by the lines of its files.
            expected.sort_unstable();
            shown.sort_unstable();
            assert_eq!(expected, shown, "{} {} {channel:?}", old.version, new.version);
            compared += expected.len();
        }
    }
    println!("{compared} findings of {} pairs are equal", releases().len() - 1);
    assert!(compared > 1000, "{compared}");
}

#[test]
fn the_view_shows_each_finding_with_its_rule_and_bump() {
    let Some(browser) = pages::browser_at(pages::gateway_api(), "") else { return };
    let body = format!(
        "{GO} await go(args);
         const closed = () => [...document.querySelectorAll('.dcrd')].filter(x => !x.open || x.children.length < 2);
         while (closed().length) {{ closed().forEach(x => {{ x.open = true; }}); await new Promise(done => setTimeout(done, 5)); }}
         const channels = x => Math.max(1, [...x.querySelectorAll('.meta .badge')].filter(y => site.data.channels.includes(y.textContent)).length);
         return [...document.querySelectorAll('li.finding')].map(x => [x.querySelector('.rule').textContent, x.querySelector('.message').textContent, channels(x), x.checkVisibility(), x.querySelector('.bump').textContent])"
    );
    let mut count = 0;
    for pair in releases().windows(2) {
        let [old, new] = pair else { continue };
        // Findings with the same text at the same place and in the same channel are shown once.
        let expected = findings(old, new);
        let key = |finding: &Value| {
            ["channel", "crd", "version", "path", "rule", "message", "effective", "fix", "known"]
                .map(|key| finding[key].to_string())
        };
        let expected_keys = expected.iter().map(key).collect::<BTreeSet<_>>();
        let shown =
            browser.evaluate(&body, json!(format!("#/diff?from={}&to={}&channel=both", old.version, new.version)));
        let shown = shown.as_array().expect("findings");
        let shown = shown.iter().filter(|entry| entry[0] != "words").collect::<Vec<_>>();
        let entries: u64 = shown.iter().map(|entry| entry[2].as_u64().expect("a number")).sum();
        assert_eq!(entries, expected_keys.len() as u64, "{} {}", old.version, new.version);
        let texts = |rule: &Value, message: &Value| {
            (rule.as_str().unwrap_or_default().to_owned(), message.as_str().unwrap_or_default().replace('`', ""))
        };
        let shown_texts = shown.iter().map(|entry| texts(&entry[0], &entry[1])).collect::<BTreeSet<_>>();
        let expected_texts =
            expected.iter().map(|finding| texts(&finding["rule"], &finding["message"])).collect::<BTreeSet<_>>();
        assert_eq!(shown_texts, expected_texts, "{} {}", old.version, new.version);
        assert!(
            shown.iter().all(|entry| entry[3] == json!(true) && entry[4] != json!("")),
            "{} {}",
            old.version,
            new.version
        );
        count += entries;
    }
    println!("{count} entries are shown");
    assert_eq!(browser.messages(), []);
}

#[test]
fn exchanged_bundles_and_equal_bundles_are_shown_too() {
    let Some(browser) = pages::browser_at(pages::gateway_api(), "#/diff?from=v1.5.0&to=v1.5.0") else { return };
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
