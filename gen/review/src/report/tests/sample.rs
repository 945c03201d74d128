//! Reports to render.
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]

use crd_bundle::published::skips::LeftOut;
use crd_compat::policy::{Need, Profile};
use crd_compat::tombstone::{Element, Kind, LedgerProblem, Tombstone};
use crd_compat::{Direction, Finding, RequiredBump, Verdict, Waived, Waiver, Witness, waive};
use crd_diagnostics::{Diagnostic, SourceLine};
use crd_model::channel::Channel;
use serde_json::json;

use crate::history::WAIVERS;
use crate::profile::{ChosenProfile, ProfileReason};
use crate::report::{ChannelOfReport, Located, Named, Report};
use crate::tombstones::of_ledger;

/// A finding with few properties.
pub(super) fn finding(
    rule: &'static str,
    required_bump: RequiredBump,
    version: &str,
    path: &str,
    message: &str,
) -> Finding {
    Finding {
        rule,
        required_bump,
        lowered: None,
        needs: Vec::new(),
        warning: false,
        channel: Channel::Standard,
        crd: "things.example.com".to_owned(),
        version: (!version.is_empty()).then(|| version.to_owned()),
        path: path.to_owned(),
        before: None,
        after: None,
        direction: None,
        grounds: Vec::new(),
        proof: None,
        message: message.to_owned(),
        fix: None,
        witness: None,
        known: false,
        waived: None,
    }
}

pub(super) fn located(finding: Finding) -> Located {
    Located { finding, source: None }
}

pub(super) fn at(file: &str, line: u32) -> Option<SourceLine> {
    Some(SourceLine { file: file.to_owned(), line })
}

/// A report of these findings: v1.0.0 → v1.1.0, both channels.
pub(super) fn report(findings: Vec<Located>, permitted: Option<RequiredBump>) -> Report {
    let plain = findings.iter().map(|located| located.finding.clone()).collect::<Vec<_>>();
    let named = |name: &str| Named { name: name.to_owned(), version: Some(name.to_owned()) };
    Report {
        baseline: Some(named("v1.0.0")),
        candidate: named("v1.1.0"),
        profile: ChosenProfile { profile: Profile::Gep922, reason: ProfileReason::Settings },
        projects: Vec::new(),
        channels: Channel::ALL.map(|channel| ChannelOfReport { channel, skipped: None }).to_vec(),
        verdict: Verdict::over(&plain, Channel::ALL),
        findings,
        permitted,
        needed: None,
        problems: Vec::new(),
        notes: Vec::new(),
        gate: None,
        has_channels: true,
        warnings: Vec::new(),
        left_out: Vec::new(),
    }
}

/// A field of the ordinary kind: it is there now, in two API versions.
pub(super) fn added(version: &str, path: &str) -> Finding {
    Finding {
        after: path.rsplit('.').next().map(|name| json!(name)),
        direction: Some(Direction::Loosened),
        grounds: Vec::new(),
        proof: None,
        ..finding("graduated", RequiredBump::Minor, version, path, "the field graduated from experimental")
    }
}

/// One finding of each kind, for a candidate that may be a minor bundle.
pub(super) fn full() -> Report {
    let refused = |version: &str| Finding {
        channel: Channel::Experimental,
        before: Some(json!("string")),
        after: Some(json!("struct")),
        direction: Some(Direction::Neither),
        grounds: Vec::new(),
        proof: None,
        fix: Some("Choose another name, and give the old name a tombstone.".to_owned()),
        ..finding(
            "type-changed",
            RequiredBump::NotAllowed,
            version,
            "status.features[*]",
            "the type was changed under the same name",
        )
    };
    let findings = vec![
        located(finding("stamps", RequiredBump::None, "", "", "a stamp was changed")),
        Located { finding: added("v1", "spec.size"), source: at("api/src/v1.rs", 12) },
        located(added("v1beta1", "spec.size")),
        Located { finding: refused("v1"), source: at("api/src/v1.rs", 40) },
        located(refused("v1beta1")),
        located(Finding {
            needs: vec![Need::Tombstone],
            waived: Some(Waived { to: RequiredBump::Minor, reason: "no user ever stored it (issue 12)".to_owned() }),
            ..finding(
                "name-removed",
                RequiredBump::Major,
                "v1",
                "spec.colour",
                "the field was removed: stored values are erased",
            )
        }),
        located(Finding {
            before: Some(json!({"type": "string", "maxLength": 8, "pattern": format!("^{}$", "a".repeat(90))})),
            after: Some(json!({"type": "string", "maxLength": 4, "pattern": format!("^{}$", "a".repeat(90))})),
            direction: Some(Direction::Tightened),
            grounds: Vec::new(),
            proof: None,
            witness: Some(Witness::Object(json!({"spec": {"name": "aaaaa"}}))),
            ..finding("tightened", RequiredBump::Major, "v1", "spec.name", "the maximum length was tightened")
        }),
        located(Finding {
            warning: true,
            after: Some(json!(3)),
            witness: Some(Witness::None("defaults are not checked against stored objects")),
            ..finding("default-added", RequiredBump::Minor, "v1", "spec.replicas", "a default was added")
        }),
        located(Finding {
            known: true,
            crd: "boxes.example.com".to_owned(),
            ..finding("containment", RequiredBump::Waiver, "v1", "spec.lid", "experimental lacks this field")
        }),
        located(Finding {
            before: Some(json!("A box.")),
            crd: "boxes.example.com".to_owned(),
            ..finding("words", RequiredBump::Patch, "v1", "", "the description was changed")
        }),
    ];
    Report {
        needed: Some("v2.0.0".to_owned()),
        problems: problems(),
        notes: vec!["bundles/v1.0.0 has no manifest: its CRDs were taken as they are".to_owned()],
        warnings: vec![
            Diagnostic::warning("crd-ignored", "spec.a: this is not a key of a CRD's spec")
                .at_position("a.yaml", 3, 5)
                .help("Remove it"),
        ],
        left_out: vec![LeftOut::by(
            "--select file=a.yaml".to_owned(),
            "b.yaml".to_owned(),
            Some(("boxes.example.com".to_owned(), 7)),
        )],
        ..report(findings, Some(RequiredBump::Minor))
    }
}

/// What can be wrong with a waiver, and with a name.
pub(super) fn problems() -> Vec<Diagnostic> {
    let waiver = Waiver {
        rule: "tightened".to_owned(),
        crd: "things.example.com".to_owned(),
        path: "spec.nam".to_owned(),
        channel: None,
        bundle: "v1.1.0".to_owned(),
        to: RequiredBump::Patch,
        reason: "a bug".to_owned(),
        line: 7,
    };
    let name = Element::at("things.example.com", Kind::Field, "spec", "old");
    let missing = of_ledger(&LedgerProblem::Missing { name: name.clone(), last: "v0.9.0".to_owned() })
        .help("Add: +tombstone:name=old,removed=v1.1.0,reason=\"…\"");
    let returned = Tombstone {
        name,
        removed: "v0.5.0".to_owned(),
        reason: "renamed".to_owned(),
        replacement: None,
        migrated: false,
    };
    let lost = LedgerProblem::Lost { id: "resource gone.example.com".to_owned(), bundle: "v0.9.0".to_owned() };
    let mut problems = waive(&mut [], &[waiver], WAIVERS.as_ref(), &["v1.1.0"]);
    problems.extend([missing, of_ledger(&LedgerProblem::Returned(returned)), of_ledger(&lost)]);
    problems
}
