//! `diff` on pairs of CRDs whose verdict a real API server decided: `verdicts.yaml`.

use std::fs;

use crd_channels_cli::Exit;
use crd_compat::RequiredBump;
use crd_model::yaml;
use serde_json::{Map, Value};

use crate::support::{Place, things};

/// Cases that are outside of their range today.
const NOT_YET: &[&str] = &[];

/// The verdict and the findings of `diff`, or its errors.
fn verdict(place: &Place, case: &Map<String, Value>) -> Result<(RequiredBump, Vec<Value>), String> {
    for side in ["old", "new"] {
        fs::write(place.path().join(format!("{side}.yaml")), crd_testdata::side_crd(&case[side]).to_string()).unwrap();
    }
    let options = ["diff", "old.yaml", "new.yaml", "--channel", "standard", "--format", "json", "--verbose"];
    let ran = place.run(&things(), &options);
    if !matches!(ran.exit, Exit::Fine | Exit::Findings) {
        return Err(ran.err);
    }
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let findings = document["findings"].as_array().unwrap().clone();
    Ok((RequiredBump::named(document["verdict"].as_str().unwrap()).unwrap(), findings))
}

#[test]
fn each_verdict_is_within_the_range_that_a_server_gives() {
    let place = Place::new();
    let documents = yaml::read(include_str!("verdicts.yaml")).unwrap();
    let cases = documents[0].as_array().unwrap();
    let mut faults = Vec::new();
    for case in cases.iter().map(|case| case.as_object().unwrap()) {
        let text = |key: &str| case[key].as_str().unwrap();
        let bump = |key: &str| RequiredBump::named(text(key)).unwrap();
        let (name, range) = (text("case"), bump("at-least")..=bump("at-most"));
        let found = verdict(&place, case);
        // The rules of all findings, where a case has them.
        let is_ruled = |findings: &[Value]| {
            case.get("rules").is_none_or(|rules| {
                let mut wanted =
                    rules.as_array().unwrap().iter().map(|rule| rule.as_str().unwrap()).collect::<Vec<_>>();
                let mut rules = findings.iter().map(|finding| finding["rule"].as_str().unwrap()).collect::<Vec<_>>();
                wanted.sort_unstable();
                rules.sort_unstable();
                rules == wanted
            })
        };
        let is_right = found.as_ref().is_ok_and(|(verdict, findings)| range.contains(verdict) && is_ruled(findings));
        match &found {
            Ok((verdict, _)) => println!("{name}: {verdict}, of {} to {}", range.start(), range.end()),
            Err(error) => println!("{name}: not read: {}", error.lines().next().unwrap_or_default()),
        }
        if is_right == NOT_YET.contains(&name) {
            let advice = if is_right { "remove it from `NOT_YET`" } else { text("why") };
            faults.push(format!("{name}: {found:?}: {advice}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_sentence_claims_more_than_is_known() {
    let place = Place::new();
    let documents = yaml::read(include_str!("verdicts.yaml")).unwrap();
    let messages = |name: &str| {
        let case = documents[0].as_array().unwrap().iter().find(|case| case["case"] == name).unwrap();
        let findings = verdict(&place, case.as_object().unwrap()).unwrap().1;
        findings.iter().map(|finding| finding["message"].to_string()).collect::<Vec<_>>().join("\n")
    };
    let wider = messages("12-integer-to-int-or-string");
    assert!(wider.contains("stored values also have the new type") && !wider.contains("do not match"), "{wider}");
    let webhook = messages("14-versions-differ-behind-webhook");
    assert!(webhook.contains("depends on the webhook") && !webhook.contains("erases"), "{webhook}");
}
