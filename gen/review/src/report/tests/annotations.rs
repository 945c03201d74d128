//! Annotations of GitHub.

use crd_compat::{Finding, RequiredBump};

use super::sample::{added, at, finding, full, located, report};
use crate::report::{Located, github, render_diagnostics};
use crd_diagnostics::{Diagnostic, Format};

#[test]
fn the_whole_report_as_annotations() {
    let text = github::render(&full());
    let expected = [
        "::error file=bundles/waivers.yaml,line=7,title=waiver-unused%3A things.example.com::spec.nam: the waiver matches nothing: there is no such finding of `tightened`. Fix: Remove it, or correct its rule, CRD, path or channel.",
        "::error title=tombstone-missing%3A things.example.com::spec.old: the field `old` is gone; v0.9.0 had it last, and it has no tombstone. Fix: Add: +tombstone:name=old,removed=v1.1.0,reason=\"…\".",
        "::error title=tombstone-returned%3A things.example.com::spec.old: the field `old` was removed in v0.5.0 (renamed) and must not return. Fix: Choose another name.",
        "::error title=tombstone-lost::the tombstone of the resource gone.example.com is gone from the ledger; v0.9.0 was released with it. Fix: Put the entry back as it was.",
        "::error file=api/src/v1.rs,line=40,title=type-changed%3A things.example.com::experimental v1 status.features[*]: refused: the type was changed under the same name (\"string\" → \"struct\"). Fix: Choose another name, and give the old name a tombstone.",
        "::error title=type-changed%3A things.example.com::experimental v1beta1 status.features[*]: refused: the type was changed under the same name (\"string\" → \"struct\"). Fix: Choose another name, and give the old name a tombstone.",
        "::error title=tightened%3A things.example.com::standard v1 spec.name: major: the maximum length was tightened ({\"maxLength\":8,\"pattern\":\"^aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa$\",\"type\":\"string\"} → {\"maxLength\":4,\"pattern\":\"^aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa$\",\"type\":\"string\"}).",
        "::warning title=name-removed%3A things.example.com::standard v1 spec.colour: major, waived to minor: the field was removed: stored values are erased. It needs a tombstone. Accepted: no user ever stored it (issue 12).",
        "::warning title=default-added%3A things.example.com::standard v1 spec.replicas: minor, warning: a default was added (now 3).",
        "::notice file=api/src/v1.rs,line=12,title=graduated%3A things.example.com::standard v1 spec.size: minor: the field graduated from experimental.",
        "::notice title=graduated%3A things.example.com::standard v1beta1 spec.size: minor: the field graduated from experimental.",
        "::notice title=words%3A boxes.example.com::standard v1: patch: the description was changed (was \"A box.\").",
        "::warning file=a.yaml,line=3,col=5,title=crd-ignored::spec.a: this is not a key of a CRD's spec%0Ahelp: Remove it",
        "profile gep-922: `crd-channels.yaml` declares it",
        "standard: needs a major bundle: 1 constraint tightened; also 4 smaller changes. 1 known finding is not counted, since the baseline has it.",
        "experimental: refused: 1 type changed under the same name.",
        "✗ no version permits this.",
        "1 finding is waived; without waivers the verdict would be the same.",
        "To fix in any case: 1 waiver matches nothing, 1 tombstone is missing, 1 removed name is back, 1 tombstone was removed from the ledger.",
        "note: bundles/v1.0.0 has no manifest: its CRDs were taken as they are",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn no_text_of_a_crd_becomes_a_command() {
    let evil = "x\n::error file=a.rs::gone\r##[error]y\n::stop-commands::z";
    let mut report = report(vec![located(finding("words", RequiredBump::Patch, "v1", evil, evil))], None);
    report.findings[0].finding.crd = evil.to_owned();
    report.notes = vec![evil.to_owned(), "::error::x".to_owned()];
    report.candidate.name = "::add-mask::x".to_owned();
    report.permitted = Some(RequiredBump::Minor);
    let text = github::render(&report);
    let commands = text.lines().filter(|line| line.starts_with("::")).collect::<Vec<_>>();
    assert_eq!(commands.len(), 1, "{text}");
    assert!(commands[0].starts_with("::notice title=words%3A x%0A%3A%3Aerror file=a.rs%3A%3Agone%0D"), "{text}");
    let log = text.lines().filter(|line| !line.starts_with("::")).collect::<String>();
    assert!(!log.contains("##["), "{text}");
}

#[test]
fn findings_of_one_line_are_one_annotation() {
    let here = |finding: Finding, line| Located { finding, source: at("a.rs", line) };
    let findings = vec![
        here(added("v1", "spec.size"), 1),
        here(added("v1beta1", "spec.size"), 1),
        here(added("v1", "spec.list[*].size"), 2),
    ];
    let text = github::render(&report(findings, None));
    let lines = text.lines().filter(|line| line.starts_with("::")).collect::<Vec<_>>();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(text.contains("experimental.%0Aalso in v1beta1 (2 findings)\n"), "{text}");
}

#[test]
fn a_failed_comparison_is_explained_in_an_annotation() {
    let diagnostics = [
        Diagnostic::error("file::kind", "`a.yaml` is not a CRD").at_file("a.yaml"),
        Diagnostic::error("bundle::unknown", "50 %"),
    ];
    assert_eq!(
        render_diagnostics(&diagnostics, Format::Github),
        "::error title=file%3A%3Akind::a.yaml: is not a CRD\n::error title=bundle%3A%3Aunknown::50 %25\n"
    );
}
