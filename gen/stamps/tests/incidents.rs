//! Incidents of real clients are predicted with their causes, and pairs that worked are not reported. The expectations are from public threads and tables.

use std::path::Path;

use crd_model::channel::Channel;
use crd_model::yaml::read;
use crd_stamps::skew::{Bundles, Cell, Client, KindVerdict, Verdict};
use serde_json::{Value, json};

/// The incidents that the file must have.
const REPORTED: [&str; 7] = [
    "agentgateway/issues/1110",
    "agentgateway/issues/2370",
    "istio/issues/61540",
    "gateway/issues/8991",
    "aws-load-balancer-controller/issues/4684",
    "eks-charts/issues/1317",
    "gateway/pull/9232",
];

fn cases(list: &str) -> Vec<Value> {
    let document = read(include_str!("incidents.yaml")).unwrap().remove(0);
    document[list].as_array().unwrap().clone()
}

/// The source of a case, and the client on the bundle that it met.
fn met(case: &Value, bundles: &Bundles) -> (String, Cell) {
    let source = case["source"].as_str().unwrap().to_owned();
    let client = Client::read(&case["client"].to_string(), Path::new(&source)).unwrap();
    let text = |key: &str| case["met"][key].as_str().unwrap();
    let on = (text("version").parse().unwrap(), Channel::named(text("channel")).unwrap());
    let mut cells = bundles.row(&client).into_iter();
    (source, cells.find(|cell| cell.bundle == Some(on)).unwrap())
}

#[test]
fn incidents_are_predicted_with_their_causes() {
    let (bundles, cases) = (crate::facts::bundles(), cases("incidents"));
    for reported in REPORTED {
        assert!(cases.iter().any(|case| case["source"].as_str().unwrap().ends_with(reported)), "{reported}");
    }
    for case in cases {
        let (source, cell) = met(&case, &bundles);
        let kinds =
            cell.findings.iter().filter(|finding| !matches!(finding.verdict, KindVerdict::WithoutFields { .. }));
        let messages = kinds.map(|finding| finding.text()).collect::<Vec<_>>();
        assert_eq!(
            (json!(cell.verdict), Value::from(messages)),
            (case["verdict"].clone(), case["messages"].clone()),
            "{source}"
        );
    }
}

#[test]
fn pairs_that_worked_are_not_reported() {
    let (bundles, cases) = (crate::facts::bundles(), cases("worked"));
    assert!(cases.len() >= 12);
    for case in cases {
        let (source, cell) = met(&case, &bundles);
        assert_eq!((cell.verdict, cell.findings), (Verdict::Works, Vec::new()), "{source}");
    }
}
