//! A thousand CRDs: the page opens, and its size grows linearly.

use std::fs;
use std::path::PathBuf;

use crd_browser::Browser;
use serde_json::json;

use crate::opening::times_to_open;
use crate::pages;

/// How long the page may take until it can be used, in milliseconds.
const LIMIT: f64 = 3000.0;

/// The page of so many CRDs: those of Gateway API under other groups.
fn page(count: usize) -> PathBuf {
    let folder = pages::folder(&format!("crds-{count}"));
    let crds = crd_testdata::gateway_api("v1.6.0", "experimental");
    let list = (0..count).map(|index| {
        let mut crd = crds[index % crds.len()].json();
        let group = format!("group{}.example.com", index / crds.len());
        crd["metadata"] =
            json!({"name": format!("{}.{group}", crd["spec"]["names"]["plural"].as_str().expect("a plural"))});
        crd["spec"]["group"] = json!(group);
        crd
    });
    let file = folder.join("crds.json");
    let list = json!({"apiVersion": "v1", "kind": "List", "items": list.collect::<Vec<_>>()});
    fs::write(&file, list.to_string()).expect("the CRDs are written");
    pages::docs(&folder, &["--name", "many", "--crds", &format!("{}=v1.0.0", file.display())])
}

#[test]
fn many_crds_open_and_the_size_grows_linearly() {
    let Some(browser) = Browser::start() else { return };
    let all = crd_testdata::sample(1000);
    let size = |page: &PathBuf| fs::metadata(page).expect("a page").len();
    let (quarter, half, whole) = (size(&page(all / 4)), size(&page(all / 2)), page(all));
    let growth = (size(&whole) - half) as f64 / (half - quarter) as f64;
    println!("{all} CRDs: {} bytes; twice as many CRDs add {growth:.2} times as many bytes", size(&whole));
    assert!(growth < 2.2, "{quarter}, {half}, {}", size(&whole));
    for factor in [1, 4] {
        browser.slow_down(factor);
        let times = times_to_open(&browser, &whole, 3);
        println!("{all} CRDs: usable after {:.0} ms (median of 3), slowed down {factor} times", times[1]);
        assert!(!crd_testdata::is_proof() || factor > 1 || times[1] <= LIMIT, "{times:?}");
    }
    browser.slow_down(1);
    pages::open(&browser, &whole, "");
    let (found, kinds) = (
        browser.evaluate("return site.search('spec.rules.matches group0.example.com', 1000).length > 0", json!([])),
        browser.evaluate("return site.data.crds.length", json!([])),
    );
    assert_eq!((found, kinds), (json!(true), json!(all)));
    assert_eq!(browser.messages(), []);
}
