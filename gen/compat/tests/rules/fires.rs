//! Each case lists its findings, and there are no other findings.

use std::sync::Arc;

use crd_compat::policy::{COLUMNS, Column, Need};
use crd_compat::{Channels, Finding, RequiredBump, STATES, all_rules, states};
use crd_model::channel::Channel;
use serde_json::Value;

use super::case::{Case, all_cases, name, profile};

/// What a case rules, read from words such as `major, tombstone, warning`.
fn read(words: &str) -> (RequiredBump, Vec<Need>, bool) {
    let mut words = words.split(", ");
    let first = words.next().expect("a required bump");
    let required_bump = RequiredBump::named(first).unwrap_or_else(|| panic!("`{first}` is not a required bump"));
    let (mut needs, mut warning) = (Vec::new(), false);
    for word in words {
        match word {
            "tombstone" => needs.push(Need::Tombstone),
            "conversion" => needs.push(Need::Conversion),
            "conversion both ways" => needs.push(Need::ConversionBothWays),
            "warning" => warning = true,
            _ => panic!("`{word}` is neither needed nor a warning"),
        }
    }
    (required_bump, needs, warning)
}

/// What is wrong with the findings of a case in a column.
pub(crate) fn mismatches(case: &Case, column: Column) -> Vec<String> {
    let findings = case.findings(column);
    let is_state = STATES.iter().any(|state| state.rule.id == case.id);
    let (own, others): (Vec<&Finding>, Vec<&Finding>) = findings.iter().partition(|finding| finding.rule == case.id);
    // Cases of states say nothing of other states.
    let mut also = others.iter().map(|finding| finding.rule).filter(|_| !is_state).collect::<Vec<_>>();
    let mut expected = case.texts(if case.fires { "also" } else { "instead" });
    also.sort_unstable();
    expected.sort_unstable();
    let mut mismatches = Vec::new();
    if also != expected {
        mismatches.push(format!("other rules: {also:?}, and not {expected:?}"));
    }
    match (case.fires, &*own) {
        (false, []) => {}
        (false, _) => mismatches.push(format!("fires {} times: {own:?}", own.len())),
        (true, [finding]) => mismatches.extend(wrong(case, column, finding)),
        (true, _) => mismatches.push(format!("fires {} times: {own:?}", own.len())),
    }
    mismatches.iter().map(|mismatch| format!("{}, {}, in {}: {mismatch}", case.id, case.name, name(column))).collect()
}

fn wrong(case: &Case, column: Column, finding: &Finding) -> Vec<String> {
    let (required_bump, needs, warning) = read(case.required_bump(column).expect("the case is for this column"));
    let text = |key: &str| case.get(key).map(|value| value.as_str().expect("a text"));
    let version = match case.get("version") {
        Some(Value::Null) => None,
        Some(version) => version.as_str(),
        None => Some("v1"),
    };
    let known = case.get("known").is_some_and(|known| *known == Value::Bool(true));
    let mut wrong = Vec::new();
    let mut same = |what: &str, is: String, should: String| {
        if is != should {
            wrong.push(format!("{what} is {is} and should be {should}"));
        }
    };
    same("the required bump", finding.required_bump.to_string(), required_bump.to_string());
    same("what it needs", format!("{:?}", finding.needs), format!("{needs:?}"));
    same("the warning", finding.warning.to_string(), warning.to_string());
    same("the path", format!("{:?}", finding.path), format!("{:?}", text("at").expect("`at` is given")));
    same("the version", format!("{:?}", finding.version.as_deref()), format!("{version:?}"));
    same("before", format!("{:?}", finding.before.as_ref()), format!("{:?}", case.get("before")));
    same("after", format!("{:?}", finding.after.as_ref()), format!("{:?}", case.get("after")));
    let direction = finding.direction.map(|direction| direction.word());
    same("the direction", format!("{direction:?}"), format!("{:?}", text("direction")));
    same("known", finding.known.to_string(), known.to_string());
    for (key, found) in [("message", Some(&finding.message)), ("fix", finding.fix.as_ref())] {
        let Some(part) = text(key) else { continue };
        if !found.is_some_and(|found| found.contains(part)) {
            wrong.push(format!("`{key}` is {found:?} and should have {part:?}"));
        }
    }
    wrong
}

#[test]
fn each_case_is_found_as_it_says() {
    let mut mismatches = Vec::new();
    let mut count = 0;
    for case in all_cases() {
        assert!(!case.columns().is_empty(), "{}, {}: no column", case.id, case.name);
        for column in case.columns() {
            count += 1;
            mismatches.extend(self::mismatches(&case, column));
        }
    }
    println!("{count} cases, each in its columns");
    assert!(mismatches.is_empty(), "{} faults\n{}", mismatches.len(), mismatches.join("\n"));
}

#[test]
fn the_example_of_each_rule_fires() {
    for rule in all_rules() {
        let (id, cells) = (rule.id, rule.cells);
        let case = Case::of_example(id, rule.example);
        for (column, _) in COLUMNS {
            // Some say nothing in a column.
            let Some(usual) = cells.cell(column).usual() else { continue };
            // The experimental channel of the same bundle is only for cases of standard.
            if column == Column::Experimental && case.get("experimental").is_some() {
                continue;
            }
            let findings = case.findings(column);
            let own = findings.iter().filter(|finding| finding.rule == id).collect::<Vec<_>>();
            assert_eq!(own.len(), 1, "{id}: {findings:#?}");
            let cell = cells.cell(column);
            assert!(
                cell.bumps.contains(&own[0].required_bump),
                "{id}: {:?} instead of {usual:?}",
                own[0].required_bump
            );
            if !STATES.iter().any(|state| state.rule.id == id) {
                let others = findings.iter().map(|finding| finding.rule).filter(|rule| *rule != id);
                assert_eq!(others.collect::<Vec<_>>(), case.texts("also"), "{id}");
            }
        }
    }
}

#[test]
fn a_baseline_without_experimental_has_the_states_of_its_standard_channel() {
    let column = Column::Experimental;
    let is_state = |case: &Case| STATES.iter().any(|state| state.rule.id == case.id);
    let mut count = 0;
    for case in all_cases().iter().filter(|case| is_state(case) && case.required_bump(column).is_some()) {
        let (_, new) = case.bundles(column);
        let found = |baseline: &Channels| states(Some(baseline), &new, profile(column), &Arc::default(), false);
        let mut baseline = Channels::from([(Channel::Standard, new[&Channel::Experimental].clone())]);
        let unknown = found(&baseline).into_iter().filter(|finding| !finding.known).collect::<Vec<_>>();
        assert!(unknown.is_empty(), "{}, {}: {unknown:?}", case.id, case.name);
        // A resource that is new in a channel of the baseline is new.
        baseline.insert(Channel::Experimental, Vec::new());
        let own = found(&baseline).into_iter().filter(|finding| finding.rule == case.id).collect::<Vec<_>>();
        assert!(own.iter().all(|finding| !finding.known), "{}, {}: {own:?}", case.id, case.name);
        count += own.len();
    }
    assert!(count >= 10, "{count}");
}
