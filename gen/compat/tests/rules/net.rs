//! The net: what no rule claims is a finding, and nothing is claimed by two.

use crd_compat::{RULES, Rule, UNCLAIMED};

use super::case::{all_cases, cases};

#[test]
fn without_a_rule_its_cases_are_unclaimed() {
    for rule in RULES {
        let others = RULES.iter().filter(|other| other.id != rule.id).copied().collect::<Vec<Rule>>();
        assert_eq!(others.len() + 1, RULES.len());
        for case in cases(rule.id) {
            for column in case.columns() {
                let count = |rules: &[Rule], id: &str| {
                    case.findings_by(column, rules).iter().filter(|finding| finding.rule == id).count()
                };
                let (with, without) = (count(RULES, rule.id), count(&others, rule.id));
                let caught = count(&others, UNCLAIMED.id) - count(RULES, UNCLAIMED.id);
                assert_eq!((caught, without), (with, 0), "{}, {}", case.id, case.name);
                assert_eq!(with > 0, case.fires, "{}, {}", case.id, case.name);
            }
        }
    }
}

#[test]
fn without_any_rule_everything_is_unclaimed() {
    for case in all_cases() {
        for column in case.columns() {
            let (with, without) = (case.findings(column), case.findings_by(column, &[]));
            if crd_compat::STATES.iter().all(|state| state.id != case.id) {
                assert_eq!(with.len(), without.len(), "{}, {}", case.id, case.name);
                assert!(without.iter().all(|finding| finding.rule == UNCLAIMED.id && finding.ruling.blocks()));
            }
        }
    }
}

#[test]
fn nothing_is_claimed_by_two_rules() {
    let twice = RULES.iter().chain(RULES).copied().collect::<Vec<Rule>>();
    let mut seen = 0;
    for case in all_cases() {
        for column in case.columns() {
            for finding in case.findings(column) {
                assert!(!finding.message.contains("two rules"), "{}, {}: {}", case.id, case.name, finding.message);
            }
            // The test can see it: with all rules twice, everything is.
            seen +=
                case.findings_by(column, &twice).iter().filter(|finding| finding.message.contains("two rules")).count();
        }
    }
    assert!(seen > 300, "{seen}");
}
