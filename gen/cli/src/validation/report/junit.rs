//! The result as suites of JUnit: a suite for each file, and a case for each object.

use crd_diagnostics::junit::{Case, Outcome, Suite};

use crd_suite::objects::validation::{CheckedFile, CheckedObject, Validation, Verdict};

pub(super) fn suites(validation: &Validation) -> Vec<Suite> {
    let mut suites = validation.files.iter().map(suite).collect::<Vec<_>>();
    if !validation.errors.is_empty() || !validation.warnings.is_empty() {
        let outcome = match validation.errors.is_empty() {
            true => Outcome::Passed(validation.warnings.clone()),
            false => Outcome::Unusable(validation.errors.iter().chain(&validation.warnings).cloned().collect()),
        };
        suites.push(Suite {
            name: "inputs".to_owned(),
            cases: vec![Case { name: "inputs".to_owned(), line: None, outcome }],
        });
    }
    suites
}

fn suite(file: &CheckedFile) -> Suite {
    let errors = file.errors.iter().map(|error| Case {
        name: "document".to_owned(),
        line: error.location.line,
        outcome: Outcome::Unusable(vec![error.clone()]),
    });
    Suite { name: file.name.clone(), cases: file.objects.iter().map(case).chain(errors).collect() }
}

fn case(object: &CheckedObject) -> Case {
    let findings = object.findings.iter().map(|finding| finding.diagnostic.clone()).collect::<Vec<_>>();
    let outcome = match object.verdict {
        Verdict::Accepted => Outcome::Passed(findings),
        Verdict::Refused => Outcome::Failed(findings),
        Verdict::Unchecked => Outcome::Skipped("its CRD is not valid".to_owned()),
        Verdict::Skipped => Outcome::Skipped("no CRD has its kind".to_owned()),
    };
    Case { name: object.name.to_string(), line: Some(object.line), outcome }
}
