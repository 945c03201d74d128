//! The order of versions in the policy's CEL, compared with the order in Rust.
//!
//! Invariants: the expressions are those of the policy, except for the name of their input. Random texts are the same in every run.

use std::collections::BTreeSet;
use std::sync::Once;

use crd_bundle::admission::safe_upgrades;
use crd_bundle::{BundleStamp, BundleVersion};
use crd_model::yaml;
use serde_json::{Value, json};

use super::{Api, policy_server};
use crate::guardrails::policies::install;
use crate::pages::filled;
use crate::requests::wait;
use crate::server::Server;
use crd_testdata::Dice;

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps?dryRun=All";

/// A number of a version.
fn number(dice: &mut Dice) -> String {
    // Few values, so that versions share their beginnings.
    let edges = ["0", "1", "2", "9", "10", "11", "99", "100", "999", "1000", "9998", "9999"];
    if dice.below(4) == 0 { dice.below(10_000).to_string() } else { dice.one(&edges).to_owned() }
}

/// Mostly small numbers, so that some versions differ only at their ends.
fn version(dice: &mut Dice) -> String {
    let core = if dice.below(2) == 0 {
        format!("v1.{}.{}", dice.below(2), dice.below(2))
    } else {
        format!("v{}.{}.{}", number(dice), number(dice), number(dice))
    };
    let stage = dice.one(&["alpha", "beta", "dev", "rc"]);
    match dice.below(3) {
        0 => core,
        1 => format!("{core}-{stage}"),
        _ => format!("{core}-{stage}.{}", number(dice)),
    }
}

/// A month, sometimes of a number that is none.
fn month(dice: &mut Dice) -> String {
    format!("monthly-{}.{:02}", dice.one(&["0000", "0009", "2025", "2026", "9999"]), dice.below(14))
}

/// A text with one character added, removed or replaced; often no longer valid.
fn spoilt(text: &str, dice: &mut Dice) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..=dice.below(2) {
        let place = dice.below(characters.len());
        let other = ['0', '1', '9', '.', '-', 'v', 'V', 'r', 'c', ' ', '\n', '+', 'é', '٣'][dice.below(14)];
        match dice.below(3) {
            0 => characters.insert(place, other),
            1 => characters[place] = other,
            _ => drop(characters.remove(place)),
        }
    }
    characters.into_iter().collect()
}

/// The results of the policy's expressions for these texts: whether each is a version, or the rank of each.
fn asked(server: &Server, question: &str, texts: &[&str]) -> String {
    let body = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": "order-of-versions" },
        "data": { "question": question, "texts": texts.join("|") },
    });
    let answer = server.send("POST", CONFIG_MAPS, Some(&body));
    let words = answer.message().split_once(" denied request: ").map(|(_, words)| words.to_owned());
    words.unwrap_or_else(|| panic!("no refusal: {:#}", answer.body))
}

/// Installs a policy that answers with the values of the real policy's variables, once for all tests.
fn ask_for_variables(server: &Server) {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| install_question(server));
}

fn install_question(server: &Server) {
    let api = &Api::all()[0];
    let policies = safe_upgrades::policies(&api.release());
    let variables = policies[0]["spec"]["variables"].as_array().expect("variables");
    let expression = |name: &str| {
        let variable = variables.iter().find(|variable| variable["name"] == name);
        variable.and_then(|variable| variable["expression"].as_str()).expect("a variable of the policy").to_owned()
    };
    let replaced = |expression: String, what: &str, with: &str| {
        assert!(expression.contains(what), "{expression} has no {what}");
        expression.replace(what, with)
    };
    let is_version = replaced(expression("isVersion"), "variables.version", "text");
    let read = "[variables.version, variables.installedVersion, variables.referenceVersion]";
    let [ranks, months] = ["versions", "months"].map(|name| replaced(expression(name), read, "variables.texts"));
    let are_versions = json!(format!("variables.texts.map(text, {is_version})")).to_string();
    let [ranks, months] = [ranks, months].map(|expression| json!(expression).to_string());
    let values = [("areVersions", &*are_versions), ("ranks", &ranks), ("months", &months)];
    let documents = yaml::read(&filled(include_str!("order.yaml"), &values)).expect("YAML");
    let [policy, binding, question] = <[Value; 3]>::try_from(documents).expect("three documents");
    server.block_on(install(&server.client(), &[policy, binding]));
    wait("the policy acts", || !server.send("POST", CONFIG_MAPS, Some(&question)).is_success());
}

