//! The size of pages: linear in the number of CRDs, and the same bytes each time.

use std::collections::BTreeMap;

use crd_model::channel::Channel;
use serde_json::{Map, Value, json};

use crate::made::{data, page, site};

/// A CRD whose names and descriptions no other CRD has.
fn crd(number: usize) -> Value {
    let properties = (0..8).map(|field| {
        let schema = json!({
            "type": "string",
            "maxLength": number + field,
            "description": format!("Field {field} of resource {number} is {:x}.", (number * 8 + field) * 2_654_435_761),
        });
        (format!("field{number}x{field}"), schema)
    });
    let spec = json!({"type": "object", "properties": properties.collect::<Map<_, _>>()});
    let crd = crd_testdata::thing_crd(&json!({"type": "object", "properties": {"spec": spec}}), &json!({}));
    let text = crd.to_string().replace("thing", &format!("thing{number}")).replace("Thing", &format!("Thing{number}"));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn pages_grow_linearly_and_have_the_same_bytes_each_time() {
    let bytes = [0, 250, 500, 1_000].map(|count| {
        let crds = (0..count).map(crd).collect::<Vec<_>>();
        let made = || page(&site("many", &[BTreeMap::from([(Channel::Standard, crds.clone())])]));
        let one = made();
        assert_eq!(data(&one.html)["crds"].as_array().unwrap().len(), count);
        assert_eq!((one.counts.resources, one.counts.fields), (count, count * 9));
        assert!(one.html == made().html, "two pages of {count} CRDs differ");
        one.html.len()
    });
    let [none, quarter, half, all] = bytes;
    // The same bytes for each of the first 250 CRDs, the next 250, and the last 500, except for a tenth.
    let each = [(quarter - none) / 250, (half - quarter) / 250, (all - half) / 500];
    let (least, most) = (each.iter().min().unwrap(), each.iter().max().unwrap());
    println!("bytes of pages with 0, 250, 500 and 1,000 CRDs: {bytes:?}; for each CRD: {each:?}");
    assert!(most * 10 <= least * 11, "{each:?}");
}
