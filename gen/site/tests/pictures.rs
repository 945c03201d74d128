//! Pictures are true: the width of a bar is its share, what did not change is not a change, and a picture that shows nothing is left out.

use std::collections::BTreeMap;

use crd_model::channel::Channel::{Experimental, Standard};
use crd_site::Site;
use scraper::{Html, Selector};
use serde_json::{Value, json};

use crate::made::{page, site};

/// A CRD of a group with these fields of `spec`, in these API versions.
fn crd(group: &str, kind: &str, versions: &[&str], fields: &[(&str, Value)]) -> Value {
    let fields = fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone()));
    let spec = json!({"type": "object", "properties": fields.collect::<serde_json::Map<_, _>>()});
    let mut crd = crd_testdata::thing_crd(&json!({"type": "object", "properties": {"spec": spec}}), &json!({}));
    let names = &mut crd["spec"]["names"];
    (names["kind"], names["plural"]) = (json!(kind), json!(kind.to_lowercase()));
    crd["metadata"]["name"] = json!(format!("{}.{group}", kind.to_lowercase()));
    crd["spec"]["group"] = json!(group);
    let first = crd["spec"]["versions"][0].clone();
    let all = versions.iter().enumerate().map(|(index, name)| {
        let mut version = first.clone();
        (version["name"], version["storage"]) = (json!(name), json!(index == 0));
        version
    });
    crd["spec"]["versions"] = all.collect();
    crd
}

fn thing(fields: &[(&str, Value)]) -> Value {
    crd("example.com", "Thing", &["v1"], fields)
}

fn text() -> Value {
    json!({"type": "string"})
}

/// The shares of bars from their widths in percent, and the rows of a table.
type Shown = (Vec<Vec<f64>>, Vec<Vec<String>>);

/// A picture of a page.
fn picture(site: &Site, id: &str) -> Option<Shown> {
    let html = Html::parse_document(&page(site).html);
    let selector = |text: &str| Selector::parse(text).unwrap();
    let figure = html.select(&selector(&format!("#picture-{id}"))).next()?;
    let share = |value: Option<&str>| value.unwrap().trim_end_matches('%').parse::<f64>().unwrap();
    let (track, rect) = (selector(".track"), selector("rect"));
    let bars = figure.select(&track).map(|bar| bar.select(&rect).map(|part| share(part.attr("width"))).collect());
    let cell = selector("td");
    let (row, bars) = (selector("tbody tr"), bars.collect());
    let rows = figure.select(&row).map(|row| row.select(&cell).map(|cell| cell.text().collect()).collect());
    Some((bars, rows.collect()))
}

#[test]
fn bars_are_as_wide_as_their_share_of_the_limit() {
    const LIMIT: usize = 1 << 20;
    let shown = |standard: usize, experimental: usize| {
        let of = site("charts", &[BTreeMap::from([(Standard, vec![thing(&[])])])]);
        let charts = BTreeMap::from([(Standard, standard), (Experimental, experimental)]);
        picture(&Site { charts, ..of }, "charts").map(|(bars, _)| bars.concat())
    };
    assert_eq!(shown(LIMIT / 4, LIMIT / 2), Some(vec![25.0, 50.0]));
    assert_eq!(shown(LIMIT / 1000, LIMIT), Some(vec![0.1, 100.0]));
    // Beyond the limit, the widest bar is the whole width.
    assert_eq!(shown(LIMIT, LIMIT * 4), Some(vec![25.0, 100.0]));
    assert_eq!(shown(LIMIT / 30, LIMIT / 40), None);
}

/// Rules over lists of so many items, the estimate of which is that of `estimate`.
#[test]
fn costs_are_on_a_linear_scale() {
    let cost = |items: u64| {
        let rule = json!([{"rule": "self.all(x, self.all(y, x != y || x == y))"}]);
        let item = json!({"type": "string", "maxLength": 100});
        json!({"type": "array", "maxItems": items, "items": item, "x-kubernetes-validations": rule})
    };
    let of = |items: &[u64]| {
        let kinds =
            items.iter().map(|items| crd("example.com", &format!("Kind{items}"), &["v1"], &[("a", cost(*items))]));
        picture(&site("costs", &[BTreeMap::from([(Standard, kinds.collect())])]), "costs")
    };
    let (bars, rows) = of(&[400, 200, 5]).unwrap();
    assert_eq!((bars.len(), rows.len()), (2, 3), "the smallest is in the table only: {rows:?}");
    let estimates = rows.iter().map(|row| row[2].replace(',', "").parse::<f64>().unwrap()).collect::<Vec<_>>();
    for (bar, estimate) in bars.iter().zip(&estimates) {
        let share = estimate / estimates[0].max(100_000_000.0) * 100.0;
        assert!((bar[0] - share).abs() < 0.01, "{bar:?} {share} {rows:?}");
    }
    assert_eq!(of(&[5]), None);
}