/// The rank of each text.
fn ranks(server: &Server, question: &str, texts: &[&str]) -> Vec<i64> {
    // One message is at most 5 KiB long.
    let ranks = texts.chunks(200).flat_map(|texts| {
        let answers = asked(server, question, texts);
        answers.split(' ').map(|rank| rank.parse().unwrap_or_else(|_| panic!("{answers}"))).collect::<Vec<i64>>()
    });
    ranks.collect()
}

#[test]
fn the_policy_orders_months_like_the_generator() {
    let Some(server) = policy_server() else { return };
    ask_for_variables(server);
    let mut dice = Dice::new(0x2026_1127);
    let mut text = |index: usize| {
        let month = month(&mut dice);
        if index.is_multiple_of(2) { month } else { spoilt(&month, &mut dice) }
    };
    let texts: BTreeSet<String> = (0..600).map(&mut text).filter(|text| !text.contains('|')).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let months = texts.iter().map(|text| BundleStamp::of(text).month()).collect::<Vec<_>>();
    let ranks = ranks(server, "months", &texts);
    assert_eq!(ranks.len(), texts.len());
    for ((text, month), rank) in texts.iter().zip(&months).zip(&ranks) {
        assert_eq!(month.is_some(), *rank >= 0, "{text:?}");
    }
    let mut pairs = 0;
    let read = || months.iter().zip(&ranks).filter_map(|(month, rank)| Some(((*month)?, *rank)));
    for (one, one_rank) in read() {
        for (other, other_rank) in read() {
            assert_eq!(one.cmp(&other), one_rank.cmp(&other_rank), "{one} and {other}");
            pairs += 1;
        }
    }
    assert!(pairs > 2_000 && months.contains(&None), "{pairs}");
}

#[test]
fn the_policy_orders_versions_like_the_generator() {
    let Some(server) = policy_server() else { return };
    ask_for_variables(server);
    let mut dice = Dice::new(0x2026_1121);

    let spoilt_version = |dice: &mut Dice| spoilt(&version(dice), dice);
    let texts: Vec<String> = (0..3_000).map(|_| spoilt_version(&mut dice)).collect();
    let mut both = [0; 2];
    for texts in texts.chunks(500) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let answers = asked(server, "versions", &texts);
        assert_eq!(answers.len(), texts.len(), "{answers}");
        for (text, answers) in texts.iter().zip(answers.chars()) {
            let is_comparable = text.parse::<BundleVersion>().and_then(BundleVersion::check_comparable).is_ok();
            assert_eq!(answers == 'y', is_comparable, "{text:?}");
            both[usize::from(is_comparable)] += 1;
        }
    }
    assert!(both.iter().all(|count| *count > 200), "{both:?}");

    let texts: BTreeSet<String> = (0..600).map(|_| version(&mut dice)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let ranks = ranks(server, "ranks", &texts);
    let versions: Vec<BundleVersion> = texts.iter().map(|text| text.parse().expect("a version")).collect();
    assert_eq!(ranks.len(), versions.len());
    let mut pairs = 0;
    for (one, one_rank) in versions.iter().zip(&ranks) {
        for (other, other_rank) in versions.iter().zip(&ranks) {
            assert_eq!(one.cmp(other), one_rank.cmp(other_rank), "{one} and {other}");
            pairs += 1;
        }
    }
    println!("{} versions, {pairs} pairs on Kubernetes {}", versions.len(), server.minor());
    assert!(pairs > 100_000, "{pairs}");
}
