//! The text.

use anstream::adapter::strip_str;
use crd_compat::{Finding, Ground, RequiredBump, Severity, Waived, Waiver, waive};
use crd_model::channel::Channel;
use serde_json::json;

use super::sample::{added, finding, full, located, report};
use crate::report::{Report, text};

fn plain(report: &Report, width: usize, verbose: bool) -> String {
    strip_str(&text::render(report, width, verbose)).to_string()
}

/// The lines of the summary.
fn summary(text: &str) -> &str {
    let (_, rest) = text.split_once("Summary\n").unwrap();
    rest.split_once("\n\n").map_or(rest, |(summary, _)| summary)
}

#[test]
fn the_whole_report_as_a_person_reads_it() {
    assert_eq!(
        plain(&full(), 100, false),
        r#"v1.0.0 → v1.1.0, profile gep-922

Summary
standard: needs a major bundle: 1 constraint tightened; also 4 smaller changes. 1 known finding is
  not counted, since the baseline has it.
experimental: refused: 1 type changed under the same name.
✗ no version permits this.
1 finding is waived; without waivers the verdict would be the same.
To fix in any case: 1 waiver matches nothing, 1 tombstone is missing, 1 removed name is back, 1
  tombstone was removed from the ledger.

Deciding findings
things.example.com
  experimental v1 status.features[*]
    refused: the type was changed under the same name [type-changed]
      "string" → "struct"
      also in v1beta1 (2 findings)
      fix: Choose another name, and give the old name a tombstone.
      api/src/v1.rs:40
  standard v1 spec.name
    major: the maximum length was tightened [tightened]
      was {"maxLength":8,"pattern":"^aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…
      now {"maxLength":4,"pattern":"^aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…
      refused now: {"spec":{"name":"aaaaa"}}

Other errors
  things.example.com spec.nam
    error: the waiver matches nothing: there is no such finding of `tightened` [waiver-unused]
      fix: Remove it, or correct its rule, CRD, path or channel.
      bundles/waivers.yaml:7
  things.example.com spec.old
    error: the field `old` is gone; v0.9.0 had it last, and it has no tombstone [tombstone-missing]
      fix: Add: +tombstone:name=old,removed=v1.1.0,reason="…"
  things.example.com spec.old
    error: the field `old` was removed in v0.5.0 (renamed) and must not return [tombstone-returned]
      fix: Choose another name.
    error: the tombstone of the resource gone.example.com is gone from the ledger; v0.9.0 was
      released with it [tombstone-lost]
      fix: Put the entry back as it was.

Other findings
    major, waived to minor: the field was removed (1 finding) [name-removed]
      things spec.colour
      accepted: no user ever stored it (issue 12)
    minor, warning: a default was added (1 finding) [default-added]
      things spec.replicas
    minor: the field graduated from experimental (2 findings) [graduated]
      things spec.size
    patch: the description was changed (1 finding) [words]
      boxes

Waivers
Entries of `waivers` in `bundles/waivers.yaml` that accept these findings; each needs a reason.
  `path: spec.*` matches every path with this beginning:
      - {rule: tightened, crd: "things.example.com", path: "spec.name", channel: standard, bundle: v1.1.0, to: minor, reason: ""}

1 finding that requires no bump and 1 known finding are left out; `--verbose` lists all.
"#
    );
}

#[test]
fn a_narrow_terminal_has_the_same_words_in_shorter_lines() {
    let narrow = plain(&full(), 40, false);
    for line in narrow.lines().filter(|line| line.chars().count() > 40) {
        // Only what must stay whole: a location, text to copy, or one word.
        let is_place = line.starts_with("  standard") || line.starts_with("  experimental");
        let is_copied = ["refused now: ", "- {rule: "].iter().any(|words| line.trim_start().starts_with(words));
        assert!(is_place || is_copied || line.split_whitespace().count() == 1, "{line}");
    }
    let part =
        "    refused: the type was changed under\n      the same name [type-changed]\n      \"string\" → \"struct\"\n";
    assert!(narrow.contains(part), "{narrow}");
    let part = "      was {\"maxLength\":8,\"pattern\":\"^a…\n      now {\"maxLength\":4,\"pattern\":\"^a…\n";
    assert!(narrow.contains(part), "{narrow}");
    // Values are shortened by width; the remaining words are the same.
    let words = |text: &str| {
        let kept = text.lines().filter(|line| !line.contains("maxLength"));
        kept.flat_map(str::split_whitespace).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(words(&narrow), words(&plain(&full(), 120, false)));
}

#[test]
fn verbose_unfolds_and_shows_what_is_left_out() {
    let text = plain(&full(), 100, true);
    for part in [
        "  standard\n    none: a stamp was changed [stamps]\n",
        "  experimental v1beta1 status.features[*]\n    refused: ",
        "      refused now: {\"spec\":{\"name\":\"aaaaa\"}}\n",
        "      no example: defaults are not checked against stored objects\n",
        "  standard v1 spec.lid\n    blocked, known: experimental lacks this field [containment]\n",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    for part in ["also in", "left out"] {
        assert!(!text.contains(part), "{part} is in {text}");
    }
}

#[test]
fn verbose_names_what_a_proof_needs() {
    let ground = |path: &str, keyword: &str| Ground { path: path.to_owned(), keyword: keyword.to_owned() };
    let mut proven = finding("words", RequiredBump::Patch, "v1", "spec.kind", "it has no effect");
    proven.grounds = vec![ground("", "`required: spec`"), ground("spec", "`allOf`")];
    let report = report(vec![located(proven)], Some(RequiredBump::Minor));
    let line = "      proven by `required: spec` of the object, `allOf` of spec\n";
    assert!(plain(&report, 120, true).contains(line), "{}", plain(&report, 120, true));
    assert!(!plain(&report, 120, false).contains("proven by"));
}

#[test]
fn nothing_to_report_is_one_line() {
    let mut report = report(Vec::new(), Some(RequiredBump::Patch));
    let line = "v1.0.0 → v1.1.0, profile gep-922: nothing to report in standard and experimental\n";
    assert_eq!(plain(&report, 100, false), line);
    report.findings = vec![located(finding("stamps", RequiredBump::None, "", "", "a stamp was changed"))];
    assert_eq!(plain(&report, 120, false), line.replace('\n', " (1 finding, which `--verbose` lists)\n"));
    report.channels[1].skipped = Some("v1.0.0 has no such channel".to_owned());
    report.candidate.name = "bundles/unreleased".to_owned();
    assert_eq!(
        plain(&report, 60, false),
        "v1.0.0 → bundles/unreleased (v1.1.0), profile gep-922:\n  nothing to report in standard (1 finding, which\n  `--verbose` lists); experimental was not checked: v1.0.0\n  has no such channel\n"
    );
    report.channels.clear();
    report.baseline = None;
    report.findings.clear();
    let text = plain(&report, 100, false);
    assert_eq!(text, "bundles/unreleased (v1.1.0) without a baseline, profile gep-922: nothing to report\n");
}

/// The sentences about the bundle, for every way in which it may end.
#[test]
fn the_summary_has_what_the_bundle_needs() {
    let of = |required_bump: RequiredBump, permitted: Option<RequiredBump>, needed: Option<&str>| {
        let mut report =
            report(vec![located(finding("tightened", required_bump, "v1", "spec", "it was tightened"))], permitted);
        report.needed = needed.map(str::to_owned);
        report.channels.truncate(1);
        summary(&plain(&report, 200, false)).replace('\n', " ") + " "
    };
    let beginning = "standard: needs a major bundle: 1 constraint tightened. ";
    for (required_bump, permitted, needed, expected) in [
        (
            RequiredBump::Major,
            Some(RequiredBump::Minor),
            Some("v2.0.0"),
            "✗ major bundle needed, minor permitted (v2.0.0 or later). Nothing is waived. ",
        ),
        (
            RequiredBump::Major,
            Some(RequiredBump::Major),
            Some("v2.0.0"),
            "✓ major bundle needed, major permitted. Nothing is waived. ",
        ),
        (RequiredBump::Major, None, Some("v2.0.0"), "major bundle needed (v2.0.0 or later). "),
        (RequiredBump::Major, None, None, "major bundle needed. "),
    ] {
        assert_eq!(of(required_bump, permitted, needed), format!("{beginning}{expected}"));
    }
    assert_eq!(
        of(RequiredBump::Patch, Some(RequiredBump::Minor), Some("v1.0.1")),
        "standard: needs a patch bundle: 1 constraint tightened. ✓ patch bundle needed, minor permitted (v1.0.1 would do). Nothing is waived. "
    );
    assert_eq!(
        of(RequiredBump::Waiver, Some(RequiredBump::Minor), None),
        "standard: to be fixed or waived: 1 constraint tightened. ✗ no version permits this until it is fixed or waived. Nothing is waived. "
    );
    assert_eq!(
        of(RequiredBump::NotAllowed, None, None),
        "standard: refused: 1 constraint tightened. ✗ no version permits this. "
    );
}

#[test]
fn blocking_findings_are_named_before_smaller_changes() {
    let of = |rule, required_bump| located(finding(rule, required_bump, "v1", "spec", "it is so"));
    let mut report = report(
        vec![
            of("unclaimed", RequiredBump::Waiver),
            of("type-changed", RequiredBump::NotAllowed),
            of("loosened", RequiredBump::Minor),
            of("words", RequiredBump::Patch),
        ],
        None,
    );
    let first = |report: &Report| {
        let text = plain(report, 200, false);
        text.split_once("Summary\n").unwrap().1.lines().next().unwrap().to_owned()
    };
    assert_eq!(
        first(&report),
        "standard: refused: 1 type changed under the same name; to be fixed or waived: 1 change that no rule covers; also 2 smaller changes."
    );
    report.findings = vec![of("stamps", RequiredBump::None)];
    report.verdict = super::sample::report(report.findings.clone(), None).verdict;
    report.problems = super::sample::problems();
    assert_eq!(first(&report), "standard: no change affects users.");
    report.permitted = Some(RequiredBump::Patch);
    let text = plain(&report, 200, false);
    assert!(text.contains("\n✓ no new bundle needed, apart from the other errors.\n"), "{text}");
}

/// Values that the location or the message contains are not repeated.
#[test]
fn values_without_new_information_are_left_out() {
    let shown = |path: &str, before: serde_json::Value, after: serde_json::Value| {
        let optional = |value: serde_json::Value| (!value.is_null()).then_some(value);
        let (before, after) = (optional(before), optional(after));
        let finding =
            Finding { before, after, ..finding("loosened", RequiredBump::Minor, "v1", path, "it was loosened") };
        let text = plain(&report(vec![located(finding)], None), 100, false);
        let lines = text.lines().skip_while(|line| !line.contains("[loosened]")).skip(1);
        lines.take_while(|line| !line.is_empty()).collect::<String>()
    };
    let none = || json!(null);
    for (path, before, after, expected) in [
        ("spec.size", none(), json!("size"), ""),
        ("size", json!("size"), none(), ""),
        ("spec.size", none(), json!("ize"), "      now \"ize\""),
        ("spec", json!("v1"), none(), ""),
        ("", none(), json!("things.example.com"), ""),
        ("spec", none(), json!(true), "      now true"),
        ("spec", json!(false), none(), "      was false"),
        ("spec", json!(false), json!(true), "      false → true"),
        ("spec.size", json!("size"), json!("length"), "      \"size\" → \"length\""),
        ("spec", json!([1]), none(), "      was [1]"),
    ] {
        assert_eq!(shown(path, before, after), expected);
    }
}

#[test]
fn the_verdict_without_waivers_is_always_printed() {
    let waived = |required_bump: RequiredBump| Finding {
        waived: Some(Waived { to: RequiredBump::Patch, reason: "a bug fix".to_owned() }),
        ..finding("tightened", required_bump, "v1", "spec", "it was tightened")
    };
    for (required_bump, expected) in [
        (RequiredBump::Major, "1 finding is waived; without waivers this would need a major bundle."),
        (RequiredBump::Waiver, "1 finding is waived; without waivers this would fit no version."),
    ] {
        let report = report(vec![located(waived(required_bump))], Some(RequiredBump::Patch));
        let text = plain(&report, 100, false);
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("waived to patch: it was tightened [tightened]\n      accepted: a bug fix\n"), "{text}");
        assert!(report.fits());
    }
    // A waiver to nothing is printed too.
    let mut none = waived(RequiredBump::Major);
    none.waived = Some(Waived { to: RequiredBump::None, reason: "never published".to_owned() });
    let text = plain(&report(vec![located(none)], Some(RequiredBump::Patch)), 100, false);
    assert!(text.contains("accepted: never published"), "{text}");
}

#[test]
fn the_summary_without_a_baseline_says_so() {
    let known = finding("containment", RequiredBump::Waiver, "v1", "spec", "experimental lacks this field");
    let mut report = report(vec![located(known)], None);
    report.baseline = None;
    report.channels[1].skipped = Some("there is no such folder.".to_owned());
    let text = plain(&report, 200, false);
    assert_eq!(
        summary(&text),
        "standard: to be fixed or waived: 1 location where standard exceeds experimental.\n\
         experimental: not checked: there is no such folder.\n\
         There is no baseline to compare with, and as it is this fits no version."
    );
}

#[test]
fn only_what_is_forbidden_ends_with_findings() {
    let minor = || vec![located(finding("loosened", RequiredBump::Minor, "v1", "spec", "it was loosened"))];
    let fits = |required_bump: Option<RequiredBump>| report(minor(), required_bump).fits();
    assert_eq!([fits(None), fits(Some(RequiredBump::Minor)), fits(Some(RequiredBump::Patch))], [true, true, false]);
    assert!(!Report { problems: super::sample::problems(), ..report(minor(), None) }.fits());
    assert!(!full().fits());
}

/// Colours are for terminals; a text that brings its own is not obeyed by them.
#[test]
fn colours_are_ours_only_and_go_where_no_terminal_is() {
    let mut report = full();
    report.findings[1].finding.message = "\u{1b}[2Jgone\u{7}".to_owned();
    report.findings[1].finding.path = "spec.\u{1b}]0;title\u{7}x\ny".to_owned();
    report.findings[3].finding.before = Some(json!("\u{1b}[31m\u{9b}2J"));
    let coloured = text::render(&report, 100, false);
    assert!(coloured.contains("\u{1b}[1m\u{1b}[31mrefused:\u{1b}[0m the type was changed"), "{coloured:?}");
    for forbidden in ["\u{1b}[2J", "\u{1b}]0;", "\u{7}", "\u{9b}"] {
        assert!(!coloured.contains(forbidden), "{coloured:?}");
    }
    assert!(coloured.contains("spec.\\u{1b}]0;title\\u{7}x y"), "{coloured:?}");
}

/// CRDs with the largest required bump come first, and a finding of both channels is printed once.
#[test]
fn crds_are_ordered_by_required_bump_and_channels_are_folded() {
    let mut other = added("v1", "spec.a");
    other.crd = "a.example.com".to_owned();
    let mut experimental = added("v1", "spec.size");
    experimental.channel = Channel::Experimental;
    let words = finding("words", RequiredBump::Patch, "v1", "spec", "the description was changed");
    let mut z = finding("loosened", RequiredBump::Minor, "v1", "spec", "it was loosened");
    z.crd = "z.example.com".to_owned();
    let findings = vec![z, words, experimental, added("v1", "spec.size"), other];
    let report = report(findings.into_iter().map(located).collect(), Some(RequiredBump::Major));
    let text = plain(&report, 100, false);
    let crds = text.lines().filter(|line| line.contains("example.com") || line.contains("spec")).collect::<Vec<_>>();
    assert_eq!(
        crds,
        [
            "a.example.com",
            "  standard v1 spec.a",
            "things.example.com",
            "  standard v1 spec.size",
            "z.example.com",
            "  standard v1 spec",
            "      things spec",
        ]
    );
}

/// Every entry that the report offers is read, without a reason as an error and with one as a waiver of exactly its findings.
#[test]
fn a_printed_waiver_answers_its_findings() {
    let error = |rule, required_bump, path: &str| finding(rule, required_bump, "v1", path, "it is so");
    let findings = vec![
        error("tightened", RequiredBump::Major, "spec.a[*].b"),
        error("containment", RequiredBump::Waiver, "spec.\"x\" \\ : {y}"),
        error("containment", RequiredBump::Waiver, ""),
        error("type-changed", RequiredBump::NotAllowed, "spec.c"),
        error("loosened", RequiredBump::Minor, "spec.d"),
        Finding { channel: Channel::Experimental, ..error("tightened", RequiredBump::Major, "spec.a[*].b") },
        Finding { version: Some("v2".to_owned()), ..error("tightened", RequiredBump::Major, "spec.a[*].b") },
        Finding { known: true, ..error("containment", RequiredBump::Waiver, "spec.e") },
    ];
    let mut report = report(findings.iter().cloned().map(located).collect(), Some(RequiredBump::Minor));
    report.candidate.version = Some("v1.1.0-rc.1".to_owned());
    let text = plain(&report, 100, false);
    let entries = text.lines().filter(|line| line.trim_start().starts_with("- {")).collect::<Vec<_>>();
    assert_eq!(entries.len(), 4, "{text}");
    let file = std::path::Path::new("bundles/waivers.yaml");
    let read = |reason: &str| {
        let yaml = format!("waivers:\n{}\n", entries.join("\n")).replace("reason: \"\"", reason);
        Waiver::read_all(&yaml, file, &|version| version == "v1.1.0", &[])
    };
    let (waivers, errors) = read("reason: \"\"");
    assert_eq!((waivers.len(), errors.len()), (0, 4), "{errors:?}");
    let (waivers, errors) = read("reason: it was a bug");
    assert_eq!(errors, []);
    let mut waived = findings.clone();
    assert_eq!(waive(&mut waived, &waivers, file, &["v1.1.0-rc.1", "v1.1.0"]), []);
    let lowered = waived.iter().map(|finding| finding.waived.is_some()).collect::<Vec<_>>();
    assert_eq!(lowered, [true, true, true, false, false, true, true, false]);
    assert!(
        waived
            .iter()
            .all(|finding| finding.severity(RequiredBump::Minor) < Severity::Error || finding.rule == "type-changed")
    );
    // Where waivers have no effect, none is offered.
    for report in [
        Report { permitted: None, ..report.clone() },
        Report { permitted: Some(RequiredBump::None), ..report.clone() },
        Report { candidate: crate::report::Named { version: None, ..report.candidate.clone() }, ..report },
    ] {
        assert!(!plain(&report, 100, false).contains("- {"));
    }
}