#[test]
fn channels_that_differ_have_bars_of_their_shares() {
    let fields = |count: usize| (0..count).map(|n| (["a", "b", "c", "d", "e"][n], text())).collect::<Vec<_>>();
    let of = |standard: &[Value], experimental: &[Value]| {
        let release = BTreeMap::from([(Standard, standard.to_vec()), (Experimental, experimental.to_vec())]);
        picture(&site("overlap", &[release]), "overlap")
    };
    let (bars, rows) =
        of(&[thing(&fields(2))], &[thing(&fields(5)), crd("example.com", "Other", &["v1"], &[])]).unwrap();
    // One of two resources is in both; 3 of 8 fields, because `spec` counts, and that of the other resource.
    assert_eq!(bars, [vec![50.0, 50.0], vec![42.86, 57.14]], "{rows:?}");
    assert_eq!(rows[1], ["fields", "0", "3", "4"]);
    assert_eq!(of(&[thing(&fields(2))], &[thing(&fields(2))]), None, "equal channels");
    assert_eq!(of(&[], &[thing(&fields(5))]), None, "nothing in common");
}

#[test]
fn changes_are_those_of_schemas_and_count_once() {
    let all = ["v1", "v1beta1"];
    let with = |fields: &[(&str, Value)]| crd("example.com", "Thing", &all, fields);
    let deep =
        json!({"type": "object", "properties": {"x": {"type": "object", "properties": {"y": {"type": "string"}}}}});
    let list = |length: u64| json!({"type": "array", "items": {"type": "string", "maxLength": length}});
    let stamped = |mut crd: Value, value: &str| {
        crd["metadata"]["annotations"] = json!({"example.com/stamp": value});
        crd["metadata"]["labels"] = json!({"stamp": value});
        crd
    };
    let told = |text: &str| json!({"type": "string", "description": text});
    let both = |crds: Vec<Value>| BTreeMap::from([(Standard, crds.clone()), (Experimental, crds)]);
    let other = || crd("example.com", "Other", &all, &[("a", text())]);
    let releases = [
        both(vec![stamped(with(&[("a", told("one"))]), "1")]),
        // Only stamps and texts.
        both(vec![stamped(with(&[("a", told("two"))]), "2")]),
        // A field with fields below it, in two channels and two versions.
        both(vec![with(&[("a", text()), ("b", deep), ("c", list(1))])]),
        // The items of a list, a field that is removed, and a resource that is new.
        both(vec![with(&[("a", text()), ("c", list(2))]), other()]),
        // A version is removed, and a resource.
        both(vec![crd("example.com", "Thing", &["v1"], &[("a", text()), ("c", list(2))])]),
    ];
    let (_, rows) = picture(&site("changes", &releases), "changes").unwrap();
    let expected =
        [["v1.1.0", "0", "0", "0"], ["v1.2.0", "0", "2", "0"], ["v1.3.0", "1", "1", "1"], ["v1.4.0", "0", "0", "2"]];
    assert_eq!(rows, expected);
    // One release that changed something is one bar, which shows nothing.
    assert_eq!(picture(&site("changes", &releases[..3]), "changes"), None);
    assert!(page(&site("small", &releases[..1])).html.find("<figure").is_none(), "one release of a small API");
}

#[test]
fn sizes_are_a_line_that_can_be_seen() {
    let of = |releases: usize, bytes: usize| {
        let releases = vec![BTreeMap::from([(Standard, vec![thing(&[])])]); releases];
        let known = BTreeMap::from([("thing.example.com".to_owned(), bytes)]);
        let sizes = (0..releases.len()).map(|index| ((index, Standard), known.clone())).collect();
        picture(&Site { sizes, ..site("sizes", &releases) }, "sizes").is_some()
    };
    assert_eq!([of(1, 100_000), of(2, 100_000), of(2, 1_000)], [false, true, false]);
}

#[test]
fn pages_are_named_after_the_group() {
    let cases: [(&[(&str, usize)], &str); 6] = [
        (&[("cache.example.com", 1)], "cache.example.com"),
        (&[("autoscaling.x-k8s.io", 1), ("karpenter.sh", 3)], "karpenter.sh"),
        (&[("a.example.io", 1), ("b.example.io", 1), ("c.d.example.io", 1)], "example.io"),
        (&[("example.io", 1), ("sub.example.io", 1)], "example.io"),
        (&[("a.io", 1), ("b.io", 1)], "a.io"),
        (&[], "CRDs"),
    ];
    for (groups, name) in cases {
        let crds = groups.iter().flat_map(|(group, count)| {
            (0..*count).map(move |number| crd(group, &format!("Kind{number}"), &["v1"], &[]))
        });
        let releases = site("unused", &[BTreeMap::from([(Standard, crds.collect())])]).releases;
        assert_eq!(crd_site::group(&releases), name);
    }
}
